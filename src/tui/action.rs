//! The one table of what a person can do: name, description, default keys, where it counts, whether the bottom line shows
//! it. Keymap, bottom line, help and the README's list are all read from it; when an action cannot be done, and why, is
//! said in `disabled`, what it does in `update`.

use super::field::Edit;
use super::key::Key;
use super::motion::Motion;
use super::pane::Pane;

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
    /// Type a filter.
    Filter,
    /// Type a prompt.
    Prompt,
    /// Leave the text field, keeping what was typed.
    Accept,
    /// Leave the filter and show everything again.
    Cancel,
    /// Change the text being typed.
    Edit(Edit),
}

/// Where an action counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Context {
    /// In this pane.
    Pane(Pane),
    /// Wherever there is a list or a text to move in, overlays too.
    List,
    /// Everywhere outside text fields and overlays.
    Global,
    /// While an overlay covers the panes.
    Overlay,
    /// In the filter line.
    Filter,
    /// In the prompt.
    Prompt,
    /// In every text field.
    Field,
    /// Really everywhere.
    Always,
}

impl Context {
    /// The heading in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Pane(pane) => pane.title(),
            Self::List => "Moving",
            Self::Global => "Everywhere",
            Self::Overlay => "This window",
            Self::Filter => "Filter line",
            Self::Prompt => "Prompt",
            Self::Field => "Typing",
            Self::Always => "Always",
        }
    }
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// What is done.
    pub action: Action,
    /// One or two words, for the bottom line and the palette; unique.
    pub name: &'static str,
    /// One sentence without a full stop, for the help.
    pub description: &'static str,
    /// Default keys, the one to show first.
    pub keys: &'static [&'static str],
    /// Where it counts.
    pub contexts: &'static [Context],
    /// Shown in the bottom line.
    pub shown: Shown,
}

/// Whether the bottom line shows an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shown {
    /// With its first key.
    BottomLine,
    /// With its first key, where there is something for it to do.
    WhenPossible,
    /// Only in the help.
    HelpOnly,
}

impl Entry {
    /// The default keys that can be read; a test holds that all can.
    pub fn default_keys(&self) -> impl Iterator<Item = Key> {
        self.keys.iter().filter_map(|key| key.parse().ok())
    }
}

const SOURCES: &[Context] = &[Context::Pane(Pane::Catalog), Context::Pane(Pane::Selection), Context::Pane(Pane::Hints)];

macro_rules! entry {
    ($action:expr, $name:literal, $description:literal, $keys:expr, $contexts:expr, $shown:ident) => {
        Entry {
            action: $action,
            name: $name,
            description: $description,
            keys: &$keys,
            contexts: $contexts,
            shown: Shown::$shown,
        }
    };
}

