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
            .title("Claim a guest's data", "Assumir os dados de um visitante")
            .doc(
                "Moves audits, followed pages, shares and purchases of a guest to your account, all or nothing. The \
                 guest token stops working. Idempotent: sent again, it moves only what was added since.\n\n`claimed` \
                 has one entry, by the id of this product: `movidos` counts the rows moved, `apagados` the followed \
                 pages left out because you already follow them, `direitos` the purchases.",
                "Passa auditorias, páginas seguidas, compartilhamentos e compras de um visitante para a sua conta, \
                 tudo ou nada. O token de visitante deixa de funcionar. Idempotente: repetida, a chamada passa só o \
                 que foi acrescentado desde então.\n\n`claimed` tem uma entrada, pelo id deste produto: `movidos` \
                 conta as linhas que passaram, `apagados` as páginas seguidas que ficaram de fora porque você já as \
                 segue, `direitos` as compras.",
            )
            .example(r#"`{"guest_token": "pa_…"}`"#)
            .access(Access::Session)
            .effect(Effect::Sets)
            .without_tool()
            .errors(&[Code::InvalidProductClaim, Code::UnknownGuest, Code::ProductClaimPending]),
    ]
}

/// The guest to claim.
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
