//! The stem of an English word, which full-text search stores instead of the word: M. F. Porter, *An algorithm for
//! suffix stripping*, 1980, with the later rules for `bli` and `logi`. SQLite and PostgreSQL have it built in but do
//! not expose it; the tests compare it with both. Crates with this stemmer contain stemmers for thirty languages, or
//! are unmaintained.

use std::borrow::Cow;

/// Only words with these lengths in bytes are stemmed.
const STEMMED: std::ops::RangeInclusive<usize> = 3..=64;

/// A suffix and its replacement.
type Rule = (&'static str, &'static str);

/// The rules of each step are tried in order, so a suffix comes before any shorter suffix that it ends with.
const STEP_2: [Rule; 21] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("logi", "log"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
];

const STEP_3: [Rule; 7] =
    [("ical", "ic"), ("ness", ""), ("icate", "ic"), ("iciti", "ic"), ("ful", ""), ("ative", ""), ("alize", "al")];

/// Suffixes to remove.
const STEP_4: [&str; 19] = [
    "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ement", "ment", "ent", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
];

/// The stem of a word in lower case. A word in another script is returned unchanged.
pub(crate) fn stem(word: &str) -> Cow<'_, str> {
    if !STEMMED.contains(&word.len()) {
        return Cow::Borrowed(word);
    }
    let mut stem = without_plural(word).to_owned();
    remove_participle(&mut stem);
    if let Some(rest) = stem.strip_suffix('y').filter(|rest| has_vowel(rest)) {
        stem = format!("{rest}i");
    }
    replace_suffix(&mut stem, &STEP_2);
    replace_suffix(&mut stem, &STEP_3);
    remove_suffix(&mut stem);
    if let Some(rest) = stem.strip_suffix('e')
        && (measure(rest) > 1 || (measure(rest) == 1 && !ends_in_short_syllable(rest)))
    {
        stem.truncate(rest.len());
    }
    if stem.ends_with("ll") && measure(&stem) > 1 {
        stem.pop();
    }
    Cow::Owned(stem)
}

fn without_plural(word: &str) -> &str {
    let Some(rest) = word.strip_suffix('s').filter(|rest| !rest.ends_with('s')) else { return word };
    let is_long = (word.ends_with("sses") && word.len() > 4) || (word.ends_with("ies") && word.len() > 3);
    rest.strip_suffix('e').filter(|_| is_long).unwrap_or(rest)
}

fn remove_participle(word: &mut String) {
    if let Some(rest) = before(word, "eed") {
        let length = rest.len() + if measure(rest) > 0 { "ee".len() } else { "eed".len() };
        return word.truncate(length);
    }
    let Some(rest) = before(word, "ed").or_else(|| before(word, "ing")).filter(|rest| has_vowel(rest)) else { return };
    word.truncate(rest.len());
    let mut ending = word.bytes().rev();
    let (last, before_last) = (ending.next().unwrap_or_default(), ending.next().unwrap_or_default());
    let is_doubled = last == before_last && last.is_ascii() && !b"aeioulsz".contains(&last);
    if ["at", "bl", "iz"].iter().any(|ending| before(word, ending).is_some()) {
        word.push('e');
    } else if is_doubled {
        word.pop();
    } else if measure(word) == 1 && ends_in_short_syllable(word) {
        word.push('e');
    }
}

fn replace_suffix(word: &mut String, rules: &[Rule]) {
    let found = rules.iter().find_map(|(suffix, new)| before(word, suffix).map(|rest| (rest, new)));
    if let Some((rest, new)) = found.filter(|(rest, _)| measure(rest) > 0) {
        word.truncate(rest.len());
        word.push_str(new);
    }
}

fn remove_suffix(word: &mut String) {
    let found = STEP_4.iter().find_map(|suffix| before(word, suffix).map(|rest| (rest, *suffix)));
    let may_end = |rest: &str, suffix| suffix != "ion" || rest.ends_with(['s', 't']);
    if let Some((rest, _)) = found.filter(|(rest, suffix)| measure(rest) > 1 && may_end(rest, *suffix)) {
        word.truncate(rest.len());
    }
}

