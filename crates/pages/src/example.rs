//! An example of a report: of a page that is made up, audited like any other.

use std::sync::LazyLock;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use model::lang::Lang;
use model::report::Report;
use service::Services;
use service::error::{Code, ServiceError};

use crate::error;
use crate::reader::Reader;
use crate::report::{Eyes, Filter, Shown, made, report_file, view};
use crate::response::lasting;

/// The report of the page in each language, made at the first look.
static ENGLISH: LazyLock<Option<Report>> = LazyLock::new(|| audited(include_str!("example/page.en.http")));
static PORTUGUESE: LazyLock<Option<Report>> = LazyLock::new(|| audited(include_str!("example/page.pt.http")));

/// `None` where the file can't be read, which a test excludes.
fn audited(file: &str) -> Option<Report> {
    audit::example::capture(file).ok().map(|capture| audit::report(&capture))
}

fn report(lang: Lang) -> Result<&'static Report, ServiceError> {
    let report = match lang {
        Lang::En => &ENGLISH,
        Lang::PtBr => &PORTUGUESE,
    };
    report.as_ref().ok_or_else(|| ServiceError::new(Code::Internal))
}

/// The page.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    let query = request.uri().query().map(str::to_owned);
    let reader = Reader::of(request.headers(), query.as_deref());
    made(services, reader, Ok(()), move |services, reader, ()| {
        let report = match report(reader.lang) {
            Ok(report) => report,
            Err(refused) => return error::page(services, &refused, reader),
        };
        let (now, query) = (services.ports().now(), query.as_deref());
        let shown = Shown { report, created_at: now, eyes: Eyes::Example, tool: None, query };
        lasting(&view(services, reader, shown, &Filter::of(query, reader.lang)), reader.lang)
    })
    .await
}

/// A file of its patch, or a table of its page.
pub(super) async fn file(
    State(services): State<Services>,
    name: Result<Path<String>, PathRejection>,
    request: Request,
) -> Response {
    let reader = Reader::of(request.headers(), request.uri().query());
    let name = name.map(|Path(name)| name).map_err(|_| ServiceError::new(Code::NotFound));
    made(services, reader, name, |services, reader, name| {
        report(reader.lang)
            .and_then(|report| report_file(report, name, reader.lang))
            .unwrap_or_else(|refused| error::page(services, &refused, reader))
    })
    .await
}

#[cfg(test)]
mod tests {
    use model::finding::Severity;

    use super::*;

    /// The home page tells of this report: what it says there is in `templates/home.html`.
    #[test]
    fn the_example_is_what_the_home_page_says() {
        for lang in [Lang::En, Lang::PtBr] {
            let report = report(lang).unwrap();
            let costly = report.findings.iter().filter(|finding| finding.severity != Severity::Info);
            let mut codes: Vec<&str> = costly.map(|finding| finding.code.as_str()).collect();
            codes.sort_unstable();
            assert_eq!(codes, ["image_alt_missing", "jsonld_syntax_error", "og_image_relative", "title_missing"]);
            assert_eq!((report.score, report.counts.errors, report.counts.warnings), (58, 1, 3));
            let title = match lang {
                Lang::En => "<title>Menu – Bakery on Mill Street</title>",
                Lang::PtBr => "<title>Cardápio – Padaria da Rua do Moinho</title>",
            };
            assert!(report.patch.head.contains(title), "{}", report.patch.head);
            assert_eq!(report.path.last().map(|step| step.score_after), Some(92), "{:?}", report.path);
        }
    }
}
