//! Walks a folder in path order until a limit is reached. A symbolic link is followed only to a file inside the same
//! tree that the walk would not reach by itself, so nothing is read twice and no link leads out or in circles. Names of
//! skipped folders are compared case-insensitively, since many file systems do so.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Maximum entries per walk: a repository can contain or name a tree of any size.
const ENTRIES: usize = 50_000;

/// Maximum entries of all walks with the same budget: nested sources are walked one by one.
const TOTAL_ENTRIES: usize = 200_000;

/// Maximum time of all walks with the same budget, for slow file systems.
const TIME: Duration = Duration::from_secs(3);

/// Folder of refdesk's state.
const STATE: [&str; 2] = [".jaato", "refdesk"];

/// Folder of templates extracted from documents (BEHAVIOUR §6).
const TEMPLATES: [&str; 2] = [".jaato", "templates"];

/// Whether refdesk generates the files of this folder.
pub fn is_own(folder: &Path) -> bool {
    let mut names = folder.components().rev().map(Component::as_os_str);
    let (last, above) = (names.next(), names.next());
    let is = |[one, two]: [&str; 2]| {
        last.is_some_and(|name| name.eq_ignore_ascii_case(two))
            && above.is_some_and(|name| name.eq_ignore_ascii_case(one))
    };
    is(STATE) || is(TEMPLATES)
}

/// Whether git keeps its own files in a folder of this name.
pub fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// Whether the path is in a state folder of git or refdesk.
pub fn is_reserved(path: &Path) -> bool {
    let mut above = None;
    path.components().map(Component::as_os_str).any(|name| {
        let below_jaato = above.replace(name).is_some_and(|above: &OsStr| above.eq_ignore_ascii_case(STATE[0]));
        is_git(name) || (below_jaato && name.eq_ignore_ascii_case(STATE[1]))
    })
}

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
    /// The walk reached its limit of entries, or the budget is spent; the rest was left out.
    TooMuch,
}

impl Problem {
    /// Describes [`Problem::TooMuch`] for people.
    pub fn stopped() -> String {
        let seconds = TIME.as_secs();
        format!(
            "the folder is only looked through up to {ENTRIES} entries, all folders together up to {TOTAL_ENTRIES} \
             entries or {seconds} seconds"
        )
    }
}

/// The entries and time that several walks share, for example all walks of a command.
#[derive(Debug)]
pub struct WalkBudget {
    entries: AtomicUsize,
    nanoseconds: AtomicU64,
}

impl Default for WalkBudget {
    fn default() -> Self {
        Self::new(TOTAL_ENTRIES, TIME)
    }
}

impl WalkBudget {
    fn new(entries: usize, time: Duration) -> Self {
        Self { entries: entries.into(), nanoseconds: u64::try_from(time.as_nanos()).unwrap_or(u64::MAX).into() }
    }

    fn start(&self) -> Rest<'_> {
        let start = Instant::now();
        let time = Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed));
        Rest { budget: self, entries: ENTRIES, start, time }
    }
}

/// What one walk may take of the budget. The time is charged when it is dropped.
struct Rest<'a> {
    budget: &'a WalkBudget,
    entries: usize,
    start: Instant,
    time: Duration,
}

impl Rest<'_> {
    /// Takes one entry, if any is left.
    fn take(&mut self) -> bool {
        let one_less = |left: usize| left.checked_sub(1);
        let left = one_less(self.entries).filter(|left| left % 64 != 0 || self.start.elapsed() < self.time);
        self.entries = left.unwrap_or(0);
        left.is_some() && self.budget.entries.fetch_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
    }
}

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        let taken = u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX);
        let less = |left: u64| Some(left.saturating_sub(taken));
        let _ = self.budget.nanoseconds.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

