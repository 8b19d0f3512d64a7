//! Tests of expectations files: a complete case, and every error with its position and fix.

use serde_json::json;

use super::case::{Case, CaseExpectations};
use super::read_expectations;
use refdesk_core::catalog::{Catalog, LocalPath, Mode, PathState, Source, SourceDefinition, SourceKind};
use refdesk_enrich::TextKind;

fn catalog() -> Catalog {
    let source = |id: &str, state: PathState| {
        let path: std::sync::Arc<std::path::Path> = std::path::Path::new("/w/x").into();
        Source {
            id: id.into(),
            name: id.into(),
            description: String::new(),
            mode: Mode::Selectable,
            tags: Vec::new(),
            kind: SourceKind::Local(LocalPath {
                written: "x".into(),
                path: path.clone(),
                resolved: path,
                state,
                size: None,
            }),
            fetch_hint: None,
            contents: None,
            origin: SourceDefinition { file: std::path::Path::new("/w/references.json").into(), entry: None },
        }
    };
    Catalog::new(vec![
        source("one", PathState::File),
        source("other", PathState::File),
        source("gone", PathState::Missing),
    ])
}

#[test]
fn a_file_may_leave_the_index_out() {
    for (line, asks) in [("", true), ("index = true\n", true), ("index = false\n", false)] {
        let text = format!("{line}[[case]]\nprompt = \"x\"\nhints = []\n");
        assert_eq!(read_expectations(&text, "f.toml", &catalog()).unwrap().uses_index, asks, "{line}");
    }
}

