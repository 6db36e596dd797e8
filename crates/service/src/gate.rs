//! The gate decides whether a call with a price is free (for now, on trial, or by the free allowance) or to be paid, in this
//! order, and gives back what it held of the allowance when nothing comes of the call. Payments are the room `payments`'.

use bytes::Bytes;
use model::billing::Gate;
use model::id::{AccountId, Owner};
use model::lang::{Text, text};
use model::time::{Day, Timestamp};
use serde_json::json;
use tokio::sync::oneshot;

use crate::accounts::trial;
use crate::allowance::{Free, Spent};
use crate::caller::{Caller, Cx, Identity};
use crate::challenge;
use crate::config::Sku;
use crate::error::{Code, DayAllowance, ServiceError};
use crate::network::Network;
use crate::payments::answer::{Answered, CallAnswer, Work};
use crate::payments::pay::{Unpaid, pay};
use crate::payments::replay::replay;
use crate::services::Services;
use crate::x402::{CallPayment, FACILITATOR_RETRY, PaymentHeaders, PaymentMeans, Priced};

/// Whether a call is free.
enum FreeOrPaid {
    /// It is. What was spent of the allowance is given back when nothing comes of the call.
    Free(Option<Spent>),
    /// It must be paid; the hourly limit of audits counts it all the same.
    ToPay(Option<Spent>),
}

/// Rate limits of single operations, per network and hour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateLimit {
    /// `limits.guests_per_hour`.
    Guests,
    /// `limits.verifications_per_hour`.
    Verifications,
}

/// Spends one of a network's hourly uses of an operation; [`Code::RateLimited`] when none is left.
pub async fn spend_hourly(services: &Services, network: Network, limit: RateLimit) -> Result<(), ServiceError> {
    let limits = &services.config().limits;
    let (what, per_hour) = match limit {
        RateLimit::Guests => ("guests", limits.guests_per_hour),
        RateLimit::Verifications => ("verifications", limits.verifications_per_hour),
    };
    services.allowance().spend_hourly(services.database(), services.ports(), network, what, per_hour).await
}

/// The first check of every audit: crawlers are refused, and networks that are locked out after too many refused addresses.
pub fn admit_audit(services: &Services, network: Network, is_crawler: bool) -> Result<(), ServiceError> {
    if is_crawler {
        return Err(ServiceError::new(Code::CrawlerNotAllowed));
    }
    services.allowance().check_refusals(services.ports(), network)
}

/// Runs a call with a price, paid or free. `is_free`: whether it costs nothing, whatever the allowance; asked only when the
/// call repeats none that was paid.
pub async fn run(
    cx: Cx,
    sku: Sku,
    priced: Priced,
    is_free: impl Future<Output = Result<bool, ServiceError>>,
    work: Work,
) -> Result<Answered, ServiceError> {
    // Before an allowance is spent: what was paid has its answer.
    if let Some(replayed) = replay(&cx, &priced).await? {
        return Ok(replayed);
    }
    let pays_nothing = matches!(cx.payment.means, PaymentMeans::None);
    match decide(&cx, sku, is_free.await?, pays_nothing).await? {
        FreeOrPaid::Free(spent) => run_free(cx, &priced, spent, work).await,
        // In a box: a payment takes three times the room of a free call, and every free call would have it.
        FreeOrPaid::ToPay(spent) => Box::pin(run_paid(cx, sku, &priced, spent, work)).await,
    }
}

async fn run_free(cx: Cx, priced: &Priced, spent: Option<Spent>, work: Work) -> Result<Answered, ServiceError> {
    let remaining = spent.as_ref().and_then(|spent| spent.free_remaining);
    let done = work(cx.clone()).await.map_err(|error| match error.code {
        // Another call took the last free one meanwhile.
        Code::PaymentRequired => cx.services.payments().payment_required(priced, cx.lang),
        _ => error,
    });
    let answer = give_back(&cx, spent, done).await?;
    let allowance = remaining.map(|remaining| left_of_day(&cx.services, remaining));
    Ok(Answered { allowance, ..Answered::now(answer) })
}

