//! The parts that panes and windows are built from: measured text, fields, rows, borders. They know places and
//! styles, not sources.

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
pub mod sparkline;
pub mod tabs;
