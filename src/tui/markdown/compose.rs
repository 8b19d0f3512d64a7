//! Turns parser events into lines.

use pulldown_cmark::{
    BlockQuoteKind, CodeBlockKind, CowStr, Event, HeadingLevel, LinkType, Options, Parser, Tag, TagEnd,
};
use ratatui::style::Modifier;

use crate::tui::layout::MAX_TEXT;
use crate::tui::markdown::front_matter::{self, FrontMatterFold};
use crate::tui::markdown::html::{self, HtmlPart};
use crate::tui::markdown::inline::InlineText;
use crate::tui::markdown::line_writer::LineWriter;
use crate::tui::markdown::slug::{Slugs, slug};
use crate::tui::markdown::table::{Table, TableRow};
use crate::tui::markdown::{Anchor, CodeBlock, MarkdownLayout, MarkdownLines, WrittenLink};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use refdesk_core::mention::path_of;

/// Lays the text out for the width of the layout.
pub fn lines(text: &str, layout: &MarkdownLayout<'_>) -> MarkdownLines {
    let mut composer = Composer {
        slugs: Slugs::default(),
        out: LineWriter::new(*layout),
        position: SourcePosition { text, at: 0, line: layout.first_line },
        lists: Vec::new(),
        inline: InlineText::default(),
        looks: OpenEmphases::default(),
        html_looks: OpenEmphases::default(),
        html: None,
        open_links: Vec::new(),
        heading: None,
        code: None,
        table: None,
    };
    let mut start = 0;
    if layout.first_line == 1
        && let Some((inside, end)) = front_matter::split(text)
    {
        composer.front_matter(inside);
        start = end;
    }
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_GFM;
    for (event, range) in Parser::new_ext(text.get(start..).unwrap_or_default(), options).into_offset_iter() {
        composer.event(event, start + range.start);
    }
    composer.flush();
    composer.out.made
}

struct Composer<'a> {
    slugs: Slugs,
    out: LineWriter<'a>,
    position: SourcePosition<'a>,
    /// The next item number of each open list; `None` for an unnumbered one.
    lists: Vec<Option<u64>>,
    inline: InlineText,
    looks: OpenEmphases,
    /// The same for HTML tags.
    html_looks: OpenEmphases,
    html: Option<OpenHtml>,
    open_links: Vec<OpenLink>,
    heading: Option<HeadingLevel>,
    code: Option<OpenCode>,
    table: Option<Table>,
}

/// The number of open emphases of each kind.
#[derive(Default)]
struct OpenEmphases {
    emphasis: usize,
    strong: usize,
    struck: usize,
}

impl OpenEmphases {
    fn set(&mut self, tag: &str, is_end: bool) {
        let count = match tag {
            "em" | "i" => &mut self.emphasis,
            "b" | "strong" | "summary" => &mut self.strong,
            "del" | "s" | "strike" => &mut self.struck,
            _ => return,
        };
        *count = if is_end { count.saturating_sub(1) } else { *count + 1 };
    }
}

struct OpenHtml {
    text: String,
    offset: usize,
}

struct OpenLink {
    target: String,
    kind: LinkType,
    /// Where its text starts in the paragraph.
    start: usize,
    source_line: usize,
}

struct OpenCode {
    languages: Vec<String>,
    text: String,
    /// The source line in which the block starts: that of the fence, if it has one.
    begin: usize,
    /// The source line in which the code starts.
    source: Option<usize>,
}

/// Counts lines up to an offset; offsets must not decrease.
struct SourcePosition<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl SourcePosition<'_> {
    fn line_of(&mut self, offset: usize) -> usize {
        if let Some(passed) = self.text.as_bytes().get(self.at..offset) {
            self.line += memchr::memchr_iter(b'\n', passed).count();
            self.at = offset;
        }
        self.line
    }
}

