//! `refdesk select`: pick sources and pull in what they mention.

use super::answer::CommandOutput;
use super::args::SelectArgs;
use super::fix;
use super::rows::result;
use refdesk_desk::{Desk, PickStatus, Picker, Session, unused_tags};
use refdesk_text::{Code, Error};

pub fn run(desk: &mut Desk, session: &Session, args: &SelectArgs, picker: Picker) -> Result<CommandOutput, Error> {
    let picked = match picker {
        Picker::Person => desk.pick(session, &args.ids, &args.tags)?,
        Picker::Agent => desk.pick_for_agent(session, &args.ids, &args.tags)?,
    };
    let json = desk.settled().rows().picked(&picked);
    let met = matches!(picked.status, PickStatus::Success | PickStatus::AllSelected);
    if met {
        // Warn about sources that an agent would not be allowed to read.
        let warning = desk.settled().unreadable_warning(session, &[picked.picked, picked.pulled_in].concat());
        let answer = CommandOutput::new(json, result(&picked.done));
        return Ok(CommandOutput { diagnostics: warning.into_iter().collect(), notes: picked.left_out, ..answer });
    }
    let hint = match picked.status {
        PickStatus::NoSources => fix::no_sources(desk),
        _ if !picked.missing.is_empty() => fix::CORRECT_PATH.to_owned(),
        _ => match args.ids.iter().find(|id| unused_tags(desk.catalog(), std::slice::from_ref(id)).is_empty()) {
            Some(tag) => format!("`refdesk select --tag {}` picks its sources", shell_words::quote(tag)),
            None => "`refdesk list` shows ids and tags".to_owned(),
        },
    };
    let code = match picked.status {
        PickStatus::NoSources => Code::NoSources,
        PickStatus::NoneMatched => Code::NoneMatched,
        _ if !picked.missing.is_empty() => Code::Missing,
        _ => Code::NothingNamed,
    };
    Ok(CommandOutput::new(json, "").with_failures(vec![Error::new(code, picked.summary(), hint)]))
}
