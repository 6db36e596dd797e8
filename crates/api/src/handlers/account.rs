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
            .title("Get your account", "Obter a sua conta")
            .doc(
                "Profile, trial status and 50 most recent audits of the signed-in account.",
                "Perfil, situação do período de teste e as 50 auditorias mais recentes da conta em que você entrou.",
            ),
        signed_in(Operation::get("/api/account/profile", "get_profile", profile))
            .title("Get your profile", "Obter o seu perfil")
            .doc("Profile fields of the account.", "Campos do perfil da conta."),
        signed_in(Operation::post("/api/auth/profile", "change_profile", change_profile))
            .title("Replace your profile", "Substituir o seu perfil")
            .doc(
                "Replaces all fields. `revision` must be the one you read: if the profile has changed since, the call \
                 answers 409 and nothing is lost.",
                "Substitui todos os campos. `revision` precisa ser a que você leu: se o perfil mudou desde então, a \
                 chamada responde 409 e nada se perde.",
            )
            .example(
                r#"`{"name": "Ana", "locale": "pt-BR", "timeZone": "America/Sao_Paulo", "theme": "system", "revision": 1}`"#,
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
