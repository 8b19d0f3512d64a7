//! Edits catalog entries in the files that define them: removes them, and changes their tags. The rest of a file stays
//! as it is.

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::add::check_tag;
use super::file_writes::OutsideWriteApproval;
use super::{Desk, Session, mention_list};
use refdesk_core::catalog::{Source, SourceId, tags_of};
use refdesk_core::config::{self, JsonDocument, MemberPart, edits};
use refdesk_core::mention::Mention;
use refdesk_files::output::{self, Proposal};
use refdesk_files::{LOCK_TIMEOUT, read_whole, unreadable};
use refdesk_text::fold::same_tag;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::{Code, Error, Fix};

/// What removing sources from the catalog would change.
#[derive(Debug)]
pub struct Removal {
    /// The sources.
    pub ids: Vec<SourceId>,
    /// The files that would be removed, each with the only source that it defines.
    pub files: Vec<(SourceId, Proposal)>,
    /// The files that would be rewritten.
    pub rewritten: Vec<Proposal>,
    /// Mentions of the sources in other documents, which would become broken links.
    pub mentions: Vec<Mention>,
}

impl Removal {
    /// What changes, file by file, if only these of the sources are removed. Those without a file of their own are
    /// removed together.
    pub fn proposals(&self, ids: &[SourceId]) -> impl Iterator<Item = &Proposal> {
        let files = self.files.iter().filter(|(id, _)| ids.contains(id)).map(|(_, file)| file);
        let is_rewritten = ids.iter().any(|id| !self.has_file(id));
        files.chain(self.rewritten.iter().filter(move |_| is_rewritten))
    }

    /// Whether a source is the only one that its file defines.
    fn has_file(&self, id: &SourceId) -> bool {
        self.files.iter().any(|(of_file, _)| of_file == id)
    }
}

/// What removing sources changed.
#[derive(Debug)]
pub struct RemovedSources {
    /// The sources that were removed.
    pub ids: Vec<SourceId>,
    /// Why others, or picks or exclusions of these, could not be removed.
    pub failed: Vec<Error>,
}

/// A change of a source's tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Retagged {
    /// The source.
    pub id: SourceId,
    /// Its tags before.
    pub before: Vec<String>,
    /// Its tags now.
    pub after: Vec<String>,
    /// The file of its entry, as displayed.
    pub file: String,
}

/// The current text of the file that defines an entry.
struct EntryFile {
    text: String,
    document: JsonDocument,
}

impl EntryFile {
    /// The index of this source's entry; `None` if the whole file is the entry.
    fn entry_of(&self, source: &Source, shown: &str) -> Result<Option<usize>, Error> {
        let id = |value: Option<&Value>| value.and_then(|it| it.get("id")).and_then(Value::as_str).map(str::to_owned);
        let is_it = |at: &usize| id(self.document.entry(*at).as_ref()).as_deref() == Some(source.id.as_str());
        let found = match source.origin.entry {
            None => (id(Some(&self.document.value)).as_deref() == Some(source.id.as_str())).then_some(None),
            Some(at) if is_it(&at) => Some(Some(at)),
            Some(_) => (0..self.document.entries()).find(is_it).map(Some),
        };
        found
            .ok_or_else(|| Error::new(Code::Changed, format!("{shown} no longer defines '{}'", source.id), Fix::Reload))
    }

    /// Checks that the entry still has the tags with which its source was loaded, and nothing that an edit of its tags
    /// would lose.
    fn check_tags(&self, source: &Source, at: Option<usize>, shown: &str) -> Result<(), Error> {
        let entry = at.and_then(|at| self.document.entry(at));
        let entry = entry.as_ref().unwrap_or(&self.document.value);
        let is_kept = match entry.get("tags") {
            None | Some(Value::Null) => true,
            Some(Value::Array(items)) => items.iter().all(Value::is_string),
            Some(_) => false,
        };
        if !is_kept {
            let path = at.map_or_else(Vec::new, |at| vec![PointerStep::Key("sources"), PointerStep::Item(at)]);
            let path = [&path[..], &[PointerStep::Key("tags")]].concat();
            let line = self.document.position(&path, MemberPart::Value).line;
            let message = format!("'tags' of '{}' must be a list of strings ({shown}:{line})", source.id);
            return Err(Error::new(
                Code::WrongType,
                message,
                "write it as \"tags\": [\"one\", \"two\"], and try again",
            ));
        }
        if tags_of(entry) == source.tags {
            return Ok(());
        }
        Err(Error::new(Code::Changed, format!("the tags of '{}' in {shown} changed", source.id), Fix::Reload))
    }
}

