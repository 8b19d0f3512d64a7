//! Finds what a repository offers as sources: its documents, decisions, skills and rules, described by their own
//! metadata and text. [`scan`] reads the files; everything after it is a pure function of what was read.

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

pub use navigation::has_password;
pub use page::{Page, read_page};
pub use prompts::{tag_prompt, title_prompt};
pub use proposal::{Discovery, FoundKind, KnownSource, MovedSource, ProposedPlace, ProposedSource, ScanNote};
pub use propose::discover;
pub use scan::{Scan, ScannedFile, documents_in, scan};
pub use single::{DescribedPlace, RealPlace, describe_place, ids_of};
