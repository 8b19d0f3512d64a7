//! Classifies a file by its path alone.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::proposal::FoundKind;
use refdesk_files::path::lossy;
use refdesk_text::words::is_listed;

/// Folders of documentation.
const DOCUMENTATION: &str = "doc docs documentation guides handbook wiki";

const DECISIONS: &str = "adr adrs decisions decision-records";

/// Folders whose documents are not meant for readers of the repository.
const UNTICKED: &str = "test tests testdata test-data fixtures __tests__ spec specs snapshots examples example samples \
                        benches templates";

/// Documents that are often changelogs, but may also describe how releases are made.
const RELEASES: [&str; 3] = ["changes", "history", "releases"];

/// Why a changelog is not ticked.
const CHANGELOG: &str = "a changelog: usually too long to be useful";

/// Folders of translations and older versions.
const TRANSLATIONS: &str = "i18n locales locale translations l10n versioned_docs";

const LANGUAGES: &str = "ar bn cs da de el es fa fi fr he hi hu id it ja ko nl pl pt ro ru sv th tr uk vi zh";

/// Documents at the top of a repository that seldom contain knowledge.
const UNREAD: &str = "license licence copying notice authors contributors maintainers codeowners unlicense \
                      code_of_conduct code-of-conduct pull_request_template issue_template third_party_notices";

/// Instructions for agents, in any folder.
const INSTRUCTIONS: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Instructions for GitHub Copilot, in a folder `.github`.
pub(crate) const COPILOT: &str = "copilot-instructions.md";

/// The kind of a file, and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Classification {
    pub kind: FoundKind,
    /// A sentence without a full stop.
    pub evidence: String,
    pub is_ticked: bool,
}

/// Classifies the document at this path, relative to the workspace; `None` if it is proposed only when a table of
/// contents lists it. `is_among_code` is whether the folder contains program code.
pub(crate) fn classify(path: &Path, is_among_code: bool) -> Option<Classification> {
    let folders: Vec<String> = path
        .parent()
        .map(|folder| folder.iter().map(|part| part.to_string_lossy().to_lowercase()).collect())
        .unwrap_or_default();
    let name = path.file_name()?.to_string_lossy().into_owned();
    let stem = Path::new(&name).file_stem()?.to_string_lossy().to_lowercase();
    let folder = path.parent().map(lossy).unwrap_or_default();
    let with = |kind, evidence: String| Classification { kind, evidence, is_ticked: true };
    let is_in = |names: &str| folders.iter().any(|folder| is_listed(names, folder));
    if name == COPILOT && folders.last().is_some_and(|folder| folder == ".github") {
        return Some(with(FoundKind::Agents, "instructions for Copilot".to_owned()));
    }
    if folders.iter().any(|folder| folder.starts_with('.')) {
        return None;
    }
    let found = if INSTRUCTIONS.contains(&name.as_str()) {
        let place = if folder.is_empty() { String::new() } else { format!(" in {folder}") };
        with(FoundKind::Agents, format!("instructions for agents{place}"))
    } else if stem.starts_with("changelog") || stem == "release-notes" {
        Classification { is_ticked: false, ..with(FoundKind::Changelog, CHANGELOG.to_owned()) }
    } else if is_listed(UNREAD, &stem) || stem == "summary" || stem == "_sidebar" {
        return None;
    } else if is_readme(&stem) {
        let of = if folder.is_empty() { "the repository".to_owned() } else { folder.clone() };
        with(FoundKind::Readme, format!("the README of {of}"))
    } else if is_in(DECISIONS) {
        with(FoundKind::Decision, format!("a decision record, by its folder {folder}"))
    } else if is_decision(&stem) {
        with(FoundKind::Decision, "a decision record, by its name".to_owned())
    } else if let Some(at) = folders.iter().position(|folder| is_listed(DOCUMENTATION, folder)) {
        let shown: Vec<String> = path.iter().take(at + 1).map(|part| part.to_string_lossy().into_owned()).collect();
        with(FoundKind::Document, format!("a document in {}", shown.join("/")))
    } else if folders.is_empty() {
        with(FoundKind::Project, "a document at the top of the folder".to_owned())
    } else if is_among_code {
        let evidence = format!("a document among the code of {folder}");
        Classification { is_ticked: false, ..with(FoundKind::Other, evidence) }
    } else {
        with(FoundKind::Other, format!("a document in {folder}, which has no code"))
    };
    if stem == "404" {
        let evidence = "the site's 404 page".to_owned();
        return Some(Classification { is_ticked: false, evidence, kind: found.kind });
    }
    let serves = folders.iter().find(|folder| is_listed(UNTICKED, folder));
    if let Some(serves) = serves.filter(|_| found.kind != FoundKind::Agents) {
        return Some(Classification {
            is_ticked: false,
            evidence: format!("{}, in a folder '{serves}'", found.evidence),
            ..found
        });
    }
    Some(if is_in(TRANSLATIONS) { translated(&found) } else { found })
}

