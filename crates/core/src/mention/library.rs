//! Reads and scans the documents of a catalog in parallel; unchanged documents come from the cache.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use rayon::prelude::*;

use super::cache::MentionCache;
use super::documents::{LIMITS, files, tokens_of, without_documents};
use super::file_problems::FileProblems;
use super::ids::IdMatcher;
use super::links::LinkSyntax;
use super::resolved::ResolvedLinks;
use super::scan::{ScannedMentions, scan};
use super::target::{LinkTarget, PathIndex};
use super::{MentionKind, Mentions};
use crate::catalog::{Catalog, LocalPath, Source, SourceId, SourceKind};
use refdesk_files::nofollow::open_in;
use refdesk_files::path::display;
use refdesk_files::walk::WalkBudget;
use refdesk_files::{Sealer, Stamp, read_open, stamp};
use refdesk_text::Code;
use refdesk_text::lines::decode;
use refdesk_text::number::wide;
use refdesk_text::report::Diagnostic;
use refdesk_text::report::listed::ListedProblems;
use refdesk_text::tokens::{grouped, of_prose};

/// The most mentions in a catalog: 128 MB at eight bytes each. A text counts once for each source that contains it, so
/// a short text shared by many sources could otherwise fill the memory.
const MAX_MENTIONS: usize = 16_000_000;

/// The most mentions in one source: a link counts once for each source at its target.
const MAX_MENTIONS_OF_SOURCE: usize = 1_000_000;

/// How many sources are scanned before their mentions are counted.
const SCANNED_TOGETHER: usize = 64;

/// The result of scanning one source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    /// The source.
    pub id: SourceId,
    /// The mentions in its text, in order of file and line; at most one per line, target and kind.
    pub mentions: Mentions,
    /// Broken and unlisted links, unreadable files, exceeded limits.
    pub diagnostics: Vec<Diagnostic>,
    /// Estimated tokens of the text; `None` if the text is not local or is missing.
    pub tokens: Option<u64>,
}

/// Reads documents and finds their mentions.
#[derive(Debug)]
pub struct Library {
    workspace: PathBuf,
    matcher: Arc<IdMatcher>,
    paths: PathIndex,
    memory: MentionCache,
    reads: AtomicUsize,
    /// How many mentions have been found since the catalog was read.
    found: AtomicUsize,
    /// The budget shared by all walks until the catalog is read again.
    budget: WalkBudget,
}

impl Library {
    /// A library for a single command.
    pub fn for_one_command(workspace: &Path, catalog: &Catalog, clock: fn() -> SystemTime) -> Self {
        Self::with(workspace, catalog, MentionCache::new(clock, false))
    }

    /// A library for a running desk, which keeps documents in memory because it scans repeatedly.
    pub fn for_running_desk(workspace: &Path, catalog: &Catalog, clock: fn() -> SystemTime) -> Self {
        Self::with(workspace, catalog, MentionCache::new(clock, true))
    }

    /// Adds the cache file, which may not exist yet.
    #[must_use]
    pub fn with_cache_file(self, file: PathBuf, sealer: Sealer) -> Self {
        let memory = self.memory.in_file(self.workspace.clone(), file, sealer);
        Self { memory, ..self }
    }

    /// Sets the budget shared by all walks until the catalog is read again.
    #[must_use]
    pub fn within(self, budget: WalkBudget) -> Self {
        Self { budget, ..self }
    }

    fn with(workspace: &Path, catalog: &Catalog, memory: MentionCache) -> Self {
        let matcher = Arc::new(IdMatcher::new(catalog));
        Self {
            workspace: workspace.to_path_buf(),
            matcher,
            paths: PathIndex::new(workspace, catalog),
            memory,
            reads: AtomicUsize::new(0),
            found: AtomicUsize::new(0),
            budget: WalkBudget::default(),
        }
    }

    /// Switches to another catalog; keeps cached documents that are still valid and needed.
    pub fn adopt(&mut self, catalog: &Catalog) {
        self.paths = PathIndex::new(&self.workspace, catalog);
        self.forget_limits();
        if self.matcher.is_for(catalog) {
            let paths = &self.paths;
            self.memory.retain(|path| paths.covers(path), catalog.len());
        } else {
            self.matcher = Arc::new(IdMatcher::new(catalog));
            self.memory.forget();
        }
    }

