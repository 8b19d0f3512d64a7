//! Splits a prompt into pieces, which are compared in addition to the whole: a long prompt is about several things
//! (SEARCH S2.3).

use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeSet, HashMap, HashSet};

use crate::chunk::paragraphs;
use crate::spellings::{COMPOUNDS, Spelling, compounds, has_content, joined_parts, numbered_name};
use crate::words::{composed, forms, is_phonetic, is_stop_word, range_of, versions, words};

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

/// The text, followed by its pieces if it has several, at most `most` in all: the first, the last, those in which a tag
/// is first, and those with the most words that few other pieces have. `first_tags` returns the byte offsets of these
/// tags; it is called only if some pieces are left out.
pub(crate) fn pieces(whole: &str, most: usize, first_tags: impl FnOnce() -> Vec<usize>) -> Vec<&str> {
    let text = whole.trim();
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
        let tags = tags_of(&found, whole, first_tags());
        let with_tags = tags.keys().copied().filter(|at| (1..last).contains(at)).take(JUDGED);
        let judged: BTreeSet<usize> = (1..last).step_by(last.div_ceil(JUDGED)).chain(with_tags).collect();
        let mut between: Vec<usize> = judged.into_iter().collect();
        let shares = rare_words(between.iter().filter_map(|at| found.get(*at).copied()));
        let share: HashMap<usize, f32> = between.iter().copied().zip(shares).collect();
        between.sort_by(|one, other| share.get(other).partial_cmp(&share.get(one)).unwrap_or(Ordering::Equal));
        let places = most.saturating_sub(3);
        let mut tagged: Vec<usize> = between.iter().copied().filter(|at| tags.contains_key(at)).collect();
        tagged.sort_by_key(|at| Reverse(tags.get(at)));
        // If there is more than one place, one of them is for a question without a tag in a paste full of them.
        tagged.truncate(places.saturating_sub(1).max(1));
        let mut kept = HashSet::from([0, last]);
        for at in tagged.into_iter().chain(between) {
            if kept.len() < places + 2 {
                kept.insert(at);
            }
        }
        found = found.into_iter().enumerate().filter(|(at, _)| kept.contains(at)).map(|(_, piece)| piece).collect();
    }
    std::iter::once(text).chain(found).collect()
}

