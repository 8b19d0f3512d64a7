//! A line of code, not wrapped: styled, scrolled sideways, with an ellipsis at each end where it continues.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use unicode_segmentation::UnicodeSegmentation;

use crate::tui::state::Skin;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;

/// Draws a clean line into `area`, one row high, from column `across` on. `style` gives the style of the cluster that
/// starts at a byte.
pub fn draw(line: &str, style: impl Fn(usize) -> Style, across: usize, skin: &Skin, area: Rect, buffer: &mut Buffer) {
    let area = area.intersection(buffer.area);
    if area.is_empty() {
        return;
    }
    let last = across + usize::from(area.width);
    let (mut column, mut is_clipped) = (0, false);
    let mut run: Option<(u16, Style, String)> = None;
    let mut write = |run: Option<(u16, Style, String)>| {
        if let Some((x, style, text)) = run {
            cells::put(buffer, (x, area.y), &text, usize::from(area.right().saturating_sub(x)), style);
        }
    };
    for (at, cluster) in line.grapheme_indices(true) {
        let start = column;
        column += cells::width(cluster);
        if column > last {
            is_clipped = true;
            break;
        }
        if start < across {
            continue;
        }
        let style = style(at);
        match &mut run {
            Some((_, same, text)) if *same == style => text.push_str(cluster),
            _ => {
                let x = area.x.saturating_add(u16::try_from(start - across).unwrap_or(u16::MAX));
                write(run.replace((x, style, cluster.to_owned())));
            }
        }
    }
    write(run);
    let ellipsis = skin.glyphs.ellipsis;
    let columns = area.width.min(u16::try_from(cells::width(ellipsis)).unwrap_or(1));
    let sign = |x: u16, buffer: &mut Buffer| {
        buffer.set_stringn(x, area.y, ellipsis, usize::from(columns), skin.theme.style(ThemeRole::Infra));
    };
    if across > 0 && !line.is_empty() {
        sign(area.x, buffer);
    }
    if is_clipped {
        sign(area.right() - columns, buffer);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::layout::Size;

    use super::*;
    use crate::tui::fixture;
    use crate::tui::glyphs::Glyphs;

    #[test]
    fn the_visible_part_from_a_column_on() {
        let skin = fixture::state(1, 1).skin;
        for (line, across, columns, expected) in [
            ("public class", 0, 12, "public class"),
            ("public class", 0, 8, "public …"),
            ("public class", 7, 8, "…lass"),
            ("public class", 2, 5, "…lic…"),
            ("public class", 40, 5, "…"),
            ("", 3, 5, ""),
            ("日本語", 0, 6, "日本語"),
            ("日本語", 0, 5, "日本…"),
            ("日本語", 1, 5, "…本語"),
        ] {
            let area = Rect::from(((0, 0).into(), Size::new(columns, 1)));
            let mut buffer = Buffer::empty(area);
            draw(line, |_| Style::new(), across, &skin, area, &mut buffer);
            let mut shown = String::new();
            let mut x = 0;
            while x < columns {
                let symbol = buffer[(x, 0)].symbol();
                shown.push_str(symbol);
                x += u16::try_from(cells::width(symbol).max(1)).unwrap();
            }
            assert_eq!(shown.trim_end(), expected, "{line} from {across} in {columns}");
        }
    }

    #[test]
    fn in_ascii_a_cut_line_does_not_end_like_a_sentence() {
        let skin = Skin { glyphs: Glyphs::ASCII, ..fixture::state(1, 1).skin };
        for (across, columns, expected) in [(0, 12, "closed -> .."), (7, 9, ".. sett.."), (0, 1, ".")] {
            let area = Rect::from(((0, 0).into(), Size::new(columns, 1)));
            let mut buffer = Buffer::empty(area);
            draw("closed -> settled", |_| Style::new(), across, &skin, area, &mut buffer);
            let shown: String = buffer.content().iter().map(ratatui::buffer::Cell::symbol).collect();
            assert_eq!(shown, expected, "from {across} in {columns}");
        }
    }
}
