//! `refdesk` without a command: the full screen over a running engine.

use std::io::{IsTerminal, stdin, stdout};
use std::process::ExitCode;

use super::Format;
use super::answer::Answer;
use super::output;
use crate::desk::{Options, Refusal};
use crate::engine;
use crate::tui::{self, Ended, Start};

/// Opens the screen; without a terminal that can show it an error that names the commands.
///
/// # Errors
/// Where the terminal cannot be taken over, or the engine ends before the screen does.
pub fn run(options: Options, format: Format) -> color_eyre::Result<ExitCode> {
    let unfit = if !stdout().is_terminal() || !stdin().is_terminal() {
        Some("the full screen needs a terminal on standard input and output")
    } else if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        Some("the full screen needs a terminal that can move its cursor, and TERM=dumb says that this one cannot")
    } else {
        None
    };
    if let Some(unfit) = unfit {
        let refusal = Refusal::new(
            "no-terminal",
            unfit,
            "use a command: list, select, unselect, exclude, include, clear, resolve, references, why, graph, \
             instructions, check, add, templates, render, enrich (refdesk --help)",
        );
        return Ok(output::print(&Answer { exit: 2, ..Answer::refused(refusal) }, format));
    }
    color_eyre::install()?;
    let engine = engine::start(options)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    let ended = runtime.block_on(tui::run(engine, Start::from_env()))?;
    Ok(match ended {
        Ended::Quit => ExitCode::SUCCESS,
        // As a shell expects of a program that a signal ended.
        Ended::Signal(number) => ExitCode::from(u8::try_from(128 + number).unwrap_or(1)),
    })
}
