//! Lines of a settings file in a line-oriented format: TOML or YAML.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its first byte.
    pub start: usize,
    /// The byte after its last one, before the line break.
    pub end: usize,
    /// The byte after the line break.
    pub next: usize,
    /// Its text without the line break.
    pub text: &'a str,
}

impl Line<'_> {
    /// Whether it has neither settings nor a comment.
    pub(crate) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub(super) fn has_settings(&self) -> bool {
        !self.is_blank() && !self.text.trim_start().starts_with('#')
    }

    /// The number of leading spaces.
    pub(crate) fn indent(&self) -> usize {
        self.text.len() - self.text.trim_start_matches(' ').len()
    }
}

pub(crate) fn lines(text: &str) -> Vec<Line<'_>> {
    let mut next = 0;
    text.split_inclusive('\n')
        .map(|whole| {
            let bare = whole.strip_suffix('\n').unwrap_or(whole);
            let text = bare.strip_suffix('\r').unwrap_or(bare);
            let start = next;
            next += whole.len();
            Line { start, end: start + text.len(), next, text }
        })
        .collect()
}

/// The text without this range of lines, inclusive.
pub(crate) fn without(text: &str, from: &Line<'_>, to: &Line<'_>) -> String {
    format!("{}{}", text.get(..from.start).unwrap_or_default(), text.get(to.next..).unwrap_or_default())
}
