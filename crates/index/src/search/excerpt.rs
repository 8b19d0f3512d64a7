//! The part of a chunk to show: the text around the matches.

use std::borrow::Cow;
use std::ops::Range;

use crate::matches::{Match, different, matches};
use refdesk_text::markdown::open_fence;

/// The longest excerpt, in characters.
const LENGTH: usize = 480;

/// The most characters before the first match in an excerpt.
const BEFORE: usize = 120;

/// The longest one-line excerpt, in characters.
const LINE: usize = 80;

/// Marks omitted text.
const GAP: &str = "…";

/// A part of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Excerpt {
    /// The part, with `…` for omitted text.
    pub text: String,
    /// Byte ranges of the matches in `text`, in order.
    pub matches: Vec<Range<usize>>,
    /// The opening line of the code block in which the part starts.
    pub fence: Option<String>,
}

/// The part of a text with the most different terms of a query; the beginning if it contains none.
pub(super) fn of(text: &str, terms: &[String]) -> Excerpt {
    let text = &*without_repeated_blank_lines(text);
    let found = matches(text, terms);
    let mut marked: Vec<Range<usize>> = Vec::new();
    // Of overlapping matches, the first is the longest.
    for Match { range, .. } in &found {
        if marked.last().is_none_or(|last| last.end <= range.start) {
            marked.push(range.clone());
        }
    }
    if text.char_indices().nth(LENGTH).is_none() {
        return Excerpt { text: text.to_owned(), matches: marked, fence: None };
    }
    let window = best_window(text, &found).unwrap_or_else(|| window_at(text, 0));
    let fence = open_fence(text.get(..window.start).unwrap_or_default(), None);
    Excerpt { fence, ..part(text, &marked, window) }
}

/// The text with one blank line in place of several: where HTML was in Markdown, the index keeps the lines.
fn without_repeated_blank_lines(text: &str) -> Cow<'_, str> {
    let lines = || text.split_inclusive('\n');
    let is_blank = |line: &str| line.trim().is_empty();
    if !lines().zip(lines().skip(1)).any(|(one, next)| is_blank(one) && is_blank(next)) {
        return Cow::Borrowed(text);
    }
    let mut was_blank = false;
    let is_kept = |line: &&str| !std::mem::replace(&mut was_blank, is_blank(line)) || !is_blank(line);
    Cow::Owned(lines().filter(is_kept).collect())
}

impl Excerpt {
    /// The most informative line: the first one with the most matches, but not a heading if another line has content. A
    /// long line is cut around its first match.
    pub fn one_line(&self) -> Self {
        let lines = self.text.split_inclusive('\n').scan(0, |end, line| {
            let start = *end;
            *end += line.len();
            let inside = self.matches.iter().filter(|it| it.start >= start && it.end <= start + line.len());
            let matches: Vec<Range<usize>> = inside.map(|it| it.start - start..it.end - start).collect();
            Some((line.trim_end(), matches))
        });
        let worth = |line: &str, matches: &[Range<usize>]| {
            (!line.is_empty() && line != GAP, !line.starts_with('#'), matches.len())
        };
        // `max_by_key` would return the last of several maxima.
        let best = lines.reduce(|best, it| if worth(it.0, &it.1) > worth(best.0, &best.1) { it } else { best });
        let Some((line, matches)) = best else { return Self::default() };
        let indent = line.len() - line.trim_start().len();
        let first = matches.first().map_or(indent, |it| it.start);
        part(line, &matches, around(line, indent..line.len(), first))
    }
}

/// At most [`LINE`] characters of a range of a line, around this byte, cut between words if possible.
fn around(line: &str, range: Range<usize>, byte: usize) -> Range<usize> {
    let most = |from: usize| {
        let rest = line.get(from..range.end).unwrap_or_default();
        rest.char_indices().nth(LINE).map_or(range.end, |(at, _)| from + at)
    };
    let mut start = range.start;
    if most(start) < range.end && byte > start {
        let before = line.get(start..byte).unwrap_or_default();
        if let Some((from, _)) = before.char_indices().rev().nth(LINE / 4) {
            let cut = before.get(from..).and_then(|it| it.find(char::is_whitespace).map(|at| from + at + 1));
            start += cut.unwrap_or(before.len());
        }
    }
    let end = most(start);
    let cut = line.get(start..end).filter(|_| end < range.end).and_then(|it| it.rfind(char::is_whitespace));
    let cut = cut.filter(|at| start + at > byte);
    start..cut.map_or(end, |at| start + at)
}

