//! Moments as people write them: `2h`, `yesterday`, `2026-11-14`, `2026-11-14 10:00`; and as they read them, in local time.

use briefing_core::Failure;
use jiff::civil::{Date, DateTime, Time};
use jiff::tz::TimeZone;
use jiff::{Span, Timestamp, ToSpan as _, Zoned};

use crate::environment;

/// What can be written, for help texts and errors.
pub(crate) const FORMS: &str = "2h, 3d, today, yesterday, 2026-11-14, 10:00 or \"2026-11-14 10:00\"";

/// Returns the current time in the user's time zone.
pub(crate) fn now() -> Result<Zoned, Failure> {
    Ok(environment::now()?.to_zoned(TimeZone::system()))
}

/// Returns the moment from which on something is wanted, in milliseconds since 1970. A day begins at midnight.
pub(crate) fn since(flag: &str, text: &str, now: &Zoned) -> Result<i64, Failure> {
    read(flag, text, now).map(|(moment, _)| moment.timestamp().as_millisecond())
}

/// Returns the moment before which something is wanted. A day is included as a whole.
pub(crate) fn until(flag: &str, text: &str, now: &Zoned) -> Result<i64, Failure> {
    let (moment, is_day) = read(flag, text, now)?;
    let end = if is_day { moment.checked_add(1.day()).unwrap_or(moment) } else { moment };
    Ok(end.timestamp().as_millisecond())
}

/// Returns a moment, and whether it stands for a whole day.
fn read(flag: &str, text: &str, now: &Zoned) -> Result<(Zoned, bool), Failure> {
    let text = text.trim();
    let zone = now.time_zone();
    let day = |date: Date| date.to_zoned(zone.clone()).ok().map(|moment| (moment, true));
    let found = match text.to_lowercase().as_str() {
        "now" => Some((now.clone(), false)),
        "today" => day(now.date()),
        "yesterday" => now.date().yesterday().ok().and_then(day),
        _ if text.parse::<Date>().is_ok() && !text.contains([':', 'T', ' ']) => text.parse().ok().and_then(day),
        _ => moment(text, now).map(|moment| (moment, false)),
    };
    found.ok_or_else(|| Failure::usage(format!("{flag}: `{text}` is not a time")).hint(format!("write it like {FORMS}")))
}

fn moment(text: &str, now: &Zoned) -> Option<Zoned> {
    let zone = now.time_zone();
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Some(moment.to_zoned(zone.clone()));
    }
    if let Ok(moment) = text.parse::<DateTime>() {
        return moment.to_zoned(zone.clone()).ok();
    }
    if let Ok(time) = text.parse::<Time>() {
        return now.date().to_datetime(time).to_zoned(zone.clone()).ok();
    }
    // `2h` and `2 hours ago` are the same.
    let span: Span = text.trim_end_matches("ago").trim_end().parse().ok()?;
    now.checked_sub(span.abs()).ok()
}

/// A time of the log in the user's time zone.
pub(crate) fn local(millis: i64, zone: &TimeZone) -> Option<Zoned> {
    Timestamp::from_millisecond(millis).ok().map(|at| at.to_zoned(zone.clone()))
}

/// Formats a time of the log with its zone: `2026-11-15 12:00:00 +01:00`.
pub(crate) fn shown(millis: i64) -> String {
    local(millis, &TimeZone::system()).map_or_else(|| millis.to_string(), |at| at.strftime("%Y-%m-%d %H:%M:%S %:z").to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn berlin() -> Zoned {
        // 12:00 on the day on which the clocks went back, in a zone that needs no database.
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        "2026-10-25T12:00:00+01:00".parse::<Timestamp>().unwrap().to_zoned(zone)
    }

    fn at(text: &str) -> i64 {
        text.parse::<Timestamp>().unwrap().as_millisecond()
    }

    #[test]
    fn moments_are_local_and_days_have_their_own_length() {
        let now = berlin();
        for (text, expected) in [
            ("now", "2026-10-25T11:00:00Z"),
            ("2h", "2026-10-25T09:00:00Z"),
            ("2 hours ago", "2026-10-25T09:00:00Z"),
            ("90m", "2026-10-25T09:30:00Z"),
            ("today", "2026-10-24T22:00:00Z"),
            ("Yesterday", "2026-10-23T22:00:00Z"),
            ("1d", "2026-10-24T10:00:00Z"),
            ("2026-10-20", "2026-10-19T22:00:00Z"),
            ("2026-10-20 10:00", "2026-10-20T08:00:00Z"),
            ("2026-10-20T10:00:30", "2026-10-20T08:00:30Z"),
            ("2026-10-20T10:00:00Z", "2026-10-20T10:00:00Z"),
            ("09:30", "2026-10-25T08:30:00Z"),
        ] {
            assert_eq!(since("--since", text, &now).unwrap(), at(expected), "{text}");
        }
    }

    #[test]
    fn the_last_day_is_included() {
        let now = berlin();
        for (text, expected) in [
            ("yesterday", "2026-10-24T22:00:00Z"),
            ("today", "2026-10-25T23:00:00Z"),
            ("2026-10-20", "2026-10-20T22:00:00Z"),
            ("2h", "2026-10-25T09:00:00Z"),
        ] {
            assert_eq!(until("--until", text, &now).unwrap(), at(expected), "{text}");
        }
    }

    #[test]
    fn what_is_no_time_is_an_error_that_says_how_to_write_one() {
        for text in ["", "soon", "2026-13-01", "25:00", "-"] {
            let failure = since("--since", text, &berlin()).unwrap_err();
            assert!(failure.is_usage() && failure.to_string().contains(text), "{failure}");
        }
    }
}
