//! The areas of the screen: where they are, and that they neither overlap nor leave the screen.

use proptest::prelude::*;

use super::*;
use crate::tui::action::BorderMove;
use crate::tui::layout::splits::STEP;

fn any_splits() -> impl Strategy<Value = Splits> {
    (proptest::option::of(0..1200u16), proptest::option::of(0..1200u16))
        .prop_map(|(left, upper)| Splits { left, upper })
}

fn any_needs() -> impl Strategy<Value = GridNeeds> {
    (0..400u16, 0..90u16).prop_map(|(left, lower)| GridNeeds { left, lower })
}

/// Dividers at arbitrary positions, or none.
fn any_shares() -> impl Strategy<Value = Shares> {
    let any = || proptest::option::of(0..1200u16);
    (any(), any(), any()).prop_map(|(upper, left, lower)| Shares { upper, left, lower })
}

/// A body large enough for a grid.
fn any_grid() -> impl Strategy<Value = Size> {
    (GRID.width..300u16, GRID.height - 2..120u16).prop_map(|(width, height)| Size { width, height })
}

fn apart(parts: PaneLayout, inner: Rect) -> Result<(), TestCaseError> {
    let parts = [parts.head, parts.list, parts.rule, parts.detail, parts.aside];
    for (at, part) in parts.iter().enumerate() {
        prop_assert_eq!(part.intersection(inner).area(), part.area());
        for other in &parts[at + 1..] {
            prop_assert_eq!(part.intersection(*other).area(), 0, "{:?} {:?}", part, other);
        }
    }
    Ok(())
}

#[test]
fn details_are_beside_a_list_that_they_do_not_cut() {
    let list = ListWidths { usual: 70, whole: 110, ..ListWidths::default() };
    for (width, height, expected) in [
        (109, 20, (109, 109)),
        (118, 20, (70, 47)),
        (118, 46, (118, 118)),
        (140, 46, (140, 140)),
        (141, 46, (110, 30)),
        (198, 57, (118, 79)),
    ] {
        let needs = PaneNeeds { rows: 9, head: 0, list };
        let parts = parts(Pane::Catalog, Rect::new(1, 1, width, height), needs, Shares::default());
        assert_eq!((parts.list.width, parts.detail.width), expected, "{width}x{height}");
    }
}

#[test]
fn the_rows_of_the_hints_pane() {
    for (height, busy, prompt, aside, rows) in [
        // Terminals of 80×24, 120×36 and 200×60 (both grids), and the smallest one.
        (19, HintsFocus::List, 1, 2, (3, 8, 2, 4)),
        (19, HintsFocus::Prompt, 1, 0, (3, 11, 0, 3)),
        (19, HintsFocus::Feed, 1, 2, (1, 4, 2, 10)),
        (14, HintsFocus::Nothing, 1, 0, (1, 7, 0, 4)),
        (14, HintsFocus::List, 1, 2, (3, 4, 2, 3)),
        (14, HintsFocus::Prompt, 9, 0, (7, 6, 0, 0)),
        (14, HintsFocus::Feed, 9, 2, (3, 2, 2, 5)),
        (25, HintsFocus::Nothing, 1, 0, (1, 13, 0, 9)),
        (25, HintsFocus::Feed, 1, 9, (1, 5, 9, 8)),
        (5, HintsFocus::List, 1, 2, (2, 2, 0, 0)),
        (5, HintsFocus::Feed, 1, 2, (0, 0, 2, 2)),
        (33, HintsFocus::FeedAlone, 1, 2, (0, 0, 2, 30)),
    ] {
        let wants = HintsNeeds { busy, prompt, aside, ..HintsNeeds::default() };
        let parts = hints(Rect::new(1, 1, 50, height), wants, Shares::default());
        let got = (parts.head.height, parts.list.height, parts.aside.height, parts.detail.height);
        assert_eq!(got, rows, "{height} {busy:?}");
    }
}

