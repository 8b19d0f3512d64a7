//! Opens a path that was checked for links without following any that appeared since, so that the opened file is the
//! one that was checked.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

use super::reserved::is_skipped_by_walks;
use super::{EntryKind, Folder, is_link_refused};

/// An opened file or folder.
#[derive(Debug)]
pub enum Opened {
    /// A regular file and its metadata.
    File(File, Metadata),
    /// A folder.
    Folder(Folder),
}

/// Opens the file or folder at an absolute path without links.
///
/// # Errors
/// The file system's error, prefixed with the path; part of the path is a link, or it is neither a file nor a folder.
pub fn open(path: &Path) -> io::Result<Opened> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Folder::real(path).map(Opened::Folder);
    };
    let above = Folder::real(above)?;
    if above.entry(name)?.is_some_and(|entry| entry.kind == EntryKind::Folder) {
        let folder = above.child(name)?;
        // A folder that cannot be listed is an error, not an empty folder.
        return folder.names().map(|_| Opened::Folder(folder));
    }
    let file = above.open(name)?;
    let metadata = file.metadata()?;
    Ok(Opened::File(file, metadata))
}

/// Opens a regular file below a folder whose path has no links. A link below the folder is followed only if it leads to
/// a file in the same folder that a walk of it would not skip.
///
/// # Errors
/// The file system's error, prefixed with the path; a link leads out of the folder, or to no regular file.
pub fn open_in(root: &Path, path: &Path) -> io::Result<(File, Metadata)> {
    let opened = match open(path) {
        Err(error) if is_link_refused(&error) && path != root => {
            // This only resolves the target: `open` refuses any link that appears after this.
            match std::fs::canonicalize(path) {
                Ok(real) if real.starts_with(root) && !is_skipped_by_walks(root, &real) => open(&real)?,
                _ => return Err(error),
            }
        }
        opened => opened?,
    };
    match opened {
        Opened::File(file, metadata) => Ok((file, metadata)),
        Opened::Folder(_) => {
            let message = format!("{}: a folder, not a file", path.display());
            Err(io::Error::new(io::ErrorKind::InvalidInput, message))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::testing::{link, pipe, tree};

    #[test]
    fn no_link_is_followed_anywhere_in_the_path() {
        let (_folder, root) = tree(&["real/deep/a.md"]);
        link(&root, &[("real", "link"), ("a.md", "real/deep/b.md")]);
        pipe(&root.join("pipe"));
        for (path, expected) in [
            ("real/deep/a.md", "file"),
            ("real/deep", "folder"),
            ("link", "refused"),
            ("link/deep/a.md", "refused"),
            ("real/deep/b.md", "refused"),
            ("real/deep/a.md/x", "refused"),
            ("real/../real", "refused"),
            ("none", "refused"),
            ("pipe", "refused"),
        ] {
            let reported = match open(&root.join(path)) {
                Ok(Opened::File(mut file, metadata)) => {
                    let mut text = String::new();
                    file.read_to_string(&mut text).unwrap();
                    assert_eq!((text.as_str(), metadata.len()), ("12345", 5));
                    "file"
                }
                Ok(Opened::Folder(_)) => "folder",
                Err(_) => "refused",
            };
            assert_eq!(reported, expected, "{path}");
        }
        assert!(matches!(open(Path::new("/")), Ok(Opened::Folder(_))));
        assert!(open(Path::new("tmp")).is_err(), "not an absolute one");
    }

    #[test]
    fn a_link_is_followed_only_within_the_folder() {
        let (_folder, root) =
            tree(&["docs/sub/a.md", "docs/.git/config", "docs/.jaato/refdesk/x.json", "out/secret.md"]);
        let docs = root.join("docs");
        let links = [
            ("sub", "inner"),
            ("sub/a.md", "again.md"),
            ("again.md", "chain.md"),
            ("../out", "outer"),
            ("../out/secret.md", "leak.md"),
            ("none", "dangling.md"),
            (".git/config", "config.md"),
            (".jaato/refdesk", "state"),
        ];
        link(&docs, &links);
        for (path, is_read) in [
            ("sub/a.md", true),
            ("inner/a.md", true),
            ("again.md", true),
            ("chain.md", true),
            ("outer/secret.md", false),
            ("leak.md", false),
            ("dangling.md", false),
            ("config.md", false),
            ("state/x.json", false),
            ("sub", false),
            ("none.md", false),
        ] {
            assert_eq!(open_in(&docs, &docs.join(path)).is_ok(), is_read, "{path}");
        }
        let file = docs.join("sub/a.md");
        assert!(open_in(&file, &file).is_ok(), "a source that is one file");
        fs::remove_file(&file).unwrap();
        symlink("../../out/secret.md", &file).unwrap();
        assert!(open_in(&file, &file).is_err(), "and became a link");
        fs::rename(&docs, root.join("moved")).unwrap();
        symlink("moved", &docs).unwrap();
        assert!(open_in(&docs, &docs.join("inner")).is_err(), "the folder itself became a link");
    }
}
