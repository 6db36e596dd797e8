//! Lab tests as they are stored and shown: running, finished or failed.

use std::collections::BTreeMap;

use model::lab::{LabSource, LabStatus, LabTest, Strategy};
use model::lang::Phrase;
use model::time::Timestamp;

use crate::failure::Failure;
use crate::reading::Measured;

/// A test that has begun.
pub fn running(strategy: Strategy, started_at: Timestamp, source: Option<LabSource>) -> LabTest {
    LabTest {
        status: LabStatus::Running,
        strategy,
        started_at: started_at.to_string(),
        fetched_at: None,
        lighthouse_version: None,
        scores: None,
        metrics: BTreeMap::new(),
        opportunities: Vec::new(),
        failing: Vec::new(),
        message: None,
        source,
        benchmark_index: None,
    }
}

/// The same test after it has measured.
pub fn finished(running: LabTest, measured: Measured) -> LabTest {
    LabTest {
        status: LabStatus::Finished,
        fetched_at: measured.fetched_at.map(|at| at.to_string()),
        lighthouse_version: measured.version,
        scores: Some(measured.scores),
        metrics: measured.metrics,
        opportunities: measured.opportunities,
        failing: measured.failing,
        message: measured.warnings.map(Phrase::verbatim),
        benchmark_index: measured.benchmark_index,
        ..running
    }
}

/// The same test after it has failed.
pub fn failed(running: LabTest, failure: &Failure) -> LabTest {
    LabTest { status: LabStatus::Failed, message: Some(failure.message()), ..running }
}
