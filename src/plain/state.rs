//! The state of the plain interface: what the engine said last, what the last list showed, and which question is open.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use refdesk_core::catalog::SourceId;
use refdesk_desk::engine::{Audience, Request, Response, Snapshot};
use refdesk_desk::{LargePick, PrivilegedAction};
use refdesk_files::output::Proposal;
use refdesk_text::escape::one_line;

use super::choice::{Choosing, PendingChange};
use super::feed::PlainFeed;
use super::graph::GraphQuestion;
use super::lists::NumberedRow;
use super::lists::{Listing, Pages};
use super::profiles::ComparedProfile;
use super::requests::OpenRequest;
use super::saved::{SavedFiles, SavedState};
use super::source::BegunDocument;
use super::templates::PreviewFor;
use super::values::AskedValue;
use crate::common::filter::Order;
use crate::common::values::TypedValues;

/// How the plain interface begins.
#[derive(Debug, Clone, Default)]
pub struct PlainStart {
    /// The file of the profile to switch to, after its difference was shown.
    pub profile: Option<PathBuf>,
    /// Who types.
    pub input_owner: InputOwner,
    /// Where named filters and the theme are kept.
    pub files: SavedFiles,
    /// The names of the person's own themes.
    pub own_themes: Vec<String>,
}

/// Everything that an answer depends on.
#[derive(Debug, Default)]
pub struct PlainState {
    pub snapshot: Snapshot,
    /// The last list; numbers choose from it.
    pub list: Listing,
    /// The last text that is printed in pages.
    pub text: Pages,
    pub more: Continuation,
    pub order: Order,
    /// The filter that the catalog was listed with last.
    pub filter: String,
    /// The source that was shown last, for commands without one.
    pub about: Option<SourceId>,
    /// The open question; `None` if a command is expected.
    pub question: Option<Question>,
    /// What the next answer of the engine is for.
    pub pending: Option<Pending>,
    pub feed: PlainFeed,
    pub input_owner: InputOwner,
    /// The prompt that was typed last.
    pub prompt: Option<Arc<str>>,
    /// The template that was used last.
    pub template: Option<String>,
    /// Typed values, by the name of the template. In memory only: they can be secrets.
    pub typed: HashMap<String, TypedValues>,
    /// Paths typed for the files of templates, by the name of the template.
    pub paths: HashMap<String, String>,
    pub saved: SavedState,
    /// The messages after changes, the newest first.
    pub messages: VecDeque<String>,
}

/// Who types the lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum InputOwner {
    /// A person at a terminal.
    Person,
    /// A file or another program, which can neither trust nor answer for a person.
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

/// A question that the next line answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Whether to do this, although its consequence is large.
    Choice(Choosing),
    /// How much of this to pick.
    LargePick(Box<LargePick>),
    Clear,
    /// The next line of a prompt, after these.
    Prompt(Vec<String>),
    Value(AskedValue),
    /// The path of the file for the template of this name.
    Path(String),
    Write(Box<Proposal>),
    /// The answer to an agent.
    Request(Box<OpenRequest>),
    /// Whether to trust exactly these.
    Trust(Arc<[PrivilegedAction]>),
    /// Whether to write these many pages, which the run of this number prepared.
    Documentation {
        run: u64,
        pages: usize,
    },
    Profile(ComparedProfile),
}

/// What the engine was asked for.
#[derive(Debug, Clone)]
pub enum Pending {
    /// What this would change.
    Preview(Choosing),
    Change(PendingChange),
    /// The document of a source, to be said from this line on, counted from 0, and the part of it that was read before.
    Document {
        from: usize,
        begun: BegunDocument,
    },
    /// The next part of the document.
    RestOfDocument,
    /// The same, to search for what was typed.
    RestToSearch(String),
    /// What the prompt matches.
    Findings,
    /// What would be appended to it.
    Enriched(Audience),
    Search,
    /// A search whose sections are listed after these rows, which were found by name.
    Jump(Vec<NumberedRow>),
    Graph(GraphQuestion),
    Rendering(PreviewFor),
    Write,
    /// What choosing these sources for a request would add.
    Marks(Box<OpenRequest>),
    /// Anything else; this is printed if it succeeds.
    Simple(&'static str),
    Profiles,
    /// What the instructions and the prompt cost.
    Price,
    /// What switching to the profile in this file would change.
    Comparison(PathBuf),
    Receipt,
    Agents,
    /// What agents did, to say everything about this session of this desk.
    Session {
        desk: String,
        session: String,
    },
    /// The databases, to list the tables that match these words.
    Databases(String),
    DatabasePage,
    /// What documenting would write.
    Documentation,
    /// How writing these many pages ended.
    Documented(usize),
    Reload,
    /// Where its document and its definition are.
    Place(PlaceOf),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceOf {
    Document,
    Definition,
}

#[derive(Debug, Clone)]
#[allow(clippy::large_enum_variant, reason = "each is made once, handed on once, and never kept")]
pub enum PlainInput {
    Line(String),
    /// A line was typed that is too long to be taken.
    TooLong,
    /// The engine's answer to the last request.
    Answer(Response),
}

/// Something to be done by the loop.
#[derive(Debug, Clone, PartialEq)]
pub enum PlainEffect {
    /// Ask the engine; its answer comes before the next line.
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
    /// Says one line. What comes from outside can neither begin another line nor move the cursor.
    pub fn print(&mut self, line: impl AsRef<str>) {
        self.lines.push(one_line(line.as_ref()).into_owned());
    }

    pub fn ask(&mut self, request: Request) {
        self.effects.push(PlainEffect::Ask(request));
    }
}
