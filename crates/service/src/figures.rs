//! Figures: counted numbers read back, by day and over windows of days.

mod cached;
mod days;
mod findings;
mod reliability;

use std::collections::BTreeMap;

use model::time::Day;

pub use cached::Cached;
pub use days::{DayFigures, days, sums};
pub use findings::{CodeFigures, FindingFigures, findings};
pub use reliability::{DayReliability, Reliability, reliability};

/// The figures of the panel.
#[derive(Debug)]
pub struct PanelFigures {
    /// The day on which they were read.
    pub day: Day,
    /// Seven days, oldest first.
    pub days: Vec<DayFigures>,
    /// Events of the product of these days, by name.
    pub events: BTreeMap<String, u64>,
    /// How many there are now, by name.
    pub standing: BTreeMap<String, u64>,
}

/// Reliability of several days.
#[derive(Debug)]
pub struct StatusFigures {
    /// By day, oldest first.
    pub days: Vec<DayReliability>,
    /// Over all.
    pub total: Reliability,
}

/// Figures that were read a while ago, for readers who are content with that.
#[derive(Debug, Default)]
pub struct CachedFigures {
    /// The panel.
    pub panel: Cached<PanelFigures>,
    /// Findings by code.
    pub findings: Cached<FindingFigures>,
    /// Reliability by day.
    pub status: Cached<StatusFigures>,
}
