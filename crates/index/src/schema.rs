//! The tables of the index (SEARCH S1.1) and the version of their layout.

use rusqlite::{Connection, OptionalExtension};

use crate::words::marks_of_symbols;

/// Stored in `user_version`. An index with a lower number is rebuilt; one with a higher number is refused.
pub(crate) const VERSION: i64 = 13;

/// Triggers keep the full-text index equal to the text of all rows of `documents`. Marks are part of a word, except
/// those of symbols, as `words` has it.
const TABLES: &str = "
CREATE TABLE documents (
    id INTEGER PRIMARY KEY,
    doc_type TEXT NOT NULL,
    source_id TEXT NOT NULL,
    file_path TEXT NOT NULL,
    heading TEXT NOT NULL,
    line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    content TEXT NOT NULL,
    sections TEXT NOT NULL,
    summary TEXT,
    keywords TEXT NOT NULL,
    content_hash BLOB NOT NULL,
    database_name TEXT,
    schema_name TEXT,
    table_name TEXT,
    column_name TEXT,
    domain TEXT,
    is_boilerplate INTEGER NOT NULL,
    part_key INTEGER NOT NULL,
    seal BLOB NOT NULL
);
CREATE INDEX documents_by_file ON documents (file_path, source_id);
CREATE INDEX documents_by_hash ON documents (content_hash, source_id, doc_type, is_boilerplate, id, part_key);
CREATE INDEX documents_by_domain ON documents (database_name, domain) WHERE database_name IS NOT NULL;
CREATE VIEW documents_text AS SELECT id, heading AS title, keywords AS words, content FROM documents;
CREATE VIRTUAL TABLE documents_fts USING fts5 (
    title, words, content,
    content = 'documents_text', content_rowid = 'id',
    tokenize = \"porter unicode61 remove_diacritics 2 categories 'L* N* Co M*' separators 'MARKS'\"
);
INSERT INTO documents_fts (documents_fts, rank) VALUES ('rank', 'bm25(8.0, 4.0, 1.0)');
INSERT INTO documents_fts (documents_fts, rank) VALUES ('secure-delete', 1);
CREATE TRIGGER documents_added AFTER INSERT ON documents BEGIN
    INSERT INTO documents_fts (rowid, title, words, content)
    VALUES (new.id, new.heading, new.keywords, new.content);
END;
CREATE TRIGGER documents_removed AFTER DELETE ON documents BEGIN
    INSERT INTO documents_fts (documents_fts, rowid, title, words, content)
    VALUES ('delete', old.id, old.heading, old.keywords, old.content);
    DELETE FROM relationships WHERE id = old.id;
END;
CREATE TABLE vectors (
    content_hash BLOB NOT NULL,
    model TEXT NOT NULL,
    dims INTEGER NOT NULL,
    scale REAL NOT NULL,
    embedding BLOB NOT NULL,
    PRIMARY KEY (content_hash, model)
) WITHOUT ROWID;
CREATE TABLE relationships (
    id INTEGER PRIMARY KEY REFERENCES documents,
    from_table TEXT NOT NULL,
    from_columns TEXT NOT NULL,
    to_table TEXT NOT NULL,
    to_columns TEXT NOT NULL,
    database_name TEXT,
    origin TEXT NOT NULL,
    seal BLOB NOT NULL
);
CREATE TABLE files (
    path TEXT NOT NULL,
    source_id TEXT NOT NULL,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    ctime INTEGER NOT NULL,
    inode INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (path, source_id)
) WITHOUT ROWID;
CREATE TABLE metadata (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE owner (seal BLOB NOT NULL);
";

/// Creates the tables in an empty database, with their owner's seal.
pub(crate) fn create(connection: &mut Connection, owner: &[u8]) -> rusqlite::Result<()> {
    let transaction = connection.transaction()?;
    transaction.execute_batch(&TABLES.replace("MARKS", &marks_of_symbols().collect::<String>()))?;
    transaction.execute("INSERT INTO owner VALUES (?)", [owner])?;
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()
}

/// Whether the tables contain this owner's seal.
pub(crate) fn is_owned(connection: &Connection, owner: &[u8]) -> rusqlite::Result<bool> {
    let seal: Option<Vec<u8>> = connection.query_row("SELECT seal FROM owner", (), |row| row.get(0)).optional()?;
    Ok(seal.as_deref() == Some(owner))
}

/// Whether the tables are exactly those that this version creates.
pub(crate) fn is_intact(connection: &Connection) -> rusqlite::Result<bool> {
    let layout = |connection: &Connection| -> rusqlite::Result<Vec<(String, Option<String>)>> {
        let mut statement = connection.prepare("SELECT name, sql FROM sqlite_schema ORDER BY name")?;
        let rows = statement.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?;
        rows.collect()
    };
    let mut made = Connection::open_in_memory()?;
    create(&mut made, &[])?;
    Ok(layout(&made)? == layout(connection)?)
}
