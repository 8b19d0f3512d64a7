//! The command line: one file per command, each a function from an open desk and its arguments to a result (BEHAVIOUR
//! §10). Only `output` prints, and only `environment` reads the environment.

mod answer;
mod args;
mod carried;
mod demo;
mod environment;
mod failure;
mod help;
mod log;
mod output;
mod places;
mod rows;
mod signals;
mod text_input;
mod text_words;
mod threads;
mod tool_name;

mod add;
mod ask;
mod assert;
mod change;
mod check;
mod completions;
mod connect;
mod db;
mod doctor;
mod edit;
mod enrich;
mod fix;
mod graph;
mod hook;
mod index;
mod init;
mod instructions;
mod journal;
mod list;
mod man;
mod mcp;
mod mcp_http;
mod preferences;
mod profiles;
mod references;
mod remove;
mod render;
mod replay;
mod resolve;
mod screen;
mod search;
mod select;
mod show;
mod simulate;
mod since;
mod table;
mod tag;
mod templates;
mod trust;
mod watch;
mod why;
mod why_not;
mod workspace;

pub use args::{Cli, Command, OutputFormat};
pub use screen::{Interface, ScreenStart};

use std::collections::HashSet;
use std::process::ExitCode;

use answer::CommandOutput;
use threads::ProcessLifetime;

use refdesk_core::config::screen_files::{ScreenFiles, ScreenSettings};
use refdesk_desk::engine::Started;
use refdesk_desk::{Desk, Options, Picker, Session};
use refdesk_templates::render::worker;
use refdesk_text::report::Diagnostic;
use refdesk_text::tokens::counted;
use refdesk_text::{Code, Error};

/// Parses the arguments, runs the command and returns the exit code: 0 done, 1 the request could not be met, 2 usage, 3
/// timed out. Without a command it runs `screen`; a hidden command renders templates for a desk. `screen_settings`
/// reads the user's keymap and themes.
///
/// # Errors
/// The full screen cannot run. Commands print their own errors.
pub fn run(
    screen: impl FnOnce(Started, ScreenStart) -> color_eyre::Result<ExitCode>,
    screen_settings: fn(&ScreenFiles) -> ScreenSettings,
) -> color_eyre::Result<ExitCode> {
    signals::survive_file_size_limit();
    if std::env::args_os().nth(1).is_some_and(|word| word == worker::ARGUMENT) {
        return Ok(worker::serve());
    }
    if completions::answer_call() {
        return Ok(ExitCode::SUCCESS);
    }
    let (preferences, _, problems) = environment::preferences();
    output::choose_colors(std::env::args_os().skip(1), preferences.color);
    let arguments = match help::parse() {
        // The tour needs the sample knowledge base.
        Ok(arguments) => Cli { demo: arguments.demo || arguments.tour, ..arguments },
        Err(error) => return Ok(hook::answer_usage_error(&error).unwrap_or_else(|| output::usage(error))),
    };
    log::start(preferences.log.as_deref());
    if let Some(Command::Hook(args)) = &arguments.command {
        return Ok(hook::run(&arguments, args));
    }
    if !matches!(&arguments.command, Some(Command::Config { .. })) {
        preferences::as_warnings(problems).for_each(|problem| output::print_to_stderr(&output::to_text(&problem)));
    }
    let finished = |answer| {
        let answer = failure::completed(answer, arguments.command.as_ref());
        if arguments.demo {
            carried::with_options(demo::with_note(answer, arguments.command.as_ref()), &arguments, &demo::words)
        } else {
            carried::with_options(answer, &arguments, &fix::words)
        }
    };
    let print = |answer| output::print(finished(answer), arguments.format);
    let has_command = arguments.command.is_some();
    let is_json = arguments.format == OutputFormat::Json;
    for (is_wrong, message, fix) in [
        (arguments.tour && has_command, "the tour works only on the full screen", "leave out the command"),
        (
            arguments.plain && !has_command && is_json,
            "the plain interface prints text, not JSON",
            "leave out --plain, and name a command",
        ),
        (arguments.ascii && has_command, "--ascii is for the full screen", "leave out --ascii, or the command"),
        (arguments.plain && has_command, "commands print plain lines anyway", "leave out --plain, or the command"),
    ] {
        if is_wrong {
            return Ok(print(CommandOutput::usage(message, fix)));
        }
    }
    let own_files = match &arguments.command {
        Some(Command::Config { command }) => Some(preferences::run(*command, screen_settings)),
        Some(Command::Completions { shell }) => Some(completions::run(*shell)),
        Some(Command::Man { words }) => Some(man::run(words, arguments.format)),
        _ => None,
    };
    if let Some(answer) = own_files {
        return Ok(print(answer));
    }
    let is_in_background = matches!(&arguments.command, Some(Command::Index(args)) if args.background);
    let is_long = matches!(&arguments.command, None | Some(Command::Watch | Command::Mcp(_) | Command::Index(_)));
    let life = if is_long { ProcessLifetime::Long } else { ProcessLifetime::Short };
    threads::start(if is_in_background { 1 } else { usize::MAX }, life);
    let demo = match arguments.demo.then(demo::unpack).transpose() {
        Ok(demo) => demo,
        Err(error) => {
            let message = format!("the demo could not be unpacked: {error}");
            let refusal = Error::new(Code::NoDemo, message, "make the folder for temporary files writable (TMPDIR)");
            return Ok(print(CommandOutput::refused(refusal)));
        }
    };
    // What runs until it is ended listens itself.
    if let Some(demo) = demo.as_ref().filter(|_| !is_long)
        && let Err(error) = signals::remove_on_signal(demo.path().to_owned())
    {
        tracing::info!("the demo's folder will remain after a signal: {error}");
    }
    if let Some(refused) = connect::refusal(&arguments) {
        return Ok(print(refused));
    }
    let (options, session) = match environment::options(&arguments, demo.as_ref().map(tempfile::TempDir::path)) {
        Ok(opened) => opened,
        Err(refusal) => return Ok(print(CommandOutput::refused(refusal))),
    };
    // A profile that does not exist was reported above, which takes precedence.
    if let Some(refused) = profiles::refusal(&arguments) {
        return Ok(print(refused));
    }
    if let Some(refused) = arguments.command.as_ref().and_then(|command| workspace::refused(&options.context, command))
    {
        return Ok(print(refused));
    }
    match &arguments.command {
        None => screen::run(options, session, &arguments, preferences, screen),
        Some(Command::Watch) => {
            Ok(watch::run(options, session, arguments.session.as_deref(), output::format_of_lines(&arguments)))
        }
        Some(Command::Index(args)) if args.watch => Ok(index::watch(options, session, args, arguments.format)),
        Some(Command::Mcp(args)) => Ok(mcp::run(options, args, arguments.session.as_deref(), arguments.format)),
        Some(command) => {
            let undelivered = is_sent(command).then(|| options.clone());
            let answer = finished(answer(options, &session, command, &arguments));
            let (code, is_written) = output::print_checked(answer, arguments.format);
            // Otherwise the session would be told later that it already has this.
            if let Some(options) = undelivered.filter(|_| !is_written) {
                let problems =
                    Desk::open(options).forget_session(&session, "standard output could not be written", false);
                problems.iter().for_each(|problem| output::print_to_stderr(&output::to_text(problem)));
            }
            if arguments.pause {
                output::wait_for_enter();
            }
            Ok(code)
        }
    }
}

