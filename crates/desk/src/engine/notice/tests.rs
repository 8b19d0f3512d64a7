//! Table tests for the notices between two snapshots.

use super::words::cut;
use super::*;
use refdesk_core::catalog::testing::inline;
use refdesk_core::catalog::{Catalog, LocalPath, Mode, PathState, Source, SourceKind};
use refdesk_core::mention::{Mention, MentionGraph, MentionKind};
use refdesk_core::selection::{Choice, ExpansionRules, select};
use refdesk_files::Stamp;
use refdesk_templates::{
    Syntax, Template, TemplateIndex, TemplateOrigin, TextForNumber, ValueType, Variable, VariableKind,
};
use refdesk_text::Code;
use refdesk_text::report::{Diagnostic, Position};

/// A snapshot. `a>b` adds a mention of `b` to the text of `a`.
fn snapshot(sources: &[&str], mentions: &[&str], picks: &[&str], exclusions: &[&str]) -> Snapshot {
    let catalog = Catalog::new(sources.iter().map(|id| inline(id, "")).collect());
    let mut graph = MentionGraph::default();
    for id in sources {
        let of = mentions.iter().filter_map(|it| it.split_once('>')).filter(|(from, _)| from == id);
        let mention = |(line, (from, to)): (usize, (&str, &str))| Mention {
            from: from.into(),
            to: to.into(),
            via: MentionKind::Id,
            file: Arc::from(std::path::Path::new("/w/docs").join(format!("{from}.md"))),
            line: line + 1,
        };
        graph.insert((*id).into(), of.enumerate().map(mention).collect());
    }
    let owned = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
    let choice = Choice { picks: owned(picks), exclusions: owned(exclusions), ..Choice::default() };
    let selection = select(&choice, &catalog, &graph, ExpansionRules::default());
    let workspace = Arc::from("/w");
    Snapshot {
        workspace,
        catalog: Arc::new(catalog),
        graph: Arc::new(graph),
        selection: Arc::new(selection),
        ..Snapshot::default()
    }
}

fn reported(before: &Snapshot, after: &Snapshot) -> Vec<String> {
    let other = Actor::Other(Arc::from("refdesk select"));
    let line = |it: Notice| format!("{}: {} [{}]", it.who.word(), it.text, it.reason);
    notices(before, after, &ChangeOrigin::Choice(other.clone())).into_iter().map(line).collect()
}

#[test]
fn messages_about_changes() {
    let all = ["a", "b", "c", "d", "e"];
    let chain = ["a>b", "b>c"];
    let by = |mentions: &[&str], picks: &[&str], exclusions: &[&str]| snapshot(&all, mentions, picks, exclusions);
    for (before, after, expected) in [
        (by(&chain, &["a"], &[]), by(&chain, &["a"], &[]), vec![]),
        (
            by(&chain, &[], &[]),
            by(&chain, &["a"], &[]),
            vec![
                "refdesk select: Picked @a []",
                "refdesk select: References transitively included: @b (from @a), @c (from @b) []",
            ],
        ),
        (
            by(&chain, &["a"], &[]),
            by(&chain, &["a"], &["b"]),
            vec!["refdesk select: Excluded @b []", "refdesk select: Also left the selection: @c []"],
        ),
        (
            by(&chain, &["a"], &["b"]),
            by(&chain, &["a"], &[]),
            vec![
                "refdesk select: No longer excluded: @b []",
                "refdesk select: References transitively included: @c (from @b) []",
            ],
        ),
        (
            by(&["a>b"], &["a"], &[]),
            by(&["a>b", "a>c"], &["a"], &[]),
            vec!["files: @a now mentions @c: pulled in [docs/a.md:2]"],
        ),
        (
            by(&chain, &["a"], &[]),
            by(&["b>c"], &["a"], &[]),
            vec!["files: @a no longer mentions @b: it left the selection []", "files: @c left with @b []"],
        ),
        (
            by(&[], &["a"], &[]),
            by(&["a>b", "a>c", "a>d", "a>e"], &["a"], &[]),
            vec!["files: References transitively included: @b (from @a), @c (from @a), @d (from @a), +1 more []"],
        ),
        (
            snapshot(&["a"], &[], &[], &[]),
            snapshot(&["b"], &[], &[], &[]),
            vec!["files: New in the catalog: @b []", "files: Gone from the catalog: @a []"],
        ),
    ] {
        assert_eq!(reported(&before, &after), expected);
    }
}

