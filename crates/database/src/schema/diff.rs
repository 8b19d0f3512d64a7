//! How a database differs from its pages. A table's definition has a hash, computed now and when its page was written.
//! If both are equal, the table did not change, whatever else a new page would contain. Otherwise, the JSON pages show
//! what changed.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use super::table_doc::{ColumnDoc, DescriptionSource, ForeignKeyDoc, IndexDoc, TableDoc, sensitive_names};
use crate::sensitive::literals;

/// A table as its pages describe it, or as it is in the database now.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TableSide {
    /// `schema.table`.
    pub name: String,
    /// The hash of its definition; `None` if the page does not contain it.
    pub metadata_hash: Option<String>,
    /// The JSON page; `None` if it cannot be read.
    pub doc: Option<TableDoc>,
    /// The state of the page for people.
    pub page: PageFileState,
    /// The state of the JSON page.
    pub data: PageFileState,
}

/// The state of a page's file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PageFileState {
    /// It is as refdesk wrote it.
    #[default]
    Written,
    /// A person edited it.
    Edited,
    /// It does not exist.
    Missing,
}

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// The table, `schema.table`.
    pub table: String,
    /// The kind of difference.
    pub kind: DifferenceKind,
    /// The column, index or constraint, if it concerns one.
    pub about: Option<String>,
    /// The old and the new state, for people.
    pub detail: String,
}

/// The kind of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A table has no page.
    TableAdded,
    /// A page has no table.
    TableRemoved,
    /// A table's page for people is missing.
    PageMissing,
    /// The page does not contain the hash of its definition.
    DefinitionUnknown,
    /// A table became a view, or the other way round.
    KindChanged,
    /// A column is new.
    ColumnAdded,
    /// A column is gone.
    ColumnRemoved,
    /// The same columns are in another order.
    OrderChanged,
    /// A column has another type, or its nullability changed.
    TypeChanged,
    /// A column has another default.
    DefaultChanged,
    /// A column may have other values.
    LabelsChanged,
    /// A key is new.
    KeyAdded,
    /// A key is gone.
    KeyRemoved,
    /// A check is new.
    CheckAdded,
    /// A check is gone.
    CheckRemoved,
    /// An index is new.
    IndexAdded,
    /// An index is gone.
    IndexRemoved,
    /// A comment is new.
    CommentAdded,
    /// A comment is gone.
    CommentRemoved,
    /// A comment says something else.
    CommentChanged,
    /// Something changed that pages do not show, or the JSON page that would show it was altered.
    DefinitionChanged,
    /// The page for people was edited and stays as it was before the definition changed.
    EditedPageStale,
}

impl DifferenceKind {
    /// The kind in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::TableAdded => "new table",
            Self::TableRemoved => "table is gone or left out",
            Self::PageMissing => "no page",
            Self::DefinitionUnknown => "may have changed",
            Self::KindChanged => "kind changed",
            Self::ColumnAdded => "new column",
            Self::ColumnRemoved => "column is gone",
            Self::OrderChanged => "order of columns changed",
            Self::TypeChanged => "type changed",
            Self::DefaultChanged => "default changed",
            Self::LabelsChanged => "values changed",
            Self::KeyAdded => "new key",
            Self::KeyRemoved => "key is gone",
            Self::CheckAdded => "new check",
            Self::CheckRemoved => "check is gone",
            Self::IndexAdded => "new index",
            Self::IndexRemoved => "index is gone",
            Self::CommentAdded => "new comment",
            Self::CommentRemoved => "comment is gone",
            Self::CommentChanged => "comment changed",
            Self::DefinitionChanged => "definition changed",
            Self::EditedPageStale => "edited page is stale",
        }
    }
}

/// Whether a table changed after its page was written. This is the only definition of "stale".
pub fn is_stale(of_page: Option<&str>, now: Option<&str>) -> bool {
    of_page.zip(now).is_some_and(|(of_page, now)| of_page != now)
}

/// The differences between the pages and the database as it is now: at least one for each stale table, and none for an
/// unchanged table.
pub fn diff(pages: &[TableSide], now: &[TableSide]) -> Vec<Difference> {
    let before: BTreeMap<&str, &TableSide> = pages.iter().map(|side| (side.name.as_str(), side)).collect();
    let after: BTreeSet<&str> = now.iter().map(|side| side.name.as_str()).collect();
    let mut found = Vec::new();
    for side in now {
        match before.get(side.name.as_str()) {
            None => found.push(whole(side, DifferenceKind::TableAdded)),
            Some(old) => compare(old, side, &mut found),
        }
    }
    let gone = pages.iter().filter(|side| !after.contains(side.name.as_str()));
    found.extend(gone.map(|side| whole(side, DifferenceKind::TableRemoved)));
    found.sort();
    found
}

fn whole(side: &TableSide, kind: DifferenceKind) -> Difference {
    let detail = side.doc.as_ref().map_or_else(String::new, |doc| {
        format!("{} with {}", doc.kind.word(), refdesk_text::tokens::counted(doc.columns.len(), "column"))
    });
    Difference { table: side.name.clone(), kind, about: None, detail }
}