impl Desk {
    /// The sources with these ids, without duplicates.
    ///
    /// # Errors
    /// An id is unknown.
    fn named(&self, ids: &[String]) -> Result<Vec<&Source>, Error> {
        let ids = self.catalog_ids(ids);
        let unknown = |id: &String| self.unknown_ids(&ids).unwrap_or_else(|| self.unknown_id(id));
        ids.iter().map(|id| self.catalog.get(id).ok_or_else(|| unknown(id))).collect()
    }

    fn entry_file(&self, source: &Source) -> Result<EntryFile, Error> {
        let path = source.origin.file.to_path_buf();
        let shown = self.workspace_context().display(&path);
        if self.profile_file() == Some(&*path) {
            let message = format!("'{}' is defined in the profile {shown}", source.id);
            return Err(Error::new(Code::WorkspacePath, message, "change it in that file"));
        }
        let unread = |why: String| Error::new(Code::Unreadable, format!("{shown} cannot be read: {why}"), Fix::Reload);
        let bytes = read_whole(&path, config::LARGEST)
            .map_err(|error| Error::new(Code::Unreadable, unreadable(&shown, &error), Fix::Reload))?;
        let text = String::from_utf8(bytes).map_err(|error| unread(error.to_string()))?;
        let (document, problems) = JsonDocument::parse(&path, shown.clone(), text.clone().into_bytes());
        let document = document
            .ok_or_else(|| unread(problems.first().map_or_else(String::new, |problem| problem.message.clone())))?;
        Ok(EntryFile { text, document })
    }

    /// A source's entry as it is now in its file.
    ///
    /// # Errors
    /// The file cannot be read, or no longer defines the source.
    pub fn written_entry(&self, source: &Source) -> Result<Value, Error> {
        let file = self.entry_file(source)?;
        let at = file.entry_of(source, &self.workspace_context().display(&source.origin.file))?;
        Ok(at.map_or_else(|| file.document.value.clone(), |at| file.document.entry(at).unwrap_or_default()))
    }

    /// Computes what removing these sources would change, without changing it. If a file is outside the workspace,
    /// `leave` must allow the write.
    ///
    /// # Errors
    /// An id is unknown, or a file may not be changed.
    pub fn propose_removal(&mut self, ids: &[String], leave: OutsideWriteApproval<'_>) -> Result<Removal, Error> {
        self.named(ids)?;
        self.read_all();
        let sources = self.named(ids)?;
        let mut by_file: BTreeMap<&Path, Vec<&Source>> = BTreeMap::new();
        for source in &sources {
            by_file.entry(&source.origin.file).or_default().push(source);
        }
        let (mut files, mut rewritten) = (Vec::new(), Vec::new());
        for (path, of_file) in by_file {
            let shown = self.workspace_context().display(path);
            let Some(&first) = of_file.first() else { continue };
            let file = self.entry_file(first)?;
            let mut entries = Vec::new();
            for source in of_file {
                entries.extend(file.entry_of(source, &shown)?);
            }
            let proposal = if entries.is_empty() {
                self.propose_file_removal(path, leave)?
            } else {
                let new = edits::without_entries(&file.text, &entries).ok_or_else(|| uneditable(&shown))?;
                self.propose_configuration(path, &new, leave)?
            };
            unchanged(&proposal, &file.text)?;
            if entries.is_empty() { files.push((first.id.clone(), proposal)) } else { rewritten.push(proposal) }
        }
        let is_removed = |id: &str| sources.iter().any(|source| source.id.as_str() == id);
        let others = self.catalog.sources().iter().filter(|source| !is_removed(source.id.as_str()));
        let mentions = others.flat_map(|source| self.graph.from_to(source.id.as_str(), |to| is_removed(to.as_str())));
        let mentions = mentions.collect();
        Ok(Removal { ids: sources.iter().map(|source| source.id.clone()).collect(), files, rewritten, mentions })
    }

    fn propose_file_removal(&self, file: &Path, leave: OutsideWriteApproval<'_>) -> Result<Proposal, Error> {
        let workspace = self.workspace();
        self.propose_leaving(file, leave, |path, scope| output::propose_unlinking(workspace, workspace, path, scope))
    }

    /// Removes sources as proposed, with their picks and exclusions, and reloads the catalog. Each file is changed
    /// atomically, but not all of them together.
    ///
    /// # Errors
    /// A file has changed since it was proposed, or cannot be written, and no source was removed.
    pub fn remove_sources(&mut self, session: &Session, removal: &Removal) -> Result<RemovedSources, Error> {
        let mut removed = Vec::new();
        let done = self.remove_entries(session, removal, &mut removed);
        let (ids, kept): (Vec<_>, Vec<_>) = removal.ids.iter().cloned().partition(|id| removed.contains(id));
        let mut failed = Vec::new();
        if let Err(error) = done {
            if ids.is_empty() {
                return Err(error);
            }
            let message = format!("{}, but not {}: {}", reason(&ids), mention_list(&kept), error.message);
            failed.push(Error { message, ..error });
        }
        let names: Vec<String> = ids.iter().map(ToString::to_string).collect();
        let dropped = self.drop_choices(session, &names);
        self.remember_removed(&ids);
        self.reload();
        if let Err((what, error)) = dropped {
            let message = format!("{}, but {what} could not be dropped: {}", reason(&ids), error.message);
            failed.push(Error { message, ..error });
        }
        Ok(RemovedSources { ids, failed })
    }

