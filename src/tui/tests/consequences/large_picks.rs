//! The question before a large pick.

use super::*;

pub fn large() -> LargePick {
    let change = |others: usize, tokens| SelectionChange {
        enters: std::iter::once("java-service".to_owned())
            .chain((0..others).map(|nth| format!("adr-{nth:03}")))
            .map(Into::into)
            .collect(),
        cost: of_sources(tokens),
        ..SelectionChange::default()
    };
    let (whole, near, alone) = (change(126, 76_475), change(4, 9_310), change(0, 2_769));
    LargePick { ids: vec!["java-service".into()], whole, near, alone, excludes: [12, 4] }
}

fn asked(width: u16, height: u16) -> State {
    let mut state = fixture::state(width, height);
    press(&mut state, "j j j j j");
    assert_eq!(commands(&press(&mut state, "Space")), [Request::pick_if_few("java-service")]);
    answer(&mut state, Response::LargePick(Box::new(large())));
    state
}

#[test]
fn a_large_pick_is_made_in_the_size_that_is_chosen() {
    for (key, reach) in [
        ("y", Some(PickReach::All)),
        ("Enter", Some(PickReach::All)),
        ("d", Some(PickReach::Near)),
        ("o", Some(PickReach::Alone)),
        ("Esc", None),
        ("n", None),
    ] {
        let mut state = asked(80, 24);
        assert_eq!(state.open_window(), Some(WindowKind::LargePick));
        let sent = commands(&press(&mut state, key));
        let expected = reach.map(|reach| Request::PickWithin { ids: vec!["java-service".into()], reach });
        assert_eq!((sent, state.window), (expected.into_iter().collect(), None), "{key}");
    }
}

#[test]
fn a_question_that_comes_after_the_next_key_is_not_asked() {
    for keys in ["j", "/ \"why\"", "C-k \"why\"", "?"] {
        let mut state = fixture::state(80, 24);
        press(&mut state, &format!("j j j j j Space {keys}"));
        let window = state.window;
        answer(&mut state, Response::LargePick(Box::new(large())));
        assert_eq!(state.window, window, "{keys}");
        assert_eq!(message(&state), "the large pick of @java-service was not made: pick again to choose its size");
    }
}

#[test]
fn a_size_that_may_have_changed_is_counted_again_before_it_is_chosen() {
    let mut state = asked(120, 36);
    let change = |state: &mut State, is_there: bool| {
        let mut catalog = fixture::sources();
        catalog.retain(|source| is_there || source.id.as_str() != "java-service");
        let snapshot = Snapshot { catalog: Arc::new(Catalog::new(catalog)), ..fixture::snapshot() };
        let effects = update(state, Input::Snapshot(Box::new(snapshot)));
        let asked = commands(&effects);
        assert!(asked.contains(&Request::PickSizes(vec!["java-service".into()])), "{asked:?}");
    };
    change(&mut state, true);
    assert_eq!(commands(&press(&mut state, "y")), []);
    assert!(screen(&state).contains("counting again"), "{}", screen(&state));
    let near = LargePick { whole: large().near, ..large() };
    answer(&mut state, Response::PickSizes(Some(Box::new(near))));
    assert!(screen(&state).contains("all: +4, ~9,310 tokens"), "{}", screen(&state));
    for (is_there, said) in
        [(true, "@java-service is missing: nothing was picked"), (false, "@java-service is gone: nothing was picked")]
    {
        let mut state = asked(120, 36);
        change(&mut state, is_there);
        answer(&mut state, Response::PickSizes(None));
        assert_eq!(state.window, None);
        assert!(screen(&state).contains(said), "{}", screen(&state));
    }
}

#[test]
fn a_click_on_the_line_of_a_size_chooses_it() {
    for (line, reach) in [
        ("y  all:", Some(PickReach::All)),
        ("direct mentions:", Some(PickReach::Near)),
        ("only this one:", Some(PickReach::Alone)),
        ("Esc  nothing", None),
    ] {
        let mut state = asked(80, 24);
        let sent = commands(&click_on(&mut state, line));
        let expected = reach.map(|reach| Request::PickWithin { ids: vec!["java-service".into()], reach });
        assert_eq!((sent, state.window), (expected.into_iter().collect(), None), "{line}");
    }
}

#[test]
fn a_source_that_is_large_by_itself_is_picked_or_not() {
    let alone = LargePick { whole: large().alone, near: large().alone, ..large() };
    for (key, reach) in [("y", Some(PickReach::All)), ("Esc", None)] {
        let mut state = fixture::state(80, 24);
        press(&mut state, "j j j j j Space");
        answer(&mut state, Response::LargePick(Box::new(alone.clone())));
        let shown = screen(&state);
        assert!(shown.contains("y  pick it: ~2,769 tokens") && !shown.contains("only this one"), "{shown}");
        let sent = commands(&press(&mut state, key));
        let expected = reach.map(|reach| Request::PickWithin { ids: vec!["java-service".into()], reach });
        assert_eq!((sent, state.window), (expected.into_iter().collect(), None), "{key}");
    }
}

