//! A span that ended.

use std::borrow::Cow;

use super::context::TraceContext;

/// What a span stands for (the enumeration `SpanKind` of OTLP).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SpanKind {
    /// Work within this process.
    Internal = 1,
    /// The answer to a request.
    Server = 2,
    /// A request to another service, such as the database.
    Client = 3,
    /// A job that was queued.
    Consumer = 5,
}

/// The value of an attribute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SpanValue {
    /// A text.
    Text(Cow<'static, str>),
    /// A whole number.
    Int(i64),
}

/// A span that ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FinishedSpan {
    pub(super) context: TraceContext,
    /// Id of the span above it.
    pub(super) parent: Option<[u8; 8]>,
    pub(super) name: Cow<'static, str>,
    pub(super) kind: SpanKind,
    /// When it began and ended, in nanoseconds since 1970-01-01.
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) attributes: Vec<(&'static str, SpanValue)>,
    pub(super) has_failed: bool,
}

impl From<&'static str> for SpanValue {
    fn from(text: &'static str) -> Self {
        Self::Text(text.into())
    }
}

impl From<String> for SpanValue {
    fn from(text: String) -> Self {
        Self::Text(text.into())
    }
}

impl From<u32> for SpanValue {
    fn from(number: u32) -> Self {
        Self::Int(number.into())
    }
}
