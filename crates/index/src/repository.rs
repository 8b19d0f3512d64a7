//! The name of a repository in an index shared by several checkouts: the URL of git's `origin`, without parts that may
//! differ between clones. It is read from git's own files, with a size limit and without following links; included
//! files are not read.

use std::fs;
use std::path::{Path, PathBuf};

use refdesk_files::Folder;

/// Size limit of git's configuration in bytes; a larger one is not read.
const CONFIG_LIMIT: u64 = 256 * 1024;

/// Size limit in bytes of a file with the path of a folder; a larger one is not git's.
const LINK_LIMIT: u64 = 8 * 1024;

/// Longer names, in bytes, are not used.
const NAME_LIMIT: usize = 1_000;

/// The name of the repository that contains a workspace; `None` if its `origin` is not on another machine.
pub fn shared_name(workspace: &Path) -> Option<String> {
    let workspace = fs::canonicalize(workspace).ok()?;
    let root = workspace.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok())?;
    let name = normalized(&origin(&configuration(root)?)?)?;
    let below = workspace.strip_prefix(root).ok()?.to_str()?;
    let name = if below.is_empty() { name } else { format!("{name}/{below}") };
    (name.len() <= NAME_LIMIT && !name.chars().any(char::is_control)).then_some(name)
}

/// The text of a repository's configuration; for a linked work tree, that of the main repository.
fn configuration(root: &Path) -> Option<String> {
    let folder = Folder::root(root).ok()?;
    if let Ok(git) = folder.below(Path::new(".git")) {
        return text(&git, "config", CONFIG_LIMIT);
    }
    let linked = text(&folder, ".git", LINK_LIMIT)?;
    let linked = root.join(linked.strip_prefix("gitdir:")?.trim());
    let git = Folder::root(&linked).ok()?;
    // A file that came with the workspace may name any repository, so that repository must name the workspace, too.
    let named_back = fs::canonicalize(linked.join(text(&git, "gitdir", LINK_LIMIT)?.trim())).ok()?;
    if named_back != root.join(".git") {
        return None;
    }
    let common: PathBuf = linked.join(text(&git, "commondir", LINK_LIMIT)?.trim());
    text(&Folder::root(&common).ok()?, "config", CONFIG_LIMIT)
}

fn text(folder: &Folder, name: &str, limit: u64) -> Option<String> {
    let (bytes, is_cut) = folder.read(name, limit).ok()?;
    if is_cut { None } else { String::from_utf8(bytes).ok() }
}

/// The first URL of `origin` in a git configuration.
fn origin(configuration: &str) -> Option<String> {
    let mut is_origin = false;
    for line in configuration.lines().map(str::trim) {
        let mut setting = line;
        if let Some(header) = line.strip_prefix('[') {
            let (header, rest) = header.split_once(']')?;
            let (section, name) = header.split_once(char::is_whitespace).unwrap_or((header, ""));
            is_origin = section.eq_ignore_ascii_case("remote") && name.trim() == "\"origin\"";
            setting = rest.trim();
        }
        let Some((key, value)) = setting.split_once('=') else { continue };
        if is_origin && key.trim().eq_ignore_ascii_case("url") {
            return Some(unquoted(value.trim()));
        }
    }
    None
}

/// A value as git parses it: up to a comment, without quotes.
fn unquoted(value: &str) -> String {
    let mut is_quoted = false;
    let mut is_escaped = false;
    let mut text = String::new();
    for char in value.chars() {
        match char {
            _ if is_escaped => {
                text.push(char);
                is_escaped = false;
            }
            '\\' => is_escaped = true,
            '"' => is_quoted = !is_quoted,
            '#' | ';' if !is_quoted => break,
            _ => text.push(char),
        }
    }
    text.trim().to_owned()
}

