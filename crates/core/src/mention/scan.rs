//! Scans one text for ids, paths and hidden characters. The result depends only on text, format and ids, so it can be
//! cached.

use std::path::Path;

use super::generated::names_a_document;
use super::ids::IdMatcher;
use super::links::{FoundLinks, Link, LinkSyntax, is_from_template, links};
use super::target::path_of;
use refdesk_text::generated::{body, is_generated_data};
use refdesk_text::hidden::HiddenCharacters;
use refdesk_text::lines::LineCounter;
use refdesk_text::number::narrow;

/// The ids and paths in one text. Line numbers have 32 bits, because a running desk keeps ten thousand of these.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ScannedMentions {
    /// Ids as whole words, by position in the matcher, with their lines, in text order.
    pub ids: Box<[(u32, u32)]>,
    /// Links that contain a path, in text order.
    pub paths: Box<[LinkedPath]>,
    /// Whether more than a tenth of the bytes are not UTF-8.
    pub is_binary: bool,
    /// The line of the first link over the limit, which is not followed.
    pub cut_at: Option<u32>,
    /// The line from which on only bare words are links, because the text is too long to be parsed.
    pub unparsed_from: Option<u32>,
    /// The line from which on a long text is parsed separately, if it contains definitions of links.
    pub split_at: Option<u32>,
    /// Invisible characters in the text.
    pub hidden: Option<Box<HiddenCharacters>>,
}

/// A link to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedPath {
    /// Trimmed and decoded, not resolved.
    pub path: Box<str>,
    /// Its line.
    pub line: u32,
    /// Whether the target need not exist: a bare word in code or one that does not name a document, a link with template
    /// syntax, or a link whose target is reported at its definition.
    pub is_example: bool,
}

/// Scans a text.
///
/// Pages that refdesk wrote about a database contain its names, comments and values, which may be anything. In them,
/// ids and bare paths are not mentions; only links count, because escaped database text cannot form a link.
pub fn scan(text: &str, format: LinkSyntax, matcher: &IdMatcher) -> ScannedMentions {
    let hidden = HiddenCharacters::of(text).map(Box::new);
    let mut lines = LineCounter::new(text);
    let (ids, found) = match body(text) {
        Some(body) => (Box::default(), written_links(body, text.len() - body.len(), format)),
        None if is_generated_data(text) => Default::default(),
        None => {
            let ids = matcher.find(text).map(|(id, start)| (narrow(id), narrow(lines.line_of(start)))).collect();
            (ids, links(text, format))
        }
    };
    let FoundLinks { links, cut_at, unparsed_from, split_at } = found;
    let line_of = |at: usize| narrow(LineCounter::new(text).line_of(at));
    let [cut_at, unparsed_from, split_at] = [cut_at, unparsed_from, split_at].map(|at| at.map(line_of));
    let mut lines = LineCounter::new(text);
    let paths = links
        .into_iter()
        .filter_map(|link| {
            let (path, line): (Box<str>, u32) = (path_of(&link.target)?.into(), narrow(lines.line_of(link.offset)));
            let is_word = link.is_bare && (link.is_code || !names_a_document(Path::new(&*path)));
            let is_example = link.is_defined || is_word || is_from_template(&link.target);
            Some(LinkedPath { path, line, is_example })
        })
        .collect();
    ScannedMentions { ids, paths, is_binary: false, cut_at, unparsed_from, split_at, hidden }
}

/// The links, without bare words, in a part that begins at this offset of the text.
fn written_links(part: &str, offset: usize, format: LinkSyntax) -> FoundLinks {
    let FoundLinks { links, cut_at, unparsed_from, split_at } = links(part, format);
    let there = |at: usize| at + offset;
    let written = links.into_iter().filter(|link| !link.is_bare);
    FoundLinks {
        links: written.map(|link| Link { offset: there(link.offset), ..link }).collect(),
        cut_at: cut_at.map(there),
        unparsed_from: unparsed_from.map(there),
        split_at: split_at.map(there),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::testing::inline;

    /// The ids and the paths that a text mentions, each with its line.
    fn mentioned(text: &str, format: LinkSyntax) -> Vec<String> {
        let catalog = Catalog::new(vec![inline("retry-pattern", ""), inline("orders", "")]);
        let matcher = IdMatcher::new(&catalog);
        let found = scan(text, format, &matcher);
        let ids = found.ids.iter().map(|(id, line)| format!("{line} {}", matcher.ids()[*id as usize]));
        ids.chain(found.paths.iter().map(|link| format!("{} {}", link.line, link.path))).collect()
    }

    #[test]
    fn foreign_text_in_generated_files_mentions_nothing() {
        let foreign = "See retry-pattern, @orders, @ref:orders, `orders` and ./retry.md or `./retry.md`.";
        let members = "\"confidence\": null, \"row_count_approx\": null, \"columns\": []";
        let front = "---\nid: orders\ntable: \"[x](./retry.md)\"\ngenerated: refdesk\n---\n";
        for (text, expected) in [
            (format!("{front}\n{foreign}\n"), Vec::<&str>::new()),
            (format!("{front}\n{foreign} [`orders`](main.orders.md)\n"), vec!["7 main.orders.md"]),
            (format!("{front}\n[a][r] {foreign}\n\n[r]: ./a.md"), vec!["7 ./a.md", "9 ./a.md"]),
            (format!("{front}\n{foreign}").replace('\n', "\r\n"), vec![]),
            (
                format!("{{\"fully_qualified_name\": \"main.orders\", \"description\": \"{foreign}\", {members}}}"),
                vec![],
            ),
            (
                "{\"fully_qualified_name\": \"com.acme\", \"see\": \"retry-pattern\"}".to_owned(),
                vec!["1 retry-pattern"],
            ),
            ("---\nid: orders\n---\n".to_owned(), vec!["2 orders"]),
        ] {
            assert_eq!(mentioned(&text, LinkSyntax::Markdown), expected, "{text}");
        }
    }

    #[test]
    fn the_line_from_which_on_a_text_is_not_parsed_counts_in_the_whole_text() {
        use refdesk_text::markdown::SIGNS;
        let matcher = IdMatcher::new(&Catalog::default());
        for (front, line) in [("", 3), ("---\nid: orders\ngenerated: refdesk\n---\n", 7)] {
            let text = format!("{front}[a](./a.md)\n\n{} [b](./b.md)\n", "[".repeat(SIGNS));
            let found = scan(&text, LinkSyntax::Markdown, &matcher);
            let paths = found.paths.iter().map(|link| &*link.path);
            let bare = if front.is_empty() { &["./a.md", "./b.md"][..] } else { &["./a.md"] };
            assert_eq!((paths.collect::<Vec<_>>(), found.unparsed_from), (bare.to_vec(), Some(line)));
        }
    }
}
