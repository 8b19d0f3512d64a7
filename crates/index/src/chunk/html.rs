//! The blocks of HTML: the text without tags, scripts and styles, mapped to the lines of the document.

use std::borrow::Cow;
use std::ops::Range;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{Token, Tokenizer};

use super::{Block, BlockKind, LEVELS, Parsed, line_starts};

/// Elements whose content is not text of the document.
const SKIPPED: [&[u8]; 2] = [b"script", b"style"];

/// Elements within a line; all others begin a block.
const INLINE: [&[u8]; 31] = [
    b"a", b"abbr", b"b", b"bdi", b"bdo", b"big", b"cite", b"code", b"data", b"del", b"dfn", b"em", b"font", b"i",
    b"img", b"ins", b"kbd", b"label", b"mark", b"q", b"s", b"samp", b"small", b"span", b"strong", b"sub", b"sup",
    b"time", b"u", b"var", b"wbr",
];

/// The elements that are not within a line.
const BLOCKS: [&[u8]; 68] = [
    b"address",
    b"area",
    b"article",
    b"aside",
    b"audio",
    b"base",
    b"blockquote",
    b"body",
    b"br",
    b"button",
    b"canvas",
    b"caption",
    b"center",
    b"col",
    b"colgroup",
    b"dd",
    b"details",
    b"dialog",
    b"div",
    b"dl",
    b"dt",
    b"embed",
    b"fieldset",
    b"figcaption",
    b"figure",
    b"footer",
    b"form",
    b"h1",
    b"h2",
    b"h3",
    b"h4",
    b"h5",
    b"h6",
    b"head",
    b"header",
    b"hr",
    b"html",
    b"iframe",
    b"input",
    b"legend",
    b"li",
    b"link",
    b"main",
    b"meta",
    b"nav",
    b"noscript",
    b"object",
    b"ol",
    b"p",
    b"picture",
    b"pre",
    b"script",
    b"section",
    b"select",
    b"source",
    b"strike",
    b"style",
    b"summary",
    b"table",
    b"tbody",
    b"td",
    b"textarea",
    b"tfoot",
    b"th",
    b"thead",
    b"tr",
    b"ul",
    b"video",
];

/// The elements whose names also stand for something that the reader fills in.
const WORDS: [&[u8]; 27] = [
    b"address", b"area", b"article", b"base", b"body", b"button", b"caption", b"data", b"dialog", b"figure", b"footer",
    b"form", b"head", b"header", b"input", b"label", b"link", b"main", b"object", b"picture", b"section", b"select",
    b"source", b"style", b"summary", b"table", b"time",
];

/// Headings inside these do not apply outside.
const QUOTES_AND_LISTS: [&[u8]; 4] = [b"blockquote", b"li", b"ol", b"ul"];

/// Cells of a row are on one line.
const CELLS: [&[u8]; 2] = [b"td", b"th"];

fn tokens(text: &str) -> impl Iterator<Item = Token<usize>> {
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    // Tags inside scripts are not tags.
    emitter.naively_switch_states(true);
    Tokenizer::new_with_emitter(text, emitter).map(|Ok(token)| token)
}

/// The tags of elements, comments, scripts and styles in a part of a text.
pub(super) fn markup(text: &str, part: Range<usize>) -> Vec<Range<usize>> {
    let (mut found, mut end, mut is_skipped) = (Vec::new(), part.start, false);
    for token in tokens(text.get(part.clone()).unwrap_or_default()) {
        let kept = match token {
            Token::StartTag(tag) if SKIPPED.contains(&&**tag.name) => {
                is_skipped = !tag.self_closing;
                continue;
            }
            Token::EndTag(tag) if SKIPPED.contains(&&**tag.name) => {
                is_skipped = false;
                continue;
            }
            Token::StartTag(tag) if !is_element(&tag.name) => tag.span,
            Token::EndTag(tag) if !is_element(&tag.name) => tag.span,
            Token::String(string) => string.span,
            _ => continue,
        };
        if !is_skipped {
            let (from, to) = (part.start + kept.start, part.start + kept.end);
            if from > end {
                found.push(end..from);
            }
            end = to;
        }
    }
    if part.end > end {
        found.push(end..part.end);
    }
    found
}

/// Whether this part of a line is the tag of an element or a comment, which a browser does not show. Other names stand for
/// something: `git clone <url>`, `Vec<String>`, and so do ordinary words without attributes: `<address>`.
pub(super) fn is_markup(tag: &str) -> bool {
    let name = name(tag);
    let is_word = WORDS.contains(&name.as_bytes()) && !tag.contains('=');
    tag.starts_with("<!") || tag.starts_with("<?") || is_element(name.as_bytes()) && !is_word
}

/// Whether the words before and after these tags and comments are different words, as those around a `<br>`.
pub(super) fn separates(markup: &str) -> bool {
    markup.split_inclusive('>').any(|tag| !name(tag).is_empty() && !INLINE.contains(&name(tag).as_bytes()))
}

/// The name of the element of a tag, in lower case; empty of anything else.
fn name(tag: &str) -> String {
    let name = tag.trim_start_matches(['<', '/']);
    let is_tag = name.len() < tag.len();
    let length = name.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'-').count();
    name.get(..length).filter(|_| is_tag).unwrap_or_default().to_ascii_lowercase()
}

fn is_element(name: &[u8]) -> bool {
    INLINE.contains(&name) || BLOCKS.contains(&name)
}

