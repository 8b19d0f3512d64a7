//! Lists the files below an open folder in path order until a limit is reached. Every folder is opened from the top
//! folder without following links, so a folder that becomes a link during the walk is not entered. A link to a file is
//! followed only within the tree, and only if the walk would not reach its target anyway, so nothing is read twice.

mod budget;

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use self::budget::WalkAllowance;
pub use self::budget::{WalkBudget, WalkStop};
use super::error::without_path;
use super::read::Stamp;
use super::reserved::{is_git, is_own_name, is_skipped_by_walks};
use super::{EntryKind, Folder};

/// Limits of a walk.
#[derive(Debug, Clone, Copy)]
pub struct WalkLimits {
    /// Maximum number of files.
    pub files: usize,
    /// Maximum bytes of all files together.
    pub bytes: u64,
}

/// A file found by the walk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkedFile {
    /// The root as given, then the names below it.
    pub path: PathBuf,
    /// In bytes.
    pub size: u64,
    /// Its stamp, if it was read together with the size.
    pub stamp: Option<Stamp>,
}

/// Why a walk is incomplete.
#[derive(Debug)]
pub enum Problem {
    /// A folder or file that cannot be read.
    Unreadable(PathBuf, io::Error),
    /// There are more files than the limit; the rest was left out.
    TooManyFiles,
    /// The files have more bytes than the limit; the rest was left out.
    TooManyBytes,
    /// The walk ended early; the rest was left out.
    Stopped(WalkStop),
}

/// The message for a folder or file that cannot be read, below its path.
pub fn unreadable(error: &io::Error) -> String {
    match error.kind() {
        // It existed when the walk began.
        io::ErrorKind::NotFound => "it no longer exists".to_owned(),
        _ => format!("it cannot be read: {error}"),
    }
}

/// The files below the folder `real`, a path without links; `root` replaces it in the returned paths. See
/// [`Folder::files`].
pub fn files_below(
    root: &Path,
    real: &Path,
    limits: WalkLimits,
    budget: &WalkBudget,
    wanted: impl Fn(&OsStr) -> bool,
) -> (Vec<WalkedFile>, Vec<Problem>) {
    match Folder::real(real) {
        Ok(folder) => folder.files(root, limits, budget, wanted),
        Err(error) => (Vec::new(), vec![Problem::Unreadable(root.to_path_buf(), without_path(error))]),
    }
}

impl Folder {
    /// The files below this folder whose names are `wanted`, in path order, including hidden ones; the folder must have
    /// been opened by its real path. Returned paths begin with `root`. Skips folders of git and those that refdesk
    /// generates, unless this is one, because the selection must not depend on an earlier selection.
    pub fn files(
        &self,
        root: &Path,
        limits: WalkLimits,
        budget: &WalkBudget,
        wanted: impl Fn(&OsStr) -> bool,
    ) -> (Vec<WalkedFile>, Vec<Problem>) {
        let (mut found, mut problems, mut bytes) = (Vec::new(), Vec::new(), 0u64);
        let mut walk = Walk::of(self, budget, wanted);
        let listed = walk.push_entries();
        problems.extend(listed.err().map(|error| Problem::Unreadable(root.to_path_buf(), without_path(error))));
        while let Some(entry) = walk.pending.pop() {
            let within = entry.folder.path.join(&entry.name);
            let size = match walk.visit(&entry, &within) {
                Ok(Some(size)) => size,
                Ok(None) => continue,
                Err(error) => {
                    problems.push(Problem::Unreadable(root.join(within), without_path(error)));
                    continue;
                }
            };
            if found.len() >= limits.files {
                problems.push(Problem::TooManyFiles);
                break;
            }
            bytes = bytes.saturating_add(size);
            if bytes > limits.bytes {
                problems.push(Problem::TooManyBytes);
                break;
            }
            found.push(WalkedFile { path: root.join(within), size, stamp: None });
        }
        problems.extend(walk.stopped.map(Problem::Stopped));
        (found, problems)
    }
}

/// Every folder at a multiple of this depth is kept open, and others are opened from the nearest of these. A path from
/// the top would make the system traverse all folders above each time, and keeping all of them open would need two
/// thousand descriptors for the deepest tree.
const MAX_OPEN_FOLDERS: usize = 64;

