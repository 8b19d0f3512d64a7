//! Tests against a local server whose responses are given byte by byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::super::raise::tests::{asking, asking_for_approval};
use super::super::{Channel as _, ChannelAnswer, NoAnswer, Request, Wait, person};
use super::Webhook;
use refdesk_core::config::{ChannelSettings, Environment};
use refdesk_text::{Code, Error};

const HELD: Environment = Environment(|name| match name {
    "TOKEN" => Some("a-token".to_owned()),
    "SECRET" => Some("a-secret".to_owned()),
    _ => None,
});

/// A received request.
struct Heard {
    head: String,
    body: Vec<u8>,
}

impl Heard {
    fn header(&self, name: &str) -> Option<&str> {
        let is_it = |line: &&str| line.split_once(':').is_some_and(|(found, _)| found.eq_ignore_ascii_case(name));
        self.head.lines().find(is_it).and_then(|line| line.split_once(':')).map(|(_, value)| value.trim())
    }
}

/// A server with one answer per connection. It stops accepting after the last one.
fn serve<const N: usize>(answers: [Box<dyn FnOnce(TcpStream) + Send>; N]) -> (u16, Receiver<Heard>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let (tell, heard) = channel();
    thread::spawn(move || {
        for answer in answers {
            let Ok((stream, _)) = listener.accept() else { return };
            let tell = tell.clone();
            // An endless response must not block the next connection.
            thread::spawn(move || {
                tell.send(hear(&stream)).unwrap();
                answer(stream);
            });
        }
    });
    (port, heard)
}

fn hear(stream: &TcpStream) -> Heard {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0);
    }
    let mut heard = Heard { head, body: Vec::new() };
    let length = heard.header("content-length").unwrap().parse().unwrap();
    heard.body.resize(length, 0);
    reader.read_exact(&mut heard.body).unwrap();
    heard
}

/// Sends these bytes and closes the connection.
fn says(bytes: impl Into<Vec<u8>>) -> Box<dyn FnOnce(TcpStream) + Send> {
    let bytes = bytes.into();
    Box::new(move |mut stream| drop(stream.write_all(&bytes)))
}

fn with_body(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}")
}