    /// Saves new scan results for other processes; returns whether there were any.
    ///
    /// # Errors
    /// I/O errors, which only cost time.
    pub fn keep(&self) -> io::Result<bool> {
        self.memory.store(&self.matcher, |path| self.paths.covers(path))
    }

    /// Like [`Library::keep`], for a running desk that has read everything and no longer needs the file in memory.
    ///
    /// # Errors
    /// See [`Library::keep`].
    pub fn keep_all(&mut self) -> io::Result<bool> {
        let kept = self.keep();
        self.memory.unload();
        kept
    }

    /// Prepares for another scan of the same catalog after a possible change on disk.
    pub fn invalidate(&mut self) {
        self.paths.invalidate();
        self.forget_limits();
    }

    fn forget_limits(&mut self) {
        self.budget = WalkBudget::default();
        self.found = AtomicUsize::new(0);
    }

    /// How many documents were opened because they were not cached.
    pub fn reads(&self) -> usize {
        self.reads.load(Ordering::Relaxed)
    }

    /// The matcher for the catalog's ids.
    pub fn ids(&self) -> &Arc<IdMatcher> {
        &self.matcher
    }

    /// Scans these sources in parallel; the results are in the order of `sources`. Until the catalog is read again, at
    /// most 16 million mentions are kept; a source that exceeds the limit gets none.
    pub fn scan(&self, sources: &[&Source]) -> Vec<Scanned> {
        let mut scanned = Vec::with_capacity(sources.len());
        for some in sources.chunks(SCANNED_TOGETHER) {
            let found = some.par_iter().map_init(LineMentions::default, |seen, source| self.scan_source(source, seen));
            // Count in the order of the sources, so that those left out do not depend on thread timing.
            for mut found in found.collect::<Vec<_>>() {
                let count = found.mentions.len();
                if self.found.fetch_add(count, Ordering::Relaxed) + count > MAX_MENTIONS && count > 0 {
                    found.mentions = Mentions::new(self.matcher.ids().clone());
                    found.diagnostics.push(too_many(
                        &found.id,
                        format!("the documents of all sources contain more than {} mentions; those of some sources are left out", grouped(MAX_MENTIONS)),
                        "let fewer sources share a document that mentions many of them",
                    ));
                }
                scanned.push(found);
            }
        }
        scanned
    }

    fn scan_source(&self, source: &Source, seen: &mut LineMentions) -> Scanned {
        let shown = |path: &Path| display(&self.workspace, path);
        let mut tokens = None;
        let (texts, mut diagnostics) = match &source.kind {
            SourceKind::Inline { content } => {
                tokens = Some(of_prose(content.len() as u64));
                let named = Arc::new(scan(content, LinkSyntax::Markdown, &self.matcher));
                (vec![(source.origin.file.clone(), Ok(named))], Vec::new())
            }
            _ => {
                let (found, mut problems) = files(source, &self.budget, shown);
                if found.is_empty() && problems.is_empty() {
                    problems.extend(without_documents(source, &self.budget, shown));
                }
                if source.open_place().is_some() {
                    tokens = Some(tokens_of(&found));
                }
                // If the file is the source's own path, share its allocation.
                let shared = |path: PathBuf| match source.place() {
                    Some(place) if *place.path == *path => place.path.clone(),
                    _ => Arc::from(path),
                };
                let read = found.into_par_iter().map(|file| {
                    let path = shared(file.path);
                    let named =
                        source.place().map_or(Ok(Arc::default()), |place| self.mentions_in(place, &path, file.stamp));
                    (path, named)
                });
                (read.collect::<Vec<(Arc<Path>, _)>>(), problems)
            }
        };
        let mut mentions = Mentions::new(self.matcher.ids().clone());
        for (file, named) in texts {
            match named {
                Ok(named) => self.follow(source, &file, &named, seen, &mut mentions, &mut diagnostics),
                Err(error) => diagnostics.push(
                    Diagnostic::warning(Code::Unreadable, format!("the document cannot be read: {error}"))
                        .in_file(shown(&file))
                        .about(source.id.as_str())
                        .fix("make it a readable file"),
                ),
            }
        }
        mentions.shrink();
        if mentions.len() == MAX_MENTIONS_OF_SOURCE {
            diagnostics.push(too_many(
                &source.id,
                format!("only the first {} mentions in the source are kept", grouped(MAX_MENTIONS_OF_SOURCE)),
                "split the source into smaller ones",
            ));
        }
        Scanned { id: source.id.clone(), mentions, diagnostics, tokens }
    }

