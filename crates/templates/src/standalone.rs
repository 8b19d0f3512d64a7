//! Reads and analyses standalone template files in parallel. Each file is opened and read once; cached files are not
//! read.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::SystemTime;

use rayon::prelude::*;

use super::cache::{Analysed, CachedFiles, StampedFiles, keep};
use super::discover::DiscoveredFile;
use super::name::full_name;
use super::{Analysis, ReadError, Syntax, analyse, read};
use refdesk_core::catalog::SourceId;
use refdesk_files::Stamp;

#[derive(Debug)]
pub(crate) struct Standalone {
    pub found: DiscoveredFile,
    /// Its stamp when it was read; unset if it could not be opened.
    pub stamp: Stamp,
    /// Its analysis, or why it is not a template.
    pub analysis: Arc<Result<Analysis, ReadError>>,
    /// The language set by an override.
    settled: Option<Syntax>,
}

/// Reads these files and returns them in their order.
pub(crate) fn read_all(found: Vec<DiscoveredFile>, known: &CachedFiles) -> Vec<Standalone> {
    let one = |found: DiscoveredFile| {
        let (stamp, (settled, analysis)) = known.template(&found.path).unwrap_or_else(|| analyse_file(&found, None));
        Standalone { found, stamp, analysis, settled }
    };
    found.into_par_iter().with_min_len(16).map(one).collect()
}

fn analyse_file(found: &DiscoveredFile, settled: Option<Syntax>) -> (Stamp, Analysed) {
    let (stamp, analysis) = match read::bytes_below(&found.resolved, &found.within) {
        Ok((stamp, None)) => (stamp, Ok(read::too_large_to_analyse(settled))),
        Ok((stamp, Some(bytes))) => (stamp, read::text_of(bytes).map(|text| analyse(&text, settled))),
        Err(problem) => (Stamp::default(), Err(problem)),
    };
    (stamp, (settled, Arc::new(analysis)))
}

impl Standalone {
    /// Its name with its source and folders.
    pub(crate) fn full_name(&self) -> String {
        full_name(self.found.source.as_ref().map(SourceId::as_str), &self.found.within)
    }

    /// Analyses the file again if its override was added, changed or removed.
    pub(crate) fn settle(&mut self, settled: Option<Syntax>) {
        if settled != self.settled {
            let (stamp, (settled, analysis)) = analyse_file(&self.found, settled);
            (self.stamp, self.settled, self.analysis) = (stamp, settled, analysis);
        }
    }

    pub(crate) fn keep(&self, kept: &mut StampedFiles<Analysed>, now: Option<SystemTime>) {
        // A file that could not be opened has no stamp to compare.
        if self.stamp != Stamp::default() {
            keep(kept, &self.found.path, self.stamp, (self.settled, self.analysis.clone()), now);
        }
    }
}

/// The language that an override sets for the template with this name.
pub(crate) fn override_for(
    settled: &HashMap<String, Syntax>,
    name: &str,
    full: impl FnOnce() -> String,
) -> Option<Syntax> {
    if settled.is_empty() {
        return None;
    }
    settled.get(name).or_else(|| settled.get(&full())).copied()
}
