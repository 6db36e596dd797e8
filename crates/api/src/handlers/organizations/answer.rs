//! One organization: how a call names it, and how it is answered.

use model::id::OrganizationId;
use model::organization::Role;
use model::time::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::OrganizationRecord;

use crate::operation::Json;
use service::error::Code;

/// What calls about one organization may be refused with.
pub(super) const OF_ONE: &[Code] = &[Code::OrganizationNotFound, Code::OrganizationMfaRequired];

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
