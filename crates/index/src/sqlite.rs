//! An index in an SQLite file.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Row, Transaction, params};

use crate::location::Location;
use crate::pages::{DatabaseSubject, IndexedJoin};
use crate::row_seal::SealedRow;
use crate::storage::{
    Document, Embedded, INFERRED, KEY, NewDocument, Storage, TEXTS_VERSION, TextKey, TextState, TextUpdate, VERSION,
    from_json, in_json, whole,
};
use crate::vector::Vector;
use crate::words::is_unspaced_phrase;
use refdesk_files::{Folder, Lock, SealKey, Stamp};
use refdesk_text::Error;

/// The ranking function of full-text search. Title, split names and text have equal weight: with more weight for
/// titles, fewer of the evaluated questions find their section.
const SEARCH_RANK: &str = "bm25(1.0, 1.0, 1.0)";

/// Documents that match a full-text query.
const CONTAINING: &str = "SELECT rowid FROM documents_fts WHERE documents_fts MATCH ? LIMIT ?";

/// The tables in an open file.
pub(crate) struct SqliteStorage {
    connection: Connection,
    /// The folder that contains the file. SQLite opens its files by path, and removes its log by path when it closes
    /// them, so both are done confined to this folder; in between, SQLite uses the open files.
    folder: Folder,
    location: Location,
    key: SealKey,
    /// Held by the only writing process.
    _lock: Option<Lock>,
}

impl SqliteStorage {
    pub(crate) fn new(
        connection: Connection,
        folder: Folder,
        location: Location,
        key: SealKey,
        lock: Option<Lock>,
    ) -> Self {
        Self { connection, folder, location, key, _lock: lock }
    }

    fn ask<T>(&self, ask: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, Error> {
        ask(&self.connection).map_err(|error| self.location.broken(&error))
    }

    fn change<T>(&mut self, change: impl FnOnce(&Transaction) -> rusqlite::Result<T>) -> Result<T, Error> {
        let changed = self.connection.transaction().and_then(|transaction| {
            let changed = change(&transaction)?;
            transaction.commit()?;
            Ok(changed)
        });
        changed.map_err(|error| self.location.broken(&error))
    }

    /// Returns the rows if all of them have valid seals. A row without one was not written by us, so rows that were not
    /// read may be forged, too.
    fn sealed<T>(&self, rows: Vec<(T, bool)>) -> Result<Vec<T>, Error> {
        if rows.iter().all(|(_, is_ours)| *is_ours) {
            Ok(rows.into_iter().map(|(row, _)| row).collect())
        } else {
            Err(self.location.forged())
        }
    }
}

impl Drop for SqliteStorage {
    fn drop(&mut self) {
        let Ok(none) = Connection::open_in_memory() else { return };
        let connection = std::mem::replace(&mut self.connection, none);
        // If no thread can be started, the connection is closed on this one.
        let _ = self.folder.confine(move || drop(connection));
    }
}

impl Storage for SqliteStorage {
    fn texts(&self) -> Result<HashMap<TextKey, TextState>, Error> {
        self.ask(|connection| {
            let mut statement =
                connection.prepare("SELECT path, source_id, size, mtime, ctime, inode, hash FROM files")?;
            let rows = statement.query_map((), |row| {
                let key = TextKey { path: row.get(0)?, source: row.get(1)? };
                Ok((key, TextState { stamp: stamp(row, 2)?, hash: row.get(6)? }))
            })?;
            rows.collect()
        })
    }

    fn update_texts(&mut self, updates: &[TextUpdate]) -> Result<usize, Error> {
        let seal_key = self.key.clone();
        self.change(|connection| {
            let mut removed = 0;
            for update in updates {
                match update {
                    TextUpdate::Touched(key, state) => remember(connection, key, state)?,
                    TextUpdate::Changed(key, state, documents) => {
                        removed += remove(connection, key)?;
                        documents.iter().try_for_each(|document| add(connection, &seal_key, key, document))?;
                        remember(connection, key, state)?;
                    }
                    TextUpdate::Removed(key) => {
                        removed += remove(connection, key)?;
                        connection
                            .prepare_cached("DELETE FROM files WHERE path = ? AND source_id = ?")?
                            .execute(params![key.path, key.source])?;
                    }
                }
            }
            if removed > 0 || updates.iter().any(|update| update.added() > 0) {
                has_changed(connection, VERSION)?;
            }
            if !updates.is_empty() {
                has_changed(connection, TEXTS_VERSION)?;
            }
            Ok(removed)
        })
    }

