//! Sources, picks and templates as JSON, with the same members for a command and over a protocol. Built from plain
//! values, so that a server can use its snapshot.

use std::path::Path;

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::Picked;
use super::requested_names::{REPEATED, brief};
use refdesk_core::catalog::{Catalog, Source, SourceId, SourceKind};
use refdesk_core::config::compiled_for_names;
use refdesk_core::selection::{Role, Selection};
use refdesk_files::path::display;
use refdesk_templates::Template;
use refdesk_text::escape::one_line;
use refdesk_text::{Code, Error};

/// The most parents listed in a row. If every source mentions every other, there are as many as sources.
const PARENTS: usize = 100;

/// Which members a row includes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Members {
    /// All of them, for a person's command.
    All,
    /// Only those with a value, to save an agent tokens.
    NonEmpty,
}

/// Builds rows from these values.
#[derive(Debug, Clone, Copy)]
pub struct Rows<'a> {
    /// Paths inside it are displayed relative to it.
    pub workspace: &'a Path,
    /// The sources.
    pub catalog: &'a Catalog,
    /// The selection.
    pub selection: &'a Selection,
    /// The members of each row.
    pub members: Members,
}

impl Rows<'_> {
    /// A source as `list` shows it.
    pub fn listed(&self, source: &Source, tokens: Option<u64>) -> Value {
        let id = source.id.as_str();
        let member = self.selection.member(id);
        let (url, server, tool) = addresses(self.visible_kind(source));
        self.row(
            source,
            [
                ("id", json!(id)),
                ("name", json!(source.name)),
                ("description", json!(source.description)),
                ("type", json!(source.kind.word())),
                ("mode", json!(source.mode.word())),
                ("tags", json!(source.tags)),
                ("selected", json!(member.is_some())),
                ("picked", json!(self.selection.is_picked(id))),
                ("excluded", json!(self.selection.is_excluded(id))),
                ("transitive", json!(member.is_some_and(|member| member.role == Role::Transitive))),
                ("resolved_path", json!(self.place(source))),
                ("is_directory", json!(is_directory(source))),
                ("exists", json!(source.place().filter(|_| !source.is_untrusted()).map(|_| !source.is_missing()))),
                ("url", json!(url)),
                ("server", json!(server)),
                ("tool", json!(tool)),
                ("has_content", json!(matches!(source.kind, SourceKind::Inline { .. }))),
                ("tokens", json!(tokens)),
            ],
        )
    }

    /// The outcome of a pick.
    pub fn picked(&self, picked: &Picked) -> Value {
        let new = picked.picked.iter().chain(&picked.pulled_in);
        let sources: Vec<&Source> = new.filter_map(|id: &SourceId| self.catalog.get(id.as_str())).collect();
        // One pick may pull in thousands.
        let sources: Vec<Value> = sources.into_par_iter().map(|source| self.selected(source)).collect();
        let unknown: Vec<String> = match self.members {
            Members::All => picked.unknown.clone(),
            Members::NonEmpty => picked.unknown.iter().take(REPEATED).map(|id| brief(id)).collect(),
        };
        let mut answer = json!({
            "status": picked.status,
            "selected_count": picked.picked.len(),
            "transitive_count": picked.pulled_in.len(),
            "sources": null,
            "unknown": unknown,
            "missing": picked.missing,
            "message": picked.summary(),
        });
        // Insert by moving: `json!` would copy every row.
        if let Some(place) = answer.get_mut("sources") {
            *place = Value::Array(sources);
        }
        answer
    }

    /// A source as `select` prints it.
    fn selected(&self, source: &Source) -> Value {
        let member = self.selection.member(source.id.as_str());
        let transitive = member.is_some_and(|member| member.role == Role::Transitive);
        let parents: Vec<&SourceId> = member.iter().flat_map(|member| member.parents.iter()).take(PARENTS).collect();
        let kind = self.visible_kind(source);
        let (url, server, tool) = addresses(kind);
        let (args, content) = match kind {
            SourceKind::Mcp { args, .. } => (serde_json::from_str(args).unwrap_or_default(), None),
            SourceKind::Inline { content } => (Value::Null, Some(content.to_string())),
            _ => (Value::Null, None),
        };
        self.row(
            source,
            [
                ("id", json!(source.id)),
                ("name", json!(source.name)),
                ("description", json!(source.description)),
                ("type", json!(source.kind.word())),
                ("tags", json!(source.tags)),
                ("resolved_path", json!(self.place(source))),
                ("is_directory", json!(is_directory(source))),
                ("transitive", json!(transitive)),
                ("transitive_from", json!(parents)),
                ("url", json!(url)),
                ("server", json!(server)),
                ("tool", json!(tool)),
                ("args", args),
                ("content", json!(content)),
                ("fetch_hint", json!(source.fetch_hint.as_ref().filter(|_| !matches!(kind, SourceKind::Withheld(_))))),
            ],
        )
    }

    /// The kind of source shown to the reader of the rows: a person sees untrusted parts, an agent does not.
    fn visible_kind<'s>(&self, source: &'s Source) -> &'s SourceKind {
        match self.members {
            Members::All => source.kind.with_trust(),
            Members::NonEmpty => &source.kind,
        }
    }

    fn row<const N: usize>(&self, source: &Source, members: [(&str, Value); N]) -> Value {
        let mut row = Map::with_capacity(N + 1);
        for (name, value) in members {
            if self.members == Members::All || is_informative(name, &value) {
                row.insert(name.to_owned(), value);
            }
        }
        if source.is_untrusted() {
            row.insert("waits_for_trust".to_owned(), Value::Bool(true));
        }
        if source.is_missing() {
            row.insert("exists".to_owned(), Value::Bool(false));
        }
        Value::Object(row)
    }

    fn place(&self, source: &Source) -> Option<String> {
        source.place().map(|place| display(self.workspace, &place.path))
    }
}

