//! The files of an audit in flight, in two lanes: discovery probes, and robots.txt with the sitemaps.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use audit::{PROBE_GETS, SitemapTarget};
use fetch::{Budget, Fetcher};
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use model::capture::{Want, WantKind};
use tokio::time::Instant;

use super::files::{self, Ask, Came};
use super::given::{Given, Step};
use crate::cores::Cores;

/// Discovery probes together (interface §8).
const PROBE_TIME: Duration = Duration::from_secs(8);
/// Sitemaps together (hostile-inputs §2).
const SITEMAP_TIME: Duration = Duration::from_secs(10);
/// Probes in flight at once; and as many files besides.
const AT_ONCE: usize = 2;

/// The files in flight: probes in one lane, robots.txt and sitemaps in the other, each with its time.
pub(super) struct Lanes {
    fetcher: Fetcher,
    cores: Cores,
    keep_sitemaps: bool,
    /// The page that sitemaps are searched for; known once the page was parsed.
    pub(super) target: Arc<SitemapTarget>,
    /// Within the audit's own task: a task of its own for each would cost more than most of them take.
    running: FuturesUnordered<BoxFuture<'static, std::thread::Result<Came>>>,
    /// What was ever started.
    asked: HashSet<Want>,
    probes: Lane,
    files: Lane,
    budget: Arc<Budget>,
    deadline: Instant,
}

/// One lane.
#[derive(Default)]
struct Lane {
    in_flight: usize,
    /// Set by the first request of a kind that has a time of its own.
    until: Option<Instant>,
    told: bool,
}

impl Lanes {
    pub(super) fn new(fetcher: Fetcher, cores: Cores, keep_sitemaps: bool, deadline: Instant) -> Self {
        Self {
            fetcher,
            cores,
            keep_sitemaps,
            target: Arc::default(),
            running: FuturesUnordered::new(),
            asked: HashSet::new(),
            probes: Lane::default(),
            files: Lane::default(),
            budget: Arc::new(Budget::new(PROBE_GETS)),
            deadline,
        }
    }

    /// Starts what is wanted, was not asked for yet, and has room.
    pub(super) fn start(&mut self, wants: &[Want]) {
        let now = Instant::now();
        for want in wants {
            let (lane, time) = match want.kind {
                WantKind::RobotsTxt => (&mut self.files, None),
                WantKind::Sitemap => (&mut self.files, Some(SITEMAP_TIME)),
                _ => (&mut self.probes, Some(PROBE_TIME)),
            };
            if lane.in_flight >= AT_ONCE || self.asked.contains(want) {
                continue;
            }
            let until = time.map_or(self.deadline, |time| *lane.until.get_or_insert(now + time)).min(self.deadline);
            lane.in_flight += 1;
            self.asked.insert(want.clone());
            let (fetcher, cores, keep_sitemaps) = (self.fetcher.clone(), self.cores.clone(), self.keep_sitemaps);
            let (want, target, budget) = (want.clone(), Arc::clone(&self.target), Arc::clone(&self.budget));
            let coming = async move {
                let ask = Ask { want, target, budget, until, keep_sitemaps };
                files::file(&fetcher, &cores, ask).await
            };
            self.running.push(AssertUnwindSafe(coming).catch_unwind().boxed());
        }
    }

    /// The next file that comes; `None` when nothing is in flight.
    pub(super) async fn next(&mut self) -> Option<Came> {
        // Only a panic of ours ends a fetch without an answer; the file is then missing from the capture, as if it had
        // never been asked for, and is not asked for again.
        loop {
            match self.running.next().await? {
                Ok(came) => {
                    self.lane(came.extra.want.kind).in_flight -= 1;
                    return Some(came);
                }
                // The process's panic hook told of it.
                Err(_) => continue,
            }
        }
    }

    fn lane(&mut self, kind: WantKind) -> &mut Lane {
        if kind.rules().probe { &mut self.probes } else { &mut self.files }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Tells once of each lane that has ended: nothing in it is in flight or wanted.
    pub(super) fn tell_of_ends(&mut self, wants: &[Want], given: &Given) {
        for (lane, step, is_probe) in [(&mut self.files, Step::Files, false), (&mut self.probes, Step::Discovery, true)]
        {
            let waits = wants.iter().any(|want| want.kind.rules().probe == is_probe && !self.asked.contains(want));
            if !lane.told && lane.in_flight == 0 && !waits {
                lane.told = true;
                given.tell(step);
            }
        }
    }
}
