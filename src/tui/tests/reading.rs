//! Reading a document: rendered Markdown, links and mentions, the way back, and parts that are read on demand.

use std::path::Path;

use ratatui::layout::Size;

use crate::tui::fixture;
use crate::tui::highlight::{HighlightSubject, Highlighter};
use crate::tui::input::{Effect, Input};
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State};
use crate::tui::tests::states::snapshot_of;
use crate::tui::update::update;
use refdesk_core::catalog::{Catalog, Mode, PathState};
use refdesk_desk::Document;
use refdesk_desk::engine::{Request, Response, Snapshot};

use crate::tui::tests::{answer, message, press, screen};

const EVERYTHING: &str = "---
id: adr-004
tags: [java, resilience]
---
# Circuit breaker

A call that **fails again and again** is *not* tried for a while: the circuit is `OPEN`.
After a pause one call is let through,\\
and if it comes back, the circuit is ~~open~~ closed; see retry-pattern.

## When it opens

| State | What happens | Calls |
| --- | --- | ---: |
| closed | every call goes through, failures are counted in a window | 100 |
| open | no call goes through | 0 |

> [!WARNING]
> A breaker without a timeout opens too late:
> see [timeouts](adr-006.md#budgets) and [its page](https://example.org/breaker).

1. Count failures.
   - [x] by call
   - [ ] by host
2. Open, and [say so](#notices).[^1]

```java
CircuitBreaker breaker = CircuitBreaker.ofDefaults(\"payments\");
breaker.call(); // retry-pattern
```

***

### Notices

![the states](states.png) <b>and</b> so on, as https://example.org/notices says.

[^1]: Not twice.
";

/// A screen that reads the document with every construct.
fn reads(size: Size, keys: &str) -> State {
    let mut state = fixture::state(size.width, size.height);
    let mention = |to: &str, via, line| refdesk_core::mention::Mention {
        from: "circuit-breaker".into(),
        to: to.into(),
        via,
        file: Path::new(fixture::WORKSPACE).join("adr/adr-004.md").into(),
        line,
    };
    let mut snapshot = fixture::snapshot();
    let mut graph = fixture::graph();
    use refdesk_core::mention::MentionKind;
    let mentions = [
        mention("retry-pattern", MentionKind::Id, 9),
        mention("timeouts", MentionKind::Path, 20),
        mention("retry-pattern", MentionKind::Id, 29),
    ];
    graph.insert("circuit-breaker".into(), mentions.to_vec().into());
    snapshot.graph = graph.into();
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    press(&mut state, "j Enter");
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", EVERYTHING)));
    press(&mut state, keys);
    state
}

fn wide(keys: &str) -> State {
    reads(Size { width: 120, height: 36 }, keys)
}

#[rustfmt::skip]
screens! { reads:
    reading_everything "z"
    reading_a_link "z Tab Tab"
    reading_the_end "z G v"
}

#[test]
fn a_title_is_cut_before_the_position_in_its_text() {
    let long = "eri-code-008-circuit-breaker-java-resilience4j-validation";
    let mut forms = std::collections::BTreeSet::new();
    for width in 80..170 {
        let mut state = fixture::state(width, 36);
        let place = fixture::local("docs/long.md", PathState::File);
        let mut sources = fixture::sources();
        sources.insert(0, fixture::source(long, "Long", Mode::Selectable, &[], place));
        let catalog = Catalog::new(sources).into();
        update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
        press(&mut state, "g");
        answer(&mut state, Response::Document(fixture::document(long, &"line\n\n".repeat(100))));
        let shown = screen(&state);
        let positions = ["details, 1-", " 1-", "%"].map(|form| shown.lines().find(|line| line.contains(form)));
        let form = positions.iter().position(Option::is_some).unwrap_or_else(|| panic!("{width} {shown}"));
        let line = positions[form].unwrap();
        assert!(
            !line.split(['━', '╮', '┓']).any(|part| part.contains("details") && part.contains('…')),
            "{width} {line}"
        );
        forms.insert(form);
    }
    assert_eq!(forms.len(), 3, "all forms are needed: {forms:?}");
}

#[test]
fn a_screen_that_is_large_for_a_moment_does_not_lose_the_place() {
    let size = Size { width: 120, height: 36 };
    for (keys, back) in [("z", ""), ("z z", "z z"), ("", "z z")] {
        for large in [Size { width: 200, height: 60 }, Size { width: 200, height: 36 }, Size { width: 120, height: 60 }]
        {
            let mut state = reads(size, keys);
            press(&mut state, "PageDown");
            let top = state.catalog.scroll.top;
            assert!(top > 0, "{keys}");
            update(&mut state, Input::Resize(large));
            press(&mut state, back);
            update(&mut state, Input::Resize(size));
            assert_eq!(state.catalog.scroll.top, top, "{keys} {large:?}");
            update(&mut state, Input::Resize(large));
            press(&mut state, "g");
            update(&mut state, Input::Resize(size));
            assert_eq!(state.catalog.scroll.top, 0, "{keys} {large:?}: after scrolling it is the new place");
        }
    }
}

#[test]
fn links_are_walked_in_order_and_around_the_end() {
    let mut state = wide("z");
    for (keys, said) in [
        ("Tab", "@retry-pattern, mentioned by its id: Enter shows it"),
        ("Tab", "@timeouts, linked by its path: Enter shows it"),
        ("Tab", "https://example.org/breaker: Enter copies it"),
        ("Tab", "#notices in this document: Enter goes there"),
        ("Tab", "#^1 in this document: Enter goes there"),
        ("Tab", "@retry-pattern, mentioned by its id: Enter shows it"),
        ("Tab", "states.png is not in the catalog"),
        ("Tab", "https://example.org/notices: Enter copies it"),
        ("Tab", "@retry-pattern, mentioned by its id: Enter shows it"),
        ("BackTab BackTab", "states.png is not in the catalog"),
        ("Enter", "states.png is not in the catalog"),
    ] {
        press(&mut state, keys);
        assert_eq!(message(&state), said, "{keys}");
    }
    let effects = press(&mut state, "Tab Enter");
    assert!(effects.contains(&Effect::Copy("https://example.org/notices".to_owned())), "{effects:?}");
}

#[test]
fn a_link_is_followed_and_back_is_where_it_was() {
    let mut state = reads(Size { width: 80, height: 24 }, "z");
    press(&mut state, "Tab Tab");
    assert!(message(&state).starts_with("@timeouts"), "{}", message(&state));
    let at_link = state.catalog.scroll.top;
    let effects = press(&mut state, "Enter");
    assert_eq!((state.subject(Pane::Catalog), state.part), (Some("timeouts"), PanePart::Detail));
    assert!(effects.contains(&Effect::Ask(Request::Read { id: "timeouts".into(), file: None })), "{effects:?}");
    let target = format!("# Timeouts\n\n{}## Budgets\n\n{}", "text\n\n".repeat(40), "text\n\n".repeat(40));
    answer(&mut state, Response::Document(fixture::document("timeouts", &target)));
    assert!(screen(&state).contains("Budgets") && state.catalog.scroll.top > 40, "the heading of the link");
    press(&mut state, "j j");
    let below = state.catalog.scroll.top;
    press(&mut state, "Backspace");
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", EVERYTHING)));
    assert_eq!((state.subject(Pane::Catalog), state.catalog.scroll.top), (Some("circuit-breaker"), at_link));
    assert!(at_link > 0);
    press(&mut state, "Backspace");
    assert_eq!(message(&state), "there is no place to go back to");
    press(&mut state, "L");
    answer(&mut state, Response::Document(fixture::document("timeouts", &target)));
    assert_eq!((state.subject(Pane::Catalog), state.catalog.scroll.top), (Some("timeouts"), below));
    press(&mut state, "L");
    assert_eq!(message(&state), "there is no place to go forward to");
}

#[test]
fn the_filter_that_a_link_leaves_is_there_again_on_the_way_back() {
    let mut state = reads(Size { width: 80, height: 24 }, "");
    press(&mut state, "h / \"circuit\" Enter Enter Tab Enter");
    assert_eq!((state.subject(Pane::Catalog), state.catalog.filter.text()), (Some("retry-pattern"), ""));
    assert_eq!(message(&state), "cleared the catalog filter: it hid this source");
    for (keys, subject, filter) in [
        ("Backspace", "circuit-breaker", "circuit"),
        ("L", "retry-pattern", ""),
        ("Backspace", "circuit-breaker", "circuit"),
    ] {
        press(&mut state, keys);
        assert_eq!((state.subject(Pane::Catalog), state.catalog.filter.text()), (Some(subject), filter), "{keys}");
        assert_eq!((state.part, message(&state)), (PanePart::Detail, ""), "{keys}");
    }
}

#[test]
fn the_beginning_of_another_document_is_not_taken_for_this_one() {
    let mut state = reads(Size { width: 80, height: 24 }, "z");
    press(&mut state, "Tab Tab Enter");
    assert_eq!(state.subject(Pane::Catalog), Some("timeouts"));
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", "# Late\n")));
    assert!(!screen(&state).contains("Late"), "{}", screen(&state));
    answer(&mut state, Response::Document(fixture::document("timeouts", "# Budgets\n")));
    assert!(screen(&state).contains("Budgets"), "{}", screen(&state));
}

#[test]
fn a_tag_filters_the_catalog() {
    let mut state = wide("");
    let text = "All of #java, and #cobol.\n";
    press(&mut state, "h j Enter");
    answer(&mut state, Response::Document(fixture::document("retry-pattern", text)));
    press(&mut state, "Tab");
    assert_eq!(message(&state), "#java, a tag of the catalog: Enter shows its sources");
    press(&mut state, "Enter");
    assert_eq!((state.catalog.filter.text(), state.part, state.catalog.rows.len()), ("#java", PanePart::List, 3));
    press(&mut state, "Enter Backspace");
    assert_eq!(state.subject(Pane::Catalog), Some("retry-pattern"));
}

#[test]
fn jumping_to_a_heading_and_back() {
    let mut state = reads(Size { width: 80, height: 24 }, "z G");
    let end = state.catalog.scroll.top;
    press(&mut state, "g Tab Tab Tab Tab");
    assert_eq!(message(&state), "#notices in this document: Enter goes there");
    let before = state.catalog.scroll.top;
    press(&mut state, "Enter");
    assert_eq!(state.catalog.scroll.top, end, "the heading is on the last page");
    press(&mut state, "H");
    assert_eq!(state.catalog.scroll.top, before);
}

#[test]
fn enter_reads_in_the_list_and_from_the_selection() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j Enter");
    assert_eq!((state.focus, state.part), (Pane::Catalog, PanePart::Detail));
    press(&mut state, "Enter");
    assert_eq!(message(&state), "this document has no links");
    press(&mut state, "2 j Enter");
    assert_eq!((state.subject(Pane::Catalog), state.part), (Some("retry-pattern"), PanePart::Detail));
}

#[test]
fn documents_are_shown_where_they_were_left() {
    let mut state = wide("C-d C-d");
    let line = crate::tui::catalog::reading::line(&state);
    assert!(state.catalog.scroll.top > 0 && line.is_some());
    press(&mut state, "h j");
    assert_eq!(state.catalog.scroll.top, 0);
    press(&mut state, "k");
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", EVERYTHING)));
    assert_eq!(state.catalog.scroll.top, 0, "beside the list, its state and what a pick brings are in view");
    press(&mut state, "Enter");
    assert_eq!(crate::tui::catalog::reading::line(&state), line);
    press(&mut state, "Esc");
    assert_eq!(state.catalog.scroll.top, 0, "back in the list");
    assert_eq!(state.session().reading[0].source, "circuit-breaker", "for the next screen");
    press(&mut state, "Enter");
    assert_eq!(crate::tui::catalog::reading::line(&state), line);
    update(&mut state, Input::Resize(Size { width: 60, height: 20 }));
    assert_eq!(crate::tui::catalog::reading::line(&state), line, "the same line in another width");
    let mut snapshot = fixture::snapshot();
    snapshot.reads = 1;
    update(&mut state, Input::Snapshot(Box::new(snapshot)));
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", EVERYTHING)));
    assert_eq!(crate::tui::catalog::reading::line(&state), line, "the same line when it was read again");
}

#[test]
fn the_front_matter_unfolds() {
    let mut state = wide("z");
    assert!(screen(&state).contains("front matter · 2 lines · id, tags") && !screen(&state).contains("adr-004\n"));
    press(&mut state, "v");
    assert!(screen(&state).contains("│ id: adr-004"), "{}", screen(&state));
    press(&mut state, "v h j l v");
    assert_eq!(message(&state), "this document has no front matter");
}

#[test]
fn code_is_highlighted_while_it_is_read() {
    let mut state = fixture::state(120, 36);
    let highlights = |effects: Vec<Effect>| -> Vec<_> {
        let of = |effect| match effect {
            Effect::Highlight { subject: HighlightSubject::Document, generation, pieces } => Some((generation, pieces)),
            _ => None,
        };
        effects.into_iter().filter_map(of).collect()
    };
    press(&mut state, "j");
    let effects = answer(&mut state, Response::Document(fixture::document("circuit-breaker", EVERYTHING)));
    assert!(highlights(effects).is_empty(), "not in the list");
    let mut asked = highlights(press(&mut state, "Enter"));
    let (generation, pieces) = asked.pop().unwrap();
    assert_eq!((pieces.len(), pieces[0].languages.as_slice()), (1, &["java".to_owned()][..]));
    let mut highlighter = Highlighter::default();
    let mut walk = highlighter.begin(&pieces[0].languages);
    let colours: Vec<_> = pieces[0].lines.iter().map(|line| highlighter.line(&mut walk, line)).collect();
    let coloured =
        |state: &State| state.catalog.reading.loaded.lines().map(|line| format!("{line:?}")).collect::<String>();
    let plain = coloured(&state);
    let subject = HighlightSubject::Document;
    let late = Input::Highlighted { subject, generation: generation + 1, from: 0, colours: colours.clone() };
    update(&mut state, late);
    assert_eq!(coloured(&state), plain, "of another text");
    update(&mut state, Input::Highlighted { subject, generation, from: 0, colours });
    assert!(coloured(&state).contains("String"), "{}", coloured(&state));
    assert!(highlights(press(&mut state, "j k")).is_empty(), "once");
}

/// A part of a long document, in which each line has its number.
fn part(lines: std::ops::Range<usize>, rest: u64) -> Document {
    let text: String = lines.clone().map(|line| format!("line {line:05}\n\n")).collect();
    let (from, next) = (12 * (lines.start as u64 - 1), 12 * (lines.end as u64 - 1));
    Document { from, next, rest, ..fixture::document("circuit-breaker", &text) }
}

fn asked(effects: &[Effect]) -> Vec<u64> {
    let from = |effect: &Effect| match effect {
        Effect::Ask(Request::ReadOn { from, .. }) => Some(*from),
        _ => None,
    };
    effects.iter().filter_map(from).collect()
}

#[test]
fn reading_on_asks_for_more() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j Enter z");
    let effects = answer(&mut state, Response::Document(part(1..101, 12 * 900)));
    assert_eq!(asked(&effects), [0; 0]);
    assert!(screen(&state).contains("line 00001"));
    assert!(screen(&state).contains("details, 1% of 12 KB"), "{}", screen(&state));
    let effects = press(&mut state, "C-f C-f C-f C-f C-f");
    assert_eq!(asked(&effects), [1200], "once, near the end");
    assert!(asked(&press(&mut state, "C-f C-f C-f")).is_empty(), "it was asked already");
    assert!(screen(&state).contains("… 11 KB more"), "{}", screen(&state));
    let stale = Document { id: "timeouts".to_owned(), ..part(101..201, 9600) };
    answer(&mut state, Response::Document(stale));
    assert!(!state.catalog.reading.loaded.holds(202), "of another source");
    answer(&mut state, Response::Document(part(101..201, 12 * 800)));
    press(&mut state, "j");
    assert!(screen(&state).contains("line 00101"), "{}", screen(&state));
    // Goes to the end, which requests part after part until there is no more.
    let mut effects = press(&mut state, "G");
    for nth in 2..10 {
        assert_eq!(asked(&effects), [1200 * nth], "{nth}");
        let first = usize::try_from(100 * nth + 1).unwrap();
        effects = answer(&mut state, Response::Document(part(first..first + 100, 12 * (900 - 100 * nth))));
    }
    assert!(asked(&effects).is_empty());
    assert!(screen(&state).contains("line 01000"), "{}", screen(&state));
    assert_eq!(crate::tui::catalog::reading::line(&state).unwrap_or(0) % 2, 1);
}

