//! How to connect to a server: names and addresses, and where its password comes from, but never the password itself.

use refdesk_text::Code;
use refdesk_text::report::Diagnostic;
use refdesk_text::yaml::{YamlNode, YamlValue};
use serde::Serialize;

use super::fields::YamlFields;
use super::plaintext_secrets::{SECRETS, has_plain_password, is_secret_key, masked, variable};

/// A connection to a server, without secrets.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ServerConnection {
    /// A service of `pg_service.conf`.
    pub service: Option<String>,
    /// The environment variable with a URL.
    pub url_env: Option<String>,
    /// A URL; its `${…}` parts are taken from the environment.
    pub url: Option<String>,
    /// A host, or the folder of a socket.
    pub host: Option<String>,
    /// The port.
    pub port: Option<u16>,
    /// The database.
    pub database: Option<String>,
    /// The user.
    pub user: Option<String>,
    /// Where the password comes from.
    pub secret: Option<Secret>,
    /// As in PostgreSQL.
    pub sslmode: Option<String>,
    /// A file with certificates.
    pub sslrootcert: Option<String>,
    /// The account of Snowflake.
    pub account: Option<String>,
    /// A file with the private key of a user of Snowflake.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_key_file: Option<String>,
    /// The warehouse of Snowflake.
    pub warehouse: Option<String>,
    /// The role.
    pub role: Option<String>,
}

/// Where a password, a token or a private key comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Secret {
    /// An environment variable.
    Env(String),
    /// The output of a program.
    Command(String),
}

/// Keys of a connection.
const KEYS: &[&str] = &[
    "service",
    "url_env",
    "host",
    "port",
    "database",
    "user",
    "password_env",
    "password_command",
    "sslmode",
    "sslrootcert",
    "account",
    "private_key_file",
    "private_key_env",
    "token_env",
    "warehouse",
    "role",
];

/// Keys that name the environment variable of a secret.
const IN_ENV: [&str; 3] = ["password_env", "private_key_env", "token_env"];

/// Reads `connection`, `connection_string` or `connection_config`.
pub(crate) fn read(fields: &mut YamlFields<'_, '_>, place: &YamlNode) -> Option<ServerConnection> {
    if let Some(text) = fields.text("connection_string") {
        let node = fields.node("connection_string").unwrap_or(place);
        if has_plain_password(&text) {
            refuse(fields, "password", node, VariableAllowed::Yes);
            return None;
        }
        return Some(ServerConnection { url: Some(text), ..ServerConnection::default() });
    }
    let key = if fields.node("connection").is_some() { "connection" } else { "connection_config" };
    let mut inner = fields.inner(key)?;
    let mut secret = None;
    for member in inner.members() {
        if !SECRETS.contains(&member.key.as_str()) {
            continue;
        }
        match &member.node.value {
            YamlValue::Text(text) if variable(text).is_some() => secret = variable(text).map(Secret::Env),
            _ => {
                refuse(&mut inner, &member.key, &member.node, VariableAllowed::Yes);
                return None;
            }
        }
    }
    let known: Vec<&str> = KEYS.iter().chain(SECRETS).copied().collect();
    let refused = refuse_plaintext_secrets(&mut inner, &known, VariableAllowed::Yes);
    inner.warn_unknown(&[&known[..], &refused].concat());
    if !refused.is_empty() {
        return None;
    }
    let command = inner.text("password_command").map(Secret::Command);
    let from_env = secret_in_env(&mut inner)?;
    let connection = ServerConnection {
        service: inner.text("service"),
        url_env: inner.text("url_env"),
        url: None,
        host: inner.text("host"),
        port: inner.number("port", 1, 65_535, None).and_then(|port| u16::try_from(port).ok()),
        database: inner.text("database"),
        user: inner.text("user"),
        secret: secret.or(from_env).or(command),
        sslmode: inner.word("sslmode", &SSL_MODES.map(|mode| (mode, mode))).map(str::to_owned),
        sslrootcert: inner.text("sslrootcert"),
        account: inner.text("account"),
        private_key_file: inner.text("private_key_file"),
        warehouse: inner.text("warehouse"),
        role: inner.text("role"),
    };
    let parts = [&connection.service, &connection.url_env, &connection.host, &connection.account, &connection.database];
    if parts.iter().all(|part| part.is_none()) {
        let problem = Diagnostic::error(Code::MissingField, "the connection has no service, url_env or host");
        inner.report(place, problem.fix("add one of them"));
        return None;
    }
    Some(connection)
}

