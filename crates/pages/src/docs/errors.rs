//! Every error of the API.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use model::lang::{Text, text};
use service::Services;
use service::error::Code;

use super::layout::DocsPage;
use crate::filters;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::lasting;

#[derive(Template)]
#[template(path = "docs_errors.html")]
struct ErrorsPage<'a> {
    frame: Frame<'a>,
    docs: DocsPage<'a>,
    codes: Vec<(u16, &'static str, &'static str)>,
}

pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    const TITLE: Text = text("Errors of the API", "Erros da API");
    const DESCRIPTION: Text = text(
        "Every error code of the API, its HTTP status, what it means and what to do.",
        "Todo código de erro da API, o status HTTP, o que significa e o que fazer.",
    );
    let lang = Reader::of(request.headers(), request.uri().query()).lang;
    let docs = DocsPage::new(&services, &request, "/docs/errors", TITLE.in_lang(lang), DESCRIPTION.in_lang(lang));
    let mut codes: Vec<_> = Code::ALL.to_vec();
    codes.sort_by_key(|code| (code.status(), code.wire()));
    let codes = codes.into_iter().map(|code| (code.status(), code.wire(), code.sentence().in_lang(lang))).collect();
    lasting(&ErrorsPage { frame: docs.frame.clone(), docs, codes }, lang)
}
