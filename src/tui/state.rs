//! The state of the screen: the latest snapshot, what is derived from it, and the user's position. Each
//! feature keeps its own part in its folder.

use std::collections::BTreeMap;
use std::sync::Arc;

use ratatui::layout::{Rect, Size};

use refdesk_core::catalog::SourceId;
use refdesk_core::config::screen::{Borders, DividerShares, SavedScreen};
use refdesk_core::config::screen_files::ScreenFiles;
use refdesk_desk::engine::Snapshot;
use refdesk_desk::{BulkPreview, LargePick, SelectionPreview};
use refdesk_text::report::Diagnostic;

use crate::tui::action::{Action, KeyContext, Keymap};
use crate::tui::agents::AgentsView;
use crate::tui::catalog::CatalogPane;
use crate::tui::catalog::columns::ListWidths;
use crate::tui::catalog::reading;
use crate::tui::consequence::AwaitedChange;
use crate::tui::counts::Counts;
use crate::tui::databases::DatabasesView;
use crate::tui::feed::Feed;
use crate::tui::filtering::FilteredList;
use crate::tui::glyphs::Glyphs;
use crate::tui::graph::GraphView;
use crate::tui::graph::export::LaunchOptions;
use crate::tui::hints::rows;
pub use crate::tui::hints::state::{HintsPane, HintsView};
use crate::tui::input;
use crate::tui::key::Key;
use crate::tui::layout;
use crate::tui::layout::dividers;
use crate::tui::layout::dividers::Divider;
use crate::tui::layout::{
    Arrangement, Focused, HintsFocus, HintsNeeds, PaneLayout, PaneNeeds, ScreenLayout, Splits, TemplatesNeeds,
};
use crate::tui::messages::Messages;
use crate::tui::pane::Pane;
use crate::tui::places::{self, Place, PlaceHistory};
pub use crate::tui::questions::{Lookup, Questions};
pub use crate::tui::requests::{EndedRequest, RequestNews, RequestPlacement, RequestsPane};
pub use crate::tui::selection::SelectionPane;
use crate::tui::session::PendingCursors;
pub use crate::tui::templates::{
    JsonDraft, Preview, PreviewMode, PreviewRequest, RenderedText, TemplatesPane, WriteState,
};
use crate::tui::theme::Theme;
use crate::tui::theme_choice::ThemeChoice;
use crate::tui::tour::{self, Tour};
use crate::tui::views::View;
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;
use crate::tui::widgets::prompt;
use crate::tui::windows::add_source::AddSourceInput;
use crate::tui::windows::budget::BudgetWindow;
use crate::tui::windows::discovery::CatalogDraft;
use crate::tui::windows::profiles::ProfilesWindow;
use crate::tui::windows::saved_filter::FilterQuestion;
use crate::tui::windows::trust::TrustStep;
use crate::tui::windows::{JumpWindow, OpenWindow, ReceiptWindow};
use crate::tui::{hints, requests, selection};

/// Colours and characters for drawing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skin {
    pub theme: Theme,
    pub glyphs: Glyphs,
}

