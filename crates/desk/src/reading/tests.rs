//! What an agent gets from a source, and the message if it gets nothing.

use std::ffi::OsStr;
use std::os::unix::fs::symlink;
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use refdesk_core::catalog::Mode;
use refdesk_core::catalog::testing::local;
use refdesk_core::mention::MentionGraph;
use refdesk_core::selection::{Choice, ExpansionRules, select};
use refdesk_files::write_atomic;
use refdesk_text::Code;

struct World {
    _folder: tempfile::TempDir,
    root: PathBuf,
    catalog: Catalog,
}

impl World {
    /// `ws/` with these files, and the sources `dir` (`ws/dir`), `file` (`ws/file.md`) and some of other types.
    fn with(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(folder.path()).unwrap();
        fs::create_dir_all(root.join("ws/dir")).unwrap();
        for (file, bytes) in files {
            write_atomic(&root.join(file), bytes).unwrap();
        }
        let kind = |id: &str, kind| Source { kind, ..local(id, Path::new("/"), PathState::File) };
        let catalog = Catalog::new(vec![
            local("dir", &root.join("ws/dir"), PathState::Directory),
            local("file", &root.join("ws/file.md"), PathState::File),
            local("gone", &root.join("ws/gone.md"), PathState::Missing),
            local("unselected", &root.join("ws/dir"), PathState::Directory),
            local("untrusted", &root.join("out"), PathState::Directory),
            kind("inline", SourceKind::Inline { content: "one\ntwo\n".into() }),
            kind("url", SourceKind::Url { url: "https://example.org".into() }),
            kind("mcp", SourceKind::Mcp { server: "s".into(), tool: "t".into(), args: Box::default() }),
        ]);
        Self { _folder: folder, root, catalog }
    }

    fn access(&self) -> Access {
        let picks = ["dir", "file", "gone", "untrusted", "inline", "url", "mcp"].map(str::to_owned).to_vec();
        let choice = Choice { picks, ..Choice::default() };
        let selection = select(&choice, &self.catalog, &MentionGraph::default(), ExpansionRules::default());
        Access::new(&self.catalog, &selection, &[], |source| source.id.as_str() == "untrusted")
    }

    fn read(&self, id: &str, path: Option<&str>, lines: Option<&str>) -> Result<Reading, Error> {
        read_source(&self.root.join("ws"), &self.catalog, &self.access(), id, path, lines)
    }

    /// The text, or the error's code and fix.
    #[track_caller]
    fn reported(&self, id: &str, path: Option<&str>, lines: Option<&str>) -> String {
        match self.read(id, path, lines) {
            Ok(reading) => reading.text,
            Err(refusal) => {
                assert!(!refusal.message.is_empty() && !refusal.fix.is_none(), "{refusal:?}");
                format!("{}: {}", refusal.code, refusal.fix)
            }
        }
    }
}

