//! Reads the user's keymap file: one table per context that maps an action to a key, a list of keys or an
//! empty list. An entry that cannot be used is reported with its place and has no effect on the others.

use std::collections::HashMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::tui::action::hidden_keys;
use crate::tui::action::keymap::{ActionInContext, Keymap, contexts, places};
use crate::tui::action::{ACTIONS, Action, ActionBinding, KeyContext};
use crate::tui::key::{Key, KeySequence};
use refdesk_text::Code;
use refdesk_text::names::first_of;
use refdesk_text::nearest::did_you_mean;
use refdesk_text::report::{Diagnostic, Position};

/// One entry of the file: an action, its context and its keys.
pub struct KeymapEntry {
    pub binding: &'static ActionBinding,
    pub context: KeyContext,
    pub keys: Vec<WrittenKeys>,
    /// The byte offset in the text.
    at: usize,
}

pub struct WrittenKeys {
    pub keys: KeySequence,
    pub at: usize,
}

/// Parses the keymap in this text, and returns its problems; `shown` is the file name used in them.
pub fn read(text: &str, shown: &str) -> (Keymap, Vec<Diagnostic>) {
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = KeymapReader { text, shown, problems: Vec::new() };
    let mut entries = match DeTable::parse(text) {
        Ok(document) => reader.entries(document.get_ref()),
        Err(error) => {
            let problem = Diagnostic::error(Code::NotToml, format!("not TOML: {}", error.message()));
            let fix = "write a line for each action below a context, as in: [catalog] and then pick = \"Space\"";
            reader.report(problem.fix(fix), error.span().map_or(0, |span| span.start));
            return (Keymap::default(), reader.problems);
        }
    };
    // The key that always quits is processed first, so that no other entry can take it.
    entries.sort_by_key(|entry| (!always_quits(entry.binding, entry.context), entry.at));
    reader.drop_collisions(&mut entries);
    let keymap = reader.applied(&entries);
    for (at, problem) in hidden_keys::problems(&keymap, &entries) {
        reader.report(problem, at);
    }
    reader.problems.sort_by_key(|problem| (problem.line, problem.column));
    (keymap, reader.problems)
}

/// Whether this is the binding that quits from anywhere.
fn always_quits(binding: &ActionBinding, context: KeyContext) -> bool {
    binding.action == Action::Quit && context == KeyContext::Always
}

/// The most actions named in a fix.
const MAX_LISTED: usize = 8;

struct KeymapReader<'a> {
    text: &'a str,
    shown: &'a str,
    problems: Vec<Diagnostic>,
}