async fn run_paid(
    cx: Cx,
    sku: Sku,
    priced: &Priced,
    spent: Option<Spent>,
    work: Work,
) -> Result<Answered, ServiceError> {
    let (error, is_claimed) = match pay(cx.clone(), priced, work).await {
        Ok(answered) => return Ok(answered),
        Err(Unpaid { error, is_claimed }) => (error, is_claimed),
    };
    if sku == Sku::Tab {
        return Err(error);
    }
    // A claimed payment counts against the hourly limit whatever comes of it: it has cost a row and a call of the
    // facilitator.
    let spent = spent.filter(|_| !is_claimed);
    give_back(&cx, spent, Err(error)).await.map_err(|error| with_nothing_left(&cx.services, error))
}

/// Decides whether a call is free, and spends its network's allowance. `pays_nothing`: no payment came with it, so it is
/// refused before anything is written where the allowance is known to be spent.
async fn decide(cx: &Cx, sku: Sku, is_free: bool, pays_nothing: bool) -> Result<FreeOrPaid, ServiceError> {
    let services = &cx.services;
    let is_charged = services.payments().is_live();
    begin_trial(cx);
    if sku == Sku::Tab {
        return Ok(if is_free || is_let_through(cx, sku) { FreeOrPaid::Free(None) } else { FreeOrPaid::ToPay(None) });
    }
    let is_uncounted = is_free_for_now(services, sku) || is_on_trial(services, &cx.caller);
    let (allowance, network) = (services.allowance(), cx.caller.network);
    // Refusals cost the caller nothing, so they must cost the database next to nothing.
    let is_refused = is_charged && !is_uncounted && pays_nothing;
    if is_refused && allowance.has_spent(services.database(), services.ports(), network).await {
        // A payment would be refused past the hourly ceiling, so none is asked for.
        allowance.check_hour(services.database(), services.ports(), network).await?;
        return Ok(FreeOrPaid::ToPay(None));
    }
    let free = if is_uncounted { Free::ForNow } else { Free::Counted };
    let spent = allowance.spend_audit(services.database(), services.ports(), network, free).await?;
    if spent.free || is_uncounted || !is_charged {
        return Ok(FreeOrPaid::Free(Some(spent)));
    }
    allowance.note_spent(&spent);
    Ok(FreeOrPaid::ToPay(Some(spent)))
}

/// Whether a call is not to be paid, or is being paid.
pub(crate) fn is_let_through(cx: &Cx, sku: Sku) -> bool {
    let services = &cx.services;
    cx.withheld.is_some()
        || is_free_for_now(services, sku)
        || is_on_trial(services, &cx.caller)
        || !services.payments().is_live()
}

/// Whether something is free for everybody for the time being.
pub fn is_free_for_now(services: &Services, sku: Sku) -> bool {
    services.config().free_now.contains(&sku)
}

/// Begins the trial of an account with its first call that has a price; with the next one where the database is away.
fn begin_trial(cx: &Cx) {
    let Some(account) = untouched_trial(&cx.caller) else { return };
    let now = cx.services.ports().now();
    cx.services.database().later(move |store| async move { store.start_trial(&account, now).await.map(drop) });
}

/// The account of a caller whose trial has not started: of its session and of its own keys, not of an organization's.
pub(crate) fn untouched_trial(caller: &Caller) -> Option<AccountId> {
    match &caller.identity {
        Identity::Session(session) if session.trial_started_at.is_none() => Some(session.account.clone()),
        Identity::Key(key) if key.trial_started_at.is_none() => match &key.owner {
            Owner::Account(account) => Some(account.clone()),
            Owner::Guest(_) | Owner::Organization(_) => None,
        },
        _ => None,
    }
}

/// Whether an account is in its trial: of its session and of its own keys, not of an organization's.
pub fn is_on_trial(services: &Services, caller: &Caller) -> bool {
    let started_at = match &caller.identity {
        Identity::Session(session) => session.trial_started_at,
        Identity::Key(key) if matches!(key.owner, Owner::Account(_)) => key.trial_started_at,
        _ => return false,
    };
    trial(started_at, services.ports().now()).active
}

