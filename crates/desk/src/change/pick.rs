//! Picks sources by id and by tag, for a person or for an agent.

use std::collections::HashSet;

use super::{Desk, NewPicks, Session};
use crate::price::CostChange;
use crate::requested_names::REPEATED;
use crate::{TagFilter, about_unused_tags};
use refdesk_core::catalog::{PathState, Source, SourceId};
use refdesk_core::selection::{Role, Selection};
use refdesk_text::Error;
use refdesk_text::names::first_of;

/// Ids listed in a message before "and N more".
const NAMED: usize = 20;

/// Who picks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Picker {
    /// A person, or a command on a person's behalf.
    Person,
    /// The session's agent.
    Agent,
}

/// Outcome of a pick.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PickStatus {
    /// At least one source was picked.
    Success,
    /// All requested sources were already picked.
    AllSelected,
    /// Nothing in the catalog matches.
    NoneMatched,
    /// The catalog is empty.
    NoSources,
    /// Nothing was requested, or none of it can be picked.
    Error,
}

/// The result of a pick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked {
    /// The outcome.
    pub status: PickStatus,
    /// New picks, in the order requested.
    pub picked: Vec<SourceId>,
    /// New picks that were already pulled in, and so cost nothing more.
    pub kept: Vec<SourceId>,
    /// Sources newly pulled in, in the order of `resolved`.
    pub pulled_in: Vec<SourceId>,
    /// Sources excluded so that the pick pulls in no more than requested.
    pub excluded: Vec<SourceId>,
    /// Sources that were selected already, waited for trust, and are trusted now.
    pub trusted: Vec<SourceId>,
    /// The additional cost for an agent.
    pub cost: CostChange,
    /// Ids that are not in the catalog.
    pub unknown: Vec<String>,
    /// Ids that were not picked because their path does not exist.
    pub missing: Vec<String>,
    /// What was done, for the user; may be empty.
    pub done: String,
    /// Why parts of the request were left out, for the user.
    pub left_out: Vec<String>,
}

impl Picked {
    /// A summary for the user: what was done, and what was left out.
    pub fn summary(&self) -> String {
        let done = Some(self.done.as_str()).filter(|done| !done.is_empty());
        done.into_iter().chain(self.left_out.iter().map(String::as_str)).collect::<Vec<_>>().join("; ")
    }
}

