//! Rendering in a separate process: this program, started with one hidden argument ([`ARGUMENT`]), so that a template
//! cannot harm the desk. `WorkerClient` is the desk's side, [`serve`] the worker's; they exchange frames.
//!
//! The worker sets its own limits before it reads anything, gets no workspace and no environment, and answers jobs one
//! at a time. It exits when its standard input closes, even during a rendering, because a separate thread reads the
//! input; so a killed desk leaves no worker behind on any system. Both sides measure time: the desk stops waiting and
//! kills the worker, and the worker also exits by itself.

mod cache;
mod client;
mod frame;
mod server;
mod setup;

use serde::{Deserialize, Serialize};

pub(crate) use client::WorkerClient;
pub use server::serve;

/// The argument that makes this program a worker. Not listed in the help: users call `render`.
pub const ARGUMENT: &str = "render-worker";

/// The first output of a worker, so that no other program is mistaken for one.
const HELLO: &[u8] = b"refdesk render worker 1\n";

/// The exit code of a worker that took too long.
const TOO_LONG: u8 = 124;

/// The head of an answer; the text follows in a separate frame.
#[derive(Debug, Serialize, Deserialize)]
enum AnswerHead {
    /// The text follows; these are the warnings.
    Rendered(Vec<String>),
    /// There is no text.
    Failed { message: String, line: Option<usize>, is_undefined: bool },
}
