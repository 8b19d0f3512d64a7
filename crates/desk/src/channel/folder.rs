//! The folder of requests and answers, as an answering program sees it: `requests/{id}.json` and `responses/{id}.json`.
//! It comes with the workspace and may be malicious, so links in it are not followed. refdesk locks a request before
//! the file gets its name, and the kernel releases the lock when the requester ends, so an unlocked request is dead.
//! Other programs may ask too, with only the fields of the contract: their requests count until they expire.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::answer::MAX;
use super::raise::is_own_id;
use super::{ChannelSetup, Request, Requester, Response};
use crate::Desk;
use refdesk_core::config::{ChannelKind, MAX_TIMEOUT, MemberPart};
use refdesk_files::name::safe;
use refdesk_files::path::{clean, display, is_absent, lossy};
use refdesk_files::reserved::{STATE_FOLDER, is_reserved};
use refdesk_files::{FileMode, Folder, cause, read_open};
use refdesk_text::report::Diagnostic;
use refdesk_text::report::locate::PointerStep;
use refdesk_text::{Code, Error};

pub(super) const REQUESTS: &str = "requests";

/// The folder of answers.
pub(super) const RESPONSES: &str = "responses";

/// The file extension of requests and answers.
const JSON: &str = "json";

/// The file extension of an answer taken by its requester.
const TAKEN: &str = "taken";

/// The maximum size of a request in bytes: ten thousand sources fit, or the diff of a large file.
pub(super) const QUESTION: u64 = 16 * 1024 * 1024;

/// The maximum size in bytes of another program's request, and of all such requests in a folder. They may have come
/// with the repository, and take ten times as much memory as on disk.
const FOREIGN_QUESTION: u64 = 1024 * 1024;
const FOREIGN_QUESTIONS: u64 = 8 * FOREIGN_QUESTION;

/// The requester shown for another program's request, whatever it claims.
const FOREIGN: &str = "another program";

/// How long another program's request waits if it does not say, in seconds.
const DEFAULT_TIMEOUT: f64 = 60.0;

/// The most requests read from one folder.
const MAX_REQUESTS: usize = 64;

/// The most files examined to find them.
const MAX_LOOKED_AT: usize = 1_024;

/// How long an answer waits for another one in progress, which takes a few file writes.
const TURN: Duration = Duration::from_secs(2);

/// The age at which an answer without a requester is removed; until then, its writer may be about to remove it.
const ORPHANED: Duration = Duration::from_secs(60);

/// The folder of a file channel, reopened for each step. Links are followed above the workspace, or above a folder
/// outside it that the user has trusted; below that they are refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelFolder {
    root: PathBuf,
    path: PathBuf,
}