#[derive(Debug, Clone, Default)]
pub struct State {
    /// The latest state of the desk.
    pub snapshot: Snapshot,
    pub counts: Counts,
    pub size: Size,
    pub skin: Skin,
    /// The panes, or the view that replaces them.
    pub view: View,
    /// The focused pane; without effect while a view is shown.
    pub focus: Pane,
    /// Which panes are shown beside the focused one.
    pub arrangement: Arrangement,
    /// The arrangement that another `zoom` restores.
    pub before_zoom: Arrangement,
    /// The arrangement before a key zoomed into one pane or the feed, to restore when another pane is focused.
    pub arrangement_before: Option<Arrangement>,
    /// The place and arrangement before a key zoomed into one pane or the feed, to return to until another
    /// pane is focused.
    pub zoomed_from: Option<(Place, Arrangement)>,
    /// The part of the pane that receives keys.
    pub part: PanePart,
    /// The text field that receives keys, if one is open.
    pub typing: Option<Typing>,
    /// Why the field that was open no longer exists. What is still being typed into it must not count as commands, so
    /// keys have no effect until one ends the typing.
    pub lost_field: Option<String>,
    /// The row under the cursor, by id or name, when a filter was opened, to return to if the filter matches nothing.
    pub before_filter: Option<(FilteredList, String)>,
    pub window: Option<OpenWindow>,
    /// The window to return to when the open one is closed.
    pub covered: Vec<OpenWindow>,
    pub keymap: Keymap,
    pub theme_choice: ThemeChoice,
    pub own_files: Arc<ScreenFiles>,
    pub own_problems: Vec<Diagnostic>,
    /// The keys of a chord pressed so far.
    pub chord: Vec<Key>,
    /// Shown until the next key.
    pub message: Option<Message>,
    /// Recent messages, and unread errors.
    pub messages: Messages,
    /// A change of picks and exclusions whose consequence is not known yet.
    pub awaited_change: Option<AwaitedChange>,
    pub trust: TrustStep,
    /// The minimum line for the editor, once the engine has located the file.
    pub opening: Option<usize>,
    pub jump: JumpWindow,
    /// The filter of the help window.
    pub help: TextField,
    /// The sizes of the panes.
    pub splits: Splits,
    /// The sizes of the parts within panes.
    pub rules: DividerShares,
    /// The border or divider that the mouse holds.
    pub dragged: Option<Dragged>,
    /// The row last clicked, until the user does anything else.
    pub clicked: Option<ClickedRow>,
    pub mouse: Mouse,
    /// The settings saved by the last screen; [`State::remember`] creates those for the next one.
    pub remembered: SavedScreen,
    pub launched: LaunchOptions,
    /// The token limit that the user set for this workspace.
    pub token_limit: Option<u64>,
    pub feed: Feed,
    pub receipt: ReceiptWindow,
    /// The profiles that were requested.
    pub profiles: ProfilesWindow,
    /// The catalog proposed by a scan.
    pub draft: CatalogDraft,
    /// The typed path of a source to add, and its problem.
    pub new_source: AddSourceInput,
    /// Whether the welcome window was already considered for this workspace.
    pub was_welcomed: bool,
    /// What picking or excluding the source under the cursor would change.
    pub choice_preview: Lookup<SelectionPreview>,
    /// The same for the rows under the cursors of panes that have lost the focus, each with the generation of its snapshot.
    pub left_previews: Vec<(u64, SelectionPreview)>,
    pub questions: Questions,
    pub budget: BudgetWindow,
    /// Whether the window that the last key asked for opens when its answer arrives. Not after another key: the user
    /// is doing something else, and what they type would count as choices in that window.
    pub awaits_window: bool,
    /// The large pick that awaits confirmation.
    pub large_pick: Option<Box<LargePick>>,
    /// The actions available for all sources that a list shows.
    pub bulk: Option<Box<BulkPreview>>,
    /// Whether the figures of one of these are being recomputed, because the workspace changed.
    pub is_recounting: bool,
    pub places: PlaceHistory,
    /// The saved filters of the catalog, by name.
    pub named_filters: BTreeMap<String, String>,
    /// The pending question before a saved filter is replaced or removed.
    pub filter_question: FilterQuestion,
    /// The name typed for the catalog's filter.
    pub filter_name: TextField,
    /// The saved state that could not be restored yet.
    pub pending: PendingCursors,
    /// The tour, while it runs.
    pub tour: Option<Tour>,
    pub graph: GraphView,
    pub agents: AgentsView,
    pub databases: DatabasesView,
    pub catalog: CatalogPane,
    pub selection: SelectionPane,
    /// The requests, which replace the selection.
    pub requests: RequestsPane,
    pub hints: HintsPane,
    pub templates: TemplatesPane,
}

