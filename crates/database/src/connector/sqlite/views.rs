//! Finds the names in the texts of views, and estimates how large a view becomes when SQLite expands the views in it.
//! Expansion cannot be interrupted, and doubles with each view that reads the previous one twice, so the size is
//! estimated before SQLite prepares the view.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::Object;
use super::lexer::{Kind, Lexer, Token};

/// The most words and columns of a view, including those of every view that it reads, each time it reads it.
pub(super) const VIEW_SIZE: usize = 200_000;

/// The deepest nesting of views; SQLite rejects more.
const DEPTH: usize = 200;

/// The most columns that a `*` expands to; SQLite rejects more.
const WIDTH: usize = 2_000;

/// Words that end the table list of a `SELECT`. None can be a name without quotes.
const ENDS: [&str; 9] = ["select", "where", "group", "having", "order", "limit", "union", "except", "intersect"];

/// The tables and views of a file.
pub(super) struct ViewTexts<'o> {
    /// By lower-case name.
    objects: HashMap<String, &'o Object>,
    sizes: RefCell<HashMap<String, Size>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Size {
    words: usize,
    columns: usize,
}

const TOO_LARGE: Size = Size { words: usize::MAX, columns: WIDTH };

/// The parsed text of a view.
#[derive(Debug, Default, PartialEq, Eq)]
struct ViewText {
    words: usize,
    commas: usize,
    /// How often it selects all columns.
    stars: usize,
    /// The tables that it reads, in lower case, once per occurrence.
    tables: Vec<String>,
    /// The names of its common table expressions.
    own: HashSet<String>,
}

impl<'o> ViewTexts<'o> {
    pub(super) fn new(objects: &'o [Object]) -> Self {
        let objects = objects.iter().map(|object| (object.name.to_ascii_lowercase(), object)).collect();
        Self { objects, sizes: RefCell::default() }
    }

    /// Whether the view is too large to be prepared by SQLite.
    pub(super) fn is_too_large(&self, view: &str) -> bool {
        self.size(&view.to_ascii_lowercase(), DEPTH).words > VIEW_SIZE
    }

    fn size(&self, name: &str, depth: usize) -> Size {
        if let Some(size) = self.sizes.borrow().get(name) {
            return *size;
        }
        let Some(object) = self.objects.get(name) else { return Size { words: 0, columns: 0 } };
        if object.is_cut || depth == 0 {
            return TOO_LARGE;
        }
        // SQLite rejects a view that reads itself.
        self.sizes.borrow_mut().insert(name.to_owned(), Size { words: 0, columns: 0 });
        let text = ViewText::read(&object.sql);
        let size = if object.is_view {
            let read: Vec<Size> = text.tables.iter().map(|table| self.size(table, depth - 1)).collect();
            let all = read.iter().fold(0, |sum: usize, size| sum.saturating_add(size.columns));
            let columns = all.saturating_mul(text.stars).saturating_add(text.commas + 1).min(WIDTH);
            let own = text.words.saturating_add(columns);
            Size { words: read.iter().fold(own, |sum, size| sum.saturating_add(size.words)), columns }
        } else {
            Size { words: 0, columns: (text.commas + 1).min(WIDTH) }
        };
        self.sizes.borrow_mut().insert(name.to_owned(), size);
        size
    }

    /// The tables and views that a view reads, directly or not, as spelled in the file.
    pub(super) fn tables_of(&self, view: &str) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        let mut waiting = vec![view.to_ascii_lowercase()];
        while let Some(name) = waiting.pop() {
            let Some(object) = self.objects.get(&name).filter(|object| object.is_view) else { continue };
            let text = ViewText::read(&object.sql);
            for table in text.tables.into_iter().filter(|table| !text.own.contains(table)) {
                if let Some(object) = self.objects.get(&table)
                    && found.insert(object.name.clone())
                {
                    waiting.push(table);
                }
            }
        }
        found
    }
}

impl ViewText {
    fn read(sql: &str) -> Self {
        let tokens: Vec<Token<'_>> = Lexer::new(sql).filter(|token| token.comment().is_none()).collect();
        let mut text = Self { words: tokens.len(), ..Self::default() };
        // For each open parenthesis, whether it encloses a list of tables; and whether a table comes next.
        let mut lists = vec![false];
        let mut is_table_next = false;
        for (at, token) in tokens.iter().enumerate() {
            let is_next = |sign: char| tokens.get(at + 1).is_some_and(|next| next.is_symbol(sign));
            let before = |distance: usize| at.checked_sub(distance).and_then(|at| tokens.get(at));
            let is_before = |distance: usize, sign: char| before(distance).is_some_and(|it| it.is_symbol(sign));
            let follows = |words: &[&str]| before(1).is_some_and(|it| words.iter().any(|word| it.is(word)));
            match &token.kind {
                Kind::Comment(_) | Kind::Symbol('.') => {}
                Kind::Symbol('(') => lists.push(is_table_next),
                Kind::Symbol(')') => {
                    lists.pop();
                    is_table_next = false;
                }
                Kind::Symbol(',') => {
                    text.commas += 1;
                    is_table_next = lists.last() == Some(&true);
                }
                Kind::Symbol('*') => {
                    let is_all = is_before(1, '.') || is_before(1, ',') || follows(&["select", "distinct", "all"]);
                    text.stars += usize::from(is_all);
                }
                Kind::Symbol(_) => is_table_next = false,
                _ if token.is("from") && !follows(&["distinct"]) => {
                    set_last(&mut lists, true);
                    is_table_next = true;
                }
                _ if token.is("join") => is_table_next = true,
                // The parentheses contain a list of values or a query.
                _ if token.is("in") => is_table_next = !is_next('('),
                _ if ENDS.iter().any(|end| token.is(end)) => {
                    set_last(&mut lists, false);
                    is_table_next = false;
                }
                Kind::Word(_) | Kind::Quoted(_) | Kind::Text => {
                    let name = token.name().to_ascii_lowercase();
                    let begins_query = || is_next('(') || tokens.get(at + 1).is_some_and(|next| next.is("as"));
                    let is_own =
                        follows(&["with", "recursive"]) || (is_before(1, ',') && is_before(2, ')') && begins_query());
                    // A name before a dot is a schema.
                    if is_table_next && !is_next('.') {
                        text.tables.push(name.clone());
                        is_table_next = false;
                    }
                    if is_own {
                        text.own.insert(name);
                    }
                }
            }
        }
        text
    }
}

