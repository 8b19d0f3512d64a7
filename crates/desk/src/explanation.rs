//! Explains the selection: what some ids would pull in, why a source is selected, and the whole graph (BEHAVIOUR §4,
//! §10).

use super::change::mention_list;
use super::{CompleteDesk, Desk};
use crate::session::Line;
use refdesk_core::catalog::{Mode, SourceId};
use refdesk_core::mention::Mention;
use refdesk_core::selection::{self, Choice, ExpansionRules, Role, Selection};
use refdesk_text::{Code, Error, Fix};

/// The selection that results from certain ids alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closure {
    /// The known ids as picks, and what they pull in.
    pub selection: Selection,
    /// Ids that are not in the catalog.
    pub unknown: Vec<String>,
}

/// A link of the chain from a source to the pick that pulled it in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PickLink {
    /// The source.
    pub id: SourceId,
    /// Its role in the selection.
    pub role: Role,
    /// The mentions of it: first the decisive one, in the text of the next link; then those of other parents.
    pub mentions: Vec<Mention>,
    /// The journal line of its pick, if it is a pick and the journal contains that.
    pub picked: Option<Line>,
    /// Whether the configuration picks it and no choice was made since.
    pub preselected: bool,
    /// Whether an agent picked it and no person confirmed that.
    pub is_unconfirmed: bool,
}

impl Desk {
    /// The selection that results from these ids alone, under the desk's exclusions; changes nothing.
    pub fn resolve(&mut self, ids: &[String]) -> Closure {
        let mut choice = Choice { exclusions: self.choice.exclusions.clone(), ..Choice::default() };
        let (known, unknown): (Vec<String>, Vec<String>) =
            self.catalog_ids(ids).into_iter().partition(|id| self.catalog.get(id).is_some());
        for id in &known {
            choice.pick(id);
        }
        let rules = ExpansionRules { from_auto: false, ..self.rules() };
        let selection = self.closure(&choice, rules, Self::read);
        Closure { unknown, selection }
    }

    /// The mentions among the members of this selection, in their order, then by file and line. If all documents mention
    /// all sources, there are millions: do not collect them.
    pub fn mentions_among<'a>(&'a self, selection: &'a Selection) -> impl Iterator<Item = Mention> + 'a {
        let is_member = |id: &SourceId| selection.contains(id.as_str());
        selection.members().iter().flat_map(move |member| self.graph.from_to(member.id.as_str(), is_member))
    }

    /// The selection of a choice; `read` reads the documents on which it depends.
    pub(super) fn closure(
        &mut self,
        choice: &Choice,
        rules: ExpansionRules,
        read: impl Fn(&mut Self, &[SourceId]),
    ) -> Selection {
        loop {
            let selection = selection::select(choice, &self.catalog, &self.graph, rules);
            let wanted = selection::unscanned(&selection, &self.graph, rules);
            if wanted.is_empty() {
                return selection;
            }
            read(self, &wanted);
        }
    }
}

impl CompleteDesk<'_> {
    /// The chain of reasons, which ends at a pick or at an auto source.
    ///
    /// # Errors
    /// The source is unknown or not selected; the error suggests a fix.
    pub fn why(&self, id: &str) -> Result<Vec<PickLink>, Error> {
        let id = self.catalog.canonical_id(id);
        let mut chain = Vec::new();
        let mut next = match self.selection.member(id) {
            Some(member) => Some(member.id.clone()),
            None => return self.auto(id).map(|link| vec![link]).ok_or_else(|| self.not_selected(id)),
        };
        while let Some(member) = next.take().and_then(|id| self.selection.member(id.as_str())) {
            let mut mentions: Vec<Mention> =
                selection::reasons(&self.selection, &self.graph, member.id.as_str()).collect();
            mentions.sort_by_key(|mention| Some(&mention.from) != member.reason.as_ref());
            let picked = (member.role == Role::Picked).then(|| self.picked_by(member.id.as_str())).flatten();
            let preselected =
                member.role == Role::Picked && self.chosen_by.0.is_none() && self.is_preselected(member.id.as_str());
            let is_unconfirmed = self.picks_by_agents().contains(member.id.as_str());
            let (id, role) = (member.id.clone(), member.role);
            chain.push(PickLink { id, role, mentions, picked, preselected, is_unconfirmed });
            next.clone_from(&member.reason);
        }
        Ok(chain)
    }

    /// The reason for an auto source that pulls in nothing, so that it is not in the selection.
    fn auto(&self, id: &str) -> Option<PickLink> {
        let source = self.catalog.get(id).filter(|source| source.mode == Mode::Auto && !source.is_missing())?;
        let (id, role, mentions) = (source.id.clone(), Role::AutoRoot, Vec::new());
        (!self.selection.is_excluded(id.as_str())).then_some(PickLink {
            id,
            role,
            mentions,
            picked: None,
            preselected: false,
            is_unconfirmed: false,
        })
    }

    fn not_selected(&self, id: &str) -> Error {
        let pick = Fix::Pick(id.to_owned());
        let (message, hint) = match self.catalog.get(id) {
            None if self.selection.dormant().iter().any(|dormant| dormant == id) => {
                (format!("'{id}' is picked and dormant: its source is gone from the catalog"), Fix::None)
            }
            None => return self.unknown_id(id),
            Some(_) if self.selection.is_excluded(id) => (format!("'{id}' is excluded"), Fix::Include(id.to_owned())),
            Some(source) if source.is_missing() => {
                let message = format!("'{id}' is not selected, and missing: its path {}", source.why_missing());
                (message, "correct its path first".into())
            }
            Some(_) => {
                let parents: Vec<SourceId> = self.mentioned_by(id);
                let who = if parents.is_empty() {
                    String::new()
                } else {
                    format!("; {} would pull it in", mention_list(&parents))
                };
                (format!("'{id}' is not selected: it is not picked, and no selected source mentions it{who}"), pick)
            }
        };
        Error::new(Code::NotSelected, message, hint)
    }

    /// The sources that mention this one in the documents read so far, in catalog order.
    fn mentioned_by(&self, id: &str) -> Vec<SourceId> {
        let sources = self.catalog.sources().iter();
        let mentions = |from: &SourceId| self.graph.targets(from.as_str()).any(|to| to.as_str() == id);
        sources.map(|source| &source.id).filter(|from| mentions(from)).cloned().collect()
    }
}
