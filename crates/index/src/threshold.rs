//! The score from which sources of a catalog get a hint (SEARCH S3.2): higher than the scores of unrelated texts. A
//! fixed number does not transfer from one catalog to another.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use crate::Embedder;
use crate::about::{Corpus, Piece};
use crate::language::Language;
use crate::pieces::{MAX_PROMPT_PIECES, PieceWords, pieces as pieces_of};
use crate::storage::Storage;
use refdesk_text::Error;

/// The model name that stands for comparison only by words.
pub(crate) const WORDS_ALONE: &str = "";

/// No computed threshold is lower.
pub const LOWEST_THRESHOLD: f32 = 0.35;

/// Scores only by words are lower, because no cosine is added.
const LOWEST_BY_WORDS: f32 = 0.12;

/// The share of background texts that score below the threshold.
const BELOW: f32 = 0.92;

/// For each language, everyday sentences to an agent; for English, also commit subjects of projects in many fields.
const TEXTS: [(Language, &str); 22] = [
    (Language::English, include_str!("../model/background/en.json")),
    (Language::English, include_str!("../model/background/en-everyday.json")),
    (Language::OtherLatin, include_str!("../model/background/cs.json")),
    (Language::OtherLatin, include_str!("../model/background/de.json")),
    (Language::OtherLatin, include_str!("../model/background/es.json")),
    (Language::OtherLatin, include_str!("../model/background/fr.json")),
    (Language::OtherLatin, include_str!("../model/background/id.json")),
    (Language::OtherLatin, include_str!("../model/background/it.json")),
    (Language::OtherLatin, include_str!("../model/background/nl.json")),
    (Language::OtherLatin, include_str!("../model/background/pl.json")),
    (Language::OtherLatin, include_str!("../model/background/pt.json")),
    (Language::OtherLatin, include_str!("../model/background/sv.json")),
    (Language::OtherLatin, include_str!("../model/background/tr.json")),
    (Language::OtherLatin, include_str!("../model/background/vi.json")),
    (Language::Cyrillic, include_str!("../model/background/ru.json")),
    (Language::Cyrillic, include_str!("../model/background/uk.json")),
    (Language::Greek, include_str!("../model/background/el.json")),
    (Language::Arabic, include_str!("../model/background/ar.json")),
    (Language::Hebrew, include_str!("../model/background/he.json")),
    (Language::Japanese, include_str!("../model/background/ja.json")),
    (Language::Korean, include_str!("../model/background/ko.json")),
    (Language::Chinese, include_str!("../model/background/zh.json")),
];

/// A background text, and the words of its pieces.
struct BackgroundText {
    text: String,
    pieces: Vec<PieceWords>,
}

/// Split once per process, because an update may compute both thresholds.
static BACKGROUND: LazyLock<Vec<Vec<BackgroundText>>> = LazyLock::new(|| {
    let taken_apart = |text: String| {
        let pieces = pieces_of(&text, MAX_PROMPT_PIECES, Vec::new).into_iter().map(PieceWords::of).collect();
        BackgroundText { text, pieces }
    };
    background_texts().into_iter().map(|texts| texts.into_iter().map(taken_apart).collect()).collect()
});

/// The number of texts whose words are looked up together.
const TEXTS_AT_ONCE: usize = 16;

/// Keys that mark a threshold as outdated by changed documents: that of vectors, and that of words only.
const EXPIRED: &str = "threshold expired";
const EXPIRED_WORDS: &str = "threshold of words expired";

/// Makes the next [`update`] compute the thresholds; until then, the old ones apply.
pub(crate) fn expire(storage: &mut dyn Storage) -> Result<(), Error> {
    storage.set_metadata(EXPIRED, "yes")?;
    storage.set_metadata(EXPIRED_WORDS, "yes")
}

/// A threshold to compute, for the vectors of a model or only for words.
struct ThresholdJob<'a> {
    model: &'a str,
    expired: &'static str,
    lowest: f32,
    /// The pieces of the background texts.
    texts: Vec<Vec<Piece>>,
}