impl ChannelFolder {
    /// The folder at an absolute path.
    pub fn new(workspace: &Path, path: PathBuf) -> Self {
        let root = if path.starts_with(workspace) { workspace.to_path_buf() } else { path.clone() };
        Self { root, path }
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path for display: relative inside the workspace, absolute outside.
    fn shown(&self) -> String {
        self.shown_path(&self.path)
    }

    /// A path in this folder, for display.
    fn shown_path(&self, path: &Path) -> String {
        if self.root == self.path { lossy(path) } else { display(&self.root, path) }
    }

    fn unreadable(&self, path: &Path, error: &io::Error) -> Diagnostic {
        let message = format!("it cannot be read: {}", cause(error));
        Diagnostic::warning(Code::Unreadable, message).in_file(self.shown_path(path))
    }

    fn below_root(&self) -> &Path {
        self.path.strip_prefix(&self.root).unwrap_or(Path::new(""))
    }

    fn open(&self) -> io::Result<Folder> {
        Folder::root(&self.root)?.below(self.below_root())
    }

    /// Opens the folder of requests or of responses.
    ///
    /// # Errors
    /// The file system's error with the path; part of the path is a link.
    pub(super) fn part(&self, name: &str) -> io::Result<Folder> {
        self.open()?.child(OsStr::new(name))
    }

    /// Like [`Self::part`], but creates missing folders. Folders the user configured keep their mode; the part itself
    /// is private if it is created here.
    ///
    /// # Errors
    /// As for [`ChannelFolder::part`].
    pub(super) fn make_part(&self, name: &str) -> io::Result<Folder> {
        if self.root == self.path {
            std::fs::create_dir_all(&self.root)?;
        }
        let mode = if self.is_default() { FileMode::Private } else { FileMode::Default };
        let base = Folder::root(&self.root)?.make(self.below_root(), mode)?;
        Ok(base.make_child(OsStr::new(name), FileMode::Private)?.0)
    }

    /// Whether this is the default folder, in which only refdesk writes.
    pub(super) fn is_default(&self) -> bool {
        *self == default_folder(&self.root)
    }

    /// Whether git or refdesk keeps other files there.
    fn is_reserved(&self) -> bool {
        let below = if self.root == self.path { &self.path } else { self.below_root() };
        !self.is_default() && is_reserved(below)
    }

    /// Checks that there is no link on the path to the folder or to its two parts.
    ///
    /// # Errors
    /// As for [`ChannelFolder::part`].
    pub(super) fn check(&self) -> io::Result<()> {
        [REQUESTS, RESPONSES].into_iter().try_for_each(|part| match self.part(part) {
            Err(error) if is_absent(&error) => Ok(()),
            opened => opened.map(drop),
        })
    }
}

/// A request that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// The request.
    pub request: Request,
    /// The folder of the request and its answer.
    pub folder: ChannelFolder,
    /// When it expires, if known.
    pub until: Option<Timestamp>,
}

/// The requests found in a folder.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FoundRequests {
    /// The pending requests, oldest first, at most 64.
    pub pending: Vec<Pending>,
    /// How many request files were not read because there are too many.
    pub unread: usize,
    /// The problems of unreadable requests.
    pub problems: Vec<Diagnostic>,
}

/// Outcome of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AnswerStatus {
    /// It was accepted.
    First,
    /// Another answer came first, or the requester has stopped waiting.
    Late {
        /// Who answered first, if known.
        by: Option<String>,
    },
}

/// The default folder.
pub fn default_folder(workspace: &Path) -> ChannelFolder {
    ChannelFolder::new(workspace, workspace.join(STATE_FOLDER).join("ask"))
}

/// The folders whose requests a screen of this workspace answers: the default one, and the file channel's if trusted.
/// Skips a folder with a link on its path, so call this each time before reading them.
pub fn folders(setup: &ChannelSetup) -> Vec<ChannelFolder> {
    let mut folders = vec![default_folder(&setup.workspace)];
    if setup.settings.kind == ChannelKind::File && setup.untrusted.is_none() {
        folders.extend(configured(setup).ok().filter(|configured| !configured.is_default()));
    }
    folders.retain(|folder| folder.check().is_ok());
    folders
}

/// The folder of the file channel: `base_path`, relative to the workspace, or the default folder.
///
/// # Errors
/// Git or refdesk keeps other files there.
pub(super) fn configured(setup: &ChannelSetup) -> Result<ChannelFolder, Error> {
    let Some(written) = &setup.settings.base_path else { return Ok(default_folder(&setup.workspace)) };
    let base = ChannelFolder::new(&setup.workspace, clean(&setup.workspace.join(written)));
    if base.is_reserved() {
        let message = format!("channel.base_path '{written}' is in a folder where git or refdesk keeps its files");
        let hint = "set channel.base_path to another folder, or remove it";
        return Err(Error::new(Code::ReservedPath, message, hint));
    }
    Ok(base)
}

impl Desk {
    /// Why the configured folder of the file channel is refused, located in the configuration. Otherwise this would
    /// surface only when an answer is needed.
    pub(crate) fn refused_folder(&self) -> Option<Diagnostic> {
        let document = self.config.document.as_ref()?;
        let setup = ChannelSetup::of(self);
        if setup.settings.kind != ChannelKind::File {
            return None;
        }
        let error = configured(&setup).err()?;
        let path = [PointerStep::Key("channel"), PointerStep::Key("base_path")];
        let problem = Diagnostic::error(error.code, error.message).in_file(&document.shown).fix(error.fix);
        Some(problem.at(document.position(&path, MemberPart::Value)))
    }
}

