//! `/mcp`: the Model Context Protocol over Streamable HTTP.

mod call;

use std::borrow::Cow;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::any;
use bytes::Bytes;
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use model::lang::{Lang, Text, text};
use render::shown::inert_json;
use serde_json::{Map, Value, json};
use url::{Host, Url};

use super::answered::ToolCalled;
use crate::caller::same_origin;
use crate::mcp::era::{self, Era};
use crate::mcp::message::{self, McpMessage, McpRefusal, code};
use crate::mcp::one_guest;
use crate::mcp::{CARD_PATH, MEDIA_TYPE, ToolList, instructions};
use crate::request;
use crate::response::{conditional, status};
use crate::site::Site;
use service::blocking::off_worker;
use service::error::ServiceError;

/// Bytes of a message: a page of 2 MB whose every third byte is escaped, and the rest.
pub const MESSAGE_BYTES: usize = 6 * 1024 * 1024;
/// How long a list of tools may be kept, in milliseconds: another version of the service may have another one.
const LIST_MS: u32 = 3_600_000;
/// The field of `_meta` that asks `tools/list` for the schemas of answers.
const WITH_ANSWERS: &str = "site-audit/outputSchema";
/// Routes of the MCP server.
const METHODS: &str = "GET, HEAD, POST, OPTIONS";
/// The response to a legacy client that opens a stream.
const WITHOUT_STREAM: &str = "GET, POST";
/// Headers of a message from a browser.
const ALLOW_HEADERS: &str = "accept, authorization, content-type, idempotency-key, if-none-match, mcp-method, mcp-name, mcp-protocol-version, payment-signature, x-api-key, x-credito, x-guest-token, x-payment";
/// How long a card may be kept without asking.
const CARD_KEPT: &str = "public, max-age=3600";

/// The routes of this surface.
pub(super) fn router() -> Router<Site> {
    Router::new().route("/mcp", any(endpoint)).route(CARD_PATH, any(card))
}

async fn endpoint(State(site): State<Site>, request: Request) -> Response {
    match *request.method() {
        // A card would confuse a legacy client that asks for a stream.
        Method::GET | Method::HEAD if asks_for_stream(request.headers()) => not_allowed(WITHOUT_STREAM),
        Method::GET | Method::HEAD => of_card(&site),
        Method::POST => post(&site, request).await,
        Method::OPTIONS => preflight(&site, &request.into_parts().0),
        _ => not_allowed(METHODS),
    }
}

async fn card(State(site): State<Site>, request: Request) -> Response {
    match *request.method() {
        Method::GET | Method::HEAD => of_card(&site),
        Method::OPTIONS => readable_by_all(empty(StatusCode::NO_CONTENT)),
        _ => not_allowed("GET, HEAD, OPTIONS"),
    }
}

fn asks_for_stream(headers: &HeaderMap) -> bool {
    let accepted: Vec<&str> = headers.get_all(header::ACCEPT).iter().filter_map(|value| value.to_str().ok()).collect();
    let has = |part: &str| accepted.iter().any(|list| list.to_ascii_lowercase().contains(part));
    has("text/event-stream") && !has("json")
}

fn of_card(site: &Site) -> Response {
    let content = site.mcp().card.clone();
    let mut response = Response::new(Body::from(content.clone()));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
    headers.extend(conditional::lasting(&content, CARD_KEPT));
    readable_by_all(response)
}

