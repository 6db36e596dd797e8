//! Audits for a caller: the use case of the API and the pages.

use std::time::Duration;

use audit::Blocked;
use model::account::Assurance;
use model::id::{AuditId, Owner, TabId};
use model::lang::{Phrase, Text, text};
use model::report::Report;
use model::time::Timestamp;
use serde_json::json;
use store::{AuditHead, NewAudit, NewJob, OwnHead, PackedReport, Store, StoreError, StoredReport};
use tokio::time::Instant;
use url::Url;

use crate::blocking::off_worker;
use crate::caller::{Cx, Identity};
use crate::counting::Event;
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};
use crate::job::Job;
use crate::services::Services;
use crate::traces::{self, SpanKind};
use engine::{AuditFailure, AuditInputs, AuditTimes, Audited, Scheme};

/// Rate limit: sites of a network and hour that are asked for https before they are followed. Chosen: more than a person types.
const SETTLED_PER_HOUR: u32 = 60;
/// How long such a question may take, over http included.
const SETTLE_TIME: Duration = Duration::from_secs(10);

/// A finished audit of a caller.
#[derive(Debug)]
pub struct Finished {
    /// Its id; `None` when it could not be stored.
    pub id: Option<AuditId>,
    /// Whether an owner can read it again.
    pub is_owned: bool,
    /// What was found.
    pub report: Report,
    /// When it started.
    pub created_at: Timestamp,
}

/// Audits a URL that was parsed by the fetching client, and stores the report. `answer` turns it into the caller's
/// response, off the async workers.
pub async fn audit<A: Send + 'static>(
    cx: &Cx,
    url: &Url,
    scheme: Scheme,
    answer: impl Fn(Finished) -> A + Clone + Send + 'static,
) -> Result<A, ServiceError> {
    measured(cx, url, scheme, None, answer).await
}

/// The same for a run of a followed page: subscribers of its owner are told of it.
pub(crate) async fn run<A: Send + 'static>(
    cx: &Cx,
    url: &Url,
    tab: &TabId,
    answer: impl Fn(Finished) -> A + Clone + Send + 'static,
) -> Result<A, ServiceError> {
    measured(cx, url, Scheme::Typed, Some(tab), answer).await
}

/// The URL of a page to be followed whose https was assumed: over http where the site refuses https. It is asked for that once,
/// within the limits of audits; where they are reached, https is kept.
pub(crate) async fn settled(cx: &Cx, url: Url) -> Url {
    let asked = async {
        let services = &cx.services;
        let (allowance, database, ports) = (services.allowance(), services.database(), services.ports());
        let network = cx.caller.network;
        allowance.spend_hourly(database, ports, network, "settled schemes", SETTLED_PER_HOUR).await?;
        let target = services.concurrency().target(&url);
        if let Some(target) = &target {
            let per_hour = services.config().limits.audits_per_target_hour;
            allowance.spend_hourly(database, ports, network, &format!("target {target}"), per_hour).await?;
        }
        let _slots = services.concurrency().enter(network, target.as_deref()).await?;
        let deadline = Instant::now() + SETTLE_TIME;
        Ok::<_, ServiceError>(services.engine().page_of(&url, Scheme::Assumed, deadline).await.1.into_owned())
    };
    asked.await.unwrap_or(url)
}

/// The job that tells subscribers of a run.
pub(crate) fn announcement(services: &Services, owner: &Owner, tab: &TabId, audit: &AuditId, is_alert: bool) -> NewJob {
    Job::AnnounceRun { owner: owner.to_string(), tab: tab.clone(), audit: audit.clone(), is_alert }
        .queued(services.ports(), None)
}

/// An audit, with its times in metrics and trace.
async fn measured<A: Send + 'static>(
    cx: &Cx,
    url: &Url,
    scheme: Scheme,
    tab: Option<&TabId>,
    answer: impl Fn(Finished) -> A + Clone + Send + 'static,
) -> Result<A, ServiceError> {
    let (begun, span) = (Instant::now(), traces::begin_child());
    let done = traces::within(span.clone(), audited(cx, url, scheme, tab, answer)).await;
    let outcome = done.as_ref().map_or_else(|error| error.code.wire(), |_| "ok");
    cx.services.metrics().audited(outcome, begun.elapsed());
    if let Some(span) = span {
        let is_ours = done.as_ref().is_err_and(|error| error.code.status() >= 500);
        span.end("audit", SpanKind::Internal, vec![("site_audit.outcome", outcome.into())], is_ours);
    }
    done
}