#[test]
fn a_reload_keeps_the_passage_that_is_read() {
    // Lines that repeat are told apart by those that follow.
    let repeated = "Text.\n\n---\n\n- item\n\n";
    for (scroll, repeated) in
        [("C-f", ""), ("C-f j", ""), ("C-f", repeated), ("C-f j j", repeated), ("C-f j j j j", repeated)]
    {
        let text = |above: usize, kept: std::ops::Range<usize>| {
            let kept: String = kept.map(|nth| format!("{repeated}Paragraph {nth:02}.\n\n")).collect();
            Response::Document(fixture::document("circuit-breaker", &format!("{}{kept}", "More.\n\n".repeat(above))))
        };
        let mut state = fixture::state(120, 36);
        press(&mut state, "j Enter z");
        answer(&mut state, text(0, 0..80));
        press(&mut state, scroll);
        let top = |state: &State| {
            let shown = screen(state);
            let at = shown.find("Paragraph ").unwrap_or_else(|| panic!("{shown}"));
            shown[at..at + "Paragraph 00".len()].to_owned()
        };
        let before = top(&state);
        assert_ne!(before, "Paragraph 00");
        // If the passage is gone, the number of its line is kept.
        for (reads, above, kept, is_kept) in [(1, 5, 0..80, true), (2, 0, 3..80, true), (3, 0, 60..80, false)] {
            update(&mut state, Input::Snapshot(Box::new(Snapshot { reads, ..fixture::snapshot() })));
            answer(&mut state, text(above, kept));
            assert_eq!(top(&state) == before, is_kept, "{scroll}, {reads}: {} was {before}", top(&state));
        }
    }
}

