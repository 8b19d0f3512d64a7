//! Changes the catalog in one write plan: new entries, each in its own file or in the configuration, and new paths for
//! existing entries. Other content is kept byte for byte.

use std::collections::{BTreeMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::file_writes::OutsideWriteApproval;
use super::{Desk, Options, Session};
use refdesk_core::catalog::{DirectoryContents, Mode, NOT_A_SOURCE, Source, load_config};
use refdesk_core::config::LARGEST;
use refdesk_discover::{MovedSource, ProposedPlace, ProposedSource};
use refdesk_files::name;
use refdesk_files::output::{PathLookup, PriorContent, Proposal, WriteFailure, WrittenFile, resolve};
use refdesk_files::path::{lossy, relative};
use refdesk_files::{FileMode, Folder, read_whole};
use refdesk_text::report::Diagnostic;
use refdesk_text::report::locate::{PointerStep, locate};
use refdesk_text::{Code, Error, Fix};

/// The folder that makes a folder a workspace.
const MARK: &str = ".jaato";

/// Where new entries go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CatalogLayout {
    /// Each in its own file in the references folder.
    #[default]
    FilePerSource,
    /// All in `sources` of the workspace's configuration.
    OneFile,
}

/// Problems of a catalog file that hide the sources it lists. So do limits, if they concern the whole file.
const HIDING: [Code; 5] = [Code::ConfigNotFound, Code::Unreadable, Code::NotUtf8, Code::JsonSyntax, Code::NotAnObject];

/// A change to the catalog.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CatalogChange {
    /// Sources to add.
    pub new: Vec<ProposedSource>,
    /// Sources that get a new path.
    pub moved: Vec<MovedSource>,
    /// Where the new sources go.
    pub layout: CatalogLayout,
    /// Proposed sources the user left out.
    pub declined: Vec<ProposedPlace>,
}

pub(super) struct NewEntry {
    pub id: String,
    pub name: String,
    pub description: String,
    pub place: ProposedPlace,
    pub mode: Mode,
    pub tags: Vec<String>,
    pub contents: Option<DirectoryContents>,
}

impl Desk {
    /// Computes what this change would write, file by file. If a file is outside the workspace, `leave` must allow the
    /// write.
    ///
    /// # Errors
    /// A file may not be written, or the catalog would not read entries from it.
    pub fn propose_catalog(
        &self,
        change: &CatalogChange,
        leave: OutsideWriteApproval<'_>,
    ) -> Result<Vec<Proposal>, Error> {
        let workspace = self.workspace();
        let entry = |source: &ProposedSource| NewEntry {
            id: source.id.clone(),
            name: source.name.clone(),
            description: source.description.clone(),
            place: source.place.clone(),
            mode: source.mode,
            tags: source.tags.clone(),
            contents: source.contents.clone(),
        };
        let entries: Vec<NewEntry> = change.new.iter().map(entry).collect();
        let mut edits: BTreeMap<PathBuf, Vec<PathEdit<'_>>> = BTreeMap::new();
        for moved in &change.moved {
            let source = self.catalog().get(&moved.id).ok_or_else(|| self.unknown_id(&moved.id))?;
            if self.profile_file() == Some(&*source.origin.file) {
                continue;
            }
            let edit = PathEdit { source, after: workspace.join(&moved.after) };
            edits.entry(source.origin.file.to_path_buf()).or_default().push(edit);
        }
        let mut proposals = Vec::new();
        if change.layout == CatalogLayout::OneFile && !entries.is_empty() {
            let file = self.one_file()?;
            let moved = edits.remove(&file).unwrap_or_default();
            let text = self.with_entries(&file, &entries, &moved)?;
            proposals.push(self.propose_configuration(&file, &text, leave)?);
        } else {
            proposals.extend(self.propose_entries(&entries, leave)?.into_iter().map(|(_, proposal)| proposal));
        }
        for (file, moved) in &edits {
            let text = self.with_paths(file, moved)?;
            proposals.push(self.propose_configuration(file, &text, leave)?);
        }
        Ok(proposals)
    }

