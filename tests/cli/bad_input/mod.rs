//! Bad input of every kind: each run must end with an exit code of BEHAVIOUR §10 and a diagnostic with a position and a
//! fix, and lose no data. `support::program` also checks every run for panics, signals and hangs.

use serde_json::{Value, json};

use crate::support::workspace::{Workspace, ids, inline};

mod concurrent;
mod configuration;
mod files;
mod ids_and_tags;
mod paths;
mod state;
mod streams;

/// A good source that must stay unaffected by bad ones.
fn good_source() -> Value {
    inline("kept", "stays")
}

/// The codes of `check`'s diagnostics, without the warning that nothing brings up a source: these tests' sources have
/// no tags.
#[track_caller]
fn codes(world: &Workspace) -> Vec<String> {
    let ran = world.run(&["--format", "json", "check"]);
    let document = ran.json();
    assert_eq!(ran.code == 0, document["valid"] == true, "{ran}");
    let rows = |key: &str| document[key].as_array().unwrap().clone();
    let all = [rows("errors"), rows("warnings")].concat();
    for diagnostic in &all {
        for key in ["file", "message", "hint"] {
            assert!(diagnostic[key].as_str().is_some_and(|text| !text.is_empty()), "{key} of {diagnostic}");
        }
    }
    all.iter().map(|it| it["code"].as_str().unwrap().to_owned()).filter(|code| code != "never-found").collect()
}

/// Checks that the good source is listed and can be picked.
#[track_caller]
fn check_good_source(world: &Workspace) {
    assert!(ids(&world.json(&["list"], 0)["sources"]).contains(&"kept".to_owned()));
    assert_eq!(world.json(&["select", "kept"], 0)["status"], "success");
}

/// A workspace whose only good source is a discovered one, whatever the configuration contains.
fn discovered() -> Workspace {
    let world = Workspace::new();
    world.put(".jaato/references/kept.json", good_source().to_string().as_bytes());
    world
}

/// A workspace with this source and the good one.
fn with_source(source: Value, files: &[(&str, &str)]) -> Workspace {
    Workspace::of(json!([good_source(), source]), files)
}
