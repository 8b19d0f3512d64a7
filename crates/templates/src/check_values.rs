//! Checks whether values match the variables of a template: which are unused, which are missing, and which are texts that
//! the template takes for something else (BEHAVIOUR §6). This needs no rendering; a rendering reports its own errors and warnings.
//!
//! A field missing in an item counts as given if an enclosing object has it, because Mustache looks it up there. Jinja2
//! reports that case itself, with the line.

use std::collections::{BTreeSet, HashSet, VecDeque};

use serde_json::{Map, Value};

use super::error::hint;
use super::jinja::{FUNCTIONS, RESERVED};
use super::mustache::ITEM_METADATA;
use super::variables::{number_in, skeleton};
use super::{Syntax, TextForNumber, Variable, VariableKind};
use refdesk_text::nearest::nearest;
use refdesk_text::shorten::without_middle;

/// The most values reported of each kind.
const REPORTED: usize = 100;

/// The most values collected before the outermost are selected.
const COLLECTED: usize = 10 * REPORTED;

/// The most objects examined; the rest of a longer list is skipped.
const EXAMINED: usize = 100_000;

/// The most items of a list in which the names of a section are looked up.
const ENTERED: usize = 1_000;

/// A value by its path: `fields[0].name`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct NamedValue {
    /// Dotted, with the index of the first item concerned.
    #[serde(rename = "name")]
    pub path: String,
    /// The most similar name on the other side, as a full path.
    pub nearest: Option<String>,
}

/// A text where the template takes another kind of value, which renders without an error, but not as it was meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MisreadText {
    /// Its path, as in [`NamedValue`].
    pub path: String,
    /// What the template makes of it, one sentence.
    pub sentence: String,
    /// The JSON to give instead, if it is known.
    pub json: Option<String>,
    /// Whether the template takes a number.
    pub is_number: bool,
}

/// Result of comparing values with a template's variables.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ValueCheck {
    /// Given but not used, outermost first.
    pub unused: Vec<NamedValue>,
    /// Needed but not given, outermost first.
    pub missing: Vec<NamedValue>,
    /// Texts that are taken for something else, outermost first.
    pub misread: Vec<MisreadText>,
    /// Top-level names of given values that the template uses.
    pub used: BTreeSet<String>,
}

impl ValueCheck {
    /// Counts all of these values as used: the template uses the object that holds them.
    pub fn use_all(&mut self, values: &Value) {
        self.unused.clear();
        self.used.extend(values.as_object().into_iter().flat_map(Map::keys).cloned());
    }

    /// One sentence for each unused, missing or misread value.
    pub fn sentences(&self) -> Vec<String> {
        let unused = self.unused.iter().map(|named| {
            let hint = hint(named.nearest.as_deref());
            format!("'{}' is given but not used{hint}", named.path)
        });
        let missing = self.missing.iter().map(|named| {
            let hint = named.nearest.as_ref().map(|near| format!(" ('{near}' is similar)")).unwrap_or_default();
            format!("'{}' is required but not given{hint}", named.path)
        });
        unused.chain(missing).chain(self.misread.iter().map(|misread| misread.sentence.clone())).collect()
    }
}

/// Texts that a person writes for *no*, in lower case.
const NO: [&str; 8] = ["false", "no", "off", "0", "n", "f", "none", "null"];

/// The most characters of a text that a sentence repeats.
const SHOWN: usize = 40;

