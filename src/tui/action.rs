//! The one table of actions: name, description, default keys, contexts, and whether the bottom line shows them. Keymap,
//! bottom line, help, palette and the documentation are generated from it. `disabled` says when an action is disabled, `update`
//! performs it.

mod context;
mod hidden_keys;
mod keymap;
mod keymap_file;
mod table;

pub use context::KeyContext;
pub use keymap::{Continuation, Keymap, Pressed};
pub use keymap_file::read as read_keymap;
pub use table::ACTIONS;

use crate::tui::key::KeySequence;
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
    /// Type words to find keys in the help.
    FilterHelp,
    /// Show the problems of the workspace.
    Problems,
    /// Show the profiles, to switch to one.
    Profiles,
    /// Find an action by name.
    Palette,
    /// Search all documents.
    Sections,
    /// Go to anything by its name, by words or by meaning.
    Jump,
    /// Show only the next kind of things to jump to.
    JumpKind,
    /// Give the filter of the catalog a name.
    SaveFilter,
    /// Show the filters that have a name.
    Filters,
    /// Remove the filter under the cursor.
    RemoveFilter,
    /// Show the last messages.
    Messages,
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
    ResetBorders,
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
    /// Pick the source with only what it mentions itself.
    PickNear,
    /// Pick the source without what it mentions.
    PickAlone,
    /// Show what the selection, the instructions and the prompt cost together, and set a limit.
    Budget,
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
    /// Sort the catalog by tokens, whatever it was sorted by.
    SortTokens,
    /// Search the details.
    Search,
    /// Go into the document of the source.
    Read,
    /// Go to the next link of the document.
    NextLink,
    /// Go to the previous link of the document.
    PreviousLink,
    /// Show what the link leads to.
    FollowLink,
    /// Go back to where a link was followed.
    GoBack,
    /// Go forward again.
    GoForward,
    /// Unfold the front matter of the document, or fold it.
    FrontMatter,
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
    /// Show the mention graph in place of the panes, or the panes again.
    Graph,
    /// Show the sessions of agents in place of the panes, or the panes again.
    Agents,
    /// Show the documented databases in place of the panes, or the panes again.
    Databases,
    /// Show what documenting the database would write.
    DocumentDatabases,
    /// Type a filter of the tables.
    FilterTables,
    /// Show the next tab of the graph.
    NextTab,
    /// Show the previous tab of the graph.
    PreviousTab,
    /// Show the neighbourhood of the source under the cursor.
    Centre,
    /// Show the neighbourhood before.
    PreviousCentre,
    /// Go to the next level of the neighbourhood.
    NextLevel,
    /// Go to the previous level of the neighbourhood.
    PreviousLevel,
    /// Mark the source under the cursor as the start of a path.
    MarkStart,
    /// Show the path between the marked source and the one under the cursor.
    PathBetween,
    /// Go to the source in the catalog.
    ToCatalog,
    /// Open the file and line of the mention or broken link.
    OpenWhere,
    /// Copy the command that prints the graph as a picture.
    CopyExport,
    /// Type a filter of the graph.
    FilterGraph,
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
    /// With its first key, unless it is disabled.
    BottomLine,
    /// Only in the help.
    HelpOnly,
}

impl ActionBinding {
    /// The default keys that parse, which all do.
    pub fn default_keys(&self) -> impl Iterator<Item = KeySequence> {
        self.keys.iter().filter_map(|key| key.parse().ok())
    }

    /// Its name in the keymap file.
    pub fn word(&self) -> String {
        self.name.replace(' ', "-")
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

/// Every row of the table in each of its contexts, by context.
pub fn in_contexts() -> Vec<(&'static ActionBinding, KeyContext)> {
    let mut contexts: Vec<KeyContext> = Vec::new();
    for (_, context) in keymap::places() {
        if !contexts.contains(&context) {
            contexts.push(context);
        }
    }
    let rows = |context| keymap::places().filter(move |(_, at)| *at == context);
    contexts.into_iter().flat_map(rows).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// The beginning of the file of all default keys.
    const KEYMAP_HEAD: &str = r#"# Every key of refdesk's screen. Copy what you want to change to ~/.config/refdesk/keymap.toml (`refdesk config path keymap`
# prints where it is): the context in brackets, and below it the action with a key, a list of keys, or [] for none. Keys that
# follow each other are written with a blank between them, as in "g g".
"#;

    /// The documentation's table of keys, in Markdown.
    fn documented_keys() -> String {
        let mut table = "| key | where | what it does |\n| --- | --- | --- |\n".to_owned();
        for entry in ACTIONS {
            let keys: Vec<String> = entry.keys.iter().map(|key| format!("`{key}`")).collect();
            table.push_str(&format!("| {} | {} | {} |\n", keys.join(" "), entry.places(), entry.description));
        }
        table
    }

    /// The file of all default keys, for users to copy from.
    fn default_keymap() -> String {
        let mut text = KEYMAP_HEAD.to_owned();
        let mut last = None;
        for (binding, context) in in_contexts() {
            if last != Some(context) {
                text.push_str(&format!("\n# {}\n[{}]\n", context.title(), context.word()));
                last = Some(context);
            }
            let keys: Vec<String> = binding.keys.iter().map(|key| format!("\"{key}\"")).collect();
            let keys = if let [key] = keys.as_slice() { key.clone() } else { format!("[{}]", keys.join(", ")) };
            text.push_str(&format!("{} = {keys}  # {}\n", binding.word(), binding.description));
        }
        text
    }

    #[test]
    fn every_default_key_is_valid_and_has_one_meaning_per_context() {
        let mut taken = HashMap::new();
        for entry in ACTIONS {
            for key in entry.keys {
                assert!(key.parse::<KeySequence>().is_ok(), "{key}");
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
        let page = include_str!("../../docs/src/reference/keys.md");
        let (_, after) = page.split_once("<!-- keys:begin -->\n").unwrap();
        let (listed, _) = after.split_once("<!-- keys:end -->").unwrap();
        let expected = documented_keys();
        assert!(listed == expected, "between the marks of docs/src/reference/keys.md should be:\n{expected}");
    }

    #[test]
    fn the_file_of_the_default_keys_has_every_key() {
        let expected = default_keymap();
        assert!(include_str!("../../assets/keymap.toml") == expected, "assets/keymap.toml should be:\n{expected}");
        assert_eq!(read_keymap(&expected, "keymap.toml"), (Keymap::default(), Vec::new()));
        let words: Vec<String> = ACTIONS.iter().map(ActionBinding::word).collect();
        for word in words.iter().map(String::as_str).chain(keymap::places().map(|(_, context)| context.word())) {
            assert!(word.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{word} needs quotation marks");
        }
    }

    #[test]
    fn no_key_of_a_text_field_types_something() {
        for entry in ACTIONS {
            if entry.contexts.iter().any(|at| at.is_typed()) {
                assert!(
                    entry.default_keys().all(|keys| keys.keys().iter().all(|key| key.typed().is_none())),
                    "{}",
                    entry.name
                );
            }
        }
    }
}
