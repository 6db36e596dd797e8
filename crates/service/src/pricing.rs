//! Price list, from the configuration.

use model::lang::{Lang, Text, text};
use model::money::Micros;
use model::pricing::{FreeItem, PaidItem, PaymentQuota, TrialOffer};

use crate::accounts::TRIAL_DAYS;
use crate::config::{Config, Sku};
use crate::services::Services;
use crate::x402::{HOW_TO_PAY, PACKS};

/// What is free, and what costs how much.
pub fn quota(services: &Services, lang: Lang) -> PaymentQuota {
    const AUDITS: Text = text("audits per network", "auditorias por rede");
    const TABS: Text = text("followed pages per owner", "páginas seguidas por dono");
    const DAY: Text = text("day (UTC)", "dia (UTC)");
    const AUDIT: Text = text("one audit beyond the free audits", "uma auditoria além das grátis");
    const TAB: Text = text("one followed page beyond the free ones", "uma página seguida além das grátis");
    const CONTACT: Text = text("one contact by an agent (list price)", "um contato por agente (preço de tabela)");
    const CREDIT: Text = text("prepaid credit of {usd} USD", "crédito pré-pago de US$ {usd}");
    const TRIAL: Text = text(
        "It starts automatically with the first use of an account, and covers its sessions and its own API keys.",
        "Começa automaticamente no primeiro uso de uma conta, e vale para as sessões e as chaves de API dela.",
    );
    let (limits, prices) = (services.config().limits, services.config().prices);
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
        live: Some(services.url("/api/gate")),
        free_now: free_now(services.config()),
        trial: TrialOffer { days: TRIAL_DAYS, how: say(TRIAL) },
    }
}

/// SKUs that are free for now.
pub fn free_now(config: &Config) -> Vec<String> {
    config.free_now.iter().map(|sku| sku.name().to_owned()).collect()
}
