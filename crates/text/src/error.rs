//! The error of a failed request. Every crate returns this one type, so that callers can pass errors on unchanged.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::Fix;
use crate::shorten::without_middle;

/// The most characters of a message: room for all the names of a request that an answer repeats.
const MESSAGE: usize = 4_000;

/// What went wrong and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Error {
    /// The kind of error, for programs.
    pub code: Code,
    /// What went wrong, one sentence without a final full stop.
    pub message: String,
    /// What to do.
    #[serde(rename = "hint")]
    pub fix: Fix,
    /// The line of the text that the error is about, from 1. JSON prints it next to the error, if at all.
    #[serde(skip)]
    pub line: Option<usize>,
}

impl Error {
    /// An error with advice, and without a line.
    pub fn new(code: Code, message: impl Into<String>, fix: impl Into<Fix>) -> Self {
        Self { code, message: without_middle(message.into(), MESSAGE), fix: fix.into(), line: None }
    }

    /// The same error, with its fix worded for one interface.
    #[must_use]
    pub fn worded(self, word: &dyn Fn(&Fix) -> Option<String>) -> Self {
        Self { fix: self.fix.worded(word).into(), ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.message)?;
        if self.fix.is_none() { Ok(()) } else { write!(out, "\n  fix: {}", self.fix) }
    }
}

impl std::error::Error for Error {}

