//! Requests waiting for the engine's answer. A superseded question is cancelled, so that the engine skips it.

use std::pin::Pin;
use std::task::Poll;

use futures_util::FutureExt;
use refdesk_desk::engine::Response;

use crate::tui::input::Input;
use crate::tui::state::Questions;

#[derive(Default)]
pub struct Replies {
    waiting: Vec<AwaitedReply>,
}

struct AwaitedReply {
    /// The number of the question; `None` for a change.
    question: Option<u64>,
    answer: Pin<Box<dyn Future<Output = Option<Response>>>>,
}

impl Replies {
    pub fn add(&mut self, question: Option<u64>, answer: impl Future<Output = Option<Response>> + 'static) {
        self.waiting.push(AwaitedReply { question, answer: Box::pin(answer) });
    }

    /// Cancels questions whose answers are no longer needed.
    pub fn cancel_obsolete(&mut self, questions: &Questions) {
        self.waiting.retain(|waiting| questions.is_wanted(waiting.question));
    }

    /// The next answer; waits forever if none is expected.
    pub async fn next(&mut self) -> Input {
        std::future::poll_fn(|context| {
            let mut at = 0;
            while let Some(waiting) = self.waiting.get_mut(at) {
                let Poll::Ready(answer) = waiting.answer.poll_unpin(context) else {
                    at += 1;
                    continue;
                };
                let question = self.waiting.remove(at).question;
                // No answer arrives if the engine has stopped, which the snapshot channel reports.
                if let Some(response) = answer {
                    return Poll::Ready(Input::Answer { question, response });
                }
            }
            Poll::Pending
        })
        .await
    }

    /// An answer that has already arrived.
    pub fn next_ready(&mut self) -> Option<Input> {
        self.next().now_or_never()
    }
}
