//! Finds paths among the arguments of a tool call. The caller decides which of them are known sources.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};

use serde_json::Value;

use refdesk_files::path::{clean, clean_behind_links};

/// Arguments with these names are commands, which may contain paths anywhere.
const COMMANDS: [&str; 4] = ["command", "cmd", "commands", "script"];

/// Longest text that counts as a path.
const LONGEST_PATH: usize = 4096;

/// Maximum number of texts and words checked per call: a command may contain a whole file.
const MAX_CHECKS: usize = 10_000;

/// Where relative paths of a tool call lead: to what exists in the folder that a command enters first, else in that in
/// which the agent works, else from the workspace.
#[derive(Clone, Copy)]
pub struct PathBase<'a> {
    /// The workspace, absolute.
    pub workspace: &'a Path,
    /// The folder in which the agent works, absolute, if known.
    pub cwd: Option<&'a Path>,
    /// Resolves the links of a path; `None` if it does not exist.
    pub resolve: &'a dyn Fn(&Path) -> Option<PathBuf>,
}

impl PathBase<'_> {
    fn folders(&self) -> impl Iterator<Item = &Path> {
        self.cwd.filter(|cwd| *cwd != self.workspace).into_iter().chain([self.workspace])
    }

    /// The path without `.` and `..`, and its value in the map. Looks at the disk only if there are several folders or
    /// a `..`, which leads up from the target of a link.
    fn known<'m, T>(&self, text: &str, entered: Option<&str>, places: &'m PathMap<T>) -> Option<(PathBuf, &'m T)> {
        let entered = entered.zip(self.folders().next()).map(|(folder, from)| from.join(folder));
        let folders = entered.as_deref().into_iter().chain(self.folders());
        let paths: Vec<PathBuf> = folders.map(|folder| folder.join(text)).collect();
        let leads_up = |path: &PathBuf| path.components().any(|part| part == Component::ParentDir);
        if !paths.iter().any(|path| leads_up(path) || places.innermost(&clean(path)).is_some()) {
            return None;
        }
        let mut paths: Vec<PathBuf> = paths.iter().map(|path| clean_behind_links(path, self.resolve)).collect();
        paths.dedup();
        let (here, others) = paths.split_last()?;
        let path = others.iter().find(|path| (self.resolve)(path).is_some()).unwrap_or(here);
        Some((path.clone(), places.innermost(path)?))
    }

    /// The resolved path of the first argument whose name marks it as a path. `..` is applied after links.
    pub(super) fn named_path(&self, arguments: &Value) -> Option<PathBuf> {
        let is_path = |name: &str| ["path", "file"].iter().any(|part| name.to_ascii_lowercase().contains(part));
        let mut named = arguments.as_object()?.iter().filter(|(name, _)| is_path(name));
        let text = named.find_map(|(_, value)| value.as_str())?.trim();
        if text.len() > LONGEST_PATH {
            return None;
        }
        self.folders().find_map(|folder| (self.resolve)(&folder.join(text)))
    }

    /// As [`Self::named_path`], of a call that returned this many lines and has no other argument that names a part of
    /// the file. A first line and a limit that the lines do not reach name all of it.
    pub(super) fn path_of_whole(&self, arguments: &Value, lines: usize) -> Option<PathBuf> {
        let names_all = |(name, value): &(&String, &Value)| match name.as_str() {
            _ if value.is_null() => true,
            "offset" => value.as_u64().is_some_and(|first| first <= 1),
            "limit" => value.as_u64().is_some_and(|most| most > lines as u64),
            _ => false,
        };
        let others = arguments.as_object()?.iter().filter(|argument| !names_all(argument)).count();
        (others == 1).then(|| self.named_path(arguments)).flatten()
    }
}

