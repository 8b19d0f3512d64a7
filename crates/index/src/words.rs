//! Words as search compares them: letters and digits, names split where their case changes, and pairs of characters in
//! scripts without blanks between words.

use std::borrow::Cow;
use std::iter::once;
use std::ops::{Range, RangeInclusive};

use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use refdesk_text::fold::fold;
pub use refdesk_text::stop_words::is_stop_word;
use refdesk_text::words::is_mark;
pub(crate) use refdesk_text::words::is_unspaced;

/// The runs of letters and digits in a text, with their accents, vowel signs and other marks.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char| !is_of_word(char)).filter(|word| word.contains(char::is_alphanumeric))
}

/// Whether a character is part of a word, as the tokenizer of the index decides (see `schema`).
pub(crate) fn is_of_word(char: char) -> bool {
    char.is_alphanumeric() || is_joined(char)
}

/// Marks of symbols, and those that choose a variant of a character.
const MARKS_OF_SYMBOLS: [RangeInclusive<char>; 3] =
    ['\u{20dd}'..='\u{20e4}', '\u{fe00}'..='\u{fe0f}', '\u{e0100}'..='\u{e01ef}'];

/// The marks that are between words.
pub(crate) fn marks_of_symbols() -> impl Iterator<Item = char> {
    MARKS_OF_SYMBOLS.into_iter().flatten()
}

/// Whether a character belongs to the letter before it: a mark, except those of symbols.
fn is_joined(char: char) -> bool {
    is_mark(char) && !MARKS_OF_SYMBOLS.iter().any(|marks| marks.contains(&char))
}

/// Whether this is a letter or mark of a script without blanks between words in which a word has several letters:
/// Hiragana, Thai, Lao, Burmese or Khmer. One or two of them say nothing about a text.
pub(crate) fn is_phonetic(char: char) -> bool {
    is_unspaced(char) && matches!(char, '\u{e00}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{3041}'..='\u{309f}')
}

/// The byte range of a word in the text that it is a slice of.
pub(crate) fn range_of(word: &str, text: &str) -> Range<usize> {
    let start = word.as_ptr().addr().saturating_sub(text.as_ptr().addr());
    start..start + word.len()
}

/// Whether a character is a combining accent.
fn is_accent(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}')
}

/// A text in the form that full-text search compares: in lower case and without accents.
pub(crate) fn folded(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    text.nfd().filter(|char| !is_accent(*char)).nfc().map(fold).collect()
}

/// A text with composed characters: a syllable of Korean, or a letter and its accent, can also be several characters.
pub(crate) fn composed(text: &str) -> Cow<'_, str> {
    match is_nfc_quick(text.chars()) {
        IsNormalized::Yes => Cow::Borrowed(text),
        _ => Cow::Owned(text.nfc().collect()),
    }
}

/// The byte positions in a composed text and in the text itself before which both have the same characters, in order.
pub(crate) fn composed_positions(text: &str) -> Vec<(usize, usize)> {
    let is_start = |char: char| canonical_combining_class(char) == 0 && is_nfc_quick(once(char)) == IsNormalized::Yes;
    let mut positions = vec![(0, 0)];
    let (mut composed, mut from) = (0, 0);
    for (at, _) in text.char_indices().skip(1).filter(|(_, char)| is_start(*char)) {
        composed += text.get(from..at).unwrap_or_default().nfc().map(char::len_utf8).sum::<usize>();
        positions.push((composed, at));
        from = at;
    }
    positions
}

/// The first letter of a word, and of its stem, in the form that full-text search compares.
pub(crate) fn initial(word: &str) -> Option<char> {
    let first = word.nfd().find(|char| !is_accent(*char)).map(fold)?;
    basic_letters(first).map_or(Some(first), |basic| basic.chars().next())
}

