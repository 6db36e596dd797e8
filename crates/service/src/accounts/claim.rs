//! Guest claim: moves a guest's audits, tabs and credits to the signed-in account.

use model::claim::{MovedRows, ProductClaim};
use model::id::{Owner, TabId};
use serde_json::json;
use store::GuestThings;

use super::unavailable::unavailable;
use crate::caller::Cx;
use crate::credential::{TokenKind, token_digest};
use crate::database::DatabaseError;
use crate::error::{Code, ServiceError};

/// Moves a guest's things to the caller's account. [`Code::InvalidProductClaim`] when the text can't be a guest token.
pub async fn take(cx: &Cx, token: &str) -> Result<ProductClaim, ServiceError> {
    let (services, session) = (&cx.services, cx.caller.required_session()?);
    if !TokenKind::Guest.fits(token) {
        return Err(ServiceError::new(Code::InvalidProductClaim));
    }
    let (digest, now) = (token_digest(token), services.ports().now());
    let claimed = services.database().write(|store| store.claim_guest(&digest, &session.account, now)).await;
    let claimed = claimed.map_err(|error| match error {
        DatabaseError::Down | DatabaseError::Full => ServiceError::new(Code::ProductClaimPending).retry_after(5),
        other => other.into(),
    })?;
    let Some(claimed) = claimed else {
        let reason = json!({ "reason": Code::UnknownGuest.wire() });
        return Err(ServiceError::new(Code::UnknownGuest).with("claimed", reason));
    };
    let moved = MovedRows { audits: claimed.moved("audits"), tabs: claimed.moved("tabs"), shares: claimed.shares };
    tracing::info!(moved.audits, moved.tabs, "a guest was claimed");
    Ok(ProductClaim { moved, left: claimed.tabs_left, purchases: claimed.moved("credits") })
}

/// Preview of [`take`]: what it would move. Empty for a guest that this account can't claim.
pub async fn offered(cx: &Cx, token: &str) -> Result<GuestThings, ServiceError> {
    let (session, digest) = (cx.caller.required_session()?, token_digest(token));
    let things = cx.services.database().ask(|store| store.guest_things(&digest, &session.account)).await;
    Ok(things.map_err(unavailable)?.unwrap_or_default())
}

/// The page that a guest's tab follows; `None` where there is no such guest or tab.
pub async fn guests_page(cx: &Cx, token: &str, tab: &TabId) -> Result<Option<String>, ServiceError> {
    let (database, digest) = (cx.services.database(), token_digest(token));
    let Some(guest) = database.ask(|store| store.guest_by_digest(&digest)).await? else { return Ok(None) };
    let owner = Owner::Guest(guest.id);
    match database.ask(|store| store.tab_of(&owner, tab)).await {
        Ok(tab) => Ok(Some(tab.url)),
        Err(DatabaseError::NotFound) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// The tab of the caller's account that follows the page of a guest's tab: that one stays behind in [`take`]. Asked before it,
/// since the guest's token opens nothing afterwards. `None` where the account does not follow the page.
pub async fn followed_already(cx: &Cx, token: &str, tab: &TabId) -> Result<Option<String>, ServiceError> {
    let to = Owner::Account(cx.caller.required_session()?.account.clone());
    let Some(url) = guests_page(cx, token, tab).await? else { return Ok(None) };
    Ok(cx.services.database().ask(|store| store.tab_of_page(&to, &url)).await?.map(|tab| tab.id))
}
