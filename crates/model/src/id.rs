//! Identifiers, as newtypes so that one can't be passed for another.

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema)]
        #[serde(transparent)]
        pub struct $name(pub String);

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

// A macro, because a generic newtype over a marker would put the marker into every signature.
id!(
    /// A stored audit: UUIDv7 text, unguessable and sortable by creation.
    AuditId
);
id!(
    /// A followed page: UUIDv7 text.
    TabId
);
id!(
    /// An anonymous guest: UUIDv7 text. The token itself is never kept, only its digest.
    GuestId
);

id!(
    /// An account: UUIDv7 text.
    AccountId
);
id!(
    /// An organization: UUIDv7 text.
    OrganizationId
);
id!(
    /// A signed-in browser: UUIDv7 text. Its token is never kept, only its digest.
    SessionId
);
id!(
    /// An API key: UUIDv7 text. The key itself is never kept, only its digest.
    ApiKeyId
);

id!(
    /// An invitation to an organization: UUIDv7 text. Its token is never kept, only its digest.
    InvitationId
);

/// Who owns a row. Written `guest:<id>`, `account:<id>`, `organization:<id>`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A guest token's holder.
    Guest(GuestId),
    /// A person with an account.
    Account(AccountId),
    /// All members of an organization.
    Organization(OrganizationId),
}

impl Owner {
    /// Reads what [`Owner`] displays; `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, id) = text.split_once(':').filter(|(_, id)| !id.is_empty())?;
        match kind {
            "guest" => Some(Self::Guest(GuestId(id.to_owned()))),
            "account" => Some(Self::Account(AccountId(id.to_owned()))),
            "organization" => Some(Self::Organization(OrganizationId(id.to_owned()))),
            _ => None,
        }
    }
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Guest(id) => write!(f, "guest:{id}"),
            Self::Account(id) => write!(f, "account:{id}"),
            Self::Organization(id) => write!(f, "organization:{id}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_is_read_as_it_is_written() {
        let id = "0197";
        for owner in [
            Owner::Guest(GuestId(id.to_owned())),
            Owner::Account(AccountId(id.to_owned())),
            Owner::Organization(OrganizationId(id.to_owned())),
        ] {
            assert_eq!(Owner::parse(&owner.to_string()), Some(owner));
        }
        for other in ["", "guest", "guest:", "robot:1", ":1"] {
            assert_eq!(Owner::parse(other), None, "{other}");
        }
    }
}
