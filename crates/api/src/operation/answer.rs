//! Answers of handlers: the reply as bytes, and the types that convert to it.

use std::marker::PhantomData;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, ETAG};
use http::{HeaderName, HeaderValue, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use super::call::Call;
use crate::response::conditional;
use service::blocking::off_worker;
use service::error::{Code, ServiceError};

/// A finished answer.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The status.
    pub status: StatusCode,
    /// The media type.
    pub media_type: &'static str,
    /// More headers.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The body.
    pub body: Bytes,
    /// The answer differs by language.
    pub speaks: bool,
}

impl Reply {
    /// The media type of most answers.
    pub(crate) const JSON: &str = "application/json";

    /// JSON with status 200, the same in every language.
    pub fn json(body: Bytes) -> Self {
        Self { status: StatusCode::OK, media_type: Self::JSON, headers: Vec::new(), body, speaks: false }
    }

    /// Makes it cacheable: `policy` is its `Cache-Control`, and an `ETag` is added for revalidation, where it has none.
    #[must_use]
    pub(super) fn cacheable(mut self, policy: &'static str) -> Self {
        if self.headers.iter().any(|(name, _)| *name == ETAG) {
            self.headers.push((CACHE_CONTROL, HeaderValue::from_static(policy)));
            return self;
        }
        self.headers.extend(conditional::lasting(&self.body, policy));
        self
    }
}

/// A type that a handler may return.
pub trait IntoReply: 'static {
    /// Its status.
    const STATUS: StatusCode = StatusCode::OK;
    /// As bytes.
    fn reply(self) -> Result<Reply, ServiceError>;
    /// Its media type, and its schema where it is JSON.
    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>);
}

/// JSON, without texts for people.
#[derive(Debug)]
pub struct JsonAnswer<T> {
    value: T,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl<T> JsonAnswer<T> {
    /// Answers with `value` and status 200.
    pub fn new(value: T) -> Self {
        Self { value, headers: Vec::new() }
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl<T: Serialize + JsonSchema + 'static> IntoReply for JsonAnswer<T> {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { headers: self.headers, ..Reply::json(written(&self.value)?) })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("application/json", Some(generator.subschema_for::<T>()))
    }
}

/// No content: a report was taken, or left out.
#[derive(Debug)]
pub struct NoContent;

impl IntoReply for NoContent {
    const STATUS: StatusCode = StatusCode::NO_CONTENT;

    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { status: Self::STATUS, ..Reply::json(Bytes::new()) })
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("", None)
    }
}

/// An empty answer: 202 for a report that was taken, 204 for one that was left out.
#[derive(Debug)]
pub enum Taken {
    /// 202.
    Yes,
    /// 204.
    No,
}

impl IntoReply for Taken {
    const STATUS: StatusCode = StatusCode::ACCEPTED;

    fn reply(self) -> Result<Reply, ServiceError> {
        match self {
            Self::Yes => Ok(Reply { status: Self::STATUS, ..Reply::json(Bytes::new()) }),
            Self::No => NoContent.reply(),
        }
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        NoContent::describe(generator)
    }
}

/// JSON with status 202: the work is done later.
#[derive(Debug)]
pub struct Accepted<T>(pub T);

impl<T: Serialize + JsonSchema + 'static> IntoReply for Accepted<T> {
    const STATUS: StatusCode = StatusCode::ACCEPTED;

    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { status: Self::STATUS, ..Reply::json(written(&self.0)?) })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        JsonAnswer::<T>::describe(generator)
    }
}

/// `Cache-Control` of answers that change with a version of the service only.
pub(crate) const LASTING: &str = "public, max-age=3600";

/// JSON with status 200 that was written already.
#[derive(Debug)]
pub struct WrittenJson<T> {
    body: Bytes,
    speaks: bool,
    of: PhantomData<fn() -> T>,
}

impl<T: Serialize + 'static> WrittenJson<T> {
    /// Makes an answer with texts in the caller's language and serializes it, both off the async workers: for answers as
    /// large as a report.
    pub(crate) async fn speaking(
        make: impl FnOnce() -> Result<T, ServiceError> + Send + 'static,
    ) -> Result<Self, ServiceError> {
        off_worker(move || make().and_then(|value| Self::spoken(&value))).await?
    }

    /// The same, written here: for callers that are off the async workers.
    pub(crate) fn spoken(value: &T) -> Result<Self, ServiceError> {
        Ok(Self { speaks: true, ..Self::plain(value)? })
    }

    /// Without texts for people, written here.
    pub fn plain(value: &T) -> Result<Self, ServiceError> {
        Ok(Self::of(written(value)?))
    }

    /// A document that is written once, by its path.
    pub(crate) fn document(call: &Call, path: &str) -> Result<Self, ServiceError> {
        let body = call.resources.documents.get(path).ok_or_else(|| ServiceError::new(Code::Internal))?;
        Ok(Self::of(body.clone()))
    }

    fn of(body: Bytes) -> Self {
        Self { body, speaks: false, of: PhantomData }
    }
}

impl<T: JsonSchema + 'static> IntoReply for WrittenJson<T> {
    fn reply(self) -> Result<Reply, ServiceError> {
        Ok(Reply { speaks: self.speaks, ..Reply::json(self.body) })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("application/json", Some(generator.subschema_for::<T>()))
    }
}

fn written(value: &impl Serialize) -> Result<Bytes, ServiceError> {
    serde_json::to_vec(value).map(Bytes::from).map_err(|error| {
        tracing::error!(%error, "a response could not be stored");
        ServiceError::new(Code::Internal)
    })
}
