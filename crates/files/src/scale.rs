//! The size of a test: small for every change, large in the nightly run, which sets `REFDESK_TESTS=nightly`.

/// A number of rounds, or the size of an input, for the current run.
pub fn scaled(change: usize, nightly: usize) -> usize {
    match std::env::var("REFDESK_TESTS").as_deref() {
        Ok("nightly") => nightly,
        _ => change,
    }
}
