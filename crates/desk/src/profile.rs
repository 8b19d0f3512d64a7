//! A desk under a profile (`--profile`): it starts with the profile's picks instead of the stored ones, contains only
//! the profile's sources, and does not store its choice. The exclusions of the shared desk apply. Its sessions and
//! journal lines use the desk name `profile-NAME`, so that they do not count for the shared desk.

use std::cell::LazyCell;
use std::collections::HashSet;
use std::path::PathBuf;

use super::{Desk, Options};
use crate::problems::SUGGESTED;
use crate::requested_names::unknown_id_fix;
use crate::session::Store;
use refdesk_core::catalog::{self, Catalog, Source};
use refdesk_core::config::profile::{self, Profile, ProfileFile, ProfileNotFound};
use refdesk_core::config::{Config, Settings, WorkspaceContext};
use refdesk_core::selection::Choice;
use refdesk_files::Sealer;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error, Fix};

/// The profile of a desk.
#[derive(Debug)]
pub(super) struct ActiveProfile {
    file: PathBuf,
    /// The last version that could be read.
    profile: Option<Profile>,
    /// The desk whose exclusions apply.
    shared: Store,
    /// The picks from the profile when it was last applied; other picks were made at this desk.
    picks: Vec<String>,
    /// Whether the catalog differs from the workspace's.
    narrows: bool,
    /// Whether the workspace has sources, but the profile leaves out all of them.
    hides_all: bool,
    /// Why the current version cannot be read.
    broken: Vec<Diagnostic>,
}

impl ActiveProfile {
    /// Reads the profile named in the options, and names the desk after it.
    pub(crate) fn open(options: &mut Options) -> Option<Self> {
        let file = options.profile.clone()?;
        let context = &options.context;
        let shared = Store::new(&context.workspace, &options.desk, options.clock)
            .sealed_by(Sealer::new(options.state.as_deref(), &context.workspace));
        let (picks, broken) = (Vec::new(), Vec::new());
        let mut active = Self { profile: None, shared, picks, narrows: false, hides_all: false, broken, file };
        active.read(context);
        let found = active.profile.as_ref().map(|profile| profile.name.clone());
        let name = found.unwrap_or_else(|| active.file.file_stem().unwrap_or_default().to_string_lossy().into_owned());
        options.desk = format!("profile-{name}");
        Some(active)
    }

    /// Reads the profile again; if that fails, keeps the last version, and logs why, since an agent's server has no other
    /// place to report it.
    pub(crate) fn read(&mut self, context: &WorkspaceContext) {
        let broken = match profile::read(context, &self.file) {
            Ok(profile) => {
                self.profile = Some(profile);
                Vec::new()
            }
            Err(problems) => problems,
        };
        if let Some(first) = broken.first().filter(|_| self.broken != broken) {
            tracing::warn!(file = ?self.file, problem = ?first.message, "the profile's last version stays in effect");
        }
        self.broken = broken;
    }

    /// The ids it picks.
    pub(crate) fn preselected(&self) -> impl Iterator<Item = &str> {
        self.profile.iter().flat_map(|profile| profile.preselected.iter().map(String::as_str))
    }

    /// Applies the profile to settings and catalog; adds its problems to `entries`.
    pub(crate) fn apply(
        &mut self,
        context: &WorkspaceContext,
        config: &mut Config,
        whole: Catalog,
        entries: &mut Vec<Diagnostic>,
    ) -> Catalog {
        entries.extend(self.broken.iter().cloned());
        let Some(profile) = &self.profile else { return whole };
        let known = ProfileCheck::new(context, &whole, profile);
        entries.extend(known.problems);
        let settings = &mut config.settings;
        (settings.transitive_injection, settings.exclude_tools) = effective_settings(profile, settings);
        self.narrows = known.catalog.is_some();
        self.hides_all = !whole.is_empty() && known.catalog.as_ref().is_some_and(Catalog::is_empty);
        known.catalog.unwrap_or(whole)
    }

    pub(crate) fn narrows(&self) -> bool {
        self.narrows
    }

    pub(crate) fn shared(&self) -> &Store {
        &self.shared
    }

