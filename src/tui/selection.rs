//! The selection pane: picks with what they pull in, each below the source that pulls it in; and below the
//! tree, where the source under the cursor is mentioned.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::common::selection_tree::{TreeRow, TreeRowKind};
use crate::tui::action::Action;
use crate::tui::catalog::LeftSource;
use crate::tui::filter::{FilterResult, Marks, MatchMarker, Order};
use crate::tui::filtering::FilteredList;
use crate::tui::layout;
use crate::tui::pane::Pane;
use crate::tui::pane_view::{self, DrawnList};
use crate::tui::requests::view;
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::filter_line::FilterLine;
use crate::tui::widgets::frame;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::marked::MarkedText;
use crate::tui::widgets::motion::{Cursor, Scroll};
use crate::tui::widgets::row::ListRow;

mod columns;
mod detail;
pub mod filtered_rows;
pub mod preview;
pub mod update;

pub use self::columns::RowWidths;
use self::columns::TreeColumns;
pub use self::detail::detail;

#[derive(Debug, Clone, Default)]
pub struct SelectionPane {
    pub cursor: Cursor,
    /// The members as a tree, followed by everything else.
    pub all: Vec<TreeRow>,
    /// The rows that match the filter.
    pub rows: Vec<TreeRow>,
    /// The sort order of the picks, and of the sources below each.
    pub order: Order,
    pub filter: TextField,
    /// The parsed filter and its rows. A longer filter searches only these.
    pub filtered: FilterResult,
    pub widths: RowWidths,
    pub scroll: Scroll,
    /// The source that was under the cursor when it left the selection.
    pub left: Option<LeftSource>,
    /// The catalog source that the cursor last followed.
    pub followed: Option<String>,
}

pub fn draw(state: &State, outer: Rect, frame: &mut Frame<'_>) {
    if let Some(waiting) = state.shown_request() {
        return view::draw(state, waiting, outer, frame);
    }
    let parts = state.parts_within(Pane::Selection, layout::inner(outer));
    let pane = &state.selection;
    let buffer = frame.buffer_mut();
    let (len, all) = (pane.rows.len(), pane.all.len());
    let kept = pane.rows.iter().filter(|row| row.matches).count();
    PaneBorder {
        title: "2 Selection",
        // As in the catalog, the filter line shows the number of matches.
        note: total(state, frame::title_room(outer).saturating_sub(" 2 Selection ".len())),
        place: frame::position(pane.cursor.at, len),
        role: ThemeRole::Selection,
        active: pane_view::active(state, Pane::Selection),
    }
    .draw(&state.skin, outer, buffer);
    let (active, role) = (pane_view::list_active(state, Pane::Selection), ThemeRole::Selection);
    let list = DrawnList { place: parts.list, len, cursor: pane.cursor, active, role };
    let mut marker = MatchMarker::new(&pane.filtered.query, state.catalog.haystack.as_deref());
    list.draw(&state.skin, buffer, |at| {
        let node = pane.rows.get(at)?;
        let position = state.snapshot.catalog.position(node.id(&state.snapshot)?);
        let marks = position.map(|at| marker.marks(at));
        Some(row(state, node, &marks.unwrap_or_default(), parts.list.width))
    });
    if len == 0 {
        pane_view::draw_empty(state, &why_empty(state), parts.list, buffer);
    }
    let height = usize::from(parts.detail.height);
    // One line more than fits, to detect that there are more.
    let end = pane.scroll.top.saturating_add(height);
    let mut lines = detail(state, parts.detail.as_size(), end.saturating_add(1));
    let caption = if lines.len() > end { "why, more below" } else { "why" };
    lines.truncate(end);
    frame::rule(&state.skin, parts.rule, caption, pane_view::caption(state, Pane::Selection), buffer);
    let shown = pane.scroll.window(lines.len(), height);
    pane_view::draw_lines(lines.get(shown).unwrap_or_default(), parts.detail, buffer);
    if !parts.head.is_empty() {
        let line = FilterLine {
            filter: &pane.filter,
            typing: state.is_filtering(FilteredList::Selection),
            fault: pane.filtered.query.fault.as_deref(),
            kept: (kept, all),
            role,
        };
        line.draw(&state.skin, parts.head, frame);
    }
}

fn why_empty(state: &State) -> String {
    let pane = &state.selection;
    if !state.is_open() {
        return "opening the workspace".to_owned();
    }
    if pane.all.is_empty() {
        let pick = state.key(Action::Toggle);
        return format!(
            "Nothing is picked. Press {pick} on a source in the catalog; the sources it mentions are pulled in."
        );
    }
    // Other sources in the catalog may match.
    let here = format!("Nothing in the selection matches '{}'.", cells::clean(pane.filter.text().trim()));
    pane_view::no_match(state, &pane.filtered, "source", &here)
}

