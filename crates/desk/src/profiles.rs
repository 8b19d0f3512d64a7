//! Compares what the workspace's profiles would load. Profiles with the whole catalog share one mention graph, and so
//! do profiles with the same smaller catalog. The result equals what a desk under the profile would have.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use rayon::prelude::*;

use super::Desk;
use super::enrichment::hides_select_tool;
use super::price::{self, Pricing};
use super::profile::{ProfileCheck, effective_settings, excluded_picks, picks};
use super::switch::{own, waiting};
use refdesk_core::catalog::{Catalog, Mode, Source, SourceId};
use refdesk_core::config::profile::{self, Profile, ProfileFile, ProfileSource};
use refdesk_core::mention::{self, Library, MentionGraph};
use refdesk_core::selection::{self, Choice, ExpansionRules, Role, Selection};
use refdesk_templates::{IndexInput, SelectionTemplates};
use refdesk_text::report::Diagnostic;

/// What a profile would load.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProfileDetails {
    /// Its name, or that of its file if it cannot be read.
    pub name: String,
    /// Its description; may be empty.
    pub description: String,
    /// Its file, as an absolute path.
    pub file: PathBuf,
    /// The file as displayed.
    pub shown: String,
    /// The ids of its `preselected`.
    pub preselected: Vec<String>,
    /// The ids among them that become picks.
    pub picks: Vec<SourceId>,
    /// The sources they pull in, in the order of the selection.
    pub transitive: Vec<SourceId>,
    /// Auto sources that count as picks (`transitive_from_auto`).
    pub from_auto: Vec<SourceId>,
    /// Auto sources it does not pick; an agent gets them anyway.
    pub auto: Vec<SourceId>,
    /// Ids it picks but the desk excludes.
    pub excluded: Vec<String>,
    /// Ids that no source has, and those whose path does not exist.
    pub missing: Vec<String>,
    /// Names of its templates, sorted.
    pub templates: Vec<String>,
    /// The estimated tokens of everything an agent gets with it, if known.
    pub tokens: u64,
    /// How many of its sources have no known price because they are not trusted yet.
    pub waiting: usize,
    /// The tools hidden from its agent.
    pub exclude_tools: Vec<String>,
    /// Whether mentions pull in sources.
    pub transitive_injection: bool,
    /// The ids of the sources it lists; empty if it has all of them.
    pub sources: Vec<String>,
    /// The ids among them that only the profile defines.
    pub own: Vec<String>,
    /// What the desk would have after switching to it: all the desk's sources, under the desk's own rules. `None` if
    /// the profile cannot be read.
    pub switched: Option<AfterSwitch>,
    /// Its problems.
    pub problems: Vec<Diagnostic>,
}

/// What a desk would have after switching to a profile, counted as for the desk itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AfterSwitch {
    /// Its picks.
    pub picks: Vec<SourceId>,
    /// What they pull in, without auto sources.
    pub pulled_in: Vec<SourceId>,
    /// Auto sources that are not picked.
    pub auto: Vec<SourceId>,
    /// Names of the templates, sorted.
    pub templates: Vec<String>,
    /// The estimated tokens of everything an agent gets.
    pub tokens: u64,
    /// How many of the sources have no known price because they are not trusted yet.
    pub waiting: usize,
}

/// A readable profile, with its choice.
struct ProfilePlan<'a> {
    profile: &'a Profile,
    known: ProfileCheck,
    choice: Choice,
    excluded: Vec<String>,
    rules: ExpansionRules,
    exclude_tools: Vec<String>,
}

/// A catalog with the documents read from it.
struct ProfileCatalog {
    catalog: Arc<Catalog>,
    graph: Arc<MentionGraph>,
    tokens: Arc<HashMap<SourceId, u64>>,
}

impl Desk {
    /// Every profile of the workspace, by byte order of file name; and why their folder cannot be read.
    pub fn profiles(&mut self) -> (Vec<ProfileDetails>, Vec<Diagnostic>) {
        let (found, problems) = profile::read_all(self.workspace_context());
        (self.profile_details(&found), problems)
    }