    /// Its displayed file, with the line of this id or of its picks.
    pub(crate) fn place_of(&self, context: &WorkspaceContext, id: &str) -> String {
        let shown = context.display(&self.file);
        let Some(profile) = &self.profile else { return shown };
        let (positions, settings) = profile.positions(context);
        format!("{shown}:{}", positions.get(id).unwrap_or(&settings).line)
    }

    pub(crate) fn file(&self) -> &std::path::Path {
        &self.file
    }

    /// The current choice: the profile's picks and those made here, without those removed here.
    fn choose(&mut self, catalog: &Catalog, now: &Choice, exclusions: Vec<String>) -> Choice {
        let new = self.profile.as_ref().map(|profile| picks(profile, catalog, &exclusions)).unwrap_or_default();
        let before: HashSet<String> = std::mem::replace(&mut self.picks, new).into_iter().collect();
        let picks: HashSet<&String> = self.picks.iter().collect();
        let mut choice = Choice { exclusions, ..now.clone() };
        choice.picks.retain(|id| !before.contains(id) || picks.contains(id));
        let known: HashSet<String> = choice.picks.iter().cloned().collect();
        choice.picks.extend(self.picks.iter().filter(|id| !before.contains(*id) && !known.contains(*id)).cloned());
        // Picking a source that the shared desk excludes lifts the exclusion for this desk only.
        let picks: HashSet<&String> = choice.picks.iter().collect();
        choice.exclusions.retain(|id| !picks.contains(id));
        choice
    }
}

/// A profile compared with a catalog.
pub(super) struct ProfileCheck {
    /// Its catalog, if it differs from the workspace's.
    pub catalog: Option<Catalog>,
    /// The ids in it that no source has, then those it picks whose path does not exist.
    pub missing: Vec<String>,
    /// Its problems, including the missing ids.
    pub problems: Vec<Diagnostic>,
}

impl ProfileCheck {
    pub(crate) fn new(context: &WorkspaceContext, whole: &Catalog, profile: &Profile) -> Self {
        let narrowed = catalog::narrowed(context, whole, profile);
        let catalog = narrowed.catalog.as_ref().unwrap_or(whole);
        let mut problems = profile.problems.clone();
        problems.extend(narrowed.problems);
        let name = &profile.name;
        let positions = LazyCell::new(|| profile.positions(context));
        let problem = |id: &str, message: String| {
            let (positions, settings) = &*positions;
            let problem = Diagnostic::warning(Code::ProfileMissing, message).in_file(&profile.document.shown).about(id);
            problem.at(*positions.get(id).unwrap_or(settings))
        };
        for (at, id) in narrowed.unknown.iter().enumerate() {
            let hint = if at < SUGGESTED { unknown_id_fix(whole, id) } else { Fix::ListSources };
            problems
                .push(problem(id, format!("the profile '{name}' names '{id}', but no source has that id")).fix(hint));
        }
        let mut missing = narrowed.unknown;
        for id in catalog::missing(catalog, &profile.preselected) {
            let message = format!("the profile '{name}' picks '{id}', whose path does not exist");
            problems
                .push(problem(id.as_str(), message).fix(Fix::All(vec!["correct its path".into(), Fix::ShowProblems])));
            missing.push(id.to_string());
        }
        Self { catalog: narrowed.catalog, missing, problems }
    }
}

/// The sources that a profile picks, without missing and excluded ones.
pub(super) fn picks(profile: &Profile, catalog: &Catalog, exclusions: &[String]) -> Vec<String> {
    let excluded: HashSet<&String> = exclusions.iter().collect();
    let is_missing = |id: &str| catalog.get(id).is_some_and(Source::is_missing);
    let can_be = |id: &&String| !is_missing(id) && !excluded.contains(id);
    profile.preselected.iter().filter(can_be).cloned().collect()
}

pub(super) fn excluded_picks(profile: &Profile, exclusions: &[String]) -> Vec<String> {
    let excluded: HashSet<&String> = exclusions.iter().collect();
    profile.preselected.iter().filter(|id| excluded.contains(id)).cloned().collect()
}

