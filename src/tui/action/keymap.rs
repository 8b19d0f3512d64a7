//! The keys in effect: the table's defaults with the changes of the user's file. All code that reads, shows
//! or names a key asks this module.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::tui::action::{ACTIONS, Action, ActionBinding, KeyContext};
use crate::tui::key::{Key, KeySequence};

/// The keys of every row of the table, by context. Cheap to clone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keymap(Arc<HashMap<ActionInContext, Vec<KeySequence>>>);

/// The name of a row of the table, and one of its contexts.
pub type ActionInContext = (&'static str, KeyContext);

/// What the keys pressed so far mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pressed {
    /// They are bound to this row.
    Bound(&'static ActionBinding),
    /// They begin a chord.
    Begins,
    /// They have no binding.
    Nothing,
}

/// A key that continues a chord.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Continuation {
    /// The key.
    pub key: Key,
    /// What it does; `None` if more keys follow.
    pub binding: Option<&'static ActionBinding>,
    /// The number of actions that start with it.
    pub actions: usize,
}

impl Default for Keymap {
    fn default() -> Self {
        let mut keys = HashMap::new();
        for (binding, context) in places() {
            keys.insert((binding.name, context), binding.default_keys().collect());
        }
        Self::new(keys)
    }
}

/// Every row of the table in each of its contexts.
pub fn places() -> impl Iterator<Item = (&'static ActionBinding, KeyContext)> {
    ACTIONS.iter().flat_map(|binding| binding.contexts.iter().map(move |context| (binding, *context)))
}

/// Every context of the table, in its order.
pub fn contexts() -> Vec<KeyContext> {
    let mut seen = HashSet::new();
    places().map(|(_, context)| context).filter(|context| seen.insert(*context)).collect()
}

impl Keymap {
    /// A keymap of these keys; a row without an entry has no keys.
    pub fn new(keys: HashMap<ActionInContext, Vec<KeySequence>>) -> Self {
        Self(Arc::new(keys))
    }

    /// The keys of this row in this context. The first is the one shown.
    pub fn keys(&self, binding: &ActionBinding, context: KeyContext) -> &[KeySequence] {
        self.0.get(&(binding.name, context)).map_or(&[], Vec::as_slice)
    }

    /// The keys of this row that work in these contexts if any of them lists it; otherwise those of its first context.
    pub fn keys_among(&self, binding: &ActionBinding, contexts: &[KeyContext]) -> Vec<&KeySequence> {
        match contexts.iter().find(|context| binding.contexts.contains(context)) {
            Some(context) => {
                let keys = self.keys(binding, *context).iter();
                keys.filter(|keys| self.leads_to(keys, binding.action, contexts)).collect()
            }
            None => binding.contexts.first().map_or(&[][..], |context| self.keys(binding, *context)).iter().collect(),
        }
    }

    /// Whether these keys trigger this action in these contexts: no nearer context binds them or a prefix of them.
    fn leads_to(&self, keys: &KeySequence, action: Action, contexts: &[KeyContext]) -> bool {
        let keys = keys.keys();
        let begins = |end| keys.get(..end).is_some_and(|first| self.pressed(first, contexts) == Pressed::Begins);
        let is_bound = matches!(self.pressed(keys, contexts), Pressed::Bound(binding) if binding.action == action);
        is_bound && (1..keys.len()).all(begins)
    }

    /// The first key that triggers this action in these contexts, nearest first.
    pub fn key_to(&self, action: Action, contexts: &[KeyContext]) -> Option<&KeySequence> {
        let rows = || ACTIONS.iter().filter(|binding| binding.action == action);
        let first = |context: &KeyContext| {
            let mut keys = rows().flat_map(|binding| self.keys(binding, *context));
            keys.find(|keys| self.leads_to(keys, action, contexts))
        };
        contexts.iter().find_map(first)
    }

    /// The keys from [`Self::keys_among`] as text: `Enter o`.
    pub fn shown(&self, binding: &ActionBinding, contexts: &[KeyContext]) -> String {
        let keys = self.keys_among(binding, contexts);
        let has_chords = keys.iter().any(|keys| keys.is_chord());
        let shown: Vec<String> = keys.into_iter().map(ToString::to_string).collect();
        shown.join(if has_chords { ", " } else { " " })
    }

    /// The meaning of these keys in the nearest context that binds them.
    pub fn pressed(&self, pressed: &[Key], contexts: &[KeyContext]) -> Pressed {
        for (binding, keys) in self.within(contexts) {
            if keys.keys() == pressed {
                return Pressed::Bound(binding);
            }
            if keys.after(pressed).is_some() {
                return Pressed::Begins;
            }
        }
        Pressed::Nothing
    }