#[test]
fn what_each_source_returns() {
    let world = World::with(&[
        ("ws/file.md", b"\xef\xbb\xbf# A\nb\x1b[31m\r\n"),
        ("ws/dir/README.md", b"# Kit\n"),
        ("ws/dir/sub/one.json", b"123"),
    ]);
    for (id, path, expected) in [
        ("file", None, "# A\nb\\x1b[31m\r\n"),
        ("file", Some("file.md"), "# A\nb\\x1b[31m\r\n"),
        ("file", Some("other.md"), "bad-path: leave `path` out"),
        ("dir", None, "README.md  6 bytes, about 2 tokens\nsub/one.json  3 bytes, about 1 token\n"),
        ("dir", Some("."), "README.md  6 bytes, about 2 tokens\nsub/one.json  3 bytes, about 1 token\n"),
        ("dir", Some("sub"), "sub/one.json  3 bytes, about 1 token\n"),
        ("dir", Some("./sub//one.json"), "123"),
        ("inline", None, "one\ntwo\n"),
        ("inline", Some("x"), "bad-path: leave `path` out"),
        ("url", None, "lies-elsewhere: fetch it yourself: https://example.org"),
        ("mcp", None, "lies-elsewhere: call the tool 't' of the server 's'"),
        ("gone", None, "missing: continue without it, and tell the catalog's maintainer"),
        ("unselected", None, "not-selected: pick 'unselected' first"),
        ("dri", None, "unknown-id: list the sources to see all ids"),
    ] {
        assert_eq!(world.reported(id, path, None), expected, "{id} {path:?}");
    }
    assert!(world.reported("untrusted", None, None).starts_with("untrusted: review what needs your trust"));
    let reading = world.read("dir", Some("sub/one.json"), None).unwrap();
    assert_eq!((reading.path.as_str(), reading.tokens, reading.total_lines), ("dir/sub/one.json", 1, 1));
    assert!(!reading.cut && reading.kind == ReadingKind::Content);
    let listing = world.read("dir", None, None).unwrap();
    assert_eq!(listing.entries[1], ListedFile { path: "sub/one.json".into(), bytes: 3, tokens: 1 });
    assert_eq!((listing.kind, listing.path.as_str()), (ReadingKind::List, "dir"));
}

