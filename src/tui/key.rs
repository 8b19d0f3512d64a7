//! A key and its notation: `q`, `G`, `Space`, `C-c`, `M-x`, `Tab`, `BackTab`, `Up`, `F5`. The keymap, the bottom line,
//! the help, the documentation and the tests all write keys this way. What a key does is defined in `action`, not here.

use std::fmt;
use std::str::FromStr;

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use refdesk_text::nearest::did_you_mean;

/// The named keys, except `Space` and the function keys.
const NAMES: &[(KeyCode, &str)] = &[
    (KeyCode::Enter, "Enter"),
    (KeyCode::Esc, "Esc"),
    (KeyCode::Tab, "Tab"),
    (KeyCode::BackTab, "BackTab"),
    (KeyCode::Backspace, "Backspace"),
    (KeyCode::Delete, "Delete"),
    (KeyCode::Insert, "Insert"),
    (KeyCode::Up, "Up"),
    (KeyCode::Down, "Down"),
    (KeyCode::Left, "Left"),
    (KeyCode::Right, "Right"),
    (KeyCode::Home, "Home"),
    (KeyCode::End, "End"),
    (KeyCode::PageUp, "PageUp"),
    (KeyCode::PageDown, "PageDown"),
];

/// A key with its modifiers.
///
/// Shift is part of the character for keys that type one (`G`), and a modifier only for named keys (`S-Up`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Key {
    /// A character other than a control character, F1 to F12, or a named key.
    pub code: KeyCode,
    /// With Control.
    pub ctrl: bool,
    /// With Alt (Meta).
    pub alt: bool,
    /// With Shift; always false for characters.
    pub shift: bool,
}

impl Key {
    /// The key of this character, without modifiers.
    pub fn char(c: char) -> Self {
        Self { code: KeyCode::Char(c), ctrl: false, alt: false, shift: false }
    }

    /// The character that it types, if any.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.ctrl && !self.alt => Some(c),
            _ => None,
        }
    }

    /// The key for which most terminals send the same bytes; `None` if its bytes are unique.
    pub fn alias(self) -> Option<Self> {
        let alone = |code| Some(Self { code, ctrl: false, shift: false, ..self });
        match self.code {
            _ if self.alt => None,
            KeyCode::Char('i') if self.ctrl => alone(KeyCode::Tab),
            KeyCode::Char('m') if self.ctrl => alone(KeyCode::Enter),
            KeyCode::Char('[') if self.ctrl => alone(KeyCode::Esc),
            KeyCode::Tab if self.shift => alone(KeyCode::BackTab),
            KeyCode::Enter | KeyCode::Tab | KeyCode::BackTab | KeyCode::Esc if self.ctrl || self.shift => {
                alone(self.code)
            }
            _ => None,
        }
    }

    /// The key of a terminal event; `None` for releases and for keys that cannot be bound.
    pub fn from_event(event: KeyEvent) -> Option<Self> {
        if event.kind == KeyEventKind::Release {
            return None;
        }
        let code = match event.code {
            KeyCode::Char(c) => !c.is_control(),
            KeyCode::F(number) => (1..=12).contains(&number),
            code => NAMES.iter().any(|(named, _)| *named == code),
        }
        .then_some(event.code)?;
        let held = |modifier| event.modifiers.contains(modifier);
        let shift = held(KeyModifiers::SHIFT) && !matches!(code, KeyCode::Char(_)) && code != KeyCode::BackTab;
        Some(Self { code, ctrl: held(KeyModifiers::CONTROL), alt: held(KeyModifiers::ALT), shift })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (held, mark) in [(self.ctrl, "C-"), (self.alt, "M-"), (self.shift, "S-")] {
            if held {
                out.write_str(mark)?;
            }
        }
        match self.code {
            KeyCode::Char(' ') => out.write_str("Space"),
            KeyCode::Char(c) => write!(out, "{c}"),
            KeyCode::F(number) => write!(out, "F{number}"),
            named => out.write_str(NAMES.iter().find(|(known, _)| *known == named).map_or("", |(_, name)| name)),
        }
    }
}

/// Text that is not a valid key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidKey(pub String);

impl InvalidKey {
    /// What to write instead.
    pub fn advice(&self) -> String {
        if self.0.split_whitespace().count() > KeySequence::LONGEST {
            return format!("at most {} keys can follow each other", KeySequence::LONGEST);
        }
        if let Some(key) = written_elsewhere(&self.0) {
            return format!("write {key}");
        }
        let names = NAMES.iter().map(|(_, name)| *name).chain(["Space"]);
        let looks = "keys look like q, G, Space, C-c, M-x, BackTab, F1 to F12, and g g for one after the other";
        did_you_mean(&self.0, names).unwrap_or_else(|| looks.to_owned())
    }
}

