//! Results of tools: the structured content, and a text for models.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::{HeaderName, HeaderValue};
use model::lang::Lang;
use serde_json::{Map, Value, json};

use crate::operation::Reply;
use service::error::ServiceError;

/// Bytes of the text of a result: about 4,000 tokens. A longer answer is shortened there; it stays whole beside it.
const TEXT_BYTES: usize = 16 * 1024;
/// Steps of shortening: items shortened of a list and characters shortened of a text, from the mildest step on.
const STEPS: [(usize, usize); 7] = [(200, 2_000), (50, 400), (25, 240), (12, 160), (6, 120), (3, 80), (0, 40)];

/// The result of a successful operation.
pub fn answered(tool: &str, reply: &Reply) -> Value {
    let body: Option<Value> =
        if reply.media_type.ends_with("json") { serde_json::from_slice(&reply.body).ok() } else { None };
    let mut out = match body {
        Some(body) => {
            let shown = shortened(tool, &body);
            structured(&shown, body, false)
        }
        None => json!({
            "content": [{"type": "text", "text": String::from_utf8_lossy(&reply.body)}],
            "isError": false,
        }),
    };
    add_receipt(&mut out, decoded(&reply.headers, &["payment-response", "x-payment-response"]));
    out
}

/// The result of a failed operation: a result with `isError`, not an error of the protocol, so that a model reads it.
pub fn refused(error: &ServiceError, lang: Lang) -> Value {
    let more = error.more.as_deref();
    let offer = more.and_then(|more| more.offer.as_ref()?.as_object().cloned());
    let body = match offer {
        Some(offer) => payment_required(error, offer, lang),
        None => error.body(lang),
    };
    let body = Value::Object(body);
    let mut out = structured(&body.to_string(), body, true);
    add_receipt(&mut out, more.and_then(|more| more.receipt.as_ref()?.content.as_object().cloned()));
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

/// An answer as JSON of at most [`TEXT_BYTES`], in which long lists and texts are cut, and which says so.
fn shortened(tool: &str, body: &Value) -> String {
    let whole = body.to_string();
    if whole.len() <= TEXT_BYTES {
        return whole;
    }
    let note =
        format!("Shortened: lists and texts end early. The structured content of this result of {tool} is whole.");
    for (items, characters) in STEPS {
        let mut cut = cut(body, items, characters);
        if let Value::Object(fields) = &mut cut {
            fields.insert("_shortened".to_owned(), note.clone().into());
        }
        let text = cut.to_string();
        if text.len() <= TEXT_BYTES {
            return text;
        }
    }
    json!({ "_shortened": note }).to_string()
}

fn cut(value: &Value, items: usize, characters: usize) -> Value {
    match value {
        Value::String(text) => match text.char_indices().nth(characters) {
            Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()).into(),
            None => value.clone(),
        },
        Value::Array(list) => {
            let mut shortened: Vec<Value> = list.iter().take(items).map(|item| cut(item, items, characters)).collect();
            if list.len() > items {
                shortened.push(format!("… {} more", list.len() - items).into());
            }
            shortened.into()
        }
        Value::Object(fields) => {
            let shortened = fields.iter().map(|(name, field)| (name.clone(), cut(field, items, characters)));
            Value::Object(shortened.collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use service::error::Code;

    #[test]
    fn a_short_answer_is_its_own_text() {
        let body = json!({"a": [1, 2], "b": "x"});
        assert_eq!(shortened("t", &body), body.to_string());
    }

    #[test]
    fn a_long_answer_is_cut_at_its_lists_and_texts_and_says_so() {
        let item = json!({"message": "ä".repeat(500), "n": 1});
        for count in [20, 400, 40_000] {
            let body = json!({"score": 82, "issues": vec![item.clone(); count]});
            let text = shortened("audit_page", &body);
            assert!(text.len() <= TEXT_BYTES, "{}", text.len());
            let read: Value = serde_json::from_str(&text).unwrap();
            assert_eq!(read["score"], 82);
            assert!(read["_shortened"].as_str().unwrap().contains("audit_page"));
        }
        let many: Map<String, Value> = (0..5_000).map(|n| (format!("field {n}"), "x".into())).collect();
        assert!(shortened("t", &many.into()).len() <= TEXT_BYTES);
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
        assert_eq!(answered("t", &reply)["_meta"]["x402/payment-response"], receipt);
    }
}
