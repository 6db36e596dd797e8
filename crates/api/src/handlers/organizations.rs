//! Organizations and their members.

mod people;

use model::id::OrganizationId;
use model::lang::text;
use model::organization::Role;
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::OrganizationRecord;

use crate::operation::{Access, Effect, Json, Nothing, Operation};
use service::accounts::organizations::{self, Settings};
use service::caller::Cx;
use service::error::{Code, ServiceError};

/// What calls about one organization may be refused with.
const OF_ONE: &[Code] = &[Code::OrganizationNotFound, Code::OrganizationMfaRequired];

/// The endpoints of this file.
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

/// An organization, as one of its members sees it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Organization {
    /// Its id.
    id: OrganizationId,
    /// What it is called.
    name: String,
    /// What you may do in it.
    role: Role,
    /// Members need a second factor.
    require_second_factor: bool,
    /// It may have API keys.
    keys: bool,
    /// When it was made.
    created_at: Timestamp,
    /// From when on it is removed; null: it is not.
    delete_after: Option<Timestamp>,
}

impl From<OrganizationRecord> for Organization {
    fn from(record: OrganizationRecord) -> Self {
        Self {
            id: record.id,
            name: record.name,
            role: record.role,
            require_second_factor: record.requires_second_factor,
            keys: record.is_enabled,
            created_at: record.created_at,
            delete_after: record.delete_after,
        }
    }
}

/// Organizations.
#[derive(Debug, Serialize, JsonSchema)]
struct OrganizationList {
    /// Oldest first.
    organizations: Vec<Organization>,
}

/// One organization.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OneOrganization {
    /// All of it.
    organization: Organization,
}

impl OneOrganization {
    /// As an answer.
    pub(super) fn answer(record: OrganizationRecord) -> Json<Self> {
        Json::new(Self { organization: record.into() })
    }
}

/// Which organization.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Which {
    /// Its id.
    pub(super) id: String,
}

/// What a new organization is to be.
#[derive(Debug, Deserialize, JsonSchema)]
struct ToMake {
    /// What it is called: 1 to 80 characters.
    name: String,
}

/// What to change.
#[derive(Debug, Deserialize, JsonSchema)]
struct ToSet {
    /// Which organization.
    id: String,
    /// What it is called: 1 to 80 characters.
    name: Option<String>,
    /// Members need a second factor.
    require_second_factor: Option<bool>,
    /// It may have API keys.
    keys: Option<bool>,
}

async fn list(cx: Cx, _: Nothing) -> Result<Json<OrganizationList>, ServiceError> {
    let organizations = organizations::list(&cx).await?;
    Ok(Json::new(OrganizationList { organizations: organizations.into_iter().map(Organization::from).collect() }))
}

async fn create(cx: Cx, input: ToMake) -> Result<Json<OneOrganization>, ServiceError> {
    Ok(OneOrganization::answer(organizations::create(&cx, &input.name).await?))
}

async fn read(cx: Cx, input: Which) -> Result<Json<OneOrganization>, ServiceError> {
    Ok(OneOrganization::answer(organizations::read(&cx, &input.id).await?))
}

async fn set(cx: Cx, input: ToSet) -> Result<Json<OneOrganization>, ServiceError> {
    let settings = Settings { name: input.name, require_second_factor: input.require_second_factor, keys: input.keys };
    if settings.name.is_none() && settings.require_second_factor.is_none() && settings.keys.is_none() {
        let nothing = text(
            "body: it names at least one of name, require_second_factor and keys",
            "body: indica ao menos um de name, require_second_factor e keys",
        );
        return Err(ServiceError::new(Code::InvalidBody).explained(nothing.into()));
    }
    Ok(OneOrganization::answer(organizations::set(&cx, &input.id, settings).await?))
}

async fn close(cx: Cx, input: Which) -> Result<Json<OneOrganization>, ServiceError> {
    Ok(OneOrganization::answer(organizations::close(&cx, &input.id, true).await?))
}

async fn restore(cx: Cx, input: Which) -> Result<Json<OneOrganization>, ServiceError> {
    Ok(OneOrganization::answer(organizations::close(&cx, &input.id, false).await?))
}
