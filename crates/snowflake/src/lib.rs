//! Runs statements in Snowflake over its SQL REST API. Tested only against a fake server, never against Snowflake
//! itself.

mod account;
mod error;
mod session;
#[cfg(feature = "testing")]
#[allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "test code, which may panic when an assumption fails"
)]
pub mod testing;
mod token;

pub use account::Account;
pub use error::{unreachable, unreadable};
pub use session::{Row, Rows, Session};
pub use token::{KeyPair, Token};
