//! Invitations to organizations: a one-time link in a mail, for the address that it was sent to.

use model::id::{AccountId, InvitationId, OrganizationId};
use model::organization::Role;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::denial::{ChangeError, Denied, outcome};
use super::membership::{MOST_MEMBERS, add_member, count, lock, lock_account, role, role_of};
use crate::error::StoreError;
use crate::steps::{NewEvent, note};
use crate::store::Store;
use crate::transaction::Transaction;

/// Open invitations of an organization at most. Chosen.
const MOST_OPEN: i64 = 20;

/// An invitation to send.
#[derive(Debug, Clone)]
pub struct NewInvitation {
    /// Its id, unique.
    pub id: InvitationId,
    /// SHA-256 of its token.
    pub token_digest: [u8; 32],
    /// Address of the invited person.
    pub email: String,
    /// The canonical address, by which addresses are compared.
    pub email_canonical: String,
    /// Their role as a member.
    pub role: Role,
    /// Its expiry.
    pub expires_at: Timestamp,
}

/// An open invitation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvitationRecord {
    /// Its id.
    pub id: InvitationId,
    /// The organization's id.
    pub organization: OrganizationId,
    /// Name of the organization.
    pub organization_name: String,
    /// Address of the invited person.
    pub email: String,
    /// Their role as a member.
    pub role: Role,
    /// Its expiry.
    pub expires_at: Timestamp,
}

const COUNT_OPEN: &str = "SELECT COUNT(*) AS n FROM invitations WHERE organization_id = $1 AND accepted_at IS NULL \
    AND revoked_at IS NULL AND expires_at > $2";

const COUNT_MEMBERS: &str = "SELECT COUNT(*) AS n FROM members WHERE organization_id = $1";

// A new invitation replaces an earlier one to the same address.
const REPLACE: &str = "UPDATE invitations SET revoked_at = $3 WHERE organization_id = $1 AND email_canonical = $2 \
    AND accepted_at IS NULL AND revoked_at IS NULL";

const IS_MEMBER: &str = "SELECT 1 AS one FROM members JOIN accounts ON accounts.id = account_id \
    WHERE organization_id = $1 AND email_canonical = $2";

const INSERT: &str = "INSERT INTO invitations (id, token_digest, organization_id, email, email_canonical, role, \
    invited_by, created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";

const REVOKE: &str = "UPDATE invitations SET revoked_at = $3 WHERE organization_id = $1 AND id = $2 \
    AND accepted_at IS NULL AND revoked_at IS NULL RETURNING role";

const LIST: &str = "SELECT invitations.id, organization_id, organizations.name AS organization_name, email, role, \
    expires_at FROM invitations JOIN organizations ON organizations.id = organization_id \
    WHERE organization_id = $1 AND accepted_at IS NULL AND revoked_at IS NULL AND expires_at > $3 \
    AND EXISTS (SELECT 1 FROM members WHERE members.organization_id = $1 AND members.account_id = $2) \
    ORDER BY invitations.created_at, invitations.id LIMIT $4";

// For the holder of the address only, while the invitation is valid and the organization not closed.
const OFFERED: &str = "SELECT invitations.id, organization_id, organizations.name AS organization_name, \
    invitations.email, role, invitations.expires_at, invited_by \
    FROM invitations JOIN organizations ON organizations.id = organization_id \
    JOIN accounts ON accounts.email_canonical = invitations.email_canonical \
    WHERE token_digest = $1 AND accounts.id = $2 AND accepted_at IS NULL AND revoked_at IS NULL \
    AND invitations.expires_at > $3 AND organizations.delete_after IS NULL";

const ACCEPT: &str = "UPDATE invitations SET accepted_at = $2 \
    WHERE token_digest = $1 AND accepted_at IS NULL AND revoked_at IS NULL RETURNING id";

impl Store {
    /// The open invitations of an organization, oldest first; none when the account is not a member.
    pub async fn invitations(
        &self,
        account: &AccountId,
        id: &OrganizationId,
        now: Timestamp,
    ) -> Result<Vec<InvitationRecord>, StoreError> {
        let subject = "listing invitations";
        let statement = sqlx::query(LIST).bind(id.0.clone()).bind(account.0.clone()).bind(now.0).bind(MOST_OPEN);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| record(subject, row)).collect()
    }

    /// The invitation whose token has this digest, for the account whose address it was sent to; `None` for any other
    /// account, and once it is no longer valid.
    pub async fn invitation(
        &self,
        token_digest: &[u8; 32],
        account: &AccountId,
        now: Timestamp,
    ) -> Result<Option<InvitationRecord>, StoreError> {
        let subject = "looking up an invitation";
        let statement = sqlx::query(OFFERED).bind(token_digest.to_vec()).bind(account.0.clone()).bind(now.0);
        self.db.read(subject, statement).await?.map(|row| record(subject, &row)).transpose()
    }

    /// Accepts the invitation whose token has this digest: makes the account a member and records the event; the
    /// organization. Works once, also under concurrent calls. [`Denied::Missing`] when it is not valid for this
    /// account, or its sender may no longer invite; [`Denied::Taken`] for a member; [`Denied::Full`] at the limit of
    /// members.
    pub async fn accept_invitation(
        &self,
        token_digest: &[u8; 32],
        account: &AccountId,
        noted: NewEvent,
        now: Timestamp,
    ) -> Result<Result<OrganizationId, Denied>, StoreError> {
        let (digest, account) = (token_digest.to_vec(), account.clone());
        let done = self.db.transact("accepting an invitation", move |transaction| {
            let (digest, account, noted) = (digest.clone(), account.clone(), noted.clone());
            Box::pin(async move {
                let id = accept(transaction, digest, &account, now).await?;
                note(transaction, NewEvent { organization: Some(id.clone()), ..noted }, now).await?;
                Ok(id)
            })
        });
        outcome(done.await)
    }
}

