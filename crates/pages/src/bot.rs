//! About the crawler, for the owners of the sites it visits; its user agent names this page.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use http::StatusCode;
use model::lang::{Text, text};

use crate::address::Addresses;
use crate::card::{Card, CardSubject};
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::html;
use service::Services;

#[derive(Template)]
#[template(path = "bot.html")]
struct BotPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    user_agent: &'a str,
    per_target: u16,
    per_hour: u32,
}

pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    const TITLE: Text = text("About our crawler", "Sobre o nosso robô");
    const DESCRIPTION: Text = text(
        "What this service's crawler fetches, how often, and how to block it.",
        "O que o robô deste serviço busca, com que frequência e como bloqueá-lo.",
    );
    let reader = Reader::of(request.headers(), request.uri().query());
    let lang = reader.lang;
    let addresses = Addresses::new(&services, "/bot", request.uri().query(), lang);
    let title = TITLE.in_lang(lang);
    let subject = CardSubject {
        kind: "WebPage",
        title: &[title],
        description: DESCRIPTION.in_lang(lang),
        way: &[(title, "/bot".to_owned())],
    };
    let page = BotPage {
        frame: Frame::new(&services, reader),
        card: Card::new(&services, &addresses, lang, &subject),
        addresses,
        user_agent: &services.config().user_agent(services.base_url()),
        per_target: services.config().limits.fetches_per_target,
        per_hour: services.config().limits.audits_per_target_hour,
    };
    html(StatusCode::OK, &page, lang)
}
