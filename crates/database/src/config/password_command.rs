//! The files of the workspace that a command for a password names. The command runs elsewhere: in the workspace, `make` or
//! `python -m` would load files that it does not name, and that nobody trusted.

use std::ops::Range;
use std::path::{Path, PathBuf};

use refdesk_files::output::resolve;
use refdesk_files::path::{absolute, is_within};

/// The environment variable with the folder of the workspace, for the command.
pub(crate) const WORKSPACE_VARIABLE: &str = "workspaceRoot";

/// The regular files of the workspace that a shell command names, with links resolved.
pub fn workspace_files(workspace: &Path, command: &str) -> Vec<PathBuf> {
    let ways = ["\"${workspaceRoot}\"/", "\"$workspaceRoot\"/", "${workspaceRoot}/", "$workspaceRoot/"];
    let command = ways.iter().fold(command.to_owned(), |command, way| command.replace(way, "./"));
    words(&command).filter_map(|word| workspace_file(workspace, command.get(word)?)).collect()
}

/// The command with the workspace before each of its relative paths that is a file there.
pub(crate) fn with_workspace_files(workspace: &Path, command: &str) -> String {
    let (mut result, mut end) = (String::new(), 0);
    for word in words(command) {
        let (Some(before), Some(path)) = (command.get(end..word.start), command.get(word.clone())) else { continue };
        // What follows a `$` is the name of a variable, even if a folder has that name.
        let is_path = path.contains('/') && !path.starts_with('/') && !before.ends_with('$');
        if is_path && workspace_file(workspace, path).is_some() {
            result.push_str(before);
            result.push_str(&format!("\"${WORKSPACE_VARIABLE}\"/"));
            end = word.start;
        }
    }
    result + command.get(end..).unwrap_or_default()
}

fn words(command: &str) -> impl Iterator<Item = Range<usize>> {
    let is_between = |char: char| char.is_whitespace() || "'\";|&()=<>`$".contains(char);
    let mut at = 0;
    command.split(is_between).filter_map(move |word| {
        let start = at;
        // Those between words that are not ASCII are white space.
        at += word.len() + command.get(start + word.len()..)?.chars().next().map_or(0, char::len_utf8);
        (!word.is_empty()).then(|| start..start + word.len())
    })
}

fn workspace_file(workspace: &Path, word: &str) -> Option<PathBuf> {
    let real = resolve(&absolute(workspace, Path::new(word))).ok()?;
    let workspace = resolve(workspace).ok()?;
    (is_within(&real, &workspace) && real.is_file()).then_some(real)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use refdesk_files::write_atomic;

    use super::*;

    #[test]
    fn files_that_a_command_names() {
        let folder = tempfile::tempdir().unwrap();
        let workspace = fs::canonicalize(folder.path()).unwrap().join("w");
        fs::create_dir_all(workspace.join("bin")).unwrap();
        for file in ["w/bin/pw", "w/make", "w/workspaceRoot/bin/pw", "w/{workspaceRoot}/bin/pw", "out"] {
            write_atomic(&folder.path().join(file), b"x").unwrap();
        }
        symlink(folder.path().join("out"), workspace.join("bin/out")).unwrap();
        symlink("pw", workspace.join("bin/link")).unwrap();
        for (command, files, runs) in [
            ("pass show db", &[][..], "pass show db"),
            ("./bin/pw\u{3000}x", &["bin/pw"], "\"$workspaceRoot\"/./bin/pw\u{3000}x"),
            (
                "sh -c 'bin/pw; bin/link'",
                &["bin/pw", "bin/pw"],
                "sh -c '\"$workspaceRoot\"/bin/pw; \"$workspaceRoot\"/bin/link'",
            ),
            ("cat <bin/pw", &["bin/pw"], "cat <\"$workspaceRoot\"/bin/pw"),
            ("\"$workspaceRoot\"/bin/pw", &["bin/pw"], "\"$workspaceRoot\"/bin/pw"),
            ("\"${workspaceRoot}/bin/pw\"", &["bin/pw"], "\"${workspaceRoot}/bin/pw\""),
            ("$workspaceRoot/bin/pw", &["bin/pw"], "$workspaceRoot/bin/pw"),
            // A program is found by the shell.
            ("make -s", &["make"], "make -s"),
            ("bin/out ../out bin bin/none", &[], "bin/out ../out bin bin/none"),
        ] {
            let expected: Vec<PathBuf> = files.iter().map(|file| workspace.join(file)).collect();
            assert_eq!(workspace_files(&workspace, command), expected, "{command}");
            assert_eq!(with_workspace_files(&workspace, command), runs, "{command}");
        }
    }
}