/// The forms by which a word is found: the word, its parts if it has several, the character pairs of parts without
/// blanks, and the word and its parts in basic letters.
pub(crate) fn forms(word: &str) -> Vec<Cow<'_, str>> {
    let parts = parts(word);
    let pairs = parts.iter().flat_map(|part| pairs(part)).collect::<Vec<_>>();
    let mut forms = vec![word];
    forms.extend(parts.into_iter().filter(|part| *part != word));
    // In basic letters, a stop word would count as informative.
    let basic = |form: &&str| in_basic_letters(form).filter(|_| !is_stop_word(&form.to_lowercase()));
    let basic: Vec<_> = forms.iter().filter_map(basic).map(Cow::Owned).collect();
    forms.into_iter().chain(pairs).map(Cow::Borrowed).chain(basic).collect()
}

/// Whether a word is one part in basic letters, like most words, so that [`forms`] has nothing to add.
fn has_one_form(word: &str) -> bool {
    let rest = word.strip_prefix(|first: char| first.is_ascii_uppercase()).unwrap_or(word);
    rest.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// What people without its key type for a letter that has no accent in Unicode, or whose accent SQLite keeps.
fn basic_letters(char: char) -> Option<&'static str> {
    Some(match char {
        'ß' | 'ẞ' => "ss",
        'æ' | 'Æ' => "ae",
        'œ' | 'Œ' => "oe",
        'ø' | 'Ø' => "o",
        'ł' | 'Ł' => "l",
        'đ' | 'Đ' => "d",
        'ħ' | 'Ħ' => "h",
        'ı' => "i",
        'ё' | 'Ё' => "е",
        _ => return None,
    })
}

/// Whether this is a letter of Greek, whose accents SQLite keeps.
fn is_greek(char: char) -> bool {
    matches!(char, '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}')
}

/// A word with basic letters in place of those that have some; `None` if it has none.
pub(crate) fn in_basic_letters(word: &str) -> Option<String> {
    if word.contains(is_greek) {
        return Some(folded(word)).filter(|basic| *basic != word.to_lowercase());
    }
    let add = |mut basic: String, char: char| {
        match basic_letters(char) {
            Some(letters) => basic.push_str(letters),
            None => basic.push(char),
        }
        basic
    };
    word.contains(|char| basic_letters(char).is_some()).then(|| word.chars().fold(String::new(), add))
}

/// All pairs of adjacent characters in a part; none if the part is itself a pair.
fn pairs(part: &str) -> Vec<&str> {
    if !part.chars().next().is_some_and(is_unspaced) || part.chars().count() < 3 {
        return Vec::new();
    }
    let starts = part.char_indices().map(|(at, _)| at);
    let ends = part.char_indices().map(|(at, char)| at + char.len_utf8()).skip(1);
    starts.zip(ends).filter_map(|(start, end)| part.get(start..end)).collect()
}

/// A run of three or more characters without blanks, as the phrase by which a text is found that contains it: a word
/// of the index is all of what is between two blanks, and rarely just the run.
pub(crate) fn unspaced_phrase(run: &str) -> Option<String> {
    let pairs = pairs(run);
    (!pairs.is_empty() && run.chars().all(is_unspaced)).then(|| pairs.join(" "))
}

/// The run without blanks that a term stands for: its only word, or the one whose pairs it consists of.
pub(crate) fn unspaced_run(term: &str) -> Option<String> {
    term.split(' ').try_fold(String::new(), |run, word| {
        let rest = run.chars().next_back().map_or(Some(word), |last| word.strip_prefix(last))?;
        word.starts_with(is_unspaced).then(|| run + rest)
    })
}

/// Whether a term is an [`unspaced_phrase`]. Only the words of [`split_names`] contain it: the words `東京` and `京都` of
/// a text, one after the other, are not `東京都`.
pub(crate) fn is_unspaced_phrase(term: &str) -> bool {
    term.contains(' ') && unspaced_run(term).is_some()
}

