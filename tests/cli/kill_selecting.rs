//! Kills processes while they change a desk: stored files are complete, acknowledged changes are present, the lock is
//! free, and the next process removes leftovers.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::{Value, json};

use crate::support::program::{LIMIT, kill};
use crate::support::workspace::{Workspace, inline};
use refdesk_files::scale::scaled;

/// Long ids, so that writing the stored file takes measurable time.
fn id(at: usize) -> String {
    format!("s{at}-{}", "x".repeat(200))
}

const BEFORE: usize = 300;

/// When to kill the process.
#[derive(Debug, Clone, Copy)]
enum Moment {
    Start,
    Writing,
    Written,
}

fn temporaries(folder: &Path) -> Vec<OsString> {
    let names = fs::read_dir(folder).unwrap().filter_map(Result::ok).map(|entry| entry.file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".refdesk-")).collect()
}

/// Waits without sleeping until the moment has come or the process has ended.
fn wait_for(moment: Moment, folder: &Path, child: &mut Child, left_over: &[OsString], stored: u64) {
    let begin = Instant::now();
    let has_come = || match moment {
        Moment::Start => true,
        Moment::Writing => temporaries(folder).iter().any(|name| !left_over.contains(name)),
        Moment::Written => fs::metadata(folder.join("selection.json")).is_ok_and(|it| it.len() != stored),
    };
    while !has_come() && child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < LIMIT, "{moment:?} never comes");
        std::thread::yield_now();
    }
}

#[test]
fn stored_files_are_whole_whenever_a_process_dies() {
    let rounds = scaled(25, 200);
    let sources: Vec<Value> = (0..BEFORE + rounds).map(|at| inline(&id(at), "")).collect();
    let world = Workspace::of(json!(sources), &[]);
    let folder = world.path.join(".jaato/refdesk");
    let before: Vec<String> = (0..BEFORE).map(id).collect();
    let choice = json!({"picks": before, "exclusions": []});
    world.put(".jaato/refdesk/selection.json", choice.to_string().as_bytes());
    let mut acknowledged: Vec<String> = before;
    let mut died = 0;
    for round in 0..rounds {
        let moment = [Moment::Start, Moment::Writing, Moment::Written][round % 3];
        let wanted = id(BEFORE + round);
        let left_over = temporaries(&folder);
        let stored = fs::metadata(folder.join("selection.json")).unwrap().len();
        let mut command = world.command(&["select", &wanted]);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        wait_for(moment, &folder, &mut child, &left_over, stored);
        kill(child.id());
        let status = child.wait().unwrap();
        let picks = world.picks();
        if status.success() {
            acknowledged.push(wanted.clone());
        } else {
            died += 1;
            // If it stored its pick before it died, the pick counts.
            if picks.contains(&wanted) {
                acknowledged.push(wanted);
            }
        }
        assert_eq!(picks, acknowledged, "{moment:?}");
    }
    assert!(died >= rounds / 4, "only {died} died on the way");
    // The desk still works, and leftovers are removed.
    let last = id(BEFORE);
    world.run(&["unselect", &last]);
    world.run(&["select", &last]).exits(0);
    assert_eq!(world.picks().last(), Some(&last));
    assert_eq!(temporaries(&folder), Vec::<OsString>::new());
}
