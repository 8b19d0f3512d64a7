//! The part of a chunk that a question is about. A chunk is named after the first of its sections.

use std::path::Path;

use super::{ChunkSection, HEADING_SEPARATOR, ending, is_html};
use crate::matches::{different, matches};
use crate::storage::Document;

/// The document's section with most of these words, which are sorted by rarity. Ties are broken by the rarest word,
/// then a heading with the words, then words in the same form, then their number.
pub(crate) fn section_with(document: &Document, words: &[String]) -> ChunkSection {
    let Document { path, heading, line, content, sections, .. } = document;
    let first = || sections.first().cloned().unwrap_or_else(|| ChunkSection { line: *line, heading: heading.clone() });
    // The indexed text of HTML has other lines than its file.
    if sections.len() < 2 || is_html(&ending(Path::new(path))) {
        return first();
    }
    let start = |at: usize| sections.get(at).map(|it| content.len() - document.text_after(it.line).len());
    let found = matches(content, words);
    let best = (0..sections.len()).rev().max_by_key(|at| {
        let from = if *at == 0 { 0 } else { start(*at).unwrap_or_default() };
        let range = from..start(at + 1).unwrap_or(content.len());
        let inside = || found.iter().filter(|it| range.contains(&it.range.start));
        let title = sections.get(*at).and_then(|it| it.heading.rsplit(HEADING_SEPARATOR).next());
        let in_title = title.map_or(0, |title| matches(title, words).len());
        let rarest = inside().map(|it| it.wanted).min().unwrap_or(usize::MAX);
        let (different, exact) = different(inside());
        (different, std::cmp::Reverse(rarest), in_title, exact, inside().count())
    });
    best.and_then(|at| sections.get(at)).cloned().unwrap_or_else(first)
}

/// The [place](place_of) of the document's section with most of these words.
pub(crate) fn place_with(document: &Document, words: &[String]) -> (String, usize) {
    place_of(document, section_with(document, words))
}

