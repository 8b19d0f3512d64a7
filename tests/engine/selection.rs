//! Picks and exclusions through the engine: previews, undo, and concurrent changes by other processes.

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{self, Actor, Age, Event, Notice, PickReach, Receipts, Request, Response, Snapshot, Topic};
use refdesk_desk::{BulkChange, BulkPreview, CostChange, Desk, Session};
use refdesk_text::Code;

use super::world::{World, options, save, session};

impl World {
    pub fn notice(&mut self, holds: impl Fn(&Notice) -> bool) -> Notice {
        let mut found = None;
        self.event(|event| {
            found = match event {
                Event::Notice(notice) if holds(notice) => Some(notice.clone()),
                // The journal reports selections of other processes.
                Event::Receipts(Receipts { lines, age: Age::Now, .. }) => {
                    lines.iter().map(|(notice, _)| notice).find(|notice| holds(notice)).cloned()
                }
                _ => None,
            };
            found.is_some()
        });
        found.unwrap()
    }
}

#[test]
fn previews_match_what_happens() {
    let mut world = World::new();
    let preview = |world: &World, id: &str| match world.ask(Request::PreviewSelection(id.into())) {
        Response::SelectionPreview(preview) => preview,
        other => panic!("{other:?}"),
    };
    let outlook = preview(&world, "a");
    assert_eq!(outlook.id.as_str(), "a");
    assert_eq!(outlook.toggled.enters, ["a".into(), "b".into()]);
    let total = |snapshot: &Snapshot| i64::try_from(snapshot.agent_tokens()).unwrap();
    let before = world.until("all documents are read", |now| now.loading.is_none() && now.instructions > 0);
    let Response::Picked(Ok(answer)) = world.ask(Request::pick("a")) else { panic!() };
    let picked = world.until("a and b are selected", |snapshot| snapshot.selection.members().len() == 2);
    let documents: i64 = ["a", "b"].iter().map(|id| i64::try_from(picked.tokens[*id]).unwrap()).sum();
    let difference = total(&picked) - total(&before);
    assert!(difference > documents, "the instructions grow too: {difference} {documents}");
    assert_eq!(
        outlook.toggled.cost,
        CostChange { sources: documents, total: difference },
        "as the list and the top line say"
    );
    assert_eq!((outlook.toggled.cost, picked.cost_since(&before)), (answer.0.cost, answer.0.cost));
    assert_eq!(outlook.toggled.leaves.len(), 0);

    let without = preview(&world, "b").excluded;
    assert_eq!(without.leaves, ["b".into()], "excluding what is pulled in releases it");
    world.send(Request::exclude("b"));
    let excluded = world.until("b is excluded, and the instructions lack it", |now| {
        now.selection.members().len() == 1 && now.instructions != picked.instructions
    });
    let sources = -i64::try_from(picked.tokens["b"]).unwrap();
    assert_eq!(without.cost, CostChange { sources, total: total(&excluded) - total(&picked) });
}

