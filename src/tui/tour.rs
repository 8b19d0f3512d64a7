//! The demo's tour: ten steps in a box below the panes. Each step explains what is on screen and which keys
//! to press, and waits for the result, however the user achieves it. A key leaves the tour at any time.

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::Modifier;

use crate::tui::action::{Action, KeyContext};
use crate::tui::layout::{self, SMALLEST};
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State};
use crate::tui::theme::ThemeRole;
use crate::tui::views::View;
use crate::tui::widgets::cells;
use crate::tui::widgets::frame::PaneBorder;
use crate::tui::widgets::motion::Motion;
use crate::tui::widgets::row::Active;
use crate::tui::windows::WindowKind;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tour {
    /// The step, from 0; past the last one, the tour is complete.
    step: usize,
    begun: StepStart,
    /// Whether the lack of space was reported.
    is_announced: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct StepStart {
    picked: usize,
    row: usize,
}

struct TourStep {
    text: &'static str,
    keys: fn(&State) -> String,
    is_done: fn(&State, StepStart) -> bool,
}

const STEPS: [TourStep; 10] = [
    TourStep {
        text: "This is the knowledge of a small project: a catalog of sources, the selection that agents are given, hints for \
               a prompt, and templates.",
        keys: |state| format!("Press {} to go to the selection.", state.key(Action::Focus(Pane::Selection))),
        is_done: |state, _| state.focus == Pane::Selection,
    },
    TourStep {
        text: "Below each pick is what its document mentions, and what those mention, with its cost in tokens. Nothing is \
               here without a reason.",
        keys: |state| {
            let down = state.key(Action::Move(Motion::Down));
            format!("Press {down} to move down, and read why the source is here.")
        },
        is_done: |state, begun| state.focus == Pane::Selection && state.selection.cursor.at != begun.row,
    },
    TourStep {
        text: "The filter of the catalog keeps the sources that match as you type: letters of an id, a name or a tag.",
        keys: |state| {
            let catalog = state.key(Action::Focus(Pane::Catalog));
            let filter = state.key_in(KeyContext::Pane(Pane::Catalog), Action::Filter);
            let accept = state.key_in(KeyContext::Filter, Action::Accept);
            format!("Press {catalog}, then {filter}, type retry, and press {accept}.")
        },
        is_done: |state, _| state.focus == Pane::Catalog && !state.catalog.filter.is_empty() && state.typing.is_none(),
    },
    TourStep {
        text: "A pick pulls in what its document mentions. The top line shows what all of it costs an agent.",
        keys: |state| format!("Press {} to pick the source under the cursor.", state.key(Action::Toggle)),
        is_done: |state, begun| state.counts.picked > begun.picked,
    },
    TourStep {
        text: "Nothing is final: you can undo your last change, with everything that followed from it.",
        keys: |state| format!("Press {}.", state.key(Action::Undo)),
        is_done: |state, begun| state.counts.picked < begun.picked,
    },
    TourStep {
        text: "With each prompt, an agent gets hints about the sources that the prompt is about. The matches follow as you type; then see what \
               refdesk would add to the prompt, to the byte, and what each block costs.",
        keys: |state| {
            if state.hints.prompt.is_empty() || state.len(Pane::Hints) == 0 {
                let hints = state.key(Action::Focus(Pane::Hints));
                let prompt = state.key_in(KeyContext::Pane(Pane::Hints), Action::Prompt);
                return format!("Press {hints}, then {prompt}, and type: retry the payment");
            }
            let leave = state.key_in(KeyContext::Prompt, Action::Accept);
            let enriched = state.key_in(KeyContext::Pane(Pane::Hints), Action::Enriched);
            format!("Press {leave} to leave the prompt, then {enriched}.")
        },
        is_done: |state, _| !state.hints.prompt.is_empty() && state.shows_enriched(),
    },
    TourStep {
        text: "The feed shows what every agent of the workspace is told, reads and picks, as it happens.",
        keys: |state| format!("Press {}.", state.key(Action::Feed)),
        is_done: |state, _| state.in_feed(),
    },
    TourStep {
        text: "Templates come with the selection. Fill in the values and see the file that would be written.",
        keys: |state| {
            let templates = state.key(Action::Focus(Pane::Templates));
            let values = state.key_in(KeyContext::Pane(Pane::Templates), Action::Values);
            format!("Press {templates}, then {values} to type a value.")
        },
        is_done: |state, _| {
            state.focus == Pane::Templates && (state.part == PanePart::Values || state.typing.is_some())
        },
    },
    TourStep {
        text: "Databases are sources too. A pick of one tells an agent what its tables mean and how they join, and never a value \
               of a sensitive column. The page beside the list is what it reads.",
        keys: |state| {
            let back = state.key(Action::Back);
            let databases = state.key_in(KeyContext::Global, Action::Databases);
            if state.view == View::Databases {
                let down = state.key(Action::Move(Motion::Down));
                let named = first_table(state).map(|name| format!(" such as {name}")).unwrap_or_default();
                return format!("Press {down} until the cursor is on a table{named}, and read its page.");
            }
            format!("Press {back} until you leave the form, then {databases}.")
        },
        is_done: |state, _| state.databases.table().is_some() && state.databases.shown.page.is_some(),
    },
    TourStep {
        text: "Every action has a name in the palette, with its key and, if it is not possible now, the reason.",
        keys: |state| format!("Press {} to open the palette.", state.key(Action::Palette)),
        is_done: |state, _| state.open_window() == Some(WindowKind::Jump),
    },
];

const DONE: TourStep = TourStep {
    text: "That was the tour. In a repository of your own, refdesk init proposes a catalog, and refdesk connect brings it to \
           your agents.",
    keys: |state| {
        let [leave, help] = [Action::LeaveTour, Action::Help].map(|action| state.key(action));
        let quit = state.key_in(KeyContext::Always, Action::Quit);
        format!("Press {leave} to close this box, {help} for the keys, {quit} to quit.")
    },
    is_done: |_, _| false,
};

/// The name of the first table in the list of databases.
fn first_table(state: &State) -> Option<String> {
    let view = &state.databases;
    let table = view.rows.iter().find_map(|row| view.table_of(*row))?;
    Some(cells::clean(&table.name.name).into_owned())
}

impl Tour {
    pub fn new(state: &State) -> Self {
        Self { step: 0, begun: StepStart::of(state), is_announced: false }
    }

    fn shown(self) -> &'static TourStep {
        STEPS.get(self.step).unwrap_or(&DONE)
    }
}