/// Marks what any page may read (SEP-2127).
fn readable_by_all(mut response: Response) -> Response {
    for (name, value) in [
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
        (header::ACCESS_CONTROL_ALLOW_METHODS, "GET"),
        (header::ACCESS_CONTROL_ALLOW_HEADERS, "Content-Type, If-None-Match"),
        (header::ACCESS_CONTROL_EXPOSE_HEADERS, "ETag"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn not_allowed(allow: &'static str) -> Response {
    let mut response = empty(StatusCode::METHOD_NOT_ALLOWED);
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allow));
    response
}

/// Whether a page of this origin may send messages: our own may, and those of `mcp.allow_origins`.
fn may_call(site: &Site, parts: &Parts) -> bool {
    let Some(origin) = parts.headers.get(header::ORIGIN) else { return true };
    let is_allowed =
        site.services().config().mcp.allow_origins.iter().any(|allowed| allowed.trim_end_matches('/') == origin);
    is_allowed || same_origin(site.services(), parts).is_ok()
}

/// Whether the `Host` header names this machine. Checked on loopback only, against DNS rebinding: elsewhere a proxy owns the
/// header.
fn is_for_us(site: &Site, headers: &HeaderMap) -> bool {
    if !site.services().is_on_loopback() {
        return true;
    }
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let Ok(named) = Url::parse(&format!("http://{host}")) else { return false };
    let is_loopback = match named.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    is_loopback || Url::parse(site.services().base_url()).is_ok_and(|base| base.host() == named.host())
}

fn preflight(site: &Site, parts: &Parts) -> Response {
    let method = parts.headers.get(header::ACCESS_CONTROL_REQUEST_METHOD);
    if !may_call(site, parts) || method.is_none_or(|method| method != "POST") {
        return readable_by_all(empty(StatusCode::NO_CONTENT));
    }
    let mut response = empty(StatusCode::NO_CONTENT);
    let answer = response.headers_mut();
    answer.insert(header::ACCESS_CONTROL_ALLOW_METHODS, HeaderValue::from_static(METHODS));
    answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, HeaderValue::from_static(ALLOW_HEADERS));
    answer.insert(header::ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
    readable_by(&parts.headers, response)
}

/// Lets the page that called read the answer.
fn readable_by(request: &HeaderMap, mut response: Response) -> Response {
    if let Some(origin) = request.get(header::ORIGIN) {
        response.headers_mut().insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
    }
    response.headers_mut().append(header::VARY, HeaderValue::from_static("Origin"));
    response
}

/// Answers a message.
async fn post(site: &Site, request: Request) -> Response {
    const FOREIGN: Text = text(
        "This origin is not allowed. The operator can add it to mcp.allow_origins.",
        "Esta origem não é permitida. O operador pode incluí-la em mcp.allow_origins.",
    );
    const FOREIGN_HOST: Text =
        text("The Host header doesn't match this server.", "O cabeçalho Host não corresponde a este servidor.");
    let (parts, body) = request.into_parts();
    let lang = match request::language(&parts.headers, parts.uri.query()) {
        Ok(lang) => lang,
        Err(error) => return refusal(&unread(&error), &Value::Null, Lang::En),
    };
    let forbidden = |why: Text| McpRefusal::new(code::INVALID_REQUEST, why).status(StatusCode::FORBIDDEN);
    if !may_call(site, &parts) {
        return refusal(&forbidden(FOREIGN), &Value::Null, lang);
    }
    if !is_for_us(site, &parts.headers) {
        return refusal(&forbidden(FOREIGN_HOST), &Value::Null, lang);
    }
    let answer = match request::read_body(site.services(), &parts, body, MESSAGE_BYTES).await {
        Ok(received) => message(site, &parts, received.bytes.clone(), lang).await,
        Err(error) => refusal(&unread(&error), &Value::Null, lang),
    };
    readable_by(&parts.headers, answer)
}

/// The error of JSON-RPC for a body that can't be read: too long, too slow, or not JSON.
fn unread(error: &ServiceError) -> McpRefusal {
    let why = error.detail.as_deref().cloned().unwrap_or_else(|| error.code.sentence().into());
    McpRefusal::new(code::INVALID_REQUEST, why).status(status(error))
}

/// Marks a message of a server all of whose calls are those of one guest.
#[derive(Debug, Clone, Copy)]
struct OneGuest;

/// Whether all calls of this server are those of one guest.
fn is_of_one(parts: &Parts) -> bool {
    parts.extensions.get::<OneGuest>().is_some()
}

/// Answers a message that came as a line, for the guest of this token: the same server without HTTP. `None` for what asks
/// nothing.
pub async fn answer_line(site: &Site, line: Bytes, guest_token: &str) -> Option<Bytes> {
    let request = Request::builder().uri(format!("/mcp?guest_token={guest_token}")).body(Body::empty()).ok()?;
    let (mut parts, _) = request.into_parts();
    parts.extensions.insert(OneGuest);
    mirror(&mut parts.headers, &line);
    let response = message(site, &parts, line, Lang::En).await;
    let body = axum::body::to_bytes(response.into_body(), usize::MAX).await.ok()?;
    (!body.is_empty()).then_some(body)
}

/// The headers that repeat a message over HTTP since 2026-07-28. A line has none, and `era` judges by them.
fn mirror(headers: &mut HeaderMap, line: &[u8]) {
    let Ok(message) = serde_json::from_slice::<Value>(line) else { return };
    let version = message.pointer("/params/_meta/io.modelcontextprotocol~1protocolVersion");
    for (name, value) in [
        ("mcp-protocol-version", version),
        ("mcp-method", version.and(message.get("method"))),
        ("mcp-name", version.and(message.pointer("/params/name"))),
    ] {
        let value = value.and_then(Value::as_str).and_then(|text| HeaderValue::from_str(text).ok());
        headers.extend(value.map(|value| (HeaderName::from_static(name), value)));
    }
}

async fn message(site: &Site, parts: &Parts, body: Bytes, lang: Lang) -> Response {
    // A large one takes milliseconds.
    let read = if body.len() > request::BODY_BYTES {
        off_worker(move || message::read(&body)).await.unwrap_or_else(|error| Err(unread(&error)))
    } else {
        message::read(&body)
    };
    let request = match read {
        Ok(McpMessage::Request(request)) => request,
        Ok(McpMessage::Unanswered) => return empty(StatusCode::ACCEPTED),
        Err(refused) => return refusal(&refused, &Value::Null, lang),
    };
    let id = request.id.clone();
    let era = match era::of(&parts.headers, &request) {
        Ok(era) => era,
        Err(refused) => return refusal(&refused, &id, lang),
    };
    let called = (request.method == "tools/call").then(|| ToolCalled(call::named(site, &request.params)));
    let mut response = match answer(site, parts, era, lang, &request.method, request.params).await {
        Ok(result) => json(StatusCode::OK, &json!({"jsonrpc": "2.0", "id": id, "result": finished(site, era, result)})),
        Err(refused) => refusal(&refused, &id, lang),
    };
    if let Some(called) = called {
        response.extensions_mut().insert(called);
    }
    response
}

async fn answer(
    site: &Site,
    parts: &Parts,
    era: Era,
    lang: Lang,
    method: &str,
    params: Map<String, Value>,
) -> Result<Value, McpRefusal> {
    const UNKNOWN: Text = text("Unknown method.", "Método desconhecido.");
    let server = &site.mcp();
    let is_of_one = is_of_one(parts);
    let instructions = || instructions(site.services().config(), is_of_one, lang);
    match (era, method) {
        (Era::Legacy, "initialize") => Ok(json!({
            "protocolVersion": era::agreed(&params),
            "capabilities": {"tools": {}},
            "serverInfo": server.identity.server_info(),
            "instructions": instructions(),
        })),
        (Era::Legacy, "ping") => Ok(json!({})),
        (Era::Modern, "server/discover") => Ok(json!({
            "supportedVersions": era::versions(),
            "capabilities": {"tools": {}},
            "instructions": instructions(),
            "ttlMs": LIST_MS,
            "cacheScope": "public",
        })),
        (_, "tools/list") => list(era, &params, &server.tools, is_of_one),
        (_, "tools/call") => call::call(site, parts, lang, params).await,
        _ => {
            let status = if era == Era::Modern { StatusCode::NOT_FOUND } else { StatusCode::OK };
            Err(McpRefusal::new(code::METHOD_NOT_FOUND, UNKNOWN).status(status))
        }
    }
}

/// The list of tools, on one page. The schemas of their answers come where `_meta` asks for them: they are ten times as long
/// as the rest, and a list is read at every start.
fn list(era: Era, params: &Map<String, Value>, tools: &ToolList, is_of_one: bool) -> Result<Value, McpRefusal> {
    const NO_CURSOR: Text = text("cursor: this list has no further pages", "cursor: esta lista não tem mais páginas");
    if params.get("cursor").is_some_and(|cursor| !cursor.is_null()) {
        return Err(McpRefusal::new(code::INVALID_PARAMS, NO_CURSOR).status(StatusCode::OK));
    }
    let wants_answers = params.get("_meta").and_then(|meta| meta.get(WITH_ANSWERS)) == Some(&true.into());
    let all = if wants_answers { &tools.with_answers } else { &tools.listed };
    let tools = if is_of_one { Cow::Owned(one_guest::of_one_guest(all)) } else { Cow::Borrowed(all) };
    Ok(match era {
        Era::Modern => json!({"tools": tools, "ttlMs": LIST_MS, "cacheScope": "public"}),
        Era::Legacy => json!({ "tools": tools }),
    })
}

/// A result with the fields that its era adds to every result.
fn finished(site: &Site, era: Era, mut result: Value) -> Value {
    if let (Era::Modern, Some(fields)) = (era, result.as_object_mut()) {
        fields.insert("resultType".to_owned(), "complete".into());
        let meta = fields.entry("_meta").or_insert_with(|| json!({}));
        if let Some(meta) = meta.as_object_mut() {
            let info = site.mcp().identity.server_info();
            meta.insert("io.modelcontextprotocol/serverInfo".to_owned(), info);
        }
    }
    result
}

fn refusal(refused: &McpRefusal, id: &Value, lang: Lang) -> Response {
    json(refused.status, &refused.answer(id, lang))
}

fn json(status: StatusCode, body: &Value) -> Response {
    let body = body.to_string();
    let mut response = Response::new(inert_json(body.as_bytes()).map_or(Body::from(body), Body::from));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}