/// The part of a pane that receives keys.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PanePart {
    #[default]
    List,
    /// Details, the feed, or a preview.
    Detail,
    Values,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    Filter(FilteredList),
    Prompt,
    /// The search text in the details.
    Search,
    Value,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dragged {
    /// A border between panes: the offset of the grabbed cell from the border, in each direction in which it moves.
    Border {
        /// Columns from the grabbed cell to the first column of the right panes.
        columns: Option<u16>,
        /// Rows from the grabbed cell to the first row of the lower panes.
        rows: Option<u16>,
    },
    Divider(Pane, Divider),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mouse {
    /// Receives clicks and the wheel.
    #[default]
    Ours,
    /// Left to the terminal, to select text.
    Terminals,
}

/// A message for the bottom line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub text: String,
    pub tone: MessageKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageKind {
    Note,
    /// The effect of a key and its consequences; notices about the same change do not replace it.
    Done,
    /// Why a key has no effect, or what no longer needs an answer.
    Explanation,
    /// What was refused, and why.
    Refusal,
    /// A key without a binding here.
    Unbound,
    /// A failure; it stays until it is read.
    Error,
    /// An error in a file of the workspace; it stays until it is read or no errors remain.
    Problem,
}

/// A row of a pane's list: its position, and the source on it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClickedRow {
    pub pane: Pane,
    pub row: usize,
    pub subject: Option<String>,
}

impl State {
    /// A screen of this size before the desk's first snapshot.
    pub fn new(size: Size, skin: Skin) -> Self {
        let theme_choice = ThemeChoice::new(skin.theme.colours());
        Self { size, skin, theme_choice, ..Self::default() }
    }

    /// The key of an action in the panes, for use in a sentence.
    pub fn key(&self, action: Action) -> String {
        self.keymap.named(action, &input::below(self))
    }

    /// The key of an action in this context, for use in a sentence.
    pub fn key_in(&self, context: KeyContext, action: Action) -> String {
        self.keymap.named(action, &[context])
    }

    /// Focuses a pane and its list.
    pub fn focus_on(&mut self, pane: Pane) {
        if self.focus != pane || self.view != View::Panes {
            places::leave(self);
        }
        if pane == Pane::Selection && self.focus == Pane::Catalog {
            selection::update::follow_catalog(self);
        }
        self.show(View::Panes);
        self.zoomed_from = None;
        self.catalog.reading.opened_from = None;
        if let Some(before) = self.arrangement_before.take() {
            self.arrangement = before;
        }
        self.focus = pane;
        self.part = PanePart::List;
    }

    pub fn layout(&self) -> ScreenLayout {
        let focus = match self.focus {
            _ if self.reads() => Focused::Reader,
            _ if self.feed_fills() => Focused::Feed,
            pane => Focused::Pane(pane),
        };
        let selection = match self.shown_request() {
            Some(_) => layout::REQUEST,
            None => selection::columns(self),
        };
        let named = if self.shown_request().is_some() { 0 } else { selection::named_columns(self) };
        let list = ListWidths { selection, named, lower: self.lower_rows(), ..ListWidths::of(&self.counts) };
        layout::layout(tour::rest(self), focus, self.arrangement, self.splits, list)
    }

    /// The height that the lower panes of a grid fill while another pane is focused.
    fn lower_rows(&self) -> u16 {
        if matches!(self.focus, Pane::Hints | Pane::Templates) {
            return 0;
        }
        let hints = layout::hints_rows(if self.shows_enriched() { usize::MAX } else { self.len(Pane::Hints) });
        hints.max(layout::templates_rows(self.templates.rows.len()))
    }

    /// Whether the document of the source under the catalog's cursor is focused.
    pub fn reads(&self) -> bool {
        self.focus == Pane::Catalog && self.part == PanePart::Detail
    }

    /// The settings to save for the next screen.
    pub fn remember(&self) -> SavedScreen {
        SavedScreen {
            rules: self.rules,
            borders: (self.splits != Splits::default()).then(|| Borders::from(self.splits)),
            ..self.remembered.clone()
        }
    }

