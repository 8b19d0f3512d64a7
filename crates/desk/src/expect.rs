//! Expectations: cases read from a file and checked against a desk, so that a team notices when changes to the catalog
//! or documents change what its agents get.

mod case;
mod file;
#[cfg(test)]
mod file_tests;
mod judge;

pub use case::{Case, CaseExpectations};
pub use file::{Expectations, read_expectations};
pub use judge::{AssertionReport, CaseResult, FailedExpectation};
