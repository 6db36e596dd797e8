//! The commit of a page: it is paid, and its place in the order is done.

use model::credit::MovementKind;
use model::time::{Day, Timestamp};
use sqlx::Row as _;
use sqlx::any::AnyRow;

use crate::credits::{BalanceChange, add};
use crate::error::StoreError;
use crate::statement::of_id;
use crate::store::Store;
use crate::transaction::Transaction;

/// The daily counter of free audits.
const FREE_AUDIT: &str = "audit";

/// Free audits of a day.
#[derive(Debug, Clone, Copy)]
pub struct SiteAllowance {
    /// Of a network.
    pub per_day: u32,
    /// Of the wider network.
    pub wide_per_day: u32,
}

/// A page to commit.
#[derive(Debug, Clone, Copy)]
pub struct SiteCommit {
    /// Its place: the first that is not committed.
    pub place: i64,
    /// Whether it was audited, and is to be paid.
    pub is_audited: bool,
    /// Whether it gave no answer, or an error of the server.
    pub is_failed: bool,
    /// Addresses that are known after it.
    pub found: usize,
    /// Free audits of a day.
    pub allowance: SiteAllowance,
}

/// What came of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SiteCommitted {
    /// It is committed.
    Kept,
    /// It was committed before, by another seat.
    Before,
    /// The run has ended.
    Over,
    /// It can't be paid; why, in a word: `allowance_spent`, `credit_spent`, `max_usd`. Nothing was changed.
    Unpaid(&'static str),
}

const LOCK: &str = "UPDATE site_runs SET done = done WHERE id = $1 AND state = 'running' \
    RETURNING done, price_micros, most_micros, spent_micros, credit_id, network, wide, day";

const COMMIT: &str = "UPDATE site_runs SET done = done + 1, found = $2, failed = failed + $3, audited = audited + $4, \
    free_audits = free_audits + $5, spent_micros = spent_micros + $6 WHERE id = $1";

/// How a page is paid.
enum PaidBy {
    Nothing,
    FreeAudit,
    Credit(i64),
    Unpaid(&'static str),
}

impl Store {
    /// Commits the next page of a run, once, and has it paid in the same transaction.
    pub async fn commit_site_page(
        &self,
        run: &str,
        commit: SiteCommit,
        now: Timestamp,
    ) -> Result<SiteCommitted, StoreError> {
        let subject = "committing a page of a site";
        let run = run.to_owned();
        self.db
            .transact(subject, move |transaction| {
                let run = run.clone();
                Box::pin(async move {
                    let Some(row) = transaction.first(of_id(LOCK, &run)).await? else { return Ok(SiteCommitted::Over) };
                    let done: i64 = row.try_get("done").map_err(|error| StoreError::of_driver(subject, error))?;
                    if done > commit.place {
                        return Ok(SiteCommitted::Before);
                    }
                    if done < commit.place {
                        return Err(StoreError::corrupt(subject, "a page before it is not committed"));
                    }
                    let paid = match commit.is_audited {
                        true => pay(transaction, &run, &row, &commit, now).await?,
                        false => PaidBy::Nothing,
                    };
                    let (free, spent) = match paid {
                        PaidBy::Nothing => (0_i64, 0),
                        PaidBy::FreeAudit => (1, 0),
                        PaidBy::Credit(micros) => (0, micros),
                        PaidBy::Unpaid(why) => return Ok(SiteCommitted::Unpaid(why)),
                    };
                    let found = i64::try_from(commit.found).unwrap_or(i64::MAX);
                    let done = of_id(COMMIT, &run)
                        .bind(found)
                        .bind(i64::from(commit.is_failed))
                        .bind(i64::from(commit.is_audited))
                        .bind(free)
                        .bind(spent);
                    transaction.run(done).await?;
                    Ok(SiteCommitted::Kept)
                })
            })
            .await
    }
}

/// Has a page paid: by a free audit, then by the credit.
async fn pay(
    transaction: &mut Transaction<'_>,
    run: &str,
    row: &AnyRow,
    commit: &SiteCommit,
    now: Timestamp,
) -> Result<PaidBy, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver("paying a page of a site", error);
    let number = |name: &str| row.try_get::<Option<i64>, _>(name).map_err(failed);
    let text = |name: &str| row.try_get::<Option<String>, _>(name).map_err(failed);
    let Some(price) = number("price_micros")? else { return Ok(PaidBy::Nothing) };
    if let (Some(network), Some(wide), Some(day)) = (text("network")?, text("wide")?, number("day")?) {
        let (day, allowance) = (Day(day), commit.allowance);
        if transaction.spend_daily(&network, FREE_AUDIT, day, allowance.per_day).await? {
            if transaction.spend_daily(&wide, FREE_AUDIT, day, allowance.wide_per_day).await? {
                return Ok(PaidBy::FreeAudit);
            }
            transaction.release_daily(&network, FREE_AUDIT, day).await?;
        }
    }
    let Some(credit) = text("credit_id")? else { return Ok(PaidBy::Unpaid("allowance_spent")) };
    let spent = number("spent_micros")?.unwrap_or_default();
    if number("most_micros")?.is_some_and(|most| spent + price > most) {
        return Ok(PaidBy::Unpaid("max_usd"));
    }
    let reference = format!("site:{run}:{}", commit.place);
    let change = BalanceChange { credit, kind: MovementKind::Debit, micros: -price, reference };
    Ok(if add(transaction, change, now).await? { PaidBy::Credit(price) } else { PaidBy::Unpaid("credit_spent") })
}