async fn accept(
    transaction: &mut Transaction<'_>,
    digest: Vec<u8>,
    account: &AccountId,
    now: Timestamp,
) -> Result<OrganizationId, ChangeError> {
    let subject = "accepting an invitation";
    let offered = sqlx::query(OFFERED).bind(digest.clone()).bind(account.0.clone()).bind(now.0);
    let row = transaction.first(offered).await?.ok_or(ChangeError::Denied(Denied::Missing))?;
    let invitation = record(subject, &row)?;
    let inviter = AccountId(row.try_get("invited_by").map_err(|error| StoreError::of_driver(subject, error))?);
    // Locks in the same order everywhere: organization, account, invitation.
    let inviter = lock(transaction, &invitation.organization, &inviter).await?;
    if !inviter.admits(invitation.role) {
        return Err(Denied::Missing.into());
    }
    lock_account(transaction, account).await?;
    if transaction.run(sqlx::query(ACCEPT).bind(digest).bind(now.0)).await? == 0 {
        return Err(Denied::Missing.into());
    }
    if role_of(transaction, &invitation.organization, account).await?.is_some() {
        return Err(Denied::Taken.into());
    }
    let members = sqlx::query(COUNT_MEMBERS).bind(invitation.organization.0.clone());
    if count(transaction, members).await? >= MOST_MEMBERS {
        return Err(Denied::Full.into());
    }
    add_member(transaction, &invitation.organization, account, invitation.role, now).await?;
    Ok(invitation.organization)
}

/// Stores an invitation, and revokes an earlier one to the same address.
pub(super) async fn add(
    transaction: &mut Transaction<'_>,
    id: &OrganizationId,
    actor: &AccountId,
    invitation: NewInvitation,
    now: Timestamp,
) -> Result<(), ChangeError> {
    let canonical = || invitation.email_canonical.clone();
    if transaction.first(sqlx::query(IS_MEMBER).bind(id.0.clone()).bind(canonical())).await?.is_some() {
        return Err(Denied::Taken.into());
    }
    transaction.run(sqlx::query(REPLACE).bind(id.0.clone()).bind(canonical()).bind(now.0)).await?;
    if count(transaction, sqlx::query(COUNT_OPEN).bind(id.0.clone()).bind(now.0)).await? >= MOST_OPEN {
        return Err(Denied::Full.into());
    }
    let insert = sqlx::query(INSERT)
        .bind(invitation.id.0)
        .bind(invitation.token_digest.to_vec())
        .bind(id.0.clone())
        .bind(invitation.email)
        .bind(invitation.email_canonical)
        .bind(invitation.role.word())
        .bind(actor.0.clone())
        .bind(now.0)
        .bind(invitation.expires_at.0);
    transaction.run(insert).await?;
    Ok(())
}

/// Revokes an open invitation; its role.
pub(super) async fn revoke(
    transaction: &mut Transaction<'_>,
    id: &OrganizationId,
    invitation: InvitationId,
    now: Timestamp,
) -> Result<Role, ChangeError> {
    let revoke = sqlx::query(REVOKE).bind(id.0.clone()).bind(invitation.0).bind(now.0);
    let row = transaction.first(revoke).await?.ok_or(ChangeError::Denied(Denied::Missing))?;
    Ok(role("ending an invitation", &row)?)
}

fn record(subject: &'static str, row: &AnyRow) -> Result<InvitationRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    Ok(InvitationRecord {
        id: InvitationId(row.try_get("id").map_err(failed)?),
        organization: OrganizationId(row.try_get("organization_id").map_err(failed)?),
        organization_name: row.try_get("organization_name").map_err(failed)?,
        email: row.try_get("email").map_err(failed)?,
        role: role(subject, row)?,
        expires_at: Timestamp(row.try_get("expires_at").map_err(failed)?),
    })
}
