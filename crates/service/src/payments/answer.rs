//! Answers of calls with a price, and how they are stored for a replay.

use std::time::Duration;

use bytes::Bytes;
use futures_util::future::BoxFuture;
use model::lang::Lang;
use serde::{Deserialize, Serialize};
use store::PaidAnswer;

use crate::caller::Cx;
use crate::error::{Code, DayAllowance, PaymentReceipt, ServiceError};

/// Deadline of work that is paid: the longest wait for a place, the longest audit, and a margin.
pub(super) const WORK_TIME: Duration = Duration::from_secs(30);

/// The work of a call: run once, and not before it is known to be free or who pays.
pub type Work = Box<dyn FnOnce(Cx) -> BoxFuture<'static, Result<CallAnswer, ServiceError>> + Send>;

/// The answer of a call with a price: status, headers and JSON body.
#[derive(Debug, Clone)]
pub struct CallAnswer {
    /// The status of HTTP.
    pub status: u16,
    /// More headers, as name and value.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Bytes,
    /// The answer differs by language.
    pub speaks: bool,
}

/// The answer of a call with a price: new or replayed, paid or free.
#[derive(Debug)]
pub struct Answered {
    /// The answer.
    pub answer: CallAnswer,
    /// The language of a replayed answer that differs by language.
    pub earlier_lang: Option<Lang>,
    /// The answer is that of an earlier call.
    pub is_replayed: bool,
    /// The receipt of the payment by x402, if that paid.
    pub receipt: Option<PaymentReceipt>,
    /// What is left of the day's free audits, where the call was one.
    pub allowance: Option<DayAllowance>,
}

impl Answered {
    /// An answer that was made now.
    pub(crate) fn now(answer: CallAnswer) -> Self {
        Self { answer, earlier_lang: None, is_replayed: false, receipt: None, allowance: None }
    }

    /// With the receipt of its payment.
    pub(super) fn with_receipt(self, receipt: PaymentReceipt) -> Self {
        Self { receipt: Some(receipt), ..self }
    }
}

/// Runs paid work within [`WORK_TIME`]; [`Code::Overloaded`] past it.
pub(super) async fn run_in_time(work: Work, cx: Cx) -> Result<CallAnswer, ServiceError> {
    match tokio::time::timeout(WORK_TIME, work(cx)).await {
        Ok(done) => done,
        Err(_) => Err(ServiceError::new(Code::Overloaded).retry_after(5)),
    }
}

/// The stored head of an answer: all of it but its body.
#[derive(Debug, Serialize, Deserialize)]
struct AnswerHead {
    status: u16,
    headers: Vec<(String, String)>,
    /// Tag of the language in which it speaks, where it differs by language.
    lang: Option<String>,
}

/// An answer as it is stored, which was made in this language.
pub(super) fn pack(answer: &CallAnswer, lang: Lang) -> Result<PaidAnswer, ServiceError> {
    let lang = answer.speaks.then(|| lang.tag().to_owned());
    let head = AnswerHead { status: answer.status, headers: answer.headers.clone(), lang };
    let head = serde_json::to_string(&head).map_err(|error| {
        tracing::error!(%error, "the head of a response could not be stored");
        ServiceError::new(Code::Internal)
    })?;
    Ok(PaidAnswer { head, body: answer.body.to_vec() })
}

/// The replay of a stored answer, in the language that it was made in, whichever is asked for now.
pub(super) fn unpack(stored: PaidAnswer) -> Result<Answered, ServiceError> {
    let damaged = || {
        tracing::error!("the head of a stored response can't be read");
        ServiceError::new(Code::Internal)
    };
    let head: AnswerHead = serde_json::from_str(&stored.head).map_err(|_| damaged())?;
    let earlier_lang = match head.lang {
        Some(tag) => Some(Lang::from_tag(&tag).ok_or_else(damaged)?),
        None => None,
    };
    let answer =
        CallAnswer { status: head.status, headers: head.headers, body: Bytes::from(stored.body), speaks: false };
    Ok(Answered { earlier_lang, is_replayed: true, ..Answered::now(answer) })
}
