//! The journal's file: appends under the lock, and reads complete lines. A line is written in one call. If a killed
//! writer or a full disk truncates it, the next writer ends it, and later lines are not lost.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::PathBuf;

use serde::Deserialize;

use super::backward::ReverseLines;
use super::{JournalEvent, Line, Receipt};
use crate::session::foreign::ForeignFileAction;
use crate::session::store::{aside, too_large};
use crate::session::{Session, Store};
use refdesk_files::path::{is_absent, name_of};
use refdesk_files::{
    Sealer, append_state_file, is_at, is_no_file, open_folder, open_state_file, rename_state_file, within,
};
use refdesk_text::report::Diagnostic;

/// A file that would grow larger is moved aside, replacing the previous one, so a journal takes at most twice this
/// size. A larger file is not ours and is not read.
pub(super) const LIMIT: u64 = 32 * 1024 * 1024;

/// Line numbers are below this: JSON readers lose precision beyond it, so a line with a larger one is invalid.
const END: u64 = 1 << 53;

const JOURNAL: &str = "journal.jsonl";

/// The place included in a line's seal. It stays the same when the file is moved aside.
const PLACE: &str = JOURNAL;

/// The part of a line needed to number the next.
#[derive(Deserialize)]
struct Numbered {
    n: u64,
}

/// The kind of a line in the file.
pub(super) enum ParsedLine {
    /// Written here by this user's refdesk.
    Own(Box<Line>),
    /// Looks like a line of ours, but was written or copied by someone else.
    Foreign,
    /// Not a complete line.
    Malformed,
}

/// What an append did.
#[derive(Debug)]
pub struct Appended {
    /// The number of the last line.
    pub last: u64,
    /// A report if a file that was too large to be ours was moved aside.
    pub set_aside: Option<Diagnostic>,
}

impl Store {
    /// The path of the journal, whether or not it exists.
    pub fn journal_file(&self) -> PathBuf {
        self.folder.join(JOURNAL)
    }

    /// The path of the part that was moved aside.
    pub(super) fn older_journal_file(&self) -> PathBuf {
        self.folder.join("journal.1.jsonl")
    }

    /// Appends lines, all or none.
    ///
    /// # Errors
    /// The file system's error with the path, or that the lines are too large; nothing is appended in either case.
    pub fn append_all(&self, session: &Session, receipts: Vec<Receipt>) -> io::Result<Appended> {
        self.append_within(LIMIT, session, receipts)
    }

    /// Like [`Self::append_all`], with this limit on the file's size.
    pub(super) fn append_within(&self, limit: u64, session: &Session, receipts: Vec<Receipt>) -> io::Result<Appended> {
        self.sealer.key_or_new()?;
        let _lock = self.lock()?;
        let path = self.journal_file();
        self.clear(&open_folder(&self.folder)?, JOURNAL);
        let name_it = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
        let mut file = append_state_file(&path)?;
        let mut size = file.metadata().map_err(name_it)?.len();
        let mut set_aside = None;
        if size > limit {
            // The file came from elsewhere, and reading it would take too long.
            let to = aside(&path, "damaged", self.clock);
            rename_state_file(&path, name_of(&to))?;
            set_aside = Some(self.report(&path, &too_large(), &format!("it was moved to {}", self.shown(&to))));
            file = append_state_file(&path)?;
            size = 0;
        }
        let JournalEnd { n: before, is_torn, is_foreign } = self.last(&file, limit).map_err(name_it)?;
        if is_foreign {
            self.move_aside(&path);
            file = append_state_file(&path)?;
            // If the file cannot be moved, append to it; readers skip its foreign lines.
            size = file.metadata().map_err(name_it)?.len();
        }
        let is_torn = is_torn && size > 0;
        let (mut lines, n) = self.lines(limit, before, session, receipts).map_err(name_it)?;
        if size > 0 && size + u64::from(is_torn) + lines.len() as u64 > limit {
            rename_state_file(&path, name_of(&self.older_journal_file()))?;
            file = append_state_file(&path)?;
            size = 0;
        } else if is_torn {
            lines.insert(0, b'\n');
        }
        file.write_all(&lines).map_err(|error| {
            // Part of a line may remain; if truncating fails, the next writer ends it.
            let _ = file.set_len(size);
            name_it(error)
        })?;
        Ok(Appended { last: n, set_aside })
    }

    /// The lines for these receipts, and the number of the last. If they are too large for a file, texts and reasons
    /// are left out, and the lines record that.
    fn lines(&self, limit: u64, before: u64, session: &Session, receipts: Vec<Receipt>) -> io::Result<(Vec<u8>, u64)> {
        let (lines, n) = self.written(before, session, &receipts)?;
        if lines.len() as u64 <= limit {
            return Ok((lines, n));
        }
        let receipts: Vec<Receipt> = receipts.into_iter().map(Receipt::without_text).collect();
        let (lines, n) = self.written(before, session, &receipts)?;
        if lines.len() as u64 > limit {
            let message = format!("{} bytes exceed the limit of the journal, {limit}", lines.len());
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
        }
        Ok((lines, n))
    }

    fn written(&self, before: u64, session: &Session, receipts: &[Receipt]) -> io::Result<(Vec<u8>, u64)> {
        // Read the clock under the lock, so that lines are in order of time.
        let time = jiff::Timestamp::try_from((self.clock)()).unwrap_or_default();
        let key = self.sealer.key_or_new()?;
        let (mut lines, mut n) = (Vec::new(), before);
        for receipt in receipts {
            // A forged journal can contain the highest number; then numbering restarts.
            n = if n + 1 < END { n + 1 } else { 1 };
            let (desk, session, who) = (self.desk.clone(), session.name(), session.who.clone());
            let line = Line { n, time: format!("{time:.3}"), desk, session, who, receipt: receipt.clone(), seal: None };
            lines.extend(key.sealed_line(PLACE, &serde_json::to_vec(&line)?));
            lines.push(b'\n');
        }
        Ok((lines, n))
    }

