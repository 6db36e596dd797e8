use model::time::{DAY_MS, Day};
use store::{DailySpend, HourlySpend, Store};

use crate::sample::{NOW, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    fifty_callers_share_one_free_audit,
    fifty_callers_share_ten_an_hour,
    days_networks_and_products_are_counted_apart,
    a_release_gives_back_what_was_spent_and_no_more,
    a_limit_of_zero_grants_nothing,
    hourly_uses_come_back_one_by_one,
    a_clock_set_back_locks_nobody_out,
    old_counters_are_purged,
}

const TODAY: Day = Day(20_484);

async fn daily(store: &Store, limit: u32) -> DailySpend {
    store.spend_daily("net", "audit", TODAY, limit).await.unwrap()
}

async fn fifty_callers_share_one_free_audit(database: TestDatabase) {
    let store = opened(&database).await;
    for _ in 0..9 {
        daily(&store, 10).await;
    }
    let callers: Vec<_> = (0..50)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { daily(&store, 10).await })
        })
        .collect();
    let mut granted = Vec::new();
    for caller in callers {
        granted.extend(Some(caller.await.unwrap()).filter(|spend| *spend != DailySpend::Exhausted));
    }
    assert_eq!(granted, [DailySpend::Granted { remaining: 0 }]);
    assert_eq!(store.daily_used("net", "audit", TODAY).await.unwrap(), 10);
}

async fn fifty_callers_share_ten_an_hour(database: TestDatabase) {
    let store = opened(&database).await;
    let callers: Vec<_> = (0..50)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { store.spend_hourly("net", NOW, 10).await.unwrap() })
        })
        .collect();
    let mut granted = 0;
    for caller in callers {
        match caller.await.unwrap() {
            HourlySpend::Granted => granted += 1,
            HourlySpend::Refused { retry_after_s } => assert_eq!(retry_after_s, 360),
        }
    }
    assert_eq!(granted, 10);
}

async fn days_networks_and_products_are_counted_apart(database: TestDatabase) {
    let store = opened(&database).await;
    for (network, sku, day) in
        [("net", "audit", TODAY), ("other", "audit", TODAY), ("net", "tab", TODAY), ("net", "audit", Day(TODAY.0 + 1))]
    {
        assert_eq!(store.daily_used(network, sku, day).await.unwrap(), 0);
        let spend = store.spend_daily(network, sku, day, 3).await.unwrap();
        assert_eq!(spend, DailySpend::Granted { remaining: 2 });
        assert_eq!(store.daily_used(network, sku, day).await.unwrap(), 1);
    }
}

async fn a_release_gives_back_what_was_spent_and_no_more(database: TestDatabase) {
    let store = opened(&database).await;
    store.release_daily("net", "audit", TODAY).await.unwrap();
    assert_eq!(daily(&store, 1).await, DailySpend::Granted { remaining: 0 });
    assert_eq!(daily(&store, 1).await, DailySpend::Exhausted);
    store.release_daily("net", "audit", TODAY).await.unwrap();
    store.release_daily("net", "audit", TODAY).await.unwrap();
    assert_eq!(store.daily_used("net", "audit", TODAY).await.unwrap(), 0);
    assert_eq!(daily(&store, 1).await, DailySpend::Granted { remaining: 0 });

    assert_eq!(store.spend_hourly("net", NOW, 1).await.unwrap(), HourlySpend::Granted);
    store.release_hourly("net", 1).await.unwrap();
    // Once more than was spent: a budget is never larger than full.
    store.release_hourly("net", 1).await.unwrap();
    assert_eq!(store.spend_hourly("net", NOW, 1).await.unwrap(), HourlySpend::Granted);
    assert_ne!(store.spend_hourly("net", NOW, 1).await.unwrap(), HourlySpend::Granted);
}

async fn a_limit_of_zero_grants_nothing(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(daily(&store, 0).await, DailySpend::Exhausted);
    let refused = HourlySpend::Refused { retry_after_s: 3600 };
    assert_eq!(store.spend_hourly("net", NOW, 0).await.unwrap(), refused);
    assert_eq!(store.hourly_wait("net", NOW, 0).await.unwrap(), Some(3600));
    store.release_hourly("net", 0).await.unwrap();
}

async fn hourly_uses_come_back_one_by_one(database: TestDatabase) {
    let store = opened(&database).await;
    let minutes = |minutes: i64| NOW.plus_ms(minutes * 60_000);
    // Three an hour: one comes back every 20 minutes.
    for (at, expected) in [
        (minutes(0), HourlySpend::Granted),
        (minutes(0), HourlySpend::Granted),
        (minutes(1), HourlySpend::Granted),
        (minutes(1), HourlySpend::Refused { retry_after_s: 19 * 60 }),
        (minutes(20), HourlySpend::Granted),
        (minutes(20), HourlySpend::Refused { retry_after_s: 20 * 60 }),
        (minutes(600), HourlySpend::Granted),
        (minutes(600), HourlySpend::Granted),
        (minutes(600), HourlySpend::Granted),
        (minutes(600), HourlySpend::Refused { retry_after_s: 20 * 60 }),
    ] {
        let wait = match expected {
            HourlySpend::Granted => None,
            HourlySpend::Refused { retry_after_s } => Some(retry_after_s),
        };
        assert_eq!(store.hourly_wait("net", at, 3).await.unwrap(), wait, "{at}");
        assert_eq!(store.spend_hourly("net", at, 3).await.unwrap(), expected, "{at}");
    }
    assert_eq!(store.spend_hourly("other", minutes(600), 3).await.unwrap(), HourlySpend::Granted);
}

async fn a_clock_set_back_locks_nobody_out(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(store.spend_hourly("net", NOW, 1).await.unwrap(), HourlySpend::Granted);
    let yesterday = NOW.plus_ms(-26 * 3_600_000);
    assert_eq!(store.hourly_wait("net", yesterday, 1).await.unwrap(), None);
    assert_eq!(store.spend_hourly("net", yesterday, 1).await.unwrap(), HourlySpend::Granted);
    assert_eq!(store.spend_hourly("net", yesterday, 1).await.unwrap(), HourlySpend::Refused { retry_after_s: 3600 });
}

async fn old_counters_are_purged(database: TestDatabase) {
    let store = opened(&database).await;
    let today = NOW.day();
    for day in [Day(today.0 - 1), today] {
        store.spend_daily("net", "audit", day, 10).await.unwrap();
    }
    store.spend_hourly("past", NOW.plus_ms(-DAY_MS), 10).await.unwrap();
    store.spend_hourly("present", NOW, 1).await.unwrap();
    assert_eq!(store.purge_counters(NOW).await.unwrap(), 2);
    assert_eq!(store.purge_counters(NOW).await.unwrap(), 0);
    assert_eq!(store.daily_used("net", "audit", today).await.unwrap(), 1);
    assert_ne!(store.spend_hourly("present", NOW, 1).await.unwrap(), HourlySpend::Granted);
}
