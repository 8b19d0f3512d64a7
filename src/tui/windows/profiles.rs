//! The profiles of the workspace: one row each with what it would select and cost; below the list, the
//! profile under the cursor.

use std::path::PathBuf;

use ratatui::Frame;

use super::{Handled, ListPage, ListTitles, Window, WindowKind, paragraphs, switch, text_columns};
use crate::common::{NO_PROFILES, source_words};
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::page::WrappedText;
use crate::tui::widgets::row::ListRow;
use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::Request;
use refdesk_desk::{ProfileDetails, ProfileSwitch};
use refdesk_text::report::Diagnostic;

pub struct ProfilesView;

/// The state of this window and of the switch window.
#[derive(Debug, Clone, Default)]
pub struct ProfilesWindow {
    /// `None` until the answer arrives.
    pub listed: Option<Vec<ProfileDetails>>,
    /// Why the profiles folder cannot be read.
    pub problems: Vec<Diagnostic>,
    /// The file of the profile to switch to.
    pub file: Option<PathBuf>,
    /// What switching would change, or why that is unknown; `None` until the answer arrives.
    pub switch: Option<Result<Box<ProfileSwitch>, String>>,
    /// Whether `switch` compares with the current selection.
    pub is_current: bool,
    /// The generation of the snapshot in the question; `None` if it must be asked again.
    pub asked_at: Option<u64>,
}

impl Window for ProfilesView {
    fn list(&self, state: &State) -> Option<ListPage> {
        Some(ListPage { columns: 120, least_rows: 14, details: 11, len: listed(state).len() })
    }

    fn disabled(&self, state: &State) -> Option<String> {
        match &state.profiles.listed {
            None => Some("the profiles are still being read".to_owned()),
            Some(listed) => listed.is_empty().then(|| "there are no profiles".to_owned()),
        }
    }

    fn confirm(&self, state: &mut State, _: &mut Vec<Effect>) -> Handled {
        let at = state.window.map_or(0, |open| open.cursor.at);
        if let Some(file) = listed(state).get(at).map(|profile| profile.file.clone()) {
            switch::open(state, file);
        }
        Handled::Consumed
    }

    fn draw(&self, state: &State, cursor: Cursor, frame: &mut Frame<'_>) {
        let Some(list) = self.list(state) else { return };
        let ((place, _, detail), all) = (list.parts(state), listed(state));
        let count = |all: &Vec<ProfileDetails>| cells::counted(all.len(), "profile");
        let note = state.profiles.listed.as_ref().map(count).unwrap_or_default();
        let caption = if all.is_empty() { "" } else { "what it would select" };
        let titles = ListTitles { title: "Profiles", note, role: ThemeRole::Selection, caption };
        // The cursor, and the blank before the border.
        let columns = ProfileColumns::of(all, usize::from(place.width).saturating_sub(1 + 1));
        let row = |at: usize, width| Some(row(state, all.get(at)?, columns, width));
        let columns = text_columns(list.outer(state).width);
        let text = match all.get(cursor.at) {
            Some(profile) => details(state, profile, columns, usize::from(detail.height)),
            None => paragraphs([(empty(state), ThemeRole::Text)], columns),
        };
        list.draw(state, cursor, titles, row, &text, frame);
    }
}

/// Opens the list and reads it again, because files may have changed.
pub fn open(state: &mut State, effects: &mut Vec<Effect>) {
    state.profiles.listed = None;
    state.open(WindowKind::Profiles);
    effects.push(Effect::Ask(Request::ListProfiles));
}

fn listed(state: &State) -> &[ProfileDetails] {
    state.profiles.listed.as_deref().unwrap_or_default()
}

fn empty(state: &State) -> &str {
    match (&state.profiles.listed, state.profiles.problems.first()) {
        (None, _) => "Reading the profiles.",
        (Some(_), Some(problem)) => &problem.message,
        (Some(_), None) => NO_PROFILES,
    }
}