/// The file name of a request or its answer.
pub(super) fn file_of(id: &str) -> String {
    format!("{id}.{JSON}")
}

/// The requests that are pending in a folder at time `now`. Removes what dead requesters left in the default folder.
pub fn pending(base: &ChannelFolder, now: Timestamp) -> FoundRequests {
    let mut found = FoundRequests::default();
    if let Err(error) = base.check() {
        found.problems.push(Diagnostic::warning(Code::LinkedOut, error.to_string()).fix("remove the link"));
        return found;
    }
    sweep(base);
    let listed = || {
        let requests = base.part(REQUESTS)?;
        Ok((names(&requests, JSON)?, requests))
    };
    let (names, requests) = match listed() {
        Ok(listed) => listed,
        Err(error) if is_absent(&error) => return found,
        Err(error) => {
            found.problems.push(base.unreadable(&base.path.join(REQUESTS), &error));
            return found;
        }
    };
    let (mut names, mut budget, mut beyond) = (names.into_iter(), FOREIGN_QUESTIONS, 0);
    // Only pending requests count toward the limit, not files such as expired requests.
    for id in names.by_ref().take(MAX_LOOKED_AT) {
        if budget < FOREIGN_QUESTION && !is_own_id(&id) {
            beyond += 1;
            continue;
        }
        match read_request(base, &requests, &id, now, &mut budget) {
            Ok(Some(pending)) if pending.until.is_none_or(|until| now < until) => found.pending.push(pending),
            Ok(_) => {}
            Err(problem) => found.problems.push(*problem),
        }
        if found.pending.len() + found.problems.len() >= MAX_REQUESTS {
            break;
        }
    }
    found.unread = names.len() + beyond;
    if found.unread > 0 {
        // The numbers come before the path, which can be long.
        let (shown, all, place) = (found.pending.len(), found.pending.len() + found.unread, base.shown());
        let message = format!("only {shown} of {all} requests are shown; the others wait in {place}");
        let hint = "answer or decline some, and others take their places";
        found.problems.push(Diagnostic::warning(Code::TooManyRequests, message).fix(hint));
    }
    found.pending.sort_by(|a, b| key(a).cmp(&key(b)));
    found
}

fn key(pending: &Pending) -> (Option<Timestamp>, &str) {
    (pending.request.timestamp.parse().ok(), &pending.request.request_id)
}

