//! Translates common Handlebars into the crate's dialect: `{{.}}`, `{{..}}` and `{{@root}}`, plain and inverted sections
//! of dotted names, `~`, and tags that are alone on their line. No line is added or removed, so line numbers stay the
//! same.
//!
//! The crate trims white space differently from handlebars.js: `~` also affects white space beyond comments, and can
//! make the crate trim the line of the next tag. So white space to trim is turned into a comment here, and the crate
//! finds nothing to trim.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::handlebars_helpers::{INVERTED, SECTION};
use crate::tags::alone;
use refdesk_text::Error;
use refdesk_text::lines::breaks;

/// Also matches comments, and backslashes before braces, so that nothing is found inside them. One backslash makes the
/// braces literal text; of several, one is removed.
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"(?s)(?<comment>\{\{~?!--.*?--~?\}\}|\{\{~?!.*?\}\})|\\{2,}|\\\{\{|(?<raw>\{\{\{\{)",
        r"|(?<open>\{\{~?\{?~?)(?<sigil>[#^/&]?)(?<content>[^{}]*?)(?<close>~?\}?~?\}\})",
    ))
    .ok()
});

/// The template in the crate's dialect.
///
/// # Errors
///
/// It has blocks other than control flow (raw blocks, partials, decorators); with the line.
pub(super) fn translate(text: &str) -> Result<String, Error> {
    let (mut out, mut copied) = (String::with_capacity(text.len()), 0);
    let (mut open, mut refused) = (Vec::new(), None);
    let found = TAG.as_ref().map(|tag| tag.captures_iter(text));
    for found in found.into_iter().flatten() {
        let Some(tag) = HandlebarsTag::new(&found) else { continue };
        let Range { start, end } = tag.range;
        let mut refuse = |what: String, why: &str| {
            refused.get_or_insert_with(|| {
                let line = breaks(text.get(..start).unwrap_or_default()) + 1;
                super::handlebars::refused(line, &what, why)
            });
        };
        if found.name("raw").is_some() {
            refuse("a raw block".to_owned(), "write \\{{ for braces that are not a tag");
        }
        let (from, to) = trimmed(text, &tag);
        let from = from.max(copied);
        out.push_str(text.get(copied..from).unwrap_or_default());
        push_blank(&mut out, text.get(from..start));
        match found.name("comment") {
            Some(comment) => {
                let inside = comment.as_str().trim_start_matches(['{', '~']);
                let inside = inside.strip_prefix('!').unwrap_or(inside).trim_end_matches('}').trim_end_matches('~');
                // A dot distinguishes an empty comment from white space that is not printed.
                let mark = if inside.trim().is_empty() { "." } else { "" };
                out.push_str(&format!("{{{{!{mark}{inside}}}}}"));
            }
            None => out.push_str(&rewritten_tag(&found, &mut open, &mut refuse)),
        }
        push_blank(&mut out, text.get(end..to));
        copied = to;
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    refused.map_or(Ok(out), Err)
}

/// Adds white space that is not printed, as a comment.
fn push_blank(out: &mut String, blank: Option<&str>) {
    if let Some(blank) = blank.filter(|blank| !blank.is_empty()) {
        out.push_str(&format!("{{{{!{blank}}}}}"));
    }
}

/// A tag or comment and its position.
pub(crate) struct HandlebarsTag<'a> {
    pub range: Range<usize>,
    /// `#`, `^`, `/`, `&`, or nothing.
    pub sigil: &'a str,
    /// Whether it is a comment that hides the end of a line.
    pub ends_line: bool,
    /// Whether a `~` trims the white space before and after it.
    trims: [bool; 2],
    /// Whether its line is removed if there is nothing else on it.
    is_line: bool,
}

impl<'a> HandlebarsTag<'a> {
    /// `None` for backslashes.
    fn new(found: &Captures<'a>) -> Option<Self> {
        let whole = found.get(0).filter(|whole| !whole.as_str().starts_with('\\'))?;
        let part = |name| found.name(name).map_or("", |part| part.as_str());
        let (sigil, text) = (part("sigil"), whole.as_str());
        let is_comment = found.name("comment").is_some();
        let is_block = matches!(sigil, "#" | "^" | "/") || part("content").split_whitespace().next() == Some("else");
        let hidden = text.strip_prefix("{{!").and_then(|text| text.strip_suffix("}}")).unwrap_or("c");
        Some(Self {
            range: whole.range(),
            sigil,
            ends_line: hidden.contains('\n') && hidden.trim().is_empty(),
            trims: [text.trim_start_matches('{').starts_with('~'), text.trim_end_matches('}').ends_with('~')],
            is_line: is_comment || is_block,
        })
    }
}

