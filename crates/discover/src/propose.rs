//! Turns what was read into proposals, compared with the catalog.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::ids::{self, IdParts, slug};
use super::kind::{Classification, Translations, classify, detect_changelog, is_in_language, is_readme, translated};
use super::navigation::address_key;
use super::page::Page;
use super::proposal::{Discovery, FoundKind, KnownSource, MovedSource, ProposedPlace, ProposedSource, ScanNote};
use super::scan::{Scan, ScannedFile};
use super::tags::{self, Frequencies, TagInput};
use super::words::{HEADING, WordCount, WordCounter};
use refdesk_core::catalog::{DirectoryContents, Mode};
use refdesk_files::path::{has_below, lossy};
use refdesk_text::hidden::HiddenCharacters;
use refdesk_text::shorten::shortened_at_word;
use refdesk_text::tokens;

/// The most characters of a name.
const NAME: usize = 120;

/// The file that makes a folder a skill.
pub(super) const SKILL: &str = "SKILL.md";

/// The differences between a scanned workspace and its catalog.
pub(crate) fn compared(scan: &Scan, known: &[KnownSource]) -> Discovery {
    let mut notes = scan.notes.clone();
    let mut all = drafts(scan, &mut notes);
    untick_copies(&mut all);
    let covered = Covered::of(known);
    let (kept, mut fresh): (Vec<Draft<'_>>, Vec<Draft<'_>>) = all.into_iter().partition(|draft| covered.has(draft));
    let compared = kept.iter().chain(fresh.iter().filter(|draft| draft.found.is_ticked));
    let frequencies = Frequencies::of(compared.filter_map(|draft| draft.page).map(|page| page.words.as_slice()));
    let (moved, gone) = relocated(known, &mut fresh);
    fresh.sort_by_cached_key(Draft::order);
    let alone = alone(scan);
    let parts = |draft: &Draft<'_>| IdParts {
        is_alone: draft.place.path().is_some_and(|path| alone.contains(path)),
        ..id_parts(&draft.place, &scan.name)
    };
    let paths: Vec<IdParts> = fresh.iter().map(parts).collect();
    let taken: HashSet<&str> = known.iter().map(|source| source.id.as_str()).collect();
    let ids = ids::assign(&paths, &taken, &|word| frequencies.of_word(word));
    let tagged: Vec<TagInput<'_>> = fresh.iter().map(Draft::tagged).collect();
    let tags = tags::assign(&tagged, &ids, &frequencies);
    let new = fresh.iter().zip(ids).zip(tags).map(|((draft, id), tags)| draft.proposed(id, &tags)).collect();
    Discovery { new, moved, gone, notes, is_partial: false }
}

/// A source before it has an id and tags.
struct Draft<'a> {
    place: ProposedPlace,
    found: Classification,
    name: String,
    description: String,
    mode: Mode,
    contents: Option<DirectoryContents>,
    tokens: u64,
    page: Option<&'a Page>,
    /// The file of the page.
    document: Option<&'a Path>,
    /// The words of a link, which has no page.
    words: Vec<WordCount>,
    /// Position in a table of contents.
    listed: usize,
}

