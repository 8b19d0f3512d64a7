//! The processes that use the desk: a server with its client, an agent's hook, and a screen with a person typing. Any
//! of them can be killed while it works; whatever was acknowledged to it before that must remain true.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use serde_json::{Value, json};

use crate::live::ledger::{Acknowledged, RecordedAction};
use crate::live::world::{added, prompt};
use crate::support::client::{Client, LEGACY};
use crate::support::program::{LIMIT, PROGRAM, kill};
use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

/// Progress of an actor, for the thread that kills it at a chosen moment.
#[derive(Debug, Default)]
pub struct Progress {
    /// Actions started.
    pub sent: AtomicUsize,
    /// Actions known to be complete.
    pub answered: AtomicUsize,
    /// Whether everything is done, or the process has ended.
    pub over: AtomicBool,
    /// Whether it was killed.
    pub killed: AtomicBool,
}

impl Progress {
    fn sends(&self) {
        self.sent.fetch_add(1, Ordering::SeqCst);
    }

    fn answers(&self) {
        self.answered.fetch_add(1, Ordering::SeqCst);
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn is_killed(&self) -> bool {
        self.killed.load(Ordering::SeqCst)
    }
}

/// A server, and its client.
pub struct Server {
    client: Client,
    name: &'static str,
}

/// A tool call, and the action that its answer acknowledges.
pub struct Call {
    tool: &'static str,
    arguments: Value,
    recorded: Option<RecordedAction>,
}

impl Call {
    pub fn select(id: &str) -> Self {
        let recorded = Some(RecordedAction::Picked(id.to_owned()));
        Self { tool: "selectReferences", arguments: json!({"ids": [id]}), recorded }
    }

    pub fn read(id: &str) -> Self {
        Self {
            tool: "readReference",
            arguments: json!({"id": id}),
            recorded: Some(RecordedAction::Read(id.to_owned())),
        }
    }

    pub fn render(what: &str) -> Self {
        let arguments = json!({"template": "Hello {{ name }}.\n", "variables": {"name": what}});
        Self { tool: "renderTemplate", arguments, recorded: Some(RecordedAction::Rendered(format!("Hello {what}.\n"))) }
    }

    pub fn write(path: &str, what: &str) -> Self {
        let line = format!("It is {what} and nothing else.\n");
        let template = "{% for i in range(50) %}It is {{ name }} and nothing else.\n{% endfor %}";
        let arguments = json!({"template": template, "variables": {"name": what}, "output_path": path});
        let recorded = Some(RecordedAction::Written(path.to_owned(), line.repeat(50)));
        Self { tool: "renderTemplateToFile", arguments, recorded }
    }

    /// The file that this call writes and its text, if it writes one.
    pub fn written(&self) -> Option<(String, String)> {
        match &self.recorded {
            Some(RecordedAction::Written(path, text)) => Some((path.clone(), text.clone())),
            _ => None,
        }
    }
}

impl Server {
    /// Starts a server for a client with this name.
    pub fn start(workspace: &Workspace, name: &'static str) -> Self {
        let mut client = Client::start(workspace, &[]);
        client.introduce(name, LEGACY, json!({}));
        Self { client, name }
    }

    /// Its name in the journal and on the screen.
    pub fn who(&self) -> String {
        format!("{} over mcp", self.name)
    }

    pub fn process(&self) -> u32 {
        self.client.process()
    }

    /// The client, for single requests.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Makes these calls, sequentially or all at once; returns the acknowledged actions. A write that no screen could
    /// approve does not count.
    pub fn work(&mut self, calls: Vec<Call>, at_once: bool, progress: &Progress) -> Vec<Acknowledged> {
        let mut done = Vec::new();
        let mut open: Vec<(Value, Call)> = Vec::new();
        for call in calls {
            let id = self.client.ask("tools/call", json!({"name": call.tool, "arguments": call.arguments}));
            progress.sends();
            open.push((id, call));
            if !at_once && !self.listen(&mut open, &mut done, progress) {
                break;
            }
        }
        while !open.is_empty() && self.listen(&mut open, &mut done, progress) {}
        progress.over.store(true, Ordering::SeqCst);
        done
    }

