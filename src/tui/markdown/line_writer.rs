//! Writes lines within quotes, list items and footnotes, which prefix them with their bar or marker. Blocks
//! are separated by one empty line where the source separates them.

use ratatui::style::Modifier;

use crate::tui::markdown::inline::InlineText;
use crate::tui::markdown::{LineRange, MarkdownLayout, MarkdownLines};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{LinePart, PageLine};

/// The maximum nesting of quotes, items and footnotes; deeper ones are shown at this depth.
const MAX_NESTED: usize = 64;

pub struct LineWriter<'a> {
    pub layout: MarkdownLayout<'a>,
    pub made: MarkdownLines,
    /// The open quotes, list items and footnotes, outermost first.
    containers: Vec<Container>,
    /// The number of further ones beyond the maximum.
    too_deep: usize,
    /// Whether an empty line is due before the next one.
    pub gap: bool,
}

/// The prefixes of a quote, an item or a footnote.
struct Container {
    first: String,
    rest: String,
    is_begun: bool,
}

impl<'a> LineWriter<'a> {
    pub fn new(layout: MarkdownLayout<'a>) -> Self {
        Self { layout, made: MarkdownLines::default(), containers: Vec::new(), too_deep: 0, gap: false }
    }

    /// Enters a quote, an item or a footnote. It is not indented further once half of the width is used up.
    pub fn enter(&mut self, first: String, rest: String) {
        if self.containers.len() == MAX_NESTED {
            self.too_deep += 1;
            return;
        }
        let used: usize = self.containers.iter().map(|it| cells::width(&it.rest)).sum();
        let is_deep = used + cells::width(&rest) > self.layout.columns / 2;
        let rest = if is_deep { String::new() } else { rest };
        self.containers.push(Container { first, rest, is_begun: false });
    }

    pub fn leave(&mut self) {
        match self.too_deep.checked_sub(1) {
            Some(too_deep) => self.too_deep = too_deep,
            None => drop(self.containers.pop()),
        }
    }

    /// Leaves an item or a footnote. An empty one still gets its marker.
    pub fn leave_item(&mut self) {
        if self.too_deep == 0 && self.containers.last().is_some_and(|item| !item.is_begun) {
            self.emit(InlineText::default(), 0, 0);
        }
        self.leave();
    }

    /// The width beside the bars and indents.
    pub fn room(&self) -> usize {
        let used: usize = self.containers.iter().map(|it| cells::width(&it.rest).max(cells::width(&it.first))).sum();
        self.layout.columns.saturating_sub(used).max(1)
    }

    /// The number of the next line, counting an empty line if one is due.
    pub fn next_line(&self) -> usize {
        self.made.lines.len() + usize::from(self.gap && !self.made.lines.is_empty())
    }

    pub fn emit_text(&mut self, text: &str, role: ThemeRole, source: usize) {
        let mut inline = InlineText::default();
        inline.at_line(source);
        inline.push(text, role, Modifier::empty());
        self.emit(inline, 0, 0);
    }

    /// Appends a line after its bars and markers, and an empty line before it if one is due. Continuation
    /// rows are indented by `hanging_indent`; the first `solid` bytes are never wrapped.
    pub fn emit(&mut self, inline: InlineText, hanging_indent: usize, solid: usize) {
        self.push(inline, hanging_indent, solid, false);
    }

    /// Appends a paragraph, or a line of one.
    pub fn emit_prose(&mut self, inline: InlineText) {
        self.push(inline, 0, 0, true);
    }

    fn push(&mut self, inline: InlineText, hanging_indent: usize, solid: usize, is_prose: bool) {
        if std::mem::take(&mut self.gap) && !self.made.lines.is_empty() {
            let begun = self.containers.iter().take_while(|it| it.is_begun);
            let bars: String = begun.map(|it| it.rest.as_str()).collect();
            self.made.lines.push(PageLine::new(bars.trim_end(), ThemeRole::Infra));
        }
        let (mut text, mut lead) = (String::new(), String::new());
        for container in &mut self.containers {
            text.push_str(if container.is_begun { &container.rest } else { &container.first });
            container.is_begun = true;
            lead.push_str(&container.rest);
        }
        lead.push_str(&" ".repeat(hanging_indent));
        let (before, nth) = (text.len(), self.made.lines.len());
        text.push_str(&inline.text);
        let mut parts = Vec::with_capacity(inline.parts.len() + 1);
        if before > 0 {
            parts.push(LinePart { end: before, role: ThemeRole::Infra, added: Modifier::empty() });
        }
        parts.extend(inline.parts.iter().map(|part| LinePart { end: before + part.end, ..*part }));
        for (at, source) in inline.origins {
            // The prefix of a line belongs to its first part.
            let is_noted = self.made.origins.is_noted(nth);
            let at = if at == 0 && !is_noted { 0 } else { before + at };
            self.made.origins.note(nth, at, source);
        }
        for (link, range) in inline.links {
            if let Some(link) = self.made.links.get_mut(link) {
                let (start, end) = (before + range.start, before + range.end);
                link.shown.push(LineRange { line: nth, start, end });
            }
        }
        let line = PageLine::of_parts(text, parts).with_line_prefix(&lead).with_unbroken_start(before + solid);
        self.made.lines.push(if is_prose { line.prose() } else { line });
    }
}
