//! Dates and durations (ISO 8601), and what was plainly meant by some that are in another form.

use model::dates;

/// Month names by their first three letters, in English and Portuguese.
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
/// Whole month names, to tell a month from a word that starts like one.
const MONTH_NAMES: &str = "january february march april may june july august september october november december \
    janeiro fevereiro março marco abril maio junho julho agosto setembro outubro novembro dezembro sept";
/// Units of a duration: its letter, and the words for it.
const UNITS: [(char, &[&str]); 4] = [
    ('D', &["d", "day", "days", "dia", "dias"]),
    ('H', &["h", "hr", "hrs", "hour", "hours", "hora", "horas"]),
    ('M', &["m", "min", "mins", "minute", "minutes", "minuto", "minutos"]),
    ('S', &["s", "sec", "secs", "second", "seconds", "seg", "segundo", "segundos"]),
];
/// Characters of a text that is looked at as a date or duration.
const LONGEST: usize = 64;

/// Whether a text is a date, with or without a time and a zone.
pub(crate) fn is_date(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    match text.split_once('T') {
        Some((date, time)) => is_day(date) && is_time(time),
        None => is_day(text) || is_less(text),
    }
}

/// A year, or a year and a month.
fn is_less(text: &str) -> bool {
    match text.split_once('-') {
        Some((year, month)) => {
            dates::digits(year, 4).is_some() && dates::digits(month, 2).is_some_and(|month| (1..=12).contains(&month))
        }
        None => dates::digits(text, 4).is_some(),
    }
}

/// A calendar, week or ordinal date.
fn is_day(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    match parts.as_slice() {
        [year, month, day] if !month.starts_with('W') => calendar(year, month, day).is_some(),
        [year, week] | [year, week, _] if week.starts_with('W') => {
            let week = week.strip_prefix('W').and_then(|week| dates::digits(week, 2));
            let weekday =
                parts.get(2).is_none_or(|day| dates::digits(day, 1).is_some_and(|day| (1..=7).contains(&day)));
            dates::digits(year, 4).is_some() && week.is_some_and(|week| (1..=53).contains(&week)) && weekday
        }
        [year, day] => {
            dates::digits(year, 4).is_some() && dates::digits(day, 3).is_some_and(|day| (1..=366).contains(&day))
        }
        [whole] if whole.len() == 8 && whole.is_ascii() => {
            let (year, rest) = whole.split_at(4);
            let (month, day) = rest.split_at(2);
            calendar(year, month, day).is_some()
        }
        _ => false,
    }
}

/// A time with or without a zone.
fn is_time(text: &str) -> bool {
    let zone = text.find(['Z', '+', '-']).unwrap_or(text.len());
    let (time, zone) = text.split_at(zone);
    let (time, fraction) = time.split_once(['.', ',']).map_or((time, "0"), |(time, fraction)| (time, fraction));
    let is_zone = match zone {
        "" | "Z" => true,
        _ => zone.strip_prefix(['+', '-']).is_some_and(|offset| clock(offset).is_some_and(|parts| parts < 3)),
    };
    is_zone && !fraction.is_empty() && fraction.bytes().all(|byte| byte.is_ascii_digit()) && clock(time).is_some()
}

/// How many parts a clock time has: hours, minutes, seconds. ISO 8601 has 24:00 as the end of a day.
fn clock(text: &str) -> Option<usize> {
    let digits = text.replace(':', "");
    let parts = digits.len() / 2;
    let is_extended = text.contains(':') && text.split(':').all(|part| part.len() == 2);
    if !digits.is_ascii()
        || !digits.len().is_multiple_of(2)
        || !(1..=3).contains(&parts)
        || text.contains(':') && !is_extended
    {
        return None;
    }
    let mut numbers = (0..3).map(|at| digits.get(at * 2..at * 2 + 2).map_or(Some(0), |part| dates::digits(part, 2)));
    let (hour, minute, second) = (numbers.next()??, numbers.next()??, numbers.next()??);
    let is_time = dates::seconds_of_day(hour, minute, second).is_some() || (hour, minute, second) == (24, 0, 0);
    is_time.then_some(parts)
}

/// A date that exists.
fn calendar(year: &str, month: &str, day: &str) -> Option<String> {
    dates::day(dates::digits(year, 4)?, dates::digits(month, 2)?, dates::digits(day, 2)?)?;
    Some(format!("{year}-{month}-{day}"))
}

/// The same date in ISO 8601, where only one can be meant.
pub(super) fn repaired_date(text: &str) -> Option<String> {
    let text = text.trim();
    if text.len() > LONGEST {
        return None;
    }
    // A date without a month's name has no spaces: what follows the first one is the time.
    let numeric = match text.split_once([' ', 'T', 't']) {
        Some((date, time)) => with_digits(date).zip(repaired_time(time)).map(|(date, time)| format!("{date}T{time}")),
        None => with_digits(text),
    };
    numeric.or_else(|| with_month_name(text)).filter(|date| is_date(date))
}

