//! Everything the screen remembers: the newest snapshot, what was computed from it once, and where the person is in it.
//! `update` changes it, `draw` reads it; it holds no handle to anything outside.

use std::sync::Arc;

use ratatui::layout::{Rect, Size};

use crate::desk::{Document, Outlook};
use crate::engine::Snapshot;
use crate::enrich::Findings;
use crate::render::RenderError;
use crate::template::TemplateIndex;

use super::feed::Feed;
use super::field::TextField;
use super::filter::{Haystack, Kept, Order};
use super::glyphs::Glyphs;
use super::layout::{self, Layout, Parts, Splits, Zoomed};
use super::motion::{Cursor, Scroll};
use super::pane::Pane;
use super::search::Search;
use super::theme::Theme;
use super::totals::Totals;
use super::tree::Row;
use super::widgets::page::Page;
use super::widgets::prompt;

/// How everything is drawn: colours and characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skin {
    /// Styles by role.
    pub theme: Theme,
    /// Marks, lines, borders.
    pub glyphs: Glyphs,
}

/// Everything the screen remembers.
#[derive(Debug, Clone)]
pub struct State {
    /// The newest state of the desk.
    pub snapshot: Snapshot,
    /// Counted from it.
    pub totals: Totals,
    /// Of the terminal.
    pub size: Size,
    /// Colours and characters.
    pub skin: Skin,
    /// The pane that keys go to.
    pub focus: Pane,
    /// Whether it has the whole screen.
    pub zoomed: Zoomed,
    /// Where in it keys go.
    pub part: Part,
    /// The text field that keys go to, if one is open.
    pub typing: Option<Typing>,
    /// What covers the panes.
    pub overlay: Option<Overlay>,
    /// What there is to say, until the next key.
    pub message: Option<Message>,
    /// What was typed into the palette.
    pub palette: TextField,
    /// What the borders leave to each pane.
    pub splits: Splits,
    /// What happened at the desk.
    pub feed: Feed,
    /// What would follow from choosing the source under the cursor.
    pub outlook: Asked<Outlook>,
    /// The catalog pane.
    pub catalog: CatalogPane,
    /// The selection pane.
    pub selection: SelectionPane,
    /// The hints pane.
    pub hints: HintsPane,
    /// The templates pane.
    pub templates: TemplatesPane,
}

/// Where in a pane keys go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The list.
    List,
    /// What stands below or beside it: details, the feed, a preview.
    Detail,
    /// The variables of a template.
    Values,
}

/// An open text field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Typing {
    /// The catalog's filter line.
    Filter,
    /// The prompt of the hints pane.
    Prompt,
    /// What to look for in the details.
    Search,
    /// The filter line of the feed.
    FeedFilter,
    /// The value of a variable.
    Value,
    /// What to do, in the palette.
    Palette,
}

/// A window over the panes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlay {
    /// The keys of the pane below.
    Help(Scroll),
    /// What is wrong with the workspace.
    Problems(Cursor),
    /// Actions by name.
    Palette(Cursor),
    /// Whether to take every pick back.
    Clear,
}

/// Something to say in the bottom line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// One sentence or two.
    pub text: String,
    /// How to show it.
    pub tone: Tone,
}

/// What kind of message it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tone {
    /// Something happened.
    Note,
    /// Something was not done.
    Refusal,
}

/// What the catalog pane remembers.
#[derive(Debug, Clone, Default)]
pub struct CatalogPane {
    /// The row under the cursor, counted in `rows`.
    pub cursor: Cursor,
    /// The filter as typed.
    pub filter: TextField,
    /// Positions in the catalog of the rows that the filter keeps, in the order shown.
    pub rows: Vec<usize>,
    /// The filter as understood, and what a longer one starts from.
    pub kept: Kept,
    /// Built when first something is filtered.
    pub haystack: Option<Arc<Haystack>>,
    /// What the rows are sorted by.
    pub order: Order,
    /// All positions in that order; `None` in the catalog's own.
    pub sequence: Option<Vec<usize>>,
    /// Of the details.
    pub scroll: Scroll,
    /// What there is to read of the source under the cursor.
    pub document: Asked<Document>,
    /// The same as a page.
    pub page: Page,
    /// The width that the page was made for; `None` where it is to be made anew.
    pub paged: Option<u16>,
    /// What is looked for in details and document.
    pub search: Search,
}

/// What the selection pane remembers.
#[derive(Debug, Clone, Default)]
pub struct SelectionPane {
    /// The row under the cursor.
    pub cursor: Cursor,
    /// Members as a tree of reasons, then the rest.
    pub rows: Vec<Row>,
    /// Columns that tree lines, mark and id take in the widest row.
    pub widest: usize,
    /// Of the details.
    pub scroll: Scroll,
}

/// A question to the engine that is asked anew whenever its subject changes, and the newest answer.
#[derive(Debug, Clone)]
pub struct Asked<T> {
    /// Of the newest question.
    pub generation: u64,
    /// What it was about, and the generation of the snapshot then.
    pub about: Option<(String, u64)>,
    /// The newest answer.
    pub answer: Option<T>,
}

impl<T> Default for Asked<T> {
    fn default() -> Self {
        Self { generation: 0, about: None, answer: None }
    }
}

impl<T> Asked<T> {
    /// Takes note of what one wants to know, and gives the number of the question where it has to be asked.
    pub fn ask(&mut self, about: Option<(&str, u64)>) -> Option<u64> {
        let about = about.map(|(id, at)| (id.to_owned(), at));
        if self.about == about {
            return None;
        }
        let same = self.about.as_ref().map(|(id, _)| id) == about.as_ref().map(|(id, _)| id);
        if !same {
            self.answer = None;
        }
        self.about = about;
        self.generation += 1;
        self.about.is_some().then_some(self.generation)
    }

