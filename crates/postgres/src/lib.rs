//! Connections to a PostgreSQL server, and a session that can only read. Errors of the driver and the server are
//! classified and never quoted, because they may contain a password or a row.

mod address;
mod bounded;
mod password;
mod refusal;
mod session;
#[cfg(feature = "testing")]
pub mod testing;
mod tls;

pub use address::{Address, TlsMode};
pub use password::from_command;
pub use refusal::{Refusal, RefusalKind};
pub use session::{ReadingSession, connect};
pub use tokio_postgres::types::{FromSql, ToSql};
pub use tokio_postgres::{Client, Row};
