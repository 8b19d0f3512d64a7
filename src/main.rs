//! The `refdesk` program: reads its arguments and does what they ask. Here the commands and the full screen meet, which know
//! nothing of each other.

use std::process::ExitCode;

use refdesk::engine::Engine;
use refdesk::tui::{self, Ended, Start};

fn main() -> color_eyre::Result<ExitCode> {
    refdesk::cli::run(screen)
}

/// The full screen over a running engine, until a person or a signal ends it.
fn screen(engine: Engine) -> color_eyre::Result<ExitCode> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().enable_time().build()?;
    Ok(match runtime.block_on(tui::run(engine, Start::from_env()))? {
        Ended::Quit => ExitCode::SUCCESS,
        // As a shell expects of a program that a signal ended.
        Ended::Signal(number) => ExitCode::from(u8::try_from(128 + number).unwrap_or(1)),
    })
}
