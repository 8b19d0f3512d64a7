//! Following a journal that others append to: only what is new is read, and a line when it is whole. What is followed stays
//! open, so that what was appended before it was put aside or removed is still read.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use super::Line;
use super::backward::Backward;
use super::file::{LIMIT, Parsed};
use crate::session::Store;
use refdesk_files::path::is_absent;
use refdesk_files::{is_at, open_own, within};

/// Follows a journal: knows how far it was read.
#[derive(Debug)]
pub struct Tail {
    store: Store,
    path: PathBuf,
    /// The file that is read, and up to which byte it was; `None` where there was none.
    reading: Option<(File, u64)>,
}

impl Store {
    /// Follows the journal, beginning with its last lines, so many of them.
    pub fn tail(&self, last: usize) -> Tail {
        let mut tail = Tail { store: self.clone(), path: self.journal_file(), reading: None };
        if within(&self.workspace, &self.folder).is_err() {
            return tail;
        }
        let mut wanted = last;
        for path in [self.journal_file(), self.older_journal_file()] {
            let Ok(file) = open_own(&path) else { continue };
            let Ok((offset, found)) = begin_of_last(&file, wanted) else { continue };
            // Of the older one there may be nothing that is wanted; then it is not read.
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

/// Where the last lines of a file begin, so many of them or all there are, and how many it is. A torn one is not counted.
/// One that is too large to be ours has none.
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
    /// The lines that were appended since it was asked last, in order, and how many there were that are not whole and never
    /// will be.
    ///
    /// # Errors
    /// What the file system says, with the path in front. Nothing is lost by it: the next question begins where this did.
    pub fn read(&mut self) -> io::Result<(Vec<Line>, usize)> {
        let mut lines = Vec::new();
        let mut damaged = 0;
        let folder = self.path.parent().unwrap_or(&self.path);
        within(&self.store.workspace, folder)?;
        loop {
            if let Some((file, offset)) = &mut self.reading {
                let is_there = is_at(file, &self.path);
                // Asked before it is read: nobody appends to a file that has left its place.
                match read_on(&self.store, file, offset, &mut lines, &mut damaged) {
                    Err(error) if lines.is_empty() => return Err(error),
                    // What was read must not be lost, and the next question meets the same error.
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

/// Reads the whole lines behind `offset`, and moves it behind them.
fn read_on(
    store: &Store,
    mut file: &File,
    offset: &mut u64,
    lines: &mut Vec<Line>,
    damaged: &mut usize,
) -> io::Result<()> {
    let size = file.metadata()?.len();
    if size < *offset {
        // Somebody has emptied it.
        *offset = 0;
    }
    if size > LIMIT {
        // Nobody who writes a journal makes it so large, and whoever appends next puts it aside.
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
