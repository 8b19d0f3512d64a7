//! The tests of the whole program, in one binary, because each binary would link the program again. Each folder covers
//! a face of the program or a topic; `support/` is shared. Unit tests are next to the code they test.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::needless_pass_by_value,
    reason = "a test that cannot continue should stop and say where, and its helpers are tests too"
)]

mod cli;
mod documentation;
mod e2e;
mod engine;
mod house;
mod http;
mod live;
mod mcp;
mod plain;
mod schema;
mod support;
