//! Decides which hits fit into a number of tokens, and which of them with their excerpts (SEARCH S4.4).

/// The cost of a hit in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HitCost {
    /// Without most of its excerpt.
    pub brief: u64,
    /// With its whole excerpt; at least as much as `brief`.
    pub full: u64,
}

/// How much of a hit is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HitLength {
    /// Name, heading, place and one line of the excerpt.
    Brief,
    /// The whole excerpt, too.
    Full,
}

/// The lengths of the hits that fit, from the first on, and the tokens they take. First, as many as possible are given
/// in brief; then excerpts are added by rank wherever they fit.
pub fn fit(costs: &[HitCost], most: Option<u64>) -> (Vec<HitLength>, u64) {
    let Some(most) = most else {
        let all = costs.iter().fold(0u64, |sum, cost| sum.saturating_add(cost.full));
        return (vec![HitLength::Full; costs.len()], all);
    };
    let mut used = 0u64;
    let mut lengths = Vec::new();
    for cost in costs {
        let sum = used.saturating_add(cost.brief);
        if sum > most {
            break;
        }
        used = sum;
        lengths.push(HitLength::Brief);
    }
    for (length, cost) in lengths.iter_mut().zip(costs) {
        let sum = (used - cost.brief).saturating_add(cost.full);
        if sum <= most {
            used = sum;
            *length = HitLength::Full;
        }
    }
    (lengths, used)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::HitLength::{Brief, Full};
    use super::*;

    #[test]
    fn brief_hits_first_then_excerpts_by_rank() {
        let costs = [(10, 100), (10, 30), (10, 15)].map(|(brief, full)| HitCost { brief, full });
        for (most, lengths, used) in [
            (None, vec![Full, Full, Full], 145),
            (Some(145), vec![Full, Full, Full], 145),
            (Some(120), vec![Full, Brief, Brief], 120),
            (Some(119), vec![Brief, Full, Full], 55),
            (Some(30), vec![Brief, Brief, Brief], 30),
            (Some(29), vec![Brief, Brief], 20),
            (Some(9), vec![], 0),
            (Some(0), vec![], 0),
        ] {
            assert_eq!(fit(&costs, most), (lengths, used), "{most:?}");
        }
        assert_eq!(fit(&[], Some(5)), (vec![], 0));
    }

    proptest! {
        #[test]
        fn the_limit_holds_and_the_sum_is_right(
            costs in prop::collection::vec((0u64..50, 0u64..500), 0..12),
            most in 0u64..2_000,
        ) {
            let costs: Vec<HitCost> =
                costs.into_iter().map(|(brief, more)| HitCost { brief, full: brief + more }).collect();
            let (lengths, used) = fit(&costs, Some(most));
            prop_assert!(used <= most && lengths.len() <= costs.len());
            let sum: u64 =
                lengths.iter().zip(&costs).map(|(it, cost)| if *it == Full { cost.full } else { cost.brief }).sum();
            prop_assert_eq!(sum, used);
            let next = costs.get(lengths.len()).map(|cost| cost.brief);
            let in_brief: u64 = costs.iter().take(lengths.len()).map(|cost| cost.brief).sum();
            prop_assert!(next.is_none_or(|next| in_brief + next > most), "what fits in brief is given");
        }
    }
}