/// The files below `root` whose names are `wanted`, in path order, hidden ones included. Skips git's folders and those
/// that refdesk generates, unless `root` is one: the selection must not depend on an earlier selection.
pub fn files_below(
    root: &Path,
    limits: WalkLimits,
    budget: &WalkBudget,
    wanted: impl Fn(&OsStr) -> bool,
) -> (Vec<WalkedFile>, Vec<Problem>) {
    let mut rest = budget.start();
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut bytes = 0u64;
    let mut linked = HashSet::new();
    // Entries yet to be visited, the next one last; folders are opened when their turn comes, which keeps path order.
    let mut open = Vec::new();
    let real_root = fs::canonicalize(root).unwrap_or_else(|_| root.to_path_buf());
    let mut is_whole = push_entries(root, &mut open, &mut rest, &mut problems);
    while let Some((path, kind)) = open.pop() {
        let name = path.file_name().unwrap_or_default();
        if kind.is_dir() {
            if is_whole && !is_git(name) && !is_own(&path) {
                is_whole = push_entries(&path, &mut open, &mut rest, &mut problems);
            }
            continue;
        }
        if !wanted(name) {
            continue;
        }
        if kind.is_symlink() {
            match fs::canonicalize(&path) {
                Ok(real) if leads_to_something_new(&real, &real_root, &wanted) && linked.insert(real.clone()) => {}
                _ => continue,
            }
        } else if !kind.is_file() {
            continue;
        }
        match fs::metadata(&path) {
            Ok(metadata) if metadata.is_file() => {
                if found.len() >= limits.files {
                    problems.push(Problem::TooManyFiles);
                    break;
                }
                bytes = bytes.saturating_add(metadata.len());
                if bytes > limits.bytes {
                    problems.push(Problem::TooManyBytes);
                    break;
                }
                found.push(WalkedFile { path, size: metadata.len() });
            }
            Ok(_) => {}
            Err(error) => problems.push(Problem::Unreadable(path, error)),
        }
    }
    if !is_whole {
        problems.push(Problem::TooMuch);
    }
    (found, problems)
}

/// Whether a link leads to a file inside the tree that the walk will not find under its own name.
fn leads_to_something_new(real: &Path, real_root: &Path, wanted: impl Fn(&OsStr) -> bool) -> bool {
    let Ok(inside) = real.strip_prefix(real_root) else { return false };
    let is_kept_back = |folder: &Path| is_own(folder) || folder.file_name().is_some_and(is_git);
    if real.ancestors().take_while(|folder| *folder != real_root).any(is_kept_back) {
        return false;
    }
    !inside.file_name().is_some_and(wanted)
}

/// Adds the entries of a folder; returns whether these are all.
fn push_entries(
    folder: &Path,
    open: &mut Vec<(PathBuf, fs::FileType)>,
    rest: &mut Rest<'_>,
    problems: &mut Vec<Problem>,
) -> bool {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            problems.push(Problem::Unreadable(folder.to_path_buf(), error));
            return true;
        }
    };
    let from = open.len();
    let mut is_whole = true;
    for entry in entries {
        if !rest.take() {
            is_whole = false;
            break;
        }
        match entry.and_then(|entry| entry.file_type().map(|kind| (entry.path(), kind))) {
            Ok(entry) => open.push(entry),
            Err(error) => problems.push(Problem::Unreadable(folder.to_path_buf(), error)),
        }
    }
    if let Some(new) = open.get_mut(from..) {
        new.sort_by(|a, b| b.0.file_name().cmp(&a.0.file_name()));
    }
    is_whole
}

#[cfg(test)]
mod tests {
    use super::super::write_atomic;
    use super::*;

    const NO_LIMITS: WalkLimits = WalkLimits { files: usize::MAX, bytes: u64::MAX };

