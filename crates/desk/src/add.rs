//! Adds sources, each as a new file in the references folder. Existing files are not rewritten.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::catalog_change::NewEntry;
use super::file_writes::OutsideWriteApproval;
use super::source_expansion::is_pattern;
use super::trust::resolved;
use super::{Desk, Session};
use refdesk_core::catalog::{ID_BYTES, Mode, ReservedFolders, Source, SourceId, SourceKind, id_fault};
use refdesk_core::config::expand_home;
use refdesk_discover::{
    DescribedPlace, ProposedPlace, ProposedSource, RealPlace, address_key, describe_place, has_password, ids_of,
};
use refdesk_files::output::Proposal;
use refdesk_files::path::{Resolver, clean};
use refdesk_text::fold::can_match;
use refdesk_text::hidden::HiddenCharacters;
use refdesk_text::tokens::grouped;
use refdesk_text::{Code, Error, Fix};

/// A source to add.
#[derive(Debug, Clone)]
pub struct NewSource {
    /// A path relative to the current folder, or an `http://` or `https://` address.
    pub place: String,
    /// If `None`, derived from the place.
    pub id: Option<String>,
    /// If `None`, taken from the document.
    pub name: Option<String>,
    /// If `None`, taken from the document.
    pub description: Option<String>,
    /// If empty, the document's topics.
    pub tags: Vec<String>,
    /// Its mode.
    pub mode: Mode,
}

impl NewSource {
    /// A `selectable` source described by its own document.
    pub fn selectable(place: String) -> Self {
        Self { place, id: None, name: None, description: None, tags: Vec::new(), mode: Mode::Selectable }
    }
}

/// A source that was added.
#[derive(Debug, Clone)]
pub struct Added {
    /// Its id.
    pub id: SourceId,
    /// The entry as written.
    pub entry: Value,
    /// The file it was written to.
    pub file: PathBuf,
    /// Whether it is outside the workspace and not yet trusted.
    pub is_untrusted: bool,
}

/// The result of adding several sources.
#[derive(Debug, Clone, Default)]
pub struct AddedSources {
    /// The added sources, in the order given.
    pub added: Vec<Added>,
    /// Places that the catalog already contains, with their ids.
    pub known: Vec<(String, SourceId)>,
}

impl AddedSources {
    /// The error if the only place to add is already in the catalog.
    pub fn known_error(&self) -> Option<Error> {
        match (self.added.as_slice(), self.known.as_slice()) {
            ([], [(place, id)]) => Some(known_already(place, id)),
            _ => None,
        }
    }
}

