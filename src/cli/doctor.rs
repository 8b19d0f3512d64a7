//! `refdesk doctor`: what hints and search can rely on here, and what is lacking.

use serde_json::json;

use super::answer::CommandOutput;
use super::rows::plural;
use refdesk_desk::Desk;

/// Reports on the search index and the model; changes nothing.
pub fn run(desk: &Desk) -> CommandOutput {
    let (model, status) = match desk.model_name().and_then(|model| Ok((model, desk.index_status()?))) {
        Ok(found) => found,
        Err(error) => {
            return CommandOutput { json: json!({"index": null, "model": null}), ..CommandOutput::refused(error) };
        }
    };
    let index = status.map(|status| {
        let threshold = status.threshold.map(refdesk_enrich::Score::from);
        json!({"documents": status.documents, "vectors": status.with_vector, "threshold": threshold})
    });
    let mut lines = Vec::new();
    match status {
        None => lines.extend([
            "search index: none; hints are by tags alone, and nothing can be searched".to_owned(),
            format!(
                "  fix: `refdesk index` finds {} by words and by meaning, down to the section",
                plural(desk.catalog().len(), "source")
            ),
        ]),
        Some(status) => {
            let threshold = status.threshold.map(refdesk_enrich::Score::from);
            let threshold = threshold.map_or("no threshold yet".to_owned(), |score| format!("threshold {score}"));
            let documents = plural(status.documents, "section");
            lines.push(format!("search index: {documents}, {} with vectors, {threshold}", status.with_vector));
            if status.with_vector < status.documents && model.is_some() {
                lines.push("  fix: `refdesk index` computes the missing vectors".to_owned());
            }
        }
    }
    match model {
        Some(name) => lines.push(format!("model: {name}")),
        None => lines.push("model: none in this program; the index finds words alone".to_owned()),
    }
    if !desk.wants_meaning() {
        lines.push("hints by meaning: off (`hints.semantic` is false)".to_owned());
    }
    let text = lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    CommandOutput::new(json!({"index": index, "model": model, "semantic": desk.wants_meaning()}), text)
}
