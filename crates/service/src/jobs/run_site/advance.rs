//! The commits of a run, in order, and its end.

use std::sync::Arc;

use engine::SharedCrawl;
use site::PageFacts;
use store::{SiteAllowance, SiteCommit, SiteCommitted, SiteEnd, SiteResult, SiteState};

use super::{Seat, Unfinished, end_failed, watched};
use crate::counting::Event;
use crate::sites::built::{READ_AT_ONCE, build, figures, kept_inputs};

impl Seat<'_> {
    /// Commits pages that came, in order; `true` when the run has ended. Every server does so with its own frontier, and each
    /// page is committed by one of them.
    pub(super) async fn advance(&self, crawl: &mut SharedCrawl) -> Result<bool, Unfinished> {
        let store = self.services.database().store();
        loop {
            self.check(crawl.check())?;
            let from = i64::try_from(crawl.progress().1).unwrap_or(i64::MAX);
            let results = store.site_results(&self.run.id, from, READ_AT_ONCE).await?;
            let in_order = results.into_iter().zip(from..).take_while(|(result, place)| result.place == *place);
            let mut is_any = false;
            for (result, _) in in_order {
                is_any = true;
                let facts: PageFacts =
                    serde_json::from_slice(&result.facts).map_err(|error| Unfinished::Never(error.to_string()))?;
                if !crawl.commit(&facts) {
                    // The same pages give the same order; a new version of the program may give another.
                    end_failed(self.services, &self.run.id, "interrupted").await?;
                    return Ok(true);
                }
                // Known as committed when this turn began.
                if result.place < i64::from(self.run.done) {
                    continue;
                }
                match self.commit(crawl.progress().0, &result, &facts).await? {
                    SiteCommitted::Kept | SiteCommitted::Before => {}
                    SiteCommitted::Over => return Ok(true),
                    SiteCommitted::Unpaid(why) => {
                        self.finish(crawl, result.place, Some(why)).await?;
                        return Ok(true);
                    }
                }
            }
            let (known, committed) = crawl.progress();
            if committed == known {
                self.finish(crawl, i64::try_from(committed).unwrap_or(i64::MAX), None).await?;
                return Ok(true);
            }
            if !is_any {
                return Ok(false);
            }
        }
    }

    /// Commits a page, after which so many addresses are known.
    async fn commit(&self, found: usize, result: &SiteResult, facts: &PageFacts) -> Result<SiteCommitted, Unfinished> {
        let (services, now) = (self.services, self.now());
        let (per_day, wide_per_day) = services.allowance().per_day();
        let commit = SiteCommit {
            place: result.place,
            is_audited: result.is_audited,
            is_failed: matches!(facts.answer.word(), "no_response" | "server_error"),
            found,
            allowance: SiteAllowance { per_day, wide_per_day },
        };
        let committed = services.database().store().commit_site_page(&self.run.id, commit, now).await?;
        if committed == SiteCommitted::Kept && result.is_audited {
            services.counter().add(&Event::Audit, now);
            services.counter().add_findings(facts.findings.iter().map(|finding| &*finding.code), None, now);
        }
        Ok(committed)
    }

    /// Ends the run with a report of its first `done` pages.
    async fn finish(&self, crawl: &mut SharedCrawl, done: i64, why: Option<&str>) -> Result<(), Unfinished> {
        let services = self.services;
        let (store, run) = (services.database().store(), &self.run.id);
        let inputs = kept_inputs(crawl.inputs(), why.is_some());
        let kept = serde_json::to_vec(&inputs).map_err(|error| Unfinished::Never(error.to_string()))?;
        let built = match build(store, run, done, inputs).await? {
            Ok(built) => built,
            // A defect, which the process's panic hook logs: another try would end the same way.
            Err(_) => return end_failed(services, run, "internal").await.map(drop).map_err(Unfinished::from),
        };
        let (figures, built) = (figures(&built), Arc::new(built));
        let watched = watched::finished(services, self.run, &built, why).await?;
        let end = SiteEnd {
            state: SiteState::Finished,
            reason: why.map(str::to_owned),
            inputs: Some(kept),
            figures: Some(serde_json::to_string(&figures).map_err(|error| Unfinished::Never(error.to_string()))?),
            jobs: Vec::new(),
            watched,
        };
        let counts = store.end_site(run, Some(&self.claimed.lease), end, self.now()).await?;
        services.sites().forget(run);
        services.sites().hold(run, built);
        services.sites().waiting.look(services.database()).await;
        tracing::info!(site_run.id = %run, pages = done, score = figures.score, reason = why, counts, "a run over a site ended");
        Ok(())
    }
}
