//! No template and no values can end, freeze or starve the program: each is an error that names the limit.

use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::Instant;

use crate::support::hostile::{VALUES, templates};
use crate::support::program::{LIMIT, Ran, kill, run};
use crate::support::workspace::Workspace;

#[track_caller]
fn fails(world: &Workspace, words: &[&str], code: i32, says: &str) -> Ran {
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

#[test]
fn no_partial_ends_the_program() {
    let world = Workspace::new();
    fails(&world, &["render", "--inline", "{{>p}}", "--partial", "p=x{{>p}}"], 1, "the limit of 64 partials");
    let doubling: Vec<String> = (0..60).map(|at| format!("p{at}={{{{>p{}}}}}{{{{>p{}}}}}", at + 1, at + 1)).collect();
    let mut words = vec!["render", "--inline", "{{>p0}}"];
    words.extend(doubling.iter().flat_map(|partial| ["--partial", partial.as_str()]));
    fails(&world, &words, 1, "the rendering passes the limit of ");
}

#[test]
fn no_file_is_too_large_to_be_refused() {
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
        fails(&world, words, 2, "18446744073709551616 passes the limit of 64 bits");
    }
}

#[test]
fn what_is_within_the_limits_is_rendered() {
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

/// The state letter and the parent of a process that is there.
fn process(id: u32) -> Option<(char, u32)> {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).ok()?;
    // After the name in parentheses.
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

/// A system that gives no more threads (it does, to its administrator).
#[cfg(target_os = "linux")]
#[test]
fn without_threads_there_is_an_answer() {
    let world = Workspace::new();
    for (words, works) in [(["list", "--selected"], true), (["render", "--inline=x"], false)] {
        let whole = world.command(&[&["--format", "json"], &words[..]].concat());
        let mut command = Command::new("bash");
        command.args(["-c", "ulimit -u 1; exec \"$0\" \"$@\""]).arg(whole.get_program()).args(whole.get_args());
        for (name, value) in whole.get_envs() {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        let ran = run(&mut command, None);
        let answer = ran.json();
        let says = "the render worker cannot be started";
        let told = answer["error"]["message"].as_str().is_none_or(|message| !works && message.contains(says));
        assert!(told && matches!(ran.code, 0 | 1), "{ran}");
    }
}
