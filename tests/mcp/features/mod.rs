//! Resources, prompts, completion, notices and revisions from a client's point of view.

mod client;
mod completion;
mod notices;
mod prompts;
mod resources;
mod revisions;

use serde_json::{Value, json};

use crate::support::workspace::Workspace;

/// A workspace with a source of every type; the picks pull in `deep`, and each has a template.
fn world() -> Workspace {
    let workspace = Workspace::of(
        json!([
            {"id": "rules", "name": "House rules", "mode": "auto", "path": "docs/rules.md"},
            {"id": "guide", "name": "The guide", "description": "How it is done", "path": "docs/guide.md", "tags": ["how", "guide"]},
            {"id": "deep", "name": "Deep", "path": "docs/deep.json"},
            {"id": "module", "name": "Module", "path": "module", "tags": ["code"]},
            {"id": "note a/b", "name": "A note", "type": "inline", "content": "Written here.\n"},
            {"id": "page", "name": "A page", "type": "url", "url": "https://example.org/page"},
            {"id": "search", "name": "A search", "type": "mcp", "server": "logs", "tool": "search", "args": {"q": "x"}},
            {"id": "gone", "name": "Gone", "path": "docs/gone.md"},
            {"id": "other", "name": "Other", "path": "docs/other.md", "tags": ["other"]},
        ]),
        &[
            ("docs/rules.md", "# Rules\n\nBe kind.\n"),
            ("docs/guide.md", "# Guide\n\nSee deep for more.\n"),
            ("docs/deep.json", "{\"answer\": 42}\n"),
            ("docs/other.md", "# Other\n"),
            ("module/README.md", "# Module\n"),
            ("module/notes/how to.md", "# How\n\nStep one.\n"),
            ("module/templates/class.java.tpl", "class {{&Name}} {}\n"),
            (
                "module/templates/flagged.txt.tpl",
                "{% if loud %}HELLO{% else %}hello{% endif %} {{ who }}{{ end | default('.') }}\n",
            ),
            ("module/templates/many.txt.tpl", "{{#items}}{{name}}{{/items}}\n"),
        ],
    );
    workspace.run(&["select", "guide", "note a/b", "page", "search", "module"]).exits(0);
    workspace
}

#[track_caller]
fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_else(|| panic!("no error: {answer}"))
}

#[track_caller]
fn words(answer: &Value) -> &str {
    answer["error"]["message"].as_str().unwrap_or_else(|| panic!("no error: {answer}"))
}
