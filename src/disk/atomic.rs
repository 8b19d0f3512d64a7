//! Writing a file whole or not at all: a temporary file beside it, then a rename. A reader, or whoever finds the file after
//! the writer was killed, sees the old bytes or the new ones and nothing between.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

/// What the name of a file begins and ends with while it is written.
const UNFINISHED: (&str, &str) = (".refdesk-", ".tmp");

/// Removes what writers that were killed left unfinished in a folder; for whoever alone may write there.
///
/// # Errors
/// What the file system says, but for a folder that is not there.
pub fn sweep(folder: &Path) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        if is_unfinished(&entry.file_name()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// Whether a file of this name is one that is being written: it will be renamed, or is nobody's.
pub fn is_unfinished(name: &OsStr) -> bool {
    let name = name.as_encoded_bytes();
    name.starts_with(UNFINISHED.0.as_bytes()) && name.ends_with(UNFINISHED.1.as_bytes())
}

/// Writes `bytes` to `path`, making its folders; an existing file keeps its permissions.
///
/// # Errors
/// What the file system says, with the path in front.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, Lasting::Always).map_err(|error| named(path, &error))
}

/// The same for what can be made again from other files: readers see it whole, but a crash of the machine may leave it empty.
/// Ten thousand files are written in a second that way, and not in ten.
///
/// # Errors
/// As [`write_atomic`].
pub fn write_derived(path: &Path, bytes: &[u8]) -> io::Result<()> {
    write(path, bytes, Lasting::WhileRunning).map_err(|error| named(path, &error))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// What a file has to outlast.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lasting {
    /// A crash of the machine, too.
    Always,
    /// The end of the program.
    WhileRunning,
}

fn write(path: &Path, bytes: &[u8], lasting: Lasting) -> io::Result<()> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    fs::create_dir_all(folder)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(UNFINISHED.0).suffix(UNFINISHED.1);
    let mut file = builder.tempfile_in(folder)?;
    file.write_all(bytes)?;
    set_mode(path, file.as_file())?;
    if lasting == Lasting::Always {
        // The bytes must be there before the name is: else a crash of the machine could leave an empty file.
        file.as_file().sync_data()?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// The mode of the file that is replaced, or that of any new file (a temporary one is private).
#[cfg(unix)]
fn set_mode(path: &Path, file: &fs::File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = match fs::metadata(path) {
        Ok(existing) => existing.permissions().mode() & 0o7777,
        Err(_) => 0o644,
    };
    file.set_permissions(fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _file: &fs::File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn makes_folders_replaces_and_leaves_nothing_beside() {
        for write in [write_atomic, write_derived] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("a/b/file.json");
            write(&path, b"one").unwrap();
            write(&path, b"two").unwrap();
            assert_eq!(fs::read(&path).unwrap(), b"two");
            assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        }
    }

    #[cfg(unix)]
    #[test]
    fn keeps_the_mode_of_the_file_it_replaces() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        write_atomic(&path, b"one").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        write_atomic(&path, b"two").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn sweeping_takes_only_what_is_unfinished() {
        let folder = tempfile::tempdir().unwrap();
        for name in [".refdesk-x1.tmp", "kept.tmp", ".refdesk-kept", "kept"] {
            write_atomic(&folder.path().join(name), b"x").unwrap();
        }
        sweep(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
        sweep(&folder.path().join("none")).unwrap();
    }

    #[test]
    fn an_error_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        write_atomic(&file, b"x").unwrap();
        let error = write_atomic(&file.join("below"), b"x").unwrap_err();
        assert!(error.to_string().contains("below"), "{error}");
    }
}
