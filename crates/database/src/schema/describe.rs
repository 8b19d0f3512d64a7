//! Rule-based descriptions: a sentence stating what names, keys and types make certain. Nothing is guessed.

mod column_name;

use self::column_name::{Values, flag, is_question, moment};
use crate::config::Connection;
use crate::names::words::{readable_name, singular, split};
use crate::schema::missing_target::MissingTarget;
use crate::snapshot::{Column, ForeignKey, Table, TableKind, TableName};
use refdesk_text::names::{either, joined};
use refdesk_text::words::capitalized;

/// Most tables that a sentence names.
const NAMED: usize = 4;

/// Units at the end of a name: each as written, in full, and the quantity that it measures.
const UNITS: &[(&str, &str, &str)] = &[
    ("ms", "milliseconds", "duration"),
    ("millis", "milliseconds", "duration"),
    ("milliseconds", "milliseconds", "duration"),
    ("sec", "seconds", "duration"),
    ("secs", "seconds", "duration"),
    ("seconds", "seconds", "duration"),
    ("minutes", "minutes", "duration"),
    ("hours", "hours", "duration"),
    ("days", "days", "duration"),
    ("bytes", "bytes", "size"),
    ("kb", "kilobytes", "size"),
    ("mb", "megabytes", "size"),
    ("kg", "kilograms", "weight"),
    ("grams", "grams", "weight"),
    ("km", "kilometres", "length"),
    ("cm", "centimetres", "length"),
    ("mm", "millimetres", "length"),
    ("cents", "cents", "amount"),
    ("eur", "euros", "amount"),
    ("usd", "US dollars", "amount"),
    ("pct", "percent", "share"),
    ("percent", "percent", "share"),
];

/// Words that are written in upper case.
const CAPITALS: &[&str] = &["iban", "id", "ip", "isbn", "sku", "url", "uuid", "vat"];

/// What is said of numbers that the database assigns.
pub(super) const ASSIGNED: &str = "assigned by the database";

/// A name that ends in one of these cannot be followed by *of*.
const PREPOSITIONS: &[&str] = &["at", "by", "for", "from", "in", "of", "on", "per", "since", "to", "until", "with"];

/// Describes a table only by its kind and name.
pub fn named(kind: TableKind, name: &str) -> String {
    format!("{} \u{201c}{}\u{201d}.", capitalized(kind.word()), readable_or_plain(name))
}

/// Tells what does not exist of what a key refers to.
type FindMissingTarget<'f> = &'f dyn for<'k> Fn(&'k ForeignKey) -> Option<MissingTarget<'k>>;

/// Names a table: with its schema if several tables have the name.
type NameTable<'f> = &'f dyn Fn(&TableName) -> String;

/// What a table is; `missing_target` tells what does not exist of what its keys refer to.
pub(crate) fn table(
    table: &Table,
    referenced_by: &[String],
    missing_target: FindMissingTarget<'_>,
    name_table: NameTable<'_>,
) -> String {
    let words = readable_or_plain(&table.name);
    let mut sentences = Vec::new();
    let (mut targets, mut missing): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for key in &table.foreign_keys {
        let name = name_table(&key.target);
        match missing_target(key).map(|missing| missing.with_table(&name)) {
            Some(name) if !missing.contains(&name) => missing.push(name),
            None if !targets.contains(&name) => targets.push(name),
            _ => {}
        }
    }
    match table.kind {
        TableKind::View | TableKind::MaterializedView if !table.reads_from.is_empty() => {
            let read: Vec<String> = table.reads_from.iter().map(name_table).collect();
            sentences.push(format!("{} \u{201c}{words}\u{201d} over {}.", capitalized(table.kind.word()), list(&read)));
        }
        TableKind::Table if is_join_table(table) && targets.len() > 1 => {
            sentences.push(format!("Joins {}: each row is one pair.", list(&targets)));
        }
        kind => {
            let key = match &table.primary_key {
                Some(key) => format!("; each row is identified by {}", list(&key.columns)),
                None if kind.is_view() || kind == TableKind::VirtualTable => String::new(),
                None => "; it has no primary key".to_owned(),
            };
            sentences.push(format!("{} \u{201c}{words}\u{201d}{key}.", capitalized(kind.word())));
            if !targets.is_empty() {
                sentences.push(format!("Refers to {}.", list(&targets)));
            }
        }
    }
    if !missing.is_empty() {
        let exist = if missing.len() == 1 { "which does not exist" } else { "which do not exist" };
        let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
        sentences.push(format!("Refers to {}, {exist}.", list(&missing)));
    }
    if !referenced_by.is_empty() {
        sentences.push(format!("Referred to by {}.", list(referenced_by)));
    }
    sentences.join(" ")
}

