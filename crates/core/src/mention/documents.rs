//! The text of a source: a file, the documents in a folder, or content in the catalog (BEHAVIOUR §3).

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::catalog::{PathState, Source, SourceKind};
use refdesk_files::walk::{Problem, WalkBudget, WalkLimits, WalkedFile, files_below, unreadable};
use refdesk_files::{Folder, read_regular, stamp};
use refdesk_text::Code;
use refdesk_text::generated::is_generated;
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens;

/// The limits for one source.
pub const LIMITS: WalkLimits = WalkLimits { files: 2_000, bytes: 64 * 1024 * 1024 };

/// The number of bytes within which the front matter of a page must end.
const FRONT_MATTER: u64 = 4 * 1024;

const DOCUMENTS: &[&str] = &["md", "txt", "json", "yaml", "yml", "html", "htm", "rst", "adoc"];

/// The endings of templates.
const TEMPLATES: [&str; 2] = ["tpl", "tmpl"];

/// Whether a file of this name counts as a document inside a directory source.
pub(super) fn is_document(name: &OsStr) -> bool {
    let path = Path::new(name);
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
    DOCUMENTS.iter().any(|document| document.eq_ignore_ascii_case(ending)) || stem.eq_ignore_ascii_case("readme")
}

/// The files of a local source, in path order; empty for other types and missing sources. `shown` formats a path.
pub fn files(
    source: &Source,
    budget: &WalkBudget,
    shown: impl Fn(&Path) -> String,
) -> (Vec<WalkedFile>, Vec<Diagnostic>) {
    let Some(place) = source.place() else { return (Vec::new(), Vec::new()) };
    let (files, problems) = match place.state {
        PathState::Missing | PathState::Untrusted | PathState::Reserved | PathState::Special => {
            (Vec::new(), Vec::new())
        }
        PathState::File => {
            let stamp = if place.size.is_none() { stamp(&place.path).ok() } else { None };
            let size = place.size.or(stamp.map(|stamp| stamp.size)).unwrap_or_default();
            let too_large = size > LIMITS.bytes;
            (
                vec![WalkedFile { path: place.path.to_path_buf(), size, stamp }],
                too_large.then_some(Problem::TooManyBytes).into_iter().collect(),
            )
        }
        PathState::Directory => {
            let (files, problems) = files_below(&place.path, &place.resolved, LIMITS, budget, is_document);
            (without_pages_for_programs(&place.path, files), problems)
        }
    };
    let diagnostics = problems.into_iter().map(|problem| diagnostic_of(&problem, source, &shown)).collect();
    (files, diagnostics)
}

/// The warning for a folder that [gives nothing to read](gives_nothing_to_read), in which no document was found.
pub(super) fn without_documents(
    source: &Source,
    budget: &WalkBudget,
    shown: impl Fn(&Path) -> String,
) -> Option<Diagnostic> {
    let place = source.place().filter(|_| gives_nothing_to_read(source, budget))?;
    let message = format!("the folder of '{}' has no documents, so agents have nothing to read in it", source.id);
    let problem = Diagnostic::warning(Code::NoDocument, message).about(source.id.as_str());
    Some(problem.in_file(shown(&place.path)).fix("put a document (.md, .txt, .rst, …) into it, or remove the source"))
}

/// Whether a folder without documents gives an agent nothing: one with templates or declared contents is there for these.
pub fn gives_nothing_to_read(source: &Source, budget: &WalkBudget) -> bool {
    let Some(place) = source.place().filter(|_| source.is_directory() && source.contents.is_none()) else {
        return false;
    };
    let is_template = |name: &OsStr| {
        let ending = Path::new(name).extension().unwrap_or_default();
        TEMPLATES.iter().any(|template| ending.eq_ignore_ascii_case(template))
    };
    files_below(&place.path, &place.resolved, LIMITS, budget, is_template).0.is_empty()
}

/// The files without the pages for programs that repeat the content of others, such as `tables/NAME.json` next to
/// `tables/NAME.md` among the pages that refdesk writes about a database. Otherwise an agent told to read each file
/// would read, and pay for, every table twice.
///
/// The paths may be relative to the folder of the source.
pub fn without_pages_for_programs(source: &Path, mut files: Vec<WalkedFile>) -> Vec<WalkedFile> {
    let has_ending = |path: &Path, ending: &str| path.extension() == Some(OsStr::new(ending));
    // One page is enough to classify its whole folder.
    let mut folders: HashMap<PathBuf, bool> = HashMap::new();
    let mut pages: HashSet<PathBuf> = HashSet::new();
    for path in files.iter().map(|file| &file.path).filter(|path| has_ending(path, "md")) {
        let Some(folder) = path.parent().filter(|folder| folder.file_name() == Some(OsStr::new("tables"))) else {
            continue;
        };
        let is_ours = match folders.get(folder) {
            Some(is_ours) => *is_ours,
            None => *folders.entry(folder.to_path_buf()).or_insert_with(|| is_generated_page(&source.join(path))),
        };
        if is_ours {
            pages.insert(path.clone());
        }
    }
    if !pages.is_empty() {
        files.retain(|file| !has_ending(&file.path, "json") || !pages.contains(&file.path.with_extension("md")));
    }
    files
}

