//! Which rows of the catalog or the templates match a filter line, and in which order. `query` parses the line,
//! `haystack` holds the texts, `source_states` evaluates words like `picked`, `apply` combines them, `order` sorts. A
//! keypress over 10,000 sources is one pass over packed memory; a narrower line searches only what the previous line
//! could match.

mod apply;
mod haystack;
#[cfg(test)]
mod laws;
mod order;
mod query;
mod source_states;

pub use apply::{FilterResult, apply, keeps_id};
pub use haystack::{Haystack, Marks, MatchMarker, TextMatcher, clusters, variables};
pub use order::Order;
pub use query::{Query, StatusWord};
