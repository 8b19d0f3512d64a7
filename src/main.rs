//! The `refdesk` program: reads its arguments and does what they ask. Here the commands and the full screen meet, which know
//! nothing of each other, and the screen's state file.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use refdesk::tui::{self, ExitReason, Start};
use refdesk_core::config::screen::{self, SavedScreen};
use refdesk_desk::engine::Started;

fn main() -> color_eyre::Result<ExitCode> {
    refdesk::cli::run(screen)
}

/// The full screen over a running engine, with a profile to switch to first, until a person or a signal ends it.
fn screen(engine: Started, profile: Option<PathBuf>) -> color_eyre::Result<ExitCode> {
    let file = screen::file();
    let (remembered, problem) = match file.as_deref().map(screen::read) {
        Some(Ok(remembered)) => (remembered, None),
        Some(Err(forgotten)) => (SavedScreen::default(), Some(format!("the layout is forgotten: {forgotten}"))),
        None => (SavedScreen::default(), None),
    };
    let start = Start::from_env(remembered.clone()).saying(problem).proposing(profile);
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
        // As a shell expects of a program that a signal ended.
        ExitReason::Signal(number) => ExitCode::from(u8::try_from(128 + number).unwrap_or(1)),
    })
}

/// Writes what the next screen begins with. The choices of the desk are safe already, so a failure is said and no more.
fn remember(file: Option<&Path>, remembered: &SavedScreen) {
    let Some(file) = file else { return };
    if let Err(error) = screen::write(file, remembered) {
        // After a hangup nobody may be left to read it.
        let _ = writeln!(std::io::stderr(), "refdesk: the layout is not remembered: {error}");
    }
}
