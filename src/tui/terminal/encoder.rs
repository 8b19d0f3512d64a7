//! Encodes the changed cells of a frame in few bytes: the shortest movement to each cell, and only the
//! attributes that differ from the previous cell's. Every frame starts with an absolute position and ends
//! with default attributes, so it does not depend on anything the terminal did in between.

use std::io::{self, Write};
use std::ops::Range;

use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};
use rustix::stdio::stdout;
use rustix::termios::tcgetwinsize;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::shown_cells::{ShownCells, is_plain_blank};
use super::style::TerminalStyle;

/// The maximum number of rows to move down by line feeds; beyond that, an absolute position is shorter.
const STEPS_DOWN: u16 = 2;

/// The maximum number of blanks to write if more follows in the row; beyond that, erasing and moving on is shorter.
const SHORT_BLANK: u16 = 10;

/// The maximum number of blanks to write if nothing changes after them.
const SHORT_END: u16 = 4;

/// The maximum number of unchanged cells to rewrite; beyond that, moving past them is shorter.
const SHORT_GAP: u16 = 3;

/// Show and hide the text cursor.
const SHOW: &[u8] = b"\x1b[?25h";
const HIDE: &[u8] = b"\x1b[?25l";

/// Collects the bytes of a frame.
#[derive(Debug, Default)]
pub struct FrameEncoder {
    bytes: Vec<u8>,
    /// The terminal's width, because terminals disagree on the cursor position after the last column.
    columns: u16,
    at: Option<WritePosition>,
    pen: TerminalStyle,
    shown: ShownCells,
    /// The text cursor requested by the frame.
    caret: Option<Position>,
    /// The text cursor that the terminal shows.
    shown_caret: Option<Position>,
}

#[derive(Debug, Clone, Copy)]
struct WritePosition {
    x: u16,
    y: u16,
    /// Whether all terminals agree on the column. They do not after characters whose width differs between terminals.
    is_certain: bool,
}

impl FrameEncoder {
    pub fn set_columns(&mut self, columns: u16) {
        if columns != self.columns {
            self.columns = columns;
            self.shown = ShownCells::blank(columns);
        }
    }

    /// Assumes default attributes and a terminal that is about to be erased, and nothing else.
    pub fn forget(&mut self) {
        let shown = ShownCells::blank(self.columns);
        *self = Self { bytes: HIDE.to_vec(), columns: self.columns, shown, ..Self::default() };
    }

