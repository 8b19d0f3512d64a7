//! Turns one entry of a configuration into a source, or into diagnostics that explain why it is invalid (BEHAVIOUR §2).

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::id_rule::{ID_BYTES, id_fault};
use super::place::PathChecker;
use super::profile::folder_of;
use super::source::{
    DirectoryContents, LocalPath, Mode, PathState, ShortText, Source, SourceDefinition, SourceId, SourceKind,
};
use crate::config::{Fields, ITEMS, JsonDocument, keys};
use crate::mention::LIMITS;
use refdesk_files::path::clean;
use refdesk_text::Code;
use refdesk_text::fold::can_match;
use refdesk_text::hidden::{self, HiddenCharacters};
use refdesk_text::report::Diagnostic;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::tokens::grouped;

/// The maximum length of a tool's arguments as JSON, in bytes. Agents get them with the source.
const ARGS_BYTES: usize = 64 * 1024;

#[derive(Debug)]
pub(super) struct EntryContext<'a> {
    /// Finds what exists at paths.
    pub places: PathChecker<'a>,
    /// The base folder of relative paths; `None` for the folder of the entry's file.
    pub folder: Option<&'a Path>,
}

impl EntryContext<'_> {
    /// Reads the source at `path` of the document; `None` if it lacks a required member.
    pub(super) fn read(
        &self,
        document: &JsonDocument,
        path: Vec<PointerStep<'_>>,
        value: &Value,
    ) -> (Option<Source>, Vec<Diagnostic>) {
        let mut diagnostics = Vec::new();
        let entry = path.iter().find_map(|step| match step {
            PointerStep::Item(index) => Some(*index),
            PointerStep::Key(_) => None,
        });
        let origin = SourceDefinition { file: document.path.clone(), entry };
        let source = Fields::of(document, path, value, &mut diagnostics)
            .and_then(|mut fields| self.source(&mut fields, document, origin));
        (source, diagnostics)
    }

    fn source(&self, fields: &mut Fields<'_>, document: &JsonDocument, origin: SourceDefinition) -> Option<Source> {
        let id = required(fields, "id", Code::EmptyId);
        let is_long = id.is_some_and(|id| id.len() > ID_BYTES);
        if is_long {
            let message = format!("the id has more than {} bytes, so the source is left out", grouped(ID_BYTES));
            fields.report_value("id", Diagnostic::error(Code::TooLarge, message).fix("give it a short id"));
        }
        let id = id.filter(|_| !is_long);
        if let Some(id) = id {
            fields.about(id);
        }
        fields.warn_unknown(keys::SOURCE);
        // Read every member before giving up, so that all problems of the entry are reported together.
        let name = read_name(fields, id);
        let description = fields.string("description").unwrap_or_default().to_owned();
        let mode = read_mode(fields);
        let tags = read_tags(fields).into_iter().map(ShortText::from).collect();
        let fetch_hint = fields.string("fetchHint").map(str::to_owned);
        let contents = read_contents(fields);
        let kind = self.kind(fields, folder_of(self.folder, &document.path));
        if let (Some(contents), Some(SourceKind::Local(place))) = (&contents, &kind) {
            warn_unheld(fields, contents, place);
        }
        warn_hidden(fields);
        let (id, name) = (SourceId::from(id?), name?.into());
        Some(Source { id, name, description, mode, tags, kind: kind?, fetch_hint, contents, origin })
    }

    fn kind(&self, fields: &mut Fields<'_>, folder: &Path) -> Option<SourceKind> {
        let word = match fields.value("type") {
            None => "local",
            Some(_) => fields.string("type")?,
        };
        match word {
            "local" => {
                let written = required(fields, "path", Code::MissingField)?;
                let (place, problem) = self.places.place(folder, written);
                if let Some(problem) = problem {
                    fields.report_value("path", problem);
                }
                Some(SourceKind::Local(place))
            }
            "url" => required(fields, "url", Code::MissingField).map(|url| SourceKind::Url { url: url.to_owned() }),
            "mcp" => {
                let (server, tool) =
                    (required(fields, "server", Code::MissingField), required(fields, "tool", Code::MissingField));
                let args = read_args(fields);
                Some(SourceKind::Mcp { server: server?.to_owned(), tool: tool?.to_owned(), args: args? })
            }
            "inline" => match fields.value("content") {
                // An empty text is allowed.
                Some(Value::String(content)) if content.len() as u64 > LIMITS.bytes => {
                    let mebibytes = LIMITS.bytes / (1024 * 1024);
                    let message = format!("'content' has more than {mebibytes} MiB, so the source is left out");
                    fields.report_value(
                        "content",
                        Diagnostic::error(Code::TooLarge, message)
                            .fix("put the text into files, and give their folder as 'path'"),
                    );
                    None
                }
                Some(Value::String(content)) => Some(SourceKind::inline(content)),
                _ => required(fields, "content", Code::MissingField).map(SourceKind::inline),
            },
            other => {
                let problem = Diagnostic::error(Code::UnknownValue, format!("'{other}' is not a source type"));
                fields.report_value("type", problem.fix("use one of local, url, mcp, inline"));
                None
            }
        }
    }
}

