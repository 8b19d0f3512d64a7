//! Tables of Markdown constructs and their appearance, and the laws of the layout.

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser};
use ratatui::style::Modifier;

use super::*;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{LinePart, PageLine, WrappedText};

fn layout(columns: usize) -> MarkdownLayout<'static> {
    MarkdownLayout {
        columns,
        glyphs: &Glyphs::UNICODE,
        front_matter: FrontMatterFold::Folded,
        first_line: 1,
        keeps_lines: false,
    }
}

fn made(text: &str, columns: usize) -> MarkdownLines {
    lines(text, &layout(columns))
}

/// The rows as drawn, without trailing blanks.
fn rows(text: &str, columns: usize) -> Vec<String> {
    let page = WrappedText::new(made(text, columns).lines, columns);
    (0..page.len()).map(|nth| page.row(nth).trim_end().to_owned()).collect()
}

#[test]
fn constructs() {
    for (text, narrow, wide) in [
        ("# Title\ntext", &["Title", "─────", "text"][..], None::<&[&str]>),
        ("## When\n### Why\n", &["When", "", "Why"], None),
        ("one\ntwo  \nthree\\\nfour", &["one two", "three", "four"], None),
        ("a *b* **c** ~~d~~ `e` &amp; \\*f\\*", &["a b c d e & *f*"], None),
        ("- a\n- b\n  1. c\n  2. d\n- [x] e\n- [ ] f", &["– a", "– b", "  1. c", "  2. d", "– [x] e", "– [ ] f"], None),
        ("1. a\n\n   b\n\n2. c", &["1. a", "", "   b", "", "2. c"], None),
        ("9. a\n10. b", &["9. a", "10. b"], None),
        ("- \n- a", &["–", "– a"], None),
        ("> a\n> b\n>\n> > c\n\nd", &["▌ a b", "▌", "▌ ▌ c", "", "d"], None),
        ("> [!NOTE]\n> Take care.", &["▌ Note", "▌ Take care."], None),
        ("a\n\n```java\nint x;\n\n  y\n```\nb", &["a", "", "│ int x;", "│", "│   y", "", "b"], None),
        (
            "    code\n\n***\n",
            &["│ code", "", "────────────────────────────────────────"],
            Some(&["│ code", "", "────────────────────────────────────────────────────────────────────────────────"]),
        ),
        ("[a](b.md) <https://e.org> [c.md](./c.md) [When](#when)", &["a https://e.org c.md When"], None),
        ("[a](https://e.org) ![](p.png)", &["a (https://e.org) image: p.png"], None),
        ("![plan](p.png) [][r]\n\n[r]: x.md", &["image: plan (p.png) x.md"], None),
        ("a[^1]\n\n[^1]: b", &["a[1]", "", "[1] b"], None),
        ("<div>\n<b>x</b>\n</div>\n\na <i>b</i>", &["x", "", "a b"], None),
        ("<details><summary>More</summary>\n\ntext\n\n</details>\n\nb", &["More", "", "text", "", "b"], None),
        ("<div align=\"center\"><h2>One &amp; two</h2><p>text", &["One & two", "", "text"], None),
        (
            "a<br>b <kbd>C</kbd>+<sub>2</sub> <!-- c --> <a href=\"x\">d</a>",
            &["a", "b C+2 <!-- c --> <a href=\"x\">d</a>"],
            None,
        ),
        ("<!-- a\nb -->\nc", &["<!-- a", "b -->", "", "c"], None),
        ("---\nid: a\n---\n# T", &["front matter · 1 line · id", "", "T", "─"], None),
        ("\u{1b}[2J&#27;a\tb", &["\\x1b[2J\\x1ba    b"], None),
        ("", &[], None),
    ] {
        assert_eq!(rows(text, 40), narrow, "{text:?}");
        assert_eq!(rows(text, 80), wide.map_or(narrow, |wide| wide), "{text:?}");
    }
}

/// Otherwise emphasis and code would look the same.
#[test]
fn code_in_a_sentence_keeps_its_ticks_without_colours() {
    let glyphs = Glyphs::UNICODE.without_colours();
    let made = lines("a *b* `c d`", &MarkdownLayout { glyphs: &glyphs, ..layout(40) });
    assert_eq!(made.lines[0].text(), "a b `c d`");
}