#[test]
fn nothing_outside_is_read_and_the_answer_says_what_to_call() {
    let world = World::with(&[
        ("ws/file.md", b"x"),
        ("ws/dir/docs/retry.md", b"retry"),
        ("ws/dir/deep/er/guide.md", b"guide"),
        ("ws/dir-evil/secret.md", b"SECRET"),
        ("out/secret.md", b"SECRET"),
        ("ws/dir/data.bin", b"PK\0\x01"),
        ("ws/dir/latin.txt", b"caf\xe9"),
        ("ws/dir/nearly.txt", b"one\ntwo of it, and caf\xe9\nthree\n"),
    ]);
    let dir = world.root.join("ws/dir");
    symlink("../../out/secret.md", dir.join("leak.md")).unwrap();
    symlink("../../out", dir.join("leak")).unwrap();
    symlink("../dir-evil", dir.join("evil")).unwrap();
    symlink("../file.md", dir.join("other.md")).unwrap();
    symlink("docs/retry.md", dir.join("inside.md")).unwrap();
    symlink("docs", dir.join("inside")).unwrap();
    symlink("loop", dir.join("loop")).unwrap();
    symlink("/proc/self/environ", dir.join("environ")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, dir.join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    let absolute = dir.join("docs/retry.md").to_string_lossy().into_owned();
    let relative = "give it relative to the folder of the source, as in the list without `path`";
    let below = "only files inside the source are read";
    let list = "call it without `path` for the list of its files";
    for (path, code, hint) in [
        ("", "bad-path", "leave it out for the list of files"),
        ("  ", "bad-path", "leave it out for the list of files"),
        ("a\0b", "bad-path", relative),
        ("..", "bad-path", relative),
        ("../dir-evil/secret.md", "bad-path", relative),
        ("docs/../../dir-evil/secret.md", "bad-path", relative),
        ("docs/../docs/retry.md", "bad-path", relative),
        ("/etc/passwd", "bad-path", relative),
        ("C:\\x", "bad-path", relative),
        (&absolute, "bad-path", "write 'docs/retry.md'"),
        ("leak.md", "leads-out", below),
        ("leak/secret.md", "leads-out", below),
        ("evil/secret.md", "leads-out", below),
        ("evil", "leads-out", below),
        ("environ", "leads-out", below),
        ("other.md", "leads-out", below),
        ("pipe", "unreadable", "it is not a regular file, or it is changing: read another, or try again"),
        ("loop", "no-such-file", list),
        ("docs/retyr.md", "no-such-file", "did you mean 'docs/retry.md'?"),
        ("retry.md", "no-such-file", "did you mean 'docs/retry.md'?"),
        ("Retry.MD", "no-such-file", "did you mean 'docs/retry.md'?"),
        ("guied.md", "no-such-file", "did you mean 'deep/er/guide.md'?"),
        ("dir/docs/retry.md", "no-such-file", "did you mean 'docs/retry.md'?"),
        ("docs/retry.md/x", "no-such-file", "did you mean 'docs/retry.md'?"),
        ("entirely different", "no-such-file", list),
        (&"x/".repeat(5000), "no-such-file", list),
        (&"x".repeat(5000), "no-such-file", list),
        ("data.bin", "binary", "read another file"),
        ("latin.txt", "binary", "read another file"),
    ] {
        assert_eq!(world.reported("dir", Some(path), None), format!("{code}: {hint}"), "{path}");
    }
    assert_eq!(
        world.read("dir", Some("data.bin"), None).unwrap_err().message,
        "dir/data.bin is binary, not text (4 bytes)"
    );
    // One invalid byte does not make a file unreadable.
    let reading = world.read("dir", Some("nearly.txt"), None).unwrap();
    assert_eq!(reading.text, "one\ntwo of it, and caf\u{fffd}\nthree\n");
    assert_eq!(reading.note, "bytes that are not UTF-8 are shown as \u{fffd}");
    // Inside the tree, a link is just another name.
    assert_eq!(world.reported("dir", Some("inside.md"), None), "retry");
    assert_eq!(world.reported("dir", Some("inside/retry.md"), None), "retry");
    assert_eq!(world.reported("dir", Some("inside"), None), "docs/retry.md  5 bytes, about 2 tokens\n");
    assert!(!world.reported("dir", None, None).contains("secret"));
}

#[test]
fn the_root_of_a_source_is_the_one_that_was_allowed() {
    let world = World::with(&[("ws/dir/a.md", b"a"), ("ws/file.md", b"a"), ("out/a.md", b"SECRET")]);
    for (from, to) in [("ws/dir", "../out"), ("ws/file.md", "../out/a.md")] {
        fs::rename(world.root.join(from), world.root.join("moved")).unwrap();
        symlink(to, world.root.join(from)).unwrap();
        fs::remove_file(world.root.join("moved")).unwrap_or_default();
        fs::remove_dir_all(world.root.join("moved")).unwrap_or_default();
    }
    for (id, path) in [("dir", Some("a.md")), ("dir", None), ("file", None)] {
        assert!(world.reported(id, path, None).starts_with("leads-out: "), "{id} {path:?}");
    }
    fs::remove_file(world.root.join("ws/file.md")).unwrap();
    assert!(world.reported("file", None, None).starts_with("unreadable: "));
}

#[test]
fn auto_sources_need_not_be_selected() {
    let mut auto = local("auto", Path::new("/nowhere"), PathState::File);
    auto.mode = Mode::Auto;
    let catalog = Catalog::new(vec![auto]);
    let access = Access::new(&catalog, &Default::default(), &[], |_| false);
    let refusal = read_source(Path::new("/"), &catalog, &access, "auto", None, None).unwrap_err();
    assert_eq!(refusal.code, Code::Unreadable);
}

#[test]
fn lines_of_a_text() {
    let text: String = (1..=50).map(|line| format!("{line}\n")).collect();
    let world = World::with(&[("ws/file.md", text.as_bytes()), ("ws/dir/empty.md", b""), ("ws/dir/a.md", b"a")]);
    for (lines, expected) in [
        ("1", "1\n"),
        ("50", "50\n"),
        ("2:3", "2\n3\n4\n"),
        (" 2 : 1 ", "2\n"),
        ("49:40", "49\n50\n"),
        ("48-49", "48\n49\n"),
        ("49-99", "49\n50\n"),
        ("50:99999999999999999999", "50\n"),
        ("51", "bad-lines: ask for lines from 1 to 50"),
        ("99999999999999999999", "bad-lines: ask for lines from 1 to 50"),
    ] {
        assert_eq!(world.reported("file", None, Some(lines)), expected, "{lines}");
    }
    for lines in ["", "0", "0:3", "3:0", "5-4", "a", "1:2:3", "-3", "3-", ":", "1,2", "+1", "1.5", "٣"] {
        assert!(world.reported("file", None, Some(lines)).starts_with("bad-lines: write \"40\""), "{lines}");
    }
    assert_eq!(world.reported("dir", Some("empty.md"), None), "");
    assert_eq!(world.reported("dir", Some("empty.md"), Some("1")), "bad-lines: it is empty");
    assert!(world.reported("dir", None, Some("1")).starts_with("bad-lines: name a file"));
    let reading = world.read("file", None, Some("2:3")).unwrap();
    assert_eq!((reading.first_line, reading.last_line, reading.total_lines, reading.cut), (2, 4, 50, false));
}

#[test]
fn many_lines_are_read_in_parts_without_loss() {
    let text: String = (0..30_000).map(|line| format!("line {line} of many that are\n")).collect();
    let world = World::with(&[("ws/file.md", text.as_bytes())]);
    let (mut all, mut lines, mut parts) = (String::new(), None, 0);
    loop {
        let reading = world.read("file", None, lines.as_deref()).unwrap();
        assert!(reading.text.len() <= MAX_TEXT_BYTES);
        all.push_str(&reading.text);
        parts += 1;
        if !reading.cut {
            assert_eq!(reading.note, "");
            break;
        }
        // The note contains the next call.
        lines = reading.note.split('"').nth(1).map(str::to_owned);
    }
    assert!(all == text && parts > 2, "{parts}");
    let long = format!("{}\nshort\n", "ä".repeat(MAX_TEXT_BYTES));
    let world = World::with(&[("ws/file.md", long.as_bytes())]);
    let reading = world.read("file", None, None).unwrap();
    assert_eq!((reading.text.len(), reading.last_line, reading.cut), (MAX_TEXT_BYTES, 1, true));
    assert_eq!(reading.note, "line 1 is longer than 256 KB: only its start is shown; the rest: lines \"2-2\" of 2");
    let large = vec![b'x'; usize::try_from(LARGEST).unwrap() + 1];
    let world = World::with(&[("ws/file.md", &large)]);
    assert_eq!(world.reported("file", None, None), "too-large: read another file");
}

#[test]
fn long_lists_of_files_are_cut_and_counted() {
    let names: Vec<String> = (0..LISTED + 5).map(|at| format!("ws/dir/{at:04}.md")).collect();
    let files: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), &b"x"[..])).collect();
    let reading = World::with(&files).read("dir", None, None).unwrap();
    assert_eq!((reading.entries.len(), reading.cut), (LISTED, true));
    assert!(reading.text.ends_with("and 5 more: only the first 200 are listed\n"), "{}", reading.text);
}

