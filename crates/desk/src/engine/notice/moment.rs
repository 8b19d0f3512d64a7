//! The time of a notice or a journal line: local time for people, RFC 3339 in UTC for machines.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::Notice;
use crate::session::Line;

/// A journal line with its local time.
#[derive(Debug, Clone, PartialEq)]
pub struct DatedLine {
    /// The line.
    pub line: Line,
    /// Its time in local time: `2026-11-26 02:09:15 -05:00`.
    pub local_time: String,
}

impl DatedLine {
    /// The line with its time in this time zone.
    pub fn new(line: Line, zone: &TimeZone) -> Self {
        let time = line.time.parse::<Timestamp>();
        let local = |time: Timestamp| time.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M:%S %:z").to_string();
        let local_time = time.map_or_else(|_| line.time.clone(), local);
        Self { line, local_time }
    }
}

/// The notice with its time, as displayed at `now`.
pub(crate) fn stamped(notice: Notice, time: Timestamp, now: Timestamp) -> Notice {
    Notice { time: clock(time, now, &TimeZone::system()), at: format!("{time:.3}"), ..notice }
}

/// A time in this time zone, as displayed at `now`: `12:03:41`, `11-21 12:03` on another day, `2025-11-21` in another
/// year.
pub(crate) fn clock(time: Timestamp, now: Timestamp, zone: &TimeZone) -> String {
    let (time, now) = (time.to_zoned(zone.clone()), now.to_zoned(zone.clone()));
    let format = match () {
        () if time.date() == now.date() => "%H:%M:%S",
        () if time.year() == now.year() => "%m-%d %H:%M",
        () => "%Y-%m-%d",
    };
    time.strftime(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Actor, Topic};
    use crate::session::{JournalEvent, Receipt};

    #[test]
    fn a_line_has_the_local_time_with_its_date_and_its_offset() {
        for (time, hours, shown) in [
            ("2026-11-26T07:09:15.226Z", -5, "2026-11-26 02:09:15 -05:00"),
            ("2026-11-26T23:09:15.226Z", 2, "2026-11-27 01:09:15 +02:00"),
            ("2026-11-26T07:09:15.226Z", 0, "2026-11-26 07:09:15 +00:00"),
            ("yesterday", 0, "yesterday"),
        ] {
            let line = Line {
                n: 1,
                time: time.to_owned(),
                desk: String::new(),
                session: String::new(),
                who: String::new(),
                receipt: Receipt::new(JournalEvent::Enriched),
                seal: None,
            };
            assert_eq!(DatedLine::new(line, &jiff::tz::offset(hours).to_time_zone()).local_time, shown);
        }
    }

    #[test]
    fn times_of_today_of_another_day_and_of_another_year() {
        let now: Timestamp = "2026-11-22T08:00:00Z".parse().unwrap();
        for (time, shown) in [
            ("2026-11-22T07:03:41.250Z", "07:03:41"),
            ("2026-11-21T23:59:59Z", "11-21 23:59"),
            ("2025-11-22T07:03:41Z", "2025-11-22"),
        ] {
            assert_eq!(clock(time.parse().unwrap(), now, &TimeZone::UTC), shown);
        }
        let notice =
            stamped(Notice::new(Actor::You, Topic::Desk, "x"), "2026-11-22T07:03:41.25Z".parse().unwrap(), now);
        assert_eq!(notice.at, "2026-11-22T07:03:41.250Z");
    }
}
