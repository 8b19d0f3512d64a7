//! Addresses and tools that the workspace adds to every conversation.

use super::*;
use crate::price::CostChange;

/// Until it is trusted, only the name of what every session would fetch or call is given.
#[test]
fn an_address_or_a_tool_for_every_agent_waits_for_trust() {
    let url = r#""type": "url", "url": "https://example.org/x""#;
    let tool = r#""type": "mcp", "server": "files", "tool": "delete", "args": {"path": "/"}"#;
    let hint = r#""fetchHint": "with example.org's key, delete""#;
    for (entry, rest, waits, secret) in [
        (format!(r#"{url}, {hint}, "mode": "auto""#), "", 1, "example.org"),
        (format!(r#"{tool}, {hint}, "mode": "auto""#), "", 1, "delete"),
        (url.to_owned(), r#", "preselected": ["x"]"#, 1, "example.org"),
        (url.to_owned(), "", 0, ""),
        (tool.to_owned(), r#", "preselected": ["y"]"#, 0, ""),
    ] {
        let world = World::new();
        world.configure(&format!(r#"{{"sources": [{{"id": "x", "name": "X", {entry}}}]{rest}}}"#));
        let told = |desk: &mut Desk| {
            let source = desk.catalog().get("x").unwrap().clone();
            let instructions = instruction(&source, desk.selection(), &FolderCache::new(desk));
            let settled = desk.settled();
            let row = Rows { members: Members::NonEmpty, ..settled.rows() }.listed(&source, None).to_string();
            assert!(settled.rows().listed(&source, None).to_string().contains(secret), "a person sees it");
            let unreadable = access(desk).unreadable().len();
            assert_eq!(unreadable, usize::from(source.is_untrusted()));
            (source.is_untrusted(), instructions, row, desk.document("x").caption)
        };
        let mut desk = world.desk();
        assert_eq!(desk.untrusted().len(), waits, "{entry}");
        let (is_untrusted, instructions, row, caption) = told(&mut desk);
        assert_eq!(is_untrusted, waits == 1);
        if waits == 0 {
            continue;
        }
        assert!(instructions.ends_with("**Access**: None: it waits for trust"), "{instructions}");
        for text in [instructions, row, caption] {
            assert!(!text.contains(secret), "{text}");
        }
        assert_eq!(trust_all(&desk), 1);
        desk.reload();
        let (is_untrusted, instructions, ..) = told(&mut desk);
        assert!(!is_untrusted && instructions.contains(secret), "{instructions}");
        // The hint is part of what was trusted.
        world.configure(&format!(
            r#"{{"sources": [{{"id": "x", "name": "X", {entry}, "fetchHint": "and post it"}}]{rest}}}"#
        ));
        assert_eq!(world.waiting().len(), waits);
    }
}

#[test]
fn an_address_that_a_profile_picks_waits_for_trust() {
    let world = World::new();
    world.configure(r#"{"sources": [{"id": "x", "name": "X", "type": "url", "url": "https://example.org/x"}]}"#);
    world
        .put("ws/.jaato/profiles/p.json", r#"{"name": "p", "plugin_configs": {"references": {"preselected": ["x"]}}}"#);
    assert!(!world.desk().catalog().get("x").unwrap().is_untrusted(), "only a person can pick it");
    let desk = Desk::open(Options { profile: Some(world.root.join("ws/.jaato/profiles/p.json")), ..world.options() });
    assert!(desk.catalog().get("x").unwrap().is_untrusted());
    assert_eq!(desk.untrusted().len(), 1);
}

/// Each of these adds the address to every conversation without a pick by the user.
#[test]
fn an_address_that_was_not_picked_here_waits_for_trust() {
    let address = r#"{"id": "x", "name": "X", "type": "url", "url": "https://example.org/x"}"#;
    let inline = |id: &str, mode: &str| {
        format!(r#"{{"id": "{id}", "name": "N", "type": "inline", "mode": "{mode}", "content": "see x"}}"#)
    };
    for (what, sources, rest, selection) in [
        ("a pick that came with the repository", String::new(), "", r#"{"picks": ["x"], "exclusions": []}"#),
        ("one that mentions it", inline("a", "selectable"), "", r#"{"picks": ["a"], "exclusions": []}"#),
        ("a preselected source mentions it", inline("a", "selectable"), r#", "preselected": ["a"]"#, ""),
        ("an auto source mentions it", inline("a", "auto"), r#", "transitive_from_auto": true"#, ""),
    ] {
        let world = World::new();
        let sources = [sources, address.to_owned()].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>();
        world.configure(&format!(r#"{{"sources": [{}]{rest}}}"#, sources.join(", ")));
        if !selection.is_empty() {
            world.put("ws/.jaato/refdesk/selection.json", selection);
        }
        let is_told = |desk: &mut Desk| {
            let settled = desk.settled();
            assert!(settled.selection().contains("x"), "{what}");
            !settled.catalog().get("x").unwrap().is_untrusted()
        };
        let mut desk = world.desk();
        assert!(!is_told(&mut desk), "{what}");
        assert_eq!(desk.untrusted().len(), 1, "{what}");
        // A change of another source does not turn it into the user's own pick.
        desk.exclude(&session(), &["y".to_owned()]).unwrap();
        assert!(!is_told(&mut world.desk()), "{what}");
        // Nor does undo restore it as the user's own pick.
        if desk.unpick(&session(), &["x".to_owned()]).unwrap().refused.is_empty() {
            desk.undo(&session()).unwrap();
            assert!(!is_told(&mut desk) && !is_told(&mut world.desk()), "{what}");
        }
        // Nor does an agent's pick of it, or of what mentions it.
        for picked in ["x", "a"] {
            let mut desk = world.desk();
            desk.pick_for_agent(&session(), &[picked.to_owned()], &[]).unwrap();
            assert!(!is_told(&mut desk) && !is_told(&mut world.desk()), "{what}: {picked}");
        }
        // An explicit pick by the user does; its preview says so, and its cost includes what trust adds.
        let mut desk = world.desk();
        let would_trust = desk.preview_picks(&["x".into()]).trusts;
        let before = desk.costs(desk.selection());
        let picked = desk.pick(&session(), &["x".to_owned()], &[]).unwrap();
        assert_eq!((picked.trusted.as_slice(), &would_trust), (&["x".into()][..], &picked.trusted), "{what}");
        assert_eq!(picked.cost, CostChange::between(before, desk.costs(desk.selection())), "{what}");
        assert!(picked.cost.total > 0, "{what}");
        assert_eq!(desk.settled().untrusted().len(), 0, "{what}");
        assert!(is_told(&mut world.desk()), "{what}");
    }
    let world = World::new();
    world.configure(&format!(r#"{{"sources": [{}, {address}]}}"#, inline("a", "selectable")));
    let mut desk = world.desk();
    desk.pick(&session(), &["a".to_owned()], &[]).unwrap();
    assert!(!desk.settled().catalog().get("x").unwrap().is_untrusted(), "pulled in by a pick made here");
    desk.clear(&session(), true).unwrap();
    // An exclusion by a person does not make it easier.
    world.configure(&format!(r#"{{"sources": [{}, {address}], "preselected": ["a"]}}"#, inline("a", "selectable")));
    let mut brought = world.desk();
    brought.pick(&session(), &["a".to_owned()], &[]).unwrap();
    brought.unpick(&session(), &["a".to_owned()]).unwrap();
    brought.exclude(&session(), &["x".to_owned()]).unwrap();
    let picked = brought.pick_for_agent(&session(), &["x".to_owned()], &[]).unwrap();
    assert_eq!(picked.left_out, ["the user has to trust these first: @x"]);
    assert!(brought.settled().catalog().get("x").unwrap().is_untrusted());
    world.configure(&format!(r#"{{"sources": [{}, {address}]}}"#, inline("a", "selectable")));
    let mut desk = world.desk();
    desk.clear(&session(), true).unwrap();
    desk.pick_for_agent(&session(), &["x".to_owned()], &[]).unwrap();
    assert!(!desk.settled().catalog().get("x").unwrap().is_untrusted(), "nothing but the agent's pick brings it");
}

#[test]
fn what_an_agent_picked_releases_nothing_that_it_comes_to_mention() {
    let world = World::new();
    world.put("ws/notes.md", "nothing");
    world.configure(
        r#"{"sources": [{"id": "x", "name": "X", "type": "url", "url": "https://example.org/x"},
                        {"id": "notes", "name": "N", "type": "local", "path": "notes.md"},
                        {"id": "a", "name": "A", "type": "inline", "content": "see x"}], "preselected": ["a"]}"#,
    );
    let waits = |desk: &mut Desk| desk.settled().catalog().get("x").unwrap().is_untrusted();
    let mut desk = world.desk();
    desk.pick_for_agent(&session(), &["notes".to_owned()], &[]).unwrap();
    world.put("ws/notes.md", "see x");
    assert!(waits(&mut world.desk()), "the agent's pick mentions it");
    let mut desk = world.desk();
    desk.unpick(&session(), &["notes".to_owned()]).unwrap();
    desk.undo(&session()).unwrap();
    assert!(desk.selection().contains("notes") && waits(&mut world.desk()), "undo restores the agent's pick");
    let confirmed = world.desk().pick(&session(), &["notes".to_owned()], &[]).unwrap();
    assert_eq!(confirmed.summary(), "now picked by you: @notes; agents may now fetch @x");
    assert!(!waits(&mut world.desk()), "a person's pick mentions it");
    assert_eq!(world.desk().pick(&session(), &["notes".to_owned()], &[]).unwrap().summary(), "already picked: @notes");
}

#[test]
fn a_preselected_pick_does_not_become_the_users_own() {
    let world = World::new();
    let sources = r#""sources": [{"id": "x", "name": "X", "type": "url", "url": "https://example.org/x"},
                               {"id": "y", "name": "Y", "type": "inline", "content": "text"}]"#;
    world.configure(&format!(r#"{{{sources}, "preselected": ["x"]}}"#));
    world.desk().pick(&session(), &["y".to_owned()], &[]).unwrap();
    world.configure(&format!("{{{sources}}}"));
    let is_told = |desk: &mut Desk| !desk.settled().catalog().get("x").unwrap().is_untrusted();
    let mut desk = world.desk();
    assert!(desk.selection().contains("x") && !is_told(&mut desk), "it was never picked here");
    assert!(desk.pick(&session(), &["x".to_owned()], &[]).unwrap().picked.is_empty());
    assert!(is_told(&mut desk) && is_told(&mut world.desk()), "it is now");
    // A workspace's profile adds its picks, even if the user switches to it.
    let file = world.root.join("ws/.jaato/profiles/p.json");
    world
        .put("ws/.jaato/profiles/p.json", r#"{"name": "p", "plugin_configs": {"references": {"preselected": ["x"]}}}"#);
    desk.unpick(&session(), &["x".to_owned()]).unwrap();
    desk.switch_to(&session(), &file).unwrap();
    assert!(desk.selection().contains("x") && !is_told(&mut desk) && !is_told(&mut world.desk()));
}

#[test]
fn each_size_of_a_pick_says_what_it_trusts() {
    for (depth, expected) in [(None, &["x".into()][..]), (Some(1), &["x".into()]), (Some(0), &[])] {
        let world = World::new();
        world.configure(
            r#"{"sources": [{"id": "x", "name": "X", "type": "url", "url": "https://example.org/x"},
                            {"id": "a", "name": "A", "type": "inline", "content": "see x"},
                            {"id": "b", "name": "B", "type": "inline", "content": "see c"},
                            {"id": "c", "name": "C", "type": "inline", "content": "see x"}], "preselected": ["a"]}"#,
        );
        let mut desk = world.desk();
        let sizes = desk.pick_sizes(&["b".into()]).unwrap();
        let (size, picked) = match depth {
            None => (sizes.whole, desk.pick(&session(), &["b".to_owned()], &[])),
            Some(1) => (sizes.near, desk.pick_within(&session(), &["b".into()], 1)),
            Some(depth) => (sizes.alone, desk.pick_within(&session(), &["b".into()], depth)),
        };
        assert_eq!((size.trusts.as_slice(), picked.unwrap().trusted.as_slice()), (expected, expected), "{depth:?}");
    }
    let world = World::new();
    world.configure(
        r#"{"sources": [{"id": "x", "name": "X", "type": "url", "url": "https://example.org/x"},
                        {"id": "a", "name": "A", "type": "inline", "content": "see x"},
                        {"id": "b", "name": "B", "type": "inline", "content": "see x"}], "preselected": ["a"]}"#,
    );
    assert_eq!(world.desk().preview_bulk(&["b".into()]).pick.change.trusts, ["x".into()]);
}

/// A person's pick is trust in what it brings, as it was then.
#[test]
fn what_a_pick_brings_needs_trust_again_once_it_changes() {
    let world = World::new();
    let configure = |url: &str, tool: &str| {
        world.configure(&format!(
            r#"{{"sources": [{{"id": "doc", "name": "D", "type": "local", "path": "doc.md"}},
                             {{"id": "api", "name": "A", "type": "url", "url": "{url}"}},
                             {{"id": "tool", "name": "T", "type": "mcp", "server": "shell", "tool": "{tool}"}}]}}"#
        ));
    };
    let waiting = |desk: &mut Desk| {
        let settled = desk.settled();
        let untrusted = settled.catalog().sources().iter().filter(|source| source.is_untrusted());
        untrusted.map(|source| source.id.to_string()).collect::<Vec<_>>()
    };
    let ids = |ids: &[&str]| ids.iter().map(ToString::to_string).collect::<Vec<_>>();
    world.put("ws/doc.md", "see api");
    configure("https://good.example", "run");
    let mut desk = world.desk();
    desk.pick(&session(), &["doc".to_owned()], &[]).unwrap();
    assert_eq!((waiting(&mut desk), waiting(&mut world.desk())), (Vec::new(), Vec::new()));
    for (what, text, url, tool, expected) in [
        ("another address", "see api", "https://evil.example", "run", vec!["api"]),
        ("as it was", "see api", "https://good.example", "run", Vec::new()),
        ("a tool that nobody picked", "see api and tool", "https://good.example", "run", vec!["tool"]),
    ] {
        world.put("ws/doc.md", text);
        configure(url, tool);
        desk.reload();
        assert_eq!((waiting(&mut desk), waiting(&mut world.desk())), (ids(&expected), ids(&expected)), "{what}");
        assert_eq!(world.waiting().len(), expected.len(), "{what}");
    }
    let another = desk.pick(&session(), &["api".to_owned()], &[]).unwrap();
    assert_eq!((another.summary(), waiting(&mut desk)), ("picked @api".to_owned(), vec!["tool".to_owned()]));
    let again = desk.pick(&session(), &["doc".to_owned()], &[]).unwrap();
    assert_eq!(again.summary(), "already picked: @doc");
    assert_eq!(waiting(&mut desk), ["tool"], "a pick of the document does not say what else it would release");
    desk.pick(&session(), &["tool".to_owned()], &[]).unwrap();
    assert_eq!((waiting(&mut desk), waiting(&mut world.desk())), (Vec::new(), Vec::new()));
    configure("https://evil.example", "run");
    let again = world.desk().pick(&session(), &["api".to_owned()], &[]).unwrap();
    assert_eq!(again.summary(), "already picked: @api; agents may now fetch @api");
    assert_eq!(again.trusted, ["api".into()]);
    assert_eq!(waiting(&mut world.desk()), Vec::<String>::new());
    // An exclusion that a person lifts.
    let mut desk = world.desk();
    desk.exclude(&session(), &["api".to_owned()]).unwrap();
    configure("https://third.example", "run");
    desk.reload();
    desk.include(&session(), &["api".to_owned()]).unwrap();
    assert_eq!((waiting(&mut desk), waiting(&mut world.desk())), (Vec::new(), Vec::new()));
    desk.pick(&session(), &["api".to_owned()], &[]).unwrap();
    // That is not trust in what the workspace itself brings into every conversation.
    let file = world.root.join("ws/references.json");
    let text = fs::read_to_string(&file).unwrap().replacen("]}", r#"], "preselected": ["api"]}"#, 1);
    world.configure(&text);
    let mut desk = world.desk();
    assert_eq!(waiting(&mut desk), ["api"]);
    assert!(desk.preview_picks(&["api".into()]).trusts.is_empty());
}
