//! Compares the JSON schemas with the code: the same keys at every level, an example that shows each of them, and every
//! good file of this repository validates while bad ones do not. The validator implements only the keywords of our
//! schemas and fails on any other, so that none is ignored.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use refdesk_core::config::keys;
use serde_json::{Value, json};

use crate::support::workspace::Workspace;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn parse(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn schema(name: &str) -> Value {
    parse(&here().join("assets/schema").join(name))
}

const WHOLE: &str = "references.schema.json";
const ENTRY: &str = "reference.schema.json";
const PROFILE: &str = "profile.schema.json";

/// The pointer to our part of a profile.
const OURS: &str = "/properties/plugin_configs/properties/references/properties";

/// Keywords that do not affect validity.
const SILENT: &[&str] = &["$schema", "title", "description", "default", "examples"];

/// The violations in `value`, each with its position.
fn wrong(schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    let rules = schema.as_object().unwrap_or_else(|| panic!("no schema: {schema}"));
    let valid = |schema: &Value| wrong(schema, value, at).is_empty();
    for (word, rule) in rules {
        let mut unless = |good: bool| {
            if !good {
                found.push(format!("{at}: {word} {rule}, found {value}"));
            }
        };
        match word.as_str() {
            silent if SILENT.contains(&silent) => {}
            "type" => match rule {
                Value::Array(words) => unless(words.iter().any(|word| is_a(value, word))),
                word => unless(is_a(value, word)),
            },
            "enum" => unless(rule.as_array().unwrap().contains(value)),
            "const" => unless(value == rule),
            "minLength" => {
                unless(value.as_str().is_none_or(|text| text.chars().count() as u64 >= rule.as_u64().unwrap()));
            }
            "exclusiveMinimum" => unless(value.as_f64().is_none_or(|number| number > rule.as_f64().unwrap())),
            "pattern" => {
                let pattern = regex::Regex::new(rule.as_str().unwrap()).unwrap();
                unless(value.as_str().is_none_or(|text| pattern.is_match(text)));
            }
            "required" => {
                let has = |key: &Value| value.get(key.as_str().unwrap()).is_some();
                unless(!value.is_object() || rule.as_array().unwrap().iter().all(has));
            }
            "anyOf" => unless(rule.as_array().unwrap().iter().any(valid)),
            "not" => unless(!valid(rule)),
            "allOf" => found.extend(rule.as_array().unwrap().iter().flat_map(|schema| wrong(schema, value, at))),
            "if" if valid(rule) => found.extend(wrong(&rules["then"], value, at)),
            "if" | "then" => {}
            "$ref" => found.extend(wrong(&self::schema(rule.as_str().unwrap()), value, at)),
            "items" => {
                for (index, item) in value.as_array().into_iter().flatten().enumerate() {
                    found.extend(wrong(rule, item, &format!("{at}/{index}")));
                }
            }
            "properties" => {
                for (key, schema) in rule.as_object().unwrap() {
                    let inner = value.get(key).map(|member| wrong(schema, member, &format!("{at}/{key}")));
                    found.extend(inner.unwrap_or_default());
                }
            }
            "minimum" => unless(value.as_f64().is_none_or(|number| rule.as_f64().unwrap() <= number)),
            "maximum" => unless(value.as_f64().is_none_or(|number| rule.as_f64().unwrap() >= number)),
            "additionalProperties" if rule == true => {}
            "additionalProperties" => {
                assert!(!rules.contains_key("properties"), "the validator knows no other properties beside known ones");
                for (key, member) in value.as_object().into_iter().flatten() {
                    found.extend(wrong(rule, member, &format!("{at}/{key}")));
                }
            }
            other => panic!("the validator does not know '{other}'"),
        }
    }
    found
}

fn is_a(value: &Value, word: &Value) -> bool {
    match word.as_str().unwrap() {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type: {other}"),
    }
}

fn key_set(properties: &Value) -> BTreeSet<String> {
    properties.as_object().expect("an object").keys().cloned().collect()
}

/// Each level of a configuration with the keys that the code accepts.
fn levels() -> [(&'static str, &'static str, &'static str, &'static [&'static str]); 4] {
    [
        (WHOLE, "/properties", "", keys::TOP),
        (WHOLE, "/properties/channel/properties", "/channel", keys::CHANNEL),
        (ENTRY, "/properties", "/sources", keys::SOURCE),
        (ENTRY, "/properties/contents/properties", "/sources/contents", keys::CONTENTS),
    ]
}

#[test]
fn the_schemas_have_exactly_the_keys_that_the_code_knows() {
    for (file, pointer, _, keys) in levels() {
        let schema = schema(file);
        let properties = schema.pointer(pointer).unwrap_or_else(|| panic!("{file} has no {pointer}"));
        assert_eq!(key_set(properties), keys.iter().map(|key| (*key).to_owned()).collect(), "{file}{pointer}");
        for (key, property) in properties.as_object().unwrap() {
            let says = property["description"].as_str().is_some_and(|text| text.len() > 10);
            assert!(says, "{file}{pointer}/{key} says nothing");
        }
    }
}

#[test]
fn the_schema_of_profiles_has_the_keys_that_the_code_knows() {
    let schema = schema(PROFILE);
    let properties = schema.pointer(OURS).unwrap();
    assert_eq!(key_set(properties), keys::PROFILE.iter().map(|key| (*key).to_owned()).collect());
    let part = |ours: Value| json!({"plugin_configs": {"references": ours, "lsp": 7}, "max_turns": "x"});
    assert!(wrong(&schema, &part(json!({"sources": ["a"], "preselected": []})), "").is_empty());
    for bad in [
        json!({"preselected": "a"}),
        json!({"exclude_tools": [1]}),
        json!({"transitive_injection": "no"}),
        json!({"sources": [1]}),
        json!({"sources": [{"id": "x"}]}),
    ] {
        assert!(!wrong(&schema, &part(bad.clone()), "").is_empty(), "{bad}");
    }
}

/// The schema and the parser of the user's preferences accept the same values.
#[test]
fn the_schema_of_preferences_accepts_what_the_code_accepts() {
    use refdesk_core::config::user;
    let schema = schema("config.schema.json");
    let known: BTreeSet<String> = user::KEYS.iter().chain(&["$schema"]).map(|key| (*key).to_owned()).collect();
    assert_eq!(key_set(&schema["properties"]), known);
    for (key, values) in [("color", &user::COLORS[..]), ("characters", &user::CHARACTERS)] {
        assert_eq!(schema["properties"][key]["enum"], json!(values), "{key}");
    }
    assert_eq!(schema["properties"]["theme"]["examples"], json!(user::THEMES));
    // Any name may be one of the user's own themes.
    let own = ["never", "ascii", "x"].map(str::to_owned);
    let of_log =
        ["info", "TRACE", "Debug", "3", "6", "debgu", "info,warn", "info, x", "refdesk", "refdesk::cli=info,warn"];
    let of_log = of_log.into_iter().chain(["hyper=debug", "hyper=debgu", "hyper", "a=b=info", "info,", "refdesk="]);
    for key in user::KEYS {
        let values = [json!("auto"), json!("never"), json!("dark"), json!("ascii"), json!("x"), json!(" "), json!(7)];
        let more = of_log.clone().map(|text| json!(text)).filter(|_| key == "log");
        for value in values.into_iter().chain(more) {
            let (_, problems) = user::parse(&format!("{key} = {value}"), "config.toml", &own);
            let is_valid = wrong(&schema, &json!({key: value}), "").is_empty();
            assert_eq!(is_valid, problems.is_empty(), "{key} = {value}: {problems:?}");
        }
    }
    let page = fs::read_to_string(here().join("docs/src/reference/configuration.md")).unwrap();
    let (_, after) = page.split_once("```toml\n").unwrap();
    let (preferences, problems) = user::parse(after.split_once("```").unwrap().0, "config.toml", &[]);
    assert!(problems.is_empty(), "{problems:?}");
    assert_eq!(preferences.values().map(|value| value.is_some()), [false, true, true, true, true]);
}

#[test]
fn the_example_shows_every_key_and_no_other() {
    let example = parse(&here().join("references.json.example"));
    for (_, _, level, keys) in levels() {
        let objects: Vec<Value> = match level {
            "/sources" => example["sources"].as_array().unwrap().clone(),
            "/sources/contents" => example["sources"]
                .as_array()
                .unwrap()
                .iter()
                .filter_map(|source| source.get("contents").cloned())
                .collect(),
            level => vec![example.pointer(level).unwrap().clone()],
        };
        let shown: BTreeSet<String> = objects.iter().flat_map(key_set).collect();
        assert_eq!(shown, keys.iter().map(|key| (*key).to_owned()).collect(), "{level}");
    }
}

fn json_files(folder: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(here().join(folder))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{folder}");
    files
}

#[test]
fn good_files_validate() {
    let whole: Vec<PathBuf> = [here().join("references.json.example"), here().join("assets/demo/references.json")]
        .into_iter()
        .chain(json_files("tests/config/good"))
        .collect();
    for (schema, files) in [
        (schema(WHOLE), whole),
        (schema(ENTRY), json_files("assets/demo/.jaato/references")),
        (schema(PROFILE), json_files("assets/demo/.jaato/profiles")),
    ] {
        for file in files {
            let found = wrong(&schema, &without_null(&parse(&file)), "");
            assert!(found.is_empty(), "{}: {found:#?}", file.display());
        }
    }
}

/// `null` counts as absent everywhere, but the schemas allow it only where people write it.
fn without_null(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, member)| !member.is_null());
            kept.map(|(key, member)| (key.clone(), without_null(member))).collect()
        }
        Value::Array(items) => items.iter().map(without_null).collect(),
        other => other.clone(),
    }
}

