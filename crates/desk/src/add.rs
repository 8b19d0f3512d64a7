//! Adds a source: one more file in the folder of references. Existing files are not rewritten.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::writing::Leave;
use super::{Desk, Session};
use refdesk_core::catalog::{Mode, NOT_A_SOURCE, SourceId};
use refdesk_files::name;
use refdesk_files::output::{self, Before};
use refdesk_files::path::{absolute, relative, slashed};
use refdesk_text::fold::can_match;
use refdesk_text::{Code, Error, Fix};

/// A source to add.
#[derive(Debug, Clone)]
pub struct NewSource {
    /// A path, relative to the current folder, or an `http://` or `https://` address.
    pub place: String,
    /// Made from the place if not given.
    pub id: Option<String>,
    /// Made from the place if not given.
    pub name: Option<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its mode.
    pub mode: Mode,
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
}

impl Desk {
    /// Writes the entry of a new source to its own file and reloads. If the folder of references is outside the
    /// workspace, `leave` must allow the write.
    ///
    /// # Errors
    /// The path does not exist, the id is taken or empty, or the file exists or cannot be written.
    pub fn add(&mut self, session: &Session, new: &NewSource, leave: Leave<'_>) -> Result<Added, Error> {
        let is_url = new.place.starts_with("http://") || new.place.starts_with("https://");
        let path = absolute(&self.around().current, Path::new(&new.place));
        if !is_url && (new.place.trim().is_empty() || !path.exists()) {
            let message = format!("'{}' is not an existing file or folder", new.place);
            return Err(Error::new(Code::NoSuchPath, message, "name something that exists, or an http(s) address"));
        }
        let stem = stem_of(&new.place, if is_url { None } else { Some(&path) });
        let id = new.id.clone().unwrap_or_else(|| slug(&stem));
        if id.trim().is_empty() {
            return Err(Error::new(Code::EmptyId, "no id can be derived from that name", Fix::GiveId));
        }
        if let Some(tag) = new.tags.iter().find(|tag| !can_match(tag)) {
            let message = format!("the tag '{tag}' cannot match anything");
            return Err(Error::new(Code::EmptyTag, message, "give it a letter or digit, or leave it out"));
        }
        let name = new.name.clone().unwrap_or(stem);
        if name.trim().is_empty() {
            return Err(Error::new(Code::EmptyName, "the name is empty", Fix::GiveName));
        }
        if let Some(taken) = self.catalog.get(&id) {
            let file = self.around().display(&taken.origin.file);
            return Err(Error::new(Code::IdTaken, format!("the id '{id}' is taken, by {file}"), Fix::GiveId));
        }
        if !self.settings().auto_discover {
            let message = "files in the references folder are not read: 'auto_discover_references' is false";
            let hint = "set it to true, or add the entry to 'sources' yourself";
            return Err(Error::new(Code::NotDiscovered, message, hint));
        }
        let folder = self.references_folder();
        let plain = format!("{}.json", name::safe(&id));
        let file_name = if plain == NOT_A_SOURCE { format!("{}.json", name::sha256_hex(id.as_bytes())) } else { plain };
        let file = folder.join(file_name);
        let exists = || {
            let message = format!("{} is there already", self.around().display(&file));
            Error::new(Code::FileExists, message, Fix::All(vec![Fix::GiveId, "or edit that file".into()]))
        };
        if file.exists() {
            return Err(exists());
        }
        let mut entry = Map::new();
        entry.insert("id".into(), json!(id));
        entry.insert("name".into(), json!(name));
        entry.insert("description".into(), json!(""));
        entry.insert("type".into(), json!(if is_url { "url" } else { "local" }));
        if is_url {
            entry.insert("url".into(), json!(new.place));
        } else {
            entry.insert("path".into(), json!(self.portable(&folder, &path)));
        }
        entry.insert("mode".into(), json!(new.mode.word()));
        entry.insert("tags".into(), json!(new.tags));
        let entry = Value::Object(entry);
        let text = format!("{entry:#}\n");
        let proposal = self.propose_configuration(&file, &text, leave)?;
        if proposal.before != Before::Nothing {
            return Err(exists());
        }
        let written = output::write(self.workspace(), self.sealer(), std::slice::from_ref(&proposal));
        written.map_err(|unwritten| unwritten.refused)?;
        self.note_file(session, &self.around().display(&file), &text, &format!("added @{id}"));
        self.reload();
        Ok(Added { id: id.into(), entry, file })
    }

    /// The path as written in a file of `folder`: relative to it if both are in the workspace, so that the catalog can
    /// be moved; otherwise absolute.
    pub(super) fn portable(&self, folder: &Path, path: &Path) -> String {
        let workspace = self.workspace();
        let Ok(inside) = path.strip_prefix(workspace) else { return slashed(path) };
        let near = slashed(&relative(folder, path));
        if !folder.starts_with(workspace) || (near.starts_with(".jaato/") && folder != workspace) {
            return format!("${{workspaceRoot}}/{}", slashed(inside));
        }
        if near.is_empty() { ".".to_owned() } else { near }
    }
}

/// The name of a file without its extension, of a folder, or the last part of a URL.
fn stem_of(place: &str, path: Option<&Path>) -> String {
    let stem = match path {
        Some(path) if path.is_dir() => path.file_name(),
        Some(path) => path.file_stem(),
        None => {
            let bare = place.split(['?', '#']).next().unwrap_or(place).trim_end_matches('/');
            return bare.rsplit('/').find(|part| !part.is_empty()).unwrap_or(bare).to_owned();
        }
    };
    stem.map_or_else(String::new, |stem| stem.to_string_lossy().into_owned())
}

/// Lower case, with everything but letters and digits replaced by one `-`.
fn slug(stem: &str) -> String {
    let parts: Vec<String> =
        stem.split(|c: char| !c.is_alphanumeric()).filter(|part| !part.is_empty()).map(str::to_lowercase).collect();
    parts.join("-")
}
