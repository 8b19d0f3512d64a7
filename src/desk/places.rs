//! What enrichment and instructions ask of the file system, answered by the desk.

use std::path::{Path, PathBuf};

use super::Desk;
use crate::catalog::{Kind, Source, Standing};
use crate::disk::name::sha256_hex;
use crate::disk::path::{clean, display};
use crate::disk::walk::{Limits, files_below};
use crate::disk::{read_regular, stamp};
use crate::enrich::Places;
use crate::mention::{LIMITS, files};
use crate::template::{Template, TemplateIndex};

/// Files that are counted of one folder that a source declares.
const DECLARED: Limits = Limits { files: 20_000, bytes: u64::MAX };

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

    fn declared(&self, source: &Source, path: &str) -> Vec<PathBuf> {
        let Some(place) = source.place().filter(|_| source.is_directory()) else { return Vec::new() };
        let root = clean(&place.path.join(path));
        let stays = root.starts_with(&*place.path)
            && std::fs::canonicalize(&root).is_ok_and(|real| real.starts_with(&*place.resolved));
        if !stays {
            return Vec::new();
        }
        if root.is_file() {
            return vec![root];
        }
        let is_shown = |file: &PathBuf| {
            let inside = file.strip_prefix(&root).unwrap_or(file);
            !inside.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."))
        };
        let (files, _) = files_below(&root, DECLARED, |_| true);
        files.into_iter().map(|file| file.path).filter(is_shown).collect()
    }

    fn templates(&self) -> TemplateIndex {
        // What is wrong with them is told by `check` and `templates`.
        Desk::templates(self).0
    }

    fn templates_in(&self, text: &str) -> Vec<Template> {
        self.templates_of(text)
    }

    fn stamp(&self, source: &Source) -> String {
        let Kind::Local(place) = &source.kind else { return String::new() };
        match place.standing {
            Standing::Missing => String::new(),
            Standing::File => {
                read_regular(&place.path, LIMITS.bytes).map_or_else(|_| String::new(), |(bytes, _)| sha256_hex(&bytes))
            }
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