/// A part of a text with `…` for omitted text (on its own line for whole lines), and the matches in it.
fn part(text: &str, matches: &[Range<usize>], range: Range<usize>) -> Excerpt {
    let Range { start, end } = range;
    let before = text.get(..start).unwrap_or_default();
    let mut shown = match before.trim().is_empty() {
        true => String::new(),
        false if before.ends_with('\n') => format!("{GAP}\n"),
        false => GAP.to_owned(),
    };
    let shift = shown.len();
    let inside = text.get(start..end).unwrap_or_default().trim_end();
    shown.push_str(inside);
    let last = shown.len();
    if end < text.trim_end().len() {
        let after = text.get(start + inside.len()..).unwrap_or_default();
        let ends_line = after.trim_start_matches([' ', '\t', '\r']).starts_with('\n');
        if ends_line && !inside.is_empty() {
            shown.push('\n');
        }
        shown.push_str(GAP);
    }
    let inside = matches.iter().filter(|it| it.start >= start);
    let moved = inside.map(|it| it.start - start + shift..it.end - start + shift);
    Excerpt { matches: moved.filter(|it| it.end <= last).collect(), text: shown, fence: None }
}

/// The window of [`LENGTH`] characters with the most different words, then with the most words in the query's own form,
/// then the first one. It begins and ends between words.
fn best_window(text: &str, found: &[Match]) -> Option<Range<usize>> {
    let mut best: Option<((usize, usize), Range<usize>)> = None;
    let most = different(found.iter());
    for Match { range, .. } in found {
        let window = window_at(text, range.start);
        // A text that repeats one word a hundred thousand times has as many matches, but each window contains few.
        let from = found.partition_point(|it| it.range.start < window.start);
        let inside = found.iter().skip(from).take_while(|it| it.range.start < window.end);
        let worth = different(inside.filter(|it| it.range.end <= window.end));
        if best.as_ref().is_none_or(|(best, _)| worth > *best) {
            best = Some((worth, window));
        }
        // No other window can have more.
        if worth == most {
            break;
        }
    }
    best.map(|(_, window)| window)
}