    /// Writes proposals of [`Desk::propose_catalog`] for this change, all or none, and reloads the workspace.
    ///
    /// # Errors
    /// A file or the catalog has changed since the proposal, or a file cannot be written.
    pub fn write_catalog(
        &mut self,
        session: &Session,
        change: &CatalogChange,
        proposals: &[Proposal],
    ) -> Result<Vec<WrittenFile>, WriteFailure> {
        let ids = change.new.iter().map(|source| source.id.as_str());
        let reason = if self.catalog.is_empty() { "the catalog was created" } else { "the catalog was extended" };
        let written = self.write_marked(session, ids, proposals, reason)?;
        self.reload();
        Ok(written)
    }

    /// Writes proposals of entries with these ids, all or none. A folder that is not a workspace becomes one.
    pub(super) fn write_marked<'i>(
        &mut self,
        session: &Session,
        ids: impl Iterator<Item = &'i str>,
        proposals: &[Proposal],
        reason: &str,
    ) -> Result<Vec<WrittenFile>, WriteFailure> {
        let made = self.mark_workspace()?;
        let write = || {
            // Held from the check on, since a process with the other layout writes other files. One file can be written
            // without it, and a folder that becomes a workspace only now has no state yet.
            let lock = match proposals.len() {
                0 | 1 => made.is_none().then(|| self.hold().ok()).flatten(),
                _ => Some(self.hold()?),
            };
            self.check_still_unused(ids)?;
            self.write_holding(lock, session, proposals, reason)
        };
        let written = write();
        if written.is_err()
            && let Some(folder) = made
        {
            // Succeeds only if the folder is empty.
            let _ = folder.remove_folder(MARK);
        }
        written
    }

    /// The first problem that makes part of the catalog unreadable, so that sources may be missing.
    pub(super) fn hiding_problem(&self) -> Option<&Diagnostic> {
        let sources = self.config.document.as_ref().and_then(|document| document.value.get("sources"));
        let is_list = sources.is_none_or(|sources| sources.is_array() || sources.is_null());
        let hides = |problem: &&Diagnostic| {
            let is_of_list = !is_list && problem.code == Code::WrongType;
            let is_unread = problem.line.is_none() && matches!(problem.code, Code::TooLarge | Code::TooMany);
            problem.is_error() && (is_of_list || is_unread || HIDING.contains(&problem.code))
        };
        self.config.diagnostics.iter().chain(&self.entries).find(hides)
    }

    /// Like [`Self::hiding_problem`]; if there is no source at all, also the first problem of an entry.
    fn unread_problem(&self) -> Option<&Diagnostic> {
        let of_entry = || self.entries.iter().find(|problem| self.catalog.is_empty() && problem.is_error());
        self.hiding_problem().or_else(of_entry)
    }

    /// How to fix a catalog that cannot be read completely, or has only invalid entries; `None` for others.
    pub fn unread_catalog_fix(&self) -> Option<Fix> {
        let problem = self.unread_problem()?;
        let place = problem.place();
        Some(match problem.code {
            // There is no file to correct.
            Code::ConfigNotFound => problem.fix.clone(),
            _ if place.is_empty() => problem.fix.clone(),
            _ => format!("correct {place} first").into(),
        })
    }

    /// Why there are no sources, as a sentence without its full stop.
    pub fn no_sources(&self) -> String {
        match self.profile_without_sources() {
            _ if self.unread_catalog_fix().is_some() => "no source can be read".to_owned(),
            Some((name, _)) => format!("the profile '{name}' lists no source of the catalog"),
            None => "the catalog has no sources".to_owned(),
        }
    }

    /// The fix for a catalog without sources. One that cannot be read must be corrected before anything can be added.
    pub fn no_sources_fix(&self) -> Fix {
        let of_profile = |(_, file)| format!("correct `sources` in {file}").into();
        let unread = || self.profile_without_sources().map_or(Fix::AddSources, of_profile);
        self.unread_catalog_fix().unwrap_or_else(unread)
    }

    /// Refuses to extend a catalog that cannot be read completely, since it is unknown which sources are new and where
    /// they belong.
    pub(super) fn check_readable(&self) -> Result<(), Error> {
        self.check_whole("nothing is added while a part of the catalog cannot be read")
    }

    /// Checks that the whole catalog could be read.
    ///
    /// # Errors
    /// Part of it cannot be read; the message is `refusal` and the reason.
    pub fn check_whole(&self, refusal: &str) -> Result<(), Error> {
        self.hiding_problem().map_or(Ok(()), |problem| Err(unread(refusal, problem)))
    }

    /// Checks that a catalog without sources is really empty.
    ///
    /// # Errors
    /// The catalog cannot be read, or has only invalid entries; the message says which is the first.
    pub fn check_empty(&self) -> Result<(), Error> {
        self.unread_problem().map_or(Ok(()), |problem| Err(unread("no source can be read", problem)))
    }

    /// Turns the folder into a workspace if it is not one yet; returns the folder if this created the marker.
    fn mark_workspace(&self) -> Result<Option<Folder>, Error> {
        if self.workspace_context().is_workspace() {
            return Ok(None);
        }
        self.check_can_become_workspace()?;
        let made = || {
            let folder = Folder::root(self.workspace())?;
            let (_, is_made) = folder.make_child(MARK.as_ref(), FileMode::Default)?;
            Ok::<_, std::io::Error>(is_made.then_some(folder))
        };
        made().map_err(|error| Error::new(Code::NotWritten, error.to_string(), "make the folder writable"))
    }

    /// Proposes the files for new entries.
    ///
    /// # Errors
    /// A file may not be written, or the catalog would not read it.
    pub(super) fn propose_entries(
        &self,
        entries: &[NewEntry],
        leave: OutsideWriteApproval<'_>,
    ) -> Result<Vec<(Value, Proposal)>, Error> {
        if entries.is_empty() {
            return Ok(Vec::new());
        }
        self.check_readable()?;
        if !self.settings().auto_discover {
            let message = "files in the references folder are not read: 'auto_discover_references' is false";
            let hint = "set it to true, or add the entry to 'sources' yourself";
            return Err(Error::new(Code::NotDiscovered, message, hint));
        }
        let folder = self.references_folder();
        let mut used: HashSet<String> = HashSet::with_capacity(entries.len());
        let mut proposals = Vec::with_capacity(entries.len());
        let mut lookup = PathLookup::default();
        for entry in entries {
            let file = Self::free_file(&folder, &entry.id, &mut used);
            let value = self.entry(&folder, entry);
            let proposal = self.propose_configurations(&mut lookup, &file, &format!("{value:#}\n"), leave)?;
            if proposal.before != PriorContent::Nothing {
                let message = format!("{} already exists", self.workspace_context().display(&file));
                return Err(Error::new(Code::FileExists, message, "give the source another id, or edit that file"));
            }
            proposals.push((value, proposal));
        }
        Ok(proposals)
    }

    /// A file name for this id that is still free. Names that differ only in case count as equal, as on many file
    /// systems.
    fn free_file(folder: &Path, id: &str, used: &mut HashSet<String>) -> PathBuf {
        let readable = name::readable(id);
        let plain = format!("{readable}.json");
        let stem = if plain == NOT_A_SOURCE { name::sha256_hex(id.as_bytes()) } else { readable };
        let folded = |file: &PathBuf| file.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
        let numbered = (2..1_000).map(|number| format!("{stem}-{number}.json"));
        let mut files = std::iter::once(format!("{stem}.json")).chain(numbered).map(|name| folder.join(name));
        // A broken link counts as free, so that writing to it is refused.
        let is_free = |file: &PathBuf| !file.exists() && !used.contains(&folded(file));
        let file = files.find(is_free).unwrap_or_else(|| folder.join(plain));
        used.insert(folded(&file));
        file
    }

    /// Checks that these ids are still unused in the catalog as it is on disk.
    ///
    /// # Errors
    /// [`Code::Changed`]: another process has just given an id to its own source.
    fn check_still_unused<'i>(&self, ids: impl Iterator<Item = &'i str>) -> Result<(), Error> {
        let Options { context, wanted, .. } = &self.options;
        let (config, plain) = load_config(context, Some(&self.catalog), wanted, self.options.is_compared());
        let now = self.load_catalog(&config, plain, Some(&self.catalog)).catalog;
        for id in ids {
            if let Some(taken) = now.get(id) {
                let shown = self.workspace_context().display(&taken.origin.file);
                return Err(Error::new(Code::Changed, format!("{shown} now defines '{id}'"), Fix::Reload));
            }
        }
        Ok(())
    }

    /// The entry as written in a file in `folder`.
    fn entry(&self, folder: &Path, new: &NewEntry) -> Value {
        let (kind, key, place) = match &new.place {
            ProposedPlace::File(path) | ProposedPlace::Folder(path) => {
                ("local", "path", self.portable(folder, &self.workspace().join(path)))
            }
            ProposedPlace::Url(url) => ("url", "url", url.clone()),
        };
        let mut entry = json!({
            "id": new.id, "name": new.name, "description": new.description, "type": kind, key: place,
            "mode": new.mode.word(), "tags": new.tags,
        });
        if let (Some(contents), Some(entry)) = (&new.contents, entry.as_object_mut()) {
            let parts = [
                ("templates", &contents.templates),
                ("validation", &contents.validation),
                ("policies", &contents.policies),
                ("scripts", &contents.scripts),
            ];
            let parts = parts.into_iter().filter_map(|(key, folder)| Some((key.to_owned(), json!(folder.as_ref()?))));
            entry.insert("contents".into(), Value::Object(parts.collect()));
        }
        entry
    }

    /// The path as written in a file in `folder`: relative if both are in the workspace or in one git repository, so that
    /// they can be moved together; otherwise absolute.
    pub(super) fn portable(&self, folder: &Path, path: &Path) -> String {
        let workspace = self.workspace();
        let Ok(inside) = path.strip_prefix(workspace) else {
            return lossy(within_repository(folder, path).as_deref().unwrap_or(path));
        };
        let near = lossy(&relative(folder, path));
        if !folder.starts_with(workspace) || (near.starts_with(".jaato/") && folder != workspace) {
            return format!("${{workspaceRoot}}/{}", lossy(inside));
        }
        if near.is_empty() { ".".to_owned() } else { near }
    }

    /// The workspace's configuration file, which may not exist yet.
    fn one_file(&self) -> Result<PathBuf, Error> {
        match self.config_file() {
            None => Ok(self.workspace().join("references.json")),
            Some(file) if file.starts_with(self.workspace()) => Ok(file.to_path_buf()),
            Some(file) => {
                let message = format!("the configuration in use is {}, outside the workspace", file.display());
                Err(Error::new(Code::Outside, message, "write a file for each source instead"))
            }
        }
    }

    /// The configuration's text with added entries and changed paths.
    fn with_entries(&self, file: &Path, entries: &[NewEntry], moved: &[PathEdit<'_>]) -> Result<String, Error> {
        let folder = file.parent().unwrap_or(self.workspace());
        let entries: Vec<Value> = entries.iter().map(|entry| self.entry(folder, entry)).collect();
        if !file.exists() {
            return Ok(format!("{:#}\n", json!({"version": "1.0", "sources": entries})));
        }
        let text = self.with_paths(file, moved)?;
        let body = text.trim_start_matches('\u{feff}');
        let mark = text.get(..text.len() - body.len()).unwrap_or_default();
        let added = with_items(body, &entries).ok_or_else(|| {
            let message = format!("{}: 'sources' is not a list", self.workspace_context().display(file));
            Error::new(Code::WrongType, message, "write \"sources\": []")
        })?;
        Ok(format!("{mark}{added}"))
    }

    /// The text of a file with changed paths for some of its entries.
    pub(super) fn with_paths(&self, file: &Path, edits: &[PathEdit<'_>]) -> Result<String, Error> {
        let unread = |error: String| Error::new(Code::NotWritten, error, "make the file readable");
        let bytes = read_whole(file, LARGEST).map_err(|error| unread(error.to_string()))?;
        let mark: &str = if bytes.starts_with(b"\xef\xbb\xbf") { "\u{feff}" } else { "" };
        let text = String::from_utf8(bytes).map_err(|error| unread(error.to_string()))?;
        let mut text = text.trim_start_matches('\u{feff}').to_owned();
        let folder = file.parent().unwrap_or(Path::new(""));
        let mut replaced: Vec<(Range<usize>, String)> = Vec::new();
        for edit in edits {
            let Some(span) = edit.span(&text) else { continue };
            replaced.push((span, Value::from(self.portable(folder, &edit.after)).to_string()));
        }
        replaced.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, new) in replaced {
            text.replace_range(range, &new);
        }
        Ok(format!("{mark}{text}"))
    }
}

