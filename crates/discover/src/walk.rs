//! Lists the files that a discovery may read. Folders are opened below the workspace without following links, files
//! that git ignores are left out, and the number of entries and the time are bounded.

mod names;

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

pub(crate) use self::names::{DOCUMENT_EXTENSIONS, VITEPRESS, VITEPRESS_CONFIG};
use self::names::{
    HIDDEN_DOCUMENTS, NAMED, SKIPPED, TEMPLATE_EXTENSIONS, entered, has_ending, is_code, is_vitepress_config,
};
use super::proposal::ScanNote;
use refdesk_files::path::{clean, lossy};
use refdesk_files::reserved::is_git;
use refdesk_files::{EntryKind, Folder};
use refdesk_text::tokens::grouped;
use refdesk_text::words::is_listed;

#[derive(Debug, Clone, Copy)]
pub(crate) struct ScanLimits {
    /// The most entries of all folders.
    pub entries: usize,
    /// The most files to read.
    pub files: usize,
    /// The most levels of folders.
    pub depth: usize,
    /// The most time, for slow file systems.
    pub time: Duration,
}

impl Default for ScanLimits {
    fn default() -> Self {
        Self { entries: 400_000, files: 10_000, depth: 40, time: Duration::from_secs(10) }
    }
}

/// The most bytes of all `.gitignore` files, which become patterns.
const IGNORE_BYTES: usize = 512 * 1024;

/// The most bytes of one `.gitignore` file.
const IGNORE_FILE: u64 = 64 * 1024;

/// The most notes of one kind.
const NOTES: usize = 20;

/// The files and folders that were listed; paths are relative to the workspace.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Documents, and files that list documents.
    pub files: Vec<PathBuf>,
    /// Folders with a file that is not ignored.
    pub folders: BTreeSet<PathBuf>,
    /// Folders with program code in them.
    pub code: BTreeSet<PathBuf>,
    /// Folders with templates in them.
    pub templates: BTreeSet<PathBuf>,
    /// What was left out.
    pub notes: Vec<ScanNote>,
}

/// The ignore patterns of a folder and of those above it.
struct Ignored {
    own: Gitignore,
    above: Option<Rc<Ignored>>,
}

impl Ignored {
    fn covers(&self, path: &Path, is_folder: bool) -> bool {
        match self.own.matched(path, is_folder) {
            Match::Ignore(_) => true,
            Match::Whitelist(_) => false,
            Match::None => self.above.as_ref().is_some_and(|above| above.covers(path, is_folder)),
        }
    }
}

struct Pending {
    path: PathBuf,
    ignored: Option<Rc<Ignored>>,
    depth: usize,
}

/// A folder while its entries are listed.
struct Visited<'a> {
    at: &'a Pending,
    folder: Folder,
    ignored: Option<Rc<Ignored>>,
}

impl Visited<'_> {
    fn ignores(&self, path: &Path, is_folder: bool) -> bool {
        self.ignored.as_ref().is_some_and(|ignored| ignored.covers(path, is_folder))
    }
}

struct Walker<'a> {
    top: &'a Folder,
    limits: ScanLimits,
    began: Instant,
    entries: usize,
    ignore_bytes: usize,
    links: Vec<PathBuf>,
    listing: Listing,
}

/// Lists the documents below these folders or files of the workspace; an empty path is the workspace itself.
pub(crate) fn list(top: &Folder, starts: &[PathBuf], limits: ScanLimits) -> Listing {
    let mut walker = Walker {
        top,
        limits,
        began: Instant::now(),
        entries: 0,
        ignore_bytes: 0,
        links: Vec::new(),
        listing: Listing::default(),
    };
    let mut pending = VecDeque::new();
    for start in starts {
        let ignored = walker.ignored_above(start);
        pending.push_back(Pending { path: start.clone(), ignored, depth: 0 });
    }
    while let Some(folder) = pending.pop_front() {
        // The last folder may be the one that exceeds a limit.
        let ended = walker.check_time().and_then(|()| {
            walker.visit(&folder, &mut pending);
            walker.check_counts()
        });
        if let Err(why) = ended {
            walker.listing.notes.push(ScanNote::new("", why));
            break;
        }
    }
    walker.finish()
}

