//! A call, the argument of handlers.

use std::sync::Arc;

use service::caller::Cx;

use super::form::UnreadForm;
use super::resources::Resources;
use super::wish::ReportWish;
use crate::response::conditional::KnownContents;

/// An authenticated call of an operation: the first argument of handlers that need more than use cases take.
#[derive(Debug, Clone)]
pub struct Call {
    /// Caller, language and payment: the argument of use cases.
    pub cx: Cx,
    /// State shared by all calls.
    pub resources: Resources,
    /// The unread body of an operation that takes a form.
    pub form: Option<Arc<UnreadForm>>,
    /// How a report is wanted, of an operation that answers with one.
    pub wish: ReportWish,
    /// What the caller has already.
    pub known: KnownContents,
}

/// The first argument of a handler, extracted from the call: the whole [`Call`], or only its [`Cx`], which is all that
/// most use cases need.
pub trait FromCall: Send + 'static {
    /// Extracts the argument.
    fn from_call(call: Call) -> Self;
}

impl FromCall for Call {
    fn from_call(call: Call) -> Self {
        call
    }
}

impl FromCall for Cx {
    fn from_call(call: Call) -> Self {
        call.cx
    }
}
