//! The one table of actions: name, description, default keys, contexts, and whether the bottom line shows them. Keymap,
//! bottom line, help, palette and the documentation are generated from it. `disabled` says when an action is disabled, `update`
//! performs it.

mod table;

pub use table::ACTIONS;

use crate::tui::key::Key;
use crate::tui::layout::Preset;
use crate::tui::pane::Pane;
use crate::tui::widgets::field::TextEdit;
use crate::tui::widgets::motion::Motion;

/// A user action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Leave the program.
    Quit,
    /// Stop the program until the shell resumes it.
    Suspend,
    /// Redraw everything.
    Redraw,
    /// Leave the tour.
    LeaveTour,
    /// Show the keys of the focused pane.
    Help,
    /// Show the problems of the workspace.
    Problems,
    /// Show the profiles, to switch to one.
    Profiles,
    /// Find an action by name.
    Palette,
    /// Search all documents: open the window, or go to its line.
    Sections,
    /// Go to the sections that were found.
    SectionList,
    /// Confirm the open window.
    Confirm,
    /// Read the workspace again.
    Reload,
    /// Go to this pane.
    Focus(Pane),
    /// Go to the next pane.
    NextPane,
    /// Go to the previous pane.
    PreviousPane,
    /// Let the focused pane fill the screen, or fold the others again.
    Zoom,
    /// Arrange the panes for this.
    Preset(Preset),
    /// Move a border between the panes.
    Border(BorderMove),
    /// Reset every border and divider.
    Usual,
    /// Switch to the next theme.
    Theme,
    /// Let the terminal handle the mouse, or take it back.
    Mouse,
    /// Move in the list or text.
    Move(Motion),
    /// Go from the list to its details.
    Inside,
    /// Go back to the list, or leave a filter or window.
    Back,
    /// Pick or unpick the source under the cursor.
    Toggle,
    /// Pick a source that is pulled in.
    Keep,
    /// Exclude the source under the cursor, or include it again.
    Exclude,
    /// Clear all picks.
    Clear,
    /// Undo the last change.
    Undo,
    /// Redo what was undone.
    Redo,
    /// Open the document of the source in the editor.
    Open,
    /// Open the definition of the source in the editor.
    Define,
    /// Copy the id of the source.
    CopyId,
    /// Copy the path or address of the source.
    CopyPath,
    /// Sort the catalog by the next column.
    Sort,
    /// Search the details.
    Search,
    /// Go to the next match.
    NextHit,
    /// Go to the previous match.
    PreviousHit,
    /// Show the next view of the prompt: matching sources, or the enriched prompt.
    Enriched,
    /// Clear the prompt.
    ClearPrompt,
    /// Go to the feed.
    Feed,
    /// Type a filter of the feed.
    FilterFeed,
    /// Keep only rows of the next kind in the feed.
    NextKind,
    /// Keep only rows of one session in the feed.
    ThisSession,
    /// Show the receipt of a row, or go to its source.
    Follow,
    /// Open the file that a row names in the editor.
    OpenPlace,
    /// Copy file and line.
    CopyPlace,
    /// Open the mention that pulls the source in.
    OpenMention,
    /// Go to the values of the template.
    Values,
    /// Type the value under the cursor, or toggle a flag.
    SetValue,
    /// Reset the value under the cursor, or remove the item.
    ResetValue,
    /// Add an item to the list under the cursor.
    AddItem,
    /// Go to the next value.
    NextField,
    /// Go to the previous value.
    PreviousField,
    /// Open the values as JSON in the editor.
    EditValues,
    /// Show the next view of the preview.
    View,
    /// Scroll the preview left.
    Leftwards,
    /// Scroll the preview right.
    Rightwards,
    /// Open the window that writes the preview.
    Write,
    /// Filter the templates.
    FilterTemplates,
    /// Go to the requests.
    Requests,
    /// Answer with the marked sources, or open the write to approve.
    Answer,
    /// Choose none, or decline.
    Decline,
    /// Approve a write.
    Approve,
    /// Mark or unmark the source under the cursor of a request.
    Mark,
    /// Mark or unmark all sources that a request shows.
    MarkAll,
    /// Go to the next request.
    NextRequest,
    /// Go to the previous request.
    PreviousRequest,
    /// Show the ways to begin.
    Welcome,
    /// Scan the repository for what a catalog could have.
    Discover,
    /// Tick the proposal under the cursor, or untick it.
    Tick,
    /// Tick all proposals, or untick them.
    TickAll,
    /// Open the demo.
    OpenDemo,
    /// Connect the agents of this machine.
    ConnectAgent,
    /// Type the path of a source to add.
    AddSource,
    /// Show the settings that need trust.
    Trust,
    /// Trust what is shown.
    TrustThis,
    /// Filter the offered sources.
    FilterRequest,
    /// Type a filter.
    Filter,
    /// Type a prompt.
    Prompt,
    /// Leave the text field, keeping what was typed.
    Accept,
    /// Leave the field and clear it.
    Cancel,
    /// Change the text being typed.
    Edit(TextEdit),
}

