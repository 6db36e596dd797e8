//! Claims: what a guest has becomes an account's.

use model::id::{AccountId, GuestId, Owner};
use model::time::Timestamp;
use sqlx::Row;

use crate::error::StoreError;
use crate::store::Store;
use crate::tabs::MOST_TABS;
use crate::transaction::Transaction;

/// The subject of errors, for the log.
const SUBJECT: &str = "claiming a guest";

/// A table whose rows have an owner, and what becomes of a guest's rows there.
struct Owned {
    table: &'static str,
    /// Gives the rows of `$1` to `$2`; `None`: they stay, or there are none.
    moves: Option<&'static str>,
    /// Rows that the account may have at most, the statement's `$3`; those too many stay.
    most: Option<u32>,
}

/// Every table with a column `owner`; a test compares them with the schema. Payments first: one that is being settled
/// ends before its row is moved, or hands its result to the new owner.
const OWNED: &[Owned] = &[
    Owned { table: "payments", moves: Some("UPDATE payments SET owner = $2 WHERE owner = $1"), most: None },
    Owned { table: "debits", moves: Some("UPDATE debits SET owner = $2 WHERE owner = $1"), most: None },
    // A guest can't make keys.
    Owned { table: "api_keys", moves: None, most: None },
    Owned { table: "audits", moves: Some("UPDATE audits SET owner = $2 WHERE owner = $1"), most: None },
    Owned { table: "credits", moves: Some("UPDATE credits SET owner = $2 WHERE owner = $1"), most: None },
    Owned { table: "site_runs", moves: Some("UPDATE site_runs SET owner = $2 WHERE owner = $1"), most: None },
    Owned {
        table: "tabs",
        moves: Some(
            "UPDATE tabs SET owner = $2 WHERE id IN (SELECT id FROM tabs WHERE owner = $1 \
             AND url NOT IN (SELECT url FROM tabs AS own WHERE own.owner = $2) ORDER BY created_at, id \
             LIMIT (SELECT CASE WHEN COUNT(*) < $3 THEN $3 - COUNT(*) ELSE 0 END FROM tabs WHERE owner = $2))",
        ),
        most: Some(MOST_TABS),
    },
    // A guest can't watch sites.
    Owned { table: "site_watches", moves: None, most: None },
    // A guest has neither webhooks nor a feed.
    Owned { table: "feeds", moves: None, most: None },
    Owned { table: "page_events", moves: None, most: None },
    Owned { table: "webhooks", moves: None, most: None },
    // The account keeps its own focused tab.
    Owned { table: "workspaces", moves: None, most: None },
];

// Shares are of audits, and change hands with them.
const SHARES: &str = "SELECT COUNT(*) AS n FROM shares JOIN audits ON audits.id = audit_id WHERE audits.owner = $1";

const TABS_LEFT: &str = "SELECT COUNT(*) AS n FROM tabs WHERE owner = $1";

// Idempotent for the same account, which then claims what the guest got in the meantime.
const CLAIM: &str = "UPDATE guests SET claimed_by = $2, claimed_at = COALESCE(claimed_at, $3) \
    WHERE token_digest = $1 AND (claimed_by IS NULL OR claimed_by = $2) RETURNING id";

// Whether a claim repeats an earlier one: what stayed then was told then.
const IS_CLAIMED: &str = "SELECT id FROM guests WHERE token_digest = $1 AND claimed_by IS NOT NULL";

// Locks the account: serializes its claims.
const LOCK: &str = "UPDATE accounts SET name = name WHERE id = $1 AND status = 'active'";

// Locks the account's tabs.
const LOCK_TABS: &str =
    "INSERT INTO workspaces (owner) VALUES ($1) ON CONFLICT (owner) DO UPDATE SET owner = excluded.owner";

// What `claim_guest` would move: `$2` is the account, `$3` its owner text.
const THINGS: &str = "SELECT \
    (SELECT COUNT(*) FROM audits WHERE owner = 'guest:' || g.id) AS audits, \
    (SELECT COUNT(*) FROM shares JOIN audits ON audits.id = audit_id WHERE audits.owner = 'guest:' || g.id) AS shares, \
    (SELECT COUNT(*) FROM credits WHERE owner = 'guest:' || g.id) AS purchases, \
    (SELECT COUNT(*) FROM tabs WHERE owner = 'guest:' || g.id \
        AND url NOT IN (SELECT url FROM tabs AS own WHERE own.owner = $3)) AS tabs \
    FROM guests g WHERE g.token_digest = $1 AND (g.claimed_by IS NULL OR g.claimed_by = $2)";

/// Counts of a guest's things that an account can claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GuestThings {
    /// Audits.
    pub audits: u64,
    /// Tabs, without those whose pages the account follows already.
    pub tabs: u64,
    /// Public addresses of the audits.
    pub shares: u64,
    /// Credits that were bought.
    pub purchases: u64,
}