impl fmt::Display for InvalidKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "'{}' is not a key: {}", self.0, self.advice())
    }
}

impl FromStr for Key {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let mut key = Self::char(' ');
        let mut rest = text;
        loop {
            let (held, after) = match rest.split_at_checked(2) {
                Some(("C-", after)) if !after.is_empty() => (&mut key.ctrl, after),
                Some(("M-", after)) if !after.is_empty() => (&mut key.alt, after),
                Some(("S-", after)) if !after.is_empty() => (&mut key.shift, after),
                _ => break,
            };
            *held = true;
            rest = after;
        }
        key.code = code(rest).ok_or_else(|| InvalidKey(text.to_owned()))?;
        if matches!(key.code, KeyCode::Char(_)) && key.shift {
            return Err(InvalidKey(text.to_owned()));
        }
        Ok(key)
    }
}

/// Names of keys in other programs, in lower case.
const FOREIGN_KEY_NAMES: &[(&str, &str)] = &[
    ("bs", "Backspace"),
    ("cr", "Enter"),
    ("del", "Delete"),
    ("escape", "Esc"),
    ("ins", "Insert"),
    ("pgdn", "PageDown"),
    ("pgdown", "PageDown"),
    ("pgup", "PageUp"),
    ("return", "Enter"),
];

/// The key in another program's notation: `Ctrl-c`, `<C-x>`, `alt+Return`.
fn written_elsewhere(text: &str) -> Option<Key> {
    let text = text.trim_start_matches('<').trim_end_matches('>');
    let mut parts: Vec<&str> = text.split(['-', '+']).collect();
    let name = parts.pop()?;
    let mut written = String::new();
    for modifier in parts {
        written.push_str(match modifier.to_lowercase().as_str() {
            "c" | "ctrl" | "control" => "C-",
            "a" | "alt" | "m" | "meta" => "M-",
            "s" | "shift" => "S-",
            _ => return None,
        });
    }
    let lower = name.to_lowercase();
    let names = NAMES.iter().map(|(_, name)| *name).chain(["Space"]);
    let known = names.into_iter().find(|name| name.to_lowercase() == lower);
    let other = || FOREIGN_KEY_NAMES.iter().find(|(other, _)| *other == lower).map(|(_, name)| *name);
    written.push_str(known.or_else(other).unwrap_or(name));
    written.parse().ok()
}

fn code(name: &str) -> Option<KeyCode> {
    if name == "Space" {
        return Some(KeyCode::Char(' '));
    }
    if let Some((named, _)) = NAMES.iter().find(|(_, known)| *known == name) {
        return Some(*named);
    }
    let mut chars = name.chars();
    if let (Some(c), None) = (chars.next(), chars.next()) {
        return (!c.is_control() && c != ' ').then_some(KeyCode::Char(c));
    }
    let number: u8 = name.strip_prefix('F')?.parse().ok()?;
    (1..=12).contains(&number).then_some(KeyCode::F(number))
}

/// Keys pressed one after another: `x`, `g g`, `Space p`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeySequence(Vec<Key>);

impl KeySequence {
    /// The maximum number of keys.
    const LONGEST: usize = 4;

    /// A sequence of these keys.
    pub fn new(keys: &[Key]) -> Self {
        Self(keys.to_vec())
    }

    /// In the order in which they are pressed.
    pub fn keys(&self) -> &[Key] {
        &self.0
    }

    /// Whether it has more than one key.
    pub fn is_chord(&self) -> bool {
        self.0.len() > 1
    }

    /// The key after these, if the sequence starts with them.
    pub fn after(&self, pressed: &[Key]) -> Option<Key> {
        self.0.strip_prefix(pressed)?.first().copied()
    }

    /// Whether one sequence is a prefix of the other, so that only one of them can be pressed.
    pub fn collides_with(&self, other: &Self) -> bool {
        self.0.starts_with(&other.0) || other.0.starts_with(&self.0)
    }
}

impl fmt::Display for KeySequence {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (nth, key) in self.0.iter().enumerate() {
            if nth > 0 {
                out.write_str(" ")?;
            }
            write!(out, "{key}")?;
        }
        Ok(())
    }
}

