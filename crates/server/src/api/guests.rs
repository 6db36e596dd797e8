//! Guests: an identity for those without an account.

use model::id::GuestId;
use schemars::JsonSchema;
use serde::Serialize;

use crate::app::App;
use crate::caller::{Kind, token_digest};
use crate::error::{ApiError, Code};
use crate::operation::{Ceiling, Cx, Json, Nothing, Operation};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        Operation::post("/api/guest", "create_guest", create)
            .text(
                "Make a guest token",
                "A token that owns the audits made with it. Send it as `X-Guest-Token` or `Authorization: Bearer`. It \
                 is shown once and kept here as a digest only; who holds it is the guest.",
            )
            .ceiling(Ceiling::Guests)
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
async fn create(cx: Cx, _: Nothing) -> Result<Json<Guest>, ApiError> {
    let (_, token) = new_guest(&cx.app).await?;
    Ok(Json::new(Guest { token }))
}

/// A new guest and its token.
pub(crate) async fn new_guest(app: &App) -> Result<(GuestId, String), ApiError> {
    let token = Kind::Guest.token(app.ports().entropy.bytes());
    let (id, digest, now) = (GuestId(app.ports().id()), token_digest(&token), app.ports().now());
    app.database().ask(|store| store.create_guest(id.clone(), &digest, now)).await?;
    Ok((id, token))
}
