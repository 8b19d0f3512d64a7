//! Whether a person has trusted what the configuration of a workspace would do beyond it (BEHAVIOUR §9), and what is done until
//! then: access without those paths, no such channel, every write asked about. What was trusted is looked up whenever it
//! matters, so that what another process trusts or takes back counts at once.
//!
//! A configuration that lies outside the workspace is the person's own and needs no trust: the one in the home folder, or one
//! named by `--config` or by `$REFERENCES_CONFIG_PATH`. One that lies inside by its name or by where a link leads is not.

use std::borrow::Cow;
use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::privileged_actions::{Bare, PrivilegedAction, PrivilegedActionKind, PrivilegedActions, in_text, outside};
use super::{Desk, Session, Settled};
use crate::session::Trusted;
use refdesk_core::catalog::{self, Catalog, LocalPath, PathState, Source, SourceId, SourceKind, narrowed};
use refdesk_core::config::{self, ApprovalMode, ChannelKind, ChannelSettings, expand, profile};
use refdesk_core::selection::Access;
use refdesk_enrich::BlockKind;
use refdesk_files::output::resolve;
use refdesk_files::path::{Resolver, absolute, display};
use refdesk_templates::{Template, TemplateIndex};
use refdesk_text::report::Diagnostic;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::{Code, Error, Fix};

impl Desk {
    /// Who says yes to a file that an agent wants written; `shown` is its path as printed. A path counts by where its links
    /// lead, too: what is refused there is refused, and only what is free by both names is free.
    pub fn verdict(&self, shown: &str) -> ApprovalMode {
        let rules = &self.config.settings.approval;
        if rules.is_empty() {
            return ApprovalMode::Ask;
        }
        let look = Look::at(self);
        let path = absolute(self.workspace(), Path::new(shown));
        let names = [display(self.workspace(), &path), display(&look.workspace, &Resolver::default().resolve(&path).0)];
        let counts = |at: usize| look.actions().approval(rules, at).is_none_or(|action| look.trusts_config(&action));
        let verdicts = names.map(|name| config::verdict(rules, &name, counts));
        match verdicts {
            _ if verdicts.contains(&ApprovalMode::Deny) => ApprovalMode::Deny,
            [ApprovalMode::Auto, ApprovalMode::Auto] => ApprovalMode::Auto,
            _ => ApprovalMode::Ask,
        }
    }

