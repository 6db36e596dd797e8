//! Error pages.

use api::response::{of_error, status};
use askama::Template;
use axum::response::Response;

use crate::filters;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, private};
use model::lang::Lang;
use service::Services;
use service::error::ServiceError;

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    frame: Frame<'a>,
    status: u16,
    sentence: &'static str,
    detail: Option<&'a str>,
    /// How long to wait.
    wait: Option<String>,
}

/// The page of an error.
pub(crate) fn page(services: &Services, error: &ServiceError, reader: Reader) -> Response {
    let lang = reader.lang;
    let page = ErrorPage {
        frame: Frame::new(services, reader),
        status: error.code.status(),
        sentence: error.code.sentence().in_lang(lang),
        wait: error.retry_after.map(|seconds| duration(seconds, lang)),
        detail: error.detail.as_ref().map(|detail| detail.in_lang(lang)),
    };
    let mut response = html(status(error), &page, lang);
    of_error(response.headers_mut(), error, services.is_https());
    private(response)
}

/// Seconds as people say them, rounded up: a wait that is too short is asked for twice.
fn duration(seconds: u32, lang: Lang) -> String {
    let (count, one, many) = match seconds {
        0..120 => (seconds, "second", "seconds"),
        120..7_200 => (seconds.div_ceil(60), "minute", "minutes"),
        _ => (seconds.div_ceil(3_600), "hour", "hours"),
    };
    let word = match (lang, if count == 1 { one } else { many }) {
        (Lang::PtBr, "second") => "segundo",
        (Lang::PtBr, "seconds") => "segundos",
        (Lang::PtBr, "minutes") => "minutos",
        (Lang::PtBr, "hours") => "horas",
        (_, word) => word,
    };
    format!("{count} {word}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_in_the_largest_unit_that_fits() {
        let told = [1, 90, 121, 7_199, 7_201].map(|seconds| duration(seconds, Lang::En));
        assert_eq!(told, ["1 second", "90 seconds", "3 minutes", "120 minutes", "3 hours"]);
        assert_eq!(duration(1, Lang::PtBr), "1 segundo");
    }
}
