//! Template files when desks appear and disappear, when the user changes files, and when a writer is killed.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use super::{OnBehalfOf, TemplateFile, Written};
use crate::session::Store;
use refdesk_core::selection::Choice;
use refdesk_files::name::sha256_hex;
use refdesk_files::{Sealer, write_atomic};

fn clock() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_800_000_000)
}

fn files(files: &[(&str, &str)]) -> Vec<TemplateFile> {
    let file = |(name, text): &(&str, &str)| TemplateFile {
        name: (*name).to_owned(),
        text: (*text).into(),
        hash: sha256_hex(text.as_bytes()),
    };
    files.iter().map(file).collect()
}

/// Files written, kept and removed, and the number of diagnostics.
type Outcome<'a> = (Vec<&'a str>, Vec<&'a str>, Vec<&'a str>, usize);

fn outcome(done: &Written) -> Outcome<'_> {
    fn names(names: &[String]) -> Vec<&str> {
        names.iter().map(String::as_str).collect()
    }
    (names(&done.written), names(&done.kept), names(&done.removed), done.diagnostics.len())
}

fn update_files(workspace: &Path, desk: &str, wanted: &[(&str, &str)]) -> Written {
    Store::new(workspace, desk, clock)
        .sealed_by(Sealer::fixed(workspace))
        .write_templates(&files(wanted), OnBehalfOf::Desk { choice: &Choice::default(), index: None })
}

fn text(workspace: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(workspace.join(".jaato/templates").join(name)).ok()
}

#[test]
fn files_follow_the_desk() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    assert_eq!(outcome(&update_files(root, "default", &[])), (vec![], vec![], vec![], 0));
    assert!(!root.join(".jaato").exists(), "nothing to write, no folder");
    let done = update_files(root, "default", &[("a.tmpl", "1"), ("b.tmpl", "2")]);
    assert_eq!(outcome(&done), (vec!["a.tmpl", "b.tmpl"], vec![], vec![], 0));
    let done = update_files(root, "default", &[("a.tmpl", "1"), ("b.tmpl", "3")]);
    assert_eq!(outcome(&done), (vec!["b.tmpl"], vec!["a.tmpl"], vec![], 0));
    let done = update_files(root, "default", &[("b.tmpl", "3")]);
    assert_eq!(outcome(&done), (vec![], vec!["b.tmpl"], vec!["a.tmpl"], 0));
    assert_eq!((text(root, "a.tmpl"), text(root, "b.tmpl").as_deref()), (None, Some("3")));
    std::fs::remove_file(root.join(".jaato/templates/b.tmpl")).unwrap();
    assert_eq!(
        outcome(&update_files(root, "default", &[("b.tmpl", "3")])).0,
        ["b.tmpl"],
        "a removed file is written again"
    );
}

#[test]
fn git_ignores_the_files_unless_the_user_has_other_rules() {
    for kept in [None, Some("mine\n")] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        if let Some(kept) = kept {
            write_atomic(&root.join(".jaato/templates/.gitignore"), kept.as_bytes()).unwrap();
        }
        update_files(root, "default", &[("a.tmpl", "1")]);
        let expected = kept.unwrap_or("/.gitignore\n/index.json\n/*.tmpl\n");
        assert_eq!(text(root, ".gitignore").as_deref(), Some(expected));
    }
}

#[test]
fn a_superseded_write_is_skipped() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let store = Store::new(root, "default", clock).sealed_by(Sealer::fixed(root));
    store
        .change(
            &crate::Session::of_client("a test"),
            &crate::session::StoredSelection::default(),
            crate::session::NewPicks::Person(&[]),
            |choice| choice.pick("a"),
        )
        .unwrap();
    assert!(update_files(root, "default", &[("a.tmpl", "1")]).superseded, "the choice is no longer the stored one");
    assert!(!root.join(".jaato/templates").exists());
    let (stored, _) = store.choice();
    let choice = &stored.unwrap().choice;
    let done = store.write_templates(&files(&[("a.tmpl", "1")]), OnBehalfOf::Desk { choice, index: None });
    assert_eq!(outcome(&done).0, ["a.tmpl"]);
}

#[test]
fn a_file_stays_while_one_desk_provides_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    update_files(root, "default", &[("a.tmpl", "1")]);
    assert_eq!(outcome(&update_files(root, "review", &[("a.tmpl", "1")])).1, ["a.tmpl"]);
    assert_eq!(outcome(&update_files(root, "default", &[])), (vec![], vec![], vec![], 0));
    assert_eq!(outcome(&update_files(root, "review", &[])).2, ["a.tmpl"]);
}

