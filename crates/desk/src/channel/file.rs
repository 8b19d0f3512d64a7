//! Asks through files: writes the request into a folder and waits there for the answer. The workspace's screens watch
//! that folder, and any other program may. However the wait ends, it leaves nothing behind that blocks others.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};

use super::answer::{AnswerError, MAX, read};
use super::folder::{ChannelFolder, QUESTION, REQUESTS, RESPONSES, file_of, read_answer, sweep, taken};
use super::{Channel, ChannelAnswer, NoAnswer, Request, Wait};
use crate::session::{advice, ignore_in_git};
use refdesk_files::name::safe;
use refdesk_files::path::{display, is_absent};
use refdesk_files::reserved::STATE_FOLDER;
use refdesk_files::{FileMode, Folder, Sealer, message_in};
use refdesk_text::Code;

/// The shortest polling interval, whatever the configuration says.
const SHORTEST: Duration = Duration::from_millis(10);

/// The file channel of one folder.
#[derive(Debug)]
pub(super) struct Files {
    /// The workspace folder.
    pub workspace: PathBuf,
    pub folder: ChannelFolder,
    /// The polling interval when the system reports no changes.
    pub poll: Duration,
    /// How answers of this user's screens are recognized.
    pub sealer: Sealer,
}

impl Channel for Files {
    fn ask(&self, request: &Request, wait: &Wait) -> Result<ChannelAnswer, NoAnswer> {
        let unasked = |error: io::Error| {
            let why = message_in(&self.workspace, &error);
            let fix =
                if self.folder.is_default() { advice(&error) } else { "set channel.base_path to a writable folder" };
            NoAnswer::failed(Code::NotAsked, format!("the question could not be written: {why}"), fix)
        };
        let (requests, responses) = self.begin().map_err(unasked)?;
        // Watch before creating the request, so that no answer is missed.
        let events = FolderEvents::of(responses.path());
        let published = self.publish_request(request, requests, responses).map_err(unasked)?;
        let mut looked = Instant::now();
        loop {
            if wait.is_cancelled() {
                return published.final_check(request).map_err(|_| NoAnswer::Cancelled);
            }
            if wait.left().is_zero() {
                return published.final_check(request);
            }
            if let Some(end) = published.poll(&published.answer, request) {
                published.take();
                return end;
            }
            while !events.wait(wait.check_interval().min(self.poll)) {
                if wait.is_cancelled() || wait.left().is_zero() || looked.elapsed() >= self.poll {
                    break;
                }
            }
            looked = Instant::now();
        }
    }
}

impl Files {
    /// Opens the two folders and removes what dead requesters left.
    fn begin(&self) -> io::Result<(Folder, Folder)> {
        self.folder.check()?;
        if self.folder.path().starts_with(self.workspace.join(STATE_FOLDER)) {
            ignore_in_git(&self.workspace)?;
        }
        let parts = (self.folder.make_part(REQUESTS)?, self.folder.make_part(RESPONSES)?);
        sweep(&self.folder);
        Ok(parts)
    }

    fn publish_request(&self, request: &Request, requests: Folder, responses: Folder) -> io::Result<PublishedRequest> {
        let id = &request.request_id;
        if safe(id) != *id {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "the request's id is not a file name"));
        }
        let bytes = serde_json::to_vec_pretty(request)?;
        if bytes.len() as u64 > QUESTION {
            let message =
                format!("it has {} bytes, more than the limit of {QUESTION}; offer fewer sources", bytes.len());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let alive = requests.publish(file_of(id), &bytes, FileMode::Private)?;
        let shown = display(&self.workspace, &responses.path_of(file_of(id)));
        let workspace = self.workspace.clone();
        Ok(PublishedRequest {
            workspace,
            requests,
            responses,
            answer: file_of(id),
            taken: taken(id),
            shown,
            sealer: self.sealer.clone(),
            _alive: alive,
        })
    }
}

/// A published request. Dropping it removes the request, then the answer that was taken; `folder::answer` relies on
/// this order.
struct PublishedRequest {
    workspace: PathBuf,
    requests: Folder,
    responses: Folder,
    /// The file name of both the request and the answer.
    answer: String,
    /// The answer's file name once it is taken.
    taken: String,
    /// The answer's path for messages.
    shown: String,
    sealer: Sealer,
    /// Locked while the requester waits.
    _alive: File,
}