/// The way up from a folder to a path in the same git repository, which is the same in every checkout.
fn within_repository(folder: &Path, path: &Path) -> Option<PathBuf> {
    let root = |path: &Path| path.ancestors().find(|above| above.join(".git").exists()).map(Path::to_path_buf);
    let near = relative(folder, path);
    // A link in the folder's path could make it lead elsewhere.
    let leads_there = || Some(resolve(&folder.join(&near)).ok()? == resolve(path).ok()?);
    (root(folder)? == root(path)? && near.starts_with("..") && leads_there()?).then_some(near)
}

/// A new path for a source.
pub(super) struct PathEdit<'a> {
    pub source: &'a Source,
    /// Absolute.
    pub after: PathBuf,
}

impl PathEdit<'_> {
    /// The range of the path in the file that defines the source.
    pub(crate) fn span(&self, text: &str) -> Option<Range<usize>> {
        let path = match self.source.origin.entry {
            Some(index) => vec![PointerStep::Key("sources"), PointerStep::Item(index), PointerStep::Key("path")],
            None => vec![PointerStep::Key("path")],
        };
        locate(text, &path).map(|spot| spot.value)
    }
}

/// The error with this refusal and the problem that is its reason.
fn unread(refusal: &str, problem: &Diagnostic) -> Error {
    // Some messages name the file themselves.
    let is_news = |place: &String| !place.is_empty() && !problem.message.contains(place.as_str());
    let place = Some(problem.place()).filter(is_news).map(|place| format!("{place}: "));
    let message = format!("{refusal}: {}{}", place.unwrap_or_default(), problem.message);
    Error::new(problem.code, message, problem.fix.clone())
}

