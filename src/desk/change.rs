//! Changing what is chosen, by names from outside. Each change is made under the lock on what is stored at that moment, so
//! that nothing another process did is lost (BEHAVIOUR §4, §9, §10).

use std::collections::HashSet;

use super::{Desk, Refusal};
use crate::catalog::{Source, SourceId};
use crate::selection::{Choice, Role, Selection};
use crate::text::fold::same_tag;
use crate::text::nearest::did_you_mean;

/// What a request to pick came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PickStatus {
    /// Something was picked.
    Success,
    /// All that was asked for had been picked before.
    AllSelected,
    /// Nothing in the catalog is what was asked for.
    NoneMatched,
    /// The catalog is empty.
    NoSources,
    /// Nothing was asked for, or nothing of it can be picked.
    Error,
}

/// The answer to a request to pick.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked {
    /// What it came to.
    pub status: PickStatus,
    /// Picks newly made, in the order asked.
    pub picked: Vec<SourceId>,
    /// Transitive sources newly pulled in, in the order of `resolved`.
    pub pulled_in: Vec<SourceId>,
    /// Ids that are in no catalog.
    pub unknown: Vec<String>,
    /// Ids whose path exists nowhere, and which were not picked.
    pub missing: Vec<String>,
    /// All of it in words.
    pub message: String,
}

/// The answer to unpicking, excluding, including and clearing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changed {
    /// Ids whose pick or exclusion changed, in the order asked.
    pub changed: Vec<String>,
    /// Sources that left the selection with them.
    pub released: Vec<SourceId>,
    /// What could not be done.
    pub refused: Vec<Refusal>,
}

impl Desk {
    /// Picks by id and by tag.
    ///
    /// # Errors
    /// Where the desk cannot be stored; nothing was changed then.
    pub fn pick(&mut self, ids: &[String], tags: &[String]) -> Result<Picked, Refusal> {
        let asked = self.asked_for(ids, tags);
        let before = self.selection.clone();
        let mut answer = Picked {
            status: PickStatus::Error,
            picked: Vec::new(),
            pulled_in: Vec::new(),
            unknown: asked.unknown,
            missing: asked.missing.iter().map(ToString::to_string).collect(),
            message: String::new(),
        };
        if !asked.known.is_empty() {
            (answer.picked, _) = self.change(|choice| {
                asked.known.iter().filter(|id| choice.pick(id.as_str())).cloned().collect::<Vec<_>>()
            })?;
        }
        answer.pulled_in = entered(&before, &self.selection);
        answer.status = match () {
            () if !answer.picked.is_empty() => PickStatus::Success,
            () if ids.is_empty() && tags.is_empty() => PickStatus::Error,
            () if self.catalog.is_empty() => PickStatus::NoSources,
            () if !asked.known.is_empty() => PickStatus::AllSelected,
            () if !answer.missing.is_empty() => PickStatus::Error,
            () => PickStatus::NoneMatched,
        };
        answer.message = self.in_words(&answer, tags);
        Ok(answer)
    }

    /// Takes picks back; what no remaining pick reaches leaves with them. What is selected only because others mention it
    /// is refused with its parents named.
    ///
    /// # Errors
    /// Where the desk cannot be stored; nothing was changed then.
    pub fn unpick(&mut self, ids: &[String]) -> Result<Changed, Refusal> {
        let mut answer = self.change_each(ids, Choice::unpick)?;
        for id in ids.iter().filter(|id| !answer.changed.contains(id)) {
            if let Some(member) = self.selection.member(id) {
                let hint = format!("exclude it instead: refdesk exclude {id}");
                answer.refused.push(match member.role {
                    Role::AutoRoot => {
                        let message = format!("'{id}' is no pick; it is selected because it is auto");
                        Refusal::new("is-transitive", message, hint)
                    }
                    _ => {
                        let parents = at_list(&member.parents);
                        Refusal::new("is-transitive", format!("'{id}' is no pick; {parents} brings it in"), hint)
                    }
                });
            } else if self.catalog.get(id).is_none() {
                answer.refused.push(self.unknown_id(id));
            }
        }
        Ok(answer)
    }

