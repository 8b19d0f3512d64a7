//! The text of a source for display, in parts: its document; for a folder its readme, its only Markdown file or a list
//! of its files; inline content; or how an agent fetches it. Only regular files are opened.

use std::fs;
use std::io::{self, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use super::Desk;
use refdesk_core::catalog::{LocalPath, PathState, SourceKind};
use refdesk_files::path::{self, Resolver};
use refdesk_files::reserved::is_skipped_by_walks;
use refdesk_files::walk::{Problem, WalkBudget, WalkLimits, WalkedFile, files_below};
use refdesk_files::{open_regular, read_open};
use refdesk_text::escape::one_line;

/// The most bytes of a document read at a time.
pub(crate) const SHOWN: usize = 64 * 1024;

/// The most files of a folder that are listed.
const LISTED: usize = 200;

/// The limits for counting the files of a folder.
const COUNTED: WalkLimits = WalkLimits { files: 2_000, bytes: u64::MAX };

/// Files that introduce a folder, in order of preference.
const INTRODUCTIONS: [&str; 10] = [
    "README.md",
    "Readme.md",
    "readme.md",
    "README",
    "README.txt",
    "README.rst",
    "README.adoc",
    "index.md",
    "INDEX.md",
    "index.html",
];

/// The file extensions of Markdown.
const MARKDOWN: [&str; 2] = ["md", "markdown"];

/// A part of a source's text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The id of the source.
    pub id: String,
    /// What the text is, if not obvious: `12 files`, `README.md of 12 files`, or why there is no text.
    pub caption: String,
    /// The text, in whole lines.
    pub text: String,
    /// Its file, if it has one.
    pub path: Option<PathBuf>,
    /// Where `..` leads from the folder of `path`: above the target, if that folder is a link.
    pub above: Option<PathBuf>,
    /// The offset of `text` in the file or content.
    pub from: u64,
    /// The offset after `text`, from which to continue.
    pub next: u64,
    /// The number of bytes after `text`.
    pub rest: u64,
    /// The files that the text lists, one per line.
    pub files: Vec<PathBuf>,
}

impl Desk {
    /// The beginning of this source's text.
    pub fn document(&self, id: &str) -> Document {
        let Some(source) = self.catalog.get(id) else {
            return captioned(id, "gone from the catalog".to_owned());
        };
        let document = match &source.kind {
            SourceKind::Local(place) => match place.state {
                PathState::File => file(id, &place.path, String::new(), 0),
                PathState::Directory => folder(id, place),
                PathState::Missing => captioned(id, "missing: there is nothing to read".to_owned()),
                PathState::Untrusted => captioned(id, "outside the workspace: waits for trust".to_owned()),
                PathState::Special => captioned(id, "not read: it is not a regular file".to_owned()),
                PathState::Reserved => captioned(id, "not read: it belongs to git or to refdesk itself".to_owned()),
            },
            SourceKind::Inline { content } => inline(id, content, 0),
            SourceKind::Url { .. } => captioned(id, "fetched by the agent, not by refdesk".to_owned()),
            SourceKind::Withheld(_) => captioned(id, "waits for trust".to_owned()),
            SourceKind::Mcp { args, .. } => {
                let args = serde_json::from_str::<serde_json::Value>(args).map(|args| format!("{args:#}"));
                // There may be none.
                let text = beginning(&args.unwrap_or_default(), SHOWN).to_owned();
                Document { text, ..captioned(id, "called by the agent, not by refdesk, with arguments".to_owned()) }
            }
        };
        self.with_above(document)
    }

    fn with_above(&self, document: Document) -> Document {
        let folder = document.path.as_deref().and_then(Path::parent);
        let above = folder.map(|folder| Resolver::default().cleaned(self.workspace(), folder.join("..")));
        Document { above, ..document }
    }

    /// The beginning of this file of a source; its document if the file is not in the source.
    pub(crate) fn document_at(&self, id: &str, path: &Path) -> Document {
        let Some(place) = self.catalog.get(id).and_then(|source| source.place()) else { return self.document(id) };
        let within = path.strip_prefix(&place.path).ok().filter(|within| !within.as_os_str().is_empty());
        match within {
            Some(within) if is_inside(place, path) => self.with_above(file(id, path, path::lossy(within), 0)),
            _ => self.document(id),
        }
    }

