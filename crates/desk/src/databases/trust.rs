//! What the databases' configuration, which came with the repository, would reach outside the workspace or reveal about
//! values: both need the user's trust. An SQLite file in the workspace does not: it is read as untrusted data, and
//! reading it reaches nothing else.

use std::path::{Path, PathBuf};

use refdesk_database::config::{Connection, DatabaseConfig, Sampling, Secret, ServerConnection};
use refdesk_files::is_of_process;
use refdesk_files::path::absolute;
use refdesk_files::reserved::is_reserved;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error, Fix};
use serde_json::json;

use super::{AllowedDatabase, DatabaseAccess};
use crate::Desk;
use crate::privileged_actions::{PrivilegedActions, UnplacedAction, in_text, place};
use crate::trust::TrustCheck;
use refdesk_core::config::expand;

impl Desk {
    /// Whether a database may be read, and with which settings.
    pub(super) fn database_access(&self, database: &DatabaseConfig) -> DatabaseAccess {
        let check = TrustCheck::new(self);
        let is_trusted = |action: Option<UnplacedAction>| action.is_none_or(|action| check.trusts(&action.hash));
        // No variable is read before it is trusted.
        if reads_environment(database) && !is_trusted(database_action(&check.actions(), database, None)) {
            return DatabaseAccess::Untrusted;
        }
        let (file, outside) = match self.database_file(&check.workspace, database) {
            Ok(found) => found,
            Err(error) => return DatabaseAccess::Refused(error),
        };
        if !is_trusted(database_action(&check.actions(), database, outside)) {
            return DatabaseAccess::Untrusted;
        }
        if let Connection::Sqlite { file: written } = &database.connection
            && file.strip_prefix(&check.workspace).is_ok_and(is_reserved)
        {
            let message = format!("'{written}' is one of the files of git or refdesk");
            return DatabaseAccess::Refused(Error::new(Code::ReservedPath, message, "name another file"));
        }
        let mut allowed = AllowedDatabase { config: database.clone(), file, problems: Vec::new() };
        if !is_trusted(values_action(&check.actions(), database)) {
            allowed.config.sampling = database.sampling.min(Sampling::Statistics);
            allowed.config.not_sensitive.clear();
            allowed.config.publish_values = false;
            let message = format!(
                "the settings of '{}' about values wait for trust; until then the pages say less about values",
                database.name
            );
            let problem =
                Diagnostic::warning(Code::Untrusted, message).in_file(self.databases_file().unwrap_or_default());
            allowed.problems.push(problem.at_line(database.line).fix(Fix::Trust));
        }
        DatabaseAccess::Allowed(Box::new(allowed))
    }

    /// Everything the configuration of databases would do outside the workspace, each with the line of its database.
    pub(crate) fn database_actions(&self, check: &TrustCheck<'_>) -> Vec<(UnplacedAction, usize)> {
        let actions = check.actions();
        let enabled = self.loaded_databases().config.databases.iter().filter(|database| database.enabled);
        enabled
            .flat_map(|database| {
                let found = (!reads_environment(database)).then(|| self.database_file(&check.workspace, database).ok());
                let outside = found.flatten().and_then(|(_, outside)| outside);
                let both = [database_action(&actions, database, outside), values_action(&actions, database)];
                both.into_iter().flatten().map(|action| (action, database.line))
            })
            .collect()
    }

    /// The path of an SQLite file, with environment variables replaced.
    ///
    /// # Errors
    /// A variable is not set.
    fn written_path(&self, file: &str) -> Result<PathBuf, Error> {
        let mut path = file.to_owned();
        for name in variables(file) {
            let value = self.environment().get(name).filter(|value| !value.trim().is_empty()).ok_or_else(|| {
                let message = format!("the path '{file}' names the environment variable {name}, which is not set");
                Error::new(Code::NoVariable, message, "set it in the environment of refdesk")
            })?;
            path = path.replace(&format!("${{{name}}}"), &value);
        }
        Ok(absolute(self.workspace(), Path::new(&expand(self.workspace_context(), &path))))
    }

