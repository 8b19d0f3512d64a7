//! PostgreSQL servers: one session in a read-only transaction, with a few catalog queries for a schema of any size.

mod catalog;
mod place;
mod statements;
#[cfg(test)]
mod tests;

use std::thread;
use std::time::Duration;

use refdesk_postgres::{Address, ReadingSession, Refusal, RefusalKind, TlsMode};
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

use self::catalog::RoleRights;
use super::{AccessibleDatabase, ConnectionEnvironment, SchemaReading, ServerAddress, stopped, too_many_rights};
use crate::config::{DatabaseConfig, ServerConnection};
use crate::names::quoted;

/// How long to wait before each retry.
pub(crate) const WAITS: [Duration; 3] = [Duration::from_secs(1), Duration::from_secs(2), Duration::from_secs(4)];

/// Reads the schema of a database.
///
/// # Errors
/// The server cannot be reached or read.
pub fn snapshot(database: &AccessibleDatabase<'_>, server: &ServerConnection) -> Result<SchemaReading, Error> {
    outside_runtime(|| read(database, server, &WAITS))
        .unwrap_or_else(|| Err(unreachable("the client stopped", "try again")))
}

/// Runs blocking work on its own thread: the caller may be a task of an async runtime, where blocking on another
/// runtime is an error.
pub(crate) fn outside_runtime<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    let done =
        thread::scope(|scope| thread::Builder::new().spawn_scoped(scope, work).map(thread::ScopedJoinHandle::join));
    done.ok().and_then(Result::ok)
}

fn read(
    database: &AccessibleDatabase<'_>,
    server: &ServerConnection,
    waits: &[Duration],
) -> Result<SchemaReading, Error> {
    let (config, around) = (database.config, &database.around);
    let address = database.address.of(server, around)?;
    let (mut reading, rights) =
        with_retries(around, waits, || attempt(config, address, around)).map_err(|refusal| explained(&refusal))?;
    reading.problems.extend(weak_tls(config, address));
    reading.about_connection.extend(unneeded_rights(config, &rights, &reading));
    Ok(reading)
}

impl ServerAddress {
    /// The address, including its password, which is determined only the first time.
    pub(crate) fn of(&self, server: &ServerConnection, around: &ConnectionEnvironment) -> Result<&Address, Error> {
        if let Some(found) = self.found.get() {
            return Ok(found);
        }
        let found = place::address(server, around, &self.files)?;
        Ok(self.found.get_or_init(|| found))
    }
}

/// Retries after each of these waits, as long as the error may be temporary.
pub(crate) fn with_retries<T>(
    around: &ConnectionEnvironment,
    waits: &[Duration],
    mut attempt: impl FnMut() -> Result<T, Refusal>,
) -> Result<T, Refusal> {
    let mut waits = waits.iter();
    loop {
        let refusal = match attempt() {
            Err(refusal) if refusal.is_transient() => refusal,
            ended => return ended,
        };
        match waits.next() {
            Some(wait) if around.wait(*wait) => {}
            Some(_) => return Err(Refusal::new(RefusalKind::Stopped, stopped().message)),
            None => return Err(refusal),
        }
    }
}

fn attempt(
    config: &DatabaseConfig,
    address: &Address,
    around: &ConnectionEnvironment,
) -> Result<(SchemaReading, RoleRights), Refusal> {
    let session = ReadingSession::open(address, &around.is_stopped)?;
    let read = catalog::read(&session, config);
    session.end();
    read
}

fn unreachable(why: &str, fix: &str) -> Error {
    Error::new(Code::DatabaseUnreachable, format!("the database cannot be reached: {why}"), fix.to_owned())
}