impl Desk {
    /// Picks by id and by tag.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn pick(&mut self, session: &Session, ids: &[String], tags: &[String]) -> Result<Picked, Error> {
        self.pick_without(session, ids, tags, &[])
    }

    /// Picks by id and by tag for an agent: a tag leaves out what a person excluded, and what waits for a person's trust
    /// keeps waiting.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn pick_for_agent(&mut self, session: &Session, ids: &[String], tags: &[String]) -> Result<Picked, Error> {
        self.settle();
        let ids = &*self.catalog_ids(ids);
        let mut asked = self.resolve_request(ids, tags);
        let is_barred = |id: &SourceId| {
            !ids.iter().any(|named| named == id.as_str()) && self.choice.is_excluded_by_user(id.as_str())
        };
        let (barred, known) = std::mem::take(&mut asked.known).into_iter().partition(is_barred);
        asked.known = known;
        let mut answer = self.pick_resolved(session, (ids, tags), asked, &[], NewPicks::Agent)?;
        let entered = answer.picked.iter().chain(&answer.pulled_in);
        let sources: Vec<&Source> = entered.filter_map(|id| self.catalog.get(id.as_str())).collect();
        let those = |is_one: fn(&Source) -> bool| -> Vec<SourceId> {
            sources.iter().filter(|source| is_one(source)).map(|source| source.id.clone()).collect()
        };
        let waiting = those(Source::is_untrusted);
        let reserved = those(|source| source.place().is_some_and(|place| place.state == PathState::Reserved));
        if !waiting.is_empty() {
            answer.left_out.push(format!("the user has to trust these first: {}", mention_some(&waiting)));
        }
        if !reserved.is_empty() {
            answer.left_out.push(format!(
                "these belong to git or to refdesk itself, and are not read: {}",
                mention_some(&reserved)
            ));
        }
        if !barred.is_empty() {
            answer.left_out.push(format!("a tag does not pick what a person excluded: {}", mention_some(&barred)));
        }
        Ok(answer)
    }

    /// Picks sources and pulls in only sources up to `depth` mentions away; those just beyond are excluded.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn pick_within(&mut self, session: &Session, ids: &[SourceId], depth: usize) -> Result<Picked, Error> {
        self.settle();
        let mut too_far = self.beyond_depth(ids, depth);
        too_far.extend(self.shared_exclusions(ids, depth));
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        self.pick_without(session, &ids, &[], &too_far)
    }

    fn pick_without(
        &mut self,
        session: &Session,
        ids: &[String],
        tags: &[String],
        excluded: &[SourceId],
    ) -> Result<Picked, Error> {
        let ids = &*self.catalog_ids(ids);
        let asked = self.resolve_request(ids, tags);
        let made = asked.known.clone();
        self.pick_resolved(session, (ids, tags), asked, excluded, NewPicks::Person(&made))
    }

    fn pick_resolved(
        &mut self,
        session: &Session,
        (ids, tags): (&[String], &[String]),
        asked: ResolvedRequest,
        excluded: &[SourceId],
        new: NewPicks<'_>,
    ) -> Result<Picked, Error> {
        let mut answer = Picked {
            status: PickStatus::Error,
            picked: Vec::new(),
            kept: Vec::new(),
            pulled_in: Vec::new(),
            excluded: Vec::new(),
            trusted: Vec::new(),
            cost: CostChange::default(),
            unknown: asked.unknown,
            missing: asked.missing.iter().map(ToString::to_string).collect(),
            done: String::new(),
            left_out: Vec::new(),
        };
        let lifted: Vec<SourceId> =
            asked.known.iter().filter(|id| self.choice.is_excluded_by_user(id.as_str())).cloned().collect();
        let is_confirmed = |id: &&SourceId| {
            // What the workspace preselects needs trust, no matter who picks it.
            matches!(new, NewPicks::Person(_))
                && self.unconfirmed.contains(id.as_str())
                && self.preselected_ids().all(|preselected| preselected != id.as_str())
        };
        let confirmed: Vec<SourceId> = asked.known.iter().filter(is_confirmed).cloned().collect();
        let known = self.requested.clone();
        let mut not_trusted = None;
        if !asked.known.is_empty() {
            let done = self.change(session, new, |choice| {
                let picked: Vec<SourceId> = asked.known.iter().filter(|id| choice.pick(id.as_str())).cloned().collect();
                // Another process may have picked one of these in the meantime.
                let mut new = Vec::new();
                for id in excluded {
                    if choice.picks.iter().any(|pick| pick == id.as_str()) {
                        continue;
                    }
                    if !choice.exclusions.iter().any(|exclusion| exclusion == id.as_str()) {
                        new.push(id.clone());
                    }
                    for pick in &picked {
                        choice.exclude_for(pick.as_str(), id.as_str());
                    }
                }
                (picked, new)
            })?;
            // What the pick trusts costs an agent more than before.
            let before = self.costs(&done.before);
            if let NewPicks::Person(made) = new {
                match self.trust_picked(made, &known) {
                    Ok(trusted) => {
                        let is_earlier = |id: &SourceId| done.before.contains(id.as_str());
                        answer.trusted = trusted.into_iter().filter(is_earlier).collect();
                    }
                    Err(error) => not_trusted = Some(error.message),
                }
            }
            answer.pulled_in = entered(&done.before, &self.selection);
            answer.cost = CostChange::between(before, self.costs(&self.selection));
            (answer.picked, answer.excluded) = done.answer;
            answer.kept = answer.picked.iter().filter(|id| done.before.contains(id.as_str())).cloned().collect();
        }
        answer.status = match () {
            () if !answer.picked.is_empty() => PickStatus::Success,
            () if ids.is_empty() && tags.is_empty() => PickStatus::Error,
            () if self.catalog.is_empty() => PickStatus::NoSources,
            () if !asked.known.is_empty() => PickStatus::AllSelected,
            () if !answer.missing.is_empty() => PickStatus::Error,
            () => PickStatus::NoneMatched,
        };
        answer.done = match answer.status {
            PickStatus::NoSources => self.no_sources(),
            _ => in_words(&answer, &asked.known),
        };
        if !confirmed.is_empty() {
            answer.done = match answer.picked.is_empty() {
                true => format!("now picked by you: {}", mention_some(&confirmed)),
                false => format!("{}; now picked by you, too: {}", answer.done, mention_some(&confirmed)),
            };
        }
        if !lifted.is_empty() {
            answer.done.push_str(&format!("; no longer excluded: {}", mention_some(&lifted)));
        }
        if !answer.trusted.is_empty() {
            answer.done.push_str(&format!("; agents may now fetch {}", mention_some(&answer.trusted)));
        }
        answer.left_out = self.left_out(&answer, tags);
        answer.left_out.extend(not_trusted);
        Ok(answer)
    }

    fn resolve_request(&self, ids: &[String], tags: &[String]) -> ResolvedRequest {
        let mut asked = ResolvedRequest::default();
        let mut seen: HashSet<&str> = ids.iter().map(String::as_str).collect();
        for id in ids {
            match self.catalog.get(id) {
                Some(source) => asked.add(source),
                None => asked.unknown.push(id.clone()),
            }
        }
        let wanted = TagFilter::new(tags);
        for source in self.catalog.sources() {
            if wanted.matches(source) && seen.insert(source.id.as_str()) {
                asked.add(source);
            }
        }
        asked
    }

    /// Why tags and ids of a request to pick were left out.
    fn left_out(&self, answer: &Picked, tags: &[String]) -> Vec<String> {
        let mut words = Vec::new();
        if answer.status != PickStatus::NoSources {
            words.extend(about_unused_tags(&self.catalog, tags));
        }
        for id in &answer.missing {
            let Some(source) = self.catalog.get(id) else { continue };
            let path = source.place().map(|place| self.workspace_context().display(&place.path)).unwrap_or_default();
            words.push(format!("'{id}' is missing and cannot be picked: {path} {}", source.why_missing()));
        }
        words.extend(answer.unknown.iter().take(REPEATED).map(|id| self.unknown_id(id).message));
        if let Some(more @ 1..) = answer.unknown.len().checked_sub(REPEATED) {
            words.push(format!("{more} more of these ids are unknown"));
        }
        words
    }
}

