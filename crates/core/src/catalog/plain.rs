//! Fast path for entries without problems or unusual members, which are nearly all of them: they become sources without
//! an intermediate value per member, which halves the time to open a desk with ten thousand entries. `entry` reads the
//! others and reports their problems; for a plain entry, both produce the same source.

use std::path::Path;
use std::sync::Arc;

use super::entry::EntryContext;
use super::id_rule::{ID_BYTES, id_fault};
use super::source::{Mode, ShortText, Source, SourceDefinition, SourceId, SourceKind};
use crate::config::{ITEMS, PlainEntry};
use crate::mention::LIMITS;
use refdesk_text::fold::can_match;
use refdesk_text::hidden::HiddenCharacters;

impl EntryContext<'_> {
    /// The source for this item of `sources`, at this position in the file, if it is plain.
    pub(super) fn read_plain(&self, file: &Arc<Path>, index: usize, entry: PlainEntry<'_>) -> Option<Source> {
        let PlainEntry { id, name, description, kind, mode, tags, path, url, content, fetch_hint, .. } = entry;
        let tags = tags.unwrap_or_default();
        let has_text = |text: &str| !text.trim().is_empty();
        let name = name.as_deref().filter(|name| has_text(name))?;
        let texts = [Some(name), description.as_deref(), content.as_deref(), fetch_hint.as_deref()];
        let is_odd = |tag: &str| !can_match(tag) || is_hiding(tag);
        if !has_text(&id)
            || id.len() > ID_BYTES
            || id_fault(&id).is_some()
            || tags.len() > ITEMS
            || tags.iter().any(|tag| is_odd(tag))
            || content.as_ref().is_some_and(|text| text.len() as u64 > LIMITS.bytes)
            || texts.into_iter().flatten().any(is_hiding)
        {
            return None;
        }
        let mode = match mode.as_deref() {
            Some("auto") => Mode::Auto,
            Some("selectable") | None => Mode::Selectable,
            Some(_) => return None,
        };
        let kind = match kind.as_deref() {
            Some("local") | None => {
                let folder = file.parent()?;
                let (place, problem) = self.places.place(folder, path.as_deref().filter(|it| has_text(it))?);
                if problem.is_some() {
                    return None;
                }
                SourceKind::Local(place)
            }
            Some("url") => SourceKind::Url { url: url.as_deref().filter(|it| has_text(it))?.to_owned() },
            Some("inline") => SourceKind::inline(&content?),
            Some(_) => return None,
        };
        let origin = SourceDefinition { file: file.clone(), entry: Some(index) };
        Some(Source {
            id: SourceId::from(&*id),
            name: name.into(),
            description: description.as_deref().unwrap_or_default().to_owned(),
            mode,
            tags: tags.iter().map(|tag| ShortText::from(&**tag)).collect(),
            kind,
            fetch_hint: fetch_hint.as_deref().map(str::to_owned),
            contents: None,
            origin,
        })
    }
}

