//! Dates as sitemaps write them: W3C Datetime (NOTE-datetime), a profile of ISO 8601.

use model::time::{Timestamp, days_from_civil};

/// Reads `YYYY`, `YYYY-MM`, `YYYY-MM-DD` and `YYYY-MM-DDThh:mm[:ss[.s…]]` with `Z` or `+hh:mm`; `None` for anything else.
pub fn parse(text: &str) -> Option<Timestamp> {
    let (date, clock) = match text.split_once('T') {
        Some((date, clock)) => (date, Some(clock)),
        None => (text, None),
    };
    let mut parts = date.split('-');
    let year = digits(parts.next()?, 4)?;
    let month = parts.next().map_or(Some(1), |month| digits(month, 2))?;
    let day = parts.next();
    if parts.next().is_some() || clock.is_some() && day.is_none() {
        return None;
    }
    let day = day.map_or(Some(1), |day| digits(day, 2))?;
    if !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    let midnight = days_from_civil(year, month, day) * 86_400;
    let seconds = clock.map_or(Some(0), seconds_of)?;
    Some(Timestamp((midnight + seconds) * 1000))
}

/// Seconds after midnight UTC of `hh:mm[:ss[.s…]]` and its zone.
fn seconds_of(clock: &str) -> Option<i64> {
    let at = clock.find(['Z', '+', '-'])?;
    let (time, zone) = clock.split_at(at);
    let mut parts = time.split(':');
    let (hour, minute) = (digits(parts.next()?, 2)?, digits(parts.next()?, 2)?);
    let second = match parts.next() {
        Some(second) => {
            let (whole, fraction) = second.split_once('.').unwrap_or((second, "0"));
            digits(fraction, fraction.len())?;
            digits(whole, 2)?
        }
        None => 0,
    };
    let offset = match zone.split_at_checked(1)? {
        ("Z", "") => 0,
        (sign, rest) => {
            let (hours, minutes) = rest.split_once(':')?;
            let east = digits(hours, 2).filter(|h| *h < 24)? * 3600 + digits(minutes, 2).filter(|m| *m < 60)? * 60;
            if sign == "-" { -east } else { east }
        }
    };
    let fits = hour < 24 && minute < 60 && second <= 60 && parts.next().is_none();
    fits.then_some(hour * 3600 + minute * 60 + second - offset)
}

/// A number of exactly so many digits. Longer fractions than a number holds are read as far as it does.
fn digits(text: &str, count: usize) -> Option<i64> {
    let whole = !text.is_empty() && text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    whole.then(|| text.get(..count.min(9)).and_then(|text| text.parse().ok()))?
}

fn days_of(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(parse(text).map(|date| date.to_string()).as_deref(), Some(iso), "{text}");
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
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
