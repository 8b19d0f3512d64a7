//! Builds a catalog from files: merges the configuration's sources with the discovered ones (BEHAVIOUR §2).

use std::collections::HashMap;
use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use rayon::prelude::*;
use serde_json::Value;

use super::Catalog;
use super::entry::EntryContext;
use super::place::PathChecker;
use super::references_folder::{ReferenceFile, json_files, references_folder};
use super::source::{Source, SourceId};
use super::wanted::EntryFilter;
use crate::config::{
    self, Config, JsonDocument, JsonSize, MemberPart, VALUES, WorkspaceContext, too_many_values, unread_files,
};
use refdesk_files::output::resolve;
use refdesk_files::path::is_absent;
use refdesk_files::{Folder, cause};
use refdesk_text::Code;
use refdesk_text::report::listed::{LISTED, ListedProblems};
use refdesk_text::report::locate::PointerStep;
use refdesk_text::report::{Diagnostic, Position};
use refdesk_text::tokens::grouped;

/// The limits of all files that define one source together, as of the configuration.
const ALL_ENTRIES: JsonSize = JsonSize { bytes: 256 * 1024 * 1024, values: VALUES };

/// Files that define one source read at a time. This bounds how much is read beyond [`ALL_ENTRIES`].
const FILES_AT_ONCE: usize = 16;

/// The most JSON values in a file that defines one source, such as the arguments of a tool.
const ENTRY_VALUES: usize = 10_000;

/// After this many problems, the remaining entries are not read.
const MAX_PROBLEMS: usize = 100_000;

/// Entries of the configuration read at a time. This bounds how many problems are in memory together.
const BATCH_SIZE: usize = 4_096;

/// The source of an entry, unless the entry is invalid, and the entry's diagnostics.
type ParsedEntry = (Option<Arc<Source>>, Vec<Diagnostic>);

/// How to read a catalog.
#[derive(Clone, Copy)]
pub struct CatalogOptions<'a> {
    /// The catalog of the running desk: if a discovered file no longer parses, its source here is kept.
    pub previous: Option<&'a Catalog>,
    /// Decides whether the references folder, or a link in it, may be read, given its path and its resolved path. The
    /// resolved path is then opened, even if the link has changed in the meantime.
    pub may_read: &'a dyn Fn(&Path, &Path) -> bool,
    /// The discovered entries that are needed; others may be left out.
    pub wanted: &'a EntryFilter,
    /// Whether the catalog will be compared with a later one, which needs the sizes of files.
    pub is_compared: bool,
}

/// The sources of a configuration's plain entries, by position, made while the file was parsed. If one is missing, its
/// entry is read again.
#[derive(Debug, Default)]
pub struct PlainSources(Vec<Option<Arc<Source>>>);

/// Loads the configuration of a workspace and builds the sources of its plain entries for [`load`]. The other arguments
/// are those of [`CatalogOptions`].
pub fn load_config(
    context: &WorkspaceContext,
    previous: Option<&Catalog>,
    wanted: &EntryFilter,
    is_compared: bool,
) -> (Config, PlainSources) {
    let reader = EntryContext { places: places(context, wanted, is_compared), folder: None };
    let (config, plain) = config::load(context, |file, at, entry| {
        reader.read_plain(file, at, entry).map(|source| shared(source, previous))
    });
    (config, PlainSources(plain))
}

fn places<'a>(context: &'a WorkspaceContext, wanted: &EntryFilter, is_compared: bool) -> PathChecker<'a> {
    match wanted {
        // A partial catalog is used only for its names.
        EntryFilter::Ids { .. } | EntryFilter::Tags { .. } => PathChecker::unchecked(context),
        EntryFilter::All if is_compared => PathChecker::new(context),
        EntryFilter::All => PathChecker::without_sizes(context),
    }
}

