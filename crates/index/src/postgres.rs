//! An index in a PostgreSQL database that a team shares, for many repositories; every row belongs to one of them
//! (SEARCH S5.1). The tables are those of the file. Paths in the workspace are stored relative to it. Each checkout
//! stores its own stamps of files, because they differ between checkouts.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Transaction};

use crate::pages::{DatabaseSubject, IndexedJoin};
use crate::repository::shared_name;
use crate::storage::{
    Document, Embedded, INFERRED, Storage, TEXTS_VERSION, TextKey, TextState, TextUpdate, VERSION, from_json, whole,
};
use crate::vector::Vector;
use refdesk_files::name::hex;
use refdesk_files::{Sealer, Stamp};
use refdesk_text::Error;

mod changes;
mod schema;
mod server;
mod session;
#[cfg(test)]
mod tests;
mod text;

use changes::Changes;
pub(crate) use server::Server;
use session::{PostgresError, Session};
use text::{clean, searchable, term_query};

/// How long a reader waits for a connection: a dead server must not hold up a hook.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);

/// How long a reader waits for each answer.
const READ_LIMIT: Duration = Duration::from_secs(3);

/// How long a finishing writer waits for the server to release its lock.
const UNLOCK_LIMIT: Duration = Duration::from_secs(2);

/// How long a writer waits for each answer.
const WRITE_LIMIT: Duration = Duration::from_secs(60);

/// Prefix of paths in the workspace, as stored in the tables.
const INSIDE: &str = "./";

/// A vector that no document uses is kept for this long, because another checkout may have another branch.
const UNUSED: &str = "30 days";

/// The documents with any of some words and phrases, best first. PostgreSQL ranks a document independently of the
/// others, so each word is ranked by itself and weighted by its rarity, as in the file's `bm25`.
const RANKED: &str = "
WITH terms AS MATERIALIZED (
    SELECT nth, to_tsquery('refdesk.english', term) AS query FROM unnest($2::text[]) WITH ORDINALITY AS u (term, nth)
), matches AS (
    SELECT t.nth, d.id, ts_rank('{1, 1, 1, 1}', d.words, t.query, 1) AS rank FROM terms t
    JOIN refdesk.documents d ON d.repository = $1 AND d.words @@ t.query
), rarities AS (
    SELECT m.nth, ln(1 + (every.n - count(*) + 0.5) / (count(*) + 0.5)) AS rarity FROM matches m,
        (SELECT count(*) AS n FROM refdesk.documents WHERE repository = $1) AS every GROUP BY m.nth, every.n
)
SELECT m.id FROM matches m JOIN rarities USING (nth) GROUP BY m.id ORDER BY sum(m.rank * rarity) DESC, m.id";

/// The rows of one repository.
pub(crate) struct PostgresStorage {
    session: Session,
    repository: i32,
    is_writer: bool,
    /// Identifies this checkout for its stamps; `None` if it cannot be distinguished from others.
    checkout: Option<Vec<u8>>,
    workspace: PathBuf,
}

impl PostgresStorage {
    /// Opens the index of a workspace's repository for reading; `None` if there is none.
    pub(crate) fn read(server: &Server, workspace: &Path, sealer: &Sealer) -> Result<Option<Self>, Error> {
        let checkout = checkout(sealer);
        let Some(name) = repository_name(workspace, checkout.as_deref()) else { return Ok(None) };
        let session = Session::open(server, CONNECT_LIMIT, READ_LIMIT)?;
        let Some(repository) = schema::find(&session, &name)? else { return Ok(None) };
        Ok(Some(Self { session, repository, is_writer: false, checkout, workspace: workspace.to_path_buf() }))
    }

    /// Whether the database has the indexes of an older version.
    pub(crate) fn is_older(server: &Server) -> Result<bool, Error> {
        schema::is_older(&Session::open(server, CONNECT_LIMIT, READ_LIMIT)?)
    }

    /// Opens the index for writing and creates missing tables; `None` if another process is writing. The flag tells
    /// whether the indexes of an older version were removed, which is an error unless `may_replace`.
    pub(crate) fn write(
        server: &Server,
        workspace: &Path,
        sealer: &Sealer,
        fresh: bool,
        may_replace: bool,
    ) -> Result<Option<(Self, bool)>, Error> {
        // Without a key, every text is compared by content.
        let key = sealer.key_or_new().map(drop);
        let checkout = checkout(sealer);
        let Some(name) = repository_name(workspace, checkout.as_deref()) else {
            let why = key.map_or_else(|error| error.to_string(), |()| String::from("no key"));
            return Err(server.unusable(&why));
        };
        let session = Session::open(&server.for_writing(), READ_LIMIT, WRITE_LIMIT)?;
        let Some((repository, is_replaced)) = schema::make(&session, &name, fresh, may_replace)? else {
            return Ok(None);
        };
        let workspace = workspace.to_path_buf();
        Ok(Some((Self { session, repository, is_writer: true, checkout, workspace }, is_replaced)))
    }

