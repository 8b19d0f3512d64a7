//! A session that reads everything in one read-only transaction, as of one moment.

use std::error::Error as _;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{fmt, io};

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;
use tokio_postgres::config::{SslMode, SslNegotiation};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Config, Connection, NoTls, Row, Socket};

use crate::address::{Address, TlsMode};
use crate::bounded::{Encrypted, Plain};
use crate::refusal::{Refusal, RefusalKind, cause};
use crate::tls;

/// How long connecting may take.
const CONNECT_LIMIT: Duration = Duration::from_secs(10);

/// How long to wait for an answer: longer than the server's own limit, so that the server gives up first.
const ANSWER_LIMIT: Duration = Duration::from_secs(40);

/// How often to check `is_stopped` while waiting for the server.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// How long the server may take to cancel a statement after a stop.
const CANCEL_LIMIT: Duration = Duration::from_secs(2);

/// How many statements may be in flight. The rows of each stay in memory until its turn.
const IN_FLIGHT: usize = 8;

/// Settings of the role or the database must not change what is read, and the first rows of a table should be the same
/// each time.
const SETTINGS: &str = "
SET statement_timeout = '30s'; SET lock_timeout = '1s'; SET idle_in_transaction_session_timeout = '60s';
SET search_path = ''; SET default_transaction_read_only = on; SET quote_all_identifiers = off; SET datestyle = 'ISO, YMD';
SET intervalstyle = 'postgres'; SET timezone = 'UTC'; SET bytea_output = 'hex'; SET jit = off;
SET synchronize_seqscans = off; SET max_parallel_workers_per_gather = 0";

/// Servers that support it cancel a statement when the client disconnects.
const CHECK_CLIENT: &str = "SET client_connection_check_interval = '1s'";

const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// A session in a read-only transaction. It blocks, so it must be used outside async runtimes.
pub struct ReadingSession {
    runtime: Runtime,
    connected: Connected,
    address: Address,
    is_stopped: Arc<AtomicBool>,
}

impl fmt::Debug for ReadingSession {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a session")
    }
}