/// Computes and stores outdated thresholds for the current documents: the one for words only and, with an embedder, the
/// one for its vectors.
pub(crate) fn update(storage: &mut dyn Storage, embedder: Option<&dyn Embedder>) -> Result<(), Error> {
    let by_meaning = embedder.map(|embedder| (embedder.model(), EXPIRED, LOWEST_THRESHOLD, Some(embedder)));
    let texts: Vec<&BackgroundText> = BACKGROUND.iter().flatten().collect();
    let mut all = Vec::new();
    for (model, expired, lowest, embedder) in
        [(WORDS_ALONE, EXPIRED_WORDS, LOWEST_BY_WORDS, None)].into_iter().chain(by_meaning)
    {
        let is_expired = storage.metadata(expired)?.is_none_or(|expired| expired == "yes");
        if is_expired || load(storage, model, Language::English)?.is_none() {
            let texts = pieces(&texts, embedder)?;
            all.push(ThresholdJob { model, expired, lowest, texts });
        }
    }
    let Some(first) = all.first() else { return Ok(()) };
    let corpus = Corpus::load(storage, embedder.map_or(WORDS_ALONE, Embedder::model))?;
    let mut best = vec![Vec::with_capacity(texts.len()); all.len()];
    for (nth, some) in first.texts.chunks(TEXTS_AT_ONCE).enumerate() {
        // All jobs have the same words, which are looked up once.
        let terms = corpus.terms(storage, some.iter().flatten())?;
        for (wanted, best) in all.iter().zip(&mut best) {
            let texts = wanted.texts.iter().skip(nth * TEXTS_AT_ONCE).take(TEXTS_AT_ONCE);
            best.extend(texts.map(|pieces| corpus.best_score(&terms, pieces)));
        }
    }
    for (wanted, mut best) in all.iter().zip(best) {
        for (language, threshold) in by_language(&mut best, wanted.lowest) {
            storage.set_metadata(&key(wanted.model, language), &threshold.to_string())?;
        }
        storage.set_metadata(wanted.expired, "no")?;
    }
    Ok(())
}

/// The pieces of the background texts, with their vectors if they are compared by meaning.
fn pieces(texts: &[&BackgroundText], embedder: Option<&dyn Embedder>) -> Result<Vec<Vec<Piece>>, Error> {
    let background = |embedder: &dyn Embedder| {
        let texts: Vec<String> = texts.iter().map(|it| it.text.clone()).collect();
        embedder.background(&texts)
    };
    let mut vectors = embedder.map(background).transpose()?.unwrap_or_default().into_iter();
    let of_text = |it: &&BackgroundText| {
        let vector = vectors.next();
        it.pieces.iter().map(|words| Piece::new(words.clone(), vector.clone())).collect()
    };
    Ok(texts.iter().map(of_text).collect())
}

/// The thresholds of all languages, given the best score of each background text.
fn by_language(best: &mut [f32], lowest: f32) -> BTreeMap<Language, f32> {
    // Texts are closer to documents in the same language, whatever the subject, so documents in another language must
    // not raise the threshold of a prompt in this one.
    let mut rest = best;
    let mut thresholds = BTreeMap::new();
    for ((language, _), texts) in TEXTS.iter().zip(&*BACKGROUND) {
        let (scores, others) = rest.split_at_mut(texts.len().min(rest.len()));
        let reached = quantile(scores, BELOW);
        // An English text too short to be recognized may be in one of the other Latin languages.
        let is_either = (*language == Language::English).then_some(Language::OtherLatin);
        for language in std::iter::once(*language).chain(is_either) {
            let threshold = thresholds.entry(language).or_insert(lowest);
            *threshold = reached.max(*threshold);
        }
        rest = others;
    }
    // Texts in other scripts are compared only by words; they use the highest threshold.
    let highest = thresholds.values().copied().fold(lowest, f32::max);
    thresholds.insert(Language::Other, highest);
    thresholds
}

/// Short texts unrelated to any catalog, by language.
pub fn background_texts() -> Vec<Vec<String>> {
    TEXTS.map(|(_, texts)| serde_json::from_str(texts).unwrap_or_default()).into()
}

/// The stored threshold of texts in this language; `None` until all vectors have been computed once.
pub(crate) fn load(storage: &dyn Storage, model: &str, language: Language) -> Result<Option<f32>, Error> {
    Ok(storage.metadata(&key(model, language))?.and_then(|text| text.parse().ok()))
}

/// The highest stored threshold of texts in these languages.
pub(crate) fn highest(
    storage: &dyn Storage,
    model: &str,
    languages: &BTreeSet<Language>,
) -> Result<Option<f32>, Error> {
    let all: Vec<Option<f32>> =
        languages.iter().map(|language| load(storage, model, *language)).collect::<Result<_, _>>()?;
    Ok(all.into_iter().flatten().max_by(f32::total_cmp))
}

/// The key includes a version of the background, because thresholds from another background are meaningless.
fn key(model: &str, language: Language) -> String {
    format!("threshold/5/{}/{model}", language.word())
}

/// The value below which this share of the values falls; 0 without values.
fn quantile(values: &mut [f32], share: f32) -> f32 {
    values.sort_by(f32::total_cmp);
    let at = ((values.len().max(1) - 1) as f32 * share).round() as usize;
    values.get(at).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles() {
        assert_eq!(quantile(&mut [], 0.95), 0.0);
        assert_eq!(quantile(&mut [3.0], 0.95), 3.0);
        let mut values: Vec<f32> = (0..=100).map(|value| value as f32).collect();
        assert_eq!(quantile(&mut values, 0.95), 95.0);
    }

    #[test]
    fn the_background_is_there() {
        assert_eq!(
            background_texts().iter().map(Vec::len).collect::<Vec<_>>(),
            [&[240, 64][..], &[32; TEXTS.len() - 2]].concat()
        );
    }
}
