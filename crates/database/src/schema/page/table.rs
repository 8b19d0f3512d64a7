//! The pages of a table.

use super::{GENERATOR, PAGE_BYTES, Page, PageKind, PageSet, PageTable, front_matter};
use crate::schema::describe::{ASSIGNED, says_all};
use crate::schema::markup::{code, prose, target};
use crate::schema::table_doc::{ColumnDoc, DescriptionSource, IndexDoc, JoinSource, ReferenceDoc, TableDoc};
use crate::snapshot::is_sequence;
use crate::statistics::ColumnStatistics;
use refdesk_text::names::either;
use refdesk_text::shorten::shortened;
use refdesk_text::tokens::{counted, grouped};
use refdesk_text::words::capitalized;

/// Characters of a description in a page that would be too large.
const SHORT: usize = 80;

/// The page for people and the JSON page.
pub(crate) fn pages(page_set: &PageSet<'_>, subject: &PageTable<'_>) -> [Page; 2] {
    let base = format!("{}/tables/{}", page_set.folder(subject.domain), subject.file);
    let page = |ending: &str, (text, is_shortened): (String, bool)| Page {
        path: format!("{base}.{ending}"),
        text,
        kind: PageKind::Table,
        database: page_set.config.name.clone(),
        table: Some(subject.table.table_name()),
        domain: Some(subject.domain.to_owned()),
        is_shortened,
    };
    let within = |print: &dyn Fn(&TableDoc) -> String, print_short: &dyn Fn(&TableDoc) -> String| {
        let text = print(subject.doc);
        if text.len() <= PAGE_BYTES { (text, false) } else { (print_short(&short(subject.doc)), true) }
    };
    let in_words = |doc: &TableDoc| markdown(page_set, subject, doc);
    [page("md", within(&in_words, &in_words)), page("json", within(&TableDoc::json, &TableDoc::compact_json))]
}

/// The table with short descriptions and without its longest parts.
fn short(doc: &TableDoc) -> TableDoc {
    let column = |column: &ColumnDoc| ColumnDoc {
        description: shortened(column.description.clone(), SHORT),
        default: column.default.clone().map(|default| shortened(default, SHORT)),
        labels: column.labels.iter().take(20).map(|label| shortened(label.clone(), SHORT)).collect(),
        statistics: None,
        ..column.clone()
    };
    let conditions =
        |all: &[String]| all.iter().take(20).map(|check| shortened(check.clone(), SHORT)).collect::<Vec<_>>();
    let (checks, exclusions) = (conditions(&doc.checks), conditions(&doc.exclusions));
    let indexes = doc.indexes.iter().take(50).cloned().collect();
    let reference = |it: &ReferenceDoc| ReferenceDoc { because: shortened(it.because.clone(), SHORT), ..it.clone() };
    let referenced_by = doc.referenced_by.iter().take(500).map(reference).collect();
    TableDoc {
        columns: doc.columns.iter().map(column).collect(),
        checks,
        exclusions,
        indexes,
        referenced_by,
        ..doc.clone()
    }
}

fn markdown(page_set: &PageSet<'_>, subject: &PageTable<'_>, doc: &TableDoc) -> String {
    let PageTable { table, domain, .. } = subject;
    let mut text = front_matter(&[
        ("id", &page_set.ids.table(&page_set.config.name, &table.table_name())),
        ("database", &page_set.config.name),
        ("schema", &table.schema),
        ("table", &table.name),
        ("kind", table.kind.word()),
        ("domain", domain),
        ("metadata_hash", &table.metadata_hash()),
        ("generated", GENERATOR),
    ]);
    text.push_str(&format!("# {}\n\n{}\n", prose(&doc.fully_qualified_name), prose(&doc.description)));
    let rows = |rows: u64| format!("About {}. ", counted(usize::try_from(rows).unwrap_or(usize::MAX), "row"));
    let rows = doc.row_count_approx.map_or_else(String::new, rows);
    text.push_str(&format!("\n{rows}{}\n", origin(doc)));
    if table.is_unreadable {
        text.push_str("\nIts rows cannot be read with this connection; this page is based only on the catalog.\n");
    }
    if let Some(key) = &doc.partitioned_by {
        text.push_str(&format!("\nPartitioned by {}.\n", code(key)));
    }
    if doc.row_security {
        text.push_str("\nRow security is on: policies decide which rows a role sees and changes.\n");
    }
    text.push_str(&columns(doc));
    text.push_str(&keys(doc));
    text.push_str(&joins(page_set, subject, doc));
    text.push_str(&rest(doc));
    text
}

