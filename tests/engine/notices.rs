//! Notices about file changes, as shown on the screen.

use refdesk_desk::FileLine;
use refdesk_desk::engine::{Request, Topic};

use crate::engine::world::World;

#[test]
fn a_template_that_changes_breaks_and_is_fixed() {
    let mut world = World::new();
    world.send(Request::pick("kit"));
    world.until("the kit brings its template", |now| now.templates.templates.len() == 1);
    let name = world.snapshots.borrow().templates.templates[0].name.clone();
    world.write("kit/greeting.txt.tpl", "Hello {{ name }} of {{ town }}!\n");
    let reported = world.notice(|notice| notice.text == format!("Template changed: {name}"));
    assert_eq!((reported.reason.as_str(), reported.subject), ("new: town", Some("kit".into())));
    world.write("kit/greeting.txt.tpl", "Hello\n{{ name of {{ town }}!\n{% if %}");
    let reported = world.notice(|notice| notice.topic == Topic::Problem);
    assert!(reported.text.starts_with(&format!("{name} is broken: ")), "{reported:?}");
    let Some(FileLine { path, line }) = reported.place.clone() else { panic!("it names no place: {reported:?}") };
    assert_eq!(path, world.at("kit/greeting.txt.tpl"));
    assert!(reported.reason == format!("kit/greeting.txt.tpl:{line}") && line > 1, "{reported:?}");
    world.write("kit/greeting.txt.tpl", "Hello {{ name }} of {{ town }}!\n");
    world.notice(|notice| notice.text == format!("{name} is fixed"));
}

#[test]
fn the_initial_state_is_not_reported() {
    let files =
        [("references.json", r#"{"sources": []}"#), (".templates/old.tpl", "{{ a"), (".templates/x.tpl", "{{ x }}")];
    let mut world = World::of(&files);
    world.until("both are there", |now| now.templates.templates.len() == 2 && !now.diagnostics.is_empty());
    world.write(".templates/x.tpl", "{{ x }}{{ y }}");
    assert_eq!(world.notice(|_| true).text, "Template changed: x.tpl");
}

#[test]
fn a_lost_file_releases_sources_and_a_dormant_pick_is_reported() {
    let mut world = World::new();
    world.send(Request::pick("a"));
    world.until("b is pulled in", |now| now.selection.contains("b"));
    std::fs::remove_file(world.at("a.md")).unwrap();
    world.notice(|notice| notice.text == "@b left with @a, whose file is missing");
    world.write("a.md", "See b.\n");
    world.notice(|notice| notice.text == "@a now mentions @b: pulled in");
    let whole = std::fs::read_to_string(world.at("references.json")).unwrap();
    world.write("references.json", &whole.replace(r#"{"id": "a", "name": "A", "path": "a.md"},"#, ""));
    world.notice(|notice| notice.text == "@a is gone from the catalog: its pick is dormant");
    world.write("references.json", &whole);
    world.notice(|notice| notice.text == "@a is back: its pick counts again");
}

/// A folder that is moved away, or on a drive that is temporarily missing, empties neither the catalog nor the
/// selection.
#[test]
fn a_workspace_that_is_gone_keeps_its_last_state_and_is_reported() {
    let mut world = World::new();
    world.send(Request::pick("a"));
    world.until("b is pulled in", |now| now.selection.contains("b"));
    let away = world.folder.path().join("away");
    std::fs::rename(&world.workspace, &away).unwrap();
    world.ask(Request::Reload);
    let is_gone = |problem: &refdesk_text::report::Diagnostic| problem.code == refdesk_text::Code::NoWorkspace;
    let now = world.until("it is reported", |now| now.diagnostics.iter().any(is_gone));
    assert_eq!((now.catalog.len(), now.selection.contains("b")), (4, true));
    let problems: Vec<_> = now.diagnostics.iter().map(|it| (it.code, &it.message)).collect();
    assert_eq!(problems.len(), 1, "{problems:?}");
    std::fs::rename(&away, &world.workspace).unwrap();
    world.ask(Request::Reload);
    world.until("it is back", |now| now.diagnostics.is_empty() && now.selection.contains("b"));
    world.write("b.md", "See c.\n");
    world.until("its files are watched again", |now| now.selection.contains("c"));
    std::fs::rename(&world.workspace, &away).unwrap();
    world.until("nobody has to ask", |now| now.diagnostics.iter().any(is_gone));
    std::fs::create_dir(&world.workspace).unwrap();
    world.until("another folder is another workspace", |now| {
        now.catalog.is_empty() && !now.diagnostics.iter().any(is_gone)
    });
}
