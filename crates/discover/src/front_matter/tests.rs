//! Tests with valid and invalid front matter.

use super::*;

fn tags(found: &FrontMatter) -> Vec<&str> {
    found.tags.iter().map(String::as_str).collect()
}

#[test]
fn members_of_both_languages() {
    for (text, title, description, expected) in [
        ("---\ntitle: A b\ndescription: c\ntags: [x, y]\n---\nbody", Some("A b"), Some("c"), &["x", "y"][..]),
        ("---\r\nname: n\r\ntags: x, y z\r\n---\r\nbody", Some("n"), None, &["x", "y z"]),
        ("---\ntitle: t\nname: n\nsummary: s\n...\nbody", Some("t"), Some("s"), &[]),
        ("---\ntags:\n  - one\n  - 2\n  - [three]\nkeywords: four\n---\nbody", None, None, &["one", "2", "four"]),
        ("---\ndescription: >\n  folded\n  text\n---\nbody", None, Some("folded text"), &[]),
        ("+++\ntitle = \"T\"\ndate = 2020-01-01\n[taxonomies]\ntags = [\"a\"]\n+++\nbody", Some("T"), None, &["a"]),
        ("+++\ntags = \"one\"\n+++\nbody", None, None, &["one"]),
        ("---\n---\nbody", None, None, &[]),
        ("---\n# only a remark\n---\nbody", None, None, &[]),
        ("body\n---\ntitle: t\n---\n", None, None, &[]),
        ("---\n\ntitle: t\n---\n", None, None, &[]),
        ("----\ntitle: t\n----\n", None, None, &[]),
        ("", None, None, &[]),
        ("---", None, None, &[]),
        ("---\njust a rule", None, None, &[]),
    ] {
        let found = read(text);
        assert_eq!((found.title.as_deref(), found.description.as_deref()), (title, description), "{text:?}");
        assert_eq!((tags(&found), &found.problem), (expected.to_vec(), &None), "{text:?}");
        assert!(!text.ends_with("\nbody") || text.get(found.end..) == Some("body"), "{text:?}: {}", found.end);
    }
}

#[test]
fn a_rule_has_globs_and_may_always_apply() {
    for (inner, globs, always) in [
        ("globs: **/*.rs\nalwaysApply: false", &["**/*.rs"][..], false),
        ("globs: src/*.ts, *.tsx\nalwaysApply: true", &["src/*.ts", "*.tsx"], true),
        ("globs: \"*.a,*.b\"", &["*.a", "*.b"], false),
        ("globs: [\"*.a\", '*.b']\nalwaysApply: \"true\"", &["*.a", "*.b"], true),
        ("globs:\nalwaysApply: maybe", &[], false),
    ] {
        let found = read(&format!("---\n{inner}\n---\n"));
        assert_eq!((found.globs.as_slice(), found.always_applies), (globs.map_owned().as_slice(), always), "{inner}");
        assert_eq!(found.problem, None, "{inner}");
    }
}

trait MapOwned {
    fn map_owned(&self) -> Vec<String>;
}

impl MapOwned for [&str] {
    fn map_owned(&self) -> Vec<String> {
        self.iter().map(|text| (*text).to_owned()).collect()
    }
}

#[test]
fn bad_front_matter_is_reported_with_its_line_and_the_rest_is_read() {
    for (text, line, title) in [
        ("---\ntitle: one: two\n---\n# H", 2, Some("one: two")),
        ("---\ntitle: a\nb:\n\tc: d\n---\n# H", 4, Some("a")),
        ("---\ntitle: [a\n---\n# H", 2, None),
        ("---\n- a\n- b\n---\n# H", 2, None),
        ("---\njust text\n---\n# H", 2, None),
        ("---\ntitle: a\n\n# H", 1, Some("a")),
        ("+++\ntitle = \"a\"\nb = \n+++\n# H", 3, Some("a")),
        ("+++\ntitle = \"a\"\n\n# H", 1, Some("a")),
        ("---\ntitle: a\nb: *nothing\n---\n# H", 3, Some("a")),
    ] {
        let found = read(text);
        let problem = found.problem.as_ref().map(|(line, _)| *line);
        assert_eq!(problem, Some(line), "{text:?}: {:?}", found.problem);
        assert_eq!(found.title.as_deref(), title, "{text:?}");
        assert!(text.get(found.end..).is_some_and(|rest| rest.trim_start() == "# H"), "{text:?}");
    }
    let twice = read("---\ntitle: a\ntitle: b\n---\n");
    assert_eq!((twice.title.as_deref(), twice.problem), (Some("a"), None), "the first of two counts");
}

#[test]
fn bombs_and_huge_blocks_are_harmless() {
    let mut bomb = "title: t\na0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
    for at in 1..12 {
        bomb.push_str(&format!("a{at}: &a{at} [{}]\n", vec![format!("*a{}", at - 1); 9].join(", ")));
    }
    let deep = format!("title: {}", "[".repeat(30_000));
    let long = format!("title: {}", "x".repeat(LIMIT));
    for yaml in [&bomb, &deep, &long] {
        let text = format!("---\n{yaml}\n---\nx");
        let found = read(&text);
        assert!(found.problem.is_some(), "{yaml:.40}");
        assert_eq!(text.get(found.end..), Some("x"));
    }
    let deep = format!("+++\na = {}\n+++\nx", "[".repeat(30_000));
    assert!(read(&deep).problem.is_some());
    let open = format!("---\ntitle: t\n{}", "é: x\n".repeat(LIMIT));
    assert!(read(&open).problem.is_some());
}

proptest::proptest! {
    /// The reader never panics, and the document begins at a character boundary.
    #[test]
    fn any_text_is_read(text in "(---|\\+\\+\\+)\n(\\PC{0,20}|[a-z]{1,4}: \\PC{0,9}|\t- .{0,5}|\n){0,9}\n?(---|\\.\\.\\.|\\+\\+\\+)?\n?.{0,9}") {
        let found = read(&text);
        proptest::prop_assert!(text.get(found.end..).is_some());
    }
}

#[test]
fn only_plain_values_of_broken_yaml_are_read() {
    for (inner, title, expected) in [
        ("title: a: b\ntags: [x, y]", Some("a: b"), &["x", "y"][..]),
        ("name: &a [*a]\ntags: [*e, plain]", None, &["plain"]),
        ("title: *b\ntags: *e", None, &[]),
        ("title: !t x\ntags: {a: b}\nx: [", None, &[]),
    ] {
        let found = read(&format!("---\n{inner}\n---\n"));
        assert_eq!((found.title.as_deref(), tags(&found)), (title, expected.to_vec()), "{inner}");
        assert!(found.problem.is_some(), "{inner}");
    }
}
