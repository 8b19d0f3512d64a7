//! The user's token limit: how it is typed and shown, and what share of it something costs.

use std::cmp::Ordering;

use refdesk_text::tokens::{counted, grouped};

/// The default limit, which is the context size of many models.
pub const DEFAULT_LIMIT: u64 = 128_000;

pub fn limit_of(set: Option<u64>) -> u64 {
    set.filter(|limit| *limit > 0).unwrap_or(DEFAULT_LIMIT)
}

/// Parses a limit such as `128k`, `200,000`, `1m` or `2.5k`.
pub fn parse_limit(typed: &str) -> Option<u64> {
    const SEPARATORS: [char; 3] = [',', '_', ' '];
    let typed = typed.trim().to_ascii_lowercase();
    let (digits, zeros) = match typed.strip_suffix('k') {
        Some(digits) => (digits, 3),
        None => typed.strip_suffix('m').map_or((typed.as_str(), 0), |digits| (digits, 6)),
    };
    let (whole, part) = digits.trim_end().split_once('.').unwrap_or((digits.trim_end(), "0"));
    // Elsewhere, a comma is a decimal point in many languages.
    let mut groups = whole.split(SEPARATORS);
    let first = groups.next().unwrap_or_default();
    let is_grouped = whole == first
        || (1..=3).contains(&first.len()) && !first.starts_with('0') && groups.all(|group| group.len() == 3);
    let whole = Some(whole.replace(SEPARATORS, "")).filter(|_| is_grouped)?;
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_exact = part.len() <= zeros || part == "0";
    let part = if part == "0" { "" } else { part };
    let number = format!("{whole}{part:0<zeros$}").parse::<u64>().ok();
    let number = number.filter(|_| is_number(&whole) && (part.is_empty() || is_number(part)) && is_exact)?;
    (1..=1_000_000_000).contains(&number).then_some(number)
}

/// `128,000 tokens`: a limit is exact.
pub fn limit_in_words(limit: u64) -> String {
    counted(usize::try_from(limit).unwrap_or(usize::MAX), "token")
}

/// A limit in the shortest exact form: `128k`, `1m`, `4,096`.
pub fn short(limit: u64) -> String {
    match limit {
        _ if limit.is_multiple_of(1_000_000) => format!("{}m", limit / 1_000_000),
        _ if limit.is_multiple_of(1_000) => format!("{}k", limit / 1_000),
        _ => grouped(limit),
    }
}

/// `127%`, rounded, but 100% only at exactly the limit.
pub fn percent(tokens: u64, limit: u64) -> String {
    let limit = limit.max(1);
    let nearest = (u128::from(tokens) * 100 + u128::from(limit / 2)) / u128::from(limit);
    let share = match tokens.cmp(&limit) {
        Ordering::Less => nearest.min(99),
        Ordering::Equal => 100,
        Ordering::Greater => nearest.max(101),
    };
    format!("{}%", grouped(u64::try_from(share).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn limits_as_people_type_them() {
        for (typed, limit) in [
            ("128k", Some(128_000)),
            (" 1M ", Some(1_000_000)),
            ("200,000", Some(200_000)),
            ("1,234,567", Some(1_234_567)),
            ("1_500 k", Some(1_500_000)),
            ("4096", Some(4096)),
            // A decimal comma is not taken for a separator.
            ("1,5m", None),
            ("2,50k", None),
            ("1,2345", None),
            ("0,500k", None),
            ("1000,000", None),
            (",500", None),
            ("1,", None),
            ("1.500,000m", None),
            ("0", None),
            ("", None),
            ("k", None),
            ("-5", None),
            ("+5", None),
            ("1.5k", Some(1_500)),
            ("1.25m", Some(1_250_000)),
            ("1.0", Some(1)),
            ("1.5", None),
            ("1.2345k", None),
            (".5k", None),
            ("1.5.5k", None),
            ("99999999999999999999k", None),
        ] {
            assert_eq!(parse_limit(typed), limit, "{typed:?}");
        }
    }

    #[test]
    fn a_share_is_rounded_to_the_nearest_but_never_to_the_limit() {
        for (tokens, limit, expected) in [
            (0, 1_000, "0%"),
            (1_432, 1_000, "143%"),
            (1_902, 1_000, "190%"),
            (1_902, 1_500, "127%"),
            (999, 1_000, "99%"),
            (1_000, 1_000, "100%"),
            (1_001, 1_000, "101%"),
            (461_790, 1_000, "46,179%"),
            (u64::MAX, 1, "18,446,744,073,709,551,615%"),
            (0, 0, "0%"),
        ] {
            assert_eq!(percent(tokens, limit), expected, "{tokens} of {limit}");
        }
    }

    proptest! {
        #[test]
        fn printed_limits_parse_back(limit in 1..1_000_000_000u64) {
            prop_assert_eq!(parse_limit(&short(limit)), Some(limit));
        }
    }
}
