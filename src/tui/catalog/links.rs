//! The links and mentions of a document: where they are shown, and their targets. Targets come from the
//! mention graph, which resolved paths on disk; this code does no I/O.

mod target;

use std::collections::{BTreeSet, HashSet};
use std::ops::{Range, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ratatui::style::{Modifier, Style};

use self::target::target;
use crate::tui::catalog::document_part::PortionPage;
use crate::tui::markdown::WrittenLink;
use crate::tui::theme::{Theme, ThemeRole};
use crate::tui::widgets::page::PageLine;
use refdesk_core::catalog::{Catalog, SourceId};
use refdesk_core::mention::{Mention, MentionGraph, MentionKind, path_of};
use refdesk_files::path::clean;
use refdesk_text::fold::{collapsed, tag_key};
use refdesk_text::whole::WholeWords;
use refdesk_text::words::{char_before, is_whole};

/// A link or mention on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageLink {
    /// Its line on the page, and its byte range in that line.
    pub line: usize,
    pub range: Range<usize>,
    pub to: LinkTo,
    /// Equal for all parts of one link.
    pub group: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LinkTo {
    /// A source, mentioned in this way. For a folder, `file` is the linked file and `anchor` a heading in it.
    Source { id: SourceId, via: MentionKind, file: Option<PathBuf>, anchor: Option<String> },
    /// A heading or footnote of this document.
    Anchor(String),
    /// A web address.
    Address(String),
    /// A tag of the catalog, written as `#tag`.
    Tag(String),
    /// A path that is not in the catalog, as written.
    Unlisted(String),
}

impl LinkTo {
    /// The style for this kind of target.
    pub fn style(&self, theme: &Theme) -> Style {
        let role = match self {
            Self::Source { via: MentionKind::Id, .. } => ThemeRole::Expansion,
            Self::Source { via: MentionKind::Path, .. } => ThemeRole::Catalog,
            Self::Anchor(_) => ThemeRole::Strong,
            Self::Address(_) => ThemeRole::Kind,
            Self::Tag(_) => ThemeRole::Match,
            Self::Unlisted(_) => ThemeRole::Infra,
        };
        theme.style(role).add_modifier(Modifier::UNDERLINED)
    }
}

#[derive(Debug, Clone, Copy)]
pub struct LinkingDocument<'a> {
    pub id: &'a str,
    /// Its file; `None` for inline content.
    pub path: Option<&'a Path>,
    /// Where `..` leads from the file's folder, if known.
    pub above: Option<&'a Path>,
    /// The files of a source that is a list of files, one per line.
    pub files: &'a [PathBuf],
    pub catalog: &'a Arc<Catalog>,
    /// Its mentions, sorted by line.
    pub mentions: &'a [Mention],
}

/// The mentions in a document of this source, sorted by line.
pub fn mentions(graph: &MentionGraph, id: &str, path: Option<&Path>) -> Vec<Mention> {
    let mut mentions: Vec<Mention> = graph.from(id).collect();
    // For inline content, the graph records the file that defines it.
    mentions.retain(|mention| path.is_none_or(|path| *path == *mention.file));
    mentions.sort_by_key(|mention| mention.line);
    mentions
}

/// The tags of a catalog, collected when a document first contains a `#word`.
#[derive(Debug, Clone, Default)]
pub struct CatalogTags {
    catalog: Option<Arc<Catalog>>,
    keys: HashSet<String>,
}

impl CatalogTags {
    /// Whether a source of this catalog has the tag.
    fn has(&mut self, catalog: &Arc<Catalog>, tag: &str) -> bool {
        let key = |tag: &str| collapsed(&tag_key(tag));
        if !self.catalog.as_ref().is_some_and(|known| Arc::ptr_eq(known, catalog)) {
            self.keys = catalog.sources().iter().flat_map(|source| source.tags.iter()).map(|tag| key(tag)).collect();
            self.catalog = Some(Arc::clone(catalog));
        }
        self.keys.contains(&key(tag))
    }
}

