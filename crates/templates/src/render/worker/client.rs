//! The client: starts a worker, sends it jobs, bounds the time of a rendering, and finds out why a worker died. A thread
//! talks to the worker, so that neither a full pipe nor a stopped process can block the caller.

use std::io::{self, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;

use super::super::limits::{
    HEAD_BYTES, JOB_BYTES, LimitedBytes, OUTPUT_BYTES, START, TIME, job_too_large, out_of_memory, out_of_stack,
    out_of_time,
};
use super::super::{RenderJob, Rendered};
use super::frame::receive;
use super::{AnswerHead, HELLO, TOO_LONG, setup};
use crate::error::{template_error, undefined_error};
use refdesk_files::way_to_more;
use refdesk_text::escape::one_line;
use refdesk_text::{Code, Error};

/// The most bytes read from a dead worker's standard error.
const MAX_STDERR: u64 = 4_096;

#[derive(Debug)]
pub(crate) struct WorkerClient {
    child: Child,
    jobs: Sender<Arc<Vec<u8>>>,
    /// Ends when the worker cannot be talked to any more.
    messages: Receiver<WorkerMessage>,
}

#[derive(Debug)]
enum WorkerMessage {
    Ready,
    Answer(Result<Rendered, Error>),
}

impl WorkerClient {
    /// A job encoded for the worker.
    ///
    /// # Errors
    /// It is larger than [`JOB_BYTES`].
    pub(crate) fn frame(job: &RenderJob) -> Result<Arc<Vec<u8>>, Error> {
        let mut frame = LimitedBytes::new(vec![0; 4], JOB_BYTES);
        serde_json::to_writer(&mut frame, job).map_err(|_| template_error(None, job_too_large()))?;
        let length = u32::try_from(frame.bytes.len() - 4).map_err(|_| template_error(None, job_too_large()))?;
        if let Some(place) = frame.bytes.first_chunk_mut() {
            *place = length.to_le_bytes();
        }
        Ok(Arc::new(frame.bytes))
    }

    /// Starts a worker and waits until it is ready.
    ///
    /// # Errors
    /// It does not start.
    pub(crate) fn start(program: &Path) -> Result<Self, Error> {
        let unstarted = |how: String| template_error(None, format!("the render worker cannot be started: {how}"));
        let refused = |error: io::Error| {
            let fix = way_to_more(&error).unwrap_or_default().into();
            Error { fix, ..unstarted(format!("{}: {error}", program.display())) }
        };
        let mut child = setup::command(program).spawn().map_err(refused)?;
        let (jobs, next_jobs) = channel();
        let (sender, messages) = channel();
        let pipes = child.stdin.take().zip(child.stdout.take());
        let client = Self { child, jobs, messages };
        let thread = thread::Builder::new().name("render worker".to_owned());
        let spawned = thread.spawn(move || {
            if let Some((mut to, from)) = pipes {
                let mut from = BufReader::new(from);
                exchange(&mut to, &mut from, &next_jobs, &sender);
                // The client must notice an invalid answer before the worker notices that its pipes are closed.
                drop(sender);
            }
        });
        spawned.map_err(refused)?;
        match client.messages.recv_timeout(START) {
            Ok(WorkerMessage::Ready) => Ok(client),
            Err(RecvTimeoutError::Timeout) => {
                Err(unstarted(format!("{} does not answer within {} s", program.display(), START.as_secs())))
            }
            Ok(_) | Err(RecvTimeoutError::Disconnected) => {
                let how = client.end(false);
                Err(unstarted(format!("{} is not a render worker ({how})", program.display())))
            }
        }
    }

    /// Renders a job in the worker.
    ///
    /// # Errors
    /// There was no answer and the worker must be ended; `true` if it was only too slow.
    pub(crate) fn ask(&mut self, frame: Arc<Vec<u8>>) -> Result<Result<Rendered, Error>, bool> {
        self.jobs.send(frame).map_err(|_| false)?;
        match self.messages.recv_timeout(TIME) {
            Ok(WorkerMessage::Answer(answer)) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => Err(true),
            Ok(_) | Err(RecvTimeoutError::Disconnected) => Err(false),
        }
    }

    /// Kills the worker and finds out why it did not answer.
    pub(crate) fn end(mut self, too_slow: bool) -> Error {
        // If the worker is already dead, its exit status stays that of the first cause.
        let _ = self.child.kill();
        let status = self.child.wait();
        if too_slow {
            return template_error(None, out_of_time());
        }
        let mut words = Vec::new();
        if let Some(stderr) = self.child.stderr.take() {
            let _ = stderr.take(MAX_STDERR).read_to_end(&mut words);
        }
        match status {
            Ok(status) => cause(status, &String::from_utf8_lossy(&words)),
            Err(error) => died(&error.to_string()),
        }
    }
}

impl Drop for WorkerClient {
    fn drop(&mut self) {
        let _ = self.child.kill();
        // Reap the process.
        let _ = self.child.wait();
    }
}

/// Sends jobs and receives answers until either side is closed.
fn exchange(
    to: &mut impl Write,
    from: &mut impl Read,
    next_jobs: &Receiver<Arc<Vec<u8>>>,
    sender: &Sender<WorkerMessage>,
) -> Option<()> {
    let mut hello = [0; HELLO.len()];
    from.read_exact(&mut hello).ok().filter(|()| hello == HELLO)?;
    sender.send(WorkerMessage::Ready).ok()?;
    loop {
        let frame = next_jobs.recv().ok()?;
        to.write_all(&frame).and_then(|()| to.flush()).ok()?;
        let answer = read_answer(from).ok()?;
        sender.send(WorkerMessage::Answer(answer)).ok()?;
    }
}

fn read_answer(from: &mut impl Read) -> io::Result<Result<Rendered, Error>> {
    Ok(match serde_json::from_slice(&receive(from, HEAD_BYTES)?)? {
        AnswerHead::Failed { message, line, is_undefined: true } => Err(undefined_error(line, message)),
        AnswerHead::Failed { message, line, .. } => Err(template_error(line, message)),
        AnswerHead::Rendered(warnings) => {
            let text = String::from_utf8(receive(from, OUTPUT_BYTES)?).map_err(|_| io::ErrorKind::InvalidData)?;
            Ok(Rendered { text, warnings })
        }
    })
}

/// Why a worker died, judging by its exit status and its last messages.
fn cause(status: ExitStatus, words: &str) -> Error {
    if status.code() == Some(i32::from(TOO_LONG)) {
        return template_error(None, out_of_time());
    }
    // The wording of Rust's runtime, which does not report this in any other way.
    if words.contains("memory allocation of") || words.contains("capacity overflow") {
        return template_error(None, out_of_memory());
    }
    if words.contains("has overflowed its stack") {
        return template_error(None, out_of_stack());
    }
    let last_line = words.lines().rfind(|line| !line.trim().is_empty() && !line.starts_with("note: "));
    match last_line {
        None if was_killed(status) => {
            Error::new(Code::WorkerEnded, format!("the render worker was killed: {status}"), "")
        }
        None => died(&status.to_string()),
        Some(last_line) => died(&format!("{status}: {}", one_line(last_line))),
    }
}

fn died(how: &str) -> Error {
    template_error(None, format!("the render worker died: {how}"))
}

/// Whether another process killed it.
fn was_killed(status: ExitStatus) -> bool {
    use rustix::process::Signal;
    use std::os::unix::process::ExitStatusExt;
    let signals = [Signal::KILL, Signal::TERM, Signal::INT, Signal::HUP, Signal::QUIT];
    signals.iter().any(|signal| status.signal() == Some(signal.as_raw()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::ExitStatusExt;

    #[test]
    fn the_cause_of_death_is_reported() {
        // Raw wait statuses: the signal, or the exit code in the upper eight bits.
        let (aborted, killed, code) = (6, 9, |code: i32| code << 8);
        for (status, words, expected) in [
            (
                aborted,
                "memory allocation of 536870912 bytes failed\n",
                "the rendering exceeds the limit of 512 MiB of memory",
            ),
            (
                aborted,
                "\nthread 'render' has overflowed its stack\nfatal runtime error: stack overflow, aborting\n",
                "the rendering nests too deeply: it exceeds the limit of 16 MiB of stack",
            ),
            (code(i32::from(TOO_LONG)), "", "the rendering exceeds the limit of 2 s"),
            (killed, "", "the render worker was killed: signal: 9 (SIGKILL)"),
            (
                code(101),
                "thread 'render' panicked at x.rs:1:2:\nno \u{1b}[1mway\nnote: run with more\n",
                "the render worker died: exit status: 101: no \\x1b[1mway",
            ),
            (code(1), "", "the render worker died: exit status: 1"),
        ] {
            assert_eq!(cause(ExitStatus::from_raw(status), words).message, expected);
        }
    }
}
