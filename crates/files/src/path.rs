//! Paths as values: normalizing, relative paths, printing relative to a workspace, and resolving links.

use std::collections::{BTreeSet, HashMap};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::RwLock;

/// The file name, for a rename within its folder.
pub fn name_of(path: &Path) -> &OsStr {
    path.file_name().unwrap_or_default()
}

/// Whether the folder, or a path below it, is among these paths.
pub fn has_below(paths: &BTreeSet<PathBuf>, folder: &Path) -> bool {
    // Everything below a folder follows it in the order of paths.
    paths.range(folder.to_path_buf()..).next().is_some_and(|first| first.starts_with(folder))
}

/// `path` without `.`, with each `..` resolved lexically; a `..` at the root is dropped.
pub fn clean(path: &Path) -> PathBuf {
    clean_behind_links(path, |_| None)
}

/// The most folders of a path in which a link is looked for, because a path may have hundreds of `..`.
const LOOKED_UP: usize = 16;

/// [`clean`], but a `..` behind a symbolic link leads to the folder above its target, as for the system. `real` resolves
/// the links of a path; `None` if it does not exist or must not be followed.
pub fn clean_behind_links(path: &Path, real: impl Fn(&Path) -> Option<PathBuf>) -> PathBuf {
    if is_clean(path.as_os_str().as_encoded_bytes()) {
        return path.to_path_buf();
    }
    // Only a link leads elsewhere than to its name in its folder.
    let target = |path: &Path| {
        let target = real(path).filter(|real| real != path)?;
        (target != real(path.parent()?)?.join(path.file_name()?)).then_some(target)
    };
    let mut left = LOOKED_UP;
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => match out.components().next_back() {
                Some(Component::Normal(_)) => {
                    out = (left > 0).then(|| target(&out)).flatten().unwrap_or(out);
                    left = left.saturating_sub(1);
                    out.pop();
                }
                Some(Component::RootDir | Component::Prefix(_)) => {}
                _ => out.push(".."),
            },
            other => out.push(other),
        }
    }
    out
}

/// Fast check for the usual case: an absolute path without double slashes and without names that begin with a dot.
fn is_clean(path: &[u8]) -> bool {
    let is_odd = |pair: &[u8]| matches!(pair, [b'/', b'/' | b'.']);
    path.starts_with(b"/") && !path.ends_with(b"/") && !path.windows(2).any(is_odd)
}

/// [`Path::starts_with`], usually ten times as fast: compares bytes first, and parses only if necessary.
pub fn is_within(path: &Path, folder: &Path) -> bool {
    let (path_bytes, folder_bytes) = (path.as_os_str().as_encoded_bytes(), folder.as_os_str().as_encoded_bytes());
    let rest = path_bytes.strip_prefix(folder_bytes);
    rest.is_some_and(|rest| rest.first().is_none_or(|byte| *byte == b'/')) || path.starts_with(folder)
}

/// Whether the text is an absolute path on any system: `/…`, `C:\…`, `C:/…` or `\\…` (BEHAVIOUR §2).
pub fn is_absolute_anywhere(text: &str) -> bool {
    text.starts_with('/') || is_windows_absolute(text)
}

