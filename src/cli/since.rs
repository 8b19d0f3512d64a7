//! Parsing and printing points in time, in the local time zone.

use std::time::SystemTime;

use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, Zoned};

pub const EXAMPLES: &str = "for example 90s, 15m, 2h, 3d, 2026-11-22 or 2026-11-22T09:30";

pub fn now() -> Zoned {
    Timestamp::try_from(SystemTime::now()).unwrap_or_default().to_zoned(TimeZone::system())
}

/// `90s`, `15m`, `2h` or `3d` before now, a date, a local time, or a time with its offset; `None` for anything else.
pub fn parse(text: &str, now: &Zoned) -> Option<Timestamp> {
    let text = text.trim();
    let zone = now.time_zone();
    let ago = || {
        let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
        let seconds = match unit {
            "s" => 1,
            "m" => 60,
            "h" => 60 * 60,
            "d" => 24 * 60 * 60,
            _ => return None,
        };
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let number: i64 = number.parse().ok().filter(|_| is_number)?;
        now.timestamp().checked_sub(SignedDuration::from_secs(number.checked_mul(seconds)?)).ok()
    };
    let date = || text.parse::<Date>().ok().filter(|_| text.len() <= 10)?.to_zoned(zone.clone()).ok();
    let local = || text.parse::<DateTime>().ok().and_then(|time| time.to_zoned(zone.clone()).ok());
    // A time with an offset is tried first; parsed as a local time, its offset would be ignored.
    ago().or_else(|| text.parse().ok()).or_else(|| date().or_else(local).map(|time| time.timestamp()))
}

/// The duration without its sign, if the text is a negative one.
pub fn positive<'t>(text: &'t str, now: &Zoned) -> Option<&'t str> {
    let duration = text.trim().strip_prefix('-')?;
    (duration.ends_with(['s', 'm', 'h', 'd']) && parse(duration, now).is_some()).then_some(duration)
}

/// A journal time for people: `12:03`, or `2026-11-21 12:03` on another day; optionally with seconds. Text that is not
/// a time is returned as it is.
pub fn shown(time: &str, now: &Zoned, seconds: bool) -> String {
    let Ok(at) = time.parse::<Timestamp>() else { return time.to_owned() };
    let at = at.to_zoned(now.time_zone().clone());
    let clock = if seconds { "%H:%M:%S" } else { "%H:%M" };
    let format = if at.date() == now.date() { clock.to_owned() } else { format!("%Y-%m-%d {clock}") };
    at.strftime(&format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noon() -> Zoned {
        "2026-11-22T12:00:00+02:00[+02:00]".parse().unwrap()
    }

    #[test]
    fn times_as_people_write_them() {
        for (text, expected) in [
            ("90s", Some("2026-11-22T09:58:30Z")),
            ("15m", Some("2026-11-22T09:45:00Z")),
            ("2h", Some("2026-11-22T08:00:00Z")),
            (" 3d ", Some("2026-11-19T10:00:00Z")),
            ("0s", Some("2026-11-22T10:00:00Z")),
            ("2026-11-22", Some("2026-11-21T22:00:00Z")),
            ("2026-11-22T09:30", Some("2026-11-22T07:30:00Z")),
            ("2026-11-22 09:30:15", Some("2026-11-22T07:30:15Z")),
            ("2026-11-22T09:30:00Z", Some("2026-11-22T09:30:00Z")),
            ("2026-11-22T09:30:00.123-01:00", Some("2026-11-22T10:30:00.123Z")),
            ("", None),
            ("s", None),
            ("-5m", None),
            ("+5m", None),
            ("5", None),
            ("5w", None),
            ("5 m", None),
            ("2m30s", None),
            ("99999999999999999999s", None),
            ("9999999999999999d", None),
            ("yesterday", None),
            ("2026-13-01", None),
            ("ü", None),
        ] {
            assert_eq!(parse(text, &noon()).map(|at| at.to_string()).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_negative_duration_is_told_from_other_texts() {
        for (text, expected) in [
            ("-5m", Some("5m")),
            (" -0s ", Some("0s")),
            ("5m", None),
            ("--5m", None),
            ("-5w", None),
            ("-", None),
            ("-2026-11-22", None),
        ] {
            assert_eq!(positive(text, &noon()), expected, "{text}");
        }
    }

    #[test]
    fn the_date_is_shown_unless_it_is_today() {
        for (time, seconds, expected) in [
            ("2026-11-22T10:03:04.567Z", false, "12:03"),
            ("2026-11-22T10:03:04.567Z", true, "12:03:04"),
            ("2026-11-21T22:00:00.000Z", false, "00:00"),
            ("2026-11-21T21:59:00.000Z", false, "2026-11-21 23:59"),
            ("rubbish", false, "rubbish"),
        ] {
            assert_eq!(shown(time, &noon(), seconds), expected);
        }
    }
}
