//! The file of the journal: appending under the lock, and reading what is whole. A line is written at once; one that a
//! killed writer or a full disk cut short is ended by whoever comes next, and nothing that comes after it is lost.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use serde::Deserialize;

use super::backward::Backward;
use super::{Line, Receipt, What};
use crate::disk::path::is_absent;
use crate::disk::{append_own, is_at, open_own, within};
use crate::session::Store;
use crate::session::store::aside;

/// Where the file would become larger it is put aside, in the place of the one put aside before: so no journal is larger than
/// twice this. A larger file is none that we wrote, and is not read.
pub(super) const LIMIT: u64 = 32 * 1024 * 1024;

/// Numbers are smaller: programs that read JSON know greater ones only roughly, and a line with one is rubbish.
const END: u64 = 1 << 53;

/// A whole line, as far as whoever counts is concerned.
#[derive(Deserialize)]
struct Numbered {
    n: u64,
}

impl Store {
    /// Where the journal is.
    pub fn journal_file(&self) -> PathBuf {
        self.folder.join("journal.jsonl")
    }

    /// Where the part of it is that was put aside.
    pub(super) fn older_journal_file(&self) -> PathBuf {
        self.folder.join("journal.1.jsonl")
    }

    /// Appends a line and tells its number.
    ///
    /// # Errors
    /// What the file system says, with the path in front, or that it is too much for a file; nothing was appended then.
    pub fn append(&self, receipt: Receipt) -> io::Result<u64> {
        self.append_all(vec![receipt])
    }

    /// Appends lines, all or none, and tells the number of the last.
    ///
    /// # Errors
    /// As [`Store::append`].
    pub fn append_all(&self, receipts: Vec<Receipt>) -> io::Result<u64> {
        self.append_within(LIMIT, receipts)
    }

    /// The same with a limit.
    pub(super) fn append_within(&self, limit: u64, receipts: Vec<Receipt>) -> io::Result<u64> {
        let _lock = self.lock()?;
        let path = self.journal_file();
        let name_it = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut file = append_own(&path)?;
        let mut size = file.metadata().map_err(name_it)?.len();
        if size > limit {
            // It came from elsewhere, and reading it would hold everybody up.
            std::fs::rename(&path, aside(&path, self.clock)).map_err(name_it)?;
            file = append_own(&path)?;
            size = 0;
        }
        let (before, is_torn) = self.last(&file, limit).map_err(name_it)?;
        let (mut lines, n) = self.lines(limit, before, receipts).map_err(name_it)?;
        if size > 0 && size + u64::from(is_torn) + lines.len() as u64 > limit {
            std::fs::rename(&path, self.older_journal_file()).map_err(name_it)?;
            file = append_own(&path)?;
            size = 0;
        } else if is_torn {
            lines.insert(0, b'\n');
        }
        file.write_all(&lines).map_err(|error| {
            // What is there of it is no line; where it cannot be taken back, the next writer ends it.
            let _ = file.set_len(size);
            name_it(error)
        })?;
        Ok(n)
    }

