use model::credit::PixState;
use model::money::Micros;
use model::time::DAY_MS;
use store::{NewPixRequest, PixDecision, ReceiptFile, Requested, Store, StoreError};

use crate::credits::new_credit;
use crate::sample::{NOW, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    a_released_request_has_its_balance_once,
    one_bank_payment_releases_one_request,
    the_same_receipt_names_the_first_request,
    a_full_queue_takes_no_more,
    receipts_are_forgotten_after_their_time,
}

pub(crate) fn request(name: &str, number: u8, queue: u32) -> NewPixRequest {
    NewPixRequest {
        id: name.to_owned(),
        credit: store::NewCredit { is_dev: false, ..new_credit(&format!("credit-{name}"), number) },
        usd: 5,
        brl_centavos: 2_875,
        brl_per_usd: "5.75".to_owned(),
        receipt_digest: [number; 32],
        receipt: ReceiptFile { media_type: "image/png".to_owned(), bytes: vec![number; 2_000_000] },
        name: Some("Ana".to_owned()),
        email: None,
        queue,
        now: NOW,
    }
}

fn release(digits: &str) -> PixDecision {
    PixDecision::Release { end_to_end_id: format!("E{digits}") }
}

async fn balance(store: &Store, number: u8) -> (Micros, PixState) {
    let credit = store.credit_by_digest(&[number; 32]).await.unwrap().unwrap();
    (credit.balance, credit.pix.unwrap())
}

async fn a_released_request_has_its_balance_once(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(store.request_pix(request("a", 1, 10)).await.unwrap(), Requested::Accepted);
    assert_eq!(balance(&store, 1).await, (Micros(0), PixState::Pending));
    let tasks: Vec<_> = (0..8)
        .map(|n| {
            let store = store.clone();
            let decision = if n % 2 == 0 { release(&n.to_string()) } else { PixDecision::Refuse };
            tokio::spawn(async move { store.decide_pix("a", decision, NOW).await.unwrap() })
        })
        .collect();
    let mut decided = 0;
    for task in tasks {
        decided += u32::from(task.await.unwrap());
    }
    assert_eq!(decided, 1);
    let summary = store.pix_summary("a").await.unwrap().unwrap();
    assert_eq!(summary.decided_at, Some(NOW));
    let wanted = match summary.state {
        PixState::Released => Micros(5_000_000),
        PixState::Refused => Micros(0),
        PixState::Pending => panic!("undecided"),
    };
    assert_eq!(balance(&store, 1).await, (wanted, summary.state));
    let statement = store.credit_statement(&[1; 32]).await.unwrap().unwrap();
    assert_eq!(statement.0.pix, Some(summary.state));
    assert!(!store.decide_pix("none", PixDecision::Refuse, NOW).await.unwrap());
}

async fn one_bank_payment_releases_one_request(database: TestDatabase) {
    let store = opened(&database).await;
    for (name, number) in [("a", 1), ("b", 2)] {
        assert_eq!(store.request_pix(request(name, number, 10)).await.unwrap(), Requested::Accepted);
    }
    assert!(store.decide_pix("a", release("1"), NOW).await.unwrap());
    let again = store.decide_pix("b", release("1"), NOW).await;
    assert!(matches!(again, Err(StoreError::Conflict { .. })), "{again:?}");
    assert_eq!(balance(&store, 2).await, (Micros(0), PixState::Pending));
    assert_eq!(store.pending_pix(10).await.unwrap().len(), 1);
}

async fn the_same_receipt_names_the_first_request(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(store.request_pix(request("a", 1, 10)).await.unwrap(), Requested::Accepted);
    let again = NewPixRequest { receipt_digest: [1; 32], ..request("b", 2, 10) };
    assert_eq!(store.request_pix(again).await.unwrap(), Requested::Duplicate { first: "a".to_owned() });
    assert_eq!(store.credit_by_digest(&[2; 32]).await.unwrap(), None);
    // Of many at once, one is the first.
    let tasks: Vec<_> = (3..9)
        .map(|n| {
            let store = store.clone();
            let new = NewPixRequest { receipt_digest: [99; 32], ..request(&format!("r{n}"), n, 10) };
            tokio::spawn(async move { store.request_pix(new).await.unwrap() })
        })
        .collect();
    let mut accepted = 0;
    for task in tasks {
        accepted += u32::from(task.await.unwrap() == Requested::Accepted);
    }
    assert_eq!(accepted, 1);
}

async fn a_full_queue_takes_no_more(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(store.request_pix(request("a", 1, 1)).await.unwrap(), Requested::Accepted);
    assert_eq!(store.waiting_pix().await.unwrap(), 1);
    assert_eq!(store.request_pix(request("b", 2, 1)).await.unwrap(), Requested::QueueFull);
    assert!(store.decide_pix("a", PixDecision::Refuse, NOW).await.unwrap());
    assert_eq!(store.request_pix(request("b", 2, 1)).await.unwrap(), Requested::Accepted);
    // As many as there is room for, however many come at once.
    let tasks: Vec<_> = (3..9)
        .map(|n| {
            let store = store.clone();
            let mut new = request(&format!("r{n}"), n, 4);
            new.receipt.bytes.truncate(16);
            tokio::spawn(async move { store.request_pix(new).await.unwrap() })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    assert_eq!(store.waiting_pix().await.unwrap(), 4);
}

async fn receipts_are_forgotten_after_their_time(database: TestDatabase) {
    let store = opened(&database).await;
    for (name, number) in [("a", 1), ("b", 2)] {
        assert_eq!(store.request_pix(request(name, number, 10)).await.unwrap(), Requested::Accepted);
    }
    assert!(store.decide_pix("a", release("1"), NOW).await.unwrap());
    assert_eq!(store.forget_receipts(NOW, 10).await.unwrap(), 0);
    assert_eq!(store.forget_receipts(NOW.plus_ms(DAY_MS), 10).await.unwrap(), 1);
    let forgotten = store.pix_request("a").await.unwrap().unwrap();
    assert_eq!((forgotten.receipt, forgotten.name), (None, None));
    assert_eq!(forgotten.end_to_end_id.as_deref(), Some("E1"));
    // The undecided one is kept, with its receipt.
    assert_eq!(store.pix_request("b").await.unwrap().unwrap().receipt.unwrap().bytes.len(), 2_000_000);
}