    fn count(&self) -> Result<usize, Error> {
        self.ask(|connection| connection.query_row("SELECT count(*) FROM documents", (), |row| row.get(0)))
    }

    fn count_embedded(&self) -> Result<usize, Error> {
        let sql = "SELECT count(*) FROM documents WHERE content_hash <> x''";
        self.ask(|connection| connection.query_row(sql, (), |row| row.get(0)))
    }

    fn documents(&self, ids: &[i64]) -> Result<Vec<Document>, Error> {
        let read = |row: &Row| {
            let document = Document {
                id: row.get(0)?,
                doc_type: row.get(1)?,
                source: row.get(2)?,
                path: row.get(3)?,
                heading: row.get(4)?,
                line: row.get(5)?,
                end_line: row.get(6)?,
                content: row.get(7)?,
                content_hash: row.get(8)?,
                subject: subject(row, 9)?,
                stamp: stamp(row, 14)?,
                sections: from_json(row.get_ref(20)?.as_str()?),
            };
            let Document { doc_type, source, path, heading, content, content_hash, subject, .. } = &document;
            let keywords: String = row.get(18)?;
            let texts: [&str; 7] = [doc_type, source, path, heading, content, &keywords, row.get_ref(20)?.as_str()?];
            let sealed = sealed_document(texts, [document.line, document.end_line], content_hash, subject.as_ref());
            let is_ours = sealed.has_seal(&self.key, row.get_ref(19)?.as_blob()?);
            Ok((document, is_ours))
        };
        let found = self.ask(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id, doc_type, d.source_id, file_path, heading, line, end_line, content, content_hash, database_name,
                     schema_name, table_name, column_name, domain,
                     ifnull(size, 0), ifnull(mtime, 0), ifnull(ctime, 0), ifnull(inode, 0), keywords, seal, sections
                 FROM documents d LEFT JOIN files f ON f.path = d.file_path AND f.source_id = d.source_id WHERE id = ?",
            )?;
            ids.iter().filter_map(|id| statement.query_row([id], read).optional().transpose()).collect()
        })?;
        self.sealed(found)
    }

    fn opening(&self, text: &TextKey) -> Result<Option<i64>, Error> {
        let sql = "SELECT id FROM documents WHERE file_path = ? AND source_id = ? ORDER BY line, id LIMIT 1";
        self.ask(|connection| connection.query_row(sql, (&text.path, &text.source), |row| row.get(0)).optional())
    }

    fn documents_below(&self, path: &str) -> Result<Vec<(i64, TextKey)>, Error> {
        // `0` is the character after `/`.
        let sql = "SELECT id, file_path, source_id FROM documents WHERE file_path >= ?1 AND file_path < ?1 || '0'";
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(sql)?;
            let read = |row: &Row| Ok((row.get(0)?, TextKey { path: row.get(1)?, source: row.get(2)? }));
            statement.query_map([path], read)?.collect()
        })
    }

    fn about_database(&self, database: Option<&str>, domain: Option<&str>) -> Result<Vec<i64>, Error> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT id FROM documents WHERE database_name IS NOT NULL
                     AND (?1 IS NULL OR database_name = ?1) AND (?2 IS NULL OR domain = ?2)",
            )?;
            statement.query_map((database, domain), |row| row.get(0))?.collect()
        })
    }

    fn tables_of(&self, ids: &[i64]) -> Result<HashMap<i64, i64>, Error> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT d.id, t.id FROM documents d JOIN documents t
                     ON t.file_path = d.file_path AND t.source_id = d.source_id AND t.doc_type = 'table'
                 WHERE d.id = ? AND d.doc_type IN ('column', 'relationship')",
            )?;
            let mut table = |id: &i64| statement.query_row([id], |row| Ok((row.get(0)?, row.get(1)?))).optional();
            ids.iter().filter_map(|id| table(id).transpose()).collect()
        })
    }

    fn joins(&self, ids: &[i64]) -> Result<HashMap<i64, IndexedJoin>, Error> {
        let read = |row: &Row| {
            let join = IndexedJoin {
                from_table: row.get(1)?,
                from_columns: from_json(row.get_ref(2)?.as_str()?),
                to_table: row.get(3)?,
                to_columns: from_json(row.get_ref(4)?.as_str()?),
                inferred: row.get_ref(5)?.as_str()? == INFERRED,
            };
            let document = row.get_ref(6)?.as_blob()?;
            let is_ours = sealed_join(document, &join).has_seal(&self.key, row.get_ref(7)?.as_blob()?);
            Ok(((row.get(0)?, join), is_ours))
        };
        let found = self.ask(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT r.id, from_table, from_columns, to_table, to_columns, origin, d.seal, r.seal
                 FROM relationships r JOIN documents d ON d.id = r.id WHERE r.id = ?",
            )?;
            ids.iter().filter_map(|id| statement.query_row([id], read).optional().transpose()).collect()
        })?;
        Ok(self.sealed(found)?.into_iter().collect())
    }

    fn embedded(&self, model: &str, each: &mut dyn FnMut(Embedded)) -> Result<(), Error> {
        self.ask(|connection| {
            // Both tables are stored in this order. Iterating over them in parallel is faster than a join, which would
            // look up each vector.
            let mut statement = connection.prepare(
                "SELECT content_hash, id, source_id, doc_type, is_boilerplate, part_key FROM documents
                 ORDER BY content_hash, source_id",
            )?;
            let mut vectors = connection.prepare(
                "SELECT content_hash, scale, embedding, dims FROM vectors WHERE model = ? ORDER BY content_hash",
            )?;
            let (mut documents, mut vectors) = (statement.query(())?, vectors.query([model])?);
            let mut vector = vectors.next()?;
            while let Some(document) = documents.next()? {
                let hash = document.get_ref(0)?.as_blob()?;
                while let Some(row) = vector
                    && row.get_ref(0)?.as_blob()? < hash
                {
                    vector = vectors.next()?;
                }
                let own = vector.filter(|row| row.get_ref(0).is_ok_and(|of| of.as_blob().is_ok_and(|of| of == hash)));
                each(Embedded {
                    id: document.get(1)?,
                    doc_type: document.get_ref(3)?.as_str()?,
                    source: document.get_ref(2)?.as_str()?,
                    is_embedded: !hash.is_empty(),
                    is_boilerplate: document.get(4)?,
                    part_key: document.get(5)?,
                    has_vector: own.is_some(),
                    scale: own.map_or(Ok(0.0), |row| row.get(1))?,
                    values: match own {
                        Some(row) => whole(row.get_ref(2)?.as_blob()?, row.get(3)?),
                        None => &[],
                    },
                });
            }
            Ok(())
        })
    }

    fn best_by_words(&self, terms: &[&str], each: &mut dyn FnMut(i64) -> bool) -> Result<(), Error> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT rowid FROM documents_fts WHERE documents_fts MATCH ? AND rank MATCH ? ORDER BY rank",
            )?;
            let any: Vec<String> = terms.iter().map(|term| term_query(term)).collect();
            let mut rows = statement.query((any.join(" OR "), SEARCH_RANK))?;
            while let Some(row) = rows.next()? {
                if !each(row.get(0)?) {
                    break;
                }
            }
            Ok(())
        })
    }

    fn containing(&self, words: &[&str], limit: usize) -> Result<Vec<Vec<i64>>, Error> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(CONTAINING)?;
            let mut ids = |word: &&str| statement.query_map((term_query(word), limit), |row| row.get(0))?.collect();
            words.iter().map(&mut ids).collect()
        })
    }

    fn with_stem_start(&self, start: &str, limit: usize) -> Result<Vec<i64>, Error> {
        self.ask(|connection| {
            let mut statement = connection.prepare_cached(CONTAINING)?;
            statement.query_map((format!("{} *", term_query(start)), limit), |row| row.get(0))?.collect()
        })
    }

    fn without_vector(&self, model: &str) -> Result<Vec<i64>, Error> {
        self.ask(|connection| {
            let mut statement = connection.prepare(
                "SELECT min(id) FROM documents
                 WHERE content_hash <> x'' AND content_hash NOT IN (SELECT content_hash FROM vectors WHERE model = ?)
                 GROUP BY content_hash ORDER BY min(id)",
            )?;
            statement.query_map([model], |row| row.get(0))?.collect()
        })
    }

    fn count_without_vector(&self, model: &str) -> Result<usize, Error> {
        let sql = "SELECT count(*) FROM documents
                   WHERE content_hash <> x'' AND content_hash NOT IN
                       (SELECT content_hash FROM vectors WHERE model = ?1 OR ?1 = '')";
        self.ask(|connection| connection.query_row(sql, [model], |row| row.get(0)))
    }

    fn add_vectors(&mut self, model: &str, vectors: &[(Vec<u8>, Vector)]) -> Result<(), Error> {
        self.change(|connection| {
            let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?, ?)")?;
            vectors.iter().try_for_each(|(hash, vector)| {
                let dims = vector.values.len();
                statement.execute(params![hash, model, dims, vector.scale, vector.bytes()]).map(drop)
            })?;
            has_changed(connection, VERSION)
        })
    }

    fn remove_damaged_vectors(&mut self, model: &str, dimensions: usize) -> Result<(), Error> {
        self.change(|connection| {
            let sql = "DELETE FROM vectors WHERE model = ?1
                       AND (dims <> ?2 OR length(embedding) <> ?2 OR NOT (scale >= 0 AND scale <= 1)
                       OR (scale = 0) <> (embedding = zeroblob(?2)))";
            if connection.execute(sql, params![model, dimensions])? > 0 {
                has_changed(connection, VERSION)?;
            }
            Ok(())
        })
    }

    fn remove_unused_vectors(&mut self) -> Result<(), Error> {
        self.change(|connection| {
            let sql = "DELETE FROM vectors WHERE content_hash NOT IN (SELECT content_hash FROM documents)";
            connection.execute(sql, ()).map(drop)
        })
    }

    fn empty_log(&mut self) -> Result<(), Error> {
        let is_held =
            self.ask(|connection| connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0)))?;
        if is_held { Err(self.location.held()) } else { Ok(()) }
    }

    fn metadata(&self, key: &str) -> Result<Option<String>, Error> {
        let sql = "SELECT value FROM metadata WHERE key = ?";
        self.ask(|connection| connection.query_row(sql, [key], |row| row.get(0)).optional())
    }

    fn set_metadata(&mut self, key: &str, value: &str) -> Result<(), Error> {
        let sql = "INSERT OR REPLACE INTO metadata VALUES (?, ?)";
        self.change(|connection| connection.execute(sql, (key, value)).map(drop))
    }
}

