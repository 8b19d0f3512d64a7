//! `refdesk hook`: reads one document from an agent, writes one, and exits with 0. The agent waits, and its user did
//! not call the hook, so a failure adds nothing; the reason goes to the log and, if there is a workspace, to its
//! journal.

use std::borrow::Cow;
use std::io::{self, IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::args::{Cli, HookArgs};
use super::threads::{self, ProcessLifetime};
use super::{demo, environment, log, output, tool_name};
use refdesk_agents::hook::{self, HookAgent, HookEvent, HookInput, InvalidHook};
use refdesk_desk::channel::presence::{self, PresenceKind};
use refdesk_desk::session::DEFAULT;
use refdesk_desk::{Desk, EnrichMode, IndexProcess, Options, Session};
use refdesk_enrich::{EnrichRequest, HintAction, TextKind, Tool};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// Longer documents are not read.
const LIMIT: u64 = 64 * 1024 * 1024;

/// How long to wait for another process; after a timeout, each further store waits a tenth as long.
const LOCK_TIMEOUT: Duration = Duration::from_millis(500);

/// One prompt is too little work for more threads, and threads take time to start.
const THREADS: usize = 4;

/// Whether an answer has the instructions of the start.
type HasStart = bool;

pub fn run(arguments: &Cli, args: &HookArgs) -> ExitCode {
    // Log the location of a panic instead of printing it, and drop the message, which may contain the user's text.
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "a bug in refdesk");
    }));
    let (value, desk) = catch_panic(|| answer(arguments, args)).unwrap_or_else(|| (hook::nothing(), None));
    if !print(&value) && value != hook::nothing() {
        tracing::warn!("standard output cannot be written");
        // The agent did not read the output, so it must be sent again.
        catch_panic(|| {
            desk.as_ref().map(|(desk, session, has_start)| {
                desk.forget_session(session, "the response could not be written", *has_start)
            })
        });
    }
    // The program ends here. The system frees ten thousand sources at once, faster than dropping them one by one.
    let _stays = std::mem::ManuallyDrop::new(desk);
    ExitCode::SUCCESS
}

/// Handles wrong arguments of a hook, so that a misconfigured agent continues as if there were no hook.
pub fn answer_usage_error(error: &clap::Error) -> Option<ExitCode> {
    if !error.use_stderr() || !calls_hook(std::env::args_os().collect::<Vec<_>>().into_iter()) {
        return None;
    }
    log::start(None);
    let reason = output::first_paragraph(&error.to_string());
    tracing::warn!(reason, "the hook was called with invalid arguments");
    // Let the agent finish writing.
    let _ = read();
    print(&hook::nothing());
    Some(ExitCode::SUCCESS)
}

/// Whether these arguments call a hook: by the command that the parser finds, else by the first command name in them.
fn calls_hook(arguments: impl Iterator<Item = std::ffi::OsString> + Clone) -> bool {
    let program = <Cli as clap::CommandFactory>::command();
    let parser = program.clone().ignore_errors(true);
    let understood = parser.try_get_matches_from(arguments.clone()).ok();
    if let Some(name) = understood.as_ref().and_then(clap::ArgMatches::subcommand_name) {
        return name == "hook";
    }
    let commands: Vec<&str> = program.get_subcommands().map(clap::Command::get_name).collect();
    let mut words = arguments.skip(1).filter_map(|word| word.into_string().ok());
    words.find(|word| commands.contains(&word.as_str())).is_some_and(|word| word == "hook")
}

/// The result of `work`; `None` if it panics.
fn catch_panic<T>(work: impl FnOnce() -> T) -> Option<T> {
    catch_unwind(AssertUnwindSafe(work)).ok()
}

