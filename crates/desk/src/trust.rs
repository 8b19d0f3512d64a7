//! Trust in the privileged actions of a workspace's configuration (BEHAVIOUR §9). Without trust, agents get no access
//! to paths outside, the channel is not used, and every write needs approval. The trust file is read whenever it
//! matters, so that a decision in another process takes effect immediately. A configuration outside the workspace (in
//! the home folder, or given by `--config` or `$REFERENCES_CONFIG_PATH`) belongs to the user and needs no trust. One
//! that is inside, by its path or through a link, does.

mod check;
mod unrequested;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use self::check::{TrustCheck, resolved};
use super::privileged_actions::{
    PathExtent, PrivilegedAction, PrivilegedActionKind, SENTENCE, SourceAudience, UnlocatedAction, in_text, outside,
};
use super::{CompleteDesk, Desk, Session};
use crate::session::{Trusted, advice};
use refdesk_core::catalog::{
    self, Catalog, CatalogOptions, LocalPath, PathState, PlainSources, Source, SourceId, SourceKind, narrowed,
};
use refdesk_core::config::{self, ApprovalMode, ChannelKind, ChannelSettings, Config, profile};
use refdesk_core::selection::Access;
use refdesk_enrich::BlockKind;
use refdesk_files::path::{absolute, display};
use refdesk_files::{code_of, is_disk_full, more_room};
use refdesk_index::Location;
use refdesk_templates::{Template, TemplateIndex, UnreadableTemplate};
use refdesk_text::names::first_of;
use refdesk_text::report::Diagnostic;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::tokens::grouped;
use refdesk_text::{Code, Error, Fix};

/// The result of revoking trust.
#[derive(Debug)]
pub struct RevokedTrust {
    /// The current actions that had been trusted.
    pub actions: Vec<PrivilegedAction>,
    /// The number of sections removed from the search index.
    pub sections: usize,
    /// Why the index may still contain texts that are no longer trusted.
    pub still_indexed: Option<Error>,
}

impl Desk {
    /// Whether a write by an agent to `path` needs approval; `shown` is that path as displayed. The write is denied if
    /// either is, and free only if both are. Links are not resolved again, because where they lead may have changed
    /// since: the file that is written is judged. Also returns whether it would be free if every rule were trusted.
    pub(crate) fn verdict(&self, shown: &str, path: &Path) -> (ApprovalMode, bool) {
        let rules = &self.config.settings.approval;
        if rules.is_empty() {
            return (ApprovalMode::Ask, false);
        }
        let check = TrustCheck::new(self);
        let counts = |at: usize| check.actions().approval(rules, at).is_none_or(|action| check.trusts_config(&action));
        let names = [shown, &display(&check.workspace, path)];
        let judge = |counts: &dyn Fn(usize) -> bool| {
            let verdicts = names.map(|name| config::verdict(rules, name, counts));
            match verdicts {
                _ if verdicts.contains(&ApprovalMode::Deny) => ApprovalMode::Deny,
                [ApprovalMode::Auto, ApprovalMode::Auto] => ApprovalMode::Auto,
                _ => ApprovalMode::Ask,
            }
        };
        (judge(&counts), judge(&|_| true) == ApprovalMode::Auto)
    }

    /// The trusted part of the channel settings: drops an untrusted webhook, and replaces an untrusted folder outside
    /// the workspace with the default folder.
    pub fn channel(&self) -> ChannelSettings {
        let channel = &self.config.settings.channel;
        let mut trusted = channel.clone();
        for action in TrustCheck::new(self).untrusted_channel() {
            match action.about {
                PrivilegedActionKind::Folder => trusted.base_path = None,
                _ => {
                    trusted = ChannelSettings {
                        base_path: trusted.base_path,
                        ..ChannelSettings { kind: trusted.kind, ..ChannelSettings::default() }
                    }
                }
            }
        }
        trusted
    }