/// The environment variable with the secret, if one is named. Naming two is ambiguous, so it is an error and there is
/// no connection.
fn secret_in_env(fields: &mut YamlFields<'_, '_>) -> Option<Option<Secret>> {
    let given: Vec<&str> = IN_ENV.into_iter().filter(|key| fields.node(key).is_some()).collect();
    if let [first @ .., last] = given.as_slice()
        && !first.is_empty()
    {
        let quoted: Vec<String> = first.iter().map(|key| format!("'{key}'")).collect();
        let message = format!("{} and '{last}' each name a secret, but a connection has only one", quoted.join(", "));
        let problem = Diagnostic::error(Code::Contradiction, message).fix("keep the one that the server asks for");
        if let Some(node) = fields.node(last) {
            fields.report(node, problem);
        }
        return None;
    }
    Some(given.first().and_then(|key| fields.text(key)).map(Secret::Env))
}

/// The levels of TLS verification.
const SSL_MODES: [&str; 6] = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"];

/// Whether a secret may be named by an environment variable instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum VariableAllowed {
    Yes,
    No,
}

/// Refuses secrets that are written out under keys other than these, at any depth; returns the keys with one.
pub(super) fn refuse_plaintext_secrets<'a>(
    fields: &mut YamlFields<'a, '_>,
    known: &[&str],
    takes_variable: VariableAllowed,
) -> Vec<&'a str> {
    let mut refused = Vec::new();
    for member in fields.members().iter().filter(|member| !known.contains(&member.key.as_str())) {
        let mut found = Vec::new();
        plaintext_secrets(&member.key, &member.node, &mut found);
        for (key, node) in &found {
            refuse(fields, key, node, takes_variable);
        }
        if !found.is_empty() {
            refused.push(member.key.as_str());
        }
    }
    refused
}

/// Whether a number under this key is how many tokens there may be.
fn is_limit(key: &str) -> bool {
    let key = key.to_lowercase();
    key.ends_with("tokens") || key.contains("limit")
}

/// The values in a node that look like secrets, each with its key.
fn plaintext_secrets<'a>(key: &'a str, node: &'a YamlNode, found: &mut Vec<(&'a str, &'a YamlNode)>) {
    match &node.value {
        YamlValue::Map(members) => members.iter().for_each(|it| plaintext_secrets(&it.key, &it.node, found)),
        YamlValue::List(nodes) => nodes.iter().for_each(|it| plaintext_secrets(key, it, found)),
        YamlValue::Text(text) if is_secret_key(key) && !text.trim().is_empty() && variable(text).is_none() => {
            found.push((key, node));
        }
        YamlValue::Int(_) | YamlValue::Float(_) if is_secret_key(key) && !is_limit(key) => {
            found.push((key, node));
        }
        _ => {}
    }
}

/// Refuses the secret that is the value of this key.
fn refuse(fields: &mut YamlFields<'_, '_>, key: &str, node: &YamlNode, takes_variable: VariableAllowed) {
    let key = key.to_lowercase();
    let (what, instead) = match key.as_str() {
        _ if key.contains("private") => ("private key", "private_key_env"),
        _ if key.contains("token") => ("token", "token_env"),
        _ if key.contains("phrase") || key.contains("pass") || key.contains("pwd") => ("password", "password_env"),
        _ => ("secret", "password_env"),
    };
    let message = format!("the {what} is in the file, where everyone who reads the repository can see it");
    let problem = Diagnostic::error(Code::PlainPassword, message);
    let fix = match takes_variable {
        VariableAllowed::Yes => format!("name its environment variable: '{instead}: NAME', or ${{NAME}}"),
        VariableAllowed::No => "remove it: nothing here needs a secret".to_owned(),
    };
    fields.report(node, problem.fix(fix));
}

impl ServerConnection {
    /// The URL without anything that may be secret.
    pub fn url_shown(&self) -> Option<String> {
        self.url.as_deref().map(masked)
    }
}