/// Builds the catalog of a workspace from its configuration; also returns the diagnostics of all entries.
pub fn load(
    context: &WorkspaceContext,
    config: &Config,
    plain: PlainSources,
    reading: CatalogOptions<'_>,
) -> (Catalog, Vec<Diagnostic>) {
    let reader = EntryContext { places: places(context, reading.wanted, reading.is_compared), folder: None };
    let mut diagnostics = Vec::new();
    let mut sources = match &config.document {
        Some(document) => configured(&reader, document, plain, reading.previous, &mut diagnostics),
        None => Vec::new(),
    };
    let mut files = Vec::new();
    if config.settings.auto_discover {
        files = references(&reader, config, reading, &mut diagnostics);
        let (entries, unread) = discovered(&reader, &files, reading, ALL_ENTRIES);
        for (source, problems) in entries {
            diagnostics.extend(problems);
            sources.extend(source);
        }
        diagnostics.extend(too_much(context, unread));
    }
    let (catalog, losers) = Catalog::merged(sources);
    diagnostics.extend(duplicates(context, config.document.as_ref(), &files, &catalog, &losers));
    (catalog, diagnostics)
}

fn configured(
    reader: &EntryContext<'_>,
    document: &JsonDocument,
    PlainSources(mut plain): PlainSources,
    previous: Option<&Catalog>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Arc<Source>> {
    let Value::Object(members) = &document.value else { return Vec::new() };
    match members.get("sources") {
        None | Some(Value::Null) => return Vec::new(),
        Some(Value::Array(_)) => {}
        Some(_) => {
            let position = document.position(&[PointerStep::Key("sources")], MemberPart::Value);
            let problem = Diagnostic::error(Code::WrongType, "'sources' must be a list");
            diagnostics.push(problem.in_file(&document.shown).at(position).fix("write \"sources\": [ {…}, {…} ]"));
            return Vec::new();
        }
    }
    let read = |(index, source): (usize, &mut Option<Arc<Source>>)| {
        if let Some(source) = source.take() {
            return Some((Some(source), Vec::new()));
        }
        let path = vec![PointerStep::Key("sources"), PointerStep::Item(index)];
        let (source, problems) = reader.read(document, path, &document.entry(index)?);
        Some((source.map(|source| shared(source, previous)), problems))
    };
    plain.resize_with(document.entries(), || None);
    let (mut sources, mut listed, mut problem_count) = (Vec::with_capacity(plain.len()), ListedProblems::default(), 0);
    for (nth, some) in plain.chunks_mut(BATCH_SIZE).enumerate() {
        let numbered = some.par_iter_mut().enumerate().map(|(at, source)| (nth * BATCH_SIZE + at, source));
        let entries: Vec<ParsedEntry> = numbered.filter_map(read).collect();
        for (source, problems) in entries {
            sources.extend(source);
            problem_count += problems.len();
            listed.extend(problems);
        }
        if problem_count > MAX_PROBLEMS {
            let message = format!("{} problems: the rest of 'sources' is not read", grouped(problem_count));
            let position = document.position(&[PointerStep::Key("sources")], MemberPart::Key);
            let problem = Diagnostic::error(Code::TooMany, message).in_file(&document.shown).at(position);
            diagnostics.push(problem.fix("fix or remove its entries"));
            break;
        }
    }
    diagnostics.extend(listed.into_vec());
    sources
}

/// The files of the references folder that may be read, in byte order of file name.
fn references(
    reader: &EntryContext<'_>,
    config: &Config,
    CatalogOptions { may_read, .. }: CatalogOptions<'_>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<ReferenceFile> {
    let context = reader.places.context;
    let folder = references_folder(context, config);
    let real = resolve(&folder).ok();
    if reader.places.reserved.holds(&folder, real.as_deref().unwrap_or(&folder)) {
        let message = "the folder of references belongs to git or to refdesk itself, so it is not read";
        diagnostics
            .push(Diagnostic::warning(Code::ReservedPath, message).fix("name another folder in 'references_dir'"));
        return Vec::new();
    }
    // Do not reveal whether an untrusted folder outside exists.
    let listed = match real {
        real if !may_read(&folder, real.as_deref().unwrap_or(&folder)) => Ok(Vec::new()),
        Some(real) => Folder::real(&real).and_then(|opened| json_files(&folder, &opened)),
        None => fs::metadata(&folder).map(|_| Vec::new()),
    };
    match listed {
        Ok(files) => {
            files.into_iter().filter(|file| file.leads_to().is_none_or(|to| may_read(&file.path, to))).collect()
        }
        Err(error) if is_absent(&error) && !config.settings.references_dir_given => Vec::new(),
        Err(error) => {
            let message = format!("the folder of references cannot be read: {}", cause(&error));
            let is_denied = error.kind() == io::ErrorKind::PermissionDenied;
            // One that exists may have sources, as an unreadable file of one source has.
            let hides_sources = is_denied || (!is_absent(&error) && fs::symlink_metadata(&folder).is_ok());
            let (problem, fix) = if hides_sources {
                let fix =
                    if is_denied { "allow this user to read it" } else { "make it a readable folder, or remove it" };
                (Diagnostic::error(Code::Unreadable, message), fix)
            } else {
                (Diagnostic::warning(Code::Unreadable, message), "create it, or correct 'references_dir'")
            };
            diagnostics.push(problem.in_file(context.display(&folder)).fix(fix));
            Vec::new()
        }
    }
}

/// Files that are not read, and the limit that all files exceed.
type Unread<'f> = (&'f [ReferenceFile], String);