/// Host and path of a URL, without scheme, user, password, default port and `.git`; `None` for a path on this machine.
fn normalized(url: &str) -> Option<String> {
    let (scheme, authority, path) = match url.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_once('/')?;
            (scheme.to_ascii_lowercase(), authority, path)
        }
        None => {
            // The form of scp: user@host:path. A single letter is a Windows drive.
            let (authority, path) = url.split_once(':').filter(|(host, _)| host.len() > 1 && !host.contains('/'))?;
            ("ssh".to_owned(), authority, path)
        }
    };
    let usual_port = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        "git" => ":9418",
        "ssh" | "git+ssh" | "ssh+git" => ":22",
        _ => return None,
    };
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host).to_lowercase();
    let host = host.strip_suffix(usual_port).unwrap_or(&host);
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_matches('/');
    (!host.is_empty() && !path.is_empty()).then(|| format!("{host}/{path}"))
}

#[cfg(test)]
#[allow(clippy::disallowed_methods, reason = "tests plant files of any kind")]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn urls_of_one_repository_are_equal() {
        for url in [
            "https://git.example/team/app",
            "https://git.example/team/app.git",
            "https://ann:s3cret@Git.Example:443/team/app.git/",
            "http://git.example/team/app",
            "ssh://git@git.example/team/app.git",
            "ssh://git@git.example:22/team/app.git",
            "git@git.example:team/app.git",
            "git@git.example:/team/app",
            "git://git.example:9418/team/app.git",
        ] {
            assert_eq!(normalized(url).as_deref(), Some("git.example/team/app"), "{url}");
        }
        assert_eq!(normalized("ssh://git@git.example:2222/a").as_deref(), Some("git.example:2222/a"));
        for path in
            ["", "/srv/git/app.git", "../app", "file:///srv/app", "C:\\app", "https://", "https://host", "a/b:c"]
        {
            assert_eq!(normalized(path), None, "{path}");
        }
    }

    #[test]
    fn the_url_of_origin_is_read_as_git_reads_it() {
        for (text, expected) in [
            ("[remote \"origin\"]\n\turl = https://a/b\n", Some("https://a/b")),
            ("[core]\nbare = false\n[Remote \"origin\"] URL=x # it\nurl = y", Some("x")),
            ("[remote \"origin\"]\nfetch = +refs\nurl = \"a#b\" ; it", Some("a#b")),
            ("[remote \"other\"]\nurl = x\n[remote \"Origin\"]\nurl = y", None),
            ("[remote]\nurl = x\n# [remote \"origin\"]\n; url = y", None),
            ("[remote \"origin\"\nurl = x", None),
            ("", None),
            ("\0[", None),
        ] {
            assert_eq!(origin(text).as_deref(), expected, "{text:?}");
        }
    }

    fn git(folder: &Path, args: &[&str]) {
        let mut git = Command::new("git");
        git.current_dir(folder).args(["-c", "user.name=t", "-c", "user.email=t@example.org"]).args(args);
        let done = git.output().unwrap();
        assert!(done.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    #[test]
    fn clones_work_trees_and_folders_of_a_repository_have_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        for name in ["app", "clone"] {
            fs::create_dir(root.join(name)).unwrap();
            git(&root.join(name), &["init", "-q"]);
        }
        assert_eq!(shared_name(&root.join("app")), None);
        git(&root.join("app"), &["remote", "add", "origin", "git@git.example:team/app.git"]);
        git(&root.join("clone"), &["remote", "add", "origin", "https://git.example/team/app"]);
        git(&root.join("app"), &["commit", "-q", "--allow-empty", "-m", "First"]);
        git(&root.join("app"), &["worktree", "add", "-q", "../tree"]);
        fs::create_dir(root.join("app/part")).unwrap();
        let name = |path: &str| shared_name(&root.join(path));
        for same in ["app", "clone", "tree"] {
            assert_eq!(name(same).as_deref(), Some("git.example/team/app"), "{same}");
        }
        assert_eq!(name("app/part").as_deref(), Some("git.example/team/app/part"));
        // A folder that only claims to be a work tree of the repository.
        fs::create_dir(root.join("planted")).unwrap();
        fs::copy(root.join("tree/.git"), root.join("planted/.git")).unwrap();
        assert_eq!(name("planted"), None);
        assert_eq!(name("none"), None);
    }
}
