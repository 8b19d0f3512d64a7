//! Expectations of a desk, for a team that wants to know when a change to catalog or documents changes what its agents are
//! told: cases read from a file, and the desk held against them.

mod case;
mod file;
mod judge;

pub use case::{Case, Wanted};
pub use file::read_cases;
pub use judge::{Asserted, Judged, Miss};
