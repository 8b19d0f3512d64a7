//! Those who work at the desk, each as a process of its own: a server with its client, an agent's hook, and a screen that
//! somebody types at. Any of them may be killed while it works; then what it was told until then is what counts.

use std::io::{Read, Write};
use std::process::{Child, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;
use serde_json::{Value, json};

use crate::live::ledger::{Acknowledged, Deed};
use crate::live::world::{added, prompt};
use crate::support::client::{Client, LEGACY};
use crate::support::program::{LIMIT, PROGRAM, kill};
use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

/// How far somebody is with what it does, for whoever wants to kill it in the middle of it.
#[derive(Debug, Default)]
pub struct Progress {
    /// Things begun.
    pub sent: AtomicUsize,
    /// Things that are known to be done.
    pub answered: AtomicUsize,
    /// Whether all is done, or the process is gone.
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

    /// Whether all is done, or the process is gone.
    pub fn is_over(&self) -> bool {
        self.over.load(Ordering::SeqCst)
    }

    fn is_killed(&self) -> bool {
        self.killed.load(Ordering::SeqCst)
    }
}

/// A server, and the client that it works for.
pub struct Server {
    client: Client,
    name: &'static str,
}

/// One call of a tool, and what it does when it is answered.
pub struct Call {
    tool: &'static str,
    arguments: Value,
    deed: Option<Deed>,
}

impl Call {
    pub fn select(id: &str) -> Self {
        let deed = Some(Deed::Picked(id.to_owned()));
        Self { tool: "selectReferences", arguments: json!({"ids": [id]}), deed }
    }

    pub fn read(id: &str) -> Self {
        Self { tool: "readReference", arguments: json!({"id": id}), deed: Some(Deed::Read(id.to_owned())) }
    }

    pub fn render(what: &str) -> Self {
        let arguments = json!({"template": "Hello {{ name }}.\n", "variables": {"name": what}});
        Self { tool: "renderTemplate", arguments, deed: Some(Deed::Rendered(format!("Hello {what}.\n"))) }
    }

    pub fn write(path: &str, what: &str) -> Self {
        let line = format!("It is {what} and nothing else.\n");
        let template = "{% for i in range(50) %}It is {{ name }} and nothing else.\n{% endfor %}";
        let arguments = json!({"template": template, "variables": {"name": what}, "output_path": path});
        let deed = Some(Deed::Written(path.to_owned(), line.repeat(50)));
        Self { tool: "renderTemplateToFile", arguments, deed }
    }

    /// What is written where, if it writes.
    pub fn written(&self) -> Option<(String, String)> {
        match &self.deed {
            Some(Deed::Written(path, text)) => Some((path.clone(), text.clone())),
            _ => None,
        }
    }
}

impl Server {
    /// Starts it for a client of this name.
    pub fn start(workspace: &Workspace, name: &'static str) -> Self {
        let mut client = Client::start(workspace, &[]);
        client.introduce(name, LEGACY, json!({}));
        Self { client, name }
    }

    /// Who it is to everybody else.
    pub fn who(&self) -> String {
        format!("{} over mcp", self.name)
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        self.client.process()
    }

    /// The client, for what is asked one by one.
    pub fn client(&mut self) -> &mut Client {
        &mut self.client
    }

    /// Makes these calls, one after the other or all at once; what was acknowledged. A write that nobody could be asked for is
    /// none.
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

    /// Hears one answer; whether there was one.
    fn listen(&mut self, open: &mut Vec<(Value, Call)>, done: &mut Vec<Acknowledged>, progress: &Progress) -> bool {
        let Some(answer) = self.client.next_answer() else {
            assert!(progress.is_killed(), "{} is gone, and nobody killed it", self.name);
            open.clear();
            return false;
        };
        let at = open.iter().position(|(id, _)| *id == answer["id"]).unwrap_or_else(|| panic!("to whom? {answer}"));
        let (_, call) = open.remove(at);
        let result = &answer["result"];
        progress.answers();
        if result["isError"] == true && result["structuredContent"]["status"] == "no-screen" {
            return true;
        }
        assert!(result.is_object() && result["isError"] != true, "{}: {answer}", call.tool);
        done.extend(call.deed.map(|deed| Acknowledged { who: self.who(), deed }));
        true
    }
}

/// An agent that calls its hook.
#[derive(Debug, Default)]
pub struct Hook {
    running: Mutex<Option<Child>>,
}

impl Hook {
    /// Gives the hook a prompt; what it adds, if it lives to say so.
    pub fn ask(&self, workspace: &Workspace, text: &str, progress: &Progress) -> Option<String> {
        let mut command = workspace.bare(&["hook", "claude-code"]);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        *self.running.lock().unwrap() = Some(child);
        progress.sends();
        // Nobody may be there any more who reads it.
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

    /// Gives it several, one after the other.
    pub fn work(&self, workspace: &Workspace, ids: &[String], progress: &Progress) -> Vec<Acknowledged> {
        let ask = |id: &String| {
            let text = self.ask(workspace, &format!("What does @{id} say?"), progress)?;
            Some(Acknowledged { who: "claude-code".to_owned(), deed: Deed::Added(text) })
        };
        let done = ids.iter().filter_map(ask).collect();
        progress.over.store(true, Ordering::SeqCst);
        done
    }

    /// Kills the hook that runs now; whether one did.
    pub fn kill(&self) -> bool {
        match &mut *self.running.lock().unwrap() {
            Some(child) => child.kill().is_ok(),
            None => false,
        }
    }
}

/// A screen, and somebody who types.
pub struct Screen {
    pty: Pty,
}

impl Screen {
    /// Opens it.
    pub fn open(workspace: &Workspace) -> Self {
        let mut command = CommandBuilder::new(PROGRAM);
        command.args(["--workspace".as_ref(), workspace.path.as_os_str()]);
        // A key for a request that goes at that moment means something else: it opens an editor, which ends at once.
        command.env("VISUAL", "true");
        let pty = Pty::spawn_at(&workspace.beside("home"), command, 200, 60);
        let configured: Value = serde_json::from_str(&workspace.read("references.json")).unwrap();
        pty.wait_for(&format!("{} sources", configured["sources"].as_array().unwrap().len()));
        Self { pty }
    }

    /// Its process.
    pub fn process(&self) -> u32 {
        u32::try_from(self.pty.pid().as_raw_nonzero().get()).unwrap()
    }

    /// What it shows.
    pub fn text(&self) -> String {
        self.pty.text()
    }

    /// Waits until this is shown.
    #[track_caller]
    pub fn wait_for(&self, text: &str) {
        self.pty.wait_for(text);
    }

    /// Picks this source by keys; whether it was seen that it is picked.
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
        Some(Acknowledged { who: "a screen".to_owned(), deed: Deed::Picked(id.to_owned()) })
    }

    /// Goes to the catalog. A key of before may still be on its way, and where it opens an editor that takes those behind it: so
    /// it is seen that one arrived before more are typed.
    fn go_to_the_catalog(&mut self, ended: impl Fn() -> bool) -> bool {
        let began = Instant::now();
        // By way of another pane, since it may be there already.
        for (key, shown) in [("4", "┏ 4 Templates"), ("1", "┏ 1 Catalog")] {
            self.pty.type_bytes(key);
            while !self.pty.comes(Duration::from_secs(1), |seen| seen.text().contains(shown)) {
                if ended() {
                    return false;
                }
                assert!(began.elapsed() < LIMIT, "{shown} never comes; the screen:\n{}", self.text());
                // Out of whatever takes text or closes with any key.
                self.pty.type_bytes("\x1b");
                if self.pty.comes(Duration::from_millis(200), |seen| seen.text().contains(shown)) {
                    break;
                }
                self.pty.type_bytes(key);
            }
        }
        true
    }

    /// Says yes to the one write that somebody asks for, unless there is none any more.
    pub fn approve(&mut self, ended: impl Fn() -> bool, progress: &Progress) {
        for (shown, key) in [("1 asks", "A"), ("look at the write", "\r"), ("yes, write the new file", "y")] {
            if !self.shows(|text| text.contains(shown), &ended) {
                return;
            }
            self.pty.type_bytes(key);
            progress.sends();
        }
        if self.shows(|text| !text.contains("1 asks"), ended) {
            progress.answers();
        }
    }

    /// Chooses none of what somebody asks to choose from.
    pub fn choose_none(&mut self) {
        self.pty.wait_for("1 asks");
        self.pty.type_bytes("A");
        self.pty.wait_for("2 Request");
        self.pty.type_bytes("n");
        self.pty.wait_until("nobody asks", |seen| !seen.text().contains("1 asks"));
    }

    /// Waits until nobody asks, which is known by itself, and leaves what is still open of that.
    pub fn nobody_asks(&mut self) {
        self.pty.wait_until("nobody asks", |seen| !seen.text().contains("1 asks"));
        if self.text().contains("any key closes") {
            self.pty.type_bytes("\x1b");
            self.pty.wait_until("what ended is closed", |seen| !seen.text().contains("any key closes"));
        }
        if self.text().contains("Esc not now") {
            self.pty.type_bytes("\x1b");
            self.pty.wait_until("no question", |seen| !seen.text().contains("Esc not now"));
        }
    }

    /// Waits until it shows something, unless that has become senseless.
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

    /// Takes the terminal away from one that was killed.
    pub fn bury(self) {
        self.pty.hang_up();
    }
}

/// Ends a process for good and waits until the system has taken back what was its.
pub fn end(process: u32) {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    kill(process);
    let id = Pid::from_raw(i32::try_from(process).unwrap()).unwrap();
    // Whoever started it may have been quicker.
    let _ = waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
}