    /// Why the configured channel is not used, if it is not trusted.
    pub(crate) fn channel_refusal(&self) -> Option<Error> {
        let kind = self.config.settings.channel.kind;
        let is_needed = |action: &UnlocatedAction| match kind {
            ChannelKind::Webhook => action.about == PrivilegedActionKind::Webhook,
            ChannelKind::File => action.about == PrivilegedActionKind::Folder,
            ChannelKind::Queue | ChannelKind::Console => false,
        };
        let action = TrustCheck::new(self).untrusted_channel().into_iter().find(is_needed)?;
        // The target may contain a secret, and agents see this error; only the person who is asked for trust sees the
        // target.
        let what =
            if action.about == PrivilegedActionKind::Webhook { "a webhook" } else { "files outside the workspace" };
        let message = format!("the channel of this workspace, {what}, waits for trust");
        Some(Error::new(Code::Untrusted, message, Fix::Trust))
    }

    /// Whether the index may be in the configured database.
    pub(super) fn trusts_index_url(&self) -> bool {
        let check = TrustCheck::new(self);
        check.index_url().is_none_or(|action| action.is_ok_and(|action| check.trusts(&action.hash)))
    }

    /// Whether no trust would make the configured database usable for the index.
    pub(super) fn refuses_index_url(&self) -> bool {
        TrustCheck::new(self).index_url().is_some_and(|action| action.is_err())
    }

    /// All privileged actions of this workspace's configuration, trusted or not, those that run commands last; not those that
    /// are too long to read.
    pub fn actions(&self) -> Vec<PrivilegedAction> {
        self.readable_actions(&TrustCheck::new(self)).0
    }

    /// The actions, and separately those that are too long to be read and have not been trusted before.
    fn readable_actions(&self, check: &TrustCheck<'_>) -> (Vec<PrivilegedAction>, Vec<PrivilegedAction>) {
        let is_readable = |action: &PrivilegedAction| !action.is_unreadable() || check.trusts(&action.hash);
        let (mut readable, unreadable): (Vec<_>, Vec<_>) = self.all_actions(check).into_iter().partition(is_readable);
        readable.sort_by_key(PrivilegedAction::rank);
        (readable, unreadable)
    }

    fn all_actions(&self, check: &TrustCheck<'_>) -> Vec<PrivilegedAction> {
        let mut found = Vec::new();
        if check.config_is_foreign() {
            let settings = &self.config.settings;
            found.extend(check.channel().into_iter().map(|bare| self.located(bare)));
            found.extend(self.located_rules(check.actions().approvals(&settings.approval)));
        }
        found.extend(check.index_url().and_then(Result::ok).map(|bare| self.located(bare)));
        for (bare, line) in self.database_actions(check) {
            found.push(PrivilegedAction { line: Some(line), ..self.located(bare) });
        }
        found.extend(check.references().map(|(_, bare)| self.located(bare)));
        let linked = self.linked_references.iter().filter_map(|file| check.linked(file));
        found.extend(linked.map(|bare| self.located(bare)));
        let sources = self.catalog.sources().iter().filter_map(|source| check.source(source));
        // Do not list a text again if its folder or file is listed.
        let own = sources.filter(|bare| {
            !matches!(bare.about, PrivilegedActionKind::References | PrivilegedActionKind::Reference(_))
        });
        found.extend(own.map(|bare| self.located(bare)));
        found
    }

    /// Like [`Self::actions`], with the actions of sources that only profiles define; untrusted ones first, and their
    /// number.
    pub fn actions_with_profiles(&self) -> (Vec<PrivilegedAction>, usize) {
        let check = TrustCheck::new(self);
        let mut actions = self.actions();
        let (found, _) = profile::read_all(self.workspace_context());
        for profile in found.iter().filter_map(|found| found.read.as_ref().ok()) {
            let Some(catalog) = narrowed(self.workspace_context(), &self.catalog, profile).catalog else {
                continue;
            };
            let picks: HashSet<&str> = profile.preselected.iter().map(String::as_str).collect();
            for source in catalog.sources() {
                let by = match picks.contains(source.id.as_str()) {
                    true => SourceAudience::EveryAgent,
                    false if source.origin.file == profile.document.path => check.audience(source),
                    false => continue,
                };
                let Some(bare) = check.source_for(source, by) else { continue };
                actions.push(bare.at(profile.document.shown.clone(), None, None));
            }
        }
        let mut seen = HashSet::new();
        actions.retain(|action| seen.insert(action.hash.clone()));
        actions.retain(|action| !action.is_unreadable() || check.trusts(&action.hash));
        actions.sort_by_key(|action| (check.trusts(&action.hash), action.rank()));
        let waiting = actions.iter().take_while(|action| !check.trusts(&action.hash)).count();
        (actions, waiting)
    }

