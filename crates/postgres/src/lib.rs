//! A session of a PostgreSQL server that can only read. What the driver and the server say of an error is sorted into kinds and
//! never repeated, because it may quote a password or a row.

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
