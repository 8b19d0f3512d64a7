//! The user's own files for the screen: the keymap and the themes, and the problems of `config.toml` next to them. They
//! are only read here; the screen interprets them. An unreadable file is reported and does not affect the others.

use std::io;
use std::path::{Path, PathBuf};

use super::user;
use refdesk_files::read_regular;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// Size limit of each file in bytes.
const LIMIT: u64 = 256 * 1024;

const THEMES: usize = 64;

/// The current files; empty without a home folder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenFiles {
    /// The keymap, if there is one.
    pub keymap: Option<ScreenFile>,
    /// The themes, by name.
    pub themes: Vec<ScreenFile>,
    /// Whether there is a keymap that cannot be read.
    pub is_keymap_unreadable: bool,
    /// Files that cannot be read.
    pub problems: Vec<Diagnostic>,
    /// Problems of the preferences.
    pub preference_problems: Vec<Diagnostic>,
    /// The text of the preferences, to detect changes.
    pub preferences: Option<String>,
}

/// One of the files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenFile {
    /// Its name without `.toml`.
    pub name: String,
    /// Its displayed path.
    pub shown: String,
    /// Its content.
    pub text: String,
}

/// What the screen derives from the files, as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScreenSettings {
    /// The keys in effect.
    pub keys: Vec<ActionKeys>,
    /// The names of all themes.
    pub themes: Vec<String>,
    /// Problems of the files.
    pub problems: Vec<Diagnostic>,
}

/// The keys of an action in one context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionKeys {
    /// The context, as in the keymap.
    pub context: &'static str,
    /// The action, as in the keymap.
    pub action: String,
    /// The keys, starting with the one to show.
    pub keys: Vec<String>,
}

/// The keymap file in the folder of the user's settings.
pub fn keymap_file(config_home: &Path) -> PathBuf {
    config_home.join("refdesk/keymap.toml")
}

/// The themes folder in the folder of the user's settings.
pub fn themes_folder(config_home: &Path) -> PathBuf {
    config_home.join("refdesk/themes")
}

/// Reads the files.
pub fn read(config_home: Option<&Path>) -> ScreenFiles {
    let mut files = ScreenFiles::default();
    let Some(config_home) = config_home else { return files };
    files.keymap = files.file(&keymap_file(config_home));
    files.is_keymap_unreadable = !files.problems.is_empty();
    let folder = themes_folder(config_home);
    let mut themes: Vec<PathBuf> = match std::fs::read_dir(&folder) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| is_theme(path)).collect(),
        Err(error) => {
            if error.kind() != io::ErrorKind::NotFound {
                files.unreadable(&folder, &error.to_string());
            }
            Vec::new()
        }
    };
    themes.sort();
    if themes.len() > THEMES {
        files.unreadable(&folder, &format!("it has more than {THEMES} themes, and only the first {THEMES} are read"));
        themes.truncate(THEMES);
    }
    for path in themes {
        let theme = files.file(&path);
        files.themes.extend(theme);
    }
    let names: Vec<String> = files.themes.iter().map(|theme| theme.name.clone()).collect();
    if let Some(preferences) = user::file(Some(config_home)) {
        (_, files.preference_problems) = user::read(&preferences, &names);
        files.preferences = match read_regular(&preferences, LIMIT) {
            Ok((bytes, false)) => String::from_utf8(bytes).ok(),
            _ => None,
        };
    }
    files
}

/// The names of the user's own themes.
pub fn theme_names(config_home: Option<&Path>) -> Vec<String> {
    let entries = config_home.and_then(|folder| std::fs::read_dir(themes_folder(folder)).ok());
    let paths = entries.into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
    let mut names: Vec<String> = paths.filter(|path| is_theme(path)).map(|path| name(&path)).collect();
    names.sort();
    names
}

fn is_theme(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "toml")
}

fn name(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

impl ScreenFiles {
    fn file(&mut self, path: &Path) -> Option<ScreenFile> {
        let why = match read_regular(path, LIMIT) {
            Ok((bytes, false)) => match String::from_utf8(bytes) {
                Ok(text) => {
                    return Some(ScreenFile { name: name(path), shown: path.to_string_lossy().into_owned(), text });
                }
                Err(_) => "it is not UTF-8".to_owned(),
            },
            Ok((_, true)) => format!("it is larger than {LIMIT} bytes"),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return None,
            Err(error) => error.to_string(),
        };
        self.unreadable(path, &why);
        None
    }

    fn unreadable(&mut self, path: &Path, why: &str) {
        let problem = Diagnostic::error(Code::Unreadable, format!("it cannot be read: {why}"));
        self.problems.push(problem.in_file(path.to_string_lossy()).fix("make it a readable file, or remove it"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_files::write_atomic;

    #[test]
    fn readable_files_are_read_and_the_rest_are_problems() {
        let folder = tempfile::tempdir().unwrap();
        let home = Some(folder.path());
        assert_eq!(read(None), ScreenFiles::default());
        assert_eq!(read(home), ScreenFiles::default(), "missing files are fine");
        write_atomic(&keymap_file(folder.path()), b"[catalog]\n").unwrap();
        for (name, bytes) in [("sepia.toml", &b"text = {}"[..]), ("b.toml", b"\xff"), ("README.md", b"no theme")] {
            write_atomic(&themes_folder(folder.path()).join(name), bytes).unwrap();
        }
        let files = read(home);
        assert_eq!(
            files.keymap.map(|file| (file.name, file.text)),
            Some(("keymap".to_owned(), "[catalog]\n".to_owned()))
        );
        assert_eq!(files.themes.iter().map(|file| file.name.as_str()).collect::<Vec<_>>(), ["sepia"]);
        assert_eq!(files.problems.len(), 1);
        assert_eq!(theme_names(home), ["b", "sepia"]);
        for nth in 0..THEMES {
            write_atomic(&themes_folder(folder.path()).join(format!("t{nth}.toml")), b"").unwrap();
        }
        assert_eq!(read(home).themes.len(), THEMES - 1);
        write_atomic(&keymap_file(folder.path()), &vec![b'#'; 300_000]).unwrap();
        assert_eq!((read(home).keymap, read(home).problems.len()), (None, 3));
        assert!(read(home).is_keymap_unreadable);
        let preferences = user::file(home).unwrap();
        write_atomic(&preferences, b"theme = \"sepia\"\n").unwrap();
        assert_eq!(read(home).preference_problems, [], "one of the user's own themes");
        write_atomic(&preferences, b"theme = \"nosuch\"\ncolour = 3\n").unwrap();
        assert_eq!(read(home).preference_problems.len(), 2);
    }
}
