//! Finds the files of the workspace that a password command names. The command runs outside the workspace, where `make`
//! or `python -m` would load files that the command does not name and that were never trusted.

use std::ops::Range;
use std::path::{Path, PathBuf};

use refdesk_files::output::resolve;
use refdesk_files::path::{absolute, clean, is_within};

/// The environment variable through which the command gets the workspace's path.
pub(crate) const WORKSPACE_VARIABLE: &str = "workspaceRoot";

/// The regular files of the workspace that a shell command names, with links resolved.
///
/// # Errors
/// It names something else in the workspace: a folder that it enters, or a path that only the shell can assemble. Then it
/// is unknown which files it runs, so exactly those cannot be trusted.
pub fn workspace_files(workspace: &Path, home: Option<&Path>, command: &str) -> Result<Vec<PathBuf>, String> {
    // The shell joins such lines first.
    let mut spelled = with_folder(&command.replace("\\\n", ""), WORKSPACE_VARIABLE, workspace);
    if let Some(home) = home {
        spelled = with_folder(&spelled, "HOME", home);
    }
    // A process's working directory is often the workspace.
    let unclear = [WORKSPACE_VARIABLE, "/proc/"].into_iter().find(|name| spelled.contains(name));
    if let Some(name) = unclear {
        return Err(name.to_owned());
    }
    let (mut files, real) = (Vec::new(), resolve(workspace).unwrap_or_default());
    for word in words(&spelled).filter_map(|word| spelled.get(word)) {
        let expanded = match (word.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => home.join(rest),
            _ => PathBuf::from(word),
        };
        match workspace_file(workspace, &expanded) {
            Some(file) => files.push(file),
            // Other programs' relative paths are not resolved in the workspace.
            None if expanded.is_relative() => {}
            None => {
                let path = clean(&expanded);
                let is_inside = |path: &Path| is_within(path, workspace) || is_within(path, &real);
                if is_inside(&path) || resolve(&path).is_ok_and(|path| is_inside(&path)) {
                    return Err(word.to_owned());
                }
            }
        }
    }
    Ok(files)
}

/// The command with a variable replaced by its folder wherever a path follows.
fn with_folder(command: &str, variable: &str, folder: &Path) -> String {
    let ways = [
        format!("\"${{{variable}}}\"/"),
        format!("\"${variable}\"/"),
        format!("${{{variable}}}/"),
        format!("${variable}/"),
    ];
    let path = format!("{}/", folder.display());
    ways.iter().fold(command.to_owned(), |command, way| command.replace(way, &path))
}

/// The command with the workspace's path prepended to each relative path that is a file there.
pub(crate) fn with_workspace_files(workspace: &Path, command: &str) -> String {
    let (mut result, mut end) = (String::new(), 0);
    for word in words(command) {
        let (Some(before), Some(path)) = (command.get(end..word.start), command.get(word.clone())) else { continue };
        // After a `$` comes the name of a variable, even if a folder has the same name.
        let is_path = path.contains('/') && !path.starts_with('/') && !before.ends_with('$');
        if is_path && workspace_file(workspace, Path::new(path)).is_some() {
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
        // Non-ASCII characters between words are white space.
        at += word.len() + command.get(start + word.len()..)?.chars().next().map_or(0, char::len_utf8);
        (!word.is_empty()).then(|| start..start + word.len())
    })
}

fn workspace_file(workspace: &Path, path: &Path) -> Option<PathBuf> {
    let real = resolve(&absolute(workspace, path)).ok()?;
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
    fn other_uses_of_workspace_files_in_a_command_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let home = fs::canonicalize(folder.path()).unwrap();
        let workspace = home.join("w");
        for file in ["w/bin/pw", "w/my dir/pw", "bin/pw"] {
            write_atomic(&home.join(file), b"x").unwrap();
        }
        symlink(&workspace, home.join("link")).unwrap();
        let within = |path: &str| workspace.join(path).display().to_string();
        for (command, expected) in [
            ("cd \"$workspaceRoot/bin\" && ./pw", Err(within("bin"))),
            ("cd \"$workspaceRoot\"; bin/pw", Err(WORKSPACE_VARIABLE.to_owned())),
            ("\"$workspaceRoot/bin\"/pw", Err(within("bin"))),
            ("\"$workspaceRoot/my dir/pw\"", Err(within("my"))),
            ("cd $works\\\npaceRoot; bin/pw", Err(WORKSPACE_VARIABLE.to_owned())),
            ("${workspaceRoot:?}/bin/pw", Err(WORKSPACE_VARIABLE.to_owned())),
            ("sh $workspaceRoot/bin/*", Err(within("bin/*"))),
            ("PATH=$workspaceRoot/bin:$PATH pw", Err(within("bin:"))),
            ("cd ~/w/bin && ./pw", Err("~/w/bin".to_owned())),
            ("cd ~/link/bin && ./pw", Err("~/link/bin".to_owned())),
            ("cd $HOME/w && bin/pw", Err(within(""))),
            ("sh /proc/$PPID/cwd/bin/pw", Err("/proc/".to_owned())),
            ("$workspaceRoot/bin/none", Err(within("bin/none"))),
            ("~/w/bin/pw", Ok(vec![workspace.join("bin/pw")])),
            ("\"$HOME\"/w/bin/pw; ~/bin/pw", Ok(vec![workspace.join("bin/pw")])),
            ("cd ~/bin && ./pw", Ok(Vec::new())),
        ] {
            let expected = expected.map_err(|word| word.trim_end_matches('/').to_owned());
            let found = workspace_files(&workspace, Some(&home), command);
            assert_eq!(found.map_err(|word| word.trim_end_matches('/').to_owned()), expected, "{command}");
        }
    }

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
            // The shell finds the program by name.
            ("make -s", &["make"], "make -s"),
            ("bin/out ../out bin bin/none", &[], "bin/out ../out bin bin/none"),
        ] {
            let expected: Vec<PathBuf> = files.iter().map(|file| workspace.join(file)).collect();
            assert_eq!(workspace_files(&workspace, None, command), Ok(expected), "{command}");
            assert_eq!(with_workspace_files(&workspace, command), runs, "{command}");
        }
    }
}
