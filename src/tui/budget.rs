//! The limit of tokens that the user set, and the bar that fills up to it.

use crate::tui::state::State;

/// The limit until another one is set: what many models read at once.
const USUAL: u64 = 128_000;

/// Cells of the bar.
const CELLS: u64 = 10;

pub fn limit_of(state: &State) -> u64 {
    state.remembered.token_limit.filter(|limit| *limit > 0).unwrap_or(USUAL)
}

/// The number of a limit as typed: `128k`, `200,000`, `1m`.
pub fn parse_limit(typed: &str) -> Option<u64> {
    let typed = typed.trim().to_ascii_lowercase().replace([',', '_', ' '], "");
    let (digits, unit) = match typed.strip_suffix('k') {
        Some(digits) => (digits, 1_000),
        None => match typed.strip_suffix('m') {
            Some(digits) => (digits, 1_000_000),
            None => (typed.as_str(), 1),
        },
    };
    let number = digits.parse::<u64>().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    number.checked_mul(unit).filter(|limit| (1..=1_000_000_000).contains(limit))
}

/// A limit in as few characters as say it exactly: `128k`, `1m`, `4096`.
pub fn short(limit: u64) -> String {
    match limit {
        _ if limit.is_multiple_of(1_000_000) => format!("{}m", limit / 1_000_000),
        _ if limit.is_multiple_of(1_000) => format!("{}k", limit / 1_000),
        _ => limit.to_string(),
    }
}

/// How many cells of the bar are full for this many tokens: none only for none, all only at the limit.
fn full(tokens: u64, limit: u64) -> u64 {
    match (u128::from(tokens) * u128::from(CELLS)).div_ceil(u128::from(limit.max(1))) {
        cells if tokens < limit => u64::try_from(cells).unwrap_or(CELLS).min(CELLS - 1),
        _ => CELLS,
    }
}

/// `▕███████░░░▏ of 128k`.
pub fn bar(state: &State) -> String {
    let (glyphs, limit) = (&state.skin.glyphs, limit_of(state));
    let full = full(state.counts.tokens, limit);
    let cells = (0..CELLS).map(|cell| if cell < full { glyphs.full } else { glyphs.empty }).collect::<String>();
    format!("{}{cells}{} of {}", glyphs.bar_left, glyphs.bar_right, short(limit))
}

/// `over limit 198 % of 1k`, if the selection costs more than that.
pub fn over(state: &State) -> Option<String> {
    let (tokens, limit) = (state.counts.tokens, limit_of(state));
    (tokens > limit).then(|| format!("over limit {} % of {}", percent(tokens, limit), short(limit)))
}

/// The share of a limit, rounded up: what is over it is never 100 %.
pub fn percent(tokens: u64, limit: u64) -> u128 {
    (u128::from(tokens) * 100).div_ceil(u128::from(limit.max(1)))
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
            ("4096", Some(4096)),
            ("0", None),
            ("", None),
            ("k", None),
            ("-5", None),
            ("+5", None),
            ("1.5k", None),
            ("99999999999999999999k", None),
        ] {
            assert_eq!(parse_limit(typed), limit, "{typed:?}");
        }
    }

    #[test]
    fn a_bar_is_empty_only_for_nothing_and_full_only_at_the_limit() {
        for (tokens, cells) in [(0, 0), (1, 1), (50, 5), (99, 9), (100, 10), (u64::MAX, 10)] {
            assert_eq!(full(tokens, 100), cells, "{tokens}");
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_parsed_again(limit in 1..1_000_000_000u64) {
            prop_assert_eq!(parse_limit(&short(limit)), Some(limit));
        }
    }
}
