//! What pays the runs of a watch: nothing where audits are free, the trial of its account, or a credit. Free audits are those of
//! a network, and no network asks for a scheduled run.

use model::credit::CreditState;
use model::id::{AccountId, Owner};
use model::money::Micros;
use schemars::JsonSchema;
use serde::Serialize;
use store::{SitePays, SiteWatcher, StoreError};

use crate::accounts::trial;
use crate::caller::Cx;
use crate::config::Sku;
use crate::error::{Code, ServiceError};
use crate::gate;
use crate::payments::debit::credit_state;
use crate::services::Services;
use crate::x402::PaymentMeans;

/// What pays the runs of a watch. Free audits of a network never do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SiteWatchPays {
    /// Audits are free on this server.
    Nothing,
    /// The trial of the account; after it the credit, if there is one.
    Trial,
    /// A credit.
    Credit,
    /// Nothing is left that pays: no run begins.
    Nobody,
}

/// What pays a run.
#[derive(Debug)]
pub(crate) struct TurnPays {
    /// What is stored with it; `None` where nothing has to be paid.
    pub(crate) pays: Option<SitePays>,
    /// The account whose trial it is.
    pub(crate) trial: Option<AccountId>,
}

fn is_free(services: &Services) -> bool {
    !services.payments().is_live() || gate::is_free_for_now(services, Sku::Audit)
}

/// Whether something pays the runs of a watch of the caller now.
pub(super) fn is_payable(cx: &Cx, has_credit: bool) -> bool {
    has_credit || is_free(&cx.services) || gate::is_on_trial(&cx.services, &cx.caller)
}

/// The credit that came with the call, which has to be one that pays here.
pub(super) fn named_credit(cx: &Cx) -> Result<Option<String>, ServiceError> {
    match &cx.payment.means {
        PaymentMeans::Credit(credit, _) => match credit_state(cx.services.payments(), credit) {
            CreditState::Active => Ok(Some(credit.id.clone())),
            CreditState::Worthless => Err(ServiceError::new(Code::CreditWithoutValue)),
            CreditState::Pending => Err(ServiceError::new(Code::CreditPending)),
            CreditState::Refused => Err(ServiceError::new(Code::CreditRefused)),
        },
        PaymentMeans::UnverifiedCredit => Err(ServiceError::new(Code::DatabaseUnavailable).retry_after(5)),
        PaymentMeans::None | PaymentMeans::X402(_) | PaymentMeans::UnsupportedX402 => Ok(None),
    }
}

/// What pays the runs of a watch of the caller, as it is told.
pub(super) fn payer(cx: &Cx, has_credit: bool) -> SiteWatchPays {
    match has_credit {
        _ if is_free(&cx.services) => SiteWatchPays::Nothing,
        _ if gate::is_on_trial(&cx.services, &cx.caller) => SiteWatchPays::Trial,
        true => SiteWatchPays::Credit,
        false => SiteWatchPays::Nobody,
    }
}

/// What so many pages cost at most.
pub(super) fn most_of(services: &Services, max_pages: u32, most: Option<Micros>) -> Micros {
    let all = Micros(services.config().prices.of(Sku::Audit).0.saturating_mul(max_pages.into()));
    all.min(most.unwrap_or(all))
}

/// What would pay repeats of a run of the caller with the credit that they hold, and what each costs at most. A credit that pays
/// nothing, or not yet, is none here: the report beside the form is there all the same.
pub fn terms(cx: &Cx, max_pages: u32, most: Option<Micros>) -> (SiteWatchPays, Micros) {
    let has_credit = named_credit(cx).is_ok_and(|credit| credit.is_some());
    (payer(cx, has_credit), most_of(&cx.services, max_pages, most))
}

/// What pays a run of a watch that is due; otherwise why nothing does, in a word.
pub(crate) async fn pays(
    services: &Services,
    watcher: &SiteWatcher,
) -> Result<Result<TurnPays, &'static str>, StoreError> {
    let (watch, now) = (&watcher.watch, services.ports().now());
    if is_free(services) {
        return Ok(Ok(TurnPays { pays: None, trial: None }));
    }
    if let Owner::Account(account) = &watch.owner
        && trial(watcher.trial_started_at, now).active
    {
        return Ok(Ok(TurnPays { pays: None, trial: Some(account.clone()) }));
    }
    let credit = match &watch.credit {
        Some(id) => services.database().store().credit_by_id(id).await?,
        None => None,
    };
    let active = credit.filter(|credit| credit_state(services.payments(), credit) == CreditState::Active);
    let Some(credit) = active else { return Ok(Err(Code::CreditRequired.wire())) };
    let price = services.config().prices.of(Sku::Audit);
    if credit.balance.min(watch.most.unwrap_or(credit.balance)) < price {
        return Ok(Err(Code::InsufficientCredit.wire()));
    }
    let pays = SitePays { price, most: watch.most, credit: Some(credit.id), networks: None, day: now.day() };
    Ok(Ok(TurnPays { pays: Some(pays), trial: None }))
}
