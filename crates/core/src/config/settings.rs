//! The settings of a configuration file other than its sources, with the defaults of BEHAVIOUR §2.

use std::collections::BTreeMap;
use std::time::Duration;

use super::approval::{ApprovalMode, Rule};
use super::document::JsonDocument;
use super::fields::Fields;
use super::hints::{self, HintSettings};
use super::index_url::IndexUrl;
use super::keys;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::grouped;

/// How refdesk asks a person (BEHAVIOUR §8).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ChannelKind {
    /// At the terminal.
    #[default]
    Console,
    /// On the running screen.
    Queue,
    /// By an HTTP request.
    Webhook,
    /// Through files.
    File,
}

impl ChannelKind {
    const WORDS: [(&'static str, Self); 4] =
        [("console", Self::Console), ("queue", Self::Queue), ("webhook", Self::Webhook), ("file", Self::File)];
}

/// The longest wait for a person, whatever `channel.timeout` says: a week.
pub const MAX_TIMEOUT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The `channel` object.
#[derive(Debug, Clone, PartialEq)]
pub struct ChannelSettings {
    /// Which channel.
    pub kind: ChannelKind,
    /// Seconds to wait for an answer.
    pub timeout: f64,
    /// URL that a webhook posts to.
    pub endpoint: Option<String>,
    /// Folder of the file channel.
    pub base_path: Option<String>,
    /// Headers of a webhook.
    pub headers: BTreeMap<String, String>,
    /// Environment variable with a webhook's bearer token.
    pub auth_token_env: Option<String>,
    /// Environment variable with a webhook's signing secret.
    pub secret_env: Option<String>,
    /// Private hosts that a webhook may connect to.
    pub allow_hosts: Vec<String>,
    /// Seconds between checks of the file channel if file events are unavailable.
    pub poll_interval: f64,
}

impl Default for ChannelSettings {
    fn default() -> Self {
        Self {
            kind: ChannelKind::Console,
            timeout: 60.0,
            endpoint: None,
            base_path: None,
            headers: BTreeMap::new(),
            auth_token_env: None,
            secret_env: None,
            allow_hosts: Vec::new(),
            poll_interval: 0.5,
        }
    }
}

/// The settings of a configuration file other than its sources.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// How refdesk asks a person.
    pub channel: ChannelSettings,
    /// Whether the files of `references_dir` define sources.
    pub auto_discover: bool,
    /// As written, relative to the workspace.
    pub references_dir: String,
    /// Whether the configuration sets that folder.
    pub references_dir_given: bool,
    /// Picks for a desk that has none stored yet.
    pub preselected: Vec<String>,
    /// Whether mentions pull sources in.
    pub transitive_injection: bool,
    /// Whether auto sources also pull sources in.
    pub transitive_from_auto: bool,
    /// Tools hidden from agents.
    pub exclude_tools: Vec<String>,
    /// Whether code blocks of documents become templates.
    pub extract_templates: bool,
    /// The approval rules for files that agents want to write, in the order of the file.
    pub approval: Vec<Rule>,
    /// How hints are chosen if there is a search index.
    pub hints: HintSettings,
    /// Whether the search index is kept up to date in the background.
    pub background_index: bool,
    /// The database with the search index, instead of a file in the workspace.
    pub index_url: Option<IndexUrl>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            channel: ChannelSettings::default(),
            auto_discover: true,
            references_dir: ".jaato/references".to_owned(),
            references_dir_given: false,
            preselected: Vec::new(),
            transitive_injection: true,
            transitive_from_auto: false,
            exclude_tools: Vec::new(),
            extract_templates: true,
            approval: Vec::new(),
            hints: HintSettings::default(),
            background_index: true,
            index_url: None,
        }
    }
}

/// Reads the settings of a document; problems go to `diagnostics` and the default is used.
pub(crate) fn read(document: &JsonDocument, diagnostics: &mut Vec<Diagnostic>) -> Settings {
    let default = Settings::default();
    let Some(mut fields) = Fields::of(document, Vec::new(), &document.value, diagnostics) else { return default };
    fields.warn_unknown(keys::TOP);
    if let Some(version) = fields.string("version")
        && version != "1.0"
    {
        let problem = Diagnostic::warning(Code::UnsupportedVersion, format!("version '{version}' is not known"));
        fields.report_value("version", problem.fix("refdesk reads version '1.0' and uses the settings it knows"));
    }
    for unused in ["embedding_model", "embedding_sidecar"] {
        fields.string(unused);
    }
    let dimensions = fields.value("embedding_dimensions");
    if dimensions.is_some_and(|value| !value.is_u64()) {
        let problem = Diagnostic::error(Code::WrongType, "'embedding_dimensions' must be a whole number");
        fields.report_value("embedding_dimensions", problem.fix("write a whole number, or leave it out"));
    }
    let approval = read_approval(&mut fields);
    let references_dir = fields.string("references_dir").filter(|folder| !folder.trim().is_empty());
    Settings {
        auto_discover: fields.flag("auto_discover_references", default.auto_discover),
        references_dir_given: references_dir.as_ref().is_some_and(|dir| *dir != default.references_dir),
        references_dir: references_dir.map_or(default.references_dir, str::to_owned),
        preselected: fields.strings("preselected"),
        transitive_injection: fields.flag("transitive_injection", default.transitive_injection),
        transitive_from_auto: fields.flag("transitive_from_auto", default.transitive_from_auto),
        exclude_tools: fields.strings("exclude_tools"),
        extract_templates: fields.flag("extract_templates", default.extract_templates),
        approval,
        hints: fields.inner("hints").map_or(default.hints, |mut hints| hints::read(&mut hints)),
        background_index: fields.inner("index").is_none_or(|mut index| {
            index.warn_unknown(keys::INDEX);
            index.flag("background", default.background_index)
        }),
        index_url: IndexUrl::read(&mut fields),
        channel: fields.inner("channel").map_or(default.channel, |mut channel| read_channel(&mut channel)),
    }
}

