//! What a change costs, in words: the prices of the sources that come and go, as the lists show them. The total of the top
//! line has the instructions besides.

/// The cost of a change that usually adds; `print` writes a number of tokens.
pub fn added(change: i64, print: fn(u64) -> String) -> String {
    match change {
        0 => "no extra tokens".to_owned(),
        1.. => print(change.unsigned_abs()),
        _ => format!("{} fewer", print(change.unsigned_abs())),
    }
}

/// The same for a change that usually saves.
pub fn saved(change: i64, print: fn(u64) -> String) -> String {
    match change {
        0 => "no tokens saved".to_owned(),
        1.. => format!("{} more", print(change.unsigned_abs())),
        _ => print(change.unsigned_abs()),
    }
}

/// The same for a change that may do either; nothing for none.
pub fn signed(change: i64, print: fn(u64) -> String, less: &str) -> Option<String> {
    match change {
        0 => None,
        1.. => Some(format!("{} more", print(change.unsigned_abs()))),
        _ => Some(format!("{} {less}", print(change.unsigned_abs()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_that_goes_the_other_way_says_so() {
        let print = |tokens: u64| format!("~{tokens} tokens");
        for (change, as_added, as_saved, as_either) in [
            (864, "~864 tokens", "~864 tokens more", Some("~864 tokens more")),
            (0, "no extra tokens", "no tokens saved", None),
            (-12, "~12 tokens fewer", "~12 tokens", Some("~12 tokens saved")),
        ] {
            assert_eq!((added(change, print).as_str(), saved(change, print).as_str()), (as_added, as_saved));
            assert_eq!(signed(change, print, "saved").as_deref(), as_either);
        }
    }
}
