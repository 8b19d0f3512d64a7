//! Folders that belong to git or to refdesk and are not read as part of a source. Names are compared
//! case-insensitively, as many file systems do.

use std::ffi::OsStr;
use std::path::{Component, Path};

/// The folder of refdesk's state in a workspace.
pub const STATE_FOLDER: &str = ".jaato/refdesk";

/// Its parts.
const STATE: [&str; 2] = [".jaato", "refdesk"];

/// Folder of templates extracted from documents (BEHAVIOUR §6).
const TEMPLATES: [&str; 2] = [".jaato", "templates"];

/// Whether refdesk generates the files of this folder.
pub fn is_own(folder: &Path) -> bool {
    let above = folder.parent().and_then(Path::file_name);
    folder.file_name().is_some_and(|name| is_own_name(above, name))
}

/// Like [`is_own`], for a folder of this name in one named `above`.
pub(crate) fn is_own_name(above: Option<&OsStr>, name: &OsStr) -> bool {
    let is = |[one, two]: [&str; 2]| {
        name.eq_ignore_ascii_case(two) && above.is_some_and(|above| above.eq_ignore_ascii_case(one))
    };
    is(STATE) || is(TEMPLATES)
}

/// Whether git keeps its own files in a folder of this name.
pub fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// Whether the path is in a state folder of git or refdesk.
pub fn is_reserved(path: &Path) -> bool {
    let mut above = None;
    path.components().map(Component::as_os_str).any(|name| {
        let below_jaato = above.replace(name).is_some_and(|above: &OsStr| above.eq_ignore_ascii_case(STATE[0]));
        is_git(name) || (below_jaato && name.eq_ignore_ascii_case(STATE[1]))
    })
}

/// Whether a walk of `root` skips this resolved path; then it must not be read by name either. The path must be
/// resolved, or another spelling could bypass the check.
pub fn is_skipped_by_walks(root: &Path, resolved: &Path) -> bool {
    let mut inside = resolved.ancestors().take_while(|path| *path != root && path.starts_with(root));
    inside.any(|path| is_own(path) || path.file_name().is_some_and(is_git))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_git_and_refdesk_keep_their_state() {
        for (path, expected) in [
            (".git", true),
            (".git/config", true),
            ("sub/.GIT/hooks/x", true),
            (".jaato/refdesk", true),
            ("a/.Jaato/RefDesk/told.json", true),
            (".jaato/refdesk-notes/a.md", false),
            (".jaato/templates/a.tmpl", false),
            (".jaato/kb/refdesk/a.md", false),
            ("refdesk/a.md", false),
            (".github/a.md", false),
            ("a.git/config", false),
            (".gitignore", false),
        ] {
            assert_eq!(is_reserved(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn skipped_files_cannot_be_read_by_name() {
        for (root, path, expected) in [
            ("/w", "/w/.git/config", true),
            ("/w", "/w/a/.git", true),
            ("/w", "/w/.jaato/refdesk/journal.jsonl", true),
            ("/w/.jaato", "/w/.jaato/refdesk/journal.jsonl", true),
            ("/w", "/w/.jaato/kb.md", false),
            ("/w", "/w/.github/x", false),
            ("/w/.git", "/w/.git/config", false),
            ("/w", "/v/.git/config", false),
        ] {
            assert_eq!(is_skipped_by_walks(Path::new(root), Path::new(path)), expected, "{root} {path}");
        }
    }
}
