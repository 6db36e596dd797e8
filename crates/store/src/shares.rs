//! Shares: public addresses of audits, at most one active per audit.

use model::id::{AuditId, Owner, Slug};
use model::lang::Lang;
use model::time::Timestamp;
use sqlx::Row;

use crate::blocking::off_worker;
use crate::error::StoreError;
use crate::lab::lab_tests;
use crate::store::Store;
use crate::stored_report::{StoredReport, stored_report};

/// A share to create.
#[derive(Debug, Clone)]
pub struct NewShare {
    /// The address, unique for ever.
    pub slug: Slug,
    /// Its audit.
    pub audit: AuditId,
    /// When it is made.
    pub created_at: Timestamp,
    /// The PNG of its link preview, in each language.
    pub pictures: SharePictures,
}

/// A PNG per language.
#[derive(Debug, Clone)]
pub struct SharePictures {
    /// In English.
    pub en: Vec<u8>,
    /// In Brazilian Portuguese.
    pub pt: Vec<u8>,
}

/// State of a share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShareState {
    /// It is active.
    InForce {
        /// The score of its audit, 0 to 100; `None` where a watch could not reach the page.
        score: Option<u32>,
    },
    /// Its owner revoked it.
    Revoked,
}

// For an audit that is shared the update changes nothing and returns the active share, also under concurrent calls.
const INSERT: &str = "INSERT INTO shares (slug, audit_id, created_at, picture_en, picture_pt) \
    SELECT $1, id, $2, $3, $4 FROM audits WHERE id = $5 AND owner = $6 \
    ON CONFLICT (audit_id) WHERE revoked_at IS NULL DO UPDATE SET audit_id = excluded.audit_id RETURNING slug";

const REVOKE: &str = "UPDATE shares SET revoked_at = $1, picture_en = NULL, picture_pt = NULL \
    WHERE revoked_at IS NULL AND audit_id = (SELECT id FROM audits WHERE id = $2 AND owner = $3) RETURNING slug";

const OWNS: &str = "SELECT id FROM audits WHERE id = $1 AND owner = $2";

const REPORT: &str = concat!(
    "SELECT audits.id, audits.requested_url, audits.created_at, audits.body, shares.slug AS share_slug, ",
    lab_tests!(),
    " FROM shares JOIN audits ON audits.id = shares.audit_id WHERE shares.slug = $1 AND shares.revoked_at IS NULL"
);

const STATE: &str = "SELECT audits.score, audits.failed, CASE WHEN shares.revoked_at IS NULL THEN 0 ELSE 1 END AS is_revoked \
    FROM shares JOIN audits ON audits.id = shares.audit_id WHERE shares.slug = $1";

const PICTURE_EN: &str = "SELECT picture_en AS picture FROM shares WHERE slug = $1 AND revoked_at IS NULL";

const PICTURE_PT: &str = "SELECT picture_pt AS picture FROM shares WHERE slug = $1 AND revoked_at IS NULL";

impl Store {
    /// Shares an audit of `owner`: its public address. Idempotent, also under concurrent calls.
    /// [`StoreError::NotFound`] also when the audit is someone else's.
    pub async fn share_audit(&self, owner: &Owner, share: NewShare) -> Result<Slug, StoreError> {
        let subject = "sharing an audit";
        let statement = sqlx::query(INSERT)
            .bind(share.slug.0)
            .bind(share.created_at.0)
            .bind(share.pictures.en)
            .bind(share.pictures.pt)
            .bind(share.audit.0)
            .bind(owner.to_string());
        let rows = self.db.write(subject, statement).await?;
        let row = rows.first().ok_or(StoreError::NotFound { subject })?;
        row.try_get("slug").map(Slug).map_err(|error| StoreError::of_driver(subject, error))
    }

    /// Revokes the public address of an audit of `owner`, if it has one. [`StoreError::NotFound`] also when the audit
    /// is someone else's.
    pub async fn revoke_share(&self, owner: &Owner, audit: &AuditId, now: Timestamp) -> Result<(), StoreError> {
        let subject = "revoking a share";
        let owns = sqlx::query(OWNS).bind(audit.0.clone()).bind(owner.to_string());
        self.db.read(subject, owns).await?.ok_or(StoreError::NotFound { subject })?;
        let revoke = sqlx::query(REVOKE).bind(now.0).bind(audit.0.clone()).bind(owner.to_string());
        self.db.write(subject, revoke).await.map(drop)
    }

    /// The audit at a public address; [`StoreError::NotFound`] also when it was revoked.
    pub async fn shared_report(&self, slug: &Slug) -> Result<StoredReport, StoreError> {
        let subject = "reading a shared audit";
        let statement = sqlx::query(REPORT).bind(slug.0.clone());
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        let id = row.try_get("id").map_err(|error| StoreError::of_driver(subject, error))?;
        off_worker(subject, move || stored_report(subject, AuditId(id), &row)).await
    }

    /// The state of a share; [`StoreError::NotFound`] for an address that never existed, or whose audit was deleted.
    pub async fn share_state(&self, slug: &Slug) -> Result<ShareState, StoreError> {
        let subject = "looking up a share";
        let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
        let statement = sqlx::query(STATE).bind(slug.0.clone());
        let row = self.db.read(subject, statement).await?.ok_or(StoreError::NotFound { subject })?;
        if row.try_get::<i64, _>("is_revoked").map_err(failed)? != 0 {
            return Ok(ShareState::Revoked);
        }
        if row.try_get::<i64, _>("failed").map_err(failed)? != 0 {
            return Ok(ShareState::InForce { score: None });
        }
        let score: i64 = row.try_get("score").map_err(failed)?;
        let score = u32::try_from(score).map_err(|error| StoreError::corrupt(subject, error))?;
        Ok(ShareState::InForce { score: Some(score) })
    }

    /// The PNG of a public address in `lang`; [`StoreError::NotFound`] also when it was revoked.
    pub async fn share_picture(&self, slug: &Slug, lang: Lang) -> Result<Vec<u8>, StoreError> {
        let subject = "reading the picture of a share";
        let sql = match lang {
            Lang::En => PICTURE_EN,
            Lang::PtBr => PICTURE_PT,
        };
        let row = self.db.read(subject, sqlx::query(sql).bind(slug.0.clone())).await?;
        let row = row.ok_or(StoreError::NotFound { subject })?;
        let picture: Option<Vec<u8>> = row.try_get("picture").map_err(|error| StoreError::of_driver(subject, error))?;
        picture.ok_or_else(|| StoreError::corrupt(subject, "a share in force has no picture"))
    }
}
