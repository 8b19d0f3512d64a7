//! The desk as a Model Context Protocol server, for one agent on standard input and output or for many over HTTP. The desk
//! itself is an engine behind a queue; what agents ask for is read from its newest snapshot or done by it as an errand.

mod address;
mod agent;
mod completion;
mod handshake;
pub mod http;
mod introduction;
mod lines;
mod notices;
mod paging;
mod prompts;
mod resource;
mod resources;
mod server;
mod sift;
mod stdio;

pub use agent::Connection;
pub use server::Server;
pub use stdio::serve_stdio;