    /// How a person is asked, as far as that is trusted: where a webhook is not, there is none, and where a folder outside the
    /// workspace is not, it is the usual one.
    pub fn channel(&self) -> ChannelSettings {
        let channel = &self.config.settings.channel;
        let mut trusted = channel.clone();
        for action in Look::at(self).waiting_channel() {
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

    /// Why a person is not asked as the configuration says, where that waits for trust.
    pub fn channel_refusal(&self) -> Option<Error> {
        let kind = self.config.settings.channel.kind;
        let is_needed = |action: &Bare| match kind {
            ChannelKind::Webhook => action.about == PrivilegedActionKind::Webhook,
            ChannelKind::File => action.about == PrivilegedActionKind::Folder,
            ChannelKind::Queue | ChannelKind::Console => false,
        };
        let action = Look::at(self).waiting_channel().into_iter().find(is_needed)?;
        // Where it leads may hold a secret, and an agent reads this: only who is asked for trust is shown it.
        let what =
            if action.about == PrivilegedActionKind::Webhook { "a webhook" } else { "files outside the workspace" };
        let message = format!("the channel of this workspace, {what}, waits for trust");
        Some(Error::new(Code::Untrusted, message, Fix::Trust))
    }

    /// Everything that the configuration of this workspace would do beyond it, trusted or not.
    pub fn actions(&self) -> Vec<PrivilegedAction> {
        let look = Look::at(self);
        let mut found = Vec::new();
        if look.config_is_foreign() {
            let settings = &self.config.settings;
            let said = look.channel().into_iter().chain(look.actions().approvals(&settings.approval));
            found.extend(said.map(|bare| self.located(bare)));
        }
        found.extend(look.references().map(|(_, bare)| self.located(bare)));
        let linked = self.linked_references.iter().filter_map(|file| look.linked(file));
        found.extend(linked.map(|bare| self.located(bare)));
        let sources = self.catalog.sources().iter().filter_map(|source| look.source(source));
        // A text that waits with the folder or file that defines it is not named again.
        let own = sources.filter(|bare| {
            !matches!(bare.about, PrivilegedActionKind::References | PrivilegedActionKind::Reference(_))
        });
        found.extend(own.map(|bare| self.located(bare)));
        found
    }

    /// The same, and besides what the sources that only profiles have would do under these; and how many of them, from the
    /// front, wait for trust.
    pub fn deeds_with_profiles(&self) -> (Vec<PrivilegedAction>, usize) {
        let look = Look::at(self);
        let mut actions = self.actions();
        let (found, _) = profile::read_all(self.around());
        for profile in found.iter().filter_map(|found| found.read.as_ref().ok()) {
            let Some(catalog) = narrowed(self.around(), &self.catalog, profile).catalog else {
                continue;
            };
            let own = catalog.sources().iter().filter(|source| source.origin.file == profile.document.path);
            for Bare { what, hash, about } in own.filter_map(|source| look.source(source)) {
                let (file, line) = (profile.document.shown.clone(), None);
                actions.push(PrivilegedAction { what, hash, about, file, line });
            }
        }
        let mut seen = HashSet::new();
        actions.retain(|action| seen.insert(action.hash.clone()));
        actions.sort_by_key(|action| look.trusts(&action.hash));
        let waiting = actions.iter().take_while(|action| !look.trusts(&action.hash)).count();
        (actions, waiting)
    }

    /// Those that wait for trust.
    pub fn untrusted(&self) -> Vec<PrivilegedAction> {
        let mut actions = self.actions();
        let look = Look::at(self);
        actions.retain(|action| !look.trusts(&action.hash));
        actions
    }

    /// Trusts just these, which somebody was shown.
    ///
    /// # Errors
    /// They cannot be kept: then nothing was trusted.
    pub fn trust(&self, actions: &[PrivilegedAction]) -> Result<(), Error> {
        if actions.is_empty() {
            return Ok(());
        }
        let workspace = resolved(self.workspace());
        let kept =
            self.trust_file(&workspace)?.add(&in_text(&workspace), actions.iter().map(|action| action.hash.clone()));
        kept.map(drop).map_err(|error| unkept(&error))
    }

    /// Trusts nothing of this workspace any more; says what it would do now of which that was.
    ///
    /// # Errors
    /// What was trusted cannot be changed: then it is trusted still.
    pub fn revoke(&self) -> Result<Vec<PrivilegedAction>, Error> {
        let (mut actions, waiting) = self.deeds_with_profiles();
        let look = Look::at(self);
        actions.drain(..waiting);
        let kept = self.trust_file(&look.workspace)?.remove(&in_text(&look.workspace));
        kept.map_err(|error| unkept(&error))?;
        Ok(actions)
    }

    /// What waits for trust, each where it is written, and what was wrong with the file of what was trusted.
    pub fn waiting(&self) -> Vec<Diagnostic> {
        let actions = self.actions();
        if actions.is_empty() {
            return Vec::new();
        }
        let look = Look::at(self);
        let waiting = actions.into_iter().filter(|action| !look.trusts(&action.hash)).map(|action| {
            let problem = Diagnostic::warning(Code::Untrusted, format!("not done until you trust it: {}", action.what));
            let problem = problem.in_file(action.file).fix(Fix::Trust);
            let problem = match action.about {
                PrivilegedActionKind::Source(id) => problem.about(id.as_str()),
                _ => problem,
            };
            Diagnostic { line: action.line, ..problem }
        });
        let waiting: Vec<Diagnostic> = waiting.collect();
        look.problems().iter().cloned().chain(waiting).collect()
    }

    /// The templates that are rendered for an agent: not those of sources that it may not read until they are trusted, since
    /// rendering one is reading it.
    pub fn readable<'i>(&self, index: &'i TemplateIndex) -> Cow<'i, TemplateIndex> {
        let look = Look::at(self);
        let sources: BTreeSet<&SourceId> = index.templates.iter().filter_map(|it| it.source.as_ref()).collect();
        let is_withheld = |id: &&SourceId| self.catalog.get(id.as_str()).is_some_and(|source| look.withholds(source));
        let withheld: BTreeSet<&SourceId> = sources.into_iter().filter(is_withheld).collect();
        if withheld.is_empty() {
            return Cow::Borrowed(index);
        }
        let is_readable = |it: &&Template| it.source.as_ref().is_none_or(|source| !withheld.contains(source));
        Cow::Owned(TemplateIndex { templates: index.templates.iter().filter(is_readable).cloned().collect() })
    }

