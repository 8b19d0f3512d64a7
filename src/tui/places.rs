//! The history of places: a place is recorded before switching panes, following a link or jumping, so that
//! the user can go back and forward.

use crate::tui::action::Action;
use crate::tui::catalog::filtered_rows;
use crate::tui::catalog::link_walk::LinkFocus;
use crate::tui::catalog::places::ReadingStop;
use crate::tui::catalog::reading::{self, ReadingGoal};
use crate::tui::feed;
use crate::tui::input::Effect;
use crate::tui::pane::Pane;
use crate::tui::selection;
use crate::tui::state::{PanePart, State};
use crate::tui::templates;
use crate::tui::views::ViewPlace;
use refdesk_core::catalog::SourceId;

/// The maximum length of the history.
const MAX: usize = 100;

/// A place that had the focus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pane: Pane,
    part: PanePart,
    /// The source or template under the cursor.
    subject: Option<String>,
    /// The catalog's filter, if the catalog was shown.
    filter: Option<String>,
    /// The document that was open, and the position in it.
    read: Option<ReadingStop>,
    /// The link that was focused there.
    link: Option<LinkFocus>,
    /// The place in the view that replaced the panes, if any.
    view: Option<ViewPlace>,
}

/// The places to go back to, and the places to go forward to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PlaceHistory {
    back: Vec<Place>,
    forward: Vec<Place>,
}

impl PlaceHistory {
    /// Records this place before leaving it.
    fn leave(&mut self, here: Place) {
        self.forward.clear();
        if self.back.last() == Some(&here) {
            return;
        }
        if self.back.len() >= MAX {
            self.back.remove(0);
        }
        self.back.push(here);
    }

    /// The most recent place other than the current one.
    fn back(&mut self, here: Place) -> Option<Place> {
        let there = last_other(&mut self.back, &here)?;
        self.forward.push(here);
        Some(there)
    }

    /// The place that was left by going back.
    fn forward(&mut self, here: Place) -> Option<Place> {
        let there = last_other(&mut self.forward, &here)?;
        self.back.push(here);
        Some(there)
    }
}

fn last_other(places: &mut Vec<Place>, here: &Place) -> Option<Place> {
    std::iter::from_fn(|| places.pop()).find(|place| place != here)
}

pub fn here(state: &State) -> Place {
    let subject = match state.focus {
        Pane::Templates => state.template().map(|template| template.name.clone()),
        Pane::Selection => state.selected().map(str::to_owned),
        Pane::Catalog => state.subject(Pane::Catalog).map(str::to_owned),
        Pane::Hints => None,
    };
    let read = if state.reads() { state.catalog.reading.here() } else { None };
    let view = ViewPlace::here(state);
    let filter = (state.focus == Pane::Catalog).then(|| state.catalog.filter.text().to_owned());
    let link = state.catalog.reading.link.filter(|_| state.reads());
    Place { pane: state.focus, part: state.part, subject, filter, read, link, view }
}

pub fn leave(state: &mut State) {
    let here = here(state);
    state.places.leave(here);
}

/// Goes back to the previous place, or forward again.
pub fn go(state: &mut State, action: Action, effects: &mut Vec<Effect>) {
    let (here, places) = (here(state), &mut state.places);
    let there = if action == Action::GoBack { places.back(here) } else { places.forward(here) };
    if let Some(there) = there {
        go_to(state, there, effects);
    }
}

/// Goes to this place without recording the current one.
pub fn go_to(state: &mut State, place: Place, effects: &mut Vec<Effect>) {
    let places = std::mem::take(&mut state.places);
    restore(state, place, effects);
    state.places = places;
}

pub fn restore(state: &mut State, place: Place, effects: &mut Vec<Effect>) {
    if let Some(view) = place.view {
        return view.open(state);
    }
    state.focus_on(place.pane);
    if let Some(filter) = place.filter.filter(|filter| filter != state.catalog.filter.text()) {
        filtered_rows::by(state, &filter);
    }
    if let Some((document, at)) = place.read {
        reading::go_to(state, &document, Some(ReadingGoal::Place(at)), effects);
        state.catalog.reading.link = place.link;
        return;
    }
    if let Some(subject) = place.subject {
        match place.pane {
            Pane::Catalog => feed::update::to_source(state, &SourceId::from(subject)),
            Pane::Templates => templates::filtered_templates::to_template(state, &subject),
            Pane::Selection => selection::update::to_row(state, &subject),
            Pane::Hints => {}
        }
    }
    state.part = place.part;
}

pub fn disabled(state: &State, action: Action) -> Option<String> {
    let here = here(state);
    let PlaceHistory { back, forward } = &state.places;
    let has_other = |places: &[Place]| places.iter().any(|place| *place != here);
    match action {
        Action::GoBack if !has_other(back) => Some("there is no place to go back to".to_owned()),
        Action::GoForward if !has_other(forward) => Some("there is no place to go forward to".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(subject: &str) -> Place {
        Place {
            pane: Pane::Catalog,
            part: PanePart::List,
            subject: Some(subject.to_owned()),
            filter: None,
            read: None,
            link: None,
            view: None,
        }
    }

    #[test]
    fn back_and_forward() {
        let mut places = PlaceHistory::default();
        assert_eq!(places.back(at("a")), None);
        places.leave(at("a"));
        places.leave(at("a"));
        places.leave(at("b"));
        assert_eq!(places.back(at("c")), Some(at("b")));
        assert_eq!(places.back(at("b")), Some(at("a")));
        assert_eq!(places.back(at("a")), None);
        assert_eq!(places.forward(at("a")), Some(at("b")));
        places.leave(at("b"));
        assert_eq!(places.forward, []);
        assert_eq!(places.back(at("b")), Some(at("a")), "the current place is not one to go to");
        (0..2 * MAX).for_each(|nth| places.leave(at(&nth.to_string())));
        assert_eq!(places.back.len(), MAX);
    }
}
