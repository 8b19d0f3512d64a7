//! Statements that read a schema of any size. Those that read the contents of schemas take the wanted schemas (empty:
//! all) as `$1`, and whether to include system schemas as `$2`.

/// The relations to read, joined to their schemas: no temporary ones, and no partitions, which are only counted.
///
/// Printing an expression opens its table, and would wait for a transaction that holds or requests an exclusive lock
/// until the time limit ends the whole run. Expressions of such tables are skipped.
macro_rules! wanted {
    () => {
        "locked AS MATERIALIZED (
            SELECT DISTINCT relation FROM pg_catalog.pg_locks
            WHERE locktype = 'relation' AND mode = 'AccessExclusiveLock' AND pid IS DISTINCT FROM pg_backend_pid()
              AND database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
        ), wanted AS (
            SELECT c.oid, c.relkind, n.nspname::text AS schema, c.relname::text AS name, c.relnamespace, c.relrowsecurity,
                   c.reltuples, c.relpages, EXISTS (SELECT FROM locked WHERE relation = c.oid) AS is_locked
            FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND NOT c.relispartition AND c.relpersistence <> 't'
              AND (cardinality($1::text[]) = 0 OR n.nspname = ANY ($1::text[]))
              AND ($2::bool OR (n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'))
        )"
    };
}

pub(crate) const SERVER: &str = "
SELECT current_setting('server_version'), current_setting('server_version_num')::int4, current_user::text,
       current_database()::text, r.rolsuper, has_database_privilege(current_database(), 'CREATE')
FROM pg_catalog.pg_roles r WHERE r.rolname = current_user";

pub(crate) const SCHEMAS: &str = "
SELECT n.nspname::text, left(obj_description(n.oid, 'pg_namespace'), 65536), has_schema_privilege(n.oid, 'CREATE')
FROM pg_catalog.pg_namespace n
WHERE n.nspname !~ '^pg_(toast|temp)' AND (cardinality($1::text[]) = 0 OR n.nspname = ANY ($1::text[]))
  AND ($2::bool OR (n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'))";

/// Before version 14, a table that was never analysed reports 0 rows on 0 pages.
pub(crate) const RELATIONS: &str = concat!(
    "WITH RECURSIVE ",
    wanted!(),
    ", parts AS (
    SELECT w.oid AS root, i.inhrelid AS oid FROM wanted w JOIN pg_catalog.pg_inherits i ON i.inhparent = w.oid
    WHERE w.relkind = 'p'
    UNION ALL SELECT p.root, i.inhrelid FROM parts p JOIN pg_catalog.pg_inherits i ON i.inhparent = p.oid
), version AS (SELECT current_setting('server_version_num')::int4 < 140000 AS is_old
), leaves AS (
    SELECT p.root, count(*) AS n, sum(c.reltuples) AS tuples,
           bool_or(c.reltuples < 0 OR (v.is_old AND c.reltuples = 0 AND c.relpages = 0)) AS is_unknown
    FROM parts p JOIN pg_catalog.pg_class c ON c.oid = p.oid AND c.relkind <> 'p' CROSS JOIN version v GROUP BY p.root
)
SELECT w.oid, w.schema, w.name, w.relkind::text, left(obj_description(w.oid, 'pg_class'), 65536), w.relrowsecurity,
       has_table_privilege(w.oid, 'SELECT') AND has_schema_privilege(w.relnamespace, 'USAGE'),
       has_table_privilege(w.oid, 'INSERT, UPDATE, DELETE, TRUNCATE'), coalesce(l.n, 0)::int8,
       CASE WHEN w.relkind = 'v' THEN NULL
            WHEN w.relkind = 'p' THEN CASE WHEN l.is_unknown THEN NULL ELSE coalesce(l.tuples, 0)::int8 END
            WHEN w.reltuples < 0 OR (v.is_old AND w.reltuples = 0 AND w.relpages = 0) THEN NULL
            ELSE w.reltuples::int8 END,
       CASE WHEN w.relkind = 'p' THEN left(pg_get_partkeydef(w.oid), 65536) END
FROM wanted w CROSS JOIN version v LEFT JOIN leaves l ON l.root = w.oid ORDER BY w.schema, w.name"
);

pub(super) const COLUMNS: &str = concat!(
    "WITH ",
    wanted!(),
    "SELECT a.attrelid, a.attname::text, format_type(a.atttypid, a.atttypmod), a.attnotnull,
       left(CASE WHEN NOT w.is_locked THEN pg_get_expr(d.adbin, d.adrelid) END, 65536), a.attidentity::text, a.attgenerated::text, co.collname::text,
       left(ds.description, 65536), a.atttypid,
       CASE WHEN t.typtype IN ('d', 'e') THEN left(obj_description(t.oid, 'pg_type'), 65536) END,
       w.is_locked AND d.adbin IS NOT NULL
FROM wanted w JOIN pg_catalog.pg_attribute a ON a.attrelid = w.oid
JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
LEFT JOIN pg_catalog.pg_collation co ON co.oid = a.attcollation AND a.attcollation <> t.typcollation
LEFT JOIN pg_catalog.pg_description ds ON ds.objoid = a.attrelid AND ds.objsubid = a.attnum
     AND ds.classoid = 'pg_catalog.pg_class'::regclass
WHERE a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attrelid, a.attnum"
);

/// Domains with their base types. A domain between them may forbid null.
pub(crate) const DOMAINS: &str = "
WITH RECURSIVE chain AS (
    SELECT oid AS domain, typbasetype AS base, typtypmod AS modifier, typnotnull AS not_null
    FROM pg_catalog.pg_type WHERE typtype = 'd'
    UNION ALL
    SELECT c.domain, t.typbasetype, t.typtypmod, c.not_null OR t.typnotnull
    FROM chain c JOIN pg_catalog.pg_type t ON t.oid = c.base WHERE t.typtype = 'd'
)
SELECT c.domain, c.base, format_type(c.base, c.modifier), c.not_null
FROM chain c JOIN pg_catalog.pg_type t ON t.oid = c.base WHERE t.typtype <> 'd'";

/// The types of columns that have fields, or contain a type with fields: directly, or in a domain, an array or a range.
pub(super) const COMPOSITES: &str = concat!(
    "WITH RECURSIVE ",
    wanted!(),
    ", parts AS (
    SELECT DISTINCT a.atttypid AS whole, a.atttypid AS part
    FROM wanted w JOIN pg_catalog.pg_attribute a ON a.attrelid = w.oid WHERE a.attnum > 0 AND NOT a.attisdropped
    UNION
    SELECT p.whole, below.part
    FROM parts p JOIN pg_catalog.pg_type t ON t.oid = p.part LEFT JOIN pg_catalog.pg_range r ON r.rngtypid = t.oid
    CROSS JOIN LATERAL (VALUES (t.typbasetype), (t.typelem), (r.rngsubtype)) AS below (part)
    WHERE below.part <> 0
)
SELECT DISTINCT p.whole FROM parts p JOIN pg_catalog.pg_type t ON t.oid = p.part WHERE t.typtype = 'c'"
);

pub(super) const LABELS: &str = "
SELECT enumtypid, array_agg(enumlabel::text ORDER BY enumsortorder) FROM pg_catalog.pg_enum GROUP BY enumtypid";

/// A foreign key to a partitioned table has an additional row for each partition, which has a parent.
pub(super) const CONSTRAINTS: &str = concat!(
    "WITH ",
    wanted!(),
    "SELECT k.conrelid, k.conname::text, k.contype::text,
       ARRAY(SELECT a.attname::text FROM unnest(k.conkey) WITH ORDINALITY AS u (number, position)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = u.number ORDER BY u.position),
       n.nspname::text, c.relname::text,
       ARRAY(SELECT a.attname::text FROM unnest(k.confkey) WITH ORDINALITY AS u (number, position)
             JOIN pg_catalog.pg_attribute a ON a.attrelid = k.confrelid AND a.attnum = u.number ORDER BY u.position),
       k.confdeltype::text, k.confupdtype::text, k.confmatchtype::text, k.condeferrable,
       left(CASE WHEN w.is_locked THEN NULL
                 WHEN k.contype = 'c' THEN pg_get_expr(k.conbin, k.conrelid, true)
                 WHEN k.contype = 'x' THEN pg_get_constraintdef(k.oid, true) END, 65536),
       left(obj_description(k.oid, 'pg_constraint'), 65536), w.is_locked AND k.contype IN ('c', 'x')
FROM wanted w JOIN pg_catalog.pg_constraint k ON k.conrelid = w.oid
LEFT JOIN pg_catalog.pg_class c ON c.oid = k.confrelid
LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE k.contype IN ('p', 'u', 'c', 'x', 'f') AND NOT (k.contype = 'f' AND k.conparentid <> 0)
ORDER BY k.conrelid, k.conname"
);

pub(crate) const INDEXES: &str = concat!(
    "WITH ",
    wanted!(),
    "SELECT i.indrelid, c.relname::text, i.indisunique AND i.indisvalid, i.indpred IS NOT NULL,
       ARRAY(SELECT coalesce(a.attname::text, '(expression)') FROM generate_series(0, i.indnkeyatts - 1) AS u (position)
             LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[u.position]
                  AND a.attnum <> 0 ORDER BY u.position),
       left(obj_description(i.indexrelid, 'pg_class'), 65536)
FROM wanted w JOIN pg_catalog.pg_index i ON i.indrelid = w.oid JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
ORDER BY i.indrelid, c.relname"
);

pub(super) const READ_BY_VIEWS: &str = concat!(
    "WITH ",
    wanted!(),
    "SELECT DISTINCT w.oid, n.nspname::text, c.relname::text
FROM wanted w JOIN pg_catalog.pg_rewrite r ON r.ev_class = w.oid
JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::regclass AND d.objid = r.oid
     AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid <> w.oid
JOIN pg_catalog.pg_class c ON c.oid = d.refobjid AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE w.relkind IN ('v', 'm')"
);
