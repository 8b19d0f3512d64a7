//! What the engine must read otherwise than it is written, so that it answers as Jinja2 does: operators, loops and
//! comparisons go through filters of ours (`render::jinja::operators`), slices through a method (`render::jinja::slices`). No edit adds or takes a line break, so the
//! lines of what the engine reads are those of the template.

/// Bytes of a template and what the engine reads in their place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edit {
    /// The first byte.
    pub from: usize,
    /// The byte after the last; the first one where something is only put in.
    pub to: usize,
    /// What the engine reads.
    pub text: &'static str,
}

/// The template as the engine reads it.
pub fn mended(template: &str, mut edits: Vec<Edit>) -> String {
    // Of those at one place the inner one was found first, and a stable order keeps it there.
    edits.sort_by_key(|edit| edit.from);
    let added: usize = edits.iter().map(|edit| edit.text.len()).sum();
    let (mut out, mut at) = (String::with_capacity(template.len() + added), 0);
    for edit in edits {
        out.push_str(template.get(at..edit.from).unwrap_or_default());
        out.push_str(edit.text);
        at = edit.to;
    }
    out.push_str(template.get(at..).unwrap_or_default());
    out
}

/// What a piece of a mended template looks like to somebody who wrote it.
pub fn shown(mended: &str) -> String {
    let mut out = mended.to_owned();
    for (ours, sign) in SHOWN {
        out = out.replace(ours, sign);
    }
    out
}

const SHOWN: [(&str, &str); 18] = [
    (".__slice__(", "["),
    ("\tNone", ""),
    (",\t", ":"),
    ("\t)", "]"),
    ("|__given__", ""),
    (")|__each__", ")"),
    ("|__lt__(", "<"),
    ("|__le__(", "<="),
    ("|__gt__(", ">"),
    ("|__ge__(", ">="),
    ("|__add__(", "+"),
    ("|__sub__(", "-"),
    ("|__cat__(", "~"),
    ("|__mul__(", "*"),
    ("|__truediv__(", "/"),
    ("|__floordiv__(", "//"),
    ("|__mod__(", "%"),
    ("|__pow__(", "**"),
];
