//! Kills processes while they write files: each file is the old or the new one, never half of it. After a killed batch,
//! the next command that writes leaves all new or all old files and no leftovers.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::Instant;

use serde_json::json;

use crate::support::program::{LIMIT, kill};
use crate::support::workspace::Workspace;
use refdesk_files::scale::scaled;

/// Waits without sleeping until the moment has come or the process has ended.
fn wait_for(has_come: impl Fn() -> bool, child: &mut Child) {
    let begin = Instant::now();
    while !has_come() && child.try_wait().unwrap().is_none() {
        assert!(begin.elapsed() < LIMIT, "the moment never comes");
        std::thread::yield_now();
    }
}

/// Starts the program and kills it at this moment. Returns whether it was still running.
fn kill_at(world: &Workspace, words: &[&str], has_come: impl Fn() -> bool) -> bool {
    let mut command = world.command(words);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    wait_for(has_come, &mut child);
    kill(child.id());
    !child.wait().unwrap().success()
}

/// Whether the file begins with this text. Reading all of it would miss the moment.
fn begins(file: &Path, text: &str) -> bool {
    let mut begin = vec![0; text.len()];
    fs::File::open(file).and_then(|mut file| file.read_exact(&mut begin)).is_ok() && begin == text.as_bytes()
}

fn unfinished(folder: &Path) -> usize {
    let Ok(entries) = fs::read_dir(folder) else { return 0 };
    entries.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().starts_with(".refdesk-")).count()
}

/// The text of a version, which every line names.
fn text(version: usize) -> String {
    format!("{version}\n").repeat(scaled(20_000, 50_000))
}

#[test]
fn one_file_is_the_old_or_the_new_one() {
    let rounds = scaled(25, 200);
    let world = Workspace::new();
    let file = world.path.join("out/file.txt");
    world.put("out/file.txt", text(0).as_bytes());
    let (mut current, mut died) = (0, 0);
    for round in 1..=rounds {
        world.put("text.tpl", text(round).as_bytes());
        let words = ["render", "--file", "text.tpl", "--output", "out/file.txt", "--overwrite", "--yes"];
        let before = unfinished(&world.path.join("out"));
        died += usize::from(kill_at(&world, &words, || match round % 3 {
            0 => true,
            1 => unfinished(&world.path.join("out")) > before,
            _ => begins(&file, &format!("{round}\n")),
        }));
        let now = fs::read_to_string(&file).unwrap();
        if now == text(round) {
            current = round;
        }
        assert!(now == text(current), "round {round}: neither old nor new");
    }
    assert!(died >= rounds / 8, "only {died} died on the way");
    world.run(&["render", "--inline", "last", "--output", "out/file.txt", "--overwrite", "--yes"]).exits(0);
    assert_eq!((unfinished(&world.path.join("out")), world.read("out/file.txt").as_str()), (0, "last"));
}

#[test]
fn many_files_are_all_old_or_all_new_after_the_next_command() {
    // Enough files for some time between the first rename and the last.
    let files = scaled(120, 300);
    let rounds = scaled(25, 200);
    let world = Workspace::new();
    // Deep folders slow down each rename.
    let deep = "d/".repeat(60);
    let (one, two) = (format!("one/{deep}"), format!("two/{deep}"));
    // Every third file is new in every round.
    let name = |round: usize, at: usize| match at % 3 {
        0 => format!("new/{round}/{at}.txt"),
        1 => format!("{one}{at}.txt"),
        _ => format!("{two}{at}.txt"),
    };
    let staged = || unfinished(&world.path.join(&one));
    let old: Vec<usize> = (0..files).filter(|at| at % 3 != 0).collect();
    for at in &old {
        world.put(&name(0, *at), b"0");
    }
    let note = world.path.join(".jaato/refdesk/write.json");
    let (mut current, mut died, mut midway) = (0, 0, 0);
    // Repeats until enough processes died between two renames, since no single moment guarantees it.
    for round in 1..=20 * rounds {
        if round > rounds && midway > 2 {
            break;
        }
        let rows: Vec<_> =
            (0..files).map(|at| json!({"inline": round.to_string(), "output": name(round, at)})).collect();
        world.put("rows.json", json!(rows).to_string().as_bytes());
        let words = ["render", "--batch", "@rows.json", "--overwrite", "--yes"];
        let is_new =
            |at: usize| fs::read(world.path.join(name(round, at))).is_ok_and(|it| it == round.to_string().as_bytes());
        let before = staged();
        died += usize::from(kill_at(&world, &words, || match round % 10 {
            0 => true,
            1 => staged() > before,
            2 => staged() > before + 10,
            3 => note.exists(),
            4 => is_new(files - 1),
            other => is_new(other - 5),
        }));
        let new = (0..files).filter(|at| is_new(*at)).count();
        midway += usize::from(new > 0 && new < files);
        // Any command that writes.
        match round % 2 {
            0 => world.run(&["clear"]).exits(0),
            _ => world.run(&["render", "--inline", "x", "--output", "other.txt", "--overwrite", "--yes"]).exits(0),
        };
        assert!(!note.exists());
        let new = (0..files).filter(|at| is_new(*at)).count();
        assert!(new == 0 || new == files, "round {round}: {new} of {files} are new");
        if new == files {
            current = round;
        } else {
            let made = fs::read_dir(world.path.join(format!("new/{round}")));
            assert_eq!(made.map_or(0, Iterator::count), 0, "round {round}: temporary files stay");
        }
        for at in &old {
            assert_eq!(world.read(&name(round, *at)), current.to_string(), "round {round}, file {at}");
        }
    }
    assert!(died >= rounds / 4, "only {died} died on the way");
    assert!(midway > 2, "only {midway} died between two files");
    let rows: Vec<_> = (0..files).map(|at| json!({"inline": "last", "output": name(0, at)})).collect();
    world.run(&["render", "--batch", &json!(rows).to_string(), "--overwrite", "--yes"]).exits(0);
    for folder in [&*one, &two, "new/0", ".jaato/refdesk"] {
        assert_eq!(unfinished(&world.path.join(folder)), 0, "{folder}");
    }
}

#[test]
fn a_catalog_is_written_as_a_whole_or_not_at_all() {
    const FILES: usize = 40;
    let rounds = scaled(12, 100);
    let (mut died, mut whole) = (0, 0);
    for round in 0..rounds {
        let world = Workspace::new();
        for at in 0..FILES {
            world.put(&format!("docs/story-{at}.md"), format!("# Story {at}\n").as_bytes());
        }
        let references = world.path.join(".jaato/references");
        let written = || {
            let entries = fs::read_dir(&references).into_iter().flatten().flatten();
            entries.filter(|entry| entry.file_name().to_string_lossy().starts_with("story-")).count()
        };
        died += usize::from(kill_at(&world, &["init", "--yes"], || match round % 3 {
            0 => world.path.join(".jaato/refdesk/write.json").exists(),
            1 => written() > 0,
            _ => written() > FILES / 2,
        }));
        world.run(&["render", "--inline", "x", "--output", "other.txt", "--overwrite", "--yes"]).exits(0);
        let found = written();
        assert!(found == 0 || found == FILES, "round {round}: {found} of {FILES}");
        whole += usize::from(found == FILES);
        world.run(&["init", "--yes"]).exits(0);
        assert_eq!((written(), unfinished(&references)), (FILES, 0));
    }
    assert!(died >= rounds / 4, "only {died} of {rounds} died on the way, {whole} catalogs were whole");
}
