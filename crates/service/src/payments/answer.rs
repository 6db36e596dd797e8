//! Answers of calls with a price, as they are kept for a repeat of the call.

use bytes::Bytes;
use futures_util::future::BoxFuture;
use model::lang::Lang;
use serde::{Deserialize, Serialize};
use store::PaidAnswer;

use crate::caller::Cx;
use crate::error::{Code, Receipt, ServiceError};

/// The work of a call: run once, and not before it is known to be free or who pays.
pub type Work = Box<dyn FnOnce(Cx) -> BoxFuture<'static, Result<Answer, ServiceError>> + Send>;

/// The answer of a call with a price: JSON, and what goes with it over the wire.
#[derive(Debug, Clone)]
pub struct Answer {
    /// The status of HTTP.
    pub status: u16,
    /// More headers, as name and value.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// The answer differs by language.
    pub speaks: bool,
}

/// An answer that is paid or free: made now, or before.
#[derive(Debug)]
pub struct Paid {
    /// The answer.
    pub answer: Answer,
    /// The language in which an earlier call was answered, where the answer differs by language and is that of an earlier
    /// call.
    pub earlier_lang: Option<Lang>,
    /// The answer is that of an earlier call.
    pub is_replayed: bool,
    /// What became of the payment by x402, if that paid.
    pub receipt: Option<Receipt>,
}

impl Paid {
    /// An answer that was made now.
    pub fn now(answer: Answer) -> Self {
        Self { answer, earlier_lang: None, is_replayed: false, receipt: None }
    }

    /// With the receipt of its payment.
    pub(crate) fn with_receipt(self, receipt: Receipt) -> Self {
        Self { receipt: Some(receipt), ..self }
    }
}

/// All of an answer but its body.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    status: u16,
    headers: Vec<(String, String)>,
    /// Tag of the language in which it speaks, where it differs by language.
    lang: Option<String>,
}

/// An answer as it is kept, which was made in this language.
pub(super) fn pack(answer: &Answer, lang: Lang) -> Result<PaidAnswer, ServiceError> {
    let lang = answer.speaks.then(|| lang.tag().to_owned());
    let head = Head { status: answer.status, headers: answer.headers.clone(), lang };
    let head = serde_json::to_string(&head).map_err(|error| {
        tracing::error!(%error, "the head of an answer could not be written");
        ServiceError::new(Code::Internal)
    })?;
    Ok(PaidAnswer { head, body: answer.body.to_vec() })
}

/// A kept answer for a repeat of its call, in the language that it was made in, whichever is asked for now.
pub(super) fn unpack(kept: PaidAnswer) -> Result<Paid, ServiceError> {
    let damaged = || {
        tracing::error!("the head of a kept answer can't be read");
        ServiceError::new(Code::Internal)
    };
    let head: Head = serde_json::from_str(&kept.head).map_err(|_| damaged())?;
    let earlier_lang = match head.lang {
        Some(tag) => Some(Lang::from_tag(&tag).ok_or_else(damaged)?),
        None => None,
    };
    let answer = Answer { status: head.status, headers: head.headers, body: Bytes::from(kept.body), speaks: false };
    Ok(Paid { answer, earlier_lang, is_replayed: true, receipt: None })
}
