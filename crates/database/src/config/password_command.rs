//! Finds the files of the workspace that a password command names. The command runs in an empty folder, where a relative
//! path leads to nothing, and gets copies of these files; so only a path that it spells out can lead into the workspace
//! itself, and is refused.

use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use refdesk_files::output::resolve;
use refdesk_files::path::{clean, is_within};

/// The environment variable through which the command finds the files of the workspace that it names: copies of them.
pub(crate) const WORKSPACE_VARIABLE: &str = "workspaceRoot";

/// Stands for the path of the files of the workspace.
const MARK: char = '\u{1}';

/// Stands for the home folder's path.
const HOME: char = '\u{2}';

/// Stands for text that only the shell knows.
const UNKNOWN: char = '\u{3}';

const WILDCARDS: [char; 3] = ['*', '?', '['];

/// A file of the workspace that a command names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedFile {
    /// The path below the workspace by which the command finds it, without links resolved.
    pub name: PathBuf,
    /// The absolute path without links.
    pub file: PathBuf,
}

/// The regular files of the workspace that a shell command names by their relative paths or with `$workspaceRoot`.
///
/// # Errors
/// It names something else in the workspace, one of its files in another way, a folder above it, or a path that only the
/// shell can assemble; or it changes the folder. Then it is unknown which files it runs, so exactly those cannot be trusted.
pub fn workspace_files(
    workspace: &Path,
    home: Option<&Path>,
    variable: impl Fn(&str) -> Option<String>,
    command: &str,
) -> Result<Vec<NamedFile>, String> {
    let real = resolve(workspace).unwrap_or_else(|_| workspace.to_owned());
    // A process's working directory is often the workspace.
    let roots = [workspace.to_owned(), real, PathBuf::from("/proc")];
    let places = Places { roots, home: home.unwrap_or(Path::new("/")) };
    // The shell joins such lines first.
    let runs = with_workspace_files(workspace, command).replace("\\\n", "");
    // A character written as its number, as in `\57` for a slash, is replaced only later, by the shell or a program.
    let unquoted = runs.replace(['\'', '"'], "");
    let is_digit = |char: char| char.is_digit(8);
    let is_number = |text: &&str| match text.strip_prefix(is_digit) {
        Some(rest) => rest.starts_with(is_digit),
        None => text.starts_with(['x', 'u', 'U']),
    };
    if let Some(text) = unquoted.split('\\').skip(1).find(is_number) {
        return Err(format!("\\{}", text.split(is_between).next().unwrap_or_default()));
    }
    let unbraced = runs.replace("${", "$");
    let names = unbraced.split(|char| !is_name(char) && char != '$').filter_map(|name| name.split('$').next());
    // The command may assign these, and the shell assigns the last three.
    let assigned: BTreeSet<&str> = names.chain(["PWD", "OLDPWD", "_"]).collect();
    let is_plain = |value: &String| value.len() < 256 && !value.contains(|it| is_between(it) || "\\*?[".contains(it));
    let value = |name: &str| match name {
        WORKSPACE_VARIABLE => MARK.to_string(),
        "HOME" => HOME.to_string(),
        _ if assigned.contains(name) => UNKNOWN.to_string(),
        _ => variable(name).filter(is_plain).unwrap_or_else(|| UNKNOWN.to_string()),
    };
    // The operator in awk's `$1 ~ /name/` is not the home folder.
    let spelled = expanded(&runs, value).replace(" =~ ", " ");
    let spelled = spelled.replace(&format!("{UNKNOWN} ~ /"), &format!("{UNKNOWN} /"));
    if let Some(name) = [WORKSPACE_VARIABLE, "/proc/"].into_iter().find(|name| spelled.contains(name)) {
        return Err(name.to_owned());
    }
    // Such a path is not one word.
    let mut wholes = places.roots.iter().map(|root| root.display().to_string());
    if let Some(whole) = wholes.find(|whole| whole.contains(is_between) && spelled.contains(whole)) {
        return Err(whole);
    }
    let (mut files, mut known) = (Vec::new(), BTreeSet::new());
    for word in spelled.split(is_between) {
        let Some(path) = places.path(word).filter(|path| places.has(path, is_within)) else { continue };
        let is_clear = !known.insert(clean(&path)) || !is_ambiguous(&path);
        let file = workspace_file(workspace, &path).filter(|_| is_clear);
        // Only what is found through the variable leads to the copies.
        let name = word.strip_prefix(MARK).map(|name| clean(Path::new(name.trim_start_matches('/'))));
        let named = name.zip(file).map(|(name, file)| NamedFile { name, file });
        files.push(named.ok_or_else(|| places.written(word))?);
    }
    // Quotes do not matter here: quoted text may be the command of another shell.
    let plain = spelled.replace('\\', "").replace("$'", "").replace("$\"", "").replace(['\'', '"'], "");
    let plain = plain.replace(&format!("HOME={HOME} "), " ");
    let is_named =
        |path: &Path| workspace_file(workspace, path).is_some_and(|file| files.iter().any(|it| it.file == file));
    let words = || plain.split(is_between).filter(|word| !word.is_empty());
    let is_root = |word: &str| places.path(word).is_some_and(|path| clean(&path) == Path::new("/"));
    let is_in_root = words().any(is_root);
    let leads_from_root = |word: &str| word == "find" || from_root(word).any(|path| places.hides(&path, is_named));
    let is_refused = |word: &&str| {
        places.hides(word, is_named) || places.leads_from_above(word) || (is_in_root && leads_from_root(word))
    };
    let refused = words().find(is_refused);
    refused.map_or(Ok(files), |word| Err(places.written(word)))
}

