//! Reads paths that may be anything: a pipe, a device or a folder must neither block nor kill the reader.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Files up to this many bytes are read with one call.
const SMALL: usize = 64 << 10;

/// Coarsest timestamp resolution of a file system.
const STEP: Duration = Duration::from_secs(2);

/// Identity, size and times of a file. While they are the same, so is its content (BEHAVIOUR §5 "cache"). Resetting the
/// modification time (`cp -p`, `touch`) changes the status time, so the stamp differs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Stamp {
    /// In bytes.
    pub size: u64,
    /// Modification time in nanoseconds since 1970; 0 if unknown.
    pub modified: u64,
    /// Status change time in nanoseconds since 1970; 0 if unknown.
    pub changed: u64,
    /// Inode number.
    pub number: u64,
}

impl Stamp {
    /// The stamp of an open file.
    pub fn of(metadata: &Metadata) -> Self {
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        Self {
            size: metadata.len(),
            modified: modified.and_then(|since| u64::try_from(since.as_nanos()).ok()).unwrap_or(0),
            changed: changed(metadata),
            number: metadata.ino(),
        }
    }

    /// Whether the file was last written long enough ago. A file that was just written may be written again with the
    /// same size and times.
    pub fn has_settled(&self, now: SystemTime) -> bool {
        let since_1970 = now.duration_since(UNIX_EPOCH).unwrap_or_default();
        u128::from(self.modified.max(self.changed)) + STEP.as_nanos() < since_1970.as_nanos()
    }
}

fn changed(metadata: &Metadata) -> u64 {
    let seconds = u64::try_from(metadata.ctime()).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(u64::try_from(metadata.ctime_nsec()).unwrap_or(0))
}

/// Whether a path is neither a folder nor a file with lasting content: a pipe, a socket, a device, or something that
/// the kernel generates on each read.
pub fn is_special(path: &Path, metadata: &Metadata) -> bool {
    match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => metadata.len() == 0 && is_on_procfs(path),
        (_, true) => is_on_procfs(path),
        _ => true,
    }
}

/// Whether an absolute path without `.` and `..` leads to a different place in each process, such as
/// `/proc/self/cwd/a.md`. Its target may be a regular file, but not the same one for the next process.
pub fn is_of_process(path: &Path) -> bool {
    let names = ["/proc", "/dev/fd", "/dev/stdin", "/dev/stdout", "/dev/stderr"];
    names.iter().any(|name| path.starts_with(name))
}

#[cfg(target_os = "linux")]
fn is_on_procfs(path: &Path) -> bool {
    use rustix::fs::{PROC_SUPER_MAGIC, statfs};
    statfs(path).is_ok_and(|system| system.f_type == PROC_SUPER_MAGIC)
}

#[cfg(not(target_os = "linux"))]
fn is_on_procfs(_path: &Path) -> bool {
    false
}

/// The stamp of the file at `path`.
///
/// # Errors
/// The file system's error.
pub fn stamp(path: &Path) -> io::Result<Stamp> {
    std::fs::metadata(path).map(|metadata| Stamp::of(&metadata))
}

/// Reads up to `limit` bytes of a regular file; the flag tells whether there are more.
///
/// # Errors
/// The file system's error; [`io::ErrorKind::InvalidInput`] if `path` is a folder, pipe, socket or device.
pub fn read_regular(path: &Path, limit: u64) -> io::Result<(Vec<u8>, bool)> {
    let (file, metadata) = open_regular(path)?;
    read_open(file, &metadata, limit)
}

/// Reads all bytes of a regular file of at most `limit` bytes.
///
/// # Errors
/// See [`read_regular`]; [`io::ErrorKind::FileTooLarge`] if there are more, which a sparse file can claim without using
/// any space.
pub fn read_whole(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    read_regular(path, limit).and_then(|read| whole(read, limit))
}

