//! An agent's acknowledged actions appear on a screen soon and with its name, while two servers, an agent's hook and a
//! screen work as fast as they can. Only prints the times; `benches/live.rs` checks them.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::{Duration, Instant};

use refdesk_core::config::WorkspaceContext;
use refdesk_desk::engine::{self, ClientKind, Event, Notice, Reply, Request, Snapshot};
use refdesk_desk::{Options, Session};
use serde_json::json;
use tokio::sync::oneshot;

use crate::live::actors::{Hook, Progress, Screen, Server};
use crate::live::world::trusted;
use crate::support::program::LIMIT;
use crate::support::workspace::{STATE, Workspace};
use refdesk_files::scale::scaled;

/// What a screen received, and when.
#[derive(Default)]
struct ReceivedEvents {
    rows: Mutex<Vec<(Instant, Notice)>>,
    /// Requests by id, with the time at which they appeared.
    requests: Mutex<HashMap<String, (Instant, String)>>,
    more: Condvar,
}

impl ReceivedEvents {
    fn add(&self, notices: Vec<Notice>) {
        let now = Instant::now();
        self.rows.lock().unwrap().extend(notices.into_iter().map(|notice| (now, notice)));
        self.more.notify_all();
    }

    /// Records a request; returns whether it is new.
    fn is_asked(&self, request_id: &str, who: String) -> bool {
        let mut requests = self.requests.lock().unwrap();
        let is_new = !requests.contains_key(request_id);
        requests.entry(request_id.to_owned()).or_insert((Instant::now(), who));
        is_new
    }

    /// Waits for this row; returns all rows so far.
    #[track_caller]
    fn until(&self, text: &str) -> Vec<(Instant, Notice)> {
        let is_there = |rows: &Vec<(Instant, Notice)>| rows.iter().any(|(_, notice)| notice.text == text);
        let rows = self.rows.lock().unwrap();
        let (rows, late) = self.more.wait_timeout_while(rows, LIMIT, |rows| !is_there(rows)).unwrap();
        assert!(!late.timed_out(), "never told: {text}; but {:#?}", rows.iter().rev().take(20).collect::<Vec<_>>());
        rows.clone()
    }
}

/// A screen's engine that answers every request at once with an empty choice. Dropping the returned sender ends it.
fn listen(workspace: &Workspace, reported: &Arc<ReceivedEvents>) -> oneshot::Sender<()> {
    let context = WorkspaceContext { workspace: workspace.path.clone(), ..WorkspaceContext::default() };
    let state = Some(workspace.beside(STATE));
    let options = Options { state, ..Options::new(context) };
    let session = Session::of_client("another screen");
    let (engine, mut events) = engine::start_for(ClientKind::Person, options, session).unwrap();
    let mut snapshots = engine.snapshots();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let is_ready = |snapshot: &Snapshot| snapshot.generation > 0 && snapshot.loading.is_none();
    runtime.block_on(async { tokio::time::timeout(LIMIT, snapshots.wait_for(is_ready)).await.unwrap().unwrap() });
    let (ends, mut ended) = oneshot::channel();
    let reported = reported.clone();
    let live = async move {
        loop {
            tokio::select! {
                _ = &mut ended => return,
                event = events.recv() => match event.unwrap() {
                    Event::Notice(notice) => reported.add(vec![notice]),
                    Event::Receipts(receipts) => reported.add(receipts.lines.into_iter().map(|(notice, _)| notice).collect()),
                    _ => {}
                },
                changed = snapshots.changed() => {
                    changed.unwrap();
                    let waiting = snapshots.borrow_and_update().requests.clone();
                    for it in waiting.iter() {
                        let request = it.request.clone();
                        if reported.is_asked(&request.request_id, request.asker.who.clone()) {
                            let reply = Reply::Chosen(Vec::new());
                            drop(engine.ask(engine.session(), Request::Reply { request, reply }));
                        }
                    }
                }
            }
        }
    };
    thread::spawn(move || runtime.block_on(live));
    ends
}

/// The results for one kind of action: how long each action took to appear.
pub struct Measured {
    pub kind: &'static str,
    took: Vec<Duration>,
}

impl Measured {
    /// The time below which this percentage stayed.
    pub fn part(&self, of_hundred: usize) -> Duration {
        self.took[(self.took.len() * of_hundred).div_ceil(100).saturating_sub(1)]
    }
}

/// An acknowledged action, its time, and the row that must show it.
struct Done {
    kind: &'static str,
    at: Instant,
    who: String,
    says: String,
    /// Its index among equal rows.
    nth: usize,
}

