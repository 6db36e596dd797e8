//! Audits that people ask for by the form of a page.

use std::sync::Arc;

use engine::Scheme;
use model::id::{AuditId, Owner};
use model::tab::Tab;
use tokio::sync::watch;
use url::Url;

use crate::audits::{self, Finished};
use crate::caller::Cx;
use crate::error::{Code, ServiceError};
use crate::gate;
use crate::guests;
use crate::network::Network;
use crate::running::{AuditEnding, NewRun, RunningAudit, RunningHandle, UnkeptReport};
use crate::tabs;
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

/// Audits a page by one of the free audits or by the browser's credit, for the caller or for a new guest. `priced`: what the
/// audit costs.
pub async fn audit(cx: &Cx, typed: TypedUrl, priced: &Priced) -> FormAudit {
    admitted(cx, typed, priced, |_, _| ()).await
}

/// The same, told by `admit` when the audit begins: for which owner, and with which token of a new guest.
async fn admitted(
    cx: &Cx,
    typed: TypedUrl,
    priced: &Priced,
    admit: impl FnOnce(Option<Owner>, Option<String>) + Send + 'static,
) -> FormAudit {
    // A refused call needs no guest, so what pays is held first. Whoever is charged owns the report, so the guest comes before
    // the charge.
    let means = match gate::hold_form_audit(cx, priced).await {
        Ok(means) => means,
        Err(error) => return FormAudit { new_guest: None, outcome: Err(error) },
    };
    let (cx, new_guest) = match guests::or_new(cx.clone()).await {
        Ok(made) => made,
        // The report is shown anyway; it can't be stored without an owner.
        Err(error) if matches!(error.code, Code::DatabaseUnavailable | Code::StorageFull) => (cx.clone(), None),
        Err(error) => {
            gate::release(cx, means).await;
            return FormAudit { new_guest: None, outcome: Err(error) };
        }
    };
    let token = new_guest.clone();
    let work = move |cx: Cx| async move {
        admit(cx.caller.owner(), token);
        audits::audit(&cx, &typed.url, typed.scheme, std::convert::identity).await
    };
    let outcome = gate::run_held(&cx, priced, means, work).await;
    FormAudit { new_guest, outcome }
}

/// An audit that a page asks for, to be shown while it runs.
#[derive(Debug)]
pub struct AskedAudit {
    /// The id that it will be stored under.
    pub id: AuditId,
    /// The page, as it was typed.
    pub typed: String,
    /// Random text of the form: a form that is sent twice has the same, and begins one audit.
    pub attempt: Option<String>,
    /// Where its page leads to at the end: a path of ours.
    pub way_on: String,
}

impl AskedAudit {
    fn new_run(self, cx: &Cx, is_of_form: bool) -> NewRun {
        let Self { id, typed, attempt, way_on } = self;
        let network: Network = cx.caller.network;
        let attempt = attempt.filter(|text| !text.is_empty()).map(|text| (network, text));
        let started_at = cx.services.ports().now();
        NewRun { id, owner: cx.caller.owner(), attempt, url: typed, way_on, is_of_form, started_at }
    }
}

/// How an audit of a form ended.
pub fn ending(outcome: Result<Finished, ServiceError>) -> AuditEnding {
    match outcome {
        Ok(Finished { id: Some(_), is_owned: true, .. }) => AuditEnding::Stored,
        Ok(Finished { report, created_at, .. }) => AuditEnding::Unkept(Arc::new(UnkeptReport { report, created_at })),
        Err(error) => AuditEnding::Failed(Arc::new(error)),
    }
}

/// Begins the audit of a form, as [`audit`] makes it, in a task of its own; where the same reader has one running for the
/// same page, that one is the result.
pub fn begin(
    cx: Cx,
    typed: TypedUrl,
    priced: Priced,
    asked: AskedAudit,
) -> Result<watch::Receiver<RunningAudit>, ServiceError> {
    let (new, services) = (asked.new_run(&cx, true), cx.services.clone());
    services.running().begin(new, |mut handle: RunningHandle| async move {
        let cx = Cx { observed: Some(handle.observed()), ..cx };
        let FormAudit { new_guest, outcome } = admitted(&cx, typed, &priced, handle.admission()).await;
        handle.met(new_guest);
        handle.end(ending(outcome));
    })
}

/// Begins a run of a followed page in the same way.
pub fn begin_run(
    cx: Cx,
    tab: Tab,
    priced: Priced,
    asked: AskedAudit,
) -> Result<watch::Receiver<RunningAudit>, ServiceError> {
    let (new, services) = (asked.new_run(&cx, false), cx.services.clone());
    services.running().begin(new, |mut handle: RunningHandle| async move {
        let cx = Cx { observed: Some(handle.observed()), ..cx };
        let admit = handle.admission();
        let work = move |cx: Cx| async move {
            admit(cx.caller.owner(), None);
            tabs::run(&cx, &tab).await
        };
        let outcome = gate::run_form_audit(&cx, &priced, work).await;
        handle.end(outcome.map_or_else(|error| AuditEnding::Failed(Arc::new(error)), |_| AuditEnding::Stored));
    })
}

/// Begins runs of followed pages, one after another: the next when the one before has ended, and none after a refusal for
/// which the others would be refused too.
pub fn begin_runs(cx: &Cx, tabs: Vec<Tab>, priced: &Priced) -> Result<(), ServiceError> {
    let mut rest = tabs.into_iter();
    let Some(tab) = rest.next() else { return Ok(()) };
    let id = AuditId(cx.services.ports().id());
    let way_on = format!("/workspace/{}", tab.id);
    let asked = AskedAudit { id, typed: tab.url.clone(), attempt: None, way_on };
    let follower = begin_run(cx.clone(), tab, priced.clone(), asked)?;
    let (cx, priced, rest) = (cx.clone(), priced.clone(), rest.collect::<Vec<_>>());
    if rest.is_empty() {
        return Ok(());
    }
    let services = cx.services.clone();
    services.running().afterwards(follower, move |ending| {
        let is_over = matches!(ending, AuditEnding::Failed(error) if matches!(error.code,
            Code::AllowanceSpent | Code::PaymentRequired | Code::RateLimited | Code::VerificationRequired));
        if !is_over && let Err(error) = begin_runs(&cx, rest, &priced) {
            tracing::warn!(code = error.code.wire(), "the other followed pages are not run");
        }
    });
    Ok(())
}

/// The URL of a typed address, https where it names no scheme. Counts refused addresses.
pub async fn typed_url(cx: &Cx, typed: &str) -> Result<TypedUrl, ServiceError> {
    let scheme = if typed.contains("://") { Scheme::Typed } else { Scheme::Assumed };
    match cx.services.engine().fetcher().intake(&with_scheme(typed)) {
        Ok(url) => Ok(TypedUrl { url, scheme }),
        Err(failure) => Err(audits::count_refusal(cx, failure.into()).await),
    }
}

/// The URL of a page to be followed. Where no scheme was typed, the site is asked whether it has https.
pub async fn url_to_follow(cx: &Cx, typed: &str) -> Result<Url, ServiceError> {
    let TypedUrl { mut url, scheme } = typed_url(cx, typed).await?;
    url.set_fragment(None);
    Ok(match scheme {
        Scheme::Typed => url,
        Scheme::Assumed => audits::settled(cx, url).await,
    })
}

/// A typed address with a scheme, by default https.
pub fn with_scheme(typed: &str) -> String {
    if typed.contains("://") { typed.to_owned() } else { format!("https://{typed}") }
}
