//! The open database.

use std::sync::Arc;

use model::time::Timestamp;
use sqlx::Row as _;

use crate::body::Codec;
use crate::db::{Db, PoolState};
use crate::error::StoreError;

// Of each the first row of an index.
const NEWEST: &str = "SELECT MAX(at) AS newest FROM (\
    SELECT at FROM (SELECT created_at AS at FROM jobs ORDER BY id DESC LIMIT 1) AS newest_job UNION ALL \
    SELECT at FROM (SELECT created_at AS at FROM audits ORDER BY id DESC LIMIT 1) AS newest_audit UNION ALL \
    SELECT MAX(last_seen_at) AS at FROM guests) AS times";

const NEWEST_QUEUED: &str =
    "SELECT created_at FROM jobs WHERE lane = $1 AND unique_key LIKE $2 ORDER BY id DESC LIMIT 1";

/// An open database. Cheap to clone; all clones share its connections.
#[derive(Clone)]
pub struct Store {
    pub(crate) db: Arc<Db>,
    pub(crate) codec: Arc<Codec>,
}

impl Store {
    /// Opens `database_url` and brings its tables up to date. `sqlite://PATH` makes the file and its folder where
    /// absent, readable by their owner only; `postgres://…` wants an existing database.
    ///
    /// Call within a Tokio runtime. [`StoreError::Corrupt`] for a damaged SQLite file; [`StoreError::Unavailable`]
    /// for an address that is neither, a place that can't be written, or a server that does not answer or would
    /// acknowledge commits before they are durable.
    pub async fn open(database_url: &str) -> Result<Self, StoreError> {
        Ok(Self { db: Arc::new(Db::open(database_url).await?), codec: Arc::default() })
    }

    /// Whether the database answers, and an embedded one is still in its place.
    pub async fn ping(&self) -> Result<(), StoreError> {
        let subject = "asking the database for a sign of life";
        self.db.check_file(subject)?;
        self.db.read(subject, sqlx::query("SELECT 1")).await.map(drop)
    }

    /// Connections to the database.
    pub fn pools(&self) -> Vec<PoolState> {
        self.db.pools()
    }

    /// The name of the database system: `sqlite` or `postgresql`.
    pub fn system(&self) -> &'static str {
        self.db.system()
    }

    /// The time by the database's clock, which all its servers share; `None` where that is this machine's.
    pub async fn clock(&self) -> Result<Option<Timestamp>, StoreError> {
        let subject = "asking for the database's clock";
        let Some(statement) = self.db.clock() else { return Ok(None) };
        let row = self.db.read(subject, statement).await?;
        let now = row.map(|row| row.try_get("now")).transpose();
        Ok(now.map_err(|error| StoreError::of_driver(subject, error))?.map(Timestamp))
    }

    /// The newest time at which a job or an audit was made or a guest was seen; `None` in an empty database. Ids sort by
    /// time, so that it reads few rows.
    pub async fn newest_time(&self) -> Result<Option<Timestamp>, StoreError> {
        let subject = "looking for the newest stored time";
        let row = self.db.read(subject, sqlx::query(NEWEST)).await?;
        let newest = row.map(|row| row.try_get::<Option<i64>, _>("newest")).transpose();
        Ok(newest.map_err(|error| StoreError::of_driver(subject, error))?.flatten().map(Timestamp))
    }

    /// When the newest job was queued whose unique key begins with `prefix`; `None` where there is none. Ids sort by time.
    pub async fn newest_queued(&self, lane: &str, prefix: &str) -> Result<Option<Timestamp>, StoreError> {
        let subject = "looking for the newest job of a kind";
        let statement = sqlx::query(NEWEST_QUEUED).bind(lane.to_owned()).bind(format!("{prefix}%"));
        let row = self.db.read(subject, statement).await?;
        let newest = row.map(|row| row.try_get("created_at")).transpose();
        Ok(newest.map_err(|error| StoreError::of_driver(subject, error))?.map(Timestamp))
    }

    /// Finishes the writes that were accepted and closes all connections; later calls are
    /// [`StoreError::Unavailable`].
    pub async fn close(&self) {
        self.db.close().await;
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").finish_non_exhaustive()
    }
}
