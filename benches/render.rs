//! Realistic templates of 4 KB: rendered after compilation (Jinja2 within 150 µs, Mustache within 100),
//! parsed and rendered (within 1 ms), and rendered by a warm worker, including the round trip (p95 within 1 ms); and
//! one of 64 KB, rendered again after each key as on the screen (within 7 ms). The first two are measured in this
//! process, with the worker's code.

#![allow(missing_docs, clippy::restriction, reason = "a benchmark prints, and stops where it cannot measure")]

mod support;

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use refdesk_templates::Syntax;
use refdesk_templates::render::{CompiledTemplate, RenderJob, Renderer, Texts};
use serde_json::{Value, json};
use support::{REFDESK, report};

const TIMES: usize = 500;

/// A class with fields and methods, repeated.
fn template(syntax: Syntax, bytes: usize) -> String {
    let part = match syntax {
        Syntax::Jinja2 => {
            "/** {{ class_name }} of {{ module.name | upper }}. */\npublic class {{ class_name }}{% if parent is defined %} \
             extends {{ parent }}{% endif %} {\n{% for field in fields %}    private {{ field.type }} {{ field.name }}\
             {% if field.value is defined %} = {{ field.value }}{% endif %};\n{% endfor %}\n{% for field in fields if \
             field.getter %}    public {{ field.type }} get{{ field.name | capitalize }}() {\n        return {{ field.name \
             }};\n    }\n{% endfor %}}\n\n"
        }
        Syntax::Mustache => {
            "/** {{class_name}} of {{module.name}}. */\npublic class {{class_name}}{{#parent}} extends {{parent}}{{/parent}} \
             {\n{{#fields}}\n    private {{type}} {{name}}{{#value}} = {{value}}{{/value}};\n{{/fields}}\n\n{{#fields}}\n\
             {{#getter}}\n    public {{type}} get_{{name}}() {\n        return {{name}};\n    }\n{{/getter}}\n{{/fields}}\n}\n\n"
        }
        Syntax::Handlebars => {
            "/** {{class_name}} of {{module.name}}. */\npublic class {{class_name}}{{#if parent}} extends {{parent}}{{/if}} \
             {\n{{#each fields}}\n    private {{type}} {{name}}{{#if value}} = {{value}}{{/if}};\n{{/each}}\n\n{{#each \
             fields}}\n{{#if getter}}\n    public {{type}} get_{{name}}() {\n        return {{name}};\n    }\n{{/if}}\n\
             {{/each}}\n}\n\n"
        }
    };
    let plain =
        "    // What stands here is the same in every class that comes of it, whatever its fields may be called.\n";
    let mut text = String::new();
    while text.len() < bytes {
        text.push_str(part);
        text.push_str(&plain.repeat(2));
    }
    text
}

fn values() -> Value {
    let field = |name: &str, getter: bool| json!({"name": name, "type": "String", "value": "null", "getter": getter});
    json!({"class_name": "Order", "parent": "Entity", "module": {"name": "orders"},
           "fields": [field("id", true), field("customer", true), field("state", false), field("total", true)]})
}

/// The durations of the runs, ascending.
fn runs(times: usize, mut one: impl FnMut(usize)) -> Vec<Duration> {
    one(0);
    let mut all: Vec<Duration> = (1..=times)
        .map(|run| {
            let began = Instant::now();
            one(run);
            began.elapsed()
        })
        .collect();
    all.sort_unstable();
    all
}

fn micros(all: &[Duration], per_cent: usize) -> f64 {
    all[all.len() * per_cent / 100].as_secs_f64() * 1e6
}

fn renderings(_: &mut Criterion) {
    let renderer = Renderer::with_worker(PathBuf::from(REFDESK));
    // There is no limit for Handlebars; its times are only printed.
    for (syntax, promised) in
        [(Syntax::Jinja2, Some(150.0)), (Syntax::Mustache, Some(100.0)), (Syntax::Handlebars, None)]
    {
        let report = |what: &str, measured: f64, limit: f64| match promised {
            Some(_) => report(what, measured, limit, " µs"),
            None => println!("{what}: {measured:.2} µs"),
        };
        let word = syntax.word();
        let job = RenderJob::new(template(syntax, 4_096), syntax, values());
        let texts = Texts::of(&job).expect("a small template");
        let compiled = CompiledTemplate::new(&texts).expect("it parses");
        let text = compiled.render(&job.values, false).expect("it renders").text;
        println!("{word}: {} bytes of template give {} bytes of text", job.text.len(), text.len());
        let warm = runs(TIMES, |_| drop(black_box(compiled.render(&job.values, false))));
        report(&format!("{word}, 4 KB, compiled, median"), micros(&warm, 50), promised.unwrap_or_default());
        let cold = runs(TIMES, |_| drop(black_box(refdesk_templates::render::render(&job))));
        report(&format!("{word}, 4 KB, read and rendered, median"), micros(&cold, 50), 1_000.0);
        let asked = runs(TIMES, |_| assert_eq!(renderer.render(&job).expect("an answer").text, text));
        println!("{word}, 4 KB, asked of a warm worker, median: {:.2} µs", micros(&asked, 50));
        report(&format!("{word}, 4 KB, asked of a warm worker, p95"), micros(&asked, 95), 1_000.0);

        let mut job = RenderJob::new(template(syntax, 65_536), syntax, values());
        let typed = runs(TIMES / 5, |run| {
            job.values["class_name"] = format!("Order{run}").into();
            drop(black_box(renderer.render(&job).expect("an answer")));
        });
        report(&format!("{word}, 64 KB, other values with each key, p95"), micros(&typed, 95), 7_000.0);
        let edited = runs(TIMES / 10, |run| {
            job.text.push_str(if run % 2 == 0 { "a" } else { "b" });
            drop(black_box(renderer.render(&job).expect("an answer")));
        });
        println!("{word}, 64 KB, another template with each key, p95: {:.2} µs", micros(&edited, 95));
    }
}

criterion_group!(benches, renderings);
criterion_main!(benches);