struct WalkFolder {
    /// Path relative to the top folder.
    path: PathBuf,
    /// The number of components of the path.
    depth: usize,
    /// The parent folder and the name in it; `None` for the top folder.
    above: Option<(Rc<WalkFolder>, OsString)>,
}

impl WalkFolder {
    /// The path relative to the ancestor at this depth.
    fn path_from(&self, depth: usize) -> PathBuf {
        let mut names = Vec::new();
        let mut folder = self;
        while let Some((above, name)) = folder.above.as_ref().filter(|_| folder.depth > depth) {
            names.push(name);
            folder = above;
        }
        names.into_iter().rev().collect()
    }
}

/// A folder or a wanted name.
struct WalkEntry {
    /// Shared by the entries of one folder.
    folder: Rc<WalkFolder>,
    name: OsString,
    kind: EntryKind,
}

struct Walk<'a, W> {
    top: &'a Folder,
    wanted: W,
    rest: WalkAllowance<'a>,
    /// Entries yet to be visited, the next one last. A folder is opened only when it is visited, which keeps path order
    /// and few folders open.
    pending: Vec<WalkEntry>,
    opened: (Rc<WalkFolder>, Folder),
    /// Ancestors of that folder that are kept open, each with its depth.
    reached: Vec<(usize, Folder)>,
    /// Files reached through a link.
    linked: HashSet<PathBuf>,
    /// The limit that was reached; no more folders are opened.
    stopped: Option<WalkStop>,
}

impl<'a, W: Fn(&OsStr) -> bool> Walk<'a, W> {
    fn of(top: &'a Folder, budget: &'a WalkBudget, wanted: W) -> Self {
        let folder = WalkFolder { path: PathBuf::new(), depth: 0, above: None };
        Walk {
            top,
            wanted,
            rest: budget.start(),
            pending: Vec::new(),
            opened: (Rc::new(folder), top.clone()),
            reached: Vec::new(),
            linked: HashSet::new(),
            stopped: None,
        }
    }

    /// Returns the size of a file; enters a folder.
    fn visit(&mut self, entry: &WalkEntry, within: &Path) -> io::Result<Option<u64>> {
        match entry.kind {
            EntryKind::Folder if self.stopped.is_some() => Ok(None),
            EntryKind::Folder => {
                let (depth, above) = (entry.folder.depth + 1, Some((entry.folder.clone(), entry.name.clone())));
                self.open(Rc::new(WalkFolder { path: within.to_path_buf(), depth, above }))?;
                self.push_entries()?;
                Ok(None)
            }
            EntryKind::File => {
                if !Rc::ptr_eq(&entry.folder, &self.opened.0) {
                    self.open(entry.folder.clone())?;
                }
                size_of(&self.opened.1, &entry.name)
            }
            // Resolving a deep link may take longer than listing its folder.
            EntryKind::Link if !self.rest.is_in_time() => {
                self.stopped.get_or_insert(WalkStop::Budget);
                Ok(None)
            }
            EntryKind::Link => {
                let Some(target) = self.target(within) else { return Ok(None) };
                let folder = target.parent().unwrap_or(Path::new(""));
                size_of(&self.top.below(folder)?, target.file_name().unwrap_or_default())
            }
            EntryKind::Other => Ok(None),
        }
    }

    fn open(&mut self, folder: Rc<WalkFolder>) -> io::Result<()> {
        // In path order, everything below a folder directly follows it, so those that remain are ancestors of this one.
        self.reached.retain(|(depth, _)| *depth < folder.depth);
        let (depth, nearest) = self.nearest(&folder);
        let opened = nearest.below(&folder.path_from(depth))?;
        if folder.depth.is_multiple_of(MAX_OPEN_FOLDERS) {
            self.reached.push((folder.depth, opened.clone()));
        }
        self.opened = (folder, opened);
        Ok(())
    }

