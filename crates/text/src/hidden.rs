//! Finds invisible characters in a text, which may hide something from its reader: bidirectional controls, zero-width
//! and other format characters, tag characters. They are only reported; the text is never changed.
//!
//! The rule: every character beyond ASCII that [`escape::is_hidden`](super::escape::is_hidden) counts, except control
//! characters and line separators, unless it is ordinary in its context:
//!
//! | character | is ordinary |
//! | --- | --- |
//! | byte order mark | at the beginning of the text |
//! | zero-width joiner | between two emoji |
//! | zero-width joiner and non-joiner | between letters or marks of scripts that join: Arabic, Syriac, N'Ko, Mongolian, those of India and South-East Asia |
//! | left-to-right, right-to-left and Arabic letter mark | on a line where the nearest letter before or after it is written from right to left |
//! | tag characters | from a black flag to the cancel tag, at most six letters or digits: the flag of a region |
//! | soft hyphen | between two letters |
//! | combining grapheme joiner | next to a combining mark |
//! | Hangul fillers, Mongolian selectors | next to a letter of their script |
//! | selectors of text and emoji | one behind an emoji, or between a digit, `#` or `*` and the mark of a key |
//! | other variation selectors | one behind a Chinese character or a mathematical sign |

use std::ops::RangeInclusive;

use super::escape::{is_emoji, is_emoji_joiner, is_emoji_selector, is_hidden};
use super::number::narrow;
use super::report::Position;
use super::words::{is_letter, is_mark};

/// The advice of the diagnostic.
pub const HINT: &str = "agents read it although you cannot see it; remove it unless it is intended";

/// The most kinds listed.
const KINDS: usize = 8;

/// The invisible characters of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HiddenCharacters {
    /// The number of characters.
    pub count: u32,
    /// The line of the first one, from 1.
    pub line: u32,
    /// The column of the first one, from 1, in characters.
    pub column: u32,
    /// The distinct characters in order of first occurrence, at most eight; never empty.
    pub kinds: Vec<char>,
}

impl HiddenCharacters {
    /// Finds the invisible characters of this text, if any.
    pub fn of(text: &str) -> Option<Self> {
        let mut letters = Letters { text, seen: 0, last: None, next: None };
        let mut found =
            beyond_ascii(text).filter(|(at, c)| is_reported(*c) && !is_ordinary(text, *at, *c, &mut letters));
        let (first, kind) = found.next()?;
        let (mut count, mut kinds) = (1u32, vec![kind]);
        for (_, c) in found {
            count = count.saturating_add(1);
            if kinds.len() < KINDS && !kinds.contains(&c) {
                kinds.push(c);
            }
        }
        let Position { line, column } = Position::of(text, first);
        Some(Self { count, line: narrow(line), column: narrow(column), kinds })
    }

    /// One sentence for people: the first character, and the number and names of others.
    pub fn words(&self) -> String {
        let named = |c: &char| format!("U+{:04X} ({})", u32::from(*c), name(*c));
        let mut kinds = self.kinds.iter().map(named);
        let mut words = format!("invisible character {}", kinds.next().unwrap_or_default());
        if self.count > 1 {
            words.push_str(&format!(", and {} more in this text", self.count - 1));
            let others: Vec<String> = kinds.collect();
            if !others.is_empty() {
                words.push_str(&format!(": {}", others.join(", ")));
            }
        }
        words
    }
}

/// Non-ASCII characters with their byte offsets.
fn beyond_ascii(text: &str) -> impl Iterator<Item = (usize, char)> {
    const BLOCK: usize = 64;
    let mut at = 0;
    std::iter::from_fn(move || {
        let rest = text.as_bytes().get(at..)?;
        let blocks = rest.chunks(BLOCK).take_while(|block| block.is_ascii()).count() * BLOCK;
        let skipped = blocks + rest.get(blocks..)?.iter().position(|byte| !byte.is_ascii())?;
        let c = text.get(at + skipped..)?.chars().next()?;
        let here = at + skipped;
        at = here + c.len_utf8();
        Some((here, c))
    })
}

