//! `refdesk mcp`: the desk as a server, until its client or a signal ends it.

use std::process::ExitCode;

use super::answer::Answer;
use super::args::McpArgs;
use super::{Format, mcp_http, output};
use crate::desk::{Options, Refusal};
use crate::mcp;

/// Serves.
pub fn run(options: Options, args: &McpArgs, session: Option<&str>, format: Format) -> ExitCode {
    if let Some(address) = &args.http {
        return mcp_http::run(options, address, args, session, format);
    }
    let session = session.map(str::to_owned);
    let served = tokio::runtime::Builder::new_current_thread().enable_all().build().and_then(|runtime| {
        let ended = runtime.block_on(mcp::serve_stdio(options, session));
        // A thread that still waits for standard input, or for a person, holds nobody up.
        runtime.shutdown_background();
        ended
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let refusal = Refusal::new("not-served", format!("the server cannot go on: {error}"), "");
            output::print(Answer::refused(refusal), format)
        }
    }
}
