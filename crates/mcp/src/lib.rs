//! A Model Context Protocol server for one agent on standard input and output, or for many over HTTP. It exposes the
//! desk as the protocol's tools, resources and prompts.

mod address;
mod agent;
mod completion;
mod elicit;
mod handshake;
pub mod http;
mod lines;
mod notices;
mod paging;
mod prompts;
mod resource;
mod resources;
mod server;
mod stdio;
mod tools;
mod validate;

pub use refdesk_tools::{is_tool, tool_fix};
pub use stdio::serve_stdio;
pub use tools::normalize_arguments;

use refdesk_desk::session::DEFAULT;
use refdesk_desk::{Options, Session, engine};
use refdesk_tools::handle::DeskHandle;

/// Opens the desk for a server's agents: all of them in the given session, or each in its own.
fn open(options: Options, session: Option<String>) -> std::io::Result<DeskHandle> {
    let id = session.clone().unwrap_or_else(|| DEFAULT.to_owned());
    let (renderer, context, is_trial) = (options.renderer.clone(), options.context.clone(), options.is_trial);
    let (engine, _) = engine::start(options, Session { id, who: "refdesk mcp".to_owned() })?;
    Ok(DeskHandle::new(session, renderer, context, engine, is_trial))
}
