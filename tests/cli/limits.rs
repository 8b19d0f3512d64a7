//! No template and no values can crash, hang or exhaust the program: each case is an error that names the limit.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::support::hostile::{VALUES, templates};
use crate::support::program::{LIMIT, ProgramRun, kill, run};
use crate::support::workspace::Workspace;
use refdesk_files::scale::scaled;
use serde_json::json;

#[track_caller]
fn fails(world: &Workspace, words: &[&str], code: i32, says: &str) -> ProgramRun {
    let ran = world.run(words).exits(code);
    assert!(ran.stderr.contains(says), "not '{says}': {ran}");
    assert!(ran.stdout.is_empty() && ran.stderr.len() < 10_000, "{ran}");
    ran
}

#[test]
fn no_template_ends_the_program() {
    let world = Workspace::new();
    for (language, text, says) in templates() {
        world.put("hostile.tpl", text.as_bytes());
        let words = ["render", "--file", "hostile.tpl", "--syntax", language, "--vars", VALUES];
        fails(&world, &words, 1, says);
    }
}

/// Templates in which each item contains the previous one twice, thirty times over, and the last is written as JSON: a
/// billion items.
fn doubled_json_templates() -> Vec<String> {
    let json = |from: &str, again: &str, end: &str| {
        format!("{{% set x = {from} %}}{}{end}", format!("{{% set x = {again} %}}").repeat(30))
    };
    vec![
        json("[1]", "[x, x]", "{{ x|tojson }}"),
        json("['some text']", "[x, x]", "{{ x|tojson|length }}"),
        json("{'a': 1}", "{'a': x, 'b': x}", "{{ x|tojson(indent=2) }}"),
        json("dict(a=1)", "dict(a=x, b=x)", "{{ {'x': x}|tojson }}"),
        json("(1,)", "(x, x)", "{{ x[::-1]|tojson }}"),
        json("[]", "[x, {'a': x}]", "{{ x|tojson }}"),
        "{% set ns = namespace(x=[1]) %}{% for i in range(30) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x|tojson }}"
            .to_owned(),
    ]
}

/// Files of up to a megabyte that take quadratic time in a careless parser.
fn files() -> Vec<(&'static str, String)> {
    let bytes = scaled(512, 1024) * 1024;
    let all = |text: &str| text.repeat(bytes / text.len());
    let half = |begin: &str, text: &str, end: &str| format!("{begin}{}{end}", text.repeat(bytes / 2 / text.len()));
    let nested = |open: &str, close: &str| {
        let depth = bytes / (open.len() + close.len());
        format!("{}{}", open.repeat(depth), close.repeat(depth))
    };
    let path = vec!["a"; bytes / 10].join(".");
    vec![
        ("open-if", all("{{#if x}}")),
        ("open-each", all("{{#each x}}")),
        ("open-key", all("{{#if @key}}")),
        ("open-trim", all("{{~#if x~}}")),
        ("open-2", all("{{")),
        ("open-3", all("{{{")),
        ("open-4", all("{{{{")),
        ("nested-if", nested("{{#if x}}", "{{/if}}")),
        ("nested-each", nested("{{#each x}}", "{{/each}}")),
        ("nested-plain", nested("{{#x}}{{#if x}}", "{{/if}}{{/x}}")),
        ("dashes", all("{{!-- x }}")),
        ("params", format!("{{{{#each x as |{}|}}}}{}{{{{/each}}}}", half("", "a ", ""), half("", "{{b}}", ""))),
        ("long-with", format!("{{{{#with {path}}}}}{}{{{{/with}}}}", half("", "{{b}}", ""))),
        ("long-section", format!("{{{{#{path}}}}}{}{{{{/{path}}}}}", half("", "{{b}}", ""))),
        ("quotes", all("{{\"}}\"")),
        ("statement-quotes", all("{%\"%}\"")),
        ("escaped-quotes", format!("{{{{ {} }}}}", half("", "\"\\", ""))),
        ("braces", all("{")),
        ("comments", all("{#")),
        ("raw", all("{% raw %}")),
        ("sets", (0..40_000).map(|at| format!("{{% set a{at} = b %}}{{{{ a }}}}")).collect()),
        ("conditions", {
            let many: Vec<String> = (0..190).map(|at| format!("a{at}")).collect();
            let branch = |word: &str| format!("{{% {word} not ({}) %}}", many.join(" and "));
            let ors = format!("{{% if {} %}}", many.join(" or "));
            let branches = format!("{ors}{}", branch("elif").repeat(100));
            format!("{branches}{}{{% endif %}}", half("{% else %}", "{{ b }}", ""))
        }),
        ("generated", half("{{#", "line 1", &half("}}\n", "@generated\n", ""))),
    ]
}

