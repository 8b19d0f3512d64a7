//! `refdesk doctor`: checks that agents get what they should, and reports on everything this depends on. It changes
//! nothing.

mod agents;
mod catalog;
mod databases;
mod report;
mod system;

use serde_json::{Map, Value, json};

use self::report::{CheckLevel, CheckLine};
use super::answer::CommandOutput;
use super::args::OutputFormat;
use super::environment;
use refdesk_desk::Desk;

pub fn run(desk: &mut Desk, format: OutputFormat) -> CommandOutput {
    let mut lines: Vec<CheckLine> = vec![system::version(), system::program()];
    lines.extend(system::places(desk));
    lines.push(catalog::catalog(desk));
    lines.push(catalog::trust(desk));
    let (index, members, error) = catalog::index(desk);
    lines.extend(index);
    lines.extend(databases::databases(desk));
    lines.push(system::watches(desk));
    lines.push(system::terminal(environment::text));
    let (agents, connected) = agents::agents(desk);
    lines.extend(agents);
    let wrong = lines.iter().filter(|line| line.level == CheckLevel::Wrong).count();
    let json = document(members, wrong == 0, &lines, connected);
    let text: String = lines.iter().map(CheckLine::text).collect();
    // In text output, the line about the index already reports the error.
    let refused = error.into_iter().filter(|_| format == OutputFormat::Json).collect();
    let mut answer = CommandOutput::new(json, text).with_failures(refused);
    answer.exit = answer.exit.max(u8::from(wrong > 0));
    answer
}

/// The answer if nothing could be checked.
pub fn nothing() -> Value {
    document(catalog::index_members(None, None, None), false, &[], json!([]))
}

fn document(index: [(&str, Value); 3], ok: bool, lines: &[CheckLine], agents: Value) -> Value {
    let mut json = Map::from_iter(index.map(|(name, value)| (name.to_owned(), value)));
    json.insert("ok".to_owned(), json!(ok));
    json.insert("checks".to_owned(), lines.iter().map(CheckLine::json).collect());
    json.insert("agents".to_owned(), agents);
    Value::Object(json)
}