#[test]
fn a_reload_keeps_the_current_match() {
    let text = |above: usize| {
        let steps: String = (0..60).map(|nth| format!("Step {nth:02}.\n\n")).collect();
        let text =
            format!("{}{steps}The needle here.\n\n{steps}A needle below.\n", "A needle above.\n\n".repeat(above));
        Response::Document(fixture::document("circuit-breaker", &text))
    };
    for (keys, before, after, next) in [("", 1, 3, 4), ("n", 2, 4, 1), ("n n", 1, 3, 4)] {
        let mut state = fixture::state(120, 36);
        press(&mut state, "j Enter z");
        answer(&mut state, text(0));
        press(&mut state, &format!("/ \"needle\" Enter {keys}"));
        assert!(screen(&state).contains(&format!("{before}/2 /needle")), "{keys}: {}", screen(&state));
        update(&mut state, Input::Snapshot(Box::new(Snapshot { reads: 1, ..fixture::snapshot() })));
        answer(&mut state, text(2));
        assert!(screen(&state).contains(&format!("{after}/4 /needle")), "{keys}: {}", screen(&state));
        press(&mut state, "n");
        assert!(screen(&state).contains(&format!("{next}/4 /needle")), "{keys}: {}", screen(&state));
    }
}

#[test]
fn a_bounded_number_of_parts_is_kept() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j Enter z");
    let parts = 40;
    let nth_part = |nth: usize| part(100 * nth + 1..100 * nth + 101, 1200 * (parts - 1 - nth as u64));
    answer(&mut state, Response::Document(nth_part(0)));
    press(&mut state, "G");
    for nth in 1..usize::try_from(parts).unwrap() {
        answer(&mut state, Response::Document(nth_part(nth)));
        assert!(state.catalog.reading.loaded.portions.len() <= 16, "{nth}");
    }
    assert!(screen(&state).contains("line 04000"), "{}", screen(&state));
    assert!(screen(&state).contains("details, 100% of 47 KB"), "{}", screen(&state));
    let rows = state.catalog.reading.loaded.len();
    // On the way up, the previous part is requested, and the visible text stays in place.
    let mut effects = Vec::new();
    while asked(&effects).is_empty() {
        effects = press(&mut state, "C-b");
    }
    assert_eq!(asked(&effects), [1200 * 23]);
    let shown = screen(&state);
    let first_line = |shown: &str| shown.find("line 0").map(|at| shown[at..at + 10].to_owned());
    answer(&mut state, Response::Document(nth_part(23)));
    assert_eq!(first_line(&screen(&state)), first_line(&shown));
    assert!(state.catalog.reading.loaded.len() <= rows + 1);
    let effects = press(&mut state, "g");
    assert!(effects.contains(&Effect::Ask(Request::Read { id: "circuit-breaker".into(), file: None })), "{effects:?}");
    answer(&mut state, Response::Document(nth_part(0)));
    assert!(screen(&state).contains("line 00001"), "{}", screen(&state));
}