/// The classification, unticked because the document is a translation.
pub(crate) fn translated(found: &Classification) -> Classification {
    let evidence = format!("{}; a translation or an older version", found.evidence);
    Classification { is_ticked: false, evidence, kind: found.kind }
}

/// Reclassifies a document as a changelog if its name allows that and most of its headings below the title are versions
/// or dates.
pub(crate) fn detect_changelog(found: Classification, path: &Path, headings: &[String]) -> Classification {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    let is_release = headings.iter().filter(|heading| is_version_or_date(heading)).count();
    let is_changelog = RELEASES.contains(&stem.as_str()) && is_release > 0 && is_release * 2 + 1 >= headings.len();
    if !is_changelog {
        return found;
    }
    Classification { kind: FoundKind::Changelog, evidence: CHANGELOG.to_owned(), is_ticked: false }
}

/// `1.2.0 (2024-05-01)`, `[v3.0]`, `Version 2`, `Unreleased`, `2024-05-01`.
fn is_version_or_date(heading: &str) -> bool {
    let lower = heading.to_lowercase();
    let mut words = lower.split(|c: char| c.is_whitespace() || "[]()".contains(c)).filter(|word| !word.is_empty());
    let (is_named, first) = match words.next() {
        Some("unreleased") => return true,
        Some("version" | "release") => (true, words.next()),
        first => (false, first),
    };
    let number = first.map(|word| word.strip_prefix('v').unwrap_or(word)).unwrap_or_default();
    let is_number = |part: &str| part.starts_with(|c: char| c.is_ascii_digit());
    is_number(number) && (is_named || number.split(['.', '-']).nth(1).is_some_and(is_number))
}

/// Finds translations of documents: the same path except for a folder or ending that names a language.
pub(crate) struct Translations {
    /// For each path without its languages, the best rank of its documents.
    originals: HashMap<PathBuf, (bool, String)>,
}

impl Translations {
    pub fn among<'p>(paths: impl Iterator<Item = &'p Path>) -> Self {
        let mut originals: HashMap<PathBuf, (bool, String)> = HashMap::new();
        for (path, rank) in paths.map(without_language) {
            let best = originals.entry(path).or_insert_with(|| rank.clone());
            if rank < *best {
                *best = rank;
            }
        }
        Self { originals }
    }

    /// Whether the same document exists without a language, in English, or in a language that sorts earlier.
    pub fn has(&self, path: &Path) -> bool {
        let (path, rank) = without_language(path);
        self.originals.get(&path).is_some_and(|best| *best < rank)
    }
}

/// Whether a document is in the folder of a language other than English.
pub(crate) fn is_in_language(path: &Path) -> bool {
    let (_, (has_language, _)) = without_language(path);
    has_language
}

