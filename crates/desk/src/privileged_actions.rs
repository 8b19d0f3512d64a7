//! The *privileged actions* of a workspace: what its own configuration would do outside it (BEHAVIOUR §9 "Trust"). They
//! are derived from the configuration and from where its paths lead; `trust` decides whether they are trusted.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};

use refdesk_core::catalog::{LocalPath, Mode, PathState, Source, SourceId, SourceKind};
use refdesk_core::config::{ApprovalMode, ChannelKind, ChannelSettings, IndexUrl, Rule};
use refdesk_files::name::sha256_hex;
use refdesk_files::output::{Unresolved, resolve};
use refdesk_files::path::is_within;
use refdesk_text::escape::code_span;
use refdesk_text::names::joined;
use refdesk_text::shorten::without_long_blanks;
use refdesk_text::url::without_secrets;

/// The longest sentence about an action, in characters: what is too long to read in one piece cannot be trusted. It has room
/// for the longest password command and for long lists of tables and globs.
pub(super) const SENTENCE: usize = 8_000;

/// Something a checked-in configuration would do outside its workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PrivilegedAction {
    /// A verb phrase that completes "it wants to …". Each value of the configuration in it is escaped and quoted as code,
    /// so that none can end its quotation and continue the sentence. A long run of blanks is shown as its length.
    pub what: String,
    /// The same without the parts of a URL that may be secret, for messages that others may see.
    pub summary: String,
    /// A hash of the workspace and everything the action depends on, so that trust in one action does not extend to
    /// another.
    pub hash: String,
    /// The part of the configuration it comes from.
    pub about: PrivilegedActionKind,
    /// The file containing that part, as displayed.
    pub file: String,
    /// The line, from 1; `None` if the file has changed.
    pub line: Option<usize>,
    /// The column, from 1, if known.
    pub column: Option<usize>,
    /// Whether a command of the configuration is run.
    pub runs_command: bool,
    /// Whether a secret of the user's environment is sent to a database.
    pub sends_secret: bool,
}

impl PrivilegedAction {
    /// Whether texts of the workspace or of its user, or a secret of the user, are sent somewhere.
    pub fn sends_data(&self) -> bool {
        self.sends_secret || matches!(self.about, PrivilegedActionKind::Webhook | PrivilegedActionKind::IndexUrl)
    }

    /// Whether the sentence is too long to be read, and so cannot be trusted.
    pub(super) fn is_unreadable(&self) -> bool {
        is_too_long(&self.what)
    }

    /// The order in which actions are shown: those that matter most come last, next to the question.
    pub(super) fn rank(&self) -> u8 {
        use PrivilegedActionKind::{
            Approval, Database, DatabaseValues, Folder, IndexUrl, Reference, References, Source, Webhook,
        };
        match self.about {
            _ if self.runs_command => 4,
            _ if self.sends_data() => 3,
            Database(_) | DatabaseValues(_) | Folder | Webhook | IndexUrl => 2,
            Approval(_) => 1,
            References | Reference(_) | Source(_) => 0,
        }
    }
}

fn is_too_long(sentence: &str) -> bool {
    sentence.chars().nth(SENTENCE).is_some()
}

/// The part of the configuration that an action comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PrivilegedActionKind {
    /// Requests are posted to a webhook.
    Webhook,
    /// Requests are written to a folder outside.
    Folder,
    /// The approval rule with this index.
    Approval(usize),
    /// The search index is in a database.
    IndexUrl,
    /// The database with this name is read.
    Database(String),
    /// More is revealed about the values of the database with this name.
    DatabaseValues(String),
    /// Files in a folder outside define sources.
    References,
    /// This file in the references folder, a link that leads outside, defines a source.
    Reference(PathBuf),
    /// The path or the address of a source, its tool, or the file with its text.
    Source(SourceId),
}

