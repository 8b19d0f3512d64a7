//! Folders that belong to git or to refdesk and are not read as part of a source. Names are compared as the most lenient
//! file systems do, as git compares them: a checkout may be on any of them.

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
    let is = |[one, two]: [&str; 2]| may_be(name, two) && above.is_some_and(|above| may_be(above, one));
    is(STATE) || is(TEMPLATES)
}

/// Whether git keeps its own files in a folder of this name.
pub fn is_git(name: &OsStr) -> bool {
    may_be(name, ".git")
}

/// Whether a file system may open `wanted` under this name. Some ignore the case, which for `refdesk` includes the long s
/// and the sign for kelvin; NTFS ignores blanks and dots at the end, has `GIT~1` for `.git`, and reads what follows a colon
/// as the name of a stream; HFS+ ignores some invisible characters.
fn may_be(name: &OsStr, wanted: &str) -> bool {
    if name.eq_ignore_ascii_case(wanted) {
        return true;
    }
    let bytes = name.as_encoded_bytes();
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    if bytes.iter().all(is_plain) && !bytes.ends_with(b".") {
        return false;
    }
    let name = name.to_string_lossy();
    let name = name.split([':', '\\']).next().unwrap_or_default();
    let kept = name.chars().filter(|c| !is_ignored(*c)).map(|c| match c {
        'ſ' => 's',
        '\u{212a}' => 'k',
        c => c.to_ascii_lowercase(),
    });
    let folded: String = kept.collect();
    let folded = folded.trim_end_matches(['.', ' ']);
    folded == wanted || folded.rsplit_once('~').is_some_and(|(base, number)| is_short(wanted, base, number))
}

/// Whether a name of the form `base~number` may be the short one for `wanted` on NTFS.
fn is_short(wanted: &str, base: &str, number: &str) -> bool {
    let has_short = wanted.starts_with('.') || wanted.len() > 8;
    let letters = wanted.trim_start_matches('.');
    let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
    has_short && is_number && base == letters.get(..6).unwrap_or(letters)
}

/// Characters that HFS+ ignores in a name.
fn is_ignored(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

/// A quick check for tens of thousands of absolute paths: whether a path may be reserved, whatever it is relative to.
pub fn may_be_reserved(path: &Path) -> bool {
    let path = path.as_os_str().as_encoded_bytes();
    // A name that is hidden, or begins with an ignored character, or is a short one.
    let is_odd = |pair: &[u8]| matches!(pair, [b'/', b'.' | 0xe2 | 0xef]);
    path.windows(2).any(is_odd) || path.contains(&b'~')
}

/// Whether the path is in a state folder of git or refdesk.
pub fn is_reserved(path: &Path) -> bool {
    let mut above = None;
    path.components().map(Component::as_os_str).any(|name| {
        let below_jaato = above.replace(name).is_some_and(|above: &OsStr| may_be(above, STATE[0]));
        is_git(name) || (below_jaato && may_be(name, STATE[1]))
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
            ("GIT~1/hooks/post-checkout", true),
            (".git /config", true),
            (".git./config", true),
            (".git. .", true),
            (".git::$INDEX_ALLOCATION/config", true),
            (".git\\config", true),
            (".g\u{200c}it/config", true),
            ("\u{feff}.git", true),
            (".jaato/refde\u{17f}k/told.json", true),
            ("jaato~1/Refdes\u{212a}.", true),
            ("git~x/a.md", false),
            ("git~", false),
            (".git x/a.md", false),
            ("digit~1", false),
            (".jaato/kb \u{17f}/a.md", false),
        ] {
            assert_eq!(is_reserved(Path::new(path)), expected, "{path}");
        }
    }

    #[test]
    fn the_quick_check_misses_nothing() {
        for path in [
            ".git",
            "a/GIT~1/x",
            "\u{200c}.git/x",
            "\u{feff}.git",
            "\u{202a}\u{206a}.GIT. ",
            "JAATO~1/refdesk",
            ".jaato/refde\u{17f}k",
        ] {
            assert!(is_reserved(Path::new(path)) && may_be_reserved(&Path::new("/w").join(path)), "{path}");
        }
        assert!(!may_be_reserved(Path::new("/w/src/a.md")));
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
