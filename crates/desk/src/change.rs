//! Changes picks and exclusions. Each change locks the stored choice and starts from its current content, so that
//! changes of other processes are not lost (BEHAVIOUR §4, §9, §10).

use std::collections::HashSet;
use std::sync::Arc;

use super::price::CostChange;
use super::requested_names::REPEATED;
use super::{Desk, TagFilter, about_unused_tags};
use crate::Session;
use crate::session::{NewPicks, StoredSelection, advice};
use refdesk_core::catalog::{Source, SourceId};
use refdesk_core::selection::{Choice, Role, Selection, StepName};
use refdesk_text::names::first_of;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error, Fix};

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

/// The result of an unpick, an exclusion, an inclusion or a clear.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    /// Ids whose pick or exclusion changed, in the order requested.
    pub changed: Vec<String>,
    /// Sources that left the selection as a result.
    pub released: Vec<SourceId>,
    /// Sources that entered it because their exclusions belonged to a removed pick.
    pub entered: Vec<SourceId>,
    /// Why other ids were refused.
    pub refused: Vec<Error>,
}

/// A change that was applied.
pub(super) struct AppliedChange<T> {
    /// What the change function returned.
    pub answer: T,
    /// The selection before.
    pub before: Arc<Selection>,
    /// Sources that left the selection.
    pub left: Vec<SourceId>,
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
        let releasing: HashSet<SourceId> = asked.known.iter().filter(|id| self.releases(id)).cloned().collect();
        let stays_brought = |id: &str| releasing.contains(id);
        let mut answer = self.pick_resolved(session, (ids, tags), asked, &[], NewPicks::Inherited(&stays_brought))?;
        let entered = answer.picked.iter().chain(&answer.pulled_in);
        let waits = |id: &&SourceId| self.catalog.get(id.as_str()).is_some_and(Source::is_untrusted);
        let waiting: Vec<SourceId> = entered.filter(waits).cloned().collect();
        if !waiting.is_empty() {
            answer.left_out.push(format!("the user has to trust these first: {}", mention_some(&waiting)));
        }
        if !barred.is_empty() {
            answer.left_out.push(format!("a tag does not pick what a person excluded: {}", mention_some(&barred)));
        }
        Ok(answer)
    }

    /// Picks a source and pulls in only sources up to `depth` mentions away; those just beyond are excluded.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn pick_within(&mut self, session: &Session, id: &str, depth: usize) -> Result<Picked, Error> {
        self.settle();
        let mut too_far = self.beyond_depth(id, depth);
        too_far.extend(self.shared_exclusions(id, depth));
        self.pick_without(session, &[id.to_owned()], &[], &too_far)
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
        self.pick_resolved(session, (ids, tags), asked, excluded, NewPicks::Made(&made))
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
            cost: CostChange::default(),
            unknown: asked.unknown,
            missing: asked.missing.iter().map(ToString::to_string).collect(),
            done: String::new(),
            left_out: Vec::new(),
        };
        let lifted: Vec<SourceId> =
            asked.known.iter().filter(|id| self.choice.is_excluded_by_user(id.as_str())).cloned().collect();
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
            answer.pulled_in = entered(&done.before, &self.selection);
            answer.cost = self.cost_change(&done.before, &self.selection);
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
        answer.done = in_words(&answer);
        if !lifted.is_empty() {
            answer.done.push_str(&format!("; no longer excluded: {}", mention_some(&lifted)));
        }
        answer.left_out = self.left_out(&answer, tags);
        Ok(answer)
    }

    /// Removes picks, everything only they pulled in, and the exclusions made for them. Refuses a source that is
    /// selected only because others mention it, and names its parents.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn unpick(&mut self, session: &Session, ids: &[String]) -> Result<Changed, Error> {
        let ids = &*self.catalog_ids(ids);
        let mut answer = self.change_each(session, ids, Choice::unpick)?;
        for id in ids.iter().filter(|id| !answer.changed.contains(id)) {
            if let Some(member) = self.selection.member(id) {
                let why = match member.role {
                    Role::AutoRoot => "selected because it is auto".to_owned(),
                    _ => format!("pulled in by {}", mention_list(&member.parents.to_vec())),
                };
                let message = format!("'{id}' is not picked; it is {why}");
                answer.refused.push(Error::new(Code::IsTransitive, message, Fix::Exclude(id.clone())));
            } else if self.catalog.get(id).is_none() {
                answer.refused.push(self.unknown_id(id));
            }
        }
        Ok(answer)
    }

    /// Excludes sources from being pulled in, and removes their picks.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn exclude(&mut self, session: &Session, ids: &[String]) -> Result<Changed, Error> {
        let (known, unknown): (Vec<String>, Vec<String>) =
            self.catalog_ids(ids).into_iter().partition(|id| self.catalog.get(id).is_some());
        let mut answer = self.change_each(session, &known, Choice::exclude)?;
        answer.refused = unknown.iter().map(|id| self.unknown_id(id)).collect();
        Ok(answer)
    }

    /// Lifts exclusions, even of sources that are not in the catalog any more.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn include(&mut self, session: &Session, ids: &[String]) -> Result<Changed, Error> {
        let ids = &*self.catalog_ids(ids);
        let mut answer = self.change_each(session, ids, Choice::include)?;
        let is_unknown = |id: &&String| !answer.changed.contains(id) && self.catalog.get(id).is_none();
        answer.refused = ids.iter().filter(is_unknown).map(|id| self.unknown_id(id)).collect();
        Ok(answer)
    }

    /// Removes every pick; with `exclusions`, also lifts every exclusion.
    ///
    /// # Errors
    /// The desk cannot be stored; nothing is changed.
    pub fn clear(&mut self, session: &Session, exclusions: bool) -> Result<Changed, Error> {
        let clear = |choice: &mut Choice| {
            let mut changed = choice.retain_picks(&[]);
            if exclusions {
                changed.append(&mut choice.exclusions);
            }
            changed
        };
        // Undo shows a clear as such, not as an unpick.
        let name = |changed: &Vec<String>| match exclusions {
            true => "clearing the selection".to_owned(),
            false => format!("clearing of {}", counted(changed.len(), "pick")),
        };
        let done = self.change_as(session, NewPicks::Made(&[]), clear, |changed| Some(name(changed)))?;
        Ok(self.followed(done))
    }

    fn change_each(
        &mut self,
        session: &Session,
        ids: &[String],
        each: fn(&mut Choice, &str) -> bool,
    ) -> Result<Changed, Error> {
        let done = self.change(session, NewPicks::Made(&[]), |choice| {
            ids.iter().filter(|id| each(choice, id)).cloned().collect()
        })?;
        Ok(self.followed(done))
    }

    /// The result for a change of these ids, which themselves count as neither released nor entered.
    fn followed(&self, done: AppliedChange<Vec<String>>) -> Changed {
        let AppliedChange { answer: changed, before, mut left } = done;
        let own: HashSet<&str> = changed.iter().map(String::as_str).collect();
        left.retain(|id| !own.contains(id.as_str()));
        let members = self.selection.members().iter().map(|member| &member.id);
        let is_new = |id: &&SourceId| !before.contains(id.as_str()) && !own.contains(id.as_str());
        let entered = members.filter(is_new).cloned().collect();
        Changed { released: left, entered, changed, refused: Vec::new() }
    }

    /// Changes the stored choice and updates everything that depends on it.
    fn change<T>(
        &mut self,
        session: &Session,
        new: NewPicks<'_>,
        change: impl FnOnce(&mut Choice) -> T,
    ) -> Result<AppliedChange<T>, Error> {
        self.change_as(session, new, change, |_| None)
    }

    /// Like [`Self::change`], with an explicit name for undo.
    fn change_as<T>(
        &mut self,
        session: &Session,
        new: NewPicks<'_>,
        change: impl FnOnce(&mut Choice) -> T,
        name: impl FnOnce(&T) -> Option<String>,
    ) -> Result<AppliedChange<T>, Error> {
        let known = self.choice.clone();
        let AppliedChange { answer: (answer, stored, changed), before, left } =
            self.store_change(session, "", new, |choice| {
                let stored = choice.clone();
                (change(choice), stored, choice.clone())
            })?;
        // Note what other processes stored since this one last read the choice.
        self.note_stored(&known, &stored);
        self.history.note_as(name(&answer).as_deref().map(StepName::from), stored, changed);
        Ok(AppliedChange { answer, before, left })
    }

    /// Changes the stored choice without adding to the undo history; `reason` is for the journal.
    pub(super) fn store_change<T>(
        &mut self,
        session: &Session,
        reason: &str,
        new: NewPicks<'_>,
        change: impl FnOnce(&mut Choice) -> T,
    ) -> Result<AppliedChange<T>, Error> {
        // The result compares the selection before and after, so both must be complete.
        self.settle();
        if self.profile.is_some() {
            return self.change_unstored(session, reason, new, change);
        }
        self.finish_interrupted()?;
        // If the stored choice cannot be read, a long-running desk continues with the one in memory.
        let choice = if self.options.is_long_running { self.choice.clone() } else { self.preselected() };
        let brought: HashSet<&str> = self.preselected_ids().chain(self.taken_over.iter().map(String::as_str)).collect();
        let taken_over = choice.picks.iter().filter(|id| brought.contains(id.as_str())).cloned().collect();
        let initial = StoredSelection { choice, taken_over, ..StoredSelection::default() };
        let mut stored_before = Choice::default();
        let change = |choice: &mut Choice| {
            stored_before.clone_from(choice);
            change(choice)
        };
        let done = self.store.change(session, &initial, new, change).map_err(|error| not_stored(&error))?;
        self.note_choice(session, &stored_before, &done.value, reason);
        if self.options.is_long_running {
            // A long-running desk leaves a damaged file alone until the next change, which sets it aside.
            self.stored.clear();
        }
        self.set_aside.extend(done.diagnostics);
        if stored_before != self.choice {
            // Another process stored a choice that this one has not read yet: compare with the selection it results in.
            self.choose(stored_before);
        }
        self.take_over(done.taken_over);
        let before = self.choose(done.value);
        let left = self.forget_left(&before)?;
        Ok(AppliedChange { answer: done.answer, before, left })
    }

    /// The same under a profile, where the choice is not stored.
    fn change_unstored<T>(
        &mut self,
        session: &Session,
        reason: &str,
        new: NewPicks<'_>,
        change: impl FnOnce(&mut Choice) -> T,
    ) -> Result<AppliedChange<T>, Error> {
        let mut choice = self.choice.clone();
        let answer = change(&mut choice);
        let mut taken_over = self.taken_over.clone();
        new.mark(&mut taken_over, &self.choice.picks, &choice.picks);
        self.take_over(taken_over);
        self.note_choice(session, &self.choice, &choice, reason);
        let before = self.choose(choice);
        let left = self.forget_left(&before)?;
        Ok(AppliedChange { answer, before, left })
    }

    /// Adopts a choice and completes its selection; returns the previous selection.
    fn choose(&mut self, choice: Choice) -> Arc<Selection> {
        self.choice = choice;
        let before = self.selection.clone();
        self.select();
        self.settle();
        before
    }

    /// Returns the sources that left the selection since `before`, and clears them from the memory of every session, so
    /// that they are sent again if they return.
    ///
    /// # Errors
    /// A session's memory cannot be stored.
    pub(crate) fn forget_left(&self, before: &Selection) -> Result<Vec<SourceId>, Error> {
        let members = before.members().iter().map(|member| &member.id);
        let left: Vec<SourceId> = members.filter(|id| !self.selection.contains(id.as_str())).cloned().collect();
        self.store.forget(&left).map_err(|error| not_stored(&error))?;
        Ok(left)
    }

    /// Maps ids to those in the catalog: agents see `@id` and may write it.
    fn catalog_ids(&self, ids: &[String]) -> Vec<String> {
        ids.iter().map(|id| self.catalog.canonical_id(id).to_owned()).collect()
    }

    fn resolve_request(&self, ids: &[String], tags: &[String]) -> ResolvedRequest {
        let mut asked = ResolvedRequest::default();
        let mut seen: HashSet<&str> = HashSet::new();
        for id in ids {
            match self.catalog.get(id) {
                _ if !seen.insert(id) => {}
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
            let written = source.place().map_or("", |place| place.written.as_str());
            words.push(format!("'{id}' is missing and cannot be picked: {written} {}", source.why_missing()));
        }
        words.extend(answer.unknown.iter().take(REPEATED).map(|id| self.unknown_id(id).message));
        if let Some(more @ 1..) = answer.unknown.len().checked_sub(REPEATED) {
            words.push(format!("{more} more of these ids are unknown"));
        }
        words
    }
}

