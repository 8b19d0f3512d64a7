//! Requests and answers as files: every way in which a wait can end, and what it leaves behind.

use std::fs;
use std::thread;

use jiff::Timestamp;

use super::super::folder::{self, AnswerStatus, FoundRequests, pending};
use super::super::raise::tests::{asking, asking_for_approval};
use super::super::{Request, Response};
use super::*;
use refdesk_files::write_atomic;
use refdesk_text::Error;
use serde_json::json;

const ID: &str = "0123456789abcdef0123456789abcdef";

struct World {
    _root: tempfile::TempDir,
    files: Files,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        let workspace = fs::canonicalize(root.path()).unwrap();
        let folder = super::super::folder::default_folder(&workspace);
        Self {
            _root: root,
            files: Files { sealer: Sealer::fixed(&workspace), workspace, folder, poll: Duration::from_millis(20) },
        }
    }

    fn ask(
        &self,
        request: &Request,
        wait: &Wait,
        meanwhile: impl FnOnce(&ChannelFolder) + Send,
    ) -> Result<ChannelAnswer, NoAnswer> {
        let folder = &self.files.folder;
        thread::scope(|threads| {
            let other = threads.spawn(move || {
                until(|| pending(folder, Timestamp::now()).pending.len() == 1);
                meanwhile(folder);
            });
            let came = self.files.ask(request, wait);
            other.join().unwrap();
            for part in [REQUESTS, RESPONSES].map(|part| folder.path().join(part)) {
                assert_eq!(fs::read_dir(&part).unwrap().count(), 0, "{}", part.display());
            }
            came
        })
    }
}

fn until(mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(30));
        thread::yield_now();
    }
}

fn response(selected: &[&str], by: &str) -> Response {
    Response {
        request_id: ID.to_owned(),
        selected_ids: selected.iter().map(ToString::to_string).collect(),
        approved: None,
        by: Some(by.to_owned()),
    }
}

/// Answers as another program, without a seal.
fn answer(folder: &ChannelFolder, response: &Response) -> io::Result<AnswerStatus> {
    folder::answer(folder, &response.request_id, &serde_json::to_vec(response).unwrap())
}

fn put(folder: &ChannelFolder, bytes: &[u8]) {
    write_atomic(&folder.path().join(RESPONSES).join(file_of(ID)), bytes).unwrap();
}

#[test]
fn the_first_answer_wins_and_the_second_learns_of_it() {
    let (world, request) = (World::new(), asking(ID, &["a", "b"]));
    let came = world.ask(&request, &Wait::seconds(30.0), |folder| {
        let FoundRequests { pending: waiting, problems, .. } = pending(folder, Timestamp::now());
        assert!(problems.is_empty() && waiting[0].until.is_some());
        assert_eq!(waiting[0].request.sources.len(), 2);
        assert_eq!(answer(folder, &response(&["b", "x"], "one")).unwrap(), AnswerStatus::First);
        // If the requester has already finished, nothing tells who answered first.
        let late = answer(folder, &response(&["a"], "two")).unwrap();
        assert!(matches!(&late, AnswerStatus::Late { by } if by.as_deref().is_none_or(|by| by == "one")), "{late:?}");
    });
    let by = Some("one".to_owned());
    let (selected, unknown) = (vec!["b".to_owned()], vec!["x".to_owned()]);
    let expected = ChannelAnswer { selected, unknown, by, approved: false, is_from_program: true };
    assert_eq!(came, Ok(expected));
    assert_eq!(answer(&world.files.folder, &response(&[], "late")).unwrap(), AnswerStatus::Late { by: None });
    assert_eq!(fs::read_dir(world.files.folder.path().join(RESPONSES)).unwrap().count(), 0);
}

