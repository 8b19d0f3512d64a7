//! The difference between what a file holds and what it would hold, as unified lines for people and a summary.

use similar::{ChangeTag, TextDiff};

/// Lines of context around a change.
const CONTEXT: usize = 3;

/// A unified diff.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Diff {
    /// Lines that would come.
    pub added: usize,
    /// Lines that would go.
    pub removed: usize,
    /// Its lines; none where nothing would change.
    pub lines: Vec<Line>,
}

/// One line of a diff.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub mark: Mark,
    /// Its text without mark and line break.
    pub text: String,
}

/// What a line of a diff is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// `---`, `+++`: which files are compared.
    Header,
    /// `@@ -1,3 +1,4 @@`.
    Hunk,
    /// In both.
    Same,
    /// Only in the new text.
    Added,
    /// Only in the old text.
    Removed,
}

impl Diff {
    /// From the old text (`None`: there is no file) to the new one.
    pub fn new(shown: &str, old: Option<&str>, new: &str) -> Self {
        let compared = TextDiff::from_lines(old.unwrap_or_default(), new);
        let mut diff = Self::default();
        for group in compared.grouped_ops(CONTEXT) {
            if diff.lines.is_empty() {
                let from = old.map_or_else(|| "/dev/null".to_owned(), |_| format!("a/{shown}"));
                diff.push(Mark::Header, &format!("--- {from}"));
                diff.push(Mark::Header, &format!("+++ b/{shown}"));
            }
            diff.push(Mark::Hunk, &similar::udiff::UnifiedHunkHeader::new(&group).to_string());
            for change in group.iter().flat_map(|op| compared.iter_changes(op)) {
                let mark = match change.tag() {
                    ChangeTag::Equal => Mark::Same,
                    ChangeTag::Insert => Mark::Added,
                    ChangeTag::Delete => Mark::Removed,
                };
                diff.added += usize::from(mark == Mark::Added);
                diff.removed += usize::from(mark == Mark::Removed);
                diff.push(mark, change.value());
            }
        }
        diff
    }

    fn push(&mut self, mark: Mark, text: &str) {
        self.lines.push(Line { mark, text: text.trim_end_matches(['\n', '\r']).to_owned() });
    }

    /// `+3 −1`.
    pub fn summary(&self) -> String {
        format!("+{} −{}", self.added, self.removed)
    }
}
