//! Why a source matches a prompt: a few words for its row, and a sentence below the list that tells where it
//! matches and what the keys do.

use std::ops::Range;

use crate::common::source_words;
use crate::tui::action::{Action, KeyContext};
use crate::tui::hints::rows;
use crate::tui::hints::rows::HintRow;
use crate::tui::selection::preview;
use crate::tui::selection::preview::NameDetail;
use crate::tui::source_state;
use crate::tui::state::{State, Typing};
use crate::tui::widgets::cells;
use refdesk_core::catalog::SourceId;
use refdesk_core::selection::SelectionState;
use refdesk_enrich::{Considered, Expansion, Hint, Neighbour, Rejection, SkippedSource, WhyNot};
use refdesk_text::fold::same_tag;
use refdesk_text::lines;

/// The maximum number of line numbers listed per tag.
const LINES: usize = 5;

/// For the row: `(matched: java 1:9)`, `– java: already picked`, `(0.612: "Retries")`, `– 0.229: below the threshold`.
/// A number is a score, which [`full`] explains. If `room` is short, scores are dropped first, then places.
pub fn short(state: &State, found: HintRow<'_>, room: usize) -> String {
    let wordings = [ReasonDetail::Full, ReasonDetail::WithoutScores, ReasonDetail::WithoutPlaces].map(|exactness| {
        let text = wording(state, found, exactness);
        cells::clean(&text).into_owned()
    });
    let fitting = wordings.iter().find(|text| cells::width(text) <= room);
    fitting.or(wordings.last()).cloned().unwrap_or_default()
}

/// How much detail about a match is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReasonDetail {
    Full,
    WithoutScores,
    /// Neither scores nor places.
    WithoutPlaces,
}

fn wording(state: &State, found: HintRow<'_>, exactness: ReasonDetail) -> String {
    let is_full = exactness == ReasonDetail::Full;
    match found {
        HintRow::Named(_) => "(named in the prompt)".to_owned(),
        HintRow::Hinted(hint) => {
            let score = rows::considered(&state.hints.findings, &hint.id).filter(|it| is_full && !it.is_unreadable);
            let score = score.map(|it| format!("; score {}", it.score())).unwrap_or_default();
            let tags = if exactness == ReasonDetail::WithoutPlaces { hint.tags.clone() } else { placed(state, hint) };
            format!("(matched: {}{score}{})", tags.join(", "), hinted_before(state, &hint.id))
        }
        HintRow::ByMeaning(it) => {
            let score = if is_full { format!("{}: ", it.score()) } else { String::new() };
            format!("({score}{}{})", it.meaning.section(), hinted_before(state, &it.id))
        }
        HintRow::Scored(it) => {
            let why = it.why_not.as_ref().map(|why| brief(state, &it.id, why)).unwrap_or_default();
            // The required score is shown only together with the source's own.
            let why = if is_full { why.as_str() } else { why.split(": ").next().unwrap_or_default() };
            let score = if is_full && !it.is_unreadable { format!("{}: ", it.score()) } else { String::new() };
            format!("{} {score}{why}", state.skin.glyphs.dash)
        }
        HintRow::Passed(passed) => {
            let why = match &passed.why {
                WhyNot::Inside { piece, .. } => format!("occurs only within {}", cut(state, piece)),
                why => format!(": {}", brief(state, &passed.id, why)),
            };
            // A tag does not fit, and it is not the reason.
            if passed.why == WhyNot::Rejected(Rejection::Unreadable) {
                return format!("{} {}", state.skin.glyphs.dash, brief(state, &passed.id, &passed.why));
            }
            let subject = if passed.tags.is_empty() { format!("@{}", passed.id) } else { passed.tags.join(", ") };
            let gap = if why.starts_with(':') { "" } else { " " };
            format!("{} {subject}{gap}{why}", state.skin.glyphs.dash)
        }
    }
}

