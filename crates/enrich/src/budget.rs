//! Fits blocks into the budget: entries are shortened to name and place, then replaced by a count, until the rest fits
//! (BEHAVIOUR §5, "Budget"). An entry is never cut in the middle.

use std::ops::{AddAssign, SubAssign};

use super::draft::{BlockCost, BlockKind, Draft, DraftEntry, ItemReceipt, Level};
use super::print::{self, BlockWording, Frame};
use super::ranking::Rejection;
use refdesk_text::tokens;

/// Maximum size of what is appended to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// In UTF-16 code units, which is how most clients count characters; never fewer than the number of characters.
    pub chars: Option<usize>,
    /// Estimated tokens.
    pub tokens: Option<usize>,
}

/// The part of the drafts that fits.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct FittedDrafts {
    /// The blocks, one after the other, as they are appended.
    pub text: String,
    /// Their costs; `start` is an offset into `text`.
    pub blocks: Vec<BlockCost>,
    /// The printed and left-out entries, in the order of the drafts.
    pub items: Vec<ItemReceipt>,
}

impl FittedDrafts {
    /// Removes the blank lines at the beginning, which separate the blocks from a preceding text.
    pub(crate) fn stand_alone(&mut self) {
        let gone = self.text.bytes().take_while(|byte| *byte == b'\n').count();
        self.text.drain(..gone);
        for block in &mut self.blocks {
            if block.start == 0 {
                block.bytes = block.bytes.saturating_sub(gone);
                block.tokens = tokens_of(block.bytes);
            }
            block.start = block.start.saturating_sub(gone);
        }
    }
}

/// The order in which entries are reduced to fit the budget (§5): first all entries of a kind are shortened, then all
/// are replaced by a count. Templates can be looked up as easily as hinted sources. The line about further available
/// sources is reduced only when picked and auto sources are all that is left; these come last.
const REDUCTION_ORDER: [(BlockKind, EntryGroup, &[Level]); 9] = [
    (BlockKind::Hint, EntryGroup::All, &[Level::Brief, Level::Count]),
    (BlockKind::Available, EntryGroup::All, &[Level::Brief]),
    (BlockKind::Templates, EntryGroup::All, &[Level::Brief, Level::Count]),
    (BlockKind::Notice, EntryGroup::All, &[Level::Brief, Level::Count]),
    (BlockKind::Context, EntryGroup::All, &[Level::Brief, Level::Count]),
    (BlockKind::Expansion, EntryGroup::All, &[Level::Brief, Level::Count]),
    (BlockKind::Instruction, EntryGroup::PulledIn, &[Level::Brief, Level::Count]),
    (BlockKind::Available, EntryGroup::All, &[Level::Count]),
    (BlockKind::Instruction, EntryGroup::Chosen, &[Level::Brief, Level::Count]),
];

/// Which entries of a kind are reduced. Picked and auto entries have an infinite weight.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryGroup {
    All,
    PulledIn,
    Chosen,
}

/// The size of a text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Size {
    bytes: usize,
    /// UTF-16 units.
    chars: usize,
}

impl Size {
    fn of(text: &str) -> Self {
        let chars = if text.is_ascii() { text.len() } else { text.encode_utf16().count() };
        Self { bytes: text.len(), chars }
    }

    fn times(self, count: usize) -> Self {
        Self { bytes: self.bytes * count, chars: self.chars * count }
    }
}

impl AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.chars += other.chars;
    }
}

impl SubAssign for Size {
    fn sub_assign(&mut self, other: Self) {
        self.bytes -= other.bytes;
        self.chars -= other.chars;
    }
}

impl Budget {
    /// What is left of it after this text.
    #[must_use]
    pub fn after(self, text: &str) -> Self {
        Self {
            chars: self.chars.map(|most| most.saturating_sub(Size::of(text).chars)),
            tokens: self.tokens.map(|most| most.saturating_sub(tokens_of(text.len()))),
        }
    }

    fn holds(self, chars: usize, tokens: usize) -> bool {
        self.chars.is_none_or(|most| chars <= most) && self.tokens.is_none_or(|most| tokens <= most)
    }
}

/// Prints as much as fits; nothing if not even the line about left-out entries fits. `weigh` is called only if
/// something has to be reduced.
///
/// Reduces one entry after another, in an order that does not depend on the budget, until the rest fits. If the line
/// about left-out entries is longer than what it replaces, more is reduced. Then undoes every reduction for which there
/// is room, the last one first: one long entry must not take the others away with it. So a larger budget never reduces
/// something that a smaller one printed unless it prints more of something that comes later in the order.
pub(crate) fn fit(
    drafts: &mut [Draft],
    budget: Budget,
    wording: BlockWording,
    weigh: impl FnOnce(&mut [Draft]),
) -> FittedDrafts {
    let mut plan = LevelPlan::new(drafts, wording);
    if plan.fits(budget) {
        return plan.printed();
    }
    weigh(drafts);
    let steps = steps(drafts);
    plan = LevelPlan::new(drafts, wording);
    let mut before = Vec::with_capacity(steps.len());
    for step in &steps {
        before.push(plan.level(step));
        plan.set(step, step.level);
        if plan.fits(budget) {
            plan.undo_needless(&steps, &before, budget);
            return plan.printed();
        }
    }
    FittedDrafts { items: plan.printed().items, ..FittedDrafts::default() }
}

