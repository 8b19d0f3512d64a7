//! How a database differs from its pages, by what the pages for programs say.

use std::collections::BTreeMap;

use serde::Serialize;

use super::table_doc::{ColumnDoc, DescriptionSource, TableDoc};

/// A difference.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Difference {
    /// The table, `schema.table`.
    pub table: String,
    /// What kind of difference.
    pub kind: DifferenceKind,
    /// The column or the key, if it is about one.
    pub about: Option<String>,
    /// What it was, and what it is, in words.
    pub detail: String,
}

/// What kind of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DifferenceKind {
    /// A table has no page.
    TableAdded,
    /// A page has no table.
    TableRemoved,
    /// A column is new.
    ColumnAdded,
    /// A column is gone.
    ColumnRemoved,
    /// A column has another type, or may be null now or no longer.
    TypeChanged,
    /// A key is new.
    KeyAdded,
    /// A key is gone.
    KeyRemoved,
    /// A comment is new.
    CommentAdded,
    /// A comment is gone.
    CommentRemoved,
    /// A comment says something else.
    CommentChanged,
}

impl DifferenceKind {
    /// The kind, for people.
    pub fn words(self) -> &'static str {
        match self {
            Self::TableAdded => "new table",
            Self::TableRemoved => "table is gone",
            Self::ColumnAdded => "new column",
            Self::ColumnRemoved => "column is gone",
            Self::TypeChanged => "type changed",
            Self::KeyAdded => "new key",
            Self::KeyRemoved => "key is gone",
            Self::CommentAdded => "new comment",
            Self::CommentRemoved => "comment is gone",
            Self::CommentChanged => "comment changed",
        }
    }
}

/// The differences between what pages say and what the database says now.
pub fn diff(pages: &[TableDoc], now: &[TableDoc]) -> Vec<Difference> {
    let by_name = |docs: &'_ [TableDoc]| -> BTreeMap<String, TableDoc> {
        docs.iter().map(|doc| (doc.fully_qualified_name.clone(), doc.clone())).collect()
    };
    let (before, after) = (by_name(pages), by_name(now));
    let mut found = Vec::new();
    let whole = |doc: &TableDoc, kind: DifferenceKind| Difference {
        table: doc.fully_qualified_name.clone(),
        kind,
        about: None,
        detail: format!("{} with {} columns", doc.kind.word(), doc.columns.len()),
    };
    for (name, doc) in &after {
        match before.get(name) {
            None => found.push(whole(doc, DifferenceKind::TableAdded)),
            Some(old) => compare(old, doc, &mut found),
        }
    }
    let gone = before.iter().filter(|(name, _)| !after.contains_key(*name));
    found.extend(gone.map(|(_, doc)| whole(doc, DifferenceKind::TableRemoved)));
    found.sort();
    found
}

fn compare(before: &TableDoc, after: &TableDoc, found: &mut Vec<Difference>) {
    let mut note = |kind: DifferenceKind, about: Option<&str>, detail: String| {
        let table = after.fully_qualified_name.clone();
        found.push(Difference { table, kind, about: about.map(str::to_owned), detail });
    };
    let named = |docs: &'_ [ColumnDoc]| -> BTreeMap<String, ColumnDoc> {
        docs.iter().map(|column| (column.name.clone(), column.clone())).collect()
    };
    let (old, new) = (named(&before.columns), named(&after.columns));
    for (name, column) in &new {
        let Some(was) = old.get(name) else {
            note(DifferenceKind::ColumnAdded, Some(name), shape(column));
            continue;
        };
        if (&was.data_type, was.nullable) != (&column.data_type, column.nullable) {
            note(DifferenceKind::TypeChanged, Some(name), format!("{} is now {}", shape(was), shape(column)));
        }
        let comments = (comment(was.source, &was.description), comment(column.source, &column.description));
        if let Some(kind) = comment_kind(was.source, column.source, comments) {
            note(kind, Some(name), comments.1.unwrap_or_default().to_owned());
        }
    }
    for (name, column) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        note(DifferenceKind::ColumnRemoved, Some(name), shape(column));
    }
    let comments = (comment(before.source, &before.description), comment(after.source, &after.description));
    if let Some(kind) = comment_kind(before.source, after.source, comments) {
        note(kind, None, comments.1.unwrap_or_default().to_owned());
    }
    let (old, new) = (keys(before), keys(after));
    new.iter().filter(|key| !old.contains(key)).for_each(|key| note(DifferenceKind::KeyAdded, None, key.clone()));
    old.iter().filter(|key| !new.contains(key)).for_each(|key| note(DifferenceKind::KeyRemoved, None, key.clone()));
}