    /// Reads the catalog, and of what lies outside the workspace only what is trusted: other sources are named in it, without
    /// a text and without a look at what stands there.
    pub(super) fn load_catalog(&self, previous: Option<&Catalog>) -> Loaded {
        let look = Look::at(self);
        let (linked, decided) = (RefCell::new(Vec::new()), RefCell::new(Decided::new()));
        let is_trusted = |bare: Bare| {
            let is_trusted = look.trusts(&bare.hash);
            decided.borrow_mut().push((bare.hash, is_trusted));
            is_trusted
        };
        let folder = self.references_folder();
        let may_read = |path: &Path| {
            if *path == *folder {
                return look.references().is_none_or(|(_, bare)| is_trusted(bare));
            }
            let Some(bare) = look.linked(path) else { return true };
            linked.borrow_mut().push(path.to_path_buf());
            is_trusted(bare)
        };
        let (catalog, diagnostics) = catalog::load(self.around(), &self.config, previous, &may_read);
        let problems = look.problems_so_far();
        Loaded { catalog, diagnostics, linked: linked.into_inner(), decided: decided.into_inner(), problems }
    }

    /// The same catalog where everything that waits for trust says so; adds what was decided about each part, and what was
    /// wrong with the file of what is trusted.
    pub(super) fn without_untrusted(
        &self,
        catalog: Catalog,
        decided: &mut Decided,
        problems: &mut Vec<Diagnostic>,
    ) -> Catalog {
        let look = Look::at(self);
        let mut withheld = false;
        let mut told = |source: Arc<Source>| {
            let Some(bare) = look.source(&source) else { return source };
            let is_trusted = look.trusts(&bare.hash);
            decided.push((bare.hash, is_trusted));
            let kind = match &source.kind {
                SourceKind::Local(place) if !is_trusted => {
                    SourceKind::Local(LocalPath { standing: PathState::Untrusted, size: 0, ..place.clone() })
                }
                SourceKind::Inline { .. } if !is_trusted => SourceKind::Inline { content: UNTOLD.into() },
                _ => return source,
            };
            withheld = true;
            Arc::new(Source { kind, ..Source::clone(&source) })
        };
        let sources = (0..catalog.len()).filter_map(|at| catalog.shared(at)).map(&mut told).collect();
        problems.extend(look.problems_so_far());
        if withheld { Catalog::of(sources) } else { catalog }
    }

    /// Whether a path that a source could stand at lies in the workspace, is trusted, or needs no trust since the person
    /// named it.
    pub fn may_look_at(&self, source: &Source, path: &Path) -> bool {
        let look = Look::at(self);
        if !look.is_foreign(source) || outside(&look.workspace, path).is_none() {
            return true;
        }
        resolve(path).is_ok_and(|real| look.trusts(&look.actions().source_at(source, &real, "").hash))
    }

    /// The folder of references, where its files may be read.
    pub fn open_references_folder(&self) -> Option<PathBuf> {
        let look = Look::at(self);
        let may_read = look.references().is_none_or(|(_, bare)| look.trusts(&bare.hash));
        may_read.then(|| self.references_folder())
    }

