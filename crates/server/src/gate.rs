//! What a call must pass before its handler runs: network limits, identity, access, input, allowance, payment; in this
//! order, once, from the operation's data.

use http::header::SET_COOKIE;
use http::{HeaderMap, HeaderName, HeaderValue};
use model::lang::Lang;
use model::time::DAY_MS;
use serde_json::{Map, Value};

use crate::allowance::{Free, Spent};
use crate::app::App;
use crate::audits::count_refusal;
use crate::caller::{self, Network};
use crate::config::{PaymentMode, Sku};
use crate::error::{ApiError, Code};
use crate::operation::{Ceiling, Cx, Operation, Reply, token_of};

/// A call as it came in.
#[derive(Debug)]
pub struct Incoming<'h> {
    /// Where it comes from.
    pub network: Network,
    /// Its headers.
    pub headers: &'h HeaderMap,
    /// A guest token in its query.
    pub query_token: Option<&'h str>,
    /// The language of the answer.
    pub lang: Lang,
}

/// Takes a call through the gate, runs its handler, and settles or gives back what was held for it.
pub async fn call(
    app: &App,
    operation: &Operation,
    incoming: Incoming<'_>,
    input: Result<Map<String, Value>, ApiError>,
) -> Result<Reply, ApiError> {
    if operation.price.is_some() {
        admit_audit(app, incoming.network, is_crawler(app, incoming.headers))?;
    }
    if let Some(ceiling) = operation.ceiling {
        let limits = &app.config().limits;
        let (what, per_hour) = match ceiling {
            Ceiling::Guests => ("guests", limits.guests_per_hour),
            Ceiling::Verifications => ("verifications", limits.verifications_per_hour),
        };
        app.allowance().spend_hourly(app.database(), app.ports(), incoming.network, what, per_hour).await?;
    }
    let mut caller = caller::of_call(app, operation, &incoming, input.as_ref().ok().and_then(token_of)).await?;
    let renewed = caller.renewed.take();
    let input = input?;
    let cx = Cx::new(app, caller, incoming.lang);
    if let Err(error) = operation.judge(app, &input) {
        return Err(count_refusal(&cx, error).await);
    }
    let mut reply = match operation.price {
        None => operation.run(cx, input).await?,
        Some(sku) => {
            let held = hold(&cx, sku).await?;
            let left = left_of_day(app, held.free_remaining);
            let done = operation.run(cx.clone(), input).await;
            let mut reply = settle(&cx, held, done).await?;
            reply.headers.extend(left);
            reply
        }
    };
    // Before what the handler set: its cookie, if it has one, is the newer.
    reply.headers.splice(..0, renewed.map(|cookie| (SET_COOKIE, cookie)));
    Ok(reply)
}

/// What every audit must pass before anything else, whoever asks for it.
pub fn admit_audit(app: &App, network: Network, is_crawler: bool) -> Result<(), ApiError> {
    if is_crawler {
        return Err(ApiError::new(Code::CrawlerNotAllowed));
    }
    app.allowance().check_refusals(app.ports(), network)
}

/// Whether a request carries the name of our own client, or of the client of any Site Audit: an audit must never start
/// another one.
pub fn is_crawler(app: &App, headers: &HeaderMap) -> bool {
    let agent = headers.get(http::header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let product = |text: &str| text.split(['/', ' ']).next().unwrap_or_default().to_ascii_lowercase();
    let sent = product(agent);
    !sent.is_empty() && (sent == "siteaudit" || sent == product(&app.config().user_agent(app.base_url())))
}

/// Holds what a call costs: a part of the free allowance, or a payment.
pub async fn hold(cx: &Cx, sku: Sku) -> Result<Spent, ApiError> {
    let app = &cx.app;
    let is_free = app.config().free_now.contains(&sku);
    let free = if is_free { Free::ForNow } else { Free::Counted };
    let is_charged = !is_free && app.config().payment_mode() == PaymentMode::Live;
    let (allowance, network) = (app.allowance(), cx.caller.network);
    // Refusals cost the caller nothing, so they must cost the database next to nothing.
    if is_charged && allowance.has_spent(app.database(), app.ports(), network).await {
        return Err(unpaid(cx, sku));
    }
    let spent = allowance.spend_audit(app.database(), app.ports(), network, free).await?;
    if spent.free || !is_charged {
        return Ok(spent);
    }
    allowance.note_spent(&spent);
    allowance.release(app.database(), spent).await;
    Err(unpaid(cx, sku))
}

/// The refusal of a call that would have to be paid.
fn unpaid(cx: &Cx, sku: Sku) -> ApiError {
    // Payments are asked for, but this build can't settle one; nothing is ever let through for a claim of payment.
    if cx.caller.offers_payment {
        return ApiError::new(Code::FacilitatorUnavailable).retry_after(600);
    }
    let asked = cx.app.payments().required(&cx.app, sku, cx.lang);
    left_of_day(&cx.app, 0).into_iter().fold(asked, |error, (name, value)| error.header(name, value))
}

/// What is left of the day's free audits, as headers (draft-ietf-httpapi-ratelimit-headers-10).
fn left_of_day(app: &App, remaining: u32) -> Vec<(HeaderName, HeaderValue)> {
    let until_midnight = (DAY_MS - app.ports().now().0.rem_euclid(DAY_MS)) / 1000;
    let policy = format!("\"day\";q={};w=86400", app.config().limits.free_audits_per_day);
    let left = format!("\"day\";r={remaining};t={until_midnight}");
    [("ratelimit-policy", policy), ("ratelimit", left)]
        .into_iter()
        .filter_map(|(name, value)| Some((HeaderName::from_static(name), HeaderValue::from_str(&value).ok()?)))
        .collect()
}

/// Gives back what was held when nothing came of the call.
pub async fn settle<T>(cx: &Cx, held: Spent, done: Result<T, ApiError>) -> Result<T, ApiError> {
    if done.is_err() {
        cx.app.allowance().release(cx.app.database(), held).await;
    }
    done
}
