//! An advisory lock between processes: whoever changes a file of the desk holds it from reading to renaming. The kernel
//! lets it go when its holder ends, however that ends.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

/// A held lock; dropping it lets go.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Waits until the lock file at `path` is ours; makes it and its folders first.
    ///
    /// # Errors
    /// What the file system says, with the path in front.
    pub fn acquire(path: &Path) -> io::Result<Self> {
        let name_it = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(name_it)?;
        }
        let file =
            OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path).map_err(name_it)?;
        file.lock().map_err(name_it)?;
        Ok(Self { _file: file })
    }
}