impl Draft<'_> {
    fn order(&self) -> (FoundKind, usize, usize, String) {
        let shown = match &self.place {
            ProposedPlace::Url(_) => String::new(),
            ProposedPlace::File(path) | ProposedPlace::Folder(path) => lossy(path),
        };
        let depth = if self.found.kind == FoundKind::Readme { shown.matches('/').count() } else { 0 };
        (self.found.kind, depth, self.listed, shown)
    }

    fn tagged(&self) -> TagInput<'_> {
        let folders = tag_folders(&self.place);
        let (given, words) = match self.page {
            Some(page) => (page.front.tags.as_slice(), page.words.as_slice()),
            None => (&[][..], self.words.as_slice()),
        };
        let is_decision = self.found.kind == FoundKind::Decision;
        TagInput { given, folders, title: &self.name, stem: stem_of(&self.place), is_decision, words }
    }

    fn proposed(&self, id: String, tags: &[String]) -> ProposedSource {
        ProposedSource {
            id,
            name: shortened_at_word(&shown_text(&self.name), NAME),
            description: shown_text(&self.description),
            place: self.place.clone(),
            mode: self.mode,
            tags: tags.iter().map(|tag| shown_text(tag)).collect(),
            contents: self.contents.clone(),
            kind: self.found.kind,
            evidence: self.found.evidence.clone(),
            tokens: self.tokens,
            is_ticked: self.found.is_ticked,
            headings: self.page.map(|page| page.headings.clone()).unwrap_or_default(),
        }
    }
}

/// The id parts of a place that is relative to the workspace.
pub(super) fn id_parts(place: &ProposedPlace, repository: &str) -> IdParts {
    let root = Some(slug(repository)).filter(|slug| !slug.is_empty()).unwrap_or_else(|| "workspace".to_owned());
    let mut suffix = String::new();
    let parts = match place {
        ProposedPlace::Url(url) => url_parts(url),
        // A folder `src` is named after the one above it.
        ProposedPlace::Folder(path) => {
            let own = path.file_name().map(|name| slug(&name.to_string_lossy()));
            slugs(path.parent().unwrap_or(Path::new(""))).into_iter().chain(own).collect()
        }
        ProposedPlace::File(path) => {
            let folder = path.parent().unwrap_or(Path::new(""));
            let stem = slug(&path.file_stem().unwrap_or_default().to_string_lossy());
            let mut parts = slugs(folder);
            if is_readme(&stem) || stem == "index" {
                suffix = stem;
            } else {
                parts.push(stem);
            }
            parts
        }
    };
    IdParts { parts, root, suffix, is_alone: false }
}

/// The names of the folders above a place, relative to the workspace.
pub(super) fn tag_folders(place: &ProposedPlace) -> Vec<String> {
    let above = place.path().filter(|path| path.is_relative()).and_then(Path::parent).into_iter().flat_map(Path::iter);
    above.map(|part| part.to_string_lossy().to_lowercase()).filter(|part| !part.starts_with('.')).collect()
}

/// The name of the file at a place without its extension, in lower case.
pub(super) fn stem_of(place: &ProposedPlace) -> String {
    let stem = place.path().and_then(Path::file_stem);
    stem.map(|stem| stem.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// Removes invisible characters.
pub(super) fn shown_text(text: &str) -> String {
    let is_shown = |c: &char| !c.is_control() && HiddenCharacters::of(c.encode_utf8(&mut [0; 4])).is_none();
    if HiddenCharacters::of(text).is_none() && !text.chars().any(char::is_control) {
        return text.to_owned();
    }
    text.chars().filter(is_shown).collect()
}

/// The slugs of the parts of a path, without `src`, which is everywhere.
fn slugs(path: &Path) -> Vec<String> {
    path.iter().filter(|part| *part != "src").map(|part| slug(&part.to_string_lossy())).collect()
}

/// The host and the parts of an address.
fn url_parts(url: &str) -> Vec<String> {
    let bare = url.split("://").nth(1).unwrap_or(url).split(['?', '#']).next().unwrap_or_default();
    let mut parts: Vec<&str> = bare.split('/').filter(|part| !part.is_empty()).collect();
    if parts.len() > 1
        && let Some(last) = parts.last_mut()
    {
        let stem = last.rsplit_once('.').map_or(*last, |(stem, _)| stem);
        *last = if stem.is_empty() { last } else { stem };
    }
    if parts.len() > 2 && parts.last().is_some_and(|last| *last == "index" || *last == "llms") {
        parts.pop();
    }
    parts.into_iter().map(slug).filter(|part| !part.is_empty()).collect()
}

/// The folders that are proposed as a whole.
pub(super) struct FolderSources<'a> {
    /// Folders of skills that are not inside another skill.
    skills: BTreeSet<&'a Path>,
    /// Documents that are the only one in a folder with templates.
    with_templates: BTreeSet<&'a Path>,
}

impl<'a> FolderSources<'a> {
    pub fn folders(&self) -> impl Iterator<Item = &'a Path> {
        self.skills.iter().copied().chain(self.with_templates.iter().filter_map(|file| file.parent()))
    }
}

