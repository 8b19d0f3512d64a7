//! What a file is, by its path alone.

use std::path::Path;

use super::proposal::FoundKind;
use refdesk_files::path::lossy;

/// Folders of documentation.
const DOCUMENTATION: [&str; 6] = ["doc", "docs", "documentation", "guides", "handbook", "wiki"];

/// Folders of decision records.
const DECISIONS: [&str; 4] = ["adr", "adrs", "decisions", "decision-records"];

/// Folders whose documents are not for readers of the repository.
const UNTICKED: [&str; 14] = [
    "test",
    "tests",
    "testdata",
    "test-data",
    "fixtures",
    "__tests__",
    "spec",
    "specs",
    "snapshots",
    "examples",
    "example",
    "samples",
    "benches",
    "templates",
];

/// Folders of translations, or languages.
const TRANSLATIONS: [&str; 6] = ["i18n", "locales", "locale", "translations", "l10n", "versioned_docs"];

const LANGUAGES: [&str; 28] = [
    "ar", "bn", "cs", "da", "de", "el", "es", "fa", "fi", "fr", "he", "hi", "hu", "id", "it", "ja", "ko", "nl", "pl",
    "pt", "ro", "ru", "sv", "th", "tr", "uk", "vi", "zh",
];

/// Documents at the top of a repository that are seldom knowledge.
const UNREAD: [&str; 14] = [
    "license",
    "licence",
    "copying",
    "notice",
    "authors",
    "contributors",
    "maintainers",
    "codeowners",
    "unlicense",
    "code_of_conduct",
    "code-of-conduct",
    "pull_request_template",
    "issue_template",
    "third_party_notices",
];

/// Instructions for agents, in any folder.
const INSTRUCTIONS: [&str; 3] = ["AGENTS.md", "CLAUDE.md", "GEMINI.md"];

/// Instructions for GitHub Copilot, in a folder `.github`.
pub(crate) const COPILOT: &str = "copilot-instructions.md";

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Classified {
    pub kind: FoundKind,
    /// A sentence without a full stop.
    pub evidence: String,
    pub is_ticked: bool,
}

/// The kind of a document at this path, relative to the workspace; `None` if it is not to be proposed unless a table of
/// contents lists it. `is_among_code` tells that program code is in the same folder.
pub(crate) fn classify(path: &Path, is_among_code: bool) -> Option<Classified> {
    let folders: Vec<String> = path
        .parent()
        .map(|folder| folder.iter().map(|part| part.to_string_lossy().to_lowercase()).collect())
        .unwrap_or_default();
    let name = path.file_name()?.to_string_lossy().into_owned();
    let stem = Path::new(&name).file_stem()?.to_string_lossy().to_lowercase();
    let folder = path.parent().map(lossy).unwrap_or_default();
    let with = |kind, evidence: String| Classified { kind, evidence, is_ticked: true };
    let is_in = |names: &[&str]| folders.iter().any(|folder| names.contains(&folder.as_str()));
    if name == COPILOT && folders.last().is_some_and(|folder| folder == ".github") {
        return Some(with(FoundKind::Agents, "instructions for Copilot".to_owned()));
    }
    if is_hidden_folder(&folders) {
        return None;
    }
    let found = if INSTRUCTIONS.contains(&name.as_str()) {
        let place = if folder.is_empty() { String::new() } else { format!(" in {folder}") };
        with(FoundKind::Agents, format!("instructions for agents{place}"))
    } else if stem.starts_with("changelog")
        || matches!(stem.as_str(), "changes" | "history" | "release-notes" | "releases")
    {
        Classified {
            is_ticked: false,
            ..with(FoundKind::Changelog, "a changelog: usually too long to be of use".to_owned())
        }
    } else if UNREAD.contains(&stem.as_str()) || stem == "summary" || stem == "_sidebar" {
        return None;
    } else if is_in(&DECISIONS) {
        with(FoundKind::Decision, format!("a decision record, by its folder {folder}"))
    } else if is_decision(&stem) {
        with(FoundKind::Decision, "a decision record, by its name".to_owned())
    } else if is_readme(&stem) {
        let of = if folder.is_empty() { "this folder".to_owned() } else { folder.clone() };
        with(FoundKind::Readme, format!("the README of {of}"))
    } else if let Some(at) = folders.iter().position(|folder| DOCUMENTATION.contains(&folder.as_str())) {
        let shown: Vec<String> = path.iter().take(at + 1).map(|part| part.to_string_lossy().into_owned()).collect();
        with(FoundKind::Document, format!("a document in {}", shown.join("/")))
    } else if folders.is_empty() {
        with(FoundKind::Project, "a document at the top of the folder".to_owned())
    } else if is_among_code {
        let evidence = format!("a document among the code of {folder}");
        Classified { is_ticked: false, ..with(FoundKind::Other, evidence) }
    } else {
        with(FoundKind::Other, format!("a document in {folder}, where no code is"))
    };
    if stem == "404" {
        let evidence = "what a site shows for an address that does not exist".to_owned();
        return Some(Classified { is_ticked: false, evidence, ..found });
    }
    let serves = folders.iter().find(|folder| UNTICKED.contains(&folder.as_str()));
    if let Some(serves) = serves.filter(|_| found.kind != FoundKind::Agents) {
        return Some(Classified {
            is_ticked: false,
            evidence: format!("{}, in a folder '{serves}'", found.evidence),
            ..found
        });
    }
    let is_translated = is_in(&TRANSLATIONS) || folders.iter().any(|folder| is_language(folder));
    let is_translated =
        is_translated || stem.rsplit_once(['.', '_']).is_some_and(|(_, end)| is_language(end) || !end.is_ascii());
    if is_translated {
        return Some(Classified {
            is_ticked: false,
            evidence: format!("{}; a translation or an older version", found.evidence),
            ..found
        });
    }
    Some(found)
}

fn is_hidden_folder(folders: &[String]) -> bool {
    folders.iter().any(|folder| folder.starts_with('.'))
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
    LANGUAGES.contains(&language)
        && (2..=4).contains(&region.len())
        && region.bytes().all(|byte| byte.is_ascii_alphabetic())
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
            ("README.zh-CN.md", Some((Readme, false))),
            ("README.中文.md", Some((Readme, false))),
            ("crates/a/README.md", Some((Readme, true))),
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
            ("docs/zh-CN/a.md", Some((Document, false))),
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
}
