//! Stores updates of texts. They are grouped into columns, so that each table takes one statement.

use std::borrow::Cow;
use std::collections::HashSet;

use tokio_postgres::Transaction;

use super::session::PostgresError;
use super::text::{clean, searchable};
use crate::pages::{DatabaseSubject, IndexedJoin};
use crate::storage::{INFERRED, KEY, NewDocument, TextKey, TextState, TextUpdate, in_json};
use crate::update::hash_of;
use refdesk_files::Stamp;

/// Updates of texts by table.
#[derive(Default)]
pub(super) struct Changes<'u> {
    /// Texts whose documents are removed or replaced.
    replaced: Vec<Vec<u8>>,
    removed: Vec<Vec<u8>>,
    known: Vec<(StoredKey<'u>, &'u TextState)>,
    documents: Vec<(StoredKey<'u>, &'u NewDocument)>,
    /// The part key of each of `documents`.
    part_keys: Vec<i64>,
}

/// The key of a text in the tables.
#[derive(Clone)]
struct StoredKey<'u> {
    hash: Vec<u8>,
    path: String,
    source: Cow<'u, str>,
}

impl<'u> StoredKey<'u> {
    fn of(path: String, key: &'u TextKey) -> Self {
        let source = clean(&key.source);
        // Neither contains a NUL.
        Self { hash: hash_of(&format!("{path}\0{source}")), path, source }
    }
}

impl<'u> Changes<'u> {
    pub(crate) fn of(updates: &'u [TextUpdate], stored_path: impl Fn(&str) -> String) -> Self {
        let mut changes = Self::default();
        let mut seen = HashSet::new();
        // Only the last update of a text counts; a statement cannot write a row twice.
        for update in updates.iter().rev() {
            let (TextUpdate::Touched(text, _) | TextUpdate::Changed(text, ..) | TextUpdate::Removed(text)) = update;
            let key = StoredKey::of(stored_path(&text.path), text);
            if !seen.insert(key.hash.clone()) {
                continue;
            }
            match update {
                TextUpdate::Touched(_, state) => changes.known.push((key, state)),
                TextUpdate::Changed(_, state, documents) => {
                    changes.replaced.push(key.hash.clone());
                    changes.part_keys.extend(documents.iter().map(|document| document.part_key(text, &key.path)));
                    changes.documents.extend(documents.iter().map(|document| (key.clone(), document)));
                    changes.known.push((key, state));
                }
                TextUpdate::Removed(_) => {
                    changes.replaced.push(key.hash.clone());
                    changes.removed.push(key.hash);
                }
            }
        }
        changes
    }

    /// Stores the changes; returns the number of removed documents.
    pub(crate) async fn store(
        &self,
        transaction: &Transaction<'_>,
        repository: i32,
        checkout: Option<&Vec<u8>>,
    ) -> Result<usize, PostgresError> {
        let sql = "DELETE FROM refdesk.documents WHERE repository = $1 AND text_key = ANY ($2::bytea[])";
        let removed = transaction.execute(sql, &[&repository, &self.replaced]).await?;
        let sql = "DELETE FROM refdesk.files WHERE repository = $1 AND text_key = ANY ($2::bytea[])";
        transaction.execute(sql, &[&repository, &self.removed]).await?;
        self.store_states(transaction, repository, checkout).await?;
        self.store_documents(transaction, repository).await?;
        self.store_joins(transaction, repository).await?;
        Ok(usize::try_from(removed).unwrap_or_default())
    }