/// The folders that matter for the words of a command.
struct Places<'p> {
    /// What no word may lead into, except files of the first: the workspace, the same with links resolved, and `/proc`.
    roots: [PathBuf; 3],
    home: &'p Path,
}

impl Places<'_> {
    /// A word as the user knows it.
    fn written(&self, word: &str) -> String {
        let [workspace, ..] = &self.roots;
        let with_workspace = word.replace(MARK, &workspace.display().to_string());
        with_workspace.replace(HOME, &self.home.display().to_string()).replace(UNKNOWN, "…")
    }

    /// The absolute path in a word: all of it, or what follows an option, as in `-C/folder`. A relative one leads nowhere.
    fn path(&self, word: &str) -> Option<PathBuf> {
        let start = match word.chars().next()? {
            '/' | '~' => 0,
            '-' | '@' => word.find(['/', MARK, HOME])?,
            _ => word.find([MARK, HOME])?,
        };
        let path = self.written(word.get(start..)?);
        Some(
            path.strip_prefix('~').map_or_else(|| path.clone(), |rest| format!("{}{rest}", self.home.display())).into(),
        )
    }

    /// Whether a path, as written or with links resolved, has this relation to one of the roots.
    fn has(&self, path: &Path, relation: impl Fn(&Path, &Path) -> bool) -> bool {
        let has = |path: &Path| self.roots.iter().any(|root| relation(path, root));
        has(&clean(path)) || resolve(path).is_ok_and(|path| has(&path))
    }

    /// Whether a path, relative or in the home folder, leads to a file of the workspace from there or a folder above: the
    /// command may change to that folder, or make it the home folder, in a way that is not recognized.
    fn leads_from_above(&self, word: &str) -> bool {
        let [workspace, real, _] = &self.roots;
        let path = word.strip_prefix(['~', HOME]).map_or(word, |rest| rest.trim_start_matches('/'));
        let mut paths = workspace.ancestors().chain(real.ancestors()).map(|folder| folder.join(path));
        path.contains('/')
            && !path.starts_with(['/', MARK])
            && paths.any(|path| workspace_file(workspace, &path).is_some())
    }

    /// Whether a word hides which files the command runs.
    fn hides(&self, word: &str, is_named: impl Fn(&Path) -> bool) -> bool {
        let is_in_other_home = word.strip_prefix('~').is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
        let begins_unknown = word.split_once('/').is_some_and(|(before, _)| before.contains(UNKNOWN));
        let has_inner_mark = word.rfind(MARK).is_some_and(|at| at > 0);
        // Behind a link, it leads elsewhere than among the copies.
        let goes_up = word.starts_with(MARK) && word.split('/').any(|part| part == "..");
        let changes_folder = ["cd", "chdir", "pushd", "eval", "HOME"].contains(&word);
        if changes_folder || is_in_other_home || begins_unknown || has_inner_mark || goes_up {
            return true;
        }
        let (known, is_open) = match word.split_once(UNKNOWN).and_then(|(known, _)| known.rsplit_once('/')) {
            Some((folder, _)) => (format!("{folder}/"), true),
            None => (word.to_owned(), false),
        };
        if climbs(&known) {
            return true;
        }
        let Some(path) = self.path(&known) else { return false };
        match known.contains(WILDCARDS) {
            true => known.starts_with(['~', HOME]) || self.has(&path, may_match),
            false if self.has(&path, is_within) => is_open || !word.starts_with(MARK) || !is_named(&path),
            // The root is seldom a folder: slashes separate, as in `cut -d/`, or end an expression of `sed`.
            false => self.has(&path, |path, root| is_within(root, path) && (is_open || path.parent().is_some())),
        }
    }
}