/// Each tag with the line and column of its first match: `java 1:9`.
fn placed(state: &State, hint: &Hint) -> Vec<String> {
    let prompt = state.hints.prompt.text();
    // Until the next answer, a position can be beyond the end of a shortened prompt.
    let is_in = |first: &usize| prompt.is_char_boundary(*first);
    let firsts: Vec<usize> = hint.firsts.iter().copied().filter(is_in).collect();
    if firsts.len() < hint.tags.len() || firsts.len() < hint.firsts.len() {
        return hint.tags.clone();
    }
    let places = lines::places(prompt, &firsts);
    hint.tags.iter().zip(places).map(|(tag, (line, column))| format!("{tag} {line}:{column}")).collect()
}

fn hinted_before(state: &State, id: &SourceId) -> &'static str {
    if state.hints.sent_before.contains(id) { "; hinted before" } else { "" }
}

/// For the lines below the list: the reason, its places in the prompt, and what the keys do.
pub fn full(state: &State, found: HintRow<'_>) -> String {
    let text = match found {
        HintRow::Named(named) => format!("{} {}", explain_named(state, named), keys(state, named.id.as_str())),
        HintRow::Hinted(hint) => explain_hint(state, hint),
        HintRow::Passed(passed) => explain_passed_over(state, passed),
        HintRow::ByMeaning(it) => explain_by_meaning(state, it),
        HintRow::Scored(it) => explain_scored(state, it),
    };
    cells::sentence(text.trim()).into_owned()
}

fn explain_named(state: &State, named: &Expansion) -> String {
    let place = lines(state, std::slice::from_ref(&named.range));
    let mut text = format!("Named in the prompt{place}: the agent gets it with the prompt.");
    let tagged = state.hints.findings.passed.iter().find(|it| it.id == named.id && it.why == WhyNot::Named);
    if let Some(tagged) = tagged {
        text.push_str(&format!(" No separate hint for {}.", tags(state, &tagged.tags, &tagged.ranges)));
    }
    text
}

fn explain_hint(state: &State, hint: &Hint) -> String {
    let matched = tags(state, &hint.tags, &hint.ranges);
    let id = hint.id.as_str();
    let keys = keys(state, id);
    let score = scored(state, &hint.id);
    format!("Matched {matched}{} {keys}{score}", outcome(state, id))
}

fn explain_by_meaning(state: &State, it: &Considered) -> String {
    let id = it.id.as_str();
    format!("{}{} {} {}.", it.meaning.topic(), outcome(state, id), keys(state, id), figures(it))
}

fn explain_scored(state: &State, it: &Considered) -> String {
    let why = it.why_not.as_ref().map(|why| in_full(state, &it.id, why)).unwrap_or_default();
    let closest = match it.meaning.section() {
        section if section.is_empty() => section,
        _ if it.meaning.is_of_entry() => " Its catalog entry is the closest match.".to_owned(),
        section => format!(" Its closest section is {section}."),
    };
    format!("No hint: {why}. {} {}.{closest}", keys(state, it.id.as_str()), figures(it))
}

/// The effect of a hint, as the end of a sentence about its match.
fn outcome(state: &State, id: &str) -> String {
    // Sources picked or excluded since then keep their rows.
    let selection = &state.snapshot.selection;
    if selection.is_excluded(id) || selection.contains(id) {
        return format!("; {} now, so there is no hint any more.", source_state::words(&state.snapshot, id));
    }
    if state.hints.sent_before.iter().any(|sent| sent.as_str() == id) {
        return "; this session already got this hint or the source itself, so there is no hint again.".to_owned();
    }
    ": the agent gets a hint.".to_owned()
}

/// What the index reports about a source that a tag matches; empty if it has no score.
fn scored(state: &State, id: &SourceId) -> String {
    let Some(it) = rows::considered(&state.hints.findings, id) else { return String::new() };
    match it.meaning.section() {
        section if section.is_empty() => format!(" {}.", figures(it)),
        section => format!(" {}, in {section}.", figures(it)),
    }
}

/// `Score 0.612, threshold 0.390, words retry, backoff`
fn figures(it: &Considered) -> String {
    if it.is_unreadable {
        return "Its score is withheld".to_owned();
    }
    it.meaning.figures().replacen("score", "Score", 1)
}