/// Whether the front matter marks a page as written by refdesk.
fn is_generated_page(path: &Path) -> bool {
    read_regular(path, FRONT_MATTER).is_ok_and(|(bytes, _)| is_generated(&String::from_utf8_lossy(&bytes)))
}

/// Estimated tokens of a source's text; `None` if the text is not local or is missing.
pub fn tokens(source: &Source, budget: &WalkBudget) -> Option<u64> {
    match &source.kind {
        SourceKind::Inline { content } => Some(tokens::of_prose(content.len() as u64)),
        SourceKind::Local(place) if place.state.is_open() => {
            Some(tokens_of(&files(source, budget, |_| String::new()).0))
        }
        _ => None,
    }
}

/// Estimated tokens of an open folder, counted as for a source with this absolute path.
pub fn folder_tokens(folder: &Folder, path: &Path, budget: &WalkBudget) -> u64 {
    let (files, _) = folder.files(path, LIMITS, budget, is_document);
    tokens_of(&without_pages_for_programs(path, files))
}

pub(super) fn tokens_of(files: &[WalkedFile]) -> u64 {
    files.iter().map(|file| tokens::of_file(&file.path, file.size)).sum()
}

fn diagnostic_of(problem: &Problem, source: &Source, shown: impl Fn(&Path) -> String) -> Diagnostic {
    let place = source.place().map_or(Path::new(""), |place| &*place.path);
    let limit = |code, message: String| {
        Diagnostic::warning(code, message).in_file(shown(place)).fix("split the source into smaller ones")
    };
    let diagnostic = match problem {
        Problem::Stopped(stop) => {
            Diagnostic::warning(Code::TooManyEntries, stop.message()).in_file(shown(place)).fix(stop.fix())
        }
        Problem::Unreadable(path, error) => Diagnostic::warning(Code::Unreadable, unreadable(error))
            .in_file(shown(path))
            .fix("make it readable, or remove it from the source"),
        Problem::TooManyFiles => {
            limit(Code::TooManyFiles, format!("only the first {} documents of the source are read", LIMITS.files))
        }
        Problem::TooManyBytes => {
            let mebibytes = LIMITS.bytes / (1024 * 1024);
            limit(Code::TooManyBytes, format!("only the first {mebibytes} MiB of the source are read"))
        }
    };
    diagnostic.about(source.id.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::testing::local;

    #[test]
    fn a_single_file_has_the_same_limit_as_a_folder() {
        for (size, codes) in [(LIMITS.bytes, &[][..]), (LIMITS.bytes + 1, &["too-many-bytes"])] {
            let mut source = local("a", Path::new("/w/a.md"), PathState::File);
            if let SourceKind::Local(place) = &mut source.kind {
                place.size = Some(size);
            }
            let (files, problems) = files(&source, &WalkBudget::default(), |path| path.display().to_string());
            assert_eq!(files.len(), 1);
            assert_eq!(problems.iter().map(|problem| problem.code.as_str()).collect::<Vec<_>>(), codes, "{size}");
        }
    }

    #[test]
    fn a_table_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        for (ours, left) in [
            (
                "---\ngenerated: refdesk\n---\n",
                "README.json README.md a.json a.md tables/only.json tables/s.t.md tables/s.u.md",
            ),
            (
                "of a person",
                "README.json README.md a.json a.md tables/only.json tables/s.t.json tables/s.t.md tables/s.u.md",
            ),
        ] {
            let all = "README.json README.md a.json a.md tables/only.json tables/s.t.json tables/s.t.md tables/s.u.md";
            for name in all.split(' ') {
                refdesk_files::write_atomic(&folder.path().join(name), ours.as_bytes()).unwrap();
            }
            let walked = |name: &str| WalkedFile { path: folder.path().join(name), size: 1, stamp: None };
            let found = without_pages_for_programs(folder.path(), all.split(' ').map(walked).collect());
            let found: Vec<_> = found.iter().filter_map(|file| file.path.strip_prefix(folder.path()).ok()).collect();
            assert_eq!(found, left.split(' ').map(Path::new).collect::<Vec<_>>(), "{ours}");
        }
    }

    #[test]
    fn documents_are_recognized_by_extension_or_stem() {
        for (name, expected) in [
            ("a.md", true),
            ("a.MD", true),
            ("a.adoc", true),
            ("README", true),
            ("readme.xyz", true),
            ("ReadMe.rb", true),
            ("a.java", false),
            ("md", false),
            (".md", false),
            ("readme2", false),
        ] {
            assert_eq!(is_document(OsStr::new(name)), expected, "{name}");
        }
    }
}
