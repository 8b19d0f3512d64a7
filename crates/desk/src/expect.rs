//! Expectations of a desk: cases read from a file and checked against the desk, so that a team notices when a change to
//! catalog or documents changes what its agents get.

mod case;
mod file;
#[cfg(test)]
mod file_tests;
mod judge;

pub use case::{Case, CaseExpectations};
pub use file::{Expectations, read_expectations};
pub use judge::{Asserted, FailedExpectation, Judged};
