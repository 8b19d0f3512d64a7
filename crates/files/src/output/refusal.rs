//! Every rule that forbids writing to a path, in one file for review (BEHAVIOUR §6 "Writing"). The rules check how a
//! path is written, where it leads with all links resolved, and what exists there. Allowing paths outside the workspace
//! lifts only that rule.

use std::ffi::OsStr;
use std::io;
use std::path::{Component, Path, PathBuf};

use super::lookup::PathLookup;
use super::resolve::{Unresolved, resolve};
use super::{PriorContent, Proposal, Scope};
use crate::path::{absolute, clean, display, is_windows_absolute, leaves_and_returns, lossy};
use crate::reserved::{is_git, is_reserved};
use crate::{EntryKind, Folder, FolderEntry, is_link_refused, is_unfinished};
use refdesk_text::{Code, Error, Fix};

/// Longest file name, in bytes, on every file system in use.
const NAME_BYTES: usize = 255;

/// Longest path, in bytes, that the kernel accepts.
const PATH_BYTES: usize = 4095;

/// A path that may be written to.
#[derive(Debug)]
pub(super) struct WriteTarget {
    /// Absolute, without links.
    pub path: PathBuf,
    /// As printed.
    pub shown: String,
    /// The path's folder, if something exists at the path.
    pub folder: Option<Folder>,
}

/// Resolves `path`, relative to `current`.
///
/// # Errors
/// It may not be written to.
pub(super) fn write_target(
    lookup: &mut PathLookup,
    workspace: &Path,
    current: &Path,
    path: &str,
    scope: Scope,
) -> Result<WriteTarget, Error> {
    check_text(path)?;
    // Where `~` stands for the home folder, it has been replaced. Elsewhere nobody means a folder of that name.
    if scope == Scope::Workspace && Path::new(path).starts_with("~") {
        return Err(Error::new(Code::Outside, format!("{} is outside the workspace", quoted(path)), Fix::AllowOutside));
    }
    // Without a current folder, paths are relative to the workspace.
    let current = workspace.join(current);
    let asked = current.join(path);
    let real = lookup.workspace(workspace);
    // Every path that leads out gets the same answer, whatever exists there: an agent may have written it.
    let outside = || leads_out((workspace, &real), &asked, path);
    if scope == Scope::Workspace && leaves_and_returns([workspace, &real], &asked) {
        return Err(outside());
    }
    let path = match lookup.resolve(&asked, &quoted(path)) {
        Ok(path) if scope == Scope::Workspace && !path.starts_with(&real) => return Err(outside()),
        Err(_) if scope == Scope::Workspace && may_be_out((workspace, &real), &asked) => return Err(outside()),
        found => found?,
    };
    let shown = shown((workspace, &real), &asked, &absolute(&current, &asked), &path);
    check_location(&real, &path, &shown, scope)?;
    let folder = check_existing(lookup, &path, &shown)?;
    Ok(WriteTarget { path, shown, folder })
}

/// Checks where a path without links is.
pub(super) fn check_location(workspace: &Path, path: &Path, shown: &str, scope: Scope) -> Result<(), Error> {
    if scope == Scope::Workspace && !path.starts_with(workspace) {
        let is = if Path::new(shown).is_absolute() { "is" } else { "leads" };
        let message = format!("{shown} {is} outside the workspace");
        return Err(Error::new(Code::Outside, message, Fix::AllowOutside));
    }
    // Folders above the workspace do not count for this rule.
    check_reserved(path.strip_prefix(workspace).unwrap_or(path), shown)?;
    check_length(path)
}

/// The error for a path that leads out of the workspace; does not say where to.
fn leads_out(workspaces: (&Path, &Path), asked: &Path, path: &str) -> Error {
    let message = match is_written_inside(workspaces, asked) {
        true => format!("{path} leads outside the workspace"),
        false => format!("{} is outside the workspace", clean(asked).display()),
    };
    Error::new(Code::Outside, message, Fix::AllowOutside)
}

