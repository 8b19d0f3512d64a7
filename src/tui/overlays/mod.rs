//! Windows over the panes. They take the keys while they are open; what is below stays where it is.

pub mod approval;
pub mod broken;
pub mod clear;
pub mod help;
pub mod palette;
pub mod problems;
pub mod profiles;
pub mod receipt;
pub mod switch;
pub mod trust;
pub mod write;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::widgets::{Clear, Widget};

use super::state::{Overlay, State};

/// The window that is open, with its border.
pub fn outer(state: &State) -> Option<Rect> {
    match state.overlay? {
        Overlay::Help(_) => Some(help::outer(state)),
        Overlay::Problems(_) => Some(problems::outer(state)),
        Overlay::Palette(_) => Some(palette::outer(state)),
        Overlay::Clear => Some(clear::outer(state)),
        Overlay::Write(_) => Some(write::outer(state)),
        Overlay::Broken => Some(broken::outer(state)),
        Overlay::Receipt(_) => Some(receipt::outer(state)),
        Overlay::Trust(_) => Some(trust::outer(state)),
        Overlay::Approval(_) => Some(approval::outer(state)),
        Overlay::Profiles(_) => Some(profiles::outer(state)),
        Overlay::Switch(_) => Some(switch::outer(state)),
    }
}

/// A place of this size in the middle of `body`, as far as there is room.
fn centred(body: Rect, columns: u16, rows: u16) -> Rect {
    let width = columns.min(body.width);
    let height = rows.min(body.height);
    Rect { x: body.x + (body.width - width) / 2, y: body.y + (body.height - height) / 2, width, height }
}

/// Wipes what is below. A wide character cut by the edge would spill into the window, so its left half goes too.
fn clear(place: Rect, buffer: &mut Buffer) {
    let left = Rect { x: place.x.saturating_sub(1), width: 1, ..place };
    for position in left.intersection(buffer.area).positions() {
        if position.x < place.x
            && super::widgets::cells::width(buffer.cell(position).map_or("", |cell| cell.symbol())) > 1
        {
            Clear.render(Rect { x: position.x, y: position.y, width: 1, height: 1 }, buffer);
        }
    }
    Clear.render(place.intersection(buffer.area), buffer);
}