#[test]
fn auto_sources_are_sent_before_and_after_a_choice() {
    let by = |picks: &[&str], exclusions: &[&str]| {
        let snapshot = snapshot(&["a", "b", "c"], &["a>b", "a>c"], picks, exclusions);
        let auto = |source: &Source| {
            let mode = if source.id.as_str() == "c" { Mode::Auto } else { source.mode };
            Source { mode, ..source.clone() }
        };
        let catalog = Arc::new(Catalog::new(snapshot.catalog.sources().iter().map(auto).collect()));
        Snapshot { catalog, tokens: Arc::new([("b".into(), 1200), ("c".into(), 34)].into()), ..snapshot }
    };
    let (with, without) = (by(&["a"], &[]), by(&[], &[]));
    for (before, after, expected) in [
        (&without, &with, "refdesk select: References transitively included: @b (from @a) [~1,200 tokens]"),
        (&with, &without, "refdesk select: Also left the selection: @b [~1,200 tokens]"),
    ] {
        assert_eq!(reported(before, after)[1..], [expected]);
        let named = vec!["a".to_owned()];
        let cause = ChangeOrigin::Retraced { text: "Undone".to_owned(), named };
        let undone = notices(before, after, &cause).pop().unwrap();
        assert!(undone.reason.ends_with("with it: @b, ~1,200 tokens"), "{}", undone.reason);
    }
}

#[test]
fn more_than_three_are_cut() {
    let names: Vec<String> = ["a", "b", "c", "d", "e"].map(str::to_owned).into();
    assert_eq!(cut(&names[..3]), "a, b, c");
    assert_eq!(cut(&names), "a, b, c, +2 more");
}

#[test]
fn removed_sources_and_missing_files() {
    let chain = ["a>b"];
    let whole = || snapshot(&["a", "b"], &chain, &["a"], &[]);
    let in_a_file = |mentions: &[&str], standing| {
        let snapshot = snapshot(&["a", "b"], mentions, &["a"], &[]);
        let sources = snapshot.catalog.sources().iter().cloned();
        let sources = sources.map(|source| if source.id.as_str() == "a" { local(source, standing) } else { source });
        Snapshot { catalog: Arc::new(Catalog::new(sources.collect())), ..snapshot }
    };
    for (before, after, expected) in [
        (
            in_a_file(&chain, PathState::File),
            in_a_file(&[], PathState::Missing),
            vec!["files: Now missing: @a []", "files: @b left with @a, whose file is missing []"],
        ),
        (
            whole(),
            snapshot(&["b"], &[], &["a"], &[]),
            vec!["files: @b left with @a []", "files: @a is gone from the catalog: its pick is dormant []"],
        ),
        (
            snapshot(&["b"], &[], &["a"], &[]),
            whole(),
            vec!["files: @a now mentions @b: pulled in [docs/a.md:1]", "files: @a is back: its pick counts again []"],
        ),
        (
            snapshot(&["a", "b", "c", "d"], &[], &["a", "b", "c", "d"], &[]),
            snapshot(&["a"], &[], &["a", "b", "c", "d"], &[]),
            vec!["files: @b, @c, @d are gone from the catalog: their picks are dormant []"],
        ),
        (
            whole(),
            snapshot(&["b"], &[], &[], &[]),
            vec![
                "files: Gone from the catalog: @a []",
                "refdesk select: Unpicked @a []",
                "refdesk select: Also left the selection: @b []",
            ],
        ),
    ] {
        assert_eq!(reported(&before, &after), expected);
    }
}

fn local(source: Source, state: PathState) -> Source {
    let path: Arc<std::path::Path> = std::path::Path::new("/w/docs/a.md").into();
    let place = LocalPath { written: "docs/a.md".into(), path: path.clone(), resolved: path, state, size: None };
    Source { kind: SourceKind::Local(place), ..source }
}

