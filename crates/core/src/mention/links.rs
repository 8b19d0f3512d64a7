//! Finds links in a text: CommonMark links in markdown, `href` and `src` in HTML, and bare `./x` and `../x` words
//! everywhere (BEHAVIOUR §3). `target` resolves them.

use std::ops::Range;
use std::path::Path;

use html5gum::emitters::default::DefaultEmitter;
use html5gum::{State, Token, Tokenizer};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};

use refdesk_text::markdown::parsable;
use refdesk_text::words::char_before;

/// The most links of one document that are followed.
pub(super) const LINKS_OF_A_DOCUMENT: usize = 100_000;

/// The link syntax of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LinkSyntax {
    /// Links, images and reference definitions of CommonMark.
    Markdown,
    /// The attributes `href` and `src`.
    Html,
    /// Only bare words.
    Plain,
}

impl LinkSyntax {
    /// The syntax for this file, by extension, ignoring case.
    pub fn of(path: &Path) -> Self {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if ending.eq_ignore_ascii_case("md") {
            Self::Markdown
        } else if ["html", "htm"].iter().any(|html| ending.eq_ignore_ascii_case(html)) {
            Self::Html
        } else {
            Self::Plain
        }
    }
}

/// A link as written, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    /// The target, with character references and backslash escapes resolved, but not percent-encoding.
    pub target: String,
    /// Byte offset in the text.
    pub offset: usize,
    /// Whether it is a bare word.
    pub is_bare: bool,
    /// Whether it is a bare word in code in a markdown text.
    pub is_code: bool,
    /// Whether it refers to a definition, which is reported as a separate link.
    pub is_defined: bool,
}

impl Link {
    /// A link written in the syntax of its text, not as a bare word.
    fn written(target: String, offset: usize) -> Self {
        Self { target, offset, is_bare: false, is_code: false, is_defined: false }
    }
}

/// The links of a text.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct FoundLinks {
    /// In order of offset.
    pub links: Vec<Link>,
    /// The offset of the first link over the limit.
    pub cut_at: Option<usize>,
    /// The offset from which on only bare words are found.
    pub unparsed_from: Option<usize>,
    /// The offset of the second part, if all of the text was parsed, but in parts, and contains definitions.
    pub split_at: Option<usize>,
}

/// Links, and the byte ranges in which bare words are ignored or count as code.
#[derive(Default)]
struct Parsed {
    links: Vec<Link>,
    /// The ranges of link targets, which are not searched for bare words; in order of start.
    covered: Vec<Range<usize>>,
    /// The ranges of code; in order of start, not nested.
    code: Vec<Range<usize>>,
    /// The offset from which on nothing was parsed.
    unparsed_from: Option<usize>,
    /// As in [`FoundLinks`].
    split_at: Option<usize>,
    has_definitions: bool,
}

/// The links of the text, at most [`LINKS_OF_A_DOCUMENT`].
pub(crate) fn links(text: &str, format: LinkSyntax) -> FoundLinks {
    // Every link and every definition contains an opening bracket.
    let may_matter =
        || memchr::memchr(b'[', text.as_bytes()).is_some() || memchr::memmem::find(text.as_bytes(), b"./").is_some();
    let Parsed { mut links, covered, code, unparsed_from, split_at, .. } = match format {
        LinkSyntax::Markdown if may_matter() => markdown(text),
        LinkSyntax::Html => html(text),
        _ => Parsed::default(),
    };
    let mut words = bare_words(text, &covered);
    for word in &mut words {
        word.is_code = last_before(&code, word.offset).is_some_and(|code| word.offset < code.end);
    }
    links.extend(words);
    links.sort_by_key(|link| link.offset);
    let cut_at = links.get(LINKS_OF_A_DOCUMENT).map(|link| link.offset);
    links.truncate(LINKS_OF_A_DOCUMENT);
    FoundLinks { links, cut_at, unparsed_from, split_at }
}