    /// Bars sources from being pulled in; picks of them are taken back.
    ///
    /// # Errors
    /// Where the desk cannot be stored; nothing was changed then.
    pub fn exclude(&mut self, ids: &[String]) -> Result<Changed, Refusal> {
        let (known, unknown): (Vec<String>, Vec<String>) =
            ids.iter().cloned().partition(|id| self.catalog.get(id).is_some());
        let mut answer = self.change_each(&known, Choice::exclude)?;
        answer.refused = unknown.iter().map(|id| self.unknown_id(id)).collect();
        Ok(answer)
    }

    /// Lifts exclusions, of sources that are gone from the catalog too.
    ///
    /// # Errors
    /// Where the desk cannot be stored; nothing was changed then.
    pub fn include(&mut self, ids: &[String]) -> Result<Changed, Refusal> {
        let mut answer = self.change_each(ids, Choice::include)?;
        let is_unknown = |id: &&String| !answer.changed.contains(id) && self.catalog.get(id).is_none();
        answer.refused = ids.iter().filter(is_unknown).map(|id| self.unknown_id(id)).collect();
        Ok(answer)
    }

    /// Takes every pick back; with `exclusions` lifts every exclusion too.
    ///
    /// # Errors
    /// Where the desk cannot be stored; nothing was changed then.
    pub fn clear(&mut self, exclusions: bool) -> Result<Changed, Refusal> {
        let (changed, left) = self.change(|choice| {
            let mut changed = std::mem::take(&mut choice.picks);
            if exclusions {
                changed.append(&mut choice.exclusions);
            }
            changed
        })?;
        Ok(Changed { released: without(left, &changed), changed, refused: Vec::new() })
    }

    fn change_each(&mut self, ids: &[String], each: fn(&mut Choice, &str) -> bool) -> Result<Changed, Refusal> {
        let (changed, left) =
            self.change(|choice| ids.iter().filter(|id| each(choice, id)).cloned().collect::<Vec<_>>())?;
        Ok(Changed { released: without(left, &changed), changed, refused: Vec::new() })
    }

    /// Changes the stored choice and all that follows from it; gives what the change answered and who left the selection.
    fn change<T>(&mut self, change: impl FnOnce(&mut Choice) -> T) -> Result<(T, Vec<SourceId>), Refusal> {
        let known = self.choice.clone();
        let ((answer, before, after), left) = self.store_change("", |choice| {
            let before = choice.clone();
            (change(choice), before, choice.clone())
        })?;
        // What was stored by somebody else since it was read here.
        self.history.note_others(&known, &before);
        self.history.note(before, after);
        Ok((answer, left))
    }

    /// The same without a note of it in the history; `reason` is for the journal.
    pub(super) fn store_change<T>(
        &mut self,
        reason: &str,
        change: impl FnOnce(&mut Choice) -> T,
    ) -> Result<(T, Vec<SourceId>), Refusal> {
        if self.profile.is_some() {
            return self.change_here(reason, change);
        }
        self.finish_interrupted()?;
        // Where nothing can be read that is stored, a desk that lives on goes on from what it knows.
        let initial = if self.options.lives_on { self.choice.clone() } else { self.preselected() };
        let mut stored_before = Choice::default();
        let change = |choice: &mut Choice| {
            stored_before.clone_from(choice);
            change(choice)
        };
        let done = self.store.change(&initial, change).map_err(|error| Refusal::storing(&error))?;
        self.note_choice(&stored_before, &done.value, reason);
        if self.options.lives_on {
            // What was damaged was left alone until now; now it is set aside.
            self.stored.clear();
        }
        self.set_aside.extend(done.diagnostics);
        self.choice = done.value;
        let before = self.selection.clone();
        self.select();
        self.settle();
        let left = self.forget_left(&before)?;
        Ok((done.answer, left))
    }

    /// The same under a profile, where nothing of what is chosen is stored.
    fn change_here<T>(
        &mut self,
        reason: &str,
        change: impl FnOnce(&mut Choice) -> T,
    ) -> Result<(T, Vec<SourceId>), Refusal> {
        let (before, selected) = (self.choice.clone(), self.selection.clone());
        let answer = change(&mut self.choice);
        self.note_choice(&before, &self.choice, reason);
        self.select();
        self.settle();
        let left = self.forget_left(&selected)?;
        Ok((answer, left))
    }

