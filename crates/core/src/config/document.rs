//! A JSON file with its text, so that a problem with a value can be shown at its line and column.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use serde_json::Value;

use super::outline::{JsonOutline, outline};
use super::plain_entry::PlainEntry;
use refdesk_text::Code;
use refdesk_text::json::JsonError;
use refdesk_text::report::locate::{MemberSpan, PointerStep, item_starts, locate, members, repeated_keys};
use refdesk_text::report::{Diagnostic, Position, PositionIndex};
use refdesk_text::tokens::{counted, grouped};

/// The most values in a file. A parsed value takes about 400 bytes of memory, a hundred times its size in the file.
pub(crate) const VALUES: usize = 4_000_000;

/// The most repeated keys reported per file.
const REPEATED: usize = 20;

/// A JSON file that parsed.
#[derive(Debug)]
pub struct JsonDocument {
    /// Absolute path.
    pub path: Arc<Path>,
    /// The path as printed.
    pub shown: String,
    /// The parsed value. A list of `sources` is empty here; its items are parsed one by one by [`JsonDocument::entry`].
    pub value: Value,
    text: String,
    /// Where the entries of `/sources` begin, so that a thousand diagnostics need not scan the text a thousand times.
    entries: OnceLock<Vec<usize>>,
    positions: OnceLock<PositionIndex>,
}

/// Which part of an object's member a diagnostic is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MemberPart {
    /// The key.
    Key,
    /// The value.
    Value,
}

impl MemberPart {
    fn start_of(self, spot: &MemberSpan) -> usize {
        match (self, &spot.key) {
            (Self::Key, Some(key)) => key.start,
            _ => spot.value.start,
        }
    }
}

/// Whether a JSON text has more values than this.
pub(crate) fn has_more_values(json: &[u8], most: usize) -> bool {
    memchr::memchr3_iter(b',', b'[', b'{', json).count() > most && count_values(json) > most
}

/// The diagnostic for such a text.
pub(crate) fn too_many_values(most: usize) -> Diagnostic {
    let message = format!("it has more than {} values, so it is not read", grouped(most));
    Diagnostic::error(Code::TooMany, message).fix("remove everything that does not describe sources")
}

/// The number of values in a JSON text, judged by its commas and brackets: each value follows one of them.
fn count_values(json: &[u8]) -> usize {
    let (mut values, mut is_text, mut is_escaped) = (0, false, false);
    for byte in json {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => values += 1,
            _ => {}
        }
    }
    values
}

/// How large files are, alone or together.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct JsonSize {
    pub bytes: u64,
    pub values: usize,
}

impl JsonSize {
    pub(crate) fn of(json: &[u8]) -> Self {
        Self { bytes: json.len() as u64, values: count_values(json) }
    }

    /// Adds the size of another file; returns the limit that the sum exceeds, for messages.
    pub(crate) fn add(&mut self, file: Self, most: Self) -> Option<String> {
        (self.bytes, self.values) = (self.bytes + file.bytes, self.values + file.values);
        if self.bytes > most.bytes {
            return Some(format!("{} MiB", most.bytes / (1024 * 1024)));
        }
        (self.values > most.values).then(|| format!("{} values", grouped(most.values)))
    }
}

/// The diagnostic for files that are not read because of those before them; `problem` says why.
pub(crate) fn unread_files(problem: &str, first: String, others: usize) -> Diagnostic {
    let unread = match others {
        0 => " is".to_owned(),
        others => format!(" and {} after it are", counted(others, "file")),
    };
    Diagnostic::error(Code::TooLarge, format!("{problem}; {first}{unread} not read")).in_file(first)
}

impl JsonDocument {
    /// Parses the bytes of a file; invalid UTF-8 or JSON becomes a diagnostic with its position.
    pub fn parse(path: &Path, shown: String, bytes: Vec<u8>) -> (Option<Self>, Vec<Diagnostic>) {
        let (document, _, problems) = Self::parse_with(Arc::from(path), shown, bytes, |_, _| None::<()>);
        (document, problems)
    }

