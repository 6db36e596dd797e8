//! Audits that people ask for by the form of a page.

use engine::Scheme;
use url::Url;

use crate::audits::{self, Finished};
use crate::caller::{Cx, Identity};
use crate::error::{Code, ServiceError};
use crate::gate;
use crate::guests;
use crate::x402::Priced;

/// The outcome of the form.
#[derive(Debug)]
pub struct FormAudit {
    /// Token of the guest that was created for a caller without an identity, whatever the outcome: without it the next try
    /// would create another guest.
    pub new_guest: Option<String>,
    /// The audit, or why there is none.
    pub outcome: Result<Finished, ServiceError>,
}

/// A URL that was typed into a form.
#[derive(Debug)]
pub struct TypedUrl {
    url: Url,
    scheme: Scheme,
}

/// Audits a page by one of the free audits, for the caller or for a new guest. `priced`: what the audit would cost.
pub async fn audit(cx: &Cx, typed: &TypedUrl, priced: &Priced) -> FormAudit {
    let mut new_guest = None;
    // A guest is created after a free audit is held: a call that must be paid needs none.
    let work = async {
        let mut cx = cx.clone();
        if cx.caller.identity == Identity::Nobody {
            match guests::admit(&cx).await {
                Ok((guest, token)) => {
                    cx.caller.identity = Identity::Guest(guest);
                    new_guest = Some(token);
                }
                // The report is shown anyway; it can't be stored without an owner.
                Err(error) if matches!(error.code, Code::DatabaseUnavailable | Code::StorageFull) => {}
                Err(error) => return Err(error),
            }
        }
        audits::audit(&cx, &typed.url, typed.scheme, std::convert::identity).await
    };
    let outcome = gate::run_free_audit(cx, priced, work).await;
    FormAudit { new_guest, outcome }
}

/// The URL of a typed address, https where it names no scheme. Counts refused addresses.
pub async fn typed_url(cx: &Cx, typed: &str) -> Result<TypedUrl, ServiceError> {
    let scheme = if typed.contains("://") { Scheme::Typed } else { Scheme::Assumed };
    match cx.services.engine().fetcher().intake(&with_scheme(typed)) {
        Ok(url) => Ok(TypedUrl { url, scheme }),
        Err(failure) => Err(audits::count_refusal(cx, failure.into()).await),
    }
}

/// A typed address with a scheme, by default https.
pub fn with_scheme(typed: &str) -> String {
    if typed.contains("://") { typed.to_owned() } else { format!("https://{typed}") }
}
