//! Where an account of Snowflake is, and how refdesk shows who it is: by the configuration and the environment.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use refdesk_files::read_regular;
use refdesk_text::Error;

use super::token::{self, KeyPair};
use super::unreachable;
use crate::config::{Secret, ServerConnection};
use crate::connector::ConnectionSurroundings;

/// Most bytes of a file with a private key.
const KEY_BYTES: u64 = 64 * 1024;

/// The domain of all accounts.
const DOMAIN: &str = "snowflakecomputing.com";

/// An account, and what each statement says about where it runs.
pub struct Endpoint {
    /// Scheme, host and port.
    pub base: String,
    pub database: String,
    pub warehouse: Option<String>,
    pub role: Option<String>,
    account: Option<String>,
    user: Option<String>,
    /// A token, or a private key as PEM.
    credential: String,
}

/// What the header `Authorization` says.
pub struct Token {
    pub text: String,
    /// Whether refdesk signed it. Of others Snowflake finds out itself what they are.
    pub is_signed_here: bool,
}

impl Endpoint {
    /// From the configuration; what is secret comes from the environment or a file.
    pub fn of(server: &ServerConnection, around: &ConnectionSurroundings) -> Result<Self, Error> {
        let database = server.database.clone().ok_or_else(|| {
            unreachable("the connection names no database", "add 'database: NAME', in the case that Snowflake shows")
        })?;
        let base = match (&server.host, &server.account) {
            (Some(host), _) => base(host, server.port)?,
            (None, Some(account)) => base(&host_of(account)?, server.port)?,
            (None, None) => {
                let fix = "add 'account: ORGANIZATION-ACCOUNT'";
                return Err(unreachable("the connection names no account", fix));
            }
        };
        let (account, user) = (server.account.clone(), server.user.clone());
        let (warehouse, role) = (server.warehouse.clone(), server.role.clone());
        Ok(Self { base, database, warehouse, role, account, user, credential: credential(server, around)? })
    }

    /// The token of the environment, or one that the private key signs.
    pub fn token(&self, now: SystemTime) -> Result<Token, Error> {
        if !self.credential.contains("-----BEGIN") {
            return Ok(Token { text: self.credential.trim().to_owned(), is_signed_here: false });
        }
        let (Some(account), Some(user)) = (&self.account, &self.user) else {
            let fix = "add 'account' and 'user' to the connection";
            return Err(unreachable("a private key needs the account and the user that it belongs to", fix));
        };
        let pair = KeyPair::of_pem(&self.credential).map_err(|why| unreachable(&why, "name another private key"))?;
        let text = token::signed(&pair, account, user, now)
            .map_err(|why| unreachable(&why, "use an RSA key of 2,048 bits or more"))?;
        Ok(Token { text, is_signed_here: true })
    }
}

fn credential(server: &ServerConnection, around: &ConnectionSurroundings) -> Result<String, Error> {
    match (&server.private_key_file, &server.secret) {
        (Some(file), _) => key_file(file, around),
        (None, Some(Secret::Env(name))) => {
            let value = (around.variable)(name).filter(|value| !value.trim().is_empty());
            value.ok_or_else(|| unreachable(&format!("the environment variable {name} is not set"), "set it"))
        }
        (None, Some(Secret::Command(_))) => {
            Err(unreachable("a command is not run for Snowflake", "use token_env, private_key_env or private_key_file"))
        }
        (None, None) => Err(unreachable(
            "the connection says nothing about a key or a token",
            "add token_env, private_key_env or private_key_file",
        )),
    }
}

fn key_file(file: &str, around: &ConnectionSurroundings) -> Result<String, Error> {
    let below = file.strip_prefix("~/").zip(around.home.as_ref());
    let path: PathBuf = below.map_or_else(|| around.workspace.join(file), |(rest, home)| home.join(rest));
    let fix = "name a file with a private key in 'private_key_file'";
    let read = |path: &Path| read_regular(path, KEY_BYTES).map_err(|error| error.to_string());
    match read(&path) {
        Ok((_, true)) => Err(unreachable(&format!("'{file}' is too large for a private key"), fix)),
        // What is in it may be secret, and is in no message.
        Ok((bytes, false)) => {
            String::from_utf8(bytes).map_err(|_| unreachable(&format!("'{file}' is not a key in PEM"), fix))
        }
        Err(error) => Err(unreachable(&format!("'{file}' cannot be read: {error}"), fix)),
    }
}

/// The host of an account: in its name an underscore is a hyphen, as certificates need it.
fn host_of(account: &str) -> Result<String, Error> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if account.is_empty() || !account.chars().all(is_plain) {
        let fix = "write it as ORGANIZATION-ACCOUNT, without https:// and without the domain";
        return Err(unreachable(&format!("'{account}' is not the name of an account"), fix));
    }
    let name = account.to_ascii_lowercase().replace('_', "-");
    Ok(name.strip_suffix(DOMAIN).map_or_else(|| format!("{name}.{DOMAIN}"), |before| format!("{before}{DOMAIN}")))
}

/// Without TLS only what is on this machine is reached.
fn base(host: &str, port: Option<u16>) -> Result<String, Error> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if host.is_empty() || !host.chars().all(is_plain) {
        return Err(unreachable(
            &format!("'{host}' is not the name of a host"),
            "write the host alone, without https://",
        ));
    }
    let scheme = if host == "localhost" || host == "127.0.0.1" { "http" } else { "https" };
    Ok(port.map_or_else(|| format!("{scheme}://{host}"), |port| format!("{scheme}://{host}:{port}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_and_hosts() {
        for (account, host) in [
            ("acme-main", "acme-main.snowflakecomputing.com"),
            ("ACME-main_one", "acme-main-one.snowflakecomputing.com"),
            ("xy12345.eu-west-1", "xy12345.eu-west-1.snowflakecomputing.com"),
            ("acme-main.snowflakecomputing.com", "acme-main.snowflakecomputing.com"),
        ] {
            assert_eq!(host_of(account).unwrap(), host, "{account}");
        }
        for wrong in ["", "https://acme", "acme/../x", "a b", "a@b"] {
            assert!(host_of(wrong).is_err(), "{wrong}");
            assert!(base(wrong, None).is_err(), "{wrong}");
        }
        assert_eq!(base("localhost", Some(8080)).unwrap(), "http://localhost:8080");
        assert_eq!(base("10.0.0.1", None).unwrap(), "https://10.0.0.1");
    }
}
