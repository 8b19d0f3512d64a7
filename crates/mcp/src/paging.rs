//! Long lists in pages. A cursor names the entry that a page ended with, so that of a list that changes between two pages
//! nothing comes twice and nothing is left out that was there all along. Clients need not know what is in it.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// Entries of one page.
pub const PAGE: usize = 100;

/// One page, and what asks for the next one.
#[derive(Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// At most [`PAGE`].
    pub entries: Vec<T>,
    /// `None` on the last page.
    pub next: Option<String>,
}

/// The key that the page before ended with; `None` for the first page. `list` is the name of the list, so that no cursor is
/// taken for one of another list.
///
/// # Errors
/// The cursor is not one of this list.
pub fn after<'r>(list: &str, request: Option<&'r PaginatedRequestParams>) -> Result<Option<&'r str>, ErrorData> {
    let Some(cursor) = request.and_then(|request| request.cursor.as_deref()) else { return Ok(None) };
    match cursor.strip_prefix(list).and_then(|rest| rest.strip_prefix(':')) {
        Some(key) => Ok(Some(key)),
        None => Err(stale(list)),
    }
}

/// The error for a cursor that leads nowhere.
pub fn stale(list: &str) -> ErrorData {
    ErrorData::invalid_params(
        format!("this cursor is none of the list of {list}: take nextCursor of its last page, or none to begin anew"),
        None,
    )
}

/// The first page of these entries, which begin after the key.
pub fn page<T>(list: &str, entries: impl IntoIterator<Item = T>, key: impl Fn(&T) -> String) -> Page<T> {
    let mut rest = entries.into_iter();
    let entries: Vec<T> = rest.by_ref().take(PAGE).collect();
    let last = if rest.next().is_some() { entries.last() } else { None };
    let next = last.map(|last| format!("{list}:{}", key(last)));
    Page { entries, next }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(cursor: Option<String>) -> PaginatedRequestParams {
        PaginatedRequestParams::default().with_cursor(cursor)
    }

    #[test]
    fn all_pages_together_are_the_list() {
        for length in [0, 1, PAGE - 1, PAGE, PAGE + 1, 3 * PAGE, 3 * PAGE + 7] {
            let all: Vec<usize> = (0..length).collect();
            let (mut seen, mut cursor) = (Vec::new(), None);
            loop {
                let request = asked(cursor);
                let from = after("numbers", Some(&request)).unwrap().map_or(0, |key| key.parse::<usize>().unwrap() + 1);
                let Page { entries, next } = page("numbers", all[from..].iter().copied(), usize::to_string);
                assert!(entries.len() <= PAGE, "{length}");
                seen.extend(entries);
                cursor = next;
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!(seen, all, "{length}");
        }
    }

    #[test]
    fn a_cursor_of_another_list_is_refused() {
        for cursor in ["", "other:1", "numbers", "numbersx:1", "\u{0}"] {
            let error = after("numbers", Some(&asked(Some(cursor.to_owned())))).unwrap_err();
            assert_eq!(error.code, rmcp::model::ErrorCode::INVALID_PARAMS, "{cursor}");
        }
        assert_eq!(after("numbers", None).unwrap(), None);
    }
}
