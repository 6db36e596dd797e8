//! Everything Site Audit keeps, in SQLite or PostgreSQL.
//!
//! All SQL is here, written once in the dialect that both databases share; [`Store`] gives plain async functions by
//! subject. An acknowledged write is on disk. Instants come from the caller: there is no clock here.

mod accounts;
mod answers;
mod audits;
mod avatars;
mod body;
mod claims;
mod credits;
mod db;
mod debits;
mod error;
mod guests;
mod jobs;
mod keys;
mod migrations;
mod organizations;
mod passkeys;
mod payments;
mod pix;
mod postgres;
mod quotas;
mod removal;
mod retention;
mod salts;
mod sessions;
mod shares;
mod sqlite;
mod steps;
mod tabs;
mod throttles;
mod transaction;
mod watches;
mod withheld;

use std::sync::Arc;

use model::time::Timestamp;
use sqlx::Row as _;

pub use accounts::{AccountRecord, EventRecord, LinkRecord, SessionRecord, TotpRecord};
pub use answers::PaidAnswer;
pub use audits::{AuditLine, NewAudit, StoredReport};
pub use body::PackedReport;
pub use claims::{Claimed, GuestThings};
pub use credits::{Credit, MOVEMENTS_SHOWN, NewCredit};
pub use debits::{Holding, NewDebit, Repeated};
pub use error::{Cause, StoreError};
pub use jobs::{ClaimedJob, JobLease, JobRecord, JobState, NewJob};
pub use keys::{ApiKey, KeyMade, KeyRecord, NewKey};
pub use organizations::{
    Denied, InvitationRecord, MemberRecord, NewInvitation, OrganizationChange, OrganizationRecord,
};
pub use passkeys::{MOST_PASSKEYS, PasskeyRecord, PasskeyStep};
pub use payments::{
    Claim, Lease, NewPayment, OnItsWay, Payment, PaymentDecision, PaymentKey, PaymentState, Purchase, Unsettled,
};
pub use pix::{Decision, NewPixRequest, PixRequest, PixSummary, Receipt, Requested};
pub use quotas::{DailySpend, HourlySpend};
pub use sessions::{FoundSession, Session};
pub use shares::{NewShare, SharePictures, ShareState};
pub use steps::{
    AccountLink, AccountStatus, Actor, EndReason, Factor, NewAccount, NewEvent, NewLink, NewSession, ProfileRecord,
    Refusal, Rotation, Step,
};
pub use tabs::{AlertTo, Changing, Judged, MOST_TABS, NewTab, Opening, RunRecord, TabChange};
pub use throttles::Throttle;
pub use watches::{Alert, DueWatch, LinkPurpose, WatchLink, WatchRun, WatchedTab};

/// An open database. Cheap to clone; all clones share its connections.
#[derive(Clone)]
pub struct Store {
    db: Arc<db::Db>,
    codec: Arc<body::Codec>,
}

impl Store {
    /// Opens `database_url` and brings its tables up to date. `sqlite://PATH` makes the file and its folder where
    /// absent, readable by their owner only; `postgres://…` wants an existing database.
    ///
    /// Call within a Tokio runtime. [`StoreError::Corrupt`] for a damaged SQLite file; [`StoreError::Unavailable`]
    /// for an address that is neither, a place that can't be written, or a server that does not answer or would
    /// acknowledge commits before they are durable.
    pub async fn open(database_url: &str) -> Result<Self, StoreError> {
        Ok(Self { db: Arc::new(db::Db::open(database_url).await?), codec: Arc::default() })
    }

    /// Whether the database answers.
    pub async fn ping(&self) -> Result<(), StoreError> {
        self.db.read("asking the database for a sign of life", sqlx::query("SELECT 1")).await.map(drop)
    }

    /// What time it is for the database, which all its servers share; `None` where that is this machine's clock.
    pub async fn clock(&self) -> Result<Option<Timestamp>, StoreError> {
        let subject = "asking for the database's clock";
        let Some(statement) = self.db.clock() else { return Ok(None) };
        let row = self.db.read(subject, statement).await?;
        let now = row.map(|row| row.try_get("now")).transpose();
        Ok(now.map_err(|error| StoreError::of_driver(subject, error))?.map(Timestamp))
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