    /// The nearest ancestor that is kept open, and its depth.
    fn nearest(&self, folder: &WalkFolder) -> (usize, &Folder) {
        let is_in_opened = folder.above.as_ref().is_some_and(|(above, _)| Rc::ptr_eq(above, &self.opened.0));
        match self.reached.iter().rfind(|(depth, _)| *depth < folder.depth) {
            _ if is_in_opened => (self.opened.0.depth, &self.opened.1),
            Some((depth, folder)) => (*depth, folder),
            None => (0, self.top),
        }
    }

    /// Adds the entries of the opened folder.
    fn push_entries(&mut self) -> io::Result<()> {
        let (within, folder) = &self.opened;
        let above = folder.path().file_name();
        let from = self.pending.len();
        let mut listed = Ok(());
        for entry in folder.entries()? {
            if let Err(limit) = self.rest.take() {
                self.stopped = Some(limit);
                break;
            }
            match entry {
                Ok((name, kind)) => {
                    let is_wanted = kind == EntryKind::Folder || (self.wanted)(&name);
                    if is_wanted && !is_git(&name) && !is_own_name(above, &name) {
                        self.pending.push(WalkEntry { folder: within.clone(), name, kind });
                    }
                }
                Err(error) => listed = Err(error),
            }
        }
        if let Some(new) = self.pending.get_mut(from..) {
            new.sort_unstable_by(|a, b| b.name.cmp(&a.name));
        }
        listed
    }

    /// The target of a link within the tree, if the walk does not find the file under its own name.
    fn target(&mut self, link: &Path) -> Option<PathBuf> {
        let top = self.top.path();
        // Links that appear after this are refused when the target is opened.
        let real = fs::canonicalize(top.join(link)).ok()?;
        let target = real.strip_prefix(top).ok()?;
        let is_new = !(self.wanted)(target.file_name()?) && !is_skipped_by_walks(top, &real);
        (is_new && self.linked.insert(target.to_path_buf())).then(|| target.to_path_buf())
    }
}

