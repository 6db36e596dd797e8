//! Messages over a whole database, which nobody sends.

use std::net::Ipv4Addr;

use model::time::DAY_MS;
use serde_json::json;

use super::*;
use crate::caller::Caller;
use crate::config::SecretText;
use crate::network::Network;
use crate::testing::{NOW, TestService, service_on};

async fn service() -> TestService {
    service_on(|config| {
        config.smtp.url = Some(SecretText::new("smtp://127.0.0.1:2525"));
        config.smtp.from = Some("Site Audit <audit@example.com>".to_owned());
        config.contact.to = Some("team@example.com".to_owned());
    })
    .await
}

/// Sends a message from a network of its own for each number: what refuses it, and when to try again.
async fn refused(test: &TestService, network: u8) -> Option<(Code, Option<u32>)> {
    let form = json!({"name": "Ana", "email": "ana@example.com", "message": "Hello"});
    let form: ContactForm = serde_json::from_value(form).unwrap();
    let cx = test.cx(Caller::unknown(Network::of(Ipv4Addr::new(198, 51, network, 7).into()), "test"));
    send(&cx, &form).await.err().map(|error| (error.code, error.retry_after))
}

#[tokio::test]
async fn twenty_messages_of_a_network_wait_and_a_thousand_in_all() {
    let test = service().await;
    for number in 0..20 {
        assert_eq!(refused(&test, 1).await, None, "{number}");
    }
    assert_eq!(refused(&test, 1).await, Some((Code::RateLimited, Some(10))));
    let numbers = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 979)";
    let insert = format!(
        "{numbers} INSERT INTO jobs (id, lane, payload, state, run_at, attempts, locked_until, fence, created_at) \
         SELECT 'job ' || n, 'contact', '', 'waiting', 0, 0, 0, 0, 0 FROM numbers; \
         {numbers} INSERT INTO contacts (job_id, network, send_at) SELECT 'job ' || n, 'others', 0 FROM numbers"
    );
    test.database.execute(&insert).await;
    assert_eq!(refused(&test, 2).await, None, "the thousandth");
    assert_eq!(refused(&test, 3).await, Some((Code::ContactQueueFull, Some(60))));
}

/// The name of a network changes at midnight; its turns may last 200 seconds.
#[tokio::test]
async fn a_network_is_known_for_as_long_after_midnight_as_its_turns_last() {
    let test = service().await;
    test.clock.pass(DAY_MS - NOW.0.rem_euclid(DAY_MS) - 1);
    for number in 0..20 {
        assert_eq!(refused(&test, 1).await, None, "{number}");
    }
    test.clock.pass(200_000);
    assert_eq!(refused(&test, 1).await.map(|(code, _)| code), Some(Code::RateLimited));
    test.clock.pass(1);
    assert_eq!(refused(&test, 1).await, None);
}
