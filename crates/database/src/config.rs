//! Which databases a workspace has: `.jaato/databases.yaml`. Every problem has its line and column, an invalid database
//! never affects the others, and a password is never written there: it comes from the environment or a program.

pub mod agent;
mod check_rule;
mod comparisons;
pub(crate) mod fields;
mod pages_folder;
pub(crate) mod password_command;
mod patterns;
mod plaintext_secrets;
mod server;

use refdesk_text::Code;
use refdesk_text::nearest::nearest;
use refdesk_text::report::{Diagnostic, Position, Severity};
use refdesk_text::yaml::{self, RepeatedKeys, YamlNode, YamlValue};
use serde::Serialize;

use self::agent::DocumentationSettings;
pub use self::check_rule::CheckRule;
use self::fields::YamlFields;
use self::pages_folder::docs_path;
pub use self::pages_folder::is_pages_folder;
pub use self::password_command::{NamedFile, workspace_files};
use self::patterns::{PatternBudget, patterns};
use self::server::VariableAllowed;
pub use self::server::{Secret, ServerConnection};
use crate::names::file_names::is_device;
use crate::names::globs::NamePattern;
use crate::names::words::{is_domain, not_a_domain};

/// The paths of the configuration file, in the order in which they are tried.
pub const FILES: [&str; 2] = [".jaato/databases.yaml", "config/databases.yaml"];

/// The maximum size of the file in bytes.
pub const FILE_BYTES: u64 = 1024 * 1024;

/// The maximum number of databases.
const DATABASES: usize = 64;

/// The default folder of the pages.
const DOCS_PATH: &str = "docs/databases";

/// The maximum number of keys and values in the file.
const ITEMS: usize = 100_000;

/// Keys of a database.
const KEYS: &[&str] = &[
    "name",
    "type",
    "connection",
    "connection_string",
    "connection_config",
    "schemas",
    "include_tables",
    "exclude_tables",
    "include_views",
    "include_system_tables",
    "sampling",
    "sensitive",
    "not_sensitive",
    "publish_values",
    "cross_links",
    "granularity",
    "domains",
    "checks",
    "enabled",
];

/// Keys that restrict what is read.
const GUARDS: &[&str] = &["schemas", "include_tables", "exclude_tables", "sampling", "sensitive", "enabled"];

/// Prefixes of likely misspellings of these keys.
const GUARD_STEMS: &[&str] = &["includ", "exclud", "sampl", "sensitiv"];

/// The databases of a workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabasesConfig {
    /// In the order of the file.
    pub databases: Vec<DatabaseConfig>,
    /// The folder of the pages, relative to the workspace.
    pub docs_path: String,
    /// The line of `docs_path`, if the file has one.
    pub docs_line: Option<usize>,
    /// The names of databases with errors in their entries: they are not used, but their existing pages and sources
    /// stay.
    pub wrong: Vec<String>,
}

impl Default for DatabasesConfig {
    fn default() -> Self {
        Self { databases: Vec::new(), docs_path: DOCS_PATH.to_owned(), docs_line: None, wrong: Vec::new() }
    }
}

impl DatabasesConfig {
    /// Disables every database.
    pub fn refuse_all(&mut self) {
        self.docs_path = DOCS_PATH.to_owned();
        self.wrong.extend(self.databases.drain(..).map(|database| database.name));
    }
}

