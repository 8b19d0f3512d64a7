//! The language of a text, as far as scores depend on it. A text is nearer to documents in its own language than to any
//! others, whatever both are about, so the threshold for one language does not apply to another.

use std::collections::BTreeSet;

use crate::pieces::{MAX_PROMPT_PIECES, pieces};
use crate::words::words;
use refdesk_text::stop_words::{is_english, is_of_other_language};

refdesk_text::worded_enum! {
    /// English, the language of most texts for programs, and the scripts of the others.
    #[derive(PartialOrd, Ord)]
    pub enum Language {
        English = "english",
        /// Another language in the Latin script, or an unrecognized one.
        OtherLatin = "latin",
        Cyrillic = "cyrillic",
        Greek = "greek",
        Arabic = "arabic",
        Hebrew = "hebrew",
        Japanese = "japanese",
        Korean = "korean",
        Chinese = "chinese",
        Other = "other",
    }
}

/// This many Latin letters count as one of another script: names of programs and commands are Latin everywhere.
const LATIN_PER_OTHER: usize = 4;

impl Language {
    pub(crate) const SCRIPTS: [Self; 9] = [
        Self::OtherLatin,
        Self::Cyrillic,
        Self::Greek,
        Self::Arabic,
        Self::Hebrew,
        Self::Japanese,
        Self::Korean,
        Self::Chinese,
        Self::Other,
    ];

    /// Whether the scores of unrelated texts in this language are known. If not, a cosine means nothing: the model was
    /// trained on English, and any two texts in such a script are close to each other.
    pub(crate) fn has_background(self) -> bool {
        self != Self::Other
    }

    /// The main language or script of a text; `OtherLatin` for a text without letters.
    pub(crate) fn of(text: &str) -> Self {
        Self::detect(text).unwrap_or(Self::OtherLatin)
    }

    /// The languages recognized in the pieces of a text; if there are none, that of the whole. A question in one
    /// language may be followed by a log or code in another.
    pub(crate) fn of_pieces(text: &str) -> BTreeSet<Self> {
        let pieces = pieces(text, MAX_PROMPT_PIECES, Vec::new);
        // The first of several pieces is the whole text.
        let parts = pieces.get(1..).filter(|parts| !parts.is_empty()).unwrap_or(&pieces);
        let detected: BTreeSet<Self> = parts.iter().filter_map(|piece| Self::detect(piece)).collect();
        if detected.is_empty() { BTreeSet::from([Self::of(text)]) } else { detected }
    }

    /// `None` if the text is in the Latin script and nothing in it distinguishes the languages.
    fn detect(text: &str) -> Option<Self> {
        match Self::script_of(text) {
            Self::OtherLatin => match function_words(text) {
                (english, other) if english == other => None,
                (english, other) => Some(if english > other { Self::English } else { Self::OtherLatin }),
            },
            script => Some(script),
        }
    }

    fn script_of(text: &str) -> Self {
        let mut counts = [0_usize; Self::SCRIPTS.len()];
        for script in text.chars().filter_map(of_letter) {
            let at = Self::SCRIPTS.iter().position(|known| *known == script);
            if let Some(count) = at.and_then(|at| counts.get_mut(at)) {
                *count += 1;
            }
        }
        let [latin, cyrillic, greek, arabic, hebrew, kana, korean, han, other] = counts;
        // Japanese also uses Chinese characters.
        let (japanese, chinese) = if kana > 0 { (kana + han, 0) } else { (0, han) };
        let counted = [latin / LATIN_PER_OTHER, cyrillic, greek, arabic, hebrew, japanese, korean, chinese, other];
        let most = counted.into_iter().zip(Self::SCRIPTS).rev().max_by_key(|(count, _)| *count);
        most.filter(|(count, _)| *count > 0).map_or(Self::OtherLatin, |(_, script)| script)
    }
}

/// The number of function words of English only, and of other languages only. Words shared by several languages tell
/// nothing, such as most words of two letters: `in`, `me`, `no`.
fn function_words(text: &str) -> (usize, usize) {
    let (mut english, mut other) = (0, 0);
    for word in words(text) {
        let word = word.to_lowercase();
        match (is_english(&word), is_of_other_language(&word)) {
            (true, false) if word.len() > 2 => english += 1,
            (false, true) => other += 1,
            _ => {}
        }
    }
    (english, other)
}

fn of_letter(character: char) -> Option<Language> {
    Some(match character {
        'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Language::OtherLatin,
        '\u{400}'..='\u{52f}' => Language::Cyrillic,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Language::Greek,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => Language::Arabic,
        '\u{5d0}'..='\u{5f2}' => Language::Hebrew,
        '\u{3041}'..='\u{30ff}' => Language::Japanese,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => Language::Korean,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => Language::Chinese,
        _ if character.is_alphabetic() => Language::Other,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_texts() {
        for (text, expected) in [
            ("", Language::OtherLatin),
            ("42 !", Language::OtherLatin),
            ("Größe ändern, s'il vous plaît", Language::OtherLatin),
            ("Как настроить PostgreSQL?", Language::Cyrillic),
            ("テストを実行するには", Language::Japanese),
            ("PostgreSQL の接続を確認する", Language::Japanese),
            ("재시도는 어떻게 하나요?", Language::Korean),
            ("请把 README 检查一下", Language::Chinese),
            ("Πώς γίνεται η εγκατάσταση;", Language::Greek),
            ("كيف أعيد تشغيل الخادم؟", Language::Arabic),
            ("איך מפעילים את השרת?", Language::Hebrew),
            ("chạy lại một lần nữa", Language::OtherLatin),
            ("คู่มือการติดตั้ง", Language::Other),
            ("सर्वर को फिर से चालू करें", Language::Other),
            ("rename the constant 名 in the parser module", Language::English),
            ("where are the grafana boards", Language::English),
            ("how to redeploy", Language::English),
            ("retry backoff jitter", Language::OtherLatin),
            ("wie lange darf ein alter Endpunkt bleiben", Language::OtherLatin),
            ("Wie erkläre ich \"not in the index\" auf der Seite?", Language::OtherLatin),
            ("quiero un reintento en el cliente", Language::OtherLatin),
            ("gisteren was mooi weer", Language::OtherLatin),
            ("schrijf iets over bloemen", Language::OtherLatin),
            ("vis listen over brugere", Language::OtherLatin),
            ("hvad er vejret for i morgen", Language::OtherLatin),
            ("Erkläre was Git macht", Language::OtherLatin),
            ("Use nombres cortos", Language::OtherLatin),
            ("add a key to the ini file", Language::English),
            ("deploy to the EU region", Language::English),
            ("no me en", Language::OtherLatin),
        ] {
            assert_eq!(Language::of(text), expected, "{text}");
        }
    }

    #[test]
    fn a_paste_in_english_does_not_make_a_question_english() {
        let paste = "The above error occurred in the component when it was rendered, and nothing could be shown.";
        for (question, expected) in [
            ("今天天气怎么样", &[Language::English, Language::Chinese][..]),
            ("maak een knop", &[Language::English, Language::OtherLatin]),
            ("why is the page empty", &[Language::English]),
            ("retry backoff jitter", &[Language::English]),
        ] {
            let languages = Language::of_pieces(&format!("{question}\n\n{paste}"));
            assert_eq!(languages.into_iter().collect::<Vec<_>>(), expected, "{question}");
        }
        assert_eq!(Language::of_pieces("retry backoff jitter"), BTreeSet::from([Language::OtherLatin]));
        assert_eq!(Language::of_pieces(""), BTreeSet::from([Language::OtherLatin]));
    }
}
