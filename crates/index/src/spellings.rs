//! Other spellings of words: one word that may be two in a text, two that may be one, and the British and American ones.

use std::collections::HashSet;

use crate::words::{is_of_word, is_phonetic, is_stop_word, is_unspaced, parts};

/// A word or phrase in lower case, and the words that it may stand for.
pub(crate) type Spelling = (String, Vec<String>);

/// The most compounds of a query or a piece of a text, phrases with a single character, and words to divide, since a
/// question has few words.
pub(crate) const COMPOUNDS: usize = 64;

/// The lengths in characters of words that may be two in a text.
const DIVIDED: std::ops::RangeInclusive<usize> = 5..=20;

/// The pairs of adjacent words without punctuation, which may follow the second word, but not the first.
pub(crate) fn pairs<'t>(words: &[&'t str]) -> impl Iterator<Item = [&'t str; 2]> {
    words.windows(2).map(|pair| match pair {
        [one, other] => [one, other.trim_end_matches(|char: char| char.is_ascii_punctuation())],
        _ => [""; 2],
    })
}

/// Joins adjacent words that consist of letters and that `may` be one word.
pub(crate) fn compounds(words: &[&str], may: impl Fn(&[&str; 2]) -> bool) -> Vec<Spelling> {
    let is_word = |word: &str| word.chars().nth(1).is_some() && word.chars().all(char::is_alphabetic);
    let mut seen = HashSet::new();
    let joined = pairs(words).filter(|pair| pair.iter().all(|it| is_word(it)) && may(pair));
    let compounds = joined.map(|pair| (pair.concat().to_lowercase(), pair.map(str::to_lowercase).to_vec()));
    compounds.filter(|(word, _)| seen.insert(word.clone())).take(COMPOUNDS).collect()
}

/// Joins adjacent parts, which consist of letters, of names written with hyphens and underscores: `back-off`, `sub_agent`.
/// If there are just two, what is joined also stands for the phrase of both.
pub(crate) fn joined_parts(text: &str) -> impl Iterator<Item = Spelling> {
    let is_joint = |char: char| matches!(char, '-' | '_');
    text.split(move |char| !is_of_word(char) && !is_joint(char)).flat_map(move |name| {
        let parts: Vec<&str> = name.trim_matches(is_joint).split(is_joint).collect();
        let is_joined = |pair: &[&str]| {
            let are_letters = pair.iter().all(|part| !part.is_empty() && part.chars().all(char::is_alphabetic));
            // A single letter may come first, as in `e-mail`.
            let is_long = pair.last().is_some_and(|part| part.chars().nth(1).is_some());
            are_letters && is_long && pair.iter().any(|part| has_content(part))
        };
        let is_whole = parts.len() == 2;
        let spelling = |pair: &[&str]| {
            let whole = is_whole.then(|| pair.join(" "));
            let of = pair.iter().map(|part| (*part).to_owned()).chain(whole).map(|it| it.to_lowercase());
            (pair.concat().to_lowercase(), of.collect())
        };
        parts.windows(2).filter(|pair| is_joined(pair)).map(spelling).collect::<Vec<Spelling>>()
    })
}

/// A name with a single letter or digit, as the phrase of its parts.
pub(crate) fn numbered_name(name: &str) -> Option<Spelling> {
    let parts = parts(name);
    let has_single = parts.len() > 1 && parts.iter().any(|part| part.chars().nth(1).is_none());
    let is_phrase = has_single && parts.iter().any(|part| has_content(part)) && !name.contains(is_unspaced);
    is_phrase.then(|| (parts.join(" ").to_lowercase(), vec![name.to_lowercase()]))
}

/// British and American endings, each before one of the further endings.
const ENDINGS: [(&str, &str, &[&str]); 5] = [
    ("is", "iz", &["e", "ed", "er", "ers", "es", "ing", "able", "ation", "ations"]),
    ("ys", "yz", &["e", "ed", "er", "ers", "es", "ing"]),
    ("enc", "ens", &["e", "ed", "es", "ing"]),
    ("ogue", "og", &["", "s"]),
    ("tre", "ter", &["", "s"]),
];

