//! How this service is paid, and where the caller stands.

use model::account::Trial;
use model::pricing::{Billing, BillingPrices, Usage};

use super::pricing::free_now;
use crate::accounts::{TRIAL_DAYS, trial};
use crate::caller::Identity;
use crate::config::PaymentNetwork;
use crate::error::{ApiError, Code};
use crate::gate;
use crate::operation::{Cx, Json, Nothing, Operation};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::get("/api/billing", "get_billing", read)
            .text(
                "See how this service is paid",
                "Network, payee and prices, what you use of the free tabs, and how your trial stands. A guest token, key \
                 or session says whose tabs are counted.",
            )
            .errors(&[Code::DatabaseUnavailable, Code::AuthUnavailable]),
    ]
}

async fn read(cx: Cx, _: Nothing) -> Result<Json<Billing>, ApiError> {
    billing_of(&cx).await.map(Json::new)
}

/// The same for an answer that holds more.
pub(super) async fn billing_of(cx: &Cx) -> Result<Billing, ApiError> {
    let app = &cx.app;
    let (config, payments) = (app.config(), app.payments());
    let is_test = config.payments.network == PaymentNetwork::BaseSepolia;
    let tabs = match cx.caller.owner() {
        Some(owner) => app.database().ask(|store| store.count_tabs(&owner)).await?,
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
        free_now: free_now(app),
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

/// The caller's trial; who has no account has none.
fn trial_of(cx: &Cx) -> Trial {
    let started_at = match &cx.caller.identity {
        Identity::Session(session) => session.trial_started_at,
        Identity::Key(key) => key.trial_started_at,
        Identity::Nobody | Identity::Guest(_) | Identity::Unverified(_) => None,
    };
    let of_account = trial(started_at, cx.app.ports().now());
    if gate::is_on_trial(&cx.app, &cx.caller) || started_at.is_some() {
        of_account
    } else {
        Trial { days: TRIAL_DAYS, active: false, ends_at: None, days_left: None }
    }
}
