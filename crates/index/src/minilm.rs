//! The embedded model: all-MiniLM-L6-v2, a sentence transformer of 6 layers with weights of 7 bits, run by rten.

use std::iter;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

use rten::{Model, ModelOptions, NodeId, OpRegistry, RunOptions, ThreadPool, Value, op_types as ops};

use crate::embedder::Embedder;
use crate::vector::Vector;
use crate::wordpiece::WordPiece;
use refdesk_text::{Code, Error};

/// Name and version, stored with every vector.
pub(crate) const NAME: &str = "all-MiniLM-L6-v2/int7";

/// The model reads no more tokens of a text.
const TOKENS: usize = 256;

/// Numbers of a vector.
pub(crate) const DIMENSIONS: usize = 384;

/// Bytes of a vector with its scale.
pub(crate) const STORED: usize = size_of::<f32>() + DIMENSIONS;

static WEIGHTS: &[u8] = include_bytes!("../model/minilm-l6-v2-int7w.rten");
/// Made by `examples/background.rs`.
static BACKGROUND: &[u8] = include_bytes!("../model/background.bin");
static VOCABULARY: &str = include_str!("../model/vocab.txt");

/// The loaded model.
pub struct MiniLm {
    model: Model,
    words: WordPiece,
    ids: NodeId,
    mask: NodeId,
    output: NodeId,
    /// One core: indexing runs behind everything else. It must not be entered from a parallel iteration, whose threads would
    /// start on other texts while they wait, each deeper on the same stack.
    pool: Arc<ThreadPool>,
}

impl MiniLm {
    /// The model, loaded by the first call of the process.
    ///
    /// # Errors
    /// It cannot be loaded.
    pub fn shared() -> Result<&'static Self, Error> {
        static SHARED: OnceLock<Result<MiniLm, Error>> = OnceLock::new();
        SHARED.get_or_init(Self::load).as_ref().map_err(Clone::clone)
    }

    fn load() -> Result<Self, Error> {
        let words = WordPiece::new(VOCABULARY).ok_or_else(|| broken("its vocabulary has no special tokens"))?;
        let operators = OpRegistry::with_ops(&[
            &ops::Add,
            &ops::Cast,
            &ops::Div,
            &ops::DynamicQuantizeLinear,
            &ops::Erf,
            &ops::Gather,
            &ops::Identity,
            &ops::LayerNormalization,
            &ops::MatMul,
            &ops::MatMulInteger,
            &ops::Mul,
            &ops::Reshape,
            &ops::Shape,
            &ops::Slice,
            &ops::Softmax,
            &ops::Transpose,
        ]);
        let mut options = ModelOptions::with_ops(operators);
        // Laid out for the processor once, on all of them: otherwise each text does it again, which takes longer than a short text
        // itself.
        options.enable_optimization(false).prepack_weights(true);
        let model = options.load_static_slice(WEIGHTS).map_err(broken)?;
        let node = |name| model.node_id(name).map_err(broken);
        let (ids, mask, output) = (node("input_ids")?, node("attention_mask")?, node("last_hidden_state")?);
        Ok(Self { model, words, ids, mask, output, pool: Arc::new(ThreadPool::with_num_threads(1)) })
    }

    fn embed_on(&self, pool: &Arc<ThreadPool>, text: &str) -> Result<Vector, Error> {
        let ids = self.words.encode(text, TOKENS);
        let (count, ones) = (ids.len(), vec![1; ids.len()]);
        let ids = Value::from_shape([1, count], ids).map_err(broken)?;
        let mask = Value::from_shape([1, count], ones).map_err(broken)?;
        let inputs = vec![(self.ids, ids.into()), (self.mask, mask.into())];
        let options = RunOptions::default().with_thread_pool(Some(pool.clone()));
        let [states] = self.model.run_n(inputs, [self.output], Some(options)).map_err(broken)?;
        let (_, states) = states.into_shape_vec::<f32, 3>().map_err(broken)?;
        // The mean over the tokens is what the text is about.
        let mut mean = vec![0f32; DIMENSIONS];
        for state in states.chunks_exact(DIMENSIONS) {
            mean.iter_mut().zip(state).for_each(|(sum, value)| *sum += value);
        }
        Ok(Vector::of(&mean))
    }
}

