//! Reads of lab tests over a whole database.

use audit::supplied::Supplied;
use model::id::OrganizationId;
use model::lang::Lang;
use store::NewAudit;

use super::*;
use crate::testing::{NOW, TestService, service_on};

/// Stores an audit of a page.
pub(crate) async fn audited(test: &TestService, owner: &Owner) -> AuditId {
    const URL: &str = "https://example.com/";
    let page = Supplied::page(URL.parse().unwrap(), b"<title>A</title><p>a".to_vec());
    let report = audit::report(&page.capture(NOW));
    let (store, id) = (test.services.database().store(), AuditId(test.services.ports().id()));
    let new = NewAudit {
        id: id.clone(),
        owner: Some(owner.clone()),
        withheld: None,
        requested_url: URL,
        created_at: NOW,
        report: &store.pack(&report).unwrap(),
    };
    store.insert_audit(new).await.unwrap();
    id
}

/// Begins a lab test of an audit; its run.
pub(crate) async fn begun(test: &TestService, owner: &Owner, audit: &AuditId) -> String {
    let (ports, run) = (test.services.ports(), test.services.ports().id());
    let new = NewLabTest {
        job: Job::RunLab { run: run.clone(), lang: Lang::En }.queued(ports, None),
        run: run.clone(),
        audit: audit.clone(),
        owner: owner.clone(),
        record: LabRecord::of(outcome::running(Strategy::Mobile, NOW, None)),
        started_at: NOW,
        limits: LabLimits { at_once: 4, per_day: 500, per_hour: 6, bucket: "a bucket".to_owned() },
    };
    test.services.database().store().begin_lab(new).await.unwrap();
    run
}

/// Returns once a caller waits for the end of a test.
async fn somebody_waits(test: &TestService) {
    while test.services.lab().waiting() == 0 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn a_read_waits_only_while_a_test_runs() {
    let test = service_on(|_| {}).await;
    let owner = Owner::parse("account:a").unwrap();
    let (cx, audit) = (test.nobody(), audited(&test, &owner).await);
    tokio::select! {
        biased;
        stored = read(&cx, &owner, audit.0.clone(), MOST_WAIT) => assert_eq!(stored.unwrap(), StoredLab::default()),
        () = somebody_waits(&test) => panic!("there is no test to wait for"),
    }
    let run = begun(&test, &owner, &audit).await;
    let (store, waiting) = (test.services.database().store(), &test.services.lab().waiting);
    let end = async {
        somebody_waits(&test).await;
        let running = store.running_lab(&run).await.unwrap().unwrap();
        let failed = outcome::failed(running.test, &lab::failure::Failure::Trouble("cut_off"));
        assert!(store.end_lab(&run, &LabRecord::of(failed), None, NOW).await.unwrap());
        waiting.look(test.services.database()).await;
    };
    let (stored, ()) = tokio::join!(read(&cx, &owner, audit.0.clone(), MOST_WAIT), end);
    let stored = stored.unwrap();
    assert!(stored.running.is_empty() && stored.tests.of(Strategy::Mobile).is_some_and(|test| !test.is_running()));
}

#[tokio::test]
async fn an_organization_that_requires_a_second_factor_shows_its_tests_to_members_who_have_one() {
    let test = service_on(|_| {}).await;
    let account = test.account("ana@example.com").await;
    let sql = format!(
        "INSERT INTO organizations (id, name, requires_second_factor, created_at) VALUES ('a team', 'Team', 1, 0); \
         INSERT INTO members (organization_id, account_id, role, created_at) VALUES ('a team', '{}', 'member', 0)",
        account.id
    );
    test.database.execute(&sql).await;
    let audit = audited(&test, &Owner::Organization(OrganizationId("a team".to_owned()))).await;
    for (assurance, refused) in [(Assurance::Aal1, Some(Code::AuditNotFound)), (Assurance::Aal2, None)] {
        let cx = test.signed_in(&account, assurance).await;
        let found = read(&cx, &Owner::Account(account.id.clone()), audit.0.clone(), Duration::ZERO).await;
        assert_eq!(found.err().map(|error| error.code), refused, "{assurance:?}");
    }
}
