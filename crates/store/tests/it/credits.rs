use std::collections::BTreeMap;

use model::credit::MovementKind;
use model::money::Micros;
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::TestRunner;
use sqlx::Row as _;
use store::{Holding, NewCredit, NewDebit, PaidAnswer, Store, StoreError};

use crate::sample::{NOW, audit_id, guest, insert_withheld, opened};
use testkit::TestDatabase;

testkit::on_both_databases! {
    sixty_four_debits_at_once_end_at_exactly_zero,
    a_balance_is_the_sum_of_its_movements_whatever_happens,
    a_debit_is_charged_or_reversed_once,
    a_repeated_key_is_told_of_the_first_call,
    what_a_debit_withheld_becomes_its_owners_or_nobodys,
    movements_are_never_edited,
    a_statement_shows_the_newest_hundred,
    a_buyer_finds_their_credits,
}

const PRICE: Micros = Micros(20_000);

fn answer() -> PaidAnswer {
    PaidAnswer { head: "200".to_owned(), body: b"{\"score\":82}".to_vec() }
}

pub(crate) fn new_credit(name: &str, token: u8) -> NewCredit {
    NewCredit {
        id: name.to_owned(),
        token_digest: [token; 32],
        owner: Some("guest:g".to_owned()),
        is_dev: true,
        network: None,
        created_at: NOW,
    }
}

async fn credit(store: &Store, name: &str, token: u8, balance: Micros) {
    store.create_dev_credit(new_credit(name, token), balance).await.unwrap();
}

pub(crate) fn debit(id: &str, credit: &str, amount: Micros) -> NewDebit {
    NewDebit {
        id: id.to_owned(),
        credit_id: credit.to_owned(),
        amount,
        operation: "audit_page",
        request_hash: [7; 32],
        key_digest: None,
        owner: None,
        deadline: NOW.plus_ms(60_000),
        now: NOW,
    }
}

async fn balance(store: &Store, token: u8) -> Micros {
    store.credit_by_digest(&[token; 32]).await.unwrap().unwrap().balance
}

async fn sixty_four_debits_at_once_end_at_exactly_zero(database: TestDatabase) {
    let store = opened(&database).await;
    credit(&store, "c", 1, Micros(PRICE.0 * 50)).await;
    let callers: Vec<_> = (0..64)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move { store.hold_debit(debit(&format!("d{n}"), "c", PRICE)).await.unwrap() })
        })
        .collect();
    let (mut held, mut refused) = (0, 0);
    for caller in callers {
        match caller.await.unwrap() {
            Holding::Held => held += 1,
            Holding::Insufficient { .. } => refused += 1,
            Holding::Repeated(_) => panic!("no key was sent"),
        }
    }
    assert_eq!((held, refused, balance(&store, 1).await), (50, 14, Micros(0)));
}

/// One thing that may happen.
#[derive(Debug, Clone)]
enum Step {
    Hold { credit: u8, amount: u64 },
    Charge(usize),
    Reverse(usize),
    Overdue,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0..3_u8, 1..60_000_u64).prop_map(|(credit, amount)| Step::Hold { credit, amount }),
        2 => (0..40_usize).prop_map(Step::Charge),
        2 => (0..40_usize).prop_map(Step::Reverse),
        1 => Just(Step::Overdue),
    ];
    proptest::collection::vec(step, 1..40)
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum State {
    Held,
    Charged,
    Reversed,
}

