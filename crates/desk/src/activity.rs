//! What each agent session was sent, read and picked, and what it cost in tokens, computed from the journal. Adding a
//! line takes the same time however long the journal is; sessions, lines per session and periods are bounded.

mod follower;
mod periods;
#[cfg(test)]
mod tests;

pub(crate) use follower::ActivityFollower;
pub use periods::TokenPeriods;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;

use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use crate::engine::{clock, sentence};
use crate::session::{Count, DEFAULT, JournalEvent, Line, OVER_MCP, Offers, Receipt};
use refdesk_enrich::{BlockKind, Level};

/// The most sessions shown: those with the newest lines.
pub(crate) const MAX_SESSIONS: usize = 1_000;

/// How long after its last line a session counts as recent: agents think, and people read.
const RECENT: SignedDuration = SignedDuration::from_mins(15);

/// The most lines kept per session, newest first.
pub(crate) const MAX_LINES: usize = 100;

/// The activity of agents according to the journal.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentActivity {
    /// The sessions, the one with the newest line first.
    pub sessions: Vec<Arc<AgentSession>>,
    /// Why the journal cannot be read, or how many lines were skipped because they are unreadable or not ours.
    pub problem: Option<String>,
    /// The session of each connected agent.
    pub connected: Vec<String>,
    /// When the journal was read.
    pub now: Timestamp,
    /// The time zone for display.
    pub zone: TimeZone,
}

impl AgentActivity {
    /// A local time: `12:03:41`, `11-21 12:03` on another day, `2025-11-21` in another year.
    pub fn clock(&self, time: Timestamp) -> String {
        clock(time, self.now, &self.zone)
    }

    /// Whether this session's agent was present when the journal was read.
    pub fn presence(&self, session: &AgentSession) -> AgentPresence {
        if self.connected.contains(&session.session) {
            AgentPresence::Connected
        } else if self.now.duration_since(session.last) <= RECENT {
            AgentPresence::Recent
        } else {
            AgentPresence::Past
        }
    }

    /// The estimated tokens of everything the sessions received.
    pub fn tokens(&self) -> u64 {
        self.sessions.iter().map(|session| session.tokens()).sum()
    }
}

/// Whether a session's agent is present.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AgentPresence {
    /// Connected to a server.
    Connected,
    /// Not connected, but active in the last minutes; it may work through hooks.
    Recent,
    /// Neither connected nor recent.
    Past,
}

impl AgentPresence {
    /// The states that lists mark.
    pub const MARKED: [Self; 2] = [Self::Connected, Self::Recent];

    /// `connected now`; empty for a past agent.
    pub fn words(self) -> &'static str {
        match self {
            Self::Connected => "connected now",
            Self::Recent => "active in the last 15 minutes",
            Self::Past => "",
        }
    }
}

/// What one agent session received and did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct AgentSession {
    /// Its desk.
    pub desk: String,
    /// Its name.
    pub session: String,
    /// The agent, or the program that wrote its lines if the agent has no name; the same for hooks and the server.
    pub agent: String,
    /// The time of its first line.
    pub since: Timestamp,
    /// The time of its last line.
    pub last: Timestamp,
    /// The number of texts sent to it.
    pub sent: usize,
    /// Their estimated tokens.
    pub sent_tokens: u64,
    /// The number of times it read something.
    pub reads: usize,
    /// Their estimated tokens, if known.
    pub read_tokens: u64,
    /// The number of sources picked in it.
    pub picks: usize,
    /// The number of failed hooks.
    pub failures: usize,
    /// The number of hinted sources, and how many of them the session then read or picked.
    pub hints: Count,
    /// The same for expanded sources.
    pub expansions: Count,
    /// What it received about each source since its memory was last cleared.
    pub known: BTreeMap<String, Knowledge>,
    /// Its latest lines, newest first.
    pub lines: VecDeque<SessionLine>,
    /// Tokens received over time.
    pub periods: TokenPeriods,
}

impl AgentSession {
    /// The estimated tokens of everything it received.
    pub fn tokens(&self) -> u64 {
        self.sent_tokens.saturating_add(self.read_tokens)
    }
}

/// What a session received about a source.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Knowledge {
    /// How often the source was hinted at.
    pub hints: u32,
    /// How often the session received instructions for reading it, by an expansion or at its start.
    pub instruction_count: u32,
    /// How many of these were in full, which for an inline source is its whole text.
    pub full_instructions: u32,
    /// How often it was listed as pulled in, or as related to something that was read.
    pub notices: u32,
    /// How often it was read.
    pub reads: u32,
    /// Whether the session picked it and has not unpicked it since.
    pub is_picked: bool,
}