/// A quadratic parser would exceed the test harness's timeout.
#[test]
fn no_template_file_delays_a_listing() {
    let world = Workspace::new();
    // One at a time, because all of them together exceed the limit of what is analysed.
    for (name, text) in files() {
        let path = format!(".templates/{name}.tpl");
        world.put(&path, text.as_bytes());
        let listed = world.run(&["templates", "list"]).exits(0);
        assert!(listed.text().contains(&format!("{name}.tpl")), "{name}: {listed}");
        assert!(listed.stderr.lines().all(|line| line.len() < 5_000), "no message repeats a file");
        fs::remove_file(world.path.join(&path)).unwrap();
    }
}

/// Enough templates to slow down the start of every session. Only the first ones are analysed, and that is reported.
#[test]
fn templates_beyond_the_limits_are_left_out_and_reported() {
    let mebibyte = |at: usize| format!("{{{{ v{at} }}}} {}", "x".repeat(1_000_000));
    let world = Workspace::of(json!([{"id": "many", "name": "Many", "path": "many"}]), &[]);
    for at in 0..20 {
        world.put(&format!(".templates/{at:02}.tpl"), mebibyte(at).as_bytes());
    }
    // Too large to be analysed, so it does not count towards the limit.
    world.put(".templates/00-large.tpl", "{{ v }}".repeat(3_000_000).as_bytes());
    for at in 0..30 {
        world.put(&format!("many/{at:02}.md"), format!("# Part {at}\n\n```java\n{}\n```\n", mebibyte(at)).as_bytes());
    }
    let block = format!("```java\n{}\n```\n\n", mebibyte(0));
    world.put("many/99.md", block.repeat(4).as_bytes());
    world.json(&["select", "many"], 0);
    let listed = world.json(&["templates", "list"], 0);
    let names: Vec<&str> =
        listed["templates"].as_array().unwrap().iter().filter_map(|it| it["name"].as_str()).collect();
    let standalone = names.iter().filter(|name| name.ends_with(".tpl")).count();
    // 16 of 1 MiB each, and the large one.
    assert_eq!(standalone, 17, "{names:?}");
    // Four documents are searched in parallel.
    assert_eq!(names.len() - standalone, 12, "{names:?}");
    let checked = world.json(&["check"], 1);
    let listed = |kind: &str| checked[kind].as_array().unwrap().iter().filter_map(|it| it["message"].as_str());
    let messages: Vec<&str> = listed("errors").chain(listed("warnings")).collect();
    for expected in [
        "exceeds the limit of 16 MiB for all templates together, so the rest are left out",
        "19 documents not searched for templates: the others have more than 8 MiB of code blocks",
    ] {
        assert!(messages.iter().any(|message| message.contains(expected)), "{messages:?}");
    }
    world.put("many/00.md", block.repeat(4).as_bytes());
    let checked = world.json(&["check"], 1).to_string();
    assert!(checked.contains("only the first 2 MiB of templates in the document are used"), "{checked}");
}

/// The same command under a limit set by a shell.
#[cfg(target_os = "linux")]
fn under(limit: &str, whole: &Command) -> Command {
    let mut command = Command::new("bash");
    command.arg("-c").arg(format!("{limit}; exec \"$0\" \"$@\""));
    command.arg(whole.get_program()).args(whole.get_args());
    for (name, value) in whole.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command
}

/// The address space is just enough for the worker itself.
#[cfg(target_os = "linux")]
#[test]
fn json_of_a_billion_items_takes_little_memory() {
    let world = Workspace::new();
    for text in doubled_json_templates() {
        let whole = world.command(&["render", "--syntax", "jinja2", "--inline", &text]);
        let ran = run(&mut under("ulimit -v 262144", &whole), None).exits(1);
        let limit = ran.stderr.contains("the output exceeds the limit of") || ran.stderr.contains("the limit of 2 s");
        assert!(limit && !ran.stderr.contains("of memory"), "{ran}");
    }
}

#[test]
fn no_partial_crashes_the_program() {
    let world = Workspace::new();
    fails(&world, &["render", "--inline", "{{>p}}", "--partial", "p=x{{>p}}"], 1, "the limit of 64 partials");
    let doubling: Vec<String> = (0..60).map(|at| format!("p{at}={{{{>p{}}}}}{{{{>p{}}}}}", at + 1, at + 1)).collect();
    let mut words = vec!["render", "--inline", "{{>p0}}"];
    words.extend(doubling.iter().flat_map(|partial| ["--partial", partial.as_str()]));
    fails(&world, &words, 1, "the rendering exceeds the limit of ");
}

