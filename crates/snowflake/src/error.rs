//! Errors about Snowflake, which never quote secrets or the server.

use refdesk_text::{Code, Error};

/// Snowflake cannot be reached.
pub fn unreachable(why: &str, fix: &str) -> Error {
    Error::new(Code::DatabaseUnreachable, format!("Snowflake cannot be reached: {why}"), fix.to_owned())
}

/// Snowflake was reached, but could not be read.
pub fn unreadable(why: &str, fix: &str) -> Error {
    Error::new(Code::DatabaseUnreadable, format!("Snowflake could not be read: {why}"), fix.to_owned())
}
