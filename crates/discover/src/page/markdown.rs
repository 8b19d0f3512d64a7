//! Reads Markdown: its headings, its words, and the paragraphs and lists that may describe it.

use std::ops::Range;

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use super::{Collected, HEADINGS};
use crate::words::COUNTED;
use refdesk_text::lines::single_spaced;
use refdesk_text::shorten::beginning;

/// The most words of a value that is not a sentence.
const SHORT_VALUE: usize = 3;

/// Keys of metadata lines, such as decision records have below their title.
const KEYS: &str = "approvers|author|authors|consulted|created|date|deciders|decision-makers|drivers|informed|issue|last updated|\
                    owner|owners|reviewers|status|superseded by|supersedes|tags|technical story|updated|version";

/// The nesting depth of items in a top-level list.
const ITEM: usize = 2;

/// Reads Markdown, without code blocks and HTML.
pub(super) fn read(text: &str, collected: &mut Collected) {
    let text = head(text);
    let mut reader = Reader {
        text,
        collected,
        context: Context::Other,
        depth: 0,
        images: 0,
        links: 0,
        inner: String::new(),
        letters: 0,
        html: String::new(),
        is_left_out: false,
        blocks: 0,
        items: Vec::new(),
    };
    let events = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES).into_offset_iter();
    events.for_each(|(event, range)| reader.read(event, range));
}

/// What the text of an event belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Heading,
    /// A top-level paragraph.
    Paragraph,
    Other,
    Code,
}

struct Reader<'a> {
    text: &'a str,
    collected: &'a mut Collected,
    context: Context,
    /// How many quotes, lists, tables and footnotes are open.
    depth: usize,
    images: usize,
    links: usize,
    /// The text of the heading, paragraph or item.
    inner: String,
    /// The number of its letters outside links and images.
    letters: usize,
    html: String,
    /// Whether the paragraph does not belong to the document's text.
    is_left_out: bool,
    /// The enclosing `:::` blocks.
    blocks: usize,
    /// The items of the list that follows a paragraph.
    items: Vec<String>,
}

impl Reader<'_> {
    fn read(&mut self, event: Event<'_>, range: Range<usize>) {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                self.context = Context::Heading;
                self.inner.clear();
            }
            Event::End(TagEnd::Heading(level)) => {
                self.context = Context::Other;
                self.collected.heading(&self.inner, level == HeadingLevel::H1);
            }
            Event::Start(Tag::Paragraph) if self.depth == 0 => self.begin_paragraph(range),
            Event::End(TagEnd::Paragraph) if self.depth == 0 => self.end_paragraph(),
            Event::Start(Tag::CodeBlock(_)) => self.context = Context::Code,
            Event::End(TagEnd::CodeBlock) => self.context = Context::Other,
            Event::Start(Tag::Image { .. }) => self.images += 1,
            Event::End(TagEnd::Image) => self.images = self.images.saturating_sub(1),
            Event::Start(Tag::Link { .. }) => self.links += 1,
            Event::End(TagEnd::Link) => self.links = self.links.saturating_sub(1),
            Event::Start(
                Tag::BlockQuote(_) | Tag::List(_) | Tag::Table(_) | Tag::FootnoteDefinition(_) | Tag::Item,
            ) => {
                self.depth += 1;
                if self.depth <= ITEM {
                    self.inner.clear();
                }
            }
            Event::End(
                end @ (TagEnd::BlockQuote(_)
                | TagEnd::List(_)
                | TagEnd::Table
                | TagEnd::FootnoteDefinition
                | TagEnd::Item),
            ) => self.leave(end == TagEnd::Item),
            Event::Html(block) => self.add_html(&block),
            Event::End(TagEnd::HtmlBlock) => self.html.clear(),
            Event::Text(part) | Event::Code(part) if self.images == 0 => self.add_text(&part),
            Event::SoftBreak | Event::HardBreak => self.inner.push(' '),
            _ => {}
        }
    }

    fn begin_paragraph(&mut self, range: Range<usize>) {
        self.context = Context::Paragraph;
        let paragraph = self.text.get(range).unwrap_or_default();
        let around = self.blocks;
        self.blocks = open_blocks(paragraph, self.blocks);
        self.is_left_out = around > 0 || has_only_keys(paragraph) || paragraph.lines().any(is_block_mark);
        self.inner.clear();
        self.letters = 0;
    }

    fn end_paragraph(&mut self) {
        self.context = Context::Other;
        let is_import = ["import ", "export "].iter().any(|word| self.inner.starts_with(word));
        if self.letters >= 3 && !is_import && !self.is_left_out {
            self.collected.paragraph(&self.inner);
        }
    }

    /// Ends a quote, a list, an item or the like.
    fn leave(&mut self, is_item: bool) {
        self.depth = self.depth.saturating_sub(1);
        if is_item && self.depth + 1 == ITEM && self.items.len() < HEADINGS {
            self.items.push(single_spaced(&self.inner));
        }
        if self.depth == 0 {
            self.collected.items(&std::mem::take(&mut self.items));
        }
    }

    fn add_html(&mut self, block: &str) {
        self.html.push_str(block);
        if let Some(title) = html_title(&self.html) {
            self.collected.heading(&title, true);
            self.html.clear();
        }
    }

    fn add_text(&mut self, part: &str) {
        match self.context {
            Context::Heading => self.inner.push_str(part),
            Context::Paragraph => {
                if self.links == 0 {
                    self.letters += part.chars().filter(|c| c.is_alphabetic()).count();
                }
                self.inner.push_str(part);
                self.collected.words.add(part, 1);
            }
            Context::Other => {
                if self.depth <= ITEM {
                    self.inner.push_str(part);
                }
                self.collected.words.add(part, 1);
            }
            Context::Code => {}
        }
    }
}

