//! Calls, visitors and audits by day.

use std::collections::BTreeMap;

use model::time::Day;

use crate::counting::{self, Event, Surface, kind};
use crate::database::{Database, DatabaseError};

/// The figures of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DayFigures {
    /// The UTC day.
    pub day: Day,
    /// Page views of people.
    pub visits: u64,
    /// Visitors, people.
    pub visitors: u64,
    /// Calls of the API.
    pub api: u64,
    /// Calls by AI agents, of the API and over MCP.
    pub api_agents: u64,
    /// Calls by AI agents, anywhere.
    pub agents: u64,
    /// Calls by other programs, anywhere.
    pub machines: u64,
    /// Audits.
    pub audits: u64,
}

impl DayFigures {
    fn none(day: Day) -> Self {
        Self { day, visits: 0, visitors: 0, api: 0, api_agents: 0, agents: 0, machines: 0, audits: 0 }
    }

    /// Adds `n` calls of a surface by a reader.
    fn add(&mut self, name: &str, n: u64) {
        let Some((surface, reader)) = name.split_once('/') else { return };
        let (is_api, is_mcp) = (surface == Surface::Api.word(), surface == Surface::Mcp.word());
        match reader {
            "pessoa" if surface == Surface::Page.word() => self.visits += n,
            "agente" => self.agents += n,
            "maquina" => self.machines += n,
            _ => {}
        }
        if is_api {
            self.api += n;
        }
        if reader == "agente" && (is_api || is_mcp) {
            self.api_agents += n;
        }
    }
}

/// The figures of each day from `from` to `to`, oldest first.
pub async fn days(database: &Database, from: Day, to: Day) -> Result<Vec<DayFigures>, DatabaseError> {
    let mut days: BTreeMap<i64, DayFigures> = (from.0..=to.0).map(|day| (day, DayFigures::none(Day(day)))).collect();
    for row in database.ask(|store| store.day_counts(from, to, kind::CALLS)).await? {
        if let Some(day) = days.get_mut(&row.since) {
            day.add(&row.name, row.n);
        }
    }
    for row in database.ask(|store| store.day_counts(from, to, kind::EVENT)).await? {
        if let Some(day) = days.get_mut(&row.since).filter(|_| Some(row.name.as_str()) == Event::Audit.word()) {
            day.audits += row.n;
        }
    }
    for (day, sketch) in database.ask(|store| store.visitor_sketches(from, to, "pessoa")).await? {
        if let Some(day) = days.get_mut(&day.0) {
            day.visitors = counting::estimate(&sketch).unwrap_or_default();
        }
    }
    Ok(days.into_values().collect())
}

/// The sums of a kind of numbers from `from` to `to`, by name.
pub async fn sums(database: &Database, kind: &str, from: Day, to: Day) -> Result<BTreeMap<String, u64>, DatabaseError> {
    let mut sums = BTreeMap::new();
    for row in database.ask(|store| store.day_counts(from, to, kind)).await? {
        *sums.entry(row.name).or_default() += row.n;
    }
    Ok(sums)
}
