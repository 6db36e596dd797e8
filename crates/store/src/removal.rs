//! Removal of accounts and organizations: first they are closed, some days later everything that they own is deleted.
//!
//! Credits, debits and payments stay, as the ledger accounts for every cent; their owner is then the id of nobody.

use model::id::{AccountId, OrganizationId, Owner};
use model::time::Timestamp;
use sqlx::Row;

use crate::error::StoreError;
use crate::jobs::NewJob;
use crate::organizations::{ChangeError, Denied, count, outcome};
use crate::steps::{NewEvent, note};
use crate::store::Store;
use crate::transaction::Transaction;

/// Rows that one statement deletes at most, so that it never holds up other writes for long.
const BATCH: i64 = 500;

/// The statement that deletes rows of an owner `$1`, `$2` at a time.
const OWNED: &[&str] = &[
    "DELETE FROM security_events WHERE id IN (SELECT id FROM security_events WHERE 'account:' || account_id = $1 \
        ORDER BY id LIMIT $2) RETURNING id",
    "DELETE FROM audits WHERE id IN (SELECT id FROM audits WHERE owner = $1 ORDER BY created_at, id LIMIT $2) RETURNING id",
    "DELETE FROM tabs WHERE id IN (SELECT id FROM tabs WHERE owner = $1 ORDER BY created_at, id LIMIT $2) RETURNING id",
    "DELETE FROM site_watches WHERE id IN (SELECT id FROM site_watches WHERE owner = $1 ORDER BY created_at, id LIMIT $2) \
        RETURNING id",
    "DELETE FROM site_runs WHERE id IN (SELECT id FROM site_runs WHERE owner = $1 ORDER BY created_at, id LIMIT $2) \
        RETURNING id",
    "DELETE FROM workspaces WHERE owner IN (SELECT owner FROM workspaces WHERE owner = $1 LIMIT $2) RETURNING owner AS id",
    "DELETE FROM webhooks WHERE id IN (SELECT id FROM webhooks WHERE owner = $1 ORDER BY created_at, id LIMIT $2) \
        RETURNING id",
    "DELETE FROM feeds WHERE owner IN (SELECT owner FROM feeds WHERE owner = $1 LIMIT $2) RETURNING owner AS id",
    "DELETE FROM page_events WHERE id IN (SELECT id FROM page_events WHERE owner = $1 ORDER BY created_at, id LIMIT $2) \
        RETURNING id",
    "DELETE FROM api_keys WHERE id IN (SELECT id FROM api_keys WHERE owner = $1 ORDER BY created_at, id LIMIT $2) \
        RETURNING id",
];

// Locks in the same order everywhere: organizations, then accounts.
const LOCK_ORGANIZATIONS: &str = "UPDATE organizations SET name = name \
    WHERE id IN (SELECT organization_id FROM members WHERE account_id = $1)";

const ALONE: &str = "SELECT COUNT(*) AS n FROM members AS own WHERE own.account_id = $1 AND own.role = 'owner' \
    AND NOT EXISTS (SELECT 1 FROM members AS others WHERE others.organization_id = own.organization_id \
        AND others.role = 'owner' AND others.account_id <> $1)";

const CLOSE: &str = "UPDATE accounts SET status = 'deleting', delete_after = $2 WHERE id = $1 AND status = 'active'";

const LEAVE: &str = "DELETE FROM members WHERE account_id = $1";

const END_SESSIONS: &str =
    "UPDATE sessions SET ended_at = $2, end_reason = 'deleted' WHERE account_id = $1 AND ended_at IS NULL";

const REVOKE_KEYS: &str = "UPDATE api_keys SET revoked_at = $2 WHERE owner = 'account:' || $1 AND revoked_at IS NULL";

const DUE_ACCOUNTS: &str = "SELECT id FROM accounts WHERE delete_after < $1 AND status = 'deleting' \
    ORDER BY delete_after, id LIMIT $2";