    /// Like [`Self::parse`]; also returns the results of `make` for the plain entries of `sources`, by position.
    /// Entries at the end may be missing.
    pub(crate) fn parse_with<T: Send>(
        path: Arc<Path>,
        shown: String,
        bytes: Vec<u8>,
        make: impl Fn(usize, PlainEntry<'_>) -> Option<T> + Sync,
    ) -> (Option<Self>, Vec<Option<T>>, Vec<Diagnostic>) {
        if has_more_values(&bytes, VALUES) {
            return (None, Vec::new(), vec![too_many_values(VALUES).in_file(shown)]);
        }
        let text = match text_of(bytes) {
            Ok(text) => text,
            Err(problem) => return (None, Vec::new(), vec![problem.in_file(shown)]),
        };
        match outline(&text, make) {
            Ok(JsonOutline { value, starts, made, has_repeated_keys }) => {
                let entries = if starts.is_empty() { OnceLock::new() } else { OnceLock::from(starts) };
                let document = Self { path, shown, value, text, entries, positions: OnceLock::new() };
                let problems = if has_repeated_keys { document.repeated_keys() } else { Vec::new() };
                (Some(document), made, problems)
            }
            Err(_) if !is_meant_as_json(&shown, &text) => {
                let problem = Diagnostic::error(Code::JsonSyntax, "not a configuration file: it is not JSON");
                let problem = problem.at(Position { line: 1, column: 1 }).in_file(shown);
                (None, Vec::new(), vec![problem.fix("name a file like references.json")])
            }
            Err(error) => (None, Vec::new(), vec![syntax_error(&text, &error).in_file(shown)]),
        }
    }

    fn repeated_keys(&self) -> Vec<Diagnostic> {
        let warning = |(at, key): (usize, String)| {
            let message = format!("the key '{key}' occurs twice; the last one is used");
            let problem = Diagnostic::warning(Code::DuplicateKey, message).in_file(self.shown.clone());
            problem.at(self.position_of(at)).fix("remove one of them")
        };
        repeated_keys(&self.text, REPEATED).into_iter().map(warning).collect()
    }

    /// The number of items in `sources`; 0 if it is not a list.
    pub fn entries(&self) -> usize {
        self.entry_starts().len()
    }

    /// The item of `sources` at this position, parsed again.
    pub fn entry(&self, index: usize) -> Option<Value> {
        let text = self.entry_text(index)?;
        // The whole text has parsed, so this part does too.
        Value::deserialize(&mut serde_json::Deserializer::from_str(text)).ok()
    }

    /// The text that starts with the item of `sources` at this position.
    fn entry_text(&self, index: usize) -> Option<&str> {
        self.text.get(*self.entry_starts().get(index)?..)
    }

    fn entry_starts(&self) -> &[usize] {
        self.entries.get_or_init(|| item_starts(&self.text, &[PointerStep::Key("sources")]))
    }

    /// The position of the value at this path, or of its key; of the nearest enclosing value if it does not exist.
    pub fn position(&self, path: &[PointerStep<'_>], part: MemberPart) -> Position {
        let mut path = path;
        loop {
            if let Some(offset) = self.offset(path, part) {
                return self.position_of(offset);
            }
            match path.split_last() {
                Some((_, enclosing)) => path = enclosing,
                None => return Position { line: 1, column: 1 },
            }
        }
    }

    /// The position of each item of the list at this path, in one pass.
    pub fn item_positions(&self, path: &[PointerStep<'_>]) -> Vec<Position> {
        item_starts(&self.text, path).into_iter().map(|offset| self.position_of(offset)).collect()
    }

    /// The position of each of these members of the object at this path, or of its key, in one pass.
    pub(crate) fn member_positions<'m>(
        &self,
        path: &[PointerStep<'_>],
        names: &HashSet<&'m str>,
        part: MemberPart,
    ) -> HashMap<&'m str, Position> {
        let (from, rest) = match path {
            [PointerStep::Key("sources"), PointerStep::Item(index), rest @ ..] => {
                (self.entry_starts().get(*index).copied(), rest)
            }
            whole => (Some(0), whole),
        };
        let Some((from, text)) = from.and_then(|from| Some((from, self.text.get(from..)?))) else {
            return HashMap::new();
        };
        let place = |(name, spot): (&'m str, MemberSpan)| (name, self.position_of(from + part.start_of(&spot)));
        members(text, rest, names).into_iter().map(place).collect()
    }

    /// The line of each of these members of the object at this path, in one pass.
    pub fn member_lines<'m>(&self, path: &[PointerStep<'_>], names: &HashSet<&'m str>) -> HashMap<&'m str, usize> {
        let positions = self.member_positions(path, names, MemberPart::Key);
        positions.into_iter().map(|(name, position)| (name, position.line)).collect()
    }

    fn offset(&self, path: &[PointerStep<'_>], part: MemberPart) -> Option<usize> {
        let (from, rest) = match path {
            [PointerStep::Key("sources"), PointerStep::Item(index), rest @ ..] => {
                (*self.entry_starts().get(*index)?, rest)
            }
            whole => (0, whole),
        };
        let spot = locate(self.text.get(from..)?, rest)?;
        Some(from + part.start_of(&spot))
    }

    fn position_of(&self, offset: usize) -> Position {
        self.positions.get_or_init(|| PositionIndex::new(&self.text)).position(&self.text, offset)
    }
}

/// Whether a file that does not parse was meant to be JSON, by its name or its beginning.
fn is_meant_as_json(shown: &str, text: &str) -> bool {
    let text = text.trim_start();
    shown.contains(".json") || text.is_empty() || text.starts_with('{')
}

/// The bytes as text without a byte order mark.
fn text_of(mut bytes: Vec<u8>) -> Result<String, Diagnostic> {
    if bytes.starts_with(b"\xef\xbb\xbf") {
        bytes.drain(..3);
    }
    if matches!(bytes.as_slice(), [0xff, 0xfe, ..] | [0xfe, 0xff, ..]) {
        return Err(Diagnostic::error(Code::NotUtf8, "the file is UTF-16, not UTF-8")
            .at(Position { line: 1, column: 1 })
            .fix("save it as UTF-8"));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = error.utf8_error().valid_up_to();
        let text = String::from_utf8_lossy(error.as_bytes());
        Diagnostic::error(Code::NotUtf8, "the file is not UTF-8").at(Position::of(&text, valid)).fix("save it as UTF-8")
    })
}

fn syntax_error(text: &str, error: &serde_json::Error) -> Diagnostic {
    let diagnostic = Diagnostic::error(Code::JsonSyntax, "");
    if text.trim().is_empty() {
        return Diagnostic { message: "the file is empty".to_owned(), ..diagnostic }
            .at(Position { line: 1, column: 1 })
            .fix("write a JSON object into it, or remove it");
    }
    let JsonError { what, position, fix } = JsonError::of(text, error);
    Diagnostic { message: format!("not valid JSON: {what}"), ..diagnostic }.at(position).fix(fix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_never_json_is_called_that() {
        for (name, text, is_meant) in [
            ("README.md", "# Title", false),
            ("settings", "{\"sources\": [}", true),
            ("references.json.example", "# Title", true),
            ("empty", " ", true),
        ] {
            let (_, problems) = JsonDocument::parse(Path::new(name), name.to_owned(), text.into());
            // The same for a configuration, a source and a profile.
            let is_empty = problems[0].message == "the file is empty";
            assert_eq!(is_empty, problems[0].fix.to_string() == "write a JSON object into it, or remove it");
            let is_syntax = problems[0].message.starts_with("not valid JSON") || problems[0].message.contains("empty");
            assert_eq!(is_syntax, is_meant, "{name}: {}", problems[0].message);
        }
    }

    #[test]
    fn values_are_counted_outside_texts() {
        for (json, most, has_more) in [
            ("[1,2,3]", 3, false),
            ("[1,2,3]", 2, true),
            (r#"["a,b,c", "d\",e,[f"]"#, 2, false),
            (r#"["a\\", "b", ","]"#, 2, true),
            (r#"[[[[]]], {"a": {}}]"#, 7, false),
            (r#"[[[[]]], {"a": {}}]"#, 6, true),
            ("", 0, false),
        ] {
            assert_eq!(has_more_values(json.as_bytes(), most), has_more, "{json}");
        }
    }
}
