//! Trials of programs that misbehave.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use tempfile::TempDir;

use super::*;

/// A folder with an executable that runs this script.
fn program(script: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("refdesk");
    refdesk_files::write_atomic(&path, format!("#!/bin/sh\n{script}\n").as_bytes()).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

fn job(folder: &TempDir) -> CanaryJob {
    CanaryJob { workspace: folder.path().to_path_buf(), hook: None, prompt: None, server: None }
}

fn outcomes(jobs: &[CanaryJob]) -> Vec<Vec<(CanaryStep, Result<CanaryAnswer, CanaryFailure>)>> {
    let CanaryEnd::Done(results) = run(jobs, std::future::pending::<()>()).unwrap() else { panic!("stopped") };
    results.into_iter().map(|results| results.into_iter().map(|it| (it.step, it.outcome)).collect()).collect()
}

#[test]
fn the_answers_of_a_hook() {
    let prompt = CanaryPrompt { text: "about red".to_owned(), about: "the-red".to_owned() };
    let nested = |text: &str| {
        format!("cat > /dev/null; echo '{{\"hookSpecificOutput\": {{\"additionalContext\": \"{text}\"}}}}'")
    };
    let wrong = |text: &str| Err(CanaryFailure::WrongAnswer(text.to_owned()));
    for (agent, script, start, hint) in [
        (HookAgent::Codex, nested("@the-red: Red"), Ok("@the-red: Red"), Some(Ok("@the-red: Red"))),
        (
            HookAgent::Codex,
            nested("@the-blue"),
            Ok("@the-blue"),
            Some(Err(CanaryFailure::NoHint("the-red".to_owned()))),
        ),
        (
            HookAgent::Cursor,
            "echo '{\"additional_context\": \"the-red\"}'".to_owned(),
            Ok("the-red"),
            Some(Ok("the-red")),
        ),
        (HookAgent::Codex, "echo '{}'".to_owned(), Ok(""), Some(Err(CanaryFailure::NoHint("the-red".to_owned())))),
        (HookAgent::Codex, "exec <&-; exit 0".to_owned(), wrong(""), None),
        (HookAgent::Codex, "echo nonsense".to_owned(), wrong("nonsense"), None),
        (HookAgent::Codex, "echo '[]'".to_owned(), wrong("[]"), None),
        (HookAgent::Codex, "echo '{\"additional_context\": 1}'".to_owned(), wrong("{\"additional_context\": 1}"), None),
        (
            HookAgent::Codex,
            "echo >&2; echo broken >&2; exit 3".to_owned(),
            Err(CanaryFailure::Ended(Some(3), "broken".to_owned())),
            None,
        ),
        (HookAgent::Codex, "kill -9 $$".to_owned(), Err(CanaryFailure::Ended(Some(137), "Killed".to_owned())), None),
    ] {
        let (folder, path) = program(&script);
        let hook = Some((agent, format!("'{path}' hook codex")));
        let found = outcomes(&[CanaryJob { hook, prompt: Some(prompt.clone()), ..job(&folder) }]).remove(0);
        let text = |it: Result<&str, CanaryFailure>| it.map(|text| CanaryAnswer::Text(text.to_owned()));
        let mut expected = vec![(CanaryStep::Start, text(start))];
        expected.extend(hint.map(|hint| (CanaryStep::Hint, text(hint))));
        if script.starts_with("kill") {
            // Some shells exec the program, so there is no exit code.
            assert!(matches!(found[0].1, Err(CanaryFailure::Ended(None | Some(137), _))), "{found:?}");
        } else {
            assert_eq!(found, expected, "{script}");
        }
    }
}

#[test]
fn the_answers_of_a_server() {
    let initialize = "read line; echo '{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {\"serverInfo\": {\"name\": \"x\", \"version\": \"2\"}}}'";
    let tools =
        "read line; read line; echo '{\"method\": \"log\"}'; echo '{\"id\": 2, \"result\": {\"tools\": [{}, {}]}}'";
    let named = || (CanaryStep::Initialize, Ok(CanaryAnswer::Server("x 2".to_owned())));
    let wrong = |text: &str| Err(CanaryFailure::WrongAnswer(text.to_owned()));
    for (script, expected) in [
        (format!("{initialize}; {tools}; cat"), vec![named(), (CanaryStep::Tools, Ok(CanaryAnswer::Tools(2)))]),
        (
            format!("{initialize}; echo gone >&2; exit 1"),
            vec![named(), (CanaryStep::Tools, Err(CanaryFailure::Ended(Some(1), "gone".to_owned())))],
        ),
        ("echo hello".to_owned(), vec![(CanaryStep::Initialize, wrong("hello"))]),
        (
            "echo '{\"id\": 1, \"error\": {\"message\": \"no\"}}'".to_owned(),
            vec![(CanaryStep::Initialize, wrong("no"))],
        ),
        ("exit 0".to_owned(), vec![(CanaryStep::Initialize, Err(CanaryFailure::Ended(Some(0), String::new())))]),
    ] {
        let (folder, program) = program(&script);
        let server = Some(ServerCommand { program, args: vec!["mcp".to_owned()] });
        assert_eq!(outcomes(&[CanaryJob { server, ..job(&folder) }]).remove(0), expected, "{script}");
    }
}

#[test]
fn a_program_that_is_missing_or_hangs_does_not_hold_up_the_others() {
    let (folder, hangs) = program("cat > /dev/null; exec tail -f /dev/null");
    let missing = "/nowhere/refdesk".to_owned();
    let server = |program: &str| Some(ServerCommand { program: program.to_owned(), args: vec!["mcp".to_owned()] });
    let hook = |program: &str| Some((HookAgent::Codex, format!("A=1 {program} hook codex")));
    let jobs = [
        CanaryJob { hook: hook(&hangs), server: server(&hangs), ..job(&folder) },
        CanaryJob { hook: hook(&missing), server: server(&missing), ..job(&folder) },
        CanaryJob { hook: hook(&hangs), ..job(&folder) },
    ];
    let found = outcomes(&jobs);
    let late = |line: String| Err(CanaryFailure::TimedOut(line, TIMEOUT));
    let (late_hook, late_server) = (late(format!("A=1 {hangs} hook codex")), late(format!("{hangs} mcp")));
    let gone = Err(CanaryFailure::NotFound(missing));
    assert_eq!(found[0], [(CanaryStep::Start, late_hook.clone()), (CanaryStep::Initialize, late_server)]);
    assert_eq!(found[1], [(CanaryStep::Start, gone.clone()), (CanaryStep::Initialize, gone)]);
    assert_eq!(found[2], [(CanaryStep::Start, late_hook)]);
}

/// The documents of the hooks are JSON, which cannot name such a folder.
#[test]
fn a_folder_that_is_not_utf8_fails_the_hook_and_not_the_server() {
    use std::os::unix::ffi::OsStrExt;
    let (folder, program) = program("exit 0");
    let workspace = folder.path().join(std::ffi::OsStr::from_bytes(b"w\xe9"));
    // Not every file system stores such a name.
    if fs::create_dir(&workspace).is_err() {
        return;
    }
    for agent in [HookAgent::ClaudeCode, HookAgent::Codex, HookAgent::GeminiCli, HookAgent::Cursor] {
        let server = Some(ServerCommand { program: program.clone(), args: vec!["mcp".to_owned()] });
        let hook = Some((agent, format!("'{program}' hook")));
        let found = outcomes(&[CanaryJob { workspace: workspace.clone(), hook, server, prompt: None }]).remove(0);
        let ended = CanaryFailure::Ended(Some(0), String::new());
        let expected = [(CanaryStep::Start, Err(CanaryFailure::UnnamedFolder)), (CanaryStep::Initialize, Err(ended))];
        assert_eq!(found, expected);
    }
}

#[test]
fn children_of_a_hanging_program_end_with_it() {
    let script = "(sleep 20; echo survived) > \"$0.pipe\" & exec tail -f /dev/null";
    let (folder, path) = program(script);
    let pipe = format!("{path}.pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // The read ends when no process has the pipe open for writing.
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    let hook = Some((HookAgent::Codex, format!("'{path}' hook codex; true")));
    let found = outcomes(&[CanaryJob { hook, ..job(&folder) }]).remove(0);
    assert!(matches!(found.as_slice(), [(CanaryStep::Start, Err(CanaryFailure::TimedOut(..)))]), "{found:?}");
    assert_eq!(reader.join().unwrap(), "");
}

#[test]
fn stopping_the_trial_ends_running_programs() {
    let (folder, path) = program("exec 3> \"$0.pipe\"; tail -f /dev/null & echo started > \"$0.begun\"; wait");
    let (pipe, begun) = (format!("{path}.pipe"), format!("{path}.begun"));
    for fifo in [&pipe, &begun] {
        assert!(std::process::Command::new("mkfifo").arg(fifo).status().unwrap().success());
    }
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    let hook = Some((HookAgent::Codex, format!("'{path}' hook codex; true")));
    let job = CanaryJob { hook, ..job(&folder) };
    let stop = async { tokio::task::spawn_blocking(|| fs::read_to_string(begun).unwrap()).await.unwrap() };
    let end = run(&[job], stop).unwrap();
    assert!(matches!(end, CanaryEnd::Stopped(said) if said == "started\n"));
    // The child processes ended too, since nothing has the pipe open.
    assert_eq!(reader.join().unwrap(), "");
}

#[test]
fn programs_get_the_workspace_and_the_trial_variable() {
    let (folder, path) = program("printf '{\"additional_context\": \"%s %s\"}' \"$REFDESK_TRIAL\" \"$PWD\"");
    let hook = Some((HookAgent::Cursor, path));
    let found = outcomes(&[CanaryJob { hook, ..job(&folder) }]).remove(0);
    let place = fs::canonicalize(folder.path()).unwrap();
    assert_eq!(found, [(CanaryStep::Start, Ok(CanaryAnswer::Text(format!("1 {}", place.display()))))]);
    // For a server, the folder replaces the agent's variable.
    let script =
        "read line; echo \"{\\\"id\\\": 1, \\\"result\\\": {\\\"serverInfo\\\": {\\\"name\\\": \\\"$2\\\"}}}\"";
    let (folder, program) = program(script);
    let args = ["--workspace", "${workspaceFolder}", "mcp"].map(str::to_owned).to_vec();
    let found = outcomes(&[CanaryJob { server: Some(ServerCommand { program, args }), ..job(&folder) }]).remove(0);
    let expected = CanaryAnswer::Server(folder.path().to_str().unwrap().to_owned());
    assert_eq!(found[0], (CanaryStep::Initialize, Ok(expected)));
}