#[test]
fn matches_get_the_rows_that_they_need_and_the_feed_does_not_fill() {
    for (matches, feed, rows) in
        [(20, 40, (8, 4)), (20, 1, (11, 1)), (10, 1, (10, 2)), (3, 1, (8, 4)), (20, 0, (13, 0))]
    {
        let wants = HintsNeeds { busy: HintsFocus::List, prompt: 1, matches, aside: 2, feed, ..HintsNeeds::default() };
        let parts = hints(Rect::new(1, 1, 50, 19), wants, Shares::default());
        assert_eq!((parts.list.height, parts.detail.height), rows, "{matches} {feed}");
    }
}

#[test]
fn the_feed_is_below_focused_hints_that_need_the_width() {
    for (width, columns, busy, expected) in [
        (150, 102, HintsFocus::List, 100),
        (150, 103, HintsFocus::List, 150),
        (150, 103, HintsFocus::Prompt, 150),
        (150, 103, HintsFocus::Nothing, 75),
    ] {
        let wants = HintsNeeds { busy, columns, ..HintsNeeds::default() };
        let parts = hints(Rect::new(1, 1, width, 30), wants, Shares::default());
        assert_eq!((parts.list.width, parts.detail.is_empty()), (expected, false), "{width} {columns} {busy:?}");
    }
}