/// Describes a column, and whether its name already says everything; `is_missing` tells of which keys the target does not
/// exist.
pub(crate) fn column(
    connection: &Connection,
    table: &Table,
    column: &Column,
    is_missing: &dyn Fn(&ForeignKey) -> bool,
    name_table: NameTable<'_>,
) -> (String, bool) {
    let owner = owner(table);
    // `Title of the list of products` would not describe a column of that view.
    let of = if table.kind.is_view() { String::new() } else { format!(" of the {owner}") };
    // A key of the column alone says more about it than one that it is a part of.
    let keys: Vec<&ForeignKey> =
        table.distinct_keys().into_iter().filter(|key| key.columns.contains(&column.name)).collect();
    let key = keys.iter().min_by_key(|key| key.columns.len());
    let (words, values) = (split(&column.name), Values::of(column));
    let moment = moment(&words, values, &owner).filter(|_| values.may_be_times(connection));
    let is_key_part = table.primary_key.as_ref().filter(|key| key.columns.contains(&column.name));
    if key.is_some_and(|key| key.columns.len() > 1) && keys.len() > 1 {
        // None of several keys says what it is, such as the tenant that is a part of every key.
        let of_primary = if is_key_part.is_some() { "the primary key and of " } else { "" };
        let name = capitalized(&in_words(&column.name));
        return (format!("{name}{of}; part of {of_primary}{} foreign keys.", keys.len()), true);
    }
    if let Some(key) = key {
        let gone = if is_missing(key) { ", which does not exist" } else { "" };
        let text = format!("{}{gone}", reference(column, key, &name_table(&key.target)));
        let part = if is_key_part.is_some_and(|key| key.columns.len() > 1) { "; part of the primary key" } else { "" };
        return (format!("{text}{part}."), true);
    }
    if let Some(primary) = is_key_part {
        let assigned = if column.is_assigned() { format!("; {ASSIGNED}") } else { String::new() };
        if primary.columns.len() == 1 {
            return (format!("Identifies the {owner}{assigned}."), true);
        }
        let what = moment.unwrap_or_else(|| format!("{}{of}", capitalized(&in_words(&column.name))));
        return (format!("{what}; part of the primary key{assigned}."), false);
    }
    if let Some(text) = moment.or_else(|| flag(&words, values, &of)) {
        return (format!("{text}."), true);
    }
    let is_measure = matches!(values, Values::Any | Values::Numbers);
    let unit = words.last().filter(|_| is_measure).and_then(|last| UNITS.iter().find(|(short, ..)| short == last));
    let (name, unit) = match unit {
        Some((_, unit, _)) if words.len() > 1 => {
            let rest: Vec<&str> = words.iter().take(words.len() - 1).map(String::as_str).collect();
            // `size_in_cm`
            let rest = rest.strip_suffix(&["in"]).filter(|rest| !rest.is_empty()).unwrap_or(rest.as_slice());
            (in_words(&rest.join("_")), format!(", in {unit}"))
        }
        Some((_, unit, quantity)) => ((*quantity).to_owned(), format!(", in {unit}")),
        None => (in_words(&column.name), String::new()),
    };
    // `invoice_date` of an invoice is its date.
    let name = name.strip_prefix(&format!("{owner} ")).map(str::to_owned).unwrap_or(name);
    let mut text = match name.rsplit(' ').next() {
        None | Some("") => format!("Unnamed value{of}{unit}"),
        // `Made in of the car` and `Is number of the car` are not English.
        Some(last) if PREPOSITIONS.contains(&last) || name.split(' ').next().is_some_and(is_question) => {
            format!("Value \u{201c}{name}\u{201d}{of}{unit}")
        }
        Some(_) => format!("{}{of}{unit}", capitalized(&name)),
    };
    if let Some(expression) = &column.generated {
        text.push_str(&format!(", computed as {expression}"));
    }
    if let Some(length) = most_characters(&column.data_type) {
        text.push_str(&format!(", at most {length} characters"));
    }
    if !column.labels.is_empty() {
        text.push_str(&format!(", one of {}", some_of(&column.labels)));
    }
    if table.is_unique_by(std::slice::from_ref(&column.name)) {
        text.push_str(", unique");
    }
    (format!("{text}."), false)
}