fn is_reported(c: char) -> bool {
    is_hidden(c) && !c.is_control() && !matches!(c, '\u{2028}' | '\u{2029}')
}

/// Whether the character at this byte is ordinary in its context.
fn is_ordinary(text: &str, at: usize, c: char, letters: &mut Letters) -> bool {
    let (before, after) = (text.get(..at).unwrap_or_default(), text.get(at + c.len_utf8()..).unwrap_or_default());
    let (last, next) = (before.chars().next_back(), after.chars().next());
    let either = |is: fn(char) -> bool| last.is_some_and(is) || next.is_some_and(is);
    let both = |is: fn(char) -> bool| last.is_some_and(is) && next.is_some_and(is);
    match c {
        '\u{feff}' => at == 0,
        '\u{200d}' if next.is_some_and(is_emoji) => is_emoji_joiner(before, c, next),
        '\u{200c}' | '\u{200d}' => both(joins),
        '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            let (before, after) = letters.around(at);
            before.is_some_and(is_right_to_left) || after.is_some_and(is_right_to_left)
        }
        '\u{e0000}'..='\u{e007f}' => is_in_flag(before, after, c),
        '\u{ad}' => both(is_letter),
        '\u{34f}' => either(is_mark),
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => either(is_hangul),
        '\u{fe0e}' => last.is_some_and(is_emoji),
        '\u{fe0f}' => is_emoji_selector(last, c, next),
        '\u{fe00}'..='\u{fe0d}' | '\u{e0100}'..='\u{e01ef}' => last.is_some_and(has_variants),
        '\u{180b}'..='\u{180f}' => either(|c| matches!(c, '\u{1820}'..='\u{18aa}')),
        _ => false,
    }
}

/// Finds the nearest letters on a line, for ascending offsets; each character is visited at most twice.
struct Letters<'t> {
    text: &'t str,
    /// Text before this offset has been scanned for `last`.
    seen: usize,
    last: Option<char>,
    /// The first letter or line end after the last requested offset.
    next: Option<(usize, char)>,
}

impl Letters<'_> {
    /// The letters nearest to this byte on the same line, before and after it.
    fn around(&mut self, at: usize) -> (Option<char>, Option<char>) {
        for c in self.text.get(self.seen..at).unwrap_or_default().chars() {
            if c == '\n' {
                self.last = None;
            } else if is_letter(c) {
                self.last = Some(c);
            }
        }
        self.seen = at;
        if self.next.is_none_or(|(next, _)| next < at) {
            let after = self.text.get(at..).unwrap_or_default().char_indices();
            let found = after.map(|(behind, c)| (at + behind, c)).find(|(_, c)| *c == '\n' || is_letter(*c));
            self.next = Some(found.unwrap_or((self.text.len(), '\n')));
        }
        (self.last, self.next.map(|(_, c)| c).filter(|c| *c != '\n'))
    }
}

/// Whether a tag character is part of a regional flag: England's is a black flag, `gbeng` and the cancel tag.
fn is_in_flag(before: &str, after: &str, c: char) -> bool {
    const MAX: usize = 6;
    let is_part = |c: &char| matches!(c, '\u{e0030}'..='\u{e0039}' | '\u{e0061}'..='\u{e007a}');
    let is_end = |c: char| c == '\u{e007f}';
    let led = before.chars().rev().take_while(is_part).take(MAX + 1).count();
    let follow = if is_end(c) { 0 } else { after.chars().take_while(is_part).take(MAX + 1).count() };
    let parts = led + follow + usize::from(!is_end(c));
    let begins = before.chars().rev().nth(led) == Some('\u{1f3f4}');
    let ends = is_end(c) || (is_part(&c) && after.chars().nth(follow).is_some_and(is_end));
    begins && ends && (1..=MAX).contains(&parts)
}

