//! Reads a selected source for an agent: its file, the list of its folder's files, or some lines (BEHAVIOUR §4
//! "Access"). Permission is checked on the resolved path, which is then opened without following links, so a path that
//! becomes a link in between is refused. Errors explain how to correct the call.

use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use serde::Serialize;

use super::document::size;
use refdesk_core::catalog::{Catalog, LocalPath, PathState, Source, SourceKind};
use refdesk_core::mention::without_pages_for_programs;
use refdesk_core::selection::Access;
use refdesk_files::Folder;
use refdesk_files::nofollow::{Opened, open};
use refdesk_files::path::{display, is_absolute_anywhere, lossy};
use refdesk_files::reserved::is_skipped_by_walks;
use refdesk_files::walk::{Problem, WalkBudget, WalkLimits, WalkedFile};
use refdesk_text::escape::{one_line, visible};
use refdesk_text::lines::decode;
use refdesk_text::nearest::{nearest, suggestion};
use refdesk_text::shorten::beginning;
use refdesk_text::tokens;
use refdesk_text::{Code, Error, Fix};

/// The most bytes of text returned: whole lines, or the beginning of a longer line.
pub const MAX_TEXT_BYTES: usize = 256 * 1024;

/// The maximum size of a file in bytes.
const LARGEST: u64 = 16 * 1024 * 1024;

/// The most files of a folder that are listed.
const LISTED: usize = 200;

/// The limits for counting the files of a folder and searching them for a similar name.
const COUNTED: WalkLimits = WalkLimits { files: 2_000, bytes: u64::MAX };

/// What was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReadingKind {
    /// The text of a file, or some lines of it.
    Content,
    /// The files of a folder.
    List,
}

/// The result of reading a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// The id of the source.
    pub id: String,
    /// What `text` contains.
    pub kind: ReadingKind,
    /// The text, with hidden characters escaped.
    pub text: String,
    /// The displayed path.
    pub path: String,
    /// The first returned line, from 1; 0 if there is none.
    pub first_line: usize,
    /// The last returned line.
    pub last_line: usize,
    /// The number of lines in the whole file.
    pub total_lines: usize,
    /// Estimated tokens of `text`.
    pub tokens: u64,
    /// For a folder, the listed files.
    pub entries: Vec<ListedFile>,
    /// Whether the result is shorter than requested.
    pub cut: bool,
    /// How to get the rest; empty if nothing is cut.
    pub note: String,
}

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ListedFile {
    /// The path relative to the source's folder, for the parameter `path`.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its estimated tokens.
    pub tokens: u64,
}