impl Knowledge {
    /// How often the session was sent the whole text of the source, and how often only how to read it.
    pub fn texts_and_instructions(&self, is_inline: bool) -> [u32; 2] {
        let texts = if is_inline { self.full_instructions } else { 0 };
        [texts, self.instruction_count.saturating_sub(texts)]
    }

    /// `read twice, hinted at`, the strongest first.
    pub fn words(&self, is_inline: bool) -> String {
        let [texts, instructions] = self.texts_and_instructions(is_inline);
        let times = |count: u32, word: &str| match count {
            0 => None,
            1 => Some(word.to_owned()),
            2 => Some(format!("{word} twice")),
            more => Some(format!("{word} {more} times")),
        };
        let words = [
            times(self.reads, "read"),
            self.is_picked.then(|| "picked".to_owned()),
            times(texts, "sent"),
            times(instructions, "told"),
            times(self.hints, "hinted at"),
            times(self.notices, "named in a notice"),
        ];
        words.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

/// A journal line, shortened for a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionLine {
    /// Its number.
    pub number: u64,
    /// Its time.
    pub time: Timestamp,
    /// The event.
    pub what: JournalEvent,
    /// What happened, as a sentence without the time.
    pub text: String,
    /// The estimated tokens of what was sent or read, as in the session's total; 0 for anything else, such as a
    /// rendered file.
    pub tokens: u64,
    /// Whether the journal has the exact text.
    pub has_text: bool,
    /// The source it is about, or the first of them.
    pub subject: Option<String>,
    /// Whether it is about several sources.
    pub several: bool,
}

/// A session under construction from its lines.
#[derive(Debug)]
struct SessionBuilder {
    shown: Arc<AgentSession>,
    offers: Offers,
    /// Whether an agent took part, not only a person.
    has_agent: bool,
    /// Whether `hints` and `expansions` include the latest lines.
    is_counted: bool,
}

/// Folds journal lines into sessions.
#[derive(Debug, Default)]
struct Activity {
    /// Sessions by desk and name.
    sessions: HashMap<[String; 2], SessionBuilder>,
}

impl Activity {
    pub(crate) fn add(&mut self, line: &Line) {
        // Commands that a person runs also use the default session.
        let is_forgotten = line.receipt.what == JournalEvent::Forgot;
        if line.session == DEFAULT && !is_by_agent(line) && !is_forgotten {
            return;
        }
        let key = [line.desk.clone(), line.session.clone()];
        if self.sessions.len() >= 2 * MAX_SESSIONS && !self.sessions.contains_key(&key) {
            self.forget_oldest();
        }
        let time: Option<Timestamp> = line.time.parse().ok();
        let folded = self.sessions.entry(key).or_insert_with(|| SessionBuilder::new(line, time.unwrap_or_default()));
        folded.add(line, time);
    }

    /// The sessions in which an agent took part, latest first.
    pub(crate) fn shown(&mut self) -> Vec<Arc<AgentSession>> {
        let agents = self.sessions.values_mut().filter(|folded| folded.has_agent);
        let mut shown: Vec<Arc<AgentSession>> = agents.map(SessionBuilder::counted).collect();
        shown.sort_by(|one, other| other.last.cmp(&one.last).then_with(|| one.session.cmp(&other.session)));
        shown.truncate(MAX_SESSIONS);
        shown
    }

    /// Keeps only as many sessions as are shown.
    fn forget_oldest(&mut self) {
        let mut times: Vec<Timestamp> = self.sessions.values().map(|folded| folded.shown.last).collect();
        let at = times.len().saturating_sub(MAX_SESSIONS);
        if at >= times.len() {
            return;
        }
        let (_, oldest, _) = times.select_nth_unstable(at);
        let oldest = *oldest;
        let before = self.sessions.len();
        self.sessions.retain(|_, folded| folded.shown.last >= oldest);
        if self.sessions.len() == before {
            // All sessions have the same last time, so none is older.
            self.sessions.clear();
        }
    }
}

/// Whether an agent caused this line. An agent without a name uses a command, so the kind of event decides, too.
fn is_by_agent(line: &Line) -> bool {
    let of_agents = matches!(line.receipt.what, JournalEvent::Enriched | JournalEvent::Instructed);
    of_agents || !line.by_person()
}

impl SessionBuilder {
    fn new(line: &Line, time: Timestamp) -> Self {
        let shown = AgentSession {
            desk: line.desk.clone(),
            session: line.session.clone(),
            agent: line.who.clone(),
            since: time,
            last: time,
            ..AgentSession::default()
        };
        Self { shown: Arc::new(shown), offers: Offers::default(), has_agent: false, is_counted: true }
    }

