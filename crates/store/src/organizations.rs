//! Organizations: accounts that act together. What changes one locks its row, and asks again what the one who changes it
//! may do.

mod change;
mod invitations;

use model::id::{AccountId, OrganizationId};
use model::organization::Role;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::steps::note;
use crate::transaction::Transaction;
use crate::{NewEvent, Store, StoreError};

pub use change::OrganizationChange;
pub use invitations::{InvitationRecord, NewInvitation};

/// Members of an organization at most: what a list of them can show at once. Chosen.
pub(crate) const MOST_MEMBERS: i64 = 500;
/// Organizations that an account may be in. Chosen, for the same reason.
pub(crate) const MOST_ORGANIZATIONS: i64 = 50;

/// Why a change of an organization was not made. Nothing of it was kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Denied {
    /// There is no such organization of theirs, or no such thing in it.
    Missing,
    /// Their role does not allow it.
    Forbidden,
    /// No owner would be left.
    LastOwner,
    /// There are as many as there may be.
    Full,
    /// It is so already.
    Taken,
}

/// Why steps were undone.
pub(crate) enum Undone {
    Denied(Denied),
    Store(StoreError),
}

impl From<StoreError> for Undone {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Denied> for Undone {
    fn from(denied: Denied) -> Self {
        Self::Denied(denied)
    }
}

/// Tells a denial from a failure.
pub(crate) fn told<T>(done: Result<T, Undone>) -> Result<Result<T, Denied>, StoreError> {
    match done {
        Ok(value) => Ok(Ok(value)),
        Err(Undone::Denied(denied)) => Ok(Err(denied)),
        Err(Undone::Store(error)) => Err(error),
    }
}

/// An organization as one of its members sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationRecord {
    /// Its id.
    pub id: OrganizationId,
    /// What it is called.
    pub name: String,
    /// What the asking account may do in it.
    pub role: Role,
    /// Members need a second factor.
    pub requires_second_factor: bool,
    /// It may have keys for the product.
    pub is_enabled: bool,
    /// When it was made.
    pub created_at: Timestamp,
    /// From when on it is removed.
    pub delete_after: Option<Timestamp>,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRecord {
    /// Their account.
    pub account: AccountId,
    /// Their address.
    pub email: String,
    /// What they are called; may be empty.
    pub name: String,
    /// What they may do.
    pub role: Role,
    /// Since when they are a member.
    pub created_at: Timestamp,
    /// Live keys of the organization that they made.
    pub keys: u32,
}

const INSERT: &str = "INSERT INTO organizations (id, name, requires_second_factor, created_at) VALUES ($1, $2, 0, $3)";

const ENABLE: &str = "INSERT INTO organization_products (organization_id, product, enabled_at) VALUES ($1, $2, $3) \
    ON CONFLICT DO NOTHING";

const ADD_MEMBER: &str = "INSERT INTO members (organization_id, account_id, role, created_at) VALUES ($1, $2, $3, $4) \
    ON CONFLICT DO NOTHING";

// Those who add an account to organizations wait for each other here, so that each counts what the others did.
const LOCK_ACCOUNT: &str = "UPDATE accounts SET name = name WHERE id = $1 AND status = 'active'";

const COUNT_OF_ACCOUNT: &str = "SELECT COUNT(*) AS n FROM members WHERE account_id = $1";

/// What is read of an organization for its member `$1`, with the product `$2`. A macro, as `concat!` takes literals
/// only.
macro_rules! of_member {
    () => {
        "SELECT organizations.id, organizations.name, role, requires_second_factor, organizations.created_at, \
        organizations.delete_after, CASE WHEN EXISTS (SELECT 1 FROM organization_products \
            WHERE organization_id = organizations.id AND product = $2) THEN 1 ELSE 0 END AS is_enabled \
        FROM members JOIN organizations ON organizations.id = members.organization_id WHERE account_id = $1 "
    };
}

const LIST: &str = concat!(of_member!(), "ORDER BY organizations.created_at, organizations.id LIMIT $3");

const FIND: &str = concat!(of_member!(), "AND organizations.id = $3");

const MEMBERS: &str = "SELECT account_id, accounts.email, accounts.name, role, members.created_at, \
    (SELECT COUNT(*) FROM api_keys WHERE owner = 'organization:' || members.organization_id \
        AND created_by = members.account_id AND revoked_at IS NULL) AS keys \
    FROM members JOIN accounts ON accounts.id = account_id WHERE organization_id = $1 \
    AND EXISTS (SELECT 1 FROM members AS own WHERE own.organization_id = $1 AND own.account_id = $2) \
    ORDER BY members.created_at, account_id LIMIT $3";

impl Store {
    /// Makes an organization that `owner` owns and that may have keys for `product`, and notes it. [`Denied::Full`] where
    /// the account is in as many as it may be.
    pub async fn create_organization(
        &self,
        id: &OrganizationId,
        name: &str,
        owner: &AccountId,
        product: &str,
        noted: NewEvent,
        now: Timestamp,
    ) -> Result<Result<(), Denied>, StoreError> {
        let (id, name, owner, product) = (id.0.clone(), name.to_owned(), owner.clone(), product.to_owned());
        let done = self.db.transact("making an organization", move |transaction| {
            let (id, name, owner, product) = (id.clone(), name.clone(), owner.clone(), product.clone());
            let noted = noted.clone();
            Box::pin(async move {
                lock_account(transaction, &owner).await?;
                transaction.run(sqlx::query(INSERT).bind(id.clone()).bind(name).bind(now.0)).await?;
                transaction.run(sqlx::query(ENABLE).bind(id.clone()).bind(product).bind(now.0)).await?;
                add_member(transaction, &OrganizationId(id), &owner, Role::Owner, now).await?;
                Ok(note(transaction, noted, now).await?)
            })
        });
        told(done.await)
    }

