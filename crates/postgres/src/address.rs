//! The address of a database: server, database, user and password.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;

use tokio_postgres::Config;
use tokio_postgres::config::Host;

use crate::refusal::Refusal;
use crate::tls;

/// How much TLS verifies, as PostgreSQL's `sslmode`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TlsMode {
    /// No TLS.
    Disable,
    /// TLS if the server requires it.
    Allow,
    /// TLS if the server supports it.
    Prefer,
    /// TLS with any certificate.
    Require,
    /// TLS with a certificate from a known authority.
    VerifyCa,
    /// TLS with a certificate from a known authority, issued for this host.
    VerifyFull,
}

impl TlsMode {
    const WORDS: [(&str, Self); 6] = [
        ("disable", Self::Disable),
        ("allow", Self::Allow),
        ("prefer", Self::Prefer),
        ("require", Self::Require),
        ("verify-ca", Self::VerifyCa),
        ("verify-full", Self::VerifyFull),
    ];

    /// The mode with this name.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::WORDS.iter().find(|(name, _)| *name == word).map(|(_, mode)| *mode)
    }

    /// The name of the mode.
    pub fn word(self) -> &'static str {
        Self::WORDS.iter().find(|(_, mode)| *mode == self).map_or("disable", |(name, _)| name)
    }
}

/// A server, a database and a user, with the password if there is one.
#[derive(Clone, Default)]
pub struct Address {
    pub(crate) config: Config,
    tls: Option<TlsMode>,
    /// The file with certificates of authorities, as PEM.
    pub authorities: Option<PathBuf>,
    /// The content of that file, if it was read before connecting.
    pub(crate) certificates: Option<Result<Vec<u8>, Refusal>>,
}

impl fmt::Debug for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a server")
    }
}

impl Address {
    /// Parses a URL or a list of keys and values; `None` if it is neither. There is no error message, because the text
    /// may contain a password.
    pub fn parse(text: &str) -> Option<Self> {
        let mut address = Self::default();
        let is_url = is_url(text);
        let mut take = |key: &str, value: &str| match key {
            "sslmode" => {
                address.tls = Some(TlsMode::from_word(value)?);
                Some(true)
            }
            "sslrootcert" => {
                address.authorities = Some(PathBuf::from(value));
                Some(true)
            }
            _ => Some(false),
        };
        let mut kept = Vec::new();
        for part in parts(text) {
            let (key, value) = pair(is_url, part)?;
            if !take(key, &value)? {
                kept.push(part);
            }
        }
        let rest = if is_url {
            let place = text.split_once('?').map_or(text, |(place, _)| place);
            format!("{place}{}{}", if kept.is_empty() { "" } else { "?" }, kept.join("&"))
        } else if kept.len() == parts(text).count() {
            // Return the text unchanged if possible, to preserve spaces in quotes.
            text.to_owned()
        } else {
            kept.join(" ")
        };
        address.config = rest.parse().ok()?;
        Some(address)
    }

    /// The file with certificates of authorities that a URL or a list of keys and values names, even if the rest of it
    /// cannot be parsed yet.
    pub fn authorities_in(text: &str) -> Option<String> {
        let is_url = is_url(text);
        let named = parts(text).filter_map(|part| pair(is_url, part)).filter(|(key, _)| *key == "sslrootcert");
        named.last().map(|(_, value)| value)
    }

    /// Sets the host, or the folder of a socket, replacing all others.
    pub fn set_host(&mut self, host: &str) {
        let ports = self.config.get_ports().to_vec();
        self.config = self.without_place();
        self.config.host(host);
        // If there are several ports, each belongs to one of the old hosts.
        if let [port] = ports.as_slice() {
            self.config.port(*port);
        }
    }

    /// Sets the port, replacing all others.
    pub fn set_port(&mut self, port: u16) {
        let hosts = self.config.get_hosts().to_vec();
        let addresses = self.config.get_hostaddrs().to_vec();
        self.config = self.without_place();
        self.config.port(port);
        for host in hosts {
            match host {
                Host::Tcp(name) => self.config.host(name),
                Host::Unix(folder) => self.config.host_path(folder),
            };
        }
        addresses.into_iter().for_each(|address| {
            self.config.hostaddr(address);
        });
    }

    /// The user, the password and the database.
    fn without_place(&self) -> Config {
        let mut config = Config::new();
        self.config.get_user().map(|user| config.user(user));
        self.config.get_password().map(|password| config.password(password));
        self.config.get_dbname().map(|name| config.dbname(name));
        config
    }

    /// Sets the database.
    pub fn set_database(&mut self, name: &str) {
        self.config.dbname(name);
    }

    /// Sets the user.
    pub fn set_user(&mut self, user: &str) {
        self.config.user(user);
    }

    /// Sets the password.
    pub fn set_password(&mut self, password: &str) {
        self.config.password(password);
    }

    /// Sets how much TLS has to verify.
    pub fn set_tls(&mut self, mode: TlsMode) {
        self.tls = Some(mode);
    }

    /// Reads the file with certificates of authorities now, for all connections: it could be replaced before a later one.
    pub fn read_authorities(&mut self) {
        self.certificates = tls::file_of_authorities(self).map(tls::content);
    }

    /// Sets the content of that file, which was read before; `None` if it could not be read.
    pub fn set_certificates(&mut self, content: Option<Vec<u8>>) {
        self.certificates = Some(content.ok_or_else(|| tls::unusable("cannot be read")));
    }

    /// Whether there is a password.
    pub fn has_password(&self) -> bool {
        self.config.get_password().is_some()
    }

    /// The user, if given.
    pub fn user(&self) -> Option<&str> {
        self.config.get_user()
    }

