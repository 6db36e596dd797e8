//! A stored audit as it is read from its row.

use model::id::{AuditId, Slug};
use model::lang::Lang;
use model::report::{Report, StoredAudit};
use model::time::Timestamp;
use sqlx::Row;
use sqlx::any::AnyRow;

use crate::body::unpack;
use crate::error::StoreError;
use crate::lab::StoredLab;

/// A stored audit.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredReport {
    /// Its id.
    pub id: AuditId,
    /// The requested address without its fragment.
    pub requested_url: String,
    /// Time of creation.
    pub created_at: Timestamp,
    /// Its public address, while it is shared.
    pub share_slug: Option<Slug>,
    /// The report.
    pub report: Report,
}

impl StoredReport {
    /// The audit in `lang`, as an answer has it.
    pub fn stored_audit(&self, lang: Lang) -> StoredAudit {
        self.report.stored_audit(&self.id, self.created_at, self.share_slug.as_ref(), lang)
    }
}

/// The column of a row of `audits` with its public address, while it is shared. A macro, as `concat!` takes literals only.
macro_rules! share_slug {
    () => {
        "(SELECT slug FROM shares WHERE audit_id = audits.id AND revoked_at IS NULL) AS share_slug"
    };
}
pub(crate) use share_slug;

/// The audit in a row with `requested_url`, `created_at`, `share_slug`, `body` and the columns of `lab_tests!`. Its summary
/// has the lab tests, and their field data where the audit itself has none.
pub(crate) fn stored_report(subject: &'static str, id: AuditId, row: &AnyRow) -> Result<StoredReport, StoreError> {
    let failed = |error: sqlx::Error| StoreError::of_driver(subject, error);
    let body: Vec<u8> = row.try_get("body").map_err(failed)?;
    let mut report: Report = unpack(&body)?;
    let lab = StoredLab::of(subject, row)?;
    if let Some(summary) = &mut report.summary {
        summary.crux = summary.crux.take().or(lab.field_data);
        summary.rendered = Some(lab.rendered).filter(|pages| !pages.is_empty());
        summary.lab = Some(lab.tests).filter(|tests| !tests.is_empty());
    }
    Ok(StoredReport {
        id,
        requested_url: row.try_get("requested_url").map_err(failed)?,
        created_at: Timestamp(row.try_get("created_at").map_err(failed)?),
        share_slug: row.try_get::<Option<String>, _>("share_slug").map_err(failed)?.map(Slug),
        report,
    })
}
