//! Who is calling: what a request says of its caller, and the identity that its credential comes to.

mod agent;
mod credential;
mod guard;
mod identity;
mod origin;
mod renewal;

use std::sync::Arc;

use http::{HeaderMap, HeaderValue};
use model::lang::Lang;
use service::Services;
use service::caller::Caller;
use service::network::Network;

use crate::operation::Form;

pub(crate) use credential::{Sent, guest_token, sent};
pub(crate) use guard::CONTEXT;
pub use guard::guard_form;
pub(crate) use identity::of_call;
pub use identity::of_page;
pub use origin::{is_address_of, same_origin, same_site};
pub use renewal::renew;

/// A call as it came in.
#[derive(Debug)]
pub struct Incoming<'h> {
    /// Where it comes from.
    pub network: Network,
    /// Its headers.
    pub headers: &'h HeaderMap,
    /// A guest token in its query.
    pub query_token: Option<&'h str>,
    /// The language of the answer.
    pub lang: Lang,
    /// The body, where the operation takes a form.
    pub form: Option<Arc<Form>>,
}

/// A caller with the cookie that its answer has to carry.
#[derive(Debug)]
pub struct Recognized {
    /// Who calls.
    pub caller: Caller,
    /// The session's cookie, set anew or taken back.
    pub renewed: Option<HeaderValue>,
}

/// Whether a request carries the name of our own client, or of the client of any Site Audit: an audit must never start
/// another one.
pub fn is_crawler(services: &Services, headers: &HeaderMap) -> bool {
    let agent = headers.get(http::header::USER_AGENT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let product = |text: &str| text.split(['/', ' ']).next().unwrap_or_default().to_ascii_lowercase();
    let sent = product(agent);
    !sent.is_empty() && (sent == "siteaudit" || sent == product(&services.config().user_agent(services.base_url())))
}
