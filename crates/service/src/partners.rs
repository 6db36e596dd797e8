//! What is offered to partners and sponsors, from the configuration. A sponsor is shown on the page of partners only: no
//! report, score or fix knows of it.

use model::lang::{Lang, Text, text};
use model::partners::{
    Bundle, Exposure, PartnerContact, PartnerPayment, Partners, PartnersLinks, Partnership, Placement, ProposalKind,
    Sponsor,
};
use model::time::Day;

use crate::config::{PlacementSetting, SponsorSetting};
use crate::contact::{KINDS, MEANS};
use crate::error::{Code, ServiceError};
use crate::services::Services;

/// Path of the document.
pub const API_PATH: &str = "/api/partners";
/// Path of the page.
pub const PAGE_PATH: &str = "/partners";
/// Path of the public statistics.
const STATS_PATH: &str = "/api/vitrine";

/// Whether partners are asked for.
pub fn is_on(services: &Services) -> bool {
    services.config().partners.enabled
}

/// The offer of today in a language; [`Code::NotFound`] where partners are not asked for.
pub fn document(services: &Services, lang: Lang) -> Result<Partners, ServiceError> {
    const TITLE: Text = text("Partners and sponsors", "Parceiros e patrocinadores");
    if !is_on(services) {
        return Err(ServiceError::new(Code::NotFound));
    }
    let (config, settings) = (services.config(), &services.config().partners);
    let today = services.ports().now().day();
    let say = |text: Text| text.in_lang(lang);
    Ok(Partners {
        status: "sob_consulta",
        product: config.product.name.clone(),
        lang: lang.tag(),
        title: say(TITLE).to_owned(),
        description: settings.description.in_lang(lang).to_owned(),
        audience: settings.audience.in_lang(lang).to_owned(),
        kinds: KINDS.iter().map(|kind| ProposalKind { id: kind.word, name: kind.label.in_lang(lang) }).collect(),
        placements: settings.placements.iter().map(|setting| placement(setting, lang)).collect(),
        house_bundle: settings.house_bundle.first().map(|bundle| Bundle {
            name: bundle.name.in_lang(lang).to_owned(),
            description: bundle.description.in_lang(lang).to_owned(),
            price_usd_30d: bundle.price_usd_30d,
        }),
        partnerships: settings
            .partnerships
            .iter()
            .map(|partnership| Partnership {
                name: partnership.name.clone(),
                url: partnership.url.clone(),
                description: partnership.description.in_lang(lang).to_owned(),
            })
            .collect(),
        current_sponsors: current(&settings.sponsors, today).map(|setting| sponsor(setting, lang)).collect(),
        stats: services.url(STATS_PATH),
        payment: payment(services, lang),
        contact: contact(services, lang),
        policy: settings.policy.in_lang(lang).to_owned(),
        links: PartnersLinks {
            itself: services.url(API_PATH),
            stats: services.url(STATS_PATH),
            page: services.url(PAGE_PATH),
            contact: services.url("/api/contact"),
            home: services.url("/"),
        },
    })
}

/// Number of today's sponsors; `None` where nothing is offered to partners.
pub fn sponsors(services: &Services) -> Option<u64> {
    let today = services.ports().now().day();
    is_on(services).then(|| current(&services.config().partners.sponsors, today).count() as u64)
}

/// Sponsors whose time has begun and is not over.
fn current(sponsors: &[SponsorSetting], today: Day) -> impl Iterator<Item = &SponsorSetting> {
    sponsors.iter().filter(move |sponsor| sponsor.from.0 <= today && today <= sponsor.until.0)
}

fn placement(setting: &PlacementSetting, lang: Lang) -> Placement {
    let prices = [(30, setting.price_usd_30d), (90, setting.price_usd_90d), (365, setting.price_usd_365d)];
    Placement {
        id: setting.id.clone(),
        name: setting.name.in_lang(lang).to_owned(),
        place: setting.place.in_lang(lang).to_owned(),
        format: setting.format.in_lang(lang).to_owned(),
        exclusive: setting.exclusive,
        measurement: (!setting.measurement.is_empty()).then(|| setting.measurement.in_lang(lang).to_owned()),
        price_usd_30d: setting.price_usd_30d,
        exposure: prices.into_iter().map(|(days, price_usd)| Exposure { days, price_usd }).collect(),
        available: setting.available,
    }
}

fn sponsor(setting: &SponsorSetting, lang: Lang) -> Sponsor {
    Sponsor {
        id: setting.id.clone(),
        name: setting.name.clone(),
        url: setting.url.clone(),
        line: setting.line.in_lang(lang).to_owned(),
        placements: setting.placements.clone(),
        until: setting.until.0.to_string(),
    }
}

fn payment(services: &Services, lang: Lang) -> PartnerPayment {
    const NOTE: Text = text(
        "Pay only after we accept the proposal by email. A payment alone does not reserve a placement.",
        "Pague só depois que aceitarmos a proposta por e-mail. Um pagamento por si só não reserva um espaço.",
    );
    let payments = services.payments();
    let chain = payments.chain();
    let pay_to = payments.pay_to();
    PartnerPayment {
        network: chain.name,
        chain_id: chain.id,
        active: payments.is_live(),
        pay_to: pay_to.map(str::to_owned),
        eip681: pay_to.map(|to| format!("ethereum:{}@{}/transfer?address={to}", chain.asset, chain.id)),
        alternatives: MEANS.iter().filter(|means| means.word != "usdc").map(|means| means.word).collect(),
        note: NOTE.in_lang(lang),
    }
}

fn contact(services: &Services, lang: Lang) -> PartnerContact {
    const TEMPLATE: Text = text(
        "Hello, we would like to propose {{WHAT}} for {{HOW LONG}}. About us: {{COMPANY, SITE}}.",
        "Olá, gostaríamos de propor {{O QUÊ}} por {{QUANTO TEMPO}}. Sobre nós: {{EMPRESA, SITE}}.",
    );
    const INSTRUCTIONS: Text = text(
        "Send the form, or call the API with name, email, message and tipo. A person replies by email.",
        "Envie o formulário, ou chame a API com name, email, message e tipo. Uma pessoa responde por e-mail.",
    );
    PartnerContact {
        email: services.config().organization.email.clone(),
        form_url: services.url("/contact?tipo=patrocinio"),
        api_url: services.url("/api/contact"),
        fields: vec!["name", "email", "message"],
        proposal_fields: vec!["tipo", "empresa", "site", "orcamento", "espaco", "duracao", "pagamento"],
        message_template: TEMPLATE.in_lang(lang),
        instructions: INSTRUCTIONS.in_lang(lang),
    }
}