    /// The text of a source, or of this file in its folder, from the offset at which the previous part ended.
    pub(crate) fn document_from(&self, id: &str, path: Option<&Path>, from: u64) -> Document {
        let gone = || Document { from, next: from, ..captioned(id, "it can no longer be read".to_owned()) };
        let Some(source) = self.catalog.get(id) else { return gone() };
        match (&source.kind, path) {
            (SourceKind::Inline { content }, _) => inline(id, content, from),
            (SourceKind::Local(place), _) if place.state == PathState::File => {
                file(id, &place.path, String::new(), from)
            }
            (SourceKind::Local(place), Some(path)) if path.starts_with(&place.path) && is_inside(place, path) => {
                file(id, path, String::new(), from)
            }
            _ => gone(),
        }
    }
}

/// Whether the resolved file is in this folder and may be read.
fn is_inside(place: &LocalPath, path: &Path) -> bool {
    let is_inside = |real: PathBuf| real.starts_with(&place.resolved) && !is_skipped_by_walks(&place.resolved, &real);
    place.state == PathState::Directory && fs::canonicalize(path).is_ok_and(is_inside)
}

fn inline(id: &str, content: &str, from: u64) -> Document {
    let rest = usize::try_from(from).ok().and_then(|from| content.get(from..)).unwrap_or_default();
    let text = beginning(rest, SHOWN);
    let (next, rest) = (from + text.len() as u64, (rest.len() - text.len()) as u64);
    Document { id: id.to_owned(), text: text.to_owned(), from, next, rest, ..Document::default() }
}

fn captioned(id: &str, caption: String) -> Document {
    Document { id: id.to_owned(), caption, ..Document::default() }
}

fn file(id: &str, path: &Path, caption: String, from: u64) -> Document {
    match read(path, from) {
        Ok(Content::Text { text, next, rest }) => {
            Document { text, path: Some(path.to_path_buf()), from, next, rest, ..captioned(id, caption) }
        }
        Ok(Content::Binary { bytes }) => {
            let caption = format!("binary, {}", size(bytes));
            Document { path: Some(path.to_path_buf()), ..captioned(id, caption) }
        }
        Err(error) => Document { from, next: from, ..captioned(id, format!("it cannot be read: {error}")) },
    }
}

/// A part of a file, and the size of the rest.
enum Content {
    Text { text: String, next: u64, rest: u64 },
    Binary { bytes: u64 },
}

fn read(path: &Path, from: u64) -> io::Result<Content> {
    let (mut file, metadata) = open_regular(path)?;
    file.seek(SeekFrom::Start(from))?;
    let (bytes, more) = read_open(file, &metadata, SHOWN as u64)?;
    let end = from + bytes.len() as u64;
    let all = if more { metadata.len().max(end) } else { end };
    if from == 0 && bytes.contains(&0) {
        return Ok(Content::Binary { bytes: all });
    }
    let bytes = if more { whole_paragraphs(&bytes) } else { &bytes };
    let next = from + bytes.len() as u64;
    let bytes = if from == 0 { bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes) } else { bytes };
    Ok(Content::Text { text: String::from_utf8_lossy(bytes).into_owned(), next, rest: all - next })
}

/// The bytes up to an empty line before an unindented one, if there is one in the second half, so that each part makes
/// sense by itself; otherwise, the whole lines.
fn whole_paragraphs(bytes: &[u8]) -> &[u8] {
    let lines = whole_lines(bytes);
    let half = lines.len() / 2;
    let mut end = lines.len();
    while let Some(before) = lines.get(half..end.saturating_sub(1)).and_then(|part| memchr::memrchr(b'\n', part)) {
        let start = half + before + 1;
        let is_empty = lines.get(start..end).is_some_and(|line| line.iter().all(u8::is_ascii_whitespace));
        let is_indented = lines.get(end).is_none_or(u8::is_ascii_whitespace);
        if is_empty && !is_indented {
            return lines.get(..end).unwrap_or(lines);
        }
        end = start;
    }
    lines
}

/// The bytes up to the last line break; for one long line, up to the last whole character.
fn whole_lines(bytes: &[u8]) -> &[u8] {
    let end = match (memchr::memrchr(b'\n', bytes), std::str::from_utf8(bytes)) {
        (Some(at), _) => at + 1,
        (None, Err(error)) if error.error_len().is_none() => error.valid_up_to(),
        (None, _) => bytes.len(),
    };
    bytes.get(..end).unwrap_or(bytes)
}

/// The whole lines within the first `most` bytes of a text; for one long line, its beginning.
fn beginning(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= most).last().unwrap_or(0);
    let cut = text.get(..end).unwrap_or_default();
    cut.rfind('\n').and_then(|at| cut.get(..=at)).unwrap_or(cut)
}

