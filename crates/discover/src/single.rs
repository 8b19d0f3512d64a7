//! Describes files and folders that a person named, one by one, without the rest of their repository.

use std::collections::HashSet;
use std::path::Path;

use super::ids::{self, IdParts};
use super::kind::classify;
use super::page::{Page, read_page, text_of};
use super::proposal::{FoundKind, ProposedPlace};
use super::propose::{SKILL, id_parts, shown_text, skill_contents, stem_of, tag_folders};
use super::tags::{self, Frequencies, TagInput};
use super::walk::DOCUMENT_EXTENSIONS;
use refdesk_core::catalog::DirectoryContents;
use refdesk_files::read_regular;

/// The most bytes of a file that are read.
const READ: u64 = 1024 * 1024;

/// What a file, a folder or an address says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Described {
    /// The title, else the name of the file or folder, else the last part of the address.
    pub name: String,
    /// One line; may be empty.
    pub description: String,
    /// The folders of a skill.
    pub contents: Option<DirectoryContents>,
    page: Page,
}

impl Described {
    /// How many of these documents have each word.
    fn frequencies(all: &[Self]) -> Frequencies<'_> {
        Frequencies::of(all.iter().map(|described| described.page.words.as_slice()))
    }

    /// A place that was not read.
    pub fn unread(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// The tags of each, weighed only against each other.
    pub fn tags(all: &[Self], places: &[ProposedPlace], ids: &[String]) -> Vec<Vec<String>> {
        let frequencies = Self::frequencies(all);
        let tagged: Vec<TagInput<'_>> =
            all.iter().zip(places).map(|(described, place)| described.tagged(place)).collect();
        tags::assign(&tagged, ids, &frequencies)
    }

    fn tagged(&self, place: &ProposedPlace) -> TagInput<'_> {
        let found = place.path().and_then(|path| classify(path, false));
        TagInput {
            given: &self.page.front.tags,
            folders: tag_folders(place),
            title: &self.name,
            stem: stem_of(place),
            is_decision: found.is_some_and(|found| found.kind == FoundKind::Decision),
            words: &self.page.words,
        }
    }
}

/// An id for each place, relative to the workspace, none of which is `taken`; clashing and ambiguous ones get folders
/// in front. An id is empty if nothing in the place can be part of one.
pub fn ids_of(places: &[ProposedPlace], all: &[Described], workspace: &str, taken: &HashSet<&str>) -> Vec<String> {
    let parts: Vec<IdParts> = places.iter().map(|place| id_parts(place, workspace)).collect();
    let frequencies = Described::frequencies(all);
    let ids = ids::assign(&parts, taken, &|word| frequencies.of_word(word));
    let is_empty = |parts: &IdParts| parts.parts.last().is_some_and(String::is_empty);
    parts.iter().zip(ids).map(|(parts, id)| if is_empty(parts) { String::new() } else { id }).collect()
}

/// Describes what is at a place; paths are absolute. A place that cannot be read has only its name.
pub fn describe_place(place: &ProposedPlace) -> Described {
    match place {
        ProposedPlace::Url(url) => Described { name: last_part(url), ..Described::default() },
        ProposedPlace::File(path) => described(path, &stem(path)),
        ProposedPlace::Folder(folder) => {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let first = [SKILL, "README.md", "readme.md", "index.md"].iter().map(|file| folder.join(file));
            let Some(file) = first.into_iter().find(|file| file.is_file()) else {
                return Described { name, ..Described::default() };
            };
            let mut found = described(&file, &name);
            if file.ends_with(SKILL) {
                found.name = found.page.front.name.clone().unwrap_or(name);
                found.contents = skill_contents(&|part| folder.join(part).is_dir());
            }
            found
        }
    }
}

fn described(path: &Path, name: &str) -> Described {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    let is_document = DOCUMENT_EXTENSIONS.contains(&ending.as_str()) || ending == "txt";
    let read = if is_document { read_regular(path, READ).ok() } else { None };
    let text = read.as_ref().and_then(|(bytes, _)| text_of(bytes));
    let page = text.map(|text| read_page(path, &text)).unwrap_or_default();
    Described {
        name: shown_text(page.title().unwrap_or(name)),
        description: shown_text(&page.description().unwrap_or_default()),
        contents: None,
        page,
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The last part of an address.
fn last_part(url: &str) -> String {
    let bare = url.split(['?', '#']).next().unwrap_or(url).trim_end_matches('/');
    bare.rsplit('/').find(|part| !part.is_empty()).unwrap_or(bare).to_owned()
}
