//! Which columns of a database are sensitive. A column that holds the values of a sensitive one is sensitive as well: one
//! that refers to it or that it refers to by a foreign key, one that is joined to it, and one that is computed from it.

use std::collections::{BTreeMap, HashMap, VecDeque};

use rayon::prelude::*;

use super::joins::InferredJoins;
use crate::config::DatabaseConfig;
use crate::names::words::split;
use crate::sensitive::literals::named_in;
use crate::sensitive::{SensitiveRule, by_name_and_type, is_integer, is_lifted};
use crate::snapshot::{Column, ForeignKey, Snapshot, Table, TableName};
use crate::statistics::TableProfile;

/// The last words of names of columns that hold keys.
const KEYS: [&str; 9] = ["id", "key", "code", "type", "kind", "class", "category", "ref", "status"];

/// Why columns are sensitive: for each table one entry per column.
pub(crate) struct SensitiveColumns<'s> {
    of: HashMap<(&'s str, &'s str), Vec<Option<SensitiveRule>>>,
}

impl<'s> SensitiveColumns<'s> {
    /// Judges all columns by name and type, by what was found in their values, and by the columns that they share
    /// values with.
    pub(crate) fn new(
        config: &DatabaseConfig,
        snapshot: &'s Snapshot,
        joins: &InferredJoins,
        profiles: &BTreeMap<TableName, TableProfile>,
    ) -> Self {
        let own = |table: &Table| -> Vec<Option<SensitiveRule>> {
            let profile = profiles.get(&table.table_name());
            let found = |column: &Column| profile?.get(&column.name)?.sensitive.clone();
            let rule = |column: &Column| found(column).or_else(|| by_name_and_type(config, table, column));
            table.columns.iter().map(rule).collect()
        };
        let rules: Vec<Vec<Option<SensitiveRule>>> = snapshot.tables.par_iter().map(own).collect();
        let mut spread = Spread { config, snapshot, rules, to: HashMap::new() };
        spread.find_shared(joins);
        // `not_sensitive` does not lift what was found in values, here or where they come from.
        spread.run(|rule| matches!(rule, SensitiveRule::Detected(_)), |_, _| true);
        spread.run(|_| true, |table, column| !is_lifted(config, table, column));
        let names = snapshot.tables.iter().map(|table| (table.schema.as_str(), table.name.as_str()));
        Self { of: names.zip(spread.rules).collect() }
    }

    /// The rules for the columns of a table of the snapshot, in their order.
    pub(crate) fn of<'a>(&'a self, table: &'a Table) -> &'a [Option<SensitiveRule>] {
        self.of.get(&(table.schema.as_str(), table.name.as_str())).map_or(&[], Vec::as_slice)
    }
}

/// A column, by the places of its table and of itself.
type Place = (usize, usize);

/// How a column gets its values from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shared {
    /// It refers to it.
    Refers,
    /// It is referred to.
    IsReferredTo,
    /// It is computed from it.
    Computed,
}

struct Spread<'s> {
    config: &'s DatabaseConfig,
    snapshot: &'s Snapshot,
    rules: Vec<Vec<Option<SensitiveRule>>>,
    /// The columns that hold values of a column.
    to: HashMap<Place, Vec<(Place, Shared)>>,
}

