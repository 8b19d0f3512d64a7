//! The characters that the screen is drawn with: marks, tree lines, borders. Two sets, one for terminals that show Unicode
//! and one in ASCII for locales that do not. A mark carries the meaning; its colour only repeats it.

use ratatui::symbols::border;

/// What a source is to the desk, as one mark in front of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Mark {
    /// Picked by a person or an agent.
    Picked,
    /// Pulled in by something selected.
    Transitive,
    /// Neither chosen nor barred.
    Available,
    /// Its path is nowhere.
    Missing,
    /// Always in the instructions.
    Auto,
    /// Barred from being pulled in.
    Excluded,
    /// Picked, and gone from the catalog.
    Dormant,
}

impl Mark {
    /// Every mark with the word for it, for the legend of the help.
    pub const ALL: [(Self, &'static str); 7] = [
        (Self::Picked, "picked"),
        (Self::Transitive, "pulled in"),
        (Self::Available, "available"),
        (Self::Missing, "missing"),
        (Self::Auto, "auto: always in the instructions"),
        (Self::Excluded, "excluded"),
        (Self::Dormant, "dormant: picked, gone from the catalog"),
    ];
}

/// One set of characters; each is one column wide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Glyphs {
    marks: [&'static str; 7],
    pub ellipsis: &'static str,
    pub dot: &'static str,
    pub dash: &'static str,
    pub cursor: &'static str,
    pub rest: &'static str,
    pub problem: &'static str,
    pub bar: &'static str,
    pub tee: &'static str,
    pub corner: &'static str,
    pub rule: &'static str,
    pub column: &'static str,
    pub rule_left: &'static str,
    pub rule_right: &'static str,
    pub thumb: &'static str,
    pub plain: border::Set<'static>,
    pub focused: border::Set<'static>,
}

impl Glyphs {
    /// For terminals that show Unicode.
    pub const UNICODE: Self = Self {
        marks: ["●", "◐", "○", "✕", "◆", "⊘", "◌"],
        ellipsis: "…",
        dot: "·",
        dash: "–",
        cursor: "▌",
        rest: "▏",
        problem: "!",
        bar: "│ ",
        tee: "├╴",
        corner: "└╴",
        rule: "─",
        column: "│",
        rule_left: "├",
        rule_right: "┤",
        thumb: "█",
        plain: border::ROUNDED,
        focused: border::THICK,
    };

    /// For everything else.
    pub const ASCII: Self = Self {
        marks: ["*", "+", "o", "x", "A", "-", "?"],
        ellipsis: "~",
        dot: "-",
        dash: "-",
        cursor: ">",
        rest: " ",
        problem: "!",
        bar: "| ",
        tee: "|-",
        corner: "`-",
        rule: "-",
        column: "|",
        rule_left: "+",
        rule_right: "+",
        thumb: "#",
        plain: border::Set {
            top_left: "+",
            top_right: "+",
            bottom_left: "+",
            bottom_right: "+",
            vertical_left: "|",
            vertical_right: "|",
            horizontal_top: "-",
            horizontal_bottom: "-",
        },
        focused: border::Set {
            top_left: "#",
            top_right: "#",
            bottom_left: "#",
            bottom_right: "#",
            vertical_left: "#",
            vertical_right: "#",
            horizontal_top: "=",
            horizontal_bottom: "=",
        },
    };

    /// The set for a locale, given as the value of `LC_ALL`, `LC_CTYPE` or `LANG`; none set counts as Unicode, since
    /// containers and services rarely set one and their terminals show it.
    pub fn for_locale(locale: Option<&str>) -> Self {
        let folded = locale.unwrap_or_default().to_ascii_lowercase();
        if folded.is_empty() || folded.contains("utf-8") || folded.contains("utf8") {
            Self::UNICODE
        } else {
            Self::ASCII
        }
    }

    /// The character of a mark.
    pub fn mark(&self, mark: Mark) -> &'static str {
        let at = Mark::ALL.iter().position(|(known, _)| *known == mark);
        at.and_then(|at| self.marks.get(at)).copied().unwrap_or(" ")
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn each_is_one_column_wide_and_the_ascii_set_is_ascii() {
        for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
            for (mark, word) in Mark::ALL {
                assert_eq!(glyphs.mark(mark).width(), 1, "{word}");
            }
            assert_eq!((glyphs.tee.width(), glyphs.corner.width(), glyphs.bar.width()), (2, 2, 2));
        }
        assert!(Mark::ALL.iter().all(|(mark, _)| Glyphs::ASCII.mark(*mark).is_ascii()));
    }

    #[test]
    fn locales() {
        for (locale, glyphs) in [
            (None, Glyphs::UNICODE),
            (Some("en_US.UTF-8"), Glyphs::UNICODE),
            (Some("C.utf8"), Glyphs::UNICODE),
            (Some("C"), Glyphs::ASCII),
            (Some("de_DE.ISO-8859-1"), Glyphs::ASCII),
        ] {
            assert_eq!(Glyphs::for_locale(locale), glyphs, "{locale:?}");
        }
    }
}