/// Reads a source that is selected, auto or was expanded. `path` is relative to its folder; `lines` is `40`, `100:40`
/// (40 lines from line 100) or `100-140`.
///
/// # Errors
/// The source may not be read, does not exist or is not text; the fix says what to call instead.
pub fn read_source(
    workspace: &Path,
    catalog: &Catalog,
    access: &Access,
    id: &str,
    path: Option<&str>,
    lines: Option<&str>,
) -> Result<Reading, Error> {
    let lines = lines.map(Lines::parse).transpose()?;
    let Some(source) = catalog.find(id) else {
        let known = catalog.sources().iter().map(|source| source.id.as_str());
        let nearest = suggestion(id, known);
        let message = format!("no source has the id '{id}'{nearest}");
        return Err(Error::new(Code::UnknownId, message, Fix::ListSources));
    };
    let id = source.id.as_str();
    if source.is_missing() {
        let path = source.place().map(|place| display(workspace, &place.path)).unwrap_or_default();
        let message = format!("'{id}' is missing: {} {}", one_line(&path), source.why_missing());
        return Err(Error::new(Code::Missing, message, "continue without it, and tell the catalog's maintainer"));
    }
    if !access.reaches(id) && access.excludes(id) {
        let message = format!("'{id}' is excluded from the selection");
        return Err(Error::new(Code::NotSelected, message, "continue without it, or ask the user to include it"));
    }
    if !access.reaches(id) {
        let message = format!("'{id}' is not selected");
        return Err(Error::new(Code::NotSelected, message, Fix::Pick(id.to_owned())));
    }
    let untrusted = || Err(Error::new(Code::Untrusted, format!("'{id}' waits for trust"), Fix::Trust));
    if !access.may_read(id) {
        return untrusted();
    }
    match &source.kind {
        SourceKind::Withheld(_) => untrusted(),
        SourceKind::Inline { content } => {
            if path.is_some() {
                return Err(no_folder(source));
            }
            let shown = display(workspace, &source.origin.file);
            content_of(source, shown, content, lines, tokens::of_prose)
        }
        SourceKind::Url { url } => {
            let hint = format!("fetch it yourself: {url}");
            Err(Error::new(Code::LiesElsewhere, format!("'{id}' is a URL, which refdesk does not fetch"), hint))
        }
        SourceKind::Mcp { server, tool, args } => {
            let with = if args.is_empty() { String::new() } else { format!(" with {args}") };
            let hint = format!("call the tool '{tool}' of the server '{server}'{with}");
            Err(Error::new(Code::LiesElsewhere, format!("'{id}' is the result of a tool of another server"), hint))
        }
        SourceKind::Local(place) => {
            let local = Local { workspace, source, place, access };
            match place.state {
                PathState::Missing | PathState::Special => {
                    let message =
                        format!("'{id}' is missing: {} {}", display(workspace, &place.path), source.why_missing());
                    Err(Error::new(Code::Missing, message, "continue without it, and tell the catalog's maintainer"))
                }
                PathState::Untrusted => untrusted(),
                PathState::Reserved => {
                    let message = format!("'{id}' belongs to git or to refdesk itself, and is not read for agents");
                    Err(Error::new(Code::KeptBack, message, "continue without it, and tell the catalog's maintainer"))
                }
                PathState::File => local.read_file(path, lines),
                PathState::Directory => local.read_below(path, lines),
            }
        }
    }
}

fn no_folder(source: &Source) -> Error {
    let message = format!("'{}' is a single text, not a folder", source.id);
    Error::new(Code::BadPath, message, "leave `path` out")
}

/// A local source that may be read.
struct Local<'a> {
    workspace: &'a Path,
    source: &'a Source,
    place: &'a LocalPath,
    access: &'a Access,
}

