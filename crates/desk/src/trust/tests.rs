//! What needs trust, and what happens without it.

use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::Options;
use crate::places::FolderCache;
use crate::reading::read_source;
use crate::rows::{Members, Rows};
use refdesk_core::config::WorkspaceContext;
use refdesk_enrich::instruction;
use refdesk_files::output::Scope;
use refdesk_files::write_atomic;
use refdesk_text::Code;

mod addresses;
mod outside;

fn session() -> Session {
    Session::of_client("a test")
}

/// Trusts everything that needs trust; returns the number of actions.
fn trust_all(desk: &Desk) -> usize {
    let waiting = desk.untrusted();
    desk.trust(&waiting).unwrap();
    waiting.len()
}

/// The verdict about a write to this path that is proposed now.
fn verdict(desk: &Desk, path: &str) -> ApprovalMode {
    let proposal = desk.propose(path, "", Scope::Anywhere).unwrap();
    desk.verdict(&proposal.shown, &proposal.path).0
}

fn access(desk: &mut Desk) -> Access {
    desk.settled().access(&session())
}

/// `ws/` beside `out/`, `home/` and `state/`.
struct World {
    _folder: tempfile::TempDir,
    root: PathBuf,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        let world = Self { _folder: folder, root };
        for file in ["ws/in.md", "out/a.md", "out/dir/b.md", "ws-evil/c.md"] {
            world.put(file, "text\n");
        }
        world
    }

    fn put(&self, file: &str, text: &str) {
        write_atomic(&self.root.join(file), text.as_bytes()).unwrap();
    }

    fn configure(&self, text: &str) {
        self.put("ws/references.json", text);
    }

    fn options(&self) -> Options {
        let context = WorkspaceContext {
            workspace: self.root.join("ws"),
            current: self.root.join("ws"),
            home: Some(self.root.join("home")),
            config_home: Some(self.root.join("home/.config")),
            ..WorkspaceContext::default()
        };
        Options { state: Some(self.root.join("state")), ..Options::new(context) }
    }

    fn desk(&self) -> Desk {
        let mut desk = Desk::open(self.options());
        desk.settle();
        desk
    }

    fn waiting(&self) -> Vec<String> {
        let root = format!("{}/", self.root.display());
        let sentence = |action: PrivilegedAction| {
            let line = action.line.unwrap_or(0);
            format!("{}:{line}: {}", action.file, action.what).replace(&root, "")
        };
        self.desk().untrusted().into_iter().map(sentence).collect()
    }
}