pub(super) fn parse(text: &str) -> Parsed<'static> {
    let mut reader = Reader { starts: line_starts(text), ..Reader::default() };
    for token in tokens(text) {
        match token {
            Token::StartTag(tag) => {
                reader.reach(tag.span.start);
                reader.start(&tag.name, tag.self_closing);
                reader.reach(tag.span.end);
            }
            Token::EndTag(tag) => {
                reader.reach(tag.span.start);
                reader.finish(&tag.name);
            }
            Token::String(string) => {
                reader.reach(string.span.start);
                reader.add(&String::from_utf8_lossy(&string), string.span.end);
            }
            _ => {}
        }
    }
    reader.end_block();
    reader.reach(text.len());
    Parsed { text: Cow::Owned(reader.text), lines: reader.lines, blocks: reader.blocks }
}

#[derive(Default)]
struct Reader {
    /// The offsets at which lines begin, in the document (`starts`) and in `text` (`lines`).
    starts: Vec<usize>,
    lines: Vec<usize>,
    text: String,
    blocks: Vec<Block>,
    /// Where the current block begins in `text`.
    start: usize,
    /// The level of the current block, if it is a heading.
    heading: Option<usize>,
    /// The open quotes and lists around it.
    outer: Vec<Outer>,
    is_preformatted: bool,
    is_skipped: bool,
}

/// An open quote, list or list item.
struct Outer {
    name: &'static [u8],
    has_heading: bool,
}

impl Reader {
    /// Records where lines begin in `text`, for the lines of the document up to this byte.
    fn reach(&mut self, byte: usize) {
        while self.starts.get(self.lines.len()).is_some_and(|start| *start <= byte) {
            self.begin_line();
        }
    }

    fn begin_line(&mut self) {
        // A heading is on the line of its tag, even if the tag or the space after it continues on the next line.
        let is_before_title = self.heading.is_some() && self.text.len() == self.start;
        let offset = self.text.len() + usize::from(is_before_title);
        self.lines.push(self.lines.last().map_or(offset, |last| offset.max(*last)));
    }

    fn start(&mut self, name: &[u8], is_empty: bool) {
        if SKIPPED.contains(&name) {
            self.is_skipped = !is_empty;
        } else if CELLS.contains(&name) {
            self.separate(' ');
        } else if !INLINE.contains(&name) && (self.heading.is_none() || level(name).is_some()) {
            self.end_block();
            self.heading = level(name).map(|level| level + self.outer.len() * LEVELS);
            self.is_preformatted = name == b"pre";
            if self.heading.is_some() {
                self.outer.iter_mut().for_each(|outer| outer.has_heading = true);
            }
            if let Some(name) = QUOTES_AND_LISTS.into_iter().find(|known| *known == name) {
                // The end tag of an item is often omitted.
                if name == b"li" && self.outer.last().is_some_and(|outer| outer.name == name) {
                    self.close(name);
                }
                self.outer.push(Outer { name, has_heading: false });
            }
        }
    }

    fn finish(&mut self, name: &[u8]) {
        if SKIPPED.contains(&name) {
            self.is_skipped = false;
        } else if !INLINE.contains(&name) && !CELLS.contains(&name) && (self.heading.is_none() || level(name).is_some())
        {
            self.end_block();
            self.heading = None;
            self.is_preformatted &= name != b"pre";
            self.close(name);
        }
    }

    /// Closes the innermost quote or list of this name and everything in it.
    fn close(&mut self, name: &[u8]) {
        let Some(at) = self.outer.iter().rposition(|outer| outer.name == name) else { return };
        if self.outer.drain(at..).any(|outer| outer.has_heading) {
            let kind = BlockKind::Heading((at + 1) * LEVELS + 1, None);
            self.blocks.push(Block { range: self.start..self.start, kind });
        }
    }

    /// Adds text that ends at this byte of the document. Drops blank lines and indentation, which belong to the markup.
    fn add(&mut self, text: &str, end: usize) {
        for char in text.chars() {
            let is_dropped = char.is_whitespace() && !self.is_preformatted && self.is_at_line_start();
            if !self.is_skipped && !is_dropped {
                self.text.push(char);
            }
            if char == '\n' && self.starts.get(self.lines.len()).is_some_and(|start| *start <= end) {
                self.begin_line();
            }
        }
    }

    fn is_at_line_start(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    fn separate(&mut self, char: char) {
        if !self.is_at_line_start() && !self.text.ends_with(' ') {
            self.text.push(char);
        }
    }

    fn end_block(&mut self) {
        let range = self.start..self.text.len();
        let block = self.text.get(range.clone()).unwrap_or_default();
        let title = || refdesk_text::lines::single_spaced(block);
        if self.heading.is_some() && block.trim().is_empty() {
            // No title followed on the lines that were counted as before it.
            let end = self.text.len();
            self.lines.iter_mut().rev().take_while(|line| **line > end).for_each(|line| *line = end);
        }
        let kind = match self.heading {
            _ if block.trim().is_empty() => None,
            Some(level) => Some(BlockKind::Heading(level, Some(title()))),
            None if self.is_preformatted => Some(BlockKind::Code),
            None => Some(BlockKind::Text),
        };
        self.blocks.extend(kind.map(|kind| Block { range, kind }));
        if !self.is_at_line_start() {
            self.text.push('\n');
        }
        self.start = self.text.len();
    }
}

/// The level, if the element is a heading.
fn level(name: &[u8]) -> Option<usize> {
    match name {
        [b'h', digit @ b'1'..=b'6'] => Some(usize::from(digit - b'0')),
        _ => None,
    }
}
