//! Deterministic schemas of any size as SQL: many tables with composite keys and cycles, names that are hard to quote,
//! and a company's tables.

use std::fmt::Write;

/// The database system that runs the statements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

/// A foreign key: its columns, the referenced table, and the columns there.
type ForeignKey = (Vec<String>, String, Vec<String>);

#[derive(Debug, Default)]
pub struct TableSpec {
    pub name: String,
    /// Columns with their types.
    pub columns: Vec<(String, String)>,
    pub primary_key: Vec<String>,
    pub foreign_keys: Vec<ForeignKey>,
}

/// Names that break code that does not quote, escape or check them. The last two differ only in case.
pub const ODD_NAMES: [&str; 16] = [
    "../../x",
    "a|b",
    "-->",
    "CON",
    "line\nbreak",
    "a \"quote\"",
    "it's",
    "`tick`",
    "[x](y)",
    "<b>bold</b>",
    "nul.txt",
    " spaces ",
    "select",
    "\u{202e}dlrow",
    "same",
    "Same",
];

/// The value of `email` in every table with an odd name.
pub const MARK: &str = "canary-7f3a@example.org";

impl TableSpec {
    fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), ..Self::default() }
    }

    fn column(&mut self, name: impl Into<String>, kind: &str) -> String {
        let name = name.into();
        self.columns.push((name.clone(), kind.to_owned()));
        name
    }

    /// A column of the primary key.
    fn primary(&mut self, name: impl Into<String>) {
        let name = self.column(name, "INTEGER");
        self.primary_key.push(name);
    }

    fn key(&mut self, column: impl Into<String>, target: &str, target_column: &str) {
        let column = self.column(column, "INTEGER");
        self.foreign_keys.push((vec![column], target.to_owned(), vec![target_column.to_owned()]));
    }
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn list(names: &[String]) -> String {
    names.iter().map(|name| quoted(name)).collect::<Vec<_>>().join(", ")
}

/// The statements that create these tables.
pub fn sql(tables: &[TableSpec], dialect: Dialect) -> String {
    let (mut out, mut keys) = ("BEGIN;\n".to_owned(), String::new());
    for table in tables {
        let mut parts: Vec<String> =
            table.columns.iter().map(|(name, kind)| format!("{} {kind}", quoted(name))).collect();
        parts.push(format!("PRIMARY KEY ({})", list(&table.primary_key)));
        for (columns, target, target_columns) in &table.foreign_keys {
            let key =
                format!("FOREIGN KEY ({}) REFERENCES {} ({})", list(columns), quoted(target), list(target_columns));
            match dialect {
                Dialect::Sqlite => parts.push(key),
                // A key cannot refer to a table that does not exist yet.
                Dialect::Postgres => writeln!(keys, "ALTER TABLE {} ADD {key};", quoted(&table.name)).unwrap(),
            }
        }
        writeln!(out, "CREATE TABLE {} ({});", quoted(&table.name), parts.join(", ")).unwrap();
    }
    format!("{out}{keys}COMMIT;\n")
}

/// A schema of this many tables of 14 columns: a tree of keys, a two-column key in every tenth table, and a cycle in
/// every fifty.
pub fn many_tables(count: usize) -> Vec<TableSpec> {
    const WORDS: [&str; 15] = [
        "order", "customer", "invoice", "item", "price", "stock", "ledger", "payment", "account", "zone", "bin",
        "parcel", "route", "driver", "vehicle",
    ];
    const TYPES: [&str; 4] = ["INTEGER", "TEXT", "NUMERIC(10, 2)", "TIMESTAMP"];
    let name = |at: usize| format!("{}_{at:05}", WORDS[at % WORDS.len()]);
    let is_composite = |at: usize| at % 10 == 9;
    let mut tables = Vec::with_capacity(count);
    for at in 0..count {
        let mut table = TableSpec::new(name(at));
        table.primary("id");
        if is_composite(at) {
            table.primary("version");
        }
        let parent = at.saturating_sub(1) / 4;
        if at > 0 && is_composite(parent) {
            let columns = vec![table.column("parent_id", "INTEGER"), table.column("parent_version", "INTEGER")];
            table.foreign_keys.push((columns, name(parent), vec!["id".into(), "version".into()]));
        } else if at > 0 {
            table.key("parent_id", &name(parent), "id");
        }
        // Two tables that refer to each other.
        if at % 50 == 20 && at + 1 < count {
            table.key("partner_id", &name(at + 1), "id");
        } else if at % 50 == 21 {
            table.key("partner_id", &name(at - 1), "id");
        }
        for nth in table.columns.len()..14 {
            table.column(format!("{}_{nth}", WORDS[(at + nth) % WORDS.len()]), TYPES[nth % 4]);
        }
        tables.push(table);
    }
    tables
}

/// A table for each odd name, with a column of the same name and marked rows.
pub fn odd_tables(dialect: Dialect) -> String {
    // SQLite ignores the case of names.
    let names = if dialect == Dialect::Sqlite { &ODD_NAMES[..15] } else { &ODD_NAMES[..] };
    let mut tables = Vec::new();
    for (at, name) in names.iter().enumerate() {
        let mut table = TableSpec::new(*name);
        table.primary("id");
        table.column(*name, "TEXT");
        table.column("email", "TEXT");
        let other = names[(at + 1) % names.len()];
        table.key(format!("to {other}"), other, "id");
        tables.push(table);
    }
    let mut out = sql(&tables, dialect);
    for name in names {
        for at in 0..12 {
            writeln!(out, "INSERT INTO {} (id, email) VALUES ({at}, '{MARK}');", quoted(name)).unwrap();
        }
    }
    out
}

