//! The documents of a catalog, read and looked through in parallel; a document that was looked through before, here or by
//! another process, and stayed as it was is not read.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use rayon::prelude::*;

use super::documents::{LIMITS, files, tokens_of};
use super::ids::IdMatcher;
use super::links::Format;
use super::memory::Memory;
use super::scan::{Named, scan};
use super::target::{Lead, PathIndex};
use super::{Mention, Via};
use crate::catalog::{Catalog, Kind, Source, SourceId};
use crate::disk::path::display;
use crate::disk::{Sealer, read_regular, stamp};
use crate::report::Diagnostic;
use crate::text::hidden;
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
    memory: Memory,
    reads: AtomicUsize,
}

impl Library {
    /// A library for one command.
    pub fn for_once(workspace: &Path, catalog: &Catalog, clock: fn() -> SystemTime) -> Self {
        Self::with(workspace, catalog, Memory::new(clock, false))
    }

    /// A library for a running desk, which is asked again and again.
    pub fn remembering(workspace: &Path, catalog: &Catalog, clock: fn() -> SystemTime) -> Self {
        Self::with(workspace, catalog, Memory::new(clock, true))
    }

    /// The same with a file for what outlasts it, there or not.
    #[must_use]
    pub fn kept_in(self, file: PathBuf, sealer: Sealer) -> Self {
        let memory = self.memory.in_file(self.workspace.clone(), file, sealer);
        Self { memory, ..self }
    }

    fn with(workspace: &Path, catalog: &Catalog, memory: Memory) -> Self {
        let matcher = Arc::new(IdMatcher::new(catalog));
        Self {
            workspace: workspace.to_path_buf(),
            matcher,
            paths: PathIndex::new(catalog),
            memory,
            reads: AtomicUsize::new(0),
        }
    }

    /// The same library for another catalog; what it remembers stays where it is still true and asked for.
    pub fn adopt(&mut self, catalog: &Catalog) {
        self.paths = PathIndex::new(catalog);
        if self.matcher.is_for(catalog) {
            let paths = &self.paths;
            self.memory.retain(|path| paths.covers(path), catalog.len());
        } else {
            self.matcher = Arc::new(IdMatcher::new(catalog));
            self.memory.forget();
        }
    }

    /// Writes down for other processes what was read that they would have to read too; tells whether there was anything.
    ///
    /// # Errors
    /// What the file system says; nothing is lost but time.
    pub fn keep(&self) -> io::Result<bool> {
        self.memory.store(&self.matcher, |path| self.paths.covers(path))
    }

    /// The same for a running desk that has read everything: it needs the file no more.
    ///
    /// # Errors
    /// As [`Library::keep`].
    pub fn keep_all(&mut self) -> io::Result<bool> {
        let kept = self.keep();
        self.memory.unload();
        kept
    }

    /// The same library for the same catalog, when something on disk may have changed.
    pub fn look_anew(&mut self) {
        self.paths.look_anew();
    }

    /// How many documents were opened, since nothing was known of them.
    pub fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
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
        // The text of an inline source is an entry of the catalog, and looked at there.
        if let Some(hidden) = named.hidden.as_deref().filter(|_| source.place().is_some()) {
            let told = problem("hidden-characters", Some(hidden.line), hidden.words(), hidden::HINT);
            diagnostics.push(Diagnostic { column: Some(wide(hidden.column)), ..told });
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
        let now = self.memory.now();
        let then = stamp(path)?;
        if let Some(named) = self.memory.recall(path, then, &self.matcher) {
            return Ok(named);
        }
        self.reads.fetch_add(1, Ordering::Relaxed);
        let (bytes, _) = read_regular(path, LIMITS.bytes)?;
        let named = Arc::new(self.named_by(path, &bytes));
        self.memory.keep(path.clone(), then, named.clone(), now);
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