    /// The organizations of an account, oldest first.
    pub async fn organizations(
        &self,
        account: &AccountId,
        product: &str,
    ) -> Result<Vec<OrganizationRecord>, StoreError> {
        let subject = "listing organizations";
        let statement = sqlx::query(LIST).bind(account.0.clone()).bind(product.to_owned()).bind(MOST_ORGANIZATIONS);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| record(subject, row)).collect()
    }

    /// An organization of an account's; [`StoreError::NotFound`] where it is none of theirs.
    pub async fn organization(
        &self,
        account: &AccountId,
        id: &OrganizationId,
        product: &str,
    ) -> Result<OrganizationRecord, StoreError> {
        let subject = "looking up an organization";
        let statement = sqlx::query(FIND).bind(account.0.clone()).bind(product.to_owned()).bind(id.0.clone());
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        record(subject, &row)
    }

    /// The members of an organization of an account's, those who are longest in it first; none of another's.
    pub async fn members(&self, account: &AccountId, id: &OrganizationId) -> Result<Vec<MemberRecord>, StoreError> {
        let subject = "listing members";
        let statement = sqlx::query(MEMBERS).bind(id.0.clone()).bind(account.0.clone()).bind(MOST_MEMBERS);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| member(subject, row)).collect()
    }
}

/// Lets others who add the account to organizations wait.
pub(crate) async fn lock_account(transaction: &mut Transaction<'_>, account: &AccountId) -> Result<(), Undone> {
    let locked = transaction.run(sqlx::query(LOCK_ACCOUNT).bind(account.0.clone())).await?;
    if locked == 0 { Err(Denied::Missing.into()) } else { Ok(()) }
}

/// Makes an account a member; its row is locked already.
pub(crate) async fn add_member(
    transaction: &mut Transaction<'_>,
    id: &OrganizationId,
    account: &AccountId,
    role: Role,
    now: Timestamp,
) -> Result<(), Undone> {
    let own = sqlx::query(COUNT_OF_ACCOUNT).bind(account.0.clone());
    if count(transaction, own).await? >= MOST_ORGANIZATIONS {
        return Err(Denied::Full.into());
    }
    let add = sqlx::query(ADD_MEMBER).bind(id.0.clone()).bind(account.0.clone()).bind(role.word()).bind(now.0);
    if transaction.run(add).await? == 0 { Err(Denied::Taken.into()) } else { Ok(()) }
}

/// The number that a statement gives as `n`.
pub(crate) async fn count(
    transaction: &mut Transaction<'_>,
    statement: crate::db::Statement,
) -> Result<i64, StoreError> {
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

fn record(subject: &'static str, row: &AnyRow) -> Result<OrganizationRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let flag = |name: &str| row.try_get::<i64, _>(name).map(|flag| flag == 1).map_err(failed);
    Ok(OrganizationRecord {
        id: OrganizationId(row.try_get("id").map_err(failed)?),
        name: row.try_get("name").map_err(failed)?,
        role: role(subject, row)?,
        requires_second_factor: flag("requires_second_factor")?,
        is_enabled: flag("is_enabled")?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        delete_after: row.try_get::<Option<i64>, _>("delete_after").map_err(failed)?.map(Timestamp),
    })
}

fn member(subject: &'static str, row: &AnyRow) -> Result<MemberRecord, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let keys: i64 = row.try_get("keys").map_err(failed)?;
    Ok(MemberRecord {
        account: AccountId(row.try_get("account_id").map_err(failed)?),
        email: row.try_get("email").map_err(failed)?,
        name: row.try_get("name").map_err(failed)?,
        role: role(subject, row)?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        keys: u32::try_from(keys).map_err(|error| StoreError::corrupt(subject, error))?,
    })
}