/// What an audit of a form is paid by.
#[derive(Debug)]
pub(crate) enum FormMeans {
    /// A free audit, which is held.
    Free(Spent),
    /// The credit that the browser keeps.
    Credit(Box<CallPayment>),
}

/// Runs an audit that a form on a page asks for, by a free audit, or by the credit of the browser where none is left.
/// [`Code::VerificationRequired`] for a browser that has to be verified first.
pub async fn run_form_audit<T: Send + 'static, W>(
    cx: &Cx,
    priced: &Priced,
    work: impl FnOnce(Cx) -> W + Send + 'static,
) -> Result<T, ServiceError>
where
    W: Future<Output = Result<T, ServiceError>> + Send + 'static,
{
    let means = hold_form_audit(cx, priced).await?;
    run_held(cx, priced, means, work).await
}

/// Holds a free audit for a form, or finds the credit of the browser where none is left. `priced`: what the audit would cost.
/// [`Code::VerificationRequired`] for a browser that has to be verified first.
pub(crate) async fn hold_form_audit(cx: &Cx, priced: &Priced) -> Result<FormMeans, ServiceError> {
    match hold(cx, priced).await {
        Ok(spent) => Ok(FormMeans::Free(spent)),
        Err(refused) if refused.code.status() == 402 && cx.caller.credit.is_some() => {
            let headers = PaymentHeaders { credit: cx.caller.credit.as_deref(), signed: Vec::new(), key: None };
            let payment = CallPayment::parse(cx.services.database(), &headers, false).await?;
            Ok(FormMeans::Credit(Box::new(payment)))
        }
        Err(refused) => Err(refused),
    }
}

/// Runs an audit of a form by what is held: a free audit is given back when nothing comes of `work`, and only a result is
/// charged to a credit.
pub(crate) async fn run_held<T: Send + 'static, W>(
    cx: &Cx,
    priced: &Priced,
    means: FormMeans,
    work: impl FnOnce(Cx) -> W + Send + 'static,
) -> Result<T, ServiceError>
where
    W: Future<Output = Result<T, ServiceError>> + Send + 'static,
{
    let payment = match means {
        FormMeans::Free(spent) => return give_back(cx, Some(spent), work(cx.clone()).await).await,
        FormMeans::Credit(payment) => *payment,
    };
    let (done, result) = oneshot::channel();
    // What is stored with the charge is that there was one: the report has an address of its own.
    let work: Work = Box::new(move |cx| {
        Box::pin(async move {
            let worked = work(cx).await?;
            // Whoever waits for it may be gone.
            drop(done.send(worked));
            Ok(CallAnswer { status: 200, headers: Vec::new(), body: Bytes::from_static(b"{}"), speaks: false })
        })
    });
    pay(Cx { payment, ..cx.clone() }, priced, work).await.map_err(|unpaid| unpaid.error)?;
    result.await.map_err(|_| ServiceError::new(Code::Internal))
}

/// Gives back what was held for an audit that does not begin.
pub(crate) async fn release(cx: &Cx, means: FormMeans) {
    if let FormMeans::Free(spent) = means {
        cx.services.allowance().release(cx.services.database(), spent).await;
    }
}

async fn hold(cx: &Cx, priced: &Priced) -> Result<Spent, ServiceError> {
    // Nobody is verified for an allowance that is spent.
    if challenge::standing(cx).is_needed && !matches!(free_remaining(&cx.services, cx.caller.network).await, Ok(0)) {
        return Err(ServiceError::new(Code::VerificationRequired));
    }
    match decide(cx, Sku::Audit, false, true).await? {
        FreeOrPaid::Free(Some(spent)) => return Ok(spent),
        FreeOrPaid::Free(None) | FreeOrPaid::ToPay(None) => {}
        FreeOrPaid::ToPay(Some(spent)) => cx.services.allowance().release(cx.services.database(), spent).await,
    }
    Err(with_nothing_left(&cx.services, cx.services.payments().payment_required(priced, cx.lang)))
}

