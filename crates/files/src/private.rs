//! Files and folders that only the user may read. Modes that are too wide (from a wide umask, an older version or a
//! checkout) are narrowed on write.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use rustix::fs::{Access, access};

use super::Folder;
use super::error::{is_disk_full, with_path};

/// Opens a folder of the user, creating it if missing, and makes it private.
///
/// # Errors
/// The file system's error, prefixed with the path.
pub fn private_folder(path: &Path) -> io::Result<Folder> {
    std::fs::create_dir_all(path).map_err(|error| with_path(path, error))?;
    let folder = Folder::root(path)?;
    // Changing the mode fails for another user's folder, which keeps its mode.
    let _ = folder.make_private();
    Ok(folder)
}

/// Whether this process can create files in this folder.
pub fn is_writable(folder: &Path) -> bool {
    folder.is_dir() && access(folder, Access::WRITE_OK | Access::EXEC_OK).is_ok()
}

/// The error for writing a small file to this folder if its disk or the user's quota is full. Tested with a file that
/// never gets a name; `None` on systems without such files.
pub fn disk_full_error(folder: &Path) -> Option<io::Error> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{Mode, OFlags, open};
        const PROBE_BYTES: usize = 16 * 1024;
        let file = open(folder, OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC, Mode::RUSR | Mode::WUSR);
        let written = file.map_err(io::Error::from).and_then(|file| File::from(file).write_all(&[0; PROBE_BYTES]));
        written.err().filter(is_disk_full)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = folder;
        None
    }
}

/// Removes all permissions except the owner's from an open file. A file of another user keeps its mode, and so does a
/// file with a second name, which may have another purpose.
pub fn narrow(file: &File) {
    narrow_with(file, 1);
}

/// Like [`narrow`], for a file that was given a second name here.
pub fn narrow_hard_link(file: &File) {
    narrow_with(file, 2);
}

fn narrow_with(file: &File, names: u64) {
    if let Ok(found) = file.metadata()
        && found.permissions().mode() & 0o077 != 0
        && found.nlink() <= names
    {
        let _ = file.set_permissions(PermissionsExt::from_mode(found.permissions().mode() & 0o700));
    }
}

/// Whether an open file has more than one name. An archive may contain a hard link to a file that is not ours.
pub(crate) fn has_other_names(file: &File) -> bool {
    file.metadata().is_ok_and(|found| found.nlink() > 1)
}

/// Whether an open file belongs to the user that this process runs as.
pub fn is_owned_by_user(file: &File) -> bool {
    file.metadata().is_ok_and(|found| found.uid() == rustix::process::geteuid().as_raw())
}
