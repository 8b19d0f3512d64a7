//! Writes what happened to texts: updates of texts as columns, so that each table takes one statement.

use std::borrow::Cow;
use std::collections::HashSet;

use tokio_postgres::Transaction;

use super::session::PostgresError;
use super::text::{clean, searchable};
use crate::storage::{NewDocument, TextKey, TextState, TextUpdate};
use refdesk_files::Stamp;

/// Updates of texts by table.
#[derive(Default)]
pub(super) struct Changes<'u> {
    /// Texts without documents from now on, or with others.
    replaced: Keys<'u>,
    removed: Keys<'u>,
    known: Keys<'u>,
    states: Vec<&'u TextState>,
    of_documents: Keys<'u>,
    documents: Vec<&'u NewDocument>,
}

#[derive(Default)]
struct Keys<'u> {
    paths: Vec<String>,
    sources: Vec<Cow<'u, str>>,
}

impl<'u> Keys<'u> {
    fn push(&mut self, path: String, key: &'u TextKey) {
        self.paths.push(path);
        self.sources.push(clean(&key.source));
    }
}

impl<'u> Changes<'u> {
    pub fn of(updates: &'u [TextUpdate], stored_path: impl Fn(&str) -> String) -> Self {
        let mut changes = Self::default();
        let mut seen = HashSet::new();
        // The last update of a text is the one that counts; a statement refuses to write a row twice.
        for update in updates.iter().rev() {
            let (TextUpdate::Touched(key, _) | TextUpdate::Changed(key, ..) | TextUpdate::Removed(key)) = update;
            if !seen.insert(key) {
                continue;
            }
            let path = stored_path(&key.path);
            match update {
                TextUpdate::Touched(_, state) => {
                    changes.known.push(path, key);
                    changes.states.push(state);
                }
                TextUpdate::Changed(_, state, documents) => {
                    changes.replaced.push(path.clone(), key);
                    for document in documents {
                        changes.of_documents.push(path.clone(), key);
                        changes.documents.push(document);
                    }
                    changes.known.push(path, key);
                    changes.states.push(state);
                }
                TextUpdate::Removed(_) => {
                    changes.replaced.push(path.clone(), key);
                    changes.removed.push(path, key);
                }
            }
        }
        changes
    }

    /// Writes them; returns the number of documents removed.
    pub async fn store(
        &self,
        transaction: &Transaction<'_>,
        repository: i32,
        checkout: Option<&Vec<u8>>,
    ) -> Result<usize, PostgresError> {
        let Keys { paths, sources } = &self.replaced;
        let sql = "DELETE FROM refdesk.documents d USING unnest($2::text[], $3::text[]) AS gone (path, source)
                   WHERE d.repository = $1 AND d.file_path = gone.path AND d.source_id = gone.source";
        let removed = transaction.execute(sql, &[&repository, paths, sources]).await?;
        let Keys { paths, sources } = &self.removed;
        let sql = "DELETE FROM refdesk.files f USING unnest($2::text[], $3::text[]) AS gone (path, source)
                   WHERE f.repository = $1 AND f.path = gone.path AND f.source_id = gone.source";
        transaction.execute(sql, &[&repository, paths, sources]).await?;
        self.store_states(transaction, repository, checkout).await?;
        self.store_documents(transaction, repository).await?;
        Ok(usize::try_from(removed).unwrap_or_default())
    }

    async fn store_states(
        &self,
        transaction: &Transaction<'_>,
        repository: i32,
        checkout: Option<&Vec<u8>>,
    ) -> Result<(), PostgresError> {
        let Keys { paths, sources } = &self.known;
        let hashes: Vec<&[u8]> = self.states.iter().map(|state| state.hash.as_slice()).collect();
        let sql = "INSERT INTO refdesk.files (repository, path, source_id, hash)
                   SELECT $1, * FROM unnest($2::text[], $3::text[], $4::bytea[])
                   ON CONFLICT (repository, path, source_id) DO UPDATE SET hash = excluded.hash";
        transaction.execute(sql, &[&repository, paths, sources, &hashes]).await?;
        let Some(checkout) = checkout else { return Ok(()) };
        let column = |of: fn(&Stamp) -> u64| self.states.iter().map(|state| of(&state.stamp).cast_signed()).collect();
        let sizes: Vec<i64> = column(|stamp| stamp.size);
        let (modified, changed): (Vec<i64>, Vec<i64>) = (column(|stamp| stamp.modified), column(|stamp| stamp.changed));
        let numbers: Vec<i64> = column(|stamp| stamp.number);
        let sql = "INSERT INTO refdesk.stamps
                       (repository, checkout, path, source_id, hash, size, mtime, ctime, inode)
                   SELECT $1, $2, * FROM unnest($3::text[], $4::text[], $5::bytea[],
                       $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[])
                   ON CONFLICT (repository, checkout, path, source_id) DO UPDATE SET hash = excluded.hash,
                       size = excluded.size, mtime = excluded.mtime, ctime = excluded.ctime, inode = excluded.inode";
        transaction
            .execute(sql, &[&repository, checkout, paths, sources, &hashes, &sizes, &modified, &changed, &numbers])
            .await
            .map(drop)
    }

    async fn store_documents(&self, transaction: &Transaction<'_>, repository: i32) -> Result<(), PostgresError> {
        let Keys { paths, sources } = &self.of_documents;
        let column = |of: fn(&NewDocument) -> &str| -> Vec<_> {
            self.documents.iter().map(|document| clean(of(document))).collect()
        };
        let words = |of: fn(&NewDocument) -> &str| -> Vec<String> {
            self.documents.iter().map(|document| searchable(of(document))).collect()
        };
        let line = |of: fn(&NewDocument) -> usize| -> Vec<i64> {
            self.documents.iter().map(|document| i64::try_from(of(document)).unwrap_or(i64::MAX)).collect()
        };
        let hashes: Vec<&[u8]> = self.documents.iter().map(|document| document.content_hash.as_slice()).collect();
        let sql = "INSERT INTO refdesk.documents (repository, doc_type, source_id, file_path, heading, line, end_line,
                       content, keywords, content_hash, words)
                   SELECT $1, d.doc_type, d.source_id, d.file_path, d.heading, d.line, d.end_line, d.content,
                       d.keywords, d.content_hash,
                       setweight(to_tsvector('refdesk.english', d.title_words), 'A')
                           || setweight(to_tsvector('refdesk.english', d.name_words), 'B')
                           || setweight(to_tsvector('refdesk.english', d.content_words), 'D')
                   FROM unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[],
                       $8::text[], $9::text[], $10::bytea[], $11::text[], $12::text[], $13::text[])
                   AS d (doc_type, source_id, file_path, heading, line, end_line, content, keywords, content_hash,
                       title_words, name_words, content_words)";
        transaction
            .execute(
                sql,
                &[
                    &repository,
                    &column(|document| document.doc_type),
                    sources,
                    paths,
                    &column(|document| &document.heading),
                    &line(|document| document.line),
                    &line(|document| document.end_line),
                    &column(|document| &document.content),
                    &column(|document| &document.keywords),
                    &hashes,
                    &words(|document| &document.heading),
                    &words(|document| &document.keywords),
                    &words(|document| &document.content),
                ],
            )
            .await
            .map(drop)
    }
}
