//! A debit of prepaid credit: the second means to pay a call.
//!
//! | state | event | next state | what is written | what the caller is told |
//! |---|---|---|---|---|
//! | (credit) | an idempotency key that came before, with the same request | | nothing | the stored answer, or `payment_in_progress` |
//! | (credit) | the same, with another request | | nothing | `idempotency_conflict` |
//! | (credit) | the credit pays nothing here, or its balance is too low | | nothing | why, and what would be accepted |
//! | (credit) | the balance suffices: `hold` | held | debit `held` with a deadline, the price off the balance | |
//! | held | the work succeeds: `charge` | charged | `charged` with the answer, result visible: one transaction | the result |
//! | held | the work fails, or is late: `reverse` | reversed | `reversed`, the price back on the balance | its error, not charged |
//! | held | its deadline passes: the worker | reversed | the same | `overloaded`, not charged |
//! | held | the database does not answer the charge | charged, or held to its deadline | unknown | `database_unavailable`; the key tells |

use std::sync::Arc;

use model::credit::{BALANCE_FIELD, CreditState, PixState};
use model::time::Timestamp;
use store::{Credit, Holding, NewDebit, PaidAnswer, Repeated};

use super::answer::{self, Answered, CallAnswer, WORK_TIME, Work};
use super::payment::{owner, request_hash};
use crate::caller::Cx;
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::services::Services;
use crate::x402::{Payments, Priced};

/// Beyond the work: how long storing its result may take, in milliseconds.
const STORE_MS: i64 = 15_000;

/// Whether a credit pays calls here and now.
pub fn credit_state(payments: &Payments, credit: &Credit) -> CreditState {
    let is_elsewhere = credit.network.as_ref().is_some_and(|network| network != payments.chain().caip2);
    match credit.pix {
        _ if is_elsewhere || (credit.is_dev && payments.is_live()) => CreditState::Worthless,
        Some(PixState::Pending) => CreditState::Pending,
        Some(PixState::Refused) => CreditState::Refused,
        Some(PixState::Released) | None => CreditState::Active,
    }
}

/// The answer of an earlier call with the same credit and idempotency key, if there was one.
pub(super) async fn replay(cx: &Cx, credit: &Credit, priced: &Priced) -> Result<Option<Answered>, ServiceError> {
    let Some(key) = cx.payment.key_digest else { return Ok(None) };
    let repeated = cx.services.database().ask(|store| store.repeated(&credit.id, &key)).await?;
    repeated.map(|repeated| answer_of(repeated, &request_hash(cx, priced))).transpose()
}

fn answer_of(repeated: Repeated, request_hash: &[u8; 32]) -> Result<Answered, ServiceError> {
    if repeated.request_hash != *request_hash {
        return Err(ServiceError::new(Code::IdempotencyConflict));
    }
    match repeated.answer {
        Some(answer) => answer::unpack(answer),
        None => Err(ServiceError::new(Code::PaymentInProgress).retry_after(2)),
    }
}

/// Has a call paid by a credit: held, worked, then charged or reversed.
pub(super) async fn pay(mut cx: Cx, priced: &Priced, work: Work) -> Result<Answered, ServiceError> {
    let debit = match hold(&cx, priced).await? {
        Hold::Replayed(replayed) => return Ok(replayed),
        Hold::Debit(debit) => debit,
    };
    cx.withheld = Some(Arc::from(debit.as_str()));
    let services = cx.services.clone();
    // A caller that hangs up changes nothing: the work is paid.
    let paid = services.payments().ongoing().run_detached(work_and_charge(cx, debit, work)).await?;
    paid.map(Answered::now)
}

/// Outcome of holding a price.
enum Hold {
    /// It is held, under this id.
    Debit(String),
    /// The same call ran before.
    Replayed(Answered),
}

