//! Locates a source for an editor: the entry that defines it, and its document. The files are read again, because they
//! may have changed since the catalog was read.

use std::path::PathBuf;

use serde_json::Value;

use super::Desk;
use super::document::introduction;
use refdesk_core::catalog::{PathState, Source, SourceKind};
use refdesk_core::config::profile::REFERENCES_PATH;
use refdesk_core::config::{self, JsonDocument, MemberPart};
use refdesk_core::mention::files;
use refdesk_files::walk::WalkBudget;
use refdesk_files::{read_whole, unreadable};
use refdesk_text::report::locate::PointerStep;
use refdesk_text::{Code, Error, Fix};

/// A line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLine {
    /// The absolute path.
    pub path: PathBuf,
    /// The line, from 1.
    pub line: usize,
}

impl Desk {
    /// The entry that defines this source; the first line if its file no longer parses.
    ///
    /// # Errors
    /// The source is unknown, or its file does not exist.
    pub fn definition(&self, id: &str) -> Result<FileLine, Error> {
        let source = self.catalog.get(id).ok_or_else(|| self.unknown_id(id))?;
        let path = source.origin.file.to_path_buf();
        let bytes = read_whole(&path, config::LARGEST).map_err(|error| {
            let message = unreadable(&self.workspace_context().display(&path), &error);
            Error::new(Code::Unreadable, message, "reload the workspace")
        })?;
        let document = JsonDocument::parse(&path, String::new(), bytes).0;
        if self.profile_file() == Some(&*path) {
            return Ok(FileLine { line: document.map_or(1, |document| line_in_profile(source, &document)), path });
        }
        Ok(FileLine { line: document.map_or(1, |document| line_of(source, &document)), path })
    }

    /// The document of this source: its file; the readme, index or first document of its folder; or the entry with its
    /// inline content.
    ///
    /// # Errors
    /// The source is unknown, or has no file to open.
    pub(crate) fn document_spot(&self, id: &str) -> Result<FileLine, Error> {
        let source = self.catalog.get(id).ok_or_else(|| self.unknown_id(id))?;
        let place = match &source.kind {
            SourceKind::Local(place) => place,
            SourceKind::Inline { .. } => return self.definition(id),
            SourceKind::Url { .. } | SourceKind::Mcp { .. } | SourceKind::Withheld(_) => {
                return Err(Error::new(
                    Code::LiesElsewhere,
                    format!("@{id} is not a file of the workspace"),
                    "open its definition",
                ));
            }
        };
        let path = match place.state {
            PathState::Missing => {
                let expected = self.workspace_context().display(&place.path);
                let message = format!("@{id} is missing: nothing exists at {expected}");
                return Err(Error::new(Code::Missing, message, "correct its path in its definition"));
            }
            PathState::Untrusted => {
                let message = format!("@{id} is outside the workspace and waits for trust");
                return Err(Error::new(Code::Untrusted, message, Fix::Trust));
            }
            PathState::Special => {
                let message = format!("@{id} is not a regular file");
                return Err(Error::new(Code::NoRegularFile, message, "correct its path in its definition"));
            }
            PathState::Reserved => {
                let message = format!("@{id} belongs to git or to refdesk itself");
                return Err(Error::new(Code::KeptBack, message, "change its path in its definition"));
            }
            PathState::File => place.path.to_path_buf(),
            PathState::Directory => {
                let first = || {
                    files(source, &WalkBudget::default(), |path| self.workspace_context().display(path))
                        .0
                        .into_iter()
                        .next()
                };
                let introduction = introduction(place).map(|(_, path)| path);
                introduction.or_else(|| first().map(|found| found.path)).ok_or_else(|| {
                    let folder = self.workspace_context().display(&place.path);
                    Error::new(Code::NoDocument, format!("there is no document in {folder}"), "open its definition")
                })?
            }
        };
        Ok(FileLine { path, line: 1 })
    }
}

/// The line of a source defined by a profile.
fn line_in_profile(source: &Source, document: &JsonDocument) -> usize {
    let item = source.origin.entry.map(PointerStep::Item);
    let path: Vec<PointerStep<'_>> =
        REFERENCES_PATH.map(PointerStep::Key).into_iter().chain([PointerStep::Key("sources")]).chain(item).collect();
    document.position(&path, MemberPart::Value).line
}

