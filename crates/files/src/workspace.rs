//! Finds the workspace as git finds a repository: upward from a folder (BEHAVIOUR §1).

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The folder in a workspace for the files of refdesk and jaato.
const JAATO: &str = ".jaato";

/// The configuration files that make their folder a workspace, in the order in which they are read.
pub const CONFIGURATIONS: [&str; 2] = ["references.json", ".references.json"];

/// Why a folder is the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WorkspaceReason {
    /// The user named it.
    #[default]
    Named,
    /// It is a copy of the built-in sample.
    Demo,
    /// It is the nearest folder with `.jaato/` or a configuration file; contains the name of what was found.
    Marked(&'static str),
    /// It is the root of the nearest git repository.
    Repository,
    /// Nothing was found, so it is the folder where the search began.
    NothingFound,
}

/// The workspace for work in the folder `from`: the nearest folder upward with `.jaato/` or a configuration file, else
/// the root of the nearest git repository, else `from`. Above `from`, the search stops below the home folder: a
/// workspace there would include everything that the user has. A folder above `from` with such a file of another user
/// does not count, or else a file in `/tmp` would control every folder below it.
pub fn workspace_above(from: &Path, home: Option<&Path>) -> (PathBuf, WorkspaceReason) {
    // The system reports the current folder with links resolved, but `$HOME` may be a link, so compare both forms.
    let real_home = home.and_then(|home| fs::canonicalize(home).ok());
    let homes = [home, real_home.as_deref()];
    let is_too_high = |folder: &Path| homes.iter().flatten().any(|home| home.starts_with(folder));
    let folders = || from.ancestors().take_while(|folder| *folder == from || !is_too_high(folder));
    // Every file is checked: the configuration that is read is not always the file that was found first.
    let may_count = |folder: &Path, name: &str| {
        let mut names = [JAATO].into_iter().chain(CONFIGURATIONS).chain([name]);
        folder == from || names.all(|name| is_of_user(&folder.join(name), from))
    };
    let marked = |folder| mark_of(folder).filter(|mark| may_count(folder, mark)).map(|mark| (folder, mark));
    if let Some((folder, mark)) = folders().find_map(marked) {
        return (folder.to_path_buf(), WorkspaceReason::Marked(mark));
    }
    // `.git` is a file in a submodule or a work tree. A home folder with one contains settings, not a project.
    let is_root =
        |folder: &&Path| fs::metadata(folder.join(".git")).is_ok() && !is_too_high(folder) && may_count(folder, ".git");
    match folders().find(is_root) {
        Some(root) => (root.to_path_buf(), WorkspaceReason::Repository),
        None => (from.to_path_buf(), WorkspaceReason::NothingFound),
    }
}

/// Whether a file, if it exists, belongs to this user, to root, or to the owner of `from`. A link belongs to whoever
/// made it, even if its target does not.
fn is_of_user(file: &Path, from: &Path) -> bool {
    let of_folder = fs::metadata(from).ok().map(|metadata| metadata.uid());
    let known = [Some(rustix::process::geteuid().as_raw()), Some(0), of_folder];
    fs::symlink_metadata(file).map_or(true, |metadata| known.contains(&Some(metadata.uid())))
}