fn shape(column: &ColumnDoc) -> String {
    let data_type = if column.data_type.is_empty() { "no type" } else { &column.data_type };
    format!("{data_type}{}", if column.nullable { "" } else { " not null" })
}

fn comment(source: DescriptionSource, text: &str) -> Option<&str> {
    (source == DescriptionSource::Comment).then_some(text)
}

/// A note hides the comment below it, of which nothing is known then.
fn comment_kind(
    before: DescriptionSource,
    after: DescriptionSource,
    comments: (Option<&str>, Option<&str>),
) -> Option<DifferenceKind> {
    if [before, after].contains(&DescriptionSource::Note) {
        return None;
    }
    match comments {
        (None, Some(_)) => Some(DifferenceKind::CommentAdded),
        (Some(_), None) => Some(DifferenceKind::CommentRemoved),
        (Some(one), Some(other)) if one != other => Some(DifferenceKind::CommentChanged),
        _ => None,
    }
}

/// Every key in words.
fn keys(doc: &TableDoc) -> Vec<String> {
    let primary = (!doc.primary_key.is_empty()).then(|| format!("primary key ({})", doc.primary_key.join(", ")));
    let unique = doc.unique.iter().map(|columns| format!("unique ({})", columns.join(", ")));
    let foreign = doc.foreign_keys.iter().map(|key| {
        let (from, to) = (key.columns.join(", "), key.referenced_columns.join(", "));
        format!("({from}) refers to {} ({to})", key.referenced_table)
    });
    primary.into_iter().chain(unique).chain(foreign).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::table_doc::ForeignKeyDoc;

    fn doc(name: &str, columns: &[(&str, &str, Option<&str>)]) -> TableDoc {
        let column = |(name, data_type, comment): &(&str, &str, Option<&str>)| ColumnDoc {
            name: (*name).into(),
            data_type: (*data_type).into(),
            description: comment.unwrap_or("by rule").into(),
            source: if comment.is_some() { DescriptionSource::Comment } else { DescriptionSource::Fallback },
            ..ColumnDoc::default()
        };
        TableDoc {
            fully_qualified_name: name.into(),
            columns: columns.iter().map(column).collect(),
            ..TableDoc::default()
        }
    }

    #[test]
    fn each_kind_of_difference_is_told() {
        let before =
            [doc("s.a", &[("x", "INT", None), ("y", "INT", Some("old")), ("gone", "INT", None)]), doc("s.b", &[])];
        let mut changed = doc("s.a", &[("x", "TEXT", Some("new")), ("y", "INT", Some("other")), ("z", "INT", None)]);
        changed.primary_key = vec!["x".into()];
        changed.foreign_keys = vec![ForeignKeyDoc {
            columns: vec!["y".into()],
            referenced_table: "s.c".into(),
            referenced_columns: vec!["id".into()],
            ..ForeignKeyDoc::default()
        }];
        let after = [changed, doc("s.c", &[])];
        let found: Vec<String> = diff(&before, &after)
            .iter()
            .map(|it| format!("{} {} {}: {}", it.table, it.kind.words(), it.about.as_deref().unwrap_or("-"), it.detail))
            .collect();
        let expected = [
            "s.a new column z: INT not null",
            "s.a column is gone gone: INT not null",
            "s.a type changed x: INT not null is now TEXT not null",
            "s.a new key -: (y) refers to s.c (id)",
            "s.a new key -: primary key (x)",
            "s.a new comment x: new",
            "s.a comment changed y: other",
            "s.b table is gone -: table with 0 columns",
            "s.c new table -: table with 0 columns",
        ];
        assert_eq!(found, expected);
        assert_eq!(diff(&after, &after), []);
    }
}
