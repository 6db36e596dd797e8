//! Stored reports under names that are known before the report is read: who has one already gets no body, and what was written
//! a moment ago is not written again.

use std::marker::PhantomData;

use bytes::Bytes;
use http::header::ETAG;
use http::{HeaderValue, StatusCode};
use model::lang::Lang;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use service::Services;
use service::error::{Code, ServiceError};
use service::written_answers::{AnswerName, WrittenAnswer};
use store::AuditHead;

use super::Reading;
use crate::operation::{IntoReply, Reply, ReportWish};
use crate::response::conditional::{KnownContents, etag_of};

/// The name of a stored audit in the form that was asked for: of all that [`super::stored`] takes. `snoozed`: the codes of
/// what is put off, with commas between.
pub(crate) fn name(services: &Services, head: &AuditHead, snoozed: &str, wish: &ReportWish, lang: Lang) -> AnswerName {
    let slug = head.share_slug.as_ref().map(|slug| slug.0.as_str());
    let lab = head.lab_name();
    // All fields of a wish, in a form that no caller sees.
    let wish = format!("{wish:?}");
    services.answer_name(&[
        Some("report"),
        Some(head.id.0.as_str()),
        slug,
        Some(lab.as_str()),
        Some(snoozed),
        Some(wish.as_str()),
        Some(lang.tag()),
    ])
}

impl<T> Reading<T> {
    /// The answer of a name, where it was written a moment ago.
    pub(crate) fn kept(services: &Services, name: &AnswerName) -> Option<Self> {
        let WrittenAnswer { media_type, body, .. } = services.answers().get(name)?;
        Some(Self { media_type, body, whole: PhantomData })
    }

    /// Keeps the answer for who asks for the same next.
    pub(crate) fn keep(self, services: &Services, name: AnswerName) -> Self {
        services.answers().keep(name, WrittenAnswer::new(self.media_type, self.body.clone()));
        self
    }
}

/// An answer with a report that has a name of its own (`ETag`).
#[derive(Debug)]
pub(crate) struct NamedReading<T> {
    etag: HeaderValue,
    /// `None` where the caller has it.
    reading: Option<Reading<T>>,
}

impl<T> NamedReading<T> {
    /// The answer of a name, where nothing has to be read for it: to a caller who has it, or written a moment ago.
    pub(crate) fn at_hand(
        services: &Services,
        name: &AnswerName,
        known: &KnownContents,
    ) -> Result<Option<Self>, ServiceError> {
        let etag = etag_of_name(name)?;
        if known.has_named(&etag) {
            return Ok(Some(Self { etag, reading: None }));
        }
        Ok(Reading::kept(services, name).map(|reading| Self { etag, reading: Some(reading) }))
    }

    /// The answer of a name, once it is written. It is kept for who asks for the same next.
    pub(crate) fn written(services: &Services, name: AnswerName, reading: Reading<T>) -> Result<Self, ServiceError> {
        Ok(Self { etag: etag_of_name(&name)?, reading: Some(reading.keep(services, name)) })
    }
}

fn etag_of_name(name: &AnswerName) -> Result<HeaderValue, ServiceError> {
    etag_of(&name.0).ok_or_else(|| {
        tracing::error!("the name of an answer is no header; this is a defect");
        ServiceError::new(Code::Internal)
    })
}

impl<T: JsonSchema + 'static> IntoReply for NamedReading<T> {
    fn reply(self) -> Result<Reply, ServiceError> {
        let mut reply = match self.reading {
            Some(reading) => reading.reply()?,
            None => Reply { status: StatusCode::NOT_MODIFIED, speaks: true, ..Reply::json(Bytes::new()) },
        };
        reply.headers.push((ETAG, self.etag));
        Ok(reply)
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        Reading::<T>::describe(generator)
    }
}
