//! Splits a prompt into pieces, which are compared in addition to the whole: a long prompt is about several things
//! (SEARCH S2.3).

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};

use crate::chunk::paragraphs;
use crate::words::{composed, forms, is_phonetic, is_stop_word, versions, words};

/// A piece ends at a blank line, or at this length in characters.
const LENGTH: usize = 400;

/// The most pieces of a prompt, including the whole.
pub(crate) const MAX_PROMPT_PIECES: usize = 8;

/// The most pieces of a tool result; fewer, because they are long and each takes the model's time.
pub(crate) const MAX_TOOL_RESULT_PIECES: usize = 4;

/// The most pieces that are examined; of a longer text, at equal distances.
const JUDGED: usize = 1_024;

/// The most words of a piece that are looked up.
const TERMS: usize = 64;

/// The text, followed by its pieces if it has several, at most `most` in all: the first, the last, and those with the
/// most words that few other pieces have.
pub(crate) fn pieces(text: &str, most: usize) -> Vec<&str> {
    let text = text.trim();
    let mut found: Vec<&str> = Vec::new();
    for paragraph in paragraphs(text).into_iter().filter_map(|range| text.get(range)) {
        let mut rest = paragraph.trim();
        while let Some((most, _)) = rest.char_indices().nth(LENGTH) {
            let window = rest.get(..most).unwrap_or(rest);
            let cut = window.rfind(char::is_whitespace).filter(|at| *at > window.len() / 2).unwrap_or(most);
            found.push(rest.get(..cut).unwrap_or(rest).trim());
            rest = rest.get(cut..).unwrap_or_default().trim_start();
        }
        if !rest.is_empty() {
            found.push(rest);
        }
    }
    if found.len() < 2 {
        return if text.is_empty() { Vec::new() } else { vec![text] };
    }
    if found.len() >= most {
        let last = found.len() - 1;
        let mut between: Vec<usize> = (1..last).step_by(last.div_ceil(JUDGED)).collect();
        let shares = rare_words(between.iter().filter_map(|at| found.get(*at).copied()));
        let share: HashMap<usize, f32> = between.iter().copied().zip(shares).collect();
        between.sort_by(|one, other| share.get(other).partial_cmp(&share.get(one)).unwrap_or(Ordering::Equal));
        between.truncate(most.saturating_sub(3));
        let kept: HashSet<usize> = between.into_iter().chain([0, last]).collect();
        found = found.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, piece)| piece).collect();
    }
    std::iter::once(text).chain(found).collect()
}

/// For each piece, the number of its words, each divided by the number of pieces that contain it: a line repeated a
/// hundred times counts little, and a single question between such lines counts much. Numbers, times and addresses do
/// not count.
fn rare_words<'t>(pieces: impl Iterator<Item = &'t str>) -> Vec<f32> {
    let has_digit = |term: &String| term.contains(|character: char| character.is_ascii_digit());
    let words: Vec<Vec<String>> =
        pieces.map(|piece| terms(piece).into_iter().filter(|term| !has_digit(term)).collect()).collect();
    let mut counts: HashMap<&str, f32> = HashMap::new();
    for word in words.iter().flatten() {
        *counts.entry(word).or_default() += 1.0;
    }
    words
        .iter()
        .map(|words| words.iter().map(|word| counts.get(word.as_str()).map_or(0.0, |n| 1.0 / n)).sum())
        .collect()
}

/// The informative words of a piece, in lower case, each once. Names are also split into parts; versions are phrases.
pub(crate) fn terms(piece: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    let piece = &*composed(piece);
    let forms = words(piece).flat_map(forms).map(|form| form.to_lowercase());
    let says_something = |term: &String| {
        term.chars().count() > 1 && !is_stop_word(term) && !is_inflection(term) && !is_small_number(term)
    };
    forms.filter(says_something).chain(versions(piece)).filter(|term| seen.insert(term.clone())).take(TERMS).collect()
}

/// Whether it is a number with one or two digits: times of day and counts in logs occur in any text.
fn is_small_number(term: &str) -> bool {
    term.chars().count() < 3 && term.chars().all(char::is_numeric)
}

/// Whether it is a pair of characters that occurs in any text, like the endings and particles that Japanese writes in
/// Hiragana.
fn is_inflection(term: &str) -> bool {
    term.chars().count() == 2 && term.chars().all(is_phonetic)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_piece() {
        assert_eq!(pieces(" add a retry \n", MAX_PROMPT_PIECES), ["add a retry"]);
        assert!(pieces(" \n ", MAX_PROMPT_PIECES).is_empty());
    }

    #[test]
    fn a_long_text_is_cut_at_blank_lines_and_at_length() {
        let long = "word ".repeat(200);
        for blank in ["\n\n", "\r\n\r\n", "\n \t\n", "\n\n\n"] {
            let text = format!("first{blank}{long}{blank}last");
            let found = pieces(&text, MAX_PROMPT_PIECES);
            assert_eq!(found.len(), 1 + 1 + 3 + 1, "{blank:?}");
            assert_eq!((found[1], found[5]), ("first", "last"));
            assert!(found[1..].iter().all(|piece| piece.chars().count() <= LENGTH));
        }
        let mut long = vec!["a a a a"; 100_000];
        long[50_000] = "seven different words make this one telling";
        assert_eq!(pieces(&long.join("\n\n"), MAX_PROMPT_PIECES).len(), MAX_PROMPT_PIECES);
        assert_eq!(pieces(&long.join("\n\n"), MAX_TOOL_RESULT_PIECES).len(), MAX_TOOL_RESULT_PIECES);
        let unbroken = "x".repeat(5_000);
        let found = pieces(&unbroken, MAX_PROMPT_PIECES);
        assert_eq!(found.len(), MAX_PROMPT_PIECES);
    }

    #[test]
    fn a_question_within_a_paste_is_a_piece() {
        let question = "how do I hide lines of rust code with a hash prefix?";
        let equal = "log line nothing here to see, all is well in the system today\n".repeat(100);
        let numbered: String = (0..200)
            .map(|at| format!("2026-01-05T10:{at:02}:17Z 0x{at:08x} worker-{at} took {at} ms for request {at}\n"))
            .collect();
        let program: String = (0..60).map(|at| format!("    let total{at} = add(total{at}, {at})?;\n")).collect();
        for paste in [equal, numbered, program] {
            let text = format!("{paste}\n\n{question}\n\n{paste}");
            let found = pieces(&text, MAX_PROMPT_PIECES);
            assert!(found.contains(&question), "{found:?}");
            assert_eq!(found.len(), MAX_PROMPT_PIECES);
        }
    }

    #[test]
    fn terms_leave_stop_words_out_and_split_names() {
        assert_eq!(
            terms("How do I use selectReferences in the desk desk?"),
            ["selectreferences", "select", "references", "desk"]
        );
        assert!(terms("what is it?").is_empty());
        assert_eq!(terms("こと ผ่าน हिन्दी"), ["ผ่าน", "हिन्दी"]);
        assert_eq!(terms("upgrade the APIs from 2.8 to v2.9"), ["upgrade", "apis", "v2", "2 8", "2 9"]);
        assert_eq!(terms("10:00:12 item 21 answered 429"), ["item", "answered", "429"]);
        assert_eq!(terms("再実行してください"), ["再実行してください", "再実", "実行", "行し"]);
        assert_eq!(terms("カ\u{3099}イト\u{3099}"), ["ガイド", "ガイ", "イド"]);
    }
}
