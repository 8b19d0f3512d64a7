//! Checks whether values match the variables of a template: which are unused and which are missing (BEHAVIOUR §6). This
//! needs no rendering; a rendering reports its own errors and warnings.
//!
//! A field missing in an item counts as given if an enclosing object has it, because Mustache looks it up there. Jinja2
//! reports that case itself, with the line.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::error::hint;
use super::jinja::{FUNCTIONS, RESERVED};
use super::mustache::ITEM_METADATA;
use super::{Variable, VariableKind};
use refdesk_text::nearest::nearest;

/// The most values reported of each kind.
const REPORTED: usize = 100;

/// The most values collected before the outermost are selected.
const COLLECTED: usize = 10 * REPORTED;

/// The most objects examined; the rest of a longer list is skipped.
const EXAMINED: usize = 100_000;

/// A value by its path: `fields[0].name`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct NamedValue {
    /// Dotted, with the index of the first item concerned.
    #[serde(rename = "name")]
    pub path: String,
    /// The most similar name on the other side, as a full path.
    pub nearest: Option<String>,
}

/// Result of comparing values with a template's variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueCheck {
    /// Given but not used, outermost first.
    pub unused: Vec<NamedValue>,
    /// Needed but not given, outermost first.
    pub missing: Vec<NamedValue>,
}

impl ValueCheck {
    /// One sentence for each unused or missing value.
    pub fn sentences(&self) -> Vec<String> {
        let unused = self.unused.iter().map(|named| {
            let hint = hint(named.nearest.as_deref());
            format!("'{}' is given but not used{hint}", named.path)
        });
        let missing = self.missing.iter().map(|named| {
            let hint = named.nearest.as_ref().map(|near| format!(" ('{near}' is similar)")).unwrap_or_default();
            format!("'{}' is required but not given{hint}", named.path)
        });
        unused.chain(missing).collect()
    }
}

/// Compares a template's variables with the given values. If the template uses no field of an object or list by name,
/// every value below it counts as used.
pub fn check_values(variables: &[Variable], values: &Value) -> ValueCheck {
    let Value::Object(given) = values else { return ValueCheck::default() };
    let mut walk = ValueWalk::default();
    walk.level(variables, &[given], &ObjectPath::default());
    let named = |mut found: Vec<FoundValue>| {
        found.sort_by_key(|found| found.depth);
        found.into_iter().take(REPORTED).map(|found| found.named).collect()
    };
    let inherited = walk.inherited;
    walk.unused.retain(|found| found.depth > 0 || !inherited.contains(&found.named.path));
    ValueCheck { unused: named(walk.unused), missing: named(walk.missing) }
}

/// Path of an object.
#[derive(Debug, Clone, Default)]
struct ObjectPath {
    /// Its path followed by `.`; empty at the top.
    before: String,
    /// The path without indices, so that a problem is reported once for all items of a list.
    pattern: String,
    depth: usize,
    /// Whether it is an item of a list.
    item: bool,
}

impl ObjectPath {
    fn below(&self, name: &str, index: Option<usize>) -> Self {
        let (at, any) = index.map_or_else(Default::default, |index| (format!("[{index}]"), "[]".to_owned()));
        Self {
            before: format!("{}{name}{at}.", self.before),
            pattern: format!("{}{name}{any}.", self.pattern),
            depth: self.depth + 1,
            item: index.is_some(),
        }
    }
}

struct FoundValue {
    named: NamedValue,
    depth: usize,
}

#[derive(Default)]
struct ValueWalk {
    unused: Vec<FoundValue>,
    missing: Vec<FoundValue>,
    reported: HashSet<String>,
    /// Top-level names that items inherit.
    inherited: HashSet<String>,
    visited: usize,
}

impl ValueWalk {
    /// Compares one object; `around` ends with it. Recurses as deep as the variable tree.
    fn level(&mut self, variables: &[Variable], around: &[&Map<String, Value>], place: &ObjectPath) {
        self.visited += 1;
        let Some((given, outer)) = around.split_last() else { return };
        if self.visited > EXAMINED {
            return;
        }
        let asked: HashSet<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
        for name in given.keys().filter(|name| !asked.contains(name.as_str()) && !may_be_asked(name, place)) {
            report(&mut self.unused, &mut self.reported, '-', name, place, || {
                let open =
                    variables.iter().map(|variable| variable.name.as_str()).filter(|name| !given.contains_key(*name));
                nearest(name, open).or_else(|| nearest(name, asked.iter().copied()))
            });
        }
        for variable in variables {
            match given.get(&variable.name) {
                Some(value) => self.value(variable, value, around, place),
                None if place.item && outer.iter().any(|outer| outer.contains_key(&variable.name)) => {
                    self.inherited.insert(variable.name.clone());
                }
                None if variable.optional => {}
                None => {
                    report(&mut self.missing, &mut self.reported, '+', &variable.name, place, || {
                        let spare = given.keys().map(String::as_str).filter(|name| !asked.contains(name));
                        nearest(&variable.name, spare)
                    });
                }
            }
        }
    }

    fn value(&mut self, variable: &Variable, value: &Value, around: &[&Map<String, Value>], place: &ObjectPath) {
        if variable.fields.is_empty() {
            return;
        }
        let with = |object| around.iter().copied().chain([object]).collect::<Vec<_>>();
        match value {
            Value::Object(fields) => {
                // Mustache enters an object with a section, like an item.
                let inside =
                    ObjectPath { item: variable.kind == VariableKind::List, ..place.below(&variable.name, None) };
                self.level(&variable.fields, &with(fields), &inside);
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    if let Value::Object(fields) = item {
                        self.level(&variable.fields, &with(fields), &place.below(&variable.name, Some(index)));
                    }
                    if self.visited > EXAMINED {
                        return;
                    }
                }
            }
            _ => {}
        }
    }
}