/// The paths that a word without a folder may stand for in the root: itself or, in an option such as `-Cfolder`, each end of
/// it. A short word such as `*//` is usual in an expression of `sed`.
fn from_root(word: &str) -> impl Iterator<Item = String> {
    let is_expression = word.starts_with(WILDCARDS) && word.split('/').filter(|part| !part.is_empty()).count() < 4;
    let is_relative = word.starts_with(|c: char| c.is_alphanumeric() || "._-*?[".contains(c)) && !is_expression;
    let starts = if word.starts_with('-') { 1..word.len() } else { 0..1 };
    starts.filter(move |_| is_relative).filter_map(|at| Some(format!("/{}", word.get(at..)?)))
}

/// Whether a pattern may stand for a path in a folder, or for a folder above it.
fn may_match(pattern: &Path, folder: &Path) -> bool {
    pattern.components().zip(folder.components()).all(|(part, name)| {
        let (part, name) = (part.as_os_str().to_string_lossy(), name.as_os_str().to_string_lossy());
        let Some((before, _)) = part.split_once(WILDCARDS) else { return part == name };
        let after = part.rsplit_once(['*', '?', ']']).map_or("", |(_, after)| after);
        name.starts_with(before) && (after.contains('[') || name.ends_with(after))
    })
}

/// Whether a relative path may lead out of the folder in which the command runs. A part such as `.*` can match `..`, but one
/// such part is usual in an expression of `sed`, and does not lead far.
fn climbs(word: &str) -> bool {
    let may_match = |part: &str| part.starts_with('.') && part.contains(WILDCARDS);
    let is_parent = |part: &str| part == ".." || (part.starts_with('-') && part.ends_with("..")) || may_match(part);
    let path: PathBuf = word.split('/').map(|part| if is_parent(part) { ".." } else { part }).collect();
    let up = clean(&path).components().take_while(|part| *part == Component::ParentDir).count();
    up > usize::from(word.split('/').any(may_match))
}

/// Whether another file has a name that begins with this one's and goes on with a character that ends a word here, so that
/// the shell may read that file.
fn is_ambiguous(file: &Path) -> bool {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name()) else { return true };
    let goes_on =
        |other: &str| other.strip_prefix(&*name.to_string_lossy()).is_some_and(|more| more.starts_with(is_between));
    let mut others = fs::read_dir(folder).into_iter().flatten().flatten();
    others.any(|other| goes_on(&other.file_name().to_string_lossy()))
}

/// The command with the values of variables. Other expansions are unknown, and the text in them is words of its own.
fn expanded(command: &str, value: impl Fn(&str) -> String) -> String {
    let (mut result, mut rest) = (String::new(), command);
    // Whether each open parenthesis begins a substitution, and whether a backtick is open.
    let (mut parentheses, mut in_backticks) = (Vec::new(), false);
    loop {
        if let Some((name, after)) = variable_at(rest) {
            result.push_str(&value(name));
            rest = after;
            continue;
        }
        let mut chars = rest.chars();
        let Some(char) = chars.next() else { return result };
        match (char, chars.clone().next().unwrap_or_default()) {
            ('$', '(') => {
                parentheses.push(true);
                result.extend([UNKNOWN, ' ']);
                chars.next();
            }
            ('$', '{') => result.push(UNKNOWN),
            // A pattern of bash, as in `@(one|two)`.
            ('@' | '+' | '!' | '?', '(') => result.push('*'),
            ('$', next) if next.is_ascii_digit() || "@*#?!$-".contains(next) => {
                result.push(UNKNOWN);
                chars.next();
            }
            ('`', _) => {
                in_backticks = !in_backticks;
                result.extend(if in_backticks { [UNKNOWN, ' '] } else { [' ', UNKNOWN] });
            }
            ('(', _) => {
                parentheses.push(false);
                result.push(char);
            }
            (')', _) if parentheses.pop() == Some(true) => result.extend([' ', UNKNOWN]),
            ('{', _) => result.extend([UNKNOWN, ' ']),
            ('}', _) => result.extend([' ', UNKNOWN]),
            _ => result.push(char),
        }
        rest = chars.as_str();
    }
}

