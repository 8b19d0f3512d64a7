//! The actions that can be run from the jump window: all except those of text fields; disabled ones show the reason.

use crate::tui::action::{ACTIONS, Action, ActionBinding, KeyContext};
use crate::tui::availability;
use crate::tui::disabled::disabled;
use crate::tui::input::below;
use crate::tui::state::State;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Availability {
    Possible,
    Disabled,
    Elsewhere,
}

/// Moves by one row are not worth listing by name.
pub fn is_move(binding: &ActionBinding) -> bool {
    matches!(binding.action, Action::Move(_))
}

/// The actions, with the reason if they are disabled here and now.
pub fn listed(state: &State) -> Vec<(&'static ActionBinding, Availability, Option<String>)> {
    let here = below(state);
    let listed = ACTIONS.iter().filter(|binding| is_listed(binding, &here));
    let with_availability = |binding: &'static ActionBinding| {
        if !counts(binding, &here) {
            return (binding, Availability::Elsewhere, Some(format!("available {}", availability::of(state, binding))));
        }
        let why_not = disabled(state, binding.action);
        (binding, if why_not.is_some() { Availability::Disabled } else { Availability::Possible }, why_not)
    };
    listed.map(with_availability).collect()
}

fn counts(binding: &ActionBinding, here: &[KeyContext]) -> bool {
    binding.contexts.iter().any(|context| here.contains(context))
}

/// If an action has several bindings, the one for this context is listed, otherwise the first.
fn is_listed(binding: &ActionBinding, here: &[KeyContext]) -> bool {
    let outside = |binding: &ActionBinding| {
        let inside = |context: &KeyContext| {
            use KeyContext::{Approval, Help, Problems, Profiles, Question, Reading, Switch, Themes, Trust, Window};
            context.is_typed()
                || matches!(
                    context,
                    Approval | Help | Problems | Profiles | Question | Reading | Switch | Themes | Trust | Window
                )
        };
        !binding.contexts.iter().all(inside)
    };
    let mut same = ACTIONS.iter().filter(|other| other.action == binding.action && outside(other));
    let first = same.clone().next();
    let listed = same.find(|other| counts(other, here)).or(first);
    binding.action != Action::Palette && listed.is_some_and(|listed| listed.name == binding.name)
}

#[cfg(test)]
mod tests {
    use crate::tui::fixture;
    use crate::tui::tests::press;

    use super::*;
    use crate::tui::windows::jump::rows::JumpTarget;

    fn names(state: &State) -> Vec<&str> {
        state.jump.rows().iter().map(|row| row.name.as_str()).collect()
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
        let rows = state.jump.rows();
        let possible = rows.iter().take_while(|row| row.why_not.is_none()).count();
        assert!(possible > 10);
        assert!(rows[possible..].iter().all(|row| row.why_not.is_some()), "the rest cannot be done");
        let why = |name: &str| rows.iter().find(|row| row.name == name).and_then(|row| row.why_not.clone());
        assert_eq!(why("values").as_deref(), Some("available in the templates (4)"));
        assert!(why("keep").is_some());
        assert_eq!(why("zoom").unwrap(), "this pane already fills the screen");
    }

    #[test]
    fn every_action_outside_text_fields_is_listed_once() {
        let mut state = fixture::state(80, 24);
        press(&mut state, "3 :");
        let rows = state.jump.rows();
        for binding in ACTIONS {
            let typed = binding.contexts.iter().all(|context| context.is_typed());
            let inside = |context: &KeyContext| {
                use KeyContext::{
                    Approval, Help, Problems, Profiles, Question, Reading, Switch, Themes, Trust, Window,
                };
                matches!(
                    context,
                    Approval | Help | Problems | Profiles | Question | Reading | Switch | Themes | Trust | Window
                )
            };
            let window = binding.contexts.iter().all(inside);
            let listed = rows
                .iter()
                .filter(|row| matches!(row.to, JumpTarget::Action(other) if other.action == binding.action))
                .count();
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
        let row = state.jump.rows().first().unwrap();
        assert_eq!((row.name.as_str(), row.found.name.as_slice()), ("zoom", &[0, 3][..]));
        // Positions are counted in characters, which are bytes in this table.
        assert!(ACTIONS.iter().all(|binding| binding.name.is_ascii() && binding.description.is_ascii()));
    }
}