/// What makes this folder a workspace: the name of the folder or file.
pub fn mark_of(folder: &Path) -> Option<&'static str> {
    if folder.join(JAATO).is_dir() {
        return Some(JAATO);
    }
    CONFIGURATIONS.into_iter().find(|name| folder.join(name).is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates these paths: a path that ends with `/` is a folder, and `a -> b` a link.
    fn tree(paths: &[&str]) -> (tempfile::TempDir, PathBuf) {
        let root = tempfile::tempdir().unwrap();
        let real = fs::canonicalize(root.path()).unwrap();
        for path in paths {
            match (path.strip_suffix('/'), path.split_once(" -> ")) {
                (Some(folder), _) => fs::create_dir_all(real.join(folder)).unwrap(),
                (_, Some((link, target))) => std::os::unix::fs::symlink(target, real.join(link)).unwrap(),
                _ => crate::write_atomic(&real.join(path), b"gitdir: elsewhere\n").unwrap(),
            }
        }
        (root, real)
    }

    #[test]
    fn the_nearest_mark_else_the_repository_else_nothing() {
        use WorkspaceReason::{Marked, NothingFound, Repository};
        let config = Marked("references.json");
        for (paths, from, expected, reason) in [
            (&["home/p/.jaato/", "home/p/a/b/"][..], "home/p/a/b", "home/p", Marked(".jaato")),
            (&["home/p/references.json", "home/p/a/b/"], "home/p/a/b", "home/p", config),
            (&["home/p/.references.json", "home/p/a/"], "home/p/a", "home/p", Marked(".references.json")),
            (&["home/p/.jaato/", "home/p/references.json"], "home/p", "home/p", Marked(".jaato")),
            (&["home/p/.jaato/", "home/p/a/references.json", "home/p/a/b/"], "home/p/a/b", "home/p/a", config),
            (&["home/p/references.json", "home/p/a/.jaato/"], "home/p/a", "home/p/a", Marked(".jaato")),
            // A repository, from below and from its root. A `.git` file marks a work tree or a submodule.
            (&["home/p/.git/", "home/p/a/b/"], "home/p/a/b", "home/p", Repository),
            (&["home/p/.git", "home/p/a/"], "home/p/a", "home/p", Repository),
            (&["home/p/.git/hooks/"], "home/p/.git/hooks", "home/p", Repository),
            (&["home/p/.git/", "home/p/in/.git", "home/p/in/a/"], "home/p/in/a", "home/p/in", Repository),
            // A mark takes precedence over a nearer repository: the catalog of the outer one also serves a submodule.
            (&["home/p/references.json", "home/p/in/.git", "home/p/in/a/"], "home/p/in/a", "home/p", config),
            (&["home/p/.git/", "home/p/in/references.json", "home/p/in/a/"], "home/p/in/a", "home/p/in", config),
            // A bare repository has no work tree.
            (&["home/p.git/HEAD", "home/p.git/objects/"], "home/p.git", "home/p.git", NothingFound),
            (&["home/p/a/"], "home/p/a", "home/p/a", NothingFound),
            // Entries with the right name but the wrong type.
            (&["home/p/.jaato", "home/p/references.json/", "home/p/a/"], "home/p/a", "home/p/a", NothingFound),
            // From below, the home folder and the folders above it do not count.
            (&["home/.jaato/", "home/p/a/"], "home/p/a", "home/p/a", NothingFound),
            (&["home/references.json", ".jaato/", "home/p/"], "home/p", "home/p", NothingFound),
            (&["home/.git/", "home/p/"], "home/p", "home/p", NothingFound),
            (&["home/.git/"], "home", "home", NothingFound),
            (&["home/.jaato/", "home/p/.git/", "home/p/a/"], "home/p/a", "home/p", Repository),
            // In the home folder itself, its marks count.
            (&["home/.jaato/"], "home", "home", Marked(".jaato")),
            (&["home/references.json"], "home", "home", config),
            (&["references.json", "home/"], "home", "home", NothingFound),
            (&["references.json", "home/"], "", "", config),
            // Outside the home folder, the search is unlimited.
            (&["home/", "srv/.jaato/", "srv/p/a/"], "srv/p/a", "srv", Marked(".jaato")),
            (&["home/", "srv/p/"], "srv/p", "srv/p", NothingFound),
        ] {
            let (_root, real) = tree(paths);
            let found = workspace_above(&real.join(from), Some(&real.join("home")));
            assert_eq!(found, (real.join(expected), reason), "{paths:?} from {from}");
        }
    }

    #[test]
    fn folders_of_other_users_above_do_not_count() {
        if !rustix::process::geteuid().is_root() {
            // Only root can give files to another user.
            return;
        }
        let own = rustix::process::geteuid().as_raw();
        for (paths, mark, of_folder, counts) in [
            (&["srv/references.json"][..], "references.json", own, false),
            (&["srv/.git"], ".git", own, false),
            (&["srv/references.json"], "references.json", 65_534, true),
            // Beside a mark of this user, and a link to this user's file.
            (&["srv/.jaato/", "srv/references.json"], "references.json", own, false),
            (&["srv/references.json", "srv/.references.json"], ".references.json", own, false),
            (&["srv/.git", "srv/.references.json"], ".references.json", own, false),
            (&["srv/own.json", "srv/references.json -> own.json"], "references.json", own, false),
        ] {
            let (_root, real) = tree(&[paths, &["home/", "srv/p/a/"]].concat());
            let give = |path: &str, owner| std::os::unix::fs::lchown(real.join(path), Some(owner), None).unwrap();
            give(&format!("srv/{mark}"), 65_534);
            give("srv/p/a", of_folder);
            let (found, _) = workspace_above(&real.join("srv/p/a"), Some(&real.join("home")));
            assert_eq!(found, real.join(if counts { "srv" } else { "srv/p/a" }), "{mark} of {paths:?}");
            // The owner of the folder itself does not matter, because the user chose it.
            let (_, reason) = workspace_above(&real.join("srv"), Some(&real.join("home")));
            assert_ne!(reason, WorkspaceReason::NothingFound);
        }
    }

    #[test]
    fn a_home_that_is_a_link_bounds_the_search_too() {
        let (_root, real) = tree(&["home/project/", "home/.jaato/", ".jaato/"]);
        let link = real.join("link");
        std::os::unix::fs::symlink(real.join("home"), &link).unwrap();
        for from in [real.join("home/project"), link.join("project")] {
            let found = workspace_above(&from, Some(&link));
            assert_eq!(found, (from, WorkspaceReason::NothingFound));
        }
    }
}
