//! Reads a template given by its path: a file below `.templates/` in the workspace, or one the session may read.

use std::path::Path;

use refdesk_core::catalog::{Catalog, LocalPath, Source};
use refdesk_core::selection::Access;
use refdesk_files::nofollow::{Opened, open};
use refdesk_files::output::{Unresolved, resolve};
use refdesk_files::path::{absolute, clean, is_absent, leaves_and_returns};
use refdesk_files::read_open;
use refdesk_files::reserved::is_skipped_by_walks;
use refdesk_text::{Code, Error, Fix};

/// The folder of templates outside all sources.
const FOLDER: &str = ".templates";

/// Size limit of a template in bytes.
const BYTES: u64 = 1024 * 1024;

pub(crate) fn read(workspace: &Path, catalog: &Catalog, access: &Access, path: &str) -> Result<String, Error> {
    let not_found = || {
        let fix = Fix::All(vec!["a relative path starts from the workspace".into(), Fix::ListTemplates]);
        Error::new(Code::NoSuchFile, format!("Template file not found: {path}"), fix)
    };
    if path.trim().is_empty() {
        return Err(Error::new(Code::EmptyPath, "the path of the template is empty", "name a file"));
    }
    let root = std::fs::canonicalize(workspace).unwrap_or_else(|_| workspace.to_path_buf());
    let no_access = |what: &str, fix| {
        let message = format!(
            "{path} may not be read: {what} is neither in a selected source nor below {FOLDER}/ of the workspace"
        );
        Error::new(Code::NoAccess, message, fix)
    };
    let asked = workspace.join(path);
    if leaves_and_returns([workspace, &root], &asked) {
        return Err(no_access("it", Fix::from("name another file")));
    }
    let file = absolute(workspace, Path::new(path));
    let place = match resolve(&file) {
        Ok(place) | Err(Unresolved::BelowFile(place) | Unresolved::Unreadable(place, _)) => place,
        Err(Unresolved::Loop) => file.clone(),
    };
    let is_of_workspace = |path: &Path| path.starts_with(&root) || path.starts_with(workspace);
    let waits = |source: &Source| source.is_untrusted() || access.reaches(source.id.as_str());
    // An agent learns what exists in the workspace and in trusted sources, and nothing about other places.
    let is_visible = |source: &Source| {
        let is_trusted = !source.is_untrusted() && (!waits(source) || access.may_read(source.id.as_str()));
        is_trusted && source.place().is_some_and(|it| it.state.is_open() && place.starts_with(&it.resolved))
    };
    let may_look = is_of_workspace(&place) || catalog.sources().iter().any(is_visible);
    let resolved = match std::fs::canonicalize(&file) {
        Ok(resolved) if may_look => resolved,
        Err(error) if may_look && is_absent(&error) => return Err(not_found()),
        Err(error) if may_look => {
            let message = format!("{path} cannot be read: {error}");
            return Err(Error::new(Code::TemplateUnreadable, message, "name another file"));
        }
        _ => place,
    };
    let own = root.join(FOLDER);
    if !access.allows(&resolved) && !resolved.starts_with(own) {
        // Of the sources that contain the file and are not excluded, the innermost that selecting makes readable.
        let may_help = |source: &&Source| {
            let place = source.place().filter(|place| place.state.is_open() || source.is_untrusted());
            let is_inside = |place: &LocalPath| {
                resolved.starts_with(&place.resolved) && !is_skipped_by_walks(&place.resolved, &resolved)
            };
            place.is_some_and(is_inside) && !access.excludes(source.id.as_str())
        };
        let innermost = catalog.sources().iter().filter(may_help).max_by_key(|it| (!waits(it), it.depth()));
        if let Some(source) = innermost.filter(|source| waits(source)) {
            let message = format!("{path} may not be read: '{}', which contains it, waits for trust", source.id);
            return Err(Error::new(Code::Untrusted, message, Fix::Trust));
        }
        let is_link = is_of_workspace(&clean(&asked)) && resolved != file;
        let what = if is_link { "the target of a link in it" } else { "it" };
        let fix = innermost.map_or(Fix::from("name another file"), |it| Fix::Pick(it.id.to_string()));
        return Err(no_access(what, fix));
    }
    let unreadable = |why: String| Error::new(Code::TemplateUnreadable, format!("{path} {why}"), "fix the file");
    // A component that becomes a link from here on is not followed.
    let opened = open(&resolved).map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    let Opened::File(file, metadata) = opened else { return Err(unreadable("is a folder".to_owned())) };
    let read = read_open(file, &metadata, BYTES);
    let (bytes, is_cut) = read.map_err(|error| unreadable(format!("cannot be read: {error}")))?;
    if is_cut {
        return Err(unreadable(format!("exceeds the limit of {BYTES} bytes (1 MiB)")));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("is not UTF-8".to_owned()))
}
