//! The templates that a worker compiled last, so that rendering one again with other values (while the user fills in a
//! form) skips compiling. There are at most [`CACHED_TEMPLATES`] with at most [`CACHED_BYTES`]; one more empties the
//! cache. This way the cache needs no order of use, and compiled templates can borrow their texts.

use std::array::from_fn;
use std::cell::OnceCell;

use super::super::limits::{CACHED_BYTES, CACHED_TEMPLATES};
use super::super::{CompiledTemplate, RenderJob, Rendered, Texts};
use super::server::Jobs;
use refdesk_text::Error;

/// Answers all jobs.
pub(super) fn serve_all(with: &Jobs) {
    let mut one_more = None;
    while let Some(job) = one_more.take().or_else(|| with.next_job()) {
        one_more = serve_some(with, job);
    }
}

/// Answers this job and the following ones while their templates fit in the cache; returns the first job that does not fit.
fn serve_some(with: &Jobs, first: RenderJob) -> Option<RenderJob> {
    let jobs: [OnceCell<RenderJob>; CACHED_TEMPLATES] = from_fn(|_| OnceCell::new());
    let texts: [OnceCell<Texts<'_>>; CACHED_TEMPLATES] = from_fn(|_| OnceCell::new());
    let mut known: Vec<(&RenderJob, Result<CompiledTemplate<'_>, Error>)> = Vec::new();
    let (mut job, mut bytes) = (first, 0);
    for (kept, read) in jobs.iter().zip(&texts) {
        let values = std::mem::take(&mut job.values);
        bytes += size(&job);
        let kept = kept.get_or_init(|| job);
        let compiled = Texts::of(kept).and_then(|texts| CompiledTemplate::new(read.get_or_init(|| texts)));
        with.answer(outcome(&compiled, &values, kept.html))?;
        known.push((kept, compiled));
        job = loop {
            let next = with.next_job()?;
            match known.iter().find(|(kept, _)| is_same(kept, &next)) {
                Some((_, compiled)) => with.answer(outcome(compiled, &next.values, next.html))?,
                None => break next,
            }
        };
        if bytes + size(&job) > CACHED_BYTES {
            break;
        }
    }
    Some(job)
}

fn outcome(
    compiled: &Result<CompiledTemplate<'_>, Error>,
    values: &serde_json::Value,
    html: bool,
) -> Result<Rendered, Error> {
    compiled.as_ref().map_err(Error::clone)?.render(values, html)
}

/// Whether both compile to the same template; values and escaping may differ.
fn is_same(one: &RenderJob, other: &RenderJob) -> bool {
    one.syntax == other.syntax && one.text == other.text && one.typed == other.typed && one.partials == other.partials
}

fn size(job: &RenderJob) -> usize {
    job.text.len() + job.partials.values().map(String::len).sum::<usize>()
}
