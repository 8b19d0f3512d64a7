//! Text handling: whole words and sentence ends, lines, escaping, nearest names, token estimates. Pure functions on
//! strings; crates that depend on this one do not inspect characters themselves.

pub mod common_words;
mod error;
pub mod escape;
mod fix;
pub mod fold;
pub mod generated;
pub mod hidden;
pub mod json;
pub mod lines;
pub mod markdown;
pub mod names;
pub mod nearest;
pub mod number;
pub mod report;
pub mod shorten;
pub mod stop_words;
pub mod surrogates;
pub mod tokens;
pub mod url;
pub mod whole;
mod worded_enum;
pub mod words;
pub mod yaml;

pub use error::{Code, Error};
pub use fix::Fix;