    /// Removes the entries of sources from their files, and adds the sources to `removed`.
    fn remove_entries(
        &mut self,
        session: &Session,
        removal: &Removal,
        removed: &mut Vec<SourceId>,
    ) -> Result<(), Error> {
        let ids: Vec<SourceId> = removal.ids.iter().filter(|id| !removal.has_file(id)).cloned().collect();
        if !ids.is_empty() {
            self.write(session, &removal.rewritten, &reason(&ids)).map_err(|unwritten| unwritten.refused)?;
            removed.extend(ids);
        }
        for (id, file) in &removal.files {
            let reason = reason(std::slice::from_ref(id));
            self.remove(session, file, 0, &reason).map_err(|unwritten| unwritten.refused)?;
            removed.push(id.clone());
        }
        Ok(())
    }

    /// Removes the picks and exclusions of these ids; the error says which of the two remain.
    fn drop_choices(&mut self, session: &Session, ids: &[String]) -> Result<(), (&'static str, Error)> {
        let is_among = |chosen: &[String]| ids.iter().filter(|id| chosen.contains(id)).cloned().collect::<Vec<_>>();
        let (picked, excluded) = (is_among(&self.choice.picks), is_among(&self.choice.exclusions));
        let what = |ids: &[String], one, many| if ids.len() == 1 { one } else { many };
        if !picked.is_empty() {
            let what = what(&picked, "its pick", "their picks");
            self.unpick(session, &picked).map_err(|error| (what, error))?;
        }
        if !excluded.is_empty() {
            let what = what(&excluded, "its exclusion", "their exclusions");
            self.include(session, &excluded).map_err(|error| (what, error))?;
        }
        Ok(())
    }

    /// Adds and removes tags in the entries of these sources, and reloads the catalog; returns the sources whose tags
    /// changed. Tags are compared as for hints.
    ///
    /// # Errors
    /// An id is unknown, a tag cannot match anything, or a file cannot be changed. In each case nothing is written.
    pub fn retag(
        &mut self,
        session: &Session,
        ids: &[String],
        add: &[String],
        remove: &[String],
        leave: OutsideWriteApproval<'_>,
    ) -> Result<Vec<Retagged>, Error> {
        add.iter().try_for_each(|tag| check_tag(tag))?;
        self.repeat_if_changed(|desk| desk.try_to_retag(session, ids, add, remove, leave))
    }

    /// Applies a catalog change without showing a diff, and retries while other processes change the same file.
    ///
    /// # Errors
    /// The change fails for another reason, or the file kept changing until the lock timeout.
    pub fn repeat_if_changed<T>(&mut self, mut change: impl FnMut(&mut Self) -> Result<T, Error>) -> Result<T, Error> {
        let began = Instant::now();
        // Each process pauses for a different time, so that they do not collide again.
        let share = Duration::from_millis(u64::from(std::process::id() % 16) + 1);
        let mut pause = share;
        loop {
            match change(self) {
                Err(error) if error.code == Code::Changed && began.elapsed() < LOCK_TIMEOUT => {
                    thread::park_timeout(pause);
                    pause = (pause + share).min(8 * share);
                    self.reload();
                }
                done => return done,
            }
        }
    }

    fn try_to_retag(
        &mut self,
        session: &Session,
        ids: &[String],
        add: &[String],
        remove: &[String],
        leave: OutsideWriteApproval<'_>,
    ) -> Result<Vec<Retagged>, Error> {
        let mut changed = Vec::new();
        let mut files: BTreeMap<&Path, (EntryFile, String)> = BTreeMap::new();
        for source in self.named(ids)? {
            let shown = self.workspace_context().display(&source.origin.file);
            let (file, text) = match files.remove(&*source.origin.file) {
                Some(known) => known,
                None => {
                    let file = self.entry_file(source)?;
                    let text = file.text.clone();
                    (file, text)
                }
            };
            let at = file.entry_of(source, &shown)?;
            file.check_tags(source, at, &shown)?;
            let is_in = |tag: &str, list: &[String]| list.iter().any(|other| same_tag(tag, other));
            let before: Vec<String> = source.tags.iter().map(ToString::to_string).collect();
            let mut after: Vec<String> = before.iter().filter(|tag| !is_in(tag, remove)).cloned().collect();
            for tag in add {
                if !is_in(tag, &after) {
                    after.push(tag.clone());
                }
            }
            if after == before {
                files.insert(&source.origin.file, (file, text));
                continue;
            }
            let text = edits::with_tags(&text, at, &after).ok_or_else(|| uneditable(&shown))?;
            files.insert(&source.origin.file, (file, text));
            changed.push(Retagged { id: source.id.clone(), before, after, file: shown });
        }
        let mut proposals = Vec::new();
        for (path, (file, text)) in files.iter().filter(|(_, (file, text))| file.text != *text) {
            let proposal = self.propose_configuration(path, text, leave)?;
            unchanged(&proposal, &file.text)?;
            proposals.push(proposal);
        }
        if !proposals.is_empty() {
            let ids: Vec<SourceId> = changed.iter().map(|it| it.id.clone()).collect();
            let reason = format!("changed the tags of {}", mention_list(&ids));
            self.write(session, &proposals, &reason).map_err(|unwritten| unwritten.refused)?;
            self.reload();
        }
        Ok(changed)
    }

