//! Renders previews on a separate thread: a template may take two seconds, and a pick must not wait for it. A preview
//! is skipped if its client has already requested another one.

use std::io;
use std::sync::mpsc::{Sender, channel};
use std::thread;

use tokio::sync::oneshot;

use super::request::Response;
use crate::Prepared;
use refdesk_core::config::WorkspaceContext;
use refdesk_templates::render::Renderer;

/// A preview to render.
pub(crate) struct PreviewJob {
    /// The template's name in the index.
    pub template: String,
    pub prepared: Prepared,
    /// The file to compare with.
    pub path: Option<String>,
    pub reply: oneshot::Sender<Response>,
}

/// Starts the preview thread, which ends when the sender is dropped.
///
/// # Errors
/// The system cannot start a thread.
pub(crate) fn start(renderer: Renderer, context: WorkspaceContext) -> io::Result<Sender<PreviewJob>> {
    let (jobs, waiting) = channel();
    let work = move || {
        for PreviewJob { template, prepared, path, reply } in waiting {
            if !reply.is_closed() {
                let outcome = prepared.show(&renderer, &context, path.as_deref());
                // The client may have stopped waiting.
                let _ = reply.send(Response::Preview { template, outcome });
            }
        }
    };
    thread::Builder::new().name("previews".to_owned()).spawn(work)?;
    Ok(jobs)
}