#[test]
fn what_cannot_be_read_at_once_cannot_be_trusted() {
    let world = World::new();
    let endpoint = |part: &str| {
        world.configure(&format!(r#"{{"channel": {{"type": "webhook", "endpoint": "https://a.example/{part}x"}}}}"#));
    };
    endpoint(&" ".repeat(900_000));
    assert_eq!(world.waiting(), ["references.json:1: post questions for you to `https://a.example/[900,000 blanks]x`"]);
    endpoint("   \u{a0}\u{2003}\u{2800}");
    assert_eq!(world.waiting(), ["references.json:1: post questions for you to `https://a.example/[6 blanks]x`"]);
    endpoint("a  b   ");
    assert_eq!(world.waiting(), ["references.json:1: post questions for you to `https://a.example/a  b   x`"]);
    endpoint(&"y".repeat(SENTENCE));
    let desk = world.desk();
    assert_eq!((desk.untrusted(), desk.actions_with_profiles().1), (vec![], 0));
    let reported = desk.waiting();
    assert_eq!(
        reported.iter().map(|it| (it.code, it.is_error(), it.line)).collect::<Vec<_>>(),
        [(Code::TooLong, true, Some(1))]
    );
    assert!(reported[0].message.chars().count() < 1_100, "{reported:?}");
    assert_eq!(desk.channel_refusal().unwrap().code, Code::Untrusted);
}

const ALL: &str = r#"{
"sources": [
  {"id": "in", "name": "In", "path": "in.md", "mode": "auto"},
  {"id": "a", "name": "A", "path": "../out/a.md", "mode": "auto"},
  {"id": "dir", "name": "Dir", "path": "../out/dir"},
  {"id": "gone", "name": "Gone", "path": "../out/none.md"},
  {"id": "url", "name": "Url", "type": "url", "url": "https://example.org", "mode": "auto"}
],
"channel": {"type": "webhook", "endpoint": "https://example.org/ask", "secret_env": "SECRET",
  "timeout": 60},
"approval": {
  "docs/**": "auto",
  "docs/x": "deny"
}
}"#;

#[test]
fn every_action_is_listed_with_its_line_and_trusted_at_once() {
    let world = World::new();
    world.configure(ALL);
    world.put("ws/.jaato/references/found.json", r#"{"id": "found", "name": "F", "path": "../../../ws-evil"}"#);
    let reported = [
        "references.json:4: let every agent read `out/a.md`, as `@a`",
        "references.json:5: let an agent that selects `@dir` read `out/dir` and everything below it",
        "references.json:6: let an agent that selects `@gone` read `out/none.md`",
        "references.json:7: tell every agent to fetch `https://example.org`, as `@url`",
        ".jaato/references/found.json:1: let an agent that selects `@found` read `ws-evil` and everything below it",
        "references.json:12: let agents write files that match `docs/**` without asking you, except `docs/x`",
        "references.json:9: post questions for you to `https://example.org/ask`, with a signature made with the \
         secret in `$SECRET`",
    ];
    assert_eq!(world.waiting(), reported, "what sends data away comes last");
    let mut desk = world.desk();
    assert_eq!(access(&mut desk).paths(), [world.root.join("ws/in.md")]);
    assert_eq!(access(&mut desk).unreadable(), ["a".into(), "url".into()]);
    assert_eq!((verdict(&desk, "docs/a"), verdict(&desk, "docs/x")), (ApprovalMode::Ask, ApprovalMode::Deny));
    assert_eq!(desk.channel_refusal().unwrap().code, Code::Untrusted);
    let channel = desk.channel();
    assert_eq!((channel.kind, channel.endpoint, channel.secret_env), (ChannelKind::Webhook, None, None));
    assert_eq!(desk.waiting().len(), reported.len());

    assert_eq!(trust_all(&desk), reported.len());
    assert_eq!((world.waiting(), desk.waiting()), (vec![], vec![]));
    assert_eq!(access(&mut desk).paths(), [world.root.join("ws/in.md")], "it is read again first");
    assert!(desk.has_stale_trust());
    desk.reload();
    assert_eq!(access(&mut desk).paths(), ["ws/in.md", "out/a.md"].map(|path| world.root.join(path)));
    assert_eq!((verdict(&desk, "docs/a"), verdict(&desk, "docs/x")), (ApprovalMode::Auto, ApprovalMode::Deny));
    assert_eq!(desk.channel_refusal(), None);
    assert_eq!(desk.channel(), desk.settings().channel);

    assert_eq!(desk.revoke().unwrap().actions.len(), reported.len());
    assert_eq!(world.waiting(), reported);
    assert_eq!(access(&mut desk).paths(), [world.root.join("ws/in.md")], "a revocation counts immediately");
}

/// Until a path outside is trusted, agents get the same answer whether or not it exists.
#[test]
fn whether_a_folder_of_references_outside_exists_is_not_revealed() {
    let reported = |exists: bool| {
        let world = World::new();
        world.configure(r#"{"sources": [], "references_dir": "../out"}"#);
        if exists {
            world.put("ws/../out/r.json", r#"{"id": "r", "name": "R", "type": "inline", "content": "c"}"#);
        }
        let desk = world.desk();
        (desk.catalog().len(), desk.diagnostics().iter().map(|it| it.message.clone()).collect::<Vec<_>>())
    };
    assert_eq!(reported(false), reported(true));
    assert!(reported(false).1.iter().all(|message| !message.contains("cannot be read")), "{:?}", reported(false));
}

#[test]
fn whether_a_path_outside_exists_is_not_revealed() {
    for (path, link, exists) in [
        ("../out/x", None, "../out/x"),
        ("../out/x/y", None, "../out/x/y"),
        ("../out/x/y", None, "../out/x"),
        ("link", Some("../out/x"), "../out/x"),
        ("link/y", Some("../out/x"), "../out/x/y"),
        ("link", Some("../out/x/y"), "../out/x"),
    ] {
        let reported = |there: Option<&str>| {
            let world = World::new();
            let source = format!(r#"{{"id": "x", "name": "X", "path": "{path}", "mode": "auto"}}"#);
            world.configure(&format!(r#"{{"sources": [{source}], "preselected": ["x"]}}"#));
            if let Some(target) = link {
                symlink(target, world.root.join("ws/link")).unwrap();
            }
            if let Some(file) = there {
                world.put(&format!("ws/{file}"), "text\n");
            }
            let mut desk = world.desk();
            let source = desk.catalog().get("x").unwrap().clone();
            assert_eq!(source.place().unwrap().state, PathState::Untrusted, "{path} {link:?} {there:?}");
            let row = desk.settled().rows().listed(&source, None).to_string();
            let access = access(&mut desk);
            let refused = read_source(desk.workspace(), desk.catalog(), &access, "x", None, None).unwrap_err();
            let instructions = instruction(&source, desk.selection(), &FolderCache::new(&desk));
            let problems: Vec<String> = desk.diagnostics().iter().map(|it| it.code.as_str().to_owned()).collect();
            assert_eq!(desk.untrusted().len(), 1);
            trust_all(&desk);
            desk.reload();
            let is_open = desk.catalog().get("x").unwrap().open_place().is_some();
            let answer =
                [row, refused.message, instructions, format!("{problems:?}"), format!("{:?}", access.unreadable())];
            (answer.map(|text| text.replace(&*world.root.to_string_lossy(), "")), is_open)
        };
        let (missing, is_open) = reported(None);
        assert!(!is_open && missing[0].contains("\"exists\":null"), "{path}: {missing:?}");
        assert_eq!(missing, reported(Some(exists)).0, "{path} {link:?}");
    }
}

#[test]
fn only_a_change_of_an_action_needs_new_trust() {
    for (from, to, asks) in [
        ("https://example.org/ask", "https://example.org/other", 1),
        ("\"SECRET\"", "\"HOME\"", 1),
        ("\"timeout\": 60", "\"timeout\": 61", 1),
        ("\"docs/**\"", "\"**\"", 1),
        (",\n  \"docs/x\": \"deny\"", "", 1),
        ("\"../out/a.md\", \"mode\": \"auto\"", "\"../out/dir/b.md\", \"mode\": \"auto\"", 1),
        ("\"../out/a.md\", \"mode\": \"auto\"", "\"../out/a.md\"", 1),
        ("\"id\": \"a\"", "\"id\": \"b\"", 1),
        ("\"../out/dir\"", "\"../out\"", 1),
        ("\"name\": \"A\"", "\"name\": \"B\", \"tags\": [\"x\"]", 0),
        ("\"in.md\"", "\"./in.md\"", 0),
        ("\"../out/a.md\"", "\"../out/dir/../a.md\"", 0),
        ("{\n\"sources\"", "{ \"exclude_tools\": [\"x\"], \"preselected\": [\"a\"],\n\n\"sources\"", 0),
        ("\"docs/x\": \"deny\"", "\"docs/x\": \"deny\", \"more/**\": \"auto\"", 1),
        ("https://example.org\"", "https://example.com\"", 1),
        ("\"https://example.org\", \"mode\": \"auto\"", "\"https://example.com\"", 0),
    ] {
        let world = World::new();
        world.configure(ALL);
        trust_all(&world.desk());
        assert!(ALL.contains(from), "{from}");
        world.configure(&ALL.replacen(from, to, 1));
        assert_eq!(world.waiting().len(), asks, "{from} -> {to}: {:?}", world.waiting());
        world.configure(ALL);
        assert_eq!(world.waiting().len(), 0, "still as trusted: {from}");
    }
}

/// Only the person who is asked for trust sees a whole URL.
#[test]
fn a_warning_shows_no_secret_of_a_url() {
    let world = World::new();
    world.configure(
        r#"{"sources": [{"id": "x", "name": "X", "type": "url", "url": "https://u:hunter2@h.example/x", "mode": "auto"}],
            "channel": {"type": "webhook", "endpoint": "https://h.example/p?token=hunter2"}}"#,
    );
    let desk = world.desk();
    assert!(desk.untrusted().iter().all(|action| action.what.contains("hunter2")), "{:?}", desk.untrusted());
    let messages: Vec<String> = desk.waiting().into_iter().map(|problem| problem.message).collect();
    assert_eq!(
        messages,
        [
            "this source needs your trust: it wants to tell every agent to fetch `https://h.example/x`, as `@x`",
            "this setting needs your trust: it wants to post questions for you to `https://h.example/p`",
        ]
    );
}

#[test]
fn a_path_that_becomes_a_folder_needs_trust_again() {
    let world = World::new();
    world.configure(
        r#"{"sources": [{"id": "a", "name": "A", "path": "../out/a.md", "mode": "auto"},
            {"id": "gone", "name": "Gone", "path": "../out/none", "mode": "auto"}]}"#,
    );
    trust_all(&world.desk());
    let mut desk = world.desk();
    assert_eq!(access(&mut desk).paths(), [world.root.join("out/a.md")]);
    fs::remove_file(world.root.join("out/a.md")).unwrap();
    world.put("out/a.md/id_rsa", "key\n");
    world.put("out/none/id_rsa", "key\n");
    assert_eq!(access(&mut desk).unreadable(), ["a".into()], "before the catalog is read again");
    let waiting = world.waiting();
    assert_eq!(waiting.len(), 2, "{waiting:?}");
    let why = " and everything below it, as `@NAME`; you trusted this path before, but not everything below it";
    for (what, id) in waiting.iter().zip(["a", "gone"]) {
        assert!(what.ends_with(&why.replace("NAME", id)), "{what}");
    }
    trust_all(&world.desk());
    let trusted = world.desk().actions();
    assert!(trusted.iter().all(|action| !action.what.contains("before")), "{trusted:?}");
    fs::remove_dir_all(world.root.join("out")).unwrap();
    world.put("out/a.md", "text\n");
    assert_eq!(world.waiting(), [""; 0], "trust in a folder includes what was there before");
}

#[test]
fn trust_applies_to_one_workspace() {
    let world = World::new();
    world.configure(ALL);
    trust_all(&world.desk());
    for file in ["references.json", "in.md"] {
        world.put(&format!("ws2/{file}"), &fs::read_to_string(world.root.join("ws").join(file)).unwrap());
    }
    let mut options = world.options();
    options.context.workspace = world.root.join("ws2");
    assert_eq!(Desk::open(options.clone()).untrusted().len(), 6);
    // A different path of the same workspace.
    symlink(world.root.join("ws"), world.root.join("ws3")).unwrap();
    options.context.workspace = world.root.join("ws3");
    assert_eq!(Desk::open(options).untrusted().len(), 0);
}

#[test]
fn the_users_own_configuration_needs_no_trust() {
    let world = World::new();
    let outside = ALL.replace("../out/", &format!("{}/out/", world.root.display()));
    world.put("home/.config/jaato/references.json", &outside);
    assert_eq!(world.waiting(), [""; 0]);
    let mut desk = world.desk();
    assert!(access(&mut desk).paths().contains(&world.root.join("out/a.md")));
    assert_eq!((verdict(&desk, "docs/a"), desk.channel_refusal()), (ApprovalMode::Auto, None));
    assert!(!world.root.join("state").exists());

    // A named configuration outside is the user's own. One inside came with the workspace, however it is named.
    let named = |path: &str| {
        let mut options = world.options();
        options.context.named = Some(world.root.join(path));
        Desk::open(options).untrusted().len()
    };
    world.put("mine.json", &outside);
    world.put("ws/theirs.json", &outside);
    symlink("../mine.json", world.root.join("ws/link.json")).unwrap();
    symlink("ws/theirs.json", world.root.join("link.json")).unwrap();
    assert_eq!(["mine.json", "ws/theirs.json", "ws/link.json", "link.json"].map(named), [0, 6, 6, 6]);

    // Sources discovered in a folder outside came with the configuration that names the folder.
    world
        .put("out/refs/x.json", &format!(r#"{{"id": "x", "name": "X", "path": "{}/out/a.md"}}"#, world.root.display()));
    world.put("mine.json", &format!(r#"{{"references_dir": "{}/out/refs"}}"#, world.root.display()));
    world.configure(r#"{"references_dir": "../out/refs"}"#);
    assert_eq!((named("mine.json"), world.waiting().len()), (0, 1), "the folder");
    trust_all(&world.desk());
    assert_eq!(world.waiting().len(), 1, "then the path of the source in it");
}

#[test]
fn a_source_is_where_its_links_lead() {
    let world = World::new();
    symlink("../out", world.root.join("ws/link")).unwrap();
    symlink(world.root.join("ws/in.md"), world.root.join("out/back.md")).unwrap();
    world.configure(
        r#"{"sources": [{"id": "a", "name": "A", "path": "link/a.md", "mode": "auto"},
            {"id": "b", "name": "B", "path": "../out/back.md", "mode": "auto"}]}"#,
    );
    let mut desk = world.desk();
    assert_eq!(access(&mut desk).paths(), [world.root.join("ws/in.md")]);
    trust_all(&desk);
    assert_eq!(access(&mut world.desk()).paths().len(), 2);
    // The link now leads to a different path.
    fs::remove_file(world.root.join("ws/link")).unwrap();
    symlink("../ws-evil", world.root.join("ws/link")).unwrap();
    world.put("ws-evil/a.md", "other");
    assert_eq!(world.waiting().len(), 1);
}

#[test]
fn a_write_is_free_only_by_both_its_names() {
    let world = World::new();
    fs::create_dir_all(world.root.join("ws/secrets")).unwrap();
    fs::create_dir_all(world.root.join("ws/docs")).unwrap();
    symlink("../secrets", world.root.join("ws/docs/link")).unwrap();
    symlink("../../out", world.root.join("ws/docs/out")).unwrap();
    symlink("docs", world.root.join("ws/short")).unwrap();
    world.configure(r#"{"approval": {"docs/**": "auto", "secrets/**": "deny"}}"#);
    let desk = world.desk();
    trust_all(&desk);
    for (path, expected) in [
        ("docs/a/b", ApprovalMode::Auto),
        ("docs/../docs/a", ApprovalMode::Auto),
        ("docs/../secrets/a", ApprovalMode::Deny),
        ("docs/link/a", ApprovalMode::Deny),
        ("docs/out/a", ApprovalMode::Ask),
        ("short/a", ApprovalMode::Ask),
        ("a", ApprovalMode::Ask),
    ] {
        assert_eq!(verdict(&desk, path), expected, "{path}");
    }
    // An agent may exchange a folder for a link after the write was proposed: the file that is written is judged.
    fs::create_dir(world.root.join("ws/docs/dir")).unwrap();
    let paths = [("docs/dir/a", ApprovalMode::Auto), ("docs/link/a", ApprovalMode::Deny)];
    let proposals = paths.map(|(path, _)| desk.propose(path, "", Scope::Workspace).unwrap());
    for (from, to) in [("dir", "other"), ("link", "dir"), ("other", "link")] {
        fs::rename(world.root.join("ws/docs").join(from), world.root.join("ws/docs").join(to)).unwrap();
    }
    for (proposal, (path, expected)) in proposals.iter().zip(paths) {
        assert_eq!((proposal.shown.as_str(), desk.verdict(&proposal.shown, &proposal.path).0), (path, expected));
    }
    // An invalid rule also disables what the others allow.
    for broken in [
        r#""x[": "deny""#,
        r#""x": "denied""#,
        r#""./x": "deny""#,
        r#""/x": "deny""#,
        r#""x/": "deny""#,
        r#""${workspaceRoot}/x": "deny""#,
    ] {
        world.configure(&format!(r#"{{"approval": {{"docs/**": "auto", {broken}}}}}"#));
        let desk = world.desk();
        trust_all(&desk);
        assert_eq!(verdict(&desk, "docs/a"), ApprovalMode::Ask, "{broken}");
        assert!(desk.diagnostics().iter().any(Diagnostic::is_error), "{broken}");
    }
}

#[test]
fn trust_is_never_stored_in_the_workspace() {
    let world = World::new();
    world.configure(ALL);
    let mut options = world.options();
    options.state = Some(world.root.join("ws/.state"));
    let desk = Desk::open(options.clone());
    assert_eq!(desk.trust(&desk.untrusted()).unwrap_err().code, Code::NoStateFolder);
    assert!(!world.root.join("ws/.state").exists());
    // A trust file that came with the repository has no effect.
    trust_all(&world.desk());
    fs::create_dir(world.root.join("ws/.state")).unwrap();
    fs::copy(world.root.join("state/trust.json"), world.root.join("ws/.state/trust.json")).unwrap();
    assert_eq!(desk.untrusted().len(), 6);
    options.state = None;
    let desk = Desk::open(options);
    assert_eq!(desk.trust(&desk.untrusted()).unwrap_err().code, Code::NoStateFolder);
}

#[test]
fn a_damaged_file_is_reported_and_grants_no_trust() {
    let world = World::new();
    world.configure(ALL);
    trust_all(&world.desk());
    world.put("state/trust.json", "{");
    let desk = world.desk();
    let reported = [desk.opening_diagnostics(), desk.waiting()].concat();
    let reported: Vec<&str> =
        reported.iter().map(|problem| problem.code.as_str()).filter(|code| *code != "missing-path").collect();
    assert_eq!(reported, ["damaged", "untrusted", "untrusted", "untrusted", "untrusted", "untrusted", "untrusted"]);
}

#[test]
fn only_a_channel_that_uses_a_folder_needs_trust_for_it() {
    for (kind, waits) in [("file", 1), ("queue", 0), ("console", 0)] {
        let world = World::new();
        world.configure(&format!(r#"{{"channel": {{"type": "{kind}", "base_path": "../out/ask"}}}}"#));
        let desk = world.desk();
        assert_eq!((desk.untrusted().len(), desk.channel_refusal().is_some()), (waits, waits == 1), "{kind}");
    }
}

/// Text from a document outside must not be copied into the workspace, where every agent can read it.
#[test]
fn untrusted_templates_are_not_written() {
    let world = World::new();
    world.put("out/a.md", "# Greeting\n\n```jinja2\nHello {{ secret_name }}, {{ other }}!\n```\n");
    world.configure(r#"{"preselected": ["a"], "sources": [{"id": "a", "name": "A", "path": "../out/a.md"}]}"#);
    let folder = world.root.join("ws/.jaato/templates");
    let files = || {
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
        names.filter(|name| name != "index.json" && name != ".gitignore").count()
    };
    let index = || fs::read_to_string(folder.join("index.json")).unwrap_or_default();
    let write = |trusted: bool| {
        let desk = world.desk();
        let templates = desk.templates().0;
        assert_eq!(templates.templates.len(), usize::from(trusted));
        assert!(desk.write_templates(&session(), &templates).diagnostics.is_empty());
    };
    for trusted in [false, true, false] {
        match trusted {
            true => drop(trust_all(&world.desk())),
            false => drop(world.desk().revoke().unwrap()),
        }
        write(trusted);
        assert_eq!((files(), index().contains("secret_name")), (usize::from(trusted), trusted), "{}", index());
    }
}

/// An index in a database receives the texts of all sources.
#[test]
fn an_index_in_a_database_needs_trust_unless_only_the_user_names_it() {
    let url = "postgres://ann:s3cret@127.0.0.1:1/team";
    let config = format!(r#"{{"sources": [], "index_url": "{url}"}}"#);
    let origin = "[remote \"origin\"]\n\turl = https://git.example/team/app.git\n";
    let what = "keep the search index, with the texts of all sources, in the database `team` at `127.0.0.1`, port 1, user `ann`";
    let shared = format!("{what}, shared with all checkouts of `git.example/team/app`");
    let code = |world: &World| world.desk().index().map(|index| index.is_some()).map_err(|error| error.code);
    for (file, git, expected) in [
        ("ws/references.json", false, Some(format!("references.json:1: {what}"))),
        ("ws/references.json", true, Some(format!("references.json:1: {shared}"))),
        ("home/.config/jaato/references.json", false, None),
        ("home/.config/jaato/references.json", true, Some(format!("home/.config/jaato/references.json:1: {shared}"))),
    ] {
        let world = World::new();
        world.put(file, &config);
        if git {
            world.put("ws/.git/config", origin);
        }
        assert_eq!(world.waiting(), expected.clone().into_iter().collect::<Vec<_>>(), "{file} {git}");
        if expected.is_some() {
            assert_eq!(code(&world), Ok(false), "until then the index is the file, and there is none");
        }
        assert_eq!(world.desk().index_waits_for_trust().is_some(), expected.is_some(), "{file} {git}");
        trust_all(&world.desk());
        assert_eq!(world.desk().index_waits_for_trust(), None);
        let words = crate::Indexing { words_only: true, ..Default::default() };
        let built = world.desk().update_index(words, &mut |_| true);
        assert_eq!(built.unwrap_err().code, Code::IndexUnreachable, "{file} {git}");
        assert_eq!(code(&world), Err(Code::IndexUnreachable), "{file} {git}");
        if git {
            // The workspace claims to be another repository.
            world.put("ws/.git/config", &origin.replace("app", "other"));
            assert_eq!(world.waiting().len(), 1);
        }
    }
    // An address that cannot be used is an error, which no trust would change.
    for wrong in [config.replace(":1/", ":99999/"), config.replace("/team", "/team?sslrootcert=ca.pem")] {
        let world = World::new();
        world.configure(&wrong);
        assert_eq!(world.waiting(), [""; 0]);
        assert_eq!((code(&world), world.desk().index_waits_for_trust().is_some()), (Ok(false), true));
        let told: Vec<_> = world.desk().waiting().into_iter().map(|it| (it.code, it.is_error(), it.line)).collect();
        assert_eq!(told, [(Code::IndexUnreachable, true, Some(1))], "{wrong}");
    }
    let world = World::new();
    world.configure(&config.replace("postgres://", "mysql://"));
    let desk = world.desk();
    let reported = format!("{:?} {:?}", desk.opening_diagnostics(), desk.settings());
    assert!(reported.contains("index_url") && !reported.contains("s3cret"), "{reported}");
}

/// Trust in a file outside lets agents that select its source read the text, not every agent.
#[test]
fn a_text_outside_that_is_preselected_later_needs_trust_again() {
    for (folder, more) in [("one file", ""), ("folder", r#", "references_dir": "../out/refs""#)] {
        let world = World::new();
        world.put("out/refs/x.json", r#"{"id": "x", "name": "X", "type": "inline", "content": "SECRET"}"#);
        if folder == "one file" {
            fs::create_dir_all(world.root.join("ws/.jaato/references")).unwrap();
            symlink("../../../out/refs/x.json", world.root.join("ws/.jaato/references/x.json")).unwrap();
        }
        let preselected = format!(r#"{{"sources": [], "preselected": ["x"]{more}}}"#);
        world.configure(&format!(r#"{{"sources": []{more}}}"#));
        trust_all(&world.desk());
        assert_eq!(world.waiting(), [""; 0], "{folder}");
        world.configure(&preselected);
        let asked = world.waiting();
        let [what] = asked.as_slice() else { panic!("{folder}: {asked:?}") };
        assert!(what.ends_with(": give every agent the text of `@x`, from `out/refs/x.json`"), "{what}");
        let told = || world.desk().settled().instructions().contains("SECRET");
        assert!(!told(), "{folder}");
        trust_all(&world.desk());
        assert_eq!((world.waiting(), told()), (vec![], true), "{folder}");
    }
}

#[test]
fn a_path_that_is_preselected_later_needs_trust_again() {
    let world = World::new();
    let sources = r#""sources": [{"id": "x", "name": "X", "path": "../out/a.md"}]"#;
    world.configure(&format!("{{{sources}}}"));
    trust_all(&world.desk());
    world.configure(&format!(r#"{{{sources}, "preselected": ["x"]}}"#));
    assert_eq!(world.waiting(), ["references.json:1: let every agent read `out/a.md`, as `@x`"]);
    trust_all(&world.desk());
    world.configure(&format!("{{{sources}}}"));
    assert_eq!(world.waiting(), [""; 0], "what every agent may read, each may");
}

#[test]
fn a_link_of_the_workspace_needs_trust_even_if_the_user_named_it() {
    let world = World::new();
    symlink("../out", world.root.join("ws/kb")).unwrap();
    world.put(
        "home/.config/jaato/references.json",
        &format!(r#"{{"sources": [{{"id": "x", "name": "X", "path": "{}/ws/kb/a.md"}}]}}"#, world.root.display()),
    );
    assert_eq!(world.waiting().len(), 1);
}

#[test]
fn approval_is_judged_by_what_a_dangling_link_names() {
    let world = World::new();
    world.configure(r#"{"sources": [], "approval": {"gen/**": "auto", "deploy/**": "deny"}}"#);
    fs::create_dir_all(world.root.join("ws/gen")).unwrap();
    for (link, target) in
        [("y", "../deploy/prod.yml"), ("x", "../.github/evil.yml"), ("d", "../elsewhere"), ("z", "in/z")]
    {
        symlink(target, world.root.join("ws/gen").join(link)).unwrap();
    }
    trust_all(&world.desk());
    let desk = world.desk();
    for (path, expected) in [
        ("gen/a", ApprovalMode::Auto),
        ("gen/z", ApprovalMode::Auto),
        ("gen/y", ApprovalMode::Deny),
        ("gen/x", ApprovalMode::Ask),
        ("gen/d/file", ApprovalMode::Ask),
    ] {
        assert_eq!(verdict(&desk, path), expected, "{path}");
    }
}
