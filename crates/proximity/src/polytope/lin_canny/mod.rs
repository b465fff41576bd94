//! Closest features of two convex polytopes by walking their Voronoi regions. (in work)
