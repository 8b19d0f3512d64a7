//! Finds what a repository offers as sources: its documents, decisions, skills and rules, described by their own
//! metadata and text. `scan` reads the files; everything after it is a pure function of what was read.

mod front_matter;
mod ids;
mod kind;
mod navigation;
mod outline;
mod page;
mod prompts;
mod proposal;
mod propose;
mod scan;
mod single;
mod tags;
mod walk;
mod words;

pub use navigation::{address_key, has_password};
pub use prompts::{tag_prompt, title_prompt};
pub use proposal::{Discovery, FoundKind, KnownSource, MovedSource, ProposedPlace, ProposedSource, ScanNote};
pub use scan::documents_in;
pub use single::{DescribedPlace, RealPlace, describe_place, ids_of};

use std::path::{Path, PathBuf};

/// Compares the documents below these folders of a workspace with its catalog: finds new sources, and sources that
/// moved or are gone. The folders are relative to the workspace; without any, it is read as a whole. `workspace` is an
/// absolute path without links.
pub fn discover(workspace: &Path, folders: &[PathBuf], known: &[KnownSource]) -> Discovery {
    let is_partial = !folders.is_empty() && folders.iter().all(|folder| !folder.as_os_str().is_empty());
    let found = propose::compared(&scan::scan(workspace, folders, walk::ScanLimits::default()), known);
    Discovery { is_partial, ..found }
}
