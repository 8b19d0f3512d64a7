//! Small edits of a configuration file or of a source's own file, which keep the rest byte for byte. Each result is
//! parsed and compared with the intended value, so that an edit is either correct or not made.

use std::ops::Range;

use serde_json::{Value, json};

use refdesk_text::escape;
use refdesk_text::report::locate::{PointerStep, item_starts, locate};

/// The byte order mark, which an edit keeps.
const MARK: char = '\u{feff}';

/// Sets the tags of the entry at this position in `sources`; without a position, the whole text is one entry. `None` if
/// the entry does not exist.
pub fn with_tags(text: &str, entry: Option<usize>, tags: &[String]) -> Option<String> {
    edited(text, |text| {
        let path = path_of(entry);
        let at = locate(text, &path)?.value;
        let list = [&path[..], &[PointerStep::Key("tags")]].concat();
        let (range, new) = match locate(text, &list) {
            Some(spot) => (spot.value.clone(), printed(text.get(spot.value)?, tags)),
            None => added_member(text, &at, &format!("\"tags\": {}", in_one_line(tags)))?,
        };
        let new = replaced(text, range, &new);
        let mut meant: Value = serde_json::from_str(text).ok()?;
        let place = match entry {
            Some(index) => meant.get_mut("sources")?.get_mut(index)?,
            None => &mut meant,
        };
        place.as_object_mut()?.insert("tags".to_owned(), json!(tags));
        (serde_json::from_str::<Value>(&new).ok()? == meant).then_some(new)
    })
}

/// Removes the entries at these positions of `sources`; `None` if one of them does not exist.
pub fn without_entries(text: &str, entries: &[usize]) -> Option<String> {
    let mut entries = entries.to_vec();
    entries.sort_unstable_by(|one, other| other.cmp(one));
    entries.dedup();
    edited(text, |text| {
        let mut meant: Value = serde_json::from_str(text).ok()?;
        let list = meant.get_mut("sources")?.as_array_mut()?;
        let mut new = text.to_owned();
        for entry in &entries {
            if *entry >= list.len() {
                return None;
            }
            list.remove(*entry);
            let range = range_of_item(&new, *entry)?;
            new.replace_range(range, "");
        }
        (serde_json::from_str::<Value>(&new).ok()? == meant).then_some(new)
    })
}

/// Edits the text without its byte order mark, and puts the mark back.
fn edited(text: &str, edit: impl FnOnce(&str) -> Option<String>) -> Option<String> {
    match text.strip_prefix(MARK) {
        Some(rest) => edit(rest).map(|new| format!("{MARK}{new}")),
        None => edit(text),
    }
}

fn path_of(entry: Option<usize>) -> Vec<PointerStep<'static>> {
    entry.map_or_else(Vec::new, |index| vec![PointerStep::Key("sources"), PointerStep::Item(index)])
}

fn replaced(text: &str, range: Range<usize>, new: &str) -> String {
    let mut text = text.to_owned();
    text.replace_range(range, new);
    text
}

/// A tag as JSON, with hidden characters escaped, so that an edit does not unescape them.
fn as_json(tag: &str) -> String {
    escape::json(&json!(tag).to_string()).into_owned()
}

fn in_one_line(tags: &[String]) -> String {
    let tags: Vec<String> = tags.iter().map(|tag| as_json(tag)).collect();
    format!("[{}]", tags.join(", "))
}

/// A list of tags in the layout of the old one: on one line, or one per line.
fn printed(old: &str, tags: &[String]) -> String {
    let inside = old.strip_prefix('[').and_then(|old| old.strip_suffix(']')).unwrap_or_default();
    let first = inside.len() - inside.trim_start().len();
    let (before, rest) = inside.split_at_checked(first).unwrap_or_default();
    let after = rest.get(rest.trim_end().len()..).unwrap_or_default();
    if tags.is_empty() || !before.contains('\n') {
        return in_one_line(tags);
    }
    let tags: Vec<String> = tags.iter().map(|tag| format!("{before}{}", as_json(tag))).collect();
    format!("[{}{after}]", tags.join(","))
}

/// Where to add a member at the end of an object, and its text in the layout of the others.
fn added_member(text: &str, object: &Range<usize>, member: &str) -> Option<(Range<usize>, String)> {
    let inside = text.get(object.start + 1..object.end.checked_sub(1)?)?;
    let end = object.start + 1 + inside.trim_end().len();
    let before = inside.get(..inside.len() - inside.trim_start().len())?;
    let comma = if inside.trim().is_empty() { "" } else { "," };
    let space = if before.is_empty() { " " } else { before };
    Some((end..end, format!("{comma}{space}{member}")))
}

