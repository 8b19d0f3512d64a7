//! Parses a configuration file without keeping the entries of `sources`, but checks them as strictly as the rest. The
//! values of ten thousand entries take ten times the memory of their text, and each is used only once.

use std::ops::Range;
use std::sync::mpsc;

use serde_json::Value;

use super::plain_entry::PlainEntry;
use refdesk_text::report::locate::{has_repeated_keys, list_items};

/// A JSON text without the entries of `sources`.
#[derive(Debug)]
pub(crate) struct JsonOutline<T> {
    /// Its value; a list of `sources` is empty.
    pub value: Value,
    /// The byte offsets of the items in that list; empty if they were not needed.
    pub starts: Vec<usize>,
    /// The results of `make` for these items.
    pub made: Vec<Option<T>>,
    /// Whether an object in the text has a key twice.
    pub has_repeated_keys: bool,
}

/// Parses a JSON text. Calls `make` with each plain entry of `sources` and its position, since it is parsed anyway.
///
/// # Errors
/// The text is not JSON, in `sources` or elsewhere.
pub(crate) fn outline<T: Send>(
    text: &str,
    make: impl Fn(usize, PlainEntry<'_>) -> Option<T> + Sync,
) -> serde_json::Result<JsonOutline<T>> {
    if let Some(found) = parse_parallel(text, make) {
        return Ok(found);
    }
    // Something is wrong or unusual: parse the whole text to find the first error.
    let mut value: Value = serde_json::from_str(text)?;
    let has_repeated_keys = has_repeated_keys(text, &value);
    if let Some(Value::Array(sources)) = value.as_object_mut().and_then(|members| members.get_mut("sources")) {
        *sources = Vec::new();
    }
    Ok(JsonOutline { value, starts: Vec::new(), made: Vec::new(), has_repeated_keys })
}

/// The number of entries that are parsed together, while those after them are still being found.
const PARSED_TOGETHER: usize = 256;

/// `None` if anything is wrong, if `sources` is not a list, or if it occurs twice.
fn parse_parallel<T: Send>(
    text: &str,
    make: impl Fn(usize, PlainEntry<'_>) -> Option<T> + Sync,
) -> Option<JsonOutline<T>> {
    // Parse the others into a `Value`: skipping a value accepts unpaired surrogates and numbers out of range.
    let check = |at: usize, item: Range<usize>| {
        let text = text.get(item)?;
        if let Ok(entry) = serde_json::from_str::<PlainEntry>(text) {
            return Some((make(at, entry), false));
        }
        Some((None, has_repeated_keys(text, &serde_json::from_str(text).ok()?)))
    };
    let check_all = |first: usize, items: Vec<Range<usize>>| -> Option<Vec<_>> {
        items.into_iter().enumerate().map(|(at, item)| check(first + at, item)).collect()
    };
    let (checked, parts) = mpsc::channel();
    let mut starts = Vec::new();
    let list = rayon::in_place_scope(|scope| {
        let mut waiting = Vec::with_capacity(PARSED_TOGETHER);
        let list = list_items(text, "sources", |item| {
            starts.push(item.start);
            waiting.push(item);
            if waiting.len() == PARSED_TOGETHER {
                let items = std::mem::replace(&mut waiting, Vec::with_capacity(PARSED_TOGETHER));
                let (first, checked) = (starts.len() - items.len(), checked.clone());
                scope.spawn(move |_| drop(checked.send((first, check_all(first, items)))));
            }
        });
        let first = starts.len() - waiting.len();
        drop(checked.send((first, check_all(first, waiting))));
        list
    })?;
    drop(checked);
    let mut parts: Vec<_> = parts.into_iter().collect();
    parts.sort_unstable_by_key(|(first, _)| *first);
    let parts: Option<Vec<_>> = parts.into_iter().map(|(_, part)| part).collect();
    let (made, repeated): (Vec<_>, Vec<_>) = parts?.into_iter().flatten().unzip();
    let rest = [text.get(..list.start)?, "[]", text.get(list.end..)?].concat();
    let value = serde_json::from_str(&rest).ok()?;
    let has_repeated_keys = repeated.contains(&true) || has_repeated_keys(&rest, &value);
    Some(JsonOutline { value, starts, made, has_repeated_keys })
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_text::report::locate::{PointerStep, item_starts};

    #[test]
    fn everything_but_the_entries_is_kept() {
        for (text, expected) in [
            (
                r#"{"version": "1.0", "sources": [{"id": "a"}, 1, null], "x": [1]}"#,
                r#"{"version":"1.0","sources":[],"x":[1]}"#,
            ),
            (r#" {"sources": null, "x": {"sources": [1]}}"#, r#"{"sources":null,"x":{"sources":[1]}}"#),
            (r#"{"sources": "no", "sources": 3}"#, r#"{"sources":3}"#),
            (r#"{"sources": {}, "sources": [true]}"#, r#"{"sources":[]}"#),
            ("{}", "{}"),
            ("[1, {\"sources\": [2]}]", r#"[1,{"sources":[2]}]"#),
            ("\n\"sources\"", "\"sources\""),
        ] {
            let JsonOutline { value, starts, .. } = outline(text, |_, _| None::<()>).unwrap();
            assert_eq!(value.to_string(), expected, "{text}");
            let items = item_starts(text, &[PointerStep::Key("sources")]);
            assert!(starts.is_empty() || starts == items, "{text}: {starts:?}");
        }
    }

    #[test]
    fn offsets_of_the_items() {
        let text = r#" {"a": 1, "sources": [ {"id": "é"} ,1,
            "x" ], "b": [{}]} "#;
        let starts = outline(text, |_, _| None::<()>).unwrap().starts;
        assert_eq!(starts, item_starts(text, &[PointerStep::Key("sources")]));
        assert_eq!(starts.len(), 3);
    }

    #[test]
    fn invalid_json_gives_the_same_error_as_a_full_parse() {
        let deep = format!("{{\"sources\": {}1{}}}", "[".repeat(200), "]".repeat(200));
        for text in [
            r#"{"sources": ["\ud800"]}"#,
            r#"{"sources": [{"\ud800": 1}]}"#,
            r#"{"sources": [{"id": "\ud800"}]}"#,
            r#"{"sources": [{"id": "a", "tags": ["\ud800"]}]}"#,
            "{\"sources\": [{\"id\": \"a\tb\"}]}",
            r#"{"sources": [1e999]}"#,
            r#"{"sources": [-]}"#,
            r#"{"sources": [01]}"#,
            r#"{"sources": ["a\q"]}"#,
            "{\"sources\": [\"a\tb\"]}",
            r#"{"sources": [1,]}"#,
            r#"{"sources": [{"a": 1,}]}"#,
            r#"{"sources": [{a: 1}]}"#,
            r#"{"sources": [{1: 1}]}"#,
            r#"{"sources": [nul]}"#,
            r#"{"sources": ["#,
            r#"{"sources": []} x"#,
            r#"{"sources": [],}"#,
            r#"{"sources" []}"#,
            "{",
            r#"{"sources": [1,,2]}"#,
            r#"{"sources": [1 2]}"#,
            r#"{"sources": [1:2]}"#,
            r#"{"sources": [,1]}"#,
            r#"{"sources": [1], "sources": [1,]}"#,
            r#"{"sources": [{"a": "}]}"#,
            r#"{"sources": [1}, "a": [2]}"#,
            r#"{"sources": [{]}, "a": {[}]}"#,
            r#"{"sources" "a": [1]}"#,
            r#"{"a": "sources": [1]}"#,
            r#"{"sources": [1]"a": 2}"#,
            &deep,
        ] {
            let expected = serde_json::from_str::<Value>(text).unwrap_err().to_string();
            assert_eq!(outline(text, |_, _| None::<()>).unwrap_err().to_string(), expected, "{text}");
        }
    }
}
