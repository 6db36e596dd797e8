//! Withheld audits and tabs: stored by a paid call whose debit or payment is not final yet.
//!
//! A withheld audit is owned by the payment, so that nobody can read it. A withheld tab is visible, marked with the
//! payment, and closed when that fails.

use sqlx::Row;

use crate::error::StoreError;
use crate::tabs;
use crate::transaction::Transaction;

const HAND_OVER: &str = "UPDATE audits SET owner = $2 WHERE owner = $1";
const DROP: &str = "DELETE FROM audits WHERE owner = $1";

const KEEP_TABS: &str = "UPDATE tabs SET withheld = NULL WHERE withheld = $1";
const TABS: &str = "SELECT owner, id FROM tabs WHERE withheld = $1 ORDER BY id LIMIT 100";

/// The owner of audits that the debit or payment `id` withholds.
pub(crate) fn owner(id: &str) -> String {
    format!("payment:{id}")
}

/// Hands what the debit or payment `id` withheld to its owner, or to nobody.
pub(crate) async fn hand_over(
    transaction: &mut Transaction<'_>,
    id: &str,
    to: Option<String>,
) -> Result<(), StoreError> {
    transaction.run(sqlx::query(HAND_OVER).bind(owner(id)).bind(to)).await?;
    transaction.run(sqlx::query(KEEP_TABS).bind(id.to_owned())).await.map(drop)
}

/// Deletes what the debit or payment `id` withheld.
pub(crate) async fn forget(transaction: &mut Transaction<'_>, id: &str) -> Result<(), StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver("forgetting what was not paid", error);
    transaction.run(sqlx::query(DROP).bind(owner(id))).await?;
    for row in transaction.all(sqlx::query(TABS).bind(id.to_owned())).await? {
        let (owner, tab) = (row.try_get("owner").map_err(failed)?, row.try_get("id").map_err(failed)?);
        tabs::close(transaction, owner, tab).await?;
    }
    Ok(())
}
