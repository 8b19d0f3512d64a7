//! Lists and describes the documents of a workspace. A repository may be hostile: files are opened below the workspace
//! without following links, and at most [`READ`] bytes of each are read.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use rayon::prelude::*;

use super::navigation::{self, ListedPage};
use super::page::{Page, read_page, text_of};
use super::proposal::ScanNote;
use super::propose::folder_sources;
use super::walk::{Listing, ScanLimits, list};
use refdesk_core::mention::folder_tokens;
use refdesk_files::path::lossy;
use refdesk_files::walk::WalkBudget;
use refdesk_files::{Folder, read_open};
use refdesk_text::generated::is_generated;

/// The most bytes to read from a file.
pub(crate) const READ: u64 = 1024 * 1024;

/// A document that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScannedFile {
    /// Relative to the workspace.
    pub path: PathBuf,
    /// In bytes.
    pub size: u64,
    pub page: Page,
}

/// What was read from a workspace.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Scan {
    /// The name of the workspace's folder.
    pub name: String,
    /// Documents, in path order.
    pub files: Vec<ScannedFile>,
    /// Pages in tables of contents, in their order.
    pub listed: Vec<ListedPage>,
    /// Links of `llms.txt`, each with its file.
    pub links: Vec<(PathBuf, navigation::Link)>,
    /// Folders that contain a file.
    pub folders: BTreeSet<PathBuf>,
    /// Folders with program code.
    pub code: BTreeSet<PathBuf>,
    /// Folders with templates.
    pub templates: BTreeSet<PathBuf>,
    /// Estimated tokens of the folders that may be sources.
    pub prices: BTreeMap<PathBuf, u64>,
    /// What was left out or not understood.
    pub notes: Vec<ScanNote>,
}

/// Reads the documents below these folders of a workspace, given relative to it; without folders, the whole workspace.
/// `workspace` is an absolute path without links.
pub(crate) fn scan(workspace: &Path, folders: &[PathBuf], limits: ScanLimits) -> Scan {
    let name = workspace.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let top = match Folder::real(workspace) {
        Ok(top) => top,
        Err(error) => {
            let notes = vec![ScanNote::new("", format!("the workspace cannot be read: {error}"))];
            return Scan { name, notes, ..Scan::default() };
        }
    };
    let all = [PathBuf::new()];
    let Listing { files, folders, code, templates, notes } =
        list(&top, if folders.is_empty() { &all } else { folders }, limits);
    let read: Vec<ScanResult> = files.into_par_iter().map(|path| read(&top, path)).collect();
    let mut scan = Scan { name, folders, code, templates, notes, ..Scan::default() };
    let mut guides = Vec::new();
    for read in read {
        match read {
            ScanResult::Document(file, note) => {
                scan.notes.extend(note);
                scan.files.push(*file);
            }
            ScanResult::Guide(path, text) => guides.push((path, text)),
            ScanResult::Nothing(note) => scan.notes.extend(note),
        }
    }
    let exists = |path: &Path| scan.files.binary_search_by(|file| file.path.as_path().cmp(path)).is_ok();
    for (path, text) in &guides {
        let (listed, note) = navigation::read(path, text, &exists);
        scan.listed.extend(listed);
        scan.notes.extend(note);
        scan.links.extend(navigation::links(path, text).into_iter().map(|link| (path.clone(), link)));
    }
    let budget = WalkBudget::default();
    let price = |folder: &Path| {
        let open = top.below(folder).ok()?;
        Some((folder.to_path_buf(), folder_tokens(&open, &workspace.join(folder), &budget)))
    };
    scan.prices = folder_sources(&scan).folders().filter_map(price).collect();
    scan
}

/// The documents below a folder, relative to it; `folder` is an absolute path without links.
pub fn documents_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(top) = Folder::real(folder) else { return Vec::new() };
    let files = list(&top, &[PathBuf::new()], ScanLimits::default()).files;
    files.into_iter().filter(|file| !navigation::is_guide(file)).collect()
}

enum ScanResult {
    Document(Box<ScannedFile>, Option<ScanNote>),
    /// A file that lists documents, with its text.
    Guide(PathBuf, String),
    Nothing(Option<ScanNote>),
}

fn read(top: &Folder, path: PathBuf) -> ScanResult {
    let opened = || {
        let folder = top.below(path.parent().unwrap_or(Path::new("")))?;
        let file = folder.open(path.file_name().unwrap_or_default())?;
        let metadata = file.metadata()?;
        let (bytes, _) = read_open(file, &metadata, READ)?;
        Ok::<_, std::io::Error>((bytes, metadata.len()))
    };
    let note = |message: String| ScanNote::new(lossy(&path), message);
    let (bytes, size) = match opened() {
        Ok(read) => read,
        Err(error) => return ScanResult::Nothing(Some(note(format!("it cannot be read: {error}")))),
    };
    let Some(text) = text_of(&bytes) else {
        return ScanResult::Nothing(Some(note("it is not UTF-8 text, so it was left out".to_owned())));
    };
    // A page of a documented database, which has its own sources.
    if is_generated(&text) {
        return ScanResult::Nothing(None);
    }
    if navigation::is_guide(&path) {
        return ScanResult::Guide(path, text.into_owned());
    }
    let page = read_page(&path, &text);
    let problem = page.front.problem.clone().map(|(line, message)| ScanNote { line: Some(line), ..note(message) });
    // In a truncated text, the last character may be replaced too.
    let is_decoded = matches!(text, Cow::Owned(_)) && size <= READ;
    let undecoded = || note("some of its characters are not UTF-8 and cannot be read".to_owned());
    let problem = problem.or_else(|| is_decoded.then(undecoded));
    ScanResult::Document(Box::new(ScannedFile { path, size, page }), problem)
}
