//! Follows a journal to which other processes append: reads only new and complete lines. The file stays open, so that
//! lines appended before it is moved aside or removed are still read.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use super::Line;
use super::backward::ReverseLines;
use super::file::{LIMIT, ParsedLine};
use crate::session::Store;
use refdesk_files::path::is_absent;
use refdesk_files::{is_at, open_state_file, within};

/// Bytes read at a time.
const BUFFER: usize = 64 * 1024;

/// A follower's position in a journal.
#[derive(Debug)]
pub struct JournalTail {
    store: Store,
    /// The file being read, and the byte up to which it was read; `None` if there was no file.
    reading: Option<(File, u64)>,
}

/// How many journal lines were skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct SkippedLines {
    /// Lines that will never be valid.
    pub(crate) damaged: usize,
    /// Lines without the seal of this user on this machine.
    pub(crate) foreign: usize,
}

impl Store {
    /// Follows the journal from its first line.
    pub(crate) fn whole_tail(&self) -> JournalTail {
        let mut tail = JournalTail { store: self.clone(), reading: None };
        if within(&self.workspace, &self.folder).is_ok() {
            tail.reading = open_state_file(&self.older_journal_file()).ok().map(|file| (file, 0));
        }
        tail
    }

    /// Follows the journal, starting with its last `last` lines.
    pub fn tail(&self, last: usize) -> JournalTail {
        let mut tail = JournalTail { store: self.clone(), reading: None };
        if within(&self.workspace, &self.folder).is_err() {
            return tail;
        }
        let mut wanted = last;
        for path in [self.journal_file(), self.older_journal_file()] {
            let Ok(file) = open_state_file(&path) else { continue };
            let Ok((offset, found)) = offset_of_last(&file, wanted) else { continue };
            // Do not read the older file if none of its lines are wanted.
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

/// The offset of the last `wanted` lines of a file (or of all), and how many there are. A torn line does not count. A
/// file too large to be ours has none.
fn offset_of_last(file: &File, wanted: usize) -> io::Result<(u64, usize)> {
    let size = file.metadata()?.len();
    if size > LIMIT {
        return Ok((size, 0));
    }
    let mut backward = ReverseLines::new(file)?;
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

impl JournalTail {
    /// The lines appended since the last call, in order, and the number of lines that will never be valid.
    ///
    /// # Errors
    /// The file system's error with the path. Nothing is lost: the next call starts at the same offset.
    pub fn read(&mut self) -> io::Result<(Vec<Line>, usize)> {
        let mut lines = Vec::new();
        let skipped = self.read_each(|line| lines.push(line))?;
        Ok((lines, skipped.damaged))
    }

    /// The journal's path for display.
    pub(crate) fn shown(&self) -> String {
        self.store.shown(&self.store.journal_file())
    }

    /// Passes the lines appended since the last call to `each`, in order, and returns how many were skipped. Only one
    /// line at a time is in memory.
    ///
    /// # Errors
    /// As for [`JournalTail::read`].
    pub(crate) fn read_each(&mut self, mut each: impl FnMut(Line)) -> io::Result<SkippedLines> {
        let mut read = 0;
        let mut each = |line| {
            read += 1;
            each(line);
        };
        let mut skipped = SkippedLines::default();
        let done = self.read_to_end(&mut each, &mut skipped);
        match done {
            // Keep the lines already read; the next call gets the same error.
            Err(error) if read == 0 => Err(error),
            Ok(()) | Err(_) => Ok(skipped),
        }
    }

    fn read_to_end(&mut self, each: &mut impl FnMut(Line), skipped: &mut SkippedLines) -> io::Result<()> {
        let path = self.store.journal_file();
        let folder = path.parent().unwrap_or(&path);
        within(&self.store.workspace, folder)?;
        loop {
            if let Some((file, offset)) = &mut self.reading {
                let is_there = is_at(file, &path);
                // Check this before reading: nothing more is appended to a file that was moved.
                read_on(&self.store, file, offset, each, skipped)?;
                if is_there {
                    return Ok(());
                }
            }
            match open_state_file(&path) {
                Ok(file) => self.reading = Some((file, 0)),
                Err(error) if is_absent(&error) => {
                    self.reading = None;
                    return Ok(());
                }
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
    each: &mut impl FnMut(Line),
    skipped: &mut SkippedLines,
) -> io::Result<()> {
    let size = file.metadata()?.len();
    if size < *offset {
        // The file was truncated.
        *offset = 0;
    }
    if size > LIMIT {
        // A journal is never this large, and the next writer moves it aside.
        skipped.damaged += usize::from(*offset < size);
        *offset = size;
        return Ok(());
    }
    file.seek(SeekFrom::Start(*offset))?;
    let mut reader = BufReader::with_capacity(BUFFER, file.take(LIMIT));
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line)? > 0 && line.ends_with(b"\n") {
        if !line.trim_ascii().is_empty() {
            match store.parsed(&line) {
                ParsedLine::Own(line) => each(*line),
                ParsedLine::Foreign => skipped.foreign += 1,
                ParsedLine::Malformed => skipped.damaged += 1,
            }
        }
        *offset += line.len() as u64;
        line.clear();
    }
    Ok(())
}
