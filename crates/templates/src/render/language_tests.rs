//! Test cases of Mustache and Jinja2 from data files.
//!
//! `tests/data/mustache.json` has a case of our own for every required case of the official Mustache specification
//! (<https://github.com/mustache/spec>, the edition of 2025), with its module and name. `tests/data/jinja2.json` has
//! the results of Python's Jinja2 3.1 (`SandboxedEnvironment(undefined=StrictUndefined, keep_trailing_newline=True)`);
//! `error` is refdesk's message, and `why` gives the reason for an intended difference.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{RenderJob, render};
use crate::Syntax;

#[derive(Deserialize)]
struct MustacheCase {
    module: String,
    name: String,
    template: String,
    values: Value,
    #[serde(default)]
    partials: BTreeMap<String, String>,
    #[serde(default)]
    html: bool,
    expected: String,
}

fn rendered(job: &RenderJob) -> Result<String, String> {
    render(job).map(|rendered| rendered.text).map_err(|error| error.message)
}

fn mustache_cases() -> Vec<MustacheCase> {
    serde_json::from_str(include_str!("../../../../tests/data/mustache.json")).unwrap()
}

#[test]
fn mustache_matches_its_specification() {
    let mut wrong = Vec::new();
    for case in mustache_cases() {
        let MustacheCase { module, name, template, values, partials, html, expected } = case;
        let answer = rendered(&RenderJob { html, partials, ..RenderJob::new(template, Syntax::Mustache, values) });
        if answer.as_ref() != Ok(&expected) {
            wrong.push(format!("{module}: {name}: {answer:?} instead of {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_required_case_of_the_specification_is_covered() {
    let mut counts: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for case in mustache_cases() {
        *counts.entry(case.module).or_default().entry(case.name).or_default() += 1;
    }
    let names: Vec<(&str, usize)> = counts.iter().map(|(module, names)| (module.as_str(), names.len())).collect();
    let required = [
        ("comments", 12),
        ("delimiters", 14),
        ("interpolation", 42),
        ("inverted", 22),
        ("partials", 12),
        ("sections", 34),
    ];
    assert_eq!(names, required);
    let twice = counts.values().flatten().find(|(_, count)| **count > 1);
    assert_eq!(twice, None);
}

#[derive(Deserialize)]
struct JinjaFile {
    values: Value,
    cases: Vec<JinjaCase>,
}

#[derive(Deserialize)]
struct JinjaCase {
    group: String,
    template: String,
    expected: Option<String>,
    error: Option<String>,
}

#[test]
fn jinja2_matches_python() {
    let file: JinjaFile = serde_json::from_str(include_str!("../../../../tests/data/jinja2.json")).unwrap();
    assert!(file.cases.len() >= 600, "{} cases", file.cases.len());
    let mut wrong = Vec::new();
    for JinjaCase { group, template, expected, error } in file.cases {
        let answer = rendered(&RenderJob::new(template.clone(), Syntax::Jinja2, file.values.clone()));
        let right = match (&answer, &expected, &error) {
            (Ok(text), Some(expected), None) => text == expected,
            (Err(message), None, Some(part)) => message.contains(part.as_str()) && message.contains("line"),
            _ => false,
        };
        if !right {
            let wanted = expected.or(error).unwrap_or_default();
            wrong.push(format!("{group}: {template:?}: {answer:?} instead of {wanted:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Templates that ramhorns renders according to the specification: names, sections and comments. It excludes tags alone
/// on a line, dotted names, item metadata and, inside a list or object, sections of an outer name, which ramhorns
/// renders with the outer values.
fn template_for_both() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z <&\"]{0,6}",
        prop::sample::select(vec!["{{s}}", "{{{s}}}", "{{&s}}", "{{n}}", "{{gone}}", "{{ t }}", "{{! c }}"])
            .prop_map(str::to_owned),
    ];
    let leaves = prop::collection::vec(piece.clone(), 0..4).prop_map(|parts| parts.concat());
    let entered = section(vec!["xs", "empty", "o"], leaves.boxed());
    prop_oneof![2 => piece, 1 => entered].prop_recursive(3, 24, 4, |inner| {
        let parts = prop::collection::vec(inner, 0..4).prop_map(|parts| parts.concat());
        section(vec!["yes", "no", "gone"], parts.boxed())
    })
}

fn section(names: Vec<&'static str>, inside: BoxedStrategy<String>) -> impl Strategy<Value = String> {
    (prop::sample::select(names), any::<bool>(), inside).prop_map(|(name, inverted, inside)| {
        format!("{{{{{}{name}}}}}{inside}{{{{/{name}}}}}", if inverted { '^' } else { '#' })
    })
}

#[derive(ramhorns::Content)]
struct Item {
    n: i64,
    t: String,
}

#[derive(ramhorns::Content)]
struct Root {
    s: String,
    t: String,
    n: i64,
    yes: bool,
    no: bool,
    xs: Vec<Item>,
    empty: Vec<Item>,
    o: Item,
}

proptest! {
    /// ramhorns is not used at run time. On templates that both support, the results must be equal.
    #[test]
    fn mustache_matches_ramhorns(parts in prop::collection::vec(template_for_both(), 0..5), s in "[a-z<>&\"]{0,5}", t in "[a-z<]{0,3}", n in -9..99_i64) {
        // ramhorns drops white space at the end of a template.
        let text = format!("[{}]", parts.concat());
        let item = |n: i64, t: &str| Item { n, t: t.to_owned() };
        let root = Root { s: s.clone(), t: t.clone(), n, yes: true, no: false, xs: vec![item(n + 1, "p"), item(n + 2, "<q>")], empty: Vec::new(), o: item(7, "o") };
        let values = json!({
            "s": s, "t": t, "n": n, "yes": true, "no": false, "xs": [{"n": n + 1, "t": "p"}, {"n": n + 2, "t": "<q>"}],
            "empty": [], "o": {"n": 7, "t": "o"},
        });
        let theirs = ramhorns::Template::new(text.as_str()).unwrap().render(&root);
        let ours = rendered(&RenderJob { html: true, ..RenderJob::new(text.clone(), Syntax::Mustache, values) });
        prop_assert_eq!(ours, Ok(theirs), "{}", text);
    }
}