#[test]
fn another_program_can_ask_with_the_contract_fields_only() {
    let world = World::new();
    let folder = &world.files.folder;
    let put = |id: &str| {
        let request = serde_json::json!({
            "request_id": id, "timestamp": "2026-11-22T10:00:00.123456", "context": "which?",
            "sources": [{"id": "a", "name": "A", "description": "", "type": "local", "tags": []}],
        });
        write_atomic(&folder.path().join(REQUESTS).join(file_of(id)), request.to_string().as_bytes()).unwrap();
    };
    put("from-elsewhere");
    // An unlocked file in our naming scheme belongs to a dead requester.
    put(ID);
    let FoundRequests { pending: waiting, problems, .. } = pending(folder, Timestamp::now());
    assert!(problems.is_empty(), "{problems:?}");
    let ids: Vec<&str> = waiting.iter().map(|it| it.request.request_id.as_str()).collect();
    assert_eq!(ids, ["from-elsewhere"]);
    let until = waiting[0].until.unwrap();
    assert!(until > Timestamp::now() && pending(folder, until).pending.is_empty(), "{until}");
    let said = |by| Response { request_id: "from-elsewhere".to_owned(), ..response(&["a"], by) };
    assert_eq!(answer(folder, &said("one")).unwrap(), AnswerStatus::First);
    assert_eq!(answer(folder, &said("two")).unwrap(), AnswerStatus::Late { by: Some("one".to_owned()) });
    assert!(folder.path().join(RESPONSES).join(file_of("from-elsewhere")).exists(), "left for the asker");
}

#[test]
fn one_of_several_concurrent_answers_is_first() {
    for _ in 0..20 {
        let (world, request) = (World::new(), asking(ID, &["a", "b", "c", "d"]));
        let landed = std::sync::Mutex::new(Vec::new());
        let came = world.ask(&request, &Wait::seconds(30.0), |folder| {
            thread::scope(|threads| {
                for id in ["a", "b", "c", "d"] {
                    let landed = &landed;
                    threads.spawn(move || {
                        let how = answer(folder, &response(&[id], id)).unwrap();
                        landed.lock().unwrap().push((id.to_owned(), how));
                    });
                }
            });
        });
        let landed = landed.into_inner().unwrap();
        let first: Vec<&String> =
            landed.iter().filter(|(_, how)| *how == AnswerStatus::First).map(|(id, _)| id).collect();
        assert_eq!(first, came.unwrap().selected.iter().collect::<Vec<_>>(), "{landed:?}");
    }
}

#[test]
fn asker_and_answerer_agree_on_an_answer_at_the_timeout() {
    let (mut taken, mut missed) = (0, 0);
    for round in 0..100_u32 {
        let (world, request) = (World::new(), asking(ID, &["a"]));
        let wait = Wait::until(Instant::now() + Duration::from_micros(u64::from(round) * 60));
        let is_over = std::sync::atomic::AtomicBool::new(false);
        let folder = &world.files.folder;
        let (landed, came) = thread::scope(|threads| {
            let other = threads.spawn(|| {
                let is_asked = || !pending(folder, Timestamp::now()).pending.is_empty();
                until(|| is_asked() || is_over.load(std::sync::atomic::Ordering::Relaxed));
                answer(folder, &response(&["a"], "one")).unwrap()
            });
            let came = world.files.ask(&request, &wait);
            is_over.store(true, std::sync::atomic::Ordering::Relaxed);
            (other.join().unwrap(), came)
        });
        match landed {
            AnswerStatus::First => taken += usize::from(came.as_ref().is_ok_and(|came| came.selected == ["a"])),
            AnswerStatus::Late { .. } => missed += usize::from(came == Err(NoAnswer::TimedOut)),
        }
        assert_eq!(taken + missed, usize::try_from(round).unwrap() + 1, "{landed:?} {came:?}");
        assert!(!folder.path().join(RESPONSES).join(file_of(ID)).exists());
    }
}