/// Reads a request; `None` if its requester is dead or the file is gone. Another program's request is charged to
/// `budget`.
fn read_request(
    base: &ChannelFolder,
    requests: &Folder,
    id: &str,
    now: Timestamp,
    budget: &mut u64,
) -> Result<Option<Pending>, Box<Diagnostic>> {
    let path = requests.path_of(file_of(id));
    let file = match requests.open(file_of(id)) {
        Err(error) if is_absent(&error) => return Ok(None),
        opened => opened.map_err(|error| base.unreadable(&path, &error))?,
    };
    let is_own = is_own_id(id);
    if is_own && is_writer_dead(&file) {
        return Ok(None);
    }
    let written = file.metadata().and_then(|found| found.modified()).ok().and_then(|at| Timestamp::try_from(at).ok());
    let wrong = |what: String| {
        let hint = "fix the program that asks, or remove the file";
        Box::new(Diagnostic::warning(Code::WrongRequest, what).in_file(base.shown_path(&path)).fix(hint))
    };
    let age = written.and_then(|written| Duration::try_from(now.duration_since(written)).ok());
    if !is_own && age.is_some_and(|age| age > MAX_TIMEOUT) {
        return Ok(None);
    }
    let most = if is_own { QUESTION } else { FOREIGN_QUESTION };
    let bytes = read_whole(file, most).map_err(|error| base.unreadable(&path, &error))?;
    if !is_own {
        *budget = budget.saturating_sub(bytes.as_ref().map_or(most, |bytes| bytes.len() as u64));
    }
    let bytes = bytes.ok_or_else(|| wrong(format!("the request has more than {most} bytes")))?;
    let mut request: Request =
        serde_json::from_slice(&bytes).map_err(|error| wrong(format!("this is not a request: {error}")))?;
    // Only the lock on refdesk's own requests proves that a running agent made them.
    if !is_own && request.approval.is_some() {
        return Err(wrong("only refdesk itself asks whether a file may be written".to_owned()));
    }
    if !is_own {
        request.asker = Requester { who: FOREIGN.to_owned(), ..Requester::default() };
    }
    if request.request_id != id {
        return Err(wrong("the request's 'request_id' differs from its file name".to_owned()));
    }
    if safe(id) != id {
        return Err(wrong("the request's id is not a plain file name, so it cannot be answered".to_owned()));
    }
    // Another program's timestamp format may differ, and a file from the repository may claim any time, so the file's
    // own age counts.
    let began = if is_own { request.timestamp.parse().ok() } else { written };
    let began = began.ok_or_else(|| wrong("the request has no valid 'timestamp'".to_owned()))?;
    let timeout = request.timeout.or_else(|| (!is_own).then_some(DEFAULT_TIMEOUT));
    let timeout = timeout.map(|timeout| timeout.min(MAX_TIMEOUT.as_secs_f64()));
    let until = timeout.and_then(|timeout| began.checked_add(SignedDuration::try_from_secs_f64(timeout).ok()?).ok());
    Ok(Some(Pending { request, folder: base.clone(), until }))
}

/// Whether the writer of a file is dead: a live one keeps it locked. False on file systems without locks, where this is
/// unknown.
fn is_writer_dead(file: &File) -> bool {
    file.try_lock_shared().is_ok()
}

/// Whether the file of this request exists.
pub(crate) fn is_asked(base: &ChannelFolder, id: &str) -> bool {
    is_in(base, REQUESTS, id)
}

/// Whether this request has an answer, even an incomplete one, which no other answer can replace.
pub(crate) fn is_answered(base: &ChannelFolder, id: &str) -> bool {
    is_in(base, RESPONSES, id)
}

fn is_in(base: &ChannelFolder, part: &str, id: &str) -> bool {
    let entry = base.part(part).and_then(|folder| folder.entry(file_of(id)));
    entry.is_ok_and(|entry| entry.is_some())
}

/// Whether this is one of refdesk's requests whose requester is dead.
pub(crate) fn is_abandoned(base: &ChannelFolder, id: &str) -> bool {
    let file = base.part(REQUESTS).and_then(|requests| requests.open(file_of(id)));
    is_own_id(id) && file.is_ok_and(|file| is_writer_dead(&file))
}

/// Answers a request.
///
/// # Errors
/// The file system's error with the path; the id is not a file name; a folder is a link; another answer keeps holding
/// the lock.
pub fn answer(base: &ChannelFolder, id: &str, bytes: &[u8]) -> io::Result<AnswerStatus> {
    if safe(id) != *id {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the request's id is not a file name"));
    }
    base.check()?;
    let late = || AnswerStatus::Late { by: find_answer(base, id).and_then(|answer| answer.by) };
    let requests = match base.part(REQUESTS) {
        Err(error) if is_absent(&error) => return Ok(late()),
        opened => opened?,
    };
    let is_dead = match requests.open(file_of(id)) {
        Ok(file) => is_own_id(id) && is_writer_dead(&file),
        Err(error) if is_absent(&error) => true,
        Err(error) => return Err(error),
    };
    if is_dead {
        return Ok(late());
    }
    // One writer at a time: otherwise, withdrawing an answer by its name could remove the next writer's.
    let _turn = base.open()?.lock("lock", TURN)?;
    let responses = base.make_part(RESPONSES)?;
    let (name, taken) = (file_of(id), taken(id));
    let file = match responses.publish(&name, bytes, FileMode::Private) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(late()),
        published => published?,
    };
    // The requester renames the answer, then removes the request, then the answer. A writer that publishes later sees
    // at least one of the first two steps, if it checks in this order.
    if !responses.holds(&name, &file) || responses.holds(&taken, &file) {
        return Ok(AnswerStatus::First);
    }
    let by = answer_in(&responses, &taken).and_then(|answer| answer.by);
    let is_there = |folder: &Folder, name: &str| folder.entry(name).is_ok_and(|entry| entry.is_some());
    let is_open = !is_there(&responses, &taken) && is_there(&requests, &name);
    if is_open || responses.holds(&taken, &file) {
        return Ok(AnswerStatus::First);
    }
    // Either the requester's rename or this removal succeeds, not both.
    match responses.remove_file(&name) {
        Err(error) if is_absent(&error) => Ok(AnswerStatus::First),
        _ => Ok(AnswerStatus::Late { by }),
    }
}

