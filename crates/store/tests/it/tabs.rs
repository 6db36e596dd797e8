use std::sync::Arc;

use model::id::{AccountId, Owner, TabId};
use model::tab::Tab;
use model::time::{DAY_MS, Timestamp};
use store::{
    Alert, Changing, DueWatch, JobState, LinkPurpose, NewJob, NewTab, Opening, Store, StoreError, TabChange, WatchRun,
};
use testkit::TestDatabase;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

use crate::sample::{NOW, audit_id, insert, opened, report};

testkit::on_both_databases! {
    limits_hold_however_many_servers_come_at_once,
    a_tab_shows_the_newest_run_of_its_page,
    the_run_before_an_audit_has_a_score_and_the_same_owner_and_page,
    a_run_of_a_job_that_another_took_over_is_not_kept,
    a_watch_is_queued_once_and_then_due_the_next_day,
    a_link_works_as_long_as_it_says,
}

const MINUTE_MS: i64 = 60_000;

fn ana() -> Owner {
    Owner::Account(AccountId("ana".to_owned()))
}

fn new_tab(id: &str, url: &str) -> NewTab {
    NewTab { id: TabId(id.to_owned()), owner: ana(), url: url.to_owned(), alias: None, withheld: None, created_at: NOW }
}

async fn open(store: &Store, id: &str, url: &str) -> Tab {
    match store.open_tab(new_tab(id, url), 20).await.unwrap() {
        Opening::New(tab) => tab,
        other => panic!("{other:?}"),
    }
}

async fn watch(store: &Store, id: &str, at: Timestamp, most: u32) -> Changing {
    let change = TabChange { watch: Some(Some(at)), ..TabChange::default() };
    store.change_tab(&ana(), &TabId(id.to_owned()), change, most).await.unwrap()
}

fn job(id: &str, lane: &'static str) -> NewJob {
    let payload = id.to_owned();
    NewJob { id: id.to_owned(), lane, unique_key: None, payload, run_at: NOW, created_at: NOW, traceparent: None }
}

/// Does `work` as often as `TIMES` at once, on servers of their own.
async fn at_once<T: Send + 'static, F: Future<Output = T> + Send + 'static>(
    database: &TestDatabase,
    work: impl Fn(Store, usize) -> F,
) -> Vec<T> {
    const TIMES: usize = 20;
    const SERVERS: usize = 2;
    let mut servers = Vec::new();
    for _ in 0..SERVERS {
        servers.push(Store::open(database.url()).await.unwrap());
    }
    let barrier = Arc::new(Barrier::new(TIMES));
    let mut tasks = JoinSet::new();
    for number in 0..TIMES {
        let (work, barrier) = (work(servers.get(number % SERVERS).unwrap().clone(), number), Arc::clone(&barrier));
        tasks.spawn(async move {
            barrier.wait().await;
            work.await
        });
    }
    tasks.join_all().await
}

async fn limits_hold_however_many_servers_come_at_once(database: TestDatabase) {
    let store = opened(&database).await;
    let opened = at_once(&database, |store, number| async move {
        let url = format!("https://example.org/{number}");
        store.open_tab(new_tab(&number.to_string(), &url), 7).await.unwrap()
    })
    .await;
    assert_eq!(opened.iter().filter(|opening| matches!(opening, Opening::New(_))).count(), 7);
    let tabs = store.tabs_of(&ana()).await.unwrap();
    assert_eq!((tabs.len(), tabs.iter().filter(|tab| tab.active).count()), (7, 1));
    let same = at_once(&database, |store, number| async move {
        store.open_tab(new_tab(&format!("same-{number}"), "https://example.org/same"), 20).await.unwrap()
    })
    .await;
    assert_eq!(same.iter().filter(|opening| matches!(opening, Opening::New(_))).count(), 1);
    assert_eq!(store.count_tabs(&ana()).await.unwrap(), 8);

    let ids: Vec<String> = tabs.into_iter().map(|tab| tab.id).collect();
    let ids = Arc::new(ids);
    let watched = at_once(&database, |store, number| {
        let id = ids.get(number % ids.len()).unwrap().clone();
        async move { watch(&store, &id, NOW, 3).await }
    })
    .await;
    assert!(watched.contains(&Changing::TooManyWatched));
    let watched = store.tabs_of(&ana()).await.unwrap().iter().filter(|tab| tab.monitor).count();
    assert_eq!(watched, 3);
}

