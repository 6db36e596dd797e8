//! What a call costs, and who pays for it: free for now, trial, free allowance, credit, x402, in this order. Only the third
//! spends the network's allowance. Nothing is final before the result is.

use std::sync::Arc;

use model::billing::Gate;
use model::id::Owner;
use store::Claim;

use crate::accounts::trial;
use crate::allowance::{Free, Spent};
use crate::caller::{Caller, Cx, Identity};
use crate::config::Sku;
use crate::error::{Code, DayAllowance, ServiceError};
use crate::payments::answer::{Paid, Work};
use crate::payments::by_credit::{self, Held};
use crate::payments::by_x402::{self, WORK_TIME};
use crate::services::Services;
use crate::x402::{BroughtCredit, Priced, request_hash};

/// What came of a call with a price.
#[derive(Debug)]
pub struct Charged {
    /// The answer, made now or before, with the receipt of its payment.
    pub paid: Paid,
    /// What is left of the day's free audits, where the call was one.
    pub allowance: Option<DayAllowance>,
}

impl Charged {
    fn paid(paid: Paid) -> Self {
        Self { paid, allowance: None }
    }
}

/// What the allowance says of a call.
enum Allowed {
    /// It is free. What was spent is given back when nothing comes of the call.
    Free(Option<Spent>),
    /// It must be paid; the hour was spent all the same.
    ToPay(Option<Spent>),
}

/// Runs a call with a price, paid or free. `is_free`: whether it costs nothing, whatever the allowance; asked once nothing
/// else has answered the call.
pub async fn run(
    mut cx: Cx,
    sku: Sku,
    priced: Priced,
    is_free: impl Future<Output = Result<bool, ServiceError>>,
    work: Work,
) -> Result<Charged, ServiceError> {
    let services = cx.services.clone();
    let owner = cx.caller.owner().map(|owner| owner.to_string());
    let hash = request_hash(&priced, owner.as_deref());
    if services.payments().is_live() {
        // Before anything is given away: what was paid already has its answer.
        if let Some(earlier) = by_credit::earlier(&cx, &hash).await {
            return earlier.map(Charged::paid);
        }
        if let Some(earlier) = by_x402::earlier(&cx, &priced, &hash).await? {
            return earlier.map(Charged::paid);
        }
    }
    let brings_nothing = cx.brought.payment.is_none() && matches!(cx.brought.credit, BroughtCredit::None);
    let spent = match allow(&cx, sku, is_free.await?, brings_nothing).await? {
        Allowed::Free(spent) => {
            let left = spent.as_ref().and_then(|spent| spent.free_remaining);
            let done = work(cx.clone()).await.map_err(|error| match error.code {
                // Somebody else took the last free one meanwhile.
                Code::PaymentRequired => services.payments().asked(&priced, cx.lang),
                _ => error,
            });
            let answer = give_back(&cx, spent, done).await?;
            let allowance = left.map(|left| left_of_day(&services, left));
            return Ok(Charged { paid: Paid::now(answer), allowance });
        }
        Allowed::ToPay(spent) => spent,
    };
    let mut is_claimed = false;
    let done = async {
        by_x402::none_on_its_way(&cx, &priced).await?;
        match by_credit::hold(&cx, &priced, hash).await? {
            Some(Held::Replayed(paid)) => return Ok(paid),
            Some(Held::Debit(debit)) => {
                cx.withheld = Some(Arc::from(debit.as_str()));
                let held_cx = cx.clone();
                // A caller that hangs up changes nothing: the work is paid.
                let paid = async move {
                    let (services, lang) = (held_cx.services.clone(), held_cx.lang);
                    let done = tokio::time::timeout(WORK_TIME, work(held_cx)).await;
                    let done = done.unwrap_or_else(|_| Err(ServiceError::new(Code::Overloaded).retry_after(5)));
                    by_credit::end(&services, &debit, lang, done).await
                };
                return services.payments().ongoing().off_the_call(paid).await?.map(Paid::now);
            }
            None => {}
        }
        let Some(judged) = by_x402::judge(&cx, &priced, WORK_TIME)? else {
            return Err(services.payments().asked(&priced, cx.lang));
        };
        if sku == Sku::Tab {
            by_x402::admit(&cx).await?;
        }
        let lease = match by_x402::claim(&cx, &priced, &judged, hash, None).await? {
            Claim::Claimed(lease) => lease,
            Claim::Known(known) => return by_x402::replay(&cx, &priced, &hash, *known).await,
        };
        is_claimed = true;
        by_x402::run(cx.clone(), work, priced, judged, lease).await
    }
    .await;
    // A payment that was claimed counts against the hour whatever comes of it: it has made us keep a row and ask the
    // facilitator.
    let spent = spent.filter(|_| !is_claimed);
    let done = match sku {
        Sku::Audit => give_back(&cx, spent, done).await.map_err(|error| with_nothing_left(&services, error)),
        Sku::Tab => done,
    };
    done.map(Charged::paid)
}

