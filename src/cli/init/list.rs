//! The list of proposals and their ticks. Sources with a new path come first, then new ones; unticked ones come last,
//! and many of them are folded into one line.

use std::collections::BTreeMap;

use crate::cli::fix::argument;
use refdesk_desk::{Discovery, KnownSource, MovedSource, ProposedPlace, ProposedSource};
use refdesk_files::path::lossy;
use refdesk_text::escape::one_line;
use refdesk_text::tokens::grouped;

/// How many changed rows to show again.
const CHANGED: usize = 20;

/// The most folders named in the line for folded rows.
const FOLDERS: usize = 3;

/// The ticks, in the order of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ticks {
    ticked: Vec<bool>,
    /// The number of sources with a new path.
    moved: usize,
    /// The number of rows that are listed; the others are folded.
    listed: usize,
}

impl Ticks {
    /// The initial ticks; the first `listed` new sources are not folded.
    pub fn of(found: &Discovery, listed: usize) -> Self {
        let new = found.new.iter().map(|source| source.is_ticked);
        let ticked = found.moved.iter().map(|_| true).chain(new).collect();
        Self { ticked, moved: found.moved.len(), listed: found.moved.len() + listed }
    }

    /// Lists the folded proposals too.
    pub fn unfold(&mut self) {
        self.listed = self.ticked.len();
    }

    /// Whether proposals are folded.
    pub fn is_folded(&self) -> bool {
        self.listed < self.ticked.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ticked.is_empty()
    }

    pub fn count(&self) -> usize {
        self.ticked.iter().filter(|is_ticked| **is_ticked).count()
    }

    /// Whether each new source is ticked.
    pub fn of_new(&self) -> impl Iterator<Item = bool> {
        self.ticked.iter().skip(self.moved).copied()
    }

    /// The new sources that are ticked.
    pub fn added<'a>(&'a self, found: &'a Discovery) -> impl Iterator<Item = &'a ProposedSource> {
        found.new.iter().zip(self.of_new()).filter_map(|(source, is_ticked)| is_ticked.then_some(source))
    }

    /// The moved sources that are ticked.
    pub fn moved<'a>(&'a self, found: &'a Discovery) -> impl Iterator<Item = &'a MovedSource> {
        found.moved.iter().zip(&self.ticked).filter_map(|(source, is_ticked)| is_ticked.then_some(source))
    }

    /// Toggles numbers and ranges (`3 5-8`, also with commas); `a` ticks everything listed, `n` nothing.
    ///
    /// # Errors
    /// A sentence about the word that was not understood; nothing is changed.
    pub fn toggle(&mut self, line: &str) -> Result<(), String> {
        let mut ticked = self.ticked.clone();
        for word in line.split([' ', ',', '\t']).filter(|word| !word.is_empty()) {
            match word {
                "a" | "all" => ticked.iter_mut().take(self.listed).for_each(|tick| *tick = true),
                "n" | "none" => ticked.fill(false),
                word => {
                    let (from, to) = word.split_once('-').unwrap_or((word, word));
                    let range = from.parse::<usize>().ok().zip(to.parse::<usize>().ok());
                    let range = range.filter(|(from, to)| 1 <= *from && from <= to && *to <= self.listed);
                    let Some((from, to)) = range else {
                        return Err(format!("'{}' is not a number or range from 1 to {}", one_line(word), self.listed));
                    };
                    ticked.iter_mut().take(to).skip(from - 1).for_each(|tick| *tick = !*tick);
                }
            }
        }
        self.ticked = ticked;
        Ok(())
    }

    /// The rows whose ticks differ from those before.
    fn changes(&self, before: &Self) -> Vec<usize> {
        let pairs = self.ticked.iter().zip(&before.ticked).enumerate();
        pairs.filter(|(_, (now, before))| now != before).map(|(at, _)| at).collect()
    }

    fn counted(&self) -> String {
        format!("{} of {} ticked\n", self.count(), self.listed)
    }
}