pub(crate) fn explained(refusal: &Refusal) -> Error {
    let fix = match refusal.kind {
        RefusalKind::Unreachable | RefusalKind::Busy => "check its host and port, and that the server is running",
        RefusalKind::Foreign => "check its host and port",
        RefusalKind::Password => "check its user, and password_env, password_command or ~/.pgpass",
        RefusalKind::UnknownDatabase => "check 'database' in its connection",
        RefusalKind::Tls => {
            "enable TLS on the server, or set 'sslmode: disable', with which others on the network can read everything"
        }
        RefusalKind::Certificate => "name the file of its authority in 'sslrootcert'",
        RefusalKind::Denied => "let the role connect to the database",
        RefusalKind::Stopped => return stopped(),
        RefusalKind::Locked => "run it again when that transaction has ended",
        RefusalKind::TooLarge => "read fewer schemas: name them in 'schemas'",
        RefusalKind::TooSlow | RefusalKind::Other => "try again when the server is less busy",
    };
    match refusal.kind {
        RefusalKind::TooLarge
        | RefusalKind::TooSlow
        | RefusalKind::Locked
        | RefusalKind::Other
        | RefusalKind::Denied => {
            Error::new(Code::DatabaseUnreadable, format!("the database cannot be read: {refusal}"), fix)
        }
        _ => unreachable(&refusal.words, fix),
    }
}

/// A warning about what an attacker could read or forge on the way to a server on another machine.
fn weak_tls(config: &DatabaseConfig, address: &Address) -> Option<Diagnostic> {
    let mode = address.tls();
    if address.is_local() || mode == TlsMode::VerifyFull {
        return None;
    }
    let what = match mode {
        TlsMode::Disable | TlsMode::Allow | TlsMode::Prefer => {
            "others on the network can read the password, the schema and sampled values"
        }
        _ => "another server can impersonate it and receive the password",
    };
    let message = format!("'{}' is reached with sslmode {}: {what}", config.name, mode.word());
    Some(Diagnostic::warning(Code::WeakTls, message).fix("use 'sslmode: verify-full'"))
}

/// What others on the network could do, as far as the configuration says without the environment.
pub(crate) fn network_risk(server: &ServerConnection) -> &'static str {
    match written_address(server) {
        Some(address) if is_elsewhere(server) => address.risk_on_network(),
        Some(address) => address.risk(),
        None => "",
    }
}

/// Whether the configuration names only servers on this machine.
pub(crate) fn is_local(server: &ServerConnection) -> bool {
    !is_elsewhere(server)
        && written_address(server).is_some_and(|address| !address.hosts().is_empty() && address.is_local())
}

/// Whether something outside the configuration names the server.
fn is_elsewhere(server: &ServerConnection) -> bool {
    server.url_env.is_some() || server.service.is_some()
}

/// The address in the configuration.
fn written_address(server: &ServerConnection) -> Option<Address> {
    let mut address = server.url.as_deref().map_or_else(|| Some(Address::default()), Address::parse)?;
    if let Some(host) = &server.host {
        address.set_host(host);
    }
    if let Some(mode) = server.sslmode.as_deref().and_then(TlsMode::from_word) {
        address.set_tls(mode);
    }
    Some(address)
}

fn unneeded_rights(config: &DatabaseConfig, rights: &RoleRights, reading: &SchemaReading) -> Option<Diagnostic> {
    let may = if rights.is_superuser {
        "is a superuser".to_owned()
    } else if rights.writable_tables > 0 {
        let tables = if rights.writable_tables == 1 { "table" } else { "tables" };
        format!("may write {} {tables}", rights.writable_tables)
    } else if rights.may_create {
        "may create tables".to_owned()
    } else {
        return None;
    };
    let message = format!("the role '{}' of '{}' {may}; a read-only role is enough", rights.role, config.name);
    let mut grants = vec!["CREATE ROLE refdesk_reader LOGIN PASSWORD '…'".to_owned()];
    grants.extend(quoted(&rights.database).map(|name| format!("GRANT CONNECT ON DATABASE {name} TO refdesk_reader")));
    for schema in reading.schemas_with_tables() {
        grants.push(format!("GRANT USAGE ON SCHEMA {schema} TO refdesk_reader"));
        grants.push(format!("GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO refdesk_reader"));
    }
    Some(too_many_rights(message, &grants))
}