    /// The bytes of the frame; empty if it changes nothing.
    pub fn take_frame(&mut self) -> Vec<u8> {
        if self.bytes.is_empty() && self.caret == self.shown_caret {
            return Vec::new();
        }
        self.set_pen(TerminalStyle::default());
        match self.caret {
            Some(caret) => {
                self.go_to(caret);
                if self.shown_caret.is_none() {
                    self.push(SHOW);
                }
            }
            None if self.shown_caret.is_some() => self.push(HIDE),
            None => {}
        }
        self.shown_caret = self.caret;
        self.at = None;
        std::mem::take(&mut self.bytes)
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    fn push_args(&mut self, sequence: std::fmt::Arguments<'_>) {
        // Writing to memory cannot fail.
        let _ = self.bytes.write_fmt(sequence);
    }

    /// Moves to a cell by the shortest sequence.
    fn go_to(&mut self, Position { x, y }: Position) {
        let column = x + 1;
        match self.at {
            Some(at) if (at.x, at.y) == (x, y) => return,
            Some(at) if at.y == y && at.is_certain && at.x < x => match (x - at.x, self.unchanged(at, x)) {
                (_, Some(text)) => self.push(&text),
                (1, None) => self.push(b"\x1b[C"),
                (ahead, None) => self.push_args(format_args!("\x1b[{ahead}C")),
            },
            Some(at) if at.y == y => self.push_args(format_args!("\x1b[{column}G")),
            Some(at) if at.y < y && y - at.y <= STEPS_DOWN => {
                (at.y..y).for_each(|_| self.push(b"\n"));
                // Include the column although a line feed keeps it, because some terminals return to the first one.
                self.push_args(format_args!("\x1b[{column}G"));
            }
            _ => self.push_args(format_args!("\x1b[{};{column}H", y + 1)),
        }
        self.at = Some(WritePosition { x, y, is_certain: true });
    }

    /// The bytes on screen from here to this column, if rewriting them is shorter than moving.
    fn unchanged(&self, at: WritePosition, x: u16) -> Option<Vec<u8>> {
        if x - at.x > SHORT_GAP {
            return None;
        }
        (at.x..x).map(|x| self.shown.byte(x, at.y, self.pen)).collect()
    }

    /// Changes the attributes.
    fn set_pen(&mut self, pen: TerminalStyle) {
        if pen != self.pen {
            let parameters = pen.parameters_after(self.pen);
            self.push_args(format_args!("\x1b[{parameters}m"));
            self.pen = pen;
        }
    }

    fn write(&mut self, x: u16, y: u16, cell: &Cell) {
        self.clear_uncertain(x, y);
        self.go_to(Position { x, y });
        self.set_pen(self.pen.for_cell(cell));
        let symbol = cell.symbol();
        if has_uncertain_width(symbol) {
            return self.write_uncertain(x, y, cell);
        }
        self.push(symbol.as_bytes());
        self.shown.keep(x, y, cell);
        self.at = self.at.filter(|_| symbol.width() == 1 && x + 1 < self.columns).map(|at| WritePosition {
            x: x + 1,
            is_certain: at.is_certain && symbol.is_ascii(),
            ..at
        });
    }

    /// Writes a cluster whose width differs between terminals: clears its cells first, and rewrites the cell after it.
    fn write_uncertain(&mut self, x: u16, y: u16, cell: &Cell) {
        let symbol = cell.symbol();
        let columns = u16::try_from(symbol.width()).unwrap_or(u16::MAX).max(1);
        self.push_erase(x, y, columns);
        self.push(symbol.as_bytes());
        self.shown.keep(x, y, cell);
        self.at = None;
        let behind = x.saturating_add(columns);
        if behind < self.columns
            && let Some(next) = self.shown.cell(behind, y).cloned()
        {
            self.go_to(Position { x: behind, y });
            self.set_pen(self.pen.for_cell(&next));
            self.push(next.symbol().as_bytes());
            self.at = None;
        }
    }

    /// Erases such a cluster that starts here: overwriting only its first cell would leave the others.
    fn clear_uncertain(&mut self, x: u16, y: u16) {
        let shown = self.shown.cell(x, y).map(Cell::symbol).filter(|symbol| has_uncertain_width(symbol));
        if let Some(columns) = shown.and_then(|symbol| u16::try_from(symbol.width()).ok()) {
            self.erase_blanks(x, y, columns.max(1));
        }
    }

    /// Erases blanks without attributes. The cursor stays before them.
    fn erase(&mut self, x: u16, y: u16, columns: u16) {
        // Clusters may start in this range and end after it.
        (x..x + columns).for_each(|x| self.clear_uncertain(x, y));
        self.erase_blanks(x, y, columns);
    }

    fn erase_blanks(&mut self, x: u16, y: u16, columns: u16) {
        self.go_to(Position { x, y });
        self.set_pen(self.pen.for_cell(&Cell::EMPTY));
        self.push_erase(x, y, columns);
    }

    /// Erases cells from the cursor on. Some terminals, such as tmux 3.3, keep the second half of a wide character
    /// whose first half is erased, and then show the rest of the row one column to the left.
    fn push_erase(&mut self, x: u16, y: u16, mut columns: u16) {
        while self.shown.is_covered(x.saturating_add(columns), y) {
            columns += 1;
        }
        self.push_args(format_args!("\x1b[{columns}X"));
        (x..x + columns).for_each(|x| self.shown.keep(x, y, &Cell::EMPTY));
    }

    /// Whether these cells are blank already, or become blank with the wide characters before them.
    fn become_blank(&self, mut columns: Range<u16>, y: u16) -> bool {
        columns.all(|x| self.shown.is_blank(x, y) || self.shown.is_covered(x, y))
    }
}

/// Whether terminals disagree about its width: several of its characters have a width, as in Indic conjuncts
/// and joined emoji.
fn has_uncertain_width(symbol: &str) -> bool {
    !symbol.is_ascii() && symbol.chars().filter(|char| char.width().is_some_and(|width| width > 0)).nth(1).is_some()
}

impl Backend for FrameEncoder {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut content = content.peekable();
        while let Some((x, y, cell)) = content.next() {
            if !is_plain_blank(cell) {
                self.write(x, y, cell);
                continue;
            }
            let mut columns = 1;
            // Cells that are already blank join the new blanks.
            while let Some((next, ..)) = content.next_if(|(next, row, cell)| {
                *row == y && is_plain_blank(cell) && self.become_blank(x + columns..*next, y)
            }) {
                columns = next - x + 1;
            }
            let goes_on = content.peek().is_some_and(|(_, row, _)| *row == y);
            if columns > if goes_on { SHORT_BLANK } else { SHORT_END } {
                self.erase(x, y, columns);
            } else {
                (0..columns).for_each(|nth| self.write(x + nth, y, cell));
            }
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.caret = None;
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        Ok(())
    }

