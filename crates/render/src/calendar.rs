//! A calendar of dates (iCalendar, RFC 5545).

use model::lang::Lang;
use model::time::{Day, Timestamp};

/// Octets of a line at most (§3.1); longer ones are folded.
const LINE: usize = 75;

/// What a calendar says of itself.
#[derive(Debug)]
pub struct CalendarHead<'a> {
    /// Its title.
    pub title: &'a str,
    /// Name of the service that made it.
    pub product: &'a str,
}

/// A date: an event of a whole day, with a reminder two weeks before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalendarDate {
    /// Its id, which stays while the date moves.
    pub id: String,
    /// When it was found.
    pub found_at: Timestamp,
    /// The day, UTC.
    pub day: Day,
    /// What ends, and of what.
    pub title: String,
    /// More of it.
    pub text: String,
    /// The page about it.
    pub url: String,
}

/// The calendar with its dates, in their order.
pub fn icalendar(head: &CalendarHead<'_>, dates: &[CalendarDate], lang: Lang) -> String {
    let mut out = String::new();
    let language = format!(";LANGUAGE={}", lang.tag());
    put(&mut out, "BEGIN", "VCALENDAR");
    put(&mut out, "VERSION", "2.0");
    put(&mut out, "PRODID", &escaped(&format!("-//{}//NONSGML//EN", head.product.replace('/', " "))));
    put(&mut out, "CALSCALE", "GREGORIAN");
    // The first of RFC 7986 §5.1, the second what programs from before it read.
    put(&mut out, &format!("NAME{language}"), &escaped(head.title));
    put(&mut out, "X-WR-CALNAME", &escaped(head.title));
    put(&mut out, "REFRESH-INTERVAL;VALUE=DURATION", "P1D");
    for date in dates {
        put(&mut out, "BEGIN", "VEVENT");
        put(&mut out, "UID", &escaped(&date.id));
        put(&mut out, "DTSTAMP", &instant(date.found_at));
        put(&mut out, "DTSTART;VALUE=DATE", &date.day.to_string().replace('-', ""));
        put(&mut out, &format!("SUMMARY{language}"), &escaped(&date.title));
        put(&mut out, &format!("DESCRIPTION{language}"), &escaped(&date.text));
        put(&mut out, "URL", &one_line(&date.url));
        put(&mut out, "TRANSP", "TRANSPARENT");
        put(&mut out, "BEGIN", "VALARM");
        put(&mut out, "ACTION", "DISPLAY");
        put(&mut out, &format!("DESCRIPTION{language}"), &escaped(&date.title));
        put(&mut out, "TRIGGER", "-P14D");
        put(&mut out, "END", "VALARM");
        put(&mut out, "END", "VEVENT");
    }
    put(&mut out, "END", "VCALENDAR");
    out
}

/// An instant in UTC (§3.3.5, form 2).
fn instant(at: Timestamp) -> String {
    let text = at.to_string();
    let seconds = text.split('.').next().unwrap_or_default();
    let digits: String = seconds.chars().filter(|c| !matches!(c, '-' | ':')).collect();
    digits + "Z"
}

/// Text as a value (§3.3.11). Control characters have no place in one (§3.1).
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\\' | ';' | ',' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// A value that is no text, without what would end its line.
fn one_line(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).collect()
}

/// Adds a line, folded between characters after 75 octets.
fn put(out: &mut String, name: &str, value: &str) {
    let line = format!("{name}:{value}");
    let mut length = 0;
    for c in line.chars() {
        if length + c.len_utf8() > LINE {
            out.push_str("\r\n ");
            length = 1;
        }
        out.push(c);
        length += c.len_utf8();
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_folded_and_texts_escaped() {
        let date = CalendarDate {
            id: "a;b@audit.example".to_owned(),
            found_at: Timestamp(1_769_851_800_123),
            day: Timestamp(1_801_353_600_000).day(),
            title: "Certificate, of “bread”; \\\r\nEND:VCALENDAR\u{0}".to_owned(),
            text: "ä".repeat(100),
            url: "https://audit.example/reports/1\r\nX:1".to_owned(),
        };
        let text = icalendar(&CalendarHead { title: "T", product: "Site/Audit" }, &[date], Lang::PtBr);
        assert!(text.split("\r\n").all(|line| line.len() <= LINE && !line.contains(['\r', '\n'])), "{text}");
        let whole = text.replace("\r\n ", "");
        for line in [
            "PRODID:-//Site Audit//NONSGML//EN",
            "UID:a\\;b@audit.example",
            "DTSTAMP:20260131T093000Z",
            "DTSTART;VALUE=DATE:20270131",
            "SUMMARY;LANGUAGE=pt-BR:Certificate\\, of “bread”\\; \\\\\\nEND:VCALENDAR",
            "URL:https://audit.example/reports/1X:1",
        ] {
            assert!(whole.split("\r\n").any(|found| found == line), "{line}: {whole}");
        }
        assert!(whole.contains(&format!("DESCRIPTION;LANGUAGE=pt-BR:{}\r\n", "ä".repeat(100))));
        assert_eq!(whole.split("\r\n").filter(|line| *line == "END:VCALENDAR").count(), 1);
    }
}
