//! Every state of the screen at three common sizes: its text, and its styles in a dark theme, in a light one and
//! without colours. One line per state, with keys in the keymap's notation.

use ratatui::layout::Size;

use crate::tui::fixture;
use crate::tui::input::Input;
use crate::tui::state::State;
use crate::tui::theme::{Colours, Theme, Themes};
use crate::tui::update::update;
use crate::tui::windows::WindowKind;
use refdesk_desk::RenderPreview;
use refdesk_desk::engine::{Event, Response};

use crate::tui::tests::{PROMPT, answer, busy_morning, event, paint, press, snapshot, typed};

/// A screen of the fixture after these keys.
fn desk(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    typed(&mut state, keys);
    state
}

/// The same after a busy morning, with a typed prompt that matches sources in every way.
fn busy(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    busy_morning(&mut state);
    press(&mut state, "3 Enter");
    update(&mut state, Input::Paste(PROMPT.to_owned()));
    typed(&mut state, "");
    typed(&mut state, keys);
    state
}

/// A rendered template, and what writing it would change.
fn proposed(size: Size, keys: &str, shown: &RenderPreview) -> State {
    let mut state = fixture::state(size.width, size.height);
    press(&mut state, "4");
    let template = || "CircuitBreaker.java.tpl".to_owned();
    let tell = |state: &mut State| {
        answer(state, Response::Preview { template: template(), outcome: Ok(shown.clone()) });
    };
    tell(&mut state);
    press(&mut state, keys);
    tell(&mut state);
    paint(&mut state);
    state
}

const JAVA: &str =
    "package org.example;\n\n/** Made. */\npublic class A {\n    private final String name = \"a\";\n}\n";

fn new_file(size: Size, keys: &str) -> State {
    proposed(size, keys, &fixture::proposed(JAVA, "src/A.java", None))
}

fn other_file(size: Size, keys: &str) -> State {
    let old = JAVA.replace("final ", "").replace("}", "\n    int more;\n}");
    proposed(size, keys, &fixture::proposed(JAVA, "src/A.java", Some(&old)))
}

fn refused(size: Size, keys: &str) -> State {
    proposed(size, keys, &fixture::refused(JAVA, "/etc/A.java is outside the workspace"))
}

/// A rendered text, and a value that makes rendering fail.
fn fails(size: Size, keys: &str) -> State {
    let mut state = new_file(size, "Enter \"a\"");
    press(&mut state, "\"b\"");
    let failed = fixture::unrendered("undefined variable 'nam' at line 5 (did you mean 'name'?)", Some(5));
    answer(&mut state, Response::Preview { template: "CircuitBreaker.java.tpl".to_owned(), outcome: Err(failed) });
    press(&mut state, keys);
    state
}

/// Values that the editor returned as invalid JSON.
fn no_json(size: Size, keys: &str) -> State {
    let mut state = desk(size, keys);
    update(&mut state, Input::Edited(Some("{\n  \"basePackage\": \"org,\n}\n".to_owned())));
    state
}

/// Two requests for a choice and one for approval of a write, with what the marked sources would add.
fn asked(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    let context = "to write a client of the payments service that survives its outages";
    let choice = |id, who| {
        let offered = ["retry-pattern", "timeouts", "java-service", "payments-api", "ticket-search", "release-notes"];
        fixture::asking(id, who, context, &offered)
    };
    let diff = "--- a/src/Order.java\n+++ b/src/Order.java\n@@ -1,3 +1,5 @@\n package shop;\n-class Order {\n+/** Made. */\n\
        +public class Order {\n+    private String id;\n }\n";
    let warnings = ["`field` is used nowhere", "the file has changed since it was made"];
    let write = fixture::asking_to_write("w", "codex over mcp", "src/Order.java", diff, &warnings);
    let waiting = [choice("r1", "claude over mcp"), choice("r2", "refdesk ask"), write];
    update(&mut state, Input::Snapshot(Box::new(fixture::with_requests(&waiting))));
    press(&mut state, keys);
    let follows = |ids: &[&str], tokens| refdesk_desk::SelectionChange {
        enters: ids.iter().map(|id| (*id).into()).collect(),
        cost: crate::common::change_cost::of_sources(tokens),
        ..refdesk_desk::SelectionChange::default()
    };
    let one = follows(&["java-service", "release-notes"], 28_990);
    let all = follows(&["java-service", "payments-api", "release-notes"], 28_990);
    answer(&mut state, Response::PicksPreview { one, all });
    state
}

