//! Decides whether something in a configuration is a privileged action, and whether it is trusted.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Desk;
use crate::privileged_actions::{PathExtent, PrivilegedActions, SourceAudience, UnlocatedAction, in_text, outside};
use refdesk_core::catalog::{Mode, Source, SourceKind};
use refdesk_core::config::{ChannelKind, expand};
use refdesk_files::output::resolve;
use refdesk_files::path::{clean, is_within};
use refdesk_index::shared_name;
use refdesk_text::Error;
use refdesk_text::report::Diagnostic;

/// Answers questions about trust. Reads from disk only as needed, and only once.
pub(crate) struct TrustCheck<'d> {
    desk: &'d Desk,
    /// The workspace's resolved path.
    pub workspace: PathBuf,
    is_foreign: OnceCell<bool>,
    trusted: OnceCell<(BTreeSet<String>, Vec<Diagnostic>)>,
    /// The target of the references folder, if it is outside.
    references: OnceCell<Option<PathBuf>>,
    /// The targets of files that define sources, if outside; cached because one file may define thousands.
    files: RefCell<HashMap<Arc<Path>, Option<PathBuf>>>,
    /// The ids that the configuration or the active profile picks in every session.
    preselected: OnceCell<HashSet<&'d str>>,
}

impl<'d> TrustCheck<'d> {
    pub(crate) fn new(desk: &'d Desk) -> Self {
        Self {
            desk,
            workspace: resolved(desk.workspace()),
            is_foreign: OnceCell::new(),
            trusted: OnceCell::new(),
            references: OnceCell::new(),
            files: RefCell::default(),
            preselected: OnceCell::new(),
        }
    }