/// The folder's readme, or else a list of its files.
fn folder(id: &str, place: &LocalPath) -> Document {
    let (files, problems) = files_below(&place.path, &place.resolved, COUNTED, &WalkBudget::default(), |_| true);
    let more = !problems.iter().all(|problem| matches!(problem, Problem::Unreadable(..)));
    let count = match files.len() {
        1 => "1 file".to_owned(),
        count if more => format!("more than {count} files"),
        count => format!("{count} files"),
    };
    match introduction(place) {
        Some((name, path)) => {
            let mut document = file(id, &path, format!("{name} of {count}"), 0);
            if document.rest == 0 && files.len() > 1 && is_markdown(&path) {
                document.text.push_str(&linked_files(&place.path, &files, &count));
            }
            document
        }
        None => {
            let text = listing(&place.path, &files, more);
            let files = files.into_iter().take(LISTED).map(|found| found.path).collect();
            Document { text, files, ..captioned(id, count) }
        }
    }
}

/// The name and path of the file that introduces a folder: a readme, or its only Markdown file.
pub(super) fn introduction(place: &LocalPath) -> Option<(String, PathBuf)> {
    // A link to a file outside the folder does not introduce it.
    let is_own = |path: &Path| path.is_file() && is_inside(place, path);
    let readme = INTRODUCTIONS.iter().map(|name| place.path.join(name)).find(|path| is_own(path));
    let path = readme.or_else(|| only_markdown(&place.path).filter(|path| is_own(path)))?;
    Some((path::lossy(path.file_name()?.as_ref()), path))
}

/// The only Markdown file directly in this folder.
fn only_markdown(folder: &Path) -> Option<PathBuf> {
    let entries = fs::read_dir(folder).ok()?.take(COUNTED.files);
    let mut found = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(|path| is_markdown(path));
    found.next().filter(|_| found.next().is_none())
}

fn is_markdown(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
    MARKDOWN.iter().any(|known| ending.eq_ignore_ascii_case(known))
}

/// The files of a folder as Markdown links, listed below the text that introduces it.
fn linked_files(root: &Path, files: &[WalkedFile], count: &str) -> String {
    let mut text = format!("\n\n---\n\n{count} in this folder:\n\n");
    for found in files.iter().take(LISTED) {
        let name = path::lossy(found.path.strip_prefix(root).unwrap_or(&found.path));
        // Other names would need escaping, so they are not linked.
        let is_plain = name.chars().all(|char| char.is_alphanumeric() || "/._- +,@".contains(char));
        let shown =
            if is_plain { format!("[`{name}`](<{name}>)") } else { format!("`{}`", one_line(&name).replace('`', "'")) };
        text.push_str(&format!("- {shown}, {}\n", size(found.size)));
    }
    let unlisted = files.len().saturating_sub(LISTED);
    if unlisted > 0 {
        text.push_str(&format!("\nOnly the first {LISTED} are listed.\n"));
    }
    text
}

/// `docs/a.md  12 KB`, one line per file.
fn listing(root: &Path, files: &[WalkedFile], more: bool) -> String {
    let mut lines: Vec<String> = files
        .iter()
        .take(LISTED)
        .map(|found| {
            let within = found.path.strip_prefix(root).unwrap_or(&found.path);
            format!("{}  {}", one_line(&path::lossy(within)), size(found.size))
        })
        .collect();
    let unlisted = files.len().saturating_sub(LISTED);
    if unlisted > 0 {
        let at_least = if more { "at least " } else { "" };
        lines.push(format!("and {at_least}{unlisted} more: only the first {LISTED} are listed"));
    }
    lines.join("\n")
}

