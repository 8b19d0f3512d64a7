//! The rows of the palette: every action outside text fields, found by name and description; possible ones first, the
//! rest with why they are disabled.

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};

use crate::tui::action::{ACTIONS, Action, ActionBinding, KeyContext};
use crate::tui::disabled::disabled;
use crate::tui::input::below;
use crate::tui::state::State;

#[derive(Debug)]
pub struct PaletteRow {
    pub binding: &'static ActionBinding,
    /// Why it cannot be done here and now.
    pub why_not: Option<String>,
    /// Matched characters of the name, by index.
    pub in_name: Vec<u32>,
    /// Matched characters of the description.
    pub in_description: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Availability {
    Possible,
    Disabled,
    Elsewhere,
}

/// The matching actions: by name before by description, then possible ones first.
pub fn rows(state: &State) -> Vec<PaletteRow> {
    let here = below(state);
    let mut search = PaletteMatcher::new(state.palette.text());
    let mut found = Vec::new();
    for binding in ACTIONS.iter().filter(|binding| is_listed(binding, &here)) {
        let Some(hit) = search.hit(binding) else { continue };
        let (at, why_not) = if counts(binding, &here) {
            let why_not = disabled(state, binding.action);
            (if why_not.is_some() { Availability::Disabled } else { Availability::Possible }, why_not)
        } else {
            (Availability::Elsewhere, Some(format!("available in {}", binding.places())))
        };
        // Moving by one row needs no palette.
        let is_move = matches!(binding.action, Action::Move(_));
        let order = (hit.outside_name, at, is_move, std::cmp::Reverse(hit.score));
        found.push((order, PaletteRow { binding, why_not, in_name: hit.in_name, in_description: hit.in_description }));
    }
    // A stable sort: if nothing was typed, the order is the table's.
    found.sort_by_key(|(order, _)| *order);
    found.into_iter().map(|(_, row)| row).collect()
}

/// The most rows there can be.
pub fn most(state: &State) -> usize {
    let here = below(state);
    ACTIONS.iter().filter(|binding| is_listed(binding, &here)).count()
}

fn counts(binding: &ActionBinding, here: &[KeyContext]) -> bool {
    binding.contexts.iter().any(|context| here.contains(context))
}

/// If an action has several bindings, the one for this context is listed, else the first.
fn is_listed(binding: &ActionBinding, here: &[KeyContext]) -> bool {
    let outside = |binding: &ActionBinding| {
        let inside = |context: &KeyContext| {
            use KeyContext::{
                Approval, Help, Problems, Profiles, Question, SectionList, Switch, Themes, Trust, Window,
            };
            context.is_typed()
                || matches!(
                    context,
                    Approval | Help | Problems | Profiles | Question | SectionList | Switch | Themes | Trust | Window
                )
        };
        !binding.contexts.iter().all(inside)
    };
    let mut same = ACTIONS.iter().filter(|other| other.action == binding.action && outside(other));
    let first = same.clone().next();
    let listed = same.find(|other| counts(other, here)).or(first);
    binding.action != Action::Palette && listed.is_some_and(|listed| listed.name == binding.name)
}

struct PaletteMatch {
    /// Words that only the description has.
    outside_name: usize,
    score: u32,
    in_name: Vec<u32>,
    in_description: Vec<u32>,
}

/// Matches words: fuzzily in a name, exactly in a description, which has nearly all letters.
struct PaletteMatcher {
    matcher: Matcher,
    words: Vec<(Atom, Atom)>,
}

impl PaletteMatcher {
    fn new(typed: &str) -> Self {
        let atom = |word, kind| Atom::new(word, CaseMatching::Ignore, Normalization::Smart, kind, false);
        let words = typed.split_whitespace().map(|word| (atom(word, AtomKind::Fuzzy), atom(word, AtomKind::Substring)));
        Self { matcher: Matcher::new(Config::DEFAULT), words: words.collect() }
    }

