//! Comparison of the lab tests of two runs.

use std::collections::BTreeMap;

use model::lab::{LabScores, LabTest, LabTests, Strategy};
use schemars::JsonSchema;
use serde::Serialize;

/// The lab tests of one strategy in two runs. Both were measured by the same kind of provider: others don't compare.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LabChange {
    /// The simulated device.
    pub strategy: Strategy,
    /// Scores of the earlier run.
    pub before: LabScores,
    /// Scores of the later run.
    pub after: LabScores,
    /// Metrics that both measured, by Lighthouse's names: earlier and later value.
    pub metrics: BTreeMap<String, [f64; 2]>,
}

/// What both runs measured in a lab, strategy by strategy.
pub(super) fn lab_changes(before: Option<&LabTests>, after: Option<&LabTests>) -> Vec<LabChange> {
    let (Some(before), Some(after)) = (before, after) else { return Vec::new() };
    Strategy::ALL.into_iter().filter_map(|strategy| change(before.of(strategy)?, after.of(strategy)?)).collect()
}

fn change(before: &LabTest, after: &LabTest) -> Option<LabChange> {
    let (old, new) = (before.scores?, after.scores?);
    let values = |(name, now): (&String, &model::lab::LabMetric)| {
        let then = before.metrics.get(name)?;
        Some((name.clone(), [then.value, now.value]))
    };
    (before.source == after.source).then(|| LabChange {
        strategy: after.strategy,
        before: old,
        after: new,
        metrics: after.metrics.iter().filter_map(values).collect(),
    })
}

#[cfg(test)]
mod tests {
    use model::lab::{LabMetric, LabSource, LabStatus};

    use super::*;

    fn tests(performance: u8, source: LabSource) -> LabTests {
        let metric = LabMetric { value: f64::from(performance), unit: None, display: None, score: None };
        let test = LabTest {
            status: LabStatus::Finished,
            strategy: Strategy::Desktop,
            started_at: String::new(),
            fetched_at: None,
            lighthouse_version: None,
            scores: Some(LabScores { performance: Some(performance), ..LabScores::default() }),
            metrics: BTreeMap::from([("speed-index".to_owned(), metric)]),
            opportunities: Vec::new(),
            failing: Vec::new(),
            message: None,
            source: Some(source),
            benchmark_index: None,
        };
        LabTests { mobile: None, desktop: Some(test) }
    }

    #[test]
    fn tests_of_one_source_compare_and_others_do_not() {
        let (before, after) = (tests(40, LabSource::PageSpeed), tests(60, LabSource::PageSpeed));
        let changes = lab_changes(Some(&before), Some(&after));
        assert_eq!(changes.len(), 1);
        assert_eq!((changes[0].before.performance, changes[0].after.performance), (Some(40), Some(60)));
        assert_eq!(changes[0].metrics["speed-index"], [40.0, 60.0]);
        assert!(lab_changes(Some(&before), Some(&tests(60, LabSource::Local))).is_empty());
        assert!(lab_changes(None, Some(&after)).is_empty());
    }
}
