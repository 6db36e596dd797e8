//! One endpoint of the API as a value: route, texts, rules, types. Everything that lists endpoints is made from these.
//!
//! The schemas of input and output are those of the handler's own types, so they can't drift from it.

mod answer;
mod form;
mod input;

use std::pin::Pin;
use std::sync::Arc;

use http::Method;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::app::App;
use crate::caller::Caller;
use crate::config::Sku;
use crate::error::{ApiError, Code};
use crate::payments::brought::Brought;
use crate::web::BODY_BYTES;
use model::lang::Lang;

pub use answer::{Answer, Json, Reply, Written};
pub use form::Form;
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
    /// What the caller brings to pay with.
    pub brought: Brought,
    /// The body of a call that takes a form, not read yet.
    pub form: Option<Arc<Form>>,
}

impl Cx {
    /// A call that nothing is held for.
    pub fn new(app: &App, caller: Caller, lang: Lang) -> Self {
        Self { app: app.clone(), caller, lang, withheld: None, brought: Brought::default(), form: None }
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
    /// The holder of a credit.
    Credit,
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

/// Another form of an answer: a parameter `format` asks for it, and so does `Accept`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OtherForm {
    /// As `format` has it.
    pub name: &'static str,
    /// With its parameters.
    pub media_type: &'static str,
}

impl OtherForm {
    /// Its media type without parameters.
    pub fn essence(&self) -> &'static str {
        self.media_type.split(';').next().unwrap_or(self.media_type)
    }
}

/// The input of a call that asks for nothing.
#[derive(Debug, serde::Deserialize, JsonSchema)]
pub struct Nothing {}

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
    /// It takes a payment by itself.
    pub sells: bool,
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
    /// What its answer can be besides that.
    pub forms: &'static [OtherForm],
    /// Media type and schema of the answer.
    pub output: fn(&mut SchemaGenerator) -> (&'static str, Option<Schema>),
    has_body: bool,
    /// Its body is a form with a file, which its handler reads.
    pub takes_form: bool,
    check: Option<Check>,
    free: Option<FreeCheck>,
    call: Call,
}

type FreeCheck =
    Arc<dyn Fn(Cx, Map<String, Value>) -> Pin<Box<dyn Future<Output = Result<bool, ApiError>> + Send>> + Send + Sync>;

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

