//! A run that documents databases, as seen by the screen: the engine prepares it, the user reviews it, and
//! the engine writes the pages. A run can be paused and continued.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use refdesk_desk::engine::{DatabaseRunProgress, PreparedRun, Request};
use refdesk_desk::{DocumentReport, DocumentationPreview, PageDifference};
use refdesk_text::{Code, Error};

use crate::common::databases::{domain, headline, outcome};
use crate::tui::action::{Action, KeyContext};
use crate::tui::fix;
use crate::tui::input::Effect;
use crate::tui::state::{Message, MessageKind, State};
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::windows::WindowKind;

/// The maximum number of paths listed, of new pages and of files to remove.
const MAX_LISTED: usize = 200;
const BAR: usize = 12;

#[derive(Debug, Clone, Default)]
pub enum RunState {
    #[default]
    Idle,
    /// The databases are being read.
    Preparing,
    /// The planned changes are shown; `text` is wrapped for `columns`.
    Prepared {
        run: Box<PreparedRun>,
        text: WrappedText,
        columns: usize,
    },
    /// The preparation failed.
    Failed(Error),
    Writing {
        progress: Option<DatabaseRunProgress>,
        is_pausing: bool,
    },
}

impl RunState {
    pub fn is_writing(&self) -> bool {
        matches!(self, Self::Writing { .. })
    }

    /// Whether the preparation ended with nothing to write, or failed.
    pub fn has_nothing_to_write(&self) -> bool {
        match self {
            Self::Prepared { run, .. } => run.preview.is_up_to_date,
            Self::Failed(_) => true,
            Self::Idle | Self::Preparing | Self::Writing { .. } => false,
        }
    }

    /// Whether the run stops after the current table.
    pub fn is_pausing(&self) -> bool {
        matches!(self, Self::Writing { is_pausing: true, .. })
    }

    /// The number of pages written so far, and of all pages.
    pub fn progress(&self) -> Option<DatabaseRunProgress> {
        match self {
            Self::Writing { progress, .. } => *progress,
            _ => None,
        }
    }
}

/// Starts reading the databases, and opens the window that shows the planned changes.
pub fn prepare(state: &mut State, effects: &mut Vec<Effect>) {
    let named: Vec<String> = state.databases.subject().map(|subject| subject.database).into_iter().collect();
    state.databases.run = RunState::Preparing;
    state.open(WindowKind::Documentation);
    effects.push(Effect::Ask(Request::PrepareDatabases(named)));
}

/// Stores the planned changes, or the error.
pub fn prepared(state: &mut State, prepared: Result<Box<PreparedRun>, Error>) {
    // The user may have closed the window.
    if !matches!(state.databases.run, RunState::Preparing) {
        return;
    }
    state.databases.run = match prepared {
        Ok(run) => RunState::Prepared { run, text: WrappedText::EMPTY, columns: 0 },
        Err(error) => RunState::Failed(error),
    };
}

pub fn write(state: &mut State, effects: &mut Vec<Effect>) {
    let RunState::Prepared { run, .. } = &state.databases.run else { return };
    let number = run.number;
    state.databases.run = RunState::Writing { progress: None, is_pausing: false };
    state.window = None;
    effects.push(Effect::Ask(Request::WriteDatabases(number)));
}

/// Ends the run: written pages are kept, and a run that was only prepared is discarded.
pub fn pause(state: &mut State, effects: &mut Vec<Effect>) {
    match &mut state.databases.run {
        RunState::Writing { is_pausing, .. } => *is_pausing = true,
        other => *other = RunState::Idle,
    }
    effects.push(Effect::Ask(Request::PauseDatabases));
}

pub fn update_progress(state: &mut State, now: DatabaseRunProgress) {
    if let RunState::Writing { progress, .. } = &mut state.databases.run {
        *progress = Some(now);
        // The list shows the pages written so far.
        super::update::look_again(state);
    }
}

/// The engine refused: it no longer has this run, so it cannot continue.
pub fn refused(state: &mut State, error: &Error) {
    if error.code == Code::NotDocumented && state.databases.run.is_writing() {
        state.databases.run = RunState::Idle;
    }
}

pub fn written(state: &mut State, written: Result<Box<DocumentReport>, Error>) {
    let progress = state.databases.run.progress();
    state.databases.run = RunState::Idle;
    let report = match written {
        Ok(report) => report,
        Err(error) => return state.fail(fix::sentence(state, &error)),
    };
    if let Some(first) = report.failed.first() {
        let more = match report.failed.len() {
            1 => String::new(),
            all => format!(" {} failed in all.", cells::grouped(all)),
        };
        return state.fail(format!("{}{more}", fix::sentence(state, first)));
    }
    let key = state.key_in(KeyContext::Databases, Action::DocumentDatabases);
    let outcome = outcome(&report, progress.map(|progress| progress.pages.of));
    let text = if report.is_ended { format!("{outcome}: {key} continues") } else { outcome };
    state.message = Some(Message { text, tone: MessageKind::Done });
}