#[test]
fn a_complete_case() {
    let text = "# about\n\n[[case]]\nname = \"n\"\ntool_result = \"text\"\ntool = \"Read\"\n\
        args = { path = \"a\", n = 1, deep = [true, 0.5] }\nselect = [\"one\"]\nhints = [\"other\", \"other\"]\n\
        hints_any = [\"one\", \"other\"]\ntop = \"other\"\nmax_hints = 3\n\
        not_hints = []\nexpands = [\"one\"]\npulls_in = [\"gone\"]\nmax_tokens = 20\n\n[[case]]\nprompt = \"x\"\nhints = []\n";
    let cases = read_expectations(text, "f.toml", &catalog()).unwrap().cases;
    let ids = |ids: &[&str]| Some(ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
    assert_eq!(
        cases[0],
        Case {
            name: "n".to_owned(),
            line: 3,
            kind: TextKind::ToolResult,
            text: "text".to_owned(),
            tool: Some("Read".to_owned()),
            args: json!({"path": "a", "n": 1, "deep": [true, 0.5]}),
            select: ids(&["one"]),
            wanted: CaseExpectations {
                hints: ids(&["other"]),
                hints_any: ids(&["one", "other"]),
                top: ids(&["other"]),
                max_hints: Some(3),
                not_hints: ids(&[]),
                expands: ids(&["one"]),
                pulls_in: ids(&["gone"]),
                max_tokens: Some(20),
            },
        }
    );
    assert_eq!(cases[0].wanted.count(), 8);
    assert_eq!((cases[1].name.as_str(), cases[1].line, cases[1].kind), ("case 2", 18, TextKind::Prompt));
    assert_eq!(cases[1].wanted, CaseExpectations { hints: ids(&[]), ..CaseExpectations::default() });
}

#[test]
fn errors_have_a_position_and_a_fix() {
    for (text, expected) in [
        ("", vec!["1:1 no-case: the file has no case"]),
        ("# nothing\n", vec!["1:1 no-case: the file has no case"]),
        ("case = []\n", vec!["1:1 no-case: the file has no case"]),
        ("[case]\nprompt = \"x\"\n", vec!["1:2 wrong-type: 'case' must be a list of tables"]),
        ("case = [1]\n", vec!["1:9 wrong-type: a case must be a table"]),
        ("prompt = \"x\"\n", vec!["1:1 unknown-key: 'prompt' is outside of every case"]),
        ("nonsense = \"x\"\n", vec!["1:1 unknown-key: 'nonsense' is outside of every case"]),
        ("[[cases]]\nprompt = \"x\"\n", vec!["1:3 unknown-key: the file has no 'cases' (did you mean [[case]]?)"]),
        (
            "[[case]]\nprompt = 1\nhint = [\"one\"]\nhints = \"one\"\nmax_tokens = -1\n",
            vec![
                "2:10 wrong-type: 'prompt' must be a string, but is an integer",
                "3:1 unknown-key: unknown key 'hint' (did you mean 'hints'?)",
                "4:9 wrong-type: 'hints' must be a list of ids, but is a string",
                "5:14 wrong-type: 'max_tokens' must be a whole number, 0 or more, but is -1",
            ],
        ),
        (
            "[[case]]\nprompt = \"x\"\nhints = [\"oen\", 2, \"nobody-near\"]\n",
            vec![
                "3:10 unknown-id: no source has the id 'oen' (did you mean 'one'?)",
                "3:17 wrong-type: 'hints' must be a list of ids, but is an integer",
                "3:20 unknown-id: no source has the id 'nobody-near'",
            ],
        ),
        (
            "[[case]]\nname = \"n\"\nhints = []\n[[case]]\nprompt = \"\"\ntool_result = \"\"\n",
            vec![
                "1:1 no-text: 'n' has neither a prompt nor a tool_result",
                "4:1 no-text: 'case 2' has both a prompt and a tool_result",
                "4:1 nothing-expected: 'case 2' has no expectations",
            ],
        ),
        (
            "[[case]]\nprompt = \"x\"\ntool = \"Read\"\nargs = 1\nselect = [\"gone\"]\nhints = [\"one\"]\nnot_hints = [\"one\"]\n",
            vec![
                "3:1 no-tool: a case with a prompt cannot have 'tool'",
                "4:1 no-tool: a case with a prompt cannot have 'args'",
                "4:8 wrong-type: 'args' must be a table, but is an integer",
                "5:10 missing: 'gone' cannot be picked: its path does not exist",
                "7:13 contradiction: 'one' is in hints and in not_hints",
            ],
        ),
        (
            "[[case]]\nprompt = \"x\"\nhints_any = []\ntop = 1\nmax_hints = \"3\"\n",
            vec![
                "3:13 wrong-type: 'hints_any' must have an id",
                "4:7 wrong-type: 'top' must be an id or a list of ids, but is an integer",
                "5:13 wrong-type: 'max_hints' must be a whole number, 0 or more, but is a string",
            ],
        ),
        (
            "[[case]]\nprompt = \"x\"\nhints_any = \"oen\"\ntop = [1, \"gnoe\"]\nmax_hints = -1\n",
            vec![
                "3:13 unknown-id: no source has the id 'oen' (did you mean 'one'?)",
                "4:8 wrong-type: 'top' must be a list of ids, but is an integer",
                "4:11 unknown-id: no source has the id 'gnoe' (did you mean 'gone'?)",
                "5:13 wrong-type: 'max_hints' must be a whole number, 0 or more, but is -1",
            ],
        ),
        (
            "[[case]]\nprompt = \"x\"\nhints_any = [\"one\", \"other\"]\ntop = \"one\"\nnot_hints = [\"one\"]\n",
            vec!["5:13 contradiction: 'one' is in top and in not_hints"],
        ),
        (
            "[[case]]\nprompt = \"x\"\nhints_any = [\"one\"]\nnot_hints = [\"one\"]\n",
            vec!["4:13 contradiction: 'one' is in hints_any and in not_hints"],
        ),
        ("index = false\n", vec!["1:1 no-case: the file has no case"]),
        (
            "index = 0\n[[case]]\nprompt = \"x\"\nindex = true\nhints = []\n",
            vec!["1:9 wrong-type: 'index' must be true or false", "4:1 unknown-key: unknown key 'index'"],
        ),
        ("[[case]]\nprompt = \n", vec!["2:10 not-toml"]),
        ("[[case]]\nprompt = \"a\"\nprompt = \"b\"\nhints = []\n", vec!["3:1 not-toml"]),
        ("[[case]]\nprompt = \"a\u{0}b\"\n", vec!["2:12 not-toml"]),
    ] {
        let problems = read_expectations(text, "f.toml", &catalog()).unwrap_err();
        let reported: Vec<String> = problems
            .iter()
            .map(|it| {
                let hint = it.fix.to_string();
                let hint = if hint.starts_with("did you") { format!(" ({hint})") } else { String::new() };
                format!("{}:{} {}: {}{hint}", it.line.unwrap(), it.column.unwrap(), it.code, it.message)
            })
            .collect();
        assert_eq!(reported.len(), expected.len(), "{text}: {reported:?}");
        for (reported, expected) in reported.iter().zip(expected) {
            assert!(reported.starts_with(expected), "{text}: {reported} is not {expected}");
        }
        assert!(problems.iter().all(|it| it.file.as_deref() == Some("f.toml") && !it.fix.is_none()), "{text}");
    }
}
