//! Translates common Handlebars into the crate's dialect: `{{.}}`, plain and inverted sections of dotted names. Only tags
//! are rewritten and no line is added or removed, so line numbers stay the same.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::{Captures, Regex};

use super::handlebars_helpers::SECTION;
use refdesk_text::Error;
use refdesk_text::lines::breaks;

/// Comments and escaped braces are matched too, so that nothing is found inside them.
static TAG: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?s)\{\{~?!--.*?--~?\}\}|\{\{~?!.*?\}\}|\\\{\{|(?<raw>\{\{\{\{)|(?<open>\{\{\{?~?)(?<sigil>[#^/&]?)(?<content>[^{}]*?)(?<close>~?\}\}\}?)",
    )
    .ok()
});

/// The template in the crate's dialect.
///
/// # Errors
///
/// It has blocks other than control flow (raw blocks, partials, decorators); with the line.
pub(super) fn translate(text: &str) -> Result<Cow<'_, str>, Error> {
    let (mut open, mut refused) = (Vec::new(), None);
    let Some(tag) = TAG.as_ref() else { return Ok(Cow::Borrowed(text)) };
    let translated = tag.replace_all(text, |found: &Captures<'_>| {
        let at = found.get(0).map_or(0, |whole| whole.start());
        let mut refuse = |what: String, why: &str| {
            refused.get_or_insert_with(|| {
                let line = breaks(text.get(..at).unwrap_or_default()) + 1;
                super::handlebars::refused(line, &what, why)
            });
        };
        if found.name("raw").is_some() {
            refuse("a raw block".to_owned(), "write \\{{ for braces that are not a tag");
        }
        rewritten_tag(found, &mut open, &mut refuse).unwrap_or_else(|| whole(found))
    });
    refused.map_or(Ok(translated), Err)
}

/// A tag or comment and its position.
pub(crate) struct HandlebarsTag<'a> {
    pub range: Range<usize>,
    /// `#`, `^`, `/`, `&`, or nothing.
    pub sigil: &'a str,
    /// Whether a `~` trims the white space before it.
    pub trims_before: bool,
    /// Whether a `~` trims the white space after it.
    pub trims_after: bool,
}

/// Every tag and comment, in order.
pub(crate) fn tags(text: &str) -> impl Iterator<Item = HandlebarsTag<'_>> {
    let found = TAG.as_ref().map(|tag| tag.captures_iter(text));
    found.into_iter().flatten().filter_map(|found| {
        let whole = found.get(0)?;
        let is_tag = !whole.as_str().starts_with('\\');
        Some(HandlebarsTag {
            range: whole.range(),
            sigil: found.name("sigil").map_or("", |sigil| sigil.as_str()),
            trims_before: is_tag && whole.as_str().trim_start_matches('{').starts_with('~'),
            trims_after: is_tag && whole.as_str().trim_end_matches('}').ends_with('~'),
        })
    })
}

fn whole(found: &Captures<'_>) -> String {
    found.get(0).map(|whole| whole.as_str().to_owned()).unwrap_or_default()
}

/// The tag in the crate's dialect; `None` if it needs no change. `open` has the closing name of each open block.
fn rewritten_tag(
    found: &Captures<'_>,
    open: &mut Vec<Option<&'static str>>,
    refuse: &mut impl FnMut(String, &str),
) -> Option<String> {
    let part = |name| found.name(name).map_or("", |part| part.as_str());
    let (begin, end, content) = (part("open"), part("close"), part("content"));
    let mut words = content.split_whitespace();
    let (first, is_single) = (words.next()?, words.next().is_none());
    match part("sigil") {
        "#" if first.starts_with('>') || first.starts_with('*') => {
            let name = content.trim_start_matches(|c: char| c.is_whitespace() || c == '>' || c == '*');
            let name = name.split_whitespace().next().unwrap_or_default();
            if first.starts_with('>') {
                refuse(format!("partial '{name}'"), "only Mustache templates have partials");
            } else {
                refuse(format!("decorator '{name}'"), "a template cannot define anything");
            }
            open.push(None);
            None
        }
        "#" if is_single && !["if", "unless", "each", "with"].contains(&first) => {
            open.push(Some(SECTION));
            Some(format!("{begin}#{SECTION} {}{end}", this(content)))
        }
        "#" => {
            open.push(None);
            Some(format!("{begin}#{}{end}", this(content)))
        }
        "^" => {
            open.push(Some("unless"));
            Some(format!("{begin}#unless {}{end}", this(content)))
        }
        "/" => open.pop().flatten().map(|closes| format!("{begin}/{closes}{end}")),
        sigil => is_single.then(|| format!("{begin}{sigil}{}{end}", this(content))),
    }
}

/// Replaces `.` as a separate word, which means the value itself.
fn this(content: &str) -> Cow<'_, str> {
    if !content.split_whitespace().any(|word| word == ".") {
        return Cow::Borrowed(content);
    }
    let words = content.split_inclusive(char::is_whitespace);
    Cow::Owned(words.map(|word| if word.trim() == "." { word.replace('.', "this") } else { word.to_owned() }).collect())
}
