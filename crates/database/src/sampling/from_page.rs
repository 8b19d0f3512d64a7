//! What is known about the values of a table that cannot be read this time, taken from its page.

use crate::config::DatabaseConfig;
use crate::schema::table_doc::{ColumnDoc, TableDoc};
use crate::sensitive::{SensitiveRule, by_name_and_type, is_lifted};
use crate::snapshot::{Column, Table};
use crate::statistics::{ColumnProfile, TableProfile};

/// What the page of a table says about its values, as far as the configuration still allows it.
pub fn from_page(config: &DatabaseConfig, table: &Table, page: &TableDoc) -> TableProfile {
    let of_column = |column: &Column| {
        let before = page.columns.iter().find(|before| before.name == column.name)?;
        Some((column.name.clone(), profile(config, table, column, before)?))
    };
    TableProfile { columns: table.columns.iter().filter_map(of_column).collect() }
}

fn profile(config: &DatabaseConfig, table: &Table, column: &Column, before: &ColumnDoc) -> Option<ColumnProfile> {
    let is_lifted = is_lifted(config, table, column);
    let of_values = before.sensitive.as_deref().and_then(SensitiveRule::of_values);
    let of_values = of_values.filter(|rule| !is_lifted || *rule != SensitiveRule::FreeText);
    let sensitive = by_name_and_type(config, table, column).or(of_values);
    // Values published before the column became sensitive must go.
    let is_too_much = sensitive.is_some() && before.sensitive.is_none();
    let statistics = before.statistics.clone().filter(|_| !is_too_much);
    if statistics.is_none() && sensitive.is_none() {
        return None;
    }
    let values =
        (!before.labels.is_empty() && sensitive.is_none() && column.labels.is_empty()).then(|| before.labels.clone());
    Some(ColumnProfile { sensitive, statistics: statistics.unwrap_or_default(), values })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::statistics::ColumnStatistics;

    #[test]
    fn what_a_page_says_of_values_is_kept_as_far_as_it_may() {
        let text = "databases: [{name: a, type: sqlite, connection: {file: x}, sensitive: ['*.secret_now'], \
                    not_sensitive: ['*.lifted*']}]";
        let (config, _) = config::read(text, "f");
        let statistics = || Some(ColumnStatistics { distinct: Some(7), ..ColumnStatistics::default() });
        for (name, before, expected) in [
            ("plain", None, Some(("", Some(7)))),
            ("memo", Some("values: e-mail"), Some(("values: e-mail", Some(7)))),
            ("lifted", Some("values: e-mail"), Some(("values: e-mail", Some(7)))),
            ("lifted_text", Some("type: free text"), Some(("", Some(7)))),
            ("secret_now", None, Some(("configured: *.secret_now", None))),
        ] {
            let column = Column { name: name.into(), ..Column::default() };
            let table = Table { name: "t".into(), columns: vec![column], ..Table::default() };
            let sensitive = before.map(str::to_owned);
            let column = ColumnDoc { name: name.into(), sensitive, statistics: statistics(), ..ColumnDoc::default() };
            let page = TableDoc { columns: vec![column], ..TableDoc::default() };
            let found = from_page(&config.databases[0], &table, &page);
            let told = found.columns.get(name).map(|it| {
                (it.sensitive.as_ref().map(SensitiveRule::words).unwrap_or_default(), it.statistics.distinct)
            });
            assert_eq!(told.as_ref().map(|(rule, distinct)| (rule.as_str(), *distinct)), expected, "{name}");
        }
    }
}