#[test]
fn a_pick_that_pulls_in_nothing_is_called_large_only_while_it_is() {
    for (tokens, expected) in
        [(12_000, "@java-service is large by itself."), (3, "Picking @java-service pulls in nothing else.")]
    {
        let mut state = asked(80, 24);
        let change = SelectionChange { cost: of_sources(tokens), ..large().alone };
        answer(&mut state, Response::PickSizes(Some(Box::new(LargePick { whole: change, ..large() }))));
        assert!(screen(&state).contains(expected), "{}", screen(&state));
    }
}

#[test]
fn a_pick_beyond_the_limit_says_so_before() {
    let mut state = asked(120, 36);
    state.token_limit = Some(20_000);
    let shown = screen(&state);
    let [all, direct, only] = ["all: ", "direct mentions: ", "only this one: "]
        .map(|start| shown.lines().find(|line| line.contains(start)).unwrap());
    assert!(all.contains(", over the limit: ") && all.contains("of 20k"), "{shown}");
    assert!(!direct.contains("limit") && !only.contains("limit"), "{shown}");
}

#[test]
fn a_limit_is_typed_and_kept() {
    let mut state = fixture::state(120, 36);
    give_instructions(&mut state);
    assert!(screen(&state).contains("of 128k"), "{}", screen(&state));
    press(&mut state, "b");
    answer(&mut state, Response::Price(Price { instructions: 812, prompt: 96 }));
    for (limit, said) in [("1", "the limit is 1 token"), ("4k", "the limit is 4,000 tokens")] {
        typed(&mut state, &format!("C-u \"{limit}\" Enter"));
        assert_eq!((message(&state), state.window), (said, None));
        press(&mut state, "b");
    }
    press(&mut state, "Esc");
    assert_eq!(state.session().token_limit, Some(4_000), "for this workspace");
    for (width, height) in [(80, 24), (120, 36)] {
        update(&mut state, Input::Resize(ratatui::layout::Size::new(width, height)));
        let top = screen(&state).lines().next().unwrap().to_owned();
        assert!(top.contains("~5,422 tokens") && top.contains("over the limit: 136% of 4k"), "{top}");
    }
    update(&mut state, Input::Resize(ratatui::layout::Size::new(40, 10)));
    let top = screen(&state).lines().next().unwrap().to_owned();
    assert!(top.contains("  136% of 4k"), "{top}");
    update(&mut state, Input::Resize(ratatui::layout::Size::new(120, 36)));
    press(&mut state, "b");
    assert!(screen(&state).contains("~5,422  over the limit, 136% of 4k"), "{}", screen(&state));
    typed(&mut state, "\"much\"");
    let shown = screen(&state);
    assert!(shown.contains("Type a number of tokens, such as 128k") && !shown.contains("set limit"), "{shown}");
    assert_eq!(shown.matches("Esc close").count(), 1, "in the window, and not in the bottom line too: {shown}");
    typed(&mut state, "Enter");
    assert_eq!(message(&state), "", "the window says it already");
    assert_eq!(state.open_window(), Some(WindowKind::Budget));
    press(&mut state, "Esc");
    assert_eq!(state.session().token_limit, Some(4_000));
}

#[test]
fn a_budget_that_does_not_fit_scrolls() {
    let mut state = fixture::state(40, 10);
    give_instructions(&mut state);
    press(&mut state, "b");
    let last = "inline texts in full";
    assert!(!screen(&state).contains(last), "{}", screen(&state));
    for (key, is_shown) in [("PageDown", true), ("PageUp", false), ("Down", true), ("Up", false)] {
        press(&mut state, key);
        assert_eq!(screen(&state).contains(last), is_shown, "{key}\n{}", screen(&state));
    }
}

#[test]
fn windows_before_a_pick() {
    for (width, height) in [(40, 10), (80, 24), (120, 36)] {
        insta::assert_snapshot!(format!("large_pick_{width}x{height}"), screen(&asked(width, height)));
        let mut state = fixture::state(width, height);
        give_instructions(&mut state);
        typed(&mut state, "3 Enter \"add circuit breakers\" Esc b");
        answer(&mut state, Response::Price(Price { instructions: 812, prompt: 96 }));
        insta::assert_snapshot!(format!("budget_{width}x{height}"), screen(&state));
    }
}
