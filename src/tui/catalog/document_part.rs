//! A part of a document: its text, and that text laid out for a width. Markdown is rendered, code is coloured
//! later, and other text is shown as is. Each part is rendered separately: link definitions and footnotes in
//! other parts are not found, and headings with the same name are numbered per part.

use std::path::Path;

use crate::tui::catalog::links::PageLink;
use crate::tui::glyphs::Glyphs;
use crate::tui::highlight;
use crate::tui::markdown::{
    self, Anchor, CodeBlock, FrontMatterFold, MarkdownLayout, MarkdownLines, Origins, WrittenLink,
};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};
use refdesk_core::catalog::{Source, SourceKind};
use refdesk_desk::Document;
use refdesk_text::markdown::open_fence;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TextFormat {
    Markdown,
    /// Inline text of a catalog: line breaks are kept.
    Lines,
    /// Code in one of these languages, the most likely first.
    Code(Vec<String>),
    #[default]
    Plain,
}

impl TextFormat {
    pub fn is_markdown(&self) -> bool {
        matches!(self, Self::Markdown | Self::Lines)
    }

    pub fn of(document: &Document, source: Option<&Source>) -> Self {
        let Some(path) = &document.path else {
            return match source.map(|source| &source.kind) {
                Some(SourceKind::Inline { .. }) => Self::Lines,
                Some(SourceKind::Mcp { .. }) => Self::Code(vec!["json".to_owned()]),
                _ => Self::Plain,
            };
        };
        Self::of_path(path)
    }

    /// From the file extension.
    pub fn of_path(path: &Path) -> Self {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_lowercase();
        match ending.as_str() {
            "md" | "markdown" | "mdc" | "mdx" => Self::Markdown,
            "txt" | "text" | "rst" | "adoc" | "log" | "csv" => Self::Plain,
            _ => {
                let name = path.file_name().unwrap_or(Path::as_os_str(path));
                Self::Code(highlight::candidates(&name.to_string_lossy(), None))
            }
        }
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PortionStart {
    /// Byte offset in the document.
    pub offset: u64,
    /// Its first line, from 1.
    pub line: usize,
    /// The opening line of the code block in which the part starts.
    pub fence: Option<Box<str>>,
}

#[derive(Debug, Clone, Default)]
pub struct DocumentPart {
    pub start: PortionStart,
    pub text: String,
    /// The text laid out; `None` until it is.
    pub page: Option<PortionPage>,
    /// Whether its code is highlighted, or highlighting was requested.
    pub is_painted: bool,
}

/// The text of a part, laid out for a width.
#[derive(Debug, Clone, Default)]
pub struct PortionPage {
    pub text: WrappedText,
    pub origins: Origins,
    pub written: Vec<WrittenLink>,
    /// Links and mentions in order; `None` before they were searched.
    pub links: Option<Vec<PageLink>>,
    pub anchors: Vec<Anchor>,
    pub code: Vec<CodeBlock>,
}

impl DocumentPart {
    /// The start of the next part, at this offset.
    pub fn after(&self, offset: u64, kind: &TextFormat) -> PortionStart {
        let fence = self.start.fence.as_deref();
        let fence = if kind.is_markdown() { open_fence(&self.text, fence) } else { None };
        PortionStart { offset, line: self.start.line + self.lines(), fence: fence.map(Into::into) }
    }

    pub fn lines(&self) -> usize {
        let breaks = memchr::memchr_iter(b'\n', self.text.as_bytes()).count();
        breaks + usize::from(!self.text.is_empty() && !self.text.ends_with('\n'))
    }

    pub fn lay_out(&mut self, kind: &TextFormat, front_matter: FrontMatterFold, glyphs: &Glyphs, columns: usize) {
        let first_line = self.start.line;
        let layout = MarkdownLayout { columns, glyphs, front_matter, first_line, keeps_lines: false };
        let mut made = match kind {
            TextFormat::Markdown => self.markdown(layout),
            TextFormat::Lines => self.markdown(MarkdownLayout { keeps_lines: true, ..layout }),
            TextFormat::Code(languages) => self.lines_as_they_are(Some(languages)),
            TextFormat::Plain => self.lines_as_they_are(None),
        };
        made.cut_code();
        self.is_painted = made.code.is_empty();
        self.page = Some(PortionPage {
            text: WrappedText::new(made.lines, columns),
            origins: made.origins,
            written: made.links,
            links: None,
            anchors: made.anchors,
            code: made.code,
        });
    }

    fn markdown(&self, mut layout: MarkdownLayout<'_>) -> MarkdownLines {
        let Some(fence) = &self.start.fence else { return markdown::lines(&self.text, &layout) };
        // The part starts within a code block, so reopen it.
        layout.first_line = layout.first_line.saturating_sub(1);
        markdown::lines(&format!("{fence}\n{}", self.text), &layout)
    }

    fn lines_as_they_are(&self, languages: Option<&Vec<String>>) -> MarkdownLines {
        let mut made = MarkdownLines::default();
        for (nth, line) in self.text.lines().enumerate() {
            made.origins.note(nth, 0, self.start.line + nth);
            made.lines.push(PageLine::new(cells::clean(line), ThemeRole::Text));
        }
        if let Some(languages) = languages {
            let lines = (0..made.lines.len()).map(|line| (line, 0)).collect();
            made.code.push(CodeBlock { languages: languages.clone(), lines });
        }
        made
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_of_texts() {
        let code = |names: &[&str]| TextFormat::Code(names.iter().map(|name| (*name).to_owned()).collect());
        for (path, expected) in [
            ("docs/a.md", TextFormat::Markdown),
            ("docs/A.MD", TextFormat::Markdown),
            ("a.txt", TextFormat::Plain),
            ("a.java", code(&["java", "a.java"])),
            ("Makefile", code(&["Makefile"])),
        ] {
            let document = Document { path: Some(path.into()), ..Document::default() };
            assert_eq!(TextFormat::of(&document, None), expected, "{path}");
        }
        assert_eq!(TextFormat::of(&Document::default(), None), TextFormat::Plain);
    }

    #[test]
    fn a_part_goes_on_with_the_code_of_the_one_before() {
        let first = DocumentPart {
            start: PortionStart { offset: 0, line: 1, fence: None },
            text: "# A\n\n```java\nint x;\n\n".to_owned(),
            ..DocumentPart::default()
        };
        let start = first.after(21, &TextFormat::Markdown);
        assert_eq!(start, PortionStart { offset: 21, line: 6, fence: Some("```java".into()) });
        let mut second = DocumentPart { start, text: "int y;\n```\nend".to_owned(), ..DocumentPart::default() };
        second.lay_out(&TextFormat::Markdown, FrontMatterFold::Folded, &Glyphs::UNICODE, 40);
        let page = second.page.unwrap();
        let lines: Vec<&str> = page.text.lines().iter().map(PageLine::text).collect();
        assert_eq!(lines, ["│ int y;", "", "end"]);
        assert_eq!(page.origins.source_line(0, 4), Some(6));
        assert_eq!(page.origins.source_line(2, 0), Some(8));
        assert_eq!(page.code[0].languages, ["java"]);
    }
}
