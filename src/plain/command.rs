//! The table of commands: names, argument and description. The help is generated from it.

use refdesk_text::nearest::nearest;

use super::choice::ChoiceVerb;
use super::state::{InputOutcome, PlainEffect, PlainState};
use super::templates::PreviewFor;
use super::{
    agents, catalog, choice, databases, feed, graph, jump, lists, problems, profiles, prompts, requests, saved, search,
    selection, source, templates, trust, update, values,
};

/// A command of the plain interface.
#[derive(Debug, Clone, Copy)]
pub struct PlainCommand {
    /// Its name, followed by its aliases.
    pub names: &'static [&'static str],
    /// Its argument; empty if it takes none.
    pub argument: &'static str,
    /// What it does, one sentence.
    pub description: &'static str,
    pub(super) run: fn(&mut PlainState, &str, &mut InputOutcome),
}

impl PlainCommand {
    /// `pick N or ID`
    pub fn usage(&self) -> String {
        let name = self.names.first().copied().unwrap_or_default();
        if self.argument.is_empty() { name.to_owned() } else { format!("{name} {}", self.argument) }
    }
}

macro_rules! command {
    ($run:expr, [$($name:literal),+], $argument:literal, $description:literal) => {
        PlainCommand { names: &[$($name),+], argument: $argument, description: $description, run: $run }
    };
}

