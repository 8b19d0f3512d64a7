//! The journal's file: appended lines survive whatever surrounds them, and a follower misses none.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::*;
use crate::session::{DEFAULT, Session, Store};
use refdesk_files::{Sealer, write_atomic};

fn clock() -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(1_800_000_000_123)
}

fn store(folder: &Path) -> Store {
    Store::new(folder, DEFAULT, clock).sealed_by(Sealer::fixed(folder))
}

fn session() -> Session {
    Session { id: "../../x".to_owned(), who: "a test".to_owned() }
}

fn said(reason: &str) -> Receipt {
    Receipt { reason: reason.to_owned(), ..Receipt::new(JournalEvent::Forgot) }
}

fn reasons(lines: &[Line]) -> Vec<(u64, &str)> {
    lines.iter().map(|line| (line.n, line.receipt.reason.as_str())).collect()
}

/// The lines of this workspace's journal after a replacement, with new seals.
fn rewritten(folder: &Path, lines: &str, from: &str, to: &str) -> String {
    let sealer = Sealer::fixed(folder);
    let reseal = |line: &str| {
        let (rest, _) = line.rsplit_once(",\"seal\":").unwrap();
        let sealed =
            sealer.key().unwrap().sealed_line("journal.jsonl", format!("{}}}", rest.replace(from, to)).as_bytes());
        String::from_utf8(sealed).unwrap() + "\n"
    };
    lines.lines().map(reseal).collect()
}

fn add_bytes(path: &Path, bytes: &[u8]) {
    OpenOptions::new().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn lines_have_number_writer_time_and_desk() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    assert_eq!(store.journal().unwrap(), (Vec::new(), 0));
    assert_eq!(store.append_all(&session(), vec![said("one")]).unwrap().last, 1);
    assert_eq!(store.append_all(&session(), vec![said("two"), said("three")]).unwrap().last, 3);
    let (lines, damaged) = store.journal().unwrap();
    assert_eq!((reasons(&lines), damaged), (vec![(1, "one"), (2, "two"), (3, "three")], 0));
    assert_eq!((lines[0].time.as_str(), lines[0].who.as_str()), ("2027-01-15T08:00:00.123Z", "a test"));
    assert_eq!((lines[0].desk.as_str(), lines[0].session.len()), (DEFAULT, 64));
}

#[test]
fn a_new_journal_is_private_and_links_are_not_followed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.append_all(&session(), vec![said("one")]).unwrap();
    let path = store.journal_file();
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let other = folder.path().join("other");
    fs::rename(&path, &other).unwrap();
    let before = fs::read(&other).unwrap();
    std::os::unix::fs::symlink(&other, &path).unwrap();
    assert!(store.journal().unwrap().0.is_empty() && store.tail(9).read().is_err());
    store.append_all(&session(), vec![said("two")]).unwrap();
    assert_eq!(reasons(&store.journal().unwrap().0), [(1, "two")]);
    assert_eq!(fs::read(&other).unwrap(), before);
}

/// Invalid bytes before, between and after complete lines are reported, and no complete line is lost.
#[test]
fn rubbish_is_skipped_counted_and_ended() {
    let long = format!("{{\"n\": 7, \"text\": \"{}\"", "x".repeat(300_000));
    let more =
        "{\"n\":9007199254740993,\"time\":\"\",\"desk\":\"\",\"session\":\"\",\"who\":\"\",\"what\":\"forgot\"}\n";
    for (rubbish, damaged) in [
        (b"{\"n\":2,\"time\":\"20".as_slice(), 1),
        (b"\xff\xfe\x00\n\n", 1),
        (b"[]\nnull\n{}\n", 3),
        (long.as_bytes(), 1),
        (more.as_bytes(), 1),
        (more.replace("993", "992").as_bytes(), 1),
        (b"\n \n", 0),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let path = store.journal_file();
        write_atomic(&path, rubbish).unwrap();
        assert_eq!(store.append_all(&session(), vec![said("one")]).unwrap().last, 1);
        add_bytes(&path, rubbish);
        let mut tail = store.tail(9);
        assert_eq!(store.append_all(&session(), vec![said("two")]).unwrap().last, 2);
        let (lines, found) = store.journal().unwrap();
        assert_eq!((reasons(&lines), found), (vec![(1, "one"), (2, "two")], 2 * damaged));
        let (lines, _) = tail.read().unwrap();
        assert_eq!(reasons(&lines), [(1, "one"), (2, "two")]);
        assert_eq!(store.tail(1).read().unwrap(), (vec![lines[1].clone()], 0));
    }
}