/// ` 1 picked,  4 pulled in, 1 auto`, counted as in the top line.
fn selects(it: &ProfileDetails) -> String {
    let auto = if it.auto.is_empty() { String::new() } else { format!(", {} auto", it.auto.len()) };
    format!("{:>2} picked, {:>2} pulled in{auto}", it.picks.len(), it.transitive.len())
}

/// How detailed the rows are: as much as fits in all of them; the details show the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RowDetail {
    Whole,
    /// Without what it writes and what is missing.
    Counts,
    /// Without the origin of its sources.
    Sources,
    Price,
}

impl RowDetail {
    const ALL: [Self; 4] = [Self::Whole, Self::Counts, Self::Sources, Self::Price];

    fn counts(self, it: &ProfileDetails) -> String {
        match self {
            Self::Whole | Self::Counts => selects(it),
            Self::Sources => cells::counted(it.picks.len() + it.transitive.len() + it.auto.len(), "source"),
            Self::Price => String::new(),
        }
    }

    /// The parts after the price, each with its colour.
    fn notes(self, it: &ProfileDetails) -> Vec<(String, ThemeRole)> {
        if it.problems.iter().any(Diagnostic::is_error) {
            let why = if self == Self::Whole { "cannot be used: see below" } else { "cannot be used" };
            return vec![(why.to_owned(), ThemeRole::Error)];
        }
        let part = |count: usize, text: String, role| (count > 0).then_some((text, role));
        let (waiting, missing) = (it.waiting, it.missing.len());
        let mut parts = vec![part(waiting, format!("{waiting} untrusted"), ThemeRole::Hints)];
        if self == Self::Whole {
            parts.push(Some((cells::counted(it.templates.len(), "template"), ThemeRole::Templates)));
            parts.push(part(missing, format!("{missing} missing"), ThemeRole::Warning));
        }
        parts.into_iter().flatten().collect()
    }
}

/// The column widths of the rows: the longest name, which users type and which is never shortened, the widest
/// counts and the widest price.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ProfileColumns {
    name: usize,
    counts: usize,
    price: usize,
    detail: RowDetail,
}

impl ProfileColumns {
    fn of(all: &[ProfileDetails], room: usize) -> Self {
        let widest = |text: &dyn Fn(&ProfileDetails) -> usize| all.iter().map(text).max().unwrap_or(0);
        let name = widest(&|it| cells::width(&cells::clean(&it.name)));
        let price = widest(&|it| cells::width(&cells::tokens(it.tokens))).max(7);
        let columns = |detail: RowDetail| {
            let counts = widest(&|it| cells::width(&detail.counts(it)));
            let notes = widest(&|it| detail.notes(it).iter().map(|(text, _)| 2 + cells::width(text)).sum());
            let whole = name + 1 + if counts > 0 { counts + 1 } else { 0 } + price + notes;
            (whole <= room, Self { name, counts, price, detail })
        };
        let fitting = RowDetail::ALL.into_iter().map(columns).find(|(fits, _)| *fits);
        fitting.map_or(Self { name, counts: 0, price, detail: RowDetail::Price }, |(_, columns)| columns)
    }
}

fn row<'a>(state: &'a State, it: &ProfileDetails, columns: ProfileColumns, width: u16) -> ListRow<'a> {
    let ProfileColumns { name, counts, price, detail } = columns;
    let theme = &state.skin.theme;
    let mut row = ListRow::new(&state.skin, width);
    let is_broken = it.problems.iter().any(Diagnostic::is_error);
    let role = if is_broken { ThemeRole::Error } else { ThemeRole::Text };
    row.id(&cells::clean(&it.name), name, theme.style(role));
    if counts > 0 {
        row.cell(&detail.counts(it), counts, theme.style(ThemeRole::Selection));
    }
    row.cell(&format!("{:>price$}", cells::tokens(it.tokens)), price, theme.style(ThemeRole::Text));
    for (text, role) in detail.notes(it) {
        row.gap().text(&text, theme.style(role)).gap();
    }
    row
}