/// Whether a path that cannot be resolved may lead out of the workspace.
fn may_be_out(workspaces: (&Path, &Path), asked: &Path) -> bool {
    match resolve(asked) {
        Ok(path) | Err(Unresolved::BelowFile(path) | Unresolved::Unreadable(path, _)) => {
            !path.starts_with(workspaces.1)
        }
        Err(Unresolved::Loop) => !is_written_inside(workspaces, asked),
    }
}

/// Whether the path is in the workspace by its words alone.
fn is_written_inside((named, real): (&Path, &Path), asked: &Path) -> bool {
    let words = clean(asked);
    words.starts_with(named) || words.starts_with(real)
}

pub(super) fn moved(shown: &str) -> Error {
    let message = format!("'{shown}' does not lead where it did: part of its path is a link, or is gone");
    Error::new(Code::Moved, message, "check the folder, and try again")
}

/// Whether an interrupted write may be continued at this path from a record.
pub(super) fn may_resume(path: &Path, workspace: &Path) -> bool {
    path.is_absolute()
        && resolve(path).is_ok_and(|real| real == path)
        && check_reserved(path.strip_prefix(workspace).unwrap_or(path), "").is_ok()
}

/// The error for replacing an existing file without being asked to; none if its text stays the same.
pub fn needs_overwrite(proposal: &Proposal) -> Option<Error> {
    exists(proposal).filter(|_| !proposal.is_unchanged())
}

/// The same error, whatever the file's text is.
pub fn exists(proposal: &Proposal) -> Option<Error> {
    let message = || format!("{} exists", proposal.shown);
    (proposal.before != PriorContent::Nothing).then(|| Error::new(Code::Exists, message(), Fix::Overwrite))
}

/// The error for two proposals of one write that conflict.
pub(super) fn conflict(one: &Proposal, other: &Proposal) -> Option<Error> {
    let (a, b) = (&one.path, &other.path);
    if a == b {
        let message = if one.shown == other.shown {
            format!("{} is written twice", one.shown)
        } else {
            format!("{} and {} are the same file", one.shown, other.shown)
        };
        return Some(Error::new(Code::SameFile, message, "give each its own path"));
    }
    let (file, below) = if b.starts_with(a) { (one, other) } else { (other, one) };
    let message = || format!("{} would be both a file and a folder for {}", file.shown, below.shown);
    (a.starts_with(b) || b.starts_with(a)).then(|| Error::new(Code::FileAndFolder, message(), "give each its own path"))
}

/// Checks a path as written.
fn check_text(path: &str) -> Result<(), Error> {
    let shown = quoted(path);
    if path.trim().is_empty() {
        return Err(Error::new(Code::EmptyPath, "the output path is empty".to_owned(), "name a file"));
    }
    if let Some(brace) = path.chars().find(|c| matches!(c, '{' | '}')) {
        let message = format!("the output path {shown} still contains '{brace}'");
        return Err(Error::new(
            Code::UnfilledPath,
            message,
            "write the path without braces; only the path that a template names is filled in",
        ));
    }
    if path.chars().any(char::is_control) {
        let message = format!("the output path {shown} contains a control character");
        return Err(Error::new(Code::ControlCharacter, message, "remove it"));
    }
    if is_windows_absolute(path) {
        let message = format!("the output path {shown} is a path of another operating system");
        return Err(Error::new(Code::ForeignPath, message, "write it as a path of this system"));
    }
    let last = path.rsplit('/').next();
    if matches!(last, Some("" | "." | "..")) {
        return Err(folder(format!("'{path}' names a folder")));
    }
    check_length(Path::new(path))
}

/// Checks names and paths against the limits of file systems.
fn check_length(path: &Path) -> Result<(), Error> {
    let too_long = |what: String, limit| {
        let message = format!("{what} is longer than {limit} bytes");
        Err(Error::new(Code::TooLong, message, "choose a shorter one"))
    };
    if let Some(name) = path.components().find(|component| component.as_os_str().len() > NAME_BYTES) {
        let start: String = name.as_os_str().to_string_lossy().chars().take(40).collect();
        return too_long(format!("the name '{start}…' in the output path"), NAME_BYTES);
    }
    if path.as_os_str().len() > PATH_BYTES {
        return too_long("the output path".to_owned(), PATH_BYTES);
    }
    Ok(())
}

