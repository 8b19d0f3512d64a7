//! The tables in a PostgreSQL database: those of the file (SEARCH S1.1), in the schema `refdesk`, for many repositories.

use std::cmp::Ordering;

use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::session::{PostgresError, Session};
use refdesk_text::Error;

/// Tables with a lower version are rebuilt; those with a higher version are refused.
const VERSION: i64 = 11;

/// Class of refdesk's advisory locks; the second number is 0 while creating tables, else the repository's id.
const LOCKS: i32 = 0x7265_6664;

/// Words are stemmed as in the file. Unlike PostgreSQL's own English dictionary, this one keeps stop words, because
/// they are removed from a question beforehand. A text is identified by a hash of its path and source, because a
/// database index accepts no values over 2,704 bytes.
const TABLES: &str = "
CREATE TEXT SEARCH DICTIONARY refdesk.english_stem (TEMPLATE = pg_catalog.snowball, Language = porter);
CREATE TEXT SEARCH CONFIGURATION refdesk.english (COPY = pg_catalog.simple);
ALTER TEXT SEARCH CONFIGURATION refdesk.english
    ALTER MAPPING FOR asciiword, word, numword WITH refdesk.english_stem;
CREATE TABLE refdesk.version (version bigint NOT NULL);
CREATE TABLE refdesk.repositories (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE
);
CREATE TABLE refdesk.documents (
    repository integer NOT NULL REFERENCES refdesk.repositories ON DELETE CASCADE,
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    doc_type text NOT NULL,
    source_id text NOT NULL,
    file_path text NOT NULL,
    text_key bytea NOT NULL,
    heading text NOT NULL,
    line bigint NOT NULL,
    end_line bigint NOT NULL,
    content text NOT NULL,
    sections text NOT NULL,
    summary text,
    keywords text NOT NULL,
    content_hash bytea NOT NULL,
    database_name text,
    schema_name text,
    table_name text,
    column_name text,
    domain text,
    is_boilerplate boolean NOT NULL,
    part_key bigint NOT NULL,
    words tsvector NOT NULL
);
CREATE INDEX documents_by_file ON refdesk.documents (repository, text_key);
CREATE INDEX documents_by_hash ON refdesk.documents (repository, content_hash);
CREATE INDEX documents_by_domain ON refdesk.documents (repository, database_name, domain)
    WHERE database_name IS NOT NULL;
CREATE INDEX documents_by_words ON refdesk.documents USING gin (words);
CREATE TABLE refdesk.vectors (
    repository integer NOT NULL REFERENCES refdesk.repositories ON DELETE CASCADE,
    content_hash bytea NOT NULL,
    model text NOT NULL,
    dims integer NOT NULL,
    scale real NOT NULL,
    embedding bytea NOT NULL,
    stored timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (repository, content_hash, model)
);
CREATE TABLE refdesk.relationships (
    repository integer NOT NULL REFERENCES refdesk.repositories ON DELETE CASCADE,
    id bigint PRIMARY KEY REFERENCES refdesk.documents ON DELETE CASCADE,
    from_table text NOT NULL,
    from_columns text NOT NULL,
    to_table text NOT NULL,
    to_columns text NOT NULL,
    database_name text,
    origin text NOT NULL
);
CREATE TABLE refdesk.files (
    repository integer NOT NULL REFERENCES refdesk.repositories ON DELETE CASCADE,
    text_key bytea NOT NULL,
    path text NOT NULL,
    source_id text NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (repository, text_key)
);
CREATE TABLE refdesk.stamps (
    repository integer NOT NULL,
    checkout bytea NOT NULL,
    text_key bytea NOT NULL,
    hash bytea NOT NULL,
    size bigint NOT NULL,
    mtime bigint NOT NULL,
    ctime bigint NOT NULL,
    inode bigint NOT NULL,
    PRIMARY KEY (repository, checkout, text_key),
    FOREIGN KEY (repository, text_key) REFERENCES refdesk.files ON DELETE CASCADE
);
CREATE INDEX stamps_by_file ON refdesk.stamps (repository, text_key);
CREATE TABLE refdesk.metadata (
    repository integer NOT NULL REFERENCES refdesk.repositories ON DELETE CASCADE,
    key text NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (repository, key)
);
";

/// Removes what older versions may have created.
const REMOVED: &str = "
DROP TABLE IF EXISTS refdesk.relationships, refdesk.stamps, refdesk.files, refdesk.vectors, refdesk.metadata,
    refdesk.documents, refdesk.repositories, refdesk.version;
DROP TEXT SEARCH CONFIGURATION IF EXISTS refdesk.english;
DROP TEXT SEARCH DICTIONARY IF EXISTS refdesk.english_stem;
";

