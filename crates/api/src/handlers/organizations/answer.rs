//! Input and output of calls about one organization.

use model::id::OrganizationId;
use model::organization::Role;
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::OrganizationRecord;

use crate::operation::JsonAnswer;
use service::error::Code;

/// Error codes of calls about one organization.
pub(super) const OF_ONE: &[Code] = &[Code::OrganizationNotFound, Code::OrganizationMfaRequired];

/// An organization, as one of its members sees it.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "Organization")]
pub(super) struct OrganizationAnswer {
    /// Its id.
    id: OrganizationId,
    /// What it is called.
    name: String,
    /// Your role in it.
    role: Role,
    /// Members need a second factor.
    require_second_factor: bool,
    /// It may have API keys.
    keys: bool,
    /// Time of creation.
    created_at: Timestamp,
    /// When it will be deleted; null: not scheduled.
    delete_after: Option<Timestamp>,
}

impl From<OrganizationRecord> for OrganizationAnswer {
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

/// One organization.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct OneOrganization {
    /// All of it.
    organization: OrganizationAnswer,
}

impl OneOrganization {
    /// As an answer.
    pub(super) fn answer(record: OrganizationRecord) -> JsonAnswer<Self> {
        JsonAnswer::new(Self { organization: record.into() })
    }
}

/// Which organization.
#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Which {
    /// Its id.
    #[schemars(extend("x-pt" = "Id da organização."))]
    pub(super) id: String,
}
