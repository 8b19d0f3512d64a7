//! The published profile of a column's sample.

use std::collections::BTreeMap;

use crate::sensitive::SensitiveRule;
use crate::sensitive::detect::{detect, detect_integer, is_dated, is_degree, may_be_phone_number};
use crate::statistics::SAMPLED_ROWS;
use crate::statistics::{ColumnProfile, ColumnStatistics, to_two_digits};

/// The most values of a small set.
pub(super) const SET: usize = 20;

/// A value of a set must occur in at least this many rows, and at least once per this many rows.
const SET_ROWS: (usize, usize) = (10, 100);

/// The most characters of a value of a set, and of a shape.
const SET_CHARACTERS: usize = 40;

/// The fewest rows that a published shape needs.
const SHAPE_ROWS: usize = 10;

/// The most shapes to publish.
const SHAPES: usize = 4;

/// Text with a greater average width counts as free text.
pub(super) const FREE_TEXT: usize = 60;

/// A value of a sample.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Cell {
    Null,
    /// A value that was not read.
    Unread,
    /// A number, and its text.
    Number(f64, String),
    /// A text, perhaps only its beginning.
    Text(String),
}

/// The profile to publish for the rows that were read. If there are others, they may have other values, so the set is not
/// known to be complete.
pub(crate) fn profile_of_rows(
    cells: &[Cell],
    are_all: bool,
    rule: Option<SensitiveRule>,
    is_lifted: bool,
) -> ColumnProfile {
    let mut found = profile(cells, rule, is_lifted);
    let rows = cells.len() as u64;
    if (!are_all || rows >= SAMPLED_ROWS) && found.sensitive.is_none() {
        found.statistics.sampled_rows = Some(rows);
        found.values = None;
    }
    found
}

/// The profile to publish for all values of a column. `rule` is why the column is sensitive by name or type. With
/// `is_lifted`, the configuration overrides its width.
pub(crate) fn profile(cells: &[Cell], rule: Option<SensitiveRule>, is_lifted: bool) -> ColumnProfile {
    let rows = cells.len();
    let nulls = cells.iter().filter(|cell| **cell == Cell::Null).count();
    let share =
        |step: usize| (rows > 0).then(|| u8::try_from((nulls * 100 / rows + step / 2) / step * step).unwrap_or(100));
    // Examine each distinct text once, no matter how many rows have it.
    let mut texts: BTreeMap<&str, usize> = BTreeMap::new();
    for cell in cells {
        if let Cell::Text(text) = cell
            && !text.is_empty()
        {
            *texts.entry(text).or_default() += 1;
        }
    }
    let with_text: usize = texts.values().sum();
    let width: usize = texts.iter().map(|(text, rows)| text.chars().count() * rows).sum();
    let rule = rule.or_else(|| detected(&texts, with_text)).or_else(|| detected_number(cells)).or_else(|| {
        let is_free = with_text > 0 && width > FREE_TEXT * with_text;
        (is_free && !is_lifted).then_some(SensitiveRule::FreeText)
    });
    if rule.is_some() {
        let statistics = ColumnStatistics { null_percent: share(5), ..ColumnStatistics::default() };
        return ColumnProfile { sensitive: rule, statistics, values: None };
    }
    let mut counts = texts.clone();
    for cell in cells {
        match cell {
            Cell::Number(_, text) => *counts.entry(text).or_default() += 1,
            Cell::Text(text) if text.is_empty() => *counts.entry(text).or_default() += 1,
            _ => {}
        }
    }
    // What was not read may be other values.
    let is_whole = !cells.contains(&Cell::Unread);
    let is_set = is_whole
        && !counts.is_empty()
        && counts.len() <= SET
        && counts.iter().all(|(value, count)| {
            *count >= SET_ROWS.0 && *count * SET_ROWS.1 >= rows && value.chars().count() <= SET_CHARACTERS
        });
    let years = years(&texts);
    let finite_number = |cell: &Cell| match cell {
        Cell::Number(number, _) => number.is_finite().then_some(*number),
        _ => None,
    };
    let numbers: Vec<f64> = cells.iter().filter_map(finite_number).collect();
    let statistics = ColumnStatistics {
        null_percent: share(1),
        distinct: (is_whole && !counts.is_empty()).then(|| to_two_digits(counts.len() as u64)),
        average_width: (with_text > 0).then(|| (width / with_text) as u64),
        magnitude: magnitude(numbers.iter().filter(|number| **number > 0.0)),
        negative_magnitude: magnitude(numbers.iter().filter(|number| **number < 0.0)),
        // That all are zero would be a value rather than a range.
        has_zero: numbers.contains(&0.0) && numbers.iter().any(|number| *number != 0.0),
        shapes: if years.is_some() { Vec::new() } else { shapes(&texts) },
        years,
        few_values: is_whole && !counts.is_empty() && counts.len() <= SET && rows > SET * 5,
        sampled_rows: None,
    };
    let values = is_set.then(|| in_order(counts.into_keys().collect()));
    ColumnProfile { sensitive: None, statistics, values }
}

