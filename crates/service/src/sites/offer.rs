//! What a run over a site costs, told before it begins.

use model::credit::CreditState;
use model::lang::{Text, text};
use model::money::Micros;
use schemars::JsonSchema;
use serde::Serialize;
use store::SitePays;

use super::plan::SitePlan;
use crate::caller::Cx;
use crate::config::Sku;
use crate::error::{Code, ServiceError};
use crate::gate;
use crate::payments::debit::credit_state;
use crate::x402::PaymentMeans;

/// What a run costs at most.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
#[schemars(rename = "SiteOffer")]
pub struct SiteOffer {
    /// Addresses that the run asks for at most.
    pub max_pages: u32,
    /// Pages that can be paid now: the run ends after them.
    pub payable_pages: u32,
    /// Of them, pages that are free audits; null where nothing has to be paid.
    pub free_audits: Option<u32>,
    /// Price of a page beyond the free audits; 0 where nothing has to be paid.
    pub price_usd: Micros,
    /// What the run takes from the credit at most.
    pub most_usd: Micros,
}

/// A plan with what pays it.
pub(super) struct Payable {
    /// What is told.
    pub(super) offer: SiteOffer,
    /// What is stored; `None` where nothing has to be paid.
    pub(super) pays: Option<SitePays>,
}

/// The price of a plan, and what pays it. Spends nothing.
pub(super) async fn payable(cx: &Cx, plan: &SitePlan) -> Result<Payable, ServiceError> {
    let services = &cx.services;
    let max_pages = plan.options.max_pages;
    let is_uncounted = !services.payments().is_live()
        || gate::is_free_for_now(services, Sku::Audit)
        || gate::is_on_trial(services, &cx.caller);
    if is_uncounted {
        let nothing = Micros(0);
        let offer =
            SiteOffer { max_pages, payable_pages: max_pages, free_audits: None, price_usd: nothing, most_usd: nothing };
        return Ok(Payable { offer, pays: None });
    }
    let price = services.config().prices.of(Sku::Audit);
    let credit = match &cx.payment.means {
        PaymentMeans::Credit(credit, _) => match credit_state(services.payments(), credit) {
            CreditState::Active => Some(credit),
            CreditState::Worthless => return Err(ServiceError::new(Code::CreditWithoutValue)),
            CreditState::Pending => return Err(ServiceError::new(Code::CreditPending)),
            CreditState::Refused => return Err(ServiceError::new(Code::CreditRefused)),
        },
        PaymentMeans::UnverifiedCredit => return Err(ServiceError::new(Code::DatabaseUnavailable).retry_after(5)),
        PaymentMeans::None | PaymentMeans::X402(_) | PaymentMeans::UnsupportedX402 => None,
    };
    let free = gate::free_remaining(services, cx.caller.network).await?.min(max_pages);
    let budget = credit.map_or(Micros(0), |credit| credit.balance.min(plan.most.unwrap_or(credit.balance)));
    let bought = u32::try_from(budget.0.checked_div(price.0).unwrap_or(u64::MAX)).unwrap_or(u32::MAX);
    let paid = bought.min(max_pages - free);
    let offer = SiteOffer {
        max_pages,
        payable_pages: free + paid,
        free_audits: Some(free),
        price_usd: price,
        most_usd: Micros(price.0.saturating_mul(u64::from(paid))),
    };
    let (networks, day) =
        services.allowance().day_keys(services.database(), services.ports(), cx.caller.network).await?;
    let networks = Some(networks);
    let credit = credit.map(|credit| credit.id.clone());
    Ok(Payable { offer, pays: Some(SitePays { price, most: plan.most, credit, networks, day }) })
}

/// The refusal of a run of which not one page can be paid. It names the field that is too low.
pub(super) fn unpayable(pays: Option<&SitePays>) -> ServiceError {
    const NO_CREDIT: Text = text(
        "X-Credito: send a credit token to pay for more pages",
        "X-Credito: envie o token de um crédito para pagar por mais páginas",
    );
    const TOO_LITTLE: Text = text(
        "X-Credito: the balance is below the price of one page ({price} USD)",
        "X-Credito: o saldo é menor que o preço de uma página (US$ {preco})",
    );
    const LIMIT: Text = text(
        "max_usd: the limit is below the price of one page ({price} USD)",
        "max_usd: o limite é menor que o preço de uma página (US$ {preco})",
    );
    let price = pays.map_or(Micros(0), |pays| pays.price);
    let words = match pays {
        Some(SitePays { credit: None, .. }) | None => NO_CREDIT,
        Some(SitePays { most: Some(most), .. }) if *most < price => LIMIT,
        Some(_) => TOO_LITTLE,
    };
    ServiceError::new(Code::AllowanceSpent).explained(words.phrase(&price.values()))
}