/// `10:00:00 +0000` and `10:00 UTC` as in ISO 8601.
fn repaired_time(text: &str) -> Option<String> {
    let text = text.trim().replace(" UTC", "Z").replace(" GMT", "Z").replace([' '], "");
    is_time(&text).then_some(text)
}

/// A date of three numbers: the year first, or last and day and month told apart by their size.
fn with_digits(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split(['/', '.', '-']).collect();
    let [a, b, c] = parts.as_slice() else { return None };
    let short = |part: &str| part.parse::<u32>().ok().filter(|_| part.len() <= 2 && !part.starts_with('+'));
    let (year, month, day) = if a.len() == 4 {
        (a, short(b)?, short(c)?)
    } else {
        match (short(a)?, short(b)?) {
            (day, month) if day > 12 || day == month => (c, month, day),
            (month, day) if day > 12 => (c, month, day),
            _ => return None,
        }
    };
    calendar(year, &format!("{month:02}"), &format!("{day:02}"))
}

/// `31 de dezembro de 2026`, `Thu, Dec 31st, 2026`, `May 2026`.
fn with_month_name(text: &str) -> Option<String> {
    let (mut year, mut month, mut day) = (None, None, None);
    let lower = text.to_lowercase();
    let words =
        lower.split(|c: char| c.is_whitespace() || matches!(c, ',' | '.' | '/' | '-')).filter(|word| !word.is_empty());
    for (at, word) in words.enumerate() {
        let digits: String = word.chars().take_while(char::is_ascii_digit).collect();
        let ending = word.get(digits.len()..).unwrap_or_default();
        if digits.len() == 4 && ending.is_empty() && year.is_none() {
            year = Some(digits);
        } else if (1..=2).contains(&digits.len())
            && matches!(ending, "" | "st" | "nd" | "rd" | "th" | "º")
            && day.is_none()
        {
            day = Some(digits);
        } else if let Some(number) = month_number(word).filter(|_| month.is_none()) {
            month = Some(number);
        } else if !(matches!(word, "de" | "of") || at == 0 && is_weekday(word)) {
            return None;
        }
    }
    let month = format!("{:02}", month?);
    match day {
        Some(day) => calendar(&year?, &month, &format!("{day:0>2}")),
        None => Some(format!("{}-{month}", year?)),
    }
}

fn month_number(word: &str) -> Option<usize> {
    let start: String = word.chars().take(3).collect();
    let known = word.chars().count() == 3 || MONTH_NAMES.split(' ').any(|name| name == word);
    MONTHS.iter().position(|names| known && names.contains(&start.as_str())).map(|at| at + 1)
}

fn is_weekday(word: &str) -> bool {
    const WEEKDAYS: [&str; 13] =
        ["mon", "tue", "wed", "thu", "fri", "sat", "sun", "seg", "ter", "qua", "qui", "sex", "dom"];
    WEEKDAYS.iter().any(|day| word.starts_with(day))
}

/// Whether a text is a duration: `PT1H30M`.
pub(super) fn is_duration(text: &str) -> bool {
    let text = text.strip_prefix(['+', '-']).unwrap_or(text);
    let Some(rest) = text.strip_prefix('P') else { return false };
    let (date, time) = rest.split_once('T').map_or((rest, None), |(date, time)| (date, Some(time)));
    let is_weeks = || date.strip_suffix('W').is_some_and(is_amount) && time.is_none();
    let has_parts = !date.is_empty() && time.is_none() || time.is_some_and(|time| !time.is_empty());
    has_parts && (is_weeks() || are_parts(date, "YMWD") && are_parts(time.unwrap_or_default(), "HMS"))
}

/// Amounts with their letters, each once at most and in order.
fn are_parts(text: &str, letters: &str) -> bool {
    let mut left = letters;
    let mut rest = text;
    while !rest.is_empty() {
        let Some((amount, letter)) =
            rest.find(|c: char| c.is_ascii_alphabetic()).and_then(|at| rest.split_at_checked(at))
        else {
            return false;
        };
        let Some((letter, after)) = letter.split_at_checked(1) else { return false };
        let Some((_, later)) = left.split_once(letter).filter(|_| is_amount(amount)) else { return false };
        (left, rest) = (later, after);
    }
    true
}