    /// The layout within this pane, if it is shown.
    pub fn parts(&self, pane: Pane) -> Option<PaneLayout> {
        let layout = self.layout();
        let outer = layout.panes.get(pane.index()).copied().flatten();
        if pane != Pane::Catalog || layout.reader.is_none() {
            let has_details = pane != Pane::Catalog || layout.columns() == 1 && self.arrangement != Arrangement::Zoomed;
            let has_details = has_details || self.arrangement.is_grid(tour::rest(self));
            let inner = layout::inner(outer?);
            return Some(if has_details { self.parts_within(pane, inner) } else { layout::list_only(inner) });
        }
        let list = outer.map(|outer| layout::list_only(layout::inner(outer))).unwrap_or_default();
        Some(PaneLayout { detail: layout.reader.map(layout::inner).unwrap_or_default(), ..list })
    }

    /// The layout of this pane's parts within `inner`.
    pub fn parts_within(&self, pane: Pane, inner: Rect) -> PaneLayout {
        let shares = dividers::of(&self.rules, pane);
        let parts = match pane {
            Pane::Selection if let Some(waiting) = self.shown_request() => requests::view::parts(self, waiting, inner),
            Pane::Hints => layout::hints(inner, self.hints_needs(inner), shares),
            Pane::Templates => layout::templates(inner, self.templates_want(), shares),
            _ => layout::parts(pane, inner, self.pane_needs(pane), shares),
        };
        if self.focus != pane {
            return parts;
        }
        // Details need whole lines while they are being read. Dragged dividers stay.
        let parts = match (self.part, pane) {
            (PanePart::Detail, Pane::Catalog) | (PanePart::Detail | PanePart::Values, Pane::Templates)
                if shares.upper.is_none() =>
            {
                parts.with_short_list()
            }
            _ => parts,
        };
        match (self.part, pane) {
            (PanePart::Detail, Pane::Templates) => parts.with_wide_detail(),
            _ => parts,
        }
    }

    fn pane_needs(&self, pane: Pane) -> PaneNeeds {
        let filters = self.is_filtering(FilteredList::Selection) || !self.selection.filter.is_empty();
        // The list keeps its size while a filter is typed.
        let rows = if pane == Pane::Selection { self.selection.all.len() } else { self.len(pane) };
        PaneNeeds { rows, head: u16::from(filters), list: ListWidths::of(&self.counts) }
    }

    fn templates_want(&self) -> TemplatesNeeds {
        let filters = self.is_filtering(FilteredList::Templates) || !self.templates.filter.is_empty();
        let columns = crate::tui::templates::list::columns(&self.counts);
        let (list, form) = (self.templates.rows.len(), self.templates.form_columns);
        TemplatesNeeds { head: u16::from(filters), list, columns, form }
    }

    fn hints_needs(&self, inner: Rect) -> HintsNeeds {
        let busy = match (self.focus == Pane::Hints, self.typing) {
            (false, _) => HintsFocus::Nothing,
            (true, Some(Typing::Prompt)) => HintsFocus::Prompt,
            // A text being read needs the rows.
            (true, _) if self.shows_enriched() && !self.in_feed() => HintsFocus::Prompt,
            (true, _) if self.is_feed_alone() => HintsFocus::FeedAlone,
            (true, _) if self.in_feed() => HintsFocus::Feed,
            (true, _) => HintsFocus::List,
        };
        // Beside other panes, an empty feed explains its purpose.
        let feed = match self.feed.notices.len() {
            0 if self.arrangement.is_grid(tour::rest(self)) => usize::MAX,
            notices => notices,
        };
        let matches = if self.shows_enriched() { usize::MAX } else { self.len(Pane::Hints) };
        let columns = ListWidths::of(&self.counts).hints;
        let needs = HintsNeeds { busy, matches, feed, columns, ..HintsNeeds::default() };
        let columns = layout::hints_width(inner, needs).saturating_sub(2);
        let prompt = prompt::height(self.hints.prompt.text(), columns, usize::from(inner.height));
        HintsNeeds { prompt, aside: hints::aside(self, busy, columns).len(), ..needs }
    }

    pub fn in_feed(&self) -> bool {
        self.focus == Pane::Hints && self.part == PanePart::Detail
    }