/// One reduction: an entry of a draft, and its new level.
pub(crate) struct Reduction {
    pub draft: usize,
    pub entry: usize,
    pub level: Level,
}

/// All reductions in order; after the last one, only a count remains.
pub(crate) fn steps(drafts: &[Draft]) -> Vec<Reduction> {
    let mut steps = Vec::new();
    for (kind, which, levels) in REDUCTION_ORDER {
        let is_meant = |entry: &DraftEntry| match which {
            EntryGroup::All => true,
            EntryGroup::PulledIn => entry.weight.is_finite(),
            EntryGroup::Chosen => !entry.weight.is_finite(),
        };
        let of_kind = drafts.iter().enumerate().filter(|(_, draft)| draft.kind == kind);
        let mut entries: Vec<(usize, usize, &DraftEntry)> = of_kind
            .flat_map(|(nth, draft)| draft.entries.iter().enumerate().map(move |(at, entry)| (nth, at, entry)))
            .filter(|it| is_meant(it.2))
            .collect();
        entries.sort_by(|a, b| a.2.weight.total_cmp(&b.2.weight).then((b.0, b.1).cmp(&(a.0, a.1))));
        for level in levels {
            // A short form that is not shorter is not a reduction.
            let worth = |entry: &DraftEntry| {
                entry.rejected.is_none() && (*level == Level::Count || entry.brief.len() < entry.full.len())
            };
            let step = |(draft, entry, _): &(usize, usize, &DraftEntry)| Reduction {
                draft: *draft,
                entry: *entry,
                level: *level,
            };
            steps.extend(entries.iter().filter(|it| worth(it.2)).map(step));
        }
    }
    steps
}

/// The level of every entry, and the resulting size.
struct LevelPlan<'d> {
    drafts: &'d [Draft],
    wording: BlockWording,
    /// Indexed by draft and entry.
    levels: Vec<Vec<Level>>,
    /// Indexed by draft: the number of printed entries and their size.
    shown: Vec<(usize, Size)>,
    /// The number of entries that are only counted, even if there is room.
    less_likely: usize,
}

impl<'d> LevelPlan<'d> {
    /// Every entry in full, except those that are only counted.
    fn new(drafts: &'d [Draft], wording: BlockWording) -> Self {
        let level = |entry: &DraftEntry| if entry.rejected.is_some() { Level::Count } else { Level::Full };
        let levels = drafts.iter().map(|draft| draft.entries.iter().map(level).collect()).collect();
        let shown = |draft: &Draft| {
            let (mut words, mut count) = (Size::default(), 0);
            for entry in draft.entries.iter().filter(|entry| entry.rejected.is_none()) {
                words += Size::of(&entry.full);
                count += 1;
            }
            (count, words)
        };
        let less_likely = drafts.iter().map(less_likely_in).sum();
        Self { drafts, wording, levels, shown: drafts.iter().map(shown).collect(), less_likely }
    }

    /// Gives the entry of this reduction a level.
    fn set(&mut self, step: &Reduction, new: Level) {
        let entry = self.drafts.get(step.draft).and_then(|draft| draft.entries.get(step.entry));
        let level = self.levels.get_mut(step.draft).and_then(|levels| levels.get_mut(step.entry));
        let (Some(entry), Some(level), Some((count, words))) = (entry, level, self.shown.get_mut(step.draft)) else {
            return;
        };
        *words -= Size::of(entry.words(*level));
        *words += Size::of(entry.words(new));
        *count += usize::from(new != Level::Count);
        *count -= usize::from(*level != Level::Count);
        *level = new;
    }

    fn level(&self, step: &Reduction) -> Level {
        let levels = self.levels.get(step.draft);
        levels.and_then(|levels| levels.get(step.entry)).copied().unwrap_or(Level::Count)
    }

    /// Undoes those of the reductions for which there is room, the last one first. `before` has the level of each entry
    /// before its reduction, up to the last one made. A hint must not replace a more relevant one, nor a source that was
    /// pulled in one that is nearer to its pick.
    fn undo_needless(&mut self, steps: &[Reduction], before: &[Level], budget: Budget) {
        let (mut hint, mut pulled_in) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
        // By kind, the smallest growth that had no room: a larger one has none either.
        let mut too_large: Vec<(BlockKind, usize)> = Vec::new();
        for (step, before) in steps.iter().zip(before).rev() {
            let draft = self.drafts.get(step.draft);
            let Some((kind, entry)) = draft.and_then(|draft| Some((draft.kind, draft.entries.get(step.entry)?))) else {
                continue;
            };
            let is_behind = match kind {
                BlockKind::Hint => entry.weight <= hint,
                BlockKind::Instruction => entry.weight < pulled_in,
                _ => false,
            };
            let growth = entry.words(*before).len().saturating_sub(entry.words(step.level).len());
            let has_no_room = too_large.iter().any(|(other, least)| *other == kind && growth >= *least);
            // Otherwise the entry is still reduced further.
            if is_behind || has_no_room || self.level(step) != step.level {
                continue;
            }
            self.set(step, *before);
            if !self.fits(budget) {
                self.set(step, step.level);
                too_large.retain(|(other, _)| *other != kind);
                too_large.push((kind, growth));
                match kind {
                    BlockKind::Hint => hint = hint.max(entry.weight),
                    BlockKind::Instruction if entry.weight.is_finite() => pulled_in = pulled_in.max(entry.weight),
                    _ => {}
                }
            }
        }
    }