proptest! {
    #[test]
    fn every_pane_of_a_grid_has_its_minimum(
        grid in any_grid(), splits in any_splits(), lower in 0..90u16, (whole, selection) in (0..400u16, 0..400u16),
    ) {
        let size = Size { height: grid.height + 2, ..grid };
        let focus = Focused::Pane(Pane::Catalog);
        let list = ListWidths { lower, whole, selection, ..ListWidths::default() };
        let layout = layout(size, focus, Arrangement::Overview, splits, list);
        let panes: Vec<Rect> = layout.panes.into_iter().flatten().collect();
        prop_assert_eq!(panes.len(), 4);
        prop_assert_eq!(panes.iter().map(|pane| pane.area()).sum::<u32>(), layout.body.area(), "nothing is left over");
        prop_assert!(panes.iter().all(|pane| pane.width >= MIN.width && pane.height >= MIN.height), "{panes:?}");
    }

    #[test]
    fn a_border_stays_where_it_was_put(
        grid in any_grid(), splits in any_splits(), x in 0..400u16, y in 0..200u16, needs in any_needs(),
    ) {
        let put = splits.with_left(x, grid).with_upper(y, grid).cells(grid, needs);
        prop_assert_eq!(put.width, x.clamp(MIN.width, grid.width - MIN.width));
        prop_assert_eq!(put.height, y.clamp(MIN.height, grid.height - MIN.height));
    }

    #[test]
    fn a_step_and_its_opposite_cancel(grid in any_grid(), splits in any_splits(), needs in any_needs()) {
        let before = splits.cells(grid, needs);
        let step = |splits: Splits, border| splits.moved(border, grid, splits.cells(grid, needs));
        let after = |there, back| step(step(splits, there), back).cells(grid, needs);
        if before.width >= MIN.width + STEP.width {
            prop_assert_eq!(after(BorderMove::Left, BorderMove::Right), before);
        }
        if before.height >= MIN.height + STEP.height {
            prop_assert_eq!(after(BorderMove::Up, BorderMove::Down), before);
        }
    }

    #[test]
    fn proportions_hold_through_a_resize(splits in any_splits(), from in any_grid(), to in any_grid()) {
        let (a, b) = (splits.cells(from, GridNeeds::default()), splits.cells(to, GridNeeds::default()));
        let (across, down) = ((a.width, from.width, b.width, to.width), (a.height, from.height, b.height, to.height));
        for ((part, all, other, of), least) in [(across, MIN.width), (down, MIN.height)] {
            // A proportion does not hold where a minimum applies.
            if [(part, all), (other, of)].iter().all(|(part, all)| *part > least && *part < all - least) {
                let share = |part: u16, all: u16| f64::from(part) / f64::from(all);
                // Rounding to whole cells changes a size by one at most.
                let cell = 1.0 / f64::from(all.min(of));
                prop_assert!((share(part, all) - share(other, of)).abs() <= cell, "{part} of {all}, {other} of {of}");
            }
        }
    }

    #[test]
    fn parts_of_the_hints_pane_do_not_overlap(
        width in 0..190u16, height in 0..60u16, prompt in 0..50usize, matches in 0..50usize, aside in 0..9usize,
        shares in any_shares(),
        (feed, columns) in (0..50usize, 0..250u16),
        busy in proptest::sample::select(&[HintsFocus::Nothing, HintsFocus::Prompt, HintsFocus::List, HintsFocus::Feed, HintsFocus::FeedAlone][..]),
    ) {
        let inner = Rect::new(1, 1, width, height);
        let parts = hints(inner, HintsNeeds { busy, prompt, matches, aside, feed, columns }, shares);
        apart(parts, inner)?;
        if busy.is_feed() && height > 1 {
            prop_assert!(parts.detail.height > 0, "who goes to the feed sees it");
        }
        if parts.detail.height > 0 {
            let rule = Rect { y: parts.detail.y - 1, height: 1, ..parts.detail };
            prop_assert!([parts.head, parts.list, parts.rule, parts.aside].iter().all(|it| !it.intersects(rule)));
        }
    }

    #[test]
    fn areas_are_on_the_screen_and_do_not_overlap(
        width in 0..300u16, height in 0..120u16, focus in proptest::sample::select(&Pane::ALL[..]), prompt in 0..50usize,
        arrangement in proptest::sample::select(&[Arrangement::Focused, Arrangement::Overview, Arrangement::Zoomed][..]),
        splits in any_splits(),
        shares in any_shares(),
        (least, more, head) in (0..200u16, 0..60u16, 0..2u16),
    ) {
        let size = Size { width, height };
        let list = ListWidths { ids: least / 2, essential: least.saturating_sub(more), usual: least, whole: least + more, longest: least + more * 2, selection: more * 2, named: more * 3, hints: least / 2 + more, lower: more };
        let layout = layout(size, Focused::Pane(focus), arrangement, splits, list);
        let screen = Rect::new(0, 0, width, height);
        let mut places = vec![layout.status, layout.dock, layout.bottom];
        places.extend(layout.reader);
        for pane in Pane::ALL {
            if let Some(outer) = layout.panes[pane.index()] {
                places.push(outer);
                apart(parts(pane, inner(outer), PaneNeeds { rows: prompt, head, list }, shares), inner(outer))?;
            }
        }
        for (at, place) in places.iter().enumerate() {
            prop_assert_eq!(place.intersection(screen).area(), place.area());
            for other in &places[at + 1..] {
                prop_assert_eq!(place.intersection(*other).area(), 0);
            }
        }
    }
}

proptest! {
    #[test]
    fn parts_of_the_templates_pane_do_not_overlap(
        width in 0..200u16, height in 0..60u16, list in 0..50usize, head in 0..2u16, shares in any_shares(), columns in 0..250u16,
        form in 0..250u16,
    ) {
        let inner = Rect::new(1, 1, width, height);
        let parts = templates(inner, TemplatesNeeds { head, list, columns, form }, shares);
        apart(parts, inner)?;
        for other in [parts.with_short_list(), parts.with_wide_detail(), parts.with_short_list().with_wide_detail()] {
            apart(other, inner)?;
            for part in [other.detail, other.aside] {
                prop_assert_eq!(part.intersection(other.upright()).area(), 0, "{:?}", other);
            }
        }
    }
}

#[test]
fn the_grid_needs_a_minimum_size() {
    let shown = |width, height| {
        let focus = Focused::Pane(Pane::Hints);
        let size = Size { width, height };
        let layout = layout(size, focus, Arrangement::Overview, Splits::default(), ListWidths::default());
        layout.panes.iter().flatten().count()
    };
    assert_eq!([shown(100, 28), shown(99, 28), shown(100, 27), shown(40, 10), shown(39, 10)], [4, 1, 2, 1, 0]);
}