/// Everything a person can do, in the order of the help.
#[rustfmt::skip]
pub const ACTIONS: &[Entry] = &[
    entry!(Action::Toggle, "pick", "Pick the source under the cursor, or take its pick back", ["Space"], SOURCES, BottomLine),
    entry!(Action::Exclude, "exclude", "Bar the source from being pulled in, or lift that", ["x"], SOURCES, BottomLine),
    entry!(Action::Keep, "keep", "Pick for itself what is only pulled in", ["p"], SOURCES, WhenPossible),
    entry!(Action::Filter, "filter", "Show only sources with these words in them", ["/"], &[Context::Pane(Pane::Catalog)], BottomLine),
    entry!(Action::Prompt, "type a prompt", "Type a prompt and see what it would be hinted at", ["Enter", "i"], &[Context::Pane(Pane::Hints)], BottomLine),
    entry!(Action::Back, "back", "Back to the list, then to the unfiltered list", ["Esc", "Left", "h"], &[Context::Global], WhenPossible),

    entry!(Action::Move(Motion::Up), "up", "One row up", ["Up", "k"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::Down), "down", "One row down", ["Down", "j"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::PageUp), "page up", "One page up", ["PageUp", "C-b"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::PageDown), "page down", "One page down", ["PageDown", "C-f"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::HalfUp), "half up", "Half a page up", ["C-u"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::HalfDown), "half down", "Half a page down", ["C-d"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::Top), "top", "To the first row", ["g", "Home"], &[Context::List], HelpOnly),
    entry!(Action::Move(Motion::Bottom), "bottom", "To the last row", ["G", "End"], &[Context::List], HelpOnly),

    entry!(Action::NextPane, "next pane", "Go to the next pane", ["Tab"], &[Context::Global], BottomLine),
    entry!(Action::Help, "help", "Show the keys of the pane you are in", ["?", "F1"], &[Context::Global], BottomLine),
    entry!(Action::Quit, "quit", "Leave; picks and exclusions stay", ["q"], &[Context::Global], BottomLine),
    entry!(Action::Problems, "problems", "Show what is wrong with the workspace, and how to mend it", ["d"], &[Context::Global], BottomLine),
    entry!(Action::Zoom, "zoom", "Give the focused pane the whole screen, or take it back", ["z"], &[Context::Global], BottomLine),
    entry!(Action::Inside, "scroll details", "Go from the list to its details, to scroll them", ["Right", "l"], &[Context::Global], WhenPossible),
    entry!(Action::PreviousPane, "previous pane", "Go to the pane before", ["BackTab"], &[Context::Global], HelpOnly),
    entry!(Action::Focus(Pane::Catalog), "catalog", "Go to the catalog", ["1"], &[Context::Global], HelpOnly),
    entry!(Action::Focus(Pane::Selection), "selection", "Go to the selection", ["2"], &[Context::Global], HelpOnly),
    entry!(Action::Focus(Pane::Hints), "hints", "Go to the hints", ["3"], &[Context::Global], HelpOnly),
    entry!(Action::Focus(Pane::Templates), "templates", "Go to the templates", ["4"], &[Context::Global], HelpOnly),
    entry!(Action::Reload, "reload", "Read the workspace again", ["r"], &[Context::Global], HelpOnly),

    entry!(Action::Back, "close", "Close this window", ["Esc", "q", "?", "d", "F1", "Enter"], &[Context::Overlay], BottomLine),

    entry!(Action::Accept, "keep filter", "Leave the filter line and keep the filter", ["Enter", "Tab"], &[Context::Filter], BottomLine),
    entry!(Action::Cancel, "clear filter", "Leave the filter line and show everything", ["Esc"], &[Context::Filter], BottomLine),
    entry!(Action::Move(Motion::Up), "row up", "Move in the list while typing", ["Up", "C-p"], &[Context::Filter], HelpOnly),
    entry!(Action::Move(Motion::Down), "row down", "Move in the list while typing", ["Down", "C-n"], &[Context::Filter], HelpOnly),
    entry!(Action::Accept, "leave the prompt", "Go to the references found", ["Esc", "Tab"], &[Context::Prompt], BottomLine),
    entry!(Action::Edit(Edit::NewLine), "new line", "Begin a new line", ["Enter"], &[Context::Prompt], BottomLine),
    entry!(Action::Edit(Edit::LineUp), "line up", "One line up", ["Up", "C-p"], &[Context::Prompt], HelpOnly),
    entry!(Action::Edit(Edit::LineDown), "line down", "One line down", ["Down", "C-n"], &[Context::Prompt], HelpOnly),

    entry!(Action::Edit(Edit::Left), "left", "One character left", ["Left", "C-b"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::Right), "right", "One character right", ["Right", "C-f"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::WordLeft), "word left", "One word left", ["C-Left", "M-b"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::WordRight), "word right", "One word right", ["C-Right", "M-f"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::LineStart), "line start", "To the start of the line", ["Home", "C-a"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::LineEnd), "line end", "To the end of the line", ["End", "C-e"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteBefore), "delete before", "Delete the character before the cursor", ["Backspace", "C-h"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteAfter), "delete after", "Delete the character after the cursor", ["Delete", "C-d"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteWord), "delete word", "Delete the word before the cursor", ["C-w", "M-Backspace"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteToStart), "delete to start", "Delete to the start of the line", ["C-u"], &[Context::Field], HelpOnly),
    entry!(Action::Edit(Edit::DeleteToEnd), "delete to end", "Delete to the end of the line", ["C-k"], &[Context::Field], HelpOnly),

    entry!(Action::Quit, "quit now", "Leave from anywhere", ["C-c"], &[Context::Always], HelpOnly),
    entry!(Action::Suspend, "suspend", "Stop the program; fg brings it back", ["C-z"], &[Context::Always], HelpOnly),
    entry!(Action::Redraw, "redraw", "Draw everything anew", ["C-l"], &[Context::Always], HelpOnly),
];

/// What this key does, looked for in these contexts in turn.
pub fn bound(key: Key, contexts: &[Context]) -> Option<&'static Entry> {
    contexts.iter().find_map(|context| {
        ACTIONS.iter().find(|entry| entry.contexts.contains(context) && entry.default_keys().any(|bound| bound == key))
    })
}

/// The README's table of keys, in Markdown.
pub fn readme_table() -> String {
    let mut table = "| key | where | what it does |\n| --- | --- | --- |\n".to_owned();
    for entry in ACTIONS {
        let keys: Vec<String> = entry.keys.iter().map(|key| format!("`{key}`")).collect();
        let places: Vec<String> = entry.contexts.iter().map(|context| context.title().to_lowercase()).collect();
        table.push_str(&format!("| {} | {} | {} |\n", keys.join(" "), places.join(", "), entry.description));
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
        let readme = include_str!("../../README.md");
        let (_, after) = readme.split_once("<!-- keys:begin -->\n").unwrap();
        let (listed, _) = after.split_once("<!-- keys:end -->").unwrap();
        let expected = readme_table();
        assert!(listed == expected, "between the marks of README.md should stand:\n{expected}");
    }

    #[test]
    fn no_key_of_a_text_field_types_something() {
        for entry in ACTIONS {
            if entry.contexts.iter().any(|at| matches!(at, Context::Filter | Context::Prompt | Context::Field)) {
                assert!(entry.default_keys().all(|key| key.typed().is_none()), "{}", entry.name);
            }
        }
    }
}
