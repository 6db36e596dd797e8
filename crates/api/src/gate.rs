//! The gate: checks before a handler runs. Network limits, identity, access, input, allowance, payment; in this order, once,
//! from the operation's data.

use bytes::Bytes;
use http::header::{CONTENT_LANGUAGE, CONTENT_TYPE, SET_COOKIE, VARY};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value};
use service::audits::{audit_id, count_refusal};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::gate;
use service::payments::answer::{Answered, CallAnswer};
use service::x402::{CallPayment, PaymentHeaders};

use crate::caller::{self, Incoming, Recognized, is_crawler};
use crate::operation::{Access, Call, Operation, Reply, ReportWish, Resources, token_of};
use crate::response::conditional::KnownContents;
use crate::response::{allowance, receipt};

/// Takes a call through the gate, runs its handler, and settles or gives back what was held for it.
pub async fn call(
    resources: &Resources,
    operation: &Operation,
    incoming: Incoming<'_>,
    input: Result<Map<String, Value>, ServiceError>,
) -> Result<Reply, ServiceError> {
    let services = &resources.services;
    if operation.price.is_some() {
        gate::admit_audit(services, incoming.network, is_crawler(services, incoming.headers))?;
    }
    if let Some(limit) = operation.rate_limit {
        gate::spend_hourly(services, incoming.network, limit).await?;
    }
    let body_token = input.as_ref().ok().and_then(token_of);
    let wanted = input.as_ref().ok().filter(|_| operation.reads_audit_head).and_then(|input| input.get("id")?.as_str());
    let wanted = wanted.and_then(|id| audit_id(id.to_owned()).ok());
    let recognized = caller::of_call(services, operation, &incoming, body_token, wanted.as_ref());
    let Recognized { caller, renewed } = Box::pin(recognized).await?;
    let headers = payment_headers(incoming.headers, caller.credit.as_deref());
    let has_price = operation.price.is_some() || operation.sells;
    let payment = CallPayment::parse(services.database(), &headers, has_price).await?;
    if operation.access == Access::Credit {
        payment.required_credit()?;
    }
    let mut input = input?;
    if operation.takes_body() {
        operation.check_nested(&input)?;
    }
    // Of a call without a price nobody asks for it, and a page that is sent is long.
    let whole = operation.price.map(|_| input.clone()).unwrap_or_default();
    let wish = ReportWish::taken(operation, &mut input)?;
    let cx = Cx { payment, ..Cx::new(services, caller, incoming.lang) };
    if let Err(error) = operation.judge(services, &input) {
        return Err(count_refusal(&cx, error).await);
    }
    // None over MCP: it forwards no conditions, as its answers have no status of their own.
    let known = KnownContents::of(incoming.headers);
    let call = Call { cx, resources: resources.clone(), form: incoming.form, wish, known };
    let mut reply = match operation.price {
        None => operation.run(call, input).await?,
        Some(_) => run_priced(call, operation, &whole, input).await?,
    };
    // Before what the handler set: its cookie, if it has one, is the newer.
    reply.headers.splice(..0, renewed.map(|cookie| (SET_COOKIE, cookie)));
    Ok(reply)
}

/// Payment, credit and idempotency key in the headers of a call.
fn payment_headers<'h>(headers: &'h HeaderMap, credit: Option<&'h str>) -> PaymentHeaders<'h> {
    let signed = headers.get_all("x-payment").iter().chain(headers.get_all("payment-signature").iter());
    let mut keys = headers.get_all("idempotency-key").iter();
    let key = keys.next().map(|value| match value.to_str() {
        Ok(text) if keys.next().is_none() => text,
        // No key is empty, so this is refused as one of the wrong shape.
        _ => "",
    });
    PaymentHeaders { credit, signed: signed.map(HeaderValue::as_bytes).collect(), key }
}

/// Runs a call that has a price, paid or free. `whole`: its input with the wish, which a payment is for.
async fn run_priced(
    call: Call,
    operation: &Operation,
    whole: &Map<String, Value>,
    input: Map<String, Value>,
) -> Result<Reply, ServiceError> {
    let services = call.cx.services.clone();
    let Some(priced_call) = operation.priced_call(whole) else { return operation.run(call, input).await };
    let (sku, priced) = (priced_call.sku, services.payments().priced(&priced_call));
    let cx = call.cx.clone();
    let is_free = operation.is_free(&call, &input);
    let (work_operation, work_call, work_input) = (operation.clone(), call.clone(), input.clone());
    let work = Box::new(move |cx: Cx| -> futures_util::future::BoxFuture<'static, _> {
        Box::pin(async move {
            let reply = work_operation.run(Call { cx, ..work_call }, work_input).await?;
            Ok(to_answer(reply))
        })
    });
    let answered = gate::run(cx, sku, priced, is_free, work).await?;
    to_reply(operation, answered)
}

/// A reply as it is stored for a replay. Its media type is among the headers where it is not JSON.
fn to_answer(reply: Reply) -> CallAnswer {
    let media_type = (reply.media_type != Reply::JSON).then(|| (CONTENT_TYPE.to_string(), reply.media_type.to_owned()));
    let headers = reply
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
    CallAnswer {
        status: reply.status.as_u16(),
        headers: headers.chain(media_type).collect(),
        body: reply.body,
        speaks: reply.speaks,
    }
}

/// The reply of a call with a price, with receipt, replay and allowance headers.
fn to_reply(operation: &Operation, answered: Answered) -> Result<Reply, ServiceError> {
    let damaged = || {
        tracing::error!("the head of a stored response can't be read");
        ServiceError::new(Code::Internal)
    };
    let Answered { answer, earlier_lang, is_replayed, receipt: payment_receipt, allowance: left } = answered;
    let CallAnswer { status, headers, body, speaks } = answer;
    let mut reply = Reply { speaks, ..Reply::json(Bytes::clone(&body)) };
    reply.status = StatusCode::from_u16(status).map_err(|_| damaged())?;
    if let Some(lang) = earlier_lang {
        reply.headers.push((CONTENT_LANGUAGE, HeaderValue::from_static(lang.tag())));
        reply.headers.push((VARY, HeaderValue::from_static("Accept-Language")));
    }
    for (name, value) in headers {
        if name == CONTENT_TYPE.as_str() {
            let form = operation.forms.iter().find(|form| form.media_type == value).ok_or_else(damaged)?;
            reply.media_type = form.media_type;
            continue;
        }
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| damaged())?;
        reply.headers.push((name, HeaderValue::from_str(&value).map_err(|_| damaged())?));
    }
    if is_replayed {
        reply.headers.push((HeaderName::from_static("idempotent-replay"), HeaderValue::from_static("true")));
    }
    reply.headers.extend(payment_receipt.as_ref().and_then(receipt));
    reply.headers.extend(left.as_ref().map(allowance).into_iter().flatten());
    Ok(reply)
}
