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
    /// The row under the cursor, counted in `rows`.
    pub cursor: Cursor,
    pub filter: TextField,
    /// Index positions of the rows that match the filter, in display order.
    pub rows: Vec<usize>,
    /// The parsed filter and its rows, from which a longer filter starts.
    pub filtered: FilterResult,
    /// Built with the first filter.
    pub haystack: Option<Arc<Haystack>>,
    /// Typed values, by the name of the template. Those with a secret name are in memory only.
    pub typed: HashMap<String, TypedValues>,
    /// Increases with every value typed.
    pub revision: u64,
    /// The form of the template under the cursor.
    pub form: Vec<FormRow>,
    /// The columns of all its rows with room to type, counted once.
    pub form_columns: u16,
    pub formed: Option<(String, Arc<TemplateIndex>, u64)>,
    /// The row of the form under the cursor.
    pub variable: Cursor,
    pub value: TextField,
    /// Values being edited in `$EDITOR`, or returned as invalid JSON.
    pub draft: Option<JsonDraft>,
    pub asked: Option<PreviewRequest>,
    /// Whether an answer is pending.
    pub is_waiting: bool,
    pub preview: Option<Preview>,
    pub view: PreviewMode,
    pub scroll: Scroll,
    /// The first visible column of the view.
    pub across: usize,
    /// The generation of the newest text sent for highlighting.
    pub painting: u64,
    pub painted: Option<Arc<[String]>>,
    /// Paths typed, by the name of the template.
    pub paths: HashMap<String, String>,
    /// The path in the write dialog.
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
    /// The last rendered text; stays while the current values do not render.
    pub rendered: Option<RenderedText>,
    /// Why it does not render now.
    pub failed: Option<RenderFailure>,
}

#[derive(Debug, Clone)]
pub struct RenderedText {
    pub text: HighlightedText,
    /// Clean.
    pub warnings: Vec<String>,
    /// Its length in bytes.
    pub bytes: usize,
    /// The output path that the template names.
    pub offered: Option<String>,
    /// What writing it would change; `None` without a path.
    pub proposal: Option<Result<Box<Proposal>, Error>>,
    /// Whether the text or its path shows a sample.
    pub holds_samples: bool,
    /// Whether the file already has this text.
    pub is_unchanged: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PreviewMode {
    #[default]
    Text,
    /// What it would change on disk.
    Difference,
    /// The template itself, with the error in its place.
    Template,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteState {
    /// No write was requested.
    #[default]
    Nothing,
    Asked,
    /// The file has changed since; the difference is updated.
    Changed,
}

/// Values as JSON, outside the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonDraft {
    pub template: String,
    /// The text; `None` while `$EDITOR` has it.
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

    /// The view that can be shown: there is no difference without a rendered text, and no error with one.
    pub fn view(&self) -> PreviewMode {
        let Some(preview) = self.preview() else { return PreviewMode::Text };
        match (self.templates.view, &preview.failed, &preview.rendered) {
            (_, Some(_), None) | (PreviewMode::Template, Some(_), _) => PreviewMode::Template,
            (PreviewMode::Difference, None, Some(made)) if made.proposal.is_some() => PreviewMode::Difference,
            _ => PreviewMode::Text,
        }
    }
}
