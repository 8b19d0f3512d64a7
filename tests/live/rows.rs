//! Rows about an agent's actions: each says in a complete sentence who did what, in the journal and in `watch`.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Instant;

use serde_json::{Value, json};

use crate::live::actors::{Hook, Progress, Screen, Server};
use crate::live::world::trusted;
use crate::support::program::{LIMIT, kill};
use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

/// A running `refdesk watch`.
struct Watch {
    child: Child,
    lines: Receiver<Value>,
}

impl Watch {
    fn start(workspace: &Workspace) -> Self {
        let mut command = workspace.command(&["watch"]);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (tell, lines) = channel();
        thread::spawn(move || {
            let values = stdout.lines().map_while(Result::ok).map(|line| serde_json::from_str(&line).unwrap());
            values.into_iter().try_for_each(|value: Value| tell.send(value))
        });
        Self { child, lines }
    }

    /// All rows up to the first with this text.
    fn until(&self, text: &str) -> Vec<Value> {
        let mut seen: Vec<Value> = Vec::new();
        while seen.last().is_none_or(|row| row["text"] != text) {
            seen.push(self.lines.recv_timeout(LIMIT).unwrap_or_else(|_| panic!("never: {text}; but {seen:#?}")));
        }
        seen
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        kill(self.child.id());
        let _ = self.child.wait();
    }
}

#[test]
fn every_row_says_who_did_what() {
    let ids = ["seen", "a", "b", "end"].map(str::to_owned);
    let workspace = trusted(ids.into_iter());
    workspace.put(".templates/hello.txt.tmpl", b"Hello {{ name }}!\n");
    let mut server = Server::start(&workspace, "claude-code");
    let mut screen = Screen::open(&workspace);
    let watch = Watch::start(&workspace);
    // It prints no old rows, so repeat new actions until it follows.
    let began = Instant::now();
    while watch.lines.try_recv().is_err() {
        workspace.run(&["select", "seen"]).exits(0);
        workspace.run(&["unselect", "seen"]).exits(0);
        assert!(began.elapsed() < LIMIT);
    }
    let client = server.client();
    client.call("selectReferences", json!({"ids": ["a"]}));
    client.call("readReference", json!({"id": "a"}));
    client.call("renderTemplate", json!({"template": "x"}));
    client.call("renderTemplate", json!({"template_name": "hello.txt.tmpl", "variables": {"name": "Ada"}}));
    client.call("renderTemplateToFile", json!({"template": "x", "output_path": "gen/x.txt"}));
    let ask = json!({"name": "renderTemplateToFile", "arguments": {"template": "x", "output_path": "src/x.txt"}});
    let asked = client.ask("tools/call", ask);
    screen.approve(|| false, &Progress::default());
    assert_ne!(client.answer(&asked)["result"]["isError"], true);
    let choose = client.ask("tools/call", json!({"name": "selectReferences", "arguments": {}}));
    screen.choose_none();
    assert_ne!(client.answer(&choose)["result"]["isError"], true);
    Hook::default().ask(&workspace, "What of @b?", &Progress::default()).unwrap();
    client.call("selectReferences", json!({"ids": ["end"]}));

    let (agent, hook) = ("claude-code over mcp", "claude-code");
    let expected = [
        (agent, "selection", "Picked @a"),
        (agent, "read", "Read @a with the readReference tool"),
        (agent, "template", "Rendered an inline template with the renderTemplate tool"),
        (agent, "template", "Rendered hello.txt.tmpl with the renderTemplate tool"),
        (agent, "template", "Rendered an inline template with the renderTemplateToFile tool"),
        (agent, "file", "Wrote gen/x.txt"),
        (agent, "template", "Rendered an inline template with the renderTemplateToFile tool"),
        (
            agent,
            "asked",
            "Asked a person to approve a write of src/x.txt: claude-code over mcp wants to write src/x.txt",
        ),
        (agent, "asked", "A person at a screen answered: yes to src/x.txt"),
        (agent, "file", "Wrote src/x.txt"),
        (agent, "asked", "Asked a person to choose from 3 sources: claude-code over mcp asks which references to use"),
        (agent, "asked", "A person at a screen answered: none"),
        (hook, "enriched", "To a prompt: expanded @b"),
        (agent, "selection", "Picked @end"),
    ];
    let rows = watch.until("Picked @end");
    let by_agent: Vec<&Value> = rows.iter().filter(|row| [agent, hook].iter().any(|who| row["who"] == *who)).collect();
    let reported: Vec<(&str, &str, &str)> =
        by_agent.iter().map(|row| ["who", "topic", "text"].map(|name| row[name].as_str().unwrap()).into()).collect();
    assert_eq!(reported, expected, "{rows:#?}");
    assert!(
        by_agent
            .iter()
            .all(|row| row["session"].as_str().is_some_and(|it| it.starts_with("claude-code-") || it == "a-session"))
    );

    // The journal's text form says the same.
    let path = workspace.path.to_str().unwrap();
    let journal = Pty::start_at(&workspace.beside("home"), &["--workspace", path, "journal"], 300, 60);
    journal.wait_for("Picked @end");
    let text = journal.text();
    for (who, _, sentence) in expected {
        let says_it = |line: &&str| line.contains(&format!(" {who} ")) && line.contains(sentence);
        let line = text.lines().find(says_it).unwrap_or_else(|| panic!("{who}: {sentence}\n{text}"));
        assert_eq!(line.matches(sentence).count(), 1, "{line}");
    }
    assert!(text.contains("A person at a screen answered: yes to src/x.txt\n"), "nothing is repeated: {text}");
    assert!(text.contains("Wrote src/x.txt (approved by a person at a screen)\n"), "{text}");
    screen.wait_for("Picked @end");
}
