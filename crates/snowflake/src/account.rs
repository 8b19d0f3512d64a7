//! The address of an account, and the context for its statements.

use refdesk_text::Error;

use crate::unreachable;

/// The domain of all accounts.
const DOMAIN: &str = "snowflakecomputing.com";

/// A database of an account.
#[derive(Debug, Clone)]
pub struct Account {
    /// Scheme, host and port.
    pub base: String,
    /// The database, in the case that Snowflake shows, like warehouse and role.
    pub database: String,
    /// The warehouse that runs statements; `None` for the user's default.
    pub warehouse: Option<String>,
    /// The role; `None` for the user's default.
    pub role: Option<String>,
}

impl Account {
    /// The scheme, host and port of an account, or of a host that replaces it. Only hosts on this machine are reached
    /// without TLS.
    ///
    /// # Errors
    /// Neither is given, or it is not a valid name.
    pub fn base(name: Option<&str>, host: Option<&str>, port: Option<u16>) -> Result<String, Error> {
        match (host, name) {
            (Some(host), _) => base(host, port),
            (None, Some(name)) => base(&host_of(name)?, port),
            (None, None) => Err(unreachable("the connection names no account", "add 'account: ORGANIZATION-ACCOUNT'")),
        }
    }
}

/// The host of an account: underscores in its name become hyphens, as certificates require.
fn host_of(account: &str) -> Result<String, Error> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if account.is_empty() || !account.chars().all(is_plain) {
        let fix = "write it as ORGANIZATION-ACCOUNT, without https:// and without the domain";
        return Err(unreachable(&format!("'{account}' is not the name of an account"), fix));
    }
    let name = account.to_ascii_lowercase().replace('_', "-");
    Ok(name.strip_suffix(DOMAIN).map_or_else(|| format!("{name}.{DOMAIN}"), |before| format!("{before}{DOMAIN}")))
}

fn base(host: &str, port: Option<u16>) -> Result<String, Error> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if host.is_empty() || !host.chars().all(is_plain) {
        return Err(unreachable(&format!("'{host}' is not a host name"), "write only the host, without https://"));
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