/// Notes what the parts of an audit took, in the metrics and in the trace.
pub(crate) fn note_times(services: &Services, times: &AuditTimes) {
    services.metrics().stages(times);
    for (name, span) in [("fetch", times.fetch), ("parse", times.parse), ("judge", times.judge)] {
        traces::record(name, SpanKind::Internal, span, Vec::new());
    }
}

async fn audited<A: Send + 'static>(
    cx: &Cx,
    url: &Url,
    scheme: Scheme,
    tab: Option<&TabId>,
    answer: impl Fn(Finished) -> A + Clone + Send + 'static,
) -> Result<A, ServiceError> {
    let services = &cx.services;
    let deadline = services.engine().deadline();
    let target = services.concurrency().target(url);
    if let Some(target) = &target {
        let per_hour = services.config().limits.audits_per_target_hour;
        let what = format!("target {target}");
        services
            .allowance()
            .spend_hourly(services.database(), services.ports(), cx.caller.network, &what, per_hour)
            .await
            .map_err(too_many_of_target)?;
    }
    let created_at = services.ports().now();
    let owner = cx.caller.owner();
    let id = cx.observed.as_ref().map_or_else(|| AuditId(services.ports().id()), |observed| observed.id.clone());
    let judged = {
        let _slots = services.concurrency().enter(cx.caller.network, target.as_deref()).await?;
        let given = AuditInputs {
            started_at: created_at,
            nonce: services.ports().nonce(),
            scheme,
            progress: cx.observed.as_ref().map(|observed| observed.progress.clone()),
            keep_sitemaps: false,
        };
        let (store, id, is_owned) = (services.database().store().clone(), id.clone(), owner.is_some());
        let answer = answer.clone();
        // On the core that judged, while the report is in memory: it is packed, and the response is built for the case
        // that it is stored.
        let finish = move |audited: Audited| JudgedAudit::of(&store, audited, created_at, id, is_owned, answer);
        // Boxed, as its future has 100 KB, of which each caller above would have a copy on its stack.
        Box::pin(services.engine().audit(url, given, deadline, finish)).await
    };
    let JudgedAudit { packed, requested_url, score, codes, times, answer: if_kept } = match judged {
        Ok(judged) => judged,
        Err(failure) => return Err(refused(cx, failure).await),
    };
    note_times(services, &times);
    cx.count(&Event::Audit);
    let Some(packed) = packed else { return Ok(if_kept) };
    let (new_id, requested_url, report) = (id.clone(), requested_url.as_str(), &packed);
    let run_of = owner.clone().zip(tab);
    let new = NewAudit { id: new_id, owner, withheld: cx.withheld.as_deref(), requested_url, created_at, report };
    let storing = Instant::now();
    let stored = keep(services, new, run_of.as_ref().map(|(owner, tab)| (owner, *tab))).await.is_ok();
    services.metrics().stage("store", storing, Instant::now());
    tracing::info!(audit.id = %id, kept = stored, score, findings = codes.len(), "audited");
    if stored {
        if !cx.caller.is_smoke {
            let codes = codes.iter().map(String::as_str);
            services.counter().add_findings(codes, Some(times.fetch.1.elapsed()), services.ports().now());
        }
        return Ok(if_kept);
    }
    // A response without an id says that the report was not stored; the caller gets it all the same.
    let unkept = move || {
        let report = packed.unpack()?;
        Ok(answer(Finished { id: None, is_owned: false, report, created_at }))
    };
    off_worker(unkept).await?.map_err(|error: StoreError| {
        tracing::error!(%error, "a report that was just compressed can't be read");
        ServiceError::new(Code::Internal)
    })
}

/// Stores an audit and, where it is a run of a followed page whose owner has subscribers, queues the job that tells them.
async fn keep(services: &Services, new: NewAudit<'_>, run_of: Option<(&Owner, &TabId)>) -> Result<(), DatabaseError> {
    let database = services.database();
    if let Some((owner, tab)) = run_of
        && !matches!(owner, Owner::Guest(_))
        && database.ask(|store| store.has_subscribers(owner)).await?
    {
        let job = announcement(services, owner, tab, &new.id, false);
        return database.write(|store| store.insert_audit_and(new, job)).await;
    }
    database.write(|store| store.insert_audit(new)).await
}

