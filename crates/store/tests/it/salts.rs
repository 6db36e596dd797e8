//! Salts of days.

use model::time::Day;
use testkit::TestDatabase;

use crate::sample::opened;

testkit::on_both_databases! {
    all_servers_agree_on_the_salt_of_a_day,
    a_forgotten_salt_is_gone,
}

async fn all_servers_agree_on_the_salt_of_a_day(database: TestDatabase) {
    let (one, other) = (opened(&database).await, opened(&database).await);
    let (first, second) = ([1; 32], [2; 32]);
    let (a, b) = tokio::join!(one.daily_salt(Day(7), &first), other.daily_salt(Day(7), &second));
    let (a, b) = (a.unwrap(), b.unwrap());
    assert_eq!(a, b);
    assert!(a == first || a == second);
    assert_eq!(one.daily_salt(Day(7), &[3; 32]).await.unwrap(), a);
    assert_eq!(one.daily_salt(Day(8), &[3; 32]).await.unwrap(), [3; 32]);
}

async fn a_forgotten_salt_is_gone(database: TestDatabase) {
    let store = opened(&database).await;
    store.daily_salt(Day(7), &[1; 32]).await.unwrap();
    store.daily_salt(Day(8), &[2; 32]).await.unwrap();
    assert_eq!(store.forget_salts(Day(8)).await.unwrap(), 1);
    assert_eq!(store.daily_salt(Day(7), &[3; 32]).await.unwrap(), [3; 32]);
    assert_eq!(store.daily_salt(Day(8), &[3; 32]).await.unwrap(), [2; 32]);
}
