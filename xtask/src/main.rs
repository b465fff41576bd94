//! Chores. (in work)
fn main() {}