/// The full-text query for a word or phrase.
pub(crate) fn term_query(term: &str) -> String {
    let column = if is_unspaced_phrase(term) { "words : " } else { "" };
    format!("{column}\"{}\"", term.replace('"', "\"\""))
}

/// Marks what readers have loaded as outdated. The value is random, because another file could have the same counter.
fn has_changed(connection: &Connection, version: &str) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO metadata VALUES (?, hex(randomblob(16)))";
    connection.prepare_cached(sql)?.execute([version]).map(drop)
}

/// Reads the stamp of a file, starting at this column.
fn stamp(row: &Row, at: usize) -> rusqlite::Result<Stamp> {
    let number = |at| row.get::<_, i64>(at).map(i64::cast_unsigned);
    Ok(Stamp { size: number(at)?, modified: number(at + 1)?, changed: number(at + 2)?, number: number(at + 3)? })
}

fn remember(connection: &Connection, key: &TextKey, state: &TextState) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?, ?, ?)")?;
    let Stamp { size, modified, changed, number } = state.stamp;
    let [size, modified, changed, number] = [size, modified, changed, number].map(u64::cast_signed);
    statement.execute(params![key.path, key.source, size, modified, changed, number, state.hash]).map(drop)
}

fn remove(connection: &Connection, key: &TextKey) -> rusqlite::Result<usize> {
    let mut statement = connection.prepare_cached("DELETE FROM documents WHERE file_path = ? AND source_id = ?")?;
    statement.execute(params![key.path, key.source])
}