/// 250 tables in ten areas with 314 keys and 2,659 columns. About one key in seven has a name that does not contain its
/// table's, ten have two columns, and some columns only look like keys.
pub fn company() -> Vec<TableSpec> {
    const AREAS: [[&str; 5]; 10] = [
        ["employee", "department", "position", "employment", "absence"],
        ["customer", "sales_order", "quote", "price_list", "territory"],
        ["invoice", "payment", "ledger_account", "budget", "cost_center"],
        ["product", "warehouse", "stock_item", "supplier", "purchase_order"],
        ["shipment", "carrier", "route", "vehicle", "parcel"],
        ["ticket", "team", "service_level", "article", "escalation"],
        ["campaign", "lead", "audience", "newsletter", "event"],
        ["project", "task", "milestone", "timesheet", "risk"],
        ["device", "license", "incident", "service", "access_role"],
        ["agreement", "clause", "dispute", "policy", "audit"],
    ];
    const HUBS: [&str; 4] = ["customer", "product", "department", "project"];
    const PEOPLE: [&str; 4] = ["created_by", "approved_by", "owner_id", "manager"];
    const ROLES: [&str; 4] = ["primary", "previous", "related", "original"];
    const WORDS: [(&str, &str); 16] = [
        ("name", "TEXT"),
        ("status", "TEXT"),
        ("code", "TEXT"),
        ("amount", "NUMERIC(12, 2)"),
        ("created_at", "TIMESTAMP"),
        ("valid_from", "DATE"),
        ("external_id", "TEXT"),
        ("quantity", "INTEGER"),
        ("is_active", "BOOLEAN"),
        ("remark", "TEXT"),
        ("currency", "TEXT"),
        ("valid_to", "DATE"),
        ("tax_id", "TEXT"),
        ("sort_no", "INTEGER"),
        ("rate", "NUMERIC(12, 2)"),
        ("source", "TEXT"),
    ];
    // In every second area, keys are named after their table.
    let id = |base: &str, area: usize| if area.is_multiple_of(2) { "id".to_owned() } else { format!("{base}_id") };
    let area_of = |base: &str| AREAS.iter().position(|area| area.contains(&base)).unwrap();
    let mut tables = Vec::new();
    for (area, bases) in AREAS.iter().enumerate() {
        for (nth, base) in bases.iter().enumerate() {
            let at = area * 5 + nth;
            let own = id(base, area);
            let (kind, line) = (format!("{base}_type"), format!("{base}_line"));
            let mut table = TableSpec::new(*base);
            table.primary(own.clone());
            table.key(format!("{kind}_id"), &kind, "id");
            let neighbour = bases[(nth + 1) % 5];
            table.key(format!("{neighbour}_id"), neighbour, &id(neighbour, area));
            let hub = HUBS[at % 4];
            match at % 5 {
                _ if hub == *base || hub == neighbour => {}
                0 | 1 => table.key(format!("{}_{hub}_id", ROLES[at % 4]), hub, &id(hub, area_of(hub))),
                _ => table.key(format!("{hub}_id"), hub, &id(hub, area_of(hub))),
            }
            if at % 25 == 3 {
                table.column("legacy_customer_id", "INTEGER");
            }
            tables.push(table);
            let mut table = TableSpec::new(kind);
            table.primary("id");
            tables.push(table);
            let mut table = TableSpec::new(line.clone());
            table.key(format!("{base}_id"), base, &own);
            table.primary_key.push(format!("{base}_id"));
            table.primary("line_no");
            tables.push(table);
            let mut table = TableSpec::new(format!("{base}_note"));
            table.primary("id");
            if nth == 2 {
                let columns = vec![table.column("about_id", "INTEGER"), table.column("about_line", "INTEGER")];
                table.foreign_keys.push((columns, line, vec![format!("{base}_id"), "line_no".to_owned()]));
            } else {
                table.key(format!("{base}_id"), base, &own);
            }
            tables.push(table);
            let mut table = TableSpec::new(format!("{base}_history"));
            table.primary("id");
            table.key(format!("{base}_id"), base, &own);
            tables.push(table);
        }
    }
    // Keys whose names do not contain the table, up to the wanted number.
    let mut left = 314 - tables.iter().map(|table| table.foreign_keys.len()).sum::<usize>();
    for (at, table) in tables.iter_mut().enumerate().filter(|(at, _)| at % 5 == 3 || at % 5 == 0) {
        if left > 0 && table.name != "employee" {
            table.key(PEOPLE[at % 4], "employee", "id");
            left -= 1;
        }
    }
    let missing = 2_659 - tables.iter().map(|table| table.columns.len()).sum::<usize>();
    for added in 0..missing {
        let (table, round) = (added % tables.len(), added / tables.len());
        let (name, kind) = WORDS[(table + round) % WORDS.len()];
        tables[table].column(name, kind);
    }
    tables
}
