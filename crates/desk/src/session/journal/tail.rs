//! Follows a journal that other processes append to: reads only new lines, and only complete ones. The file stays open, so
//! that lines appended before it was moved aside or removed are still read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::Line;
use super::backward::Backward;
use super::file::{LIMIT, Parsed};
use crate::session::Store;
use refdesk_files::path::is_absent;
use refdesk_files::{is_at, open_own, within};

/// Follows a journal and remembers how far it was read.
#[derive(Debug)]
pub struct Tail {
    store: Store,
    path: PathBuf,
    /// The file being read, and the byte up to which it was read; `None` if there was no file.
    reading: Option<(File, u64)>,
}

impl Store {
    /// Follows the journal, starting with its last `last` lines.
    pub fn tail(&self, last: usize) -> Tail {
        let mut tail = Tail { store: self.clone(), path: self.journal_file(), reading: None };
        if within(&self.workspace, &self.folder).is_err() {
            return tail;
        }
        let mut wanted = last;
        for path in [self.journal_file(), self.older_journal_file()] {
            let Ok(file) = open_own(&path) else { continue };
            let Ok((offset, found)) = begin_of_last(&file, wanted) else { continue };
            // The older file is not read if none of its lines are wanted.
            if tail.reading.is_none() || found > 0 {
                tail.reading = Some((file, offset));
            }
            wanted -= found;
            if wanted == 0 {
                break;
            }
        }
        tail
    }
}

/// The offset of the last `wanted` lines of a file (or all of them), and their number. A torn line is not counted. A file
/// too large to be ours has none.
fn begin_of_last(file: &File, wanted: usize) -> io::Result<(u64, usize)> {
    let size = file.metadata()?.len();
    if size > LIMIT {
        return Ok((size, 0));
    }
    let mut backward = Backward::new(file)?;
    let mut found = 0;
    let mut offset = backward.offset();
    while let Some(line) = backward.line()? {
        if line.ends_with(b"\n") {
            if found == wanted {
                break;
            }
            found += 1;
        }
        offset = backward.offset();
    }
    Ok((offset, found))
}

impl Tail {
    /// The lines appended since the last call, in order, and the number of lines that are invalid and will stay so.
    ///
    /// # Errors
    /// The file system's error with the path. Nothing is lost: the next call starts at the same offset.
    pub fn read(&mut self) -> io::Result<(Vec<Line>, usize)> {
        let mut lines = Vec::new();
        let mut damaged = 0;
        let folder = self.path.parent().unwrap_or(&self.path);
        within(&self.store.workspace, folder)?;
        loop {
            if let Some((file, offset)) = &mut self.reading {
                let is_there = is_at(file, &self.path);
                // Check this before reading: nothing is appended to a file that was moved.
                match read_on(&self.store, file, offset, &mut lines, &mut damaged) {
                    Err(error) if lines.is_empty() => return Err(error),
                    // Keep the lines already read; the next call meets the same error.
                    Err(_) => return Ok((lines, damaged)),
                    Ok(()) if is_there => return Ok((lines, damaged)),
                    Ok(()) => {}
                }
            }
            match open_own(&self.path) {
                Ok(file) => self.reading = Some((file, 0)),
                Err(error) if is_absent(&error) => {
                    self.reading = None;
                    return Ok((lines, damaged));
                }
                Err(_) if !lines.is_empty() => return Ok((lines, damaged)),
                Err(error) => return Err(error),
            }
        }
    }
}

/// Reads the complete lines after `offset` and advances it.
fn read_on(
    store: &Store,
    mut file: &File,
    offset: &mut u64,
    lines: &mut Vec<Line>,
    damaged: &mut usize,
) -> io::Result<()> {
    let size = file.metadata()?.len();
    if size < *offset {
        // The file was truncated.
        *offset = 0;
    }
    if size > LIMIT {
        // A journal is never this large, and the next writer moves it aside.
        *damaged += usize::from(*offset < size);
        *offset = size;
        return Ok(());
    }
    file.seek(SeekFrom::Start(*offset))?;
    let mut bytes = Vec::new();
    file.take(LIMIT).read_to_end(&mut bytes)?;
    let whole = memchr::memrchr(b'\n', &bytes).map_or(0, |end| end + 1);
    for line in bytes.get(..whole).unwrap_or_default().split_inclusive(|byte| *byte == b'\n') {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match store.parsed(line) {
            Parsed::Own(line) => lines.push(*line),
            Parsed::Foreign => {}
            Parsed::Rubbish => *damaged += 1,
        }
    }
    *offset += whole as u64;
    Ok(())
}