pub(super) fn folder_sources(scan: &Scan) -> FolderSources<'_> {
    let with_skill = scan.files.iter().filter(|file| is_skill(&file.path)).filter_map(|file| file.path.parent());
    // The workspace itself is not a source.
    let mut skills: BTreeSet<&Path> = with_skill.filter(|folder| !folder.as_os_str().is_empty()).collect();
    let is_below = |path: &Path, skills: &BTreeSet<&Path>| path.ancestors().skip(1).any(|above| skills.contains(above));
    let inner: HashSet<&Path> = skills.iter().copied().filter(|folder| is_below(folder, &skills)).collect();
    skills.retain(|folder| !inner.contains(folder));
    let with_templates =
        alone(scan).into_iter().filter(|file| has_templates(scan, file) && !is_below(file, &skills)).collect();
    FolderSources { skills, with_templates }
}

/// Every possible source.
fn drafts<'a>(scan: &'a Scan, notes: &mut Vec<ScanNote>) -> Vec<Draft<'a>> {
    let mut listed: HashMap<&Path, (usize, &super::navigation::ListedPage)> = HashMap::new();
    for (at, entry) in scan.listed.iter().enumerate() {
        listed.entry(&entry.path).or_insert((at, entry));
    }
    let sources = folder_sources(scan);
    let folders: BTreeSet<&Path> = sources.folders().collect();
    let price = |folder: &Path| scan.prices.get(folder).copied().unwrap_or(0);
    let translations = Translations::among(scan.files.iter().map(|file| file.path.as_path()));
    let document = |file| document(scan, file, listed.get(file.path.as_path()).copied(), &translations);
    let mut drafts = Vec::new();
    for file in &scan.files {
        let folder = file.path.parent().unwrap_or(Path::new(""));
        if sources.with_templates.contains(file.path.as_path()) {
            let tokens = price(folder);
            drafts.extend(document(file).map(|draft| Draft {
                contents: contents_of(scan, folder),
                tokens,
                place: ProposedPlace::Folder(folder.to_path_buf()),
                ..draft
            }));
        } else if is_skill(&file.path) && folders.contains(folder) {
            drafts.push(skill(scan, file, folder, price(folder), notes));
        } else if folder.ancestors().any(|above| folders.contains(above)) {
            // The file is part of that source.
        } else if is_rule(&file.path) {
            drafts.push(rule(file));
        } else if file.path.extension().is_none_or(|ending| ending != "mdc") {
            drafts.extend(document(file));
        }
    }
    drafts.extend(scan.links.iter().enumerate().map(|(at, (by, link))| self::link(at, by, link)));
    drafts
}