/// What a request to pick did.
fn in_words(answer: &Picked) -> String {
    match answer.status {
        PickStatus::Success if answer.pulled_in.is_empty() => format!("picked {}", mention_some(&answer.picked)),
        PickStatus::Success => {
            format!("picked {}; pulled in {}", mention_some(&answer.picked), mention_some(&answer.pulled_in))
        }
        PickStatus::AllSelected => "everything is already picked".to_owned(),
        PickStatus::NoSources => "the catalog has no sources".to_owned(),
        PickStatus::Error if answer.missing.is_empty() => "name at least one id or tag".to_owned(),
        PickStatus::NoneMatched | PickStatus::Error => String::new(),
    }
}

pub(super) fn not_stored(error: &std::io::Error) -> Error {
    Error::new(Code::NotStored, format!("the picks and exclusions could not be saved: {error}"), advice(error))
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

/// `@a, @b`.
pub(crate) fn mention_list(ids: &[SourceId]) -> String {
    ids.iter().map(|id| format!("@{id}")).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;
    use refdesk_files::write_atomic;

    #[test]
    fn a_change_is_compared_with_the_stored_choice() {
        let folder = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(folder.path()).unwrap();
        let context = WorkspaceContext { workspace: path.clone(), current: path, ..WorkspaceContext::default() };
        let sources = ["a", "b", "c", "d"].map(|id| {
            let next = if id == "a" { "c" } else { "d" };
            let text = if id < "c" { format!("See {next}.") } else { "The end.".to_owned() };
            serde_json::json!({"id": id, "name": id, "type": "inline", "content": text})
        });
        let written = serde_json::json!({"sources": sources}).to_string();
        write_atomic(&context.workspace.join("references.json"), written.as_bytes()).unwrap();
        let open = || Desk::open(Options { is_long_running: true, ..Options::new(context.clone()) });
        let (mut one, mut other) = (open(), open());
        let ids = |ids: &[SourceId]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
        let session = Session::of_client("a test");
        let named = |id: &str| [id.to_owned()];

        let picked = one.pick(&session, &named("a"), &[]).unwrap();
        assert_eq!((ids(&picked.picked), ids(&picked.pulled_in)), (vec!["a".to_owned()], vec!["c".to_owned()]));
        // Another process has cleared the choice, which this one has not read yet.
        other.clear(&session, false).unwrap();
        let picked = one.pick(&session, &named("a"), &[]).unwrap();
        assert_eq!((ids(&picked.picked), ids(&picked.pulled_in)), (vec!["a".to_owned()], vec!["c".to_owned()]));
        // Another process picked a source whose document this one has not read. This pick does not count what that
        // source pulls in.
        let picked = other.pick(&session, &named("b"), &[]).unwrap();
        assert_eq!(ids(&picked.pulled_in), ["d"]);
        one.clear(&session, false).unwrap();
        assert_eq!(one.undoable().0, Some("clearing of 2 picks".into()));
        other.pick(&session, &named("b"), &[]).unwrap();
        let picked = one.pick(&session, &named("a"), &[]).unwrap();
        assert_eq!(ids(&picked.pulled_in), ["c"]);
        let cleared = other.clear(&session, false).unwrap();
        assert_eq!(
            (cleared.changed, ids(&cleared.released)),
            (vec!["b".to_owned(), "a".to_owned()], vec!["c".to_owned(), "d".to_owned()])
        );
    }

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
