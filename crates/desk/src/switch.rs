//! Switches a desk to a profile: the profile's picks replace the desk's, as one change that can be undone. The rest of
//! the profile does not apply: its own sources, whether mentions pull in, and the tools it hides.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::change::AppliedChange;
use super::embedded::files;
use super::price::Pricing;
use super::profile::{broken, effective_settings, excluded_picks, picks};
use super::{Changed, Desk, Session};
use crate::session::{DEFAULT, INDEX, NewPicks};
use refdesk_core::catalog::{self, Catalog, Mode, Source, SourceId};
use refdesk_core::config::profile::{self, Profile, ProfileSource};
use refdesk_core::selection::{Choice, Role, Selection};
use refdesk_templates::{IndexInput, TemplateIndex};
use refdesk_text::Error;

/// What switching to a profile would change, or has changed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileSwitch {
    /// The profile's name.
    pub name: String,
    /// Ids that would be picked, in the order of the profile.
    pub picked: Vec<String>,
    /// Ids that would be unpicked.
    pub unpicked: Vec<String>,
    /// Those of the unpicked ids that other sources would still pull in.
    pub still_pulled_in: Vec<String>,
    /// Sources that would be pulled in, except missing ones and those of mode auto, which agents get anyway.
    pub pulled_in: Vec<SourceId>,
    /// Sources that would no longer be pulled in, except the unpicked ones.
    pub released: Vec<SourceId>,
    /// The estimated tokens of everything an agent gets now.
    pub tokens_before: u64,
    /// The estimated tokens after the switch.
    pub tokens_after: u64,
    /// How many selected sources would have an unknown price because they are not trusted yet.
    pub waiting: usize,
    /// Ids it lists that the desk cannot pick, because they have no source or their path does not exist.
    pub missing: Vec<String>,
    /// Ids it picks but the desk excludes.
    pub excluded: Vec<String>,
    /// Files that would be written, as displayed.
    pub writes: Vec<String>,
    /// Template files that would be removed, unless a person edited them.
    pub removes: Vec<String>,
    /// The parts of the profile that do not apply to the desk, one sentence each.
    pub stays: Vec<String>,
}

impl ProfileSwitch {
    /// Whether nothing would change.
    pub fn is_none(&self) -> bool {
        self.picked.is_empty() && self.unpicked.is_empty()
    }
}

impl Desk {
    /// What switching to the profile in this file would change; reads the documents this depends on.
    ///
    /// # Errors
    /// The profile cannot be read.
    pub(crate) fn compare_profile(&mut self, file: &Path) -> Result<ProfileSwitch, Error> {
        let profile = self.profile_at(file)?;
        self.settle();
        let after = self.choice_after_switch(&profile);
        let selected = self.closure(&after, self.rules(), Self::read);
        let pulled_in_only = |one: &Selection, other: &Selection| -> Vec<SourceId> {
            self.pulled_in(one).filter(|id| !other.contains(id.as_str())).cloned().collect()
        };
        let only_in = |one: &[String], other: &[String]| -> Vec<String> {
            one.iter().filter(|id| !other.contains(id)).cloned().collect()
        };
        let mut missing: Vec<String> = self.named_by(&profile).filter(|id| self.catalog.get(id).is_none()).collect();
        missing.extend(catalog::missing(&self.catalog, &profile.preselected).map(ToString::to_string));
        let (writes, removes) = self.files_with(&selected);
        let pricing = Pricing::new(self);
        let unpicked = only_in(&self.choice.picks, &after.picks);
        let is_pulled_in = |id: &&String| self.pulled_in(&selected).any(|other| other.as_str() == id.as_str());
        Ok(ProfileSwitch {
            still_pulled_in: unpicked.iter().filter(is_pulled_in).cloned().collect(),
            unpicked,
            writes,
            removes,
            picked: only_in(&after.picks, &self.choice.picks),
            pulled_in: pulled_in_only(&selected, &self.selection),
            released: pulled_in_only(&self.selection, &selected),
            tokens_before: pricing.of_selection(&self.selection),
            tokens_after: pricing.of_selection(&selected),
            waiting: waiting(&self.catalog, &selected),
            missing,
            excluded: excluded_picks(&profile, &after.exclusions),
            stays: self.unapplied_parts(&profile),
            name: profile.name,
        })
    }

    /// Replaces the desk's picks with those of the profile in this file.
    ///
    /// # Errors
    /// The profile cannot be read, or the desk cannot be stored; nothing is changed in either case.
    pub(crate) fn switch_to(&mut self, session: &Session, file: &Path) -> Result<Changed, Error> {
        let profile = self.profile_at(file)?;
        let known = self.choice.clone();
        let picks = self.picks_of(&profile, &[]);
        let reason = format!("switched to the profile {}", profile.name);
        let new = match profile.document.path.starts_with(self.workspace()) {
            true => NewPicks::Workspace,
            false => NewPicks::Person(&[]),
        };
        let AppliedChange { answer: (before, after), left, .. } =
            self.store_change(session, &reason, new, |choice| {
                let before = choice.clone();
                choice.retain_picks(&picks);
                // Sources that another process has excluded in the meantime stay excluded.
                choice.picks = picks.iter().filter(|id| !choice.exclusions.contains(id)).cloned().collect();
                (before, choice.clone())
            })?;
        self.note_stored(&known, &before);
        let changed = before.picks.iter().filter(|id| !after.picks.contains(id)).cloned().collect();
        self.history.note_as(Some(format!("switch to {}", profile.name).as_str().into()), before, after);
        Ok(Changed { changed, released: left, ..Changed::default() })
    }

