//! What the screen remembers of how a person left it: theme, borders, rules, zoom, order of the catalog. It belongs to the person
//! and not to a workspace, so it stands in the user's state folder; nothing depends on it, so what is wrong with it is only
//! said. What a theme or an order is, is the screen's business.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use refdesk_files::{read_regular, write_private};

/// A file of a few names and numbers is never larger.
const LIMIT: u64 = 64 * 1024;

/// How a person left the screen; what is not said is as the program has it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedScreen {
    /// The theme that was chosen, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// Where the borders were put.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub borders: Option<Borders>,
    /// Where the rules within the panes were put.
    #[serde(skip_serializing_if = "is_untouched")]
    pub rules: DividerShares,
    /// Whether one pane had the whole screen.
    pub zoomed: bool,
    /// The order of the catalog, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sort: Option<String>,
}

/// The borders of the four panes, in thousandths of the room there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Borders {
    /// What the left column has.
    pub left: u16,
    /// What the upper row has.
    pub upper: u16,
}

/// The rules within the panes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct DividerShares {
    #[serde(skip_serializing_if = "is_untouched")]
    pub catalog: Shares,
    #[serde(skip_serializing_if = "is_untouched")]
    pub selection: Shares,
    #[serde(skip_serializing_if = "is_untouched")]
    pub hints: Shares,
    #[serde(skip_serializing_if = "is_untouched")]
    pub templates: Shares,
}

/// The rules within a pane, in thousandths of its inside; one that nobody moved is where the program has it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shares {
    /// What stands above the upper rule has this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<u16>,
    /// What stands left of the upright one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<u16>,
    /// What stands below the lower one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<u16>,
}

fn is_untouched<T: Default + PartialEq>(remembered: &T) -> bool {
    *remembered == T::default()
}

/// Why nothing is remembered, or was not written.
#[derive(Debug)]
pub struct Forgotten {
    path: PathBuf,
    why: String,
}

impl fmt::Display for Forgotten {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path.display(), self.why)
    }
}

/// The file of the user that runs this program: `$XDG_STATE_HOME/refdesk/screen.json`, or where the system keeps such
/// things; `None` where there is no home folder.
pub fn file() -> Option<PathBuf> {
    Some(super::state_folder()?.join("screen.json"))
}

/// What this file says; nothing where it is not there.
///
/// # Errors
/// Where it cannot be read or is damaged.
pub fn read(path: &Path) -> Result<SavedScreen, Forgotten> {
    let forgotten = |why: String| Forgotten { path: path.to_owned(), why };
    match read_regular(path, LIMIT) {
        Ok((bytes, false)) => serde_json::from_slice(&bytes).map_err(|error| forgotten(error.to_string())),
        Ok((_, true)) => Err(forgotten(format!("larger than {LIMIT} bytes"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SavedScreen::default()),
        Err(error) => Err(forgotten(error.to_string())),
    }
}

/// Writes the file, making its folder.
///
/// # Errors
/// What the file system says; the path is in it.
pub fn write(path: &Path, remembered: &SavedScreen) -> io::Result<()> {
    let mut bytes = serde_json::to_vec_pretty(remembered)?;
    bytes.push(b'\n');
    write_private(path, &bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::write_atomic;

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refdesk/screen.json");
        assert_eq!(read(&path).unwrap(), SavedScreen::default(), "no file is no error");
        for remembered in [
            SavedScreen::default(),
            SavedScreen {
                theme: Some("light".to_owned()),
                borders: Some(Borders { left: 300, upper: 700 }),
                rules: DividerShares {
                    hints: Shares { lower: Some(250), ..Shares::default() },
                    ..DividerShares::default()
                },
                zoomed: true,
                sort: Some("tokens".to_owned()),
            },
        ] {
            write(&path, &remembered).unwrap();
            assert_eq!(read(&path).unwrap(), remembered);
        }
    }

    #[test]
    fn what_a_newer_program_wrote_is_no_error() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("screen.json");
        write_atomic(&path, br#"{"zoomed": true, "columns": ["id"]}"#).unwrap();
        assert_eq!(read(&path).unwrap(), SavedScreen { zoomed: true, ..SavedScreen::default() });
    }

    #[test]
    fn a_damaged_file_says_which_and_where() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("screen.json");
        let large = format!("\"{}\"", "x".repeat(usize::try_from(LIMIT).unwrap()));
        for (text, why) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{\"zoomed\": tru", "EOF while parsing"),
            ("{\"zoomed\": 1}", "expected a boolean at line 1 column 12"),
            ("{\"borders\": {\"left\": -1, \"upper\": 2}}", "expected u16 at line 1 column 23"),
            (large.as_str(), "larger than 65536 bytes"),
        ] {
            write_atomic(&path, text.as_bytes()).unwrap();
            let told = read(&path).unwrap_err().to_string();
            assert!(told.starts_with(&path.display().to_string()) && told.contains(why), "{told}");
        }
        assert!(read(folder.path()).unwrap_err().to_string().contains("a folder"));
    }
}