impl KeymapReader<'_> {
    fn report(&mut self, problem: Diagnostic, at: usize) {
        self.problems.push(problem.in_file(self.shown).at(Position::of(self.text, at)));
    }

    fn entries(&mut self, document: &DeTable<'_>) -> Vec<KeymapEntry> {
        let mut entries = Vec::new();
        for (name, value) in document {
            let (word, at) = (name.get_ref().as_ref(), name.span().start);
            let context = contexts().into_iter().find(|context| context.word() == word);
            match (context, value.get_ref()) {
                _ if word == "$schema" => {}
                (Some(context), DeValue::Table(table)) => entries.extend(self.context(context, table)),
                (Some(context), _) => {
                    let problem = Diagnostic::error(Code::WrongType, format!("'{word}' is a context"));
                    self.report(problem.fix(format!("write [{}], and its actions below it", context.word())), at);
                }
                (None, _) => self.unknown_context(word, at),
            }
        }
        entries
    }

    fn unknown_context(&mut self, word: &str, at: usize) {
        if let Some((_, context)) = places().find(|(binding, _)| binding.word() == word) {
            let problem =
                Diagnostic::error(Code::UnknownKey, format!("'{word}' is an action, and has no context here"));
            return self.report(problem.fix(format!("write it below [{}]", context.word())), at);
        }
        let contexts: Vec<&str> = contexts().into_iter().map(KeyContext::word).collect();
        let nearest = did_you_mean(word, contexts.iter().copied());
        let fix = nearest.unwrap_or_else(|| format!("contexts are {}", contexts.join(", ")));
        let problem = Diagnostic::warning(Code::UnknownKey, format!("there is no context '{word}'"));
        self.report(problem.fix(fix), at);
    }

    fn context(&mut self, context: KeyContext, table: &DeTable<'_>) -> Vec<KeymapEntry> {
        let mut entries = Vec::new();
        for (name, value) in table {
            let (word, at) = (name.get_ref().as_ref(), name.span().start);
            let mut here = ACTIONS.iter().filter(|binding| binding.contexts.contains(&context));
            let Some(binding) = here.find(|binding| binding.word() == word) else {
                self.unknown_action(context, word, at);
                continue;
            };
            if let Some(keys) = self.keys(binding, context, value) {
                entries.push(KeymapEntry { binding, context, keys, at });
            }
        }
        entries
    }

    fn unknown_action(&mut self, context: KeyContext, word: &str, at: usize) {
        let elsewhere: Vec<String> = places()
            .filter(|(binding, _)| binding.word() == word)
            .map(|(_, context)| format!("[{}]", context.word()))
            .collect();
        let here: Vec<String> =
            ACTIONS.iter().filter(|it| it.contexts.contains(&context)).map(ActionBinding::word).collect();
        let fix = if elsewhere.is_empty() {
            let nearest = did_you_mean(word, here.iter().map(String::as_str));
            let lists = if here.len() > MAX_LISTED { ": `refdesk config` lists them" } else { "" };
            nearest.unwrap_or_else(|| format!("actions here are {}{lists}", first_of(&here, MAX_LISTED)))
        } else {
            format!("it is one of {}", elsewhere.join(", "))
        };
        let message = format!("there is no action '{word}' in [{}]", context.word());
        self.report(Diagnostic::warning(Code::UnknownKey, message).fix(fix), at);
    }

    /// The keys of an entry; `None` if none of them can be used.
    fn keys(
        &mut self,
        binding: &ActionBinding,
        context: KeyContext,
        value: &Spanned<DeValue<'_>>,
    ) -> Option<Vec<WrittenKeys>> {
        let written: Vec<&Spanned<DeValue<'_>>> = match value.get_ref() {
            DeValue::Array(list) => list.iter().collect(),
            _ => vec![value],
        };
        let keys: Vec<WrittenKeys> =
            written.iter().filter_map(|value| self.key(context, value.get_ref(), value.span())).collect();
        if written.is_empty() && always_quits(binding, context) {
            let message = format!("'{}' needs a key: otherwise there is no way to quit", binding.word());
            self.report(Diagnostic::error(Code::UnknownValue, message).fix("give it one"), value.span().start);
            return None;
        }
        (written.is_empty() || !keys.is_empty()).then_some(keys)
    }

    fn key(&mut self, context: KeyContext, value: &DeValue<'_>, span: Range<usize>) -> Option<WrittenKeys> {
        let DeValue::String(text) = value else {
            let problem = Diagnostic::error(Code::WrongType, "a key must be a string or a list of strings");
            self.report(problem.fix("put it in quotation marks, as in \"C-c\""), span.start);
            return None;
        };
        let keys: KeySequence = match text.parse() {
            Ok(keys) => keys,
            Err(invalid) => {
                let problem = Diagnostic::error(Code::UnknownValue, format!("'{text}' is not a key"));
                self.report(problem.fix(invalid.advice()), span.start);
                return None;
            }
        };
        let first = keys.keys().first().filter(|key| context.keeps_characters() && key.typed().is_some());
        if let Some(first) = first {
            let message = format!("'{first}' is typed in [{}], so it cannot be a key there", context.word());
            self.report(Diagnostic::error(Code::UnknownValue, message).fix("use one with C- or M-"), span.start);
            return None;
        }
        Some(WrittenKeys { keys, at: span.start })
    }

    /// Drops keys that conflict within a context; the first entry wins.
    fn drop_collisions(&mut self, entries: &mut Vec<KeymapEntry>) {
        let mut taken: Vec<(KeyContext, &'static ActionBinding, KeySequence)> = Vec::new();
        if !entries.iter().any(|entry| always_quits(entry.binding, entry.context)) {
            let quits = places().filter(|(binding, context)| always_quits(binding, *context));
            taken.extend(quits.flat_map(|(it, context)| it.default_keys().map(move |keys| (context, it, keys))));
        }
        entries.retain_mut(|entry| {
            let (context, binding, is_unbound) = (entry.context, entry.binding, entry.keys.is_empty());
            entry.keys.retain(|WrittenKeys { keys, at }| {
                let other = taken.iter().find(|(at, by, other)| {
                    *at == context && (by.name != binding.name || other != keys) && other.collides_with(keys)
                });
                let Some((_, by, other)) = other else {
                    taken.push((context, binding, keys.clone()));
                    return true;
                };
                let (word, here) = (binding.word(), context.word());
                let message = if other == keys {
                    format!("'{keys}' is already '{}' in [{here}]", by.word())
                } else if keys.keys().len() < other.keys().len() {
                    format!("'{keys}' alone cannot be '{word}' in [{here}], because '{other}' begins with it")
                } else {
                    format!("'{keys}' cannot be pressed in [{here}], because '{other}' is a key by itself")
                };
                self.problems.push(
                    Diagnostic::error(Code::KeyConflict, message)
                        .in_file(self.shown)
                        .at(Position::of(self.text, *at))
                        .fix(separate(&word, &by.word())),
                );
                false
            });
            is_unbound || !entry.keys.is_empty()
        });
    }

    /// Applies these entries to the defaults. A default key that an entry takes is removed from its old action.
    fn applied(&mut self, entries: &[KeymapEntry]) -> Keymap {
        let mut keys: HashMap<ActionInContext, Vec<KeySequence>> = HashMap::new();
        for (binding, context) in places() {
            if let Some(own) = entries.iter().find(|it| it.binding.name == binding.name && it.context == context) {
                let mut written: Vec<KeySequence> = own.keys.iter().map(|it| it.keys.clone()).collect();
                // Messages name the first key, so it must be one that terminals can send.
                written.sort_by_key(|keys| alias(keys).is_some());
                if let Some(problem) = aliased_keys(own) {
                    let free = binding.default_keys().filter(|key| entry_with_key(entries, context, key).is_none());
                    written.splice(0..0, free);
                    self.report(problem, own.at);
                }
                keys.insert((binding.name, context), written);
                continue;
            }
            let mut taken_by = None;
            let mut left: Vec<KeySequence> = binding.default_keys().collect();
            left.retain(|key| {
                let other = entry_with_key(entries, context, key);
                taken_by = taken_by.or(other);
                other.is_none()
            });
            // In a question, a reassigned key must not answer it: users know that it has no effect there.
            let is_answer = context == KeyContext::Question;
            if let Some((entry, written)) = taken_by.filter(|_| left.is_empty() || is_answer) {
                let (word, taker, here) = (binding.word(), entry.binding.word(), context.word());
                let (message, fix) = if left.is_empty() {
                    let message =
                        format!("'{}' is '{taker}' now, and '{word}' has no key left in [{here}]", written.keys);
                    (message, format!("give '{word}' another key, or none: {word} = []"))
                } else {
                    let message = format!("'{}' is '{taker}' now, and no longer '{word}' in [{here}]", written.keys);
                    (message, format!("give '{taker}' another key, or write the keys of '{word}' as well"))
                };
                self.report(Diagnostic::warning(Code::KeyConflict, message).fix(fix), written.at);
            }
            keys.insert((binding.name, context), left);
        }
        self.restore_closing_keys(entries, &mut keys);
        Keymap::new(keys)
    }

    /// Restores the default keys of a text field or window that no key would close.
    fn restore_closing_keys(&mut self, entries: &[KeymapEntry], keys: &mut HashMap<ActionInContext, Vec<KeySequence>>) {
        let leaves = |binding: &ActionBinding| matches!(binding.action, Action::Accept | Action::Back | Action::Cancel);
        let mut seen = Vec::new();
        for (_, context) in places().filter(|(binding, _)| leaves(binding)) {
            let is_pane = context.fallbacks().contains(&KeyContext::Global) || context == KeyContext::Global;
            if is_pane || seen.contains(&context) {
                continue;
            }
            seen.push(context);
            let ways = || ACTIONS.iter().filter(|it| it.contexts.contains(&context) && leaves(it));
            if ways().any(|it| keys.get(&(it.name, context)).is_some_and(|keys| !keys.is_empty())) {
                continue;
            }
            let at = entries.iter().find(|it| it.context == context).map_or(0, |it| it.at);
            let message = format!("no key closes [{}], so it keeps its default keys", context.word());
            let names: Vec<String> = ways().map(|it| format!("'{}'", it.word())).collect();
            let fix = format!("give {} a key", names.join(" or "));
            self.report(Diagnostic::error(Code::KeyConflict, message).fix(fix), at);
            let rows = ACTIONS.iter().filter(|it| it.contexts.contains(&context));
            rows.for_each(|it| drop(keys.insert((it.name, context), it.default_keys().collect())));
        }
    }
}