/// British and American letters at the beginning or in the middle of words.
const LETTERS: [(&str, &str); 4] =
    [("our", "or"), ("artefact", "artifact"), ("judgement", "judgment"), ("grey", "gray")];

/// The fewest letters before what differs: `four` is not another spelling of `for`.
const BEFORE: usize = 3;

/// What a word without documents may be in them: in British or American spelling, or divided into two.
pub(crate) fn spellings_of_missing(word: &str) -> impl Iterator<Item = Spelling> {
    regional(word).into_iter().map(|spelling| (spelling, vec![word.to_owned()])).chain(divided(word))
}

/// A word in American spelling if it is in British, and the other way round. Some results are not words.
fn regional(word: &str) -> Vec<String> {
    let both = |british, american| [(british, american), (american, british)];
    let by_ending = ENDINGS.iter().flat_map(|(british, american, endings)| {
        let of = |(from, to)| endings.iter().map(move |ending| (from, to, *ending));
        both(*british, *american).into_iter().flat_map(of)
    });
    let by_ending = by_ending.filter_map(|(from, to, ending)| {
        let start = word.strip_suffix(ending)?.strip_suffix(from)?;
        (start.len() >= BEFORE).then(|| format!("{start}{to}{ending}"))
    });
    let by_letters =
        LETTERS.iter().flat_map(|(british, american)| both(*british, *american)).filter_map(|(from, to)| {
            let is_whole = from.len() > BEFORE;
            let (at, _) = word.match_indices(from).find(|(at, _)| if is_whole { *at == 0 } else { *at >= BEFORE })?;
            let (start, rest) = word.split_at_checked(at)?;
            Some(format!("{start}{to}{}", rest.strip_prefix(from)?))
        });
    by_ending.chain(by_letters).collect()
}

pub(crate) fn may_have_spellings(term: &str) -> bool {
    DIVIDED.contains(&term.chars().count()) && term.chars().all(|char| char.is_alphabetic() && !is_unspaced(char))
}

/// All divisions of a word into two, of which the second has at least two letters, unless the first is a function word:
/// `as set` is not another spelling of `asset`. A single letter may come first, as in `e mail`, but not before a function
/// word.
fn divided(word: &str) -> impl Iterator<Item = Spelling> {
    let last = word.chars().count().saturating_sub(2);
    let cuts = word.char_indices().map(|(at, _)| at).take(last + 1).skip(1);
    cuts.filter_map(|at| word.split_at_checked(at))
        .filter(|(one, other)| !is_stop_word(one) && (one.chars().nth(1).is_some() || !is_stop_word(other)))
        .map(|(one, other)| (format!("{one} {other}"), vec![word.to_owned()]))
}

pub(crate) fn has_content(term: &str) -> bool {
    // In Chinese and Korean, and in Japanese except in Hiragana, a single character can be a whole word.
    let is_word = |char: char| is_unspaced(char) && !is_phonetic(char);
    (term.chars().nth(1).is_some() || term.starts_with(is_word)) && !is_stop_word(&term.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn british_and_american_spellings() {
        for (british, american) in [
            ("authorisation", "authorization"),
            ("optimise", "optimize"),
            ("initialising", "initializing"),
            ("analyser", "analyzer"),
            ("colourblind", "colorblind"),
            ("behaviours", "behaviors"),
            ("licence", "license"),
            ("catalogue", "catalog"),
            ("centres", "centers"),
            ("artefacts", "artifacts"),
            ("greyed", "grayed"),
        ] {
            for (word, expected) in [(british, american), (american, british)] {
                assert!(regional(word).contains(&expected.to_owned()), "{word} {:?}", regional(word));
            }
        }
        for word in ["four", "for", "hour", "rise", "tree", "log", "retry", "größe", ""] {
            assert!(regional(word).is_empty(), "{word} {:?}", regional(word));
        }
    }
}