/// Codes that a call which is paid may answer with.
const PAID: &[Code] = &[
    Code::InvalidPayment,
    Code::PaymentRefused,
    Code::PaymentUsed,
    Code::InsufficientCredit,
    Code::CreditPending,
    Code::CreditWithoutValue,
    Code::PaymentInProgress,
    Code::IdempotencyConflict,
    Code::SettlementPending,
    Code::FacilitatorUnavailable,
    Code::DatabaseUnavailable,
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

    /// A writing endpoint without a body: path and query are its input.
    pub fn post_query<I, O, F, Fut>(path: &'static str, name: &'static str, handler: F) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        O: Answer,
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ApiError>> + Send + 'static,
    {
        Self::with_input::<I, O, F, Fut>(Method::POST, false, path, name, handler)
    }

    /// A writing endpoint that takes a form with a file, in the shape of `S`; its handler reads it from [`Cx::form`].
    pub fn form<S, O, F, Fut>(path: &'static str, name: &'static str, handler: F) -> Self
    where
        S: JsonSchema,
        O: Answer,
        F: Fn(Cx, Nothing) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ApiError>> + Send + 'static,
    {
        Self {
            takes_form: true,
            has_body: true,
            is_tool: false,
            input: |generator| generator.subschema_for::<S>(),
            ..Self::with_input::<Nothing, O, F, Fut>(Method::POST, false, path, name, handler)
        }
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
        let has_body = takes_body(&method);
        Self::with_input::<I, O, F, Fut>(method, has_body, path, name, handler)
    }

    fn with_input<I, O, F, Fut>(
        method: Method,
        has_body: bool,
        path: &'static str,
        name: &'static str,
        handler: F,
    ) -> Self
    where
        I: DeserializeOwned + JsonSchema,
        O: Answer,
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<O, ApiError>> + Send + 'static,
    {
        let handler = Arc::new(handler);
        let call: Call = Arc::new(move |cx, input| {
            let handler = Arc::clone(&handler);
            Box::pin(async move {
                let input = input::typed::<I>(input, has_body)?;
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
            sells: false,
            ceiling: None,
            body_bytes: BODY_BYTES,
            is_shared: true,
            errors: &[],
            input: |generator| generator.subschema_for::<I>(),
            forms: &[],
            output: O::describe,
            has_body,
            takes_form: false,
            check: None,
            free: None,
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

    /// It takes a payment by itself, instead of a price that the gate asks for.
    #[must_use]
    pub fn sells(mut self) -> Self {
        self.sells = true;
        self
    }

    /// Which calls cost nothing, whatever the allowance: asked before anything is held.
    #[must_use]
    pub fn free_when<I, F, Fut>(mut self, is_free: F) -> Self
    where
        I: DeserializeOwned,
        F: Fn(Cx, I) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<bool, ApiError>> + Send + 'static,
    {
        let (is_free, has_body) = (Arc::new(is_free), self.has_body);
        self.free = Some(Arc::new(move |cx, input| {
            let is_free = Arc::clone(&is_free);
            Box::pin(async move {
                let input = input::typed::<I>(input, has_body)?;
                is_free(cx, input).await
            })
        }));
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

    /// What its answer can be besides JSON. Its input has a field `format`.
    #[must_use]
    pub fn also_as(mut self, forms: &'static [OtherForm]) -> Self {
        self.forms = forms;
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
        let of_price: &[Code] = if self.price.is_some() || self.sells { PAID } else { &[] };
        let of_write: &[Code] =
            if self.writes() { &[Code::InvalidOrigin, Code::InvalidCsrf, Code::AuthUnavailable] } else { &[] };
        let of_access: &[Code] = match self.access {
            Access::Open | Access::Browser => &[],
            Access::Owner => &[Code::GuestTokenRequired, Code::AuthUnavailable, Code::DatabaseUnavailable],
            Access::Session => &[Code::AuthUnavailable],
            Access::Credit => &[Code::CreditRequired, Code::DatabaseUnavailable],
            Access::Operator => &[Code::OperatorTokenRequired, Code::OperatorUnavailable],
        };
        // A code that comes from several of these is told once.
        let mut codes: Vec<Code> = Vec::new();
        for code in [self.errors, of_price, of_body, of_write, of_access, COMMON].concat() {
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
        self.has_body
    }

    /// Names of the parameters in the path.
    pub fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Judges the input; what a caller may be charged for must pass here first.
    pub(crate) fn judge(&self, app: &App, input: &Map<String, Value>) -> Result<(), ApiError> {
        self.check.as_ref().map_or(Ok(()), |check| check(app, input))
    }

    /// Whether a call costs nothing, whatever the allowance.
    pub(crate) async fn is_free(&self, cx: &Cx, input: &Map<String, Value>) -> Result<bool, ApiError> {
        match &self.free {
            Some(is_free) => is_free(cx.clone(), input.clone()).await,
            None => Ok(false),
        }
    }

    /// Names of the fields that its input must have, besides those in the path.
    pub(crate) fn required_fields(&self) -> Vec<String> {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let schema = (self.input)(&mut SchemaGenerator::from(settings.for_deserialize()));
        let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let names = required.into_iter().filter_map(|name| name.as_str().map(str::to_owned));
        names.filter(|name| !self.path_parameters().any(|parameter| parameter == name)).collect()
    }

    /// Does it.
    pub(crate) async fn run(&self, cx: Cx, input: Map<String, Value>) -> Result<Reply, ApiError> {
        (self.call)(cx, input).await
    }
}
