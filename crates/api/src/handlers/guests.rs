//! Guests: identities without an account.

use schemars::JsonSchema;
use serde::Serialize;

use crate::operation::{JsonAnswer, Nothing, Operation};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::gate::RateLimit;
use service::guests;

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/guest", "create_guest", create)
            .title("Create a guest token", "Criar um token de visitante")
            .doc(
                "A token that owns the audits made with it. Send it as `X-Guest-Token` or `Authorization: Bearer`. It \
                 is shown once and stored only as a hash. Anyone who has it acts as the guest.",
                "Um token que é dono das auditorias feitas com ele. Envie-o como `X-Guest-Token` ou `Authorization: \
                 Bearer`. Ele é mostrado uma vez e guardado só como hash. Quem o tem age como o visitante.",
            )
            .rate_limit(RateLimit::Guests)
            .errors(&[Code::RateLimited, Code::DatabaseUnavailable]),
    ]
}

/// A new guest.
#[derive(Debug, Serialize, JsonSchema)]
struct Guest {
    /// `pa_` and 43 digits of base 62.
    token: String,
}

/// Makes a guest.
async fn create(cx: Cx, _: Nothing) -> Result<JsonAnswer<Guest>, ServiceError> {
    let (_, token) = guests::create(&cx.services).await?;
    Ok(JsonAnswer::new(Guest { token }))
}