fn explain_passed_over(state: &State, passed: &SkippedSource) -> String {
    let id = passed.id.as_str();
    let at = || tags(state, &passed.tags, &passed.ranges);
    let keys = keys(state, id);
    let text = match &passed.why {
        WhyNot::Excluded if passed.tags.is_empty() => {
            format!("Named in the prompt{}, but excluded: it is not expanded.", lines(state, &passed.ranges))
        }
        WhyNot::Inside { piece, neighbour } => {
            let tag = passed.tags.first().map_or("", String::as_str);
            let (c, side) = match neighbour {
                Neighbour::Before(c) => (c, "before"),
                Neighbour::After(c) => (c, "after"),
            };
            let place = lines(state, &passed.ranges);
            let piece = cut(state, piece);
            format!("No hint: {tag} appears only in {piece}{place}, and the {c} {side} it makes it part of that.")
        }
        WhyNot::EmptyTag => {
            let tag = passed.tags.first().map_or("", String::as_str);
            format!(
                "No hint: its tag {tag} has only separators and matches nothing. {} opens its definition.",
                state.key(Action::Define)
            )
        }
        WhyNot::HintsOff => {
            format!("Matched {}. No hint: selectReferences is in exclude_tools of this workspace.", at())
        }
        why => format!("Matched {}. No hint: {}.", at(), in_full(state, &passed.id, why)),
    };
    format!("{text} {keys}{}", scored(state, &passed.id))
}

/// A piece of the prompt, shortened with this terminal's ellipsis.
fn cut(state: &State, piece: &str) -> String {
    piece.replace('…', state.skin.glyphs.ellipsis)
}

/// What the keys do with this source. While the prompt is typed, keys are text instead.
fn keys(state: &State, id: &str) -> String {
    let keys = [Action::Toggle, Action::Keep, Action::Exclude].map(|action| state.key(action));
    let said = effects(state, id, &keys);
    if state.typing == Some(Typing::Prompt) && keys.iter().any(|key| said.starts_with(key.as_str())) {
        return format!("After {}: {said}", state.key_in(KeyContext::Prompt, Action::Accept));
    }
    said
}

/// What the keys do, with what that would pull in or release once that is known.
fn effects(state: &State, id: &str, [pick, keep, exclude]: &[String; 3]) -> String {
    let mark = source_state::mark(&state.snapshot, id).0;
    if let Some(would) = preview::sentence(state, id, NameDetail::Counted) {
        return match mark {
            SelectionState::Transitive => format!("{would} {keep} keeps it as a pick."),
            SelectionState::Excluded => format!("{would} {exclude} includes it again."),
            SelectionState::Available => format!("{would} {exclude} excludes it."),
            SelectionState::Auto if would.starts_with(exclude) => format!("{would} {pick} picks it."),
            _ => would,
        };
    }
    match mark {
        SelectionState::Picked => format!("{pick} unpicks it."),
        SelectionState::Transitive => format!("{keep} keeps it as a pick, {exclude} excludes it."),
        SelectionState::Excluded => format!("{exclude} includes it again, {pick} picks it."),
        SelectionState::Available => format!("{pick} picks it, {exclude} excludes it."),
        SelectionState::Missing => "Its file is missing: it cannot be picked.".to_owned(),
        SelectionState::Auto => format!("{pick} picks it."),
        SelectionState::Dormant => "It is no longer in the catalog.".to_owned(),
    }
}

/// `java (line 1), spring boot (lines 2, 5)`.
fn tags(state: &State, tags: &[String], ranges: &[Range<usize>]) -> String {
    let prompt = state.hints.prompt.text();
    let with_lines = |tag: &String| {
        let is_it = |range: &&Range<usize>| prompt.get((*range).clone()).is_some_and(|it| same_tag(it, tag));
        let ranges: Vec<Range<usize>> = ranges.iter().filter(is_it).cloned().collect();
        format!("{tag}{}", lines(state, &ranges))
    };
    tags.iter().map(with_lines).collect::<Vec<_>>().join(", ")
}

