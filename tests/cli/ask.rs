//! End-to-end tests of `refdesk ask`: the offered sources, answers by file, screen and HTTP, and what a failure leaves
//! behind. The test process gives the answers.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Instant;

use refdesk_desk::channel::folder::{AnswerStatus, ChannelFolder, FoundRequests, Pending, default_folder, pending};
use refdesk_desk::channel::presence::{PresenceKind, mark_open};
use refdesk_desk::channel::{MAX, Response};
use refdesk_files::write_atomic;
use serde_json::{Value, json};

use crate::support::program::{LIMIT, ProgramRun, finish};
use crate::support::workspace::{Workspace, ids, inline, strings};

fn world(channel: Value) -> Workspace {
    let world = Workspace::new();
    let mut auto = inline("always", "text");
    auto["mode"] = json!("auto");
    let mut tagged = inline("tagged", "text");
    tagged["tags"] = json!(["Java"]);
    let sources = json!([inline("one", "text"), inline("two", "See one.\n"), tagged, auto]);
    world.configure(json!({"version": "1.0", "sources": sources, "channel": channel}));
    world
}

/// A running `refdesk ask`.
struct Asking<'w> {
    world: &'w Workspace,
    child: Child,
}

impl<'w> Asking<'w> {
    fn start(world: &'w Workspace, words: &[&str]) -> Self {
        let mut command = world.command(&[&["--format", "json", "ask"], words].concat());
        let command = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Self { world, child: command.spawn().unwrap() }
    }

    fn folder(&self) -> ChannelFolder {
        default_folder(&self.world.path)
    }

    /// Waits until an answering process can see the request.
    fn request(&mut self) -> Pending {
        let began = Instant::now();
        loop {
            if let Some(first) = pending(&self.folder(), now()).pending.into_iter().next() {
                return first;
            }
            assert!(began.elapsed() < LIMIT && self.child.try_wait().unwrap().is_none(), "no request was made");
            thread::yield_now();
        }
    }

    fn end(self) -> ProgramRun {
        finish("refdesk ask".to_owned(), self.child, None)
    }

    /// Waits for the exit, and checks that no request or answer file is left.
    #[track_caller]
    fn ends(self, code: i32) -> Value {
        let (folder, ran) = (self.folder(), self.end().exits(code));
        for part in ["requests", "responses"] {
            assert_eq!(fs::read_dir(folder.path().join(part)).unwrap().count(), 0, "{part}");
        }
        ran.json()
    }
}

fn now() -> jiff::Timestamp {
    jiff::Timestamp::now()
}

fn response(asked: &Pending, selected: &[&str]) -> Response {
    Response {
        request_id: asked.request.request_id.clone(),
        selected_ids: selected.iter().map(ToString::to_string).collect(),
        approved: None,
        by: Some("somebody".to_owned()),
    }
}

/// Writes an answer as a program other than refdesk would.
fn put(asked: &Pending, bytes: &[u8]) -> PathBuf {
    let path = asked.folder.path().join("responses").join(format!("{}.json", asked.request.request_id));
    write_atomic(&path, bytes).unwrap();
    path
}

#[test]
fn without_a_person_to_ask_it_says_what_to_do() {
    let answer = world(json!({})).json(&["ask"], 1);
    assert_eq!(answer["error"]["code"], "no-channel");
    let hint = answer["error"]["hint"].as_str().unwrap();
    assert!(hint.contains("open `refdesk`") && hint.contains("channel.type"), "{hint}");
    assert_eq!(answer["status"], "error");
}

#[test]
fn an_open_screen_is_asked_and_its_answer_is_picked() {
    let world = world(json!({}));
    let screen = mark_open(&world.path, PresenceKind::Screen).unwrap();
    let mut asking = Asking::start(&world, &["--context", "which applies?"]);
    let asked = asking.request();
    assert_eq!(asked.request.context, "which applies?");
    assert_eq!(asked.request.asker.who, "refdesk ask");
    let offered: Vec<&str> = asked.request.sources.iter().map(|source| &*source.id).collect();
    assert_eq!(offered, ["one", "two", "tagged"]);
    assert_eq!(world.answer(&asked, &response(&asked, &["two", "gone", "always"])), AnswerStatus::First);
    let answer = asking.ends(0);
    assert_eq!((&answer["status"], &answer["selected_count"]), (&json!("success"), &json!(1)));
    assert_eq!(ids(&answer["sources"]), ["two", "one"]);
    assert_eq!(strings(&answer["unknown"]), ["gone", "always"]);
    assert_eq!(answer["request_id"], *asked.request.request_id);
    assert_eq!(answer["answered_by"], "somebody");
    assert_eq!(world.picks(), ["two"]);
    let journal = world.read(".jaato/refdesk/journal.jsonl");
    let kinds: Vec<Value> =
        journal.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["what"].clone()).collect();
    assert_eq!(kinds, ["asked", "answered", "selected"]);
    drop(screen);
    assert_eq!(world.json(&["ask"], 1)["error"]["code"], "no-channel");
}

