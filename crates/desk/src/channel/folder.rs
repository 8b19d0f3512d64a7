//! The folder of questions and answers, as those who answer see it: `requests/{id}.json` and `responses/{id}.json`. It comes
//! with a workspace and may have been prepared, so no link is followed in it. An asker of ours holds the lock of its request
//! from before it has its name, and the kernel releases that however the asker ends: one that nobody holds is dead. Another
//! program may ask as well, by the contract's fields alone: its request counts until its time is over.

use std::ffi::OsStr;
use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::answer::MOST;
use super::raise::is_own_id;
use super::{Request, Response, Way};
use crate::session::FOLDER;
use refdesk_core::config::ChannelKind;
use refdesk_files::name::safe;
use refdesk_files::path::{absolute, is_absent};
use refdesk_files::{FileMode, Folder, read_open};
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// Where requests are.
pub(super) const REQUESTS: &str = "requests";

/// Where answers are.
pub(super) const RESPONSES: &str = "responses";

/// The ending of requests and answers.
const JSON: &str = "json";

/// The ending of an answer that its asker has taken.
const TAKEN: &str = "taken";

/// A request has at most so many bytes: the sources of ten thousand entries fit, or the difference of a large file.
pub(super) const QUESTION: u64 = 16 * 1024 * 1024;

/// Seconds that a request of another program waits where it does not say how long.
const UNSAID: f64 = 60.0;

/// Of one folder at most so many requests are looked at.
const MOST_REQUESTS: usize = 64;

/// So long one answer waits for another that is being given: that takes a few files' writing.
const TURN: Duration = Duration::from_secs(2);

/// An answer that nobody waits for is removed when it is so old: until then its writer may be about to do that itself.
const ORPHANED: Duration = Duration::from_secs(60);

/// The folder of a file channel, which is opened anew for each step. Links are followed above the workspace, or above a folder
/// outside it, which the user has trusted; below that they are refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    root: PathBuf,
    path: PathBuf,
}

impl Base {
    /// The base at an absolute path.
    pub fn new(workspace: &Path, path: PathBuf) -> Self {
        let root = if path.starts_with(workspace) { workspace.to_path_buf() } else { path.clone() };
        Self { root, path }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn below_root(&self) -> &Path {
        self.path.strip_prefix(&self.root).unwrap_or(Path::new(""))
    }

    fn open(&self) -> io::Result<Folder> {
        Folder::root(&self.root)?.below(self.below_root())
    }

    /// Its folder of requests or of responses.
    ///
    /// # Errors
    /// What the file system says, with the path in front; a part of the path is a link.
    pub(super) fn part(&self, name: &str) -> io::Result<Folder> {
        self.open()?.child(OsStr::new(name))
    }

    /// The same; makes what is missing.
    ///
    /// # Errors
    /// As [`Base::part`].
    pub(super) fn make_part(&self, name: &str) -> io::Result<Folder> {
        if self.root == self.path {
            std::fs::create_dir_all(&self.root)?;
        }
        Folder::root(&self.root)?.make(&self.below_root().join(name), FileMode::Private)
    }

    /// Holds that no link is on the way to it and to the two folders in it.
    ///
    /// # Errors
    /// As [`Base::part`].
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
    /// What is asked.
    pub request: Request,
    /// The folder that it is in, and that the answer goes to.
    pub folder: Base,
    /// Until when it waits, where it says so.
    pub until: Option<Timestamp>,
    /// Whether it is certain that its asker lives; it is not where it is another program's, or the file system has no locks.
    pub is_alive: bool,
}

/// What became of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Landed {
    /// It is the answer.
    First,
    /// Somebody was quicker, or nobody waits any more.
    Late {
        /// Who was quicker, where that is known.
        by: Option<String>,
    },
}

/// The folder where nothing else is configured.
pub fn default_folder(workspace: &Path) -> Base {
    Base::new(workspace, workspace.join(FOLDER).join("ask"))
}

/// The folders that a screen of this workspace answers: the usual one, and that of the file channel as far as it is trusted.
/// One with a link on the way is left out; so this is to be asked anew each time that they are looked into.
pub fn folders(way: &Way) -> Vec<Base> {
    let mut folders = vec![default_folder(&way.workspace)];
    if way.settings.kind == ChannelKind::File && way.untrusted.is_none() {
        let configured = configured(way);
        if !folders.contains(&configured) {
            folders.push(configured);
        }
    }
    folders.retain(|folder| folder.check().is_ok());
    folders
}

