//! Looking up a report for its owner, and making its page off the async workers.

use api::caller::of_page;
use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::response::Response;
use http::request::Parts;
use model::id::Owner;
use model::lang::Lang;
use service::Services;
use service::blocking::off_worker;
use service::caller::Cx;
use service::error::{Code, ServiceError};
use store::StoredReport;

use crate::error;
use crate::reader::Reader;

/// The id in the path; an error where it is not UTF-8.
pub(crate) type ReportIdPath = Result<Path<String>, PathRejection>;

/// Renders a page off the async workers, as a report may be a megabyte; the error page where the lookup failed.
pub(crate) async fn made<T: Send + 'static>(
    services: Services,
    reader: Reader,
    found: Result<T, ServiceError>,
    make: impl FnOnce(&Services, Reader, &T) -> Response + Send + 'static,
) -> Response {
    let done = match found {
        Ok(found) => {
            let services = services.clone();
            off_worker(move || make(&services, reader, &found)).await
        }
        Err(error) => Err(error),
    };
    done.unwrap_or_else(|error| error::page(&services, &error, reader))
}

pub(super) async fn find(
    services: &Services,
    parts: &Parts,
    id: ReportIdPath,
    lang: Lang,
) -> Result<StoredReport, ServiceError> {
    let (cx, owner, id) = owned_by_caller(services, parts, id, lang).await?;
    Ok(service::audits::readable(&cx, &owner, id).await?.stored)
}

/// The call, the owner and the report id of a request. Callers who own nothing get [`Code::AuditNotFound`].
pub(crate) async fn owned_by_caller(
    services: &Services,
    parts: &Parts,
    id: ReportIdPath,
    lang: Lang,
) -> Result<(Cx, Owner, String), ServiceError> {
    let not_found = || ServiceError::new(Code::AuditNotFound);
    // An id that is not UTF-8 is none of ours.
    let Path(id) = id.map_err(|_| not_found())?;
    let caller = of_page(services, parts).await?;
    let owner = match caller.required_owner() {
        Ok(owner) => owner,
        Err(error) if error.code == Code::GuestTokenRequired => return Err(not_found()),
        Err(error) => return Err(error),
    };
    Ok((Cx::new(services, caller, lang), owner, id))
}
