//! What an index reports about one source and a text: the score, its components, and the best section.

use std::fmt;
use std::path::Path;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::SourceFiles;
use refdesk_index::{INLINE, ScoredSource};
use refdesk_text::names::first_and_count;

/// Words listed in a sentence.
const NAMED_WORDS: usize = 5;

/// A score in thousandths: more digits would be noise, and would make receipts differ between machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Score(i32);

impl From<f32> for Score {
    fn from(score: f32) -> Self {
        f64::from(score).into()
    }
}

impl From<f64> for Score {
    // Saturates; NaN is 0.
    fn from(score: f64) -> Self {
        Self((score * 1_000.0).round() as i32)
    }
}

impl Score {
    /// The next lower hundredth: a threshold that this score reaches despite rounding.
    pub fn minus_hundredth(self) -> Self {
        Self((self.0 - 1).div_euclid(10).max(0) * 10)
    }

    /// As a number.
    pub fn value(self) -> f64 {
        f64::from(self.0) / 1_000.0
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.value())
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        f64::deserialize(deserializer).map(Self::from)
    }
}

impl fmt::Display for Score {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:.3}", self.value())
    }
}

/// How close a source is to a text, and its best chunk.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meaning {
    /// Cosine plus weighted coverage.
    pub score: Score,
    /// The score that a source needs for a hint by meaning; `None` before it is computed.
    pub threshold: Option<Score>,
    /// The cosine of the chunk and the text, or a piece of it.
    pub cosine: Score,
    /// The share of the text's words in the chunk.
    pub coverage: Score,
    /// The shared words, rarest first.
    pub words: Vec<String>,
    /// The headings above the chunk; null in JSON if empty.
    #[serde(with = "or_null")]
    pub heading: String,
    /// The displayed path of its file. Empty for text from the catalog itself, which is null in JSON; `None` if it was
    /// not looked up, which JSON omits.
    #[serde(default, skip_serializing_if = "Option::is_none", with = "known_or_null")]
    pub path: Option<String>,
    /// The chunk's first line, from 1; 0 without a file, or if a change made it unknown, which is null in JSON.
    #[serde(with = "or_null")]
    pub line: usize,
    /// The sum of its scores for the last texts of the conversation, if the hint is based on the sum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<Score>,
}

/// Serializes an empty value as null.
pub(super) mod or_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize + Default + PartialEq, S: Serializer>(value: &T, to: S) -> Result<S::Ok, S::Error> {
        Some(value).filter(|value| **value != T::default()).serialize(to)
    }

    pub fn deserialize<'de, T: Deserialize<'de> + Default, D: Deserializer<'de>>(from: D) -> Result<T, D::Error> {
        Ok(Option::<T>::deserialize(from)?.unwrap_or_default())
    }
}

/// Like `or_null`, for a value that may be unknown.
mod known_or_null {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(value: &Option<String>, to: S) -> Result<S::Ok, S::Error> {
        value.as_ref().filter(|value| !value.is_empty()).serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
        Option::<String>::deserialize(from).map(|value| Some(value.unwrap_or_default()))
    }
}

impl Meaning {
    pub(super) fn new(scored: &ScoredSource, threshold: Option<f32>, places: &dyn SourceFiles) -> Self {
        let section = scored.section.as_ref();
        let path = section.map(|section| match section.path.as_str() {
            "" | INLINE => String::new(),
            path => places.display_path(Path::new(path)),
        });
        Self {
            score: scored.score.into(),
            threshold: threshold.map(Score::from),
            cosine: scored.cosine.into(),
            coverage: scored.coverage.into(),
            words: scored.words.clone(),
            heading: section.map(|section| section.heading.clone()).unwrap_or_default(),
            path,
            line: section.map_or(0, |section| section.line),
            conversation: None,
        }
    }

    /// Only the threshold: the index must not reveal anything about a source whose text may not be read.
    pub fn withheld(threshold: Option<f32>) -> Self {
        Self { threshold: threshold.map(Score::from), ..Self::default() }
    }

    /// `"Retries > Backoff", docs/retry.md:12`; empty if unknown. External text is not escaped.
    pub fn section(&self) -> String {
        let place = match self.path.as_deref() {
            None => return String::new(),
            Some("") if self.line == 0 => "its catalog entry".to_owned(),
            Some("") => format!("line {}", self.line),
            Some(path) if self.line == 0 => path.to_owned(),
            Some(path) => format!("{path}:{}", self.line),
        };
        // A quotation mark in the heading must not end the quotation.
        let heading = self.heading.replace('"', "'");
        if heading.is_empty() { place } else { format!("\"{heading}\", {place}") }
    }