    /// Takes the answer to the newest question; older ones are dropped.
    pub fn take(&mut self, generation: u64, answer: T) {
        if generation == self.generation {
            self.answer = Some(answer);
        }
    }
}

/// What the hints pane remembers.
#[derive(Debug, Clone, Default)]
pub struct HintsPane {
    /// The prompt as typed.
    pub prompt: TextField,
    /// Of the newest question.
    pub generation: u64,
    /// The newest answer, its ranges carried along while the prompt changes.
    pub findings: Findings,
    /// The question that it answers.
    pub answered: u64,
    /// The newest question that was asked because the desk changed, and not the prompt.
    pub refreshed: u64,
    /// The row under the cursor: expansions first, then hints.
    pub cursor: Cursor,
}

/// What the templates pane remembers.
#[derive(Debug, Clone, Default)]
pub struct TemplatesPane {
    /// The row under the cursor.
    pub cursor: Cursor,
    /// Of the newest question.
    pub generation: u64,
    /// What it was about.
    pub asked: Option<(String, Arc<TemplateIndex>)>,
    /// The newest answer.
    pub preview: Option<Preview>,
    /// Of the preview.
    pub scroll: Scroll,
}

/// A rendered template, or why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Preview {
    /// Name in the index.
    pub template: String,
    /// Its lines.
    pub outcome: Result<Vec<String>, RenderError>,
    /// What somebody should look at.
    pub warnings: Vec<String>,
}

impl State {
    /// A screen of this size before the desk said anything.
    pub fn new(size: Size, skin: Skin) -> Self {
        Self {
            snapshot: Snapshot::default(),
            totals: Totals::default(),
            size,
            skin,
            focus: Pane::Catalog,
            zoomed: Zoomed::No,
            part: Part::List,
            typing: None,
            overlay: None,
            message: None,
            palette: TextField::default(),
            splits: Splits::default(),
            feed: Feed::default(),
            outlook: Asked::default(),
            catalog: CatalogPane::default(),
            selection: SelectionPane::default(),
            hints: HintsPane::default(),
            templates: TemplatesPane::default(),
        }
    }

    /// Goes to a pane, with its list first.
    pub fn focus_on(&mut self, pane: Pane) {
        self.focus = pane;
        self.part = Part::List;
    }

    /// The places of the frame.
    pub fn layout(&self) -> Layout {
        layout::layout(self.size, self.focus, self.zoomed)
    }

    /// The places within this pane, where it is shown.
    pub fn parts(&self, pane: Pane) -> Option<Parts> {
        let outer = self.layout().panes.get(pane.index()).copied().flatten()?;
        Some(self.parts_within(pane, layout::inner(outer)))
    }

    /// The places within this pane, whose inside is `inner`.
    pub fn parts_within(&self, pane: Pane, inner: Rect) -> Parts {
        let wanted = match pane {
            Pane::Hints => prompt::height(self.hints.prompt.text(), inner.width.saturating_sub(2)),
            _ => self.len(pane),
        };
        let parts = layout::parts(pane, inner, wanted);
        // Whoever reads a detail needs its whole lines more than what stands left of it.
        match (self.part, pane) {
            (Part::Detail, Pane::Catalog) if self.focus == pane => parts.with_tall_detail(),
            (Part::Detail, _) if self.focus == pane => parts.with_wide_detail(),
            _ => parts,
        }
    }

    /// How many rows the list of this pane has.
    pub fn len(&self, pane: Pane) -> usize {
        match pane {
            Pane::Catalog => self.catalog.rows.len(),
            Pane::Selection => self.selection.rows.len(),
            Pane::Hints => self.hints.findings.expansions.len() + self.hints.findings.hints.len(),
            Pane::Templates => self.snapshot.templates.templates.len(),
        }
    }

    /// The list cursor of this pane.
    pub fn cursor_mut(&mut self, pane: Pane) -> &mut Cursor {
        match pane {
            Pane::Catalog => &mut self.catalog.cursor,
            Pane::Selection => &mut self.selection.cursor,
            Pane::Hints => &mut self.hints.cursor,
            Pane::Templates => &mut self.templates.cursor,
        }
    }

    /// The source under the cursor of this pane, by id.
    pub fn subject(&self, pane: Pane) -> Option<&str> {
        match pane {
            Pane::Catalog => {
                let position = self.catalog.rows.get(self.catalog.cursor.at)?;
                self.snapshot.catalog.sources().get(*position).map(|source| source.id.as_str())
            }
            Pane::Selection => self.selection.rows.get(self.selection.cursor.at)?.id(&self.snapshot),
            Pane::Hints => {
                let Findings { expansions, hints } = &self.hints.findings;
                let at = self.hints.cursor.at;
                match expansions.get(at) {
                    Some(expansion) => Some(expansion.id.as_str()),
                    None => hints.get(at.checked_sub(expansions.len())?).map(|hint| hint.id.as_str()),
                }
            }
            Pane::Templates => None,
        }
    }

    /// Whether the focused pane shows less than there is, and can show all again.
    pub fn is_filtered(&self) -> bool {
        self.focus == Pane::Catalog && !self.catalog.filter.is_empty()
    }

    /// Whether places found are marked in the text that is read.
    pub fn is_searched(&self) -> bool {
        self.focus == Pane::Catalog && self.part == Part::Detail && self.catalog.search.is_on()
    }

    /// The template under the cursor.
    pub fn template(&self) -> Option<&crate::template::Template> {
        self.snapshot.templates.templates.get(self.templates.cursor.at)
    }

    /// Whether the desk has said anything yet.
    pub fn is_open(&self) -> bool {
        self.snapshot.generation > 0 || !self.snapshot.workspace.is_empty()
    }
}
