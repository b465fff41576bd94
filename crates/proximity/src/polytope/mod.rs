//! Convex polytopes against each other.

pub mod lin_canny;
