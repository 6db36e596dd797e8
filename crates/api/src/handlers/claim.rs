//! A guest's things become those of the account that is signed in.

use std::collections::BTreeMap;

use model::claim::ProductClaim;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::operation::{Access, Effect, JsonAnswer, Operation};
use service::accounts::claim;
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/auth/claim", "claim_guest", take)
            .text(
                "Take over a guest's things",
                "Gives audits, tabs, shares and purchases of a guest to your account, at once or not at all. The guest's \
                 token opens nothing afterwards. Sent again it moves what came to the guest in the meantime, most often \
                 nothing.\n\n`claimed` has one entry, by the id of this product: `movidos` counts the rows that moved, \
                 `apagados` the tabs that stayed behind because you follow their pages already, `direitos` the \
                 purchases.\n\nExample: `{\"guest_token\": \"pa_…\"}`",
            )
            .access(Access::Session)
            .effect(Effect::Sets)
            .without_tool()
            .errors(&[Code::InvalidProductClaim, Code::UnknownGuest, Code::ProductClaimPending]),
    ]
}

/// Which guest.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Guest")]
struct ClaimedGuest {
    /// The guest's token, `pa_…`.
    guest_token: String,
}

/// Result of a claim.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Claim")]
struct ClaimedAudits {
    /// Always true; a failure is a status.
    ok: bool,
    /// By the id of the product.
    claimed: BTreeMap<String, ProductClaim>,
}

/// Gives a guest's things to the caller's account.
async fn take(cx: Cx, input: ClaimedGuest) -> Result<JsonAnswer<ClaimedAudits>, ServiceError> {
    let claim = claim::take(&cx, &input.guest_token).await?;
    Ok(JsonAnswer::new(ClaimedAudits {
        ok: true,
        claimed: BTreeMap::from([(cx.services.config().product.id.clone(), claim)]),
    }))
}
