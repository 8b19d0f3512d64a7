//! Finds the catalog's files that a tool was working on, selected or not, from the paths in its arguments: for the
//! journal, all of them; for the session's memory, those that it certainly read in full. The text for the agent uses
//! [`super::pinned`], which considers only selected sources.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::arguments::{self, PathBase, PathMap};
use super::chain::{EnrichContext, EnrichRequest, TextKind, Tool};
use refdesk_core::catalog::{Catalog, LocalPath, PathState, Source, SourceId};
use refdesk_text::tokens;

/// The most files per call; the rest are ignored.
const FILES: usize = 100;

/// The tools of agents that return one file, which they also read in full unless an argument names a part of it. Other
/// tools, such as a shell, return anything.
const READERS: [&str; 3] = ["Read", "read_file", "read_text_file"];

/// Agents cut off longer results of these tools.
const MOST_LINES: usize = 2_000;

/// The sources that are a file which the tool call returned in full, so that the agent has them.
pub(super) fn read_in_full<'c>(ctx: &EnrichContext<'c>, asked: &EnrichRequest) -> Vec<&'c Source> {
    // A server's tools have its name before theirs.
    let is_reader = |name: &str| name.rsplit("__").next().is_some_and(|name| READERS.contains(&name));
    let reads = |tool: &Tool| tool.is_own_reader() || tool.name.is_some_and(is_reader);
    let tool = asked.tool.filter(|tool| asked.kind == TextKind::ToolResult && reads(tool));
    let lines = asked.text.lines().count();
    let tool = tool.filter(|_| lines < MOST_LINES);
    let resolve = |path: &Path| ctx.places.resolved(path);
    let path = tool.and_then(|tool| {
        tool.path_base(ctx.workspace, &resolve).path_of_whole(&tool.path_arguments(ctx.catalog), lines)
    });
    let Some(real) = path else { return Vec::new() };
    let was_read = |source: &&Source| {
        let is_it =
            |place: &&LocalPath| place.state == PathState::File && place.resolved.as_os_str() == real.as_os_str();
        let Some(place) = source.place().filter(is_it) else { return false };
        // A shorter result is an error or an excerpt. The last line break may be missing.
        let read = tokens::of_file(&place.path, asked.text.len() as u64 + 1);
        ctx.places.tokens(source).is_some_and(|all| all <= read)
    };
    ctx.catalog.sources().iter().filter(was_read).collect()
}

/// The paths in the arguments that are those of a local source or of a file in one, each once and in order, with the
/// innermost sources that contain it. Paths are recognized as in `super::pinned`.
pub fn touched<'c>(catalog: &'c Catalog, given: &Value, base: &PathBase) -> Vec<(PathBuf, Vec<&'c SourceId>)> {
    let mut places: HashMap<&Path, Vec<&SourceId>> = HashMap::new();
    for source in catalog.sources() {
        if let Some(place) = source.place().filter(|_| !source.is_missing()) {
            places.entry(&place.path).or_default().push(&source.id);
            if place.resolved != place.path {
                places.entry(&place.resolved).or_default().push(&source.id);
            }
        }
    }
    let places = PathMap::new(places);
    let mut found: Vec<(PathBuf, Vec<&SourceId>)> = Vec::new();
    let _full: Option<()> = arguments::find(given, base, &places, |path, ids| {
        if !found.iter().any(|(other, _)| *other == path) {
            found.push((path, ids.clone()));
        }
        (found.len() == FILES).then_some(())
    });
    if found.is_empty()
        && !places.is_empty()
        && let Some(path) = base.named_path(given)
        && let Some(ids) = places.innermost(&path)
    {
        found.push((path, ids.clone()));
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{inline, local, source};
    use refdesk_core::catalog::PathState;

    fn base(resolve: &dyn Fn(&Path) -> Option<PathBuf>) -> PathBase<'_> {
        PathBase { workspace: Path::new("/w"), cwd: None, resolve }
    }

    #[test]
    fn finds_every_file_of_the_catalog_in_the_arguments() {
        let catalog = Catalog::new(vec![
            source("kb", &[], local("kb", PathState::Directory)),
            source("inner", &[], local("kb/inner", PathState::Directory)),
            source("file", &[], local("docs/a.md", PathState::File)),
            source("twin", &[], local("docs/a.md", PathState::File)),
            source("gone", &[], local("gone", PathState::Missing)),
            inline("text", &[], "kb"),
            source("spaced", &[], local("my notes", PathState::Directory)),
        ]);
        for (arguments, expected) in [
            (json!({"path": "kb/README.md"}), "/w/kb/README.md: kb"),
            (
                json!({"paths": ["docs/a.md", "/w/kb/inner/x", "./docs/a.md"]}),
                "/w/docs/a.md: file twin, /w/kb/inner/x: inner",
            ),
            (json!({"command": "cat kb/x docs/a.md | grep kb/x"}), "/w/kb/x: kb, /w/docs/a.md: file twin"),
            (json!({"text": "cat kb/x", "path": "gone"}), ""),
            (json!({"path": "kb-evil/x", "n": 3, "more": null}), ""),
            (json!("kb/../../w/kb"), "/w/kb: kb"),
            (json!({"command": "cat 'my notes/a b.md'"}), "/w/my notes/a b.md: spaced"),
        ] {
            let found = touched(&catalog, &arguments, &base(&|_| None));
            let shown = |(path, ids): &(PathBuf, Vec<&SourceId>)| {
                let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
                format!("{}: {}", path.display(), ids.join(" "))
            };
            assert_eq!(found.iter().map(shown).collect::<Vec<_>>().join(", "), expected, "{arguments}");
        }
        let resolve = |path: &Path| (path == Path::new("/link/a.md")).then(|| PathBuf::from("/w/docs/a.md"));
        let found = touched(&catalog, &json!({"file_path": "/link/a.md"}), &base(&resolve));
        assert_eq!(found.first().map(|(path, ids)| (path.as_path(), ids.len())), Some((Path::new("/w/docs/a.md"), 2)));
        let many: Vec<String> = (0..500).map(|at| format!("kb/{at}")).collect();
        assert_eq!(touched(&catalog, &json!(many), &base(&|_| None)).len(), FILES);
    }
}
