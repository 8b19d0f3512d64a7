//! Reads a file line by line from its end, so that finding the last lines of a long file does not read all of it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// The fewest bytes read at a time.
const BLOCK: u64 = 16 * 1024;

/// Returns the lines of a file from last to first, each with its line break; a torn last line has none.
pub(super) struct ReverseLines<'a> {
    file: &'a File,
    /// The offset of `held` in the file.
    from: u64,
    /// Bytes read but not yet returned.
    held: Vec<u8>,
    /// From this index on, `held` has no line break, except possibly as its last byte.
    searched: usize,
}

impl<'a> ReverseLines<'a> {
    /// Starts at the current end of the file.
    pub(crate) fn new(file: &'a File) -> io::Result<Self> {
        let from = file.metadata()?.len();
        Ok(Self { file, from, held: Vec::new(), searched: 0 })
    }

    /// The line before those already returned; `None` at the start of the file.
    pub(crate) fn line(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            // Skip the last byte, which is this line's own line break.
            let before = self.held.len().saturating_sub(1).min(self.searched);
            let found = memchr::memrchr(b'\n', self.held.get(..before).unwrap_or_default());
            if let Some(end) = found {
                let line = self.held.split_off(end + 1);
                self.searched = self.held.len();
                return Ok(Some(line));
            }
            if self.from == 0 {
                self.searched = 0;
                return Ok(Some(std::mem::take(&mut self.held)).filter(|line| !line.is_empty()));
            }
            self.read_more()?;
        }
    }

    /// The offset of the lines returned so far.
    pub(crate) fn offset(&self) -> u64 {
        self.from + self.held.len() as u64
    }

    /// Doubles `held`, so that a long line is copied only a logarithmic number of times.
    fn read_more(&mut self) -> io::Result<()> {
        let size = BLOCK.max(self.held.len() as u64).min(self.from);
        self.from -= size;
        let mut file = self.file;
        file.seek(SeekFrom::Start(self.from))?;
        let mut block = Vec::with_capacity(usize::try_from(size).unwrap_or(0) + self.held.len());
        file.take(size).read_to_end(&mut block)?;
        self.searched = if self.held.is_empty() { usize::MAX } else { block.len() };
        block.append(&mut self.held);
        self.held = block;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::write_atomic;

    #[test]
    fn lines_are_returned_last_to_first() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let long = "x".repeat(100_000);
        for text in ["", "\n", "a", "a\n", "a\nb", "a\n\n\nb\n", &format!("a\n{long}\nb\n{long}"), &format!("{long}\n")]
        {
            write_atomic(&path, text.as_bytes()).unwrap();
            let file = File::open(&path).unwrap();
            let mut backward = ReverseLines::new(&file).unwrap();
            let mut lines = Vec::new();
            let mut end = text.len() as u64;
            while let Some(line) = backward.line().unwrap() {
                end -= line.len() as u64;
                assert_eq!(backward.offset(), end);
                lines.push(String::from_utf8(line).unwrap());
            }
            lines.reverse();
            let expected: Vec<&str> = text.split_inclusive('\n').collect();
            assert_eq!(lines, expected, "{} bytes", text.len());
        }
    }
}
