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
            "Organizations you are a member of, oldest first, with your role in each.",
        ),
        Operation::post("/api/auth/organizations", "create_organization", create)
            .text(
                "Create an organization",
                "You become its owner. Limit: 50 organizations per account.\n\nExample: `{\"name\": \"Acme\"}`",
            )
            .errors(&[Code::InvalidOrganizationName, Code::OrganizationLimit]),
        Operation::get("/api/auth/organizations/{id}", "get_organization", read)
            .text(
                "Get an organization",
                "One you are a member of. If it requires two-factor authentication, your session must have used it.",
            )
            .errors(OF_ONE),
        Operation::patch("/api/auth/organizations/{id}", "change_organization", set)
            .text(
                "Change an organization",
                "Sets the given fields, all or nothing. For owners and admins. `keys` turns its API keys on or off, \
                 in a fresh session with two-factor authentication. To require two-factor authentication of members, \
                 your account must use it.\n\nExample: `{\"require_second_factor\": true}`",
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
                "Delete an organization",
                "Deletes it with all its data after 7 days. Until then its API keys are off, and it can be restored. \
                 For owners, in a fresh session with two-factor authentication.",
            )
            .errors(&[
                Code::OrganizationNotFound,
                Code::OrganizationMfaRequired,
                Code::OrganizationForbidden,
                Code::ReauthRequired,
            ]),
        Operation::post("/api/auth/organizations/{id}/restore", "restore_organization", restore)
            .text(
                "Restore an organization",
                "Cancels its deletion. For owners, in a fresh session with two-factor authentication.\n\nExample: `{}`",
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
