//! Checks the README and the book in `docs/` against the program: links work, commands run, and lists are complete.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};

use crate::support::program::{PROGRAM, run};
use crate::support::workspace::Workspace;

const BOOK: &str = "docs/src";

fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(page: &Path) -> String {
    fs::read_to_string(checkout().join(page)).unwrap_or_else(|error| panic!("{}: {error}", page.display()))
}

/// The pages of the book below this folder.
fn book(folder: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in fs::read_dir(checkout().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            pages.extend(book(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    pages
}

fn pages() -> Vec<PathBuf> {
    let top = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "CHANGELOG.md"];
    top.iter().map(PathBuf::from).chain(book(Path::new(BOOK))).collect()
}

/// The targets of a text's links and pictures.
fn links(text: &str) -> Vec<String> {
    let targets = |event| match event {
        Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => Some(dest_url.into_string()),
        _ => None,
    };
    Parser::new(text).filter_map(targets).collect()
}

/// The anchors of a text's headings.
fn anchors(text: &str) -> BTreeSet<String> {
    let (mut anchors, mut heading) = (BTreeSet::new(), None::<String>);
    for event in Parser::new(text) {
        match (event, &mut heading) {
            (Event::Start(Tag::Heading { .. }), _) => heading = Some(String::new()),
            (Event::Text(part) | Event::Code(part), Some(heading)) => heading.push_str(&part),
            (Event::End(TagEnd::Heading(_)), Some(_)) => {
                let kept = |c: char| match c {
                    ' ' => Some('-'),
                    _ if c.is_alphanumeric() || c == '-' || c == '_' => Some(c),
                    _ => None,
                };
                let name = heading.take().unwrap_or_default().to_lowercase();
                anchors.insert(name.chars().filter_map(kept).collect());
            }
            _ => {}
        }
    }
    anchors
}

/// The code blocks with this language after the fence.
fn code(text: &str, language: &str) -> Vec<String> {
    let (mut blocks, mut is_within) = (Vec::<String>::new(), false);
    for event in Parser::new(text) {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if *info == *language => {
                is_within = true;
                blocks.push(String::new());
            }
            Event::Text(part) if is_within => blocks.last_mut().unwrap().push_str(&part),
            Event::End(TagEnd::CodeBlock) => is_within = false,
            _ => {}
        }
    }
    blocks
}

#[test]
fn links_lead_to_files_and_headings() {
    let mut broken = Vec::new();
    for page in pages() {
        let text = read(&page);
        for link in links(&text).into_iter().filter(|link| !link.contains("://")) {
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            // Files outside the book are not part of the built book.
            let is_built = !page.starts_with(BOOK) || path.is_empty() || normal(&target).starts_with(BOOK);
            let is_there = is_built && checkout().join(&target).exists();
            if !is_there || (!anchor.is_empty() && !anchors(&read(&target)).contains(anchor)) {
                broken.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:#?}");
}

/// A path without `..`.
fn normal(path: &Path) -> PathBuf {
    let mut parts = Vec::new();
    for part in path.components() {
        if part == std::path::Component::ParentDir {
            parts.pop();
        } else {
            parts.push(part);
        }
    }
    parts.into_iter().collect()
}

#[test]
fn the_summary_lists_every_page_once() {
    let summary = Path::new(BOOK).join("SUMMARY.md");
    let mut listed: Vec<PathBuf> = links(&read(&summary)).iter().map(|link| Path::new(BOOK).join(link)).collect();
    listed.sort();
    let written: Vec<PathBuf> = book(Path::new(BOOK)).into_iter().filter(|page| *page != summary).collect();
    assert_eq!(listed, written);
}

/// A block marked `sh` must run as it is. The blocks of a page run one after the other, in an empty folder next to a
/// copy of the demo in `assets/demo`. Blocks that cannot run here (they open a screen or install something) are marked
/// `sh,no_run`.
#[test]
fn commands_run() {
    let paths = [Path::new(PROGRAM).parent().unwrap().to_path_buf()];
    let known = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(paths.into_iter().chain(std::env::split_paths(&known))).unwrap();
    let readme = PathBuf::from("README.md");
    for page in [readme].into_iter().chain(book(Path::new(BOOK))) {
        let commands = code(&read(&page), "sh").join("\n");
        if commands.is_empty() {
            continue;
        }
        let world = Workspace::new();
        let demo = "[ -z \"$DEMO\" ] || { mkdir assets && cp -r \"$DEMO\" assets/demo; }\n";
        let needs_demo = commands.contains("assets/demo");
        let mut shell = std::process::Command::new("sh");
        shell.args(["-euc", &format!("{demo}{commands}")]).current_dir(&world.path).env_clear().env("PATH", &path);
        shell.env("HOME", world.beside("home")).env("TMPDIR", world.beside("tmp"));
        shell.env("DEMO", if needs_demo { checkout().join("assets/demo") } else { PathBuf::new() });
        let ran = run(&mut shell, None);
        assert_eq!(ran.code, 0, "{}:\n{ran}", page.display());
    }
}

#[test]
fn the_readme_is_short() {
    let lines = read(Path::new("README.md")).lines().count();
    assert!(lines <= 150, "README.md has {lines} lines");
}

#[test]
fn every_command_is_listed() {
    let page = read(&Path::new(BOOK).join("reference/commands.md"));
    let rows = page.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut listed: Vec<&str> = rows.filter_map(|row| row.split([' ', '`']).next()).collect();
    let program = refdesk::cli::Cli::command();
    let shown = program.get_subcommands().filter(|command| !command.is_hide_set());
    let mut commands: Vec<&str> = shown.map(clap::Command::get_name).collect();
    listed.sort_unstable();
    // Subcommands may have rows of their own.
    listed.dedup();
    commands.sort_unstable();
    assert_eq!(listed, commands);
}

/// The long options of a command and of its subcommands.
fn long_options(command: &clap::Command) -> Vec<&str> {
    let own = command.get_arguments().filter(|argument| !argument.is_hide_set()).filter_map(clap::Arg::get_long);
    own.chain(command.get_subcommands().flat_map(long_options)).collect()
}

#[test]
fn every_option_is_listed_with_its_command() {
    let page = read(&Path::new(BOOK).join("reference/commands.md"));
    let words = |line: &str| -> BTreeSet<String> {
        line.split(|c: char| !c.is_ascii_lowercase() && c != '-').map(str::to_owned).collect()
    };
    let begins = |line: &str, name: &str| {
        line.strip_prefix("| `").and_then(|row| row.split([' ', '`']).next()).is_some_and(|first| first == name)
    };
    let program = refdesk::cli::Cli::command();
    // Those of `references` are those of the commands for which it stands.
    let commands =
        program.get_subcommands().filter(|command| !command.is_hide_set() && command.get_name() != "references");
    let mut unlisted = Vec::new();
    for command in commands {
        let name = command.get_name();
        let listed: BTreeSet<String> = page.lines().filter(|line| begins(line, name)).flat_map(words).collect();
        let options = long_options(command).into_iter().map(|option| format!("--{option}"));
        unlisted.extend(options.filter(|option| !listed.contains(option)).map(|option| format!("{name} {option}")));
    }
    let listed = words(&page);
    let own = program.get_arguments().filter(|argument| !argument.is_hide_set()).filter_map(clap::Arg::get_long);
    unlisted.extend(own.map(|option| format!("--{option}")).filter(|option| !listed.contains(option)));
    assert!(unlisted.is_empty(), "{unlisted:#?}");
}