    /// Writes this text to the file of an entry, to undo an edit.
    ///
    /// # Errors
    /// The file may not be written.
    pub fn put_back(
        &mut self,
        session: &Session,
        file: &Path,
        text: &str,
        leave: OutsideWriteApproval<'_>,
    ) -> Result<(), Error> {
        let proposal = self.propose_configuration(file, text, leave)?;
        let reason = "an edit was undone";
        self.write(session, std::slice::from_ref(&proposal), reason).map_err(|unwritten| unwritten.refused)?;
        self.reload();
        Ok(())
    }

    /// Journals that a person edited a file, and reloads the catalog.
    pub fn note_edit(&mut self, session: &Session, file: &Path, text: &str, id: &str) {
        self.note_file(session, &self.workspace_context().display(file), text, &format!("edited @{id}"));
        self.reload();
    }
}

/// What was done, for the journal and for errors.
fn reason(removed: &[SourceId]) -> String {
    format!("removed {}", mention_list(removed))
}

/// Checks that a file did not change between reading it and proposing the change.
fn unchanged(proposal: &Proposal, read: &str) -> Result<(), Error> {
    if proposal.replaces(read) {
        return Ok(());
    }
    Err(Error::new(Code::Changed, format!("{} changed while it was being read", proposal.shown), "try again"))
}

fn uneditable(shown: &str) -> Error {
    Error::new(Code::NotWritten, format!("{shown} has a form that refdesk cannot edit"), "edit the file yourself")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;
    use refdesk_files::write_atomic;

    /// The file of the second source changes after the difference was shown.
    #[test]
    fn of_several_removals_those_that_were_made_are_known() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let workspace = root.join("ws");
        let entry = |id: &str, name: &str| json!({"id": id, "name": name, "type": "inline", "content": ""});
        let put = |file: &str, text: Value| write_atomic(&workspace.join(file), text.to_string().as_bytes()).unwrap();
        put("references.json", json!({"sources": [entry("a", "A")]}));
        put(".jaato/references/b.json", entry("b", "B"));
        let context = WorkspaceContext {
            workspace: workspace.clone(),
            current: workspace.clone(),
            ..WorkspaceContext::default()
        };
        let mut desk = Desk::open(Options { state: Some(root.join("state")), ..Options::new(context) });
        let session = Session::of_client("a test");
        let ids = ["a", "b"].map(str::to_owned);
        desk.pick(&session, &ids, &[]).unwrap();
        let removal = desk.propose_removal(&ids, &|_| Ok(())).unwrap();
        put(".jaato/references/b.json", entry("b", "Another"));
        let removed = desk.remove_sources(&session, &removal).unwrap();
        assert_eq!(removed.ids.iter().map(SourceId::as_str).collect::<Vec<_>>(), ["a"]);
        let files = |ids: &[SourceId]| removal.proposals(ids).map(|it| it.shown.clone()).collect::<Vec<_>>();
        assert_eq!(files(&removal.ids), [".jaato/references/b.json", "references.json"]);
        assert_eq!(files(&removed.ids), ["references.json"]);
        assert_eq!(files(&removal.ids[1..]), [".jaato/references/b.json"]);
        let failed: Vec<&str> = removed.failed.iter().map(|error| error.message.as_str()).collect();
        assert!(failed.len() == 1 && failed[0].starts_with("removed @a, but not @b: .jaato/references/b.json changed"));
        assert_eq!(desk.choice().picks, ["b"]);
        let journal = fs::read_to_string(workspace.join(".jaato/refdesk/journal.jsonl")).unwrap();
        assert!(journal.contains("\"removed @a\"") && !journal.contains("@b"), "{journal}");

        let removal = desk.propose_removal(&ids[1..], &|_| Ok(())).unwrap();
        put(".jaato/references/b.json", entry("b", "Once more"));
        assert_eq!(desk.remove_sources(&session, &removal).unwrap_err().code, Code::Changed);
    }
}
