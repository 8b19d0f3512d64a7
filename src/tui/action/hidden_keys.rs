//! Detects keys in the user's file that hide a key of another context, or are hidden by one. The nearest context wins.

use crate::tui::action::keymap::{Keymap, places};
use crate::tui::action::keymap_file::{KeymapEntry, WrittenKeys, separate};
use crate::tui::action::{ActionBinding, KeyContext};
use crate::tui::key::KeySequence;
use refdesk_text::Code;
use refdesk_text::report::Diagnostic;

/// The problems, each with its byte offset in the text.
pub fn problems(keymap: &Keymap, entries: &[KeymapEntry]) -> Vec<(usize, Diagnostic)> {
    let usual = Keymap::default();
    let mut problems = Vec::new();
    for entry in entries {
        for written in &entry.keys {
            let add = |(message, other): (String, &ActionBinding)| {
                let fix = separate(&entry.binding.word(), &other.word());
                (written.at, Diagnostic::warning(Code::KeyConflict, message).fix(fix))
            };
            problems.extend(by_chord(keymap, entry, written).map(|it| (written.at, it)));
            problems.extend(hidden_actions([keymap, &usual], entries, entry, written).map(add));
            problems.extend(hiding_actions([keymap, &usual], entries, entry, written).into_iter().map(add));
        }
    }
    problems
}

/// Reports in one problem both what a chord hides and where it cannot be pressed, because changing one key fixes both.
fn by_chord(keymap: &Keymap, entry: &KeymapEntry, written: &WrittenKeys) -> Option<Diagnostic> {
    let chord = &written.keys;
    let (mut hidden, mut barred, mut others) = (Vec::new(), Vec::new(), Vec::new());
    for (binding, context) in places().filter(|_| chord.is_chord()) {
        let is_prefix = |keys: &&KeySequence| *keys != chord && chord.keys().starts_with(keys.keys());
        let Some(short) = keymap.keys(binding, context).iter().find(is_prefix) else { continue };
        let word = binding.word();
        if entry.context.fallbacks().contains(&context) {
            hidden.push(format!("'{short}' ('{word}')"));
        } else if context.fallbacks().contains(&entry.context) {
            barred.push(format!("in [{}], where '{short}' is '{word}'", context.word()));
        } else {
            continue;
        }
        if !others.contains(&word) {
            others.push(word);
        }
    }
    let hides = format!("hides {} in [{}]", hidden.join(" and "), entry.context.word());
    let cannot = format!("cannot be pressed {}", barred.join(", nor "));
    let what = match (hidden.is_empty(), barred.is_empty()) {
        (true, true) => return None,
        (false, true) => hides,
        (true, false) => cannot,
        (false, false) => format!("{hides}, and {cannot}"),
    };
    let word = entry.binding.word();
    let fix = match others.as_slice() {
        [other] => separate(&word, other),
        _ => format!("give '{word}' another key"),
    };
    Some(Diagnostic::warning(Code::KeyConflict, format!("'{chord}' {what}")).fix(fix))
}

/// The actions of outer contexts that this key leaves without a reachable key.
fn hidden_actions<'a>(
    [keymap, usual]: [&'a Keymap; 2],
    entries: &'a [KeymapEntry],
    entry: &'a KeymapEntry,
    WrittenKeys { keys, .. }: &'a WrittenKeys,
) -> impl Iterator<Item = (String, &'static ActionBinding)> + 'a {
    let hidden_places = places().filter(|(_, context)| entry.context.fallbacks().contains(context));
    let hidden = hidden_places.filter(move |(binding, context)| {
        keymap.keys(binding, *context).contains(keys)
            && binding.action != entry.binding.action
            && !is_shared_default(keys, entry.binding, binding)
            // Bindings that the user wrote are reported separately.
            && !is_written(entries, binding, *context)
            && has_lost_its_keys([keymap, usual], binding, entry.context)
    });
    hidden.map(move |(binding, _)| {
        let (taker, here) = (entry.binding.word(), entry.context.word());
        (format!("'{keys}' is '{taker}' in [{here}]; '{}' cannot be reached there", binding.word()), binding)
    })
}

/// The inner contexts in which this key does something else, grouped by action.
fn hiding_actions(
    [keymap, usual]: [&Keymap; 2],
    entries: &[KeymapEntry],
    entry: &KeymapEntry,
    WrittenKeys { keys, .. }: &WrittenKeys,
) -> Vec<(String, &'static ActionBinding)> {
    let mut found: Vec<(&ActionBinding, bool, Vec<String>)> = Vec::new();
    for (binding, context) in places().filter(|(_, context)| context.fallbacks().contains(&entry.context)) {
        let is_other = binding.action != entry.binding.action && !is_shared_default(keys, entry.binding, binding);
        if !is_other || !keymap.keys(binding, context).contains(keys) {
            continue;
        }
        let has_lost_its_keys = has_lost_its_keys([keymap, usual], entry.binding, context);
        let is_wanted = is_written(entries, binding, context) || !can_be_reached(keymap, entry.binding, context);
        if !has_lost_its_keys && is_wanted {
            continue;
        }
        let here = format!("[{}]", context.word());
        match found.iter_mut().find(|(by, lost, _)| by.name == binding.name && *lost == has_lost_its_keys) {
            Some((_, _, contexts)) => contexts.push(here),
            None => found.push((binding, has_lost_its_keys, vec![here])),
        }
    }
    let described = |(binding, has_lost_its_keys, contexts): (&'static ActionBinding, bool, Vec<String>)| {
        let (word, taker, contexts) = (entry.binding.word(), binding.word(), contexts.join(", "));
        let message = match has_lost_its_keys {
            true => format!("'{keys}' is '{taker}' in {contexts}; '{word}' cannot be reached there"),
            false => format!("'{keys}' is '{taker}' in {contexts}, so it is not '{word}' there"),
        };
        (message, binding)
    };
    found.into_iter().map(described).collect()
}

/// Whether both actions share this key by default.
fn is_shared_default(keys: &KeySequence, one: &ActionBinding, other: &ActionBinding) -> bool {
    [one, other].into_iter().all(|binding| binding.default_keys().any(|key| key == *keys))
}

fn is_written(entries: &[KeymapEntry], binding: &ActionBinding, context: KeyContext) -> bool {
    entries.iter().any(|entry| entry.binding.name == binding.name && entry.context == context)
}

/// Whether the action has no key left in this context, although it has one by default.
fn has_lost_its_keys([keymap, usual]: [&Keymap; 2], binding: &ActionBinding, context: KeyContext) -> bool {
    !can_be_reached(keymap, binding, context) && can_be_reached(usual, binding, context)
}

/// Whether any key reaches this action in this context.
fn can_be_reached(keymap: &Keymap, binding: &ActionBinding, context: KeyContext) -> bool {
    let contexts: Vec<KeyContext> = std::iter::once(context).chain(context.fallbacks().iter().copied()).collect();
    keymap.key_to(binding.action, &contexts).is_some()
}
