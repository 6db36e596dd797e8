//! Turns of messages of the contact form.

use model::time::Timestamp;
use store::{ContactLimits, ContactQueued, NewJob, Store};
use testkit::TestDatabase;

use crate::sample::{NOW, opened};

testkit::on_both_databases! {
    a_network_waits_for_its_turn_also_after_its_message_was_sent,
    a_network_has_so_many_messages_that_wait_and_all_have_so_many,
}

const LIMITS: ContactLimits = ContactLimits { spacing_ms: 10_000, per_network: 2, in_all: 3 };

async fn queue(store: &Store, id: &str, network: &str, now: Timestamp) -> ContactQueued {
    let job = NewJob {
        id: id.to_owned(),
        lane: "mail",
        unique_key: None,
        payload: String::new(),
        run_at: now,
        created_at: now,
        traceparent: None,
    };
    store.queue_contact(job, network.to_owned(), None, LIMITS).await.unwrap()
}

fn at(send_at: Timestamp) -> ContactQueued {
    ContactQueued::Accepted { send_at }
}

async fn a_network_waits_for_its_turn_also_after_its_message_was_sent(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(queue(&store, "a", "net", NOW).await, at(NOW));
    let sent = store.claim_job("mail", NOW, NOW.plus_ms(60_000)).await.unwrap().unwrap();
    assert!(store.finish_job(&sent.lease, NOW).await.unwrap());
    let soon = NOW.plus_ms(1);
    assert_eq!(queue(&store, "b", "net", soon).await, at(NOW.plus_ms(10_000)));
    assert_eq!(queue(&store, "c", "other", soon).await, at(soon));
    store.close().await;
}

async fn a_network_has_so_many_messages_that_wait_and_all_have_so_many(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(queue(&store, "a", "net", NOW).await, at(NOW));
    assert_eq!(queue(&store, "b", "net", NOW).await, at(NOW.plus_ms(10_000)));
    assert_eq!(queue(&store, "c", "net", NOW).await, ContactQueued::NetworkFull);
    assert_eq!(queue(&store, "d", "other", NOW).await, at(NOW));
    assert_eq!(queue(&store, "e", "third", NOW).await, ContactQueued::QueueFull);
    store.close().await;
}