/// The name of an answer once its requester has taken it.
pub(super) fn taken(id: &str) -> String {
    format!("{id}.{TAKEN}")
}

/// An answer, taken or not.
pub(crate) fn find_answer(base: &ChannelFolder, id: &str) -> Option<Response> {
    let responses = base.part(RESPONSES).ok()?;
    answer_in(&responses, &file_of(id)).or_else(|| answer_in(&responses, &taken(id)))
}

fn answer_in(responses: &Folder, name: &str) -> Option<Response> {
    serde_json::from_slice(&read_answer(responses, name).ok()??).ok()
}

/// The bytes of an answer; `None` if it is too large.
pub(super) fn read_answer(responses: &Folder, name: &str) -> io::Result<Option<Vec<u8>>> {
    read_whole(responses.open(name)?, MAX)
}

fn read_whole(file: File, most: u64) -> io::Result<Option<Vec<u8>>> {
    let metadata = file.metadata()?;
    let (bytes, more) = read_open(file, &metadata, most)?;
    Ok((!more).then_some(bytes))
}

/// Removes what dead requesters left: their requests, and answers at least a minute old without a requester. Removes
/// only files named like refdesk's own, and only in the default folder: elsewhere they may be the user's. Failures are
/// ignored.
pub(super) fn sweep(base: &ChannelFolder) {
    if !base.is_default() {
        return;
    }
    let (requests, responses) = (base.part(REQUESTS), base.part(RESPONSES));
    if let Ok(requests) = &requests {
        for id in names(requests, JSON).unwrap_or_default().iter().filter(|id| is_own_id(id)) {
            if requests.open(file_of(id)).is_ok_and(|file| is_writer_dead(&file)) {
                let _ = requests.remove_file(file_of(id));
            }
        }
    }
    if let Ok(responses) = &responses {
        for ending in [JSON, TAKEN] {
            for id in names(responses, ending).unwrap_or_default().iter().filter(|id| is_own_id(id)) {
                let name = format!("{id}.{ending}");
                let age = || responses.open(&name).ok()?.metadata().ok()?.modified().ok()?.elapsed().ok();
                let is_asked = requests.as_ref().is_ok_and(|requests| !matches!(requests.entry(file_of(id)), Ok(None)));
                if !is_asked && age().is_some_and(|age| age > ORPHANED) {
                    let _ = responses.remove_file(&name);
                }
            }
        }
    }
    for part in [requests, responses].into_iter().flatten() {
        let _ = part.sweep_dead();
    }
}

/// The names of the files in a folder with this extension, without it, sorted.
fn names(folder: &Folder, ending: &str) -> io::Result<Vec<String>> {
    let id = |name: &std::ffi::OsString| {
        let (id, found) = name.to_str()?.rsplit_once('.')?;
        (found == ending).then(|| id.to_owned())
    };
    let mut names: Vec<String> = folder.names()?.iter().filter_map(id).collect();
    names.sort();
    Ok(names)
}
