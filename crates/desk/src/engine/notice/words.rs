//! Lists of names in notices: the first few, then the number of the rest.

use refdesk_text::names::first_and_count;

/// Names shown before `+N more`. If there are more changes of one kind, they become one notice.
pub(super) const SHOWN: usize = 3;

/// `@a, @b, @c, +2 more`.
pub(super) fn at<T: std::fmt::Display>(ids: impl IntoIterator<Item = T>) -> String {
    let named: Vec<String> = ids.into_iter().map(|id| format!("@{id}")).collect();
    cut(&named)
}

/// `a, b, c, +2 more`.
pub(super) fn cut<T: AsRef<str>>(names: &[T]) -> String {
    first_and_count(names, SHOWN)
}
