//! What writing the ticked proposals would change, file by file. What is written is exactly what is shown.

use std::borrow::Cow;

use crate::tui::action::Action;
use crate::tui::input::Effect;
use crate::tui::state::State;
use crate::tui::theme::ThemeRole;
use crate::tui::widgets::cells;
use crate::tui::widgets::page::{PageLine, WrappedText};
use crate::tui::windows::{Handled, TextPage, Window, WindowKind, text_columns, wide};
use refdesk_desk::engine::Request;

pub struct CatalogDifference;

impl Window for CatalogDifference {
    fn page<'s>(&self, state: &'s State) -> Option<TextPage<'s>> {
        let columns = wide(state.layout().body, 130);
        let note = match &state.draft.proposed {
            Some(Ok(proposals)) => cells::counted(proposals.len(), "file"),
            _ => String::new(),
        };
        let text = Cow::Owned(text(state, columns));
        // The bottom line shows its keys, including those that scroll.
        let page = TextPage::new("Write the catalog", ThemeRole::Catalog, columns, text);
        Some(TextPage { note, has_keys: false, ..page })
    }

    fn disabled(&self, state: &State) -> Option<String> {
        match &state.draft.proposed {
            _ if state.draft.is_asked => Some("it is being written".to_owned()),
            None => Some("the difference is still being computed".to_owned()),
            Some(Err(why)) => Some(why.clone()),
            Some(Ok(proposals)) => proposals.is_empty().then(|| "there is nothing to write".to_owned()),
        }
    }

    fn update(&self, state: &mut State, action: Action, effects: &mut Vec<Effect>) -> Handled {
        match (action, &state.draft.proposed) {
            (Action::Confirm, Some(Ok(proposals))) => {
                let (proposals, change) = (proposals.clone(), Box::new(state.draft.change.clone()));
                effects.push(Effect::Ask(Request::WriteCatalog { proposals, change }));
                state.draft.is_asked = true;
            }
            (Action::Back, _) => state.open(WindowKind::Discovery),
            _ => return Handled::Ignored,
        }
        Handled::Consumed
    }
}

fn text(state: &State, columns: u16) -> WrappedText {
    let mut lines = Vec::new();
    match &state.draft.proposed {
        None => lines.push(PageLine::new("Computing the difference.", ThemeRole::Infra)),
        Some(Err(why)) => lines.push(PageLine::new(cells::clean(why), ThemeRole::Error)),
        Some(Ok(proposals)) => {
            for line in proposals.iter().flat_map(|proposal| &proposal.diff.lines) {
                let text = format!("{}{}", line.mark.sign(), line.shown());
                lines.push(PageLine::new(cells::clean(&text).into_owned(), line.mark.into()).hanging(2));
            }
        }
    }
    WrappedText::new(lines, text_columns(columns))
}
