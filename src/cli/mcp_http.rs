//! `refdesk mcp --http`: serves the desk to many agents, until a signal ends it.

use std::net::SocketAddr;
use std::process::ExitCode;

use serde_json::json;

use super::answer::CommandOutput;
use super::args::McpArgs;
use super::mcp::report_missing;
use super::signals::Signals;
use super::{OutputFormat, environment, output};
use crate::runtime::runtime;
use refdesk_desk::Options;
use refdesk_mcp::http::{self, Http, Limits, PATH};
use refdesk_text::{Code, Error};

/// Serves at this address. Once calls are accepted, the address is printed: a line on standard error for people, a
/// document on standard output for programs.
pub fn run(options: Options, address: &str, args: &McpArgs, session: Option<&str>, format: OutputFormat) -> ExitCode {
    let http = match Http::new(address, &args.allow_hosts, &args.allow_origins, environment::token()) {
        Ok(http) => http,
        Err(refusal) => return output::print(CommandOutput::usage(refusal.message, refusal.fix), format),
    };
    let listening = |address: SocketAddr| {
        let url = format!("http://{address}{PATH}");
        output::print_to_stderr(&format!("refdesk listens at {url}"));
        output::print(CommandOutput::new(json!({ "url": url }), ""), format);
    };
    let runtime = runtime();
    let session = session.map(str::to_owned);
    let served = runtime.and_then(|runtime| {
        let ended = runtime.block_on(async {
            // Installed before the address is printed, so that an early signal is not missed.
            let mut signals = Signals::new()?;
            let stop = async || {
                signals.any().await;
            };
            http::serve(options, session, &http, Limits::default(), report_missing, listening, stop).await
        });
        // A thread still waiting for a person must not delay the exit.
        runtime.shutdown_background();
        ended
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let message = format!("the server could not run at {}: {error}", http.address);
            let hint = "use port 0 for any free port";
            output::print(CommandOutput::refused(Error::new(Code::NotServed, message, hint)), format)
        }
    }
}