    /// Turns scan results into mentions of sources, by line, and broken links into diagnostics.
    fn follow(
        &self,
        source: &Source,
        file: &Arc<Path>,
        named: &ScannedMentions,
        seen: &mut LineMentions,
        mentions: &mut Mentions,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let mut problems = FileProblems { workspace: &self.workspace, source, file, listed: ListedProblems::default() };
        problems.add_text(named);
        let mut found: Vec<(u32, MentionKind, u32)> =
            named.ids.iter().map(|(to, line)| (*line, MentionKind::Id, *to)).collect();
        let folder = file.parent().unwrap_or(Path::new("/"));
        let mut last = None;
        for link in &named.paths {
            if last.replace(link.line) != Some(link.line) {
                seen.links.begin_line();
            }
            // Of several equal paths on a line, or several with the same target, only the first is followed.
            match seen.links.first_on_line(&self.paths, folder, &link.path) {
                Some(LinkTarget::To(spots)) => {
                    let room = MAX_MENTIONS_OF_SOURCE.saturating_sub(found.len());
                    let sources = self.paths.sources_at(spots).take(room);
                    found.extend(sources.map(|to| (link.line, MentionKind::Path, to)));
                }
                Some(elsewhere) => problems.add_link(link, &elsewhere),
                None => {}
            }
        }
        diagnostics.extend(problems.listed.into_vec());
        found.sort_by_key(|(line, _, _)| *line);
        let ids = self.matcher.ids();
        for on_line in found.chunk_by(|one, other| one.0 == other.0) {
            seen.begin_line();
            for (line, via, to) in on_line {
                let is_other = ids.get(wide(*to)).is_some_and(|to| *to != source.id);
                if is_other && mentions.len() < MAX_MENTIONS_OF_SOURCE && seen.is_first(*via, wide(*to)) {
                    mentions.push(*to, *via, file, *line);
                }
            }
        }
    }

    /// The scan result for a file of this source; a known `stamp` saves reading the file's metadata.
    fn mentions_in(
        &self,
        place: &LocalPath,
        path: &Arc<Path>,
        known: Option<Stamp>,
    ) -> io::Result<Arc<ScannedMentions>> {
        let now = self.memory.now();
        let then = known.map_or_else(|| stamp(path), Ok)?;
        if let Some(named) = self.memory.recall(path, then, &self.matcher) {
            return Ok(named);
        }
        self.reads.fetch_add(1, Ordering::Relaxed);
        let (file, metadata) = open_in(&place.resolved, &place.real(path))?;
        let (bytes, _) = read_open(file, &metadata, LIMITS.bytes)?;
        let named = Arc::new(self.mentions_by(path, &bytes));
        self.memory.keep(path.clone(), then, named.clone(), now);
        Ok(named)
    }

    fn mentions_by(&self, path: &Path, bytes: &[u8]) -> ScannedMentions {
        let (text, is_binary) = decode(bytes);
        ScannedMentions { is_binary, ..scan(&text, LinkSyntax::of(path), &self.matcher) }
    }
}

fn too_many(id: &SourceId, message: String, fix: &'static str) -> Diagnostic {
    Diagnostic::warning(Code::TooMany, message).about(id.as_str()).fix(fix)
}

/// Up to this many mentions of a line are compared one by one, without a list as long as the catalog.
const FEW: usize = 16;

/// The mentions of the current line.
#[derive(Debug, Default)]
struct LineMentions {
    links: ResolvedLinks,
    /// The first mentions of the line, at most [`FEW`].
    few: Vec<(MentionKind, usize)>,
    /// The number of the current line, so that nothing has to be cleared between lines.
    line: u64,
    /// For each target and kind of mention beyond those in `few`, the last line that had it.
    last: Vec<[u64; 2]>,
}

impl LineMentions {
    fn begin_line(&mut self) {
        self.few.clear();
        self.line += 1;
    }

    /// Whether this is the first mention of its kind and target on the line.
    fn is_first(&mut self, via: MentionKind, to: usize) -> bool {
        if self.few.contains(&(via, to)) {
            return false;
        }
        if self.few.len() < FEW {
            self.few.push((via, to));
            return true;
        }
        if to >= self.last.len() {
            self.last.resize(to + 1, [0; 2]);
        }
        let last = self.last.get_mut(to).and_then(|lasts| lasts.get_mut(usize::from(via == MentionKind::Path)));
        last.is_some_and(|last| std::mem::replace(last, self.line) != self.line)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, UNIX_EPOCH};

