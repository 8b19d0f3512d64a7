//! The bar in the top line, which fills up to the user's token limit.

use crate::common::budget::{limit_of, percent, short};
use crate::tui::state::State;
use refdesk_desk::CostChange;

const CELLS: u64 = 10;

/// Precedes `198% of 1k`, and is left out where it has no room.
pub const OVER: &str = "over the limit: ";

/// The number of full cells for this many tokens, rounded. The bar is full only at the limit.
fn full(tokens: u64, limit: u64) -> u64 {
    let limit = limit.max(1);
    match (u128::from(tokens) * u128::from(CELLS) + u128::from(limit / 2)) / u128::from(limit) {
        cells if tokens < limit => u64::try_from(cells).unwrap_or(CELLS).min(CELLS - 1),
        _ => CELLS,
    }
}

/// `▕███████░░░▏ of 128k`.
pub fn bar(state: &State) -> String {
    let glyphs = &state.skin.glyphs;
    let full = full(state.counts.tokens, limit_of(state.token_limit));
    let cells = (0..CELLS).map(|cell| if cell < full { glyphs.full } else { glyphs.empty }).collect::<String>();
    format!("{}{cells}{} {}", glyphs.bar_left, glyphs.bar_right, of_limit(state))
}

/// `of 128k`.
pub fn of_limit(state: &State) -> String {
    format!("of {}", short(limit_of(state.token_limit)))
}

/// `over the limit: 198% of 1k` if an agent gets more tokens than the limit.
pub fn over(state: &State) -> Option<String> {
    over_limit(state, state.counts.tokens)
}

/// The same sentence for the total after a change that adds tokens.
pub fn over_after(state: &State, change: CostChange) -> Option<String> {
    let more = u64::try_from(change.total).ok().filter(|more| *more > 0)?;
    over_limit(state, state.counts.tokens.saturating_add(more))
}

fn over_limit(state: &State, tokens: u64) -> Option<String> {
    let limit = limit_of(state.token_limit);
    (tokens > limit).then(|| format!("{OVER}{} of {}", percent(tokens, limit), short(limit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_rounded_to_the_nearest_cell_but_full_only_at_the_limit() {
        for (tokens, cells) in [(0, 0), (1, 0), (4, 0), (5, 1), (50, 5), (99, 9), (100, 10), (u64::MAX, 10)] {
            assert_eq!(full(tokens, 100), cells, "{tokens}");
        }
    }
}