impl PrivilegedActionKind {
    /// The name in JSON.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Webhook => "webhook",
            Self::Folder => "channel_folder",
            Self::Approval(_) => "approval",
            Self::IndexUrl => "index_url",
            Self::Database(_) => "database",
            Self::DatabaseValues(_) => "database_values",
            Self::References => "references_dir",
            Self::Reference(_) => "reference",
            Self::Source(_) => "source",
        }
    }
}

/// The agents that get a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SourceAudience {
    /// Every agent, in every conversation.
    EveryAgent,
    /// Only agents that select it, or something that mentions it.
    Selecting,
    /// Every agent, because a person picked it, or something that mentions it.
    Picked,
}

/// What a path gives to agents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathExtent {
    /// One file, or nothing as long as none exists.
    File,
    /// A folder and everything below it.
    Tree,
}

/// A privileged action without its position in the configuration.
pub(super) struct UnlocatedAction {
    pub what: String,
    pub summary: String,
    pub hash: String,
    pub about: PrivilegedActionKind,
    pub runs_command: bool,
    pub sends_secret: bool,
}

impl UnlocatedAction {
    /// Like [`PrivilegedAction::is_unreadable`].
    pub(super) fn is_unreadable(&self) -> bool {
        is_too_long(&without_long_blanks(self.what.clone()))
    }

    pub(super) fn at(self, file: String, line: Option<usize>, column: Option<usize>) -> PrivilegedAction {
        let Self { what, summary, hash, about, runs_command, sends_secret } = self;
        let [what, summary, file] = [what, summary, file].map(without_long_blanks);
        PrivilegedAction { what, summary, hash, about, file, line, column, runs_command, sends_secret }
    }

    /// Says why a person is asked again who trusted this path before.
    pub(super) fn asked_again(mut self) -> Self {
        for text in [&mut self.what, &mut self.summary] {
            text.push_str("; you trusted this path before, but not everything below it");
        }
        self
    }

    /// Shows this URL in the summary without what may be secret.
    fn with_url(mut self, url: &str) -> Self {
        self.summary = self.what.replacen(&code_span(url), &code_span(&without_secrets(url)), 1);
        self
    }
}

/// Builds the actions of a workspace. The same actions in another workspace have different hashes.
pub(super) struct PrivilegedActions<'w> {
    /// The workspace's resolved path.
    pub workspace: &'w Path,
}

