//! What may be read for an agent: the paths of selected and auto local sources, and nothing else (BEHAVIOUR §4 "Access").

use std::path::{Path, PathBuf};

use super::Selection;
use crate::catalog::{Catalog, Mode, Standing};

/// The resolved paths that an agent may read, each covering itself and, for a folder, what lies below it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Access {
    paths: Vec<PathBuf>,
}

impl Access {
    /// The access list of a selection, in catalog order, and what `@id` expanded for one session.
    pub fn new(catalog: &Catalog, selection: &Selection, expanded: &[String]) -> Self {
        let reaches =
            |id: &str, mode| mode == Mode::Auto || selection.contains(id) || expanded.iter().any(|other| other == id);
        let sources = catalog.sources().iter().filter(|source| reaches(source.id.as_str(), source.mode));
        let places = sources.filter_map(|source| source.place());
        let standing = places.filter(|place| place.standing != Standing::Missing);
        Self { paths: standing.map(|place| place.resolved.to_path_buf()).collect() }
    }

    /// The list itself.
    pub fn paths(&self) -> &[PathBuf] {
        &self.paths
    }

    /// Whether a path, links and `..` resolved by the caller, lies at or below one of the list, component by component.
    pub fn allows(&self, resolved: &Path) -> bool {
        self.paths.iter().any(|path| resolved.starts_with(path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::testing::local;
    use crate::mention::MentionGraph;
    use crate::selection::{Choice, Rules, select};

    #[test]
    fn exactly_the_paths_of_selected_and_auto_sources_by_component() {
        let mut auto = local("auto", Path::new("/auto.md"), Standing::File);
        auto.mode = Mode::Auto;
        let catalog = Catalog::new(vec![
            local("picked", Path::new("/dir"), Standing::Directory),
            local("other", Path::new("/other"), Standing::Directory),
            local("gone", Path::new("/gone"), Standing::Missing),
            auto,
        ]);
        let choice = Choice { picks: vec!["picked".into(), "gone".into()], exclusions: vec![] };
        let selection = select(&choice, &catalog, &MentionGraph::default(), Rules::default());
        let access = Access::new(&catalog, &selection, &[]);
        assert_eq!(access.paths(), ["/dir", "/auto.md"].map(PathBuf::from));
        for (path, expected) in
            [("/dir", true), ("/dir/x/y", true), ("/dir-evil", false), ("/other/x", false), ("/gone", false)]
        {
            assert_eq!(access.allows(Path::new(path)), expected, "{path}");
        }
        assert!(Access::new(&catalog, &selection, &["other".into()]).allows(Path::new("/other/x")));
    }
}
