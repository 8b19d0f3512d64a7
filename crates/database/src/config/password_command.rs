//! Finds the files of the workspace that a password command names. The command runs outside the workspace, where `make`
//! or `python -m` would load files that the command does not name and that were never trusted.

use std::ops::Range;
use std::path::{Path, PathBuf};

use refdesk_files::output::resolve;
use refdesk_files::path::{absolute, clean, is_within};

/// The environment variable through which the command gets the workspace's path.
pub(crate) const WORKSPACE_VARIABLE: &str = "workspaceRoot";

/// Stands for the workspace's path.
const MARK: char = '\u{1}';

/// The regular files of the workspace that a shell command names, with links resolved.
///
/// # Errors
/// It names something else in the workspace: a folder that it enters, or a path that only the shell can assemble; or it may
/// do so, with a pattern or after a change of folder. Then it is unknown which files it runs, so exactly those cannot be
/// trusted.
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
    // A path with spaces must stay one word.
    let whole = workspace.display().to_string();
    let spelled = spelled.replace(&format!("{whole}/"), &format!("{MARK}/"));
    let written = |word: &str| word.replace(MARK, &whole);
    let (mut files, real) = (Vec::new(), resolve(workspace).unwrap_or_default());
    // What is not a file of the workspace is looked for where the command runs. Words without a slash are seldom paths.
    let folder = home.unwrap_or(Path::new("/"));
    let elsewhere = |word: &str| match word.contains('/') {
        true => clean(&folder.join(written(word.strip_prefix("~/").unwrap_or(word)))),
        false => PathBuf::new(),
    };
    let is_inside = |path: &Path| is_within(path, workspace) || is_within(path, &real);
    let leads_inside = |word: &str| {
        let path = elsewhere(word);
        let is_path = path.is_absolute() && (word.starts_with(['/', '~', MARK]) || path.exists());
        is_path && (is_inside(&path) || resolve(&path).is_ok_and(|path| is_inside(&path)))
    };
    for word in words(&spelled).filter_map(|word| spelled.get(word)) {
        let file = workspace_file(workspace, Path::new(word));
        match file.or_else(|| workspace_file(workspace, &elsewhere(word))) {
            Some(file) => files.push(file),
            None if leads_inside(word) => return Err(written(word)),
            None => {}
        }
    }
    // Quotes do not matter here: quoted text may be the command of another shell.
    let plain = spelled.replace(['\'', '"', '\\'], "");
    let is_named = |word: &str| workspace_file(workspace, &elsewhere(word)).is_some_and(|file| files.contains(&file));
    let hidden = words(&plain)
        .filter_map(|word| plain.get(word))
        .find(|word| hides(word) || (leads_inside(word) && !is_named(word)))
        .map(written);
    hidden.map_or(Ok(files), Err)
}

/// Whether a word hides which files the command runs: a path with a pattern or in another user's home, or a word that
/// changes the folder or what other words mean.
fn hides(word: &str) -> bool {
    // An address, as in `op://vault/item?attribute=otp`, is not a path.
    let is_path = word.contains('/') && !word.contains("://");
    let has_pattern = word.contains(['*', '?', '[']) || (word.contains('{') && word.contains(','));
    let is_in_other_home = word.starts_with('~') && !word.starts_with("~/");
    ["cd", "pushd", "eval"].contains(&word) || (is_path && (has_pattern || is_in_other_home))
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
            ("cd ~/bin && ./pw", Err("cd".to_owned())),
            ("w=workspace; eval c''d \\$${w}Root; sh bin/pw", Err("eval".to_owned())),
            ("c\\d ~/b* && sh bin/pw", Err("cd".to_owned())),
            ("sh /pro?/$PPID/cwd/bin/pw", Err("/pro?".to_owned())),
            ("sh -c 'sh /pro?/$PPID/cwd/bin/pw'", Err("/pro?".to_owned())),
            ("sh ~/../*/bin/pw", Err("~/../*/bin/pw".to_owned())),
            ("sh ~ann/w/bin/pw", Err("~ann/w/bin/pw".to_owned())),
            ("sh ~/{w,x}/bin/pw", Err("~/{w,x}/bin/pw".to_owned())),
            ("sh ~/\\w/bin/pw", Err("~/w/bin/pw".to_owned())),
            ("sh ~/''w'/bin'/pw", Err("~/w/bin/pw".to_owned())),
            ("bash -c \"sh ~/''w'/bin'/pw\"", Err("~/w/bin/pw".to_owned())),
            // It runs in the home folder.
            ("sh w/bin/pw", Ok(vec![workspace.join("bin/pw")])),
            ("ls w/bin", Err("w/bin".to_owned())),
            ("pass show db/main", Ok(Vec::new())),
            ("pass show w", Ok(Vec::new())),
            ("op read 'op://vault/item?attribute=otp'", Ok(Vec::new())),
            ("op read op://vault/item?attribute=otp", Ok(Vec::new())),
            ("security find-generic-password -s x -w | cut -d'/' -f2", Ok(Vec::new())),
            ("aws secretsmanager get-secret-value --secret-id prod/db --query 'a[?b].c'", Ok(Vec::new())),
            ("sh -c 'cat ~/.secrets/db'", Ok(Vec::new())),
        ] {
            let expected = expected.map_err(|word| word.trim_end_matches('/').to_owned());
            let found = workspace_files(&workspace, Some(&home), command);
            assert_eq!(found.map_err(|word| word.trim_end_matches('/').to_owned()), expected, "{command}");
        }
        let workspace = home.join("my w");
        write_atomic(&workspace.join("pw"), b"x").unwrap();
        let found = workspace_files(&workspace, Some(&home), "sh \"$workspaceRoot\"/pw");
        assert_eq!(found, Ok(vec![workspace.join("pw")]));
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