/// Calls `look` with each path in the arguments that is in the map or below a path in it, in order, and with its value,
/// and returns its first answer. In a command, quoted parts and single words come before the whole text, which may look
/// like a path too.
pub(super) fn find<P, T>(
    arguments: &Value,
    base: &PathBase,
    places: &PathMap<P>,
    mut look: impl FnMut(PathBuf, &P) -> Option<T>,
) -> Option<T> {
    let mut look = |text: &str, entered: Option<&str>| {
        let text = text.trim();
        let may_be = !text.is_empty() && text.len() <= LONGEST_PATH;
        let (path, value) = may_be.then(|| base.known(text, entered, places)).flatten()?;
        look(path, value)
    };
    walk(arguments, false, &mut StringWalk { left: MAX_CHECKS, look: &mut look })
}

/// Maps paths of the catalog to values.
#[derive(Debug)]
pub(super) struct PathMap<'p, T> {
    places: HashMap<&'p Path, T>,
    /// The number of components of the deepest path in the map. An argument may have thousands more.
    parts: usize,
}

impl<'p, T> PathMap<'p, T> {
    pub(super) fn new(places: HashMap<&'p Path, T>) -> Self {
        let parts = places.keys().map(|path| path.components().count()).max().unwrap_or(0);
        Self { places, parts }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// The value for this clean path, or for its innermost parent folder in the map.
    pub(super) fn innermost(&self, path: &Path) -> Option<&T> {
        let below = path.components().count().saturating_sub(self.parts);
        path.ancestors().skip(below).find_map(|path| self.places.get(path))
    }
}

struct StringWalk<'l, T> {
    left: usize,
    look: &'l mut dyn FnMut(&str, Option<&str>) -> Option<T>,
}

impl<T> StringWalk<'_, T> {
    /// The first answer for these texts, of a command that enters this folder; checks at most `most` of them.
    fn first(&mut self, most: usize, texts: impl Iterator<Item = impl AsRef<str>>, entered: Option<&str>) -> Option<T> {
        texts.take(most).find_map(|text| {
            self.left = self.left.saturating_sub(1);
            (self.look)(text.as_ref(), entered)
        })
    }
}

fn walk<T>(value: &Value, is_command: bool, at: &mut StringWalk<'_, T>) -> Option<T> {
    match value {
        _ if at.left == 0 => None,
        Value::String(text) if is_command => {
            let entered = entered(text);
            // Keep half of the checks for single words, in case the command has many quotes.
            at.first(at.left / 2, quoted(text), entered)
                .or_else(|| at.first(at.left.saturating_sub(1), words(text), entered))
                .or_else(|| at.first(at.left, std::iter::once(text.as_str()), entered))
        }
        Value::String(text) => at.first(at.left, std::iter::once(text.as_str()), None),
        Value::Array(values) => values.iter().find_map(|value| walk(value, is_command, at)),
        Value::Object(fields) => fields.iter().find_map(|(name, value)| {
            let is_named_so = COMMANDS.iter().any(|known| name.eq_ignore_ascii_case(known));
            walk(value, is_command || is_named_so, at)
        }),
        _ => None,
    }
}

/// The folder that a command enters before all else, as in `cd kb && cat README.md` and `set -e; (cd kb || exit; ls)`.
fn entered(command: &str) -> Option<&str> {
    let (ends, is_between) = (['&', '|', ';', '\n'], |c: char| c.is_whitespace() || matches!(c, '(' | '&' | ';'));
    let start = command.trim_start_matches(is_between);
    let after_options = start.strip_prefix("set -").and_then(|options| options.split_once(ends));
    let start = after_options.map_or(start, |(_, rest)| rest.trim_start_matches(is_between));
    let (folder, _) = start.strip_prefix("cd ")?.split_once(ends)?;
    let folder = folder.trim();
    let folder = folder.strip_prefix("-- ").unwrap_or(folder).trim_start();
    Some(folder.trim_matches(['"', '\''])).filter(|folder| folder.len() <= LONGEST_PATH)
}

