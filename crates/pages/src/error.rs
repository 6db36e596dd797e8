//! A refusal as a page.

use api::response::{of_error, status};
use askama::Template;
use axum::response::Response;

use super::{Frame, Reader, filters, html};
use service::Services;
use service::error::ServiceError;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    frame: Frame<'a>,
    status: u16,
    sentence: &'static str,
    detail: Option<&'a str>,
}

/// The refusal, for a reader.
pub(crate) fn page(app: &Services, error: &ServiceError, reader: Reader) -> Response {
    let lang = reader.lang;
    let page = ErrorPage {
        frame: Frame::new(app, reader),
        status: error.code.status(),
        sentence: error.code.sentence().in_lang(lang),
        detail: error.detail.as_ref().map(|detail| detail.in_lang(lang)),
    };
    let mut response = html(status(error), &page, lang);
    of_error(response.headers_mut(), error, app.is_https());
    super::private(response)
}
