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
    /// The public address of a shared audit: 20 characters of [`Slug::ALPHABET`], 100 random bits.
    Slug
);

impl Slug {
    /// Letters and digits that are not mistaken for each other, five bits each.
    pub const ALPHABET: [u8; 32] = *b"abcdefghijkmnpqrstuvwxyz23456789";
    /// Characters of a slug. At least 96 random bits are promised.
    const LENGTH: usize = 20;

    /// A new one out of random bytes.
    pub fn random(bytes: [u8; 32]) -> Self {
        let digit = |byte: &u8| Self::ALPHABET.get(usize::from(byte % 32)).copied().map(char::from);
        Self(bytes.iter().take(Self::LENGTH).filter_map(digit).collect())
    }

    /// Reads a slug; `None` for what can't be one.
    pub fn parse(text: &str) -> Option<Self> {
        let is_one = text.len() == Self::LENGTH && text.bytes().all(|byte| Self::ALPHABET.contains(&byte));
        is_one.then(|| Self(text.to_owned()))
    }
}

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

    #[test]
    fn slugs_are_made_and_read() {
        let distinct: std::collections::BTreeSet<u8> = Slug::ALPHABET.into();
        assert_eq!(distinct.len(), 32);
        let bytes: [u8; 32] = std::array::from_fn(|at| u8::try_from(at * 37 % 256).unwrap());
        let slug = Slug::random(bytes);
        assert_eq!(Slug::parse(&slug.0), Some(slug.clone()));
        for malformed in
            ["", "a", &slug.0.to_uppercase(), &format!("{slug}a"), "aaaaaaaaaaaaaaaaaaa/", "aaaaaaaaaaaaaaaaaaá"]
        {
            assert_eq!(Slug::parse(malformed), None, "{malformed}");
        }
    }
}
