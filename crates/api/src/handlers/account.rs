//! The account of a signed-in browser.

use model::account::{Me, Profile};
use schemars::JsonSchema;
use serde::Serialize;

use crate::operation::{Access, Json, Nothing, Operation, Written};
use service::accounts::profile;
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    let signed_in = |operation: Operation| operation.access(Access::Session).without_tool();
    vec![
        signed_in(Operation::get("/api/me", "get_me", me)).text(
            "See your account",
            "Who is signed in, their profile, their 50 most recent audits, and how their trial stands.",
        ),
        signed_in(Operation::get("/api/account/profile", "get_profile", profile))
            .text("See your profile", "What the account says of its owner."),
        signed_in(Operation::post("/api/auth/profile", "change_profile", change_profile))
            .text(
                "Change your profile",
                "The whole of it, on top of the `revision` that was read; on an older one it is refused, and nothing is \
                 lost.\n\nExample: `{\"name\": \"Ana\", \"locale\": \"pt-BR\", \"timeZone\": \
                 \"America/Sao_Paulo\", \"theme\": \"system\", \"revision\": 1}`",
            )
            .errors(&[Code::RevisionConflict]),
    ]
}

async fn me(cx: Cx, _: Nothing) -> Result<Written<Me>, ServiceError> {
    let me = profile::me(&cx).await?;
    Written::speaking(move || Ok(me)).await
}

/// What an account says of its owner.
#[derive(Debug, Serialize, JsonSchema)]
struct ProfileAnswer {
    /// All of it.
    profile: Profile,
}

async fn profile(cx: Cx, _: Nothing) -> Result<Json<ProfileAnswer>, ServiceError> {
    Ok(Json::new(ProfileAnswer { profile: profile::read(&cx).await? }))
}

async fn change_profile(cx: Cx, input: Profile) -> Result<Json<ProfileAnswer>, ServiceError> {
    Ok(Json::new(ProfileAnswer { profile: profile::write(&cx, input).await? }))
}
