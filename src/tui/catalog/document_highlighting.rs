//! Requests syntax highlighting for the document being read, one part at a time. A document that the cursor
//! only passes in the list is not highlighted, because language definitions use memory.

use std::ops::Range;

use crate::tui::highlight::{CodePiece, HighlightSubject, Spans};
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::state::{PanePart, State};
use crate::tui::theme::ThemeRole;

#[derive(Debug, Clone, Default)]
pub struct DocumentPainting {
    pub generation: u64,
    job: Option<PaintingJob>,
}

#[derive(Debug, Clone)]
struct PaintingJob {
    /// The offset of the part.
    portion: u64,
    /// The lines in the order of the job, and the byte at which code starts in each.
    lines: Vec<(usize, usize)>,
    done: usize,
}

impl DocumentPainting {
    /// Discards the result of the current highlighting when it arrives.
    pub fn ended(self) -> Self {
        Self { job: None, ..self }
    }
}

/// Requests highlighting of the next part, starting with the one in view.
pub fn ask(state: &mut State, effects: &mut Vec<Effect>) {
    let is_read = state.focus == Pane::Catalog && state.part == PanePart::Detail;
    if !is_read || state.catalog.reading.painting.job.is_some() {
        return;
    }
    let top = state.catalog.scroll.top;
    let loaded = &mut state.catalog.reading.loaded;
    let first = loaded.at_row(top).map_or(0, |at| at.portion);
    let due = |nth: &usize| loaded.portions.get(*nth).is_some_and(|it| !it.is_painted && it.page.is_some());
    let Some(nth) = (first..loaded.portions.len()).chain(0..first).find(due) else { return };
    let Some(portion) = loaded.portions.get_mut(nth) else { return };
    portion.is_painted = true;
    let Some(page) = &portion.page else { return };
    // Grouped by language, because switching the language is slow.
    let mut blocks: Vec<_> = page.code.iter().filter(|block| !block.languages.is_empty()).collect();
    blocks.sort_by_key(|block| &block.languages);
    let text = |(line, from): &(usize, usize)| {
        page.text.lines().get(*line).and_then(|line| line.text().get(*from..)).unwrap_or_default().to_owned()
    };
    let piece = |block: &&crate::tui::markdown::CodeBlock| CodePiece {
        lines: block.lines.iter().map(text).collect(),
        languages: block.languages.clone(),
    };
    let pieces: Vec<CodePiece> = blocks.iter().map(piece).collect();
    let lines: Vec<(usize, usize)> = blocks.iter().flat_map(|block| block.lines.iter().copied()).collect();
    if lines.is_empty() {
        return;
    }
    let portion = portion.start.offset;
    let painting = &mut state.catalog.reading.painting;
    painting.generation += 1;
    painting.job = Some(PaintingJob { portion, lines, done: 0 });
    let subject = HighlightSubject::Document;
    effects.push(Effect::Highlight { subject, generation: painting.generation, pieces });
}

pub fn highlighted(state: &mut State, generation: u64, from: usize, colours: &[Spans]) {
    let reading = &mut state.catalog.reading;
    let painting = &mut reading.painting;
    let Some(job) = painting.job.as_mut().filter(|_| painting.generation == generation) else { return };
    let portion = reading.loaded.portions.iter_mut().find(|portion| portion.start.offset == job.portion);
    if let Some(page) = portion.and_then(|portion| portion.page.as_mut()) {
        for ((line, at), spans) in job.lines.iter().skip(from).zip(colours).filter(|(_, spans)| !spans.is_empty()) {
            let range = |span: &crate::tui::highlight::Span| -> (Range<usize>, ThemeRole) {
                (span.start as usize..span.end as usize, span.role)
            };
            if let Some(line) = page.text.line_mut(*line) {
                line.paint(*at, spans.iter().map(range));
            }
        }
    }
    job.done = job.done.max(from + colours.len());
    if job.done >= job.lines.len() {
        painting.job = None;
    }
}
