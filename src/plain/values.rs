//! The values of a template, asked for one by one. They are kept for the next time.

use refdesk_templates::Template;

use super::prompts::END;
use super::state::{InputOutcome, PlainState, Question};
use super::templates::{by_name, template};
use super::words::{counted, sentence};
use crate::common::values::{self, FormRow, RowValue, TypedValue, TypedValues, ValuePath};

/// The maximum number of items that can be added to a list at a time.
const MAX_ITEMS: usize = 200;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedValue {
    template: String,
    /// Its path. The template, and with it the form, may change before the value is typed.
    way: ValuePath,
}

/// Asks for the values of a template; `{…}` replaces all of them with the values of a JSON object.
pub fn ask(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    if given.starts_with('{') {
        return paste(state, given, turn);
    }
    let Some(template) = turn.ok_or_print(template(state, given)) else { return };
    if template.variables.is_empty() {
        return turn.print(format!("{} has no variables.", template.name));
    }
    turn.print(format!(
        "{}: an empty line keeps a value, and a line with only a dot ends the questions.",
        template.name
    ));
    next(state, &template, 0, turn);
}

fn paste(state: &mut PlainState, json: &str, turn: &mut InputOutcome) {
    let Some(template) = turn.ok_or_print(template(state, "")) else { return };
    match values::read(json) {
        Ok(document) => {
            let typed = TypedValues::pasted(&template.variables, &document);
            turn.print(format!("{} typed for {}.", counted(typed.len(), "value"), template.name));
            let rows = values::rows(&template.variables, &typed);
            let unused = rows.iter().filter(|row| matches!(row.holds, RowValue::Unused(_)));
            unused.for_each(|row| turn.print(format!("The template does not use {}.", values::place(&row.way))));
            state.saved.values.insert(template.name, typed);
        }
        Err(broken) => turn.print(format!("This is not valid JSON, {}. Nothing changed.", broken.message)),
    }
}

pub fn reset(state: &mut PlainState, given: &str, turn: &mut InputOutcome) {
    if let Some(template) = turn.ok_or_print(template(state, given)) {
        state.saved.values.remove(&template.name);
        turn.print(format!("{} has its sample values again.", template.name));
    }
}

fn form(state: &PlainState, template: &Template) -> Vec<FormRow> {
    let nothing = TypedValues::default();
    values::rows(&template.variables, state.saved.values.get(&template.name).unwrap_or(&nothing))
}

/// Asks for the first value, starting at this row.
fn next(state: &mut PlainState, template: &Template, from: usize, turn: &mut InputOutcome) {
    let form = form(state, template);
    let asked = form.iter().skip(from).find(|row| row.is_leaf() || matches!(row.holds, RowValue::Items(_)));
    let Some(row) = asked else {
        turn.print("That was the last value. Type preview to read the result, or write.");
        return;
    };
    let name = values::place(&row.way);
    let optional = if row.optional { ", optional" } else { "" };
    let kept = if row.is_sample() { "a sample:" } else { "now" };
    turn.print(match &row.holds {
        RowValue::Flag(flag) => {
            format!("{name}{optional}: {kept} {}. Type yes or no.", if *flag { "yes" } else { "no" })
        }
        RowValue::Items(items) => {
            let now = items.map_or_else(|| "a sample item".to_owned(), |items| counted(items, "item"));
            format!("{name}{optional}: a list with {now}. Type how many items it has.")
        }
        RowValue::Text(text) if text.is_empty() => format!("{name}{optional}: left out. Type a value."),
        RowValue::Text(text) => format!("{name}{optional}: {kept} {text}. Type a value."),
        _ => format!("{name}{optional}: what was typed does not fit. Type a value."),
    });
    state.question = Some(Question::Value(AskedValue { template: template.name.clone(), way: row.way.clone() }));
}

/// Takes a value, and asks for the next one.
pub fn typed(state: &mut PlainState, asked: AskedValue, line: &str, turn: &mut InputOutcome) {
    if line.trim() == END {
        return turn.print("Type preview to read the result, or write.");
    }
    let Some(template) = turn.ok_or_print(by_name(state, &asked.template)) else { return };
    let mut form = form(state, &template).into_iter().enumerate();
    let Some((at, row)) = form.find(|(_, row)| row.way == asked.way) else {
        let gone = values::place(&asked.way);
        return turn.print(format!("{} has changed, and no longer asks for {gone}. Nothing was kept.", template.name));
    };
    if line.is_empty() {
        return next(state, &template, at + 1, turn);
    }
    let typed = state.saved.values.entry(template.name.clone()).or_default();
    let refused = match (&row.holds, line.trim().to_lowercase().as_str()) {
        (RowValue::Flag(_), "yes" | "y" | "true") => {
            typed.set(row.way, TypedValue::Flag(true));
            None
        }
        (RowValue::Flag(_), "no" | "n" | "false") => {
            typed.set(row.way, TypedValue::Flag(false));
            None
        }
        (RowValue::Flag(_), _) => Some("Please type yes or no.".to_owned()),
        (RowValue::Items(_), count) => match count.parse::<usize>() {
            Ok(count) if count <= MAX_ITEMS => {
                while typed.shown_items(&row.way) < count {
                    let at = typed.shown_items(&row.way);
                    typed.add_item(&row.way, at);
                }
                while typed.shown_items(&row.way) > count {
                    let last = typed.shown_items(&row.way) - 1;
                    typed.remove_item(&row.way, last);
                }
                None
            }
            _ => Some(format!("Please type a number up to {MAX_ITEMS}.")),
        },
        _ => match values::json(line) {
            Some(Err(broken)) => Some(format!("This is not valid JSON: {}", sentence(&broken.to_string()))),
            _ => {
                typed.set(row.way, TypedValue::Text(line.to_owned()));
                None
            }
        },
    };
    match refused {
        Some(why) => {
            turn.print(format!("{why} A line with only a dot ends the questions."));
            state.question = Some(Question::Value(asked));
        }
        None => next(state, &template, at + 1, turn),
    }
}