#[test]
fn a_journal_that_would_be_too_large_is_moved_aside_and_numbers_continue() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    for at in 1..=20 {
        assert_eq!(store.append_within(1500, &session(), vec![said(&format!("{at}"))]).unwrap().last, at);
    }
    let (lines, damaged) = store.journal().unwrap();
    let numbers: Vec<u64> = lines.iter().map(|line| line.n).collect();
    assert_eq!((numbers.clone(), damaged), ((numbers[0]..=20).collect(), 0));
    assert!(numbers.len() > 5 && numbers.len() < 16, "{numbers:?}");
    for name in ["journal.jsonl", "journal.1.jsonl"] {
        assert!(fs::metadata(folder.path().join(".jaato/refdesk").join(name)).unwrap().len() <= 1500);
    }
    // The requested last lines extend into the older file.
    for last in [0, 1, numbers.len() - 1, numbers.len(), 99] {
        let expected: Vec<u64> = numbers.iter().rev().take(last).rev().copied().collect();
        let found: Vec<u64> = store.tail(last).read().unwrap().0.iter().map(|line| line.n).collect();
        assert_eq!(found, expected, "{last}");
    }
    // If the newer file is missing or empty, the older one has the last number.
    let newer = store.journal_file();
    let last_of_older = store
        .journal()
        .unwrap()
        .0
        .iter()
        .map(|line| line.n)
        .rfind(|n| fs::read_to_string(store.older_journal_file()).unwrap().contains(&format!("{{\"n\":{n},")));
    fs::remove_file(&newer).unwrap();
    assert_eq!(store.append_all(&session(), vec![said("on")]).unwrap().last, last_of_older.unwrap() + 1);
}

#[test]
fn a_file_that_is_too_large_to_be_ours_is_set_aside_and_reported() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let append = || store.append_within(1500, &session(), vec![said("one")]).unwrap();
    assert!(append().set_aside.is_none());
    add_bytes(&store.journal_file(), &[b'x'; 2000]);
    let report = append().set_aside.unwrap().to_string();
    assert!(report.contains("too large") && report.contains("journal.jsonl.damaged-"), "{report}");
    assert!(append().set_aside.is_none(), "once");
}

#[test]
fn too_large_a_receipt_is_written_without_its_text() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.append_within(1500, &session(), vec![said("one")]).unwrap();
    let text = |length: usize| Receipt {
        text: Some("x".repeat(length)),
        bytes: length,
        ..Receipt::new(JournalEvent::Enriched)
    };
    assert_eq!(store.append_within(1500, &session(), vec![said("two"), text(5000)]).unwrap().last, 3);
    let (lines, damaged) = store.journal().unwrap();
    assert_eq!((reasons(&lines), damaged), (vec![(1, "one"), (2, "two"), (3, "too large to be stored")], 0));
    assert_eq!((lines[2].receipt.text.as_deref(), lines[2].receipt.bytes), (None, 5000));
    // If leaving out the text is not enough, the append fails and the file is unchanged.
    let error = store.append_within(1500, &session(), vec![said(&"x".repeat(5000))]).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
    assert_eq!(store.journal().unwrap().0, lines);
}

#[test]
fn after_the_last_number_numbers_start_again() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.append_all(&session(), vec![said("one")]).unwrap();
    let path = store.journal_file();
    let last = (1_u64 << 53) - 1;
    let written = fs::read_to_string(&path).unwrap();
    let prepared = rewritten(folder.path(), &written, "{\"n\":1,", &format!("{{\"n\":{last},"));
    add_bytes(&path, prepared.as_bytes());
    assert_eq!(store.append_all(&session(), vec![said("two"), said("three")]).unwrap().last, 2);
    let (lines, damaged) = store.journal().unwrap();
    assert_eq!((reasons(&lines), damaged), (vec![(1, "one"), (last, "one"), (1, "two"), (2, "three")], 0));
}

/// The last line has four gigabytes, too many to read.
#[test]
fn a_huge_prepared_journal_is_moved_aside_unread() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.append_all(&session(), vec![said("one"), said("two")]).unwrap();
    let path = store.journal_file();
    let huge = |path: &Path| OpenOptions::new().append(true).create(true).open(path).unwrap().set_len(1 << 32).unwrap();
    huge(&path);
    huge(&store.older_journal_file());
    assert_eq!(store.journal().unwrap(), (Vec::new(), 2));
    let mut tail = store.tail(9);
    assert_eq!(tail.read().unwrap(), (Vec::new(), 0));
    assert_eq!(store.append_all(&session(), vec![said("on")]).unwrap().last, 1);
    assert_eq!(reasons(&tail.read().unwrap().0), [(1, "on")]);
    assert_eq!(reasons(&store.tail(9).read().unwrap().0), [(1, "on")]);
    let (lines, damaged) = store.journal().unwrap();
    assert_eq!((reasons(&lines), damaged), (vec![(1, "on")], 1));
    let names = fs::read_dir(path.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name());
    let aside = names.filter(|name| name.to_str().unwrap().starts_with("journal.jsonl.damaged-")).count();
    assert_eq!(aside, 1, "nothing is lost");
    // The journal grows this large while it is followed.
    huge(&path);
    assert_eq!(tail.read().unwrap(), (Vec::new(), 1));
    assert_eq!(tail.read().unwrap(), (Vec::new(), 0));
}