    /// The untrusted actions.
    pub fn untrusted(&self) -> Vec<PrivilegedAction> {
        let mut actions = self.actions();
        let check = TrustCheck::new(self);
        actions.retain(|action| !check.trusts(&action.hash));
        actions
    }

    /// Trusts exactly these actions.
    ///
    /// # Errors
    /// They cannot be stored; nothing is trusted in that case.
    pub fn trust(&self, actions: &[PrivilegedAction]) -> Result<(), Error> {
        if actions.is_empty() {
            return Ok(());
        }
        self.trust_hashes(actions.iter().map(|action| action.hash.clone()))
    }

    fn trust_hashes(&self, hashes: impl IntoIterator<Item = String>) -> Result<(), Error> {
        let workspace = resolved(self.workspace());
        let kept = self.trust_file(&workspace)?.add(&in_text(&workspace), hashes);
        kept.map(drop).map_err(|error| trust_not_stored(&error))
    }

    /// Removes all trust from this workspace, and removes texts that are no longer trusted from the search index.
    ///
    /// # Errors
    /// The trust file cannot be changed; everything is still trusted in that case.
    pub fn revoke(&self) -> Result<RevokedTrust, Error> {
        let (mut actions, waiting) = self.actions_with_profiles();
        let check = TrustCheck::new(self);
        actions.drain(..waiting);
        // Locate the indexes first: reaching the index's database may need trust, too.
        let indexes = self.index_locations();
        let kept = self.trust_file(&check.workspace)?.remove(&in_text(&check.workspace));
        kept.map_err(|error| trust_not_stored(&error))?;
        let (sections, still_indexed) = self.forget_untrusted(&indexes);
        Ok(RevokedTrust { actions, sections, still_indexed })
    }

    /// Removes from the indexes what only trust allowed there; returns the number of sections removed, and why some may
    /// remain.
    fn forget_untrusted(&self, indexes: &[Location]) -> (usize, Option<Error>) {
        let check = TrustCheck::new(self);
        let is_withheld = |action: Option<UnlocatedAction>| action.is_some_and(|action| !check.trusts(&action.hash));
        let may_stay = |source: &str, path: &str| {
            let Some(source) = self.catalog.get(source) else {
                // The source belongs to a profile that is not loaded.
                let path = Path::new(path);
                return path.is_relative() || outside(&check.workspace, path).is_none();
            };
            let is_defined_outside = source.origin.entry.is_none() && is_withheld(check.linked(&source.origin.file));
            // What the workspace's own catalog says about a source is not private.
            let is_about = path.is_empty() && !matches!(source.kind, SourceKind::Inline { .. });
            !is_defined_outside && (is_about || !check.withholds(source))
        };
        let (mut sections, mut still_indexed) = (0, None);
        for index in indexes {
            let refused = match refdesk_index::forget(index, &may_stay) {
                Ok(Some(removed)) => {
                    sections += removed;
                    continue;
                }
                Ok(None) => {
                    Error::new(Code::IndexUnwritable, "another process is updating the search index", Fix::BuildIndex)
                }
                Err(error) if error.code == Code::IndexForeign => {
                    Error { fix: format!("remove {}", index.shown()).into(), ..error }
                }
                Err(error) => error,
            };
            let message = format!("texts that are no longer trusted may still be indexed: {}", refused.message);
            still_indexed = Some(Error { message, ..refused });
        }
        (sections, still_indexed)
    }