/// Whether a call is free, and what it spends of the allowance of its network. `brings_nothing`: whoever is known to have
/// spent it is refused before anything is written.
async fn allow(cx: &Cx, sku: Sku, is_free: bool, brings_nothing: bool) -> Result<Allowed, ServiceError> {
    let app = &cx.services;
    let is_charged = app.payments().is_live();
    begin_trial(cx);
    if sku == Sku::Tab {
        return Ok(if is_free || is_let_through(cx, sku) { Allowed::Free(None) } else { Allowed::ToPay(None) });
    }
    let uncounted = is_free_for_now(app, sku) || is_on_trial(app, &cx.caller);
    let (allowance, network) = (app.allowance(), cx.caller.network);
    // Refusals cost the caller nothing, so they must cost the database next to nothing.
    let is_refused = is_charged && !uncounted && brings_nothing;
    if is_refused && allowance.has_spent(app.database(), app.ports(), network).await {
        return Ok(Allowed::ToPay(None));
    }
    let free = if uncounted { Free::ForNow } else { Free::Counted };
    let spent = allowance.spend_audit(app.database(), app.ports(), network, free).await?;
    if spent.free || uncounted || !is_charged {
        return Ok(Allowed::Free(Some(spent)));
    }
    allowance.note_spent(&spent);
    Ok(Allowed::ToPay(Some(spent)))
}

/// Whether nothing more is asked of a caller: it is paid, or nobody has to pay.
pub(crate) fn is_let_through(cx: &Cx, sku: Sku) -> bool {
    let app = &cx.services;
    cx.withheld.is_some() || is_free_for_now(app, sku) || is_on_trial(app, &cx.caller) || !app.payments().is_live()
}

/// Whether something is free for everybody for the time being.
pub fn is_free_for_now(app: &Services, sku: Sku) -> bool {
    app.config().free_now.contains(&sku)
}

/// Begins the trial of an account with the first call that has a price. One that is not noted, as the database is away,
/// begins with the next.
fn begin_trial(cx: &Cx) {
    let account = match &cx.caller.identity {
        Identity::Session(session) if session.trial_started_at.is_none() => session.account.clone(),
        Identity::Key(key) if key.trial_started_at.is_none() => match &key.owner {
            Owner::Account(account) => account.clone(),
            Owner::Guest(_) | Owner::Organization(_) => return,
        },
        _ => return,
    };
    let now = cx.services.ports().now();
    cx.services.database().later(move |store| async move { store.start_trial(&account, now).await.map(drop) });
}

/// Whether an account is in its trial: of its session and of its own keys, not of an organization's.
pub fn is_on_trial(app: &Services, caller: &Caller) -> bool {
    let started_at = match &caller.identity {
        Identity::Session(session) => session.trial_started_at,
        Identity::Key(key) if matches!(key.owner, Owner::Account(_)) => key.trial_started_at,
        _ => return false,
    };
    trial(started_at, app.ports().now()).active
}

/// Holds a free audit of a form on a page, which brings nothing to pay with. `priced`: what it would cost.
pub async fn hold(cx: &Cx, priced: &Priced) -> Result<Spent, ServiceError> {
    match allow(cx, Sku::Audit, false, true).await? {
        Allowed::Free(Some(spent)) => return Ok(spent),
        Allowed::Free(None) | Allowed::ToPay(None) => {}
        Allowed::ToPay(Some(spent)) => cx.services.allowance().release(cx.services.database(), spent).await,
    }
    Err(with_nothing_left(&cx.services, cx.services.payments().asked(priced, cx.lang)))
}

/// Gives back what was held when nothing came of the call.
pub async fn settle<T>(cx: &Cx, held: Spent, done: Result<T, ServiceError>) -> Result<T, ServiceError> {
    give_back(cx, Some(held), done).await
}

async fn give_back<T>(cx: &Cx, spent: Option<Spent>, done: Result<T, ServiceError>) -> Result<T, ServiceError> {
    if let Some(spent) = spent
        && done.is_err()
    {
        cx.services.allowance().release(cx.services.database(), spent).await;
    }
    done
}

/// A refusal that asks for a payment says what is left of the day, which is nothing.
fn with_nothing_left(services: &Services, error: ServiceError) -> ServiceError {
    if error.code != Code::AllowanceSpent {
        return error;
    }
    error.with_allowance(left_of_day(services, 0))
}

fn left_of_day(services: &Services, remaining: u32) -> DayAllowance {
    let (limit, resets_in) = (services.config().limits.free_audits_per_day, services.ports().seconds_to_midnight());
    DayAllowance { limit, remaining, resets_in }
}

/// What the calling network may still do for free.
pub async fn allowance(cx: &Cx) -> Result<Gate, ServiceError> {
    let services = &cx.services;
    let free_remaining =
        services.allowance().free_remaining(services.database(), services.ports(), cx.caller.network).await?;
    let is_free =
        is_free_for_now(services, Sku::Audit) || is_on_trial(services, &cx.caller) || !services.payments().is_live();
    Ok(Gate {
        ip: cx.caller.network.masked(),
        now: services.ports().now().seconds(),
        free_allowance: services.config().limits.free_audits_per_day,
        free_remaining,
        needs_payment: free_remaining == 0 && !is_free,
        configured: false,
    })
}
