//! The sources at one distance from the centre, and the mentions that lead to them.

use refdesk_core::mention::analysis::{Direction, GraphAnalysis, levels};

use super::{GraphRow, GraphTab, GraphView};
use crate::tui::widgets::motion::Cursor;

/// The maximum number of levels on either side; a pick pulls in sources no further away.
const MAX: usize = refdesk_core::selection::MAX_TRANSITIVE_DEPTH;

/// Sources at one distance.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Steps from the centre; negative for sources that mention it directly or indirectly.
    pub distance: isize,
    /// Positions in catalog order.
    pub sources: Vec<usize>,
    pub cursor: Cursor,
}

impl Level {
    /// The position of the source under this level's cursor.
    pub fn current(&self) -> Option<usize> {
        self.sources.get(self.cursor.at).copied()
    }

    /// The heading: `mentioned by 3`, `2 steps before: 4`.
    pub fn title(&self) -> String {
        let count = crate::tui::widgets::cells::grouped(self.sources.len());
        match self.distance {
            -1 => format!("mentioned by {count}"),
            1 => format!("mentions {count}"),
            0.. => format!("{} steps after: {count}", self.distance),
            _ => format!("{} steps before: {count}", self.distance.unsigned_abs()),
        }
    }
}

/// All levels around this source from left to right. The two adjacent levels are included even if empty.
pub fn around(analysis: &GraphAnalysis, centre: usize) -> Vec<Level> {
    let on_side = |direction, sign: isize| {
        let mut found = levels(&analysis.adjacency, centre, direction, MAX);
        if found.is_empty() {
            found.push(Vec::new());
        }
        (1..).map(move |steps: isize| steps * sign).zip(found).map(|(distance, sources)| Level {
            distance,
            sources,
            cursor: Cursor::default(),
        })
    };
    let mut all: Vec<Level> = on_side(Direction::Mentioning, -1).collect();
    all.reverse();
    all.extend(on_side(Direction::Mentioned, 1));
    all
}

/// The pairs of sources whose mentions explain the row under the cursor: in the neighbourhood those that
/// connect it to the next level towards the centre, on a path the previous step.
pub fn pairs(graph: &GraphView) -> Box<dyn Iterator<Item = (usize, usize)> + '_> {
    let of_row = || {
        let analysis = graph.analysis.as_ref()?;
        if graph.tab == GraphTab::Neighbours {
            let centre = graph.at(graph.centre.as_ref()?).filter(|_| graph.level != 0)?;
            return Some(links(analysis, &graph.levels, centre, graph.level, graph.position()?));
        }
        match graph.rows.get(graph.cursor.at)? {
            GraphRow::Step(to, Some(from)) => Some(Box::new(std::iter::once((*from, *to))) as Box<_>),
            _ => None,
        }
    };
    of_row().unwrap_or_else(|| Box::new(std::iter::empty()))
}

/// The mentions, as pairs of sources, that connect this source at this distance to the next level towards the centre.
pub fn links<'a>(
    analysis: &'a GraphAnalysis,
    levels: &'a [Level],
    centre: usize,
    distance: isize,
    at: usize,
) -> Box<dyn Iterator<Item = (usize, usize)> + 'a> {
    let nearer = levels.iter().find(|level| level.distance == distance - distance.signum());
    let is_nearer = move |other: &usize| match nearer {
        Some(level) => level.sources.binary_search(other).is_ok(),
        None => *other == centre,
    };
    if distance < 0 {
        let edges = analysis.adjacency.mentioned(at).iter();
        Box::new(edges.map(|edge| edge.to as usize).filter(is_nearer).map(move |to| (at, to)))
    } else {
        let sources = analysis.adjacency.mentioning(at).iter();
        Box::new(sources.map(|from| *from as usize).filter(is_nearer).map(move |from| (from, at)))
    }
}
