//! Export of an account's data, and deletion of the account.

use schemars::JsonSchema;
use serde::Deserialize;

use super::auth::{Done, without_session};
use crate::operation::{Access, Effect, JsonAnswer, Nothing, Operation};
use service::accounts::departure::{self, Export};
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    let signed_in = |operation: Operation| operation.access(Access::Session).without_tool();
    vec![
        signed_in(Operation::get("/api/auth/export", "export_account", export)).text(
            "Take your data along",
            "Everything that is kept of your account: profile, sessions, events, passkeys, keys, organizations, tabs, and \
             the newest 1,000 audits with the address of each whole report. Secrets are kept as digests, and are not in \
             it.",
        ),
        signed_in(Operation::post("/api/auth/delete", "delete_account", close))
            .text(
                "Delete your account",
                "Closes it at once: sessions end, keys are revoked, memberships end. In 7 days everything that is yours \
                 is removed; until then the operator of the server can bring it back. What was paid stays in the ledger, \
                 under an id that leads to nobody. Needs a fresh session; who alone owns an organization must hand it on \
                 or delete it first. `email` is your address, as a sign that you mean it.\n\nExample: `{\"email\": \"ana@example.com\"}`",
            )
            .effect(Effect::Removes)
            .errors(&[Code::InvalidEmail, Code::ReauthRequired, Code::LastOwner]),
    ]
}

async fn export(cx: Cx, _: Nothing) -> Result<JsonAnswer<Export>, ServiceError> {
    Ok(JsonAnswer::new(departure::export(&cx).await?))
}

/// Confirmation of the deletion.
#[derive(Debug, Deserialize, JsonSchema)]
struct ToDelete {
    /// The address of your account.
    email: String,
}

async fn close(cx: Cx, input: ToDelete) -> Result<JsonAnswer<Done>, ServiceError> {
    departure::close(&cx, &input.email).await?;
    Ok(without_session(&cx.services, JsonAnswer::new(Done::OK)))
}
