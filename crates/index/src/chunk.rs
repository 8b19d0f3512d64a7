//! Cuts a document into chunks by headings, in whole paragraphs. Each chunk is small enough to be about one thing and
//! large enough to be meaningful (SEARCH S1.2). Lengths are in characters.

use std::borrow::Cow;
use std::ops::Range;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::boilerplate::is_changelog;
use refdesk_text::markdown::parsable;

pub(crate) use self::outline::Outline;
use self::packer::Packer;
pub(crate) use self::part::{place_of, place_with, section_with};

mod asciidoc;
mod html;
mod markdown;
mod outline;
mod packer;
mod part;
mod restructured;

/// A chunk shorter than this continues past a heading.
const SHORTEST: usize = 300;

/// A chunk ends before a paragraph that would make it longer than this; a longer paragraph is cut.
const LONGEST: usize = 1_500;

/// Code blocks up to this length are not cut.
const LONGEST_CODE: usize = 3_000;

/// Separates the headings above a chunk.
pub(crate) const HEADING_SEPARATOR: &str = " > ";

/// Longer headings are truncated for display: a heading may be a whole document.
const LONGEST_TITLE: usize = 120;

/// A part of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Chunk {
    /// The headings above its first paragraph, outermost first.
    pub headings: Vec<String>,
    /// The sections in it, in order.
    pub sections: Vec<ChunkSection>,
    /// Its first line, from 1.
    pub line: usize,
    /// Its last line.
    pub end_line: usize,
    /// Its text.
    pub content: String,
    /// Whether documents of any subject have such a section, so that hints must not lead here.
    pub is_boilerplate: bool,
}

/// A section in a chunk, from its heading on, or from where it continues after a quote or list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChunkSection {
    /// Its first line, from 1, which precedes the chunk if the section began before it.
    pub line: usize,
    /// The headings above it, outermost first.
    pub heading: String,
}

/// A document, parsed into blocks.
struct Parsed<'t> {
    /// The part of the document's text that is indexed.
    text: Cow<'t, str>,
    /// The offset in `text` at which each line of the document begins.
    lines: Vec<usize>,
    blocks: Vec<Block>,
}

/// A block at the top level of a document.
struct Block {
    range: Range<usize>,
    kind: BlockKind,
}

enum BlockKind {
    /// A heading of this level, which applies to all text up to the next heading with the same or a lower number.
    /// Without a title, it only ends the headings of a quote or list that ends here.
    Heading(usize, Option<String>),
    Code,
    Text,
}

/// The number of heading levels. Headings within a quote or list are numbered after those around it.
const LEVELS: usize = 6;

/// The chunks of a document, in order; of one with more than are indexed, the first ones, with at least one too many.
pub(crate) fn chunks(name: &Path, text: &str) -> Vec<Chunk> {
    let Parsed { text, lines, blocks } = parse(name, text);
    let shortest = if is_html(&ending(name)) { 0 } else { SHORTEST };
    Packer::new(&text, lines, is_changelog(name), shortest).packed(blocks)
}

fn ending(name: &Path) -> String {
    name.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

fn is_html(ending: &str) -> bool {
    matches!(ending, "html" | "htm" | "xhtml")
}

/// Parses a text in the format given by the file name. What follows its parsable beginning, which nearly always has more
/// sections than are indexed, is one block without headings.
fn parse<'t>(name: &Path, text: &'t str) -> Parsed<'t> {
    let head = parsable(text);
    let without_markup = |blocks| (blocks, Vec::new());
    let (mut blocks, markup) = match ending(name).as_str() {
        "md" | "markdown" | "mdc" | "mdx" => markdown::blocks(head),
        // What looks like a tag in a plain text is text.
        "" | "txt" => without_markup(markdown::blocks(head).0),
        "rst" | "rest" => without_markup(restructured::blocks(head)),
        "adoc" | "asciidoc" => without_markup(asciidoc::blocks(head)),
        html if is_html(html) => return html::parse(text),
        _ => {
            let block = |range| Block { range, kind: BlockKind::Text };
            without_markup(paragraphs(head).into_iter().map(block).collect())
        }
    };
    if head.len() < text.len() {
        blocks.push(Block { range: head.len()..text.len(), kind: BlockKind::Text });
    }
    let (text, blocks) = markdown::without(text, blocks, &markup);
    Parsed { lines: line_starts(&text), text, blocks }
}

