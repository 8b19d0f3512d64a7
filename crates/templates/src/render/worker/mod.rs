//! Rendering in a process of its own, which is this program started with one hidden word ([`ARGUMENT`]): what a template
//! does to it, it does to no desk. [`WorkerClient`] is the desk's side, [`serve`] the worker's; what goes between are frames of bytes.
//!
//! The worker sets its own limits before it reads anything, knows no workspace and no environment, and answers one job
//! after another. It ends when its standard input does, also in the midst of a rendering: its input is read by a thread of
//! its own, so that a desk that was killed leaves nobody behind, on any system. Its time is measured twice: the desk stops
//! waiting and kills it, and the worker ends by itself should the desk not.

mod cache;
mod client;
mod frame;
mod server;
mod setup;

use serde::{Deserialize, Serialize};

pub(crate) use client::{Failure, WorkerClient};
pub use server::serve;

use super::RenderError;

/// The argument that makes this program a worker. The help does not list it: `render` is the command for people.
pub const ARGUMENT: &str = "render-worker";

/// What a worker says first, so that no other program is taken for one.
const HELLO: &[u8] = b"refdesk render worker 1\n";

/// The exit code of a worker that took too long.
const TOO_LONG: u8 = 124;

/// What an answer says beside the text, which follows in a frame of its own.
#[derive(Debug, Serialize, Deserialize)]
enum AnswerHead {
    /// The text follows; these are the warnings.
    Rendered(Vec<String>),
    /// There is no text.
    Failed(RenderError),
}
