//! One call, as handlers get it.

use std::sync::Arc;

use service::caller::Cx;

use super::{Form, Resources};

/// One call with all that a handler may ask for.
#[derive(Debug, Clone)]
pub struct Call {
    /// Who calls, in which language, and how it is paid.
    pub cx: Cx,
    /// Documents and examples.
    pub resources: Resources,
    /// The body of a call that takes a form, not read yet.
    pub form: Option<Arc<Form>>,
}

/// The part of a call that a handler asks for: all of it, or only what use cases take.
pub trait FromCall: Send + 'static {
    /// Takes the part.
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
