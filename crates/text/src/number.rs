//! Numbers that are stored as 32 bits, since lists of millions of them are kept in memory.

// Other crates call both in their innermost loops.

/// A position or count as 32 bits; the largest if it has more.
#[inline]
pub fn narrow(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// The position or count again.
#[inline]
pub fn wide(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}
