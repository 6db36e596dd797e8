//! The report of a run, built of what is stored of its pages. It is not stored itself: the same pages give the same report.

use std::sync::Arc;
use std::time::Duration;

use engine::report_spill;
use model::finding::Severity;
use site::{PageFacts, SiteBuilder, SiteInputs, Spill, report};
use store::{SiteRunRecord, SiteState, Store, StoreError};

use super::answer::SiteFigures;
use crate::blocking::off_worker;
use crate::error::{Code, ServiceError};
use crate::services::Services;
use crate::site_desk::BuiltSite;

/// Pages read at a time.
pub(crate) const READ_AT_ONCE: i64 = 200;
/// Longest wait for the report of another site that is being built.
const BUILD_WAIT: Duration = Duration::from_secs(20);
/// Listed addresses that are kept with a run: more would not fit its row.
pub(crate) const MOST_LISTED: usize = 100_000;

/// The report of a finished run. [`Code::SiteNotFinished`] for another.
pub(crate) async fn built(services: &Services, run: &SiteRunRecord) -> Result<Arc<BuiltSite>, ServiceError> {
    if run.state != SiteState::Finished {
        return Err(ServiceError::new(Code::SiteNotFinished));
    }
    if let Some(built) = services.sites().built(&run.id).filter(is_intact) {
        return Ok(built);
    }
    // One after the other: each takes as much memory as its site.
    let Ok(_turn) = tokio::time::timeout(BUILD_WAIT, services.sites().building.lock()).await else {
        return Err(ServiceError::new(Code::Overloaded).retry_after(5));
    };
    if let Some(built) = services.sites().built(&run.id).filter(is_intact) {
        return Ok(built);
    }
    let store = services.database().store();
    let inputs = services.database().ask(|store| store.site_inputs(&run.id)).await?;
    let inputs = inputs.ok_or_else(|| ServiceError::new(Code::SiteNotFinished))?;
    let inputs: SiteInputs = serde_json::from_slice(&inputs).map_err(super::unwritten)?;
    let built = build(store, &run.id, run.done.into(), inputs).await.map_err(|error| {
        tracing::warn!(%error, "the pages of a run over a site can't be read");
        ServiceError::new(Code::DatabaseUnavailable).retry_after(5)
    })?;
    Ok(services.sites().hold(&run.id, built?))
}

/// Whether what is held of a site can still be read.
fn is_intact(built: &Arc<BuiltSite>) -> bool {
    built.site.check().is_ok()
}

/// Builds the report of the first `done` pages of a run. The outer error is the database's.
pub(crate) async fn build(
    store: &Store,
    run: &str,
    done: i64,
    inputs: SiteInputs,
) -> Result<Result<BuiltSite, ServiceError>, StoreError> {
    let built = build_in(&report_spill(None), store, run, done, inputs.clone()).await?;
    match built.as_ref().map(|built| built.site.check()) {
        Ok(Err(failure)) => {
            tracing::warn!(site_run.id = %run, %failure, "the report of a site is built again, in memory");
            build_in(&Spill::default(), store, run, done, inputs).await
        }
        Ok(Ok(())) | Err(_) => Ok(built),
    }
}

/// Builds a report whose facts go to `spill`.
async fn build_in(
    spill: &Spill,
    store: &Store,
    run: &str,
    done: i64,
    inputs: SiteInputs,
) -> Result<Result<BuiltSite, ServiceError>, StoreError> {
    let mut builder = SiteBuilder::new(spill);
    let mut from = 0;
    while from < done {
        let results = store.site_results(run, from, READ_AT_ONCE.min(done - from)).await?;
        let Some(last) = results.last() else { break };
        from = last.place + 1;
        let adding = move || {
            for result in results.iter().filter(|result| result.place < done) {
                builder.add(serde_json::from_slice::<PageFacts>(&result.facts)?);
            }
            Ok::<_, serde_json::Error>(builder)
        };
        builder = match off_worker(adding).await {
            Ok(Ok(added)) => added,
            Ok(Err(error)) => return Ok(Err(super::unwritten(error))),
            Err(error) => return Ok(Err(error)),
        };
    }
    let judging = move || {
        let site = builder.finish(inputs);
        let report = report(&site);
        BuiltSite { site, report }
    };
    Ok(off_worker(judging).await)
}

/// What is known of a site besides its pages, as it is kept. `is_cut`: the run ended before its pages did.
pub(crate) fn kept_inputs(mut inputs: SiteInputs, is_cut: bool) -> SiteInputs {
    if let Some(listed) = &mut inputs.listed
        && listed.len() > MOST_LISTED
    {
        listed.truncate(MOST_LISTED);
        inputs.sitemaps_complete = false;
    }
    if is_cut {
        inputs.complete = false;
    }
    inputs
}

/// Figures of a report.
pub(crate) fn figures(built: &BuiltSite) -> SiteFigures {
    let report = &built.report;
    let of_site = report.findings.iter().map(|finding| finding.severity);
    let severities: Vec<Severity> =
        of_site.chain(report.page_findings.iter().map(|finding| finding.severity)).collect();
    let count = |wanted: Severity| {
        u32::try_from(severities.iter().filter(|severity| **severity == wanted).count()).unwrap_or(u32::MAX)
    };
    SiteFigures {
        score: report.score,
        complete: report.complete,
        errors: count(Severity::Error),
        warnings: count(Severity::Warn),
        notes: count(Severity::Info),
        templates: u32::try_from(report.templates.len()).unwrap_or(u32::MAX),
    }
}