impl Local<'_> {
    fn read_file(&self, path: Option<&str>, lines: Option<Lines>) -> Result<Reading, Error> {
        let name = self.place.path.file_name().unwrap_or_default();
        if path.is_some_and(|path| Path::new(path) != Path::new(name)) {
            return Err(no_folder(self.source));
        }
        self.read(&self.place.path, lines)
    }

    fn read_below(&self, path: Option<&str>, lines: Option<Lines>) -> Result<Reading, Error> {
        let within = path.map_or_else(|| Ok(PathBuf::new()), |path| self.within(path))?;
        let asked = self.place.path.join(&within);
        let is_escaped = |shown: &&str| shown.contains(['\\', char::REPLACEMENT_CHARACTER]);
        let shown = within.to_str().filter(is_escaped).filter(|_| fs::symlink_metadata(&asked).is_err());
        match shown.and_then(|shown| self.shown_as(shown)) {
            Some(path) => self.read(&self.place.path.join(path), lines),
            None => self.read(&asked, lines),
        }
    }

    /// The only file of the folder that is listed as `shown`, where hidden characters are escaped and bytes that are not
    /// UTF-8 replaced.
    fn shown_as(&self, shown: &str) -> Option<PathBuf> {
        let Ok(Opened::Folder(folder)) = open(&self.place.resolved) else { return None };
        let is_it = |file: &WalkedFile| {
            let path = lossy(&file.path);
            visible(&path) == shown || one_line(&path) == shown
        };
        let mut found = files_of(&folder, Path::new("")).0.into_iter().filter(is_it);
        found.next().filter(|_| found.next().is_none()).map(|file| file.path)
    }

    /// The path within the source's folder for the given one, with `.` and `..` resolved.
    fn within(&self, asked: &str) -> Result<PathBuf, Error> {
        let bad = |what: &str, hint: String| Err(Error::new(Code::BadPath, format!("`path` {what}: '{asked}'"), hint));
        let relative = "give it relative to the folder of the source, as in the list without `path`".to_owned();
        if asked.trim().is_empty() {
            return bad("is empty", "leave it out for the list of files".to_owned());
        }
        if asked.contains('\0') {
            return bad("contains a NUL", relative);
        }
        if is_absolute_anywhere(asked) {
            let inside = [&self.place.path, &self.place.resolved].map(|root| Path::new(asked).strip_prefix(root).ok());
            let inside = inside.into_iter().flatten().find(|inside| !inside.as_os_str().is_empty());
            let hint = inside.map_or(relative, |inside| format!("write '{}'", inside.display()));
            return bad("is absolute", hint);
        }
        let mut within = PathBuf::new();
        for component in Path::new(asked).components() {
            match component {
                Component::CurDir => {}
                Component::Normal(name) => within.push(name),
                _ => return bad("contains '..'", relative),
            }
        }
        Ok(within)
    }

    /// Reads a path, which may contain links.
    fn read(&self, path: &Path, lines: Option<Lines>) -> Result<Reading, Error> {
        let shown = display(self.workspace, path);
        let root = &*self.place.resolved;
        let real = fs::canonicalize(path).map_err(|error| self.absent(path, &shown, &error))?;
        if !real.starts_with(root) || !self.access.covers(&real) {
            let message = format!("{shown} leads out of '{}' by a link", self.source.id);
            return Err(Error::new(Code::LeadsOut, message, "only files inside the source are read"));
        }
        if is_skipped_by_walks(root, &real) {
            let message = format!("{shown} belongs to git or to refdesk itself, and is not read for agents");
            return Err(Error::new(Code::KeptBack, message, "call it without `path` for the list of readable files"));
        }
        let opened = open(&real).map_err(|error| {
            let message = format!("{shown} cannot be read: {error}");
            Error::new(
                Code::Unreadable,
                message,
                "it is not a regular file, or it is changing: read another, or try again",
            )
        })?;
        match opened {
            Opened::Folder(folder) => {
                if lines.is_some() {
                    let hint = "name a file with `path`, or leave `lines` out for the list of files";
                    return Err(Error::new(Code::BadLines, format!("{shown} is a folder and has no lines"), hint));
                }
                // Links within the tree are not followed, so both have the same names below them.
                let from = real.strip_prefix(root).unwrap_or(Path::new(""));
                Ok(self.list(shown, from, &folder))
            }
            Opened::File(file, metadata) => {
                let (text, is_whole) = text_of(file, metadata.len(), &shown)?;
                let mut reading = content_of(self.source, shown, &text, lines, |bytes| tokens::of_file(&real, bytes))?;
                if !is_whole {
                    let between = if reading.note.is_empty() { "" } else { "; " };
                    reading.note.push_str(&format!("{between}bytes that are not UTF-8 are shown as \u{fffd}"));
                }
                Ok(reading)
            }
        }
    }

    /// The error for a path that does not exist, with similar names.
    fn absent(&self, path: &Path, shown: &str, error: &io::Error) -> Error {
        let id = &self.source.id;
        let Ok(within) = path.strip_prefix(&self.place.path) else {
            return Error::new(Code::NoSuchFile, format!("{shown} cannot be read: {error}"), "");
        };
        if within.as_os_str().is_empty() || error.kind() == io::ErrorKind::PermissionDenied {
            let message = format!("{shown} cannot be read: {error}");
            return Error::new(Code::Unreadable, message, "tell the catalog's maintainer");
        }
        let asked = within.to_string_lossy();
        let files = match open(&self.place.resolved) {
            Ok(Opened::Folder(folder)) => files_of(&folder, Path::new("")).0,
            _ => Vec::new(),
        };
        let hint = match similar_names(&asked, &display(self.workspace, &self.place.path), &files) {
            names if names.is_empty() => "call it without `path` for the list of its files".to_owned(),
            names => format!("did you mean {}?", names.join(" or ")),
        };
        Error::new(Code::NoSuchFile, format!("'{id}' has no file '{asked}'"), hint)
    }

    fn list(&self, shown: String, from: &Path, folder: &Folder) -> Reading {
        let (files, problems) = files_of(folder, from);
        let files = without_pages_for_programs(&self.place.resolved, files);
        let entry = |file: &WalkedFile| ListedFile {
            tokens: tokens::of_file(&file.path, file.size),
            path: lossy(&file.path),
            bytes: file.size,
        };
        let entries: Vec<ListedFile> = files.iter().take(LISTED).map(entry).collect();
        let mut text = String::new();
        for ListedFile { path, bytes, tokens } in &entries {
            let ending = if *tokens == 1 { "" } else { "s" };
            text.push_str(&format!("{}  {}, about {tokens} token{ending}\n", one_line(path), size(*bytes)));
        }
        let unlisted = files.len() - entries.len();
        let unreadable = problems.iter().filter(|problem| matches!(problem, Problem::Unreadable(..))).count();
        let more = unreadable < problems.len();
        let cut = unlisted > 0 || more;
        if cut {
            let at_least = if more { "at least " } else { "" };
            text.push_str(&format!("and {at_least}{unlisted} more: only the first {LISTED} are listed\n"));
        }
        if unreadable > 0 {
            text.push_str(&format!("{unreadable} more could not be read\n"));
        }
        let note = if cut { "name a folder with `path` for the list of its files" } else { "" };
        Reading {
            id: self.source.id.to_string(),
            kind: ReadingKind::List,
            tokens: tokens::of_prose(text.len() as u64),
            first_line: 0,
            last_line: 0,
            total_lines: 0,
            path: shown,
            text,
            entries,
            cut,
            note: note.to_owned(),
        }
    }
}