/// Warns about an id that cannot be typed, and about invisible characters in other parts of an entry that are read by
/// agents or compared.
fn warn_hidden(fields: &mut Fields<'_>) {
    let problem = |text: &str| {
        let hidden = HiddenCharacters::of(text)?;
        Some(Diagnostic::warning(Code::HiddenCharacters, hidden.words()).fix(hidden::HINT))
    };
    if let Some(fault) =
        fields.value("id").and_then(Value::as_str).filter(|id| !id.trim().is_empty()).and_then(id_fault)
    {
        let problem = Diagnostic::warning(Code::HiddenCharacters, format!("the id {fault}"));
        fields.report_value("id", problem.fix("remove it: people and agents must be able to type the id"));
    }
    for key in ["name", "description", "content", "fetchHint"] {
        if let Some(problem) = fields.value(key).and_then(Value::as_str).and_then(problem) {
            fields.report_value(key, problem);
        }
    }
    let tags = fields.value("tags").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (index, tag) in tags.iter().enumerate() {
        if let Some(problem) = tag.as_str().and_then(problem) {
            fields.report_item("tags", index, problem);
        }
    }
}

/// The type that the other members suggest for an entry without `type`.
fn unnamed_type(fields: &Fields<'_>) -> Option<&'static str> {
    let of_members = [("url", "url"), ("server", "mcp"), ("tool", "mcp"), ("content", "inline")];
    let is_unnamed = fields.value("type").is_none();
    of_members.into_iter().find(|(key, _)| is_unnamed && fields.value(key).is_some()).map(|(_, word)| word)
}

/// A required, non-empty string.
fn required<'a>(fields: &mut Fields<'a>, key: &'static str, code_if_empty: Code) -> Option<&'a str> {
    if fields.value(key).is_none() {
        let problem = Diagnostic::error(Code::MissingField, format!("'{key}' is required"));
        let fix = match unnamed_type(fields).filter(|_| key == "path") {
            Some(word) => format!("add \"type\": \"{word}\""),
            None => format!("add \"{key}\": \"…\""),
        };
        fields.report(problem.fix(fix));
        return None;
    }
    let text = fields.string(key)?;
    if text.trim().is_empty() {
        let problem = Diagnostic::error(code_if_empty, format!("'{key}' is empty"));
        fields.report_value(key, problem.fix(format!("give '{key}' a value")));
        return None;
    }
    Some(text)
}

/// The name. If it is missing, empty or not a string, that is reported, and the id is used, so that the source stays.
fn read_name<'a>(fields: &mut Fields<'a>, id: Option<&'a str>) -> Option<&'a str> {
    let Some(id) = id else { return required(fields, "name", Code::MissingField) };
    let problem = Diagnostic::error(Code::MissingField, "'name' is required; the id is used instead");
    match fields.value("name") {
        None => fields.report(problem.fix("add \"name\": \"…\"")),
        Some(Value::String(name)) if name.trim().is_empty() => {
            fields.report_value("name", problem.fix("give 'name' a value"));
        }
        Some(_) => return fields.string("name").or(Some(id)),
    }
    Some(id)
}

/// Defaults to selectable. An unknown word is reported and counts as selectable, so that the source stays.
fn read_mode(fields: &mut Fields<'_>) -> Mode {
    match fields.string("mode") {
        Some("auto") => Mode::Auto,
        Some("selectable") | None => Mode::Selectable,
        Some(other) => {
            let problem = Diagnostic::error(Code::UnknownValue, format!("'{other}' is not a mode; selectable is used"));
            fields.report_value("mode", problem.fix("use auto or selectable"));
            Mode::Selectable
        }
    }
}

fn read_tags(fields: &mut Fields<'_>) -> Vec<String> {
    let tags = fields.strings("tags");
    let items = fields.value("tags").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    for (index, item) in items.iter().take(ITEMS).enumerate() {
        let Some(tag) = item.as_str() else { continue };
        if !can_match(tag) {
            let problem = Diagnostic::error(Code::EmptyTag, format!("the tag '{tag}' cannot match anything"));
            fields.report_item("tags", index, problem.fix("give it a letter or digit, or remove it"));
        }
    }
    tags
}

/// The arguments of a tool; `None` if they are too long.
fn read_args(fields: &mut Fields<'_>) -> Option<Box<str>> {
    // Every value can be written as JSON.
    let args = fields.object("args").map(|args| serde_json::to_string(args).unwrap_or_default()).unwrap_or_default();
    if args.len() > ARGS_BYTES {
        let message = format!("'args' has more than {} KiB, so the source is left out", ARGS_BYTES / 1024);
        fields.report_value("args", Diagnostic::error(Code::TooLarge, message).fix("shorten them"));
        return None;
    }
    Some(args.into())
}

/// The tags of an entry: its first [`ITEMS`] items, without those that are not strings.
pub fn tags_of(entry: &Value) -> Vec<String> {
    match entry.get("tags") {
        Some(Value::Array(tags)) => tags.iter().take(ITEMS).filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}

/// Warns about a declared path that the source does not hold: a missing letter, or a link out of the source, would take
/// templates and policies away without a word. Says the same of a link whether or not something is there: what is
/// outside may wait for trust.
fn warn_unheld(fields: &mut Fields<'_>, contents: &DirectoryContents, place: &LocalPath) {
    let Some(mut inner) = fields.inner("contents").filter(|_| place.state == PathState::Directory) else { return };
    let DirectoryContents { templates, validation, policies, scripts } = contents;
    for (key, folder) in
        [("templates", templates), ("validation", validation), ("policies", policies), ("scripts", scripts)]
    {
        let Some(folder) = folder else { continue };
        let problem = match clean(&place.path.join(folder)) {
            path if !path.starts_with(&place.path) => format!("'{folder}' is outside the source"),
            path if fs::canonicalize(&path).is_ok_and(|real| real.starts_with(&place.resolved)) => continue,
            path if path.ancestors().take_while(|path| **path != *place.path).any(Path::is_symlink) => {
                format!("'{folder}' leads out of the source or nowhere")
            }
            _ => format!("'{folder}' does not exist in the source"),
        };
        let problem = Diagnostic::warning(Code::MissingPath, problem).fix("correct it, or remove it");
        inner.report_value(key, problem);
    }
}

fn read_contents(fields: &mut Fields<'_>) -> Option<Box<DirectoryContents>> {
    let mut inner = fields.inner("contents")?;
    inner.warn_unknown(keys::CONTENTS);
    let mut folder = |key| inner.string(key).filter(|folder| !folder.trim().is_empty()).map(str::to_owned);
    let contents = DirectoryContents {
        templates: folder("templates"),
        validation: folder("validation"),
        policies: folder("policies"),
        scripts: folder("scripts"),
    };
    Some(Box::new(contents))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::WorkspaceContext;

    #[test]
    fn a_source_without_a_name_is_reported_and_has_its_id_as_its_name() {
        let required = "'name' is required; the id is used instead";
        for (name, expected, problem) in [
            ("", "a", Some((1, required))),
            (r#""name": null, "#, "a", Some((1, required))),
            (r#""name": " ", "#, "a", Some((21, required))),
            (r#""name": 3, "#, "a", Some((21, "'name' must be a string, found the number 3"))),
            (r#""name": "A", "#, "A", None),
        ] {
            let json = format!(r#"{{"id": "a", {name}"type": "inline", "content": "x"}}"#);
            let (document, _) = JsonDocument::parse(Path::new("/w/a.json"), String::new(), json.into_bytes());
            let (document, context) = (document.unwrap(), WorkspaceContext::default());
            let reader = EntryContext { places: PathChecker::new(&context), folder: None };
            let (source, problems) = reader.read(&document, Vec::new(), &document.value);
            assert_eq!(source.unwrap().name, expected, "{name}");
            let problems: Vec<_> = problems.iter().map(|it| (it.column.unwrap(), it.message.as_str())).collect();
            assert_eq!(problems, Vec::from_iter(problem), "{name}");
        }
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_an_inline_text() {
        for (content, expected) in [("\u{feff}./e.md", "./e.md"), ("./e.md", "./e.md"), ("a\u{feff}", "a\u{feff}")] {
            assert_eq!(SourceKind::inline(content), SourceKind::Inline { content: expected.into() });
        }
    }
}
