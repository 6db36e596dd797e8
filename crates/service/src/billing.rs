//! Billing overview: means of payment, prices, and the caller's usage.

use model::account::Trial;
use model::pricing::{Billing, BillingPrices, Usage};

use crate::accounts::{TRIAL_DAYS, trial};
use crate::caller::{Cx, Identity};
use crate::config::PaymentNetwork;
use crate::error::ServiceError;
use crate::gate;
use crate::pricing::free_now;

/// The caller's billing overview.
pub async fn of(cx: &Cx) -> Result<Billing, ServiceError> {
    let services = &cx.services;
    let (config, payments) = (services.config(), services.payments());
    let is_test = config.payments.network == PaymentNetwork::BaseSepolia;
    let tabs = match cx.caller.owner() {
        Some(owner) => services.database().ask(|store| store.count_tabs(&owner)).await?,
        None => 0,
    };
    Ok(Billing {
        provider: "x402",
        mode: if payments.is_live() { "live" } else { "dev" },
        network: payments.chain().name,
        chain_id: payments.chain().id,
        pay_to: payments.pay_to().map(str::to_owned),
        homolog: is_test,
        dev: !payments.is_live(),
        dev_gate: false,
        free_now: free_now(config),
        facilitator: payments.facilitator_url().to_owned(),
        asset: "USDC",
        asset_address: payments.chain().asset,
        faucet: config.payments.faucet.clone().filter(|_| is_test),
        wallets: config.payments.wallets.iter().map(|wallet| (wallet.name.clone(), wallet.url.clone())).collect(),
        product: config.product.name.clone(),
        free_max_tabs: config.limits.free_tabs,
        prices: BillingPrices {
            audit_usd: config.prices.audit_usd,
            extra_tab_usd: config.prices.extra_tab_usd,
            contact_agent_usd: config.prices.contact_agent_usd,
        },
        usage: Usage { tabs, free_slots_left: config.limits.free_tabs.saturating_sub(tabs) },
        trial: trial_of(cx),
    })
}

/// The caller's trial; inactive without an account.
fn trial_of(cx: &Cx) -> Trial {
    let started_at = match &cx.caller.identity {
        Identity::Session(session) => session.trial_started_at,
        Identity::Key(key) => key.trial_started_at,
        Identity::Nobody | Identity::Guest(_) | Identity::Unverified(_) => None,
    };
    let of_account = trial(started_at, cx.services.ports().now());
    if gate::is_on_trial(&cx.services, &cx.caller) || started_at.is_some() {
        of_account
    } else {
        Trial { days: TRIAL_DAYS, active: false, ends_at: None, days_left: None }
    }
}
