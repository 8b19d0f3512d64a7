//! The building blocks of panes and windows: measured text, fields, rows, borders. They handle positions and
//! styles, and know nothing about sources.

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