    /// Who left the selection since it was `before`; every session is told of them again when they come back.
    ///
    /// # Errors
    /// Where what a session was told cannot be stored.
    pub fn forget_left(&self, before: &Selection) -> Result<Vec<SourceId>, Refusal> {
        let members = before.members().iter().map(|member| &member.id);
        let left: Vec<SourceId> = members.filter(|id| !self.selection.contains(id.as_str())).cloned().collect();
        self.store.forget(&left).map_err(|error| Refusal::storing(&error))?;
        Ok(left)
    }

    fn asked_for(&self, ids: &[String], tags: &[String]) -> AskedFor {
        let mut asked = AskedFor::default();
        let mut seen: HashSet<&str> = HashSet::new();
        for id in ids {
            match self.catalog.get(id) {
                _ if !seen.insert(id) => {}
                Some(source) => asked.add(source),
                None => asked.unknown.push(id.clone()),
            }
        }
        for source in self.catalog.sources() {
            if has_any_tag(source, tags) && seen.insert(source.id.as_str()) {
                asked.add(source);
            }
        }
        asked
    }

    fn in_words(&self, answer: &Picked, tags: &[String]) -> String {
        let mut words = Vec::new();
        match answer.status {
            PickStatus::Success => {
                words.push(format!("picked {}", at_list(&answer.picked)));
                if !answer.pulled_in.is_empty() {
                    words.push(format!("pulled in {}", at_list(&answer.pulled_in)));
                }
            }
            PickStatus::AllSelected => words.push("all of it is picked already".to_owned()),
            PickStatus::NoSources => words.push("the catalog has no sources".to_owned()),
            PickStatus::NoneMatched if !tags.is_empty() && answer.unknown.is_empty() => {
                words.push(format!("no source has the tag {}", tags.join(" or ")));
            }
            PickStatus::NoneMatched => {}
            PickStatus::Error if answer.missing.is_empty() => {
                words.push("name at least one id or --tag; `refdesk list` shows them".to_owned());
            }
            PickStatus::Error => {}
        }
        for id in &answer.missing {
            let path = self.catalog.get(id).and_then(|source| Some(source.place()?.written.clone()));
            words.push(format!("'{id}' is missing and cannot be picked: {} exists nowhere", path.unwrap_or_default()));
        }
        for id in &answer.unknown {
            words.push(self.unknown_id(id).message);
        }
        words.join("; ")
    }

    /// A refusal for an id that is in no catalog, with the nearest one that is.
    pub fn unknown_id(&self, id: &str) -> Refusal {
        let known = self.catalog.sources().iter().map(|source| source.id.as_str());
        let nearest = did_you_mean(id, known).map_or_else(String::new, |question| format!(" ({question})"));
        Refusal::new("unknown-id", format!("no source has the id '{id}'{nearest}"), "`refdesk list` shows all ids")
    }
}

/// Whether the source has one of these tags, compared as hints compare them.
pub fn has_any_tag(source: &Source, tags: &[String]) -> bool {
    source.tags.iter().any(|tag| tags.iter().any(|wanted| same_tag(tag, wanted)))
}

#[derive(Default)]
struct AskedFor {
    known: Vec<SourceId>,
    missing: Vec<SourceId>,
    unknown: Vec<String>,
}

impl AskedFor {
    fn add(&mut self, source: &Source) {
        let list = if source.is_missing() { &mut self.missing } else { &mut self.known };
        list.push(source.id.clone());
    }
}

/// Transitive members of `after` that `before` had not.
fn entered(before: &Selection, after: &Selection) -> Vec<SourceId> {
    let transitive = after.members().iter().filter(|member| member.role == Role::Transitive);
    transitive.filter(|member| !before.contains(member.id.as_str())).map(|member| member.id.clone()).collect()
}

/// Who left, but for those whose own pick or exclusion changed.
fn without(left: Vec<SourceId>, changed: &[String]) -> Vec<SourceId> {
    left.into_iter().filter(|id| !changed.iter().any(|other| other == id.as_str())).collect()
}

/// `@a, @b`.
pub fn at_list(ids: &[SourceId]) -> String {
    ids.iter().map(|id| format!("@{id}")).collect::<Vec<_>>().join(", ")
}
