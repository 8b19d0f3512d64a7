//! Many files that change at once; thousands in the nightly run.

use std::fmt::Write;
use std::path::Path;
use std::process::Command as Process;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use refdesk_desk::engine::{Request, Snapshot};

use crate::engine::world::{World, mentions, save};
use refdesk_files::scale::scaled;

/// The number of files.
fn count() -> usize {
    scaled(400, 2_000)
}

fn id(number: usize) -> String {
    format!("doc-{:04}", number % count())
}

fn file(number: usize) -> String {
    format!("docs/{:02}/{}.md", number % 40, id(number))
}

/// Each document mentions the one `step` documents later.
fn text(number: usize, step: usize) -> String {
    format!("See {}.\n", id(number + step))
}

fn write_all(workspace: &Path, step: usize) {
    (0..count()).for_each(|number| save(&workspace.join(file(number)), &text(number, step)));
}

fn config() -> String {
    let mut sources = String::new();
    for number in 0..count() {
        let comma = if number == 0 { "" } else { "," };
        write!(sources, r#"{comma}{{"id": "{0}", "name": "{0}", "path": "{1}"}}"#, id(number), file(number)).unwrap();
    }
    format!(r#"{{"sources": [{sources}]}}"#)
}

fn world(step: usize) -> World {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    save(&workspace.join("references.json"), &config());
    write_all(&workspace, step);
    World::over(folder, workspace)
}

fn all_are_at(snapshot: &Snapshot, step: usize) -> bool {
    (0..count()).all(|number| mentions(snapshot, &id(number)).is_some_and(|to| to == [id(number + step)]))
}

#[test]
fn questions_are_answered_while_files_change_and_nothing_is_missed() {
    let mut world = world(1);
    world.until("all is read", |snapshot| all_are_at(snapshot, 1));
    let answered = Arc::new(AtomicBool::new(false));
    let (workspace, stop) = (world.workspace.clone(), answered.clone());
    // Files keep changing until the query is answered.
    let writer = std::thread::spawn(move || {
        let mut rounds = 2;
        loop {
            write_all(&workspace, rounds);
            if stop.load(Ordering::Relaxed) {
                return rounds;
            }
            rounds += 1;
        }
    });
    world.until("the first changes show", |snapshot| !all_are_at(snapshot, 1));
    let began = Instant::now();
    world.ask(Request::Match("what does doc-0007 say?".into()));
    eprintln!("a question while {} files change: answered after {:?}", count(), began.elapsed());
    answered.store(true, Ordering::Relaxed);
    let last = writer.join().unwrap();
    let began = Instant::now();
    world.until("the last of all changes show", |snapshot| all_are_at(snapshot, last));
    eprintln!("the last of {} changes: shown after {:?}", count(), began.elapsed());
}

#[test]
fn a_git_checkout_shows_completely() {
    let folder = tempfile::tempdir().unwrap();
    let workspace = folder.path().join("ws");
    save(&workspace.join("references.json"), &config());
    let git = |arguments: &[&str]| {
        let output = Process::new("git")
            .args(["-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .current_dir(&workspace)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .output()
            .unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    };
    git(&["init", "-q", "-b", "main"]);
    // A branch without documents, so that folders disappear and return too.
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "none"]);
    git(&["branch", "bare"]);
    for (branch, step) in [("one", 1), ("two", 2)] {
        git(&["checkout", "-q", "-b", branch]);
        write_all(&workspace, step);
        git(&["add", "."]);
        git(&["commit", "-q", "-m", branch]);
    }
    let mut world = World::over(folder, workspace.clone());
    world.until("all is read", |snapshot| all_are_at(snapshot, 2));
    for (branch, step) in [("one", 1), ("two", 2), ("one", 1)] {
        let began = Instant::now();
        git(&["checkout", "-q", branch]);
        let checked_out = began.elapsed();
        world.until(branch, |snapshot| all_are_at(snapshot, step));
        eprintln!("checkout of {} files: {checked_out:?}, shown after {:?}", count(), began.elapsed());
    }
    git(&["checkout", "-q", "bare"]);
    world.until("all are missing", |snapshot| {
        snapshot.catalog.sources().iter().all(refdesk_core::catalog::Source::is_missing)
    });
    git(&["checkout", "-q", "two"]);
    world.until("all are back", |snapshot| all_are_at(snapshot, 2));
    // And through the empty branch without waiting in between.
    git(&["checkout", "-q", "bare"]);
    git(&["checkout", "-q", "one"]);
    world.until("all are there", |snapshot| all_are_at(snapshot, 1));
    world.overwrite(&file(3), &text(3, 9));
    let to = id(12);
    world.until_mentions(&id(3), &[to.as_str()]);
}
