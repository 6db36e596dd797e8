//! Organizations: accounts that act together, each in a role.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Role of a member. A later role includes the rights of the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Can see and use what the organization has.
    Member,
    /// Can also invite and remove members, and manage settings, keys and credit.
    Admin,
    /// Can also change owners and delete the organization.
    Owner,
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Member, Self::Admin, Self::Owner];

    /// The stable word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Member => "member",
            Self::Admin => "admin",
            Self::Owner => "owner",
        }
    }

    /// Reads a stable word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.word() == word)
    }

    /// Whether this role may invite somebody to be `other`, or take somebody who is `other` away.
    pub fn admits(self, other: Self) -> bool {
        match self {
            Self::Member => false,
            Self::Admin => other == Self::Member,
            Self::Owner => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_admit_anybody_admins_members_and_members_nobody() {
        for (role, admitted) in [
            (Role::Member, vec![]),
            (Role::Admin, vec![Role::Member]),
            (Role::Owner, vec![Role::Member, Role::Admin, Role::Owner]),
        ] {
            let admits: Vec<Role> = Role::ALL.into_iter().filter(|other| role.admits(*other)).collect();
            assert_eq!(admits, admitted, "{role:?}");
        }
    }

    #[test]
    fn a_role_is_read_as_it_is_written() {
        for role in Role::ALL {
            assert_eq!(Role::of_word(role.word()), Some(role));
        }
        assert_eq!(Role::of_word("guest"), None);
    }
}
