//! Lists the files that a discovery may read. Folders are opened below the workspace without following links, files
//! that git ignores are left out, and the number of entries and the time are bounded.

use std::collections::{BTreeSet, VecDeque};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::time::{Duration, Instant};

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::kind::COPILOT;
use super::proposal::ScanNote;
use refdesk_files::path::{clean, lossy};
use refdesk_files::reserved::{is_git, is_own};
use refdesk_files::{EntryKind, Folder};
use refdesk_text::tokens::grouped;

pub(crate) const DOCUMENT_EXTENSIONS: [&str; 6] = ["md", "markdown", "mdx", "mdc", "rst", "adoc"];

/// File extensions of program code.
const CODE: &str = "c cc cpp cs css cxx dart ex exs go h hpp html java jl js jsx kt lua m mjs mm php pl ps1 py r rb rs scala \
                    sh sql svelte swift tf ts tsx vue zig";

/// Other files to read, because they list documents.
const NAMED: [&str; 8] = [
    "llms.txt",
    "mkdocs.yml",
    "mkdocs.yaml",
    "sidebars.js",
    "sidebars.json",
    "sidebars.ts",
    "sidebars.cjs",
    "sidebars.mjs",
];

/// The folder of VitePress. Only its configuration is read.
pub(crate) const VITEPRESS: &str = ".vitepress";

/// The configuration in it.
pub(crate) const VITEPRESS_CONFIG: [&str; 4] = ["config.js", "config.mjs", "config.mts", "config.ts"];

/// Folders that are never entered.
const SKIPPED: [&str; 12] = [
    "node_modules",
    "bower_components",
    "target",
    "vendor",
    "third_party",
    "third-party",
    "venv",
    "__pycache__",
    "site-packages",
    "Pods",
    "Carthage",
    "elm-stuff",
];

const TEMPLATE_EXTENSIONS: [&str; 2] = ["tpl", "tmpl"];

/// The only hidden folders to enter, each with its folder of skills or rules.
const HIDDEN: [(&str, &str); 8] = [
    (".agents", "skills"),
    (".claude", "skills"),
    (".codex", "skills"),
    (".cursor", "rules"),
    (".cursor", "skills"),
    (".gemini", "skills"),
    (".github", "skills"),
    (".opencode", "skills"),
];

/// Documents to read in hidden folders that are not entered.
const HIDDEN_DOCUMENTS: [(&str, &str); 1] = [(".github", COPILOT)];

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
        let is_ignored =
            |path: &Path, is_folder| ignored.as_ref().is_some_and(|ignored| ignored.covers(path, is_folder));
        let is_vitepress = at.path.file_name().is_some_and(|name| name == VITEPRESS);
        for (name, kind) in entries {
            let path = at.path.join(&name);
            if is_vitepress {
                let is_config = kind == EntryKind::File && VITEPRESS_CONFIG.iter().any(|config| name == *config);
                self.listing.files.extend((is_config && !is_ignored(&path, false)).then_some(path));
                continue;
            }
            if name.to_str().is_none() {
                self.note(&path, "its name is not UTF-8, so it was left out");
                continue;
            }
            match kind {
                EntryKind::Folder => {
                    for (_, file) in HIDDEN_DOCUMENTS.iter().filter(|(hidden, _)| name == *hidden) {
                        let path = path.join(file);
                        if self.is_file(&path) && !is_ignored(&path, false) {
                            self.listing.files.push(path);
                        }
                    }
                    for below in entered(&at.path, &name) {
                        let path = if below.is_empty() { path.clone() } else { path.join(below) };
                        if at.depth >= self.limits.depth {
                            self.note(
                                &path,
                                format!("more than {} levels deep, so it was left out", self.limits.depth),
                            );
                        } else if !is_ignored(&path, true) && (below.is_empty() || self.is_folder(&path)) {
                            pending.push_back(Pending { path, ignored: ignored.clone(), depth: at.depth + 1 });
                        }
                    }
                }
                EntryKind::File => {
                    let is_document = has_ending(&name, &DOCUMENT_EXTENSIONS);
                    let is_code = !is_document && is_code(&name);
                    let is_wanted = is_document || NAMED.iter().any(|named| name == *named);
                    if is_ignored(&path, false) {
                        continue;
                    }
                    self.listing.folders.insert(at.path.clone());
                    if is_code {
                        self.listing.code.insert(at.path.clone());
                    }
                    if has_ending(&name, &TEMPLATE_EXTENSIONS) {
                        self.listing.templates.insert(at.path.clone());
                    }
                    if is_wanted {
                        self.listing.files.push(path);
                    }
                }
                EntryKind::Link => {
                    let is_wanted = has_ending(&name, &DOCUMENT_EXTENSIONS) || self.leads_to_folder(&folder, &path);
                    if is_wanted && !is_ignored(&path, false) && !SKIPPED.iter().any(|skipped| name == *skipped) {
                        self.links.push(path);
                    }
                }
                EntryKind::Other => {}
            }
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

/// The folders to enter for a folder of this name: itself (as the empty path), folders below it, or none.
fn entered(above: &Path, name: &OsStr) -> Vec<&'static str> {
    let Some(text) = name.to_str() else { return vec![""] };
    if text == VITEPRESS {
        return vec![""];
    }
    if text.starts_with('.') {
        return HIDDEN.iter().filter(|(hidden, _)| *hidden == text).map(|(_, below)| *below).collect();
    }
    if SKIPPED.contains(&text) || is_own(&above.join(name)) { Vec::new() } else { vec![""] }
}

fn has_ending(name: &OsStr, endings: &[&str]) -> bool {
    let ending = Path::new(name).extension().and_then(OsStr::to_str);
    ending.is_some_and(|ending| endings.iter().any(|known| ending.eq_ignore_ascii_case(known)))
}

fn is_code(name: &OsStr) -> bool {
    let ending = Path::new(name).extension().and_then(OsStr::to_str);
    ending.is_some_and(|ending| CODE.split_ascii_whitespace().any(|known| known == ending))
}