    /// The terminal is never asked for this.
    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.caret.unwrap_or_default())
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.caret = Some(position.into());
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        self.set_pen(TerminalStyle::default());
        if let Some(caret) = self.caret {
            self.go_to(caret);
        }
        self.shown.clear(region, self.caret.unwrap_or_default());
        self.push(match region {
            ClearType::All => b"\x1b[2J",
            ClearType::AfterCursor => b"\x1b[J",
            ClearType::BeforeCursor => b"\x1b[1J",
            ClearType::CurrentLine => b"\x1b[2K",
            ClearType::UntilNewLine => b"\x1b[K",
        });
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        // Called before each frame; crossterm would open the terminal for it.
        let size = tcgetwinsize(stdout()).ok().map(|size| (size.ws_col, size.ws_row));
        let (width, height) =
            size.filter(|(width, height)| *width > 0 && *height > 0).map_or_else(crossterm::terminal::size, Ok)?;
        Ok(Size { width, height })
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size()?, pixels: Size::default() })
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::Terminal;
    use ratatui::buffer::Buffer;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Modifier, Style};
    use ratatui::{TerminalOptions, Viewport};

    use super::*;
    use crate::tui::draw::draw;
    use crate::tui::fixture;
    use crate::tui::input::Input;
    use crate::tui::pane::Pane;
    use crate::tui::state::State;
    use crate::tui::tests::{answer, press};
    use crate::tui::update::update;
    use refdesk_core::catalog::{Catalog, Mode, SourceKind};
    use refdesk_desk::engine::{Response, Snapshot};
    use std::sync::Arc;

    const COLUMNS: u16 = 24;
    const ROWS: u16 = 6;

    /// A styled text at a position.
    type Written = (u16, u16, String, Style);

    /// A separate terminal emulator that interprets the bytes of frames.
    struct Emulated {
        terminal: Terminal<FrameEncoder>,
        shown: vt100::Parser,
    }

    impl Emulated {
        fn new() -> Self {
            let viewport = Viewport::Fixed(Rect::new(0, 0, COLUMNS, ROWS));
            let mut terminal = Terminal::with_options(FrameEncoder::default(), TerminalOptions { viewport }).unwrap();
            terminal.backend_mut().set_columns(COLUMNS);
            Self { terminal, shown: vt100::Parser::new(ROWS, COLUMNS, 0) }
        }

        /// The bytes of this frame, and the cells that it should show.
        fn draw(&mut self, texts: &[Written], caret: Option<(u16, u16)>) -> (String, Buffer) {
            let mut drawn = Buffer::default();
            self.terminal
                .draw(|frame| {
                    for (x, y, text, style) in texts {
                        frame.buffer_mut().set_stringn(*x, *y, text, usize::from(COLUMNS - x), *style);
                    }
                    if let Some(caret) = caret {
                        frame.set_cursor_position(caret);
                    }
                    drawn = frame.buffer_mut().clone();
                })
                .unwrap();
            let bytes = self.terminal.backend_mut().take_frame();
            self.shown.process(&bytes);
            (String::from_utf8(bytes).unwrap(), drawn)
        }

        /// How the emulated screen differs from these cells, if it does.
        fn difference(&self, drawn: &Buffer, caret: Option<(u16, u16)>) -> Option<String> {
            let screen = self.shown.screen();
            if screen.hide_cursor() == caret.is_some() || caret.is_some_and(|(x, y)| screen.cursor_position() != (y, x))
            {
                return Some(format!("a cursor at {:?} for {caret:?}", screen.cursor_position()));
            }
            let mut covered = 0;
            for (x, y) in (0..ROWS).flat_map(|y| (0..COLUMNS).map(move |x| (x, y))) {
                let (is, wanted) = (screen.cell(y, x).unwrap(), &drawn[(x, y)]);
                if x == 0 {
                    covered = 0;
                }
                if covered > 0 {
                    covered -= 1;
                    continue;
                }
                covered = wanted.symbol().width().saturating_sub(1);
                let text = if is.has_contents() { is.contents() } else { " " };
                let has = |modifier| wanted.modifier.contains(modifier);
                let is_blank = wanted.symbol() == " ";
                let same = text == wanted.symbol()
                    && is.bgcolor() == emulated(wanted.bg)
                    && (is.underline(), is.inverse()) == (has(Modifier::UNDERLINED), has(Modifier::REVERSED))
                    && (is_blank && !is.inverse() && !is.underline() || is.fgcolor() == emulated(wanted.fg))
                    && (is_blank
                        || (is.bold(), is.dim(), is.italic()) == (has(Modifier::BOLD), false, has(Modifier::ITALIC)));
                if !same {
                    return Some(format!("{is:?} for {wanted:?} at {x}, {y}"));
                }
            }
            None
        }
    }

    fn emulated(colour: Color) -> vt100::Color {
        match colour {
            Color::Reset => vt100::Color::Default,
            Color::Blue => vt100::Color::Idx(4),
            Color::LightRed => vt100::Color::Idx(9),
            Color::Indexed(number) => vt100::Color::Idx(number),
            Color::Rgb(red, green, blue) => vt100::Color::Rgb(red, green, blue),
            other => panic!("{other} is not tested"),
        }
    }

    fn written(texts: &[(u16, u16, &str, Style)]) -> Vec<Written> {
        texts.iter().map(|(x, y, text, style)| (*x, *y, (*text).to_owned(), *style)).collect()
    }

    #[test]
    fn a_frame_is_written_in_few_bytes() {
        let (plain, grey) = (Style::new(), Style::new().fg(Color::Indexed(247)));
        let lit = grey.bg(Color::Indexed(236));
        let mut emulated = Emulated::new();
        let mut frame = |texts: &[(u16, u16, &str, Style)], caret| emulated.draw(&written(texts), caret).0;
        for (texts, caret, bytes) in [
            (
                &[(0, 0, "one", plain), (1, 1, "two", lit), (5, 1, "three", grey)][..],
                None,
                "\\e[1;1Hone\n\\e[2G\\e[38;5;247;48;5;236mtwo\\e[C\\e[49mthree\\e[m",
            ),
            (&[(0, 0, "one", plain)], None, "\\e[2;2H\\e[9X"),
            (&[(0, 0, "one", plain)], None, ""),
            (&[(0, 0, "ore", plain.bold()), (0, 5, "o ○ o", plain)], None, "\\e[1;1H\\e[1more\\e[6;1H\\e[mo ○\\e[5Go"),
            // Unchanged cells between changed ones are rewritten if that takes fewer bytes, and blanks are joined.
            (&[(0, 0, "in a few words", plain)], None, "\\e[1;1Hin a few words\\e[6;1H\\e[5X"),
            (&[(0, 0, "is a new world", plain)], None, "\\e[1;2Hs a n\\e[6Cld"),
            (&[], None, "\\e[1;1H\\e[14X"),
        ] {
            let bytes = bytes.replace("\\e", "\x1b");
            assert_eq!(frame(texts, caret), bytes, "{texts:?}");
        }
    }

    #[test]
    fn an_erased_range_does_not_end_within_a_wide_character() {
        let plain = Style::new();
        for (before, after, bytes) in [
            ("日本語日本語日", "", "\\e[1;1H\\e[14X"),
            ("日本語日本語日 x", "x", "\\e[1;1Hx\\e[C\\e[14X"),
            ("日本語日本語 x", "            y", "\\e[1;1H\\e[12X\\e[12Cy "),
            // A cluster of uncertain width over the first half of a wide character.
            ("x日", "👩\u{200d}👧", "\\e[1;1H\\e[3X👩\u{200d}👧\\e[1;3H "),
        ] {
            let mut emulated = Emulated::new();
            emulated.draw(&written(&[(0, 0, before, plain)]), None);
            let (is, _) = emulated.draw(&written(&[(0, 0, after, plain)]), None);
            assert_eq!(is, bytes.replace("\\e", "\x1b"), "{before} to {after}");
        }
    }

    /// Like many terminals, the emulator gives each character of a conjunct its own cells.
    #[test]
    fn nothing_stays_of_clusters_that_take_other_cells_than_expected() {
        let plain = Style::new();
        let mut emulated = Emulated::new();
        let mut frame = |texts: &[(u16, u16, &str, Style)]| {
            emulated.draw(&written(texts), None);
            emulated.shown.screen().rows(0, COLUMNS).next().unwrap().trim_end().to_owned()
        };
        for text in ["नमस्ते क्षत्रिय", "विद्यार्थी", "👩\u{200d}👩\u{200d}👧 x"]
        {
            frame(&[(0, 0, "abcdefghijklmnopqrst", plain), (22, 0, "│", plain)]);
            let shown = frame(&[(0, 0, text, plain), (22, 0, "│", plain)]);
            assert!(!shown.contains(|c: char| c.is_ascii_lowercase() && c != 'x'), "{text}: {shown}");
            assert!(shown.ends_with('│'), "{text}: {shown}");
            assert_eq!(
                frame(&[(0, 0, "short", plain), (22, 0, "│", plain)]),
                format!("short{}│", " ".repeat(17)),
                "{text}"
            );
        }
    }

    /// Moving between rows with similar documents takes few bytes, because nothing above the documents' text shifts it.
    #[test]
    fn a_new_document_after_a_move_of_the_cursor_is_few_bytes() {
        let mut state = fixture::state(120, 36);
        let sources = (0..20).map(|at| {
            let (id, kind) = (format!("gateway-{at:05}-retry"), SourceKind::Inline { content: "text".into() });
            fixture::source(&id, &format!("Source {at}"), Mode::Selectable, &["shared"], kind)
        });
        let catalog = Arc::new(Catalog::new(sources.collect()));
        update(&mut state, Input::Snapshot(Box::new(Snapshot { catalog, ..fixture::snapshot() })));
        let mut terminal = Terminal::with_options(
            FrameEncoder::default(),
            TerminalOptions { viewport: Viewport::Fixed(Rect::new(0, 0, 120, 36)) },
        )
        .unwrap();
        terminal.backend_mut().set_columns(120);
        let mut frame = |state: &State| {
            terminal.draw(|frame| draw(state, frame)).unwrap();
            terminal.backend_mut().take_frame().len()
        };
        for at in 0..20 {
            press(&mut state, if at == 0 { "g" } else { "j" });
            let id = state.subject(Pane::Catalog).unwrap().to_owned();
            let line = "The gateway keeps its own ledger, so that a slow router never blocks the session.\n";
            let text = format!("# Document {at}\n\n{}", line.repeat(30));
            answer(&mut state, Response::Document(fixture::document(&id, &text)));
            let others =
                ["timeouts", "retry-pattern", "legacy-errors", "error-handling", "java-service", "payments-api"];
            let brings = others.get(..2 + at % 5).unwrap();
            let change = fixture::preview_selection(&id, &[&[id.as_str()], brings].concat(), &[]);
            answer(&mut state, Response::SelectionPreview(change));
            // The loop also waits for the document.
            let bytes = frame(&state);
            assert!(at == 0 || bytes <= 400, "{at}: {bytes}");
        }
    }

    proptest! {
        #[test]
        fn a_terminal_shows_what_was_drawn(frames in proptest::collection::vec(any_frame(), 1..6), anew in 0..6usize) {
            let mut emulated = Emulated::new();
            // Taking over the terminal hides the cursor, too.
            emulated.shown.process(HIDE);
            for (nth, (texts, caret)) in frames.iter().enumerate() {
                if nth == anew {
                    emulated.shown.process(b"something else\x1b[3;3H");
                    emulated.terminal.backend_mut().forget();
                    emulated.terminal.backend_mut().clear().unwrap();
                    emulated.terminal.swap_buffers();
                }
                let (bytes, drawn) = emulated.draw(texts, *caret);
                prop_assert_eq!(emulated.difference(&drawn, *caret), None, "{:?} of {:?}", bytes, texts);
                prop_assert_eq!(emulated.draw(texts, *caret).0, "", "the same frame");
            }
        }
    }

    fn any_frame() -> impl Strategy<Value = (Vec<Written>, Option<(u16, u16)>)> {
        let colour = || {
            proptest::sample::select(vec![
                Color::Reset,
                Color::Blue,
                Color::LightRed,
                Color::Indexed(236),
                Color::Rgb(1, 2, 3),
            ])
        };
        let modifier = proptest::sample::subsequence(
            vec![Modifier::BOLD, Modifier::ITALIC, Modifier::UNDERLINED, Modifier::REVERSED],
            0..3,
        );
        let style = (colour(), colour(), modifier).prop_map(|(fg, bg, modifiers)| {
            let style = Style::new().fg(fg).bg(bg);
            modifiers.into_iter().fold(style, Style::add_modifier)
        });
        // No wide characters: ratatui leaves half of one when another character covers the other half.
        let text = "[ab○ ]{1,8}| {1,24}|[a-c ]{1,24}";
        let written = (0..COLUMNS, 0..ROWS, text, style);
        let caret = proptest::option::of((0..COLUMNS, 0..ROWS));
        (proptest::collection::vec(written, 0..8), caret)
    }
}
