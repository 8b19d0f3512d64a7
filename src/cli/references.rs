//! `refdesk references`: aliases of the selection commands, for agents.

use serde_json::json;

use super::answer::CommandOutput;
use super::args::{ListArgs, OutputFormat, ReferencesCommand};
use super::{change, list, rows, select};
use refdesk_core::catalog::Source;
use refdesk_desk::{Desk, Picker, Session};

const HELP: &str = "\
references list [--tag T] [--mode M] [--selected|--unselected]   show the sources
references select ID… [--tag T]                                  pick sources and pull in what they mention
references unselect ID…                                          remove picks
references reload                                                reload the workspace
references help                                                  print this help
";

/// Runs the subcommand; without one, lists.
pub fn run(
    desk: &mut Desk,
    session: &Session,
    command: Option<&ReferencesCommand>,
    format: OutputFormat,
) -> CommandOutput {
    match command {
        None => list::run(desk, &ListArgs::default(), format),
        Some(ReferencesCommand::List(args)) => list::run(desk, args, format),
        Some(ReferencesCommand::Select(args)) => select::run(desk, session, args, Picker::Person).into(),
        Some(ReferencesCommand::Unselect(args)) => change::unselect(desk, session, &args.ids),
        Some(ReferencesCommand::Reload) => {
            desk.reload();
            let desk = desk.settled();
            let (total, selected) = (desk.catalog().len(), desk.selection().members().len());
            let sources: Vec<&Source> = desk.catalog().sources().iter().collect();
            let message = format!("reloaded: {}", list::counts(&desk, &sources));
            let json = json!({"status": "success", "message": message, "total": total, "selected_count": selected});
            CommandOutput::new(json, rows::result(&message))
        }
        Some(ReferencesCommand::Help) => CommandOutput::new(json!({"status": "success", "message": HELP}), HELP),
    }
}