/// The list for people; `how` says how to see the folded rows.
pub fn shown(found: &Discovery, ticks: &Ticks, how: &str) -> String {
    let mut text: String = (0..ticks.listed).filter_map(|at| row(found, ticks, at, Detail::Full)).collect();
    text.push_str(&missing(found));
    text.push_str(&folded(found, ticks, how));
    text.push_str(&ticks.counted());
    text
}

pub fn changed(found: &Discovery, before: &Ticks, ticks: &Ticks) -> String {
    let rows = ticks.changes(before);
    let mut text: String = rows.iter().take(CHANGED).filter_map(|at| row(found, ticks, *at, Detail::Head)).collect();
    if let Some(more) = rows.len().checked_sub(CHANGED).filter(|more| *more > 0) {
        text.push_str(&format!("… and {more} more\n"));
    }
    text.push_str(&ticks.counted());
    text
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Detail {
    Head,
    Full,
}

fn row(found: &Discovery, ticks: &Ticks, at: usize, detail: Detail) -> Option<String> {
    let width = ticks.listed.to_string().len();
    let is_ticked = *ticks.ticked.get(at)?;
    let (head, lines) = match found.moved.get(at) {
        Some(source) => {
            let message = format!("{} is now {}: {}", source.before, lossy(&source.after), source.evidence);
            (head(at, width, is_ticked, &source.id, "moved", ""), vec![message])
        }
        None => {
            let source = found.new.get(at - ticks.moved)?;
            let tags =
                if source.tags.is_empty() { "no tags".to_owned() } else { format!("tags: {}", source.tags.join(", ")) };
            let evidence = format!("{}: {}", place(source), source.evidence);
            (head(at, width, is_ticked, &source.id, &source.name, &price(source)), vec![evidence, tags])
        }
    };
    let lines = lines.iter().filter(|_| detail == Detail::Full).map(|text| line(width, text));
    Some(std::iter::once(head).chain(lines).collect())
}

fn place(source: &ProposedSource) -> String {
    match &source.place {
        ProposedPlace::Url(url) => url.clone(),
        ProposedPlace::File(path) => lossy(path),
        ProposedPlace::Folder(path) => format!("{}/", lossy(path)),
    }
}

/// The line for what is not listed, by top-level folder.
fn folded(found: &Discovery, ticks: &Ticks, how: &str) -> String {
    let rest = found.new.get(ticks.listed.saturating_sub(ticks.moved)..).unwrap_or_default();
    if rest.is_empty() {
        return String::new();
    }
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for source in rest {
        let place = place(source);
        let folder = place.split_once('/').map_or("at the top".to_owned(), |(top, _)| format!("in {top}/"));
        *counts.entry(folder).or_default() += 1;
    }
    let mut counts: Vec<(String, usize)> = counts.into_iter().collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut parts: Vec<String> =
        counts.iter().take(FOLDERS).map(|(folder, count)| format!("{} {folder}", grouped(*count))).collect();
    let others: usize = counts.iter().skip(FOLDERS).map(|(_, count)| count).sum();
    if others > 0 {
        parts.push(format!("{} elsewhere", grouped(others)));
    }
    let line = format!("{} not ticked, {}: {how}", grouped(rest.len()), parts.join(", "));
    format!("{}\n", one_line(&line))
}

fn price(source: &ProposedSource) -> String {
    match source.place {
        ProposedPlace::Url(_) => String::new(),
        _ => format!(", ~{} tokens", grouped(source.tokens)),
    }
}

fn head(at: usize, width: usize, is_ticked: bool, id: &str, name: &str, price: &str) -> String {
    let tick = if is_ticked { 'x' } else { ' ' };
    format!("{:>width$} [{tick}] {}  {}{price}\n", at + 1, one_line(id), one_line(name))
}

fn line(width: usize, text: &str) -> String {
    format!("{}{}\n", " ".repeat(width + 5), one_line(text))
}

pub fn missing(found: &Discovery) -> String {
    let line = |source: &KnownSource| {
        let KnownSource { id, shown, file, .. } = source;
        let fix = match found.is_partial {
            true => "`refdesk init` searches the whole workspace for it".to_owned(),
            false => format!("`refdesk remove {}` removes it", argument(id)),
        };
        format!("{}\n", one_line(&format!("gone: {id}, {shown} does not exist (in {file}): {fix}")))
    };
    found.gone.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ticks(ticked: &[bool]) -> Ticks {
        Ticks { ticked: ticked.to_vec(), moved: 0, listed: ticked.len() }
    }

    fn found(ticked: usize, not: usize, moved: usize) -> Discovery {
        let source = |nth: usize| ProposedSource {
            id: format!("s{nth}"),
            name: format!("S {nth}"),
            description: String::new(),
            place: ProposedPlace::File(format!("{}/s{nth}.md", ["docs", "tests"][nth % 2]).into()),
            mode: refdesk_core::catalog::Mode::Selectable,
            tags: Vec::new(),
            contents: None,
            kind: refdesk_desk::FoundKind::Document,
            evidence: "why".to_owned(),
            tokens: 1,
            is_ticked: nth < ticked,
            headings: Vec::new(),
        };
        let moves = |nth: usize| MovedSource {
            id: format!("m{nth}"),
            before: "a.md".to_owned(),
            after: "b.md".into(),
            evidence: "same".to_owned(),
        };
        Discovery {
            new: (0..ticked + not).map(source).collect(),
            moved: (0..moved).map(moves).collect(),
            ..Discovery::default()
        }
    }

    #[test]
    fn unticked_documents_are_folded_if_numerous_or_left_out_before() {
        for (found, has_catalog, listed, folded) in [
            (found(2, 3, 0), false, 5, ""),
            (found(2, 11, 0), false, 2, "11 not ticked, 6 in docs/, 5 in tests/: how\n"),
            (found(1, 1, 1), true, 2, "1 not ticked, 1 in tests/: how\n"),
            (found(0, 11, 1), true, 1, "11 not ticked, 6 in docs/, 5 in tests/: how\n"),
            (found(0, 11, 0), false, 11, ""),
        ] {
            let mut ticks = Ticks::of(&found, found.listed(has_catalog));
            let text = shown(&found, &ticks, "how");
            assert_eq!(text.matches("] ").count(), listed, "{text}");
            let count = ticks.count();
            assert!(text.ends_with(&format!("{folded}{count} of {listed} ticked\n")), "{text}");
            assert!(ticks.toggle(&(listed + 1).to_string()).is_err(), "what is not shown cannot be ticked");
            ticks.unfold();
            assert_eq!(shown(&found, &ticks, "how").matches("] ").count(), found.new.len() + found.moved.len());
        }
    }

    #[test]
    fn only_rows_that_changed_are_shown_again() {
        let found = found(30, 0, 1);
        let before = Ticks::of(&found, 30);
        let mut ticks = before.clone();
        ticks.toggle("1 3").unwrap();
        let expected = " 1 [ ] m0  moved\n 3 [ ] s1  S 1, ~1 tokens\n29 of 31 ticked\n";
        assert_eq!(changed(&found, &before, &ticks), expected);
        assert_eq!((ticks.moved(&found).count(), ticks.added(&found).count()), (0, 29));
        ticks.toggle("n").unwrap();
        assert!(changed(&found, &before, &ticks).ends_with("s18  S 18, ~1 tokens\n… and 11 more\n0 of 31 ticked\n"));
    }

    #[test]
    fn numbers_and_ranges_reverse_ticks() {
        for (line, expected) in [
            ("1", Some([true, true, false, true])),
            ("2-4", Some([false, false, true, false])),
            ("1, 3 4", Some([true, true, true, false])),
            ("a", Some([true; 4])),
            ("none 2", Some([false, true, false, false])),
            ("1 1", Some([false, true, false, true])),
            ("5", None),
            ("0", None),
            ("3-2", None),
            ("1 x", None),
            ("-", None),
            ("99999999999999999999", None),
        ] {
            let mut found = ticks(&[false, true, false, true]);
            let outcome = found.toggle(line);
            assert_eq!(outcome.is_ok(), expected.is_some(), "{line}");
            assert_eq!(found.ticked, expected.unwrap_or([false, true, false, true]), "{line}");
        }
    }
}
