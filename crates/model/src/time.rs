//! Instants and days, in UTC. There is no clock here: an instant always comes from outside.

use serde::{Serialize, Serializer};

/// Milliseconds of one day.
pub const DAY_MS: i64 = 86_400_000;

/// An instant as Unix milliseconds (UTC). On the wire RFC 3339 with milliseconds, `2026-01-31T09:30:00.000Z`;
/// `dates.rs` reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// The UTC day of this instant.
    pub fn day(self) -> Day {
        Day(self.0.div_euclid(DAY_MS))
    }

    /// This instant `ms` later (earlier when negative), saturating.
    pub fn plus_ms(self, ms: i64) -> Self {
        Self(self.0.saturating_add(ms))
    }

    /// Seconds since the epoch.
    pub fn seconds(self) -> i64 {
        self.0.div_euclid(1000)
    }
}

impl std::fmt::Display for Timestamp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let in_day = self.0.rem_euclid(DAY_MS);
        let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
        let (second, millis) = (in_day / 1000 % 60, in_day % 1000);
        write!(f, "{}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z", self.day())
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl schemars::JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }
    fn inline_schema() -> bool {
        true
    }
    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({"type": "string", "format": "date-time"})
    }
}

/// A UTC day, counted from 1970-01-01. Displays as `YYYY-MM-DD`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Day(pub i64);

impl Day {
    /// The day of a date in the proleptic Gregorian calendar, which has to exist: [`crate::dates::day`] checks that. The
    /// usual arithmetic of eras of 400 years, exact for all of them.
    pub fn from_civil(year: i64, month: i64, day: i64) -> Self {
        let year = if month <= 2 { year - 1 } else { year };
        let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
        let day_of_year = (153 * (if month > 2 { month - 3 } else { month + 9 }) + 2) / 5 + day - 1;
        Self(era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468)
    }

    /// Year, month and day of the month.
    pub fn civil(self) -> (i64, i64, i64) {
        let shifted = self.0 + 719_468;
        let (era, day_of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
        let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_shifted = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_shifted + 2) / 5 + 1;
        let month = if month_shifted < 10 { month_shifted + 3 } else { month_shifted - 9 };
        (year_of_era + era * 400 + i64::from(month <= 2), month, day)
    }

    /// Its first instant.
    pub fn start(self) -> Timestamp {
        Timestamp(self.0 * DAY_MS)
    }
}

impl std::fmt::Display for Day {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (year, month, day) = self.civil();
        write!(f, "{year:04}-{month:02}-{day:02}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_print_and_parse() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (1_709_210_096_789, "2024-02-29T12:34:56.789Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (1_795_219_200_000, "2026-11-21T00:00:00.000Z"),
        ] {
            assert_eq!(Timestamp(ms).to_string(), text);
            assert_eq!(Timestamp::parse(text), Some(Timestamp(ms)));
        }
        assert_eq!(Timestamp::parse("2024-13-01T00:00:00Z"), None);
        assert_eq!(Timestamp::parse("yesterday"), None);
    }
}
