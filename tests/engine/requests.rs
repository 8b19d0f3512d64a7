//! Requests of other processes arrive at a screen, are answered there, and disappear. Only a screen's engine handles
//! them.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use refdesk_desk::channel::{
    Approval, ChannelAnswer, ChannelSetup, NoAnswer, Request, Requester, Wait, folder, presence,
};
use refdesk_desk::engine::{self, ClientKind, Ending, Event, OtherAnswer, Reply, RequestEnd, Snapshot};
use refdesk_desk::{Desk, Session};
use refdesk_files::write_atomic;

use crate::engine::world::{LONG, World, options, save, session};

/// A workspace with a screen.
fn with_screen() -> World {
    let world = World::new();
    let World { folder, workspace, engine, .. } = world;
    drop(engine);
    screen(folder, workspace)
}

fn screen(folder: tempfile::TempDir, workspace: std::path::PathBuf) -> World {
    let engine = engine::start_for(ClientKind::Person, options(&workspace), Session::of_client("a screen")).unwrap();
    World::with(folder, workspace, engine)
}

/// Asks like an agent, in a separate thread.
fn ask(
    workspace: &Path,
    approval: Option<Approval>,
    seconds: f64,
) -> (Request, thread::JoinHandle<Result<ChannelAnswer, NoAnswer>>) {
    let mut desk = Desk::open(options(workspace));
    let mut setup = ChannelSetup::of(&desk);
    let mut request = match approval {
        None => refdesk_desk::channel::request(&desk.settled(), &session(), "to test", &[]),
        Some(approval) => {
            let asker = Requester { who: "claude over mcp".to_owned(), ..Requester::default() };
            refdesk_desk::channel::approval(&setup, asker, "to test", approval)
        }
    };
    request.timeout = Some(seconds);
    setup.settings.kind = refdesk_core::config::ChannelKind::File;
    let asked = request.clone();
    let wait = Wait::until(Instant::now() + Duration::from_secs_f64(seconds));
    let asking = thread::spawn(move || {
        let channel = refdesk_desk::channel::open(&setup, refdesk_desk::channel::Place::Protocol)
            .map_err(|_| NoAnswer::TimedOut)?;
        channel.ask(&asked, &wait)
    });
    (request, asking)
}

fn is_waiting(snapshot: &Snapshot, request: &Request) -> bool {
    snapshot.requests.iter().any(|waiting| waiting.request.request_id == request.request_id)
}