/// Sorts numbers by value, followed by texts.
fn in_order(mut values: Vec<&str>) -> Vec<String> {
    let number = |value: &str| value.parse::<f64>().ok();
    values.sort_by(|a, b| match (number(a), number(b)) {
        (Some(one), Some(other)) => one.total_cmp(&other).then(a.cmp(b)),
        (one, other) => other.is_some().cmp(&one.is_some()).then(a.cmp(b)),
    });
    values.into_iter().map(str::to_owned).collect()
}

/// The kind that detectors found most, if they found any in at least two rows or in one of fifty. `texts` maps each
/// text to its number of rows, and `rows` is the total.
fn detected(texts: &BTreeMap<&str, usize>, rows: usize) -> Option<SensitiveRule> {
    found_often(texts.iter().filter_map(|(text, rows)| Some((detect(text)?, *rows))), rows)
}

fn found_often(kinds: impl Iterator<Item = (&'static str, usize)>, values: usize) -> Option<SensitiveRule> {
    let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
    for (kind, rows) in kinds {
        *counts.entry(kind).or_default() += rows;
    }
    let all: usize = counts.values().sum();
    let most = counts.into_iter().max_by_key(|(_, count)| *count)?.0;
    (all >= 2 || all * 50 >= values).then_some(SensitiveRule::Detected(most.into()))
}

/// Like [`detected`], for numbers. Where the digits of a single number prove nothing, as with coordinates or phone
/// numbers, at least half of the column must match.
fn detected_number(cells: &[Cell]) -> Option<SensitiveRule> {
    let numbers: Vec<(f64, &str)> = cells
        .iter()
        .filter_map(|cell| match cell {
            Cell::Number(number, text) => Some((*number, text.as_str())),
            _ => None,
        })
        .collect();
    let cards = numbers.iter().filter_map(|(_, text)| Some((detect_integer(text)?, 1)));
    let half = |count: usize| count > 0 && count * 2 >= numbers.len();
    found_often(cards, numbers.len()).or_else(|| {
        let to_call = numbers.iter().filter(|(_, text)| may_be_phone_number(text)).count();
        // Ratios have as many decimal places as coordinates, but are smaller.
        let is_ratio = numbers.iter().all(|(number, _)| number.abs() <= 1.0);
        let is_around = numbers.iter().all(|(number, _)| number.abs() <= 180.0);
        let degrees = numbers.iter().filter(|(number, text)| is_degree(*number, text)).count();
        match (half(to_call), half(degrees) && is_around && !is_ratio) {
            (true, _) => Some(SensitiveRule::Detected("phone".into())),
            (_, true) => Some(SensitiveRule::Detected("coordinates".into())),
            _ => None,
        }
    })
}

/// The first and the last year, if all texts are dates.
fn years(texts: &BTreeMap<&str, usize>) -> Option<(i32, i32)> {
    if texts.is_empty() || !texts.keys().all(|text| is_dated(text)) {
        return None;
    }
    let years = || texts.keys().filter_map(|text| text.get(..4)?.parse::<i32>().ok());
    Some((years().min()?, years().max()?))
}

/// The smallest and the largest power of ten of these numbers, none of which is zero.
fn magnitude<'n>(numbers: impl Iterator<Item = &'n f64> + Clone) -> Option<(i16, i16)> {
    // Between -324 and 308.
    let powers = numbers.map(|number| number.abs().log10().floor() as i16);
    Some((powers.clone().min()?, powers.max()?))
}

