//! Symbolic links in the path of a file, which are followed neither for reading nor for writing. If only reading
//! refused them, a file written through a link would always look changed.

use std::fs;
use std::path::Path;

use refdesk_text::escape::one_line;
use refdesk_text::{Code, Error};

use super::EntryKind;
use super::output::resolve;
use super::path::lossy;

/// The error about the first link in a path below a workspace, including the link's target; `None` without a link.
/// `kind` is the expected type of the path.
pub fn link_on_path(workspace: &Path, path: &Path, kind: EntryKind) -> Option<Error> {
    let mut at = workspace.to_path_buf();
    let mut names = path.components();
    while let Some(name) = names.next() {
        at.push(name);
        // A missing folder contains no links.
        if !fs::symlink_metadata(&at).ok()?.is_symlink() {
            continue;
        }
        let shown = one_line(&lossy(at.strip_prefix(workspace).unwrap_or(&at))).into_owned();
        let target = fs::read_link(&at).map(|target| lossy(&target)).unwrap_or_default();
        let inside = |real: &Path| fs::canonicalize(workspace).is_ok_and(|workspace| real.starts_with(workspace));
        let place = match resolve(&at) {
            Ok(real) if !inside(&real) => ", outside the workspace",
            Ok(real) if fs::symlink_metadata(&real).is_ok() => "",
            _ => ", which does not exist",
        };
        let message = format!("{shown} is a link to {}{place}; links are not followed here", one_line(&target));
        let is_last = names.as_path().as_os_str().is_empty();
        let wanted = if is_last && kind == EntryKind::File { "file" } else { "folder" };
        return Some(Error::new(Code::LinkedOut, message, format!("replace the link {shown} with a {wanted}")));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{link, tree};

    #[test]
    fn the_first_link_is_named_with_its_target() {
        let (_root, root) = tree(&["w/docs/a/page", "w/docs/x", "out/page"]);
        let workspace = root.join("w");
        let links = [
            ("../out", "out"),
            ("../out/page", "out-page"),
            ("docs", "in"),
            ("docs/x", "in-page"),
            ("in", "chain-in"),
            ("out", "chain-out"),
            ("gone", "dangling"),
            ("../gone", "dangling-out"),
            ("loop", "loop"),
            ("../w/docs", "round"),
            ("docs/x\u{1b}[31m", "odd"),
        ];
        link(&workspace, &links);
        for (path, expected) in [
            ("docs/a/page", None),
            ("docs/gone/page", None),
            ("docs/x/page", None),
            ("out/page", Some("out is a link to ../out, outside the workspace; … out with a folder")),
            ("out-page", Some("out-page is a link to ../out/page, outside the workspace; … out-page with a file")),
            ("in/a/page", Some("in is a link to docs; … in with a folder")),
            ("in-page", Some("in-page is a link to docs/x; … in-page with a file")),
            ("chain-in/a/page", Some("chain-in is a link to in; … chain-in with a folder")),
            ("chain-out/page", Some("chain-out is a link to out, outside the workspace; … chain-out with a folder")),
            ("dangling", Some("dangling is a link to gone, which does not exist; … dangling with a file")),
            (
                "dangling-out/page",
                Some("dangling-out is a link to ../gone, outside the workspace; … dangling-out with a folder"),
            ),
            ("loop/page", Some("loop is a link to loop, which does not exist; … loop with a folder")),
            ("round/page", Some("round is a link to ../w/docs; … round with a folder")),
            ("odd", Some("odd is a link to docs/x\\x1b[31m, which does not exist; … odd with a file")),
        ] {
            let reported = link_on_path(&workspace, Path::new(path), EntryKind::File).map(|error| {
                assert_eq!(error.code, Code::LinkedOut);
                let text = format!("{}; {:?}", error.message, error.fix);
                text.replace("; links are not followed here; Text(\"replace the link ", "; … ").replace("\")", "")
            });
            assert_eq!(reported.as_deref(), expected, "{path}");
        }
        let folder = link_on_path(&workspace, Path::new("in-page"), EntryKind::Folder).unwrap();
        assert_eq!(folder.fix, "replace the link in-page with a folder".into());
    }
}
