//! What the database configuration would reach outside the workspace or reveal about values. The configuration comes
//! with the repository, so both need the user's trust. An SQLite file in the workspace does not: it is read as
//! untrusted data, and reading it reaches nothing else.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use refdesk_database::config::{Connection, DatabaseConfig, Sampling, Secret, ServerConnection, workspace_files};
use refdesk_database::connector::ServerAddress;
use refdesk_database::names::globs::NamePattern;
use refdesk_files::is_of_process;
use refdesk_files::name::sha256_hex;
use refdesk_files::path::{clean, display};
use refdesk_files::read_regular;
use refdesk_files::reserved::is_reserved;
use refdesk_text::escape::code_span;
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::grouped;
use refdesk_text::{Code, Error, Fix};
use serde_json::{Value, json};

use super::{AllowedDatabase, DatabaseAccess};
use crate::Desk;
use crate::privileged_actions::{PrivilegedActions, UnlocatedAction, code_list, in_text, place};
use crate::trust::TrustCheck;
use refdesk_core::config::expand;

/// The maximum size of a program or certificate file in bytes. A larger file would be hashed only in part, and the rest
/// could be replaced.
const PROGRAM: u64 = 16 * 1024 * 1024;

/// The longest password command. Checking what it names takes time that grows with its length.
const COMMAND_BYTES: usize = 4_096;

impl Desk {
    /// Whether a database may be read, and with which settings.
    pub(super) fn database_access(&self, database: &DatabaseConfig) -> DatabaseAccess {
        let check = TrustCheck::new(self);
        let is_trusted = |action: Option<UnlocatedAction>| action.is_none_or(|action| check.trusts(&action.hash));
        // Environment variables are not read before the database is trusted.
        match self.database_action(&check.actions(), database).map(is_trusted) {
            Ok(true) => {}
            Ok(false) => return DatabaseAccess::Untrusted,
            Err(error) => return DatabaseAccess::Refused(error),
        }
        let (file, outside) = match self.database_file(&check.workspace, database) {
            Ok(found) => found,
            Err(error) => return DatabaseAccess::Refused(error),
        };
        let led = outside.map(|real| outside_action(&check.actions(), database, &real));
        if !is_trusted(led) {
            return DatabaseAccess::Untrusted;
        }
        if let Connection::Sqlite { file: written } = &database.connection
            && file.strip_prefix(&check.workspace).is_ok_and(is_reserved)
        {
            let message = format!("'{written}' is one of the files of git or refdesk");
            return DatabaseAccess::Refused(Error::new(Code::ReservedPath, message, "name another file"));
        }
        let mut allowed =
            AllowedDatabase { config: database.clone(), file, address: ServerAddress::default(), problems: Vec::new() };
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

    /// Everything the database configuration would do outside the workspace, each with the line of its database.
    pub(crate) fn database_actions(&self, check: &TrustCheck<'_>) -> Vec<(UnlocatedAction, usize)> {
        let actions = check.actions();
        self.enabled_databases()
            .flat_map(|database| {
                // A refused database needs no trust.
                let read = self.database_action(&actions, database).ok().flatten();
                // The content of a variable is shown only once reading it is trusted.
                let may_read =
                    !reads_environment(database) || read.as_ref().is_some_and(|action| check.trusts(&action.hash));
                let found = may_read.then(|| self.database_file(&check.workspace, database).ok());
                let outside = found.flatten().and_then(|(_, outside)| outside);
                let led = outside.map(|real| outside_action(&actions, database, &real));
                let all = [read, led, values_action(&actions, database)];
                all.into_iter().flatten().map(|action| (action, database.line))
            })
            .collect()
    }

    /// The databases that no trust would make readable, because of what their configuration names, each with its line.
    pub(crate) fn refused_databases(&self, check: &TrustCheck<'_>) -> Vec<Diagnostic> {
        let actions = check.actions();
        let refused = self.enabled_databases().filter_map(|database| {
            let Error { code, message, fix, .. } = self.database_action(&actions, database).err()?;
            let problem = Diagnostic::error(code, message).in_file(self.databases_file().unwrap_or_default());
            Some(problem.at_line(database.line).fix(fix))
        });
        refused.collect()
    }

    fn enabled_databases(&self) -> impl Iterator<Item = &DatabaseConfig> {
        self.loaded_databases().config.databases.iter().filter(|database| database.enabled)
    }

    /// The path of an SQLite file, with environment variables expanded.
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
        Ok(clean(&self.workspace().join(expand(self.workspace_context(), &path))))
    }

    /// The resolved path of an SQLite file, and the same path again if it is outside the workspace; empty for a server.
    /// A path that is refused anyway needs no trust.
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