/// A request that ended while it was shown.
fn ended(size: Size, how: &refdesk_desk::engine::RequestEnd) -> State {
    let mut state = asked(size, "A");
    let over =
        refdesk_desk::engine::ClosedRequest { request: state.snapshot.requests[0].request.clone(), ended: how.clone() };
    update(&mut state, Input::Snapshot(Box::new(fixture::with_requests(&[]))));
    event(&mut state, Event::Closed(Box::new(over)));
    state
}

/// A workspace whose settings would act outside it.
fn untrusted(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    let actions = [
        ("Questions to a person go to https://example.org/ask, with what $ASK_TOKEN holds.", 12),
        ("Agents may read everything in /srv/notes, which lies outside the workspace (source notes).", 41),
    ];
    update(&mut state, Input::Snapshot(Box::new(fixture::untrusted_snapshot(&actions))));
    press(&mut state, keys);
    state
}

fn timed_out(size: Size, _keys: &str) -> State {
    ended(size, &refdesk_desk::engine::RequestEnd::TimedOut)
}

fn answered_elsewhere(size: Size, _keys: &str) -> State {
    ended(
        size,
        &refdesk_desk::engine::RequestEnd::Elsewhere(refdesk_desk::engine::OtherAnswer {
            by: Some("a screen".to_owned()),
            reply: None,
        }),
    )
}

pub(super) fn snapshot_of(keys: &str, at: fn(Size, &str) -> State) -> String {
    let indexed = Theme::new(Colours::Indexed);
    let light = Themes::new(Colours::Indexed).theme("light").unwrap();
    let themes = [("dark", indexed), ("light", light), ("mono", Theme::new(Colours::Mono))];
    let shown = |(width, height)| {
        let state = at(Size { width, height }, keys);
        format!("{width}x{height}\n{}", snapshot::in_themes(&state, &themes))
    };
    [(80, 24), (120, 36), (200, 60)].map(shown).join("\n")
}

#[rustfmt::skip]
screens! { desk:
    catalog_at_start ""
    catalog_row "j"
    catalog_zoomed "z j"
    catalog_reading "j l"
    catalog_reading_at_its_end "j l G"
    catalog_searching "j l / \"pattern\""
    catalog_searched "j l / \"the\" Enter n"
    catalog_filtering "/ \"java\""
    catalog_filtered "/ \"java\" Enter j"
    catalog_filtered_by_terms "/ \"#java !selected\""
    catalog_filter_without_hits "/ \"cobol\""
    catalog_filter_with_an_invalid_term "/ \"java type:foo\""
    catalog_filter_without_common_hits "/ \"#java type:url\" Enter"
    catalog_sorted_by_id "s"
    catalog_sorted_by_tokens "$"
    catalog_sorted_by_tags "s s s s s"
    catalog_sorted_by_state "s s s s s s s j"
    selection_sorted_by_tokens "2 $"
    catalog_pick_refused "j j Space"
    selection_picked "2"
    selection_pulled_in "2 j"
    selection_missing "2 G k k k k"
    selection_excluded "2 G"
    selection_zoomed "2 z j j"
    selection_filtering "2 / \"err\""
    selection_filtered "2 / \"resil\" Enter j"
    selection_filtered_by_state "2 / \"missing\" Enter"
    selection_filter_without_hits "2 / \"payments\""
    hints_empty "3"
    hints_typing "3 Enter \"a java client\""
    hints_matches "3 Enter \"write a java client for @payments-api\" Esc"
    hints_zoomed "3 z Enter \"a java client\" Esc"
    templates_list "4"
    templates_zoomed "4 z"
    templates_reading "4 Right"
    templates_filtering "4 / \"retry\""
    templates_filter_without_hits "4 / \"cobol\" Enter"
    templates_values "4 i \"com.example\" Enter \"id\" C-o \"at\" Enter Space Esc k k"
    templates_typing_a_value "4 i \":={\""
    templates_typing_a_flag "4 i Up Enter Enter Enter"
    templates_item_removed "4 i Esc j j x"
    help_of_the_catalog "?"
    help_at_its_end "? G"
    help_searched "? / \"pick\""
    help_of_the_templates "4 ?"
    problems "d j"
    palette ":"
    palette_filtered "j : \"border\" Down"
    question_before_clearing "C"
    borders_moved "> > > > > > - - - -"
}