/// The wanted entries of the first files that are within these limits together, and the other files.
fn discovered<'f>(
    reader: &EntryContext<'_>,
    files: &'f [ReferenceFile],
    CatalogOptions { previous, wanted, .. }: CatalogOptions<'_>,
    most: JsonSize,
) -> (Vec<ParsedEntry>, Option<Unread<'f>>) {
    let kept = |file: &Path| {
        let sources = previous.into_iter().flat_map(Catalog::sources);
        sources.into_iter().find(|source| *source.origin.file == *file).cloned()
    };
    let read = |file: &ReferenceFile| {
        let (size, entry) = discovered_file(reader, file, kept, wanted);
        (size, entry.map(|(source, problems)| (source.map(|source| shared(source, previous)), problems)))
    };
    let (mut entries, mut sum) = (Vec::new(), JsonSize::default());
    for (nth, some) in files.chunks(FILES_AT_ONCE).enumerate() {
        let found: Vec<(JsonSize, Option<ParsedEntry>)> = some.par_iter().map(read).collect();
        for (at, (size, entry)) in found.into_iter().enumerate() {
            if let Some(limit) = sum.add(size, most) {
                return (entries, files.get(nth * FILES_AT_ONCE + at..).map(|unread| (unread, limit)));
            }
            entries.extend(entry);
        }
        if wanted.is_enough(entries.len()) {
            break;
        }
    }
    (entries, None)
}

fn too_much(context: &WorkspaceContext, unread: Option<Unread<'_>>) -> Option<Diagnostic> {
    let (unread, limit) = unread?;
    let first = context.display(&unread.first()?.path);
    let problem = format!("the files of the references folder have more than {limit} together");
    Some(unread_files(&problem, first, unread.len() - 1).fix("put long texts into files, and give their path"))
}

/// The source of a file, if its entry is valid, and the problems.
type ReadEntry = (Option<Source>, Vec<Diagnostic>);

