//! `refdesk init` at a terminal shows a list to tick, then the diff, and writes nothing before a yes.

use crate::support::pty::Pty;
use crate::support::workspace::Workspace;

fn world() -> Workspace {
    Workspace::with(&[
        ("docs/kafka.md", "# Kafka\n\nEvents.\n"),
        ("docs/outbox.md", "# Outbox\n\nMessages.\n"),
        ("docs/saga.md", "# Saga\n\nSteps.\n"),
    ])
}

fn start(world: &Workspace, words: &[&str]) -> Pty {
    let words = [&["--workspace", world.path.to_str().unwrap()], words].concat();
    Pty::start_at(&world.beside("home"), &words, 100, 70)
}

#[test]
fn ticking_and_a_yes_write_what_is_ticked() {
    let world = world();
    let mut pty = start(&world, &["init"]);
    pty.wait_for("3 of 3 ticked");
    pty.type_bytes("9\r");
    pty.wait_for("'9' is not a number or range from 1 to 3");
    pty.type_bytes("?\r");
    pty.wait_for("leave without writing anything");
    pty.type_bytes("2-3 3\r");
    pty.wait_for("2 of 3 ticked");
    assert!(pty.text().contains("2 [ ] outbox  Outbox"), "{}", pty.text());
    assert_eq!(pty.text().matches("kafka  Kafka").count(), 1, "what did not change is not shown again");
    pty.type_bytes("\r");
    pty.wait_for("Write 2 files? [y/N]");
    assert!(pty.text().contains("+++ b/.jaato/references/saga.json"), "{}", pty.text());
    assert!(!world.path.join(".jaato").exists(), "nothing is written before the answer");
    pty.type_bytes("y\r");
    pty.wait_for("Build the search index of 2 sources now?");
    pty.type_bytes("n\r");
    pty.wait_for(" index` finds sources by words and by meaning as well; then `refdesk ");
    assert!(pty.text().contains("2 sources added: wrote 2 files in .jaato/references."), "{}", pty.text());
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    assert!(world.path.join(".jaato/references/saga.json").exists());
    assert!(!world.path.join(".jaato/references/outbox.json").exists());
}

#[test]
fn the_index_is_built_by_default_and_left_out_documents_stay_folded() {
    let world = world();
    let mut pty = start(&world, &["init"]);
    for (shown, typed) in [("3 of 3 ticked", "2\r"), ("2 of 3", "\r"), ("Write 2 files?", "y\r"), ("[Y/n]", "\r")] {
        pty.wait_for(shown);
        pty.type_bytes(typed);
    }
    pty.wait_for(" connect` connects your agents.");
    assert!(pty.text().contains("The index has 4 sections: 4 added"), "{}", pty.text());
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
    world.put("docs/ledger.md", b"# Ledger\n\nBookings.\n");
    let mut pty = start(&world, &["init"]);
    pty.wait_for("1 not ticked, 1 in docs/: u shows them");
    assert!(pty.text().contains("1 [x] ledger") && pty.text().contains("1 of 1 ticked"), "{}", pty.text());
    pty.type_bytes("u\r");
    pty.wait_for("2 [ ] outbox");
    pty.type_bytes("q\r");
    pty.wait_for("Nothing was written.");
    assert_eq!(pty.wait_for_exit().exit_code(), 0);
}

#[test]
fn leaving_writes_nothing() {
    const LIST: &str = "3 of 3 ticked";
    for answers in [
        &[(LIST, "q\r")][..],
        &[(LIST, "\x04")],
        &[(LIST, "\r"), ("[y/N]", "n\r")],
        &[(LIST, "\r"), ("[y/N]", "\r")],
        &[(LIST, "n\r"), ("0 of 3 ticked", "\r")],
    ] {
        let world = world();
        let mut pty = start(&world, &["init"]);
        for (shown, typed) in answers {
            pty.wait_for(shown);
            pty.type_bytes(typed);
        }
        pty.wait_for("othing was written");
        assert!(!pty.text().contains("error"), "{answers:?}: {}", pty.text());
        assert!(!pty.text().contains("At a terminal"), "{answers:?}: {}", pty.text());
        assert_eq!(pty.wait_for_exit().exit_code(), 0, "{answers:?}");
        assert!(!world.path.join(".jaato").exists(), "{answers:?}");
        assert!(!world.beside("home/.local/state/refdesk/declined.json").exists(), "{answers:?}");
    }
}

#[test]
fn a_folder_can_be_added_as_one_source_or_as_one_each() {
    for (typed, expected) in [
        (&["each\r"][..], &["kafka.json", "outbox.json", "saga.json"][..]),
        (&["o\r"], &["ws-docs.json"]),
        (&["?\r", "\r", "q\r"], &[]),
        (&["\x04"], &[]),
    ] {
        let world = world();
        world.configure(serde_json::json!({"sources": []}));
        let before = world.listing();
        let mut pty = start(&world, &["add", world.path.join("docs").to_str().unwrap()]);
        for (nth, line) in typed.iter().enumerate() {
            pty.wait_until("the question", |seen| seen.text().replace('\n', "").matches("[each/one/q]").count() > nth);
            pty.type_bytes(line);
        }
        assert_eq!(pty.wait_for_exit().exit_code(), 0);
        for file in expected {
            assert!(world.path.join(".jaato/references").join(file).exists(), "{typed:?} {file}");
        }
        assert_eq!(world.listing() == before, expected.is_empty(), "{typed:?}");
    }
}
