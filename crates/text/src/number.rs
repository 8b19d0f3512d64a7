//! Numbers stored as 32 bits, because lists of millions of them are kept in memory.

// Other crates call both in their innermost loops.

/// A position or count as 32 bits; `u32::MAX` if it is larger.
#[inline]
pub fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The same position or count as `usize`.
#[inline]
pub fn wide(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