impl ReadingSession {
    /// Connects and begins the transaction. Once any thread sets `is_stopped`, every wait ends, and the server cancels
    /// the current statement.
    ///
    /// # Errors
    /// The server cannot be reached or rejects this user.
    pub fn open(address: &Address, is_stopped: &Arc<AtomicBool>) -> Result<Self, Refusal> {
        let runtime = Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| Refusal::new(RefusalKind::Other, error.kind().to_string()))?;
        let silent = |_| Refusal::new(RefusalKind::Unreachable, "the server did not answer in time");
        let opened = async { timeout(2 * CONNECT_LIMIT, begin(address)).await.map_err(silent)? };
        let Some(opened) = runtime.block_on(unless_stopped(is_stopped, opened)) else {
            // A name lookup cannot be cancelled, so do not wait for it.
            runtime.shutdown_background();
            return Err(stopped());
        };
        Ok(Self { runtime, connected: opened?, address: address.clone(), is_stopped: is_stopped.clone() })
    }

    /// Runs a statement and returns its rows.
    ///
    /// # Errors
    /// The server refuses the statement or does not answer.
    pub fn rows(&self, statement: &str, values: &[&(dyn ToSql + Sync)]) -> Result<Vec<Row>, Refusal> {
        self.answer(self.connected.client.query(statement, values))
    }

    /// Sends statements without parameters, and passes the rows of each to `each` in order, up to and including the
    /// first failure. Several statements are in flight, so that neither side waits for the other between two of them.
    pub fn rows_of_each<'s>(
        &self,
        statements: impl IntoIterator<Item = &'s str>,
        mut each: impl FnMut(Result<Vec<Row>, Refusal>),
    ) {
        let mut unasked = statements.into_iter();
        self.runtime.block_on(async {
            let mut asked = FuturesOrdered::new();
            loop {
                while asked.len() < IN_FLIGHT
                    && let Some(statement) = unasked.next()
                {
                    asked.push_back(self.connected.client.query_typed(statement, &[]));
                }
                let rows = match self.answered(asked.next()).await {
                    Ok(None) => return,
                    Ok(Some(answer)) => answer.map_err(|error| self.connected.refusal(error)),
                    Err(refusal) => Err(refusal),
                };
                let is_refused = rows.is_err();
                each(rows);
                if is_refused {
                    return;
                }
            }
        });
    }

    /// Sets the server's time limit for each further statement. After this, [`Self::rollback_to_savepoint`] can recover
    /// from a failed statement.
    ///
    /// # Errors
    /// The server refuses the setting or does not answer.
    pub fn limit_statements(&self, time: Duration) -> Result<(), Refusal> {
        let time = format!("{}ms", time.as_millis());
        self.rows("SELECT set_config('statement_timeout', $1, false)", &[&time])?;
        self.run("SAVEPOINT before")
    }

    /// Rolls back to the savepoint: the transaction can continue after a failed statement, and the locks on what was
    /// read since are released.
    ///
    /// # Errors
    /// The connection is lost.
    pub fn rollback_to_savepoint(&self) -> Result<(), Refusal> {
        self.run("ROLLBACK TO SAVEPOINT before")
    }

    fn run(&self, statement: &str) -> Result<(), Refusal> {
        self.answer(self.connected.client.batch_execute(statement))
    }

    fn answer<T>(&self, asked: impl Future<Output = Result<T, tokio_postgres::Error>>) -> Result<T, Refusal> {
        self.runtime.block_on(self.answered(asked))?.map_err(|error| self.connected.refusal(error))
    }

    /// The server's answer, unless it takes too long or the session is stopped.
    async fn answered<T>(&self, asked: impl Future<Output = T>) -> Result<T, Refusal> {
        let silent = |_| Refusal::new(RefusalKind::TooSlow, "the server did not answer in time");
        let mut asked = pin!(asked);
        let answer = timeout(ANSWER_LIMIT, unless_stopped(&self.is_stopped, asked.as_mut()));
        if let Some(answer) = answer.await.map_err(silent)? {
            return Ok(answer);
        }
        // If the server does not answer, it ends the statement at its own limit.
        drop(timeout(CANCEL_LIMIT, self.cancel()).await);
        drop(timeout(CANCEL_LIMIT, asked).await);
        Err(stopped())
    }

    /// Asks the server to end the current statement.
    async fn cancel(&self) {
        let token = self.connected.client.cancel_token();
        // Errors are ignored: the statement also ends with the connection, only later.
        match self.connected.transport {
            Transport::Socket => drop(token.cancel_query(NoTls).await),
            Transport::Plain => drop(token.cancel_query(Plain).await),
            Transport::Encrypted => {
                if let Ok(connector) = tls::connector(&self.address) {
                    drop(token.cancel_query(connector).await);
                }
            }
        }
    }

    /// Ends the transaction, which changed nothing.
    pub fn end(self) {
        // Dropping `self` ends the connection.
        if self.is_stopped.load(Ordering::Relaxed) {
            return;
        }
        // An error is ignored: the server also ends the transaction with the connection.
        let ended = async { timeout(CONNECT_LIMIT, self.connected.client.batch_execute("ROLLBACK")).await };
        drop(self.runtime.block_on(ended));
    }
}

/// The result of the work; `None` once `is_stopped` is set.
async fn unless_stopped<T>(is_stopped: &AtomicBool, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    while !is_stopped.load(Ordering::Relaxed) {
        if let Ok(done) = timeout(POLL_INTERVAL, work.as_mut()).await {
            return Some(done);
        }
    }
    None
}

fn stopped() -> Refusal {
    Refusal::new(RefusalKind::Stopped, "reading it was stopped")
}

/// Names the socket in the refusal if it does not exist.
fn unreached(address: &Address, error: tokio_postgres::Error) -> Refusal {
    let is_missing = cause::<io::Error>(&error).is_some_and(|error| error.kind() == io::ErrorKind::NotFound);
    match address.host().filter(|_| is_missing && address.is_socket()) {
        Some(folder) => {
            let words = format!("there is no socket {folder}/.s.PGSQL.{}", address.port());
            Refusal::new(RefusalKind::Unreachable, words)
        }
        None => error.into(),
    }
}