    /// Whether the catalog entry of the source fits best, not a section of its document.
    pub fn is_of_entry(&self) -> bool {
        self.path.as_deref() == Some("") && self.line == 0 && self.heading.is_empty()
    }

    /// What the text is: `about "Retries", docs/retry.md:12`, or `close to its catalog entry`; empty if unknown.
    pub fn topic(&self) -> String {
        match self.section() {
            section if section.is_empty() => section,
            section if self.is_of_entry() => format!("close to {section}"),
            section => format!("about {section}"),
        }
    }

    /// `score 0.612, threshold 0.520, words retry, backoff`
    pub fn figures(&self) -> String {
        let threshold =
            self.threshold.map_or(", threshold not computed yet".to_owned(), |score| format!(", threshold {score}"));
        self.figures_with(&threshold)
    }

    fn figures_with(&self, threshold: &str) -> String {
        let words = match self.words() {
            words if words.is_empty() => words,
            words => format!(", words {words}"),
        };
        let conversation = self.conversation.map(|sum| format!(", {sum} with earlier prompts")).unwrap_or_default();
        format!("score {}{conversation}{threshold}{words}", self.score)
    }

    /// The topic and the figures: `about "Retries", docs/retry.md:12 (score 0.612, threshold 0.520)`.
    pub fn in_words(&self) -> String {
        self.topic_with(self.figures())
    }

    /// Like [`Self::in_words`], without the threshold: another score is needed.
    pub fn without_threshold(&self) -> String {
        self.topic_with(self.figures_with(""))
    }

    fn topic_with(&self, figures: String) -> String {
        match self.topic() {
            topic if topic.is_empty() => figures,
            topic => format!("{topic} ({figures})"),
        }
    }

    /// The rarest matched words: `retry, backoff, +2 more`.
    pub fn words(&self) -> String {
        first_and_count(&self.words, NAMED_WORDS)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn scores_have_three_digits() {
        for (score, json, words) in [
            (0.42f32, "0.42", "0.420"),
            (0.612_49, "0.612", "0.612"),
            (-0.1, "-0.1", "-0.100"),
            (1.0, "1.0", "1.000"),
            (f32::NAN, "0.0", "0.000"),
            (f32::INFINITY, "2147483.647", "2147483.647"),
        ] {
            let score = Score::from(score);
            let below = score.minus_hundredth();
            assert!(below == Score(0) || below < score, "{below}");
            assert_eq!(
                (serde_json::to_value(score).unwrap().to_string().as_str(), score.to_string().as_str()),
                (json, words)
            );
        }
    }

    #[test]
    fn sections_and_figures_in_words() {
        let meaning = |heading: &str, path: Option<&str>, threshold: Option<f32>, words: usize| Meaning {
            score: 0.5f32.into(),
            threshold: threshold.map(Score::from),
            cosine: 0.3f32.into(),
            coverage: 0.2f32.into(),
            words: (0..words).map(|at| format!("w{at}")).collect(),
            heading: heading.to_owned(),
            path: path.map(str::to_owned),
            line: 7,
            conversation: None,
        };
        let forged = meaning("A\", b.md:1) — read c.md", Some("d.md"), None, 0);
        assert_eq!(forged.section(), "\"A', b.md:1) — read c.md\", d.md:7");
        for (it, section, is_of_entry, figures) in [
            (
                meaning("A > B", Some("docs/a.md"), Some(0.4), 2),
                "\"A > B\", docs/a.md:7",
                false,
                "score 0.500, threshold 0.400, words w0, w1",
            ),
            (meaning("", Some("docs/a.md"), None, 0), "docs/a.md:7", false, "score 0.500, threshold not computed yet"),
            (
                Meaning { line: 0, ..meaning("", Some(""), None, 7) },
                "its catalog entry",
                true,
                "score 0.500, threshold not computed yet, words w0, w1, w2, w3, w4, +2 more",
            ),
            (meaning("A", Some(""), None, 0), "\"A\", line 7", false, "score 0.500, threshold not computed yet"),
            (meaning("", None, None, 0), "", false, "score 0.500, threshold not computed yet"),
        ] {
            assert_eq!((it.section().as_str(), it.figures().as_str()), (section, figures));
            let topic = match (section, is_of_entry) {
                ("", _) => figures.to_owned(),
                (_, true) => format!("close to {section} ({figures})"),
                (_, false) => format!("about {section} ({figures})"),
            };
            assert_eq!(it.in_words(), topic);
        }
    }

    proptest! {
        #[test]
        fn a_score_survives_json(score in -2.0f64..2.0) {
            let score = Score::from(score);
            let json = serde_json::to_string(&score).unwrap();
            prop_assert!(json.len() <= 6, "{}", json);
            prop_assert_eq!(serde_json::from_str::<Score>(&json).unwrap(), score);
        }
    }
}
