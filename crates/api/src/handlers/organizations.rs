//! Organizations and their members.

mod answer;
mod people;

use model::tab::Tab;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::answer::{OF_ONE, OneOrganization, OrganizationAnswer, Which};
use crate::operation::{Access, Effect, JsonAnswer, Nothing, Operation};
use service::accounts::organizations::{self, Settings};
use service::caller::Cx;
use service::error::{Code, ServiceError};
use service::tabs;

/// The endpoints of this file.
// Long, as it is a table: an entry for each endpoint.
pub(super) fn operations() -> Vec<Operation> {
    let signed_in = |operation: Operation| operation.access(Access::Session).without_tool();
    let mut operations: Vec<Operation> = [
        Operation::get("/api/auth/organizations", "list_organizations", list)
            .title("List your organizations", "Listar as suas organizações")
            .doc(
                "Organizations you are a member of, oldest first, with your role in each.",
                "Organizações de que você é membro, as mais antigas primeiro, com o seu papel em cada uma.",
            ),
        Operation::post("/api/auth/organizations", "create_organization", create)
            .title("Create an organization", "Criar uma organização")
            .doc(
                "You become its owner. Limit: 50 organizations per account.",
                "Você se torna proprietário dela. Limite: 50 organizações por conta.",
            )
            .example(r#"`{"name": "Acme"}`"#)
            .errors(&[Code::InvalidOrganizationName, Code::OrganizationLimit]),
        Operation::get("/api/auth/organizations/{id}", "get_organization", read)
            .title("Get an organization", "Obter uma organização")
            .doc(
                "One you are a member of. If it requires two-factor authentication, your session must have used it.",
                "Uma organização de que você é membro. Se ela exige a autenticação em dois fatores, a sua sessão \
                 precisa tê-la usado.",
            )
            .errors(OF_ONE),
        Operation::patch("/api/auth/organizations/{id}", "change_organization", set)
            .title("Change an organization", "Alterar uma organização")
            .doc(
                "Sets the given fields, all or nothing. For owners and admins. `keys` turns its API keys on or off, \
                 in a fresh session with two-factor authentication. To require two-factor authentication of members, \
                 your account must use it.",
                "Define os campos enviados, tudo ou nada. Para proprietários e administradores. `keys` ativa ou \
                 desativa as chaves de API da organização, em uma sessão recém-confirmada com autenticação em dois \
                 fatores. Para exigir a autenticação em dois fatores dos membros, a sua conta precisa usá-la.",
            )
            .example(r#"`{"require_second_factor": true}`"#)
            .errors(&[
                Code::OrganizationNotFound,
                Code::OrganizationMfaRequired,
                Code::InvalidOrganizationName,
                Code::OrganizationForbidden,
                Code::ReauthRequired,
            ]),
        Operation::delete("/api/auth/organizations/{id}", "delete_organization", close)
            .title("Delete an organization", "Excluir uma organização")
            .doc(
                "Deletes it with all its data after 7 days. Until then its API keys are off, and it can be restored. \
                 For owners, in a fresh session with two-factor authentication.",
                "Exclui a organização com todos os dados após 7 dias. Até lá, as chaves de API dela ficam desativadas \
                 e ela pode ser restaurada. Para proprietários, em uma sessão recém-confirmada com autenticação em \
                 dois fatores.",
            )
            .errors(&[
                Code::OrganizationNotFound,
                Code::OrganizationMfaRequired,
                Code::OrganizationForbidden,
                Code::ReauthRequired,
            ]),
        Operation::get("/api/auth/organizations/{id}/tabs", "list_organization_tabs", pages)
            .title("List an organization's followed pages", "Listar as páginas seguidas de uma organização")
            .doc(
                "Pages that one of your organizations follows, oldest first. Each is read at `/api/tabs/{id}` with your \
                 session, and changed with an API key of the organization.",
                "Páginas que uma das suas organizações segue, em ordem cronológica. Cada uma é lida em `/api/tabs/{id}` \
                 com a sua sessão e alterada com uma chave de API da organização.",
            )
            .errors(OF_ONE),
        Operation::post("/api/auth/organizations/{id}/restore", "restore_organization", restore)
            .title("Restore an organization", "Restaurar uma organização")
            .doc(
                "Cancels its deletion. For owners, in a fresh session with two-factor authentication.",
                "Cancela a exclusão. Para proprietários, em uma sessão recém-confirmada com autenticação em dois \
                 fatores.",
            )
            .example("`{}`")
            .effect(Effect::Sets)
            .errors(&[
                Code::OrganizationNotFound,
                Code::OrganizationMfaRequired,
                Code::OrganizationForbidden,
                Code::ReauthRequired,
            ]),
    ]
    .into_iter()
    .map(signed_in)
    .collect();
    operations.extend(people::operations().into_iter().map(signed_in));
    operations
}

/// Organizations.
#[derive(Debug, Serialize, JsonSchema)]
struct OrganizationList {
    /// Oldest first.
    organizations: Vec<OrganizationAnswer>,
}

/// Followed pages of an organization.
#[derive(Debug, Serialize, JsonSchema)]
struct OrganizationTabs {
    /// Oldest first.
    tabs: Vec<Tab>,
}

/// A new organization.
#[derive(Debug, Deserialize, JsonSchema)]
struct ToMake {
    /// What it is called: 1 to 80 characters.
    name: String,
}

/// What to change.
#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "ToSet")]
struct OrganizationChanges {
    /// Which organization.
    #[schemars(extend("x-pt" = "Id da organização."))]
    id: String,
    /// What it is called: 1 to 80 characters.
    name: Option<String>,
    /// Members need a second factor.
    require_second_factor: Option<bool>,
    /// It may have API keys.
    keys: Option<bool>,
}

async fn list(cx: Cx, _: Nothing) -> Result<JsonAnswer<OrganizationList>, ServiceError> {
    let organizations = organizations::list(&cx).await?;
    Ok(JsonAnswer::new(OrganizationList {
        organizations: organizations.into_iter().map(OrganizationAnswer::from).collect(),
    }))
}

async fn create(cx: Cx, input: ToMake) -> Result<JsonAnswer<OneOrganization>, ServiceError> {
    Ok(OneOrganization::answer(organizations::create(&cx, &input.name).await?))
}

async fn pages(cx: Cx, input: Which) -> Result<JsonAnswer<OrganizationTabs>, ServiceError> {
    Ok(JsonAnswer::new(OrganizationTabs { tabs: tabs::of_organization(&cx, &input.id).await? }))
}

async fn read(cx: Cx, input: Which) -> Result<JsonAnswer<OneOrganization>, ServiceError> {
    Ok(OneOrganization::answer(organizations::read(&cx, &input.id).await?))
}

async fn set(cx: Cx, input: OrganizationChanges) -> Result<JsonAnswer<OneOrganization>, ServiceError> {
    let settings = Settings { name: input.name, require_second_factor: input.require_second_factor, keys: input.keys };
    Ok(OneOrganization::answer(organizations::set(&cx, &input.id, settings).await?))
}

async fn close(cx: Cx, input: Which) -> Result<JsonAnswer<OneOrganization>, ServiceError> {
    Ok(OneOrganization::answer(organizations::close(&cx, &input.id, true).await?))
}

async fn restore(cx: Cx, input: Which) -> Result<JsonAnswer<OneOrganization>, ServiceError> {
    Ok(OneOrganization::answer(organizations::close(&cx, &input.id, false).await?))
}