impl StepStart {
    fn of(state: &State) -> Self {
        Self { picked: state.counts.picked, row: state.selection.cursor.at }
    }
}

/// Moves to the next step once the current one is accomplished.
pub fn follow(state: &mut State) {
    let Some(tour) = state.tour else { return };
    if !state.is_open() {
        state.tour = Some(Tour::new(state));
    } else if (tour.shown().is_done)(state, tour.begun) {
        state.tour = Some(Tour { step: tour.step + 1, begun: StepStart::of(state), ..tour });
    }
    announce_lack_of_room(state);
}

/// Reports once that the box does not fit: on a low terminal nothing else would show that the tour is running.
fn announce_lack_of_room(state: &mut State) {
    let is_hidden = state.is_open() && layout::fits(state.size) && rows(state) == 0;
    let Some(tour) = state.tour.as_mut().filter(|tour| is_hidden && !tour.is_announced) else { return };
    tour.is_announced = true;
    state.note("The tour needs more rows: it continues when the terminal is larger.");
}

/// The size that remains for everything else.
pub fn rest(state: &State) -> Size {
    Size { height: state.size.height - rows(state), ..state.size }
}

/// The height of the box; 0 if the terminal is too low.
fn rows(state: &State) -> u16 {
    let Some(tour) = state.tour else { return 0 };
    let rows = u16::try_from(lines(state, tour.shown(), state.size.width).len() + 2).unwrap_or(u16::MAX);
    if layout::fits(state.size) && state.size.height.saturating_sub(rows) >= SMALLEST.height { rows } else { 0 }
}

pub fn draw(state: &State, buffer: &mut Buffer) {
    let (Some(tour), rows @ 1..) = (state.tour, rows(state)) else { return };
    let place = Rect { x: 0, y: state.size.height - rows, width: state.size.width, height: rows };
    let step =
        if tour.step < STEPS.len() { format!("{} of {}", tour.step + 1, STEPS.len()) } else { "done".to_owned() };
    let note = format!("{step} {} {} leaves", state.skin.glyphs.dot, state.key(Action::LeaveTour));
    let border = PaneBorder { title: "Tour", note, place: String::new(), role: ThemeRole::Hints, active: Active::Yes };
    border.draw(&state.skin, place, buffer);
    let (text, strong) = (state.skin.theme.style(ThemeRole::Text), state.skin.theme.style(ThemeRole::Strong));
    for ((line, is_keys), y) in lines(state, tour.shown(), place.width).iter().zip(place.y + 1..) {
        let style = if *is_keys { strong.add_modifier(Modifier::BOLD) } else { text };
        buffer.set_stringn(place.x + 2, y, line, usize::from(place.width - 4), style);
    }
}

/// The wrapped text of a step, and for each line whether it tells which keys to press.
fn lines(state: &State, step: &TourStep, width: u16) -> Vec<(String, bool)> {
    let columns = usize::from(width.saturating_sub(4));
    let wrapped = |text: &str, is_keys| cells::wrap(text, columns).into_iter().map(move |line| (line, is_keys));
    wrapped(step.text, false).chain(wrapped(&(step.keys)(state), true)).collect()
}
