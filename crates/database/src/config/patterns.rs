//! Reads the patterns of a database, up to a limit.

use super::fields::YamlFields;
use crate::names::globs::{NamePattern, PATTERN_CHARACTERS};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The maximum number of patterns per database, and of characters in all of them.
pub(super) const PATTERNS: usize = 4_000;
const ALL_PATTERN_CHARACTERS: usize = 64 * 1024;

/// How many more patterns a database may have.
pub(super) struct PatternBudget {
    count: usize,
    characters: usize,
    is_told: bool,
}

impl PatternBudget {
    pub(super) fn new() -> Self {
        Self { count: PATTERNS, characters: ALL_PATTERN_CHARACTERS, is_told: false }
    }

    fn take(&mut self, text: &str) -> bool {
        let left = self.count.checked_sub(1).zip(self.characters.checked_sub(text.chars().count()));
        (self.count, self.characters) = left.unwrap_or((0, 0));
        left.is_some()
    }
}

pub(super) fn patterns(fields: &mut YamlFields<'_, '_>, key: &str, left: &mut PatternBudget) -> Vec<NamePattern> {
    let mut patterns = Vec::new();
    for (text, node) in fields.texts(key) {
        if text.chars().count() > PATTERN_CHARACTERS {
            let message = format!("a pattern of '{key}' has more than {PATTERN_CHARACTERS} characters");
            fields.report(node, Diagnostic::error(Code::BadGlob, message).fix("shorten it, or write several"));
            continue;
        }
        if !left.take(&text) {
            if !std::mem::replace(&mut left.is_told, true) {
                let message = format!(
                    "the database has more than {PATTERNS} patterns, or more than {ALL_PATTERN_CHARACTERS} characters in them"
                );
                let problem = Diagnostic::error(Code::TooMany, message);
                fields.report(node, problem.fix("use fewer patterns that match more, with '*'"));
            }
            break;
        }
        match NamePattern::new(&text) {
            Ok(pattern) => patterns.push(pattern.at_line(node.line)),
            Err(error) => {
                let problem = Diagnostic::error(Code::BadGlob, format!("'{text}' is not a pattern: {error}"));
                fields.report(node, problem);
            }
        }
    }
    patterns
}