/// One database.
#[derive(Debug, Clone, PartialEq)]
pub struct DatabaseConfig {
    /// 1 to 32 of `[a-z0-9-]`.
    pub name: String,
    /// The line of its entry.
    pub line: usize,
    /// How to connect to it.
    pub connection: Connection,
    /// The schemas to read; empty means all except the system's.
    pub schemas: Vec<String>,
    /// The line of each of them.
    pub schema_lines: Vec<usize>,
    /// The tables to read; empty means all.
    pub include_tables: Vec<NamePattern>,
    /// The tables not to read.
    pub exclude_tables: Vec<NamePattern>,
    /// Whether views are read.
    pub include_views: bool,
    /// Whether system tables are read.
    pub include_system_tables: bool,
    /// What may be learned about values.
    pub sampling: Sampling,
    /// Columns whose values must not be disclosed.
    pub sensitive: Vec<NamePattern>,
    /// Columns that are not sensitive even if their name or type suggests it.
    pub not_sensitive: Vec<NamePattern>,
    /// Whether pages may contain small sets of values.
    pub publish_values: bool,
    /// Whether pages link to tables of other domains.
    pub cross_links: bool,
    /// What becomes one source.
    pub granularity: Granularity,
    /// Configured domains with their tables, in order.
    pub domains: Vec<(String, Vec<NamePattern>)>,
    /// Rules with a configured severity; `None` disables a rule.
    pub checks: Vec<(CheckRule, Option<Severity>)>,
    /// Whether the database is used.
    pub enabled: bool,
    /// The settings for all databases.
    pub settings: DocumentationSettings,
}

/// How to connect to a database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Connection {
    /// A file.
    Sqlite {
        /// As written; relative to the workspace.
        file: String,
    },
    /// A PostgreSQL server.
    Postgres(ServerConnection),
    /// A Snowflake account.
    Snowflake(ServerConnection),
}

/// What may be learned about values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// No table is read.
    None,
    /// Shares, counts and widths.
    #[default]
    Statistics,
    /// Also a few values of columns that are not sensitive, for a language model.
    Values,
}

/// What becomes one source of the catalog.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    /// Each domain.
    #[default]
    Domain,
    /// Each table.
    Table,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum DatabaseKind {
    Postgres,
    Snowflake,
    Sqlite,
}

impl Connection {
    /// The name in configuration files.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "sqlite",
            Self::Postgres(_) => "postgres",
            Self::Snowflake(_) => "snowflake",
        }
    }

    /// The kind with an article, for the start of a sentence.
    pub(crate) fn with_article(&self) -> &'static str {
        match self {
            Self::Sqlite { .. } => "An SQLite",
            Self::Postgres(_) => "A PostgreSQL",
            Self::Snowflake(_) => "A Snowflake",
        }
    }

    /// Whether rows may be read at all. Not from Snowflake, whose masking and row access policies are invisible.
    pub(crate) fn shows_rows(&self) -> bool {
        !matches!(self, Self::Snowflake(_))
    }
}

impl DatabaseConfig {
    /// Whether the configuration selects this table.
    pub(crate) fn wants_table(&self, schema: &str, table: &str) -> bool {
        let matches = |patterns: &[NamePattern]| patterns.iter().any(|it| it.matches_table(schema, table));
        (self.schemas.is_empty() || self.schemas.iter().any(|wanted| wanted == schema))
            && (self.include_tables.is_empty() || matches(&self.include_tables))
            && !matches(&self.exclude_tables)
    }
}

