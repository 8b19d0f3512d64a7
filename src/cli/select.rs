//! `refdesk select`: pick sources and pull in what they mention.

use serde_json::{Value, json};

use super::answer::Answer;
use super::args::SelectArgs;
use super::rows;
use crate::desk::{Desk, PickStatus, Refusal};
use crate::text::escape::one_line;

/// Picks by id and tag.
pub fn run(desk: &mut Desk, args: &SelectArgs) -> Answer {
    desk.settle();
    let picked = match desk.pick(&args.ids, &args.tags) {
        Ok(picked) => picked,
        Err(refusal) => return Answer::refused(refusal).with_status("error"),
    };
    let new = picked.picked.iter().chain(&picked.pulled_in);
    let sources: Vec<Value> =
        new.filter_map(|id| desk.catalog().get(id.as_str())).map(|source| rows::selected(desk, source)).collect();
    let json = json!({
        "status": picked.status,
        "selected_count": picked.picked.len(),
        "transitive_count": picked.pulled_in.len(),
        "sources": sources,
        "unknown": picked.unknown,
        "missing": picked.missing,
        "message": picked.message,
    });
    let met = matches!(picked.status, PickStatus::Success | PickStatus::AllSelected);
    if met {
        // An agent that is told of them would be refused.
        let withheld = desk.withheld(&[picked.picked, picked.pulled_in].concat());
        let answer = Answer::new(json, format!("{}\n", one_line(&picked.message)));
        return Answer { diagnostics: withheld.into_iter().collect(), ..answer };
    }
    let hint = match picked.status {
        PickStatus::NoSources => "`refdesk add PATH` adds one",
        _ if !picked.missing.is_empty() => "mend its path; `refdesk check` says where it is written",
        _ => "`refdesk list` shows ids and tags",
    };
    let code = match picked.status {
        PickStatus::NoSources => "no-sources",
        PickStatus::NoneMatched => "none-matched",
        _ if !picked.missing.is_empty() => "missing",
        _ => "nothing-named",
    };
    Answer::new(json, "").and_refused(vec![Refusal::new(code, picked.message, hint)])
}
