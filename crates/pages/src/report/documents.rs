//! Downloads of a report: the audit in the formats of the API, its patch, the files of the patch, and tables as CSV.

use api::response::{refusal, speaks};
use axum::body::Body;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::{HeaderValue, header};
use model::lang::Lang;
use model::report::Report;
use render::shown::{inert_json, without_controls};
use schemars::JsonSchema;
use serde::Serialize;
use service::{patches, receipts};
use store::StoredReport;

use super::lookup::{ReportIdPath, find, made};
use super::tables;
use crate::error;
use crate::reader::Reader;
use crate::response::private;
use api::operation::ReportFormat;
use api::reading;
use service::Services;
use service::error::{Code, ServiceError};

/// Report id and file name in the path; an error where they are not UTF-8.
pub(crate) type ReportFilePath = Result<Path<(String, String)>, PathRejection>;

/// The signed receipt of a report, for its owner.
pub(crate) async fn receipt(State(services): State<Services>, id: ReportIdPath, request: Request) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, _) = request.into_parts();
    let found = async {
        let stored = find(&services, &parts, id, reader.lang).await?;
        receipts::receipt(&services, stored, reader.lang).await
    };
    let found = found.await;
    made(services, reader, found, |_, reader, receipt| document(receipt, reader.lang)).await
}

/// The audit in one of its formats, or its patch, for its owner.
pub(crate) async fn form(State(services): State<Services>, named: ReportFilePath, request: Request) -> Response {
    taken(services, named, request, form_named).await
}

/// A file of the patch or a table, for its owner.
pub(crate) async fn file(State(services): State<Services>, named: ReportFilePath, request: Request) -> Response {
    taken(services, named, request, |_, stored, name, lang| report_file(&stored.report, name, lang)).await
}

async fn taken(
    services: Services,
    named: ReportFilePath,
    request: Request,
    take: fn(&Services, &StoredReport, &str, Lang) -> Result<Response, ServiceError>,
) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let (parts, _) = request.into_parts();
    let found = async {
        let Path((id, name)) = named.map_err(|_| ServiceError::new(Code::AuditNotFound))?;
        Ok((find(&services, &parts, Ok(Path(id)), reader.lang).await?, name))
    };
    let found = found.await;
    made(services, reader, found, move |services, reader, (stored, name)| {
        take(services, stored, name, reader.lang).unwrap_or_else(|refused| error::page(services, &refused, reader))
    })
    .await
}

fn form_named(services: &Services, stored: &StoredReport, name: &str, lang: Lang) -> Result<Response, ServiceError> {
    let format = match name {
        "audit.json" => return Ok(document(&stored.stored_audit(lang), lang)),
        "patch.json" => return Ok(document(&patches::patch_answer(services, stored, None, lang), lang)),
        "patch.diff" => {
            let lines = patches::patch_by_line(stored, None);
            return Ok(download(Body::from(lines), "text/x-diff; charset=utf-8", name));
        }
        "audit.csv" => ReportFormat::Csv,
        "audit.md" => ReportFormat::Markdown,
        "audit.sarif" => ReportFormat::Sarif,
        _ => return Err(ServiceError::new(Code::NotFound)),
    };
    let (media_type, body) = reading::document(&stored.report, stored.created_at, format, lang)?;
    let mut response = download(Body::from(body), media_type, name);
    speaks(response.headers_mut(), lang);
    Ok(response)
}

/// A table of a report by the name of its file, `links.csv`, or a file of its patch by its number in it: paths on hosts may hold
/// whatever a site likes.
pub(crate) fn report_file(report: &Report, number: &str, lang: Lang) -> Result<Response, ServiceError> {
    if let Some(table) = tables::table(report, number, lang) {
        let mut response = download(Body::from(table.csv()), "text/csv; charset=utf-8; header=present", number);
        speaks(response.headers_mut(), lang);
        return Ok(response);
    }
    let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let file = at.and_then(|at| report.patch.files.get(at)).ok_or_else(|| ServiceError::new(Code::NotFound))?;
    let name = file.path.rsplit('/').next().unwrap_or_default();
    // Always plain text: no content of an audited site is executed here, nor by a terminal that shows it.
    Ok(download(Body::from(without_controls(file.content.clone())), "text/plain; charset=utf-8", name))
}

/// JSON that a person may read in the browser.
pub(crate) fn document<T: Serialize + JsonSchema>(value: &T, lang: Lang) -> Response {
    match serde_json::to_vec_pretty(value) {
        Ok(body) => {
            let mut response = Response::new(inert_json(&body).map_or(Body::from(body), Body::from));
            let headers = response.headers_mut();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
            speaks(headers, lang);
            private(response)
        }
        Err(error) => {
            tracing::error!(%error, "a report could not be written");
            refusal(&ServiceError::new(Code::Internal), lang, false)
        }
    }
}

/// A download (`Content-Disposition: attachment`).
pub(super) fn download(body: Body, media_type: &'static str, name: &str) -> Response {
    let mut response = Response::new(body);
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(media_type));
    let name: String = name.chars().filter(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_')).collect();
    // Letters, digits and marks without a meaning in headers.
    if let Ok(disposition) = HeaderValue::from_str(&format!("attachment; filename=\"{name}\"")) {
        headers.insert(header::CONTENT_DISPOSITION, disposition);
    }
    private(response)
}