/// A path without its languages, and its rank: documents without a language or in English come first.
fn without_language(path: &Path) -> (PathBuf, (bool, String)) {
    let mut bare = PathBuf::new();
    let mut languages = String::new();
    for part in path.parent().into_iter().flat_map(Path::iter) {
        let folder = part.to_string_lossy().to_lowercase();
        match is_english(&folder) {
            false if is_language(&folder) => languages.push_str(&folder),
            false => bare.push(part),
            true => {}
        }
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = name.rsplit_once('.').unwrap_or((&name, ""));
    match stem.rsplit_once(['.', '_']) {
        Some((stem, end)) if is_language(&end.to_lowercase()) || !end.is_ascii() => {
            languages.push_str(&end.to_lowercase());
            bare.push(format!("{stem}.{ending}"));
        }
        Some((stem, end)) if is_english(&end.to_lowercase()) => bare.push(format!("{stem}.{ending}")),
        _ => bare.push(name.as_str()),
    }
    (bare, (!languages.is_empty(), languages))
}

/// `README`, `README.de`, `readme`.
pub(crate) fn is_readme(stem: &str) -> bool {
    stem == "readme" || stem.starts_with("readme.") || stem.starts_with("readme_") || stem.starts_with("readme-")
}

/// `0003-use-kafka` or `adr-3`.
fn is_decision(stem: &str) -> bool {
    let (digits, rest) = stem.split_at(stem.bytes().take_while(u8::is_ascii_digit).count());
    (digits.len() == 4 && rest.starts_with(['-', '_']) && !digits.starts_with("19") && !digits.starts_with("20"))
        || stem
            .strip_prefix("adr")
            .is_some_and(|rest| rest.trim_start_matches(['-', '_']).starts_with(|c: char| c.is_ascii_digit()))
}

/// `de`, `pt-br`, `zh_cn`.
fn is_language(word: &str) -> bool {
    let (language, region) = word.split_once(['-', '_']).unwrap_or((word, "xx"));
    is_listed(LANGUAGES, language) && is_region(region)
}

/// `en`, `en-gb`.
fn is_english(word: &str) -> bool {
    let (language, region) = word.split_once(['-', '_']).unwrap_or((word, "xx"));
    language == "en" && is_region(region)
}

fn is_region(word: &str) -> bool {
    (2..=4).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_by_path() {
        use FoundKind::{Agents, Changelog, Decision, Document, Other, Project, Readme};
        for (path, expected) in [
            ("README.md", Some((Readme, true))),
            ("readme.rst", Some((Readme, true))),
            ("README.zh-CN.md", Some((Readme, true))),
            ("README.中文.md", Some((Readme, true))),
            ("crates/a/README.md", Some((Readme, true))),
            ("knowledge/ADRs/README.md", Some((Readme, true))),
            ("tests/data/README.md", Some((Readme, false))),
            ("AGENTS.md", Some((Agents, true))),
            ("a/b/CLAUDE.md", Some((Agents, true))),
            ("GEMINI.md", Some((Agents, true))),
            (".github/copilot-instructions.md", Some((Agents, true))),
            (".github/a/copilot-instructions.md", None),
            ("agents.md", Some((Project, true))),
            ("CONTRIBUTING.md", Some((Project, true))),
            ("ARCHITECTURE.adoc", Some((Project, true))),
            ("LICENSE.md", None),
            ("CODE_OF_CONDUCT.md", None),
            ("CHANGELOG.md", Some((Changelog, false))),
            ("docs/a.md", Some((Document, true))),
            ("pkg/doc/deep/a.md", Some((Document, true))),
            ("docs/zh-CN/a.md", Some((Document, true))),
            ("docs/releases.md", Some((Document, true))),
            ("docs/i18n/a.md", Some((Document, false))),
            ("docs/ides/a.md", Some((Document, true))),
            ("docs/adr/0001-x.md", Some((Decision, true))),
            ("adrs/x.md", Some((Decision, true))),
            ("docs/0003-use-kafka.md", Some((Decision, true))),
            ("docs/adr-7.md", Some((Decision, true))),
            ("posts/2024-05-01-x.md", Some((Other, true))),
            ("notes/a.md", Some((Other, true))),
            ("docs/404.md", Some((Document, false))),
            (".github/x.md", None),
            ("src/SUMMARY.md", None),
        ] {
            let found = classify(Path::new(path), false).map(|found| (found.kind, found.is_ticked));
            assert_eq!(found, expected, "{path}");
        }
        let among = classify(Path::new("src/notes.md"), true).map(|found| (found.kind, found.is_ticked));
        assert_eq!(among, Some((Other, false)));
    }

    #[test]
    fn a_translation_has_a_counterpart() {
        for (paths, expected) in [
            (&["README.md", "README.zh-CN.md", "README.中文.md"][..], &["README.zh-CN.md", "README.中文.md"][..]),
            (&["README.de.md", "a_de.md", "größe_ä.md"], &[]),
            (&["docs/de/a.md", "docs/en/b.md"], &[]),
            (&["docs/de/a.md", "docs/en/a.md", "docs/de/c.md"], &["docs/de/a.md"]),
            (&["docs/pt-br/a/b.md", "docs/a/b.md", "docs/en/a/b.md"], &["docs/pt-br/a/b.md"]),
            (&["docs/fr/a.md", "docs/de/a.md"], &["docs/fr/a.md"]),
            (&["docs/guide_en.md", "docs/guide_de.md"], &["docs/guide_de.md"]),
        ] {
            let known = Translations::among(paths.iter().map(Path::new));
            let found: Vec<&str> = paths.iter().copied().filter(|path| known.has(Path::new(path))).collect();
            assert_eq!(found, expected, "{paths:?}");
        }
    }

    #[test]
    fn a_changelog_by_its_headings() {
        for (path, headings, expected) in [
            ("releases.md", &["Release process", "1. Cut a branch", "Sign the release"][..], false),
            ("releases.md", &["Releases", "How to release", "Who releases"], false),
            ("releases.md", &["Releases"], false),
            ("releases.md", &["Release 20.1 of May", "Version 20", "v19.2"], true),
            ("history.md", &["History", "[2.1.0] - 2024-05-01", "Unreleased"], true),
            ("doc/Changes.md", &["2024-05-01", "2024-04-01"], true),
            ("notes.md", &["1.2.0"], false),
        ] {
            let headings: Vec<String> = headings.iter().map(|heading| (*heading).to_owned()).collect();
            let found = Classification { kind: FoundKind::Document, evidence: String::new(), is_ticked: true };
            let found = detect_changelog(found, Path::new(path), &headings);
            assert_eq!(
                (found.kind == FoundKind::Changelog, found.is_ticked),
                (expected, !expected),
                "{path} {headings:?}"
            );
        }
    }
}
