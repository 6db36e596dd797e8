//! The whole ledger, whatever happens in whatever order: what came in is what was sold and earned, and each credit has
//! what was put on it less what was taken.

use std::collections::BTreeMap;

use model::money::Micros;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use sqlx::{AssertSqlSafe, Row as _};
use store::{
    ClaimOutcome, CreditPurchase, Holding, Lease, NewPayment, PaidAnswer, PixDecision, Requested, Store, Unsettled,
};
use testkit::TestDatabase;

use crate::credits::debit;
use crate::payments::new_payment;
use crate::pix::request;
use crate::sample::{NOW, opened};

testkit::on_both_databases! {
    money_in_is_what_was_sold_and_earned_whatever_happens,
}

/// Histories that are tried on each database.
const HISTORIES: u8 = 12;
/// What a single call costs.
const PRICE: u64 = 20_000;
/// What a pack costs.
const PACK: u64 = 5_000_000;

/// How the settling of a payment ends, or is looked at again.
#[derive(Debug, Clone, Copy)]
enum End {
    Settled,
    Refused,
    Released,
    Lapsed,
    /// Nobody knows; the worker takes it over.
    Unclear,
}

/// One thing that may happen. A number names a payment, request, credit or debit, if there are so many.
#[derive(Debug, Clone)]
enum Step {
    PayCall,
    PayPack,
    End(usize, End),
    RequestPix,
    Decide(usize, bool),
    Hold(usize, u64),
    Charge(usize),
    Reverse(usize),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let end = prop_oneof![
        4 => Just(End::Settled),
        1 => Just(End::Refused),
        1 => Just(End::Released),
        1 => Just(End::Lapsed),
        3 => Just(End::Unclear),
    ];
    let which = || 0..8_usize;
    let step = prop_oneof![
        2 => Just(Step::PayCall),
        2 => Just(Step::PayPack),
        5 => (which(), end).prop_map(|(n, end)| Step::End(n, end)),
        1 => Just(Step::RequestPix),
        2 => (which(), any::<bool>()).prop_map(|(n, is_released)| Step::Decide(n, is_released)),
        3 => (which(), prop_oneof![1..60_000_u64, Just(PACK), Just(PACK + 1)]).prop_map(|(n, most)| Step::Hold(n, most)),
        2 => which().prop_map(Step::Charge),
        2 => which().prop_map(Step::Reverse),
    ];
    proptest::collection::vec(step, 1..60)
}

/// What should be so.
#[derive(Debug, Default)]
struct Model {
    /// Amount, credit that it buys, and the lease while it is not final.
    payments: Vec<(u64, Option<String>, Option<Lease>)>,
    /// Name of a request's credit, and whether it waits.
    requests: Vec<(String, bool)>,
    /// Balances of credits of which something may be spent.
    credits: BTreeMap<String, u64>,
    /// Credit, amount, whether it is held still, and whether it was charged.
    debits: Vec<(String, u64, bool, bool)>,
    sold: u64,
    earned: u64,
}

fn answer() -> PaidAnswer {
    PaidAnswer { head: "200".to_owned(), body: b"{}".to_vec() }
}

/// Takes a new payment to where its settling has begun.
async fn begin(store: &Store, new: NewPayment) -> Lease {
    let is_purchase = new.purchase.is_some();
    let ClaimOutcome::Claimed(lease) = store.claim_payment(new).await.unwrap() else { panic!("known") };
    if !is_purchase {
        assert!(store.begin_paid_work(&lease, NOW, NOW).await.unwrap());
        assert!(store.end_paid_work(&lease, &answer(), NOW).await.unwrap());
    }
    assert_eq!(store.begin_settling(&lease, NOW, NOW).await.unwrap(), Some(1));
    lease
}