/// The id of a repository; `None` if the database has no index of it, or one with an older version.
pub(super) fn find(session: &Session, repository: &str) -> Result<Option<i32>, Error> {
    let version = session.ask(async |client| version(client).await)?;
    match version {
        Some(newer) if newer > VERSION => Err(session.server.newer()),
        Some(VERSION) => session.ask(async |client| number(client, repository).await),
        _ => Ok(None),
    }
}

/// Whether the database has tables with an older version.
pub(super) fn is_older(session: &Session) -> Result<bool, Error> {
    Ok(session.ask(async |client| version(client).await)?.is_some_and(|known| known < VERSION))
}

/// The id of a repository, after creating missing tables and taking the repository's lock, and whether tables with an
/// older version were replaced; `None` if another process has the lock.
pub(super) fn make(
    session: &Session,
    repository: &str,
    fresh: bool,
    may_replace: bool,
) -> Result<Option<(i32, bool)>, Error> {
    let (version, is_replaced) = session.ask(async |client| make_tables(client, may_replace).await)?;
    match version.cmp(&VERSION) {
        Ordering::Greater => return Err(session.server.newer()),
        Ordering::Less => return Err(session.server.older()),
        Ordering::Equal => {}
    }
    session.ask(async |client| {
        let sql = "INSERT INTO refdesk.repositories (name) VALUES ($1) ON CONFLICT DO NOTHING";
        if number(client, repository).await?.is_none() {
            client.execute(sql, &[&repository]).await?;
        }
        let Some(number) = number(client, repository).await? else { return Ok(None) };
        let lock = client.query_one("SELECT pg_try_advisory_lock($1, $2)", &[&LOCKS, &number]).await?;
        if !lock.try_get::<_, bool>(0)? {
            return Ok(None);
        }
        if fresh {
            let transaction = client.transaction().await?;
            for table in ["relationships", "documents", "files", "vectors", "metadata"] {
                let sql = format!("DELETE FROM refdesk.{table} WHERE repository = $1");
                transaction.execute(&sql, &[&number]).await?;
            }
            transaction.commit().await?;
        }
        Ok(Some((number, is_replaced)))
    })
}

/// Creates the tables if there are none, or older ones that may be replaced; returns their version afterwards, and
/// whether older ones were replaced.
async fn make_tables(client: &mut Client, may_replace: bool) -> Result<(i64, bool), PostgresError> {
    if let Some(known) = version(client).await?.filter(|known| *known >= VERSION) {
        return Ok((known, false));
    }
    let transaction = client.transaction().await?;
    transaction.execute("SELECT pg_advisory_xact_lock($1, 0)", &[&LOCKS]).await?;
    // Another process may have created them in the meantime.
    let made = transaction.query_one("SELECT to_regclass('refdesk.version') IS NOT NULL", &[]).await?;
    let is_replaced = made.try_get(0)?;
    if is_replaced {
        let row = transaction.query_opt("SELECT version FROM refdesk.version", &[]).await?;
        let known: i64 = row.map(|row| row.try_get(0)).transpose()?.unwrap_or_default();
        if known >= VERSION || !may_replace {
            return Ok((known, false));
        }
        transaction.batch_execute(REMOVED).await?;
    }
    let schema = transaction.query_one("SELECT to_regnamespace('refdesk') IS NOT NULL", &[]).await?;
    if !schema.try_get::<_, bool>(0)? {
        transaction.batch_execute("CREATE SCHEMA refdesk").await?;
    }
    transaction.batch_execute(TABLES).await?;
    transaction.execute("INSERT INTO refdesk.version VALUES ($1)", &[&VERSION]).await?;
    transaction.commit().await?;
    Ok((VERSION, is_replaced))
}

/// The version of the tables; `None` if there are none.
async fn version(client: &Client) -> Result<Option<i64>, PostgresError> {
    let is_absent = |error: &PostgresError| {
        error.code().is_some_and(|code| [SqlState::UNDEFINED_TABLE, SqlState::INVALID_SCHEMA_NAME].contains(code))
    };
    match client.query_opt("SELECT version FROM refdesk.version", &[]).await {
        Err(error) if is_absent(&error) => Ok(None),
        answer => answer?.map(|row| row.try_get(0)).transpose(),
    }
}

async fn number(client: &Client, repository: &str) -> Result<Option<i32>, PostgresError> {
    let sql = "SELECT id FROM refdesk.repositories WHERE name = $1";
    client.query_opt(sql, &[&repository]).await?.map(|row| row.try_get(0)).transpose()
}