    /// Like [`Self::profiles`], with the figures after a switch: these differ if the profile has fewer sources or other
    /// rules.
    pub(crate) fn profiles_to_switch_to(&mut self) -> (Vec<ProfileDetails>, Vec<Diagnostic>) {
        self.settle();
        let (mut profiles, problems) = self.profiles();
        for profile in &mut profiles {
            if let Some(AfterSwitch { picks, pulled_in, auto, templates, tokens, waiting }) = profile.switched.clone() {
                (profile.picks, profile.transitive, profile.auto) = (picks, pulled_in, auto);
                (profile.templates, profile.tokens, profile.waiting) = (templates, tokens, waiting);
                profile.from_auto.clear();
            }
        }
        (profiles, problems)
    }

    /// What these profiles would load.
    pub fn profile_details(&mut self, found: &[ProfileFile]) -> Vec<ProfileDetails> {
        let plans: Vec<Option<ProfilePlan<'_>>> =
            found.par_iter().map(|found| Some(self.plan(found.read.as_ref().ok()?))).collect();
        let switches: Vec<ProfilePlan<'_>> =
            plans.iter().flatten().map(|plan| self.switch_plan(plan.profile)).collect();
        // Computed together, because they share most of what they need.
        let mut details = self.loaded(&plans.iter().flatten().chain(&switches).collect::<Vec<_>>());
        let after = details.split_off(details.len() - switches.len());
        let after =
            after.into_iter().zip(&switches).map(|(details, plan)| self.after(plan, details)).collect::<Vec<_>>();
        let mut details =
            details.into_iter().zip(after).map(|(details, after)| ProfileDetails { switched: Some(after), ..details });
        let mut all = Vec::with_capacity(found.len());
        for (found, plan) in found.iter().zip(&plans) {
            let (file, shown) = (found.file.clone(), self.workspace_context().display(&found.file));
            let what = match (plan, &found.read) {
                (Some(_), _) => details.next().unwrap_or_default(),
                (None, read) => ProfileDetails {
                    name: found.name().to_owned(),
                    transitive_injection: self.settings().transitive_injection,
                    problems: read.as_ref().err().cloned().unwrap_or_default(),
                    ..ProfileDetails::default()
                },
            };
            all.push(ProfileDetails { file, shown, ..what });
        }
        all
    }

    /// What a desk would have after switching to this plan.
    fn after(&self, plan: &ProfilePlan<'_>, details: ProfileDetails) -> AfterSwitch {
        let is_auto = |id: &SourceId| self.catalog.get(id.as_str()).is_some_and(|source| source.mode == Mode::Auto);
        AfterSwitch {
            picks: plan.choice.picks.iter().map(|id| id.as_str().into()).collect(),
            pulled_in: details.transitive.into_iter().filter(|id| !is_auto(id)).collect(),
            auto: details.auto,
            templates: details.templates,
            tokens: details.tokens,
            waiting: details.waiting,
        }
    }

