//! Expands the places given for new sources: patterns, and folders whose documents become separate sources.

use std::ffi::OsStr;
use std::fs;
use std::path::{Component, Path, PathBuf};

use super::Desk;
use super::add::after_scheme;
use refdesk_core::config::{GlobCase, compiled, expand_home};
use refdesk_discover::documents_in;
use refdesk_files::path::{absolute, lossy};
use refdesk_files::walk::{Problem, WalkBudget, WalkLimits, files_below};
use refdesk_text::{Code, Error};

/// The most files a pattern may match.
const FILES: usize = 2_000;

/// Folders that patterns do not search.
const SKIPPED: [&str; 3] = ["node_modules", "target", "vendor"];

/// Whether a place is a file pattern: neither an address nor a path that exists in this folder.
pub(super) fn is_pattern(place: &str, folder: &Path) -> bool {
    after_scheme(place).is_none()
        && place.contains(['*', '?', '[', '{'])
        && !absolute(folder, Path::new(place)).exists()
}

impl Desk {
    /// Whether this place, relative to the current folder, is a file pattern.
    pub fn is_pattern(&self, place: &str) -> bool {
        is_pattern(&expand_home(self.workspace_context(), place), &self.workspace_context().current)
    }

    /// The files that a pattern matches, relative to the current folder like the pattern; the text itself if it is a
    /// path or an address.
    ///
    /// # Errors
    /// The pattern is malformed, nothing matches it, or there are too many files to search.
    pub fn expand(&self, place: &str) -> Result<Vec<String>, Error> {
        let current = &self.workspace_context().current;
        let place = &*expand_home(self.workspace_context(), place);
        if !is_pattern(place, current) {
            return Ok(vec![place.to_owned()]);
        }
        let matcher = compiled(place.trim_start_matches("./"), GlobCase::Exact).map_err(|why| {
            let message = format!("'{place}' is not a pattern: {why}");
            Error::new(Code::BadGlob, message, "write it as in 'docs/**/*.md'")
        })?;
        let fixed: PathBuf = Path::new(place)
            .components()
            .take_while(|part| !part.as_os_str().to_string_lossy().contains(['*', '?', '[', '{']))
            .filter(|part| *part != Component::CurDir)
            .collect();
        let real = fs::canonicalize(current.join(&fixed)).unwrap_or_else(|_| absolute(current, &fixed));
        let limits = WalkLimits { files: 10 * FILES, bytes: u64::MAX };
        // Only files with a matching name count toward the limit.
        let last = Path::new(place).file_name().and_then(|name| compiled(name.to_str()?, GlobCase::Exact).ok());
        let is_wanted = |name: &OsStr| last.as_ref().is_none_or(|last| last.is_match(name));
        let (files, problems) = files_below(&fixed, &real, limits, &WalkBudget::default(), is_wanted);
        if problems.iter().any(|problem| !matches!(problem, Problem::Unreadable(..))) {
            let message = format!("'{place}' would search too many files");
            let fix = "start the pattern with a folder, as in 'docs/**/*.md'";
            return Err(Error::new(Code::TooManyFiles, message, fix));
        }
        let is_skipped = |path: &Path| {
            let below = path.strip_prefix(&fixed).unwrap_or(path);
            below
                .iter()
                .any(|part| SKIPPED.iter().any(|name| part == *name) || part.as_encoded_bytes().starts_with(b"."))
        };
        let matching = files.iter().map(|file| file.path.as_path()).filter(|path| {
            // The catalog is JSON, which can only contain Unicode names.
            path.to_str().is_some() && matcher.is_match(path) && !is_skipped(path)
        });
        let found: Vec<String> = matching.take(FILES + 1).map(lossy).collect();
        match found.len() {
            0 => {
                let message = format!("nothing matches '{place}'");
                Err(Error::new(Code::NoSuchPath, message, "check the pattern, which is relative to the current folder"))
            }
            many if many > FILES => {
                let message = format!("more than {FILES} files match '{place}'");
                Err(Error::new(Code::TooManyFiles, message, "write a narrower pattern"))
            }
            _ => Ok(found),
        }
    }

    /// How many sources this address, or path from the root of the workspace, could become: one for each document of a
    /// folder. A pattern counts as two, since it stands for several.
    pub(crate) fn count_sources(&self, place: &str) -> usize {
        if is_pattern(place, self.workspace()) {
            return 2;
        }
        self.documents_of(&self.absolute_place(place)).map_or(1, |documents| documents.len().max(1))
    }

    /// The documents of a folder that git does not ignore; `None` if it is not a folder.
    pub fn documents_of(&self, place: &str) -> Option<Vec<String>> {
        let path = self.path_in(&self.workspace_context().current, place);
        let real = fs::canonicalize(&path).ok().filter(|real| real.is_dir())?;
        Some(documents_in(&real).iter().map(|document| lossy(&Path::new(place).join(document))).collect())
    }
}
