//! The proposals: one row each to tick, and below the list why it is proposed.

use ratatui::Frame;

use crate::tui::action::{Action, KeyContext};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::WrappedText;
use crate::tui::widgets::row::ListRow;
use crate::tui::windows::{Handled, ListPage, ListTitles, Window, WindowKind, paragraphs, text_columns};
use refdesk_desk::{Discovery, ProposedPlace, ProposedSource};

pub struct DiscoveryList;

impl Window for DiscoveryList {
    fn list(&self, state: &State) -> Option<ListPage> {
        Some(ListPage { columns: 130, least_rows: 16, details: 8, len: rows(state) })
    }

    fn disabled(&self, state: &State) -> Option<String> {
        let found = match &state.draft.found {
            None => return Some("the repository is still being read".to_owned()),
            Some(Err(why)) => return Some(why.clone()),
            Some(Ok(found)) => found,
        };
        match (state.draft.ticked.is_empty(), found.moved.is_empty(), found.new.is_empty()) {
            (false, ..) | (_, false, _) => None,
            (true, true, true) => Some("there is nothing new".to_owned()),
            (true, true, false) => {
                let tick = state.key_in(KeyContext::Discovery, Action::Tick);
                Some(format!("nothing is ticked: {tick} ticks the row under the cursor"))
            }
        }
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        let at = state.window.map_or(0, |open| open.cursor.at);
        let count = listed(state).len();
        match action {
            Action::Tick if at == count && folded(state) > 0 => state.draft.listed = new(state).len(),
            Action::Tick if at < count => {
                if !state.draft.ticked.remove(&at) {
                    state.draft.ticked.insert(at);
                }
            }
            Action::Tick => {}
            Action::TickAll if state.draft.ticked.len() == count => state.draft.ticked.clear(),
            Action::TickAll => state.draft.ticked = (0..count).collect(),
            Action::Confirm => super::propose(state, effects),
            // The scan was opened from there.
            Action::Back if state.snapshot.catalog.is_empty() => state.open(WindowKind::Welcome),
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let Some(list) = self.list(state) else { return };
        let (theme, all) = (&state.skin.theme, new(state));
        let tokens = state.draft.ticked.iter().filter_map(|nth| all.get(*nth)).map(|source| source.tokens).sum();
        let note = match state.draft.found() {
            Some(_) => format!(
                "{} of {} ticked {} {} tokens",
                state.draft.ticked.len(),
                listed(state).len(),
                state.skin.glyphs.dot,
                cells::tokens(tokens)
            ),
            None => String::new(),
        };
        let titles = ListTitles { title: "Scan", note, role: ThemeRole::Catalog, caption: "why it is proposed" };
        let widest = listed(state).iter().map(|source| cells::width(&source.id)).max().unwrap_or(0);
        let row = |at: usize, width| match listed(state).get(at) {
            Some(source) => Some(row(state, source, state.draft.ticked.contains(&at), widest, width)),
            None => {
                let mut row = ListRow::new(&state.skin, width);
                row.text(&fold(state), theme.style(ThemeRole::Infra));
                Some(row)
            }
        };
        let columns = text_columns(list.outer(state).width);
        let text = match (listed(state).get(cursor.at), &state.draft.found) {
            (Some(source), _) => details(source, columns),
            (None, Some(Ok(found))) if !listed(state).is_empty() && !found.new.is_empty() => {
                paragraphs([(fold(state), ThemeRole::Text)], columns)
            }
            (None, None) => paragraphs([("Reading the repository.", ThemeRole::Text)], columns),
            (None, Some(Ok(found))) => nothing_new(state, found, columns),
            (None, Some(Err(why))) => paragraphs([(format!("{}.", cells::sentence(why)), ThemeRole::Error)], columns),
        };
        list.draw(state, cursor, titles, row, &text, frame);
    }
}

fn new(state: &State) -> &[ProposedSource] {
    state.draft.found().map_or(&[], |found| found.new.as_slice())
}

/// The proposals that are not folded.
fn listed(state: &State) -> &[ProposedSource] {
    new(state).get(..state.draft.listed).unwrap_or_default()
}

/// The number of folded proposals.
fn folded(state: &State) -> usize {
    new(state).len().saturating_sub(state.draft.listed)
}

/// The number of rows; the last one represents the folded proposals.
fn rows(state: &State) -> usize {
    listed(state).len() + usize::from(folded(state) > 0)
}

fn fold(state: &State) -> String {
    let key = state.key_in(KeyContext::Discovery, Action::Tick);
    format!("{} not ticked: {key} shows them", cells::grouped(folded(state)))
}

fn row<'a>(state: &'a State, source: &ProposedSource, is_ticked: bool, widest: usize, width: u16) -> ListRow<'a> {
    let theme = &state.skin.theme;
    let mut row = ListRow::new(&state.skin, width);
    let (mark, role) = if is_ticked { ("[x]", ThemeRole::Selection) } else { ("[ ]", ThemeRole::Infra) };
    row.cell(mark, 3, theme.style(role));
    row.id(&cells::clean(&source.id), widest.min(row.room() * 2 / 5), theme.style(ThemeRole::Text));
    row.cell(source.kind.word(), 9, theme.style(ThemeRole::Infra));
    row.cell(&format!("{:>8}", cells::tokens(source.tokens)), 8, theme.style(ThemeRole::Text));
    row.text(&cells::clean(&source.tags.join(", ")), theme.style(ThemeRole::Infra));
    row
}

fn details(source: &ProposedSource, columns: usize) -> WrappedText {
    let place = match &source.place {
        ProposedPlace::File(path) | ProposedPlace::Folder(path) => path.display().to_string(),
        ProposedPlace::Url(address) => address.clone(),
    };
    let name = format!("{}  {place}", source.name);
    let lines = [
        (name.as_str(), ThemeRole::Strong),
        (source.description.as_str(), ThemeRole::Text),
        (source.evidence.as_str(), ThemeRole::Infra),
    ];
    paragraphs(lines.into_iter().filter(|(text, _)| !text.is_empty()), columns)
}

/// Explains a scan without proposals.
fn nothing_new(state: &State, found: &Discovery, columns: usize) -> WrappedText {
    let looks = "refdesk looks for READMEs, docs/, decisions, AGENTS.md, skills and rules.";
    let mut lines = if state.snapshot.catalog.is_empty() {
        let close = state.key_in(KeyContext::Window, Action::Back);
        let add = state.key_in(KeyContext::Welcome, Action::AddSource);
        let way = format!("Press {close}, then {add}, to add a file, a folder or an address.");
        vec![format!("No documents were found: {looks}"), way]
    } else {
        vec![format!("There is nothing new: {looks}")]
    };
    lines.extend(found.moved.iter().map(|moved| format!("@{} moved: {}", moved.id, moved.after.display())));
    lines.extend(found.gone.iter().map(|gone| format!("@{} is gone: {}", gone.id, gone.shown)));
    lines.extend(found.notes.iter().map(ToString::to_string));
    paragraphs(lines.into_iter().map(|line| (line, ThemeRole::Text)), columns)
}
