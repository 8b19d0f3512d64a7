//! Profiles through the engine: the list, the diff, the switch as one change, and a desk with an active profile.

use std::collections::BTreeSet;

use refdesk_desk::engine::{Request, Response, Snapshot};
use refdesk_desk::{Desk, Options};
use refdesk_text::Code;

use super::world::{LONG, World, options, session};

const PROFILE: &str = r#"{"plugin_configs": {"references": {"preselected": ["a", "nobody"], "exclude_tools": ["x"],
    "sources": ["a", "b", {"id": "own", "name": "Own", "type": "inline", "content": ""}]}}}"#;

fn members(snapshot: &Snapshot) -> Vec<String> {
    snapshot.selection.members().iter().map(|member| member.id.to_string()).collect()
}

#[test]
fn a_switch_does_what_its_diff_showed_as_one_change() {
    let mut world = World::new();
    world.write(".jaato/profiles/p.json", PROFILE);
    let file = world.at(".jaato/profiles/p.json");
    world.send(Request::pick("c"));
    world.send(Request::pick("kit"));
    world.until("two are picked", |now| now.selection.members().len() == 2);
    let Response::Profiles { profiles, .. } = world.ask(Request::ListProfiles) else { panic!() };
    assert_eq!((profiles.len(), profiles[0].missing.clone()), (1, vec!["nobody".to_owned()]));
    let Response::ProfileCompared(Ok(switch)) = world.ask(Request::CompareProfile(file.clone())) else { panic!() };
    assert_eq!(
        (switch.picked.clone(), switch.unpicked.clone()),
        (vec!["a".to_owned()], vec!["c".into(), "kit".into()])
    );
    assert_eq!((switch.pulled_in.clone(), switch.released.clone()), (vec!["b".into()], vec![]));
    assert_eq!(switch.missing, ["nobody"]);
    assert_eq!(switch.stays.len(), 3, "{:?}", switch.stays);
    world.until("the top line says the same", |now| now.agent_tokens() == switch.tokens_before);
    world.send(Request::SwitchProfile { file, shown: switch.clone() });
    world.until("a and b are selected, at that price", |now| {
        members(now) == ["a", "b"] && now.agent_tokens() == switch.tokens_after
    });
    world.send(Request::Undo);
    world.until("it is taken back at once", |now| members(now) == ["c", "kit"]);
    let desk = Desk::open(options(&world.workspace));
    let mut reasons = Vec::new();
    desk.each_line(|line| reasons.push(line.receipt.reason)).unwrap();
    assert!(reasons.iter().any(|reason| reason == "switched to the profile p"), "{reasons:?}");
}

#[test]
fn a_diff_says_which_unpicked_sources_stay_because_others_pull_them_in() {
    let mut world = World::new();
    world.write(".jaato/profiles/p.json", PROFILE);
    let file = world.at(".jaato/profiles/p.json");
    world.send(Request::pick("b"));
    world.send(Request::pick("c"));
    world.until("two are picked", |now| now.selection.members().len() == 2);
    let Response::ProfileCompared(Ok(switch)) = world.ask(Request::CompareProfile(file)) else { panic!() };
    assert_eq!((switch.unpicked, switch.still_pulled_in), (vec!["b".into(), "c".into()], vec!["b".to_owned()]));
}

