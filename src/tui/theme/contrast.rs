//! Measures whether colours can be distinguished: contrast as defined by WCAG 2.2, and colour distance as
//! seen by people without red or green cones. Only used by theme tests.

#[derive(Debug, Clone, Copy)]
pub enum ColourVision {
    NoRed,
    NoGreen,
}

fn linear(colour: [u8; 3]) -> [f64; 3] {
    colour.map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}

fn luminance([red, green, blue]: [f64; 3]) -> f64 {
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// From 1 (equal) to 21 (black on white).
pub fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
    let [one, other] = [one, other].map(|colour| luminance(linear(colour)) + 0.05);
    one.max(other) / one.min(other)
}

/// The distance of two colours in CIELAB as seen with this colour vision, by Viénot, Brettel and Mollon, "Digital video
/// colourmaps for checking the legibility of displays by dichromats" (1999). Differences are visible from about 2.
pub fn apart(one: [u8; 3], other: [u8; 3], eyes: ColourVision) -> f64 {
    let rows: [[f64; 3]; 3] = match eyes {
        ColourVision::NoRed => [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
        ColourVision::NoGreen => [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
    };
    let seen = |colour| {
        let [red, green, blue] = linear(colour);
        lab(rows.map(|[r, g, b]| r * red + g * green + b * blue))
    };
    let (one, other) = (seen(one), seen(other));
    one.iter().zip(other).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
}

fn lab([red, green, blue]: [f64; 3]) -> [f64; 3] {
    let root = |part: f64| if part > 0.008_856 { part.cbrt() } else { 7.787 * part + 16.0 / 116.0 };
    let x = root((0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505);
    let y = root(luminance([red, green, blue]));
    let z = root((0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089);
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}

#[test]
fn known_figures() {
    let near = |found: f64, known: f64| assert!((found - known).abs() < 0.01, "{found} is not {known}");
    near(contrast([0; 3], [255; 3]), 21.0);
    near(contrast([0x77; 3], [255; 3]), 4.48);
    near(apart([10, 20, 30], [10, 20, 30], ColourVision::NoGreen), 0.0);
    // These eyes confuse red and green of equal lightness.
    assert!(apart([0xb0, 0x50, 0], [0x60, 0x78, 0], ColourVision::NoGreen) < 10.0);
}