    /// The state of the journal's end, for appending.
    fn last(&self, file: &File, limit: u64) -> io::Result<JournalEnd> {
        let last = last_number(file, &self.sealer)?;
        if last.n > 0 {
            return Ok(last);
        }
        let path = self.older_journal_file();
        match open_state_file(&path) {
            Ok(older) if older.metadata()?.len() <= limit => {
                let before = last_number(&older, &self.sealer)?;
                if before.is_foreign {
                    self.move_aside(&path);
                }
                Ok(JournalEnd { n: before.n, ..last })
            }
            // Whatever is there is not part of the journal.
            Ok(_) | Err(_) => Ok(last),
        }
    }

    /// Parses a line, and records that there are foreign lines.
    pub(super) fn parsed(&self, bytes: &[u8]) -> ParsedLine {
        let parsed = parse(bytes, &self.sealer);
        if matches!(parsed, ParsedLine::Foreign) {
            self.foreign.note(self.shown(&self.journal_file()), ForeignFileAction::Lines);
        }
        parsed
    }

    /// Every complete line of ours, oldest first, and the number of other lines.
    ///
    /// # Errors
    /// The file system's error with the path; a missing file is not an error.
    pub fn journal(&self) -> io::Result<(Vec<Line>, usize)> {
        let mut lines = Vec::new();
        let damaged = self.each_line(|_| true, |line| lines.push(line))?;
        Ok((lines, damaged))
    }

    /// Visits our complete lines whose bytes `is_wanted` accepts, oldest first, and returns the number of incomplete
    /// lines. A file too large to be ours counts as one; foreign lines are skipped.
    ///
    /// # Errors
    /// As for [`Store::journal`].
    pub fn each_line(&self, is_wanted: impl Fn(&[u8]) -> bool, mut each: impl FnMut(Line)) -> io::Result<usize> {
        within(&self.workspace, &self.folder)?;
        let mut damaged = 0;
        for file in self.journal_files()? {
            if file.metadata()?.len() > LIMIT {
                damaged += 1;
                continue;
            }
            // Ignore what is appended in the meantime.
            let mut reader = BufReader::with_capacity(64 * 1024, file.take(LIMIT));
            let mut line = Vec::new();
            while reader.read_until(b'\n', &mut line)? > 0 {
                if is_wanted(&line) && !line.trim_ascii().is_empty() {
                    match self.parsed(&line) {
                        ParsedLine::Own(line) => each(*line),
                        ParsedLine::Foreign => {}
                        ParsedLine::Malformed => damaged += 1,
                    }
                }
                line.clear();
            }
        }
        Ok(damaged)
    }

    /// The current files of the journal, older first. A file that is moved aside in between is listed only once.
    fn journal_files(&self) -> io::Result<Vec<File>> {
        let open = |path: PathBuf| match open_state_file(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if is_absent(&error) => Ok(None),
            // Not a regular file, so not ours.
            Err(error) if is_no_file(&error) => {
                self.note_foreign(&path);
                Ok(None)
            }
            Err(error) => Err(error),
        };
        let newer = open(self.journal_file())?;
        let older_path = self.older_journal_file();
        let is_same = newer.as_ref().is_some_and(|newer| is_at(newer, &older_path));
        let older = if is_same { None } else { open(older_path)? };
        Ok([older, newer].into_iter().flatten().collect())
    }
}

/// Classifies a line; only our own lines are parsed in full.
fn parse(bytes: &[u8], sealer: &Sealer) -> ParsedLine {
    let Some(whole) = bytes.strip_suffix(b"\n") else { return ParsedLine::Malformed };
    if sealer.key().is_some_and(|key| key.verifies_line(PLACE, whole)) {
        // A newer version may write fields unknown to this one.
        let line = serde_json::from_slice::<Line>(whole).ok().filter(|line| line.n < END);
        return line.map_or(ParsedLine::Malformed, |line| ParsedLine::Own(Box::new(line)));
    }
    if number(whole).is_some() { ParsedLine::Foreign } else { ParsedLine::Malformed }
}

fn number(line: &[u8]) -> Option<u64> {
    serde_json::from_slice::<Numbered>(line).ok().map(|line| line.n).filter(|n| *n < END)
}

/// Whether the bytes of a line record one of these events; quoted text does not count. Faster than parsing the line.
pub(crate) fn records_event(line: &[u8], any: &[JournalEvent]) -> bool {
    any.iter().any(|what| {
        let said = format!("\"what\":\"{}\"", what.word());
        memchr::memmem::find(line, said.as_bytes()).is_some()
    })
}

#[derive(Debug, Clone, Copy, Default)]
struct JournalEnd {
    /// The number of our last line; 0 if there is none.
    n: u64,
    /// Whether text without a line break follows the last complete line.
    is_torn: bool,
    /// Whether there are lines but none is ours.
    is_foreign: bool,
}

fn last_number(file: &File, sealer: &Sealer) -> io::Result<JournalEnd> {
    let mut backward = ReverseLines::new(file)?;
    let mut last = JournalEnd::default();
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
            Some(n) if is_own => return Ok(JournalEnd { n, ..last }),
            Some(_) => has_lines = true,
            None => {}
        }
    }
    Ok(JournalEnd { is_foreign: has_lines, ..last })
}
