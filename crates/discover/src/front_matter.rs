//! Front matter: YAML between `---` lines or TOML between `+++` lines at the top of a document. It may contain
//! anything. What cannot be parsed is reported once, and its simple `key: value` lines are still read.

use serde_json::{Map, Value};

use refdesk_text::lines::{breaks, front_matter, single_spaced};
use refdesk_text::shorten::beginning;
use refdesk_text::yaml::{RepeatedKeys, read as read_yaml};

/// The most bytes of front matter to read.
const LIMIT: usize = 64 * 1024;

/// The most YAML values to read.
pub(crate) const VALUES: usize = 20_000;

/// The most items of a list to read.
const ITEMS: usize = 64;

/// The metadata of a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FrontMatter {
    /// `title`, else `name`.
    pub title: Option<String>,
    pub name: Option<String>,
    /// `description`, else `summary`.
    pub description: Option<String>,
    /// `tags` and `keywords`, in order.
    pub tags: Vec<String>,
    /// `globs` of a rule.
    pub globs: Vec<String>,
    /// `alwaysApply` of a rule.
    pub always_applies: bool,
    /// The byte at which the body begins.
    pub end: usize,
    /// A problem, and its line in the document.
    pub problem: Option<(usize, String)>,
}

/// Reads the front matter of a text. Without any, the body begins at byte 0.
pub(crate) fn read(text: &str) -> FrontMatter {
    let Some(block) = cut(text) else { return FrontMatter::default() };
    let (members, problem) = match block.end {
        None => (flat(block.inner), Some((1, "the front matter has no closing line".to_owned()))),
        Some(_) if block.inner.len() > LIMIT => {
            let message = format!("the front matter exceeds the limit of {LIMIT} bytes (64 KiB) and is not read");
            (Map::new(), Some((1, message)))
        }
        Some(_) => match parse(&block) {
            Ok(members) => (members, None),
            Err(problem) => (flat(block.inner), Some(problem)),
        },
    };
    let end = block.end.unwrap_or(block.inner_end);
    let text =
        |key: &str| members.get(key).and_then(scalar).map(|text| single_spaced(&text)).filter(|it| !it.is_empty());
    let mut tags = list(members.get("tags"));
    tags.extend(list(members.get("keywords")));
    tags.extend(list(members.get("taxonomies").and_then(|inner| inner.get("tags"))));
    FrontMatter {
        title: text("title").or_else(|| text("name")),
        name: text("name"),
        description: text("description").or_else(|| text("summary")),
        tags,
        globs: list(members.get("globs")),
        always_applies: members.get("alwaysApply").and_then(scalar).is_some_and(|word| word == "true"),
        end,
        problem,
    }
}

enum Language {
    Yaml,
    Toml,
}

struct Block<'a> {
    language: Language,
    /// Between the two lines.
    inner: &'a str,
    inner_end: usize,
    /// The end of the closing line; `None` without one.
    end: Option<usize>,
}

/// The block between a first `---` or `+++` line and the next one. Before a blank line, `---` is a Markdown rule. If it
/// is not closed, it is one too, unless a `key: value` line follows.
fn cut(text: &str) -> Option<Block<'_>> {
    let first = text.split_inclusive('\n').next()?;
    let (language, fence, separator) = match first.trim_end() {
        "---" => (Language::Yaml, "---", ':'),
        "+++" => (Language::Toml, "+++", '='),
        _ => return None,
    };
    if let Some((inner, end)) = front_matter(text, fence) {
        return Some(Block { language, inner_end: inner.end, inner: text.get(inner)?, end: Some(end) });
    }
    // Not closed: the lines before the first blank line or heading.
    let start = first.len();
    let rest = text.get(start..)?;
    let is_over = |line: &str| line.trim().is_empty() || line.starts_with('#');
    let length = rest.split_inclusive('\n').take_while(|line| !is_over(line)).map(str::len).sum::<usize>();
    let inner = beginning(rest, length.min(LIMIT));
    let is_meant = inner.lines().next()?.split_once(separator).is_some_and(|(key, _)| is_key(key));
    is_meant.then_some(Block { language, inner, inner_end: start + inner.len(), end: None })
}

