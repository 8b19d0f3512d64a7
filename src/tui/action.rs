//! The one table of actions: name, description, default keys, contexts, and whether the bottom line shows
//! them. The keymap, the bottom line, the help, the palette and the documentation are generated from it.
//! `disabled` decides when an action is disabled, `update` performs it.

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
use refdesk_desk::{BulkChange, BulkPreview};

/// A user action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the table of actions describes them")]
pub enum Action {
    Quit,
    Suspend,
    Redraw,
    LeaveTour,
    Help,
    FilterHelp,
    Problems,
    Profiles,
    Palette,
    Sections,
    Jump,
    JumpKind,
    SaveFilter,
    Filters,
    RemoveFilter,
    Messages,
    Confirm,
    Reload,
    Focus(Pane),
    NextPane,
    PreviousPane,
    Zoom,
    Preset(Preset),
    Border(BorderMove),
    ResetBorders,
    Theme,
    Mouse,
    Move(Motion),
    Inside,
    Back,
    Toggle,
    Keep,
    Exclude,
    AllShown,
    Bulk(BulkVerb),
    PickNear,
    PickAlone,
    Budget,
    Clear,
    Undo,
    Redo,
    Open,
    Define,
    CopyId,
    CopyPath,
    Sort,
    SortTokens,
    Search,
    Read,
    NextLink,
    PreviousLink,
    FollowLink,
    GoBack,
    GoForward,
    FrontMatter,
    NextHit,
    PreviousHit,
    Enriched,
    ClearPrompt,
    Feed,
    NextKind,
    ThisSession,
    Follow,
    OpenPlace,
    CopyPlace,
    OpenMention,
    Values,
    SetValue,
    ResetValue,
    AddItem,
    NextField,
    PreviousField,
    EditValues,
    View,
    Leftwards,
    Rightwards,
    Write,
    Requests,
    Answer,
    Decline,
    Approve,
    Mark,
    MarkAll,
    NextRequest,
    PreviousRequest,
    Graph,
    Agents,
    Databases,
    DocumentDatabases,
    NextTab,
    PreviousTab,
    Centre,
    PreviousCentre,
    NextLevel,
    PreviousLevel,
    MarkStart,
    PathBetween,
    ToCatalog,
    OpenWhere,
    CopyExport,
    Welcome,
    Discover,
    Tick,
    TickAll,
    OpenDemo,
    ConnectAgent,
    AddSource,
    Trust,
    TrustThis,
    Filter,
    Prompt,
    Accept,
    Cancel,
    /// Change the text being typed.
    Edit(TextEdit),
}

refdesk_text::worded_enum! {
    /// A change that applies to several sources at once, in the order of the window's lines.
    #[allow(missing_docs)]
    pub enum BulkVerb {
        Pick = "pick",
        Unpick = "unpick",
        Exclude = "exclude",
        Include = "include",
    }
}

impl BulkVerb {
    /// The change that this verb makes, from the preview.
    pub fn of(self, preview: &BulkPreview) -> &BulkChange {
        match self {
            Self::Pick => &preview.pick,
            Self::Unpick => &preview.unpick,
            Self::Exclude => &preview.exclude,
            Self::Include => &preview.include,
        }
    }
}

/// A border between panes, and the direction to move it.
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
    /// The action that the row describes.
    pub action: Action,
    /// One or two words, for the bottom line and the palette; unique.
    pub name: &'static str,
    /// One sentence without a full stop, for the help.
    pub description: &'static str,
    /// Default keys. The first is the one shown.
    pub keys: &'static [&'static str],
    /// The contexts in which the action is listed.
    pub contexts: &'static [KeyContext],
    /// Whether the bottom line shows it.
    pub shown: Visibility,
}

/// Whether the bottom line shows an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Visibility {
    /// Shown with its first key, unless it is disabled.
    BottomLine,
    /// Listed only in the help.
    HelpOnly,
}

impl ActionBinding {
    /// The parsed default keys. A test checks that all of them parse.
    pub fn default_keys(&self) -> impl Iterator<Item = KeySequence> {
        self.keys.iter().filter_map(|key| key.parse().ok())
    }

    /// The action's name in the keymap file.
    pub fn word(&self) -> String {
        self.name.replace(' ', "-").to_lowercase()
    }
}

/// Every row of the table in each of its contexts, grouped by context.
pub fn in_contexts() -> Vec<(&'static ActionBinding, KeyContext)> {
    let rows = |context| keymap::places().filter(move |(_, at)| *at == context);
    keymap::contexts().into_iter().flat_map(rows).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    /// The header of the file with all default keys.
    const KEYMAP_HEAD: &str = r#"# Every key of refdesk's screen. Copy what you want to change to ~/.config/refdesk/keymap.toml (`refdesk config path keymap`
# prints where it is): the context in brackets, and below it the action with a key, a list of keys, or [] for none. Keys that
# follow each other are written with a blank between them, as in "g g".
"#;

    /// The contexts of an action, as `catalog, selection`. An action of all panes may also list single panes, so that
    /// their bottom lines show it first.
    fn places(binding: &ActionBinding) -> String {
        if binding.contexts.contains(&KeyContext::Global) {
            return KeyContext::Global.title().to_lowercase();
        }
        binding.contexts.iter().map(|context| context.title().to_lowercase()).collect::<Vec<_>>().join(", ")
    }

    /// The documentation's table of keys, in Markdown.
    fn documented_keys() -> String {
        let mut table = "| key | where | what it does |\n| --- | --- | --- |\n".to_owned();
        for entry in ACTIONS {
            let keys: Vec<String> = entry.keys.iter().map(|key| format!("`{key}`")).collect();
            let description = entry.description.replace('|', "\\|");
            table.push_str(&format!("| {} | {} | {description} |\n", keys.join(" "), places(entry)));
        }
        table
    }

    /// The file with all default keys, for users to copy from.
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
