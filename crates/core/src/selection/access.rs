//! What an agent may read: the paths of selected and auto local sources, and nothing else (BEHAVIOUR §4 "Access").

use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::Selection;
use crate::catalog::{Catalog, Mode, Source, SourceId, SourceKind};
use refdesk_files::reserved::is_skipped_by_walks;

/// The resolved paths that an agent may read, each including itself and, for a folder, everything below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    paths: Vec<PathBuf>,
    /// All sources that are selected, auto or expanded, of any type, and whether they may be read.
    reached: HashMap<SourceId, bool>,
    /// Those that may not, in catalog order.
    unreadable: Vec<SourceId>,
    /// Sources that are excluded from the selection.
    excluded: HashSet<SourceId>,
}

impl Access {
    /// Builds the access list of a selection, in catalog order, plus the sources that an `@id` expanded for one
    /// session, without those that `is_withheld` accepts. `is_withheld` is called only for these sources.
    pub fn new(
        catalog: &Catalog,
        selection: &Selection,
        expanded: &[String],
        is_withheld: impl Fn(&Source) -> bool,
    ) -> Self {
        let expanded: BTreeSet<&str> = expanded.iter().map(String::as_str).collect();
        let mut access = Self::default();
        for source in catalog.sources() {
            let id = source.id.as_str();
            if selection.is_excluded(id) {
                access.excluded.insert(source.id.clone());
            }
            if source.mode != Mode::Auto && !selection.contains(id) && !expanded.contains(id) {
                continue;
            }
            access.reached.insert(source.id.clone(), true);
            let place = source.place().filter(|place| place.state.is_open() || source.is_untrusted());
            if place.is_none() && !matches!(source.kind, SourceKind::Inline { .. } | SourceKind::Withheld(_)) {
                continue;
            }
            if source.is_untrusted() || is_withheld(source) {
                access.reached.insert(source.id.clone(), false);
                access.unreadable.push(source.id.clone());
            } else {
                access.paths.extend(place.map(|place| place.resolved.to_path_buf()));
            }
        }
        access
    }

    /// Whether this source is selected, auto or expanded; if not, it must be selected first.
    pub fn reaches(&self, id: &str) -> bool {
        self.reached.contains_key(id)
    }

    /// Whether this source is excluded from the selection.
    pub fn excludes(&self, id: &str) -> bool {
        self.excluded.contains(id)
    }

    /// Whether this source is selected, auto or expanded, and may be read.
    pub fn may_read(&self, id: &str) -> bool {
        self.reached.get(id).is_some_and(|is_readable| *is_readable)
    }

    /// Sources that are selected, auto or expanded but may not be read, in catalog order.
    pub fn unreadable(&self) -> &[SourceId] {
        &self.unreadable
    }

    /// The resolved paths on the list.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Whether a path is in the list or below a path in it, compared by components. The caller has resolved links and
    /// `..`.
    pub fn covers(&self, resolved: &Path) -> bool {
        self.paths.iter().any(|path| resolved.starts_with(path))
    }

    /// Whether a path may be read: the list covers it, and it is not in a folder where git or refdesk keeps its state.
    pub fn allows(&self, resolved: &Path) -> bool {
        self.paths.iter().any(|path| resolved.starts_with(path) && !is_skipped_by_walks(path, resolved))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::PathState;
    use crate::catalog::testing::local;
    use crate::mention::MentionGraph;
    use crate::selection::{Choice, ExpansionRules, select};

    #[test]
    fn covers_exactly_the_paths_of_selected_and_auto_sources() {
        let mut auto = local("auto", Path::new("/auto.md"), PathState::File);
        auto.mode = Mode::Auto;
        let catalog = Catalog::new(vec![
            local("picked", Path::new("/dir"), PathState::Directory),
            local("other", Path::new("/other"), PathState::Directory),
            local("gone", Path::new("/gone"), PathState::Missing),
            auto,
        ]);
        let choice = Choice { picks: vec!["picked".into(), "gone".into()], ..Choice::default() };
        let selection = select(&choice, &catalog, &MentionGraph::default(), ExpansionRules::default());
        let access = Access::new(&catalog, &selection, &[], |_| false);
        assert_eq!(access.paths(), ["/dir", "/auto.md"].map(PathBuf::from));
        for (path, expected) in [
            ("/dir", true),
            ("/dir/x/y", true),
            ("/dir-evil", false),
            ("/other/x", false),
            ("/gone", false),
            ("/dir/.git/config", false),
        ] {
            assert_eq!(access.allows(Path::new(path)), expected, "{path}");
        }
        assert_eq!(["picked", "gone", "auto", "other"].map(|id| access.reaches(id)), [true, true, true, false]);
        let expanded = Access::new(&catalog, &selection, &["other".into()], |source| source.id.as_str() == "picked");
        assert_eq!(expanded.paths(), ["/other", "/auto.md"].map(PathBuf::from));
        assert_eq!(expanded.unreadable(), ["picked".into()]);
        assert!(expanded.allows(Path::new("/other/x")) && !expanded.allows(Path::new("/dir/x")));
    }
}
