//! The fenced code blocks of a markdown text as a CommonMark parser finds them, including those in lists and quotes,
//! each with its info string and the heading above it. Other modules classify their contents.

use std::rc::Rc;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::names::slug;
use super::{BLOCKS, COMPILED};
use refdesk_text::lines::LineCounter;
use refdesk_text::markdown::parsable;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fence {
    /// The info string after the opening fence.
    pub info: String,
    /// The slug of the heading above it; empty if there is none.
    pub heading: String,
    pub text: String,
    /// The line where its text begins, from 1.
    pub line: usize,
}

/// The current headings of the document and of each open quote and list item. A heading in a quote does not apply to the
/// text after the quote.
struct Outline {
    levels: Vec<Vec<(pulldown_cmark::HeadingLevel, Rc<str>)>>,
}

impl Outline {
    fn heading(&mut self, level: pulldown_cmark::HeadingLevel, title: &str) {
        if let Some(headings) = self.levels.last_mut() {
            headings.retain(|(above, _)| *above < level);
            headings.push((level, slug(title).into()));
        }
    }

    /// The slug of the innermost heading above that has a non-empty one.
    fn nearest(&self) -> String {
        let headings = self.levels.iter().rev().flat_map(|headings| headings.iter().rev());
        let mut slugs = headings.map(|(_, slug)| &**slug);
        slugs.find(|slug| !slug.is_empty()).unwrap_or_default().to_owned()
    }
}

/// Why some blocks of a text were skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeftOut {
    /// The text has too many blocks.
    Blocks,
    /// Its blocks have too many bytes.
    Bytes,
    /// The text has more than [`SIGNS`](refdesk_text::markdown::SIGNS); everything after this line was skipped.
    Behind(usize),
}

/// The fenced blocks of `markdown` after byte `start`, at most [`BLOCKS`] with at most [`COMPILED`] bytes together, and
/// what was skipped. Omits blocks that cannot be templates.
pub(super) fn fences(markdown: &str, start: usize) -> (Vec<Fence>, Option<LeftOut>) {
    let whole = markdown.get(start..).unwrap_or_default();
    let body = parsable(whole);
    let is_cut = body.len() < whole.len();
    let mut lines = LineCounter::new(markdown);
    let mut outline = Outline { levels: vec![Vec::new()] };
    let (mut fences, mut open, mut title): (Vec<Fence>, Option<Fence>, Option<String>) = (Vec::new(), None, None);
    let mut bytes = 0;
    for (event, range) in Parser::new_ext(body, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                open = Some(Fence { info: info.into_string(), heading: String::new(), text: String::new(), line: 0 });
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some(fence) = open.take().filter(|fence| super::evidence::may_hold(&fence.text)) else { continue };
                if is_cut && range.end >= body.len() {
                    // The block may continue after the cut.
                    break;
                }
                bytes += fence.text.len();
                if fences.len() == BLOCKS {
                    return (fences, Some(LeftOut::Blocks));
                }
                if bytes > COMPILED {
                    return (fences, Some(LeftOut::Bytes));
                }
                fences.push(Fence { heading: outline.nearest(), ..fence });
            }
            Event::Start(Tag::Heading { .. }) => title = Some(String::new()),
            Event::End(TagEnd::Heading(level)) => outline.heading(level, &title.take().unwrap_or_default()),
            Event::Start(Tag::BlockQuote(_) | Tag::Item) => outline.levels.push(Vec::new()),
            Event::End(TagEnd::BlockQuote(_) | TagEnd::Item) => drop(outline.levels.pop()),
            Event::Text(text) => {
                if let Some(fence) = &mut open {
                    if fence.text.is_empty() {
                        fence.line = lines.line_of(start + range.start);
                    }
                    fence.text.push_str(&text);
                } else if let Some(title) = &mut title {
                    title.push_str(&text);
                }
            }
            Event::Code(text) => title.iter_mut().for_each(|title| title.push_str(&text)),
            Event::SoftBreak | Event::HardBreak => title.iter_mut().for_each(|title| title.push(' ')),
            _ => {}
        }
    }
    let behind = || LeftOut::Behind(lines.line_of(start + body.len()).saturating_sub(1));
    (fences, is_cut.then(behind))
}