    /// The path of an SQLite file with links resolved, and the same again if it is outside the workspace; empty for a
    /// server. A path that is refused anyway needs no trust.
    ///
    /// # Errors
    /// A variable is not set, or the path leads to a different file in each process.
    fn database_file(&self, workspace: &Path, database: &DatabaseConfig) -> Result<(PathBuf, Option<PathBuf>), Error> {
        let Connection::Sqlite { file } = &database.connection else { return Ok((PathBuf::new(), None)) };
        let path = self.written_path(file)?;
        if is_of_process(&path) {
            let message = format!("'{file}' leads to a different file in each process");
            return Err(Error::new(Code::NoRegularFile, message, "name the file itself"));
        }
        Ok(place(workspace, &path))
    }
}

/// Whether the path of an SQLite file depends on the environment.
fn reads_environment(database: &DatabaseConfig) -> bool {
    matches!(&database.connection, Connection::Sqlite { file } if variables(file).next().is_some())
}

/// The environment variables in a path, as `${NAME}`, except the folder names that every path may use.
fn variables(file: &str) -> impl Iterator<Item = &str> {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    let names = file.split("${").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
    names.filter(move |name| is_name(name) && !["workspaceRoot", "projectPath", "HOME"].contains(name))
}

/// The action of reading a database; `None` for a file in the workspace, unless its path comes from the environment.
fn database_action(
    actions: &PrivilegedActions<'_>,
    database: &DatabaseConfig,
    outside: Option<PathBuf>,
) -> Option<UnplacedAction> {
    let name = &database.name;
    match &database.connection {
        Connection::Sqlite { file } if variables(file).next().is_some() => {
            let names: Vec<String> = variables(file).map(|name| format!("${name}")).collect();
            let names = names.join(", ");
            let what = format!("read the SQLite database {file} as '{name}', using {names} from the environment");
            Some(actions.database(name, what, &json!({"name": name, "file": file})))
        }
        Connection::Sqlite { .. } => {
            let real = outside?;
            let what = format!("read the SQLite database {} as '{name}'", in_text(&real));
            Some(actions.database(name, what, &json!({"name": name, "path": in_text(&real)})))
        }
        Connection::Postgres(server) | Connection::Snowflake(server) => {
            let kind = database.connection.word();
            let what = format!("read the {kind} database '{name}': {}", words(server));
            Some(actions.database(name, what, &json!({"name": name, "kind": kind, "server": server})))
        }
    }
}

/// The action of revealing more about values than statistics of columns that do not look sensitive.
fn values_action(actions: &PrivilegedActions<'_>, database: &DatabaseConfig) -> Option<UnplacedAction> {
    let mut parts = Vec::new();
    if database.sampling > Sampling::Statistics {
        parts.push("show values to a language model".to_owned());
    }
    let lifted: Vec<&str> = database.not_sensitive.iter().map(|pattern| pattern.text.as_str()).collect();
    if !lifted.is_empty() {
        parts.push(format!("count columns like {} as not sensitive", lifted.join(", ")));
    }
    if database.publish_values {
        parts.push("write small sets of values into pages".to_owned());
    }
    if parts.is_empty() {
        return None;
    }
    let what = format!("reveal more about the database '{}': {}", database.name, parts.join(", and "));
    let content = json!({
        "name": database.name, "sampling": database.sampling, "not_sensitive": lifted,
        "publish_values": database.publish_values,
    });
    Some(actions.database_values(&database.name, what, &content))
}

/// Where a connection leads and as which user, without secrets.
fn words(server: &ServerConnection) -> String {
    let mut parts = Vec::new();
    let url = server.url_shown();
    let texts = [
        ("service", &server.service),
        ("the URL in $", &server.url_env),
        ("URL", &url),
        ("host", &server.host),
        ("database", &server.database),
        ("user", &server.user),
        ("account", &server.account),
        ("the private key in", &server.private_key_file),
        ("warehouse", &server.warehouse),
        ("role", &server.role),
        ("sslmode", &server.sslmode),
        ("certificates in", &server.sslrootcert),
    ];
    for (word, value) in texts {
        let blank = if word.ends_with('$') { "" } else { " " };
        parts.extend(value.as_ref().map(|value| format!("{word}{blank}{value}")));
    }
    parts.extend(server.port.map(|port| format!("port {port}")));
    parts.extend(server.secret.as_ref().map(|secret| match secret {
        Secret::Env(name) => format!("with the secret in ${name}"),
        Secret::Command(command) => format!("with the password that the command `{command}` prints"),
    }));
    parts.join(", ")
}
