//! The documents of a catalog, read and looked through in parallel. A library that lives on, in a running desk, remembers
//! what each file named when it last looked, and the size and time it had then; a command's library forgets.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use rayon::prelude::*;

use super::documents::{LIMITS, files, tokens_of};
use super::ids::IdMatcher;
use super::links::Format;
use super::scan::{Named, scan};
use super::target::{Lead, PathIndex};
use super::{Mention, Via};
use crate::catalog::{Catalog, Kind, Source, SourceId};
use crate::disk::path::display;
use crate::disk::{Stamp, read_regular, stamp};
use crate::report::Diagnostic;
use crate::text::lines::decode;
use crate::text::tokens::of_prose;

/// What reading one source gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    /// Which source.
    pub id: SourceId,
    /// Whom its text names, in order of file and line, each line's mention of a target once.
    pub mentions: Vec<Mention>,
    /// Broken and unlisted links, files that cannot be read, limits reached.
    pub diagnostics: Vec<Diagnostic>,
    /// Estimated tokens of the text; `None` where it lies elsewhere or is missing.
    pub tokens: Option<u64>,
}

/// Reads documents and tells whom they name.
#[derive(Debug)]
pub struct Library {
    workspace: PathBuf,
    matcher: Arc<IdMatcher>,
    paths: PathIndex,
    memory: Option<Memory>,
}

impl Library {
    /// A library for one command, which reads what it is asked for and forgets it.
    pub fn forgetful(workspace: &Path, catalog: &Catalog) -> Self {
        let matcher = Arc::new(IdMatcher::new(catalog));
        Self { workspace: workspace.to_path_buf(), matcher, paths: PathIndex::new(catalog), memory: None }
    }

    /// A library for a running desk, which reads a file again only when its size or time changed.
    pub fn remembering(workspace: &Path, catalog: &Catalog, clock: fn() -> SystemTime) -> Self {
        let memory = Memory { clock, files: Mutex::default() };
        Self { memory: Some(memory), ..Self::forgetful(workspace, catalog) }
    }

    /// The same library for another catalog; what it remembers stays where it is still true and asked for.
    pub fn adopt(&mut self, catalog: &Catalog) {
        self.paths = PathIndex::new(catalog);
        let same_ids = self.matcher.is_for(catalog);
        if !same_ids {
            self.matcher = Arc::new(IdMatcher::new(catalog));
        }
        if let Some(memory) = &mut self.memory {
            if same_ids {
                memory.forget_others(catalog);
            } else {
                memory.files = Mutex::default();
            }
        }
    }

    /// The same library for the same catalog, when something on disk may have changed.
    pub fn look_anew(&mut self) {
        self.paths.look_anew();
    }

    /// The ids that are looked for.
    pub fn ids(&self) -> &Arc<IdMatcher> {
        &self.matcher
    }

    /// Reads these sources, in parallel; the results come in the order asked.
    pub fn scan(&self, sources: &[&Source]) -> Vec<Scanned> {
        sources.par_iter().map(|source| self.scan_source(source)).collect()
    }

    fn scan_source(&self, source: &Source) -> Scanned {
        let shown = |path: &Path| display(&self.workspace, path);
        let mut tokens = None;
        let (texts, mut diagnostics) = match &source.kind {
            Kind::Inline { content } => {
                tokens = Some(of_prose(content.len() as u64));
                let named = Arc::new(scan(content, Format::Markdown, &self.matcher));
                (vec![(source.origin.file.clone(), Ok(named))], Vec::new())
            }
            _ => {
                let (found, problems) = files(source, shown);
                if source.place().is_some() && !source.is_missing() {
                    tokens = Some(tokens_of(&found));
                }
                // A file that is its source's place has its path there already.
                let shared = |path: PathBuf| match source.place() {
                    Some(place) if *place.path == *path => place.path.clone(),
                    _ => Arc::from(path),
                };
                let read = found.into_par_iter().map(|file| {
                    let path = shared(file.path);
                    let named = self.named_in(&path);
                    (path, named)
                });
                (read.collect::<Vec<(Arc<Path>, _)>>(), problems)
            }
        };
        let mut mentions = Vec::new();
        for (file, named) in texts {
            match named {
                Ok(named) => self.follow(source, &file, &named, &mut mentions, &mut diagnostics),
                Err(error) => diagnostics.push(
                    Diagnostic::warning("unreadable", format!("the document cannot be read: {error}"))
                        .in_file(shown(&file))
                        .about(source.id.as_str())
                        .hint("make it a readable file"),
                ),
            }
        }
        Scanned { id: source.id.clone(), mentions, diagnostics, tokens }
    }

