//! The law between the variable tree and rendering: the variables found in a template are enough to render it. With the
//! values of the skeleton or the sample, nothing is undefined, however names are shadowed.

use proptest::prelude::*;

use super::{RenderJob, render};
use crate::{Syntax, analyse, sample, skeleton};

/// The errors about undefined values when rendering with either document made from the tree.
fn undefined(text: &str, syntax: Syntax) -> Vec<String> {
    let analysis = analyse(text, Some(syntax));
    let mut found: Vec<String> = analysis.problem.iter().map(ToString::to_string).collect();
    for values in [skeleton(&analysis.variables), sample(&analysis.variables)] {
        let reported = match render(&RenderJob::new(text, syntax, values.clone())) {
            Ok(rendered) => rendered.warnings,
            Err(error) => vec![error.message],
        };
        found.extend(
            reported
                .into_iter()
                .filter(|reported| reported.contains("undefined"))
                .map(|reported| format!("{reported} with {values}")),
        );
    }
    found
}

#[test]
fn typical_templates() {
    for text in [
        "{{ loop }}{{ first }}{{ last }}{{ index }}{{ items }}{{ keys }}{{ range }}{{ self }}",
        "{% for x in items %}{{ x.items }}{{ loop.index0 }}{% endfor %}{{ loop }}",
        "{{ a }}{% if a.b %}{{ a.b }}{% endif %}",
        "{% set name = name|upper %}{{ name }}{% set x = x or 'd' %}{{ x }}",
        "{% set a = 1 %}{{ a }}{% for a in many %}{{ a.n }}{% endfor %}{{ a }}",
        "{% for x in xs %}{% for x in x.ys %}{{ x.z }}{% endfor %}{{ x.w }}{% endfor %}{{ x }}",
        "{% for k, v in d|dictsort %}{{ k }}{{ v }}{% endfor %}{% for k, v in e.items() %}{{ k }}{{ v.name }}{% endfor %}",
        "{% if x is mapping %}{{ x.y }}{% else %}{{ x }}{% endif %}",
        "{% if x is string %}{{ x }}{% elif x is iterable %}{% for y in x %}{{ y }}{% endfor %}{% endif %}",
        "{{ xs|join(sep) }}{{ s|replace(old, new) }}{{ 'x'|replace('x', r) }}{{ t|default(y) }}",
        "{{ xs|map(attribute='a.b')|join }}{{ ys|sort(attribute='k')|map(attribute='n')|join }}",
        "{% for g in xs|groupby('kind') %}{{ g.grouper }}{% for i in g.list %}{{ i.name }}{% endfor %}{% endfor %}",
        "{% for k, g in xs|groupby('kind') %}{% for i in g %}{{ i.name }}{% endfor %}{% endfor %}",
        "{% for row in xs|batch(2) %}{% for x in row %}{{ x.n }}{% endfor %}{% endfor %}",
        "{{ m['a'] }}{{ xs[0] }}{{ ys[-1].n }}{{ a.b.c }}{{ a['d e'] }}",
        "{{ x if x is defined else y }}{% if a and b.c %}{{ b.c }}{% endif %}",
        "{% for x in xs if x.on %}{{ x.name }}{% else %}none{% endfor %}",
        "{% for x in xs|selectattr('on')|list %}{{ x.name }}{% endfor %}{{ (ys|sort(attribute='k')|first).name }}",
        "{% set first = xs|first %}{{ first.name }}{% set y = ys|selectattr('a')|list %}{% for x in y %}{{ x.b }}{% endfor %}",
        "{% with a=b.c %}{{ a.d }}{% endwith %}{{ a }}",
        "{% for x in (xs or []) %}{{ x.n }}{% endfor %}{% for x in ys|default([]) %}{{ x.n }}{% endfor %}",
        "{% for x in xs %}{{ x }}{{ x.n }}{% endfor %}{{ xs }}",
        "{{ xs|tojson }}{{ '%s %s'|format(a, b.c) }}{% filter upper %}{{ d }}{% endfilter %}",
        "{% set a %}{{ b }}{% endset %}{{ a }}{% if not c %}{{ d }}{% endif %}",
        "{% if a is defined and a %}{{ a.b }}{% endif %}{% if x.y is defined %}{{ x.y.z }}{% endif %}",
        "{% for f in fields %}{% if f.type == 'S' %}{{ f.size|default(2) }}{% elif f.nullable is defined and f.nullable %}?{% endif %}{% endfor %}",
        "{% for a in xs %}{% set b = a.c %}{{ b.d }}{% endfor %}{{ (a or b).c }}{{ q if r else t }}",
        "{{ xs[1:] }}{% for x in xs[1:] %}{{ x }}{% endfor %}{% for x in ys|reverse %}{{ x.n }}{% endfor %}",
        "{% set xs = xs|sort(attribute='n') %}{% for x in xs %}{{ x.m }}{% endfor %}{{ ys|join(',', attribute='n') }}",
    ] {
        assert_eq!(undefined(text, Syntax::Jinja2), Vec::<String>::new(), "{text}");
    }
    for text in [
        "{{self}}{{loop}}{{first}}{{last}}{{index}}{{keys}}{{#first}}x{{/first}}",
        "{{#items}}{{.}}{{name}}{{/items}}{{items.length}}",
        "{{#a}}{{a}}{{b}}{{/a}}{{^a}}{{a}}{{c}}{{/a}}",
        "{{a}}{{#a}}{{b}}{{/a}}{{#a.b}}{{c}}{{/a.b}}{{a.b.d}}",
        "{{#a}}{{#b}}{{a.c}}{{/b}}{{/a}}{{#a}}{{.}}{{#b}}{{.}}{{/b}}{{/a}}",
        "{{#xs}}{{#first}}{{n}}{{/first}}{{@index}}{{^last}},{{/last}}{{/xs}}",
        "{{#a}}{{#a}}{{b}}{{/a}}{{/a}}{{#.}}{{c}}{{/.}}",
        "{{#xs}}{{#ys}}{{#zs}}{{v}}{{/zs}}{{/ys}}{{/xs}}{{#xs}}{{m}}{{/xs}}{{^xs}}none{{/xs}}",
        "{{#person}}{{name}}{{#address}}{{street}}{{/address}}{{/person}}{{person.address.city}}",
        "{{#isA}}{{name}}{{/isA}}{{#isB}}{{name}}{{/isB}}{{#hasItems}}{{#items}}{{name}}{{/items}}{{/hasItems}}",
    ] {
        assert_eq!(undefined(text, Syntax::Mustache), Vec::<String>::new(), "{text}");
    }
    for text in [
        "{{#if items.length}}{{#each items}}{{name}}{{/each}}{{/if}}{{#each rows}}{{a}}{{../rows.length}}{{/each}}",
        "{{box.width}}x{{box.length}}{{#each lists}}{{this.length}}{{/each}}{{#each rolls}}{{n}}{{this.length}}{{/each}}",
        "{{#with xs.length as |n|}}{{n}}{{../a}}{{/with}}{{#xs.length}}{{../b}}{{/xs.length}}",
        "{{#each items}}{{#with this}}{{name}} {{../title}}{{/with}}{{../../up}}{{/each}}",
        "{{#each a}}{{#each ../a}}{{../x}}{{x}}{{/each}}{{/each}}",
        "{{#if a}}A{{else with b as |p|}}{{c}}{{p.d}}{{../e}}{{else}}{{f}}{{/if}}",
        "{{#if a}}A{{else if b}}{{b.c}}{{else each xs}}{{n}}{{../m}}{{/if}}",
    ] {
        assert_eq!(undefined(text, Syntax::Handlebars), Vec::<String>::new(), "{text}");
    }
}