    fn number(&self, sql: &str, values: &[&(dyn ToSql + Sync)]) -> Result<usize, Error> {
        let number: i64 = self.session.ask(async |client| client.query_one(sql, values).await?.try_get(0))?;
        Ok(usize::try_from(number).unwrap_or_default())
    }

    /// Collects a value from each row of the answer.
    fn all<T, C: FromIterator<T>>(
        &self,
        sql: &str,
        values: &[&(dyn ToSql + Sync)],
        read: impl FnMut(&Row) -> Result<T, PostgresError>,
    ) -> Result<C, Error> {
        let rows = self.session.ask(async |client| client.query(sql, values).await)?;
        rows.iter().map(read).collect::<Result<_, _>>().map_err(|error| self.session.server.failed(error))
    }

    fn stored_path(&self, path: &str) -> String {
        match Path::new(path).strip_prefix(&self.workspace) {
            Ok(inside) => clean(&format!("{INSIDE}{}", inside.display())).into_owned(),
            Err(_) => clean(path).into_owned(),
        }
    }

    fn path(&self, stored: String) -> String {
        match stored.strip_prefix(INSIDE) {
            Some(inside) => self.workspace.join(inside).to_string_lossy().into_owned(),
            None => stored,
        }
    }
}

impl Drop for PostgresStorage {
    fn drop(&mut self) {
        if self.is_writer {
            // The server may notice the end of a connection late, and the next writer would find the lock taken.
            let unlock = "SELECT pg_advisory_unlock_all()";
            let _ = self.session.ask(async |client| {
                let _ = timeout(UNLOCK_LIMIT, client.batch_execute(unlock)).await;
                Ok(())
            });
        }
    }
}

fn checkout(sealer: &Sealer) -> Option<Vec<u8>> {
    Some(sealer.key()?.seal("checkout", &[]).to_vec())
}

/// The name shared by all checkouts of a repository, or else one that only this checkout has: another machine may have
/// another repository at the same path.
fn repository_name(workspace: &Path, checkout: Option<&[u8]>) -> Option<String> {
    shared_name(workspace).or_else(|| {
        let digits = hex(checkout?);
        // The path is for people who read the table. It is truncated because a database index accepts no long values.
        let path: String = workspace.to_string_lossy().chars().take(250).collect();
        Some(clean(&format!("{path} {digits}")).into_owned())
    })
}

impl Storage for PostgresStorage {
    fn texts(&self) -> Result<HashMap<TextKey, TextState>, Error> {
        let sql = "SELECT f.path, f.source_id, f.hash, s.size, s.mtime, s.ctime, s.inode FROM refdesk.files f
                   LEFT JOIN refdesk.stamps s ON s.repository = f.repository AND s.text_key = f.text_key
                       AND s.hash = f.hash AND s.checkout = $2
                   WHERE f.repository = $1";
        self.all(sql, &[&self.repository, &self.checkout], |row| {
            let key = TextKey { path: self.path(row.try_get(0)?), source: row.try_get(1)? };
            Ok((key, TextState { stamp: stamp(row, 3)?, hash: row.try_get(2)? }))
        })
    }

    fn update_texts(&mut self, updates: &[TextUpdate]) -> Result<usize, Error> {
        let changes = Changes::of(updates, |path| self.stored_path(path));
        self.session.ask(async |client| {
            let transaction = client.transaction().await?;
            let removed = changes.store(&transaction, self.repository, self.checkout.as_ref()).await?;
            if removed > 0 || updates.iter().any(|update| update.added() > 0) {
                has_changed(&transaction, self.repository, VERSION).await?;
            }
            if !updates.is_empty() {
                has_changed(&transaction, self.repository, TEXTS_VERSION).await?;
            }
            transaction.commit().await?;
            Ok(removed)
        })
    }

    fn count(&self) -> Result<usize, Error> {
        self.number("SELECT count(*) FROM refdesk.documents WHERE repository = $1", &[&self.repository])
    }

