//! The database of Site Audit: SQLite or PostgreSQL.
//!
//! All SQL is here, written once in the dialect that both databases share; [`Store`] gives plain async functions by
//! subject. An acknowledged write is durable. The caller passes the time: nothing here reads a clock.

mod accounts;
mod answers;
mod audit_head;
mod audits;
mod avatars;
mod backup;
mod blocking;
mod body;
mod challenges;
mod claims;
mod columns;
mod contacts;
mod credits;
mod db;
mod debits;
mod deliveries;
mod error;
mod events;
mod examination;
mod expiries;
mod figures;
mod guests;
mod jobs;
mod keys;
mod lab;
mod migrations;
mod organizations;
mod passkeys;
mod payments;
mod pix;
mod place;
mod postgres;
mod quotas;
mod readers;
mod receipt_keys;
mod refusal;
mod removal;
mod retention;
mod runs;
mod salts;
mod sessions;
mod shares;
mod site_runs;
mod site_watches;
mod sites;
mod snoozes;
mod sqlite;
mod statement;
mod statistics;
mod steps;
mod store;
mod stored_report;
mod tabs;
mod throttles;
mod transaction;
mod transfer;
mod watches;
mod webhooks;
mod withheld;

pub use accounts::{AccountRecord, EventRecord, LinkRecord, SessionRecord, TotpRecord};
pub use answers::PaidAnswer;
pub use audit_head::{AuditHead, LabMark, OwnHead};
pub use audits::{AuditLine, NewAudit};
pub use backup::{BackupFacts, back_up, check_backup, has_tables, restore};
pub use body::PackedReport;
pub use claims::{Claimed, GuestThings};
pub use contacts::{ContactLimits, ContactQueued};
pub use credits::{Credit, MOVEMENTS_SHOWN, NewCredit};
pub use db::PoolState;
pub use debits::{Holding, NewDebit, Repeated};
pub use deliveries::{AfterTry, DeliveryRecord, DeliveryState, DueDelivery, EndedTry, NewDelivery};
pub use error::{Cause, StoreError};
pub use events::{FeedRecord, NewPageEvent, PageEventRecord};
pub use examination::{DatabaseFacts, DatabaseState, ServerFacts, examine};
pub use expiries::{TabExpiries, WaitingLink};
pub use figures::{LaneFigures, Publication};
pub use guests::FoundGuest;
pub use jobs::{ClaimedJob, JobLease, JobRecord, JobState, NewJob};
pub use keys::{ApiKey, KeyMade, KeyRecord, NewKey};
pub use lab::{LabLimits, LabRecord, LabRefusal, NewLabTest, RunningLab, StoredLab};
pub use organizations::{
    Denied, InvitationRecord, MemberRecord, NewInvitation, OrganizationChange, OrganizationRecord,
};
pub use passkeys::{MOST_PASSKEYS, PasskeyRecord, PasskeyStep};
pub use payments::{
    ClaimOutcome, CreditPurchase, Lease, NewPayment, OnItsWay, PaymentDecision, PaymentKey, PaymentState,
    StoredPayment, Unsettled,
};
pub use pix::{NewPixRequest, PixDecision, PixRequest, PixSummary, ReceiptFile, Requested};
pub use place::{LockError, ServerLock, database_file, database_name, remedy};
pub use quotas::{DailySpend, HourlySpend};
pub use receipt_keys::ReceiptKeyRecord;
pub use refusal::Refusal;
pub use runs::{RunFindings, RunRecord, RunScore};
pub use sessions::{FoundSession, Session};
pub use shares::{NewShare, SharePictures, ShareState};
pub use site_runs::{SiteFactsRow, SitePageRow, SiteReportRow, SiteRunFile};
pub use site_watches::{DueSiteWatch, NewSiteWatch, SiteWatchChange, SiteWatchRecord, SiteWatcher, SiteWatching};
pub use sites::{
    NewSiteRun, NewWatchedRun, SiteAlert, SiteAllowance, SiteBeginning, SiteCommit, SiteCommitted, SiteEnd, SiteKept,
    SitePageLine, SitePageReport, SitePageVersion, SitePays, SiteRefusal, SiteResult, SiteRunLimits, SiteRunRecord,
    SiteState, SiteTaken, UnchangedPage, WatchedEnd,
};
pub use snoozes::{MOST_SNOOZES, Snoozing};
pub use statistics::{CountBatch, CountRow, CountSpan, Counted, MergeSketches};
pub use steps::{
    AccountLink, AccountStatus, Actor, EndReason, Factor, NewAccount, NewEvent, NewLink, NewSession, ProfileRecord,
    Rotation, Step,
};
pub use store::Store;
pub use stored_report::StoredReport;
pub use tabs::{AlertTo, Changing, MOST_TABS, NewTab, Opening, TabChange};
pub use throttles::{Attempted, Throttle};
pub use transfer::{TransferFacts, TransferStep, transfer};
pub use watches::{Alert, DueWatch, LinkPurpose, WatchLink, WatchRun, WatchedTab};
pub use webhooks::WebhookRecord;
