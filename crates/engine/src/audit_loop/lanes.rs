//! Files in flight, in two lanes: discovery probes; robots.txt and sitemaps.

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use audit::{ListedPage, PROBE_GETS};
use fetch::{Budget, Fetcher};
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream::{FuturesUnordered, StreamExt as _};
use model::capture::{Want, WantKind};
use tokio::time::Instant;

use super::files::{self, FetchedFile, FileRequest};
use super::given::{AuditInputs, AuditStep, FileCount};
use crate::cores::Cores;

/// Timeout of all discovery probes together. Chosen: eight seconds; what comes later counts as not measured.
const PROBE_TIME: Duration = Duration::from_secs(8);
/// Timeout of all sitemaps together. Chosen: ten seconds, so that a slow index with many files can't use up the audit.
const SITEMAP_TIME: Duration = Duration::from_secs(10);
/// Concurrency limit of each lane.
const AT_ONCE: usize = 2;

/// Files in flight, each lane with its own timeout.
pub(super) struct Lanes {
    fetcher: Fetcher,
    cores: Cores,
    keep_sitemaps: bool,
    /// The page to search sitemaps for; known once it is parsed.
    pub(super) target: Arc<ListedPage>,
    /// Polled within the audit's own task: spawning one for each file would cost more than most of them take.
    running: FuturesUnordered<BoxFuture<'static, std::thread::Result<FetchedFile>>>,
    /// Everything requested so far.
    requested: HashSet<Want>,
    probes: FileLane,
    files: FileLane,
    budget: Arc<Budget>,
    deadline: Instant,
}

/// One lane.
#[derive(Default)]
struct FileLane {
    in_flight: usize,
    count: FileCount,
    /// Deadline, set by the first request of a kind with its own timeout.
    until: Option<Instant>,
    is_reported: bool,
}

impl Lanes {
    pub(super) fn new(fetcher: Fetcher, cores: Cores, keep_sitemaps: bool, deadline: Instant) -> Self {
        Self {
            fetcher,
            cores,
            keep_sitemaps,
            target: Arc::default(),
            running: FuturesUnordered::new(),
            requested: HashSet::new(),
            probes: FileLane::default(),
            files: FileLane::default(),
            budget: Arc::new(Budget::new(PROBE_GETS)),
            deadline,
        }
    }

    /// Requests the wanted files that are new, as far as the lanes have capacity.
    pub(super) fn start(&mut self, wants: &[Want]) {
        let now = Instant::now();
        for want in wants {
            let (lane, time) = match want.kind {
                WantKind::RobotsTxt => (&mut self.files, None),
                WantKind::Sitemap => (&mut self.files, Some(SITEMAP_TIME)),
                _ => (&mut self.probes, Some(PROBE_TIME)),
            };
            if lane.in_flight >= AT_ONCE || self.requested.contains(want) {
                continue;
            }
            let until = time.map_or(self.deadline, |time| *lane.until.get_or_insert(now + time)).min(self.deadline);
            lane.in_flight += 1;
            lane.count.requested += 1;
            self.requested.insert(want.clone());
            let (fetcher, cores, keep_sitemaps) = (self.fetcher.clone(), self.cores.clone(), self.keep_sitemaps);
            let (want, target, budget) = (want.clone(), Arc::clone(&self.target), Arc::clone(&self.budget));
            let coming = async move {
                let request = FileRequest { want, target, budget, until, keep_sitemaps };
                files::file(&fetcher, &cores, request).await
            };
            self.running.push(AssertUnwindSafe(coming).catch_unwind().boxed());
        }
    }

    /// Waits for the next file; `None` when nothing is in flight.
    pub(super) async fn next(&mut self) -> Option<FetchedFile> {
        // A fetch ends without a result only if it panicked: a defect. Its file is then missing from the capture as if
        // it had never been wanted, and is not requested again.
        loop {
            match self.running.next().await? {
                Ok(file) => {
                    let is_found =
                        file.extra.fetched.response().is_some_and(|response| (200..300).contains(&response.status));
                    let lane = self.lane(file.extra.want.kind);
                    lane.in_flight -= 1;
                    lane.count.found += usize::from(is_found);
                    return Some(file);
                }
                // The process's panic hook logged it.
                Err(_) => continue,
            }
        }
    }

