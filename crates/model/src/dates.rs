//! Dates as standards write them, over one calendar: RFC 3339, W3C Datetime, RFC 822 and RFC 850.
//!
//! Every reader is strict about the calendar and the clock: 31 February is no day, and 24:00 no time of one. What a reader
//! lets pass beyond its standard stands in its docstring. There is no time zone database, and no clock.

use std::ops::Range;

use serde::{Deserialize, Deserializer};

use crate::time::{Day, Timestamp};

/// Months by their names in dates of mail and HTTP.
const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/// Named zones, and their hours east of UTC (RFC 822 §5.1).
const ZONES: [(&str, i64); 8] =
    [("EST", -5), ("EDT", -4), ("CST", -6), ("CDT", -5), ("MST", -7), ("MDT", -6), ("PST", -8), ("PDT", -7)];

impl Timestamp {
    /// Reads the wire form, `YYYY-MM-DDTHH:MM:SS[.mmm]Z`; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let is_wire_form = text.ends_with('Z') && text.as_bytes().get(10) == Some(&b'T');
        rfc3339(text).filter(|_| is_wire_form)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("expected an ISO 8601 instant in UTC"))
    }
}
/// The day of a date in the Gregorian calendar; `None` for one that does not exist. Years 0 to 9999.
pub fn day(year: i64, month: i64, day: i64) -> Option<Day> {
    let exists = (0..=9999).contains(&year) && (1..=12).contains(&month) && (1..=days_in(year, month)).contains(&day);
    exists.then(|| Day::from_civil(year, month, day))
}

fn days_in(year: i64, month: i64) -> i64 {
    let next = if month == 12 { Day::from_civil(year + 1, 1, 1) } else { Day::from_civil(year, month + 1, 1) };
    next.0 - Day::from_civil(year, month, 1).0
}