/// Gives back what was held when nothing came of the call.
async fn give_back<T>(cx: &Cx, spent: Option<Spent>, done: Result<T, ServiceError>) -> Result<T, ServiceError> {
    if let Some(spent) = spent
        && done.is_err()
    {
        cx.services.allowance().release(cx.services.database(), spent).await;
    }
    done
}

/// A refusal that asks for a payment says what is left of the day, which is nothing; one while nobody can pay also says
/// when audits are free again, and what works until then.
fn with_nothing_left(services: &Services, error: ServiceError) -> ServiceError {
    const TRIAL: Text = text(
        "Today's free audits are used up too; new ones come at 00:00 UTC, in {wait}. Payments: try again in {seconds} s. Credit that you have and the trial of an account work now.",
        "As auditorias grátis de hoje também acabaram; há novas às 00:00 UTC, em {wait}. Pagamentos: tente de novo em {seconds} s. Um crédito que você já tem e o período de teste de uma conta funcionam agora.",
    );
    const CREDIT: Text = text(
        "Today's free audits are used up too; new ones come at 00:00 UTC, in {wait}. Payments: try again in {seconds} s. Credit that you have works now.",
        "As auditorias grátis de hoje também acabaram; há novas às 00:00 UTC, em {wait}. Pagamentos: tente de novo em {seconds} s. Um crédito que você já tem funciona agora.",
    );
    let (left, now) = (left_of_day(services, 0), services.ports().now());
    match error.code {
        Code::AllowanceSpent => error.with_allowance(left),
        Code::FacilitatorUnavailable if left.limit > 0 => {
            let has_accounts = services.vault().off().is_none();
            let sentence = if has_accounts { TRIAL } else { CREDIT };
            let seconds = error.retry_after.unwrap_or(FACILITATOR_RETRY);
            let works = if has_accounts { json!(["credit", "trial"]) } else { json!(["credit"]) };
            error
                .explained(sentence.phrase(&[("wait", hours(left.resets_in).into()), ("seconds", seconds.into())]))
                .retry_after(seconds)
                .with("free_again_at", json!(Day(now.day().0 + 1).start()))
                .with("works_now", works)
                .with_allowance(left)
        }
        _ => error,
    }
}

/// Seconds as hours and minutes, rounded up, as both languages write them: "14 h 30 min".
fn hours(seconds: u32) -> String {
    let minutes = seconds.div_ceil(60);
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (hours, 0) => format!("{hours} h"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

fn left_of_day(services: &Services, remaining: u32) -> DayAllowance {
    let (limit, resets_in) = (services.config().limits.free_audits_per_day, services.ports().seconds_to_midnight());
    DayAllowance { limit, remaining, resets_in }
}

/// Free audits that a network has left today (UTC).
pub async fn free_remaining(services: &Services, network: Network) -> Result<u32, ServiceError> {
    services.allowance().free_remaining(services.database(), services.ports(), network).await
}

/// Free audits of the calling network, and whether its next audit must be paid.
pub async fn allowance(cx: &Cx) -> Result<Gate, ServiceError> {
    let services = &cx.services;
    let free_remaining = free_remaining(services, cx.caller.network).await?;
    let is_free =
        is_free_for_now(services, Sku::Audit) || is_on_trial(services, &cx.caller) || !services.payments().is_live();
    let verification = challenge::standing(cx);
    Ok(Gate {
        ip: cx.caller.network.masked(),
        now: services.ports().now().seconds(),
        free_allowance: services.config().limits.free_audits_per_day,
        free_remaining,
        needs_payment: free_remaining == 0 && !is_free,
        configured: verification.is_configured,
        verified_until: verification.verified_until.map(Timestamp::seconds),
        needs_verification: verification.is_needed && free_remaining > 0,
        sitekey: verification.sitekey,
    })
}

#[cfg(test)]
mod tests;
