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
    /// An anonymous guest: UUIDv7 text. The token itself is never kept, only its digest.
    GuestId
);

/// Who owns a row. Written `guest:<id>`; accounts and organizations join later.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A guest token's holder.
    Guest(GuestId),
}

impl std::fmt::Display for Owner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Guest(id) => write!(f, "guest:{id}"),
        }
    }
}
