//! A read-only session with a PostgreSQL server. Errors of the driver and the server are sorted into kinds and never
//! quoted, because they may contain a password or a row.

mod address;
mod password;
mod refusal;
mod session;
#[cfg(feature = "testing")]
pub mod testing;
mod tls;

pub use address::{Address, TlsMode};
pub use password::from_command;
pub use refusal::{Refusal, RefusalKind};
pub use session::ReadingSession;
pub use tokio_postgres::Row;
pub use tokio_postgres::types::{FromSql, ToSql};