/// `hub` mentions twelve sources, the first of these mentions `far`, which mentions `farther`.
fn wide_world() -> World {
    let leaves: Vec<String> = (0..12).map(|nth| format!("leaf-{nth}")).collect();
    let mut files: Vec<(String, String)> =
        leaves.iter().map(|id| (format!("{id}.md"), "Nothing.\n".to_owned())).collect();
    files[0].1 = "See far.\n".to_owned();
    files.push(("hub.md".to_owned(), format!("See {}.\n", leaves.join(", "))));
    files.push(("far.md".to_owned(), "See farther.\n".to_owned()));
    files.push(("farther.md".to_owned(), "Nothing.\n".to_owned()));
    let ids = files.iter().map(|(path, _)| path.trim_end_matches(".md"));
    let entries: Vec<String> =
        ids.map(|id| format!(r#"{{"id": "{id}", "name": "{id}", "path": "{id}.md"}}"#)).collect();
    files.push(("references.json".to_owned(), format!(r#"{{"sources": [{}]}}"#, entries.join(", "))));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    World::of(&files)
}

#[test]
fn a_large_pick_is_made_in_the_chosen_size() {
    for (reach, members, excluded) in [(PickReach::All, 15, 0), (PickReach::Near, 13, 1), (PickReach::Alone, 1, 12)] {
        let mut world = wide_world();
        let Response::LargePick(large) = world.ask(Request::pick_if_few("hub")) else { panic!("it was not asked") };
        let sizes = [&large.whole, &large.near, &large.alone].map(|change| change.enters.len());
        assert_eq!((sizes, large.excludes), ([15, 13, 1], [1, 12]));
        let listed = world.until("the documents are read", |now| now.tokens.contains_key("hub")).tokens["hub"];
        assert_eq!(
            large.alone.cost.sources,
            i64::try_from(listed).unwrap(),
            "one source alone costs what the list says"
        );
        world.send(Request::PickWithin { ids: vec!["hub".into()], reach });
        let now = world.until("the hub is picked", |now| now.selection.is_picked("hub"));
        assert_eq!((now.selection.members().len(), now.selection.excluded().len()), (members, excluded), "{reach:?}");
        world.send(Request::Undo);
        world.until("one undo takes it back", |now| {
            now.selection.members().is_empty() && now.selection.excluded().is_empty()
        });
    }
    let world = wide_world();
    assert!(matches!(world.ask(Request::pick_if_few("far")), Response::Picked(Ok(_))), "few are not asked about");
}

#[test]
fn a_large_pick_of_several_sources_has_the_same_sizes() {
    let ids = || vec!["hub".into(), "leaf-0".into()];
    for (reach, members, excluded) in [(PickReach::All, 15, 0), (PickReach::Near, 14, 1), (PickReach::Alone, 2, 12)] {
        let mut world = wide_world();
        let request = Request::PickWithin { ids: ids(), reach: PickReach::AllIfFew };
        let Response::LargePick(large) = world.ask(request) else { panic!("it was not asked") };
        assert_eq!((large.ids, large.whole.enters.len()), (ids(), 15));
        world.send(Request::PickWithin { ids: ids(), reach });
        let now =
            world.until("both are picked", |now| now.selection.is_picked("hub") && now.selection.is_picked("leaf-0"));
        assert_eq!((now.selection.members().len(), now.selection.excluded().len()), (members, excluded), "{reach:?}");
        world.send(Request::Undo);
        world.until("one undo takes it back", |now| {
            now.selection.members().is_empty() && now.selection.excluded().is_empty()
        });
    }
}

#[test]
fn a_pick_of_nothing_but_missing_sources_has_no_sizes() {
    let entry = |id: &str| format!(r#"{{"id": "{id}", "name": "{id}", "path": "{id}.md"}}"#);
    let catalog = format!(r#"{{"sources": [{}, {}]}}"#, entry("lost"), entry("there"));
    let world = World::of(&[("references.json", &catalog), ("there.md", "Here.\n")]);
    for (ids, expected) in [(&["lost"][..], false), (&["lost", "there"], true), (&["there", "gone"], false)] {
        let request = Request::PickSizes(ids.iter().map(|id| (*id).into()).collect());
        let Response::PickSizes(sizes) = world.ask(request) else { panic!("{ids:?}") };
        assert_eq!(sizes.is_some(), expected, "{ids:?}");
    }
}

#[test]
fn unpicking_lifts_the_exclusions_that_the_pick_made_and_no_others() {
    for reach in [PickReach::Near, PickReach::Alone] {
        let mut world = wide_world();
        world.send(Request::exclude("leaf-3"));
        world.until("one is excluded", |now| now.selection.is_excluded("leaf-3"));
        world.send(Request::PickWithin { ids: vec!["hub".into()], reach });
        world.until("the hub is picked", |now| now.selection.is_picked("hub"));
        // The origin of the exclusions is stored, so another process lifts them too.
        let mut other = Desk::open(options(&world.workspace));
        other.unpick(&Session::of_client("refdesk unselect"), &["hub".to_owned()]).unwrap();
        let now = world.until("the hub is not picked", |now| !now.selection.is_picked("hub"));
        assert_eq!(now.selection.excluded(), ["leaf-3"], "{reach:?}");
        world.send(Request::pick("hub"));
        let now = world.until("the hub is picked again", |now| now.selection.is_picked("hub"));
        assert_eq!(now.selection.members().len(), 14, "with all but what a person excluded");
    }
    // Sources excluded for two picks stay excluded until both picks are gone.
    let mut world = wide_world();
    for id in ["hub", "leaf-0"] {
        world.send(Request::PickWithin { ids: vec![id.into()], reach: PickReach::Alone });
        world.until("it is picked", |now| now.selection.is_picked(id));
    }
    world.send(Request::exclude("hub"));
    let now = world.until("the hub is excluded", |now| now.selection.is_excluded("hub"));
    assert_eq!(now.selection.excluded(), ["far", "hub"]);
    world.send(Request::Clear);
    let now = world.until("nothing is picked", |now| now.selection.members().is_empty());
    assert_eq!(now.selection.excluded(), ["hub"]);
}

#[test]
fn answers_do_not_depend_on_how_much_is_read_yet() {
    let folder = tempfile::tempdir().unwrap();
    let files: &[(&str, &str)] = &[
        ("a.md", "See b.\n"),
        ("b.md", "See c.\n"),
        ("c.md", "Nothing.\n"),
        (
            "references.json",
            r#"{"sources": [
                {"id": "a", "name": "A", "path": "a.md"},
                {"id": "b", "name": "B", "path": "b.md"},
                {"id": "c", "name": "C", "path": "c.md"}
            ]}"#,
        ),
    ];
    for (name, text) in files {
        save(&folder.path().join(name), text);
    }
    // The first request is handled before any document is read.
    let first = |request: Request| {
        let (engine, _events) = engine::start(options(folder.path()), session()).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(engine.ask(engine.session(), request)).unwrap()
    };
    let Response::GraphAnalysis(analysis) = first(Request::AnalyseGraph) else { panic!() };
    assert_eq!(analysis.graph.len(), 3);
    let Response::SelectionPreview(preview) = first(Request::PreviewSelection("a".into())) else { panic!() };
    assert_eq!(preview.toggled.enters.len(), 3);
    let request = Request::PreviewPicks { one: Some("a".into()), all: vec!["a".into(), "b".into()] };
    let Response::PicksPreview { one, all } = first(request) else { panic!() };
    assert_eq!((one.enters.len(), all.enters.len()), (3, 3));
}

#[test]
fn sources_in_the_instructions_are_pulled_in_at_no_cost() {
    let world = World::of(&[
        ("a.md", "See rules and b.\n"),
        ("b.md", "Nothing.\n"),
        ("rules.md", "Nothing.\n"),
        (
            "references.json",
            r#"{"sources": [
                {"id": "a", "name": "A", "path": "a.md"},
                {"id": "b", "name": "B", "path": "b.md"},
                {"id": "rules", "name": "Rules", "path": "rules.md", "mode": "auto"}
            ]}"#,
        ),
    ]);
    let Response::SelectionPreview(preview) = world.ask(Request::PreviewSelection("a".into())) else { panic!() };
    assert_eq!(preview.toggled.enters, ["a".into(), "b".into()], "the rules are there anyway");
    assert!(preview.toggled.cost.sources >= 5 + 3, "{:?}", preview.toggled.cost);
}

#[test]
fn the_price_of_a_prompt_and_the_instructions() {
    let world = World::new();
    let price = |prompt: &str| match world.ask(Request::Price(prompt.into())) {
        Response::Price(price) => price,
        other => panic!("{other:?}"),
    };
    let (nothing, hinted) = (price(""), price("retry, please"));
    assert_eq!(nothing.prompt, 0);
    assert!(hinted.prompt > 4 + 10, "a hint is appended: {hinted:?}");
    assert!(nothing.instructions > 0 && nothing.instructions == hinted.instructions);
}

#[test]
fn undo_and_redo_cover_every_kind_of_change() {
    let mut world = World::new();
    let members = |snapshot: &refdesk_desk::engine::Snapshot| -> Vec<String> {
        snapshot.selection.members().iter().map(|member| member.id.to_string()).collect()
    };
    world.send(Request::pick("a"));
    world.send(Request::exclude("b"));
    world.send(Request::pick("c"));
    world.send(Request::Clear);
    world.until("all is taken back", |now| now.undo == Some("clearing of 2 picks".into()));
    world.send(Request::Undo);
    world.until("a and c are back", |now| members(now) == ["a", "c"] && now.redo.is_some());
    world.send(Request::Undo);
    world.until("c is not", |now| members(now) == ["a"]);
    world.send(Request::Undo);
    world.until("b is pulled in again", |now| members(now) == ["a", "b"]);
    world.send(Request::Undo);
    world.until("nothing is selected", |now| members(now).is_empty() && now.undo.is_none());
    assert_eq!(world.refused(Request::Undo), "there is nothing to undo");
    for expected in [vec!["a", "b"], vec!["a"], vec!["a", "c"], vec![]] {
        world.send(Request::Redo);
        world.until("it is redone", |now| members(now) == expected);
    }
}

#[test]
fn undo_takes_back_only_own_changes() {
    let mut world = World::new();
    world.send(Request::pick("a"));
    world.until("a is picked", |now| now.selection.is_picked("a"));
    let mut other = Desk::open(options(&world.workspace));
    let select = Session::of_client("refdesk select");
    other.pick(&select, &["c".to_owned()], &[]).unwrap();
    let reported = world.notice(|notice| notice.text == "Picked @c");
    assert_eq!(reported.who, Actor::Other("refdesk select".into()));
    world.send(Request::Undo);
    let after = world.until("a is not", |now| !now.selection.is_picked("a"));
    assert!(after.selection.is_picked("c"), "what the other picked stays");
    let reported = world.notice(|notice| notice.text.starts_with("Undone: pick of @a"));
    assert!(reported.text.ends_with("another process has changed @c since, which stays"), "{}", reported.text);
    assert_eq!(
        (reported.who, reported.topic, reported.reason.as_str()),
        (Actor::You, Topic::Selection, "left with it: @b, ~3 tokens")
    );
    // One notice per action: the next one is about the next action, and nothing is repeated.
    world.send(Request::Redo);
    let reported = world.notice(|_| true);
    assert_eq!(
        (reported.text.as_str(), reported.reason.as_str()),
        ("Redone: pick of @a", "came with it: @b, ~3 tokens")
    );
    world.send(Request::Undo);
    assert_eq!(world.notice(|_| true).text, "Undone: pick of @a");

    world.send(Request::pick("a"));
    world.until("a is picked again", |now| now.selection.is_picked("a"));
    other.unpick(&select, &["a".to_owned()]).unwrap();
    world.until("the other took it back", |now| !now.selection.is_picked("a"));
    assert!(world.refused(Request::Undo).contains("another process has changed @a since"));
}

#[test]
fn an_edit_reports_new_mentions_with_their_location() {
    let mut world = World::new();
    world.send(Request::pick("a"));
    world.until("b is pulled in", |now| now.selection.contains("b"));
    world.write("b.md", "Nothing.\n\nSee [c](./c.md).\n");
    let reported = world.notice(|notice| notice.text == "@b now mentions @c: pulled in");
    assert_eq!((reported.who, reported.reason.as_str(), reported.subject), (Actor::Files, "b.md:3", Some("c".into())));
    assert_eq!(reported.time.len(), "12:03:41".len());
    world.write("b.md", "Nothing.\n");
    world.notice(|notice| notice.text == "@b no longer mentions @c: it left the selection");
}

#[test]
fn a_damaged_selection_keeps_the_picks_and_is_set_aside_by_the_next_change() {
    let mut world = World::new();
    world.send(Request::pick("a"));
    world.until("a is picked", |now| now.selection.is_picked("a"));
    let file = world.workspace.join(".jaato/refdesk/selection.json");
    let good = std::fs::read_to_string(&file).unwrap();
    let is_damaged = |now: &refdesk_desk::engine::Snapshot| now.diagnostics.iter().any(|it| it.code == Code::Damaged);
    for damage in ["", "{\"picks\": [1]}", "[]"] {
        world.overwrite(".jaato/refdesk/selection.json", damage);
        let now = world.until("it is reported", is_damaged);
        assert!(now.selection.is_picked("a"), "{damage}");
        assert_eq!(std::fs::read_to_string(&file).unwrap(), damage, "left alone: another process may be writing it");
        world.overwrite(".jaato/refdesk/selection.json", &good);
        world.until("it is fixed", |now| !is_damaged(now));
    }
    world.overwrite(".jaato/refdesk/selection.json", "{");
    world.until("it is reported", is_damaged);
    world.send(Request::pick("c"));
    let now = world.until("c is picked", |now| now.selection.is_picked("c"));
    assert!(now.selection.is_picked("a") && is_damaged(&now), "and what was set aside stays reported");
    let kept = std::fs::read_dir(file.parent().unwrap()).unwrap().flatten();
    let asides = kept.filter(|entry| entry.file_name().to_string_lossy().contains(".damaged-"));
    assert_eq!(asides.count(), 1);
}

#[test]
fn bulk_actions_on_several_sources() {
    let mut world = World::of(&[
        ("a.md", "See b.\n"),
        ("b.md", "Nothing.\n"),
        ("c.md", "See d.\n"),
        ("d.md", "Nothing.\n"),
        ("rules.md", "Nothing.\n"),
        (
            "references.json",
            r#"{"sources": [
                {"id": "a", "name": "A", "path": "a.md"},
                {"id": "b", "name": "B", "path": "b.md"},
                {"id": "c", "name": "C", "path": "c.md"},
                {"id": "d", "name": "D", "path": "d.md"},
                {"id": "gone", "name": "Gone", "path": "gone.md"},
                {"id": "rules", "name": "Rules", "path": "rules.md", "mode": "auto"}
            ]}"#,
        ),
    ]);
    world.send(Request::pick("a"));
    world.send(Request::exclude("d"));
    world.until("a is picked and d excluded", |now| now.selection.is_picked("a") && now.selection.is_excluded("d"));
    let ids = ["a", "b", "c", "d", "gone", "rules"].map(Into::into);
    let preview = |world: &World| match world.ask(Request::PreviewBulk(ids.to_vec())) {
        Response::BulkPreview(preview) => *preview,
        other => panic!("{other:?}"),
    };
    let BulkPreview { sources, pick, unpick, exclude, include } = preview(&world);
    let of = |bulk: &BulkChange| {
        let words = |ids: &[SourceId]| ids.iter().map(SourceId::as_str).collect::<Vec<_>>().join(" ");
        [words(&bulk.ids), words(&bulk.change.enters), words(&bulk.change.leaves)]
    };
    assert_eq!(sources, 6);
    assert_eq!(
        of(&pick),
        ["b c", "c", ""],
        "neither what is picked, excluded or missing nor what an agent gets anyway"
    );
    assert_eq!(of(&unpick), ["a", "", "a b"]);
    assert_eq!(of(&exclude), ["a b c gone", "", "a b"]);
    assert_eq!(of(&include), ["d", "", ""]);
    assert!(pick.change.cost.sources > 0 && unpick.change.cost.sources < 0);

    // It is one change, and one undo reverts it.
    world.send(Request::Exclude(exclude.ids));
    let after = world.until("a is no longer picked", |now| !now.selection.is_picked("a"));
    assert_eq!((after.selection.members().len(), after.selection.excluded().len()), (0, 5));
    assert_eq!(after.undo, Some("exclusion of 4 sources".into()));
    world.send(Request::Undo);
    let undone = world.until("a is picked again", |now| now.selection.is_picked("a"));
    assert_eq!((undone.selection.members().len(), undone.selection.excluded().len()), (2, 1));

    // An exclusion that would end with a pick outlasts it.
    world.send(Request::unpick("a"));
    world.until("a is not picked", |now| !now.selection.is_picked("a"));
    world.send(Request::PickWithin { ids: vec!["a".into()], reach: PickReach::Alone });
    world.until("b is excluded for a", |now| now.selection.is_picked("a") && now.selection.is_excluded("b"));
    let exclude = preview(&world).exclude;
    assert_eq!(of(&exclude), ["a b c gone", "", "a"]);
    world.send(Request::Exclude(exclude.ids));
    let after = world.until("a is excluded", |now| now.selection.is_excluded("a"));
    assert!(after.selection.is_excluded("b"), "{:?}", after.selection.excluded());
}