#[test]
fn bad_files_do_not_validate() {
    let entry = schema(ENTRY);
    let whole = schema(WHOLE);
    let good = json!({"id": "a", "name": "A", "path": "a.md"});
    assert!(wrong(&entry, &good, "").is_empty());
    for (key, value) in [
        ("id", json!("")),
        ("id", json!(7)),
        ("name", json!([])),
        ("name", json!("")),
        ("type", json!("folder")),
        ("type", json!("url")),
        ("type", json!("mcp")),
        ("type", json!("inline")),
        ("mode", json!("always")),
        ("tags", json!("a")),
        ("tags", json!(["-_ "])),
        ("tags", json!([1])),
        ("path", json!("")),
        ("args", json!([])),
        ("contents", json!({"templates": 1})),
    ] {
        let mut bad = good.clone();
        bad[key] = value;
        assert!(!wrong(&entry, &bad, "").is_empty(), "{bad}");
        assert!(!wrong(&whole, &json!({"sources": [bad]}), "").is_empty(), "{bad} in a configuration");
    }
    for bad in [
        json!([]),
        json!({"sources": [{"id": "a", "path": "a.md"}]}),
        json!({"version": 1}),
        json!({"version": "2.0"}),
        json!({"sources": {}}),
        json!({"channel": {"type": "telephone"}}),
        json!({"channel": {"timeout": 0}}),
        json!({"channel": {"headers": {"X": 1}}}),
        json!({"preselected": "a"}),
        json!({"references_dir": ""}),
    ] {
        assert!(!wrong(&whole, &bad, "").is_empty(), "{bad}");
    }
}

