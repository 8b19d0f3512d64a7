//! What happened at the desk: the feed, and news printed before the next prompt.

use std::collections::VecDeque;

use refdesk_desk::engine::{Actor, Age, DatedLine, Event, Notice, Receipts, Request};
use refdesk_enrich::{ItemReceipt, TextKind};

use super::lists::{NumberedRow, Pages, Target, list, read};
use super::state::{InputOutcome, Pending, PlainState};
use super::words::counted;
use super::{fix, requests, words};
use crate::common::feed_query::FeedQuery;
use crate::common::hint_rows::level;
use crate::common::notices::{for_people, recipient};

/// The maximum number of notices; older ones are dropped.
const MAX_KEPT_NOTICES: usize = 1000;

/// The most notices printed at once.
const MAX_NOTICES: usize = 5;

/// The notices, newest first, and the news still to be printed.
#[derive(Debug, Default)]
pub struct PlainFeed {
    pub notices: VecDeque<Notice>,
    news: Vec<QueuedLine>,
    /// The number of notices that are only in the feed.
    dropped: usize,
}

#[derive(Debug, PartialEq, Eq)]
enum QueuedLine {
    /// A notice, which is also in the feed.
    Notice(String),
    /// A refusal or the end of a request, which is not printed elsewhere.
    Other(String),
}

impl PlainFeed {
    fn keep(&mut self, notice: Notice) {
        self.notices.push_front(notice);
        self.notices.truncate(MAX_KEPT_NOTICES);
    }

    /// Adds a notice to the news; of many, only the last ones are printed.
    fn queue_notice(&mut self, notice: &Notice) {
        self.news.push(QueuedLine::Notice(sentence(notice)));
        let is_notice = |news: &QueuedLine| matches!(news, QueuedLine::Notice(_));
        if self.news.iter().filter(|news| is_notice(news)).count() > MAX_NOTICES
            && let Some(first) = self.news.iter().position(is_notice)
        {
            self.news.remove(first);
            self.dropped += 1;
        }
    }

    /// Adds a line that is not in the feed to the news; only once, even if it recurs.
    fn queue_line(&mut self, line: String) {
        let news = QueuedLine::Other(line);
        if !self.news.contains(&news) {
            self.news.push(news);
        }
    }
}

pub fn event(state: &mut PlainState, event: Event) {
    match event {
        Event::Notice(notice) => {
            let notice = for_people(notice);
            // The user's own actions were answered immediately.
            if notice.who != Actor::You {
                state.feed.queue_notice(&notice);
            }
            state.feed.keep(notice);
        }
        Event::Receipts(Receipts { lines, age, gap }) => {
            for notice in gap.into_iter().chain(lines.into_iter().map(|(notice, _)| for_people(notice))) {
                if age == Age::Now {
                    state.feed.queue_notice(&notice);
                }
                state.feed.keep(notice);
            }
        }
        Event::Closed(over) => requests::ended(&over).into_iter().for_each(|line| state.feed.queue_line(line)),
        Event::DatabaseRun(_) | Event::Agents => {}
        Event::Refused(error) => {
            fix::sentences(&error).into_iter().for_each(|line| state.feed.queue_line(line));
        }
    }
}

pub fn print_news(state: &mut PlainState, turn: &mut InputOutcome) {
    let dropped = std::mem::take(&mut state.feed.dropped);
    if dropped > 0 {
        turn.print(format!("news: {} before these. Type feed to list them.", counted(dropped, "more event")));
    }
    for QueuedLine::Notice(line) | QueuedLine::Other(line) in std::mem::take(&mut state.feed.news) {
        turn.print(format!("news: {line}"));
    }
}

/// `12:03:41, claude-code: To a prompt: hinted at retry. session s1.`
pub fn sentence(notice: &Notice) -> String {
    let time = if notice.time.is_empty() { String::new() } else { format!("{}, ", notice.time) };
    let reason = if notice.reason.is_empty() { String::new() } else { format!(" ({})", notice.reason) };
    format!("{time}{}: {}{reason}.", notice.who.word(), notice.text)
}

