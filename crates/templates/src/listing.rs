//! The content of `index.json`, which other tools read (BEHAVIOUR §6).

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{TemplateIndex, names};
use refdesk_files::path::display;

/// The entries of the selection's templates by name.
pub fn listing(index: &TemplateIndex, workspace: &Path) -> Map<String, Value> {
    let entry = |template: &super::Template| {
        let entry = json!({
            "name": template.name,
            "source_path": display(workspace, &template.path),
            "syntax": template.syntax,
            "variables": names(&template.variables),
            "origin": template.origin,
        });
        (template.name.clone(), entry)
    };
    index.of_selection().map(entry).collect()
}