impl Embedder for MiniLm {
    fn model(&self) -> &str {
        NAME
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed(&self, text: &str) -> Result<Vector, Error> {
        self.embed_on(&self.pool, text)
    }

    fn embed_all(&self, texts: &[&str]) -> Result<Vec<Vector>, Error> {
        let next = AtomicUsize::new(0);
        let work = || {
            let pool = Arc::new(ThreadPool::with_num_threads(1));
            let positions = iter::repeat_with(|| next.fetch_add(1, Ordering::Relaxed));
            let texts = positions.map_while(|at| Some((at, texts.get(at)?)));
            texts.map(|(at, text)| Ok((at, self.embed_on(&pool, text)?))).collect::<Result<Vec<_>, Error>>()
        };
        let others = thread::available_parallelism().map_or(1, usize::from).min(texts.len()).saturating_sub(1);
        let parts = thread::scope(|scope| {
            // Without a thread the others do its part.
            let others: Vec<_> =
                (0..others).filter_map(|_| thread::Builder::new().spawn_scoped(scope, work).ok()).collect();
            let own = work();
            let others = others.into_iter().map(|other| other.join().unwrap_or_else(|panic| resume_unwind(panic)));
            iter::once(own).chain(others).collect::<Result<Vec<_>, Error>>()
        })?;
        let mut vectors = parts.concat();
        vectors.sort_unstable_by_key(|(at, _)| *at);
        Ok(vectors.into_iter().map(|(_, vector)| vector).collect())
    }

    fn knows(&self, word: &str) -> Result<bool, Error> {
        // Two tokens surround the pieces of a text.
        Ok(self.words.encode(word, TOKENS).len() == 3)
    }

    fn background(&self, texts: &[String]) -> Result<Vec<Vector>, Error> {
        let known: Vec<Vector> = BACKGROUND.chunks_exact(STORED).filter_map(stored).collect();
        if known.len() == texts.len() { Ok(known) } else { texts.iter().map(|text| self.embed(text)).collect() }
    }
}

/// A vector as `examples/background.rs` writes it: its scale, least significant byte first, then its numbers.
pub(crate) fn stored(bytes: &[u8]) -> Option<Vector> {
    let (scale, values) = bytes.split_first_chunk()?;
    let values = values.iter().map(|byte| byte.cast_signed()).collect();
    Some(Vector { values, scale: f32::from_le_bytes(*scale) })
}

#[allow(clippy::needless_pass_by_value, reason = "passed to map_err")]
fn broken(why: impl ToString) -> Error {
    Error::new(
        Code::ModelBroken,
        format!("the embedding model cannot be run: {}", why.to_string()),
        "build the program again from its sources",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threshold::background_texts;
    use refdesk_core::catalog::Catalog;
    use refdesk_core::catalog::testing::inline;
    use refdesk_files::Sealer;

    #[test]
    fn known_words_are_of_one_piece() {
        let model = MiniLm::shared().unwrap();
        for (word, is_known) in [("retry", false), ("pause", true), ("Music", true), ("zzzqqq", false), ("", false)] {
            assert_eq!(model.knows(word).unwrap(), is_known, "{word}");
        }
    }

    #[test]
    fn the_committed_vectors_are_those_of_the_background_texts() {
        let (model, texts) = (MiniLm::shared().unwrap(), background_texts().concat());
        let known = model.background(&texts).unwrap();
        assert_eq!((known.len(), BACKGROUND.len()), (944, 944 * 388));
        for at in (0..texts.len()).step_by(24) {
            let computed = model.embed(&texts[at]).unwrap();
            // Processors round differently.
            let is_close = |(one, other): (&i8, &i8)| one.abs_diff(*other) <= 2;
            assert!(computed.values.iter().zip(&known[at].values).all(is_close), "{}", texts[at]);
        }
    }

    /// In a language that the model was not taught, any two texts are near to each other.
    #[test]
    fn small_talk_in_any_language_is_below_the_threshold() {
        let of = |texts: [&str; 4]| {
            let root = tempfile::tempdir().unwrap();
            let path = std::fs::canonicalize(root.path()).unwrap();
            let location = crate::Location::new(&path, Sealer::fixed(&path));
            let sources = texts.iter().enumerate().map(|(nth, text)| inline(&format!("s{nth}"), text));
            let catalog = Catalog::new(sources.collect());
            let job = crate::Job {
                catalog: &catalog,
                may_stay: &|_| false,
                pages: None,
                embedder: Some(MiniLm::shared().unwrap()),
                fresh: false,
                now: std::time::UNIX_EPOCH,
                progress: &mut |_| true,
            };
            crate::update(&location, job).unwrap().unwrap();
            (root, crate::Index::open(&location, std::sync::Arc::default()).unwrap().unwrap())
        };
        let dutch = [
            "# Facturen\n\nElke factuur krijgt een nummer. Een verkeerde factuur wordt nooit gewijzigd, maar vervangen.",
            "# Voorraad\n\nHet magazijn telt de voorraad elke maandag en bestelt bij wat ontbreekt.",
            "# Meldingen\n\nEen klant krijgt een melding als zijn pakket het magazijn verlaat.",
            "# Toegang\n\nMedewerkers melden zich aan met een pas en een geheim getal.",
        ];
        let arabic = [
            "# الفواتير\n\nتحصل كل فاتورة على رقم، ولا تعدل الفاتورة الخاطئة أبدا بل تستبدل.",
            "# المخزون\n\nيعد المستودع المخزون كل اثنين ويطلب ما ينقص.",
            "# الإشعارات\n\nيتلقى العميل إشعارا عندما تغادر طرده المستودع.",
            "# الدخول\n\nيدخل الموظفون ببطاقة ورقم سري.",
        ];
        let hindi = [
            "# बिल\n\nहर बिल को एक संख्या मिलती है। गलत बिल बदला नहीं जाता, नया बनता है।",
            "# भंडार\n\nगोदाम हर सोमवार को भंडार गिनता है और कमी पूरी करता है।",
            "# सूचनाएँ\n\nग्राहक को सूचना मिलती है जब उसका सामान गोदाम से निकलता है।",
            "# प्रवेश\n\nकर्मचारी कार्ड और गुप्त संख्या से प्रवेश करते हैं।",
        ];
        for (texts, small_talk, question) in [
            (
                dutch,
                ["bedankt voor je hulp", "zing een lied over de zon", "lees dit nog eens voor"],
                "mag ik een verkeerde factuur wijzigen?",
            ),
            (
                arabic,
                ["شكرا على المساعدة", "غن أغنية عن الشمس", "اقرأ هذا مرة ثانية"],
                "هل تعدل الفاتورة الخاطئة بعد إصدارها؟",
            ),
            (hindi, ["मदद के लिए धन्यवाद", "सूरज पर एक गीत गाओ", "इसे फिर से पढ़ो"], "क्या गलत बिल बदला जा सकता है?"),
        ] {
            let (_root, index) = of(texts);
            let hinted = |text: &str| {
                let question = crate::TopicQuery { text, ..crate::TopicQuery::default() };
                let about = index.about(&question, Some(MiniLm::shared().unwrap())).unwrap();
                let least = about.threshold.unwrap();
                let hinted = about.scored.iter().filter(|it| it.score >= least && about.has_enough_words(it));
                hinted.map(|it| it.source.clone()).collect::<Vec<_>>()
            };
            for text in small_talk {
                assert_eq!(hinted(text), [""; 0], "{text}");
            }
            assert_eq!(hinted(question).first().map(String::as_str), Some("s0"), "{question}");
        }
    }
}
