//! Templates from real projects, if they are next to the repository: each has a language and a variable tree, and
//! renders from its skeleton filled with sample values or is refused with a line number.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use refdesk_templates::render::{RenderJob, render};
use refdesk_templates::{analyse, read, sample, skeleton};
use serde_json::Value;

/// Every template file below `folder`.
fn templates(folder: &Path) -> Vec<PathBuf> {
    let (mut open, mut found) = (vec![folder.to_owned()], Vec::new());
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            let ending = path.extension().map(std::ffi::OsStr::to_ascii_lowercase);
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else if ending.is_some_and(|ending| ending == "tpl" || ending == "tmpl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The skeleton with each leaf taken from the sample, like a form that a person filled in.
fn filled(skeleton: &Value, sample: &Value) -> Value {
    match (skeleton, sample) {
        (Value::Object(fields), Value::Object(samples)) => {
            fields.iter().map(|(name, field)| (name.clone(), filled(field, &samples[name]))).collect()
        }
        (Value::Array(items), Value::Array(samples)) => {
            items.iter().zip(samples).map(|(item, sample)| filled(item, sample)).collect()
        }
        _ => sample.clone(),
    }
}

/// Prints the line even if the test passes.
fn tell(line: &str) {
    std::io::stderr().write_all(format!("{line}\n").as_bytes()).unwrap();
}

#[test]
fn templates_in_the_field_render_or_name_the_failing_line() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/knowledge");
    if !folder.is_dir() {
        tell(&format!("skipped: there is no {}", folder.display()));
        return;
    }
    let (mut counts, mut wrong) = (BTreeMap::<String, usize>::new(), Vec::new());
    for path in templates(&folder) {
        let mut count = |what: &str| *counts.entry(what.to_owned()).or_default() += 1;
        let text = match read(&path) {
            Ok(text) => text,
            Err(reason) => {
                count("unreadable");
                wrong.push(format!("{}: {reason}", path.display()));
                continue;
            }
        };
        let analysis = analyse(&text, None);
        count(analysis.syntax.word());
        let outcome = match analysis.problem {
            Some(problem) => Err(problem.message),
            None => {
                let values = filled(&skeleton(&analysis.variables), &sample(&analysis.variables));
                render(&RenderJob::new(text, analysis.syntax, values)).map_err(|error| error.message)
            }
        };
        match outcome {
            Ok(rendered) => {
                count("rendered");
                let undefined = rendered.warnings.into_iter().find(|warning| warning.contains("undefined"));
                wrong.extend(undefined.map(|warning| format!("{}: {warning}", path.display())));
            }
            Err(reason) => {
                count("refused");
                tell(&format!("refused: {}: {reason}", path.display()));
                if !reason.contains("line ") {
                    wrong.push(format!("{}: {reason}", path.display()));
                }
            }
        }
    }
    tell(&format!("templates of the field: {counts:?}"));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
