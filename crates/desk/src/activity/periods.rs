//! Tokens over time, in a fixed number of periods. When a session outlasts them, the length of each doubles.

use std::time::Duration;

use jiff::Timestamp;

const MAX: usize = 24;

/// The initial length of a period, in seconds.
const SHORTEST: i64 = 60;

/// Tokens in periods of equal length.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenPeriods {
    /// The start of the first period, in seconds since 1970.
    begin: i64,
    /// The length of a period in seconds; 0 before the first tokens.
    length: i64,
    tokens: Vec<u64>,
}

impl TokenPeriods {
    /// The tokens of each period, oldest first; at most 24.
    pub fn tokens(&self) -> &[u64] {
        &self.tokens
    }

    /// The length of a period.
    pub fn length(&self) -> Duration {
        Duration::from_secs(u64::try_from(self.length).unwrap_or(0))
    }

    /// Adds tokens. Tokens from before the first period count toward it.
    pub fn add(&mut self, time: Timestamp, tokens: u64) {
        let second = time.as_second();
        if self.length == 0 {
            (self.begin, self.length) = (second, SHORTEST);
        }
        let index = loop {
            let index = usize::try_from(second.saturating_sub(self.begin) / self.length).unwrap_or(0);
            if index < MAX {
                break index;
            }
            self.length = self.length.saturating_mul(2);
            self.tokens = self.tokens.chunks(2).map(|pair| pair.iter().copied().fold(0, u64::saturating_add)).collect();
        };
        if self.tokens.len() <= index {
            self.tokens.resize(index + 1, 0);
        }
        if let Some(period) = self.tokens.get_mut(index) {
            *period = period.saturating_add(tokens);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn periods_become_longer() {
        for (added, length, expected) in [
            (vec![], 0, vec![]),
            (vec![(1000, 5)], 60, vec![5]),
            (vec![(1000, 5), (1059, 1), (1060, 2)], 60, vec![6, 2]),
            (vec![(1000, 5), (1180, 1)], 60, vec![5, 0, 0, 1]),
            (vec![(1000, 5), (900, 1)], 60, vec![6]),
            (vec![(0, 1), (60, 2), (120, 4), (24 * 60, 8)], 120, vec![3, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8]),
        ] {
            let mut periods = TokenPeriods::default();
            added.iter().for_each(|(second, tokens)| periods.add(at(*second), *tokens));
            assert_eq!((periods.length().as_secs(), periods.tokens()), (length, expected.as_slice()), "{added:?}");
        }
    }

    proptest! {
        #[test]
        fn no_token_is_lost(added in proptest::collection::vec((-100_000_000_000i64..100_000_000_000, 0..1000u64), 0..40)) {
            let mut periods = TokenPeriods::default();
            added.iter().for_each(|(second, tokens)| periods.add(at(*second), *tokens));
            prop_assert!(periods.tokens().len() <= MAX);
            prop_assert_eq!(periods.tokens().iter().sum::<u64>(), added.iter().map(|(_, tokens)| tokens).sum::<u64>());
        }
    }
}