/// Letters and marks of scripts in which writers choose whether letters join.
fn joins(c: char) -> bool {
    const SCRIPTS: [RangeInclusive<char>; 9] = [
        '\u{600}'..='\u{7ff}',
        '\u{840}'..='\u{dff}',
        '\u{e00}'..='\u{109f}',
        '\u{1780}'..='\u{17ff}',
        '\u{1800}'..='\u{18af}',
        '\u{1900}'..='\u{1cff}',
        '\u{a800}'..='\u{abff}',
        '\u{fb50}'..='\u{fefc}',
        '\u{11000}'..='\u{11fff}',
    ];
    (is_letter(c) || is_mark(c)) && !is_hidden(c) && SCRIPTS.iter().any(|script| script.contains(&c))
}

fn is_right_to_left(c: char) -> bool {
    matches!(c, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{fefc}' | '\u{10800}'..='\u{10fff}'
        | '\u{1e800}'..='\u{1efff}')
}

fn is_hangul(c: char) -> bool {
    let filler = is_hidden(c);
    !filler
        && matches!(c, '\u{1100}'..='\u{11ff}' | '\u{3131}'..='\u{318e}' | '\u{a960}'..='\u{a97f}'
            | '\u{ac00}'..='\u{d7ff}' | '\u{ffa1}'..='\u{ffdc}')
}

/// Characters with several forms in fonts: Chinese characters and mathematical signs.
fn has_variants(c: char) -> bool {
    matches!(c, '\u{2190}'..='\u{22ff}' | '\u{2a00}'..='\u{2aff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{3ffff}')
}

