//! Parses a document: its front matter, its headings, its first paragraph and its words.

use std::borrow::Cow;
use std::path::Path;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::front_matter::{self, FrontMatter};
use super::outline;
use super::words::{COUNTED, HEADING, WordCount, WordCounter};
use refdesk_text::lines::{decode, single_spaced};
use refdesk_text::shorten::{beginning, shortened_at_word};

/// The most characters of a description.
const DESCRIPTION: usize = 200;

/// The most characters of a title.
const TITLE: usize = 120;

/// The most headings to keep.
const HEADINGS: usize = 12;

/// The most words of a value that is not a sentence.
const SHORT_VALUE: usize = 3;

/// The most words of a greeting.
const GREETING: usize = 4;

/// With at least this many headings below the title, they can describe a document that has no other description.
const TOPICS: usize = 3;

/// Keys of metadata lines, such as decision records have below their title.
const KEYS: &str = "approvers|author|authors|consulted|created|date|deciders|decision-makers|drivers|informed|issue|last updated|\
                    owner|owners|reviewers|status|superseded by|supersedes|tags|technical story|updated|version";

/// Sections of metadata, such as the status of a decision.
const METADATA_SECTIONS: [&str; 4] = ["date", "deciders", "metadata", "status"];

/// How a paragraph begins if it is a step in instructions and does not describe the document.
const STEPS: [&str; 5] = ["first,", "next,", "now,", "then,", "finally,"];

/// What was parsed from a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Page {
    /// Its front matter.
    pub front: FrontMatter,
    /// Its first headings, as plain text.
    pub headings: Vec<String>,
    /// Whether the first heading is the title.
    pub has_title: bool,
    /// Its first paragraph as plain text on one line, shortened.
    pub paragraph: Option<String>,
    /// Its words, by stem, except stop words.
    pub words: Vec<WordCount>,
    /// Whether it has any text, however short.
    pub has_text: bool,
}

impl Page {
    /// Whether it has neither title, description nor words, such as a site's first page that is only front matter.
    pub fn is_empty(&self) -> bool {
        self.title().is_none() && self.description().is_none() && self.words.is_empty()
    }

    /// The title in the front matter, else the first heading.
    pub fn title(&self) -> Option<&str> {
        self.front.title.as_deref().or_else(|| self.headings.first().map(String::as_str))
    }

    /// The description in the front matter, else the first paragraph.
    pub fn description(&self) -> Option<String> {
        let front = self.front.description.as_deref().map(|text| shortened_at_word(text, DESCRIPTION));
        front.or_else(|| self.paragraph.clone())
    }
}

/// The text of a document; `None` if it is not UTF-8 text. UTF-16 is recognized by its zero bytes.
pub(crate) fn text_of(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let is_binary = |bytes: &[u8]| bytes.iter().filter(|byte| **byte == 0).count() * 10 > bytes.len();
    match decode(bytes) {
        (text, false) if !is_binary(bytes) => Some(text),
        _ => None,
    }
}

/// Reads a document in the format of its extension. For formats other than Markdown, reStructuredText and AsciiDoc,
/// only words are collected.
pub fn read_page(name: &Path, text: &str) -> Page {
    let extension = name.extension().and_then(|it| it.to_str()).unwrap_or_default().to_ascii_lowercase();
    let front = match extension.as_str() {
        "rst" => FrontMatter::default(),
        _ => front_matter::read(text),
    };
    let body = text.get(front.end..).unwrap_or_default();
    let mut collected = Collected::default();
    match extension.as_str() {
        "rst" => outline::restructured(body, &mut collected),
        "adoc" => outline::asciidoc(body, &mut collected),
        "txt" => collected.words.add(body, 1),
        _ => markdown(body, &mut collected),
    }
    for reported in [&front.title, &front.description].into_iter().flatten() {
        collected.words.add(reported, HEADING);
    }
    let is_letter = |text: &str| text.chars().any(char::is_alphanumeric);
    let is_text = |event: Event<'_>| matches!(event, Event::Text(text) | Event::Code(text) if is_letter(&text));
    Page {
        paragraph: collected.description(),
        headings: collected.headings,
        has_title: collected.has_title,
        words: collected.words.counted(),
        // A parser without extensions finds no less text.
        has_text: is_letter(body) && Parser::new(body).any(is_text),
        front,
    }
}

