//! The pieces that panes and overlays are put together from: measured text, rows, borders, the prompt. They know places
//! and styles, not what a source is.

pub mod cells;
pub mod code;
pub mod field;
pub mod filter_line;
pub mod frame;
pub mod marked;
pub mod motion;
pub mod page;
pub mod prompt;
pub mod row;
