//! What one rendering may use. Passing a limit is an error that names it (BEHAVIOUR §6). How large and deep a template may
//! be stands in [`crate::template::limits`], because reading one already checks it.
//!
//! Fuel bounds instructions, not memory: `{% set x = x ~ x %}` thirty times asks for gigabytes within it. That is bounded
//! only by rendering in a process of its own with a memory limit, which is not here yet.

/// Bytes of text one rendering may give, and one value inside it: 16 MiB.
pub const OUTPUT_BYTES: usize = 16 * 1024 * 1024;

/// Instructions of the Jinja2 engine, or steps of the Mustache one.
pub const FUEL: u64 = 5_000_000;

/// How deep partials may include one another.
pub const PARTIAL_DEPTH: usize = 64;

/// Bytes of partials read for one rendering, each indentation of one counted anew.
pub const PARTIAL_BYTES: usize = 16 * 1024 * 1024;

/// Warnings kept of one rendering.
pub const WARNINGS: usize = 100;

/// The sentence for an output larger than [`OUTPUT_BYTES`].
pub fn output_too_large() -> String {
    format!("the output passes the limit of {OUTPUT_BYTES} bytes (16 MiB)")
}

/// The sentence for a rendering that used up [`FUEL`].
pub fn out_of_fuel() -> String {
    format!("the rendering passes the limit of {FUEL} steps")
}