/// What is wrong with a text for this variable, or for an item of it, and the JSON to give instead.
fn misreading(variable: &Variable, text: &str, is_typed: bool, syntax: Syntax) -> Option<(String, Option<String>)> {
    let number = number_in(text);
    // A typed zero is false in Jinja2.
    let is_zero = || is_typed && syntax == Syntax::Jinja2 && number.as_ref().is_some_and(|n| n.as_f64() == Some(0.0));
    let is_no = || NO.contains(&text.trim().to_lowercase().as_str()) && !is_zero();
    // A section of Mustache also prints a text, once.
    let is_section = syntax == Syntax::Mustache;
    match variable.kind {
        VariableKind::Flag if is_no() => {}
        VariableKind::List if is_section && !variable.fields.is_empty() && is_no() => {}
        VariableKind::List if !is_section && variable.is_looped_over => {
            // Often the text is the JSON of the list.
            let given = serde_json::from_str(text).ok().filter(Value::is_array);
            let form = || skeleton(std::slice::from_ref(variable)).get(&variable.name).cloned();
            let json = given.or_else(form).map(|list| list.to_string());
            return Some(("is a list, but a text is given for it".to_owned(), json));
        }
        _ => return None,
    }
    // What is typed has no quotes.
    let instead = if is_typed { "" } else { "; give false without quotes" };
    Some((format!("is yes or no, and the text '{}' counts as yes{instead}", text.trim()), Some("false".to_owned())))
}

/// What is wrong with a text in place of a number. A blank text stands for none.
fn no_number(text: &str, is_typed: bool, what_then: TextForNumber) -> Option<(String, Option<String>)> {
    let number = number_in(text).map(|number| number.to_string());
    let is_right = match what_then {
        TextForNumber::Fits => true,
        TextForNumber::MayFit => number.is_none() || is_typed,
        TextForNumber::Fails => text.trim().is_empty() || (number.is_some() && is_typed),
    };
    if is_right {
        return None;
    }
    let digits = text.trim().trim_start_matches(['-', '+']);
    let starts_with_digit = digits.starts_with(|c: char| c.is_ascii_digit());
    let shown = without_middle(text.trim().to_owned(), SHOWN);
    let instead = match &number {
        Some(number) => format!("give {number} without quotes"),
        None if starts_with_digit && number_in(digits.trim_start_matches('0')).is_some() => {
            "write it without leading zeros".to_owned()
        }
        None if starts_with_digit && digits.parse::<f64>().is_ok() => "it is too large".to_owned(),
        None => "write it as in JSON, such as 1000 or -0.5".to_owned(),
    };
    Some((format!("is a number, but the text '{shown}' is given for it; {instead}"), number))
}

/// Compares a template's variables with the given values. If the template uses no field of an object or list by name,
/// every value below it counts as used. The values with these top-level names were `typed`: a text that is a number will do
/// for one.
pub fn check_values(variables: &[Variable], values: &Value, typed: &BTreeSet<String>, syntax: Syntax) -> ValueCheck {
    let Value::Object(given) = values else { return ValueCheck::default() };
    let mut walk = ValueWalk::default();
    walk.level(&[EnclosingObject { given, variables, place: &ObjectPath::default(), is_whole: false }]);
    let named = |mut found: Vec<FoundValue>| {
        found.sort_by_key(|found| found.depth);
        found.into_iter().take(REPORTED).map(|found| found.named).collect()
    };
    let ValueWalk { mut unused, missing, inherited, .. } = walk;
    unused.retain(|found| !inherited.contains(&found.pattern));
    let asked: HashSet<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
    let used =
        given.keys().filter(|name| asked.contains(name.as_str()) || inherited.contains(*name)).cloned().collect();
    ValueCheck {
        unused: named(unused),
        missing: named(missing),
        misread: misread(variables, given, typed, syntax),
        used,
    }
}

