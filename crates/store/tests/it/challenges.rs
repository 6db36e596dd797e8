//! Challenges of human verification that were solved.

use testkit::TestDatabase;

use crate::sample::{NOW, opened};

testkit::on_both_databases! {
    of_several_servers_one_takes_a_challenge,
    an_expired_challenge_is_purged,
}

async fn of_several_servers_one_takes_a_challenge(database: TestDatabase) {
    let (one, other) = (opened(&database).await, opened(&database).await);
    let (first, second) = tokio::join!(one.use_challenge(&[1; 32], NOW), other.use_challenge(&[1; 32], NOW));
    assert!(first.unwrap() ^ second.unwrap());
    assert!(!one.use_challenge(&[1; 32], NOW).await.unwrap());
    assert!(other.use_challenge(&[2; 32], NOW).await.unwrap());
}

async fn an_expired_challenge_is_purged(database: TestDatabase) {
    let store = opened(&database).await;
    for (digest, expires_at) in [([1; 32], NOW), ([2; 32], NOW.plus_ms(1))] {
        assert!(store.use_challenge(&digest, expires_at).await.unwrap());
    }
    assert_eq!(store.purge_used_challenges(NOW).await.unwrap(), 1);
    assert!(store.use_challenge(&[1; 32], NOW).await.unwrap());
    assert!(!store.use_challenge(&[2; 32], NOW).await.unwrap());
}
