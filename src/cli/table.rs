//! Aligned columns for people. If a row is too wide for the terminal, its prose wraps, so that no line breaks at random
//! and no id, path or figure is truncated. In a file or a pipe, each row is one line.

use unicode_width::UnicodeWidthStr;

use super::output::terminal_width;
use refdesk_text::escape::one_line;

/// The blanks between two columns.
const GAP: usize = 2;

/// Columns are aligned up to this width, so that one id of ten thousand characters does not push everything else out of
/// sight.
const WIDEST: usize = 60;

/// A prose column that would be narrower than this goes below its row.
const NARROWEST: usize = 16;

/// The indent of a cell below its row, relative to the row.
const INDENT: usize = 4;

/// Rows as aligned columns, fitted to the terminal if there is one. The cells of `prose` columns may wrap.
pub fn table(rows: &[Vec<String>], prose: &[usize]) -> String {
    fitted(rows, prose, terminal_width()).concat()
}

/// [`table`] with a row of headings first, which also label the cells below their rows.
pub fn headed(rows: &[Vec<String>], prose: &[usize]) -> String {
    named(rows, prose, terminal_width())
}

fn named(rows: &[Vec<String>], prose: &[usize], width: Option<usize>) -> String {
    let mut rows = safe(rows);
    let layout = Layout::of(&rows, prose, width);
    if let Some((headings, rows)) = rows.split_first_mut() {
        for (at, heading) in headings.iter_mut().enumerate() {
            if !matches!(layout.columns.get(at), Some(Column::Below)) {
                continue;
            }
            for cell in rows.iter_mut().filter_map(|row| row.get_mut(at)).filter(|cell| !cell.is_empty()) {
                cell.insert_str(0, &format!("{heading}: "));
            }
            heading.clear();
        }
    }
    rows.iter().map(|row| layout.lines(row)).collect()
}

/// Each row as lines of at most this width, if one is given. Cells are made safe to print.
pub fn fitted(rows: &[Vec<String>], prose: &[usize], width: Option<usize>) -> Vec<String> {
    let rows = safe(rows);
    let layout = Layout::of(&rows, prose, width);
    rows.iter().map(|row| layout.lines(row)).collect()
}

fn safe(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| one_line(cell).into_owned()).collect()).collect()
}

struct Layout {
    columns: Vec<Column>,
    /// The width of the terminal.
    most: Option<usize>,
}

#[derive(Clone, Copy)]
enum Column {
    /// Padded to this width; wider cells stay whole.
    Whole(usize),
    Wrapped(usize),
    /// On separate lines below the row.
    Below,
}

impl Layout {
    fn of(rows: &[Vec<String>], prose: &[usize], most: Option<usize>) -> Self {
        let count = rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize, of: fn(&str) -> usize| {
            rows.iter().filter_map(|row| row.get(column)).map(|cell| of(cell)).max().unwrap_or(0)
        };
        let full: Vec<usize> = (0..count).map(|column| widest(column, UnicodeWidthStr::width)).collect();
        let whole = |column: usize| full.get(column).copied().unwrap_or(0);
        let padded = |column: usize| whole(column).min(WIDEST);
        let mut columns: Vec<Column> = (0..count).map(|column| Column::Whole(padded(column))).collect();
        let is_prose = |column: &usize| prose.contains(column);
        let rigid: usize = (0..count).filter(|column| !is_prose(column)).map(|column| padded(column) + GAP).sum();
        let wanted: usize = (0..count).filter(is_prose).map(|column| whole(column) + GAP).sum();
        let Some(room) = most.map(|most| (most + GAP).saturating_sub(rigid)).filter(|room| wanted > *room) else {
            return Self { columns, most };
        };
        // A word wider than a line would not fit below the row either.
        let word = |column: usize| match widest(column, widest_word) {
            word if most.is_some_and(|most| word + INDENT > most) => 0,
            word => word,
        };
        let least = |column: usize| whole(column).min(word(column).max(NARROWEST)) + GAP;
        let narrow: usize = (0..count).filter(is_prose).map(least).sum();
        // Narrow columns above further lines would be hard to read.
        let can_wrap = narrow <= room;
        let mut spare = if can_wrap { room - narrow } else { room };
        for (at, column) in columns.iter_mut().enumerate().filter(|(at, _)| is_prose(at)) {
            let (least, whole) = (least(at), whole(at) + GAP);
            if can_wrap {
                let width = whole.min(least + spare);
                spare -= width - least;
                *column = Column::Wrapped(width - GAP);
            } else if whole <= spare {
                spare -= whole;
            } else {
                spare = 0;
                *column = Column::Below;
            }
        }
        Self { columns, most }
    }

