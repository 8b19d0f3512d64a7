//! Describes databases: which tables match a filter, what a documentation run would do, and its outcome.

use refdesk_database::names::words::split;
use refdesk_database::schema::table_doc::ColumnDoc;
use refdesk_desk::{
    DatabaseSummary, DocumentReport, DocumentationPreview, DomainSummary, PreviewedDomain, TableMarks, TableSummary,
};
use refdesk_text::generated;
use refdesk_text::tokens::{counted, grouped};

/// The most tables listed per domain, and sources per run.
const TABLES: usize = 8;
const SOURCES: usize = 6;

/// The words of a filter, in lower case.
pub fn words_of(filter: &str) -> Vec<String> {
    filter.split_whitespace().map(str::to_lowercase).collect()
}

/// Whether a table matches: each word occurs in its name, or starts a word of its name, domain or database.
pub fn keeps(words: &[String], database: &DatabaseSummary, domain: &DomainSummary, table: &TableSummary) -> bool {
    if words.is_empty() {
        return true;
    }
    let full = table.name.full().to_lowercase();
    let mut parts: Option<Vec<String>> = None;
    words.iter().all(|word| {
        full.contains(word.as_str())
            || parts
                .get_or_insert_with(|| {
                    [database.name.as_str(), &domain.name, &table.name.name].into_iter().flat_map(split).collect()
                })
                .iter()
                .any(|part| part.to_lowercase().starts_with(word.as_str()))
    })
}

/// The state of a table and its page in words.
pub fn marks(marks: TableMarks) -> impl Iterator<Item = String> {
    let words = [
        marks.is_stale.then(|| "changed since".to_owned()),
        marks.is_edited.then(|| "page edited by hand".to_owned()),
        marks.is_failed.then(|| "could not be written".to_owned()),
        marks.is_skipped.then(|| "left out by the plan".to_owned()),
        (marks.sensitive > 0).then(|| counted(marks.sensitive, "sensitive column")),
    ];
    words.into_iter().flatten()
}

/// `Write 19 new pages and 3 changed pages below docs/databases, and remove 2 files.`
pub fn headline(preview: &DocumentationPreview) -> String {
    if preview.domains.is_empty() && !preview.failed.is_empty() {
        return "Nothing could be read.".to_owned();
    }
    if preview.is_up_to_date {
        return "The pages are up to date.".to_owned();
    }
    let mut parts = Vec::new();
    parts.extend((!preview.new.is_empty()).then(|| counted(preview.new.len(), "new page")));
    parts.extend((preview.changed_count > 0).then(|| counted(preview.changed_count, "changed page")));
    let folder = &preview.docs_path;
    let (written, removed) = (parts.join(" and "), counted(preview.removed.len(), "file"));
    match (parts.is_empty(), preview.removed.is_empty()) {
        (true, true) => format!("Write {} to the catalog.", counted(preview.sources_to_write, "source")),
        (false, true) => format!("Write {written} below {folder}."),
        (false, false) => format!("Write {written} below {folder}, and remove {removed}."),
        (true, false) => format!("Remove {removed}."),
    }
}

/// `shop, sales: 4 tables: customer, order, …`
pub fn domain(domain: &PreviewedDomain) -> String {
    let names: Vec<&str> = domain.tables.iter().take(TABLES).map(String::as_str).collect();
    let more = more(domain.tables.len(), TABLES);
    format!(
        "{}, {}: {}: {}{more}",
        domain.database,
        domain.domain,
        counted(domain.tables.len(), "table"),
        names.join(", ")
    )
}

/// The outcome of a run that was planned to write `of` pages.
pub fn outcome(report: &DocumentReport, of: Option<usize>) -> String {
    let written = grouped(report.written.len());
    match of {
        Some(of) if report.is_ended => format!("Paused after {written} of {} pages", grouped(of)),
        None if report.is_ended => "Paused before anything was written".to_owned(),
        _ if report.written.is_empty() && report.removed.is_empty() => {
            format!("The pages are up to date{}", sources(report))
        }
        _ if report.written.is_empty() => {
            format!("Removed {}{}", counted(report.removed.len(), "page"), sources(report))
        }
        _ => {
            let removed = match report.removed.len() {
                0 => String::new(),
                count => format!(", removed {}", grouped(count)),
            };
            format!("Wrote {}{removed}{}", counted(report.written.len(), "page"), sources(report))
        }
    }
}

/// `; 2 sources in the catalog: @db-shop-sales, @db-shop-stock`
fn sources(report: &DocumentReport) -> String {
    if report.sources.is_empty() {
        return String::new();
    }
    let named: Vec<String> = report.sources.iter().take(SOURCES).map(|id| format!("@{id}")).collect();
    let more = more(report.sources.len(), SOURCES);
    format!("; {} in the catalog: {}{more}", counted(report.sources.len(), "source"), named.join(", "))
}

fn more(all: usize, named: usize) -> String {
    match all.saturating_sub(named) {
        0 => String::new(),
        more => format!(", +{}", grouped(more)),
    }
}

/// The text of a generated page below its front matter.
pub fn without_front_matter(text: &str) -> &str {
    generated::body(text).map_or(text, |below| below.trim_start_matches(['\n', '\r']))
}

/// What a table's page reveals of a column's values, and the rule that hides the rest.
pub fn column_notes(column: &ColumnDoc) -> String {
    match (&column.sensitive, &column.statistics) {
        (Some(rule), Some(_)) => format!("only the share of nulls, sensitive ({rule})"),
        (Some(rule), None) => format!("nothing, sensitive ({rule})"),
        (None, Some(_)) if !column.labels.is_empty() => "statistics, and a small set of values".to_owned(),
        (None, Some(_)) => "statistics".to_owned(),
        (None, None) if !column.labels.is_empty() => "a small set of values".to_owned(),
        (None, None) => "nothing".to_owned(),
    }
}
