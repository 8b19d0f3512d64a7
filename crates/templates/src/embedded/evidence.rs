//! Whether a code block is a template: it has a variable or a section, and it compiles in its engine (BEHAVIOUR §6).
//! `${{ … }}` belongs to another tool and does not count.

use std::borrow::Cow;

use crate::{Analysis, Syntax, analyse, handlebars, jinja, mustache, strip};
use refdesk_text::Error;

#[derive(Debug)]
pub(super) enum BlockVerdict {
    /// Not a template: there is nothing to fill in.
    None,
    /// It has a variable or a section, but does not compile.
    Broken(Error),
    Template(Box<Analysis>),
}

/// Whether the text contains delimiters that every template has. Cheap enough for large texts.
pub(super) fn may_hold(text: &str) -> bool {
    let has = |tag: &[u8]| memchr::memmem::find(text.as_bytes(), tag).is_some();
    has(b"{{") || has(b"{%")
}

/// Classifies the text of a block.
pub(super) fn judge(text: &str) -> BlockVerdict {
    let own = without_foreign(text);
    if !may_hold(&own) {
        return BlockVerdict::None;
    }
    let analysis = analyse(text, None);
    let own = strip(&own);
    let has_placeholders = match analysis.syntax {
        Syntax::Jinja2 => jinja::has_placeholders(&own.text),
        Syntax::Mustache => mustache::has_placeholders(&own.text),
        Syntax::Handlebars => handlebars::has_placeholders(&own.text),
    };
    if analysis.syntax == Syntax::Mustache && mustache::go_tag(&own.text).is_some() {
        return BlockVerdict::None;
    }
    match analysis.problem {
        // The variables of a broken block are unknown; it is reported only on request.
        Some(problem) => BlockVerdict::Broken(problem),
        None if has_placeholders => BlockVerdict::Template(Box::new(analysis)),
        None => BlockVerdict::None,
    }
}

/// The text without `${{ … }}`. `${{{NAME}}}` is a tag after a dollar sign and is kept.
fn without_foreign(text: &str) -> Cow<'_, str> {
    let mut own: Option<String> = None;
    let (mut kept, mut at) = (0, 0);
    while let Some(start) = text.get(at..).and_then(|rest| rest.find("${{")).map(|found| at + found) {
        at = start + 3;
        let inside = text.get(at..).unwrap_or_default();
        if inside.starts_with('{') {
            continue;
        }
        let Some(length) = inside.find("}}") else { break };
        own.get_or_insert_default().push_str(text.get(kept..start).unwrap_or_default());
        at += length + 2;
        kept = at;
    }
    match own {
        None => Cow::Borrowed(text),
        Some(mut own) => {
            own.push_str(text.get(kept..).unwrap_or_default());
            Cow::Owned(own)
        }
    }
}
