//! What a call costs, and who pays for it: free for now, trial, free allowance, credit, x402, in this order. Only the third
//! spends the network's allowance. Nothing is final before the result is.

use std::sync::Arc;

use http::{HeaderName, HeaderValue};
use model::id::Owner;
use serde_json::{Map, Value};
use store::Claim;

use crate::accounts::trial;
use crate::allowance::{Free, Spent};
use crate::app::App;
use crate::caller::{Caller, Identity};
use crate::config::Sku;
use crate::error::{ApiError, Code};
use crate::operation::{Cx, Operation, Reply};
use crate::payments::brought::BroughtCredit;
use crate::payments::by_credit::{self, Held};
use crate::payments::by_x402::{self, WORK_TIME};
use crate::payments::request_hash;

/// What the allowance says of a call.
enum Allowed {
    /// It is free. What was spent is given back when nothing comes of the call.
    Free(Option<Spent>),
    /// It must be paid; the hour was spent all the same.
    ToPay(Option<Spent>),
}

/// Runs a call with a price, paid or free.
pub(super) async fn run(
    mut cx: Cx,
    operation: &Operation,
    sku: Sku,
    input: Map<String, Value>,
) -> Result<Reply, ApiError> {
    let app = cx.app.clone();
    let priced = app.payments().priced(&app, operation, sku, &input);
    let owner = cx.caller.owner().map(|owner| owner.to_string());
    let hash = request_hash(&priced, owner.as_deref());
    if app.payments().is_live() {
        // Before anything is given away: what was paid already has its answer.
        if let Some(earlier) = by_credit::earlier(&cx, &hash).await {
            return earlier;
        }
        if let Some(earlier) = by_x402::earlier(&cx, &priced, &hash).await? {
            return earlier;
        }
    }
    let brings_nothing = cx.brought.payment.is_none() && matches!(cx.brought.credit, BroughtCredit::None);
    let is_free = operation.is_free(&cx, &input).await?;
    let spent = match allow(&cx, sku, is_free, brings_nothing).await {
        Ok(Allowed::Free(spent)) => {
            let left = spent.as_ref().and_then(|spent| spent.free_remaining).map(|left| left_of_day(&app, left));
            let done = operation.run(cx.clone(), input).await.map_err(|error| match error.code {
                // Somebody else took the last free one meanwhile.
                Code::PaymentRequired => app.payments().asked(&priced, cx.lang),
                _ => error,
            });
            let mut reply = give_back(&cx, spent, done).await?;
            reply.headers.extend(left.into_iter().flatten());
            return Ok(reply);
        }
        Ok(Allowed::ToPay(spent)) => spent,
        Err(error) => return Err(error),
    };
    let mut is_claimed = false;
    let done = async {
        by_x402::none_on_its_way(&cx, &priced).await?;
        match by_credit::hold(&cx, &priced, hash).await? {
            Some(Held::Replayed(reply)) => return Ok(reply),
            Some(Held::Debit(debit)) => {
                cx.withheld = Some(Arc::from(debit.as_str()));
                let (operation, input, held_cx) = (operation.clone(), input, cx.clone());
                // A caller that hangs up changes nothing: the work is paid.
                let paid = async move {
                    let (app, lang) = (held_cx.app.clone(), held_cx.lang);
                    let done = tokio::time::timeout(WORK_TIME, operation.run(held_cx, input)).await;
                    let done = done.unwrap_or_else(|_| Err(ApiError::new(Code::Overloaded).retry_after(5)));
                    by_credit::end(&app, &debit, lang, done).await
                };
                return app.payments().ongoing().off_the_call(paid).await?;
            }
            None => {}
        }
        let Some(judged) = by_x402::judge(&cx, &priced, WORK_TIME)? else {
            return Err(app.payments().asked(&priced, cx.lang));
        };
        if sku == Sku::Tab {
            by_x402::admit(&cx).await?;
        }
        let lease = match by_x402::claim(&cx, &priced, &judged, hash, None).await? {
            Claim::Claimed(lease) => lease,
            Claim::Known(known) => return by_x402::replay(&cx, &priced, &hash, *known).await,
        };
        is_claimed = true;
        by_x402::run(cx.clone(), operation, input, priced, judged, lease).await
    }
    .await;
    // A payment that was claimed counts against the hour whatever comes of it: it has made us keep a row and ask the
    // facilitator.
    let spent = spent.filter(|_| !is_claimed);
    match sku {
        Sku::Audit => give_back(&cx, spent, done).await.map_err(|error| with_nothing_left(&app, error)),
        Sku::Tab => done,
    }
}

