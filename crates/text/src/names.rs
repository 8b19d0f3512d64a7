//! Lists of names in sentences and lines: all if there are few, otherwise the first ones and the number of others.

use crate::tokens::grouped;

/// `a, b`; for more than `most` names, `a, b and 3 more`.
pub fn first_of(names: impl IntoIterator<Item = impl AsRef<str>>, most: usize) -> String {
    match first(names, most) {
        (shown, 0) => shown,
        (shown, more) => format!("{shown} and {} more", grouped(more)),
    }
}

/// `a, b`; for more than `most` names, `a, b, +3 more`.
pub fn first_and_count(names: impl IntoIterator<Item = impl AsRef<str>>, most: usize) -> String {
    match first(names, most) {
        (shown, 0) => shown,
        (shown, more) => format!("{shown}, +{} more", grouped(more)),
    }
}

/// `a`, `a and b`, `a, b and c`; for more than `most` names, `a, b and 3 more`.
pub fn joined(names: &[impl AsRef<str>], most: usize) -> String {
    match names.split_last() {
        Some((last, others @ [_, ..])) if names.len() <= most => {
            format!("{} and {}", first(others, most).0, last.as_ref())
        }
        _ => first_of(names, most),
    }
}

/// `a`, `a or b`, `a, b or c`.
pub fn either(names: &[impl AsRef<str>]) -> String {
    match names.split_last() {
        Some((last, others @ [_, ..])) => format!("{} or {}", first(others, usize::MAX).0, last.as_ref()),
        _ => first(names, usize::MAX).0,
    }
}

fn first(names: impl IntoIterator<Item = impl AsRef<str>>, most: usize) -> (String, usize) {
    let mut names = names.into_iter();
    let shown: Vec<String> = names.by_ref().take(most).map(|name| name.as_ref().to_owned()).collect();
    (shown.join(", "), names.count())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_names_are_counted() {
        for (names, first, counted, all) in [
            (&[][..], "", "", ""),
            (&["a"], "a", "a", "a"),
            (&["a", "b"], "a, b", "a, b", "a and b"),
            (&["a", "b", "c"], "a, b, c", "a, b, c", "a, b and c"),
            (&["a", "b", "c", "d"], "a, b, c and 1 more", "a, b, c, +1 more", "a, b, c and 1 more"),
        ] {
            assert_eq!([first_of(names, 3), first_and_count(names, 3), joined(names, 3)], [first, counted, all]);
        }
        assert_eq!([either(&["a"]), either(&["a", "b", "c"])], ["a", "a, b or c"]);
        assert_eq!(first_of(vec!["a"; 1_001], 1), "a and 1,000 more");
    }
}
