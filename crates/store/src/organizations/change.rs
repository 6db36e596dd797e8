//! Changes of an organization by one of its members.

use model::id::{AccountId, InvitationId, OrganizationId};
use model::organization::Role;
use model::time::Timestamp;

use super::invitations::{self, NewInvitation};
use super::{Denied, Undone, count, role, told};
use crate::steps::note;
use crate::transaction::Transaction;
use crate::{NewEvent, NewJob, Store, StoreError};

/// What is to be changed.
#[derive(Debug, Clone)]
pub enum OrganizationChange {
    /// What it is called. For admins.
    Rename(String),
    /// Whether members need a second factor. For admins.
    RequireSecondFactor(bool),
    /// Whether it may have keys for a product. For admins.
    Enable(String, bool),
    /// From when on it is removed; `None`: it is not. For owners. [`Denied::Missing`] where that time has come.
    DeleteAfter(Option<Timestamp>),
    /// What a member may do. For owners. [`Denied::LastOwner`] where nobody would own it.
    SetRole(AccountId, Role),
    /// That somebody is a member no more, and perhaps the keys that they made. For those who admit the role, and for
    /// oneself.
    Remove {
        /// Who.
        account: AccountId,
        /// Their live keys of the organization are revoked.
        with_keys: bool,
    },
    /// An invitation. For those who admit its role. [`Denied::Full`] where as many are open as may be.
    Invite(NewInvitation),
    /// An open invitation is no more. For those who admit its role.
    Uninvite(InvitationId),
}

// Whoever changes an organization waits for the others here.
const LOCK: &str = "UPDATE organizations SET name = name WHERE id = $1";

const ROLE: &str = "SELECT role FROM members WHERE organization_id = $1 AND account_id = $2";

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
    /// Makes changes of `id` in the name of its member `actor`, notes each, and queues `jobs`, or nothing of it. Whatever
    /// goes on at the same time, an organization has an owner.
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
                let member = Member { id, actor, role: own };
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
        told(done.await)
    }
}

/// Who changes what.
struct Member {
    id: OrganizationId,
    actor: AccountId,
    role: Role,
}

impl Member {
    fn is_at_least(&self, role: Role) -> Result<(), Undone> {
        if self.role >= role { Ok(()) } else { Err(Denied::Forbidden.into()) }
    }

    fn admits(&self, role: Role) -> Result<(), Undone> {
        if self.role.admits(role) { Ok(()) } else { Err(Denied::Forbidden.into()) }
    }
}

/// Locks an organization; the role of one of its members.
pub(super) async fn lock(
    transaction: &mut Transaction<'_>,
    id: &OrganizationId,
    account: &AccountId,
) -> Result<Role, Undone> {
    transaction.run(sqlx::query(LOCK).bind(id.0.clone())).await?;
    role_of(transaction, id, account).await?.ok_or(Undone::Denied(Denied::Missing))
}

/// What an account may do in an organization; `None`: it is no member.
pub(super) async fn role_of(
    transaction: &mut Transaction<'_>,
    id: &OrganizationId,
    account: &AccountId,
) -> Result<Option<Role>, StoreError> {
    let row = transaction.first(sqlx::query(ROLE).bind(id.0.clone()).bind(account.0.clone())).await?;
    row.map(|row| role("reading a role", &row)).transpose()
}

async fn make(
    transaction: &mut Transaction<'_>,
    member: &Member,
    change: OrganizationChange,
    now: Timestamp,
) -> Result<(), Undone> {
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

/// Ends a membership; `keys_revoked_at`: that of the keys which the member made.
async fn remove(
    transaction: &mut Transaction<'_>,
    member: &Member,
    account: AccountId,
    keys_revoked_at: Option<Timestamp>,
) -> Result<(), Undone> {
    if account != member.actor {
        member.is_at_least(Role::Admin)?;
        let role = role_of(transaction, &member.id, &account).await?.ok_or(Undone::Denied(Denied::Missing))?;
        member.admits(role)?;
    }
    let id = member.id.0.clone();
    transaction.run(sqlx::query(REMOVE).bind(id.clone()).bind(account.0.clone())).await?;
    if let Some(at) = keys_revoked_at {
        transaction.run(sqlx::query(REVOKE_KEYS).bind(id).bind(account.0).bind(at.0)).await?;
    }
    require_owner(transaction, &member.id).await
}

async fn require_owner(transaction: &mut Transaction<'_>, id: &OrganizationId) -> Result<(), Undone> {
    let owners = count(transaction, sqlx::query(OWNERS).bind(id.0.clone())).await?;
    if owners == 0 { Err(Denied::LastOwner.into()) } else { Ok(()) }
}