    /// Whether a path of the workspace leads nowhere else by a link.
    pub fn stays_inside(&self, path: &Path) -> bool {
        outside(&resolved(self.workspace()), path).is_none()
    }

    /// Whether something was trusted, or is not trusted any more, since the catalog was read: then it is to be read again.
    pub fn has_stale_trust(&self) -> bool {
        if self.decided.is_empty() {
            return false;
        }
        let look = Look::at(self);
        self.decided.iter().any(|(hash, was_trusted)| look.trusts(hash) != *was_trusted)
    }

    fn trust_file(&self, workspace: &Path) -> Result<Trusted, Error> {
        let Some(state) = &self.options.state else {
            let hint = "set HOME, or XDG_STATE_HOME to a folder of yours";
            return Err(Error::new(Code::NoStateFolder, "there is no folder of yours to keep trust in", hint));
        };
        if outside(workspace, &absolute(self.workspace(), state)).is_none() {
            let message = format!("{} lies in the workspace, and trust is never kept there", state.display());
            return Err(Error::new(Code::NoStateFolder, message, "set XDG_STATE_HOME to a folder outside of it"));
        }
        Ok(Trusted::new(state, self.options.clock, self.options.patience))
    }

    /// The action with the place where it is written.
    fn located(&self, bare: Bare) -> PrivilegedAction {
        let document = self.config.document.as_ref();
        let key =
            |path: &[PointerStep<'_>]| document.map(|document| document.position(path, config::MemberPart::Key).line);
        let config_file = || document.map(|document| document.shown.clone()).unwrap_or_default();
        let (file, line) = match &bare.about {
            PrivilegedActionKind::Webhook => (config_file(), key(&[PointerStep::Key("channel")])),
            PrivilegedActionKind::Folder => {
                (config_file(), key(&[PointerStep::Key("channel"), PointerStep::Key("base_path")]))
            }
            PrivilegedActionKind::Approval(at) => {
                let glob = self.config.settings.approval.get(*at).map_or("", |rule| rule.glob.as_str());
                (config_file(), key(&[PointerStep::Key("approval"), PointerStep::Key(glob)]))
            }
            PrivilegedActionKind::References => (config_file(), key(&[PointerStep::Key("references_dir")])),
            PrivilegedActionKind::Reference(file) => (self.around().display(file), None),
            PrivilegedActionKind::Source(id) => self.entry_of(id.as_str()),
        };
        let Bare { what, hash, about } = bare;
        PrivilegedAction { what, hash, about, file, line }
    }

    /// The file of a source's entry as printed, and the line in it.
    fn entry_of(&self, id: &str) -> (String, Option<usize>) {
        let Some(source) = self.catalog.get(id) else { return Default::default() };
        let file = self.around().display(&source.origin.file);
        // There may be thousands of entries in the configuration, which is in memory.
        let line = match (source.origin.entry, &self.config.document) {
            (Some(at), Some(document)) if document.path == source.origin.file => Some(
                document
                    .position(&[PointerStep::Key("sources"), PointerStep::Item(at)], config::MemberPart::Value)
                    .line,
            ),
            _ => self.definition(id).ok().map(|spot| spot.line),
        };
        (file, line)
    }
}

impl Settled<'_> {
    /// What may be read for the session: the paths of what is selected, auto or expanded, without those outside the workspace
    /// that wait for trust.
    pub fn access(&self, session: &Session) -> Access {
        let look = Look::at(self);
        // A source that an `@id` expanded for the session stays readable until it is excluded (BEHAVIOUR §4).
        let offered = self.store.told(session).0.offered.into_iter();
        let expanded = offered.filter(|(id, how)| *how == BlockKind::Expansion && !self.selection.is_excluded(id));
        let expanded: Vec<String> = expanded.map(|(id, _)| id).collect();
        Access::new(&self.catalog, &self.selection, &expanded, |source| look.withholds(source))
    }

