//! Reproducible random numbers: the seed is printed, and `REFDESK_SEED` sets it.

use std::time::{SystemTime, UNIX_EPOCH};

/// Pseudo-random numbers (SplitMix64).
#[derive(Debug)]
pub struct Random(u64);

impl Random {
    /// Prints the seed: the one in the environment, otherwise the time.
    pub fn new() -> Self {
        let asked = std::env::var("REFDESK_SEED").ok().and_then(|seed| seed.parse().ok());
        let now = || SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
        let seed = asked.unwrap_or_else(now);
        eprintln!("REFDESK_SEED={seed}");
        Self(seed)
    }

    /// A number in `0..below`.
    pub fn below(&mut self, below: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % below
    }
}
