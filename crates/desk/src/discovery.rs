//! Compares what the repository offers with the catalog, and tries sample prompts on the result.

use std::collections::{BTreeSet, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::session::DeclinedSources;
use super::trust::resolved;
use super::{CatalogChange, Desk, EnrichMode, Session};
use refdesk_core::catalog::{LocalPath, Mode, Source, SourceId, SourceKind};
use refdesk_discover::{Discovery, KnownSource, ProposedPlace, ProposedSource, discover, tag_prompt, title_prompt};
use refdesk_enrich::{BlockKind, EnrichRequest, TextKind};
use refdesk_files::path::{absolute, lossy};
use refdesk_files::workspace::WorkspaceReason;
use refdesk_text::{Code, Error};

/// The most sample prompts shown.
const PROMPTS: usize = 3;

/// Prompts with at most this many hints are preferred.
const FEW: usize = 3;

/// The most prompts tried of each form.
const TRIED: usize = 24;

/// The most tags of a source used in prompts.
const TAGS: usize = 6;

/// A discovery that can run on any thread.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discoverer {
    workspace: PathBuf,
    folders: Vec<PathBuf>,
    known: Vec<KnownSource>,
    /// What the user declined before.
    declined: BTreeSet<String>,
}

impl Discoverer {
    /// Reads the repository and compares it with the catalog. Unticked sources come last.
    pub fn run(&self) -> Discovery {
        let mut found = discover(&self.workspace, &self.folders, &self.known);
        for source in &mut found.new {
            if source.is_ticked && self.declined.contains(&key_of(&source.place)) {
                source.is_ticked = false;
                source.evidence = format!("left out or removed earlier; {}", source.evidence);
            }
        }
        found.new.sort_by_key(|source| !source.is_ticked);
        found
    }
}

/// The form in which the place of a declined proposal is stored.
fn key_of(place: &ProposedPlace) -> String {
    match place {
        ProposedPlace::Url(url) => url.clone(),
        ProposedPlace::File(path) | ProposedPlace::Folder(path) => lossy(path),
    }
}

/// A prompt, and the hints an agent would get for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SamplePrompt {
    /// A prompt that a person might type.
    pub prompt: String,
    /// The lines of the hints.
    pub hints: Vec<String>,
}

impl Desk {
    /// A discovery in these folders, relative to the current one; an empty list means the workspace.
    ///
    /// # Errors
    /// A folder does not exist or is outside the workspace, or a catalog file cannot be read.
    pub fn discoverer(&self, folders: &[PathBuf]) -> Result<Discoverer, Error> {
        self.check_readable()?;
        let shown = |path: &Path| path.display().to_string();
        let workspace = fs::canonicalize(self.workspace()).map_err(|error| {
            let message = format!("the workspace {} cannot be read: {error}", shown(self.workspace()));
            Error::new(Code::Unreadable, message, "make it readable")
        })?;
        if self.workspace_context().reason != WorkspaceReason::Named {
            self.check_not_home("look for documents")?;
        }
        let mut within = Vec::with_capacity(folders.len());
        for folder in folders {
            let real =
                fs::canonicalize(absolute(&self.workspace_context().current, folder)).ok().filter(|real| real.is_dir());
            let Some(real) = real else {
                let message = format!("there is no folder '{}'", shown(folder));
                return Err(Error::new(
                    Code::NoSuchPath,
                    message,
                    "name a folder of the workspace; the path is relative to the current folder",
                ));
            };
            let Ok(inside) = real.strip_prefix(&workspace) else {
                let message = format!("'{}' is outside the workspace {}", shown(folder), shown(&workspace));
                return Err(Error::new(Code::Outside, message, "run it in the workspace of that folder"));
            };
            within.push(inside.to_path_buf());
        }
        let known = self.catalog().sources().iter().map(|source| self.known_source(source, &workspace)).collect();
        // Without a catalog, every document is new again.
        let declined = self.declined_sources(&workspace).filter(|_| !self.catalog().is_empty());
        let declined = declined.map(|file| file.of(&workspace.to_string_lossy()));
        Ok(Discoverer { workspace, folders: within, known, declined: declined.unwrap_or_default() })
    }