    /// Every untrusted action, and every database and address of an index that is refused, at its position in the configuration, and the problems
    /// of the trust file.
    pub fn waiting(&self) -> Vec<Diagnostic> {
        let check = TrustCheck::new(self);
        let mut refused = self.refused_databases(&check);
        refused.extend(check.index_url().and_then(Result::err).map(|error| self.at_index_url(error)));
        let (actions, unreadable) = self.readable_actions(&check);
        if actions.is_empty() && unreadable.is_empty() {
            return refused;
        }
        let located = |action: PrivilegedAction, problem: Diagnostic| {
            let problem = problem.in_file(action.file);
            let problem = match action.about {
                PrivilegedActionKind::Source(id) => problem.about(id.as_str()),
                _ => problem,
            };
            Diagnostic { line: action.line, column: action.column, ..problem }
        };
        let waiting = actions.into_iter().filter(|action| !check.trusts(&action.hash)).map(|action| {
            let message = format!("this {} needs your trust: it wants to {}", part(&action), action.summary);
            let problem = Diagnostic::warning(Code::Untrusted, message).fix(Fix::Trust);
            located(action, problem)
        });
        let unreadable = unreadable.into_iter().map(|action| {
            let message = format!("this {} {}: {}", part(&action), too_long_to_trust(), action.summary);
            let problem = Diagnostic::error(Code::TooLong, message).fix(SHORTEN);
            located(action, problem)
        });
        let problems: Vec<Diagnostic> = waiting.chain(unreadable).collect();
        check.problems().iter().cloned().chain(problems).chain(refused).collect()
    }

    fn at_index_url(&self, Error { code, message, fix, .. }: Error) -> Diagnostic {
        let problem = Diagnostic::error(code, message).fix(fix);
        let Some(document) = &self.config.document else { return problem };
        let at = document.position(&[PointerStep::Key("index_url")], config::MemberPart::Key);
        Diagnostic { line: Some(at.line), column: Some(at.column), ..problem.in_file(document.shown.clone()) }
    }