/// Output of a core.
struct JudgedAudit<A> {
    /// `None` when packing failed; the response then has no id.
    packed: Option<PackedReport>,
    /// As it was fetched first.
    requested_url: String,
    score: u32,
    /// Codes of its findings.
    codes: Vec<String>,
    times: AuditTimes,
    answer: A,
}

impl<A> JudgedAudit<A> {
    fn of(
        store: &Store,
        audited: Audited,
        created_at: Timestamp,
        id: AuditId,
        is_owned: bool,
        answer: impl Fn(Finished) -> A,
    ) -> Self {
        let Audited { capture, report, times } = audited;
        let score = report.score;
        let codes = report.findings.iter().map(|finding| finding.code.to_string()).collect();
        let packed = store.pack(&report);
        if let Err(error) = &packed {
            tracing::error!(%error, "a report could not be packed; this is a defect");
        }
        let packed = packed.ok();
        let is_owned = is_owned && packed.is_some();
        let answer = answer(Finished { id: packed.is_some().then_some(id), is_owned, report, created_at });
        Self { packed, requested_url: capture.requested_url, score, codes, times, answer }
    }
}

/// The hourly rate limit of a target is reported as [`Code::TargetBusy`], not as the caller's own limit.
pub(crate) fn too_many_of_target(error: ServiceError) -> ServiceError {
    match error.code {
        Code::RateLimited => ServiceError { code: Code::TargetBusy, ..error },
        _ => error,
    }
}

/// The error of a failed audit. Counts refused addresses.
async fn refused(cx: &Cx, failure: AuditFailure) -> ServiceError {
    let is_of_target = matches!(failure, AuditFailure::Blocked(_) | AuditFailure::Fetch(_));
    let error = undone(failure);
    if is_of_target {
        cx.count(&Event::RefusedTarget(error.code.wire()));
    }
    count_refusal(cx, error).await
}

/// The error of a failed audit, without counting.
pub fn undone(failure: AuditFailure) -> ServiceError {
    match failure {
        AuditFailure::Blocked(blocked) => blocked_error(&blocked),
        AuditFailure::Overloaded => ServiceError::new(Code::Overloaded).retry_after(5),
        AuditFailure::Defect => ServiceError::new(Code::Internal),
        AuditFailure::Fetch(failure) => failure.into(),
    }
}

/// Counts a refused address against the network's rate limit; over the limit, that is the error.
pub async fn count_refusal(cx: &Cx, error: ServiceError) -> ServiceError {
    if !matches!(error.code, Code::AddressNotAllowed | Code::RedirectNotAllowed) {
        return error;
    }
    let services = &cx.services;
    match services.allowance().count_refusal(services.database(), services.ports(), cx.caller.network).await {
        Ok(()) => error,
        Err(limited) => limited,
    }
}

/// The error when a firewall or a rate limit of the target answered.
pub fn blocked_error(blocked: &Blocked) -> ServiceError {
    const ALLOW: Text = text(
        "Allow the user agent of this service in the {vendor} firewall, then audit again.",
        "Permita o user agent deste serviço no firewall {vendor} e audite de novo.",
    );
    const ALLOW_UNKNOWN: Text = text(
        "Allow the user agent of this service in the site's firewall, then audit again.",
        "Permita o user agent deste serviço no firewall do site e audite de novo.",
    );
    const WAIT: Text = text(
        "Try again in 10 minutes. If the site is yours, raise its rate limit for the user agent of this service.",
        "Tente de novo em 10 minutos. Se o site é seu, aumente o limite de requisições para o user agent deste serviço.",
    );
    let (code, fix): (Code, Phrase) = if blocked.rate_limited {
        (Code::TargetRateLimited, WAIT.into())
    } else if blocked.is_of_nobody_known() {
        (Code::TargetBlocked, ALLOW_UNKNOWN.into())
    } else {
        (Code::TargetBlocked, ALLOW.phrase(&[("vendor", blocked.vendor.as_str().into())]))
    };
    const UNKNOWN: Text =
        text("status {status}, from an unknown firewall", "status {status}, de um firewall desconhecido");
    let detail = if blocked.is_of_nobody_known() {
        UNKNOWN.phrase(&[("status", blocked.status.into())])
    } else {
        Phrase::verbatim(format!("{}, {}", blocked.vendor, blocked.status))
    };
    ServiceError::new(code)
        .explained(detail)
        .with("blocked", json!({"vendor": blocked.vendor, "status": blocked.status}))
        .fix(fix)
}

