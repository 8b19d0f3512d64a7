//! A connection to a server. The client is asynchronous. Each question runs on its own thread, because the caller may
//! be a task of an async runtime, where blocking on another runtime is an error.

use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use refdesk_postgres::{Client, Refusal, RefusalKind, connect};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::server::Server;
use refdesk_text::Error;

pub(super) type PostgresError = tokio_postgres::Error;

pub(super) struct Session {
    pub server: Server,
    limit: Duration,
    connection: Mutex<Connection>,
}

struct Connection {
    /// `None` only during drop.
    runtime: Option<Runtime>,
    client: Client,
}

impl Session {
    /// Connects within `within`; each answer may take up to `limit`.
    pub(crate) fn open(server: &Server, within: Duration, limit: Duration) -> Result<Self, Error> {
        let can_build = refdesk_files::check_descriptors();
        let runtime = can_build.and_then(|()| Builder::new_current_thread().enable_all().build());
        let runtime = runtime.map_err(|error| server.unusable(&error))?;
        let connected = async || {
            let client = connect(&server.address, within, limit).await?;
            let limit = limit.as_millis();
            let limits = format!(
                "SET statement_timeout = {limit}; SET lock_timeout = {limit};
                 SET idle_in_transaction_session_timeout = {limit}"
            );
            client.batch_execute(&limits).await?;
            Ok(client)
        };
        let client = on_own_thread(server, || runtime.block_on(async { timeout(within, connected()).await }))?
            .map_err(|_| server.timed_out(within))?
            .map_err(|refusal: Refusal| {
                // No query was sent yet, so the tables cannot be the reason.
                let kind = match refusal.kind {
                    RefusalKind::Other => RefusalKind::Unreachable,
                    kind => kind,
                };
                server.refused(&Refusal { kind, ..refusal })
            })?;
        let connection = Mutex::new(Connection { runtime: Some(runtime), client });
        Ok(Self { server: server.clone(), limit, connection })
    }

    /// Runs a query on the server.
    pub(crate) fn ask<T: Send>(
        &self,
        ask: impl AsyncFnOnce(&mut Client) -> Result<T, PostgresError> + Send,
    ) -> Result<T, Error> {
        let mut connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let Connection { runtime: Some(runtime), client } = &mut *connection else {
            return Err(self.server.unusable(&"the connection is closed"));
        };
        let limit = self.limit;
        on_own_thread(&self.server, move || runtime.block_on(async move { timeout(limit, ask(client)).await }))?
            .map_err(|_| self.server.timed_out(limit))?
            .map_err(|error| self.server.failed(error))
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take() else { return };
        // Waiting for it here would be an error inside another runtime.
        runtime.shutdown_background();
    }
}

/// Runs `work` on its own thread and waits for it.
fn on_own_thread<T: Send>(server: &Server, work: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let done =
        thread::scope(|scope| thread::Builder::new().spawn_scoped(scope, work).map(thread::ScopedJoinHandle::join));
    done.map_err(|error| server.unusable(&error))?.map_err(|_| server.unusable(&"the client stopped"))
}