/// Parses the text in parts, so that the tree of the parser stays small.
fn markdown(text: &str) -> Parsed {
    let mut found = Parsed::default();
    let mut start = 0;
    while let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) {
        let part = parsable(rest);
        let is_cut = part.len() < rest.len();
        let read = add_markdown(part, start, is_cut, &mut found);
        start += read;
        if is_cut && read == part.len() {
            found.unparsed_from = Some(start);
            break;
        }
        if is_cut {
            found.split_at.get_or_insert(start);
        }
        if found.links.len() > LINKS_OF_A_DOCUMENT {
            break;
        }
    }
    found.split_at = found.split_at.filter(|_| found.has_definitions && found.unparsed_from.is_none());
    found.covered.sort_by_key(|range| range.start);
    found
}

/// Adds the links of a part that begins at this offset; returns how much of it was read. The last block of a part that
/// is cut may continue after it, so that block begins the next part, unless it is the only one. A link that refers to a
/// definition in another part is not found; the definition is.
fn add_markdown(part: &str, offset: usize, is_cut: bool, found: &mut Parsed) -> usize {
    let there = |range: &Range<usize>| offset + range.start..offset + range.end;
    let parser = Parser::new_ext(part, Options::empty());
    let definitions = parser.reference_definitions().iter();
    let definitions: Vec<(String, Range<usize>)> =
        definitions.map(|(label, it)| (defined_target(label, &it.dest), it.span.clone())).collect();
    let (mut depth, mut last, mut before_last) = (0usize, 0, [0; 3]);
    for (event, range) in parser.into_offset_iter() {
        if depth == 0 {
            (last, before_last) = (range.start, [found.links.len(), found.covered.len(), found.code.len()]);
        }
        match &event {
            Event::Start(_) => depth += 1,
            Event::End(_) => depth = depth.saturating_sub(1),
            _ => {}
        }
        match event {
            Event::Start(Tag::Link { link_type, dest_url, id, .. } | Tag::Image { link_type, dest_url, id, .. }) => {
                // Only inline links contain their target. Searching others, which can nest, would take quadratic time.
                let within = part.get(range.clone()).filter(|_| link_type == LinkType::Inline).unwrap_or_default();
                let range = there(&range);
                if let Some(target) = within.rfind("](") {
                    found.covered.push(range.start + target + 1..range.end);
                }
                let is_defined = matches!(link_type, LinkType::Reference | LinkType::Collapsed | LinkType::Shortcut);
                let target = if is_defined { defined_target(&id, &dest_url) } else { dest_url.into_string() };
                found.links.push(Link { is_defined, ..Link::written(target, range.start) });
            }
            Event::Start(Tag::CodeBlock(_)) | Event::Code(_) => found.code.push(there(&range)),
            _ => {}
        }
    }
    // The block may be indented.
    let line = part.get(..last).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
    let read = if is_cut && line > 0 { line } else { part.len() };
    if read < part.len() {
        let [links, covered, code] = before_last;
        found.links.truncate(links);
        found.covered.truncate(covered);
        found.code.truncate(code);
    }
    for (target, span) in definitions.into_iter().filter(|(_, span)| span.start < read) {
        found.has_definitions = true;
        found.covered.push(there(&span));
        found.links.push(Link::written(target, offset + span.start));
    }
    read
}

