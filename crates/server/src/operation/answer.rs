//! What handlers answer: a reply as bytes, and the types that become one.

use std::marker::PhantomData;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::blocking::off_worker;
use crate::error::{ApiError, Code};
use crate::web::conditional;

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
    /// JSON with status 200, the same in every language.
    pub fn json(body: Bytes) -> Self {
        Self { status: StatusCode::OK, media_type: "application/json", headers: Vec::new(), body, speaks: false }
    }

    /// It stays the same while the service runs, so that a caller may keep it and ask whether it still holds.
    #[must_use]
    pub fn lasting(mut self) -> Self {
        self.headers.extend(conditional::lasting(&self.body, LASTING));
        self
    }
}

/// What a handler may return.
pub trait Answer {
    /// As bytes.
    fn reply(self) -> Result<Reply, ApiError>;
    /// Its media type, and its schema where it is JSON.
    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>);
}

/// JSON, without texts for people.
#[derive(Debug)]
pub struct Json<T> {
    value: T,
    status: StatusCode,
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl<T> Json<T> {
    /// Answers with `value` and status 200.
    pub fn new(value: T) -> Self {
        Self { value, status: StatusCode::OK, headers: Vec::new() }
    }

    /// With another status.
    #[must_use]
    pub fn status(mut self, status: StatusCode) -> Self {
        self.status = status;
        self
    }

    /// With one more header.
    #[must_use]
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.headers.push((name, value));
        self
    }
}

impl<T: Serialize + JsonSchema> Answer for Json<T> {
    fn reply(self) -> Result<Reply, ApiError> {
        Ok(Reply { status: self.status, headers: self.headers, ..Reply::json(written(&self.value)?) })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("application/json", Some(generator.subschema_for::<T>()))
    }
}

/// How long what lasts may be kept without asking: a new version of the service may answer otherwise.
const LASTING: &str = "public, max-age=3600";

/// JSON with status 200 that was written already.
#[derive(Debug)]
pub struct Written<T> {
    body: Bytes,
    speaks: bool,
    lasts: bool,
    of: PhantomData<fn() -> T>,
}

impl<T: Serialize + 'static> Written<T> {
    /// Makes an answer with texts in the caller's language and writes it, both off the async workers: for what is as
    /// large as a report.
    pub(crate) async fn speaking(
        make: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
    ) -> Result<Self, ApiError> {
        off_worker(move || make().and_then(|value| Self::spoken(&value))).await?
    }

    /// The same, written here: for who is off the async workers already.
    pub(crate) fn spoken(value: &T) -> Result<Self, ApiError> {
        Ok(Self { speaks: true, ..Self::plain(value)? })
    }

    /// Without texts for people, written here.
    pub(crate) fn plain(value: &T) -> Result<Self, ApiError> {
        Ok(Self::at_start(written(value)?))
    }

    /// What was written when the service started.
    pub(crate) fn at_start(body: Bytes) -> Self {
        Self { body, speaks: false, lasts: false, of: PhantomData }
    }

    /// The answer stays the same while the service runs, so that a caller may keep it and ask whether it still holds.
    pub(crate) fn lasting(self) -> Self {
        Self { lasts: true, ..self }
    }
}

impl<T: JsonSchema> Answer for Written<T> {
    fn reply(self) -> Result<Reply, ApiError> {
        let reply = Reply { speaks: self.speaks, ..Reply::json(self.body) };
        Ok(if self.lasts { reply.lasting() } else { reply })
    }

    fn describe(generator: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("application/json", Some(generator.subschema_for::<T>()))
    }
}

fn written(value: &impl Serialize) -> Result<Bytes, ApiError> {
    serde_json::to_vec(value).map(Bytes::from).map_err(|error| {
        tracing::error!(%error, "an answer could not be written");
        ApiError::new(Code::Internal)
    })
}