/// Whether the template may use a name that is not in the tree: built-in names and item metadata are not variables, but
/// a given value of the same name takes precedence.
fn may_be_asked(name: &str, place: &ObjectPath) -> bool {
    if place.item {
        return ITEM_METADATA.contains(&name);
    }
    place.depth == 0 && (RESERVED.contains(&name) || FUNCTIONS.iter().any(|(function, _)| *function == name))
}

fn report<'a>(
    found: &mut Vec<FoundValue>,
    reported: &mut HashSet<String>,
    side: char,
    name: &str,
    place: &ObjectPath,
    near: impl FnOnce() -> Option<&'a str>,
) {
    if found.len() >= COLLECTED || !reported.insert(format!("{side}{}{name}", place.pattern)) {
        return;
    }
    let named = NamedValue {
        path: format!("{}{name}", place.before),
        nearest: near().map(|near| format!("{}{near}", place.before)),
    };
    found.push(FoundValue { named, depth: place.depth });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Syntax, sample, skeleton, variables};
    use super::*;

    fn output(text: &str, syntax: Syntax, values: &Value) -> Vec<String> {
        check_values(&variables(text, syntax).unwrap(), values).sentences()
    }

    #[test]
    fn unused_and_missing_values_suggest_the_nearest_name() {
        let nothing: [&str; 0] = [];
        for (text, values, expected) in [
            ("{{ class_name }}", json!({"class_name": "A"}), nothing.as_slice()),
            (
                "{{ class_name }}",
                json!({"clas_name": "A"}),
                &[
                    "'clas_name' is given but not used (did you mean 'class_name'?)",
                    "'class_name' is required but not given ('clas_name' is similar)",
                ],
            ),
            ("{{ a|default(1) }}{% if b is defined %}{{ b.c }}{% endif %}", json!({}), nothing.as_slice()),
            (
                "{{ o.name }}",
                json!({"o": {"nam": 1}}),
                &[
                    "'o.nam' is given but not used (did you mean 'o.name'?)",
                    "'o.name' is required but not given ('o.nam' is similar)",
                ],
            ),
            ("{{ o.name }}", json!({}), &["'o' is required but not given"]),
            (
                "{% for f in fields %}{{ f.name }}{{ f.type|d('') }}{% endfor %}",
                json!({"fields": [{"name": 1, "type": 2}, {"nmae": 1}, {"nmae": 1, "size": 3}]}),
                &[
                    "'fields[1].nmae' is given but not used (did you mean 'fields[1].name'?)",
                    "'fields[2].size' is given but not used",
                    "'fields[1].name' is required but not given ('fields[1].nmae' is similar)",
                ],
            ),
            ("{{ d|tojson }}{{ xs|join }}", json!({"d": {"any": 1}, "xs": [{"any": 1}]}), nothing.as_slice()),
            ("{{ range(3)|join }}", json!({"range": 1, "self": 2}), nothing.as_slice()),
        ] {
            assert_eq!(output(text, Syntax::Jinja2, &values), expected, "{text}");
        }
        for (text, values, expected) in [
            (
                "{{#xs}}{{n}}{{p}}{{/xs}}",
                json!({"p": 1, "xs": [{"n": 1, "first": 2, "@index": 3}]}),
                nothing.as_slice(),
            ),
            (
                "{{#o}}{{n}}{{/o}}",
                json!({"o": {"n": 1, "m": 2}}),
                &["'o.m' is given but not used (did you mean 'o.n'?)"],
            ),
            ("{{.}}", json!(["any"]), nothing.as_slice()),
        ] {
            assert_eq!(output(text, Syntax::Mustache, &values), expected, "{text}");
        }
    }

    #[test]
    fn documents_made_from_the_tree_match_it() {
        for (syntax, text) in [
            (
                Syntax::Jinja2,
                "{{ a }}{{ o.p.q }}{% for x in xs %}{{ x.n }}{% for y in x.ys %}{{ y }}{% endfor %}{% endfor %}",
            ),
            (Syntax::Mustache, "{{a}}{{#xs}}{{n}}{{#ys}}{{.}}{{/ys}}{{/xs}}{{^off}}{{o.p}}{{/off}}"),
            (Syntax::Handlebars, "{{#each xs as |x|}}{{x.n}}{{/each}}{{#with o}}{{p}}{{/with}}{{#if a}}{{b}}{{/if}}"),
        ] {
            let tree = variables(text, syntax).unwrap();
            assert_eq!(check_values(&tree, &skeleton(&tree)), ValueCheck::default(), "{text}");
            assert_eq!(check_values(&tree, &sample(&tree)), ValueCheck::default(), "{text}");
        }
    }

    #[test]
    fn reports_are_bounded() {
        let many: Map<String, Value> = (0..20_000).map(|n| (format!("name{n}"), json!(n))).collect();
        let items: Vec<Value> = (0..110_000).map(|n| json!({ "n": n })).collect();
        let tree = variables("{% for x in xs %}{{ x.n }}{% endfor %}", Syntax::Jinja2).unwrap();
        let mut values = many;
        values.insert("xs".to_owned(), Value::Array(items));
        let fit = check_values(&tree, &Value::Object(values));
        assert_eq!((fit.unused.len(), fit.missing.len()), (100, 0));
    }
}
