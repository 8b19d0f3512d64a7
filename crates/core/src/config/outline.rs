//! A configuration file without the entries of `sources`: they are checked as strictly as everything else and not kept.
//! The values of ten thousand of them take ten times the memory of their text, and each is only looked at once.

use std::fmt;
use std::ops::Range;

use rayon::prelude::*;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use refdesk_text::report::locate::list_items;

/// What a JSON text says; a list of `sources` at its top comes empty, with the bytes at which its items begin.
///
/// # Errors
/// Where the text is no JSON, in `sources` too.
pub fn outline(text: &str) -> serde_json::Result<(Value, Vec<usize>)> {
    if !text.trim_ascii_start().starts_with('{') {
        return serde_json::from_str(text).map(|value| (value, Vec::new()));
    }
    // The items are passed over at first and looked at side by side; whatever is wrong is found again in order.
    if let Some(found) = side_by_side(text) {
        return Ok(found);
    }
    serde_json::from_str::<Members>(text).map(|members| (Value::Object(members.0), Vec::new()))
}

/// `None` where anything is wrong, and where `sources` is no list.
fn side_by_side(text: &str) -> Option<(Value, Vec<usize>)> {
    let (list, items) = list_items(text, "sources")?;
    let rest = [text.get(..list.start)?, "[]", text.get(list.end..)?].concat();
    let members: Members = serde_json::from_str(&rest).ok()?;
    let check = |item: &Range<usize>| serde_json::from_str::<Checked>(text.get(item.clone())?).ok().map(drop);
    items.par_iter().with_min_len(64).try_for_each(check)?;
    Some((Value::Object(members.0), items.into_iter().map(|item| item.start).collect()))
}

struct Members(Map<String, Value>);

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ObjectVisitor;
        impl<'de> Visitor<'de> for ObjectVisitor {
            type Value = Members;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Members, A::Error> {
                let mut kept = Map::new();
                while let Some(key) = members.next_key::<String>()? {
                    let value = if key == "sources" {
                        members.next_value::<Checked>()?.into()
                    } else {
                        members.next_value::<Value>()?
                    };
                    kept.insert(key, value);
                }
                Ok(Members(kept))
            }
        }
        deserializer.deserialize_map(ObjectVisitor)
    }
}

/// A value that was parsed and let go; what kind it was.
enum Checked {
    Null,
    List,
    Other,
}

impl From<Checked> for Value {
    fn from(kind: Checked) -> Self {
        match kind {
            Checked::Null => Self::Null,
            Checked::List => Self::Array(Vec::new()),
            Checked::Other => Self::Object(Map::new()),
        }
    }
}

impl<'de> Deserialize<'de> for Checked {
    /// Everything is parsed: what a library skips when a value is ignored, half a surrogate pair or a number out of range,
    /// would only turn up when the entry is read.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Check;
        impl<'de> Visitor<'de> for Check {
            type Value = Checked;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("any JSON value")
            }

            fn visit_bool<E>(self, _: bool) -> Result<Checked, E> {
                Ok(Checked::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Checked, E> {
                Ok(Checked::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Checked, E> {
                Ok(Checked::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Checked, E> {
                Ok(Checked::Other)
            }

            fn visit_str<E>(self, _: &str) -> Result<Checked, E> {
                Ok(Checked::Other)
            }

            fn visit_unit<E>(self) -> Result<Checked, E> {
                Ok(Checked::Null)
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Checked, A::Error> {
                while items.next_element::<Checked>()?.is_some() {}
                Ok(Checked::List)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Checked, A::Error> {
                while members.next_entry::<Checked, Checked>()?.is_some() {}
                Ok(Checked::Other)
            }
        }
        deserializer.deserialize_any(Check)
    }
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
            (r#"{"sources": "no", "sources": 3}"#, r#"{"sources":{}}"#),
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