impl<'s> Spread<'s> {
    /// Finds which columns hold values of which others.
    fn find_shared(&mut self, joins: &InferredJoins) {
        let snapshot = self.snapshot;
        let places: HashMap<(&str, &str), usize> =
            snapshot.tables.iter().enumerate().map(|(at, it)| ((it.schema.as_str(), it.name.as_str()), at)).collect();
        let place = |name: &TableName, column: &str| {
            let table = *places.get(&(name.schema.as_str(), name.name.as_str()))?;
            Some((table, position(snapshot.tables.get(table)?, column)?))
        };
        for (at, table) in snapshot.tables.iter().enumerate() {
            for key in &table.foreign_keys {
                let is_unknown = !places.contains_key(&(key.target.schema.as_str(), key.target.name.as_str()));
                for (own, other) in key.columns.iter().zip(&key.target_columns) {
                    let Some(own) = position(table, own).map(|column| (at, column)) else { continue };
                    if is_unknown {
                        self.judge_unknown(own, key, other);
                    } else if let Some(target) = place(&key.target, other) {
                        self.to.entry(target).or_default().push((own, Shared::Refers));
                        self.to.entry(own).or_default().push((target, Shared::IsReferredTo));
                    }
                }
            }
            // A join without a key is not certain enough to tell anything about the column that is referred to.
            let name = table.table_name();
            // A note can take a join out of the pages, but not lift a rule: only `not_sensitive` can, which needs trust.
            for join in [&joins.of, &joins.set_aside].into_iter().filter_map(|of| of.get(&name)).flatten() {
                for (own, other) in join.columns.iter().zip(&join.target_columns) {
                    let own = position(table, own).map(|column| (at, column));
                    if let (Some(own), Some(target)) = (own, place(&join.target, other)) {
                        self.to.entry(target).or_default().push((own, Shared::Refers));
                    }
                }
            }
            for (own, column) in table.columns.iter().enumerate() {
                let Some(expression) = &column.generated else { continue };
                let is_named = named_in(expression);
                for (other, source) in table.columns.iter().enumerate().filter(|(other, _)| *other != own) {
                    if is_named(&source.name) {
                        self.to.entry((at, other)).or_default().push(((at, own), Shared::Computed));
                    }
                }
            }
        }
    }

    /// Judges the target of a key by name if its table was not read, for example because it is excluded.
    fn judge_unknown(&mut self, own: Place, key: &ForeignKey, name: &str) {
        let TableName { schema, name: table } = key.target.clone();
        let target = Table { schema, name: table, ..Table::default() };
        let column = Column { name: name.to_owned(), ..Column::default() };
        let is_free = self.rule(own).is_none() && !self.is_lifted(own);
        if is_free && by_name_and_type(self.config, &target, &column).is_some() {
            self.set(own, SensitiveRule::SameValues(format!("{}.{name}", target.full_name())));
        }
    }

    /// From the columns whose rule `begins`, marks all others that hold the same values and `may` be marked.
    fn run(&mut self, begins: impl Fn(&SensitiveRule) -> bool, may: impl Fn(&Table, &Column) -> bool) {
        let rules = self.rules.iter().enumerate();
        let places =
            rules.flat_map(|(at, rules)| rules.iter().enumerate().map(move |(column, rule)| ((at, column), rule)));
        let mut open: VecDeque<Place> =
            places.filter(|(_, rule)| rule.as_ref().is_some_and(&begins)).map(|(place, _)| place).collect();
        let mut seen: std::collections::HashSet<Place> = open.iter().copied().collect();
        while let Some(from) = open.pop_front() {
            let Some((table, column)) = self.column(from) else { continue };
            // The name of a key says what the row that it refers to is, not what the key is: `phone_type`, `address_id`.
            let is_key =
                is_integer(column) || split(&column.name).last().is_some_and(|last| KEYS.contains(&last.as_str()));
            let is_reference = is_key && matches!(self.rule(from), Some(SensitiveRule::Word(_)));
            for (to, shared) in self.to.get(&from).cloned().unwrap_or_default() {
                let is_allowed = self.column(to).is_some_and(|(table, column)| may(table, column));
                if (shared == Shared::IsReferredTo && is_reference) || !is_allowed || !seen.insert(to) {
                    continue;
                }
                if self.rule(to).is_none() {
                    self.set(
                        to,
                        match shared {
                            Shared::Computed => SensitiveRule::Computed(column.name.clone()),
                            _ => SensitiveRule::SameValues(format!("{}.{}", table.full_name(), column.name)),
                        },
                    );
                }
                open.push_back(to);
            }
        }
    }

    fn column(&self, (table, column): Place) -> Option<(&'s Table, &'s Column)> {
        let table = self.snapshot.tables.get(table)?;
        Some((table, table.columns.get(column)?))
    }

    fn is_lifted(&self, place: Place) -> bool {
        self.column(place).is_some_and(|(table, column)| is_lifted(self.config, table, column))
    }

    fn rule(&self, (table, column): Place) -> Option<&SensitiveRule> {
        self.rules.get(table)?.get(column)?.as_ref()
    }