/// The name of the variable that a text begins with, and what follows: `$NAME`, `${NAME}`, or one of them in quotes before a
/// slash.
fn variable_at(text: &str) -> Option<(&str, &str)> {
    let quoted = text.strip_prefix('"');
    let text = quoted.unwrap_or(text).strip_prefix('$')?;
    let braced = text.strip_prefix('{');
    let text = braced.unwrap_or(text);
    let (name, after) = text.split_at_checked(text.find(|char| !is_name(char)).unwrap_or(text.len()))?;
    let after = if braced.is_some() { after.strip_prefix('}')? } else { after };
    let after = if quoted.is_some() { after.strip_prefix('"').filter(|after| after.starts_with('/'))? } else { after };
    name.starts_with(|char: char| !char.is_ascii_digit()).then_some((name, after))
}

fn is_name(char: char) -> bool {
    char.is_ascii_alphanumeric() || char == '_'
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

/// Whether a character ends a word, also of a list, as in `PATH=/bin:/sbin`.
fn is_between(char: char) -> bool {
    char.is_whitespace() || "'\";|&()=<>`$:,".contains(char)
}

fn words(command: &str) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    command.split(is_between).filter_map(move |word| {
        let start = at;
        // Non-ASCII characters between words are white space.
        at += word.len() + command.get(start + word.len()..)?.chars().next().map_or(0, char::len_utf8);
        (!word.is_empty()).then(|| start..start + word.len())
    })
}

