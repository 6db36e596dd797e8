//! Per-process state of site audits: crawl frontiers, recently built reports, and callers who wait for the end.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use engine::SharedCrawl;
use site::{SiteFacts, SiteReport};
use tokio::sync::Notify;

use crate::waiting::{Awaited, Waiting};

/// Cached frontiers. One of 10,000 pages takes some megabytes; an evicted one is built again from the stored pages.
const MOST_REPLICAS: usize = 8;
/// Reports that are held: one of 1,000 pages takes some megabytes.
const MOST_BUILT: usize = 4;

/// What this process holds of runs.
#[derive(Debug)]
pub(crate) struct SiteDesk {
    replicas: Recent<Replica>,
    built: Recent<BuiltSite>,
    /// Held while a report is built.
    pub(crate) building: tokio::sync::Mutex<()>,
    pub(crate) waiting: Waiting,
}

/// The frontier of a run. Each process that asks for its pages has one; all are the same for the same pages.
#[derive(Debug, Default)]
pub(crate) struct Replica {
    /// `None` before the run was begun or joined here.
    pub(crate) crawl: tokio::sync::Mutex<Option<SharedCrawl>>,
    /// A page was kept, so the frontier may go on.
    pub(crate) changed: Notify,
}

/// A site with its report.
#[derive(Debug)]
pub(crate) struct BuiltSite {
    pub(crate) site: SiteFacts,
    pub(crate) report: SiteReport,
}

impl Default for SiteDesk {
    fn default() -> Self {
        Self {
            replicas: Recent::new(MOST_REPLICAS),
            built: Recent::new(MOST_BUILT),
            building: tokio::sync::Mutex::default(),
            waiting: Waiting::new(Awaited::Sites),
        }
    }
}

impl SiteDesk {
    /// The frontier of a run, empty where this process has none.
    pub(crate) fn replica(&self, run: &str) -> Arc<Replica> {
        self.replicas.find(run).unwrap_or_else(|| self.replicas.add(run, Arc::default()))
    }

    /// Lets go of the frontier of a run.
    pub(crate) fn forget(&self, run: &str) {
        self.replicas.remove(run);
    }

    /// The report of a run, where it was read lately.
    pub(crate) fn built(&self, run: &str) -> Option<Arc<BuiltSite>> {
        self.built.find(run)
    }

    /// Holds the report of a run.
    pub(crate) fn hold(&self, run: &str, built: impl Into<Arc<BuiltSite>>) -> Arc<BuiltSite> {
        self.built.add(run, built.into())
    }
}

/// A cache by name, of which the least recently used value is dropped first.
#[derive(Debug)]
struct Recent<T> {
    most: usize,
    values: Mutex<VecDeque<(String, Arc<T>)>>,
}

impl<T> Recent<T> {
    fn new(most: usize) -> Self {
        Self { most, values: Mutex::default() }
    }

    fn find(&self, name: &str) -> Option<Arc<T>> {
        Self::find_in(&mut self.values.lock().unwrap_or_else(PoisonError::into_inner), name)
    }

    fn find_in(values: &mut VecDeque<(String, Arc<T>)>, name: &str) -> Option<Arc<T>> {
        let at = values.iter().position(|(known, _)| known == name)?;
        let found = values.remove(at)?;
        let value = Arc::clone(&found.1);
        values.push_back(found);
        Some(value)
    }

    /// Adds a value; the one of that name, where another thread was faster.
    fn add(&self, name: &str, value: Arc<T>) -> Arc<T> {
        let mut values = self.values.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = Self::find_in(&mut values, name) {
            return known;
        }
        values.push_back((name.to_owned(), Arc::clone(&value)));
        while values.len() > self.most {
            values.pop_front();
        }
        value
    }

    fn remove(&self, name: &str) {
        self.values.lock().unwrap_or_else(PoisonError::into_inner).retain(|(known, _)| known != name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_used_least_lately_is_let_go() {
        let recent = Recent::new(2);
        let add = |name: &str| *recent.add(name, Arc::new(name.len()));
        assert_eq!((add("a"), add("bb")), (1, 2));
        assert!(recent.find("a").is_some());
        assert_eq!(*recent.add("a", Arc::new(9)), 1, "the first of a name stays");
        assert_eq!(add("ccc"), 3);
        assert!(recent.find("bb").is_none());
        assert_eq!(recent.find("a").as_deref(), Some(&1));
        recent.remove("a");
        assert!(recent.find("a").is_none());
    }
}
