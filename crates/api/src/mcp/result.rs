//! Results of tools: the structured content, and a text for models that doesn't repeat it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use model::lang::Lang;
use serde_json::{Map, Value, json};

use super::digest::digest;
use super::pair;
use crate::operation::Reply;
use service::error::{OPERATIONS, ServiceError};

/// The result of a successful operation of this name. `as_text`: JSON as text, not as structured content.
pub fn answered(name: &str, reply: &Reply, as_text: bool, lang: Lang) -> Value {
    let is_structured = reply.media_type.ends_with("json") && !reply.media_type.contains('+') && !as_text;
    let body: Option<Value> = if is_structured { serde_json::from_slice(&reply.body).ok() } else { None };
    let mut out = match body {
        Some(body) => structured(&digest(name, &body, lang), body, false),
        None => text(&String::from_utf8_lossy(&reply.body)),
    };
    add_receipt(&mut out, decoded(&reply.headers, &["payment-response", "x-payment-response"]));
    out
}

/// The result of a failed operation: a result with `isError`, not an error of the protocol, so that a model reads it.
pub fn refused(error: &ServiceError, lang: Lang) -> Value {
    let more = error.more.as_deref();
    let offer = more.and_then(|more| more.offer.as_ref()?.as_object().cloned());
    let mut out = match offer {
        Some(offer) => {
            // The transport of x402 has the demand in both.
            let body = Value::Object(payment_required(error, offer, lang));
            structured(&body.to_string(), body, true)
        }
        None => {
            let mut body = error.body(lang);
            body.entry("next").and_modify(named_as_tool);
            structured(&told(error, lang, body.get("next")), Value::Object(body), true)
        }
    };
    add_receipt(&mut out, more.and_then(|more| more.receipt.as_ref()?.content.as_object().cloned()));
    out
}

/// The description of an operation, where an error leads to it, is the answer of a tool here.
fn named_as_tool(next: &mut Value) {
    let of = next.get("path").and_then(Value::as_str).and_then(|path| path.strip_prefix(OPERATIONS)).map(str::to_owned);
    if let Some(name) = of {
        *next = json!({"operation": pair::LIST, "arguments": {"name": name}});
    }
}

/// An error as text: clients that read no structure see its code, and what to call.
fn told(error: &ServiceError, lang: Lang, next: Option<&Value>) -> String {
    let mut out = format!("{} (code {})", error.message(lang), error.code.wire());
    if let Some(next) = next {
        out.push_str(&format!("\nnext: {next}"));
    }
    out
}

/// An error that asks for a payment, as x402's MCP transport has it: version 2 of the demand, which over HTTP stands in a
/// header, with our code.
fn payment_required(error: &ServiceError, mut demand: Map<String, Value>, lang: Lang) -> Map<String, Value> {
    let ours = error.body(lang);
    for name in ["error", "detail", "code", "next", "retry_after"] {
        if let Some(value) = ours.get(name) {
            demand.insert(name.to_owned(), value.clone());
        }
    }
    demand
}

/// A result that is text.
pub(crate) fn text(text: &str) -> Value {
    json!({"content": [{"type": "text", "text": text}], "isError": false})
}

fn structured(text: &str, body: Value, is_error: bool) -> Value {
    json!({"content": [{"type": "text", "text": text}], "structuredContent": body, "isError": is_error})
}

/// Adds the receipt of a payment.
fn add_receipt(result: &mut Value, receipt: Option<Map<String, Value>>) {
    if let (Some(receipt), Some(fields)) = (receipt, result.as_object_mut()) {
        fields.insert("_meta".to_owned(), json!({ "x402/payment-response": receipt }));
    }
}

/// The JSON object in the first of these headers that is present.
fn decoded(headers: &[(HeaderName, HeaderValue)], names: &[&str]) -> Option<Map<String, Value>> {
    let (_, value) = headers.iter().find(|(name, _)| names.contains(&name.as_str()))?;
    let bytes = STANDARD.decode(value).ok()?;
    match serde_json::from_slice(&bytes).ok()? {
        Value::Object(object) => Some(object),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use service::error::Code;

    #[test]
    fn an_answer_is_structured_with_a_digest_or_text_alone() {
        let body = json!({"score": 82, "note": "ä".repeat(5_000)});
        let reply = Reply::json(bytes::Bytes::from(body.to_string()));
        let result = answered("audit_page", &reply, false, Lang::En);
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(result["structuredContent"], body);
        assert!(text.contains("score: 82") && text.len() < 2_400, "{}", text.len());
        let result = answered("audit_page", &reply, true, Lang::En);
        assert_eq!(
            (result["content"][0]["text"].as_str(), result.get("structuredContent")),
            (Some(&*body.to_string()), None)
        );
    }

    #[test]
    fn a_refusal_is_a_sentence_beside_its_fields() {
        let result = refused(&ServiceError::new(Code::AuditNotFound), Lang::En);
        assert_eq!(result["structuredContent"]["code"], "audit_not_found");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.starts_with(result["structuredContent"]["error"].as_str().unwrap()), "{text}");
        assert!(text.contains("(code audit_not_found)"), "{text}");
    }

    #[test]
    fn a_payment_is_asked_for_in_version_2_with_our_code() {
        let demand = json!({"x402Version": 2, "error": "x", "accepts": [{"amount": "20000"}]});
        let error = ServiceError::new(Code::AllowanceSpent)
            .with("accepts", json!([{"maxAmountRequired": "20000"}]))
            .offering(demand.clone());
        let result = refused(&error, Lang::En);
        let body = &result["structuredContent"];
        assert_eq!(
            (&result["isError"], &body["x402Version"], &body["code"]),
            (&true.into(), &2.into(), &"allowance_spent".into())
        );
        assert_eq!(body["accepts"], demand["accepts"]);
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(&text, body);
    }

    #[test]
    fn a_receipt_stands_beside_the_result() {
        let receipt = json!({"success": true, "transaction": "0x1"});
        let header = HeaderValue::from_str(&STANDARD.encode(receipt.to_string())).unwrap();
        let mut reply = Reply::json(bytes::Bytes::from_static(b"{}"));
        reply.headers.push((HeaderName::from_static("x-payment-response"), header));
        assert_eq!(answered("t", &reply, false, Lang::En)["_meta"]["x402/payment-response"], receipt);
    }
}
