//! What enrichment and instructions ask of the file system, answered by the desk.

use std::path::{Path, PathBuf};

use super::Desk;
use crate::catalog::{Kind, Source, Standing};
use crate::disk::name::sha256_hex;
use crate::disk::path::display;
use crate::disk::{read_regular, stamp};
use crate::enrich::Places;
use crate::mention::{LIMITS, files};

impl Places for Desk {
    fn display_path(&self, path: &Path) -> String {
        display(self.workspace(), path)
    }

    fn files(&self, source: &Source) -> Vec<PathBuf> {
        if !source.is_directory() {
            return Vec::new();
        }
        files(source, |path| self.display_path(path)).0.into_iter().map(|file| file.path).collect()
    }

    fn stamp(&self, source: &Source) -> String {
        let Kind::Local(place) = &source.kind else { return String::new() };
        match place.standing {
            Standing::Missing => String::new(),
            Standing::File => read_regular(&place.path, LIMITS.bytes).map_or_else(|_| String::new(), |(bytes, _)| sha256_hex(&bytes)),
            Standing::Directory => {
                let line = |path: &PathBuf| match stamp(path) {
                    Ok(stamp) => format!("{}\0{}\0{}\n", path.display(), stamp.size, stamp.modified),
                    Err(_) => format!("{}\n", path.display()),
                };
                let listing: String = Places::files(self, source).iter().map(line).collect();
                sha256_hex(listing.as_bytes())
            }
        }
    }
}
