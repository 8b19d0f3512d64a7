//! A server for the tests: a real process, or a thread if a limit must be shorter than the real one.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Instant;

use refdesk_core::config::WorkspaceContext;
use refdesk_desk::Options;
use refdesk_mcp::http::{Http, Limits, serve};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::sync::oneshot;

use crate::http::client::Client;
use crate::support::program::{LIMIT, kill};
use crate::support::workspace::{STATE, Workspace, inline};

/// A running `refdesk mcp --http`.
pub struct Server {
    child: Child,
    pub address: SocketAddr,
    pub world: Workspace,
}

/// A workspace with two sources.
pub fn world() -> Workspace {
    Workspace::of(json!([inline("java", "about java"), inline("go", "about go")]), &[])
}

impl Server {
    /// Starts it with these additional arguments, and waits until it listens.
    pub fn start(words: &[&str], token: Option<&str>) -> Self {
        let world = world();
        let mut command = world.command(&[&["mcp", "--http", "127.0.0.1:0"], words].concat());
        command.envs(token.map(|token| ("REFDESK_MCP_TOKEN", token)));
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let (tell, reported) = mpsc::channel();
        thread::spawn(move || lines.map_while(Result::ok).try_for_each(|line| tell.send(line)));
        let line = reported.recv_timeout(LIMIT).unwrap();
        let address = line.strip_prefix("refdesk listens at http://").and_then(|rest| rest.strip_suffix("/mcp"));
        let address = address.unwrap_or_else(|| panic!("{line}")).parse().unwrap();
        Self { child, address, world }
    }

    pub fn client(&self) -> Client {
        Client::new(self.address)
    }

    pub fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }

    /// Waits for its exit and returns the exit code.
    pub fn ended(&mut self) -> Option<i32> {
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(began.elapsed() < LIMIT, "it does not end");
            thread::yield_now();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        kill(self.child.id());
        let _ = self.child.wait();
    }
}

/// Runs a test against a server in this process with these limits.
pub fn with_limits(limits: Limits, test: impl FnOnce(SocketAddr)) {
    let world = world();
    let context =
        WorkspaceContext { workspace: world.path.clone(), current: world.path.clone(), ..WorkspaceContext::default() };
    let (end, ended) = oneshot::channel::<()>();
    let (tell, reported) = mpsc::channel();
    let server = thread::spawn(move || {
        let http = Http::new("127.0.0.1:0", &[], &[], None).unwrap();
        let mut ended = Some(ended);
        let stop = async || match ended.take() {
            Some(ended) => drop(ended.await),
            None => std::future::pending().await,
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime
            .block_on(serve(
                Options { state: Some(world.beside(STATE)), ..Options::new(context) },
                None,
                &http,
                limits,
                |_| (),
                |address| tell.send(address).unwrap(),
                stop,
            ))
            .unwrap();
    });
    test(reported.recv_timeout(LIMIT).unwrap());
    drop(end);
    server.join().unwrap();
}
