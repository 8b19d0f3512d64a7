//! The catalog pane: every source with its mark, type, mode and tags, a filter line above, details of one below.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::catalog::{Kind, Mode, Source};
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::standing;
use crate::tui::state::{State, Typing};
use crate::tui::theme::Role;
use crate::tui::widgets::frame::{self, Border};
use crate::tui::widgets::row::{Row, Under};
use crate::tui::widgets::{cells, prompt};

/// Draws the pane with its border at `outer`.
pub fn draw(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    let parts = state.parts_within(Pane::Catalog, layout::inner(outer));
    let pane = &state.catalog;
    let buffer = frame.buffer_mut();
    let len = pane.rows.len();
    border(state).draw(&state.skin, outer, buffer);
    let columns = Columns::of(state, parts.list.width);
    let active = super::list_active(state, Pane::Catalog);
    let window = pane.cursor.window(len, usize::from(parts.list.height));
    let top = window.start;
    for (nth, at) in window.enumerate() {
        let position = pane.rows.get(at);
        let Some(source) = position.and_then(|at| state.snapshot.catalog.sources().get(*at)) else { continue };
        let under = Under::of(at, pane.cursor.at, active);
        row(state, source, columns, parts.list.width).draw(
            under,
            Role::Catalog,
            super::nth_row(parts.list, nth),
            buffer,
        );
    }
    if len == 0 {
        super::draw_empty(state, &why_empty(state), parts.list, buffer);
    }
    frame::scrollbar(&state.skin, parts.list, len, top, state.skin.theme.style(Role::Catalog), buffer);
    let lines = detail(state, parts.detail.width);
    let shown = pane.scroll.window(lines.len(), usize::from(parts.detail.height));
    let caption = super::scrolled("details", &shown, lines.len());
    frame::rule(&state.skin, parts.rule, &caption, super::caption(state, Pane::Catalog), buffer);
    super::draw_lines(lines.get(shown).unwrap_or_default(), parts.detail, buffer);
    head(state, parts.head, columns, frame);
}

fn border(state: &State) -> Border {
    let totals = &state.totals;
    let dot = state.skin.glyphs.dot;
    let mut note = if state.is_open() { cells::counted(totals.sources, "source") } else { String::new() };
    if totals.missing > 0 {
        note = format!("{note} {dot} {} missing", cells::grouped(totals.missing as u64));
    }
    Border {
        title: "1 Catalog",
        note,
        place: frame::position(state.catalog.cursor.at, state.catalog.rows.len()),
        role: Role::Catalog,
        active: super::active(state, Pane::Catalog),
    }
}

fn why_empty(state: &State) -> String {
    if !state.is_open() {
        "opening the workspace".to_owned()
    } else if state.snapshot.catalog.is_empty() {
        "No sources here yet. They are listed in references.json, or one by one in .jaato/references/.".to_owned()
    } else {
        "No source has these words. Esc shows all again.".to_owned()
    }
}

/// How the columns of the list share its width.
#[derive(Debug, Clone, Copy)]
struct Columns {
    id: usize,
    mode: usize,
    tokens: usize,
}

impl Columns {
    /// Ids have what they need before anything else; the long words and the tokens are shown where there is room left.
    fn of(state: &State, width: u16) -> Self {
        const TOKENS: usize = 8;
        const TAGS: usize = 10;
        let (long, short) = (Mode::Selectable.word().len(), Mode::Auto.word().len());
        // The cursor, the mark, the type and the short mode, each with its blank.
        let room = usize::from(width).saturating_sub(1 + 2 + 7 + short + 1);
        let spare = room.saturating_sub(state.totals.widest_id + TAGS + 2);
        let tokens = if spare > TOKENS { TOKENS } else { 0 };
        let mode = if spare > TOKENS + 2 * TAGS { long } else { short };
        let taken = TAGS + 1 + tokens + usize::from(tokens > 0) + mode - short;
        Self { id: state.totals.widest_id.clamp(8, room.saturating_sub(taken).max(8)), mode, tokens }
    }
}

