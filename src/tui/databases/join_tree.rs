//! The joins of a table as a tree: each leads to a table, whose joins unfold below it. Rows are rebuilt when
//! a page arrives or a join is opened or closed. A table never unfolds below itself, so cycles end the tree.

use std::collections::{HashMap, HashSet};

use refdesk_database::schema::table_doc::{JoinSource, TableDoc};

use super::DatabasesView;
use crate::tui::widgets::cells;

/// The maximum depth: longer join paths are too hard to follow.
const LEVELS: usize = 24;

/// The maximum number of tables whose joins are cached.
const MAX_CACHED_TABLES: usize = 1000;

/// A join, seen from one of its tables.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Join {
    /// `schema.table` at its other end.
    pub table: String,
    /// The joined columns: of this table, and of the other.
    pub pairs: Vec<(String, String)>,
    pub kind: JoinKind,
    /// A note on the join: its cardinality, or why it was inferred.
    pub note: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinKind {
    RefersTo,
    ReferredToBy,
    /// Inferred, not declared as a key.
    Inferred,
    /// Noted by a person, not declared as a key.
    Noted,
}

/// What follows below a join.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinEnd {
    Closed,
    Open,
    /// Open, and the page of its table is being read.
    Reading,
    /// Its table has no other joins.
    Last,
    /// Its table is already above, so it does not unfold again.
    Cycle,
    /// It is at the maximum depth.
    Deep,
    /// Its table has no page.
    Undocumented,
    /// The page of its table cannot be read.
    Unreadable,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JoinRow {
    /// `schema.table` at the near end.
    pub from: String,
    pub join: Join,
    /// 1 for a join of the root table.
    pub level: usize,
    /// Bit `n` is set if the branch at level `n` continues below this row.
    pub open: u32,
    pub end: JoinEnd,
    /// The joins from the root to this row, which identify it.
    way: String,
}

#[derive(Debug, Clone, Default)]
pub struct JoinTree {
    pub rows: Vec<JoinRow>,
    /// The joins of each page that was read, with the number of the overview it was requested for; `None` if
    /// the page cannot be read.
    known: HashMap<String, (Option<Vec<Join>>, u64)>,
    /// The paths of the open joins.
    open: HashSet<String>,
    /// The last requested page, until its answer arrives.
    awaited: Option<String>,
    /// The row to move the cursor to once it exists.
    pub(super) stay: Option<String>,
}

/// The joins on a table's page: its foreign keys, joins of other tables with it, then those of its own without a key.
pub fn joins(doc: &TableDoc) -> Vec<Join> {
    let pairs = |near: &[String], far: &[String]| {
        near.iter().zip(far).map(|(near, far)| (clean(near), clean(far))).collect::<Vec<_>>()
    };
    let kind = |source: JoinSource, of_key: JoinKind| match source {
        JoinSource::Key => of_key,
        JoinSource::Note => JoinKind::Noted,
        JoinSource::Inferred => JoinKind::Inferred,
    };
    let keys = doc.foreign_keys.iter().map(|key| Join {
        table: key.referenced_table.clone(),
        pairs: pairs(&key.columns, &key.referenced_columns),
        kind: JoinKind::RefersTo,
        note: match key.is_missing {
            true => "does not exist".to_owned(),
            false => clean(&key.cardinality.replace('_', " ")),
        },
    });
    // A reference of a table to itself is already listed among its own.
    let others = doc.referenced_by.iter().filter(|reference| reference.table != doc.fully_qualified_name);
    let references = others.map(|reference| Join {
        table: reference.table.clone(),
        pairs: pairs(&reference.referenced_columns, &reference.columns),
        kind: kind(reference.source, JoinKind::ReferredToBy),
        note: clean(&reference.because),
    });
    let inferred = doc.inferred_joins.iter().map(|join| Join {
        table: join.referenced_table.clone(),
        pairs: pairs(&join.columns, &join.referenced_columns),
        kind: kind(join.source, JoinKind::Inferred),
        note: match &join.cardinality {
            Some(cardinality) => clean(&format!("{}, {}", cardinality.replace('_', " "), join.because)),
            None => clean(&join.because),
        },
    });
    keys.chain(references).chain(inferred).collect()
}

fn clean(text: &str) -> String {
    cells::clean(text).into_owned()
}

impl Join {
    /// Whether this is the same join, seen from the other table.
    fn is_back(&self, of: &Self, from: &str) -> bool {
        let flipped = self.pairs.iter().map(|(near, far)| (far, near));
        self.table == from && flipped.eq(of.pairs.iter().map(|(near, far)| (near, far)))
    }

    /// Identifies the join among those of a table.
    fn key(&self) -> String {
        let pairs: Vec<String> = self.pairs.iter().map(|(near, far)| format!("{near}={far}")).collect();
        format!("\n{}\t{}", self.table, pairs.join("\t"))
    }
}

/// A table whose joins are being listed.
struct JoinNode<'a> {
    /// `schema.table`.
    table: &'a str,
    joins: &'a [Join],
    /// The join that leads here, and the table it comes from.
    by: Option<(&'a Join, &'a str)>,
    way: String,
    level: usize,
    open: u32,
}

impl DatabasesView {
    /// Stores the joins of the page that was read; `None` if the page cannot be read.
    pub fn cache_joins(&mut self, path: &str, doc: Option<&TableDoc>) {
        let tree = &mut self.tree;
        if tree.known.len() >= MAX_CACHED_TABLES {
            tree.known.clear();
        }
        tree.known.insert(path.to_owned(), (doc.map(joins), self.answers));
        if tree.awaited.as_deref() == Some(path) {
            tree.awaited = None;
        }
        self.grow_joins();
    }

