//! One endpoint of the API as a value: route, texts, rules, types. Everything that lists endpoints is made from these.
//!
//! The schemas of input and output are those of the handler's own types, so they can't drift from it.

mod answer;
mod build;
mod call;
mod error_schema;
pub mod field_texts;
mod fields;
mod form;
mod handler;
mod input;
mod refusals;
mod resources;
mod texts;
mod wish;

use std::sync::OnceLock;

use http::{Method, StatusCode};
use model::lang::Text;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value};

use handler::{InputCheck, IsFree, RunOperation};
use service::Services;
use service::config::Sku;
use service::error::{Code, ServiceError};
use service::gate::RateLimit;
use service::x402::PricedCall;

pub(crate) use answer::LASTING;
pub use answer::{Accepted, IntoReply, JsonAnswer, NoContent, Reply, Taken, WrittenJson};
pub use call::{Call, FromCall};
pub(crate) use error_schema::error_schema;
pub(crate) use fields::AnswerFields;
pub use form::UnreadForm;
pub use handler::{Handler, Input};
use input::NestedShapes;
pub use input::query_object;
pub(crate) use input::{body_object, token_of, unknown};
pub use resources::{DocumentTexts, Documents, PagePattern, Resources};
pub(crate) use texts::LANG_TEXT;
pub(crate) use wish::{CSV, FORMS, MARKDOWN, SARIF};
pub use wish::{ReportFormat, ReportWish};

/// Access that an operation needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anybody; a credential that is sent must still be right.
    Open,
    /// An owner of audits: a guest, an API key, or a signed-in browser.
    Owner,
    /// The same without guests: an API key, or a signed-in browser.
    Account,
    /// A browser that is signed in.
    Session,
    /// Any caller, from a page of ours: sign-in and sign-out. Its writes need CSRF protection also without a session.
    Browser,
    /// The holder of a credit.
    Credit,
    /// Who runs this server.
    Operator,
}

/// Effect of a call on stored data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    Reads,
    /// It creates something new each time: not idempotent.
    Adds,
    /// It sets something. Idempotent.
    Sets,
    /// It removes something. Idempotent.
    Removes,
}

impl Effect {
    /// The effect that a method implies (RFC 9110 §9.2).
    fn of(method: &Method) -> Self {
        match *method {
            Method::GET => Self::Reads,
            Method::POST => Self::Adds,
            Method::DELETE => Self::Removes,
            _ => Self::Sets,
        }
    }
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
    pub(crate) fn essence(&self) -> &'static str {
        self.media_type.split(';').next().unwrap_or(self.media_type)
    }
}

/// The input of a call without parameters.
#[derive(Debug, serde::Deserialize, JsonSchema)]
pub struct Nothing {}

/// Names of the fields of an input.
#[derive(Debug, Clone)]
struct FieldNames {
    /// `None`: fields of any name are taken.
    all: Option<Vec<String>>,
    required: Vec<String>,
    nested: NestedShapes,
}

/// One endpoint.
#[derive(Clone)]
pub struct Operation {
    /// GET, POST…
    pub method: Method,
    /// The path, parameters in braces.
    pub path: &'static str,
    /// Stable name, `audit_page`.
    pub name: &'static str,
    /// Short title.
    pub title: Text,
    /// Markdown: what it does, its limits.
    pub doc: Text,
    /// An example of its input, as Markdown. Programs read it after the documentation; pages have whole requests instead.
    example: Option<&'static str>,
    /// Who may call.
    pub access: Access,
    /// What it changes here.
    pub effect: Effect,
    /// It makes outbound requests.
    pub reaches_out: bool,
    /// It is a tool of the MCP server too.
    pub is_tool: bool,
    /// Arguments that a tool has where a call leaves them out, by name: a model's context is small.
    pub tool_defaults: &'static [(&'static str, &'static str)],
    /// What it costs beyond the free allowance.
    pub price: Option<Sku>,
    /// Part of an answer, as a sample for directories of paid APIs.
    pub sample: Option<fn() -> Value>,
    /// Its handler takes the payment, not the gate.
    pub sells: bool,
    /// Its own rate limit.
    pub rate_limit: Option<RateLimit>,
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
    /// Status of the answer.
    pub status: StatusCode,
    /// Media type and schema of the answer.
    pub output: fn(&mut SchemaGenerator) -> (&'static str, Option<Schema>),
    /// `Cache-Control` of the answer, which then has an `ETag` and is revalidated with 304; `None`: it is not cached.
    pub cache_control: Option<&'static str>,
    has_body: bool,
    /// It answers with a report, so its callers say how they want it: [`ReportWish`].
    pub reports: bool,
    /// It reads the head of the audit that the `id` of its path names, so a guest is looked up together with that.
    pub reads_audit_head: bool,
    /// Names of the fields of its input, and of those it requires, cached: making a schema is slow.
    names: OnceLock<FieldNames>,
    answer_fields: OnceLock<AnswerFields>,
    /// Its body is a form with a file, which its handler reads.
    pub takes_form: bool,
    /// A report that a page sends without waiting for an answer: whatever comes is taken, credentials are not looked at, and
    /// its handler reads the body.
    pub is_beacon: bool,
    /// Another status that it answers with, and what that says.
    pub other_status: Option<(StatusCode, &'static str)>,
    check: Option<InputCheck>,
    is_free: Option<IsFree>,
    run: RunOperation,
}

impl std::fmt::Debug for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.method, self.path)
    }
}