/// Quoted parts of a command, for paths with blanks.
fn quoted(command: &str) -> impl Iterator<Item = &str> {
    ['"', '\''].into_iter().flat_map(move |quote| command.split(quote).skip(1).step_by(2))
}

/// Words of a command that may be paths: without quotes, operators, the name before a `=`, and the backslashes that
/// escape characters.
fn words(command: &str) -> impl Iterator<Item = Cow<'_, str>> {
    let mut is_escaped = false;
    let ends = move |c: char| {
        let is_literal = is_escaped;
        is_escaped = c == '\\' && !is_literal;
        let is_operator = matches!(c, '"' | '\'' | '`' | '=' | ';' | '|' | '&' | '<' | '>' | '(' | ')');
        !is_literal && (c.is_whitespace() || is_operator)
    };
    command.split(ends).filter(|word| !word.is_empty()).map(unescaped)
}

fn unescaped(word: &str) -> Cow<'_, str> {
    if !word.contains('\\') {
        return Cow::Borrowed(word);
    }
    let mut is_escape = false;
    let is_kept = |c: &char| {
        is_escape = *c == '\\' && !is_escape;
        !is_escape
    };
    Cow::Owned(word.chars().filter(is_kept).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn seen(arguments: &Value) -> Vec<PathBuf> {
        let mut seen = Vec::new();
        let all = PathMap::new(HashMap::from([(Path::new("/"), ())]));
        find(arguments, &PathBase { workspace: Path::new("/w"), cwd: None, resolve: &|_| None }, &all, |path, ()| {
            seen.push(path);
            None::<()>
        });
        seen
    }

    #[test]
    fn arguments_that_may_be_paths() {
        let long = "x".repeat(LONGEST_PATH + 1);
        for (arguments, expected) in [
            (json!({"a": "x y", "b": [" z ", 7, null, ""]}), &["/w/x y", "/w/z"][..]),
            (json!({"Command": "cat \"a b\""}), &["/w/a b", "/w/cat", "/w/a", "/w/b", "/w/cat \"a b\""]),
            (
                json!({"command": r"cat a\ b/c\(1\).md a\\ b"}),
                &["/w/cat", "/w/a b/c(1).md", r"/w/a\", "/w/b", r"/w/cat a\ b/c\(1\).md a\\ b"],
            ),
            (json!({"cmd": {"args": ["x>y"]}}), &["/w/x", "/w/y", "/w/x>y"]),
            (json!(long), &[]),
        ] {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(seen(&arguments), expected, "{arguments:.80}");
        }
    }

    #[test]
    fn the_argument_that_is_named_as_a_path() {
        for (arguments, expected) in [
            (json!({"pattern": "x", "file_path": "/x/../y", "path": "z"}), Some("/x/../y")),
            (json!({"files": ["a"], "notebookPath": " b "}), Some("/w/b")),
            (json!({"pattern": "x", "command": "cat x"}), None),
            (json!({"path": "x".repeat(LONGEST_PATH + 1)}), None),
            (json!("x"), None),
        ] {
            let resolve = |path: &Path| Some(path.to_owned());
            let base = PathBase { workspace: Path::new("/w"), cwd: None, resolve: &resolve };
            let found = base.named_path(&arguments);
            assert_eq!(found, expected.map(PathBuf::from), "{arguments:.80}");
        }
    }

    #[test]
    fn the_number_of_checks_per_call_is_limited() {
        let words = "a ".repeat(1_000_000);
        let quotes = "\"'".repeat(1_000_000);
        for (arguments, most) in [
            (json!({"command": words}), MAX_CHECKS),
            (json!({"command": format!("{quotes}{words}")}), MAX_CHECKS),
            (json!(vec!["a"; 50_000]), MAX_CHECKS),
            (json!({"command": vec!["a b"; 50_000]}), MAX_CHECKS),
        ] {
            let seen = seen(&arguments);
            assert!(seen.len() <= most && seen.contains(&PathBuf::from("/w/a")), "{}", seen.len());
        }
    }
}
