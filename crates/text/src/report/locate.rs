//! Locates a JSON pointer in its text. The parser does not keep positions, so the text is scanned again when there is
//! something to report.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use serde_json::Value;

use crate::number::wide;

/// Byte ranges of a member: its key, if it has one, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberSpan {
    /// The key in quotes; `None` for the root and for list items.
    pub key: Option<Range<usize>>,
    /// The value.
    pub value: Range<usize>,
}

/// The byte ranges of the value at a path of keys and indexes in a *valid* JSON text. Of a repeated key, the last
/// counts, as for the parser. `None` if the path does not exist.
pub fn locate(json: &str, path: &[PointerStep<'_>]) -> Option<MemberSpan> {
    let mut scan = Scan { bytes: json.as_bytes(), at: 0 };
    scan.blank();
    let mut spot = MemberSpan { key: None, value: scan.at..scan.at };
    for step in path {
        scan.at = spot.value.start;
        spot = match step {
            PointerStep::Key(key) => scan.member(key)?,
            PointerStep::Item(index) => scan.item(*index)?,
        };
    }
    scan.at = spot.value.start;
    scan.skip_value();
    Some(MemberSpan { value: spot.value.start..scan.at, ..spot })
}

/// The byte ranges of those members of the object at this path of a *valid* JSON text whose keys are among `names`, in
/// one pass; as for [`locate`], the last of a repeated key counts.
pub fn members<'m>(json: &str, path: &[PointerStep<'_>], names: &HashSet<&'m str>) -> HashMap<&'m str, MemberSpan> {
    let mut found = HashMap::new();
    if let Some(spot) = locate(json, path) {
        let mut scan = Scan { bytes: json.as_bytes(), at: spot.value.start };
        scan.members(|key, span| found.extend(names.get(key).map(|name| (*name, span))));
    }
    found
}