/// ` (lines 2, 5)`; empty in a single-line prompt.
fn lines(state: &State, ranges: &[Range<usize>]) -> String {
    let prompt = state.hints.prompt.text();
    if !prompt.contains('\n') {
        return String::new();
    }
    // Ranges are sorted, so counting continues from the previous one.
    let mut lines: Vec<usize> = Vec::new();
    let (mut line, mut counted) = (1, 0);
    for range in ranges {
        let Some(between) = prompt.get(counted..range.start) else { continue };
        line += between.matches('\n').count();
        counted = range.start;
        if lines.last() != Some(&line) {
            lines.push(line);
        }
        if lines.len() > LINES {
            break;
        }
    }
    let shown: Vec<String> = lines.iter().take(LINES).map(usize::to_string).collect();
    let more = if lines.len() > LINES { " and more" } else { "" };
    match lines.len() {
        0 => String::new(),
        1 => format!(" (line {})", shown.concat()),
        _ => format!(" (lines {}{more})", shown.join(", ")),
    }
}

/// Why a source gets no hint, as the end of a sentence.
fn in_full(state: &State, id: &SourceId, why: &WhyNot) -> String {
    match why {
        WhyNot::Unreadable | WhyNot::Rejected(Rejection::Unreadable) => {
            let unread = source_words::why_unread(state.snapshot.catalog.get(id.as_str()));
            match source_state::waits(&state.snapshot, id.as_str()) {
                true => format!("{unread}. {} shows what to trust", state.key(Action::Trust)),
                false => unread.into_owned(),
            }
        }
        WhyNot::Rejected(Rejection::NoThreshold) if state.snapshot.is_indexing => {
            "the search index is not ready yet".to_owned()
        }
        WhyNot::Rejected(rejected) => rejected.to_string(),
        why => brief(state, id, why),
    }
}