async fn a_balance_is_the_sum_of_its_movements_whatever_happens(database: TestDatabase) {
    const BOUGHT: Micros = Micros(100_000);
    let store = opened(&database).await;
    let mut runner = TestRunner::deterministic();
    for round in 0..12_u8 {
        let steps = steps().new_tree(&mut runner).unwrap().current();
        let name = |credit: u8| format!("c{round}-{credit}");
        let token = |credit: u8| round * 3 + credit + 1;
        let mut balances: BTreeMap<u8, u64> = BTreeMap::new();
        for number in 0..3 {
            credit(&store, &name(number), token(number), BOUGHT).await;
            balances.insert(number, BOUGHT.0);
        }
        let mut debits: Vec<(u8, u64, State)> = Vec::new();
        let id = |n: usize| format!("d{round}-{n}");
        for step in &steps {
            match *step {
                Step::Hold { credit, amount } => {
                    let holding =
                        store.hold_debit(debit(&id(debits.len()), &name(credit), Micros(amount))).await.unwrap();
                    let left = balances.get_mut(&credit).unwrap();
                    if *left >= amount {
                        assert_eq!(holding, Holding::Held, "{steps:?}");
                        *left -= amount;
                        debits.push((credit, amount, State::Held));
                    } else {
                        assert_eq!(holding, Holding::Insufficient { balance: Micros(*left) }, "{steps:?}");
                    }
                }
                Step::Charge(n) => {
                    let charged = store.charge_debit(&id(n), answer()).await.unwrap();
                    let is_paid = debits.get(n).is_some_and(|debit| debit.2 != State::Reversed);
                    assert_eq!(charged, is_paid, "{steps:?}");
                    if let Some(debit) = debits.get_mut(n).filter(|_| is_paid) {
                        debit.2 = State::Charged;
                    }
                }
                Step::Reverse(n) => {
                    let reversed = store.reverse_debit(&id(n), NOW).await.unwrap();
                    let is_held = debits.get(n).is_some_and(|debit| debit.2 == State::Held);
                    assert_eq!(reversed, is_held, "{steps:?}");
                    if let Some(debit) = debits.get_mut(n).filter(|_| is_held) {
                        debit.2 = State::Reversed;
                        *balances.get_mut(&debit.0).unwrap() += debit.1;
                    }
                }
                Step::Overdue => {
                    store.reverse_overdue_debits(NOW.plus_ms(60_000), 100).await.unwrap();
                    for debit in debits.iter_mut().filter(|debit| debit.2 == State::Held) {
                        debit.2 = State::Reversed;
                        *balances.get_mut(&debit.0).unwrap() += debit.1;
                    }
                }
            }
        }
        for (number, wanted) in balances {
            assert_eq!(balance(&store, token(number)).await, Micros(wanted), "{steps:?}");
        }
    }
    let off = database
        .row(
            "SELECT COUNT(*) FROM credits WHERE balance_micros < 0 OR balance_micros <> \
            (SELECT CAST(COALESCE(SUM(amount_micros), 0) AS BIGINT) FROM credit_movements WHERE credit_id = credits.id)",
        )
        .await;
    assert_eq!(off.get::<i64, _>(0), 0);
    let unanswered = database
        .row("SELECT COUNT(*) FROM debits WHERE state = 'charged' AND (answer_head IS NULL OR answer_body IS NULL)")
        .await;
    assert_eq!(unanswered.get::<i64, _>(0), 0);
}

async fn a_debit_is_charged_or_reversed_once(database: TestDatabase) {
    let store = opened(&database).await;
    credit(&store, "c", 1, PRICE).await;
    assert_eq!(store.hold_debit(debit("d", "c", PRICE)).await.unwrap(), Holding::Held);
    let tasks: Vec<_> = (0..16)
        .map(|n| {
            let store = store.clone();
            tokio::spawn(async move {
                if n % 2 == 0 {
                    store.charge_debit("d", answer()).await.unwrap()
                } else {
                    store.reverse_debit("d", NOW).await.unwrap()
                }
            })
        })
        .collect();
    let (mut charged, mut reversed) = (0, 0);
    for (n, task) in tasks.into_iter().enumerate() {
        let done = u32::from(task.await.unwrap());
        if n % 2 == 0 { charged += done } else { reversed += done }
    }
    // Who charges it again hears that it is charged: the first answer may have got lost.
    assert!(matches!((charged, reversed), (8, 0) | (0, 1)), "{charged} {reversed}");
    let reversals = database.row("SELECT COUNT(*) FROM credit_movements WHERE kind = 'reversal'").await;
    assert_eq!(balance(&store, 1).await.0, PRICE.0 * reversals.get::<i64, _>(0).unsigned_abs());
}