#[test]
fn an_undone_change_is_one_notice() {
    let all = ["a", "b", "c"];
    let mut with = snapshot(&all, &["a>b", "b>c"], &["a"], &[]);
    with.tokens = Arc::new([("b".into(), 1200), ("c".into(), 34)].into());
    let without = snapshot(&all, &["a>b", "b>c"], &[], &[]);
    let other = snapshot(&all, &["a>b", "b>c"], &["c"], &[]);
    for (before, after, named, expected) in [
        (&with, &without, vec!["a"], "you: Undone [left with it: @b, @c, ~1,234 tokens]"),
        (&without, &with, vec!["a"], "you: Undone [came with it: @b, @c, ~1,234 tokens]"),
        (&with, &other, vec!["a", "c"], "you: Undone [left with it: @b, ~1,200 tokens]"),
        (&without, &other, vec!["c"], "you: Undone []"),
    ] {
        let named = named.into_iter().map(str::to_owned).collect();
        let cause = ChangeOrigin::Retraced { text: "Undone".to_owned(), named };
        let reported: Vec<String> = notices(before, after, &cause)
            .into_iter()
            .map(|it| format!("{}: {} [{}]", it.who.word(), it.text, it.reason))
            .collect();
        assert_eq!(reported, [expected]);
    }
    // No choice changed: an edit is the cause.
    let cause = ChangeOrigin::Retraced { text: "Undone".to_owned(), named: Vec::new() };
    let reported = notices(&with, &snapshot(&all, &["a>b"], &["a"], &[]), &cause);
    assert_eq!(
        reported.first().map(|it| (&it.who, it.text.as_str())),
        Some((&Actor::Files, "@b no longer mentions @c: it left the selection"))
    );
}

/// A template: name, size, variables, problem.
fn template((name, size, variables, problem): (&str, u64, &str, &str)) -> Template {
    let variable = |name: &str| Variable {
        name: name.to_owned(),
        kind: VariableKind::Scalar,
        value_type: ValueType::default(),
        text_for_number: TextForNumber::default(),
        is_looped_over: false,
        is_whole: false,
        optional: false,
        fields: Vec::new(),
    };
    Template {
        name: name.to_owned(),
        origin: TemplateOrigin::Standalone,
        syntax: Syntax::Mustache,
        variables: variables.split_whitespace().map(variable).collect(),
        uses_partials: false,
        problem: (!problem.is_empty()).then(|| problem.to_owned()),
        path: format!("/w/.templates/{name}").into(),
        source: None,
        within: name.to_owned(),
        root: std::path::Path::new("").into(),
        stamp: Stamp { size, ..Stamp::default() },
        block: None,
        is_taken: false,
    }
}