/// Parses the configuration file; `file` is its name in diagnostics.
pub fn read(text: &str, file: &str) -> (DatabasesConfig, Vec<Diagnostic>) {
    let mut config = DatabasesConfig::default();
    let mut problems = Vec::new();
    let root = match parsed(text, file, ITEMS) {
        Ok(root) => root,
        Err(problem) => return (config, vec![*problem]),
    };
    let mut entries: Vec<&YamlNode> = Vec::new();
    let mut is_docs_path = true;
    if let Some(mut fields) = YamlFields::of(&root, "the file", file, &mut problems) {
        let known = ["databases", "docs_path"];
        let refused = server::refuse_plaintext_secrets(&mut fields, &known, VariableAllowed::No);
        fields.warn_unknown(&[&known[..], &refused].concat());
        if let Some(node) = fields.node("docs_path") {
            config.docs_line = Some(node.line);
            match docs_path(&mut fields, node) {
                Some(path) => config.docs_path = path,
                None => is_docs_path = false,
            }
        }
        let list = match fields.node("databases").map(|node| (node, &node.value)) {
            Some((_, YamlValue::List(items))) => items.as_slice(),
            Some((node, _)) => {
                let message = format!("'databases' must be a list, not {}", node.kind());
                fields.report(node, Diagnostic::error(Code::WrongType, message));
                &[]
            }
            None => {
                // Only an explicit list may lead to the removal of pages.
                let problem = Diagnostic::error(Code::MissingField, "the file has no list 'databases'");
                fields.report(&root, problem.fix("add the list; if no database is meant, write 'databases: []'"));
                &[]
            }
        };
        if let Some(extra) = list.get(DATABASES) {
            let message = format!("there are more than {DATABASES} databases; the rest are left out");
            fields.report(extra, Diagnostic::error(Code::TooMany, message));
        }
        entries.extend(list.iter().take(DATABASES));
    }
    for node in entries {
        let before = problems.len();
        let found = database(node, file, &mut problems);
        // An invalid value may have been meant to restrict what is read.
        let is_wrong = problems.iter().skip(before).any(Diagnostic::is_error);
        match found {
            Some(database) if !is_wrong => config.databases.push(database),
            _ => config.wrong.extend(name_of(node)),
        }
    }
    refuse_repeated(&mut config, file, &mut problems);
    if !is_docs_path {
        config.refuse_all();
    }
    (config, problems)
}

/// The name in an entry, even if the rest of the entry is invalid.
fn name_of(node: &YamlNode) -> Option<String> {
    let mut ignored = Vec::new();
    YamlFields::of(node, "", "", &mut ignored).and_then(|mut fields| name(&mut fields, node))
}

/// Parses YAML without tags, of at most `items` keys and values.
pub(crate) fn parsed(text: &str, file: &str, items: usize) -> Result<YamlNode, Box<Diagnostic>> {
    let problem = |message: String, line, column| {
        Box::new(Diagnostic::error(Code::Unparsable, message).in_file(file).at(Position { line, column }))
    };
    if text.trim().is_empty() {
        return Ok(YamlNode { line: 1, column: 1, value: YamlValue::Map(Vec::new()) });
    }
    let root = yaml::read::<YamlNode>(text, items, RepeatedKeys::Refused).map_err(|wrong| {
        let mut problem = problem(wrong.of("it"), wrong.line, wrong.column);
        problem.fix = match (wrong.is_limit, wrong.is_indentation) {
            (true, _) => "shorten or simplify it".into(),
            (_, true) => "start it in the same column as its neighbours, and indent with spaces".into(),
            _ => "correct this line".into(),
        };
        problem
    })?;
    match yaml::first_tag(text) {
        Some((line, column)) => {
            let mut problem = problem("tags are not used here".to_owned(), line, column);
            problem.fix = "remove the word that begins with !".into();
            Err(problem)
        }
        None => Ok(root),
    }
}

/// Refuses all databases that share a name, because it is unclear which one is meant.
fn refuse_repeated(config: &mut DatabasesConfig, file: &str, problems: &mut Vec<Diagnostic>) {
    let databases = &mut config.databases;
    let names: Vec<String> =
        databases.iter().map(|database| database.name.clone()).chain(config.wrong.clone()).collect();
    let is_repeated = |name: &String| names.iter().filter(|other| *other == name).count() > 1;
    for database in databases.iter().filter(|database| is_repeated(&database.name)) {
        let message = format!("more than one database is named '{}', and none of them is used", database.name);
        let problem = Diagnostic::error(Code::DuplicateName, message).in_file(file).at_line(database.line);
        problems.push(problem.fix("give each its own name"));
    }
    databases.retain(|database| !is_repeated(&database.name));
    let is_used = |name: &String| databases.iter().any(|database| database.name == *name);
    config.wrong.extend(names.into_iter().filter(|name| !is_used(name)));
    config.wrong.sort();
    config.wrong.dedup();
}