/// A border between panes, and where to move it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs)]
pub enum BorderMove {
    Left,
    Right,
    Up,
    Down,
}

/// A context in which an action is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyContext {
    /// In this pane.
    Pane(Pane),
    /// Wherever there is a list or a text to move in, windows too.
    List,
    /// In the details of a source.
    Details,
    /// In the feed of the hints pane.
    Feed,
    /// In the variables of the templates pane.
    Values,
    /// Everywhere outside text fields and windows.
    Global,
    /// In any window.
    Window,
    /// In the window of the problems.
    Problems,
    /// In the window of the profiles.
    Profiles,
    /// In the window that shows what a switch would change.
    Switch,
    /// In the palette.
    Palette,
    /// In the line that searches all documents.
    SectionSearch,
    /// In the sections that were found.
    SectionList,
    /// In a yes-or-no question.
    Question,
    /// In the filter line.
    Filter,
    /// In the line that searches the details.
    Search,
    /// In the filter line of the feed.
    FeedFilter,
    /// In the filter line of the templates.
    TemplateFilter,
    /// In the value of a variable.
    Value,
    /// In the window that writes the preview.
    Write,
    /// In a request, which replaces the selection pane.
    Request,
    /// In a request that follows the one just answered, which takes no keys yet.
    NextRequest,
    /// In the filter line of a request.
    RequestFilter,
    /// In the window of a write to approve.
    Approval,
    /// In the window of the settings that need trust.
    Trust,
    /// In the welcome.
    Welcome,
    /// In the proposals of a scan.
    Discovery,
    /// In the difference that writing the catalog makes.
    CatalogDifference,
    /// In the line for the path of a source to add.
    AddSource,
    /// In the prompt.
    Prompt,
    /// In every text field.
    Field,
    /// Everywhere, in text fields and windows too.
    Always,
}

impl KeyContext {
    /// Whether characters are typed here.
    pub fn is_typed(self) -> bool {
        use KeyContext::{
            AddSource, FeedFilter, Field, Filter, Palette, Prompt, RequestFilter, Search, SectionSearch,
            TemplateFilter, Value, Write,
        };
        matches!(
            self,
            AddSource
                | FeedFilter
                | Field
                | Filter
                | Palette
                | Prompt
                | RequestFilter
                | Search
                | SectionSearch
                | TemplateFilter
                | Value
                | Write
        )
    }

