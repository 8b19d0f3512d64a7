//! The table of commands: names, argument and description. The help is generated from it.

use refdesk_text::nearest::nearest;

/// A command of the plain interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlainCommand {
    /// Its name, then other names for it.
    pub names: &'static [&'static str],
    /// What follows its name; empty if nothing does.
    pub argument: &'static str,
    /// What it does, one sentence.
    pub description: &'static str,
    pub(super) verb: Verb,
}

impl PlainCommand {
    /// `pick N or ID`
    pub fn usage(&self) -> String {
        let name = self.names.first().copied().unwrap_or_default();
        if self.argument.is_empty() { name.to_owned() } else { format!("{name} {}", self.argument) }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    List,
    More,
    Sort,
    Show,
    Document,
    Find,
    Why,
    Open,
    Pick,
    Unpick,
    Keep,
    Exclude,
    Include,
    Clear,
    Undo,
    Redo,
    Selection,
    Search,
    Prompt,
    Hints,
    Enriched,
    Templates,
    Values,
    Reset,
    Preview,
    Difference,
    Write,
    Requests,
    Trust,
    Problems,
    Profiles,
    Agents,
    Databases,
    Graph,
    Jump,
    Filters,
    Theme,
    Messages,
    Describe,
    Feed,
    Receipt,
    Welcome,
    Budget,
    Status,
    Reload,
    Help,
    Quit,
}

macro_rules! command {
    ($verb:ident, [$($name:literal),+], $argument:literal, $description:literal) => {
        PlainCommand { names: &[$($name),+], argument: $argument, description: $description, verb: Verb::$verb }
    };
}

/// All commands, in the order of the help.
#[rustfmt::skip]
pub const COMMANDS: &[PlainCommand] = &[
    command!(List, ["catalog", "list", "filter"], "[WORDS]", "List the sources, or those that match: words, #tag, type:url, picked, missing, ! for not."),
    command!(More, ["more"], "", "Continue the list or the text."),
    command!(Filters, ["filters"], "[NAME or save NAME or remove NAME]", "List the saved filters, apply one, or save the last filter of the catalog."),
    command!(Sort, ["sort"], "[catalog|id|type|tokens|state]", "Sort the catalog, and list it with the last filter."),
    command!(Show, ["show"], "N or ID", "Describe a source in full. A number alone does the same."),
    command!(Document, ["document", "read"], "[N or ID]", "Read the document of a source, a page at a time."),
    command!(Find, ["find", "next"], "[WORDS]", "Find lines of the document with these words; without words, the next ones."),
    command!(Why, ["why", "mention"], "[N or ID]", "Explain why a source is selected, with file and line."),
    command!(Open, ["open", "where"], "[N or ID]", "Name the file of the document, and the one that defines the source."),
    command!(Pick, ["pick", "select"], "N or ID, one or more", "Pick sources, and pull in what they mention."),
    command!(Unpick, ["unpick", "unselect"], "[N or ID]", "Remove a pick, and release what only it pulled in."),
    command!(Keep, ["keep"], "[N or ID]", "Keep a source even if what pulled it in leaves."),
    command!(Exclude, ["exclude"], "[N or ID]", "Exclude a source from being pulled in."),
    command!(Include, ["include"], "[N or ID]", "Include an excluded source again."),
    command!(Clear, ["clear"], "", "Clear all picks. It asks first."),
    command!(Undo, ["undo"], "", "Undo your last change of picks and exclusions."),
    command!(Redo, ["redo"], "", "Redo what was undone."),
    command!(Selection, ["selection"], "", "List what is selected, why, and what it costs."),
    command!(Budget, ["budget"], "[TOKENS]", "Add up what the selection, the instructions and the last prompt cost, and compare it with the limit; with a number, such as 200k, set the limit."),
    command!(Graph, ["graph"], "[N or ID, or two, or hubs, cycles, orphans, broken]", "Explain which sources mention each other: around one source, on the path between two, or what each pick brings."),
    command!(Jump, ["jump"], "WORDS", "Find any source, template, problem, event, saved filter, command or section."),
    command!(Search, ["search"], "WORDS", "Search all documents by words and by meaning."),
    command!(Prompt, ["prompt"], "[TEXT]", "Take a prompt, and list the sources that it would bring up. Without a text it asks for lines."),
    command!(Hints, ["hints"], "", "List what the last prompt brings up now."),
    command!(Enriched, ["enriched"], "[session]", "List what an agent would get with the prompt, and its price; with session, only what this session did not get before."),
    command!(Templates, ["templates"], "[WORDS]", "List the templates of the selection, or those that match."),
    command!(Values, ["values", "set"], "[N or NAME or JSON]", "Ask for the values of a template one by one, or take a JSON object of them."),
    command!(Reset, ["reset"], "[N or NAME]", "Forget the values typed for a template."),
    command!(Preview, ["preview"], "[N or NAME]", "Read the template rendered with its values."),
    command!(Difference, ["difference"], "[N or NAME]", "Compare the rendered template with its file."),
    command!(Write, ["write"], "[N or NAME or PATH]", "Write the template to its file, after listing the whole difference."),
    command!(Requests, ["requests", "answer"], "", "Answer what agents ask you."),
    command!(Trust, ["trust"], "", "List the settings of this repository that need your approval, and trust them."),
    command!(Problems, ["problems"], "", "List the problems of the workspace. A number says how to fix one."),
    command!(Profiles, ["profiles"], "", "List the profiles. A number compares one with your picks, and switches after yes."),
    command!(Feed, ["feed"], "[WORDS]", "List what happened, newest first: words, kind: session:, ! for not."),
    command!(Agents, ["agents", "sessions"], "", "List what each agent session was sent, read and picked, and its cost. A number gives details."),
    command!(Databases, ["databases", "tables"], "[WORDS]", "List the tables of the databases, or those with these words in their names. A number reads the page."),
    command!(Describe, ["describe"], "[DATABASE]", "Document a database, or all: list what would be written, and write it after yes."),
    command!(Receipt, ["receipt"], "N", "Explain what an agent was sent, and why, for a row of the feed."),
    command!(Messages, ["messages"], "", "List the last messages: what was done, what followed, and what failed."),
    command!(Theme, ["theme"], "[NAME]", "List the themes of the full screen, or choose one."),
    command!(Welcome, ["welcome"], "", "Explain how to get started: make a catalog, add a source, connect an agent."),
    command!(Status, ["status"], "", "Summarize what is selected and what waits for you."),
    command!(Reload, ["reload"], "", "Read the workspace again."),
    command!(Help, ["help", "?"], "[COMMAND or WORDS]", "List the commands, or those about these words; explain one."),
    command!(Quit, ["quit", "exit", "q"], "", "Quit. Picks and exclusions are kept."),
];

/// A line as a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed<'l> {
    /// Nothing but blanks.
    Nothing,
    Number(usize),
    /// A command and what follows its name.
    Command(&'static PlainCommand, &'l str),
    /// Neither: the first word, and the command that may be meant.
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
            // One character is near to any other.
            let names = COMMANDS.iter().flat_map(|command| command.names.iter().copied()).filter(|name| name.len() > 1);
            Parsed::Unknown(word, nearest(word, names).and_then(|near| names_of(near).next()))
        }
    }
}

fn names_of(name: &str) -> impl Iterator<Item = &'static str> {
    COMMANDS.iter().flat_map(|command| command.names.iter().copied()).filter(move |known| *known == name)
}

pub fn named(name: &str) -> Option<&'static PlainCommand> {
    COMMANDS.iter().find(|command| command.names.iter().any(|known| known.eq_ignore_ascii_case(name)))
}
