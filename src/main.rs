//! The `refdesk` program: reads its arguments and does what they ask.

use std::process::ExitCode;

fn main() -> color_eyre::Result<ExitCode> {
    refdesk::cli::run()
}