fn row<'a>(state: &'a State, source: &Source, columns: Columns, width: u16) -> Row<'a> {
    let theme = &state.skin.theme;
    let id = source.id.as_str();
    let (mark, role) = standing::mark(&state.snapshot, id);
    let grey = theme.style(Role::Infra);
    let id_style = if source.is_missing() { grey } else { theme.style(Role::Text) };
    let mut row = Row::new(&state.skin, width);
    row.cell(state.skin.glyphs.mark(mark), 1, theme.style(role))
        .id(&cells::clean(id), columns.id, id_style)
        .cell(source.kind.word(), 6, theme.style(Role::Catalog))
        .cell(mode_word(source.mode, columns), columns.mode, grey);
    if columns.tokens > 0 {
        let tokens = state.snapshot.tokens.get(id).map(|tokens| cells::tokens(*tokens)).unwrap_or_default();
        row.cell(&format!("{tokens:>8}"), columns.tokens, grey);
    }
    row.text(&cells::clean(&source.tags.join(", ")), grey);
    row
}

fn mode_word(mode: Mode, columns: Columns) -> &'static str {
    match mode {
        Mode::Selectable if columns.mode < Mode::Selectable.word().len() => "sel",
        _ => mode.word(),
    }
}

/// The line above the list: the filter while there is one, else what the columns are.
fn head(state: &State, place: Rect, columns: Columns, frame: &mut Frame<'_>) {
    let typing = state.typing == Some(Typing::Filter);
    if place.is_empty() {
        return;
    }
    if typing || !state.catalog.filter.is_empty() {
        filter_line(state, place, typing, frame);
        return;
    }
    let grey = state.skin.theme.style(Role::Infra);
    let mut row = Row::new(&state.skin, place.width);
    row.cell("", 1, grey).cell("id", columns.id, grey).cell("type", 6, grey).cell("mode", columns.mode, grey);
    if columns.tokens > 0 {
        row.cell("  tokens", columns.tokens, grey);
    }
    row.text("tags", grey).draw(Under::Nothing, Role::Catalog, place, frame.buffer_mut());
}

fn filter_line(state: &State, place: Rect, typing: bool, frame: &mut Frame<'_>) {
    let theme = &state.skin.theme;
    let number = |number: usize| cells::grouped(number as u64);
    let kept = format!("{} of {} ", number(state.catalog.rows.len()), number(state.snapshot.catalog.len()));
    let columns = u16::try_from(kept.len()).unwrap_or(0);
    let buffer = frame.buffer_mut();
    buffer.set_stringn(place.x + 1, place.y, "/", 1, theme.style(Role::Catalog));
    let text = Rect { x: place.x + 3, width: place.width.saturating_sub(4 + columns), ..place };
    if text.width == 0 {
        return;
    }
    buffer.set_stringn(text.right(), place.y, &kept, usize::from(columns), theme.style(Role::Infra));
    let filter = &state.catalog.filter;
    let at = prompt::draw(filter.text(), filter.cursor(), &[], theme.style(Role::Strong), text, buffer);
    if typing {
        frame.set_cursor_position(at);
    }
}

/// Lines of an inline source's content that can be read here.
const CONTENT: usize = 500;

