//! One try of a lab test.

use std::time::Duration;

use lab::failure::Failure;
use lab::outcome;
use lab::reading::RenderedPage;
use lab::request::{LabRequest, TEST_TIME};
use model::lang::Lang;
use model::rendered::Rendered;
use store::{ClaimedJob, LabRecord, StoreError};
use tokio::time::timeout;
use url::Url;

use super::ending::{Ending, Unfinished};
use crate::services::Services;

/// When a measurement ends that does not keep the provider's own timeout.
const CUT_OFF: Duration = Duration::from_secs(TEST_TIME.as_secs() + 5);

/// Measures the page of a test that runs, and stores the result. Trouble and a used-up quota have one more try.
pub(super) async fn run(
    services: &Services,
    claimed: &ClaimedJob,
    run: &str,
    lang: Lang,
) -> Result<Ending, Unfinished> {
    let (store, lab, ports) = (services.database().store(), services.lab(), services.ports());
    // It ended, or its audit was deleted.
    let Some(running) = store.running_lab(run).await? else { return Ok(Ending::Done) };
    let strategy = running.test.strategy;
    let measured = match Url::parse(&running.url) {
        Ok(url) => {
            let request = LabRequest { url, strategy, lang };
            let measuring = timeout(CUT_OFF, lab.provider.run(&request));
            measuring.await.unwrap_or(Err(Failure::Trouble("time")))
        }
        Err(_) => Err(Failure::Page(lab::failure::PageFailure::new("INVALID_URL"))),
    };
    note(services, &measured);
    let mut frames = Vec::new();
    let record = match measured {
        Ok(mut measured) => {
            frames = std::mem::take(&mut measured.frames);
            let rendered = rendered(services, run, measured.rendered.take()).await?;
            let field_data = measured.field_data.take();
            LabRecord { test: outcome::finished(running.test, measured), field_data, rendered }
        }
        Err(failure) => {
            if let Some(wait) = failure.second_try().filter(|_| claimed.attempt == 1) {
                return Err(Unfinished::After { why: failure.to_string(), wait });
            }
            LabRecord::of(outcome::failed(running.test, &failure))
        }
    };
    lab.filmstrips.add(&running.audit, &record.test, frames, ports.now());
    let counts = store.end_lab(run, &record, Some(&claimed.lease), ports.now()).await?;
    lab.waiting.look(services.database()).await;
    tracing::info!(audit.id = %running.audit, strategy = strategy.name(), status = ?record.test.status, counts, "a lab test ended");
    Ok(if counts { Ending::Written } else { Ending::Late })
}

/// What scripts changed of the page, where the operator wants to know.
async fn rendered(services: &Services, run: &str, page: Option<RenderedPage>) -> Result<Option<Rendered>, StoreError> {
    let Some(page) = page.filter(|_| services.config().lab.rendered) else { return Ok(None) };
    // No page was audited, or the test has ended meanwhile.
    let Some(source) = services.database().store().audited_by_lab(run).await? else { return Ok(None) };
    let capture = audit::rendered::capture(&page.url, page.html, services.ports().now());
    let comparing = services.engine().judge(capture, move |page| audit::rendered::rendered(&source, &page));
    // The measurement counts without it; another try would load the page again.
    let compared = comparing.await.inspect_err(|error| tracing::warn!(?error, "a rendered page was not compared"));
    Ok(compared.ok())
}

/// Ends a test whose every try was cut off.
pub(super) async fn give_up(services: &Services, run: &str) -> Result<(), StoreError> {
    let store = services.database().store();
    if let Some(running) = store.running_lab(run).await? {
        let test = outcome::failed(running.test, &Failure::Trouble("cut_off"));
        store.end_lab(run, &LabRecord::of(test), None, services.ports().now()).await?;
        services.lab().waiting.look(services.database()).await;
    }
    Ok(())
}

/// What a result says of the provider.
fn note<T>(services: &Services, result: &Result<T, Failure>) {
    let (breaker, now) = (&services.lab().breaker, services.ports().now());
    match result {
        Ok(_) | Err(Failure::Page(_)) => breaker.answered(),
        Err(failure @ Failure::Quota { .. }) => tracing::warn!(%failure, "a lab test got no result"),
        Err(failure @ Failure::Trouble(_)) => {
            tracing::warn!(%failure, "a lab test got no result");
            breaker.troubled(now);
        }
        Err(failure @ Failure::Unavailable(_)) => {
            let message = "lab tests are not set up correctly; check lab.* in the configuration, and run `site-audit lab check` where the provider is lighthouse";
            tracing::error!(%failure, "{message}");
            breaker.refused(now);
        }
    }
}

#[cfg(test)]
mod tests {
    use model::id::Owner;

    use super::*;
    use crate::job::Lane;
    use crate::lab_tests::tests::{audited, begun};
    use crate::testing::service_on;

    #[test]
    fn a_measurement_is_cut_off_after_the_providers_time_and_within_that_of_the_job() {
        assert_eq!(CUT_OFF.as_secs(), 125);
        assert!(TEST_TIME < CUT_OFF && CUT_OFF < Lane::Lab.job_time());
    }

    #[tokio::test]
    async fn what_scripts_changed_is_told_where_the_operator_wants_it_while_the_test_runs() {
        let owner = Owner::parse("account:a").unwrap();
        for (is_wanted, run, is_told) in [(true, None, true), (true, Some("another run"), false), (false, None, false)]
        {
            let test = service_on(|config| config.lab.rendered = is_wanted).await;
            let begun = begun(&test, &owner, &audited(&test, &owner).await).await;
            let page = RenderedPage { url: "https://example.com/".to_owned(), html: "<title>B</title><p>b".to_owned() };
            let told = rendered(&test.services, run.unwrap_or(&begun), Some(page)).await.unwrap();
            assert_eq!(told.is_some(), is_told, "{is_wanted} {run:?}");
        }
    }
}
