//! `refdesk templates` and `refdesk render`.

use serde_json::json;

use super::small;
use crate::support::program::run;
use crate::support::workspace::Workspace;

fn with_kit() -> Workspace {
    let world = small();
    world.run(&["select", "kit"]).exits(0);
    world
}

fn names(world: &Workspace, words: &[&str]) -> Vec<String> {
    let listed = world.json(words, 0);
    let rows = listed["templates"].as_array().unwrap();
    assert_eq!(listed["count"], rows.len());
    rows.iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn the_selection_provides_them() {
    let world = small();
    assert_eq!(names(&world, &["templates"]), Vec::<String>::new());
    assert!(world.run(&["templates"]).exits(0).stderr.contains("refdesk select"));
    world.run(&["select", "kit"]).exits(0);
    assert_eq!(names(&world, &["templates"]), ["broken.txt.tpl", "hello.txt.tpl", "loop.py.tmpl"]);
    assert_eq!(names(&world, &["templates", "list"]), names(&world, &["templates"]));
    assert_eq!(names(&world, &["templates", "list", "--pattern", "*.tpl"]), ["broken.txt.tpl", "hello.txt.tpl"]);
    assert_eq!(names(&world, &["templates", "list", "--pattern", "[hl]*.{py,sh}.*"]), ["loop.py.tmpl"]);
    assert_eq!(names(&world, &["templates", "list", "--pattern", "nothing*"]), Vec::<String>::new());
    let broken = world.run(&["templates"]).exits(0);
    assert!(broken.text().contains("broken"), "{broken}");
}

#[test]
fn a_template_is_printed_unchanged() {
    let world = with_kit();
    let shown = world.run(&["templates", "show", "hello.txt.tpl"]).exits(0);
    assert_eq!(shown.text(), world.read("kit/hello.txt.tpl"));
    let unknown = world.run(&["templates", "show", "helo.txt.tpl"]).exits(1);
    assert!(unknown.stderr.contains("hello.txt.tpl"), "{unknown}");
}

#[test]
fn the_variables_of_a_template() {
    let world = with_kit();
    let answer = world.json(&["templates", "variables", "hello.txt.tpl"], 0);
    assert_eq!(answer["syntax"], "mustache");
    assert_eq!(answer["variables"], json!(["items", "name"]));
    assert_eq!(answer["skeleton"], json!({"items": [{"label": ""}], "name": ""}));
    let skeleton = answer["skeleton"].to_string();
    world.run(&["render", "hello.txt.tpl", "--vars", &skeleton]).exits(0);
    let reported = world.run(&["templates", "variables", "hello.txt.tpl"]).exits(0);
    let reported = reported.text();
    let (tree, rest) = reported.split_once("JSON schema:").unwrap();
    let (schema, filling) = rest.split_once("To fill in:").unwrap();
    assert!(tree.contains("items  list, each item with\n    label\n"), "{reported}");
    assert_eq!(serde_json::from_str::<serde_json::Value>(schema).unwrap(), answer["schema"]);
    let document = filling.trim().strip_prefix("--vars '").unwrap().strip_suffix('\'').unwrap();
    assert_eq!(serde_json::from_str::<serde_json::Value>(document).unwrap(), answer["skeleton"]);
    let broken = world.run(&["templates", "variables", "broken.txt.tpl"]).exits(1);
    assert!(broken.stderr.contains("line 2"), "{broken}");
}

#[test]
fn values_from_text_files_and_options() {
    let world = with_kit();
    world.put("values.json", "\u{feff}{\"name\": \"File\", \"items\": []}".as_bytes());
    for (words, expected) in [
        (&["--var", "name=Ada"][..], "Hello Ada!\n"),
        (&["--vars", "{\"name\": \"Ada\"}"], "Hello Ada!\n"),
        (&["--vars", "@values.json"], "Hello File!\n"),
        (&["--vars", "@values.json", "--var", "name=Word"], "Hello Word!\n"),
        (&["--var", "name=a=b", "--var", "items:=[{\"label\":1},{\"label\":\"x\"}]"], "Hello a=b! 1 x\n"),
        (&["--var", "name=<&>"], "Hello <&>!\n"),
        (&["--var", "name=<&>", "--html"], "Hello &lt;&amp;&gt;!\n"),
    ] {
        let words = [&["render", "hello.txt.tpl"], words].concat();
        assert_eq!(world.run(&words).exits(0).text(), expected, "{words:?}");
        let json = world.json(&words, 0);
        assert_eq!((&json["rendered"], &json["size"]), (&json!(expected), &json!(expected.len())), "{words:?}");
    }
}

#[test]
fn values_and_templates_from_standard_input() {
    let world = with_kit();
    for (words, input, expected) in [
        (&["hello.txt.tpl", "--vars", "@-"][..], "{\"name\": \"Ada\", \"items\": []}", "Hello Ada!\n"),
        (&["--file", "-", "--var", "a=x"], "{{ a | upper }}\n", "X\n"),
    ] {
        let words = [&["render"], words].concat();
        assert_eq!(world.feed(&words, input.as_bytes()).exits(0).text(), expected, "{words:?}");
    }
    let rows = br#"[{"inline": "{{ a }}", "vars": {"a": "x"}, "output": "out.txt"}]"#;
    world.feed(&["render", "--batch", "@-", "--yes"], rows).exits(0);
    assert_eq!(world.read("out.txt"), "x");
    let large = vec![b'x'; 1024 * 1024 + 1];
    let ran = world.feed(&["render", "--file", "-"], &large).exits(1);
    assert!(ran.stderr.contains("standard input exceeds the limit of 1048576 bytes (1 MiB)"), "{ran}");
}

#[test]
fn templates_without_a_source() {
    let world = with_kit();
    world.put("own.tpl", b"{{ a | upper }}");
    world.put("v2/own.tpl", b"v2 {{ a }}");
    world.put("v2/vars.json", b"{\"a\": 2}");
    std::fs::create_dir(world.path.join("v2/docs")).unwrap();
    std::os::unix::fs::symlink("v2/docs", world.path.join("current")).unwrap();
    for (words, expected) in [
        (&["--inline", "{{ a | upper }}", "--var", "a=x"][..], "X"),
        (&["--file", "own.tpl", "--var", "a=x"], "X"),
        (&["--file", "current/../own.tpl", "--vars", "@current/../vars.json"], "v2 2"),
        (&["--inline", "{{a}}", "--syntax", "mustache"], ""),
        (&["--inline", "{{>p}}", "--partial", "p=[{{a}}]", "--var", "a=x"], "[x]"),
        (&["--inline", "- {{ a }}", "--var", "a=x"], "- x"),
        (&["--inline", "{{ a + 1 }}{{ b }}", "--var", "a=2", "--var", "b=01"], "301"),
        (&["--inline", "{% if a == 2 %}{{ b }}{% endif %}", "--var", "a=2", "--var", "b=1.0"], "1.0"),
        (&["--inline", "{% if a == 2 %}yes{% else %}no{% endif %}", "--var", "a:=\"2\""], "no"),
        (&["--inline", "{% if a > 3 %}more{% else %}less{% endif %} {{ a }}", "--var", "a=3.10"], "more 3.10"),
        (&["--inline", "{% if d %}Discount {{ d }}, {% endif %}to pay {{ 10 - d }}", "--var", "d=0.00"], "to pay 10.0"),
        (
            &["--inline", "{{ n * 2 }} {{ '%.2f'|format(n) }} {{ '%s: %.1f' % ('n', n) }}", "--var", "n=3.10"],
            "6.2 3.10 n: 3.1",
        ),
        (
            &["--inline", "{{ n - 1 }} {{ '{:.2f}'.format(n) }} {{ '{}'.format(n) }}", "--var", "n=3.10"],
            "2.1 3.10 3.10",
        ),
        (
            &["--inline", "{{ n - 1 }} {{ 'v: %s' % n }} {{ 'v: {}'.format(n) }}", "--var", "n=3.10"],
            "2.1 v: 3.10 v: 3.10",
        ),
        (&["--inline", "{{ n - 1 }} {{ [n, 4]|sum }} {{ n is defined }}", "--var", "n=3.10"], "2.1 7.1 True"),
        (
            &[
                "--inline",
                "{% if a == 3 %}{% endif %}{% if a == b %}same{% else %}other{% endif %}",
                "--var",
                "a=3",
                "--var",
                "b=3",
            ],
            "same",
        ),
        (
            &["--inline", "{{ n - 1 }} {{ '%s: %d%%' % (n, 2) }} {{ '{:>6}|{:.1f}'.format(n, n) }}", "--var", "n=3.10"],
            "2.1 3.10: 2%   3.10|3.1",
        ),
        (
            &[
                "--inline",
                "{% if n > 1 %}{% endif %}{% for x in [n, 2] %}{{ x * 2 }} {% endfor %}{{ (n, 2)|sum }} {{ {'a': n}.a * 2 }} \
                 {{ m|default(n) + 1 }} {{ n is float }} {{ n in (1.5, 'a') }} {{ [n]|select('number')|list }}",
                "--var",
                "n=1.50",
            ],
            "3.0 4 3.5 3.0 2.5 True True ['1.50']",
        ),
        (
            &[
                "--inline",
                "{% if n > 1 %}{% endif %}{% set x = n if true else 0 %}{{ x + 1 }} {% set t = a + b * 2 %}{{ t }} {{ n }} {{ a }}",
                "--var",
                "n=1.50",
                "--var",
                "a=1.10",
                "--var",
                "b=2",
            ],
            "2.5 5.1 1.50 1.10",
        ),
        (
            &[
                "--inline",
                "{{ '%(n)s: %(p)05.1f'|format(p=p, n=1) }} {{ '{n}: {:.2f}'.format(p, n=1) }} {{ '{0} {0:.2f}'.format(p) }} \
                 {{ '%.2f'|format(p or 0) }} {{ '{:{w}.1f}'.format(p if p else 0, w=5) }} {{ [p or 0, 1]|sum }} {{ p }}",
                "--var",
                "p=2.50",
            ],
            "1: 002.5 1: 2.50 2.50 2.50 2.50   2.5 3.5 2.50",
        ),
        (
            &[
                "--inline",
                "{% set v = a if a >= 1 else '1.0' %}{% set n = b if b else 1 %}{% set m = c or b %}\
                 {{ v }} {{ n }} {{ n * 2 }} {{ m }} {{ m + 1 }} {{ c|default(b) }} {{ c|default(b) - 1 }}",
                "--var",
                "a=1.10",
                "--var",
                "b=10",
                "--var",
                "c=1.50",
            ],
            "1.10 10 20 1.50 2.5 1.50 0.5",
        ),
        (
            &[
                "--inline",
                "{% if x %}{% set v = p %}{% else %}{% set v = 1 %}{% endif %}{{ v }} {{ v * 2 }} \
                 {% set w = p %}{% if x == '2' %}{% set w = 1 %}{% endif %}{{ w }} {{ w + 2 }}",
                "--var",
                "p=2.50",
                "--var",
                "x=1",
            ],
            "2.50 5.0 2.50 4.5",
        ),
        (
            &[
                "--inline",
                "{{ (p + q) * 2 }} {{ (p + q)|float }} {{ '%.2f'|format(p + q) }} {% for x in [p, q] %}{{ x * 2 }} {% endfor %}\
                 {% set ns = namespace(t=0) %}{% set ns.t = ns.t + p %}{{ ns.t }} {% set s = p + q %}{{ -s }} {{ p }}",
                "--var",
                "p=2.50",
                "--var",
                "q=9",
            ],
            "23.0 11.5 11.50 5.0 18 2.5 -11.5 2.50",
        ),
        (
            &[
                "--inline",
                "{% if p > 1024 %}{% endif %}{{ h + ':' + p }} {{ {'8080': 'alt'}[p] }} {{ p in ['8080'] }} {{ p[:2] }}",
                "--var",
                "p=8080",
                "--var",
                "h=h",
            ],
            "h:8080 alt True 80",
        ),
        (&["--inline", "{{ p + q }} {{ p ~ q }} {{ ('0' + p)|int }}", "--var", "p=2", "--var", "q=9"], "11 29 2"),
        (
            &["--inline", "{{ a }} {{ a|upper }} {{ -a }} {{ a ~ (a + 1) }}", "--var", "a=1e2"],
            "1e2 1E2 -100.0 1e2101.0",
        ),
        (&["--inline", "{{ a * b }} {{ a }} {{ b }}", "--var", "a=1.50", "--var", "b= 2 "], "3.0 1.50  2 "),
        (&["--inline", "{% if a < b %}{{ b - a }}{% endif %}", "--var", "a=9.50", "--var", "b=10.50"], "1.0"),
        (&["--inline", "{{ n + 1 }} {{ n.zfill(3) }} {% if n == '5' %}five{% endif %}", "--var", "n=5"], "6 005 five"),
        (&["--inline", "{% if v == 3 %}3{% elif v == 'new' %}new{% endif %}", "--var", "v=3"], "3"),
        (&["--inline", "{{ a - 1 }}{{ a }}", "--var", "a=-0"], "-1.0-0"),
        (&["--inline", "---\n{{ a }}", "--vars", "{\"a\": \"x\"}"], "---\nx"),
        (&["--inline", "-- sql {{a}}", "--var", "a=-x"], "-- sql -x"),
        (&["--inline", "--help"], "--help"),
        (&["--inline", "{{.}}", "--vars", "-5"], "-5"),
        (&["--inline", "no variables"], "no variables"),
        (&["--inline", ""], ""),
    ] {
        let ran = run(&mut world.command(&[&["render"], words].concat()), None).exits(0);
        assert_eq!(ran.text(), expected, "{words:?}");
    }
    // Partials of any name can be given; one of the selection must be the only one with its name.
    world.put(".templates/m.tpl", b"{{> license}}");
    for file in ["x.tpl", "sub/x.tpl"] {
        world.put(&format!(".templates/{file}"), b"x");
    }
    let given = world.run(&["render", "m.tpl", "--partial", "license=MIT"]).exits(0);
    assert_eq!((given.text(), given.stderr.contains("partial")), ("MIT", false), "{given}");
    let lacking = world.run(&["render", "m.tpl"]).exits(0);
    assert_eq!(lacking.stderr.matches("unknown partial").count(), 1, "{lacking}");
    let several = world.run(&["render", "--inline", "{{> x}}{{#a}}{{/a}}"]).exits(1);
    assert!(several.stderr.contains("'x.tpl' matches several templates: "), "{several}");
    // `--file` is relative to the current folder.
    let below = run(world.command(&["render", "--file", "hello.txt.tpl"]).current_dir(world.path.join("kit")), None);
    assert_eq!(below.exits(0).text(), "Hello !\n");
}

#[test]
fn a_failed_rendering_reports_what_and_where() {
    let world = with_kit();
    let ran = world.run(&["render", "loop.py.tmpl", "--var", "xz:=[1]"]).exits(1);
    assert!(ran.stdout.is_empty(), "{ran}");
    for words in ["'xs'", "line 1", "'xz'"] {
        assert!(ran.stderr.contains(words), "{words}: {ran}");
    }
    let answer = world.json(&["render", "loop.py.tmpl"], 1);
    assert_eq!((&answer["success"], &answer["line"]), (&json!(false), &json!(1)));
    // What a template uses is unknown if it cannot be analysed.
    for template in ["{{#if (eq a b)}}x{{/if}}", "{{#a}}{{/b}}"] {
        let answer = world.json(&["render", "--inline", template, "--vars", "{\"a\": 1, \"b\": 1}"], 1);
        assert_eq!(answer["variables_unused"], json!([]), "{template}");
    }
    let short = world.run(&["render", "hello"]).exits(1);
    assert!(short.stderr.contains("no template is named 'hello' (did you mean 'hello.txt.tpl'?)"), "{short}");
    let empty = world.run(&["render", "hello.txt.tpl"]).exits(0);
    assert!(empty.stderr.contains("name"), "an unset variable of Mustache is empty and said: {empty}");
}

#[test]
fn values_that_are_only_tested_can_be_left_out() {
    let world = Workspace::with(&[(".templates/t.tpl", "{% if x %}a{% endif %}{{ y }}")]);
    let ran = world.run(&["render", "t.tpl", "--var", "y=1"]).exits(1);
    for said in ["undefined variable 'x' at line 1", "leave it out with --var x:=false"] {
        assert!(ran.stderr.contains(said), "{ran}");
    }
    assert_eq!(world.run(&["render", "t.tpl", "--var", "y=1", "--var", "x:=false"]).exits(0).text(), "1");
    let ran = world.run(&["render", "t.tpl", "--var", "x:=false"]).exits(1);
    assert!(ran.stderr.contains("'y' at line 1") && !ran.stderr.contains(":=false"), "{ran}");
    let ran = world.run(&["render", "--inline", "{{ y }}"]).exits(1);
    assert!(ran.stderr.contains("fix: give it a value with --var NAME=VALUE\n"), "{ran}");
    for (text, given, fix) in [
        ("{% for x in l %}{{ x.n }}{% endfor %}", None, r#"give 'l' a value with --var 'l:=[{"n":""}]'"#),
        (
            "{% for x in l %}{{ x.n }}{% endfor %}",
            Some("l=abc"),
            r#"'l' is a list, but a text is given for it; give 'l' a value with --var 'l:=[{"n":""}]'"#,
        ),
        (
            "{% for x in l %}{{ x.n }}{% endfor %}",
            Some(r#"l=[{"n":1}]"#),
            r#"'l' is a list, but a text is given for it; give 'l' a value with --var 'l:=[{"n":1}]'"#,
        ),
        (
            "{% for x in l %}{{ x.n }}{% endfor %}",
            Some(r#"l:=[{"n":1},{"m":1}]"#),
            "give 'l[1].n' a value, in the JSON of 'l'; given and not used: 'l[1].m'",
        ),
        (
            "{% for x in l %}{{ x.n }}{{ x.m }}{% endfor %}",
            Some("l:=[1]"),
            r#"'l' is a list of objects with m and n; give 'l' a value with --var 'l:=[{"m":"","n":""}]'"#,
        ),
        ("{{ a.b }}", Some("a=1"), r#"'a' is an object with b; give 'a' a value with --var 'a:={"b":""}'"#),
        ("{{ a.b.c }}", Some(r#"a:={"x":1}"#), "give 'a.b' a value, in the JSON of 'a'; given and not used: 'a.x'"),
        ("{{ a.b }}", Some("a.b=1"), r#"give 'a' a value with --var 'a:={"b":""}'; given and not used: 'a.b'"#),
        ("{{ y }}{{ a.b }}", Some("a=1"), "give it a value with --var NAME=VALUE"),
    ] {
        let given: Vec<&str> = given.into_iter().flat_map(|given| ["--var", given]).collect();
        let ran = world.run(&[&["render", "--inline", text], &given[..]].concat()).exits(1);
        assert!(ran.stderr.contains(&format!("fix: {fix}\n")), "{text}: {ran}");
    }
    let rows = json!([{"name": "t.tpl", "vars": {"y": 1}, "output": "b.txt"}]).to_string();
    world.run(&["render", "--batch", &rows, "--yes"]).exits(0);
    assert_eq!(world.read("b.txt"), "1");
    // A batch takes no --var.
    for (text, fix) in [
        ("{{ q }}", r#"give it a value in "vars" of the row"#),
        ("{{ a.b }}", r#"write "a": {"b":""} in "vars" of the row"#),
    ] {
        let rows = json!([{"inline": text, "output": "c.txt"}]).to_string();
        let ran = world.run(&["render", "--batch", &rows]).exits(1);
        assert!(ran.stderr.contains(&format!("fix: {fix}\n")), "{text}: {ran}");
    }
}

#[test]
fn a_failing_rendering_says_which_text_stands_for_another_value() {
    let world = Workspace::with(&[(".templates/t.tpl", "{% for op in ops %}{{ op.method }}{% endfor %}")]);
    let ran = world.run(&["render", "t.tpl", "--var", r#"ops=[{"method":"get"}]"#]).exits(1);
    let fix =
        r#"fix: 'ops' is a list, but a text is given for it; give 'ops' a value with --var 'ops:=[{"method":"get"}]'"#;
    assert!(ran.stderr.contains(fix), "{ran}");
    let ran = world.run(&["render", "--inline", "{{ n + 1 }}", "--vars", r#"{"n":"3"}"#]).exits(1);
    assert!(
        ran.stderr.contains("fix: 'n' is a number, but the text '3' is given for it; give 3 without quotes"),
        "{ran}"
    );
}

#[test]
fn a_number_that_is_a_text_hides_no_other_advice() {
    let world = Workspace::with(&[]);
    let inline = |text: &str, given: &[&str]| {
        let given: Vec<&str> = given.iter().flat_map(|given| ["--var", given]).collect();
        world.run(&[&["render", "--inline", text, "--syntax", "jinja2"], &given[..]].concat())
    };
    for (text, given, fix) in [
        ("{{ title }} {{ sep * 20 }} {{ author }}", &["title=x", "sep=-"][..], "give it a value with --var NAME=VALUE"),
        (
            "{{ n }} {% if n == 'x' %}{{ n - 1 }}{% endif %}{{ author.name }}",
            &["n=a"],
            r#"give 'author' a value with --var 'author:={"name":""}'"#,
        ),
        (
            "{{ author }}{{ n - 1 }}",
            &["n=a"],
            "give it a value with --var NAME=VALUE; 'n' is a number, but the text 'a' is given for it; write it as in JSON, \
             such as 1000 or -0.5",
        ),
        (
            "{{ n - 1 }}",
            &["n=007"],
            "'n' is a number, but the text '007' is given for it; write it without leading zeros",
        ),
        // A missing variable is not a missing field with its name.
        ("{{ name }} {{ p.name }}", &["p:={}"], "give it a value with --var NAME=VALUE"),
        (
            "{{ name }} {% for p in people %}{{ p.name }}{% endfor %}",
            &["people:=[{}]"],
            "give it a value with --var NAME=VALUE",
        ),
        (
            "{{ id }} {% for p in people %}{{ p.name }}{% endfor %}",
            &["id=x", "people:=[{}]"],
            "give 'people[0].name' a value, in the JSON of 'people'",
        ),
    ] {
        let ran = inline(text, given).exits(1);
        assert!(ran.stderr.contains(&format!("fix: {fix}\n")), "{text}: {ran}");
    }
    for (text, given, expected) in [
        ("{{ sep * 5 }}", &["sep=-"][..], "-----"),
        ("{{ fmt % name }}", &["fmt=Hello %s", "name=x"], "Hello x"),
        ("{% if mode == 'a' %}{{ n - 1 }}{% else %}{{ n }}{% endif %}", &["mode=b", "n=auto"], "auto"),
        ("{% if dir %}cd {{ dir }}{% endif %}", &["dir=."], "cd ."),
    ] {
        let ran = inline(text, given).exits(0);
        assert_eq!((ran.text(), ran.stderr.as_str()), (expected, ""), "{text}");
    }
}

#[test]
fn the_language_that_was_asked_for_settles_what_looks_like_go() {
    let world = Workspace::with(&[(".templates/price.tpl", "Price: {{$price}} {{name}}")]);
    let ran = world.run(&["render", "price.tpl", "--var", "name=x"]).exits(1);
    assert!(
        ran.stderr.contains(r#"set its language in .jaato/templates/overrides.json: {"price.tpl": "mustache"}"#),
        "{ran}"
    );
    let ran = world.run(&["render", "price.tpl", "--var", "name=x", "--syntax", "mustache"]).exits(0);
    assert_eq!(ran.text(), "Price:  x");
}

#[test]
fn the_path_within_any_source_names_a_template() {
    let world = Workspace::with(&[
        ("a/p/B.tpl", "inner"),
        ("a/q/B.tpl", "other"),
        (
            "references.json",
            r#"{"sources": [{"id": "sa", "name": "A", "path": "a"}, {"id": "sp", "name": "P", "path": "a/p"}]}"#,
        ),
    ]);
    world.run(&["select", "sa", "sp"]).exits(0);
    for (name, text) in [("sp/B.tpl", "inner"), ("sa/p/B.tpl", "inner"), ("p/B.tpl", "inner"), ("sa/q/B.tpl", "other")]
    {
        assert_eq!(world.run(&["render", name]).exits(0).text(), text, "{name}");
        assert_eq!(world.run(&["templates", "show", name]).exits(0).text(), text, "{name}");
    }
    world.run(&["render", "sa/B.tpl"]).exits(1);
}

#[test]
fn a_path_within_several_sources_is_refused() {
    let world = Workspace::with(&[
        ("s/a/E.tpl", "one"),
        ("s/b/y/E.tpl", "two"),
        ("s/b/y/F.tpl", "three"),
        (
            "references.json",
            r#"{"sources": [{"id": "x/y", "name": "A", "path": "s/a"}, {"id": "x", "name": "B", "path": "s/b"}]}"#,
        ),
    ]);
    world.run(&["select", "x/y", "x"]).exits(0);
    let several = world.run(&["render", "x/y/E.tpl"]).exits(1);
    assert!(several.stderr.contains("'x/y/E.tpl' matches several templates: a/E.tpl, y/E.tpl"), "{several}");
    assert_eq!(world.run(&["render", "x/y/F.tpl"]).exits(0).text(), "three");
}

#[test]
fn unused_values_and_missing_values() {
    let world = with_kit();
    let inline = |template, values| world.run(&["render", "--inline", template, "--vars", values]);
    let ran = inline("{{ alpha }} {{ beta }} {{ gamma }}", "{\"alph\": 1, \"beta\": 2}").exits(1);
    assert!(ran.stderr.contains("'alpha' at line 1 (did you mean 'alph'?)"), "{ran}");
    assert!(ran.stderr.contains("also missing: 'gamma'") && !ran.stderr.contains("missing: 'alpha'"), "{ran}");
    for (template, values, said) in [
        ("{{#list}}{{/list}}x", "{\"list\": [], \"lst\": 1}", &["'lst' is given but not used"][..]),
        ("{% if a %}{{ b }}{% endif %}", "{\"a\": false}", &["'b' is required but not given"]),
        // Values that only a partial uses count as used.
        (
            "{{#o}}{{b}}{{>p}}{{/o}}{{>p}}",
            "{\"a\": 1, \"o\": {\"a\": 2, \"b\": 3, \"spare\": 4}}",
            &["'o.spare' is given but not used"],
        ),
        ("{{#a}}{{/a}}{{other}}", "{\"a\": []}", &["undefined variable 'other' at line 1"]),
        ("{{#a}}{{/a}}{{other}}", "{\"a\": [], \"other\": 1}", &[]),
        ("{{.}}", "{\"a\": 1}", &[]),
        ("{{#each this}}{{this}}{{/each}}{{b}}", "{\"a\": 1, \"b\": 2}", &[]),
    ] {
        let words = ["render", "--inline", template, "--vars", values, "--partial", "p=Q{{a}}"];
        assert_eq!(world.json(&words, 0)["warnings"], json!(said), "{template}");
    }
}

#[test]
fn templates_that_cannot_be_used_say_so_where_they_are_asked_for() {
    let large = "x".repeat(1024 * 1024 + 1);
    let world = Workspace::with(&[(".templates/big.tpl", large.as_str()), (".templates/broken.tpl", "a\n{% if %}")]);
    world.put(".templates/bad.tpl", b"ok\n\xff");
    let listed = world.json(&["templates", "list"], 0);
    let problems: Vec<&str> =
        listed["templates"].as_array().unwrap().iter().map(|it| it["problem"].as_str().unwrap()).collect();
    assert!(problems[0].contains("exceeds the limit") && problems[1].contains("line 2"), "{problems:?}");
    for (words, said, fix) in [
        (
            &["render", "bad.tpl"][..],
            ".templates/bad.tpl is not UTF-8: line 2 has invalid bytes",
            "correct .templates/bad.tpl:2",
        ),
        (&["templates", "show", "bad.tpl"], ".templates/bad.tpl is not UTF-8: line 2", "correct .templates/bad.tpl:2"),
        (
            &["render", "big.tpl"],
            ".templates/big.tpl exceeds the limit",
            "split it, or move it out of the templates folder",
        ),
        (&["templates", "validate", ".templates/big.tpl"], "exceeds the limit", "split it"),
    ] {
        let ran = world.run(words).exits(1);
        let shown = format!("{}{}", ran.text(), ran.stderr);
        assert!(shown.contains(said) && shown.contains(&format!("fix: {fix}")), "{ran}");
        let times = shown.matches("is not UTF-8").count();
        assert!(times == 1 || !said.contains("UTF-8"), "{ran}");
    }
    let start = world.feed(&["enrich", "--kind", "system_instructions"], b"").exits(0);
    assert!(!start.text().contains("TEMPLATE AVAILABLE"), "{start}");
    let only = Workspace::with(&[]);
    only.put(".templates/bad.tpl", b"\xff");
    let ran = only.run(&["templates"]).exits(0);
    assert!(ran.text().contains("no templates that can be read") && !ran.stderr.contains("refdesk select"), "{ran}");
    let problem = only.json(&["check"], 1)["errors"][0].clone();
    assert_eq!((&problem["code"], &problem["line"]), (&json!("template-unreadable"), &json!(1)), "{problem}");
}

#[test]
fn a_text_that_is_taken_for_a_flag_or_a_list_is_reported_with_what_to_write() {
    let world = Workspace::with(&[(
        ".templates/f.tpl",
        "{% if dry %}D{% else %}L{% endif %}{% for s in steps %}-{{ s }}{% endfor %}",
    )]);
    let ran = world.run(&["render", "f.tpl", "--var", "dry=false", "--var", "steps=ab"]).exits(0);
    assert_eq!(ran.text(), "D-a-b");
    for said in [
        "warning: 'dry' is yes or no, and the text 'false' counts as yes\n  fix: write --var dry:=false",
        "warning: 'steps' is a list, but a text is given for it\n  fix: write --var steps:='[\"\"]'",
    ] {
        assert!(ran.stderr.contains(said), "{ran}");
    }
    let right = world.run(&["render", "f.tpl", "--var", "dry:=false", "--var", "steps:=[\"ab\"]"]).exits(0);
    assert_eq!((right.text(), right.stderr.as_str()), ("L-ab", ""));
}

#[test]
fn values_that_are_not_json_are_explained() {
    let world = Workspace::with(&[]);
    for (words, said) in [
        (
            &["--var", "a:=nope"][..],
            "--var 'a:=nope' is not JSON: this is not a value at line 1 column 2\n  fix: := takes JSON, for example --var 'fields:=[\"id\"]'; for a text write --var 'a=nope'",
        ),
        (&["--var", "a:=[1"], "a list is not closed at line 1 column 2"),
        (&["--vars", "{\"a\":1"], "the values are not JSON: an object is not closed at line 1 column 6"),
        (&["--vars", "{'a':1}"], "a key is not in double quotes at line 1 column 2"),
        (&["--vars", ""], "the text ends where a value belongs at line 1 column 1"),
    ] {
        let ran = world.run(&[&["render", "--inline", "x"], words].concat()).exits(2);
        assert!(ran.stderr.contains(said), "{words:?}: {ran}");
    }
    let ran = world.run(&["render", "--batch", "nope"]).exits(2);
    assert!(ran.stderr.contains("it is not JSON: this is not a value at line 1 column 2"), "{ran}");
}
