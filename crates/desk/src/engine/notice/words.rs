//! Lists of names in notices: the first few, then the number of the others.

/// Names shown before `+N more`. If one kind has more changes than this, they are one notice.
pub(super) const SHOWN: usize = 3;

/// `@a, @b, @c, +2 more`.
pub(super) fn at<T: std::fmt::Display>(ids: impl IntoIterator<Item = T>) -> String {
    let named: Vec<String> = ids.into_iter().map(|id| format!("@{id}")).collect();
    cut(&named)
}

/// `a, b, c, +2 more`.
pub(super) fn cut<T: AsRef<str>>(names: &[T]) -> String {
    let shown: Vec<&str> = names.iter().take(SHOWN).map(AsRef::as_ref).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{}, +{more} more", shown.join(", ")),
    }
}
