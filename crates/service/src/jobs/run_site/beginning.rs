//! The beginning of a run: the first page and the files of its site are asked for once, by one seat, and stored for all.

use engine::{AuditFailure, Crawl, CrawlFailure, KnownVersions, SharedCrawl, SitemapList};
use fetch::KnownVersion;
use model::capture::{Capture, WantKind};
use serde::{Deserialize, Serialize};
use store::{NewJob, SiteBeginning, SitePageVersion};

use super::{Seat, Unfinished, end_failed};
use crate::audits::undone;
use crate::error::ServiceError;
use crate::job::Job;
use crate::sites::built::{MOST_LISTED, READ_AT_ONCE};
use crate::sites::{SEATS, SiteOptions, program, seat_key};

/// Bytes of JSON that are stored of a beginning. Where it is larger, sitemaps are left out: what they list is kept, but pages are
/// then audited without them.
const MOST_BYTES: usize = 12 * 1024 * 1024;

/// What the site answered at the beginning.
#[derive(Serialize, Deserialize)]
struct Beginning {
    capture: Capture,
    /// What was read of its sitemaps.
    sitemaps: SitemapList,
}

impl Seat<'_> {
    /// The crawl of this run, begun or joined; `None` where it has ended.
    pub(super) async fn begun(&self) -> Result<Option<SharedCrawl>, Unfinished> {
        let store = self.services.database().store();
        let options: SiteOptions =
            serde_json::from_str(&self.run.options).map_err(|error| Unfinished::Never(error.to_string()))?;
        match store.begun_site(&self.run.id).await? {
            SiteBeginning::Over => return Ok(None),
            SiteBeginning::Begun(stored) => return self.joined(&stored, options).await,
            SiteBeginning::NotYet => {}
        }
        let engine = self.services.engine();
        // Checked again: the rules for target addresses may have changed since the request.
        let url = match engine.fetcher().intake(&self.run.url) {
            Ok(url) => url,
            Err(refused) => return self.failed(ServiceError::from(refused).code.wire()).await,
        };
        let mut crawling = options.crawl(self.run.created_at, self.services.ports().nonce(), None);
        self.keep_versions(&mut crawling.known).await?;
        // Boxed, as its future has 100 KB, of which each caller above would have a copy on its stack.
        let mut capture = match Box::pin(Crawl::first_page(engine, &url, options.scheme(), &crawling)).await {
            Ok(capture) => capture,
            Err(failed) => return self.refused(failed).await,
        };
        let Some(mut crawl) = self.crawl(capture.clone(), crawling).await? else { return Ok(None) };
        capture.extras.extend(crawl.take_sitemaps());
        let sitemaps = crawl.sitemap_list(MOST_LISTED);
        let gap_ms = i64::try_from(crawl.gap().as_millis()).unwrap_or(i64::MAX);
        // Over http where https was assumed and refused.
        let url = capture.requested_url.clone();
        let beginning = written(Beginning { capture, sitemaps })?;
        store.keep_begun_site(&self.run.id, &self.claimed.lease, &beginning, &url, gap_ms, self.other_seats()).await?;
        match store.begun_site(&self.run.id).await? {
            // What is stored decides, as for every server that joins: a long list was cut, or another seat was faster.
            SiteBeginning::Begun(stored) => self.joined(&stored, options).await,
            // The run has ended meanwhile, or the lease was lost.
            SiteBeginning::Over | SiteBeginning::NotYet => Ok(None),
        }
    }

    /// The crawl of a beginning that is stored.
    async fn joined(&self, stored: &[u8], options: SiteOptions) -> Result<Option<SharedCrawl>, Unfinished> {
        let Beginning { capture, sitemaps } =
            serde_json::from_slice(stored).map_err(|error| Unfinished::Never(error.to_string()))?;
        let mut crawling = options.crawl(self.run.created_at, capture.nonce.clone(), Some(sitemaps));
        self.keep_versions(&mut crawling.known).await?;
        self.crawl(capture, crawling).await
    }

    /// Keeps the versions of the pages of the run before, if this program judged them.
    async fn keep_versions(&self, known: &mut KnownVersions) -> Result<(), Unfinished> {
        let store = self.services.database().store();
        let before = match &self.run.before {
            Some(before) => store.site_run(before).await?,
            None => None,
        };
        if let Some(before) = before.filter(|before| before.program.as_deref() == Some(&*program())) {
            let mut from = 0;
            loop {
                let versions = store.site_versions(&before.id, from, READ_AT_ONCE).await?;
                let Some(last) = versions.last() else { break };
                from = last.place + 1;
                for SitePageVersion { place, url, etag, last_modified } in versions {
                    known.add(&url, place, &KnownVersion { etag, last_modified });
                }
            }
        }
        Ok(())
    }

    /// The crawl that begins with a first page.
    async fn crawl(&self, capture: Capture, options: engine::CrawlOptions) -> Result<Option<SharedCrawl>, Unfinished> {
        let engine = self.services.engine();
        let url = match engine.fetcher().intake(&self.run.url) {
            Ok(url) => url,
            Err(refused) => return self.failed(ServiceError::from(refused).code.wire()).await,
        };
        match Box::pin(Crawl::begin_with(engine.clone(), &url, capture, options)).await {
            Ok(crawl) => Ok(Some(crawl.shared())),
            Err(failed) => self.refused(failed).await,
        }
    }

    async fn refused(&self, failed: CrawlFailure) -> Result<Option<SharedCrawl>, Unfinished> {
        match failed {
            CrawlFailure::Audit(AuditFailure::Overloaded) => Err(Unfinished::Later("no core came free".to_owned())),
            CrawlFailure::Audit(failure) => self.failed(undone(failure).code.wire()).await,
            CrawlFailure::RobotsUnreachable => self.failed("robots_unreachable").await,
            CrawlFailure::Pattern(error) => Err(Unfinished::Never(error)),
        }
    }

    async fn failed(&self, reason: &str) -> Result<Option<SharedCrawl>, Unfinished> {
        end_failed(self.services, &self.run.id, reason).await?;
        Ok(None)
    }

    fn other_seats(&self) -> Vec<NewJob> {
        let job = |seat| {
            let key = seat_key(&self.run.id, seat);
            Job::RunSite { run: self.run.id.clone(), seat }.queued(self.services.ports(), Some(key))
        };
        (1..SEATS).map(job).collect()
    }
}

fn written(mut beginning: Beginning) -> Result<Vec<u8>, Unfinished> {
    let write =
        |beginning: &Beginning| serde_json::to_vec(beginning).map_err(|error| Unfinished::Never(error.to_string()));
    let json = write(&beginning)?;
    if json.len() <= MOST_BYTES {
        return Ok(json);
    }
    beginning.capture.extras.retain(|extra| extra.want.kind != WantKind::Sitemap);
    write(&beginning)
}