    /// Remembers what the user declined in this change, so that it is not proposed as new again.
    pub fn remember_declined(&self, change: &CatalogChange) {
        let (out, back) = (change.declined.iter().map(key_of), change.new.iter().map(|it| key_of(&it.place)));
        self.remember(&out.collect(), &back.collect());
    }

    /// Remembers that the user removed these sources from the catalog, so that they are not proposed as new again.
    pub(super) fn remember_removed(&self, ids: &[SourceId]) {
        let Ok(workspace) = fs::canonicalize(self.workspace()) else { return };
        let place_of = |id: &SourceId| {
            let known = self.known_source(self.catalog().get(id.as_str())?, &workspace);
            known.url.or_else(|| known.path.as_deref().map(lossy))
        };
        self.remember(&ids.iter().filter_map(place_of).collect(), &BTreeSet::new());
    }

    fn remember(&self, out: &BTreeSet<String>, back: &BTreeSet<String>) {
        let Ok(workspace) = fs::canonicalize(self.workspace()) else { return };
        if let Some(file) = self.declined_sources(&workspace) {
            // If this fails, the sources are proposed again.
            let _ = file.change(&workspace.to_string_lossy(), out, back);
        }
    }

    /// The file that remembers them; `None` if there is no folder for it outside the workspace.
    fn declined_sources(&self, workspace: &Path) -> Option<DeclinedSources> {
        let state = absolute(self.workspace(), self.options.state.as_ref()?);
        (!state.starts_with(workspace)).then(|| DeclinedSources::new(&state, self.options.lock_timeout))
    }

    /// Whether a catalog can be proposed for the workspace: it is a project, not a whole home folder.
    pub fn can_init(&self) -> bool {
        self.workspace_context().is_workspace() && self.home_place().is_none()
    }

    /// Refuses to make a workspace of the home folder or of one above it, which has all of a user's files. It may be one
    /// already, or be named.
    pub(super) fn check_can_become_workspace(&self) -> Result<(), Error> {
        if self.workspace_context().is_workspace() { Ok(()) } else { self.check_not_home("make a catalog") }
    }

    /// The folder in words if no catalog is made in it because it is the home folder or above it.
    pub(super) fn unfit_home(&self) -> Option<String> {
        if self.workspace_context().is_workspace() { None } else { self.home_place() }
    }

    fn check_not_home(&self, what: &str) -> Result<(), Error> {
        self.home_place().map_or(Ok(()), |place| {
            let message = format!("refdesk does not {what} in {place}");
            Err(Error::new(Code::NoWorkspace, message, "change to the folder of a project first"))
        })
    }

    /// The workspace in words, if it is the home folder or above it.
    fn home_place(&self) -> Option<String> {
        let folder = resolved(self.workspace());
        let home = self.workspace_context().home.as_ref().and_then(|home| fs::canonicalize(home).ok());
        let home = home.filter(|home| home.starts_with(&folder))?;
        let above = || format!("{}, which contains your home folder", folder.display());
        Some(if home == folder { "your home folder".to_owned() } else { above() })
    }

    fn known_source(&self, source: &Source, workspace: &Path) -> KnownSource {
        let place = source.place();
        let within = |place: &LocalPath| {
            let real = place.resolved.strip_prefix(workspace);
            real.or_else(|_| place.path.strip_prefix(self.workspace())).ok().map(Path::to_path_buf)
        };
        KnownSource {
            id: source.id.to_string(),
            name: source.name.to_string(),
            description: source.description.clone(),
            path: place.and_then(within),
            url: match source.kind.with_trust() {
                SourceKind::Url { url } => Some(url.clone()),
                _ => None,
            },
            is_missing: source.is_missing() && !place.is_some_and(LocalPath::is_denied),
            shown: place.map(|place| self.workspace_context().display(&place.path)).unwrap_or_default(),
            file: self.workspace_context().display(&source.origin.file),
        }
    }

