//! The documentation's pictures: SVG files of the real screen in states that a reader can reach with the same keys.
//! `docs/pictures` writes them; otherwise these tests check that they still show what the program shows.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use regex::Regex;
use vt100::{Cell, Color, Screen};

use super::demo;
use crate::support::pty::Pty;

/// Width and height of a cell, in pixels.
const CELL: (u32, u32) = (8, 17);
/// The default foreground and background.
const PAPER: (&str, &str) = ("#d0d0d0", "#16181d");

/// The environment variable with the folder to write to.
const FOLDER: &str = "REFDESK_PICTURES";

#[test]
fn overview() {
    let mut pty = demo(120, 36);
    pty.wait_until("all documents read", |seen| !seen.text().contains("reading "));
    pty.type_bytes("/pat-retry\r \x1b");
    pty.wait_for("2 picked");
    pty.wait_for("╭ pat-retry");
    take(&pty, "overview");
    pty.type_bytes("3\rthe payment call times out, trip the circuit breaker");
    pty.wait_for("pat-circuit-breaker");
    pty.wait_for("passed over");
    // Not compared: scores that are close to each other change places on other processors.
    if std::env::var_os(FOLDER).is_some() {
        take(&pty, "hints");
    }
    pty.type_bytes("\x03");
    pty.wait_for_exit();
}

#[test]
fn graph_of_reasons_and_document() {
    let mut pty = demo(120, 36);
    pty.wait_until("all documents read", |seen| !seen.text().contains("reading "));
    pty.type_bytes("/pat-retry\r \x1b");
    pty.wait_for("2 picked");
    pty.type_bytes("2jz");
    pty.wait_for("2 Selection ━");
    take(&pty, "selection");
    pty.type_bytes("\x03");
    pty.wait_for_exit();
}

/// Writes a picture of the current screen if pictures are requested, otherwise compares it with the documentation's.
fn take(pty: &Pty, name: &str) {
    pty.wait_until_quiet();
    let picture = svg(pty.seen().terminal.screen());
    if let Some(folder) = std::env::var_os(FOLDER) {
        refdesk_files::write_atomic(&Path::new(&folder).join(format!("{name}.svg")), picture.as_bytes()).unwrap();
        return;
    }
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("docs/src/pictures/{name}.svg"));
    let (kept, shown) = (texts(&std::fs::read_to_string(kept).unwrap()), texts(&picture));
    let differing: Vec<_> = shown.iter().filter(|(row, text)| kept.get(*row) != Some(*text)).collect();
    let is_same = differing.is_empty() && shown.len() == kept.len();
    assert!(is_same, "{name}.svg shows something else; `docs/pictures` makes it anew: {differing:#?}");
}

/// The text of each row of a picture, by its place, without what differs each time: blanks, which have styles of their own
/// depending on what was drawn before, the demo's folder, and the feed and the bottom line, whose messages arrive when they
/// do.
fn texts(svg: &str) -> BTreeMap<u32, String> {
    let run = Regex::new(r#"<text x="\d+" y="(\d+)"[^>]*>([^<]*)</text>"#).unwrap();
    let changing = Regex::new(r"demo-\w{6}").unwrap();
    let feed = Regex::new(r"(feed|\d\d:\d\d:\d\d) .*").unwrap();
    let mut rows: BTreeMap<u32, String> = BTreeMap::new();
    for found in run.captures_iter(svg) {
        let row = rows.entry(found[1].parse().unwrap()).or_default();
        let words = found[2].split_whitespace().map(|word| format!("{} ", changing.replace_all(word, "…")));
        row.extend(words);
    }
    rows.pop_last();
    rows.values_mut().for_each(|row| *row = feed.replace(row, "…").into_owned());
    rows
}

/// A screen as SVG: a rectangle for each run of cells with a background, and a text for each run with one style.
fn svg(screen: &Screen) -> String {
    let (rows, columns) = screen.size();
    let (width, height) = (u32::from(columns) * CELL.0, u32::from(rows) * CELL.1);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"ui-monospace, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"13.3\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"{}\"/>\n",
        PAPER.1
    );
    for row in 0..rows {
        let mut runs: Vec<(u16, u16, String, String)> = Vec::new();
        for column in 0..columns {
            let Some(cell) = screen.cell(row, column).filter(|cell| !cell.is_wide_continuation()) else { continue };
            let style = style(cell);
            let text = if cell.has_contents() { cell.contents() } else { " " };
            let wide = 1 + u16::from(cell.is_wide());
            match runs.last_mut() {
                Some((_, cells, last, run)) if *last == style => {
                    *cells += wide;
                    run.push_str(text);
                }
                _ => runs.push((column, wide, style, text.to_owned())),
            }
        }
        let top = u32::from(row) * CELL.1;
        for (column, cells, style, text) in runs {
            let (left, length) = (u32::from(column) * CELL.0, u32::from(cells) * CELL.0);
            let (behind, attributes) = style.split_once('|').unwrap();
            if behind != PAPER.1 {
                writeln!(
                    out,
                    "<rect x=\"{left}\" y=\"{top}\" width=\"{length}\" height=\"{}\" fill=\"{behind}\"/>",
                    CELL.1
                )
                .unwrap();
            }
            if !text.trim().is_empty() {
                let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
                writeln!(
                    out,
                    "<text x=\"{left}\" y=\"{}\" textLength=\"{length}\" lengthAdjust=\"spacingAndGlyphs\" xml:space=\"preserve\" {attributes}>{text}</text>",
                    top + 13
                )
                .unwrap();
            }
        }
    }
    out + "</svg>\n"
}

/// A cell's background and its text attributes.
fn style(cell: &Cell) -> String {
    let (mut text, mut behind) = (colour(cell.fgcolor(), PAPER.0), colour(cell.bgcolor(), PAPER.1));
    if cell.inverse() {
        std::mem::swap(&mut text, &mut behind);
    }
    let mut attributes = format!("fill=\"{text}\"");
    for (is_on, attribute) in [
        (cell.bold(), " font-weight=\"bold\""),
        (cell.italic(), " font-style=\"italic\""),
        (cell.underline(), " text-decoration=\"underline\""),
        (cell.dim(), " opacity=\"0.6\""),
    ] {
        if is_on {
            attributes.push_str(attribute);
        }
    }
    format!("{behind}|{attributes}")
}

/// The colour as xterm shows it.
fn colour(colour: Color, default: &str) -> String {
    const BASE: [u32; 16] = [
        0x00_0000, 0xcd_3131, 0x0d_bc79, 0xe5_e510, 0x24_72c8, 0xbc_3fbc, 0x11_a8cd, 0xe5_e5e5, 0x66_6666, 0xf1_4c4c,
        0x23_d18b, 0xf5_f543, 0x3b_8eea, 0xd6_70d6, 0x29_b8db, 0xff_ffff,
    ];
    let level = |value: u32| if value == 0 { 0 } else { 55 + 40 * value };
    let number = match colour {
        Color::Default => return default.to_owned(),
        Color::Rgb(red, green, blue) => u32::from_be_bytes([0, red, green, blue]),
        Color::Idx(index @ 0..=15) => BASE[usize::from(index)],
        Color::Idx(index @ 16..=231) => {
            let index = u32::from(index) - 16;
            level(index / 36) << 16 | level(index / 6 % 6) << 8 | level(index % 6)
        }
        Color::Idx(index) => (8 + 10 * (u32::from(index) - 232)) * 0x01_0101,
    };
    format!("#{number:06x}")
}
