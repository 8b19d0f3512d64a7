//! The one table of what a person can do: name, description, default keys, where it counts, whether the bottom line shows
//! it. Keymap, bottom line, help and the README's list are all read from it; when an action cannot be done, and why, is
//! said in `disabled`, what it does in `update`.

mod table;

pub use table::ACTIONS;

use crate::tui::key::Key;
use crate::tui::pane::Pane;
use crate::tui::widgets::field::TextEdit;
use crate::tui::widgets::motion::Motion;

/// Something a person can ask of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Action {
    /// Leave the program.
    Quit,
    /// Stop the program until the shell resumes it.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// Show the keys of the pane one is in.
    Help,
    /// Show what is wrong with the workspace.
    Problems,
    /// Show the profiles, to switch to one.
    Profiles,
    /// Look for an action by its name.
    Palette,
    /// Do what the row of the palette or the question says.
    Confirm,
    /// Read the workspace again.
    Reload,
    /// Go to this pane.
    Focus(Pane),
    /// Go to the next pane.
    NextPane,
    /// Go to the pane before.
    PreviousPane,
    /// Give the focused pane the whole screen, or take it back.
    Zoom,
    /// Move a border between the panes.
    Border(BorderMove),
    /// Put every border and rule where the program has it.
    Usual,
    /// Look with the next theme.
    Theme,
    /// Let the terminal have the mouse, to mark text, or take it back.
    Mouse,
    /// Move in the list or text one is in.
    Move(Motion),
    /// From the list into what stands below or beside it.
    Inside,
    /// Back to the list; out of a filter; out of an overlay.
    Back,
    /// Pick the source under the cursor, or take its pick back.
    Toggle,
    /// Pick for itself what so far is only pulled in.
    Keep,
    /// Bar the source under the cursor, or lift that.
    Exclude,
    /// Take every pick back.
    Clear,
    /// Take the last change back.
    Undo,
    /// Do again what was taken back.
    Redo,
    /// Open the document of the source in the editor.
    Open,
    /// Open the definition of the source in the editor.
    Define,
    /// Put the id of the source on the clipboard.
    CopyId,
    /// Put the path or address of the source on the clipboard.
    CopyPath,
    /// List the catalog in the next order.
    Sort,
    /// Type what to look for in the details.
    Search,
    /// To the next place found.
    NextHit,
    /// To the place found before.
    PreviousHit,
    /// Show the next side of the prompt: what is found, or the prompt as an agent would get it.
    Enriched,
    /// Throw the prompt away.
    ClearPrompt,
    /// Go to the feed.
    Feed,
    /// Type a filter of the feed.
    FilterFeed,
    /// Keep only rows of the next kind in the feed.
    NextKind,
    /// Keep only rows of one session in the feed.
    ThisSession,
    /// Show what was given, or go to the source that a row of the feed or a finding is about.
    Follow,
    /// Open the place that a row of the feed or a finding names in the editor.
    OpenPlace,
    /// Put that place on the clipboard.
    CopyPlace,
    /// Open the place that mentions the source in the editor.
    OpenMention,
    /// Go to the values of the template.
    Values,
    /// Type the value of the variable under the cursor, or turn a flag over.
    SetValue,
    /// Take back what was typed for the row under the cursor; of a list take the item out.
    ResetValue,
    /// Put another item into the list under the cursor.
    AddItem,
    /// To the next value of the form.
    NextField,
    /// To the value before.
    PreviousField,
    /// Open the values as JSON in the editor.
    EditValues,
    /// Show the next side of the preview.
    View,
    /// Show what is left of the preview's columns.
    Leftwards,
    /// Show what is right of the preview's columns.
    Rightwards,
    /// Open the dialog that writes the preview.
    Write,
    /// Type a filter of the templates.
    FilterTemplates,
    /// Go to who asks for something.
    Requests,
    /// Answer with what is marked, or open the write that a yes is asked for.
    Answer,
    /// Choose none, or say no.
    Decline,
    /// Say yes to a write.
    Approve,
    /// Mark what is under the cursor of a request, or take its mark back.
    Mark,
    /// Mark all that a request shows, or none of it.
    MarkAll,
    /// To the next request that waits.
    NextRequest,
    /// To the request before.
    PreviousRequest,
    /// Show what waits for trust.
    Trust,
    /// Trust what is shown.
    TrustThis,
    /// Type a filter of what is offered.
    FilterRequest,
    /// Type a filter.
    Filter,
    /// Type a prompt.
    Prompt,
    /// Leave the text field, keeping what was typed.
    Accept,
    /// Leave the filter and show everything again.
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

