//! Human verification in the forms that spend free audits: what their script needs, and what their page may load.

use api::caller::of_reader;
use axum::response::Response;
use http::request::Parts;
use http::{HeaderValue, header};
use model::lang::Lang;
use service::Services;
use service::caller::Cx;
use service::challenge;
use service::config::{ChallengeProvider, VerificationWidget};

use crate::assets;

const SCRIPT: &str = include_str!(concat!(env!("OUT_DIR"), "/challenge.js"));

/// Path of the script: its name changes with its content.
pub(super) const SCRIPT_PATH: &str = concat!("/assets/challenge.", env!("CHALLENGE_HASH"), ".js");

/// The challenge of a form, for `challenge.html`.
#[derive(Debug)]
pub(crate) struct ChallengeView {
    /// The provider's word, for the script.
    pub(crate) provider: &'static str,
    /// Public key for the widget of a verification service.
    pub(crate) sitekey: Option<String>,
    /// That widget.
    pub(crate) widget: Option<VerificationWidget>,
    /// Address of our script.
    pub(crate) script: &'static str,
}

pub(super) fn script() -> Response {
    assets::asset(SCRIPT, "text/javascript; charset=utf-8", assets::FOR_EVER)
}

/// The challenge of a form for the reader of a request; `None` where they need none. `is_signed_in`: an account needs none.
pub(crate) fn of_request(services: &Services, parts: &Parts, is_signed_in: bool) -> Option<ChallengeView> {
    if is_signed_in || services.config().challenge.provider == ChallengeProvider::Off {
        return None;
    }
    of_call(&Cx::new(services, of_reader(services, parts), Lang::En))
}

/// The challenge of a form for a caller; `None` where they need none.
pub(crate) fn of_call(cx: &Cx) -> Option<ChallengeView> {
    let standing = challenge::standing(cx);
    if !standing.is_needed {
        return None;
    }
    let settings = &cx.services.config().challenge;
    let (provider, widget) = match settings.provider {
        ChallengeProvider::Off => return None,
        ChallengeProvider::Altcha => ("altcha", None),
        ChallengeProvider::Siteverify => ("siteverify", settings.widget()),
    };
    Some(ChallengeView { provider, sitekey: standing.sitekey, widget, script: SCRIPT_PATH })
}

/// Lets a page with a challenge run our script, and load the widget of a verification service. Such a page is not the same
/// for everybody.
pub(crate) fn allow(response: &mut Response, challenge: Option<&ChallengeView>) {
    let Some(challenge) = challenge else { return };
    let sources = challenge.widget.as_ref().map(|widget| format!(" {}", widget.sources)).unwrap_or_default();
    let policy = format!(
        "default-src 'none'; style-src 'self'{sources}; font-src 'self'; img-src 'self' data:{sources}; script-src 'self'{sources}; \
         connect-src 'self'{sources}; frame-src 'self'{sources}; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    );
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
    }
}
