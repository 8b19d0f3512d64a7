//! The state of the plain interface: the engine's latest snapshot, the last list, and the open question.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{Audience, Request, Response, Snapshot};
use refdesk_desk::{LargePick, PrivilegedAction};
use refdesk_files::output::Proposal;
use refdesk_text::Error;
use refdesk_text::escape::one_line;

use super::choice::{Choosing, PendingChange};
use super::feed::PlainFeed;
use super::fix;
use super::graph::GraphQuestion;
use super::lists::{Listing, Pages};
use super::profiles::ComparedProfile;
use super::requests::OpenRequest;
use super::saved::{SavedFiles, SavedState};
use super::source::PartialDocument;
use super::templates::PreviewFor;
use super::values::AskedValue;
use crate::common::filter::Order;

/// The options for starting the plain interface.
#[derive(Debug, Clone, Default)]
pub struct PlainStart {
    /// The file of the profile to switch to, after its comparison was shown.
    pub profile: Option<PathBuf>,
    /// Who types the input.
    pub input_owner: InputOwner,
    /// Where named filters and the theme are saved.
    pub files: SavedFiles,
    /// The names of the user's own themes.
    pub own_themes: Vec<String>,
}

/// Everything that an answer depends on.
#[derive(Debug, Default)]
pub struct PlainState {
    pub snapshot: Snapshot,
    /// The last list, which numbers refer to.
    pub list: Listing,
    /// The last paged text.
    pub text: Pages,
    pub more: Continuation,
    pub order: Order,
    /// The catalog's last filter.
    pub filter: String,
    /// The source shown last, for commands without an argument.
    pub about: Option<SourceId>,
    /// The open question; `None` if a command is expected.
    pub question: Option<Question>,
    /// The purpose of the engine's next answer.
    pub pending: Option<Pending>,
    pub feed: PlainFeed,
    pub input_owner: InputOwner,
    /// The last prompt.
    pub prompt: Option<Arc<str>>,
    /// The template used last.
    pub template: Option<String>,
    /// Typed output paths, by template name.
    pub paths: HashMap<String, String>,
    pub saved: SavedState,
    /// The messages after changes, newest first.
    pub messages: VecDeque<String>,
}

/// Who types the lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InputOwner {
    /// A person at a terminal.
    Person,
    /// A file or another program, which may neither trust nor answer for a person.
    #[default]
    Script,
}

/// What `more` continues.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Continuation {
    #[default]
    Nothing,
    List,
    Text,
}

/// A question, which the next line answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Whether to do this despite its large consequence.
    Choice(Choosing),
    /// How much of this source to pick.
    LargePick(Box<LargePick>),
    Clear,
    /// The next line of a prompt, after these.
    Prompt(Vec<String>),
    Value(AskedValue),
    /// The output path for the template of this name.
    Path(String),
    Write(Box<Proposal>),
    /// The answer to an agent.
    Request(Box<OpenRequest>),
    /// Whether to trust exactly these settings.
    Trust(Arc<[PrivilegedAction]>),
    /// Whether to write this many pages, prepared by the run with this number.
    Documentation {
        run: u64,
        pages: usize,
    },
    Profile(ComparedProfile),
}

/// What the engine was asked for.
#[derive(Debug, Clone)]
pub enum Pending {
    /// The effect of this change.
    Preview(Choosing),
    Change(PendingChange),
    /// The answer to an agent, which then makes this change.
    Reply(PendingChange),
    /// A source's document, to print from this line, from 0, and the part read before.
    Document {
        from: usize,
        begun: PartialDocument,
    },
    /// The next part of the document.
    RestOfDocument,
    /// The next part of the document, to search for this text.
    RestToSearch(String),
    /// What the prompt matches.
    Findings,
    /// What would be appended to the prompt.
    Enriched(Audience),
    Search,
    /// A search for these words, whose sections are listed among what is found by name.
    Jump(String),
    Graph(GraphQuestion),
    Rendering(PreviewFor),
    Write,
    /// What choosing these sources for a request would add.
    Marks(Box<OpenRequest>),
    /// Anything else; this text is printed if it succeeds.
    Simple(&'static str),
    Profiles,
    /// What the instructions and the prompt cost.
    Price,
    /// What switching to the profile in this file would change.
    Comparison(PathBuf),
    Receipt,
    Agents,
    /// The activity of agents, to describe this session of this desk.
    Session {
        desk: String,
        session: String,
    },
    /// The databases, to list the tables that match these words.
    Databases(String),
    DatabasePage,
    /// What documenting would write.
    Documentation,
    /// The result of writing this many pages.
    Documented(usize),
    Reload,
    /// The locations of its document and its definition.
    Place(LocationKind),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocationKind {
    Document,
    Definition,
}

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "each is made once, handed on once, and never kept")]
pub enum PlainInput {
    Line(String),
    /// The typed line is too long.
    TooLong,
    /// The engine's answer to the last request.
    Answer(Response),
}

/// An action for the loop to perform.
#[derive(Debug, Clone, PartialEq)]
pub enum PlainEffect {
    /// Ask the engine; its answer arrives before the next line is read.
    Ask(Request),
    Quit,
}

#[must_use]
#[derive(Debug, Default, PartialEq)]
pub struct InputOutcome {
    pub lines: Vec<String>,
    pub effects: Vec<PlainEffect>,
}

impl InputOutcome {
    /// Prints one line. External text in it can neither start another line nor move the cursor.
    pub fn print(&mut self, line: impl AsRef<str>) {
        self.lines.push(one_line(line.as_ref()).into_owned());
    }

    /// Prints an error, and how to fix it.
    pub fn print_error(&mut self, error: &Error) {
        fix::sentences(error).iter().for_each(|line| self.print(line));
    }

    /// The value; otherwise prints why there is none.
    pub fn ok_or_print<T>(&mut self, value: Result<T, String>) -> Option<T> {
        value.map_err(|why| self.print(why)).ok()
    }

    pub fn ask(&mut self, request: Request) {
        self.effects.push(PlainEffect::Ask(request));
    }
}
