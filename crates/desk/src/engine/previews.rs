//! Previews, rendered beside the desk: a template may take its two seconds, and a pick must not wait for it. Only the
//! newest preview that was asked for is rendered; the screen has no use for the ones before it.

use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use tokio::sync::mpsc::WeakSender;

use super::message::Event;
use crate::Prepared;
use refdesk_templates::render::Renderer;

/// A preview to render.
pub struct Ask {
    /// Of the question.
    pub generation: u64,
    /// Name in the index.
    pub template: String,
    /// What to render.
    pub prepared: Prepared,
    /// The file to compare with.
    pub path: Option<String>,
}

/// The near end of the thread that renders.
pub struct Previews {
    asks: Sender<Ask>,
}

impl Previews {
    /// Starts it. It ends with this value, or when nobody takes events any more; it keeps neither waiting.
    ///
    /// # Errors
    /// Where the system gives no thread.
    pub fn start(renderer: Renderer, workspace: PathBuf, events: WeakSender<Event>) -> io::Result<Self> {
        let (asks, asked) = channel();
        let work = move || {
            while let Some(Ask { generation, template, prepared, path }) = newest(&asked) {
                let outcome = prepared.show(&renderer, &workspace, path.as_deref());
                let Some(events) = events.upgrade() else { return };
                if events.blocking_send(Event::Preview { generation, template, outcome }).is_err() {
                    return;
                }
            }
        };
        thread::Builder::new().name("previews".to_owned()).spawn(work)?;
        Ok(Self { asks })
    }

    /// Asks for a preview; those that were asked for before and not begun yet are forgotten.
    pub fn ask(&self, ask: Ask) {
        // The thread ends only when nobody takes events any more: then nobody misses the answer.
        let _ = self.asks.send(ask);
    }
}

/// The last of what was asked, waiting for one where there is none.
fn newest(asked: &Receiver<Ask>) -> Option<Ask> {
    let first = asked.recv().ok()?;
    Some(asked.try_iter().last().unwrap_or(first))
}