/// The configuration with these entries appended to its `sources`; `None` if that is not a list. `text` is valid JSON.
fn with_items(text: &str, entries: &[Value]) -> Option<String> {
    let items: Vec<String> = entries.iter().map(|entry| indented(&format!("{entry:#}"), "    ")).collect();
    let items = items.join(",\n");
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let (at, inserted) = match locate(text, &[PointerStep::Key("sources")]) {
        Some(list) => {
            let inner = text.get(list.value.start..list.value.end)?.strip_prefix('[')?.strip_suffix(']')?;
            let kept = inner.trim_end();
            let comma = if kept.trim().is_empty() { "" } else { "," };
            let at = list.value.start + 1 + kept.len();
            // What is left is white space before the bracket.
            let before_bracket =
                if inner.get(kept.len()..).is_some_and(|rest| rest.contains('\n')) { "" } else { "\n  " };
            (at, format!("{comma}\n{items}{before_bracket}"))
        }
        None => {
            let at = text.find('{')? + 1;
            let comma = if text.get(at..)?.trim_start().starts_with('}') { "\n" } else { "," };
            (at, format!("\n  \"sources\": [\n{items}\n  ]{comma}"))
        }
    };
    let mut whole = text.to_owned();
    whole.insert_str(at, &inserted.replace('\n', line_end));
    Some(whole)
}

