//! The account of a signed-in person, and its profile.

use model::account::{Me, Profile};
use schemars::JsonSchema;
use serde::Serialize;

use crate::operation::{Access, JsonAnswer, Nothing, Operation, WrittenJson};
use service::accounts::profile;
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
pub(super) fn operations() -> Vec<Operation> {
    let signed_in = |operation: Operation| operation.access(Access::Session).without_tool();
    vec![
        signed_in(Operation::get("/api/me", "get_me", me))
            .text("Get your account", "Profile, trial status and 50 most recent audits of the signed-in account."),
        signed_in(Operation::get("/api/account/profile", "get_profile", profile))
            .text("Get your profile", "Profile fields of the account."),
        signed_in(Operation::post("/api/auth/profile", "change_profile", change_profile))
            .text(
                "Replace your profile",
                "Replaces all fields. `revision` must be the one you read: if the profile has changed since, the call \
                 answers 409 and nothing is lost.\n\nExample: `{\"name\": \"Ana\", \"locale\": \"pt-BR\", \
                 \"timeZone\": \"America/Sao_Paulo\", \"theme\": \"system\", \"revision\": 1}`",
            )
            .errors(&[Code::RevisionConflict]),
    ]
}

async fn me(cx: Cx, _: Nothing) -> Result<WrittenJson<Me>, ServiceError> {
    let me = profile::me(&cx).await?;
    WrittenJson::speaking(move || Ok(me)).await
}

/// The profile of an account.
#[derive(Debug, Serialize, JsonSchema)]
struct ProfileAnswer {
    /// All of it.
    profile: Profile,
}

async fn profile(cx: Cx, _: Nothing) -> Result<JsonAnswer<ProfileAnswer>, ServiceError> {
    Ok(JsonAnswer::new(ProfileAnswer { profile: profile::read(&cx).await? }))
}

async fn change_profile(cx: Cx, input: Profile) -> Result<JsonAnswer<ProfileAnswer>, ServiceError> {
    Ok(JsonAnswer::new(ProfileAnswer { profile: profile::write(&cx, input).await? }))
}
