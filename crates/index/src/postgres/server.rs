//! The address of a PostgreSQL server as a URL, and errors about it. Neither shows the password.

use std::fmt;
use std::time::Duration;

use tokio_postgres::Config;
use tokio_postgres::config::{Host, SslMode};
use tokio_postgres::error::SqlState;

use super::session::PostgresError;
use refdesk_text::{Code, Error, Fix};

/// What to do about a server that wants TLS.
const WITHOUT_TLS: &str = "let the server accept a connection without TLS, through a Unix socket, on the same machine or \
                           through an SSH tunnel";

/// A server and a database.
#[derive(Clone)]
pub(crate) struct Server {
    config: Config,
}

impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.shown())
    }
}

impl Server {
    /// Reads a URL.
    ///
    /// # Errors
    /// It is not the URL of a PostgreSQL database, or asks for TLS.
    pub(crate) fn parse(url: &str) -> Result<Self, Error> {
        let is_url = ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme));
        // What is wrong with it is not said, because the password may be part of that.
        let Some(config) = url.parse::<Config>().ok().filter(|_| is_url) else {
            return Err(Error::new(
                Code::IndexUnreachable,
                "index_url is not the URL of a PostgreSQL database",
                "write it as postgres://user@host/database",
            ));
        };
        let server = Self { config };
        match server.config.get_ssl_mode() {
            SslMode::Disable | SslMode::Prefer => Ok(server),
            _ => {
                let message = format!("{} asks for TLS, which refdesk does not speak to a database", server.shown());
                Err(Error::new(Code::IndexUnreachable, message, WITHOUT_TLS))
            }
        }
    }

    /// The database, for people.
    pub(crate) fn shown(&self) -> String {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        });
        let hosts: Vec<String> = hosts.collect();
        let name = self.config.get_dbname().or(self.config.get_user()).unwrap_or("postgres");
        match hosts.as_slice() {
            [] => format!("the database '{name}'"),
            hosts => format!("the database '{name}' at {}", hosts.join(", ")),
        }
    }

    pub(crate) fn config(&self, connect: Duration, limit: Duration) -> Config {
        let mut config = self.config.clone();
        config.application_name("refdesk").connect_timeout(connect).tcp_user_timeout(limit);
        config
    }

    /// Why a database could not be used.
    pub(crate) fn failed(&self, error: &PostgresError) -> Error {
        let shown = self.shown();
        let Some(refused) = error.as_db_error() else {
            let message = format!("the search index in {shown} cannot be reached: {}", chain(error));
            return Error::new(Code::IndexUnreachable, message, "check index_url, and that the server runs");
        };
        let message = format!("the search index in {shown} cannot be used: {}", refused.message());
        let code = refused.code();
        // The name of the file is in every translation of the message. The same code says that a role does not exist.
        if *code == SqlState::INVALID_AUTHORIZATION_SPECIFICATION && refused.message().contains("pg_hba.conf") {
            let message = format!("{message}; refdesk does not speak TLS to a database");
            return Error::new(Code::IndexUnreachable, message, WITHOUT_TLS);
        }
        if code.code().starts_with("28") {
            return Error::new(Code::IndexUnreachable, message, "check the user and the password in index_url");
        }
        if *code == SqlState::INSUFFICIENT_PRIVILEGE {
            let fix = format!("ask for the right to create and write the schema 'refdesk' in {shown}");
            return Error::new(Code::IndexUnwritable, message, fix);
        }
        if *code == SqlState::READ_ONLY_SQL_TRANSACTION {
            return Error::new(Code::IndexUnwritable, message, "name a server in index_url that can be written");
        }
        match code.code().get(..2) {
            // The database does not exist or takes no connections, the server is starting, ending or full.
            Some("3D" | "53" | "55" | "57" | "08") => {
                Error::new(Code::IndexUnreachable, message, "check index_url, and that the server runs")
            }
            // A table is missing or has other columns.
            Some("42") => Error::new(Code::IndexUnreadable, message, Fix::BuildIndex),
            _ => Error::new(Code::IndexUnreadable, message, "see the server's log, and try again"),
        }
    }

    /// The server did not answer in time.
    pub(crate) fn silent(&self, limit: Duration) -> Error {
        let message = format!("{} did not answer within {} s", self.shown(), limit.as_secs());
        Error::new(Code::IndexUnreachable, message, "try again when the server is less busy")
    }

    /// Something on this machine failed.
    pub(super) fn unusable(&self, why: &dyn fmt::Display) -> Error {
        let message = format!("the search index in {} cannot be reached: {why}", self.shown());
        Error::new(Code::IndexUnreachable, message, "try again")
    }

    /// The tables are of a newer version.
    pub(crate) fn newer(&self) -> Error {
        let message = format!("the search index in {} was made by a newer refdesk", self.shown());
        Error::new(Code::IndexNewer, message, "use that version, or remove the schema 'refdesk'")
    }
}

/// The error and what caused it.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.ends_with(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown() {
        let url = "postgres://ann:s3cret@db.example:5433/team";
        let server = Server::parse(url).unwrap();
        assert_eq!(server.shown(), "the database 'team' at db.example");
        assert!(!format!("{server:?}").contains("s3cret"));
        for wrong in [
            "",
            "mysql://ann:s3cret@db/x",
            "host=db password=s3cret",
            "postgres://ann:s3cret@db:port/x",
            "postgres://ann:s3cret@db/x?s3cret=1",
            "postgres://ann:s3cret@db/x?sslmode=require",
            "postgres://ann:s3cret%zz@[db/x",
        ] {
            let error = Server::parse(wrong).unwrap_err();
            assert_eq!(error.code, Code::IndexUnreachable, "{wrong}");
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
    }
}
