//! Parses a theme: a style for each role. An invalid entry is reported with its position, and its role keeps
//! the inherited style.

use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::tui::theme::ThemeRole;
use crate::tui::theme::palette::SIXTEEN;
use refdesk_text::Code;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::{Diagnostic, Position};

/// The names of the sixteen colours, to suggest one.
fn colours() -> Vec<String> {
    SIXTEEN.iter().map(|(colour, _)| *colour).chain([Color::Reset]).map(|it| it.to_string().to_lowercase()).collect()
}

const ATTRIBUTES: [(&str, Modifier); 5] = [
    ("bold", Modifier::BOLD),
    ("dim", Modifier::DIM),
    ("italic", Modifier::ITALIC),
    ("underline", Modifier::UNDERLINED),
    ("reverse", Modifier::REVERSED),
];

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ThemeFile {
    /// The theme that it inherits from.
    pub inherits: Option<String>,
    /// The position of that entry in the text.
    pub inherits_at: Option<Position>,
    pub styles: Vec<(ThemeRole, Style)>,
}

/// Parses the theme in this text, and returns its problems; `shown` is the file name used in them.
pub fn read(text: &str, shown: &str) -> (ThemeFile, Vec<Diagnostic>) {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = ThemeReader { text, shown, problems: Vec::new() };
    let mut theme = ThemeFile::default();
    let document = match DeTable::parse(text) {
        Ok(document) => document,
        Err(error) => {
            let problem = Diagnostic::error(Code::NotToml, format!("not TOML: {}", error.message()));
            let at = error.span().map_or(0, |span| span.start);
            reader.report(problem.fix("write a line for each role, as in: hints = { fg = \"#ff8700\" }"), at);
            return (theme, reader.problems);
        }
    };
    for (name, value) in document.get_ref() {
        let (word, at) = (name.get_ref().as_ref(), name.span().start);
        let role = ThemeRole::from_word(word);
        match (role, word, value.get_ref()) {
            (Some(role), _, DeValue::Table(table)) => theme.styles.push((role, reader.style(table))),
            (Some(_), ..) => {
                let problem = Diagnostic::error(Code::WrongType, format!("'{word}' is a style"));
                reader.report(problem.fix(format!("write {word} = {{ fg = \"green\", bold = true }}")), at);
            }
            (None, "inherits", DeValue::String(other)) => {
                theme.inherits = Some(other.to_string());
                theme.inherits_at = Some(Position::of(text, value.span().start));
            }
            (None, "inherits", _) => {
                let problem = Diagnostic::error(Code::WrongType, "'inherits' names a theme");
                reader.report(problem.fix("write inherits = \"dark\""), at);
            }
            (None, "$schema", _) => {}
            (None, ..) => {
                let known = ThemeRole::ALL.into_iter().map(ThemeRole::word).chain(["inherits"]);
                let all = || format!("roles are {}", ThemeRole::ALL.map(ThemeRole::word).join(", "));
                let problem = Diagnostic::warning(Code::UnknownKey, format!("there is no role '{word}'"));
                reader.report(problem.fix(did_you_mean(word, known).unwrap_or_else(all)), at);
            }
        }
    }
    reader.problems.sort_by_key(|problem| (problem.line, problem.column));
    (theme, reader.problems)
}

struct ThemeReader<'a> {
    text: &'a str,
    shown: &'a str,
    problems: Vec<Diagnostic>,
}