fn is_hiding(text: &str) -> bool {
    !text.is_ascii() && HiddenCharacters::of(text).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::place::PathChecker;
    use crate::config::{JsonDocument, WorkspaceContext};
    use refdesk_text::report::locate::PointerStep;

    /// Each entry, and whether it is plain.
    const ENTRIES: &[(&str, bool)] = &[
        (r#"{"id": "a", "name": "A", "path": "a.md"}"#, true),
        (
            r#"{"id": "é\"", "name": "\u00e9", "path": "${workspaceRoot}/a.md", "tags": ["x", "ü y"], "type": null}"#,
            true,
        ),
        (r#"{"id": "a", "name": "A", "type": "url", "url": "https://e.org", "mode": "auto", "fetchHint": "h"}"#, true),
        (r#"{"id": "a", "name": "A", "type": "inline", "content": "", "description": "d", "contents": null}"#, true),
        (r#"{"id": "a", "name": "A", "type": "inline", "content": "x", "path": "none", "embedding": null}"#, true),
        (r#"{"id": "a", "name": "A", "type": "inline", "content": "\ufeffx"}"#, true),
        (r#"{"id": "a", "path": "a.md"}"#, false),
        (r#"{"id": "a", "name": null, "path": "a.md"}"#, false),
        (r#"{"id": "a", "name": " ", "path": "a.md"}"#, false),
        (r#"{"id": "a", "name": "A", "path": "none.md"}"#, false),
        (r#"{"id": "a", "name": "A", "path": "a.md", "tags": ["-"]}"#, false),
        (r#"{"id": "a", "name": "A", "path": "a.md", "tags": "x"}"#, false),
        (r#"{"id": "a", "name": "A", "path": "a.md", "tags": [1]}"#, false),
        (r#"{"id": " ", "name": "A", "path": "a.md"}"#, false),
        (r#"{"id": "a\n", "name": "A", "path": "a.md"}"#, false),
        (r#"{"id": "a", "name": "\u202e", "path": "a.md"}"#, false),
        (r#"{"id": "a", "name": "A", "path": "a.md", "mode": "x"}"#, false),
        (r#"{"id": "a", "name": "A", "type": "x", "path": "a.md"}"#, false),
        (r#"{"id": "a", "id": "b", "name": "A", "path": "a.md"}"#, false),
        (r#"{"id": "a", "name": "A", "type": "inline"}"#, false),
        (r#"{"id": "a", "name": "A", "type": "url", "url": ""}"#, false),
        (r#"{"id": "a", "name": "A", "path": "a.md", "contents": {"templates": "t"}}"#, false),
        (r#"{"id": "a", "name": "A", "type": "mcp", "server": "s", "tool": "t"}"#, false),
        (r#"{"id": "a", "name": "A", "path": "a.md", "taggs": []}"#, false),
        (r#"{"id": 1, "name": "A", "path": "a.md"}"#, false),
        (r#"["a"]"#, false),
        ("3", false),
    ];

    #[test]
    fn a_plain_entry_gives_the_same_source_as_the_full_reader() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = std::fs::canonicalize(folder.path()).unwrap();
        refdesk_files::write_atomic(&workspace.join("a.md"), b"x").unwrap();
        let context = WorkspaceContext { workspace: workspace.clone(), ..WorkspaceContext::default() };
        let items: Vec<&str> = ENTRIES.iter().map(|(entry, _)| *entry).collect();
        let text = format!("{{\"sources\": [{}]}}", items.join(", "));
        let file: Arc<Path> = Arc::from(workspace.join("references.json"));
        let reader = EntryContext { places: PathChecker::new(&context), folder: None };
        let make = |at, entry: PlainEntry<'_>| reader.read_plain(&file, at, entry);
        let (document, made, _) = JsonDocument::parse_with(file.clone(), String::new(), text.into(), make);
        let document = document.unwrap();
        for (index, ((entry, plain), made)) in ENTRIES.iter().zip(made).enumerate() {
            let path = vec![PointerStep::Key("sources"), PointerStep::Item(index)];
            let (source, problems) = reader.read(&document, path, &document.entry(index).unwrap());
            match made {
                Some(read) => assert_eq!((Some(read), problems, true), (source, Vec::new(), *plain), "{entry}"),
                None => assert!(!plain, "{entry}"),
            }
        }
    }

    #[test]
    fn a_text_or_list_beyond_the_limit_is_reported() {
        let bytes = usize::try_from(LIMITS.bytes).unwrap();
        let inline = |size: usize| format!(r#""id": "a", "type": "inline", "content": "{}""#, "x".repeat(size));
        let tagged = |tags: usize| {
            format!(r#""id": "a", "type": "url", "url": "u", "tags": [{}]"#, vec![r#""t""#; tags].join(","))
        };
        let with_args = |size: usize| {
            let args = format!(r#"{{ "a": "{}" }}"#, "x".repeat(size));
            format!(r#""id": "a", "type": "mcp", "server": "s", "tool": "t", "args": {args}"#)
        };
        let too_large = "'content' has more than 64 MiB, so the source is left out";
        let named = |size: usize| format!(r#""id": "{}", "type": "url", "url": "u""#, "i".repeat(size));
        for (members, is_source, message) in [
            (named(ID_BYTES), true, None),
            (named(ID_BYTES + 1), false, Some("the id has more than 4,096 bytes, so the source is left out")),
            (inline(bytes), true, None),
            (inline(bytes + 1), false, Some(too_large)),
            (with_args(65_537 - 8), false, Some("'args' has more than 64 KiB, so the source is left out")),
            (tagged(ITEMS), true, None),
            (tagged(ITEMS + 1), true, Some("'tags' has more than 10,000 items; the others are left out")),
        ] {
            let text = format!(r#"{{"sources": [{{"name": "A", {members}}}]}}"#);
            let context = WorkspaceContext::default();
            let file: Arc<Path> = Arc::from(Path::new("/w/references.json"));
            let reader = EntryContext { places: PathChecker::new(&context), folder: None };
            let make = |at, entry: PlainEntry<'_>| reader.read_plain(&file, at, entry);
            let (document, made, _) = JsonDocument::parse_with(file.clone(), String::new(), text.into(), make);
            let document = document.unwrap();
            let is_plain = made.into_iter().flatten().next().is_some();
            let path = vec![PointerStep::Key("sources"), PointerStep::Item(0)];
            let (source, problems) = reader.read(&document, path, &document.entry(0).unwrap());
            assert_eq!((is_plain, source.is_some()), (message.is_none(), is_source), "{message:?}");
            assert!(source.is_none_or(|source| source.tags.len() <= ITEMS));
            assert_eq!(problems.iter().map(|problem| problem.message.as_str()).next(), message);
        }
    }
}