/// Whether the output is what a session is sent, and remembered as sent.
fn is_sent(command: &Command) -> bool {
    matches!(command, Command::Enrich(args) if !args.dry_run && !args.repeat)
}

fn answer(options: Options, session: &Session, command: &Command, arguments: &Cli) -> CommandOutput {
    let options = match command {
        Command::Check(args) => match check::scope(options, args) {
            Ok(options) => options,
            Err(refused) => return refused,
        },
        // Profiles are measured on the desk that will use them.
        Command::Profiles => Options { profile: None, ..options },
        _ => options,
    };
    let mut desk = Desk::open(options);
    let is_to_be_indexed = arguments.demo && command.asks_the_index();
    let unindexed = if is_to_be_indexed { demo::build_index(&desk) } else { None };
    let answer = dispatch(&mut desk, session, command, arguments);
    let mut answer = workspace::answer_or_refuse(answer, &desk, command);
    answer.diagnostics.extend(unindexed);
    // The answer of `check` already lists the problems.
    if !matches!(command, Command::Check(_) | Command::Doctor) {
        answer.add_opening_diagnostics(&desk);
    }
    if !arguments.demo {
        report_moves_once(&desk, &mut answer);
    }
    // `journal`, `connect` and `trust` do not repeat the problems of the catalog.
    if command.ignores_the_catalog() || command.ignores_entries() {
        let opening: HashSet<Diagnostic> = desk.opening_diagnostics().into_iter().collect();
        let is_wanted = |problem: &Diagnostic| {
            problem.is_error()
                || problem.code == Code::ForeignState
                || !opening.contains(problem)
                || (!command.ignores_the_catalog() && problem.source_id.is_none())
        };
        answer.diagnostics.retain(is_wanted);
    }
    // A command in the demo has a folder of its own, in which nothing was reported before.
    let is_reported_once = !arguments.demo && !matches!(command, Command::Check(_) | Command::Doctor);
    if arguments.format == OutputFormat::Text && is_reported_once {
        report_missing_once(&desk, command, &mut answer);
    }
    // The program is about to exit, so leak these: the system frees ten thousand sources faster than the
    // destructors would.
    let _stays = std::mem::ManuallyDrop::new((desk.catalog().clone(), desk.graph().clone(), desk.selection().clone()));
    answer
}

