//! What the templates pane remembers: the list and its filter, the form and its values, what they come to, and where that
//! would be written.

pub mod disabled;
pub mod filtering;
pub mod form;
pub mod form_update;
pub mod json;
pub mod list;
pub mod preview;
pub mod preview_update;
pub mod values;

use std::collections::HashMap;
use std::sync::Arc;

use crate::desk::{Refusal, Unrendered};
use crate::output::Proposal;
use crate::template::{Template, TemplateIndex};
use crate::tui::filter::{FilterResult, Haystack};
use crate::tui::highlight::HighlightedText;
use crate::tui::templates::values::{FormRow, TypedValues};
use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::{Cursor, Scroll};

use crate::tui::state::State;

/// What the templates pane remembers.
#[derive(Debug, Clone, Default)]
pub struct TemplatesPane {
    /// The row under the cursor, counted in `rows`.
    pub cursor: Cursor,
    /// The filter as typed.
    pub filter: TextField,
    /// Positions in the index of the rows that the filter keeps, in the order shown.
    pub rows: Vec<usize>,
    /// The filter as understood, and what a longer one starts from.
    pub filtered: FilterResult,
    /// Built when first something is filtered.
    pub haystack: Option<Arc<Haystack>>,
    /// Values typed, by the name of the template. In memory only: they may hold what nobody wants on a disk.
    pub typed: HashMap<String, TypedValues>,
    /// Grows with every value typed.
    pub revision: u64,
    /// The form of the template under the cursor.
    pub form: Vec<FormRow>,
    /// What it was made from.
    pub formed: Option<(String, Arc<TemplateIndex>, u64)>,
    /// The row of the form under the cursor.
    pub variable: Cursor,
    /// The value being typed.
    pub value: TextField,
    /// Values that `$EDITOR` has, or gave back and that are no JSON.
    pub draft: Option<JsonDraft>,
    /// Of the newest question.
    pub generation: u64,
    /// What it was about.
    pub asked: Option<PreviewRequest>,
    /// The question that was answered last.
    pub answered: u64,
    /// The newest answer.
    pub preview: Option<Preview>,
    /// Which side of it is wanted.
    pub view: PreviewMode,
    /// Of what is shown of it.
    pub scroll: Scroll,
    /// Columns that are left out on the left of it.
    pub across: usize,
    /// Of the newest text that colours were asked for.
    pub painting: u64,
    /// That text.
    pub painted: Option<Arc<[String]>>,
    /// Paths typed, by the name of the template.
    pub paths: HashMap<String, String>,
    /// The path in the write dialog.
    pub path: TextField,
    /// How far the write is that was asked for.
    pub writing: WriteState,
}

/// What a preview was asked of.
#[derive(Debug, Clone)]
pub struct PreviewRequest {
    /// Name in the index.
    pub template: String,
    /// The index.
    pub index: Arc<TemplateIndex>,
    /// The values.
    pub revision: u64,
    /// The path typed for it.
    pub path: Option<String>,
}

impl PreviewRequest {
    /// Whether nothing has changed.
    pub fn is(&self, other: &Self) -> bool {
        self.template == other.template
            && Arc::ptr_eq(&self.index, &other.index)
            && (self.revision, &self.path) == (other.revision, &other.path)
    }
}

/// What a template came to with its values.
#[derive(Debug, Clone, Default)]
pub struct Preview {
    /// Name in the index.
    pub template: String,
    /// What it came to last; stays while it does not render.
    pub rendered: Option<RenderedText>,
    /// Why it does not render now.
    pub failed: Option<Unrendered>,
}

/// A text that was rendered.
#[derive(Debug, Clone)]
pub struct RenderedText {
    /// Its lines.
    pub text: HighlightedText,
    /// What somebody should look at, clean.
    pub warnings: Vec<String>,
    /// Its length in bytes.
    pub bytes: usize,
    /// The path that the template offers for it.
    pub offered: Option<String>,
    /// What writing it would change; `None` where nobody named a path.
    pub proposal: Option<Result<Box<Proposal>, Refusal>>,
    /// Whether the file holds this text already.
    pub is_there: bool,
}

/// A side of a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PreviewMode {
    /// The text.
    #[default]
    Text,
    /// What it would change on disk.
    Difference,
    /// The template itself, with the error in its place.
    Template,
}

/// How far a write is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum WriteState {
    /// None was asked for.
    #[default]
    Nothing,
    /// The engine has been asked.
    Asked,
    /// The file had changed since: the difference is a new one.
    Changed,
}

/// Values as JSON, outside the form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonDraft {
    /// Of this template.
    pub template: String,
    /// The text; `None` while `$EDITOR` has it.
    pub text: Option<String>,
    /// What is wrong with it.
    pub error: Option<String>,
    /// The line where, from 1.
    pub line: usize,
}

impl State {
    /// The template under the cursor.
    pub fn template(&self) -> Option<&Template> {
        self.snapshot.templates.templates.get(*self.templates.rows.get(self.templates.cursor.at)?)
    }

    /// What was typed for that template.
    pub fn typed(&self) -> Option<&TypedValues> {
        self.templates.typed.get(&self.template()?.name)
    }

    /// What that template came to, if it is there already.
    pub fn preview(&self) -> Option<&Preview> {
        let name = &self.template()?.name;
        self.templates.preview.as_ref().filter(|preview| preview.template == *name)
    }

    /// The side of the preview that there is to see: a text that did not come has no difference, one that came no error.
    pub fn view(&self) -> PreviewMode {
        let Some(preview) = self.preview() else { return PreviewMode::Text };
        match (self.templates.view, &preview.failed, &preview.rendered) {
            (_, Some(_), None) | (PreviewMode::Template, Some(_), _) => PreviewMode::Template,
            (PreviewMode::Difference, None, Some(made)) if made.proposal.is_some() => PreviewMode::Difference,
            _ => PreviewMode::Text,
        }
    }
}