fn entry_with_key<'e>(
    entries: &'e [KeymapEntry],
    context: KeyContext,
    key: &KeySequence,
) -> Option<(&'e KeymapEntry, &'e WrittenKeys)> {
    let here = entries.iter().filter(|it| it.context == context);
    here.flat_map(|it| it.keys.iter().map(move |keys| (it, keys))).find(|(_, written)| written.keys.collides_with(key))
}

/// The first of these keys that most terminals send as a different key, and that key.
fn alias(keys: &KeySequence) -> Option<(Key, Key)> {
    keys.keys().iter().find_map(|key| Some((*key, key.alias()?)))
}

/// The problem of an entry whose keys all arrive as different keys in most terminals.
fn aliased_keys(entry: &KeymapEntry) -> Option<Diagnostic> {
    let aliases = entry.keys.iter().map(|written| alias(&written.keys));
    let (key, alias) = aliases.collect::<Option<Vec<_>>>()?.into_iter().next()?;
    let word = entry.binding.word();
    let message = format!("most terminals send '{key}' as '{alias}', so '{word}' keeps its default keys as well");
    Some(Diagnostic::warning(Code::KeyConflict, message).fix("choose another key, or add a second one"))
}

/// The fix for keys that exclude each other, of two actions or of one.
pub(super) fn separate(one: &str, other: &str) -> String {
    match one == other {
        true => format!("remove one of the two keys of '{one}'"),
        false => format!("give '{one}' or '{other}' another key"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The problems, each as `severity line:column message; fix`.
    fn problems(text: &str) -> Vec<String> {
        let printed = |it: Diagnostic| {
            let place = [it.line, it.column].map(|number| number.unwrap_or(0).to_string()).join(":");
            format!("{:?} {place} {}; {}", it.severity, it.message, it.fix)
        };
        read(text, "keymap.toml").1.into_iter().map(printed).collect()
    }

    /// The keys of the action with this name in each of its contexts.
    fn keys(text: &str, name: &str) -> String {
        let keymap = read(text, "keymap.toml").0;
        let of = |(binding, context)| {
            let keys: Vec<String> = keymap.keys(binding, context).iter().map(ToString::to_string).collect();
            format!("{}: {}", context.word(), keys.join(" "))
        };
        places().filter(|(binding, _)| binding.name == name).map(of).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn an_entry_changes_the_keys_of_an_action_in_its_context() {
        for (text, name, expected) in [
            ("", "pick", "catalog: Space, selection: Space, hints: Space, graph: Space, databases: Space"),
            (
                "[selection]\npick = [\"F2\", \"Space\"]",
                "pick",
                "catalog: Space, selection: F2 Space, hints: Space, graph: Space, databases: Space",
            ),
            (
                "\u{feff}[catalog]\r\npick = []",
                "pick",
                "catalog: , selection: Space, hints: Space, graph: Space, databases: Space",
            ),
            ("[list]\ntop = \"g g\"", "top", "list: g g"),
            ("[global]\nscroll-details = \"F9\"", "scroll details", "global: F9"),
            ("[catalog]\nmention = \"F9\"\nsort = \"F8\"", "sort", "catalog: F8"),
            // Most terminals cannot distinguish these.
            ("[global]\npalette = \"C-i\"", "palette", "global: : C-p C-i"),
            ("[global]\npalette = [\"C-i\", \"F9\"]", "palette", "global: F9 C-i"),
            ("[global]\npalette = \"C-i\"\nhelp = \":\"", "palette", "global: C-p C-i"),
            // The action keeps its other key.
            ("[list]\ntop = \"j\"", "down", "list: Down"),
            ("[catalog]\nsort = \"x\"", "exclude", "catalog: , selection: x, hints: x, graph: x"),
            // An unusable entry has no effect.
            ("[catalog]\nsort = \"xx\"", "sort", "catalog: s"),
            ("[catalog]\nsort = [\"xx\", \"F8\"]", "sort", "catalog: F8"),
            ("[catalog]\npick = \"F8\"\nsort = \"F8\"", "sort", "catalog: s"),
            ("[filter]\nkeep-filter = \"a\"", "keep filter", "filter: Enter Tab"),
            ("[always]\nquit-now = []", "quit now", "always: C-c"),
            ("[always]\nredraw = \"C-c\"", "quit now", "always: C-c"),
            ("[always]\nredraw = \"C-c\"\nquit-now = \"C-q\"", "redraw", "always: C-c"),
            ("[filter]\nkeep-filter = []\nclear-filter = []", "clear filter", "filter: Esc"),
            ("[catalog\nsort = \"F8\"", "sort", "catalog: s"),
        ] {
            assert_eq!(keys(text, name), expected, "{text}");
        }
    }

    #[test]
    fn problems_say_where_and_what_to_do() {
        for (text, expected) in [
            ("[catalog]\npick = \"F2\"\nsort = []", &[][..]),
            ("[catlog]\npick = \"F2\"", &["Warning 1:2 there is no context 'catlog'; did you mean 'catalog'?"]),
            ("pick = \"F2\"", &["Error 1:1 'pick' is an action, and has no context here; write it below [catalog]"]),
            ("catalog = \"F2\"", &["Error 1:1 'catalog' is a context; write [catalog], and its actions below it"]),
            ("[catalog]\npikc = \"F2\"", &["Warning 2:1 there is no action 'pikc' in [catalog]; did you mean 'pick'?"]),
            ("[list]\nundo = \"F2\"", &["Warning 2:1 there is no action 'undo' in [list]; it is one of [global]"]),
            (
                "[catalog]\npick = 3\nsort = [\"Entr\", \"\"]",
                &[
                    "Error 2:8 a key must be a string or a list of strings; put it in quotation marks, as in \"C-c\"",
                    "Error 3:9 'Entr' is not a key; did you mean 'Enter'?",
                    "Error 3:17 '' is not a key; keys look like q, G, Space, C-c, M-x, BackTab, F1 to F12, and g g for one after \
                     the other",
                ],
            ),
            (
                "[catalog]\nsort = \"F2\"\npick = [\"F9\", \"F2\"]",
                &["Error 3:15 'F2' is already 'sort' in [catalog]; give 'pick' or 'sort' another key"],
            ),
            (
                "[catalog]\nsort = \"s\"\npick = [\"F9\", \"s s\"]",
                &[
                    "Error 3:15 's s' cannot be pressed in [catalog], because 's' is a key by itself; give 'pick' or 'sort' \
                   another key",
                ],
            ),
            (
                "[list]\ntop = \"g g\"\ndown = \"g\"",
                &[
                    "Error 3:8 'g' alone cannot be 'down' in [list], because 'g g' begins with it; give 'down' or 'top' another \
                     key",
                ],
            ),
            (
                "[global]\nquit = [\"q\", \"q x\"]",
                &[
                    "Error 2:14 'q x' cannot be pressed in [global], because 'q' is a key by itself; remove one of the two \
                     keys of 'quit'",
                ],
            ),
            (
                "[catalog]\nsort = \"x\"",
                &[
                    "Warning 2:8 'x' is 'sort' now, and 'exclude' has no key left in [catalog]; give 'exclude' another key, \
                   or none: exclude = []",
                ],
            ),
            ("[catalog]\nsort = \"x\"\nexclude = []", &[]),
            (
                "[global]\nhelp = \"C-Enter\"\nquit = [\"C-m\", \"F10\"]",
                &[
                    "Warning 2:1 most terminals send 'C-Enter' as 'Enter', so 'help' keeps its default keys as well; choose \
                   another key, or add a second one",
                ],
            ),
            (
                "[question]\nyes = \"n\"",
                &[
                    "Warning 2:7 'n' is 'yes' now, and no longer 'no' in [question]; give 'yes' another key, or write the keys of \
                     'no' as well",
                ],
            ),
            ("[question]\nyes = \"n\"\nno = [\"Esc\", \"q\"]", &[]),
            ("[question]\nyess = \"n\"", &["Warning 2:1 there is no action 'yess' in [question]; did you mean 'yes'?"]),
            (
                "[question]\nrelaod = \"n\"",
                &["Warning 2:1 there is no action 'relaod' in [question]; actions here are yes, no"],
            ),
            (
                "[catalog]\nsort = \"g s\"",
                &["Warning 2:8 'g s' hides 'g' ('top') in [catalog]; give 'sort' or 'top' another key"],
            ),
            (
                "[global]\nundo = \"s u\"",
                &[
                    "Warning 2:8 's u' cannot be pressed in [catalog], where 's' is 'sort', nor in [selection], where 's' is 'sort-selection', nor in [feed], where 's' is \
                     'this-session', nor in [agents], where 's' is 'sort-sessions'; give 'undo' another key",
                ],
            ),
            (
                "[global]\ngraph = \"g\"",
                &[
                    "Warning 2:9 'g' is 'top' in [list]; 'graph' cannot be reached there; give 'graph' or 'top' another key",
                ],
            ),
            (
                "[global]\ngraph = [\"g\", \"F9\"]",
                &["Warning 2:10 'g' is 'top' in [list], so it is not 'graph' there; give 'graph' or 'top' another key"],
            ),
            (
                "[global]\nundo = \"Space\"",
                &[
                    "Warning 2:8 'Space' is 'pick' in [catalog], [selection], [hints], [graph], [databases]; 'undo' cannot be \
                     reached there; give 'undo' or 'pick' another key",
                    "Warning 2:8 'Space' is 'mark' in [request]; 'undo' cannot be reached there; give 'undo' or 'mark' another \
                     key",
                    "Warning 2:8 'Space' is 'set-value' in [values]; 'undo' cannot be reached there; give 'undo' or 'set-value' another key",
                ],
            ),
            (
                "[catalog]\npick = \"P\"",
                &[
                    "Warning 2:8 'P' is 'pick' in [catalog]; 'profiles' cannot be reached there; give 'pick' or 'profiles' \
                     another key",
                ],
            ),
            // The other key of the action still works.
            ("[hints]\npick = \"k\"", &[]),
            ("[catalog]\npick = \"P\"\n[global]\nprofiles = [\"P\", \"F9\"]", &[]),
            // Same as the defaults.
            ("[details]\nnext-match = \"n\"\n[global]\nquit = \"q\"", &[]),
            (
                "[global]\nreload = \"C-l\"",
                &[
                    "Warning 2:10 'C-l' is 'reload' in [global]; 'redraw' cannot be reached there; give 'reload' or 'redraw' \
                 another key",
                ],
            ),
            (
                "[filter]\nkeep-filter = \"a\"",
                &["Error 2:15 'a' is typed in [filter], so it cannot be a key there; use one with C- or M-"],
            ),
            (
                "[always]\nquit-now = []",
                &["Error 2:12 'quit-now' needs a key: otherwise there is no way to quit; give it one"],
            ),
            (
                "[filter]\nkeep-filter = []\nclear-filter = []",
                &[
                    "Error 2:1 no key closes [filter], so it keeps its default keys; give 'keep-filter' or 'clear-filter' a \
                   key",
                ],
            ),
        ] {
            assert_eq!(problems(text), expected, "{text}");
        }
        let broken = problems("[catalog]\npick = \n");
        assert!(matches!(broken.as_slice(), [one] if one.starts_with("Error 2:8 not TOML: ")), "{broken:?}");
    }

    fn any_entry() -> impl Strategy<Value = String> {
        let place = proptest::sample::select(places().collect::<Vec<_>>());
        let key =
            proptest::sample::select(vec!["Space", "x", "g", "g g", "C-x", "C-x C-s", "Esc", "Enter", "F5", "xx", ""]);
        (place, proptest::collection::vec(key, 0..3))
            .prop_map(|((binding, context), keys)| format!("{}.{} = {keys:?}", context.word(), binding.word()))
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "\\PC*") {
            let _ = read(&text, "keymap.toml");
        }

        #[test]
        fn whatever_is_written_no_two_keys_of_a_context_collide_and_every_field_can_be_left(
            entries in proptest::collection::hash_set(any_entry(), 0..12),
        ) {
            let text: Vec<String> = entries.into_iter().collect();
            let (keymap, problems) = read(&text.join("\n"), "keymap.toml");
            if problems.iter().any(|problem| problem.code == Code::NotToml) {
                return Ok(());
            }
            for (one, context) in places() {
                for key in keymap.keys(one, context) {
                    let typed = key.keys().first().is_some_and(|key| key.typed().is_some());
                    prop_assert!(!(typed && context.keeps_characters()), "{key} in {context:?}");
                    for other in ACTIONS.iter().filter(|other| other.name != one.name && other.contexts.contains(&context)) {
                        let collides = keymap.keys(other, context).iter().any(|other| other.collides_with(key));
                        prop_assert!(!collides, "{key}: {} and {} in {context:?}", one.name, other.name);
                    }
                }
            }
            prop_assert!(!keymap.keys(ACTIONS.iter().find(|it| it.name == "quit now").unwrap(), KeyContext::Always).is_empty());
        }
    }
}