impl Operation {
    /// Whether it changes anything.
    pub fn writes(&self) -> bool {
        !matches!(self.method, Method::GET | Method::HEAD)
    }

    /// Whether its body, not its query, holds the input.
    pub(crate) fn takes_body(&self) -> bool {
        self.has_body
    }

    /// Names of the parameters in the path.
    pub fn path_parameters(&self) -> impl Iterator<Item = &'static str> {
        self.path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'))
    }

    /// Validates the input, before anything is charged.
    pub fn judge(&self, services: &Services, input: &Map<String, Value>) -> Result<(), ServiceError> {
        self.check.as_ref().map_or(Ok(()), |check| check(services, input))
    }

    /// Whether a call costs nothing, whatever the allowance.
    pub async fn is_free(&self, call: &Call, input: &Map<String, Value>) -> Result<bool, ServiceError> {
        match &self.is_free {
            Some(is_free) => is_free(call.clone(), input.clone()).await,
            None => Ok(false),
        }
    }

    /// Schema of its input, with what a caller of a report may say of it.
    pub(crate) fn input_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut schema = (self.input)(generator);
        texts::keep_english(&mut schema, generator);
        if !self.reports {
            return schema;
        }
        let name =
            schema.get("$ref").and_then(Value::as_str).and_then(|path| path.rsplit('/').next()).map(str::to_owned);
        let own = name.as_ref().and_then(|name| generator.definitions().get(name).cloned());
        let own = own.unwrap_or_else(|| schema.clone().to_value());
        let Value::Object(mut own) = own else { return Schema::from(true) };
        let wish = ReportWish::properties(generator, !self.adds_report());
        let properties = own.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        if let Value::Object(properties) = properties {
            properties.extend(wish);
        }
        // Written out here: other calls may have the same input, and answer with no report.
        let mut schema = own.into();
        texts::keep_english(&mut schema, generator);
        schema
    }

    /// Whether each call makes another report, so that no cursor of an earlier answer leads on in it.
    fn adds_report(&self) -> bool {
        self.effect == Effect::Adds
    }

    fn names(&self) -> &FieldNames {
        self.names.get_or_init(|| {
            let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
            let schema = self.input_schema(&mut SchemaGenerator::from(settings.for_deserialize()));
            let required = schema.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
            let required = required.into_iter().filter_map(|name| name.as_str().map(str::to_owned));
            let is_open = ["anyOf", "oneOf", "allOf"].iter().any(|word| schema.get(*word).is_some())
                || schema.get("additionalProperties").is_some_and(|more| *more != Value::Bool(false));
            let properties = schema.get("properties").and_then(Value::as_object);
            FieldNames {
                all: (!is_open).then(|| properties.into_iter().flatten().map(|(name, _)| name.clone()).collect()),
                required: required.filter(|name| !self.path_parameters().any(|parameter| parameter == name)).collect(),
                nested: NestedShapes::of(schema.as_value()),
            }
        })
    }

    /// What `fields` may name of its answer.
    pub(crate) fn answer_fields(&self) -> &AnswerFields {
        self.answer_fields.get_or_init(|| AnswerFields::of(self.output))
    }

    /// Names of the fields that its input must have, besides those in the path.
    pub(crate) fn required_fields(&self) -> &[String] {
        &self.names().required
    }

    /// Names of the fields that its input may have; `None` where it takes any.
    pub(crate) fn field_names(&self) -> Option<Vec<&str>> {
        Some(self.names().all.as_ref()?.iter().map(String::as_str).collect())
    }

    /// Refuses members of objects within its input that it does not take.
    pub(crate) fn check_nested(&self, input: &Map<String, Value>) -> Result<(), ServiceError> {
        self.names().nested.check(input)
    }

    /// The priced call for a 402 of x402; `None` where the operation has no price.
    pub(crate) fn priced_call<'a>(&'a self, input: &'a Map<String, Value>) -> Option<PricedCall<'a>> {
        Some(PricedCall {
            operation: self.name,
            sku: self.price?,
            method: self.method.as_str(),
            path: self.path,
            required: self.required_fields(),
            in_query: !self.has_body,
            sample: self.sample.map_or(Value::Null, |sample| sample()),
            input,
        })
    }

    /// Runs the handler.
    pub async fn run(&self, call: Call, input: Map<String, Value>) -> Result<Reply, ServiceError> {
        let reply = (self.run)(call, input).await?;
        Ok(match self.cache_control {
            Some(policy) => reply.cacheable(policy),
            None => reply,
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::handlers;

    #[test]
    fn what_costs_shows_some_of_its_answer() {
        for operation in handlers::catalog().into_iter().filter(|operation| operation.price.is_some()) {
            let sample = operation.sample.unwrap()();
            let settings = schemars::generate::SchemaSettings::draft2020_12().with(|s| s.inline_subschemas = true);
            let (_, schema) = (operation.output)(&mut schemars::SchemaGenerator::from(settings));
            let schema = schema.unwrap().to_value();
            // An answer with a report comes in parts too; the whole is the first.
            let whole = schema.get("anyOf").and_then(|shapes| shapes.get(0)).unwrap_or(&schema);
            let properties = whole["properties"].clone();
            for name in sample.as_object().unwrap().keys() {
                assert!(properties.get(name).is_some(), "{operation:?}: {name}");
            }
        }
    }
}
