//! Describes single files and folders that the user named, without the rest of their repository.

use std::collections::HashSet;
use std::path::Path;

use super::ids::{self, IdParts, slug};
use super::kind::classify;
use super::page::{Page, read_page, text_of};
use super::proposal::{FoundKind, ProposedPlace, ProposedSource};
use super::propose::{SKILL, id_parts, shown_text, skill_contents, stem_of, tag_folders};
use super::scan::READ;
use super::tags::{self, Frequencies, TagInput, says_nothing};
use super::walk::DOCUMENT_EXTENSIONS;
use super::words::{HEADING, WordCounter};
use percent_encoding::percent_decode_str;
use refdesk_core::catalog::DirectoryContents;
use refdesk_files::nofollow::open_in;
use refdesk_files::read_open;

/// The most characters of an address that are its name as a whole.
const ADDRESS: usize = 80;

/// How many parts at the end of an address's path give tags.
const PATH: usize = 3;

/// Labels of a host, above its last one, that name no service.
const DOMAINS: [&str; 8] = ["ac", "co", "com", "edu", "gov", "net", "org", "www"];

/// The description of a file, a folder or an address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DescribedPlace {
    /// The title, else the name of the file or folder, else the host and path of the address.
    pub name: String,
    /// One line; may be empty.
    pub description: String,
    /// The folders of a skill.
    pub contents: Option<DirectoryContents>,
    page: Page,
}

impl DescribedPlace {
    /// How many of these documents contain each word.
    fn frequencies(all: &[Self]) -> Frequencies<'_> {
        Frequencies::of(all.iter().map(|described| described.page.words.as_slice()))
    }

    /// A place that was not read.
    pub fn unread(name: String) -> Self {
        Self { name, ..Self::default() }
    }

    /// The tags of each place; words are weighed only against these places.
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

/// An id for each place, relative to the workspace, none of which is `taken`: the id that a discovery would propose,
/// else one made in the same way. Clashing and ambiguous ids get folders in front. An id is empty if no part of the
/// place can be part of one.
pub fn ids_of(
    places: &[ProposedPlace],
    all: &[DescribedPlace],
    workspace: &str,
    taken: &HashSet<&str>,
    proposed: &[ProposedSource],
) -> Vec<String> {
    let proposed: Vec<Option<&str>> = places
        .iter()
        .map(|place| proposed.iter().find(|source| source.place == *place).map(|source| source.id.as_str()))
        .map(|id| id.filter(|id| !taken.contains(id)))
        .collect();
    let others = || places.iter().zip(&proposed).filter(|(_, id)| id.is_none()).map(|(place, _)| place);
    let parts: Vec<IdParts> = others().map(|place| id_parts(place, workspace)).collect();
    let frequencies = DescribedPlace::frequencies(all);
    let taken = taken.iter().copied().chain(proposed.iter().flatten().copied()).collect();
    let ids = ids::assign(&parts, &taken, &|word| frequencies.of_word(word));
    let is_empty = |parts: &IdParts| parts.parts.last().is_some_and(String::is_empty);
    let mut made = parts.iter().zip(ids).map(|(parts, id)| if is_empty(parts) { String::new() } else { id });
    proposed.into_iter().map(|id| id.map_or_else(|| made.next().unwrap_or_default(), str::to_owned)).collect()
}

/// The real path of a place.
#[derive(Debug, Clone, Copy)]
pub struct RealPlace<'a> {
    /// The path without links.
    pub path: &'a Path,
    /// The folder, or the file itself, that no read for the place may leave; a path without links.
    pub within: &'a Path,
}

/// Describes the document at a place. `place` only provides the name: `real` is opened, without following links that
/// appeared since. A place that cannot be read gets only a name.
pub fn describe_place(place: &ProposedPlace, real: RealPlace<'_>) -> DescribedPlace {
    match place {
        ProposedPlace::Url(url) => of_address(url),
        ProposedPlace::File(path) => described(path, real, &stem(path)),
        ProposedPlace::Folder(folder) => {
            let name = folder.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let mut first = [SKILL, "README.md", "readme.md", "index.md"].into_iter();
            let Some(file) = first.find(|file| real.path.join(file).is_file()) else {
                return DescribedPlace::unread(name);
            };
            let (path, at) = (folder.join(file), real.path.join(file));
            let mut found = described(&path, RealPlace { path: &at, ..real }, &name);
            if file == SKILL {
                found.name = found.page.front.name.clone().unwrap_or(name);
                found.contents = skill_contents(&|part| real.path.join(part).is_dir());
            }
            found
        }
    }
}