/// Unticks variants of a README, such as `etc/crates-io-readme.md`, that have the same description.
fn untick_copies(drafts: &mut [Draft<'_>]) {
    let readmes = drafts.iter().filter(|draft| draft.found.kind == FoundKind::Readme && !draft.description.is_empty());
    let begins: HashSet<String> = readmes.map(|draft| draft.description.clone()).collect();
    for draft in drafts.iter_mut().filter(|draft| draft.found.kind != FoundKind::Readme) {
        if stem_of(&draft.place).contains("readme") && begins.contains(&draft.description) {
            draft.found.evidence = format!("{}, which begins as a README does", draft.found.evidence);
            draft.found.is_ticked = false;
        }
    }
}

/// The documents that are the only one in their folder and not a README.
fn alone(scan: &Scan) -> HashSet<&Path> {
    let mut count: HashMap<&Path, usize> = HashMap::new();
    scan.files.iter().filter_map(|file| file.path.parent()).for_each(|folder| *count.entry(folder).or_default() += 1);
    let is_alone = |path: &&Path| {
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let stem = path.file_stem().map(|stem| slug(&stem.to_string_lossy())).unwrap_or_default();
        folder.is_some_and(|folder| count.get(folder) == Some(&1)) && !is_readme(&stem) && stem != "index"
    };
    scan.files.iter().map(|file| file.path.as_path()).filter(is_alone).collect()
}

/// Whether the folder of this document has a `templates` folder that contains templates, at any depth.
fn has_templates(scan: &Scan, file: &Path) -> bool {
    let folder = file.parent().unwrap_or(Path::new(""));
    let contents = contents_of(scan, folder);
    let templates = contents.and_then(|contents| contents.templates).map(|name| folder.join(name));
    templates.is_some_and(|templates| has_below(&scan.templates, &templates))
}

fn contents_of(scan: &Scan, folder: &Path) -> Option<DirectoryContents> {
    skill_contents(&|name: &str| has_below(&scan.folders, &folder.join(name)))
}

fn is_skill(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == SKILL)
}

fn is_rule(path: &Path) -> bool {
    let mut above = path.parent().into_iter().flat_map(Path::iter).peekable();
    while let Some(part) = above.next() {
        if part == ".cursor" && above.peek().is_some_and(|next| *next == "rules") {
            return true;
        }
    }
    false
}

fn file_draft(file: &ScannedFile, found: Classification, name: String) -> Draft<'_> {
    Draft {
        place: ProposedPlace::File(file.path.clone()),
        found,
        name,
        description: file.page.description().unwrap_or_default(),
        mode: Mode::Selectable,
        contents: None,
        tokens: tokens::of_file(&file.path, file.size),
        page: Some(&file.page),
        document: Some(&file.path),
        words: Vec::new(),
        listed: usize::MAX,
    }
}

fn document<'a>(
    scan: &Scan,
    file: &'a ScannedFile,
    listed: Option<(usize, &super::navigation::ListedPage)>,
    translations: &Translations,
) -> Option<Draft<'a>> {
    let folder = file.path.parent().unwrap_or(Path::new(""));
    let classified = classify(&file.path, scan.code.contains(folder));
    let found = match (classified, listed) {
        (None, None) => return None,
        (Some(found), None) if found.is_ticked && translations.has(&file.path) => translated(&found),
        (Some(found), None) => detect_changelog(found, &file.path, &file.page.headings),
        (found, Some((_, entry))) => {
            let evidence = format!("listed in {}", lossy(&entry.by));
            let kind = match found {
                Some(found) if !matches!(found.kind, FoundKind::Other | FoundKind::Readme) => found.kind,
                Some(found) if folder.as_os_str().is_empty() => found.kind,
                _ => FoundKind::Document,
            };
            // A table of contents in test data is no evidence.
            let by = entry.by.with_file_name("x.md");
            let is_translated = translations.has(&file.path) && is_in_language(&by);
            let is_ticked = !is_translated && classify(&by, false).is_none_or(|found| found.is_ticked);
            Classification { kind, evidence, is_ticked }
        }
    };
    let stem = file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let nav_title = listed.and_then(|(_, entry)| entry.title.clone());
    let page = &file.page;
    let of_folder = || folder.file_name().map_or_else(|| scan.name.clone(), |name| name.to_string_lossy().into_owned());
    // If the page begins with a section, a table of contents has the better title.
    let own = page.title().filter(|_| page.front.title.is_some() || page.has_title).map(str::to_owned);
    let name = own.or(nav_title).unwrap_or_else(|| match page.title() {
        _ if found.kind == FoundKind::Readme => format!("{} {stem}", of_folder()),
        Some(title) => title.to_owned(),
        None if stem == "index" => of_folder(),
        None => stem,
    });
    let is_broken = || name.contains('\u{fffd}') || page.paragraph.iter().any(|text| text.contains('\u{fffd}'));
    let unticked = |why: &str| Classification {
        evidence: format!("{}, {why}", found.evidence),
        is_ticked: false,
        ..found.clone()
    };
    let found = match page.is_empty() {
        true if page.has_text => unticked("with very little text"),
        true => unticked("without text"),
        false if is_broken() => unticked("with characters that are not UTF-8"),
        false => found,
    };
    Some(Draft { listed: listed.map_or(usize::MAX, |(at, _)| at), ..file_draft(file, found, name) })
}

