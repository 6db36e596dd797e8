//! Runs of a watch over a whole database, and what calls for an alert.

use model::change::Changed;
use model::id::Owner;
use model::time::DAY_MS;
use testkit::{SiteAnswer, TestSite};

use super::*;
use crate::counting::kind;
use crate::job::Job;
use crate::testing::{NOW, TestService, service_on};

/// The watched tab of all these tests.
const TAB: &str = "0192f0c1-2345-7abc-8def-0123456789ab";

#[test]
fn an_alert_is_for_what_got_worse_and_never_for_a_note_or_for_better() {
    let change = |score, broke: &[Severity]| Change {
        score,
        from: None,
        to: None,
        broke: broke
            .iter()
            .map(|severity| Changed { code: "c".to_owned(), severity: *severity, message: String::new() })
            .collect(),
        fixed: Vec::new(),
        revealed: Vec::new(),
    };
    for (score, broke, alerts) in [
        (Some(0), &[][..], false),
        (Some(8), &[], false),
        (Some(-1), &[], true),
        (Some(0), &[Severity::Info], false),
        (None, &[Severity::Info], false),
        (Some(0), &[Severity::Info, Severity::Warn], true),
        (Some(0), &[Severity::Error], true),
        (Some(18), &[Severity::Warn], true),
    ] {
        assert_eq!(got_worse(&change(score, broke)), alerts, "{score:?} {broke:?}");
    }
}

/// A page that answers with this status and header.
async fn page_with(status: u16, header: &'static str) -> TestSite {
    let head = format!("HTTP/1.1 {status} X\r\n{header}\r\ncontent-type: text/html\r\ncontent-length: 3\r\n\r\n");
    TestSite::start(move |_| SiteAnswer::Raw(format!("{head}<p>").into_bytes())).await
}

#[tokio::test]
async fn a_page_that_limits_our_requests_counts_as_unreachable_and_a_firewall_is_told_as_one() {
    let test = service_on(|_| {}).await;
    for (status, header, is_unreachable) in [(429, "retry-after: 60", true), (403, "cf-mitigated: challenge", false)] {
        let site = page_with(status, header).await;
        let watched = WatchedTab {
            owner: Owner::parse("account:a").unwrap(),
            url: site.url("/"),
            alias: None,
            alert_email: None,
            account_email: None,
            locale: None,
        };
        let early = Box::pin(look(&test.services, &watched, NOW, false)).await;
        assert!(matches!(early, Err(Unfinished::Later(_))), "{status}");
        let Ok(found) = Box::pin(look(&test.services, &watched, NOW, true)).await else { panic!("{status}") };
        assert_eq!((found.failed, found.report.score, found.report.summary.is_none()), (true, 0, true), "{status}");
        let codes: Vec<&str> = found.report.findings.iter().map(|finding| &*finding.code).collect();
        assert_eq!(codes.contains(&"page_unreachable"), is_unreachable, "{status}: {codes:?}");
    }
}

/// A tab that watches a page, and audits that were counted after a run of it an hour late.
async fn audits_counted_after_a_run(test: &TestService, site: &TestSite) -> u64 {
    let (services, store) = (&test.services, test.services.database().store());
    let insert = format!(
        "INSERT INTO tabs (id, owner, url, created_at, monitor, watch_at, alert_agreed) \
         VALUES ('{TAB}', 'account:a', '{}', 0, 1, 0, 0)",
        site.url("/")
    );
    test.database.execute(&insert).await;
    let tab = TabId(TAB.to_owned());
    let job = Job::RunWatch { tab: tab.clone(), day: NOW.day().0 };
    store.enqueue(job.queued(services.ports(), None)).await.unwrap();
    let mut claimed = store.claim_job("audit", NOW, NOW.plus_ms(DAY_MS)).await.unwrap().unwrap();
    claimed.created_at = claimed.created_at.plus_ms(-PATIENCE_MS);
    let ending = Box::pin(run(services, &claimed, &tab, NOW.day().0)).await;
    assert!(matches!(ending, Ok(Ending::Written)), "{ending:?}");
    services.counter().flush(services.database(), services.ports()).await.unwrap();
    let counts = store.day_counts(NOW.day(), NOW.day(), kind::EVENT).await.unwrap();
    counts.iter().filter(|counted| counted.name == "audit").map(|counted| counted.n).sum()
}

#[tokio::test]
async fn only_a_run_that_reached_its_page_counts_as_an_audit() {
    for (site, count) in
        [(TestSite::start(|_| SiteAnswer::html("<p>a")).await, 1), (page_with(429, "retry-after: 60").await, 0)]
    {
        let test = service_on(|_| {}).await;
        assert_eq!(audits_counted_after_a_run(&test, &site).await, count);
    }
}
