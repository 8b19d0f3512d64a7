//! The graph as a picture in SVG: sources in layers, mentions as arrows from left to right. Sources without mentions are
//! below. The picture follows the reader's light or dark setting.

use std::collections::BTreeMap;

use unicode_width::UnicodeWidthStr;

use refdesk_core::catalog::Source;
use refdesk_core::mention::analysis::{Adjacency, layers};
use refdesk_desk::Desk;
use refdesk_text::escape::one_line;
use refdesk_text::shorten::shortened;

/// Sizes in pixels: a character of the monospaced font, boxes, and the gaps between them.
const CHARACTER: f64 = 7.3;
const BOX_HEIGHT: f64 = 26.0;
const ROW: f64 = 38.0;
const BETWEEN_LAYERS: f64 = 90.0;
const BETWEEN_BOXES: f64 = 14.0;
const MARGIN: f64 = 40.0;
/// The minimum width that sources without mentions are wrapped to.
const MIN_WIDTH: f64 = 900.0;

/// Longer ids are cut in the picture; the tooltip has the full id.
const LONGEST: usize = 48;

/// With more arrows, the picture would be a black area that takes viewers minutes to draw.
const ARROWS: usize = 100_000;

const STYLE: &str = "\
    .source rect { fill: #fff; stroke: #57606a; rx: 5 }\n\
    .source text { fill: #1f2328; font: 12px ui-monospace, Menlo, Consolas, monospace }\n\
    .selected rect { fill: #d2f0da; stroke: #1a7f37 }\n\
    .missing rect { stroke: #cf222e; stroke-dasharray: 4 3 }\n\
    .mention { fill: none; stroke: #8c959f; marker-end: url(#arrow) }\n\
    .back { stroke-dasharray: 4 3 }\n\
    #arrow path { fill: #8c959f }\n\
    @media (prefers-color-scheme: dark) {\n\
    .source rect { fill: #22272e; stroke: #8b949e }\n\
    .source text { fill: #e6edf3 }\n\
    .selected rect { fill: #173f26; stroke: #3fb950 }\n\
    .missing rect { stroke: #f85149 }\n\
    }\n";

#[derive(Debug, Clone, Copy)]
struct BoxPlace {
    x: f64,
    y: f64,
    width: f64,
    layer: usize,
}

/// The picture, and how many arrows it leaves out.
pub fn print(desk: &Desk) -> (String, usize) {
    let sources = desk.catalog().sources();
    let adjacency = Adjacency::of(desk.catalog(), desk.graph());
    let labels: Vec<String> = sources.iter().map(label).collect();
    let places = places(&adjacency, &labels);
    let extent = |of: &dyn Fn(&BoxPlace) -> f64| places.values().map(of).fold(0.0, f64::max) + MARGIN;
    let (width, height) = (extent(&|place| place.x + place.width), extent(&|place| place.y + BOX_HEIGHT));
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"Which sources mention each other\">\n\
         <style>\n{STYLE}</style>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" \
         orient=\"auto\"><path d=\"M0 0 8 4 0 8Z\"/></marker></defs>\n"
    );
    let arrows = || {
        places.iter().flat_map(|(from, start)| {
            let ends = adjacency.mentioned(*from).iter().filter_map(|edge| places.get(&usize::try_from(edge.to).ok()?));
            ends.map(move |end| (*start, *end))
        })
    };
    arrows().take(ARROWS).for_each(|(start, end)| out.push_str(&arrow(start, end)));
    let left_out = arrows().skip(ARROWS).count();
    for (at, place) in &places {
        if let (Some(source), Some(label)) = (sources.get(*at), labels.get(*at)) {
            out.push_str(&boxed(desk, source, label, *place));
        }
    }
    (out + "</svg>\n", left_out)
}

fn places(adjacency: &Adjacency, labels: &[String]) -> BTreeMap<usize, BoxPlace> {
    let width = |at: usize| labels.get(at).map_or(0, |label| label.width()) as f64 * CHARACTER + 20.0;
    let layers = layers(adjacency);
    let tallest = layers.iter().map(Vec::len).max().unwrap_or(0) as f64 * ROW;
    let mut places = BTreeMap::new();
    let mut x = MARGIN;
    for (layer, sources) in layers.iter().enumerate() {
        let top = MARGIN + (tallest - sources.len() as f64 * ROW) / 2.0;
        for (nth, at) in sources.iter().enumerate() {
            places.insert(*at, BoxPlace { x, y: top + nth as f64 * ROW, width: width(*at), layer });
        }
        x += sources.iter().map(|at| width(*at)).fold(0.0, f64::max) + BETWEEN_LAYERS;
    }
    let right = (x - BETWEEN_LAYERS).max(MIN_WIDTH);
    let (mut x, mut y) = (MARGIN, MARGIN + tallest + if layers.is_empty() { 0.0 } else { ROW / 2.0 });
    for at in 0..labels.len() {
        if places.contains_key(&at) {
            continue;
        }
        if x > MARGIN && x + width(at) > right {
            (x, y) = (MARGIN, y + ROW);
        }
        places.insert(at, BoxPlace { x, y, width: width(at), layer: 0 });
        x += width(at) + BETWEEN_BOXES;
    }
    places
}

/// A curve from the right side of one box to the left side of the other.
fn arrow(from: BoxPlace, to: BoxPlace) -> String {
    let (x1, y1) = (from.x + from.width, from.y + BOX_HEIGHT / 2.0);
    let (x2, y2) = (to.x, to.y + BOX_HEIGHT / 2.0);
    let (class, bend) =
        if to.layer > from.layer { ("mention", (x2 - x1) / 2.0) } else { ("mention back", BETWEEN_LAYERS) };
    let (c1, c2) = (x1 + bend, x2 - bend);
    format!("<path class=\"{class}\" d=\"M{x1:.1} {y1:.1}C{c1:.1} {y1:.1} {c2:.1} {y2:.1} {x2:.1} {y2:.1}\"/>\n")
}

fn boxed(desk: &Desk, source: &Source, label: &str, place: BoxPlace) -> String {
    let class = match (desk.selection().contains(source.id.as_str()), source.is_missing()) {
        (_, true) => "source missing",
        (true, false) => "source selected",
        (false, false) => "source",
    };
    let BoxPlace { x, y, width, .. } = place;
    format!(
        "<g class=\"{class}\"><title>{}: {}</title><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" \
         height=\"{BOX_HEIGHT}\"/><text x=\"{:.1}\" y=\"{:.1}\">{}</text></g>\n",
        escaped(source.id.as_str()),
        escaped(&source.name),
        x + 10.0,
        y + 17.0,
        escaped(label),
    )
}

fn label(source: &Source) -> String {
    shortened(one_line(source.id.as_str()).into_owned(), LONGEST)
}

/// Escapes a text for XML and makes invisible characters visible.
fn escaped(text: &str) -> String {
    one_line(text).replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
