//! How much of what there is to say is said: whole entries go from full to name and place, and from there into a count,
//! until the rest fits (BEHAVIOUR §5, "Budget"). Nothing is ever cut inside an entry.

use super::draft::{Block, BlockKind, Draft, Entry, Item, Level};
use super::print;
use crate::text::tokens;

/// How much may be appended to a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Budget {
    /// In UTF-16 units, as most clients count characters; so it never is more than so many characters.
    pub chars: Option<usize>,
    /// Estimated.
    pub tokens: Option<usize>,
}

/// What was kept of some drafts.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Fitted {
    /// The blocks one behind the other, as they are appended.
    pub text: String,
    /// Their prices; `start` is within `text`.
    pub blocks: Vec<Block>,
    /// What was said and what was left out, in the order of the drafts.
    pub items: Vec<Item>,
}

/// The order in which kinds go where room is short (§5); templates are looked up as easily as hinted-at sources.
const FIRST_TO_GO: [BlockKind; 5] =
    [BlockKind::Hint, BlockKind::Templates, BlockKind::Notice, BlockKind::Context, BlockKind::Expansion];

impl Budget {
    fn holds(self, fitted: &Fitted) -> bool {
        let tokens: usize = fitted.blocks.iter().map(|block| block.tokens).sum();
        self.chars.is_none_or(|most| fitted.text.len() <= most || fitted.text.encode_utf16().count() <= most)
            && self.tokens.is_none_or(|most| tokens <= most)
    }
}

/// Prints as much as there is room for. Where not even the line about what is left out fits, nothing is printed.
/// What is to go first is only weighed where something has to.
pub(crate) fn fit(drafts: &mut [Draft], budget: Budget, weigh: impl FnOnce(&mut [Draft])) -> Fitted {
    let whole = printed(drafts, |_, _| Level::Full);
    if budget.holds(&whole) {
        return whole;
    }
    weigh(drafts);
    let drafts = &*drafts;
    let order = steps(drafts);
    let after = |count: usize| {
        let mut levels: Vec<Vec<Level>> = drafts.iter().map(|it| vec![Level::Full; it.entries.len()]).collect();
        for (draft, entry, level) in order.iter().take(count) {
            if let Some(place) = levels.get_mut(*draft).and_then(|levels| levels.get_mut(*entry)) {
                *place = *level;
            }
        }
        let level = |draft: usize, entry: usize| {
            levels.get(draft).and_then(|levels| levels.get(entry)).copied().unwrap_or(Level::Full)
        };
        printed(drafts, level)
    };
    // Every step but the first that counts makes it smaller, so the steps can be halved.
    let (mut low, mut high) = (0, order.len());
    while low < high {
        let middle = low.midpoint(high);
        if budget.holds(&after(middle)) { high = middle } else { low = middle + 1 }
    }
    let fitted = after(low);
    if budget.holds(&fitted) {
        return fitted;
    }
    let silent = printed(drafts, |_, _| Level::Count);
    Fitted { items: silent.items, ..Fitted::default() }
}

/// What is given up, one step after the other.
fn steps(drafts: &[Draft]) -> Vec<(usize, usize, Level)> {
    let mut steps = Vec::new();
    for kind in FIRST_TO_GO {
        let of_kind = drafts.iter().enumerate().filter(|(_, draft)| draft.kind == kind);
        let mut entries: Vec<(usize, usize, &Entry)> = of_kind
            .flat_map(|(nth, draft)| draft.entries.iter().enumerate().map(move |(at, entry)| (nth, at, entry)))
            .collect();
        entries.sort_by(|a, b| a.2.weight.total_cmp(&b.2.weight).then(b.1.cmp(&a.1)));
        for level in [Level::Brief, Level::Count] {
            let worth = |entry: &Entry| level == Level::Count || entry.brief.len() < entry.full.len();
            steps.extend(entries.iter().filter(|it| worth(it.2)).map(|(nth, at, _)| (*nth, *at, level)));
        }
    }
    steps
}

fn printed(drafts: &[Draft], level: impl Fn(usize, usize) -> Level) -> Fitted {
    let mut fitted = Fitted::default();
    let mut left_out: Vec<(BlockKind, usize)> = Vec::new();
    for (nth, draft) in drafts.iter().enumerate() {
        let mut shown: Vec<&str> = Vec::with_capacity(draft.entries.len());
        let mut lowest = Level::Full;
        let mut gone = 0;
        for (at, entry) in draft.entries.iter().enumerate() {
            let level = level(nth, at);
            let words = match level {
                Level::Full => entry.full.as_str(),
                Level::Brief => entry.brief.as_str(),
                Level::Count => "",
            };
            if level == Level::Count {
                gone += 1;
            } else {
                lowest = lowest.max(level);
                shown.push(words);
            }
            let (about, why) = (entry.about.clone(), entry.why.clone());
            fitted.items.push(Item { block: draft.kind, about, level, bytes: words.len(), why });
        }
        if !shown.is_empty() {
            fitted.push(draft.kind, &print::block(draft.kind, &shown), lowest);
        }
        if gone > 0 {
            left_out.push((draft.kind, gone));
        }
    }
    if !left_out.is_empty() {
        fitted.push(BlockKind::LeftOut, &print::left_out(&left_out), Level::Count);
    }
    fitted
}

impl Fitted {
    fn push(&mut self, kind: BlockKind, block: &str, level: Level) {
        let start = self.text.len();
        self.text.push_str(block);
        let tokens = usize::try_from(tokens::of_prose(block.len() as u64)).unwrap_or(usize::MAX);
        self.blocks.push(Block { kind, bytes: block.len(), tokens, level, start });
    }
}
