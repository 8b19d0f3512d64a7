//! A document as wrapped text: cleaned, with Markdown headings and code styled, and at the end how much is not shown.
//! Wrapped once for a width, since a key must not cost the wrapping of 64 KiB.

use std::path::Path;

use crate::tui::glyphs::Glyphs;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_desk::{Document, size};

pub fn page(document: &Document, opens: &str, glyphs: &Glyphs, columns: usize) -> WrappedText {
    let is_markdown = document.path.as_deref().and_then(Path::extension).is_some_and(|ending| ending == "md");
    let mut fence = None;
    let mut lines: Vec<PageLine> = document
        .text
        .lines()
        .map(|line| {
            let role = if is_markdown { line_role(line, &mut fence) } else { ThemeRole::Text };
            PageLine::new(cells::clean(line), role)
        })
        .collect();
    if document.rest > 0 {
        let how = if document.path.is_some() { format!(": {opens} opens it") } else { String::new() };
        let more = format!("{} {} more{how}", glyphs.ellipsis, size(document.rest));
        lines.push(PageLine::new(more, ThemeRole::Infra));
    }
    WrappedText::new(lines, columns)
}

/// The style of a line of Markdown; `fence` is the mark that opened the current block of code.
fn line_role(line: &str, fence: &mut Option<char>) -> ThemeRole {
    let text = line.trim_start();
    let mark = ['`', '~'].into_iter().find(|mark| text.chars().take_while(|c| c == mark).count() >= 3);
    match (*fence, mark) {
        (None, Some(mark)) => *fence = Some(mark),
        (Some(open), Some(mark)) if open == mark => *fence = None,
        (Some(_), _) => {}
        (None, None) => {
            let level = line.chars().take_while(|c| *c == '#').count();
            let is_heading = (1..=6).contains(&level) && line.chars().nth(level).is_none_or(char::is_whitespace);
            return if is_heading { ThemeRole::Strong } else { ThemeRole::Text };
        }
    }
    ThemeRole::Infra
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_and_code() {
        use ThemeRole::{Infra, Strong, Text};
        let text = "# A\ntext\n#no\n```sh\n# comment\n~~~\n```\n## B\n####### no\n#";
        let mut fence = None;
        let roles: Vec<ThemeRole> = text.lines().map(|line| line_role(line, &mut fence)).collect();
        assert_eq!(roles, [Strong, Text, Text, Infra, Infra, Infra, Infra, Strong, Text, Strong]);
    }

    #[test]
    fn omitted_text_is_counted() {
        let document = Document { text: "a\tb\n\x1b".to_owned(), rest: 217_000, ..Document::default() };
        let of = |document: &Document| {
            let page = page(document, "Enter", &Glyphs::UNICODE, 40);
            page.lines().iter().map(|line| line.text().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(of(&document), ["a    b", "\\x1b", "… 212 KB more"]);
        let in_a_file = Document { path: Some("a.md".into()), ..document };
        assert_eq!(of(&in_a_file)[2], "… 212 KB more: Enter opens it");
    }
}
