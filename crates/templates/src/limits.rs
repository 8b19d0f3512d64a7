//! Limits on the size and depth of a template. They are checked before parsing, so that no text can exhaust the stack
//! or take unbounded time; the error for exceeding one names the limit (BEHAVIOUR §6). `render::limits` has the limits
//! of a rendering.

/// Bytes of one template: 1 MiB.
pub const TEMPLATE_BYTES: usize = 1024 * 1024;

/// The deepest nesting of sections, blocks, parentheses and brackets.
pub(crate) const NESTING: usize = 48;

/// The largest Handlebars template in bytes that is compiled before it is rendered.
pub(crate) const CHECKED_BYTES: usize = 4 * 1024;

/// The most operators, filters, attributes or `elif` branches in a row in one expression or block.
pub(crate) const CHAIN: usize = 200;

/// Levels of the variable tree; deeper variables are not listed.
pub(crate) const TREE_DEPTH: usize = 48;

/// The most warnings kept for one template or rendering.
pub(crate) const WARNINGS: usize = 100;

/// The most characters kept of a warning or an error, which may quote the template.
pub(crate) const MESSAGE: usize = 1_000;

/// The most templates taken from one tool result, in order. Tool results are untrusted.
pub(crate) const MAX_EXTRACTED: usize = 20;

/// The most bytes of a template taken from a tool result.
pub(crate) const MAX_EXTRACTED_BYTES: usize = 64 * 1024;

/// The most bytes of a tool result that is searched for templates; a larger one is skipped.
pub(crate) const MAX_SEARCHED_BYTES: usize = 4 * 1024 * 1024;

/// The most templates from tool results that a workspace keeps.
pub const MAX_EXTRACTED_KEPT: usize = 200;

/// What to do about a template larger than [`TEMPLATE_BYTES`].
pub(crate) const SPLIT: &str = "split it, or move it out of the templates folder";

/// The message for a template larger than [`TEMPLATE_BYTES`].
pub(crate) fn too_large() -> String {
    format!("the template {}", is_too_large())
}

/// The same message as a predicate whose subject is the file.
pub fn is_too_large() -> String {
    format!("exceeds the limit of {TEMPLATE_BYTES} bytes (1 MiB)")
}