#[test]
fn a_desk_under_a_profile_picks_in_memory_and_watches_its_files() {
    let world = World::new();
    world.write(".jaato/profiles/p.json", r#"{"plugin_configs": {"references": {"preselected": ["c"]}}}"#);
    let file = world.at(".jaato/profiles/p.json");
    let under = Options { profile: Some(file), is_long_running: true, ..options(&world.workspace) };
    let mut desk = Desk::open(under);
    let picks = |desk: &Desk| desk.choice().picks.clone();
    assert_eq!((picks(&desk), desk.name()), (vec!["c".to_owned()], "profile-p"));
    desk.pick(&session(), &["a".to_owned()], &[]).unwrap();
    desk.reread_choice();
    assert_eq!(picks(&desk), ["c", "a"]);
    assert!(desk.selection().contains("b"), "what it brings is known");
    Desk::open(options(&world.workspace)).exclude(&session(), &["b".to_owned()]).unwrap();
    desk.reread_choice();
    assert!(!desk.selection().contains("b"), "what the shared desk excludes goes");
    world.write(".jaato/profiles/p.json", r#"{"plugin_configs": {"references": {"preselected": ["kit"]}}}"#);
    desk.reload();
    assert_eq!(picks(&desk), ["a", "kit"], "what came of the profile goes with it, what was picked here stays");
    desk.unpick(&session(), &["kit".to_owned()]).unwrap();
    world.write(".jaato/profiles/p.json", "{");
    desk.reload();
    assert_eq!(picks(&desk), ["a"], "one that cannot be read any more stays what it was");
    assert!(desk.diagnostics().iter().any(|problem| problem.code == Code::JsonSyntax));
    desk.undo(&session()).unwrap();
    assert_eq!(picks(&desk), ["a", "kit"]);
    assert!(!world.at(".jaato/refdesk/desks").exists());
    assert_eq!(Desk::open(options(&world.workspace)).choice().picks, Vec::<String>::new());
}

#[test]
fn a_switch_names_the_files_that_it_writes_and_removes() {
    let world = World::of(&[
        (
            "references.json",
            r#"{"sources": [
                {"id": "guide", "name": "Guide", "path": "guide.md"},
                {"id": "other", "name": "Other", "path": "other.md"}
            ]}"#,
        ),
        ("guide.md", "# Guide\n\n```java\nclass {{ Name }} {}\n```\n"),
        ("other.md", "# Other\n\n```\n{{ x }}\n```\n"),
        (".jaato/profiles/p.json", r#"{"plugin_configs": {"references": {"preselected": ["other"]}}}"#),
        (".jaato/profiles/none.json", r#"{"plugin_configs": {"references": {"preselected": []}}}"#),
    ]);
    let folder = |names: &[&str]| names.iter().map(|name| format!(".jaato/templates/{name}")).collect::<BTreeSet<_>>();
    let index = ".jaato/templates/index.json".to_owned();
    let mut there = folder(&["guide.java.tmpl", "index.json"]);
    world.send(Request::pick("guide"));
    until_files(&world, &there);
    for (profile, removed) in [("p", "guide.java.tmpl"), ("none", "other.tmpl")] {
        let file = world.at(&format!(".jaato/profiles/{profile}.json"));
        let Response::ProfileCompared(Ok(switch)) = world.ask(Request::CompareProfile(file.clone())) else { panic!() };
        assert_eq!(switch.writes[0], ".jaato/refdesk/selection.json");
        assert!(switch.writes.contains(&index), "{switch:?}");
        assert_eq!(switch.removes, folder(&[removed]).into_iter().collect::<Vec<_>>());
        let written = switch.writes.iter().filter(|name| name.starts_with(".jaato/templates/"));
        there.extend(written.cloned());
        there.retain(|name| !switch.removes.contains(name));
        world.send(Request::SwitchProfile { file, shown: switch });
        until_files(&world, &there);
    }
}

/// Waits until the templates folder has exactly these files.
fn until_files(world: &World, wanted: &BTreeSet<String>) {
    let began = std::time::Instant::now();
    loop {
        // The engine writes files when no request is waiting.
        world.ask(Request::Index);
        let entries = std::fs::read_dir(world.at(".jaato/templates")).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let names: BTreeSet<String> =
            names.filter(|name| !name.starts_with('.')).map(|name| format!(".jaato/templates/{name}")).collect();
        if names == *wanted {
            return;
        }
        assert!(began.elapsed() < LONG, "{names:?} instead of {wanted:?}");
    }
}

#[test]
fn the_list_and_the_difference_agree_on_the_price() {
    let world = World::new();
    world.write(".jaato/profiles/narrow.json", PROFILE);
    let flat = r#"{"plugin_configs": {"references": {"preselected": ["a"], "transitive_injection": false}}}"#;
    world.write(".jaato/profiles/flat.json", flat);
    world.write(".jaato/profiles/whole.json", r#"{"plugin_configs": {"references": {"preselected": ["a", "c"]}}}"#);
    let Response::Profiles { profiles, .. } = world.ask(Request::ListProfiles) else { panic!() };
    assert_eq!(profiles.len(), 3);
    for profile in profiles {
        let Response::ProfileCompared(Ok(switch)) = world.ask(Request::CompareProfile(profile.file.clone())) else {
            panic!()
        };
        assert_eq!((profile.tokens, &profile.name), (switch.tokens_after, &switch.name));
        // Nothing is picked now, so the diff consists of what the profile adds.
        let picks: Vec<String> = profile.picks.iter().map(ToString::to_string).collect();
        assert_eq!((picks, profile.transitive.clone()), (switch.picked, switch.pulled_in), "{}", profile.name);
    }
}

#[test]
fn the_list_of_profiles_counts_as_the_screen_does_after_a_switch() {
    let mut world = World::of(&[
        (
            "references.json",
            r#"{"sources": [
                {"id": "guide", "name": "Guide", "path": "guide.md"},
                {"id": "part", "name": "Part", "path": "part.md"},
                {"id": "rules", "name": "Rules", "path": "rules.md", "mode": "auto"},
                {"id": "lost", "name": "Lost", "path": "lost.md"}
            ]}"#,
        ),
        ("guide.md", "See part.md, rules.md, @rules, @part and @lost.\n"),
        ("part.md", "A part.\n"),
        ("rules.md", "Rules that every session gets.\n"),
        (".jaato/profiles/p.json", r#"{"plugin_configs": {"references": {"preselected": ["guide"]}}}"#),
    ]);
    let file = world.at(".jaato/profiles/p.json");
    let Response::ProfileCompared(Ok(switch)) = world.ask(Request::CompareProfile(file.clone())) else { panic!() };
    let Response::Profiles { profiles, .. } = world.ask(Request::ListProfiles) else { panic!() };
    // Missing sources are pulled in and shown as such. Sources of mode auto do not count as pulled in.
    let pulled_in = vec!["part".into(), "lost".into()];
    assert_eq!((&switch.pulled_in, &profiles[0].transitive), (&pulled_in, &pulled_in));
    assert_eq!(profiles[0].auto, ["rules".into()]);
    // The file came with the repository: if it changes after the diff was shown, the switch is refused.
    let other = r#"{"plugin_configs": {"references": {"preselected": ["part"]}}}"#;
    let (before, shown) = (std::fs::read_to_string(&file).unwrap(), switch.clone());
    world.write(".jaato/profiles/p.json", other);
    let refused = world.refused(Request::SwitchProfile { file: file.clone(), shown: shown.clone() });
    assert!(refused.contains("it was not applied"), "{refused}");
    world.write(".jaato/profiles/p.json", &before);
    world.send(Request::SwitchProfile { file, shown });
    let after = world.until("it is switched to", |now| now.selection.is_picked("guide"));
    let paid = after.agent_tokens();
    assert_eq!((switch.tokens_after, profiles[0].tokens), (paid, paid));
}