    /// The plan of a switch to this profile: all the desk's sources, under the desk's own rules.
    fn switch_plan<'a>(&self, profile: &'a Profile) -> ProfilePlan<'a> {
        ProfilePlan {
            profile,
            known: ProfileCheck { catalog: None, missing: Vec::new(), problems: Vec::new() },
            choice: self.choice_after_switch(profile),
            excluded: Vec::new(),
            rules: self.rules(),
            exclude_tools: self.settings().exclude_tools.clone(),
        }
    }

    /// The problems of this workspace's profiles.
    pub fn profile_problems(&self) -> Vec<Diagnostic> {
        let (found, mut problems) = profile::read_all(self.workspace_context());
        problems.extend(found.iter().flat_map(|found| match &found.read {
            // The catalog lacks sources that the other profiles name.
            Ok(profile) if self.is_narrowed() => profile.problems.clone(),
            _ => super::profile::problems(self.workspace_context(), &self.catalog, found),
        }));
        let readable = found.iter().filter_map(|found| found.read.as_ref().ok());
        problems.extend(readable.flat_map(|profile| self.unknown_tools(&profile.document, &profile::REFERENCES_PATH)));
        problems
    }

    fn plan<'a>(&self, profile: &'a Profile) -> ProfilePlan<'a> {
        let known = ProfileCheck::new(self.workspace_context(), &self.catalog, profile);
        let exclusions = &self.choice.exclusions;
        let catalog = known.catalog.as_ref().unwrap_or(&self.catalog);
        let picks = picks(profile, catalog, exclusions);
        let choice = Choice { picks, exclusions: exclusions.clone(), ..Choice::default() };
        let excluded = excluded_picks(profile, exclusions);
        let (transitive, exclude_tools) = effective_settings(profile, self.settings());
        let rules = ExpansionRules { transitive, ..self.rules() };
        ProfilePlan { profile, known, choice, excluded, rules, exclude_tools }
    }

    /// What each of these plans loads, in the same order.
    fn loaded(&mut self, plans: &[&ProfilePlan<'_>]) -> Vec<ProfileDetails> {
        // Profiles with the same sources share the documents read.
        let mut groups: Vec<(Option<&Catalog>, Vec<usize>)> = vec![(None, Vec::new())];
        let mut by_ids: HashMap<Vec<&SourceId>, usize> = HashMap::new();
        for (at, plan) in plans.iter().enumerate() {
            let group = match &plan.known.catalog {
                None => 0,
                Some(catalog) => {
                    let has_own = plan.profile.sources.iter().any(ProfileSource::is_own);
                    let ids = catalog.sources().iter().map(|source| &source.id).collect();
                    let next = groups.len();
                    let group = if has_own { next } else { *by_ids.entry(ids).or_insert(next) };
                    if group == next {
                        groups.push((Some(catalog), Vec::new()));
                    }
                    group
                }
            };
            if let Some((_, members)) = groups.get_mut(group) {
                members.push(at);
            }
        }
        let of = |members: &[usize]| -> Vec<&ProfilePlan<'_>> {
            members.iter().filter_map(|at| plans.get(*at).copied()).collect()
        };
        let whole = groups.first().map(|(_, members)| of(members)).unwrap_or_default();
        let whole = {
            let catalog_data = self.whole_catalog(&union(&whole));
            self.in_catalog(&catalog_data, &whole)
        };
        let desk = &*self;
        let narrow = groups.par_iter().skip(1).map(|(catalog, members)| {
            let plans = of(members);
            let catalog_data = desk.narrowed_catalog(catalog.cloned().unwrap_or_default(), &union(&plans));
            desk.in_catalog(&catalog_data, &plans)
        });
        let details: Vec<Vec<ProfileDetails>> = std::iter::once(whole).chain(narrow.collect::<Vec<_>>()).collect();
        let mut in_order: Vec<(usize, ProfileDetails)> = groups
            .iter()
            .zip(details)
            .flat_map(|((_, members), details)| members.iter().copied().zip(details))
            .collect();
        in_order.sort_by_key(|(at, _)| *at);
        in_order.into_iter().map(|(_, details)| details).collect()
    }

    /// The desk's own catalog, with the documents that the choice reaches.
    fn whole_catalog(&mut self, (choice, rules): &(Choice, ExpansionRules)) -> ProfileCatalog {
        loop {
            let wanted = selection::wanted(choice, &self.catalog, &self.graph, *rules);
            if wanted.is_empty() {
                break;
            }
            self.load_documents(&wanted);
        }
        ProfileCatalog { catalog: self.catalog.clone(), graph: self.graph.clone(), tokens: self.tokens.clone() }
    }

    /// Another catalog, with the documents that the choice reaches.
    fn narrowed_catalog(&self, catalog: Catalog, (choice, rules): &(Choice, ExpansionRules)) -> ProfileCatalog {
        let library = Library::for_one_command(self.workspace(), &catalog, self.options.clock);
        let (mut graph, mut tokens) = (MentionGraph::default(), HashMap::new());
        loop {
            let wanted = selection::wanted(choice, &catalog, &graph, *rules);
            let sources: Vec<&Source> = wanted.iter().filter_map(|id| catalog.get(id.as_str())).collect();
            if sources.is_empty() {
                break;
            }
            for scanned in library.scan(&sources) {
                tokens.extend(scanned.tokens.map(|count| (scanned.id.clone(), count)));
                graph.insert(scanned.id, scanned.mentions);
            }
        }
        ProfileCatalog { catalog: Arc::new(catalog), graph: Arc::new(graph), tokens: Arc::new(tokens) }
    }

    fn in_catalog(&self, catalog_data: &ProfileCatalog, plans: &[&ProfilePlan<'_>]) -> Vec<ProfileDetails> {
        let close = |plan: &&ProfilePlan<'_>| {
            selection::select(&plan.choice, &catalog_data.catalog, &catalog_data.graph, plan.rules)
        };
        let selections: Vec<Selection> = plans.par_iter().map(close).collect();
        let (choice, rules) = union(plans);
        let all = selection::select(&choice, &catalog_data.catalog, &catalog_data.graph, rules);
        let sources: Vec<&Source> = price::agent_sources(&catalog_data.catalog, &all).collect();
        let budget = refdesk_files::walk::WalkBudget::default();
        let price = |source: &Source| {
            let known = catalog_data.tokens.get(source.id.as_str()).copied();
            known.or_else(|| mention::tokens(source, &budget))
        };
        let prices: HashMap<SourceId, u64> =
            sources.par_iter().filter_map(|source| Some((source.id.clone(), price(source)?))).collect();
        let taken = self.taken();
        let asked = IndexInput { catalog: &catalog_data.catalog, selection: &all, ..self.index_input(&taken) };
        let templates =
            SelectionTemplates::of(asked, (self.options.clock)()).names(&selections.iter().collect::<Vec<_>>());
        let parts = plans.par_iter().zip(selections).zip(templates);
        // Folders are walked once for all profiles.
        let pricing = || Pricing::of(self, &catalog_data.catalog, &prices);
        parts
            .map_init(pricing, |pricing, ((plan, selection), templates)| {
                let tokens = pricing.without_hints(&selection, hides_select_tool(&plan.exclude_tools));
                let waiting = waiting(&catalog_data.catalog, &selection);
                let auto = autos(&catalog_data.catalog, &selection);
                let mut told = describe(plan, &selection, templates);
                told.missing.extend(missing_of(&catalog_data.catalog, &told.transitive));
                ProfileDetails { tokens, waiting, auto, ..told }
            })
            .collect()
    }
}