/// Generates templates from numbers. Lists are named `l…`, objects `o…`, everything else `s…`, so no name has two
/// meanings.
struct TemplateGenerator<'a> {
    numbers: std::slice::Iter<'a, u8>,
    out: String,
    /// Names of items in scope.
    items: Vec<String>,
}

impl TemplateGenerator<'_> {
    fn pick(&mut self, of: u8) -> u8 {
        self.numbers.next().map_or(0, |number| number % of)
    }

    /// A path to a value whose name begins with `kind`.
    fn path(&mut self, kind: char) -> String {
        let mut path = String::new();
        if !self.items.is_empty() && self.pick(2) == 1 {
            let at = usize::from(self.pick(8)) % self.items.len();
            path = format!("{}.", self.items[at]);
        }
        if self.pick(4) == 1 {
            path.push_str(&format!("o{}.", self.pick(2)));
        }
        format!("{path}{kind}{}", self.pick(3))
    }

    fn jinja(&mut self, depth: u8) {
        for _ in 0..self.pick(4) {
            match self.pick(if depth == 0 { 6 } else { 9 }) {
                0 | 1 => self.out.push_str("text "),
                2 => {
                    let (name, end) =
                        (self.path('s'), ["", "|upper", "|default('d')", " ~ 'x'", "|replace('a', s0)", " == 'x'"]);
                    let end = end[usize::from(self.pick(6))];
                    self.out.push_str(&format!("{{{{ {name}{end} }}}}"));
                }
                3 => {
                    let list = self.path('l');
                    let field = self.pick(3);
                    self.out
                        .push_str(&format!("{{{{ {list}|map(attribute='s{field}')|join }}}}{{{{ {list}|length }}}}"));
                }
                4 => {
                    let (name, target) = (self.path('s'), self.pick(2));
                    self.out.push_str(&format!("{{% set t{target} = {name} %}}{{{{ t{target} }}}}"));
                }
                5 => {
                    let name = self.path('o');
                    self.out.push_str(&format!("{{% with w = {name} %}}{{{{ w.s0 }}}}{{% endwith %}}"));
                }
                6 => {
                    let (test, name) = (["{}", "not {}", "{} is defined", "{} == 'a'"], self.path('s'));
                    let test = test[usize::from(self.pick(4))].replace("{}", &name);
                    self.out.push_str(&format!("{{% if {test} %}}"));
                    self.jinja(depth - 1);
                    self.out.push_str("{% else %}");
                    self.jinja(depth - 1);
                    self.out.push_str("{% endif %}");
                }
                _ => {
                    let (list, item) =
                        (self.path('l'), format!("{}{}", ["i", "s", "o"][usize::from(self.pick(3))], self.pick(2)));
                    self.out.push_str(&format!("{{% for {item} in {list} %}}{{{{ loop.index }}}}{{{{ {item}.s1 }}}}"));
                    self.items.push(item);
                    // A name bound to an item is not a variable here. Deeper levels use only names of items.
                    let shadowed = self.items.last().is_some_and(|item| !item.starts_with('i'));
                    if !shadowed {
                        self.jinja(depth - 1);
                    }
                    self.items.pop();
                    self.out.push_str("{% endfor %}");
                }
            }
        }
    }

    fn mustache(&mut self, depth: u8) {
        for _ in 0..self.pick(5) {
            match self.pick(if depth == 0 { 4 } else { 7 }) {
                0 => self.out.push_str("text "),
                1 => self.out.push_str("{{.}}{{first}}{{@index}}"),
                2 | 3 => {
                    let name = self.path('s');
                    self.out.push_str(&format!("{{{{{name}}}}}"));
                }
                at => {
                    let (sign, name) = (if at == 4 { '^' } else { '#' }, self.path(if at == 6 { 'l' } else { 's' }));
                    self.out.push_str(&format!("{{{{{sign}{name}}}}}"));
                    self.mustache(depth - 1);
                    self.out.push_str(&format!("{{{{/{name}}}}}"));
                }
            }
        }
    }
}

fn made(numbers: &[u8]) -> TemplateGenerator<'_> {
    TemplateGenerator { numbers: numbers.iter(), out: String::new(), items: Vec::new() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn jinja2_uses_only_variables_in_the_tree(numbers in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut maker = made(&numbers);
        maker.jinja(3);
        prop_assert_eq!(undefined(&maker.out, Syntax::Jinja2), Vec::<String>::new(), "{}", maker.out);
    }

    #[test]
    fn mustache_uses_only_variables_in_the_tree(numbers in prop::collection::vec(any::<u8>(), 0..60)) {
        let mut maker = made(&numbers);
        maker.mustache(3);
        let top_level = maker.out.replace("{{first}}{{@index}}", "");
        prop_assert_eq!(undefined(&top_level, Syntax::Mustache), Vec::<String>::new(), "{}", top_level);
    }
}