/// `812 bytes`, `12 KB`, `3.4 MB`.
pub fn size(bytes: u64) -> String {
    const KB: u64 = 1024;
    const MB: u64 = 1024 * KB;
    match bytes {
        1 => "1 byte".to_owned(),
        0..KB => format!("{bytes} bytes"),
        KB..MB => format!("{} KB", bytes.div_ceil(KB)),
        _ => {
            let tenths = bytes / (MB / 10);
            format!("{}.{} MB", tenths / 10, tenths % 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use refdesk_core::config::WorkspaceContext;
    use refdesk_files::write_atomic;

    fn document(files: &[(&str, &[u8])], sources: &str, id: &str) -> (Document, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        for (file, bytes) in files {
            write_atomic(&folder.path().join(file), bytes).unwrap();
        }
        write_atomic(&folder.path().join("references.json"), format!("{{\"sources\": [{sources}]}}").as_bytes())
            .unwrap();
        let context = WorkspaceContext {
            workspace: fs::canonicalize(folder.path()).unwrap(),
            current: folder.path().to_path_buf(),
            ..WorkspaceContext::default()
        };
        (Desk::open(Options::new(context)).document(id), folder)
    }

    const A: &str = r#"{"id": "a", "name": "A", "path": "a"}"#;

    fn reported(files: &[(&str, &[u8])], sources: &str) -> (String, String, u64) {
        let (document, _folder) = document(files, sources, "a");
        (document.caption, document.text, document.rest)
    }

    #[test]
    fn the_text_of_each_kind_of_source() {
        let inline = r#"{"id": "a", "name": "A", "type": "inline", "content": "one\ntwo"}"#;
        let url = r#"{"id": "a", "name": "A", "type": "url", "url": "https://example.org"}"#;
        let mcp = r#"{"id": "a", "name": "A", "type": "mcp", "server": "s", "tool": "t", "args": {"q": 1}}"#;
        let one: (&str, &[u8]) = ("a/sub/one.txt", b"12345");
        let introduced: &[(&str, &[u8])] = &[one, ("a/README.md", b"# Kit\n")];
        let files: &[(&str, &[u8])] = &[one, ("a/two.tpl", &[b'x'; 3000])];
        let linked = |introduction: &str, other: &str| {
            let first = format!("- [`{introduction} bytes\n");
            format!("\n\n---\n\n2 files in this folder:\n\n{first}- [`sub/{other}`](<sub/{other}>), 5 bytes\n")
        };
        for (files, sources, caption, text) in [
            (&[("a", &b"# A\nText\n"[..])][..], A, "", "# A\nText\n"),
            (&[("a", &b"\xef\xbb\xbfcaf\xe9"[..])], A, "", "caf\u{fffd}"),
            (&[("a", &b"PK\0\x01"[..])], A, "binary, 4 bytes", ""),
            (&[], A, "missing: there is nothing to read", ""),
            (
                introduced,
                A,
                "README.md of 2 files",
                &format!("# Kit\n{}", linked("README.md`](<README.md>), 6", "one.txt")),
            ),
            (
                &[one, ("a/ADR.md", b"# Adr\n")],
                A,
                "ADR.md of 2 files",
                &format!("# Adr\n{}", linked("ADR.md`](<ADR.md>), 6", "one.txt")),
            ),
            (&[("a/A.md", b"a"), ("a/b.MD", b"b")], A, "2 files", "A.md  1 byte\nb.MD  1 byte"),
            (files, A, "2 files", "sub/one.txt  5 bytes\ntwo.tpl  3 KB"),
            (&[], inline, "", "one\ntwo"),
            (&[], url, "fetched by the agent, not by refdesk", ""),
            (&[], mcp, "called by the agent, not by refdesk, with arguments", "{\n  \"q\": 1\n}"),
            (&[], "", "gone from the catalog", ""),
        ] {
            assert_eq!(reported(files, sources), (caption.to_owned(), text.to_owned(), 0), "{caption}");
        }
    }

    #[test]
    fn a_long_text_is_cut_after_a_whole_line() {
        let lines = "0123456789abcde\n".repeat(SHOWN / 16 + 100);
        let lines = lines.replacen("0", "", 1);
        let (_, text, rest) = reported(&[("a", lines.as_bytes())], A);
        assert!(text.len() <= SHOWN && text.ends_with("e\n"), "{}", text.len());
        assert_eq!(text.len() as u64 + rest, lines.len() as u64);
        let long = format!("a{}", "日".repeat(SHOWN));
        let (_, text, rest) = reported(&[("a", long.as_bytes())], A);
        assert!(text.ends_with('日') && text.len() > SHOWN - 4, "a line without an end is cut between characters");
        assert_eq!(text.len() as u64 + rest, long.len() as u64);
        assert_eq!(beginning("ab\ncd\nef", 7), "ab\ncd\n");
        assert_eq!(beginning("日日日", 7), "日日");
    }

    #[test]
    fn reading_continues_where_the_text_ended() {
        let paragraph = format!("caf\u{e9} {}\n  more\n\n", "x".repeat(700));
        let text = paragraph.repeat(400);
        let content = serde_json::to_string(&text).unwrap();
        let inline = format!(r#"{{"id": "a", "name": "A", "type": "inline", "content": {content}}}"#);
        let folder = r#"{"id": "a", "name": "A", "path": "d"}"#;
        for (files, sources, path) in [
            (&[("a", text.as_bytes())][..], A, None),
            (&[("d/README.md", text.as_bytes())], folder, Some("d/README.md")),
            (&[], inline.as_str(), None),
        ] {
            let (_, folder) = document(files, sources, "a");
            let context = WorkspaceContext {
                workspace: fs::canonicalize(folder.path()).unwrap(),
                current: folder.path().to_path_buf(),
                ..WorkspaceContext::default()
            };
            let desk = Desk::open(Options::new(context));
            let path = path.map(|path| fs::canonicalize(folder.path()).unwrap().join(path));
            let mut part = desk.document("a");
            let mut read = part.text.clone();
            assert_eq!(part.path.is_some(), !files.is_empty());
            while part.rest > 0 {
                assert!(path.is_none() && files.is_empty() || part.text.ends_with("\n\n"), "whole paragraphs");
                assert_eq!(part.next + part.rest, text.len() as u64);
                let (from, on) = (part.next, desk.document_from("a", path.as_deref(), part.next));
                assert_eq!((on.from, on.id.as_str()), (from, "a"));
                read.push_str(&on.text);
                part = on;
            }
            assert!(read == text, "{sources:.60}");
            let behind = desk.document_from("a", path.as_deref(), text.len() as u64 + 5);
            assert_eq!((behind.text.as_str(), behind.rest), ("", 0));
        }
        let (_, folder) = document(&[("d/a.md", b"a"), ("secret", b"secret")], folder, "a");
        let context =
            WorkspaceContext { workspace: fs::canonicalize(folder.path()).unwrap(), ..WorkspaceContext::default() };
        let desk = Desk::open(Options::new(context));
        let outside = fs::canonicalize(folder.path()).unwrap().join("d/../secret");
        assert_eq!(desk.document_from("a", Some(&outside), 0).text, "", "nothing outside the folder");
        assert_eq!(desk.document_from("b", None, 0).text, "");
    }

    #[test]
    fn above_a_linked_folder_is_the_folder_above_its_target() {
        let source = r#"{"id": "a", "name": "A", "path": "current"}"#;
        let (_, folder) = document(&[("v2/docs/sub/a.md", b"a"), ("v2/docs/README.md", b"a")], source, "a");
        std::os::unix::fs::symlink("v2/docs", folder.path().join("current")).unwrap();
        let workspace = fs::canonicalize(folder.path()).unwrap();
        let context = WorkspaceContext { workspace: workspace.clone(), ..WorkspaceContext::default() };
        let desk = Desk::open(Options::new(context));
        let at = |path: &str| Some(workspace.join(path));
        let document = desk.document("a");
        assert_eq!((document.path, document.above), (at("current/README.md"), at("v2")));
        let document = desk.document_at("a", &workspace.join("current/sub/a.md"));
        assert_eq!((document.path, document.above), (at("current/sub/a.md"), at("current")));
    }

    #[test]
    fn a_long_list_of_files_is_cut() {
        let names: Vec<String> = (0..LISTED + 5).map(|nth| format!("a/{nth:04}.txt")).collect();
        let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
        let (caption, text, _) = reported(&files, A);
        assert_eq!(caption, "205 files");
        assert!(text.ends_with("0199.txt  1 byte\nand 5 more: only the first 200 are listed"), "{text}");
    }

    #[test]
    fn only_regular_files_are_opened() {
        let files: &[(&str, &[u8])] = &[("secret/README.md", b"secret"), ("a/x.txt", b"x"), ("a/.git/config", b"x")];
        let (_, folder) = document(files, A, "a");
        let at = |name: &str| folder.path().join(name);
        std::os::unix::fs::symlink(at("secret/README.md"), at("a/README.md")).unwrap();
        std::os::unix::fs::symlink(at("a/.git/config"), at("a/index.md")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, at("a/README"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
        let root = fs::canonicalize(at("a")).unwrap();
        let place = LocalPath {
            written: "a".into(),
            path: root.clone().into(),
            resolved: root.into(),
            state: PathState::Directory,
            size: None,
        };
        assert_eq!(super::folder("a", &place).text, "x.txt  1 byte");
        assert!(file("a", &at("a/README"), String::new(), 0).caption.starts_with("it cannot be read"));
    }

    #[test]
    fn sizes() {
        assert_eq!(
            [0, 1, 1023, 1024, 1025, 3_565_158].map(size),
            ["0 bytes", "1 byte", "1023 bytes", "1 KB", "2 KB", "3.4 MB"]
        );
    }
}
