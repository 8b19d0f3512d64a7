//! The characters used to draw the screen: marks, tree lines, borders. There are two sets, one in Unicode and
//! one in ASCII for locales without it. The mark carries the meaning; its colour only repeats it.

use std::borrow::Cow;

use ratatui::symbols::border;

use refdesk_core::selection::SelectionState;
use refdesk_desk::AgentPresence;

/// One set of characters. Each is one column wide, except the ASCII ellipsis, because `~` means "about",
/// and the ASCII line break.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyphs {
    unicode: bool,
    pub ellipsis: &'static str,
    /// `ellipsis` reduced to one column.
    pub deep: &'static str,
    /// A line break in a text that is shown in one row.
    pub line_break: &'static str,
    pub dot: &'static str,
    pub dash: &'static str,
    pub times: &'static str,
    pub cursor: &'static str,
    pub rest: &'static str,
    pub problem: &'static str,
    pub bar: &'static str,
    pub tee: &'static str,
    pub corner: &'static str,
    pub rule: &'static str,
    pub column: &'static str,
    pub thumb: &'static str,
    pub full: &'static str,
    pub empty: &'static str,
    pub bar_left: &'static str,
    pub bar_right: &'static str,
    pub sorted: &'static str,
    pub folded: &'static str,
    pub documented: &'static str,
    pub undocumented: &'static str,
    pub stale: &'static str,
    /// Surrounds code in a sentence; empty where colour already marks it.
    pub tick: &'static str,
    pub cycle: &'static str,
    /// Bars from the lowest to the highest.
    pub levels: [&'static str; 8],
    pub plain: border::Set<'static>,
    pub focused: border::Set<'static>,
}

impl Default for Glyphs {
    fn default() -> Self {
        Self::ASCII
    }
}

impl Glyphs {
    pub const UNICODE: Self = Self {
        unicode: true,
        ellipsis: "…",
        deep: "…",
        line_break: "⏎",
        dot: "·",
        dash: "–",
        times: "×",
        cursor: "▌",
        rest: "▏",
        problem: "!",
        bar: "│ ",
        tee: "├╴",
        corner: "└╴",
        rule: "─",
        column: "│",
        thumb: "█",
        full: "█",
        empty: "░",
        bar_left: "▕",
        bar_right: "▏",
        sorted: "▾",
        folded: "▸",
        documented: "■",
        undocumented: "□",
        stale: "◧",
        tick: "",
        cycle: "↻",
        levels: ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"],
        plain: border::ROUNDED,
        focused: border::THICK,
    };

    /// For terminals and locales without Unicode.
    pub const ASCII: Self = Self {
        unicode: false,
        ellipsis: "..",
        deep: ".",
        line_break: "\\n",
        dot: "-",
        dash: "-",
        times: "x",
        cursor: ">",
        rest: ":",
        problem: "!",
        bar: "| ",
        tee: "|-",
        corner: "`-",
        rule: "-",
        column: "|",
        thumb: "=",
        full: "#",
        empty: ".",
        bar_left: "[",
        bar_right: "]",
        sorted: "v",
        folded: ">",
        documented: "#",
        undocumented: ".",
        stale: "%",
        tick: "",
        cycle: "@",
        levels: ["_", ".", ":", "-", "=", "+", "*", "#"],
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

    /// The set for a locale, given as the value of `LC_ALL`, `LC_CTYPE` or `LANG`. No value counts as
    /// Unicode: containers and services rarely set one, and their terminals usually support it.
    pub fn for_locale(locale: Option<&str>) -> Self {
        let folded = locale.unwrap_or_default().to_ascii_lowercase();
        if folded.is_empty() || folded.contains("utf-8") || folded.contains("utf8") {
            Self::UNICODE
        } else {
            Self::ASCII
        }
    }

    /// The same set for a terminal without colours, where emphasized words rely on italics, if available.
    pub fn without_colours(self) -> Self {
        Self { tick: "`", ..self }
    }

    /// Replaces characters in built-in text with those of this set, such as sample quotes or the minus sign of a diff.
    pub fn own<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.unicode || text.is_ascii() {
            return Cow::Borrowed(text);
        }
        let plain = |c| match c {
            '‹' => '<',
            '›' => '>',
            '−' => '-',
            c => c,
        };
        Cow::Owned(text.chars().map(plain).collect())
    }

    /// The tree lines in front of a row at this level. Bit `n` of `open` is set if the branch at level `n`
    /// continues below the row.
    pub fn branch(&self, level: usize, open: u32) -> String {
        let goes_on = |level: usize| open & (1 << level.min(31)) != 0;
        let mut lines = String::new();
        for level in 0..level.saturating_sub(1) {
            lines.push_str(if goes_on(level) { self.bar } else { "  " });
        }
        if let Some(own) = level.checked_sub(1) {
            lines.push_str(if goes_on(own) { self.tee } else { self.corner });
        }
        lines
    }

    /// The mark for whether a session's agent is connected.
    pub fn presence(&self, presence: AgentPresence) -> &'static str {
        match presence {
            AgentPresence::Connected => self.mark(SelectionState::Picked),
            AgentPresence::Recent => self.mark(SelectionState::Available),
            AgentPresence::Past => "",
        }
    }

    pub fn mark(&self, state: SelectionState) -> &'static str {
        if self.unicode { state.mark() } else { state.ascii_mark() }
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn each_glyph_is_one_column_wide_and_the_ascii_set_is_ascii() {
        for glyphs in [Glyphs::UNICODE, Glyphs::ASCII] {
            for state in SelectionState::ALL {
                assert_eq!(glyphs.mark(state).width(), 1, "{state:?}");
            }
            let borders = [glyphs.plain.vertical_right, glyphs.focused.vertical_right];
            assert!(!borders.contains(&glyphs.thumb), "a scrollbar is visible on every border");
            assert_eq!((glyphs.cycle.width(), glyphs.deep.width(), glyphs.rest.width()), (1, 1, 1));
            assert_eq!((glyphs.tee.width(), glyphs.corner.width(), glyphs.bar.width()), (2, 2, 2));
        }
        let ascii = Glyphs::ASCII;
        assert!(![ascii.ellipsis, ascii.rest].iter().any(|glyph| ["~", ascii.plain.vertical_left].contains(glyph)));
        assert!(SelectionState::ALL.iter().all(|state| Glyphs::ASCII.mark(*state).is_ascii()));
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
