//! The right side of the view: the page of the row under the cursor, and what may be disclosed about its columns.

use refdesk_database::schema::plan::says_sensitive;
use refdesk_database::schema::table_doc::ColumnDoc;
use refdesk_desk::{DatabaseState, DatabaseSummary, TableSummary};

use super::DatabaseTab;
use crate::common::databases::{self, without_front_matter};
use crate::tui::action::Action;
use crate::tui::markdown::{self, FrontMatterFold, MarkdownLayout};
use crate::tui::source_state;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};

/// The maximum widths of a column's name and type.
const NAME: usize = 28;
const TYPE: usize = 18;

/// The text of the tab, laid out for this many columns.
pub fn text(state: &State, columns: usize) -> WrappedText {
    let lines = match state.databases.shown_tab() {
        DatabaseTab::Page => page(state, columns),
        DatabaseTab::Columns => column_lines(state),
        // Joins are drawn as rows by `join_view`.
        DatabaseTab::Joins => Vec::new(),
    };
    WrappedText::new(lines, columns)
}

fn page(state: &State, columns: usize) -> Vec<PageLine> {
    let view = &state.databases;
    let mut lines = Vec::new();
    let Some(row) = view.row() else { return lines };
    let Some(database) = view.database(row) else { return lines };
    if row.domain.is_none() {
        lines.extend(obstacle(state, database).map(|(text, role)| PageLine::new(text, role)));
    }
    match (view.page_path(), &view.shown.page) {
        (None, _) => {
            let why = unwritten(state, database, view.table());
            lines.extend(why.map(|why| PageLine::new(why, ThemeRole::Text)));
        }
        (Some(path), Some(page)) if page.path == path => match &page.text {
            Some(text) => {
                let glyphs = &state.skin.glyphs;
                let layout = MarkdownLayout {
                    columns,
                    glyphs,
                    front_matter: FrontMatterFold::Folded,
                    first_line: 1,
                    keeps_lines: false,
                };
                let mut made = markdown::lines(without_front_matter(text), &layout);
                made.cut_code();
                lines.extend(made.lines);
            }
            None => lines.push(PageLine::new(format!("{} cannot be read.", cells::clean(path)), ThemeRole::Error)),
        },
        // The page has been requested.
        (Some(_), _) => {}
    }
    lines
}

/// What prevents, or could prevent, reading a database.
fn obstacle(state: &State, database: &DatabaseSummary) -> Option<(String, ThemeRole)> {
    let overview = state.databases.overview.as_ref()?;
    let file = cells::clean(overview.file.unwrap_or_default());
    match &database.state {
        DatabaseState::Ready => None,
        DatabaseState::Off => {
            Some((format!("This database is switched off: enabled is false in {file}."), ThemeRole::Infra))
        }
        DatabaseState::Untrusted => Some((
            format!("This database waits for your trust: {} shows what would be read.", state.key(Action::Trust)),
            ThemeRole::Warning,
        )),
        DatabaseState::Wrong => Some((
            format!(
                "Its entry in {file} has errors, so it is not read: {} shows the problems.",
                state.key(Action::Problems)
            ),
            ThemeRole::Error,
        )),
        DatabaseState::Unreadable(why) => {
            Some((format!("It could not be read: {}.", cells::clean(why.trim_end_matches('.'))), ThemeRole::Error))
        }
    }
}

fn has_no_manifest(state: &State) -> bool {
    state.databases.overview.as_ref().is_some_and(|overview| overview.manifest_problem().is_some())
}

/// Why there is no page, and what to do about it.
fn unwritten(state: &State, database: &DatabaseSummary, table: Option<&TableSummary>) -> Option<String> {
    if table.is_some_and(|table| table.marks.is_skipped) {
        return Some("The plan leaves this table out, so it has no page.".to_owned());
    }
    if has_no_manifest(state) {
        let key = state.key(Action::Problems);
        return Some(format!("The manifest cannot be read, so no page is known: {key} shows the problem."));
    }
    let what = if table.is_some() { "This table" } else { "It" };
    (database.state == DatabaseState::Ready).then(|| {
        format!("{what} is not documented yet: {} shows what would be written.", state.key(Action::DocumentDatabases))
    })
}