/// The files below a folder; their paths start with `from`.
fn files_of(folder: &Folder, from: &Path) -> (Vec<WalkedFile>, Vec<Problem>) {
    folder.files(from, COUNTED, &WalkBudget::default(), |_| true)
}

/// Up to three quoted file names similar to `asked`.
fn similar_names(asked: &str, folder: &str, files: &[WalkedFile]) -> Vec<String> {
    let files: Vec<String> = files.iter().map(|file| lossy(&file.path)).collect();
    let names = || files.iter().map(String::as_str);
    let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_lowercase();
    // Agents often have the path relative to the workspace from elsewhere.
    let from_workspace = asked.strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'));
    let mut similar: Vec<&str> = names().filter(|name| Some(*name) == from_workspace).collect();
    if similar.is_empty() {
        similar = names().filter(|name| last(name) == last(asked)).take(3).collect();
    }
    if similar.is_empty() {
        similar.extend(nearest(asked, names()));
    }
    if similar.is_empty() {
        let wanted = last(asked);
        let known: Vec<String> = names().map(last).collect();
        let near = nearest(&wanted, known.iter().map(String::as_str)).map(str::to_owned);
        similar = names().filter(|name| Some(last(name)) == near).take(3).collect();
    }
    similar.into_iter().map(|name| format!("'{}'", one_line(name))).collect()
}

/// The text of an open file, and whether it is valid UTF-8; a few invalid bytes are replaced.
fn text_of(file: fs::File, bytes: u64, shown: &str) -> Result<(String, bool), Error> {
    let large = |bytes: u64| {
        let message = format!("{shown} is too large to be read: {}, at most {}", size(bytes), size(LARGEST));
        Error::new(Code::TooLarge, message, "read another file")
    };
    if bytes > LARGEST {
        return Err(large(bytes));
    }
    let mut text = Vec::new();
    let read = file.take(LARGEST + 1).read_to_end(&mut text);
    read.map_err(|error| {
        Error::new(Code::Unreadable, format!("{shown} cannot be read: {error}"), "read another file")
    })?;
    let bytes = text.len() as u64;
    if bytes > LARGEST {
        return Err(large(bytes));
    }
    let binary = |what: &str| {
        let message = format!("{shown} is {what} ({})", size(bytes));
        Error::new(Code::Binary, message, "read another file")
    };
    if text.contains(&0) {
        return Err(binary("binary, not text"));
    }
    let is_whole = std::str::from_utf8(&text).is_ok();
    match decode(&text) {
        (_, true) => Err(binary("not UTF-8 text")),
        (text, false) => Ok((text.into_owned(), is_whole)),
    }
}

