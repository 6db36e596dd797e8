//! Prices for people: the values of `GET /api/pricing`, the free audits left for the reader's network today, and the
//! payment requirements that a program gets.

use api::request::client;
use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::lang::{Text, text};
use model::pricing::PaymentQuota;

use crate::address::{Addresses, with_lang};
use crate::allowance::NextAudit;
use crate::card::{Card, CardSubject};
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::{html, unstored};
use api::site::Site;
use service::gate;

#[derive(Template)]
#[template(path = "pricing.html")]
struct PricingPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    quota: PaymentQuota,
    /// Free audits that the reader's network has left today; `None` while unknown.
    left: Option<u32>,
    /// Whether the reader's account is in its trial, in which nothing else counts.
    is_on_trial: bool,
    /// Payment requirements of an audit (x402), as JSON; `None` where nothing is charged.
    requirements: Option<String>,
    /// Where credit is bought.
    credit: String,
}

pub(super) async fn show(State(site): State<Site>, request: Request) -> Response {
    const TITLE: Text = text("Prices", "Preços");
    const DESCRIPTION: Text = text(
        "What is free, what the rest costs, what is never charged, and how programs and people pay.",
        "O que é grátis, quanto custa o resto, o que nunca é cobrado, e como programas e pessoas pagam.",
    );
    let services = site.services();
    let (parts, _) = request.into_parts();
    let query = parts.uri.query();
    let reader = Reader::of(&parts.headers, query);
    let lang = reader.lang;
    let addresses = Addresses::new(services, "/pricing", query, lang);
    let title = TITLE.in_lang(lang);
    let subject = CardSubject {
        kind: "WebPage",
        title: &[title],
        description: DESCRIPTION.in_lang(lang),
        way: &[(title, "/pricing".to_owned())],
    };
    let network = client(&parts.extensions, &parts.headers);
    let left = gate::free_remaining(services, network).await;
    let priced = site.audit_price().ok();
    let page = PricingPage {
        frame: Frame::new(services, reader).below("/pricing"),
        card: Card::new(services, &addresses, lang, &subject),
        addresses,
        quota: service::pricing::quota(services, lang),
        left: left.ok(),
        is_on_trial: reader.has_session && NextAudit::is_on_trial(services, &parts).await,
        requirements: priced
            .and_then(|priced| services.payments().example(&priced))
            .map(|demand| format!("{demand:#}")),
        credit: with_lang(super::credit::PATH, query, lang),
    };
    // The allowance left depends on the network of the reader.
    unstored(html(StatusCode::OK, &page, lang))
}