/// What a request to pick these sources did.
fn in_words(answer: &Picked, known: &[SourceId]) -> String {
    match answer.status {
        PickStatus::Success if answer.pulled_in.is_empty() => format!("picked {}", mention_some(&answer.picked)),
        PickStatus::Success => {
            format!("picked {}; pulled in {}", mention_some(&answer.picked), mention_some(&answer.pulled_in))
        }
        PickStatus::AllSelected => format!("already picked: {}", mention_some(known)),
        PickStatus::Error if answer.missing.is_empty() => "name at least one id or tag".to_owned(),
        PickStatus::NoSources | PickStatus::NoneMatched | PickStatus::Error => String::new(),
    }
}

#[derive(Default)]
struct ResolvedRequest {
    known: Vec<SourceId>,
    missing: Vec<SourceId>,
    unknown: Vec<String>,
}

impl ResolvedRequest {
    fn add(&mut self, source: &Source) {
        let list = if source.is_missing() { &mut self.missing } else { &mut self.known };
        list.push(source.id.clone());
    }
}

/// Transitive members of `after` that are not in `before`.
fn entered(before: &Selection, after: &Selection) -> Vec<SourceId> {
    let transitive = after.members().iter().filter(|member| member.role == Role::Transitive);
    transitive.filter(|member| !before.contains(member.id.as_str())).map(|member| member.id.clone()).collect()
}

/// `@a, @b and 3 more`: at most twenty ids, since the result lists them all.
fn mention_some(ids: &[SourceId]) -> String {
    first_of(ids.iter().map(|id| format!("@{id}")), NAMED)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;
    use refdesk_files::write_atomic;

    #[test]
    fn an_agents_tag_does_not_pick_what_a_person_excluded() {
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap();
        let context = WorkspaceContext { workspace: path.clone(), current: path, ..WorkspaceContext::default() };
        let sources = ["a", "b"]
            .map(|id| serde_json::json!({"id": id, "name": id, "type": "inline", "content": "text", "tags": ["java"]}));
        let written = serde_json::json!({"sources": sources}).to_string();
        write_atomic(&context.workspace.join("references.json"), written.as_bytes()).unwrap();
        let mut desk = Desk::open(Options::new(context));
        let session = Session::of_client("a test");
        let (a, java) = (["a".to_owned()], ["java".to_owned()]);
        desk.exclude(&session, &a).unwrap();
        let picked = desk.pick_for_agent(&session, &[], &java).unwrap();
        assert_eq!(picked.summary(), "picked @b; a tag does not pick what a person excluded: @a");
        assert!(desk.selection().is_excluded("a") && !desk.selection().contains("a"));
        let access = desk.settled().access(&session);
        let refused =
            crate::reading::read_source(desk.workspace(), desk.catalog(), &access, "a", None, None).unwrap_err();
        assert_eq!(refused.message, "'a' is excluded from the selection");
        let picked = desk.pick_for_agent(&session, &a, &java).unwrap();
        assert_eq!(picked.summary(), "picked @a; no longer excluded: @a");
        desk.exclude(&session, &a).unwrap();
        let picked = desk.pick(&session, &[], &java).unwrap();
        assert_eq!(picked.summary(), "picked @a; no longer excluded: @a", "a person's tag is the last word");
    }
}