impl PublishedRequest {
    /// The answer in the file of this name, if it exists and is complete.
    fn poll(&self, name: &str, request: &Request) -> Option<Result<ChannelAnswer, NoAnswer>> {
        let wrong = |message: String, hint| Some(Err(NoAnswer::failed(Code::WrongAnswer, message, hint)));
        let bytes = match read_answer(&self.responses, name) {
            Ok(Some(bytes)) => bytes,
            Ok(None) => return wrong(format!("{} has more than {MAX} bytes", self.shown), "answer with ids only"),
            Err(error) if is_absent(&error) => return None,
            Err(error) => {
                let message = format!("the answer cannot be read: {}", message_in(&self.workspace, &error));
                return wrong(message, "an answer must be a regular file");
            }
        };
        match read(request, &bytes) {
            Ok(answered) if request.is_answered_by_user(&bytes, &self.sealer) => Some(Ok(answered)),
            // Any program can write a file.
            Ok(_) if request.approval.is_some() => {
                let fix = match self.sealer.can_have_key() {
                    true => "answer on a screen that you opened as the same user, with the same state folder",
                    false => {
                        "set HOME, or XDG_STATE_HOME to a folder that you own, for this program and for the screen"
                    }
                };
                wrong(format!("{} decides about the write, but no screen of yours wrote it", self.shown), fix)
            }
            Ok(answered) => Some(Ok(ChannelAnswer { is_from_program: true, ..answered })),
            Err(AnswerError::Incomplete(_)) => None,
            Err(wrong) => Some(Err(wrong.into_no_answer(&self.shown))),
        }
    }

    /// Takes the answer by renaming it, so that its writer cannot withdraw it; returns whether there was one.
    fn take(&self) -> bool {
        self.responses.rename(&self.answer, &self.taken).is_ok()
    }

    /// Checks once more after the timeout. Removes the request first: a writer that answers now sees that it is gone,
    /// and withdraws its answer unless it was taken here.
    fn final_check(self, request: &Request) -> Result<ChannelAnswer, NoAnswer> {
        let _ = self.requests.remove_file(&self.answer);
        if !self.take() {
            return Err(NoAnswer::TimedOut);
        }
        self.poll(&self.taken, request).unwrap_or_else(|| {
            let why = match read_answer(&self.responses, &self.taken)
                .map(|bytes| read(request, &bytes.unwrap_or_default()))
            {
                Ok(Err(AnswerError::Incomplete(why))) => format!(": {why}"),
                _ => String::new(),
            };
            let message = format!("{} was still incomplete at the timeout{why}", self.shown);
            let hint = "write the answer under another name, and rename it when it is complete";
            Err(NoAnswer::failed(Code::HalfAnswer, message, hint))
        })
    }
}

impl Drop for PublishedRequest {
    fn drop(&mut self) {
        let _ = self.requests.remove_file(&self.answer);
        let _ = self.responses.remove_file(&self.taken);
    }
}

/// Receives changes of a folder; receives none if the system cannot watch it.
struct FolderEvents {
    changes: Receiver<()>,
    _watcher: Option<RecommendedWatcher>,
}

impl FolderEvents {
    fn of(folder: &Path) -> Self {
        let (sender, changes) = channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            // Reads are not changes; reacting to them would loop forever.
            if !event.is_ok_and(|event| matches!(event.kind, EventKind::Access(_))) {
                // The waiting side may be gone.
                let _ = sender.send(());
            }
        });
        let watcher = watcher.and_then(|mut watcher| {
            watcher.watch(folder, RecursiveMode::NonRecursive)?;
            Ok(watcher)
        });
        // Without a watcher, polling finds the answer.
        Self { changes, _watcher: watcher.ok() }
    }

    /// Waits up to `span`; returns whether something changed.
    fn wait(&self, span: Duration) -> bool {
        match self.changes.recv_timeout(span) {
            Ok(()) => {
                while self.changes.try_recv().is_ok() {}
                true
            }
            Err(RecvTimeoutError::Timeout) => false,
            Err(RecvTimeoutError::Disconnected) => {
                // There is no watcher to hold the sender.
                std::thread::park_timeout(span);
                false
            }
        }
    }
}

/// The polling interval from the configured seconds.
pub(super) fn poll(seconds: f64) -> Duration {
    Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX).max(SHORTEST)
}

#[cfg(test)]
mod tests;