fn add(connection: &Connection, seal_key: &SealKey, key: &TextKey, document: &NewDocument) -> rusqlite::Result<()> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO documents (doc_type, source_id, file_path, heading, line, end_line, content, keywords, content_hash,
             database_name, schema_name, table_name, column_name, domain, is_boilerplate, part_key, sections, seal)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let NewDocument {
        doc_type,
        heading,
        line,
        end_line,
        content,
        sections,
        keywords,
        content_hash,
        subject,
        join,
        is_boilerplate,
    } = document;
    let [database, schema, table, column, domain] = DatabaseSubject::parts(subject.as_ref());
    let sections = in_json(sections);
    let texts: [&str; 7] = [doc_type, &key.source, &key.path, heading, content, keywords, &sections];
    let seal = sealed_document(texts, [*line, *end_line], content_hash, subject.as_ref()).seal(seal_key);
    statement.execute(params![
        doc_type,
        key.source,
        key.path,
        heading,
        line,
        end_line,
        content,
        keywords,
        content_hash,
        database,
        schema,
        table,
        column,
        domain,
        is_boilerplate,
        document.part_key(key, &key.path),
        sections,
        seal,
    ])?;
    let Some(join) = join else { return Ok(()) };
    let id = connection.last_insert_rowid();
    let mut statement = connection.prepare_cached("INSERT INTO relationships VALUES (?, ?, ?, ?, ?, ?, ?, ?)")?;
    let join_seal = sealed_join(&seal, join).seal(seal_key);
    let IndexedJoin { from_table, from_columns, to_table, to_columns, inferred } = join;
    let origin = if *inferred { INFERRED } else { KEY };
    let (from_columns, to_columns) = (in_json(from_columns), in_json(to_columns));
    statement
        .execute(params![id, from_table, from_columns, to_table, to_columns, database, origin, join_seal])
        .map(drop)
}