/// What is collected while reading a document.
#[derive(Debug, Default)]
pub(super) struct Collected {
    pub headings: Vec<String>,
    pub has_title: bool,
    pub words: WordCounter,
    /// The first paragraph that describes the document.
    paragraph: Option<String>,
    /// An earlier paragraph that does not: a greeting, a step, or a lead-in.
    weak: Option<String>,
    /// The number of headings before the weak paragraph. Paragraphs of later sections do not describe the document
    /// either.
    weak_section: usize,
    /// The number of headings so far.
    sections: usize,
    /// Whether the current section is metadata.
    in_metadata_section: bool,
}

impl Collected {
    /// Adds a heading; `is_title` if it has the highest level.
    pub(crate) fn heading(&mut self, text: &str, is_title: bool) {
        let text = single_spaced(text);
        if text.is_empty() {
            return;
        }
        self.words.add(&text, HEADING);
        self.sections += 1;
        self.in_metadata_section = self.sections > 1 && METADATA_SECTIONS.contains(&text.to_lowercase().as_str());
        self.has_title |= self.headings.is_empty() && is_title;
        if self.headings.len() < HEADINGS {
            self.headings.push(shortened_at_word(&text, TITLE));
        }
    }

    /// Adds a paragraph; the first one that is not weak becomes the description.
    pub(crate) fn paragraph(&mut self, text: &str) {
        let text = single_spaced(text);
        // A single word is a status or the like.
        let is_sentence = text.contains(' ') && text.chars().filter(|c| c.is_alphabetic()).count() >= 3;
        if self.paragraph.is_some() || !is_sentence || self.in_metadata_section {
            return;
        }
        let text = without_lead_in(text);
        let is_late = self.weak.is_some() && self.weak_section != self.sections;
        if is_weak(&text) {
            if self.weak.is_none() {
                (self.weak, self.weak_section) = (Some(text), self.sections);
            }
        } else if !is_late {
            self.paragraph = Some(text);
        }
    }

    /// Adds the items of a list to the lead-in before it.
    fn items(&mut self, items: &[String]) {
        let lead = self.weak.as_deref().filter(|lead| lead.ends_with(':') && self.weak_section == self.sections);
        if let Some(lead) = lead.filter(|_| self.paragraph.is_none() && !items.is_empty()) {
            self.paragraph = Some(format!("{lead} {}", items.join(", ")));
        }
    }

    /// The best description of the document, shortened.
    pub(crate) fn description(&self) -> Option<String> {
        let below = self.headings.get(usize::from(self.has_title)..).unwrap_or_default();
        let topics = || (below.len() >= TOPICS).then(|| below.join(", "));
        let described = self.paragraph.clone().or_else(topics).or_else(|| self.weak.clone());
        described.map(|text| shortened_at_word(&text, DESCRIPTION))
    }
}

/// Removes the last sentence of a paragraph if it is only a lead-in: "It is a book. Such as:".
fn without_lead_in(text: String) -> String {
    let lead = text.strip_suffix(':').and_then(|text| text.rsplit_once(". "));
    match lead {
        Some((before, _)) => format!("{before}."),
        None => text,
    }
}

/// Whether a paragraph does not describe its document: "Welcome stranger!", "First, install it.", "Such as these:".
fn is_weak(text: &str) -> bool {
    let lower = text.to_lowercase();
    text.ends_with(':')
        || (text.ends_with('!') && text.split_whitespace().count() <= GREETING)
        || STEPS.iter().any(|step| lower.starts_with(step))
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

/// The nesting depth of items in a top-level list.
const ITEM: usize = 2;

/// What the text of an event belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    Heading,
    /// A top-level paragraph.
    Paragraph,
    Other,
    Code,
}