fn skill<'a>(scan: &Scan, file: &'a ScannedFile, folder: &Path, tokens: u64, notes: &mut Vec<ScanNote>) -> Draft<'a> {
    let folder_name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let front = &file.page.front;
    let mut evidence = format!("a skill: {} has a {SKILL}", lossy(folder));
    match &front.name {
        Some(name) if *name != folder_name => {
            evidence = format!("{evidence}, with the title '{}'", shown_text(name));
            let message = format!("its name '{}' differs from its folder '{folder_name}'", shown_text(name));
            notes.push(ScanNote::new(lossy(&file.path), message));
        }
        Some(_) => {}
        None => notes.push(ScanNote::new(lossy(&file.path), "it has no name, so its folder's name is used")),
    }
    let contents = contents_of(scan, folder);
    let name = front.name.clone().or_else(|| front.title.clone()).unwrap_or(folder_name);
    let found = Classification { kind: FoundKind::Skill, evidence, is_ticked: true };
    Draft { place: ProposedPlace::Folder(folder.to_path_buf()), contents, tokens, ..file_draft(file, found, name) }
}

/// The folders of a skill that an entry can name; `has` returns whether the skill has a folder.
pub(super) fn skill_contents(has: &dyn Fn(&str) -> bool) -> Option<DirectoryContents> {
    let slot = |names: &[&str]| names.iter().find(|name| has(name)).map(|name| format!("{name}/"));
    let contents = DirectoryContents {
        templates: slot(&["templates", "assets/templates"]),
        validation: slot(&["validation", "checks"]),
        policies: slot(&["policies"]),
        scripts: slot(&["scripts"]),
    };
    (contents != DirectoryContents::default()).then_some(contents)
}

fn rule(file: &ScannedFile) -> Draft<'_> {
    let front = &file.page.front;
    let globs = front.globs.join(", ");
    let evidence = match (front.always_applies, globs.is_empty()) {
        (true, _) => "a Cursor rule that always applies".to_owned(),
        (false, true) => "a Cursor rule".to_owned(),
        (false, false) => format!("a Cursor rule for {}", shown_text(&globs)),
    };
    let stem = file.path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let name = file.page.title().map_or(stem, str::to_owned);
    let found = Classification { kind: FoundKind::Rule, evidence, is_ticked: true };
    let mut draft = file_draft(file, found, name);
    if front.always_applies {
        draft.mode = Mode::Auto;
    }
    if !globs.is_empty() {
        let page_text = if draft.description.is_empty() { String::new() } else { format!("{} ", draft.description) };
        draft.description = format!("{page_text}(for {globs})");
    }
    draft
}

fn link<'a>(at: usize, by: &Path, link: &super::navigation::Link) -> Draft<'a> {
    let mut words = WordCounter::default();
    words.add(&link.title, HEADING);
    words.add(&link.description, 1);
    Draft {
        place: ProposedPlace::Url(link.url.clone()),
        found: Classification { kind: FoundKind::Link, evidence: format!("a link in {}", lossy(by)), is_ticked: true },
        name: if link.title.trim().is_empty() { link.url.clone() } else { link.title.clone() },
        description: shortened_at_word(&link.description, 200),
        mode: Mode::Selectable,
        contents: None,
        tokens: 0,
        page: None,
        document: None,
        words: words.counted(),
        listed: at,
    }
}