/// The requested lines of a text, up to the size limit.
fn content_of(
    source: &Source,
    shown: String,
    whole: &str,
    lines: Option<Lines>,
    cost: impl Fn(u64) -> u64,
) -> Result<Reading, Error> {
    let total = whole.split_inclusive('\n').count();
    let (first, last) = match lines {
        None => (usize::from(total > 0), total),
        Some(lines) => lines.of(total, &shown)?,
    };
    let (mut text, mut given, mut note) = (String::new(), first.saturating_sub(1), String::new());
    for line in whole.split_inclusive('\n').take(last).skip(first.saturating_sub(1)) {
        let line = visible(line);
        if text.len() + line.len() > MAX_TEXT_BYTES {
            if text.is_empty() {
                given += 1;
                text.push_str(beginning(&line, MAX_TEXT_BYTES));
                note = format!("line {given} is longer than {}: only its start is shown", size(MAX_TEXT_BYTES as u64));
            }
            break;
        }
        text.push_str(&line);
        given += 1;
    }
    let cut = given < last || !note.is_empty();
    if given < last {
        let rest = format!("the rest: lines \"{}-{last}\" of {total}", given + 1);
        note = if note.is_empty() { rest } else { format!("{note}; {rest}") };
    }
    Ok(Reading {
        id: source.id.to_string(),
        kind: ReadingKind::Content,
        tokens: cost(text.len() as u64),
        text,
        path: shown,
        first_line: first,
        last_line: given,
        total_lines: total,
        entries: Vec::new(),
        cut,
        note,
    })
}

/// A range of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Lines {
    /// From 1.
    first: usize,
    /// At least `first`; the text may have fewer lines.
    last: usize,
}

impl Lines {
    fn parse(asked: &str) -> Result<Self, Error> {
        let bad = |what: String| {
            let hint = "write \"40\" for one line, \"100:40\" for 40 lines starting at line 100, or \"100-140\"";
            Error::new(Code::BadLines, what, hint)
        };
        let number = |text: &str| {
            let text = text.trim();
            let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            // No text has so many lines that the number does not parse.
            plain.then(|| text.parse::<usize>().unwrap_or(usize::MAX))
        };
        let not_understood = || bad(format!("`lines` is not valid: '{asked}'"));
        let (first, last) = if let Some((first, count)) = asked.split_once(':') {
            let (first, count) = (number(first).ok_or_else(not_understood)?, number(count).ok_or_else(not_understood)?);
            if count == 0 {
                return Err(bad("`lines` asks for no lines".to_owned()));
            }
            (first, first.saturating_add(count - 1))
        } else if let Some((first, last)) = asked.split_once('-') {
            (number(first).ok_or_else(not_understood)?, number(last).ok_or_else(not_understood)?)
        } else {
            let line = number(asked).ok_or_else(not_understood)?;
            (line, line)
        };
        if first == 0 {
            return Err(bad("lines are counted from 1".to_owned()));
        }
        if last < first {
            return Err(bad(format!("`lines` ends before it begins: '{asked}'")));
        }
        Ok(Self { first, last })
    }

    /// The first and last line in a text with this many lines.
    fn of(self, total: usize, shown: &str) -> Result<(usize, usize), Error> {
        if self.first > total {
            let message = format!("{shown} has {total} lines, but line {} was requested", self.first);
            let hint = match total {
                0 => "it is empty".to_owned(),
                total => format!("ask for lines from 1 to {total}"),
            };
            return Err(Error::new(Code::BadLines, message, hint));
        }
        Ok((self.first, self.last.min(total)))
    }
}

#[cfg(test)]
mod tests;