    /// Turns what a text names into mentions of sources, by line, and links that lead nowhere into diagnostics.
    fn follow(
        &self,
        source: &Source,
        file: &Arc<Path>,
        named: &Named,
        mentions: &mut Vec<Mention>,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let problem = |code, line: Option<u32>, message: String, hint: &str| {
            let told = Diagnostic::warning(code, message).in_file(display(&self.workspace, file)).hint(hint);
            let told = told.about(source.id.as_str());
            match line {
                Some(line) => told.at_line(wide(line)),
                None => told,
            }
        };
        if named.rubbish {
            let message = "more than a tenth of the document is not UTF-8".to_owned();
            diagnostics.push(problem("not-utf8", None, message, "save it as UTF-8, or take it out of the source"));
        }
        let id = |at: u32| self.matcher.id(usize::try_from(at).ok()?);
        let mut found: Vec<(u32, Via, SourceId)> =
            named.ids.iter().filter_map(|(at, line)| Some((*line, Via::Id, id(*at)?.clone()))).collect();
        let folder = file.parent().unwrap_or(Path::new("/"));
        for (path, line) in &named.paths {
            match self.paths.lead(folder, Path::new(&**path)) {
                Lead::To(ids) => found.extend(ids.into_iter().map(|id| (*line, Via::Path, id))),
                Lead::Unlisted => diagnostics.push(problem(
                    "unlisted-link",
                    Some(*line),
                    format!("the link to '{path}' leads to something that is in no source"),
                    "add it with `refdesk add`, or leave it as a plain link",
                )),
                Lead::Broken => diagnostics.push(problem(
                    "broken-link",
                    Some(*line),
                    format!("the link to '{path}' leads nowhere"),
                    "mend the path; it is resolved against the folder of the file that holds it",
                )),
            }
        }
        found.retain(|(_, _, to)| *to != source.id);
        found.sort_by_key(|(line, _, _)| *line);
        let from = mentions.len();
        for (line, via, to) in found {
            let line = wide(line);
            let mention = Mention { from: source.id.clone(), to, via, file: file.clone(), line };
            let this_line = mentions.iter().skip(from).rev().take_while(|earlier| earlier.line == line);
            if !this_line.into_iter().any(|earlier| *earlier == mention) {
                mentions.push(mention);
            }
        }
    }

    /// What the text of a file names.
    fn named_in(&self, path: &Arc<Path>) -> std::io::Result<Arc<Named>> {
        let Some(memory) = &self.memory else {
            let (bytes, _) = read_regular(path, LIMITS.bytes)?;
            return Ok(Arc::new(self.named_by(path, &bytes)));
        };
        let now = stamp(path)?;
        if let Some(named) = memory.at(path, now) {
            return Ok(named);
        }
        let (bytes, _) = read_regular(path, LIMITS.bytes)?;
        let named = Arc::new(self.named_by(path, &bytes));
        memory.keep(path.clone(), now, named.clone());
        Ok(named)
    }

    fn named_by(&self, path: &Path, bytes: &[u8]) -> Named {
        let (text, rubbish) = decode(bytes);
        Named { rubbish, ..scan(&text, Format::of(path), &self.matcher) }
    }
}

fn wide(line: u32) -> usize {
    usize::try_from(line).unwrap_or(usize::MAX)
}

/// What each file named, as long as its size and time stay.
#[derive(Debug)]
struct Memory {
    clock: fn() -> SystemTime,
    files: Mutex<HashMap<Arc<Path>, Remembered>>,
}

#[derive(Debug)]
struct Remembered {
    then: Stamp,
    named: Arc<Named>,
}

impl Memory {
    fn at(&self, path: &Path, now: Stamp) -> Option<Arc<Named>> {
        let files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.get(path).filter(|file| file.then == now).map(|file| file.named.clone())
    }

    fn keep(&self, path: Arc<Path>, then: Stamp, named: Arc<Named>) {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if then.has_settled((self.clock)()) {
            files.insert(path, Remembered { then, named });
        } else {
            files.remove(&path);
        }
    }

    /// Forgets files that are in no source of this catalog.
    fn forget_others(&mut self, catalog: &Catalog) {
        let places: HashSet<&Path> = catalog.sources().iter().filter_map(|it| Some(&*it.place()?.path)).collect();
        let files = self.files.get_mut().unwrap_or_else(PoisonError::into_inner);
        files.retain(|file, _| file.ancestors().any(|path| places.contains(path)));
        files.shrink_to(places.len());
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::catalog::Standing;
    use crate::catalog::testing::local;
    use crate::disk::write_atomic;

    fn clock() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    #[test]
    fn a_file_is_remembered_once_it_has_settled() {
        let path: Arc<Path> = Arc::from(Path::new("/w/a.md"));
        for (age, remembered) in [(0, false), (1, false), (60, true)] {
            let memory = Memory { clock, files: Mutex::default() };
            let at = clock() - Duration::from_secs(age);
            let modified = u64::try_from(at.duration_since(UNIX_EPOCH).unwrap().as_nanos()).unwrap();
            let then = Stamp { size: 5, modified, changed: modified, number: 7 };
            memory.keep(path.clone(), then, Arc::default());
            assert_eq!(memory.at(&path, then).is_some(), remembered, "written {age} s ago");
            for other in [Stamp { size: 6, ..then }, Stamp { number: 8, ..then }, Stamp { changed: 1, ..then }] {
                assert!(memory.at(&path, other).is_none(), "another file: {other:?}");
            }
        }
    }

    #[test]
    fn an_edit_of_equal_size_with_its_time_put_back_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        let sources = [local("a", &path, Standing::File), local("b", &path, Standing::File)];
        let catalog = Catalog::new([sources, ["c", "d"].map(|id| local(id, &path, Standing::Missing))].concat());
        let library = Library::remembering(folder.path(), &catalog, clock);
        let read = |text: &str| {
            write_atomic(&path, text.as_bytes()).unwrap();
            let file = std::fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(clock() - Duration::from_secs(60)).unwrap();
            let scanned = library.scan(&[catalog.get("a").unwrap()]);
            scanned[0].mentions.iter().map(|mention| mention.to.to_string()).collect::<Vec<_>>()
        };
        assert_eq!((read("See b."), read("See c.")), (vec!["b".to_owned()], vec!["c".to_owned()]));
    }
}