/// Whether mentions pull in sources, and which tools are hidden, according to the profile or else the configuration.
pub(super) fn effective_settings(profile: &Profile, settings: &Settings) -> (bool, Vec<String>) {
    let tools = profile.exclude_tools.clone().unwrap_or_else(|| settings.exclude_tools.clone());
    (profile.transitive_injection.unwrap_or(settings.transitive_injection), tools)
}

impl Desk {
    /// The file of this desk's profile.
    pub(crate) fn profile_file(&self) -> Option<&std::path::Path> {
        self.profile.as_ref().map(ActiveProfile::file)
    }

    /// The displayed file of this desk's profile, if its `exclude_tools` replaces that of the configuration.
    pub fn profile_of_excluded_tools(&self) -> Option<String> {
        let active = self.profile.as_ref()?;
        active.profile.as_ref()?.exclude_tools.as_ref()?;
        Some(self.workspace_context().display(active.file()))
    }

    /// The profile's name and displayed file, if it leaves out every source of the workspace.
    pub(super) fn profile_without_sources(&self) -> Option<(&str, String)> {
        let active = self.profile.as_ref().filter(|active| active.hides_all)?;
        Some((&active.profile.as_ref()?.name, self.workspace_context().display(active.file())))
    }

    /// Whether the catalog lacks sources of the workspace because the profile leaves them out.
    pub(super) fn is_narrowed(&self) -> bool {
        self.profile.as_ref().is_some_and(ActiveProfile::narrows)
    }

    /// Whether the configuration or the profile picks this source.
    pub(super) fn is_preselected(&self, id: &str) -> bool {
        let picks = self.profile.as_ref().map_or(&self.config.settings.preselected, |profile| &profile.picks);
        picks.iter().any(|pick| pick == id)
    }

    /// The choice under a profile: the shared desk's exclusions and the profile's picks; `None` without a profile. A
    /// damaged file is not set aside, because nothing is stored here.
    pub(super) fn choice_under_profile(&mut self) -> Option<Choice> {
        let active = self.profile.as_mut()?;
        let exclusions = match active.shared.look() {
            Ok(stored) => stored.map(|stored| stored.choice.exclusions).unwrap_or_default(),
            Err(problem) => {
                self.stored.push(*problem);
                self.choice.exclusions.clone()
            }
        };
        Some(active.choose(&self.catalog, &self.choice, exclusions))
    }
}

/// The file of the profile with this name or path.
///
/// # Errors
/// There is no such profile, or it does not parse.
pub fn find_profile(context: &WorkspaceContext, given: &str) -> Result<PathBuf, Error> {
    let hint = Fix::ListProfiles;
    match profile::find(context, given) {
        Ok(profile) => Ok(profile.document.path.to_path_buf()),
        Err(ProfileNotFound::Unknown(nearest)) => {
            let nearest = nearest.map_or_else(String::new, |question| format!(" ({question})"));
            Err(Error::new(Code::UnknownProfile, format!("no profile is named '{given}'{nearest}"), hint))
        }
        Err(ProfileNotFound::NoFile(file)) => {
            Err(Error::new(Code::UnknownProfile, format!("there is no profile at {}", context.display(&file)), hint))
        }
        Err(ProfileNotFound::Broken(problems)) => Err(broken(given, &problems)),
    }
}

/// The error for a profile that cannot be used.
pub(super) fn broken(name: &str, problems: &[Diagnostic]) -> Error {
    let first = problems.first();
    let place = first.map_or_else(String::new, |it| {
        let numbers = [it.line, it.column].into_iter().flatten().map(|number| format!(":{number}")).collect::<String>();
        format!("{}{numbers}: ", it.file.as_deref().unwrap_or_default())
    });
    let what = first.map_or("it cannot be read", |it| it.message.as_str());
    let hint = first.map_or(Fix::None, |it| it.fix.clone());
    Error::new(Code::ProfileBroken, format!("the profile '{name}' cannot be used: {place}{what}"), hint)
}

/// Why a profile's file cannot be read, or else the profile's problems.
pub(super) fn problems(context: &WorkspaceContext, whole: &Catalog, found: &ProfileFile) -> Vec<Diagnostic> {
    match &found.read {
        Ok(profile) => ProfileCheck::new(context, whole, profile).problems,
        Err(problems) => problems.clone(),
    }
}
