//! Retention: how long things are stored, and their removal.

use model::time::Timestamp;

use crate::error::StoreError;
use crate::sites::counts;
use crate::store::Store;

const PURGE_NOBODYS: &str = "DELETE FROM audits WHERE id IN \
    (SELECT id FROM audits WHERE owner IS NULL AND created_at < $1 ORDER BY created_at, id LIMIT $2) RETURNING id";

const PURGE_GUESTS: &str = "DELETE FROM audits WHERE id IN \
    (SELECT audits.id FROM guests JOIN audits ON audits.owner = 'guest:' || guests.id \
    WHERE guests.last_seen_at < $1 ORDER BY audits.created_at, audits.id LIMIT $2) RETURNING id";

// Stored after the debit or payment that withheld it had ended.
const PURGE_WITHHELD: &str = "DELETE FROM audits WHERE substr(owner, 1, 8) = 'payment:' AND id IN \
    (SELECT id FROM audits WHERE substr(owner, 1, 8) = 'payment:' \
        AND NOT EXISTS (SELECT 1 FROM payments WHERE payments.id = substr(audits.owner, 9) \
            AND state IN ('claimed', 'working', 'worked', 'settling', 'unclear')) \
        AND NOT EXISTS (SELECT 1 FROM debits WHERE debits.id = substr(audits.owner, 9) AND state = 'held') \
    ORDER BY created_at, id LIMIT $1) RETURNING id";

const PURGE_GUESTS_TABS: &str = "DELETE FROM tabs WHERE id IN \
    (SELECT tabs.id FROM guests JOIN tabs ON tabs.owner = 'guest:' || guests.id \
    WHERE guests.last_seen_at < $1 ORDER BY tabs.id LIMIT $2) RETURNING id";

const PURGE_GUESTS_WORKSPACES: &str = "DELETE FROM workspaces WHERE owner IN \
    (SELECT workspaces.owner FROM guests JOIN workspaces ON workspaces.owner = 'guest:' || guests.id \
    WHERE guests.last_seen_at < $1 ORDER BY workspaces.owner LIMIT $2) RETURNING owner";

// The run that the next one of a watch is compared with stays.
const PURGE_SITE_RUNS: &str = concat!(
    "DELETE FROM site_runs WHERE id IN (SELECT id FROM site_runs AS old WHERE state <> 'running' AND ended_at < $1 \
    AND NOT EXISTS (SELECT 1 FROM site_watches WHERE site_watches.id = old.watch_id AND old.id = \
        (SELECT id FROM site_runs WHERE watch_id = old.watch_id AND ",
    counts!(),
    " ORDER BY created_at DESC, id DESC LIMIT 1)) ORDER BY ended_at, id LIMIT $2) RETURNING id"
);

const PURGE_GUESTS_SITE_RUNS: &str = "DELETE FROM site_runs WHERE id IN \
    (SELECT site_runs.id FROM guests JOIN site_runs ON site_runs.owner = 'guest:' || guests.id \
    WHERE guests.last_seen_at < $1 ORDER BY site_runs.id LIMIT $2) RETURNING id";

// A guest who bought credit can still list it. The outer condition once more, as a guest may have come back in the
// meantime.
const PURGE_GUESTS_ROWS: &str = "DELETE FROM guests WHERE last_seen_at < $1 AND id IN \
    (SELECT id FROM guests WHERE last_seen_at < $1 \
        AND NOT EXISTS (SELECT 1 FROM audits WHERE owner = 'guest:' || guests.id) \
        AND NOT EXISTS (SELECT 1 FROM tabs WHERE owner = 'guest:' || guests.id) \
        AND NOT EXISTS (SELECT 1 FROM site_runs WHERE owner = 'guest:' || guests.id) \
        AND NOT EXISTS (SELECT 1 FROM credits WHERE owner = 'guest:' || guests.id) \
    ORDER BY last_seen_at, id LIMIT $2) RETURNING id";

impl Store {
    /// Deletes at most `batch` audits without an owner made before `nobody_before`, and at most `batch` of guests last
    /// seen before `guest_seen_before`, oldest first; how many in all. Call again until 0.
    pub async fn purge_audits(
        &self,
        nobody_before: Timestamp,
        guest_seen_before: Timestamp,
        batch: u32,
    ) -> Result<u64, StoreError> {
        let batch = i64::from(batch);
        let nobodys = sqlx::query(PURGE_NOBODYS).bind(nobody_before.0).bind(batch);
        let guests = sqlx::query(PURGE_GUESTS).bind(guest_seen_before.0).bind(batch);
        let nobodys = self.db.write("purging audits of nobody", nobodys).await?.len();
        let guests = self.db.write("purging audits of guests", guests).await?.len();
        Ok(nobodys as u64 + guests as u64)
    }

    /// Deletes at most `batch` audits that are withheld by a debit or payment that has ended, oldest first; how many.
    /// Call again until 0.
    pub async fn purge_withheld(&self, batch: u32) -> Result<u64, StoreError> {
        let statement = sqlx::query(PURGE_WITHHELD).bind(i64::from(batch));
        Ok(self.db.write("purging audits that were never handed over", statement).await?.len() as u64)
    }

    /// Deletes at most `batch` tabs, and as many notes of which one had the focus, of guests last seen before `seen_before`;
    /// how many in all. Call again until 0.
    pub async fn purge_guests_tabs(&self, seen_before: Timestamp, batch: u32) -> Result<u64, StoreError> {
        let batch = i64::from(batch);
        let mut gone = 0;
        for sql in [PURGE_GUESTS_TABS, PURGE_GUESTS_WORKSPACES] {
            let statement = sqlx::query(sql).bind(seen_before.0).bind(batch);
            gone += self.db.write("purging tabs of guests", statement).await?.len() as u64;
        }
        Ok(gone)
    }

    /// Deletes at most `batch` runs over sites that ended before `ended_before`, but the last of each watch, and at most `batch` of
    /// guests last seen before `guest_seen_before`; how many in all. Call again until 0.
    pub async fn purge_site_runs(
        &self,
        ended_before: Timestamp,
        guest_seen_before: Timestamp,
        batch: u32,
    ) -> Result<u64, StoreError> {
        let mut gone = 0;
        for (sql, before) in [(PURGE_SITE_RUNS, ended_before), (PURGE_GUESTS_SITE_RUNS, guest_seen_before)] {
            let statement = sqlx::query(sql).bind(before.0).bind(i64::from(batch));
            gone += self.db.write("purging runs over sites", statement).await?.len() as u64;
        }
        Ok(gone)
    }

    /// Deletes at most `batch` guests last seen before `seen_before` who own nothing else; how many. Call again until
    /// 0.
    pub async fn purge_guests(&self, seen_before: Timestamp, batch: u32) -> Result<u64, StoreError> {
        let statement = sqlx::query(PURGE_GUESTS_ROWS).bind(seen_before.0).bind(i64::from(batch));
        Ok(self.db.write("purging guests", statement).await?.len() as u64)
    }
}
