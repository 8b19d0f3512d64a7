//! Asks the terminal for its background colour (OSC 11), after the first frame; the answer arrives among the keys. A
//! late answer is ignored, because the user is already reading. No answer may be left for the next program.

use std::time::{Duration, Instant};

use crate::tui::theme::Background;

/// An answer that takes longer is ignored.
const ANSWER_TIMEOUT: Duration = Duration::from_millis(100);

/// A question up to this old may still be answered, so the answer is awaited before another program gets the
/// terminal, for at most `LONGEST_WAIT`.
const MAX_ANSWER_DELAY: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_millis(100);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackgroundReport {
    Answer(Background),
    /// The terminal switched between light and dark (mode 2031).
    Changed(Background),
}

impl BackgroundReport {
    /// Parses the answer to OSC 11: `rgb:1e1e/1e1e/1e1e`, `rgba:…`, `#1e1e1e`.
    pub fn of_colour(text: &str) -> Option<Self> {
        let parts: Vec<&str> = match text.strip_prefix('#') {
            Some(digits) => {
                let each = digits.len() / 3;
                (0..3).map(|nth| digits.get(nth * each..(nth + 1) * each)).collect::<Option<_>>()?
            }
            None => text.strip_prefix("rgb:").or_else(|| text.strip_prefix("rgba:"))?.split('/').take(3).collect(),
        };
        let [red, green, blue] =
            parts.iter().map(|part| thousandths(part)).collect::<Option<Vec<_>>>()?.try_into().ok()?;
        // Perceived brightness, with the weights of Rec. 709.
        let bright = (2126 * red + 7152 * green + 722 * blue) / 10_000;
        Some(Self::Answer(if bright > 500 { Background::Light } else { Background::Dark }))
    }

    /// Parses the number in a report of mode 2031.
    pub fn of_scheme(number: &str) -> Option<Self> {
        match number {
            "1" => Some(Self::Changed(Background::Dark)),
            "2" => Some(Self::Changed(Background::Light)),
            _ => None,
        }
    }
}

/// Parses one to four hexadecimal digits.
fn thousandths(digits: &str) -> Option<u32> {
    if !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let most = 16_u32.pow(u32::try_from(digits.len()).ok().filter(|len| (1..=4).contains(len))?) - 1;
    Some(u32::from_str_radix(digits, 16).ok()? * 1000 / most)
}

/// The pending question, if any.
#[derive(Debug, Default)]
pub struct BackgroundQuestion {
    asked: Option<Instant>,
}

impl BackgroundQuestion {
    pub fn ask(&mut self, now: Instant) {
        self.asked = Some(now);
    }

    /// The background to change to, if this report counts.
    pub fn take(&mut self, report: BackgroundReport, now: Instant) -> Option<Background> {
        match report {
            BackgroundReport::Changed(background) => Some(background),
            BackgroundReport::Answer(background) => {
                let asked = self.asked.take()?;
                (now.duration_since(asked) <= ANSWER_TIMEOUT).then_some(background)
            }
        }
    }

    /// Until when to wait for the answer before another program gets the terminal; `None` if none is expected.
    pub fn awaited_until(&self, now: Instant) -> Option<Instant> {
        let end = self.asked? + MAX_ANSWER_DELAY;
        (end > now).then(|| end.min(now + LONGEST_WAIT))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_are_light_or_dark() {
        for (text, expected) in [
            ("rgb:0000/0000/0000", Some(Background::Dark)),
            ("rgb:1e1e/1e1e/1e1e", Some(Background::Dark)),
            ("rgb:ffff/ffff/ffff", Some(Background::Light)),
            ("rgb:fd/f6/e3", Some(Background::Light)),
            ("rgba:0000/2b2b/3636/ffff", Some(Background::Dark)),
            ("#fafafa", Some(Background::Light)),
            ("rgb:00/00/ff", Some(Background::Dark)),
            ("rgb:f/f/0", Some(Background::Light)),
            ("rgb:0000/0000", None),
            ("rgb:x/y/z", None),
            ("rgb:12345/0/0", None),
            ("rgb:+f/0/0", None),
            ("#é1e1e", None),
            ("?", None),
            ("", None),
        ] {
            assert_eq!(BackgroundReport::of_colour(text), expected.map(BackgroundReport::Answer), "{text}");
        }
    }

    #[test]
    fn an_answer_counts_only_in_time_and_a_change_always() {
        let start = Instant::now();
        let after = |milliseconds| start + Duration::from_millis(milliseconds);
        let answer = BackgroundReport::Answer(Background::Light);
        let mut question = BackgroundQuestion::default();
        assert_eq!((question.take(answer, start), question.awaited_until(start)), (None, None), "nothing was asked");
        question.ask(start);
        assert_eq!(question.awaited_until(after(20)), Some(after(120)));
        assert_eq!(question.awaited_until(after(950)), Some(after(1000)));
        assert_eq!(question.awaited_until(after(1000)), None);
        assert_eq!(question.take(answer, after(100)), Some(Background::Light));
        assert_eq!(question.take(answer, after(100)), None, "it was answered");
        question.ask(start);
        assert_eq!(question.take(BackgroundReport::Changed(Background::Dark), after(5000)), Some(Background::Dark));
        assert_eq!(question.take(answer, after(101)), None);
        assert_eq!(question.awaited_until(after(102)), None, "no other answer is expected");
    }
}
