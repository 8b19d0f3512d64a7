//! The dividers within panes: their positions, and the shares set by dragging them. A dragged divider stays
//! in place even when its part is focused.

use ratatui::layout::{Position, Rect};

use refdesk_core::config::screen::{DividerShares, Shares};

use crate::tui::layout::PaneLayout;
use crate::tui::pane::Pane;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Divider {
    /// Below the list or the prompt.
    Upper,
    /// To the right of the list or the variables.
    Left,
    Lower,
}

pub fn of(rules: &DividerShares, pane: Pane) -> Shares {
    match pane {
        Pane::Catalog => rules.catalog,
        Pane::Selection => rules.selection,
        Pane::Hints => rules.hints,
        Pane::Templates => rules.templates,
    }
}

pub fn at(pane: Pane, parts: &PaneLayout, place: Position) -> Option<Divider> {
    let PaneLayout { list, rule, detail, aside, .. } = *parts;
    let is_above = |of: Rect| Rect { y: of.y.saturating_sub(1), height: of.height.min(1), ..of }.contains(place);
    let is_upright = rule.height > 1;
    match pane {
        Pane::Hints if is_above(detail) && detail.x == list.x => Some(Divider::Lower),
        Pane::Templates if is_upright && is_above(aside) => Some(Divider::Upper),
        Pane::Templates if parts.upright().contains(place) => Some(Divider::Left),
        _ if rule.contains(place) => Some(if is_upright { Divider::Left } else { Divider::Upper }),
        _ => None,
    }
}

/// Moves a divider of this pane to the mouse; `inner` is the pane's inner area.
pub fn put(rules: &mut DividerShares, pane: Pane, rule: Divider, inner: Rect, to: Position) {
    let shares = match pane {
        Pane::Catalog => &mut rules.catalog,
        Pane::Selection => &mut rules.selection,
        Pane::Hints => &mut rules.hints,
        Pane::Templates => &mut rules.templates,
    };
    match rule {
        Divider::Upper => shares.upper = Some(share(to.y.saturating_sub(inner.y), inner.height)),
        Divider::Left => shares.left = Some(share(to.x.saturating_sub(inner.x), inner.width)),
        Divider::Lower => shares.lower = Some(share(inner.bottom().saturating_sub(to.y + 1), inner.height)),
    }
}

/// The smallest share of `all` that yields this many cells.
fn share(cells: u16, all: u16) -> u16 {
    let share = (u32::from(cells) * 1000).div_ceil(u32::from(all.max(1)));
    u16::try_from(share.min(1000)).unwrap_or(1000)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::layout;
    use crate::tui::layout::{HintsFocus, HintsNeeds, PaneNeeds};

    fn parts(pane: Pane, inner: Rect, busy: HintsFocus, rules: &DividerShares) -> PaneLayout {
        match pane {
            Pane::Hints => layout::hints(inner, HintsNeeds { busy, aside: 2, ..HintsNeeds::default() }, rules.hints),
            _ => layout::parts(pane, inner, PaneNeeds { rows: 3, ..PaneNeeds::default() }, of(rules, pane)),
        }
    }

    /// The divider's position along the axis on which it moves.
    fn position(pane: Pane, rule: Divider, parts: &PaneLayout, inner: Rect) -> Option<u16> {
        let rows = || (inner.y..inner.bottom()).flat_map(|y| (inner.x..inner.right()).map(move |x| Position { x, y }));
        let found = rows().find(|place| at(pane, parts, *place) == Some(rule))?;
        Some(if rule == Divider::Left { found.x } else { found.y })
    }

    proptest! {
        #[test]
        fn a_rule_follows_the_mouse_and_leaves_room_on_both_sides(
            width in 28..160u16, height in 5..60u16, x in 0..200u16, y in 0..80u16,
            pane in proptest::sample::select(&Pane::ALL[..]),
            rule in proptest::sample::select(&[Divider::Upper, Divider::Left, Divider::Lower][..]),
            busy in proptest::sample::select(&[HintsFocus::Nothing, HintsFocus::Prompt, HintsFocus::List, HintsFocus::Feed][..]),
        ) {
            let inner = Rect::new(1, 2, width, height);
            let mut rules = DividerShares::default();
            let before = parts(pane, inner, busy, &rules);
            // A hidden divider cannot be dragged.
            if position(pane, rule, &before, inner).is_some() {
                put(&mut rules, pane, rule, inner, Position { x, y });
                let after = parts(pane, inner, busy, &rules);
                let now = position(pane, rule, &after, inner);
                let to = if rule == Divider::Left { x } else { y };
                let (least, most) = {
                    let end = |x, y| {
                        let mut rules = DividerShares::default();
                        put(&mut rules, pane, rule, inner, Position { x, y });
                        position(pane, rule, &parts(pane, inner, busy, &rules), inner)
                    };
                    (end(0, 0), end(300, 300))
                };
                prop_assert!(least.is_some() && least <= most, "{least:?} {most:?}");
                prop_assert_eq!(now, Some(to.clamp(least.unwrap(), most.unwrap())));
                let shown = |parts: &PaneLayout| {
                    // While a prompt is typed, the feed gives its rows to it.
                    let feed = busy == HintsFocus::Prompt && pane == Pane::Hints;
                    [!parts.head.is_empty(), !parts.list.is_empty(), !feed && !parts.detail.is_empty()]
                };
                for (was, is) in shown(&before).into_iter().zip(shown(&after)) {
                    prop_assert!(is || !was, "nothing is pulled shut: {before:?} {after:?}");
                }
            }
        }
    }
}
