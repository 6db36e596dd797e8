//! Builder of operations: from method, path and handler, then the rest.

use std::sync::{Arc, OnceLock};

use http::{Method, StatusCode};
use model::lang::text;
use schemars::JsonSchema;
use serde_json::Value;

use super::answer::IntoReply;
use super::handler::{Handler, Input};
use super::{Access, Effect, FORMS, Nothing, Operation, OtherForm, handler, input};
use crate::request::BODY_BYTES;
use service::Services;
use service::config::Sku;
use service::error::{Code, ServiceError};
use service::gate::RateLimit;

impl Operation {
    /// A GET endpoint: path and query are its input.
    pub fn get<C, I: Input, O: IntoReply>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<C, I, O>,
    ) -> Self {
        Self::new(Method::GET, false, path, name, handler)
    }

    /// A POST endpoint: path and JSON body are its input.
    pub fn post<C, I: Input, O: IntoReply>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<C, I, O>,
    ) -> Self {
        Self::new(Method::POST, true, path, name, handler)
    }

    /// A POST endpoint without a body: path and query are its input.
    pub(crate) fn post_query<C, I: Input, O: IntoReply>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<C, I, O>,
    ) -> Self {
        Self::new(Method::POST, false, path, name, handler)
    }

    /// A writing endpoint that takes a form with a file, in the shape of `S`; its handler reads it from
    /// [`Cx::form`](super::Cx::form).
    pub fn form<S: JsonSchema, C, O: IntoReply>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<C, Nothing, O>,
    ) -> Self {
        Self {
            takes_form: true,
            has_body: true,
            is_tool: false,
            input: |generator| generator.subschema_for::<S>(),
            ..Self::new(Method::POST, false, path, name, handler)
        }
    }

    /// A POST endpoint for reports of pages, in the shape of `S`; see [`Operation::is_beacon`].
    pub(crate) fn beacon<S: JsonSchema, C, O: IntoReply>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<C, Nothing, O>,
    ) -> Self {
        Self {
            is_beacon: true,
            has_body: true,
            is_tool: false,
            input: |generator| generator.subschema_for::<S>(),
            ..Self::new(Method::POST, false, path, name, handler)
        }
    }

    /// A PATCH endpoint: path and JSON body are its input.
    pub fn patch<C, I: Input, O: IntoReply>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<C, I, O>,
    ) -> Self {
        Self::new(Method::PATCH, true, path, name, handler)
    }

    /// A PUT endpoint: path and JSON body are its input.
    pub fn put<C, I: Input, O: IntoReply>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<C, I, O>,
    ) -> Self {
        Self::new(Method::PUT, true, path, name, handler)
    }

    /// A DELETE endpoint: path and query are its input.
    pub fn delete<C, I: Input, O: IntoReply>(
        path: &'static str,
        name: &'static str,
        handler: impl Handler<C, I, O>,
    ) -> Self {
        Self::new(Method::DELETE, false, path, name, handler)
    }

    /// `in_body`: whether its input is a body, not a query.
    fn new<C, I: Input, O: IntoReply>(
        method: Method,
        in_body: bool,
        path: &'static str,
        name: &'static str,
        handler: impl Handler<C, I, O>,
    ) -> Self {
        Self {
            effect: Effect::of(&method),
            reaches_out: false,
            is_tool: true,
            tool_defaults: &[],
            method,
            path,
            name,
            title: text("", ""),
            doc: text("", ""),
            example: None,
            access: Access::Open,
            price: None,
            sample: None,
            sells: false,
            rate_limit: None,
            body_bytes: BODY_BYTES,
            is_shared: true,
            errors: &[],
            input: |generator| generator.subschema_for::<I>(),
            forms: &[],
            status: O::STATUS,
            output: O::describe,
            cache_control: None,
            has_body: in_body,
            reports: false,
            reads_audit_head: false,
            names: OnceLock::new(),
            answer_fields: OnceLock::new(),
            takes_form: false,
            is_beacon: false,
            other_status: None,
            check: None,
            is_free: None,
            run: handler::erased(handler, in_body, O::reply),
        }
    }

    /// Its title in English and in Portuguese.
    #[must_use]
    pub fn title(mut self, en: &'static str, pt: &'static str) -> Self {
        self.title = text(en, pt);
        self
    }

    /// Its documentation in English and in Portuguese: Markdown, with the same names in backticks.
    #[must_use]
    pub fn doc(mut self, en: &'static str, pt: &'static str) -> Self {
        self.doc = text(en, pt);
        self
    }

    /// An example of its input, as Markdown.
    #[must_use]
    pub(crate) fn example(mut self, example: &'static str) -> Self {
        self.example = Some(example);
        self
    }

    /// Access that it needs.
    #[must_use]
    pub fn access(mut self, access: Access) -> Self {
        self.access = access;
        self
    }

    /// Its effect, where it is not that of its method.
    #[must_use]
    pub(crate) fn effect(mut self, effect: Effect) -> Self {
        self.effect = effect;
        self
    }

    /// It makes outbound requests.
    #[must_use]
    pub(crate) fn reaches_out(mut self) -> Self {
        self.reaches_out = true;
        self
    }

    /// Not a tool of the MCP server: a document for programs, or for browsers only.
    #[must_use]
    pub(crate) fn without_tool(mut self) -> Self {
        self.is_tool = false;
        self
    }

    /// Arguments that its tool has where a call leaves them out.
    #[must_use]
    pub(crate) fn tool_defaults(mut self, defaults: &'static [(&'static str, &'static str)]) -> Self {
        self.tool_defaults = defaults;
        self
    }

    /// Its price beyond the free allowance. `sample`: part of an answer.
    #[must_use]
    pub fn price(mut self, sku: Sku, sample: fn() -> Value) -> Self {
        (self.price, self.sample) = (Some(sku), Some(sample));
        self
    }

    /// Its handler takes the payment, not the gate.
    #[must_use]
    pub(crate) fn sells(mut self) -> Self {
        self.sells = true;
        self
    }

    /// Calls that are free whatever the allowance; decided before anything is held.
    #[must_use]
    pub(crate) fn free_when<C, I: Input>(mut self, is_free: impl Handler<C, I, bool>) -> Self {
        self.is_free = Some(handler::erased(is_free, self.has_body, Ok));
        self
    }

    /// Its own rate limit.
    #[must_use]
    pub fn rate_limit(mut self, limit: RateLimit) -> Self {
        self.rate_limit = Some(limit);
        self
    }

    /// Bytes of its body, where it takes more than the usual.
    #[must_use]
    pub fn body(mut self, bytes: usize) -> Self {
        self.body_bytes = bytes;
        self
    }

    /// Without CORS: scripts of other sites can't read its answers.
    #[must_use]
    pub(crate) fn unshared(mut self) -> Self {
        self.is_shared = false;
        self
    }

    /// Other formats of its answer. Its input has a field `format`.
    #[must_use]
    pub(crate) fn also_as(mut self, forms: &'static [OtherForm]) -> Self {
        self.forms = forms;
        self
    }

    /// It answers with a report: whole or in parts, in the forms of reports.
    #[must_use]
    pub(crate) fn reports(mut self) -> Self {
        self.reports = true;
        self.also_as(FORMS)
    }

    /// It reads the head of the audit that the `id` of its path names, with `readable_head`.
    #[must_use]
    pub(crate) fn reads_audit_head(mut self) -> Self {
        self.reads_audit_head = true;
        self
    }

    /// Makes its answers cacheable: `policy` is their `Cache-Control`.
    #[must_use]
    pub fn cacheable(mut self, policy: &'static str) -> Self {
        self.cache_control = Some(policy);
        self
    }

    /// Another status that it answers with, and what that says.
    #[must_use]
    pub(crate) fn or_answers(mut self, status: StatusCode, says: &'static str) -> Self {
        self.other_status = Some((status, says));
        self
    }

    /// Codes it may answer with.
    #[must_use]
    pub fn errors(mut self, errors: &'static [Code]) -> Self {
        self.errors = errors;
        self
    }

    /// Validates the input before anything is charged.
    #[must_use]
    pub fn check<I: Input>(
        mut self,
        judge: impl Fn(&Services, &I) -> Result<(), ServiceError> + Send + Sync + 'static,
    ) -> Self {
        let has_body = self.has_body;
        self.check =
            Some(Arc::new(move |services, input| judge(services, &input::typed::<I>(input.clone(), has_body)?)));
        self
    }
}