/// The target of a definition. One whose label begins with `^` is a footnote, whose text may be a link.
fn defined_target(label: &str, dest: &str) -> String {
    let link = |event| match event {
        Event::Start(Tag::Link { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    };
    let footnote = label.strip_prefix('^').and_then(|_| Parser::new(dest).find_map(link));
    footnote.unwrap_or_else(|| dest.to_owned())
}

fn html(text: &str) -> Parsed {
    let mut found = Parsed::default();
    let mut emitter = DefaultEmitter::<usize>::new_with_span();
    // Neither tags nor comments begin in a script, a style or a title.
    emitter.naively_switch_states(true);
    let mut tokens = Tokenizer::new_with_emitter(text, emitter);
    while let Some(Ok(token)) = tokens.next() {
        let Token::StartTag(tag) = token else { continue };
        // Its content is for readers that run no scripts.
        if *tag.name == b"noscript" {
            tokens.set_state(State::Data);
        }
        for (name, value) in &tag.attributes {
            if matches!(name.as_slice(), b"href" | b"src") {
                found.links.push(Link::written(String::from_utf8_lossy(value).into_owned(), value.span.start));
                found.covered.push(value.span.start..value.span.end);
            }
        }
        if found.links.len() > LINKS_OF_A_DOCUMENT {
            break;
        }
    }
    found
}

/// Whether the target contains template syntax: `{{`, `{%` or `<%`.
pub(super) fn is_from_template(target: &str) -> bool {
    ["{{", "{%", "<%"].iter().any(|mark| target.contains(mark))
}

/// Words that begin with `./` or `../`, outside the given ranges (in order of start).
fn bare_words(text: &str, covered: &[Range<usize>]) -> Vec<Link> {
    let mut words = Vec::new();
    let mut from = 0;
    for slash in memchr::memmem::find_iter(text.as_bytes(), b"./") {
        let start = if char_before(text, slash) == Some('.') { slash - 1 } else { slash };
        if start < from || !char_before(text, start).is_none_or(opens) {
            continue;
        }
        let rest = text.get(start..).unwrap_or_default();
        let word = rest.split(closes).next().unwrap_or_default();
        from = start + word.len();
        let word = without_sentence_end(word);
        // Targets do not nest.
        let is_covered = last_before(covered, start).is_some_and(|range| start < range.end);
        if !is_covered && !matches!(word, "./" | "../" | "." | "..") {
            // One over the limit shows that there are more.
            if words.len() > LINKS_OF_A_DOCUMENT {
                break;
            }
            words.push(Link { is_bare: true, ..Link::written(word.to_owned(), start) });
        }
    }
    words
}

/// The last of these ranges, sorted by start, that begins at or before an offset. If ranges do not nest, no other range
/// can contain the offset.
fn last_before(ranges: &[Range<usize>], offset: usize) -> Option<&Range<usize>> {
    ranges.get(ranges.partition_point(|range| range.start <= offset).checked_sub(1)?)
}

/// Whether a bare word may begin after this character: white space, a bracket, a quote or a backtick.
fn opens(c: char) -> bool {
    c.is_whitespace() || is_bracket(c) || is_quote(c) || is_wide_punctuation(c)
}

fn closes(c: char) -> bool {
    opens(c) || matches!(c, ',' | ';')
}

fn is_bracket(c: char) -> bool {
    matches!(c, '(' | ')' | '[' | ']' | '{' | '}' | '<' | '>')
}

fn is_quote(c: char) -> bool {
    matches!(c, '"' | '\'' | '`' | '“' | '”' | '„' | '‘' | '’' | '‚' | '«' | '»' | '‹' | '›')
}

/// Whether it is punctuation of Chinese or Japanese, which contains its own white space.
fn is_wide_punctuation(c: char) -> bool {
    "（）［］｛｝【】〈〉《》「」『』，、；：。．！？".contains(c)
}

/// The word without the punctuation that ends its sentence; a final `..` is a path component and stays.
fn without_sentence_end(word: &str) -> &str {
    if word.ends_with("/..") {
        return word;
    }
    word.trim_end_matches(['.', '!', '?', ':', '…'])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn targets(text: &str, format: LinkSyntax) -> Vec<String> {
        links(text, format).links.into_iter().map(|link| link.target).collect()
    }

    #[test]
    fn commonmark_links_are_found_in_markdown() {
        for (text, expected) in [
            ("[x](./a.md)", vec!["./a.md"]),
            ("[x](a.md \"title\") ![i](img/b.png)", vec!["a.md", "img/b.png"]),
            ("[x](<./a b.md>)", vec!["./a b.md"]),
            ("[x](./a b.md)", vec!["./a"]),
            ("[a [b]](./c.md)", vec!["./c.md"]),
            ("[t][r]\n\n[r]: ./d.md", vec!["./d.md", "./d.md"]),
            ("[x]({{url}}) [y](<{% url 'a' %}>) [z](a<%=b%>.md)", vec!["{{url}}", "{% url 'a' %}", "a<%=b%>.md"]),
            ("[unused]: ../e.md 'title'", vec!["../e.md"]),
            (
                "Text[^1].\n\n[^1]: [spec](spec.md)\n[^2]: a.md\n[3]: [b](b.md)",
                vec!["spec.md", "spec.md", "a.md", "[b](b.md)"],
            ),
            ("[x](a&amp;b.md) [y](a\\_b.md)", vec!["a&b.md", "a_b.md"]),
            ("[x]() [y](#z)", vec!["", "#z"]),
            ("\\[x](q.md)", vec![]),
            ("`[x](q.md)` and `./r.md`", vec!["./r.md"]),
            ("```\n[x](q.md) ./s.md\n```", vec!["./s.md"]),
            ("[![i](./i.png)](./t.md)", vec!["./t.md", "./i.png"]),
            ("[./u.md](./v.md)", vec!["./v.md", "./u.md"]),
        ] {
            assert_eq!(targets(text, LinkSyntax::Markdown), expected, "{text}");
        }
    }

    #[test]
    fn a_link_and_its_definition_are_distinguished() {
        for text in ["[t][r]", "[r][]", "[r]", "![i][r]"] {
            let found = links(&format!("{text}\n\n[r]: ./d.md"), LinkSyntax::Markdown);
            let found: Vec<bool> = found.links.iter().map(|link| link.is_defined).collect();
            assert_eq!(found, [true, false], "{text}");
        }
    }

    #[test]
    fn bare_words_in_code_are_marked() {
        for (text, expected) in [
            ("`./a.md` ./b.md", vec![true, false]),
            ("```\n./a.md\n```\n./b.md", vec![true, false]),
            ("    ./a.md\n\ntext ./b.md", vec![true, false]),
            ("[x](./a.md) `[y](./b.md)` ./c.md", vec![false, true, false]),
        ] {
            let found = links(text, LinkSyntax::Markdown).links;
            let found: Vec<bool> = found.iter().map(|link| link.is_code).collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_parsed_in_parts_that_end_before_a_block() {
        use refdesk_text::markdown::SIGNS;
        let few = "-\n".repeat(SIGNS / 2 - 20);
        let fence = format!("[a](./a.md)\n\n  ```\n{}[b](./b.md)\n```\n\n[c](./c.md)", "-\n".repeat(60));
        // The part ends within the fence, which is parsed again with the next part.
        let text = format!("# x\n{few}\n{fence}");
        let found = links(&text, LinkSyntax::Markdown);
        let shown: Vec<_> = found.links.iter().map(|link| (link.target.as_str(), &text[link.offset..][..3])).collect();
        assert_eq!(shown, [("./a.md", "[a]"), ("./b.md", "./b"), ("./c.md", "[c]")]);
        assert!(found.links[1].is_code);
        assert_eq!((found.cut_at, found.unparsed_from, found.split_at), (None, None, None));
        // The definition counts, and only its position can: the link that refers to it is in another part.
        let text = format!("[a][r] [n][no]\n\n{text}\n\n[r]: ./r.md");
        let found = links(&text, LinkSyntax::Markdown);
        assert_eq!(found.links.iter().filter(|link| link.target == "./r.md").count(), 1);
        assert_eq!((found.unparsed_from, found.split_at), (None, text.find("  ```")));
        let text = format!("[a][r]\n\n[r]: ./r.md\n\n{text}{}", "[".repeat(SIGNS));
        let found = links(&text, LinkSyntax::Markdown);
        assert!(found.unparsed_from.is_some() && found.split_at.is_none(), "one warning is enough");
        // Nothing is parsed from a block with too many signs on.
        let text = format!("[a](./a.md)\n\n{}\n\n[b](b.md) ./c.md", "[".repeat(SIGNS));
        let found = links(&text, LinkSyntax::Markdown);
        assert_eq!(found.links.iter().map(|link| &*link.target).collect::<Vec<_>>(), ["./a.md", "./c.md"]);
        assert_eq!(found.unparsed_from, Some("[a](./a.md)\n\n".len()));
    }

    #[test]
    fn the_links_of_a_document_are_limited() {
        for (link, format) in [
            ("./a.md\n", LinkSyntax::Plain),
            ("[a](a.md)\n\n", LinkSyntax::Markdown),
            ("<a href=a.md>\n", LinkSyntax::Html),
        ] {
            let text = link.repeat(LINKS_OF_A_DOCUMENT);
            let found = links(&text, format);
            assert_eq!((found.links.len(), found.cut_at), (LINKS_OF_A_DOCUMENT, None));
            let more = links(&format!("{text}{}", link.repeat(9)), format);
            assert_eq!(more.links, found.links);
            assert!(more.cut_at.is_some_and(|at| at >= text.len()), "{format:?}");
        }
    }

    #[test]
    fn nested_links_are_found_in_one_pass() {
        // Searching each link's whole text for its target would read billions of bytes.
        let depth = 30_000;
        let text = format!("{}a{}\n\n[r]: ./d.md", "![".repeat(depth), "][r]".repeat(depth));
        assert!(targets(&text, LinkSyntax::Markdown).iter().all(|target| target == "./d.md"));
    }

    #[test]
    fn bare_words_begin_and_end_as_specified() {
        for (text, expected) in [
            ("See ./a.md for more", vec!["./a.md"]),
            ("./a.md", vec!["./a.md"]),
            ("See ./a.md. Next", vec!["./a.md"]),
            (
                "(./a.md) \"./b.md\" `./c.md` './d.md' <./e.md> {./f.md} “./g.md”",
                vec!["./a.md", "./b.md", "./c.md", "./d.md", "./e.md", "./f.md", "./g.md"],
            ),
            ("./a.md, ./b.md; ../c.md! ../d.md?", vec!["./a.md", "./b.md", "../c.md", "../d.md"]),
            ("./a/../b.md ../../c", vec!["./a/../b.md", "../../c"]),
            ("./a/..", vec!["./a/.."]),
            ("x./a.md /./b .../c https://e.org/../d *./e", vec![]),
            ("a ./ b ../ c . ..", vec![]),
            ("path: ./x.yml:", vec!["./x.yml"]),
            (
                "参照 ./a.md。次に「./b.md」、（./c.md）と【./d.md】：./e.md！",
                vec!["./a.md", "./b.md", "./c.md", "./d.md", "./e.md"],
            ),
            ("\u{a0}./nbsp.md", vec!["./nbsp.md"]),
        ] {
            assert_eq!(targets(text, LinkSyntax::Plain), expected, "{text}");
        }
    }

    #[test]
    fn html_attributes_are_found_outside_comments() {
        let text =
            "<p>\n<a href=\"./a.md\">x</a> <img src=b.png> <A HREF='c.md'> <!-- <a href=d.md> --> <a title=e.md>";
        assert_eq!(targets(text, LinkSyntax::Html), ["./a.md", "b.png", "c.md"]);
        assert_eq!(targets(text, LinkSyntax::Plain), ["./a.md"]);
        let text = "<a href=\"{{ url | default(nav.url, true) }}\" x='{%'> <img src=\"a{% b %}c\">";
        assert_eq!(targets(text, LinkSyntax::Html), ["{{ url | default(nav.url, true) }}", "a{% b %}c"]);
        for before in [
            "<script>var open = '<!--', link = \"<a href='no.md'>\";</script>",
            "<script>if (i<a.length && t =\"x\n</script>",
            "<style>/* <!-- */</style>",
            "<title>a <!-- b</title>",
            "<textarea><!-- </textarea>",
            "<iframe><!-- </iframe>",
        ] {
            let text = format!("{before}<noscript><img src=a.png></noscript> <a href=b.md>");
            assert_eq!(targets(&text, LinkSyntax::Html), ["a.png", "b.md"], "{before}");
        }
    }
}
