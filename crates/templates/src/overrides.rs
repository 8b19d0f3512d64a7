//! Reads `.jaato/templates/overrides.json`, which sets the language of templates, by name or `<source id>/<path within
//! it>`, instead of detecting it (BEHAVIOUR §6).

use std::collections::HashMap;
use std::path::Path;

use serde_json::Value;

use super::Syntax;
use refdesk_files::Folder;
use refdesk_files::path::is_absent;
use refdesk_text::Code;
use refdesk_text::json::JsonError;
use refdesk_text::report::locate::{PointerStep, locate};
use refdesk_text::report::{Diagnostic, PositionIndex};

/// The path of the file in a workspace.
pub const FILE: &str = ".jaato/templates/overrides.json";

/// The most bytes of the file that are read.
const LIMIT: u64 = 1024 * 1024;

/// The overridden languages by template name. A missing file is not an error; problems in the file are diagnostics.
pub(crate) fn load(workspace: &Path) -> (HashMap<String, Syntax>, Vec<Diagnostic>) {
    let read = Folder::of(workspace, &workspace.join(FILE)).and_then(|(folder, name)| folder.read(name, LIMIT));
    match read {
        Ok((bytes, false)) => parse(&String::from_utf8_lossy(&bytes)),
        Ok((_, true)) => {
            (HashMap::new(), vec![diagnostic_of(&format!("the file exceeds the limit of {LIMIT} bytes (1 MiB)"))])
        }
        Err(error) if is_absent(&error) => (HashMap::new(), Vec::new()),
        Err(error) => (
            HashMap::new(),
            vec![diagnostic_of(&format!("the file cannot be read: {error}")).fix("make it a readable file")],
        ),
    }
}

fn parse(text: &str) -> (HashMap<String, Syntax>, Vec<Diagnostic>) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let fields = match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) => return (HashMap::new(), vec![diagnostic_of("the file is not an object of template names")]),
        Err(error) => {
            let JsonError { what, position, fix } = JsonError::of(text, &error);
            let problem = diagnostic_of(&format!("the file is not JSON: {what}")).at(position);
            return (HashMap::new(), vec![problem.fix(fix)]);
        }
    };
    let (mut settled, mut diagnostics, mut positions) = (HashMap::new(), Vec::new(), None);
    for (name, value) in fields {
        match value.as_str().and_then(Syntax::named) {
            Some(syntax) => {
                settled.insert(name, syntax);
            }
            None => {
                let found = diagnostic_of(&format!("'{name}' has the unknown syntax {value}"));
                let spot = locate(text, &[PointerStep::Key(&name)]);
                diagnostics.push(match spot {
                    Some(spot) => found
                        .at(positions.get_or_insert_with(|| PositionIndex::new(text)).position(text, spot.value.start)),
                    None => found,
                });
            }
        }
    }
    (settled, diagnostics)
}

fn diagnostic_of(message: &str) -> Diagnostic {
    Diagnostic::error(Code::TemplateOverrides, message)
        .in_file(FILE)
        .fix(r#"write {"Template.java.tpl": "mustache"}, with jinja2, mustache or handlebars"#)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn valid_entries_apply_and_invalid_ones_are_reported() {
        let (settled, diagnostics) = parse(
            r#"{"a.tpl": "mustache", "b.tpl": "Jinja2",
"c.tpl": "twig", "d.tpl": 3}"#,
        );
        assert_eq!(settled.len(), 2);
        assert_eq!(settled.get("b.tpl"), Some(&Syntax::Jinja2));
        let reported: Vec<(&str, Option<usize>, Option<usize>)> =
            diagnostics.iter().map(|found| (found.message.as_str(), found.line, found.column)).collect();
        let expected = [
            ("'c.tpl' has the unknown syntax \"twig\"", Some(2), Some(10)),
            ("'d.tpl' has the unknown syntax 3", Some(2), Some(27)),
        ];
        assert_eq!(reported, expected);
        let (_, diagnostics) = parse("{\"a.tpl\": \"jinja2\",\n");
        let cut_off: Vec<_> = diagnostics.into_iter().map(|found| (found.message, found.line, found.column)).collect();
        assert_eq!(
            cut_off,
            [("the file is not JSON: the text ends where a value belongs".to_owned(), Some(2), Some(1))]
        );
        for text in ["[]", "{", ""] {
            let (settled, diagnostics) = parse(text);
            assert!(settled.is_empty() && diagnostics.len() == 1, "{text:?}");
        }
    }

    #[test]
    fn links_and_endless_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let other = folder.path().join("private.json");
        refdesk_files::write_atomic(&other, br#"{"password": "secret"}"#).unwrap();
        for target in [other.as_path(), Path::new("/dev/zero")] {
            std::os::unix::fs::symlink(target, &path).unwrap();
            let (settled, diagnostics) = load(folder.path());
            assert!(settled.is_empty() && diagnostics.len() == 1, "{diagnostics:?}");
            assert!(diagnostics.iter().all(|found| found.message.contains("link")), "{diagnostics:?}");
            std::fs::remove_file(&path).unwrap();
        }
        refdesk_files::write_atomic(&path, " ".repeat(usize::try_from(LIMIT).unwrap() + 1).as_bytes()).unwrap();
        let (_, diagnostics) = load(folder.path());
        assert!(diagnostics.iter().any(|found| found.message.contains("limit of 1048576 bytes")), "{diagnostics:?}");
    }
}