/// The origin of the description, so that readers know how far to trust it.
fn origin(doc: &TableDoc) -> String {
    let of = |source: DescriptionSource| doc.columns.iter().filter(|column| column.source == source).count();
    let table = match doc.source {
        DescriptionSource::Note => "Described in a note",
        DescriptionSource::Comment => "Described by the comment in the database",
        DescriptionSource::Model => "Described by a language model",
        DescriptionSource::Fallback => "Described from its names and keys",
    };
    let parts: Vec<String> = [
        (DescriptionSource::Note, "has a note", "have notes"),
        (DescriptionSource::Comment, "has a comment in the database", "have comments in the database"),
        (DescriptionSource::Model, "is described by a language model", "are described by a language model"),
    ]
    .iter()
    .map(|(source, one, many)| (of(*source), one, many))
    .filter(|(count, ..)| *count > 0)
    .enumerate()
    .map(|(at, (count, one, many))| {
        let words = if count == 1 { one } else { many };
        match at {
            0 => format!("; {count} of its {} {words}", counted(doc.columns.len(), "column")),
            _ => format!(", {count} {words}"),
        }
    })
    .collect();
    format!("{table}{}.", parts.concat())
}

fn columns(doc: &TableDoc) -> String {
    if doc.columns.is_empty() {
        return String::new();
    }
    let has_values = doc.columns.iter().any(|column| column.statistics.is_some() || column.sensitive.is_some());
    let mut text = String::from("\n## Columns\n\n| column | type | null | what it is |");
    text.push_str(if has_values {
        " values |\n| --- | --- | --- | --- | --- |\n"
    } else {
        "\n| --- | --- | --- | --- |\n"
    });
    for column in &doc.columns {
        let base = column.base_type.as_ref().map_or_else(String::new, |base| format!(" ({})", code(base)));
        let data_type =
            if column.data_type.is_empty() { String::new() } else { format!("{}{base}", code(&column.data_type)) };
        let are_told = column.source == DescriptionSource::Fallback && says_all(&column.description, &column.labels);
        let lists_labels = !column.labels.is_empty() && !are_told;
        let mut what = prose(&column.description);
        // A comment may lack the full stop.
        let ends = column.description.trim_end().ends_with(['.', '!', '?', ':', ';', '…', '。']);
        // What a sequence assigns is no value that a statement should pass.
        let (default, assigned) = match column.default.as_deref() {
            Some(default) if is_sequence(default) => (None, !what.contains(ASSIGNED)),
            default => (default, false),
        };
        if (default.is_some() || assigned || lists_labels) && !what.is_empty() && !ends {
            what.push('.');
        }
        if assigned {
            what.push_str(&format!(" {}.", capitalized(ASSIGNED)));
        }
        if let Some(default) = default {
            what.push_str(&format!(" Default {}.", code(default)));
        }
        if lists_labels {
            let labels: Vec<String> = column.labels.iter().map(|label| code(label)).collect();
            what.push_str(&format!(" One of {}.", either(&labels)));
        }
        let null = if column.nullable { "yes" } else { "no" };
        let values = if has_values { format!(" {} |", values(doc, column)) } else { String::new() };
        text.push_str(&format!("| {} | {data_type} | {null} | {what} |{values}\n", code(&column.name)));
    }
    let sampled = doc.columns.iter().filter_map(|column| column.statistics.as_ref()?.sampled_rows).max();
    if let Some(rows) = sampled {
        text.push_str(&format!(
            "\nThe values column describes a sample of {} rows, not the whole table.\n",
            grouped(rows)
        ));
    }
    text
}

