//! What the name and the type of a column together make certain: a point in time, or a flag.

use crate::config::Connection;
use crate::names::words::{readable_name, split};
use crate::snapshot::Column;

/// Names of points in time, and their descriptions.
const MOMENTS: &[(&str, &str)] = &[
    ("created", "When the row was created"),
    ("updated", "When the row was last changed"),
    ("modified", "When the row was last changed"),
    ("changed", "When the row was last changed"),
    ("deleted", "When the row was marked as deleted"),
    ("inserted", "When the row was inserted"),
];

/// Irregular past participles of actions on things.
const IRREGULAR: &[&str] = &[
    "begun", "born", "bought", "broken", "built", "chosen", "done", "drawn", "found", "given", "held", "hidden",
    "lost", "made", "paid", "read", "seen", "sent", "shown", "sold", "taken", "won", "written",
];

/// Past forms of what things do themselves: nothing *was occurred*.
const HAPPENED: &[&str] = &[
    "appeared",
    "arrived",
    "began",
    "crashed",
    "departed",
    "died",
    "disappeared",
    "elapsed",
    "emerged",
    "expired",
    "failed",
    "fell",
    "happened",
    "joined",
    "landed",
    "lapsed",
    "left",
    "matured",
    "occurred",
    "replied",
    "resigned",
    "responded",
    "succeeded",
    "vanished",
];

/// Participles that *on* follows for a place or a reason, not for a date.
const PLACED: &[&str] = &["based", "hosted", "located", "mounted", "printed", "stored"];

/// First words of a question that a flag answers.
const QUESTIONS: &[&str] = &["can", "has", "is", "was"];

/// Words for the state of a thing that are not participles.
const STATES: &[&str] = &["active", "hidden", "open", "optional", "public", "valid", "visible"];

/// Words for what a number or a text tells, so that `is_number` is not a question unless its type is a boolean.
const TOLD: &[&str] = &["amount", "code", "count", "date", "id", "key", "name", "number", "time", "type"];

/// Verbs for what things do at a point in time.
const ACTS: &[&str] = &["begins", "starts", "ends", "expires", "opens", "closes"];

/// What happens at a point in time, as in `last_login_at`.
const EVENTS: &[&str] = &[
    "access", "activity", "attempt", "backup", "change", "check", "contact", "export", "import", "login", "logout",
    "message", "order", "payment", "purchase", "run", "scan", "start", "sync", "update", "use", "visit",
];

/// What the values of a column are, as far as its type makes that certain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Values {
    Flags,
    Numbers,
    Texts,
    Times,
    /// The column has no type.
    Any,
    Others,
}

impl Values {
    /// What the type of this column says.
    pub(super) fn of(column: &Column) -> Self {
        let printed = column.base_type.as_ref().unwrap_or(&column.data_type);
        let words = split(printed);
        let Some(first) = words.first() else { return Self::Any };
        // A name of the database's own for a type may be any word, but its values have labels or its schema is first.
        let is_plain =
            column.labels.is_empty() && !printed.ends_with(']') && !words.iter().any(|word| word.ends_with("range"));
        match first.as_str() {
            _ if !is_plain => Self::Others,
            "bool" | "boolean" => Self::Flags,
            "bigint" | "dec" | "decimal" | "double" | "float" | "int" | "integer" | "mediumint" | "num" | "number"
            | "numeric" | "real" | "smallint" | "tinyint" | "unsigned" => Self::Numbers,
            "bpchar" | "char" | "character" | "citext" | "clob" | "nchar" | "nvarchar" | "string" | "text"
            | "varchar" => Self::Texts,
            "date" | "datetime" | "time" | "timestamp" | "timestamptz" | "timetz" => Self::Times,
            _ => Self::Others,
        }
    }