/// All commands, in the order of the help.
#[rustfmt::skip]
pub const COMMANDS: &[PlainCommand] = &[
    command!(catalog::show, ["catalog", "list", "filter"], "[WORDS]", "List the sources, or those that match: words, #tag, type:url, tokens:>5k, picked, missing, ! for not, | for or."),
    command!(|state, _, turn| lists::more(state, turn), ["more"], "", "Continue the list or the text."),
    command!(saved::filters, ["filters"], "[NAME or save NAME or remove NAME]", "List the saved filters, apply one, or save the last filter of the catalog."),
    command!(catalog::sort, ["sort"], "[catalog|id|name|type|mode|tags|tokens|state]", "Sort the catalog, and list it with the last filter."),
    command!(|state, rest, turn| update::with_source(state, rest, turn, source::show), ["show"], "N or ID", "Describe a source in full. A number alone does the same."),
    command!(update::document, ["document", "read"], "[N or ID]", "Read the document of a source, a page at a time."),
    command!(source::find, ["find", "next"], "[WORDS]", "Find lines of the document with these words; without words, the next ones."),
    command!(|state, rest, turn| update::with_source(state, rest, turn, source::why), ["why", "mention"], "[N or ID]", "Explain why a source is selected, with file and line."),
    command!(|state, rest, turn| update::with_source(state, rest, turn, source::open), ["open", "where"], "[N or ID]", "Name the file of the document, and the one that defines the source."),
    command!(|state, rest, turn| choice::choose(state, rest, ChoiceVerb::Pick, turn), ["pick", "select"], "[N or ID, one or more, or all]", "Pick sources, and pull in what they mention; all are those of the list."),
    command!(|state, rest, turn| choice::choose(state, rest, ChoiceVerb::Unpick, turn), ["unpick", "unselect"], "[N or ID, one or more, or all]", "Remove picks, and release what only they pulled in."),
    command!(|state, rest, turn| choice::choose(state, rest, ChoiceVerb::Keep, turn), ["keep"], "[N or ID, one or more, or all]", "Keep sources even if what pulled them in leaves."),
    command!(|state, rest, turn| choice::choose(state, rest, ChoiceVerb::Exclude, turn), ["exclude"], "[N or ID, one or more, or all]", "Exclude sources from being pulled in."),
    command!(|state, rest, turn| choice::choose(state, rest, ChoiceVerb::Include, turn), ["include"], "[N or ID, one or more, or all]", "Include excluded sources again."),
    command!(|state, _, turn| choice::clear(state, turn), ["clear"], "", "Clear all picks. It asks first."),
    command!(|state, _, turn| choice::undo_or_redo(state, choice::UndoOrRedo::Undo, turn), ["undo"], "", "Undo your last change of picks and exclusions."),
    command!(|state, _, turn| choice::undo_or_redo(state, choice::UndoOrRedo::Redo, turn), ["redo"], "", "Redo what was undone."),
    command!(|state, _, turn| selection::show(state, turn), ["selection"], "", "List what is selected, why, and what it costs."),
    command!(prompts::budget, ["budget"], "[TOKENS]", "Add up what the selection, the instructions and the last prompt cost, and compare it with the limit; with a number, such as 200k, set the limit."),
    command!(graph::ask, ["graph"], "[N or ID, or two, or hubs, cycles, orphans, broken]", "Explain which sources mention each other: around one source, on the path between two, or what each pick brings."),
    command!(jump::jump, ["jump"], "WORDS", "Find any source, template, tag, saved filter, section, command, event or problem; one of @ % # ~ / : > ! before WORDS lists only that kind."),
    command!(search::search, ["search"], "WORDS", "Search all documents by words and by meaning."),
    command!(prompts::type_prompt, ["prompt"], "[TEXT]", "Type a prompt, and list the sources that it would bring up. Without TEXT it asks for lines."),
    command!(|state, _, turn| prompts::hints(state, turn), ["hints"], "", "List what the last prompt brings up now."),
    command!(prompts::enriched, ["enriched"], "[session]", "List what an agent would get with the prompt, and its cost; with session, only what this session did not get before."),
    command!(templates::show, ["templates"], "[WORDS]", "List the templates of the selection, or those that match."),
    command!(values::ask, ["values", "set"], "[N or NAME or JSON]", "Ask for the values of a template one by one, or take a JSON object of them."),
    command!(values::reset, ["reset"], "[N or NAME]", "Forget the values typed for a template."),
    command!(|state, rest, turn| update::with_template(state, rest, PreviewFor::Reading, turn), ["preview"], "[N or NAME]", "Read the template rendered with its values."),
    command!(|state, rest, turn| update::with_template(state, rest, PreviewFor::Comparing, turn), ["difference"], "[N or NAME]", "Compare the rendered template with its file."),
    command!(templates::write, ["write"], "[N or NAME or PATH]", "Write the template to its file, after listing the whole difference."),
    command!(|state, _, turn| requests::show(state, turn), ["requests", "answer"], "", "Answer what agents ask you."),
    command!(|state, _, turn| trust::show(state, turn), ["trust"], "", "List the settings of this repository that need your trust, and trust them."),
    command!(|state, _, turn| problems::show(state, turn), ["problems"], "", "List the problems of the workspace. A number says how to fix one."),
    command!(|state, _, turn| profiles::ask(state, turn), ["profiles"], "", "List the profiles. A number compares one with your picks, and switches after yes."),
    command!(feed::show, ["feed"], "[WORDS]", "List what happened, newest first: words, kind: session:, ! for not."),
    command!(|state, _, turn| agents::ask(state, turn), ["agents", "sessions"], "", "List what each agent session was sent, read and picked, and its cost. A number gives details."),
    command!(databases::ask, ["databases", "tables"], "[WORDS]", "List the tables of the databases, or those with these words in their names. A number reads the page."),
    command!(databases::describe, ["describe"], "[DATABASE]", "Document a database, or all: list what would be written, and write it after yes."),
    command!(update::receipt, ["receipt"], "N", "Explain what an agent was sent, and why, for a row of the feed."),
    command!(|state, _, turn| update::messages(state, turn), ["messages"], "", "List the last messages: what was done, what followed, and what failed."),
    command!(saved::theme, ["theme"], "[NAME]", "List the themes of the full screen, or choose one."),
    command!(|state, _, turn| problems::welcome(state, turn), ["welcome"], "", "Explain how to get started: make a catalog, add a source, connect an agent."),
    command!(|state, _, turn| update::status(state, turn), ["status"], "", "Summarize what is selected and what waits for you."),
    command!(|state, _, turn| update::reload(state, turn), ["reload"], "", "Read the workspace again."),
    command!(|_, rest, turn| update::help(rest, turn), ["help", "?"], "[COMMAND or WORDS]", "List the commands, or those about these words; explain one."),
    command!(|_, _, turn| turn.effects.push(PlainEffect::Quit), ["quit", "exit", "q"], "", "Quit. Picks and exclusions are kept."),
];

/// A parsed line.
#[derive(Debug, Clone)]
pub enum Parsed<'l> {
    /// Only blanks.
    Nothing,
    Number(usize),
    /// A command and its argument.
    Command(&'static PlainCommand, &'l str),
    /// Neither: the first word, and the command that was probably meant.
    Unknown(&'l str, Option<&'static str>),
}

/// Parses a line. Command names ignore case.
pub fn parse(line: &str) -> Parsed<'_> {
    let line = line.trim();
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    if word.is_empty() {
        return Parsed::Nothing;
    }
    if rest.is_empty()
        && let Ok(number) = word.parse()
    {
        return Parsed::Number(number);
    }
    match named(word) {
        Some(command) => Parsed::Command(command, rest.trim()),
        None => {
            // A single character is close to any other.
            let names = COMMANDS.iter().flat_map(|command| command.names.iter().copied()).filter(|name| name.len() > 1);
            Parsed::Unknown(word, nearest(word, names))
        }
    }
}

pub fn named(name: &str) -> Option<&'static PlainCommand> {
    COMMANDS.iter().find(|command| command.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}
