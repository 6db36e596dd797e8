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
        signed_in(Operation::get("/api/auth/export", "export_account", export))
            .title("Export your data", "Exportar os seus dados")
            .doc(
                "All data of your account: profile, sessions, events, passkeys, keys, organizations, followed pages, \
                 and the newest 1,000 audits with the address of each report. Secrets are stored as hashes and not \
                 included.",
                "Todos os dados da sua conta: perfil, sessões, eventos, chaves de acesso, chaves de API, \
                 organizações, páginas seguidas e as 1.000 auditorias mais recentes com o endereço de cada relatório. \
                 Os segredos são guardados como hashes e não são incluídos.",
            ),
        signed_in(Operation::post("/api/auth/delete", "delete_account", close))
            .title("Delete your account", "Excluir a sua conta")
            .doc(
                "Closes it immediately: sessions end, keys are revoked, memberships end. All your data is deleted \
                 after 7 days; until then the operator of the server can restore the account. Payments stay in the \
                 ledger under an anonymous id. Needs a fresh session. The only owner of an organization must transfer \
                 or delete it first. `email` is your address, as confirmation.",
                "Encerra a conta de imediato: as sessões terminam, as chaves são revogadas, a participação em \
                 organizações acaba. Todos os seus dados são excluídos após 7 dias; até lá, o operador do servidor \
                 pode restaurar a conta. Os pagamentos ficam no registro contábil sob um id anônimo. Exige uma sessão \
                 recém-confirmada. O único proprietário de uma organização precisa antes transferi-la ou excluí-la. \
                 `email` é o seu endereço, como confirmação.",
            )
            .example(r#"`{"email": "ana@example.com"}`"#)
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