/// The details of the source under the cursor, in lines that fit `columns`. Nothing is cut but content: what does not fit
/// goes on in the next line, and further down than there is room one can scroll.
pub fn detail(state: &State, columns: u16) -> Vec<Line<'static>> {
    let columns = usize::from(columns).saturating_sub(2);
    let Some(source) = state.subject(Pane::Catalog).and_then(|id| state.snapshot.catalog.get(id)) else {
        return Vec::new();
    };
    let theme = &state.skin.theme;
    let (text, grey) = (theme.style(Role::Text), theme.style(Role::Infra));
    let id = source.id.as_str();
    let named = (format!("@{}", cells::clean(id)), theme.style(Role::Strong));
    let mut lines = beside(named, (cells::clean(&source.name).into_owned(), grey), columns);
    let (mark, role) = standing::mark(&state.snapshot, id);
    let standing = format!("{} {}", state.skin.glyphs.mark(mark), cells::clean(&standing::words(&state.snapshot, id)));
    lines.extend(beside((standing, theme.style(role)), (facts(state, source), grey), columns));

    let fields = fields(state, source);
    let (place, rest) = fields.split_at(fields.len().min(1));
    lines.extend(place.iter().flat_map(|(label, value)| field(label, value, columns, [grey, text])));
    let description = cells::wrap(&cells::clean(&source.description), columns);
    lines.extend(description.into_iter().map(|line| Line::from(Span::styled(line, text))));
    lines.extend(rest.iter().flat_map(|(label, value)| field(label, value, columns, [grey, text])));
    if let Kind::Inline { content } = &source.kind {
        lines.push(Line::from(Span::styled("content", grey)));
        let cut = |line| cells::clip(&cells::clean(line), columns, state.skin.glyphs.ellipsis).into_owned();
        lines.extend(content.lines().take(CONTENT).map(|line| Line::from(Span::styled(cut(line), text))));
    }
    lines
}

/// Two texts beside each other, or below each other where they do not fit into one line.
fn beside((left, strong): (String, Style), (right, weak): (String, Style), columns: usize) -> Vec<Line<'static>> {
    if cells::width(&left) + 2 + cells::width(&right) <= columns {
        return vec![Line::from(vec![Span::styled(left, strong), Span::styled(format!("  {right}"), weak)])];
    }
    let wrapped = |text: &str, style| {
        let lines = cells::wrap(text, columns).into_iter();
        lines.map(move |line| Line::from(Span::styled(line, style)))
    };
    wrapped(&left, strong).chain(wrapped(&right, weak)).collect()
}

/// `local · selectable · ~417 tokens`
fn facts(state: &State, source: &Source) -> String {
    let mut facts = vec![source.kind.word().to_owned(), source.mode.word().to_owned()];
    if let Some(tokens) = state.snapshot.tokens.get(source.id.as_str()) {
        facts.push(format!("{} tokens", cells::tokens(*tokens)));
    }
    facts.join(&format!(" {} ", state.skin.glyphs.dot))
}

/// A label and its value, which goes on below itself.
fn field(label: &str, value: &str, columns: usize, [weak, style]: [Style; 2]) -> Vec<Line<'static>> {
    let indent = label.len() + 1;
    let lines = cells::wrap(value, columns.saturating_sub(indent)).into_iter().enumerate();
    let lead = |nth| if nth == 0 { format!("{label} ") } else { " ".repeat(indent) };
    lines.map(|(nth, line)| Line::from(vec![Span::styled(lead(nth), weak), Span::styled(line, style)])).collect()
}

/// Where it lies first, where it is defined last.
fn fields(state: &State, source: &Source) -> Vec<(&'static str, String)> {
    let clean = |text: &str| cells::clean(text).into_owned();
    let mut fields = match &source.kind {
        Kind::Local(place) if source.is_missing() => vec![("nothing stands at", clean(&place.written))],
        Kind::Local(place) if source.is_directory() => vec![("folder", super::printed(state, &place.path))],
        Kind::Local(place) => vec![("file", super::printed(state, &place.path))],
        Kind::Url { url } => vec![("url", clean(url))],
        Kind::Mcp { server, tool, args } => {
            let call = format!("{} on {}", clean(tool), clean(server));
            let args = (!args.is_null()).then(|| ("args", clean(&args.to_string())));
            std::iter::once(("tool", call)).chain(args).collect()
        }
        Kind::Inline { content } => vec![("content", cells::counted(content.lines().count(), "line"))],
    };
    if !source.tags.is_empty() {
        fields.push(("tags", clean(&source.tags.join(", "))));
    }
    if let Some(hint) = &source.fetch_hint {
        fields.push(("fetch hint", clean(hint)));
    }
    let origin = format!("{} {}", super::printed(state, &source.origin.file), clean(&source.origin.pointer()));
    fields.push(("defined in", origin));
    fields
}
