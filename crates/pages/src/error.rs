//! Error pages.

use api::response::{of_error, status};
use askama::Template;
use axum::response::Response;

use crate::filters;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private};
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

/// The page of an error.
pub(crate) fn page(services: &Services, error: &ServiceError, reader: Reader) -> Response {
    let lang = reader.lang;
    let page = ErrorPage {
        frame: Frame::new(services, reader),
        status: error.code.status(),
        sentence: error.code.sentence().in_lang(lang),
        detail: error.detail.as_ref().map(|detail| detail.in_lang(lang)),
    };
    let mut response = html(status(error), &page, lang);
    of_error(response.headers_mut(), error, services.is_https());
    private(response)
}