fn indented(text: &str, by: &str) -> String {
    text.lines().map(|line| format!("{by}{line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use refdesk_core::config::WorkspaceContext;
    use refdesk_files::write_atomic;

    #[test]
    fn an_id_that_another_process_has_just_used_is_refused() {
        for layout in [CatalogLayout::OneFile, CatalogLayout::FilePerSource] {
            for taken_by in ["references.json", ".jaato/references/theirs.json"] {
                let folder = tempfile::tempdir().unwrap();
                let path = std::fs::canonicalize(folder.path()).unwrap();
                let put = |file: &str, text: &str| write_atomic(&path.join(file), text.as_bytes()).unwrap();
                put("docs/guide.md", "# Guide\n\ntext\n");
                let (workspace, current) = (path.clone(), path.clone());
                let mut desk =
                    Desk::open(Options::new(WorkspaceContext { workspace, current, ..WorkspaceContext::default() }));
                let new = desk.discoverer(&[]).unwrap().run().new;
                let entry = json!({"id": new[0].id, "name": "Theirs", "type": "inline", "content": ""});
                let text = if taken_by == "references.json" { json!({"sources": [entry]}) } else { entry }.to_string();
                put(taken_by, &text);
                let change = CatalogChange { new, layout, ..CatalogChange::default() };
                let proposals = desk.propose_catalog(&change, &|_| Ok(())).unwrap();
                let written = desk.write_catalog(&Session::of_client("a test"), &change, &proposals);
                let refused = written.unwrap_err().refused;
                let message = format!("{taken_by} now defines '{}'", change.new[0].id);
                assert_eq!((refused.code, refused.message), (Code::Changed, message), "{layout:?}");
                assert_eq!(std::fs::read_to_string(path.join(taken_by)).unwrap(), text, "{layout:?}");
            }
        }
    }

    #[test]
    fn entries_are_added_and_the_rest_stays() {
        for text in [
            "{}",
            "{\"sources\": []}",
            "{\"sources\":[{\"id\":\"a\"}],\"x\":1}",
            "{\n  \"version\": \"1.0\",\n  \"sources\": [\n    {\"id\": \"a\"}\n  ],\n  \"x\": [1, 2]\n}\n",
            "{\r\n  \"sources\": [\r\n  ]\r\n}\r\n",
            "{ \"x\": 1 }",
        ] {
            let added = with_items(text, &[json!({"id": "new"}), json!({"id": "next"})]).unwrap();
            let before: Value = serde_json::from_str(text).unwrap();
            let after: Value = serde_json::from_str(&added).unwrap_or_else(|error| panic!("{error}: {added}"));
            let count = before["sources"].as_array().map_or(0, Vec::len);
            let sources = after["sources"].as_array().unwrap();
            assert_eq!(sources.len(), count + 2, "{added}");
            assert_eq!((&sources[count]["id"], &sources[count + 1]["id"]), (&json!("new"), &json!("next")));
            assert_eq!(before["x"], after["x"]);
            assert_eq!(text.contains("\r\n"), added.contains("\r\n"));
            assert!(!added.replace("\r\n", "").contains('\r'));
        }
        assert_eq!(with_items("{\"sources\": {}}", &[json!(1)]), None);
        let plain = with_items("{\n  \"sources\": [\n    {\"id\": \"a\"}\n  ]\n}\n", &[json!({"id": "b"})]).unwrap();
        assert_eq!(plain, "{\n  \"sources\": [\n    {\"id\": \"a\"},\n    {\n      \"id\": \"b\"\n    }\n  ]\n}\n");
    }
}
