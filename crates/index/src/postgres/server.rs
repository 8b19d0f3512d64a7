//! The address of a PostgreSQL server as a URL, and errors about it. Neither shows the password.

use std::fmt;
use std::time::Duration;

use std::path::{Path, PathBuf};

use refdesk_files::is_of_process;
use refdesk_files::output::resolve;
use refdesk_files::path::{clean, is_within};
use refdesk_postgres::{Address, Refusal, RefusalKind};
use tokio_postgres::error::SqlState;

use super::session::PostgresError;
use refdesk_text::escape::code_span;
use refdesk_text::{Code, Error, Fix};

/// What to do about a server that cannot be reached.
const REACH: &str = "check index_url, and that the server runs";

/// A server and a database.
#[derive(Clone)]
pub(crate) struct Server {
    pub(super) address: Address,
    /// Whether it is used to update the index.
    is_for_writing: bool,
}

impl fmt::Debug for Server {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.shown())
    }
}

impl Server {
    /// Parses a URL for the index of this workspace.
    ///
    /// # Errors
    /// It is not the URL of a PostgreSQL database, or the proof of the server's identity could have come with the
    /// workspace.
    pub(crate) fn parse(url: &str, workspace: &Path) -> Result<Self, Error> {
        let is_url = ["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme));
        // Do not say what is wrong with it: the password may be part of that.
        let Some(mut address) = Address::parse(url).filter(|_| is_url) else {
            return Err(Error::new(
                Code::IndexUnreachable,
                "index_url is not the URL of a PostgreSQL database",
                "write it as postgres://user@host/database",
            ));
        };
        if let Some(file) = &address.authorities {
            let message = "sslrootcert in index_url is not an absolute path outside the workspace";
            let fix =
                "move the file of the certificate authority, for example to ~/.postgresql, and write its whole path";
            let refused = || Error::new(Code::IndexUnreachable, message, fix);
            address.authorities = Some(file_outside(workspace, file).ok_or_else(refused)?);
        }
        Ok(Self { address, is_for_writing: false })
    }

    /// The same server, used to update the index.
    pub(super) fn for_writing(&self) -> Self {
        Self { is_for_writing: true, ..self.clone() }
    }

    /// The database for people who are asked to trust it: everywhere the texts may go, as which user, and the risk from others
    /// on the network. The name, the hosts, the user and the file come from the URL, so they are quoted.
    pub(crate) fn shown_for_trust(&self) -> String {
        let mut shown = format!("the database {}", code_span(self.name()));
        let hosts: Vec<String> = self.address.hosts().iter().map(|host| code_span(host)).collect();
        if !hosts.is_empty() {
            shown.push_str(&format!(" at {}", hosts.join(", ")));
        }
        let ports: Vec<String> = self.address.ports().iter().map(u16::to_string).collect();
        shown.push_str(&format!(", port {}", ports.join(", ")));
        if let Some(user) = self.address.user() {
            shown.push_str(&format!(", user {}", code_span(user)));
        }
        if let Some(file) = &self.address.authorities {
            shown.push_str(&format!(", certificates in {}", code_span(&file.to_string_lossy())));
        }
        format!("{shown}{}", self.address.risk())
    }

    fn name(&self) -> &str {
        self.address.database().unwrap_or("postgres")
    }

    /// The database for people.
    pub(crate) fn shown(&self) -> String {
        let name = self.name();
        // List all hosts: the first one that answers gets the texts.
        match self.address.hosts().as_slice() {
            [] => format!("the database '{name}'"),
            hosts => format!("the database '{name}' at {}", hosts.join(", ")),
        }
    }

    /// The error for an answer that could not be used.
    pub(crate) fn failed(&self, error: PostgresError) -> Error {
        let state = error.code().cloned();
        let refused = self.refused(&Refusal::from(error));
        let Some(state) = state else { return refused };
        match state.code().get(..2) {
            _ if state == SqlState::INSUFFICIENT_PRIVILEGE => refused,
            _ if state == SqlState::READ_ONLY_SQL_TRANSACTION => {
                let message =
                    format!("the search index in {} cannot be written: the database is read-only", self.shown());
                Error::new(Code::IndexUnwritable, message, "set index_url to a server that is not read-only")
            }
            // The server is starting, shutting down or out of resources.
            Some("53" | "55" | "57" | "08") => Error { code: Code::IndexUnreachable, fix: REACH.into(), ..refused },
            // A table is missing or has other columns.
            Some("42") => Error { fix: Fix::BuildIndex, ..refused },
            _ => refused,
        }
    }

    /// The error for a database that could not be used.
    pub(super) fn refused(&self, refusal: &Refusal) -> Error {
        let shown = self.shown();
        let unreachable = |fix: &str| {
            let message = format!("the search index in {shown} cannot be reached: {refusal}");
            Error::new(Code::IndexUnreachable, message, fix)
        };
        match refusal.kind {
            RefusalKind::Password => unreachable("check the user and the password in index_url"),
            RefusalKind::Tls => unreachable(
                "enable TLS on the server, or add ?sslmode=disable to index_url, with which others on the network can read \
                 everything",
            ),
            RefusalKind::Certificate => {
                unreachable("add ?sslrootcert= to index_url, with the path of the file of its certificate authority")
            }
            RefusalKind::Denied => {
                // The server does not say which right is missing.
                let message = match self.is_for_writing {
                    true => format!("the search index in {shown} cannot be updated: the role may not write it"),
                    false => format!("the search index in {shown} cannot be used: {refusal}"),
                };
                let fix = format!("ask for the right to create and write the schema 'refdesk' in {shown}");
                Error::new(Code::IndexUnwritable, message, fix)
            }
            RefusalKind::Foreign => unreachable("check the host and the port in index_url"),
            RefusalKind::Unreachable | RefusalKind::Busy | RefusalKind::UnknownDatabase | RefusalKind::Stopped => {
                unreachable(REACH)
            }
            RefusalKind::TooLarge | RefusalKind::TooSlow | RefusalKind::Locked | RefusalKind::Other => {
                let message = format!("the search index in {shown} cannot be used: {refusal}");
                Error::new(Code::IndexUnreadable, message, "see the server's log, and try again")
            }
        }
    }

    /// The error for a server that did not answer in time.
    pub(crate) fn timed_out(&self, limit: Duration) -> Error {
        let message = format!("{} did not answer within {} s", self.shown(), limit.as_secs());
        Error::new(Code::IndexUnreachable, message, "try again when the server is less busy")
    }

    /// The error for a failure on this machine.
    pub(super) fn unusable(&self, why: &dyn fmt::Display) -> Error {
        let message = format!("the search index in {} cannot be reached: {why}", self.shown());
        Error::new(Code::IndexUnreachable, message, "try again")
    }

    /// The error for tables with an older version that must not be replaced.
    pub(crate) fn older(&self) -> Error {
        let shown = self.shown();
        let message = format!(
            "the search index in {shown} was built by an older refdesk; a new one replaces those of all repositories there"
        );
        Error::new(Code::NoIndex, message, Fix::BuildIndex)
    }

    /// The error for tables with a newer version.
    pub(crate) fn newer(&self) -> Error {
        let message = format!("the search index in {} was made by a newer refdesk", self.shown());
        Error::new(Code::IndexNewer, message, "use that version, or remove the schema 'refdesk'")
    }
}

/// The file without links, if it is outside the workspace and the same for each process. That path is opened, so that no
/// link on the way can lead elsewhere later.
fn file_outside(workspace: &Path, file: &Path) -> Option<PathBuf> {
    let (whole, real) = (resolve(workspace).unwrap_or_else(|_| workspace.to_owned()), resolve(file).ok()?);
    let written = clean(file);
    let is_inside = |path: &Path| is_of_process(path) || is_within(path, workspace) || is_within(path, &whole);
    (file.is_absolute() && !is_inside(&written) && !is_inside(&real)).then_some(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_right_to_write_is_named() {
        let server = Server::parse("postgres://ann@db.example/team", Path::new("/w")).unwrap();
        let denied = Refusal { kind: RefusalKind::Denied, words: "the role may not read it".to_owned() };
        let (read, written) = (server.refused(&denied), server.for_writing().refused(&denied));
        assert!(read.message.ends_with("cannot be used: the role may not read it"), "{read}");
        assert!(written.message.ends_with("cannot be updated: the role may not write it"), "{written}");
    }

    #[test]
    fn the_proof_of_identity_does_not_come_with_the_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        for below in ["w", "out", "w/sub"] {
            std::fs::create_dir_all(root.join(below)).unwrap();
        }
        for (target, link) in [("w", "link"), ("w/ca.pem", "file.pem"), ("w/sub", "out/deep"), ("out", "w/away")] {
            std::os::unix::fs::symlink(root.join(target), root.join(link)).unwrap();
        }
        let parse = |workspace: &str, file: &str| {
            let url = format!("postgres://db/x?sslrootcert={}", root.join(file).display());
            Server::parse(&url, &root.join(workspace))
        };
        for file in ["w/ca.pem", "x/../w/ca.pem", "link/ca.pem", "file.pem", "out/deep/../ca.pem", "w/away/ca.pem"] {
            assert_eq!(parse("w", file).unwrap_err().code, Code::IndexUnreachable, "{file}");
            assert_eq!(parse("link", file).unwrap_err().code, Code::IndexUnreachable, "{file}");
        }
        assert!(parse("w", "out/ca.pem").unwrap().shown_for_trust().ends_with("/out/ca.pem`"));
    }

    #[test]
    fn no_password_is_shown() {
        let url = "postgres://ann:s3cret@db.example:5433/team";
        let parse = |url: &str| Server::parse(url, Path::new("/w"));
        let server = parse(url).unwrap();
        assert_eq!(server.shown(), "the database 'team' at db.example");
        let several = parse("postgres://ann@localhost,db.example/team?hostaddr=127.0.0.1,192.0.2.1").unwrap();
        assert_eq!(several.shown(), "the database 'team' at localhost, db.example, 127.0.0.1, 192.0.2.1");
        assert!(!format!("{server:?}").contains("s3cret"));
        for wrong in [
            "",
            "mysql://ann:s3cret@db/x",
            "host=db password=s3cret",
            "postgres://ann:s3cret@db:port/x",
            "postgres://ann:s3cret@db/x?s3cret=1",
            "postgres://ann:s3cret@db/x?sslmode=maybe",
            "postgres://ann:s3cret@db/x?sslrootcert=ca.pem",
            "postgres://ann:s3cret@db/x?sslrootcert=/w/ca.pem",
            "postgres://ann:s3cret@db/x?sslrootcert=/x/../w/ca.pem",
            "postgres://ann:s3cret@db/x?sslrootcert=/proc/self/cwd/ca.pem",
            "postgres://ann:s3cret@db/x?sslrootcert=/dev/../proc/self/cwd/ca.pem",
            "postgres://ann:s3cret%zz@[db/x",
        ] {
            let error = parse(wrong).unwrap_err();
            assert_eq!(error.code, Code::IndexUnreachable, "{wrong}");
            assert!(!error.to_string().contains("s3cret"), "{error}");
        }
        for (url, risk) in [
            ("postgres://db/x", ""),
            (
                "postgres://db/x?sslmode=require",
                "; the connection is encrypted, but without proof of whose server it is",
            ),
            ("postgres://db/x?sslmode=disable", "; there is no proof that the connection is encrypted"),
            ("postgres://localhost/x?sslmode=disable", ""),
            ("postgres://db/x?sslrootcert=/nonexistent/ca.pem", ", certificates in `/nonexistent/ca.pem`"),
        ] {
            let shown = parse(url).unwrap().shown_for_trust();
            let host = if url.contains("localhost") { "localhost" } else { "db" };
            assert_eq!(shown, format!("the database `x` at `{host}`, port 5432{risk}"), "{url}");
        }
        for (url, expected) in [
            ("postgres://ann:s3cret@h:5433/x", "the database `x` at `h`, port 5433, user `ann`"),
            ("postgres://bob:s3cret@h/x", "the database `x` at `h`, port 5432, user `bob`"),
            ("postgres://bob@h:1,i:2/x", "the database `x` at `h`, `i`, port 1, 2, user `bob`"),
            ("postgres://h/x'%20at%20safe%60", "the database `` x' at safe` `` at `h`, port 5432"),
        ] {
            assert_eq!(parse(url).unwrap().shown_for_trust(), expected, "{url}");
        }
    }
}