/// Whether a local source is a folder; `None` if it is missing or was not read.
fn is_directory(source: &Source) -> Option<bool> {
    let place = source.place().filter(|place| place.state.is_open() || source.is_missing());
    place.map(|_| source.is_directory())
}

/// Whether a member is informative: null, false, empty values and `exists: true` are not.
pub fn is_informative(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) if name == "exists" => !*flag,
        Value::Bool(flag) => *flag,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(_) | Value::Number(_) => true,
    }
}

fn addresses(kind: &SourceKind) -> (Option<&str>, Option<&str>, Option<&str>) {
    match kind {
        SourceKind::Url { url } => (Some(url), None, None),
        SourceKind::Mcp { server, tool, .. } => (None, Some(server), Some(tool)),
        _ => (None, None, None),
    }
}

/// A template as `templates list` prints it; `problem` says why it cannot be rendered.
pub fn template(workspace: &Path, template: &Template) -> Map<String, Value> {
    Map::from_iter([
        ("name".to_owned(), json!(template.name)),
        ("origin".to_owned(), json!(template.origin)),
        ("syntax".to_owned(), json!(template.syntax)),
        ("variables".to_owned(), json!(refdesk_templates::names(&template.variables))),
        ("source_path".to_owned(), json!(display(workspace, &template.path))),
        // The file has just been read.
        ("exists".to_owned(), json!(template.block.is_none() || template.path.exists())),
        ("problem".to_owned(), json!(template.problem)),
    ])
}

/// The variables of a template.
pub fn variables(template: &Template) -> Value {
    let names = refdesk_templates::names(&template.variables);
    json!({
        "template_name": template.name,
        "syntax": template.syntax,
        "variables": names,
        "count": names.len(),
        "tree": template.variables,
        "schema": refdesk_templates::schema(&template.variables),
        "skeleton": refdesk_templates::skeleton(&template.variables),
    })
}

/// Compares names with a glob, in which `*` matches any characters; a name that equals the glob matches too, so that one
/// with brackets can be given as it is. Without a glob, every name matches.
///
/// # Errors
/// The glob is invalid.
pub fn name_filter(glob: Option<&str>) -> Result<impl Fn(&str) -> bool, Error> {
    let matcher = glob.map(compiled_for_names).transpose().map_err(|why| {
        let message = format!("'{}' is not a valid glob: {why}", one_line(glob.unwrap_or_default()));
        Error::new(Code::BadGlob, message, "write it as in '*.{java,kt}.tpl'; [[] matches a bracket")
    })?;
    Ok(move |name: &str| glob == Some(name) || matcher.as_ref().is_none_or(|matcher| matcher.is_match(name)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{is_informative, name_filter};

    #[test]
    fn empty_members_are_left_out() {
        for (name, value, expected) in [
            ("tokens", json!(0), true),
            ("picked", json!(true), true),
            ("picked", json!(false), false),
            ("exists", json!(true), false),
            ("exists", json!(false), true),
            ("exists", json!(null), false),
            ("description", json!(""), false),
            ("tags", json!([]), false),
            ("args", json!({}), true),
        ] {
            assert_eq!(is_informative(name, &value), expected, "{name} {value}");
        }
    }

    #[test]
    fn names_are_compared_with_globs() {
        for (pattern, name, expected) in [
            ("*.java.tpl", "Entity.java.tpl", true),
            ("*.java.tpl", "Entity.java_tpl", false),
            ("Entity.????.tpl", "Entity.java.tpl", true),
            ("Entity", "Entity.java.tpl", false),
            ("*", "", true),
            ("*.tpl", "folder/Entity.tpl", true),
            ("[tj].tpl", "j.tpl", true),
            ("{t,j}.tpl", "t.tpl", true),
            ("[[]a]", "[a]", true),
            ("[ab].tpl", "[ab].tpl", true),
            ("x[ab].tpl", "[ab].tpl", false),
        ] {
            assert_eq!(name_filter(Some(pattern)).unwrap()(name), expected, "{pattern} {name}");
        }
        assert!(name_filter(None).unwrap()("any"));
        assert!(name_filter(Some("[")).is_err());
    }
}
