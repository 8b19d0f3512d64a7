//! `refdesk mcp`, as a whole process with 1,000 sources: under 20 ms from its start to its first answer; `listReferences` under 5 ms
//! in a session, `selectReferences` that reaches 1,000 documents under 20 ms warm; `tools/list` under 6 KB. Over HTTP, 50 clients
//! with 20,000 calls: no error, and at most 10 MB more resident memory after the last call than after call 2,000.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::Stdio;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::json;
use support::mcp::{INITIALIZED, Session, initialize, message, tool};
use support::{Layout, id, refdesk, report, time_alternately, workspace};

const SOURCES: usize = 1_000;
const CLIENTS: usize = 50;
const CALLS: usize = 20_000;
const WARM: usize = 2_000;

fn milliseconds(took: Duration) -> f64 {
    took.as_secs_f64() * 1e3
}

fn stdio(_: &mut Criterion) {
    let workspace = workspace(SOURCES, 4_096, Layout::OneFile);
    let start = || {
        let session = Session::start(&workspace);
        let first = session.first;
        session.end();
        first
    };
    let [first, _] = time_alternately(21, start, || Duration::ZERO);
    report("mcp, start to first answer, 1,000 sources", milliseconds(first), 20.0, " ms");

    let mut session = Session::start(&workspace);
    let listed = session.ask("tools/list", &json!({})).0;
    report("mcp, tools/list", listed.len() as f64, 6.0 * 1024.0, " bytes");
    // The first source reaches all 1,000 documents, because each mentions four more.
    let cold = session.call("selectReferences", &json!({"ids": [id(0)]}));
    println!("mcp, selectReferences that reaches 1,000 documents, nothing read yet: {cold:?}");
    session.end();

    // Each call in its own session, with the mentions cached by an earlier one. Files younger than two seconds are not
    // cached.
    let settled = Instant::now() + Duration::from_secs(3);
    while Instant::now() < settled {
        std::thread::park_timeout(settled - Instant::now());
    }
    let again = || {
        support::time(&mut refdesk(&workspace, &["clear"]));
        let mut session = Session::start(&workspace);
        session.call("listReferences", &json!({}));
        let took = session.call("selectReferences", &json!({"ids": [id(0)]}));
        session.end();
        took
    };
    let [select, _] = time_alternately(11, again, || Duration::ZERO);
    report("mcp, selectReferences that reaches 1,000 documents, warm", milliseconds(select), 20.0, " ms");

    let mut session = Session::start(&workspace);
    let (answer, _) = session.ask("tools/call", &tool("listReferences", &json!({})));
    let [all, tagged] = {
        let mut times: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
        for _ in 0..51 {
            times[0].push(session.call("listReferences", &json!({})));
            times[1].push(session.call("listReferences", &json!({"filter_tags": ["topic-5"]})));
        }
        times.map(|mut all| {
            all.sort_unstable();
            all[all.len() / 2]
        })
    };
    println!("mcp, listReferences of 1,000 sources: {} bytes; by one tag: {tagged:?}", answer.len());
    report("mcp, listReferences, 1,000 sources", milliseconds(all), 5.0, " ms");
    session.end();
}

/// A client's connection over HTTP.
struct Http {
    stream: BufReader<TcpStream>,
    host: String,
    session: String,
}

