//! Stored audits without their reports: what changes of an answer with a report, and what a badge shows.

use model::id::{AccountId, AuditId, Owner, Slug};
use model::searchable::Searchable;
use model::time::Timestamp;
use serde::Deserialize;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::blocking::off_worker;
use crate::body::unpack;
use crate::error::StoreError;
use crate::guests::{FoundGuest, found_guest};
use crate::statement::member_reads;
use crate::store::Store;
use crate::stored_report::share_slug;

/// A stored audit without its report. The report itself never changes; an answer with it does only where one of these fields
/// does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditHead {
    /// Its id.
    pub id: AuditId,
    /// The requested address without its fragment.
    pub requested_url: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Its public address, while it is shared.
    pub share_slug: Option<Slug>,
    /// Its score, 0 to 100; `None` where a watch could not reach the page.
    pub score: Option<u32>,
    /// The latest lab test on a phone and on a desktop, where there was one.
    pub lab: [Option<LabMark>; 2],
}

/// The head of an audit as its owner reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnHead {
    /// The head.
    pub head: AuditHead,
    /// The codes of the findings that the owner has put off now where the page is followed, with a comma between; the first to
    /// end first.
    pub snoozed: String,
}

/// A lab test, as far as it names its result: that is written when the test begins, and once more when it ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabMark {
    /// Its id.
    pub run: String,
    /// Whether it runs.
    pub is_running: bool,
}

impl AuditHead {
    /// The latest lab tests, in a word that is another one for other results.
    pub fn lab_name(&self) -> String {
        let name = |mark: &Option<LabMark>| {
            mark.as_ref().map_or_else(String::new, |mark| format!("{} {}", mark.run, mark.is_running))
        };
        self.lab.iter().map(name).collect::<Vec<_>>().join(",")
    }

    /// Whether a lab test runs.
    pub fn is_in_lab(&self) -> bool {
        self.lab.iter().flatten().any(|mark| mark.is_running)
    }
}

/// The columns of a row of `audits` that a head is made of, besides id and public address. A macro, as `concat!` takes
/// literals only.
macro_rules! head {
    () => {
        "audits.requested_url, audits.created_at, audits.score, audits.failed, \
         (SELECT run FROM lab_tests WHERE audit_id = audits.id AND strategy = 'mobile') AS run_mobile, \
         (SELECT state FROM lab_tests WHERE audit_id = audits.id AND strategy = 'mobile') AS state_mobile, \
         (SELECT run FROM lab_tests WHERE audit_id = audits.id AND strategy = 'desktop') AS run_desktop, \
         (SELECT state FROM lab_tests WHERE audit_id = audits.id AND strategy = 'desktop') AS state_desktop"
    };
}

/// The codes of the findings of the audit's page that are put off at `$3`, as [`Store::snoozes_of`] lists them: their order
/// is a part of names of answers.
macro_rules! snoozed {
    () => {
        "(SELECT string_agg(s.code, ',' ORDER BY s.ends_at, s.code) FROM snoozes s JOIN tabs t ON t.id = s.tab_id \
         WHERE t.owner = audits.owner AND t.url = audits.requested_url AND s.ends_at > $3) AS snoozed"
    };
}

const OF_OWNER: &str =
    concat!("SELECT id, ", head!(), ", ", share_slug!(), ", ", snoozed!(), " FROM audits WHERE id = $1 AND owner = $2");

// One row for a guest who is known, whatever is of the audit.
const OF_GUEST: &str = concat!(
    "SELECT guests.id AS guest_id, guests.last_seen_at, audits.id, ",
    head!(),
    ", ",
    share_slug!(),
    ", ",
    snoozed!(),
    " FROM guests LEFT JOIN audits ON audits.id = $1 AND audits.owner = 'guest:' || guests.id \
     WHERE guests.token_digest = $2 AND guests.claimed_by IS NULL"
);

const OF_MEMBER: &str =
    concat!("SELECT id, ", head!(), ", ", share_slug!(), " FROM audits WHERE id = $1 AND ", member_reads!());

const SHARED: &str = concat!(
    "SELECT audits.id, ",
    head!(),
    ", shares.slug AS share_slug FROM shares JOIN audits ON audits.id = shares.audit_id \
     WHERE shares.slug = $1 AND shares.revoked_at IS NULL"
);

const SHARED_BODY: &str = "SELECT audits.body FROM shares JOIN audits ON audits.id = shares.audit_id \
    WHERE shares.slug = $1 AND shares.revoked_at IS NULL";