/// The folder of the file channel: `base_path`, relative to the workspace, else the usual one.
pub(super) fn configured(way: &Way) -> Base {
    match &way.settings.base_path {
        Some(base) => Base::new(&way.workspace, absolute(&way.workspace, Path::new(base))),
        None => default_folder(&way.workspace),
    }
}

/// The name of the file of a request, or of its answer.
pub(super) fn file_of(id: &str) -> String {
    format!("{id}.{JSON}")
}

/// The requests of a folder that wait at this time, oldest first, at most 64 of them, and what is wrong with files that should
/// be requests. What dead askers left is taken away meanwhile.
pub fn pending(base: &Base, now: Timestamp) -> (Vec<Pending>, Vec<Diagnostic>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    if let Err(error) = base.check() {
        return (found, vec![Diagnostic::warning(Code::LinkedOut, error.to_string()).hint("remove the link")]);
    }
    sweep(base);
    let listed = || {
        let requests = base.part(REQUESTS)?;
        Ok((names(&requests, JSON)?, requests))
    };
    let (names, requests) = match listed() {
        Ok(listed) => listed,
        Err(error) if is_absent(&error) => return (found, problems),
        Err(error) => return (found, vec![unreadable(&base.path.join(REQUESTS), &error)]),
    };
    if names.len() > MOST_REQUESTS {
        let message = format!("{} requests wait, and only {MOST_REQUESTS} of them are looked at", names.len());
        problems.push(Diagnostic::warning(Code::TooManyRequests, message).in_file(base.path.display().to_string()));
    }
    for id in names.into_iter().take(MOST_REQUESTS) {
        match look(base, &requests, &id) {
            Ok(Some(pending)) if pending.until.is_none_or(|until| now < until) => found.push(pending),
            Ok(_) => {}
            Err(problem) => problems.push(*problem),
        }
    }
    found.sort_by(|a, b| key(a).cmp(&key(b)));
    (found, problems)
}

fn key(pending: &Pending) -> (Option<Timestamp>, &str) {
    (pending.request.timestamp.parse().ok(), &pending.request.request_id)
}

/// A request as far as it is one; `None` where its asker is dead or has gone meanwhile.
fn look(base: &Base, requests: &Folder, id: &str) -> Result<Option<Pending>, Box<Diagnostic>> {
    let path = requests.path_of(file_of(id));
    let file = match requests.open(file_of(id)) {
        Err(error) if is_absent(&error) => return Ok(None),
        opened => opened.map_err(|error| unreadable(&path, &error))?,
    };
    let held = Held::of(&file);
    let is_own = is_own_id(id);
    if is_own && held == Held::ByNobody {
        return Ok(None);
    }
    let written = file.metadata().and_then(|found| found.modified()).ok().and_then(|at| Timestamp::try_from(at).ok());
    let wrong = |what: String| {
        let hint = "mend the program that asks, or remove the file";
        Box::new(Diagnostic::warning(Code::WrongRequest, what).in_file(path.display().to_string()).hint(hint))
    };
    let bytes = read_whole(file, QUESTION).map_err(|error| unreadable(&path, &error))?;
    let bytes = bytes.ok_or_else(|| wrong(format!("the request has more than {QUESTION} bytes")))?;
    let request: Request =
        serde_json::from_slice(&bytes).map_err(|error| wrong(format!("this is no request: {error}")))?;
    if request.request_id != id {
        return Err(wrong("the request has another 'request_id' than its file".to_owned()));
    }
    // Another program may write times otherwise, and a file that came with the workspace any time it likes: its own age counts.
    let began = if is_own { request.timestamp.parse().ok() } else { written };
    let began = began.ok_or_else(|| wrong("the request has no 'timestamp' that is a time".to_owned()))?;
    let timeout = request.timeout.or_else(|| (!is_own).then_some(UNSAID));
    let until = timeout.and_then(|timeout| began.checked_add(SignedDuration::try_from_secs_f64(timeout).ok()?).ok());
    Ok(Some(Pending { request, folder: base.clone(), until, is_alive: held == Held::BySomebody }))
}

/// Who holds the lock of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Held {
    /// Whoever wrote it lives.
    BySomebody,
    /// Whoever wrote it is dead.
    ByNobody,
    /// The file system has no locks.
    Unknown,
}

impl Held {
    fn of(file: &File) -> Self {
        match file.try_lock_shared() {
            Ok(()) => Self::ByNobody,
            Err(TryLockError::WouldBlock) => Self::BySomebody,
            Err(TryLockError::Error(_)) => Self::Unknown,
        }
    }
}

