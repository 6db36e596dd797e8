//! A call as it came in, and the caller recognized in it.

use std::sync::Arc;

use http::{HeaderMap, HeaderValue};
use model::lang::Lang;
use service::caller::Caller;
use service::network::Network;

use crate::operation::UnreadForm;

/// A call as it came in.
#[derive(Debug)]
pub struct Incoming<'h> {
    /// The network of the client.
    pub network: Network,
    /// Its headers.
    pub headers: &'h HeaderMap,
    /// A guest token in its query.
    pub query_token: Option<&'h str>,
    /// The language of the answer.
    pub lang: Lang,
    /// The body, where the operation takes a form.
    pub form: Option<Arc<UnreadForm>>,
}

/// A recognized caller, and the cookie that the response must set.
#[derive(Debug)]
pub struct Recognized {
    /// The caller.
    pub caller: Caller,
    /// `Set-Cookie` that renews or deletes the session cookie.
    pub renewed: Option<HeaderValue>,
}
