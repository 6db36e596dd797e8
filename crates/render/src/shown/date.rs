//! A day, and how long ago an instant is, as people write it.

use model::lang::{Lang, Text, text};
use model::time::{DAY_MS, Timestamp};

const ENGLISH: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const PORTUGUESE: [&str; 12] = [
    "janeiro",
    "fevereiro",
    "março",
    "abril",
    "maio",
    "junho",
    "julho",
    "agosto",
    "setembro",
    "outubro",
    "novembro",
    "dezembro",
];

/// Letters of a month's name in short.
const MONTH_CHARS: usize = 3;

/// The name of a month of the calendar, 1 to 12.
fn month_name(month: i64, lang: Lang) -> &'static str {
    let names = match lang {
        Lang::En => ENGLISH,
        Lang::PtBr => PORTUGUESE,
    };
    usize::try_from(month - 1).ok().and_then(|index| names.get(index)).copied().unwrap_or_default()
}

/// The UTC day of an instant: `3 May 2026`, `3 de maio de 2026`.
pub fn date(instant: Timestamp, lang: Lang) -> String {
    let (year, month, day) = instant.day().civil();
    let month = month_name(month, lang);
    match lang {
        Lang::En => format!("{day} {month} {year:04}"),
        Lang::PtBr => format!("{day} de {month} de {year:04}"),
    }
}

/// An instant to the minute, as tables show it: `3 May 2026, 09:20 UTC`, `3 mai. 2026, 09:20 UTC`.
pub fn minute(instant: Timestamp, lang: Lang) -> String {
    let minutes = instant.0.rem_euclid(DAY_MS) / 60_000;
    format!("{}, {:02}:{:02} UTC", short_date(instant, lang), minutes / 60, minutes % 60)
}

/// The UTC day of an instant in short: `3 May 2026`, `3 mai. 2026`.
pub fn short_date(instant: Timestamp, lang: Lang) -> String {
    format!("{} {:04}", short_day(instant, lang), instant.day().civil().0)
}

/// A UTC day as the wire has it, `2026-05-03`, in short; what is no day stays as it is.
pub fn named_day(day: &str, lang: Lang) -> String {
    Timestamp::parse(&format!("{day}T00:00:00Z")).map_or_else(|| day.to_owned(), |at| short_date(at, lang))
}

/// The same without the year, for the axis of a plot: `3 May`, `3 mai.`.
pub fn short_day(instant: Timestamp, lang: Lang) -> String {
    let (_, month, day) = instant.day().civil();
    let month: String = month_name(month, lang).chars().take(MONTH_CHARS).collect();
    match lang {
        Lang::En => format!("{day} {month}"),
        Lang::PtBr => format!("{day} {month}."),
    }
}

/// How long ago an instant is: `just now`, `5 minutes ago`, `2 days ago`.
pub fn age(instant: Timestamp, now: Timestamp, lang: Lang) -> String {
    const NOW: Text = text("just now", "agora há pouco");
    const MINUTES: Text = text("{n} {n|minute|minutes} ago", "há {n} {n|minuto|minutos}");
    const HOURS: Text = text("{n} {n|hour|hours} ago", "há {n} {n|hora|horas}");
    const DAYS: Text = text("{n} {n|day|days} ago", "há {n} {n|dia|dias}");
    let minutes = now.0.saturating_sub(instant.0).max(0) / 60_000;
    let (sentence, n) = match minutes {
        0 => (NOW, 0),
        1..60 => (MINUTES, minutes),
        60..1_440 => (HOURS, minutes / 60),
        _ => (DAYS, minutes / 1_440),
    };
    sentence.phrase(&[("n", n.into())]).in_lang(lang).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_written_out() {
        let instant = Timestamp(1_777_800_000_000);
        assert_eq!(date(instant, Lang::En), "3 May 2026");
        assert_eq!(date(instant, Lang::PtBr), "3 de maio de 2026");
        assert_eq!(date(Timestamp(0), Lang::En), "1 January 1970");
        assert_eq!(minute(instant, Lang::En), "3 May 2026, 09:20 UTC");
        assert_eq!(minute(instant, Lang::PtBr), "3 mai. 2026, 09:20 UTC");
        assert_eq!(minute(Timestamp(-1), Lang::En), "31 Dec 1969, 23:59 UTC");
        assert_eq!(short_day(Timestamp(0), Lang::PtBr), "1 jan.");
        assert_eq!(named_day("2026-05-03", Lang::En), "3 May 2026");
        assert_eq!(named_day("2026-05-03", Lang::PtBr), "3 mai. 2026");
        assert_eq!(named_day("soon", Lang::En), "soon");
    }

    #[test]
    fn ages_are_in_the_largest_unit() {
        const MINUTE: i64 = 60_000;
        for (after, english, portuguese) in [
            (-MINUTE, "just now", "agora há pouco"),
            (MINUTE - 1, "just now", "agora há pouco"),
            (MINUTE, "1 minute ago", "há 1 minuto"),
            (59 * MINUTE, "59 minutes ago", "há 59 minutos"),
            (60 * MINUTE, "1 hour ago", "há 1 hora"),
            (24 * 60 * MINUTE - 1, "23 hours ago", "há 23 horas"),
            (3 * 24 * 60 * MINUTE, "3 days ago", "há 3 dias"),
        ] {
            let ages = [Lang::En, Lang::PtBr].map(|lang| age(Timestamp(MINUTE), Timestamp(MINUTE + after), lang));
            assert_eq!(ages, [english, portuguese], "{after}");
        }
    }
}
