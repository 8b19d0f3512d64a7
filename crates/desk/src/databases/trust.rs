//! What the database configuration would reach outside the workspace or reveal about values. The configuration comes
//! with the repository, so both need the user's trust. An SQLite file in the workspace does not: it is read as
//! untrusted data, and reading it reaches nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use refdesk_database::config::{
    Connection, DatabaseConfig, NamedFile, Sampling, Secret, ServerConnection, workspace_files,
};
use refdesk_database::connector::{
    CheckedContent, CheckedFiles, ServerAddress, authorities_file, is_local, network_risk,
};
use refdesk_database::names::globs::NamePattern;
use refdesk_files::is_of_process;
use refdesk_files::name::sha256_hex;
use refdesk_files::output::resolve;
use refdesk_files::path::{clean, is_within, lossy};
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
use crate::trust::{SHORTEN, TrustCheck, too_long_to_trust};
use refdesk_core::config::expand;

/// The maximum size of the files of a connection in bytes: all programs together, and the certificates. A larger file would
/// be hashed only in part, and the rest could be replaced.
const PROGRAM: u64 = 16 * 1024 * 1024;

/// The longest password command. Checking what it names takes time that grows with its length.
const COMMAND_BYTES: usize = 4_096;

impl Desk {
    /// Whether a database may be read, and with which settings.
    pub(super) fn database_access(&self, database: &DatabaseConfig) -> DatabaseAccess {
        let check = TrustCheck::new(self);
        let files = match self.checked_files(&check.workspace, database) {
            Ok(files) => files,
            Err(error) => return DatabaseAccess::Refused(error),
        };
        // Environment variables are not read before the database is trusted.
        let read = self.database_action(&check.actions(), database, &files);
        if let Some(action) = read.as_ref().filter(|action| !check.trusts(&action.hash)) {
            return untrusted(action);
        }
        let (file, outside) = match self.database_file(&check.workspace, database) {
            Ok(found) => found,
            Err(error) => return DatabaseAccess::Refused(error),
        };
        let led = outside.map(|real| outside_action(&check.actions(), database, &real));
        if let Some(action) = led.as_ref().filter(|action| !check.trusts(&action.hash)) {
            return untrusted(action);
        }
        if let Connection::Sqlite { file: written } = &database.connection
            && file.strip_prefix(&check.workspace).is_ok_and(is_reserved)
        {
            let message = format!("'{written}' is one of the files of git or refdesk");
            return DatabaseAccess::Refused(Error::new(Code::ReservedPath, message, "name another file"));
        }
        let address = ServerAddress::from(files);
        let mut allowed = AllowedDatabase { config: database.clone(), file, address, problems: Vec::new() };
        let values = values_action(&check.actions(), database);
        if let Some(action) = values.filter(|action| !check.trusts(&action.hash)) {
            let why = if action.is_unreadable() { too_long_to_trust() } else { "wait for trust".to_owned() };
            allowed.config.sampling = database.sampling.min(Sampling::Statistics);
            allowed.config.not_sensitive.clear();
            allowed.config.publish_values = false;
            let message = format!(
                "the settings of '{}' about values {why}; until then the pages say less about values",
                database.name
            );
            let problem =
                Diagnostic::warning(Code::Untrusted, message).in_file(self.databases_file().unwrap_or_default());
            let fix = if action.is_unreadable() { Fix::from(SHORTEN) } else { Fix::Trust };
            allowed.problems.push(problem.at_line(database.line).fix(fix));
        }
        DatabaseAccess::Allowed(Box::new(allowed))
    }