/// The mark that begins or ends a block of a site generator, such as `!!! note`, `??? tip` or `:::warning`.
fn is_block_mark(line: &str) -> bool {
    ["!!!", "???", ":::"].iter().any(|mark| line.trim_start().starts_with(mark))
}

/// How many `:::` blocks are open after a paragraph, given `open` before it.
fn open_blocks(paragraph: &str, open: usize) -> usize {
    let marks = paragraph.lines().filter_map(|line| line.trim().strip_prefix(":::"));
    marks.fold(open, |open, name| match name.trim_matches([':', ' ']) {
        "" => open.saturating_sub(1),
        // A directive that the site generator replaces with the documentation of a function.
        name if name.contains('.') => open,
        _ => open + 1,
    })
}

/// Whether each line of a paragraph is `**Key:** value`, or `Key: value` with one of [`KEYS`], and thus metadata. A
/// single emphasized line with a long value may be a sentence instead.
fn has_only_keys(paragraph: &str) -> bool {
    let is_key = |key: &str| KEYS.split('|').any(|known| key.trim().eq_ignore_ascii_case(known));
    let is_short = |value: &str| value.split_whitespace().count() <= SHORT_VALUE;
    // Whether a single line is metadata.
    let counts = |line: &str| {
        let Some(emphasized) = line.trim().strip_prefix("**") else {
            return line.split_once(':').filter(|(key, _)| is_key(key)).map(|_| true);
        };
        let (key, value) = emphasized.split_once("**")?;
        let (key, value) = match key.strip_suffix(':') {
            Some(key) => (key, value),
            None => (key, value.strip_prefix(':')?),
        };
        Some(is_key(key) || is_short(value))
    };
    let lines: Option<Vec<bool>> = paragraph.lines().map(counts).collect();
    lines.is_some_and(|lines| lines.len() > 1 || lines == [true])
}

/// The beginning of a text, if possible up to a line break; it suffices for a description.
fn head(text: &str) -> &str {
    const READ: usize = 2 * COUNTED;
    let head = beginning(text, READ);
    let line = if text.len() > head.len() { head.rfind('\n').filter(|at| at * 2 > head.len()) } else { None };
    line.and_then(|line| head.get(..line)).unwrap_or(head)
}

/// The text of the first `<h1>` of some HTML.
fn html_title(html: &str) -> Option<String> {
    let lower = html.to_ascii_lowercase();
    let start = lower.find("<h1")?;
    let open = start + lower.get(start..)?.find('>')? + 1;
    let end = open + lower.get(open..)?.find("</h1")?;
    let mut title = String::new();
    let mut is_tag = false;
    for c in html.get(open..end)?.chars() {
        match c {
            '<' => is_tag = true,
            '>' => is_tag = false,
            c if !is_tag => title.push(c),
            _ => {}
        }
    }
    Some(title).filter(|title| !title.trim().is_empty())
}
