//! A screen as a snapshot: its text, then a letter for the style of every styled cell, with a legend of each letter's
//! style in each theme. A theme must change how a cell looks and never its text, which is checked here.

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use crate::tui::draw::draw;
use crate::tui::state::State;
use crate::tui::theme::Theme;
use crate::tui::widgets::cells;

/// The cells drawn for this state.
pub fn buffer(state: &State) -> Buffer {
    let mut terminal = Terminal::new(TestBackend::new(state.size.width, state.size.height)).unwrap();
    terminal.draw(|frame| draw(state, frame)).unwrap();
    terminal.backend().buffer().clone()
}

/// The text of a frame, without trailing blanks.
pub fn text(buffer: &Buffer) -> String {
    lines(buffer, |x, y| buffer[(x, y)].symbol().to_owned())
}

/// Text and styles of this state in each of these themes.
pub fn in_themes(state: &State, themes: &[(&str, Theme)]) -> String {
    let buffers: Vec<Buffer> = themes
        .iter()
        .map(|(_, theme)| {
            let mut state = state.clone();
            state.skin.theme = theme.clone();
            without_background(buffer(&state), theme)
        })
        .collect();
    let shown = text(&buffers[0]);
    for (buffer, (name, _)) in buffers.iter().zip(themes) {
        assert_eq!(text(buffer), shown, "the theme {name} changes the text");
    }
    let mut legend: Vec<Vec<String>> = Vec::new();
    let plain = vec![String::new(); themes.len()];
    let styles = lines(&buffers[0], |x, y| {
        let styles: Vec<String> = buffers.iter().map(|buffer| style(buffer, x, y)).collect();
        let cell = &buffers[0][(x, y)];
        // A blank's foreground colour is invisible.
        if styles == plain || (cell.symbol() == " " && styles.iter().all(|style| !shows_on_blanks(style))) {
            return " ".repeat(cells::width(cell.symbol()).max(1));
        }
        let at = legend.iter().position(|known| *known == styles).unwrap_or_else(|| {
            legend.push(styles);
            legend.len() - 1
        });
        letter(at).to_string().repeat(cells::width(cell.symbol()).max(1))
    });
    let mut reported = shown;
    for (at, styles) in legend.iter().enumerate() {
        let named: Vec<String> =
            themes.iter().zip(styles).map(|((name, _), style)| format!("{name} {style}")).collect();
        reported.push_str(&format!("{}: {}\n", letter(at), named.join(" | ")));
    }
    reported + &styles
}

/// A theme's background is the same in every cell, which another test checks.
fn without_background(mut buffer: Buffer, theme: &Theme) -> Buffer {
    let background = theme.background().unwrap_or_default();
    for cell in &mut buffer.content {
        if Some(cell.bg) == background.bg {
            cell.bg = Color::Reset;
        }
        if Some(cell.fg) == background.fg {
            cell.fg = Color::Reset;
        }
    }
    buffer
}

fn letter(at: usize) -> char {
    let letters = ('a'..='z').chain('A'..='Z');
    letters.into_iter().nth(at).unwrap_or('*')
}

fn shows_on_blanks(style: &str) -> bool {
    style.contains(" on ") || style.contains("reversed") || style.contains("underlined")
}

fn style(buffer: &Buffer, x: u16, y: u16) -> String {
    let cell = &buffer[(x, y)];
    let mut words = Vec::new();
    if cell.fg != Color::Reset {
        words.push(cell.fg.to_string());
    }
    if cell.bg != Color::Reset {
        words.push(format!(" on {}", cell.bg));
    }
    if !cell.modifier.is_empty() {
        let names = cell.modifier.iter_names().map(|(name, _): (&str, Modifier)| name.to_lowercase());
        words.push(names.collect::<Vec<_>>().join(" "));
    }
    words.join(" ")
}

fn lines(buffer: &Buffer, mut of: impl FnMut(u16, u16) -> String) -> String {
    let mut text = String::new();
    for y in 0..buffer.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < buffer.area.width {
            line.push_str(&of(x, y));
            x += u16::try_from(cells::width(buffer[(x, y)].symbol()).max(1)).unwrap();
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
