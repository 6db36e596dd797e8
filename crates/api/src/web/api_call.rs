//! One call of the API: from a request to an operation, from its reply to a response.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawPathParams, Request};
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::{Map, Value};

use crate::caller::{Incoming, is_smoke};
use crate::gate;
use crate::operation::{Call, Operation, OtherForm, Reply, ReportWish, UnreadForm, body_object, query_object, unknown};
use crate::request::{BODY_BYTES, client, language, read_body, wish};
use crate::response;
use crate::response::conditional::KnownContents;
use crate::site::Site;
use model::lang::{Lang, Text, text};
use render::shown::inert_json;
use service::blocking::off_worker;
use service::caller::{Caller, Cx};
use service::error::{Code, ServiceError};

/// Fields that every call takes: in its query, and in its body where it has one.
const OF_ALL: [&str; 2] = ["lang", "guest_token"];
/// The field that asks for another form of an answer: in the query, and in the body where there is one.
const FORMAT: &str = "format";
/// What is below it takes known parameters only. The documents beside it are files, whose addresses other programs mark.
const API: &str = "/api/";

/// Answers a request to a path with the operation of its method. `params`: none when the path is not UTF-8.
pub(super) async fn answer(
    site: &Site,
    indices: &[usize],
    params: Option<&RawPathParams>,
    request: Request,
) -> Response {
    let operations: Vec<&Operation> = indices.iter().filter_map(|index| site.operations().get(*index)).collect();
    let is_shared = operations.iter().all(|operation| operation.is_shared);
    let mut response = answer_of(site, &operations, params, request).await;
    if !is_shared {
        response::unshare(response.headers_mut());
    }
    response
}

async fn answer_of(
    site: &Site,
    operations: &[&Operation],
    params: Option<&RawPathParams>,
    request: Request,
) -> Response {
    let is_https = site.services().is_https();
    // Also on paths that answer 405 to all but GET and HEAD (`/api/pricing`): a browser asks so on behalf of a page of
    // another site before it may read the answer, and nothing is done.
    if request.method() == Method::OPTIONS {
        return response::preflight(&methods(operations));
    }
    let (lang, bad_lang) = match language(request.headers(), request.uri().query()) {
        Ok(lang) => (lang, None),
        Err(error) => (Lang::En, Some(error)),
    };
    let method = if request.method() == Method::HEAD { &Method::GET } else { request.method() };
    let Some(operation) = operations.iter().find(|operation| operation.method == *method) else {
        let mut response = response::refusal(&ServiceError::new(Code::MethodNotAllowed), lang, is_https);
        if let Ok(allow) = HeaderValue::from_str(&methods(operations).join(", ")) {
            response.headers_mut().insert(header::ALLOW, allow);
        }
        return response;
    };
    let done = match bad_lang {
        _ if operation.is_beacon => beacon(site, operation, request, lang).await,
        Some(error) => Err(error),
        None => {
            let mut lang = lang;
            let done = call(site, operation, params, request, &mut lang).await;
            return finished(operation, done, lang, is_https);
        }
    };
    finished(operation, done, lang, is_https)
}

fn finished(operation: &Operation, done: Result<Reply, ServiceError>, lang: Lang, is_https: bool) -> Response {
    match done {
        Ok(reply) => of_reply(reply, lang),
        Err(error) => response::refusal(&error.of_operation(operation.name), lang, is_https),
    }
}

/// Takes a report of a page. Nothing of it is refused, so neither credentials nor parameters are read.
async fn beacon(site: &Site, operation: &Operation, request: Request, lang: Lang) -> Result<Reply, ServiceError> {
    let (parts, body) = request.into_parts();
    let network = client(&parts.extensions, &parts.headers);
    let caller = Caller { is_smoke: is_smoke(&parts.headers), ..Caller::unknown(network, "") };
    let call = Call {
        cx: Cx::new(site.services(), caller, lang),
        resources: site.resources().clone(),
        form: Some(Arc::new(UnreadForm::new(parts, body))),
        wish: ReportWish::default(),
        known: KnownContents::default(),
    };
    operation.run(call, Map::new()).await
}

async fn call(
    site: &Site,
    operation: &Operation,
    params: Option<&RawPathParams>,
    request: Request,
    lang: &mut Lang,
) -> Result<Reply, ServiceError> {
    let params = params.ok_or_else(|| {
        let broken = text("path: must be UTF-8", "path: deve ser UTF-8");
        ServiceError::new(Code::InvalidParameter).explained(broken.into())
    })?;
    let (parts, body) = request.into_parts();
    let mut query = query_object(parts.uri.query())?;
    let of_all: Vec<Option<Value>> = OF_ALL.iter().map(|name| query.remove(*name)).collect();
    let query_token = of_all.get(1).and_then(Option::as_ref).and_then(Value::as_str);
    let known_query = known_query(operation, &query);
    let accepted = preferred(operation, &parts.headers).map(|form| form.name);
    if let (Some(form), false) = (accepted, operation.takes_body()) {
        query.entry(FORMAT).or_insert_with(|| form.into());
    }
    let (mut room, mut form) = (None, None);
    let input = if operation.takes_form {
        form = Some(Arc::new(UnreadForm::new(parts.clone(), body)));
        Ok(with_path(query, params))
    } else if operation.takes_body() {
        // A body that is too long or too slow is refused before anything else; one that can't be read is refused in
        // its turn, after the credential.
        let received = read_body(site.services(), &parts, body, operation.body_bytes).await?;
        let bytes = received.bytes.clone();
        // A large one takes milliseconds.
        let object =
            if bytes.len() > BODY_BYTES { off_worker(move || body_object(&bytes)).await? } else { body_object(&bytes) };
        let input = object.and_then(|object| with_query(known_body(operation, object, lang)?, query, accepted));
        // Held to the end of the call: the input is a copy.
        room = Some(received);
        input.map(|object| with_path(object, params))
    } else if operation.writes() {
        // Clients send {} where there is nothing to say; what is said must be looked at.
        let received = read_body(site.services(), &parts, body, operation.body_bytes).await?;
        let nothing = body_object(&received.bytes).and_then(|object| match object.keys().next() {
            Some(name) => Err(unknown(Code::InvalidBody, name, &[])),
            None => Ok(()),
        });
        nothing.map(|()| with_path(query, params))
    } else {
        Ok(with_path(query, params))
    };
    // A wrong input is refused in its turn, after the credential.
    let input = known_query.and(input);
    let lang = *lang;
    let incoming = Incoming {
        network: client(&parts.extensions, &parts.headers),
        headers: &parts.headers,
        query_token,
        lang,
        form,
    };
    let mut reply = Box::pin(gate::call(site.resources(), operation, incoming, input)).await;
    if let (Ok(reply), false) = (&mut reply, operation.forms.is_empty()) {
        // First, as it is of an answer that is given again.
        reply.headers.insert(0, (header::VARY, HeaderValue::from_static("Accept")));
    }
    drop(room);
    reply
}

