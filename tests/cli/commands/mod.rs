//! The answers of each command, as text and as JSON, in a small workspace.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::program::{ProgramRun, run};
use crate::support::workspace::{Workspace, inline};

mod add;
mod check;
mod connect;
mod connect_left;
mod connect_parts;
mod doctor;
mod doctor_switches;
mod embedded;
mod enrich;
mod environment;
mod explain;
mod init;
mod instructions;
mod list;
mod meaning;
mod mention_cache;
mod nowhere;
mod own_files;
mod printed;
mod profiles;
mod search;
mod select;
mod shapes;
mod simulate;
mod templates;
mod tool_results;
mod trust;
mod upkeep;
mod usage;
mod writing;

/// A workspace with a source that prompts can match.
fn tagged() -> Workspace {
    let source = json!({
        "id": "retry-pattern", "name": "Retry", "type": "local", "path": "retry.md", "mode": "selectable",
        "tags": ["resilience"],
    });
    Workspace::of(json!([source]), &[("retry.md", "# Retry\n")])
}

/// Runs the program with this `PATH` and an otherwise clean environment.
#[track_caller]
fn with_path(world: &Workspace, path: &Path, words: &[&str]) -> ProgramRun {
    run(world.command(words).env("PATH", path), None)
}

/// A chain a → b → c → a, an auto source, one of each type, a missing one and a folder of templates:
///
/// | id | mentions |
/// | --- | --- |
/// | `a` | `b` by id, docs/a.md:3 |
/// | `b` | `c` by path, docs/b.md:1; `away` by id, docs/b.md:2 |
/// | `c` | `a` by id, docs/c.md:1 |
/// | `text` | `gone` by id |
fn small() -> Workspace {
    let local =
        |id: &str, path: &str, tags: Value| json!({"id": id, "name": id.to_uppercase(), "path": path, "tags": tags});
    let mut rules = inline("rules", "Be kind.");
    rules["mode"] = json!("auto");
    Workspace::of(
        json!([
            rules,
            local("a", "docs/a.md", json!(["retry", "Circuit Breaker"])),
            local("b", "docs/b.md", json!(["retry"])),
            local("c", "docs/c.md", json!([])),
            {"id": "away", "name": "Away", "type": "url", "url": "https://example.org/x", "tags": ["web"], "description": "Far."},
            {"id": "tool", "name": "Tool", "type": "mcp", "server": "tracker", "tool": "search", "args": {"q": 1}},
            inline("text", "See gone."),
            local("gone", "docs/gone.md", json!(["lost"])),
            local("kit", "kit", json!([])),
        ]),
        &[
            ("docs/a.md", "# A\n\nSee @b.\n"),
            ("docs/b.md", "To [the next](c.md).\nAnd away.\n"),
            ("docs/c.md", "Back to `a`.\n"),
            ("kit/README.md", "The kit.\n"),
            ("kit/hello.txt.tpl", "Hello {{name}}!{{#items}} {{label}}{{/items}}\n"),
            ("kit/loop.py.tmpl", "{% for x in xs %}{{ x | upper }}\n{% endfor %}"),
            ("kit/broken.txt.tpl", "one\n{{#open}} never closed\n"),
        ],
    )
}