/// Holds the price of a call.
async fn hold(cx: &Cx, priced: &Priced) -> Result<Hold, ServiceError> {
    let services = &cx.services;
    let (credit, _) = cx.payment.required_credit()?;
    let offered = |code| Err(services.payments().offered(priced, ServiceError::new(code)));
    match credit_state(services.payments(), credit) {
        CreditState::Active => {}
        CreditState::Worthless => return Err(ServiceError::new(Code::CreditWithoutValue)),
        CreditState::Pending => return offered(Code::CreditPending),
        CreditState::Refused => return offered(Code::CreditRefused),
    }
    let now = services.ports().now();
    let id = services.ports().id();
    let request_hash = request_hash(cx, priced);
    let new = NewDebit {
        id: id.clone(),
        credit_id: credit.id.clone(),
        amount: priced.price,
        operation: priced.operation,
        request_hash,
        key_digest: cx.payment.key_digest,
        owner: owner(cx),
        deadline: deadline(now),
        now,
    };
    match services.database().write(|store| store.hold_debit(new)).await? {
        Holding::Held => Ok(Hold::Debit(id)),
        Holding::Repeated(repeated) => answer_of(repeated, &request_hash).map(Hold::Replayed),
        Holding::Insufficient { balance } => {
            let error = ServiceError::new(Code::InsufficientCredit).with(BALANCE_FIELD, balance.0.into());
            Err(services.payments().offered(priced, error))
        }
    }
}

fn deadline(now: Timestamp) -> Timestamp {
    now.plus_ms(i64::try_from(WORK_TIME.as_millis()).unwrap_or(i64::MAX).saturating_add(STORE_MS))
}

/// Runs the work of a held debit, and charges it with the answer, or reverses it.
async fn work_and_charge(cx: Cx, debit: String, work: Work) -> Result<CallAnswer, ServiceError> {
    let (services, lang) = (cx.services.clone(), cx.lang);
    let done = answer::run_in_time(work, cx).await;
    let (packed, answer) = match done.and_then(|answer| Ok((answer::pack(&answer, lang)?, answer))) {
        Ok(packed) => packed,
        Err(error) => {
            reverse(&services, &debit).await;
            return Err(error.with("charged", false.into()));
        }
    };
    match charge(&services, &debit, packed).await {
        Ok(true) => Ok(answer),
        // Reversed before the work was done: so it is not paid, and not the caller's.
        Ok(false) => Err(ServiceError::new(Code::Overloaded).retry_after(5).with("charged", false.into())),
        // It may have been charged; if not, it is reversed after its deadline. The key tells.
        Err(trouble) => Err(trouble.into()),
    }
}

/// Charges a debit with the answer that it pays; whether it is charged now.
async fn charge(services: &Services, debit: &str, answer: PaidAnswer) -> Result<bool, DatabaseError> {
    let first = answer.clone();
    match services.database().write(|store| store.charge_debit(debit, first)).await {
        // It may have been charged all the same, which a caller without a key could not find out.
        Err(DatabaseError::Down | DatabaseError::Full) => charge_again(services, debit, answer).await,
        charged => charged,
    }
}

/// Charges a debit once more, even while the database is left alone.
async fn charge_again(services: &Services, debit: &str, answer: PaidAnswer) -> Result<bool, DatabaseError> {
    let mut is_charged = false;
    let charged = &mut is_charged;
    services
        .database()
        .insist(|store| async move {
            *charged = store.charge_debit(debit, answer).await?;
            Ok(())
        })
        .await?;
    Ok(is_charged)
}