fn wait_for_end(world: &mut World, request: &Request) -> RequestEnd {
    let id = request.request_id.clone();
    let event = world.event(|event| matches!(event, Event::Closed(over) if over.request.request_id == id));
    match event {
        Event::Closed(over) => over.ended,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_request_arrives_is_answered_and_disappears() {
    let mut world = with_screen();
    let (request, asking) = ask(&world.workspace, None, 60.0);
    let snapshot = world.until("it waits", |snapshot| is_waiting(snapshot, &request));
    assert_eq!(*snapshot.requests[0].request, request);
    assert!(snapshot.requests[0].until.is_some());
    let chosen = Reply::Chosen(vec!["a".to_owned(), "c".to_owned()]);
    world.send(engine::Request::Reply { request: Arc::new(request.clone()), reply: chosen.clone() });
    assert_eq!(wait_for_end(&mut world, &request), RequestEnd::Here(chosen));
    let answered = asking.join().unwrap().unwrap();
    assert_eq!(answered.selected, ["a", "c"]);
    assert_eq!(answered.by.as_deref(), Some("a screen"));
    world.until("it is gone", |snapshot| snapshot.requests.is_empty());
    // The asker makes the picks, which can be undone on the screen where they were chosen.
    Desk::open(options(&world.workspace)).pick(&session(), &answered.selected, &[]).unwrap();
    let is_step = |snapshot: &Snapshot| snapshot.undo.as_ref().is_some_and(|undo| undo.text.starts_with("answer to "));
    world.until("it can be undone", |snapshot| snapshot.selection.is_picked("a") && is_step(snapshot));
    world.send(engine::Request::Undo);
    world.until("it is undone", |snapshot| snapshot.selection.members().is_empty() && snapshot.undo.is_none());
    // Picks by others cannot be undone here.
    Desk::open(options(&world.workspace)).pick(&session(), &["b".to_owned()], &[]).unwrap();
    world.until("b is picked", |snapshot| snapshot.selection.is_picked("b") && snapshot.undo.is_none());
}

#[test]
fn approval_and_refusal() {
    let mut world = with_screen();
    for (reply, approved) in [(Reply::Yes, true), (Reply::No, false)] {
        let approval = Approval {
            path: "src/A.java".to_owned(),
            template: None,
            summary: "+1 −0".to_owned(),
            diff: "--- /dev/null\n+++ b/src/A.java\n".to_owned(),
            warnings: Vec::new(),
        };
        let (request, asking) = ask(&world.workspace, Some(approval), 60.0);
        world.until("it waits", |snapshot| is_waiting(snapshot, &request));
        let other = Request { context: "another".to_owned(), ..request.clone() };
        let other = engine::Request::Reply { request: Arc::new(other), reply: reply.clone() };
        assert!(world.refused(other).contains("has changed since it was shown"));
        world.send(engine::Request::Reply { request: Arc::new(request.clone()), reply });
        assert_eq!(asking.join().unwrap().unwrap().approved, approved);
    }
}

#[test]
fn the_first_answer_of_two_screens_wins_and_the_other_sees_it() {
    let mut one = with_screen();
    let mut two = screen(tempfile::tempdir().unwrap(), one.workspace.clone());
    let (request, asking) = ask(&one.workspace, None, 60.0);
    one.until("it waits", |snapshot| is_waiting(snapshot, &request));
    two.until("it waits", |snapshot| is_waiting(snapshot, &request));
    let shown = || Arc::new(request.clone());
    one.send(engine::Request::Reply { request: shown(), reply: Reply::Chosen(vec!["b".to_owned()]) });
    assert_eq!(wait_for_end(&mut one, &request), RequestEnd::Here(Reply::Chosen(vec!["b".to_owned()])));
    let ended = wait_for_end(&mut two, &request);
    assert!(matches!(ended, RequestEnd::Elsewhere(_) | RequestEnd::Withdrawn), "{ended:?}");
    let late = engine::Request::Reply { request: shown(), reply: Reply::No };
    assert!(two.refused(late).contains("too late"));
    let came = asking.join().unwrap();
    assert_eq!(came.as_ref().unwrap().selected, ["b"]);
    // If the request's files were gone before the other screen read them, the journal says who answered.
    Desk::open(options(&one.workspace)).journal(&session(), refdesk_desk::channel::answer_receipt(&request, &came));
    if ended == RequestEnd::Withdrawn {
        assert_eq!(
            wait_for_end(&mut two, &request),
            RequestEnd::Elsewhere(OtherAnswer {
                by: Some("a screen".to_owned()),
                reply: Some(Reply::Chosen(vec!["b".to_owned()])),
            })
        );
    }
}

#[test]
fn an_unanswered_request_goes_when_it_times_out() {
    let mut world = with_screen();
    let (request, asking) = ask(&world.workspace, None, 1.0);
    world.until("it waits", |snapshot| is_waiting(snapshot, &request));
    assert!(matches!(wait_for_end(&mut world, &request), RequestEnd::TimedOut | RequestEnd::Withdrawn));
    world.until("it is gone", |snapshot| snapshot.requests.is_empty());
    assert_eq!(asking.join().unwrap(), Err(NoAnswer::TimedOut));
}

#[test]
fn a_request_goes_when_its_asker_is_killed() {
    let mut world = with_screen();
    let folder = folder::default_folder(&world.workspace).path().join("requests");
    fs::create_dir_all(&folder).unwrap();
    let mut desk = Desk::open(options(&world.workspace));
    let request = refdesk_desk::channel::request(&desk.settled(), &session(), "to test", &[]);
    let path = folder.join(format!("{}.json", request.request_id));
    let staged = folder.join("staged");
    write_atomic(&staged, &serde_json::to_vec(&request).unwrap()).unwrap();
    let held = fs::File::open(&staged).unwrap();
    held.lock().unwrap();
    fs::rename(&staged, &path).unwrap();
    world.until("it waits", |snapshot| is_waiting(snapshot, &request));
    // The kernel does the same when a process is killed.
    drop(held);
    let ended = wait_for_end(&mut world, &request);
    assert!(matches!(ended, RequestEnd::RequesterExited | RequestEnd::Withdrawn), "{ended:?}");
    world.until("it is gone", |snapshot| snapshot.requests.is_empty());
}

#[test]
fn only_a_screen_handles_requests() {
    let world = World::new();
    assert!(!presence::is_open(&world.workspace, presence::PresenceKind::Screen));
    let World { folder, workspace, engine, events, .. } = world;
    drop(events);
    let mut screen = screen(folder, workspace.clone());
    assert!(presence::is_open(&workspace, presence::PresenceKind::Screen));
    screen.runtime.block_on(async { tokio::time::timeout(LONG, engine.close(LONG)).await.unwrap() });
    assert!(presence::is_open(&workspace, presence::PresenceKind::Screen));
    screen.until("no request", |snapshot| Arc::clone(&snapshot.requests).is_empty());
    let World { engine, events, runtime, .. } = screen;
    drop(events);
    assert_eq!(runtime.block_on(engine.close(LONG)), Ending::Closed);
    assert!(!presence::is_open(&workspace, presence::PresenceKind::Screen));
}

#[test]
fn a_screen_is_notified_when_an_agent_connects_or_disconnects() {
    let mut world = with_screen();
    let workspace = world.workspace.clone();
    let connected = |world: &World| match world.ask(engine::Request::Agents) {
        engine::Response::Agents(activity) => {
            assert!(activity.connected.iter().all(|session| session == "s-1"), "{activity:?}");
            activity.connected.len()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(connected(&world), 0);
    let mut wait_for = |expected: usize| {
        while connected(&world) != expected {
            world.event(|event| matches!(event, Event::Agents));
        }
    };
    let agents = [(); 2].map(|()| presence::connect(&workspace, "s-1").unwrap());
    wait_for(2);
    drop(agents);
    wait_for(0);
    // A killed server leaves its file, and only its lock is released.
    let left = workspace.join(presence::PresenceKind::Agent.folder()).join(".refdesk-killed.tmp");
    let killed = fs::File::create(&left).unwrap();
    killed.lock().unwrap();
    save(&left, "1\ns-1");
    wait_for(1);
    drop(killed);
    wait_for(0);
    assert!(left.exists());
}
