//! The `refdesk` program: parses its arguments and runs the command. Only this file combines the commands, the full
//! screen, its state file and the plain interface, which do not depend on each other.

use std::io::Write;
use std::process::ExitCode;

use refdesk::cli::{Interface, ScreenStart};
use refdesk::plain::{self, InputOwner, PlainStart};
use refdesk::tui::{self, StartOptions};
use refdesk_core::config::screen;
use refdesk_desk::engine::Started;
use tokio::runtime::Runtime;

fn main() -> color_eyre::Result<ExitCode> {
    refdesk::cli::run(open, tui::settings)
}

/// Opens the requested interface on a running engine.
fn open(engine: Started, how: ScreenStart) -> color_eyre::Result<ExitCode> {
    let runtime = refdesk::runtime::runtime()?;
    let (code, stored) = match how.interface {
        Interface::Full => screen(&runtime, engine, how)?,
        Interface::Plain => {
            let input_owner = if how.is_person { InputOwner::Person } else { InputOwner::Script };
            let start = PlainStart { profile: how.profile, input_owner, ..PlainStart::default() };
            match runtime.block_on(plain::run(engine, start.keeping(how.session_file, &how.files, how.is_demo))) {
                Ok(left) => (left.code, left.stored),
                Err(error) => {
                    let _ = writeln!(std::io::stderr(), "error: {error}");
                    return Ok(ExitCode::FAILURE);
                }
            }
        }
    };
    if !stored {
        let _ = writeln!(std::io::stderr(), "refdesk: the disk did not respond: the last change may be lost");
    }
    Ok(ExitCode::from(code))
}

/// Runs the full screen, starting with a profile's comparison or the tour if requested. Returns the exit code, and
/// whether every change was stored.
fn screen(runtime: &Runtime, engine: Started, how: ScreenStart) -> color_eyre::Result<(u8, bool)> {
    let file = screen::file();
    let (remembered, problem) = screen::remembered(file.as_deref().filter(|_| !how.with_tour));
    let start = StartOptions::from_env(remembered.clone(), &how.preferences, &how.files).saying(problem);
    let start = start.resuming(how.session_file).proposing(how.profile).touring(how.with_tour);
    let left = runtime.block_on(tui::run(engine, start.launched(how.is_demo, how.config.as_deref())))?;
    if let Some(file) = file.as_deref().filter(|_| !how.is_demo && left.remembered != remembered)
        && let Err(error) = screen::write(file, &left.remembered)
    {
        // Changes to the desk are already stored. After a hangup, standard error may be closed.
        let _ = writeln!(std::io::stderr(), "refdesk: the layout was not saved: {error}");
    }
    if let Some(error) = left.forgotten {
        let _ = writeln!(std::io::stderr(), "refdesk: the state of the screen was not saved: {error}");
    }
    Ok((left.ended.code(), left.stored))
}
