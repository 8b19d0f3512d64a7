//! Finds a workspace's configuration file and expands paths in it (BEHAVIOUR §2).

use std::borrow::Cow;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use refdesk_files::nofollow::open_in;
use refdesk_files::path::{Resolver, absolute, display, lossy};
use refdesk_files::workspace::{CONFIGURATIONS, WorkspaceReason, mark_of};
use refdesk_files::{is_link_refused, read_open, read_regular};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The environment that affects how a configuration is found and read.
#[derive(Debug, Clone, Default)]
pub struct WorkspaceContext {
    /// The workspace, absolute and clean.
    pub workspace: PathBuf,
    /// Why it is the workspace.
    pub reason: WorkspaceReason,
    /// The current folder.
    pub current: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, else `~/.config`.
    pub config_home: Option<PathBuf>,
    /// `--config`.
    pub named: Option<PathBuf>,
    /// `$REFERENCES_CONFIG_PATH`.
    pub from_environment: Option<String>,
}

impl WorkspaceContext {
    /// A path for display: relative if inside the workspace, otherwise absolute.
    pub fn display(&self, path: &Path) -> String {
        display(&self.workspace, path)
    }

    /// Whether state may be stored in the workspace: not if no workspace was found and the folder is only a fallback,
    /// unless it has become a workspace since or the user named a configuration for it.
    pub fn is_workspace(&self) -> bool {
        self.reason != WorkspaceReason::NothingFound || self.names_config() || mark_of(&self.workspace).is_some()
    }

    /// Whether `--config` or `$REFERENCES_CONFIG_PATH` names the configuration.
    pub fn names_config(&self) -> bool {
        self.named.is_some() || self.from_environment.as_ref().is_some_and(|named| !named.is_empty())
    }
}

/// Finds the configuration file; returns a diagnostic if a named one does not exist.
pub fn find(context: &WorkspaceContext) -> (Option<PathBuf>, Vec<Diagnostic>) {
    if let Some((paths, by)) = named(context) {
        if let Some(path) = paths.iter().find(|path| path.is_file()) {
            return (Some(path.clone()), Vec::new());
        }
        let [path, ..] = paths.as_slice() else { return (None, Vec::new()) };
        let what = if path.is_dir() { "names a folder, not a file" } else { "names a file that does not exist" };
        let message = format!("{by} {what}: {}; only discovered references are used", path.display());
        let problem = Diagnostic::error(Code::ConfigNotFound, message)
            .in_file(context.display(path))
            .fix("name an existing file");
        return (None, vec![problem]);
    }
    // A broken link is found too, so that it is reported.
    (default_paths(context).find(|path| fs::symlink_metadata(path).is_ok()), Vec::new())
}

/// Reads at most `limit` bytes of a file found in the workspace; the flag tells whether there is more. A link out of
/// the workspace is refused, because a repository must not make its readers open files outside. A file that the user
/// named is read wherever it leads, by [`refdesk_files::read_regular`].
///
/// # Errors
/// The file system's error; [`refdesk_files::is_link_refused`] recognizes a link that leads out.
pub(crate) fn read_found(context: &WorkspaceContext, path: &Path, limit: u64) -> io::Result<(Vec<u8>, bool)> {
    let Ok(within) = path.strip_prefix(&context.workspace) else { return read_regular(path, limit) };
    let root = Resolver::default().folder(&context.workspace);
    let (file, metadata) = open_in(&root, &root.join(within))?;
    read_open(file, &metadata, limit)
}

/// The diagnostic for a link that is broken or leads out of the workspace; `None` if the file is not such a link.
pub(crate) fn link_problem(what: &str, path: &Path, shown: &str, error: &io::Error) -> Option<Diagnostic> {
    let is_broken = fs::metadata(path).is_err_and(|error| error.kind() != io::ErrorKind::PermissionDenied);
    match fs::read_link(path).ok().filter(|_| is_broken) {
        Some(target) => {
            let message = format!("the {what} is a broken link to '{}'", lossy(&target));
            let problem = Diagnostic::error(Code::Unreadable, message).in_file(shown);
            Some(problem.fix("correct the link, or remove it"))
        }
        None => is_link_refused(error).then(|| outside_link(what, shown)),
    }
}

/// The diagnostic for a link out of the workspace.
pub(crate) fn outside_link(what: &str, shown: &str) -> Diagnostic {
    let message = format!("the {what} is a link out of the workspace, so it is not read");
    let fix = "replace the link with its target, or name the target yourself";
    Diagnostic::error(Code::LinkedOut, message).in_file(shown).fix(fix)
}

/// The default locations of a configuration file, in order.
fn default_paths(context: &WorkspaceContext) -> impl Iterator<Item = PathBuf> {
    let own = CONFIGURATIONS.map(|name| context.workspace.join(name)).into_iter();
    own.chain(context.config_home.as_ref().map(|folder| folder.join("jaato/references.json")))
}

/// Every possible location of the configuration file, to notice when a file appears there or disappears.
pub fn places(context: &WorkspaceContext) -> Vec<PathBuf> {
    named(context).map_or_else(|| default_paths(context).collect(), |(paths, _)| paths)
}

/// The possible locations of a file that the user named, in order of preference, and the option that names it.
fn named(context: &WorkspaceContext) -> Option<(Vec<PathBuf>, &'static str)> {
    if let Some(path) = &context.named {
        return Some((vec![absolute(&context.current, path)], "--config"));
    }
    let path = context.from_environment.as_deref().filter(|named| !named.is_empty())?;
    let path = expand(context, path);
    // A relative path means the workspace's file, wherever the server was started.
    let paths = [&context.current, &context.workspace].map(|folder| absolute(folder, Path::new(&path)));
    Some((paths.into(), "$REFERENCES_CONFIG_PATH"))
}

/// Replaces `${workspaceRoot}`, `${projectPath}`, `${HOME}` and a leading `~/` in a path of a configuration.
pub fn expand(context: &WorkspaceContext, written: &str) -> String {
    if !written.starts_with('~') && memchr::memchr(b'$', written.as_bytes()).is_none() {
        return written.to_owned();
    }
    let workspace = context.workspace.to_string_lossy();
    // Fast path for the most common form.
    if let Some(rest) = written.strip_prefix("${workspaceRoot}")
        && !rest.contains('$')
        && !workspace.contains('$')
    {
        return [&workspace, rest].concat();
    }
    let mut path = written.replace("${workspaceRoot}", &workspace).replace("${projectPath}", &workspace);
    if let Some(home) = &context.home {
        path = path.replace("${HOME}", &home.to_string_lossy());
    }
    expand_home(context, &path).into_owned()
}

/// Replaces a leading `~/`, as a shell does in a path that is typed there.
pub fn expand_home<'a>(context: &WorkspaceContext, written: &'a str) -> Cow<'a, str> {
    match (&context.home, written.strip_prefix('~')) {
        (Some(home), Some(rest)) if rest.is_empty() || rest.starts_with('/') => {
            Cow::Owned([&home.to_string_lossy(), rest].concat())
        }
        _ => Cow::Borrowed(written),
    }
}
