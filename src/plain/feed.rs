//! What happened at the desk: the feed, and the news that are said before the next prompt.

use std::collections::VecDeque;

use refdesk_desk::engine::{Age, Event, Notice, Receipts, Who};

use super::fix;
use super::state::{PlainState, Turn};
use super::words::counted;

/// Notices kept; older ones are forgotten.
const KEPT: usize = 1000;

/// The most news said at once.
const SAID: usize = 5;

/// What happened, newest first, and what of it was not said yet.
#[derive(Debug, Default)]
pub struct PlainFeed {
    pub notices: VecDeque<Notice>,
    news: VecDeque<String>,
    /// News beyond the ones that are said.
    unsaid: usize,
}

impl PlainFeed {
    fn keep(&mut self, notice: Notice) {
        self.notices.push_front(notice);
        self.notices.truncate(KEPT);
    }

    fn tell(&mut self, line: String) {
        self.news.push_back(line);
        if self.news.len() > SAID {
            self.news.pop_front();
            self.unsaid += 1;
        }
    }
}

/// Takes an event.
pub fn event(state: &mut PlainState, event: Event) {
    match event {
        Event::Notice(notice) => {
            // What this person did was answered at once.
            if notice.who != Who::You {
                state.feed.tell(sentence(&notice));
            }
            state.feed.keep(notice);
        }
        Event::Receipts(Receipts { told, age, gap }) => {
            for notice in gap.into_iter().chain(told.into_iter().map(|(notice, _)| notice)) {
                if age == Age::Now {
                    state.feed.tell(sentence(&notice));
                }
                state.feed.keep(notice);
            }
        }
        Event::Over(_) => {}
        Event::Refused(error) => {
            fix::sentences(&error).into_iter().for_each(|line| state.feed.tell(line));
        }
    }
}

/// Says the news.
pub fn say_news(state: &mut PlainState, turn: &mut Turn) {
    let unsaid = std::mem::take(&mut state.feed.unsaid);
    if unsaid > 0 {
        turn.say(format!("news: {} before these. Type feed to hear them.", counted(unsaid, "more event")));
    }
    for line in std::mem::take(&mut state.feed.news) {
        turn.say(format!("news: {line}"));
    }
}

/// `12:03:41, claude-code: To a prompt: hinted at retry. session s1.`
pub fn sentence(notice: &Notice) -> String {
    let time = if notice.time.is_empty() { String::new() } else { format!("{}, ", notice.time) };
    let reason = if notice.reason.is_empty() { String::new() } else { format!(" ({})", notice.reason) };
    format!("{time}{}: {}{reason}.", notice.who.word(), notice.text)
}