/// Lists notices, newest first: all, or those that match this filter.
pub fn show(state: &mut PlainState, filter: &str, turn: &mut InputOutcome) {
    let query = FeedQuery::parse(filter);
    if let Some(fault) = &query.fault {
        turn.print(words::invalid_filter(fault));
        return list(state, Vec::new(), turn);
    }
    let kept: Vec<&Notice> = state.feed.notices.iter().filter(|notice| query.keep(notice)).collect();
    match (state.feed.notices.len(), kept.len()) {
        (0, _) => turn.print("Nothing has happened yet."),
        (_, 0) => turn.print(format!("Nothing that happened matches {filter}.")),
        (_, some) => turn.print(format!("{}, the newest first.", counted(some, "event"))),
    }
    let rows = kept.into_iter().map(row).collect();
    list(state, rows, turn);
}

pub fn row(notice: &Notice) -> NumberedRow {
    NumberedRow::new(Target::Notice(Box::new(notice.clone())), sentence(notice))
}

/// Opens a row of the feed: its receipt, or its text and place.
pub fn open(state: &mut PlainState, notice: &Notice, turn: &mut InputOutcome) {
    if let Some(receipt) = notice.receipt.filter(|receipt| receipt.has_text) {
        return ask_for(state, receipt.number, turn);
    }
    turn.print(sentence(notice));
    if let Some(place) = &notice.place {
        let file = words::path(&state.snapshot, &place.path);
        turn.print(format!("Place: {file}, line {}.", place.line));
    }
    if let Some(id) = &notice.subject {
        state.about = Some(id.clone());
        let (others, it) = if notice.several { (" and others", id.as_str()) } else { ("", "it") };
        turn.print(format!("It is about {id}{others}. Type show for more about {it}."));
    }
}

/// Requests the receipt in this journal line.
pub fn ask_for(state: &mut PlainState, line: u64, turn: &mut InputOutcome) {
    state.pending = Some(Pending::Receipt);
    turn.ask(Request::JournalLine(line));
}

/// Prints a receipt: what was sent, to which session, why each part was added, and the exact text.
pub fn receipt(state: &mut PlainState, line: Result<Box<DatedLine>, String>, turn: &mut InputOutcome) {
    let DatedLine { line, local_time } = match line {
        Ok(line) => *line,
        Err(why) => return turn.print(words::sentence(&why)),
    };
    let receipt = &line.receipt;
    turn.print(format!("Line {} of the journal.", line.n));
    turn.print(format!("Sent to {}.", recipient(&line, &state.snapshot.desk)));
    turn.print(format!("By {}, {local_time}.", line.who));
    if receipt.kind == Some(TextKind::Prompt) {
        turn.print("The prompt itself is not stored: the journal records only what was added to it.");
    }
    if !receipt.reason.is_empty() {
        turn.print(format!("Reason: {}", words::stopped(&receipt.reason)));
    }
    turn.print(format!("{}, {}.", counted(receipt.bytes, "byte"), words::tokens(receipt.tokens as u64)));
    let mut lines: Vec<String> = receipt.why.iter().map(item).collect();
    if let Some(text) = &receipt.text {
        lines.push("The text that was sent:".to_owned());
        lines.extend(text.trim_start_matches('\n').lines().map(str::to_owned));
    }
    if let Some(hash) = &receipt.hash {
        lines.push(format!("SHA-256 of the text: {hash}"));
    }
    read(state, Pages { title: "the receipt".to_owned(), lines, ..Pages::default() }, turn);
}

/// `hint java-service: tag java at 1:9. full, 43 bytes.`
fn item(item: &ItemReceipt) -> String {
    let because = item.because_quoting("");
    let size = match (item.bytes, item.rejected) {
        (_, Some(_)) | (0, None) => "left out".to_owned(),
        (bytes, None) => format!("{}, {}", level(item.level), counted(bytes, "byte")),
    };
    let because = if because.is_empty() { String::new() } else { format!(": {because}") };
    format!("{} {}{because}, {size}.", item.block.word(), item.about)
}