    fn set(&mut self, (table, column): Place, rule: SensitiveRule) {
        if let Some(known) = self.rules.get_mut(table).and_then(|rules| rules.get_mut(column)) {
            *known = Some(rule);
        }
    }
}

fn position(table: &Table, name: &str) -> Option<usize> {
    table.columns.iter().position(|column| column.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config;
    use crate::schema::joins::infer;
    use crate::schema::notes::{self, Notes};
    use crate::snapshot::Key;
    use crate::statistics::ColumnProfile;

    /// A table of columns as `name type`, `name type > table.column` for a foreign key, or `name type = expression`. The
    /// first is the primary key.
    fn table(name: &str, columns: &[&str]) -> Table {
        let mut table = Table { schema: "main".into(), name: name.into(), ..Table::default() };
        for text in columns {
            let (column, key) = text.split_once(" > ").map_or((*text, None), |(column, key)| (column, Some(key)));
            let (column, generated) =
                column.split_once(" = ").map_or((column, None), |(column, it)| (column, Some(it.to_owned())));
            let (name, data_type) = column.split_once(' ').unwrap();
            let target = key.and_then(|key| key.split_once('.'));
            table.foreign_keys.extend(target.map(|(target, to)| ForeignKey {
                columns: vec![name.into()],
                target: TableName { schema: "main".into(), name: target.into() },
                target_columns: vec![to.into()],
                ..ForeignKey::default()
            }));
            let (name, data_type) = (name.into(), data_type.into());
            table.columns.push(Column { name, data_type, generated, ..Column::default() });
        }
        table.primary_key = Some(Key { name: None, columns: vec![table.columns[0].name.clone()] });
        table
    }

    /// The sensitive columns and why; `found` are columns with e-mail addresses.
    fn sensitive(tables: &[(&str, &[&str])], more: &str, noted: &str, found: &[(&str, &str)]) -> Vec<String> {
        let text = format!("databases: [{{name: a, type: sqlite, connection: {{file: x}}{more}}}]");
        let (config, problems) = config::read(&text, "f");
        assert_eq!(problems, []);
        let tables = tables.iter().map(|(name, columns)| table(name, columns)).collect();
        let mut snapshot = Snapshot { tables, ..Snapshot::default() };
        snapshot.sort();
        let notes = if noted.is_empty() { Notes::default() } else { notes::read(noted, "f").0 };
        let mut profiles: BTreeMap<TableName, TableProfile> = BTreeMap::new();
        for (table, column) in found {
            let rule = Some(SensitiveRule::Detected("e-mail".into()));
            let profile = ColumnProfile { sensitive: rule, ..ColumnProfile::default() };
            let name = TableName { schema: "main".into(), name: (*table).into() };
            profiles.entry(name).or_default().insert((*column).into(), profile);
        }
        let rules = SensitiveColumns::new(&config.databases[0], &snapshot, &infer(&snapshot, &notes), &profiles);
        let of_table = |table: &Table| {
            let columns = table.columns.iter().zip(rules.of(table));
            let line = |(column, rule): (&Column, &Option<SensitiveRule>)| {
                Some(format!("{}.{} {}", table.name, column.name, rule.as_ref()?.words()))
            };
            columns.filter_map(line).collect::<Vec<_>>()
        };
        snapshot.tables.iter().flat_map(of_table).collect()
    }

    #[test]
    fn columns_with_the_values_of_a_sensitive_one_are_sensitive() {
        type Case<'c> = (&'c [(&'c str, &'c [&'c str])], &'c str, &'c str, &'c [(&'c str, &'c str)], &'c [&'c str]);
        let people: &[&str] = &["badge TEXT", "full_name TEXT", "id INTEGER"];
        let visits: &[&str] =
            &["nr INTEGER", "p TEXT > people.badge", "who TEXT > people.full_name", "i INTEGER > people.id"];
        let both: &[(&str, &[&str])] = &[("people", people), ("visit", visits)];
        let configured = ", sensitive: ['*.people.badge']";
        let noted = "joins: [{from: main.log.subject, to: main.people.badge, because: x}, \
                     {from: main.log.subject, to: main.product.code, because: y}]";
        let cases: &[Case<'_>] = &[
            (
                both,
                configured,
                "",
                &[],
                &[
                    "people.badge configured: *.people.badge",
                    "people.full_name name: name",
                    "visit.p same values: main.people.badge",
                    "visit.who same values: main.people.full_name",
                ],
            ),
            (
                both,
                ", sensitive: ['*.people.badge'], not_sensitive: ['visit.who']",
                "",
                &[],
                &[
                    "people.badge configured: *.people.badge",
                    "people.full_name name: name",
                    "visit.p same values: main.people.badge",
                ],
            ),
            // The other way round, and on from there.
            (
                &[
                    ("card", &["k TEXT", "p TEXT > people.badge"]),
                    ("people", &["badge TEXT"]),
                    ("visit", &["nr INTEGER", "p TEXT > people.badge"]),
                ],
                ", sensitive: ['card.p']",
                "",
                &[],
                &[
                    "card.p configured: card.p",
                    "people.badge same values: main.card.p",
                    "visit.p same values: main.people.badge",
                ],
            ),
            // What an address is numbered with is not an address, nor is the key of a kind of telephone a telephone.
            (
                &[
                    ("kind", &["code VARCHAR"]),
                    ("place", &["id INTEGER"]),
                    (
                        "sale",
                        &["nr INTEGER", "address_id INTEGER > place.id", "mail INTEGER", "phone_type TEXT > kind.code"],
                    ),
                    ("stop", &["nr INTEGER", "place_id INTEGER", "kind_code TEXT > kind.code"]),
                ],
                "",
                "",
                &[],
                &["sale.mail name: mail", "sale.phone_type name: phone"],
            ),
            // A table that is not read.
            (
                &[("visit", &["nr INTEGER", "p TEXT > people.badge", "q TEXT > people.nr"])],
                configured,
                "",
                &[],
                &["visit.p same values: main.people.badge"],
            ),
            // An inferred join, and a column that may refer to either of two tables.
            (
                &[("people", &["badge TEXT"]), ("visit", &["nr INTEGER", "people_badge TEXT"])],
                configured,
                "",
                &[],
                &["people.badge configured: *.people.badge", "visit.people_badge same values: main.people.badge"],
            ),
            // No note makes the values of such a column public.
            (
                &[("people", &["badge TEXT"]), ("visit", &["nr INTEGER", "people_badge TEXT"])],
                configured,
                "not_joins: [{from: main.visit.people_badge, to: main.people.badge}]",
                &[],
                &["people.badge configured: *.people.badge", "visit.people_badge same values: main.people.badge"],
            ),
            (
                &[
                    ("people", &["badge TEXT"]),
                    ("product", &["code TEXT"]),
                    ("visit", &["nr INTEGER", "people_badge TEXT"]),
                ],
                configured,
                "joins: [{from: main.visit.people_badge, to: main.product.code, because: x}]",
                &[],
                &["people.badge configured: *.people.badge", "visit.people_badge same values: main.people.badge"],
            ),
            (
                &[("log", &["nr INTEGER", "subject TEXT"]), ("people", &["badge TEXT"]), ("product", &["code TEXT"])],
                configured,
                noted,
                &[],
                &["log.subject same values: main.people.badge", "people.badge configured: *.people.badge"],
            ),
            (
                &[(
                    "person",
                    &[
                        "nr INTEGER",
                        "salary NUMERIC",
                        "yearly NUMERIC = (salary * 12)",
                        "half NUMERIC = (yearly / 2)",
                        "other NUMERIC = (nr * 2)",
                    ],
                )],
                "",
                "",
                &[],
                &["person.salary name: salary", "person.yearly computed: salary", "person.half computed: yearly"],
            ),
            // What was found in values stays, whatever `not_sensitive` says.
            (
                &[("a", &["k TEXT"]), ("b", &["nr INTEGER", "p TEXT > a.k"]), ("c", &["nr INTEGER", "q TEXT > a.k"])],
                ", not_sensitive: ['*']",
                "",
                &[("b", "p")],
                &["a.k same values: main.b.p", "b.p values: e-mail", "c.q same values: main.a.k"],
            ),
        ];
        for (tables, more, noted, found, expected) in cases {
            assert_eq!(sensitive(tables, more, noted, found), *expected, "{tables:?} {more}");
        }
    }
}