impl Composer<'_> {
    fn event(&mut self, event: Event<'_>, offset: usize) {
        match event {
            Event::Start(tag) => self.start(tag, offset),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text, offset),
            Event::Code(code) => {
                let tick = self.out.layout.glyphs.tick;
                self.push(&format!("{tick}{code}{tick}"), ThemeRole::String, offset);
            }
            Event::Html(html) => match &mut self.html {
                Some(block) => block.text.push_str(&html),
                None => self.html_block(&html, offset),
            },
            Event::InlineHtml(html) => self.inline_html(&html, offset),
            Event::SoftBreak if self.out.layout.keeps_lines => self.flush(),
            Event::SoftBreak => self.inline.push_clean(" ", self.role(), Modifier::empty()),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.flush();
                let line = self.position.line_of(offset);
                let rule = self.out.layout.glyphs.rule.repeat(self.out.room().min(usize::from(MAX_TEXT)));
                self.out.emit_text(&rule, ThemeRole::Infra, line);
                self.out.gap = true;
            }
            Event::FootnoteReference(label) => {
                let line = self.position.line_of(offset);
                self.open_link(format!("#^{label}"), LinkType::Autolink, line);
                self.push(&format!("[{label}]"), ThemeRole::Infra, offset);
                self.close_link(false);
            }
            Event::TaskListMarker(is_done) => {
                self.push(if is_done { "[x] " } else { "[ ] " }, ThemeRole::Infra, offset);
            }
            // Math is not enabled; as text, nothing is lost.
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text, offset),
        }
    }

    fn start(&mut self, tag: Tag<'_>, offset: usize) {
        match tag {
            Tag::Emphasis => self.looks.emphasis += 1,
            Tag::Strong => self.looks.strong += 1,
            Tag::Strikethrough => self.looks.struck += 1,
            Tag::Link { link_type, dest_url, .. } => {
                let line = self.position.line_of(offset);
                self.open_link(dest_url.into_string(), link_type, line);
            }
            Tag::Image { link_type, dest_url, .. } => {
                let line = self.position.line_of(offset);
                self.push("image: ", ThemeRole::Infra, offset);
                self.open_link(dest_url.into_string(), link_type, line);
            }
            Tag::TableHead | Tag::TableRow => {
                let source = self.position.line_of(offset);
                let row = TableRow { source, ..TableRow::default() };
                self.table.iter_mut().for_each(|table| table.rows.push(row.clone()));
            }
            Tag::TableCell => self.inline = InlineText::default(),
            _ => {
                self.flush();
                self.start_block(tag, offset);
            }
        }
    }

    fn start_block(&mut self, tag: Tag<'_>, offset: usize) {
        match tag {
            Tag::Heading { level, .. } => self.heading = Some(level),
            Tag::BlockQuote(kind) => {
                let bar = format!("{} ", self.out.layout.glyphs.cursor);
                self.out.enter(bar.clone(), bar);
                if let Some(kind) = kind {
                    let line = self.position.line_of(offset);
                    self.out.emit_text(word(kind), ThemeRole::Strong, line);
                }
            }
            Tag::CodeBlock(kind) => {
                let languages = match kind {
                    CodeBlockKind::Fenced(info) => languages(&info),
                    CodeBlockKind::Indented => Vec::new(),
                };
                let begin = self.position.line_of(offset);
                self.code = Some(OpenCode { languages, text: String::new(), begin, source: None });
            }
            Tag::List(number) => self.lists.push(number),
            Tag::Item => {
                let marker = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        let marker = format!("{number}. ");
                        *number = number.saturating_add(1);
                        marker
                    }
                    _ => format!("{} ", self.out.layout.glyphs.dash),
                };
                let rest = " ".repeat(cells::width(&marker));
                self.out.enter(marker, rest);
            }
            Tag::FootnoteDefinition(label) => {
                let line = self.out.next_line();
                self.out.made.anchors.push(Anchor { name: format!("^{label}"), line });
                self.out.enter(format!("[{}] ", cells::clean(&label)), "  ".to_owned());
            }
            Tag::HtmlBlock => self.html = Some(OpenHtml { text: String::new(), offset }),
            Tag::Table(alignments) => self.table = Some(Table { alignments, rows: Vec::new() }),
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Emphasis => self.looks.emphasis = self.looks.emphasis.saturating_sub(1),
            TagEnd::Strong => self.looks.strong = self.looks.strong.saturating_sub(1),
            TagEnd::Strikethrough => self.looks.struck = self.looks.struck.saturating_sub(1),
            TagEnd::Link => self.close_link(false),
            TagEnd::Image => self.close_link(true),
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.inline);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.cells.push(cell);
                }
            }
            TagEnd::TableHead | TagEnd::TableRow => {}
            TagEnd::Heading(level) => self.end_heading(level),
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::Table => self.end_table(),
            TagEnd::HtmlBlock => {
                if let Some(OpenHtml { text, offset }) = self.html.take() {
                    self.html_block(&text, offset);
                }
                self.out.gap = true;
            }
            TagEnd::Item => {
                self.flush();
                self.out.leave_item();
            }
            TagEnd::List(_) => {
                self.lists.pop();
                self.out.gap |= self.lists.is_empty();
            }
            TagEnd::FootnoteDefinition => {
                self.flush();
                self.out.leave_item();
                self.out.gap = true;
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                self.out.leave();
                self.out.gap = true;
            }
            _ => {
                self.flush();
                self.out.gap = true;
            }
        }
    }

    fn end_heading(&mut self, level: HeadingLevel) {
        let (columns, name) = (cells::width(&self.inline.text), self.slugs.next(&self.inline.text));
        if !self.inline.is_empty() {
            let line = self.out.next_line();
            self.out.made.anchors.push(Anchor { name, line });
        }
        let source = self.inline.origins.last().map_or(0, |(_, source)| *source);
        self.flush();
        self.heading = None;
        self.out.gap = true;
        if level == HeadingLevel::H1 && columns > 0 {
            self.out.gap = false;
            let rule = self.out.layout.glyphs.rule.repeat(columns.min(self.out.room()).min(usize::from(MAX_TEXT)));
            self.out.emit_text(&rule, ThemeRole::Infra, source);
        }
    }

    fn end_code(&mut self) {
        let Some(code) = self.code.take() else { return };
        let source = code.source.unwrap_or(self.position.line);
        let mut block = CodeBlock { languages: code.languages, lines: Vec::new() };
        let bar = format!("{} ", self.out.layout.glyphs.column);
        self.out.enter(bar.clone(), bar);
        for (nth, line) in code.text.lines().enumerate() {
            let mut inline = InlineText::default();
            if nth == 0 {
                self.out.made.origins.note(self.out.next_line(), 0, code.begin);
            }
            inline.at_line(source + nth);
            inline.push(line, ThemeRole::Text, Modifier::empty());
            let indent = inline.text.len() - inline.text.trim_start_matches(' ').len();
            let bytes = inline.text.len();
            self.out.emit(inline, 0, indent);
            let at = self.out.made.lines.len().saturating_sub(1);
            let from = self.out.made.lines.last().map_or(0, |line| line.text().len().saturating_sub(bytes));
            block.lines.push((at, from));
        }
        self.out.leave();
        self.out.made.code.push(block);
        self.out.gap = true;
    }

    fn end_table(&mut self) {
        let Some(table) = self.table.take() else { return };
        for line in table.lines(self.out.room(), self.out.layout.glyphs) {
            let mut inline = line.text;
            inline.origins = vec![(0, line.source)];
            self.out.emit(inline, line.hanging_indent, 0);
        }
        self.out.gap = true;
    }

    fn front_matter(&mut self, inside: &str) {
        let first = self.out.layout.first_line;
        match self.out.layout.front_matter {
            FrontMatterFold::Folded => {
                let summary = front_matter::summary(inside, self.out.layout.glyphs.dot);
                self.out.emit_text(&summary, ThemeRole::Infra, first);
            }
            FrontMatterFold::Unfolded => {
                self.out.emit_text("front matter", ThemeRole::Infra, first);
                let languages = vec!["yaml".to_owned()];
                let (text, begin) = (inside.to_owned(), first + 1);
                self.code = Some(OpenCode { languages, text, begin, source: Some(begin) });
                self.end_code();
            }
        }
        self.out.gap = true;
    }

    fn text(&mut self, text: &CowStr<'_>, offset: usize) {
        match &mut self.code {
            Some(code) => {
                let line = self.position.line_of(offset);
                code.source.get_or_insert(line);
                code.text.push_str(text);
            }
            None => self.push(text, self.role(), offset),
        }
    }

    fn push(&mut self, text: &str, role: ThemeRole, offset: usize) {
        let line = self.position.line_of(offset);
        self.inline.at_line(line);
        self.inline.push(text, role, self.added());
    }

    /// An HTML tag or comment within a paragraph.
    fn inline_html(&mut self, html: &str, offset: usize) {
        for part in html::parts(html) {
            match part {
                HtmlPart::Tag { name, .. } if name == "br" && self.table.is_some() => {
                    self.inline.push_clean(" ", self.role(), Modifier::empty());
                }
                HtmlPart::Tag { name, .. } if name == "br" => self.flush(),
                HtmlPart::Tag { name, is_end } => self.html_looks.set(&name, is_end),
                HtmlPart::Text(text) | HtmlPart::Other(text) => self.push(text, ThemeRole::Comment, offset),
            }
        }
    }

    /// An HTML block: lines that start with a tag, up to an empty line.
    fn html_block(&mut self, html: &str, offset: usize) {
        let mut line = self.position.line_of(offset);
        for part in html::parts(html) {
            let (text, is_text) = match part {
                HtmlPart::Tag { name, is_end } => {
                    self.html_tag(&name, is_end);
                    continue;
                }
                HtmlPart::Text(text) => (text, true),
                HtmlPart::Other(text) => (text, false),
            };
            for (nth, text) in text.split('\n').enumerate() {
                if nth > 0 {
                    self.flush();
                    line += 1;
                }
                let shown = if self.inline.is_empty() { text.trim_start() } else { text };
                if !shown.trim().is_empty() {
                    self.inline.at_line(line);
                    let (role, added) = (if is_text { self.role() } else { ThemeRole::Comment }, self.added());
                    let shown = if is_text { html::unescaped(shown) } else { shown.to_owned() };
                    self.inline.push(&shown, role, added);
                }
            }
        }
        self.flush();
    }

    /// A tag within an HTML block.
    fn html_tag(&mut self, name: &str, is_end: bool) {
        let level = name.strip_prefix('h').and_then(|level| HeadingLevel::try_from(level.parse::<usize>().ok()?).ok());
        match level {
            Some(level) if is_end => self.end_heading(level),
            Some(level) => {
                self.flush();
                self.heading = Some(level);
            }
            None if ["br", "center", "details", "div", "p", "summary"].contains(&name) => {
                self.flush();
                self.html_looks.set(name, is_end);
            }
            None => self.html_looks.set(name, is_end),
        }
    }

    fn role(&self) -> ThemeRole {
        let in_head = self.table.as_ref().is_some_and(|table| table.rows.len() == 1);
        if self.heading.is_some() || in_head { ThemeRole::Strong } else { ThemeRole::Text }
    }

    fn added(&self) -> Modifier {
        let mut added = Modifier::empty();
        let has = |of: fn(&OpenEmphases) -> usize| of(&self.looks) + of(&self.html_looks) > 0;
        added.set(Modifier::ITALIC, has(|looks| looks.emphasis));
        added.set(Modifier::BOLD, has(|looks| looks.strong) || self.heading.is_some());
        // The first level has a rule below it; from the third on, bold is enough.
        added.set(Modifier::UNDERLINED, self.heading == Some(HeadingLevel::H2));
        added.set(Modifier::CROSSED_OUT, has(|looks| looks.struck));
        added
    }

    fn open_link(&mut self, target: String, kind: LinkType, source_line: usize) {
        self.open_links.push(OpenLink { target, kind, start: self.inline.text.len(), source_line });
    }

    /// Ends a link. Its address is appended unless the text already contains it or the link can be followed here.
    fn close_link(&mut self, is_image: bool) {
        let Some(OpenLink { target, kind, start, source_line }) = self.open_links.pop() else { return };
        let text = self.inline.text.get(start..).unwrap_or_default();
        let mut end = self.inline.text.len();
        let is_said = matches!(kind, LinkType::Autolink | LinkType::Email)
            || target.is_empty()
            || (!is_image && !text.is_empty() && (target.starts_with('#') || path_of(&target).is_some()))
            || target.trim_start_matches("./") == text.trim_start_matches("./")
            || target.strip_prefix('#').is_some_and(|name| name == slug(text));
        if !is_said {
            let address = if text.is_empty() { target.clone() } else { format!(" ({target})") };
            let is_bare = text.is_empty();
            self.inline.push(&address, ThemeRole::Infra, Modifier::empty());
            end = if is_bare { self.inline.text.len() } else { end };
        }
        if start < end && !target.is_empty() {
            self.inline.links.push((self.out.made.links.len(), start..end));
            self.out.made.links.push(WrittenLink { shown: Vec::new(), target, source_line });
        }
    }

    /// Ends the paragraph.
    fn flush(&mut self) {
        if !self.inline.is_empty() && self.table.is_none() {
            let inline = std::mem::take(&mut self.inline);
            self.open_links.iter_mut().for_each(|link| link.start = 0);
            self.out.emit_prose(inline);
        }
        // An unclosed tag affects only its own paragraph.
        self.html_looks = OpenEmphases::default();
    }
}

/// The languages that a fence's info string may mean.
fn languages(info: &str) -> Vec<String> {
    let word = info.split([' ', '\t', ',', '{', ':']).find(|word| !word.is_empty()).unwrap_or_default().to_lowercase();
    let word = word.trim_matches(['.', '}']);
    let other = match word {
        "shell" | "console" | "zsh" => Some("sh"),
        "golang" => Some("go"),
        "csharp" => Some("cs"),
        "jsonc" | "json5" => Some("json"),
        _ => None,
    };
    other.into_iter().chain([word]).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn word(kind: BlockQuoteKind) -> &'static str {
    match kind {
        BlockQuoteKind::Note => "Note",
        BlockQuoteKind::Tip => "Tip",
        BlockQuoteKind::Important => "Important",
        BlockQuoteKind::Warning => "Warning",
        BlockQuoteKind::Caution => "Caution",
    }
}
