//! Restores the profile of a table from its page, if the table cannot be read this time.

use crate::config::DatabaseConfig;
use crate::schema::table_doc::{ColumnDoc, TableDoc};
use crate::sensitive::{SensitiveRule, by_name_and_type, is_lifted};
use crate::snapshot::{Column, Table};
use crate::statistics::{ColumnProfile, TableProfile};

/// The profiles in a table's page, as far as the configuration still allows publishing them.
pub fn from_page(config: &DatabaseConfig, table: &Table, page: &TableDoc) -> TableProfile {
    let of_column = |column: &Column| {
        let before = page.columns.iter().find(|before| before.name == column.name)?;
        Some((column.name.clone(), profile(config, table, column, before)?))
    };
    table.columns.iter().filter_map(of_column).collect()
}

fn profile(config: &DatabaseConfig, table: &Table, column: &Column, before: &ColumnDoc) -> Option<ColumnProfile> {
    let is_lifted = is_lifted(config, table, column);
    let of_values = before.sensitive.as_deref().and_then(SensitiveRule::of_values);
    let of_values = of_values.filter(|rule| !is_lifted || *rule != SensitiveRule::FreeText);
    let of_name = by_name_and_type(config, table, column);
    let is_named = of_name.is_some();
    let sensitive = of_name.or(of_values);
    // Values published before the column became sensitive must be removed.
    let is_too_much = sensitive.is_some() && before.sensitive.is_none();
    let statistics = before.statistics.clone().filter(|_| !is_too_much);
    // Without a profile, the page describes name and type as before, and contains nothing about values.
    if statistics.is_none() && (is_named || sensitive.is_none()) {
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
    fn value_profiles_of_a_page_are_kept_as_far_as_permitted() {
        let text = "databases: [{name: a, type: sqlite, connection: {file: x}, sensitive: ['*.secret_now'], \
                    not_sensitive: ['*.lifted*']}]";
        let (config, _) = config::read(text, "f");
        let statistics = || Some(ColumnStatistics { distinct: Some(7), ..ColumnStatistics::default() });
        let by_name = Some("configured: *.secret_now");
        for (name, before, statistics, expected) in [
            ("plain", None, statistics(), Some(("", Some(7)))),
            ("plain", None, None, None),
            ("memo", Some("values: e-mail"), statistics(), Some(("values: e-mail", Some(7)))),
            ("lifted", Some("values: e-mail"), statistics(), Some(("values: e-mail", Some(7)))),
            ("lifted_text", Some("type: free text"), statistics(), Some(("", Some(7)))),
            ("secret_now", by_name, statistics(), Some(("configured: *.secret_now", Some(7)))),
            // Missing statistics stay missing instead of becoming an empty object.
            ("secret_now", by_name, None, None),
            ("secret_now", None, statistics(), None),
        ] {
            let column = Column { name: name.into(), ..Column::default() };
            let table = Table { name: "t".into(), columns: vec![column], ..Table::default() };
            let sensitive = before.map(str::to_owned);
            let column = ColumnDoc { name: name.into(), sensitive, statistics, ..ColumnDoc::default() };
            let page = TableDoc { columns: vec![column], ..TableDoc::default() };
            let found = from_page(&config.databases[0], &table, &page);
            let told = found.get(name).map(|it| {
                (it.sensitive.as_ref().map(SensitiveRule::words).unwrap_or_default(), it.statistics.distinct)
            });
            assert_eq!(told.as_ref().map(|(rule, distinct)| (rule.as_str(), *distinct)), expected, "{name}");
        }
    }
}
