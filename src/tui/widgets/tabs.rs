//! A line of tabs. The current one is bold and in brackets; the mouse can select any of them.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::cells;
use crate::tui::theme::{Theme, ThemeRole};

#[derive(Debug)]
pub struct Tabs<T> {
    current: T,
    placed: Vec<(T, String, Rect)>,
}

impl<T: Copy + PartialEq> Tabs<T> {
    /// Places these titles side by side, truncated at the end of the line.
    pub fn new(titles: impl IntoIterator<Item = (T, String)>, current: T, line: Rect) -> Self {
        let mut x = line.x;
        let place = |(tab, title): (T, String)| {
            let text = if tab == current { format!("[{title}]") } else { format!(" {title} ") };
            let width = u16::try_from(cells::width(&text)).unwrap_or(u16::MAX).min(line.right().saturating_sub(x));
            let place = Rect { x, width, ..line };
            x += width;
            (tab, text, place)
        };
        let placed = titles.into_iter().map(place).collect();
        Self { current, placed }
    }

    pub fn draw(&self, theme: &Theme, buffer: &mut Buffer) {
        for (tab, text, place) in &self.placed {
            let role = if *tab == self.current { ThemeRole::Strong } else { ThemeRole::Infra };
            buffer.set_stringn(place.x, place.y, text, usize::from(place.width), theme.style(role));
        }
    }

    pub fn at(&self, at: Position) -> Option<T> {
        self.placed.iter().find(|(_, _, place)| place.contains(at)).map(|(tab, ..)| *tab)
    }
}

/// The width of these titles as tabs.
pub fn columns<T>(titles: &[(T, String)]) -> usize {
    titles.iter().map(|(_, title)| cells::width(title) + 2).sum()
}
