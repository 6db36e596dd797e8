//! Members of an organization: their roles, and the locks under which they change.

use model::id::{AccountId, OrganizationId};
use model::organization::Role;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use super::denial::{ChangeError, Denied};
use crate::error::StoreError;
use crate::statement::Statement;
use crate::transaction::Transaction;

/// Members of an organization at most, so that one list can show them. Chosen.
pub(crate) const MOST_MEMBERS: i64 = 500;
/// Organizations of an account at most. Chosen, for the same reason.
pub(crate) const MOST_ORGANIZATIONS: i64 = 50;

const ADD_MEMBER: &str = "INSERT INTO members (organization_id, account_id, role, created_at) VALUES ($1, $2, $3, $4) \
    ON CONFLICT DO NOTHING";

// Locks the account: serializes its new memberships, so that each counts the others.
const LOCK_ACCOUNT: &str = "UPDATE accounts SET name = name WHERE id = $1 AND status = 'active'";

const COUNT_OF_ACCOUNT: &str = "SELECT COUNT(*) AS n FROM members WHERE account_id = $1";

// Locks the organization: serializes its changes.
const LOCK: &str = "UPDATE organizations SET name = name WHERE id = $1";

const ROLE: &str = "SELECT role FROM members WHERE organization_id = $1 AND account_id = $2";

/// Locks an account against other new memberships. [`Denied::Missing`] unless it is active.
pub(crate) async fn lock_account(transaction: &mut Transaction<'_>, account: &AccountId) -> Result<(), ChangeError> {
    let locked = transaction.run(sqlx::query(LOCK_ACCOUNT).bind(account.0.clone())).await?;
    if locked == 0 { Err(Denied::Missing.into()) } else { Ok(()) }
}

/// Makes an account a member, under its lock.
pub(crate) async fn add_member(
    transaction: &mut Transaction<'_>,
    id: &OrganizationId,
    account: &AccountId,
    role: Role,
    now: Timestamp,
) -> Result<(), ChangeError> {
    let own = sqlx::query(COUNT_OF_ACCOUNT).bind(account.0.clone());
    if count(transaction, own).await? >= MOST_ORGANIZATIONS {
        return Err(Denied::Full.into());
    }
    let add = sqlx::query(ADD_MEMBER).bind(id.0.clone()).bind(account.0.clone()).bind(role.word()).bind(now.0);
    if transaction.run(add).await? == 0 { Err(Denied::Taken.into()) } else { Ok(()) }
}

/// The number that a statement gives as `n`.
pub(crate) async fn count(transaction: &mut Transaction<'_>, statement: Statement) -> Result<i64, StoreError> {
    match transaction.first(statement).await? {
        Some(row) => row.try_get("n").map_err(|error| StoreError::of_driver("counting", error)),
        None => Ok(0),
    }
}

/// The role in a row.
pub(crate) fn role(subject: &'static str, row: &AnyRow) -> Result<Role, StoreError> {
    let word: String = row.try_get("role").map_err(|error| StoreError::of_driver(subject, error))?;
    Role::of_word(&word).ok_or_else(|| StoreError::corrupt(subject, format!("unknown role {word}")))
}

/// Locks an organization; the role of one of its members.
pub(super) async fn lock(
    transaction: &mut Transaction<'_>,
    id: &OrganizationId,
    account: &AccountId,
) -> Result<Role, ChangeError> {
    transaction.run(sqlx::query(LOCK).bind(id.0.clone())).await?;
    role_of(transaction, id, account).await?.ok_or(ChangeError::Denied(Denied::Missing))
}

/// The role of an account in an organization; `None`: it is no member.
pub(super) async fn role_of(
    transaction: &mut Transaction<'_>,
    id: &OrganizationId,
    account: &AccountId,
) -> Result<Option<Role>, StoreError> {
    let row = transaction.first(sqlx::query(ROLE).bind(id.0.clone()).bind(account.0.clone())).await?;
    row.map(|row| role("reading a role", &row)).transpose()
}