/// The start of each item of the list at this path of a *valid* JSON text; empty if it is not a list.
pub fn item_starts(json: &str, path: &[PointerStep<'_>]) -> Vec<usize> {
    let Some(spot) = locate(json, path) else { return Vec::new() };
    let mut scan = Scan { bytes: json.as_bytes(), at: spot.value.start };
    let mut starts = Vec::new();
    if scan.enter(b'[').is_some() {
        while scan.peek().is_some_and(|byte| byte != b']') {
            starts.push(scan.at);
            scan.skip_value();
            scan.blank();
        }
    }
    starts
}

/// The range of the list in the top-level member `key`. Calls `each` with the range of each of its items, in order, as
/// soon as its end is known. The text is not validated: it is valid if every item is valid and so is the text without the
/// items. `None` if there is no such list or the key is repeated.
pub fn list_items(json: &str, key: &str, mut each: impl FnMut(Range<usize>)) -> Option<Range<usize>> {
    let mut scan = Scan { bytes: json.as_bytes(), at: 0 };
    let mut found = None;
    scan.blank();
    scan.enter(b'{')?;
    while scan.peek()? != b'}' {
        let name = scan.at;
        scan.skip_string();
        let is_it = serde_json::from_str::<String>(json.get(name..scan.at)?).ok()? == key;
        scan.blank();
        if !is_it {
            scan.skip_value();
        } else if found.is_none() {
            let start = scan.at;
            scan.items(&mut each)?;
            found = Some(start..scan.at);
        } else {
            return None;
        }
        scan.blank();
    }
    found
}

/// Whether an object in a *valid* JSON text has a key twice; `value` is that text, parsed. A parsed object has each key
/// once, whereas the text has a colon outside strings for each occurrence.
pub fn has_repeated_keys(json: &str, value: &Value) -> bool {
    fn members(value: &Value) -> usize {
        match value {
            Value::Object(object) => object.len() + object.values().map(members).sum::<usize>(),
            Value::Array(items) => items.iter().map(members).sum(),
            _ => 0,
        }
    }
    let mut scan = Scan { bytes: json.as_bytes(), at: 0 };
    let mut colons = 0;
    while let Some(next) = scan.bytes.get(scan.at..).and_then(|rest| memchr::memchr2(b'"', b':', rest)) {
        scan.at += next;
        if scan.peek() == Some(b':') {
            colons += 1;
            scan.at += 1;
        } else {
            scan.skip_string();
        }
    }
    colons != members(value)
}

/// The repeated keys of a *valid* JSON text, each with the offset of the repetition; at most `most`.
pub fn repeated_keys(json: &str, most: usize) -> Vec<(usize, String)> {
    let mut scan = Scan { bytes: json.as_bytes(), at: 0 };
    // The keys of each open object; `None` for each open list.
    let mut open: Vec<Option<HashSet<String>>> = Vec::new();
    let mut found = Vec::new();
    while let Some(byte) = scan.peek()
        && found.len() < most
    {
        match byte {
            b'"' => {
                let start = scan.at;
                scan.skip_string();
                let end = scan.at;
                scan.white();
                if scan.peek() == Some(b':')
                    && let Some(Some(keys)) = open.last_mut()
                    && let Some(key) = json.get(start..end).and_then(|key| serde_json::from_str::<String>(key).ok())
                    && !keys.insert(key.clone())
                {
                    found.push((start, key));
                }
                continue;
            }
            b'{' => open.push(Some(HashSet::new())),
            b'[' => open.push(None),
            b'}' | b']' => drop(open.pop()),
            _ => {}
        }
        scan.at += 1;
    }
    found
}

/// The number of bytes of a string that are looked at without calling `memchr2`.
const SHORT_STRING: usize = 32;

const ONES: u64 = u64::from_le_bytes([1; 8]);
const QUOTES: u64 = u64::from_le_bytes([b'"'; 8]);
const BACKSLASHES: u64 = u64::from_le_bytes([b'\\'; 8]);
const DELETES: u64 = u64::from_le_bytes([0x7f; 8]);
/// The bits in which DEL differs from one of the four brackets. Of the characters of a valid text outside strings, they make
/// only brackets to DEL.
const BRACKET_BITS: u64 = u64::from_le_bytes([0x26; 8]);

/// One step into a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointerStep<'a> {
    /// Into the member with this key.
    Key(&'a str),
    /// Into the item at this position, from 0.
    Item(usize),
}

struct Scan<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Scan<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
        while self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b',' | b':')) {
            self.at += 1;
        }
    }

    fn member(&mut self, key: &str) -> Option<MemberSpan> {
        let mut found = None;
        self.members(|name, span| {
            if name == key {
                found = Some(span);
            }
        })?;
        found
    }

    /// Calls `each` with every member of an object.
    fn members(&mut self, mut each: impl FnMut(&str, MemberSpan)) -> Option<()> {
        self.enter(b'{')?;
        while self.peek()? != b'}' {
            let key_start = self.at;
            self.skip_string();
            let key = key_start..self.at;
            self.blank();
            let value_start = self.at;
            self.skip_value();
            let quoted = self.bytes.get(key.clone())?;
            // Compare keys without escapes in place, which most are: an object may have millions.
            let plain = quoted.get(1..quoted.len() - 1).filter(|name| !name.contains(&b'\\'));
            let name = match plain.and_then(|name| std::str::from_utf8(name).ok()) {
                Some(plain) => Cow::Borrowed(plain),
                None => Cow::Owned(serde_json::from_slice(quoted).ok()?),
            };
            each(&name, MemberSpan { key: Some(key), value: value_start..self.at });
            self.blank();
        }
        Some(())
    }

    fn item(&mut self, index: usize) -> Option<MemberSpan> {
        self.enter(b'[')?;
        let mut left = index;
        while self.peek()? != b']' {
            let start = self.at;
            self.skip_value();
            if left == 0 {
                return Some(MemberSpan { key: None, value: start..self.at });
            }
            left -= 1;
            self.blank();
        }
        None
    }

    /// Scans a list whose items are separated by one comma each.
    fn items(&mut self, mut each: impl FnMut(Range<usize>)) -> Option<()> {
        if self.peek()? != b'[' {
            return None;
        }
        self.at += 1;
        self.white();
        if self.peek()? == b']' {
            self.at += 1;
            return Some(());
        }
        loop {
            let start = self.at;
            self.skip_value();
            each(start..self.at);
            self.white();
            let after = self.peek()?;
            self.at += 1;
            match after {
                b',' => self.white(),
                b']' => return Some(()),
                _ => return None,
            }
        }
    }

    fn white(&mut self) {
        while self.peek().is_some_and(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn enter(&mut self, opening: u8) -> Option<()> {
        if self.peek()? != opening {
            return None;
        }
        self.at += 1;
        self.blank();
        Some(())
    }

    fn skip_string(&mut self) {
        self.at += 1;
        while let Some(next) = self.bytes.get(self.at..).and_then(end_of_plain_text) {
            self.at += next;
            if self.peek() == Some(b'"') {
                self.at += 1;
                return;
            }
            self.at += 2;
        }
        self.at = self.bytes.len();
    }

    /// Scans a value of any depth, without recursion.
    fn skip_value(&mut self) {
        let mut depth = 0usize;
        while let Some(byte) = self.peek() {
            match byte {
                b'"' => self.skip_string(),
                b'{' | b'[' => {
                    depth += 1;
                    self.at += 1;
                }
                b'}' | b']' => {
                    if depth == 0 {
                        return;
                    }
                    depth -= 1;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\n' | b'\r' | b',' | b':' if depth == 0 => return,
                _ => self.at += 1,
            }
            if depth > 0 {
                self.at += self.bytes.get(self.at..).map_or(0, plain_structure);
            } else if matches!(byte, b'"' | b'}' | b']') {
                return;
            }
        }
    }
}

/// The offset of the first quote or backslash. Most strings of a catalog are so short that a call of `memchr2` would take
/// longer than looking at a few words.
fn end_of_plain_text(bytes: &[u8]) -> Option<usize> {
    let (near, far) = bytes.split_at_checked(SHORT_STRING).unwrap_or((&[], bytes));
    first_marked(near, |word| zero_bytes(word ^ QUOTES) | zero_bytes(word ^ BACKSLASHES))
        .or_else(|| Some(near.len() + memchr::memchr2(b'"', b'\\', far)?))
}

/// The number of bytes before the next quote or bracket, or fewer: at least all before the last seven.
fn plain_structure(bytes: &[u8]) -> usize {
    first_marked(bytes, |word| zero_bytes(word ^ QUOTES) | zero_bytes((word | BRACKET_BITS) ^ DELETES))
        .unwrap_or(bytes.len() / 8 * 8)
}

/// The offset of the first byte whose highest bit is set in what `mark` makes of each eight bytes.
fn first_marked(bytes: &[u8], mark: impl Fn(u64) -> u64) -> Option<usize> {
    let (words, _) = bytes.as_chunks();
    let marks = words.iter().map(|word| mark(u64::from_le_bytes(*word)));
    marks.enumerate().find(|(_, marks)| *marks != 0).map(|(at, marks)| at * 8 + wide(marks.trailing_zeros()) / 8)
}

/// The highest bit of the first byte that is zero, and perhaps of some after it.
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(ONES) & !word & ONES << 7
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::PointerStep::{Item, Key};
    use super::*;

    #[test]
    fn keys_that_an_object_has_twice() {
        for (json, expected) in [
            ("{}", &[][..]),
            (r#"{"a": 1, "b": {"a": 2}, "c": [{"a": 3}, {"a": 4}]}"#, &[]),
            (r#"{"a": "a", "b": "a:b", "c:": ["a", "a"]}"#, &[]),
            (r#"{"a": 1, "a": 2}"#, &[(9, "a")]),
            (r#"{"a": 1, "\u0061" : 2, "a":3}"#, &[(9, "a"), (23, "a")]),
            (r#"[{"x": {"k": [], "k": {}}}, {"k": 1}]"#, &[(17, "k")]),
            (r#"{"a": {"b": 1}, "b": 2, "a": {"b": 3}}"#, &[(24, "a")]),
            (r#"{"": 1, "": 2}"#, &[(8, "")]),
        ] {
            let found = repeated_keys(json, 9);
            let shown: Vec<(usize, &str)> = found.iter().map(|(at, key)| (*at, key.as_str())).collect();
            assert_eq!(shown, expected, "{json}");
            let value: Value = serde_json::from_str(json).unwrap();
            assert_eq!(has_repeated_keys(json, &value), !expected.is_empty(), "{json}");
        }
        assert_eq!(repeated_keys(r#"{"a": 1, "a": 2, "a": 3}"#, 1).len(), 1);
    }

    #[test]
    fn finds_keys_and_values_by_path() {
        let json = r#" { "a": [1, {"b\"": "x,y"}, [ ]], "é": true, "a2": {"c": -1.5e3 } , "d":1,"d":2 } "#;
        for (path, key, value) in [
            (vec![], None, json.trim()),
            (vec![Key("a"), Item(0)], None, "1"),
            (vec![Key("a"), Item(1)], None, r#"{"b\"": "x,y"}"#),
            (vec![Key("a"), Item(1), Key("b\"")], Some(r#""b\"""#), r#""x,y""#),
            (vec![Key("a"), Item(2)], None, "[ ]"),
            (vec![Key("é")], Some("\"é\""), "true"),
            (vec![Key("a2"), Key("c")], Some("\"c\""), "-1.5e3"),
            (vec![Key("d")], Some("\"d\""), "2"),
        ] {
            let spot = locate(json, &path).unwrap();
            assert_eq!(&json[spot.value], value, "{path:?}");
            assert_eq!(spot.key.map(|key| &json[key]), key, "{path:?}");
        }
        for path in [vec![Key("none")], vec![Item(0)], vec![Key("a"), Item(3)], vec![Key("é"), Key("x")]] {
            assert_eq!(locate(json, &path), None, "{path:?}");
        }
    }

    #[test]
    fn members_are_found_where_each_would_be_located() {
        let json = r#"{"a": {"x": 1, "\u0079": [2, {"x": 3}], "x": 4, "q\"": {}, "z": "x"}, "b": [], "x": 5}"#;
        let names = HashSet::from(["x", "y", "q\"", "none"]);
        for path in [&[][..], &[PointerStep::Key("a")], &[PointerStep::Key("b")], &[PointerStep::Key("none")]] {
            let found = members(json, path, &names);
            for name in &names {
                let whole: Vec<PointerStep<'_>> = path.iter().copied().chain([PointerStep::Key(name)]).collect();
                assert_eq!(found.get(name).cloned(), locate(json, &whole), "{name} in {path:?}");
            }
        }
    }

    fn text() -> impl Strategy<Value = Value> {
        proptest::collection::vec(
            prop::sample::select(vec!["a", "Y_", "\"", "\\", "{", "}]", "é", "\u{7f}", ", ", "\n"]),
            0..40,
        )
        .prop_map(|parts| Value::from(parts.concat()))
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![text(), any::<i32>().prop_map(Value::from), any::<bool>().prop_map(Value::from)];
        leaf.prop_recursive(4, 40, 6, |inner| {
            let member = (text(), inner.clone()).prop_map(|(key, value)| (key.as_str().unwrap().to_owned(), value));
            prop_oneof![
                proptest::collection::vec(inner, 0..6).prop_map(Value::from),
                proptest::collection::vec(member, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        /// Each item is found whole, whatever is in it and however it is indented.
        #[test]
        fn items_are_found_whole(items in proptest::collection::vec(value(), 0..6), is_pretty in any::<bool>()) {
            let written = |value: &Value| if is_pretty { format!("{value:#}") } else { value.to_string() };
            let written: Vec<String> = items.iter().map(written).collect();
            let json = format!("{{\"x\": {{}}, \"items\" : [ {} ]}}", written.join(" , "));
            let mut found = Vec::new();
            let list = list_items(&json, "items", |item| found.push(json[item].to_owned())).unwrap();
            prop_assert_eq!(&found, &written);
            prop_assert!(json[list].ends_with(']'));
            let starts = item_starts(&json, &[Key("items")]);
            let begin = |(at, start): (usize, &usize)| json[*start..].starts_with(written[at].as_str());
            prop_assert!(starts.len() == written.len() && starts.iter().enumerate().all(begin));
        }
    }
}