impl Store {
    /// The audit `id` of `owner` without its report, and what they have put off of it; [`StoreError::NotFound`] also when it is
    /// someone else's.
    pub async fn audit_head(&self, owner: &Owner, id: &AuditId, now: Timestamp) -> Result<OwnHead, StoreError> {
        let subject = "reading the head of an audit";
        let statement = sqlx::query(OF_OWNER).bind(id.0.clone()).bind(owner.to_string()).bind(now.0);
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        own_head(subject, &row)
    }

    /// The guest whose token has this digest, as [`Store::guest_by_digest`] has it, with what [`Store::audit_head`] has of them,
    /// which is `None` where that finds nothing. One query instead of two.
    pub async fn guest_with_audit_head(
        &self,
        token_digest: &[u8; 32],
        id: &AuditId,
        now: Timestamp,
    ) -> Result<Option<(FoundGuest, Option<OwnHead>)>, StoreError> {
        let subject = "looking up a guest and the head of an audit";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let statement = sqlx::query(OF_GUEST).bind(id.0.clone()).bind(token_digest.to_vec()).bind(now.0);
        let Some(row) = self.db.read(subject, statement).await? else { return Ok(None) };
        let guest = found_guest(&row, "guest_id").map_err(failed)?;
        let has_audit = row.try_get::<Option<String>, _>("id").map_err(failed)?.is_some();
        Ok(Some((guest, has_audit.then(|| own_head(subject, &row)).transpose()?)))
    }

    /// The audit `id` that `account` may read as a member of an organization, as [`Store::audit_of_member`] has it, without
    /// its report.
    pub async fn audit_head_of_member(
        &self,
        account: &AccountId,
        has_second_factor: bool,
        id: &AuditId,
    ) -> Result<AuditHead, StoreError> {
        let subject = "reading the head of an organization's audit";
        let statement =
            sqlx::query(OF_MEMBER).bind(id.0.clone()).bind(account.0.clone()).bind(i64::from(has_second_factor));
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        head(subject, &row)
    }

    /// The audit at a public address without its report; [`StoreError::NotFound`] also when the address was revoked.
    pub async fn shared_head(&self, slug: &Slug) -> Result<AuditHead, StoreError> {
        let subject = "reading the head of a shared audit";
        let statement = sqlx::query(SHARED).bind(slug.0.clone());
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        head(subject, &row)
    }

    /// Whether a search engine can show the page of a shared audit, as its report has it; [`StoreError::NotFound`] also when
    /// the address was revoked.
    pub async fn shared_searchable(&self, slug: &Slug) -> Result<Option<Searchable>, StoreError> {
        let subject = "reading whether a shared page can be found";
        let row = self.db.read(subject, sqlx::query(SHARED_BODY).bind(slug.0.clone())).await?;
        let row = row.ok_or(StoreError::NotFound { subject })?;
        let body: Vec<u8> = row.try_get("body").map_err(|error| StoreError::of_driver(subject, error))?;
        off_worker(subject, move || Ok(unpack::<StoredSearchable>(&body)?.searchable)).await
    }
}

/// The part of a report that a badge tells of. The rest is passed over.
#[derive(Deserialize)]
struct StoredSearchable {
    #[serde(default)]
    searchable: Option<Searchable>,
}

/// The head in a row that has `snoozed` besides.
fn own_head(subject: &'static str, row: &AnyRow) -> Result<OwnHead, StoreError> {
    let snoozed: Option<String> = row.try_get("snoozed").map_err(|error| StoreError::of_driver(subject, error))?;
    Ok(OwnHead { head: head(subject, row)?, snoozed: snoozed.unwrap_or_default() })
}

/// The head in a row with `id`, `share_slug` and the columns of `head!`.
fn head(subject: &'static str, row: &AnyRow) -> Result<AuditHead, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let score: i64 = row.try_get("score").map_err(failed)?;
    let score = u32::try_from(score).map_err(|error| StoreError::corrupt(subject, error))?;
    let is_reached = row.try_get::<i64, _>("failed").map_err(failed)? == 0;
    let mark = |run: &str, state: &str| -> Result<Option<LabMark>, StoreError> {
        let run: Option<String> = row.try_get(run).map_err(failed)?;
        let state: Option<String> = row.try_get(state).map_err(failed)?;
        Ok(run.zip(state).map(|(run, state)| LabMark { run, is_running: state == "running" }))
    };
    Ok(AuditHead {
        id: AuditId(row.try_get("id").map_err(failed)?),
        requested_url: row.try_get("requested_url").map_err(failed)?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        share_slug: row.try_get::<Option<String>, _>("share_slug").map_err(failed)?.map(Slug),
        score: is_reached.then_some(score),
        lab: [mark("run_mobile", "state_mobile")?, mark("run_desktop", "state_desktop")?],
    })
}