/// The parts of a name that changes between lower and upper case, letters and digits, or scripts with and without
/// blanks: `selectHTTPRefs2` gives `select`, `HTTP`, `Refs` and `2`. A word without such a change is its only part.
pub fn parts(word: &str) -> Vec<&str> {
    let chars: Vec<(usize, char)> = word.char_indices().filter(|(_, char)| !is_joined(*char)).collect();
    let class = |char: char| match char {
        _ if is_unspaced(char) => 3,
        _ if char.is_numeric() => 0,
        _ if char.is_uppercase() => 1,
        _ => 2,
    };
    let mut cuts = vec![0];
    for (nth, pair) in chars.windows(2).enumerate() {
        let [(_, one), (at, two)] = pair else { continue };
        let later = |by: usize| chars.get(nth + by).map(|(_, char)| *char);
        let next = later(2).map(class);
        // The plural of an abbreviation: `APIs`, `userIDsOf`.
        let is_plural = later(2) == Some('s') && later(3).map(class) != Some(2);
        match (class(*one), class(*two)) {
            (one, two) if one == two && (one != 1 || next != Some(2) || is_plural) => {}
            // The first letter of a capitalised word belongs to it.
            (1, 2) => {}
            _ => cuts.push(*at),
        }
    }
    cuts.push(word.len());
    cuts.windows(2).filter_map(|pair| word.get(*pair.first()?..*pair.last()?)).filter(|part| !part.is_empty()).collect()
}

/// The numbers of the versions in a text, in the form in which they are found: `2 8` for `v2.8` and for `2.8.md`.
pub(crate) fn versions(text: &str) -> impl Iterator<Item = String> {
    let names = text.split(|char: char| !char.is_alphanumeric() && char != '.');
    names.filter_map(|name| {
        let numbers: Vec<&str> =
            name.strip_prefix(['v', 'V']).unwrap_or(name).split('.').take_while(|part| is_number(part)).collect();
        (numbers.len() > 1).then(|| numbers.join(" "))
    })
}

fn is_number(part: &str) -> bool {
    !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit())
}

