//! Durations as a histogram, from which percentiles are read.

use std::collections::BTreeMap;
use std::time::Duration;

/// Buckets of a doubling: neighbours differ by 9%, so a percentile is at most 4.5% off.
const PER_DOUBLING: f64 = 8.0;

/// How many took how long.
#[derive(Debug, Clone, Default)]
pub struct Latencies(BTreeMap<u32, u64>);

impl Latencies {
    /// The bucket of a duration.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "log2 of a u64 is at most 64"
    )]
    pub(crate) fn bucket(took: Duration) -> u32 {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX).max(1);
        ((micros as f64).log2() * PER_DOUBLING) as u32
    }

    /// Adds `n` of a bucket.
    pub fn add(&mut self, bucket: u32, n: u64) {
        *self.0.entry(bucket).or_default() += n;
    }

    /// Adds those of another histogram.
    pub fn join(&mut self, other: &Self) {
        for (bucket, n) in &other.0 {
            self.add(*bucket, *n);
        }
    }

    /// How many there are.
    pub fn total(&self) -> u64 {
        self.0.values().sum()
    }

    /// Milliseconds within which a share of them, 0 to 1, was done; `None` of none.
    #[expect(clippy::cast_precision_loss, reason = "a share of a number of calls")]
    pub fn percentile_ms(&self, share: f64) -> Option<f64> {
        let wanted = self.total() as f64 * share;
        let mut so_far = 0.0;
        for (bucket, n) in &self.0 {
            so_far += *n as f64;
            if so_far >= wanted && so_far > 0.0 {
                return Some(((f64::from(*bucket) + 0.5) / PER_DOUBLING).exp2() / 1000.0);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_within_five_percent() {
        let mut latencies = Latencies::default();
        for ms in 1..=1000 {
            latencies.add(Latencies::bucket(Duration::from_millis(ms)), 1);
        }
        for (share, ms) in [(0.5, 500.0), (0.99, 990.0), (1.0, 1000.0)] {
            let found = latencies.percentile_ms(share).unwrap();
            assert!((found / ms - 1.0_f64).abs() < 0.05, "{share}: {found}");
        }
        assert_eq!(Latencies::default().percentile_ms(0.5), None);
        assert_eq!(Latencies::bucket(Duration::ZERO), 0);
    }
}