    /// The lines of these receipts, and the number of the last. Where they are too much for a file, texts and reasons are left
    /// away, and it is said.
    fn lines(&self, limit: u64, before: u64, receipts: Vec<Receipt>) -> io::Result<(Vec<u8>, u64)> {
        let (lines, n) = self.written(before, &receipts)?;
        if lines.len() as u64 <= limit {
            return Ok((lines, n));
        }
        let receipts: Vec<Receipt> = receipts.into_iter().map(Receipt::without_text).collect();
        let (lines, n) = self.written(before, &receipts)?;
        if lines.len() as u64 > limit {
            let message = format!("{} bytes are too much for the journal, which holds {limit}", lines.len());
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok((lines, n))
    }

    fn written(&self, before: u64, receipts: &[Receipt]) -> io::Result<(Vec<u8>, u64)> {
        // The clock is asked under the lock: the order of lines is that of their times.
        let time = jiff::Timestamp::try_from((self.clock)()).unwrap_or_default();
        let (mut lines, mut n) = (Vec::new(), before);
        for receipt in receipts {
            // A journal that somebody has prepared can bring the last number there is: then they begin anew.
            n = if n + 1 < END { n + 1 } else { 1 };
            let (desk, session, who) = (self.desk.clone(), self.session.clone(), self.who.clone());
            let line = Line { n, time: format!("{time:.3}"), desk, session, who, receipt: receipt.clone() };
            serde_json::to_writer(&mut lines, &line)?;
            lines.push(b'\n');
        }
        Ok((lines, n))
    }

    /// The number of the last whole line, and whether something without a line break stands behind it.
    fn last(&self, file: &File, limit: u64) -> io::Result<(u64, bool)> {
        let mut is_torn = false;
        if let Some(n) = last_number(file, &mut is_torn)? {
            return Ok((n, is_torn));
        }
        match open_own(&self.older_journal_file()) {
            Ok(older) if older.metadata()?.len() <= limit => {
                Ok((last_number(&older, &mut false)?.unwrap_or(0), is_torn))
            }
            // Whatever stands there, it is no part of the journal.
            Ok(_) | Err(_) => Ok((0, is_torn)),
        }
    }

    /// Every line that is whole, oldest first, and how many are not.
    ///
    /// # Errors
    /// What the file system says, with the path in front; no file is no error.
    pub fn journal(&self) -> io::Result<(Vec<Line>, usize)> {
        let mut lines = Vec::new();
        let damaged = self.each_line(|_| true, |line| lines.push(line))?;
        Ok((lines, damaged))
    }

    /// Goes through the whole lines whose bytes are wanted, oldest first, and tells how many of these are not whole. A file
    /// that is too large to be ours counts as one.
    ///
    /// # Errors
    /// As [`Store::journal`].
    pub fn each_line(&self, is_wanted: impl Fn(&[u8]) -> bool, mut each: impl FnMut(Line)) -> io::Result<usize> {
        within(&self.workspace, &self.folder)?;
        let mut damaged = 0;
        for file in self.journal_files()? {
            if file.metadata()?.len() > LIMIT {
                damaged += 1;
                continue;
            }
            // Nobody waits for one that grows meanwhile.
            let mut reader = BufReader::with_capacity(64 * 1024, file.take(LIMIT));
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line)? > 0 {
                if is_wanted(&line) && !line.trim_ascii().is_empty() {
                    parse(&line).map_or_else(|| damaged += 1, &mut each);
                }
                line.clear();
            }
        }
        Ok(damaged)
    }

    /// The files of the journal as they are now, older first. One that is put aside meanwhile is there once.
    fn journal_files(&self) -> io::Result<Vec<File>> {
        let open = |path: PathBuf| match open_own(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        };
        let newer = open(self.journal_file())?;
        let older_path = self.older_journal_file();
        let is_same = newer.as_ref().is_some_and(|newer| is_at(newer, &older_path));
        let older = if is_same { None } else { open(older_path)? };
        Ok([older, newer].into_iter().flatten().collect())
    }
}

/// A line of the file, if it is one that was written whole.
pub(super) fn parse(bytes: &[u8]) -> Option<Line> {
    let whole = bytes.strip_suffix(b"\n")?;
    serde_json::from_slice::<Line>(whole).ok().filter(|line| line.n < END)
}

/// Whether the bytes of a line say that one of these things happened, as it was written; what is quoted in it says nothing.
/// Quicker than reading the line.
pub fn says_what(line: &[u8], any: &[What]) -> bool {
    any.iter().any(|what| {
        let said = format!("\"what\":\"{}\"", what.word());
        memchr::memmem::find(line, said.as_bytes()).is_some()
    })
}

fn last_number(file: &File, is_torn: &mut bool) -> io::Result<Option<u64>> {
    let mut backward = Backward::new(file)?;
    let mut is_last = true;
    while let Some(line) = backward.line()? {
        *is_torn |= std::mem::take(&mut is_last) && !line.ends_with(b"\n");
        let number = serde_json::from_slice::<Numbered>(&line).ok().filter(|line| line.n < END);
        if let Some(Numbered { n }) = number.filter(|_| line.ends_with(b"\n")) {
            return Ok(Some(n));
        }
    }
    Ok(None)
}
