//! Folders for tests.

use std::fs;
use std::path::PathBuf;

use tempfile::TempDir;

use super::write_atomic;

/// A temporary folder with these files, each of five bytes, and its real path.
pub(crate) fn tree(files: &[&str]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(folder.path()).unwrap();
    for file in files {
        write_atomic(&root.join(file), b"12345").unwrap();
    }
    (folder, root)
}

/// Creates these links below `root`, each given as target and name.
pub(crate) fn link(root: &std::path::Path, links: &[(&str, &str)]) {
    for (target, name) in links {
        std::os::unix::fs::symlink(target, root.join(name)).unwrap();
    }
}

/// Makes a pipe.
pub(crate) fn pipe(path: &std::path::Path) {
    rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}