    /// One sentence on those of these sources that are reached and may not be read until somebody trusts it.
    pub fn withheld(&self, session: &Session, among: &[SourceId]) -> Option<Diagnostic> {
        let access = self.access(session);
        let ids: Vec<String> =
            access.withheld().iter().filter(|id| among.contains(id)).map(|id| format!("@{id}")).collect();
        let shown = ids.get(..SHOWN).unwrap_or(&ids).join(", ");
        let message = match ids.len() {
            0 => return None,
            1 => format!("{shown} lies outside the workspace: agents may not read it until you trust that"),
            all if all <= SHOWN => {
                format!("{shown} lie outside the workspace: agents may not read them until you trust that")
            }
            all => {
                let more = all - SHOWN;
                format!(
                    "{shown} and {more} more lie outside the workspace: agents may not read them until you trust that"
                )
            }
        };
        Some(Diagnostic::warning(Code::Untrusted, message).fix(Fix::Trust))
    }
}

/// For the hash of everything that needs trust: whether it was trusted when the catalog was read.
pub(super) type Decided = Vec<(String, bool)>;

/// A catalog as far as trust allows to read it.
pub(super) struct Loaded {
    pub catalog: Catalog,
    pub diagnostics: Vec<Diagnostic>,
    /// Files in the folder of references that are links and lead outside.
    pub linked: Vec<PathBuf>,
    pub decided: Decided,
    /// What was wrong with the file of what is trusted.
    pub problems: Vec<Diagnostic>,
}

/// What stands in place of a text that waits for trust.
const UNTOLD: &str = "This text lies outside the workspace and waits for trust.";

/// Ids of sources that a sentence names.
const SHOWN: usize = 5;

/// What is asked about trust in one go; what that needs of the disk is read where it is needed, and once.
struct Look<'d> {
    desk: &'d Desk,
    /// Resolved.
    workspace: PathBuf,
    is_foreign: OnceCell<bool>,
    trusted: OnceCell<(BTreeSet<String>, Vec<Diagnostic>)>,
    /// Where the folder of references leads, if that is outside.
    references: OnceCell<Option<PathBuf>>,
    /// Where files lead in which sources stand, if that is outside: thousands may stand in one.
    files: RefCell<HashMap<Arc<Path>, Option<PathBuf>>>,
}

impl<'d> Look<'d> {
    fn at(desk: &'d Desk) -> Self {
        Self {
            desk,
            workspace: resolved(desk.workspace()),
            is_foreign: OnceCell::new(),
            trusted: OnceCell::new(),
            references: OnceCell::new(),
            files: RefCell::default(),
        }
    }