/// Every tag and comment, in order.
pub(crate) fn tags(text: &str) -> impl Iterator<Item = HandlebarsTag<'_>> {
    let found = TAG.as_ref().map(|tag| tag.captures_iter(text));
    found.into_iter().flatten().filter_map(|found| HandlebarsTag::new(&found))
}

/// Where the trimmed white space before a tag begins, and where that after it ends.
fn trimmed(text: &str, tag: &HandlebarsTag<'_>) -> (usize, usize) {
    let Range { start, end } = tag.range;
    let line = if tag.is_line { alone(text, start, end) } else { None };
    let (from, to) = line.unwrap_or((start, end));
    let [before, after] = tag.trims;
    (
        if before { text.get(..start).map_or(start, |before| before.trim_end().len()) } else { from },
        if after { text.get(end..).map_or(end, |after| text.len() - after.trim_start().len()) } else { to },
    )
}

/// The block helpers.
const BLOCKS: [&str; 4] = ["if", "unless", "each", "with"];

/// The tag in the crate's dialect. `open` contains the closing name of each open block.
fn rewritten_tag(
    found: &Captures<'_>,
    open: &mut Vec<Option<&'static str>>,
    refuse: &mut impl FnMut(String, &str),
) -> String {
    let part = |name| found.name(name).map_or("", |part| part.as_str());
    let (begin, end, content) = (part("open").replace('~', ""), part("close").replace('~', ""), part("content"));
    let mut words = content.split_whitespace();
    let (first, is_single) = (words.next(), words.next().is_none());
    match (part("sigil"), first) {
        ("#", Some(first)) if first.starts_with(['>', '*']) => {
            let name = content.trim_start_matches(|c: char| c.is_whitespace() || c == '>' || c == '*');
            let name = name.split_whitespace().next().unwrap_or_default();
            if first.starts_with('>') {
                refuse(format!("partial '{name}'"), "only Mustache templates have partials");
            } else {
                refuse(format!("decorator '{name}'"), "a template cannot define anything");
            }
            open.push(None);
            format!("{begin}#{content}{end}")
        }
        ("#", Some(first)) if is_single && !BLOCKS.contains(&first) => {
            open.push(Some(SECTION));
            format!("{begin}#{SECTION} {}{end}", this(content))
        }
        ("#", Some(first))
            if !BLOCKS.contains(&first) && content.split_once(" as |").is_some_and(|(of, _)| of.trim() == first) =>
        {
            let content = content.trim();
            let instead = format!("write {{{{#each {content}}}}}, or {{{{#with {content}}}}} for an object");
            refuse(format!("'{{{{#{content}}}}}'"), &instead);
            open.push(None);
            format!("{begin}#{content}{end}")
        }
        ("#", Some(_)) => {
            open.push(None);
            format!("{begin}#{}{end}", this(content))
        }
        ("^", Some(_)) if is_single => {
            open.push(Some(INVERTED));
            format!("{begin}#{INVERTED} {}{end}", this(content))
        }
        ("^", Some(first @ ("if" | "unless"))) => {
            let opposite = if first == "if" { "unless" } else { "if" };
            open.push(Some(opposite));
            format!("{begin}#{opposite}{}{end}", this(content.trim_start().trim_start_matches(first)))
        }
        ("^", Some(first)) => {
            refuse(format!("'^{first}'"), &format!("write {{{{else}}}} in a block '{first}'"));
            open.push(None);
            format!("{begin}#{content}{end}")
        }
        ("/", Some(_)) => format!("{begin}/{}{end}", open.pop().flatten().unwrap_or(content)),
        // Only the braces of a raw block were found.
        _ if found.name("raw").is_some() => part("raw").to_owned(),
        (sigil, _) => format!("{begin}{sigil}{}{end}", this(content)),
    }
}

/// Writes words that mean a whole value as the crate knows them: `.`, `..` and `@root`.
fn this(content: &str) -> Cow<'_, str> {
    let is_path = |word: &str| word == "@root" || word == ".." || word.ends_with("/..");
    if !content.split_whitespace().any(|word| word == "." || is_path(word)) {
        return Cow::Borrowed(content);
    }
    let words = content.split_inclusive(char::is_whitespace);
    let rewritten = |word: &str| match word.trim() {
        "." => word.replace('.', "this"),
        path if is_path(path) => word.replace(path, &format!("{path}/this")),
        _ => word.to_owned(),
    };
    Cow::Owned(words.map(rewritten).collect())
}