/// The part of a word before a suffix, which must not be the whole word.
fn before<'w>(word: &'w str, suffix: &str) -> Option<&'w str> {
    word.strip_suffix(suffix).filter(|rest| !rest.is_empty())
}

/// For each letter, whether it is a vowel; `y` is a vowel after a consonant.
fn vowels(word: &str) -> impl Iterator<Item = bool> {
    word.bytes().scan(false, |is_after_consonant, letter| {
        let is_vowel = b"aeiou".contains(&letter) || (letter == b'y' && *is_after_consonant);
        *is_after_consonant = !is_vowel;
        Some(is_vowel)
    })
}

fn has_vowel(word: &str) -> bool {
    vowels(word).any(|is_vowel| is_vowel)
}

/// The number of consonants that directly follow a vowel: the algorithm's *m*.
fn measure(word: &str) -> usize {
    let mut was_vowel = false;
    vowels(word).filter(|is_vowel| std::mem::replace(&mut was_vowel, *is_vowel) && !is_vowel).count()
}

/// Whether a word ends with a consonant, a vowel and a consonant other than `w`, `x` and `y`: the algorithm's *\*o*.
fn ends_in_short_syllable(word: &str) -> bool {
    let mut last = [true, true, true];
    vowels(word).for_each(|is_vowel| last = [last[1], last[2], is_vowel]);
    word.len() > 2 && last == [false, true, false] && !word.ends_with(['w', 'x', 'y'])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::schema;

    /// Words of the model's vocabulary, in several forms.
    pub(crate) fn many_words() -> Vec<String> {
        let known = include_str!("../model/vocab.txt")
            .lines()
            .filter(|word| word.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let endings = ["", "s", "ed", "ing", "ly", "ness", "ational", "ies", "eed"];
        known
            .zip(endings.iter().cycle())
            .flat_map(|(word, ending)| [word.to_owned(), format!("{word}{ending}")])
            .collect()
    }

    #[test]
    fn stems_are_those_of_the_index_in_a_file() {
        let mut connection = rusqlite::Connection::open_in_memory().unwrap();
        schema::create(&mut connection, &[]).unwrap();
        let words = many_words();
        let sql = "INSERT INTO documents (doc_type, source_id, file_path, heading, line, end_line, content, keywords, content_hash,
                       sections, is_boilerplate, part_key, seal) VALUES ('text', '', '', '', 1, 1, ?, '', x'', '[]', 0, 0, x'')";
        connection.execute(sql, [words.join(" ")]).unwrap();
        connection
            .execute_batch("CREATE VIRTUAL TABLE temp.stems USING fts5vocab(main, documents_fts, instance)")
            .unwrap();
        let mut statement = connection.prepare("SELECT term FROM temp.stems ORDER BY offset").unwrap();
        let stems: Vec<String> = statement.query_map((), |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        assert_eq!(words.len(), stems.len());
        let different: Vec<_> = words.iter().zip(&stems).filter(|(word, expected)| stem(word) != **expected).collect();
        assert!(different.is_empty(), "{} {:?}", different.len(), &different[..different.len().min(20)]);
    }

    #[test]
    fn forms_of_a_word_have_one_stem() {
        for (words, expected) in [
            ("retry retries retried retrying", "retri"),
            ("policy policies", "polici"),
            ("deploy deploys deployed deployment deployments", "deploi deploy"),
            ("vm vms", "vm"),
            ("hop hops hopping hopped", "hop"),
            ("hope hopes hoping hoped", "hope"),
            ("agreed agree", "agre"),
            ("as is us", "as is us"),
            ("caresses caress", "caress"),
            ("controlling control", "control"),
            ("größe grosse", "größe gross"),
            ("", ""),
            ("日本語", "日本語"),
        ] {
            let mut found: Vec<_> = words.split(' ').map(stem).collect();
            found.dedup();
            assert_eq!(found.join(" "), expected, "{words}");
        }
    }
}
