//! The `refdesk` program: parses its arguments and runs the command. Only here are the commands, the full screen and its
//! state file combined; they do not depend on each other.

use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use refdesk::cli::ScreenStart;
use refdesk::tui::{self, ExitReason, Start};
use refdesk_core::config::screen::{self, SavedScreen};
use refdesk_desk::engine::Started;

fn main() -> color_eyre::Result<ExitCode> {
    refdesk::cli::run(screen, tui::settings)
}

/// Runs the full screen over a running engine, starting with the comparison to a profile or with the tour if one is wanted.
fn screen(engine: Started, how: ScreenStart) -> color_eyre::Result<ExitCode> {
    let file = screen::file().filter(|_| !how.with_tour);
    let (remembered, problem) = match file.as_deref().map(screen::read) {
        Some(Ok(remembered)) => (remembered, None),
        Some(Err(forgotten)) => (SavedScreen::default(), Some(format!("the layout is forgotten: {forgotten}"))),
        None => (SavedScreen::default(), None),
    };
    let start = Start::from_env(remembered.clone(), &how.preferences, &how.files)
        .saying(problem)
        .proposing(how.profile)
        .touring(how.with_tour);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    let left = runtime.block_on(tui::run(engine, start))?;
    if !left.stored {
        let _ = writeln!(std::io::stderr(), "refdesk: the disk did not answer: the last change may not be stored");
    }
    if left.remembered != remembered {
        remember(file.as_deref(), &left.remembered);
    }
    Ok(match left.ended {
        ExitReason::Quit => ExitCode::SUCCESS,
        // As shells report a program that a signal ended.
        ExitReason::Signal(number) => ExitCode::from(u8::try_from(128 + number).unwrap_or(1)),
    })
}

/// Saves the layout for the next screen. Changes to the desk are stored already, so a failure is only reported.
fn remember(file: Option<&Path>, remembered: &SavedScreen) {
    let Some(file) = file else { return };
    if let Err(error) = screen::write(file, remembered) {
        // After a hangup there may be no reader left.
        let _ = writeln!(std::io::stderr(), "refdesk: the layout is not remembered: {error}");
    }
}
