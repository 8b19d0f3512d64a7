//! The limits of one rendering, in one place for review. Exceeding a limit is an error that names it (BEHAVIOUR §6). The
//! size and depth limits of a template are in [`crate::limits`], because parsing checks them too.
//!
//! | what could be exhausted | what bounds it |
//! | --- | --- |
//! | the parsers' stack | nesting and chains, before any engine sees the text |
//! | time | `FUEL`, and `TIME` in the process that waits for the worker; the worker also ends itself after `TIME` |
//! | memory while rendering | `MEMORY` and `STACK` of the worker: `{% set x = x ~ x %}` thirty times asks for gigabytes within any fuel |
//! | memory of the desk | [`VALUES_BYTES`], `VALUES_COUNT`, `PARTIAL_BYTES` and `JOB_BYTES` on the way to the worker, `OUTPUT_BYTES` and `HEAD_BYTES` on the way back |
//!
//! `MEMORY` limits the address space (`RLIMIT_AS`), which Linux and most BSDs enforce. macOS accepts the limit but
//! ignores it; OpenBSD has no such limit. There, a rendering can use much memory until its time is over, and only the
//! worker is killed.

use std::io;
use std::time::Duration;

/// The most bytes of a rendering's text, and of one value inside it: 16 MiB.
pub(super) const OUTPUT_BYTES: usize = 16 * 1024 * 1024;

/// Instructions of the Jinja2 engine, or steps of the others.
pub(super) const FUEL: u64 = 5_000_000;

/// The time of one rendering, from sending the job to the worker to receiving the answer.
pub(super) const TIME: Duration = Duration::from_secs(2);

/// The time a worker may take to start, in addition to [`TIME`].
pub(super) const START: Duration = Duration::from_secs(5);

/// The address space of a worker: what its threads and libraries reserve (about 150 MiB), plus room for any legal
/// rendering.
pub(super) const MEMORY: u64 = 512 * 1024 * 1024;

/// The stack of the rendering thread.
pub(super) const STACK: usize = 16 * 1024 * 1024;

/// The most bytes of the values as JSON text.
pub const VALUES_BYTES: usize = 16 * 1024 * 1024;

/// The most values, counting each list, field and item. In memory, a list of numbers takes 40 times the size of its
/// text, and small objects take more.
pub(super) const VALUES_COUNT: usize = 250_000;

/// The deepest nesting of lists and objects in the values.
pub(super) const VALUES_DEPTH: usize = 100;

/// The deepest nesting of partials.
pub(super) const PARTIAL_DEPTH: usize = 64;

/// The most bytes of partials read for one rendering; each additional indentation of a partial counts again.
pub(super) const PARTIAL_BYTES: usize = 16 * 1024 * 1024;

/// The most bytes of a job sent to the worker: template, values and partials as JSON.
pub(super) const JOB_BYTES: usize = 64 * 1024 * 1024;

/// The most bytes of an answer apart from its text.
pub(super) const HEAD_BYTES: usize = 1024 * 1024;

/// The most templates a worker keeps compiled; one more empties the cache.
pub(super) const CACHED_TEMPLATES: usize = 32;

/// The most bytes of templates and partials that a worker keeps compiled.
pub(super) const CACHED_BYTES: usize = 2 * 1024 * 1024;

/// The message for an output larger than [`OUTPUT_BYTES`].
pub(super) fn output_too_large() -> String {
    format!("the output exceeds the limit of {OUTPUT_BYTES} bytes (16 MiB)")
}

/// The message for a rendering that used up [`FUEL`].
pub(super) fn out_of_fuel() -> String {
    format!("the rendering exceeds the limit of {FUEL} steps")
}

/// The message for a rendering that used up [`TIME`].
pub(super) fn out_of_time() -> String {
    format!("the rendering exceeds the limit of {} s", TIME.as_secs())
}

/// The message for a rendering that used up [`MEMORY`].
pub(super) fn out_of_memory() -> String {
    format!("the rendering exceeds the limit of {} MiB of memory", MEMORY / (1024 * 1024))
}

/// The message for a rendering that used up [`STACK`].
pub(super) fn out_of_stack() -> String {
    format!("the rendering nests too deeply: it exceeds the limit of {} MiB of stack", STACK / (1024 * 1024))
}

pub(super) fn too_many_values() -> String {
    format!("the values exceed the limit of {VALUES_COUNT} items")
}

/// The message for values that are too large.
pub fn values_too_large() -> String {
    format!("the values exceed the limit of {VALUES_BYTES} bytes (16 MiB)")
}

pub(super) fn values_too_deep() -> String {
    format!("the values nest deeper than the limit of {VALUES_DEPTH}")
}

/// The message for a job larger than [`JOB_BYTES`].
pub(super) fn job_too_large() -> String {
    format!("template, values and partials together exceed the limit of {JOB_BYTES} bytes (64 MiB)")
}

/// Collects written bytes up to a limit.
pub(super) struct LimitedBytes {
    pub bytes: Vec<u8>,
    limit: usize,
    /// Whether more was written than the limit allows.
    pub is_full: bool,
}

impl LimitedBytes {
    pub(super) fn new(bytes: Vec<u8>, limit: usize) -> Self {
        Self { bytes, limit, is_full: false }
    }
}

impl io::Write for LimitedBytes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + bytes.len() > self.limit {
            self.is_full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
