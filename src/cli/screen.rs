//! placeholder
use crate::desk::Options;
/// x
pub fn run(_o: Options, _f: super::Format) -> color_eyre::Result<std::process::ExitCode> {
    Ok(std::process::ExitCode::SUCCESS)
}
