//! Patterns over `schema.table` and `schema.table.column`: `*` matches any characters, `?` one, and case is ignored.

use globset::{GlobBuilder, GlobMatcher};

/// The maximum number of characters in a pattern: the time to match a name grows with the square of the pattern's
/// length.
pub(crate) const PATTERN_CHARACTERS: usize = 256;

/// A pattern.
#[derive(Debug, Clone)]
pub struct NamePattern {
    /// As written.
    pub text: String,
    /// The line of the configuration that it is in, from 1; 0 if it is in none.
    pub line: usize,
    matcher: GlobMatcher,
}

impl NamePattern {
    /// Compiles a pattern.
    ///
    /// # Errors
    /// It is invalid; the text explains why.
    pub fn new(text: &str) -> Result<Self, String> {
        if text.chars().count() > PATTERN_CHARACTERS {
            return Err(format!("it has more than {PATTERN_CHARACTERS} characters"));
        }
        let plain = without_repeated_stars(text);
        let mut glob = GlobBuilder::new(&plain);
        glob.case_insensitive(true).literal_separator(false).backslash_escape(true).empty_alternates(true);
        let glob = glob.build().map_err(|error| error.kind().to_string())?;
        Ok(Self { text: text.to_owned(), line: 0, matcher: glob.compile_matcher() })
    }

    pub(crate) fn at_line(self, line: usize) -> Self {
        Self { line, ..self }
    }

    /// Whether it matches `schema.table` or just the table's name.
    pub fn matches_table(&self, schema: &str, table: &str) -> bool {
        self.matcher.is_match(format!("{schema}.{table}")) || (!self.text.contains('.') && self.matcher.is_match(table))
    }

    /// Whether it matches `schema.table.column` or `table.column`.
    pub fn matches_column(&self, schema: &str, table: &str, column: &str) -> bool {
        self.matcher.is_match(format!("{schema}.{table}.{column}"))
            || (self.text.matches('.').count() < 2 && self.matcher.is_match(format!("{table}.{column}")))
    }
}

/// The pattern with consecutive `*` merged into one, which means the same; `\*` is a literal character.
fn without_repeated_stars(text: &str) -> String {
    let mut plain = String::new();
    let (mut is_escaped, mut was_star) = (false, false);
    for c in text.chars() {
        let is_star = c == '*' && !is_escaped;
        if !(is_star && was_star) {
            plain.push(c);
        }
        is_escaped = c == '\\' && !is_escaped;
        was_star = is_star;
    }
    plain
}

impl PartialEq for NamePattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for NamePattern {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_columns_are_matched() {
        for (glob, table, column) in [
            ("*", true, true),
            ("sales.*", true, true),
            ("Sales.Order", true, false),
            ("order", true, false),
            ("*_backup", false, false),
            ("sales.order.status", false, true),
            ("*.*.status", false, true),
            ("order.status", false, true),
            ("stock.*", false, false),
            ("***", true, true),
            ("sa**.o**r", true, false),
            ("order**\\*", false, false),
        ] {
            let pattern = NamePattern::new(glob).unwrap();
            assert_eq!(pattern.matches_table("sales", "order"), table, "{glob}");
            assert_eq!(pattern.matches_column("sales", "order", "status"), column, "{glob}");
        }
        assert!(NamePattern::new("[").is_err());
        assert!(NamePattern::new("a\\**").unwrap().matches_table("s", "a*b"));
        for (count, is_pattern) in [(PATTERN_CHARACTERS / 2, true), (PATTERN_CHARACTERS / 2 + 1, false), (3_000, false)]
        {
            assert_eq!(NamePattern::new(&"*ä".repeat(count)).is_ok(), is_pattern, "{count}");
        }
    }
}