#[test]
fn offered_sources_follow_tags_and_the_current_selection() {
    let world = world(json!({"type": "queue"}));
    let mut asking = Asking::start(&world, &["--tag", "java"]);
    let asked = asking.request();
    assert_eq!(asked.request.sources.len(), 1);
    world.answer(&asked, &response(&asked, &[]));
    let nothing = asking.ends(0);
    assert_eq!((&nothing["status"], &nothing["sources"]), (&json!("none_selected"), &json!([])));
    let mut asking = Asking::start(&world, &[]);
    let asked = asking.request();
    world.answer(&asked, &response(&asked, &["TWO", "zz"]));
    let wrong = asking.ends(1);
    assert_eq!((&wrong["status"], &wrong["unknown"]), (&json!("none_matched"), &json!(["TWO", "zz"])));
    assert_eq!(world.json(&["ask", "--tag", "cobol"], 1)["status"], "none_matched");
    world.run(&["select", "two", "tagged"]).exits(0);
    assert_eq!(world.json(&["ask"], 0)["status"], "all_selected");
    let tagged = world.json(&["ask", "--tag", "java"], 0);
    let message = "nothing to choose: all sources with the tag 'java' are selected already";
    assert_eq!((&tagged["status"], &tagged["message"]), (&json!("all_selected"), &json!(message)));
    assert_eq!(tagged.get("request_id"), Some(&Value::Null), "the members of the other answers");
    for (words, message) in [
        (&["ask"][..], "nothing to choose: of 3 selectable sources, 2 are selected and 1 is excluded"),
        (&["ask", "--tag", "java"], "nothing to choose: the only selectable source with the tag 'java' is excluded"),
    ] {
        world.run(&["exclude", "tagged"]).exits(0);
        let ran = world.json(words, 1);
        let error = &ran["error"];
        assert_eq!((&ran["status"], &error["message"]), (&json!("none_matched"), &json!(message)), "{ran}");
        assert_eq!(error["hint"], "`refdesk include tagged` lifts the exclusion", "{ran}");
    }
    assert_eq!(Workspace::new().json(&["ask"], 1)["status"], "no_sources");
}

#[test]
fn an_incomplete_answer_is_awaited() {
    let world = world(json!({"type": "file", "base_path": "answers"}));
    let mut asking = Asking::start(&world, &[]);
    let folder = ChannelFolder::new(&world.path, world.path.join("answers"));
    let began = Instant::now();
    let asked = loop {
        if let Some(asked) = pending(&folder, now()).pending.pop() {
            break asked;
        }
        assert!(began.elapsed() < LIMIT && asking.child.try_wait().unwrap().is_none());
        thread::yield_now();
    };
    put(&asked, b"{\"request_id\"");
    put(&asked, &serde_json::to_vec(&response(&asked, &["one"])).unwrap());
    asking.end().exits(0);
    assert_eq!(world.picks(), ["one"]);
    assert_eq!(fs::read_dir(folder.path().join("responses")).unwrap().count(), 0);
}

#[test]
fn an_incomplete_answer_and_no_answer_are_reported_differently_and_select_nothing() {
    let world = world(json!({"type": "queue", "timeout": 1.5}));
    let mut asking = Asking::start(&world, &[]);
    let asked = asking.request();
    put(&asked, b"{\"request_id\"");
    let half = asking.ends(3);
    assert_eq!((&half["status"], &half["error"]["code"]), (&json!("timed_out"), &json!("half-answer")));
    let mut asking = Asking::start(&world, &[]);
    let asked = asking.request();
    let none = asking.ends(3);
    assert_eq!((&none["status"], &none["error"]["code"]), (&json!("timed_out"), &json!("timed-out")));
    assert_eq!((&none["selected_count"], &none["sources"], &none["unknown"]), (&json!(0), &json!([]), &json!([])));
    // Too late: an answer from a screen is refused, and one from another program has no effect.
    assert_eq!(world.answer(&asked, &response(&asked, &["one"])), AnswerStatus::Late { by: None });
    let late = put(&asked, &serde_json::to_vec(&response(&asked, &["one"])).unwrap());
    let mut asking = Asking::start(&world, &[]);
    let asked = asking.request();
    world.answer(&asked, &response(&asked, &["tagged"]));
    asking.end().exits(0);
    assert_eq!(world.picks(), ["tagged"]);
    assert!(late.exists());
}