/// An `http://` or `https://` address without its scheme; `None` for any other place.
pub(super) fn after_scheme(place: &str) -> Option<&str> {
    let (scheme, rest) = place.split_once("://")?;
    ["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)).then_some(rest)
}

fn is_same(one: &ProposedPlace, other: &ProposedPlace) -> bool {
    match (one, other) {
        (ProposedPlace::Url(one), ProposedPlace::Url(other)) => address_key(one) == address_key(other),
        _ => one == other,
    }
}

fn known_already(place: &str, id: &SourceId) -> Error {
    Error::new(Code::IdTaken, format!("'{place}' is already in the catalog, as '{id}'"), Fix::ShowKnown(id.to_string()))
}

impl Desk {
    /// Writes the entries of new sources, one file each, all or none, and reloads. A folder that is not a workspace
    /// becomes one. If the references folder is outside the workspace, `leave` must allow the writes. Sources that
    /// are already in the catalog are skipped.
    ///
    /// # Errors
    /// A path does not exist; an id is taken, empty or cannot be typed; a file cannot be written.
    pub fn add(
        &mut self,
        session: &Session,
        new: &[NewSource],
        leave: OutsideWriteApproval<'_>,
    ) -> Result<AddedSources, Error> {
        self.repeat_if_changed(|desk| desk.try_to_add(session, new, leave))
    }

    fn try_to_add(
        &mut self,
        session: &Session,
        new: &[NewSource],
        leave: OutsideWriteApproval<'_>,
    ) -> Result<AddedSources, Error> {
        self.check_can_become_workspace()?;
        let mut known = Vec::new();
        let mut wanted: Vec<(&NewSource, ProposedPlace)> = Vec::new();
        for source in new {
            let place = self.new_place(&source.place, &self.workspace_context().current)?;
            check(source)?;
            if wanted.iter().any(|(_, other)| is_same(other, &place)) {
                continue;
            }
            match self.source_at(&place).filter(|_| source.id.is_none()) {
                Some(id) => known.push((source.place.clone(), id)),
                None => wanted.push((source, place)),
            }
        }
        let entries = self.new_entries(&wanted)?;
        let proposed = self.propose_entries(&entries, leave)?;
        let proposals: Vec<Proposal> = proposed.iter().map(|(_, proposal)| proposal.clone()).collect();
        if !proposals.is_empty() {
            self.write_entries(session, &entries, &proposals)?;
        }
        let added = entries.iter().zip(proposed).map(|(entry, (value, proposal))| Added {
            is_untrusted: self.catalog().get(&entry.id).is_some_and(Source::is_untrusted),
            id: entry.id.clone().into(),
            entry: value,
            file: proposal.path,
        });
        Ok(AddedSources { added: added.collect(), known })
    }

    fn write_entries(&mut self, session: &Session, entries: &[NewEntry], proposals: &[Proposal]) -> Result<(), Error> {
        let mentions: Vec<String> = entries.iter().map(|entry| format!("@{}", entry.id)).collect();
        let reason = match mentions.as_slice() {
            [id] => format!("added {id}"),
            [first, ..] => format!("added {first} and {} more", mentions.len() - 1),
            [] => String::new(),
        };
        let ids = entries.iter().map(|entry| entry.id.as_str());
        self.write_marked(session, ids, proposals, &reason).map_err(|unwritten| unwritten.refused)?;
        self.reload();
        Ok(())
    }

    /// Reads the description of a place from its document. Links are resolved only here, so that exactly the checked
    /// file is opened. A link in the workspace that leads outside is not read before it is trusted.
    fn described(&self, place: &ProposedPlace) -> DescribedPlace {
        let Some(path) = place.path() else {
            return describe_place(place, RealPlace { path: Path::new(""), within: Path::new("") });
        };
        let (real, workspace) = (Resolver::default().resolve(path).0, resolved(self.workspace()));
        let is_inside = real.starts_with(&workspace);
        if path.starts_with(self.workspace()) && !is_inside {
            let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
            return DescribedPlace::unread(name);
        }
        // A path outside the workspace was given explicitly, so it may be read.
        let within = if is_inside { &workspace } else { &real };
        describe_place(place, RealPlace { path: &real, within })
    }

    /// Rewrites a path that reaches into the workspace another way (through a link to the workspace, or around the link
    /// by which the workspace was opened) to start with the workspace's own path.
    fn normalize_workspace_path(&self, path: PathBuf) -> PathBuf {
        let workspace = self.workspace();
        if path.starts_with(workspace) {
            return path;
        }
        let real = resolved(workspace);
        let above = path.ancestors().find(|above| resolved(above) == real);
        let below = above.and_then(|above| path.strip_prefix(above).ok());
        below.map_or_else(|| path.clone(), |below| clean(&workspace.join(below)))
    }

    /// Checks that this address, or this path from the root of the workspace, can be added. The matches of a pattern
    /// are checked only when they are added.
    ///
    /// # Errors
    /// The path does not exist, cannot be in a catalog, or is already in it; or the home folder would become a workspace.
    pub fn can_add(&self, place: &str) -> Result<(), Error> {
        self.check_can_become_workspace()?;
        if is_pattern(place, self.workspace()) {
            return Ok(());
        }
        let at = self.new_place(place, self.workspace())?;
        self.source_at(&at).map_or(Ok(()), |id| Err(known_already(place, &id)))
    }

    /// The absolute form of a path that a person typed; it leads where the same path in the catalog would.
    pub(crate) fn path_in(&self, folder: &Path, place: &str) -> PathBuf {
        let path = folder.join(&*expand_home(self.workspace_context(), place));
        Resolver::default().cleaned(self.workspace(), path)
    }

    /// Makes a path from the root of the workspace absolute; leaves an address as it is.
    pub(crate) fn absolute_place(&self, place: &str) -> String {
        match after_scheme(place) {
            Some(_) => place.to_owned(),
            None => self.path_in(self.workspace(), place).to_string_lossy().into_owned(),
        }
    }

    /// Parses the place of a new source: an existing file or folder, made absolute, or an address. Relative paths start
    /// at `from`.
    fn new_place(&self, place: &str, from: &Path) -> Result<ProposedPlace, Error> {
        if let Some(rest) = after_scheme(place) {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            if !host.contains(char::is_alphanumeric) || rest.contains(char::is_whitespace) {
                let message = format!("'{place}' is not an address: it has no host, or it contains a space");
                return Err(Error::new(Code::Usage, message, "write it as in 'https://example.com/page'"));
            }
            if has_password(place) {
                let message = "the address has a user or a password, which everyone who reads the catalog would see";
                return Err(Error::new(Code::Usage, message, "leave out the part before the @"));
            }
            return Ok(ProposedPlace::Url(place.to_owned()));
        }
        let path = self.normalize_workspace_path(self.path_in(from, place));
        if place.trim().is_empty() || !path.exists() {
            let message = format!("'{place}' does not exist");
            return Err(Error::new(
                Code::NoSuchPath,
                message,
                "name an existing file or folder, or an http(s) address",
            ));
        }
        let lookup = Resolver::default();
        if ReservedFolders::new(self.workspace(), &lookup).holds(&path, &lookup.resolve(&path).0) {
            let message = format!("'{place}' belongs to git or to refdesk itself, and would never be read");
            return Err(Error::new(Code::ReservedPath, message, "name another file"));
        }
        if path.strip_prefix(self.workspace()).is_ok_and(|inside| inside.as_os_str().eq_ignore_ascii_case(".jaato")) {
            let message = format!("'{place}' is where refdesk keeps the catalog and its own files");
            return Err(Error::new(Code::ReservedPath, message, "name a file or a folder in it"));
        }
        // The catalog is JSON, which can only contain Unicode names.
        if path.strip_prefix(self.workspace()).unwrap_or(&path).to_str().is_none() {
            let message = format!("the path of '{place}' is not UTF-8: {}", path.display());
            return Err(Error::new(Code::NoText, message, "rename the folder or file"));
        }
        Ok(if path.is_dir() { ProposedPlace::Folder(path) } else { ProposedPlace::File(path) })
    }

    /// The catalog's source at this place.
    fn source_at(&self, place: &ProposedPlace) -> Option<SourceId> {
        let real = place.path().map(|path| Resolver::default().resolve(path).0);
        let is_there = |source: &&Source| match (source.kind.with_trust(), place, &real) {
            (SourceKind::Url { url }, ProposedPlace::Url(wanted), _) => address_key(url) == address_key(wanted),
            (SourceKind::Local(local), _, Some(real)) => *local.resolved == **real,
            _ => false,
        };
        self.catalog().sources().iter().find(is_there).map(|source| source.id.clone())
    }

    /// What discovery would propose for the workspace; new sources get the same ids.
    fn proposed(&self) -> Vec<ProposedSource> {
        let discoverer = if self.can_init() { self.discoverer(&[]).ok() } else { None };
        discoverer.map(|discoverer| discoverer.run().new).unwrap_or_default()
    }

    fn new_entries(&self, wanted: &[(&NewSource, ProposedPlace)]) -> Result<Vec<NewEntry>, Error> {
        let given: Vec<&str> = wanted.iter().filter_map(|(source, _)| source.id.as_deref()).collect();
        for id in &given {
            if let Some(taken) = self.catalog().get(id) {
                let file = self.workspace_context().display(&taken.origin.file);
                return Err(Error::new(
                    Code::IdTaken,
                    format!("the id '{id}' is already taken by {file}"),
                    Fix::GiveId,
                ));
            }
        }
        let mut taken: HashSet<&str> = self.catalog().sources().iter().map(|source| source.id.as_str()).collect();
        taken.extend(given);
        let workspace = self.workspace();
        let relative = |place: &ProposedPlace| {
            let within = |path: &Path| path.strip_prefix(workspace).unwrap_or(path).to_path_buf();
            match place {
                ProposedPlace::File(path) => ProposedPlace::File(within(path)),
                ProposedPlace::Folder(path) => ProposedPlace::Folder(within(path)),
                ProposedPlace::Url(url) => ProposedPlace::Url(url.clone()),
            }
        };
        let places: Vec<ProposedPlace> = wanted.iter().map(|(_, place)| relative(place)).collect();
        let root = workspace.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let described: Vec<DescribedPlace> = wanted.iter().map(|(_, place)| self.described(place)).collect();
        let needs_id = wanted
            .iter()
            .zip(&places)
            .any(|((source, _), place)| source.id.is_none() && place.path().is_some_and(Path::is_relative));
        let proposed = if needs_id { self.proposed() } else { Vec::new() };
        let ids = ids_of(&places, &described, &root, &taken, &proposed);
        let tags = DescribedPlace::tags(&described, &places, &ids);
        let parts = wanted.iter().zip(ids).zip(described).zip(tags);
        parts.map(|((((source, place), id), described), tags)| new_entry(source, place, id, described, tags)).collect()
    }
}

/// Rejects a tag that the catalog would reject or warn about.
pub(super) fn check_tag(tag: &str) -> Result<(), Error> {
    if !can_match(tag) {
        let message = format!("the tag '{tag}' cannot match anything");
        return Err(Error::new(Code::EmptyTag, message, "give it a letter or digit, or leave it out"));
    }
    if tag.contains(char::is_control) || HiddenCharacters::of(tag).is_some() {
        let message = format!("the tag '{tag}' has invisible characters");
        return Err(Error::new(Code::HiddenCharacters, message, "type it without them"));
    }
    Ok(())
}

/// Rejects a source that the catalog would reject, and an id it would warn about.
fn check(source: &NewSource) -> Result<(), Error> {
    let is_blank = |text: &Option<String>| text.as_ref().is_some_and(|text| text.trim().is_empty());
    if is_blank(&source.id) {
        return Err(Error::new(Code::EmptyId, "the id is empty", Fix::GiveId));
    }
    if let Some((id, fault)) = source.id.as_deref().and_then(|id| Some((id, id_fault(id)?))) {
        return Err(Error::new(Code::HiddenCharacters, format!("the id '{id}' {fault}"), Fix::GiveId));
    }
    if source.id.as_ref().is_some_and(|id| id.len() > ID_BYTES) {
        let message = format!("the id has more than {} bytes", grouped(ID_BYTES));
        return Err(Error::new(Code::TooLarge, message, Fix::GiveId));
    }
    source.tags.iter().try_for_each(|tag| check_tag(tag))?;
    if is_blank(&source.name) {
        return Err(Error::new(Code::EmptyName, "the name is empty", Fix::GiveName));
    }
    Ok(())
}

fn new_entry(
    source: &NewSource,
    place: &ProposedPlace,
    id: String,
    described: DescribedPlace,
    tags: Vec<String>,
) -> Result<NewEntry, Error> {
    let id = source.id.clone().unwrap_or(id);
    if id.is_empty() {
        return Err(Error::new(Code::EmptyId, "no id can be derived from that name", Fix::GiveId));
    }
    let described_name = if described.name.trim().is_empty() { id.clone() } else { described.name };
    let name = source.name.clone().unwrap_or(described_name);
    Ok(NewEntry {
        id,
        name,
        description: source.description.clone().unwrap_or(described.description),
        place: place.clone(),
        mode: source.mode,
        tags: if source.tags.is_empty() { tags } else { source.tags.clone() },
        contents: described.contents,
    })
}
