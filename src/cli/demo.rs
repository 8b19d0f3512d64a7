//! The built-in sample knowledge base, unpacked into a temporary folder that is removed when the program ends.

use std::path::Path;

use include_dir::{Dir, DirEntry, include_dir};
use tempfile::TempDir;

use refdesk_files::write_atomic;

static DEMO: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/assets/demo");

/// Unpacks the demo.
///
/// # Errors
/// A temporary folder cannot be created or written.
pub fn unpack() -> std::io::Result<TempDir> {
    let folder = tempfile::Builder::new().prefix("refdesk-demo-").tempdir()?;
    unpack_into(folder.path(), DEMO.entries())?;
    Ok(folder)
}

fn unpack_into(folder: &Path, entries: &[DirEntry<'_>]) -> std::io::Result<()> {
    for entry in entries {
        match entry {
            DirEntry::Dir(inner) => unpack_into(folder, inner.entries())?,
            DirEntry::File(file) => write_atomic(&folder.join(file.path()), file.contents())?,
        }
    }
    Ok(())
}