    /// The action of reading a server, or an SQLite file whose path comes from the environment.
    ///
    /// # Errors
    /// Its password command uses the workspace in a way that cannot be checked, or one of its files is too large.
    fn database_action(
        &self,
        actions: &PrivilegedActions<'_>,
        database: &DatabaseConfig,
    ) -> Result<Option<UnlocatedAction>, Error> {
        let name = &database.name;
        let named = code_span(name);
        let restrictions = restrictions(database);
        let except = restrictions.words();
        Ok(match &database.connection {
            Connection::Sqlite { file } if reads_environment(database) => {
                let names = code_list(variables(file).map(|name| format!("${name}")));
                let path = code_span(file);
                let what =
                    format!("read the SQLite database {path} as {named}, using {names} from the environment{except}");
                Some(actions.database(name, what, &restrictions.with(json!({"name": name, "file": file}))))
            }
            Connection::Sqlite { .. } => None,
            Connection::Postgres(server) | Connection::Snowflake(server) => {
                let kind = database.connection.word();
                let programs = self.programs(actions.workspace, name, server)?;
                let runs = match code_list(programs.keys()) {
                    names if names.is_empty() => names,
                    names => format!(", which uses {names} of this repository and whatever that runs"),
                };
                let authorities = authorities(actions.workspace, server)?;
                let what = format!("read the {kind} database {named}: {}{runs}{except}", words(server));
                let mut content = json!({"name": name, "kind": kind, "server": server});
                if let Value::Object(members) = &mut content {
                    members.extend((!programs.is_empty()).then(|| ("programs".to_owned(), json!(programs))));
                    members.extend(authorities.map(|hash| ("authorities".to_owned(), json!(hash))));
                }
                let runs_command = matches!(server.secret, Some(Secret::Command(_)));
                Some(UnlocatedAction { runs_command, ..actions.database(name, what, &restrictions.with(content)) })
            }
        })
    }

    /// The workspace files that a password command names, with the hashes of their content, so that trust does not
    /// extend to another program under the same name.
    fn programs(
        &self,
        workspace: &Path,
        database: &str,
        server: &ServerConnection,
    ) -> Result<BTreeMap<String, String>, Error> {
        let Some(Secret::Command(command)) = &server.secret else { return Ok(BTreeMap::new()) };
        if command.len() > COMMAND_BYTES {
            let message = format!("the password_command of '{database}' is longer than {COMMAND_BYTES} bytes");
            return Err(Error::new(Code::TooLong, message, "put it into a script, and name that"));
        }
        let home = self.workspace_context().home.as_deref();
        let variable = |name: &str| self.environment().get(name);
        let files = workspace_files(workspace, home, variable, command).map_err(|named| {
            let message = format!(
                "the password_command of '{database}', {}, names '{named}', so the files that it runs from this repository cannot \
                 be checked",
                code_span(command)
            );
            let fix = "name each of its files separately, such as ./scripts/password.sh, or put the command into a script \
                       of yours outside the repository";
            Error::new(Code::NoRegularFile, message, fix)
        })?;
        let hashed = |path: PathBuf| Ok(hash_of(&path)?.map(|hash| (display(workspace, &path), hash)));
        files.into_iter().filter_map(|path| hashed(path).transpose()).collect()
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

/// The action of reading an SQLite file outside the workspace.
fn outside_action(actions: &PrivilegedActions<'_>, database: &DatabaseConfig, real: &Path) -> UnlocatedAction {
    let (name, path, restrictions) = (&database.name, in_text(real), restrictions(database));
    let (place, named) = (code_span(&path), code_span(name));
    let what = format!("read the SQLite database {place} as {named}{}", restrictions.words());
    actions.database(name, what, &restrictions.with(json!({"name": name, "path": path})))
}

/// The most patterns of a list that a person is shown.
const SHOWN_PATTERNS: usize = 20;

/// Settings that keep parts of a database from being read; trust in a database applies only with them.
struct Restrictions<'c> {
    lists: [(&'static str, Vec<&'c str>); 4],
    reads_rows: bool,
}

fn restrictions(database: &DatabaseConfig) -> Restrictions<'_> {
    Restrictions {
        lists: [
            ("schemas", database.schemas.iter().map(String::as_str).collect()),
            ("include_tables", texts(&database.include_tables)),
            ("exclude_tables", texts(&database.exclude_tables)),
            ("sensitive", texts(&database.sensitive)),
        ],
        reads_rows: database.sampling != Sampling::None,
    }
}

fn texts(patterns: &[NamePattern]) -> Vec<&str> {
    patterns.iter().map(|pattern| pattern.text.as_str()).collect()
}