pub(super) fn resolve_links(workspace: &Path, path: &Path, shown: &str) -> Result<PathBuf, Error> {
    resolve(path).map_err(|error| match error {
        Unresolved::Loop => {
            let message = format!("the links in {shown} form a loop");
            Error::new(Code::LinkLoop, message, "choose a path without these links")
        }
        Unresolved::BelowFile(file) => {
            let message = format!("{} is a file, and {shown} would be below it", display(workspace, &file));
            Error::new(Code::BelowAFile, message, "choose another path")
        }
        Unresolved::Unreadable(part, error) => unreadable(&display(workspace, &part), &error),
    })
}

/// Refuses folders of git and refdesk, whose files control these programs.
fn check_reserved(path: &Path, shown: &str) -> Result<(), Error> {
    let mut names = path.components().filter_map(|component| match component {
        Component::Normal(name) => Some(name),
        _ => None,
    });
    // The next writer would remove a file with the name of a temporary file.
    let is_temporary = |name: &OsStr| is_unfinished(name.to_ascii_lowercase().as_ref());
    let keeper = if names.clone().any(is_git) {
        "git"
    } else if is_reserved(path) || names.any(is_temporary) {
        "refdesk"
    } else {
        return Ok(());
    };
    let message = format!("'{shown}' is one of {keeper}'s own files");
    Err(Error::new(Code::Guarded, message, "choose another path"))
}

/// Checks what exists at a path, even one that was accepted before. Its folders are opened without following links,
/// which detects a folder that has become a link; a file that is a link cannot be replaced. Returns the folder if
/// something exists at the path.
///
/// # Errors
/// The path leads elsewhere now, or may not be written to.
pub(super) fn check_existing(lookup: &mut PathLookup, path: &Path, shown: &str) -> Result<Option<Folder>, Error> {
    let found = lookup.entry(path, shown)?;
    found.map(|(folder, entry)| check_replaceable(&entry, shown).map(|()| folder)).transpose()
}

fn check_replaceable(entry: &FolderEntry, shown: &str) -> Result<(), Error> {
    match entry.kind {
        EntryKind::Folder => Err(folder(format!("'{shown}' is a folder"))),
        EntryKind::Link => Err(moved(shown)),
        EntryKind::Other => {
            let message = format!("'{shown}' is not a regular file but a pipe, a socket or a device");
            Err(Error::new(Code::NoRegularFile, message, "choose another path"))
        }
        EntryKind::File if entry.permissions.readonly() => {
            Err(Error::new(Code::ReadOnly, format!("'{shown}' is read-only"), "make it writable first"))
        }
        EntryKind::File => Ok(()),
    }
}

fn folder(message: String) -> Error {
    Error::new(Code::IsFolder, message, "name a file in it")
}

pub(super) fn unreadable(shown: &str, error: &io::Error) -> Error {
    if is_link_refused(error) {
        return moved(shown);
    }
    Error::new(
        Code::Unreadable,
        format!("'{shown}' cannot be read: {error}"),
        "make it readable, or choose another path",
    )
}

fn quoted(path: &str) -> String {
    format!("'{path}'")
}

