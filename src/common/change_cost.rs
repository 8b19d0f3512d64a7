//! Describes the cost of a change: the tokens of the added and removed sources, as in lists, and in parentheses the
//! change of the total in the top line, which includes the instructions. If their signs differ, only the total is
//! shown.

use std::cmp::Ordering;

use refdesk_desk::CostChange;
use refdesk_text::tokens::grouped;

/// The format of a token count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenFormat {
    /// `~1,240`
    Figure,
    /// `~1,240 tokens`
    Tokens,
    /// `about 1,240 tokens`
    Spoken,
}

impl TokenFormat {
    fn figure(self, number: u64) -> String {
        let number = grouped(number);
        if self == Self::Spoken { format!("about {number}") } else { format!("~{number}") }
    }

    fn text(self, number: u64) -> String {
        let figure = self.figure(number);
        if self == Self::Figure { figure } else { format!("{figure} token{}", if number == 1 { "" } else { "s" }) }
    }
}

/// Whether a change adds or saves tokens, and how many: the cost of the sources, or the total if its sign differs.
pub fn shown(change: CostChange, print: TokenFormat) -> (Ordering, String) {
    let CostChange { sources, total } = change;
    let cost = if sources.signum() == total.signum() { sources } else { total };
    let of = if sources == 0 && print != TokenFormat::Figure { " of instructions" } else { "" };
    (cost.cmp(&0), format!("{}{of}", print.text(cost.unsigned_abs())))
}

/// The cost of a change that normally adds tokens.
pub fn added(change: CostChange, print: TokenFormat) -> String {
    match shown(change, print) {
        (Ordering::Equal, _) => "no extra tokens".to_owned(),
        (Ordering::Greater, tokens) => tokens,
        (Ordering::Less, tokens) => format!("{tokens} {}", if change.sources == 0 { "saved" } else { "fewer" }),
    }
}

/// Like [`added`], after a list of several sources: `~864 tokens more`, which cannot be read as the total of the
/// selection.
pub fn more(change: CostChange, print: TokenFormat) -> String {
    signed(change, print, "fewer").unwrap_or_else(|| added(change, print))
}

/// Like [`more`], for several sources that leave: `~864 tokens fewer`.
pub fn fewer(change: CostChange, print: TokenFormat) -> String {
    signed(change, print, "fewer").unwrap_or_else(|| saved(change, print))
}

/// The cost of a change that normally saves tokens.
pub fn saved(change: CostChange, print: TokenFormat) -> String {
    match shown(change, print) {
        (Ordering::Equal, _) => "no tokens saved".to_owned(),
        (Ordering::Greater, tokens) => format!("{tokens} more"),
        (Ordering::Less, tokens) => tokens,
    }
}

/// The cost of a change in either direction; `None` if it is zero.
pub fn signed(change: CostChange, print: TokenFormat, less: &str) -> Option<String> {
    match shown(change, print) {
        (Ordering::Equal, _) => None,
        (Ordering::Greater, tokens) => Some(format!("{tokens} more")),
        // Not "instructions fewer".
        (Ordering::Less, tokens) if change.sources == 0 => Some(format!("{tokens} saved")),
        (Ordering::Less, tokens) => Some(format!("{tokens} {less}")),
    }
}

/// ` (~1,690 with instructions)`, to append to one of the above if the total has the same sign but a different value. If
/// it is the smaller one, it says why: a pick can also shorten the instructions.
pub fn with_instructions(change: CostChange, print: TokenFormat) -> String {
    let CostChange { sources, total } = change;
    if total == sources || total.signum() != sources.signum() {
        return String::new();
    }
    let instructions = match total.unsigned_abs() < sources.unsigned_abs() {
        false => "instructions",
        true if sources > 0 => "shorter instructions",
        true => "longer instructions",
    };
    format!(" ({} with {instructions})", print.figure(total.unsigned_abs()))
}

/// A change that does not affect the instructions.
#[cfg(test)]
pub fn of_sources(tokens: i64) -> CostChange {
    CostChange { sources: tokens, total: tokens }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_goes_the_other_way_says_so() {
        let print = TokenFormat::Tokens;
        for ((sources, total), as_added, as_saved, as_either, with) in [
            ((864, 864), "~864 tokens", "~864 tokens more", Some("~864 tokens more"), ""),
            ((864, 912), "~864 tokens", "~864 tokens more", Some("~864 tokens more"), " (~912 with instructions)"),
            ((0, 0), "no extra tokens", "no tokens saved", None, ""),
            (
                (0, 30),
                "~30 tokens of instructions",
                "~30 tokens of instructions more",
                Some("~30 tokens of instructions more"),
                "",
            ),
            (
                (0, -30),
                "~30 tokens of instructions saved",
                "~30 tokens of instructions",
                Some("~30 tokens of instructions saved"),
                "",
            ),
            ((-12, -30), "~12 tokens fewer", "~12 tokens", Some("~12 tokens saved"), " (~30 with instructions)"),
            ((12, 8), "~12 tokens", "~12 tokens more", Some("~12 tokens more"), " (~8 with shorter instructions)"),
            ((-12, -8), "~12 tokens fewer", "~12 tokens", Some("~12 tokens saved"), " (~8 with longer instructions)"),
            ((-12, 3), "~3 tokens", "~3 tokens more", Some("~3 tokens more"), ""),
            ((12, -3), "~3 tokens fewer", "~3 tokens", Some("~3 tokens saved"), ""),
            ((-12, 0), "no extra tokens", "no tokens saved", None, ""),
        ] {
            let change = CostChange { sources, total };
            assert_eq!((added(change, print).as_str(), saved(change, print).as_str()), (as_added, as_saved));
            assert_eq!(signed(change, print, "saved").as_deref(), as_either);
            assert_eq!(with_instructions(change, print), with);
        }
    }
}