    /// Whether the feed takes the full width. A prompt being typed keeps its layout from before.
    fn feed_fills(&self) -> bool {
        self.in_feed() && self.typing != Some(Typing::Prompt)
    }

    /// Whether the hints pane shows only the feed.
    pub fn is_feed_alone(&self) -> bool {
        let is_idle = self.hints.prompt.is_empty() && !self.shows_enriched();
        self.feed_fills() && (self.arrangement == Arrangement::Zoomed || is_idle)
    }

    /// Whether the hints pane shows the enriched prompt instead of its list.
    pub fn shows_enriched(&self) -> bool {
        self.hints.view != HintsView::Matches
    }

    /// The number of rows in this pane's list.
    pub fn len(&self, pane: Pane) -> usize {
        match pane {
            Pane::Catalog => self.catalog.rows.len(),
            Pane::Selection if self.shown_request().is_some() => self.requests.rows.len(),
            Pane::Selection => self.selection.rows.len(),
            Pane::Hints => rows::len(&self.hints.findings),
            Pane::Templates => self.templates.rows.len(),
        }
    }

    /// Whether the document of the source under the cursor is requested but has not arrived.
    pub fn lacks_document(&self) -> bool {
        let document = &self.catalog.document;
        document.about.is_some() && document.answer.is_none() && !reading::has_left_document(self)
    }

    /// Whether what a pick of the source under the cursor would change is requested but has not arrived.
    pub fn lacks_preview(&self) -> bool {
        self.choice_preview.about.is_some() && self.choice_preview.answer.is_none()
    }

    pub fn cursor_mut(&mut self, pane: Pane) -> &mut Cursor {
        match pane {
            Pane::Catalog => &mut self.catalog.cursor,
            Pane::Selection if self.shown_request().is_some() => &mut self.requests.cursor,
            Pane::Selection => &mut self.selection.cursor,
            Pane::Hints => &mut self.hints.cursor,
            Pane::Templates => &mut self.templates.cursor,
        }
    }

    /// The id of the source under this pane's cursor.
    pub fn subject(&self, pane: Pane) -> Option<&str> {
        match pane {
            Pane::Catalog => {
                let position = self.catalog.rows.get(self.catalog.cursor.at)?;
                self.snapshot.catalog.sources().get(*position).map(|source| source.id.as_str())
            }
            Pane::Selection => match self.shown_request() {
                None => self.selected(),
                Some(waiting) => {
                    let row = *self.requests.rows.get(self.requests.cursor.at)?;
                    waiting.request.sources.get(row).map(|offered| offered.id.as_str())
                }
            },
            // A notice about several sources has no subject: an action must not silently apply to the first of them.
            Pane::Hints if self.in_feed() => {
                let notice = self.feed.current().filter(|notice| !notice.several)?;
                notice.subject.as_ref().map(SourceId::as_str)
            }
            Pane::Hints if self.shows_enriched() => None,
            Pane::Hints => rows::rows(&self.hints.findings).nth(self.hints.cursor.at).map(|row| row.id().as_str()),
            Pane::Templates => None,
        }
    }

    /// The source under the selection's cursor, even while a request is shown.
    pub fn selected(&self) -> Option<&str> {
        self.selection.rows.get(self.selection.cursor.at)?.id(&self.snapshot)
    }

    /// Whether the focused pane is filtered, or the view that replaces the panes.
    pub fn is_filtered(&self) -> bool {
        match self.focus {
            Pane::Catalog => !self.catalog.filter.is_empty(),
            Pane::Hints => self.shows_enriched() || !self.feed.filter.is_empty(),
            Pane::Templates => !self.templates.filter.is_empty(),
            Pane::Selection if self.shown_request().is_some() => !self.requests.filter.is_empty(),
            Pane::Selection => !self.selection.filter.is_empty(),
        }
    }

    /// Whether the details show matches of a search.
    pub fn is_searched(&self) -> bool {
        self.focus == Pane::Catalog && self.part == PanePart::Detail && self.catalog.search.is_on()
    }

    pub fn is_open(&self) -> bool {
        self.snapshot.generation > 0 || !self.snapshot.workspace.is_empty()
    }
}
