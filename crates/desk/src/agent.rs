//! On whose behalf a desk does something: a server speaks for many agents at one desk.

use super::Desk;
use crate::session::Receipt;
use refdesk_enrich::BlockKind;

/// Who asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Agent {
    /// As the journal and other processes name it.
    pub who: String,
    /// Which reader it is.
    pub session: String,
}

impl Desk {
    /// Does something as this agent: what is chosen, written and read meanwhile is its doing, and what it was told its own.
    pub fn act_as<T>(&mut self, agent: &Agent, act: impl FnOnce(&mut Self) -> T) -> T {
        let agent = agent.clone();
        let own = Agent { who: self.options.who.clone(), session: self.options.session.clone() };
        self.turn_to(agent);
        let done = act(self);
        self.turn_to(own);
        done
    }

    /// Puts into the journal what somebody did with the desk's help.
    pub fn note(&self, receipt: Receipt) {
        // What keeps it from being there is among the diagnostics.
        let _ = self.journal(receipt);
    }

    /// The sources that an `@id` expanded for the session: it may read them, as those that are selected (BEHAVIOUR §4), unless
    /// they were excluded since.
    pub fn expanded(&self) -> Vec<String> {
        let offered = self.store.told().0.offered.into_iter();
        let expanded = offered.filter(|(id, how)| *how == BlockKind::Expansion && !self.selection.is_excluded(id));
        expanded.map(|(id, _)| id).collect()
    }

    fn turn_to(&mut self, agent: Agent) {
        if (&agent.who, &agent.session) != (&self.options.who, &self.options.session) {
            self.store = self.store.of(&agent.session, &agent.who);
            (self.options.who, self.options.session) = (agent.who, agent.session);
        }
    }
}
