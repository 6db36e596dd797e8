//! One call of the API: from a request to an operation, from its reply to a response.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::{RawPathParams, Request};
use axum::response::Response;
use http::{HeaderMap, HeaderValue, Method, header};
use serde_json::{Map, Value};

use crate::caller::{Incoming, is_smoke};
use crate::gate;
use crate::operation::{Call, Operation, OtherForm, Reply, UnreadForm, body_object, query_object};
use crate::request::{BODY_BYTES, client, language, read_body, wish};
use crate::response;
use crate::site::Site;
use model::lang::{Lang, text};
use service::blocking::off_worker;
use service::caller::{Caller, Cx};
use service::error::{Code, ServiceError};

/// Parameters of a query that belong to every call.
const OF_ALL: [&str; 2] = ["lang", "guest_token"];

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
        None => call(site, operation, params, request, lang).await,
    };
    match done {
        Ok(reply) => of_reply(reply, lang),
        Err(error) => response::refusal(&error, lang, is_https),
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
    };
    operation.run(call, Map::new()).await
}

async fn call(
    site: &Site,
    operation: &Operation,
    params: Option<&RawPathParams>,
    request: Request,
    lang: Lang,
) -> Result<Reply, ServiceError> {
    let params = params.ok_or_else(|| {
        let broken = text("path: it is not UTF-8", "path: não é UTF-8");
        ServiceError::new(Code::InvalidParameter).explained(broken.into())
    })?;
    let (parts, body) = request.into_parts();
    let mut query = query_object(parts.uri.query())?;
    if let (Some(form), false) = (preferred(operation, &parts.headers), query.contains_key("format")) {
        query.insert("format".to_owned(), form.name.into());
    }
    let of_all: Vec<Option<Value>> = OF_ALL.iter().map(|name| query.remove(*name)).collect();
    let query_token = of_all.get(1).and_then(Option::as_ref).and_then(Value::as_str);
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
        let input = object.map(|object| with_path(object, params));
        // Held to the end of the call: the input is a copy.
        room = Some(received);
        input
    } else {
        Ok(with_path(query, params))
    };
    let incoming = Incoming {
        network: client(&parts.extensions, &parts.headers),
        headers: &parts.headers,
        query_token,
        lang,
        form,
    };
    let mut reply = gate::call(site.resources(), operation, incoming, input).await;
    if let (Ok(reply), false) = (&mut reply, operation.forms.is_empty()) {
        reply.headers.push((header::VARY, HeaderValue::from_static("Accept")));
    }
    drop(room);
    reply
}

/// The answer of an operation.
fn of_reply(reply: Reply, lang: Lang) -> Response {
    let is_empty = reply.body.is_empty();
    let mut answer = Response::new(Body::from(reply.body));
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