/// Describes a column's values.
fn values(doc: &TableDoc, column: &ColumnDoc) -> String {
    let mut parts = Vec::new();
    if let Some(rule) = &column.sensitive {
        parts.push(format!("sensitive ({})", prose(rule)));
    }
    if let Some(statistics) = &column.statistics {
        let ColumnStatistics { null_percent, distinct, years, shapes, few_values, sampled_rows, .. } = statistics;
        // The share is rounded, for a sensitive column to 5%.
        let is_certain = column.sensitive.is_none() && distinct.is_none();
        parts.extend(null_percent.filter(|percent| *percent > 0).map(|percent| match percent {
            100 if is_certain && sampled_rows.is_some() => "always null in the sample".to_owned(),
            100 if is_certain => "always null".to_owned(),
            100 => "almost always null".to_owned(),
            percent => format!("{percent}% null"),
        }));
        parts.extend(distinct.map(|distinct| {
            // Larger numbers have two digits that count.
            let about = if distinct < 100 { "" } else { "about " };
            format!("{about}{}", counted(usize::try_from(distinct).unwrap_or(usize::MAX), "distinct value"))
        }));
        // A count says the same.
        parts.extend((*few_values && distinct.is_none()).then(|| "few values".to_owned()));
        parts.extend(years.map(|(from, to)| if from == to { from.to_string() } else { format!("{from} to {to}") }));
        // The magnitude of numbers that only identify rows is meaningless.
        parts.extend((!is_key(doc, column)).then(|| range(statistics)).flatten());
        if !shapes.is_empty() {
            let shapes: Vec<String> = shapes.iter().map(|shape| code(shape)).collect();
            parts.push(format!("like {}", shapes.join(", ")));
        }
    }
    parts.join("; ")
}

/// Whether the column is part of the primary key or of a foreign key.
fn is_key(doc: &TableDoc, column: &ColumnDoc) -> bool {
    doc.primary_key.contains(&column.name) || doc.foreign_keys.iter().any(|key| key.columns.contains(&column.name))
}

/// The powers of ten, or the zero, between which the numbers lie.
fn range(statistics: &ColumnStatistics) -> Option<String> {
    let ColumnStatistics { magnitude: positive, negative_magnitude: negative, has_zero, .. } = statistics;
    let beyond = |(_, most): (i16, i16)| power_of_ten(most.saturating_add(1));
    let nearest = |(least, _): (i16, i16)| if *has_zero { "0".to_owned() } else { power_of_ten(least) };
    let negated = |number: String| if number == "0" { number } else { format!("-{number}") };
    let from = negative.map(beyond).map(negated).or_else(|| positive.map(nearest))?;
    let to = positive.map(beyond).or_else(|| negative.map(nearest).map(negated))?;
    Some(format!("{from} to {to}"))
}

/// `0.01`, `1,000`, `10^12`.
fn power_of_ten(exponent: i16) -> String {
    match exponent {
        0..=9 => grouped(10u64.pow(u32::from(exponent.unsigned_abs()))),
        -6..=-1 => format!("0.{}1", "0".repeat(usize::from(exponent.unsigned_abs()) - 1)),
        _ => format!("10^{exponent}"),
    }
}

fn keys(doc: &TableDoc) -> String {
    let mut lines = Vec::new();
    if !doc.primary_key.is_empty() {
        lines.push(format!("- primary key: {}", names(&doc.primary_key)));
    }
    lines.extend(doc.unique.iter().map(|columns| format!("- unique: {}", names(columns))));
    section("Keys", &lines)
}

fn joins(page_set: &PageSet<'_>, subject: &PageTable<'_>, doc: &TableDoc) -> String {
    let mut lines = Vec::new();
    for key in &doc.foreign_keys {
        let to = place(page_set, subject, &key.referenced_table);
        let what = key.cardinality.replace('_', " ");
        let delete = match key.on_delete.as_str() {
            "" | "no action" => String::new(),
            action => format!(", on delete {}", prose(action)),
        };
        let missing = if key.is_missing { ", which does not exist" } else { "" };
        let (columns, others) = (names(&key.columns), names(&key.referenced_columns));
        lines.push(format!("- {columns} → {to} {others} ({what}{delete}){missing}"));
    }
    for reference in &doc.referenced_by {
        let from = place(page_set, subject, &reference.table);
        let (columns, others) = (names(&reference.referenced_columns), names(&reference.columns));
        lines.push(format!("- {columns} ← {from} {others}{}", in_parentheses(reference)));
    }
    for join in &doc.inferred_joins {
        let to = place(page_set, subject, &join.referenced_table);
        let reason = prose(&join.source.reason(&join.because));
        let (columns, others) = (names(&join.columns), names(&join.referenced_columns));
        let what = join.cardinality.as_ref().map(|what| format!("{}, ", prose(&what.replace('_', " "))));
        lines.push(format!("- {columns} → {to} {others} ({}{reason})", what.unwrap_or_default()));
    }
    section("Joins", &lines)
}

