//! A text with its highlighting. After an edit it keeps the highlighting that still applies, so that nothing
//! flickers until the new result arrives.

use std::collections::HashMap;
use std::sync::Arc;

use crate::tui::highlight::{Span, Spans};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HighlightedText {
    /// The lines, cleaned for display.
    pub lines: Arc<[String]>,
    /// The parts of each line; empty if it is plain or not highlighted yet.
    pub colours: Vec<Spans>,
}

impl HighlightedText {
    /// Stores the highlighting of the lines starting at `from`.
    pub fn take(&mut self, from: usize, colours: Vec<Spans>) {
        for (place, spans) in self.colours.iter_mut().skip(from).zip(colours) {
            *place = spans;
        }
    }
}

/// Carries highlighting over to new lines: unchanged lines keep all of it, changed lines the parts before and
/// after the change.
pub fn carried(before: &HighlightedText, lines: Arc<[String]>) -> HighlightedText {
    let old = || before.lines.iter().zip(&before.colours);
    let mut known: HashMap<&str, &Spans> = HashMap::with_capacity(before.lines.len());
    known.extend(old().map(|(line, spans)| (line.as_str(), spans)));
    let colours = lines.iter().enumerate().map(|(at, line)| match (before.lines.get(at), before.colours.get(at)) {
        (Some(old), Some(spans)) if old == line => spans.clone(),
        _ if known.contains_key(line.as_str()) => known.get(line.as_str()).copied().cloned().unwrap_or_default(),
        (Some(old), Some(spans)) => around_a_change(old, spans, line),
        _ => Spans::default(),
    });
    let colours = colours.collect();
    HighlightedText { lines, colours }
}

fn around_a_change(old: &str, spans: &Spans, new: &str) -> Spans {
    let head = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let most = old.len().min(new.len()) - head;
    let tail = old.bytes().rev().zip(new.bytes().rev()).take(most).take_while(|(a, b)| a == b).count();
    let (removed, end) = (old.len() - tail, new.len() - tail);
    let place = |at: u32, bound: fn(usize, usize) -> usize| {
        let at = at as usize;
        match at {
            at if at <= head => at,
            at if at >= removed => at - removed + end,
            _ => bound(head, end),
        }
    };
    let moved = spans.iter().filter_map(|span| {
        // A part that contains the change grows or shrinks with it.
        let start = place(span.start, |_, end| end);
        let stop = place(span.end, |head, _| head);
        let fits = start < stop && new.is_char_boundary(start) && new.is_char_boundary(stop);
        fits.then_some(Span { start: u32::try_from(start).ok()?, end: u32::try_from(stop).ok()?, ..*span })
    });
    moved.collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::tui::theme::ThemeRole;

    fn spans(ranges: &[(u32, u32)]) -> Spans {
        ranges.iter().map(|(start, end)| Span { start: *start, end: *end, role: ThemeRole::Keyword }).collect()
    }

    #[test]
    fn highlighting_kept_in_a_changed_line() {
        for (old, at, new, expected) in [
            ("class A {", &[(0, 5), (6, 7)][..], "class AB {", &[(0, 5), (6, 7)][..]),
            ("class A {", &[(0, 5), (8, 9)], "class Abc {", &[(0, 5), (10, 11)]),
            ("x = \"a\";", &[(4, 7)], "x = \"a long one\";", &[(4, 16)]),
            ("x = \"abc\";", &[(4, 9)], "x = \"\";", &[(4, 6)]),
            ("\"é\"", &[(0, 4)], "\"è\"", &[(0, 4)]),
            ("abc", &[(0, 3)], "xyz", &[(0, 3)]),
        ] {
            let painted = HighlightedText { lines: [old.to_owned()].into(), colours: vec![spans(at)] };
            let carried = carried(&painted, [new.to_owned()].into());
            assert_eq!(carried.colours, [spans(expected)], "{old} to {new}");
        }
    }

    proptest! {
        #[test]
        fn parts_are_within_their_line(old in "[ab é日]{0,12}", new in "[ab é日]{0,12}", cuts in proptest::collection::vec(0..20usize, 0..6)) {
            let mut cuts: Vec<u32> = cuts.into_iter().filter(|at| old.is_char_boundary(*at)).map(|at| at as u32).collect();
            cuts.sort_unstable();
            let pairs: Vec<(u32, u32)> = cuts.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect();
            let painted = HighlightedText { lines: [old.clone()].into(), colours: vec![spans(&pairs)] };
            let carried = carried(&painted, [new.clone()].into());
            for span in &carried.colours[0] {
                prop_assert!(new.get(span.start as usize..span.end as usize).is_some(), "{span:?} in {new:?}");
            }
        }
    }
}
