//! The workspace that most of these tests use.

use serde_json::{Value, json};

use crate::support::workspace::Workspace;

/// Four sources of three kinds; one has a template.
pub fn sources() -> Value {
    json!([
        {"id": "api", "name": "The API", "description": "How to call it", "type": "local", "path": "docs/api.md",
         "tags": ["api", "http"]},
        {"id": "errors", "name": "Errors", "type": "local", "path": "docs/errors.md", "tags": ["api"]},
        {"id": "service", "name": "Service skeleton", "type": "local", "path": "skills/service", "tags": ["java"],
         "contents": {"templates": "templates/"}},
        {"id": "style", "name": "Style", "type": "inline", "mode": "auto", "content": "Short sentences."},
        {"id": "gone", "name": "Gone", "type": "local", "path": "docs/gone.md"},
        {"id": "site", "name": "Site", "type": "url", "url": "https://example.org/x", "tags": ["http"]},
    ])
}

/// The files of the sources.
pub const FILES: &[(&str, &str)] = &[
    ("docs/api.md", "# API\n\nSee errors for what goes wrong.\nthird line\nfourth line\n"),
    ("docs/errors.md", "# Errors\n\nNothing else.\n"),
    ("skills/service/README.md", "# Service\n"),
    ("skills/service/templates/Entity.java.tpl", "class {{Entity}} {\n{{#fields}}  {{type}} {{name}};\n{{/fields}}}\n"),
    ("skills/service/templates/Broken.tpl", "{{#open}}\n"),
    (".templates/hello.txt.tmpl", "Hello {{ name }}!\n"),
    ("secret.tmpl", "{{ secret }}\n"),
];

/// The workspace.
pub fn workspace() -> Workspace {
    Workspace::of(sources(), FILES)
}

/// The same with additional settings.
pub fn configured(more: Value) -> Workspace {
    let workspace = Workspace::with(FILES);
    let mut configuration = json!({"version": "1.0", "sources": sources()});
    configuration.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    workspace.configure(configuration);
    workspace
}
