//! Where keys work: the contexts of the table of actions, their names in the keymap file, and which contexts get a key
//! that another does not bind.

use crate::tui::pane::Pane;

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
    /// In the graph, which is shown in place of the panes.
    Graph,
    /// In the view of agents, which is shown in place of the panes.
    Agents,
    /// In the view of databases, which is shown in place of the panes.
    Databases,
    /// Everywhere outside text fields and windows.
    Global,
    /// In any window.
    Window,
    /// In the help.
    Help,
    /// In the line of words of the help.
    HelpFilter,
    /// In the window of the problems.
    Problems,
    /// In the window of the profiles.
    Profiles,
    /// In the window that shows what a switch would change.
    Switch,
    /// In the jump, which is the palette too.
    Jump,
    /// In a yes-or-no question.
    Question,
    /// In the question before a pick that pulls in much.
    LargePick,
    /// In the line for the limit of tokens.
    Budget,
    /// In the filter line.
    Filter,
    /// In the line that searches the details.
    Search,
    /// In the filter line of the feed.
    FeedFilter,
    /// In the filter line of the templates.
    TemplateFilter,
    /// In the filter line of the graph.
    GraphFilter,
    /// In the filter line of the tables.
    DatabaseFilter,
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
    /// In the window of the themes.
    Themes,
    /// In the welcome.
    Welcome,
    /// In the proposals of a scan.
    Discovery,
    /// In the difference that writing the catalog makes.
    CatalogDifference,
    /// In the window that shows what documenting would write.
    Documentation,
    /// In the line for the path of a source to add.
    AddSource,
    /// In the line for the name of a filter.
    SaveFilter,
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
            AddSource, Budget, DatabaseFilter, FeedFilter, Field, Filter, GraphFilter, HelpFilter, Jump, Prompt,
            RequestFilter, SaveFilter, Search, TemplateFilter, Value, Write,
        };
        matches!(
            self,
            AddSource
                | Budget
                | DatabaseFilter
                | FeedFilter
                | Field
                | Filter
                | GraphFilter
                | HelpFilter
                | Jump
                | Prompt
                | RequestFilter
                | SaveFilter
                | Search
                | TemplateFilter
                | Value
                | Write
        )
    }

    /// The contexts that get the keys which this one does not bind, the nearest first.
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

    /// Whether characters must stay free to be typed here.
    pub fn keeps_characters(self) -> bool {
        self.is_typed() || self == Self::Always
    }

    /// Its name in the keymap file.
    pub fn word(self) -> &'static str {
        match self {
            Self::Pane(Pane::Catalog) => "catalog",
            Self::Pane(Pane::Selection) => "selection",
            Self::Pane(Pane::Hints) => "hints",
            Self::Pane(Pane::Templates) => "templates",
            Self::List => "list",
            Self::Details => "details",
            Self::Feed => "feed",
            Self::Values => "values",
            Self::Graph => "graph",
            Self::Agents => "agents",
            Self::Databases => "databases",
            Self::Global => "global",
            Self::Window => "window",
            Self::Help => "help",
            Self::HelpFilter => "help-filter",
            Self::Problems => "problems",
            Self::Profiles => "profiles",
            Self::Switch => "switch",
            Self::Jump => "jump",
            Self::Question => "question",
            Self::LargePick => "large-pick",
            Self::Budget => "budget",
            Self::Filter => "filter",
            Self::Search => "search",
            Self::FeedFilter => "feed-filter",
            Self::TemplateFilter => "template-filter",
            Self::GraphFilter => "graph-filter",
            Self::DatabaseFilter => "database-filter",
            Self::Value => "value",
            Self::Write => "write",
            Self::Request => "request",
            Self::NextRequest => "next-request",
            Self::RequestFilter => "request-filter",
            Self::Approval => "approval",
            Self::Trust => "trust",
            Self::Themes => "themes",
            Self::Welcome => "welcome",
            Self::Discovery => "discovery",
            Self::CatalogDifference => "catalog-difference",
            Self::Documentation => "documentation",
            Self::AddSource => "add-source",
            Self::SaveFilter => "save-filter",
            Self::Prompt => "prompt",
            Self::Field => "field",
            Self::Always => "always",
        }
    }

    /// The heading in the help.
    pub fn title(self) -> &'static str {
        match self {
            Self::Pane(pane) => pane.title(),
            Self::List => "Moving",
            Self::Details => "Details",
            Self::Feed => "Feed",
            Self::Values => "Variables",
            Self::Graph => "Graph",
            Self::Agents => "Agents",
            Self::Databases => "Databases",
            Self::Global => "Everywhere",
            Self::Window => "This window",
            Self::Help => "Help",
            Self::HelpFilter => "Words in the help",
            Self::Problems => "Problems",
            Self::Profiles => "Profiles",
            Self::Switch => "Switch",
            Self::Jump => "Jump and palette",
            Self::Question => "Question",
            Self::LargePick => "Large pick",
            Self::Budget => "Budget",
            Self::Filter => "Filter line",
            Self::Search => "Search line",
            Self::FeedFilter => "Filter line of the feed",
            Self::TemplateFilter => "Filter line of the templates",
            Self::GraphFilter => "Filter line of the graph",
            Self::DatabaseFilter => "Filter line of the tables",
            Self::Value => "Value",
            Self::Write => "Write dialog",
            Self::Request => "Request",
            Self::NextRequest => "Next request",
            Self::RequestFilter => "Filter line of a request",
            Self::Approval => "Approval",
            Self::Trust => "Trust",
            Self::Themes => "Themes",
            Self::Welcome => "Welcome",
            Self::Discovery => "Proposals",
            Self::CatalogDifference => "New catalog",
            Self::Documentation => "Documenting a database",
            Self::AddSource => "New source",
            Self::SaveFilter => "Name of a filter",
            Self::Prompt => "Prompt",
            Self::Field => "Typing",
            Self::Always => "Always",
        }
    }
}