/// `3 picked · 7 pulled in · 2 auto · 1 dormant · ~12,400 tokens`, shortened if it does not fit.
fn total(state: &State, room: usize) -> String {
    let (totals, dot) = (&state.counts, state.skin.glyphs.dot);
    if state.snapshot.selection.members().is_empty() && totals.auto == 0 {
        let (nothing, tokens) = ("nothing picked", cells::tokens(totals.tokens));
        let whole = format!("{nothing} {dot} instructions {tokens}");
        return match totals.tokens {
            0 => nothing.to_owned(),
            _ if cells::width(&whole) <= room => whole,
            _ => format!("{nothing} {dot} {tokens}"),
        };
    }
    let auto = if totals.auto > 0 { format!(" {dot} {} auto", cells::grouped(totals.auto)) } else { String::new() };
    let dormant =
        if totals.dormant > 0 { format!(" {dot} {} dormant", cells::grouped(totals.dormant)) } else { String::new() };
    let each =
        format!("{} picked {dot} {} pulled in{auto}", cells::grouped(totals.picked), cells::grouped(totals.pulled_in));
    let tokens = cells::tokens(totals.tokens);
    let notes = [
        format!("{each}{dormant} {dot} {tokens} tokens"),
        format!("{each}{dormant} {dot} {tokens}"),
        format!("{each} {dot} {tokens}"),
    ];
    let all = || format!("{} {dot} {tokens} tokens", totals.for_agent());
    let order = state.selection.order;
    let by = if order == Order::Catalog { String::new() } else { format!("by {} {dot} ", order.word()) };
    let notes = notes.map(|note| format!("{by}{note}"));
    let brief = format!("{} {dot} {tokens}", totals.for_agent());
    let notes = notes.into_iter().chain([format!("{by}{}", all()), all()]);
    notes.into_iter().find(|note| cells::width(note) <= room).unwrap_or(brief)
}

fn row<'a>(state: &'a State, node: &TreeRow, marks: &Marks, width: u16) -> ListRow<'a> {
    let (theme, glyphs) = (&state.skin.theme, &state.skin.glyphs);
    let grey = theme.style(ThemeRole::Infra);
    let marked = |style: Style| [style, style.patch(theme.style(ThemeRole::Match))];
    let mut row = ListRow::new(&state.skin, width);
    let Some(id) = node.id(&state.snapshot) else { return row };
    let (mark, role) = match node.kind {
        TreeRowKind::Dormant(_) => (refdesk_core::selection::SelectionState::Dormant, ThemeRole::Infra),
        _ => source_state::mark(&state.snapshot, id),
    };
    let name = state.snapshot.catalog.get(id).map_or("", |source| source.name.as_str());
    let lead = glyphs.branch(node.level, node.open);
    let tokens = price(state, node, id);
    let id = MarkedText::of(id, &marks.id);
    let used = cells::width(&lead) + 2;
    let columns = tokens_columns(state);
    // The tokens have a blank on both sides.
    let fields = TreeColumns::of(state.selection.widths, row.room().saturating_sub(columns + 2));
    row.text(&lead, grey).text(glyphs.mark(mark), theme.style(role)).gap();
    let is_plain = node.matches && matches!(node.kind, TreeRowKind::Member(_));
    let id_style = marked(if is_plain { theme.style(ThemeRole::Text) } else { grey });
    let word = columns::word(node, &state.snapshot, fields.detail);
    let fields = fields.in_row(&word);
    // An unusually long id also uses the columns of its name.
    if fields.name > 0 && used + cells::width(&id.text) > fields.id {
        row.marked_id(&id, (fields.id + 1 + fields.name).saturating_sub(used), id_style);
    } else {
        row.marked_id(&id, fields.id.saturating_sub(used), id_style);
        if fields.name > 0 {
            row.marked_cell(&MarkedText::of(name, &marks.name), fields.name, marked(grey));
        }
    }
    if fields.word > 0 {
        row.cell(&format!("{word:>width$}", width = fields.word), fields.word, grey);
    }
    let waits = tokens == source_state::UNTRUSTED;
    row.text(&format!("{tokens:>columns$}"), if waits { theme.style(ThemeRole::Hints) } else { grey });
    row
}

/// Width of a row's token count.
fn tokens_columns(state: &State) -> usize {
    state.counts.widest_tokens.max(8)
}

/// The width of the pane with whole ids, the words and the tokens; 0 if it is empty.
pub fn columns(state: &State) -> u16 {
    let pane = &state.selection;
    // The cursor, the blank after the id, and the border.
    let whole = 1 + pane.widths.widest + 1 + (pane.widths.words + 1) + tokens_columns(state) + 1 + 2;
    if pane.all.is_empty() { 0 } else { u16::try_from(whole).unwrap_or(u16::MAX) }
}

/// The same width with whole names, unless they are very long.
pub fn named_columns(state: &State) -> u16 {
    let pane = &state.selection;
    if pane.all.is_empty() { 0 } else { columns(state).saturating_add(pane.widths.name_columns()) }
}

/// The column of the mark, after cursor and tree lines.
pub fn mark_column(state: &State, row: usize) -> Option<u16> {
    let lead =
        state.selection.rows.get(row).map(|node| cells::width(&state.skin.glyphs.branch(node.level, node.open)))?;
    u16::try_from(1 + lead).ok()
}

fn price(state: &State, node: &TreeRow, id: &str) -> String {
    let price = match node.kind {
        TreeRowKind::Member(_) | TreeRowKind::Auto(_) => source_state::price(&state.snapshot, id),
        TreeRowKind::Dormant(_) | TreeRowKind::Excluded(_) => String::new(),
    };
    match price {
        price if !price.is_empty() => price,
        _ if state.snapshot.catalog.get(id).is_some_and(refdesk_core::catalog::Source::is_missing) => {
            "missing".to_owned()
        }
        _ => String::new(),
    }
}