/// Connects to a server, with as much TLS as its address requires. `limit` is how long connecting may take, `answer`
/// how long the server may be silent.
///
/// # Errors
/// The server cannot be reached, its certificate is not accepted, or it rejects this user.
pub async fn connect(address: &Address, limit: Duration, answer: Duration) -> Result<Client, Refusal> {
    Ok(connected(address, limit, answer).await?.client)
}

#[derive(Debug, Clone, Copy)]
enum Transport {
    Socket,
    Plain,
    Encrypted,
}

struct Connected {
    client: Client,
    transport: Transport,
    /// Why the connection ended.
    ending: Arc<OnceLock<Refusal>>,
}

impl Connected {
    fn new<T>(client: Client, connection: Connection<Socket, T>, transport: Transport) -> Self
    where
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let ending = Arc::<OnceLock<Refusal>>::default();
        let kept = ending.clone();
        drop(tokio::spawn(async move {
            if let Err(error) = connection.await {
                drop(kept.set(error.into()));
            }
        }));
        Self { client, transport, ending }
    }

    /// The client knows only that the connection ended, not that the server's messages could not be read.
    fn refusal(&self, error: tokio_postgres::Error) -> Refusal {
        let is_unread = |it: &&Refusal| matches!(it.kind, RefusalKind::Foreign | RefusalKind::TooLarge);
        let ending = self.ending.get().filter(|_| error.is_closed()).filter(is_unread);
        ending.cloned().unwrap_or_else(|| error.into())
    }
}

async fn connected(address: &Address, limit: Duration, answer: Duration) -> Result<Connected, Refusal> {
    let mut config = address.config.clone();
    config.application_name("refdesk").connect_timeout(limit).tcp_user_timeout(answer);
    if address.is_socket() {
        config.ssl_mode(SslMode::Disable);
        let (client, connection) = config.connect(NoTls).await.map_err(|error| unreached(address, error))?;
        return Ok(Connected::new(client, connection, Transport::Socket));
    }
    if address.tls() == TlsMode::Disable {
        return plain(config).await;
    }
    // Without TLS, the driver would read from the server without a limit.
    config.ssl_mode(SslMode::Require);
    let may_be_plain = matches!(address.tls(), TlsMode::Allow | TlsMode::Prefer);
    let connector = Encrypted(tls::connector(address)?);
    match config.connect(connector).await {
        Ok((client, connection)) => Ok(Connected::new(client, connection, Transport::Encrypted)),
        // With several hosts, the driver reports only the error of the last one.
        Err(error) if may_be_plain && (has_no_tls(&error) || has_several_hosts(&config)) => plain(config).await,
        Err(error) => Err(error.into()),
    }
}

async fn plain(mut config: Config) -> Result<Connected, Refusal> {
    // The driver requires a host name for TLS verification, which does not take place here.
    if config.get_hosts().is_empty() {
        for address in config.get_hostaddrs().to_vec() {
            config.host(address.to_string());
        }
    }
    config.ssl_mode(SslMode::Require).ssl_negotiation(SslNegotiation::Direct);
    let (client, connection) = config.connect(Plain).await?;
    Ok(Connected::new(client, connection, Transport::Plain))
}

fn has_several_hosts(config: &Config) -> bool {
    config.get_hosts().len().max(config.get_hostaddrs().len()) > 1
}

/// Whether the server answered that it does not support TLS.
fn has_no_tls(error: &tokio_postgres::Error) -> bool {
    // The driver reports this only in its message.
    error.source().is_some_and(|source| source.to_string() == "server does not support TLS")
}

async fn begin(address: &Address) -> Result<Connected, Refusal> {
    let connected = connected(address, CONNECT_LIMIT, ANSWER_LIMIT).await?;
    let run = async |statement: &'static str| {
        connected.client.batch_execute(statement).await.map_err(|error| connected.refusal(error))
    };
    run(SETTINGS).await?;
    // Servers without this setting stop at their own limit.
    drop(run(CHECK_CLIENT).await);
    run(BEGIN).await?;
    Ok(connected)
}
