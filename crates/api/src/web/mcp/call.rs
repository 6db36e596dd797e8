//! `tools/call`: runs an operation through the same gate as over HTTP, and shapes its outcome as a result.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use model::lang::{Lang, Text, text};
use serde_json::{Map, Value};

use super::is_of_one;
use crate::caller::Incoming;
use crate::gate;
use crate::mcp::message::{McpRefusal, code};
use crate::mcp::{one_guest, pair, result, tool};
use crate::operation::{Operation, query_object, unknown};
use crate::request::{BODY_BYTES, client};
use crate::site::Site;
use render::catalog::near::nearest;
use service::blocking::off_worker;
use service::error::{Code, OPERATIONS, ServiceError};

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

/// The operation that a call names, if there is such a one.
pub(super) fn named(site: &Site, params: &Map<String, Value>) -> Option<&'static str> {
    let name = params.get("name")?.as_str()?;
    let name = if name == pair::CALL { params.get("arguments")?.get("name")?.as_str()? } else { name };
    operation(site, name).map(|operation| operation.name)
}

fn operation<'s>(site: &'s Site, name: &str) -> Option<&'s Operation> {
    tool::tools(site.operations()).find(|operation| operation.name == name)
}

/// Calls a tool. What the operation refuses is a result too, so that a model can read it and do better.
pub(super) async fn call(
    site: &Site,
    parts: &Parts,
    lang: Lang,
    mut params: Map<String, Value>,
) -> Result<Value, McpRefusal> {
    const NO_NAME: Text = text("name: must be the name of a tool", "name: deve ser o nome de uma ferramenta");
    const NO_OBJECT: Text = text("arguments: must be an object", "arguments: deve ser um objeto");
    const UNKNOWN: Text = text("Unknown tool: {name}", "Ferramenta desconhecida: {name}");
    let Some(Value::String(name)) = params.remove("name") else {
        return Err(McpRefusal::new(code::INVALID_PARAMS, NO_NAME));
    };
    let arguments = match params.remove("arguments") {
        Some(Value::Object(arguments)) => arguments,
        None => Map::new(),
        Some(_) => return Err(McpRefusal::new(code::INVALID_PARAMS, NO_OBJECT)),
    };
    let payment = params.get("_meta").and_then(|meta| meta.get("x402/payment"));
    match name.as_str() {
        pair::LIST => Ok(told(site, arguments, lang)),
        pair::CALL => Ok(match of_pair(site, arguments) {
            Ok((operation, arguments)) => of_operation(site, parts, lang, operation, arguments, payment).await,
            Err(error) => result::refused(&error, lang),
        }),
        _ => {
            let operation = operation(site, &name).ok_or_else(|| {
                let why = UNKNOWN.phrase(&[("name", name.clone().into())]);
                McpRefusal::new(code::INVALID_PARAMS, why).status(StatusCode::OK)
            })?;
            Ok(of_operation(site, parts, lang, operation, arguments, payment).await)
        }
    }
}

/// What can be called besides the listed tools, or one of all whole.
fn told(site: &Site, mut arguments: Map<String, Value>, lang: Lang) -> Value {
    const TITLE: Text = text("Further operations", "Outras operações");
    let as_text = |body: String| result::text(&body);
    let name = arguments.remove("name");
    arguments.retain(|argument, _| argument != tool::GUEST_TOKEN && argument != tool::LANG);
    if let Some(argument) = arguments.keys().next() {
        return result::refused(&unknown(Code::InvalidParameter, argument, &["name"]), lang);
    }
    match name {
        None | Some(Value::Null) => as_text(format!("{}: {}", TITLE.in_lang(lang), pair::further(site.operations()))),
        Some(name) => {
            let described = name.as_str().and_then(|name| site.documents().get(&format!("{OPERATIONS}{name}")));
            match described {
                Some(described) => as_text(String::from_utf8_lossy(described).into_owned()),
                None => result::refused(&unknown_operation(site, name.as_str().unwrap_or_default()), lang),
            }
        }
    }
}

/// The operation that `call_operation` names, and its arguments.
fn of_pair(site: &Site, mut arguments: Map<String, Value>) -> Result<(&Operation, Map<String, Value>), ServiceError> {
    const NO_OBJECT: Text = text("arguments: must be an object", "arguments: deve ser um objeto");
    let name = arguments.remove("name");
    let name = name.as_ref().and_then(Value::as_str).unwrap_or_default();
    let mut inner = match arguments.remove("arguments") {
        Some(Value::Object(inner)) => inner,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(ServiceError::new(Code::InvalidParameter).explained(NO_OBJECT.into())),
    };
    for of_all in [tool::GUEST_TOKEN, tool::LANG] {
        if let Some(value) = arguments.remove(of_all) {
            inner.entry(of_all).or_insert(value);
        }
    }
    if let Some(argument) = arguments.keys().next() {
        return Err(unknown(Code::InvalidParameter, argument, &["name", "arguments", tool::GUEST_TOKEN, tool::LANG]));
    }
    Ok((operation(site, name).ok_or_else(|| unknown_operation(site, name))?, inner))
}