#[test]
fn an_invalid_answer_is_an_error_at_once() {
    let world = world(json!({"type": "queue"}));
    for (bytes, part) in [
        (br#"{"request_id": "another", "selected_ids": ["one"]}"#.to_vec(), "'another'"),
        (b"[]".to_vec(), "not an object"),
        (vec![b' '; usize::try_from(MAX).unwrap() + 1], "more than 1048576 bytes"),
    ] {
        let mut asking = Asking::start(&world, &[]);
        let asked = asking.request();
        put(&asked, &bytes);
        let answer = asking.ends(1);
        assert_eq!(answer["error"]["code"], "wrong-answer");
        assert!(answer["error"]["message"].as_str().unwrap().contains(part), "{answer}");
    }
    assert_eq!(world.picks(), [""; 0]);
}

#[test]
fn a_killed_asker_leaves_no_request_and_blocks_no_other() {
    let world = world(json!({"type": "queue"}));
    for _ in 0..10 {
        let mut asking = Asking::start(&world, &[]);
        let asked = asking.request();
        asking.child.kill().unwrap();
        asking.child.wait().unwrap();
        assert_eq!(world.answer(&asked, &response(&asked, &["one"])), AnswerStatus::Late { by: None });
        assert_eq!(pending(&asked.folder, now()), FoundRequests::default());
        assert_eq!(fs::read_dir(asked.folder.path().join("requests")).unwrap().count(), 0);
    }
    let mut asking = Asking::start(&world, &[]);
    let asked = asking.request();
    assert_eq!(world.answer(&asked, &response(&asked, &["one"])), AnswerStatus::First);
    asking.ends(0);
}

#[test]
fn a_signal_withdraws_the_request_and_the_output_says_so() {
    use rustix::process::Signal;
    let world = world(json!({"type": "queue"}));
    for end in [Signal::INT, Signal::TERM, Signal::HUP] {
        let mut asking = Asking::start(&world, &[]);
        let asked = asking.request();
        crate::support::program::signal(asking.child.id(), end);
        let answer = asking.ends(130);
        assert_eq!((&answer["status"], &answer["error"]["code"]), (&json!("error"), &json!("given-up")), "{end:?}");
        assert_eq!(answer["request_id"], *asked.request.request_id);
    }
    assert_eq!(world.picks(), [""; 0]);
}

/// The configuration is outside the workspace, like a user's own.
#[test]
fn a_webhook_gets_the_secrets_from_the_environment_and_no_proxy_is_used() {
    let world = Workspace::new();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let own = world.beside("home/own.json");
    let channel = json!({
        "type": "webhook", "endpoint": format!("http://{address}/"), "allow_hosts": ["127.0.0.1"],
        "auth_token_env": "MY_TOKEN", "secret_env": "MY_SECRET",
    });
    let configuration = json!({"version": "1.0", "sources": [inline("one", "text")], "channel": channel});
    write_atomic(&own, configuration.to_string().as_bytes()).unwrap();
    let words = ["--config", own.to_str().unwrap(), "--format", "json", "ask"];
    let unset = world.run(&words).exits(1).json();
    assert_eq!(unset["error"]["code"], "no-variable");
    assert!(unset["error"]["message"].as_str().unwrap().contains("'MY_TOKEN'"), "{unset}");
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut heard = String::new();
        let begin = loop {
            let mut byte = [0];
            stream.read_exact(&mut byte).unwrap();
            heard.push(char::from(byte[0]));
            if heard.ends_with("\r\n\r\n") {
                break heard.len();
            }
        };
        let length =
            heard.to_lowercase().split("content-length: ").nth(1).unwrap().lines().next().unwrap().parse().unwrap();
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        let id = serde_json::from_slice::<Value>(&body).unwrap()["request_id"].clone();
        let body = json!({"request_id": id, "selected_ids": ["one"]}).to_string();
        write!(stream, "HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        heard.truncate(begin);
        heard
    });
    let mut command = world.command(&words);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        command.env(name, "http://127.0.0.1:1");
    }
    command.env("MY_TOKEN", "a-token").env("MY_SECRET", "a-secret").env("REFDESK_LOG", "trace");
    let ran = crate::support::program::run(&mut command, None).exits(0);
    assert_eq!(
        (ids(&ran.json()["sources"]), &ran.json()["answered_by"]),
        (vec!["one".to_owned()], &json!("a webhook"))
    );
    let head = server.join().unwrap().to_lowercase();
    assert!(
        head.contains("authorization: bearer a-token\r\n") && head.contains("x-refdesk-signature: sha256="),
        "{head}"
    );
    // No file written along the way contains either secret.
    let mut folders = vec![world.beside("")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
                assert!(!text.contains("a-token") && !text.contains("a-secret"), "{}", path.display());
            }
        }
    }
    let printed = format!("{}{}", ran.text(), ran.stderr);
    assert!(!printed.contains("a-secret") && !printed.contains("a-token"), "{printed}");
}
