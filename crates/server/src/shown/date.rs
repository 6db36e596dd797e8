//! A day as people write it.

use model::lang::Lang;
use model::time::Timestamp;

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

/// The UTC day of an instant: `3 May 2026`, `3 de maio de 2026`.
pub(crate) fn date(instant: Timestamp, lang: Lang) -> String {
    let day = instant.day().to_string();
    let written = || {
        let (year_and_month, day) = day.rsplit_once('-')?;
        let (year, month) = year_and_month.rsplit_once('-')?;
        let names = match lang {
            Lang::En => ENGLISH,
            Lang::PtBr => PORTUGUESE,
        };
        let month = names.get(month.parse::<usize>().ok()?.checked_sub(1)?)?;
        let day = day.trim_start_matches('0');
        Some(match lang {
            Lang::En => format!("{day} {month} {year}"),
            Lang::PtBr => format!("{day} de {month} de {year}"),
        })
    };
    written().unwrap_or_else(|| day.clone())
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
    }
}