    fn actions(&self) -> PrivilegedActions<'_> {
        PrivilegedActions { workspace: &self.workspace }
    }

    /// Whether the configuration may have come with the workspace.
    fn config_is_foreign(&self) -> bool {
        *self.is_foreign.get_or_init(|| self.desk.config_file().is_none_or(|file| self.is_inside(file)))
    }

    /// Whether a file lies in the workspace, by its name or by where links lead.
    fn is_inside(&self, file: &Path) -> bool {
        file.starts_with(self.desk.workspace()) || outside(&self.workspace, file).is_none()
    }

    /// What is wanted beyond the workspace by a source that may have come with it.
    fn source(&self, source: &Source) -> Option<Bare> {
        let place = match &source.kind {
            SourceKind::Local(place) => place,
            SourceKind::Inline { .. } => return self.text(source),
            SourceKind::Url { .. } | SourceKind::Mcp { .. } => return None,
        };
        let bare = self.actions().source(source, place)?;
        self.is_foreign(source).then_some(bare)
    }

    /// Whether a source may have come with the workspace. One that was discovered came with the configuration that names the
    /// folder.
    fn is_foreign(&self, source: &Source) -> bool {
        let is_discovered = source.origin.entry.is_none();
        self.is_inside(&source.origin.file) || (is_discovered && self.config_is_foreign())
    }

    /// What is wanted of a file outside by a source whose text stands in it. One that is named outside, and was not found in a
    /// folder, is the person's own.
    fn text(&self, source: &Source) -> Option<Bare> {
        let file = &source.origin.file;
        let mut files = self.files.borrow_mut();
        let leads = files.entry(file.clone()).or_insert_with(|| outside(&self.workspace, file));
        let real = leads.as_deref()?;
        let is_discovered = source.origin.entry.is_none();
        if is_discovered
            && let Some((folder, bare)) = self.references()
            && real.parent() == Some(folder)
        {
            return Some(bare);
        }
        let is_foreign = file.starts_with(self.desk.workspace()) || (is_discovered && self.config_is_foreign());
        let bare =
            || if is_discovered { self.actions().reference(file, real) } else { self.actions().text(source, real) };
        is_foreign.then(bare)
    }

    /// What is wanted by a file in the folder of references that is a link, if it leads outside.
    fn linked(&self, file: &Path) -> Option<Bare> {
        let is_foreign = file.starts_with(self.desk.workspace()) || self.config_is_foreign();
        // A loop leads nowhere, which whoever reads it finds out.
        let real = resolve(file).ok().filter(|real| is_foreign && !real.starts_with(&self.workspace))?;
        if let Some((folder, bare)) = self.references()
            && real.parent() == Some(folder)
        {
            return Some(bare);
        }
        Some(self.actions().reference(file, &real))
    }

    /// The folder of references, if it lies outside and the person did not name it, and what that is.
    fn references(&self) -> Option<(&Path, Bare)> {
        let folder = self.references.get_or_init(|| {
            let folder = self.desk.references_folder();
            let is_foreign = folder.starts_with(self.desk.workspace()) || self.config_is_foreign();
            let is_read = self.desk.config.settings.auto_discover && is_foreign;
            outside(&self.workspace, &folder).filter(|_| is_read)
        });
        folder.as_deref().map(|folder| (folder, self.actions().references(folder)))
    }

    fn withholds(&self, source: &Source) -> bool {
        self.source(source).is_some_and(|action| !self.trusts(&action.hash))
    }

    /// What the channel of a configuration that may have come with the workspace wants beyond it.
    fn channel(&self) -> Vec<Bare> {
        let channel = &self.desk.config.settings.channel;
        // No other way puts anything there.
        let base_path = channel.base_path.as_deref().filter(|_| channel.kind == ChannelKind::File);
        let folder = base_path.and_then(|written| {
            let path = absolute(self.desk.workspace(), Path::new(&expand(self.desk.around(), written)));
            outside(&self.workspace, &path)
        });
        self.actions().webhook(channel).into_iter().chain(folder.map(|folder| self.actions().folder(&folder))).collect()
    }

    fn waiting_channel(&self) -> Vec<Bare> {
        self.channel().into_iter().filter(|action| !self.trusts_config(action)).collect()
    }

    /// Whether what the configuration wants is done.
    fn trusts_config(&self, action: &Bare) -> bool {
        !self.config_is_foreign() || self.trusts(&action.hash)
    }

    fn trusts(&self, hash: &str) -> bool {
        self.trusted().0.contains(hash)
    }

    /// What was wrong with the file of what is trusted, if it was read.
    fn problems_so_far(&self) -> Vec<Diagnostic> {
        self.trusted.get().map_or_else(Vec::new, |(_, problems)| problems.clone())
    }

    fn problems(&self) -> &[Diagnostic] {
        &self.trusted().1
    }

    fn trusted(&self) -> &(BTreeSet<String>, Vec<Diagnostic>) {
        self.trusted.get_or_init(|| match self.desk.trust_file(&self.workspace) {
            Ok(file) => file.of(&in_text(&self.workspace)),
            // Where none can be kept there is none; who wants to trust something is told why not.
            Err(_) => Default::default(),
        })
    }
}

fn resolved(workspace: &Path) -> PathBuf {
    fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf())
}

fn unkept(error: &std::io::Error) -> Error {
    let message = format!("what is trusted could not be kept: {error}");
    Error::new(Code::NotStored, message, "make that file and its folder writable")
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
