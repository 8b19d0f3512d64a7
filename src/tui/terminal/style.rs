//! The attributes that the terminal writes with, and the sequences that change them (SGR).

use ratatui::buffer::Cell;
use ratatui::style::{Color, Modifier};

/// The attributes that are visible on a blank cell, besides its background.
const VISIBLE_ON_BLANKS: Modifier = Modifier::UNDERLINED.union(Modifier::REVERSED).union(Modifier::CROSSED_OUT);

/// The attributes that the terminal writes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalStyle {
    fg: Color,
    bg: Color,
    modifier: Modifier,
}

impl Default for TerminalStyle {
    fn default() -> Self {
        Self { fg: Color::Reset, bg: Color::Reset, modifier: Modifier::empty() }
    }
}

impl From<&Cell> for TerminalStyle {
    fn from(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }
}

impl TerminalStyle {
    /// The pen for this cell, after the current one. The text colour is invisible on a blank, so it stays.
    pub fn for_cell(self, cell: &Cell) -> Self {
        let wanted = Self::from(cell);
        if cell.symbol() != " " || (wanted.modifier | self.modifier).intersects(VISIBLE_ON_BLANKS) {
            return wanted;
        }
        Self { bg: wanted.bg, ..self }
    }

    /// Whether a blank in this style looks like a default one.
    pub fn is_unseen_on_blanks(self) -> bool {
        self.bg == Color::Reset && !self.modifier.intersects(VISIBLE_ON_BLANKS)
    }

    /// The parameters of the shorter sequence from another pen to this one: the difference, or all attributes.
    pub fn parameters_after(self, before: Self) -> String {
        let (difference, absolute) = (differing(before, self), absolute(self));
        if difference.len() < absolute.len() { difference } else { absolute }
    }
}

/// The parameters that change one pen into another.
fn differing(from: TerminalStyle, to: TerminalStyle) -> String {
    let mut parameters = Parameters::default();
    let removed = from.modifier.difference(to.modifier);
    let mut kept = from.modifier.intersection(to.modifier);
    for (modifiers, off) in [
        (Modifier::BOLD.union(Modifier::DIM), "22"),
        (Modifier::ITALIC, "23"),
        (Modifier::UNDERLINED, "24"),
        (Modifier::SLOW_BLINK.union(Modifier::RAPID_BLINK), "25"),
        (Modifier::REVERSED, "27"),
        (Modifier::HIDDEN, "28"),
        (Modifier::CROSSED_OUT, "29"),
    ] {
        if removed.intersects(modifiers) {
            parameters.add(off);
            kept.remove(modifiers);
        }
    }
    parameters.add_modifiers(to.modifier.difference(kept));
    if from.fg != to.fg {
        parameters.add(&colour(to.fg, ColourLayer::Text));
    }
    if from.bg != to.bg {
        parameters.add(&colour(to.bg, ColourLayer::Back));
    }
    parameters.0
}

/// The parameters that set a pen regardless of the previous one.
fn absolute(pen: TerminalStyle) -> String {
    if pen == TerminalStyle::default() {
        return String::new();
    }
    let mut parameters = Parameters("0".to_owned());
    parameters.add_modifiers(pen.modifier);
    for (set, layer) in [(pen.fg, ColourLayer::Text), (pen.bg, ColourLayer::Back)] {
        if set != Color::Reset {
            parameters.add(&colour(set, layer));
        }
    }
    parameters.0
}

#[derive(Default)]
struct Parameters(String);

impl Parameters {
    fn add(&mut self, parameter: &str) {
        if !self.0.is_empty() {
            self.0.push(';');
        }
        self.0.push_str(parameter);
    }

    fn add_modifiers(&mut self, modifiers: Modifier) {
        for (modifier, on) in [
            (Modifier::BOLD, "1"),
            (Modifier::DIM, "2"),
            (Modifier::ITALIC, "3"),
            (Modifier::UNDERLINED, "4"),
            (Modifier::SLOW_BLINK, "5"),
            (Modifier::RAPID_BLINK, "6"),
            (Modifier::REVERSED, "7"),
            (Modifier::HIDDEN, "8"),
            (Modifier::CROSSED_OUT, "9"),
        ] {
            if modifiers.contains(modifier) {
                self.add(on);
            }
        }
    }
}

/// What is coloured, by the first digit of its parameters.
#[derive(Clone, Copy)]
enum ColourLayer {
    Text = 3,
    Back = 4,
}

fn colour(colour: Color, layer: ColourLayer) -> String {
    let first_digit = layer as u8;
    // The sixteen colours have numbers that every sixteen-colour terminal supports: eight normal and eight bright ones.
    let named = match colour {
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::Reset => 9,
        Color::DarkGray => 60,
        Color::LightRed => 61,
        Color::LightGreen => 62,
        Color::LightYellow => 63,
        Color::LightBlue => 64,
        Color::LightMagenta => 65,
        Color::LightCyan => 66,
        Color::White => 67,
        Color::Indexed(number) => return format!("{first_digit}8;5;{number}"),
        Color::Rgb(red, green, blue) => return format!("{first_digit}8;2;{red};{green};{blue}"),
    };
    (10 * first_digit + named).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_differs_is_set() {
        let pen = |fg, bg, modifier| TerminalStyle { fg, bg, modifier };
        let (none, bold, dim) = (Modifier::empty(), Modifier::BOLD, Modifier::DIM);
        let (blue, lit) = (Color::Indexed(75), Color::Indexed(236));
        for (before, after, parameters) in [
            (TerminalStyle::default(), pen(blue, Color::Reset, bold), "1;38;5;75"),
            (pen(blue, Color::Reset, bold), TerminalStyle::default(), ""),
            (pen(blue, lit, bold), pen(blue, lit, none), "22"),
            (pen(blue, lit, bold | dim), pen(blue, lit, dim), "22;2"),
            (pen(blue, lit, none), pen(blue, Color::Reset, none), "49"),
            (pen(Color::Rgb(1, 2, 3), lit, bold | dim), pen(blue, Color::Reset, Modifier::ITALIC), "0;3;38;5;75"),
            (TerminalStyle::default(), pen(Color::Red, Color::LightCyan, none), "31;106"),
            (TerminalStyle::default(), pen(Color::Rgb(1, 2, 3), Color::Rgb(4, 5, 6), none), "38;2;1;2;3;48;2;4;5;6"),
        ] {
            assert_eq!(after.parameters_after(before), parameters, "{before:?} to {after:?}");
        }
    }
}
