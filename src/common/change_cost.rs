//! What a change costs, in words: the price of the sources that come and go, as lists show it, and in parentheses the
//! change of the total in the top line, which includes the instructions.

use refdesk_desk::CostChange;

/// The cost of a change that usually adds; `print` writes a number of tokens.
pub fn added(change: CostChange, print: fn(u64) -> String) -> String {
    match change.sources {
        0 => "no extra tokens".to_owned(),
        1.. => print(change.sources.unsigned_abs()),
        _ => format!("{} fewer", print(change.sources.unsigned_abs())),
    }
}

/// The same for a change that usually saves.
pub fn saved(change: CostChange, print: fn(u64) -> String) -> String {
    match change.sources {
        0 => "no tokens saved".to_owned(),
        1.. => format!("{} more", print(change.sources.unsigned_abs())),
        _ => print(change.sources.unsigned_abs()),
    }
}

/// The same for a change that can do either; `None` if it does neither.
pub fn signed(change: CostChange, print: fn(u64) -> String, less: &str) -> Option<String> {
    match change.sources {
        0 => None,
        1.. => Some(format!("{} more", print(change.sources.unsigned_abs()))),
        _ => Some(format!("{} {less}", print(change.sources.unsigned_abs()))),
    }
}

/// ` (~1,690 with instructions)` after one of the others, if the two differ.
pub fn with_instructions(change: CostChange, print: fn(u64) -> String) -> String {
    let CostChange { sources, total } = change;
    let tokens = print(total.unsigned_abs());
    let figure = tokens.strip_suffix(" tokens").or_else(|| tokens.strip_suffix(" token")).unwrap_or(&tokens);
    match total.signum() {
        _ if total == sources => String::new(),
        0 => " (none with instructions)".to_owned(),
        sign if sign == sources.signum() => format!(" ({figure} with instructions)"),
        1 => format!(" ({figure} more with instructions)"),
        _ => format!(" ({figure} fewer with instructions)"),
    }
}

/// A change that the instructions do not mention.
#[cfg(test)]
pub fn of_sources(tokens: i64) -> CostChange {
    CostChange { sources: tokens, total: tokens }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_goes_the_other_way_says_so() {
        let print = |tokens: u64| format!("~{tokens} tokens");
        for ((sources, total), as_added, as_saved, as_either, with) in [
            ((864, 864), "~864 tokens", "~864 tokens more", Some("~864 tokens more"), ""),
            ((864, 912), "~864 tokens", "~864 tokens more", Some("~864 tokens more"), " (~912 with instructions)"),
            ((0, 0), "no extra tokens", "no tokens saved", None, ""),
            ((0, 30), "no extra tokens", "no tokens saved", None, " (~30 more with instructions)"),
            ((0, -30), "no extra tokens", "no tokens saved", None, " (~30 fewer with instructions)"),
            ((-12, -30), "~12 tokens fewer", "~12 tokens", Some("~12 tokens saved"), " (~30 with instructions)"),
            ((-12, 3), "~12 tokens fewer", "~12 tokens", Some("~12 tokens saved"), " (~3 more with instructions)"),
            ((-12, 0), "~12 tokens fewer", "~12 tokens", Some("~12 tokens saved"), " (none with instructions)"),
        ] {
            let change = CostChange { sources, total };
            assert_eq!((added(change, print).as_str(), saved(change, print).as_str()), (as_added, as_saved));
            assert_eq!(signed(change, print, "saved").as_deref(), as_either);
            assert_eq!(with_instructions(change, print), with);
        }
    }
}
