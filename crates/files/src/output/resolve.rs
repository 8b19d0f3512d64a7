//! Resolves every link in a path, component by component, including dangling ones, so that a file that does not exist
//! yet has one name. The kernel resolves only existing paths.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// The most links followed, as in the kernel.
const LINKS: usize = 40;

/// Why a path cannot be written to.
#[derive(Debug)]
pub enum Unresolved {
    /// A loop of links.
    Loop,
    /// A path below a file.
    BelowFile(PathBuf),
    /// Part of the path cannot be read.
    Unreadable(PathBuf, io::Error),
}

/// The path without links, `.` and `..`; parts that do not exist stay as written. `..` after a link goes up from the
/// link's target. The path must be absolute.
///
/// # Errors
/// It cannot be resolved.
pub fn resolve(path: &Path) -> Result<PathBuf, Unresolved> {
    let mut left: VecDeque<PathBuf> = parts(path).collect();
    let mut real = PathBuf::new();
    let mut links = 0;
    // The length of the existing part plus the first missing component. Nothing exists below it, and a path may have
    // thousands of components.
    let mut missing: Option<usize> = None;
    while let Some(part) = left.pop_front() {
        match part.components().next() {
            None | Some(Component::CurDir) => {}
            Some(Component::ParentDir) => {
                real.pop();
                missing = missing.filter(|missing| *missing <= real.as_os_str().len());
            }
            Some(Component::RootDir | Component::Prefix(_)) => real.push(&part),
            Some(Component::Normal(name)) => {
                real.push(name);
                if missing.is_some() {
                    continue;
                }
                match fs::symlink_metadata(&real) {
                    Ok(metadata) if metadata.is_symlink() => {
                        links += 1;
                        if links > LINKS {
                            return Err(Unresolved::Loop);
                        }
                        let target =
                            fs::read_link(&real).map_err(|error| Unresolved::Unreadable(real.clone(), error))?;
                        real.pop();
                        parts(&target).rev().for_each(|part| left.push_front(part));
                    }
                    Ok(metadata) if !metadata.is_dir() && !left.is_empty() => return Err(Unresolved::BelowFile(real)),
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound => missing = Some(real.as_os_str().len()),
                    Err(error) => return Err(Unresolved::Unreadable(real, error)),
                }
            }
        }
    }
    Ok(real)
}

fn parts(path: &Path) -> impl DoubleEndedIterator<Item = PathBuf> {
    path.components().map(|component| PathBuf::from(component.as_os_str()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_are_followed_one_by_one() {
        let root = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(root.path()).unwrap();
        fs::create_dir_all(root.join("real/deep")).unwrap();
        fs::File::create(root.join("real/file")).unwrap();
        for (target, link) in [
            ("real/deep", "link"),
            ("real/file", "last"),
            ("real/new", "dangling"),
            ("gone/../real", "up"),
            ("two", "one"),
            ("one", "two"),
            ("/etc", "out"),
            ("last", "chain"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        for (path, expected) in [
            ("real/file", "real/file"),
            ("link/x", "real/deep/x"),
            ("link/../x", "real/x"),
            ("last", "real/file"),
            ("chain", "real/file"),
            ("dangling", "real/new"),
            ("up/x", "real/x"),
            ("new/../x/./y", "x/y"),
            ("new/a/../../link/x", "real/deep/x"),
            ("new/a/../link/x", "new/link/x"),
            ("none/deep/x", "none/deep/x"),
            ("out/x", "/etc/x"),
        ] {
            assert_eq!(resolve(&root.join(path)).unwrap(), root.join(expected), "{path}");
        }
        assert!(matches!(resolve(&root.join("one/x")), Err(Unresolved::Loop)));
        assert!(
            matches!(resolve(&root.join("last/x")), Err(Unresolved::BelowFile(file)) if file.ends_with("real/file"))
        );
        assert_eq!(resolve(Path::new("/../../x")).unwrap(), Path::new("/x"));
    }
}
