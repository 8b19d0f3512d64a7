//! Nothing outside the workspace is revealed before it is trusted, and the files of git and refdesk never are.

use super::*;

/// The text of a foreign file appears nowhere before it is trusted.
#[test]
fn texts_of_files_outside_wait_for_trust() {
    let entry =
        |id: &str| format!(r#"{{"id": "{id}", "name": "N", "type": "inline", "mode": "auto", "content": "SECRET"}}"#);
    let set_up = |how: &str| {
        let world = World::new();
        world.put("out/refs/x.json", &entry("x"));
        world.put("ws/.jaato/other/x.json", &entry("x"));
        match how {
            "named" => world.configure(r#"{"references_dir": "../out/refs"}"#),
            "linked" => symlink("../../out/refs", world.root.join("ws/.jaato/references")).unwrap(),
            "one file" => {
                fs::create_dir_all(world.root.join("ws/.jaato/references")).unwrap();
                symlink("../../../out/refs/x.json", world.root.join("ws/.jaato/references/x.json")).unwrap();
            }
            "inside" => world.configure(r#"{"references_dir": ".jaato/other"}"#),
            _ => {
                let folder = world.root.join("out/refs");
                world.put(
                    "home/.config/jaato/references.json",
                    &format!(r#"{{"references_dir": "{}"}}"#, folder.display()),
                );
            }
        }
        world
    };
    for (how, waits) in [("named", 1), ("linked", 1), ("one file", 1), ("inside", 0), ("the person's own", 0)] {
        let world = set_up(how);
        let mut desk = world.desk();
        assert_eq!((desk.untrusted().len(), desk.catalog().len()), (waits, 1 - waits), "{how}");
        let read = |desk: &mut Desk| {
            let access = access(desk);
            let read = crate::reading::read_source(desk.workspace(), desk.catalog(), &access, "x", None, None);
            read.map(|reading| reading.text).map_err(|refusal| refusal.code)
        };
        let reported = |desk: &mut Desk| desk.settled().instructions().contains("SECRET");
        assert_eq!((reported(&mut desk), read(&mut desk).is_ok()), (waits == 0, waits == 0), "{how}");
        trust_all(&desk);
        assert_eq!(desk.has_stale_trust(), waits == 1, "{how}");
        desk.reload();
        assert!(reported(&mut desk) && !desk.has_stale_trust(), "{how}");
        assert_eq!(read(&mut desk).as_deref(), Ok("SECRET"), "{how}");
        desk.revoke().unwrap();
        assert_eq!((read(&mut desk).is_ok(), desk.has_stale_trust()), (waits == 0, waits == 1), "{how}: immediately");
    }
}

/// Every output of a desk that could reveal what exists at a path outside.
fn told_of(desk: &mut Desk, id: &str) -> String {
    desk.read_all();
    let desk = desk.settled();
    let source = desk.catalog().get(id).unwrap().clone();
    let asked = refdesk_enrich::EnrichRequest::new(refdesk_enrich::TextKind::Prompt, "See @far.");
    let access = desk.access(&session());
    let read = crate::reading::read_source(desk.workspace(), desk.catalog(), &access, id, None, None);
    let reported = (
        (
            desk.instructions(),
            desk.enrich(&session(), &asked, crate::EnrichMode::DryRun).0.text,
            read.map_err(|it| it.message),
        ),
        (desk.document(id), desk.document_spot(id).map_err(|it| it.message), desk.tokens(&source, &Default::default())),
        (
            desk.rows().listed(&source, desk.tokens(&source, &Default::default())),
            desk.graph().from(id).collect::<Vec<_>>(),
            desk.templates().0.templates,
        ),
        (enrich_places(&desk, &source), desk.diagnostics()),
    );
    format!("{reported:?}")
}

fn enrich_places(desk: &Desk, source: &Source) -> (Vec<PathBuf>, String, Vec<PathBuf>) {
    use crate::places::FolderCache;
    use refdesk_enrich::SourceFiles;
    let look = FolderCache::new(desk);
    (look.files(source), look.stamp(source), look.declared(source, "templates"))
}

/// A source outside is listed as untrusted, and no output depends on what exists there.
#[test]
fn nothing_about_a_source_outside_is_revealed_before_trust() {
    for mode in ["auto", "selectable"] {
        let reported = |set_up: &dyn Fn(&World)| {
            let world = World::new();
            set_up(&world);
            world.configure(&format!(
                r#"{{"preselected": ["far"], "transitive_from_auto": true, "sources": [
                {{"id": "far", "name": "Far", "path": "../out/far", "mode": "{mode}", "tags": ["t"],
                  "contents": {{"templates": "templates"}}}},
                {{"id": "other", "name": "Other", "path": "in.md"}}]}}"#
            ));
            let mut desk = world.desk();
            assert!(!desk.selection().contains("other"), "its mentions are not followed");
            assert_eq!(desk.untrusted().len(), 1);
            told_of(&mut desk, "far").replace(&world.root.display().to_string(), "")
        };
        let file = reported(&|world: &World| world.put("out/far", "SECRET other\n"));
        assert!(file.contains("waits for trust") && !file.contains("SECRET") && !file.contains("Read "), "{file}");
        let folder = reported(&|world: &World| {
            world.put("out/far/SECRET.md", "See other and {{ SECRET }}.\n");
            world.put("out/far/templates/SECRET.txt.tpl", "{{ SECRET }}\n");
        });
        assert_eq!(file, folder, "{mode}");
        let link = reported(&|world: &World| {
            world.put("elsewhere/SECRET.md", "See other.\n");
            fs::create_dir_all(world.root.join("out")).unwrap();
            symlink("../elsewhere", world.root.join("out/far")).unwrap();
        });
        assert_eq!(file, link, "{mode}");
    }
}

#[test]
fn files_of_git_and_refdesk_are_not_sources_by_any_name() {
    let world = World::new();
    for file in ["ws/.git/config", "ws/.jaato/refdesk/told.json", "ws/sub/.git/x.md", "out/.git/x.md", "ws/store/HEAD"]
    {
        world.put(file, "SECRET other\n");
    }
    for (target, link) in [(".git", "git"), (".jaato/refdesk/told.json", "told.md"), ("store", "worktree/.git")] {
        fs::create_dir_all(world.root.join("ws/worktree")).unwrap();
        symlink(world.root.join("ws").join(target), world.root.join("ws").join(link)).unwrap();
    }
    let paths = [
        ".git",
        ".git/config",
        "./sub/../.git/config",
        "sub/.git",
        "sub/.git/x.md",
        ".jaato/refdesk",
        ".jaato/refdesk/told.json",
        ".jaato/refdesk/none.json",
        "${workspaceRoot}/.git/config",
        "git/config",
        "told.md",
        "worktree/.git/HEAD",
        "../out/.git/x.md",
        "/nowhere/at/all/.git/config",
    ];
    for path in paths {
        for mode in ["auto", "selectable"] {
            world.configure(&format!(
                r#"{{"preselected": ["far"], "transitive_from_auto": true, "sources": [
                    {{"id": "far", "name": "Far", "path": "{path}", "mode": "{mode}"}},
                    {{"id": "other", "name": "Other", "path": "in.md"}}]}}"#
            ));
            let mut desk = world.desk();
            let reported = told_of(&mut desk, "far");
            assert!(!reported.contains("SECRET") && !reported.contains("Read "), "{path}: {reported}");
            assert!(!desk.selection().contains("other"), "{path}");
            assert_eq!((access(&mut desk).paths().len(), desk.untrusted().len()), (0, 0), "{path}");
            let codes: Vec<&str> = desk.diagnostics().iter().map(|problem| problem.code.as_str()).collect();
            assert!(codes.contains(&"reserved-path"), "{path}: {codes:?}");
            desk.clear(&session(), false).unwrap();
            let picked = desk.pick_for_agent(&session(), &["far".to_owned()], &[]).unwrap();
            assert!(picked.summary().contains("not read: @far"), "{path}: {}", picked.summary());
        }
    }
    // Through a link, the target becomes git's folder.
    symlink("store", world.root.join("ws/.git2")).unwrap();
    fs::remove_dir_all(world.root.join("ws/.git")).unwrap();
    fs::rename(world.root.join("ws/.git2"), world.root.join("ws/.git")).unwrap();
    world.configure(r#"{"sources": [{"id": "far", "name": "Far", "path": "store/HEAD", "mode": "auto"}]}"#);
    assert_eq!(access(&mut world.desk()).paths().len(), 0);
    world.configure(r#"{"references_dir": ".jaato/refdesk"}"#);
    let codes: Vec<&str> = world.desk().diagnostics().iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, ["reserved-path"]);
}