#[test]
fn the_default_desk_wins_a_shared_name() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    update_files(root, "review", &[("a.tmpl", "theirs")]);
    assert_eq!(outcome(&update_files(root, "other", &[("a.tmpl", "other")])), (vec![], vec![], vec![], 1));
    assert_eq!(text(root, "a.tmpl").as_deref(), Some("theirs"));
    assert_eq!(outcome(&update_files(root, "default", &[("a.tmpl", "ours")])).0, ["a.tmpl"]);
    let done = update_files(root, "review", &[("a.tmpl", "theirs")]);
    assert_eq!((outcome(&done), text(root, "a.tmpl").as_deref()), ((vec![], vec![], vec![], 1), Some("ours")));
    update_files(root, "default", &[]);
    assert_eq!(outcome(&update_files(root, "review", &[("a.tmpl", "theirs")])).0, ["a.tmpl"]);
}

#[test]
fn files_made_or_changed_by_the_user_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let put =
        |name: &str, text: &str| write_atomic(&root.join(".jaato/templates").join(name), text.as_bytes()).unwrap();
    put("made.tmpl", "by hand");
    put("same.tmpl", "1");
    let wanted = [("made.tmpl", "1"), ("same.tmpl", "1"), ("ours.tmpl", "1"), ("gone.tmpl", "1")];
    assert_eq!(
        outcome(&update_files(root, "default", &wanted)),
        (vec!["ours.tmpl", "gone.tmpl"], vec!["same.tmpl"], vec![], 1)
    );
    put("ours.tmpl", "changed");
    put("gone.tmpl", "changed");
    let done = update_files(root, "default", &[("ours.tmpl", "2")]);
    assert_eq!(outcome(&done), (vec![], vec![], vec![], 2), "{:?}", done.diagnostics);
    update_files(root, "default", &[]);
    for (name, expected) in
        [("made.tmpl", "by hand"), ("same.tmpl", "1"), ("ours.tmpl", "changed"), ("gone.tmpl", "changed")]
    {
        assert_eq!(text(root, name).as_deref(), Some(expected), "{name}");
    }
    assert!(update_files(root, "default", &[]).diagnostics.is_empty(), "told once");
}

#[test]
fn requested_files_stay_until_the_user_removes_them() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let store = Store::new(root, "default", clock).sealed_by(Sealer::fixed(root));
    assert_eq!(outcome(&store.write_templates(&files(&[("a.tmpl", "1")]), OnBehalfOf::Person)).0, ["a.tmpl"]);
    update_files(root, "default", &[("a.tmpl", "1")]);
    assert_eq!(outcome(&update_files(root, "default", &[])), (vec![], vec![], vec![], 0));
    assert_eq!(outcome(&store.write_templates(&files(&[("a.tmpl", "2")]), OnBehalfOf::Person)).0, ["a.tmpl"]);
    assert_eq!(text(root, "a.tmpl").as_deref(), Some("2"));
}

#[test]
fn files_from_tool_results_overwrite_nothing_and_expire() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let store = Store::new(root, "default", clock).sealed_by(Sealer::fixed(root));
    let take = |wanted: &[(&str, &str)]| store.write_templates(&files(wanted), OnBehalfOf::ToolResult);
    write_atomic(&root.join(".jaato/templates/mine.tmpl"), b"1").unwrap();
    update_files(root, "review", &[("theirs.tmpl", "1")]);
    let wanted = [("a.tmpl", "1"), ("b.tmpl", "1"), ("mine.tmpl", "1"), ("theirs.tmpl", "1")];
    assert_eq!(outcome(&take(&wanted)), (vec!["a.tmpl", "b.tmpl"], vec![], vec![], 2));
    assert_eq!(outcome(&take(&wanted[..2])), (vec![], vec!["a.tmpl", "b.tmpl"], vec![], 0));
    let taken = || store.tool_result_templates().into_iter().map(|taken| taken.name).collect::<Vec<_>>();
    assert_eq!(taken(), ["a.tmpl", "b.tmpl"]);
    update_files(root, "default", &[("b.tmpl", "1")]);
    assert_eq!(outcome(&update_files(root, "default", &[])).2, Vec::<&str>::new(), "a tool result's template stays");
    let age = |name: &str, days: u64| {
        let file = std::fs::File::options().append(true).open(root.join(".jaato/templates").join(name)).unwrap();
        file.set_modified(clock() - Duration::from_secs(days * 24 * 60 * 60)).unwrap();
    };
    age("a.tmpl", 29);
    age("b.tmpl", 31);
    age("mine.tmpl", 31);
    assert_eq!(outcome(&take(&[("c.tmpl", "1")])), (vec!["c.tmpl"], vec![], vec!["b.tmpl"], 0));
    assert_eq!((taken(), text(root, "mine.tmpl").as_deref()), (vec!["a.tmpl".into(), "c.tmpl".into()], Some("1")));
    write_atomic(&root.join(".jaato/templates/c.tmpl"), b"changed").unwrap();
    assert_eq!(taken(), ["a.tmpl"], "an edited file belongs to the person");
    assert_eq!(outcome(&take(&[("c.tmpl", "1")])).3, 1);
    assert_eq!(text(root, "c.tmpl").as_deref(), Some("changed"));
}