/// `C:\…`, `C:/…` or `\\…`.
pub fn is_windows_absolute(text: &str) -> bool {
    match text.as_bytes() {
        [b'\\', b'\\', ..] => true,
        [drive, b':', b'\\' | b'/', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// The path as printed: relative to the workspace inside it, absolute outside (BEHAVIOUR §2).
pub fn display(workspace: &Path, path: &Path) -> String {
    match path.strip_prefix(workspace) {
        Ok(inside) if inside.as_os_str().is_empty() => ".".to_owned(),
        Ok(inside) => lossy(inside),
        Err(_) => lossy(path),
    }
}

/// The path as text; invalid UTF-8 becomes U+FFFD.
pub fn lossy(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// The longest path, in bytes, that a system opens; a longer path counts as missing.
pub const PATH_BYTES: usize = 4096;

/// Resolves symbolic links and caches folders, because a catalog has many files in few folders.
#[derive(Debug, Default)]
pub struct Resolver {
    /// Keyed by the bytes of the path; `None` if the path is already the real one.
    folders: RwLock<HashMap<OsString, Option<PathBuf>>>,
    /// Like `folders`, for folders that may not exist, resolved as far as they exist.
    above_missing: RwLock<HashMap<OsString, Option<PathBuf>>>,
}

impl Resolver {
    /// The path with every symbolic link resolved as far as it exists, and the metadata of its target.
    ///
    /// The path should be absolute and clean. A part that does not exist is appended as written.
    pub fn resolve(&self, path: &Path) -> (PathBuf, Option<fs::Metadata>) {
        if path.as_os_str().len() > PATH_BYTES {
            return (path.to_path_buf(), None);
        }
        match fs::symlink_metadata(path) {
            Ok(metadata) if metadata.is_symlink() => match (fs::canonicalize(path), fs::metadata(path)) {
                (Ok(real), Ok(metadata)) => (real, Some(metadata)),
                // A dangling link or a link loop has no target.
                _ => (path.to_path_buf(), None),
            },
            Ok(metadata) => {
                let elsewhere = match (path.parent(), path.file_name()) {
                    (Some(parent), Some(name)) => self.elsewhere(parent).map(|folder| folder.join(name)),
                    _ => None,
                };
                (elsewhere.unwrap_or_else(|| path.to_path_buf()), Some(metadata))
            }
            Err(_) => (self.deepest(path), None),
        }
    }

    /// The real path of an existing folder; a missing one is returned as written.
    pub fn folder(&self, folder: &Path) -> PathBuf {
        self.elsewhere(folder).unwrap_or_else(|| folder.to_path_buf())
    }

    /// Like [`Resolver::folder`], but `None` if the path is already the real one.
    pub fn elsewhere(&self, folder: &Path) -> Option<PathBuf> {
        remembered(&self.folders, folder, || fs::canonicalize(folder).ok())
    }

    /// [`clean_behind_links`] for links below `root` that lead to something below it. A path that is already clean is
    /// returned as it is.
    pub fn cleaned(&self, root: &Path, path: PathBuf) -> PathBuf {
        if is_clean(path.as_os_str().as_encoded_bytes()) {
            return path;
        }
        clean_behind_links(&path, |above| {
            let real = is_within(above, root).then(|| self.folder(above))?;
            Some(root.join(real.strip_prefix(self.folder(root)).ok()?))
        })
    }

    /// The real path of the deepest existing folder above `path`, with the rest as written.
    fn deepest(&self, path: &Path) -> PathBuf {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else { return path.to_path_buf() };
        let real = remembered(&self.above_missing, parent, || {
            let above: Vec<&Path> = parent.ancestors().collect();
            // Everything above a folder is a folder.
            let folder = above.get(above.partition_point(|above| !above.is_dir()))?;
            Some(self.folder(folder).join(parent.strip_prefix(folder).unwrap_or(Path::new(""))))
        });
        real.map_or_else(|| path.to_path_buf(), |real| real.join(name))
    }
}

/// The cached real path of a folder; `None` if it equals the path as written, or the folder does not exist.
fn remembered(
    known: &RwLock<HashMap<OsString, Option<PathBuf>>>,
    folder: &Path,
    real: impl FnOnce() -> Option<PathBuf>,
) -> Option<PathBuf> {
    if let Ok(known) = known.read()
        && let Some(real) = known.get(folder.as_os_str())
    {
        return real.clone();
    }
    let real = real().filter(|real| real.as_os_str() != folder.as_os_str());
    if let Ok(mut known) = known.write() {
        known.insert(folder.as_os_str().to_owned(), real.clone());
    }
    real
}

/// The absolute form, without `.` and `..`, of a path that a person or an agent gave relative to `current`. It leads where
/// a program would find it, so that links in front of `..` are followed anywhere; do not use it for what came with a
/// workspace.
pub fn absolute(current: &Path, path: &Path) -> PathBuf {
    clean_behind_links(&current.join(path), |above| fs::canonicalize(above).ok())
}

/// Whether the words of an absolute path leave these folders and come back by `..`, as `/etc/x/../../home/me/shop/file`
/// does. To follow such a path would tell what exists outside. Folders above these do not count.
pub fn leaves_and_returns(folders: [&Path; 2], path: &Path) -> bool {
    let is_near = |at: &Path| folders.iter().any(|folder| at.starts_with(folder) || folder.starts_with(at));
    let mut at = PathBuf::new();
    path.components().any(|component| match component {
        Component::ParentDir => {
            let is_out = !is_near(&at);
            at.pop();
            is_out
        }
        other => {
            at.push(other);
            false
        }
    })
}

/// The relative path from a folder to a path; both absolute and clean.
pub fn relative(folder: &Path, to: &Path) -> PathBuf {
    let shared = folder.components().zip(to.components()).take_while(|(a, b)| a == b).count();
    let up = folder.components().skip(shared).map(|_| Component::ParentDir);
    up.chain(to.components().skip(shared)).collect()
}

/// Whether the error means that the path does not exist.
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn within_a_folder_agrees_with_the_standard_library() {
        for path in ["/a", "/a/", "/a/b", "/a/b/", "/ab", "/a/./b", "/a//b", "/a/../b", "a/b", "", "/", "//a", "/a/b/c"]
        {
            for folder in ["/a", "/a/", "/a/b", "/", "", "a", "/a/.", "/a/b/c/d", "//"] {
                let expected = Path::new(path).starts_with(folder);
                assert_eq!(is_within(Path::new(path), Path::new(folder)), expected, "{path} in {folder}");
            }
        }
    }

    #[test]
    fn clean_resolves_dots() {
        for (path, expected) in [
            ("/a/./b/../c", "/a/c"),
            ("/../../a", "/a"),
            ("a/../../b", "../b"),
            ("./x", "x"),
            ("/a/b/", "/a/b"),
            ("/", "/"),
            ("/a//b/.c", "/a/b/.c"),
            ("/a/b", "/a/b"),
        ] {
            assert_eq!(clean(Path::new(path)), Path::new(expected), "{path}");
        }
    }

    #[test]
    fn relative_goes_up_and_down_again() {
        for (folder, to, expected) in
            [("/a/b", "/a/b/c", "c"), ("/a/b", "/a/c/d", "../c/d"), ("/a", "/x", "../x"), ("/a", "/a", "")]
        {
            assert_eq!(relative(Path::new(folder), Path::new(to)), Path::new(expected), "{folder} {to}");
        }
    }

    #[test]
    fn absolute_on_any_machine() {
        for (path, expected) in [
            ("/a", true),
            ("C:\\a", true),
            ("c:/a", true),
            ("\\\\server\\share", true),
            ("a/b", false),
            ("C:", false),
            ("1:\\x", false),
            ("\\a", false),
        ] {
            assert_eq!(is_absolute_anywhere(path), expected, "{path}");
        }
    }

    #[test]
    fn printed_relative_inside_and_absolute_outside() {
        let workspace = Path::new("/w");
        for (path, expected) in [("/w/a/b", "a/b"), ("/w", "."), ("/w-evil/a", "/w-evil/a"), ("/x", "/x")] {
            assert_eq!(display(workspace, Path::new(path)), expected);
        }
    }

    #[test]
    fn what_is_above_a_link_is_above_its_target() {
        use std::os::unix::fs::symlink;
        let folder = tempfile::tempdir().unwrap();
        let folder = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(folder.join("real/v2/docs")).unwrap();
        fs::create_dir_all(folder.join("out/deep")).unwrap();
        for (target, link) in [
            ("v2/docs", "current"),
            (".", "self"),
            ("../out/deep", "out"),
            ("../out/none", "none-outside"),
            ("v2/none", "none"),
            ("loop", "loop"),
        ] {
            symlink(target, folder.join("real").join(link)).unwrap();
        }
        symlink("real", folder.join("written")).unwrap();
        for root in ["real", "written"].map(|root| folder.join(root)) {
            let resolver = Resolver::default();
            for (path, expected) in [
                ("current/../x", "v2/x"),
                ("current/./../../x", "x"),
                ("current/../../current/../x", "v2/x"),
                ("v2/docs/../x", "v2/x"),
                ("v2/../current/x", "current/x"),
                ("current/sub/../x", "current/x"),
                ("missing/../x", "x"),
                ("none/../x", "x"),
                ("loop/../x", "x"),
                // Whether something outside exists makes no difference.
                ("out/../x", "x"),
                ("none-outside/../x", "x"),
                ("out/sub/../x", "out/x"),
                ("self/../x", "../x"),
                ("../x", "../x"),
            ] {
                let path = root.join(path);
                assert_eq!(resolver.cleaned(&root, path.clone()), clean(&root.join(expected)), "{}", path.display());
            }
            // What a person or an agent gave may lead out.
            for (path, expected) in
                [("current/../x", "real/v2/x"), ("out/../x", "out/x"), ("../x", "x"), ("none/../x", "")]
            {
                let expected = if expected.is_empty() { root.join("x") } else { folder.join(expected) };
                assert_eq!(absolute(&root, Path::new(path)), expected, "{path}");
            }
        }
        let long = Path::new("/a").join("b/../".repeat(1_000));
        let asked = std::cell::Cell::new(0);
        let real = |path: &Path| {
            asked.set(asked.get() + 1);
            Some(path.to_path_buf())
        };
        assert_eq!((clean_behind_links(&long, real), asked.get()), (PathBuf::from("/a"), LOOKED_UP));
    }

    #[test]
    fn resolving_follows_links_and_keeps_what_does_not_exist() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        fs::create_dir_all(root.join("real")).unwrap();
        super::super::write_atomic(&root.join("real/f"), b"x").unwrap();
        std::os::unix::fs::symlink(root.join("real"), root.join("link")).unwrap();
        std::os::unix::fs::symlink(root.join("real/f"), root.join("file")).unwrap();
        std::os::unix::fs::symlink(root.join("loop"), root.join("loop")).unwrap();
        let resolver = Resolver::default();
        assert_eq!(resolver.resolve(&root.join("link/f")).0, root.join("real/f"));
        assert_eq!(resolver.resolve(&root.join("file")).0, root.join("real/f"));
        assert_eq!(resolver.resolve(&root.join("link")).0, root.join("real"));
        for (path, expected) in [("link/none/x", "real/none/x"), ("loop", "loop")] {
            let (real, metadata) = resolver.resolve(&root.join(path));
            assert_eq!((real, metadata.is_none()), (root.join(expected), true));
        }
    }
}
