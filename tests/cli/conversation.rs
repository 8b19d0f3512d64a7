//! A day's conversation in the demo: giving everything once costs a fraction of giving it every time, and at each
//! prompt the session has everything that the prompt should bring up.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::conversation::{blocks, demo, documents, of_blocks, price, replay};
use crate::support::workspace::strings;

const EXPECTATIONS: &str = "expectations.toml";

#[test]
fn the_demo_meets_its_expectations() {
    let world = demo();
    let before = world.listing();
    let answer = world.json(&["assert", EXPECTATIONS], 0);
    assert_eq!(answer["expectations"], answer["met"]);
    assert!(answer["expectations"].as_u64().unwrap() >= 60, "{answer}");
    assert!(world.read(EXPECTATIONS).lines().count() >= 60);
    assert_eq!(answer["hints"]["recall"], 1.0);
    assert_eq!(world.listing(), before, "nothing is changed");
}

/// The example in the documentation of an expectations file meets its own expectations.
#[test]
fn the_documented_expectations_are_met() {
    let page = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/how-to/hints.md")).unwrap();
    let shown = page.split("```toml\n").nth(1).expect("an example").split("```").next().unwrap();
    let world = demo();
    world.put("documented.toml", shown.as_bytes());
    assert_eq!(world.json(&["assert", "documented.toml"], 0)["expectations"], 8);
}

#[test]
fn there_are_fifty_prompts_with_tools_between_them() {
    let documents = documents();
    let count = |event: &str| documents.iter().filter(|it| it["hook_event_name"] == event).count();
    assert_eq!((count("SessionStart"), count("UserPromptSubmit")), (1, 50));
    assert!(count("PostToolUse") >= 50);
}

/// `cargo bench --bench saving` prints the exact share. This is the bound that must hold.
#[test]
fn giving_once_costs_less_than_a_seventh_and_gives_all_that_is_expected() {
    let (once, again) = (replay(false), replay(true));
    let (least, most) = (of_blocks(&price(&once)), of_blocks(&price(&again)));
    assert!(least * 7 <= most, "{least} bytes of {most}");

    let world = demo();
    let named: Vec<(String, String)> = {
        let sources = world.json(&["list"], 0)["sources"].as_array().unwrap().clone();
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        sources.iter().map(|source| (text(&source["id"]), text(&source["name"]))).collect()
    };
    let cases = cases(&world.read(EXPECTATIONS));
    let (mut reported, mut held) = (BTreeSet::new(), 0);
    for turn in &once {
        let mut hinted = BTreeSet::new();
        for (kind, block) in blocks(&turn.added) {
            let says = |(id, name): &&(String, String)| {
                block.contains(&format!("@{id}: ")) || block.contains(&format!("### {name}\n"))
            };
            let ids = named.iter().filter(says).map(|(id, _)| id.clone());
            hinted.extend(ids.clone().filter(|_| kind == "hints"));
            reported.extend(ids);
        }
        let Some(prompt) = &turn.prompt else { continue };
        for case in cases.iter().filter(|case| case["prompt"] == json!(prompt)) {
            let list = |key: &str| Some(&case[key]).filter(|list| list.is_array()).map(strings);
            for wanted in ["hints", "expands"].into_iter().filter_map(list).flatten() {
                assert!(reported.contains(&wanted), "{wanted} was not given up to: {prompt}");
                held += 1;
            }
            for unwanted in list("not_hints").unwrap_or_default() {
                assert!(!hinted.contains(&unwanted), "a hint at {unwanted}: {prompt}");
                held += 1;
            }
            if list("hints").is_some_and(|hints| hints.is_empty()) {
                assert!(hinted.is_empty(), "{hinted:?}: {prompt}");
                held += 1;
            }
            if let Some(most) = case["max_tokens"].as_u64() {
                assert!(turn.added.len().div_ceil(4) as u64 <= most, "{prompt}: {}", turn.added);
                held += 1;
            }
        }
    }
    assert!(held >= 60, "{held} expectations are about the conversation");
}

fn cases(text: &str) -> Vec<Value> {
    let file: toml::Table = toml::from_str(text).unwrap();
    let file: Value = serde_json::to_value(file).unwrap();
    file["case"].as_array().unwrap().clone()
}