fn database(node: &YamlNode, file: &str, problems: &mut Vec<Diagnostic>) -> Option<DatabaseConfig> {
    let mut fields = YamlFields::of(node, "a database", file, problems)?;
    let refused = server::refuse_plaintext_secrets(&mut fields, KEYS, VariableAllowed::Yes);
    fields.warn_unknown_but(&[KEYS, &refused].concat(), is_near_guard);
    let name = name(&mut fields, node);
    if fields.node("type").is_none() {
        let problem = Diagnostic::error(Code::MissingField, "a database has no 'type'");
        fields.report(node, problem.fix("add 'type: postgres', 'type: snowflake' or 'type: sqlite'"));
    }
    let kinds = [
        ("postgres", DatabaseKind::Postgres),
        ("postgresql", DatabaseKind::Postgres),
        ("snowflake", DatabaseKind::Snowflake),
        ("sqlite", DatabaseKind::Sqlite),
    ];
    let kind = fields.word("type", &kinds);
    let connection = kind.and_then(|kind| connection(&mut fields, node, kind));
    let mut left = PatternBudget::new();
    let mut patterns = |key: &str| patterns(&mut fields, key, &mut left);
    let (include_tables, exclude_tables) = (patterns("include_tables"), patterns("exclude_tables"));
    let (sensitive, not_sensitive) = (patterns("sensitive"), patterns("not_sensitive"));
    let samplings = [("none", Sampling::None), ("statistics", Sampling::Statistics), ("values", Sampling::Values)];
    let granularities = [("domain", Granularity::Domain), ("table", Granularity::Table)];
    let (schemas, schema_lines) = fields.texts("schemas").into_iter().map(|(text, node)| (text, node.line)).unzip();
    Some(DatabaseConfig {
        schemas,
        schema_lines,
        include_tables,
        exclude_tables,
        include_views: fields.flag("include_views").unwrap_or(true),
        include_system_tables: fields.flag("include_system_tables").unwrap_or(false),
        // A misspelled word must not disclose more than intended.
        sampling: match fields.node("sampling") {
            Some(_) => fields.word("sampling", &samplings).unwrap_or(Sampling::None),
            None => Sampling::default(),
        },
        sensitive,
        not_sensitive,
        publish_values: fields.flag("publish_values").unwrap_or(false),
        cross_links: fields.flag("cross_links").unwrap_or(false),
        granularity: fields.word("granularity", &granularities).unwrap_or_default(),
        domains: domains(&mut fields, &mut left),
        checks: checks(&mut fields),
        enabled: fields.flag("enabled").unwrap_or(true),
        settings: DocumentationSettings::default(),
        line: node.line,
        name: name?,
        connection: connection?,
    })
}

/// Whether an unknown key may be a misspelling of one that restricts what is read.
fn is_near_guard(key: &str) -> bool {
    let near = nearest(key, KEYS.iter().copied());
    let lower = key.to_lowercase();
    near.is_some_and(|near| GUARDS.contains(&near))
        || (near.is_none() && GUARD_STEMS.iter().any(|stem| lower.starts_with(stem)))
}

/// Whether a database may have this name.
pub fn is_name(name: &str) -> bool {
    let is_plain = |c: u8| c.is_ascii_lowercase() || c.is_ascii_digit() || c == b'-';
    (1..=32).contains(&name.len()) && name.bytes().all(is_plain)
}