    fn lines(&self, row: &[String]) -> String {
        let mut beside: Vec<(usize, Vec<String>)> = Vec::new();
        let mut below: Vec<&str> = Vec::new();
        for (cell, column) in row.iter().zip(&self.columns) {
            match *column {
                Column::Whole(width) => beside.push((width, vec![cell.clone()])),
                Column::Wrapped(width) => beside.push((width, wrap(cell, width))),
                Column::Below => below.push(cell),
            }
        }
        let mut text = String::new();
        for at in 0..beside.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0) {
            let mut line = String::new();
            for (width, lines) in &beside {
                let cell = lines.get(at).map_or("", String::as_str);
                line.push_str(cell);
                line.push_str(&" ".repeat(width.saturating_sub(cell.width()) + GAP));
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        let indent = INDENT + row.first().map_or(0, |first| first.len() - first.trim_start().len());
        for cell in below {
            let room = self.most.unwrap_or(usize::MAX).saturating_sub(indent);
            for line in wrap(cell, room).into_iter().filter(|line| !line.is_empty()) {
                text.push_str(&format!("{:indent$}{line}\n", ""));
            }
        }
        text
    }
}

fn widest_word(text: &str) -> usize {
    text.split(' ').map(UnicodeWidthStr::width).max().unwrap_or(0)
}

/// A text in lines of at most this width, broken at blanks; a wider word has its own line.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    if text.width() <= width {
        return vec![text.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        match lines.last_mut() {
            Some(line) if line.width() + 1 + word.width() <= width => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[test]
    fn only_prose_is_narrowed() {
        let sources = rows(&[
            &["●", "adr-001", "~1,200", "booking, rest api, partner, contract"],
            &["○", "an-id-that-must-be-typed", "-", "api"],
        ]);
        let simulated = rows(&[
            &["  source", "score", "because", "section"],
            &["  retry", "0.5", "its score is below the threshold", "\"Retry > Wait\", docs/patterns/retry.md:12"],
        ]);
        for (what, rows, prose, width, expected) in [
            (
                "a file gets a line a row",
                &sources,
                &[3][..],
                None,
                "●  adr-001                   ~1,200  booking, rest api, partner, contract
○  an-id-that-must-be-typed  -       api
",
            ),
            (
                "a terminal that is wide enough, too",
                &sources,
                &[3],
                Some(73),
                "●  adr-001                   ~1,200  booking, rest api, partner, contract
○  an-id-that-must-be-typed  -       api
",
            ),
            (
                "prose takes several lines",
                &sources,
                &[3],
                Some(60),
                "●  adr-001                   ~1,200  booking, rest api,
                                     partner, contract
○  an-id-that-must-be-typed  -       api
",
            ),
            (
                "and goes below where there is no room",
                &sources,
                &[3],
                Some(50),
                "●  adr-001                   ~1,200
    booking, rest api, partner, contract
○  an-id-that-must-be-typed  -
    api
",
            ),
            (
                "the last column of prose first, and no path is broken",
                &simulated,
                &[2, 3],
                Some(50),
                "  source  score  because
      section
  retry   0.5    its score is below the threshold
      \"Retry > Wait\", docs/patterns/retry.md:12
",
            ),
            (
                "what must be typed is never cut, however narrow the terminal is",
                &sources,
                &[3],
                Some(20),
                "●  adr-001                   ~1,200
    booking, rest
    api, partner,
    contract
○  an-id-that-must-be-typed  -
    api
",
            ),
        ] {
            assert_eq!(fitted(rows, prose, width).concat(), expected, "{what}");
        }
    }

    #[test]
    fn a_heading_names_what_goes_below() {
        let simulated = rows(&[
            &["  source", "score", "because", "section"],
            &["  retry", "0.5", "its score is below the threshold", "\"Retry > Wait\", docs/patterns/retry.md:12"],
            &["  saga", "0.4", "its mode is auto", ""],
        ]);
        let wide = "  source  score  because                           section
  retry   0.5    its score is below the threshold  \"Retry > Wait\", docs/patterns/retry.md:12
  saga    0.4    its mode is auto
";
        let narrow = "  source  score  because
  retry   0.5    its score is below the threshold
      section: \"Retry > Wait\",
      docs/patterns/retry.md:12
  saga    0.4    its mode is auto
";
        for (width, expected) in [(None, wide), (Some(52), narrow)] {
            assert_eq!(named(&simulated, &[2, 3], width), expected, "{width:?}");
        }
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_where_words_allow_it() {
        let table = rows(&[
            &[
                "  adr-003-idempotent-commands",
                "0.519",
                "yes",
                "the text contains one of its tags",
                "日本 語, adr",
                "its catalog entry",
            ],
            &["  pat-retry", "0.4", "no", "others match by tag", "", "\"Trying again\", docs/patterns/retry.md:11"],
        ]);
        for width in 44..160 {
            for line in named(&table, &[3, 4, 5], Some(width)).lines() {
                assert!(line.width() <= width, "{width}: {line}");
            }
        }
    }
}