fn compare(before: &TableSide, after: &TableSide, found: &mut Vec<Difference>) {
    let mut differences = Differences { table: &after.name, found };
    if before.metadata_hash.is_none() {
        let (kind, detail) = match before.page {
            PageFileState::Missing => (DifferenceKind::PageMissing, "the page for people is missing"),
            PageFileState::Edited => (
                DifferenceKind::DefinitionUnknown,
                "the page was edited, and no longer says which definition it was written from",
            ),
            PageFileState::Written => {
                (DifferenceKind::DefinitionUnknown, "the page does not say which definition it was written from")
            }
        };
        return differences.note(kind, None, detail.to_owned());
    }
    if !is_stale(before.metadata_hash.as_deref(), after.metadata_hash.as_deref()) {
        return;
    }
    let (Some(old), Some(new), PageFileState::Written) = (&before.doc, &after.doc, before.data) else {
        let why = match before.data {
            PageFileState::Written => "cannot be read",
            PageFileState::Edited => "was edited",
            PageFileState::Missing => "is missing",
        };
        let detail = format!("what changed is unknown, because the JSON page {why}");
        return differences.note(DifferenceKind::DefinitionChanged, None, detail);
    };
    let known = differences.found.len();
    differences.of_table(old, new);
    differences.of_columns(old, new);
    differences.of_constraints(old, new);
    if differences.found.len() == known && before.page == PageFileState::Edited {
        let detail = "the edited page is from before the definition changed".to_owned();
        differences.note(DifferenceKind::EditedPageStale, None, detail);
    } else if differences.found.len() == known && is_other_view(old, new) {
        let detail = changed(&format!("\"{}\"", old.description), &format!("\"{}\"", new.description));
        differences.note(DifferenceKind::DefinitionChanged, None, detail);
    } else if differences.found.len() == known {
        let detail = "in something that pages do not show, such as a collation, the name of a key or a check on a sensitive column";
        differences.note(DifferenceKind::DefinitionChanged, None, detail.to_owned());
    }
}

/// Whether a view reads other tables, which only its description says.
fn is_other_view(old: &TableDoc, new: &TableDoc) -> bool {
    let is_by_rule = [old, new].iter().all(|doc| doc.source == DescriptionSource::Fallback);
    new.kind.is_view() && is_by_rule && old.description != new.description
}

/// A key, check or index, as an optional name and a description.
type Named = (Option<String>, String);

/// Collects the differences of one table.
struct Differences<'f> {
    table: &'f str,
    found: &'f mut Vec<Difference>,
}