/// Whether a request of ours is there and its asker is dead.
pub(super) fn is_left(base: &Base, id: &str) -> bool {
    let file = base.part(REQUESTS).and_then(|requests| requests.open(file_of(id)));
    is_own_id(id) && file.is_ok_and(|file| Held::of(&file) == Held::ByNobody)
}

/// Answers a request.
///
/// # Errors
/// What the file system says, with the path in front; an id that is no file's name; a link where a folder should be; a lock
/// that another answer does not let go.
pub fn answer(base: &Base, response: &Response) -> io::Result<Landed> {
    let id = &response.request_id;
    if safe(id) != *id {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the request's id is no name of a file"));
    }
    base.check()?;
    let requests = match base.part(REQUESTS) {
        Err(error) if is_absent(&error) => return Ok(Landed::Late { by: who_answered(base, id) }),
        opened => opened?,
    };
    let is_dead = match requests.open(file_of(id)) {
        Ok(file) => is_own_id(id) && Held::of(&file) == Held::ByNobody,
        Err(error) if is_absent(&error) => true,
        Err(error) => return Err(error),
    };
    if is_dead {
        return Ok(Landed::Late { by: who_answered(base, id) });
    }
    // One at a time: whoever takes an answer back by its name would else take away that of the next.
    let _turn = base.open()?.lock("lock", TURN)?;
    let responses = base.make_part(RESPONSES)?;
    let (name, taken) = (file_of(id), taken(id));
    let file = match responses.publish(&name, &serde_json::to_vec_pretty(response)?, FileMode::Private) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Ok(Landed::Late { by: who_answered(base, id) });
        }
        published => published?,
    };
    // An asker that has an answer takes it from its name, then the request away, then the answer: whoever published behind
    // that back sees one of the first two, in this order.
    if !responses.holds(&name, &file) || responses.holds(&taken, &file) {
        return Ok(Landed::First);
    }
    let by = by(&responses, &taken);
    let is_there = |folder: &Folder, name: &str| folder.entry(name).is_ok_and(|entry| entry.is_some());
    let is_open = !is_there(&responses, &taken) && is_there(&requests, &name);
    if is_open || responses.holds(&taken, &file) {
        return Ok(Landed::First);
    }
    // Whoever takes it from its name now has it: the asker, or nobody.
    match responses.remove_file(&name) {
        Err(error) if is_absent(&error) => Ok(Landed::First),
        _ => Ok(Landed::Late { by }),
    }
}

/// The name under which an asker has the answer that it took.
pub(super) fn taken(id: &str) -> String {
    format!("{id}.{TAKEN}")
}

/// Who gave an answer, taken or not, where it says so.
pub(super) fn who_answered(base: &Base, id: &str) -> Option<String> {
    let responses = base.part(RESPONSES).ok()?;
    by(&responses, &file_of(id)).or_else(|| by(&responses, &taken(id)))
}

fn by(responses: &Folder, name: &str) -> Option<String> {
    let bytes = read_answer(responses, name).ok()??;
    serde_json::from_slice::<Response>(&bytes).ok()?.by
}

/// The bytes of an answer; `None` where it has more than it may.
pub(super) fn read_answer(responses: &Folder, name: &str) -> io::Result<Option<Vec<u8>>> {
    read_whole(responses.open(name)?, MOST)
}

fn read_whole(file: File, most: u64) -> io::Result<Option<Vec<u8>>> {
    let metadata = file.metadata()?;
    let (bytes, more) = read_open(file, &metadata, most)?;
    Ok((!more).then_some(bytes))
}

/// Removes what dead askers left: their requests, and answers that nobody has waited for in the last minute. Only files that
/// are called as refdesk calls its own are. What cannot be removed blocks nobody.
pub(super) fn sweep(base: &Base) {
    let (requests, responses) = (base.part(REQUESTS), base.part(RESPONSES));
    if let Ok(requests) = &requests {
        for id in names(requests, JSON).unwrap_or_default().iter().filter(|id| is_own_id(id)) {
            if requests.open(file_of(id)).is_ok_and(|file| Held::of(&file) == Held::ByNobody) {
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

/// The names of the files in a folder that have this ending, without it, in order.
fn names(folder: &Folder, ending: &str) -> io::Result<Vec<String>> {
    let id = |name: &std::ffi::OsString| {
        let (id, found) = name.to_str()?.rsplit_once('.')?;
        (found == ending).then(|| id.to_owned())
    };
    let mut names: Vec<String> = folder.names()?.iter().filter_map(id).collect();
    names.sort();
    Ok(names)
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::warning(Code::Unreadable, format!("it cannot be read: {error}")).in_file(path.display().to_string())
}
