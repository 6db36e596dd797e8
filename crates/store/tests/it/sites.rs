//! Runs over sites: what pays their pages.

use model::money::Micros;
use store::{NewJob, NewSiteRun, SiteAllowance, SiteCommit, SiteCommitted, SitePays, SiteRunLimits, Store};
use testkit::TestDatabase;

use crate::sample::{NOW, guest, opened};

testkit::on_both_databases! {
    pages_are_free_audits_until_the_day_of_a_network_or_of_the_wider_one_is_spent,
}

/// Begins a run whose pages only free audits of `network` pay.
async fn begin(store: &Store, run: &str, network: &str) {
    let pays = SitePays {
        price: Micros(10_000),
        most: None,
        credit: None,
        networks: Some((network.to_owned(), "wide".to_owned())),
        day: NOW.day(),
    };
    let job = NewJob {
        id: run.to_owned(),
        lane: "sites",
        unique_key: None,
        payload: String::new(),
        run_at: NOW,
        created_at: NOW,
        traceparent: None,
    };
    let new = NewSiteRun {
        id: run.to_owned(),
        owner: guest("g"),
        url: "https://example.org/".to_owned(),
        target: None,
        options: "{}".to_owned(),
        created_at: NOW,
        program: String::new(),
        watch: None,
        trial: None,
        pays: Some(pays),
        job,
        limits: SiteRunLimits { of_owner: 10, of_all: 10, of_target: 10, per_hour: None },
    };
    store.begin_site(new).await.unwrap();
}

/// Commits a page of a run, with so many free audits a day for its network, and three for the wider one.
async fn commit(store: &Store, run: &str, place: i64, per_day: u32) -> SiteCommitted {
    let allowance = SiteAllowance { per_day, wide_per_day: 3 };
    let page = SiteCommit { place, is_audited: true, is_failed: false, found: 9, allowance };
    store.commit_site_page(run, page, NOW).await.unwrap()
}

async fn pages_are_free_audits_until_the_day_of_a_network_or_of_the_wider_one_is_spent(database: TestDatabase) {
    let store = opened(&database).await;
    let used = async |network| store.daily_used(network, "audit", NOW.day()).await.unwrap();
    let unpaid = SiteCommitted::Unpaid("allowance_spent");
    begin(&store, "first", "net").await;
    assert_eq!(commit(&store, "first", 0, 0).await, unpaid);
    assert_eq!(commit(&store, "first", 0, 2).await, SiteCommitted::Kept);
    assert_eq!(commit(&store, "first", 1, 2).await, SiteCommitted::Kept);
    assert_eq!(commit(&store, "first", 2, 2).await, unpaid);
    assert_eq!((used("net").await, used("wide").await), (2, 2));
    // The wider network has one left, and its neighbour two.
    begin(&store, "second", "neighbour").await;
    assert_eq!(commit(&store, "second", 0, 2).await, SiteCommitted::Kept);
    assert_eq!(commit(&store, "second", 1, 2).await, unpaid);
    assert_eq!((used("neighbour").await, used("wide").await), (1, 3));
    store.close().await;
}