    /// The row that these keys are bound to.
    pub fn bound(&self, pressed: &[Key], contexts: &[KeyContext]) -> Option<&'static ActionBinding> {
        match self.pressed(pressed, contexts) {
            Pressed::Bound(binding) => Some(binding),
            Pressed::Begins | Pressed::Nothing => None,
        }
    }

    /// The keys that can follow these, in the order of the table. If one has several meanings, the nearest
    /// context wins.
    pub fn continuations(&self, pressed: &[Key], contexts: &[KeyContext]) -> Vec<Continuation> {
        let mut found: Vec<Continuation> = Vec::new();
        for (binding, keys) in self.within(contexts) {
            let Some(key) = keys.after(pressed) else { continue };
            let ends = keys.keys().len() == pressed.len() + 1;
            match found.iter_mut().find(|known| known.key == key) {
                None => found.push(Continuation { key, binding: ends.then_some(binding), actions: 1 }),
                Some(known) if known.binding.is_none() && !ends => known.actions += 1,
                Some(_) => {}
            }
        }
        found
    }

    /// Every key that works in these contexts, the nearest context first.
    fn within(&self, contexts: &[KeyContext]) -> impl Iterator<Item = (&'static ActionBinding, &KeySequence)> {
        contexts.iter().flat_map(move |context| {
            let here = ACTIONS.iter().filter(move |binding| binding.contexts.contains(context));
            here.flat_map(move |binding| self.keys(binding, *context).iter().map(move |keys| (binding, keys)))
        })
    }

    /// The key of an action, for use in a sentence: its key in these contexts, otherwise in any context,
    /// otherwise how to reach it from the palette.
    pub fn named(&self, action: Action, contexts: &[KeyContext]) -> String {
        let rows = || ACTIONS.iter().filter(|binding| binding.action == action);
        let elsewhere = || {
            rows().find_map(|binding| {
                let mut others = binding.contexts.iter().filter(|context| !contexts.contains(context));
                others.find_map(|context| self.keys(binding, *context).first())
            })
        };
        if let Some(keys) = self.key_to(action, contexts).or_else(elsewhere) {
            return keys.to_string();
        }
        let is_here = |binding: &&ActionBinding| contexts.iter().any(|context| binding.contexts.contains(context));
        let name = rows().find(is_here).or_else(|| rows().next()).map_or("", |binding| binding.name);
        // Windows and text fields bind no key to the palette; it opens once they are closed.
        let palette = |contexts: &[KeyContext]| self.key_to(Action::Palette, contexts);
        let palette = palette(contexts).or_else(|| palette(&[KeyContext::Global]));
        match palette.filter(|_| action != Action::Palette) {
            // Typed as one word: `:undo`.
            Some(keys) if matches!(keys.keys(), [key] if key.typed().is_some()) => format!("{keys}{name}"),
            Some(keys) => format!("{keys} {name}"),
            None => format!("'{name}'"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::action::read_keymap;
    use crate::tui::pane::Pane;

    const CATALOG: [KeyContext; 4] =
        [KeyContext::Pane(Pane::Catalog), KeyContext::List, KeyContext::Global, KeyContext::Always];

    fn keymap(text: &str) -> Keymap {
        let (keymap, problems) = read_keymap(text, "keymap.toml");
        assert_eq!(problems, []);
        keymap
    }

    fn keys(text: &str) -> Vec<Key> {
        text.parse::<KeySequence>().unwrap().keys().to_vec()
    }

    #[test]
    fn the_nearest_context_gives_a_key_its_meaning() {
        let keymap = keymap("[list]\ntop = \"g g\"\n[global]\nreload = \"g r\"\n[catalog]\nsort = [\"g s o\", \"F2\"]");
        for (pressed, expected) in [
            ("Space", "pick"),
            ("q", "quit"),
            ("g", "begins"),
            ("g g", "top"),
            ("g r", "reload"),
            ("g s", "begins"),
            ("g s o", "sort"),
            ("F2", "sort"),
            ("s", "-"),
            ("r", "-"),
            ("g x", "-"),
        ] {
            let found = match keymap.pressed(&keys(pressed), &CATALOG) {
                Pressed::Bound(binding) => binding.name,
                Pressed::Begins => "begins",
                Pressed::Nothing => "-",
            };
            assert_eq!(found, expected, "{pressed}");
        }
        let of = |pressed: &str, contexts: &[KeyContext]| {
            let all = keymap.continuations(&keys(pressed), contexts);
            let shown = all.iter().map(|it| format!("{} {}", it.key, it.binding.map_or("more", |it| it.name)));
            shown.collect::<Vec<_>>().join(", ")
        };
        assert_eq!(of("g", &CATALOG), "s more, g top, r reload");
        assert_eq!(of("g", CATALOG.get(1..).unwrap()), "g top, r reload");
        assert_eq!(of("g s", &CATALOG), "o sort");
        assert_eq!(of("x", &CATALOG), "");
    }

    #[test]
    fn a_sentence_names_a_key_that_works_or_the_palette() {
        for (text, action, expected) in [
            ("", Action::Toggle, "Space"),
            ("", Action::Redo, "C-r"),
            ("[catalog]\npick = [\"F3\", \"Space\"]", Action::Toggle, "F3"),
            ("[selection]\npick = \"F3\"", Action::Toggle, "Space"),
            ("[global]\nreload = []", Action::Reload, ":reload"),
            ("[global]\nreload = []\npalette = \"C-p\"", Action::Reload, "C-p reload"),
            ("[global]\nreload = []\npalette = []", Action::Reload, "'reload'"),
            ("[global]\npalette = []", Action::Palette, "'palette'"),
            // A key that a more specific context overrides is not named.
            ("[global]\nundo = \"Space\"", Action::Undo, ":undo"),
            ("[global]\nundo = [\"Space\", \"F9\"]", Action::Undo, "F9"),
            ("[global]\nreload = \"g r\"\n[list]\ntop = \"Home\"", Action::Reload, "g r"),
        ] {
            assert_eq!(read_keymap(text, "keymap.toml").0.named(action, &CATALOG), expected, "{text}");
        }
    }
}