    fn count_embedded(&self) -> Result<usize, Error> {
        let sql = "SELECT count(*) FROM refdesk.documents WHERE repository = $1 AND content_hash <> ''";
        self.number(sql, &[&self.repository])
    }

    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, Error> {
        let sql = "SELECT d.id, doc_type, d.source_id, file_path, heading, line, end_line, content, content_hash,
                       database_name, schema_name, table_name, column_name, domain, size, mtime, ctime, inode, sections
                   FROM unnest($2::bigint[]) WITH ORDINALITY AS wanted (id, nth)
                   JOIN refdesk.documents d ON d.id = wanted.id AND d.repository = $1
                   LEFT JOIN refdesk.files f ON f.repository = $1 AND f.text_key = d.text_key
                   LEFT JOIN refdesk.stamps s ON s.repository = $1 AND s.text_key = d.text_key AND s.hash = f.hash
                       AND s.checkout = $3
                   ORDER BY nth";
        self.all(sql, &[&self.repository, &ids, &self.checkout], |row| {
            let line = |at| Ok(usize::try_from(row.try_get::<_, i64>(at)?).unwrap_or_default());
            Ok(Document {
                id: row.try_get(0)?,
                doc_type: row.try_get(1)?,
                source: row.try_get(2)?,
                path: self.path(row.try_get(3)?),
                heading: row.try_get(4)?,
                line: line(5)?,
                end_line: line(6)?,
                content: row.try_get(7)?,
                content_hash: row.try_get(8)?,
                subject: subject(row, 9)?,
                stamp: stamp(row, 14)?,
                sections: from_json(row.try_get(18)?),
            })
        })
    }

    fn opening(&self, text: &TextKey) -> Result<Option<i64>, Error> {
        let sql = "SELECT id FROM refdesk.documents WHERE repository = $1 AND file_path = $2 AND source_id = $3
                   ORDER BY line, id LIMIT 1";
        let path = self.stored_path(&text.path);
        let found: Vec<i64> = self.all(sql, &[&self.repository, &path, &text.source], |row| row.try_get(0))?;
        Ok(found.first().copied())
    }

    fn documents_below(&self, path: &str) -> Result<Vec<(i64, TextKey)>, Error> {
        let sql = "SELECT id, file_path, source_id FROM refdesk.documents
                   WHERE repository = $1 AND (starts_with(file_path, $2) OR $3 AND starts_with(file_path, $4))";
        let contains_workspace = self.workspace.starts_with(path);
        let values: [&(dyn ToSql + Sync); 4] =
            [&self.repository, &self.stored_path(path), &contains_workspace, &INSIDE];
        self.all(sql, &values, |row| {
            let key = TextKey { path: self.path(row.try_get(1)?), source: row.try_get(2)? };
            Ok((row.try_get(0)?, key))
        })
    }

    fn about_database(&self, database: Option<&str>, domain: Option<&str>) -> Result<Vec<i64>, Error> {
        let sql = "SELECT id FROM refdesk.documents WHERE repository = $1 AND database_name IS NOT NULL
                   AND ($2::text IS NULL OR database_name = $2) AND ($3::text IS NULL OR domain = $3)";
        self.all(sql, &[&self.repository, &database, &domain], |row| row.try_get(0))
    }

    fn tables_of(&self, ids: &[i64]) -> Result<HashMap<i64, i64>, Error> {
        let sql = "SELECT d.id, t.id FROM refdesk.documents d JOIN refdesk.documents t
                       ON t.repository = d.repository AND t.text_key = d.text_key AND t.doc_type = 'table'
                   WHERE d.repository = $1 AND d.id = ANY ($2::bigint[]) AND d.doc_type IN ('column', 'relationship')";
        self.all(sql, &[&self.repository, &ids], |row| Ok((row.try_get(0)?, row.try_get(1)?)))
    }

    fn joins(&self, ids: &[i64]) -> Result<HashMap<i64, IndexedJoin>, Error> {
        let sql = "SELECT id, from_table, from_columns, to_table, to_columns, origin FROM refdesk.relationships
                   WHERE repository = $1 AND id = ANY ($2::bigint[])";
        self.all(sql, &[&self.repository, &ids], |row| {
            let join = IndexedJoin {
                from_table: row.try_get(1)?,
                from_columns: from_json(row.try_get(2)?),
                to_table: row.try_get(3)?,
                to_columns: from_json(row.try_get(4)?),
                inferred: row.try_get::<_, &str>(5)? == INFERRED,
            };
            Ok((row.try_get(0)?, join))
        })
    }