    /// Whether a value may be a point in time. SQLite has no type for one.
    pub(super) fn may_be_times(self, connection: &Connection) -> bool {
        let is_sqlite = || matches!(connection, Connection::Sqlite { .. });
        matches!(self, Self::Any | Self::Numbers | Self::Times) || self == Self::Texts && is_sqlite()
    }
}

/// When something happened, if the name says so; `owner` is one row in words.
pub(super) fn moment(words: &[String], values: Values, owner: &str) -> Option<String> {
    // `last_seen_at` is when something was last seen.
    let (words, last) = match words {
        [first, rest @ ..] if first == "last" && rest.len() == 2 => (rest, "last "),
        words => (words, ""),
    };
    let is_moment = match words {
        [_, last] => ["at", "on", "date", "time", "ts"].contains(&last.as_str()),
        [_] => values == Values::Times,
        _ => false,
    };
    let first = words.first()?;
    let known = MOMENTS.iter().find(|(word, _)| word == first).map(|(_, text)| (*text).to_owned());
    let act = match words {
        [first, _] if !last.is_empty() && EVENTS.contains(&first.as_str()) => {
            Some(format!("Time of the last {first} of the {owner}"))
        }
        [first, _] if !last.is_empty() && first == "active" => Some(format!("When the {owner} was last active")),
        [first, last] if ACTS.contains(&first.as_str()) && ["at", "on"].contains(&last.as_str()) => {
            Some(format!("When the {owner} {first}"))
        }
        [first, _] if HAPPENED.contains(&first.as_str()) => Some(format!("When the {owner} {last}{first}")),
        [first, last] if first == "due" && ["at", "on"].contains(&last.as_str()) => {
            Some(format!("When the {owner} is due"))
        }
        [first, end] if first == "valid" && ["from", "since"].contains(&end.as_str()) => {
            return Some(format!("When the {owner} becomes valid")).filter(|_| last.is_empty());
        }
        [first, end] if first == "valid" && ["to", "until", "till"].contains(&end.as_str()) => {
            return Some(format!("When the {owner} stops being valid")).filter(|_| last.is_empty());
        }
        _ => None,
    };
    // `opened_on` of an account is when it was opened.
    let is_done = || match words {
        [_, last] if last == "on" && PLACED.contains(&first.as_str()) => values == Values::Times,
        [_, last] => ["at", "on"].contains(&last.as_str()) && is_participle(first),
        _ => false,
    };
    let done = || is_done().then(|| format!("When the {owner} was {last}{first}"));
    let found = known.or(act).or_else(done).filter(|_| is_moment);
    found.filter(|text| last.is_empty() || text.contains(" last "))
}

/// The question that a flag answers; `of` says whose it is.
pub(super) fn flag(words: &[String], values: Values, of: &str) -> Option<String> {
    let (first, rest) = words.split_first()?;
    let rest = readable_name(&rest.join("_"));
    let is_told = rest.rsplit(' ').next().is_some_and(|last| TOLD.contains(&last));
    match values {
        Values::Flags if is_question(first) && !rest.is_empty() => Some(format!("Whether it {first} {rest}")),
        Values::Flags if rest.is_empty() && (is_participle(first) || STATES.contains(&first.as_str())) => {
            Some(format!("Whether it is {first}"))
        }
        // `requires_approval` and `no_smoking`: what is true of the row is only in the words as they are written.
        Values::Flags => Some(format!("Flag \u{201c}{}\u{201d}{of}", words.join(" "))),
        Values::Any | Values::Numbers | Values::Texts if is_question(first) && !rest.is_empty() && !is_told => {
            Some(format!("Whether it {first} {rest}"))
        }
        _ => None,
    }
}

/// Whether a name that begins with this word is a question.
pub(super) fn is_question(word: &str) -> bool {
    QUESTIONS.contains(&word)
}

fn is_participle(word: &str) -> bool {
    word.len() > 4 && word.ends_with("ed") && !word.ends_with("eed") || IRREGULAR.contains(&word)
}
