//! Parses a document: its front matter, its headings, its first paragraph and its words.

mod markdown;

use std::borrow::Cow;
use std::path::Path;

use pulldown_cmark::{Event, Parser};

use super::front_matter::{self, FrontMatter};
use super::outline;
use super::words::{HEADING, WordCount, WordCounter};
use refdesk_text::lines::{decode, single_spaced};
use refdesk_text::shorten::shortened_at_word;

/// The most characters of a description.
const DESCRIPTION: usize = 200;

/// The most characters of a title.
const TITLE: usize = 120;

/// The most headings to keep.
const HEADINGS: usize = 12;

/// The most words of a greeting.
const GREETING: usize = 4;

/// With at least this many headings below the title, they can describe a document that has no other description.
const TOPICS: usize = 3;

/// Sections of metadata, such as the status of a decision.
const METADATA_SECTIONS: [&str; 4] = ["date", "deciders", "metadata", "status"];

/// How a paragraph begins if it is a step in instructions and does not describe the document.
const STEPS: [&str; 5] = ["first,", "next,", "now,", "then,", "finally,"];

/// What was parsed from a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Page {
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
pub(crate) fn read_page(name: &Path, text: &str) -> Page {
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
        _ => markdown::read(body, &mut collected),
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
