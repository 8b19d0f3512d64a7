//! Picks and exclusions through the engine: previews, undo, and other processes in between.

use refdesk_desk::engine::{Age, Event, Notice, Receipts, Request, Response, Topic, Who};
use refdesk_desk::{Desk, Session};
use refdesk_text::Code;

use super::world::{World, options};

impl World {
    pub fn notice(&mut self, holds: impl Fn(&Notice) -> bool) -> Notice {
        let mut found = None;
        self.event(|event| {
            found = match event {
                Event::Notice(notice) if holds(notice) => Some(notice.clone()),
                // Selections of other processes are reported by the journal.
                Event::Receipts(Receipts { told, age: Age::Now, .. }) => {
                    told.iter().map(|(notice, _)| notice).find(|notice| holds(notice)).cloned()
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
    world.send(Request::pick("a"));
    let picked = world.until("a and b are selected", |snapshot| snapshot.selection.members().len() == 2);
    let tokens: u64 = ["a", "b"].iter().map(|id| picked.tokens[*id]).sum();
    assert_eq!((outlook.toggled.tokens_in, outlook.toggled.leaves.len()), (tokens, 0));

    assert_eq!(preview(&world, "b").barred.leaves, ["b".into()], "excluding what is pulled in releases it");
}

#[test]
fn undo_and_redo_cover_every_kind_of_change() {
    let mut world = World::new();
    let members = |snapshot: &refdesk_desk::engine::Snapshot| -> Vec<String> {
        snapshot.selection.members().iter().map(|member| member.id.to_string()).collect()
    };
    world.send(Request::pick("a"));
    world.send(Request::Exclude("b".into()));
    world.send(Request::pick("c"));
    world.send(Request::Clear);
    world.until("all is taken back", |now| now.undo.as_deref() == Some("unpick of 2 sources"));
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
    let told = world.notice(|notice| notice.text == "Picked @c");
    assert_eq!(told.who, Who::Other("refdesk select".into()));
    world.send(Request::Undo);
    let after = world.until("a is not", |now| !now.selection.is_picked("a"));
    assert!(after.selection.is_picked("c"), "what the other picked stays");
    let told = world.notice(|notice| notice.text.starts_with("Undone: pick of @a"));
    assert!(told.text.ends_with("another process has changed @c since, which stays"), "{}", told.text);
    assert_eq!(
        (told.who, told.topic, told.reason.as_str()),
        (Who::You, Topic::Selection, "left with it: @b, ~3 tokens")
    );
    // One notice per action: the next one is about the next action, and nothing is repeated.
    world.send(Request::Redo);
    let told = world.notice(|_| true);
    assert_eq!((told.text.as_str(), told.reason.as_str()), ("Redone: pick of @a", "came with it: @b, ~3 tokens"));
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
    let told = world.notice(|notice| notice.text == "@b now mentions @c: pulled in");
    assert_eq!((told.who, told.reason.as_str(), told.subject), (Who::Files, "b.md:3", Some("c".into())));
    assert_eq!(told.time.len(), "12:03:41".len());
    world.write("b.md", "Nothing.\n");
    world.notice(|notice| notice.text == "@b no longer mentions @c: it left");
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