/// Replaces the problems of moved paths by one line with the command that fixes them, and reports each
/// problem only once.
fn report_moves_once(desk: &Desk, answer: &mut CommandOutput) {
    let moved: Vec<&Diagnostic> = answer.diagnostics.iter().filter(|problem| problem.code == Code::MovedPath).collect();
    if moved.is_empty() {
        return;
    }
    let paths = counted(moved.len(), "path");
    let message =
        format!("{paths} of another machine found in this workspace: `refdesk check --fix` rewrites the catalog");
    let was_shown = desk.were_shown_before("moves", &moved);
    answer.diagnostics.retain(|problem| problem.code != Code::MovedPath);
    if !was_shown {
        answer.diagnostics.push(Diagnostic::warning(Code::MovedPath, message));
    }
}

/// Drops missing paths that were already reported; for `init`, which fixes them, drops all missing paths.
fn report_missing_once(desk: &Desk, command: &Command, answer: &mut CommandOutput) {
    let is_missing = |problem: &&Diagnostic| problem.code == Code::MissingPath && !problem.is_error();
    let missing: Vec<&Diagnostic> = answer.diagnostics.iter().filter(is_missing).collect();
    if !missing.is_empty() && (matches!(command, Command::Init(_)) || desk.were_shown_before("missing", &missing)) {
        answer.diagnostics.retain(|problem| !is_missing(&problem));
    }
}

fn dispatch(desk: &mut Desk, session: &Session, command: &Command, arguments: &Cli) -> CommandOutput {
    let before = desk.choice().clone();
    let mut answer = run_command(desk, session, command, arguments);
    if command.chooses() && (answer.exit == 0 || *desk.choice() != before) {
        // The selection writes its templates to files; problems of the templates themselves are not reported here.
        let (index, _) = desk.templates();
        answer.diagnostics.extend(desk.write_templates(session, &index).diagnostics);
    }
    if command.keeps_mentions()
        && let Err(error) = desk.cache_mentions()
    {
        tracing::info!("the mention cache cannot be stored: {error}");
    }
    answer
}

fn run_command(desk: &mut Desk, session: &Session, command: &Command, arguments: &Cli) -> CommandOutput {
    let format = arguments.format;
    match command {
        Command::List(args) => list::run(desk, args, format),
        Command::Select(args) => select::run(desk, session, args, Picker::Person).into(),
        Command::Unselect(args) => change::unselect(desk, session, &args.ids),
        Command::Exclude(args) => change::exclude(desk, session, &args.ids),
        Command::Include(args) => change::include(desk, session, &args.ids),
        Command::Clear { all } => change::clear(desk, session, *all),
        Command::Resolve(args) => resolve::run(desk, &args.ids, format),
        Command::References { command } => references::run(desk, session, command.as_ref(), format),
        Command::Why(args) => why::run(desk, &args.id).into(),
        Command::Graph(args) => graph::run(desk, args, format),
        Command::Instructions => instructions::run(desk),
        Command::Check(args) => check::run(desk, session, args),
        Command::Doctor => doctor::run(desk, format),
        Command::Show(args) => show::run(desk, &args.id),
        Command::Edit(args) => edit::run(desk, session, &args.id).into(),
        Command::Tag { words } => tag::run(desk, session, words),
        Command::Remove(args) => remove::run(desk, session, args),
        Command::Where => places::run(desk),
        Command::Index(args) => index::run(desk, args),
        Command::Search(args) => search::run(desk, session, args).into(),
        Command::Db { command } => db::run(desk, session, command, format),
        Command::Init(args) => init::run(desk, session, args),
        Command::Add(args) => add::run(desk, session, args),
        Command::Templates { command } => templates::run(desk, session, command.as_ref()),
        Command::Render(args) => render::run(desk, session, args),
        Command::Enrich(args) => enrich::run(desk, session, args, format),
        Command::Simulate(args) => simulate::run(desk, session, args),
        Command::WhyNot(args) => why_not::run(desk, session, args),
        Command::Assert { file } => assert::run(desk, session, file, format),
        Command::Journal(args) => {
            journal::run(desk, args, arguments.session.as_deref(), output::format_of_lines(arguments))
        }
        Command::Replay { n } => replay::run(desk, *n),
        // Handled earlier, with or without an open desk.
        Command::Hook(_) => CommandOutput::new(serde_json::json!({}), "{}\n"),
        // `run` answers these without a desk, or passes them to an engine that it has started.
        Command::Config { .. }
        | Command::Completions { .. }
        | Command::Man { .. }
        | Command::Watch
        | Command::Mcp(_) => CommandOutput::usage("this command needs no open workspace", "run it on its own"),
        Command::Ask(args) => ask::run(desk, session, args),
        Command::Profiles => profiles::run(desk, arguments.profile.as_deref(), format),
        Command::Trust { command } => trust::run(desk, session, command.as_ref()),
        Command::Connect(args) => connect::connect(desk, session, args, format),
        Command::Disconnect(args) => connect::disconnect(desk, session, args, format),
    }
}