fn brief(state: &State, id: &SourceId, why: &WhyNot) -> String {
    rows::brief(&state.snapshot, id, why, source_state::ids)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::fixture;
    use crate::tui::input::Input;
    use crate::tui::update::update;

    fn state(prompt: &str) -> State {
        let mut state = fixture::state(80, 24);
        state.focus_on(crate::tui::pane::Pane::Hints);
        update(&mut state, Input::Paste(prompt.to_owned()));
        state.typing = None;
        state
    }

    #[test]
    fn every_reason_has_an_action() {
        let state = state("a java b\nJAVA and x/java");
        let inside = WhyNot::Inside { piece: "x/java".to_owned(), neighbour: Neighbour::Before('/') };
        for (id, why, short_text, full_text) in [
            (
                "circuit-breaker",
                WhyNot::Picked,
                "– java: already picked",
                "Matched java (lines 1, 2). No hint: already picked. Space unpicks it.",
            ),
            (
                "retry-pattern",
                WhyNot::PulledIn(["circuit-breaker".into()].into_iter().collect()),
                "– java: pulled in by @circuit-breaker",
                "Matched java (lines 1, 2). No hint: pulled in by @circuit-breaker. p keeps it as a pick, x excludes it.",
            ),
            (
                "team-conventions",
                WhyNot::Auto,
                "– java: always in the instructions",
                "Matched java (lines 1, 2). No hint: always in the instructions. Space picks it.",
            ),
            (
                "release-notes",
                WhyNot::Excluded,
                "– java: excluded",
                "Matched java (lines 1, 2). No hint: excluded. x includes it again, Space picks it.",
            ),
            (
                "java-service",
                WhyNot::HintsOff,
                "– java: hints are off",
                "Matched java (lines 1, 2). No hint: selectReferences is in exclude_tools of this workspace. Space picks it, \
                 x excludes it.",
            ),
            (
                "java-service",
                inside,
                "– java occurs only within x/java",
                "No hint: java appears only in x/java (lines 1, 2), and the / before it makes it part of that. Space \
                 picks it, x excludes it.",
            ),
            (
                "java-service",
                WhyNot::EmptyTag,
                "– java: an empty tag",
                "No hint: its tag java has only separators and matches nothing. e opens its definition. Space \
                 picks it, x excludes it.",
            ),
        ] {
            let passed = SkippedSource { id: id.into(), tags: vec!["java".to_owned()], ranges: vec![2..6, 9..13], why };
            assert_eq!(short(&state, HintRow::Passed(&passed), usize::MAX), short_text);
            assert_eq!(full(&state, HintRow::Passed(&passed)), full_text);
        }
    }

    #[test]
    fn scores_and_then_places_go_where_there_is_no_room() {
        let mut state = state("a java b");
        let hint = Hint {
            id: "ticket-search".into(),
            tags: vec!["java".to_owned()],
            firsts: vec![2],
            ranges: std::iter::once(2..6).collect(),
            is_in_code: false,
        };
        let about = fixture::considered("ticket-search", true);
        let section = cells::clean(&about.meaning.section()).into_owned();
        state.hints.findings.considered = Some(vec![about.clone()]);
        let full = format!("(matched: java 1:3; score {})", about.meaning.score);
        for (found, room, said) in [
            (HintRow::Hinted(&hint), full.len(), full.as_str()),
            (HintRow::Hinted(&hint), full.len() - 1, "(matched: java 1:3)"),
            (HintRow::Hinted(&hint), 18, "(matched: java)"),
            (HintRow::Hinted(&hint), 3, "(matched: java)"),
            (HintRow::ByMeaning(&about), 90, &format!("({}: {section})", about.meaning.score)),
            (HintRow::ByMeaning(&about), cells::width(&section) + 2, &format!("({section})")),
        ] {
            assert_eq!(short(&state, found, room), said, "{room}");
        }
    }

    #[test]
    fn a_description_is_not_called_a_section() {
        let state = state("changes");
        let of_description = |is_hinted| {
            let it = fixture::considered("ticket-search", is_hinted);
            let place =
                refdesk_enrich::Meaning { heading: String::new(), path: Some(String::new()), line: 0, ..it.meaning };
            Considered { meaning: place, ..it }
        };
        let hinted = full(&state, HintRow::ByMeaning(&of_description(true)));
        assert!(hinted.starts_with("Close to its catalog entry: the agent gets a hint."), "{hinted}");
        let passed = full(&state, HintRow::Scored(&of_description(false)));
        assert!(passed.ends_with(" Its catalog entry is the closest match."), "{passed}");
    }

    #[test]
    fn a_named_source_with_a_matching_tag() {
        let mut state = state("@payments-api java\njava, spring boot");
        let named = Expansion { id: "payments-api".into(), range: 1..13 };
        let text = "Named in the prompt (line 1): the agent gets it with the prompt.";
        assert_eq!(full(&state, HintRow::Named(&named)), format!("{text} Space picks it, x excludes it."));
        let ranges = vec![14..18, 19..23, 25..36];
        let tags = ["java", "spring-boot"].map(str::to_owned).to_vec();
        let tagged =
            SkippedSource { id: named.id.clone(), tags: tags.clone(), ranges: ranges.clone(), why: WhyNot::Named };
        state.hints.findings.passed.push(tagged);
        let besides = "No separate hint for java (lines 1, 2), spring-boot (line 2).";
        assert_eq!(full(&state, HintRow::Named(&named)), format!("{text} {besides} Space picks it, x excludes it."));
        for (id, after) in [
            ("java-service", ": the agent gets a hint. Space picks it, x excludes it."),
            ("circuit-breaker", "; picked now, so there is no hint any more. Space unpicks it."),
        ] {
            let hint =
                Hint { id: id.into(), tags: tags.clone(), firsts: vec![0], ranges: ranges.clone(), is_in_code: false };
            let expected = format!("Matched java (lines 1, 2), spring-boot (line 2){after}");
            assert_eq!(full(&state, HintRow::Hinted(&hint)), expected);
        }
        let full_of_it = vec!["java".to_owned()];
        let many = self::state(&"java\n".repeat(9));
        let hint = Hint {
            id: "java-service".into(),
            tags: full_of_it,
            firsts: vec![0],
            ranges: (0..9).map(|at| at * 5..at * 5 + 4).collect(),
            is_in_code: false,
        };
        assert!(full(&many, HintRow::Hinted(&hint)).starts_with("Matched java (lines 1, 2, 3, 4, 5 and more):"));
    }
}