    use super::*;
    use crate::catalog::PathState;
    use crate::catalog::testing::{inline, local};
    use crate::mention::MentionGraph;
    use refdesk_files::write_atomic;

    fn clock() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    #[test]
    fn a_line_has_each_mention_once() {
        // Comparing each mention with all earlier ones on its line would take billions of comparisons.
        let ids: Vec<String> = (0..50_000).map(|at| format!("s{at}")).collect();
        let names = ids.join(" ");
        let text = format!("{names} {names}\ns7 s7 s0 [s9](./x.md)\n{}", "./x.md ././x.md ".repeat(20_000));
        let inlines = ids.iter().map(|id| inline(id, if *id == "s0" { &text } else { "" }));
        let folder = tempfile::tempdir().unwrap();
        // Several sources have the same path, so each link to it mentions all of them.
        let places = (0..500).map(|at| local(&format!("p{at}"), Path::new("/ws/x.md"), PathState::Missing));
        let catalog = Catalog::new(inlines.chain(places).collect());
        let library = Library::for_one_command(folder.path(), &catalog, clock);
        let scanned = library.scan(&[catalog.get("s0").unwrap()]).remove(0);
        let mut graph = MentionGraph::default();
        graph.insert(scanned.id, scanned.mentions);
        let on_line = |wanted: usize| {
            let mentions = graph.from("s0").filter(move |mention| mention.line == wanted);
            mentions.map(|mention| (mention.to.to_string(), mention.via)).collect::<Vec<_>>()
        };
        let by_id = |id: &str| (id.to_owned(), MentionKind::Id);
        let by_path = || (0..500).map(|at| (format!("p{at}"), MentionKind::Path));
        assert_eq!(on_line(1), ids.iter().skip(1).map(|id| by_id(id)).collect::<Vec<_>>());
        assert_eq!(on_line(2), [by_id("s7"), by_id("s9")].into_iter().chain(by_path()).collect::<Vec<_>>());
        assert_eq!(on_line(3), by_path().collect::<Vec<_>>());
    }

    #[test]
    fn mentions_are_limited_for_a_source_and_for_all() {
        let folder = tempfile::tempdir().unwrap();
        // Each link mentions every source at its target.
        let links = "./x.md\n".repeat(2 * MAX_MENTIONS_OF_SOURCE / 1_000);
        let places = (0..1_000).map(|at| local(&format!("p{at}"), Path::new("/ws/x.md"), PathState::Missing));
        let texts = [("a", links.as_str()), ("b", "see c"), ("c", "see d"), ("d", "nothing"), ("e", "see d")];
        let catalog = Catalog::new(texts.map(|(id, text)| inline(id, text)).into_iter().chain(places).collect());
        let sources = texts.map(|(id, _)| catalog.get(id).unwrap());
        let mut library = Library::for_one_command(folder.path(), &catalog, clock);
        let mut scan = |already: usize| {
            library.invalidate();
            library.found.store(already, Ordering::Relaxed);
            let told =
                |scanned: &Scanned| scanned.diagnostics.iter().map(|told| told.code.as_str()).collect::<String>();
            library.scan(&sources).iter().map(|one| (one.mentions.len(), told(one))).collect::<Vec<_>>()
        };
        let (fine, cut) = (String::new, || "too-many".to_owned());
        let most = MAX_MENTIONS_OF_SOURCE;
        assert_eq!(scan(0), [(most, cut()), (1, fine()), (1, fine()), (0, fine()), (1, fine())]);
        let already = MAX_MENTIONS - most - 1;
        assert_eq!(scan(already), [(most, cut()), (1, fine()), (0, cut()), (0, fine()), (0, cut())]);
    }

    #[test]
    fn an_edit_with_equal_size_and_restored_time_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.md");
        let sources = [local("a", &path, PathState::File), local("b", &path, PathState::File)];
        let catalog = Catalog::new([sources, ["c", "d"].map(|id| local(id, &path, PathState::Missing))].concat());
        let library = Library::for_running_desk(folder.path(), &catalog, clock);
        let read = |text: &str| {
            write_atomic(&path, text.as_bytes()).unwrap();
            let file = std::fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(clock() - Duration::from_secs(60)).unwrap();
            let scanned = library.scan(&[catalog.get("a").unwrap()]);
            scanned[0].mentions.targets().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!((read("See b."), read("See c.")), (vec!["b".to_owned()], vec!["c".to_owned()]));
    }
}
