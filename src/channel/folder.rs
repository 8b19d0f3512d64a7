//! The folder of questions and answers, as those who answer see it: `requests/{id}.json` and `responses/{id}.json`. It comes
//! with a workspace and may have been prepared, so no link is followed in it. An asker of ours holds the lock of its request
//! from before it has its name, and the kernel lets that go however the asker ends: one that nobody holds is dead. Another
//! program may ask as well, by the contract's fields alone: its request counts until its time is over.

use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::answer::MOST;
use super::raise::is_own_id;
use super::{Request, Response, Way};
use crate::config::ChannelKind;
use crate::disk::name::safe;
use crate::disk::path::{absolute, is_absent};
use crate::disk::{Lock, is_at, open_own, publish_new, within};
use crate::report::Diagnostic;
use crate::session::FOLDER;

/// The ending of requests and answers.
const JSON: &str = "json";

/// The ending of an answer that its asker has taken.
const TAKEN: &str = "taken";

/// A request has at most so many bytes: the sources of ten thousand entries fit, or the difference of a large file.
pub(super) const QUESTION: u64 = 16 * 1024 * 1024;

/// Seconds that a request of another program waits where it does not say how long.
const UNSAID: f64 = 60.0;

/// Of one folder at most so many requests are looked at.
const REQUESTS: usize = 64;

/// So long one answer waits for another that is being given: that takes a few files' writing.
const TURN: Duration = Duration::from_secs(2);

/// An answer that nobody waits for is taken away when it is so old: until then its writer may be about to do that itself.
const ORPHANED: Duration = Duration::from_secs(60);

/// A request that waits for an answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Pending {
    /// What is asked.
    pub request: Request,
    /// The folder that it is in, and that the answer goes to.
    pub folder: PathBuf,
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
pub fn default_folder(workspace: &Path) -> PathBuf {
    workspace.join(FOLDER).join("ask")
}

/// The folders that a screen of this workspace answers: the usual one, and that of the file channel as far as it is trusted.
/// One that a link leads out of the workspace is none; so this is to be asked anew each time that they are looked into.
pub fn folders(way: &Way) -> Vec<PathBuf> {
    let mut folders = vec![default_folder(&way.workspace)];
    if way.settings.kind == ChannelKind::File && way.untrusted.is_none() {
        let configured = configured(way);
        if !folders.contains(&configured) {
            folders.push(configured);
        }
    }
    folders.retain(|folder| check(&way.workspace, folder).is_ok());
    folders
}

/// The folder of the file channel: `base_path`, relative to the workspace, else the usual one.
pub(super) fn configured(way: &Way) -> PathBuf {
    match &way.settings.base_path {
        Some(base) => absolute(&way.workspace, Path::new(base)),
        None => default_folder(&way.workspace),
    }
}

/// Holds that no link leads the folder, or one of the two in it, out of the workspace or out of itself.
pub(super) fn check(workspace: &Path, folder: &Path) -> io::Result<()> {
    within(workspace, folder)?;
    check_inside(folder)
}