impl Walker<'_> {
    /// Why the walk must stop before the next folder.
    fn check_time(&self) -> Result<(), String> {
        let time = self.limits.time;
        if self.began.elapsed() > time {
            return Err(format!(
                "listing the files took more than {} seconds, so the rest was left out",
                time.as_secs()
            ));
        }
        Ok(())
    }

    /// Why the walk must stop after a folder.
    fn check_counts(&self) -> Result<(), String> {
        let ScanLimits { entries, files, .. } = self.limits;
        let too_many = |limit: usize, what: &str| {
            Err(format!("there are more than {} {what}, so the rest was left out", grouped(limit)))
        };
        if self.entries > entries {
            return too_many(entries, "files and folders");
        }
        if self.listing.files.len() > files {
            return too_many(files, "documents");
        }
        Ok(())
    }

    fn note(&mut self, path: &Path, message: impl Into<String>) {
        self.listing.notes.push(ScanNote::new(lossy(path), message));
    }

    /// The patterns of the folders above the start.
    fn ignored_above(&mut self, start: &Path) -> Option<Rc<Ignored>> {
        let mut above: Vec<&Path> = start.ancestors().skip(1).collect();
        above.reverse();
        let mut ignored = None;
        for path in above {
            if let Ok(folder) = self.top.below(path) {
                ignored = self.with_patterns(&folder, path, ignored);
            }
        }
        ignored
    }

    /// Adds the patterns of a folder's `.gitignore`.
    fn with_patterns(&mut self, folder: &Folder, path: &Path, above: Option<Rc<Ignored>>) -> Option<Rc<Ignored>> {
        let Ok((bytes, more)) = folder.read(".gitignore", IGNORE_FILE) else { return above };
        self.ignore_bytes += bytes.len();
        let file = path.join(".gitignore");
        if more || self.ignore_bytes > IGNORE_BYTES {
            self.note(&file, "it is too large, so it was ignored");
            return above;
        }
        let mut builder = GitignoreBuilder::new(path);
        for line in String::from_utf8_lossy(&bytes).lines() {
            // Like git, skip lines that are not patterns.
            let _ = builder.add_line(None, line);
        }
        match builder.build() {
            Ok(own) if !own.is_empty() => Some(Rc::new(Ignored { own, above })),
            _ => above,
        }
    }

    fn visit(&mut self, at: &Pending, pending: &mut VecDeque<Pending>) {
        let opened = self.top.below(&at.path).and_then(|folder| {
            let entries: Vec<(OsString, EntryKind)> =
                folder.entries()?.take(self.limits.entries + 1).flatten().collect();
            Ok((folder, entries))
        });
        let (folder, mut entries) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                self.note(&at.path, format!("it cannot be read: {error}"));
                return;
            }
        };
        self.entries += entries.len();
        if at.depth > 0 && entries.iter().any(|(name, _)| is_git(name)) {
            self.note(&at.path, "a submodule or another repository, left out");
            return;
        }
        entries.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        let has = |wanted: &str| entries.iter().any(|(name, kind)| name == wanted && *kind == EntryKind::File);
        let ignored = if has(".gitignore") {
            self.with_patterns(&folder, &at.path, at.ignored.clone())
        } else {
            at.ignored.clone()
        };
        let open = Visited { at, folder, ignored };
        if at.path.file_name().is_some_and(|name| name == VITEPRESS) {
            let configs = entries.iter().filter(|(name, kind)| *kind == EntryKind::File && is_vitepress_config(name));
            let configs = configs.map(|(name, _)| at.path.join(name)).filter(|path| !open.ignores(path, false));
            self.listing.files.extend(configs);
            return;
        }
        for (name, kind) in entries {
            let path = at.path.join(&name);
            if name.to_str().is_none() {
                self.note(&path, "its name is not UTF-8, so it was left out");
                continue;
            }
            match kind {
                EntryKind::Folder => self.add_folder(&open, &name, &path, pending),
                EntryKind::File => self.add_file(&open, &name, path),
                EntryKind::Link => self.add_link(&open, &name, path),
                EntryKind::Other => {}
            }
        }
    }

    /// Queues a folder or the folders to enter below it, and lists the documents of a hidden folder.
    fn add_folder(&mut self, open: &Visited, name: &OsStr, path: &Path, pending: &mut VecDeque<Pending>) {
        for (_, file) in HIDDEN_DOCUMENTS.iter().filter(|(hidden, _)| name == *hidden) {
            let path = path.join(file);
            if self.is_file(&path) && !open.ignores(&path, false) {
                self.listing.files.push(path);
            }
        }
        for below in entered(&open.at.path, name) {
            let path = if below.is_empty() { path.to_path_buf() } else { path.join(below) };
            if open.at.depth >= self.limits.depth {
                self.note(&path, format!("more than {} levels deep, so it was left out", self.limits.depth));
            } else if !open.ignores(&path, true) && (below.is_empty() || self.is_folder(&path)) {
                pending.push_back(Pending { path, ignored: open.ignored.clone(), depth: open.at.depth + 1 });
            }
        }
    }

    /// Notes what kinds of files the folder has, and lists the file if it is to be read.
    fn add_file(&mut self, open: &Visited, name: &OsStr, path: PathBuf) {
        if open.ignores(&path, false) {
            return;
        }
        let folder = &open.at.path;
        self.listing.folders.insert(folder.clone());
        if is_code(name) {
            self.listing.code.insert(folder.clone());
        }
        if has_ending(name, &TEMPLATE_EXTENSIONS) {
            self.listing.templates.insert(folder.clone());
        }
        if has_ending(name, &DOCUMENT_EXTENSIONS) || name.to_str().is_some_and(|name| is_listed(NAMED, name)) {
            self.listing.files.push(path);
        }
    }

    /// Remembers a link that would have been read or entered.
    fn add_link(&mut self, open: &Visited, name: &OsStr, path: PathBuf) {
        let is_wanted = has_ending(name, &DOCUMENT_EXTENSIONS) || self.leads_to_folder(&open.folder, &path);
        let is_skipped = name.to_str().is_some_and(|name| is_listed(SKIPPED, name));
        if is_wanted && !is_skipped && !open.ignores(&path, false) {
            self.links.push(path);
        }
    }

    fn is_folder(&self, path: &Path) -> bool {
        self.top.below(path).is_ok()
    }

    fn is_file(&self, path: &Path) -> bool {
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { return false };
        let found = self.top.below(folder).and_then(|folder| folder.entry(name));
        found.ok().flatten().is_some_and(|it| it.kind == EntryKind::File)
    }

    /// Whether a link leads to a folder. Targets outside the workspace are not examined, and the name decides.
    fn leads_to_folder(&self, folder: &Folder, link: &Path) -> bool {
        let Some(name) = link.file_name() else { return false };
        let Ok(target) = std::fs::read_link(folder.path_of(name)) else { return false };
        match clean(&folder.path().join(target)).strip_prefix(self.top.path()) {
            Ok(inside) => self.is_folder(inside),
            Err(_) => link.extension().is_none() && !name.as_encoded_bytes().starts_with(b"."),
        }
    }

    fn finish(mut self) -> Listing {
        self.listing.files.truncate(self.limits.files);
        let links = std::mem::take(&mut self.links);
        for link in links.iter().take(NOTES) {
            self.note(link, "a symbolic link, not followed");
        }
        if let Some(rest) = links.len().checked_sub(NOTES).filter(|rest| *rest > 0) {
            self.listing.notes.push(ScanNote::new("", format!("{rest} more symbolic links were not followed")));
        }
        self.listing.files.sort_unstable();
        self.listing.files.dedup();
        self.listing
    }
}
