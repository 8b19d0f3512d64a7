//! From which score on a catalog's sources are hinted at (SEARCH S3.2): what texts that have nothing to do with it reach.
//! A number fixed for all catalogs does not transfer from one to another.

use rusqlite::{Connection, OptionalExtension};

use crate::Embedder;
use crate::about::{Corpus, prepare};
use crate::update::{hash_of, store_vector};
use crate::vector::Vector;
use refdesk_text::Error;

/// The lowest threshold.
const LOWEST: f32 = 0.35;

/// The share of the background texts that stay below the threshold.
const BELOW: f32 = 0.92;

/// Background texts have vectors under the model's name with this ending.
pub(crate) const BACKGROUND: &str = "/background";

/// Subjects of commits of projects in many fields, one a string.
static TEXTS: &str = include_str!("../../../assets/model/background.json");

/// Computes the threshold of the documents as they are and stores it.
pub(crate) fn store(
    connection: &mut Connection,
    embedder: &dyn Embedder,
    broken: &dyn Fn(rusqlite::Error) -> Error,
) -> Result<(), Error> {
    let texts: Vec<String> = serde_json::from_str(TEXTS).unwrap_or_default();
    let transaction = connection.transaction().map_err(broken)?;
    let corpus = Corpus::load(&transaction, embedder.model()).map_err(broken)?;
    let mut best = Vec::with_capacity(texts.len());
    for text in &texts {
        let mut embed = |piece: &str| background_vector(&transaction, embedder, piece, broken).map(Some);
        let pieces = prepare(text, &mut embed)?;
        let scored = corpus.score(&transaction, &pieces).map_err(broken)?;
        best.push(scored.first().map_or(0.0, |scored| scored.score));
    }
    let threshold = quantile(&mut best, BELOW).max(LOWEST);
    transaction
        .execute("INSERT OR REPLACE INTO metadata VALUES (?, ?)", (key(embedder.model()), threshold.to_string()))
        .and_then(|_| transaction.commit())
        .map_err(broken)
}

/// The stored threshold; `None` before all vectors were computed once.
pub(crate) fn load(connection: &Connection, model: &str) -> rusqlite::Result<Option<f32>> {
    let found: Option<String> =
        connection.query_row("SELECT value FROM metadata WHERE key = ?", [key(model)], |row| row.get(0)).optional()?;
    Ok(found.and_then(|text| text.parse().ok()))
}

fn key(model: &str) -> String {
    format!("threshold/{model}")
}

fn background_vector(
    connection: &Connection,
    embedder: &dyn Embedder,
    text: &str,
    broken: &dyn Fn(rusqlite::Error) -> Error,
) -> Result<Vector, Error> {
    let (model, hash) = (format!("{}{BACKGROUND}", embedder.model()), hash_of(text));
    let known = connection
        .prepare_cached("SELECT scale, embedding FROM vectors WHERE content_hash = ? AND model = ?")
        .and_then(|mut statement| {
            statement
                .query_row((&hash, &model), |row| {
                    let values = row.get_ref(1)?.as_blob()?.iter().map(|byte| byte.cast_signed()).collect();
                    Ok(Vector { values, scale: row.get(0)? })
                })
                .optional()
        })
        .map_err(broken)?;
    match known {
        Some(vector) => Ok(vector),
        None => {
            let vector = embedder.embed(text)?;
            store_vector(connection, &model, &hash, &vector).map_err(broken)?;
            Ok(vector)
        }
    }
}

/// The value below which this share of the values lies; 0 if there are none.
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
        assert_eq!(serde_json::from_str::<Vec<String>>(TEXTS).unwrap().len(), 240);
    }
}