    /// Up to three prompts about different sources, each with the hints an agent in a new session would get, starting
    /// with the source it is about. Prefers sources that were `added`, and prompts made from titles.
    pub fn sample_prompts(&mut self, session: &Session, added: &[ProposedSource]) -> Vec<SamplePrompt> {
        let settled = self.settled();
        let is_hinted = |source: &&Source| {
            source.mode == Mode::Selectable && !source.is_missing() && !settled.selection().contains(source.id.as_str())
        };
        let sources: Vec<&Source> = settled.catalog().sources().iter().filter(is_hinted).collect();
        let ids: HashSet<&str> = added.iter().map(|source| source.id.as_str()).collect();
        let (new, old): (Vec<&Source>, Vec<&Source>) =
            sources.into_iter().partition(|source| ids.contains(source.id.as_str()));
        let mut samples: Vec<SamplePrompt> = Vec::new();
        let sources: Vec<&Source> = [new, old].into_iter().flat_map(ordered_for_prompts).collect();
        // People do not ask about a single letter or an id.
        let is_asked_about = |source: &Source, name: &str| {
            let id = source.id.as_str();
            name.chars().filter(|c| c.is_alphanumeric()).count() > 1
                && !(id.contains('-') && name.eq_ignore_ascii_case(id))
        };
        let titled = sources.iter().filter(|source| is_asked_about(source, &source.name));
        let titled = titled.filter_map(|source| Some((*source, title_prompt(&source.name)?))).take(TRIED);
        let tagged = (0..TAGS).flat_map(|nth| {
            let tag = move |source: &&'_ Source| source.tags.get(nth).cloned();
            sources.iter().filter_map(move |source| Some((*source, tag(source)?)))
        });
        let tagged = tagged.filter(|(source, tag)| is_asked_about(source, tag)).take(2 * TRIED);
        let tagged = tagged.map(|(source, tag)| (source, tag_prompt(&tag)));
        for (source, prompt) in titled.chain(tagged) {
            if samples.iter().filter(|sample| sample.hints.len() <= FEW).count() == PROMPTS {
                break;
            }
            let line = format!("- @{}:", source.id);
            let is_asked = |sample: &SamplePrompt| sample.hints.first().is_some_and(|hint| hint.starts_with(&line));
            if samples.iter().any(is_asked) {
                continue;
            }
            let asked = EnrichRequest { repeat: true, ..EnrichRequest::new(TextKind::Prompt, &prompt) };
            let (enriched, _) = settled.enrich(session, &asked, EnrichMode::DryRun);
            // A notice comes once in a session, whatever its prompt is.
            let hinted = enriched.blocks.iter().filter(|block| block.kind == BlockKind::Hint);
            let printed = hinted.filter_map(|block| enriched.text.get(block.start..block.start + block.bytes));
            let lines = printed.flat_map(str::lines).filter(|line| line.starts_with("- "));
            let hints: Vec<String> = lines.map(str::to_owned).collect();
            if hints.first().is_some_and(|hint| hint.starts_with(&line)) {
                samples.push(SamplePrompt { prompt, hints });
            }
        }
        samples.sort_by_key(|sample| sample.hints.len() > FEW);
        samples.truncate(PROMPTS);
        samples
    }
}

/// Orders sources for prompts: first those with several tags, and among these, sources that are far apart.
fn ordered_for_prompts(sources: Vec<&Source>) -> impl Iterator<Item = &Source> {
    let (rich, poor): (Vec<&Source>, Vec<&Source>) = sources.into_iter().partition(|source| source.tags.len() > 1);
    [rich, poor].into_iter().flat_map(|of| spread(of.len()).filter_map(move |at| of.get(at).copied()))
}

/// The positions of a list, ordered so that each is far from the ones before it.
fn spread(count: usize) -> impl Iterator<Item = usize> {
    // A step coprime to the count visits every position, and one near five eighths of the count takes long to return to
    // a neighbour.
    let has_divisor = |step: usize| (2..=step).any(|by: usize| step.is_multiple_of(by) && count.is_multiple_of(by));
    let step = (count * 5 / 8..count).find(|step| *step > 0 && !has_divisor(*step)).unwrap_or(1);
    (0..count).map(move |nth| (count / 4 + nth * step) % count)
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn every_position_is_visited() {
        for count in 0..9 {
            let mut visited: Vec<usize> = spread(count).collect();
            visited.sort_unstable();
            assert_eq!(visited, (0..count).collect::<Vec<_>>());
        }
    }
}
