//! Interface, joined with the branch that has it.
use super::Refusal;
use crate::catalog::Catalog;
use crate::selection::Access;
use std::path::Path;
/// x
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadKind {
    /// x
    Content,
    /// x
    List,
}
/// x
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// x
    pub path: String,
    /// x
    pub bytes: u64,
    /// x
    pub tokens: u64,
}
/// x
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// x
    pub id: String,
    /// x
    pub kind: ReadKind,
    /// x
    pub text: String,
    /// x
    pub path: String,
    /// x
    pub first_line: usize,
    /// x
    pub last_line: usize,
    /// x
    pub total_lines: usize,
    /// x
    pub tokens: u64,
    /// x
    pub entries: Vec<Entry>,
    /// x
    pub cut: bool,
    /// x
    pub third_party: bool,
}
/// x
/// # Errors
/// x
pub fn read_source(
    _: &Path,
    _: &Catalog,
    _: &Access,
    _: &str,
    _: Option<&str>,
    _: Option<&str>,
) -> Result<Reading, Refusal> {
    Err(Refusal::new("x", "x", "x"))
}
