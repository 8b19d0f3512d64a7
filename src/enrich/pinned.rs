//! Which selected source a tool was working on, told by the paths among its arguments (BEHAVIOUR §5, block 4).

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::catalog::{Catalog, Source, SourceId};
use crate::disk::path::absolute;
use crate::selection::Selection;

/// Arguments of these names are commands: a path may stand anywhere in them.
pub(super) const COMMANDS: [&str; 4] = ["command", "cmd", "commands", "script"];

/// What is longer is no path.
pub(super) const LONGEST_PATH: usize = 4096;

/// A selected source whose file a tool was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Pinned {
    /// Its id.
    pub ref_id: SourceId,
    /// Its name.
    pub ref_name: String,
}

/// The first argument, in the order given, that is the path of a selected local source or of a file in one, or a
/// command that contains one; of nested sources the innermost. Relative paths start at the workspace, which is absolute.
/// Paths are compared component by component, as written and with links resolved as the catalog has them.
pub fn pinned(catalog: &Catalog, selection: &Selection, workspace: &Path, arguments: &Value) -> Option<Pinned> {
    let mut places: HashMap<&Path, &Source> = HashMap::new();
    for source in selection.members().iter().filter_map(|member| catalog.get(member.id.as_str())) {
        if let Some(place) = source.place().filter(|_| !source.is_missing()) {
            places.entry(&place.path).or_insert(source);
            places.entry(&place.resolved).or_insert(source);
        }
    }
    if places.is_empty() {
        return None;
    }
    let source_at = |text: &str| -> Option<&Source> {
        let text = text.trim();
        if text.is_empty() || text.len() > LONGEST_PATH {
            return None;
        }
        absolute(workspace, Path::new(text)).ancestors().find_map(|path| places.get(path).copied())
    };
    let source = first(arguments, false, &source_at)?;
    Some(Pinned { ref_id: source.id.clone(), ref_name: source.name.clone() })
}

/// The first answer of `look` to a string within `value`; within a command to each of its words too.
fn first<'s>(value: &Value, command: bool, look: &dyn Fn(&str) -> Option<&'s Source>) -> Option<&'s Source> {
    match value {
        Value::String(text) if command => look(text).or_else(|| words(text).find_map(look)),
        Value::String(text) => look(text),
        Value::Array(values) => values.iter().find_map(|value| first(value, command, look)),
        Value::Object(fields) => {
            let is_command = |name: &str| command || COMMANDS.iter().any(|known| name.eq_ignore_ascii_case(known));
            fields.iter().find_map(|(name, value)| first(value, is_command(name), look))
        }
        _ => None,
    }
}

/// The words of a command as far as a path may be one: without quotes, operators and the name before a `=`.
pub(super) fn words(command: &str) -> impl Iterator<Item = &str> {
    let ends =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '=' | ';' | '|' | '&' | '<' | '>' | '(' | ')');
    command.split(ends).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalog::Standing;
    use crate::enrich::testing::{inline, local, selection, source};

    #[test]
    fn the_source_that_an_argument_lies_in() {
        let catalog = Catalog::new(vec![
            source("kb", &[], local("kb", Standing::Directory)),
            source("inner", &[], local("kb/inner", Standing::Directory)),
            source("file", &[], local("docs/a.md", Standing::File)),
            source("gone", &[], local("gone", Standing::Missing)),
            source("other", &[], local("other", Standing::Directory)),
            inline("text", &[], "kb"),
        ]);
        let selection = selection(&["kb", "inner", "gone", "text"], &[("file", &["kb"])], &[]);
        for (arguments, expected) in [
            (json!({"path": "kb/README.md"}), Some("kb")),
            (json!({"path": "/w/kb/x/y.md"}), Some("kb")),
            (json!({"path": "./kb"}), Some("kb")),
            (json!({"path": "kb/../kb/inner/z"}), Some("inner")),
            (json!({"n": 1, "paths": ["x", {"p": "docs/a.md"}]}), Some("file")),
            (json!({"a": "docs/a.md", "b": "kb"}), Some("file")),
            (json!("kb/x"), Some("kb")),
            (json!({"command": "cat 'kb/README.md' | head"}), Some("kb")),
            (json!({"command": ["bash", "-c", "grep x <docs/a.md"]}), Some("file")),
            (json!({"cmd": "cat /w/kb/inner/x; ls"}), Some("inner")),
            (json!({"content": "see kb/README.md"}), None),
            (json!({"path": "kb-evil/x"}), None),
            (json!({"path": "docs/a.md.bak"}), None),
            (json!({"path": "docs"}), None),
            (json!({"path": "kb/../../etc/passwd"}), None),
            (json!({"path": "gone/x"}), None),
            (json!({"path": "other/x"}), None),
            (json!({"command": "make all"}), None),
            (json!({"path": ""}), None),
            (json!(null), None),
        ] {
            let found = pinned(&catalog, &selection, Path::new("/w"), &arguments).map(|it| it.ref_id.to_string());
            assert_eq!(found.as_deref(), expected, "{arguments}");
        }
    }
}
