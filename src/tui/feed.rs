//! The feed of notices, newest first: bounded, filterable, with a cursor.

pub mod target;
pub mod update;
pub mod view;

pub use crate::common::feed_query as query;

use std::collections::VecDeque;

use refdesk_desk::engine::{Actor, Notice};

use crate::tui::widgets::field::TextField;
use crate::tui::widgets::motion::Cursor;
use query::FeedQuery;

/// The maximum number of notices; older ones are dropped.
pub const MAX_NOTICES: usize = 1000;

/// Notices, newest first.
#[derive(Debug, Clone, Default)]
pub struct Feed {
    /// At most [`MAX_NOTICES`].
    pub notices: VecDeque<Notice>,
    pub filter: TextField,
    /// The filter, parsed.
    pub terms: FeedQuery,
    /// Indices into `notices` of the rows that match the filter.
    pub rows: Vec<usize>,
    /// The row under the cursor, as an index into `rows`.
    pub cursor: Cursor,
    /// Notices that arrived since the feed was last focused.
    pub new: usize,
    /// Notices that arrived since the last key.
    pub since_key: usize,
    pub has_dropped_notices: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FeedFocus {
    InFeed,
    /// Another pane is focused.
    Elsewhere,
}

impl Feed {
    /// Adds a notice. A cursor on the newest row follows it; elsewhere, the cursor stays on its notice.
    pub fn add(&mut self, notice: Notice, reader: FeedFocus) {
        self.add_all(vec![notice], reader);
    }

    /// Adds notices, oldest first, as if each had arrived separately.
    pub fn add_all(&mut self, notices: Vec<Notice>, reader: FeedFocus) {
        let count = notices.len();
        self.since_key += count;
        // The user's own actions are not news.
        let own = if self.new > 0 { 0 } else { notices.iter().take_while(|it| it.who == Actor::You).count() };
        self.new = if reader == FeedFocus::InFeed { 0 } else { (self.new + count - own).min(MAX_NOTICES) };
        self.add_past(notices);
    }

    /// Adds notices that do not count as new, such as those from before this screen started.
    pub fn add_past(&mut self, mut notices: Vec<Notice>) {
        let was_moved = self.cursor.at > 0;
        let too_many = notices.len().saturating_sub(MAX_NOTICES);
        self.has_dropped_notices |= too_many > 0 || self.notices.len() + notices.len() > MAX_NOTICES;
        notices.drain(..too_many);
        let count = notices.len();
        let kept: Vec<usize> =
            notices.iter().rev().enumerate().filter(|(_, it)| self.terms.keep(it)).map(|(at, _)| at).collect();
        notices.into_iter().for_each(|notice| self.notices.push_front(notice));
        self.notices.truncate(MAX_NOTICES);
        if was_moved {
            self.cursor.at += kept.len();
            self.cursor.top += if self.cursor.top > 0 { kept.len() } else { 0 };
        }
        let before = self.rows.iter().map(|row| row + count).filter(|row| *row < MAX_NOTICES);
        self.rows = kept.into_iter().chain(before).collect();
        self.cursor.at = self.cursor.at.min(self.rows.len().saturating_sub(1));
    }

    pub fn set_filter(&mut self, line: &str) {
        self.filter.clear();
        self.filter.insert(line);
        self.refilter();
    }

    /// Applies the filter. The cursor stays on its notice, or moves to the newest.
    pub fn refilter(&mut self) {
        let on = self.rows.get(self.cursor.at).copied();
        self.terms = FeedQuery::parse(self.filter.text());
        let kept = self.notices.iter().enumerate().filter(|(_, notice)| self.terms.keep(notice));
        self.rows = kept.map(|(at, _)| at).collect();
        self.cursor.at = on.and_then(|on| self.rows.binary_search(&on).ok()).unwrap_or(0);
    }

    pub fn row(&self, row: usize) -> Option<&Notice> {
        self.notices.get(*self.rows.get(row)?)
    }