#[rustfmt::skip]
screens! { busy:
    matches_while_typing ""
    matches_hint "Esc j j"
    matches_passed_over "Esc G k"
    feed "Esc f j"
    feed_at_its_end "Esc f G k k"
    feed_filtering "Esc f / \"files\" Down"
    feed_filtered "Esc f / \"select @retry\" Enter"
    feed_new_rows_while_elsewhere "Esc 1"
}

fn agents(size: Size, keys: &str) -> State {
    let mut state = fixture::in_agents(size.width, size.height, "F7");
    press(&mut state, keys);
    state
}

screens! { agents:
    agents_sessions ""
    agents_session_of_a_failing_hook "G"
    agents_journal "Enter j"
    agents_known "Enter Tab j"
    agents_help "?"
}

fn databases(size: Size, keys: &str) -> State {
    let mut state = fixture::in_databases(size.width, size.height, keys);
    if state.open_window() == Some(WindowKind::Documentation) {
        answer(&mut state, Response::DatabasesPrepared(Ok(Box::new(fixture::prepared_run()))));
    }
    state
}

/// The databases view while pages are written.
fn documenting(size: Size, keys: &str) -> State {
    let mut state = databases(size, "w");
    press(&mut state, "y");
    event(&mut state, Event::DatabaseRun(fixture::progress(640, 2000)));
    press(&mut state, keys);
    state
}

screens! { databases:
    databases_first ""
    databases_page "j j j j Enter"
    databases_columns "j j j j Tab"
    databases_joins "j j j j Tab Tab j"
    databases_undocumented "/ \"bin\""
    databases_unreadable "G k k"
    databases_preview "w"
    databases_help "?"
}

screens! { documenting: databases_writing "" databases_pausing "Esc" databases_writing_elsewhere "1" }

/// The graph view, opened at the second source of the catalog.
fn graph(size: Size, keys: &str) -> State {
    let mut state = fixture::in_graph(size.width, size.height, "j R");
    press(&mut state, keys);
    if let Some(id) = state.action_target().map(str::to_owned) {
        let preview = fixture::preview_selection(&id, &[&id, "timeouts", "java-service"], &[&id, "retry-pattern"]);
        answer(&mut state, Response::SelectionPreview(preview));
    }
    state
}

screens! { graph:
    graph_neighbours ""
    graph_level "Down"
    graph_level_far_away "Right Right Right j"
    graph_map "Tab j"
    graph_map_filtering "Tab / \"java\""
    graph_hubs "Tab Tab"
    graph_cycles "Tab Tab Tab"
    graph_orphans "BackTab BackTab BackTab j"
    graph_broken_links "BackTab BackTab"
    graph_way_unmarked "BackTab"
    graph_way "m Right Right w j j"
    graph_help "?"
}

#[rustfmt::skip]
screens! { new_file:
    difference_of_a_new_file "v"
    write_a_new_file "Enter \"org\" Esc Esc w \"src/A.java\""
}

#[rustfmt::skip]
screens! { other_file:
    difference_of_an_existing_file "v l"
    write_overwriting_a_file "Enter \"org\" Esc Esc w \"src/A.java\""
}

#[rustfmt::skip]
screens! { refused:
    difference_refused "v"
    write_refused "w \"/etc/A.java\""
}

#[rustfmt::skip]
screens! { fails:
    preview_of_the_last_good_text ""
    preview_of_the_template "Esc v"
}

#[rustfmt::skip]
screens! { no_json:
    values_with_invalid_json "4 E"
}

#[rustfmt::skip]
screens! { asked:
    request_unfocused ""
    request_focused "A j j"
    request_marked "A j j Space j Space"
    request_filtering "A / \"java\""
    request_for_a_write "A [ "
    request_for_a_write_opened "A [ Enter"
}

screens! { untrusted: trust_needed "" trust_opened "!" }
screens! { timed_out: request_timed_out "" }
screens! { answered_elsewhere: request_answered_elsewhere "" }
