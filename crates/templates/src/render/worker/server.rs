//! The worker's side, in three threads: one reads jobs and exits the process at the end of input, one renders and
//! answers ([`super::cache`]), and one watches the time.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::thread;

use super::super::limits::{JOB_BYTES, STACK, TIME};
use super::super::{RenderJob, Rendered};
use super::cache::serve_all;
use super::frame::{append, receive};
use super::{AnswerHead, HELLO, TOO_LONG, setup};
use crate::error::template_error;
use refdesk_text::{Code, Error};

/// Answers jobs until the input ends. Never returns while the standard input is open.
pub fn serve() -> ExitCode {
    let (jobs, next) = sync_channel(0);
    let (busy, watched) = channel();
    let reader = thread::Builder::new().name("input".to_owned()).spawn(move || read(&jobs));
    let renderer = reader.and_then(|_| {
        let answer = move || serve_all(&Jobs { next, busy });
        thread::Builder::new().name("render".to_owned()).stack_size(STACK).spawn(answer)
    });
    setup::limit_this_process();
    match renderer.and_then(|_| write_out(HELLO)) {
        Ok(()) => watch(&watched),
        Err(error) => {
            let _ = writeln!(io::stderr(), "the worker cannot start: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Passes jobs on, and exits the process at the end of input, whatever the other threads do.
fn read(jobs: &SyncSender<Vec<u8>>) {
    let mut input = io::stdin().lock();
    while let Ok(job) = receive(&mut input, JOB_BYTES) {
        if jobs.send(job).is_err() {
            // The renderer has failed, and the process exits with it.
            return;
        }
    }
    std::process::exit(0);
}

/// Measures the time of each job; returns when the renderer has ended.
fn watch(busy: &Receiver<bool>) -> ExitCode {
    while let Ok(is_busy) = busy.recv() {
        if is_busy {
            match busy.recv_timeout(TIME) {
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return ExitCode::from(TOO_LONG),
                // The renderer has failed and reported why.
                Err(RecvTimeoutError::Disconnected) => break,
            }
        }
    }
    ExitCode::FAILURE
}

fn write_out(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

pub(super) struct Jobs {
    next: Receiver<Vec<u8>>,
    /// Tells the watch thread when a job begins and ends.
    busy: Sender<bool>,
}

impl Jobs {
    /// The next readable job; `None` at the end.
    pub(super) fn next_job(&self) -> Option<RenderJob> {
        loop {
            let bytes = self.next.recv().ok()?;
            self.busy.send(true).ok()?;
            match serde_json::from_slice(&bytes) {
                Ok(job) => return Some(job),
                Err(error) => {
                    let message = format!("the values cannot be passed to the worker: {error}");
                    self.answer(Err(template_error(None, message)))?;
                }
            }
        }
    }

    /// Sends the answer; `None` if the reader is gone.
    pub(super) fn answer(&self, outcome: Result<Rendered, Error>) -> Option<()> {
        let (head, text) = match outcome {
            Ok(rendered) => (AnswerHead::Rendered(rendered.warnings), Some(rendered.text)),
            Err(error) => (
                AnswerHead::Failed {
                    is_undefined: error.code == Code::UndefinedVariable,
                    message: error.message,
                    line: error.line,
                },
                None,
            ),
        };
        let mut frame = Vec::new();
        append(&mut frame, &serde_json::to_vec(&head).ok()?).ok()?;
        if let Some(text) = text {
            append(&mut frame, text.as_bytes()).ok()?;
        }
        write_out(&frame).ok()?;
        self.busy.send(false).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_renderer_that_fails_is_not_late() {
        let (busy, watched) = channel();
        busy.send(true).unwrap();
        drop(busy);
        assert_eq!(format!("{:?}", watch(&watched)), format!("{:?}", ExitCode::FAILURE));
    }
}
