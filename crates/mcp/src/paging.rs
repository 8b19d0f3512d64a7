//! Pages of long lists. A cursor contains the last entry of a page, so that a list that changes between two pages
//! neither repeats nor skips an entry. Cursors are opaque to clients.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

use super::tools::invalid;

/// The most entries of a page.
const PAGE: usize = 100;

/// A page, and the cursor for the next one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Page<T> {
    pub entries: Vec<T>,
    /// `None` on the last page.
    pub next: Option<String>,
}

/// The key of the last entry of the previous page; `None` for the first page. Cursors contain the name of their list.
pub(crate) fn after<'r>(list: &str, request: Option<&'r PaginatedRequestParams>) -> Result<Option<&'r str>, ErrorData> {
    let Some(cursor) = request.and_then(|request| request.cursor.as_deref()) else { return Ok(None) };
    match cursor.strip_prefix(list).and_then(|rest| rest.strip_prefix(':')) {
        Some(key) => Ok(Some(key)),
        None => Err(stale(list)),
    }
}

/// The error for an invalid cursor.
pub(crate) fn stale(list: &str) -> ErrorData {
    invalid(format!(
        "this is not a cursor of the list of {list}: pass nextCursor of the last page you got, or no cursor to start \
         again"
    ))
}

/// The first page of these entries.
pub(crate) fn page<T>(list: &str, entries: impl IntoIterator<Item = T>, key: impl Fn(&T) -> String) -> Page<T> {
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