/// The sealed part of a document: all of its text, and the keywords by which it is found. `texts` are its type, source,
/// path, heading, content, keywords and sections; `lines` its first and last line. The boilerplate flag and
/// the part key are not sealed: they only hide the document from hints or from lists, which removing the document would
/// do, too.
fn sealed_document(
    texts: [&str; 7],
    lines: [usize; 2],
    content_hash: &[u8],
    subject: Option<&DatabaseSubject>,
) -> SealedRow {
    let row = texts.into_iter().fold(SealedRow::of("index.db/documents"), SealedRow::with);
    let row = lines.into_iter().fold(row, SealedRow::with_number).with(content_hash);
    DatabaseSubject::parts(subject).into_iter().fold(row, SealedRow::with_optional)
}

/// A join, bound to the document with this seal.
fn sealed_join(document: &[u8], join: &IndexedJoin) -> SealedRow {
    let IndexedJoin { from_table, from_columns, to_table, to_columns, inferred } = join;
    SealedRow::of("index.db/relationships")
        .with(document)
        .with(from_table)
        .with(in_json(from_columns))
        .with(to_table)
        .with(in_json(to_columns))
        .with_number(usize::from(*inferred))
}

/// Reads the subject of a document, starting at this column.
fn subject(row: &Row, at: usize) -> rusqlite::Result<Option<DatabaseSubject>> {
    let Some(database) = row.get(at)? else { return Ok(None) };
    let (schema, table) = (row.get(at + 1)?, row.get(at + 2)?);
    Ok(Some(DatabaseSubject { database, schema, table, column: row.get(at + 3)?, domain: row.get(at + 4)? }))
}
