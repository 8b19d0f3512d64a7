//! The user's own preferences: a TOML file next to the user's other settings, never part of a workspace. It is trusted,
//! and its problems are never fatal: each key is read on its own, and an invalid value is replaced by the default.

use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use refdesk_files::read_regular;
use refdesk_text::names::either;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::{Diagnostic, Position};
use refdesk_text::{Code, Fix};

/// Size limit in bytes; the file holds a few words.
const LIMIT: u64 = 64 * 1024;

/// Every key, in the order in which they are shown.
pub const KEYS: [&str; 5] = ["color", "theme", "characters", "editor", "log"];

/// The values of `color`.
pub const COLORS: [&str; 3] = ["auto", "always", "never"];

/// The values of `theme`, in addition to the names of the user's own themes; the screen has a theme for each except
/// `auto`.
pub const THEMES: [&str; 8] = ["auto", "dark", "light", "contrast", "colourblind", "ansi", "ansi-light", "mono"];

/// The values of `characters`.
pub const CHARACTERS: [&str; 3] = ["auto", "unicode", "ascii"];

const LOG_LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// The prefix of all of refdesk's own log targets.
const LOG_TARGET: &str = "refdesk";

/// The user's preferences; `None` leaves a choice to refdesk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Preferences {
    /// Whether commands and the screen use colours: one of [`COLORS`] except `auto`.
    pub color: Option<&'static str>,
    /// The theme that the screen starts with: one of [`THEMES`] except `auto`, or one of the user's own.
    pub theme: Option<String>,
    /// The characters that the screen is drawn with: one of [`CHARACTERS`] except `auto`.
    pub characters: Option<&'static str>,
    /// The editor command; takes precedence over `$VISUAL` and `$EDITOR`.
    pub editor: Option<String>,
    /// What to log, unless `$REFDESK_LOG` is set.
    pub log: Option<String>,
}

impl Preferences {
    /// The value of each of the [`KEYS`], if it is set.
    pub fn values(&self) -> [Option<&str>; 5] {
        [self.color, self.theme.as_deref(), self.characters, self.editor.as_deref(), self.log.as_deref()]
    }
}

/// The file in the folder of the user's settings; `None` without one.
pub fn file(config_home: Option<&Path>) -> Option<PathBuf> {
    config_home.map(|folder| folder.join("refdesk/config.toml"))
}

/// Reads the file; the defaults if it does not exist. `own_themes` are the names of the user's own themes.
pub fn read(file: &Path, own_themes: &[String]) -> (Preferences, Vec<Diagnostic>) {
    let failed = |why: String| {
        let problem = Diagnostic::error(Code::Unreadable, format!("your preferences cannot be read: {why}"));
        (
            Preferences::default(),
            vec![problem.in_file(file.to_string_lossy()).fix("make it a readable file, or remove it")],
        )
    };
    match read_regular(file, LIMIT) {
        Ok((bytes, false)) => match String::from_utf8(bytes) {
            Ok(text) => parse(&text, &file.to_string_lossy(), own_themes),
            Err(_) => failed("it is not UTF-8".to_owned()),
        },
        Ok((_, true)) => failed(format!("it is larger than {LIMIT} bytes")),
        Err(error) if error.kind() == io::ErrorKind::NotFound => (Preferences::default(), Vec::new()),
        Err(error) => failed(error.to_string()),
    }
}

/// The preferences in this text; `shown` names its file in the problems.
pub fn parse(text: &str, shown: &str, own_themes: &[String]) -> (Preferences, Vec<Diagnostic>) {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = Reader { text, shown, problems: Vec::new() };
    let mut preferences = Preferences::default();
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let at = error.span().unwrap_or(0..0);
            let message = format!("not TOML: {}", error.message());
            reader.report(
                Diagnostic::error(Code::NotToml, message).fix("write one key per line, as in: theme = \"dark\""),
                &at,
            );
            return (preferences, reader.problems);
        }
    };
    for (key, value) in document.get_ref() {
        match key.get_ref().as_ref() {
            "color" => preferences.color = reader.choice("color", &COLORS, value),
            "theme" => preferences.theme = reader.theme(own_themes, value),
            "characters" => preferences.characters = reader.choice("characters", &CHARACTERS, value),
            "editor" => preferences.editor = reader.text("editor", value),
            "log" => preferences.log = reader.log(value),
            "$schema" => {}
            unknown => {
                let nearest = did_you_mean(unknown, KEYS);
                let fix = nearest.unwrap_or_else(|| format!("use {}", either(&KEYS)));
                let problem = Diagnostic::warning(Code::UnknownKey, format!("there is no key '{unknown}'"));
                reader.report(problem.fix(fix), &key.span());
            }
        }
    }
    reader.problems.sort_by_key(|problem| (problem.line, problem.column));
    (preferences, reader.problems)
}