fn is_key(text: &str) -> bool {
    let key = text.trim();
    !key.is_empty() && key.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))
}

/// The members of a block; an error has its line in the document.
fn parse(block: &Block<'_>) -> Result<Map<String, Value>, (usize, String)> {
    match block.language {
        Language::Yaml => yaml(block.inner),
        Language::Toml => {
            let table: Result<toml::Table, _> = toml::from_str(block.inner);
            let table = table.map_err(|error| {
                let at = error.span().map_or(0, |span| span.start);
                let line = block.inner.get(..at).map_or(0, breaks);
                (line + 2, format!("the front matter is not TOML: {}", first_line(error.message())))
            })?;
            match serde_json::to_value(table) {
                Ok(Value::Object(members)) => Ok(members),
                _ => Ok(Map::new()),
            }
        }
    }
}

/// The members of a YAML map; its nesting, aliases and size are bounded.
fn yaml(inner: &str) -> Result<Map<String, Value>, (usize, String)> {
    if inner.trim().is_empty() {
        return Ok(Map::new());
    }
    match read_yaml(&quoted_globs(inner), VALUES, RepeatedKeys::FirstWins) {
        Ok(Value::Object(members)) => Ok(members),
        Ok(Value::Null) => Ok(Map::new()),
        Ok(_) => Err((2, "the front matter is not a map of names and values".to_owned())),
        Err(problem) => Err((problem.line + 1, problem.of("the front matter"))),
    }
}

/// Quotes the value of `globs: **/*.rs`, as rules write it, because YAML would read an alias.
fn quoted_globs(inner: &str) -> String {
    let line = |line: &str| match line.strip_prefix("globs:").map(str::trim) {
        Some(globs) if globs.starts_with('*') || globs.contains(", *") => {
            format!("globs: \"{}\"\n", globs.replace(['"', '\\'], ""))
        }
        _ => line.to_owned(),
    };
    inner.split_inclusive('\n').map(line).collect()
}

/// The `key: value` or `key = value` lines without indentation.
fn flat(inner: &str) -> Map<String, Value> {
    let mut members = Map::new();
    for line in beginning(inner, LIMIT).lines() {
        let Some((key, value)) = line.split_once([':', '=']) else { continue };
        if !is_key(key) || key.starts_with(char::is_whitespace) {
            continue;
        }
        let value = value.trim();
        let bare = |value: &str| value.trim().trim_matches(['"', '\'']).to_owned();
        let value = match value.strip_prefix('[').map(|rest| rest.trim_end_matches(']')) {
            Some(items) => items.split(',').filter(|item| is_plain(item)).map(|item| Value::from(bare(item))).collect(),
            None if is_plain(value) => Value::from(bare(value)),
            None => continue,
        };
        members.entry(key.trim()).or_insert(value);
    }
    members
}

/// Whether a value does not begin with YAML syntax: an anchor, an alias, a tag, a list or a map.
fn is_plain(value: &str) -> bool {
    !value.trim().starts_with(['&', '*', '!', '[', ']', '{', '}', '|', '>', '%', '@', '`'])
}

fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

/// The items of a list, or of a comma-separated text.
fn list(value: Option<&Value>) -> Vec<String> {
    let items: Vec<String> = match value {
        Some(Value::Array(items)) => items.iter().take(ITEMS).filter_map(scalar).collect(),
        Some(value) => {
            scalar(value).map(|text| text.split(',').take(ITEMS).map(str::to_owned).collect()).unwrap_or_default()
        }
        None => Vec::new(),
    };
    items.iter().map(|item| single_spaced(item)).filter(|item| !item.is_empty()).collect()
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests;
