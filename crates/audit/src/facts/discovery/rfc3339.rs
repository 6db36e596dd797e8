//! Instants as internet protocols write them (RFC 3339 §5.6), with any offset from UTC.

use model::time::{Timestamp, days_from_civil};

/// Reads `2026-01-31T09:30:00.5+02:00`; `None` for anything else, days that do not exist included.
pub(super) fn parse(text: &str) -> Option<Timestamp> {
    if !text.is_ascii() {
        return None;
    }
    let (date, time) = text.split_at_checked(10)?;
    let (year, month, day) = (number(date, 0..4)?, number(date, 5..7)?, number(date, 8..10)?);
    let real = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    let time = time.strip_prefix(['T', 't', ' '])?;
    let (clock, rest) = time.split_at_checked(8)?;
    let (hour, minute, second) = (number(clock, 0..2)?, number(clock, 3..5)?, number(clock, 6..8)?);
    let separated = is_at(date, 4, b'-') && is_at(date, 7, b'-') && is_at(clock, 2, b':') && is_at(clock, 5, b':');
    if !real || !separated || hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let (millis, zone) = fraction(rest)?;
    let seconds = ((days_from_civil(year, month, day) * 24 + hour) * 60 + minute) * 60 + second;
    Some(Timestamp((seconds - offset(zone)?) * 1000 + millis))
}

/// Milliseconds of a fraction of a second, and what follows it.
fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(after) = text.strip_prefix('.') else { return Some((0, text)) };
    let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (digits, zone) = after.split_at(digits);
    let millis: String = digits.chars().chain("00".chars()).take(3).collect();
    Some((if digits.is_empty() { None } else { millis.parse().ok() }?, zone))
}

/// Seconds east of UTC.
fn offset(zone: &str) -> Option<i64> {
    if zone.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = (number(zone, 1..3)?, number(zone, 4..6)?);
    let shaped = zone.len() == 6 && is_at(zone, 3, b':') && hours < 24 && minutes < 60;
    shaped.then_some(sign * (hours * 60 + minutes) * 60)
}

fn number(text: &str, at: std::ops::Range<usize>) -> Option<i64> {
    text.get(at).filter(|digits| digits.bytes().all(|b| b.is_ascii_digit()))?.parse().ok()
}

fn is_at(text: &str, at: usize, byte: u8) -> bool {
    text.as_bytes().get(at) == Some(&byte)
}

fn days_of_month(year: i64, month: i64) -> i64 {
    let (next_year, next_month) = if month == 12 { (year + 1, 1) } else { (year, month + 1) };
    days_from_civil(next_year, next_month, 1) - days_from_civil(year, month, 1)
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
            assert_eq!(parse(text).map(|instant| instant.to_string()).as_deref(), Some(utc), "{text}");
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
            assert_eq!(parse(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_what_is_printed_is_read_back(text in ".{0,40}", ms in 0i64..253_402_300_800_000) {
            let _instant = parse(&text);
            prop_assert_eq!(parse(&Timestamp(ms).to_string()), Some(Timestamp(ms)));
        }
    }
}