    /// The templates that may be rendered for an agent: not those of untrusted sources, because rendering reveals their
    /// text.
    pub fn readable<'i>(&self, index: &'i TemplateIndex) -> Cow<'i, TemplateIndex> {
        let check = TrustCheck::new(self);
        let sources = index.templates.iter().map(|it| &it.source).chain(index.unreadable.iter().map(|it| &it.source));
        let sources: BTreeSet<&SourceId> = sources.flatten().collect();
        let is_withheld = |id: &&SourceId| self.catalog.get(id.as_str()).is_some_and(|source| check.withholds(source));
        let withheld: BTreeSet<&SourceId> = sources.into_iter().filter(is_withheld).collect();
        if withheld.is_empty() {
            return Cow::Borrowed(index);
        }
        let is_readable = |it: &&Template| it.source.as_ref().is_none_or(|source| !withheld.contains(source));
        let templates = index.templates.iter().filter(is_readable).cloned().collect();
        // The reason why a file cannot be read tells nothing of its text, but its name is the source's too.
        let is_known = |it: &&UnreadableTemplate| it.source.as_ref().is_none_or(|source| !withheld.contains(source));
        let unreadable = index.unreadable.iter().filter(is_known).cloned().collect();
        Cow::Owned(TemplateIndex { templates, unreadable })
    }

    /// Returns a predicate for sources that are not trusted yet, whose text no reader gets.
    pub fn waiting_for_trust(&self) -> impl Fn(&Source) -> bool {
        let check = TrustCheck::new(self);
        move |source| source.is_untrusted() || check.withholds(source)
    }

    /// Returns a predicate for sources that no person can trust, because what they want takes too long to say.
    pub fn beyond_trust(&self) -> impl Fn(&Source) -> bool {
        let check = TrustCheck::new(self);
        move |source| check.withholds(source) && check.source(source).is_some_and(|action| action.is_unreadable())
    }

    /// Reads the catalog of this configuration. Untrusted sources outside the workspace are listed but not read.
    pub(super) fn load_catalog(
        &self,
        config: &Config,
        plain: PlainSources,
        previous: Option<&Catalog>,
    ) -> LoadedCatalog {
        let check = TrustCheck::new(self);
        let (linked, decided) = (RefCell::new(Vec::new()), RefCell::new(TrustDecisions::new()));
        let is_trusted = |bare: UnlocatedAction| {
            let is_trusted = check.trusts(&bare.hash);
            decided.borrow_mut().push((bare.hash, is_trusted));
            is_trusted
        };
        let folder = self.references_folder();
        let may_read = |path: &Path, real: &Path| {
            if *path == *folder {
                return check.references_at(real).is_none_or(is_trusted);
            }
            let Some(bare) = check.linked_to(path, real) else { return true };
            linked.borrow_mut().push(path.to_path_buf());
            is_trusted(bare)
        };
        let wanted = &self.options.wanted;
        let is_compared = self.options.is_compared();
        let reading = CatalogOptions { previous, may_read: &may_read, wanted, is_compared };
        let (catalog, diagnostics) = catalog::load(self.workspace_context(), config, plain, reading);
        let problems = check.problems_so_far();
        LoadedCatalog { catalog, diagnostics, linked: linked.into_inner(), decided: decided.into_inner(), problems }
    }

    /// Marks untrusted sources in the catalog; adds the decision about each source, and the problems of the trust file.
    pub(super) fn without_untrusted(
        &self,
        catalog: Catalog,
        decided: &mut TrustDecisions,
        problems: &mut Vec<Diagnostic>,
    ) -> Catalog {
        let check = TrustCheck::new(self);
        let mut checked = |source: &Source| {
            let action = check.source(source);
            let is_trusted = action.is_none_or(|bare| {
                let is_trusted = check.trusts(&bare.hash);
                decided.push((bare.hash, is_trusted));
                is_trusted
            });
            let kind = match &source.kind {
                SourceKind::Withheld(kind) if is_trusted => (**kind).clone(),
                SourceKind::Local(place) if !is_trusted => {
                    let resolved = check.actions().real(place).unwrap_or_else(|| place.resolved.clone());
                    SourceKind::Local(LocalPath { state: PathState::Untrusted, size: None, resolved, ..place.clone() })
                }
                SourceKind::Inline { .. } if !is_trusted => SourceKind::Inline { content: UNTRUSTED_TEXT.into() },
                kind @ (SourceKind::Url { .. } | SourceKind::Mcp { .. }) if !is_trusted => {
                    SourceKind::Withheld(Box::new(kind.clone()))
                }
                _ => return None,
            };
            Some(Arc::new(Source { kind, ..source.clone() }))
        };
        let sources = catalog.sources().iter().enumerate();
        let changed: Vec<_> = sources.filter_map(|(at, source)| Some((at, checked(source)?))).collect();
        problems.extend(check.problems_so_far());
        if changed.is_empty() { catalog } else { catalog.with(changed) }
    }

    /// Whether a path may be accessed to look for a source: it must be in the workspace, trusted, or given by the user.
    pub(crate) fn may_access(&self, source: &Source, path: &Path) -> bool {
        let check = TrustCheck::new(self);
        let may_be_foreign = check.is_foreign(source) || path.starts_with(self.workspace());
        let Some(real) = outside(&check.workspace, path).filter(|_| may_be_foreign) else { return true };
        check.trusts(&check.source_at(source, &real, check.audience(source), PathExtent::File).hash)
    }

    /// The references folder, if its files may be read.
    pub(crate) fn open_references_folder(&self) -> Option<PathBuf> {
        let check = TrustCheck::new(self);
        let may_read = check.references().is_none_or(|(_, bare)| check.trusts(&bare.hash));
        may_read.then(|| self.references_folder())
    }

    /// Whether this path of the workspace is still inside it after resolving links.
    pub(crate) fn stays_inside(&self, path: &Path) -> bool {
        outside(&resolved(self.workspace()), path).is_none()
    }

    /// Whether trust changed since the catalog was read, so that it must be read again.
    pub fn has_stale_trust(&self) -> bool {
        if self.decided.is_empty() {
            return false;
        }
        let check = TrustCheck::new(self);
        self.decided.iter().any(|(hash, was_trusted)| check.trusts(hash) != *was_trusted)
    }

    fn trust_file(&self, workspace: &Path) -> Result<Trusted, Error> {
        let Some(state) = &self.options.state else {
            let hint = "set HOME, or XDG_STATE_HOME to a folder that you own";
            return Err(Error::new(Code::NoStateFolder, "there is no state folder to store trust in", hint));
        };
        if outside(workspace, &absolute(self.workspace(), state)).is_none() {
            let message = format!("{} is inside the workspace, where trust is never stored", state.display());
            return Err(Error::new(Code::NoStateFolder, message, "set XDG_STATE_HOME to a folder outside it"));
        }
        Ok(Trusted::new(state, self.options.clock, self.options.lock_timeout))
    }

    /// The action with its position in the configuration.
    fn located(&self, bare: UnlocatedAction) -> PrivilegedAction {
        let document = self.config.document.as_ref();
        let key = |path: &[PointerStep<'_>]| document.map(|document| document.position(path, config::MemberPart::Key));
        let config_file = || document.map(|document| document.shown.clone()).unwrap_or_default();
        let (file, position) = match &bare.about {
            PrivilegedActionKind::Webhook => (config_file(), key(&[PointerStep::Key("channel")])),
            PrivilegedActionKind::Folder => {
                (config_file(), key(&[PointerStep::Key("channel"), PointerStep::Key("base_path")]))
            }
            // Its line is determined together with those of the other rules.
            PrivilegedActionKind::Approval(_) => (config_file(), None),
            PrivilegedActionKind::IndexUrl => (config_file(), key(&[PointerStep::Key("index_url")])),
            PrivilegedActionKind::Database(_) | PrivilegedActionKind::DatabaseValues(_) => {
                (self.databases_file().unwrap_or_default().to_owned(), None)
            }
            PrivilegedActionKind::References => (config_file(), key(&[PointerStep::Key("references_dir")])),
            PrivilegedActionKind::Reference(file) => (self.workspace_context().display(file), None),
            PrivilegedActionKind::Source(id) => {
                let (file, line, column) = self.entry_of(id.as_str());
                return bare.at(file, line, column);
            }
        };
        bare.at(file, position.map(|at| at.line), position.map(|at| at.column))
    }

    /// Locates the actions of approval rules, all in one pass over the document, which may have a million unused rules.
    fn located_rules(&self, actions: Vec<UnlocatedAction>) -> Vec<PrivilegedAction> {
        let rules = &self.config.settings.approval;
        let glob = |action: &UnlocatedAction| match action.about {
            PrivilegedActionKind::Approval(at) => rules.get(at).map(|rule| rule.glob.as_str()),
            _ => None,
        };
        let globs: HashSet<&str> = actions.iter().filter_map(glob).collect();
        let document = self.config.document.as_ref().filter(|_| !globs.is_empty());
        let lines = document.map(|document| document.member_lines(&[PointerStep::Key("approval")], &globs));
        let lines = lines.unwrap_or_default();
        let located = |action: UnlocatedAction| {
            let line = glob(&action).and_then(|glob| lines.get(glob).copied());
            PrivilegedAction { line, ..self.located(action) }
        };
        actions.into_iter().map(located).collect()
    }

    /// The file of a source's entry, as displayed, its line, and its column if known.
    fn entry_of(&self, id: &str) -> (String, Option<usize>, Option<usize>) {
        let Some(source) = self.catalog.get(id) else { return Default::default() };
        let file = self.workspace_context().display(&source.origin.file);
        // The configuration may have thousands of entries, so use the document that is already parsed.
        match (source.origin.entry, &self.config.document) {
            (Some(at), Some(document)) if document.path == source.origin.file => {
                let path = [PointerStep::Key("sources"), PointerStep::Item(at)];
                let at = document.position(&path, config::MemberPart::Value);
                (file, Some(at.line), Some(at.column))
            }
            _ => (file, self.definition(id).ok().map(|spot| spot.line), None),
        }
    }
}