    fn embedded(&self, model: &str, each: &mut dyn FnMut(Embedded)) -> Result<(), Error> {
        let sql =
            "SELECT d.id, d.doc_type, d.source_id, v.scale, v.embedding, d.content_hash <> '', d.is_boilerplate, v.dims,
                       d.part_key
                   FROM refdesk.documents d
                   LEFT JOIN refdesk.vectors v ON v.repository = d.repository AND v.content_hash = d.content_hash
                       AND v.model = $2
                   WHERE d.repository = $1 ORDER BY d.content_hash, d.source_id, d.id";
        self.all(sql, &[&self.repository, &model], |row| {
            each(Embedded {
                id: row.try_get(0)?,
                doc_type: row.try_get(1)?,
                source: row.try_get(2)?,
                is_embedded: row.try_get(5)?,
                is_boilerplate: row.try_get(6)?,
                part_key: row.try_get(8)?,
                has_vector: row.try_get::<_, Option<f32>>(3)?.is_some(),
                scale: row.try_get::<_, Option<f32>>(3)?.unwrap_or(0.0),
                values: whole(
                    row.try_get::<_, Option<&[u8]>>(4)?.unwrap_or_default(),
                    row.try_get::<_, Option<i32>>(7)?.unwrap_or_default().into(),
                ),
            });
            Ok(())
        })
    }

    fn best_by_words(&self, terms: &[&str], each: &mut dyn FnMut(i64) -> bool) -> Result<(), Error> {
        let wanted: Vec<String> = terms.iter().map(|term| term_query(term)).collect();
        let ranked: Vec<i64> = self.all(RANKED, &[&self.repository, &wanted], |row| row.try_get(0))?;
        for id in ranked {
            if !each(id) {
                break;
            }
        }
        Ok(())
    }