fn workspace_file(workspace: &Path, path: &Path) -> Option<PathBuf> {
    let real = resolve(&workspace.join(path)).ok()?;
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
        for file in ["w/bin/pw", "w/my dir/pw", "w/two/pw", "w/two/pw x", "bin/pw"] {
            write_atomic(&home.join(file), b"x").unwrap();
        }
        symlink(&workspace, home.join("link")).unwrap();
        let within = |path: &str| workspace.join(path).display().to_string();
        let at_home = |path: &str| home.join(path).display().to_string();
        let pw = || Ok(vec![workspace.join("bin/pw")]);
        let files = |found: Vec<NamedFile>| found.into_iter().map(|it| it.file).collect::<Vec<_>>();
        let from_root = at_home("w/bin/pw").trim_start_matches('/').to_owned();
        let (first, rest) = from_root.split_once('/').unwrap();
        let shown = from_root.as_str();
        let variable = |name: &str| match name {
            "USER" => Some("ann".to_owned()),
            "XDG_CONFIG_HOME" => Some(at_home(".config")),
            "PROJECTS" => Some(home.display().to_string()),
            "PATH" => Some("/bin:/usr/bin".to_owned()),
            _ => None,
        };
        for (command, expected) in [
            ("cd \"$workspaceRoot/bin\" && ./pw", Err(within("bin"))),
            ("cd \"$workspaceRoot\"; bin/pw", Err(within(""))),
            ("\"$workspaceRoot/bin\"/pw", Err(within("bin"))),
            ("\"$workspaceRoot/my dir/pw\"", Err(within("my"))),
            ("cd $works\\\npaceRoot; bin/pw", Err(within(""))),
            ("${workspaceRoot:?}/bin/pw", Err(WORKSPACE_VARIABLE.to_owned())),
            ("sh $workspaceRoot/bin/*", Err(within("bin/*"))),
            ("PATH=$workspaceRoot/bin:$PATH pw", Err(within("bin"))),
            ("cd ~/w/bin && ./pw", Err("~/w/bin".to_owned())),
            ("cd ~/link/bin && ./pw", Err("~/link/bin".to_owned())),
            ("cd $HOME/w && bin/pw", Err(within(""))),
            ("sh /proc/$PPID/cwd/bin/pw", Err("/proc/".to_owned())),
            ("$workspaceRoot/bin/none", Err(within("bin/none"))),
            // Files of the workspace that are not found through the copies.
            ("~/w/bin/pw", Err("~/w/bin/pw".to_owned())),
            ("\"$HOME\"/w/bin/pw; ~/bin/pw", Err(within("bin/pw"))),
            ("sh ./bin/pw; sh ~/''w'/bin'/pw", Err("~/w/bin/pw".to_owned())),
            ("sh ./bin/pw; sh ~/link/bin/pw", Err("~/link/bin/pw".to_owned())),
            ("sh \"$workspaceRoot\"/../bin/pw", Err(within("../bin/pw"))),
            ("sh bin/../bin/pw", Err(within("bin/../bin/pw"))),
            ("sh \"$workspaceRoot\"/'..'/bin/pw", Err(within(""))),
            ("cd ~/bin && ./pw", Err("cd".to_owned())),
            ("find / -name pw -exec sh {} +", Err("find".to_owned())),
            ("find /// -name pw -exec sh {} +", Err("find".to_owned())),
            ("bash -c \"sh $'\\57tmp'\"", Err("\\57tmp".to_owned())),
            ("sh \"$(printf '\\5''7tmp')\"", Err("\\57tmp".to_owned())),
            ("c=c; ${c}d; sh w/bin/pw", Err("w/bin/pw".to_owned())),
            ("for HOME in /; do sh ./bin/pw; done", Err("HOME".to_owned())),
            ("echo / | { read HOME; sh ./bin/pw; }", Err("HOME".to_owned())),
            ("cut -d/ -f2 ~/.secret | tr / _ | grep 'x$'", Ok(Vec::new())),
            ("w=workspace; eval c''d \\$${w}Root; sh bin/pw", Err("eval".to_owned())),
            ("c\\d ~/b* && sh bin/pw", Err("cd".to_owned())),
            ("sh /pro?/$PPID/cwd/bin/pw", Err("/pro?/…/cwd/bin/pw".to_owned())),
            ("sh -c 'sh /pro?/$PPID/cwd/bin/pw'", Err("/pro?/…/cwd/bin/pw".to_owned())),
            ("sh ~/../*/bin/pw", Err("~/../*/bin/pw".to_owned())),
            ("sh ~ann/w/bin/pw", Err("~ann/w/bin/pw".to_owned())),
            ("sh ~/{w,x}/bin/pw", Err("~/…".to_owned())),
            ("sh ~/\\w/bin/pw", Err("~/w/bin/pw".to_owned())),
            ("sh ~/''w'/bin'/pw", Err("~/w/bin/pw".to_owned())),
            ("bash -c \"sh ~/''w'/bin'/pw\"", Err("~/w/bin/pw".to_owned())),
            // A folder of programs, or an attached option.
            ("PATH=$PATH:$workspaceRoot/bin pw", Err(within("bin"))),
            ("PATH=$PATH:$HOME/w/bin pw", Err(within("bin"))),
            ("PATH=$PATH:~/link/bin pw", Err("~/link/bin".to_owned())),
            ("env -i PATH=/bin:$workspaceRoot/bin pw", Err(within("bin"))),
            ("sh -c 'PATH=/bin:$workspaceRoot/bin; pw'", Err(within("bin"))),
            ("awk -f$workspaceRoot/bin/pw", Err(format!("-f{}", within("bin/pw")))),
            ("make -sC$workspaceRoot/. pw", Err(format!("-sC{}", within(".")))),
            ("make -sC$HOME/w pw", Err(format!("-sC{}", within("")))),
            (". $workspaceRoot/bin/pw", pw()),
            ("sh <<X\n. $workspaceRoot//bin/pw\nX", pw()),
            ("alias a='sh ~/w/bin'; a/pw", Err("~/w/bin".to_owned())),
            // The shell may read 'pw x'.
            ("sh \"$workspaceRoot/two/pw x\"", Err(within("two/pw"))),
            // A folder above the workspace.
            ("make -C ~ -f w/Makefile pw", Err("~".to_owned())),
            ("find \"$HOME\" -name pw -exec sh {} +", Err(at_home(""))),
            ("git -C$HOME -C w pw", Err(format!("-C{}", at_home("")))),
            ("make -C $PROJECTS/w pw", Err(within(""))),
            ("H=$HOME; make -C $H/w pw", Err(at_home(""))),
            ("HOME=/; sh ./bin/pw", Err("HOME".to_owned())),
            ("chdir w && make -s pw", Err("chdir".to_owned())),
            // Paths that only the shell can assemble.
            ("make -C ${HOME%/*}/ann/w", Err("…/ann/w".to_owned())),
            ("d=w; make -C ~/$d pw", Err("~/…".to_owned())),
            ("make -C ~/$(echo w) pw", Err("~/…".to_owned())),
            ("make -C `echo ~/x`/w pw", Err("…/w".to_owned())),
            ("make -C $OLDPWD/w pw", Err("…/w".to_owned())),
            ("make -C $1/w pw", Err("…/w".to_owned())),
            ("sh /*/w/bin/pw", Err("/*/w/bin/pw".to_owned())),
            // It runs in an empty folder.
            ("make -sC w pw; make -sCw pw; find w -name pw -exec sh {} +; sh x/bin/pw", Ok(Vec::new())),
            ("make -C ../../w pw", Err("../../w".to_owned())),
            ("make -C../../w pw", Err("-C../../w".to_owned())),
            ("sh .?/.?/w/bin/pw", Err(".?/.?/w/bin/pw".to_owned())),
            ("pass show db/main", Ok(Vec::new())),
            ("pass show w", Ok(Vec::new())),
            ("op read 'op://vault/item?attribute=otp'", Ok(Vec::new())),
            ("op read op://vault/item?attribute=otp", Ok(Vec::new())),
            ("op read \"op://work/db/$STAGE\" | sed 's/^pw: *//; s/ *= */ /'", Ok(Vec::new())),
            ("pass show shop/$STAGE | sed -n 's/ *\\([^ ]*\\) */\\1/p' | tr / _", Ok(Vec::new())),
            ("grep '^..:' ~/.secret | grep -Eo '[0-9]+(x|y)?(z)$' | tr -d /", Ok(Vec::new())),
            ("perl -ne '/^db\\s+(\\S+)/ && print $1' ~/.secret", Ok(Vec::new())),
            ("security find-generic-password -s x -w | cut -d'/' -f2", Ok(Vec::new())),
            ("aws secretsmanager get-secret-value --secret-id prod/db --query 'a[?b].c'", Ok(Vec::new())),
            ("sh -c 'cat ~/.secrets/db'", Ok(Vec::new())),
            ("aws ssm get-parameter --name \"/shop/$STAGE/db\" --with-decryption", Ok(Vec::new())),
            ("cat \"$XDG_CONFIG_HOME/shop/pw\" /home/$USER/.pw ~/.secrets/$(hostname)", Ok(Vec::new())),
            ("env -i HOME=$HOME PATH=$PATH:/opt/bin gpg -qd ~/.pw.gpg", Ok(Vec::new())),
            ("PASSWORD_STORE_DIR=~/.store pass show shop/db | head -n1", Ok(Vec::new())),
            ("sed -n 's/^pw: *//p' ~/.secret", Ok(Vec::new())),
            ("sed -n '/^db/,/^$/s/.*=//p' ~/.secret; sed 's|.*/||' ~/.secret", Ok(Vec::new())),
            ("sed -E 's/(.*): (.*)/\\2/; s/[^=]*=//g' ~/.secret", Ok(Vec::new())),
            ("grep -o '[^/]*$' ~/.secret", Ok(Vec::new())),
            ("cut -d= -f2 ~/.secret | sed 's/ *#.*//' | tr / _ | cut -d/ -f1", Ok(Vec::new())),
            ("jq -r '.db[\"pw\"]' ~/.secret.json | sed 's/\\/.*//'", Ok(Vec::new())),
            ("awk -F/ '/[Pp]assword/ {print $2}' ~/.secret", Ok(Vec::new())),
            ("awk '$1 ~ /^pw/ {print $NF}' ~/.secret", Ok(Vec::new())),
            ("perl -ne 'print $1 if $_ =~ /pw: (.*)/' ~/.secret", Ok(Vec::new())),
        ] {
            let expected = expected.map_err(|word| word.trim_end_matches('/').to_owned());
            let found = workspace_files(&workspace, Some(&home), variable, command).map(files);
            assert_eq!(found.map_err(|word| word.trim_end_matches('/').to_owned()), expected, "{command}");
        }
        // Ways to the workspace's path without its first slash, or with a part of it hidden.
        for (command, expected) in [
            (format!("env -C/ sh {shown}"), from_root.clone()),
            (format!("env -C // sh {shown}"), from_root.clone()),
            (format!("env -C /. sh {shown}"), from_root.clone()),
            (format!("env -C/.// sh {shown}"), from_root.clone()),
            (format!("env -C \"$(echo _ | tr _ x)\" sh {shown}"), from_root.clone()),
            (format!("tar -C // -cf - {shown} | tar -xO | sh"), from_root.clone()),
            (format!("make -C/ -C{first} -s pw"), format!("-C{first}")),
            (format!("env -C/ sh -c 'sh */{rest}'"), format!("*/{rest}")),
            (format!("env -C/ sh -c 'sh {first}/?{}'", &rest[1..]), format!("{first}/?{}", &rest[1..])),
            (format!("u=x; env -C/ sh -c \"sh {first}/$u/w/bin/pw\""), format!("{first}/…/w/bin/pw")),
            (format!("PATH=/bin:/{} pw", at_home("w/bin")), format!("/{}", at_home("w/bin"))),
            (format!("PATH=x:/{} pw", at_home("w/bin")), format!("/{}", at_home("w/bin"))),
            (format!("bash -c 'sh /$\"\"{shown}'"), format!("/{shown}")),
            (format!("bash -c \"sh /$''{shown}\""), format!("/{shown}")),
            (format!("bash -c 'printf -vHOME /; sh ~/{shown}'"), format!("~/{shown}")),
            (format!("bash -O extglob -c 'sh /@({first})/{rest}'"), "/*".to_owned()),
        ] {
            assert_eq!(workspace_files(&workspace, Some(&home), variable, &command), Err(expected), "{command}");
        }
        let workspace = home.join("my w");
        write_atomic(&workspace.join("pw"), b"x").unwrap();
        let found = workspace_files(&workspace, Some(&home), variable, "sh \"$workspaceRoot\"/pw").map(files);
        assert_eq!(found, Ok(vec![workspace.join("pw")]));
        let whole = workspace.display().to_string();
        let found = workspace_files(&workspace, Some(&home), variable, &format!("sh '{whole}/pw'"));
        assert_eq!(found, Err(whole));
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
        fs::create_dir(workspace.join("bin/deep")).unwrap();
        symlink("bin/deep", workspace.join("deep")).unwrap();
        for (command, files, runs) in [
            ("pass show db", &[][..], "pass show db"),
            ("./bin/pw\u{3000}x", &[("bin/pw", "bin/pw")], "\"$workspaceRoot\"/./bin/pw\u{3000}x"),
            (
                "sh -c 'bin/pw; bin/link'",
                &[("bin/pw", "bin/pw"), ("bin/link", "bin/pw")],
                "sh -c '\"$workspaceRoot\"/bin/pw; \"$workspaceRoot\"/bin/link'",
            ),
            ("cat <bin/pw", &[("bin/pw", "bin/pw")], "cat <\"$workspaceRoot\"/bin/pw"),
            ("\"$workspaceRoot\"/bin/pw", &[("bin/pw", "bin/pw")], "\"$workspaceRoot\"/bin/pw"),
            ("\"${workspaceRoot}/bin/pw\"", &[("bin/pw", "bin/pw")], "\"${workspaceRoot}/bin/pw\""),
            ("$workspaceRoot/bin/pw", &[("bin/pw", "bin/pw")], "$workspaceRoot/bin/pw"),
            // The shell finds the program by name, but not here.
            ("make -s", &[], "make -s"),
            ("bin/out out bin bin/none", &[], "bin/out out bin bin/none"),
        ] {
            let named = |(name, file): &(&str, &str)| NamedFile { name: name.into(), file: workspace.join(file) };
            let expected: Vec<NamedFile> = files.iter().map(named).collect();
            assert_eq!(workspace_files(&workspace, None, |_| None, command), Ok(expected), "{command}");
            assert_eq!(with_workspace_files(&workspace, command), runs, "{command}");
        }
        // The shell opens another file than that in the folder above.
        let up = workspace.join("deep/../pw").display().to_string();
        assert_eq!(workspace_files(&workspace, None, |_| None, "cat deep/../pw"), Err(up));
    }
}