/// Finds the links of these pages.
pub fn mark<'p>(
    document: &LinkingDocument<'_>,
    tags: &mut CatalogTags,
    pages: impl Iterator<Item = &'p mut PortionPage>,
) {
    for page in pages.filter(|page| page.links.is_none()) {
        page.links = Some(of_page(document, tags, page));
    }
}

fn of_page(document: &LinkingDocument<'_>, tags: &mut CatalogTags, page: &PortionPage) -> Vec<PageLink> {
    let mut links = Vec::new();
    let paths: Vec<Option<PathBuf>> = page.written.iter().map(|written| document.path_of(written)).collect();
    for (group, written) in page.written.iter().enumerate() {
        let to = target(document, (group, written), &page.written, &paths);
        links.extend(written.shown.iter().map(|shown| PageLink {
            line: shown.line,
            range: shown.start..shown.end,
            to: to.clone(),
            group,
        }));
    }
    let mut found = FoundLinks { document, page, links: Vec::new(), group: page.written.len() };
    found.add_files();
    found.add_ids();
    found.add_addresses();
    found.add_tags(tags);
    merged(links, found.links)
}

/// The links on a page that are not written as links.
struct FoundLinks<'a> {
    document: &'a LinkingDocument<'a>,
    page: &'a PortionPage,
    links: Vec<PageLink>,
    /// The group of the next one.
    group: usize,
}

impl FoundLinks<'_> {
    fn add(&mut self, line: usize, range: Range<usize>, to: LinkTo) {
        self.links.push(PageLink { line, range, to, group: self.group });
        self.group += 1;
    }

    /// Adds the files of a source that is a list of files.
    fn add_files(&mut self) {
        for (line, (file, text)) in self.document.files.iter().zip(self.page.text.lines()).enumerate() {
            let name = text.text().rfind("  ").unwrap_or(text.text().len());
            let (id, file) = (self.document.id.into(), Some(file.clone()));
            self.add(line, 0..name, LinkTo::Source { id, via: MentionKind::Path, file, anchor: None });
        }
    }

    /// Adds the ids of mentioned sources.
    fn add_ids(&mut self) {
        let page = self.page;
        // Only the mentions on this page: a document of many pages can have a hundred thousand.
        let here = page.origins.sources().map_or(&[][..], |lines| self.document.mentions_on(lines));
        let mut by_id: Vec<&Mention> = here.iter().filter(|mention| mention.via == MentionKind::Id).collect();
        by_id.sort_by_key(|mention| (mention.line, &mention.to));
        by_id.dedup_by_key(|mention| (mention.line, &mention.to));
        // Search for all ids of a line at once: a line can have thousands of them.
        let ids: BTreeSet<&str> = by_id.iter().map(|mention| mention.to.as_str()).collect();
        let Some(words) = WholeWords::new(ids) else { return };
        for of_line in by_id.chunk_by(|one, other| one.line == other.line) {
            let parts = of_line.first().into_iter().flat_map(|first| page.origins.parts(first.line));
            for shown in parts {
                let Some(text) = page.text.lines().get(shown.line).map(PageLine::text) else { continue };
                let within = text.get(shown.start..shown.end.min(text.len())).unwrap_or_default();
                for (start, end, _) in words.longest(within) {
                    let range = shown.start + start..shown.start + end;
                    let id = text.get(range.clone()).unwrap_or_default();
                    let mention = of_line.binary_search_by(|mention| mention.to.as_str().cmp(id)).ok();
                    let Some(mention) = mention.and_then(|at| of_line.get(at)) else { continue };
                    if is_whole(text, range.start, range.end) {
                        let id = mention.to.clone();
                        let to = LinkTo::Source { id, via: MentionKind::Id, file: None, anchor: None };
                        self.add(shown.line, range, to);
                    }
                }
            }
        }
    }

    fn add_addresses(&mut self) {
        for (line, text) in self.page.text.lines().iter().map(PageLine::text).enumerate() {
            for range in addresses(text) {
                let to = LinkTo::Address(text.get(range.clone()).unwrap_or_default().to_owned());
                self.add(line, range, to);
            }
        }
    }

    fn add_tags(&mut self, known: &mut CatalogTags) {
        for (line, text) in self.page.text.lines().iter().map(PageLine::text).enumerate() {
            for range in tags(text) {
                let tag = text.get(range.start + 1..range.end).unwrap_or_default();
                if known.has(self.document.catalog, tag) {
                    self.add(line, range, LinkTo::Tag(tag.to_owned()));
                }
            }
        }
    }
}

