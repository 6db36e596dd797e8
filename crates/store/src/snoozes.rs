//! Findings of followed pages that their owners have put off.

use model::id::{Owner, TabId};
use model::tab::Snooze;
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::store::Store;

/// Snoozed findings of one page at most. Chosen: more than a page has findings.
pub const MOST_SNOOZES: u32 = 100;

/// Outcome of putting a finding off.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Snoozing {
    /// It is put off.
    Done,
    /// The page has reached the limit of snoozed findings.
    TooMany,
}

const OF_TAB: &str = "SELECT s.code, s.reason, s.ends_at, s.created_at FROM snoozes s JOIN tabs t ON t.id = s.tab_id \
    WHERE t.id = $1 AND s.ends_at > $2 ORDER BY s.ends_at, s.code LIMIT $3";

const OWN: &str = "SELECT id FROM tabs WHERE owner = $1 AND id = $2";

// The update changes nothing: it locks the tab's row, so that the limit holds for calls at once.
const LOCK: &str = "UPDATE tabs SET url = url WHERE owner = $1 AND id = $2 RETURNING id";

const FORGET_ENDED: &str = "DELETE FROM snoozes WHERE tab_id = $1 AND (ends_at <= $2 OR code = $3)";

const COUNT: &str = "SELECT CAST(COUNT(*) AS BIGINT) AS n FROM snoozes WHERE tab_id = $1";

const INSERT: &str = "INSERT INTO snoozes (tab_id, code, reason, ends_at, created_at) VALUES ($1, $2, $3, $4, $5)";

const END: &str = "DELETE FROM snoozes WHERE tab_id = $1 AND code = $2";

impl Store {
    /// The findings of a tab that are put off now, the first to end first.
    pub async fn snoozes_of(&self, tab: &TabId, now: Timestamp) -> Result<Vec<Snooze>, StoreError> {
        let subject = "listing snoozed findings";
        let statement = sqlx::query(OF_TAB).bind(tab.0.clone()).bind(now.0).bind(i64::from(MOST_SNOOZES));
        let rows = self.db.read_all(subject, statement).await?;
        rows.iter().map(|row| snooze(row).map_err(|error| StoreError::of_driver(subject, error))).collect()
    }

    /// Puts a finding off, or changes until when and why it is. [`StoreError::NotFound`] also when the tab is someone else's.
    pub async fn snooze(&self, owner: &Owner, tab: &TabId, new: Snooze) -> Result<Snoozing, StoreError> {
        let subject = "snoozing a finding";
        let (owner, tab) = (owner.to_string(), tab.0.clone());
        self.db
            .transact(subject, move |transaction| {
                let (owner, tab, new) = (owner.clone(), tab.clone(), new.clone());
                Box::pin(async move {
                    let own = transaction.first(sqlx::query(LOCK).bind(owner).bind(tab.clone())).await?;
                    own.ok_or(StoreError::NotFound { subject })?;
                    let ended =
                        sqlx::query(FORGET_ENDED).bind(tab.clone()).bind(new.created_at.0).bind(new.code.clone());
                    transaction.run(ended).await?;
                    let row = transaction.first(sqlx::query(COUNT).bind(tab.clone())).await?;
                    let row = row.ok_or(StoreError::NotFound { subject })?;
                    let count: i64 = row.try_get("n").map_err(|error| StoreError::of_driver(subject, error))?;
                    if count >= i64::from(MOST_SNOOZES) {
                        return Ok(Snoozing::TooMany);
                    }
                    let statement = sqlx::query(INSERT)
                        .bind(tab)
                        .bind(new.code)
                        .bind(new.reason)
                        .bind(new.until.0)
                        .bind(new.created_at.0);
                    transaction.run(statement).await?;
                    Ok(Snoozing::Done)
                })
            })
            .await
    }

    /// Ends a snooze; one that is not there has ended. [`StoreError::NotFound`] when the tab is someone else's.
    pub async fn end_snooze(&self, owner: &Owner, tab: &TabId, code: &str) -> Result<(), StoreError> {
        let subject = "ending a snooze";
        let (owner, tab, code) = (owner.to_string(), tab.0.clone(), code.to_owned());
        self.db
            .transact(subject, move |transaction| {
                let (owner, tab, code) = (owner.clone(), tab.clone(), code.clone());
                Box::pin(async move {
                    let own = transaction.first(sqlx::query(OWN).bind(owner).bind(tab.clone())).await?;
                    own.ok_or(StoreError::NotFound { subject })?;
                    transaction.run(sqlx::query(END).bind(tab).bind(code)).await?;
                    Ok(())
                })
            })
            .await
    }
}

fn snooze(row: &AnyRow) -> Result<Snooze, sqlx::Error> {
    Ok(Snooze {
        code: row.try_get("code")?,
        reason: row.try_get("reason")?,
        until: Timestamp(row.try_get("ends_at")?),
        created_at: Timestamp(row.try_get("created_at")?),
    })
}