    /// The name of the database, which defaults to that of the user.
    pub fn database(&self) -> Option<&str> {
        self.config.get_dbname().or(self.config.get_user())
    }

    /// The first host, or the folder of its socket, if one was given.
    pub fn host(&self) -> Option<String> {
        self.hosts().into_iter().take(self.config.get_hosts().len()).next()
    }

    /// Every host, socket folder and address to which a connection may be made.
    pub fn hosts(&self) -> Vec<String> {
        let hosts = self.config.get_hosts().iter().map(|host| match host {
            Host::Tcp(name) => name.clone(),
            Host::Unix(folder) => folder.display().to_string(),
        });
        hosts.chain(self.config.get_hostaddrs().iter().map(ToString::to_string)).collect()
    }

    /// The first port; 5432 if none was given.
    pub fn port(&self) -> u16 {
        self.config.get_ports().first().copied().unwrap_or(5432)
    }

    /// Every port to which a connection may be made: one for all hosts, or one for each.
    pub fn ports(&self) -> Vec<u16> {
        let ports = self.config.get_ports();
        if ports.is_empty() { vec![self.port()] } else { ports.to_vec() }
    }

    /// Whether all hosts are on this machine.
    pub fn is_local(&self) -> bool {
        let names = self.config.get_hosts().iter().all(|host| match host {
            Host::Tcp(name) => name == "localhost" || name.parse::<IpAddr>().is_ok_and(|address| address.is_loopback()),
            Host::Unix(_) => true,
        });
        names && self.config.get_hostaddrs().iter().all(IpAddr::is_loopback)
    }

    /// What others on the network could do, as a part of a sentence; empty if the server is on this machine.
    pub fn risk(&self) -> &'static str {
        if self.is_local() { "" } else { self.risk_on_network() }
    }

    /// The same for a server on another machine.
    pub fn risk_on_network(&self) -> &'static str {
        match self.tls.unwrap_or(TlsMode::VerifyFull) {
            TlsMode::Disable | TlsMode::Allow | TlsMode::Prefer => {
                "; there is no proof that the connection is encrypted"
            }
            TlsMode::Require | TlsMode::VerifyCa => {
                "; the connection is encrypted, but without proof of whose server it is"
            }
            TlsMode::VerifyFull => "",
        }
    }

    /// Whether the server is reached only through sockets of this machine, which do not use TLS.
    pub(crate) fn is_socket(&self) -> bool {
        let hosts = self.config.get_hosts();
        !hosts.is_empty() && hosts.iter().all(|host| matches!(host, Host::Unix(_)))
    }

    /// How much TLS has to verify. The default is everything, unless the server is on this machine.
    pub fn tls(&self) -> TlsMode {
        self.tls.unwrap_or(if self.is_local() { TlsMode::Prefer } else { TlsMode::VerifyFull })
    }
}

fn is_url(text: &str) -> bool {
    ["postgres://", "postgresql://"].iter().any(|scheme| text.starts_with(scheme))
}

/// The pairs of a URL's query, or those of a list.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let is_url = is_url(text);
    let all = if is_url { text.split_once('?').map_or("", |(_, query)| query) } else { text };
    let ends = move |c: char| if is_url { c == '&' } else { c.is_whitespace() };
    all.split(ends).filter(|part| !part.is_empty())
}

/// The key and the value in one of them.
fn pair(is_url: bool, part: &str) -> Option<(&str, String)> {
    if is_url {
        let (key, value) = part.split_once('=')?;
        return Some((key, percent_decoded(value)?));
    }
    let (key, value) = part.split_once('=').unwrap_or((part, ""));
    Some((key, value.trim_matches('\'').to_owned()))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let mut digit = || char::from(rest.next()?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(digit()? * 16 + digit()?);
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        for (text, host, is_local, tls) in [
            ("postgres://ann:x@db.example/shop", "db.example", false, TlsMode::VerifyFull),
            ("postgres://db.example/shop?sslmode=require&application_name=x", "db.example", false, TlsMode::Require),
            ("postgres://ann@localhost/shop", "localhost", true, TlsMode::Prefer),
            ("postgres://ann@127.0.0.9:99/shop?sslrootcert=a%20b", "127.0.0.9", true, TlsMode::Prefer),
            ("postgres://ann@localhost/shop?hostaddr=192.0.2.1", "localhost", false, TlsMode::VerifyFull),
            ("host=/run/x user=ann sslmode=verify-ca", "/run/x", true, TlsMode::VerifyCa),
            ("host=a user='a  b'", "a", false, TlsMode::VerifyFull),
        ] {
            let address = Address::parse(text).unwrap();
            let read = (address.host().unwrap(), address.is_local(), address.tls());
            assert_eq!(read, (host.to_owned(), is_local, tls), "{text}");
        }
        assert_eq!(Address::parse("postgres://a/b?sslrootcert=a%20b").unwrap().authorities, Some(PathBuf::from("a b")));
        for (text, named) in [
            ("postgres://a:${PORT}/b?sslmode=${MODE}&sslrootcert=a%20b", Some("a b")),
            ("host=a sslrootcert='ca.pem' sslrootcert=b.pem", Some("b.pem")),
            ("postgres://a/b?sslmode=require", None),
        ] {
            assert_eq!(Address::authorities_in(text).as_deref(), named, "{text}");
        }
        for wrong in
            ["mysql://a", "postgres://a:port/x", "postgres://a/x?sslmode=maybe", "x", "postgres://a/x?sslrootcert=%z"]
        {
            assert!(Address::parse(wrong).is_none(), "{wrong}");
        }
    }
}