/// A file, then a folder on the path to it, is replaced by a link during the read.
#[test]
fn a_path_that_becomes_a_link_meanwhile_reveals_nothing_outside() {
    let world = World::with(&[("ws/dir/sub/a.md", b"inside"), ("out/a.md", b"SECRET"), ("ws/file.md", b"inside")]);
    let out = world.root.join("out");
    for (swapped, target) in [("ws/dir/sub/a.md", "a.md"), ("ws/dir/sub", ""), ("ws/dir", ""), ("ws/file.md", "a.md")] {
        let (at, kept) = (world.root.join(swapped), world.root.join("kept"));
        if swapped == "ws/dir" {
            fs::create_dir_all(out.join("sub")).unwrap();
            write_atomic(&out.join("sub/a.md"), b"SECRET").unwrap();
        }
        let over = AtomicBool::new(false);
        let (mut given, mut refused, mut listed) = (0, 0, 0);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    fs::rename(&at, &kept).unwrap();
                    symlink(out.join(target), &at).unwrap();
                    fs::remove_file(&at).unwrap();
                    fs::rename(&kept, &at).unwrap();
                }
            });
            let access = world.access();
            let read = |id, path| read_source(&world.root.join("ws"), &world.catalog, &access, id, path, None);
            for _ in 0..2_000 {
                let one = if swapped == "ws/file.md" { read("file", None) } else { read("dir", Some("sub/a.md")) };
                match one {
                    Ok(reading) => {
                        assert_eq!(reading.text, "inside");
                        given += 1;
                    }
                    Err(_) => refused += 1,
                }
                if let Ok(list) = read("dir", None) {
                    // Outside, that folder does not exist or has another name.
                    assert!(list.entries.iter().all(|entry| entry.path == "sub/a.md" && entry.bytes == 6));
                    listed += 1;
                }
            }
            over.store(true, Ordering::Relaxed);
        });
        assert_eq!(given + refused, 2_000);
        assert!(listed > 0 || refused > 0, "{swapped}: {given} {refused} {listed}");
        fs::remove_dir_all(out.join("sub")).unwrap_or_default();
        assert_eq!(world.reported("dir", Some("sub/a.md"), None), "inside");
    }
}