    fn add(&mut self, line: &Line, time: Option<Timestamp>) {
        let receipt = &line.receipt;
        self.offers.count(receipt);
        self.is_counted = false;
        let is_agents = is_by_agent(line);
        self.has_agent |= is_agents;
        let shown = Arc::make_mut(&mut self.shown);
        let who = line.who.strip_suffix(OVER_MCP).unwrap_or(&line.who);
        if is_agents && shown.agent != who {
            who.clone_into(&mut shown.agent);
        }
        shown.add(line, time.unwrap_or(shown.last));
    }

    fn counted(&mut self) -> Arc<AgentSession> {
        if !self.is_counted {
            self.is_counted = true;
            let shown = Arc::make_mut(&mut self.shown);
            (shown.hints, shown.expansions) = (self.offers.hinted(), self.offers.expanded());
        }
        self.shown.clone()
    }
}

impl AgentSession {
    fn add(&mut self, line: &Line, time: Timestamp) {
        let receipt = &line.receipt;
        let tokens = u64::try_from(receipt.tokens).unwrap_or(u64::MAX);
        (self.since, self.last) = (self.since.min(time), self.last.max(time));
        let is_received =
            matches!(receipt.what, JournalEvent::Enriched | JournalEvent::Instructed | JournalEvent::Read);
        if is_received {
            self.periods.add(time, tokens);
        }
        match receipt.what {
            JournalEvent::Enriched | JournalEvent::Instructed => {
                self.sent += 1;
                self.sent_tokens = self.sent_tokens.saturating_add(tokens);
            }
            JournalEvent::Read => {
                // A search may have read nothing. A read of a file that several sources share is one read.
                self.reads += usize::from(!receipt.about.is_empty());
                self.read_tokens = self.read_tokens.saturating_add(tokens);
            }
            JournalEvent::Selected => self.picks += receipt.about.len(),
            JournalEvent::Failed => self.failures += 1,
            // The agent's context no longer contains what was sent before.
            JournalEvent::Forgot => self.known.clear(),
            _ => {}
        }
        self.learn(receipt);
        self.lines.push_front(SessionLine {
            number: line.n,
            time,
            what: receipt.what,
            text: sentence(receipt),
            tokens: if is_received { tokens } else { 0 },
            has_text: receipt.text.is_some(),
            subject: subject(receipt),
            several: receipt.about.len() > 1,
        });
        self.lines.truncate(MAX_LINES);
    }

    fn learn(&mut self, receipt: &Receipt) {
        let knowledge = |known: &mut BTreeMap<String, Knowledge>, id: &str, learn: fn(&mut Knowledge)| {
            learn(known.entry(id.to_owned()).or_default());
        };
        match receipt.what {
            JournalEvent::Read => {
                receipt.about.iter().for_each(|id| knowledge(&mut self.known, id, |it| it.reads += 1));
            }
            JournalEvent::Selected => {
                receipt.about.iter().for_each(|id| knowledge(&mut self.known, id, |it| it.is_picked = true));
            }
            JournalEvent::Unselected => {
                for id in &receipt.about {
                    self.known.get_mut(id).into_iter().for_each(|it| it.is_picked = false);
                }
                self.known.retain(|_, it| *it != Knowledge::default());
            }
            _ => {}
        }
        // A line that refers to what was sent before sends nothing.
        for item in receipt.why.iter().filter(|item| item.level != Level::Count && !item.is_given_above()) {
            match item.block {
                BlockKind::Hint => knowledge(&mut self.known, &item.about, |it| it.hints += 1),
                BlockKind::Expansion | BlockKind::Instruction => {
                    knowledge(&mut self.known, &item.about, |it| it.instruction_count += 1);
                    if item.level == Level::Full {
                        knowledge(&mut self.known, &item.about, |it| it.full_instructions += 1);
                    }
                }
                BlockKind::Notice | BlockKind::Context => {
                    knowledge(&mut self.known, &item.about, |it| it.notices += 1);
                }
                BlockKind::Templates | BlockKind::Available | BlockKind::LeftOut => {}
            }
        }
    }
}

/// The first source that a line is about.
fn subject(receipt: &Receipt) -> Option<String> {
    let is_about_sources = matches!(
        receipt.what,
        JournalEvent::Read
            | JournalEvent::Selected
            | JournalEvent::Unselected
            | JournalEvent::Excluded
            | JournalEvent::Included
    );
    receipt.about.first().filter(|_| is_about_sources).cloned()
}