/// Runs all processes with this many actions of each kind; returns the times by kind.
pub fn measure(actions: usize) -> Vec<Measured> {
    let of = |kind: &'static str| (0..actions).map(move |at| format!("{kind}-{at}"));
    let workspace = trusted(["offered".to_owned()].into_iter().chain(of("one")).chain(of("hook")));
    let mut one = Server::start(&workspace, "claude-code");
    let mut two = Server::start(&workspace, "codex");
    let (name_one, name_two) = (one.who(), two.who());
    let mut screen = Screen::open(&workspace);
    let reported = Arc::new(ReceivedEvents::default());
    let ends = listen(&workspace, &reported);
    // Every follower must show the first action.
    one.client().call("selectReferences", json!({"ids": ["one-0"]}));
    reported.until("Picked @one-0");
    let (of_one, of_two, of_hook) = thread::scope(|threads| {
        let of_one = threads.spawn(|| {
            let mut done = Vec::new();
            for at in 1..actions {
                one.client().call("selectReferences", json!({"ids": [format!("one-{at}")]}));
                let says = format!("Picked @one-{at}");
                done.push(Done { kind: "selection", at: Instant::now(), who: name_one.clone(), says, nth: 0 });
                one.client().call("renderTemplate", json!({"template": "x"}));
                let says = "Rendered ".to_owned();
                done.push(Done { kind: "render", at: Instant::now(), who: name_one.clone(), says, nth: at - 1 });
            }
            done
        });
        let of_two = threads.spawn(|| {
            let mut done = Vec::new();
            let mut asked = Vec::new();
            for at in 0..actions {
                let arguments = json!({"template": format!("{at}"), "output_path": format!("gen/{at}.txt")});
                two.client().call("renderTemplateToFile", arguments);
                let says = format!("Wrote gen/{at}.txt");
                done.push(Done { kind: "write", at: Instant::now(), who: name_two.clone(), says, nth: 0 });
                asked.push(Instant::now());
                two.client().call("selectReferences", json!({}));
                let says = "A person at another screen answered: none".to_owned();
                done.push(Done { kind: "answer", at: Instant::now(), who: name_two.clone(), says, nth: at });
            }
            (done, asked)
        });
        let of_hook = threads.spawn(|| {
            let (hook, progress) = (Hook::default(), Progress::default());
            let ask = |at: usize| {
                hook.ask(&workspace, &format!("What of @hook-{at}?"), &progress).unwrap();
                let says = format!("expanded @hook-{at};");
                Done { kind: "hook", at: Instant::now(), who: "claude-code".to_owned(), says, nth: 0 }
            };
            (0..actions).map(ask).collect::<Vec<Done>>()
        });
        (of_one.join().unwrap(), of_two.join().unwrap(), of_hook.join().unwrap())
    });
    // The real screen shows the name too, if the feed has room for it.
    screen.type_bytes("\x1b[17~");
    one.client().call("selectReferences", json!({"ids": ["offered"]}));
    screen.wait_for("Picked @offered");
    let shown = screen.text();
    let row = shown.lines().find(|line| line.contains("Picked @offered")).unwrap();
    assert!(row.contains(&name_one), "{shown}");
    // Rows come in the order of the journal, so all others have arrived by now.
    let rows = reported.until("Picked @offered");
    let mut took: BTreeMap<&'static str, Vec<Duration>> = BTreeMap::new();
    for Done { kind, at, who, says, nth } in of_one.into_iter().chain(of_two.0).chain(of_hook) {
        let is_it = |notice: &&(Instant, Notice)| {
            let Notice { text, who: by, session, .. } = &notice.1;
            format!("{text};").contains(&says) && by.word() == who && session.is_some()
        };
        let row = rows.iter().filter(is_it).nth(nth);
        let (seen, _) = row.unwrap_or_else(|| panic!("not told: {says} by {who}, {nth}: {rows:#?}"));
        took.entry(kind).or_default().push(seen.saturating_duration_since(at));
    }
    let mut shown: Vec<(Instant, String)> = reported.requests.lock().unwrap().values().cloned().collect();
    shown.sort();
    assert!(shown.len() == actions && shown.iter().all(|(_, who)| *who == name_two), "{shown:?}");
    let waited = of_two.1.iter().zip(&shown).map(|(asked, (shown, _))| shown.saturating_duration_since(*asked));
    took.insert("question", waited.collect());
    drop(ends);
    let sorted = |(kind, mut took): (_, Vec<Duration>)| {
        took.sort();
        Measured { kind, took }
    };
    took.into_iter().map(sorted).collect()
}

pub fn print(measured: &[Measured]) {
    for it in measured {
        let [half, most, all] = [50, 95, 100].map(|part| it.part(part));
        eprintln!("{:9} {:3} times: p50 {half:.1?}, p95 {most:.1?}, at most {all:.1?}", it.kind, it.took.len());
    }
}

#[test]
fn acknowledged_actions_appear_with_their_actor() {
    print(&measure(scaled(25, 100)));
}
