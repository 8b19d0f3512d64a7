//! The files of the references folder, each of which defines one source.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::config::{Config, WorkspaceContext, expand};
use refdesk_files::output::resolve;
use refdesk_files::path::{clean, name_of};
use refdesk_files::{EntryKind, Folder, whole};

/// A file in the references folder that is not a source.
pub const NOT_A_SOURCE: &str = "embedding_config.json";

/// Size limit, in bytes, of a file that defines one source; a larger text would be too long for an agent anyway.
const LARGEST_ENTRY: u64 = 16 * 1024 * 1024;

/// The folder whose files are sources.
pub fn references_folder(context: &WorkspaceContext, config: &Config) -> PathBuf {
    clean(&context.workspace.join(expand(context, &config.settings.references_dir)))
}

/// A file of the references folder.
pub(super) struct ReferenceFile {
    /// Path below the references folder as configured, links not resolved.
    pub path: PathBuf,
    place: ReferencePlace,
}

enum ReferencePlace {
    In(Folder),
    /// A link and its resolved target; `None` if it cannot be resolved.
    Linked(Option<PathBuf>),
}

impl ReferenceFile {
    /// The resolved target of a link.
    pub fn leads_to(&self) -> Option<&Path> {
        match &self.place {
            ReferencePlace::In(_) => None,
            ReferencePlace::Linked(to) => to.as_deref(),
        }
    }

    /// Reads without following links, so the file is the one that `may_read` allowed.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let bytes = match &self.place {
            ReferencePlace::In(folder) => folder.read(name_of(&self.path), LARGEST_ENTRY),
            ReferencePlace::Linked(Some(real)) => {
                let (folder, name) = Folder::parent_of_real(real)?;
                folder.read(name, LARGEST_ENTRY)
            }
            // Get the operating system's error for the link.
            ReferencePlace::Linked(None) => {
                Err(fs::metadata(&self.path).err().unwrap_or_else(|| io::ErrorKind::NotFound.into()))
            }
        };
        bytes.and_then(|read| whole(read, LARGEST_ENTRY))
    }
}

/// The `*.json` files directly in the folder at this path, in byte order of file name.
pub(super) fn json_files(path: &Path, opened: &Folder) -> io::Result<Vec<ReferenceFile>> {
    let mut names = Vec::new();
    for entry in opened.entries()? {
        let (name, kind) = entry?;
        if name.as_encoded_bytes().ends_with(b".json") && name != NOT_A_SOURCE {
            names.push((name, kind));
        }
    }
    names.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
    let file = |(name, kind): (OsString, EntryKind)| {
        let place = match kind {
            EntryKind::Link => ReferencePlace::Linked(resolve(&opened.path_of(&name)).ok()),
            _ => ReferencePlace::In(opened.clone()),
        };
        ReferenceFile { path: path.join(name), place }
    };
    Ok(names.into_iter().map(file).collect())
}
