//! How large and how deep a template may be. Parsers check these first, so that no text can exhaust
//! the stack or the time of the desk; passing one is an error that names it (BEHAVIOUR §6). What a rendering may use
//! stands beside the engines, in `render::limits`.

/// Bytes of one template: 1 MiB.
pub const TEMPLATE_BYTES: usize = 1024 * 1024;

/// How deep sections, blocks, parentheses and brackets may nest.
pub const NESTING: usize = 48;

/// How many operators, filters, attributes or `elif` branches may follow one another in one expression or block.
pub const CHAIN: usize = 200;

/// Levels of the variable tree; what a template asks for below is not listed.
pub const TREE_DEPTH: usize = 48;

/// Warnings kept of one template or one rendering.
pub const WARNINGS: usize = 100;

/// Characters kept of a warning or an error, which may quote the template.
pub const MESSAGE: usize = 1_000;

/// Templates taken from one text of a tool, in order; more are left where they are. Such a text comes from anywhere.
pub const TAKEN: usize = 20;

/// Bytes of one template taken from a text of a tool.
pub const TAKEN_BYTES: usize = 64 * 1024;

/// Bytes of a text of a tool that is looked through for templates; a larger one is not.
pub const TAKEN_FROM_BYTES: usize = 4 * 1024 * 1024;

/// Templates taken from texts of tools that a workspace keeps.
pub const TAKEN_KEPT: usize = 200;

/// The sentence for a template larger than [`TEMPLATE_BYTES`].
pub fn too_large() -> String {
    format!("the template passes the limit of {TEMPLATE_BYTES} bytes (1 MiB)")
}
