//! How an audit that a page began has ended: the way to its report, or what is wrong.

use axum::extract::{Request, State};
use axum::response::Response;
use http::request::Parts;
use model::id::AuditId;
use service::Services;
use service::error::{Code, ServiceError};
use service::running::{AuditEnding, RunningAudit};

use crate::address::with_lang;
use crate::reader::Reader;
use crate::report::{self, ReportIdPath, owned_by_caller};
use crate::response::{private, see_other};
use crate::{compare, error, home, running};

/// The report of an ended audit, or the comparison of two, by a redirect; of one that failed the page that asked for it, with
/// the reason.
pub(super) async fn show(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query();
    let reader = Reader::of(&parts.headers, query);
    let found = async {
        let (_, owner, id) = owned_by_caller(&services, &parts, id, reader.lang).await?;
        let id = service::audits::audit_id(id)?;
        let second = running::second(query)?;
        let other = second.as_ref().and_then(|id| services.running().read(&owner, &id.0));
        Ok((services.running().read(&owner, &id.0), id, other, second))
    };
    let (audit, id, other, second) = match found.await {
        Ok(found) => found,
        Err(error) => return error::page(&services, &error, reader),
    };
    let Some(second) = second else { return of_one(services, &parts, reader, audit, id).await };
    let (Some(before), Some(after)) = (audit, other) else {
        return private(see_other(&running::reports(&[id, second], query, reader)));
    };
    match [before.ending(), after.ending()] {
        [Some(AuditEnding::Stored), Some(AuditEnding::Stored)] => {
            private(see_other(&running::reports(&[id, second], query, reader)))
        }
        [Some(before_ended), Some(after_ended)] => {
            let failed = [before_ended, after_ended].into_iter().find_map(|ending| match ending {
                AuditEnding::Failed(error) => Some(error.as_ref().clone()),
                AuditEnding::Stored | AuditEnding::Unkept(_) => None,
            });
            // What was not stored can't be compared.
            let error = failed.unwrap_or_else(|| ServiceError::new(Code::DatabaseUnavailable).retry_after(5));
            compare::failed(&services, &parts, reader, [before.url, after.url], &error).await
        }
        _ => private(see_other(&running::path_of_two(&id, &second, reader.lang))),
    }
}

async fn of_one(
    services: Services,
    parts: &Parts,
    reader: Reader,
    audit: Option<RunningAudit>,
    id: AuditId,
) -> Response {
    let query = parts.uri.query();
    let elsewhere = |path: &str| private(see_other(&with_lang(path, query, reader.lang)));
    let Some(audit) = audit else { return elsewhere(&format!("/reports/{id}")) };
    match audit.ending().cloned() {
        None => elsewhere(&running::path(&id)),
        Some(AuditEnding::Stored) => private(see_other(&audit.way_on)),
        Some(AuditEnding::Failed(error)) if !audit.is_of_form => error::page(&services, &error, reader),
        Some(AuditEnding::Unkept(unkept)) if !audit.is_of_form => report::unkept(services, unkept, None, reader).await,
        Some(ending) => home::ended_elsewhere(services, parts, reader, &audit.url, ending).await,
    }
}