impl CompleteDesk<'_> {
    /// What the session may read: the paths of selected, auto and expanded sources, except untrusted ones outside the
    /// workspace.
    pub(crate) fn access(&self, session: &Session) -> Access {
        let check = TrustCheck::new(self);
        // A source expanded by an `@id` stays readable until it is excluded (BEHAVIOUR §4).
        let offered = self.store.session_memory(session).0.offered.into_iter();
        let expanded = offered.filter(|(id, how)| *how == BlockKind::Expansion && !self.selection.is_excluded(id));
        let expanded: Vec<String> = expanded.map(|(id, _)| id).collect();
        Access::new(&self.catalog, &self.selection, &expanded, |source| check.withholds(source))
    }

    /// A warning about sources that agents may not read because they are not trusted.
    pub fn unreadable_warning(&self, session: &Session, among: &[SourceId]) -> Option<Diagnostic> {
        let access = self.access(session);
        let among: HashSet<&SourceId> = among.iter().collect();
        let (unreadable, beyond_trust) = (access.unreadable(), self.beyond_trust());
        let is_hopeless = |id: &SourceId| self.catalog.get(id.as_str()).is_some_and(&beyond_trust);
        let (hopeless, ids): (Vec<_>, Vec<_>) =
            unreadable.iter().filter(|id| among.contains(id)).partition(|id| is_hopeless(id));
        let [hopeless, ids] =
            [hopeless, ids].map(|ids| ids.into_iter().map(|id| format!("@{id}")).collect::<Vec<String>>());
        if ids.is_empty() && !hopeless.is_empty() {
            let message = format!("{} {}", first_of(&hopeless, SHOWN), too_long_to_trust());
            return Some(Diagnostic::warning(Code::TooLong, message).fix(SHORTEN));
        }
        let shown = first_of(&ids, SHOWN);
        let message = match ids.len() {
            0 => return None,
            1 => format!("{shown} waits for your trust: until then agents may not read it"),
            _ => format!("{shown} wait for your trust: until then agents may not read them"),
        };
        Some(Diagnostic::warning(Code::Untrusted, message).fix(Fix::Trust))
    }
}

