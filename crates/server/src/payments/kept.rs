//! Answers of paid calls, as they are kept for one who asks again.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode, header};
use model::lang::Lang;
use serde::{Deserialize, Serialize};
use store::PaidAnswer;

use crate::error::{ApiError, Code};
use crate::operation::Reply;

/// All of an answer but its body. Paid answers are JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
    /// Tag of the language in which it speaks, where it differs by language.
    lang: Option<String>,
}

/// A reply as it is kept, which was made in this language.
pub(super) fn pack(reply: &Reply, lang: Lang) -> Result<PaidAnswer, ApiError> {
    let headers = reply
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
    let lang = reply.speaks.then(|| lang.tag().to_owned());
    let head = Head { status: reply.status.as_u16(), headers: headers.collect(), lang };
    let head = serde_json::to_string(&head).map_err(|error| {
        tracing::error!(%error, "the head of an answer could not be written");
        ApiError::new(Code::Internal)
    })?;
    Ok(PaidAnswer { head, body: reply.body.to_vec() })
}

/// A kept answer as a reply to one who asks again, in the language that it was made in, whichever is asked for now.
pub(super) fn unpack(answer: PaidAnswer) -> Result<Reply, ApiError> {
    let damaged = || {
        tracing::error!("the head of a kept answer can't be read");
        ApiError::new(Code::Internal)
    };
    let head: Head = serde_json::from_str(&answer.head).map_err(|_| damaged())?;
    let mut reply = Reply::json(Bytes::from(answer.body));
    reply.status = StatusCode::from_u16(head.status).map_err(|_| damaged())?;
    if let Some(tag) = head.lang {
        let lang = Lang::from_tag(&tag).ok_or_else(damaged)?;
        reply.headers.push((header::CONTENT_LANGUAGE, HeaderValue::from_static(lang.tag())));
        reply.headers.push((header::VARY, HeaderValue::from_static("Accept-Language")));
    }
    for (name, value) in head.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| damaged())?;
        reply.headers.push((name, HeaderValue::from_str(&value).map_err(|_| damaged())?));
    }
    reply.headers.push((HeaderName::from_static("idempotent-replay"), HeaderValue::from_static("true")));
    Ok(reply)
}
