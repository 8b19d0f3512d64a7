//! Untrusted YAML, read within limits, so that neither aliases nor nesting exhaust the reader, with problems described
//! for the person who wrote it.

use std::fmt;

use granit_parser::Event;
use serde::Deserialize;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use crate::tokens::grouped;

/// What to do with an entry whose key is repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepeatedKeys {
    /// Keep the first one.
    FirstWins,
    /// Refuse the text.
    Refused,
}

/// Why a text cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct YamlProblem {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// What is wrong, without the position.
    pub message: String,
    /// Whether the indentation of a line is wrong.
    pub is_indentation: bool,
    /// Whether the text exceeds a limit. It may be valid YAML.
    pub is_limit: bool,
}

impl YamlProblem {
    /// The problem with this text, such as "the front matter".
    pub fn of(&self, text: &str) -> String {
        let what = if self.is_limit { "read" } else { "YAML" };
        format!("{text} is not {what}: {}", self.message)
    }
}

/// A value with its position, for readers that report problems about it.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlNode {
    /// From 1.
    pub line: usize,
    /// From 1.
    pub column: usize,
    /// The value itself.
    pub value: YamlValue,
}

/// The value of a node.
#[derive(Debug, Clone, PartialEq)]
pub enum YamlValue {
    /// Null.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Another number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list.
    List(Vec<YamlNode>),
    /// Keys with their positions and values, in the order of the text.
    Map(Vec<YamlMember>),
}

/// A key and its value, with the position of the key.
#[derive(Debug, Clone, PartialEq)]
pub struct YamlMember {
    /// The key.
    pub key: String,
    /// The line of the key, from 1.
    pub line: usize,
    /// The column of the key, from 1.
    pub column: usize,
    /// Its value.
    pub node: YamlNode,
}

impl YamlNode {
    /// The type of the value, for messages.
    pub fn kind(&self) -> &'static str {
        match &self.value {
            YamlValue::Null => "nothing",
            YamlValue::Bool(_) => "true or false",
            YamlValue::Int(_) | YamlValue::Float(_) => "a number",
            YamlValue::Text(_) => "a string",
            YamlValue::List(_) => "a list",
            YamlValue::Map(_) => "an object",
        }
    }
}

impl<'de> Deserialize<'de> for YamlNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = Spanned::<YamlValue>::deserialize(deserializer)?;
        let (line, column) = place(&spanned);
        Ok(Self { line, column, value: spanned.value })
    }
}

fn place<T>(spanned: &Spanned<T>) -> (usize, usize) {
    let number = |value: u64| usize::try_from(value).unwrap_or(1).max(1);
    (number(spanned.referenced.line()), number(spanned.referenced.column()))
}

impl<'de> Deserialize<'de> for YamlValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ValueVisitor)
    }
}

struct ValueVisitor;