/// All links in order. A link takes precedence over an id or address in its text, and a longer id over a shorter one
/// inside it.
fn merged(mut links: Vec<PageLink>, mut found: Vec<PageLink>) -> Vec<PageLink> {
    links.sort_by_key(|link| (link.line, link.range.start));
    found.sort_by_key(|link| (link.line, link.range.start, usize::MAX - link.range.end));
    let mut all: Vec<PageLink> = Vec::with_capacity(links.len() + found.len());
    let mut written = links.into_iter().peekable();
    for link in found {
        let place = |link: &PageLink| (link.line, link.range.start);
        while let Some(before) = written.next_if(|before| place(before) <= place(&link)) {
            all.push(before);
        }
        let overlaps = |other: &PageLink| {
            other.line == link.line && other.range.start < link.range.end && link.range.start < other.range.end
        };
        // The rendered address after a link repeats its target, so it is not a second link.
        let is_said = all.last().is_some_and(|before| before.line == link.line && before.to == link.to);
        let is_address = matches!(link.to, LinkTo::Address(_));
        let is_taken = all.last().is_some_and(overlaps) || written.peek().is_some_and(overlaps);
        if !(is_taken || is_address && is_said) {
            all.push(link);
        }
    }
    all.extend(written);
    all
}

impl<'a> LinkingDocument<'a> {
    fn mentions_on(&self, lines: RangeInclusive<usize>) -> &'a [Mention] {
        let from = self.mentions.partition_point(|mention| mention.line < *lines.start());
        let end = self.mentions.partition_point(|mention| mention.line <= *lines.end());
        self.mentions.get(from..end).unwrap_or_default()
    }

    /// The path of a link; for inline content, it is relative to the file that defines the content.
    fn path_of(&self, written: &WrittenLink) -> Option<PathBuf> {
        let origin = || self.catalog.get(self.id).map(|source| &*source.origin.file);
        let folder = self.path.or_else(origin)?.parent()?;
        let path = clean(Path::new(&path_of(written.target.trim())?));
        Some(match (path.strip_prefix(".."), self.above) {
            (Ok(rest), Some(above)) => clean(&above.join(rest)),
            _ => clean(&folder.join(&path)),
        })
    }
}

/// The addresses in a text that are not part of a link.
fn addresses(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    let next = move || {
        loop {
            let rest = text.get(from..)?;
            let at = from + memchr::memmem::find(rest.as_bytes(), b"://")?;
            from = at + 3;
            let scheme =
                ["https", "http"].into_iter().find(|scheme| text.get(..at).is_some_and(|it| it.ends_with(scheme)));
            let Some(scheme) = scheme else { continue };
            let start = at - scheme.len();
            if char_before(text, start).is_some_and(char::is_alphanumeric) {
                continue;
            }
            let end = |c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '`' | '|' | '│');
            let address = text.get(start..)?.split(end).next()?;
            let address = address.trim_end_matches(['.', ',', ';', ':', '!', '?', ')', ']', '\'', '*', '}']);
            if address.len() > scheme.len() + 3 {
                from = start + address.len();
                return Some(start..from);
            }
        }
    };
    std::iter::from_fn(next)
}