    /// The line about left-out entries; `None` if nothing is left out.
    fn left_out(&self) -> Option<String> {
        let of = |(draft, (shown, _)): (&Draft, &(usize, Size))| {
            (draft.kind, draft.entries.len() - shown - rejected_in(draft))
        };
        let counts: Vec<_> = self.drafts.iter().zip(&self.shown).map(of).filter(|(_, gone)| *gone > 0).collect();
        let is_whole = counts.is_empty() && self.less_likely == 0;
        (!is_whole).then(|| print::left_out(&counts, self.less_likely, self.wording.kind))
    }

    /// Whether the blocks fit the budget, computed from their sizes.
    fn fits(&self, budget: Budget) -> bool {
        let (mut chars, mut spent, mut is_first) = (0, 0, true);
        for (draft, (shown, words)) in self.drafts.iter().zip(&self.shown).filter(|(_, (shown, _))| *shown > 0) {
            let frame = print::frame(draft.kind, is_first, self.wording.hint_action);
            let mut size = *words;
            size += Size::of(frame.between).times(shown - 1);
            [&*frame.before, frame.after].into_iter().for_each(|text| size += Size::of(text));
            chars += size.chars;
            spent += tokens_of(size.bytes);
            is_first = false;
        }
        if !budget.holds(chars, spent) {
            return false;
        }
        let Some(left_out) = self.left_out() else { return true };
        let line = Size::of(&left_out);
        budget.holds(chars + line.chars, spent + tokens_of(line.bytes))
    }

    fn printed(&self) -> FittedDrafts {
        let mut fitted = FittedDrafts::default();
        for (draft, levels) in self.drafts.iter().zip(&self.levels) {
            let mut shown: Vec<&str> = Vec::with_capacity(draft.entries.len());
            let mut lowest = Level::Full;
            for (entry, level) in draft.entries.iter().zip(levels) {
                let words = entry.words(*level);
                lowest = lowest.max(*level);
                if *level != Level::Count {
                    shown.push(words);
                }
                fitted.items.push(ItemReceipt {
                    block: draft.kind,
                    about: entry.about.clone(),
                    level: *level,
                    bytes: words.len(),
                    why: entry.why.clone(),
                    rejected: entry.rejected,
                });
            }
            if !shown.is_empty() {
                let frame = print::frame(draft.kind, fitted.text.is_empty(), self.wording.hint_action);
                fitted.push(draft.kind, &frame, &shown, lowest);
            }
        }
        if let Some(left_out) = self.left_out() {
            let start = fitted.text.len();
            fitted.text.push_str(&left_out);
            fitted.price(BlockKind::LeftOut, start, Level::Count);
        }
        fitted
    }
}

fn rejected_in(draft: &Draft) -> usize {
    draft.entries.iter().filter(|entry| entry.rejected.is_some()).count()
}

/// The number of entries that an agent could read but that are less likely to be meant than others. Without others, an
/// agent has no use for it.
fn less_likely_in(draft: &Draft) -> usize {
    if rejected_in(draft) == draft.entries.len() {
        return 0;
    }
    let is_less_likely = |entry: &&DraftEntry| entry.rejected.is_some_and(|why| why != Rejection::Unreadable);
    draft.entries.iter().filter(is_less_likely).count()
}

fn tokens_of(bytes: usize) -> usize {
    usize::try_from(tokens::of_prose(bytes as u64)).unwrap_or(usize::MAX)
}

impl FittedDrafts {
    /// Appends a block with these entries. Copies each entry once, since they may be megabytes long.
    fn push(&mut self, kind: BlockKind, frame: &Frame, entries: &[&str], level: Level) {
        let start = self.text.len();
        let words: usize = entries.iter().map(|entry| entry.len() + frame.between.len()).sum();
        self.text.reserve(frame.before.len() + words + frame.after.len());
        self.text.push_str(&frame.before);
        for (at, entry) in entries.iter().enumerate() {
            self.text.push_str(if at > 0 { frame.between } else { "" });
            self.text.push_str(entry);
        }
        self.text.push_str(frame.after);
        self.price(kind, start, level);
    }

    /// Records the text from `start` on as a block.
    fn price(&mut self, kind: BlockKind, start: usize, level: Level) {
        let bytes = self.text.len() - start;
        self.blocks.push(BlockCost { kind, bytes, tokens: tokens_of(bytes), level, start });
    }
}