struct Reader<'a> {
    text: &'a str,
    shown: &'a str,
    problems: Vec<Diagnostic>,
}

impl Reader<'_> {
    fn report(&mut self, problem: Diagnostic, at: &Range<usize>) {
        self.problems.push(problem.in_file(self.shown).at(Position::of(self.text, at.start)));
    }

    /// A value that must be a non-empty text.
    fn text(&mut self, key: &str, value: &Spanned<DeValue<'_>>) -> Option<String> {
        match value.get_ref() {
            DeValue::String(text) if !text.trim().is_empty() => Some(text.to_string()),
            DeValue::String(_) => {
                let problem = Diagnostic::error(Code::UnknownValue, format!("'{key}' is empty"));
                self.report(problem.fix("give it a value, or leave it out"), &value.span());
                None
            }
            other => {
                let message = format!("'{key}' must be a string, not {}", kind(other));
                self.report(
                    Diagnostic::error(Code::WrongType, message).fix("put it in quotation marks"),
                    &value.span(),
                );
                None
            }
        }
    }

    /// The name of a theme; `None` for `auto`.
    fn theme(&mut self, own: &[String], value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = self.text("theme", value)?;
        let known: Vec<&str> = THEMES.into_iter().chain(own.iter().map(String::as_str)).collect();
        if !known.contains(&text.as_str()) {
            self.unknown("theme", &text, &known, value);
            return None;
        }
        Some(text).filter(|name| *name != THEMES[0])
    }

    /// What to log: levels, optionally by target.
    fn log(&mut self, value: &Spanned<DeValue<'_>>) -> Option<String> {
        let text = self.text("log", value)?;
        if let Some(wrong) = wrong_log_word(&text) {
            self.unknown("log", wrong, &LOG_LEVELS, value);
            return None;
        }
        Some(text)
    }

    fn unknown(&mut self, key: &str, text: &str, known: &[&str], value: &Spanned<DeValue<'_>>) {
        let nearest = did_you_mean(text, known.iter().copied());
        let fix = nearest.unwrap_or_else(|| format!("use {}", either(known)));
        let problem = Diagnostic::error(Code::UnknownValue, format!("'{key}' cannot be '{text}'"));
        self.report(problem.fix(Fix::from(fix)), &value.span());
    }

    /// A value that must be one of these; `None` for the first, which leaves the choice to refdesk.
    fn choice(
        &mut self,
        key: &str,
        known: &'static [&'static str],
        value: &Spanned<DeValue<'_>>,
    ) -> Option<&'static str> {
        let text = self.text(key, value)?;
        let Some(at) = known.iter().position(|word| *word == text) else {
            self.unknown(key, &text, known, value);
            return None;
        };
        known.get(at).copied().filter(|_| at > 0)
    }
}

/// The first invalid word of a log filter such as `info` or `warn,refdesk_index=debug`. A word that is not a level
/// would be read as a target and log everything of it, so only refdesk's own targets are accepted.
pub fn wrong_log_word(filter: &str) -> Option<&str> {
    let is_level = |word: &str| {
        LOG_LEVELS.iter().any(|level| word == *level || word == level.to_ascii_uppercase())
            || matches!(word.as_bytes(), [b'0'..=b'5'])
    };
    let wrong = |word: &&str| match word.split_once('=') {
        Some((_, level)) => !is_level(level),
        None => !is_level(word) && !word.starts_with(LOG_TARGET),
    };
    let word = filter.split(',').map(str::trim).find(wrong)?;
    Some(word.split_once('=').map_or(word, |(_, level)| level))
}

fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The values by key, and each problem as `severity line:column message; fix`.
    fn reported(text: &str) -> (Vec<String>, Vec<String>) {
        let (preferences, problems) = parse(text, "config.toml", &["sepia".to_owned()]);
        let values = KEYS.iter().zip(preferences.values()).filter_map(|(key, value)| Some(format!("{key}={}", value?)));
        let problem = |it: Diagnostic| {
            let place = [it.line, it.column].map(|number| number.unwrap_or(0).to_string()).join(":");
            format!("{:?} {place} {}; {}", it.severity, it.message, it.fix)
        };
        (values.collect(), problems.into_iter().map(problem).collect())
    }

    #[test]
    fn each_key_is_read_on_its_own() {
        for (text, values, problems) in [
            ("", &[][..], &[][..]),
            ("\u{feff}# mine\r\ntheme = 'light'\r\n", &["theme=light"], &[]),
            (
                "color = \"never\"\ntheme = \"contrast\"\ncharacters = \"ascii\"\neditor = \"hx -v\"\nlog = \"debug\"",
                &["color=never", "theme=contrast", "characters=ascii", "editor=hx -v", "log=debug"],
                &[],
            ),
            ("theme = \"sepia\"", &["theme=sepia"], &[]),
            ("color = \"auto\"\ntheme = \"auto\"\ncharacters = \"auto\"", &[], &[]),
            (
                "colour = \"never\"\nlog = \"info\"",
                &["log=info"],
                &["Warning 1:1 there is no key 'colour'; did you mean 'color'?"],
            ),
            (
                "\nshoe = 1\n[theme]\nx = 1",
                &[],
                &[
                    "Warning 2:1 there is no key 'shoe'; use color, theme, characters, editor or log",
                    "Error 3:1 'theme' must be a string, not a table; put it in quotation marks",
                ],
            ),
            (
                "theme = \"drak\"\neditor = \" \"\nlog = true\ncolor = \"blue\"",
                &[],
                &[
                    "Error 1:9 'theme' cannot be 'drak'; did you mean 'dark'?",
                    "Error 2:10 'editor' is empty; give it a value, or leave it out",
                    "Error 3:7 'log' must be a string, not true or false; put it in quotation marks",
                    "Error 4:9 'color' cannot be 'blue'; use auto, always or never",
                ],
            ),
        ] {
            let expected = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
            assert_eq!(reported(text), (expected(values), expected(problems)), "{text}");
        }
    }

    #[test]
    fn a_mistyped_level_of_the_log_is_a_problem() {
        let values = "use off, error, warn, info, debug or trace";
        for (log, wrong) in [
            ("debgu", Some(("debgu", "did you mean 'debug'?"))),
            ("refdesk=debgu", Some(("debgu", "did you mean 'debug'?"))),
            ("info,verbose", Some(("verbose", values))),
            ("refdesk=info=debug", Some(("info=debug", values))),
            ("refdesk=", Some(("", values))),
            ("9", Some(("9", values))),
            ("info,", Some(("", values))),
            ("DEBUG", None),
            ("3", None),
            ("Debug", Some(("Debug", "did you mean 'debug'?"))),
            ("off", None),
            ("refdesk=info, warn", None),
            ("refdesk_index", None),
            ("hyper=trace,refdesk::cli=debug", None),
        ] {
            let (values, problems) = reported(&format!("log = \"{log}\""));
            let expected = wrong.map(|(word, fix)| format!("Error 1:7 'log' cannot be '{word}'; {fix}"));
            assert_eq!(problems, Vec::from_iter(expected), "{log}");
            assert_eq!(values.len(), usize::from(wrong.is_none()), "{log}");
        }
    }

    #[test]
    fn a_file_that_is_not_toml_is_one_problem_with_its_place() {
        for (text, place) in [("theme = \"dark\"\ncolor never\n", "Error 2:7 not TOML"), ("[", "Error 1:2 not TOML")] {
            let (values, problems) = reported(text);
            assert!(values.is_empty() && problems.len() == 1 && problems[0].starts_with(place), "{problems:?}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_is_a_problem_and_none_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("refdesk/config.toml");
        assert_eq!(file(Some(folder.path())).as_deref(), Some(&*path));
        assert_eq!(read(&path, &[]), (Preferences::default(), Vec::new()));
        for bytes in [b"theme = '\xff'".to_vec(), vec![b'#'; 70_000]] {
            refdesk_files::write_atomic(&path, &bytes).unwrap();
            assert_eq!(read(&path, &[]).1.len(), 1);
        }
        assert_eq!(read(folder.path(), &[]).1.len(), 1, "a folder");
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC*") {
            let _ = parse(&text, "config.toml", &[]);
        }

        #[test]
        fn any_value_of_a_key_is_read(at in 0..KEYS.len(), value in "[\"'\\[\\]{}=a-z0-9 \\n.-]{0,12}") {
            let _ = parse(&format!("{} = {value}", KEYS[at]), "config.toml", &[]);
        }
    }
}
