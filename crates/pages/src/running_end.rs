//! How an audit that a page began has ended: the way to its report, or what is wrong.

use axum::extract::{Request, State};
use axum::response::Response;
use service::Services;
use service::running::AuditEnding;

use crate::address::with_lang;
use crate::reader::Reader;
use crate::report::{self, ReportIdPath, owned_by_caller};
use crate::response::{private, see_other};
use crate::{error, home, running};

/// The report of an ended audit, by a redirect; of one that failed the page that asked for it, with the reason.
pub(super) async fn show(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let query = parts.uri.query();
    let reader = Reader::of(&parts.headers, query);
    let found = async {
        let (_, owner, id) = owned_by_caller(&services, &parts, id, reader.lang).await?;
        let id = service::audits::audit_id(id)?;
        Ok((services.running().read(&owner, &id.0), id))
    };
    let (audit, id) = match found.await {
        Ok(found) => found,
        Err(error) => return error::page(&services, &error, reader),
    };
    let elsewhere = |path: &str| private(see_other(&with_lang(path, query, reader.lang)));
    let Some(audit) = audit else { return elsewhere(&format!("/reports/{id}")) };
    match audit.ending().cloned() {
        None => elsewhere(&running::path(&id)),
        Some(AuditEnding::Stored) => private(see_other(&audit.way_on)),
        Some(AuditEnding::Failed(error)) if !audit.is_of_form => error::page(&services, &error, reader),
        Some(AuditEnding::Unkept(unkept)) if !audit.is_of_form => report::unkept(services, unkept, None, reader).await,
        Some(ending) => home::ended_elsewhere(services, &parts, reader, &audit.url, ending).await,
    }
}