/// Does a step in both. `history` and `at` make names.
async fn act(store: &Store, model: &mut Model, step: &Step, (history, at): (u8, u8)) {
    let name = format!("{history}-{at}");
    let digest = |kind: u8| {
        let mut digest = [kind; 32];
        [digest[0], digest[1]] = [history, at];
        digest
    };
    match *step {
        Step::PayCall => {
            let lease = begin(store, NewPayment { amount: Micros(PRICE), ..new_payment(&name) }).await;
            model.payments.push((PRICE, None, Some(lease)));
        }
        Step::PayPack => {
            let purchase = CreditPurchase { credit_id: name.clone(), token_digest: digest(1) };
            let new = NewPayment { purchase: Some(purchase), amount: Micros(PACK), ..new_payment(&name) };
            model.payments.push((PACK, Some(name), Some(begin(store, new).await)));
        }
        Step::End(n, end) => {
            let Some((amount, credit, lease)) = model.payments.get_mut(n) else { return };
            let Some(open) = lease.clone() else { return };
            let left = match end {
                End::Settled => {
                    assert!(store.settle_payment(&open.id, "0xaa", NOW).await.unwrap());
                    match credit {
                        Some(credit) => {
                            model.credits.insert(credit.clone(), *amount);
                            model.sold += *amount;
                        }
                        None => model.earned += *amount,
                    }
                    None
                }
                End::Refused => Some(Unsettled::Refused("insufficient_funds".to_owned())),
                End::Released => {
                    // The facilitator may have been told of it.
                    assert!(!store.leave_payment(&open, Unsettled::Released, NOW).await.unwrap());
                    return;
                }
                End::Lapsed => Some(Unsettled::Lapsed("expired".to_owned())),
                End::Unclear => {
                    let unclear = Unsettled::Unclear { reason: "time".to_owned(), transaction: None, again_at: NOW };
                    assert!(store.leave_payment(&open, unclear, NOW).await.unwrap());
                    *lease = Some(store.take_payment(&open.id, NOW, NOW).await.unwrap().unwrap().lease);
                    // Who held it before changes nothing any more.
                    let refused = Unsettled::Refused("insufficient_funds".to_owned());
                    assert!(!store.leave_payment(&open, refused, NOW).await.unwrap());
                    return;
                }
            };
            *lease = None;
            if let Some(left) = left {
                assert!(store.leave_payment(&open, left, NOW).await.unwrap());
            }
            assert!(!store.settle_payment(&open.id, "0xaa", NOW).await.unwrap());
        }
        Step::RequestPix => {
            let mut new = request(&name, at, 1_000);
            (new.receipt_digest, new.credit.token_digest) = (digest(2), digest(3));
            new.receipt.bytes.truncate(16);
            model.requests.push((new.credit.id.clone(), true));
            assert_eq!(store.request_pix(new).await.unwrap(), Requested::Accepted);
        }
        Step::Decide(n, is_released) => {
            let Some((credit, is_pending)) = model.requests.get_mut(n) else { return };
            let id = credit.trim_start_matches("credit-").to_owned();
            let decision = if is_released {
                PixDecision::Release { end_to_end_id: format!("E{id}") }
            } else {
                PixDecision::Refuse
            };
            assert_eq!(store.decide_pix(&id, decision, NOW).await.unwrap(), *is_pending);
            if std::mem::take(is_pending) && is_released {
                model.credits.insert(credit.clone(), PACK);
                model.sold += PACK;
            }
        }
        Step::Hold(n, amount) => {
            let Some((credit, left)) = model.credits.iter_mut().nth(n) else { return };
            let id = format!("{history}-debit-{}", model.debits.len());
            let holding = store.hold_debit(debit(&id, credit, Micros(amount))).await.unwrap();
            if *left < amount {
                assert_eq!(holding, Holding::Insufficient { balance: Micros(*left) });
                return;
            }
            assert_eq!(holding, Holding::Held);
            *left -= amount;
            model.debits.push((credit.clone(), amount, true, false));
        }
        Step::Charge(n) | Step::Reverse(n) => {
            let id = format!("{history}-debit-{n}");
            let is_reversal = matches!(step, Step::Reverse(_));
            let done = if is_reversal {
                store.reverse_debit(&id, NOW).await.unwrap()
            } else {
                store.charge_debit(&id, answer()).await.unwrap()
            };
            let Some((credit, amount, is_held, is_charged)) = model.debits.get_mut(n) else {
                assert!(!done);
                return;
            };
            *is_charged |= *is_held && !is_reversal;
            // Charged once more, it is charged.
            assert_eq!(done, std::mem::take(is_held) || (*is_charged && !is_reversal));
            if done && is_reversal {
                *model.credits.get_mut(credit).unwrap() += *amount;
            }
        }
    }
}

/// The sum of a column over the rows of a table.
async fn sum(database: &TestDatabase, what: &str, of: &str) -> u64 {
    let sql = format!("SELECT CAST(COALESCE(SUM({what}), 0) AS BIGINT) FROM {of}");
    let row = sqlx::query(AssertSqlSafe(sql)).fetch_one(&mut database.connection().await).await.unwrap();
    row.get::<i64, _>(0).try_into().unwrap()
}

async fn money_in_is_what_was_sold_and_earned_whatever_happens(database: TestDatabase) {
    let store = opened(&database).await;
    let mut runner = TestRunner::deterministic();
    let (mut sold, mut earned) = (0, 0);
    for history in 0..HISTORIES {
        let steps = steps().new_tree(&mut runner).unwrap().current();
        let mut model = Model::default();
        for (at, step) in steps.iter().enumerate() {
            act(&store, &mut model, step, (history, u8::try_from(at).unwrap())).await;
        }
        sold += model.sold;
        earned += model.earned;
        for (id, left) in &model.credits {
            assert_eq!(sum(&database, "balance_micros", &format!("credits WHERE id = '{id}'")).await, *left, "{id}");
        }
    }
    assert!(sold > 0 && earned > 0, "no history has money in it");
    // What came in: payments that settled, and requests that were released.
    let settled = sum(&database, "amount_micros", "payments WHERE state = 'settled'").await;
    let released = sum(&database, "usd", "pix_requests WHERE state = 'released'").await * 1_000_000;
    assert_eq!(settled + released, sold + earned);
    let received = store.received(NOW, NOW.plus_ms(1)).await.unwrap();
    assert_eq!(received.values().map(|(sum, _)| sum.0).sum::<u64>(), sold + earned);
    assert_eq!(received.get(&None).map_or(0, |(sum, _)| sum.0), released);
    // What became of it: earned at once, on a credit still, or taken from one.
    assert_eq!(sum(&database, "amount_micros", "revenue").await, earned);
    let left = sum(&database, "balance_micros", "credits").await;
    let taken = sum(&database, "amount_micros", "debits WHERE state <> 'reversed'").await;
    assert_eq!(left + taken, sold);
    // Each balance is the sum of its movements and never negative; each debit was given back once at most, and whole.
    for (broken, sql) in [
        (
            "balances",
            "credits WHERE balance_micros < 0 OR balance_micros <> \
             (SELECT CAST(COALESCE(SUM(amount_micros), 0) AS BIGINT) FROM credit_movements WHERE credit_id = credits.id)",
        ),
        (
            "reversals",
            "debits WHERE (SELECT COUNT(*) FROM credit_movements WHERE kind = 'reversal' AND ref = debits.id \
             AND credit_movements.amount_micros = debits.amount_micros) <> CASE state WHEN 'reversed' THEN 1 ELSE 0 END",
        ),
        ("answers", "debits WHERE state = 'charged' AND answer_body IS NULL"),
    ] {
        assert_eq!(sum(&database, "1", sql).await, 0, "{broken}");
    }
}