/// Trust for agents that select a path is not trust for every agent. What the text of the path mentions is followed
/// only if its text may be.
#[test]
fn a_path_that_the_workspace_adds_to_every_conversation_later_needs_trust_again() {
    let inline = |id: &str, mode: &str, content: &str| {
        format!(r#"{{"id": "{id}", "name": "N", "type": "inline", "mode": "{mode}", "content": "{content}"}}"#)
    };
    let path = r#"{"id": "x", "name": "X", "path": "../out/a.md"}"#;
    for (what, mode, rest, selection) in [
        ("a pick that came with the repository", "selectable", "", r#"{"picks": ["x"], "exclusions": []}"#),
        ("one that mentions it", "selectable", "", r#"{"picks": ["a"], "exclusions": []}"#),
        ("a preselected source mentions it", "selectable", r#", "preselected": ["a"]"#, ""),
        ("an auto source mentions it", "auto", r#", "transitive_from_auto": true"#, ""),
    ] {
        let world = World::new();
        world.put("out/a.md", "see z\n");
        world.configure(&format!(r#"{{"sources": [{path}]}}"#));
        assert_eq!(trust_all(&world.desk()), 1);
        let sources = [inline("a", mode, "see x"), path.to_owned(), inline("z", "selectable", "text")].join(", ");
        world.configure(&format!(r#"{{"sources": [{sources}]{rest}}}"#));
        if !selection.is_empty() {
            world.put("ws/.jaato/refdesk/selection.json", selection);
        }
        // Whether it may be read, and whether its mention is followed.
        let state = |desk: &mut Desk| {
            desk.settle();
            assert!(desk.selection().contains("x") && desk.wanted().is_empty(), "{what}");
            (!desk.catalog().get("x").unwrap().is_untrusted(), desk.selection().contains("z"))
        };
        assert_eq!(state(&mut world.desk()), (false, false), "{what}");
        assert_eq!(world.waiting().len(), 1, "{what}");
        // In one process and in the next: an explicit pick by the user is what the trust is for.
        let mut desk = world.desk();
        desk.pick(&session(), &["x".to_owned()], &[]).unwrap();
        assert_eq!(state(&mut desk), (true, true), "{what}");
        assert_eq!(state(&mut world.desk()), (true, true), "{what}");
        // Reading everything again decides the same.
        desk.reload();
        assert_eq!(state(&mut desk), (true, true), "{what}");
    }
    let world = World::new();
    world.configure(&format!(
        r#"{{"sources": [{path}, {}], "preselected": ["a"]}}"#,
        inline("a", "selectable", "see x")
    ));
    let mut desk = world.desk();
    desk.settle_for_trust();
    assert_eq!(trust_all(&desk), 1);
    desk.reload();
    desk.settle();
    assert!(!desk.catalog().get("x").unwrap().is_untrusted(), "trusted for every agent");
}