async fn a_tab_shows_the_newest_run_of_its_page(database: TestDatabase) {
    let store = opened(&database).await;
    let url = "https://example.org/%00x";
    open(&store, "t", url).await;
    for (id, owner, at) in [("b", ana(), 1), ("c", ana(), 2), ("a", ana(), 2), ("d", crate::sample::guest("other"), 3)]
    {
        // The sample asks for `example.org/` and NUL, which is kept escaped.
        insert(&store, id, Some(owner), NOW.plus_ms(at)).await.unwrap();
    }
    database.execute("UPDATE audits SET requested_url = 'https://' || requested_url").await;
    let tab = store.tab_of(&ana(), &TabId("t".to_owned())).await.unwrap();
    assert_eq!((tab.audit_id.as_deref(), tab.score), (Some("c"), Some(74)));
    let runs: Vec<String> = store.runs_of(&ana(), url, 2).await.unwrap().into_iter().map(|run| run.id.0).collect();
    assert_eq!(runs, ["c", "a"]);
    assert_eq!(store.newest_audit_of(&ana(), url).await.unwrap().unwrap().id, audit_id("c"));
    assert_eq!(store.newest_audit_of(&ana(), "https://example.org/y").await.unwrap(), None);
}

async fn the_run_before_an_audit_has_a_score_and_the_same_owner_and_page(database: TestDatabase) {
    let store = opened(&database).await;
    let other = crate::sample::guest("other");
    for (id, owner, at) in [("a", ana(), 1), ("f", ana(), 2), ("b", ana(), 3), ("c", ana(), 3), ("d", other, 2)] {
        insert(&store, id, Some(owner), NOW.plus_ms(at)).await.unwrap();
    }
    database.execute(&format!("UPDATE audits SET failed = 1 WHERE id = '{}'", audit_id("f").0)).await;
    let before = async |id: &str| {
        let audit = store.audit_of(&ana(), &audit_id(id)).await.unwrap();
        store.run_before(&ana(), &audit).await.unwrap().map(|run| run.id)
    };
    assert_eq!(before("c").await, Some(audit_id("b")));
    assert_eq!(before("b").await, Some(audit_id("a")));
    assert_eq!(before("a").await, None);
    database.execute(&format!("UPDATE audits SET requested_url = 'x' WHERE id = '{}'", audit_id("b").0)).await;
    assert_eq!(before("c").await, Some(audit_id("a")));
}

fn run(lease: &store::JobLease, store: &Store, alert: bool) -> WatchRun {
    WatchRun {
        lease: lease.clone(),
        tab: TabId("t".to_owned()),
        owner: ana(),
        url: "https://example.org/".to_owned(),
        audit: audit_id(if alert { "second" } else { "first" }),
        created_at: NOW,
        report: store.pack(&report()).unwrap(),
        failed: false,
        now: NOW,
        announcement: None,
        alert: alert.then(|| Alert {
            mail: job("alert", "mail"),
            token_digest: [7; 32],
            email: None,
            expires_at: NOW.plus_ms(DAY_MS),
        }),
    }
}

