//! The view of agents, which replaces the panes: each session with what it was sent, read and picked, its cost over
//! time, and whether it followed hints. The journal lines and the known sources of a session are shown below it or on
//! their own pages. The engine follows the journal; this module holds only the values that the engine sends.

pub mod disabled;
mod row_view;
mod session_view;
pub mod update;
pub mod view;

use std::cmp::Reverse;
use std::sync::Arc;

use refdesk_desk::{AgentActivity, AgentSession, SessionLine};

use crate::common::known_sources::KnownRow;
use crate::tui::state::State;
use crate::tui::widgets::motion::Cursor;

refdesk_text::worded_enum! {
    #[derive(Default)]
    pub enum AgentsPage {
        #[default]
        Sessions = "sessions",
        /// The journal lines of one session.
        Lines = "journal",
        Known = "known sources",
    }
}

refdesk_text::worded_enum! {
    /// The order of the sessions.
    #[derive(Default)]
    pub enum SessionOrder {
        /// The most recently active session first.
        #[default]
        Newest = "last",
        /// The session with the most tokens sent and read first.
        Tokens = "tokens",
        /// By agent name, then the most recently active first.
        Agent = "agent",
    }
}

impl SessionOrder {
    /// The message shown after sorting.
    fn sentence(self) -> &'static str {
        match self {
            Self::Newest => "The newest sessions first",
            Self::Tokens => "Sorted by tokens",
            Self::Agent => "Sorted by agent",
        }
    }

    fn sort(self, sessions: &mut [Arc<AgentSession>]) {
        sessions.sort_by(|one, other| other.last.cmp(&one.last).then_with(|| one.session.cmp(&other.session)));
        match self {
            Self::Newest => {}
            Self::Tokens => sessions.sort_by_key(|session| Reverse(session.tokens())),
            Self::Agent => sessions.sort_by(|one, other| one.agent.cmp(&other.agent)),
        }
    }
}

#[derive(Debug, Clone, Default)]
pub struct AgentsView {
    pub page: AgentsPage,
    /// The engine's latest answer, sorted by `order`; dropped when the user leaves the view.
    pub activity: Option<Arc<AgentActivity>>,
    /// Kept when the user leaves the view.
    pub order: SessionOrder,
    /// `is_due`: the journal has grown since the answer. `is_asked`: an answer is pending.
    is_due: bool,
    is_asked: bool,
    /// The session under the cursor.
    pub cursor: Cursor,
    /// The row under the cursor on the session's page.
    pub row: Cursor,
    /// Where to put the cursors once the sessions are loaded.
    stay: Option<AgentsPlace>,
    /// The sources known to the session under the cursor, on that page.
    pub known: Vec<KnownRow>,
}

/// A place in the view to return to. It identifies sessions, lines and sources by name, because newer ones
/// are inserted before them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentsPlace {
    pub page: AgentsPage,
    /// Desk and name of the session.
    pub session: Option<(String, String)>,
    /// The number of the journal line.
    line: Option<u64>,
    /// The id of the known source.
    source: Option<String>,
}

impl AgentsPlace {
    /// Desk and name of the session, line and source.
    pub fn parts(self) -> [Option<String>; 4] {
        let (desk, name) = self.session.unzip();
        [desk, name, self.line.map(|line| line.to_string()), self.source]
    }

    pub fn from_parts(page: AgentsPage, [desk, name, line, source]: [Option<String>; 4]) -> Self {
        Self { page, session: desk.zip(name), line: line.and_then(|line| line.parse().ok()), source }
    }
}

/// What `Enter` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentsTarget {
    /// Shows the session's journal lines.
    Session,
    /// Shows the receipt in this journal line.
    Receipt(u64),
    Source(String),
}

impl AgentsView {
    pub fn close(&mut self) {
        *self = Self { order: self.order, ..Self::default() };
    }

    pub fn sessions(&self) -> &[Arc<AgentSession>] {
        self.activity.as_ref().map_or(&[], |activity| activity.sessions.as_slice())
    }

    pub fn session(&self) -> Option<&AgentSession> {
        self.sessions().get(self.cursor.at).map(Arc::as_ref)
    }

    /// The journal line under the cursor.
    pub fn line(&self) -> Option<&SessionLine> {
        self.session()?.lines.get(self.row.at).filter(|_| self.page == AgentsPage::Lines)
    }

    pub fn place(&self) -> AgentsPlace {
        if let Some(awaited) = &self.stay {
            return awaited.clone();
        }
        let session = self.session().map(|session| (session.desk.clone(), session.session.clone()));
        let is_known = self.page == AgentsPage::Known;
        AgentsPlace {
            page: self.page,
            session,
            line: self.line().map(|line| line.number),
            source: self.source().filter(|_| is_known).map(str::to_owned),
        }
    }

    pub fn len(&self) -> usize {
        match self.page {
            AgentsPage::Sessions => self.sessions().len(),
            AgentsPage::Lines => self.session().map_or(0, |session| session.lines.len()),
            AgentsPage::Known => self.known.len(),
        }
    }

    pub fn source(&self) -> Option<&str> {
        match self.page {
            AgentsPage::Sessions => None,
            // An action must not silently apply to the first of several.
            AgentsPage::Lines => self.line().filter(|line| !line.several)?.subject.as_deref(),
            AgentsPage::Known => self.known.get(self.row.at).map(|row| row.id.as_str()),
        }
    }
}

impl State {
    pub fn agents_target(&self) -> Result<AgentsTarget, String> {
        let agents = &self.agents;
        if agents.session().is_none() {
            let problem = agents.activity.as_ref().and_then(|activity| activity.problem.clone());
            return Err(problem.unwrap_or_else(|| "no agent has had a session here yet".to_owned()));
        }
        if agents.page == AgentsPage::Sessions {
            return Ok(AgentsTarget::Session);
        }
        if let Some(line) = agents.line().filter(|line| line.has_text) {
            return Ok(AgentsTarget::Receipt(line.number));
        }
        let subject = agents.line().map_or_else(|| agents.source(), |line| line.subject.as_deref());
        match subject {
            Some(id) if self.snapshot.catalog.get(id).is_some() => Ok(AgentsTarget::Source(id.to_owned())),
            Some(id) => Err(format!("@{id} is no longer in the catalog")),
            None => Err("this row has neither a receipt nor a source".to_owned()),
        }
    }
}