fn set_last(lists: &mut [bool], value: bool) {
    if let Some(last) = lists.last_mut() {
        *last = value;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_names_its_tables() {
        for (sql, tables, stars) in [
            ("create view v as select a.x, b from a", "a", 0),
            ("SELECT * FROM main.A, \"b c\" x, [d] JOIN main . `e` ON e.x IN (1, f) WHERE g IN h, i", "a,b c,d,e,h", 1),
            (
                "select x, (select y from a, b where c, d), e from (f join g using (h, i)), (select * from j), k",
                "a,b,f,g,j,k",
                1,
            ),
            ("select count(*), a * b, p.* from c p where x is distinct from y group by z, t", "c", 1),
            ("with q as (select 1), r(a, b) as (select * from s) select distinct * from q, r", "s,q,r", 2),
            ("select 1 from a window, b union select 2 from c order by d, e", "a,b,c", 0),
            ("select * from 'a' join \u{1f600} , nb\u{a0}sp /* , c */ -- , d", "a,\u{1f600},nb\u{a0}sp", 1),
            ("select ')' from (((a, b)), c), d)) , e from f", "a,b,c,d,f", 0),
        ] {
            let text = ViewText::read(sql);
            assert_eq!((text.tables.join(",").as_str(), text.stars), (tables, stars), "{sql}");
        }
    }

    fn objects(texts: &[(&str, &str)]) -> Vec<Object> {
        let object = |(name, sql): &(&str, &str)| Object {
            name: (*name).to_owned(),
            is_view: sql.to_lowercase().starts_with("create view"),
            sql: (*sql).to_owned(),
            is_cut: false,
        };
        texts.iter().map(object).collect()
    }

    #[test]
    fn views_that_grow_are_too_large() {
        let wide = (0..1_000).map(|at| format!("c{at}")).collect::<Vec<_>>().join(", ");
        let chain = |first: &str, body: &str, count: usize| {
            let mut texts =
                vec![("a".to_owned(), format!("CREATE TABLE a ({wide})")), ("w0".to_owned(), first.to_owned())];
            let of = |at: usize| (format!("w{at}"), body.replace("{}", &format!("w{}", at - 1)));
            texts.extend((1..=count).map(of));
            let texts: Vec<(&str, &str)> = texts.iter().map(|(name, sql)| (name.as_str(), sql.as_str())).collect();
            let objects = objects(&texts);
            let views = ViewTexts::new(&objects);
            (0..=count).find(|at| views.is_too_large(&format!("W{at}")))
        };
        let one = "CREATE VIEW w AS SELECT c1 FROM a";
        for (body, count, first) in [
            ("CREATE VIEW w AS SELECT x FROM {}", 150, None),
            ("CREATE VIEW w AS SELECT p.x FROM {} p, {} q", 40, Some(13)),
            ("CREATE VIEW w AS SELECT p.x FROM main.{} p CROSS JOIN main.\"{}\" q", 40, Some(13)),
            ("CREATE VIEW w AS SELECT 1 x WHERE 1 IN {} AND 2 IN {}", 40, Some(13)),
            ("CREATE VIEW w AS SELECT {}.a, {}.b, {}.c FROM {}", 100, None),
        ] {
            let found = chain(one, body, count);
            assert_eq!(found.is_some(), first.is_some(), "{body}: {found:?}");
            assert!(found.unwrap_or(0).abs_diff(first.unwrap_or(0)) < 2, "{body}: {found:?}");
        }
        let all = "CREATE VIEW w AS SELECT * FROM a";
        assert_eq!(chain(all, "CREATE VIEW w AS SELECT p.* FROM {} p, {} q", 40), Some(7), "columns count, too");
        assert_eq!(chain(all, "CREATE VIEW w AS SELECT * FROM w1", 1), None, "it reads itself");
        let cut = Object { is_cut: true, ..objects(&[("v", "CREATE VIEW v AS SELECT 1")]).remove(0) };
        assert!(ViewTexts::new(&[cut]).is_too_large("v"));
    }

    #[test]
    fn tables_of_a_view_are_found_through_other_views() {
        let objects = objects(&[
            ("Base", "CREATE TABLE Base (a)"),
            ("hidden", "CREATE TABLE hidden (a)"),
            ("one", "CREATE VIEW one AS SELECT count(*) AS n FROM base"),
            ("two", "CREATE VIEW two AS WITH hidden AS (SELECT 1) SELECT * FROM one, hidden, none"),
        ]);
        let views = ViewTexts::new(&objects);
        assert_eq!(views.tables_of("Two"), BTreeSet::from(["Base".to_owned(), "one".to_owned()]));
    }
}