/// The item with the comma and space that separate it from the next item, or else from the previous one.
fn range_of_item(text: &str, index: usize) -> Option<Range<usize>> {
    let starts = item_starts(text, &[PointerStep::Key("sources")]);
    let start = *starts.get(index)?;
    let item = |at: usize| Some(locate(text, &[PointerStep::Key("sources"), PointerStep::Item(at)])?.value);
    if let Some(next) = starts.get(index + 1) {
        return Some(start..*next);
    }
    match index.checked_sub(1) {
        Some(before) => Some(item(before)?.end..item(index)?.end),
        None => {
            let list = locate(text, &[PointerStep::Key("sources")])?.value;
            Some(list.start + 1..list.end.checked_sub(1)?)
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tags(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn tags_are_replaced_in_the_layout_of_the_file() {
        for (text, words, expected) in [
            (r#"{"id": "a", "tags": ["x"]}"#, &["x", "y"][..], r#"{"id": "a", "tags": ["x", "y"]}"#),
            (r#"{ "tags" : [ ] , "id":"a" }"#, &["y"], r#"{ "tags" : ["y"] , "id":"a" }"#),
            (
                "{\n  \"tags\": [\n    \"x\",\n    \"y\"\n  ]\n}\n",
                &["y", "z"],
                "{\n  \"tags\": [\n    \"y\",\n    \"z\"\n  ]\n}\n",
            ),
            ("{\"tags\": [\n \"x\"\n]}", &[], "{\"tags\": []}"),
            (r#"{"tags": ["\u202ex", "é"]}"#, &["\u{202e}x", "é", "y"], r#"{"tags": ["\u202ex", "é", "y"]}"#),
            (r#"{"id": "a", "tags": ["x"]}"#, &["x", "\"q\""], r#"{"id": "a", "tags": ["x", "\"q\""]}"#),
            (r#"{"id": "a", "tags": null}"#, &["x"], r#"{"id": "a", "tags": ["x"]}"#),
            ("{\r\n\t\"id\": \"a\"\r\n}\r\n", &["x"], "{\r\n\t\"id\": \"a\",\r\n\t\"tags\": [\"x\"]\r\n}\r\n"),
            (r#"{"id": "a"}"#, &["x"], r#"{"id": "a", "tags": ["x"]}"#),
            ("\u{feff}{\"id\": \"a\"}", &["x"], "\u{feff}{\"id\": \"a\", \"tags\": [\"x\"]}"),
        ] {
            assert_eq!(with_tags(text, None, &tags(words)).as_deref(), Some(expected), "{text}");
        }
        let whole = r#"{"sources": [{"id": "a"}, { "id": "b", "tags": ["t"] }], "x": 1}"#;
        let expected = r#"{"sources": [{"id": "a"}, { "id": "b", "tags": ["u"] }], "x": 1}"#;
        assert_eq!(with_tags(whole, Some(1), &tags(&["u"])).as_deref(), Some(expected));
        assert_eq!(with_tags(whole, Some(2), &tags(&["u"])), None);
        assert_eq!(with_tags("[1]", None, &tags(&["u"])), None);
    }

    #[test]
    fn entries_are_removed_with_their_separators() {
        let lines = "{\n  \"sources\": [\n    {\"id\": \"a\"},\n    {\"id\": \"b\"},\n    {\"id\": \"c\"}\n  ],\n  \"x\": [1]\n}\n";
        for (text, entries, expected) in [
            (lines, &[0][..], lines.replace("    {\"id\": \"a\"},\n", "")),
            (lines, &[1], lines.replace("    {\"id\": \"b\"},\n", "")),
            (lines, &[2], lines.replace(",\n    {\"id\": \"c\"}", "")),
            (lines, &[2, 0, 2], "{\n  \"sources\": [\n    {\"id\": \"b\"}\n  ],\n  \"x\": [1]\n}\n".to_owned()),
            (lines, &[0, 1, 2], "{\n  \"sources\": [],\n  \"x\": [1]\n}\n".to_owned()),
            (r#"{"sources":[{"a":[1,{}]} , {"b":"]"}]}"#, &[1], r#"{"sources":[{"a":[1,{}]}]}"#.to_owned()),
        ] {
            assert_eq!(without_entries(text, entries), Some(expected), "{text} {entries:?}");
        }
        assert_eq!(without_entries(lines, &[3]), None);
        assert_eq!(without_entries("{}", &[0]), None);
    }

    proptest! {
        /// Whatever the layout, the edited text has the intended value.
        #[test]
        fn any_layout_is_edited(blank in "[ \\n\\t]{0,3}", at in 0..4_usize, words in prop::collection::vec("\\PC{0,4}", 0..4)) {
            let entry = |id: usize| format!("{{{blank}\"id\"{blank}:{blank}\"{id}\"{blank}}}");
            let entries: Vec<String> = (0..4).map(entry).collect();
            let text = format!("{blank}{{{blank}\"sources\"{blank}:{blank}[{blank}{}{blank}]{blank}}}", entries.join(&format!("{blank},{blank}")));
            prop_assert!(with_tags(&text, Some(at), &words).is_some());
            prop_assert!(without_entries(&text, &[at, 3]).is_some());
        }
    }
}
