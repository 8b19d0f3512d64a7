//! Headings and the first paragraph of reStructuredText and AsciiDoc, as far as they can be recognized line by line.

use super::page::Collected;
use refdesk_text::lines::adornment;

/// reStructuredText: a heading is a line followed by a line of one repeated punctuation mark.
pub(crate) fn restructured(text: &str, collected: &mut Collected) {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let mut paragraph = String::new();
    let mut is_literal = false;
    for (at, line) in lines.iter().enumerate() {
        let below = lines.get(at + 1).copied().unwrap_or_default();
        let is_heading = !line.is_empty()
            && adornment(line).is_none()
            && adornment(below).is_some_and(|(_, length)| length >= line.chars().count());
        if is_heading {
            paragraph.clear();
            collected.heading(line, true);
        } else if line.is_empty()
            || line.starts_with([' ', '\t'])
            || line.starts_with("..")
            || line.starts_with(':')
            || adornment(line).is_some()
        {
            collected.paragraph(&std::mem::take(&mut paragraph).replace("``", "").replace('*', ""));
            // Indented lines after a directive or `::` are not prose.
            is_literal = line.starts_with("..") || (is_literal && (line.is_empty() || line.starts_with([' ', '\t'])));
            if !is_literal {
                collected.words.add(line, 1);
            }
        } else {
            is_literal = line.ends_with("::");
            paragraph.push_str(line);
            paragraph.push(' ');
            collected.words.add(line, 1);
        }
    }
    collected.paragraph(&paragraph);
}

/// AsciiDoc: a heading begins with `=`.
pub(crate) fn asciidoc(text: &str, collected: &mut Collected) {
    let mut paragraph = String::new();
    let mut is_listing = false;
    for line in text.lines().map(str::trim_end) {
        if line.len() >= 4 && (line.chars().all(|c| c == '-') || line.chars().all(|c| c == '.')) {
            is_listing = !is_listing;
        } else if is_listing {
        } else if let Some((marks, heading)) =
            line.split_once(' ').filter(|(marks, _)| !marks.is_empty() && marks.chars().all(|c| c == '='))
        {
            paragraph.clear();
            collected.heading(heading, marks.len() == 1);
        } else if line.is_empty()
            || line.starts_with([':', '[', '*', '.', '|', ' ', '\t'])
            || line.starts_with("//")
            || line.contains("::")
        {
            collected.paragraph(&std::mem::take(&mut paragraph));
            collected.words.add(line, 1);
        } else {
            paragraph.push_str(line);
            paragraph.push(' ');
            collected.words.add(line, 1);
        }
    }
    collected.paragraph(&paragraph);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_paragraphs() {
        type Read = fn(&str, &mut Collected);
        for (read, text, headings, paragraph) in [
            (
                restructured as Read,
                "=====\nTitle\n=====\n\n.. image:: x\n   :alt: y\n\nThe ``first``\nparagraph.\n\nNext\n----\ntext",
                &["Title", "Next"][..],
                Some("The first paragraph."),
            ),
            (restructured, "Short\n--\n\ntext of it", &[], Some("Short --")),
            (
                asciidoc,
                "= Title\n:toc:\n\n[NOTE]\n\nThe first\nparagraph.\n\n== Next\n----\n= code\n----\n",
                &["Title", "Next"],
                Some("The first paragraph."),
            ),
            (asciidoc, "", &[], None),
        ] {
            let mut collected = Collected::default();
            read(text, &mut collected);
            assert_eq!(collected.headings, headings, "{text:?}");
            assert_eq!(collected.description().as_deref(), paragraph, "{text:?}");
        }
    }
}