/// The paths and addresses in the catalog.
struct Covered<'a> {
    paths: HashSet<&'a Path>,
    urls: HashSet<String>,
}

impl<'a> Covered<'a> {
    fn of(known: &'a [KnownSource]) -> Self {
        let present = known.iter().filter(|source| !source.is_missing);
        Self {
            paths: present.filter_map(|source| source.path.as_deref()).collect(),
            urls: known.iter().filter_map(|source| source.url.as_deref().map(address_key)).collect(),
        }
    }

    /// Whether the catalog contains the source or a folder around it. The main document of a folder counts as the
    /// folder.
    fn has(&self, draft: &Draft<'_>) -> bool {
        match &draft.place {
            ProposedPlace::Url(url) => self.urls.contains(&address_key(url)),
            ProposedPlace::File(path) | ProposedPlace::Folder(path) => {
                path.ancestors().any(|path| self.paths.contains(path))
                    || draft.document.is_some_and(|document| self.paths.contains(document))
            }
        }
    }
}

/// Finds new paths of missing sources, and removes the matches from `fresh`.
fn relocated(known: &[KnownSource], fresh: &mut Vec<Draft<'_>>) -> (Vec<MovedSource>, Vec<KnownSource>) {
    let missing = known.iter().filter(|source| source.is_missing);
    let (mut moved, mut gone) = (Vec::new(), Vec::new());
    for source in missing {
        match source.path.as_deref().and_then(|path| moved_to(source, path, fresh)) {
            Some((at, evidence)) if at < fresh.len() => {
                let draft = fresh.remove(at);
                let after = draft.place.path().map_or_else(PathBuf::new, Path::to_path_buf);
                moved.push(MovedSource { id: source.id.clone(), before: source.shown.clone(), after, evidence });
            }
            _ => gone.push(source.clone()),
        }
    }
    (moved, gone)
}

/// The proposal that matches the missing source better than all others, if any. The description, taken from the
/// beginning of the text, counts most, then the title, then the file name.
fn moved_to(source: &KnownSource, path: &Path, fresh: &[Draft<'_>]) -> Option<(usize, String)> {
    let file_name = path.file_name()?;
    let signs = |draft: &Draft<'_>| {
        let place = draft.place.path()?;
        let has_name = place.file_name() == Some(file_name) && !is_generic_name(file_name);
        let has_title = draft.name == source.name && !source.name.is_empty();
        let has_text = shown_text(&draft.description) == source.description && !source.description.is_empty();
        Some(match (has_text, has_title, has_name) {
            (true, true, true) => (7, "it has the same name, title and description"),
            (true, true, false) => (6, "it has the same title and description"),
            (true, false, true) => (5, "it has the same name and description"),
            (true, false, false) => (4, "it has the same description"),
            (false, true, true) => (3, "it has the same name and title"),
            (false, true, false) => (2, "it has the same title"),
            (false, false, true) => (1, "it has the same file name"),
            (false, false, false) => return None,
        })
    };
    let mut candidates: Vec<(usize, (i32, &str))> =
        fresh.iter().enumerate().filter_map(|(at, draft)| Some((at, signs(draft)?))).collect();
    candidates.sort_by_key(|(_, (strength, _))| Reverse(*strength));
    match candidates.as_slice() {
        [(at, (_, evidence))] => Some((*at, (*evidence).to_owned())),
        [(at, (first, evidence)), (_, (second, _)), ..] if first > second => Some((*at, (*evidence).to_owned())),
        _ => None,
    }
}

/// Whether a repository may have many files of this name.
fn is_generic_name(name: &std::ffi::OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    ["readme", "index.", "skill.md", "agents.md", "claude.md"].iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests;