/// The bytes and values of a file, and its entry; `None` if that is not wanted.
fn discovered_file(
    reader: &EntryContext<'_>,
    found: &ReferenceFile,
    kept: impl Fn(&Path) -> Option<Source>,
    wanted: &EntryFilter,
) -> (JsonSize, Option<ReadEntry>) {
    let file = found.path.as_path();
    let shown = reader.places.context.display(file);
    let bytes = match found.read() {
        Ok(bytes) => bytes,
        Err(error) => {
            let problem =
                Diagnostic::error(Code::Unreadable, format!("the reference cannot be read: {}", cause(&error)));
            let problem = problem.in_file(shown).fix("make it a readable file of one JSON object, or remove it");
            return (JsonSize::default(), Some((kept(file), vec![problem])));
        }
    };
    let size = JsonSize::of(&bytes);
    if !wanted.may_be_in(&bytes) {
        return (size, None);
    }
    if size.values > ENTRY_VALUES {
        // Its values are not parsed.
        let size = JsonSize { values: 0, ..size };
        return (size, Some((kept(file), vec![too_many_values(ENTRY_VALUES).in_file(shown)])));
    }
    let entry = match JsonDocument::parse(file, shown, bytes) {
        (Some(document), mut problems) => {
            let (source, more) = reader.read(&document, Vec::new(), &document.value);
            problems.extend(more);
            (source, problems)
        }
        (None, problems) => (kept(file), problems),
    };
    (size, Some(entry))
}

/// The source; shares the previous catalog's value if it is unchanged.
fn shared(source: Source, previous: Option<&Catalog>) -> Arc<Source> {
    match previous {
        Some(catalog) => catalog.share(source),
        None => Arc::new(source),
    }
}

/// A warning for every source whose id an earlier one already uses, at the position of the later source.
fn duplicates(
    context: &WorkspaceContext,
    document: Option<&JsonDocument>,
    files: &[ReferenceFile],
    catalog: &Catalog,
    losers: &[Arc<Source>],
) -> Vec<Diagnostic> {
    let mut listed = ListedProblems::default();
    // Cache by id: many sources may repeat the same id, and finding the position of a source reads its file.
    let mut winners: HashMap<&SourceId, String> = HashMap::new();
    for (nth, source) in losers.iter().enumerate() {
        let Some(winner) = catalog.get(source.id.as_str()) else { continue };
        let wins = winners.entry(&winner.id).or_insert_with(|| {
            let file = context.display(&winner.origin.file);
            match id_position(document, files, winner) {
                Some(Position { line, column }) => format!("{file}:{line}:{column}"),
                None => file,
            }
        });
        let message = format!("the id '{}' is already used by {wins}; this entry is not used", source.id);
        let mut problem = Diagnostic::warning(Code::DuplicateId, message)
            .in_file(context.display(&source.origin.file))
            .about(source.id.as_str())
            .fix("give one of the two another id, or remove it");
        let position = if nth < LISTED { id_position(document, files, source) } else { None };
        if let Some(position) = position {
            problem = problem.at(position);
        }
        listed.push(problem);
    }
    listed.into_vec()
}