fn chosen(ids: &str) -> String {
    with_body("200 OK", &format!(r#"{{"request_id": "r", "selected_ids": {ids}}}"#))
}

fn settings(port: u16) -> ChannelSettings {
    ChannelSettings {
        endpoint: Some(format!("http://127.0.0.1:{port}/hidden?hidden=1")),
        allow_hosts: vec!["127.0.0.1".to_owned()],
        timeout: 30.0,
        ..ChannelSettings::default()
    }
}

fn request() -> Request {
    asking("r", &["a", "b"])
}

fn ask(settings: &ChannelSettings, wait: &Wait) -> Result<ChannelAnswer, NoAnswer> {
    Webhook::new(settings, HELD)?.ask(&request(), wait)
}

#[track_caller]
fn failed(came: Result<ChannelAnswer, NoAnswer>) -> (Code, String) {
    match came {
        Err(NoAnswer::Failed(Error { code, message, fix, .. })) => {
            let reported = format!("{message} {fix}");
            assert!(
                !reported.contains("hidden") && !reported.contains("a-token") && !reported.contains("a-secret"),
                "{reported}"
            );
            (code, message)
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn posts_are_signed_and_responses_are_read() {
    let (port, heard) = serve([says(chosen(r#"["b", "x"]"#))]);
    let mut settings = settings(port);
    settings.auth_token_env = Some("TOKEN".to_owned());
    settings.secret_env = Some("SECRET".to_owned());
    settings.headers.insert("X-Team".to_owned(), "payments".to_owned());
    let webhook = Webhook::new(&settings, HELD).unwrap();
    let shown = format!("{webhook:?}");
    assert!(!shown.contains("a-token") && !shown.contains("a-secret") && !shown.contains("hidden"), "{shown}");
    let came = webhook.ask(&request(), &Wait::seconds(30.0)).unwrap();
    assert_eq!((came.selected, came.unknown), (vec!["b".to_owned()], vec!["x".to_owned()]));
    let heard = heard.recv().unwrap();
    assert!(heard.head.starts_with("POST /hidden?hidden=1 HTTP/1.1\r\n"), "{}", heard.head);
    assert_eq!(heard.header("content-type"), Some("application/json"));
    assert_eq!(heard.header("authorization"), Some("Bearer a-token"));
    assert_eq!(heard.header("x-team"), Some("payments"));
    let signature = super::secret::Secret::of("SECRET", HELD).unwrap().sign(&heard.body);
    assert_eq!(heard.header("x-refdesk-signature"), signature.as_deref());
    let body: Value = serde_json::from_slice(&heard.body).unwrap();
    assert_eq!(body["request_id"], "r");
    assert_eq!(body["sources"][0]["id"], "a");
    assert_eq!(body["context"], "why");
}

#[test]
fn a_webhook_cannot_claim_that_a_person_at_a_screen_answered() {
    for (by, expected) in [("", "a webhook"), (r#", "by": "a screen""#, "a webhook (`a screen`)")] {
        let answer = with_body("200 OK", &format!(r#"{{"request_id": "r", "selected_ids": []{by}}}"#));
        let (port, _heard) = serve([says(answer)]);
        let came = ask(&settings(port), &Wait::seconds(30.0)).unwrap();
        assert_eq!((came.by.as_deref(), person(&came).as_str()), (Some(expected), expected));
    }
}

#[test]
fn invalid_answers_are_reported_and_server_errors_are_retried() {
    let huge = "x".repeat(1024 * 1024 + 1);
    let chunked =
        format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{huge}\r\n0\r\n\r\n", huge.len());
    let html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\n{}".to_owned();
    let cut = "HTTP/1.1 200 OK\r\nContent-Length: 500\r\n\r\n{\"request_id\"".to_owned();
    let cut_chunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{\"request".to_owned();
    let moved = |to: &str| format!("HTTP/1.1 302 Found\r\nLocation: {to}\r\nContent-Length: 0\r\n\r\n");
    let found = "HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n";
    for (answer, code, part, times) in [
        (with_body("404 Not Found", "{}"), "webhook", "answered 404 Not Found", 1),
        (with_body("401 Unauthorized", "{}"), "webhook", "answered 401 Unauthorized", 1),
        (with_body("429 Too Many Requests", "{}"), "webhook", "answered 429", 1),
        (with_body("500 Internal Server Error", "{}"), "webhook", "answered 500 Internal Server Error (3 times)", 3),
        (with_body("503 Service Unavailable", "{}"), "webhook", "answered 503 Service Unavailable (3 times)", 3),
        (with_body("299", "{}"), "wrong-answer", "no 'request_id'", 1),
        ("HTTP/1.1 204 No Content\r\n\r\n".to_owned(), "wrong-answer", "not JSON", 1),
        (moved("http://169.254.169.254/"), "webhook", "redirected to 'http://169.254.169.254',", 1),
        (moved("https://hidden@h.example:8/hidden?hidden=1#hidden"), "webhook", "to 'https://h.example:8',", 1),
        (moved("//h.example/hidden"), "webhook", "redirected to 'http://h.example',", 1),
        (moved("/hidden/?hidden=1"), "webhook", "redirected to another path of the same host,", 1),
        (moved("http://h example/hidden"), "webhook", "redirected to an address that cannot be read,", 1),
        (found.to_owned(), "webhook", "redirected to nowhere", 1),
        (with_body("200 OK", "{"), "wrong-answer", "not JSON", 1),
        (with_body("200 OK", "[]"), "wrong-answer", "not an object", 1),
        (with_body("200 OK", r#"{"request_id": "s", "selected_ids": []}"#), "wrong-answer", "'s'", 1),
        (with_body("200 OK", r#"{"request_id": "r"}"#), "wrong-answer", "no list 'selected_ids'", 1),
        (with_body("200 OK", &huge), "wrong-answer", "more than 1048576 bytes", 1),
        (chunked, "wrong-answer", "more than 1048576 bytes", 1),
        (html, "wrong-answer", "'text/html'", 1),
        (cut, "wrong-answer", "closed the connection", 1),
        (cut_chunks, "wrong-answer", "closed the connection", 1),
        (String::new(), "webhook", "gave no answer", 1),
        ("SSH-2.0-OpenSSH\r\n\r\n".to_owned(), "webhook", "gave no answer", 1),
        (format!("HTTP/1.1 200 OK\r\nX: {huge}\r\n\r\n"), "webhook", "gave no answer", 1),
    ] {
        let (port, heard) = serve([says(&*answer), says(&*answer), says(&*answer), says(&*answer)]);
        let (found, message) = failed(ask(&settings(port), &Wait::seconds(30.0)));
        let short: String = answer.chars().take(60).collect();
        assert!(found.as_str() == code && message.contains(part), "{short:?}: {found}: {message}");
        assert!(message.contains(&format!("http://127.0.0.1:{port}")), "{message}");
        assert_eq!(heard.try_iter().count(), times, "{short:?}");
    }
}

#[test]
fn the_third_request_may_be_answered() {
    let busy = with_body("502 Bad Gateway", "");
    let (port, heard) = serve([says(&*busy), says(&*busy), says(chosen(r#"["a"]"#))]);
    assert_eq!(ask(&settings(port), &Wait::seconds(30.0)).unwrap().selected, ["a"]);
    let ids: Vec<Vec<u8>> = heard.iter().map(|heard| heard.body).collect();
    assert!(ids.len() == 3 && ids[0] == ids[1] && ids[1] == ids[2], "the same request each time");
}

#[test]
fn a_refused_connection_is_tried_three_times_within_the_wait() {
    // A client's own port stays taken, but nothing listens on it.
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let client = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let port = client.local_addr().unwrap().port();
    let (code, message) = failed(ask(&settings(port), &Wait::seconds(30.0)));
    assert!(
        code == Code::Webhook && message.contains("could not be reached") && message.contains("(3 times)"),
        "{message}"
    );
    let (_, message) = failed(ask(&settings(port), &Wait::seconds(2.0)));
    assert!(message.contains("(3 times)"), "a short wait has shorter pauses: {message}");
}

/// A head or body that arrives one byte at a time and never ends, or never starts.
fn drips(begin: &'static str) -> Box<dyn FnOnce(TcpStream) + Send> {
    Box::new(move |mut stream| {
        let _ = stream.write_all(begin.as_bytes());
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let byte: &[u8] = if begin.is_empty() { b"" } else { b" " };
        // A read times out while the peer is connected, and returns 0 after it has disconnected.
        while stream.write_all(byte).is_ok() && !matches!(stream.read(&mut [0]), Ok(0)) {}
    })
}

#[test]
fn slow_heads_and_dripping_bodies_end_with_the_time() {
    for begin in ["", "HTTP/1.1 200 OK\r\nX: ", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", {
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
    }] {
        // Either the wait or the timeout of a single request is the limit.
        for (timeout, wait) in [(30.0, 0.5), (0.5, 30.0)] {
            let (port, _heard) = serve([drips(begin)]);
            let began = Instant::now();
            let came = ask(&ChannelSettings { timeout, ..settings(port) }, &Wait::seconds(wait));
            assert_eq!(came, Err(NoAnswer::TimedOut), "{begin:?}");
            assert!(began.elapsed() < Duration::from_secs(5), "{begin:?}");
        }
    }
}

#[test]
fn a_cancelled_request_ends_at_once() {
    let (port, heard) = serve([drips("HTTP/1.1 200 OK\r\nX: ")]);
    let wait = Wait::seconds(3600.0);
    let other = wait.clone();
    thread::spawn(move || {
        heard.recv().unwrap();
        other.cancel();
    });
    assert_eq!(ask(&ChannelSettings { timeout: 3600.0, ..settings(port) }, &wait), Err(NoAnswer::Cancelled));
}

#[test]
fn private_addresses_are_refused_under_any_name() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    for host in ["localhost", "127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "127.1", "2130706433", "0.0.0.0"] {
        let settings = ChannelSettings {
            endpoint: Some(format!("https://{host}:{port}/hidden")),
            allow_hosts: Vec::new(),
            ..settings(port)
        };
        let (code, message) = failed(ask(&settings, &Wait::seconds(30.0)));
        assert_eq!(code, Code::PrivateAddress, "{host}: {message}");
        assert!(message.contains("a private address"), "{message}");
    }
    assert!(listener.accept().is_err(), "no connection was made");
    // By host name, once the host is allowed.
    let (port, _heard) = serve([says(chosen(r#"["a"]"#))]);
    let allowed = ChannelSettings {
        endpoint: Some(format!("http://localhost:{port}/")),
        allow_hosts: vec!["localhost".to_owned()],
        ..settings(port)
    };
    assert_eq!(ask(&allowed, &Wait::seconds(30.0)).unwrap().selected, ["a"]);
    // Plain HTTP to a public address is refused, whether or not it is allowed.
    let public = ChannelSettings {
        endpoint: Some("http://8.8.8.8:9/".to_owned()),
        allow_hosts: vec!["8.8.8.8".to_owned()],
        ..settings(port)
    };
    let (code, message) = failed(ask(&public, &Wait::seconds(30.0)));
    assert!(code == Code::PrivateAddress && message.contains("a public address"), "{message}");
}

#[test]
fn an_unset_variable_is_an_error() {
    for settings in [
        ChannelSettings { auth_token_env: Some("NONE".to_owned()), ..settings(9) },
        ChannelSettings { secret_env: Some("NONE".to_owned()), ..settings(9) },
    ] {
        let (code, message) = failed(ask(&settings, &Wait::seconds(30.0)));
        assert!(code == Code::NoVariable && message.contains("'NONE'"), "{message}");
    }
}

#[test]
fn a_webhook_cannot_approve_a_write() {
    let came = Webhook::new(&settings(9), HELD).unwrap().ask(&asking_for_approval("r"), &Wait::seconds(30.0));
    assert_eq!(failed(came).0, Code::NoChannel);
}
