//! A refusal as a page.

use askama::Template;
use axum::response::Response;

use super::{Frame, Reader, filters, html};
use crate::app::App;
use crate::error::ApiError;
use crate::web;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    frame: Frame<'a>,
    status: u16,
    sentence: &'static str,
    detail: Option<&'a str>,
}

/// The refusal, for a reader.
pub(crate) fn page(app: &App, error: &ApiError, reader: Reader) -> Response {
    let lang = reader.lang;
    let page = ErrorPage {
        frame: Frame::new(app, reader),
        status: error.code.status().as_u16(),
        sentence: error.code.sentence().in_lang(lang),
        detail: error.detail.as_ref().map(|detail| detail.in_lang(lang)),
    };
    let mut response = html(error.code.status(), &page, lang);
    web::of_error(response.headers_mut(), error);
    super::private(response)
}
