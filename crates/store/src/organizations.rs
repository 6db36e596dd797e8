//! Organizations: accounts that act together. A change locks the organization's row and checks the member's role under
//! that lock.

mod change;
mod denial;
mod invitations;
mod membership;

use model::id::{AccountId, OrganizationId};
use model::organization::Role;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::steps::{NewEvent, note};
use crate::store::Store;

pub use change::OrganizationChange;
pub use denial::Denied;
pub(crate) use denial::{ChangeError, outcome};
pub use invitations::{InvitationRecord, NewInvitation};
pub(crate) use membership::count;
use membership::{MOST_MEMBERS, MOST_ORGANIZATIONS, add_member, lock_account, role};

/// An organization as one of its members sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationRecord {
    /// Its id.
    pub id: OrganizationId,
    /// Its name.
    pub name: String,
    /// Role of the account in it.
    pub role: Role,
    /// Members need a second factor.
    pub requires_second_factor: bool,
    /// The product is switched on for it.
    pub is_enabled: bool,
    /// Time of creation.
    pub created_at: Timestamp,
    /// When it is removed.
    pub delete_after: Option<Timestamp>,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemberRecord {
    /// Their account.
    pub account: AccountId,
    /// Their address.
    pub email: String,
    /// Their name; may be empty.
    pub name: String,
    /// Their role.
    pub role: Role,
    /// When they became a member.
    pub created_at: Timestamp,
    /// Active keys of the organization created by this member.
    pub keys: u32,
}

const INSERT: &str = "INSERT INTO organizations (id, name, requires_second_factor, created_at) VALUES ($1, $2, 0, $3)";

const ENABLE: &str = "INSERT INTO organization_products (organization_id, product, enabled_at) VALUES ($1, $2, $3) \
    ON CONFLICT DO NOTHING";

/// The query for organizations of a member `$1`, with the product `$2`. A macro, as `concat!` takes literals only.
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
    /// Creates an organization with its first owner, switches `product` on for it, and records the event.
    /// [`Denied::Full`] when the account has reached its limit of organizations.
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
        outcome(done.await)
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

    /// An organization that the account is a member of; [`StoreError::NotFound`] otherwise.
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

    /// The members of an organization, oldest membership first; none when the account is not a member.
    pub async fn members(&self, account: &AccountId, id: &OrganizationId) -> Result<Vec<MemberRecord>, StoreError> {
        let subject = "listing members";
        let statement = sqlx::query(MEMBERS).bind(id.0.clone()).bind(account.0.clone()).bind(MOST_MEMBERS);
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| member(subject, row)).collect()
    }
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