    /// Records that this page was requested, in place of any other awaited page.
    pub fn await_joins(&mut self, path: &str) {
        self.tree.awaited = Some(path.to_owned());
    }

    /// The next page to request: joins of an open row that are unknown or outdated. `None` while a request is pending.
    pub fn unknown_joins(&self) -> Option<String> {
        if self.tree.awaited.is_some() {
            return None;
        }
        let open = self.tree.rows.iter().filter(|row| self.tree.open.contains(&row.way));
        let mut pages = open.filter_map(|row| self.page_of_table(&row.join.table));
        let is_new = |page: &&str| self.tree.known.get(*page).is_none_or(|(_, at)| *at != self.answers);
        pages.find(is_new).map(str::to_owned)
    }

    /// Rebuilds the rows. The cursor stays on its join, or moves to the requested one.
    pub fn grow_joins(&mut self) {
        let stay = self.tree.stay.clone().or_else(|| Some(self.tree.rows.get(self.join.at)?.way.clone()));
        let mut rows = Vec::new();
        if let (Some(table), Some(path)) = (self.table(), self.page_path())
            && let Some((Some(joins), _)) = self.tree.known.get(path)
        {
            let table = table.name.full();
            let root = JoinNode { table: &table, joins, by: None, way: self.join_path_to(&table), level: 1, open: 0 };
            self.branch(&root, &mut vec![&table], &mut rows);
        }
        self.tree.rows = rows;
        let at = stay.and_then(|stay| self.tree.rows.iter().position(|row| row.way == stay));
        self.join.at = at.unwrap_or(self.join.at);
        if !self.tree.rows.is_empty() {
            self.tree.stay = None;
        }
    }

    /// Adds the joins of a table, and recursively those below open joins.
    fn branch<'a>(&'a self, of: &JoinNode<'a>, above: &mut Vec<&'a str>, rows: &mut Vec<JoinRow>) {
        let others = |join: &&Join| !of.by.is_some_and(|(by, from)| join.is_back(by, from));
        let mut joins = of.joins.iter().filter(others).peekable();
        while let Some(join) = joins.next() {
            let way = format!("{}{}", of.way, join.key());
            let (end, below) = self.end(join, of, &way, above);
            let open = of.open | u32::from(joins.peek().is_some()) << (of.level - 1).min(31);
            rows.push(JoinRow {
                from: of.table.to_owned(),
                join: join.clone(),
                level: of.level,
                open,
                end,
                way: way.clone(),
            });
            if end == JoinEnd::Open {
                let by = Some((join, of.table));
                let level = of.level + 1;
                above.push(&join.table);
                self.branch(&JoinNode { table: &join.table, joins: below, by, way, level, open }, above, rows);
                above.pop();
            }
        }
    }

    /// What follows below a join, and the joins of its table if they are known.
    fn end<'a>(&'a self, join: &Join, of: &JoinNode, way: &str, above: &[&str]) -> (JoinEnd, &'a [Join]) {
        let end = |end| (end, &[][..]);
        if above.contains(&join.table.as_str()) {
            return end(JoinEnd::Cycle);
        }
        let Some(page) = self.page_of_table(&join.table) else { return end(JoinEnd::Undocumented) };
        let is_open = self.tree.open.contains(way);
        match self.tree.known.get(page) {
            None if is_open => end(JoinEnd::Reading),
            Some((None, _)) => end(JoinEnd::Unreadable),
            Some((Some(joins), _)) if joins.iter().all(|it| it.is_back(join, of.table)) => end(JoinEnd::Last),
            _ if of.level >= LEVELS => end(JoinEnd::Deep),
            Some((Some(joins), _)) if is_open => (JoinEnd::Open, joins),
            _ => end(JoinEnd::Closed),
        }
    }

    fn join_path_to(&self, table: &str) -> String {
        let database = self.row().and_then(|row| self.database(row)).map(|database| database.name.as_str());
        format!("{}\t{table}", database.unwrap_or_default())
    }

    /// Opens the join under the cursor; if it is already open, moves to the first join below it.
    pub fn open_join(&mut self) {
        let Some(row) = self.current_row() else { return };
        match row.end {
            JoinEnd::Closed => {
                let way = row.way.clone();
                self.tree.open.insert(way);
                // Request the page again, in case the answer was lost.
                self.tree.awaited = None;
                self.grow_joins();
            }
            JoinEnd::Open => self.join.at += 1,
            _ => {}
        }
    }

    pub fn toggle_join(&mut self) {
        match self.current_row().map(|row| row.end) {
            Some(JoinEnd::Closed) => self.open_join(),
            Some(JoinEnd::Open | JoinEnd::Reading) => drop(self.close_join()),
            _ => {}
        }
    }

    /// Closes the join under the cursor, or moves to its parent. Returns whether it did either.
    pub fn close_join(&mut self) -> bool {
        let Some(row) = self.current_row() else { return false };
        if matches!(row.end, JoinEnd::Open | JoinEnd::Reading) {
            let way = row.way.clone();
            self.tree.open.remove(&way);
            self.grow_joins();
            return true;
        }
        let level = row.level;
        let before = self.tree.rows.get(..self.join.at).unwrap_or_default();
        let Some(above) = before.iter().rposition(|row| row.level < level) else { return false };
        self.join.at = above;
        true
    }

    pub fn current_row(&self) -> Option<&JoinRow> {
        self.tree.rows.get(self.join.at).filter(|_| self.in_joins())
    }

    /// The path of the join under the cursor, to return to.
    pub fn way(&self) -> Option<String> {
        self.current_row().map(|row| row.way.clone())
    }

    /// The number of joins of the table itself.
    pub fn own_joins(&self) -> usize {
        self.tree.rows.iter().filter(|row| row.level == 1).count()
    }
}
