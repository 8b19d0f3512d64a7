//! Tables of the variables found in each of the three languages: `?` optional, `!` flag, `[…]` list of items with these
//! fields, `{…}` object; `#` a number, `*` any value, a digit in brackets that items are unpacked into this many names.

use std::collections::BTreeMap;

use serde_json::json;

use super::render::{RenderJob, render};
use super::{
    Syntax, ValueType, Variable, VariableKind, analyse, give_flags, sample, schema, skeleton, uses_root, variables,
};

fn shown(variables: &[Variable]) -> String {
    let one = |variable: &Variable| {
        let fields = shown(&variable.fields);
        let optional = if variable.optional { "?" } else { "" };
        let value_type = match variable.value_type {
            ValueType::Plain => String::new(),
            ValueType::Number => "#".to_owned(),
            ValueType::Unpacked(names) => names.to_string(),
            ValueType::Any => "*".to_owned(),
        };
        let kind = match variable.kind {
            VariableKind::Scalar => value_type,
            VariableKind::Flag => "!".to_owned(),
            VariableKind::List => format!("[{value_type}{fields}]"),
            VariableKind::Object => format!("{{{fields}}}"),
        };
        format!("{}{kind}{optional}", variable.name)
    };
    variables.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn check(syntax: Syntax, table: &[(&str, &str)]) {
    for (text, expected) in table {
        let tree = variables(text, syntax).map(|tree| shown(&tree)).unwrap_or_else(|error| format!("✗ {error}"));
        assert_eq!(tree, *expected, "{text}");
    }
}

#[test]
fn jinja2() {
    check(
        Syntax::Jinja2,
        &[
            ("", ""),
            ("{{ a }} {{ b.c }} {{ b['d'].e }}", "a b{c d{e}}"),
            ("{{ a | upper }}{{ a | replace('x', b) }}", "a b"),
            ("{{ a | default('x') }}{{ b.c | d(e) }}", "a? b{c?} e"),
            ("{% set a = a|default('x') %}{{ a }}{% with b = b|d('x') %}{{ b }}{% endwith %}{{ b }}", "a? b"),
            ("{% set o = o|default({}) %}{{ o.n }}{% set x, y = a|d(1), b %}{{ x }}{{ y }}", "a? b o{n?}?"),
            ("{{ (a or b)|default('z') }}{{ (c and d)|default('z') }}{{ e|first|d('z') }}", "a b? c d? e[]"),
            ("{{ (f|upper)|default('z') }}{{ (xs|default([1]))[0] }}{{ (ys[0]|default({})).n }}", "f xs[]? ys[n?]"),
            ("{% if a %}x{% endif %}{% if not b %}y{% endif %}", "a!? b!?"),
            // What `and` tests is its result only if it is false.
            (
                "{% set c = on and css %}{% if c %}{{ c|upper }}{% endif %}{% set n = f and p %}{{ n * 2 }}",
                "css f!? on!? p#",
            ),
            (
                "{% set o = show and user %}{% if o %}{{ o.name }}{% endif %}{% set xs = on and items %}\
                 {% for x in xs or [] %}{{ x.n }}{% endfor %}",
                "items[n] on!? show!? user{name?}",
            ),
            ("{% if a == 'x' or b > 2 %}{% endif %}", "a b#"),
            ("{% if a %}{{ a }}{% endif %}", "a"),
            ("{% if a is defined %}{{ a }}{% endif %}", "a?"),
            ("{% if a is not defined %}-{% else %}{{ a }}{% endif %}", "a?"),
            ("{% if a is defined and a.b == 1 %}{{ a.b }}{% endif %}", "a{b#?}?"),
            ("{{ a if a is defined else b }}", "a? b"),
            ("{% for x in xs %}{{ x }}{{ loop.index }}{% endfor %}", "xs[]"),
            ("{% for x in xs %}{{ x.n }}{{ x.t|d('q') }}{{ other }}{% endfor %}", "other xs[n t?]"),
            ("{% for x in xs %}{% for y in x.ys %}{{ y.z }}{% endfor %}{% endfor %}", "xs[ys[z]]"),
            ("{% for x in xs|sort(attribute='n') if x.ok %}{{ x.n }}{% endfor %}", "xs[n ok!?]"),
            ("{% for x in xs|default([]) %}{{ x.n }}{% endfor %}", "xs[n]?"),
            ("{% for k, v in m.items() %}{{ k }}{{ v }}{% endfor %}", "m{}"),
            ("{{ xs|map(attribute='n')|join(', ') }}", "xs[n]"),
            ("{{ xs|selectattr('ok')|list|length }}{{ ys|first }}", "xs[ok] ys[]"),
            ("{{ xs[0].n }}{{ (xs|first).m }}", "xs[m n]"),
            ("{% set y = a %}{{ y.b }}{% set z %}{{ c }}{% endset %}{{ z }}", "a{b} c"),
            ("{% with q = a.b %}{{ q }}{% endwith %}{{ q }}", "a{b} q"),
            ("{% set ns = namespace(n=0) %}{% for i in range(k) %}{% set ns.n = i %}{% endfor %}{{ ns.n }}", "k#"),
            ("{% raw %}{{ no }}{% endraw %}{# {{ no }} #}{{ '{{ no }}' ~ a }}", "a"),
            ("{% filter replace(a, b) %}{{ c }}{% endfilter %}", "a b c"),
            ("{{ m.get('k', 'v') }}{{ s.upper() }}", "m{k?} s"),
            ("{{ self }}{{ dict(a=b) }}{{ joiner()() }}", "b"),
            (
                "{{ first }}{{ last }}{{ index }}{{ items }}{{ keys }}{{ loop }}{{ range }}",
                "first index items keys last loop range",
            ),
            (
                "{{ namespace }}{{ dict.k }}{{ range(cycler) }}{% if joiner %}{% endif %}",
                "cycler# dict{k} joiner!? namespace",
            ),
            ("{{ größe }}{{ 名前.x }}", "größe 名前{x}"),
            ("{{ a, b.c }}{% set d, e = f, g %}{{ d.x }}{{ e }}", "a b{c} f{x} g"),
            ("{% with a = b, c = a, (d, e) = f %}{{ a.x }}{{ c }}{{ d }}{% endwith %}", "a b{x} f*"),
            ("\n{% if %}", "✗ 'if' at line 2 needs a condition"),
            ("{% for x in items %}{{ x.items }}{{ loop.index0 }}{% endfor %}{{ loop.x }}", "items[items] loop{x}"),
            // Below a branch, a name may refer to what either side assigned to it, or to what it referred to above.
            ("{% if x %}{% set v = p %}{% else %}{% set v = 1 %}{% endif %}{{ v * 2 }}", "p# x!?"),
            (
                "{% set v = p %}{% if x %}{% set v = 1 %}{% elif y %}{% set v = q %}{% endif %}{{ v + 2 }}",
                "p# q# x!? y!?",
            ),
            (
                "{% set u = o %}{% if x %}{% set u = a %}{{ u.m }}{% else %}{{ u.k }}{% endif %}{{ u.l }}",
                "a{l? m} o{k l?} x!?",
            ),
            ("{% if x %}{% set v = p %}{% endif %}{{ v.n }}", "p{n} x!?"),
            (
                "{% if x %}{% set v = p %}{% else %}{% set v = q %}{% endif %}{% for i in v %}{{ i.n }}{% endfor %}",
                "p[n?] q[n?] x!?",
            ),
            ("{% for v in [p, q] %}{% for i, j in v %}{{ i }}{% endfor %}{% endfor %}", "p[2] q[2]"),
            ("{% set name = name|upper %}{{ name }}{% set x = x or 'd' %}{{ x }}", "name x"),
            ("{% for x in xs %}{% for x in x.ys %}{{ x.z }}{% endfor %}{{ x.w }}{% endfor %}{{ x }}", "x xs[w ys[z]]"),
            ("{% for x in x %}{{ x.n }}{% endfor %}", "x[n]"),
            ("{% for n in tree recursive %}{{ n.v }}{{ loop(n.kids) }}{% endfor %}", "tree[kids[] v]"),
            ("{% for k, v in d|dictsort %}{{ k }}{{ v.n }}{% endfor %}", "d{}"),
            ("{% if x is mapping %}{{ x.y }}{% endif %}{% if s is string %}{{ s }}{% endif %}", "s x{y}"),
            ("{{ xs|join(sep) }}{{ s|replace(old, new) }}{{ t|indent(width) }}", "new old s sep t width xs[]"),
            (
                "{% for g in xs|groupby('k') %}{{ g.grouper }}{% for i in g.list %}{{ i.n }}{% endfor %}{% endfor %}",
                "xs[k n]",
            ),
            ("{% for k, g in xs|groupby('k') %}{{ k }}{% for i in g %}{{ i.n }}{% endfor %}{% endfor %}", "xs[k n]"),
            ("{% for row in xs|batch(2) %}{% for x in row %}{{ x.n }}{% endfor %}{% endfor %}", "xs[n]"),
            ("{{ (xs|selectattr('k')|first).n }}{{ ys|selectattr('q', 'defined')|list }}", "xs[k n] ys[q?]"),
            ("{{ xs|sort(attribute='a,b.c')|map(attribute='d', default='')|join }}", "xs[a b{c} d?]"),
            ("{{ lookup('env', name) }}{{ xs.total }}{% for x in xs %}{{ x }}{% endfor %}", "name xs{total}"),
            ("{% for x in xs %}{% set y = x.a %}{{ y.b }}{% endfor %}{% set f = xs|first %}{{ f.n }}", "xs[a{b} n]"),
            ("{{ '%s' % a }}{{ b ~ +c }}{% for x in d, e %}{{ x }}{% endfor %}", "a b c# d e"),
            ("{{ '%d' % a }}{{ '{} {:.2f}'.format(b, c) }}{% set n = d if d else e %}{{ n * 2 }}", "a# b c# d# e#"),
            ("a\n{% if x %}\n", "✗ 'if' opened at line 2 is never closed"),
            ("a\n{% endfor %}", "✗ 'endfor' at line 2 closes nothing"),
            ("{% for x in y %}\n{% endif %}", "✗ 'endif' at line 2 does not close the 'for' of line 1"),
            ("\n{{ a b }}", "✗ unexpected identifier, expected end of variable block at line 2"),
            ("\n{{ a", "✗ the tag opened at line 2 is never closed"),
            ("{{ a | }}", "✗ unexpected end of variable block, expected identifier at line 1"),
            ("{% else %}", "✗ 'else' at line 1 is outside an 'if' or 'for'"),
            ("# @generated\n{% nope %}", "✗ unknown tag 'nope' at line 2"),
            ("{% raw %}", "✗ the raw block opened at line 1 is never closed"),
            ("{{ a @ b }}", "✗ unexpected character '@' at line 1"),
            ("{{ a }}{# b #}\n{# c", "✗ the comment opened at line 2 is never closed"),
            ("\n{{ 'a\n\n", "✗ the string opened at line 2 is never closed"),
            ("\n{% raw %}\n\n", "✗ the raw block opened at line 2 is never closed"),
            ("{{ a[1:2) }}", "✗ unexpected ')' at line 1"),
            ("{{ a[1:2:3:4] }}", "✗ unexpected ':' at line 1"),
            ("{% set a %}{% elif b %}", "✗ 'elif' at line 1 is outside an 'if'"),
            ("{% for x in xs[1:] %}{{ x.n }}{% endfor %}{{ ys[-1].m }}{{ zs[a:b] }}", "a# b# xs[n] ys[m] zs"),
            ("{{ a[0]|upper }}{{ a[1:] }}{{ b[:3] ~ b[-1] }}{{ c.upper() }}{{ c[0] }}{{ d[0] }}", "a b c d[]"),
            (
                "{{ xs[1:]|join }}{{ ys[1:] }}{% for y in ys[i:] %}{{ y[0] }}{% endfor %}{{ zs[0] }}{{ zs[0].n }}",
                "i# xs[] ys[] zs[n]",
            ),
            ("{% if a[i:j] %}{% endif %}{{ (b|d('x'))[:2] }}{{ c[1:]|length }}", "a[] b? c[] i# j#"),
            ("{% for a, (b, c) in xs if b %}{{ c.n }}{% endfor %}{{ 'd' in e }}{{ f < g < h }}", "e[] f g h xs[]"),
        ],
    );
    for tag in
        ["include 'x'", "import 'x' as y", "from 'x' import y", "extends 'x'", "block x", "macro x()", "call x()"]
    {
        let word = tag.split(' ').next().unwrap();
        let error = variables(&format!("\n{{% {tag} %}}"), Syntax::Jinja2).unwrap_err();
        assert!(error.message.starts_with(&format!("'{word}' at line 2 is not supported")), "{error}");
    }
}

/// What a template does with a value says more than its kind, and a sample of it renders.
#[test]
fn samples_fit_what_jinja2_does_with_them() {
    for (text, tree, rendered) in [
        (
            "{% for i in range(1, replicas + 1) %}node{{ i }} {% endfor %}{% if count > 3 %}many{% endif %}",
            "count# replicas#",
            "node1 ",
        ),
        (
            "{{ a * 2 }}{{ 7 // b }}{{ -c }}{{ d % 2 }}{{ '-' * e }}{{ g|round|int }}{{ h|d(2) - 1 }}",
            "a# b# c# d# e# g# h#?",
            "27-11-10",
        ),
        (
            "{{ xs|sum }}{% for y in ys %}{{ y + 1 }}{% endfor %}{{ zs|sum(attribute='n') }}",
            "xs[#] ys[#] zs[n#]",
            "2222",
        ),
        (
            "{% if p in [80, 443] %}{% endif %}{{ t[:n] }}{{ t|center(w) }}{{ a.zfill(z) }}{% if 1 < q < 3 %}{% endif %}",
            "a n# p# q# t w# z#",
            "‹‹t›‹a›",
        ),
        ("{% if a is odd or b is gt(3) or c is eq('x') %}{% endif %}{{ loop.index + 1 }}", "a# b# c loop{index#}", "2"),
        ("{% for x in xs %}{{ loop.index0 + a }}{% endfor %}{% set i = 2 %}{{ i + b }}", "a# b# xs[]", "123"),
        ("{{ '%s' % a }}{{ b ~ 1 }}{% if c == 'x' %}{% endif %}{{ d|int + 1 }}", "a b c d", "‹a›‹b›11"),
        (
            "{% if v == 3 %}3{% elif v == 'new' %}n{% endif %}{% if w in [1] or w in ['x'] %}{% endif %}{{ x.zfill(3) }}\
             {% if x == 1 %}{% endif %}",
            "v w x",
            "‹x›",
        ),
        ("{% for row in rows %}{% for c in row %}{% if c == 1 %}{% endif %}{% endfor %}{% endfor %}", "rows[]", ""),
        ("{% set v = a+b+c+d+e+f+g+h+i %}{{ v * 2 }}", "a# b# c# d# e# f# g# h# i#", "18"),
        ("{{ (a + b) * c }}{{ (d + e)|float }}{{ '%.1f'|format(f + (g or 0)) }}", "a# b# c# d# e# f# g#", "22.02.0"),
        (
            "{% set s = (a or 0) + b %}{% if x %}{% set s = s + c %}{% endif %}{{ s * 2 }}{% set u = d + e %}{{ u }}",
            "a# b# c# d e x!?",
            "6‹d›‹e›",
        ),
        (
            "{{ ('a' + b + c) * 2 }}{{ (d|string + e)|int }}{{ ([f] + [g]) * 1 }}",
            "b c d e f g",
            "a‹b›‹c›a‹b›‹c›0['‹f›', '‹g›']",
        ),
        (
            "{% for x in [a, b] %}{{ x * 2 }}{% endfor %}{% for y in (c, d) %}{{ y.n }}{% endfor %}",
            "a# b# c{n?} d{n?}",
            "22‹n›‹n›",
        ),
        (
            "{% set ns = namespace(t=0, s='') %}{% set ns.t = ns.t + a %}{% set ns.s = ns.s + b %}{{ ns.t }}{{ ns.s }}",
            "a# b",
            "1‹b›",
        ),
        ("{% for k in config %}{{ k }}={{ config[k] }}{% endfor %}", "config{}", ""),
        ("{% for k in o.labels|sort %}{{ o.labels[k] }}{% endfor %}", "o{labels{}}", ""),
        ("{% for i in range(hosts|length) %}{{ hosts[i].name }}{% endfor %}", "hosts[name]", "‹name›‹name›"),
        (
            "{% for x in xs %}{{ ys[loop.index0] }}{{ zs[loop.index - one].n }}{% endfor %}",
            "one# xs[] ys[] zs[n]",
            "‹ys›‹n›‹ys›‹n›",
        ),
        ("{% for a, b in pairs %}{{ a }}{{ b }}{% endfor %}", "pairs[2]", "‹pairs›‹pairs›‹pairs›‹pairs›"),
        ("{% set a = b|tojson %}{% set c = d|pprint %}{{ e|tojson|length > 0 and f }}{{ f }}", "b* d* e* f", "‹f›‹f›"),
    ] {
        let variables = variables(text, Syntax::Jinja2).unwrap();
        assert_eq!(shown(&variables), tree, "{text}");
        let made = render(&RenderJob::new(text, Syntax::Jinja2, sample(&variables)));
        assert_eq!(made.map(|made| made.text).map_err(|error| error.message).as_deref(), Ok(rendered), "{text}");
    }
    let text = "{{ n + 1 }}{{ ns|sum }}{% for a, b in pairs %}{{ a }}{% endfor %}{% set d = any|tojson %}";
    let tree = variables(text, Syntax::Jinja2).unwrap();
    assert_eq!(skeleton(&tree), json!({"any": "", "n": "", "ns": [""], "pairs": [["", ""]]}));
    assert_eq!(
        schema(&tree)["properties"],
        json!({
            "any": {}, "n": {"type": "number"}, "ns": {"type": "array", "items": {"type": "number"}},
            "pairs": {"type": "array", "items": {"type": "array"}},
        })
    );
    assert_eq!(
        serde_json::to_value(&tree[1]).unwrap(),
        json!({"name": "n", "kind": "scalar", "optional": false, "fields": []})
    );
}

#[test]
fn mustache() {
    check(
        Syntax::Mustache,
        &[
            ("{{a}}{{{b}}}{{&c}}{{! d }}{{>e}}", "a b c"),
            ("{{a.b.c}}{{a.d}}", "a{b{c} d}"),
            ("{{#xs}}{{n}}{{/xs}}", "xs[n]"),
            ("{{#xs}}{{.}}{{^last}},{{/last}}{{/xs}}", "xs[]"),
            ("{{#xs}}{{first}}{{@index}}{{/xs}}{{first}}", "first xs[]"),
            ("{{p}}{{#xs}}{{p}}{{n}}{{/xs}}", "p xs[n]"),
            ("{{#xs}}{{p}}{{n}}{{/xs}}{{#ys}}{{p}}{{/ys}}{{p}}", "p xs[n] ys!?"),
            ("{{#on}}text{{/on}}{{^off}}text{{q}}{{/off}}", "off!? on!? q"),
            ("{{#owner}}by {{owner}}{{/owner}}", "owner?"),
            ("{{#o}}{{o.name}}{{/o}}", "o{name?}?"),
            ("{{#a}}{{#b}}{{c}}{{/b}}{{/a}}{{#a}}{{d}}{{/a}}", "a[b[c] d]"),
            ("{{#a}}{{#b}}{{c}}{{/b}}{{c}}{{/a}}", "a[b!? c]"),
            ("{{#a.b}}{{c}}{{/a.b}}", "a{b[c]}"),
            ("{{#objs.0}}{{name}}{{/objs.0}}{{xs.1}}{{0}}", "0 objs[name] xs[]"),
            ("{{=<% %>=}}<%a%>{{b}}", "a"),
            ("{{#a}}{{.}}{{n}}{{/a}}{{first}}{{index}}{{self}}{{items}}", "a[n] first index items self"),
            ("{{#a}}{{n}}{{/a}}{{a.total}}", "a{n total}"),
            ("{{a}}{{#a}}{{b}}{{/a}}{{^a}}{{c}}{{/a}}", "a[b] c"),
            ("{{#a}}{{#first}}{{n}}{{/first}}{{^last}},{{/last}}{{/a}}", "a[n]"),
            ("{{#a}}{{#a}}{{b}}{{/a}}{{/a}}{{^a}}{{a}}{{/a}}", "a[b]"),
            ("{{#a}}{{>self}}{{n}}{{/a}}", "a[n]"),
            ("${{{NAME}}_URL}", "NAME"),
            ("print(f'{{{{ y }}}}') {{x}}", "x"),
            ("{{../x}}{{.a}}{{a.}}{{a..b}}{{#a}}{{../y}}{{n}}{{/a}}{{# b . c }}{{/ b . c }}", "a[n]"),
            ("x\n{{#a}}", "✗ section 'a' opened at line 2 is never closed"),
            ("{{#a}}\n{{/b}}", "✗ section 'a' of line 1 is closed by 'b' at line 2"),
            ("\n\n{{/b}}", "✗ section 'b' is closed at line 3 but was never opened"),
            ("{{", "✗ the tag opened at line 1 is never closed"),
            ("{{ }}", "✗ empty tag at line 1"),
            ("\n{{=a=}}", "✗ delimiters at line 2 must be two words without '='"),
        ],
    );
}

#[test]
fn the_root_can_be_used_as_a_whole() {
    use Syntax::{Handlebars, Jinja2, Mustache};
    let partials = BTreeMap::from([("p".to_owned(), "{{.}}".to_owned())]);
    for (syntax, text, expected) in [
        (Mustache, "{{.}}", true),
        (Mustache, "{{#.}}x{{/.}}", true),
        (Mustache, "{{>p}}", true),
        (Mustache, "{{#a}}{{.}}{{#.}}x{{/.}}{{>p}}{{/a}}", false),
        (Mustache, "{{a.b}}{{this}}{{../a}}", false),
        (Handlebars, "{{this}}", true),
        (Handlebars, "{{.}}", true),
        (Handlebars, "{{#each this}}x{{/each}}", true),
        (Handlebars, "{{#each a}}{{@root}}{{/each}}", true),
        (Handlebars, "{{#each this}}{{@key}}={{this}}{{/each}}", true),
        (Handlebars, "{{#each a}}{{#each @root}}{{@key}}{{/each}}{{/each}}", true),
        (Handlebars, "{{#with a}}{{..}}{{/with}}", true),
        (Handlebars, "{{#with a}}{{this}}{{/with}}{{#each a}}{{.}}{{/each}}{{#with this}}{{b}}{{/with}}", false),
        (Handlebars, "{{#each a}}{{this.b}}{{../c}}{{/each}}", false),
        (Jinja2, "{{ a }}{% for x in xs %}{{ x }}{% endfor %}", false),
    ] {
        assert_eq!(uses_root(text, syntax, &partials), expected, "{text}");
    }
}

#[test]
fn handlebars() {
    check(
        Syntax::Handlebars,
        &[
            ("{{#each xs}}{{n}}{{#unless @last}},{{/unless}}{{else}}{{none}}{{/each}}", "none xs[n]"),
            ("{{#if a}}{{a}}{{b}}{{else}}{{c}}{{/if}}", "a? b c"),
            ("{{#with o}}{{n}}{{../p}}{{@root.q}}{{/with}}", "o{n} p q"),
            ("{{#xs}}{{this}}{{#if a.b}}{{a.b}}{{/if}}{{/xs}}", "xs[a{b?}?]"),
            ("{{#each xs as |x i|}}{{x}}{{i}}{{n}}{{/each}}", "xs[n]"),
            ("{{#each xs as |x i|}}{{x.a}}{{#each x.ys as |y|}}{{y.b}}{{x.c}}{{i}}{{/each}}{{/each}}", "xs[a c ys[b]]"),
            ("{{#each xs}}{{this}}{{/each}}{{#each ys}}{{this.n}}{{./m}}{{this/k}}{{/each}}", "xs[] ys[k m n]"),
            ("{{#each xs as |n i|}}{{../n}}{{this.n}}{{./i}}{{@root.i}}{{n.m}}{{i}}{{/each}}", "i n xs[i m n]"),
            ("{{#each xs}}{{#with ..}}{{n}}{{/with}}{{/each}}", "n xs[]"),
            ("{{#each m}}{{@key}}: {{this}}{{n}}{{../p}}{{@root.q}}{{/each}}", "m{} p q"),
            ("{{#each m as |v k|}}{{@key}}{{v.n}}{{k}}{{/each}}", "m{}"),
            ("{{#each m}}{{#each xs}}{{@key}}{{/each}}{{/each}}", "m[xs{}]"),
            ("{{#with o as |p|}}{{p.n}}{{m}}{{/with}}", "o{m n}"),
            ("{{xs.[0].n}}{{#each xs}}{{m}}{{/each}}{{ys.0}}{{#if zs}}{{zs.1}}{{/if}}", "xs[m n] ys[] zs[]?"),
            (
                "{{#with xs.0}}{{n}}{{/with}}{{#if a.[0].b}}x{{/if}}{{#each ys as |y|}}{{y.[1]}}{{/each}}",
                "a[b!?]? xs[n] ys[]",
            ),
            ("{{responses.404.description}}{{years.2026}}", "responses{404{description}} years{2026}"),
            ("{{lookup o 'a b'}}{{lookup xs 0}}{{lookup m k}}", "k m{} o{a b} xs[]"),
            ("{{#each xs}}{{lookup ../ys @index}}{{/each}}", "xs[] ys[]"),
            ("{{~#if a~}} {{~a~}} {{~else~}} {{~b~}} {{~/if~}}", "a? b"),
            ("{{o.[a b].c}}{{[x-y]}}{{o/d}}{{o.[e.f]}}", "o{a b{c} d e.f} x-y"),
            ("{{#if (eq a \"x\")}}{{b}}{{else if c}}{{c}}{{/if}}{{helper (other d) k=(third e)}}", "a b c? d e"),
            (
                "{{#each xs}}{{#each ys}}{{../a}}{{../../b}}{{#if c}}{{../d}}{{/if}}{{/each}}{{/each}}",
                "b xs[a d ys[c!?]]",
            ),
            (
                "{{#each xs}}{{@index}}{{@first}}{{@last}}{{first}}{{last}}{{#@last}}{{n}}{{../m}}{{/@last}}{{/each}}",
                "m xs[n]",
            ),
            ("{{#each items}}{{#with this}}{{name}}{{../title}}{{/with}}{{../../up}}{{/each}}", "items[name title up]"),
            ("{{#each a}}{{#each ../a}}{{../x}}{{x}}{{/each}}{{/each}}{{../y}}", "a[x] y"),
            ("{{#each m}}{{@key}}{{#if this}}{{n}}{{/if}}{{#with this}}{{../n}}{{../../p}}{{/with}}{{/each}}", "m{} p"),
            ("{{#with @root}}{{a}}{{/with}}{{#with 's'}}{{b}}{{../c}}{{/with}}", "a c"),
            ("{{#if a}}A{{else with b as |p|}}{{c}}{{p.d}}{{../e}}{{else}}{{f}}{{/if}}", "a!? b{c d} e f"),
            ("{{#if a}}A{{else if b}}{{b.c}}{{else unless d}}{{d}}{{else each xs}}{{n}}{{/if}}", "a!? b{c?}? d xs[n]"),
            ("{{#if a}}A{{else each m}}{{@key}}{{n}}{{/if}}{{#each xs}}{{^}}{{@key}}{{/each}}", "a!? m{} xs[]"),
            ("{{^if a}}{{a}}{{b}}{{/if}}{{^unless c}}{{c}}{{/unless}}", "a b c?"),
            ("{{#if items.length}}{{#each items}}{{name}}{{/each}}{{/if}}", "items[name?]?"),
            (
                "{{#each items}}{{name}} of {{../items.length}}{{/each}}{{ys.length}}{{z.length}}{{z}}",
                "items[name] ys[] z",
            ),
            (
                "{{box.width}}x{{box.length}}{{#each rolls}}{{width}}{{this.length}}{{/each}}",
                "box{length width} rolls[length width]",
            ),
            ("{{#with xs.length as |n|}}{{n}}{{../a}}{{/with}}{{#xs.length}}{{../b}}{{/xs.length}}", "a b xs[]"),
            ("{{#each xs}}{{this.length}}{{/each}}{{#each ys}}{{length}}{{/each}}{{length}}", "length xs[] ys[length]"),
            ("{{#unless a}}x{{/unless}}{{^b}}y{{/b}}", "a!? b!?"),
            ("{{true}}{{null}}{{1}}{{'s'}}{{this}}", ""),
            ("{{#> box}}{{a}}{{/box}}", "a"),
            ("{{#each xs}}", "✗ block 'each' opened at line 1 is never closed"),
            ("\n{{/each}}", "✗ block 'each' is closed at line 2 but was never opened"),
            ("{{else}}", "✗ 'else' at line 1 is outside a block"),
            ("\n{{#if a", "✗ the tag opened at line 2 is never closed"),
            ("{{helper a \"b\" k=c}}{{!-- {{d}} --}}", "a c"),
            ("{{#if a}}\n{{/unless}}", "✗ block 'if' of line 1 is closed by 'unless' at line 2"),
        ],
    );
}

#[test]
fn values_that_are_only_tested_become_false() {
    use Syntax::{Handlebars, Jinja2, Mustache};
    for (syntax, text, mut values, expected, names) in [
        (Jinja2, "{% if x %}a{% endif %}", json!({}), json!({"x": false}), "x"),
        (Jinja2, "{% if not x %}a{% endif %}", json!({"x": 1}), json!({"x": 1}), ""),
        (Jinja2, "{{ 'a' if x and y }}{{ z }}", json!({}), json!({"x": false, "y": false}), "x y"),
        (Jinja2, "{% if x %}{{ x }}{% endif %}", json!({}), json!({}), ""),
        (Jinja2, "{% set c = on and css %}{{ c|upper if c }}", json!({"css": 1}), json!({"css": 1, "on": false}), "on"),
        // Values that the template does not need are not added.
        (Jinja2, "{% if x is defined and x %}a{% endif %}{% if y|d %}b{% endif %}", json!({}), json!({}), ""),
        (
            Jinja2,
            "{% if o.p %}{% endif %}{% for x in xs %}{% if x.q %}{{ x.n }}{% endif %}{% endfor %}",
            json!({"o": {}, "xs": [{"n": 1}, {"q": true}, 3]}),
            json!({"o": {"p": false}, "xs": [{"n": 1, "q": false}, {"q": true}, 3]}),
            "",
        ),
        // Only fields of the object are tested.
        (Jinja2, "{% if o.p.q %}{% endif %}", json!({}), json!({"o": {"p": {"q": false}}}), "o"),
        (Jinja2, "{% if o['p'] %}{% endif %}", json!({"o": 1}), json!({"o": 1}), ""),
        (
            Jinja2,
            "{% if a.b.c %}{{ a.d }}{% endif %}",
            json!({"a": {"d": 1}}),
            json!({"a": {"d": 1, "b": {"c": false}}}),
            "",
        ),
        (Jinja2, "{% if a.b.c %}{{ a.d }}{% endif %}", json!({}), json!({}), ""),
        (
            Jinja2,
            "{% for x in xs %}{% if x.f.g %}{% endif %}{{ x.n }}{% endfor %}",
            json!({"xs": [{"n": 1}]}),
            json!({"xs": [{"n": 1, "f": {"g": false}}]}),
            "",
        ),
        (Jinja2, "{% if o is defined and o.p %}{% endif %}", json!({}), json!({}), ""),
        // A value with a default elsewhere is not a flag.
        (Jinja2, "{{ b|d('z') }}{% if b %}{% endif %}", json!({}), json!({}), ""),
        (Mustache, "{{#x}}a{{/x}}", json!({}), json!({}), ""),
        (Handlebars, "{{#if x}}a{{/if}}", json!({}), json!({}), ""),
        (Jinja2, "{% if x %}", json!({}), json!({}), ""),
    ] {
        let given: Vec<String> = give_flags(text, syntax, &mut values).into_iter().map(|(name, _)| name).collect();
        assert_eq!(given.join(" "), names, "{text}");
        assert_eq!(values, expected, "{text}");
    }
}

#[test]
fn an_escaped_tag_of_handlebars_is_text() {
    for (text, names) in [(r"\{{a}} {{b}}", "b"), (r"\\{{a}}", "a"), (r"\{{{a}}} {{#if c}}{{/if}}", "c")] {
        let tree = variables(text, Syntax::Handlebars).unwrap();
        assert_eq!(tree.iter().map(|it| it.name.as_str()).collect::<Vec<_>>().join(" "), names, "{text}");
    }
}

#[test]
fn tested_values_with_a_default_elsewhere_are_required() {
    for (text, required) in [
        ("{{ b|d('z') }}{% if b %}y{% endif %}", "b"),
        ("{% if not b %}y{% endif %}{{ b|d('z') }}", "b"),
        ("{{ o.b|d('z') }}{% if o.b %}y{% endif %}", "o o.b"),
        ("{% for x in l|d([]) %}{% if l %}y{% endif %}{% endfor %}", "l"),
        ("{{ b|d('z') }}{% if b is defined and b %}y{% endif %}", ""),
        ("{% if o.p.q %}y{% endif %}", ""),
        ("{% if x %}{{ x|d('') }}{% endif %}", "x"),
    ] {
        fn required_in(tree: &[Variable], above: &str) -> Vec<String> {
            tree.iter()
                .filter(|it| !it.optional)
                .flat_map(|it| {
                    let path = format!("{above}{}", it.name);
                    let below = required_in(&it.fields, &format!("{path}."));
                    std::iter::once(path).chain(below)
                })
                .collect()
        }
        let tree = variables(text, Syntax::Jinja2).unwrap();
        assert_eq!(required_in(&tree, "").join(" "), required, "{text}");
    }
}

#[test]
fn documents_made_from_the_tree() {
    let text = "{{ a }}{% if on %}{% endif %}{% for x in xs %}{{ x.n }}{% endfor %}{{ o.p|d('') }}{{ ys|join }}";
    let tree = variables(text, Syntax::Jinja2).unwrap();
    let skeleton = skeleton(&tree);
    assert_eq!(skeleton.to_string(), r#"{"a":"","o":{"p":""},"on":false,"xs":[{"n":""}],"ys":[""]}"#);
    let sample = sample(&tree).to_string();
    assert_eq!(sample, r#"{"a":"‹a›","o":{"p":"‹p›"},"on":true,"xs":[{"n":"‹n›"},{"n":"‹n›"}],"ys":["‹ys›","‹ys›"]}"#);
    let schema = schema(&tree);
    assert_eq!(schema["required"], serde_json::json!(["a", "o", "xs", "ys"]));
    assert_eq!(schema["properties"]["xs"]["items"]["required"], serde_json::json!(["n"]));
}

#[test]
fn too_large_or_too_deep_is_an_error_that_names_the_limit() {
    let deep = |open: &str, close: &str, count: usize| format!("{}{}", open.repeat(count), close.repeat(count));
    for (syntax, text, limit) in [
        (Syntax::Jinja2, "x".repeat(1024 * 1024 + 1), "limit of 1048576 bytes"),
        (Syntax::Jinja2, format!("{{{{ a{} }}}}", "|upper".repeat(100_000)), "chains more than 200"),
        (Syntax::Jinja2, format!("{{{{ {}a }}}}", "not ".repeat(100_000)), "nests deeper than 48"),
        (Syntax::Jinja2, format!("{{{{ {} }}}}", deep("(", ")", 100_000)), "nests deeper than 48"),
        (Syntax::Jinja2, format!("{{% if a %}}{}{{% endif %}}", "{% elif a %}".repeat(10_000)), "more than 200 'elif'"),
        (
            Syntax::Jinja2,
            deep(&format!("{{% if a %}}{}", "{% elif a %}".repeat(200)), "{% endif %}", 48),
            "more than 200 'elif'",
        ),
        (Syntax::Jinja2, deep("{% if a %}", "{% endif %}", 10_000), "nest deeper than 48"),
        (Syntax::Mustache, deep("{{#a}}", "{{/a}}", 10_000), "nest deeper than 48"),
        (Syntax::Handlebars, deep("{{#if a}}", "{{/if}}", 10_000), "nest deeper than 48"),
    ] {
        let problem = analyse(&text, Some(syntax)).problem.map(|problem| problem.message).unwrap_or_default();
        assert!(problem.contains(limit), "{problem}");
    }
}

/// A template that no values can render also counts as broken in validation.
#[test]
fn unsupported_handlebars_features_are_problems() {
    for (text, expected) in [
        ("{{#if a}}{{foo b=1}}{{/if}}", "helper 'foo' at line 1 is not supported"),
        ("{{#if a}}x{{else}}y{{else}}z{{/if}}", "invalid Handlebars syntax at line 1"),
        ("{{#if a}}x{{else}}y{{/if}}", ""),
        // Compiling it would take half a minute.
        (&format!("{{{{#if a}}}}{}{{{{foo b=1}}}}{{{{/if}}}}", "{{b}}".repeat(100_000)), ""),
    ] {
        let problem = analyse(text, Some(Syntax::Handlebars)).problem.map(|problem| problem.message);
        assert!(problem.as_deref().unwrap_or_default().starts_with(expected), "{text}: {problem:?}");
        assert_eq!(problem.is_some(), !expected.is_empty(), "{text}");
    }
}

#[test]
fn typed_items_of_a_list_are_numbers_where_the_template_computes_with_them() {
    let values = json!({
        "rows": [{"name": "2.50", "qty": "10"}, {"name": "10", "qty": "2.50"}], "prices": ["10", "2.50"], "tags": ["1.0"],
    });
    for (text, expected) in [
        ("{{ rows|sum(attribute='qty') }}", "12.5"),
        ("{{ rows|map(attribute='qty')|sum }}", "12.5"),
        ("{% for r in rows|sort(attribute='qty') %}{{ r.name }} {{ r.qty * 2 }};{% endfor %}", "10 5.0;2.50 20;"),
        ("{{ prices|sum }} {{ prices|max }} {{ prices|sort|join(' ') }} {{ tags|first }}", "12.5 10 2.50 10 1.0"),
        ("{% for p in prices %}{{ p + 1 }} {% endfor %}{{ tags }}", "11 3.5 ['1.0']"),
        ("{% for p in prices|reverse %}{{ p }} {% endfor %}", "2.50 10 "),
    ] {
        let typed = ["rows", "prices", "tags"].map(str::to_owned).into();
        let job = RenderJob { typed, ..RenderJob::new(text, Syntax::Jinja2, values.clone()) };
        assert_eq!(
            render(&job).map(|made| made.text).map_err(|error| error.message).as_deref(),
            Ok(expected),
            "{text}"
        );
    }
}