#[test]
fn every_oversized_file_is_refused() {
    let world = Workspace::new();
    let large = |name: &str| File::create(world.path.join(name)).unwrap().set_len(100 * 1024 * 1024).unwrap();
    large("large.tpl");
    large("large.json");
    fails(&world, &["render", "--file", "large.tpl"], 1, "the limit of 1048576 bytes (1 MiB)");
    let vars = ["render", "--inline", "x", "--vars"];
    fails(&world, &[&vars[..], &["@large.json"]].concat(), 2, "the limit of 16777216 bytes (16 MiB)");
    for (text, says) in [
        (format!("{{\"a\": {}1{}}}", "[".repeat(100_000), "]".repeat(100_000)), "nest deeper than the limit of 100"),
        (format!("{{\"a\": [{}1]}}", "{\"\":0},".repeat(2_000_000)), "the limit of 250000 items"),
    ] {
        world.put("values.json", text.as_bytes());
        fails(&world, &[&vars[..], &["@values.json"]].concat(), 2, says);
    }
}

#[test]
fn no_number_is_rounded() {
    let world = Workspace::new();
    let rows = "[{\"inline\": \"{{ a }}\", \"vars\": {\"a\": 18446744073709551616}, \"output\": \"x\"}]";
    for words in [
        &["render", "--inline", "{{ a }}", "--vars", "{\"a\": 18446744073709551616}"][..],
        &["render", "--inline", "{{ a }}", "--var", "a:=18446744073709551616"],
        &["render", "--batch", rows, "--dry-run"],
    ] {
        fails(&world, words, 2, "18446744073709551616 exceeds the limit of 64 bits");
    }
}

#[test]
fn templates_within_the_limits_are_rendered() {
    let world = Workspace::new();
    let lines = "0123456789abcde\n".repeat(1_000_000);
    let rendered = world.run(&["render", "--inline", "{{ '0123456789abcde\\n' * 1000000 }}"]).exits(0);
    assert!(rendered.text() == lines);
    world.put("values.json", format!("{{\"a\": [{}1]}}", "1,".repeat(50_000)).as_bytes());
    for (template, syntax) in [
        ("{{ a|length }}", "jinja2"),
        ("{{#a}}{{.}}{{/a}}", "mustache"),
        ("{{#each a}}{{this}}{{/each}}", "handlebars"),
    ] {
        let words = ["render", "--inline", template, "--syntax", syntax, "--vars", "@values.json"];
        let rendered = world.run(&words).exits(0);
        let expected = if syntax == "jinja2" { "50001".to_owned() } else { "1".repeat(50_001) };
        assert!(rendered.text() == expected, "{template}");
    }
}

/// The state letter and the parent of a running process.
fn process(id: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // They follow the name in parentheses.
    let mut after = stat.rsplit(')').next()?.split_whitespace();
    Some((after.next()?.chars().next()?, after.next()?.parse().ok()?))
}

fn worker_of(desk: u32) -> Option<u32> {
    let ids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    ids.into_iter().find(|id| process(*id).is_some_and(|(_, parent)| parent == desk))
}

#[test]
fn a_worker_does_not_outlive_a_desk_that_is_killed() {
    let world = Workspace::new();
    let endless = "{% set x = 'a' * 10000000 %}{% for i in range(90000) %}{% set y = x|upper %}{% endfor %}";
    let begin = Instant::now();
    let mut command = world.command(&["render", "--inline", endless]);
    let mut desk = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let worker = loop {
        if let Some(worker) = worker_of(desk.id()) {
            break worker;
        }
        assert!(begin.elapsed() < LIMIT, "no worker comes");
        std::thread::yield_now();
    };
    kill(desk.id());
    desk.wait().unwrap();
    while process(worker).is_some_and(|(state, _)| state != 'Z') {
        assert!(begin.elapsed() < LIMIT, "the worker goes on without a desk");
        std::thread::yield_now();
    }
}

/// So few that the program barely starts.
#[test]
#[cfg(target_os = "linux")]
fn without_free_file_descriptors_the_program_still_answers() {
    let world = Workspace::new();
    for files in 5..14 {
        for words in [&["doctor"][..], &["mcp"], &["watch"], &["--plain"]] {
            // If `watch` starts, it ends only with its reader.
            let reader = if words == ["watch"] { "exec > >(true); " } else { "" };
            let ran = run(&mut under(&format!("{reader}ulimit -n {files}"), &world.command(words)), None);
            assert!(ran.code < 100 && !ran.stderr.contains("panicked"), "{files}: {ran}");
        }
    }
}

/// On a system without free threads. Root always gets more.
#[cfg(target_os = "linux")]
#[test]
fn without_free_threads_the_program_still_answers() {
    let world = Workspace::new();
    for (words, works) in [(["list", "--selected"], true), (["render", "--inline=x"], false)] {
        let whole = world.command(&[&["--format", "json"], &words[..]].concat());
        let ran = run(&mut under("ulimit -u 1", &whole), None);
        let answer = ran.json();
        let says = "the render worker cannot be started";
        let reported = answer["error"]["message"].as_str().is_none_or(|message| !works && message.contains(says));
        assert!(reported && matches!(ran.code, 0 | 1), "{ran}");
    }
}
