//! Reliability: minutes in which the service was healthy, the time of audits, answers that failed.

use std::collections::BTreeMap;

use model::time::{Day, Timestamp};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::findings::share;
use crate::counting::{Latencies, kind};
use crate::database::{Database, DatabaseError};

/// Milliseconds of a minute.
const MINUTE_MS: i64 = 60_000;
/// Minutes of a day.
const DAY_MINUTES: i64 = 1_440;

/// Reliability over a window; null is not measured.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reliability {
    /// Share of the minutes, 0 to 1 with four digits, in which a server answered its health check with the database up.
    #[serde(rename = "disponibilidade")]
    pub availability: Option<f64>,
    /// Median of an audit's own time, without that of its target, in milliseconds.
    #[serde(rename = "mediana_ms")]
    pub median_ms: Option<u64>,
    /// 99th percentile of the same.
    pub p99_ms: Option<u64>,
    /// Share of answers with a status of 500 or more.
    #[serde(rename = "erros_5xx")]
    pub errors_5xx: Option<f64>,
}

/// Reliability of a day.
#[derive(Debug, Clone, PartialEq)]
pub struct DayReliability {
    /// The UTC day.
    pub day: Day,
    /// Its reliability.
    pub reliability: Reliability,
}

/// What reliability is made of.
#[derive(Debug, Default)]
struct Measured {
    healthy: u64,
    minutes: u64,
    times: Latencies,
    failed: u64,
    answers: u64,
}

impl Measured {
    fn add(&mut self, other: &Self) {
        self.healthy += other.healthy;
        self.minutes += other.minutes;
        self.failed += other.failed;
        self.answers += other.answers;
        self.times.join(&other.times);
    }

    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "milliseconds of an audit")]
    fn reliability(&self) -> Reliability {
        let ms = |share| self.times.percentile_ms(share).map(|ms| ms.round() as u64);
        Reliability {
            availability: share(self.healthy, self.minutes),
            median_ms: ms(0.5),
            p99_ms: ms(0.99),
            errors_5xx: share(self.failed, self.answers),
        }
    }
}

/// Reliability of each day from `from` to the day of `now`, oldest first, and over all of them. Minutes count from the
/// first healthy one to the last whole one.
pub async fn reliability(
    database: &Database,
    from: Day,
    now: Timestamp,
) -> Result<(Vec<DayReliability>, Reliability), DatabaseError> {
    let to = now.day();
    let first = database.ask(|store| store.first_healthy_minute()).await?;
    let mut days: BTreeMap<i64, Measured> = (from.0..=to.0)
        .map(|day| {
            let ended = now.0.div_euclid(MINUTE_MS).min((day + 1) * DAY_MINUTES);
            let began = first.map_or(ended, |first| first.max(day * DAY_MINUTES));
            let minutes = u64::try_from(ended - began).unwrap_or_default();
            (day, Measured { minutes, ..Measured::default() })
        })
        .collect();
    for (day, n) in database.ask(|store| store.healthy_minutes(from)).await? {
        // The minute that runs may be healthy already.
        days.entry(day.0).and_modify(|measured| measured.healthy = n.min(measured.minutes));
    }
    for row in database.ask(|store| store.day_counts(from, to, kind::AUDIT_TIME)).await? {
        let bucket = row.name.parse().unwrap_or_default();
        days.entry(row.since).and_modify(|measured| measured.times.add(bucket, row.n));
    }
    for row in database.ask(|store| store.day_counts(from, to, kind::STATUS)).await? {
        days.entry(row.since).and_modify(|measured| {
            measured.answers += row.n;
            measured.failed += if row.name == "5" { row.n } else { 0 };
        });
    }
    let mut all = Measured::default();
    days.values().for_each(|measured| all.add(measured));
    let by_day = days
        .into_iter()
        .map(|(day, measured)| DayReliability { day: Day(day), reliability: measured.reliability() })
        .collect();
    Ok((by_day, all.reliability()))
}