/// The words of a name, for a sentence.
fn in_words(name: &str) -> String {
    let words = readable_name(name);
    let words =
        words.split(' ').map(|word| if CAPITALS.contains(&word) { word.to_uppercase() } else { word.to_owned() });
    words.collect::<Vec<_>>().join(" ")
}

/// One row of a table, in words.
fn owner(table: &Table) -> String {
    let mut words: Vec<String> = readable_name(&table.name).split(' ').map(str::to_owned).collect();
    // A view's name does not denote one row.
    if let Some(last) = words.last_mut().filter(|_| !table.kind.is_view()) {
        *last = singular(last);
    }
    let words = words.join(" ");
    if words.is_empty() { "row".to_owned() } else { words }
}

fn reference(column: &Column, key: &ForeignKey, target: &str) -> String {
    let columns = &key.target_columns;
    let by = if columns.is_empty() { String::new() } else { format!(" by {}", list(columns)) };
    let others: Vec<&String> = key.columns.iter().filter(|it| **it != column.name).collect();
    if !others.is_empty() {
        return format!("With {}, refers to {target}{by}", list(&others));
    }
    let role: Vec<String> = split(&column.name).into_iter().filter(|word| word != "id").collect();
    let own: Vec<String> = split(&key.target.name).iter().map(|word| singular(word)).collect();
    let is_role = !role.is_empty() && role.iter().map(|word| singular(word)).collect::<Vec<_>>() != own;
    if is_role {
        format!("{}: refers to {target}{by}", capitalized(&in_words(&role.join("_"))))
    } else {
        format!("Refers to {target}{by}")
    }
}

/// A table whose primary key consists of two references, without further columns.
fn is_join_table(table: &Table) -> bool {
    let Some(key) = &table.primary_key else { return false };
    let keys = table.distinct_keys();
    let referring: Vec<&String> = keys.iter().flat_map(|key| &key.columns).collect();
    let is_whole = referring.iter().all(|column| key.columns.contains(column));
    keys.len() == 2 && is_whole && key.columns.iter().all(|column| referring.contains(&column))
}

/// The number in `varchar(40)`.
fn most_characters(data_type: &str) -> Option<u64> {
    let lower = data_type.to_lowercase();
    let (name, rest) = lower.split_once('(')?;
    let number = rest.split([')', ',']).next()?.trim().parse().ok()?;
    (name.contains("char") && number > 1).then_some(number)
}

/// `a, b and c`; if there are many, the first ones and how many more.
pub fn list(names: &[impl AsRef<str>]) -> String {
    // Naming the last one takes no more room than its count.
    joined(names, if names.len() == NAMED + 1 { NAMED + 1 } else { NAMED })
}

/// `a, b or c`; if there are many, the first ones and how many others.
fn some_of(names: &[String]) -> String {
    match names.get(..NAMED) {
        Some(shown) if names.len() > NAMED + 1 => {
            format!("{} or {} others", shown.join(", "), names.len() - NAMED)
        }
        _ => either(names),
    }
}

/// Whether a rule-based description contains all of these labels.
pub(super) fn says_all(description: &str, labels: &[String]) -> bool {
    description.contains(&format!(", one of {}", either(labels)))
}