fn described(path: &Path, real: RealPlace<'_>, name: &str) -> DescribedPlace {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default().to_ascii_lowercase();
    let is_document = DOCUMENT_EXTENSIONS.contains(&ending.as_str()) || ending == "txt";
    let read = || open_in(real.within, real.path).and_then(|(file, metadata)| read_open(file, &metadata, READ)).ok();
    let read = if is_document { read() } else { None };
    let text = read.as_ref().and_then(|(bytes, _)| text_of(bytes));
    let page = text.map(|text| read_page(path, &text)).unwrap_or_default();
    DescribedPlace {
        name: shown_text(page.title().unwrap_or(name)),
        description: shown_text(&page.description().unwrap_or_default()),
        contents: None,
        page,
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The host and path of an address as its name, and the words in them, from which its tags are chosen: prompts name the
/// service that a page is about, not the last part of its path.
fn of_address(url: &str) -> DescribedPlace {
    let bare = url.split_once("://").map_or(url, |(_, rest)| rest).split(['?', '#']).next().unwrap_or_default();
    let bare = bare.trim_end_matches('/');
    let mut parts = bare.split('/').filter(|part| !part.is_empty());
    let host = parts.next().unwrap_or_default();
    let path: Vec<&str> = parts.collect();
    let name = match path.split_last() {
        Some((last, [_, ..])) if bare.chars().count() > ADDRESS => format!("{host}/…/{last}"),
        _ => bare.to_owned(),
    };
    // The last label of a host is its country or kind.
    let labels =
        host.split(':').next().unwrap_or_default().rsplit('.').skip(1).filter(|label| !DOMAINS.contains(label));
    let near = path.get(path.len().saturating_sub(PATH)..).unwrap_or_default();
    let stems = near.iter().map(|part| part.rsplit_once('.').map_or(*part, |(stem, _)| stem));
    let mut words = WordCounter::default();
    let parts = labels.chain(stems).map(|part| percent_decode_str(part).decode_utf8_lossy());
    let telling = parts.filter(|part| !says_nothing(&slug(part)));
    telling.for_each(|part| words.add(&part.replace('_', " "), HEADING));
    DescribedPlace { page: Page { words: words.counted(), ..Page::default() }, ..DescribedPlace::unread(name) }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_address_is_named_and_tagged_by_its_host_and_path() {
        for (url, name, tags) in [
            ("https://docs.stripe.com/webhooks", "docs.stripe.com/webhooks", &["stripe", "webhooks"][..]),
            ("https://x.example/index.html?a=b", "x.example/index.html", &["x.example/index.html"]),
            (
                "https://react.dev/reference/react/useState/",
                "react.dev/reference/react/useState",
                &["react", "usestate"],
            ),
            ("https://github.com/rust-lang/rust/issues/1", "github.com/rust-lang/rust/issues/1", &["github", "rust"]),
            ("https://www.bbc.co.uk:443/", "www.bbc.co.uk:443", &["bbc"]),
            ("https://example.org", "example.org", &["example.org"]),
            ("https://site.example/how-to/mutex", "site.example/how-to/mutex", &["mutex"]),
            ("https://x.example/wiki/CAP_theorem", "x.example/wiki/CAP_theorem", &["cap", "theorem"]),
        ] {
            let place = ProposedPlace::Url(url.to_owned());
            let described = describe_place(&place, RealPlace { path: Path::new(""), within: Path::new("") });
            assert_eq!(described.name, name);
            assert_eq!(DescribedPlace::tags(&[described], &[place], &["x".to_owned()])[0], tags, "{url}");
        }
        let long = ProposedPlace::Url(format!("https://a.example/{}/b/last", "long".repeat(20)));
        let described = describe_place(&long, RealPlace { path: Path::new(""), within: Path::new("") });
        assert_eq!(described.name, "a.example/…/last");
    }

    #[test]
    fn a_folder_src_is_named_after_the_folder_above_it() {
        for (path, expected) in
            [("src", "shop-src"), ("packages/ui/src", "ui-src"), ("lib/src", "lib-src"), ("src/payments", "payments")]
        {
            let place = [ProposedPlace::Folder(path.into())];
            let ids = ids_of(&place, &[DescribedPlace::default()], "shop", &HashSet::new(), &[]);
            assert_eq!(ids, [expected], "{path}");
        }
    }

    /// A file or folder of the workspace can be replaced with a link before it is opened.
    #[test]
    fn a_path_that_became_a_link_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let (inside, outside) = (root.join("inside"), root.join("outside"));
        for (folder, text) in [(&inside, "# Public"), (&outside, "# PRIVATE")] {
            fs::create_dir_all(folder.join("docs/kit")).unwrap();
            for file in ["docs/a.md", "docs/kit/README.md"] {
                refdesk_files::write_atomic(&folder.join(file), text.as_bytes()).unwrap();
            }
        }
        let file = || ProposedPlace::File(inside.join("docs/a.md"));
        let kit = || ProposedPlace::Folder(inside.join("docs/kit"));
        let name = |place: ProposedPlace, path: &str| {
            describe_place(&place, RealPlace { path: &inside.join(path), within: &inside }).name
        };
        let both = || [name(file(), "docs/a.md"), name(kit(), "docs/kit")];
        assert_eq!(both(), ["Public", "Public"]);
        for linked in ["docs", "docs/a.md", "docs/kit", "docs/kit/README.md"] {
            fs::rename(inside.join(linked), root.join("aside")).unwrap();
            symlink(outside.join(linked), inside.join(linked)).unwrap();
            let both = both();
            assert!(!both.iter().any(|name| name == "PRIVATE"), "{linked}: {both:?}");
            fs::remove_file(inside.join(linked)).unwrap();
            fs::rename(root.join("aside"), inside.join(linked)).unwrap();
        }
        fs::rename(inside.join("docs/kit/README.md"), inside.join("docs/kit/text.md")).unwrap();
        symlink("text.md", inside.join("docs/kit/README.md")).unwrap();
        assert_eq!(both(), ["Public", "Public"], "a link that stays inside");
    }
}
