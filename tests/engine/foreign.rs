//! A screen's engine on a checkout with forged state files.

use std::fs;

use refdesk_desk::engine::Request;
use refdesk_files::name::sha256_hex;
use serde_json::json;

use crate::engine::world::{World, save};

#[test]
fn state_that_came_with_the_repository_is_not_used() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    save(&workspace.join("references.json"), r#"{"sources": [{"id": "a", "name": "A", "path": "a.md"}]}"#);
    save(&workspace.join("a.md"), "# A\n\n```java\nclass {{Name}} {}\n```\n");
    let victims = [folder.path().join("victim"), workspace.join(".jaato/templates/person.tmpl")];
    victims.iter().for_each(|victim| save(victim, "precious"));
    let entry = json!({"sha256": [sha256_hex(b"precious")], "desks": ["default"]});
    let record =
        json!({"files": {victims[0].display().to_string(): entry, "../../../victim": entry, "person.tmpl": entry}});
    save(&workspace.join(".jaato/refdesk/templates.json"), &record.to_string());
    let after = json!({"file": {"size": 4, "hash": sha256_hex(b"evil")}});
    let step = |name: &str| {
        json!({"path": folder.path().join(name), "shown": name, "old": null, "before": "nothing", "after": after,
               "staged": folder.path().join(format!(".refdesk-{name}.tmp"))})
    };
    for name in [".refdesk-made.tmp", ".refdesk-planted.tmp", "made"] {
        save(&folder.path().join(name), "evil");
    }
    let note = json!({"files": [step("made"), step("planted")], "folders": []});
    save(&workspace.join(".jaato/refdesk/write.json"), &note.to_string());
    save(&workspace.join(".jaato/refdesk/selection.json"), r#"{"picks": ["a"], "exclusions": []}"#);
    let mut world = World::over(folder, workspace);
    let reported = |code: &str, snapshot: &refdesk_desk::engine::Snapshot| {
        snapshot.diagnostics.iter().filter(|problem| problem.code.as_str() == code).count()
    };
    let snapshot = world.until("the picks count", |snapshot| snapshot.selection.contains("a"));
    assert_eq!(reported("foreign-state", &snapshot), 1, "{:?}", snapshot.diagnostics);
    world.send(Request::unpick("a"));
    world.until("it is unpicked", |snapshot| !snapshot.selection.contains("a"));
    world.send(Request::pick("a"));
    let snapshot = world.until("its template is written", |snapshot| {
        snapshot.selection.contains("a") && !snapshot.templates.templates.is_empty()
    });
    assert_eq!(reported("foreign-state", &snapshot), 1, "{:?}", snapshot.diagnostics);
    for victim in victims {
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious", "{}", victim.display());
    }
    assert!(!world.folder.path().join("planted").exists());
    assert_eq!(fs::read_to_string(world.folder.path().join("made")).unwrap(), "evil");
}