/// The words of a name, or the name itself if it has none.
fn readable_or_plain(name: &str) -> String {
    let words = readable_name(name);
    if words.is_empty() { name.to_owned() } else { words }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::Key;

    fn key(columns: &[&str], target: &str, to: &[&str]) -> ForeignKey {
        let texts = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        ForeignKey {
            columns: texts(columns),
            target: TableName { schema: "main".into(), name: target.into() },
            target_columns: texts(to),
            ..ForeignKey::default()
        }
    }

    fn plain(table: &TableName) -> String {
        table.name.clone()
    }

    fn sqlite() -> Connection {
        Connection::Sqlite { file: "a.db".into() }
    }

    #[test]
    fn columns_are_described_by_what_is_known() {
        let table = Table {
            name: "InvoiceLines".into(),
            primary_key: Some(Key { name: None, columns: vec!["id".into()] }),
            unique: vec![Key { name: None, columns: vec!["code".into()] }],
            foreign_keys: vec![
                key(&["TrackId"], "Track", &["TrackId"]),
                key(&["sold_by"], "Employee", &["id"]),
                key(&["a", "b"], "Pair", &["x", "y"]),
                key(&["b"], "Tenant", &["id"]),
            ],
            ..Table::default()
        };
        for (name, data_type, expected, is_all) in [
            ("id", "INTEGER", "Identifies the invoice line.", true),
            ("TrackId", "INT", "Refers to Track by TrackId.", true),
            ("sold_by", "INT", "Sold by: refers to Employee by id.", true),
            ("a", "INT", "With b, refers to Pair by x and y.", true),
            ("b", "INT", "B: refers to Tenant by id.", true),
            ("created_at", "TIMESTAMP", "When the row was created.", true),
            ("is_paid", "INT", "Whether it is paid.", true),
            ("closed", "BOOLEAN", "Whether it is closed.", true),
            ("qty", "INT", "Quantity of the invoice line.", false),
            ("code", "VARCHAR(12)", "Code of the invoice line, at most 12 characters, unique.", false),
            ("invoice_line_total", "INT", "Total of the invoice line.", false),
            ("play_ms", "INT", "Play of the invoice line, in milliseconds.", false),
            ("Milliseconds", "INT", "Duration of the invoice line, in milliseconds.", false),
            ("opened_on", "DATE", "When the invoice line was opened.", true),
            ("paid_at", "TEXT", "When the invoice line was paid.", true),
            ("speed_on", "TEXT", "Value \u{201c}speed on\u{201d} of the invoice line.", false),
            ("made_in", "TEXT", "Value \u{201c}made in\u{201d} of the invoice line.", false),
            ("valid_from", "DATE", "When the invoice line becomes valid.", true),
            ("ends_on", "DATE", "When the invoice line ends.", true),
            ("cents", "INT", "Amount of the invoice line, in cents.", false),
            ("size_in_cm", "INT", "Size of the invoice line, in centimetres.", false),
            ("occurred_at", "TIMESTAMP", "When the invoice line occurred.", true),
            ("left_on", "DATE", "When the invoice line left.", true),
            ("written_at", "TIMESTAMP", "When the invoice line was written.", true),
            ("last_seen_at", "TIMESTAMP", "When the invoice line was last seen.", true),
            ("last_failed_at", "TIMESTAMP", "When the invoice line last failed.", true),
            ("last_updated_at", "TIMESTAMP", "When the row was last changed.", true),
            ("due_on", "DATE", "When the invoice line is due.", true),
            ("last_login_at", "TIMESTAMP", "Time of the last login of the invoice line.", true),
            ("last_active_at", "TIMESTAMP", "When the invoice line was last active.", true),
            ("last_ends_on", "DATE", "Value \u{201c}last ends on\u{201d} of the invoice line.", false),
            ("last_valid_from", "DATE", "Value \u{201c}last valid from\u{201d} of the invoice line.", false),
            ("--", "", "Unnamed value of the invoice line.", false),
        ] {
            let column = Column { name: name.into(), data_type: data_type.into(), ..Column::default() };
            let found = super::column(&sqlite(), &table, &column, &|_| false, &plain);
            assert_eq!(found, (expected.to_owned(), is_all), "{name}");
        }
    }

    #[test]
    fn a_part_of_several_keys_is_described_by_none_of_them() {
        let of_tenant =
            |columns: &[&str], name: &str| key(&[&["tenant_id"], columns].concat(), name, &["tenant_id", "id"]);
        let table = Table {
            name: "ticket".into(),
            primary_key: Some(Key { name: None, columns: vec!["tenant_id".into(), "opened_at".into()] }),
            foreign_keys: vec![of_tenant(&["project_id"], "project"), of_tenant(&["assignee_id"], "account")],
            ..Table::default()
        };
        for (name, data_type, expected) in [
            ("tenant_id", "uuid", "Tenant ID of the ticket; part of the primary key and of 2 foreign keys."),
            ("project_id", "int", "With tenant_id, refers to project by tenant_id and id."),
            ("opened_at", "timestamp", "When the ticket was opened; part of the primary key."),
        ] {
            let column = Column { name: name.into(), data_type: data_type.into(), ..Column::default() };
            assert_eq!(super::column(&sqlite(), &table, &column, &|_| false, &plain).0, expected);
        }
        let mut serial = Column { name: "id".into(), data_type: "integer".into(), ..Column::default() };
        serial.default = Some("nextval('public.ticket_id_seq'::regclass)".into());
        let table = Table { primary_key: Some(Key { name: None, columns: vec!["id".into()] }), ..table };
        let found = super::column(&sqlite(), &table, &serial, &|_| false, &plain).0;
        assert_eq!(found, "Identifies the ticket; assigned by the database.");
    }

    /// A name is only a hint: nothing is stated that the type contradicts.
    #[test]
    fn the_type_decides_what_a_name_may_mean() {
        let sale = Table { name: "sales".into(), ..Table::default() };
        let postgres = || {
            let text = "databases: [{name: a, type: postgres, connection: {service: a}}]";
            crate::config::read(text, "f").0.databases.remove(0).connection
        };
        for (name, data_type, expected, of_sqlite) in [
            ("opening_hours", "text", "Opening hours of the sales.", None),
            ("opening_hours", "numeric(4,1)", "Opening of the sales, in hours.", None),
            ("ms", "sales.mood[]", "Ms of the sales.", None),
            ("wait_ms", "integer[]", "Wait ms of the sales.", None),
            ("wait_ms", "int4range", "Wait ms of the sales.", None),
            ("wait_ms", "interval", "Wait ms of the sales.", None),
            ("wait_ms", "double precision", "Wait of the sales, in milliseconds.", None),
            ("based_on", "uuid", "Value \u{201c}based on\u{201d} of the sales.", None),
            ("based_on", "bigint", "Value \u{201c}based on\u{201d} of the sales.", None),
            ("based_on", "date", "When the sales was based.", None),
            ("opened_on", "text", "Value \u{201c}opened on\u{201d} of the sales.", Some("When the sales was opened.")),
            ("created_at", "bigint", "When the row was created.", None),
            ("created_at", "timestamp(3) with time zone", "When the row was created.", None),
            ("created", "daterange", "Created of the sales.", None),
            ("deleted_at", "boolean", "Flag \u{201c}deleted at\u{201d} of the sales.", None),
            ("valid_to", "boolean", "Flag \u{201c}valid to\u{201d} of the sales.", None),
            ("requires_approval", "boolean", "Flag \u{201c}requires approval\u{201d} of the sales.", None),
            ("no_smoking", "boolean", "Flag \u{201c}no smoking\u{201d} of the sales.", None),
            ("active", "boolean", "Whether it is active.", None),
            ("has_items", "boolean", "Whether it has items.", None),
            ("is_night", "smallint", "Whether it is night.", None),
            ("is_number", "integer", "Value \u{201c}is number\u{201d} of the sales.", None),
            ("is_due", "date", "Value \u{201c}is due\u{201d} of the sales.", None),
        ] {
            let column = Column { name: name.into(), data_type: data_type.into(), ..Column::default() };
            let told = |connection: &Connection| super::column(connection, &sale, &column, &|_| false, &plain).0;
            assert_eq!(told(&postgres()), expected, "{name} {data_type}");
            assert_eq!(told(&sqlite()), of_sqlite.unwrap_or(expected), "{name} {data_type}");
        }
        let domain = Column {
            name: "wait_ms".into(),
            data_type: "sales.wait".into(),
            base_type: Some("integer".into()),
            ..Column::default()
        };
        assert_eq!(
            super::column(&postgres(), &sale, &domain, &|_| false, &plain).0,
            "Wait of the sales, in milliseconds."
        );
    }

    #[test]
    fn missing_tables_and_columns_are_mentioned() {
        let table = Table {
            name: "bill".into(),
            foreign_keys: vec![key(&["a_id"], "a", &["id"]), key(&["b_id"], "b", &["id"]), key(&["c_id"], "c", &[])],
            ..Table::default()
        };
        let column = |name: &str| Column { name: name.into(), ..Column::default() };
        for (missing, of_table, of_column) in [
            ("", "Refers to a, b and c.", "Refers to b by id."),
            ("b", "Refers to a and c. Refers to b, which does not exist.", "Refers to b by id, which does not exist."),
            ("ac", "Refers to b. Refers to a and c, which do not exist.", "Refers to b by id."),
        ] {
            let is_missing = |key: &ForeignKey| missing.contains(&key.target.name);
            let expected = format!("Table \u{201c}bill\u{201d}; it has no primary key. {of_table}");
            assert_eq!(
                super::table(&table, &[], &|key| is_missing(key).then_some(MissingTarget::Table), &plain),
                expected
            );
            assert_eq!(super::column(&sqlite(), &table, &column("b_id"), &is_missing, &plain).0, of_column);
        }
        let of_column = super::table(
            &table,
            &[],
            &|key| key.target_columns.first().map(|column| MissingTarget::Column(column)),
            &plain,
        );
        assert!(of_column.ends_with("Refers to c. Refers to a.id and b.id, which do not exist."), "{of_column}");
    }

    /// A view is named after the question it answers, not after a single row.
    #[test]
    fn columns_of_views_and_measures_are_named_plainly() {
        let view = Table { name: "products by city".into(), kind: TableKind::View, ..Table::default() };
        let track = Table { name: "track".into(), ..Table::default() };
        for (name, of_view, of_table) in [
            ("ProductID", "Product ID.", "Product ID of the track."),
            ("dur_ms", "Duration, in milliseconds.", "Duration of the track, in milliseconds."),
            ("bytes", "Size, in bytes.", "Size of the track, in bytes."),
            ("cents", "Amount, in cents.", "Amount of the track, in cents."),
            ("pct", "Share, in percent.", "Share of the track, in percent."),
            ("made_in", "Value \u{201c}made in\u{201d}.", "Value \u{201c}made in\u{201d} of the track."),
        ] {
            let column = Column { name: name.into(), ..Column::default() };
            let told = |table: &Table| super::column(&sqlite(), table, &column, &|_| false, &plain).0;
            assert_eq!((told(&view).as_str(), told(&track).as_str()), (of_view, of_table));
        }
    }

    #[test]
    fn labels_are_named_once() {
        for (labels, text) in [
            (&["A"][..], "Kind of the t, one of A."),
            (&["A", "B"], "Kind of the t, one of A or B."),
            (&["A", "B", "C", "D", "E", "F"], "Kind of the t, one of A, B, C, D or 2 others."),
        ] {
            let labels: Vec<String> = labels.iter().map(|label| (*label).to_owned()).collect();
            let column = Column { name: "kind".into(), labels: labels.clone(), ..Column::default() };
            let table = Table { name: "t".into(), ..Table::default() };
            let (found, _) = super::column(&sqlite(), &table, &column, &|_| false, &plain);
            assert_eq!((found.as_str(), says_all(&found, &labels)), (text, labels.len() < 6));
        }
    }

    #[test]
    fn tables_are_described_by_their_keys() {
        let keyed = |name: &str, columns: &[&str], keys: Vec<ForeignKey>| Table {
            name: name.into(),
            primary_key: Some(Key { name: None, columns: columns.iter().map(|it| (*it).into()).collect() }),
            foreign_keys: keys,
            ..Table::default()
        };
        let pair =
            keyed("PlaylistTrack", &["p", "t"], vec![key(&["p"], "Playlist", &["id"]), key(&["t"], "Track", &["id"])]);
        assert_eq!(super::table(&pair, &[], &|_| None, &plain), "Joins Playlist and Track: each row is one pair.");
        let one = keyed("one", &["id"], vec![key(&["id"], "customer", &["id"]), key(&["u"], "invoice", &["id"])]);
        let expected = "Table \u{201c}one\u{201d}; each row is identified by id. Refers to customer and invoice.";
        assert_eq!(super::table(&one, &[], &|_| None, &plain), expected);
        let signs = Table { name: "-->".into(), ..Table::default() };
        assert_eq!(super::table(&signs, &[], &|_| None, &plain), "Table \u{201c}-->\u{201d}; it has no primary key.");
        let album = keyed("Album", &["id"], vec![key(&["a"], "Artist", &["id"])]);
        assert_eq!(
            super::table(&album, &["Track".into()], &|_| None, &plain),
            "Table \u{201c}album\u{201d}; each row is identified by id. Refers to Artist. Referred to by Track."
        );
        let view = Table {
            name: "rich".into(),
            kind: TableKind::View,
            reads_from: vec![TableName { schema: "main".into(), name: "a".into() }],
            ..Table::default()
        };
        assert_eq!(super::table(&view, &[], &|_| None, &plain), "View \u{201c}rich\u{201d} over a.");
        let of_view = super::table(&view, &[], &|_| None, &TableName::full);
        assert_eq!(of_view, "View \u{201c}rich\u{201d} over main.a.");
        let of_album = super::table(&album, &[], &|_| None, &TableName::full);
        assert!(of_album.ends_with("Refers to main.Artist."), "{of_album}");
        let column = Column { name: "a".into(), ..Column::default() };
        let of_column = super::column(&sqlite(), &album, &column, &|_| false, &TableName::full).0;
        assert_eq!(of_column, "A: refers to main.Artist by id.");
        assert_eq!(list(&["a", "b", "c", "d", "e", "f"]), "a, b, c, d and 2 more");
    }
}