pub fn draw(state: &State, place: Rect, buffer: &mut Buffer) {
    if place.is_empty() || !state.databases.run.is_writing() {
        return;
    }
    let theme = &state.skin.theme;
    let room = usize::from(place.width).saturating_sub(2);
    let text = cells::clip(&line(state), room, state.skin.glyphs.ellipsis).into_owned();
    buffer.set_stringn(place.x + 1, place.y, text, room, theme.style(ThemeRole::Hints));
}

fn line(state: &State) -> String {
    let (glyphs, run) = (&state.skin.glyphs, &state.databases.run);
    let Some(DatabaseRunProgress { pages, left, .. }) = run.progress() else { return "Writing pages.".to_owned() };
    let full = (pages.done * BAR).checked_div(pages.of).unwrap_or(0).min(BAR);
    let bar = format!("{}{}", glyphs.full.repeat(full), glyphs.empty.repeat(BAR - full));
    let failed = if pages.failed > 0 { format!(", {} failed", cells::grouped(pages.failed)) } else { String::new() };
    let left = left.map(|left| format!(", about {} left", length(left))).unwrap_or_default();
    let of = cells::grouped(pages.of);
    if run.is_pausing() {
        return format!("Pausing: {} of {of} pages are written{failed}.", cells::grouped(pages.done));
    }
    let then = format!("{} pauses.", state.key_in(KeyContext::Databases, Action::Back));
    format!(
        "{}{bar}{} {} of {of} pages{failed}{left}. {then}",
        glyphs.bar_left,
        glyphs.bar_right,
        cells::grouped(pages.done)
    )
}

/// `40 s`, `3 min`.
fn length(left: Duration) -> String {
    match left.as_secs() {
        seconds @ 0..=89 => format!("{} s", seconds.max(1)),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

/// The window's text for a prepared run.
pub fn text(state: &State, preview: &DocumentationPreview) -> Vec<PageLine> {
    let mut lines = Vec::new();
    let mut say = |text: String, role: ThemeRole| lines.push(PageLine::new(text, role));
    say(cells::clean(&headline(preview)).into_owned(), ThemeRole::Strong);
    if !preview.is_up_to_date {
        say("This uses no language model and costs nothing.".to_owned(), ThemeRole::Infra);
    }
    for error in &preview.failed {
        say(cells::clean(&fix::sentence(state, error)).into_owned(), ThemeRole::Error);
    }
    for change in &preview.plan_changes {
        say(cells::clean(change).into_owned(), ThemeRole::Warning);
    }
    if !preview.domains.is_empty() {
        say(String::new(), ThemeRole::Text);
    }
    for it in &preview.domains {
        say(cells::clean(&domain(it)).into_owned(), ThemeRole::Text);
    }
    for (id, description) in &preview.sources {
        say(cells::clean(&format!("source {id}: {description}")).into_owned(), ThemeRole::Catalog);
    }
    for problem in &preview.problems {
        let message = &problem.message;
        say(cells::clean(message).into_owned(), if problem.is_error() { ThemeRole::Error } else { ThemeRole::Warning });
    }
    let removed = format!("To remove, because what they describe is gone ({}):", preview.removed.len());
    paths(&removed, &preview.removed, ThemeRole::Removed, &mut lines);
    let left_over =
        format!("Edited pages of tables that are gone; delete them yourself ({}):", preview.left_over.len());
    paths(&left_over, &preview.left_over, ThemeRole::Text, &mut lines);
    differences("Edited by hand, and left as they are:", &preview.edited, &mut lines);
    differences("Changed:", &preview.changed, &mut lines);
    paths("New:", &preview.new, ThemeRole::Added, &mut lines);
    lines
}

fn paths(caption: &str, paths: &[String], role: ThemeRole, lines: &mut Vec<PageLine>) {
    if paths.is_empty() {
        return;
    }
    lines.push(PageLine::default());
    lines.push(PageLine::new(caption, ThemeRole::Infra));
    lines.extend(paths.iter().take(MAX_LISTED).map(|path| PageLine::new(cells::clean(path), role).hanging(2)));
    if paths.len() > MAX_LISTED {
        let more = cells::grouped(paths.len() - MAX_LISTED);
        lines.push(PageLine::new(format!("and {more} more"), ThemeRole::Infra));
    }
}

fn differences(caption: &str, pages: &[PageDifference], lines: &mut Vec<PageLine>) {
    if pages.is_empty() {
        return;
    }
    lines.push(PageLine::default());
    lines.push(PageLine::new(caption, ThemeRole::Infra));
    for page in pages {
        match &page.diff {
            None => lines.push(PageLine::new(cells::clean(&page.path), ThemeRole::Text).hanging(2)),
            Some(diff) => {
                for line in &diff.lines {
                    let text = format!("{}{}", line.mark.sign(), line.shown());
                    lines.push(PageLine::new(cells::clean(&text), line.mark.into()).hanging(2));
                }
            }
        }
    }
}