fn check_inside(folder: &Path) -> io::Result<()> {
    for part in [requests(folder), responses(folder)] {
        if fs::symlink_metadata(&part).is_ok_and(|found| found.is_symlink()) {
            let message = format!("{}: a symbolic link, which is not followed", part.display());
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
    }
    Ok(())
}

pub(super) fn requests(folder: &Path) -> PathBuf {
    folder.join("requests")
}

pub(super) fn responses(folder: &Path) -> PathBuf {
    folder.join("responses")
}

pub(super) fn file_of(folder: &Path, id: &str) -> PathBuf {
    folder.join(format!("{id}.{JSON}"))
}

/// The requests of a folder that wait at this time, oldest first, at most 64 of them, and what is wrong with files that should
/// be requests. What dead askers left is taken away meanwhile.
pub fn pending(folder: &Path, now: Timestamp) -> (Vec<Pending>, Vec<Diagnostic>) {
    let (mut found, mut problems) = (Vec::new(), Vec::new());
    if let Err(error) = check_inside(folder) {
        return (found, vec![Diagnostic::warning("linked-out", error.to_string()).hint("remove the link")]);
    }
    sweep(folder);
    let names = match names(&requests(folder), JSON) {
        Ok(names) => names,
        Err(error) => return (found, vec![unreadable(&requests(folder), &error)]),
    };
    if names.len() > REQUESTS {
        let message = format!("{} requests wait, and only {REQUESTS} of them are looked at", names.len());
        problems.push(Diagnostic::warning("too-many-requests", message).in_file(folder.display().to_string()));
    }
    for id in names.into_iter().take(REQUESTS) {
        match look(folder, &id) {
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
fn look(folder: &Path, id: &str) -> Result<Option<Pending>, Box<Diagnostic>> {
    let path = file_of(&requests(folder), id);
    let file = match open_own(&path) {
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
        Box::new(Diagnostic::warning("wrong-request", what).in_file(path.display().to_string()).hint(hint))
    };
    let bytes = read_open(file, QUESTION).map_err(|error| unreadable(&path, &error))?;
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
    Ok(Some(Pending { request, folder: folder.to_path_buf(), until, is_alive: held == Held::BySomebody }))
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
pub(super) fn is_left(folder: &Path, id: &str) -> bool {
    let file = open_own(&file_of(&requests(folder), id));
    is_own_id(id) && file.is_ok_and(|file| Held::of(&file) == Held::ByNobody)
}

/// Answers a request.
///
/// # Errors
/// What the file system says, with the path in front; an id that is no file's name; a link where a folder should be; a lock
/// that another answer does not let go.
pub fn answer(folder: &Path, response: &Response) -> io::Result<Landed> {
    let id = &response.request_id;
    if safe(id) != *id {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "the request's id is no name of a file"));
    }
    check_inside(folder)?;
    let (asked, path) = (file_of(&requests(folder), id), file_of(&responses(folder), id));
    let is_dead = match open_own(&asked) {
        Ok(file) => is_own_id(id) && Held::of(&file) == Held::ByNobody,
        Err(error) if is_absent(&error) => true,
        Err(error) => return Err(error),
    };
    if is_dead {
        return Ok(Landed::Late { by: who_answered(&path) });
    }
    let name_it = |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", path.display()));
    // One at a time: whoever takes an answer back by its name would else take away that of the next.
    let _turn = Lock::acquire(&folder.join("lock"), TURN)?;
    fs::create_dir_all(responses(folder)).map_err(name_it)?;
    let file = match publish_new(&path, &serde_json::to_vec_pretty(response)?) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            return Ok(Landed::Late { by: who_answered(&path) });
        }
        published => published.map_err(name_it)?,
    };
    // An asker that has an answer takes it from its name, then the request away, then the answer: whoever published behind
    // that back sees one of the first two, in this order.
    let taken = taken(&path);
    if !is_at(&file, &path) || is_at(&file, &taken) {
        return Ok(Landed::First);
    }
    let by = who_answered(&taken);
    let is_open = !taken.exists() && fs::symlink_metadata(&asked).is_ok();
    if is_open || is_at(&file, &taken) {
        return Ok(Landed::First);
    }
    // Whoever takes it from its name now has it: the asker, or nobody.
    match fs::remove_file(&path) {
        Err(error) if is_absent(&error) => Ok(Landed::First),
        _ => Ok(Landed::Late { by }),
    }
}

/// Where an asker puts the answer that it takes.
pub(super) fn taken(answer: &Path) -> PathBuf {
    answer.with_extension(TAKEN)
}

/// Who gave an answer, taken or not, where it says so.
pub(super) fn who_answered(path: &Path) -> Option<String> {
    let read = |path: &Path| read_answer(path).ok()?;
    let bytes = read(path).or_else(|| read(&taken(path)))?;
    serde_json::from_slice::<Response>(&bytes).ok()?.by
}

/// The bytes of an answer; `None` where it has more than it may.
pub(super) fn read_answer(path: &Path) -> io::Result<Option<Vec<u8>>> {
    read_open(open_own(path)?, MOST)
}

fn read_open(file: File, most: u64) -> io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}

/// Takes away what dead askers left: their requests, and answers that nobody has waited for in the last minute. Only files
/// that are called as refdesk calls its own are. What cannot be taken away blocks nobody.
pub(super) fn sweep(folder: &Path) {
    for id in names(&requests(folder), JSON).unwrap_or_default().iter().filter(|id| is_own_id(id)) {
        let path = file_of(&requests(folder), id);
        if open_own(&path).is_ok_and(|file| Held::of(&file) == Held::ByNobody) {
            let _ = fs::remove_file(&path);
        }
    }
    for ending in [JSON, TAKEN] {
        for id in names(&responses(folder), ending).unwrap_or_default().iter().filter(|id| is_own_id(id)) {
            let path = responses(folder).join(format!("{id}.{ending}"));
            let is_old = || fs::symlink_metadata(&path).and_then(|found| found.modified()).ok()?.elapsed().ok();
            let is_asked = fs::symlink_metadata(file_of(&requests(folder), id)).is_ok();
            if !is_asked && is_old().is_some_and(|age| age > ORPHANED) {
                let _ = fs::remove_file(&path);
            }
        }
    }
    for part in [requests(folder), responses(folder)] {
        let _ = crate::disk::sweep_dead(&part);
    }
}

/// The names of the files in a folder that have this ending, without it, in order; none where there is no folder.
fn names(folder: &Path, ending: &str) -> io::Result<Vec<String>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if is_absent(&error) => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        if let Some((id, found)) = name.to_str().and_then(|name| name.rsplit_once('.'))
            && found == ending
        {
            names.push(id.to_owned());
        }
    }
    names.sort();
    Ok(names)
}

fn unreadable(path: &Path, error: &io::Error) -> Diagnostic {
    Diagnostic::warning("unreadable", format!("it cannot be read: {error}")).in_file(path.display().to_string())
}
