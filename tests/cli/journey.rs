//! A new user in three kinds of repositories, with a fresh home: `init`, `connect`, `doctor`, a prompt, and the right
//! hint from the command in the agent's own settings.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};

use crate::support::program::run;
use crate::support::workspace::{Workspace, ids};

struct Journey {
    files: &'static [(&'static str, &'static str)],
    /// The sources that `init` writes.
    sources: &'static [&'static str],
    agent: &'static str,
    /// A prompt, and the source that it is about.
    prompt: (&'static str, &'static str),
}

/// A program with documentation and decisions.
const PROGRAM: Journey = Journey {
    files: &[
        ("README.md", "# Lift\n\nA server that opens gates.\n\n## Build\n\n`cargo build`\n"),
        ("Cargo.toml", "[package]\nname = \"lift\"\n"),
        ("src/main.rs", "fn main() {}\n"),
        (".gitignore", "target/\nscratch.md\n"),
        ("scratch.md", "# Scratch\n\nNot for anybody.\n"),
        ("target/doc/generated.md", "# Generated\n"),
        (
            "docs/adr/0001-keep-gates-shut.md",
            "# Gates stay shut without power\n\nA gate without power is shut. A brownout counts as a power cut; after a brownout a \
             person opens the gate, and the brownout is logged.\n",
        ),
        (
            "docs/protocol.md",
            "---\ntitle: Gate protocol\ntags: [telegram]\n---\n\nEach telegram has a checksum. See [[0001-keep-gates-shut]].\n",
        ),
        ("CONTRIBUTING.md", "# Contributing\n\nWrite a test first.\n"),
        ("CHANGELOG.md", "# Changelog\n\n## 1.0\n"),
    ],
    sources: &["0001-keep-gates-shut", "protocol", "ws-contributing", "ws-readme"],
    agent: "claude-code",
    prompt: ("which telegram opens the gate?", "protocol"),
};

/// Knowledge for agents, without code.
const SKILLS: Journey = Journey {
    files: &[
        ("AGENTS.md", "# For agents\n\nAnswer in short sentences.\n"),
        (
            "skills/invoice-audit/SKILL.md",
            "---\nname: invoice-audit\ndescription: Audits invoices for gaps in their numbers.\n---\n\n# Audit\n\nRun `scripts/gaps.py`.\n",
        ),
        ("skills/invoice-audit/scripts/gaps.py", "print('gaps')\n"),
        (
            "skills/letters/SKILL.md",
            "---\nname: letter-writing\ndescription: Writes letters.\ntags: letters\n---\n\n# Letters\n",
        ),
        (".cursor/rules/tone.mdc", "---\ndescription: Tone of voice\nalwaysApply: true\n---\n\nBe kind.\n"),
    ],
    sources: &["ws-agents", "invoice-audit", "letters", "tone"],
    agent: "gemini-cli",
    prompt: ("please do an invoice-audit", "invoice-audit"),
};

/// A book with a table of contents and addresses.
const BOOK: Journey = Journey {
    files: &[
        ("book.toml", "[book]\ntitle = \"Snow\"\nsrc = \"text\"\n"),
        ("text/SUMMARY.md", "# Summary\n\n- [On avalanches](avalanches.md)\n- [On wax](wax.md)\n"),
        (
            "text/wax.md",
            "# On wax\n\nCold snow needs hard wax, wet snow needs klister. Klister sticks; klister needs heat.\n",
        ),
        (
            "text/avalanches.md",
            "# On avalanches\n\nSlab avalanches follow wind. A slab breaks above, and a slab is fast.\n",
        ),
        ("llms.txt", "# Snow\n\n- [Forecast](https://example.org/forecast.md): the forecast of today\n"),
    ],
    sources: &["avalanches", "wax", "forecast"],
    agent: "codex",
    prompt: ("when do I need klister?", "wax"),
};

/// A fresh repository in a fresh home.
fn repository(files: &[(&str, &str)]) -> Workspace {
    let world = Workspace::with(files);
    let mut git = Command::new("git");
    git.args(["init", "-q"]).current_dir(&world.path).env("HOME", world.beside("home"));
    run(&mut git, None).exits(0);
    world
}

/// The prompt hook's command in the agent's settings.
fn hook(world: &Workspace, agent: &str) -> Vec<String> {
    let (file, event) = match agent {
        "claude-code" => (".claude/settings.json", "UserPromptSubmit"),
        "gemini-cli" => (".gemini/settings.json", "BeforeAgent"),
        _ => (".codex/hooks.json", "UserPromptSubmit"),
    };
    let settings: Value = serde_json::from_str(&world.read(file)).unwrap();
    let command = settings["hooks"][event][0]["hooks"][0]["command"].as_str().unwrap();
    command.split(' ').map(str::to_owned).collect()
}

fn travel(journey: &Journey) {
    let world = repository(journey.files);
    let before = world.listing();
    let dry = world.json(&["init", "--dry-run"], 0);
    assert_eq!(world.listing(), before, "a dry run writes nothing");
    assert!(!dry["proposals"].as_array().unwrap().is_empty(), "{dry}");

    let made = world.json(&["init", "--yes"], 0);
    let listed = world.json(&["list"], 0);
    let (mut found, mut expected) = (ids(&listed["sources"]), journey.sources.to_vec());
    found.sort();
    expected.sort_unstable();
    assert_eq!(found, expected, "{made}");
    assert!(world.run(&["check"]).exits(0).text().contains("0 errors"));
    let again = world.json(&["init", "--yes"], 0);
    assert_eq!((&again["new"], &again["moved"]), (&json!([]), &json!([])), "{again}");

    let connected = world.json(&["connect", journey.agent, "--yes"], 0);
    let steps = connected["canary"].as_array().unwrap();
    assert!(steps.len() >= 4 && steps.iter().all(|step| step["ok"] == true), "{connected}");
    let report = world.json(&["doctor"], 0);
    assert_eq!(report["ok"], true, "{report}");

    // Runs the command from the agent's settings in a subfolder, as the agent would.
    let words = hook(&world, journey.agent);
    let (prompt, about) = journey.prompt;
    let below = world.path.join(if journey.agent == "codex" { "text" } else { "." });
    let event = if journey.agent == "gemini-cli" { "BeforeAgent" } else { "UserPromptSubmit" };
    let document = json!({"session_id": "s-1", "cwd": below, "hook_event_name": event, "prompt": prompt});
    let mut agent = world.bare(&words[1..].iter().map(String::as_str).collect::<Vec<_>>());
    let reported = run(agent.current_dir(&below), Some(document.to_string().as_bytes())).exits(0).json();
    let context = reported["hookSpecificOutput"]["additionalContext"].as_str().unwrap_or_default();
    assert!(context.contains(&format!("@{about}")), "{prompt}: {reported}");

    let gone = world.json(&["disconnect", journey.agent, "--yes"], 0);
    assert_eq!(gone["status"], "disconnected", "{gone}");
    for folder in [".claude", ".gemini", ".codex", ".mcp.json"] {
        assert!(!fs::exists(world.path.join(folder)).unwrap(), "{folder} goes as it came");
    }
}

#[test]
fn a_program_with_documents_and_decisions() {
    travel(&PROGRAM);
}

#[test]
fn skills_and_rules_without_code() {
    travel(&SKILLS);
}

#[test]
fn a_book_with_addresses() {
    travel(&BOOK);
}