#[test]
fn files_of_git_and_refdesk_are_not_read_by_name() {
    let world = World::with(&[
        ("ws/dir/.git/config", b"SECRET"),
        ("ws/dir/sub/.git", b"SECRET"),
        ("ws/dir/.jaato/refdesk/journal.jsonl", b"SECRET"),
        ("ws/dir/.jaato/kb.md", b"kb"),
    ]);
    let dir = world.root.join("ws/dir");
    symlink(".git/config", dir.join("plain.md")).unwrap();
    symlink(".jaato/refdesk", dir.join("kept")).unwrap();
    for path in [
        ".git/config",
        "./.git//config",
        ".git",
        "sub/.git",
        ".jaato/refdesk/journal.jsonl",
        ".jaato/refdesk",
        "plain.md",
        "kept/journal.jsonl",
        "kept",
    ] {
        let reported = world.reported("dir", Some(path), None);
        assert!(reported.starts_with("kept-back: "), "{path}: {reported}");
    }
    assert_eq!(world.reported("dir", Some(".jaato/kb.md"), None), "kb");
    assert_eq!(world.reported("dir", None, None), ".jaato/kb.md  2 bytes, about 1 token\n");
}

#[test]
fn the_list_leaves_out_the_json_beside_a_page_of_a_table() {
    let page = b"---\ngenerated: refdesk\n---\n";
    let world = World::with(&[
        ("ws/dir/README.md", page),
        ("ws/dir/tables/s.t.md", page),
        ("ws/dir/tables/s.t.json", b"{}"),
        ("ws/dir/tables/only.json", b"{}"),
    ]);
    for (path, expected) in [
        (None, ["README.md", "tables/only.json", "tables/s.t.md"].as_slice()),
        (Some("tables"), &["tables/only.json", "tables/s.t.md"]),
    ] {
        let listing = world.read("dir", path, None).unwrap();
        assert_eq!(listing.entries.iter().map(|entry| entry.path.as_str()).collect::<Vec<_>>(), expected);
    }
    assert_eq!(world.reported("dir", Some("tables/s.t.json"), None), "{}", "it can still be read by its path");
}

/// A name that is not UTF-8 is listed with a replacement for its bytes, and can be read by that, unless two would fit.
#[test]
fn a_file_is_read_by_the_name_that_its_list_shows() {
    use std::os::unix::ffi::OsStrExt;

    let world = World::with(&[]);
    let put = |name: &[u8]| write_atomic(&world.root.join("ws/dir").join(OsStr::from_bytes(name)), b"text").unwrap();
    put(b"a\xff.md");
    assert_eq!(world.reported("dir", Some("a\u{fffd}.md"), None), "text");
    put(b"a\xfe.md");
    assert!(world.reported("dir", Some("a\u{fffd}.md"), None).starts_with("no-such-file"));
}