#[test]
fn the_start_of_one_long_line_of_code_stays_in_memory() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j Enter z");
    let line = "x".repeat(64 * 1024 - 12);
    let size = 64 * 1024;
    let nth_part = |nth: u64| {
        let text = format!("{{\"nth{nth:02}\":\"{line}\",");
        let path = Some("/home/ada/shop/min.js".into());
        let (from, next, rest) = (nth * size, (nth + 1) * size, (19 - nth) * size);
        Document { from, next, rest, path, ..fixture::document("circuit-breaker", &text) }
    };
    let mut asked_for = asked(&answer(&mut state, Response::Document(nth_part(0))));
    while let [from] = asked_for[..] {
        asked_for = asked(&answer(&mut state, Response::Document(nth_part(from / size))));
    }
    assert!(screen(&state).contains("nth00"), "{}", screen(&state));
    press(&mut state, "j j /");
    press(&mut state, "\"nth00\"");
    assert_eq!(state.catalog.search.hits.len(), 1);
}

#[test]
fn a_search_reads_the_whole_document() {
    let mut state = fixture::state(120, 36);
    press(&mut state, "j Enter z");
    answer(&mut state, Response::Document(part(1..101, 1200)));
    let effects = press(&mut state, "/");
    assert_eq!(asked(&effects), [1200]);
    press(&mut state, "\"00150\"");
    assert_eq!(state.catalog.search.hits.len(), 0);
    press(&mut state, "Enter n");
    assert_eq!(message(&state), "no match for 00150 in the part that is loaded: G goes to the end");
    answer(&mut state, Response::Document(part(101..201, 0)));
    assert_eq!(state.catalog.search.hits.len(), 1);
    press(&mut state, "n");
    assert!(screen(&state).contains("line 00150"), "{}", screen(&state));
}