    /// The files that are written and removed when this becomes the selection.
    fn files_with(&self, selected: &Selection) -> (Vec<String>, Vec<String>) {
        let mut writes = vec![self.workspace_context().display(self.store.choice_file())];
        if self.options.is_trial || self.profile_file().is_some() {
            return (writes, Vec::new());
        }
        let taken = self.taken();
        let next = IndexInput { selection: selected, ..self.index_input(&taken) };
        let of = |index: &TemplateIndex| {
            files(&self.readable(index).templates)
                .into_iter()
                .map(|file| (file.name, file.hash))
                .collect::<BTreeMap<_, _>>()
        };
        let (now, next) = (self.templates().0, refdesk_templates::index(next, &self.templates).0);
        let (before, after) = (of(&now), of(&next));
        let folder = |name: &String| format!("{}/{name}", refdesk_templates::FOLDER);
        let changed = after.iter().filter(|(name, hash)| before.get(*name) != Some(hash));
        writes.extend(changed.map(|(name, _)| folder(name)));
        if self.name() == DEFAULT && now != next {
            writes.push(folder(&INDEX.to_owned()));
        }
        let removes = before.keys().filter(|name| !after.contains_key(*name)).map(folder).collect();
        (writes, removes)
    }

    /// The desk's choice after a switch to this profile.
    pub(super) fn choice_after_switch(&self, profile: &Profile) -> Choice {
        let mut choice = self.choice.clone();
        choice.retain_picks(&self.picks_of(profile, &[]));
        choice.picks = self.picks_of(profile, &choice.exclusions);
        choice
    }

    /// What a selection pulls in, except sources of mode auto, which an agent gets anyway.
    pub(super) fn pulled_in<'a>(&'a self, selection: &'a Selection) -> impl Iterator<Item = &'a SourceId> {
        let members = selection.members().iter().filter(|member| member.role == Role::Transitive);
        let is_brought = |source: &Source| source.mode != Mode::Auto;
        members.map(|member| &member.id).filter(move |id| self.catalog.get(id.as_str()).is_some_and(is_brought))
    }

    pub(super) fn profile_at(&self, file: &Path) -> Result<Profile, Error> {
        let shown = || self.workspace_context().display(file);
        profile::read(self.workspace_context(), file).map_err(|problems| broken(&shown(), &problems))
    }

    /// The picks of a profile that exist and are not excluded.
    fn picks_of(&self, profile: &Profile, exclusions: &[String]) -> Vec<String> {
        let picks = picks(profile, &self.catalog, exclusions);
        picks.into_iter().filter(|id| self.catalog.get(id).is_some()).collect()
    }

    /// The ids that a profile lists but does not define itself, without duplicates.
    fn named_by<'a>(&self, profile: &'a Profile) -> impl Iterator<Item = String> + use<'a> {
        let own: HashSet<&str> = own(profile).collect();
        let preselected = profile.preselected.iter().map(String::as_str);
        let picked: HashSet<&str> = preselected.clone().collect();
        let listed = profile.sources.iter().filter(|listed| !listed.is_own()).filter_map(ProfileSource::id);
        let more = listed.filter(move |id| !picked.contains(id));
        preselected.chain(more).filter(move |id| !own.contains(id)).map(str::to_owned)
    }

    fn unapplied_parts(&self, profile: &Profile) -> Vec<String> {
        let mut stays = Vec::new();
        let own: Vec<&str> = own(profile).collect();
        if !own.is_empty() {
            let are = if own.len() == 1 { "is" } else { "are" };
            stays.push(format!("@{} {are} only in the profile and {are} not added to the catalog", own.join(", @")));
        }
        if !profile.sources.is_empty() {
            stays.push("the catalog keeps all its sources, although the profile lists only some".to_owned());
        }
        let (transitive, tools) = effective_settings(profile, self.settings());
        if transitive != self.settings().transitive_injection {
            stays.push(match transitive {
                true => "mentions still pull in nothing, although they do under the profile".to_owned(),
                false => "mentions still pull in sources, although they do not under the profile".to_owned(),
            });
        }
        if tools != self.settings().exclude_tools {
            let hides = if tools.is_empty() { "no tool".to_owned() } else { tools.join(", ") };
            stays.push(format!("the profile hides {hides} from agents; a switch does not"));
        }
        stays
    }
}

/// How many members of a selection are not trusted yet.
pub(super) fn waiting(catalog: &Catalog, selection: &Selection) -> usize {
    let members = selection.members().iter().filter_map(|member| catalog.get(member.id.as_str()));
    members.filter(|source| source.is_untrusted()).count()
}

/// The ids of the sources that a profile defines itself.
pub(super) fn own(profile: &Profile) -> impl Iterator<Item = &str> {
    profile.sources.iter().filter(|listed| listed.is_own()).filter_map(ProfileSource::id)
}