    fn lane(&mut self, kind: WantKind) -> &mut FileLane {
        if kind.rules().probe { &mut self.probes } else { &mut self.files }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Reports each lane once it is done: nothing in flight, nothing wanted.
    pub(super) fn report_ends(&mut self, wants: &[Want], given: &AuditInputs) {
        for (lane, is_probe) in [(&mut self.files, false), (&mut self.probes, true)] {
            let waits = wants.iter().any(|want| want.kind.rules().probe == is_probe && !self.requested.contains(want));
            if let Some(count) = lane.end(waits) {
                given.tell(if is_probe { AuditStep::Discovery(count) } else { AuditStep::Files(count) });
            }
        }
    }
}

impl FileLane {
    /// What was requested and found, the first time that nothing is in flight and nothing waits.
    fn end(&mut self, waits: bool) -> Option<FileCount> {
        let is_end = !self.is_reported && self.in_flight == 0 && !waits;
        self.is_reported |= is_end;
        is_end.then_some(self.count)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use model::time::Timestamp;

    use super::*;
    use crate::audit_loop::given::Scheme;

    #[test]
    fn probes_keep_the_numbers_that_callers_were_told() {
        assert_eq!((AT_ONCE, PROBE_TIME, PROBE_GETS), (2, Duration::from_secs(8), 15));
        assert_eq!(model::capture::PROBE_BYTES, 65_536);
    }

    #[tokio::test(start_paused = true)]
    async fn sitemaps_have_ten_seconds_together_and_probes_eight() {
        let fetcher = Fetcher::new(fetch::FetchConfig::default()).unwrap();
        let (begun, seconds) = (Instant::now(), Duration::from_secs);
        let mut lanes = Lanes::new(fetcher, Cores::start(1).unwrap(), false, begun + seconds(23));
        let want = |kind, path: &str| Want { kind, url: format!("https://example.com/{path}") };
        let ends = |lanes: &Lanes| [&lanes.files, &lanes.probes].map(|lane| lane.until.map(|until| until - begun));
        lanes.start(&[want(WantKind::RobotsTxt, "robots.txt")]);
        assert_eq!(ends(&lanes), [None; 2]);
        lanes.files.in_flight = 0;
        for path in ["a", "b"] {
            lanes.start(&[want(WantKind::Sitemap, path), want(WantKind::SecurityTxt, path)]);
            assert_eq!(ends(&lanes), [Some(seconds(10)), Some(seconds(8))], "{path}");
            tokio::time::advance(seconds(1)).await;
        }
    }

    #[test]
    fn a_lane_ends_once_when_nothing_is_in_flight_and_nothing_waits() {
        let count = FileCount { requested: 3, found: 2 };
        let mut lane = FileLane { in_flight: 1, count, ..FileLane::default() };
        assert_eq!((lane.end(false), lane.end(true)), (None, None));
        lane.in_flight = 0;
        assert_eq!((lane.end(true), lane.end(false), lane.end(false)), (None, Some(count), None));
    }

    #[test]
    fn a_lane_waits_for_files_of_its_own_kind_that_were_not_requested_yet() {
        let fetcher = Fetcher::new(fetch::FetchConfig::default()).unwrap();
        let mut lanes = Lanes::new(fetcher, Cores::start(1).unwrap(), false, Instant::now());
        let steps = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&steps);
        let given = AuditInputs {
            started_at: Timestamp(0),
            nonce: "0".repeat(32),
            scheme: Scheme::Typed,
            progress: Some(Arc::new(move |step| told.lock().unwrap().push(step))),
            keep_sitemaps: false,
        };
        let want = |kind, path: &str| Want { kind, url: format!("https://example.com/{path}") };
        let wants = [want(WantKind::RobotsTxt, "robots.txt"), want(WantKind::SecurityTxt, ".well-known/security.txt")];
        lanes.report_ends(&wants, &given);
        assert!(steps.lock().unwrap().is_empty());
        lanes.requested.insert(wants[1].clone());
        lanes.report_ends(&wants, &given);
        assert_eq!(*steps.lock().unwrap(), [AuditStep::Discovery(FileCount::default())]);
        lanes.requested.insert(wants[0].clone());
        lanes.report_ends(&wants, &given);
        let both = [AuditStep::Discovery(FileCount::default()), AuditStep::Files(FileCount::default())];
        assert_eq!(*steps.lock().unwrap(), both);
    }
}
