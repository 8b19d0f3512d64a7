//! The script of a text, as far as scores depend on it: a text is nearer to documents in its own language than to any other,
//! whatever both are about, so that what is said of one language does not hold for another.

/// Scripts of which there are background texts, and the rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Script {
    Latin,
    Cyrillic,
    Greek,
    Arabic,
    Hebrew,
    Japanese,
    Korean,
    Chinese,
    Other,
}

/// As many letters of the Latin script count as one of another: names of programs and commands are written in it everywhere.
const LATIN_PER_OTHER: usize = 4;

impl Script {
    pub(crate) const ALL: [Self; 9] = [
        Self::Latin,
        Self::Cyrillic,
        Self::Greek,
        Self::Arabic,
        Self::Hebrew,
        Self::Japanese,
        Self::Korean,
        Self::Chinese,
        Self::Other,
    ];

    /// Whether it is known what texts about nothing in particular score in this script. Where it is not, a cosine says nothing: the
    /// model was taught English, and any two texts in such a script are near to each other.
    pub(crate) fn has_background(self) -> bool {
        self != Self::Other
    }

    /// The script that most of this text is written in; Latin for a text without letters.
    pub(crate) fn of(text: &str) -> Self {
        let mut counts = [0; Self::ALL.len()];
        for script in text.chars().filter_map(of_letter) {
            if let Some(count) = counts.get_mut(script as usize) {
                *count += 1;
            }
        }
        let [latin, cyrillic, greek, arabic, hebrew, kana, korean, han, other] = counts;
        // Japanese is written with Chinese characters, too.
        let (japanese, chinese) = if kana > 0 { (kana + han, 0) } else { (0, han) };
        let counted = [latin / LATIN_PER_OTHER, cyrillic, greek, arabic, hebrew, japanese, korean, chinese, other];
        let most = counted.into_iter().zip(Self::ALL).rev().max_by_key(|(count, _)| *count);
        most.filter(|(count, _)| *count > 0).map_or(Self::Latin, |(_, script)| script)
    }

    /// As in a key of the index.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Latin => "latin",
            Self::Cyrillic => "cyrillic",
            Self::Greek => "greek",
            Self::Arabic => "arabic",
            Self::Hebrew => "hebrew",
            Self::Japanese => "japanese",
            Self::Korean => "korean",
            Self::Chinese => "chinese",
            Self::Other => "other",
        }
    }
}

fn of_letter(character: char) -> Option<Script> {
    Some(match character {
        'A'..='Z' | 'a'..='z' | '\u{c0}'..='\u{24f}' | '\u{1e00}'..='\u{1eff}' => Script::Latin,
        '\u{400}'..='\u{52f}' => Script::Cyrillic,
        '\u{370}'..='\u{3ff}' | '\u{1f00}'..='\u{1fff}' => Script::Greek,
        '\u{600}'..='\u{6ff}' | '\u{750}'..='\u{77f}' => Script::Arabic,
        '\u{5d0}'..='\u{5f2}' => Script::Hebrew,
        '\u{3041}'..='\u{30ff}' => Script::Japanese,
        '\u{1100}'..='\u{11ff}' | '\u{ac00}'..='\u{d7af}' => Script::Korean,
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => Script::Chinese,
        _ if character.is_alphabetic() => Script::Other,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_of_texts() {
        for (text, expected) in [
            ("", Script::Latin),
            ("42 !", Script::Latin),
            ("Größe ändern, s'il vous plaît", Script::Latin),
            ("Как настроить PostgreSQL?", Script::Cyrillic),
            ("テストを実行するには", Script::Japanese),
            ("PostgreSQL の接続を確認する", Script::Japanese),
            ("재시도는 어떻게 하나요?", Script::Korean),
            ("请把 README 检查一下", Script::Chinese),
            ("Πώς γίνεται η εγκατάσταση;", Script::Greek),
            ("كيف أعيد تشغيل الخادم؟", Script::Arabic),
            ("איך מפעילים את השרת?", Script::Hebrew),
            ("chạy lại một lần nữa", Script::Latin),
            ("คู่มือการติดตั้ง", Script::Other),
            ("सर्वर को फिर से चालू करें", Script::Other),
            ("rename the constant 名 in the parser module", Script::Latin),
        ] {
            assert_eq!(Script::of(text), expected, "{text}");
        }
    }
}
