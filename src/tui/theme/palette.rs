//! Reduces colours for terminals that support fewer: to the nearest of the xterm palette, or of the sixteen basic ones.

use ratatui::style::{Color, Style};

use crate::colours::Colours;

/// The sixteen colours as xterm shows them by default; users may have changed them.
pub const SIXTEEN: [(Color, [u8; 3]); 16] = [
    (Color::Black, [0, 0, 0]),
    (Color::Red, [205, 0, 0]),
    (Color::Green, [0, 205, 0]),
    (Color::Yellow, [205, 205, 0]),
    (Color::Blue, [0, 0, 238]),
    (Color::Magenta, [205, 0, 205]),
    (Color::Cyan, [0, 205, 205]),
    (Color::Gray, [229, 229, 229]),
    (Color::DarkGray, [127, 127, 127]),
    (Color::LightRed, [255, 0, 0]),
    (Color::LightGreen, [0, 255, 0]),
    (Color::LightYellow, [255, 255, 0]),
    (Color::LightBlue, [92, 92, 255]),
    (Color::LightMagenta, [255, 0, 255]),
    (Color::LightCyan, [0, 255, 255]),
    (Color::White, [255, 255, 255]),
];

/// The default xterm value of a colour; `None` for the terminal's default text and background.
pub fn rgb(colour: Color) -> Option<[u8; 3]> {
    match colour {
        Color::Rgb(red, green, blue) => Some([red, green, blue]),
        Color::Indexed(number) => Some(indexed(number)),
        named => SIXTEEN.iter().find(|(known, _)| *known == named).map(|(_, rgb)| *rgb),
    }
}

/// The colour with this number in the xterm palette.
fn indexed(number: u8) -> [u8; 3] {
    let step = |level: u8| if level == 0 { 0 } else { 55 + 40 * level };
    match number {
        0..16 => SIXTEEN.get(usize::from(number)).map_or([0; 3], |(_, rgb)| *rgb),
        16..232 => {
            let number = number - 16;
            [step(number / 36), step(number / 6 % 6), step(number % 6)]
        }
        232.. => [8 + 10 * (number - 232); 3],
    }
}

/// The style in colours that the terminal supports.
pub fn shown(style: Style, colours: Colours) -> Style {
    Style { fg: style.fg.map(|it| nearest(it, colours)), bg: style.bg.map(|it| nearest(it, colours)), ..style }
}

/// The nearest colour that the terminal supports.
fn nearest(colour: Color, colours: Colours) -> Color {
    match (colours, colour) {
        (Colours::Indexed, Color::Rgb(red, green, blue)) => {
            // Users can change the first sixteen, so their appearance is unknown.
            closest([red, green, blue], (16..=255).map(|number| (Color::Indexed(number), indexed(number))))
        }
        (Colours::Sixteen, Color::Rgb(..) | Color::Indexed(_)) => {
            rgb(colour).map_or(colour, |wanted| closest(wanted, SIXTEEN.into_iter()))
        }
        _ => colour,
    }
}

fn closest(wanted: [u8; 3], known: impl Iterator<Item = (Color, [u8; 3])>) -> Color {
    known.min_by_key(|(_, rgb)| distance(wanted, *rgb)).map_or(Color::Reset, |(colour, _)| colour)
}

/// Weighted roughly by the contribution of red, green and blue to lightness.
fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    let parts = one.into_iter().zip(other).zip([2, 4, 3]);
    parts.map(|((a, b), weight)| weight * u32::from(a.abs_diff(b)).pow(2)).sum()
}

#[cfg(test)]
mod tests {
    use std::str::FromStr;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_nearest_colour_that_the_terminal_has() {
        for (written, indexed, sixteen) in [
            ("#ff8700", "208", "yellow"),
            ("#1c1c1c", "234", "black"),
            ("#fefefe", "231", "white"),
            ("#5f87af", "67", "darkgray"),
            ("#00cc00", "40", "green"),
            ("208", "208", "yellow"),
            ("lightblue", "lightblue", "lightblue"),
            ("reset", "reset", "reset"),
        ] {
            let of = |text: &str| Color::from_str(text).unwrap();
            let found =
                [Colours::True, Colours::Indexed, Colours::Sixteen].map(|colours| nearest(of(written), colours));
            assert_eq!(found, [of(written), of(indexed), of(sixteen)], "{written}");
        }
    }

    proptest! {
        #[test]
        fn a_colour_of_the_palette_is_its_own_nearest(number in 16..=255u8) {
            let [red, green, blue] = indexed(number);
            let Color::Indexed(found) = nearest(Color::Rgb(red, green, blue), Colours::Indexed) else { panic!() };
            prop_assert_eq!(indexed(found), indexed(number));
        }
    }
}