    async fn store_states(
        &self,
        transaction: &Transaction<'_>,
        repository: i32,
        checkout: Option<&Vec<u8>>,
    ) -> Result<(), PostgresError> {
        let keys: Vec<&[u8]> = self.known.iter().map(|(key, _)| key.hash.as_slice()).collect();
        let paths: Vec<&str> = self.known.iter().map(|(key, _)| key.path.as_str()).collect();
        let sources: Vec<&str> = self.known.iter().map(|(key, _)| &*key.source).collect();
        let hashes: Vec<&[u8]> = self.known.iter().map(|(_, state)| state.hash.as_slice()).collect();
        let sql = "INSERT INTO refdesk.files (repository, text_key, path, source_id, hash)
                   SELECT $1, * FROM unnest($2::bytea[], $3::text[], $4::text[], $5::bytea[])
                   ON CONFLICT (repository, text_key) DO UPDATE SET hash = excluded.hash";
        transaction.execute(sql, &[&repository, &keys, &paths, &sources, &hashes]).await?;
        let Some(checkout) = checkout else { return Ok(()) };
        let column = |of: fn(&Stamp) -> u64| -> Vec<i64> {
            self.known.iter().map(|(_, state)| of(&state.stamp).cast_signed()).collect()
        };
        let (sizes, modified) = (column(|stamp| stamp.size), column(|stamp| stamp.modified));
        let (changed, numbers) = (column(|stamp| stamp.changed), column(|stamp| stamp.number));
        let sql = "INSERT INTO refdesk.stamps (repository, checkout, text_key, hash, size, mtime, ctime, inode)
                   SELECT $1, $2, * FROM unnest($3::bytea[], $4::bytea[],
                       $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
                   ON CONFLICT (repository, checkout, text_key) DO UPDATE SET hash = excluded.hash,
                       size = excluded.size, mtime = excluded.mtime, ctime = excluded.ctime, inode = excluded.inode";
        transaction
            .execute(sql, &[&repository, checkout, &keys, &hashes, &sizes, &modified, &changed, &numbers])
            .await
            .map(drop)
    }

    async fn store_documents(&self, transaction: &Transaction<'_>, repository: i32) -> Result<(), PostgresError> {
        let keys: Vec<&[u8]> = self.documents.iter().map(|(key, _)| key.hash.as_slice()).collect();
        let paths: Vec<&str> = self.documents.iter().map(|(key, _)| key.path.as_str()).collect();
        let sources: Vec<&str> = self.documents.iter().map(|(key, _)| &*key.source).collect();
        let column = |of: fn(&NewDocument) -> &str| -> Vec<_> {
            self.documents.iter().map(|(_, document)| clean(of(document))).collect()
        };
        let words = |of: fn(&NewDocument) -> &str| -> Vec<String> {
            self.documents.iter().map(|(_, document)| searchable(of(document))).collect()
        };
        let line = |of: fn(&NewDocument) -> usize| -> Vec<i64> {
            self.documents.iter().map(|(_, document)| i64::try_from(of(document)).unwrap_or(i64::MAX)).collect()
        };
        let hashes: Vec<&[u8]> = self.documents.iter().map(|(_, document)| document.content_hash.as_slice()).collect();
        let subject = |of: fn(&DatabaseSubject) -> Option<&String>| -> Vec<Option<Cow<str>>> {
            let part = |document: &&'u NewDocument| document.subject.as_ref().and_then(of).map(|text| clean(text));
            self.documents.iter().map(|(_, document)| part(document)).collect()
        };
        let sql = "INSERT INTO refdesk.documents (repository, doc_type, source_id, file_path, text_key, heading, line,
                       end_line, content, keywords, content_hash, words, database_name, schema_name, table_name,
                       column_name, domain, is_boilerplate, sections, part_key)
                   SELECT $1, d.doc_type, d.source_id, d.file_path, d.text_key, d.heading, d.line, d.end_line, d.content,
                       d.keywords, d.content_hash,
                       setweight(to_tsvector('refdesk.english', d.title_words), 'A')
                           || setweight(to_tsvector('refdesk.english', d.name_words), 'B')
                           || setweight(to_tsvector('refdesk.english', d.content_words), 'D'),
                       d.database_name, d.schema_name, d.table_name, d.column_name, d.domain, d.is_boilerplate, d.sections,
                       d.part_key
                   FROM unnest($2::text[], $3::text[], $4::text[], $5::bytea[], $6::text[], $7::bigint[], $8::bigint[],
                       $9::text[], $10::text[], $11::bytea[], $12::text[], $13::text[], $14::text[], $15::text[],
                       $16::text[], $17::text[], $18::text[], $19::text[], $20::boolean[], $21::text[], $22::bigint[])
                   AS d (doc_type, source_id, file_path, text_key, heading, line, end_line, content, keywords, content_hash,
                       title_words, name_words, content_words, database_name, schema_name, table_name, column_name, domain,
                       is_boilerplate, sections, part_key)";
        let sections: Vec<String> = self.documents.iter().map(|(_, document)| in_json(&document.sections)).collect();
        let boilerplate: Vec<bool> = self.documents.iter().map(|(_, document)| document.is_boilerplate).collect();
        transaction
            .execute(
                sql,
                &[
                    &repository,
                    &column(|document| document.doc_type),
                    &sources,
                    &paths,
                    &keys,
                    &column(|document| &document.heading),
                    &line(|document| document.line),
                    &line(|document| document.end_line),
                    &column(|document| &document.content),
                    &column(|document| &document.keywords),
                    &hashes,
                    &words(|document| &document.heading),
                    &words(|document| &document.keywords),
                    &words(|document| &document.content),
                    &subject(|subject| Some(&subject.database)),
                    &subject(|subject| subject.schema.as_ref()),
                    &subject(|subject| subject.table.as_ref()),
                    &subject(|subject| subject.column.as_ref()),
                    &subject(|subject| subject.domain.as_ref()),
                    &boilerplate,
                    &sections,
                    &self.part_keys,
                ],
            )
            .await
            .map(drop)
    }

    /// Stores joins with the ids of the documents that describe them, which are found by heading: all documents of a
    /// page have different headings.
    async fn store_joins(&self, transaction: &Transaction<'_>, repository: i32) -> Result<(), PostgresError> {
        let joins: Vec<(&StoredKey, &NewDocument, &IndexedJoin)> = self
            .documents
            .iter()
            .filter_map(|(key, document)| Some((key, *document, document.join.as_ref()?)))
            .collect();
        if joins.is_empty() {
            return Ok(());
        }
        let keys: Vec<&[u8]> = joins.iter().map(|(key, ..)| key.hash.as_slice()).collect();
        let headings: Vec<Cow<str>> = joins.iter().map(|(_, document, _)| clean(&document.heading)).collect();
        let column = |of: fn(&IndexedJoin) -> String| -> Vec<String> {
            joins.iter().map(|(.., join)| clean(&of(join)).into_owned()).collect()
        };
        let sql = "INSERT INTO refdesk.relationships (repository, id, from_table, from_columns, to_table, to_columns,
                       database_name, origin)
                   SELECT $1, d.id, j.from_table, j.from_columns, j.to_table, j.to_columns, d.database_name, j.origin
                   FROM unnest($2::bytea[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
                       AS j (text_key, heading, from_table, from_columns, to_table, to_columns, origin)
                   JOIN refdesk.documents d ON d.repository = $1 AND d.text_key = j.text_key AND d.heading = j.heading
                   ON CONFLICT DO NOTHING";
        let from = (column(|join| join.from_table.clone()), column(|join| in_json(&join.from_columns)));
        let to = (column(|join| join.to_table.clone()), column(|join| in_json(&join.to_columns)));
        let origins = column(|join| if join.inferred { INFERRED } else { KEY }.to_owned());
        transaction
            .execute(sql, &[&repository, &keys, &headings, &from.0, &from.1, &to.0, &to.1, &origins])
            .await
            .map(drop)
    }
}