#[test]
fn notices_about_templates() {
    let with = |templates: &[(&str, u64, &str, &str)]| {
        let templates: Vec<Template> = templates.iter().copied().map(template).collect();
        let findings = templates.iter().filter(|it| it.problem.is_some()).map(|it| {
            let message = format!("template '{}' does not parse: no", it.name);
            let finding = Diagnostic::warning(Code::TemplateBroken, message).in_file(format!(".templates/{}", it.name));
            finding.at(Position { line: 7, column: 1 })
        });
        let diagnostics = findings.collect();
        Snapshot {
            workspace: Arc::from("/w"),
            diagnostics,
            templates: Arc::new(TemplateIndex { templates, ..TemplateIndex::default() }),
            ..Snapshot::default()
        }
    };
    type Given<'a> = &'a [(&'a str, u64, &'a str, &'a str)];
    let many = |size| ["a", "b", "c", "d"].map(|name| (name, size, "", ""));
    for (before, after, expected) in [
        (&[("t", 1_u64, "x", "")] as Given<'_>, &[("t", 1_u64, "x", "")] as Given<'_>, vec![]),
        (&[("t", 1, "x", "")], &[("t", 2, "x", "")], vec!["template: Template changed: t []"]),
        (&[("t", 1, "x y", "")], &[("t", 2, "x z w", "")], vec!["template: Template changed: t [new: z, w; lost: y]"]),
        (&many(1), &many(2), vec!["template: 4 templates changed: a, b, c, +1 more []"]),
        (&[("t", 1, "x", "")], &[("t", 2, "", "no end")], vec!["problem: t is broken: no end [.templates/t:7]"]),
        (&[("t", 1, "", "no end")], &[("t", 2, "", "no end")], vec![]),
        (&[("t", 1, "", "no end")], &[("t", 2, "", "no if")], vec!["problem: t is broken: no if [.templates/t:7]"]),
        (&[("t", 1, "", "no end")], &[("t", 2, "x", "")], vec!["template: t is fixed []"]),
        (
            &[],
            &[("t", 2, "", "no"), ("u", 2, "", "")],
            vec!["template: New templates: t, u []", "problem: t is broken: no [.templates/t:7]"],
        ),
        (&[("t", 1, "", "no")], &[], vec!["template: Removed templates: t []"]),
    ] {
        let reported: Vec<String> = notices(&with(before), &with(after), &ChangeOrigin::Choice(Actor::You))
            .into_iter()
            .map(|it| format!("{}: {} [{}]", it.topic.word(), it.text, it.reason))
            .collect();
        assert_eq!(reported, expected, "{before:?} {after:?}");
    }
    let reported = notices(&with(&[("t", 1, "", "")]), &with(&[("t", 2, "", "no")]), &ChangeOrigin::Choice(Actor::You));
    let place = reported.first().and_then(|it| it.place.clone());
    assert_eq!(place, Some(FileLine { path: "/w/.templates/t".into(), line: 7 }));
}

#[test]
fn only_new_problems_are_reported() {
    // `!a` is an error, the others are warnings; `a@3` is on line 3.
    let with = |findings: &[&str]| {
        let finding = |(nth, written): (usize, &&str)| {
            let (what, line) =
                written.split_once('@').map_or((*written, nth + 1), |(what, line)| (what, line.parse().unwrap()));
            let finding = match what.strip_prefix('!') {
                Some(what) => Diagnostic::error(Code::JsonSyntax, what),
                None => Diagnostic::warning(Code::UnknownKey, what),
            };
            finding.in_file("r.json").at(Position { line, column: 1 })
        };
        let diagnostics = findings.iter().enumerate().map(finding).collect();
        Snapshot { workspace: Arc::from("/w"), diagnostics, ..Snapshot::default() }
    };
    let hundred: Vec<String> = (0..100).map(|n| format!("w{n}")).collect();
    let hundred: Vec<&str> = hundred.iter().map(String::as_str).collect();
    for (before, after, expected) in [
        (&[] as &[&str], &["!no"] as &[&str], vec!["problem: error: r.json:1:1: no (/w/r.json:1)"]),
        (&["!a"], &["!a", "!b", "!c"], vec!["problem: error: r.json:2:1: b, +1 more (/w/r.json:2)"]),
        (&["!a"], &["!a"], vec![]),
        (&["!a"], &["!a@9"], vec![]),
        (&["!a"], &["!a", "!a"], vec!["problem: error: r.json:2:1: a (/w/r.json:2)"]),
        (&["!a", "!b"], &["!a"], vec![]),
        (&["!a"], &[], vec!["desk: All errors are fixed"]),
        (&["a"], &[], vec![]),
        (&["a"], &["a@5", "b"], vec!["warning: warning: r.json:2:1: b (/w/r.json:2)"]),
        (&[], &hundred, vec!["warning: warning: r.json:1:1: w0, +99 more (/w/r.json:1)"]),
        (
            &[],
            &["!a", "b"],
            vec!["warning: warning: r.json:2:1: b (/w/r.json:2)", "problem: error: r.json:1:1: a (/w/r.json:1)"],
        ),
    ] {
        let line = |it: Notice| {
            let place = it.place.map_or(String::new(), |at| format!(" ({}:{})", at.path.display(), at.line));
            format!("{}: {}{place}", it.topic.word(), it.text)
        };
        let reported = notices(&with(before), &with(after), &ChangeOrigin::Choice(Actor::You));
        assert_eq!(reported.into_iter().map(line).collect::<Vec<_>>(), expected, "{before:?} {after:?}");
    }
}

#[test]
fn changes_of_the_catalog_are_not_reported_as_warnings_too() {
    let of = |id: &str| Diagnostic::warning(Code::MissingPath, "nothing stands there").about(id);
    let before = snapshot(&["a"], &[], &[], &[]);
    let mut after = snapshot(&["a", "b"], &[], &[], &[]);
    after.diagnostics = [of("a"), of("b")].into();
    let expected = ["files: New in the catalog: @b []", "files: warning: nothing stands there []"];
    assert_eq!(reported(&before, &after), expected);
}

#[test]
fn a_lost_pick_comes_after_the_news_that_errors_are_fixed() {
    let mut before = snapshot(&["a", "b"], &[], &["a"], &[]);
    before.diagnostics = [Diagnostic::error(Code::JsonSyntax, "no")].to_vec().into();
    let after = snapshot(&["b"], &[], &["a"], &[]);
    let reported = notices(&before, &after, &ChangeOrigin::Choice(Actor::Files));
    let last: Vec<&str> = reported.iter().rev().take(2).rev().map(|notice| notice.text.as_str()).collect();
    assert_eq!(last, ["All errors are fixed", "@a is gone from the catalog: its pick is dormant"]);
}
