//! What does a coding agent know, why, and what does it cost?
//!
//! refdesk keeps a *desk* for one workspace: a catalog of knowledge sources, what a person picked from it, what those
//! picks pull in by mentioning it, what a prompt would be hinted at, and the templates that come along. One crate, a
//! library with a thin binary. Each folder of `src/` is a room with one job.
//!
//! # The map
//!
//! | floor | room | its job |
//! | ----- | ---- | ------- |
//! | 0 | [`text`] | what a text is: whole words, many words found at once, sentence ends, lines, escaping, folding, nearest name, tokens |
//! | 0 | [`disk`] | what a file is: atomic write, lock, walk, paths, safe names |
//! | 0 | [`report`] | a diagnostic: what is wrong, where, how to mend it; where a JSON pointer stands in its file |
//! | 1 | [`config`] | the settings of a workspace: which file holds them, what they say; profiles; how a person left the screen |
//! | 2 | [`catalog`] | what can be known: sources, discovery, merging, paths |
//! | 3 | [`mention`] | who names whom, by id or by link |
//! | 4 | [`selection`] | what is chosen and why: picks, exclusions, closure, parents, access list |
//! | 5 | [`template`] | what can be generated: discover, take out of documents, name, detect the syntax, tell the variables |
//! | 6 | [`render`] | a template and its values to text: three engines, their limits, the worker process |
//! | 6 | [`enrich`] | what is said to an agent, why, and what it costs: the chain of enrichers, the budget, instructions |
//! | 7 | [`session`] | what lasts: the desk file, what a session was told, the journal, the files of templates |
//! | 7 | [`output`] | text to files: what a write would change, what may be written where, the write itself |
//! | 8 | [`desk`] | all of it as one object with plain methods |
//! | 9 | [`channel`] | how a person is asked, for a choice or for a yes: console, queue, webhook, file |
//! | 10 | [`engine`] | the desk as a background task: commands in, snapshots and events out, notices of what changed, watching |
//! | 11 | [`hook`] | the desk in an agent's own terms: what its hooks say and want to hear |
//! | 11 | [`mcp`] | the desk as a Model Context Protocol server, for one agent on stdio or many over HTTP |
//! | 11 | [`setup`] | letting an agent call the desk, and taking that away again |
//! | 12 | [`cli`] | the desk as commands, one file a verb |
//! | 12 | [`tui`] | the desk as a full screen |
//!
//! The engine is a thread behind tokio's channels, not a task: the desk reads files and computes, which would only block a scheduler.
//! Previews have a thread of their own beside it and templates a process of their own: neither may hold the desk up.
//! `main` is where commands and screen meet, since neighbours of one floor know nothing of each other.
//!
//! # Invariants
//!
//! - A room imports only from floors below its own. [`FLOORS`] says it once and a test reads every `use` line.
//! - Rooms up to and including `desk` know no async, no terminal, no network and no clock they were not handed.
//! - Data flows one way: files → [`catalog::Catalog`] → [`mention::MentionGraph`] → [`selection::Selection`] →
//!   [`template::TemplateIndex`]. Everything right of an arrow is a pure function of what is left of it; a change makes a
//!   new value and nothing is patched in place.
//! - Parsing returns what could be read *and* a list of diagnostics, never one or the other.
//! - `engine` knows no terminal; `tui` reads no file and never waits; `update` is pure, `draw` does no I/O.
//! - Only `tui::terminal` touches terminal modes, and it restores them on every way out.
//! - What is written outside `.jaato/refdesk/` is journalled; what an agent is told is too, with its very bytes.
//! - A file outside `.jaato/` is written only by [`output`], after its difference was shown or waived. What may be written
//!   where stands in `output::refusal`, what a rendering may use in [`render::limits`].
//! - What a room up to `desk` has to say it returns; only the rooms above it log, to a file.
//! - Text from outside reaches the screen and an agent only through `text::escape`.

pub mod catalog;
pub mod channel;
pub mod cli;
pub mod config;
pub mod desk;
pub mod disk;
pub mod engine;
pub mod enrich;
pub mod hook;
pub mod mcp;
pub mod mention;
pub mod output;
pub mod render;
pub mod report;
pub mod selection;
pub mod session;
pub mod setup;
pub mod template;
pub mod text;
pub mod tui;

/// Every room with its floor. A room may import from lower floors only, never from its own or a higher one.
pub const FLOORS: &[(&str, u8)] = &[
    ("text", 0),
    ("disk", 0),
    ("report", 0),
    ("config", 1),
    ("catalog", 2),
    ("mention", 3),
    ("selection", 4),
    ("template", 5),
    ("render", 6),
    ("enrich", 6),
    ("session", 7),
    ("output", 7),
    ("desk", 8),
    ("channel", 9),
    ("engine", 10),
    ("hook", 11),
    ("mcp", 11),
    ("setup", 11),
    ("cli", 12),
    ("tui", 12),
];