/// Whether a call is free, and what it spends of the allowance of its network. `brings_nothing`: whoever is known to have
/// spent it is refused before anything is written.
async fn allow(cx: &Cx, sku: Sku, is_free: bool, brings_nothing: bool) -> Result<Allowed, ApiError> {
    let app = &cx.app;
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
    let app = &cx.app;
    cx.withheld.is_some() || is_free_for_now(app, sku) || is_on_trial(app, &cx.caller) || !app.payments().is_live()
}

/// Whether something is free for everybody for the time being.
pub(crate) fn is_free_for_now(app: &App, sku: Sku) -> bool {
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
    let now = cx.app.ports().now();
    cx.app.database().later(move |store| async move { store.start_trial(&account, now).await.map(drop) });
}

/// Whether an account is in its trial: of its session and of its own keys, not of an organization's.
pub(crate) fn is_on_trial(app: &App, caller: &Caller) -> bool {
    let started_at = match &caller.identity {
        Identity::Session(session) => session.trial_started_at,
        Identity::Key(key) if matches!(key.owner, Owner::Account(_)) => key.trial_started_at,
        _ => return false,
    };
    trial(started_at, app.ports().now()).active
}

/// Holds a free audit of a form on a page, which brings nothing to pay with.
pub async fn hold(cx: &Cx) -> Result<Spent, ApiError> {
    match allow(cx, Sku::Audit, false, true).await? {
        Allowed::Free(Some(spent)) => return Ok(spent),
        Allowed::Free(None) | Allowed::ToPay(None) => {}
        Allowed::ToPay(Some(spent)) => cx.app.allowance().release(cx.app.database(), spent).await,
    }
    let audit = cx.app.operations().iter().find(|operation| operation.price == Some(Sku::Audit));
    let error = match audit {
        Some(operation) => {
            let priced = cx.app.payments().priced(&cx.app, operation, Sku::Audit, &Map::new());
            cx.app.payments().asked(&priced, cx.lang)
        }
        None => ApiError::new(Code::Internal),
    };
    Err(with_nothing_left(&cx.app, error))
}

/// Gives back what was held when nothing came of the call.
pub async fn settle<T>(cx: &Cx, held: Spent, done: Result<T, ApiError>) -> Result<T, ApiError> {
    give_back(cx, Some(held), done).await
}

async fn give_back<T>(cx: &Cx, spent: Option<Spent>, done: Result<T, ApiError>) -> Result<T, ApiError> {
    if let Some(spent) = spent
        && done.is_err()
    {
        cx.app.allowance().release(cx.app.database(), spent).await;
    }
    done
}

/// A refusal that asks for a payment says what is left of the day, which is nothing.
fn with_nothing_left(app: &App, error: ApiError) -> ApiError {
    if error.code != Code::AllowanceSpent {
        return error;
    }
    left_of_day(app, 0).into_iter().fold(error, |error, (name, value)| error.header(name, value))
}

/// What is left of the day's free audits, as headers (draft-ietf-httpapi-ratelimit-headers-10).
fn left_of_day(app: &App, remaining: u32) -> Vec<(HeaderName, HeaderValue)> {
    let until_midnight = app.ports().seconds_to_midnight();
    let policy = format!("\"day\";q={};w=86400", app.config().limits.free_audits_per_day);
    let left = format!("\"day\";r={remaining};t={until_midnight}");
    [("ratelimit-policy", policy), ("ratelimit", left)]
        .into_iter()
        .filter_map(|(name, value)| Some((HeaderName::from_static(name), HeaderValue::from_str(&value).ok()?)))
        .collect()
}