/// The line of the source's entry, found by its id if earlier entries have changed.
fn line_of(source: &Source, document: &JsonDocument) -> usize {
    let Some(index) = source.origin.entry else { return document.position(&[], MemberPart::Value).line };
    let is_it = |at: usize| {
        document.entry(at).is_some_and(|entry| entry.get("id").and_then(Value::as_str) == Some(source.id.as_str()))
    };
    let index = if is_it(index) { Some(index) } else { (0..document.entries()).find(|at| is_it(*at)) };
    index.map_or(1, |index| {
        document.position(&[PointerStep::Key("sources"), PointerStep::Item(index)], MemberPart::Value).line
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;
    use refdesk_files::write_atomic;

    const CONFIG: &str = r#"{ "sources": [
  { "id": "a", "name": "A", "path": "docs/a.md" },
  { "id": "folder", "name": "Folder", "path": "folder" },
  {
    "id": "bare", "name": "Bare", "path": "bare"
  },
  { "id": "text", "name": "Text", "type": "inline", "content": "hello" },
  { "id": "page", "name": "Page", "type": "url", "url": "https://example.org" },
  { "id": "gone", "name": "Gone", "path": "docs/gone.md" },
  { "id": "empty", "name": "Empty", "path": "empty" }
] }
"#;

    fn desk(folder: &Path) -> Desk {
        for (file, text) in [
            ("references.json", CONFIG),
            ("docs/a.md", "a"),
            ("folder/aa.md", "first"),
            ("folder/index.html", "index"),
            ("folder/README.md", "readme"),
            ("folder/deep/README.md", "another"),
            ("bare/z/b.md", "b"),
            ("bare/z/readme.md", "not that of the folder"),
            ("empty/code.rs", ""),
            (".jaato/references/own.json", "\n{\"id\": \"own\", \"name\": \"Own\", \"path\": \"../../docs/a.md\"}"),
        ] {
            write_atomic(&folder.join(file), text.as_bytes()).unwrap();
        }
        let context =
            WorkspaceContext { workspace: folder.to_owned(), current: folder.to_owned(), ..Default::default() };
        Desk::open(Options::new(context))
    }

    fn shown(folder: &Path, spot: Result<FileLine, Error>) -> String {
        match spot {
            Ok(spot) => format!("{}:{}", spot.path.strip_prefix(folder).unwrap().display(), spot.line),
            Err(refusal) => refusal.message,
        }
    }

    #[test]
    fn definitions_and_documents() {
        let root = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(root.path()).unwrap();
        let desk = desk(&folder);
        for (id, definition, document) in [
            ("a", "references.json:2", "docs/a.md:1"),
            ("folder", "references.json:3", "folder/README.md:1"),
            ("bare", "references.json:4", "bare/z/b.md:1"),
            ("text", "references.json:7", "references.json:7"),
            ("page", "references.json:8", "@page is not a file of the workspace"),
            ("gone", "references.json:9", "@gone is missing: nothing exists at docs/gone.md"),
            ("empty", "references.json:10", "there is no document in empty"),
            ("own", ".jaato/references/own.json:2", "docs/a.md:1"),
        ] {
            assert_eq!(shown(&folder, desk.definition(id)), definition, "{id}");
            assert_eq!(shown(&folder, desk.document_spot(id)), document, "{id}");
        }
        assert_eq!(desk.definition("none").unwrap_err().code, Code::UnknownId);
    }

    #[test]
    fn entries_and_documents_that_moved_since_the_catalog_was_read() {
        let root = tempfile::tempdir().unwrap();
        let folder = std::fs::canonicalize(root.path()).unwrap();
        let desk = desk(&folder);
        let file = folder.join("references.json");
        let write = |text: &str| write_atomic(&file, text.as_bytes()).unwrap();
        write(&CONFIG.replacen("[\n", "[\n  { \"id\": \"new\", \"name\": \"New\", \"path\": \"docs/a.md\" },\n", 1));
        assert_eq!(shown(&folder, desk.definition("folder")), "references.json:4", "moved");
        write(&CONFIG.replace("\"folder\",", "\"other\","));
        assert_eq!(shown(&folder, desk.definition("folder")), "references.json:1", "taken out");
        write(&format!("{CONFIG},"));
        assert_eq!(shown(&folder, desk.definition("folder")), "references.json:1", "broken");
        std::fs::remove_file(&file).unwrap();
        assert_eq!(shown(&folder, desk.definition("folder")), "references.json does not exist");
    }
}