/// The paragraphs of a text. A line with only white space is blank.
pub(crate) fn paragraphs(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let is_blank = line.trim().is_empty();
        match start {
            Some(from) if is_blank => {
                found.push(from..at);
                start = None;
            }
            None if !is_blank => start = Some(at),
            _ => {}
        }
        at += line.len();
    }
    found.extend(start.map(|from| from..at));
    found
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
    std::iter::once(0).chain(ends.map(|(at, _)| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn cut(text: &str) -> Vec<Chunk> {
        chunks(Path::new("a.md"), text)
    }

    fn paragraph(length: usize) -> String {
        let mut text = "word ".repeat(length / 5);
        text.pop();
        text
    }

    #[test]
    fn short_sections_are_joined_and_long_ones_begin_a_chunk() {
        let text = format!("# One\n\nshort\n\n## Two\n\n{}\n\n## Three\n\nend\n", paragraph(400));
        let found = cut(&text);
        let shown: Vec<_> = found.iter().map(|it| (it.headings.join(" > "), it.line, it.end_line)).collect();
        assert_eq!(shown, [("One".to_owned(), 1, 7), ("One > Three".to_owned(), 9, 11)]);
    }

    #[test]
    fn headings_belong_to_the_text_below_them() {
        let (short, long) = (paragraph(285), paragraph(1_450));
        let text = format!("# One\n\n{short}\n\n## Two\n\n### Three\n\n{long}\n\n## Four\n\n{long}\n\n## Five\n");
        let found = cut(&text);
        let shown: Vec<_> = found.iter().map(|it| (it.headings.join(" > "), it.line, it.end_line)).collect();
        let expected = [("One", 1, 3), ("One > Two > Three", 5, 9), ("One > Four", 11, 13), ("One > Five", 15, 15)];
        assert_eq!(shown, expected.map(|(heading, from, to)| (heading.to_owned(), from, to)));
    }

    #[test]
    fn the_headings_are_those_of_the_first_paragraph() {
        let found = cut("# One\n\n## Two\n\ntext\n");
        assert_eq!(found.iter().map(|it| it.headings.join(" > ")).collect::<Vec<_>>(), ["One > Two"]);
    }

    #[test]
    fn boilerplate_is_in_chunks_of_its_own() {
        let changelog = Path::new("CHANGELOG.md");
        let (document, references) = (Path::new("a.md"), "# References\n\ntext\n\n## Related\n\nlinks\n");
        let text =
            "# One\n\n## Contents\n\nlist\n\n## Two\n\ntext\n\n## 3. Changelog\n\n### 1.0\n\nnew\n\n## Four\n\nend\n";
        for (name, text, expected) in [
            (document, text, vec![("Contents", true), ("Two", false), ("1.0", true), ("Four", false)]),
            (document, references, vec![("References", false), ("Related", true)]),
            (document, "# Changelog\n\n## 1.0\n\nnew\n", vec![("1.0", true)]),
            (changelog, "# Name\n\n## 1.0\n\nnew\n", vec![("1.0", true)]),
            (document, "# One\n\ntext\n\n## See also\n", vec![("One", false), ("See also", true)]),
        ] {
            let found = chunks(name, text);
            let shown: Vec<_> =
                found.iter().map(|it| (it.headings.last().unwrap().as_str(), it.is_boilerplate)).collect();
            assert_eq!(shown, expected, "{text}");
        }
    }

    #[test]
    fn code_is_cut_only_when_it_is_very_long() {
        let code = |lines: usize| format!("```\n{}```\n", "let x = 1;\n".repeat(lines));
        assert_eq!(cut(&code(250)).len(), 1);
        let cut_up = cut(&code(400));
        assert!(cut_up.len() > 2 && cut_up.iter().all(|it| it.content.chars().count() <= LONGEST));
        assert!(cut_up.iter().all(|it| it.content.starts_with("let") || it.content.starts_with("```")));
    }

    #[test]
    fn odd_documents() {
        assert!(cut("").is_empty());
        assert!(cut(" \n\n\t\n").is_empty());
        assert_eq!(cut("\0").len(), 1);
        assert_eq!(cut(&"x".repeat(1_000_000)).len(), 667);
        let headings = "# a\n".repeat(100_000);
        assert!(!cut(&headings).is_empty());
        for text in [
            (0..20_000).map(|nth| format!("{} heading number {nth}\n", "#".repeat(nth % 6 + 1))).collect(),
            format!("# {}\n\ntext\n", "wombat croquet ".repeat(20_000)),
            format!("{}\n===\n\ntext\n", "wombat\n".repeat(20_000)),
        ] {
            for chunk in cut(&text) {
                assert!(chunk.content.chars().count() <= LONGEST + SHORTEST, "{}", chunk.content.len());
                assert!(chunk.headings.iter().all(|title| title.chars().count() <= LONGEST_TITLE + 1));
            }
        }
        assert_eq!(chunks(Path::new("a.yaml"), "a: 1\n\nb: 2\n").len(), 1);
    }

    #[test]
    fn a_document_is_cut_only_into_as_many_chunks_as_are_indexed() {
        let most = crate::SECTIONS_OF_A_TEXT;
        let long = paragraph(1_400);
        let text = |sections: usize| format!("# One\n\n{long}\n\n").repeat(sections);
        assert_eq!(cut(&text(most)).len(), most);
        assert_eq!(cut(&text(most + 50)).len(), most + 1);
        assert!(cut(&"x".repeat(LONGEST * (most + 50))).len() <= most + 2);
    }

    #[test]
    fn what_follows_the_parsable_beginning_has_no_headings() {
        use refdesk_text::markdown::SIGNS;
        for name in ["a.md", "a.txt", "a.rst", "a.adoc", "a.yaml"] {
            for signs in ["[", "\n"] {
                let text = format!("{}\n\n# One\n\nend\n", signs.repeat(SIGNS));
                let last = chunks(Path::new(name), &text).pop().unwrap();
                assert!(last.headings.is_empty() && last.content.ends_with("end"), "{name} {signs:?}");
                assert_eq!(last.end_line, text.lines().count());
            }
        }
    }

    /// The headings and line numbers of all chunks.
    fn outline(name: &str, text: &str) -> Vec<(String, usize, usize)> {
        let found = chunks(Path::new(name), text).into_iter();
        found.map(|it| (it.headings.join(" > "), it.line, it.end_line)).collect()
    }

    #[test]
    fn every_format_has_sections() {
        let long = paragraph(400);
        let expected = |lines: [(usize, usize); 3]| {
            let named = ["Guide", "Guide > Retry & wait", "Guide > Next"].into_iter().zip(lines);
            named.map(|(heading, (from, to))| (heading.to_owned(), from, to)).collect::<Vec<_>>()
        };
        for (name, text, lines) in [
            (
                "a.md",
                format!("---\ntitle: Other\n---\n# Guide\n\n{long}\n\n## Retry & wait\n\n{long}\n\n## Next\n\nend\n"),
                [(4, 6), (8, 10), (12, 14)],
            ),
            (
                "a.md",
                format!("+++\ntitle = 'x'\n+++\n# Guide\n\n{long}\n\n## Retry & wait\n\n{long}\n\n## Next\n\nend\n"),
                [(4, 6), (8, 10), (12, 14)],
            ),
            (
                "a.rst",
                format!("=====\nGuide\n=====\n\n{long}\n\nRetry & wait\n------------\n{long}\n\nNext\n----\n\nend\n"),
                [(1, 5), (7, 9), (11, 14)],
            ),
            (
                "a.adoc",
                format!("= Guide\n:toc:\n\n{long}\n\n== Retry & wait\n{long}\n\n== Next\n\nend\n"),
                [(1, 4), (6, 7), (9, 11)],
            ),
            (
                "a.html",
                format!(
                    "<!doctype html>\n<html><head><style>\nh1 {{}}\n</style><script>\nif (a<b) '<h1>No</h1>'\n</script></head>\n<body>\n\
                     <h1 id=x>Guide</h1>\n<p>{long}</p>\n<div>\n<h2>Retry <b>&amp;</b>\n wait</h2>\n<!-- <h2>No</h2> -->\n\
                     <p>{long}</p></div><h2>Next</h2><p>end</body></html>\n"
                ),
                [(8, 9), (11, 14), (14, 14)],
            ),
        ] {
            assert_eq!(outline(name, &text), expected(lines), "{name}");
        }
    }

    #[test]
    fn titles_without_words_have_a_level_but_no_name() {
        let long = paragraph(400);
        for (title, first, second) in [
            ("# <img src=\"logo.svg\">", "", "Next"),
            ("# ![Wombat](logo.svg)", "Wombat", "Wombat > Next"),
            ("# Top\n\n##", "Top", "Top > Next"),
            ("# Top\n\n## Other\n\n#", "", "Next"),
        ] {
            let text = format!("{title}\n\n{long}\n\n## Next\n\n{long}\n");
            let found: Vec<String> = outline("a.md", &text).into_iter().map(|(heading, ..)| heading).collect();
            assert_eq!(found, [first, second], "{title}");
            let part = format!("{long}\n\n## Next");
            let (sections, _) = Outline::of(Path::new("a.md"), &text).places_of(&part).next().unwrap();
            assert_eq!(sections.last().unwrap().heading, second, "{title}");
        }
    }

    #[test]
    fn tags_and_comments_in_markdown_are_not_text() {
        let badges = "<p align=\"center\">\n  <a href=\"https://host/actions\"><img src=\"badge.svg\"\n   alt=\"build status\"></a>\n</p>";
        for (text, expected) in [
            (format!("# Shop\n\n{badges}\n\nIt sells.\n"), "# Shop\n\n \n  \n\n \n\nIt sells."),
            ("a <b>bold</b> w<i>or</i>d<br>and <!-- no\ncomment --> more".into(), "a bold word and \n more"),
            ("<details><summary>More</summary>\n\ntext\n\n</details>".into(), "More \n\ntext"),
            ("<script>\nlet a = '<b>';\n\nlet c;\n</script>\n\nend".into(), "end"),
            ("<pre>\nkept <b>too</b>\n</pre>".into(), "kept too"),
            (
                "`<b>` and `Vec<String>`\n\n    <i>\n\n```\n<u>\n```".into(),
                "`<b>` and `Vec<String>`\n\n    <i>\n\n```\n<u>\n```",
            ),
            (
                "`git clone` <address>, Vec<String>, <https://host>".into(),
                "`git clone` <address>, Vec<String>, <https://host>",
            ),
            ("<Card title=\"Rates\">\n<p>x</p></Card>".into(), "<Card title=\"Rates\">\n x </Card>"),
            ("> <p>quoted</p>\n> <!-- not\n> this -->\n\n- <b>item</b> ü".into(), ">  quoted \n> \n\n\n- item ü"),
        ] {
            let found = cut(&text);
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!(found[0].content, expected, "{text}");
            let last = text.rfind(expected.split_whitespace().last().unwrap()).unwrap();
            assert_eq!(found[0].end_line, text[..last].matches('\n').count() + 1, "{text}");
        }
        assert!(cut(&format!("{badges}\n")).is_empty());
        let text = "see <file>";
        assert_eq!(chunks(Path::new("a.txt"), text)[0].content, text);
    }

    #[test]
    fn headings_in_quotes_and_lists_hold_there() {
        let long = paragraph(400);
        for (name, text, expected) in [
            (
                "a.md",
                format!("# Guide\n\n{long}\n\n> ## Note\n> {long}\n\n{long}\n\n## Next\n\n{long}\n"),
                &[("Guide", 1, 3), ("Guide > Note", 5, 6), ("Guide", 8, 8), ("Guide > Next", 10, 12)][..],
            ),
            (
                "a.md",
                format!("## Guide\n\n1. # One\n\n   {long}\n2. # Two\n\n   {long}\n3. no `heading`\n\n{long}\n"),
                &[("Guide > One", 1, 5), ("Guide > Two", 6, 8), ("Guide", 9, 11)],
            ),
            (
                "a.md",
                format!("> > # Deep\n> > {long}\n>\n> # Less\n> {long}\n\n- # Item\n  {long} *a* `b`\n  {long}\n"),
                &[("Deep", 1, 2), ("Less", 4, 5), ("Item", 7, 9)],
            ),
            ("a.md", format!("# Guide\n\n> # Note\n\n{long}\n"), &[("Guide", 1, 5)]),
            ("a.md", format!("# Guide\n\n> no heading\n\n- nor here\n\n{long}\n"), &[("Guide", 1, 7)]),
            (
                "a.html",
                format!(
                    "<h1>Guide</h1>\n<p>{long}</p>\n<blockquote><h2>Note</h2>\n<p>{long}</p></blockquote>\n<p>{long}</p>\n\
                     <ul><li><h3>One</h3>\n<p>a</p></li>\n<li><p>b</p></li></ul>\n<h2>Next</h2>\n<p>c</p>\n"
                ),
                &[
                    ("Guide", 1, 2),
                    ("Guide > Note", 3, 4),
                    ("Guide", 5, 5),
                    ("Guide > One", 6, 7),
                    ("Guide", 8, 8),
                    ("Guide > Next", 9, 10),
                ],
            ),
            (
                "a.html",
                "<ul><li><h2>One</h2>\n<p>a<li>b\n<li><h2>Two</h2>\n<p>c</ul>\n<h1>Next</h1>\n<p>d\n".to_owned(),
                &[("One", 1, 2), ("", 2, 2), ("Two", 3, 4), ("Next", 5, 6)],
            ),
        ] {
            let expected: Vec<_> =
                expected.iter().map(|(heading, from, to)| ((*heading).to_owned(), *from, *to)).collect();
            assert_eq!(outline(name, &text), expected, "{text}");
            let now = Outline::of(Path::new(name), &text);
            for chunk in chunks(Path::new(name), &text) {
                let place = (chunk.sections, chunk.line);
                assert!(now.places_of(&chunk.content).any(|it| it == place), "{place:?} of {text}");
            }
        }
    }

    #[test]
    fn lines_that_only_look_like_headings() {
        for (name, text) in [
            ("a.rst", "a\n\nb::\n\n    Title\n    =====\n\n- item\n\n====\n\nlast\nline\n----\n"),
            ("a.adoc", "a\n\n----\n= no\n----\n\n====\nexample\n====\n\n=no\n"),
            ("a.html", "<p>a <br> &lt;h1&gt;no&lt;/h1&gt; <textarea><h1>no</h1></textarea>"),
        ] {
            let found = chunks(Path::new(name), text);
            assert!(found.iter().all(|it| it.headings.is_empty()), "{name}: {found:?}");
        }
    }

    #[test]
    fn html_is_read_without_its_tags() {
        let text =
            "<p>one <b>two</b>\n   three</p><ul><li>four<li>five</ul><pre>x\n  y</pre><table><tr><td>a<td>b</table>";
        let found = chunks(Path::new("a.html"), text);
        assert_eq!(found[0].content, "one two\nthree\nfour\nfive\nx\n  y\na b");
        for text in
            ["", "<", "<h1>", "<h1>a", "</h1>", "<script>", "\0<p>\0", "<h1></h1><h2> </h2>a", &"<div>".repeat(10_000)]
        {
            chunks(Path::new("a.html"), text);
        }
    }

    #[test]
    fn each_section_of_html_is_a_chunk_however_short() {
        let text = "<h1>Manual</h1>\n<p>About dingos.</p>\n<h2>Feeding</h2>\n<p>About olms.</p>\n<h2>Cleaning</h2>\n<h3>Cages</h3>\n<p>About gundis.</p>\n";
        let found = chunks(Path::new("a.html"), text);
        let found: Vec<_> =
            found.iter().map(|it| (it.headings.join(HEADING_SEPARATOR), it.line, it.end_line)).collect();
        let expected = [("Manual", 1, 2), ("Manual > Feeding", 3, 4), ("Manual > Cleaning > Cages", 5, 7)];
        assert_eq!(found, expected.map(|(heading, from, to)| (heading.to_owned(), from, to)));
    }

    #[test]
    fn a_heading_of_html_is_on_the_line_of_its_tag() {
        for (heading, end) in [
            ("<h1>Title</h1>", 3),
            ("<h1\n class=x>Title</h1>", 4),
            ("<h1\n class=x\n>\n Title\n</h1>", 7),
            ("<h1>\n  <b\n>Title</b></h1>", 5),
        ] {
            let found = outline("a.html", &format!("<p>first</p>\n{heading}\n<p>text"));
            assert_eq!(found, [(String::new(), 1, 1), ("Title".to_owned(), 2, end)], "{heading}");
        }
        let found = outline("a.html", "<h1>\n<img>\n<!--\n-->\n</h1>\n<h2>Two</h2>\n<p>text");
        assert_eq!(found.last(), Some(&("Two".to_owned(), 6, 7)), "after a heading without a title");
    }

    proptest! {
        #[test]
        fn lines_of_html_are_in_order(text in "(<h[12]>|</h[12]>|<p>|</pre>|<pre>|<!--|-->|&amp;|[ a-zäß<>\n]{0,8}){0,40}") {
            let found = chunks(Path::new("a.html"), &text);
            let lines = text.split('\n').count();
            for pair in found.windows(2) {
                prop_assert!(pair[0].end_line <= pair[1].line);
            }
            prop_assert!(found.iter().all(|it| 1 <= it.line && it.line <= it.end_line && it.end_line <= lines));
        }

        #[test]
        fn every_line_of_text_is_in_a_chunk(text in "([-#`*>= a-z0-9äß]{0,40}\n|={3,9}\n|(> |- |1. ){1,2}#{1,3} a\n){0,40}") {
            for name in ["a.md", "a.yaml", "a.rst", "a.adoc"] {
                let found = chunks(Path::new(name), &text);
                for pair in found.windows(2) {
                    prop_assert!(pair[0].end_line <= pair[1].line);
                }
                for (nth, line) in text.lines().enumerate() {
                    if line.chars().any(char::is_alphanumeric) {
                        let covered = found.iter().any(|it| (it.line..=it.end_line).contains(&(nth + 1)));
                        prop_assert!(covered, "line {} of {:?}", nth + 1, text);
                    }
                }
            }
        }
    }
}
