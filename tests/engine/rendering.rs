//! Rendering in a worker process: whatever a template or a signal does to the worker, the desk stays small and the next
//! rendering works. The test process is the desk.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use refdesk_desk::Options;
use refdesk_desk::engine::{self, Request, Response};
use refdesk_templates::Syntax;
use refdesk_templates::render::{RenderJob, Renderer};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::engine::world::{LONG, World, options, session};
use crate::support::alone::is_alone;
use crate::support::hostile;
use refdesk_files::scale::scaled;

/// These tests count the workers of this process, so only one may run at a time.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn one_at_a_time() -> MutexGuard<'static, ()> {
    ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner)
}

fn renderer() -> Renderer {
    Renderer::with_worker(PathBuf::from(env!("CARGO_BIN_EXE_refdesk")))
}

#[track_caller]
fn check_rendering(renderer: &Renderer) {
    let job = RenderJob::new("Hello {{ name }}!\n", Syntax::Jinja2, json!({"name": "Ada"}));
    assert_eq!(renderer.render(&job).unwrap().text, "Hello Ada!\n");
}

/// A job that uses up its time limit.
fn slow_job() -> RenderJob {
    let text = "{% set x = 'a' * 10000000 %}{% for i in range(90000) %}{% set y = x|upper %}{% endfor %}";
    RenderJob::new(text, Syntax::Jinja2, json!({}))
}

/// The living workers of this process.
fn workers() -> Vec<Pid> {
    let is_worker = |id: &str| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let called = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        // State and parent follow the name in parentheses.
        let mut after = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
        let (state, parent) = (after.next(), after.next());
        state != Some("Z") && parent == Some(&std::process::id().to_string()) && called.contains("render-worker")
    };
    let ids = fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().into_string().ok());
    ids.filter(|id| is_worker(id)).filter_map(|id| Pid::from_raw(id.parse().ok()?)).collect()
}

#[track_caller]
fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < LONG, "never: {what}");
        std::thread::yield_now();
    }
}

fn kill(worker: Pid) {
    kill_process(worker, Signal::KILL).unwrap();
}

/// The peak memory of this process, in MiB.
fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
}

#[test]
fn no_template_ends_the_desk() {
    // Its memory is measured, so it needs a process without other tests.
    if !is_alone("engine::rendering::no_template_ends_the_desk") {
        return;
    }
    let renderer = renderer();
    let values: Value = serde_json::from_str(hostile::VALUES).unwrap();
    let mut wrong = Vec::new();
    // `cli::limits` runs all of them. Each takes two seconds.
    for (language, text, says) in hostile::templates().into_iter().step_by(scaled(4, 1)) {
        let job = RenderJob::new(text.as_str(), Syntax::from_word(language).unwrap(), values.clone());
        let message = renderer.render(&job).map_or_else(|error| error.message, |_| "rendered".to_owned());
        if !message.contains(says) {
            wrong.push(format!("{language} {}: {message}, not {says}", hostile::begin(&text)));
        }
        check_rendering(&renderer);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let large = json!({"a": vec!["x".repeat(1_000_000); 70]});
    let message = renderer.render(&RenderJob::new("x", Syntax::Jinja2, large)).unwrap_err().message;
    assert!(message.contains("exceed the limit of 67108864 bytes (64 MiB)"), "{message}");
    check_rendering(&renderer);
    let most = RenderJob::new("{{ a * 15000000 }}", Syntax::Jinja2, json!({"a": "\u{1}"}));
    assert_eq!(renderer.render(&most).unwrap().text.len(), 15_000_000);
    assert!(peak_memory() < 300, "{} MiB", peak_memory());
}

#[test]
fn a_worker_starts_with_the_first_job_and_ends_with_the_last_renderer() {
    let _alone = one_at_a_time();
    let renderer = renderer();
    assert_eq!(workers(), []);
    check_rendering(&renderer);
    let first = workers();
    assert_eq!(first.len(), 1);
    let other = renderer.clone();
    drop(renderer);
    check_rendering(&other);
    assert_eq!(workers(), first, "clones share it");
    drop(other);
    assert_eq!(workers(), []);
}

#[test]
fn a_killed_worker_does_not_affect_later_renderings() {
    let _alone = one_at_a_time();
    let renderer = renderer();
    check_rendering(&renderer);
    for _ in 0..5 {
        kill(workers()[0]);
        check_rendering(&renderer);
    }
    // Killed in the middle of a job, after an earlier one: a new worker starts and returns the same result.
    let before = workers()[0];
    std::thread::scope(|scope| {
        let rendering = scope.spawn(|| renderer.render(&slow_job()).unwrap_err().message);
        kill(before);
        until("another worker", || workers().iter().any(|worker| *worker != before));
        kill(workers()[0]);
        let message = rendering.join().unwrap();
        let ended = message.contains("the render worker was killed: signal: 9");
        assert!(ended || message.contains("cannot be started"), "{message}");
    });
    check_rendering(&renderer);
}

#[test]
fn a_program_that_is_not_a_worker_is_reported() {
    let _alone = one_at_a_time();
    let folder = tempfile::tempdir().unwrap();
    for (program, says) in [(folder.path().join("gone"), "No such file"), ("/bin/cat".into(), "is not a render worker")]
    {
        let job = RenderJob::new("x", Syntax::Jinja2, json!({}));
        let message = Renderer::with_worker(program).render(&job).unwrap_err().message;
        assert!(message.starts_with("the render worker cannot be started: ") && message.contains(says), "{message}");
    }
}

#[test]
fn the_engine_goes_on() {
    let _alone = one_at_a_time();
    let files = [
        ("kit/good.txt.tpl", "Hello {{ name }}!\n".to_owned()),
        ("kit/endless.txt.tpl", slow_job().text),
        (
            "references.json",
            r#"{"sources": [{"id": "kit", "name": "Kit", "path": "kit"},
                {"id": "other", "name": "Other", "type": "inline", "content": "text"}]}"#
                .to_owned(),
        ),
    ];
    let world = World::of(&files.each_ref().map(|(name, text)| (*name, text.as_str())));
    let options = Options { renderer: renderer(), ..options(&world.workspace) };
    let World { folder, workspace, .. } = world;
    let mut world = World::with(folder, workspace, engine::start(options, session()).unwrap());
    world.send(Request::pick("kit"));
    world.until("both are there", |snapshot| snapshot.templates.templates.len() == 2);
    let preview = |template: &str| Request::Preview {
        template: template.to_owned(),
        values: None,
        typed: BTreeSet::new(),
        path: None,
    };
    for (template, says) in
        [("good.txt.tpl", "Hello "), ("endless.txt.tpl", "exceeds the limit of"), ("good.txt.tpl", "Hello ")]
    {
        let Response::Preview { outcome, .. } = world.ask(preview(template)) else { panic!("another answer") };
        let text = outcome.map_or_else(|failed| failed.error.message, |shown| shown.made.text);
        assert!(text.contains(says), "{template}: {text}");
    }

    let mut slow = Box::pin(world.engine.ask(world.engine.session(), preview("endless.txt.tpl")));
    world.send(Request::pick("other"));
    world.until("it is picked while a template renders", |snapshot| snapshot.selection.contains("other"));
    assert!(futures_util::FutureExt::now_or_never(&mut slow).is_none(), "the pick waited for the template");
    assert!(world.runtime.block_on(slow).is_some());
}
