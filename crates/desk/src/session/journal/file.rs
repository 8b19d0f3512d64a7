//! The file of the journal: appending under the lock, and reading what is whole. A line is written at once; one that a
//! killed writer or a full disk cut short is ended by whoever comes next, and nothing that comes after it is lost.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use serde::Deserialize;

use super::backward::Backward;
use super::{Line, Receipt, What};
use crate::session::Store;
use crate::session::foreign::Fate;
use crate::session::store::aside;
use refdesk_files::path::is_absent;
use refdesk_files::{Sealer, append_own, is_at, open_own, rename_own, within};

/// Where the file would become larger it is put aside, in the place of the one put aside before: so no journal is larger than
/// twice this. A larger file is none that we wrote, and is not read.
pub(super) const LIMIT: u64 = 32 * 1024 * 1024;

/// Numbers are smaller: programs that read JSON know greater ones only roughly, and a line with one is rubbish.
const END: u64 = 1 << 53;

/// What the seal of a line says about where it stands. A file that is put aside keeps its lines.
const PLACE: &str = "journal.jsonl";

/// A whole line, as far as whoever counts is concerned.
#[derive(Deserialize)]
struct Numbered {
    n: u64,
}

/// What a line of the file is.
pub(super) enum Parsed {
    /// One that this user's refdesk wrote here.
    Own(Box<Line>),
    /// One that looks like it, and that somebody else wrote or copied.
    Foreign,
    /// Not a whole line.
    Rubbish,
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
        self.sealer.key_or_new()?;
        let _lock = self.lock()?;
        let path = self.journal_file();
        let name_it = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut file = append_own(&path)?;
        let mut size = file.metadata().map_err(name_it)?.len();
        if size > limit {
            // It came from elsewhere, and reading it would hold everybody up.
            rename_own(&path, aside(&path, "damaged", self.clock).file_name().unwrap_or_default())?;
            file = append_own(&path)?;
            size = 0;
        }
        let Last { n: before, is_torn, is_foreign } = self.last(&file, limit).map_err(name_it)?;
        if is_foreign {
            self.move_aside(&path);
            file = append_own(&path)?;
            // One that cannot be moved is appended to: its lines are skipped.
            size = file.metadata().map_err(name_it)?.len();
        }
        let is_torn = is_torn && size > 0;
        let (mut lines, n) = self.lines(limit, before, receipts).map_err(name_it)?;
        if size > 0 && size + u64::from(is_torn) + lines.len() as u64 > limit {
            rename_own(&path, self.older_journal_file().file_name().unwrap_or_default())?;
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
        let key = self.sealer.key_or_new()?;
        let (mut lines, mut n) = (Vec::new(), before);
        for receipt in receipts {
            // A journal that somebody has prepared can bring the last number there is: then they begin anew.
            n = if n + 1 < END { n + 1 } else { 1 };
            let (desk, session, who) = (self.desk.clone(), self.session.clone(), self.who.clone());
            let line = Line { n, time: format!("{time:.3}"), desk, session, who, receipt: receipt.clone(), seal: None };
            lines.extend(key.sealed_line(PLACE, &serde_json::to_vec(&line)?));
            lines.push(b'\n');
        }
        Ok((lines, n))
    }

    /// What the end of the journal tells whoever appends to it.
    fn last(&self, file: &File, limit: u64) -> io::Result<Last> {
        let last = last_number(file, &self.sealer)?;
        if last.n > 0 {
            return Ok(last);
        }
        let path = self.older_journal_file();
        match open_own(&path) {
            Ok(older) if older.metadata()?.len() <= limit => {
                let before = last_number(&older, &self.sealer)?;
                if before.is_foreign {
                    self.move_aside(&path);
                }
                Ok(Last { n: before.n, ..last })
            }
            // Whatever stands there, it is no part of the journal.
            Ok(_) | Err(_) => Ok(last),
        }
    }

    /// What a line of the file is. That there are foreign ones is noted.
    pub(super) fn parsed(&self, bytes: &[u8]) -> Parsed {
        let parsed = parse(bytes, &self.sealer);
        if matches!(parsed, Parsed::Foreign) {
            self.foreign.note(self.shown(&self.journal_file()), Fate::Lines);
        }
        parsed
    }

    /// Every line that is whole and ours, oldest first, and how many are not.
    ///
    /// # Errors
    /// What the file system says, with the path in front; no file is no error.
    pub fn journal(&self) -> io::Result<(Vec<Line>, usize)> {
        let mut lines = Vec::new();
        let damaged = self.each_line(|_| true, |line| lines.push(line))?;
        Ok((lines, damaged))
    }

    /// Goes through the whole lines of ours whose bytes are wanted, oldest first, and tells how many are not whole. A file
    /// that is too large to be ours counts as one; foreign lines are skipped.
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
                    match self.parsed(&line) {
                        Parsed::Own(line) => each(*line),
                        Parsed::Foreign => {}
                        Parsed::Rubbish => damaged += 1,
                    }
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

/// What a line of the file is. Only one that is ours is read in full.
fn parse(bytes: &[u8], sealer: &Sealer) -> Parsed {
    let Some(whole) = bytes.strip_suffix(b"\n") else { return Parsed::Rubbish };
    if sealer.key().is_some_and(|key| key.verifies_line(PLACE, whole)) {
        // What a newer program wrote may say more than is known here.
        let line = serde_json::from_slice::<Line>(whole).ok().filter(|line| line.n < END);
        return line.map_or(Parsed::Rubbish, |line| Parsed::Own(Box::new(line)));
    }
    if number(whole).is_some() { Parsed::Foreign } else { Parsed::Rubbish }
}

fn number(line: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Numbered>(line).ok().map(|line| line.n).filter(|n| *n < END)
}

/// Whether the bytes of a line say that one of these things happened, as it was written; what is quoted in it says nothing.
/// Quicker than reading the line.
pub fn says_what(line: &[u8], any: &[What]) -> bool {
    any.iter().any(|what| {
        let said = format!("\"what\":\"{}\"", what.word());
        memchr::memmem::find(line, said.as_bytes()).is_some()
    })
}

/// The end of a journal.
#[derive(Debug, Clone, Copy, Default)]
struct Last {
    /// The number of the last line that is ours; 0 where there is none.
    n: u64,
    /// Something without a line break stands behind the last whole line.
    is_torn: bool,
    /// There are lines, and none of them is ours.
    is_foreign: bool,
}

fn last_number(file: &File, sealer: &Sealer) -> io::Result<Last> {
    let mut backward = Backward::new(file)?;
    let mut last = Last::default();
    let mut is_last = true;
    let mut has_lines = false;
    while let Some(line) = backward.line()? {
        let Some(whole) = line.strip_suffix(b"\n") else {
            last.is_torn |= std::mem::take(&mut is_last);
            continue;
        };
        is_last = false;
        let is_own = sealer.key().is_some_and(|key| key.verifies_line(PLACE, whole));
        match if is_own || !has_lines { number(whole) } else { None } {
            Some(n) if is_own => return Ok(Last { n, ..last }),
            Some(_) => has_lines = true,
            None => {}
        }
    }
    Ok(Last { is_foreign: has_lines, ..last })
}