/// The bytes of a read up to `limit`, if the file has no more.
///
/// # Errors
/// [`io::ErrorKind::FileTooLarge`] if there are more.
pub fn whole((bytes, more): (Vec<u8>, bool), limit: u64) -> io::Result<Vec<u8>> {
    if more {
        let message = format!("it has more than {} MiB", limit / 1024 / 1024);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

/// The stamp and bytes of an open file; no bytes if it is larger than `limit`.
///
/// # Errors
/// The file system's error.
pub fn read_stamped((file, metadata): (File, Metadata), limit: u64) -> io::Result<(Stamp, Option<Vec<u8>>)> {
    let stamp = Stamp::of(&metadata);
    if stamp.size > limit {
        return Ok((stamp, None));
    }
    let (bytes, more) = read_open(file, &metadata, limit)?;
    Ok((stamp, (!more).then_some(bytes)))
}

/// Opens a regular file named by the user; links are followed.
///
/// # Errors
/// See [`read_regular`].
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let file = open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        let what = if metadata.is_dir() { "a folder, not a file" } else { "not a regular file" };
        return Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    }
    Ok((file, metadata))
}

/// Reads up to `limit` bytes of an open file; the flag tells whether there are more.
///
/// # Errors
/// The file system's error.
pub fn read_open(file: File, metadata: &Metadata, limit: u64) -> io::Result<(Vec<u8>, bool)> {
    let size = metadata.len().min(limit);
    let size = usize::try_from(size).unwrap_or(0);
    let mut bytes = Vec::with_capacity(size + 1);
    let mut file = file.take(limit.saturating_add(1));
    if (1..=SMALL).contains(&size) {
        // One call is enough for a small file: a read that returns less than requested has reached the end.
        bytes.resize(size + 1, 0);
        let read = match file.read(&mut bytes) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
            read => read?,
        };
        bytes.truncate(read);
        if read == size {
            return Ok((bytes, false));
        }
    }
    file.read_to_end(&mut bytes)?;
    let more = bytes.len() as u64 > limit;
    bytes.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok((bytes, more))
}

/// Opens without blocking: a named pipe without a writer would block forever.
fn open(path: &Path) -> io::Result<File> {
    let flags = i32::try_from(rustix::fs::OFlags::NONBLOCK.bits()).unwrap_or(0);
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_up_to_the_limit_and_refuses_folders() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        super::super::write_atomic(&path, b"12345").unwrap();
        assert_eq!(read_regular(&path, 5).unwrap(), (b"12345".to_vec(), false));
        assert_eq!(read_regular(&path, 4).unwrap(), (b"1234".to_vec(), true));
        let read_stamped = |limit| read_stamped(open_regular(&path).unwrap(), limit).unwrap();
        assert_eq!(read_stamped(5), (stamp(&path).unwrap(), Some(b"12345".to_vec())));
        assert_eq!(read_stamped(4), (stamp(&path).unwrap(), None));
        assert_eq!(read_regular(folder.path(), 4).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }

    #[test]
    fn small_files_large_ones_and_those_without_a_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        for size in [0, 1, SMALL - 1, SMALL, SMALL + 1, 3 * SMALL] {
            let bytes: Vec<u8> = (0..size).map(|at| u8::try_from(at % 251).unwrap()).collect();
            super::super::write_atomic(&path, &bytes).unwrap();
            assert_eq!(read_regular(&path, u64::MAX).unwrap(), (bytes.clone(), false), "{size}");
            let limit = size / 2;
            assert_eq!(read_regular(&path, limit as u64).unwrap(), (bytes[..limit].to_vec(), size > 0), "{size}");
        }
        if cfg!(target_os = "linux") {
            let (status, _) = read_regular(Path::new("/proc/self/status"), u64::MAX).unwrap();
            assert!(status.len() > 100, "its size is said to be 0");
        }
    }

    #[test]
    fn a_pipe_without_a_writer_is_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mknodat(rustix::fs::CWD, &path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        assert_eq!(read_regular(&path, 4).unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