/// Refuses parameters that a call does not take.
fn known_query(operation: &Operation, query: &Map<String, Value>) -> Result<(), ServiceError> {
    let names = operation.field_names();
    let (Some(mut known), true) = (names, operation.path.starts_with(API)) else { return Ok(()) };
    let in_path: Vec<&str> = operation.path_parameters().collect();
    known.retain(|name| {
        let is_of_both = operation.reports && ReportWish::has(name) || *name == FORMAT && !operation.forms.is_empty();
        !in_path.contains(name) && (!operation.takes_body() || is_of_both)
    });
    match query.keys().find(|name| !known.contains(&name.as_str())) {
        Some(name) => Err(unknown(Code::InvalidParameter, name, &[&known[..], &OF_ALL].concat())),
        None => Ok(()),
    }
}

/// Refuses members of a body that a call does not take, and takes the language out of it.
fn known_body(
    operation: &Operation,
    mut body: Map<String, Value>,
    lang: &mut Lang,
) -> Result<Map<String, Value>, ServiceError> {
    const TAKES: Text = text("lang: use en or pt-BR", "lang: use en ou pt-BR");
    let Some(mut known) = operation.field_names() else { return Ok(body) };
    let in_path: Vec<&str> = operation.path_parameters().collect();
    known.retain(|name| !in_path.contains(name));
    if let (Some(tag), false) = (body.get("lang"), known.contains(&"lang")) {
        let read = tag.as_str().and_then(Lang::from_tag);
        *lang = read.ok_or_else(|| ServiceError::new(Code::InvalidBody).explained(TAKES.into()))?;
        body.remove("lang");
    }
    match body.keys().find(|name| !known.contains(&name.as_str()) && !OF_ALL.contains(&name.as_str())) {
        Some(name) => Err(unknown(Code::InvalidBody, name, &[&known[..], &OF_ALL].concat())),
        None => Ok(body),
    }
}

/// Adds the parameters of a query to a body. What stands in both is refused: two readers might see two different calls.
/// `accepted`: the format that the headers ask for, where neither names one.
fn with_query(
    mut body: Map<String, Value>,
    query: Map<String, Value>,
    accepted: Option<&str>,
) -> Result<Map<String, Value>, ServiceError> {
    const TWICE: Text = text("{name}: was sent in both query and body", "{name}: foi enviado na query e no corpo");
    for (name, value) in query {
        if body.contains_key(&name) {
            let why = TWICE.phrase(&[("name", name.into())]);
            return Err(ServiceError::new(Code::InvalidParameter).explained(why));
        }
        body.insert(name, value);
    }
    if let Some(form) = accepted {
        body.entry(FORMAT).or_insert_with(|| form.into());
    }
    Ok(body)
}

/// The answer of an operation.
fn of_reply(reply: Reply, lang: Lang) -> Response {
    let is_empty = reply.body.is_empty();
    let inert = if reply.media_type.contains("json") { inert_json(&reply.body) } else { None };
    let mut answer = Response::new(inert.map_or(Body::from(reply.body), Body::from));
    *answer.status_mut() = reply.status;
    let headers = answer.headers_mut();
    if !is_empty {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(reply.media_type));
    }
    headers.extend(reply.headers);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response::cors(headers);
    if reply.speaks {
        response::speaks(headers, lang);
    }
    answer
}

/// The format that `Accept` prefers to JSON.
fn preferred(operation: &Operation, headers: &HeaderMap) -> Option<OtherForm> {
    let wanted = |form: &&OtherForm| wish(headers, form.essence());
    let json = wish(headers, "application/json");
    operation.forms.iter().max_by_key(wanted).filter(|form| wanted(form) > json).copied()
}

/// Adds the parameters of the path, which win over those of the same name elsewhere.
fn with_path(mut object: Map<String, Value>, params: &RawPathParams) -> Map<String, Value> {
    for (name, value) in params {
        object.insert(name.to_owned(), Value::String(value.to_owned()));
    }
    object
}

fn methods(operations: &[&Operation]) -> Vec<&'static str> {
    let mut methods = Vec::new();
    for operation in operations {
        match operation.method {
            Method::GET => methods.extend(["GET", "HEAD"]),
            Method::POST => methods.push("POST"),
            Method::PUT => methods.push("PUT"),
            Method::PATCH => methods.push("PATCH"),
            Method::DELETE => methods.push("DELETE"),
            _ => {}
        }
    }
    methods.push("OPTIONS");
    methods
}