/// The headings of a section of the document, and its first line in the document.
pub(crate) fn place_of(document: &Document, ChunkSection { heading, line }: ChunkSection) -> (String, usize) {
    // Text from the catalog has no file and no lines.
    let has_lines = document.line > 0 && !is_html(&ending(Path::new(&document.path)));
    (heading, if has_lines { line.max(document.line) } else { document.line })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chunk::{Chunk, Outline, chunks};
    use crate::update::TEXT;
    use refdesk_files::Stamp;

    fn document(name: &str, chunk: Chunk) -> Document {
        let Chunk { headings, sections, line, end_line, content, .. } = chunk;
        Document {
            id: 1,
            doc_type: TEXT.to_owned(),
            source: "a".to_owned(),
            path: name.to_owned(),
            heading: headings.join(HEADING_SEPARATOR),
            line,
            end_line,
            content,
            sections,
            content_hash: Vec::new(),
            subject: None,
            stamp: Stamp { size: 0, modified: 0, changed: 0, number: 0 },
        }
    }

    fn section_of(name: &str, chunk: Chunk, words: &[&str]) -> (String, usize) {
        place_with(&document(name, chunk), &words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    fn section_of_last(name: &str, text: &str, words: &[&str]) -> (String, usize) {
        section_of(name, chunks(Path::new(name), text).pop().unwrap(), words)
    }

    #[test]
    fn a_chunk_of_several_sections_names_the_matching_one() {
        let long = "word ".repeat(80);
        let rules = format!(
            "## Rules\n\n### 3.5 Filtering\n\n{long}\n\n#### Sorting\n\nUse `sort`.\n\n### 3.6 Errors\n\n\
             #### Status codes\n\nA customer is not found: 404 without bodies, an error.\n\n#### Bodies\n\nJSON."
        );
        let names = "# All\n\nOf all.\n\n## One\n\nE1016 and zoneA, once retried.\n\n\
                     ## Two\n\nE1017 and zoneB, E1017, zoneB, retry.";
        let quoted = "# Guide\n\nOf all.\n\n> ## Note\n> Of zebras.\n\nOf quaggas.\n\n- ## Item\n  Of olms.\n\
                      - Of dingos.\n\n## Next\n\nOf gundis.";
        let in_quote = format!("# Guide\n\n{long}\n\n> ## Note\n> Of zebras.\n\nOf quaggas.\n\n## Next\n\nOf gundis.");
        let continued = format!(
            "# Rules\n\n## Filtering\n\n{}\n\n{}More of it.\n\n## Bodies\n\nJSON.",
            "word ".repeat(270),
            &long[..200]
        );
        let sorting = ("Rules > 3.5 Filtering > Sorting", 7);
        let codes = ("Rules > 3.6 Errors > Status codes", 13);
        let bodies = ("Rules > 3.6 Errors > Bodies", 17);
        for (text, words, expected) in [
            (rules.as_str(), &["sort"][..], sorting),
            (&rules, &["zebra"], sorting),
            (&rules, &["status", "customer"], codes),
            (&rules, &["customer", "sort"], codes),
            (&rules, &["json"], bodies),
            // Both sections contain the word once, one of them in its heading.
            (&rules, &["bodies"], bodies),
            (&rules, &["error"], ("Rules > 3.6 Errors", 11)),
            (names, &["e1017"], ("All > Two", 9)),
            (names, &["e1016"], ("All > One", 5)),
            (names, &["zonea"], ("All > One", 5)),
            (names, &["zoneb"], ("All > Two", 9)),
            (names, &["retry"], ("All > Two", 9)),
            (quoted, &["all"], ("Guide", 1)),
            (quoted, &["zebra"], ("Guide > Note", 5)),
            (quoted, &["quagga"], ("Guide", 8)),
            (quoted, &["olm"], ("Guide > Item", 10)),
            (quoted, &["dingo"], ("Guide", 12)),
            (quoted, &["gundi"], ("Guide > Next", 14)),
            (&in_quote, &["zebra"], ("Guide > Note", 5)),
            (&in_quote, &["quagga"], ("Guide", 8)),
            (&in_quote, &["gundi"], ("Guide > Next", 10)),
            ("# API\n\n## Pages\n\nNext page.", &[], ("API > Pages", 3)),
            (&continued, &["more"], ("Rules > Filtering", 7)),
            (&continued, &["json"], ("Rules > Bodies", 9)),
        ] {
            assert_eq!(
                section_of_last("a.md", text, words),
                (expected.0.to_owned(), expected.1),
                "{words:?} of {text}"
            );
        }
        let html = "<h1>Rules</h1>\n<h2>Bodies</h2>\n<p>json";
        assert_eq!(section_of_last("a.html", html, &["json"]), ("Rules > Bodies".to_owned(), 1));
    }

    #[test]
    fn after_edits_above_a_chunk_its_sections_have_the_new_headings() {
        let text = format!(
            "# Ops\n\n## Deploying\n\n{}\n\nCall the operator.\n\n## Secrets\n\n### Keys\n\nOld keys.\n\n## Printers\n\n\
             On floor two.\n",
            "word ".repeat(299)
        );
        for (edits, expected) in [
            (&[][..], [("Ops > Deploying", 7), ("Ops > Secrets > Keys", 11), ("Ops > Printers", 15)]),
            (
                &[("# Ops", "# Operations")],
                [("Operations > Deploying", 7), ("Operations > Secrets > Keys", 11), ("Operations > Printers", 15)],
            ),
            (
                &[("# Ops", "# Top\n\n# Ops"), ("# Top", "# Operations"), ("## Deploying", "## Releases")],
                [("Ops > Releases", 9), ("Ops > Secrets > Keys", 13), ("Ops > Printers", 17)],
            ),
            (
                &[("# Ops", "# Top\n\n## Ops"), ("## Deploying", "### Deploying")],
                [("Top > Ops > Deploying", 9), ("Top > Secrets > Keys", 13), ("Top > Printers", 17)],
            ),
            (&[("## Deploying\n\n", "")], [("Ops", 5), ("Ops > Secrets > Keys", 9), ("Ops > Printers", 13)]),
            (&[("# Ops\n\n", "")], [("Deploying", 5), ("Secrets > Keys", 9), ("Printers", 13)]),
        ] {
            let now = edits.iter().fold(text.clone(), |text, (from, to)| text.replacen(from, to, 1));
            let name = Path::new("a.md");
            let last = document("a.md", chunks(name, &text).pop().unwrap());
            let place = Outline::of(name, &now).places_of(&last.content).next().unwrap();
            let moved = last.moved(place);
            let sections = ["operator", "keys", "floor"].map(|word| place_with(&moved, &[word.to_owned()]));
            assert_eq!(sections, expected.map(|(heading, line)| (heading.to_owned(), line)), "{edits:?}");
        }
    }

    #[test]
    fn no_section_begins_in_a_piece_of_a_block() {
        let line = "wallaby: restart it\n";
        let indented = format!("    ### {line}\n    {line}").repeat(100);
        for (name, text) in [
            ("a.md", format!("# Guide\n\n## Script\n\n```sh\n{}```\n", format!("# {line}{line}").repeat(100))),
            ("a.md", format!("# Guide\n\n## Script\n\n- item\n\n  ~~~\n{indented}  ~~~\n")),
            ("a.md", format!("# Guide\n\n## Script\n\n<pre>\n{}</pre>\n", format!("# {line}{line}").repeat(100))),
            ("a.adoc", format!("= Guide\n\n== Script\n\n----\n{}----\n", format!("== {line}\n{line}").repeat(100))),
        ] {
            let found = chunks(Path::new(name), &text);
            let pieces: Vec<Chunk> = found.into_iter().filter(|chunk| chunk.content.contains("wallaby")).collect();
            assert!(pieces.len() > 2, "{text}");
            for chunk in pieces {
                let place = ("Guide > Script".to_owned(), chunk.line);
                assert_eq!(section_of(name, chunk, &["wallaby"]), place, "{text}");
            }
        }
    }
}