async fn reverse(services: &Services, debit: &str) {
    let now = services.ports().now();
    let reversed = services.database().insist(|store| async move { store.reverse_debit(debit, now).await.map(drop) });
    if reversed.await.is_err() {
        tracing::warn!(debit, "a debit could not be refunded now; it will be refunded after its deadline");
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use model::money::Micros;
    use store::NewCredit;

    use super::*;
    use crate::credential::token_digest;
    use crate::testing::{NOW, TestService, service_on};
    use crate::x402::{CallPayment, PaymentHeaders};

    const TOKEN: &str = "cred_of_this_test";
    const KEY: &str = "a-key-of-this-test";

    /// A credit of ten dollars.
    async fn add_credit(test: &TestService) {
        let new = NewCredit {
            id: "credit".to_owned(),
            token_digest: token_digest(TOKEN),
            owner: None,
            is_dev: true,
            network: None,
            created_at: NOW,
        };
        test.services.database().store().create_dev_credit(new, Micros::of_dollars(10)).await.unwrap();
    }

    async fn dollars_left(test: &TestService) -> Micros {
        test.services.database().store().credit_by_id("credit").await.unwrap().unwrap().balance
    }

    /// A call that comes with the credit.
    async fn cx(test: &TestService, key: Option<&str>) -> Cx {
        let headers = PaymentHeaders { credit: Some(TOKEN), signed: Vec::new(), key };
        let payment = CallPayment::parse(test.services.database(), &headers, true).await.unwrap();
        Cx { payment, ..test.nobody() }
    }

    async fn held(cx: &Cx, priced: &Priced) -> String {
        match hold(cx, priced).await.unwrap() {
            Hold::Debit(id) => id,
            Hold::Replayed(answered) => panic!("{answered:?}"),
        }
    }

    fn answered(body: &'static str) -> CallAnswer {
        CallAnswer { status: 200, headers: Vec::new(), body: Bytes::from_static(body.as_bytes()), speaks: false }
    }

    #[tokio::test]
    async fn a_call_with_the_key_of_an_earlier_one_has_its_answer() {
        let test = service_on(|_| {}).await;
        add_credit(&test).await;
        let (priced, other) = (test.services.payments().pack(1), test.services.payments().pack(5));
        let (cx, keyless) = (cx(&test, Some(KEY)).await, cx(&test, None).await);
        let (credit, _) = cx.payment.required_credit().unwrap();
        assert!(replay(&cx, credit, &priced).await.unwrap().is_none());
        let work: Work = Box::new(|_| Box::pin(async { Ok(answered("first")) }));
        pay(cx.clone(), &priced, work).await.unwrap();
        let replayed = replay(&cx, credit, &priced).await.unwrap().unwrap();
        assert_eq!((replayed.is_replayed, replayed.answer.body.as_ref()), (true, b"first".as_slice()));
        let conflict = replay(&cx, credit, &other).await.unwrap_err();
        assert_eq!(conflict.code, Code::IdempotencyConflict);
        assert!(replay(&keyless, credit, &priced).await.unwrap().is_none());
        assert_eq!(dollars_left(&test).await, Micros::of_dollars(9));
    }

    #[tokio::test]
    async fn what_was_held_comes_back_45_seconds_later_where_nothing_came_of_the_call() {
        let test = service_on(|_| {}).await;
        add_credit(&test).await;
        held(&cx(&test, None).await, &test.services.payments().pack(1)).await;
        assert_eq!(dollars_left(&test).await, Micros::of_dollars(9));
        let store = test.services.database().store();
        assert_eq!(store.reverse_overdue_debits(NOW.plus_ms(44_999), 10).await.unwrap(), 0);
        assert_eq!(store.reverse_overdue_debits(NOW.plus_ms(45_000), 10).await.unwrap(), 1);
        assert_eq!(dollars_left(&test).await, Micros::of_dollars(10));
    }

    #[tokio::test]
    async fn a_charge_that_is_tried_again_tells_whether_it_was_made() {
        let test = service_on(|_| {}).await;
        add_credit(&test).await;
        let (cx, priced, services) = (cx(&test, None).await, test.services.payments().pack(1), &test.services);
        let answer = || answer::pack(&answered("{}"), cx.lang).unwrap();
        let (charged, reversed) = (held(&cx, &priced).await, held(&cx, &priced).await);
        reverse(services, &reversed).await;
        // Also where the first one was made after all.
        for _ in 0..2 {
            assert!(charge_again(services, &charged, answer()).await.unwrap());
        }
        assert!(!charge_again(services, &reversed, answer()).await.unwrap());
        assert_eq!(dollars_left(&test).await, Micros::of_dollars(9));
    }
}