async fn a_run_of_a_job_that_another_took_over_is_not_kept(database: TestDatabase) {
    let store = opened(&database).await;
    open(&store, "t", "https://example.org/").await;
    store.enqueue(job("watch", "audit")).await.unwrap();
    let claim = async |now: Timestamp| store.claim_job("audit", now, now.plus_ms(MINUTE_MS)).await.unwrap().unwrap();
    let slept = claim(NOW).await;
    let took_over = claim(NOW.plus_ms(MINUTE_MS)).await;
    assert!(!store.keep_watch_run(run(&slept.lease, &store, false)).await.unwrap());
    assert!(store.runs_of(&ana(), "https://example.org/", 9).await.unwrap().is_empty());
    assert!(store.keep_watch_run(run(&took_over.lease, &store, true)).await.unwrap());
    assert!(!store.keep_watch_run(run(&took_over.lease, &store, false)).await.unwrap());
    assert!(!store.keep_watch_run(run(&slept.lease, &store, false)).await.unwrap());
    assert_eq!(store.runs_of(&ana(), "https://example.org/", 9).await.unwrap().len(), 1);
    assert_eq!(store.jobs(JobState::Waiting, 9).await.unwrap().len(), 1);
    let tab = store.tab_of(&ana(), &TabId("t".to_owned())).await.unwrap();
    assert_eq!(tab.monitor_checked_at, Some(NOW));
}

async fn a_watch_is_queued_once_and_then_due_the_next_day(database: TestDatabase) {
    let store = opened(&database).await;
    open(&store, "t", "https://example.org/").await;
    watch(&store, "t", NOW, 1).await;
    assert_eq!(store.due_watches(NOW.plus_ms(-1), 9).await.unwrap(), []);
    let due = store.due_watches(NOW, 9).await.unwrap();
    let [one] = due.as_slice() else { panic!("{due:?}") };
    let (next, one) = (NOW.plus_ms(DAY_MS), one.clone());
    let keyed = |id: &str, key: &str| NewJob { unique_key: Some(key.to_owned()), ..job(id, "audit") };
    let queued = at_once(&database, |store, number| {
        let (one, job) = (one.clone(), keyed(&number.to_string(), "watch:t:1"));
        async move { store.queue_watch(one, next, job).await.unwrap() }
    })
    .await;
    assert_eq!(queued.iter().filter(|queued| **queued).count(), 1);
    assert_eq!(store.due_watches(NOW, 9).await.unwrap(), []);
    // The clock was set back: what is due in more than two days is due now, and the day's job is known already.
    assert_eq!(store.due_watches(NOW.plus_ms(-DAY_MS), 9).await.unwrap(), []);
    let due = store.due_watches(NOW.plus_ms(-DAY_MS - 1), 9).await.unwrap();
    assert_eq!(due, [DueWatch { tab: TabId("t".to_owned()), watch_at: next }]);
    let [one] = due.as_slice() else { panic!("{due:?}") };
    assert!(!store.queue_watch(one.clone(), NOW, keyed("again", "watch:t:1")).await.unwrap());
}

async fn a_link_works_as_long_as_it_says(database: TestDatabase) {
    let store = opened(&database).await;
    open(&store, "t", "https://example.org/").await;
    watch(&store, "t", NOW, 1).await;
    store.enqueue(job("watch", "audit")).await.unwrap();
    let claimed = store.claim_job("audit", NOW, NOW.plus_ms(1)).await.unwrap().unwrap();
    assert!(store.keep_watch_run(run(&claimed.lease, &store, true)).await.unwrap());
    let link = async |purpose, now| store.watch_link(&[7; 32], purpose, now).await;
    assert_eq!(link(LinkPurpose::Stop, NOW).await.unwrap().url, "https://example.org/");
    for (purpose, now) in [(LinkPurpose::Agree, NOW), (LinkPurpose::Stop, NOW.plus_ms(DAY_MS))] {
        assert!(matches!(link(purpose, now).await, Err(StoreError::NotFound { .. })));
    }
    assert_eq!(store.purge_watch_links(NOW, 9).await.unwrap(), 0);
    assert_eq!(store.purge_watch_links(NOW.plus_ms(DAY_MS), 9).await.unwrap(), 1);
    // A tab that is closed takes its links along.
    store.close_tab(&ana(), &TabId("t".to_owned())).await.unwrap();
    assert!(matches!(store.close_tab(&ana(), &TabId("t".to_owned())).await, Err(StoreError::NotFound { .. })));
}
