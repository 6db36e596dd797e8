//! What a call must pass before its handler runs: network limits, identity, access, input, allowance, payment; in this
//! order, once, from the operation's data.

mod charge;

use std::sync::Arc;

use http::HeaderMap;
use http::header::SET_COOKIE;
use model::lang::Lang;
use serde_json::{Map, Value};

use crate::app::App;
use crate::audits::count_refusal;
use crate::caller::{self, Network};
use crate::error::{ApiError, Code};
use crate::operation::{Access, Ceiling, Cx, Form, Operation, Reply, token_of};
use crate::payments::brought::{Brought, BroughtCredit};

pub use charge::{hold, settle};
pub(crate) use charge::{is_free_for_now, is_let_through, is_on_trial};

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
    /// The body, where the operation takes a form.
    pub form: Option<Arc<Form>>,
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
    let credit = BroughtCredit::of(app, caller.credit.as_deref()).await?;
    let brought = if operation.price.is_some() || operation.sells {
        Brought::to_pay(incoming.headers, credit)?
    } else {
        Brought::credit(credit)
    };
    if operation.access == Access::Credit {
        brought.required_credit()?;
    }
    let input = input?;
    let cx = Cx { brought, form: incoming.form, ..Cx::new(app, caller, incoming.lang) };
    if let Err(error) = operation.judge(app, &input) {
        return Err(count_refusal(&cx, error).await);
    }
    let mut reply = match operation.price {
        None => operation.run(cx, input).await?,
        Some(sku) => charge::run(cx, operation, sku, input).await?,
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