/// Where an action counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KeyContext {
    /// In this pane.
    Pane(Pane),
    /// Wherever there is a list or a text to move in, overlays too.
    List,
    /// In the details of a source.
    Details,
    /// In the feed of the hints pane.
    Feed,
    /// In the variables of the templates pane.
    Values,
    /// Everywhere outside text fields and overlays.
    Global,
    /// While an overlay covers the panes.
    Window,
    /// In the window of what is wrong.
    Problems,
    /// In the window of the profiles.
    Profiles,
    /// In the window of what a switch would change.
    Switch,
    /// In the palette.
    Palette,
    /// While a question waits for a yes.
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
    /// In the dialog that writes the preview.
    Write,
    /// In a request, in the place of the selection.
    Request,
    /// In the place of a request that follows the one just answered, and takes no keys yet.
    NextRequest,
    /// In the filter line of a request.
    RequestFilter,
    /// In the window of a write that a yes is asked for.
    Approval,
    /// In the window of what waits for trust.
    Trust,
    /// In the prompt.
    Prompt,
    /// In every text field.
    Field,
    /// Really everywhere.
    Always,
}

impl KeyContext {
    /// Whether keys that type a character type it there.
    pub fn is_typed(self) -> bool {
        use KeyContext::{
            FeedFilter, Field, Filter, Palette, Prompt, RequestFilter, Search, TemplateFilter, Value, Write,
        };
        matches!(
            self,
            FeedFilter | Field | Filter | Palette | Prompt | RequestFilter | Search | TemplateFilter | Value | Write
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
            Self::Prompt => "Prompt",
            Self::Field => "Typing",
            Self::Always => "Always",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Binding {
    /// What is done.
    pub action: Action,
    /// One or two words, for the bottom line and the palette; unique.
    pub name: &'static str,
    /// One sentence without a full stop, for the help.
    pub description: &'static str,
    /// Default keys, the one to show first.
    pub keys: &'static [&'static str],
    /// Where it counts.
    pub contexts: &'static [KeyContext],
    /// Visibility in the bottom line.
    pub shown: Visibility,
}

/// Whether the bottom line shows an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// With its first key.
    BottomLine,
    /// With its first key, where there is something for it to do.
    WhenPossible,
    /// Only in the help.
    HelpOnly,
}

impl Binding {
    /// The default keys that can be read; a test holds that all can.
    pub fn default_keys(&self) -> impl Iterator<Item = Key> {
        self.keys.iter().filter_map(|key| key.parse().ok())
    }

    /// Where it counts, in words: `catalog, selection`. What counts everywhere may stand in other contexts too, to be among
    /// the first of the bottom line there.
    pub fn places(&self) -> String {
        if self.contexts.contains(&KeyContext::Global) {
            return KeyContext::Global.title().to_lowercase();
        }
        self.contexts.iter().map(|context| context.title().to_lowercase()).collect::<Vec<_>>().join(", ")
    }
}

/// What this key does, looked for in these contexts in turn.
pub fn bound(key: Key, contexts: &[KeyContext]) -> Option<&'static Binding> {
    contexts.iter().find_map(|context| {
        ACTIONS.iter().find(|entry| entry.contexts.contains(context) && entry.default_keys().any(|bound| bound == key))
    })
}

/// The README's table of keys, in Markdown.
pub fn readme_table() -> String {
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
    fn every_default_key_is_a_key_and_means_one_thing_in_a_context() {
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
    fn the_readme_lists_every_key() {
        let readme = include_str!("../../../README.md");
        let (_, after) = readme.split_once("<!-- keys:begin -->\n").unwrap();
        let (listed, _) = after.split_once("<!-- keys:end -->").unwrap();
        let expected = readme_table();
        assert!(listed == expected, "between the marks of README.md should stand:\n{expected}");
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