/// Whether each action was trusted when the catalog was read, by hash.
pub(super) type TrustDecisions = Vec<(String, bool)>;

/// A catalog with untrusted sources withheld.
pub(super) struct LoadedCatalog {
    pub catalog: Catalog,
    pub diagnostics: Vec<Diagnostic>,
    /// Links in the references folder that lead out of the workspace.
    pub linked: Vec<PathBuf>,
    pub decided: TrustDecisions,
    /// Problems of the trust file.
    pub problems: Vec<Diagnostic>,
}

/// Replaces an untrusted text.
const UNTRUSTED_TEXT: &str = "This text is outside the workspace and waits for trust.";

/// The most ids listed in a message.
const SHOWN: usize = 5;

/// What to do about an action that is too long to be trusted.
pub(crate) const SHORTEN: &str = "shorten its values; until then it has no effect";

/// Why such an action cannot be trusted.
pub(crate) fn too_long_to_trust() -> String {
    let most = grouped(SENTENCE as u64);
    format!("cannot be trusted, because what it wants to do takes more than {most} characters to say")
}

/// The part of the configuration that an action comes from, in a word.
fn part(action: &PrivilegedAction) -> &'static str {
    match action.about {
        PrivilegedActionKind::Source(_) => "source",
        PrivilegedActionKind::Database(_) | PrivilegedActionKind::DatabaseValues(_) => "database",
        PrivilegedActionKind::Reference(_) => "file",
        _ => "setting",
    }
}

fn trust_not_stored(error: &std::io::Error) -> Error {
    let message = format!("trust could not be stored: {error}");
    let fix = match () {
        () if is_disk_full(error) => more_room(error),
        () if code_of(error) == Some(Code::Unreadable) => advice(error),
        () => "make that file and its folder writable",
    };
    Error::new(Code::NotStored, message, fix)
}

#[cfg(test)]
mod tests;
