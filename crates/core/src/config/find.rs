//! Where a workspace's configuration lies, and what a path in it means (BEHAVIOUR §2).

use std::io;
use std::path::{Path, PathBuf};

use refdesk_files::path::{absolute, display};
use refdesk_files::{beneath, read_open, read_regular};
use refdesk_text::report::Diagnostic;

/// Where a program stands: everything from outside that finding and reading a configuration depends on.
#[derive(Debug, Clone, Default)]
pub struct Surroundings {
    /// The workspace, absolute and clean.
    pub workspace: PathBuf,
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

impl Surroundings {
    /// A path as printed: relative to the workspace inside it, absolute outside.
    pub fn display(&self, path: &Path) -> String {
        display(&self.workspace, path)
    }

    /// At most `limit` bytes of a configuration file or profile; the flag tells that there are more. A file in the workspace
    /// came with the repository: a link on the way to it is followed only within the workspace.
    ///
    /// # Errors
    /// What the file system says; a link leads out of the workspace.
    pub(crate) fn read(&self, path: &Path, limit: u64) -> io::Result<(Vec<u8>, bool)> {
        let Ok(within) = path.strip_prefix(&self.workspace) else { return read_regular(path, limit) };
        let workspace = std::fs::canonicalize(&self.workspace)?;
        let (file, metadata) = beneath::open_in(&workspace, &workspace.join(within))?;
        read_open(file, &metadata, limit)
    }
}

/// The configuration file, if there is one. A diagnostic where one was named and is not there.
pub fn find(around: &Surroundings) -> (Option<PathBuf>, Vec<Diagnostic>) {
    let variable = around.from_environment.as_deref().filter(|named| !named.is_empty());
    let named = match (&around.named, variable) {
        (Some(path), _) => Some((absolute(&around.current, path), "--config")),
        (None, Some(path)) => {
            let here = absolute(&around.current, Path::new(&expand(around, path)));
            // A server started from anywhere should find what the workspace means.
            let there = absolute(&around.workspace, Path::new(&expand(around, path)));
            let path = if !here.is_file() && there.is_file() { there } else { here };
            Some((path, "$REFERENCES_CONFIG_PATH"))
        }
        (None, None) => None,
    };
    if let Some((path, by)) = named {
        if path.is_file() {
            return (Some(path), Vec::new());
        }
        let what = if path.is_dir() { "names a folder" } else { "names no file" };
        let problem = Diagnostic::error("config-not-found", format!("{by} {what}: {}", path.display()))
            .in_file(around.display(&path))
            .hint("name an existing file; only discovered references are used until then");
        return (None, vec![problem]);
    }
    // A link that leads nowhere, or outside, counts: reading it says what is wrong.
    (usual(around).find(|path| path.symlink_metadata().is_ok()), Vec::new())
}

/// Where a configuration is looked for when none is named, in order.
fn usual(around: &Surroundings) -> impl Iterator<Item = PathBuf> {
    let usual = [
        Some(around.workspace.join("references.json")),
        Some(around.workspace.join(".references.json")),
        around.config_home.as_ref().map(|folder| folder.join("jaato/references.json")),
    ];
    usual.into_iter().flatten()
}

/// Every file that could be the configuration, there or not: when one comes or goes, another may be in force.
pub fn places(around: &Surroundings) -> Vec<PathBuf> {
    let variable = around.from_environment.as_deref().filter(|named| !named.is_empty());
    match (&around.named, variable) {
        (Some(path), _) => vec![absolute(&around.current, path)],
        (None, Some(path)) => {
            let path = expand(around, path);
            [&around.current, &around.workspace].map(|folder| absolute(folder, Path::new(&path))).into()
        }
        (None, None) => usual(around).collect(),
    }
}

/// A path of a configuration with `${workspaceRoot}`, `${projectPath}`, `${HOME}` and a leading `~/` replaced.
pub fn expand(around: &Surroundings, written: &str) -> String {
    if !written.starts_with('~') && memchr::memchr(b'$', written.as_bytes()).is_none() {
        return written.to_owned();
    }
    let workspace = around.workspace.to_string_lossy();
    // The usual way to write it needs no search for the others.
    if let Some(rest) = written.strip_prefix("${workspaceRoot}")
        && !rest.contains('$')
        && !workspace.contains('$')
    {
        return [&workspace, rest].concat();
    }
    let mut path = written.replace("${workspaceRoot}", &workspace).replace("${projectPath}", &workspace);
    if let Some(home) = &around.home {
        path = path.replace("${HOME}", &home.to_string_lossy());
        if path == "~" || path.starts_with("~/") {
            path.replace_range(..1, &home.to_string_lossy());
        }
    }
    path
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_link_that_leads_out_of_the_workspace_is_not_read() {
        let (inside, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let workspace = inside.path().to_path_buf();
        let around = Surroundings { workspace: workspace.clone(), ..Surroundings::default() };
        fs::create_dir(workspace.join("conf")).unwrap();
        for folder in [&workspace.join("conf"), outside.path()] {
            refdesk_files::write_atomic(&folder.join("own.json"), b"{\"sources\": []}").unwrap();
        }
        let link = workspace.join("references.json");
        for (target, expected) in [
            (PathBuf::from("conf/own.json"), true),
            (workspace.join("conf/own.json"), true),
            (outside.path().join("own.json"), false),
            // The answer does not tell whether a file is there.
            (outside.path().join("absent.json"), false),
        ] {
            symlink(&target, &link).unwrap();
            assert_eq!(find(&around).0, Some(link.clone()), "{}", target.display());
            let config = super::super::load(&around);
            assert_eq!(config.document.is_some(), expected, "{}: {:?}", target.display(), config.diagnostics);
            assert_eq!(config.diagnostics.iter().any(|problem| problem.code == "unreadable"), !expected);
            fs::remove_file(&link).unwrap();
        }
        symlink(outside.path(), workspace.join("linked")).unwrap();
        assert!(around.read(&workspace.join("linked/own.json"), 100).is_err());
        // Somewhere else is where only a person can have named it.
        assert!(around.read(&outside.path().join("own.json"), 100).is_ok());
    }
}