/// The error for the name of no operation.
fn unknown_operation(site: &Site, name: &str) -> ServiceError {
    const NEAREST: Text =
        text("name: unknown operation; did you mean: {names}", "name: operação desconhecida; você quis dizer: {names}");
    const NONE: Text = text("name: unknown operation", "name: operação desconhecida");
    let near = nearest(name, tool::tools(site.operations()).map(|operation| operation.name));
    let why = if near.is_empty() { NONE.into() } else { NEAREST.phrase(&[("names", near.join(", ").into())]) };
    ServiceError::new(Code::InvalidParameter).explained(why).of_operation("get_operation")
}

/// Calls an operation with the arguments of a tool.
async fn of_operation(
    site: &Site,
    parts: &Parts,
    lang: Lang,
    operation: &Operation,
    arguments: Map<String, Value>,
    payment: Option<&Value>,
) -> Value {
    tracing::info!(tool = operation.name, "called");
    let ToolInput { input, lang, token, as_text } =
        read(operation, &site.mcp().arguments(operation.name), arguments, lang);
    let done = match headers(&parts.headers, payment) {
        Ok(headers) => {
            let query = query_object(parts.uri.query()).unwrap_or_default();
            let incoming = Incoming {
                network: client(&parts.extensions, &parts.headers),
                headers: &headers,
                // For clients that take an address, and no headers.
                query_token: token.as_deref().or_else(|| query.get(tool::GUEST_TOKEN).and_then(Value::as_str)),
                lang,
                form: None,
            };
            gate::call(site.resources(), operation, incoming, input).await
        }
        Err(error) => Err(error),
    };
    // A report is a megabyte at most; it is read and written again.
    let name = operation.name;
    let done = if is_of_one(parts) { done.map_err(one_guest::lifted) } else { done };
    let shaped = off_worker(move || match done {
        Ok(reply) => result::answered(name, &reply, as_text, lang),
        Err(error) => result::refused(&error.of_operation(name), lang),
    });
    shaped.await.unwrap_or_else(|failed| result::refused(&failed, lang))
}

/// The arguments of a tool, read.
struct ToolInput {
    /// The operation's input.
    input: Result<Map<String, Value>, ServiceError>,
    /// The language that they ask for.
    lang: Lang,
    /// The guest token among them.
    token: Option<String>,
    /// The answer is to come as text.
    as_text: bool,
}

/// The arguments as an operation's input, and what every tool takes besides.
fn read(operation: &Operation, known: &[&str], mut arguments: Map<String, Value>, lang: Lang) -> ToolInput {
    const TAKES: Text = text("lang: use en or pt-BR", "lang: use en ou pt-BR");
    const NO_TOKEN: Text = text("guest_token: must be a string", "guest_token: deve ser um texto");
    const NO_FORMAT: Text = text("format: must be json", "format: deve ser json");
    let refused = |why: model::lang::Phrase| Err(ServiceError::new(Code::InvalidParameter).explained(why));
    // Models write null for what they leave out.
    arguments.retain(|_, value| !value.is_null());
    let mut out = ToolInput { input: Ok(Map::new()), lang, token: None, as_text: false };
    match arguments.remove(tool::LANG).map(|tag| tag.as_str().and_then(Lang::from_tag)) {
        Some(Some(lang)) => out.lang = lang,
        Some(None) => out.input = refused(TAKES.into()),
        None => {}
    }
    match arguments.remove(tool::GUEST_TOKEN) {
        Some(Value::String(token)) => out.token = Some(token),
        Some(_) => out.input = refused(NO_TOKEN.into()),
        None => {}
    }
    if arguments.get(tool::FORMAT).is_some_and(|format| format == tool::AS_TEXT) {
        arguments.remove(tool::FORMAT);
        out.as_text = true;
    } else if operation.forms.is_empty() && arguments.contains_key(tool::FORMAT) {
        out.input = refused(NO_FORMAT.into());
    }
    if let Some(name) = arguments.keys().find(|name| !known.contains(&name.as_str())) {
        out.input = Err(unknown(Code::InvalidParameter, name, known));
    }
    for (name, value) in operation.tool_defaults {
        arguments.entry(*name).or_insert_with(|| (*value).into());
    }
    // An input is as long here as it may be as a body.
    let most = operation.body_bytes.max(BODY_BYTES);
    let length = serde_json::to_vec(&arguments).map_or(0, |written| written.len());
    if length > most {
        let limit = text("arguments can have at most {bytes} bytes", "os argumentos podem ter no máximo {bytes} bytes");
        let error = ServiceError::new(Code::BodyTooLarge).explained(limit.phrase(&[("bytes", most.into())]));
        out.input = Err(error);
    }
    out.input = out.input.map(|_| arguments);
    out
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