#[test]
fn an_approval_is_returned() {
    let (world, request) = (World::new(), asking_for_approval(ID));
    let came = world.ask(&request, &Wait::seconds(30.0), |folder| {
        let yes = Response { approved: Some(true), ..response(&[], "a screen") }.sealed(&request, &world.files.sealer);
        assert_eq!(folder::answer(folder, ID, &yes.unwrap()).unwrap(), AnswerStatus::First);
    });
    assert_eq!(came.map(|came| (came.approved, came.is_from_program)), Ok((true, false)));
}

#[test]
fn an_incomplete_answer_is_waited_for() {
    let whole = br#"{"request_id": "0123456789abcdef0123456789abcdef", "selected_ids": ["a"]}"#;
    for half in [&whole[..0], &whole[..20], &whole[..whole.len() - 1]] {
        let (world, request) = (World::new(), asking(ID, &["a"]));
        let came = world.ask(&request, &Wait::seconds(30.0), |folder| {
            put(folder, half);
            put(folder, whole);
        });
        assert_eq!(came.unwrap().selected, ["a"]);
        let came = world.ask(&request, &Wait::seconds(0.3), |folder| put(folder, half));
        assert!(came.as_ref().is_err_and(NoAnswer::is_late), "{came:?}");
        assert!(matches!(came, Err(NoAnswer::Failed(Error { code: Code::HalfAnswer, .. }))), "{came:?}");
    }
}

