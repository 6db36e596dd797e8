//! Organizations and their members.

mod answer;
mod people;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use self::answer::{OF_ONE, OneOrganization, OrganizationAnswer, Which};
use crate::operation::{Access, Effect, JsonAnswer, Nothing, Operation};
use service::accounts::organizations::{self, Settings};
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// The endpoints of this file.
// Long, as it is a table: an entry for each endpoint.
pub(super) fn operations() -> Vec<Operation> {
    let signed_in = |operation: Operation| operation.access(Access::Session).without_tool();
    let mut operations: Vec<Operation> = [
        Operation::get("/api/auth/organizations", "list_organizations", list).text(
            "List your organizations",
            "Those that you are a member of, oldest first, with your role in each.",
        ),
        Operation::post("/api/auth/organizations", "create_organization", create)
            .text(
                "Make an organization",
                "You own it. You can be in 50 at most.\n\nExample: `{\"name\": \"Acme\"}`",
            )
            .errors(&[Code::InvalidOrganizationName, Code::OrganizationLimit]),
        Operation::get("/api/auth/organizations/{id}", "get_organization", read)
            .text(
                "See an organization",
                "One of yours. Another's is not found. Where it asks for a second factor, your session must have used one.",
            )
            .errors(OF_ONE),
        Operation::patch("/api/auth/organizations/{id}", "change_organization", set)
            .text(
                "Change an organization",
                "Sets what is given, all of it or nothing. For owners and admins. `keys` switches its API keys on or off, \
                 and needs a fresh session with a second factor; asking members for a second factor needs one of your \
                 own.\n\nExample: `{\"require_second_factor\": true}`",
            )
            .errors(&[
                Code::OrganizationNotFound,
                Code::OrganizationMfaRequired,
                Code::InvalidOrganizationName,
                Code::OrganizationForbidden,
                Code::ReauthRequired,
            ]),
        Operation::delete("/api/auth/organizations/{id}", "delete_organization", close)
            .text(
                "Remove an organization",
                "In 7 days, with all it has; until then its keys rest, and it can be restored. For owners, in a fresh \
                 session with a second factor.",
            )
            .errors(&[
                Code::OrganizationNotFound,
                Code::OrganizationMfaRequired,
                Code::OrganizationForbidden,
                Code::ReauthRequired,
            ]),
        Operation::post("/api/auth/organizations/{id}/restore", "restore_organization", restore)
            .text(
                "Keep an organization after all",
                "Takes its removal back. For owners, in a fresh session with a second factor.\n\nExample: `{}`",
            )
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

/// What a new organization is to be.
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
