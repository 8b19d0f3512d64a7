//! Finds the selected source that a tool was working on, by the paths in its arguments (BEHAVIOUR §5, block 4).

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;

use super::arguments::{self, PathBase, PathMap};
use refdesk_core::catalog::{Catalog, Source, SourceId};
use refdesk_core::selection::Selection;

/// The most files of one call that are looked up to find one that exists.
const COMPARED: usize = 16;

/// A selected source whose file was passed to a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pinned {
    /// Its id.
    pub ref_id: SourceId,
    /// Its name.
    pub ref_name: String,
    /// The file from the arguments, absolute, its links as written or resolved; it may not exist.
    #[serde(skip)]
    pub file: PathBuf,
}

/// Checks the arguments in order for the path of a selected local source or of a file in one, or for a command that
/// contains such a path; of nested sources, the innermost counts. Paths are compared by components, both as written and
/// as resolved by the catalog. Of several, the first that exists comes first. If none matches, the links of an argument
/// are resolved.
pub(crate) fn pinned(catalog: &Catalog, selection: &Selection, given: &Value, base: &PathBase) -> Vec<Pinned> {
    let mut places: HashMap<&Path, &Source> = HashMap::new();
    for source in selection.members().iter().filter_map(|member| catalog.get(member.id.as_str())) {
        if let Some(place) = source.place().filter(|_| !source.is_missing()) {
            places.entry(&place.path).or_insert(source);
            places.entry(&place.resolved).or_insert(source);
        }
    }
    let places = PathMap::new(places);
    if places.is_empty() {
        return Vec::new();
    }
    let pinned =
        |file: PathBuf, source: &Source| Pinned { ref_id: source.id.clone(), ref_name: source.name.to_string(), file };
    let mut found: Vec<Pinned> = Vec::new();
    let _full: Option<()> = arguments::find(given, base, &places, |file, source| {
        if !found.iter().any(|other| other.file == file) {
            found.push(pinned(file, source));
        }
        (found.len() == COMPARED).then_some(())
    });
    if found.is_empty()
        && let Some(file) = base.named_path(given)
        && let Some(source) = places.innermost(&file)
    {
        found.push(pinned(file, source));
    }
    // A single one is taken without a look at the disk.
    if found.len() > 1
        && let Some(at) = found.iter().position(|it| (base.resolve)(&it.file).is_some())
    {
        let first = found.remove(at);
        found.insert(0, first);
    }
    found
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::*;
    use crate::testing::{inline, local, selection, source};
    use refdesk_core::catalog::PathState;
    use refdesk_files::path::clean;

    fn first(catalog: &Catalog, selection: &Selection, given: &Value, base: &PathBase) -> Option<Pinned> {
        pinned(catalog, selection, given, base).into_iter().next()
    }

    fn base(resolve: &dyn Fn(&Path) -> Option<PathBuf>) -> PathBase<'_> {
        PathBase { workspace: Path::new("/w"), cwd: None, resolve }
    }

    #[test]
    fn a_relative_path_leads_from_the_folder_of_the_agent_to_what_exists_there() {
        let catalog = Catalog::new(vec![source("kb", &[], local("kb", PathState::Directory))]);
        let exists = ["/w/kb/a.md", "/w/kb/x/a.md", "/w/sub/kb/a.md", "/kb/a.md"];
        let resolve = |path: &Path| exists.iter().any(|it| path == Path::new(it)).then(|| path.to_owned());
        for (cwd, arguments, expected) in [
            ("/w/kb", json!({"path": "a.md"}), Some("/w/kb/a.md")),
            ("/w/kb/x", json!({"command": "cat ../a.md"}), Some("/w/kb/a.md")),
            ("/w/kb/x", json!({"command": "cat a.md"}), Some("/w/kb/x/a.md")),
            ("/w/sub", json!({"path": "kb/a.md"}), None),
            ("/w/sub", json!({"path": "/w/kb/a.md"}), Some("/w/kb/a.md")),
            // Not there, so relative to the workspace.
            ("/w/kb", json!({"path": "kb/a.md"}), Some("/w/kb/a.md")),
            ("/w/other", json!({"command": "cat kb/a.md"}), Some("/w/kb/a.md")),
            ("/w", json!({"path": "kb/gone.md"}), Some("/w/kb/gone.md")),
            ("/w", json!({"command": "cd kb && cat x/a.md"}), Some("/w/kb/x/a.md")),
            ("/w/kb", json!({"command": ["sh", "-c", "cd 'x'; cat a.md"]}), Some("/w/kb/x/a.md")),
            ("/w/kb", json!({"command": "cd x; cat ../a.md a.md"}), Some("/w/kb/a.md")),
            ("/w/sub", json!({"command": "cd /w/kb && cat a.md"}), Some("/w/kb/a.md")),
            ("/w/other", json!({"command": "cd kb && cat kb/a.md"}), Some("/w/kb/a.md")),
            ("/w", json!({"command": "cd kb || exit 1; cat x/a.md"}), Some("/w/kb/x/a.md")),
            ("/w", json!({"command": "(cd kb && cat x/a.md)"}), Some("/w/kb/x/a.md")),
            ("/w", json!({"command": "set -eu && cd -- 'kb'; cat x/a.md"}), Some("/w/kb/x/a.md")),
        ] {
            let base = PathBase { cwd: Some(Path::new(cwd)), ..base(&resolve) };
            let found = first(&catalog, &selection(&["kb"], &[], &[]), &arguments, &base);
            assert_eq!(found.map(|it| it.file), expected.map(PathBuf::from), "{cwd} {arguments}");
        }
    }

    #[test]
    fn finds_the_source_that_contains_an_argument() {
        let catalog = Catalog::new(vec![
            source("kb", &[], local("kb", PathState::Directory)),
            source("inner", &[], local("kb/inner", PathState::Directory)),
            source("file", &[], local("docs/a.md", PathState::File)),
            source("gone", &[], local("gone", PathState::Missing)),
            source("other", &[], local("other", PathState::Directory)),
            inline("text", &[], "kb"),
            source("spaced", &[], local("my notes", PathState::Directory)),
        ]);
        let selection = selection(&["kb", "inner", "gone", "text", "spaced"], &[("file", &["kb"])], &[]);
        for (arguments, expected) in [
            (json!({"path": "kb/README.md"}), Some("kb")),
            (json!({"path": "/w/kb/x/y.md"}), Some("kb")),
            (json!({"path": "./kb"}), Some("kb")),
            (json!({"path": "kb/../kb/inner/z"}), Some("inner")),
            (json!({"n": 1, "paths": ["x", {"p": "docs/a.md"}]}), Some("file")),
            (json!({"a": "docs/a.md", "b": "kb"}), Some("file")),
            (json!("kb/x"), Some("kb")),
            (json!({"command": "cat 'kb/README.md' | head"}), Some("kb")),
            (json!({"command": ["bash", "-c", "grep x <docs/a.md"]}), Some("file")),
            (json!({"cmd": "cat /w/kb/inner/x; ls"}), Some("inner")),
            (json!({"content": "see kb/README.md"}), None),
            (json!({"path": "kb-evil/x"}), None),
            (json!({"path": "docs/a.md.bak"}), None),
            (json!({"path": "docs"}), None),
            (json!({"path": "kb/../../etc/passwd"}), None),
            (json!({"path": "gone/x"}), None),
            (json!({"path": "other/x"}), None),
            (json!({"command": "make all"}), None),
            (json!({"command": "wc -l 'docs/a.md' kb/x"}), Some("file")),
            (json!({"command": "cat \"my notes/a b.md\""}), Some("spaced")),
            (json!({"path": ""}), None),
            (json!(null), None),
        ] {
            let found = first(&catalog, &selection, &arguments, &base(&|_| None)).map(|it| it.ref_id.to_string());
            assert_eq!(found.as_deref(), expected, "{arguments}");
        }
    }

    #[test]
    fn only_an_argument_that_matches_nothing_as_written_is_resolved_once() {
        let catalog = Catalog::new(vec![source("kb", &[], local("kb", PathState::Directory))]);
        for (arguments, looked_up, expected) in [
            (json!({"file_path": "/link/a.md"}), 1, Some("/w/kb/a.md")),
            (json!({"pattern": "x", "path": "/link"}), 1, Some("/w/kb")),
            // A `..` costs looks in front of it.
            (json!({"path": "/link/../x"}), 3, None),
            (json!({"path": "/gone/x", "other_path": "/link/x"}), 1, None),
            (json!({"path": "kb/x"}), 0, Some("/w/kb/x")),
            (json!({"pattern": "/link/x", "command": "cat /link/x"}), 0, None),
        ] {
            let asked = Cell::new(0);
            let resolve = |path: &Path| {
                asked.set(asked.get() + 1);
                match path.strip_prefix("/link").ok()? {
                    within if within.starts_with("..") => Some(PathBuf::from("/x")),
                    within => Some(clean(&Path::new("/w/kb").join(within))),
                }
            };
            let found = first(&catalog, &selection(&["kb"], &[], &[]), &arguments, &base(&resolve));
            assert_eq!(found.map(|it| it.file), expected.map(PathBuf::from), "{arguments}");
            assert_eq!(asked.get(), looked_up, "{arguments}");
        }
    }

    #[test]
    fn a_path_leads_up_from_the_target_of_a_link() {
        let file = |id: &str, path: &str| source(id, &[], local(path, PathState::File));
        let catalog = Catalog::new(vec![file("top", "limits.md"), file("v2", "v2/limits.md")]);
        // `current` is a link to `v2/docs`.
        let resolve = |path: &Path| match path.strip_prefix("/w/current").ok() {
            None => Some(clean(path)),
            Some(within) => Some(clean(&Path::new("/w/v2/docs").join(within))),
        };
        for (arguments, expected) in [
            (json!({"path": "current/../limits.md"}), "v2"),
            (json!({"command": "cat ./current/../limits.md"}), "v2"),
            (json!({"command": "cd current && cat ../limits.md"}), "v2"),
            (json!({"command": "cd current/.. && cat limits.md"}), "v2"),
            (json!({"paths": ["current/../limits.md"]}), "v2"),
            (json!({"path": "current/sub/../../../limits.md"}), "top"),
            (json!({"path": "docs/../limits.md"}), "top"),
        ] {
            for selected in [&["top", "v2"][..], &[expected]] {
                let found = first(&catalog, &selection(selected, &[], &[]), &arguments, &base(&resolve));
                assert_eq!(found.map(|it| it.ref_id.to_string()).as_deref(), Some(expected), "{arguments}");
            }
        }
    }

    #[test]
    fn of_several_files_the_first_that_exists_counts() {
        let catalog = Catalog::new(vec![source("kb", &[], local("kb", PathState::Directory))]);
        let many: Vec<String> = (0..20).map(|at| format!("kb/{at}")).collect();
        for (arguments, looked_up, expected) in [
            (json!({"command": "cat kb/gone.md kb/a.md"}), 2, "/w/kb/a.md"),
            (json!({"command": r"cat kb/a\ b.md 'kb/gone.md'"}), 2, "/w/kb/a b.md"),
            (json!({"command": "cat kb/gone.md kb/nope.md"}), 2, "/w/kb/gone.md"),
            (json!({"command": "cat kb/gone.md kb/gone.md"}), 0, "/w/kb/gone.md"),
            (json!({"paths": ["kb/gone.md", "kb/a.md"]}), 2, "/w/kb/a.md"),
            (json!(many), COMPARED, "/w/kb/0"),
        ] {
            let asked = Cell::new(0);
            let resolve = |path: &Path| {
                asked.set(asked.get() + 1);
                ["/w/kb/a.md", "/w/kb/a b.md"].iter().any(|known| path == Path::new(known)).then(|| path.to_owned())
            };
            let found = first(&catalog, &selection(&["kb"], &[], &[]), &arguments, &base(&resolve));
            assert_eq!(found.map(|it| it.file), Some(PathBuf::from(expected)), "{arguments}");
            assert_eq!(asked.get(), looked_up, "{arguments}");
        }
    }

    #[test]
    fn the_file_itself() {
        let catalog = Catalog::new(vec![source("kb", &[], local("kb", PathState::Directory))]);
        for (arguments, expected) in [
            (json!({"path": "./kb/x/../README.md"}), "/w/kb/README.md"),
            (json!({"command": "cat kb/README.md | head -3"}), "/w/kb/README.md"),
            (json!({"command": "kb/run me"}), "/w/kb/run"),
            (json!({"path": "/w/kb"}), "/w/kb"),
        ] {
            let found = first(&catalog, &selection(&["kb"], &[], &[]), &arguments, &base(&|_| None));
            assert_eq!(found.map(|it| it.file), Some(PathBuf::from(expected)), "{arguments}");
        }
    }
}