/// For each piece in which tags are first, their number.
fn tags_of(pieces: &[&str], text: &str, mut offsets: Vec<usize>) -> HashMap<usize, usize> {
    let starts: Vec<usize> = pieces.iter().map(|piece| range_of(piece, text).start).collect();
    offsets.sort_unstable();
    // Several sources may have the same tag.
    offsets.dedup();
    let mut counts = HashMap::new();
    for at in offsets.into_iter().filter_map(|tag| starts.partition_point(|start| *start <= tag).checked_sub(1)) {
        *counts.entry(at).or_default() += 1;
    }
    counts
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

/// The first characters of a piece in which other spellings are found: about as long as [`TERMS`] words.
const SPELLED: usize = 1_024;

/// The words of a piece by which it is compared.
#[derive(Debug, Clone, Default)]
pub(crate) struct PieceWords {
    pub terms: Vec<String>,
    /// Other spellings: a document may contain `backoff` for `back off`.
    pub compounds: Vec<Spelling>,
}

impl PieceWords {
    pub(crate) fn of(piece: &str) -> Self {
        let terms = terms(piece);
        let start = piece.char_indices().nth(SPELLED).and_then(|(end, _)| piece.get(..end)).unwrap_or(piece);
        let start = &*composed(start);
        let spaced: Vec<&str> = start.split_whitespace().collect();
        let names = joined_parts(start).chain(words(start).filter_map(numbered_name));
        let mut seen: HashSet<String> = terms.iter().cloned().collect();
        let new = compounds(&spaced, is_informative_pair)
            .into_iter()
            .chain(names)
            .filter(|(word, _)| seen.insert(word.clone()));
        Self { compounds: new.take(COMPOUNDS).collect(), terms }
    }
}

/// Whether two adjacent words of a text may be one: both are informative, or the second is what a verb may end with, as in
/// `back off`. In a whole sentence, any other word such as `in` or `or` makes an unintended word: `in line`, `edit or`.
fn is_informative_pair(pair: &[&str; 2]) -> bool {
    const PARTICLES: [&str; 7] = ["off", "out", "up", "down", "in", "on", "over"];
    let [one, other] = pair;
    has_content(one) && (has_content(other) || PARTICLES.contains(other))
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
        assert_eq!(pieces(" add a retry \n", MAX_PROMPT_PIECES, Vec::new), ["add a retry"]);
        assert!(pieces(" \n ", MAX_PROMPT_PIECES, Vec::new).is_empty());
    }

    #[test]
    fn a_long_text_is_cut_at_blank_lines_and_at_length() {
        let long = "word ".repeat(200);
        for blank in ["\n\n", "\r\n\r\n", "\n \t\n", "\n\n\n"] {
            let text = format!("first{blank}{long}{blank}last");
            let found = pieces(&text, MAX_PROMPT_PIECES, Vec::new);
            assert_eq!(found.len(), 1 + 1 + 3 + 1, "{blank:?}");
            assert_eq!((found[1], found[5]), ("first", "last"));
            assert!(found[1..].iter().all(|piece| piece.chars().count() <= LENGTH));
        }
        let mut long = vec!["a a a a"; 100_000];
        long[50_000] = "seven different words make this one telling";
        assert_eq!(pieces(&long.join("\n\n"), MAX_PROMPT_PIECES, Vec::new).len(), MAX_PROMPT_PIECES);
        assert_eq!(pieces(&long.join("\n\n"), MAX_TOOL_RESULT_PIECES, Vec::new).len(), MAX_TOOL_RESULT_PIECES);
        let unbroken = "x".repeat(5_000);
        let found = pieces(&unbroken, MAX_PROMPT_PIECES, Vec::new);
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
            let found = pieces(&text, MAX_PROMPT_PIECES, Vec::new);
            assert!(found.contains(&question), "{found:?}");
            assert_eq!(found.len(), MAX_PROMPT_PIECES);
            // A paste full of tags leaves a place for it.
            let found = pieces(&text, MAX_PROMPT_PIECES, || (0..paste.len()).step_by(450).collect());
            assert!(found.contains(&question), "{found:?}");
        }
    }

    #[test]
    fn a_piece_with_a_tag_is_compared_although_others_have_more_rare_words() {
        let letters = |nth: usize| nth.to_string().bytes().map(|digit| char::from(digit + 49)).collect::<String>();
        let dense =
            |nth: usize| (0..9).map(|at| format!("w{}x{}", letters(at), letters(nth))).collect::<Vec<_>>().join(" ");
        for (others, most) in [(12, MAX_PROMPT_PIECES), (4, MAX_TOOL_RESULT_PIECES), (5_000, MAX_TOOL_RESULT_PIECES)] {
            let mut paragraphs: Vec<String> = (0..others).map(dense).collect();
            paragraphs.insert(others / 2 + 1, "use retry backoff".to_owned());
            let text = format!("\n{}", paragraphs.join("\n\n"));
            let tag = text.find("retry backoff").unwrap();
            for (offsets, is_there) in [(vec![], false), (vec![tag, tag], true), (vec![0, tag, text.len() - 1], true)] {
                let found = pieces(&text, most, || offsets.clone());
                assert_eq!(found.contains(&"use retry backoff"), is_there, "{others} {offsets:?}");
                assert_eq!(found.len(), most);
            }
        }
    }

    #[test]
    fn the_other_spellings_of_a_piece() {
        for (piece, expected) in [
            ("how do we back off, then time-out", &["backoff", "timeout"][..]),
            // In a sentence, most words beside each other are not meant as one: `inline`, `editor`, `onboarding`.
            ("edit or delete what is on board, as in line 3", &[]),
            ("a tier3 plan, backoff", &["tier 3"]),
            ("what is it", &[]),
        ] {
            let found: Vec<String> = PieceWords::of(piece).compounds.into_iter().map(|(word, _)| word).collect();
            assert_eq!(found, expected, "{piece}");
        }
        let long = PieceWords::of(&"back off ".repeat(100_000));
        assert!(long.compounds.len() <= 3, "{long:?}");
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