    fn tree(files: &[&str]) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            write_atomic(&root.path().join(file), b"12345").unwrap();
        }
        root
    }

    fn names(root: &Path, limits: WalkLimits) -> (Vec<String>, Vec<Problem>) {
        let (found, problems) =
            files_below(root, limits, &WalkBudget::default(), |name| name.to_string_lossy().ends_with(".md"));
        let relative = |found: WalkedFile| found.path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        (found.into_iter().map(relative).collect(), problems)
    }

    #[test]
    fn path_order_with_hidden_files_and_without_git() {
        let root = tree(&["b.md", "a/z.md", "a.md", "a-b.md", ".hidden/x.md", ".git/no.md", "a/.git/no.md", "c.txt"]);
        let (found, problems) = names(root.path(), NO_LIMITS);
        assert_eq!(found, [".hidden/x.md", "a/z.md", "a-b.md", "a.md", "b.md"]);
        assert!(problems.is_empty());
    }

    #[test]
    fn refdesks_own_files_are_skipped() {
        let own = [".jaato/refdesk/x.md", ".jaato/refdesk/desks/y.md", ".jaato/templates/t.md"];
        let root = tree(&[&own[..], &["a.md", ".jaato/kb.md", "refdesk/z.md"]].concat());
        assert_eq!(names(&root.path().join(".jaato/templates"), NO_LIMITS).0, ["t.md"]);
        assert_eq!(names(root.path(), NO_LIMITS).0, [".jaato/kb.md", "a.md", "refdesk/z.md"]);
        assert_eq!(names(&root.path().join(".jaato"), NO_LIMITS).0, ["kb.md"]);
    }

    #[test]
    fn a_limit_stops_the_walk_and_is_reported() {
        let root = tree(&["a.md", "b.md", "c.md"]);
        let (found, problems) = names(root.path(), WalkLimits { files: 2, bytes: 100 });
        assert_eq!(found, ["a.md", "b.md"]);
        assert!(matches!(problems[..], [Problem::TooManyFiles]));
        let (found, problems) = names(root.path(), WalkLimits { files: 9, bytes: 9 });
        assert_eq!(found, ["a.md"]);
        assert!(matches!(problems[..], [Problem::TooManyBytes]));
    }

    #[test]
    fn entry_and_time_limits_stop_the_walk_and_are_reported() {
        let root = tree(&["a/1.md", "a/2.md", "b/3.md", "c.md"]);
        let walked = |budget: &WalkBudget| {
            let (found, problems) = files_below(root.path(), NO_LIMITS, budget, |_| true);
            (found.len(), matches!(problems[..], [Problem::TooMuch]))
        };
        let hour = Duration::from_secs(3_600);
        for (entries, expected) in [(100, (4, false)), (5, (3, true)), (3, (1, true)), (1, (0, true)), (0, (0, true))] {
            let (found, stopped) = walked(&WalkBudget::new(entries, hour));
            assert_eq!(stopped, expected.1, "{entries}");
            assert!(found <= expected.0, "{entries}: {found}");
        }
        let many: Vec<String> = (0..200).map(|nth| format!("{nth}.md")).collect();
        let many = tree(&many.iter().map(String::as_str).collect::<Vec<_>>());
        let budget = WalkBudget::new(1_000, Duration::ZERO);
        let (found, problems) = files_below(many.path(), NO_LIMITS, &budget, |_| true);
        assert!(found.len() < 200 && matches!(problems[..], [Problem::TooMuch]), "{}", found.len());
    }

    #[test]
    fn walks_share_a_budget() {
        let root = tree(&["a/1.md", "a/2.md", "b/3.md", "c.md"]);
        let time = Duration::from_secs(3_600);
        let budget = WalkBudget::new(15, time);
        for stops in [false, false, true, true] {
            let (found, problems) = files_below(root.path(), NO_LIMITS, &budget, |_| true);
            assert_eq!((found.len() < 4, matches!(problems[..], [Problem::TooMuch])), (stops, stops));
        }
        assert!(u128::from(budget.nanoseconds.into_inner()) < time.as_nanos(), "a walk is charged its time");
    }

    #[test]
    fn where_git_and_refdesk_keep_their_state() {
        for (path, expected) in [
            (".git", true),
            (".git/config", true),
            ("sub/.GIT/hooks/x", true),
            (".jaato/refdesk", true),
            ("a/.Jaato/RefDesk/told.json", true),
            (".jaato/refdesk-notes/a.md", false),
            (".jaato/templates/a.tmpl", false),
            (".jaato/kb/refdesk/a.md", false),
            ("refdesk/a.md", false),
            (".github/a.md", false),
            ("a.git/config", false),
            (".gitignore", false),
        ] {
            assert_eq!(is_reserved(Path::new(path)), expected, "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_inside_and_give_nothing_twice() {
        use std::os::unix::fs::symlink;
        let outside = tree(&["secret.md"]);
        let root = tree(&["real.md", "data.bin", "sub/x.md", ".git/config", ".jaato/refdesk/told.bin"]);
        let at = |name: &str| root.path().join(name);
        symlink(outside.path().join("secret.md"), at("leak.md")).unwrap();
        symlink(outside.path(), at("leak")).unwrap();
        symlink(at("real.md"), at("again.md")).unwrap();
        symlink(at("data.bin"), at("data.md")).unwrap();
        symlink(at("data.bin"), at("data2.md")).unwrap();
        symlink(at(".git/config"), at("git.md")).unwrap();
        symlink(at(".jaato/refdesk/told.bin"), at("told.md")).unwrap();
        symlink(root.path(), at("sub/loop")).unwrap();
        symlink(at("loop.md"), at("loop.md")).unwrap();
        assert_eq!(names(root.path(), NO_LIMITS).0, ["data.md", "real.md", "sub/x.md"]);
    }
}
