//! What costs what, for people and for programs. Every number is the configuration's.

use bytes::Bytes;
use model::lang::{Lang, Text, text};
use model::money::Micros;
use model::pricing::{FreeItem, PaidItem, PaymentQuota, Pricing, TrialOffer};
use schemars::{Schema, SchemaGenerator};

use crate::accounts::TRIAL_DAYS;
use crate::app::App;
use crate::config::Sku;
use crate::error::ApiError;
use crate::operation::{Answer, Cx, Nothing, Operation, Reply, Written};
use crate::payments::{HOW_TO_PAY, PACKS};

/// Where prices are told.
pub(crate) const PATH: &str = "/api/pricing";

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get(PATH, "get_pricing", pricing)
            .text("See what costs what", "What is free, what costs how much beyond, and how it is paid."),
        Operation::get("/.well-known/x402", "get_payment_manifest", manifest)
            .text(
                "See what can be paid by x402",
                "Network, payee and every call with a price, for programs that look for services to pay. The live 402 \
                 decides.",
            )
            .without_tool(),
    ]
}

async fn pricing(cx: Cx, _: Nothing) -> Result<Written<Pricing>, ApiError> {
    let app = &cx.app;
    Written::spoken(&Pricing {
        product: app.config().product.name.clone(),
        quota: quota(app, cx.lang),
        pricing: app.url(PATH),
        billing: app.url("/api/billing"),
        api_index: app.url("/api/"),
    })
}

/// What is free and what is not.
pub(crate) fn quota(app: &App, lang: Lang) -> PaymentQuota {
    const AUDITS: Text = text("audits per network", "auditorias por rede");
    const TABS: Text = text("tabs per owner", "abas por dono");
    const DAY: Text = text("day (UTC)", "dia (UTC)");
    const AUDIT: Text = text("one audit beyond the free ones", "uma auditoria além das grátis");
    const TAB: Text = text("one tab beyond the free ones", "uma aba além das grátis");
    const CONTACT: Text = text("one contact by an agent (list price)", "um contato por agente (preço de tabela)");
    const CREDIT: Text = text("prepaid credit of {usd} USD", "crédito pré-pago de {usd} USD");
    const TRIAL: Text = text(
        "It begins by itself at an account's first use, and holds for its sessions and its own API keys.",
        "Começa sozinho no primeiro uso de uma conta, e vale para suas sessões e suas próprias chaves de API.",
    );
    let (limits, prices) = (app.config().limits, app.config().prices);
    let say = |text: Text| text.in_lang(lang).to_owned();
    let paid = |what: Text, price_usd| PaidItem { what: say(what), price_usd };
    let credits = PACKS.map(|usd| PaidItem {
        what: CREDIT.phrase(&[("usd", usd.into())]).in_lang(lang).to_owned(),
        price_usd: Micros::of_dollars(usd),
    });
    PaymentQuota {
        free: vec![
            FreeItem { what: say(AUDITS), limit: limits.free_audits_per_day, window: Some(say(DAY)) },
            FreeItem { what: say(TABS), limit: limits.free_tabs, window: None },
        ],
        paid: [
            paid(AUDIT, prices.of(Sku::Audit)),
            paid(TAB, prices.of(Sku::Tab)),
            paid(CONTACT, prices.contact_agent_usd),
        ]
        .into_iter()
        .chain(credits)
        .collect(),
        how_to_pay: say(HOW_TO_PAY),
        live: Some(app.url("/api/gate")),
        free_now: free_now(app),
        trial: TrialOffer { days: TRIAL_DAYS, how: say(TRIAL) },
    }
}

/// Names of what is free for the time being.
pub(super) fn free_now(app: &App) -> Vec<String> {
    app.config().free_now.iter().map(|sku| sku.name().to_owned()).collect()
}

/// The manifest; it has no schema of its own, as no standard is settled.
struct Manifest(Bytes);

impl Answer for Manifest {
    fn reply(self) -> Result<Reply, ApiError> {
        Ok(Reply::json(self.0))
    }

    fn describe(_: &mut SchemaGenerator) -> (&'static str, Option<Schema>) {
        ("application/json", None)
    }
}

async fn manifest(cx: Cx, _: Nothing) -> Result<Manifest, ApiError> {
    Ok(Manifest(cx.app.payments().manifest(&cx.app).to_string().into()))
}
