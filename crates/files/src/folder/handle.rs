//! System calls on an open folder and a name.

use std::ffi::{OsStr, OsString};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, Dir, DirEntry, FileType, Mode as Bits, OFlags, chmodat, fstat, linkat, mkdirat, openat, renameat,
    statat, unlinkat,
};

use super::{EntryKind, FileMode, FolderEntry, Purpose};

/// Passing through a folder needs fewer permissions than listing it: `/home` may not be listable.
#[cfg(target_os = "linux")]
const TRAVERSE: OFlags = OFlags::PATH.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
const TRAVERSE: OFlags = OFlags::DIRECTORY.union(OFlags::CLOEXEC);

/// Does not wait for the other end of a pipe, and does not make a terminal the controlling terminal.
const FILE: OFlags = OFlags::NOFOLLOW.union(OFlags::NONBLOCK).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

/// Not open for reading, because closing such a file releases the POSIX locks that this process holds on it.
#[cfg(target_os = "linux")]
const LOCATE: OFlags = OFlags::PATH;
#[cfg(not(target_os = "linux"))]
const LOCATE: OFlags = OFlags::RDONLY;

const PRIVATE_FILE: Bits = Bits::RUSR.union(Bits::WUSR);

/// An open folder.
#[derive(Debug)]
pub(super) struct Handle(OwnedFd);

impl AsFd for Handle {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl Handle {
    pub(crate) fn root(path: &Path) -> io::Result<Self> {
        let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
        Ok(Self(openat(CWD, path, TRAVERSE, Bits::empty())?))
    }

    /// The folder at a path below this one; `None` if the path has a link, or the system cannot refuse links itself.
    #[cfg(target_os = "linux")]
    pub(crate) fn below(&self, path: &Path) -> Option<Self> {
        use rustix::fs::{ResolveFlags, openat2};
        openat2(&self.0, path, TRAVERSE, Bits::empty(), ResolveFlags::NO_SYMLINKS).ok().map(Self)
    }

    #[cfg(not(target_os = "linux"))]
    pub fn below(&self, _path: &Path) -> Option<Self> {
        None
    }

    pub(crate) fn child(&self, name: &OsStr) -> io::Result<Self> {
        Ok(Self(openat(&self.0, name, TRAVERSE | OFlags::NOFOLLOW, Bits::empty())?))
    }

    pub(crate) fn make(&self, name: &OsStr, mode: FileMode) -> io::Result<()> {
        let bits = match mode {
            FileMode::Default => Bits::RWXU | Bits::RWXG | Bits::RWXO,
            FileMode::Private => Bits::RWXU,
        };
        Ok(mkdirat(&self.0, name, bits)?)
    }

    pub(crate) fn make_private(&self) -> io::Result<()> {
        let bits = Bits::from_raw_mode(fstat(&self.0)?.st_mode);
        if bits.intersects(Bits::RWXG | Bits::RWXO) {
            chmodat(&self.0, ".", Bits::RWXU, AtFlags::empty())?;
        }
        Ok(())
    }

    pub(crate) fn open(&self, name: &OsStr, purpose: Purpose) -> io::Result<File> {
        let (flags, bits) = match purpose {
            Purpose::Locate => (LOCATE, Bits::empty()),
            Purpose::Read => (OFlags::RDONLY, Bits::empty()),
            Purpose::Append => (OFlags::RDWR | OFlags::APPEND | OFlags::CREATE, PRIVATE_FILE),
            Purpose::Lock => (OFlags::RDWR | OFlags::CREATE, PRIVATE_FILE),
            Purpose::New(FileMode::Private) => (OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, PRIVATE_FILE),
            Purpose::New(FileMode::Default) => {
                let others = Bits::RGRP | Bits::WGRP | Bits::ROTH | Bits::WOTH;
                (OFlags::RDWR | OFlags::CREATE | OFlags::EXCL, PRIVATE_FILE | others)
            }
        };
        Ok(File::from(openat(&self.0, name, flags | FILE, bits)?))
    }

    pub(crate) fn entry(&self, name: &OsStr) -> io::Result<FolderEntry> {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let kind = kind_of(FileType::from_raw_mode(stat.st_mode));
        #[allow(clippy::useless_conversion, reason = "macOS has 16 bits here")]
        let bits = u32::from(Bits::from_raw_mode(stat.st_mode).bits());
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        Ok(FolderEntry { kind, size, permissions: Permissions::from_mode(bits) })
    }

    pub(crate) fn holds(&self, name: &OsStr, file: &File) -> bool {
        match (fstat(file), statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)) {
            (Ok(open), Ok(there)) => (open.st_dev, open.st_ino) == (there.st_dev, there.st_ino),
            _ => false,
        }
    }

    /// A new file handle of the same folder, for reading or locking.
    pub(crate) fn reopened(&self) -> io::Result<File> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(File::from(openat(&self.0, ".", flags, Bits::empty())?))
    }

    pub(crate) fn entries(&self) -> io::Result<impl Iterator<Item = io::Result<(OsString, EntryKind)>>> {
        let listed = self.reopened()?;
        let named = |entry: rustix::io::Result<DirEntry>| {
            let entry = match entry {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                return None;
            }
            let kind = match entry.file_type() {
                // Not every file system stores types with the names.
                FileType::Unknown => self.entry(name).map_or(EntryKind::Other, |entry| entry.kind),
                known => kind_of(known),
            };
            Some(Ok((name.to_owned(), kind)))
        };
        Ok(Dir::new(listed)?.filter_map(named))
    }

    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(renameat(&self.0, from, &self.0, to)?)
    }

    pub(crate) fn rename_new(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        #[cfg(any(target_os = "linux", target_os = "macos"))]
        {
            use rustix::fs::{RenameFlags, renameat_with};
            use rustix::io::Errno;
            match renameat_with(&self.0, from, &self.0, to, RenameFlags::NOREPLACE) {
                // Not every file system supports this.
                Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
                renamed => return Ok(renamed?),
            }
        }
        self.link(from, to)?;
        self.remove_file(from)
    }

    pub(crate) fn link(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        Ok(linkat(&self.0, from, &self.0, to, AtFlags::empty())?)
    }

    pub(crate) fn remove_file(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }

    pub(crate) fn remove_folder(&self, name: &OsStr) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::REMOVEDIR)?)
    }
}

fn kind_of(file: FileType) -> EntryKind {
    match file {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Folder,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Other,
    }
}