impl Differences<'_> {
    fn note(&mut self, kind: DifferenceKind, about: Option<&str>, detail: String) {
        let (table, about) = (self.table.to_owned(), about.map(str::to_owned));
        self.found.push(Difference { table, kind, about, detail });
    }

    fn of_table(&mut self, old: &TableDoc, new: &TableDoc) {
        if old.kind != new.kind {
            self.note(DifferenceKind::KindChanged, None, changed(old.kind.word(), new.kind.word()));
        }
        let partitions = |doc: &TableDoc| doc.partitioned_by.clone().unwrap_or_else(|| "none".to_owned());
        if old.partitioned_by != new.partitioned_by {
            let detail = format!("partitions: {}", changed(&partitions(old), &partitions(new)));
            self.note(DifferenceKind::DefinitionChanged, None, detail);
        }
        if old.row_security != new.row_security {
            let now = if new.row_security { "on" } else { "off" };
            self.note(DifferenceKind::DefinitionChanged, None, format!("row security is now {now}"));
        }
        self.comment(None, (old.source, &old.description), (new.source, &new.description));
        let names: BTreeSet<&String> = old.constraint_comments.keys().chain(new.constraint_comments.keys()).collect();
        for name in names {
            let (was, is) = (old.constraint_comments.get(name), new.constraint_comments.get(name));
            let Some(kind) = comment_kind((was.map(String::as_str), is.map(String::as_str))) else { continue };
            self.note(kind, Some(name), is.cloned().unwrap_or_default());
        }
    }

    fn of_columns(&mut self, before: &TableDoc, after: &TableDoc) {
        let named = |doc: &'_ TableDoc| -> BTreeMap<String, ColumnDoc> {
            doc.columns.iter().map(|column| (column.name.clone(), column.clone())).collect()
        };
        let (old, new) = (named(before), named(after));
        for (name, column) in &new {
            match old.get(name) {
                None => self.note(DifferenceKind::ColumnAdded, Some(name), shape(column)),
                Some(was) => self.of_column(was, column),
            }
        }
        for (name, column) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
            self.note(DifferenceKind::ColumnRemoved, Some(name), shape(column));
        }
        let order = |doc: &TableDoc| -> Vec<String> {
            let names = doc.columns.iter().map(|column| column.name.clone());
            names.filter(|name| old.contains_key(name) && new.contains_key(name)).collect()
        };
        if order(before) != order(after) {
            self.note(DifferenceKind::OrderChanged, None, order(after).join(", "));
        }
    }

    fn of_column(&mut self, old: &ColumnDoc, new: &ColumnDoc) {
        let name = Some(new.name.as_str());
        if (&old.data_type, old.nullable) != (&new.data_type, new.nullable) {
            self.note(DifferenceKind::TypeChanged, name, changed(&shape(old), &shape(new)));
        }
        self.comment(name, (old.source, &old.description), (new.source, &new.description));
        // Neither is shown for a sensitive column: a page from before the column was sensitive may still quote a value.
        if old.sensitive.is_some() || new.sensitive.is_some() {
            return;
        }
        if old.default != new.default {
            let shown = |column: &ColumnDoc| match column.default.as_deref() {
                None => "none".to_owned(),
                Some(default) => literals::check(default, &[]),
            };
            self.note(DifferenceKind::DefaultChanged, name, changed(&shown(old), &shown(new)));
        }
        if old.labels != new.labels {
            let shown = |column: &ColumnDoc| match column.labels.as_slice() {
                [] => "any".to_owned(),
                labels => literals::check(&labels.join(", "), &[]),
            };
            self.note(DifferenceKind::LabelsChanged, name, changed(&shown(old), &shown(new)));
        }
    }

    fn of_constraints(&mut self, old: &TableDoc, new: &TableDoc) {
        let keys = (keys(old), keys(new));
        self.lists(keys, DifferenceKind::KeyRemoved, DifferenceKind::KeyAdded);
        // Uses the current sensitivity: an earlier page may quote values that are no longer shown.
        let sensitive = sensitive_names(&new.columns);
        let checks = |doc: &TableDoc| -> Vec<Named> {
            let all = doc.checks.iter().chain(&doc.exclusions);
            all.map(|check| (None, literals::check(check, &sensitive))).collect()
        };
        let checks = (checks(old), checks(new));
        self.lists(checks, DifferenceKind::CheckRemoved, DifferenceKind::CheckAdded);
        let indexes = |doc: &TableDoc| -> Vec<Named> { doc.indexes.iter().map(index).collect() };
        let indexes = (indexes(old), indexes(new));
        self.lists(indexes, DifferenceKind::IndexRemoved, DifferenceKind::IndexAdded);
    }

    /// What is in only one of two lists.
    fn lists(&mut self, (old, new): (Vec<Named>, Vec<Named>), removed: DifferenceKind, added: DifferenceKind) {
        for (about, detail) in new.iter().filter(|it| !old.contains(it)) {
            self.note(added, about.as_deref(), detail.clone());
        }
        for (about, detail) in old.iter().filter(|it| !new.contains(it)) {
            self.note(removed, about.as_deref(), detail.clone());
        }
    }

    /// A note hides the comment below it, so that comment is unknown.
    fn comment(&mut self, about: Option<&str>, old: (DescriptionSource, &str), new: (DescriptionSource, &str)) {
        if [old.0, new.0].contains(&DescriptionSource::Note) {
            return;
        }
        let comment = |(source, text): (DescriptionSource, &'_ str)| {
            (source == DescriptionSource::Comment).then(|| text.to_owned())
        };
        let (old, new) = (comment(old), comment(new));
        if let Some(kind) = comment_kind((old.as_deref(), new.as_deref())) {
            self.note(kind, about, new.unwrap_or_default());
        }
    }
}

fn changed(old: &str, new: &str) -> String {
    format!("{old} is now {new}")
}

fn shape(column: &ColumnDoc) -> String {
    let data_type = if column.data_type.is_empty() { "no type" } else { &column.data_type };
    format!("{data_type}{}", if column.nullable { "" } else { " not null" })
}

fn comment_kind(comments: (Option<&str>, Option<&str>)) -> Option<DifferenceKind> {
    match comments {
        (None, Some(_)) => Some(DifferenceKind::CommentAdded),
        (Some(_), None) => Some(DifferenceKind::CommentRemoved),
        (Some(one), Some(other)) if one != other => Some(DifferenceKind::CommentChanged),
        _ => None,
    }
}

/// Every key in words.
fn keys(doc: &TableDoc) -> Vec<Named> {
    let primary = (!doc.primary_key.is_empty()).then(|| format!("primary key ({})", doc.primary_key.join(", ")));
    let unique = doc.unique.iter().map(|columns| format!("unique ({})", columns.join(", ")));
    let foreign = doc.foreign_keys.iter().map(foreign_key);
    primary.into_iter().chain(unique).chain(foreign).map(|words| (None, words)).collect()
}

fn foreign_key(key: &ForeignKeyDoc) -> String {
    let (from, to) = (key.columns.join(", "), key.referenced_columns.join(", "));
    let on_delete = match key.on_delete.as_str() {
        "" | "no action" => String::new(),
        action => format!(", on delete {action}"),
    };
    format!("({from}) refers to {} ({to}){on_delete}", key.referenced_table)
}

fn index(index: &IndexDoc) -> Named {
    let space = if index.kind().is_empty() { "" } else { " " };
    (Some(index.name.clone()), format!("{}{space}({})", index.kind(), index.columns.join(", ")))
}

#[cfg(test)]
mod tests;
