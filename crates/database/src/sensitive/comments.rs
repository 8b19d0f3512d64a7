//! Removes values that a database's comments quote: what a detector finds there is left out of all output.

use std::borrow::Cow;

use super::detect::detect;
use super::passages::{Passage, passages};
use crate::parts::replaced;

/// The kind of value that a name of several words can be mistaken for.
const SECRET: &str = "secret";

/// The minimum length of a part between punctuation that still counts as a secret.
const SECRET_PART: usize = 20;

/// The distinct kinds of values that a comment quotes.
pub(crate) fn quoted_in(comment: &str) -> Vec<&'static str> {
    let mut kinds: Vec<&'static str> = values(comment).into_iter().map(|(_, kind)| kind).collect();
    kinds.extend(rest(&without_located(comment).unwrap_or_default()));
    kinds.extend(if kinds.is_empty() { rest(comment) } else { None });
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// The comment as it may be shown: empty if it is unknown which part of it is the value.
pub(crate) fn without_values(comment: &str) -> Cow<'_, str> {
    let Some(shown) = without_located(comment) else {
        return if rest(comment).is_some() { Cow::Borrowed("") } else { Cow::Borrowed(comment) };
    };
    if rest(&shown).is_some() { Cow::Borrowed("") } else { Cow::Owned(shown) }
}

/// The comment without the values at known positions; `None` if there are none.
fn without_located(comment: &str) -> Option<String> {
    let values = values(comment);
    let words = |(place, kind): Passage| (place, format!("({kind} left out)"));
    (!values.is_empty()).then(|| replaced(comment, values.into_iter().map(words).collect()))
}

fn values(comment: &str) -> Vec<Passage> {
    let is_name = |place: &std::ops::Range<usize>| {
        let word = comment.get(place.clone()).unwrap_or_default();
        word.split(['_', '-', '/']).all(|part| part.len() < SECRET_PART)
    };
    passages(comment).into_iter().filter(|(place, kind)| *kind != SECRET || !is_name(place)).collect()
}

/// What is found in the text as a whole, but at no known position.
fn rest(text: &str) -> Option<&'static str> {
    detect(text).filter(|kind| *kind != SECRET)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_shown_without_quoted_values() {
        for (comment, expected, kinds) in [
            ("What was sold.", "What was sold.", ""),
            (
                "one of zqk1; owner carol@zqcomment.example, card 4111 1111 1111 1111",
                "one of zqk1; owner (e-mail left out), card (card left out)",
                "card e-mail",
            ),
            ("like 4111.1111.1111.1111.", "like (card left out).", "card"),
            ("Tel. 0171 5551230 after nine", "Tel. (phone left out) after nine", "phone"),
            ("DE89 3704 0044 0532 0130 00", "(IBAN left out)", "IBAN"),
            ("key sk_live_4eC39HqLyjWDarjtT1zdp7dc of the shop", "key (secret left out) of the shop", "secret"),
            (
                "login Xk29fLq81ZpVw03TbnR7:bob@example.com of the shop",
                "login (secret left out):(e-mail left out) of the shop",
                "e-mail secret",
            ),
            (
                "keys Xk29fLq81ZpVw03TbnR7&Yq38gMr92AqWx14UcoS8 there",
                "keys (secret left out)&(secret left out) there",
                "secret",
            ),
            (
                "clone git@github.com:org/app.git or vue@3.2.47/dist",
                "clone git@github.com:org/app.git or vue@3.2.47/dist",
                "",
            ),
            ("as https://medium.com/@ann.smith/x", "as https://medium.com/@ann.smith/x", ""),
            ("see ix_orders_customer2_id_2024_new", "see ix_orders_customer2_id_2024_new", ""),
            // Nothing tells which of the words belong to the address.
            ("ask ann (at) example (dot) org", "", "e-mail"),
            (
                "Server=x;Uid=bob;Password=hunter2 as of 2024",
                "Server=x;Uid=bob;Password=(password left out) as of 2024",
                "password",
            ),
            (
                "Server=x;Password=hun,ter2;Timeout=3, PGPASSWORD=\"hunter2 too\" of bob",
                "Server=x;Password=(password left out);Timeout=3, PGPASSWORD=\"(password left out)\" of bob",
                "password",
            ),
            ("password=bob@example.com", "password=(e-mail left out)", "e-mail password"),
            ("password = none, password: hashed", "password = none, password: hashed", ""),
            (
                "hash $2b$12$EixZaYVK1fsbw1ZfbX3OXePaWxn96p36WQoeG6Lruj3vjPGga31lW of root",
                "hash (secret left out) of root",
                "secret",
            ),
            ("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", "(secret left out)", "secret"),
            (
                "see monthly_report.2024-final.pdf, org.example.Orders2",
                "see monthly_report.2024-final.pdf, org.example.Orders2",
                "",
            ),
            ("since 2024-01-31 10:20, 12 a day", "since 2024-01-31 10:20, 12 a day", ""),
        ] {
            assert_eq!(without_values(comment), expected);
            assert_eq!(quoted_in(comment).join(" "), kinds, "{comment}");
        }
    }
}