/// Reads an audit of an owner.
pub async fn stored(cx: &Cx, owner: &Owner, id: String) -> Result<StoredReport, ServiceError> {
    let id = audit_id(id)?;
    cx.services.database().ask(|store| store.audit_of(owner, &id)).await.map_err(no_such_audit)
}

/// A stored audit that a caller may read.
#[derive(Debug)]
pub struct ReadableReport {
    /// The audit.
    pub stored: StoredReport,
    /// Whether it is the caller's own. Of an organization's, a member reads only.
    pub is_own: bool,
}

/// Reads an audit of an owner or, for a session, of an organization that its account is a member of. Where an organization
/// requires a second factor, the session must have one.
pub async fn readable(cx: &Cx, owner: &Owner, id: String) -> Result<ReadableReport, ServiceError> {
    let (id, database) = (audit_id(id)?, cx.services.database());
    match (database.ask(|store| store.audit_of(owner, &id)).await, &cx.caller.identity) {
        (Err(DatabaseError::NotFound), Identity::Session(session)) => {
            let has_factor = session.assurance >= Assurance::Aal2;
            let found = database.ask(|store| store.audit_of_member(&session.account, has_factor, &id)).await;
            Ok(ReadableReport { stored: found.map_err(no_such_audit)?, is_own: false })
        }
        (found, _) => Ok(ReadableReport { stored: found.map_err(no_such_audit)?, is_own: true }),
    }
}

/// A stored audit that a caller may read, without its report.
#[derive(Debug)]
pub struct ReadableHead {
    /// The head of the audit.
    pub head: AuditHead,
    /// What its owner has put off of it, as [`OwnHead::snoozed`] has it; nothing to other members of an organization.
    pub snoozed: String,
    /// See [`ReadableReport::is_own`].
    pub is_own: bool,
}

/// The head of an audit that [`readable`] reads whole: a fraction of the work, and the same refusals. Where it was read with the
/// caller's identity, nothing is asked.
pub async fn readable_head(cx: &Cx, owner: &Owner, id: String) -> Result<ReadableHead, ServiceError> {
    let (id, database) = (audit_id(id)?, cx.services.database());
    if let Some(OwnHead { head, snoozed }) = cx.caller.read_beside.as_deref().filter(|own| own.head.id == id) {
        return Ok(ReadableHead { head: head.clone(), snoozed: snoozed.clone(), is_own: true });
    }
    let now = cx.services.ports().now();
    match (database.ask(|store| store.audit_head(owner, &id, now)).await, &cx.caller.identity) {
        (Err(DatabaseError::NotFound), Identity::Session(session)) => {
            let has_factor = session.assurance >= Assurance::Aal2;
            let found = database.ask(|store| store.audit_head_of_member(&session.account, has_factor, &id)).await;
            Ok(ReadableHead { head: found.map_err(no_such_audit)?, snoozed: String::new(), is_own: false })
        }
        (found, _) => {
            let OwnHead { head, snoozed } = found.map_err(no_such_audit)?;
            Ok(ReadableHead { head, snoozed, is_own: true })
        }
    }
}

/// Parses an audit's id.
pub fn audit_id(id: String) -> Result<AuditId, ServiceError> {
    // An invalid id is "not found", without a query: some texts, such as NUL, can't be sent to PostgreSQL.
    match uuid::Uuid::try_parse(&id) {
        Ok(_) => Ok(AuditId(id)),
        Err(_) => Err(ServiceError::new(Code::AuditNotFound)),
    }
}

/// Maps a database error; a missing row is [`Code::AuditNotFound`].
pub(crate) fn no_such_audit(error: DatabaseError) -> ServiceError {
    match error {
        DatabaseError::NotFound => ServiceError::new(Code::AuditNotFound),
        other => other.into(),
    }
}
