//! Answers of paid calls, as they are kept for one who asks again.

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};
use serde::{Deserialize, Serialize};
use store::PaidAnswer;

use crate::error::{ApiError, Code};
use crate::operation::Reply;

/// All of an answer but its body. Paid answers are JSON.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
    speaks: bool,
}

/// A reply as it is kept.
pub(super) fn pack(reply: &Reply) -> Result<PaidAnswer, ApiError> {
    let headers = reply
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().to_owned(), value.to_str().ok()?.to_owned())));
    let head = Head { status: reply.status.as_u16(), headers: headers.collect(), speaks: reply.speaks };
    let head = serde_json::to_string(&head).map_err(|error| {
        tracing::error!(%error, "the head of an answer could not be written");
        ApiError::new(Code::Internal)
    })?;
    Ok(PaidAnswer { head, body: reply.body.to_vec() })
}

/// A kept answer as a reply to one who asks again.
pub(super) fn unpack(answer: PaidAnswer) -> Result<Reply, ApiError> {
    let damaged = || {
        tracing::error!("the head of a kept answer can't be read");
        ApiError::new(Code::Internal)
    };
    let head: Head = serde_json::from_str(&answer.head).map_err(|_| damaged())?;
    let mut reply = Reply::json(Bytes::from(answer.body));
    reply.status = StatusCode::from_u16(head.status).map_err(|_| damaged())?;
    reply.speaks = head.speaks;
    for (name, value) in head.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| damaged())?;
        reply.headers.push((name, HeaderValue::from_str(&value).map_err(|_| damaged())?));
    }
    reply.headers.push((HeaderName::from_static("idempotent-replay"), HeaderValue::from_static("true")));
    Ok(reply)
}