impl FromStr for KeySequence {
    type Err = InvalidKey;

    fn from_str(text: &str) -> Result<Self, InvalidKey> {
        let keys = text.split_whitespace().map(str::parse).collect::<Result<Vec<Key>, _>>()?;
        if keys.is_empty() || keys.len() > Self::LONGEST {
            return Err(InvalidKey(text.to_owned()));
        }
        Ok(Self(keys))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_key() -> impl Strategy<Value = Key> {
        let code = prop_oneof![
            any::<char>().prop_filter("printable", |c| !c.is_control()).prop_map(KeyCode::Char),
            (1..=12u8).prop_map(KeyCode::F),
            proptest::sample::select(NAMES).prop_map(|(named, _)| named),
        ];
        (code, any::<[bool; 3]>()).prop_map(|(code, [ctrl, alt, shift])| Key {
            code,
            ctrl,
            alt,
            shift: shift && !matches!(code, KeyCode::Char(_)),
        })
    }

    proptest! {
        #[test]
        fn printing_and_parsing_round_trip(key in any_key()) {
            prop_assert_eq!(key.to_string().parse::<Key>(), Ok(key));
        }
    }

    #[test]
    fn notation() {
        for good in ["q", "G", "Space", "C-c", "C--", "-", "M-x", "S-Up", "BackTab", "F12", "C-M-F1", "?", "é"] {
            assert_eq!(good.parse::<Key>().unwrap().to_string(), good);
        }
        for bad in ["", " ", "C-", "S-a", "F13", "F0", "Return", "qq", "\t"] {
            assert_eq!(bad.parse::<Key>(), Err(InvalidKey(bad.to_owned())));
        }
    }

    #[test]
    fn some_keys_are_the_same_for_most_terminals() {
        for (key, expected) in [
            ("C-i", Some("Tab")),
            ("C-m", Some("Enter")),
            ("C-[", Some("Esc")),
            ("C-Enter", Some("Enter")),
            ("S-Enter", Some("Enter")),
            ("S-Tab", Some("BackTab")),
            ("C-Tab", Some("Tab")),
            ("S-Esc", Some("Esc")),
            ("M-Enter", None),
            ("C-j", None),
            ("C-Up", None),
            ("i", None),
            ("Enter", None),
        ] {
            let key: Key = key.parse().unwrap();
            assert_eq!(key.alias().map(|alias| alias.to_string()).as_deref(), expected, "{key}");
        }
    }

    #[test]
    fn sequences() {
        for good in ["q", "g g", "Space p", "C-x C-s", "a b c d"] {
            assert_eq!(good.parse::<KeySequence>().unwrap().to_string(), good);
        }
        let sequence = |text: &str| text.parse::<KeySequence>().unwrap();
        assert_eq!(sequence(" g  g ").to_string(), "g g");
        for (bad, advice) in [
            ("", "keys look like q"),
            ("g  gg", "keys look like q"),
            ("Entr", "did you mean 'Enter'?"),
            ("a b c d e", "at most 4 keys"),
        ] {
            let invalid = bad.parse::<KeySequence>().unwrap_err();
            assert!(invalid.advice().starts_with(advice), "{bad}: {invalid}");
        }
        for (one, other, collide) in [("g", "g", true), ("g", "g g", true), ("g a", "g g", false), ("a", "g", false)] {
            assert_eq!(sequence(one).collides_with(&sequence(other)), collide);
            assert_eq!(sequence(other).collides_with(&sequence(one)), collide);
        }
        assert_eq!(sequence("g r").after(&[Key::char('g')]), Some(Key::char('r')));
        assert_eq!(sequence("g r").after(&[]), Some(Key::char('g')));
        assert_eq!(sequence("g").after(&[Key::char('g')]), None);
    }

    #[test]
    fn events() {
        let event = |code, modifiers| Key::from_event(KeyEvent::new(code, modifiers)).unwrap().to_string();
        assert_eq!(event(KeyCode::Char('G'), KeyModifiers::SHIFT), "G");
        assert_eq!(event(KeyCode::Char(' '), KeyModifiers::NONE), "Space");
        assert_eq!(event(KeyCode::BackTab, KeyModifiers::SHIFT), "BackTab");
        assert_eq!(event(KeyCode::Char('c'), KeyModifiers::CONTROL), "C-c");
        assert_eq!(Key::from_event(KeyEvent::new(KeyCode::Null, KeyModifiers::NONE)), None);
    }
}