async fn a_repeated_key_is_told_of_the_first_call(database: TestDatabase) {
    let store = opened(&database).await;
    credit(&store, "c", 1, Micros(PRICE.0 * 2)).await;
    let keyed = |id: &str| NewDebit { key_digest: Some([9; 32]), ..debit(id, "c", PRICE) };
    assert_eq!(store.hold_debit(keyed("first")).await.unwrap(), Holding::Held);
    let Holding::Repeated(running) = store.hold_debit(keyed("second")).await.unwrap() else { panic!("held twice") };
    assert_eq!((running.request_hash, running.answer), ([7; 32], None));
    // What came to nothing may be asked again with the same key.
    assert!(store.reverse_debit("first", NOW).await.unwrap());
    assert_eq!(store.repeated("c", &[9; 32]).await.unwrap(), None);
    assert_eq!(store.hold_debit(keyed("third")).await.unwrap(), Holding::Held);
    assert!(store.charge_debit("third", answer()).await.unwrap());
    let repeated = store.repeated("c", &[9; 32]).await.unwrap().unwrap();
    assert_eq!(repeated.answer, Some(answer()));
    assert_eq!(balance(&store, 1).await, PRICE);
    // The answer is forgotten in time, and the key with it, which would else name a call that never ends; the debit is not.
    assert_eq!(store.forget_debit_answers(NOW.plus_ms(1), 10).await.unwrap(), 1);
    assert_eq!(store.repeated("c", &[9; 32]).await.unwrap(), None);
    assert_eq!(store.hold_debit(keyed("fourth")).await.unwrap(), Holding::Held);
    assert_eq!(balance(&store, 1).await, Micros(0));
}

async fn what_a_debit_withheld_becomes_its_owners_or_nobodys(database: TestDatabase) {
    let store = opened(&database).await;
    credit(&store, "c", 1, Micros(PRICE.0 * 2)).await;
    for (id, is_charged) in [("d1", true), ("d2", false)] {
        let new = NewDebit { owner: Some("guest:g".to_owned()), ..debit(id, "c", PRICE) };
        assert_eq!(store.hold_debit(new).await.unwrap(), Holding::Held);
        insert_withheld(&store, id, Some(guest("g")), id).await.unwrap();
        let hidden = store.audit_of(&guest("g"), &audit_id(id)).await;
        assert!(matches!(hidden, Err(StoreError::NotFound { .. })), "{hidden:?}");
        let ended = if is_charged {
            store.charge_debit(id, answer()).await.unwrap()
        } else {
            store.reverse_debit(id, NOW).await.unwrap()
        };
        assert!(ended);
        assert_eq!(store.audit_of(&guest("g"), &audit_id(id)).await.is_ok(), is_charged);
    }
    assert_eq!(database.row("SELECT COUNT(*) FROM audits").await.get::<i64, _>(0), 1);
}

async fn movements_are_never_edited(database: TestDatabase) {
    use sqlx::Executor as _;
    let store = opened(&database).await;
    credit(&store, "c", 1, PRICE).await;
    let mut beside = database.connection().await;
    for sql in [
        "UPDATE credit_movements SET amount_micros = 1",
        "DELETE FROM credit_movements",
        "UPDATE credits SET balance_micros = -1",
        "INSERT INTO credit_movements VALUES ('x', 'c', 'purchase', 5, 'dev:c', 0)",
    ] {
        let refused = beside.execute(sqlx::raw_sql(sql)).await;
        assert!(refused.is_err(), "{sql}");
    }
    assert_eq!(balance(&store, 1).await, PRICE);
}

async fn a_statement_shows_the_newest_hundred(database: TestDatabase) {
    let store = opened(&database).await;
    assert_eq!(store.credit_statement(&[1; 32]).await.unwrap(), None);
    credit(&store, "c", 1, Micros(1_000)).await;
    for n in 0..101 {
        let new = NewDebit { now: NOW.plus_ms(n + 1), ..debit(&format!("d{n}"), "c", Micros(1)) };
        assert_eq!(store.hold_debit(new).await.unwrap(), Holding::Held);
    }
    let (credit, movements) = store.credit_statement(&[1; 32]).await.unwrap().unwrap();
    assert_eq!((credit.balance, movements.len()), (Micros(899), 100));
    let newest = movements.first().unwrap();
    assert_eq!((newest.kind, newest.amount_micros, newest.reference.as_str()), (MovementKind::Debit, -1, "d100"));
}

async fn a_buyer_finds_their_credits(database: TestDatabase) {
    let store = opened(&database).await;
    for (name, token) in [("older", 1), ("newer", 2)] {
        let created_at = NOW.plus_ms(token.into());
        store.create_dev_credit(NewCredit { created_at, ..new_credit(name, token) }, PRICE).await.unwrap();
    }
    let found = async |owner, limit| {
        let credits = store.credits_of(owner, limit).await.unwrap();
        credits.into_iter().map(|credit| credit.id).collect::<Vec<_>>()
    };
    assert_eq!(found("guest:g", 10).await, ["newer", "older"]);
    assert_eq!(found("guest:g", 1).await, ["newer"]);
    assert_eq!(found("guest:h", 10).await, Vec::<String>::new());
}
