//! A configuration file without the entries of `sources`: they are checked as strictly as everything else and not kept.
//! The values of ten thousand of them take ten times the memory of their text, and each is only looked at once.

use std::ops::Range;

use rayon::prelude::*;
use serde_json::Value;

use refdesk_text::report::locate::list_items;

/// What a JSON text says; a list of `sources` at its top comes empty, with the bytes at which its items begin.
///
/// # Errors
/// The text is not JSON, in `sources` or elsewhere.
pub fn outline(text: &str) -> serde_json::Result<(Value, Vec<usize>)> {
    if let Some(found) = side_by_side(text) {
        return Ok(found);
    }
    // Something is wrong or unusual: reading all of it in order finds the first error.
    let mut value: Value = serde_json::from_str(text)?;
    if let Some(Value::Array(sources)) = value.as_object_mut().and_then(|members| members.get_mut("sources")) {
        *sources = Vec::new();
    }
    Ok((value, Vec::new()))
}

/// `None` where anything is wrong, and where `sources` is not a list or is there twice.
fn side_by_side(text: &str) -> Option<(Value, Vec<usize>)> {
    let (list, items) = list_items(text, "sources")?;
    let rest = [text.get(..list.start)?, "[]", text.get(list.end..)?].concat();
    let value = serde_json::from_str(&rest).ok()?;
    // Parsed as a value, since a parser that ignores a value takes half a surrogate pair and a number out of range.
    let check = |item: &Range<usize>| serde_json::from_str::<Value>(text.get(item.clone())?).ok().map(drop);
    items.par_iter().with_min_len(64).try_for_each(check)?;
    Some((value, items.into_iter().map(|item| item.start).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_text::report::locate::{PointerStep, item_starts};

    #[test]
    fn all_is_kept_but_the_entries() {
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
            let (value, starts) = outline(text).unwrap();
            assert_eq!(value.to_string(), expected, "{text}");
            let items = item_starts(text, &[PointerStep::Key("sources")]);
            assert!(starts.is_empty() || starts == items, "{text}: {starts:?}");
        }
    }

    #[test]
    fn where_the_items_begin() {
        let text = r#" {"a": 1, "sources": [ {"id": "é"} ,1,
            "x" ], "b": [{}]} "#;
        let starts = outline(text).unwrap().1;
        assert_eq!(starts, item_starts(text, &[PointerStep::Key("sources")]));
        assert_eq!(starts.len(), 3);
    }

    #[test]
    fn what_is_no_json_is_said_as_if_all_were_kept() {
        let deep = format!("{{\"sources\": {}1{}}}", "[".repeat(200), "]".repeat(200));
        for text in [
            r#"{"sources": ["\ud800"]}"#,
            r#"{"sources": [{"\ud800": 1}]}"#,
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
            assert_eq!(outline(text).unwrap_err().to_string(), expected, "{text}");
        }
    }
}
