//! The catalog of a profile: its own sources, and those of the workspace that it lists, or all of them if it lists none
//! (seed 000 Part 9).

use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;

use super::entry::EntryContext;
use super::place::PathChecker;
use super::source::Source;
use super::{Catalog, SourceId};
use crate::config::WorkspaceContext;
use crate::config::profile::{Profile, ProfileSource, REFERENCES_PATH};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;
use refdesk_text::report::locate::PointerStep;

/// A catalog narrowed to a profile.
#[derive(Debug)]
pub struct NarrowedCatalog {
    /// The profile's catalog; `None` if it is the same as the whole catalog.
    pub catalog: Option<Catalog>,
    /// Unknown ids listed in the profile, each once, in order.
    pub unknown: Vec<String>,
    /// Problems of its own sources.
    pub problems: Vec<Diagnostic>,
}

/// Narrows the catalog to this profile. The profile's own sources come first and replace those of the workspace with
/// the same id, without a diagnostic, since that is their purpose; their relative paths start from the workspace.
pub fn narrowed(context: &WorkspaceContext, whole: &Catalog, profile: &Profile) -> NarrowedCatalog {
    let (own, problems) = own_sources(context, profile);
    let own_ids: HashSet<&str> = own.iter().map(|source| source.id.as_str()).collect();
    let named = profile.sources.iter().filter(|listed| !listed.is_own()).filter_map(ProfileSource::id);
    let mut seen = HashSet::new();
    let named = profile.preselected.iter().map(String::as_str).chain(named).filter(|id| seen.insert(*id));
    let (known, unknown): (Vec<&str>, Vec<&str>) =
        named.partition(|id| own_ids.contains(id) || whole.get(id).is_some());
    let unknown = unknown.into_iter().map(str::to_owned).collect();
    if profile.sources.is_empty() {
        return NarrowedCatalog { catalog: None, unknown, problems };
    }
    let mut places: Vec<usize> = known.iter().filter_map(|id| whole.position(id)).collect();
    places.sort_unstable();
    let of_workspace = places.into_iter().filter_map(|at| whole.shared(at));
    let sources = own.iter().cloned().map(Arc::new).chain(of_workspace).collect();
    NarrowedCatalog { catalog: Some(Catalog::of(sources)), unknown, problems }
}

/// The sources that the profile itself defines, each id once.
fn own_sources(context: &WorkspaceContext, profile: &Profile) -> (Vec<Source>, Vec<Diagnostic>) {
    let reader = EntryContext { places: PathChecker::new(context), folder: Some(&context.workspace) };
    let document = &profile.document;
    let (mut own, mut problems): (Vec<Source>, _) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    for listed in &profile.sources {
        let ProfileSource::Whole { index, value } = listed else { continue };
        let path: Vec<PointerStep<'_>> = REFERENCES_PATH
            .map(PointerStep::Key)
            .into_iter()
            .chain([PointerStep::Key("sources"), PointerStep::Item(*index)])
            .collect();
        let (source, wrong) = reader.read(document, path.clone(), value);
        problems.extend(wrong);
        let Some(source) = source else { continue };
        if !seen.insert(source.id.clone()) {
            let message = format!("the profile has the id '{}' twice; this entry is not used", source.id);
            let place = document.position(&path, crate::config::MemberPart::Value);
            let problem = Diagnostic::warning(Code::DuplicateId, message).in_file(&document.shown).at(place);
            problems.push(problem.about(source.id.as_str()).fix("give one of the two another id, or remove it"));
        } else {
            own.push(source);
        }
    }
    (own, problems)
}

/// The ids whose sources are missing, so that they cannot be picked (BEHAVIOUR §2).
pub fn missing<'a>(catalog: &'a Catalog, ids: &'a [String]) -> impl Iterator<Item = &'a SourceId> {
    ids.iter().filter_map(|id| catalog.get(id)).filter(|source| source.is_missing()).map(|source| &source.id)
}