/// Reads Markdown, without code blocks and HTML.
fn markdown(text: &str, collected: &mut Collected) {
    let text = head(text);
    let mut context = Context::Other;
    let (mut depth, mut images, mut links) = (0usize, 0usize, 0usize);
    // The text of the heading or paragraph, and the number of its letters outside links and images.
    let (mut inner, mut letters, mut html) = (String::new(), 0usize, String::new());
    let mut is_left_out = false;
    // The enclosing `:::` blocks, and the items of the list that follows a paragraph.
    let (mut blocks, mut items) = (0usize, Vec::new());
    let events = Parser::new_ext(text, Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES).into_offset_iter();
    for (event, range) in events {
        match event {
            Event::Start(Tag::Heading { .. }) => {
                context = Context::Heading;
                inner.clear();
            }
            Event::End(TagEnd::Heading(level)) => {
                context = Context::Other;
                collected.heading(&inner, level == pulldown_cmark::HeadingLevel::H1);
            }
            Event::Start(Tag::Paragraph) if depth == 0 => {
                context = Context::Paragraph;
                let paragraph = text.get(range).unwrap_or_default();
                let around = blocks;
                blocks = open_blocks(paragraph, blocks);
                is_left_out = around > 0 || has_only_keys(paragraph) || paragraph.lines().any(is_block_mark);
                inner.clear();
                letters = 0;
            }
            Event::End(TagEnd::Paragraph) if depth == 0 => {
                context = Context::Other;
                let is_import = ["import ", "export "].iter().any(|word| inner.starts_with(word));
                if letters >= 3 && !is_import && !is_left_out {
                    collected.paragraph(&inner);
                }
            }
            Event::Start(Tag::CodeBlock(_)) => context = Context::Code,
            Event::End(TagEnd::CodeBlock) => context = Context::Other,
            Event::Start(Tag::Image { .. }) => images += 1,
            Event::End(TagEnd::Image) => images = images.saturating_sub(1),
            Event::Start(Tag::Link { .. }) => links += 1,
            Event::End(TagEnd::Link) => links = links.saturating_sub(1),
            Event::Start(
                Tag::BlockQuote(_) | Tag::List(_) | Tag::Table(_) | Tag::FootnoteDefinition(_) | Tag::Item,
            ) => {
                depth += 1;
                if depth <= ITEM {
                    inner.clear();
                }
            }
            Event::End(
                TagEnd::BlockQuote(_) | TagEnd::List(_) | TagEnd::Table | TagEnd::FootnoteDefinition | TagEnd::Item,
            ) => {
                depth = depth.saturating_sub(1);
                if matches!(event, Event::End(TagEnd::Item)) && depth + 1 == ITEM && items.len() < HEADINGS {
                    items.push(single_spaced(&inner));
                }
                if depth == 0 {
                    collected.items(&std::mem::take(&mut items));
                }
            }
            Event::Html(block) => {
                html.push_str(&block);
                if let Some(title) = html_title(&html) {
                    collected.heading(&title, true);
                    html.clear();
                }
            }
            Event::End(TagEnd::HtmlBlock) => html.clear(),
            Event::Text(part) | Event::Code(part) => {
                if images > 0 {
                    continue;
                }
                match context {
                    Context::Heading => inner.push_str(&part),
                    Context::Paragraph => {
                        if links == 0 {
                            letters += part.chars().filter(|c| c.is_alphabetic()).count();
                        }
                        inner.push_str(&part);
                        collected.words.add(&part, 1);
                    }
                    Context::Other => {
                        if depth <= ITEM {
                            inner.push_str(&part);
                        }
                        collected.words.add(&part, 1);
                    }
                    Context::Code => {}
                }
            }
            Event::SoftBreak | Event::HardBreak => inner.push(' '),
            _ => {}
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> (Option<String>, Option<String>) {
        let page = read_page(Path::new(name), text);
        (page.title().map(str::to_owned), page.description())
    }

    #[test]
    fn title_and_description_of_markdown() {
        for (text, title, description) in [
            (
                "# A title\n\nText *with* [a link](x.md) and `code`.\nMore.",
                Some("A title"),
                Some("Text with a link and code. More."),
            ),
            ("A title\n=======\n\ntext one", Some("A title"), Some("text one")),
            ("```\n# not a heading\n```\n## Real\n\n> quoted\n\n- item\n\nText here", Some("Real"), Some("Text here")),
            ("---\ntitle: Front\ndescription: said\n---\n# Heading\n\nText", Some("Front"), Some("said")),
            (
                "[![badge](b.svg)](x) ![image](y)\n\n<p>html</p>\n\n# T\n\nSaid by the text",
                Some("T"),
                Some("Said by the text"),
            ),
            ("# T\n\n[Home](a) | [Docs](b)\n\nThe text", Some("T"), Some("The text")),
            ("# T\n\n| a | b |\n|---|---|\n| c | d |\n\nThe text", Some("T"), Some("The text")),
            (
                "<h1 align=\"center\">\n  <img src=x> The name\n</h1>\n\nText of it",
                Some("The name"),
                Some("Text of it"),
            ),
            ("import X from 'x'\n\n# T\n\nText of it", Some("T"), Some("Text of it")),
            ("# `code` and *more*\n", Some("code and more"), None),
            ("#\n\n# Second", Some("Second"), None),
            ("\r\n# T\r\n\r\none\r\ntwo\r\n", Some("T"), Some("one two")),
            ("", None, None),
            ("---\n---\n", None, None),
            ("# T\n\n!!! hint\n    Of the site.\n\nThe text", Some("T"), Some("The text")),
            ("# T\n\n??? note \"Of it\"\n\n    Of the site.\n\nThe text", Some("T"), Some("The text")),
            ("# T\n\n:::tip\n\nOf the site.\n\n:::\n\nThe text", Some("T"), Some("The text")),
            ("# T\n\n::: tip Of it\nOf the site.\n:::\n\nThe text", Some("T"), Some("The text")),
            (
                "# T\n\nDate: 2024-02-01\n\n## Status\n\nSuperseded by [2](b.md)\n\n## Context\n\nWe decide.",
                Some("T"),
                Some("We decide."),
            ),
            ("# T\n\nStatus: Accepted\nDeciders: Ada, Grace and others\n\nThe text", Some("T"), Some("The text")),
            ("# T\n\n**Deciders:** Ada, Grace and two others\n\nThe text", Some("T"), Some("The text")),
            ("# T\n\nNote: the text", Some("T"), Some("Note: the text")),
            ("# Status\n\nHow it is now.", Some("Status"), Some("How it is now.")),
            ("# T\n\n::: a.function\n\nThe text", Some("T"), Some("The text")),
            ("# T\n\nIt is a book. Such as:\n\nThe text", Some("T"), Some("It is a book.")),
            ("# T\n\n## A\n## B\n## C", Some("T"), Some("A, B, C")),
            ("# T\n\nWelcome stranger!\n\nThe text", Some("T"), Some("The text")),
            ("# T\n\nWelcome stranger!", Some("T"), Some("Welcome stranger!")),
            (
                "# T\n\nFirst, import it:\n\n```\nx\n```\n\nNow, go.\n\n## A\n\nThe text",
                Some("T"),
                Some("First, import it:"),
            ),
            ("# T\n\nFirst, import it:\n\n## A\n\nThe text\n\n## B b\n## C", Some("T"), Some("A, B b, C")),
            (
                "# T\n\nYou will learn to:\n\n- do *this*\n  - deeper\n- and `that`\n",
                Some("T"),
                Some("You will learn to: do this, and that"),
            ),
        ] {
            let found = read("a.md", text);
            assert_eq!((found.0.as_deref(), found.1.as_deref()), (title, description), "{text:?}");
        }
    }

    #[test]
    fn long_texts_are_shortened() {
        let page = read_page(Path::new("a.md"), &format!("# {}\n\n{}", "t ".repeat(500), "word ".repeat(100_000)));
        assert!(page.title().is_some_and(|title| title.chars().count() <= TITLE + 1 && title.ends_with('…')));
        assert!(
            page.description().is_some_and(|text| text.chars().count() <= DESCRIPTION + 1 && text.ends_with("word…"))
        );
        let headings = read_page(Path::new("a.md"), &"# h h\n".repeat(100));
        assert_eq!(headings.headings.len(), HEADINGS);
    }

    #[test]
    fn words_of_code_blocks_and_images_are_left_out() {
        let page = read_page(Path::new("a.md"), "# Kafka\n\n![picture](x) topics\n\n```\nsecret\n```\n- item\n");
        let words: Vec<&str> = page.words.iter().map(|it| it.word.as_str()).collect();
        assert_eq!(words, ["kafka", "item", "topics"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(name in "a\\.(md|rst|adoc|txt|mdc)", text in "(\\PC{0,12}|[#=~`|>*_\\-]{1,4}|\n|\\[.{0,3}\\]\\(.{0,3}\\)|<h1>|</h1>){0,30}") {
            let page = read_page(Path::new(&name), &text);
            proptest::prop_assert!(page.description().is_none_or(|it| !it.contains('\n')));
            proptest::prop_assert!(page.title().is_none_or(|it| !it.contains('\n') && !it.is_empty()));
        }
    }
}
