//! The `refdesk` program.

fn main() {}
