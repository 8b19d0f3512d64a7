//! `refdesk check`: reports every problem of the catalog and its documents; `--fix` rewrites paths of another machine.

use std::path::Path;

use serde_json::json;

use super::answer::CommandOutput;
use super::args::CheckArgs;
use super::output::{ask_to_leave, lines};
use super::{demo, fix};
use refdesk_core::config::{WorkspaceContext, keys};
use refdesk_desk::{Desk, FixedPath, Options, ProblemParts, Session};
use refdesk_files::path::absolute;
use refdesk_files::workspace::{CONFIGURATIONS, WorkspaceReason, mark_of};
use refdesk_text::escape::one_line;
use refdesk_text::report::{Diagnostic, total};
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};

const WHOLE_WORKSPACE: &str = "leave it out to check the whole workspace with all its sources, profiles and documents";

/// The options for the desk to check: this workspace, another one, or a single configuration file.
pub fn scope(options: Options, args: &CheckArgs) -> Result<Options, CommandOutput> {
    let Some(named) = &args.path else { return Ok(options) };
    let path = absolute(&options.context.current, named);
    let context = options.context.clone();
    let context = if path.is_dir() {
        // A Git repository can become a workspace, so treat it as an empty one.
        if mark_of(&path).is_none() && !path.join(".git").exists() {
            let message = format!("{} is not a workspace: it has no .jaato/ and no references.json", named.display());
            let fix = "name the folder of a workspace or a configuration file, or leave it out to check this workspace";
            return Err(CommandOutput::refused(Error::new(Code::NoWorkspace, message, fix)));
        }
        let reason = WorkspaceReason::Named;
        WorkspaceContext { workspace: path, reason, named: None, from_environment: None, ..context }
    } else if path.is_file() && !is_named_as_json(&path) {
        let message = format!("{} is not a configuration file: its name has no .json", named.display());
        return Err(CommandOutput::refused(Error::new(Code::BadPath, message, WHOLE_WORKSPACE)));
    } else if path.is_file() {
        WorkspaceContext { named: Some(path), from_environment: None, ..context }
    } else {
        let refusal =
            Error::new(Code::NoSuchPath, format!("{} does not exist", named.display()), "name a folder or file");
        return Err(CommandOutput::refused(refusal));
    };
    Ok(Options { context, ..options })
}

/// Whether the name is like `references.json` or `references.json.example`. A name without a dot passes too.
fn is_named_as_json(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !name.contains('.') || name.contains(".json")
}

/// Refuses a JSON file without the keys of a configuration: all its keys would be unknown, and to be removed.
fn not_a_configuration(desk: &Desk, named: &Path) -> Option<Error> {
    let members = desk.config_document()?.value.as_object()?;
    let has_its_name = CONFIGURATIONS.iter().any(|name| named.ends_with(name));
    // These two are keys of many kinds of files.
    let telling = members.keys().map(String::as_str).filter(|key| !matches!(*key, "version" | "$schema"));
    let telling: Vec<&str> = telling.collect();
    if has_its_name || telling.is_empty() || telling.iter().any(|key| keys::TOP.contains(key)) {
        return None;
    }
    let why = if ["id", "name"].iter().all(|key| members.contains_key(*key)) {
        "it is the file of one source"
    } else {
        "it has none of its keys, such as 'sources'"
    };
    let message = format!("{} is not a configuration file: {why}", named.display());
    Some(Error::new(Code::BadPath, message, WHOLE_WORKSPACE))
}

/// Runs all checks, and reports the problems from opening the desk too.
pub fn run(desk: &mut Desk, session: &Session, args: &CheckArgs) -> CommandOutput {
    if let Some(refusal) =
        args.path.as_deref().filter(|path| !path.is_dir()).and_then(|named| not_a_configuration(desk, named))
    {
        return CommandOutput::refused(refusal);
    }
    let (fixed, unfixed) = if args.fix { desk.fix_paths(session, &ask_to_leave) } else { (Vec::new(), Vec::new()) };
    let (errors, warnings) = problems_and(desk, unfixed);
    let mut text = String::new();
    for FixedPath { file, before, after, .. } in &fixed {
        text.push_str(&format!("{}\n", one_line(&format!("{file}: changed '{before}' to '{after}'"))));
    }
    text.push_str(&lines(errors.iter().chain(&warnings)));
    let sources = desk.catalog().len();
    let counts = [(sources, "source"), (total(&errors), "error"), (total(&warnings), "warning")];
    let [sources, wrong, odd] = counts.map(|(count, what)| counted(count, what));
    text.push_str(&format!("{sources}: {wrong}, {odd}\n"));
    let fixed: Vec<_> = fixed
        .iter()
        .map(|it| json!({"source_id": it.id, "file": it.file, "before": it.before, "after": it.after}))
        .collect();
    let valid = errors.is_empty();
    let json = json!({"valid": valid, "errors": fix::all(&errors), "warnings": fix::all(&warnings), "fixed": fixed});
    let mut answer = CommandOutput::new(json, text);
    answer.exit = u8::from(!valid);
    answer
}

pub fn problems(desk: &mut Desk) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    problems_and(desk, Vec::new())
}

/// Like [`problems`], with further ones.
fn problems_and(desk: &mut Desk, more: Vec<Diagnostic>) -> (Vec<Diagnostic>, Vec<Diagnostic>) {
    desk.read_all();
    let interrupted = desk.interrupted();
    let parts = ProblemParts {
        templates: &desk.templates().1,
        profiles: &desk.profile_problems(),
        trust: &desk.waiting(),
        unfindable_sources: &desk.unfindable_sources(),
        pages: &desk.page_problems(),
    };
    let mut found = desk.problems(parts);
    found.extend(more.into_iter().chain(interrupted));
    // What the demo lacks is meant to be seen, and a later command could not correct it.
    let is_demo = desk.workspace_context().reason == WorkspaceReason::Demo;
    let worded = |problem: Diagnostic| if is_demo { problem.worded(&demo::words) } else { problem };
    found.into_iter().map(worded).partition(Diagnostic::is_error)
}