/// The path as written if it refers to the same file; otherwise its resolved path. The path of the workspace may itself
/// contain links.
fn shown((named, workspace): (&Path, &Path), asked: &Path, written: &Path, real: &Path) -> String {
    let within = written.strip_prefix(named).or_else(|_| written.strip_prefix(workspace)).ok();
    // The requested path is known to lead to the resolved one.
    let leads_there =
        || asked.as_os_str() == written.as_os_str() || resolve(written).is_ok_and(|resolved| resolved == real);
    match within {
        Some(within) if leads_there() => lossy(within),
        _ => display(workspace, real),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use crate::testing::{link, pipe, tree};

    fn world() -> (tempfile::TempDir, PathBuf) {
        let (folder, root) = tree(&["dir/file", "dir/read-only", "outside.txt"]);
        for folder in ["dir/sub", "dir/.git", "dir-evil", "dir/.jaato"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        fs::set_permissions(root.join("dir/read-only"), fs::Permissions::from_mode(0o444)).unwrap();
        let links = [
            ("../dir-evil", "out"),
            ("../nowhere/new", "dangling-out"),
            ("sub/new", "dangling-in"),
            ("../outside.txt", "last-out"),
            ("file", "last-in"),
            ("sub", "in"),
            ("loop", "loop"),
            (".git", "repository"),
        ];
        link(&root.join("dir"), &links);
        link(&root, &[("outside.txt", "away"), ("loop", "loop")]);
        pipe(&root.join("dir/pipe"));
        (folder, root)
    }

    #[test]
    fn refused_paths_and_reasons() {
        let (_root, root) = world();
        let long = "x".repeat(256);
        let deep = "d/".repeat(2100) + "x";
        let outside = root.join("outside.txt");
        let beside = root.join("dir-evil/x");
        // The second code applies if writing outside is allowed. It is empty if the path is then accepted.
        for (path, inside, anywhere) in [
            ("", "empty-path", "empty-path"),
            (" \t", "empty-path", "empty-path"),
            ("src/{{Entity}}.java", "unfilled-path", "unfilled-path"),
            ("src/}.java", "unfilled-path", "unfilled-path"),
            ("a\0b", "control-character", "control-character"),
            ("a\nb", "control-character", "control-character"),
            ("a\x1b[31mb", "control-character", "control-character"),
            ("a\u{9b}b", "control-character", "control-character"),
            (&long, "too-long", "too-long"),
            (&deep, "too-long", "too-long"),
            ("C:\\x", "foreign-path", "foreign-path"),
            ("c:/x", "foreign-path", "foreign-path"),
            ("\\\\server\\x", "foreign-path", "foreign-path"),
            (".", "is-folder", "is-folder"),
            ("..", "is-folder", "is-folder"),
            ("sub", "is-folder", "is-folder"),
            ("in", "is-folder", "is-folder"),
            ("sub/", "is-folder", "is-folder"),
            ("new/", "is-folder", "is-folder"),
            ("new/..", "is-folder", "is-folder"),
            ("pipe", "no-regular-file", "no-regular-file"),
            ("read-only", "read-only", "read-only"),
            ("file/below", "below-a-file", "below-a-file"),
            ("loop", "link-loop", "link-loop"),
            ("loop/x", "link-loop", "link-loop"),
            (".git/config", "guarded", "guarded"),
            (".GIT/config", "guarded", "guarded"),
            ("sub/.git/hooks/x", "guarded", "guarded"),
            ("repository/config", "guarded", "guarded"),
            (".git", "guarded", "guarded"),
            ("GIT~1/hooks/x", "guarded", "guarded"),
            ("sub/.git /config", "guarded", "guarded"),
            (".g\u{200c}it/config", "guarded", "guarded"),
            (".jaato/refde\u{17f}k/x", "guarded", "guarded"),
            (".jaato/refdesk/selection.json", "guarded", "guarded"),
            (".jaato/Refdesk/x", "guarded", "guarded"),
            ("sub/.refdesk-x.tmp", "guarded", "guarded"),
            (".Refdesk-x.tmp/y", "guarded", "guarded"),
            ("/dev/null", "outside", "no-regular-file"),
            ("../x", "outside", ""),
            ("../dir-evil/x", "outside", ""),
            ("sub/../../x", "outside", ""),
            ("in/../../x", "outside", ""),
            ("out/x", "outside", ""),
            ("out/../x", "outside", ""),
            ("dangling-out", "outside", ""),
            ("last-out", "outside", ""),
            ("last-out/x", "outside", "below-a-file"),
            ("../outside.txt/x", "outside", "below-a-file"),
            ("../loop/x", "outside", "link-loop"),
            // Out and back: the answer would tell what exists there.
            ("../outside.txt/../dir/file", "outside", "below-a-file"),
            ("../missing/../dir/file", "outside", ""),
            ("../dir-evil/../dir/file", "outside", ""),
            ("../dir/../dir/file", "", ""),
            (outside.to_str().unwrap(), "outside", ""),
            (beside.to_str().unwrap(), "outside", ""),
        ] {
            let dir = root.join("dir");
            for (scope, expected) in [(Scope::Workspace, inside), (Scope::Anywhere, anywhere)] {
                let code = write_target(&mut PathLookup::default(), &dir, &dir, path, scope)
                    .map_or_else(|refused| refused.code.as_str(), |_| "");
                assert_eq!(code, expected, "{path} {scope:?}");
            }
        }
    }

    #[test]
    fn refusals_show_paths_as_they_are_written() {
        let (_root, root) = world();
        let dir = root.join("dir");
        for (path, expected) in [
            ("file/below", "file is a file, and 'file/below' would be below it".to_owned()),
            ("out/x", "out/x leads outside the workspace".to_owned()),
            ("~/x", "'~/x' is outside the workspace".to_owned()),
            ("sub", "'sub' is a folder".to_owned()),
            // Nothing exists there.
            ("new/", "'new/' names a folder".to_owned()),
            ("../x", format!("{} is outside the workspace", root.join("x").display())),
            ("out/../x", "out/../x leads outside the workspace".to_owned()),
            // Where links outside lead is not told.
            ("../away", format!("{} is outside the workspace", root.join("away").display())),
            ("../outside.txt/x", format!("{} is outside the workspace", root.join("outside.txt/x").display())),
        ] {
            let refused = write_target(&mut PathLookup::default(), &dir, &dir, path, Scope::Workspace).unwrap_err();
            assert_eq!(refused.message, expected);
        }
    }

    #[test]
    fn allowed_paths_and_their_display() {
        let (_root, root) = world();
        let dir = root.join("dir");
        symlink("dir", root.join("alias")).unwrap();
        let name = "x".repeat(255);
        let inside = dir.join("sub/x");
        let alias = root.join("alias/sub/x");
        for (current, path, leads, shown) in [
            (".", "new", "new", "new"),
            (".", "file", "file", "file"),
            (".", "a/b/c", "a/b/c", "a/b/c"),
            ("sub", "x", "sub/x", "sub/x"),
            ("sub", "../x", "x", "x"),
            (".", "./sub/.././x", "x", "x"),
            (".", "in/x", "sub/x", "in/x"),
            (".", "in/../x", "x", "x"),
            (".", "last-in", "file", "last-in"),
            (".", "dangling-in", "sub/new", "dangling-in"),
            (".", &name, &name, &name),
            (".", "a b/ü", "a b/ü", "a b/ü"),
            (".", ".gitignore", ".gitignore", ".gitignore"),
            (".", ".jaato/references/x.json", ".jaato/references/x.json", ".jaato/references/x.json"),
            (".", inside.to_str().unwrap(), "sub/x", "sub/x"),
            // Through another path of the workspace.
            (".", alias.to_str().unwrap(), "sub/x", "sub/x"),
        ] {
            let place =
                write_target(&mut PathLookup::default(), &dir, &dir.join(current), path, Scope::Workspace).unwrap();
            assert_eq!((place.path, place.shown.as_str()), (dir.join(leads), shown), "{current} {path}");
            let alias = root.join("alias");
            let place =
                super::write_target(&mut PathLookup::default(), &alias, &alias.join(current), path, Scope::Workspace)
                    .unwrap();
            assert_eq!((place.path, place.shown.as_str()), (dir.join(leads), shown), "{current} {path}");
        }
    }

    #[test]
    fn a_path_that_leads_elsewhere_now_is_refused() {
        let (_root, root) = world();
        let path = root.join("dir/sub/x");
        assert!(check_existing(&mut PathLookup::default(), &path, "sub/x").is_ok());
        fs::remove_dir(root.join("dir/sub")).unwrap();
        symlink(root.join("dir-evil"), root.join("dir/sub")).unwrap();
        let refused = check_existing(&mut PathLookup::default(), &path, "sub/x").unwrap_err();
        // The folder may also have been removed, or may have been a link before.
        assert_eq!(refused.message, "'sub/x' does not lead where it did: part of its path is a link, or is gone");
        assert_eq!(refused.code, Code::Moved);
        fs::remove_file(root.join("dir/sub")).unwrap();
        fs::create_dir_all(&path).unwrap();
        assert_eq!(check_existing(&mut PathLookup::default(), &path, "sub/x").unwrap_err().code, Code::IsFolder);
    }
}