/// The size of a regular file.
fn size_of(folder: &Folder, name: &OsStr) -> io::Result<Option<u64>> {
    let entry = folder.entry(name)?;
    Ok(entry.filter(|entry| entry.kind == EntryKind::File).map(|entry| entry.size))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use super::*;
    use crate::testing::link;
    use crate::testing::tree;

    const NO_LIMITS: WalkLimits = WalkLimits { files: usize::MAX, bytes: u64::MAX };

    fn names(root: &Path, limits: WalkLimits) -> (Vec<String>, Vec<Problem>) {
        let wanted = |name: &OsStr| name.to_string_lossy().ends_with(".md");
        let (found, problems) = files_below(Path::new(""), root, limits, &WalkBudget::default(), wanted);
        (found.into_iter().map(|found| found.path.to_string_lossy().into_owned()).collect(), problems)
    }

    #[test]
    fn path_order_with_hidden_files_and_without_git() {
        let (_folder, root) =
            tree(&["b.md", "a/z.md", "a.md", "a-b.md", ".hidden/x.md", ".git/no.md", "a/.git/no.md", "c.txt"]);
        let (found, problems) = names(&root, NO_LIMITS);
        assert_eq!(found, [".hidden/x.md", "a/z.md", "a-b.md", "a.md", "b.md"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn refdesks_own_files_are_skipped() {
        let own = [".jaato/refdesk/x.md", ".jaato/refdesk/desks/y.md", ".jaato/templates/t.md"];
        let (_folder, root) = tree(&[&own[..], &["a.md", ".jaato/kb.md", "refdesk/z.md"]].concat());
        assert_eq!(names(&root.join(".jaato/templates"), NO_LIMITS).0, ["t.md"]);
        assert_eq!(names(&root, NO_LIMITS).0, [".jaato/kb.md", "a.md", "refdesk/z.md"]);
        assert_eq!(names(&root.join(".jaato"), NO_LIMITS).0, ["kb.md"]);
    }

    #[test]
    fn a_limit_stops_the_walk_and_is_reported() {
        let (_folder, root) = tree(&["a.md", "b.md", "c.md"]);
        let (found, problems) = names(&root, WalkLimits { files: 2, bytes: 100 });
        assert_eq!(found, ["a.md", "b.md"]);
        assert!(matches!(problems[..], [Problem::TooManyFiles]));
        let (found, problems) = names(&root, WalkLimits { files: 9, bytes: 9 });
        assert_eq!(found, ["a.md"]);
        assert!(matches!(problems[..], [Problem::TooManyBytes]));
    }

    #[test]
    fn entry_and_time_limits_stop_the_walk_and_are_reported() {
        let (_folder, root) = tree(&["a/1.md", "a/2.md", "b/3.md", "c.md"]);
        let walked = |budget: &WalkBudget| {
            let (found, problems) = files_below(&root, &root, NO_LIMITS, budget, |_| true);
            (found.len(), matches!(problems[..], [Problem::Stopped(WalkStop::Budget)]))
        };
        let hour = Duration::from_secs(3_600);
        // The file system determines the order, so the first entry may be the file.
        for (entries, expected) in [(100, (4, false)), (5, (3, true)), (3, (1, true)), (1, (1, true)), (0, (0, true))] {
            let (found, stopped) = walked(&WalkBudget::new(entries, hour));
            assert_eq!(stopped, expected.1, "{entries}");
            assert!(found <= expected.0, "{entries}: {found}");
        }
        let many: Vec<String> = (0..200).map(|nth| format!("{nth}.md")).collect();
        let (_many, many) = tree(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let budget = WalkBudget::new(1_000, Duration::ZERO);
        let (found, problems) = files_below(&many, &many, NO_LIMITS, &budget, |_| true);
        assert!(found.len() < 200 && matches!(problems[..], [Problem::Stopped(WalkStop::Budget)]), "{}", found.len());
    }

    #[test]
    fn walks_share_a_budget() {
        let (_folder, root) = tree(&["a/1.md", "a/2.md", "b/3.md", "c.md"]);
        let time = Duration::from_secs(3_600);
        let budget = WalkBudget::new(15, time);
        for stops in [false, false, true, true] {
            let (found, problems) = files_below(&root, &root, NO_LIMITS, &budget, |_| true);
            assert_eq!((found.len() < 4, matches!(problems[..], [Problem::Stopped(WalkStop::Budget)])), (stops, stops));
        }
        let mut rest = budget.start();
        assert_eq!(rest.take(), Err(WalkStop::Budget));
        rest.entries = 0;
        assert_eq!(rest.take(), Err(WalkStop::Entries), "the walk's own limit");
        drop(rest);
        assert!(u128::from(budget.nanoseconds.load(Ordering::Relaxed)) < time.as_nanos(), "a walk is charged its time");
    }

    #[test]
    fn links_stay_inside_and_give_nothing_twice() {
        let (_outside, outside) = tree(&["secret.md"]);
        let files = ["real.md", "data.bin", "sub/x.md", "sub/y.bin", "z.md", ".git/config", ".jaato/refdesk/told.bin"];
        let (_folder, root) = tree(&files);
        link(
            &root,
            &[
                (outside.join("secret.md").to_str().unwrap(), "leak.md"),
                (outside.to_str().unwrap(), "leak"),
                ("real.md", "again.md"),
                ("data.bin", "data.md"),
                ("data.bin", "data2.md"),
                (root.join("sub/y.bin").to_str().unwrap(), "data3.md"),
                (".git/config", "git.md"),
                (".jaato/refdesk/told.bin", "told.md"),
                (root.to_str().unwrap(), "sub/loop"),
                (root.to_str().unwrap(), "sub/loop.md"),
                ("sub", "folder.md"),
                ("loop.md", "loop.md"),
            ],
        );
        let (found, problems) = names(&root, NO_LIMITS);
        assert_eq!(found, ["data.md", "data3.md", "real.md", "sub/x.md", "z.md"]);
        assert!(problems.is_empty(), "{problems:?}");
    }

    #[test]
    fn a_deep_folder_is_opened_from_near_above() {
        let (_folder, root) = tree(&["a.md"]);
        let folders = 3 * MAX_OPEN_FOLDERS + 10;
        let mut deep = root.clone();
        for _ in 0..folders {
            deep.push("d");
            fs::create_dir(&deep).unwrap();
            crate::write_atomic(&deep.join("z.md"), b"12345").unwrap();
        }
        let top = Folder::real(&root).unwrap();
        let budget = WalkBudget::default();
        let mut walk = Walk::of(&top, &budget, |_| true);
        walk.push_entries().unwrap();
        let mut files = 0;
        while let Some(entry) = walk.pending.pop() {
            let (depth, _) = walk.nearest(&entry.folder);
            assert!(entry.folder.depth - depth <= MAX_OPEN_FOLDERS, "{depth} for {}", entry.folder.depth);
            let within = entry.folder.path.join(&entry.name);
            files += usize::from(walk.visit(&entry, &within).unwrap().is_some());
            assert!(walk.reached.len() <= folders / MAX_OPEN_FOLDERS, "{} are open", walk.reached.len());
        }
        assert_eq!(files, folders + 1);
    }

    #[test]
    fn links_are_not_followed_after_the_time_is_over() {
        let (_folder, root) = tree(&["data.bin"]);
        link(&root, &[("data.bin", "a.md")]);
        let is_document = |name: &OsStr| name != "data.bin";
        for (time, found) in [(Duration::ZERO, 0), (Duration::from_secs(3_600), 1)] {
            let budget = WalkBudget::new(1_000, time);
            let (files, problems) = files_below(&root, &root, NO_LIMITS, &budget, is_document);
            assert_eq!((files.len(), problems.len()), (found, 1 - found), "{problems:?}");
        }
    }

    #[test]
    fn budgets_for_one_request_share_only_the_time() {
        let (_folder, root) = tree(&["a/1.md", "a/2.md", "b/3.md", "c.md"]);
        let link = |at: &WalkBudget| files_below(&root, &root, NO_LIMITS, at, |_| true).1.len();
        let first = WalkBudget::new(0, Duration::from_secs(3_600));
        assert_eq!((link(&first), link(&first.sharing_time())), (1, 0), "each has its own entries");
        let left = || first.nanoseconds.load(Ordering::Relaxed);
        let before = left();
        link(&first.sharing_time());
        assert!(left() < before, "the time of one is missing from the other");
    }

    /// While the root is listed, a folder, the root or the target of a link is replaced with a link to the outside.
    #[test]
    fn a_folder_exchanged_for_a_link_is_not_entered() {
        for (exchanged, expected) in [("docs/sub", &["a.md", "b.md"][..]), ("docs", &["a.md", "b.md", "sub/c.md"])] {
            let (_folder, root) = tree(&["docs/a.md", "docs/b.md", "docs/sub/c.md", "docs/sub/d", "out/sub/c.md"]);
            let (_outside, outside) = tree(&["secret.md", "d", "sub/secret.md", "sub/d"]);
            link(&root, &[("sub/d", "docs/link.md")]);
            let exchange = || {
                fs::rename(root.join(exchanged), root.join("moved"))?;
                std::os::unix::fs::symlink(&outside, root.join(exchanged))
            };
            let is_done = std::cell::Cell::new(false);
            let wanted = |name: &OsStr| {
                if !is_done.replace(true) {
                    exchange().unwrap();
                }
                name.to_string_lossy().ends_with(".md")
            };
            let docs = root.join("docs");
            let (found, problems) = files_below(Path::new(""), &docs, NO_LIMITS, &WalkBudget::default(), wanted);
            let found: Vec<String> = found.into_iter().map(|file| file.path.to_string_lossy().into_owned()).collect();
            assert_eq!(found, expected, "{exchanged}: {problems:?}");
        }
    }

    #[test]
    fn an_open_folder_stays_the_same() {
        let (_folder, root) = tree(&["kept/a.md"]);
        let folder = Folder::real(&root.join("kept")).unwrap();
        fs::rename(root.join("kept"), root.join("gone")).unwrap();
        let (found, _) = folder.files(Path::new("x"), NO_LIMITS, &WalkBudget::default(), |_| true);
        assert_eq!(found, [WalkedFile { path: "x/a.md".into(), size: 5, stamp: None }]);
        let (found, problems) =
            files_below(Path::new("x"), &root.join("kept"), NO_LIMITS, &WalkBudget::default(), |_| true);
        let [Problem::Unreadable(path, error)] = &problems[..] else { panic!("{problems:?}") };
        assert_eq!((path.as_path(), unreadable(error).as_str()), (Path::new("x"), "it no longer exists"));
        assert!(found.is_empty());
    }
}