/// The words in a text that start with `#`.
fn tags(text: &str) -> impl Iterator<Item = Range<usize>> {
    memchr::memchr_iter(b'#', text.as_bytes()).filter_map(move |at| {
        let before = text.get(..at)?.chars().next_back();
        let is_begin = before.is_none_or(|c| c.is_whitespace() || matches!(c, '(' | '[' | ',' | '"' | '\''));
        let rest = text.get(at + 1..).filter(|_| is_begin)?;
        let len =
            rest.find(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '+'))).unwrap_or(rest.len());
        let word = rest.get(..len)?.trim_end_matches(['.', '-']);
        (!word.is_empty()).then(|| at..at + 1 + word.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::catalog::document_part::{DocumentPart, PortionStart, TextFormat};
    use crate::tui::fixture;
    use crate::tui::glyphs::Glyphs;
    use crate::tui::markdown::FrontMatterFold;

    fn marked(text: &str, mentions: Vec<Mention>) -> Vec<(String, LinkTo)> {
        marked_above(None, text, mentions)
    }

    fn marked_above(above: Option<&Path>, text: &str, mentions: Vec<Mention>) -> Vec<(String, LinkTo)> {
        let catalog = Arc::new(Catalog::new(fixture::sources()));
        let mut graph = MentionGraph::default();
        graph.insert("circuit-breaker".into(), mentions.into());
        let path = Path::new(fixture::WORKSPACE).join("adr/adr-004.md");
        let mentions = super::mentions(&graph, "circuit-breaker", Some(&path));
        let document = LinkingDocument {
            id: "circuit-breaker",
            path: Some(&path),
            above,
            files: &[],
            catalog: &catalog,
            mentions: &mentions,
        };
        let start = PortionStart { offset: 0, line: 1, fence: None };
        let mut portion = DocumentPart { start, text: text.to_owned(), ..DocumentPart::default() };
        portion.lay_out(&TextFormat::Markdown, FrontMatterFold::Folded, &Glyphs::UNICODE, 60);
        let page = portion.page.as_mut().unwrap();
        mark(&document, &mut CatalogTags::default(), std::iter::once(&mut *page));
        let lines = page.text.lines();
        let links = page.links.as_ref().unwrap().iter();
        links.map(|link| (lines[link.line].text()[link.range.clone()].to_owned(), link.to.clone())).collect()
    }

    fn mention(to: &str, via: MentionKind, line: usize) -> Mention {
        let file = Path::new(fixture::WORKSPACE).join("adr/adr-004.md").into();
        Mention { from: "circuit-breaker".into(), to: to.into(), via, file, line }
    }

    fn to(id: &str, via: MentionKind) -> LinkTo {
        LinkTo::Source { id: id.into(), via, file: None, anchor: None }
    }

    #[test]
    fn links_are_marked_as_what_they_are() {
        let text = "# A\n\nSee retry-pattern, and [this](adr-005.md#why) or\n@timeouts, not my-timeouts.\n\n[Home](https://e.org) \
                    https://x.org/a, [there](#a%20b) and [x](gone.md).\n\n```\ntimeouts\n```\n\nAs #Resilience. #no a#java # java";
        let mentions = vec![
            mention("retry-pattern", MentionKind::Id, 3),
            mention("retry-pattern", MentionKind::Path, 3),
            mention("timeouts", MentionKind::Id, 4),
            mention("timeouts", MentionKind::Id, 9),
        ];
        let why = LinkTo::Source {
            id: "retry-pattern".into(),
            via: MentionKind::Path,
            file: None,
            anchor: Some("why".to_owned()),
        };
        let expected = [
            ("retry-pattern", to("retry-pattern", MentionKind::Id)),
            ("this", why),
            ("timeouts", to("timeouts", MentionKind::Id)),
            ("Home", LinkTo::Address("https://e.org".to_owned())),
            ("https://x.org/a", LinkTo::Address("https://x.org/a".to_owned())),
            ("there", LinkTo::Anchor("a b".to_owned())),
            ("x", LinkTo::Unlisted("gone.md".to_owned())),
            ("timeouts", to("timeouts", MentionKind::Id)),
            ("#Resilience", LinkTo::Tag("Resilience".to_owned())),
        ];
        let found = marked(text, mentions);
        let found: Vec<(&str, LinkTo)> = found.iter().map(|(text, to)| (text.as_str(), to.clone())).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn a_path_is_what_the_graph_says_about_its_line() {
        // Two links on one line are distinguished by their paths. A link through a symlink is matched by elimination.
        let mentions = vec![mention("retry-pattern", MentionKind::Path, 1), mention("timeouts", MentionKind::Path, 1)];
        let found = marked("[a](adr-006.md) [b](./adr-005.md)", mentions);
        assert_eq!(
            found.iter().map(|(_, to)| to.clone()).collect::<Vec<_>>(),
            [to("timeouts", MentionKind::Path), to("retry-pattern", MentionKind::Path),]
        );
        // The folder of the document is a link to `adr/old/deep`.
        let mentions = vec![mention("retry-pattern", MentionKind::Path, 1), mention("timeouts", MentionKind::Path, 1)];
        let above = Path::new(fixture::WORKSPACE).join("adr/old");
        let found = marked_above(Some(&above), "[a](../../adr-006.md) [b](x/../../../adr-005.md)", mentions);
        assert_eq!(
            found.iter().map(|(_, to)| to.clone()).collect::<Vec<_>>(),
            [to("timeouts", MentionKind::Path), to("retry-pattern", MentionKind::Path),]
        );
        // `current` is a link to another folder.
        let mentions = vec![mention("retry-pattern", MentionKind::Path, 1), mention("timeouts", MentionKind::Path, 1)];
        let found = marked("[a](current/../adr-005.md) [b](adr-005.md)", mentions);
        assert_eq!(
            found.iter().map(|(_, to)| to.clone()).collect::<Vec<_>>(),
            [to("timeouts", MentionKind::Path), to("retry-pattern", MentionKind::Path),]
        );
        // Another link leads through a symlink, to the source that no link seems to lead to.
        let mentions = vec![mention("timeouts", MentionKind::Path, 1), mention("retry-pattern", MentionKind::Path, 1)];
        let found = marked("[a](sub/../adr-005.md) [b](adr-005.md) [c](linked/r.md)", mentions);
        assert_eq!(
            found.iter().map(|(_, to)| to.clone()).collect::<Vec<_>>(),
            [
                to("retry-pattern", MentionKind::Path),
                to("retry-pattern", MentionKind::Path),
                to("timeouts", MentionKind::Path)
            ]
        );
        let found = marked("[a](../linked/r.md)", vec![mention("retry-pattern", MentionKind::Path, 1)]);
        assert_eq!(found[0].1, to("retry-pattern", MentionKind::Path));
        let found = marked("![a](a.png) [b](adr-005.md)", vec![mention("retry-pattern", MentionKind::Path, 1)]);
        assert_eq!(found[0].1, LinkTo::Unlisted("a.png".to_owned()));
        let found = marked(
            "[a](adr-004.md#b) [c](../modules/java/docs/x.md)",
            vec![mention("java-service", MentionKind::Path, 1)],
        );
        let file = Some(Path::new(fixture::WORKSPACE).join("modules/java/docs/x.md"));
        let module = LinkTo::Source { id: "java-service".into(), via: MentionKind::Path, file, anchor: None };
        assert_eq!(found.into_iter().map(|(_, to)| to).collect::<Vec<_>>(), [LinkTo::Anchor("b".to_owned()), module]);
    }

    #[test]
    fn addresses_in_a_text() {
        for (text, expected) in [
            ("see https://e.org/a?b=c#d.", &["https://e.org/a?b=c#d"][..]),
            ("(http://e.org) <https://f.org>", &["http://e.org", "https://f.org"]),
            ("xhttps://e.org ftp://e.org https:// ://", &[]),
            ("日https://e.org https://日.org/x,y", &["https://日.org/x,y"]),
        ] {
            let found: Vec<&str> = addresses(text).map(|range| &text[range]).collect();
            assert_eq!(found, expected, "{text}");
        }
    }
}