fn name(fields: &mut YamlFields<'_, '_>, node: &YamlNode) -> Option<String> {
    if fields.node("name").is_none() {
        let problem = Diagnostic::error(Code::MissingField, "a database has no 'name'");
        fields.report(node, problem.fix("add 'name: …', lower-case letters, digits and hyphens"));
        return None;
    }
    let name = fields.text("name")?;
    if is_name(&name) && !is_device(&name) {
        return Some(name);
    }
    let plain = "use 1 to 32 lower-case letters, digits and hyphens";
    let rule = if is_device(&name) { "Windows reserves it for a device" } else { plain };
    let message = format!("'{name}' is not a valid name: {rule}");
    let place = fields.node("name").unwrap_or(node);
    let valid = similar_name(&name).map_or_else(|| "give it another name".to_owned(), |name| format!("write '{name}'"));
    fields.report(place, Diagnostic::error(Code::UnknownValue, message).fix(valid));
    None
}

/// A similar valid name, if there is one.
fn similar_name(name: &str) -> Option<String> {
    let word = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    let similar: String = name.chars().map(word).collect();
    Some(similar.trim_matches('-').to_owned()).filter(|name| is_name(name) && !is_device(name))
}

fn connection(fields: &mut YamlFields<'_, '_>, node: &YamlNode, kind: DatabaseKind) -> Option<Connection> {
    let given = ["connection", "connection_string", "connection_config"];
    let place = given.iter().find_map(|key| fields.node(key));
    let Some(place) = place else {
        let problem = Diagnostic::error(Code::MissingField, "a database has no 'connection'");
        let fix = match kind {
            DatabaseKind::Sqlite => "add 'connection: { file: PATH }'",
            _ => "add 'connection: { service: NAME }', or host, database and user",
        };
        fields.report(node, problem.fix(fix));
        return None;
    };
    if kind == DatabaseKind::Sqlite {
        return sqlite(fields, place);
    }
    let server = server::read(fields, place)?;
    Some(if kind == DatabaseKind::Postgres { Connection::Postgres(server) } else { Connection::Snowflake(server) })
}

fn sqlite(fields: &mut YamlFields<'_, '_>, place: &YamlNode) -> Option<Connection> {
    if let Some(text) = fields.text("connection_string") {
        let file = text.strip_prefix("sqlite:///").or_else(|| text.strip_prefix("sqlite:")).unwrap_or(&text);
        return Some(Connection::Sqlite { file: file.to_owned() });
    }
    let key = if fields.node("connection").is_some() { "connection" } else { "connection_config" };
    let file = fields.inner(key).and_then(|mut inner| {
        let known = ["file", "path", "database"];
        let refused = server::refuse_plaintext_secrets(&mut inner, &known, VariableAllowed::No);
        inner.warn_unknown(&[&known[..], &refused].concat());
        known.iter().find_map(|key| inner.text(key))
    });
    if file.is_none() {
        let problem = Diagnostic::error(Code::MissingField, "the connection has no 'file'");
        fields.report(place, problem.fix("add 'file: PATH', relative to the workspace"));
    }
    file.map(|file| Connection::Sqlite { file })
}

fn checks(fields: &mut YamlFields<'_, '_>) -> Vec<(CheckRule, Option<Severity>)> {
    let Some(mut inner) = fields.inner("checks") else { return Vec::new() };
    inner.warn_unknown(&CheckRule::ALL.map(CheckRule::word));
    let words = [("off", None), ("warning", Some(Severity::Warning)), ("error", Some(Severity::Error))];
    CheckRule::ALL.into_iter().filter_map(|rule| Some((rule, inner.word(rule.word(), &words)?))).collect()
}

fn domains(fields: &mut YamlFields<'_, '_>, left: &mut PatternBudget) -> Vec<(String, Vec<NamePattern>)> {
    let Some(mut inner) = fields.inner("domains") else { return Vec::new() };
    let mut domains = Vec::new();
    for member in inner.members() {
        if is_domain(&member.key) {
            domains.push((member.key.clone(), patterns(&mut inner.only(member), &member.key, left)));
        } else {
            inner.report(&member.node, not_a_domain(&member.key));
        }
    }
    domains
}

#[cfg(test)]
mod tests;
