//! The templates pane: the list and its filter, the form and its values, the preview, and the write.

pub mod disabled;
pub mod filtered_templates;
pub mod form;
pub mod form_update;
pub mod json;
pub mod list;
pub mod preview;
pub mod preview_update;

pub use crate::common::values;

use std::collections::HashMap;
use std::sync::Arc;

use crate::tui::filter::{FilterResult, Haystack};
use crate::tui::highlight::HighlightedText;
use crate::tui::templates::values::{FormRow, TypedValues};
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::{Cursor, Scroll};
use refdesk_desk::RenderFailure;
use refdesk_files::output::Proposal;
use refdesk_templates::{Template, TemplateIndex};
use refdesk_text::Error;

use crate::tui::state::State;

#[derive(Debug, Clone, Default)]
pub struct TemplatesPane {
    /// The row under the cursor, as an index into `rows`.
    pub cursor: Cursor,
    pub filter: TextField,
    /// Indices of the rows that match the filter, in display order.
    pub rows: Vec<usize>,
    /// The parsed filter and its rows. A longer filter searches only these.
    pub filtered: FilterResult,
    /// Built when the first filter is typed.
    pub haystack: Option<Arc<Haystack>>,
    /// Typed values by template name. Values with secret names are never saved.
    pub typed: HashMap<String, TypedValues>,
    /// Incremented with every typed value.
    pub revision: u64,
    /// The form of the template under the cursor.
    pub form: Vec<FormRow>,
    /// The width of all its rows with room to type, computed once.
    pub form_columns: u16,
    pub form_key: Option<(String, Arc<TemplateIndex>, u64)>,
    /// The row of the form under the cursor.
    pub variable: Cursor,
    pub value: TextField,
    /// Values being edited in `$EDITOR`, or invalid JSON that it returned.
    pub draft: Option<JsonDraft>,
    pub asked: Option<PreviewRequest>,
    /// Whether an answer is pending.
    pub is_waiting: bool,
    pub preview: Option<Preview>,
    pub view: PreviewMode,
    pub scroll: Scroll,
    /// The horizontal scroll offset of the preview.
    pub across: usize,
    /// The generation of the latest text sent for highlighting.
    pub painting: u64,
    pub painted: Option<Arc<[String]>>,
    /// Typed paths, by template name.
    pub paths: HashMap<String, String>,
    /// The path in the write window.
    pub path: TextField,
    pub writing: WriteState,
}

#[derive(Debug, Clone)]
pub struct PreviewRequest {
    pub template: String,
    pub index: Arc<TemplateIndex>,
    pub revision: u64,
    pub path: Option<String>,
}

impl PreviewRequest {
    pub fn is(&self, other: &Self) -> bool {
        self.template == other.template
            && Arc::ptr_eq(&self.index, &other.index)
            && (self.revision, &self.path) == (other.revision, &other.path)
    }
}

#[derive(Debug, Clone, Default)]
pub struct Preview {
    pub template: String,
    /// The last rendered text; kept while the current values do not render.
    pub rendered: Option<RenderedText>,
    /// Why the template does not render now.
    pub failed: Option<RenderFailure>,
}

#[derive(Debug, Clone)]
pub struct RenderedText {
    pub text: HighlightedText,
    /// Cleaned for display.
    pub warnings: Vec<String>,
    /// Its length in bytes.
    pub bytes: usize,
    /// The output path that the template suggests.
    pub offered: Option<String>,
    /// What writing it would change; `None` without a path.
    pub proposal: Option<Result<Box<Proposal>, Error>>,
    /// Whether the text or its path contains a sample value.
    pub holds_samples: bool,
    /// Whether the file already contains this text.
    pub is_unchanged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PreviewMode {
    #[default]
    Text,
    /// The changes on disk.
    Difference,
    /// The template itself, with the error at its line.
    Template,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteState {
    /// No write was requested.
    #[default]
    Nothing,
    Asked,
    /// The file changed after the preview; the diff is updated.
    Changed,
}

/// Values as JSON, edited outside the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonDraft {
    pub template: String,
    /// The text; `None` while `$EDITOR` is open.
    pub text: Option<String>,
    pub error: Option<String>,
    /// The line of the error, from 1.
    pub line: usize,
}

impl State {
    pub fn template(&self) -> Option<&Template> {
        self.snapshot.templates.templates.get(*self.templates.rows.get(self.templates.cursor.at)?)
    }

    /// The values typed for the template under the cursor.
    pub fn typed(&self) -> Option<&TypedValues> {
        self.templates.typed.get(&self.template()?.name)
    }

    /// The preview of the template under the cursor, if it has arrived.
    pub fn preview(&self) -> Option<&Preview> {
        let name = &self.template()?.name;
        self.templates.preview.as_ref().filter(|preview| preview.template == *name)
    }

    /// The view that can be shown: no diff without a rendered text, and no error view if it renders.
    pub fn view(&self) -> PreviewMode {
        let Some(preview) = self.preview() else { return PreviewMode::Text };
        match (self.templates.view, &preview.failed, &preview.rendered) {
            (_, Some(_), None) | (PreviewMode::Template, Some(_), _) => PreviewMode::Template,
            (PreviewMode::Difference, None, Some(made)) if made.proposal.is_some() => PreviewMode::Difference,
            _ => PreviewMode::Text,
        }
    }
}
