//! Reads the `id` from the YAML between `---` lines at the top of a document. Invalid YAML is reported and gives no id.
//! Aliases and nesting cannot exhaust memory or stack.

use serde::Deserialize;

use refdesk_text::lines::front_matter;
use refdesk_text::yaml::{RepeatedKeys, YamlProblem, read as read_yaml};

const FENCE: &str = "---";

/// The most bytes of front matter that are read.
const LIMIT: usize = 64 * 1024;

/// The most values in it.
const VALUES: usize = 20_000;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    /// `id`, as written.
    pub id: Option<String>,
    /// The byte at which the markdown begins.
    pub end: usize,
    /// A problem, with its line in the document.
    pub problem: Option<(usize, String)>,
}

#[derive(Deserialize)]
struct FrontMatterFields {
    #[serde(default)]
    id: Option<String>,
}

/// Reads the front matter of a text. If there is none, the markdown begins at the top: a paragraph between two rules is
/// markdown, and so is a `---` that is never closed.
pub(crate) fn read(text: &str) -> FrontMatter {
    let Some((inner, end)) = front_matter(text, FENCE) else { return FrontMatter::default() };
    // With the first line break, line numbers are those of the document.
    let yaml = text.get(FENCE.len()..inner.end).unwrap_or_default();
    if yaml.len() > LIMIT {
        let message = format!("the front matter exceeds the limit of {LIMIT} bytes (64 KiB), so its id is not read");
        return FrontMatter { id: None, end, problem: Some((1, message)) };
    }
    match read_yaml::<FrontMatterFields>(yaml, VALUES, RepeatedKeys::FirstWins) {
        Ok(fields) => FrontMatter { id: fields.id, end, problem: None },
        Err(YamlProblem { line, message, .. }) => {
            FrontMatter { id: None, end, problem: Some((line, format!("the front matter is not read: {message}"))) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_counts_only_in_real_front_matter() {
        for (text, id, end) in [
            ("---\nid: head\n---\nx", Some("head"), 17),
            ("---\r\nid: head\r\n---\r\nx", Some("head"), 20),
            ("---  \ntitle: a\nid: \"a b\"\n...\nx", Some("a b"), 29),
            ("---\nid: 007\n---\n", Some("007"), 16),
            ("---\nid:\n---\n", None, 12),
            ("---\nid: ~\n---\n", None, 14),
            ("---\ntitle: x\nmore: {a: [1, 2]}\n---\n", None, 35),
            ("---\nid: a\nid: b\n---\n", Some("a"), 20),
            ("---\n# only a remark\n---\n", None, 24),
            ("---\n---\nid: x\n", None, 8),
            ("\n---\nid: head\n---\n", None, 0),
            ("text\n---\nid: head\n---\n", None, 0),
            ("---\nid: head\n", None, 0),
            ("---\n\nid: head\n\n---\n", None, 0),
            ("----\nid: head\n----\n", None, 0),
            ("", None, 0),
        ] {
            let found = read(text);
            assert_eq!((found.id.as_deref(), found.end, &found.problem), (id, end, &None), "{text:?}");
        }
    }

    #[test]
    fn invalid_yaml_is_reported_with_its_line() {
        for (text, line) in [
            ("---\nid: [a\n---\n", 2),
            ("---\ntitle: x\nid: [a, b]\n---\n", 3),
            ("---\na: b\n\tid: x\n---\n", 2),
            ("---\ntitle: one: two\nid: x\n---\n", 2),
        ] {
            let found = read(text);
            assert_eq!(found.id, None, "{text:?}");
            assert_eq!(found.problem.as_ref().map(|(line, _)| *line), Some(line), "{text:?}: {:?}", found.problem);
            assert!(found.end > 0, "what follows is read all the same");
        }
    }

    #[test]
    fn alias_and_depth_bombs_are_harmless() {
        let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for at in 1..12 {
            bomb.push_str(&format!("a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 9].join(", ")));
        }
        let deep = format!("id: {}", "[".repeat(30_000));
        let long = format!("id: {}", "x".repeat(LIMIT));
        for yaml in [bomb, deep, long] {
            let found = read(&format!("---\n{yaml}\n---\nx"));
            assert!(found.id.is_none() && found.problem.is_some(), "{:?}", found.problem);
        }
    }
}
