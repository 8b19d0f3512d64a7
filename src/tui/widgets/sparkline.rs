//! Numbers over time as a line of bars, one column each.

/// A bar for each number, relative to the largest. If there are more than `columns`, adjacent numbers are summed.
pub fn sparkline(numbers: &[u64], columns: usize, levels: &[&'static str; 8]) -> String {
    let together = numbers.len().div_ceil(columns.max(1)).max(1);
    let sums: Vec<u64> =
        numbers.chunks(together).map(|part| part.iter().copied().fold(0, u64::saturating_add)).collect();
    let most = sums.iter().copied().max().unwrap_or(0).max(1);
    let bar = |number: u64| {
        let level = (u128::from(number) * levels.len() as u128).div_ceil(u128::from(most));
        let level = usize::try_from(level).unwrap_or(levels.len());
        level.checked_sub(1).and_then(|level| levels.get(level)).copied().unwrap_or(" ")
    };
    sums.into_iter().take(columns).map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::glyphs::Glyphs;

    #[test]
    fn bars_are_relative_to_the_largest_number() {
        for (numbers, columns, unicode, ascii) in [
            (&[][..], 8, "", ""),
            (&[0, 0], 8, "  ", "  "),
            (&[1, 0, 8, 4], 8, "▁ █▄", "_ #-"),
            (&[1, 1000], 8, "▁█", "_#"),
            (&[u64::MAX, 1, u64::MAX], 8, "█▁█", "#_#"),
            (&[4, 4, 1, 0, 2], 3, "█▁▂", "#_."),
            (&[1, 2, 3], 0, "", ""),
        ] {
            assert_eq!(sparkline(numbers, columns, &Glyphs::UNICODE.levels), unicode, "{numbers:?}");
            assert_eq!(sparkline(numbers, columns, &Glyphs::ASCII.levels), ascii, "{numbers:?}");
        }
    }
}