    /// Everything the database configuration would do outside the workspace, each with the line of its database.
    pub(crate) fn database_actions(&self, check: &TrustCheck<'_>) -> Vec<(UnlocatedAction, usize)> {
        let actions = check.actions();
        self.enabled_databases()
            .flat_map(|database| {
                // A refused database needs no trust.
                let files = self.checked_files(&check.workspace, database).ok();
                let read = files.and_then(|files| self.database_action(&actions, database, &files));
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
        let refused = self.enabled_databases().filter_map(|database| {
            let Error { code, message, fix, .. } = self.checked_files(&check.workspace, database).err()?;
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

    /// The action of reading a server with these files, or an SQLite file whose path comes from the environment.
    fn database_action(
        &self,
        actions: &PrivilegedActions<'_>,
        database: &DatabaseConfig,
        files: &CheckedFiles,
    ) -> Option<UnlocatedAction> {
        let name = &database.name;
        let named = code_span(name);
        let restrictions = restrictions(database);
        let except = restrictions.words();
        match &database.connection {
            Connection::Sqlite { file } if reads_environment(database) => {
                let using = using(variables(file).map(str::to_owned));
                let path = code_span(file);
                let what = format!("read the SQLite database {path} as {named}, {using}{except}");
                Some(actions.database(name, what, &restrictions.with(json!({"name": name, "file": file}))))
            }
            Connection::Sqlite { .. } => None,
            Connection::Postgres(server) | Connection::Snowflake(server) => {
                let kind = database.connection.word();
                let hashed = |(name, content): (&PathBuf, &Vec<u8>)| (lossy(name), sha256_hex(content));
                let programs: BTreeMap<String, String> = files.programs.iter().map(hashed).collect();
                let runs = match code_list(programs.keys()) {
                    names if names.is_empty() => names,
                    names => format!(", which uses {names} of this repository and whatever that runs"),
                };
                let (using, risk) = match &database.connection {
                    Connection::Postgres(_) => (using(sent_variables(server)), network_risk(server)),
                    _ => (String::new(), ""),
                };
                let led = match &files.authorities {
                    Some(CheckedContent::Outside(file)) => Some(code_span(&in_text(file))),
                    _ => None,
                };
                let shown = words(server, led.as_deref(), &using, &runs);
                let what = format!("read the {kind} database {named}: {shown}{risk}{except}");
                let mut content = json!({"name": name, "kind": kind, "server": server});
                if let Value::Object(members) = &mut content {
                    members.extend((!programs.is_empty()).then(|| ("programs".to_owned(), json!(programs))));
                    let authorities = match &files.authorities {
                        Some(CheckedContent::Read(content)) => Some(sha256_hex(content)),
                        Some(CheckedContent::Outside(file)) => Some(in_text(file)),
                        Some(CheckedContent::Unreadable) | None => None,
                    };
                    members.extend(authorities.map(|it| ("authorities".to_owned(), json!(it))));
                }
                // A URL in the environment usually contains a password.
                let is_in_environment = matches!(server.secret, Some(Secret::Env(_))) || server.url_env.is_some();
                let sends_secret = is_in_environment || !using.is_empty();
                let is_postgres = matches!(database.connection, Connection::Postgres(_));
                Some(UnlocatedAction {
                    runs_command: matches!(server.secret, Some(Secret::Command(_))),
                    sends_secret: sends_secret && !(is_postgres && is_local(server)),
                    ..actions.database(name, what, &restrictions.with(content))
                })
            }
        }
    }

    /// The files of the workspace that locating a server uses, so that trust does not extend to others under the same
    /// names. What is hashed here is what is used.
    ///
    /// # Errors
    /// The password command uses the workspace in a way that cannot be checked, or the files are too large.
    fn checked_files(&self, workspace: &Path, database: &DatabaseConfig) -> Result<CheckedFiles, Error> {
        let (Connection::Postgres(server) | Connection::Snowflake(server)) = &database.connection else {
            return Ok(CheckedFiles::default());
        };
        let home = self.workspace_context().home.as_deref();
        let too_large = |what: String| {
            let message = format!("{what} more than {} MiB", PROGRAM / 1024 / 1024);
            Error::new(Code::TooLarge, message, "use a smaller file")
        };
        let mut files = CheckedFiles::default();
        let mut left = PROGRAM;
        for NamedFile { name, file } in self.programs(workspace, &database.name, server)? {
            // A file that cannot be read makes the command fail.
            let Ok((content, is_longer)) = read_regular(&file, left) else { continue };
            if is_longer {
                return Err(too_large(format!(
                    "the files that the password_command of '{}' names have",
                    database.name
                )));
            }
            if files.programs.contains_key(&name) {
                continue;
            }
            left = left.saturating_sub(content.len() as u64);
            files.programs.insert(name, content);
        }
        let Some(named) = authorities_file(server, self.workspace(), home) else { return Ok(files) };
        let is_written_inside = is_within(&named, self.workspace()) || is_within(&named, workspace);
        files.authorities = match place(workspace, &named) {
            (file, None) => Some(match read_regular(&file, PROGRAM) {
                Ok((_, true)) => return Err(too_large(format!("{} has", in_text(&file)))),
                Ok((content, false)) => CheckedContent::Read(content),
                Err(_) => CheckedContent::Unreadable,
            }),
            // Nothing outside is read before it is trusted.
            (_, outside) => outside.filter(|_| is_written_inside).map(CheckedContent::Outside),
        };
        Ok(files)
    }

    /// The workspace files that a password command names.
    ///
    /// # Errors
    /// It uses the workspace in a way that cannot be checked.
    fn programs(&self, workspace: &Path, database: &str, server: &ServerConnection) -> Result<Vec<NamedFile>, Error> {
        let Some(Secret::Command(command)) = &server.secret else { return Ok(Vec::new()) };
        if command.len() > COMMAND_BYTES {
            let message = format!("the password_command of '{database}' is longer than {COMMAND_BYTES} bytes");
            return Err(Error::new(Code::TooLong, message, "put it into a script, and name that"));
        }
        let home = self.workspace_context().home.as_deref();
        let variable = |name: &str| self.environment().get(name);
        workspace_files(workspace, home, variable, command).map_err(|named| {
            let message = format!(
                "the password_command of '{database}', {}, names '{named}', so the files that it runs from this repository cannot \
                 be checked",
                code_span(command)
            );
            let path = named.strip_prefix("~/").map_or_else(|| PathBuf::from(&named), |rest| {
                home.map_or_else(PathBuf::new, |home| home.join(rest))
            });
            let real = [path.as_path(), workspace].map(|path| resolve(path).ok());
            let [file, root] = real.map(Option::unwrap_or_default);
            let name = file.strip_prefix(&root).map(lossy).ok().filter(|name| !name.is_empty());
            // Another file may begin with the same name.
            let is_clear = |name: &String| workspace_files(workspace, home, variable, name).is_ok_and(|it| it.len() == 1);
            let fix = match name.filter(|_| path.is_absolute()).filter(is_clear) {
                Some(name) => format!("name it by its path in the repository: {name}"),
                None => "name each of its files separately, such as ./scripts/password.sh, or put the command into a script \
                         of yours outside the repository"
                    .to_owned(),
            };
            Error::new(Code::NoRegularFile, message, fix)
        })
    }
}

/// The answer for a database whose action is not trusted: one that is too long to be read never can be.
fn untrusted(action: &UnlocatedAction) -> DatabaseAccess {
    if !action.is_unreadable() {
        return DatabaseAccess::Untrusted;
    }
    let message = format!("the database {}", too_long_to_trust());
    DatabaseAccess::Refused(Error::new(Code::TooLong, message, SHORTEN))
}

/// `using $A, $B from the environment`, or empty.
fn using(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.map(|name| format!("${name}")).collect();
    if names.is_empty() { String::new() } else { format!("using {} from the environment", code_list(names)) }
}

/// The environment variables in what a server gets, each once.
fn sent_variables(server: &ServerConnection) -> impl Iterator<Item = String> {
    let texts = [&server.url, &server.host, &server.database, &server.user];
    let names: Vec<&str> = texts.into_iter().flatten().flat_map(|text| all_variables(text)).collect();
    let mut seen = BTreeSet::new();
    names.into_iter().filter(|name| seen.insert(*name)).map(str::to_owned).collect::<Vec<_>>().into_iter()
}

/// Whether the path of an SQLite file depends on the environment.
fn reads_environment(database: &DatabaseConfig) -> bool {
    matches!(&database.connection, Connection::Sqlite { file } if variables(file).next().is_some())
}

/// The environment variables in a path, as `${NAME}`, except the folder names that every path may use.
fn variables(file: &str) -> impl Iterator<Item = &str> {
    let is_name = |name: &str| !name.is_empty() && name.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_');
    all_variables(file).filter(move |name| is_name(name) && !["workspaceRoot", "projectPath", "HOME"].contains(name))
}

/// What is in `${…}`.
fn all_variables(text: &str) -> impl Iterator<Item = &str> {
    text.split("${").skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name)
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

/// `exclude_tables: hr_*`, of a long list only the beginning.
fn list_words((key, patterns): &(&str, Vec<&str>)) -> String {
    match patterns.get(..SHOWN_PATTERNS) {
        Some(first) if patterns.len() > SHOWN_PATTERNS => {
            format!("{key}: {} and {} more", code_list(first), grouped((patterns.len() - SHOWN_PATTERNS) as u64))
        }
        _ => format!("{key}: {}", code_list(patterns)),
    }
}

impl Restrictions<'_> {
    /// ` (with exclude_tables: hr_*; sampling: none)`, or empty. Of a long list only the beginning, since all of it only
    /// keeps something from being read.
    fn words(&self) -> String {
        let lists = self.lists.iter().filter(|(_, patterns)| !patterns.is_empty());
        let mut parts: Vec<String> = lists.map(list_words).collect();
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
    // A column can be sensitive because of a table that is read.
    let restrictions = restrictions(database);
    let tables = restrictions.lists.iter().filter(|(key, patterns)| *key != "sensitive" && !patterns.is_empty());
    let mut except =
        if sensitive.is_empty() { String::new() } else { format!("; sensitive: {}", code_list(&sensitive)) };
    except.extend(tables.clone().map(|list| format!("; {}", list_words(list))));
    let (place, connection) = match &database.connection {
        Connection::Sqlite { file } => (code_span(file), json!(file)),
        Connection::Postgres(server) | Connection::Snowflake(server) => (words(server, None, "", ""), json!(server)),
    };
    let name = code_span(&database.name);
    let what = format!("reveal more about the database {name} ({place}): {}{except}", parts.join(", and "));
    let mut content = json!({
        "name": database.name, "sampling": database.sampling, "not_sensitive": lifted,
        "publish_values": database.publish_values, "connection": connection,
        "sensitive": sensitive,
    });
    if let Value::Object(members) = &mut content {
        members.extend(tables.map(|(key, patterns)| ((*key).to_owned(), json!(patterns))));
    }
    Some(actions.database_values(&database.name, what, &content))
}

/// The destination and the user of a connection, without secrets. `led` is where a link to the certificates leads, `using` the
/// variables in the address, `runs` what the password command uses.
fn words(server: &ServerConnection, led: Option<&str>, using: &str, runs: &str) -> String {
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
    // The certificates are the last of these, or named in the URL.
    match (led, parts.last_mut().filter(|_| server.sslrootcert.is_some())) {
        (Some(led), Some(certificates)) => certificates.push_str(&format!(", which leads to {led}")),
        (Some(led), None) => parts.push(format!("certificates in {led}")),
        (None, _) => {}
    }
    parts.extend(server.port.map(|port| format!("port {port}")));
    parts.extend((!using.is_empty()).then(|| using.to_owned()));
    parts.extend(server.secret.as_ref().map(|secret| match secret {
        Secret::Env(name) => format!("with the secret in {}", code_span(&variable(name))),
        Secret::Command(command) => {
            format!("with the password that the command {} prints{runs}", code_span(command))
        }
    }));
    parts.join(", ")
}