#[test]
fn long_texts_keep_their_bars_and_indents() {
    let long = "one two three four five six seven eight nine ten";
    for (text, expected) in [
        (format!("> {long}"), &["▌ one two three four five six seven", "▌ eight nine ten"][..]),
        (format!("- {long}"), &["– one two three four five six seven", "  eight nine ten"]),
        (format!("10. > {long}"), &["10. ▌ one two three four five six seven", "    ▌ eight nine ten"]),
        (format!("- {}", "x".repeat(50)), &["– xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "  xxxxxxxxxxxx"]),
        (format!("    {}", "x".repeat(50)), &["│ xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "│ xxxxxxxxxxxx"]),
    ] {
        assert_eq!(rows(&text, 40), expected, "{text}");
    }
}

#[test]
fn prose_has_a_maximum_width() {
    let long = "word ".repeat(40);
    let cell = format!("| a | b |\n| --- | --- |\n| c | {long} |");
    for (text, widest) in [
        (long.clone(), 99),
        (format!("# {long}"), 100),
        (format!("- {long}"), 96),
        (format!("> {long}"), 96),
        ("***".to_owned(), 100),
        (format!("    {long}"), 141),
        (cell, 144),
    ] {
        let rows = rows(&text, 144);
        let got = rows.iter().map(|row| cells::width(row)).max();
        assert_eq!(got, Some(widest), "{text}");
    }
}

#[test]
fn tables() {
    let small = "| a | bb | c |\n| --- | ---: | :-: |\n| one | 2 | x |\n| `t` | 日本 | yes |";
    let expected = ["a   │   bb │  c", "────────────────", "one │    2 │  x", "t   │ 日本 │ yes"];
    assert_eq!(rows(small, 40), expected);
    let long = "| key | what it does |\n| --- | --- |\n| a | one two three four five six seven eight nine |\n| b | c |";
    assert_eq!(
        rows(long, 40),
        [
            "key │ what it does",
            "────────────────────────────────────────",
            "a   │ one two three four five six seven",
            "    │ eight nine",
            "b   │ c",
        ]
    );
    assert_eq!(
        rows(long, 12),
        [
            "key: a",
            "what it",
            "  does: one",
            "  two three",
            "  four five",
            "  six seven",
            "  eight nine",
            "",
            "key: b",
            "what it",
            "  does: c"
        ]
    );
    let escaped = "- x\n\n  | a |\n  | - |\n  | b\\|c |";
    assert_eq!(rows(escaped, 40), ["– x", "", "  a", "  ───", "  b|c"]);
}

#[test]
fn front_matter_unfolds() {
    let layout = MarkdownLayout { front_matter: FrontMatterFold::Unfolded, ..layout(40) };
    let made = lines("---\nid: a\ntags: [b]\n---\n# T\n", &layout);
    let texts: Vec<&str> = made.lines.iter().map(PageLine::text).collect();
    assert_eq!(texts, ["front matter", "│ id: a", "│ tags: [b]", "", "T", "─"]);
    assert_eq!((0..6).map(|line| made.origins.source_line(line, 0).unwrap()).collect::<Vec<_>>(), [1, 2, 3, 3, 5, 5]);
    assert_eq!(made.code[0].languages, ["yaml"]);
}

#[test]
fn every_part_has_its_line_in_the_source() {
    let text = "# A\n\none\ntwo three\n\n- b\n- c\n\n```sh\nx\ny\n```\n\n| h |\n| - |\n| d |\n";
    let made = made(text, 40);
    for (line, at, source) in
        [(0, 0, 1), (2, 0, 3), (2, 2, 3), (2, 4, 4), (4, 0, 6), (5, 0, 7), (7, 0, 9), (7, 4, 10), (8, 4, 11)]
    {
        assert_eq!(made.origins.source_line(line, at), Some(source), "{line}:{at} of {:?}", made.lines);
        assert!(source == 3 || made.origins.place(source).is_some_and(|(found, _)| found == line), "{source}");
    }
    assert_eq!(made.origins.place(4), Some((2, 4)));
    assert_eq!(made.origins.place(5), made.origins.place(6), "an empty line is where the next one is");
    assert_eq!(made.origins.place(99), made.origins.place(16), "after the end is the last one");
    assert_eq!(made.origins.parts(4).next(), Some(LineRange { line: 2, start: 4, end: usize::MAX }));
    assert_eq!(made.code[0].languages, ["sh"]);
    assert_eq!(made.code[0].lines, [(7, "│ ".len()), (8, "│ ".len())]);
}

#[test]
fn links_and_anchors() {
    let made = made("# A b\n\nsee [c](d.md#e)\nand <x@y.org>[^n]\n\n| [t](u.md) |\n| - |\n\n[^n]: o\n\n## A b", 40);
    let shown = |link: &WrittenLink| -> Vec<&str> {
        link.shown.iter().map(|at| made.lines[at.line].text().get(at.start..at.end).unwrap()).collect()
    };
    let links: Vec<_> = made.links.iter().map(|it| (shown(it), it.target.as_str(), it.source_line)).collect();
    assert_eq!(
        links,
        [(vec!["c"], "d.md#e", 3), (vec!["x@y.org"], "x@y.org", 4), (vec!["[n]"], "#^n", 4), (vec!["t"], "u.md", 6),]
    );
    for (name, text) in [("a-b", "A b"), ("^n", "[n] o"), ("a-b-1", "A b")] {
        let anchor = made.anchors.iter().find(|anchor| anchor.name == name).unwrap();
        assert_eq!(made.lines[anchor.line].text(), text);
    }
}

/// Headings are shown without their marks, so the style must show the level.
#[test]
fn levels_of_headings_look_different() {
    for (text, rows, added) in [
        ("# A", 2, Modifier::BOLD),
        ("## A", 1, Modifier::BOLD.union(Modifier::UNDERLINED)),
        ("### A", 1, Modifier::BOLD),
    ] {
        let made = made(text, 40);
        let expected = PageLine::of_parts("A".to_owned(), vec![LinePart { end: 1, role: ThemeRole::Strong, added }]);
        assert_eq!((made.lines.len(), &made.lines[0]), (rows, &expected.prose()), "{text}");
    }
}

#[test]
fn languages_of_fences() {
    for (info, expected) in [
        ("java", &["java"][..]),
        ("Rust,ignore", &["rust"]),
        ("{.python title=x}", &["python"]),
        ("shell", &["sh", "shell"]),
        ("", &[]),
    ] {
        let made = made(&format!("```{info}\nx\n```"), 40);
        assert_eq!(made.code[0].languages, expected, "{info}");
    }
}

#[test]
fn deep_and_wide_texts_take_no_time() {
    let deep = |mark: &str| format!("{} x\n", mark.repeat(60_000 / mark.len()));
    for text in [deep(">"), deep("> "), deep("- "), deep("> - "), deep("1. "), format!("{}\n> y\n", deep(">"))] {
        let made = made(&text, 40);
        assert!(made.lines.iter().any(|line| line.text().ends_with('x')), "{:?}", made.lines.first());
    }
    let header = format!("| {} |\n| - |\n{}", "h".repeat(20_000), "| a |\n".repeat(4_000));
    let bytes: usize = made(&header, 40).lines.iter().map(|line| line.text().len()).sum();
    assert!(bytes < 2_000_000, "{bytes}");
}

/// Texts that are likely to be Markdown constructs, and some that never are.
fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        6 => "[a-z 日é👍\u{301}]{1,12}",
        6 => proptest::sample::select(&[
            "\n", "\n\n", "- ", "1. ", "> ", "# ", "### ", "```", "```java\n", "~~~\n", "    ", "\t", "|", "| a | b |\n| - | -: |\n",
            "*", "**", "~~", "`", "[", "](", ")", "![", "[^1]", "[^1]: ", "<div>", "<b>", "---\n", "***\n", "\\", "  \n", "- [x] ",
            "&amp;", "&#27;", "https://e.org", "<https://e.org>", "[a]: b.md\n", "> [!NOTE]\n", "\r\n", "\u{202e}", "\x1b[2J", "\0",
        ][..]).prop_map(str::to_owned),
        1 => any::<String>(),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

/// The text that a reader should see according to the parser, without white space.
fn visible(text: &str) -> String {
    let start = front_matter::split(text).map_or(0, |(_, end)| end);
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    let seen = Parser::new_ext(&text[start..], options).filter_map(|event| match event {
        Event::Text(text) | Event::Code(text) => {
            Some(text.split(['\n', '\r', '\t']).map(|part| cells::clean(part).into_owned()).collect::<String>())
        }
        _ => None,
    });
    seen.flat_map(|text| text.chars().filter(|c| !c.is_whitespace()).collect::<Vec<_>>()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn laws(text in any_text(), columns in 2..90usize, unfolded in any::<bool>()) {
        let front_matter = if unfolded { FrontMatterFold::Unfolded } else { FrontMatterFold::Folded };
        let layout = MarkdownLayout { front_matter, ..layout(columns) };
        let made = lines(&text, &layout);
        let source_lines = text.lines().count().max(1);
        let mut last = 0;
        for line in 0..made.lines.len() {
            let source = made.origins.source_line(line, 0).unwrap_or(1);
            prop_assert!(last <= source && source <= source_lines, "{last} {source} of {source_lines}");
            last = source;
            prop_assert!(!made.lines[line].text().chars().any(char::is_control));
        }
        for source in 1..=source_lines {
            if let Some((line, at)) = made.origins.place(source) {
                prop_assert!(made.lines.get(line).is_some_and(|line| line.text().is_char_boundary(at)));
            }
        }
        for at in made.links.iter().flat_map(|link| &link.shown) {
            prop_assert!(made.lines.get(at.line).is_some_and(|line| line.text().get(at.start..at.end).is_some()));
        }
        for (line, from) in made.code.iter().flat_map(|block| &block.lines) {
            prop_assert!(made.lines.get(*line).is_some_and(|line| line.text().is_char_boundary(*from)));
        }
        prop_assert!(made.anchors.iter().all(|anchor| anchor.line <= made.lines.len()));
        let page = WrappedText::new(made.lines, columns);
        for nth in 0..page.len() {
            let row = page.row(nth);
            // A single character may be wider than a few columns.
            prop_assert!(columns < 8 || cells::width(row.trim_end_matches(' ')) <= columns, "{row:?} in {columns}");
        }
    }

    #[test]
    fn what_is_visible_in_the_source_is_shown_in_its_order(text in any_text()) {
        let shown: String = (made(&text, 400)).lines.iter().map(PageLine::text).collect();
        let mut shown = shown.chars();
        for wanted in visible(&text).chars() {
            prop_assert!(shown.any(|c| c == wanted), "{wanted:?} of {text:?}");
        }
    }
}