impl GuestThings {
    /// Whether there is nothing to claim.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// The outcome of a claim.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Claimed {
    /// Rows by table.
    moved: Vec<(&'static str, u64)>,
    /// Public addresses of the audits that changed hands.
    pub shares: u64,
    /// Tabs that stayed with the guest, as the account follows their pages already, or as many pages as it may.
    pub tabs_left: u64,
}

impl Claimed {
    /// Rows of a table that changed hands.
    pub fn moved(&self, table: &str) -> u64 {
        self.moved.iter().find(|(name, _)| *name == table).map_or(0, |(_, rows)| *rows)
    }
}

impl Store {
    /// What the guest whose token has this digest has for `account`; `None`: there is no such guest, or another account
    /// has it.
    pub async fn guest_things(
        &self,
        token_digest: &[u8; 32],
        account: &AccountId,
    ) -> Result<Option<GuestThings>, StoreError> {
        let subject = "reading what a guest has";
        let owner = Owner::Account(account.clone()).to_string();
        let statement = sqlx::query(THINGS).bind(token_digest.to_vec()).bind(account.0.clone()).bind(owner);
        let Some(row) = self.db.read(subject, statement).await? else { return Ok(None) };
        let count = |column| row.try_get::<i64, _>(column).map(i64::unsigned_abs);
        let things = || -> Result<GuestThings, sqlx::Error> {
            Ok(GuestThings {
                audits: count("audits")?,
                tabs: count("tabs")?,
                shares: count("shares")?,
                purchases: count("purchases")?,
            })
        };
        things().map(Some).map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Gives everything of the guest whose token has this digest to `account`, at once or not at all; the token opens
    /// nothing afterwards. `None`: there is no such guest, or another account has it.
    ///
    /// Where the account follows a page of the guest's already, the guest's tab stays behind; so do its newest where the
    /// account would have more than [`MOST_TABS`].
    pub async fn claim_guest(
        &self,
        token_digest: &[u8; 32],
        account: &AccountId,
        now: Timestamp,
    ) -> Result<Option<Claimed>, StoreError> {
        let (digest, account) = (token_digest.to_vec(), account.clone());
        self.db
            .transact(SUBJECT, move |transaction| {
                let (digest, account) = (digest.clone(), account.clone());
                Box::pin(async move { claim(transaction, digest, account, now).await })
            })
            .await
    }
}

async fn claim(
    transaction: &mut Transaction<'_>,
    digest: Vec<u8>,
    account: AccountId,
    now: Timestamp,
) -> Result<Option<Claimed>, StoreError> {
    if transaction.run(sqlx::query(LOCK).bind(account.0.clone())).await? == 0 {
        return Ok(None);
    }
    let is_repeat = transaction.first(sqlx::query(IS_CLAIMED).bind(digest.clone())).await?.is_some();
    let taken = sqlx::query(CLAIM).bind(digest).bind(account.0.clone()).bind(now.0);
    let Some(row) = transaction.first(taken).await? else { return Ok(None) };
    let id = row.try_get("id").map_err(|error| StoreError::of_driver(SUBJECT, error))?;
    let (from, to) = (Owner::Guest(GuestId(id)).to_string(), Owner::Account(account).to_string());
    transaction.run(sqlx::query(LOCK_TABS).bind(to.clone())).await?;
    let mut claimed = Claimed { shares: number(transaction, SHARES, &from).await?, ..Claimed::default() };
    for owned in OWNED {
        let Some(moves) = owned.moves else { continue };
        let mut statement = sqlx::query(moves).bind(from.clone()).bind(to.clone());
        if let Some(most) = owned.most {
            statement = statement.bind(i64::from(most));
        }
        let rows = transaction.run(statement).await?;
        claimed.moved.push((owned.table, rows));
    }
    if !is_repeat {
        claimed.tabs_left = number(transaction, TABS_LEFT, &from).await?;
    }
    Ok(Some(claimed))
}

/// How many rows of an owner a statement counts as `n`.
async fn number(transaction: &mut Transaction<'_>, counts: &'static str, owner: &str) -> Result<u64, StoreError> {
    let counted = transaction.first(sqlx::query(counts).bind(owner.to_owned())).await?;
    let counted = counted.map(|row| row.try_get::<i64, _>("n")).transpose();
    let counted = counted.map_err(|error| StoreError::of_driver(SUBJECT, error))?;
    Ok(counted.unwrap_or_default().unsigned_abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use testkit::TestDatabase;

    testkit::on_both_databases! { every_table_with_an_owner_is_claimed_or_said_to_stay }

    async fn every_table_with_an_owner_is_claimed_or_said_to_stay(database: TestDatabase) {
        let store = Store::open(database.url()).await.unwrap();
        let columns = if database.is_postgres() {
            "SELECT CAST(table_name AS TEXT) AS name FROM information_schema.columns \
             WHERE table_schema = 'public' AND column_name = 'owner' ORDER BY 1"
        } else {
            "SELECT m.name AS name FROM sqlite_master m JOIN pragma_table_info(m.name) c \
             WHERE m.type = 'table' AND c.name = 'owner' ORDER BY 1"
        };
        let rows = store.db.read_all("t", sqlx::query(columns)).await.unwrap();
        let tables: Vec<String> = rows.iter().map(|row| row.get("name")).collect();
        let mut known: Vec<&str> = OWNED.iter().map(|owned| owned.table).collect();
        known.sort_unstable();
        assert_eq!(tables, known, "each table with an owner has one row of OWNED");
        store.close().await;
    }
}