/// The response to the agent, and the desk and session that it comes from.
fn answer(arguments: &Cli, args: &HookArgs) -> (Value, Option<(Desk, Session, HasStart)>) {
    let began = Instant::now();
    let input = listen(args);
    let folders = match &input {
        Ok((_, input)) => &input.folders,
        Err(rejected) => &rejected.folders,
    };
    // An agent may have several folders open.
    let cwd = folders.iter().find(|folder| environment::is_in_workspace(folder)).or(folders.first());
    let demo = match arguments.demo.then(demo::unpack).transpose() {
        Ok(demo) => demo,
        Err(error) => return fail(None, &format!("the demo could not be unpacked: {error}")),
    };
    // The catalog knows its files by their real paths.
    let real_cwd = cwd.and_then(|cwd| std::fs::canonicalize(cwd).ok());
    let options = match options(arguments, demo.as_ref().map(tempfile::TempDir::path), cwd.map(PathBuf::as_path)) {
        Ok(options) => Options { lock_timeout: LOCK_TIMEOUT, ..options },
        Err(reason) => return fail(None, &reason),
    };
    let session_of = |session: Option<String>, who: &str| {
        let id = arguments.session.clone().or(session).unwrap_or_else(|| DEFAULT.to_owned());
        Session { id, who: who.to_owned() }
    };
    let (agent, HookInput { session, event, .. }) = match input {
        Ok(input) => input,
        Err(InvalidHook { reason, session, .. }) => {
            // An unknown name would look like another agent.
            let who = HookAgent::from_word(&args.agent).map_or("refdesk hook", HookAgent::word);
            return fail(Some((&Desk::open(options), &session_of(session, who))), &reason);
        }
    };
    if let HookEvent::Other(name) = &event {
        tracing::debug!(agent = agent.word(), ?name, "this event gets no response");
        return (hook::nothing(), None);
    }
    threads::start(THREADS, ProcessLifetime::Short);
    let (mut desk, session) = (Desk::open(options), session_of(session, agent.word()));
    let process = desk.index_process().filter(|_| matches!(event, HookEvent::Start { .. }));
    if let Some(Err(error)) = process.map(IndexProcess::spawn_detached) {
        tracing::info!("the search index cannot be updated in the background: {error}");
    }
    let (added, problems, has_start) = enrich_event(&mut desk, &session, agent, (&event, real_cwd.as_deref()), args);
    note(&desk, &session, &event, &problems);
    let milliseconds = began.elapsed().as_millis();
    tracing::info!(agent = agent.word(), session = ?session.id, bytes = added.len(), milliseconds, "answered");
    (hook::answer(agent, &event, &added), Some((desk, session, has_start)))
}

fn listen(args: &HookArgs) -> Result<(HookAgent, HookInput), InvalidHook> {
    let reject = |reason: String| InvalidHook { reason, folders: Vec::new(), session: None };
    let bytes = read();
    let Some(agent) = HookAgent::from_word(&args.agent) else {
        let known = HookAgent::ALL.map(HookAgent::word).join(", ");
        return Err(reject(format!("unknown agent {:?}; known are {known}", args.agent)));
    };
    hook::parse(agent, &bytes.map_err(reject)?).map(|input| (agent, input))
}

fn read() -> Result<Vec<u8>, String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        output::print_to_stderr(
            "an agent writes its hook document to standard input; `refdesk connect AGENT` sets that up",
        );
        return Err("standard input is a terminal".to_owned());
    }
    let mut bytes = Vec::new();
    stdin
        .lock()
        .take(LIMIT + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| format!("standard input cannot be read: {error}"))?;
    if bytes.len() as u64 > LIMIT {
        return Err(format!("the document is larger than {LIMIT} bytes"));
    }
    Ok(bytes)
}

/// The options for the workspace of the agent's working folder, else of the current folder.
fn options(arguments: &Cli, demo: Option<&Path>, cwd: Option<&Path>) -> Result<Options, String> {
    let current = environment::current();
    let from = match (cwd, &current) {
        (Some(cwd), _) if cwd.is_absolute() => Ok(cwd.to_path_buf()),
        (Some(cwd), Ok(current)) => Ok(current.join(cwd)),
        (None, Ok(current)) => Ok(current.clone()),
        (_, Err(gone)) => Err(gone.message.clone()),
    };
    let named = demo.is_some() || arguments.workspace.is_some();
    let from = match from {
        // The path may contain links or `..`.
        Ok(from) if !named => real_folder(&from)?,
        Ok(from) => from,
        Err(_) if named => PathBuf::new(),
        Err(reason) => return Err(reason),
    };
    environment::options_from(arguments, demo, current.as_deref().unwrap_or(&from), &from)
        .map_err(|refusal| refusal.message)
}