/// The window around the word at this position.
fn window_at(text: &str, word: usize) -> Range<usize> {
    let before = text.get(..word).unwrap_or_default();
    let start = match before.char_indices().rev().nth(BEFORE) {
        None => 0,
        Some((from, _)) => {
            let part = before.get(from..).unwrap_or_default();
            let cut = part.find('\n').or_else(|| part.find(char::is_whitespace));
            cut.map_or(word, |at| from + at + part.get(at..).and_then(|it| it.chars().next()).map_or(1, char::len_utf8))
        }
    };
    let rest = text.get(start..word).unwrap_or_default();
    let start = start + rest.len() - rest.trim_start_matches(['\r', '\n']).len();
    let rest = text.get(start..).unwrap_or_default();
    let Some((most, _)) = rest.char_indices().nth(LENGTH) else { return start..text.len() };
    let part = rest.get(..most).unwrap_or_default();
    let near = |at: &usize| *at > most / 2;
    let cut = part.rfind('\n').filter(near).or_else(|| part.rfind(char::is_whitespace).filter(near)).unwrap_or(most);
    start..start + cut
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use refdesk_files::scale::scaled;

    use super::*;

    fn shown(text: &str, terms: &[&str]) -> String {
        let terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
        let Excerpt { text, matches, .. } = of(text, &terms);
        let mut marked = String::new();
        let mut at = 0;
        for range in matches {
            marked.push_str(&format!("{}[{}]", &text[at..range.start], &text[range.clone()]));
            at = range.end;
        }
        marked + &text[at..]
    }

    #[test]
    fn words_are_marked() {
        for (text, terms, expected) in [
            ("Retries and retrying: retry.", vec!["retry"], "[Retries] and [retrying]: [retry]."),
            ("blue and green, blue-green", vec!["blue green"], "blue and green, [blue]-[green]"),
            ("the selectReferences", vec!["references", "selectreferences"], "the [selectReferences]"),
            ("on node18", vec!["node"], "on [node]18"),
            ("支払いの再試行は三回", vec!["再試行", "再試", "試行"], "支払いの[再試行]は三回"),
            ("nothing here", vec!["retry"], "nothing here"),
            ("", vec!["retry"], ""),
        ] {
            assert_eq!(shown(text, &terms), expected);
        }
    }

    #[test]
    fn several_blank_lines_are_one() {
        let badges = " \n\n".repeat(400);
        assert_eq!(shown(&format!("# A\n{badges}an okapi\n"), &["okapi"]), "# A\n \nan [okapi]\n");
        assert_eq!(shown("a\n\nb\n", &["b"]), "a\n\n[b]\n");
    }

    #[test]
    fn a_long_text_is_cut_around_the_words() {
        let long = format!("{}the needle and the thread. {}", "hay ".repeat(400), "hay ".repeat(400));
        let found = shown(&long, &["needle", "thread"]);
        assert!(found.starts_with("…hay") && found.contains("[needle] and the [thread]") && found.ends_with("hay…"));
        assert!(found.chars().count() <= LENGTH + 6);
        let forms = format!("zoneB {}zoneA {}", "hay ".repeat(400), "hay ".repeat(400));
        let found = shown(&forms, &["zonea"]);
        assert!(found.contains("[zoneA]"), "{found}");
        // No window contains both words, so every window is examined.
        let many = "hay ".repeat(scaled(60_000, 150_000)) + &"straw ".repeat(200) + "needle";
        let many = of(&many, &["hay".to_owned(), "needle".to_owned()]);
        assert!(many.text.starts_with("hay") && many.matches.len() > 50, "without comparing each word with all");
        let beginning = shown(&long, &["nothing"]);
        assert!(beginning.starts_with("hay hay") && beginning.ends_with('…'));
        let item = "- an item of a list\n".repeat(40);
        let found = shown(&format!("{item}- the needle\n{item}"), &["needle"]);
        assert!(found.starts_with("…\n- an item of a list\n") && found.ends_with("- an item of a list\n…"), "{found}");
        let unbroken = "x".repeat(5_000);
        assert_eq!(of(&unbroken, &[]).text.chars().count(), LENGTH + 1);
    }

    #[test]
    fn a_part_of_a_code_block_has_its_fence() {
        let hay = "hay: 1\n".repeat(100);
        for (text, fence) in [
            (format!("# A\n\n```yaml\n{hay}# needle\n{hay}```\n"), Some("```yaml")),
            (format!("# A\n\n```yaml\n{hay}```\n\n{hay}needle\n{hay}"), None),
            ("# A\n\n```yaml\n# needle\n```\n".to_owned(), None),
        ] {
            assert_eq!(of(&text, &["needle".to_owned()]).fence.as_deref(), fence, "{text}");
        }
    }

    #[test]
    fn one_line_is_the_most_telling() {
        let marked = |text: &str, terms: &[&str]| {
            let terms: Vec<String> = terms.iter().map(ToString::to_string).collect();
            let Excerpt { text, matches, .. } = of(text, &terms).one_line();
            let found: Vec<&str> = matches.into_iter().map(|it| &text[it]).collect();
            format!("{text} {found:?}")
        };
        for (text, terms, expected) in [
            (
                "# Retry\n\nAn introduction.\n  Retry twice, then retry no more.\n",
                vec!["retry"],
                r#"Retry twice, then retry no more. ["Retry", "retry"]"#,
            ),
            ("# Retry\n\nAn introduction.\n", vec!["retry"], "An introduction. []"),
            ("# Retry\n\n", vec!["retry"], r##"# Retry ["Retry"]"##),
            ("\n\n", vec!["retry"], " []"),
            ("", vec![], " []"),
        ] {
            assert_eq!(marked(text, &terms), expected);
        }
        let long = format!("{}the needle and the thread. {}", "hay ".repeat(40), "hay ".repeat(40));
        let line = marked(&long, &["needle", "thread"]);
        assert!(line.starts_with("…hay") && line.ends_with(r#"hay… ["needle", "thread"]"#), "{line}");
    }

    proptest! {
        #[test]
        fn one_line_is_short_and_of_the_excerpt(text in r"([a-eé🦀#\n ]{0,9}){0,80}", terms in prop::collection::vec("[a-e]{1,4}", 0..4)) {
            let whole = of(&text, &terms);
            let line = whole.one_line();
            prop_assert!(line.text.chars().count() <= LINE + 2 && !line.text.contains('\n'));
            prop_assert!(whole.text.contains(line.text.trim_start_matches('…').trim_end_matches('…')));
            prop_assert!(line.matches.iter().all(|range| line.text.get(range.clone()).is_some_and(|word| !word.is_empty())));
            prop_assert_eq!(line.text.is_empty(), whole.text.trim().is_empty());
        }

        #[test]
        fn an_excerpt_is_short_and_of_the_text(text in r"([a-eé🦀\n ]{0,9}){0,200}", terms in prop::collection::vec("[a-e]{1,4}", 0..4)) {
            let Excerpt { text: part, matches, .. } = of(&text, &terms);
            prop_assert!(part.chars().count() <= LENGTH + 4);
            prop_assert!(without_repeated_blank_lines(&text).contains(part.trim_matches(['…', '\n'])));
            prop_assert!(matches.iter().all(|range| part.get(range.clone()).is_some_and(|word| !word.is_empty())));
            prop_assert!(matches.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
