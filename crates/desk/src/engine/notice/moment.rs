//! The time of a notice: for people in local time, with the date if it is not today; for programs as RFC 3339 in UTC.

use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::Notice;

/// The notice with its time, as displayed at `now`.
pub(crate) fn stamped(notice: Notice, time: Timestamp, now: Timestamp) -> Notice {
    Notice { time: clock(time, now, &TimeZone::system()), at: format!("{time:.3}"), ..notice }
}

/// A time in this zone, as displayed at `now`: `12:03:41`, `11-21 12:03` of another day, `2025-11-21` of another year.
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
