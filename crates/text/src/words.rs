//! Character classes for whole words (BEHAVIOUR §3, §5): letters, digits and combining marks by Unicode's general
//! categories. "Digit" is category Nd throughout, "letter" any L, "mark" any M.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// The text with its first letter in upper case.
pub fn capitalized(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_uppercase().chain(rest).collect()).unwrap_or_default()
}

/// The text with its first letter in lower case.
pub fn uncapitalized(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map(|first| first.to_lowercase().chain(rest).collect()).unwrap_or_default()
}

/// Whether a list of words, separated by blanks, contains this one.
pub fn is_listed(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|listed| listed == word)
}

/// A letter: general category L.
pub fn is_letter(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_alphabetic();
    }
    c.general_category_group() == GeneralCategoryGroup::Letter
}

/// A decimal digit: general category Nd.
pub fn is_digit(c: char) -> bool {
    if c.is_ascii() {
        return c.is_ascii_digit();
    }
    c.general_category() == GeneralCategory::DecimalNumber
}

/// A combining mark: general category M.
pub fn is_mark(c: char) -> bool {
    !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Mark
}

/// A letter, digit or combining mark.
pub fn is_word(c: char) -> bool {
    is_letter(c) || is_digit(c) || is_mark(c)
}

/// Whether the script of this character has no blanks between words, or only between parts of sentences: Chinese,
/// Japanese, Korean, Thai, Lao, Burmese and Khmer.
pub fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{1100}'..='\u{11ff}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{318f}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{323af}')
}

/// The character before byte `at`, if there is one.
pub fn char_before(text: &str, at: usize) -> Option<char> {
    text.get(..at)?.chars().next_back()
}

/// The character that starts at byte `at`, if there is one.
pub fn char_after(text: &str, at: usize) -> Option<char> {
    text.get(at..)?.chars().next()
}

/// Whether the `.` at byte `at` ends a sentence: it is not followed by a letter, digit or `_`.
fn ends_sentence(text: &str, at: usize) -> bool {
    !char_after(text, at + 1).is_some_and(|c| is_letter(c) || is_digit(c) || c == '_')
}

/// Whether `start..end` is a whole word in `text`: no neighbour is a letter, digit, combining mark, `_`, `-`, `.`, `/`
/// or `\`, except a `.` after it that ends a sentence. The same rule applies to ids (§3) and tags (§5).
pub fn is_whole(text: &str, start: usize, end: usize) -> bool {
    forbidding_before(text, start).is_none() && forbidding_after(text, end).is_none()
}

/// The character before byte `start`, if it makes the word part of a longer one.
#[inline]
pub fn forbidding_before(text: &str, start: usize) -> Option<char> {
    char_before(text, start).filter(|c| forbids(*c))
}

/// The character at byte `end`, if it makes the word part of a longer one.
#[inline]
pub fn forbidding_after(text: &str, end: usize) -> Option<char> {
    char_after(text, end).filter(|c| if *c == '.' { !ends_sentence(text, end) } else { forbids(*c) })
}

/// Whether a word that ends at byte `end` with `+` continues: `c++` is not a mention of the id `c+` (§3).
#[inline]
pub(crate) fn is_cut_at_plus(text: &str, end: usize) -> bool {
    text.as_bytes().get(end) == Some(&b'+') && text.get(..end).is_some_and(|before| before.ends_with('+'))
}

/// Whether a neighbouring character makes a word part of a longer one, apart from the end of a sentence.
pub fn forbids(c: char) -> bool {
    is_word(c) || matches!(c, '_' | '-' | '.' | '/' | '\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str, word: &str) -> bool {
        let start = text.find(word).unwrap();
        is_whole(text, start, start + word.len())
    }

    #[test]
    fn neighbours_that_forbid_and_neighbours_that_do_not() {
        for (text, expected) in [
            ("See w for", true),
            ("w", true),
            ("(w)", true),
            ("**w**", true),
            ("|w|", true),
            ("<w>", true),
            ("#w", true),
            ("a=w", true),
            ("@w", true),
            ("`w`", true),
            ("w.", true),
            ("w. Next", true),
            ("w...", true),
            ("w.)", true),
            ("w,", true),
            ("w!", true),
            ("w.m", false),
            ("w.2", false),
            ("w._", false),
            ("w.é", false),
            (".w", false),
            ("/w", false),
            ("w/", false),
            ("\\w", false),
            ("w\\", false),
            ("-w", false),
            ("w-", false),
            ("_w_", false),
            ("éw", false),
            ("w\u{301}", false),
            ("w\u{663}", false),
            ("w²", true),
            ("日w", false),
        ] {
            assert_eq!(whole(text, "w"), expected, "{text}");
        }
    }
}