impl ThemeReader<'_> {
    fn report(&mut self, problem: Diagnostic, at: usize) {
        self.problems.push(problem.in_file(self.shown).at(Position::of(self.text, at)));
    }

    fn style(&mut self, table: &DeTable<'_>) -> Style {
        let mut style = Style::new();
        for (name, value) in table {
            let word = name.get_ref().as_ref();
            let attribute = ATTRIBUTES.iter().find(|(known, _)| *known == word);
            match (word, attribute, value.get_ref()) {
                ("fg", ..) => style.fg = self.colour(value),
                ("bg", ..) => style.bg = self.colour(value),
                (_, Some((_, modifier)), DeValue::Boolean(true)) => style = style.add_modifier(*modifier),
                (_, Some(_), DeValue::Boolean(false)) => {}
                (_, Some(_), _) => {
                    let problem = Diagnostic::error(Code::WrongType, format!("'{word}' must be true or false"));
                    self.report(problem.fix(format!("write {word} = true")), value.span().start);
                }
                (_, None, _) => {
                    let known: Vec<&str> = ["fg", "bg"].into_iter().chain(ATTRIBUTES.map(|(known, _)| known)).collect();
                    let fix = did_you_mean(word, known.iter().copied());
                    let fix = fix.unwrap_or_else(|| format!("a style has {}", known.join(", ")));
                    let problem = Diagnostic::warning(Code::UnknownKey, format!("a style has no '{word}'"));
                    self.report(problem.fix(fix), name.span().start);
                }
            }
        }
        style
    }

    fn colour(&mut self, value: &Spanned<DeValue<'_>>) -> Option<Color> {
        let DeValue::String(text) = value.get_ref() else {
            let problem = Diagnostic::error(Code::WrongType, "a colour must be a string");
            self.report(problem.fix("put it in quotation marks, as in \"#ff8700\" or \"208\""), value.span().start);
            return None;
        };
        let colour = Color::from_str(text).ok();
        if colour.is_none() {
            let problem = Diagnostic::error(Code::UnknownValue, format!("'{text}' is not a colour"));
            let looks = "a colour is one of the sixteen by name, a number up to 255, or \"#rrggbb\"";
            let fix = did_you_mean(text, colours().iter().map(String::as_str)).unwrap_or_else(|| looks.to_owned());
            self.report(problem.fix(fix), value.span().start);
        }
        colour
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn problems(text: &str) -> Vec<String> {
        let printed = |it: Diagnostic| {
            let place = [it.line, it.column].map(|number| number.unwrap_or(0).to_string()).join(":");
            format!("{:?} {place} {}; {}", it.severity, it.message, it.fix)
        };
        read(text, "sepia.toml").1.into_iter().map(printed).collect()
    }

    #[test]
    fn problems_say_where_and_what_to_do() {
        for (text, expected) in [
            ("", &[][..]),
            (
                "inherits = \"light\"\ntext = {}\nhints = { fg = \"#ff8700\", bg = \"16\", bold = true, dim = false }",
                &[],
            ),
            ("[hints]\nfg = \"red\"", &[]),
            ("hint = {}", &["Warning 1:1 there is no role 'hint'; did you mean 'hints'?"]),
            ("hints = \"red\"", &["Error 1:1 'hints' is a style; write hints = { fg = \"green\", bold = true }"]),
            (
                "hints = { fg = \"lightred\", bald = true }",
                &["Warning 1:28 a style has no 'bald'; did you mean 'bold'?"],
            ),
            (
                "hints = { fg = 208, bg = \"gren\" }\nerror = { fg = \"mauve\", bold = 1 }",
                &[
                    "Error 1:16 a colour must be a string; put it in quotation marks, as in \"#ff8700\" or \"208\"",
                    "Error 1:26 'gren' is not a colour; did you mean 'green'?",
                    "Error 2:16 'mauve' is not a colour; a colour is one of the sixteen by name, a number up to 255, or \
                     \"#rrggbb\"",
                    "Error 2:32 'bold' must be true or false; write bold = true",
                ],
            ),
            ("inherits = 3", &["Error 1:1 'inherits' names a theme; write inherits = \"dark\""]),
        ] {
            assert_eq!(problems(text), expected, "{text}");
        }
        let broken = problems("hints = {\n");
        assert!(matches!(broken.as_slice(), [one] if one.starts_with("Error 1:")), "{broken:?}");
        assert!(colours().iter().all(|name| Color::from_str(name).is_ok()));
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC*", value in "[\"'\\[\\]{}=a-z0-9# ,.-]{0,16}") {
            let _ = read(&text, "sepia.toml");
            let _ = read(&format!("hints = {value}"), "sepia.toml");
            let _ = read(&format!("hints = {{ fg = {value} }}"), "sepia.toml");
        }
    }
}