fn read_channel(fields: &mut Fields<'_>) -> ChannelSettings {
    let default = ChannelSettings::default();
    fields.warn_unknown(keys::CHANNEL);
    let word = fields.string("type").unwrap_or("console");
    let kind = ChannelKind::WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind);
    if kind.is_none() {
        let problem = Diagnostic::error(Code::UnknownValue, format!("'{word}' is not a channel"));
        fields.report_value("type", problem.fix("use one of console, queue, webhook, file"));
    }
    let channel = ChannelSettings {
        kind: kind.unwrap_or_default(),
        timeout: fields.seconds("timeout", default.timeout),
        endpoint: fields.string("endpoint").map(str::to_owned),
        // An empty one would be the workspace itself.
        base_path: fields.string("base_path").filter(|path| !path.trim().is_empty()).map(str::to_owned),
        headers: read_headers(fields),
        auth_token_env: fields.string("auth_token_env").map(str::to_owned),
        secret_env: fields.string("secret_env").map(str::to_owned),
        allow_hosts: fields.strings("allow_hosts"),
        poll_interval: fields.seconds("poll_interval", default.poll_interval),
    };
    let limit = MAX_TIMEOUT.as_secs();
    if channel.timeout > MAX_TIMEOUT.as_secs_f64() {
        let message = format!("'timeout' is longer than a week, so refdesk waits a week ({} s)", grouped(limit));
        fields
            .report_value("timeout", Diagnostic::warning(Code::TooLong, message).fix(format!("write {limit} or less")));
    }
    if channel.kind == ChannelKind::Webhook && channel.endpoint.is_none() {
        let problem = Diagnostic::error(Code::MissingField, "a webhook channel needs 'endpoint'");
        fields.report(problem.fix("give the URL that requests are posted to"));
    }
    channel
}

fn read_headers(fields: &mut Fields<'_>) -> BTreeMap<String, String> {
    let Some(members) = fields.object("headers") else { return BTreeMap::new() };
    let wrong = members.iter().filter(|(_, value)| !value.is_string()).map(|(name, _)| name.as_str());
    let problem = |name: &str| {
        let problem = Diagnostic::error(Code::WrongType, format!("the header '{name}' must be a string"));
        problem.fix("put the header's value in quotes")
    };
    fields.report_each("headers", wrong.map(|name| (name, problem)));
    members.iter().filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

/// The most approval rules; every command compiles all of them.
const APPROVAL_RULES: usize = 200;

/// The rules in the order of the file. If one cannot be read, it may have been there to prevent a write, so a final
/// rule is added that asks about everything.
fn read_approval(fields: &mut Fields<'_>) -> Vec<Rule> {
    let Some(members) = fields.object("approval") else { return Vec::new() };
    let (mut rules, mut problems) = (Vec::new(), Vec::new());
    for (nth, (glob, value)) in members.into_iter().enumerate() {
        if nth == APPROVAL_RULES {
            let problem =
                Diagnostic::error(Code::TooMany, format!("there are more than {APPROVAL_RULES} approval rules"));
            let problem =
                problem.fix("use fewer that match more, with '**'; until then, every write asks for approval");
            problems.push((glob.as_str(), problem));
            break;
        }
        let word = value.as_str().unwrap_or_default();
        let known = ApprovalMode::WORDS.iter().find(|(known, _)| *known == word);
        let rule = known.map(|(_, verdict)| Rule { glob: glob.clone(), verdict: *verdict });
        let problem = match rule.as_ref().map(Rule::matcher) {
            Some(Ok(_)) => None,
            Some(Err(why)) => {
                let problem = Diagnostic::error(Code::BadGlob, format!("'{glob}' is not a valid glob: {why}"));
                Some(problem.fix("correct it; until then, every write asks for approval"))
            }
            None => {
                let problem =
                    Diagnostic::error(Code::UnknownValue, format!("the value of '{glob}' is not an approval"));
                Some(problem.fix("use one of \"ask\", \"auto\", \"deny\""))
            }
        };
        match problem {
            None => rules.extend(rule),
            Some(problem) => problems.push((glob.as_str(), problem)),
        }
    }
    if !problems.is_empty() {
        rules.push(Rule { glob: "**".to_owned(), verdict: ApprovalMode::Ask });
    }
    fields.report_each("approval", problems.into_iter().map(|(glob, problem)| (glob, |_: &str| problem)));
    rules
}