/// Seconds since midnight; `None` for what no clock shows. Second 60 is a leap second, and counts as the next one.
pub fn seconds_of_day(hour: i64, minute: i64, second: i64) -> Option<i64> {
    let is_time = (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    is_time.then_some((hour * 60 + minute) * 60 + second)
}

/// A number of exactly so many ASCII digits. Of more than nine the first nine are read.
pub fn digits(text: &str, count: usize) -> Option<i64> {
    let is_whole = !text.is_empty() && text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    is_whole.then(|| text.get(..count.min(9))?.parse().ok())?
}

/// An instant of RFC 3339 §5.6, `2026-01-31T09:30:00.5+02:00`, as milliseconds. Date and time may be parted by a space,
/// as its note allows.
pub fn rfc3339(text: &str) -> Option<Timestamp> {
    let (date, time) = text.split_at_checked(10)?;
    let (clock, rest) = time.strip_prefix(['T', 't', ' '])?.split_at_checked(8)?;
    let (millis, zone) = match rest.strip_prefix('.') {
        None => (0, rest),
        Some(fraction) => {
            let (fraction, zone) = fraction.split_at(fraction.find(|c: char| !c.is_ascii_digit())?);
            (digits(format!("{fraction:0<3}").get(..3)?, 3).filter(|_| !fraction.is_empty())?, zone)
        }
    };
    let [year, month, day_of_month] = numbers(date, b'-', [0..4, 5..7, 8..10])?;
    let [hour, minute, second] = numbers(clock, b':', [0..2, 3..5, 6..8])?;
    let zone = if zone == "z" { "Z" } else { zone };
    let seconds = seconds_of_day(hour, minute, second)? - offset(zone)?;
    Some(day(year, month, day_of_month)?.start().plus_ms(seconds * 1000 + millis))
}

/// Three numbers at their places in an ASCII text, with a mark in front of the second and of the third.
fn numbers(text: &str, mark: u8, at: [Range<usize>; 3]) -> Option<[i64; 3]> {
    let [_, second, third] = &at;
    let is_parted = [second, third].iter().all(|part| text.as_bytes().get(part.start - 1) == Some(&mark));
    let [first, second, third] = at.map(|part| text.get(part.clone()).and_then(|text| digits(text, part.len())));
    Some([first.filter(|_| is_parted)?, second?, third?])
}

/// Seconds east of UTC of `Z`, `+hh:mm` or `-hh:mm`.
fn offset(zone: &str) -> Option<i64> {
    let (sign, rest) = match zone.split_at_checked(1)? {
        ("Z", "") => return Some(0),
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, minutes) = rest.split_once(':')?;
    Some(sign * seconds_of_day(digits(hours, 2)?, digits(minutes, 2)?, 0)?)
}

/// A date or instant of W3C Datetime (NOTE-datetime), a profile of ISO 8601, as seconds: `YYYY`, `YYYY-MM`, `YYYY-MM-DD`
/// and `YYYY-MM-DDThh:mm[:ss[.s…]]` with `Z` or `+hh:mm`. What is left out is the first of its kind.
pub fn w3c(text: &str) -> Option<Timestamp> {
    let (date, clock) = text.split_once('T').map_or((text, None), |(date, clock)| (date, Some(clock)));
    let mut parts = date.split('-');
    let (year, month, day_of_month) = (parts.next()?, parts.next(), parts.next());
    if parts.next().is_some() || clock.is_some() && day_of_month.is_none() {
        return None;
    }
    let (month, day_of_month) = (month.unwrap_or("01"), day_of_month.unwrap_or("01"));
    let midnight = day(digits(year, 4)?, digits(month, 2)?, digits(day_of_month, 2)?)?.start();
    Some(midnight.plus_ms(clock.map_or(Some(0), w3c_clock)? * 1000))
}

/// Seconds after midnight UTC of `hh:mm[:ss[.s…]]` and its zone.
fn w3c_clock(clock: &str) -> Option<i64> {
    let (time, zone) = clock.split_at(clock.find(['Z', '+', '-'])?);
    let mut parts = time.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = parts.next().map_or(Some(0), |second| {
        let (second, fraction) = second.split_once('.').unwrap_or((second, "0"));
        digits(fraction, fraction.len())?;
        digits(second, 2)
    })?;
    let seconds = seconds_of_day(hour, minute, second).filter(|_| parts.next().is_none())?;
    Some(seconds - offset(zone)?)
}

/// An instant as mail and HTTP write it, as seconds: `Fri, 25 Jun 2027 15:00:00 GMT` (RFC 822 §5, RFC 9110 §5.6.7) and
/// `Friday, 25-Jun-27 15:00:00 GMT` (RFC 850).
///
/// Weekday, time and zone may be missing, the month's name may be longer, and a zone without an offset that RFC 822 does
/// not name counts as UTC. Years of two digits below 70 are of this century.
pub fn rfc822(text: &str) -> Option<Timestamp> {
    let after_weekday = text.split_once(',').map_or(text, |(_, rest)| rest).trim();
    let (date, rest) = match after_weekday.split_once(' ') {
        Some((date, rest)) if date.contains('-') => (date.split('-').collect::<Vec<_>>(), rest),
        None => (after_weekday.split('-').collect(), ""),
        Some(_) => {
            let mut words = after_weekday.splitn(4, ' ');
            (words.by_ref().take(3).collect(), words.next().unwrap_or_default())
        }
    };
    let [day_of_month, month, year] = date.as_slice() else { return None };
    let month = MONTHS.iter().position(|name| month.get(..3).is_some_and(|m| m.eq_ignore_ascii_case(name)))? + 1;
    let year = match year.parse().ok()? {
        year @ ..70 => year + 2000,
        year @ 70..100 => year + 1900,
        year => year,
    };
    let mut rest = rest.split_whitespace();
    let (clock, zone) = (rest.next().unwrap_or_default(), rest.next().unwrap_or_default());
    loose(year, i64::try_from(month).ok()?, day_of_month.parse().ok()?, clock, zone)
}

/// An instant of ISO 8601 as people write it, as seconds: a date of ten characters, then, after `T` or spaces, as much of
/// a time as there is, with any zone that [`rfc822`] takes.
pub fn loose_iso(text: &str) -> Option<Timestamp> {
    let (date, time) = text.split_at_checked(10)?;
    let mut parts = date.split('-');
    let (year, month, day) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    let time = time.trim_start_matches(['T', 't', ' ']);
    let (clock, zone) = time.split_at(time.find(['Z', 'z', '+', '-', ' ']).unwrap_or(time.len()));
    loose(year, month, day, clock, zone.trim())
}

/// An instant of a date from year 1 on, with as much of a time as there is.
fn loose(year: i64, month: i64, day_of_month: i64, clock: &str, zone: &str) -> Option<Timestamp> {
    let mut parts = clock.split('.').next().unwrap_or_default().split(':').filter(|part| !part.is_empty());
    let mut number = || parts.next().map_or(Some(0), |part| part.parse::<i64>().ok());
    let seconds = seconds_of_day(number()?, number()?, number()?)?;
    let midnight = day(year, month, day_of_month).filter(|_| year > 0)?.start();
    Some(midnight.plus_ms((seconds - loose_offset(zone)) * 1000))
}

/// Seconds east of UTC of `+02:00`, `-0300` and the names of RFC 822; any other name counts as UTC.
fn loose_offset(zone: &str) -> i64 {
    if let Some((_, hours)) = ZONES.iter().find(|(name, _)| zone.eq_ignore_ascii_case(name)) {
        return hours * 3600;
    }
    let sign = match zone.chars().next() {
        Some('+') => 1,
        Some('-') => -1,
        _ => return 0,
    };
    let written: String = zone.chars().filter(char::is_ascii_digit).collect();
    let number = |at: Range<usize>| written.get(at).and_then(|part| part.parse::<i64>().ok()).unwrap_or(0);
    sign * (number(0..2) * 3600 + number(2..4) * 60)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn instants_of_every_spelling_are_read() {
        for (text, utc) in [
            ("2026-01-31T09:30:00Z", "2026-01-31T09:30:00.000Z"),
            ("2026-01-31t09:30:00.5z", "2026-01-31T09:30:00.500Z"),
            ("2026-01-31 09:30:00.123456+02:00", "2026-01-31T07:30:00.123Z"),
            ("2028-02-29T23:59:60-05:30", "2028-03-01T05:30:00.000Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
        ] {
            assert_eq!(rfc3339(text).map(|instant| instant.to_string()).as_deref(), Some(utc), "{text}");
        }
        for text in [
            "",
            "2026-01-31",
            "2026-01-31T09:30Z",
            "2026-01-31T09:30:00",
            "2026-02-29T00:00:00Z",
            "2026-13-01T00:00:00Z",
            "2026-01-31T24:00:00Z",
            "2026-01-31T09:30:00.Z",
            "2026-01-31T09:30:00+0200",
            "+026-01-31T09:30:00Z",
            "2026/01/31T09:30:00Z",
            "2026-01-31T09:30:00Zx",
            "Thu, 31 Dec 2026 18:37:07 -0800",
            "２026-01-31T09:30:00Z",
        ] {
            assert_eq!(rfc3339(text), None, "{text}");
        }
    }

    #[test]
    fn each_form_of_the_note_is_read_and_nothing_else() {
        for (text, iso) in [
            ("2026", "2026-01-01T00:00:00.000Z"),
            ("2026-03", "2026-03-01T00:00:00.000Z"),
            ("2024-02-29", "2024-02-29T00:00:00.000Z"),
            ("2026-11-21T10:00Z", "2026-11-21T10:00:00.000Z"),
            ("2026-11-21T10:00:30+02:00", "2026-11-21T08:00:30.000Z"),
            ("2026-11-21T23:59:59.123456789012-03:30", "2026-11-22T03:29:59.000Z"),
        ] {
            assert_eq!(w3c(text).map(|date| date.to_string()).as_deref(), Some(iso), "{text}");
        }
        for text in [
            "",
            "26",
            "2026-13",
            "2026-02-29",
            "2026-1-1",
            "2026-11-21T10:00",
            "2026-11-21 10:00Z",
            "2026-11-21T10Z",
            "2026-11T10:00Z",
            "2026-11-21T24:00Z",
            "2026-11-21T10:00:00.Z",
            "2026-11-21T10:00+0200",
            "Sat, 21 Nov 2026 10:00:00 GMT",
            "2026-11-21T10:00:00:00Z",
            "２０２６",
        ] {
            assert_eq!(w3c(text), None, "{text}");
        }
    }

    #[test]
    fn instants_of_mail_and_http_are_read() {
        for (text, iso) in [
            ("Fri, 25 Jun 2027 15:00:00 GMT", "2027-06-25T15:00:00.000Z"),
            ("Friday, 25-Jun-27 15:00:00 GMT", "2027-06-25T15:00:00.000Z"),
            ("25 June 2027 15:00:00 PST", "2027-06-25T23:00:00.000Z"),
            ("Fri, 25 Jun 2027 15:00:00 -0300", "2027-06-25T18:00:00.000Z"),
            ("25-Aug-70", "1970-08-25T00:00:00.000Z"),
        ] {
            assert_eq!(rfc822(text).map(|instant| instant.to_string()).as_deref(), Some(iso), "{text}");
        }
        for text in ["31 Apr 2027", "25 Jun 2027 24:00:00 UTC", "25 Jun", "Jun 25 2027 15:00", "soon", ""] {
            assert_eq!(rfc822(text), None, "{text}");
        }
    }

    #[test]
    fn the_wire_form_is_read_and_no_other() {
        assert_eq!(Timestamp::parse("2026-01-31T09:30:00Z"), Some(Timestamp(1_769_851_800_000)));
        for text in ["2026-02-31T00:00:00Z", "2026-01-31 09:30:00Z", "2026-01-31T09:30:00+00:00", "2026-01-31"] {
            assert_eq!(Timestamp::parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_what_is_printed_is_read_back(text in ".{0,40}", ms in 0i64..253_402_300_800_000) {
            let _read = (rfc3339(&text), w3c(&text), rfc822(&text), loose_iso(&text));
            prop_assert_eq!(rfc3339(&Timestamp(ms).to_string()), Some(Timestamp(ms)));
        }
    }
}
