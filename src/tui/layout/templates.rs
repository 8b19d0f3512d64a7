//! The layout of the templates pane: the list with its filter, the form, the preview.

use ratatui::layout::Rect;

use crate::tui::layout::{BORDERS, MIN_ASIDE, MIN_DETAIL, PaneLayout, part, split_columns, split_rows, stacked};
use refdesk_core::config::screen::Shares;

/// The width from which the preview is beside the list: enough for the sources in the rows and for lines of code.
const MIN_WIDTH_SIDE_BY_SIDE: u16 = 150;

/// The width of a preview beside a list whose rows need more than their share.
const PREVIEW: u16 = 80;

/// The height from which a full-width list and a preview below it both fit.
const TALL: u16 = 40;

/// The sizes that the parts of the templates pane would fill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TemplatesNeeds {
    /// Rows above the list: one if it is filtered.
    pub head: u16,
    pub list: usize,
    /// Width of a whole row of the list.
    pub columns: u16,
    /// Width of the form, with its samples and room to type.
    pub form: u16,
}

/// The height, with border, of an unfocused templates pane: its list, and the start of a preview.
pub fn templates_rows(list: usize) -> u16 {
    u16::try_from(list).unwrap_or(u16::MAX).saturating_add(BORDERS + 1 + PREVIEW_ROWS)
}

/// Rows of a preview that show which template it is of.
const PREVIEW_ROWS: u16 = 5;

/// Lays out the pane. Above the details and above the variables is a row for their captions: the rule, or a
/// separate row.
pub fn templates(inner: Rect, wanted: TemplatesNeeds, shares: Shares) -> PaneLayout {
    let (head, below) = split_rows(inner, wanted.head.min(inner.height.saturating_sub(3)));
    let columns = |all, usual| shares.left.map_or(usual, |share| part(share, all, (MIN_ASIDE, 1 + MIN_ASIDE)));
    let rows = |usual| {
        let put = |share| part(share, inner.height, (head.height + 1, 1 + MIN_DETAIL)).saturating_sub(head.height);
        shares.upper.map_or(usual, put)
    };
    let fitting = |most: u16| u16::try_from(wanted.list).unwrap_or(most).clamp(2.min(most), most);
    // If rows do not fit beside a preview but there is enough height, the list takes the full width.
    let is_wide_list = inner.height >= TALL && wanted.columns > inner.width.saturating_sub(PREVIEW);
    if inner.width >= MIN_WIDTH_SIDE_BY_SIDE && inner.height >= 14 && !is_wide_list {
        // Rows get their full width before the preview gets more than its minimum.
        let usual = wanted.columns.min(inner.width.saturating_sub(PREVIEW)).max(inner.width * 2 / 5);
        let (left, rest) = split_columns(inner, columns(inner.width, usual));
        let (rule, detail) = split_columns(rest, 1);
        let (head, below) = split_rows(left, head.height);
        let (list, aside) = split_rows(below, rows(fitting(below.height / 2)));
        let (_, detail) = split_rows(detail, 1);
        let (_, aside) = split_rows(aside, 1);
        return PaneLayout { head, list, rule, detail, aside };
    }
    let most_rows = if inner.width >= MIN_WIDTH_SIDE_BY_SIDE && is_wide_list { inner.height / 3 } else { 8 };
    let most = (inner.height * 2 / 5)
        .clamp(1.min(inner.height), most_rows)
        .saturating_sub(head.height)
        .max(1.min(below.height));
    let [list, rule, lower] = stacked(below, [rows(fitting(most)), 1, u16::MAX]);
    // The form gets room for whole rows, up to half; lines of code need the most.
    let least = (lower.width * 2 / 5).min(if lower.width >= 96 { 44 } else { 28 });
    let usual = wanted.form.max(least).min(lower.width / 2);
    let (aside, detail) = split_columns(lower, columns(lower.width, usual));
    // Between them is a line.
    let (_, detail) = split_columns(detail, 1);
    PaneLayout { head, list, rule, detail, aside }
}
