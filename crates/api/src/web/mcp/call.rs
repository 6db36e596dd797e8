//! `tools/call`: runs an operation through the same gate as over HTTP, and shapes its outcome as a result.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model::lang::{Lang, Text, text};
use serde_json::{Map, Value};

use crate::caller::Incoming;
use crate::gate;
use crate::mcp::message::{McpRefusal, code};
use crate::mcp::{result, tool};
use crate::operation::{Operation, query_object};
use crate::request::{BODY_BYTES, client};
use crate::site::Site;
use service::blocking::off_worker;
use service::error::{Code, ServiceError};

/// Headers that go on to the operation. No cookie: with one, a page of another site could call with its reader's rights.
const FORWARDED: [HeaderName; 9] = [
    header::AUTHORIZATION,
    header::USER_AGENT,
    HeaderName::from_static("x-guest-token"),
    HeaderName::from_static("x-api-key"),
    HeaderName::from_static("x-credito"),
    HeaderName::from_static("x-payment"),
    HeaderName::from_static("payment-signature"),
    HeaderName::from_static("idempotency-key"),
    HeaderName::from_static("x-mm-smoke"),
];

/// The tool that a call names, if there is such a one.
pub(super) fn named(site: &Site, params: &Map<String, Value>) -> Option<&'static str> {
    let name = params.get("name")?.as_str()?;
    tool::tools(site.operations()).find(|operation| operation.name == name).map(|operation| operation.name)
}

/// Calls a tool. What the operation refuses is a result too, so that a model can read it and do better.
pub(super) async fn call(
    site: &Site,
    parts: &Parts,
    lang: Lang,
    mut params: Map<String, Value>,
) -> Result<Value, McpRefusal> {
    const NO_NAME: Text = text("name: takes the name of a tool", "name: recebe o nome de uma ferramenta");
    const NO_OBJECT: Text = text("arguments: takes an object", "arguments: recebe um objeto");
    const UNKNOWN: Text = text("Unknown tool: {name}", "Ferramenta desconhecida: {name}");
    let Some(Value::String(name)) = params.remove("name") else {
        return Err(McpRefusal::new(code::INVALID_PARAMS, NO_NAME));
    };
    let arguments = match params.remove("arguments") {
        Some(Value::Object(arguments)) => arguments,
        None => Map::new(),
        Some(_) => return Err(McpRefusal::new(code::INVALID_PARAMS, NO_OBJECT)),
    };
    let operation = tool::tools(site.operations()).find(|operation| operation.name == name).ok_or_else(|| {
        let why = UNKNOWN.phrase(&[("name", name.clone().into())]);
        McpRefusal::new(code::INVALID_PARAMS, why).status(StatusCode::OK)
    })?;
    tracing::info!(tool = operation.name, "called");
    let payment = params.get("_meta").and_then(|meta| meta.get("x402/payment"));
    let (input, lang) = read(operation, &site.mcp().arguments(operation.name), arguments, lang);
    let done = match headers(&parts.headers, payment) {
        Ok(headers) => {
            let query = query_object(parts.uri.query()).unwrap_or_default();
            let incoming = Incoming {
                network: client(&parts.extensions, &parts.headers),
                headers: &headers,
                // For clients that take an address, and no headers.
                query_token: query.get("guest_token").and_then(Value::as_str),
                lang,
                form: None,
            };
            gate::call(site.resources(), operation, incoming, input).await
        }
        Err(error) => Err(error),
    };
    // A report is a megabyte at most; it is read, shortened and written again.
    let tool = operation.name;
    let shaped = off_worker(move || match done {
        Ok(reply) => result::answered(tool, &reply),
        Err(error) => result::refused(&error, lang),
    });
    Ok(shaped.await.unwrap_or_else(|failed| result::refused(&failed, lang)))
}

/// The arguments as an operation's input, and the language they ask for.
fn read(
    operation: &Operation,
    known: &[&str],
    mut arguments: Map<String, Value>,
    lang: Lang,
) -> (Result<Map<String, Value>, ServiceError>, Lang) {
    const TAKES: Text = text("lang: takes en or pt-BR", "lang: aceita en ou pt-BR");
    const UNKNOWN: Text =
        text("{name}: there is no such argument; there are {known}", "{name}: não há tal argumento; há {known}");
    let refused = |why: model::lang::Phrase| Err(ServiceError::new(Code::InvalidParameter).explained(why));
    let lang = match arguments.remove(tool::LANG) {
        None | Some(Value::Null) => lang,
        Some(tag) => match tag.as_str().and_then(Lang::from_tag) {
            Some(lang) => lang,
            None => return (refused(TAKES.into()), lang),
        },
    };
    // Models write null for what they leave out.
    arguments.retain(|_, value| !value.is_null());
    if let Some(name) = arguments.keys().find(|name| !known.contains(&name.as_str())) {
        let why = UNKNOWN.phrase(&[("name", name.as_str().into()), ("known", known.join(", ").into())]);
        return (refused(why), lang);
    }
    // An input is as long here as it may be as a body.
    let most = operation.body_bytes.max(BODY_BYTES);
    let length = serde_json::to_vec(&arguments).map_or(0, |written| written.len());
    if length > most {
        let limit = text("arguments are at most {bytes} bytes", "os argumentos têm no máximo {bytes} bytes");
        let error = ServiceError::new(Code::BodyTooLarge).explained(limit.phrase(&[("bytes", most.into())]));
        return (Err(error), lang);
    }
    (Ok(arguments), lang)
}

/// The headers that the operation sees, with the payment from `_meta`.
fn headers(all: &HeaderMap, payment: Option<&Value>) -> Result<HeaderMap, ServiceError> {
    let mut headers = HeaderMap::new();
    for name in &FORWARDED {
        for value in all.get_all(name) {
            headers.append(name, value.clone());
        }
    }
    if let Some(payment) = payment {
        // A malformed payment gets the same error as over HTTP.
        let is_version_1 = payment.get("x402Version").and_then(Value::as_u64) == Some(1);
        let name = if is_version_1 { "x-payment" } else { "payment-signature" };
        // Base64 is always a header value.
        let value = HeaderValue::from_str(&STANDARD.encode(payment.to_string()));
        headers.append(name, value.map_err(|_| ServiceError::new(Code::InvalidPayment))?);
    }
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cookie_is_never_passed_on() {
        let mut all = HeaderMap::new();
        for name in ["cookie", "x-guest-token", "authorization", "origin", "accept-language"] {
            all.insert(name, HeaderValue::from_static("x"));
        }
        let passed = headers(&all, None).unwrap();
        let mut names: Vec<&str> = passed.keys().map(HeaderName::as_str).collect();
        names.sort_unstable();
        assert_eq!(names, ["authorization", "x-guest-token"]);
    }

    #[test]
    fn a_payment_beside_the_arguments_becomes_its_header() {
        for (version, name) in [(1, "x-payment"), (2, "payment-signature")] {
            let payment = json!({ "x402Version": version, "payload": {} });
            let passed = headers(&HeaderMap::new(), Some(&payment)).unwrap();
            let sent: Value = serde_json::from_slice(&STANDARD.decode(&passed[name]).unwrap()).unwrap();
            assert_eq!(sent, payment);
        }
        for wrong in [json!(1), json!({}), json!({"x402Version": 3}), json!({"x402Version": "1"})] {
            assert!(headers(&HeaderMap::new(), Some(&wrong)).unwrap().contains_key("payment-signature"), "{wrong}");
        }
    }
}