#[test]
fn a_tool_results_file_with_other_content_of_a_desk_is_the_desks() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let store = Store::new(root, "default", clock).sealed_by(Sealer::fixed(root));
    let take = |wanted: &[(&str, &str)]| store.write_templates(&files(wanted), OnBehalfOf::ToolResult);
    for (by_desk, is_taken) in [("page", true), ("selected", false)] {
        take(&[("a.tmpl", "page")]);
        update_files(root, "default", &[("a.tmpl", by_desk)]);
        assert_eq!(outcome(&take(&[("a.tmpl", "next page")])).3, 1, "a file of a desk is not overwritten");
        assert_eq!(text(root, "a.tmpl").as_deref(), Some(by_desk));
        assert_eq!(outcome(&take(&[("a.tmpl", "page")])).3, usize::from(!is_taken));
        assert_eq!(!store.tool_result_templates().is_empty(), is_taken, "{by_desk}");
        update_files(root, "default", &[]);
        assert_eq!(text(root, "a.tmpl").is_some(), is_taken, "{by_desk}");
    }
}

#[test]
fn files_of_a_killed_writer_are_still_ours() {
    let record = |root: &Path, hashes: &[&str], desks: &[&str]| {
        let hashes: Vec<String> = hashes.iter().map(|text| sha256_hex(text.as_bytes())).collect();
        let record = json!({"files": {"a.tmpl": {"sha256": hashes, "desks": desks}}}).to_string();
        let record = Sealer::fixed(root).key().unwrap().sealed("templates.json", record.as_bytes());
        write_atomic(&root.join(".jaato/refdesk/templates.json"), &record).unwrap();
    };
    // Killed before writing the file, before the second record, or by a crash that left the file empty.
    for (noted, there) in [(&["1", "2"][..], "1"), (&["1", "2"], "2"), (&["2"], "")] {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        record(root, noted, &["default"]);
        write_atomic(&root.join(".jaato/templates/a.tmpl"), there.as_bytes()).unwrap();
        write_atomic(&root.join(".jaato/templates/.refdesk-x.tmp"), b"half").unwrap();
        let done = update_files(root, "default", &[("a.tmpl", "3")]);
        assert_eq!(outcome(&done), (vec!["a.tmpl"], vec![], vec![], 0), "{noted:?} {there}");
        assert_eq!(
            std::fs::read_dir(root.join(".jaato/templates")).unwrap().count(),
            2,
            "unfinished files are removed; .gitignore is new"
        );
        assert_eq!(outcome(&update_files(root, "default", &[])).2, ["a.tmpl"]);
        // Killed before removing it.
        write_atomic(&root.join(".jaato/templates/a.tmpl"), b"3").unwrap();
        record(root, &["3"], &[]);
        assert_eq!(outcome(&update_files(root, "review", &[])).2, ["a.tmpl"]);
    }
}

#[test]
fn the_index_is_written_when_something_but_its_time_differs() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let file = root.join(".jaato/templates/index.json");
    let index = |text: &str| json!({"T.tpl": {"name": "T.tpl", "syntax": text}}).as_object().unwrap().clone();
    let write = |listing: &serde_json::Map<String, serde_json::Value>, clock| {
        let by = OnBehalfOf::Desk { choice: &Choice::default(), index: Some(listing) };
        Store::new(root, "default", clock).sealed_by(Sealer::fixed(root)).write_templates(&[], by)
    };
    write(&index("jinja2"), clock);
    let first: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!((&first["generated_at"], &first["template_count"]), (&json!("2027-01-15T08:00:00Z"), &json!(1)));
    let later = || clock() + Duration::from_secs(60);
    write(&index("jinja2"), later);
    assert_eq!(std::fs::read(&file).unwrap(), format!("{first:#}\n").as_bytes());
    write(&index("mustache"), later);
    let second: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!(second["generated_at"], "2027-01-15T08:01:00Z");
    write(&serde_json::Map::new(), later);
    let last: serde_json::Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    assert_eq!((&last["template_count"], &last["templates"]), (&json!(0), &json!({})));
    write_atomic(&file, b"notes of mine").unwrap();
    assert_eq!(write(&index("jinja2"), later).diagnostics.len(), 1);
    assert_eq!(std::fs::read(&file).unwrap(), b"notes of mine");
}
