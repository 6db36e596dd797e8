//! What is offered to partners and sponsors, for people: the document of `GET /api/partners`.

use askama::Template;
use axum::extract::{Request, State};
use axum::response::Response;
use model::lang::{Text, text};
use model::partners::{Exposure, Partners};
use service::Services;
use service::partners::{self, PAGE_PATH};

use crate::address::Addresses;
use crate::card::{Card, CardSubject};
use crate::error;
use crate::filters;
use crate::frame::Frame;
use crate::reader::Reader;
use crate::response::lasting;

#[derive(Template)]
#[template(path = "partners.html")]
struct PartnersPage<'a> {
    frame: Frame<'a>,
    addresses: Addresses,
    card: Card,
    offer: Partners,
    /// Where a proposal is written.
    form: String,
}

impl PartnersPage<'_> {
    /// Prices of a placement, those that are set.
    fn prices(&self, exposure: &[Exposure]) -> Vec<String> {
        let days = self.frame.t("days", "dias");
        let amount = |price| self.frame.decimal(price);
        let price =
            |exposure: &Exposure| Some(format!("{} {days}: {} USD", exposure.days, amount(exposure.price_usd?)));
        exposure.iter().filter_map(price).collect()
    }
}

/// The page; 404 where partners are not asked for.
pub(super) async fn show(State(services): State<Services>, request: Request) -> Response {
    const DESCRIPTION: Text = text(
        "Sponsor placements with prices, current sponsors, and how to propose a partnership.",
        "Espaços para patrocinadores e seus preços, patrocinadores atuais e como propor uma parceria.",
    );
    let query = request.uri().query();
    let reader = Reader::of(request.headers(), query);
    let lang = reader.lang;
    let offer = match partners::document(&services, lang) {
        Ok(offer) => offer,
        Err(refusal) => return error::page(&services, &refusal, reader),
    };
    let addresses = Addresses::new(&services, PAGE_PATH, query, lang);
    let subject = CardSubject {
        kind: "WebPage",
        title: &[&offer.title],
        description: DESCRIPTION.in_lang(lang),
        way: &[(&offer.title, PAGE_PATH.to_owned())],
    };
    let page = PartnersPage {
        card: Card::new(&services, &addresses, lang, &subject),
        frame: Frame::new(&services, reader),
        addresses,
        form: format!("{}?tipo=patrocinio&lang={}", crate::contact::PATH, lang.tag()),
        offer,
    };
    lasting(&page, lang)
}
