//! Parses and writes dates.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

/// Parses a time: RFC 3339, or without a time zone (taken as UTC), or only a date (its beginning).
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    let civil = |datetime: DateTime| datetime.to_zoned(TimeZone::UTC).ok().map(|zoned| zoned.timestamp());
    let timestamp = text.parse::<Timestamp>().ok();
    timestamp
        .or_else(|| text.parse::<DateTime>().ok().and_then(civil))
        .or_else(|| text.parse::<Date>().ok().and_then(|date| civil(date.at(0, 0, 0, 0))))
}

/// Returns the time in the format of these files: `2026-01-14T22:13:24.420Z`.
pub(super) fn written(now: Timestamp) -> String {
    format!("{now:.3}")
}

/// Returns the date in UTC.
pub(super) fn day(now: Timestamp) -> Date {
    now.to_zoned(TimeZone::UTC).date()
}

/// Returns the number of days from `date` to the date of `now`; negative for future dates.
pub(super) fn days_since(date: Date, now: Timestamp) -> i64 {
    date.until(day(now)).map_or(0, |span| i64::from(span.get_days()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_date_formats_are_parsed() {
        let expected: Timestamp = "2026-01-14T00:00:00Z".parse().unwrap();
        for text in ["2026-01-14T00:00:00.000Z", "2026-01-14T01:00:00+01:00", "2026-01-14T00:00:00", "2026-01-14 00:00", "2026-01-14"] {
            assert_eq!(parse(text), Some(expected), "{text}");
        }
        for text in ["", "yesterday", "2026-13-14", "14.01.2026"] {
            assert_eq!(parse(text), None, "{text}");
        }
        assert_eq!(written(expected), "2026-01-14T00:00:00.000Z");
    }

    #[test]
    fn days_are_counted_by_date() {
        let now: Timestamp = "2026-03-01T00:00:00Z".parse().unwrap();
        assert_eq!(days_since("2025-12-01".parse().unwrap(), now), 90);
        assert_eq!(days_since("2026-03-02".parse().unwrap(), now), -1);
    }
}
