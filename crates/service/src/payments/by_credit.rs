//! Paying a call with prepaid credit (`specs/x402.md` §8): held before the work, charged with its result, else given back.

use model::credit::{BALANCE_FIELD, CreditState, PixState};
use model::lang::Lang;
use model::time::Timestamp;
use store::{Credit, Holding, NewDebit, PaidAnswer, Repeated};

use super::answer::{self, Answer, Paid};
use super::by_x402::WORK_TIME;
use crate::caller::Cx;
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::services::Services;
use crate::x402::{BroughtCredit, Payments, Priced};

/// Beyond the work: how long keeping its result may take, in milliseconds.
const KEEPING_MS: i64 = 15_000;

/// What an earlier call of the same credit with the same `Idempotency-Key` came to, if there was one.
pub async fn earlier(cx: &Cx, request_hash: &[u8; 32]) -> Option<Result<Paid, ServiceError>> {
    let (BroughtCredit::Known(credit, _), Some(key)) = (&cx.brought.credit, cx.brought.key_digest) else { return None };
    match cx.services.database().ask(|store| store.repeated(&credit.id, &key)).await {
        Ok(repeated) => repeated.map(|repeated| replay(repeated, request_hash)),
        Err(error) => Some(Err(error.into())),
    }
}

fn replay(repeated: Repeated, request_hash: &[u8; 32]) -> Result<Paid, ServiceError> {
    if repeated.request_hash != *request_hash {
        return Err(ServiceError::new(Code::IdempotencyConflict));
    }
    match repeated.answer {
        Some(answer) => answer::unpack(answer),
        None => Err(ServiceError::new(Code::PaymentInProgress).retry_after(2)),
    }
}

/// Whether a credit pays calls here and now.
pub fn state(payments: &Payments, credit: &Credit) -> CreditState {
    let is_elsewhere = credit.network.as_ref().is_some_and(|network| network != payments.chain().caip2);
    match credit.pix {
        _ if is_elsewhere || (credit.is_dev && payments.is_live()) => CreditState::Worthless,
        Some(PixState::Pending) => CreditState::Pending,
        Some(PixState::Refused) => CreditState::Refused,
        Some(PixState::Released) | None => CreditState::Active,
    }
}

/// What became of an attempt to hold a price.
pub enum Held {
    /// It is held, under this id.
    Debit(String),
    /// The same call ran before.
    Replayed(Paid),
}

/// Takes the price from the credit that came along; `None` when none came.
pub async fn hold(cx: &Cx, priced: &Priced, request_hash: [u8; 32]) -> Result<Option<Held>, ServiceError> {
    let credit = match &cx.brought.credit {
        BroughtCredit::None => return Ok(None),
        BroughtCredit::Unverified => return Err(ServiceError::new(Code::DatabaseUnavailable).retry_after(5)),
        BroughtCredit::Known(credit, _) => credit,
    };
    let app = &cx.services;
    let offered = |code| Err(app.payments().offered(priced, ServiceError::new(code)));
    match state(app.payments(), credit) {
        CreditState::Active => {}
        CreditState::Worthless => return Err(ServiceError::new(Code::CreditWithoutValue)),
        CreditState::Pending => return offered(Code::CreditPending),
        CreditState::Refused => return offered(Code::CreditRefused),
    }
    let now = app.ports().now();
    let id = app.ports().id();
    let new = NewDebit {
        id: id.clone(),
        credit_id: credit.id.clone(),
        amount: priced.price,
        operation: priced.operation,
        request_hash,
        key_digest: cx.brought.key_digest,
        owner: cx.caller.owner().map(|owner| owner.to_string()),
        deadline: deadline(now),
        now,
    };
    match app.database().ask(|store| store.hold_debit(new)).await? {
        Holding::Held => Ok(Some(Held::Debit(id))),
        Holding::Repeated(repeated) => replay(repeated, &request_hash).map(|reply| Some(Held::Replayed(reply))),
        Holding::Insufficient { balance } => {
            let error = ServiceError::new(Code::InsufficientCredit).with(BALANCE_FIELD, balance.0.into());
            Err(app.payments().offered(priced, error))
        }
    }
}

fn deadline(now: Timestamp) -> Timestamp {
    now.plus_ms(i64::try_from(WORK_TIME.as_millis()).unwrap_or(i64::MAX).saturating_add(KEEPING_MS))
}

/// Ends a held debit with what came of its call: charged with the answer, which speaks `lang`, or given back.
pub async fn end(
    app: &Services,
    debit: &str,
    lang: Lang,
    done: Result<Answer, ServiceError>,
) -> Result<Answer, ServiceError> {
    let kept = done.and_then(|reply| Ok((answer::pack(&reply, lang)?, reply)));
    let (answer, reply) = match kept {
        Ok(kept) => kept,
        Err(error) => {
            reverse(app, debit).await;
            return Err(error.with("charged", false.into()));
        }
    };
    let first = answer.clone();
    let charged = match app.database().ask(|store| store.charge_debit(debit, first)).await {
        // It may have been charged all the same, which a caller without a key could not find out.
        Err(DatabaseError::Down) => charge_again(app, debit, answer).await,
        told => told,
    };
    match charged {
        Ok(true) => Ok(reply),
        // Given back before the work was done: so it is not paid, and not the caller's.
        Ok(false) => Err(ServiceError::new(Code::Overloaded).retry_after(5).with("charged", false.into())),
        // It may have been charged; if not, it is given back after its deadline. The key tells.
        Err(error) => Err(error.into()),
    }
}

/// Charges a debit once more, also while the database is left alone; whether it is charged now.
async fn charge_again(app: &Services, debit: &str, answer: PaidAnswer) -> Result<bool, DatabaseError> {
    let mut is_charged = false;
    let noted = &mut is_charged;
    app.database()
        .insist(|store| async move {
            *noted = store.charge_debit(debit, answer).await?;
            Ok(())
        })
        .await?;
    Ok(is_charged)
}

async fn reverse(app: &Services, debit: &str) {
    let now = app.ports().now();
    if app.database().insist(|store| async move { store.reverse_debit(debit, now).await.map(drop) }).await.is_err() {
        tracing::warn!(debit, "a debit could not be given back; it is after its deadline");
    }
}
