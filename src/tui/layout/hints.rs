//! Lays out the hints pane: the prompt, its matches, and the feed, of which the focused part gets most of the rows.

use ratatui::layout::Rect;
use refdesk_core::config::screen::Shares;

use crate::tui::layout::{
    BORDERS, MIN_DETAIL, MIN_LIST, MIN_WIDTH_SIDE_BY_SIDE, PaneLayout, part, split_columns, split_rows, stacked,
};

/// The minimum number of rows below the prompt for showing an unfocused feed.
const WITH_FEED: u16 = 6;

/// The focused part of the hints pane, which gets most of the rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HintsFocus {
    /// Another pane is focused.
    #[default]
    Nothing,
    /// The prompt is being typed, so the matches get the room.
    Prompt,
    List,
    Feed,
    /// Only the feed is shown in the pane.
    FeedAlone,
}

impl HintsFocus {
    pub fn is_feed(self) -> bool {
        matches!(self, Self::Feed | Self::FeedAlone)
    }
}

/// The number of rows that each part of the hints pane would fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HintsNeeds {
    pub busy: HintsFocus,
    pub prompt: usize,
    pub matches: usize,
    /// The details of the row under the cursor, below the list.
    pub aside: usize,
    /// The feed while it is not focused; 0 if it is not shown then.
    pub feed: usize,
    /// The width, with border, that shows the reasons of the matches.
    pub columns: u16,
}

impl Default for HintsNeeds {
    fn default() -> Self {
        Self { busy: HintsFocus::Nothing, prompt: 1, matches: usize::MAX, aside: 0, feed: usize::MAX, columns: 0 }
    }
}

/// The height, with border, of an unfocused hints pane: one line of the prompt, its matches, and a short feed.
pub fn hints_rows(matches: usize) -> u16 {
    let matches = u16::try_from(matches).unwrap_or(u16::MAX);
    matches.saturating_add(1 + WITH_FEED / 2).max(WITH_FEED).saturating_add(2 + BORDERS)
}

/// The width of the prompt and its matches: all of `inner`, or what a feed beside them leaves.
pub fn hints_width(inner: Rect, wants: HintsNeeds) -> u16 {
    // The focused feed takes the full width, because its rows are sentences.
    if inner.width < MIN_WIDTH_SIDE_BY_SIDE || wants.busy.is_feed() || wants.feed == 0 {
        return inner.width;
    }
    // Focused reasons need more width than the newest notices, which are below them if both do not fit.
    if wants.busy != HintsFocus::Nothing && inner.width - inner.width / 3 + BORDERS < wants.columns {
        return inner.width;
    }
    let is_read = wants.busy != HintsFocus::Nothing && wants.matches > 0;
    inner.width - if is_read { inner.width / 3 } else { inner.width / 2 }
}

/// Lays out prompt, matches and feed from top to bottom, each list with a rule above it. The focused list has
/// the details of its row below it. If there is room for both, the feed is beside the prompt and matches.
pub fn hints(inner: Rect, wants: HintsNeeds, shares: Shares) -> PaneLayout {
    if hints_width(inner, wants) < inner.width {
        return hints_beside_feed(inner, wants, shares);
    }
    let rows = |wanted: usize| u16::try_from(wanted).unwrap_or(u16::MAX);
    let most = (inner.height / 2).max(1);
    let prompt = rows(wants.prompt);
    let prompt = match (wants.busy, shares.upper) {
        (HintsFocus::FeedAlone, _) => 0,
        (HintsFocus::Feed, _) if inner.height < 8 => 0,
        (_, Some(share)) => part(share, inner.height, (1, 1 + WITH_FEED)),
        (HintsFocus::Feed, None) => prompt.clamp(1, 3),
        (HintsFocus::Nothing, None) => prompt.clamp(1, most),
        (HintsFocus::Prompt | HintsFocus::List, None) => prompt.clamp(3.min(most), most),
    };
    let [head, rule, rest] = stacked(inner, [prompt, prompt.min(1), u16::MAX]);
    let left = rest.height;
    // A notice may be long; a match is described in a few words.
    let aside = rows(wants.aside).min(if wants.busy.is_feed() { left / 2 } else { left / 3 });
    // Matches get the rows that they need and the unfocused feed does not fill.
    let spare = left.saturating_sub(1 + aside).saturating_sub(rows(wants.matches));
    let unfocused = |share: u16| share.min(rows(wants.feed).max(spare));
    let feed = match wants.busy {
        HintsFocus::FeedAlone => left.saturating_sub(1),
        HintsFocus::Feed if shares.lower.is_some() => lower_part(shares, inner, left),
        HintsFocus::Feed if prompt == 0 => left.saturating_sub(1),
        HintsFocus::Feed => left.saturating_sub(1 + rows(wants.matches).min(left / 4).clamp(1, 5)),
        _ if left < WITH_FEED || wants.feed == 0 => 0,
        _ if shares.lower.is_some() => lower_part(shares, inner, left),
        HintsFocus::Nothing => unfocused(left * 2 / 5),
        HintsFocus::List => unfocused(left * 3 / 10),
        HintsFocus::Prompt if left < 12 => 0,
        HintsFocus::Prompt => unfocused(left / 5),
    };
    // The row between them is the feed's rule.
    let [upper, _, lower] = stacked(rest, [left.saturating_sub(feed + feed.min(1)), 1, u16::MAX]);
    if wants.busy.is_feed() {
        let aside = aside.min(lower.height.saturating_sub(1));
        let (detail, aside) = split_rows(lower, lower.height - aside);
        return PaneLayout { head, rule, list: upper, detail, aside };
    }
    let aside = aside.min(upper.height.saturating_sub(1));
    let (list, aside) = split_rows(upper, upper.height - aside);
    PaneLayout { head, rule, list, detail: lower, aside }
}

fn hints_beside_feed(inner: Rect, wants: HintsNeeds, shares: Shares) -> PaneLayout {
    let rows = |wanted: usize| u16::try_from(wanted).unwrap_or(u16::MAX);
    let (left, right) = split_columns(inner, hints_width(inner, wants));
    // One column for the dividing line, and one row for the feed's rule.
    let (_, feed) = split_columns(right, 1);
    let (_, feed) = split_rows(feed, 1);
    let most = (inner.height / 2).max(1);
    let prompt = match shares.upper {
        Some(share) => part(share, inner.height, (1, 1 + MIN_LIST)),
        None => rows(wants.prompt).clamp(3.min(most), most),
    };
    let [head, rule, rest] = stacked(left, [prompt, 1, u16::MAX]);
    let aside = rows(wants.aside).min(inner.height / 3).min(rest.height.saturating_sub(1));
    let (list, aside) = split_rows(rest, rest.height - aside);
    PaneLayout { head, rule, list, detail: feed, aside }
}

/// The height of a feed whose divider was dragged, out of `left` rows below the prompt's rule.
fn lower_part(shares: Shares, inner: Rect, left: u16) -> u16 {
    let wanted = part(shares.lower.unwrap_or_default(), inner.height, (MIN_DETAIL, 0));
    wanted.min(left.saturating_sub(1 + MIN_LIST)).max(1)
}
