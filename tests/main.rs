//! The tests of the whole program, in one binary, since each binary would link the program again. A folder is a face of the
//! program or a subject; `support/` is shared. Unit tests are beside the code they test.
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