#[test]
fn the_way_back_leads_to_the_link_that_was_followed() {
    let mut state = wide("z Tab Tab Enter");
    assert_eq!(state.subject(Pane::Catalog), Some("timeouts"));
    answer(&mut state, Response::Document(fixture::document("timeouts", "# Timeouts\n")));
    press(&mut state, "Backspace");
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", EVERYTHING)));
    press(&mut state, "Tab");
    assert_eq!(message(&state), "https://example.org/breaker: Enter copies it", "the one after it");
}

#[test]
fn code_is_cut_and_scrolled_sideways() {
    let wide = format!("{}end", "=".repeat(100));
    let text = format!("# A\n\n```\n+-----+\n|{wide}|\n```\n\nretry\n{}\n```\nlast\n```\n", "\nmore\n".repeat(40));
    let mut state = fixture::state(80, 24);
    press(&mut state, "j Enter");
    answer(&mut state, Response::Document(fixture::document("circuit-breaker", &text)));
    press(&mut state, "z");
    assert!(screen(&state).contains("│ |====") && screen(&state).contains("=…") && !screen(&state).contains("end|"));
    press(&mut state, "S-Left");
    assert_eq!(message(&state), "this is the start of the lines");
    press(&mut state, "S-Right");
    assert!(screen(&state).contains("│ …====") && screen(&state).contains("retry"), "{}", screen(&state));
    press(&mut state, "S-Right S-Right S-Right");
    assert!(screen(&state).contains("end|"), "{}", screen(&state));
    press(&mut state, "S-Right S-Right S-Right");
    assert_eq!(message(&state), "no line of code in view extends further to the right");
    press(&mut state, "G");
    assert!(screen(&state).contains("│ last"), "other code begins at its start: {}", screen(&state));
    press(&mut state, "g / \"end\"");
    assert!(screen(&state).contains("end"), "a match is scrolled into view: {}", screen(&state));
    press(&mut state, "Esc / \"+--\"");
    assert!(screen(&state).contains("│ +-----+"), "{}", screen(&state));
}

#[test]
fn the_way_out_of_a_document_is_always_shown() {
    for width in [40, 80, 120] {
        let mut state = fixture::state(width, 24);
        press(&mut state, "j Enter");
        let text = fixture::TEXT.repeat(20);
        answer(&mut state, Response::Document(fixture::document("circuit-breaker", &text)));
        let shown = screen(&state);
        let keys = shown.lines().last().unwrap();
        assert!(keys.contains("Esc to the list") && keys.contains("? help"), "{shown}");
    }
}