    /// The positions of every word; `None` if one does not occur.
    fn hit(&mut self, binding: &ActionBinding) -> Option<PaletteMatch> {
        let mut hit = PaletteMatch { outside_name: 0, score: 0, in_name: Vec::new(), in_description: Vec::new() };
        let mut buffer = Vec::new();
        for (letters, whole) in &self.words {
            let name = Utf32Str::new(binding.name, &mut buffer);
            if let Some(score) = letters.indices(name, &mut self.matcher, &mut hit.in_name) {
                hit.score += u32::from(score);
                continue;
            }
            let description = Utf32Str::new(binding.description, &mut buffer);
            hit.score += u32::from(whole.indices(description, &mut self.matcher, &mut hit.in_description)?);
            hit.outside_name += 1;
        }
        Some(hit)
    }
}

#[cfg(test)]
mod tests {
    use crate::tui::fixture;
    use crate::tui::tests::press;

    use super::*;

    fn names(state: &State) -> Vec<&'static str> {
        rows(state).iter().map(|row| row.binding.name).collect()
    }

    #[test]
    fn found_actions() {
        for (keys, first) in [
            (": \"exclu\"", "exclude"),
            (": \"EXCLUDE\"", "exclude"),
            (": \"xclde\"", "exclude"),
            (": \"fix\"", "problems"),
            (": \"approval\"", "requests"),
            (": \"mouse\"", "mouse"),
            (": \"border up\"", "border up"),
            (": \"up border\"", "border up"),
            (": \"open\"", "open"),
            ("3 : \"open\"", "open hint"),
            (": \"clipboard\"", "copy id"),
            ("4 : \"clipboard\"", "copy name"),
            ("C-p \"reload\"", "reload"),
            ("C-p \"read\"", "read"),
        ] {
            let mut state = fixture::state(80, 24);
            press(&mut state, keys);
            assert_eq!(names(&state).first(), Some(&first), "{keys}: {:?}", names(&state));
        }
        let mut state = fixture::state(80, 24);
        press(&mut state, ": \"qqq\"");
        assert_eq!(names(&state), [""; 0]);
    }

    #[test]
    fn enabled_actions_come_first_and_the_rest_says_why() {
        let mut state = fixture::state(80, 24);
        press(&mut state, "2 :");
        let rows = rows(&state);
        let possible = rows.iter().take_while(|row| row.why_not.is_none()).count();
        assert!(possible > 10);
        assert!(rows[possible..].iter().all(|row| row.why_not.is_some()), "the rest cannot be done");
        let why = |name: &str| rows.iter().find(|row| row.binding.name == name).and_then(|row| row.why_not.clone());
        assert_eq!(why("values").as_deref(), Some("available in templates"));
        assert!(why("keep").is_some());
        assert_eq!(why("zoom").unwrap(), "this pane fills the screen already");
    }

    #[test]
    fn every_action_outside_text_fields_is_listed_once() {
        let mut state = fixture::state(80, 24);
        press(&mut state, "3 :");
        let rows = rows(&state);
        assert_eq!(rows.len(), most(&state));
        for binding in ACTIONS {
            let typed = binding.contexts.iter().all(|context| context.is_typed());
            let inside = |context: &KeyContext| {
                use KeyContext::{
                    Approval, Help, Problems, Profiles, Question, SectionList, Switch, Themes, Trust, Window,
                };
                matches!(
                    context,
                    Approval | Help | Problems | Profiles | Question | SectionList | Switch | Themes | Trust | Window
                )
            };
            let window = binding.contexts.iter().all(inside);
            let listed = rows.iter().filter(|row| row.binding.action == binding.action).count();
            let elsewhere = ACTIONS.iter().any(|other| {
                other.action == binding.action
                    && !other.contexts.iter().all(|context| context.is_typed() || inside(context))
            });
            let expected = usize::from((elsewhere || !(typed || window)) && binding.action != Action::Palette);
            assert_eq!(listed, expected, "{}", binding.name);
        }
    }

    #[test]
    fn marks_are_at_the_matched_letters() {
        let mut state = fixture::state(80, 24);
        press(&mut state, ": \"zm\"");
        let row = rows(&state).into_iter().next().unwrap();
        assert_eq!((row.binding.name, row.in_name), ("zoom", vec![0, 3]));
        // Positions are counted in characters, which for the table are bytes.
        assert!(ACTIONS.iter().all(|binding| binding.name.is_ascii() && binding.description.is_ascii()));
    }
}
