//! The screen's saved state: theme, borders, rules. It belongs to the user, not to a workspace, so it is in the user's
//! state folder. Nothing else depends on it, so problems are only reported. The screen interprets the theme.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use refdesk_files::{read_regular, write_private};
use refdesk_text::{Code, Error};

/// Size limit in bytes; the file holds a few names and numbers.
const LIMIT: u64 = 64 * 1024;

/// The saved state of the screen; absent values have the program's defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedScreen {
    /// Name of the chosen theme.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub theme: Option<String>,
    /// Positions of the borders between panes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub borders: Option<Borders>,
    /// Positions of the rules within panes.
    #[serde(skip_serializing_if = "is_default")]
    pub rules: DividerShares,
}

/// The borders of the four panes, in thousandths of the available space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Borders {
    /// Width of the left column.
    pub left: u16,
    /// Height of the upper row.
    pub upper: u16,
}

/// The rules within the panes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)]
pub struct DividerShares {
    #[serde(skip_serializing_if = "is_default")]
    pub catalog: Shares,
    #[serde(skip_serializing_if = "is_default")]
    pub selection: Shares,
    #[serde(skip_serializing_if = "is_default")]
    pub hints: Shares,
    #[serde(skip_serializing_if = "is_default")]
    pub templates: Shares,
}

/// The rules within a pane, in thousandths of its inside; `None` means the program's default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Shares {
    /// Height of the part above the upper rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upper: Option<u16>,
    /// Width of the part left of the vertical rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left: Option<u16>,
    /// Height of the part below the lower rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lower: Option<u16>,
}

fn is_default<T: Default + PartialEq>(remembered: &T) -> bool {
    *remembered == T::default()
}

/// The file of the current user: `$XDG_STATE_HOME/refdesk/screen.json`, or the system's equivalent; `None` without a
/// home folder.
pub fn file() -> Option<PathBuf> {
    Some(super::state_folder()?.join("screen.json"))
}

/// Reads the file; the default if it does not exist.
///
/// # Errors
/// It cannot be read or is damaged.
pub fn read(path: &Path) -> Result<SavedScreen, Error> {
    let forgotten = |why: String| Error::new(Code::Unreadable, format!("{}: {why}", path.display()), "");
    match read_regular(path, LIMIT) {
        Ok((bytes, false)) => serde_json::from_slice(&bytes).map_err(|error| forgotten(error.to_string())),
        Ok((_, true)) => Err(forgotten(format!("larger than {LIMIT} bytes"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(SavedScreen::default()),
        Err(error) => Err(forgotten(error.to_string())),
    }
}

/// The saved state, or the default if it cannot be read; also returns the reason if the file exists.
pub fn remembered(path: Option<&Path>) -> (SavedScreen, Option<String>) {
    match path.map(read).transpose() {
        Ok(saved) => (saved.unwrap_or_default(), None),
        Err(error) => (SavedScreen::default(), Some(format!("the screen layout was reset: {error}"))),
    }
}

/// Writes the file and creates its folder.
///
/// # Errors
/// I/O errors, with the path.
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
    fn a_written_state_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refdesk/screen.json");
        assert_eq!(read(&path).unwrap(), SavedScreen::default(), "a missing file is not an error");
        for remembered in [
            SavedScreen::default(),
            SavedScreen {
                theme: Some("light".to_owned()),
                borders: Some(Borders { left: 300, upper: 700 }),
                rules: DividerShares {
                    hints: Shares { lower: Some(250), ..Shares::default() },
                    ..DividerShares::default()
                },
            },
        ] {
            write(&path, &remembered).unwrap();
            assert_eq!(read(&path).unwrap(), remembered);
        }
    }

    #[test]
    fn unknown_members_from_a_newer_version_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("screen.json");
        write_atomic(&path, br#"{"theme": "light", "columns": ["id"]}"#).unwrap();
        assert_eq!(read(&path).unwrap(), SavedScreen { theme: Some("light".to_owned()), ..SavedScreen::default() });
    }

    #[test]
    fn a_damaged_file_is_reported_with_its_path_and_position() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("screen.json");
        let large = format!("\"{}\"", "x".repeat(usize::try_from(LIMIT).unwrap()));
        for (text, why) in [
            ("", "EOF while parsing a value at line 1 column 0"),
            ("{\"theme\": tru", "EOF while parsing"),
            ("{\"theme\": 1}", "expected a string at line 1 column 11"),
            ("{\"borders\": {\"left\": -1, \"upper\": 2}}", "expected u16 at line 1 column 23"),
            (large.as_str(), "larger than 65536 bytes"),
        ] {
            write_atomic(&path, text.as_bytes()).unwrap();
            let reported = read(&path).unwrap_err().to_string();
            assert!(reported.starts_with(&path.display().to_string()) && reported.contains(why), "{reported}");
        }
        assert!(read(folder.path()).unwrap_err().to_string().contains("a folder"));
    }
}
