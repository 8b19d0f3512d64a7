//! The contexts in which keys work: their names in the keymap file, and the contexts that a key falls back to
//! if the current one does not bind it.

use crate::tui::pane::Pane;

/// A context in which an action is available.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "most say what `title` says")]
pub enum KeyContext {
    Pane(Pane),
    /// Any list or text with a cursor or scrolling, including in windows.
    List,
    Details,
    Feed,
    Values,
    Graph,
    Agents,
    Databases,
    /// Everywhere outside text fields and windows.
    Global,
    Window,
    /// A window with a text or a list that only says something.
    Reading,
    Help,
    HelpFilter,
    Problems,
    Profiles,
    Switch,
    Jump,
    Question,
    LargePick,
    AllShown,
    Budget,
    Filter,
    Search,
    Value,
    Write,
    Request,
    /// In a request that follows the one just answered. It ignores keys at first, so that a repeated key does
    /// not answer it.
    NextRequest,
    Approval,
    Trust,
    Themes,
    Welcome,
    Discovery,
    CatalogDifference,
    Documentation,
    AddSource,
    SaveFilter,
    Prompt,
    /// In every text field.
    Field,
    /// Everywhere, in text fields and windows too.
    Always,
}

impl KeyContext {
    /// Whether text is typed here.
    pub fn is_typed(self) -> bool {
        matches!(
            self,
            Self::AddSource
                | Self::Budget
                | Self::Field
                | Self::Filter
                | Self::HelpFilter
                | Self::Jump
                | Self::Prompt
                | Self::SaveFilter
                | Self::Search
                | Self::Value
                | Self::Write
        )
    }

    /// The contexts to try, nearest first, for a key that this one does not bind.
    pub fn fallbacks(self) -> &'static [Self] {
        use KeyContext::{
            Agents, Always, Databases, Details, Feed, Field, Global, Graph, List, NextRequest, Request, Values, Window,
        };
        match self {
            Always => &[],
            Global | Field => &[Always],
            List => &[Global, Always],
            Self::Pane(_) | Agents | Databases | Graph | Request | NextRequest => &[List, Global, Always],
            Details => &[Self::Pane(Pane::Catalog), List, Global, Always],
            Feed => &[Self::Pane(Pane::Hints), List, Global, Always],
            Values => &[Self::Pane(Pane::Templates), List, Global, Always],
            Window => &[List, Always],
            typed if typed.is_typed() => &[Field, Always],
            _ => &[Window, List, Always],
        }
    }

    /// Whether printable keys stay unbound here, so that they can be typed.
    pub fn keeps_characters(self) -> bool {
        self.is_typed() || self == Self::Always
    }

    /// The context's name in the keymap file.
    pub fn word(self) -> &'static str {
        self.names().0
    }

    /// The heading in the help.
    pub fn title(self) -> &'static str {
        self.names().1
    }

    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Pane(pane @ Pane::Catalog) => ("catalog", pane.word()),
            Self::Pane(pane @ Pane::Selection) => ("selection", pane.word()),
            Self::Pane(pane @ Pane::Hints) => ("hints", pane.word()),
            Self::Pane(pane @ Pane::Templates) => ("templates", pane.word()),
            Self::List => ("list", "Moving"),
            Self::Details => ("details", "Details"),
            Self::Feed => ("feed", "Feed"),
            Self::Values => ("values", "Variables"),
            Self::Graph => ("graph", "Graph"),
            Self::Agents => ("agents", "Agents"),
            Self::Databases => ("databases", "Databases"),
            Self::Global => ("global", "Everywhere"),
            Self::Window => ("window", "This window"),
            Self::Reading => ("reading", "Window to read"),
            Self::Help => ("help", "Help"),
            Self::HelpFilter => ("help-filter", "Words in the help"),
            Self::Problems => ("problems", "Problems"),
            Self::Profiles => ("profiles", "Profiles"),
            Self::Switch => ("switch", "Switch"),
            Self::Jump => ("jump", "Jump and palette"),
            Self::Question => ("question", "Question"),
            Self::LargePick => ("large-pick", "Large pick"),
            Self::AllShown => ("all-shown", "All shown"),
            Self::Budget => ("budget", "Budget"),
            Self::Filter => ("filter", "Filter line"),
            Self::Search => ("search", "Search line"),
            Self::Value => ("value", "Value"),
            Self::Write => ("write", "Write dialog"),
            Self::Request => ("request", "Request"),
            Self::NextRequest => ("next-request", "Next request"),
            Self::Approval => ("approval", "Approval"),
            Self::Trust => ("trust", "Trust"),
            Self::Themes => ("themes", "Themes"),
            Self::Welcome => ("welcome", "Welcome"),
            Self::Discovery => ("discovery", "Proposals"),
            Self::CatalogDifference => ("catalog-difference", "New catalog"),
            Self::Documentation => ("documentation", "Documenting a database"),
            Self::AddSource => ("add-source", "New source"),
            Self::SaveFilter => ("save-filter", "Name of a filter"),
            Self::Prompt => ("prompt", "Prompt"),
            Self::Field => ("field", "Typing"),
            Self::Always => ("always", "Always"),
        }
    }
}