/// What the page discloses of each column's values, and the rule that withholds the rest; without a page,
/// what the plan would disclose.
fn column_lines(state: &State) -> Vec<PageLine> {
    let view = &state.databases;
    let Some(table) = view.table() else { return Vec::new() };
    let rows = match table.rows {
        0 if table.planned_values.is_empty() => "The plan does not have this table.".to_owned(),
        0 => "The plan reads no rows of this table.".to_owned(),
        rows => format!("The plan says: at most {} rows of it are read.", cells::grouped(rows)),
    };
    let mut lines = vec![PageLine::new(rows, ThemeRole::Infra), PageLine::default()];
    let doc = view.shown.page.as_ref().and_then(|page| page.doc.as_deref());
    let columns: Vec<ColumnDetails> = match doc {
        Some(doc) => doc.columns.iter().map(of_column).collect(),
        None => table.planned_values.iter().map(|(name, notes)| of_plan(name, notes)).collect(),
    };
    let widest = |of: fn(&ColumnDetails) -> usize, most: usize| columns.iter().map(of).max().unwrap_or(0).min(most);
    let (name, kind) = (widest(|it| cells::width(&it.name), NAME), widest(|it| cells::width(&it.data_type), TYPE));
    let ellipsis = state.skin.glyphs.ellipsis;
    for column in &columns {
        let role = if column.is_sensitive { ThemeRole::Warning } else { ThemeRole::Text };
        let mut line = PageLine::new(format!("{}  ", cells::pad(&column.name, name, ellipsis)), ThemeRole::Strong);
        let mut hanging_indent = name + 2;
        if kind > 0 {
            line = line.then(&format!("{}  ", cells::pad(&column.data_type, kind, ellipsis)), ThemeRole::Infra);
            hanging_indent += kind + 2;
        }
        lines.push(line.then(&column.notes, role).hanging(hanging_indent));
    }
    lines
}

/// What may be disclosed about a column; its texts are cleaned for display.
struct ColumnDetails {
    name: String,
    data_type: String,
    notes: String,
    is_sensitive: bool,
}

fn of_column(column: &ColumnDoc) -> ColumnDetails {
    ColumnDetails {
        name: clean(&column.name),
        data_type: clean(&column.data_type),
        notes: clean(&databases::column_notes(column)),
        is_sensitive: column.sensitive.is_some(),
    }
}

fn of_plan(name: &str, notes: &str) -> ColumnDetails {
    let is_sensitive = says_sensitive(notes);
    ColumnDetails { name: clean(name), data_type: String::new(), notes: clean(notes), is_sensitive }
}

fn clean(text: &str) -> String {
    cells::clean(text).into_owned()
}

/// The row under the cursor in words: `documented table · 3 sensitive columns · @db-shop-sales picked`.
pub fn status(state: &State) -> String {
    let view = &state.databases;
    let Some(row) = view.row() else { return String::new() };
    let mut words = Vec::new();
    if let Some(table) = view.table() {
        let kind = table.kind.word();
        words.push(if table.page.is_some() { format!("documented {kind}") } else { format!("{kind} without a page") });
        words.extend(databases::marks(table.marks));
    } else if let Some(domain) = view.domain(row) {
        words.push(cells::counted(domain.tables.len(), "table"));
    } else if let Some(database) = view.database(row) {
        words.extend((!database.kind.is_empty()).then(|| database.kind.to_owned()));
        if database.domains.is_empty() {
            words.push(if has_no_manifest(state) { "pages unknown" } else { "not documented yet" }.to_owned());
        } else {
            words.push(cells::counted(database.domains.len(), "domain"));
            words.push(cells::counted(database.domains.iter().map(|it| it.tables.len()).sum(), "table"));
        }
    }
    if row.domain.is_some()
        && let Some(id) = state.in_databases()
    {
        words.push(format!("@{} {}", cells::clean(id), source_state::words(&state.snapshot, id)));
    }
    words.join(&format!(" {} ", state.skin.glyphs.dot))
}