impl<'de> Visitor<'de> for ValueVisitor {
    type Value = YamlValue;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_none<E>(self) -> Result<YamlValue, E> {
        Ok(YamlValue::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<YamlValue, D::Error> {
        YamlValue::deserialize(deserializer)
    }

    fn visit_bool<E>(self, value: bool) -> Result<YamlValue, E> {
        Ok(YamlValue::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<YamlValue, E> {
        Ok(YamlValue::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<YamlValue, E> {
        Ok(i64::try_from(value).map_or(YamlValue::Float(value as f64), YamlValue::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<YamlValue, E> {
        Ok(YamlValue::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<YamlValue, E> {
        Ok(YamlValue::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<YamlValue, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element::<YamlNode>()? {
            list.push(item);
        }
        Ok(YamlValue::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<YamlValue, A::Error> {
        let mut map = Vec::new();
        while let Some(key) = members.next_key::<Spanned<String>>()? {
            let (line, column) = place(&key);
            map.push(YamlMember { key: key.value, line, column, node: members.next_value::<YamlNode>()? });
        }
        Ok(YamlValue::Map(map))
    }
}

/// The maximum number of nested lists and maps.
const DEPTH: usize = 64;

/// Reads a text of at most `items` keys and values, in which a list counts twice, and a map, too.
///
/// # Errors
/// It is not YAML, does not have the expected structure, or exceeds a limit.
pub fn read<T: DeserializeOwned>(text: &str, items: usize, repeated: RepeatedKeys) -> Result<T, YamlProblem> {
    let options = serde_saphyr::options! {
        budget: serde_saphyr::budget! {
            max_events: items,
            max_nodes: items,
            max_depth: DEPTH,
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
        let message = error.to_string();
        let message = message.lines().next().unwrap_or_default();
        YamlProblem {
            line: number(place.map(|(line, _)| line)),
            column: number(place.map(|(_, column)| column)),
            is_indentation: is_indentation(message),
            is_limit: message.contains(BUDGET),
            message: in_plain_words(message, items),
        }
    })
}

/// Line and column of the first tag (`!name`) in a valid text, because values do not record whether they had a tag.
pub fn first_tag(text: &str) -> Option<(usize, usize)> {
    let events = granit_parser::Parser::new_from_str(text).map_while(Result::ok);
    let mut tags = events.filter_map(|(event, span)| {
        let tag = match event {
            Event::Scalar(.., tag) | Event::SequenceStart(.., tag) | Event::MappingStart(.., tag) => tag,
            _ => None,
        };
        tag.map(|_| span.tag_start.unwrap_or(span.start))
    });
    tags.next().map(|start| (start.line(), start.col() + 1))
}

fn is_indentation(first_line: &str) -> bool {
    first_line.contains("did not find expected")
}

/// What the parser says of a text that exceeds a limit, before the name of the limit.
const BUDGET: &str = "budget breached: ";

/// The parser's message without its positions and its advice for programmers.
fn in_plain_words(line: &str, items: usize) -> String {
    if let Some((_, limit)) = line.split_once(BUDGET) {
        return match limit.split(' ').next() {
            Some("Events" | "Nodes") => format!("it has more than {} keys and values", grouped(items)),
            Some("Depth") => format!("it is nested more than {DEPTH} levels deep"),
            Some("Aliases" | "Anchors" | "AliasAnchorRatio") => "it has too many aliases or anchors".to_owned(),
            _ => "it is too large".to_owned(),
        };
    }
    if line.contains("multiple") {
        return "it has more than one document".to_owned();
    }
    if line.contains("recursive reference") {
        return "a value in it contains itself".to_owned();
    }
    if line.contains("quoted scalar") && ["escape", "hexadecimal", "hexdecimal"].iter().any(|word| line.contains(word))
    {
        return "a backslash starts an escape in double quotes; use single quotes, or / in paths".to_owned();
    }
    if line.contains("non-finite float") {
        return "a number in it is infinite or not a number; quote it if it is a text".to_owned();
    }
    if is_indentation(line) {
        return "its indentation is wrong here".to_owned();
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
    fn mistakes_are_explained_in_plain_words() {
        for (text, message, line) in [
            ("a:\n  - b\n c: 1", "its indentation is wrong here", 3),
            ("a: 'x' y", "invalid trailing content after single-quoted scalar", 1),
            (
                "a: \"C:\\xampp\\data.db\"",
                "a backslash starts an escape in double quotes; use single quotes, or / in paths",
                1,
            ),
            (
                "a: \"C:\\data.db\"",
                "a backslash starts an escape in double quotes; use single quotes, or / in paths",
                1,
            ),
            ("a: [b, c", "unclosed bracket '['", 1),
            ("a: 1\nb: .nan", "a number in it is infinite or not a number; quote it if it is a text", 2),
            ("a: &a [*a]", "a value in it contains itself", 1),
            ("&a [*a]", "a value in it contains itself", 1),
        ] {
            let problem = read::<Value>(text, 100, RepeatedKeys::Refused).unwrap_err();
            assert_eq!((problem.message.as_str(), problem.line), (message, line), "{text}");
        }
    }

    #[test]
    fn nodes_have_positions() {
        let text = "a:\n  - b: 1\n    c: [x, true, null, 1.5]\nd: &n {e: f}\ng: *n\n";
        let node = read::<YamlNode>(text, 100, RepeatedKeys::Refused).unwrap();
        let YamlValue::Map(top) = &node.value else { panic!("{node:?}") };
        let keys: Vec<(&str, usize, usize)> = top.iter().map(|it| (it.key.as_str(), it.line, it.column)).collect();
        assert_eq!(keys, [("a", 1, 1), ("d", 4, 1), ("g", 5, 1)]);
        let YamlValue::List(items) = &top[0].node.value else { panic!("{node:?}") };
        let YamlValue::Map(first) = &items[0].value else { panic!("{node:?}") };
        assert_eq!((first[1].line, first[1].node.line, first[1].node.column), (3, 3, 8));
        let YamlValue::List(values) = &first[1].node.value else { panic!("{node:?}") };
        let kinds: Vec<&str> = values.iter().map(YamlNode::kind).collect();
        assert_eq!(kinds, ["a string", "true or false", "nothing", "a number"]);
        let YamlValue::Map(aliased) = &top[2].node.value else { panic!("{node:?}") };
        assert_eq!((aliased[0].key.as_str(), aliased[0].line), ("e", 5), "where it is used");
    }

    #[test]
    fn tags_are_found_anywhere() {
        for (text, place) in [
            ("a: !x 1", Some((1, 4))),
            ("a:\n  - b\n  - !!binary eA==", Some((3, 5))),
            ("a: !x\n  b: 1", Some((1, 4))),
            ("a: !x\n  b", Some((1, 4))),
            ("a: !x []", Some((1, 4))),
            ("ä: [!x 1]", Some((1, 5))),
            ("a: !x &b 1", Some((1, 4))),
            ("a: &b !x 1", Some((1, 7))),
            ("a: !x\nb: 1", Some((1, 4))),
            ("b: 1\n!x a: 1", Some((2, 1))),
            ("a: '!x 1'\nb: \"c !d\"\nc: d!\nd: e !f", None),
        ] {
            read::<YamlNode>(text, 100, RepeatedKeys::Refused).unwrap();
            assert_eq!(first_tag(text), place, "{text}");
        }
    }

    /// Counting from the start of the line for each value would visit 10^10 characters.
    #[test]
    fn a_text_of_one_line_is_read_once() {
        let text = format!("[{}]", "{a: 'bbbbbbbbbbbbbbbbbbbbbbbbb'}, ".repeat(20_000));
        read::<YamlNode>(&text, 1_000_000, RepeatedKeys::Refused).unwrap();
        assert_eq!(first_tag(&text), None);
    }

    #[test]
    fn problems_are_in_words_for_people() {
        let many = format!("[{}]", "x, ".repeat(200));
        let nested = format!("{}{}", "[".repeat(65), "]".repeat(65));
        let aliases = format!("[&a x{}]", ", *a".repeat(201));
        for (text, repeated, line, words) in [
            ("a: [b\n", RepeatedKeys::FirstWins, 1, "unclosed bracket"),
            ("a: 1\na: 2\n", RepeatedKeys::Refused, 2, "duplicate"),
            ("a: 1\n---\nb: 2\n", RepeatedKeys::FirstWins, 3, "it has more than one document"),
            (&many, RepeatedKeys::FirstWins, 1, "it has more than 100 keys and values"),
            (&nested, RepeatedKeys::FirstWins, 1, "it is nested more than 64 levels deep"),
            (&aliases, RepeatedKeys::FirstWins, 1, "it has too many aliases or anchors"),
        ] {
            let items = if text == many { 100 } else { 1_000 };
            let problem = read::<Value>(text, items, repeated).unwrap_err();
            assert!(problem.message.contains(words), "{problem:?}");
            assert_eq!(problem.line, line, "{problem:?}");
            let is_limit = ["values", "nested", "aliases"].iter().any(|limit| words.contains(limit));
            assert_eq!(problem.is_limit, is_limit, "{problem:?}");
            assert_eq!(
                problem.of("it"),
                format!("it is not {}: {}", if is_limit { "read" } else { "YAML" }, problem.message)
            );
            for internal in ["budget", "Policy", "from_str", "Options", " at line "] {
                assert!(!problem.message.contains(internal), "{problem:?}");
            }
        }
    }
}
