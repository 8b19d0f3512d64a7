//! Templates that try to crash, hang or exhaust the renderer: language, text, and the expected error. The rest use up
//! memory, stack or time in other ways.

pub const VALUES: &str = r#"{"a": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], "x": "text", "y": [1]}"#;

const STACK: &str = "it exceeds the limit of 16 MiB of stack";
/// Memory, time, steps or output: which limit is reached first depends on the machine.
const ONE_OF_THEM: &str = "exceeds the limit of ";
const OUTPUT: &str = "the output exceeds the limit of 16777216 bytes";
const CHAIN: &str = "chains more than 200 operators";
const NESTING: &str = "deeper than 48";

/// The number of repetitions.
const MANY: usize = 100_000;

/// Language, text and expected error of each template.
pub fn templates() -> Vec<(&'static str, String, &'static str)> {
    let jinja = [
        (doubled("'aaaa'", "x ~ x", 30), ONE_OF_THEM),
        (format!("{{{{ x{} }}}}", "|upper".repeat(MANY)), CHAIN),
        (format!("{{{{ {}1 }}}}", "-".repeat(MANY)), NESTING),
        (format!("{{{{ {}1 }}}}", "not ".repeat(MANY)), NESTING),
        (format!("{{{{ {}1{} }}}}", "(".repeat(MANY), ")".repeat(MANY)), NESTING),
        (format!("{{{{ {}1{} }}}}", "[".repeat(MANY), "]".repeat(MANY)), NESTING),
        (format!("{{% if x %}}{}{{% endif %}}", "{%elif x%}".repeat(MANY)), "more than 200 'elif'"),
        ("{{ range(10**9)|list }}".to_owned(), "the range exceeds the limit of 100000 items"),
        ("{{ 'a\nb'|indent(10**9) }}".to_owned(), OUTPUT),
        ("{{ '%1000000000d'|format(1) }}".to_owned(), OUTPUT),
        (format!("{}{}", "{% if x %}".repeat(10_000), "{% endif %}".repeat(10_000)), NESTING),
        // Memory.
        ("{{ ('a' * 10**10)|length }}".to_owned(), OUTPUT),
        ("{{ ([0] * 10**10)|length }}".to_owned(), OUTPUT),
        (doubled("'aaaa'", "x + x", 30), ONE_OF_THEM),
        (doubled("'aaaaaaaa'", "[x, x, x, x, x, x, x, x]|join", 12), ONE_OF_THEM),
        (doubled("'a'", "x|replace('a', 'aaaaaaaaaa')", 12), ONE_OF_THEM),
        (
            "{% set ns = namespace(x='aaaa') %}{% for i in range(40) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}"
                .to_owned(),
            ONE_OF_THEM,
        ),
        ("{% set y %}{% for i in range(90000) %}{{ 'a' * 1000000 }}{% endfor %}{% endset %}".to_owned(), ONE_OF_THEM),
        ("{{ [1]|slice(10**9)|list }}".to_owned(), ONE_OF_THEM),
        ("{{ [1]|batch(10**9, 'x')|list }}".to_owned(), ONE_OF_THEM),
        ("{{ ('a ' * 10000000)|wordwrap(1, wrapstring='b' * 1000)|length }}".to_owned(), ONE_OF_THEM),
        // Widths.
        ("{{ '%*d'|format(10**9, 1) }}".to_owned(), OUTPUT),
        ("{{ '%.1000000000f'|format(1.5) }}".to_owned(), OUTPUT),
        ("{{ '{:1000000000}'.format(1) }}".to_owned(), OUTPUT),
        ("{{ 'a'.ljust(10**9) }}".to_owned(), OUTPUT),
        ("{{ 'a'.center(10**9) }}".to_owned(), OUTPUT),
        ("{{ 'a'.zfill(10**9) }}".to_owned(), OUTPUT),
        ("{{ [[1]]|tojson(indent=10**9) }}".to_owned(), OUTPUT),
        ("{{ 10**10**9 }}".to_owned(), "exceeds the limit of 128 bits"),
        // Stack.
        (format!("{NESTED}{{{{ ns.x }}}}"), STACK),
        (format!("{NESTED}{{{{ ns.x|tojson }}}}"), STACK),
        ("{% for i in [1] recursive %}{{ loop([1]) }}{% endfor %}".to_owned(), "deeper than the limit of 500"),
        // Time.
        ("{% for i in range(90000) %}{% for j in range(90000) %}{% endfor %}{% endfor %}".to_owned(), ONE_OF_THEM),
        ("{% for i in range(90000) %}{{ 'a' * 1000000 }}{% endfor %}".to_owned(), OUTPUT),
        ("{% for i in range(90000) %}{{ range(90000)|sum }}{% endfor %}".to_owned(), ONE_OF_THEM),
        (
            "{% set x = 'a' * 10000000 %}{% for i in range(90000) %}{% set y = x|upper %}{% endfor %}".to_owned(),
            ONE_OF_THEM,
        ),
    ];
    let mustache = [
        (format!("{}{}", "{{#a}}".repeat(10_000), "{{/a}}".repeat(10_000)), NESTING),
        (format!("{}{}", "{{#a}}".repeat(12), "{{/a}}".repeat(12)), ONE_OF_THEM),
        (format!("{}{{{{a}}}}{}", "{{#a}}".repeat(7), "{{/a}}".repeat(7)), ONE_OF_THEM),
    ];
    let handlebars = [
        (format!("{}{}", "{{#if a}}".repeat(10_000), "{{/if}}".repeat(10_000)), NESTING),
        (format!("{{{{#if a}}}}{}{{{{/if}}}}", "{{else if a}}".repeat(50_000)), "chains more than 200 branches"),
        (format!("{{{{#if {}a{}}}}}{{{{/if}}}}", "(".repeat(MANY), ")".repeat(MANY)), NESTING),
        (format!("{}{}", "{{#each @root.a}}".repeat(12), "{{/each}}".repeat(12)), ONE_OF_THEM),
        (format!("{}x{}", "{{#each @root.a}}".repeat(8), "{{/each}}".repeat(8)), ONE_OF_THEM),
    ];
    let languages =
        [("jinja2", Vec::from(jinja)), ("mustache", Vec::from(mustache)), ("handlebars", Vec::from(handlebars))];
    let each = languages.into_iter().flat_map(|(language, all)| all.into_iter().map(move |one| (language, one)));
    each.map(|(language, (text, limit))| (language, text, limit)).collect()
}

/// A list nested 90,000 levels deep.
const NESTED: &str = "{% set ns = namespace(x=1) %}{% for i in range(90000) %}{% set ns.x = [ns.x] %}{% endfor %}";

fn doubled(from: &str, again: &str, times: usize) -> String {
    format!("{{% set x = {from} %}}{}{{{{ x|length }}}}", format!("{{% set x = {again} %}}").repeat(times))
}

/// The beginning of a template, for assertion messages.
pub fn begin(text: &str) -> String {
    text.chars().take(80).collect()
}
