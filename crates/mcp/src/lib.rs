//! A Model Context Protocol server for one agent on standard input and output, or for many over HTTP. It translates tools,
//! resources and prompts to the protocol.

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

pub use agent::Connection;
pub use server::Server;
pub use stdio::serve_stdio;
