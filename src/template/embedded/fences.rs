//! The fenced code blocks of a markdown text, as a CommonMark parser finds them: nested in lists and quotes, with any
//! info string, with the heading that each stands under. What is in them is another file's business.

use std::rc::Rc;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::names::slug;
use crate::text::lines::LineCounter;

/// A fenced code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fence {
    /// What stands behind the opening fence.
    pub info: String,
    /// The slug of the heading it stands under; empty where there is none.
    pub heading: String,
    /// Its text.
    pub text: String,
    /// The line where its text begins, from 1.
    pub line: usize,
}

/// The headings above, of the document and of each quote and list item that is open: what is said in a quote is no
/// heading of what follows it.
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

    /// The nearest heading of this section, or of one around it, that makes a slug.
    fn nearest(&self) -> String {
        let headings = self.levels.iter().rev().flat_map(|headings| headings.iter().rev());
        let mut slugs = headings.map(|(_, slug)| &**slug);
        slugs.find(|slug| !slug.is_empty()).unwrap_or_default().to_owned()
    }
}

/// The fenced blocks of `markdown` behind byte `start`, at most so many; the flag tells that there are more. Blocks without
/// any sign of a template are passed over.
pub fn fences(markdown: &str, start: usize, most: usize) -> (Vec<Fence>, bool) {
    let body = markdown.get(start..).unwrap_or_default();
    let mut lines = LineCounter::new(markdown);
    let mut outline = Outline { levels: vec![Vec::new()] };
    let (mut fences, mut open, mut title): (Vec<Fence>, Option<Fence>, Option<String>) = (Vec::new(), None, None);
    for (event, range) in Parser::new_ext(body, Options::empty()).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                open = Some(Fence { info: info.into_string(), heading: String::new(), text: String::new(), line: 0 });
            }
            Event::End(TagEnd::CodeBlock) => {
                let Some(fence) = open.take().filter(|fence| super::evidence::may_hold(&fence.text)) else { continue };
                if fences.len() == most {
                    return (fences, true);
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
            Event::Code(text) => {
                if let Some(title) = &mut title {
                    title.push_str(&text);
                }
            }
            Event::SoftBreak | Event::HardBreak => {
                if let Some(title) = &mut title {
                    title.push(' ');
                }
            }
            _ => {}
        }
    }
    (fences, false)
}