const DUE_ORGANIZATIONS: &str =
    "SELECT id FROM organizations WHERE delete_after < $1 ORDER BY delete_after, id LIMIT $2";

const REMOVE_ACCOUNT: &str =
    "DELETE FROM accounts WHERE id = $1 AND status = 'deleting' AND delete_after < $2 RETURNING id";

const REMOVE_ORGANIZATION: &str = "DELETE FROM organizations WHERE id = $1 AND delete_after < $2 RETURNING id";

impl Store {
    /// Closes an account: ends its sign-ins, revokes its keys, leaves its organizations, and schedules its removal for
    /// `delete_after`. Records the event and queues `jobs`. [`Denied::LastOwner`] where an organization would have no
    /// owner, [`Denied::Missing`] for one that is closed already.
    pub async fn close_account(
        &self,
        account: &AccountId,
        delete_after: Timestamp,
        noted: NewEvent,
        jobs: Vec<NewJob>,
        now: Timestamp,
    ) -> Result<Result<(), Denied>, StoreError> {
        let account = account.0.clone();
        let done = self.db.transact("closing an account", move |transaction| {
            let (account, noted, jobs) = (account.clone(), noted.clone(), jobs.clone());
            Box::pin(async move {
                close(transaction, account, delete_after, now).await?;
                note(transaction, noted, now).await?;
                for job in &jobs {
                    transaction.enqueue(job).await?;
                }
                Ok(())
            })
        });
        outcome(done.await)
    }

    /// Removes accounts and organizations that are due, with everything that they own; how many rows were deleted.
    pub async fn purge_closed(&self, now: Timestamp) -> Result<u64, StoreError> {
        let mut rows = 0;
        for (due, remove) in [(DUE_ACCOUNTS, REMOVE_ACCOUNT), (DUE_ORGANIZATIONS, REMOVE_ORGANIZATION)] {
            let subject = "removing what was closed";
            for row in self.db.read_all(subject, sqlx::query(due).bind(now.0).bind(BATCH)).await? {
                let id: String = row.try_get("id").map_err(|error| StoreError::of_driver(subject, error))?;
                let owner = match due {
                    DUE_ACCOUNTS => Owner::Account(AccountId(id.clone())),
                    _ => Owner::Organization(OrganizationId(id.clone())),
                };
                // What it owns first: only its row leads to that, so that an interrupted removal resumes. Once more
                // afterwards, as a run that was in flight may have stored something since.
                rows += self.purge_owned(&owner).await?;
                rows += self.db.write(subject, sqlx::query(remove).bind(id).bind(now.0)).await?.len() as u64;
                rows += self.purge_owned(&owner).await?;
            }
        }
        Ok(rows)
    }

    async fn purge_owned(&self, owner: &Owner) -> Result<u64, StoreError> {
        let mut rows = 0;
        for table in OWNED {
            loop {
                let statement = sqlx::query(*table).bind(owner.to_string()).bind(BATCH);
                let gone = self.db.write("removing what was somebody's", statement).await?;
                if gone.is_empty() {
                    break;
                }
                rows += gone.len() as u64;
            }
        }
        Ok(rows)
    }
}

async fn close(
    transaction: &mut Transaction<'_>,
    account: String,
    delete_after: Timestamp,
    now: Timestamp,
) -> Result<(), ChangeError> {
    transaction.run(sqlx::query(LOCK_ORGANIZATIONS).bind(account.clone())).await?;
    if count(transaction, sqlx::query(ALONE).bind(account.clone())).await? > 0 {
        return Err(Denied::LastOwner.into());
    }
    if transaction.run(sqlx::query(CLOSE).bind(account.clone()).bind(delete_after.0)).await? == 0 {
        return Err(Denied::Missing.into());
    }
    transaction.run(sqlx::query(LEAVE).bind(account.clone())).await?;
    transaction.run(sqlx::query(END_SESSIONS).bind(account.clone()).bind(now.0)).await?;
    transaction.run(sqlx::query(REVOKE_KEYS).bind(account).bind(now.0)).await?;
    Ok(())
}
