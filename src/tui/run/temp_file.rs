//! A temporary file for the editor, readable only by the user. It is the only file that the screen itself
//! touches, and is deleted when the editor exits.

use std::io::{self, Write};
use std::path::Path;

use tempfile::NamedTempFile;

use crate::tui::templates::values::LARGEST;
use refdesk_files::read_regular;

pub struct TempFile(NamedTempFile);

impl TempFile {
    /// Writes the text to a new file.
    ///
    /// # Errors
    /// The file system's error.
    pub fn new(text: &str) -> io::Result<Self> {
        let mut file = tempfile::Builder::new().prefix("refdesk-values-").suffix(".json").tempfile()?;
        file.write_all(text.as_bytes())?;
        file.flush()?;
        Ok(Self(file))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Reads the file by path, because an editor may have replaced it.
    ///
    /// # Errors
    /// It is gone, too large, or not UTF-8.
    pub fn read(self) -> Result<String, String> {
        let most = u64::try_from(LARGEST).unwrap_or(u64::MAX);
        let (bytes, is_cut) = read_regular(self.path(), most).map_err(|error| error.to_string())?;
        if is_cut {
            return Err(format!("it has more than {LARGEST} bytes"));
        }
        String::from_utf8(bytes).map_err(|_| "it is not UTF-8".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::write_atomic;

    #[test]
    fn reading_the_edited_text() {
        let slip = TempFile::new("{}\n").unwrap();
        let path = slip.path().to_path_buf();
        assert!(path.extension().is_some_and(|ending| ending == "json"));
        write_atomic(&path, b"{\"a\": 1}").unwrap();
        assert_eq!(slip.read(), Ok("{\"a\": 1}".to_owned()), "also of a file put in its place");
        assert!(!path.exists());
        for (bytes, reported) in
            [(&b"\xff"[..], "it is not UTF-8"), (&vec![b' '; LARGEST + 1], "it has more than 1048576 bytes")]
        {
            let slip = TempFile::new("").unwrap();
            write_atomic(slip.path(), bytes).unwrap();
            assert_eq!(slip.read(), Err(reported.to_owned()));
        }
    }

    #[test]
    fn only_the_user_can_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let slip = TempFile::new("{}").unwrap();
        let mode = std::fs::metadata(slip.path()).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{mode:o}");
    }
}
