//! One endpoint of the API as a value: route, texts, rules, types. Everything that lists endpoints is made from these.
//!
//! The schemas of input and output are those of the handler's own types, so they can't drift from it.

mod input;

use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::app::App;
use crate::blocking::off_worker;
use crate::caller::Caller;
use crate::config::Sku;
use crate::error::{ApiError, Code};
use crate::web::{BODY_BYTES, conditional};
use model::lang::Lang;

pub use input::{body_object, query_object, token_of};

/// What a handler knows of a call.
#[derive(Debug, Clone)]
pub struct Cx {
    /// The service.
    pub app: App,
    /// Who calls.
    pub caller: Caller,
    /// The language of the texts.
    pub lang: Lang,
    /// The debit or payment that pays for this call and is not final yet; what is made meanwhile is withheld.
    pub withheld: Option<Arc<str>>,
}

impl Cx {
    /// A call that nothing is held for.
    pub fn new(app: &App, caller: Caller, lang: Lang) -> Self {
        Self { app: app.clone(), caller, lang, withheld: None }
    }
}

/// Who may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody; a credential that is sent must still be right.
    Open,
    /// Who owns things: the holder of a guest token or an API key, or a browser that is signed in.
    Owner,
    /// A browser that is signed in.
    Session,
    /// Anybody, from a page of ours: what signs somebody in or out. Its writes need the guard of a session also
    /// without one.
    Browser,
    /// Who runs this server.
    Operator,
}

/// What a call changes here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It makes something new each time.
    Adds,
    /// It sets something: done twice, it is as done once.
    Sets,
    /// It takes something away: done twice, it is as done once.
    Removes,
}

impl Effect {
    /// What a method promises (RFC 9110 §9.2).
    fn of(method: &Method) -> Self {
        match *method {
            Method::GET => Self::Reads,
            Method::POST => Self::Adds,
            Method::DELETE => Self::Removes,
            _ => Self::Sets,
        }
    }
}

/// An hourly ceiling of its own, per network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ceiling {
    /// `limits.guests_per_hour`.
    Guests,
    /// `limits.verifications_per_hour`.
    Verifications,
}

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

/// The input of a call that asks for nothing.
#[derive(Debug, serde::Deserialize, JsonSchema)]
pub struct Nothing {}

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

type Call =
    Arc<dyn Fn(Cx, Map<String, Value>) -> Pin<Box<dyn Future<Output = Result<Reply, ApiError>> + Send>> + Send + Sync>;

/// One endpoint.
#[derive(Clone)]
pub struct Operation {
    /// GET, POST…
    pub method: Method,
    /// The path, parameters in braces.
    pub path: &'static str,
    /// Stable name, `audit_page`.
    pub name: &'static str,
    /// A few words.
    pub title: &'static str,
    /// Markdown: what it does, its limits, an example.
    pub doc: &'static str,
    /// Who may call.
    pub access: Access,
    /// What it changes here.
    pub effect: Effect,
    /// It asks servers of others.
    pub reaches_out: bool,
    /// It is a tool of the MCP server too.
    pub is_tool: bool,
    /// What it costs beyond the free allowance.
    pub price: Option<Sku>,
    /// A ceiling of its own.
    pub ceiling: Option<Ceiling>,
    /// Bytes of its body at most.
    pub body_bytes: usize,
    /// Scripts of other sites may read its answers.
    pub is_shared: bool,
    /// Codes it may answer with, besides those that every call may.
    pub errors: &'static [Code],
    /// Schema of the input.
    pub input: fn(&mut SchemaGenerator) -> Schema,
    /// Media type and schema of the answer.
    pub output: fn(&mut SchemaGenerator) -> (&'static str, Option<Schema>),
    check: Option<Check>,
    call: Call,
}

type Check = Arc<dyn Fn(&App, &Map<String, Value>) -> Result<(), ApiError> + Send + Sync>;

impl std::fmt::Debug for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

/// Whether calls of `method` carry their input in the body, not in the query.
fn takes_body(method: &Method) -> bool {
    matches!(*method, Method::POST | Method::PUT | Method::PATCH)
}

/// Codes that any call may answer with.
pub const COMMON: &[Code] = &[
    Code::InvalidParameter,
    Code::InvalidApiKey,
    Code::InvalidCredential,
    Code::GuestTokenInvalid,
    Code::InvalidSession,
    Code::SessionEnded,
    Code::RequestTimeout,
    Code::HeadersTooLarge,
    Code::Overloaded,
    Code::Internal,
];

impl Operation {
    /// A reading endpoint: path and query are its input.
    pub fn get<I, O, F, Fut>(path: &'static str, name: &'static str, handler: F) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        O: Answer,
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ApiError>> + Send + 'static,
    {
        Self::new::<I, O, F, Fut>(Method::GET, path, name, handler)
    }

    /// A writing endpoint: path and JSON body are its input.
    pub fn post<I, O, F, Fut>(path: &'static str, name: &'static str, handler: F) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        O: Answer,
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ApiError>> + Send + 'static,
    {
        Self::new::<I, O, F, Fut>(Method::POST, path, name, handler)
    }

    /// An endpoint that changes a part of what it names: path and JSON body are its input.
    pub fn patch<I, O, F, Fut>(path: &'static str, name: &'static str, handler: F) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        O: Answer,
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ApiError>> + Send + 'static,
    {
        Self::new::<I, O, F, Fut>(Method::PATCH, path, name, handler)
    }