fn name(c: char) -> &'static str {
    match c {
        '\u{ad}' => "soft hyphen",
        '\u{34f}' => "combining grapheme joiner",
        '\u{61c}' => "Arabic letter mark",
        '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}' => "Hangul filler",
        '\u{180b}'..='\u{180d}' | '\u{180f}' => "Mongolian variation selector",
        '\u{180e}' => "Mongolian vowel separator",
        '\u{200b}' => "zero-width space",
        '\u{200c}' => "zero-width non-joiner",
        '\u{200d}' => "zero-width joiner",
        '\u{200e}' => "left-to-right mark",
        '\u{200f}' => "right-to-left mark",
        '\u{202a}' => "left-to-right embedding",
        '\u{202b}' => "right-to-left embedding",
        '\u{202c}' => "pop directional formatting",
        '\u{202d}' => "left-to-right override",
        '\u{202e}' => "right-to-left override",
        '\u{2060}' => "word joiner",
        '\u{2061}'..='\u{2064}' => "invisible operator",
        '\u{2066}' => "left-to-right isolate",
        '\u{2067}' => "right-to-left isolate",
        '\u{2068}' => "first strong isolate",
        '\u{2069}' => "pop directional isolate",
        '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}' => "variation selector",
        '\u{feff}' => "zero-width no-break space",
        '\u{fff9}'..='\u{fffb}' => "interlinear annotation",
        '\u{e0000}'..='\u{e007f}' => "tag character",
        _ => "invisible format character",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_and_ordinary_characters() {
        for (what, text, count) in [
            ("plain", "plain é日本 “x” \u{a0}", 0),
            ("controls are another matter", "\x1b[31m \u{9b} \u{2028}", 0),
            ("a mark at the beginning", "\u{feff}# Title", 0),
            ("a mark further on", "# \u{feff}Title", 1),
            ("an override", "if \u{202e}x\u{202c}", 2),
            ("isolates, Arabic or not", "\u{2066}a\u{2069} \u{2067}ب\u{2069}", 4),
            ("a zero-width space", "pass\u{200b}word", 1),
            ("a word joiner", "a\u{2060}b", 1),
            ("tag characters", "x\u{e0068}\u{e0069}", 2),
            ("the flag of England", "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!", 0),
            ("a flag without an end", "🏴\u{e0067}\u{e0062}", 2),
            ("a flag too long", "🏴\u{e0067}\u{e0067}\u{e0067}\u{e0067}\u{e0067}\u{e0067}\u{e0067}\u{e007f}", 8),
            ("an end alone", "🏴\u{e007f}", 1),
            ("a family", "👩\u{200d}👩\u{200d}👧 👩🏽\u{200d}🚀 ❤\u{fe0f}\u{200d}🔥 🏳\u{fe0f}\u{200d}🌈", 0),
            ("joined to a letter", "👩\u{200d}x a\u{200d}b 1\u{200d}2", 3),
            ("Persian", "می\u{200c}خواهم", 0),
            ("Devanagari", "क्\u{200d}ष क्\u{200c}ष", 0),
            ("a non-joiner in Latin", "in\u{200c}visible", 1),
            ("at the end of a word", "می\u{200c} x", 1),
            ("a mark beside Hebrew", "שלום!\u{200f} (a)", 0),
            ("a mark beside Arabic, digits between", "123\u{200e} ب", 0),
            ("a mark in Latin", "a\u{200f}b", 1),
            ("a mark with Hebrew on another line", "שלום\nab\u{200f}c", 1),
            ("a soft hyphen in a word", "Donau\u{ad}dampf", 0),
            ("a soft hyphen elsewhere", "a \u{ad} b", 1),
            ("a joiner of marks", "ו\u{34f}\u{5b0} a\u{34f}b", 1),
            ("Hangul fillers", "ㄱ\u{3164} a\u{3164}b", 1),
            ("Mongolian", "ᠮᠤ\u{180b} a\u{180e}", 1),
            ("operators", "f\u{2061}(x)", 1),
            ("emoji and keys", "⚠\u{fe0f} ✔\u{fe0e} 1\u{fe0f}\u{20e3}", 0),
            ("a form of a Chinese character", "葛\u{e0100} ∩\u{fe00}", 0),
            ("bytes behind an emoji", "😀\u{fe01}\u{e0158}\u{e0155}", 3),
            ("selectors behind letters", "a\u{fe0f}b\u{e0100} 葛\u{e0100}\u{e0101}", 3),
            ("reserved ones", "a\u{e0fff}\u{fff0}", 2),
        ] {
            assert_eq!(HiddenCharacters::of(text).map_or(0, |hidden| hidden.count), count, "{what}: {text:?}");
        }
    }

    #[test]
    fn a_line_of_marks_is_scanned_once() {
        // Scanning the whole line for each mark would visit fifty billion characters.
        let marks = "\u{200e}".repeat(300_000);
        for (text, count) in [(marks.clone(), 300_000), (format!("{marks}ש"), 0), (format!("ש{marks}"), 0)] {
            assert_eq!(HiddenCharacters::of(&text).map_or(0, |hidden| hidden.count), count);
        }
    }

    #[test]
    fn positions_and_names() {
        let long = format!("{}é\n日\u{202e}b\u{200b}\u{200b}\u{e0041}", "x".repeat(200));
        let hidden = HiddenCharacters::of(&long).unwrap();
        assert_eq!((hidden.line, hidden.column, hidden.count), (2, 2, 4));
        assert_eq!(
            hidden.words(),
            "invisible character U+202E (right-to-left override), and 3 more in this text: \
             U+200B (zero-width space), U+E0041 (tag character)"
        );
        let one = HiddenCharacters::of("a\u{ad}").unwrap();
        assert_eq!(one.words(), "invisible character U+00AD (soft hyphen)");
        let twice = HiddenCharacters::of("\u{202e}\u{202e}").unwrap();
        assert_eq!(twice.words(), "invisible character U+202E (right-to-left override), and 1 more in this text");
        let all: String = ('\u{2060}'..='\u{206f}').collect();
        assert_eq!(HiddenCharacters::of(&all).unwrap().kinds.len(), KINDS);
    }
}