/// ` (inferred)`, or ` (noted)` with its reason; empty for a key.
fn in_parentheses(reference: &ReferenceDoc) -> String {
    match reference.source {
        JoinSource::Key => String::new(),
        source => format!(" ({})", prose(&source.reason(&reference.because))),
    }
}

fn rest(doc: &TableDoc) -> String {
    let checks: Vec<String> = doc.checks.iter().map(|check| format!("- {}", code(check))).collect();
    let index = |index: &IndexDoc| {
        let kind = if index.kind().is_empty() { String::new() } else { format!(" ({})", index.kind()) };
        format!("- {}: {}{kind}", code(&index.name), names(&index.columns))
    };
    let exclusions: Vec<String> = doc.exclusions.iter().map(|it| format!("- {}", code(it))).collect();
    let indexes: Vec<String> = doc.indexes.iter().map(index).collect();
    let line = |(name, comment): (&String, &String)| format!("- {}: {}", code(name), prose(comment));
    let comments: Vec<String> = doc.constraint_comments.iter().map(line).collect();
    let (checks, exclusions) = (section("Checks", &checks), section("Exclusion constraints", &exclusions));
    let indexes = section("Indexes", &indexes);
    format!("{checks}{exclusions}{indexes}{}", section("Comments on constraints", &comments))
}

pub(super) fn section(title: &str, lines: &[String]) -> String {
    if lines.is_empty() { String::new() } else { format!("\n## {title}\n\n{}\n", lines.join("\n")) }
}

pub(super) fn names(columns: &[String]) -> String {
    columns.iter().map(|column| code(column)).collect::<Vec<_>>().join(", ")
}