/// The misread texts among these values and their fields, outermost first, once for all items of a list.
fn misread(
    variables: &[Variable],
    given: &Map<String, Value>,
    typed: &BTreeSet<String>,
    syntax: Syntax,
) -> Vec<MisreadText> {
    let (mut found, mut reported, mut visited) = (Vec::new(), HashSet::new(), 0);
    let mut open = VecDeque::from([(variables, given, ObjectPath::default(), false)]);
    while let Some((variables, given, place, is_below_typed)) = open.pop_front() {
        for variable in variables {
            let Some(value) = given.get(&variable.name) else { continue };
            visited += 1;
            if visited > EXAMINED || found.len() >= REPORTED {
                return found;
            }
            let is_typed = is_below_typed || (place.depth == 0 && typed.contains(&variable.name));
            let what_then = variable.text_for_number;
            let is_number = what_then != TextForNumber::Fits && variable.fields.is_empty();
            let items = value.as_array().filter(|_| is_number && variable.kind == VariableKind::List);
            let of_item = |(at, item): (usize, &Value)| {
                Some((format!("[{at}]"), no_number(item.as_str()?, is_typed, what_then)?))
            };
            let misreading = match value.as_str() {
                Some(text) if is_number && variable.kind == VariableKind::Scalar => {
                    no_number(text, is_typed, what_then)
                }
                Some(text) => misreading(variable, text, is_typed, syntax),
                None => None,
            };
            let in_items = items.and_then(|items| items.iter().take(ENTERED).enumerate().find_map(of_item));
            if let Some((at, (what, json))) = misreading.map(|misreading| (String::new(), misreading)).or(in_items)
                && reported.insert(format!("{}{}", place.pattern, variable.name))
            {
                let path = format!("{}{}{at}", place.before, variable.name);
                found.push(MisreadText { sentence: format!("'{path}' {what}"), path, json, is_number });
            }
            if !variable.fields.is_empty() {
                let inside = objects(variable, value, &place, ENTERED);
                open.extend(inside.map(|(fields, place)| (variable.fields.as_slice(), fields, place, is_typed)));
            }
        }
    }
    found
}

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

/// An object in which Mustache looks up names.
#[derive(Clone, Copy)]
struct EnclosingObject<'a> {
    given: &'a Map<String, Value>,
    /// What the template uses of it, sorted by name.
    variables: &'a [Variable],
    place: &'a ObjectPath,
    /// Whether the template also uses it as a whole.
    is_whole: bool,
}

struct FoundValue {
    named: NamedValue,
    /// The path without indices.
    pattern: String,
    depth: usize,
}

#[derive(Default)]
struct ValueWalk {
    unused: Vec<FoundValue>,
    missing: Vec<FoundValue>,
    reported: HashSet<String>,
    /// Values used by a section inside their object, as paths without indices.
    inherited: HashSet<String>,
    visited: usize,
}