    /// Reads one answer; returns whether there was one.
    fn listen(&mut self, open: &mut Vec<(Value, Call)>, done: &mut Vec<Acknowledged>, progress: &Progress) -> bool {
        let Some(answer) = self.client.next_answer() else {
            assert!(progress.is_killed(), "{} ended without being killed", self.name);
            open.clear();
            return false;
        };
        let at = open.iter().position(|(id, _)| *id == answer["id"]).unwrap_or_else(|| panic!("no request: {answer}"));
        let (_, call) = open.remove(at);
        let result = &answer["result"];
        progress.answers();
        if result["isError"] == true && result["structuredContent"]["status"] == "no-screen" {
            return true;
        }
        assert!(result.is_object() && result["isError"] != true, "{}: {answer}", call.tool);
        done.extend(call.recorded.map(|recorded| Acknowledged { who: self.who(), recorded }));
        true
    }
}

/// An agent that runs its hook.
#[derive(Debug, Default)]
pub struct Hook {
    running: Mutex<Option<Child>>,
}

impl Hook {
    /// Sends a prompt to the hook; returns the addition, unless the hook dies before it answers.
    pub fn ask(&self, workspace: &Workspace, text: &str, progress: &Progress) -> Option<String> {
        let mut command = workspace.bare(&["hook", "claude-code"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        *self.running.lock().unwrap() = Some(child);
        progress.sends();
        // The reader may already be gone.
        let _ = stdin.write_all(prompt(workspace, "a-session", text).as_bytes());
        drop(stdin);
        let mut said = Vec::new();
        stdout.read_to_end(&mut said).unwrap();
        let added = added(&said);
        if added.is_some() {
            progress.answers();
        }
        let status = self.running.lock().unwrap().take().unwrap().wait().unwrap();
        assert!(added.is_some() || progress.is_killed(), "nothing was added: {status:?} {said:?}");
        added
    }

    /// Sends several prompts, one after the other.
    pub fn work(&self, workspace: &Workspace, ids: &[String], progress: &Progress) -> Vec<Acknowledged> {
        let ask = |id: &String| {
            let text = self.ask(workspace, &format!("What does @{id} say?"), progress)?;
            Some(Acknowledged { who: "claude-code".to_owned(), recorded: RecordedAction::Added(text) })
        };
        let done = ids.iter().filter_map(ask).collect();
        progress.over.store(true, Ordering::SeqCst);
        done
    }

    /// Kills the running hook; returns whether there was one.
    pub fn kill(&self) -> bool {
        match &mut *self.running.lock().unwrap() {
            Some(child) => child.kill().is_ok(),
            None => false,
        }
    }
}

/// A screen with a person typing.
pub struct Screen {
    pty: Pty,
}

impl Screen {
    pub fn open(workspace: &Workspace) -> Self {
        let mut command = CommandBuilder::new(PROGRAM);
        command.args(["--workspace".as_ref(), workspace.path.as_os_str()]);
        // If a request disappears at that moment, its key opens an editor instead. This one exits at once.
        command.env("VISUAL", "true");
        let pty = Pty::spawn_at(&workspace.beside("home"), command, 200, 60);
        let configured: Value = serde_json::from_str(&workspace.read("references.json")).unwrap();
        pty.wait_for(&format!("{} sources", configured["sources"].as_array().unwrap().len()));
        Self { pty }
    }

    pub fn process(&self) -> u32 {
        u32::try_from(self.pty.pid().as_raw_nonzero().get()).unwrap()
    }

    /// The text on it.
    pub fn text(&self) -> String {
        self.pty.text()
    }

    pub fn type_bytes(&mut self, bytes: &str) {
        self.pty.type_bytes(bytes);
    }

    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.pty.wait_for(text);
    }

    /// Picks this source by keys; returns the action if the pick became visible.
    pub fn pick(&mut self, id: &str, progress: &Progress) -> Option<Acknowledged> {
        let ended = || progress.is_killed();
        self.go_to_the_catalog(ended).then_some(())?;
        self.pty.type_bytes(&format!("/\x15{id}\r"));
        progress.sends();
        self.shows(|text| text.contains(&format!("○ {id}")), ended).then_some(())?;
        self.pty.type_bytes(" ");
        progress.sends();
        self.shows(|text| text.contains(&format!("● {id}")), ended).then_some(())?;
        progress.answers();
        Some(Acknowledged { who: "a screen".to_owned(), recorded: RecordedAction::Picked(id.to_owned()) })
    }

    /// Moves to the catalog. An earlier key may still be pending and open an editor, which would swallow the keys that
    /// follow, so wait until one has arrived before typing more.
    fn go_to_the_catalog(&mut self, ended: impl Fn() -> bool) -> bool {
        let began = Instant::now();
        // Via another pane, because the catalog may already have the focus.
        for (key, shown) in [("4", "┏ 4 Templates"), ("1", "┏ 1 Catalog")] {
            self.pty.type_bytes(key);
            while !self.pty.comes(Duration::from_secs(1), |seen| seen.text().contains(shown)) {
                if ended() {
                    return false;
                }
                assert!(began.elapsed() < LIMIT, "{shown} never comes; the screen:\n{}", self.text());
                // Leaves any text field, and any window that closes on a key.
                self.pty.type_bytes("\x1b");
                if self.pty.comes(Duration::from_millis(200), |seen| seen.text().contains(shown)) {
                    break;
                }
                self.pty.type_bytes(key);
            }
        }
        true
    }

    /// Reads the only requested write to its end and approves it, unless the request is gone.
    pub fn approve(&mut self, ended: impl Fn() -> bool, progress: &Progress) {
        for (shown, key) in
            [("1 request", "A"), ("then y or n", "\r"), ("Approve this write?", "G"), ("yes, write a new file", "y")]
        {
            if !self.shows(|text| text.contains(shown), &ended) {
                return;
            }
            self.pty.type_bytes(key);
            progress.sends();
        }
        if self.shows(|text| !text.contains("1 request"), ended) {
            progress.answers();
        }
    }

    /// Answers a request for a choice by selecting nothing.
    pub fn choose_none(&mut self) {
        self.pty.wait_for("1 request");
        self.pty.type_bytes("A");
        self.pty.wait_for("2 Request");
        self.pty.type_bytes("n");
        self.pty.wait_until("no request", |seen| !seen.text().contains("1 request"));
    }

    /// Waits until no request is open, and closes one that has ended.
    pub fn wait_for_no_request(&mut self) {
        self.pty.wait_until("no request", |seen| !seen.text().contains("1 request"));
        if self.text().contains("any key closes") {
            self.pty.type_bytes("\x1b");
            self.pty.wait_until("what ended is closed", |seen| !seen.text().contains("any key closes"));
        }
        if self.text().contains("Esc not now") {
            self.pty.type_bytes("\x1b");
            self.pty.wait_until("no question", |seen| !seen.text().contains("Esc not now"));
        }
    }

    /// Waits until it shows something, unless waiting has become pointless.
    fn shows(&self, holds: impl Fn(&str) -> bool, ended: impl Fn() -> bool) -> bool {
        let began = Instant::now();
        while !self.pty.comes(Duration::from_millis(20), |seen| holds(&seen.text())) {
            if ended() {
                return false;
            }
            assert!(began.elapsed() < LIMIT, "it never comes; the screen:\n{}", self.text());
        }
        true
    }

    /// Releases the terminal of a screen that was killed.
    pub fn release(self) {
        self.pty.hang_up();
    }
}

/// Kills a process and waits until the system has released its resources.
pub fn end(process: u32) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    kill(process);
    let id = Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    // The parent may have reaped it already.
    let _ = waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
}