fn id_position(document: Option<&JsonDocument>, files: &[ReferenceFile], source: &Source) -> Option<Position> {
    match (source.origin.entry, document) {
        (Some(index), Some(document)) => Some(document.position(
            &[PointerStep::Key("sources"), PointerStep::Item(index), PointerStep::Key("id")],
            MemberPart::Value,
        )),
        // Read the discovered file again: duplicates are too rare to keep the text of every file. Do not open it by
        // path, which may lead elsewhere by now.
        _ => {
            let at = files.binary_search_by(|file| file.path.as_path().cmp(&source.origin.file)).ok()?;
            let (document, _) = JsonDocument::parse(&source.origin.file, String::new(), files.get(at)?.read().ok()?);
            Some(document?.position(&[PointerStep::Key("id")], MemberPart::Value))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use refdesk_files::write_atomic;

    /// A local user, or a program that an agent runs, can replace a checked path with a link.
    #[test]
    fn only_the_allowed_file_is_read() {
        let entry = |content: &str| format!(r#"{{"id": "r", "name": "R", "type": "inline", "content": "{content}"}}"#);
        // The path that is replaced with a link, and the target of the link.
        for (exchanged, target) in
            [(".jaato", "out/.jaato"), (".jaato/references", "out"), (".jaato/references/r.json", "out/r.json")]
        {
            let folder = tempfile::tempdir().unwrap();
            let root = std::fs::canonicalize(folder.path()).unwrap();
            let workspace = root.join("workspace");
            write_atomic(&workspace.join(".jaato/references/r.json"), entry("inside").as_bytes()).unwrap();
            write_atomic(&workspace.join("linked.json"), entry("linked").as_bytes()).unwrap();
            symlink(workspace.join("linked.json"), workspace.join(".jaato/references/s.json")).unwrap();
            for file in ["out/r.json", "out/.jaato/references/r.json", "out/linked.json"] {
                write_atomic(&root.join(file), entry("PRIVATE").as_bytes()).unwrap();
            }
            let exchange = |path: &str, target: &str| {
                let aside = root.join("aside");
                let _ = std::fs::rename(workspace.join(path), aside.join(path.replace('/', "-")));
                let _ = symlink(root.join(target), workspace.join(path));
            };
            std::fs::create_dir(root.join("aside")).unwrap();
            let context = WorkspaceContext {
                workspace: workspace.clone(),
                current: workspace.clone(),
                ..WorkspaceContext::default()
            };
            let may_read = |_: &Path, real: &Path| {
                exchange(exchanged, target);
                exchange("linked.json", "out/linked.json");
                real.starts_with(&workspace)
            };
            let reading =
                CatalogOptions { previous: None, may_read: &may_read, wanted: &EntryFilter::All, is_compared: true };
            let (config, _) = config::load(&context, |_, _, _| None::<()>);
            let (catalog, problems) = load(&context, &config, PlainSources::default(), reading);
            let texts = format!("{catalog:?}{problems:?}");
            assert!(!texts.contains("PRIVATE"), "{exchanged}: {texts}");
        }
    }

    #[test]
    fn the_files_of_the_folder_have_a_limit_together() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(folder.path()).unwrap();
        for nth in 0..40 {
            let entry = format!(r#"{{"id": "r{nth:02}", "type": "inline", "content": "{}"}}"#, "x".repeat(1_000));
            write_atomic(&workspace.join(format!(".jaato/references/{nth:02}.json")), entry.as_bytes()).unwrap();
        }
        let context = WorkspaceContext { workspace: workspace.clone(), ..WorkspaceContext::default() };
        let real = workspace.join(".jaato/references");
        let files = Folder::real(&real).and_then(|opened| json_files(&real, &opened)).unwrap();
        let size = files[0].read().unwrap().len() as u64;
        let last = EntryFilter::Ids { start: "r29".to_owned(), most: 1 };
        for (bytes, values, wanted, expected, unread) in [
            (40 * size, 120, &EntryFilter::All, 40, 0),
            (30 * size, 120, &EntryFilter::All, 30, 10),
            (30 * size - 1, 120, &EntryFilter::All, 29, 11),
            (30 * size, 120, &last, 1, 10),
            (29 * size, 120, &last, 0, 11),
            (40 * size, 119, &EntryFilter::All, 39, 1),
            (40 * size, 87, &last, 0, 11),
        ] {
            let most = JsonSize { bytes, values };
            let reader = EntryContext { places: places(&context, wanted, true), folder: None };
            let reading = CatalogOptions { previous: None, may_read: &|_, _| true, wanted, is_compared: true };
            let (entries, others) = discovered(&reader, &files, reading, most);
            let others = others.map_or(0, |(files, _)| files.len());
            assert_eq!((entries.len(), others), (expected, unread), "{most:?} {wanted:?}");
        }
        for (from, limit, words) in [
            (30, "256 MiB", "256 MiB together; .jaato/references/30.json and 9 files after it are not read"),
            (39, "90 values", "90 values together; .jaato/references/39.json is not read"),
        ] {
            let problem = too_much(&context, Some((&files[from..], limit.to_owned()))).unwrap();
            assert_eq!(problem.message, format!("the files of the references folder have more than {words}"));
        }
        assert!(too_much(&context, None).is_none());
    }

    #[test]
    fn the_owner_of_a_duplicate_id_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(folder.path()).unwrap();
        let entry = |description: &str| {
            format!(r#"{{"description": "{description}", "id": "r", "name": "R", "type": "inline", "content": "c"}}"#)
        };
        let file = |name: &str| workspace.join(".jaato/references").join(name);
        // Parsing this file again for each duplicate would take minutes.
        write_atomic(&file("a.json"), entry(&"y".repeat(8_000_000)).as_bytes()).unwrap();
        for nth in 0..1_000 {
            write_atomic(&file(&format!("b{nth:04}.json")), entry("").as_bytes()).unwrap();
        }
        let references = format!(r#"{{"sources": [{}]}}"#, vec![entry(""); LISTED].join(","));
        for (references, winner) in [("{}", ".jaato/references/a.json:1:"), (&references, "references.json:1:")] {
            write_atomic(&workspace.join("references.json"), references.as_bytes()).unwrap();
            let context = WorkspaceContext {
                workspace: workspace.clone(),
                current: workspace.clone(),
                ..WorkspaceContext::default()
            };
            let (config, plain) = load_config(&context, None, &EntryFilter::All, true);
            let may_read = |_: &Path, _: &Path| true;
            let reading =
                CatalogOptions { previous: None, may_read: &may_read, wanted: &EntryFilter::All, is_compared: true };
            let (catalog, problems) = load(&context, &config, plain, reading);
            assert_eq!(catalog.len(), 1);
            assert!(problems[0].message.contains(winner), "{}", problems[0].message);
            let listed = problems.iter().filter(|problem| problem.code == Code::DuplicateId).count();
            assert_eq!(listed, if references == "{}" { 1_000 } else { LISTED });
            assert_eq!(problems.len() - listed, usize::from(references != "{}"), "the others are counted");
        }
    }

    #[test]
    fn the_place_of_a_duplicate_is_read_from_the_same_file() {
        let entry = |before: &str| format!(r#"{{{before}"id": "r", "name": "R", "type": "inline", "content": "c"}}"#);
        let folder = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(folder.path()).unwrap();
        let workspace = root.join("workspace");
        let file = |name: &str| workspace.join(".jaato/references").join(name);
        write_atomic(&file("r.json"), entry("").as_bytes()).unwrap();
        write_atomic(&root.join("out.json"), entry("\n\n\n").as_bytes()).unwrap();
        let context = WorkspaceContext {
            workspace: workspace.clone(),
            current: workspace.clone(),
            ..WorkspaceContext::default()
        };
        let (config, _) = config::load(&context, |_, _, _| None::<()>);
        let load_with = |previous: Option<&Catalog>, may_read: &dyn Fn(&Path, &Path) -> bool| {
            let reading = CatalogOptions { previous, may_read, wanted: &EntryFilter::All, is_compared: true };
            load(&context, &config, PlainSources::default(), reading)
        };
        let (before, _) = load_with(None, &|_, _| true);
        write_atomic(&file("a.json"), entry("\n").as_bytes()).unwrap();
        let places = |problems: Vec<Diagnostic>| -> Vec<_> {
            let duplicates = problems.into_iter().filter(|problem| problem.code == Code::DuplicateId);
            duplicates.map(|problem| (problem.file.unwrap(), problem.line)).collect()
        };
        let shown = ".jaato/references/r.json".to_owned();
        let (_, problems) = load_with(Some(&before), &|_, _| true);
        assert_eq!(places(problems), [(shown.clone(), Some(1))]);
        symlink(file("a.json"), file("z.json")).unwrap();
        // The files are listed before the targets of links are checked.
        let exchange = |path: &Path, _: &Path| {
            if path == file("z.json") {
                std::fs::remove_file(file("r.json")).unwrap();
                symlink(root.join("out.json"), file("r.json")).unwrap();
                return false;
            }
            true
        };
        // The last good content is kept, but the new target is not read to find a position.
        let (_, problems) = load_with(Some(&before), &exchange);
        assert_eq!(places(problems), [(shown, None)]);
    }
}
