//! Why a server could not be read, without quoting the driver or the server.

use std::error::Error as StdError;
use std::fmt;
use std::io;

use tokio_postgres::error::SqlState;

use crate::bounded::ANSWER;

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusalKind {
    /// Nothing answers, or not in time.
    Unreachable,
    /// The server cannot answer at the moment: it refused or reset the connection, is starting, or is full.
    Busy,
    /// The program that answers is not a PostgreSQL server.
    Foreign,
    /// The user or the password is wrong, or the password is missing.
    Password,
    /// The database does not exist.
    UnknownDatabase,
    /// TLS could not be established.
    Tls,
    /// The server's certificate was not accepted.
    Certificate,
    /// The role lacks a privilege.
    Denied,
    /// The server answers with more than is kept in memory.
    TooLarge,
    /// A statement took longer than its limit.
    TooSlow,
    /// Another transaction holds a lock on a table.
    Locked,
    /// The caller stopped the session.
    Stopped,
    /// Anything else.
    Other,
}

/// Why a server could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of failure.
    pub kind: RefusalKind,
    /// A sentence without secrets.
    pub words: String,
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.words)
    }
}

impl StdError for Refusal {}

impl Refusal {
    /// A refusal of this kind, with a sentence without secrets.
    pub fn new(kind: RefusalKind, words: impl Into<String>) -> Self {
        Self { kind, words: words.into() }
    }

    /// Whether a retry may succeed.
    pub fn is_transient(&self) -> bool {
        matches!(self.kind, RefusalKind::Busy | RefusalKind::Locked)
    }
}

const FOREIGN: &str = "the program that answers is not a PostgreSQL server";

impl From<tokio_postgres::Error> for Refusal {
    fn from(error: tokio_postgres::Error) -> Self {
        if let Some(code) = error.code() {
            return of_server(code);
        }
        if let Some(found) = cause::<rustls::Error>(&error) {
            return of_tls(found);
        }
        if let Some(found) = cause::<io::Error>(&error) {
            return of_system(found.kind());
        }
        // The driver classifies its errors, but exposes the class only in the message.
        let words = format!("{error}: {}", error.source().map(ToString::to_string).unwrap_or_default());
        if words.contains("password missing") {
            Self::new(RefusalKind::Password, "the server asks for a password, but none is set")
        } else if words.contains("TLS") {
            Self::new(RefusalKind::Tls, "the server has no TLS")
        } else if error.is_closed() || words.contains("timed out") {
            Self::new(RefusalKind::Busy, "the server closed the connection")
        } else {
            Self::new(RefusalKind::Foreign, FOREIGN)
        }
    }
}

fn of_server(code: &SqlState) -> Refusal {
    let (kind, words) = match code.code() {
        "3D000" => (RefusalKind::UnknownDatabase, "the database does not exist"),
        "28P01" => (RefusalKind::Password, "the user or the password is wrong"),
        "28000" => (RefusalKind::Password, "the server does not let this user in from here, or not without TLS"),
        "53300" => (RefusalKind::Busy, "the server has too many connections"),
        "57P03" => (RefusalKind::Busy, "the server is starting or stopping"),
        "57P01" | "57P02" => (RefusalKind::Busy, "the server was shut down"),
        "42501" => (RefusalKind::Denied, "the role may not read it"),
        "57014" => (RefusalKind::TooSlow, "a statement timed out"),
        "42P01" => (RefusalKind::Other, "the table no longer exists"),
        "42703" => (RefusalKind::Other, "one of its columns no longer exists"),
        "55P03" => (RefusalKind::Locked, "another transaction has locked a table"),
        other => return Refusal::new(RefusalKind::Other, format!("the server refused it (SQLSTATE {other})")),
    };
    Refusal::new(kind, words)
}

fn of_tls(error: &rustls::Error) -> Refusal {
    use rustls::CertificateError as Wrong;
    let rustls::Error::InvalidCertificate(wrong) = error else {
        return Refusal::new(RefusalKind::Tls, "TLS with the server failed");
    };
    let why = match wrong {
        Wrong::UnknownIssuer => "no known authority signed it",
        Wrong::Expired | Wrong::ExpiredContext { .. } => "it has expired",
        Wrong::NotValidForName | Wrong::NotValidForNameContext { .. } => "it was issued for another host",
        Wrong::Revoked => "it was revoked",
        _ => "it is not valid",
    };
    Refusal::new(RefusalKind::Certificate, format!("the server's certificate is not accepted: {why}"))
}

fn of_system(kind: io::ErrorKind) -> Refusal {
    if kind == io::ErrorKind::FileTooLarge {
        return Refusal::new(RefusalKind::TooLarge, format!("an answer has more than {} MiB", ANSWER / 1024 / 1024));
    }
    use io::ErrorKind::{
        AddrNotAvailable, BrokenPipe, ConnectionAborted, ConnectionRefused, ConnectionReset, HostUnreachable,
        InvalidData, InvalidInput, NetworkDown, NetworkUnreachable, NotFound, PermissionDenied, TimedOut,
        UnexpectedEof,
    };
    let (kind, words) = match kind {
        ConnectionRefused => (RefusalKind::Busy, "the connection was refused"),
        ConnectionReset | ConnectionAborted | BrokenPipe | UnexpectedEof => {
            (RefusalKind::Busy, "the connection was reset")
        }
        NotFound => (RefusalKind::Unreachable, "there is no server socket"),
        HostUnreachable | NetworkUnreachable | NetworkDown | AddrNotAvailable => {
            (RefusalKind::Unreachable, "there is no route to the server")
        }
        TimedOut => (RefusalKind::Unreachable, "the server does not answer"),
        PermissionDenied => (RefusalKind::Unreachable, "the system does not allow the connection"),
        // A message that the driver or the size limit rejects.
        InvalidData | InvalidInput => (RefusalKind::Foreign, FOREIGN),
        // A failed name lookup has no specific error kind.
        _ => (RefusalKind::Unreachable, "the name or address of the server cannot be resolved"),
    };
    Refusal::new(kind, words)
}

/// The first error of this type in the chain of causes.
pub(crate) fn cause<'e, T: StdError + 'static>(error: &'e (dyn StdError + 'static)) -> Option<&'e T> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<T>() {
            return Some(found);
        }
        // `source` of an I/O error skips the error inside it.
        let inside = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if let Some(found) = inside.and_then(|inside| inside.downcast_ref::<T>()) {
            return Some(found);
        }
        next = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn objects_dropped_meanwhile_are_explained() {
        for (code, words) in [
            (SqlState::UNDEFINED_TABLE, "the table no longer exists"),
            (SqlState::UNDEFINED_COLUMN, "one of its columns no longer exists"),
        ] {
            assert_eq!(of_server(&code).words, words);
        }
    }

    #[test]
    fn an_answer_that_is_too_large_is_not_asked_for_again() {
        let refusal = of_system(io::ErrorKind::FileTooLarge);
        assert_eq!((refusal.words.as_str(), refusal.is_transient()), ("an answer has more than 512 MiB", false));
    }
}
