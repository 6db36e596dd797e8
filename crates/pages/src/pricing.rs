//! What costs what, for people: the values of `GET /api/pricing`, what the reader's network has left today, and what a
//! program is asked for.

use api::request::client;
use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::lang::{Text, text};
use model::pricing::PaymentQuota;

use super::card::{Card, Subject};
use super::{Addresses, Frame, Reader, html, unstored, with_lang};
use api::site::Site;

#[derive(Template)]
#[template(path = "pricing.html")]
struct PricingPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    quota: PaymentQuota,
    /// Free audits that the reader's network has left today; `None` while that can't be told.
    left: Option<u32>,
    /// What a program that has to pay for an audit is asked for, as JSON; `None` where nothing is charged.
    asked: Option<String>,
    /// Where credit is bought.
    credit: String,
}

pub(super) async fn show(State(site): State<Site>, request: Request) -> Response {
    const TITLE: Text = text("Prices", "Preços");
    const DESCRIPTION: Text = text(
        "What is free, what costs how much beyond it, what is never charged, and how a program or a person pays.",
        "O que é grátis, quanto custa o que passa disso, o que nunca é cobrado, e como um programa ou uma pessoa paga.",
    );
    let app = site.services();
    let (parts, _) = request.into_parts();
    let query = parts.uri.query();
    let reader = Reader::of(&parts.headers, query);
    let lang = reader.lang;
    let addresses = Addresses::new(app, "/pricing", query, lang);
    let title = TITLE.in_lang(lang);
    let subject = Subject {
        kind: "WebPage",
        title: &[title],
        description: DESCRIPTION.in_lang(lang),
        way: &[(title, "/pricing".to_owned())],
    };
    let network = client(&parts.extensions, &parts.headers);
    let left = app.allowance().free_remaining(app.database(), app.ports(), network).await;
    let priced = site.audit_price().ok();
    let page = PricingPage {
        frame: Frame::new(app, reader),
        card: Card::new(app, &addresses, lang, &subject),
        addresses,
        quota: service::pricing::quota(app, lang),
        left: left.ok(),
        asked: priced.and_then(|priced| app.payments().example(&priced)).map(|asked| format!("{asked:#}")),
        credit: with_lang(super::credit::PATH, query, lang),
    };
    // What is left is the network's own.
    unstored(html(StatusCode::OK, &page, lang))
}