fn real_folder(folder: &Path) -> Result<PathBuf, String> {
    let real = std::fs::canonicalize(folder).ok().filter(|folder| folder.is_dir());
    real.ok_or_else(|| format!("the agent works in {folder:?}, which is not a folder"))
}

/// What the desk adds for the event of an agent that works in this folder, and the problems.
fn enrich_event(
    desk: &mut Desk,
    session: &Session,
    agent: HookAgent,
    (event, cwd): (&HookEvent, Option<&Path>),
    args: &HookArgs,
) -> (String, Vec<Diagnostic>, HasStart) {
    let budget = hook::budget(agent, event);
    let (repeat, mode) =
        if environment::is_trial() { (true, EnrichMode::DryRun) } else { (args.repeat, EnrichMode::Send) };
    let mut problems = Vec::new();
    let loses_context = match event {
        HookEvent::Start { loses_context, .. } => *loses_context,
        HookEvent::LosesContext { min_received } => desk.session_memory(session).received >= *min_received,
        _ => false,
    };
    if loses_context && !repeat && desk.has_state() {
        let owes_start = !matches!(event, HookEvent::Start { .. });
        let reason = "the conversation was summarised or started again";
        problems.extend(desk.forget_session(session, reason, owes_start));
    }
    // If forgetting failed, the old memory would suppress what must be sent again.
    let is_stuck = problems.iter().any(|problem| problem.code == Code::NotStored);
    let tool_name = match event {
        HookEvent::Tool { name, input, text } => tool_name::canonical(name.as_deref(), input, text),
        _ => None,
    };
    let arguments = match event {
        HookEvent::Tool { input, .. } => tool_name::normalized(tool_name.as_deref(), input),
        _ => Cow::Owned(Value::Null),
    };
    let asked = match event {
        HookEvent::Start { .. } => EnrichRequest::new(TextKind::SystemInstructions, ""),
        HookEvent::Prompt(prompt) => EnrichRequest::new(TextKind::Prompt, prompt),
        HookEvent::Tool { text, .. } => {
            let tool = Some(Tool { name: tool_name.as_deref(), arguments: &arguments, cwd });
            EnrichRequest { tool, ..EnrichRequest::new(TextKind::ToolResult, text) }
        }
        HookEvent::LosesContext { .. } | HookEvent::Other(_) => return (String::new(), problems, false),
    };
    // A tool can work in any folder, so add nothing in one without a catalog.
    if matches!(event, HookEvent::Tool { .. }) && desk.catalog().is_empty() {
        return (String::new(), problems, false);
    }
    // A folder without a catalog gets no state.
    let is_counted = agent.needs_count() && !desk.catalog().is_empty();
    let is_start = matches!(event, HookEvent::Start { .. });
    let starts = is_start || (!repeat && desk.session_memory(session).owes_start);
    let settled = desk.settled();
    let hint_action = hint_action(settled.workspace(), args);
    let asked = EnrichRequest { repeat, is_counted, budget, hint_action, ..asked };
    let mut added = String::new();
    if starts {
        let (enriched, more) = settled.start(session, &EnrichRequest { repeat: repeat || is_stuck, ..asked }, mode);
        added.push_str(enriched.added());
        problems.extend(more);
    }
    if !is_start {
        let asked = EnrichRequest { alone: added.is_empty(), budget: budget.after(&added), ..asked };
        let (enriched, more) = settled.enrich(session, &asked, mode);
        added.push_str(enriched.added());
        problems.extend(more);
    }
    if let Err(error) = desk.cache_mentions() {
        tracing::info!("the mention cache cannot be stored: {error}");
    }
    (added, problems, starts)
}