impl ValueWalk {
    /// Compares the last of these objects; the others enclose it. Recurses as deep as the variable tree.
    fn level(&mut self, around: &[EnclosingObject<'_>]) {
        self.visited += 1;
        let Some((EnclosingObject { given, variables, place, is_whole }, outer)) = around.split_last() else { return };
        if self.visited > EXAMINED {
            return;
        }
        let asked: HashSet<&str> = variables.iter().map(|variable| variable.name.as_str()).collect();
        let is_unused = |name: &&String| {
            !is_whole && !asked.contains(name.as_str()) && !may_be_asked(name, variables, place, outer)
        };
        for name in given.keys().filter(is_unused) {
            report(&mut self.unused, &mut self.reported, '-', name, place, || {
                let open = variables.iter().map(|variable| variable.name.as_str());
                nearest(name, open.filter(|name| !given.contains_key(*name)))
            });
        }
        for variable in *variables {
            match given.get(&variable.name) {
                Some(value) => self.value(variable, value, around),
                None if place.item && outer.iter().any(|outer| outer.given.contains_key(&variable.name)) => {
                    self.inherit(std::slice::from_ref(variable), around);
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

    fn value(&mut self, variable: &Variable, value: &Value, around: &[EnclosingObject<'_>]) {
        if variable.fields.is_empty() {
            return;
        }
        let Some(EnclosingObject { place, .. }) = around.last() else { return };
        let mut objects = objects(variable, value, place, usize::MAX).peekable();
        if objects.peek().is_none() {
            self.inherit(&variable.fields, around);
        }
        for (given, place) in objects {
            let is_whole = variable.is_whole;
            let object = EnclosingObject { given, variables: &variable.fields, place: &place, is_whole };
            self.level(&inside(around, object));
            if self.visited > EXAMINED {
                return;
            }
        }
    }

    /// Marks what a section uses of the objects around it, innermost first: a section whose value is not an object has no
    /// fields of its own. Recurses as deep as the variable tree.
    fn inherit(&mut self, variables: &[Variable], around: &[EnclosingObject<'_>]) {
        for variable in variables {
            let holder = around.iter().rev().find_map(|outer| Some((outer.place, outer.given.get(&variable.name)?)));
            let Some((place, value)) = holder else { continue };
            self.inherited.insert(format!("{}{}", place.pattern, variable.name));
            if variable.fields.is_empty() {
                continue;
            }
            self.visited += 1;
            if self.visited > EXAMINED {
                return;
            }
            let mut objects = objects(variable, value, place, ENTERED).peekable();
            if objects.peek().is_none() {
                self.inherit(&variable.fields, around);
            }
            for (given, place) in objects {
                let is_whole = variable.is_whole;
                let object = EnclosingObject { given, variables: &variable.fields, place: &place, is_whole };
                let inside = inside(around, object);
                self.inherit(&variable.fields, &inside);
            }
        }
    }
}

/// The objects in which the fields of a variable are looked up: its value, or the first items of its value.
fn objects<'a, 'p>(
    variable: &'p Variable,
    value: &'a Value,
    place: &'p ObjectPath,
    most: usize,
) -> impl Iterator<Item = (&'a Map<String, Value>, ObjectPath)> {
    let items = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    items.iter().take(most).enumerate().filter_map(move |(index, item)| {
        let fields = item.as_object()?;
        let inside = place.below(&variable.name, value.is_array().then_some(index));
        // Mustache enters an object with a section, like an item.
        Some((fields, ObjectPath { item: inside.item || variable.kind == VariableKind::List, ..inside }))
    })
}

/// The enclosing objects, with one more inside.
fn inside<'a>(around: &[EnclosingObject<'a>], object: EnclosingObject<'a>) -> Vec<EnclosingObject<'a>> {
    around.iter().copied().chain([object]).collect()
}

/// Whether the template may use a name that is not in the tree: built-in names and item metadata are not variables, but
/// a given value of the same name takes precedence. A name used inside and outside a section is in the tree outside, but
/// the item's own value takes precedence too. A section prints what metadata is called around it unless it has items.
fn may_be_asked(name: &str, variables: &[Variable], place: &ObjectPath, outer: &[EnclosingObject<'_>]) -> bool {
    if ITEM_METADATA.contains(&name) && variables.iter().any(|it| it.kind == VariableKind::List) {
        return true;
    }
    if place.item {
        let asks =
            |outer: &EnclosingObject<'_>| outer.variables.binary_search_by(|it| it.name.as_str().cmp(name)).is_ok();
        return ITEM_METADATA.contains(&name) || outer.iter().any(asks);
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
    found.push(FoundValue { named, pattern: format!("{}{name}", place.pattern), depth: place.depth });
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::{Syntax, sample, variables};
    use super::*;

    fn output(text: &str, syntax: Syntax, values: &Value) -> Vec<String> {
        checked(&variables(text, syntax).unwrap(), values, syntax).sentences()
    }

    fn checked(tree: &[Variable], values: &Value, syntax: Syntax) -> ValueCheck {
        check_values(tree, values, &BTreeSet::new(), syntax)
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
            (
                "{{ x }}{{ port }}",
                json!({"port": 1, "ports": 2, "y": 3}),
                &["'ports' is given but not used", "'y' is given but not used", "'x' is required but not given"],
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
            ("{{ m[k] }} {{ m.j }}", json!({"k": "a", "m": {"a": 1, "j": 2}}), nothing.as_slice()),
            ("{{ m.get(k) }}{{ m|tojson }}{{ m.j }}", json!({"k": "a", "m": {"a": 1, "j": 2}}), nothing.as_slice()),
            (
                "{% for k, v in m.items() %}{{ k }}{% endfor %}{{ m.j }}",
                json!({"m": {"a": 1, "j": 2}}),
                nothing.as_slice(),
            ),
            (
                "{% for s in xs %}{{ s.n }}{{ s[f] }}{% endfor %}{{ ys|map(attribute=f)|join }}{{ ys[0].n }}",
                json!({"f": "b", "xs": [{"n": 1, "b": 2}], "ys": [{"n": 1, "b": 2}]}),
                nothing.as_slice(),
            ),
            (
                "{% set o = m %}{{ o.j }}{{ m.get('k', 1) }}{% if m %}{% endif %}",
                json!({"m": {"a": 1, "j": 2}}),
                &["'m.a' is given but not used"],
            ),
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
            ("{{#o}}{{n}}{{/o}}", json!({"o": {"n": 1, "m": 2}}), &["'o.m' is given but not used"]),
            ("{{.}}", json!(["any"]), nothing.as_slice()),
            ("{{m}} {{m.j}}", json!({"m": {"a": 1, "j": 2}}), nothing.as_slice()),
            ("{{#show}}{{first}}{{/show}}", json!({"show": true, "first": "Ada"}), nothing.as_slice()),
            (
                "{{#l}}{{#flag}}{{n}}{{#m}}{{pkg}}{{/m}}{{/flag}}{{/l}}",
                json!({"pkg": 1, "l": [{"n": 1, "flag": true, "m": [1], "x": 2}]}),
                &["'l[0].x' is given but not used"],
            ),
            ("{{#on}}{{a.b}}{{/on}}", json!({"on": true, "a": {"b": 1, "c": 2}}), nothing.as_slice()),
            ("{{#on}}{{#xs}}{{p}}{{n}}{{/xs}}{{/on}}", json!({"on": 1, "p": 2, "xs": [{"n": 3}]}), nothing.as_slice()),
            ("{{#xs}}{{#on}}{{p}}{{/on}}{{/xs}}", json!({"on": 1, "p": 2, "xs": [{}]}), nothing.as_slice()),
            ("{{#xs}}{{p}}{{/xs}}", json!({"p": 1, "xs": []}), nothing.as_slice()),
            ("{{p}}{{#xs}}{{p}}{{n}}{{/xs}}", json!({"p": 1, "xs": [{"p": 2, "n": 3}]}), nothing.as_slice()),
        ] {
            assert_eq!(output(text, Syntax::Mustache, &values), expected, "{text}");
        }
    }

    #[test]
    fn a_text_for_a_flag_or_a_list_is_reported_if_nobody_means_what_is_made_of_it() {
        let flag = |path: &str, text: &str| {
            format!("'{path}' is yes or no, and the text '{text}' counts as yes; give false without quotes")
        };
        let list = |path: &str| format!("'{path}' is a list, but a text is given for it");
        let (jinja, mustache, handlebars) = (Syntax::Jinja2, Syntax::Mustache, Syntax::Handlebars);
        for (syntax, text, values, expected) in [
            (jinja, "{% if on %}a{% endif %}", json!({"on": "false"}), Some(flag("on", "false"))),
            (jinja, "{% if on %}a{% endif %}", json!({"on": " No"}), Some(flag("on", "No"))),
            (jinja, "{% if on %}a{% endif %}", json!({"on": "MIT"}), None),
            (jinja, "{% if on %}a{% endif %}", json!({"on": ""}), None),
            (jinja, "{% if on %}a{% endif %}", json!({"on": false}), None),
            (jinja, "{% if on %}{{ on }}{% endif %}", json!({"on": "no"}), None),
            (
                jinja,
                "{% for o in os %}{{ o.n }}{% if o.on %}{% endif %}{% endfor %}",
                json!({"os": [{"n": 1, "on": true}, {"n": 2, "on": "off"}, {"n": 3, "on": "no"}]}),
                Some(flag("os[1].on", "off")),
            ),
            (handlebars, "{{#if on}}a{{/if}}", json!({"on": "0"}), Some(flag("on", "0"))),
            (mustache, "{{#on}}a{{/on}}", json!({"on": "false"}), Some(flag("on", "false"))),
            (mustache, "{{#on}}{{.}}{{/on}}", json!({"on": "false"}), None),
            (mustache, "{{#on}}{{a}}{{/on}}", json!({"a": 1, "on": "off"}), Some(flag("on", "off"))),
            (mustache, "{{#on}}{{a}}{{/on}}", json!({"a": 1, "on": "x"}), None),
            (jinja, "{% for x in xs %}{{ x }}{% endfor %}", json!({"xs": "abc"}), Some(list("xs"))),
            (jinja, "{{ xs|join(', ') }}", json!({"xs": "abc"}), Some(list("xs"))),
            (jinja, "{{ xs }}{% for x in xs %}{{ x }}{% endfor %}", json!({"xs": "abc"}), None),
            (jinja, "{{ xs|length }}{% if 'a' in xs %}{{ xs[0] }}{% endif %}", json!({"xs": "abc"}), None),
            (handlebars, "{{#each xs}}{{this}}{{/each}}", json!({"xs": "abc"}), Some(list("xs"))),
        ] {
            assert_eq!(output(text, syntax, &values), Vec::from_iter(expected), "{text} {values}");
        }
    }

    #[test]
    fn a_text_for_a_number_is_reported_unless_it_was_typed_and_is_one() {
        let given = |path: &str, text: &str, number: &str| {
            Some(format!("'{path}' is a number, but the text '{text}' is given for it; give {number} without quotes"))
        };
        let no_number = |path: &str, text: &str| {
            let end = "write it as in JSON, such as 1000 or -0.5";
            Some(format!("'{path}' is a number, but the text '{text}' is given for it; {end}"))
        };
        let other =
            |text: &str, end: &str| Some(format!("'n' is a number, but the text '{text}' is given for it; {end}"));
        let zeros = |text: &str| other(text, "write it without leading zeros");
        let large = |text: &str| other(text, "it is too large");
        for (text, values, expected, when_typed) in [
            ("{{ port * 2 }}", json!({"port": "80"}), given("port", "80", "80"), None),
            ("{{ port * 2 }}", json!({"port": " +.5"}), given("port", "+.5", "0.5"), None),
            ("{{ port * 2 }}", json!({"port": 80}), None, None),
            ("{{ port }}", json!({"port": "80"}), None, None),
            ("{{ n * 2 if n }}", json!({"n": ""}), None, None),
            ("{{ n - 2 }}", json!({"n": "1,000"}), no_number("n", "1,000"), no_number("n", "1,000")),
            ("{{ n - 2 }}", json!({"n": "."}), no_number("n", "."), no_number("n", ".")),
            ("{{ n * 2 }}{{ -n }}", json!({"n": "-."}), no_number("n", "-."), no_number("n", "-.")),
            ("{{ 7 % n }}", json!({"n": "+."}), no_number("n", "+."), no_number("n", "+.")),
            ("{% if n > 0 %}{{ n }}{% endif %}", json!({"n": "x"}), no_number("n", "x"), no_number("n", "x")),
            ("{{ xs|sum }}", json!({"xs": ["x"]}), no_number("xs[0]", "x"), no_number("xs[0]", "x")),
            (
                "{{ n|round }}{{ xs|sum(attribute='a') }}",
                json!({"n": 1, "xs": [{"a": "x"}]}),
                no_number("xs[0].a", "x"),
                no_number("xs[0].a", "x"),
            ),
            // A text may be repeated, formatted or compared.
            ("{{ n * 20 }}{{ n * t|length }}{{ n * k }}", json!({"k": 1, "n": "-", "t": "x"}), None, None),
            ("{{ n % t }}{{ n % 2 }}", json!({"n": "Hello %s", "t": "x"}), None, None),
            ("{% if n == 0 or n != 1 or n in [80, 443] %}{% endif %}", json!({"n": "auto"}), None, None),
            // The template asks for the type.
            ("{% if n is string %}{{ n }}{% else %}{{ n * 2 - 1 }}{% endif %}", json!({"n": "4"}), None, None),
            ("{{ n - 1 if n is number else n }}", json!({"n": "auto"}), None, None),
            ("{% for n in xs if n is not string %}{{ -n }}{% endfor %}", json!({"xs": [1, "x"]}), None, None),
            ("{{ xs|select('number')|sum }}", json!({"xs": [1, "x"]}), None, None),
            ("{{ n - 2 }}", json!({"n": "007"}), zeros("007"), zeros("007")),
            ("{{ n - 2 }}", json!({"n": "1e400"}), large("1e400"), large("1e400")),
            (
                "{{ n - 2 }}",
                json!({"n": "99999999999999999999"}),
                large("99999999999999999999"),
                large("99999999999999999999"),
            ),
            ("{% if n == 3 %}{% endif %}", json!({"n": "3"}), given("n", "3", "3"), None),
            ("{{ -n }}{{ range(n) }}", json!({"n": "3"}), given("n", "3", "3"), None),
            (
                "{% for p in xs %}{{ p.a * p.b }}{% endfor %}",
                json!({"xs": [{"a": 1, "b": 2}, {"a": "9.5", "b": 2}]}),
                given("xs[1].a", "9.5", "9.5"),
                None,
            ),
            ("{{ xs|sum }}", json!({"xs": [1, "2", "3"]}), given("xs[1]", "2", "2"), None),
            (
                "{% if n %}{% endif %}",
                json!({"n": "0"}),
                Some("'n' is yes or no, and the text '0' counts as yes; give false without quotes".to_owned()),
                None,
            ),
            (
                "{% if n %}{% endif %}",
                json!({"n": "no"}),
                Some("'n' is yes or no, and the text 'no' counts as yes; give false without quotes".to_owned()),
                Some("'n' is yes or no, and the text 'no' counts as yes".to_owned()),
            ),
        ] {
            let tree = variables(text, Syntax::Jinja2).unwrap();
            let typed = values.as_object().unwrap().keys().cloned().collect();
            for (typed, expected) in [(BTreeSet::new(), expected), (typed, when_typed)] {
                let found = check_values(&tree, &values, &typed, Syntax::Jinja2).sentences();
                assert_eq!(found, Vec::from_iter(expected), "{text} {values} {typed:?}");
            }
        }
    }

    #[test]
    fn the_json_to_give_for_a_list_has_its_form() {
        let tree = variables("{% for x in xs %}{{ x.n }}{% endfor %}{{ ys|join }}", Syntax::Jinja2).unwrap();
        for (values, expected) in [
            (json!({"xs": "abc", "ys": "a"}), [r#"[{"n":""}]"#, r#"[""]"#]),
            (json!({"xs": r#"[ {"n": 1} ]"#, "ys": "{}"}), [r#"[{"n":1}]"#, r#"[""]"#]),
        ] {
            let found = checked(&tree, &values, Syntax::Jinja2).misread;
            let json: Vec<&str> = found.iter().filter_map(|misread| misread.json.as_deref()).collect();
            assert_eq!(json, expected);
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
            for values in [skeleton(&tree), sample(&tree)] {
                let used = tree.iter().map(|variable| variable.name.clone()).collect();
                assert_eq!(checked(&tree, &values, syntax), ValueCheck { used, ..ValueCheck::default() }, "{text}");
            }
        }
    }

    #[test]
    fn names_that_items_inherit_are_used() {
        let tree = variables("{{#xs}}{{p}}{{#on}}{{q}}{{/on}}{{n}}{{/xs}}", Syntax::Mustache).unwrap();
        let used =
            checked(&tree, &json!({"p": 1, "q": 2, "n": 3, "xs": [{"on": true, "n": 4}]}), Syntax::Mustache).used;
        assert_eq!(used.into_iter().collect::<Vec<_>>(), ["p", "q", "xs"]);
    }

    #[test]
    fn reports_are_bounded() {
        let many: Map<String, Value> = (0..20_000).map(|n| (format!("name{n}"), json!(n))).collect();
        let items: Vec<Value> = (0..110_000).map(|n| json!({ "n": n })).collect();
        let tree = variables("{% for x in xs %}{{ x.n }}{% endfor %}", Syntax::Jinja2).unwrap();
        let mut values = many;
        values.insert("xs".to_owned(), Value::Array(items));
        let fit = checked(&tree, &Value::Object(values), Syntax::Jinja2);
        assert_eq!((fit.unused.len(), fit.missing.len()), (100, 0));
    }
}