/// The further forms by which the words of a text are found, separated by blanks, to be indexed as words.
pub(crate) fn split_names(text: &str) -> String {
    let composed = composed(text);
    // Full-text search compares other words with the text as it is written, apart from accents.
    let is_changed = matches!(composed, Cow::Owned(_));
    let is_long = |part: &str| part.chars().filter(|char| !is_accent(*char)).nth(1).is_some();
    let mut found: Vec<Cow<str>> = Vec::new();
    for word in words(&composed).filter(|word| !has_one_form(word)) {
        found.extend((is_changed && !word.is_ascii()).then_some(Cow::Borrowed(word)));
        let is_other = |form: &Cow<str>| !form.chars().all(is_unspaced) && (is_long(form) || !is_long(word));
        found.extend(forms(word).into_iter().skip(1).filter(is_other));
        if word.is_ascii() || word.chars().nth(1).is_none() {
            continue;
        }
        for run in parts(word).into_iter().filter(|part| part.starts_with(is_unspaced)) {
            let part = Some(run).filter(|run| *run != word && run.chars().nth(1).is_some());
            // A single character can be a whole word. They also separate the pairs of this run from those of the next.
            let singles = run.split("").filter(|char| !char.is_empty());
            found.extend(part.into_iter().chain(pairs(run)).chain(singles).map(Cow::Borrowed));
        }
    }
    // With a `v`, the first number is a different word.
    let versions = composed.split(char::is_whitespace).filter(|word| word.contains(['v', 'V'])).flat_map(versions);
    found.extend(versions.map(Cow::Owned));
    found.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_split_where_they_change() {
        for (name, expected) in [
            ("selectReferences", "select References"),
            ("HTTPServer", "HTTP Server"),
            ("selectHTTPRefs2", "select HTTP Refs 2"),
            ("word", "word"),
            ("README", "README"),
            ("Über", "Über"),
            ("größeÄndern", "größe Ändern"),
            ("v2", "v 2"),
            ("APIs", "APIs"),
            ("userIDsOf", "user IDs Of"),
            ("DTOs2", "DTOs 2"),
            ("OSSetup", "OS Setup"),
            ("HTTPSs", "HTTPSs"),
            ("a", "a"),
            ("使用Rust编写", "使用 Rust 编写"),
            ("第3章", "第 3 章"),
        ] {
            assert_eq!(parts(name).join(" "), expected, "{name}");
        }
        assert_eq!(split_names("call selectReferences() of the desk, v2"), "select References");
        assert_eq!(split_names(""), "");
        assert_eq!(split_names("From v2.8 to 2.9 (v10.0.1-rc)"), "10 2 8 10 0 1");
    }

    #[test]
    fn a_word_with_one_form_has_no_other() {
        for (word, expected) in [
            ("retry", true),
            ("Retry", true),
            ("A", true),
            ("REST", false),
            ("APIs", false),
            ("v2", false),
            ("é", false),
        ] {
            assert_eq!(has_one_form(word), expected, "{word}");
            assert!(!expected || forms(word) == [word], "{word}");
        }
    }

    #[test]
    fn accents_are_part_of_a_word() {
        for (text, expected) in [
            ("re\u{301}sume\u{301}s, cafe\u{301}", "re\u{301}sume\u{301}s cafe\u{301}"),
            ("\u{301} a", "a"),
            ("E\u{301}COLE", "E\u{301}COLE"),
            ("हिन्दी सीखने, ශ්\u{200d}රී", "हिन्दी सीखने ශ් රී"),
            ("葛\u{e0100}城", "葛 城"),
            ("مُحَمَّد می\u{200c}خواهم", "مُحَمَّد می خواهم"),
            ("เปลี่ยนรหัส3ครั้ง", "เปลี่ยนรหัส 3 ครั้ง"),
            ("1\u{fe0f}\u{20e3} ok\u{2705}\u{fe0f}", "1 ok"),
        ] {
            assert_eq!(words(text).flat_map(parts).collect::<Vec<_>>().join(" "), expected, "{text}");
        }
        assert_eq!(folded("Cafe\u{301} CAFÉ Ärger ΟΔΌΣ が"), "cafe cafe arger οδοσ が");
    }

    #[test]
    fn versions_are_found_by_their_numbers() {
        for (text, expected) in [
            ("v2.8", &["2 8"][..]),
            ("docs/2.8-2.10.md, (V1.0.3)", &["2 8", "2 10", "1 0 3"]),
            ("1.2.x and 1.2beta", &["1 2"]),
            ("2, 8. v3 e.g. a.b 1..2 .", &[]),
            ("", &[]),
        ] {
            assert_eq!(versions(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn words_without_blanks_are_found_by_pairs() {
        for (word, expected) in [
            ("retry", "retry"),
            ("selectRefs", "selectRefs select Refs"),
            ("水", "水"),
            ("日本", "日本"),
            ("日本語の", "日本語の 日本 本語 語の"),
            ("ｶﾀｶﾅ", "ｶﾀｶﾅ ｶﾀ ﾀｶ ｶﾅ"),
            ("ผ่าน", "ผ่าน ผ่ ่า าน"),
            ("हिन्दी", "हिन्दी"),
            ("데이터베이스", "데이터베이스 데이 이터 터베 베이 이스"),
            ("用Rust写代码", "用Rust写代码 用 Rust 写代码 写代 代码"),
            ("größe", "größe grösse"),
            ("STRAẞE", "STRAẞE STRAssE"),
            ("Łódź", "Łódź lódź"),
            ("œuvreØst", "œuvreØst œuvre Øst oeuvreost oeuvre ost"),
            ("ёлка", "ёлка елка"),
            ("ø", "ø o"),
            ("właśnie", "właśnie"),
            ("Ελληνικά", "Ελληνικά ελληνικα"),
            ("ΕΛΛΗΝΙΚΑ", "ΕΛΛΗΝΙΚΑ"),
        ] {
            assert_eq!(forms(word).join(" "), expected, "{word}");
        }
        assert_eq!(split_names("重试策略, 用Rust写, 水"), "重试 试策 策略 重 试 策 略 Rust 用 写");
        assert_eq!(split_names("東京都3京都府"), "東京都 東京 京都 東 京 都 京都府 京都 都府 京 都 府");
        assert_eq!(split_names("ø, aØ"), "o ao");
        assert_eq!(split_names("\u{1112}\u{1161}\u{11ab}\u{1100}\u{116e}\u{11a8}"), "한국 한 국");
        assert_eq!(split_names("カ\u{3099}イト\u{3099}, plain"), "ガイド ガイ イド ガ イ ド");
    }
}
