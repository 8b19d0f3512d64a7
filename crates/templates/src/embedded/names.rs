//! Names of embedded templates, made from front matter, heading and language. They are safe as file names, and unique over
//! all blocks of a desk (BEHAVIOUR §6).

use std::collections::HashMap;

use super::EmbeddedBlock;
use refdesk_text::shorten::beginning;
use refdesk_text::words::{is_digit, is_letter};

/// The most characters of a heading's slug.
const SLUG: usize = 60;

/// The most bytes of a file name.
const NAME: usize = 255;

/// Languages as written after a fence, with their file extensions.
const ENDINGS: [(&str, &[&str]); 20] = [
    ("java", &["java"]),
    ("py", &["py", "python", "python3"]),
    ("js", &["js", "javascript"]),
    ("ts", &["ts", "typescript"]),
    ("go", &["go", "golang"]),
    ("rs", &["rs", "rust"]),
    ("cs", &["cs", "csharp", "c#"]),
    ("kt", &["kt", "kotlin"]),
    ("rb", &["rb", "ruby"]),
    ("sh", &["sh", "bash", "shell", "zsh"]),
    ("sql", &["sql"]),
    ("yaml", &["yaml", "yml"]),
    ("json", &["json"]),
    ("xml", &["xml"]),
    ("html", &["html"]),
    ("css", &["css"]),
    ("md", &["md", "markdown"]),
    ("toml", &["toml"]),
    ("properties", &["properties"]),
    ("cpp", &["cpp", "c++"]),
];

/// The file extension for the language at the start of an info string; empty if it is unknown. `java title="x"`,
/// `java,ignore`, `java:src/X.java` and `{.java}` are all java.
pub(crate) fn ending(info: &str) -> &'static str {
    let info = info.trim_start_matches(|c: char| c.is_whitespace() || c == '{' || c == '.');
    let word = info.split(|c: char| !(c.is_ascii_alphanumeric() || c == '+' || c == '#')).next().unwrap_or_default();
    let word = word.to_ascii_lowercase();
    let known = ENDINGS.iter().find(|(_, names)| names.contains(&word.as_str()));
    known.map_or("", |(ending, _)| ending)
}

/// A heading as part of a name: without a leading `Template N:`, in lower case, letters and digits joined by single `-`.
pub(crate) fn slug(heading: &str) -> String {
    let (mut slug, mut length) = (String::new(), 0);
    // The lower case of `İ` is two characters, one of which is not a letter.
    let lower: String = without_number(heading).chars().flat_map(char::to_lowercase).collect();
    for part in lower.split(|c: char| !is_kept(c)).filter(|part| !part.is_empty()) {
        let dash = (!slug.is_empty()).then_some('-');
        for c in dash.into_iter().chain(part.chars()) {
            if length == SLUG {
                break;
            }
            slug.push(c);
            length += 1;
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

/// Whether a name keeps this character: letters and decimal digits, so not `²` or `Ⅷ`.
fn is_kept(c: char) -> bool {
    is_letter(c) || is_digit(c)
}

/// The heading after `Template N:`, in any case; the number may be missing, as it usually is.
fn without_number(heading: &str) -> &str {
    let behind = || {
        let (word, rest) = heading.trim_start().split_at_checked("template".len())?;
        let number = rest.trim_start();
        let behind = number.trim_start_matches(is_digit);
        let is_apart = behind.len() == number.len() || number.len() < rest.len();
        (word.eq_ignore_ascii_case("template") && is_apart).then(|| behind.trim_start().strip_prefix(':')).flatten()
    };
    behind().unwrap_or(heading)
}

/// An id as part of a file name: letters, digits, `.`, `_` and `-` are kept, every other character becomes `-`, and
/// leading dots are removed. Without slashes, it cannot lead out of its folder.
fn safe_id(id: &str) -> String {
    let id: String =
        id.trim().chars().map(|c| if is_kept(c) || matches!(c, '.' | '_' | '-') { c } else { '-' }).collect();
    id.trim_start_matches('.').to_owned()
}

/// The start of a name: the id and the heading's slug, if present.
pub(crate) fn stem(id: Option<&str>, heading: &str) -> String {
    let id = id.map(safe_id).unwrap_or_default();
    match (id.is_empty(), heading.is_empty()) {
        (false, false) => format!("{id}-{heading}"),
        (false, true) => id,
        _ => heading.to_owned(),
    }
}

/// Gives file names to blocks in order; equal content gets the same name. Names that differ only in case count as equal, as
/// on some file systems.
#[derive(Debug, Default)]
pub(crate) struct BlockNames {
    /// By hash of the content.
    stored: HashMap<String, String>,
    /// The hash of the content, by name in lower case.
    taken: HashMap<String, String>,
    numbers: HashMap<String, usize>,
}

impl BlockNames {
    /// The name of a block; `is_free` may reject a candidate.
    pub(crate) fn give(&mut self, block: &EmbeddedBlock, is_free: impl Fn(&str) -> bool) -> String {
        if let Some(known) = self.stored.get(&block.hash) {
            return known.clone();
        }
        let is_other = |own: &String| match self.taken.get(&own.to_lowercase()) {
            Some(hash) => *hash != block.hash,
            None => !is_free(own),
        };
        let first = name(block, 0);
        let mut own = first.clone();
        if is_other(&own) {
            // Continue after the last number, so that ten thousand blocks with one name take one pass.
            let number = self.numbers.entry(first.to_lowercase()).or_insert(0);
            while is_other(&own) {
                *number += 1;
                own = name(block, *number);
            }
        }
        self.taken.insert(own.to_lowercase(), block.hash.clone());
        self.stored.insert(block.hash.clone(), own.clone());
        own
    }

    /// Records the existing name of some content, unless other content has it. A block with this content gets the name
    /// only if it is its own too: the name may come from a text that its reader never got.
    pub(crate) fn keep(&mut self, hash: &str, name: &str) {
        self.taken.entry(name.to_lowercase()).or_insert_with(|| hash.to_owned());
    }
}

/// `stem-1.java.tmpl`, or without the number if it is 0; the stem is cut if the name would be too long.
fn name(block: &EmbeddedBlock, number: usize) -> String {
    let unnamed = || format!("template-{}", block.hash.get(..8).unwrap_or_default());
    let stem = if block.stem.is_empty() { unnamed() } else { block.stem.clone() };
    let number = if number == 0 { String::new() } else { format!("-{number}") };
    let dot = if block.ending.is_empty() { "" } else { "." };
    let rest = format!("{number}{dot}{}.tmpl", block.ending);
    format!("{}{rest}", beginning(&stem, NAME - rest.len()))
}
