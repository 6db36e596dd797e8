//! Throttles of failures, by themselves.

use store::{Attempted, Throttle};
use testkit::TestDatabase;

use crate::sample::{NOW, opened};

testkit::on_both_databases! {
    a_key_is_blocked_until_its_wait_is_over_or_its_attempt_is_taken_back,
    a_clock_set_back_blocks_nobody_who_had_failures_left,
}

const HOUR_MS: i64 = 3_600_000;

/// Two failures are free of a wait: the second blocks for a second.
const THROTTLE: Throttle =
    Throttle { scope: "account", free: 2, window_ms: 24 * HOUR_MS, first_wait_ms: 1_000, last_wait_ms: HOUR_MS };

const KEYS: [(Throttle, [u8; 32]); 2] = [(Throttle { scope: "network", ..THROTTLE }, [1; 32]), (THROTTLE, [2; 32])];

async fn a_key_is_blocked_until_its_wait_is_over_or_its_attempt_is_taken_back(database: TestDatabase) {
    let store = opened(&database).await;
    let blocked_until = |at| store.blocked_until(THROTTLE, &[2; 32], at);
    assert_eq!(store.begin_attempt(KEYS, NOW).await.unwrap(), Attempted::Counted([1, 1]));
    assert_eq!(blocked_until(NOW).await.unwrap(), None);
    assert_eq!(store.begin_attempt(KEYS, NOW).await.unwrap(), Attempted::Counted([2, 2]));
    let until = NOW.plus_ms(1_000);
    assert_eq!(blocked_until(NOW.plus_ms(999)).await.unwrap(), Some(until));
    assert_eq!(blocked_until(until).await.unwrap(), None);
    assert_eq!(store.blocked_until(THROTTLE, &[3; 32], NOW).await.unwrap(), None);
    let blocked = Attempted::Blocked { scope: "network", until };
    assert_eq!(store.begin_attempt(KEYS, NOW).await.unwrap(), blocked);

    store.take_back_attempt(KEYS).await.unwrap();
    assert_eq!(blocked_until(NOW).await.unwrap(), None);
    assert_eq!(store.begin_attempt(KEYS, NOW).await.unwrap(), Attempted::Counted([2, 2]));
    store.close().await;
}

async fn a_clock_set_back_blocks_nobody_who_had_failures_left(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(store.begin_attempt(KEYS, NOW).await.unwrap(), Attempted::Counted([1, 1]));
    let earlier = NOW.plus_ms(-HOUR_MS);
    assert_eq!(store.begin_attempt(KEYS, earlier).await.unwrap(), Attempted::Counted([2, 2]));
    store.close().await;
}