#[test]
fn an_invalid_answer_is_reported_at_once() {
    for (bytes, part) in [
        (br#"{"request_id": "another", "selected_ids": []}"#.to_vec(), "'another'"),
        (b"[]".to_vec(), "not an object"),
        (vec![b' '; 1024 * 1024 + 1], "more than 1048576 bytes"),
    ] {
        let (world, request) = (World::new(), asking(ID, &["a"]));
        let came = world.ask(&request, &Wait::seconds(30.0), |folder| put(folder, &bytes));
        let Err(NoAnswer::Failed(Error { code: Code::WrongAnswer, message, .. })) = came else { panic!("{came:?}") };
        assert!(message.contains(part) && message.contains(".jaato/refdesk/ask/responses/"), "{message}");
    }
}

#[test]
fn what_cannot_be_read_or_written_is_named_relative_to_the_workspace() {
    let (world, request) = (World::new(), asking(ID, &["a"]));
    let base = world.files.folder.clone();
    fs::create_dir_all(base.path().join(RESPONSES).join(file_of(ID))).unwrap();
    let came = world.files.ask(&request, &Wait::seconds(30.0));
    let Err(NoAnswer::Failed(Error { message, .. })) = came else { panic!("{came:?}") };
    let expected = format!("the answer cannot be read: .jaato/refdesk/ask/responses/{ID}.json: a folder, not a file");
    assert_eq!(message, expected);
    fs::create_dir_all(base.path().join(REQUESTS).join("x.json")).unwrap();
    let [problem] = &pending(&base, Timestamp::now()).problems[..] else { panic!() };
    assert_eq!(problem.file.as_deref(), Some(".jaato/refdesk/ask/requests/x.json"));
    let workspace = world.files.workspace.clone();
    write_atomic(&workspace.join("notes.txt"), b"x").unwrap();
    let folder = ChannelFolder::new(&workspace, workspace.join("notes.txt"));
    let came = Files { sealer: Sealer::fixed(&workspace), workspace, folder, poll: Duration::from_millis(20) }
        .ask(&request, &Wait::seconds(30.0));
    let Err(NoAnswer::Failed(Error { message, fix, .. })) = came else { panic!("{came:?}") };
    assert!(message.starts_with("the question could not be written: notes.txt: "), "{message}");
    assert_eq!(fix, "set channel.base_path to a writable folder".into());
}

#[test]
fn no_link_is_followed() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    let secret = outside.path().join("secret.json");
    write_atomic(&secret, format!(r#"{{"request_id": "{ID}", "selected_ids": ["a"]}}"#).as_bytes()).unwrap();
    let (world, request) = (World::new(), asking(ID, &["a"]));
    let came = world.ask(&request, &Wait::seconds(30.0), |folder| {
        symlink(&secret, folder.path().join(RESPONSES).join(file_of(ID))).unwrap();
    });
    assert!(matches!(came, Err(NoAnswer::Failed(Error { code: Code::WrongAnswer, .. }))), "{came:?}");
    for linked in ["requests", "responses", "../ask"] {
        let world = World::new();
        let base = &world.files.folder;
        let folder = base.path();
        let link = folder.parent().unwrap().join("ask").join(linked);
        fs::create_dir_all(if linked == "../ask" { folder.parent().unwrap() } else { folder }).unwrap();
        symlink(outside.path(), refdesk_files::path::clean(&link)).unwrap();
        let came = world.files.ask(&request, &Wait::seconds(30.0));
        assert!(matches!(came, Err(NoAnswer::Failed(Error { code: Code::NotAsked, .. }))), "{linked}: {came:?}");
        assert!(base.check().is_err());
        if linked != "../ask" {
            assert!(answer(base, &response(&[], "one")).is_err());
            let found = pending(base, Timestamp::now());
            assert_eq!((found.pending.len(), found.problems.len()), (0, 1));
        }
    }
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn leftovers_of_dead_askers_are_removed_and_other_files_stay() {
    let world = World::new();
    let folder = &world.files.folder;
    let bytes = serde_json::to_vec(&asking(ID, &["a"])).unwrap();
    let dead = folder.path().join(REQUESTS).join(file_of(ID));
    let foreign = folder.path().join(REQUESTS).join(file_of("another-program"));
    write_atomic(&dead, &bytes).unwrap();
    write_atomic(&foreign, &serde_json::to_vec(&asking("another-program", &["a"])).unwrap()).unwrap();
    let half = folder.path().join(REQUESTS).join(".refdesk-half.tmp");
    write_atomic(&half, b"{").unwrap();
    let FoundRequests { pending: waiting, problems, .. } = pending(folder, Timestamp::now());
    let ids: Vec<&str> = waiting.iter().map(|it| it.request.request_id.as_str()).collect();
    assert_eq!((ids, problems), (vec!["another-program"], vec![]));
    assert!(!dead.exists() && !half.exists() && foreign.exists());
    assert_eq!(answer(folder, &response(&[], "one")).unwrap(), AnswerStatus::Late { by: None });
}

/// Another program's file may have come with the repository.
#[test]
fn requests_of_other_programs_are_bounded_and_claim_nothing() {
    let world = World::new();
    let folder = &world.files.folder;
    let put = |id: &str, more: serde_json::Value| {
        let mut request = serde_json::to_value(asking(id, &["a"])).unwrap();
        request.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let path = folder.path().join(REQUESTS).join(file_of(id));
        write_atomic(&path, request.to_string().as_bytes()).unwrap();
        path
    };
    let long = "x".repeat(1024 * 1024 - 1_000);
    put("a-claims", json!({"asker": {"who": "claude-code over mcp", "session": "s"}, "timeout": 1e9}));
    put("b-approval", json!({"approval": {"path": "a.sh", "diff": "+x"}}));
    put("c-huge", json!({"context": "x".repeat(1024 * 1024)}));
    let old = put("d-old", json!({"timeout": 1e12}));
    let month_ago = std::time::SystemTime::now() - std::time::Duration::from_secs(30 * 24 * 60 * 60);
    File::options().append(true).open(old).unwrap().set_modified(month_ago).unwrap();
    (0..10).for_each(|nth| drop(put(&format!("e-{nth}"), json!({"context": long}))));
    let now = Timestamp::now();
    let found = pending(folder, now);
    let problems: Vec<&str> = found.problems.iter().map(|problem| problem.message.as_str()).collect();
    assert_eq!(
        problems,
        [
            "only refdesk itself asks whether a file may be written",
            "the request has more than 1048576 bytes",
            "only 8 of 11 requests are shown; the others wait in .jaato/refdesk/ask",
        ]
    );
    assert_eq!((found.pending.len(), found.unread), (8, 3));
    let claims = &found.pending.iter().find(|it| it.request.request_id == "a-claims").unwrap();
    assert_eq!((claims.request.asker.who.as_str(), claims.request.asker.session.as_str()), ("another program", ""));
    assert!(claims.until.unwrap().duration_since(now) <= jiff::SignedDuration::from_hours(24 * 7));
}

#[test]
fn files_and_modes_of_a_configured_folder_stay() {
    use std::os::unix::fs::PermissionsExt;
    let mut world = World::new();
    let workspace = world.files.workspace.clone();
    world.files.folder = ChannelFolder::new(&workspace, workspace.join("a/fix"));
    let requests = workspace.join("a/fix/requests");
    let theirs = requests.join(file_of(&"f".repeat(32)));
    write_atomic(&theirs, b"{}").unwrap();
    write_atomic(&requests.join(".refdesk-half.tmp"), b"{}").unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH;
    File::options().append(true).open(theirs).unwrap().set_modified(old).unwrap();
    for folder in ["a", "a/fix", "a/fix/requests"] {
        fs::set_permissions(workspace.join(folder), fs::Permissions::from_mode(0o755)).unwrap();
    }
    pending(&world.files.folder, Timestamp::now());
    assert_eq!(world.files.ask(&asking(ID, &["a"]), &Wait::seconds(0.0)), Err(NoAnswer::TimedOut));
    let mode = |path| fs::metadata(workspace.join(path)).unwrap().permissions().mode() & 0o777;
    let modes = ["a", "a/fix", "a/fix/requests", "a/fix/responses"].map(mode);
    assert_eq!(modes, [0o755, 0o755, 0o755, 0o700]);
    assert_eq!(fs::read_dir(requests).unwrap().count(), 2);
}

#[test]
fn a_folder_of_git_or_refdesk_is_refused() {
    use super::super::{ChannelSetup, Place, folder::folders, open};
    use refdesk_core::config::{ChannelKind, ChannelSettings};
    let root = tempfile::tempdir().unwrap();
    let workspace = fs::canonicalize(root.path()).unwrap();
    for (base, code, count) in [
        (".git", Some(Code::ReservedPath), 1),
        ("a/.GIT/x", Some(Code::ReservedPath), 1),
        (".jaato/refdesk", Some(Code::ReservedPath), 1),
        ("x/../.jaato/refdesk/sessions", Some(Code::ReservedPath), 1),
        (".jaato/refdesk/ask/x", Some(Code::ReservedPath), 1),
        ("../x/.git", Some(Code::ReservedPath), 1),
        (".jaato/./refdesk/ask", None, 1),
        ("fix", None, 2),
    ] {
        let base_path = Some(base.to_owned());
        let settings = ChannelSettings { kind: ChannelKind::File, base_path, ..ChannelSettings::default() };
        let environment = refdesk_core::config::Environment(|_| None);
        let setup = ChannelSetup {
            settings,
            workspace: workspace.clone(),
            environment,
            untrusted: None,
            sealer: Sealer::fixed(&workspace),
        };
        let refused = match open(&setup, Place::Protocol) {
            Err(NoAnswer::Failed(error)) => Some(error.code),
            _ => None,
        };
        assert_eq!((refused, folders(&setup).len()), (code, count), "{base}");
    }
    assert_eq!(fs::read_dir(&workspace).unwrap().count(), 0);
}

#[test]
fn locked_rubbish_is_reported_and_expired_requests_are_ignored() {
    let world = World::new();
    let folder = &world.files.folder;
    fs::create_dir_all(folder.path().join(REQUESTS)).unwrap();
    let late = Request { timestamp: "2020-01-01T00:00:00Z".to_owned(), ..asking(ID, &[]) };
    let timeless = "b".repeat(32);
    let held: Vec<File> = [
        ("half", b"{\"request_id\"".to_vec()),
        ("other", serde_json::to_vec(&asking(ID, &[])).unwrap()),
        (
            timeless.as_str(),
            serde_json::to_vec(&Request { timestamp: "now".to_owned(), ..asking(&timeless, &[]) }).unwrap(),
        ),
        ("huge", vec![b' '; 2 * 1024 * 1024]),
        ("..f7", serde_json::to_vec(&asking("..f7", &[])).unwrap()),
        (ID, serde_json::to_vec(&late).unwrap()),
    ]
    .into_iter()
    .map(|(id, bytes)| {
        Folder::root(&folder.path().join(REQUESTS)).unwrap().publish(file_of(id), &bytes, FileMode::Default).unwrap()
    })
    .collect();
    let FoundRequests { pending: waiting, problems, .. } = pending(folder, Timestamp::now());
    assert_eq!(waiting, []);
    let codes: Vec<&str> = problems.iter().map(|problem| problem.code.as_str()).collect();
    assert_eq!(codes, ["wrong-request"; 5], "{problems:#?}");
    drop(held);
}

#[test]
fn requests_beyond_the_limit_are_counted() {
    let (world, outside) = (World::new(), tempfile::tempdir().unwrap());
    let outside = ChannelFolder::new(&world.files.workspace, fs::canonicalize(outside.path()).unwrap());
    let path = outside.path().display().to_string();
    for (folder, place) in [(&world.files.folder, ".jaato/refdesk/ask"), (&outside, path.as_str())] {
        fs::create_dir_all(folder.path().join(REQUESTS)).unwrap();
        let said = format!("only 64 of 80 requests are shown; the others wait in {place}");
        for (ids, unread, said) in [(0..64, 0, None), (64..80, 16, Some(said))] {
            for id in ids.map(|nth| format!("other-{nth}")) {
                let bytes = serde_json::to_vec(&asking(&id, &[])).unwrap();
                write_atomic(&folder.path().join(REQUESTS).join(file_of(&id)), &bytes).unwrap();
            }
            let found = pending(folder, Timestamp::now());
            assert_eq!((found.pending.len(), found.unread), (64, unread));
            let problems: Vec<_> = found.problems.into_iter().map(|problem| (problem.message, problem.file)).collect();
            assert_eq!(problems, Vec::from_iter(said.map(|said| (said, None))), "the number comes first");
        }
    }
}

#[test]
fn a_too_large_request_is_not_created() {
    let (world, mut request) = (World::new(), asking(ID, &["a"]));
    request.context = "x".repeat(17 * 1024 * 1024);
    let came = world.files.ask(&request, &Wait::seconds(30.0));
    let Err(NoAnswer::Failed(Error { code: Code::NotAsked, message, .. })) = came else { panic!("{came:?}") };
    assert!(message.contains("limit of 16777216"), "{message}");
}

#[test]
fn a_cancelled_request_is_removed_at_once() {
    let (world, request) = (World::new(), asking(ID, &["a"]));
    let wait = Wait::seconds(3600.0);
    let other = wait.clone();
    assert_eq!(world.ask(&request, &wait, |_| other.cancel()), Err(NoAnswer::Cancelled));
}

#[test]
fn an_answer_is_found_by_polling_too() {
    let folder = tempfile::tempdir().unwrap();
    let events = FolderEvents::of(&folder.path().join("none"));
    assert!(!events.wait(Duration::from_millis(1)));
    // The answer is written under another name and then renamed.
    let (world, request) = (World::new(), asking(ID, &["a"]));
    let came = world.ask(&request, &Wait::seconds(30.0), |folder| {
        let beside = folder.path().join(RESPONSES).join("beside");
        write_atomic(&beside, &serde_json::to_vec(&response(&["a"], "x")).unwrap()).unwrap();
        fs::rename(&beside, folder.path().join(RESPONSES).join(file_of(ID))).unwrap();
    });
    assert_eq!(came.unwrap().selected, ["a"]);
}
