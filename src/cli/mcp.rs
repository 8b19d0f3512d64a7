//! `refdesk mcp`: serves the desk to one client, until the client or a signal ends it.

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use super::answer::CommandOutput;
use super::args::McpArgs;
use super::{OutputFormat, mcp_http, output};
use crate::runtime::runtime;
use refdesk_desk::Options;
use refdesk_text::report::Diagnostic;
use refdesk_text::{Code, Error};

/// Printed if the command is started at a terminal.
const WAITING: &str = "refdesk mcp is waiting for an agent's messages on standard input. Agents start it themselves \
                       after `refdesk connect`. Ctrl-D ends it";

/// Reports what the profile requires and the workspace lacks.
pub fn report_missing(problems: &[Diagnostic]) {
    let lacking = problems.iter().filter(|problem| problem.code == Code::ProfileMissing);
    lacking.for_each(|problem| output::print_to_stderr(&output::to_text(problem)));
}

pub fn run(options: Options, args: &McpArgs, session: Option<&str>, format: OutputFormat) -> ExitCode {
    if let Some(address) = &args.http {
        return mcp_http::run(options, address, args, session, format);
    }
    // A person at a terminal would otherwise see nothing.
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        output::print_to_stderr(WAITING);
    }
    let session = session.map(str::to_owned);
    let served = runtime().and_then(|runtime| {
        let ended = runtime.block_on(refdesk_mcp::serve_stdio(options, session, report_missing));
        // A thread still waiting for standard input or a person must not delay the exit.
        runtime.shutdown_background();
        ended
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let refusal = Error::new(Code::NotServed, format!("the server has stopped: {error}"), "");
            output::print(CommandOutput::refused(refusal), format)
        }
    }
}