fn is_amount(text: &str) -> bool {
    let (whole, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    [whole, fraction].iter().all(|part| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `1 h 30 min` as a duration, where every number has a known unit.
pub(super) fn repaired_duration(text: &str) -> Option<String> {
    if text.len() > LONGEST {
        return None;
    }
    let lower = text.trim().to_lowercase();
    let mut amounts: [Option<String>; 4] = Default::default();
    let mut rest = lower.as_str();
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).filter(|digits| *digits > 0)?;
        let (amount, after) = rest.split_at(digits);
        let after = after.trim_start();
        let unit = after.get(..after.find(|c: char| !c.is_alphabetic()).unwrap_or(after.len()))?;
        let at = UNITS.iter().position(|(_, words)| words.contains(&unit))?;
        // Units come from large to small, each once: anything else is no plain duration.
        if amounts.iter().skip(at).any(Option::is_some) {
            return None;
        }
        *amounts.get_mut(at)? = Some(amount.to_owned());
        rest = after.get(unit.len()..)?.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, ',' | '.'));
        rest = ["and ", "e "].iter().find_map(|word| rest.strip_prefix(word)).unwrap_or(rest).trim_start();
    }
    let part = |at: usize| Some(format!("{}{}", amounts.get(at)?.as_ref()?, UNITS.get(at)?.0));
    let time: String = (1..UNITS.len()).filter_map(part).collect();
    let time = if time.is_empty() { time } else { format!("T{time}") };
    Some(format!("P{}{time}", part(0).unwrap_or_default())).filter(|duration| is_duration(duration))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dates_of_the_standard_are_taken_and_no_others() {
        for date in [
            "2026",
            "2026-12",
            "2026-12-31",
            "20261231",
            "2024-02-29",
            "2026-W07",
            "2026-W07-3",
            "2026-365",
            "2026-12-31T10",
            "2026-12-31T10:30",
            "2026-12-31T10:30:00",
            "2026-12-31T10:30:00.125Z",
            "2026-12-31T10:30:00-03:00",
            "2026-12-31T10:30:00+0000",
            "20261231T103000Z",
            "-0044-03-15",
        ] {
            assert!(is_date(date), "{date}");
        }
        for date in [
            "",
            "26",
            "2026-13",
            "2026-02-29",
            "2026-12-31 10:30",
            "2026-12-31T",
            "2026-12-31T25:00",
            "2026-12-31T10:3",
            "2026-12-31T10:30:00 Z",
            "31/12/2026",
            "Dec 31, 2026",
            "2026-1-5",
            "2026-W54",
            "2026é123",
            "2026-W",
            "now",
        ] {
            assert!(!is_date(date), "{date}");
        }
    }

    #[test]
    fn a_date_is_repaired_where_only_one_can_be_meant() {
        for (text, date) in [
            ("31/12/2026", "2026-12-31"),
            ("12/31/2026", "2026-12-31"),
            ("05.05.2026", "2026-05-05"),
            ("2026/1/5", "2026-01-05"),
            ("2026-12-31 10:30:00", "2026-12-31T10:30:00"),
            ("2026-12-31 10:30:00 +0000", "2026-12-31T10:30:00+0000"),
            ("2026-12-31 10:30 UTC", "2026-12-31T10:30Z"),
            ("31/12/2026 10:30", "2026-12-31T10:30"),
            ("31 de dezembro de 2026", "2026-12-31"),
            ("1º de março de 2026", "2026-03-01"),
            ("Thursday, December 31st, 2026", "2026-12-31"),
            ("31-Dec-2026", "2026-12-31"),
            ("May 2026", "2026-05"),
        ] {
            assert_eq!(repaired_date(text).as_deref(), Some(date), "{text}");
        }
        for text in
            ["01/02/2026", "31/12/26", "31/02/2026", "soon", "December", "Dec 31", "{{date}}", "marble 3 2026", "1 2 3"]
        {
            assert_eq!(repaired_date(text), None, "{text}");
        }
    }

    #[test]
    fn durations_are_taken_and_repaired() {
        for text in ["PT30M", "P1DT2H", "PT1.5S", "P3W", "P1Y2M3DT4H5M6S", "PT0S"] {
            assert!(is_duration(text), "{text}");
        }
        for text in ["P", "PT", "P1DT", "30 min", "PT5", "PTM", "PT5M5H", "pt5m", "P1H", "1h"] {
            assert!(!is_duration(text), "{text}");
        }
        for (text, duration) in [
            ("30 min", "PT30M"),
            ("1h30min", "PT1H30M"),
            ("1 hour and 5 minutes", "PT1H5M"),
            ("2 dias", "P2D"),
            ("1 hora e 10 min.", "PT1H10M"),
        ] {
            assert_eq!(repaired_duration(text).as_deref(), Some(duration), "{text}");
        }
        for text in ["", "30", "1:30", "5 min 1 h", "about 5 min", "5 moons", "5 min 5 min"] {
            assert_eq!(repaired_duration(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_judged_and_a_repair_is_right(text in "[0-9TZPWHM:/. +é-]{0,24}|[a-zç0-9 ,º]{0,24}") {
            let _judged = (is_date(&text), is_duration(&text));
            prop_assert!(repaired_date(&text).is_none_or(|date| is_date(&date)));
            prop_assert!(repaired_duration(&text).is_none_or(|duration| is_duration(&duration)));
        }
    }
}
