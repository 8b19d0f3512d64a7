//! YAML that others wrote: read within limits, so that neither aliases nor nesting exhaust the reader, and with problems in words
//! for the person who wrote it.

use serde::de::DeserializeOwned;

/// What an entry means whose key stands twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatedKeys {
    /// The first one counts.
    FirstWins,
    /// The text is refused.
    Refused,
}

/// Why a text is not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlProblem {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong, without the place.
    pub message: String,
}

/// Reads a text of at most `items` values and events.
///
/// # Errors
/// It is not YAML, does not have the wanted shape, or exceeds a limit.
pub fn read<T: DeserializeOwned>(text: &str, items: usize, repeated: RepeatedKeys) -> Result<T, YamlProblem> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: items,
            max_nodes: items,
            max_depth: 64,
            max_aliases: 200,
            max_anchors: 200,
        },
        duplicate_keys: match repeated {
            RepeatedKeys::FirstWins => serde_saphyr::DuplicateKeyPolicy::FirstWins,
            RepeatedKeys::Refused => serde_saphyr::DuplicateKeyPolicy::Error,
        },
        strict_booleans: true,
        leading_zero_numbers_as_strings: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options::<T>(text, options).map_err(|error| {
        let place = error.location().map(|location| (location.line(), location.column()));
        let number = |value: Option<u64>| value.and_then(|value| usize::try_from(value).ok()).unwrap_or(1);
        YamlProblem {
            line: number(place.map(|(line, _)| line)),
            column: number(place.map(|(_, column)| column)),
            message: in_plain_words(&error.to_string()),
        }
    })
}

/// The parser's message without its positions and its advice for programmers.
fn in_plain_words(message: &str) -> String {
    let line = message.lines().next().unwrap_or_default();
    if line.contains("budget breached") {
        return "it is nested too deeply, has too many aliases, or is too large".to_owned();
    }
    if line.contains("multiple") {
        return "it has more than one document".to_owned();
    }
    let end = [" at line ", " (defined at", " (first ", ", set "].iter().filter_map(|mark| line.find(mark)).min();
    line.get(..end.unwrap_or(line.len())).unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn values_stay_as_they_are_written() {
        for (text, expected) in [
            ("a: 007", json!({"a": "007"})),
            ("a: yes", json!({"a": "yes"})),
            ("a: true", json!({"a": true})),
            ("a: 1\na: 2", json!({"a": 1})),
        ] {
            assert_eq!(read::<Value>(text, 100, RepeatedKeys::FirstWins), Ok(expected), "{text}");
        }
    }

    #[test]
    fn problems_are_in_words_for_people() {
        let many = format!("[{}]", "x, ".repeat(200));
        for (text, repeated, line, words) in [
            ("a: [b\n", RepeatedKeys::FirstWins, 1, "unclosed bracket"),
            ("a: 1\na: 2\n", RepeatedKeys::Refused, 2, "duplicate"),
            ("a: 1\n---\nb: 2\n", RepeatedKeys::FirstWins, 3, "it has more than one document"),
            (&many, RepeatedKeys::FirstWins, 1, "it is nested too deeply, has too many aliases, or is too large"),
        ] {
            let problem = read::<Value>(text, 100, repeated).unwrap_err();
            assert!(problem.message.contains(words), "{problem:?}");
            assert_eq!(problem.line, line, "{problem:?}");
            for internal in ["budget", "Policy", "from_str", "Options", " at line "] {
                assert!(!problem.message.contains(internal), "{problem:?}");
            }
        }
    }
}