/// All their picks, minus the exclusions they share, under the rules that pull in most: this reaches everything that
/// any of them reaches.
fn union(plans: &[&ProfilePlan<'_>]) -> (Choice, ExpansionRules) {
    let (mut choice, mut rules) = (Choice::default(), ExpansionRules { transitive: false, from_auto: false });
    let mut seen = HashSet::new();
    for plan in plans {
        rules.transitive |= plan.rules.transitive;
        rules.from_auto |= plan.rules.from_auto;
        choice.picks.extend(plan.choice.picks.iter().filter(|id| seen.insert(id.as_str())).cloned());
    }
    let mut exclusions = plans.iter().map(|plan| &plan.choice.exclusions);
    if let Some(first) = exclusions.next() {
        let others: Vec<HashSet<&String>> = exclusions.map(|others| others.iter().collect()).collect();
        let by_all = |id: &&String| others.iter().all(|others| others.contains(id));
        choice.exclusions = first.iter().filter(by_all).cloned().collect();
    }
    (choice, rules)
}

/// The ids of sources whose path does not exist.
fn missing_of(catalog: &Catalog, ids: &[SourceId]) -> Vec<String> {
    let is_missing = |id: &&SourceId| catalog.get(id.as_str()).is_some_and(Source::is_missing);
    ids.iter().filter(is_missing).map(SourceId::to_string).collect()
}

/// The auto sources that are not picked.
fn autos(catalog: &Catalog, selection: &Selection) -> Vec<SourceId> {
    let autos = catalog.sources().iter().filter(|source| source.mode == Mode::Auto);
    autos.map(|source| source.id.clone()).filter(|id| !selection.is_picked(id.as_str())).collect()
}

fn describe(plan: &ProfilePlan<'_>, selection: &Selection, templates: Vec<String>) -> ProfileDetails {
    let ProfilePlan { profile, known, .. } = plan;
    let of = |role: Role| -> Vec<SourceId> {
        selection.members().iter().filter(|member| member.role == role).map(|member| member.id.clone()).collect()
    };
    ProfileDetails {
        name: profile.name.clone(),
        description: profile.description.clone(),
        preselected: profile.preselected.clone(),
        picks: of(Role::Picked),
        transitive: of(Role::Transitive),
        from_auto: of(Role::AutoRoot),
        excluded: plan.excluded.clone(),
        missing: known.missing.clone(),
        templates,
        exclude_tools: plan.exclude_tools.clone(),
        transitive_injection: plan.rules.transitive,
        sources: profile.sources.iter().filter_map(ProfileSource::id).map(str::to_owned).collect(),
        own: own(profile).map(str::to_owned).collect(),
        problems: known.problems.clone(),
        ..ProfileDetails::default()
    }
}
