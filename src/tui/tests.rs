//! Tests of the screen as a whole: keys in the keymap's notation go in, and cells or effects come out. They need no
//! engine, no terminal and no files.

/// One test per name: a snapshot after these keys, pressed in the state that `$at` makes.
macro_rules! screens {
    ($at:ident: $($name:ident $keys:literal)*) => {
        $(
            #[test]
            fn $name() {
                insta::assert_snapshot!(snapshot_of($keys, $at));
            }
        )*
    };
}

mod agents;
mod all_shown;
mod appearance;
mod catalog;
mod consequences;
mod databases;
mod enrichment;
mod external;
mod feed;
pub(crate) mod fixture;
mod forms;
mod graph;
mod jump;
mod keymap;
mod keys;
mod laws;
mod mouse;
mod moves;
mod palette;
mod profiles;
mod prompt;
mod reading;
mod requests;
mod returning;
mod screens;
mod selection;
mod session;
mod snapshot;
mod states;
mod themes;
mod tour;
mod views;
mod welcome;
mod writes;

use std::path::Path;

use refdesk_desk::FileLine;
use refdesk_desk::engine::{Actor, Event, Notice, Request, Response, Topic};
use refdesk_enrich::Matcher;

use crate::tui::catalog::reading::has_left_document;
use crate::tui::highlight::{HighlightSubject, Highlighter};
use crate::tui::input;
use crate::tui::input::{Effect, Input};
use crate::tui::key::Key;
use crate::tui::pane::Pane;
use crate::tui::state::State;
use crate::tui::update::update;

/// Presses these keys, written as in the keymap and separated by blanks; `"text"` types its characters. Returns the
/// effects.
pub(super) fn press(state: &mut State, keys: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for (nth, part) in keys.split('"').enumerate() {
        if nth % 2 == 1 {
            for c in part.chars() {
                let typed = input::of_key(state, Key::char(c));
                effects.extend(typed.map(|typed| rested(state, typed)).unwrap_or_default());
            }
            continue;
        }
        for key in part.split_whitespace() {
            let key: Key = key.parse().unwrap_or_else(|no_key| panic!("{no_key}"));
            let meant = input::of_key(state, key);
            effects.extend(meant.map(|meant| rested(state, meant)).unwrap_or_default());
        }
    }
    effects
}

/// Applies an input and lets the cursor rest.
fn rested(state: &mut State, input: Input) -> Vec<Effect> {
    let mut effects = update(state, input);
    if has_left_document(state) {
        effects.extend(update(state, Input::Rest));
    }
    effects
}

/// The requests to the engine, except those that panes send themselves for the row under the cursor.
fn commands(effects: &[Effect]) -> Vec<Request> {
    let sent = effects.iter().filter_map(|effect| match effect {
        Effect::Ask(
            Request::PreviewSelection(_)
            | Request::Read { .. }
            | Request::Simulate { .. }
            | Request::AnalyseGraph
            | Request::Agents
            | Request::Databases
            | Request::DatabasePage { .. },
        ) => None,
        Effect::Ask(command) => Some(command.clone()),
        _ => None,
    });
    sent.collect()
}

/// The screen as text, without trailing blanks.
pub(super) fn screen(state: &State) -> String {
    snapshot::text(&snapshot::buffer(state))
}

/// Answers the newest question of this kind.
pub(super) fn answer(state: &mut State, response: Response) -> Vec<Effect> {
    update(state, Input::Answer { question: None, response })
}

/// Answers with an outdated question id, as if a newer question of this kind were open.
fn stale(state: &mut State, response: Response) {
    update(state, Input::Answer { question: Some(0), response });
}

fn event(state: &mut State, event: Event) -> Vec<Effect> {
    update(state, Input::Event(event))
}

/// Presses keys and answers the resulting requests.
fn typed(state: &mut State, keys: &str) {
    press(state, keys);
    let id = state.subject(Pane::Catalog).unwrap_or_default().to_owned();
    answer(state, Response::Document(fixture::document(&id, fixture::TEXT)));
    let text = "public class {{Entity}} {\n\tprivate String name;\n}\n".repeat(8);
    let outcome = Ok(fixture::shown(&text));
    answer(state, Response::Preview { template: "CircuitBreaker.java.tpl".to_owned(), outcome });
    paint(state);
    let snapshot = &state.snapshot;
    let prompt = state.hints.prompt.text();
    let findings = Matcher::default().candidates(prompt, &snapshot.catalog, &snapshot.selection, false);
    answer(state, Response::Findings(findings));
    if let Some(id) = state.subject(state.focus).map(str::to_owned) {
        let preview = fixture::preview_selection(&id, &[&id, "timeouts", "java-service"], &[&id, "retry-pattern"]);
        answer(state, Response::SelectionPreview(preview));
    }
}

/// Highlights pending text, as the worker would.
fn paint(state: &mut State) {
    let mut highlighter = Highlighter::default();
    let Some(lines) = state.templates.painted.clone() else { return };
    let mut walk = highlighter.begin(&["java".to_owned()]);
    let colours = lines.iter().map(|line| highlighter.line(&mut walk, line)).collect();
    let (subject, generation) = (HighlightSubject::Preview, state.templates.painting);
    update(state, Input::Highlighted { subject, generation, from: 0, colours });
}

fn message(state: &State) -> &str {
    state.message.as_ref().map_or("", |message| message.text.as_str())
}

/// A prompt that matches sources in every way.
const PROMPT: &str = "write a java client for @payments-api\nsee src/tickets/api.rs, the @release-notes and style";

/// The events of a busy morning.
fn busy_morning(state: &mut State) {
    let other = || Actor::Other("refdesk select".into());
    let spot = |path: &str, line| Some(FileLine { path: Path::new(fixture::WORKSPACE).join(path), line });
    for (time, who, topic, text, reason, subject) in [
        ("09:14:02", Actor::Files, Topic::Desk, "Too many folders to watch: they are looked at every 2 s", "", None),
        ("09:20:31", Actor::You, Topic::Selection, "Picked @circuit-breaker", "", Some("circuit-breaker")),
        (
            "09:20:31",
            Actor::You,
            Topic::Selection,
            "References transitively included: @retry-pattern (from @circuit-breaker), @timeouts (from @circuit-breaker, \
             @retry-pattern), @error-handling (from @retry-pattern), +1 more",
            "~2868 tokens",
            Some("retry-pattern"),
        ),
        ("10:02:40", other(), Topic::Selection, "Excluded @release-notes", "", Some("release-notes")),
        ("10:41:07", Actor::Files, Topic::Document, "@timeouts changed", "~600 to ~640 tokens", Some("timeouts")),
        ("10:58:50", Actor::Files, Topic::Catalog, "Gone from the catalog: @old-runbook", "", Some("old-runbook")),
        ("11:03:12", Actor::Files, Topic::Problem, "error: references.json:41:15: `tags` is a number", "", None),
        (
            "11:03:13",
            Actor::Files,
            Topic::Selection,
            "@retry-pattern now mentions @error-handling: pulled in",
            "adr/adr-005.md:7",
            Some("error-handling"),
        ),
    ] {
        let subject = subject.map(Into::into);
        let place = match topic {
            Topic::Problem => spot("references.json", 41),
            _ if reason.contains(".md:") => spot("adr/adr-005.md", 7),
            _ => None,
        };
        let notice = Notice::new(who, topic, text);
        let notice = Notice {
            time: time.to_owned(),
            reason: reason.to_owned(),
            subject,
            several: text.starts_with("References"),
            place,
            ..notice
        };
        event(state, Event::Notice(notice));
    }
}
