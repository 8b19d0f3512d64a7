//! Which rows of the catalog, or of the templates, a filter line keeps, and in which order. `query` reads the line, `haystack` holds what can be looked
//! in, `standing` what words like `picked` ask about, `keep` puts them together, `order` sorts. A key over 10,000 sources is
//! one pass over packed memory; a line that only asks for more looks only at what it kept before.

mod apply;
mod haystack;
#[cfg(test)]
mod laws;
mod order;
mod query;
mod source_states;

pub use apply::{FilterResult, apply};
pub use haystack::{Haystack, Marks, MatchMarker, variables};
pub use order::Order;
pub use query::Query;
