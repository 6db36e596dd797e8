//! Instants and days as they stand in answers, and their distance from now.

use std::time::{SystemTime, UNIX_EPOCH};

const SECOND: i64 = 1_000;
const MINUTE: i64 = 60 * SECOND;
const HOUR: i64 = 60 * MINUTE;
const DAY: i64 = 24 * HOUR;
/// What is older stands in something that does not change, such as the catalog.
const OLD: i64 = 2 * DAY;

/// The beginnings of the months' names, in English and in Portuguese.
const MONTHS: [[&str; 2]; 12] = [
    ["jan", "jan"],
    ["feb", "fev"],
    ["mar", "mar"],
    ["apr", "abr"],
    ["may", "mai"],
    ["jun", "jun"],
    ["jul", "jul"],
    ["aug", "ago"],
    ["sep", "set"],
    ["oct", "out"],
    ["nov", "nov"],
    ["dec", "dez"],
];

/// What a text says about time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Moment {
    /// Milliseconds since 1970.
    Instant(i64),
    /// Milliseconds since 1970 when the day begins.
    Day(i64),
}

impl Moment {
    /// Its distance from now, as rough as two recordings of the same thing need; none for what is old.
    pub(super) fn from(self, now: i64) -> Option<String> {
        match self {
            Self::Instant(at) | Self::Day(at) if at < now - OLD => None,
            Self::Day(at) => {
                let days = (at - now.div_euclid(DAY) * DAY).div_euclid(DAY);
                Some(if days == 0 { "<today>".to_owned() } else { format!("<today{days:+}>") })
            }
            Self::Instant(at) if at % DAY == 0 => Some("<midnight>".to_owned()),
            // A full hour of another day is a constant of an example.
            Self::Instant(at) if at % HOUR == 0 && (now - at).abs() > HOUR => None,
            Self::Instant(at) if at % HOUR == 0 => Some("<full-hour>".to_owned()),
            Self::Instant(at) => Some(distance(at - now)),
        }
    }
}

/// In hours, or below three of them in steps of five minutes, rounded. The last hour is now: a recording takes minutes.
fn distance(ms: i64) -> String {
    if (-HOUR..0).contains(&ms) {
        return "<now>".to_owned();
    }
    let rounded = |unit: i64| (ms + unit / 2).div_euclid(unit);
    if ms.abs() >= 3 * HOUR {
        return format!("<now{:+}h>", rounded(HOUR));
    }
    match rounded(5 * MINUTE) * 5 {
        0 => "<now>".to_owned(),
        minutes => format!("<now{minutes:+}min>"),
    }
}

/// Milliseconds since 1970.
pub(super) fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// `2026-01-31T09:30:00.000Z` (RFC 3339), in UTC.
pub(super) fn rfc3339(text: &str) -> Option<Moment> {
    let (day, time) = text.split_once('T')?;
    let (time, rest) = time.split_at_checked(8)?;
    let fraction: String = rest.trim_start_matches('.').chars().take_while(char::is_ascii_digit).collect();
    let ms = format!("{fraction:0<3}").get(..3)?.parse::<i64>().ok()?;
    Some(Moment::Instant(day_of(day)? + time_of(time)? + ms))
}

/// `2026-01-31 09:30 UTC`, `2026-01-31T09:30`.
pub(super) fn minute(text: &str) -> Option<Moment> {
    let mut words = text.split([' ', 'T']);
    let day = day_of(words.next()?)?;
    // Without its seconds an instant may look like a full hour; it is none.
    Some(Moment::Instant(day + time_of(&format!("{}:01", words.next()?))?))
}

/// `Sat, 31 Jan 2026 09:30:00 GMT` (RFC 9110 §5.6.7, RFC 5322 §3.3).
pub(super) fn imf(text: &str) -> Option<Moment> {
    let mut words = text.split(' ').skip(1);
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    Some(Moment::Instant(from_parts(year, month_of(month)?, day)? + time_of(words.next()?)?))
}

/// `31 January 2026`, `31 de janeiro de 2026`.
pub(super) fn written(text: &str) -> Option<Moment> {
    let mut words = text.split(' ').filter(|word| *word != "de");
    let (day, month, year) = (words.next()?, words.next()?, words.next()?);
    from_parts(year, month_of(month)?, day).map(Moment::Day)
}

/// `2026-01-31`.
pub(super) fn day(text: &str) -> Option<Moment> {
    day_of(text).map(Moment::Day)
}

/// Milliseconds since 1970.
pub(super) fn milliseconds(text: &str) -> Option<Moment> {
    text.parse().ok().map(Moment::Instant)
}

/// Seconds since 1970.
pub(super) fn seconds(text: &str) -> Option<Moment> {
    let seconds: i64 = text.parse().ok()?;
    Some(Moment::Instant(seconds * SECOND))
}

fn month_of(name: &str) -> Option<i64> {
    let name = name.to_lowercase();
    let names = MONTHS.iter().position(|names| names.iter().any(|beginning| name.starts_with(beginning)))?;
    i64::try_from(names + 1).ok()
}

fn day_of(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    from_parts(year, month.parse().ok()?, day)
}

fn time_of(text: &str) -> Option<i64> {
    let mut parts = text.split(':').map(str::parse::<i64>);
    let (hours, minutes, seconds) = (parts.next()?.ok()?, parts.next()?.ok()?, parts.next()?.ok()?);
    Some(hours * HOUR + minutes * MINUTE + seconds * SECOND)
}

/// The beginning of a day of the Gregorian calendar, in milliseconds since 1970.
fn from_parts(year: &str, month: i64, day: &str) -> Option<i64> {
    let (year, day): (i64, i64) = (year.parse().ok()?, day.parse().ok()?);
    if !(1..=12).contains(&month) || !(1..=31).contains(&day) {
        return None;
    }
    // Years begin in March here, so that the day that is added now and then is the last one.
    let year = if month <= 2 { year - 1 } else { year };
    let months = (month + 9) % 12;
    let days = year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    let since_1970 = days + (months * 153 + 2) / 5 + day - 1 - 719_468;
    Some(since_1970 * DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2026-01-31T09:30:00Z.
    const NOW: i64 = 1_769_851_800_000;

    fn check(read: fn(&str) -> Option<Moment>, text: &str, expected: Option<&str>) {
        assert_eq!(read(text).and_then(|moment| moment.from(NOW)).as_deref(), expected, "{text}");
    }

    #[test]
    fn times_are_told_by_their_distance() {
        check(rfc3339, "2026-01-31T09:30:00.120Z", Some("<now>"));
        check(rfc3339, "2026-05-01T09:29:31Z", Some("<now+2160h>"));
        check(rfc3339, "2026-02-01T00:00:00Z", Some("<midnight>"));
        check(rfc3339, "2025-01-31T09:30:00Z", None);
        check(minute, "2026-01-31 09:00 UTC", Some("<now>"));
        check(minute, "2026-01-31 08:00 UTC", Some("<now-90min>"));
        check(imf, "Sat, 31 Jan 2026 09:44:58 GMT", Some("<now+15min>"));
        check(written, "31 January 2026", Some("<today>"));
        check(written, "1 de fevereiro de 2026", Some("<today+1>"));
        check(written, "3 loaves 2026", None);
        check(day, "2026-01-30", Some("<today-1>"));
        check(day, "2026-01-01", None);
        check(milliseconds, "1769851800000", Some("<now>"));
        check(seconds, "1769852100", Some("<now+5min>"));
    }
}