macro_rules! codes {
    ($($name:ident = $text:literal),* $(,)?) => {
        /// The kind of an [`Error`] or a [`Diagnostic`](crate::report::Diagnostic). One enum for both: a diagnostic
        /// that stops a command is printed as its error. The printed names are part of the contract.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code {
            $(#[doc = concat!("`", $text, "`")] $name,)*
        }

        impl Code {
            /// The name programs see.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

codes! {
    Answered = "answered",
    BadExpectations = "bad-expectations",
    BadGlob = "bad-glob",
    BadLines = "bad-lines",
    BadPath = "bad-path",
    BelowAFile = "below-a-file",
    Binary = "binary",
    BrokenLink = "broken-link",
    Busy = "busy",
    Changed = "changed",
    ChangedLine = "changed-line",
    ChangedMeanwhile = "changed-meanwhile",
    ChosenMeanwhile = "chosen-meanwhile",
    Closed = "closed",
    ConfigNotFound = "config-not-found",
    Contradiction = "contradiction",
    ControlCharacter = "control-character",
    Damaged = "damaged",
    DamagedJournal = "damaged-journal",
    DatabaseBusy = "database-busy",
    DatabaseDiffers = "database-differs",
    DatabaseMisconfigured = "database-misconfigured",
    DatabaseUnreachable = "database-unreachable",
    DatabaseUnreadable = "database-unreadable",
    Denied = "denied",
    DuplicateId = "duplicate-id",
    DuplicateKey = "duplicate-key",
    DuplicateName = "duplicate-name",
    EditedPage = "edited-page",
    Editor = "editor",
    EmptyId = "empty-id",
    EmptyName = "empty-name",
    EmptyPath = "empty-path",
    EmptyTag = "empty-tag",
    EntryTaken = "entry-taken",
    Exists = "exists",
    FileAndFolder = "file-and-folder",
    FileExists = "file-exists",
    ForeignPath = "foreign-path",
    ForeignState = "foreign-state",
    FrontMatter = "front-matter",
    GivenUp = "given-up",
    Guarded = "guarded",
    HalfAnswer = "half-answer",
    HiddenCharacters = "hidden-characters",
    IdTaken = "id-taken",
    IndexBusy = "index-busy",
    IndexForeign = "index-foreign",
    IndexNewer = "index-newer",
    IndexUnreachable = "index-unreachable",
    IndexUnreadable = "index-unreadable",
    IndexUnwritable = "index-unwritable",
    InvalidCall = "invalid-call",
    IsAuto = "is-auto",
    IsFolder = "is-folder",
    IsTransitive = "is-transitive",
    JsonSyntax = "json-syntax",
    KeptBack = "kept-back",
    KeyConflict = "key-conflict",
    KeyUnusable = "key-unusable",
    LeadsOut = "leads-out",
    LiesElsewhere = "lies-elsewhere",
    LinkLoop = "link-loop",
    LinkedOut = "linked-out",
    Missing = "missing",
    MissingField = "missing-field",
    MissingPath = "missing-path",
    ModelBroken = "model-broken",
    Moved = "moved",
    MovedPath = "moved-path",
    NeverFound = "never-found",
    NoAccess = "no-access",
    NoAnswer = "no-answer",
    NoBytes = "no-bytes",
    NoCase = "no-case",
    NoChannel = "no-channel",
    NoCurrentFolder = "no-current-folder",
    NoDatabases = "no-databases",
    NoDemo = "no-demo",
    NoDocument = "no-document",
    NoExpectations = "no-expectations",
    NoHistory = "no-history",
    NoHome = "no-home",
    NoIndex = "no-index",
    NoInput = "no-input",
    NoOutputPath = "no-output-path",
    NoPath = "no-path",
    NoRegularFile = "no-regular-file",
    NoRoom = "no-room",
    NoScreen = "no-screen",
    NoSources = "no-sources",
    NoStateFolder = "no-state-folder",
    NoSuchFile = "no-such-file",
    NoSuchPath = "no-such-path",
    NoTerminal = "no-terminal",
    NoText = "no-text",
    NoTool = "no-tool",
    NoVariable = "no-variable",
    NoWorkspace = "no-workspace",
    NobodyAsks = "nobody-asks",
    NoneMatched = "none-matched",
    NotAnObject = "not-an-object",
    NotAnswered = "not-answered",
    NotApproved = "not-approved",
    NotAsked = "not-asked",
    NotAttending = "not-attending",
    NotDelivered = "not-delivered",
    NotDiscovered = "not-discovered",
    NotDocumented = "not-documented",
    NotJournalled = "not-journalled",
    NotSelected = "not-selected",
    NotServed = "not-served",
    NotStored = "not-stored",
    NotToml = "not-toml",
    NotUtf8 = "not-utf8",
    NotWatched = "not-watched",
    NotWritten = "not-written",
    NothingExpected = "nothing-expected",
    NothingNamed = "nothing-named",
    Outside = "outside",
    PlainPassword = "plain-password",
    PlanChanged = "plan-changed",
    Polling = "polling",
    PrivateAddress = "private-address",
    ProfileBroken = "profile-broken",
    ProfileMissing = "profile-missing",
    ReadOnly = "read-only",
    Refused = "refused",
    Render = "render",
    Stopped = "stopped",
    TableUnreadable = "table-unreadable",
    UndefinedVariable = "undefined-variable",
    ReservedPath = "reserved-path",
    RoleMayWrite = "role-may-write",
    SameFile = "same-file",
    TemplateAmbiguous = "template-ambiguous",
    TemplateBroken = "template-broken",
    TemplateFile = "template-file",
    TemplateLimit = "template-limit",
    TemplateOverrides = "template-overrides",
    TemplateUnreadable = "template-unreadable",
    TemplatesFolder = "templates-folder",
    TemplatesNotWritten = "templates-not-written",
    TimedOut = "timed-out",
    ToldBefore = "told-before",
    TooLarge = "too-large",
    TooLong = "too-long",
    TooMany = "too-many",
    TooManyBytes = "too-many-bytes",
    TooManyEntries = "too-many-entries",
    TooManyFiles = "too-many-files",
    TooManyProblems = "too-many-problems",
    TooManyRequests = "too-many-requests",
    TooMuch = "too-much",
    UnfilledPath = "unfilled-path",
    UnknownColumn = "unknown-column",
    UnknownDatabase = "unknown-database",
    UnknownDomain = "unknown-domain",
    UnknownId = "unknown-id",
    UnknownKey = "unknown-key",
    UnknownLine = "unknown-line",
    UnknownProfile = "unknown-profile",
    UnknownTable = "unknown-table",
    UnknownTemplate = "unknown-template",
    UnknownValue = "unknown-value",
    UnlistedLink = "unlisted-link",
    Unparsable = "unparsable",
    Unreadable = "unreadable",
    UnreadableJournal = "unreadable-journal",
    UnsupportedVersion = "unsupported-version",
    Untried = "untried",
    Untrusted = "untrusted",
    Usage = "usage",
    Watch = "watch",
    WatchLimit = "watch-limit",
    WeakTls = "weak-tls",
    Webhook = "webhook",
    WhichTemplate = "which-template",
    WorkerEnded = "worker-ended",
    WorkspacePath = "workspace-path",
    WriteFinished = "write-finished",
    WriteInterrupted = "write-interrupted",
    WriteUndone = "write-undone",
    WrongAnswer = "wrong-answer",
    WrongEndpoint = "wrong-endpoint",
    WrongHeader = "wrong-header",
    WrongRequest = "wrong-request",
    WrongType = "wrong-type",
}

impl fmt::Display for Code {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(self.as_str())
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}
