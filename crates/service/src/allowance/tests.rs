//! Allowances over a whole database, and without one.

use model::time::DAY_MS;

use super::free_audits::Free;
use super::keys::Salt;
use super::uses::part;
use crate::error::Code;
use crate::testing::{NOW, network, service_on};

#[tokio::test]
async fn all_servers_have_one_salt_a_day_and_another_the_next_day() {
    let test = service_on(|_| {}).await;
    let (database, ports, store) = (test.services.database(), test.services.ports(), test.services.database().store());
    let (salt, other_server) = (Salt::default(), Salt::default());
    let today = NOW.day();
    let of_today = salt.of(database, ports, today).await.unwrap();
    assert_eq!(store.salt_of(today).await.unwrap(), Some(of_today));
    assert_eq!(salt.of(database, ports, today).await.unwrap(), of_today);
    assert_eq!(other_server.of(database, ports, today).await.unwrap(), of_today);
    test.clock.pass(DAY_MS);
    let tomorrow = ports.now().day();
    let of_tomorrow = salt.of(database, ports, tomorrow).await.unwrap();
    assert_ne!(of_tomorrow, of_today);
    assert_eq!(store.salt_of(tomorrow).await.unwrap(), Some(of_tomorrow));
    // Kept for the day: the database is not asked again.
    test.database.execute("DELETE FROM daily_salts").await;
    assert_eq!(salt.of(database, ports, tomorrow).await.unwrap(), of_tomorrow);
}

#[tokio::test]
async fn in_an_outage_each_network_has_a_quarter_of_its_own() {
    let test = service_on(|config| {
        (config.limits.audits_per_hour, config.limits.free_audits_per_day) = (8, 4);
    })
    .await;
    test.lose_database().await;
    let (allowance, database, ports) = (test.services.allowance(), test.services.database(), test.services.ports());
    let spend = |last, free| allowance.spend_audit(database, ports, network(last), free);
    let first = spend(7, Free::Counted).await.unwrap();
    assert_eq!((first.free, first.free_remaining), (true, Some(0)));
    let second = spend(7, Free::Counted).await.unwrap();
    assert_eq!((second.free, second.free_remaining), (false, Some(0)));
    let refused = spend(7, Free::Counted).await.unwrap_err();
    assert_eq!((refused.code, refused.retry_after), (Code::RateLimited, Some(1_800)));
    // Another network has its own, and what is free for now has no count of the day.
    let other = spend(8, Free::Counted).await.unwrap();
    assert_eq!((other.free, other.free_remaining), (true, Some(0)));
    let for_now = spend(8, Free::ForNow).await.unwrap();
    assert_eq!((for_now.free, for_now.free_remaining), (false, None));
    // An audit that failed gives back its hour and its day.
    allowance.release(database, other).await;
    let again = spend(8, Free::Counted).await.unwrap();
    assert_eq!((again.free, again.free_remaining), (true, Some(0)));
    // A quarter of the hour is spent evenly over the hour: here one in half of it.
    test.clock.pass(1_800_000);
    assert!(spend(7, Free::Counted).await.is_ok());
    assert!(spend(7, Free::Counted).await.is_err());
}

#[test]
fn a_process_grants_a_quarter_of_a_limit_and_at_least_one() {
    for (limit, granted) in [(0, 0), (1, 1), (3, 1), (8, 2), (300, 75)] {
        assert_eq!(part(limit), granted, "{limit}");
    }
}

#[tokio::test]
async fn audits_that_are_not_free_count_in_the_hour_of_the_wider_network_all_the_same() {
    let test = service_on(|config| {
        (config.limits.audits_per_hour, config.limits.free_audits_per_day) = (1, 0);
    })
    .await;
    let (allowance, database, ports) = (test.services.allowance(), test.services.database(), test.services.ports());
    let spend = |last| allowance.spend_audit(database, ports, network(last), Free::Counted);
    // Ten times as many for the wider network as for one.
    for last in 1..=10 {
        let spent = spend(last).await.unwrap();
        assert_eq!((spent.free, spent.free_remaining), (false, Some(0)), "{last}");
    }
    let refused = spend(11).await.unwrap_err();
    assert_eq!(refused.code, Code::RateLimited);
}

#[tokio::test]
async fn a_spent_day_is_known_once_it_was_noted_until_an_audit_is_given_back() {
    let test = service_on(|config| config.limits.free_audits_per_day = 1).await;
    let (allowance, database, ports) = (test.services.allowance(), test.services.database(), test.services.ports());
    let spend = || allowance.spend_audit(database, ports, network(7), Free::Counted);
    let has_spent = || allowance.has_spent(database, ports, network(7));
    let first = spend().await.unwrap();
    assert!(first.free);
    assert!(!has_spent().await, "nothing is noted yet");
    let second = spend().await.unwrap();
    assert!(!second.free);
    allowance.note_spent(&second);
    assert!(has_spent().await);
    assert!(!allowance.has_spent(database, ports, network(8)).await);
    allowance.release(database, first).await;
    assert!(!has_spent().await);
    // That made it forget: it is spent again, and nobody has noted it.
    assert!(spend().await.unwrap().free);
    assert!(!has_spent().await);
}

#[tokio::test]
async fn a_network_has_its_uses_of_a_day_and_the_wider_one_has_ten_times_as_many() {
    let test = service_on(|_| {}).await;
    let (allowance, database, ports) = (test.services.allowance(), test.services.database(), test.services.ports());
    let has_left = |last| allowance.has_left_of_day(database, ports, network(last), "thing", 1);
    let spend = |last| allowance.spend_daily(database, ports, network(last), "thing", 1);
    assert!(has_left(1).await.unwrap());
    assert!(spend(1).await.unwrap());
    assert!(!has_left(1).await.unwrap());
    for last in 2..=10 {
        assert!(has_left(last).await.unwrap(), "{last}");
        assert!(spend(last).await.unwrap(), "{last}");
    }
    assert!(!has_left(11).await.unwrap());
    assert!(!spend(11).await.unwrap());
    allowance.release_daily(database, ports, network(10), "thing").await;
    assert!(has_left(11).await.unwrap());
}

#[tokio::test]
async fn the_bucket_of_an_hour_is_that_of_one_network_and_one_thing() {
    let test = service_on(|_| {}).await;
    let (allowance, database, ports) = (test.services.allowance(), test.services.database(), test.services.ports());
    let bucket = |last, what| allowance.hourly_bucket(database, ports, network(last), what);
    allowance.spend_hourly(database, ports, network(7), "thing", 1).await.unwrap();
    let spent = bucket(7, "thing").await.unwrap();
    assert_eq!(database.store().hourly_wait(&spent, NOW, 1).await.unwrap(), Some(3600));
    for other in [bucket(8, "thing").await.unwrap(), bucket(7, "other").await.unwrap()] {
        assert_eq!(database.store().hourly_wait(&other, NOW, 1).await.unwrap(), None);
    }
}
