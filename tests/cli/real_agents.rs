//! The agents' own programs, each connected in both scopes: checks that the agent sends the hint and the server's tools
//! to its model. Programs are found in the folder `REFDESK_AGENTS` or on `PATH`; without one, the test reports that it
//! was skipped. `.ci/agents` installs them.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::support::model::StandInModel;
use crate::support::program::{PROGRAM, run};
use crate::support::workspace::Workspace;

/// The environment variable with the folder of the programs.
const FOLDER: &str = "REFDESK_AGENTS";

const PROMPT: &str = "What do our documents say about resilience?";

const HINT: &str = "- @retry-pattern: Retry pattern (matched: resilience)";

/// An agent's program.
struct RealAgent {
    /// The agent's name for `connect`.
    word: &'static str,
    program: &'static str,
    /// Arguments for answering a prompt without a terminal and, as far as possible, without questions, which no one
    /// would answer.
    words: &'static [&'static str],
    /// User settings that point to the stand-in model: file below the home folder, and text.
    settings: fn(&str, &Path) -> Option<(&'static str, String)>,
    /// Environment variables that point to the stand-in model.
    environment: fn(&str) -> Vec<(&'static str, String)>,
}

const CLAUDE_CODE: RealAgent = RealAgent {
    word: "claude-code",
    program: "claude",
    words: &["-p"],
    settings: |_, _| None,
    environment: |url| {
        vec![
            ("ANTHROPIC_BASE_URL", url.to_owned()),
            ("ANTHROPIC_API_KEY", "none".to_owned()),
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1".to_owned()),
        ]
    },
};

/// Codex runs hooks only after a review at a terminal.
const CODEX: RealAgent = RealAgent {
    word: "codex",
    program: "codex",
    words: &["exec", "--dangerously-bypass-hook-trust"],
    settings: |url, workspace| {
        let workspace = json!(workspace);
        let text = format!(
            "model = \"stand-in\"\nmodel_provider = \"stand-in\"\ncheck_for_update_on_startup = false\n\n\
             [analytics]\nenabled = false\n\n\
             [model_providers.stand-in]\nname = \"stand-in\"\nbase_url = \"{url}/v1\"\nwire_api = \"responses\"\n\n\
             [projects.{workspace}]\ntrust_level = \"trusted\"\n"
        );
        Some((".codex/config.toml", text))
    },
    environment: |_| Vec::new(),
};

/// Without a terminal, Gemini CLI only has tools that it may use without asking.
const GEMINI_CLI: RealAgent = RealAgent {
    word: "gemini-cli",
    program: "gemini",
    words: &["--approval-mode", "yolo", "-p"],
    settings: |_, _| {
        let settings = json!({
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": false},
            "privacy": {"usageStatisticsEnabled": false},
        });
        Some((".gemini/settings.json", settings.to_string()))
    },
    environment: |url| {
        vec![
            ("GOOGLE_GEMINI_BASE_URL", url.to_owned()),
            ("GEMINI_API_KEY", "none".to_owned()),
            ("GEMINI_CLI_TRUST_WORKSPACE", "true".to_owned()),
        ]
    },
};

const OPENCODE: RealAgent = RealAgent {
    word: "opencode",
    program: "opencode",
    words: &["run"],
    settings: |url, _| {
        let options = json!({"baseURL": format!("{url}/v1"), "apiKey": "none"});
        let provider = json!({
            "npm": "@ai-sdk/openai-compatible", "name": "stand-in", "options": options,
            "models": {"stand-in": {"name": "stand-in"}},
        });
        let model = "stand-in/stand-in";
        let settings = json!({
            "autoupdate": false, "model": model, "small_model": model, "provider": {"stand-in": provider},
        });
        Some((".config/opencode/opencode.json", settings.to_string()))
    },
    environment: |_| vec![("OPENCODE_DISABLE_MODELS_FETCH", "1".to_owned())],
};

/// The search path, with refdesk's own program first.
fn search_path() -> OsString {
    let own = Path::new(PROGRAM).parent().map(Path::to_path_buf);
    let named = std::env::var_os(FOLDER).map(PathBuf::from);
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::join_paths(own.into_iter().chain(named).chain(std::env::split_paths(&path))).unwrap()
}

/// Prints the line even if the test passes.
fn tell(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

/// The program in the workspace, with nothing from this machine's environment but the path.
fn command(world: &Workspace, agent: &RealAgent, path: &OsString, words: &[&str]) -> Command {
    let mut command = Command::new(agent.program);
    command.args(words).current_dir(&world.path).env_clear().env("PATH", path).env("TMPDIR", world.beside("tmp"));
    for (name, folder) in [
        ("HOME", ""),
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_STATE_HOME", ".local/state"),
        ("XDG_DATA_HOME", ".local/share"),
        ("XDG_CACHE_HOME", ".cache"),
    ] {
        command.env(name, world.beside("home").join(folder));
    }
    command
}

/// A repository with one source, added by `init`.
fn repository() -> Workspace {
    let world = Workspace::with(&[
        ("README.md", "# Gate\n\nA service.\n"),
        ("docs/retry-pattern.md", "---\ntags: [resilience]\n---\n\n# Retry pattern\n\nCalls are repeated.\n"),
    ]);
    let mut git = Command::new("git");
    git.args(["init", "-q"]).current_dir(&world.path).env("HOME", world.beside("home"));
    run(&mut git, None).exits(0);
    world.run(&["init", "--yes"]).exits(0);
    world
}

/// Whether the request lists one of our tools; each provider has its own format.
fn has_tool(request: &Value) -> bool {
    request["tools"].to_string().contains("selectReferences")
}

fn try_out(agent: &RealAgent, has_hooks: bool) {
    let path = search_path();
    let is_there = std::env::split_paths(&path).any(|folder| folder.join(agent.program).is_file());
    if !is_there {
        tell(&format!("skipped: '{}' is neither in ${FOLDER} nor on PATH", agent.program));
        return;
    }
    for scope in ["--project", "--user"] {
        let world = repository();
        let model = StandInModel::start();
        if let Some((file, text)) = (agent.settings)(&model.url, &world.path) {
            refdesk_files::write_atomic(&world.beside("home").join(file), text.as_bytes()).unwrap();
        }
        let connected = world.json(&["connect", agent.word, scope, "--yes"], 0);
        let mut asked = command(&world, agent, &path, agent.words);
        let said = run(asked.arg(PROMPT).envs((agent.environment)(&model.url)), None).exits(0);
        assert!(said.text().contains("ok"), "{said}");
        let requests = model.requests();
        let reported =
            |what: &str| format!("{} {scope}: {what} in {requests:#?}\n{said}\n{connected:#}", agent.program);
        if has_hooks {
            assert!(requests.iter().any(|request| request.to_string().contains(HINT)), "{}", reported("no hint"));
        }
        assert!(requests.iter().any(has_tool), "{}", reported("no tool"));
        let report = world.json(&["doctor"], 0);
        assert_eq!(report["ok"], true, "{report:#}");
    }
}

#[test]
fn claude_code_sends_the_hint_and_the_tools() {
    try_out(&CLAUDE_CODE, true);
}

#[test]
fn codex_sends_the_hint_and_the_tools() {
    try_out(&CODEX, true);
}

#[test]
fn gemini_cli_sends_the_hint_and_the_tools() {
    try_out(&GEMINI_CLI, true);
}

#[test]
fn opencode_sends_the_tools() {
    try_out(&OPENCODE, false);
}