/// The same price as in the comparison, and in the top line after a switch.
fn price(it: &ProfileDetails) -> String {
    if it.problems.iter().any(Diagnostic::is_error) {
        return String::new();
    }
    format!("An agent gets {}{}", cells::in_tokens(it.tokens), source_words::waiting(it.waiting))
}

/// All details of a profile, in at most `height` rows: long lists of ids are shortened first, and show how
/// many are left out. The description gets the remaining rows.
fn details(state: &State, it: &ProfileDetails, columns: usize, height: usize) -> WrappedText {
    let least = usize::from(!it.description.is_empty());
    let mut all = (1..=LIST_ROWS).rev().map(|rows| details_with(state, it, columns, rows));
    let rows = |lines: &[(String, ThemeRole)]| wrapped(lines, columns).len();
    let fitting = all.clone().find(|lines| rows(lines) + least <= height);
    let mut lines = fitting.or_else(|| all.next_back()).unwrap_or_default();
    let left = height.saturating_sub(rows(&lines));
    let description =
        cells::wrap_to(&cells::clean(&it.description), columns.saturating_sub(1), left, state.skin.glyphs.ellipsis);
    lines.extend(description.into_iter().map(|line| (line, ThemeRole::Strong)));
    wrapped(&lines, columns)
}

fn wrapped(lines: &[(String, ThemeRole)], columns: usize) -> WrappedText {
    paragraphs(lines.iter().map(|(text, role)| (text, *role)), columns)
}

/// Maximum rows of a list of ids.
const LIST_ROWS: usize = 4;

/// `Pulls in @a @b … +7 more`, in at most this many rows.
fn list(state: &State, what: &str, ids: &[SourceId], columns: usize, rows: usize) -> String {
    if ids.is_empty() {
        return String::new();
    }
    let some = |shown: usize| {
        let named: Vec<String> = ids.iter().take(shown).map(|id| format!("@{}", cells::clean(id.as_str()))).collect();
        let more = match ids.len() - shown {
            0 => String::new(),
            more => format!(" {} +{} more", state.skin.glyphs.ellipsis, cells::grouped(more)),
        };
        format!("{what} {}{more}", named.join(" "))
    };
    let fits = |text: &String| cells::wrap(text, columns).len() <= rows;
    // An id takes at least two columns and a blank.
    (1..=ids.len().min(rows * columns / 3))
        .rev()
        .map(some)
        .find(fits)
        .unwrap_or_else(|| format!("{what} {}", cells::counted(ids.len(), "source")))
}

fn details_with(state: &State, it: &ProfileDetails, columns: usize, rows: usize) -> Vec<(String, ThemeRole)> {
    let list = |what: &str, ids: &[SourceId]| list(state, what, ids, columns, rows);
    let error = it.problems.iter().find(|problem| problem.is_error());
    let missing: Vec<SourceId> = it.missing.iter().map(|id| id.as_str().into()).collect();
    let hidden = it.exclude_tools.join(", ");
    let hidden = if hidden.is_empty() { hidden } else { format!("Hides {hidden} from its agent") };
    let lines = [
        (error.map(|problem| problem.message.clone()).unwrap_or_default(), ThemeRole::Error),
        (list("Missing", &missing), ThemeRole::Warning),
        (price(it), ThemeRole::Strong),
        (list("Picks", &it.picks), ThemeRole::Text),
        (list("Pulls in", &it.transitive), ThemeRole::Transitive),
        (list("Auto", &it.auto), ThemeRole::Infra),
        (hidden, ThemeRole::Infra),
        (it.shown.clone(), ThemeRole::Catalog),
    ];
    lines.into_iter().filter(|(text, _)| !text.is_empty()).collect()
}