/// A reference to a table from another table's page: a link within the domain, otherwise only the name with its domain,
/// so that a pick does not pull in the whole schema.
fn place(page_set: &PageSet<'_>, from: &PageTable<'_>, full_name: &str) -> String {
    let shown = code(full_name);
    match page_set.subject(full_name) {
        Some(to) if to.domain == from.domain => format!("[{shown}]({}.md)", target(to.file)),
        Some(to) if page_set.config.cross_links => {
            format!("[{shown}](../../{}/tables/{}.md)", target(to.domain), target(to.file))
        }
        Some(to) => format!("{shown} (domain {})", to.domain),
        None => shown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_of_magnitude_are_shown_as_ranges() {
        for (magnitude, negative_magnitude, has_zero, expected) in [
            (Some((-1, -1)), None, false, "0.1 to 1"),
            (Some((-2, 0)), None, false, "0.01 to 10"),
            (Some((0, 0)), None, false, "1 to 10"),
            (Some((0, 0)), None, true, "0 to 10"),
            (Some((2, 4)), None, false, "100 to 100,000"),
            (Some((308, 308)), None, false, "10^308 to 10^309"),
            (None, Some((0, 2)), false, "-1,000 to -1"),
            (None, Some((0, 2)), true, "-1,000 to 0"),
            (Some((1, 3)), Some((0, 2)), true, "-1,000 to 10,000"),
            (None, None, true, ""),
        ] {
            let statistics =
                Some(ColumnStatistics { magnitude, negative_magnitude, has_zero, ..ColumnStatistics::default() });
            let column = ColumnDoc { statistics, ..ColumnDoc::default() };
            assert_eq!(values(&TableDoc::default(), &column), expected);
        }
    }

    #[test]
    fn an_index_over_some_rows_is_not_unique_among_all() {
        for (unique, is_partial, expected) in [
            (false, false, "- `u`: `a`\n"),
            (true, false, "- `u`: `a` (unique)\n"),
            (true, true, "- `u`: `a` (unique among some rows)\n"),
            (false, true, "- `u`: `a` (some rows)\n"),
        ] {
            let index = IndexDoc { name: "u".into(), columns: vec!["a".into()], unique, is_partial };
            let doc = TableDoc { indexes: vec![index.clone()], ..TableDoc::default() };
            assert!(rest(&doc).ends_with(expected), "{}", rest(&doc));
            assert_eq!(serde_json::from_str::<TableDoc>(&doc.json()).unwrap().indexes, [index]);
        }
    }

    #[test]
    fn a_domain_is_shown_with_its_base_type() {
        for (base_type, expected) in [(None, "| `money` |"), (Some("numeric(10,2)"), "| `money` (`numeric(10,2)`) |")] {
            let base_type = base_type.map(str::to_owned);
            let column = ColumnDoc { data_type: "money".into(), base_type, ..ColumnDoc::default() };
            let text = columns(&TableDoc { columns: vec![column], ..TableDoc::default() });
            assert!(text.contains(expected), "{text}");
        }
    }

    #[test]
    fn a_description_ends_before_the_default() {
        for (description, expected) in [
            ("Amount in cents", "Amount in cents. Default `0`. One of `a` or `b`."),
            ("Amount in cents.", "Amount in cents. Default `0`. One of `a` or `b`."),
            ("Amount (cents)", "Amount (cents). Default `0`. One of `a` or `b`."),
            ("Is it paid?", "Is it paid? Default `0`. One of `a` or `b`."),
        ] {
            let column = ColumnDoc {
                description: description.into(),
                default: Some("0".into()),
                labels: vec!["a".into(), "b".into()],
                source: DescriptionSource::Comment,
                ..ColumnDoc::default()
            };
            let text = columns(&TableDoc { columns: vec![column], ..TableDoc::default() });
            assert!(text.contains(&format!("| {expected} |")), "{text}");
        }
    }

    #[test]
    fn numbers_of_a_sequence_are_assigned() {
        let default = Some("nextval('public.a_id_seq'::regclass)".to_owned());
        for (description, expected) in [
            ("Identifies the a; assigned by the database.", "| Identifies the a; assigned by the database. |"),
            ("The number", "| The number. Assigned by the database. |"),
        ] {
            let column =
                ColumnDoc { default: default.clone(), description: description.into(), ..ColumnDoc::default() };
            let text = columns(&TableDoc { columns: vec![column], ..TableDoc::default() });
            assert!(text.contains(expected) && !text.contains("nextval"), "{text}");
        }
    }

    #[test]
    fn what_only_some_servers_have_is_shown() {
        let doc = TableDoc { exclusions: vec!["EXCLUDE USING gist (room WITH =)".into()], ..TableDoc::default() };
        assert_eq!(rest(&doc), "\n## Exclusion constraints\n\n- `EXCLUDE USING gist (room WITH =)`\n");
    }

    #[test]
    fn the_share_of_nulls_claims_no_more_than_is_known() {
        for (percent, distinct, sampled_rows, rule, expected) in [
            (0, Some(1), None, None, "1 distinct value"),
            (40, Some(2_000), None, None, "40% null; about 2,000 distinct values"),
            (100, None, None, None, "always null"),
            (100, None, Some(1_000), None, "always null in the sample"),
            (100, Some(3), None, None, "almost always null; 3 distinct values"),
            (100, None, None, Some("name: email"), "sensitive (name: email); almost always null"),
        ] {
            let null_percent = Some(percent);
            let statistics = ColumnStatistics { null_percent, distinct, sampled_rows, ..ColumnStatistics::default() };
            let sensitive = rule.map(str::to_owned);
            let column = ColumnDoc { statistics: Some(statistics), sensitive, ..ColumnDoc::default() };
            assert_eq!(values(&TableDoc::default(), &column), expected);
        }
    }

    #[test]
    fn powers_of_ten_are_numbers_while_they_are_short() {
        for (exponent, expected) in [
            (-7, "10^-7"),
            (-6, "0.000001"),
            (-1, "0.1"),
            (0, "1"),
            (3, "1,000"),
            (9, "1,000,000,000"),
            (10, "10^10"),
            (-324, "10^-324"),
            (309, "10^309"),
        ] {
            assert_eq!(power_of_ten(exponent), expected);
        }
    }
}