    fn containing(&self, words: &[&str], limit: usize) -> Result<Vec<Vec<i64>>, Error> {
        // Otherwise each word is parsed again for every document that it is compared with.
        let sql = "WITH terms AS MATERIALIZED (
                       SELECT nth, to_tsquery('refdesk.english', word) AS query
                       FROM unnest($2::text[]) WITH ORDINALITY AS w (word, nth)
                   )
                   SELECT t.nth, found.id FROM terms t CROSS JOIN LATERAL (
                       SELECT d.id FROM refdesk.documents d WHERE d.repository = $1 AND d.words @@ t.query LIMIT $3
                   ) AS found";
        let wanted: Vec<String> = words.iter().map(|word| term_query(word)).collect();
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let pair = |row: &Row| Ok((row.try_get(0)?, row.try_get(1)?));
        let pairs: Vec<(i64, i64)> = self.all(sql, &[&self.repository, &wanted, &limit], pair)?;
        let mut found = vec![Vec::new(); words.len()];
        for (nth, id) in pairs {
            if let Some(ids) = usize::try_from(nth - 1).ok().and_then(|at| found.get_mut(at)) {
                ids.push(id);
            }
        }
        Ok(found)
    }

    fn with_stem_start(&self, start: &str, limit: usize) -> Result<Vec<i64>, Error> {
        let start = searchable(start);
        if start.is_empty() {
            return Ok(Vec::new());
        }
        let sql = "SELECT id FROM refdesk.documents WHERE repository = $1 AND words @@ $2::text::tsquery LIMIT $3";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.all(sql, &[&self.repository, &format!("'{start}':*"), &limit], |row| row.try_get(0))
    }

    fn without_vector(&self, model: &str) -> Result<Vec<i64>, Error> {
        let sql = "SELECT min(d.id) FROM refdesk.documents d WHERE d.repository = $1 AND d.content_hash <> '' AND NOT EXISTS (
                       SELECT FROM refdesk.vectors v
                       WHERE v.repository = $1 AND v.content_hash = d.content_hash AND v.model = $2
                   ) GROUP BY d.content_hash ORDER BY 1";
        self.all(sql, &[&self.repository, &model], |row| row.try_get(0))
    }

    fn count_without_vector(&self, model: &str) -> Result<usize, Error> {
        let sql =
            "SELECT count(*) FROM refdesk.documents d WHERE d.repository = $1 AND d.content_hash <> '' AND NOT EXISTS (
                       SELECT FROM refdesk.vectors v
                       WHERE v.repository = $1 AND v.content_hash = d.content_hash AND (v.model = $2 OR $2 = '')
                   )";
        self.number(sql, &[&self.repository, &model])
    }

    fn add_vectors(&mut self, model: &str, vectors: &[(Vec<u8>, Vector)]) -> Result<(), Error> {
        let sql = "INSERT INTO refdesk.vectors (repository, model, content_hash, dims, scale, embedding)
                   SELECT $1, $2, * FROM unnest($3::bytea[], $4::integer[], $5::real[], $6::bytea[])
                   ON CONFLICT (repository, content_hash, model) DO NOTHING";
        let hashes: Vec<&[u8]> = vectors.iter().map(|(hash, _)| hash.as_slice()).collect();
        let dims: Vec<i32> =
            vectors.iter().map(|(_, vector)| i32::try_from(vector.values.len()).unwrap_or(i32::MAX)).collect();
        let scales: Vec<f32> = vectors.iter().map(|(_, vector)| vector.scale).collect();
        let values: Vec<Vec<u8>> = vectors.iter().map(|(_, vector)| vector.bytes()).collect();
        self.session.ask(async |client| {
            let transaction = client.transaction().await?;
            transaction.execute(sql, &[&self.repository, &model, &hashes, &dims, &scales, &values]).await?;
            has_changed(&transaction, self.repository, VERSION).await?;
            transaction.commit().await
        })
    }

    fn remove_damaged_vectors(&mut self, model: &str, dimensions: usize) -> Result<(), Error> {
        let sql = "DELETE FROM refdesk.vectors WHERE repository = $1 AND model = $2
                   AND (dims <> $3 OR length(embedding) <> $3 OR NOT (scale >= 0 AND scale <= 1)
                       OR (scale = 0) <> (embedding = $4))";
        let (length, zeros) = (i32::try_from(dimensions).unwrap_or(i32::MAX), vec![0u8; dimensions]);
        self.session.ask(async |client| {
            let transaction = client.transaction().await?;
            if transaction.execute(sql, &[&self.repository, &model, &length, &zeros]).await? > 0 {
                has_changed(&transaction, self.repository, VERSION).await?;
            }
            transaction.commit().await
        })
    }

    fn remove_unused_vectors(&mut self) -> Result<(), Error> {
        let sql = "DELETE FROM refdesk.vectors v WHERE v.repository = $1 AND v.stored < now() - $2::text::interval
                   AND NOT EXISTS (
                       SELECT FROM refdesk.documents d
                       WHERE d.repository = $1 AND d.content_hash = v.content_hash
                   )";
        self.session.ask(async |client| client.execute(sql, &[&self.repository, &UNUSED]).await.map(drop))
    }

    fn empty_log(&mut self) -> Result<(), Error> {
        // The server's own log is up to its administrator.
        Ok(())
    }

    fn metadata(&self, key: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT value FROM refdesk.metadata WHERE repository = $1 AND key = $2";
        self.session.ask(async |client| {
            client.query_opt(sql, &[&self.repository, &key]).await?.map(|row| row.try_get(0)).transpose()
        })
    }

    fn set_metadata(&mut self, key: &str, value: &str) -> Result<(), Error> {
        let sql = "INSERT INTO refdesk.metadata VALUES ($1, $2, $3)
                   ON CONFLICT (repository, key) DO UPDATE SET value = excluded.value";
        self.session.ask(async |client| client.execute(sql, &[&self.repository, &key, &value]).await.map(drop))
    }
}

/// Marks what readers have loaded as outdated.
async fn has_changed(transaction: &Transaction<'_>, repository: i32, version: &str) -> Result<(), PostgresError> {
    let sql = "INSERT INTO refdesk.metadata VALUES ($1, $2, md5(random()::text || clock_timestamp()::text))
               ON CONFLICT (repository, key) DO UPDATE SET value = excluded.value";
    transaction.execute(sql, &[&repository, &version]).await.map(drop)
}

/// Reads the stamp of a file, starting at this column; zeros if this checkout has none.
fn stamp(row: &Row, at: usize) -> Result<Stamp, PostgresError> {
    let number = |at| Ok(row.try_get::<_, Option<i64>>(at)?.unwrap_or_default().cast_unsigned());
    Ok(Stamp { size: number(at)?, modified: number(at + 1)?, changed: number(at + 2)?, number: number(at + 3)? })
}

/// Reads the subject of a document, starting at this column.
fn subject(row: &Row, at: usize) -> Result<Option<DatabaseSubject>, PostgresError> {
    let Some(database) = row.try_get(at)? else { return Ok(None) };
    let (schema, table) = (row.try_get(at + 1)?, row.try_get(at + 2)?);
    Ok(Some(DatabaseSubject { database, schema, table, column: row.try_get(at + 3)?, domain: row.try_get(at + 4)? }))
}