impl Http {
    fn start(host: &str) -> Self {
        let stream = TcpStream::connect(host).expect("a server that listens");
        stream.set_nodelay(true).expect("a socket");
        let mut http = Self { stream: BufReader::new(stream), host: host.to_owned(), session: String::new() };
        let (head, _) = http.post(&message(1, "initialize", &initialize()));
        let session = head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).expect("a session");
        http.session = format!("Mcp-Session-Id: {}\r\n", session.trim());
        http.post(INITIALIZED);
        http
    }

    /// Posts a message; returns the head and the body of the answer.
    fn post(&mut self, body: &str) -> (String, String) {
        let (host, session, length) = (&self.host, &self.session, body.len());
        let head = format!(
            "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\n{session}Content-Length: {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(head.as_bytes()).expect("a server that reads");
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(self.stream.read_line(&mut head).expect("a server that answers") > 0, "it closed: {head}");
        }
        let mut body = Vec::new();
        if head.contains("chunked") {
            loop {
                let mut size = String::new();
                self.stream.read_line(&mut size).expect("a size");
                let size = usize::from_str_radix(size.trim(), 16).expect("a size");
                let from = body.len();
                body.resize(from + size + 2, 0);
                self.stream.read_exact(&mut body[from..]).expect("a chunk");
                body.truncate(from + size);
                if size == 0 {
                    break;
                }
            }
        } else if let Some(length) = head.lines().find_map(|line| line.strip_prefix("content-length: ")) {
            body.resize(length.parse().expect("a length"), 0);
            self.stream.read_exact(&mut body).expect("a body");
        }
        (head, String::from_utf8(body).expect("text"))
    }
}

/// The resident memory of a process in bytes.
fn resident(process: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("a process");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("what is resident");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

fn http(_: &mut Criterion) {
    if !cfg!(target_os = "linux") {
        println!("mcp over HTTP: resident memory is read from /proc, which this system lacks");
        return;
    }
    let workspace = workspace(SOURCES, 400, Layout::OneFile);
    let mut command = refdesk(&workspace, &["mcp", "--http", "127.0.0.1:0"]);
    let mut server =
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("a server");
    let mut said = BufReader::new(server.stderr.take().expect("its words"));
    let mut line = String::new();
    said.read_line(&mut line).expect("where it listens");
    let host = line.trim().trim_start_matches("refdesk listens at http://").trim_end_matches("/mcp").to_owned();
    let process = server.id();
    let (begun, errors, early) = (AtomicUsize::new(0), AtomicUsize::new(0), AtomicU64::new(0));
    let began = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut http = Http::start(&host);
                loop {
                    let number = begun.fetch_add(1, Ordering::Relaxed);
                    if number >= CALLS {
                        return;
                    }
                    if number == WARM {
                        early.store(resident(process), Ordering::Relaxed);
                    }
                    assert!(began.elapsed() < Duration::from_secs(300), "it takes too long");
                    // Mostly small requests, as agents repeat them, with the whole list from time to time.
                    let params = match number % 10 {
                        0 => tool("listReferences", &json!({})),
                        1 => tool("selectReferences", &json!({"ids": [id(SOURCES - 1 - number % 500)]})),
                        _ => tool("listReferences", &json!({"filter_tags": [format!("topic-{}", number % SOURCES)]})),
                    };
                    let (head, body) = http.post(&message(number as u64, "tools/call", &params));
                    let is_met = head.starts_with("HTTP/1.1 200")
                        && body.contains("\"result\":")
                        && !body.contains("\"isError\":true");
                    errors.fetch_add(usize::from(!is_met), Ordering::Relaxed);
                }
            });
        }
    });
    let took = began.elapsed();
    let (early, late) = (early.load(Ordering::Relaxed), resident(process));
    server.kill().expect("a server that runs");
    server.wait().expect("a server that ends");
    let mega = |bytes: u64| bytes as f64 / 1e6;
    println!(
        "mcp over HTTP, {CLIENTS} clients, {CALLS} calls: {took:.2?}, {:.0} a second; resident {:.1} MB at call {WARM}, \
         {:.1} MB at the end",
        CALLS as f64 / took.as_secs_f64(),
        mega(early),
        mega(late),
    );
    report("mcp over HTTP, errors", errors.load(Ordering::Relaxed) as f64, 0.0, "");
    report("mcp over HTTP, resident growth", mega(late) - mega(early), 10.0, " MB");
}

criterion_group!(benches, stdio, http);
criterion_main!(benches);