/// Characters of the shortest text that can be a UUID or a hash.
const HASH: usize = 32;

/// Whether a text is a UUID or a hash, whose letters and digits are random.
fn is_hash(text: &str) -> bool {
    text.len() >= HASH && text.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
}

/// The shapes of at least ten rows, the most frequent first.
fn shapes(texts: &BTreeMap<&str, usize>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let has_shape = |text: &str| text.chars().count() <= SET_CHARACTERS && !is_hash(text);
    for (text, rows) in texts.iter().filter(|(text, _)| has_shape(text)) {
        let shape: String = text
            .chars()
            .map(|c| match c {
                c if c.is_numeric() => '9',
                c if c.is_uppercase() => 'A',
                c if c.is_alphabetic() => 'a',
                c if c.is_ascii_punctuation() || c == ' ' => c,
                _ => '?',
            })
            .collect();
        *counts.entry(shape).or_default() += rows;
    }
    // A shape of only letters adds no information.
    let says_something = |shape: &String| shape.contains(|c: char| !matches!(c, 'a' | 'A' | ' ' | '?'));
    let mut found: Vec<(String, usize)> =
        counts.into_iter().filter(|(shape, count)| *count >= SHAPE_ROWS && says_something(shape)).collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    found.into_iter().take(SHAPES).map(|(shape, _)| shape).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(values: &[&str], times: usize) -> Vec<Cell> {
        let one = values.iter().map(|value| Cell::Text((*value).to_owned()));
        (0..times).flat_map(|_| one.clone()).collect()
    }

    #[test]
    fn small_frequent_sets_and_shapes_are_known() {
        let open = profile(&texts(&["open", "paid"], 60), None, false);
        assert_eq!(open.values, Some(vec!["open".to_owned(), "paid".to_owned()]));
        assert_eq!((open.statistics.distinct, open.statistics.few_values), (Some(2), true));
        let mut rare = texts(&["open", "paid"], 60);
        rare.push(Cell::Text("once".into()));
        let rare = profile(&rare, None, false);
        assert_eq!((rare.values, rare.statistics.few_values), (None, true));
        let codes = profile(&texts(&["AB-12", "CD-34"], 10), None, false);
        assert_eq!(codes.statistics.shapes, ["AA-99"]);
        let ids = ["0b6a8c1e-5d1c-4f0a-9a53-0d6f2b7c8e90", "d41d8cd98f00b204e9800998ecf8427e"];
        assert!(profile(&texts(&ids, 10), None, true).statistics.shapes.is_empty());
        let dates = profile(&texts(&["2021-05-01", "2024-01-31 10:00"], 2), None, false);
        assert_eq!((dates.statistics.years, dates.statistics.shapes.len()), (Some((2021, 2024)), 0));
    }

    fn numbers(values: &[f64]) -> Vec<Cell> {
        values.iter().map(|it| Cell::Number(*it, it.to_string())).collect()
    }

    #[test]
    fn numbers_are_described_by_the_powers_of_ten_around_them() {
        for (values, expected) in [
            (&[0.5, 0.0, 1_234.0][..], (Some((-1, 3)), None, true)),
            (&[-500.0, -1.0], (None, Some((0, 2)), false)),
            (&[1e200, 1e308], (Some((200, 308)), None, false)),
            (&[f64::MIN_POSITIVE, -f64::MAX], (Some((-308, -308)), Some((308, 308)), false)),
            (&[f64::INFINITY, 20.0], (Some((1, 1)), None, false)),
            (&[f64::INFINITY], (None, None, false)),
            (&[0.0], (None, None, false)),
        ] {
            let found = profile(&numbers(values), None, false).statistics;
            assert_eq!((found.magnitude, found.negative_magnitude, found.has_zero), expected, "{values:?}");
        }
    }

    #[test]
    fn what_was_not_read_may_be_other_values() {
        for (known, times, unread, expected) in [
            (Cell::Text("a".into()), 200, 0, (Some(0), Some(1), true, true)),
            (Cell::Text("a".into()), 100, 100, (Some(0), None, false, false)),
            (Cell::Number(7.0, "7".into()), 150, 1, (Some(0), None, false, false)),
            (Cell::Null, 999, 1, (Some(99), None, false, false)),
        ] {
            let cells = [vec![known; times], vec![Cell::Unread; unread]].concat();
            let ColumnProfile { statistics, values, .. } = profile(&cells, None, false);
            let ColumnStatistics { null_percent, distinct, few_values, .. } = statistics;
            assert_eq!((null_percent, distinct, few_values, values.is_some()), expected, "{times}, {unread}");
        }
    }

    #[test]
    fn sets_have_numbers_in_their_order() {
        let set = |values: &[&str]| profile(&texts(values, 10), None, false).values.unwrap_or_default().join(" ");
        assert_eq!(set(&["10", "2", "-1", "0.99", "b", "a", "1"]), "-1 0.99 1 2 10 a b");
    }

    #[test]
    fn a_sample_has_a_row_count_but_no_value_set() {
        for (rows, are_all, sampled, has_set) in
            [(999, true, None, true), (999, false, Some(999), false), (1_000, true, Some(1_000), false)]
        {
            let found = profile_of_rows(&vec![Cell::Number(0.99, "0.99".into()); rows], are_all, None, false);
            assert_eq!((found.statistics.sampled_rows, found.values.is_some()), (sampled, has_set), "{rows}");
            let sensitive = profile_of_rows(&texts(&["ann@example.org"], rows), are_all, None, false);
            assert_eq!(sensitive.statistics.sampled_rows, None, "{rows}");
        }
    }

    #[test]
    fn numbers_can_be_sensitive_too() {
        let column = |numbers: &[f64]| {
            let cells: Vec<Cell> = numbers.iter().map(|it| Cell::Number(*it, it.to_string())).collect();
            profile(&cells, None, true).sensitive.map(|rule| rule.words()).unwrap_or_default()
        };
        for (numbers, expected) in [
            (&[4_111_111_111_111_111.0, 5_555_555_555_554_444.0, 7.0][..], "values: card"),
            (&[4_915_112_345_671.0, 493_012_345_678.0, 12.0], "values: phone"),
            // A single large number among small ones is a size or a sum.
            (&[10_737_418_240.0, 12.0, 13.0], ""),
            (&[1_700_000_000_003.0, 1_700_000_000_004.0], ""),
            (&[52.520_008, 13.404_954, 48.1], "values: coordinates"),
            (&[0.123_45, 0.999_91], ""),
            (&[52.520_008, 1_000.123_45], ""),
            (&[9.99, 12.5], ""),
            (&[], ""),
        ] {
            assert_eq!(column(numbers), expected, "{numbers:?}");
        }
    }

    #[test]
    fn a_sensitive_column_has_only_its_share_of_nulls() {
        let mut cells = texts(&["ann@example.org"], 2);
        cells.extend((0..30).map(|_| Cell::Null));
        let found = profile(&cells, None, true);
        assert_eq!(found.sensitive, Some(SensitiveRule::Detected("e-mail".into())), "nothing lifts a detector");
        let only = ColumnStatistics { null_percent: Some(95), ..ColumnStatistics::default() };
        assert_eq!((found.statistics, found.values), (only, None));
        let long = texts(&["words and more words and still more words, so that nobody takes this for a name"], 3);
        assert_eq!(profile(&long, None, false).sensitive, Some(SensitiveRule::FreeText));
        assert_eq!(profile(&long, None, true).sensitive, None);
        let one_of_many = [texts(&["ann@example.org"], 1), texts(&["plain"], 99)].concat();
        assert_eq!(profile(&one_of_many, None, false).sensitive, None, "one of a hundred");
    }
}