    /// An endpoint that puts something at its place: path and JSON body are its input.
    pub fn put<I, O, F, Fut>(path: &'static str, name: &'static str, handler: F) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        O: Answer,
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ApiError>> + Send + 'static,
    {
        Self::new::<I, O, F, Fut>(Method::PUT, path, name, handler)
    }

    /// An endpoint that takes something away: path and query are its input.
    pub fn delete<I, O, F, Fut>(path: &'static str, name: &'static str, handler: F) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        O: Answer,
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ApiError>> + Send + 'static,
    {
        Self::new::<I, O, F, Fut>(Method::DELETE, path, name, handler)
    }

    fn new<I, O, F, Fut>(method: Method, path: &'static str, name: &'static str, handler: F) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        O: Answer,
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ApiError>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let takes_body = takes_body(&method);
        let call: Call = Arc::new(move |cx, input| {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let input = input::typed::<I>(input, takes_body)?;
                handler(cx, input).await?.reply()
            })
        });
        Self {
            effect: Effect::of(&method),
            reaches_out: false,
            is_tool: true,
            method,
            path,
            name,
            title: "",
            doc: "",
            access: Access::Open,
            price: None,
            ceiling: None,
            body_bytes: BODY_BYTES,
            is_shared: true,
            errors: &[],
            input: |generator| generator.subschema_for::<I>(),
            output: O::describe,
            check: None,
            call,
        }
    }

    /// Its title and documentation.
    #[must_use]
    pub fn text(mut self, title: &'static str, doc: &'static str) -> Self {
        (self.title, self.doc) = (title, doc);
        self
    }

    /// Who may call.
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// What it changes, where its method does not tell.
    #[must_use]
    pub fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// It asks servers of others.
    #[must_use]
    pub fn reaches_out(mut self) -> Self {
        self.reaches_out = true;
        self
    }

    /// It is no tool: a document for programs, or what only a person in a browser does.
    #[must_use]
    pub fn without_tool(mut self) -> Self {
        self.is_tool = false;
        self
    }

    /// What it costs beyond the free allowance.
    #[must_use]
    pub fn price(mut self, sku: Sku) -> Self {
        self.price = Some(sku);
        self
    }

    /// A ceiling of its own.
    #[must_use]
    pub fn ceiling(mut self, ceiling: Ceiling) -> Self {
        self.ceiling = Some(ceiling);
        self
    }

    /// Bytes of its body, where it takes more than the usual.
    #[must_use]
    pub fn body(mut self, bytes: usize) -> Self {
        self.body_bytes = bytes;
        self
    }

    /// Out of reach of other sites' scripts.
    #[must_use]
    pub fn unshared(mut self) -> Self {
        self.is_shared = false;
        self
    }

    /// Codes it may answer with.
    #[must_use]
    pub fn errors(mut self, errors: &'static [Code]) -> Self {
        self.errors = errors;
        self
    }

    /// Judges the input before anything is charged for it.
    #[must_use]
    pub fn check<I: DeserializeOwned + 'static>(
        mut self,
        judge: impl Fn(&App, &I) -> Result<(), ApiError> + Send + Sync + 'static,
    ) -> Self {
        let takes_body = self.takes_body();
        self.check = Some(Arc::new(move |app, input| judge(app, &input::typed::<I>(input.clone(), takes_body)?)));
        self
    }

    /// Every code it may answer with.
    pub fn all_errors(&self) -> impl Iterator<Item = Code> {
        let of_body: &[Code] =
            if self.takes_body() { &[Code::InvalidBody, Code::BodyTooLarge, Code::UnsupportedMediaType] } else { &[] };
        let of_write: &[Code] =
            if self.writes() { &[Code::InvalidOrigin, Code::InvalidCsrf, Code::AuthUnavailable] } else { &[] };
        let of_access: &[Code] = match self.access {
            Access::Open | Access::Browser => &[],
            Access::Owner => &[Code::GuestTokenRequired, Code::AuthUnavailable, Code::DatabaseUnavailable],
            Access::Session => &[Code::AuthUnavailable],
            Access::Operator => &[Code::OperatorTokenRequired, Code::OperatorUnavailable],
        };
        // A code that comes from several of these is told once.
        let mut codes: Vec<Code> = Vec::new();
        for code in [self.errors, of_body, of_write, of_access, COMMON].concat() {
            if !codes.contains(&code) {
                codes.push(code);
            }
        }
        codes.into_iter()
    }

    /// Whether it changes anything.
    pub fn writes(&self) -> bool {
        !matches!(self.method, Method::GET | Method::HEAD)
    }

    /// Whether its body, not its query, holds the input.
    pub fn takes_body(&self) -> bool {
        takes_body(&self.method)
    }

    /// Names of the parameters in the path.
    pub fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Judges the input; what a caller may be charged for must pass here first.
    pub(crate) fn judge(&self, app: &App, input: &Map<String, Value>) -> Result<(), ApiError> {
        self.check.as_ref().map_or(Ok(()), |check| check(app, input))
    }

    /// Does it.
    pub(crate) async fn run(&self, cx: Cx, input: Map<String, Value>) -> Result<Reply, ApiError> {
        (self.call)(cx, input).await
    }
}