    pub fn current(&self) -> Option<&Notice> {
        self.row(self.cursor.at)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use refdesk_desk::engine::{Actor, Topic};

    fn notice(time: &str, who: Actor, topic: Topic, text: &str, reason: &str) -> Notice {
        Notice { time: time.to_owned(), reason: reason.to_owned(), ..Notice::new(who, topic, text) }
    }

    fn feed() -> Feed {
        let mut feed = Feed::default();
        let other = Actor::Other(Arc::from("refdesk select"));
        for notice in [
            notice("12:00:01", Actor::You, Topic::Selection, "Picked @retry-pattern", ""),
            notice("12:00:02", Actor::Files, Topic::Document, "@timeouts changed", "~600 to ~640 tokens"),
            notice("12:00:03", other, Topic::Selection, "Excluded @Legacy-errors", ""),
            notice("12:01:00", Actor::Files, Topic::Selection, "@a now mentions @b: pulled in", "docs/a.md:14"),
        ] {
            feed.add(notice, FeedFocus::Elsewhere);
        }
        feed
    }

    fn shown(feed: &Feed) -> Vec<&str> {
        (0..feed.rows.len()).filter_map(|row| feed.row(row)).map(|notice| notice.time.as_str()).collect()
    }

    #[test]
    fn every_word_must_match() {
        for (filter, kept) in [
            ("", vec!["12:01:00", "12:00:03", "12:00:02", "12:00:01"]),
            ("  ", vec!["12:01:00", "12:00:03", "12:00:02", "12:00:01"]),
            ("files", vec!["12:01:00", "12:00:02"]),
            ("SELECT excluded", vec!["12:00:03"]),
            ("selection", vec!["12:01:00", "12:00:03", "12:00:01"]),
            ("document tokens", vec!["12:00:02"]),
            ("a.md:14", vec!["12:01:00"]),
            ("12:00 legacy", vec!["12:00:03"]),
            ("you files", vec![]),
        ] {
            let mut feed = feed();
            feed.filter.insert(filter);
            feed.refilter();
            assert_eq!(shown(&feed), kept, "{filter}");
        }
    }

    #[test]
    fn new_notices_are_filtered_and_a_moved_cursor_stays_on_its_notice() {
        let files = |text: &str| notice("13:00:00", Actor::Files, Topic::Desk, text, "");
        for (filter, at, reader, text, rows, on) in [
            ("", 0, FeedFocus::Elsewhere, "new", 5, "13:00:00"),
            ("", 0, FeedFocus::InFeed, "new", 5, "13:00:00"),
            ("", 1, FeedFocus::InFeed, "new", 5, "12:00:03"),
            ("", 2, FeedFocus::Elsewhere, "new", 5, "12:00:02"),
            ("you", 0, FeedFocus::InFeed, "new", 1, "12:00:01"),
            ("files", 0, FeedFocus::InFeed, "new", 3, "13:00:00"),
            ("files", 1, FeedFocus::InFeed, "new", 3, "12:00:02"),
        ] {
            let mut feed = feed();
            feed.filter.insert(filter);
            feed.refilter();
            feed.cursor.at = at;
            feed.add(files(text), reader);
            let current = feed.current().map(|notice| notice.time.as_str());
            assert_eq!((feed.rows.len(), current), (rows, Some(on)), "{filter} {at} {reader:?}");
        }
    }

    #[test]
    fn a_feed_opened_while_empty_follows_the_newest() {
        let mut feed = Feed::default();
        for at in ["1", "2", "3"] {
            feed.add(notice(at, Actor::You, Topic::Desk, "x", ""), FeedFocus::InFeed);
            assert_eq!(feed.current().map(|notice| notice.time.as_str()), Some(at));
        }
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut feed = feed();
        feed.cursor.at = 3;
        assert_eq!((feed.new, feed.has_dropped_notices), (3, false), "what the user did first is not new");
        for at in 0..MAX_NOTICES {
            feed.add(notice(&at.to_string(), Actor::You, Topic::Desk, "x", ""), FeedFocus::InFeed);
        }
        assert_eq!(
            (feed.notices.len(), feed.rows.len(), feed.new, feed.has_dropped_notices),
            (MAX_NOTICES, MAX_NOTICES, 0, true)
        );
        assert_eq!(feed.current().map(|notice| notice.time.as_str()), Some("0"), "its notice is gone, so the next one");
    }

    #[test]
    fn many_at_once_act_as_if_each_came_alone() {
        let of = |at: usize| {
            notice(&at.to_string(), if at.is_multiple_of(3) { Actor::You } else { Actor::Files }, Topic::Desk, "x", "")
        };
        for (count, filter, at, reader) in [
            (5, "", 0, FeedFocus::InFeed),
            (5, "", 2, FeedFocus::Elsewhere),
            (5, "you", 0, FeedFocus::InFeed),
            (5, "files", 1, FeedFocus::Elsewhere),
            (MAX_NOTICES + 7, "", 1, FeedFocus::Elsewhere),
            (MAX_NOTICES + 7, "you", 0, FeedFocus::InFeed),
        ] {
            let mut one = feed();
            one.set_filter(filter);
            one.cursor.at = at;
            let mut all = one.clone();
            (0..count).for_each(|at| one.add(of(at), reader));
            all.add_all((0..count).map(of).collect(), reader);
            let state = |feed: &Feed| {
                let times: Vec<String> = shown(feed).into_iter().map(str::to_owned).collect();
                (times, feed.cursor.at, feed.new, feed.since_key, feed.has_dropped_notices)
            };
            assert_eq!(state(&all), state(&one), "{count} {filter} {at} {reader:?}");
        }
    }

    #[test]
    fn earlier_notices_do_not_count_as_new() {
        let mut feed = feed();
        let before = (feed.new, feed.since_key);
        feed.add_past(vec![notice("11:00:00", Actor::Files, Topic::Desk, "x", "")]);
        assert_eq!(((feed.new, feed.since_key), feed.notices.len()), (before, 5));
    }
}
