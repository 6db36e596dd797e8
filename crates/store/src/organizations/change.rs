//! Changes of an organization by one of its members.

use model::id::{AccountId, InvitationId, OrganizationId};
use model::organization::Role;
use model::time::Timestamp;

use super::denial::{ChangeError, Denied, outcome};
use super::invitations::{self, NewInvitation};
use super::membership::{count, lock, role_of};
use crate::error::StoreError;
use crate::jobs::NewJob;
use crate::steps::{NewEvent, note};
use crate::store::Store;
use crate::transaction::Transaction;

/// A change of an organization.
#[derive(Debug, Clone)]
pub enum OrganizationChange {
    /// Its name. For admins.
    Rename(String),
    /// Whether members need a second factor. For admins.
    RequireSecondFactor(bool),
    /// Whether a product is switched on for it. For admins.
    Enable(String, bool),
    /// When it is removed; `None`: not at all. For owners. [`Denied::Missing`] when the removal is due already.
    DeleteAfter(Option<Timestamp>),
    /// The role of a member. For owners. [`Denied::LastOwner`] when nobody would own it.
    SetRole(AccountId, Role),
    /// Removes a member, and their keys if asked. For roles that may admit the member's role, and for oneself.
    Remove {
        /// Who.
        account: AccountId,
        /// Their live keys of the organization are revoked.
        with_keys: bool,
    },
    /// Adds an invitation. For roles that may admit its role. [`Denied::Full`] at the limit of open ones.
    Invite(NewInvitation),
    /// Revokes an open invitation. For roles that may admit its role.
    Uninvite(InvitationId),
}

const RENAME: &str = "UPDATE organizations SET name = $2 WHERE id = $1";

const REQUIRE: &str = "UPDATE organizations SET requires_second_factor = $2 WHERE id = $1";

const DISABLE: &str = "DELETE FROM organization_products WHERE organization_id = $1 AND product = $2";

const DELETE_AFTER: &str = "UPDATE organizations SET delete_after = $2 \
    WHERE id = $1 AND (delete_after IS NULL OR delete_after > $3)";

const SET_ROLE: &str = "UPDATE members SET role = $3 WHERE organization_id = $1 AND account_id = $2";

const REMOVE: &str = "DELETE FROM members WHERE organization_id = $1 AND account_id = $2";

const REVOKE_KEYS: &str = "UPDATE api_keys SET revoked_at = $3 \
    WHERE owner = 'organization:' || $1 AND created_by = $2 AND revoked_at IS NULL";

const OWNERS: &str = "SELECT COUNT(*) AS n FROM members WHERE organization_id = $1 AND role = 'owner'";

impl Store {
    /// Makes changes of `id` by its member `actor`, records an event for each, and queues `jobs`, or nothing of it. An
    /// organization always keeps an owner, also under concurrent changes.
    pub async fn change_organization(
        &self,
        actor: &AccountId,
        id: &OrganizationId,
        changes: Vec<(OrganizationChange, NewEvent)>,
        jobs: Vec<NewJob>,
        now: Timestamp,
    ) -> Result<Result<(), Denied>, StoreError> {
        let (actor, id) = (actor.clone(), id.clone());
        let done = self.db.transact("changing an organization", move |transaction| {
            let (actor, id, changes, jobs) = (actor.clone(), id.clone(), changes.clone(), jobs.clone());
            Box::pin(async move {
                let own = lock(transaction, &id, &actor).await?;
                let member = ActingMember { id, actor, role: own };
                for (change, noted) in changes {
                    make(transaction, &member, change, now).await?;
                    note(transaction, noted, now).await?;
                }
                for job in &jobs {
                    transaction.enqueue(job).await?;
                }
                Ok(())
            })
        });
        outcome(done.await)
    }
}

/// The acting member.
struct ActingMember {
    id: OrganizationId,
    actor: AccountId,
    role: Role,
}

impl ActingMember {
    fn is_at_least(&self, role: Role) -> Result<(), ChangeError> {
        if self.role >= role { Ok(()) } else { Err(Denied::Forbidden.into()) }
    }

    fn admits(&self, role: Role) -> Result<(), ChangeError> {
        if self.role.admits(role) { Ok(()) } else { Err(Denied::Forbidden.into()) }
    }
}

async fn make(
    transaction: &mut Transaction<'_>,
    member: &ActingMember,
    change: OrganizationChange,
    now: Timestamp,
) -> Result<(), ChangeError> {
    let id = member.id.0.clone();
    match change {
        OrganizationChange::Rename(name) => {
            member.is_at_least(Role::Admin)?;
            transaction.run(sqlx::query(RENAME).bind(id).bind(name)).await?;
        }
        OrganizationChange::RequireSecondFactor(required) => {
            member.is_at_least(Role::Admin)?;
            transaction.run(sqlx::query(REQUIRE).bind(id).bind(i64::from(required))).await?;
        }
        OrganizationChange::Enable(product, true) => {
            member.is_at_least(Role::Admin)?;
            transaction.run(sqlx::query(super::ENABLE).bind(id).bind(product).bind(now.0)).await?;
        }
        OrganizationChange::Enable(product, false) => {
            member.is_at_least(Role::Admin)?;
            transaction.run(sqlx::query(DISABLE).bind(id).bind(product)).await?;
        }
        OrganizationChange::DeleteAfter(after) => {
            member.is_at_least(Role::Owner)?;
            let set = sqlx::query(DELETE_AFTER).bind(id).bind(after.map(|at| at.0)).bind(now.0);
            if transaction.run(set).await? == 0 {
                return Err(Denied::Missing.into());
            }
        }
        OrganizationChange::SetRole(account, role) => {
            member.is_at_least(Role::Owner)?;
            let set = sqlx::query(SET_ROLE).bind(id).bind(account.0).bind(role.word());
            if transaction.run(set).await? == 0 {
                return Err(Denied::Missing.into());
            }
            require_owner(transaction, &member.id).await?;
        }
        OrganizationChange::Remove { account, with_keys } => {
            remove(transaction, member, account, with_keys.then_some(now)).await?;
        }
        OrganizationChange::Invite(invitation) => {
            member.admits(invitation.role)?;
            invitations::add(transaction, &member.id, &member.actor, invitation, now).await?;
        }
        OrganizationChange::Uninvite(invitation) => {
            let role = invitations::revoke(transaction, &member.id, invitation, now).await?;
            member.admits(role)?;
        }
    }
    Ok(())
}

/// Ends a membership; with `keys_revoked_at` the member's keys are revoked too.
async fn remove(
    transaction: &mut Transaction<'_>,
    member: &ActingMember,
    account: AccountId,
    keys_revoked_at: Option<Timestamp>,
) -> Result<(), ChangeError> {
    if account != member.actor {
        member.is_at_least(Role::Admin)?;
        let role = role_of(transaction, &member.id, &account).await?.ok_or(ChangeError::Denied(Denied::Missing))?;
        member.admits(role)?;
    }
    let id = member.id.0.clone();
    transaction.run(sqlx::query(REMOVE).bind(id.clone()).bind(account.0.clone())).await?;
    if let Some(at) = keys_revoked_at {
        transaction.run(sqlx::query(REVOKE_KEYS).bind(id).bind(account.0).bind(at.0)).await?;
    }
    require_owner(transaction, &member.id).await
}

async fn require_owner(transaction: &mut Transaction<'_>, id: &OrganizationId) -> Result<(), ChangeError> {
    let owners = count(transaction, sqlx::query(OWNERS).bind(id.0.clone())).await?;
    if owners == 0 { Err(Denied::LastOwner.into()) } else { Ok(()) }
}
