//! The command `clearance`. (in work)
fn main() {}
