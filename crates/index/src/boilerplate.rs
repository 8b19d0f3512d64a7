//! Sections found in documents of any subject: changes, further reading, contents, tests. A prompt such as "please
//! review my changes" or "run the tests" is similar to them without being about them, so hints never lead there. Search
//! still finds them.

use std::path::Path;

/// Headings of change histories, at any level; also the title of a whole document.
const CHANGES: &str =
    "changelog|change log|change history|release history|release notes|revision history|revisions|version history";

/// Headings that mark a section as boilerplate, but not a document: a document titled "References" is about references.
const SECTIONS: &str = "contents|exit codes|further reading|history|references|related|related documents|related links|\
                        see also|table of contents|test|testing|tests|toc";

/// File names of changelogs in capitals. In lower case they are ordinary words.
const CAPITALS: [&str; 3] = ["CHANGES", "HISTORY", "NEWS"];

/// Whether a heading, numbered or not, is one of these. For the title of a document, only change histories count.
pub(crate) fn is_boilerplate(heading: &str, is_title: bool) -> bool {
    let name = heading.trim_matches(|char: char| !char.is_alphabetic()).to_lowercase();
    let is_one_of = |names: &str| names.split('|').any(|known| known == name);
    is_one_of(CHANGES) || (!is_title && is_one_of(SECTIONS))
}

/// Whether a file is a changelog by its name.
pub(crate) fn is_changelog(name: &Path) -> bool {
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    CAPITALS.contains(&&*stem)
        || is_boilerplate(&stem.replace(['-', '_'], " ").replace("ReleaseNotes", "release notes"), true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings() {
        for (heading, of_section, of_title) in [
            ("Changelog", true, true),
            ("CHANGE LOG", true, true),
            ("Release notes:", true, true),
            ("10.2 Revision history", true, true),
            ("9. References", true, false),
            ("(3) See also", true, false),
            ("📚 Table of Contents", true, false),
            ("History", true, false),
            ("Related", true, false),
            ("4. Testing", true, false),
            ("Exit codes", true, false),
            ("Testing a circuit breaker", false, false),
            ("Historic data", false, false),
            ("References to other sources", false, false),
            ("How the changelog is made", false, false),
            ("", false, false),
            ("1.2.3", false, false),
        ] {
            assert_eq!(
                (is_boilerplate(heading, false), is_boilerplate(heading, true)),
                (of_section, of_title),
                "{heading}"
            );
        }
    }

    #[test]
    fn files() {
        for (name, expected) in [
            ("CHANGELOG.md", true),
            ("docs/changelog.md", true),
            ("change-log.rst", true),
            ("RELEASE_NOTES", true),
            ("ReleaseNotes.md", true),
            ("HISTORY.md", true),
            ("history.md", false),
            ("changes.md", false),
            ("changelog/format.md", false),
            ("references.md", false),
            ("", false),
        ] {
            assert_eq!(is_changelog(Path::new(name)), expected, "{name}");
        }
    }
}