/// The base folder for relative paths of an entry defined in `file`.
pub(super) fn folder_of<'a>(given: Option<&'a Path>, file: &'a Path) -> &'a Path {
    given.or(file.parent()).unwrap_or(Path::new("/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{CatalogOptions, EntryFilter, PlainSources, load};
    use crate::config::{self, profile};
    use refdesk_files::write_atomic;

    fn case(ours: &str) -> (NarrowedCatalog, Catalog, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(folder.path()).unwrap();
        let context = WorkspaceContext {
            workspace: workspace.clone(),
            current: workspace.clone(),
            ..WorkspaceContext::default()
        };
        let inline =
            |id: &str| format!(r#"{{"id": "{id}", "name": "N", "type": "inline", "content": "of the workspace"}}"#);
        let sources = ["a", "b", "c", "d"].map(inline).join(", ");
        write_atomic(&workspace.join("references.json"), format!("{{\"sources\": [{sources}]}}").as_bytes()).unwrap();
        write_atomic(&workspace.join("docs/own.md"), b"x").unwrap();
        let file = workspace.join(".jaato/profiles/p.json");
        write_atomic(&file, format!("{{\"plugin_configs\": {{\"references\": {ours}}}}}").as_bytes()).unwrap();
        let reading =
            CatalogOptions { previous: None, may_read: &|_, _| true, wanted: &EntryFilter::All, is_compared: true };
        let (config, _) = config::load(&context, |_, _, _| None::<()>);
        let (whole, _) = load(&context, &config, PlainSources::default(), reading);
        let profile = profile::read(&context, &file).unwrap();
        (narrowed(&context, &whole, &profile), whole, folder)
    }

    #[test]
    fn sources_of_a_profile() {
        let own = r#"{"id": "own", "name": "Own", "path": "docs/own.md"}"#;
        let instead = r#"{"id": "b", "name": "Instead", "type": "inline", "content": "of the profile"}"#;
        for (ours, known, unknown) in [
            ("{}".to_owned(), None, vec![]),
            (r#"{"preselected": ["a", "zz"]}"#.to_owned(), None, vec!["zz"]),
            (
                r#"{"preselected": ["d"], "sources": ["c", "a", "yy"]}"#.to_owned(),
                Some(vec!["a", "c", "d"]),
                vec!["yy"],
            ),
            (format!(r#"{{"sources": ["c", {own}]}}"#), Some(vec!["own", "c"]), vec![]),
            (
                format!(r#"{{"preselected": ["b", "own"], "sources": [{own}, {instead}]}}"#),
                Some(vec!["own", "b"]),
                vec![],
            ),
            (r#"{"sources": ["gone"]}"#.to_owned(), Some(vec![]), vec!["gone"]),
        ] {
            let (narrowed, _, _folder) = case(&ours);
            let ids = narrowed
                .catalog
                .as_ref()
                .map(|catalog| catalog.sources().iter().map(|source| source.id.as_str()).collect::<Vec<_>>());
            assert_eq!(ids, known, "{ours}");
            assert_eq!(narrowed.unknown, unknown, "{ours}");
            assert_eq!(narrowed.problems, [], "{ours}");
            if let Some(source) = narrowed.catalog.as_ref().and_then(|catalog| catalog.get("own")) {
                assert!(!source.is_missing(), "a path starts from the workspace");
            }
            if ours.contains("Instead") {
                assert_eq!(narrowed.catalog.unwrap().get("b").unwrap().name, "Instead");
            }
        }
    }

    #[test]
    fn a_problem_with_an_own_source_is_reported_at_its_position() {
        let ours = concat!(
            r#"{"sources": ["a", {"id": "x"}, {"id": "y", "name": "Y", "path": "none.md"}, "#,
            r#"{"id": "y", "name": "Y", "type": "inline", "content": ""}]}"#,
        );
        let (narrowed, _, _folder) = case(ours);
        let reported: Vec<(&str, Option<usize>)> =
            narrowed.problems.iter().map(|it| (it.code.as_str(), it.column)).collect();
        assert_eq!(
            reported.iter().map(|(code, _)| *code).collect::<Vec<_>>(),
            ["missing-field", "missing-field", "missing-path", "duplicate-id"]
        );
        assert!(reported.iter().all(|(_, column)| column.is_some_and(|column| column > 50)), "{reported:?}");
        assert_eq!(narrowed.catalog.unwrap().len(), 2);
    }
}