    pub(crate) fn actions(&self) -> PrivilegedActions<'_> {
        PrivilegedActions { workspace: &self.workspace }
    }

    /// Whether the configuration may come with the workspace.
    pub(super) fn config_is_foreign(&self) -> bool {
        *self.is_foreign.get_or_init(|| self.desk.config_file().is_none_or(|file| self.is_inside(file)))
    }

    /// Whether a file is in the workspace, by its path or through links.
    fn is_inside(&self, file: &Path) -> bool {
        is_within(file, self.desk.workspace()) || outside(&self.workspace, file).is_none()
    }

    /// The privileged action of a source, if the source may come with the workspace.
    pub(crate) fn source(&self, source: &Source) -> Option<UnlocatedAction> {
        self.source_for(source, self.audience(source))
    }

    /// Like [`Self::source`], for these agents.
    pub(super) fn source_for(&self, source: &Source, by: SourceAudience) -> Option<UnlocatedAction> {
        let bare = match &source.kind {
            SourceKind::Local(place) => {
                let (real, extent) = self.actions().reach(place)?;
                self.source_at(source, &real, by, extent)
            }
            SourceKind::Inline { .. } => {
                let (real, bare) = self.text(source)?;
                // A mode in the file itself is covered by trust in the file.
                let is_wider = by == SourceAudience::EveryAgent && source.mode == Mode::Selectable;
                return Some(match is_wider && self.trusts(&bare.hash) {
                    true => self.actions().text_for_every_agent(source, &real),
                    false => bare,
                });
            }
            SourceKind::Url { .. } | SourceKind::Mcp { .. } | SourceKind::Withheld(_) => {
                let action = |by| self.actions().for_every_agent(source, by);
                match by {
                    SourceAudience::Selecting => return None,
                    SourceAudience::EveryAgent => action(by)?,
                    // Trust for every agent includes it.
                    SourceAudience::Picked => action(SourceAudience::EveryAgent)
                        .filter(|wider| self.trusts(&wider.hash))
                        .or_else(|| action(by))?,
                }
            }
        };
        // A path in the workspace leads out only through a link, which came with the workspace even if the user named
        // the path.
        let is_linked = source.place().is_some_and(|place| is_within(&place.path, self.desk.workspace()));
        (is_linked || self.is_foreign(source)).then_some(bare)
    }

    /// The privileged action of a local source that leads to `real` outside, or a trusted one that includes it: trust
    /// for every agent includes those that select the source, and trust in a folder includes what was there before it
    /// and after it. Says so if only trust in the path as a file, or that of an older version, exists.
    pub(super) fn source_at(
        &self,
        source: &Source,
        real: &Path,
        by: SourceAudience,
        extent: PathExtent,
    ) -> UnlocatedAction {
        let action = |by, extent| self.actions().source_at(source, real, by, extent);
        let every = SourceAudience::EveryAgent;
        let wider = [(every, PathExtent::Tree), (every, extent), (by, PathExtent::Tree)];
        let trusted = wider.into_iter().map(|(by, extent)| action(by, extent)).find(|it| self.trusts(&it.hash));
        let trusts_file = || [every, by].into_iter().any(|by| self.trusts(&action(by, PathExtent::File).hash));
        match trusted {
            Some(trusted) => trusted,
            None if extent == PathExtent::Tree && trusts_file() => action(by, extent).asked_again(),
            None => action(by, extent),
        }
    }

    /// The agents that get this source.
    pub(super) fn audience(&self, source: &Source) -> SourceAudience {
        let ids = || self.desk.preselected_ids().collect();
        let is_preselected = || self.preselected.get_or_init(ids).contains(source.id.as_str());
        match source.mode == Mode::Auto || is_preselected() || self.desk.unrequested.contains(&source.id) {
            true => SourceAudience::EveryAgent,
            false if self.desk.requested.contains(&source.id) => SourceAudience::Picked,
            false => SourceAudience::Selecting,
        }
    }

    /// Whether a source may come with the workspace. A discovered source comes with the configuration that names the
    /// folder.
    pub(crate) fn is_foreign(&self, source: &Source) -> bool {
        let is_discovered = source.origin.entry.is_none();
        self.is_inside(&source.origin.file) || (is_discovered && self.config_is_foreign())
    }

    /// The file outside with the text of a source, and its privileged action. Such a source is the user's own if it is
    /// configured outside and was not discovered.
    fn text(&self, source: &Source) -> Option<(PathBuf, UnlocatedAction)> {
        let file = &source.origin.file;
        let mut files = self.files.borrow_mut();
        let leads = files.entry(file.clone()).or_insert_with(|| outside(&self.workspace, file));
        let real = leads.as_deref()?;
        let is_discovered = source.origin.entry.is_none();
        if is_discovered
            && let Some((folder, bare)) = self.references()
            && real.parent() == Some(folder)
        {
            return Some((real.to_owned(), bare));
        }
        let is_foreign = file.starts_with(self.desk.workspace()) || (is_discovered && self.config_is_foreign());
        let bare =
            || if is_discovered { self.actions().reference(file, real) } else { self.actions().text(source, real) };
        is_foreign.then(|| (real.to_owned(), bare()))
    }

    /// The privileged action of a file in the references folder that is a link leading outside.
    pub(crate) fn linked(&self, file: &Path) -> Option<UnlocatedAction> {
        // A link loop is an error, which the reader reports.
        self.linked_to(file, &resolve(file).ok()?)
    }

    /// The privileged action of such a file if it leads to `real`.
    pub(crate) fn linked_to(&self, file: &Path, real: &Path) -> Option<UnlocatedAction> {
        let is_foreign = file.starts_with(self.desk.workspace()) || self.config_is_foreign();
        if !is_foreign || real.starts_with(&self.workspace) {
            return None;
        }
        if let Some((folder, bare)) = self.references()
            && real.parent() == Some(folder)
        {
            return Some(bare);
        }
        Some(self.actions().reference(file, real))
    }

    /// The references folder and its privileged action, if it is outside and the user did not name it.
    pub(crate) fn references(&self) -> Option<(&Path, UnlocatedAction)> {
        let folder = self.references.get_or_init(|| {
            outside(&self.workspace, &self.desk.references_folder()).filter(|_| self.references_are_foreign())
        });
        folder.as_deref().map(|folder| (folder, self.actions().references(folder)))
    }

    /// The privileged action of the references folder if it leads to `real`.
    pub(crate) fn references_at(&self, real: &Path) -> Option<UnlocatedAction> {
        let is_action = !real.starts_with(&self.workspace) && self.references_are_foreign();
        is_action.then(|| self.actions().references(real))
    }

    /// Whether the references folder is read without the user having named it.
    fn references_are_foreign(&self) -> bool {
        let is_foreign =
            || self.desk.references_folder().starts_with(self.desk.workspace()) || self.config_is_foreign();
        self.desk.config.settings.auto_discover && is_foreign()
    }

    pub(super) fn withholds(&self, source: &Source) -> bool {
        self.source(source).is_some_and(|action| !self.trusts(&action.hash))
    }

    /// The privileged actions of the channel, if the configuration may come with the workspace.
    pub(crate) fn channel(&self) -> Vec<UnlocatedAction> {
        let channel = &self.desk.config.settings.channel;
        // Only the file channel uses `base_path`.
        let base_path = channel.base_path.as_deref().filter(|_| channel.kind == ChannelKind::File);
        let folder = base_path.and_then(|written| {
            let path = clean(&self.desk.workspace().join(expand(self.desk.workspace_context(), written)));
            outside(&self.workspace, &path)
        });
        self.actions().webhook(channel).into_iter().chain(folder.map(|folder| self.actions().folder(&folder))).collect()
    }

    /// The privileged action of an index in a database. It needs trust even with the user's own configuration if the
    /// workspace states which repository it is, because it could claim to be another one and replace its index.
    ///
    /// # Errors
    /// No trust would make it usable.
    pub(crate) fn index_url(&self) -> Option<Result<UnlocatedAction, Error>> {
        let url = self.desk.config.settings.index_url.as_ref()?;
        let repository = shared_name(&self.workspace);
        if !self.config_is_foreign() && repository.is_none() {
            return None;
        }
        let location = self.desk.index_file().on_server(url.with_password());
        Some(location.map(|it| self.actions().index_url(url, &it.shown_for_trust(), repository.as_deref())))
    }

    pub(super) fn untrusted_channel(&self) -> Vec<UnlocatedAction> {
        self.channel().into_iter().filter(|action| !self.trusts_config(action)).collect()
    }

    /// Whether an action of the configuration is allowed.
    pub(super) fn trusts_config(&self, action: &UnlocatedAction) -> bool {
        !self.config_is_foreign() || self.trusts(&action.hash)
    }

    pub(crate) fn trusts(&self, hash: &str) -> bool {
        self.trusted().0.contains(hash)
    }

    /// Problems of the trust file, if it has been read.
    pub(super) fn problems_so_far(&self) -> Vec<Diagnostic> {
        self.trusted.get().map_or_else(Vec::new, |(_, problems)| problems.clone())
    }

    pub(crate) fn problems(&self) -> &[Diagnostic] {
        &self.trusted().1
    }

    fn trusted(&self) -> &(BTreeSet<String>, Vec<Diagnostic>) {
        self.trusted.get_or_init(|| match self.desk.trust_file(&self.workspace) {
            Ok(file) => file.of(&in_text(&self.workspace)),
            // Without a state folder, nothing is trusted; an attempt to trust something reports why it fails.
            Err(_) => Default::default(),
        })
    }
}

/// The resolved path, if it exists.
pub(crate) fn resolved(workspace: &Path) -> PathBuf {
    fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf())
}
