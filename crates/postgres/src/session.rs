//! One session: a transaction that only reads, all of it as of one moment.

use std::fmt;
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::config::SslMode;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, NoTls, Row};

use crate::address::{Address, TlsMode};
use crate::refusal::{Refusal, RefusalKind};
use crate::tls;

/// How long a server may take to answer at all.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// How long this side waits for an answer: longer than the server may take, which gives up itself.
const ANSWER_LIMIT: Duration = Duration::from_secs(40);

/// Settings of the role and the database must not change what is read, and the first rows of a table are to be the same each time.
const SETTINGS: &str = "
SET statement_timeout = '30s'; SET lock_timeout = '1s'; SET idle_in_transaction_session_timeout = '60s';
SET search_path = ''; SET default_transaction_read_only = on; SET quote_all_identifiers = off; SET datestyle = 'ISO, YMD';
SET intervalstyle = 'postgres'; SET timezone = 'UTC'; SET bytea_output = 'hex'; SET jit = off;
SET synchronize_seqscans = off; SET max_parallel_workers_per_gather = 0";

/// A server that has it ends a statement when this side is gone.
const ENDS_WITH_US: &str = "SET client_connection_check_interval = '1s'";

const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A session within a transaction that only reads. It must be used outside any async runtime.
pub struct ReadingSession {
    runtime: Runtime,
    client: Client,
}

impl fmt::Debug for ReadingSession {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a session")
    }
}

impl ReadingSession {
    /// Connects and begins the transaction.
    ///
    /// # Errors
    /// The server cannot be reached or does not let this user in.
    pub fn open(address: &Address) -> Result<Self, Refusal> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Refusal::new(RefusalKind::Other, error.kind().to_string()))?;
        let silent = |_| Refusal::new(RefusalKind::Unreachable, "the server did not answer in time");
        let opened = async { timeout(2 * CONNECT_LIMIT, connect(address)).await.map_err(silent)? };
        let client = runtime.block_on(opened)?;
        Ok(Self { runtime, client })
    }

    /// The rows of a statement.
    ///
    /// # Errors
    /// The server refuses it or does not answer.
    pub fn rows(&self, statement: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Refusal> {
        let silent = |_| Refusal::new(RefusalKind::TooSlow, "the server did not answer in time");
        let asked = async { timeout(ANSWER_LIMIT, self.client.query(statement, values)).await.map_err(silent) };
        Ok(self.runtime.block_on(asked)??)
    }

    /// Limits each further statement to this time, at the server. From here on a statement that fails can be undone by itself.
    ///
    /// # Errors
    /// The server refuses it or does not answer.
    pub fn limit_statements(&self, time: Duration) -> Result<(), Refusal> {
        let time = format!("{}ms", time.as_millis());
        self.rows("SELECT set_config('statement_timeout', $1, false)", &[&time])?;
        self.run("SAVEPOINT before")
    }

    /// Lets the transaction go on after a statement that failed.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn undo_failure(&self) -> Result<(), Refusal> {
        self.run("ROLLBACK TO SAVEPOINT before")
    }

    fn run(&self, statement: &str) -> Result<(), Refusal> {
        let silent = |_| Refusal::new(RefusalKind::TooSlow, "the server did not answer in time");
        let asked = async { timeout(ANSWER_LIMIT, self.client.batch_execute(statement)).await.map_err(silent) };
        Ok(self.runtime.block_on(asked)??)
    }

    /// Ends the transaction; nothing was changed in it.
    pub fn end(self) {
        // The server ends it with the connection, too.
        let ended = async { timeout(CONNECT_LIMIT, self.client.batch_execute("ROLLBACK")).await };
        drop(self.runtime.block_on(ended));
    }
}

async fn connect(address: &Address) -> Result<Client, Refusal> {
    let mut config = address.config.clone();
    config.application_name("refdesk").connect_timeout(CONNECT_LIMIT).tcp_user_timeout(ANSWER_LIMIT);
    let mode = address.tls();
    config.ssl_mode(match mode {
        _ if address.is_socket() => SslMode::Disable,
        TlsMode::Disable => SslMode::Disable,
        TlsMode::Allow | TlsMode::Prefer => SslMode::Prefer,
        TlsMode::Require | TlsMode::VerifyCa | TlsMode::VerifyFull => SslMode::Require,
    });
    let client = if config.get_ssl_mode() == SslMode::Disable {
        let (client, connection) = config.connect(NoTls).await?;
        // Its errors reach the client.
        drop(tokio::spawn(connection));
        client
    } else {
        let (client, connection) = config.connect(tls::connector(mode, address.authorities())?).await?;
        drop(tokio::spawn(connection));
        client
    };
    client.batch_execute(SETTINGS).await?;
    // One that does not have it is stopped by its own time.
    drop(client.batch_execute(ENDS_WITH_US).await);
    client.batch_execute(BEGIN).await?;
    Ok(client)
}