/// An agent can select sources only through an MCP server. `connect` writes whether the agent has one; otherwise assume
/// that it uses the one that is running.
fn hint_action(workspace: &Path, args: &HookArgs) -> HintAction {
    let has_server = args.mcp || (!args.no_mcp && presence::is_open(workspace, PresenceKind::Server));
    if has_server { HintAction::Select } else { HintAction::Read }
}

/// Journals problems, besides the response. Those of the workspace itself are journalled only for events with a person
/// present, not for every tool call.
fn note(desk: &Desk, session: &Session, event: &HookEvent, problems: &[Diagnostic]) {
    let opening = desk.opening_diagnostics();
    let errors: Vec<&Diagnostic> = opening.iter().filter(|problem| problem.is_error()).collect();
    let foreign = opening.iter().filter(|problem| problem.code == Code::ForeignState);
    for problem in errors.iter().copied().chain(foreign).chain(problems) {
        tracing::warn!(problem = ?output::to_text(problem), "problem of the workspace");
    }
    if environment::is_trial() || is_unwritable(problems) || matches!(event, HookEvent::Tool { .. }) {
        return;
    }
    // An error in an entry belongs to the workspace; a file without any source takes something away from the agent.
    let is_start = matches!(event, HookEvent::Start { .. });
    let mut failed =
        errors.iter().filter(|error| desk.catalog().is_empty() || (is_start && hides_sources(desk, error)));
    if let Some(first) = failed.next() {
        let more = failed.count();
        let more = if more == 0 { String::new() } else { format!(" (and {more} more: refdesk check)") };
        let file = first.file.as_ref().map_or_else(String::new, |file| format!("{file}: "));
        log_unjournalled(desk.failed(session, &format!("{file}{}{more}", first.message)).as_ref());
    }
}

/// Whether the catalog has no source from the file of this problem.
fn hides_sources(desk: &Desk, problem: &Diagnostic) -> bool {
    let context = desk.workspace_context();
    let is_from =
        |file: &str| desk.catalog().sources().iter().any(|source| context.display(&source.origin.file) == file);
    problem.file.as_deref().is_some_and(|file| !is_from(file))
}

fn is_unwritable(problems: &[Diagnostic]) -> bool {
    problems.iter().any(|problem| matches!(problem.code, Code::NotStored | Code::NotJournalled))
}

/// Logs and journals the reason; the agent gets nothing.
fn fail(opened: Option<(&Desk, &Session)>, reason: &str) -> (Value, Option<(Desk, Session, HasStart)>) {
    tracing::warn!(?reason, "nothing is added");
    let opened = opened.filter(|_| !environment::is_trial());
    log_unjournalled(opened.and_then(|(desk, session)| desk.failed(session, reason)).as_ref());
    (hook::nothing(), None)
}

fn log_unjournalled(problem: Option<&Diagnostic>) {
    if let Some(problem) = problem {
        tracing::warn!(problem = ?problem.message, "not journalled");
    }
}

/// Writes a response as one line; returns whether that succeeded.
fn print(answer: &Value) -> bool {
    let line = format!("{answer}\n");
    let mut out = io::stdout().lock();
    out.write_all(line.as_bytes()).and_then(|()| out.flush()).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_gives_no_response() {
        assert_eq!(catch_panic(|| 1), Some(1));
        assert_eq!(catch_panic(|| -> u8 { panic!("on purpose") }), None);
    }

    #[test]
    fn invalid_arguments_of_a_hook_are_recognized() {
        for (words, expected) in [
            (&["hook"][..], true),
            (&["hook", "claude-code", "--bogus"], true),
            (&["hook", "--format", "yaml", "claude-code"], true),
            (&["--desk", "review", "hook", "claude-code", "extra"], true),
            (&["--bogus", "hook", "claude-code"], true),
            (&["--profile", "x", "hook", "claude-code"], true),
            (&["--workspace", "hook", "list", "--bogus"], false),
            (&["list", "hook"], false),
            (&["nonsense"], false),
            (&[], false),
        ] {
            let words = ["refdesk"].iter().chain(words).map(Into::into);
            assert_eq!(calls_hook(words.clone()), expected, "{:?}", words.collect::<Vec<std::ffi::OsString>>());
        }
    }
}