/// The files about databases and their schemas.
const OF_DATABASES: [(&str, &str); 3] = [
    (".jaato/databases/documentation-plan.json", "documentation-plan.schema.json"),
    ("docs/databases/documentation-manifest.json", "documentation-manifest.schema.json"),
    (".jaato/refdesk/db/documenter-progress.json", "documenter-progress.schema.json"),
];

/// Members that the schema does not have, or does not describe.
fn unnamed(schema: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (key, member) in value.as_object().into_iter().flatten() {
        let at = format!("{at}/{key}");
        match schema.pointer("/properties").map(|properties| &properties[key]) {
            Some(property) if property["description"].as_str().is_some_and(|text| text.len() > 5) => {
                found.extend(unnamed(property, member, &at));
            }
            Some(_) => found.push(at),
            None => found.extend(unnamed(&schema["additionalProperties"], member, &at)),
        }
    }
    for member in value.as_array().into_iter().flatten() {
        found.extend(unnamed(&schema["items"], member, &format!("{at}/0")));
    }
    found
}

#[test]
fn files_about_databases_validate() {
    let chinook = include_str!("data/databases/chinook.sql");
    let shop = "{ name: shop, type: sqlite, connection: { file: shop.db } }";
    let gone = "{ name: gone, type: sqlite, connection: { file: gone.db } }";
    let world = Workspace::with(&[(".jaato/databases.yaml", &format!("databases: [{shop}, {gone}]"))]);
    rusqlite::Connection::open(world.path.join("shop.db")).unwrap().execute_batch(chinook).unwrap();
    for round in 0..2 {
        world.run(&["db", "document", "--yes"]).exits(1);
        for (file, name) in OF_DATABASES {
            let (schema, value) = (schema(name), parse(&world.path.join(file)));
            assert_eq!(wrong(&schema, &value, ""), [""; 0], "{file} in round {round}");
            assert_eq!(unnamed(&schema, &value, ""), [""; 0], "{file} in round {round}");
            for key in schema["required"].as_array().unwrap() {
                let mut less = value.clone();
                less.as_object_mut().unwrap().remove(key.as_str().unwrap());
                assert!(!wrong(&schema, &less, "").is_empty(), "{file} without {key}");
                less[key.as_str().unwrap()] = json!([7]);
                assert!(!wrong(&schema, &less, "").is_empty(), "{file} with a wrong {key}");
            }
        }
        // Covers the members about an edited page and about one that cannot be written.
        world.put("docs/databases/shop/artist/README.md", b"mine");
        let page = world.path.join("docs/databases/shop/artist/tables/main.Album.md");
        if round == 0 {
            fs::remove_file(&page).unwrap();
            fs::create_dir(&page).unwrap();
            world.put("docs/databases/shop/artist/tables/main.Album.md/x", b"");
        }
    }
}
