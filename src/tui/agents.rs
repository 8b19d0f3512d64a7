//! What agents did, shown in place of the panes: each session with what it was sent, read and picked, its cost over
//! time, and whether hints were followed; below it, or on its own page, its journal lines and what it knows. The
//! engine follows the journal; here are only the values that it sends.

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

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum AgentsPage {
    #[default]
    Sessions,
    /// The journal's lines of one.
    Lines,
    Known,
}

impl AgentsPage {
    const ALL: [Self; 3] = [Self::Sessions, Self::Lines, Self::Known];

    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|page| page.word() == word)
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Sessions => "sessions",
            Self::Lines => "journal",
            Self::Known => "known sources",
        }
    }
}

refdesk_text::worded_enum! {
    /// The order of the sessions.
    #[derive(Default)]
    pub enum SessionOrder {
        /// The one with the newest line first.
        #[default]
        Newest = "last",
        /// The one that was sent and read the most first.
        Tokens = "tokens",
        /// By the name of its agent, and then the newest first.
        Agent = "agent",
    }
}

impl SessionOrder {
    pub fn next(self) -> Self {
        Self::ALL.into_iter().skip_while(|it| *it != self).nth(1).unwrap_or_default()
    }

    /// The message after sorting.
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
    /// The newest answer of the engine, its sessions in this order; dropped when the view is left.
    pub activity: Option<Arc<AgentActivity>>,
    /// Stays when the view is left.
    pub order: SessionOrder,
    /// Whether the journal has more than the answer, and whether an answer is awaited.
    is_due: bool,
    is_asked: bool,
    /// The session under the cursor.
    pub cursor: Cursor,
    /// The row under the cursor of its page.
    pub row: Cursor,
    /// What the cursors go to once the sessions are there.
    stay: Option<AgentsPlace>,
    /// What the session under the cursor knows, on that page.
    pub known: Vec<KnownRow>,
}

/// A place in the view, to go back to. Sessions, lines and sources are named, since newer ones come before them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AgentsPlace {
    pub page: AgentsPage,
    /// Desk and name of the session.
    pub session: Option<(String, String)>,
    /// The line of the journal.
    line: Option<u64>,
    /// The known source.
    source: Option<String>,
}

impl AgentsPlace {
    /// The beginning of this page of a session, given by its desk and its name.
    pub fn of_session(page: AgentsPage, session: Option<[String; 2]>) -> Self {
        Self { page, session: session.map(<(String, String)>::from), ..Self::default() }
    }
}

/// What `Enter` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AgentsTarget {
    /// Shows the lines of the session.
    Session,
    /// Shows the receipt in this line of the journal.
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

    /// The line of the journal under the cursor.
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
            AgentsPage::Lines => self.line()?.subject.as_deref(),
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
        match agents.source() {
            Some(id) if self.snapshot.catalog.get(id).is_some() => Ok(AgentsTarget::Source(id.to_owned())),
            Some(id) => Err(format!("@{id} is no longer in the catalog")),
            None => Err("this row has neither a receipt nor a single source".to_owned()),
        }
    }
}