#[test]
fn which_writers_count_as_people() {
    let folder = tempfile::tempdir().unwrap();
    for (who, expected) in [
        (crate::session::SCREEN, true),
        ("refdesk", true),
        ("refdesk select", true),
        ("claude-code", false),
        ("claude-code over mcp", false),
        ("refdesk over mcp", false),
        ("refdesker", false),
    ] {
        let store = store(folder.path());
        store.append_all(&Session::of_client(who), vec![said("")]).unwrap();
        assert_eq!(store.journal().unwrap().0.last().unwrap().by_person(), expected, "{who}");
    }
}

#[test]
fn a_tail_returns_each_line_once_and_only_when_complete() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    let mut tail = store.tail(5);
    let mut read = || reasons(&tail.read().unwrap().0).iter().map(|(_, it)| it.parse().unwrap()).collect::<Vec<u64>>();
    assert_eq!(read(), [0; 0]);
    let say = |at: u64| store.append_within(1500, &session(), vec![said(&at.to_string())]).unwrap();
    say(1);
    assert_eq!(read(), [1]);
    assert_eq!(read(), [0; 0]);
    // A line arrives in two parts.
    let path = store.journal_file();
    let whole = rewritten(folder.path(), &fs::read_to_string(&path).unwrap(), "\"1\"", "\"2\"");
    let (begin, end) = whole.split_at(20);
    add_bytes(&path, begin.as_bytes());
    assert_eq!(read(), [0; 0]);
    add_bytes(&path, end.as_bytes());
    assert_eq!(read(), [2]);
    // The file is moved aside between two reads, with new lines on both sides.
    for at in 3..30 {
        say(at);
        if at % 3 == 0 {
            assert_eq!(read(), [at - 2, at - 1, at][usize::from(at == 3) * 2..]);
        }
    }
    assert_eq!(read(), [28, 29]);
    say(30);
    // The file is removed with an unread line and then created again.
    fs::remove_file(&path).unwrap();
    assert_eq!(read(), [30]);
    assert_eq!(read(), [0; 0]);
    say(31);
    assert_eq!(read(), [31]);
    // The file is truncated.
    fs::File::create(&path).unwrap();
    assert_eq!(read(), [0; 0]);
    say(32);
    assert_eq!(read(), [32]);
}

#[test]
fn a_failed_append_is_an_error_and_leaves_nothing() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.append_all(&session(), vec![said("one")]).unwrap();
    let path = store.journal_file();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).unwrap();
    // Permissions do not restrict root.
    if OpenOptions::new().append(true).open(&path).is_err() {
        assert!(store.append_all(&session(), vec![said("two")]).unwrap_err().to_string().contains("journal.jsonl"));
    }
    // Anything but a regular file is not ours, and must not block the journal.
    for is_link in [false, true] {
        fs::remove_file(&path).unwrap();
        if is_link {
            std::os::unix::fs::symlink("elsewhere", &path).unwrap();
        } else {
            fs::create_dir(&path).unwrap();
        }
        assert!(store.journal().unwrap().0.is_empty());
        store.append_all(&session(), vec![said("three")]).unwrap();
        assert_eq!(store.journal().unwrap().0.len(), 1);
        assert!(store.foreign().unwrap().message.contains("journal.jsonl (set aside"));
    }
}

#[test]
fn concurrent_appends_have_distinct_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let mut tail = store(folder.path()).tail(0);
    let mut followed = Vec::new();
    std::thread::scope(|scope| {
        let writers: Vec<_> = (0..8)
            .map(|at| {
                let store = store(folder.path());
                scope.spawn(move || {
                    for _ in 0..20 {
                        store.append_within(1 << 16, &session(), vec![said(&at.to_string())]).unwrap();
                    }
                })
            })
            .collect();
        while !writers.iter().all(std::thread::ScopedJoinHandle::is_finished) {
            followed.extend(tail.read().unwrap().0.iter().map(|line| line.n));
        }
    });
    followed.extend(tail.read().unwrap().0.iter().map(|line| line.n));
    assert_eq!(followed, (1..=160).collect::<Vec<u64>>());
}

/// Otherwise, each prompt in a session with ten thousand new sources would add megabytes.
#[test]
fn the_first_entries_left_out_are_named_and_the_rest_counted() {
    let item = |at: usize, level| ItemReceipt {
        block: BlockKind::Notice,
        about: format!("s{at}"),
        level,
        bytes: 0,
        why: Vec::new(),
        rejected: None,
    };
    for (left_out, named, more) in [(0, 0, 0), (1, 1, 0), (100, 100, 0), (101, 100, 1), (9_000, 100, 8_900)] {
        let mut items: Vec<ItemReceipt> = (0..left_out).map(|at| item(at, Level::Count)).collect();
        items.push(item(left_out, Level::Brief));
        let (why, more_left_out) = super::named(&items);
        let receipt = Receipt { why, more_left_out, ..Receipt::new(JournalEvent::Enriched) };
        assert_eq!((receipt.why.len(), receipt.more_left_out, receipt.left_out()), (named + 1, more, left_out));
        assert_eq!(receipt.why.last().map(|it| it.level), Some(Level::Brief));
        assert_eq!(receipt.without_text().left_out(), left_out);
    }
}
