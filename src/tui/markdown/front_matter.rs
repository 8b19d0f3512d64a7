//! The front matter of a document: YAML between two `---` lines at the very start, shown as one line that can
//! be unfolded.

use crate::tui::widgets::cells;

/// Whether the front matter is shown as one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FrontMatterFold {
    #[default]
    Folded,
    Unfolded,
}

impl FrontMatterFold {
    pub fn toggled(self) -> Self {
        match self {
            Self::Folded => Self::Unfolded,
            Self::Unfolded => Self::Folded,
        }
    }
}

/// The maximum number of lines. Without an end mark within them, the `---` is an ordinary rule.
const LONGEST: usize = 500;

/// The lines between the marks, and the offset of the text after them.
pub fn split(text: &str) -> Option<(&str, usize)> {
    let begin = text.strip_prefix("---")?;
    let (first, _) = begin.split_once('\n')?;
    if !first.trim_end().is_empty() {
        return None;
    }
    let start = text.find('\n')? + 1;
    let mut at = start;
    for line in text.get(start..)?.split_inclusive('\n').take(LONGEST) {
        if matches!(line.trim_end(), "---" | "...") {
            let inside = text.get(start..at)?;
            // Without a key, it is text between two rules.
            return inside.contains(':').then_some((inside, at + line.len()));
        }
        at += line.len();
    }
    None
}

/// The folded line: the number of lines, and their keys.
pub fn summary(inside: &str, dot: &str) -> String {
    let keys = inside.lines().filter_map(|line| {
        let (key, _) = line.split_once(':')?;
        (!key.is_empty() && !key.contains([' ', '#', '\t', '"', '-'])).then_some(key)
    });
    let keys: Vec<&str> = keys.collect();
    let lines = cells::counted(inside.lines().count(), "line");
    if keys.is_empty() {
        return format!("front matter {dot} {lines}");
    }
    format!("front matter {dot} {lines} {dot} {}", keys.join(", "))
}

#[test]
fn front_matter_is_at_the_beginning_and_has_an_end() {
    for (text, expected) in [
        ("---\nid: a\n---\n# A", Some(("id: a\n", 14))),
        ("---\r\nid: a\r\n...\r\nA", Some(("id: a\r\n", 17))),
        ("---\nid: a\n---", Some(("id: a\n", 13))),
        ("---\nid: a\n", None),
        ("---\ntext\n---\n", None),
        ("----\nid: a\n---\n", None),
        ("\n---\nid: a\n---\n", None),
        ("---", None),
        ("", None),
    ] {
        assert_eq!(split(text), expected, "{text:?}");
    }
    assert_eq!(summary("id: a\ntags: [x]\n  no: b\n", "·"), "front matter · 3 lines · id, tags");
    assert_eq!(summary("- a: b\n", "·"), "front matter · 1 line");
}
