//! Many concurrent processes on one desk: no pick is lost.

use serde_json::{Value, json};

use crate::support::program::finish;
use crate::support::workspace::{Workspace, inline};
use refdesk_files::scale::scaled;

#[test]
fn many_at_once_all_count() {
    let many = scaled(60, 200);
    let sources: Vec<Value> = (0..many).map(|at| inline(&format!("s{at}"), "")).collect();
    let world = Workspace::of(json!(sources), &[]);
    let children: Vec<_> = (0..many)
        .map(|at| {
            let mut command = world.command(&["select", &format!("s{at}")]);
            command.stdin(std::process::Stdio::null());
            command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
            command.spawn().expect("the program starts")
        })
        .collect();
    for (at, child) in children.into_iter().enumerate() {
        let ran = finish(format!("select s{at}"), child, None).exits(0);
        assert!(ran.text().contains(&format!("@s{at}")) && ran.stderr.is_empty(), "{ran}");
    }
    let mut picks = world.picks();
    picks.sort();
    let mut expected: Vec<String> = (0..many).map(|at| format!("s{at}")).collect();
    expected.sort();
    assert_eq!(picks, expected);
    assert_eq!(world.json(&["list", "--selected"], 0)["total"], many);
}

#[test]
fn picks_and_exclusions_and_sessions_side_by_side() {
    let sources: Vec<Value> = (0..40).map(|at| inline(&format!("s{at}"), "")).collect();
    let world = Workspace::of(json!(sources), &[]);
    std::thread::scope(|scope| {
        for at in 0..20 {
            let world = &world;
            scope.spawn(move || world.run(&["select", &format!("s{at}")]).exits(0));
            scope.spawn(move || world.run(&["exclude", &format!("s{}", at + 20)]).exits(0));
            scope.spawn(move || world.feed(&["enrich"], format!("@s{at}").as_bytes()).exits(0));
            scope.spawn(move || world.run(&["list"]).exits(0));
        }
    });
    let listed = world.json(&["list"], 0);
    let count = |key: &str| listed["sources"].as_array().unwrap().iter().filter(|it| it[key] == true).count();
    assert_eq!((count("picked"), count("excluded")), (20, 20));
    let everything: Vec<String> = (0..20).map(|at| format!("@s{at}")).collect();
    let reported = world.feed(&["enrich"], everything.join(" ").as_bytes()).exits(0);
    assert_eq!(reported.text().matches("given above").count(), 20, "every session's memory was kept: {reported}");
}
