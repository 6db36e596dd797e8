//! Allowances over a whole database, and without one.

use model::time::DAY_MS;

use super::free_audits::Free;
use super::keys::Salt;
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
    assert!(test.nobody().caller.owner().is_none());
}