    /// The heading in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Pane(pane) => pane.title(),
            Self::List => "Moving",
            Self::Details => "Details",
            Self::Feed => "Feed",
            Self::Values => "Variables",
            Self::Global => "Everywhere",
            Self::Window => "This window",
            Self::Problems => "Problems",
            Self::Profiles => "Profiles",
            Self::Switch => "Switch",
            Self::Palette => "Palette",
            Self::SectionSearch => "Search of all documents",
            Self::SectionList => "Sections",
            Self::Question => "Question",
            Self::Filter => "Filter line",
            Self::Search => "Search line",
            Self::FeedFilter => "Filter line of the feed",
            Self::TemplateFilter => "Filter line of the templates",
            Self::Value => "Value",
            Self::Write => "Write dialog",
            Self::Request => "Request",
            Self::NextRequest => "Next request",
            Self::RequestFilter => "Filter line of a request",
            Self::Approval => "Approval",
            Self::Trust => "Trust",
            Self::Welcome => "Welcome",
            Self::Discovery => "Proposals",
            Self::CatalogDifference => "New catalog",
            Self::AddSource => "New source",
            Self::Prompt => "Prompt",
            Self::Field => "Typing",
            Self::Always => "Always",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActionBinding {
    /// The description.
    pub action: Action,
    /// One or two words, for the bottom line and the palette; unique.
    pub name: &'static str,
    /// One sentence without a full stop, for the help.
    pub description: &'static str,
    /// Default keys, the one to show first.
    pub keys: &'static [&'static str],
    /// The contexts.
    pub contexts: &'static [KeyContext],
    /// Visibility in the bottom line.
    pub shown: Visibility,
}

/// Whether the bottom line shows an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// With its first key.
    BottomLine,
    /// With its first key, unless it is disabled.
    WhenPossible,
    /// Only in the help.
    HelpOnly,
}

impl ActionBinding {
    /// The default keys that parse, which all do.
    pub fn default_keys(&self) -> impl Iterator<Item = Key> {
        self.keys.iter().filter_map(|key| key.parse().ok())
    }

    /// Where it is available: `catalog, selection`. An action of all panes may also be listed in other contexts, to
    /// come first in their bottom line.
    pub fn places(&self) -> String {
        if self.contexts.contains(&KeyContext::Global) {
            return KeyContext::Global.title().to_lowercase();
        }
        self.contexts.iter().map(|context| context.title().to_lowercase()).collect::<Vec<_>>().join(", ")
    }
}

/// The binding of this key in the first of these contexts that has one.
pub fn bound(key: Key, contexts: &[KeyContext]) -> Option<&'static ActionBinding> {
    contexts.iter().find_map(|context| {
        ACTIONS.iter().find(|entry| entry.contexts.contains(context) && entry.default_keys().any(|bound| bound == key))
    })
}

/// The documentation's table of keys, in Markdown.
pub fn documented_keys() -> String {
    let mut table = "| key | where | what it does |\n| --- | --- | --- |\n".to_owned();
    for entry in ACTIONS {
        let keys: Vec<String> = entry.keys.iter().map(|key| format!("`{key}`")).collect();
        table.push_str(&format!("| {} | {} | {} |\n", keys.join(" "), entry.places(), entry.description));
    }
    table
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    #[test]
    fn every_default_key_is_valid_and_has_one_meaning_per_context() {
        let mut taken = HashMap::new();
        for entry in ACTIONS {
            for key in entry.keys {
                assert!(key.parse::<Key>().is_ok(), "{key}");
                for context in entry.contexts {
                    let other = taken.insert((*context, *key), entry.name);
                    assert_eq!(other, None, "{key} of `{}` in {context:?}", entry.name);
                }
            }
        }
    }

    #[test]
    fn names_are_unique_and_descriptions_are_sentences() {
        let mut names = HashMap::new();
        for entry in ACTIONS {
            assert_eq!(names.insert(entry.name, ()), None, "{}", entry.name);
            assert!(entry.description.starts_with(char::is_uppercase), "{}", entry.description);
            assert!(!entry.description.ends_with('.'), "{}", entry.description);
        }
    }

    #[test]
    fn the_documentation_lists_every_key() {
        let page = include_str!("../../../docs/src/reference/keys.md");
        let (_, after) = page.split_once("<!-- keys:begin -->\n").unwrap();
        let (listed, _) = after.split_once("<!-- keys:end -->").unwrap();
        let expected = documented_keys();
        assert!(listed == expected, "between the marks of docs/src/reference/keys.md should stand:\n{expected}");
    }

    #[test]
    fn no_key_of_a_text_field_types_something() {
        for entry in ACTIONS {
            if entry.contexts.iter().any(|at| at.is_typed()) {
                assert!(entry.default_keys().all(|key| key.typed().is_none()), "{}", entry.name);
            }
        }
    }
}