impl PrivilegedActions<'_> {
    fn action(&self, about: PrivilegedActionKind, what: String, content: &Value) -> UnlocatedAction {
        let hash = sha256_hex(json!([in_text(self.workspace), about.word(), content]).to_string().as_bytes());
        UnlocatedAction { summary: what.clone(), what, hash, about, runs_command: false, sends_secret: false }
    }

    /// A webhook, with all its settings.
    pub(crate) fn webhook(&self, channel: &ChannelSettings) -> Option<UnlocatedAction> {
        let endpoint = channel.endpoint.as_deref().filter(|_| channel.kind == ChannelKind::Webhook)?;
        let mut what = format!("post questions for you to {}", code_span(endpoint));
        let variable = |name: &String| code_span(&format!("${name}"));
        let mut with: Vec<String> = Vec::new();
        with.extend(channel.auth_token_env.as_ref().map(|name| format!("the bearer token in {}", variable(name))));
        with.extend(
            channel.secret_env.as_ref().map(|name| format!("a signature made with the secret in {}", variable(name))),
        );
        with.extend(channel.headers.keys().map(|name| format!("the header {}", code_span(name))));
        if !with.is_empty() {
            what.push_str(&format!(", with {}", joined(&with, usize::MAX)));
        }
        if !channel.allow_hosts.is_empty() {
            what.push_str(&format!("; private addresses are allowed for {}", code_list(&channel.allow_hosts)));
        }
        let content = json!({
            "endpoint": endpoint, "headers": channel.headers, "auth_token_env": channel.auth_token_env,
            "secret_env": channel.secret_env, "allow_hosts": channel.allow_hosts, "timeout": channel.timeout,
            "poll_interval": channel.poll_interval, "base_path": channel.base_path,
        });
        Some(self.action(PrivilegedActionKind::Webhook, what, &content).with_url(endpoint))
    }

    /// A folder outside the workspace for requests and answers.
    pub(crate) fn folder(&self, resolved: &Path) -> UnlocatedAction {
        let path = in_text(resolved);
        let what = format!("write questions for you to {}, and read the answers from there", code_span(&path));
        self.action(PrivilegedActionKind::Folder, what, &json!({ "path": path }))
    }

    /// A search index in a database, and the name under which the workspace shares it.
    pub(crate) fn index_url(&self, url: &IndexUrl, shown: &str, repository: Option<&str>) -> UnlocatedAction {
        let mut what = format!("keep the search index, with the texts of all sources, in {shown}");
        if let Some(name) = repository {
            what.push_str(&format!(", shared with all checkouts of {}", code_span(name)));
        }
        let content = json!({"url": url.with_password(), "repository": repository});
        self.action(PrivilegedActionKind::IndexUrl, what, &content)
    }

    /// Reading a database, with everything that determines how.
    pub(crate) fn database(&self, name: &str, what: String, content: &Value) -> UnlocatedAction {
        self.action(PrivilegedActionKind::Database(name.to_owned()), what, content)
    }

    /// Revealing more about the values of a database.
    pub(crate) fn database_values(&self, name: &str, what: String, content: &Value) -> UnlocatedAction {
        self.action(PrivilegedActionKind::DatabaseValues(name.to_owned()), what, content)
    }

    /// Where a local path leads, if outside the workspace, and what it gives to agents.
    pub(crate) fn reach(&self, place: &LocalPath) -> Option<(Arc<Path>, PathExtent)> {
        let real = self.real(place)?;
        // The catalog does not describe untrusted paths, and what it says of others may be out of date: a file may have
        // become a folder.
        let is_tree = place.state == PathState::Directory || real.is_dir();
        Some((real, if is_tree { PathExtent::Tree } else { PathExtent::File }))
    }

    /// Where a local path leads, if outside the workspace. Whether anything exists there is revealed only once it is
    /// trusted.
    pub(crate) fn real(&self, place: &LocalPath) -> Option<Arc<Path>> {
        match place.state {
            PathState::Reserved => None,
            PathState::Missing if place.path.is_relative() => None,
            PathState::Missing => outside(self.workspace, &place.path).map(Arc::from),
            // Below /proc, links lead to a different place in each process.
            PathState::Special => (!is_within(&place.resolved, self.workspace)).then(|| place.path.clone()),
            _ => (!is_within(&place.resolved, self.workspace)).then(|| place.resolved.clone()),
        }
    }

    /// A local source at this path, whether or not the path exists; `by` states who gets it.
    pub(crate) fn source_at(
        &self,
        source: &Source,
        resolved: &Path,
        by: SourceAudience,
        extent: PathExtent,
    ) -> UnlocatedAction {
        let path = in_text(resolved);
        let id = source.id.as_str();
        let below = if extent == PathExtent::Tree { " and everything below it" } else { "" };
        let (place, named) = (code_span(&path), mention(id));
        let what = match by {
            SourceAudience::EveryAgent => format!("let every agent read {place}{below}, as {named}"),
            SourceAudience::Selecting | SourceAudience::Picked => {
                format!("let an agent that selects {named} read {place}{below}")
            }
        };
        let mode = match (source.mode, by) {
            (Mode::Selectable, SourceAudience::EveryAgent) => json!("preselected"),
            (mode, _) => json!(mode),
        };
        let content = match extent {
            // Older versions stored trust in files and folders alike in this form. Hashes do not tell which.
            PathExtent::File => json!({"id": id, "path": path, "mode": mode}),
            PathExtent::Tree => json!({"id": id, "path": path, "mode": mode, "extent": "tree"}),
        };
        self.action(PrivilegedActionKind::Source(source.id.clone()), what, &content)
    }

    /// A source that every agent is instructed to fetch, or whose tool it is instructed to call. Trust in it as part of
    /// a person's picks is not trust in it for whatever else the workspace does with it.
    pub(crate) fn for_every_agent(&self, source: &Source, by: SourceAudience) -> Option<UnlocatedAction> {
        let id = source.id.as_str();
        let hint = &source.fetch_hint;
        let (what, content) = match source.kind.with_trust() {
            SourceKind::Url { url } => {
                let what = format!("tell every agent to fetch {}", code_span(url));
                (what, json!({"id": id, "url": url, "hint": hint}))
            }
            SourceKind::Mcp { server, tool, args } => {
                let with = if args.is_empty() { String::new() } else { format!(" with {}", code_span(args)) };
                let (tool_name, server_name) = (code_span(tool), code_span(server));
                let what = format!("tell every agent to call the tool {tool_name} of the server {server_name}{with}");
                let args: Value = serde_json::from_str(args).unwrap_or_default();
                (what, json!({"id": id, "server": server, "tool": tool, "args": args, "hint": hint}))
            }
            SourceKind::Local(_) | SourceKind::Inline { .. } | SourceKind::Withheld(_) => return None,
        };
        let hinted = hint.as_ref().map(|hint| format!(", with the hint {}", code_span(hint))).unwrap_or_default();
        let what = format!("{what}, as {}{hinted}", mention(id));
        let (what, content) = match by {
            SourceAudience::Picked => (format!("{what}, which your picks bring"), json!({ "picked": content })),
            SourceAudience::EveryAgent | SourceAudience::Selecting => (what, content),
        };
        let action = self.action(PrivilegedActionKind::Source(source.id.clone()), what, &content);
        Some(match source.kind.with_trust() {
            SourceKind::Url { url } => action.with_url(url),
            _ => action,
        })
    }

    /// A folder outside the workspace whose files define sources, which agents can thereby read.
    pub(crate) fn references(&self, resolved: &Path) -> UnlocatedAction {
        let path = in_text(resolved);
        let what =
            format!("let agents read the sources that the files in {} define, with their texts", code_span(&path));
        self.action(PrivilegedActionKind::References, what, &json!({ "path": path }))
    }

    /// A file in the references folder that is a link and leads outside.
    pub(crate) fn reference(&self, file: &Path, resolved: &Path) -> UnlocatedAction {
        let path = in_text(resolved);
        let what = format!("let agents read the source that {} defines, with its text", code_span(&path));
        self.action(PrivilegedActionKind::Reference(file.to_path_buf()), what, &json!({ "path": path }))
    }

    /// A source whose text is in a file outside, reached by a link.
    pub(crate) fn text(&self, source: &Source, resolved: &Path) -> UnlocatedAction {
        let (id, path) = (source.id.as_str(), in_text(resolved));
        let what = format!("let agents read the text in {}, as {}", code_span(&path), mention(id));
        let content = json!({"id": id, "text_of": path, "mode": source.mode});
        self.action(PrivilegedActionKind::Source(source.id.clone()), what, &content)
    }

    /// Such a text, or one that a file outside defines, for every agent.
    pub(crate) fn text_for_every_agent(&self, source: &Source, resolved: &Path) -> UnlocatedAction {
        let (id, path) = (source.id.as_str(), in_text(resolved));
        let what = format!("give every agent the text of {}, from {}", mention(id), code_span(&path));
        let content = json!({"id": id, "text_of": path, "mode": "preselected"});
        self.action(PrivilegedActionKind::Source(source.id.clone()), what, &content)
    }

    /// Every rule that allows writes without asking, together with the rules that restrict it: denials, and later rules
    /// that ask.
    pub(crate) fn approvals(&self, rules: &[Rule]) -> Vec<UnlocatedAction> {
        let is_auto = |(at, rule): &(usize, &Rule)| (rule.verdict == ApprovalMode::Auto).then_some(*at);
        rules.iter().enumerate().filter_map(|it| is_auto(&it)).filter_map(|at| self.approval(rules, at)).collect()
    }

    /// The rule with this index, if it allows writes without asking.
    pub(crate) fn approval(&self, rules: &[Rule], at: usize) -> Option<UnlocatedAction> {
        let glob = rules.get(at).filter(|rule| rule.verdict == ApprovalMode::Auto).map(|rule| rule.glob.as_str())?;
        let takes_back = |(other, rule): &(usize, &Rule)| match rule.verdict {
            ApprovalMode::Deny => true,
            ApprovalMode::Ask => *other > at,
            ApprovalMode::Auto => false,
        };
        let unless: Vec<(&str, &str)> = rules
            .iter()
            .enumerate()
            .filter(takes_back)
            .map(|(_, rule)| (rule.glob.as_str(), if rule.verdict == ApprovalMode::Deny { "deny" } else { "ask" }))
            .collect();
        let mut what = format!("let agents write files that match {} without asking you", code_span(glob));
        if !unless.is_empty() {
            what.push_str(&format!(", except {}", code_list(unless.iter().map(|(glob, _)| *glob))));
        }
        Some(self.action(PrivilegedActionKind::Approval(at), what, &json!({"glob": glob, "unless": unless})))
    }
}