impl Restrictions<'_> {
    /// ` (with exclude_tables: hr_*; sampling: none)`, or empty. Of a long list only the beginning, since all of it only
    /// keeps something from being read.
    fn words(&self) -> String {
        let lists = self.lists.iter().filter(|(_, patterns)| !patterns.is_empty());
        let words = |(key, patterns): &(&str, Vec<&str>)| match patterns.get(..SHOWN_PATTERNS) {
            Some(first) if patterns.len() > SHOWN_PATTERNS => {
                format!("{key}: {} and {} more", code_list(first), grouped((patterns.len() - SHOWN_PATTERNS) as u64))
            }
            _ => format!("{key}: {}", code_list(patterns)),
        };
        let mut parts: Vec<String> = lists.map(words).collect();
        parts.extend((!self.reads_rows).then(|| "sampling: none".to_owned()));
        if parts.is_empty() { String::new() } else { format!(" (with {})", parts.join("; ")) }
    }

    /// The content of an action, with the restrictions. Without any, it equals that of older versions, which ignored
    /// them.
    fn with(&self, mut content: Value) -> Value {
        if let Value::Object(members) = &mut content {
            let lists = self.lists.iter().filter(|(_, patterns)| !patterns.is_empty());
            members.extend(lists.map(|(key, patterns)| ((*key).to_owned(), json!(patterns))));
            if !self.reads_rows {
                members.insert("sampling".to_owned(), json!("none"));
            }
        }
        content
    }
}

/// The hash of the certificate authority file, if it is in the workspace: a program that can replace it can
/// impersonate the server.
///
/// # Errors
/// The file is too large.
fn authorities(workspace: &Path, server: &ServerConnection) -> Result<Option<String>, Error> {
    let Some(file) = &server.sslrootcert else { return Ok(None) };
    let (path, outside) = place(workspace, &clean(&workspace.join(file)));
    // A file that cannot be read makes the connection fail.
    if outside.is_none() { hash_of(&path) } else { Ok(None) }
}

/// The hash of a whole file; `None` if it cannot be read.
///
/// # Errors
/// The file is too large.
fn hash_of(path: &Path) -> Result<Option<String>, Error> {
    match read_regular(path, PROGRAM) {
        Ok((bytes, false)) => Ok(Some(sha256_hex(&bytes))),
        Ok((_, true)) => {
            let message = format!("{} has more than {} MiB", in_text(path), PROGRAM / 1024 / 1024);
            Err(Error::new(Code::TooLarge, message, "use a smaller file"))
        }
        Err(_) => Ok(None),
    }
}

/// The action of revealing more about values than statistics of columns that do not look sensitive.
fn values_action(actions: &PrivilegedActions<'_>, database: &DatabaseConfig) -> Option<UnlocatedAction> {
    let mut parts = Vec::new();
    if database.sampling > Sampling::Statistics {
        parts.push("show values to a language model".to_owned());
    }
    let (lifted, sensitive) = (texts(&database.not_sensitive), texts(&database.sensitive));
    if !lifted.is_empty() {
        parts.push(format!("count columns like {} as not sensitive", code_list(&lifted)));
    }
    if database.publish_values {
        parts.push("write small sets of values into pages".to_owned());
    }
    if parts.is_empty() {
        return None;
    }
    let except = if sensitive.is_empty() { String::new() } else { format!("; sensitive: {}", code_list(&sensitive)) };
    let (place, connection) = match &database.connection {
        Connection::Sqlite { file } => (code_span(file), json!(file)),
        Connection::Postgres(server) | Connection::Snowflake(server) => (words(server), json!(server)),
    };
    let name = code_span(&database.name);
    let what = format!("reveal more about the database {name} ({place}): {}{except}", parts.join(", and "));
    let content = json!({
        "name": database.name, "sampling": database.sampling, "not_sensitive": lifted,
        "publish_values": database.publish_values, "connection": connection,
        "sensitive": sensitive,
    });
    Some(actions.database_values(&database.name, what, &content))
}

/// The destination and the user of a connection, without secrets.
fn words(server: &ServerConnection) -> String {
    let mut parts = Vec::new();
    let variable = |name: &String| format!("${name}");
    let (url, url_env) = (server.url_shown(), server.url_env.as_ref().map(variable));
    let texts = [
        ("service", &server.service),
        ("the URL in", &url_env),
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
        parts.extend(value.as_ref().map(|value| format!("{word} {}", code_span(value))));
    }
    parts.extend(server.port.map(|port| format!("port {port}")));
    parts.extend(server.secret.as_ref().map(|secret| match secret {
        Secret::Env(name) => format!("with the secret in {}", code_span(&variable(name))),
        Secret::Command(command) => format!("with the password that the command {} prints", code_span(command)),
    }));
    parts.join(", ")
}