/// `@id` as code, because an id may contain blanks and commas.
fn mention(id: &str) -> String {
    code_span(&format!("@{id}"))
}

/// Values of a sentence, each quoted.
pub(super) fn code_list(values: impl IntoIterator<Item = impl AsRef<str>>) -> String {
    values.into_iter().map(|value| code_span(value.as_ref())).collect::<Vec<_>>().join(", ")
}

/// A unique text for each path: a path that is not Unicode is escaped and quoted, and no absolute path starts with a
/// quote.
pub(super) fn in_text(path: &Path) -> String {
    path.to_str().map_or_else(|| format!("{path:?}"), str::to_owned)
}

/// Where an absolute path leads, if outside the workspace. Neither the path nor the targets of its links need to exist.
pub(super) fn outside(workspace: &Path, path: &Path) -> Option<PathBuf> {
    place(workspace, path).1
}

/// Resolves an absolute path; also returns the result a second time if it is outside the workspace. Links are resolved
/// only here, so that exactly the checked path is opened, even if links change. A path that cannot be resolved is
/// opened as written.
pub(super) fn place(workspace: &Path, path: &Path) -> (PathBuf, Option<PathBuf>) {
    let (opened, real) = match resolve(path) {
        Ok(real) => (real.clone(), real),
        // The part that could be resolved.
        Err(Unresolved::BelowFile(part) | Unresolved::Unreadable(part, _)) => (path.to_path_buf(), part),
        Err(Unresolved::Loop) => (path.to_path_buf(), path.to_path_buf()),
    };
    let is_outside = !real.starts_with(workspace);
    (opened, is_outside.then_some(real))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use refdesk_core::catalog::testing::local;

    fn actions(workspace: &str) -> PrivilegedActions<'_> {
        PrivilegedActions { workspace: Path::new(workspace) }
    }

    /// The action of a local source for agents that select it.
    fn selecting(source: &Source) -> Option<UnlocatedAction> {
        let (real, extent) = actions("/w").reach(source.place().unwrap())?;
        Some(actions("/w").source_at(source, &real, SourceAudience::Selecting, extent))
    }

    #[test]
    fn only_paths_that_lead_outside_are_actions() {
        let of = |path: &str, path_state| selecting(&local("a", Path::new(path), path_state)).map(|action| action.what);
        for (path, path_state, expected) in [
            ("/w/a.md", PathState::File, None),
            ("/w", PathState::Directory, None),
            ("/w/gone", PathState::Missing, None),
            ("/gone", PathState::Missing, Some("let an agent that selects `@a` read `/gone`")),
            ("C:\\gone", PathState::Missing, None),
            ("/w/pipe", PathState::Special, None),
            ("/proc/self/status", PathState::Special, Some("let an agent that selects `@a` read `/proc/self/status`")),
            ("/w-evil/a.md", PathState::File, Some("let an agent that selects `@a` read `/w-evil/a.md`")),
            ("/", PathState::Directory, Some("let an agent that selects `@a` read `/` and everything below it")),
        ] {
            assert_eq!(of(path, path_state).as_deref(), expected, "{path}");
        }
    }

    #[test]
    fn a_webhook_names_its_target_and_its_headers() {
        let channel = ChannelSettings {
            kind: ChannelKind::Webhook,
            endpoint: Some("https://example.org/x".into()),
            auth_token_env: Some("TOKEN".into()),
            secret_env: Some("SECRET".into()),
            headers: [("X-Team".to_owned(), "a".to_owned())].into(),
            allow_hosts: vec!["10.0.0.1".into()],
            ..ChannelSettings::default()
        };
        let reported = "post questions for you to `https://example.org/x`, with the bearer token in `$TOKEN`, a \
                    signature made with the secret in `$SECRET` and the header `X-Team`; private addresses are allowed for \
                    `10.0.0.1`";
        assert_eq!(actions("/w").webhook(&channel).unwrap().what, reported);
        assert!(actions("/w").webhook(&ChannelSettings { kind: ChannelKind::File, ..channel }).is_none());
        assert!(
            actions("/w")
                .webhook(&ChannelSettings { kind: ChannelKind::Webhook, ..ChannelSettings::default() })
                .is_none()
        );
    }

    /// Any changed setting of a webhook makes it a different action.
    #[test]
    fn every_field_of_a_webhook_counts() {
        let first = ChannelSettings {
            kind: ChannelKind::Webhook,
            endpoint: Some("https://a".into()),
            headers: [("a".to_owned(), "b".to_owned())].into(),
            ..ChannelSettings::default()
        };
        let changed: [fn(&mut ChannelSettings); 9] = [
            |_| {},
            |it| it.endpoint = Some("https://b".into()),
            |it| it.auth_token_env = Some("A".into()),
            |it| it.secret_env = Some("A".into()),
            |it| it.headers = [("a".to_owned(), "c".to_owned())].into(),
            |it| it.allow_hosts = vec!["a".into()],
            |it| it.timeout = 1.0,
            |it| it.poll_interval = 1.0,
            |it| it.base_path = Some("x".into()),
        ];
        let hashes: BTreeSet<String> = changed
            .iter()
            .map(|change| {
                let mut channel = first.clone();
                change(&mut channel);
                actions("/w").webhook(&channel).unwrap().hash
            })
            .collect();
        assert_eq!(hashes.len(), changed.len());
        assert!(!hashes.contains(&actions("/v").webhook(&first).unwrap().hash), "another workspace");
    }

    #[test]
    fn a_source_is_its_id_path_mode_and_extent() {
        let source = local("a", Path::new("/out/a.md"), PathState::File);
        let hash = |source: &Source| selecting(source).unwrap().hash;
        let same = Source { name: "another".into(), description: "x".into(), tags: vec!["t".into()], ..source.clone() };
        assert_eq!(hash(&source), hash(&same));
        for other in [
            local("b", Path::new("/out/a.md"), PathState::File),
            local("a", Path::new("/out/b.md"), PathState::File),
            Source { mode: Mode::Auto, ..source.clone() },
            local("a", Path::new("/out/a.md"), PathState::Directory),
        ] {
            assert_ne!(hash(&source), hash(&other));
        }
    }

    #[test]
    fn a_rule_includes_the_rules_that_restrict_it() {
        let rule = |(glob, verdict): &(&str, ApprovalMode)| Rule { glob: (*glob).to_owned(), verdict: *verdict };
        let first = |rules: &[(&str, ApprovalMode)]| {
            let rules: Vec<Rule> = rules.iter().map(rule).collect();
            actions("/w").approvals(&rules).into_iter().next().map(|action| (action.hash, action.what))
        };
        use ApprovalMode::{Ask, Auto, Deny};
        let reported = first(&[("src/**", Auto), ("src/x", Ask), ("*.pem", Deny)]).unwrap();
        assert_eq!(
            reported.1,
            "let agents write files that match `src/**` without asking you, except `src/x`, `*.pem`"
        );
        assert_eq!(
            Some(&reported.0),
            first(&[("docs/**", Ask), ("src/**", Auto), ("src/x", Ask), ("*.pem", Deny)]).map(|it| it.0).as_ref(),
            "an earlier rule revokes nothing"
        );
        for changed in [
            &[("src/**", Auto), ("*.pem", Deny)][..],
            &[("src/**", Auto), ("src/x", Ask)],
            &[("src/x", Ask), ("src/**", Auto), ("*.pem", Deny)],
            &[("src/*", Auto), ("src/x", Ask), ("*.pem", Deny)],
        ] {
            assert_ne!(Some(&reported.0), first(changed).map(|it| it.0).as_ref(), "{changed:?}");
        }
        assert_eq!(first(&[("**", Ask), ("x", Deny)]), None);
    }

    #[test]
    fn no_value_continues_the_sentence_about_it() {
        let rule = |glob: &str, verdict| Rule { glob: glob.to_owned(), verdict };
        let rules = [
            rule("{a/**` without asking you, except `x,*,*/**}", ApprovalMode::Auto),
            rule("y`, `z", ApprovalMode::Deny),
        ];
        assert_eq!(
            actions("/w").approval(&rules, 0).unwrap().what,
            "let agents write files that match ``{a/**` without asking you, except `x,*,*/**}`` without asking you, \
             except ``y`, `z``"
        );
        let kind = SourceKind::Url { url: "https://a, as @b (`x`)".to_owned() };
        let source = Source {
            kind,
            fetch_hint: Some("it's\n`new`".to_owned()),
            ..local("a, b", Path::new("/"), PathState::File)
        };
        assert_eq!(
            actions("/w").for_every_agent(&source, SourceAudience::EveryAgent).unwrap().what,
            "tell every agent to fetch ``https://a, as @b (`x`)``, as `@a, b`, with the hint `` it's\\n`new` ``"
        );
        let source = local("a", Path::new("/out/x, as @docs (already trusted)"), PathState::File);
        let what = selecting(&source).unwrap().what;
        assert_eq!(what, "let an agent that selects `@a` read `/out/x, as @docs (already trusted)`");
    }

    #[test]
    fn targets_of_paths_that_may_not_exist() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        let workspace = root.join("w");
        std::fs::create_dir_all(workspace.join("real")).unwrap();
        std::fs::create_dir_all(root.join("out")).unwrap();
        symlink("../out", workspace.join("link")).unwrap();
        symlink("../none", workspace.join("dangling")).unwrap();
        symlink("loop", workspace.join("loop")).unwrap();
        symlink("real", workspace.join("inside")).unwrap();
        for (path, expected) in [
            ("w/real", None),
            ("w/none/x", None),
            ("w/inside/none", None),
            ("w/link", Some("out")),
            ("w/link/none/x", Some("out/none/x")),
            ("w/dangling/x", Some("none/x")),
            ("w/loop/x", None),
            ("w-evil/x", Some("w-evil/x")),
            ("out", Some("out")),
        ] {
            assert_eq!(outside(&workspace, &root.join(path)), expected.map(|path| root.join(path)), "{path}");
        }
    }

    proptest! {
        #[test]
        fn different_actions_have_different_hashes(a in "[a-c/\",]{1,4}", b in "[a-c/\",]{1,4}", c in "[a-c/\",]{1,4}", d in "[a-c/\",]{1,4}") {
            let hash = |id: &str, path: &str| {
                let source = local(id, &Path::new("/out").join(path.trim_start_matches('/')), PathState::File);
                (selecting(&source).unwrap().hash, in_text(&source.place().unwrap().resolved))
            };
            let ((one, first), (two, second)) = (hash(&a, &b), hash(&c, &d));
            prop_assert_eq!(one == two, (&a, first) == (&c, second));
        }
    }
}
